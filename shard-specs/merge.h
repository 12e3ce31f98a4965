/* merge.h: the programs of ranks that differ, side by side in one program.
 *
 * CONTRACT. Where sp_roll cannot make one program in the rank of them (pipeline
 * stages, shards of different sizes), the ranks are related one by one: the
 * merged program runs on one device, has all tensors of all ranks ("mm on rank
 * 2"), and its collectives are ordinary operators that read the tensors of
 * several ranks. Call k of a rank on a process group meets call k of the
 * others. Raises SP_ERR_INPUT where they call different collectives, or wait
 * for each other; SP_ERR_UNKNOWN for a collective that has no meaning here.
 */
#ifndef SP_SHARD_SPECS_MERGE_H
#define SP_SHARD_SPECS_MERGE_H

#include "graph/roll.h"

typedef struct sp_merged {
  const sp_program *program;
  const uint32_t *const *to; /* by rank: tensor -> tensor of the merged one, or
                                SP_NO_TENSOR: nothing holds it */
} sp_merged;

sp_merged sp_merge_ranks(sp_ctx *ctx, uint32_t n,
                         const sp_program *const *programs, size_t n_groups,
                         const sp_named_group *groups);

#endif
