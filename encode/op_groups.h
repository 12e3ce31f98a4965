/* op_groups.h: the attribute replica_groups of collectives, as functions of
 * ranks: groups of equal size, each device in exactly one. With w members a
 * group, the member at position k of group g is member(g, k), and a rank knows
 * its group and its position in it: functions given as tables, which the pool
 * fits to arithmetic (sp_table).
 */
#ifndef SP_ENCODE_OP_GROUPS_H
#define SP_ENCODE_OP_GROUPS_H

#include "encode/op_util.h"

/* The common size of the groups. */
int64_t spi_group_size(const sp_groups *g);
/* Refuses groups of different sizes, devices in no group or in two. */
void spi_groups_check(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node);

/* Groups of a call as functions of ranks; in scratch memory. */
typedef struct spi_members {
  const sp_call *call;
  int64_t n, w;       /* devices, devices in a group */
  const int64_t *ids; /* group by group */
  int64_t *group, *position;
} spi_members;

/* sorted: the order inside groups does not matter; ascending fits best. */
spi_members spi_members_of(const sp_call *call, bool sorted);
/* The device at position k of this rank's group. */
sp_expr spi_member(const spi_members *m, sp_expr k);
/* This rank's position in its group. */
sp_expr spi_position(const spi_members *m);
/* v[x], x in [0, n) */
sp_expr spi_rank_table(sp_pool *p, const int64_t *v, int64_t n, sp_expr x);

#endif
