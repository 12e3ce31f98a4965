/* init.h: a first spec, guessed from the programs.
 *
 * CONTRACT. The mesh comes from the numbers in the file names, inputs and
 * outputs are matched by name and order, placements come from the ratios of
 * their sizes. What shapes do not tell is marked QUESTION in a comment of the
 * text; a guess is never hidden. The text is a spec that can be read, unless a
 * question says that it cannot. Raises SP_ERR_INPUT for unreadable programs.
 */
#ifndef SP_SPECS_INIT_H
#define SP_SPECS_INIT_H

#include "base/ctx.h"

/* folder: where the spec will be, "" for here; paths are written relative to
 * it where that is simple. */
const char *sp_spec_init(sp_ctx *ctx, const char *sequential, uint32_t n,
                         const char *const *distributed, const char *folder);

#endif
