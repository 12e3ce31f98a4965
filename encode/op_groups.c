/* op_groups.c: which ranks talk to each other, as functions of the rank. */
#include "encode/op_groups.h"

#include <stdlib.h>
#include <string.h>

/* The common size of the groups. */
int64_t spi_group_size(const sp_groups *g) {
  return g->n_groups ? g->start[1] - g->start[0] : 0;
}

void spi_groups_check(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  const sp_groups *g = spi_attr_groups(node, "replica_groups");
  int64_t n = program->partitions;
  if (g->n_groups == 0) {
    spi_bad(ctx, node, "no device groups");
  }
  for (uint32_t k = 0; k < g->n_groups; k++) {
    if (g->start[k + 1] - g->start[k] != spi_group_size(g)) {
      spi_unknown(ctx, node, "its groups have different sizes (%lld and %lld)",
                  (long long)spi_group_size(g),
                  (long long)(g->start[k + 1] - g->start[k]));
    }
  }
  sp_mark mark = sp_scratch_mark(ctx);
  uint8_t *seen = sp_scratch(ctx, (size_t)n + 1);
  memset(seen, 0, (size_t)n + 1);
  for (uint32_t i = 0; i < g->start[g->n_groups]; i++) {
    int64_t id = g->ids[i];
    if (id < 0 || id >= n || seen[id]) {
      spi_bad(ctx, node, "device %lld is %s", (long long)id,
              id < 0 || id >= n ? "not there" : "in two groups");
    }
    seen[id] = 1;
  }
  if ((int64_t)g->start[g->n_groups] != n) {
    spi_bad(ctx, node, "%u of %lld devices are in a group",
            g->start[g->n_groups], (long long)n);
  }
  sp_scratch_release(ctx, mark);
}

static int by_id(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* sorted: the order inside groups does not matter; ascending fits best. */
spi_members spi_members_of(const sp_call *call, bool sorted) {
  sp_ctx *ctx = sp_pool_ctx(call->pool);
  const sp_groups *g = spi_attr_groups(call->node, "replica_groups");
  spi_members m = {.call = call,
                   .n = g->start[g->n_groups],
                   .w = spi_group_size(g),
                   .ids = g->ids};
  m.group = sp_scratch(ctx, (size_t)m.n * sizeof *m.group);
  m.position = sp_scratch(ctx, (size_t)m.n * sizeof *m.position);
  for (uint32_t k = 0; k < g->n_groups; k++) {
    for (int64_t i = 0; i < m.w; i++) {
      int64_t id = g->ids[g->start[k] + i];
      m.group[id] = k;
      m.position[id] = i;
    }
  }
  if (sorted) {
    int64_t *ids = sp_scratch(ctx, (size_t)m.n * sizeof *ids);
    memcpy(ids, g->ids, (size_t)m.n * sizeof *ids);
    for (uint32_t k = 0; k < g->n_groups; k++) {
      qsort(ids + g->start[k], (size_t)m.w, sizeof *ids, by_id);
    }
    m.ids = ids;
  }
  return m;
}

sp_expr spi_rank_table(sp_pool *p, const int64_t *v, int64_t n, sp_expr x) {
  return n == 1 ? sp_int(p, v[0]) : sp_table(p, v, n, x);
}

/* The device at position k of this rank's group. */
sp_expr spi_member(const spi_members *m, sp_expr k) {
  sp_pool *p = m->call->pool;
  sp_expr rank = spi_rank(m->call);
  if (m->w == 1) {
    return rank;
  }
  if (m->w == m->n) {
    return spi_rank_table(p, m->ids, m->n, k);
  }
  sp_expr g = spi_rank_table(p, m->group, m->n, rank);
  return spi_rank_table(p, m->ids, m->n, sp_iadd(p, sp_iscale(p, g, m->w), k));
}

sp_expr spi_position(const spi_members *m) {
  if (m->w == 1) {
    return sp_int(m->call->pool, 0);
  }
  return spi_rank_table(m->call->pool, m->position, m->n, spi_rank(m->call));
}
