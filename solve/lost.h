/* lost.h: which tensors the proof has lost.
 *
 * CONTRACT. A distributed tensor without a relation may be part of one that has
 * one: a partial sum, a mask, what a choice is made of. Where nothing that is
 * computed of it is related, and it was looked at, the proof has lost it: the
 * first of these is where the programs differ, most likely, and results that
 * depend on it are where that shows. Only a guess; linear in the program's
 * size. Internal to solve/.
 */
#ifndef SP_SOLVE_LOST_H
#define SP_SOLVE_LOST_H

#include "solve/state.h"

/* How many real tensors are lost. lost: by distributed tensor, or NULL. */
uint32_t spi_lost(const sp_state *s, bool *lost);
/* shows: by distributed tensor, does it depend on the first one that is lost?
 * None does where nothing is, or where nothing was proved (s->dist NULL). */
void spi_first_lost(const sp_state *s, bool *shows);

#endif
