/* roll.h: one program in the rank from the programs of all ranks.
 *
 * CONTRACT. The programs of ranks 0 .. n-1 must be equal node by node but for
 * numbers in attributes, names, devices and source positions; numbers that
 * differ become RANKED attributes. Where programs differ in more, sp_roll
 * returns NULL and *why says where first (file and line of two ranks): then
 * ranks have to be related one by one. Shapes must agree on all ranks.
 *
 * Process groups, given by name, become the GROUPS attribute "replica_groups"
 * in place of the attribute that named them, also where n is 1. Ranks may use
 * different names on the same node: each rank's group is the one that holds it
 * among those of the name that it uses. SP_ERR_INPUT where a name is not
 * listed, where no group of it holds the rank, and where the ranks of a group
 * do not agree about it. Which operators name groups: sp_roll_names_group.
 *
 * Where ranks take different pieces of a split, chunk or unbind, all of these
 * become one aten.slice.Tensor or aten.select.int for each piece in use.
 *
 * The result has partitions n; names and positions are those of rank 0, and it
 * shares memory with the programs.
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

/* Does this attribute of the node name a process group? */
bool sp_roll_names_group(const sp_node *node, const sp_attr *attr);
/* Does the program call on a process group of that name? A group may have
 * another name on another rank, but not where both ranks know both names: then
 * these are two groups, of which the calls do not meet. */
bool sp_roll_uses_group(const sp_program *p, const char *name);

const sp_program *sp_roll(sp_ctx *ctx, uint32_t n,
                          const sp_program *const *programs, size_t n_groups,
                          const sp_named_group *groups, const char **why);

#endif
