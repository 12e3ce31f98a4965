/* aten_collective.h: what the rows of PyTorch's collectives share: the process
 * group of a call, and how it reduces. Defined in
 * encode/ops/aten_collectives.c. */
#ifndef SP_ENCODE_ATEN_COLLECTIVE_H
#define SP_ENCODE_ATEN_COLLECTIVE_H

#include "encode/aten_util.h"

typedef struct spi_reduce_op {
  sp_reducer kind;
  bool average;
} spi_reduce_op;

/* Raises where the spec does not say which ranks the group holds. */
const sp_groups *spi_funcol_groups(sp_ctx *ctx, const sp_program *program,
                                   const sp_node *node);
/* By the argument reduce_op; false: not understood. */
bool spi_reduce_op_of(const sp_node *node, spi_reduce_op *out);

#endif
