/* division.h: inside encode/: quotients and rests of one formula.
 *
 * CONTRACT. spi_divide() gives integer constants q and m with the facts
 * x = c*q + m, 0 <= m < c asserted: they exist and are unique, q = floor(x/c).
 * Solvers do not see how the divisions of one term belong together, so more
 * facts are asserted where one divisor divides the other, c and d = k*c:
 *
 *   floor(x/c) = k * floor(x/d) + t, 0 <= t < k
 *
 * and the t is at the same time floor(x/c) mod k and (x mod d) div c. LEMMA
 * (why this is true): floor(floor(x/c)/k) = floor(x/(c*k)), so t is a rest by
 * k; and x mod d = x - d*floor(x/d) = c*(floor(x/c) - k*floor(x/d)) + x mod c
 * = c*t + x mod c with 0 <= x mod c < c. Divisions of quotients and rests
 * become divisions of what these came from, so that they meet: mixed-radix
 * digits are one chain (measured: docs/obligations.md).
 * Every quotient and rest that is given out has this one meaning, whatever
 * else was asserted.
 */
#ifndef SP_ENCODE_DIVISION_H
#define SP_ENCODE_DIVISION_H

#include "encode/formula.h"

typedef struct spi_divisions spi_divisions;
spi_divisions *spi_divisions_new(sp_ctx *ctx);
void spi_divisions_begin(spi_divisions *d, sp_formula *f);
/* c > 0 */
void spi_divide(spi_divisions *d, sp_smt x, int64_t c, sp_smt *quotient,
                sp_smt *rest);

#endif
