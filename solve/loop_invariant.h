/* loop_invariant.h: carried tensors that a loop's body hands on as they are.
 * Internal to solve/; used by loop.c. */
#ifndef SP_SOLVE_LOOP_INVARIANT_H
#define SP_SOLVE_LOOP_INVARIANT_H

#include "solve/loop.h"

bool spi_is_invariant(const loop_shape *shape, uint32_t k);
/* The distributed tensor as a term around the loop, proved; 0: none. */
sp_expr spi_invariant_value(sp_state *s, uint32_t initial);
/* That term in a state of the sequential loop's region; 0: it mentions tensors
 * that have no name there. */
sp_expr spi_invariant_inside(sp_state *outer, sp_state *inner,
                             const loop_shape *seq, const sp_node *seq_node,
                             const sp_program *region, sp_expr value);

/* The sequential loop's carried constants, in a state of its region. */
void spi_fix_invariants(sp_state *outer, sp_state *inner, const loop_shape *seq,
                        const sp_node *seq_node, const sp_program *region);

#endif
