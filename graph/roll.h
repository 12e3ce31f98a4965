/* roll.h: one program in the rank from the programs of all ranks.
 *
 * CONTRACT. The programs of ranks 0 .. n-1 must be equal node by node but for
 * numbers in attributes, names and source positions; numbers that differ
 * become RANKED attributes, process groups (given by name) become GROUPS
 * attributes "replica_groups" on the nodes that name them. Where programs differ in more,
 * sp_roll returns NULL and *why says where first (file and line of two ranks):
 * then ranks have to be related one by one. Shapes must agree on all ranks.
 */
#ifndef SP_GRAPH_ROLL_H
#define SP_GRAPH_ROLL_H

#include "graph/program.h"

/* A process group name as the programs use it, and the groups that it means:
 * every rank in exactly one, members in group order. */
typedef struct sp_named_group {
  const char *name;
  const sp_groups *groups;
} sp_named_group;

const sp_program *sp_roll(sp_ctx *ctx, uint32_t n,
                          const sp_program *const *programs, size_t n_groups,
                          const sp_named_group *groups, const char **why);

#endif
