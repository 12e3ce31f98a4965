/* hlo_groups.c: replica groups, from each notation, and what they mean. The
 * last function, hlo_groups_resolve, is where ids become devices. */
#include "graph/hlo_notation_i.h"

#include <stdio.h>
#include <string.h>

static const sp_groups *groups_new(sp_ctx *ctx, uint32_t n_groups,
                                   const uint32_t *start, const int64_t *ids) {
  sp_groups *g = sp_alloc(ctx, sizeof *g);
  g->n_groups = n_groups;
  g->start = start;
  g->ids = ids;
  return g;
}

static const sp_groups *groups_equal(sp_ctx *ctx, int64_t n_groups,
                                     int64_t size, const int64_t *ids) {
  uint32_t *start = sp_alloc_n(ctx, (size_t)n_groups + 1, sizeof *start);
  for (int64_t i = 0; i <= n_groups; i++) {
    start[i] = (uint32_t)(i * size);
  }
  return groups_new(ctx, (uint32_t)n_groups, start, ids);
}

const sp_groups *hlo_groups_lists(sp_ctx *ctx, hlo_notation *nt,
                                  uint32_t n_groups, const uint32_t *start,
                                  const int64_t *ids, sp_loc loc) {
  uint32_t total = n_groups ? start[n_groups] : 0;
  sp_str key = {0};
  sp_str_add(ctx, &key, "groups");
  if (n_groups) {
    sp_str_addn(ctx, &key, (const char *)start, (n_groups + 1) * sizeof *start);
    sp_str_addn(ctx, &key, (const char *)ids, total * sizeof *ids);
  }
  const char *name = sp_intern(ctx, key.v, key.n);
  const sp_groups *g = spi_notation_get(nt, name);
  if (g) {
    return g;
  }
  spi_devices_check(ctx, total, ids, 0, loc);
  for (uint32_t i = 0; i < n_groups; i++) {
    if (start[i + 1] <= start[i]) {
      sp_raise(ctx, SP_ERR_INPUT, loc, NULL, "group %u is empty", i);
    }
  }
  uint32_t *my_start = sp_alloc_n(ctx, (size_t)n_groups + 1, sizeof *my_start);
  int64_t *my_ids = sp_alloc_n(ctx, total, sizeof *my_ids);
  if (n_groups) {
    memcpy(my_start, start, (n_groups + 1) * sizeof *start);
    memcpy(my_ids, ids, total * sizeof *ids);
  }
  g = groups_new(ctx, n_groups, my_start, my_ids);
  spi_notation_put(ctx, nt, name, g);
  return g;
}

const sp_groups *hlo_groups_iota(sp_ctx *ctx, hlo_notation *nt,
                                 int64_t n_groups, int64_t size,
                                 const hlo_iota *iota, sp_loc loc) {
  sp_str key = {0};
  sp_str_addf(ctx, &key, "groups [%lld,%lld]<=", (long long)n_groups,
              (long long)size);
  spi_text_iota(ctx, &key, iota);
  const char *name = sp_intern(ctx, key.v, key.n);
  const sp_groups *g = spi_notation_get(nt, name);
  if (!g) {
    int64_t dims[2] = {n_groups, size};
    int64_t total = spi_device_product(ctx, 2, dims, "[groups,size]", loc);
    const int64_t *ids = spi_devices_iota(ctx, iota, total, loc);
    g = groups_equal(ctx, n_groups, size, ids);
    spi_notation_put(ctx, nt, name, g);
  }
  return g;
}

const sp_groups *hlo_groups_mesh(sp_ctx *ctx, hlo_notation *nt,
                                 const hlo_mesh *mesh, hlo_axes axes,
                                 sp_loc loc) {
  sp_str key = {0};
  sp_str_add(ctx, &key, "groups ");
  spi_text_mesh(ctx, &key, mesh);
  spi_text_axes(ctx, &key, mesh, &axes);
  const char *name = sp_intern(ctx, key.v, key.n);
  const sp_groups *g = spi_notation_get(nt, name);
  if (g) {
    return g;
  }
  hlo_notation any = {0}; /* the ids need not be partitions */
  hlo_pieces p;
  spi_mesh_cut(ctx, &any, mesh, &axes, 1, &p, loc);
  uint32_t order[HLO_MAX_AXES], inner[HLO_MAX_AXES], n_inner = 0, at = 0;
  int64_t size = spi_mesh_take(ctx, mesh, &p, &axes, inner, &n_inner, loc);
  int64_t n_groups = spi_mesh_rest(&p, order, &at);
  memcpy(&order[at], inner, n_inner * sizeof *inner);
  int64_t *ids = sp_alloc_n(ctx, (size_t)p.total, sizeof *ids);
  spi_mesh_devices(&p, order, ids);
  g = groups_equal(ctx, n_groups, size, ids);
  spi_notation_put(ctx, nt, name, g);
  return g;
}

static void groups_cover(sp_ctx *ctx, const sp_groups *g, int64_t n,
                         sp_loc loc) {
  int64_t total = g->start[g->n_groups];
  spi_devices_check(ctx, (size_t)total, g->ids, n, loc);
  /* Each at most once and in range, so counting is covering. */
  if (total != n) {
    sp_raise(ctx, SP_ERR_INPUT, loc,
             "every device must be in exactly one group; compare "
             "replica_groups with num_partitions",
             "the groups do not cover the devices: %lld of %lld",
             (long long)total, (long long)n);
  }
}

static const sp_groups *groups_iota(sp_ctx *ctx, int64_t n_groups,
                                    int64_t size) {
  int64_t *ids = sp_alloc_n(ctx, (size_t)(n_groups * size), sizeof *ids);
  for (int64_t i = 0; i < n_groups * size; i++) {
    ids[i] = i;
  }
  return groups_equal(ctx, n_groups, size, ids);
}

const sp_groups *hlo_groups_resolve(sp_ctx *ctx, hlo_notation *nt,
                                    const sp_groups *raw, hlo_group_mode mode,
                                    int64_t replicas, int64_t partitions,
                                    sp_loc loc) {
  char text[96];
  int n_text =
      snprintf(text, sizeof text, "resolve %p %d %lld %lld", (const void *)raw,
               (int)mode, (long long)replicas, (long long)partitions);
  const char *key = sp_intern(ctx, text, (size_t)n_text);
  const sp_groups *g = spi_notation_get(nt, key);
  if (g) {
    return g;
  }
  int64_t devices = replicas * partitions;
  bool by_replica = mode == HLO_GROUPS_REPLICAS || mode == HLO_GROUPS_BOTH;
  int64_t range = by_replica                      ? replicas
                  : mode == HLO_GROUPS_PARTITIONS ? partitions
                                                  : devices;
  if (!raw || raw->n_groups == 0) {
    raw = groups_iota(ctx, 1, range);
  }
  groups_cover(ctx, raw, range, loc);
  if (range == devices) {
    g = raw;
  } else { /* range is 1: the only id stands for all devices or for each */
    bool all = mode == HLO_GROUPS_BOTH;
    g = groups_iota(ctx, all ? 1 : devices, all ? devices : 1);
  }
  spi_notation_put(ctx, nt, key, g);
  return g;
}
