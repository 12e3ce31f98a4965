/* num.h: the rationals of a pool, inside encode/ only.
 *
 * CONTRACT. Exact rationals are interned: an sp_num is an index, equal ids if
 * and only if equal values; 0 and 1 are SPI_NUM_ZERO and SPI_NUM_ONE
 * (encode/pool.h). Numerators and denominators that fit 64 bits live in the
 * table itself; larger ones are GMP numbers, freed with the context. Numbers
 * of more than SPI_NUM_BITS bits are refused (SP_ERR_LIMIT).
 */
#ifndef SP_ENCODE_NUM_H
#define SP_ENCODE_NUM_H

#include "encode/pool.h"

enum { SPI_NUM_BITS = 1 << 15 };

static inline bool spi_num_is_zero(sp_num a) {
  return a.v == SPI_NUM_ZERO.v;
}
static inline bool spi_num_is_one(sp_num a) {
  return a.v == SPI_NUM_ONE.v;
}

/* The value as a 64-bit integer; false when it is not one. */
bool spi_num_as_i64(const sp_pool *p, sp_num a, int64_t *out);
/* Numerator and denominator when both fit 64 bits. */
bool spi_num_as_ratio(const sp_pool *p, sp_num a, int64_t *n, int64_t *d);

#endif
