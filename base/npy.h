/* npy.h: arrays in numpy's .npy format (version 1.0; 2.0 and 3.0 are read).
 *
 * CONTRACT. Reading gives a row-major array in this machine's byte order,
 * whatever the file had; headers are not trusted: a size that does not match
 * the file, a shape that overflows or a type that is no number raise
 * SP_ERR_INPUT. Types: b1, i1 .. i8, u1 .. u8, f2, f4, f8, and V2, which is how
 * numpy saves bfloat16.
 */
#ifndef SP_BASE_NPY_H
#define SP_BASE_NPY_H

#include "base/ctx.h"

enum { SP_NPY_MAX_DIMS = 64 };

typedef struct sp_npy {
  char kind;     /* b i u f V */
  unsigned size; /* bytes of an element */
  uint32_t n_dims;
  const int64_t *dims;
  int64_t n; /* elements */
  const uint8_t *bytes;
} sp_npy;

const sp_npy *sp_npy_read(sp_ctx *ctx, const char *path);
/* The same from memory; file is the name used in messages. */
const sp_npy *sp_npy_parse(sp_ctx *ctx, const char *file, const uint8_t *bytes,
                           size_t n);
double sp_npy_double(const sp_npy *a, int64_t i);
int64_t sp_npy_int(const sp_npy *a, int64_t i); /* of kinds b, i, u */

/* Raises SP_ERR_USAGE where the file cannot be written. */
void sp_npy_write(sp_ctx *ctx, const char *path, const sp_npy *a);

#endif
