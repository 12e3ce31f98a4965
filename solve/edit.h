/* edit.h: one operator of a program changed, for asking what if.
 *
 * CONTRACT. Makes small programs out of parts of a big one: a node alone, on
 * parameters; a program with one node changed, or with another node put behind
 * it. Nothing is shared with the original but what never changes. Internal to
 * solve/.
 */
#ifndef SP_SOLVE_EDIT_H
#define SP_SOLVE_EDIT_H

#include "graph/program.h"

/* The node becomes another with results of the same shapes, whose operands are
 * tensors that come before it. `then` (op and attributes; NULL: nothing) is
 * applied to its only result. */
typedef struct spi_edit {
  uint32_t node;
  const sp_node *becomes, *then;
} spi_edit;

/* The edited node alone: its operands are parameters. */
const sp_program *spi_edit_alone(sp_ctx *ctx, const sp_program *program,
                                 const spi_edit *edit);
const sp_program *spi_edit_program(sp_ctx *ctx, const sp_program *program,
                                   const spi_edit *edit);
/* A copy of the node with one attribute of another value. */
sp_node *spi_edit_attr(sp_ctx *ctx, const sp_node *node, const char *name,
                       sp_attr value);
/* (a, b) -> op(a, b) on scalars, for to_apply. */
const sp_program *spi_edit_reducer(sp_ctx *ctx, sp_dtype type, const char *op);

#endif
