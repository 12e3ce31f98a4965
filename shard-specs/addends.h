/* addends.h: inputs that are given as partial results.
 *
 * CONTRACT. `inputs: {A: {tp: Partial(sum)}}` says that the ranks along tp hold
 * addends of A. Any addends may be: so A is no input, but computed, and what is
 * given are its addends, one slice for each place in a group of ranks:
 *
 *   sequential    X[n, ...] ("addends of A") is a parameter, A = sum of its
 * slices distributed   x[1, ...] ("addend of a") is a parameter, a = its only
 * slice relation      x is slice number (place in the group) of X
 *
 * With that nothing else needs to know of partial inputs. avg, max, min and
 * prod likewise.
 */
#ifndef SP_SHARD_SPECS_ADDENDS_H
#define SP_SHARD_SPECS_ADDENDS_H

#include "shard-specs/spec.h"
#include "solve/problem.h"

/* loc: of the spec's inputs. Raises SP_ERR_INPUT where this cannot be done. */
void sp_spec_addends(sp_ctx *ctx, sp_problem *problem, sp_loc loc);

#endif
