/* aten_index.h: x[i, None, j] with tensors i, j: which dimensions are picked
 * from, and where the picks' own dimensions (broadcast together: the batch)
 * are in the result. Defined in encode/ops/aten_index.c.
 */
#ifndef SP_ENCODE_ATEN_INDEX_H
#define SP_ENCODE_ATEN_INDEX_H

#include "encode/aten_util.h"

typedef struct spi_picks {
  const sp_shape *a;
  int64_t operand[SP_MAX_DIMS]; /* by dimension of self; -1: kept */
  spi_dims batch;
  uint32_t first; /* the batch's place among the kept dimensions */
} spi_picks;

/* The arguments self and indices; masks are refused. */
spi_picks spi_picks_of(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node);
/* The sizes of x[...]. */
spi_dims spi_picks_dims(sp_ctx *ctx, const sp_node *node, const spi_picks *k);
/* The index of x[...] where the batch has these coordinates and kept
 * dimensions those of self; returns how many. */
uint32_t spi_picks_at(const spi_picks *k, const sp_expr *batch,
                      const sp_expr *self, sp_expr *out);
/* The index into dimension d. */
sp_expr spi_picks_index(const sp_call *call, const spi_picks *k, uint32_t d,
                        const sp_expr *batch);

#endif
