/* groups.h: process groups of one side of a spec, for sp_roll.
 *
 * CONTRACT. Groups that the spec lists are resolved over the mesh. A group that
 * it does not list is worked out where the programs say its size and one choice
 * of axes has it (told in notes); else it is an error. A size that a program
 * says and the spec contradicts is an error.
 */
#ifndef SP_SPECS_GROUPS_H
#define SP_SPECS_GROUPS_H

#include "graph/roll.h"
#include "shard-specs/problem.h"

const sp_named_group *sp_spec_groups(sp_ctx *ctx, const sp_spec *spec,
                                     bool sequential, uint32_t n_programs,
                                     const sp_program *const *programs,
                                     sp_spec_notes *notes, size_t *n);

/* A group as programs name it, and the size they say (0: none does). */
typedef struct sp_group_use {
  const char *name;
  int64_t size;
  const sp_node *node;
} sp_group_use;
typedef SP_VEC(sp_group_use) sp_group_uses;
void sp_group_uses_of(sp_ctx *ctx, const sp_program *p, sp_group_uses *out);

/* Replica groups of HLO must be of this many ranks. */
void sp_spec_check_devices(sp_ctx *ctx, const sp_spec *spec,
                           const sp_program *p);

#endif
