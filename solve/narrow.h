/* narrow.h: where the distributed program computes in a narrower type.
 *
 * CONTRACT. Proofs are about real numbers, so an all-reduce in bf16 of what the
 * sequential program sums in f32 is right, though less exact. This adds a
 * sentence to the assumptions for such tensors, a few by name. It has no say in
 * the verdict. Internal to solve/.
 */
#ifndef SP_SOLVE_NARROW_H
#define SP_SOLVE_NARROW_H

#include "solve/state.h"

/* After the relations are found. */
void spi_note_narrow(sp_state *s);

#endif
