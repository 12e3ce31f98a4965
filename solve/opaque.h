/* opaque.h: the concrete meaning of opaque functions. Inside solve/ only.
 *
 * CONTRACT. The operator table says only which slices an opaque function sees
 * (encode/ops/sort.c, ...); what it computes is said here, and nothing is ever
 * proved from it. A function must depend on nothing but its name, its slices
 * and the position, so that equal calls on both sides give equal values: what
 * frameworks leave open (the order of equal keys of an unstable sort, the order
 * in which a reduction combines) is fixed somehow.
 */
#ifndef SP_SOLVE_OPAQUE_H
#define SP_SOLVE_OPAQUE_H

#include "solve/machine.h"

typedef struct spi_slice {
  const spi_tape *tape; /* NULL where n = 0 */
  const int64_t *extents;
  int64_t n;
  sp_sort sort;
  bool index; /* no slice, but an integer */
} spi_slice;

/* The scalar computation of a node (comparator, reducer), or NULL. */
typedef struct spi_scalars spi_scalars;

typedef struct spi_function {
  const char *prefix; /* of the name */
  int positions; /* arguments at the end; -1: all but the first; -2: those at
                    the end that are indices of the result */
  /* NULL, or why the function cannot be computed. */
  const char *(*check)(const spi_opaque *o);
  /* out[n_out], row-major over the positions. */
  void (*run)(sp_ctx *ctx, const spi_opaque *o, spi_lane *const *slices,
              spi_lane *out);
} spi_function;

struct spi_opaque {
  const spi_function *f;
  const char *name;
  uint32_t result;
  sp_sort sort;
  sp_dtype dtype;
  const sp_node *node;
  uint32_t n_slices;
  spi_slice *slices;
  bool *position; /* by dimension of the result */
  const sp_shape *shape;
  uint32_t n_own,
      *own;          /* -2: the dimensions of the positions, in their order */
  int64_t n_out;     /* positions */
  int64_t n_choices; /* of the other dimensions */
  spi_scalars *region;
};

const spi_function *spi_function_find(const char *name);

/* ---- opaque_scalars.c ---- */
spi_scalars *spi_scalars_of(sp_pool *p, const sp_node *node);
uint32_t spi_scalars_params(const spi_scalars *s);
uint32_t spi_scalars_results(const spi_scalars *s);
void spi_scalars_start(spi_scalars *s); /* NULL is fine */
void spi_scalars_set(spi_scalars *s, uint32_t param, spi_lane v);
void spi_scalars_run(spi_scalars *s);
spi_lane spi_scalars_get(const spi_scalars *s, uint32_t result);

#endif
