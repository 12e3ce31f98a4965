/* unread.h: operands of which only the shape counts.
 *
 * CONTRACT. What memory holds that nothing was written to depends on the node
 * that allocates it (sp_op.by_name), so equal layers are not alike in it. But
 * it is there to be overwritten: as the operand of a copy, or where beta is 0.
 * Whether a node reads it is found out by evaluating the elements of its
 * results over symbols of which nothing is known; where they do not read it,
 * the results are a function of the other operands and of its shape. Part of
 * the trusted base. Internal to solve/.
 */
#ifndef SP_SOLVE_UNREAD_H
#define SP_SOLVE_UNREAD_H

#include "solve/state.h"

typedef struct spi_unread {
  const uint64_t *operands; /* by node: a set of its first 64 operands */
} spi_unread;

/* p: the sequential program or the distributed one. */
spi_unread spi_unread_of(sp_state *s, const sp_program *p);
bool spi_is_unread(spi_unread u, uint32_t node, uint32_t operand);

#endif
