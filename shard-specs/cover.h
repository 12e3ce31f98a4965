/* cover.h: do all ranks together hold a tensor?
 *
 * CONTRACT. A result is promised by a layout, or by several that are parts of
 * it. What no rank holds would not be compared with anything: a promise of
 * half a result is a mistake of the spec.
 */
#ifndef SP_SHARD_SPECS_COVER_H
#define SP_SHARD_SPECS_COVER_H

#include "solve/problem.h"

/* An element of a tensor of this shape that no rank holds by any of the n
 * layouts, as "[3, 0]"; NULL when there is none (or too many pieces to see).
 * Layouts must be there. */
const char *sp_spec_uncovered(sp_ctx *ctx, const sp_shape *shape, size_t n,
                              const sp_placed *placed);

#endif
