/* same.h: are two nodes the same operator with the same attributes?
 *
 * CONTRACT. Exact: what is the same computes the same of equal operands, save
 * operators that look at more (sp_op.by_name, sp_op_same). Not looked at are
 * names, places, the device that a rank computes on, and channel ids, which
 * only say which calls meet: the groups of a collective are an attribute of
 * their own. Numbers are compared by bits: NaN is NaN, 0 is not -0. Regions
 * nested too deep count as different.
 */
#ifndef SP_GRAPH_SAME_H
#define SP_GRAPH_SAME_H

#include "graph/program.h"

bool sp_attr_same(const sp_attr *a, const sp_attr *b);
/* Each may be NULL. The text does not count. */
bool sp_sharding_same(const sp_sharding *a, const sp_sharding *b);
/* Operator and all attributes. */
bool sp_node_same(const sp_node *a, const sp_node *b);
/* The same for nodes that are. */
uint64_t sp_node_hash(const sp_node *node);
/* All but the attributes, operands and results by number: NULL when the same,
 * else what differs, for people. */
const char *sp_node_difference(const sp_program *p, const sp_node *a,
                               const sp_program *q, const sp_node *b);
/* Parameters and results, by number. */
bool sp_ends_same(const sp_program *p, const sp_program *q);

#endif
