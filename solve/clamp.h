/* clamp.h: did a slice begin where it does not fit?
 *
 * CONTRACT. XLA moves the start of a dynamic slice (or update, or of what a
 * gather reads) back into the tensor when it is out of range, without a word.
 * In a run this shows: said for people. Internal to solve/.
 */
#ifndef SP_SOLVE_CLAMP_H
#define SP_SOLVE_CLAMP_H

#include "solve/evaluate.h"

/* "on rank 3 it starts at 12 ...", "in the sequential program ..." (a machine
 * of one rank), of the tensor's operator in the last run; NULL: its starts fit,
 * or are not known. */
const char *spi_clamped_text(sp_ctx *ctx, sp_machine *m, uint32_t tensor);

#endif
