/* merge_i.h: shared by merge.c (the ranks in lockstep) and merge_collective.c
 * (what a collective becomes). */
#ifndef SP_SHARD_SPECS_MERGE_I_H
#define SP_SHARD_SPECS_MERGE_I_H

#include "base/vec.h"
#include "shard-specs/merge.h"

typedef struct spi_members {
  const int64_t *ids; /* in group order */
  uint32_t n;
} spi_members;

typedef struct spi_merging {
  sp_ctx *ctx;
  uint32_t n;
  const sp_program *const *programs;
  size_t n_groups;
  const sp_named_group *groups;
  SP_VEC(sp_node) nodes;
  SP_VEC(sp_tensor) tensors;
  SP_VEC(uint32_t) params;
  uint32_t **to; /* by rank */
} spi_merging;

/* The same call of all members of a group. */
typedef struct spi_meeting {
  spi_members members;
  const sp_node **calls; /* by member */
} spi_meeting;

/* An operator that reads merged tensors, with one result. What it is called and
 * where it stands are those of a rank's node. */
uint32_t spi_merge_add(spi_merging *m, int64_t rank, const sp_node *like,
                       const sp_node *node, const sp_shape *shape);

/* Does the operator read other ranks' tensors? */
bool spi_merge_is_collective(const sp_node *node);
/* All members have come: says what their results are (m->to). */
void spi_merge_collective(spi_merging *m, const spi_meeting *x);

#endif
