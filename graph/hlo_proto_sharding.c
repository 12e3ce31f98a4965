/* hlo_proto_sharding.c: OpSharding and the four ways of writing device groups,
 * taken apart for the builders of hlo_notation.h. Read hlo_proto_shardings,
 * then hlo_proto_groups.
 *
 * A sharding is a hint for the relations, which are proved anyway, so one that
 * we do not understand becomes UNKNOWN. Groups decide what a collective
 * computes, so there nothing is let pass. */
#include "graph/hlo_proto.h"

#include <string.h>

/* Mesh and axis references, shared by shardings and groups. */

static int64_t *widen(hlo_proto_reader *r, const int32_t *v, size_t n) {
  int64_t *w = sp_alloc_n(r->ctx, n, sizeof *w);
  for (size_t i = 0; i < n; i++) {
    w[i] = v[i];
  }
  return w;
}

static uint32_t count32(hlo_proto_reader *r, size_t n) {
  if (n > HLO_MAX_DEVICES) {
    sp_raise(r->ctx, SP_ERR_LIMIT, r->loc, NULL,
             "a list of %zu mesh axes, dimensions or groups at %s is longer "
             "than %d",
             n, r->what, HLO_MAX_DEVICES);
  }
  return (uint32_t)n;
}

static hlo_mesh *mesh_make(hlo_proto_reader *r, const Hlo__Mesh *m) {
  hlo_mesh *mesh = sp_alloc(r->ctx, sizeof *mesh);
  if (!m) {
    return mesh;
  }
  mesh->n_axes = count32(r, m->n_axes);
  hlo_axis *axes = sp_alloc_n(r->ctx, m->n_axes, sizeof *axes);
  for (size_t i = 0; i < m->n_axes; i++) {
    const char *name = m->axes[i]->name ? m->axes[i]->name : "";
    axes[i].name = sp_intern(r->ctx, name, strlen(name));
    axes[i].size = m->axes[i]->size;
  }
  mesh->axes = axes;
  mesh->n_device_ids = m->n_device_ids;
  mesh->device_ids = m->device_ids;
  if (m->iota_transform) {
    const Hlo__IotaTransform *t = m->iota_transform;
    mesh->has_iota = t->n_reshape_dims > 0;
    mesh->iota = (hlo_iota){
        .n_reshape = count32(r, t->n_reshape_dims),
        .reshape = t->reshape_dims,
        .n_perm = count32(r, t->n_transpose_perm),
        .perm = t->transpose_perm,
    };
    if (t->n_transpose_perm && !mesh->has_iota) {
      hlo_proto_bad(r, NULL, "the mesh of %s permutes no dimensions", r->what);
    }
  }
  if (mesh->has_iota && mesh->n_device_ids) {
    hlo_proto_bad(r, NULL, "the mesh of %s orders its devices in two ways",
                  r->what);
  }
  return mesh;
}

static hlo_axes axes_make(hlo_proto_reader *r, size_t n,
                          Hlo__AxisRef *const *refs) {
  hlo_axis_ref *v = sp_alloc_n(r->ctx, n, sizeof *v);
  for (size_t i = 0; i < n; i++) {
    v[i].axis = refs[i]->mesh_axis_index;
    if (refs[i]->sub_axis_info) {
      v[i].is_sub = true;
      v[i].pre_size = refs[i]->sub_axis_info->pre_size;
      v[i].size = refs[i]->sub_axis_info->size;
    }
  }
  return (hlo_axes){count32(r, n), v};
}

/* ---- shardings ---- */

static const sp_sharding *unknown(hlo_proto_reader *r, const char *text) {
  return hlo_sharding_plain(r->ctx, r->notation, SP_SHARDING_UNKNOWN, text);
}

static const sp_sharding *named_make(hlo_proto_reader *r,
                                     const Hlo__NamedSharding *s) {
  hlo_axes *dims = sp_alloc_n(r->ctx, s->n_dim_shardings, sizeof *dims);
  for (size_t i = 0; i < s->n_dim_shardings; i++) {
    const Hlo__DimensionSharding *d = s->dim_shardings[i];
    dims[i] = axes_make(r, d->n_axes, d->axes);
  }
  hlo_named named = {
      .mesh = mesh_make(r, s->mesh),
      .n_dims = count32(r, s->n_dim_shardings),
      .dims = dims,
      .replicated = axes_make(r, s->n_replicated_axes, s->replicated_axes),
      .unreduced = axes_make(r, s->n_unreduced_axes, s->unreduced_axes),
      .manual = axes_make(r, s->n_manual_axes, s->manual_axes),
      .odd_reduction = s->reduction_op != 0,
  };
  return hlo_sharding_named(r->ctx, r->notation, &named, NULL, r->loc);
}

static hlo_tile_kind tile_kind(int type) {
  switch (type) {
  case HLO__OP_SHARDING__TYPE__REPLICATED:
    return HLO_TILE_REPLICATED;
  case HLO__OP_SHARDING__TYPE__MANUAL:
    return HLO_TILE_MANUAL;
  case HLO__OP_SHARDING__TYPE__UNREDUCED:
    return HLO_TILE_UNREDUCED;
  default:
    return HLO_TILE_OTHER;
  }
}

static const sp_sharding *tiles_make(hlo_proto_reader *r,
                                     const Hlo__OpSharding *s) {
  size_t n_last = s->n_last_tile_dims + (s->replicate_on_last_tile_dim ? 1 : 0);
  hlo_tile_kind *last = sp_alloc_n(r->ctx, n_last, sizeof *last);
  if (s->replicate_on_last_tile_dim) {
    last[0] = HLO_TILE_REPLICATED;
  }
  for (size_t i = 0; i < s->n_last_tile_dims; i++) {
    last[i] = tile_kind(s->last_tile_dims[i]);
  }
  hlo_tiles tiles = {
      .n_tiles = count32(r, s->n_tile_assignment_dimensions),
      .tiles = s->tile_assignment_dimensions,
      .n_last = count32(r, n_last),
      .last = last,
      .has_iota = s->n_iota_reshape_dims > 0,
      .n_devices = s->n_tile_assignment_devices,
      .devices = s->tile_assignment_devices,
  };
  tiles.iota = (hlo_iota){
      .n_reshape = count32(r, s->n_iota_reshape_dims),
      .reshape = s->iota_reshape_dims,
      .n_perm = count32(r, s->n_iota_transpose_perm),
      .perm = widen(r, s->iota_transpose_perm, s->n_iota_transpose_perm),
  };
  /* Both kinds of trailing dimensions, or both orders: XLA writes neither. */
  if ((s->replicate_on_last_tile_dim && s->n_last_tile_dims) ||
      (tiles.has_iota && tiles.n_devices)) {
    return unknown(r, "{contradictory tiling}");
  }
  return hlo_sharding_tiles(r->ctx, r->notation, &tiles, NULL, r->loc);
}

static const sp_sharding *sharding_make(hlo_proto_reader *r,
                                        const Hlo__OpSharding *s) {
  if (hlo_proto_unknown_field(&s->base)) {
    return unknown(r, sp_format(r->ctx, "{proto field %u}",
                                hlo_proto_unknown_field(&s->base)));
  }
  if (s->named_sharding) {
    return named_make(r, s->named_sharding);
  }
  switch (s->type) {
  case HLO__OP_SHARDING__TYPE__REPLICATED:
    return hlo_sharding_plain(r->ctx, r->notation, SP_SHARDING_REPLICATED,
                              "{replicated}");
  case HLO__OP_SHARDING__TYPE__MANUAL:
    return hlo_sharding_plain(r->ctx, r->notation, SP_SHARDING_MANUAL,
                              "{manual}");
  case HLO__OP_SHARDING__TYPE__UNKNOWN:
    return unknown(r, "{unknown}");
  case HLO__OP_SHARDING__TYPE__UNREDUCED:
    return unknown(r, "{unreduced}");
  case HLO__OP_SHARDING__TYPE__OTHER:
    return tiles_make(r, s);
  case HLO__OP_SHARDING__TYPE__MAXIMAL:
    if (s->n_tile_assignment_devices == 1) {
      return hlo_sharding_maximal(r->ctx, r->notation,
                                  s->tile_assignment_devices[0], NULL, r->loc);
    }
    break;
  case HLO__OP_SHARDING__TYPE__TUPLE:
  case _HLO__OP_SHARDING__TYPE_IS_INT_SIZE:
    break;
  }
  hlo_proto_bad(r, "the file is damaged; dump it again",
                "the sharding of %s is malformed", r->what);
}

const sp_sharding *const *hlo_proto_shardings(hlo_proto_reader *r,
                                              const Hlo__OpSharding *s,
                                              uint32_t *n) {
  bool tuple = !s->named_sharding && s->type == HLO__OP_SHARDING__TYPE__TUPLE;
  size_t leaves = tuple ? s->n_tuple_shardings : 1;
  if (leaves > UINT32_MAX) {
    hlo_proto_bad(r, NULL, "the sharding of %s is malformed", r->what);
  }
  const sp_sharding **v = sp_alloc_n(r->ctx, leaves, sizeof *v);
  for (size_t i = 0; i < leaves; i++) {
    v[i] = sharding_make(r, tuple ? s->tuple_shardings[i] : s);
  }
  *n = (uint32_t)leaves;
  return v;
}

/* ---- groups of collectives ---- */

static const sp_groups *lists_make(hlo_proto_reader *r, size_t n,
                                   Hlo__ReplicaGroup *const *groups) {
  uint32_t n_groups = count32(r, n);
  uint32_t *start = sp_alloc_n(r->ctx, n + 1, sizeof *start);
  size_t total = 0;
  for (size_t g = 0; g < n; g++) {
    total += groups[g]->n_replica_ids;
    start[g + 1] = count32(r, total);
  }
  int64_t *ids = sp_alloc_n(r->ctx, total, sizeof *ids);
  for (size_t g = 0; g < n; g++) {
    if (groups[g]->n_replica_ids) {
      memcpy(ids + start[g], groups[g]->replica_ids,
             groups[g]->n_replica_ids * sizeof *ids);
    }
  }
  return hlo_groups_lists(r->ctx, r->notation, n_groups, start, ids, r->loc);
}

static const sp_groups *iota_make(hlo_proto_reader *r,
                                  const Hlo__IotaGroups *g) {
  hlo_iota iota = {
      .n_reshape = count32(r, g->n_iota_reshape_dims),
      .reshape = g->iota_reshape_dims,
      .n_perm = count32(r, g->n_iota_transpose_perm),
      .perm = widen(r, g->iota_transpose_perm, g->n_iota_transpose_perm),
  };
  return hlo_groups_iota(r->ctx, r->notation, g->num_replica_groups,
                         g->num_devices_per_group, &iota, r->loc);
}

static bool groups_equal(const sp_groups *a, const sp_groups *b) {
  if (a == b) {
    return true;
  }
  if (a->n_groups != b->n_groups ||
      memcmp(a->start, b->start, (a->n_groups + 1) * sizeof *a->start) != 0) {
    return false;
  }
  size_t n = a->start[a->n_groups];
  return !n || memcmp(a->ids, b->ids, n * sizeof *a->ids) == 0;
}

/* Some versions write the groups twice, in the old field and in a new one. */
static void groups_merge(hlo_proto_reader *r, const sp_groups **have,
                         const sp_groups *more) {
  if (*have && !groups_equal(*have, more)) {
    hlo_proto_bad(r, "the file is damaged; dump it again",
                  "%s lists two different sets of device groups", r->what);
  }
  *have = more;
}

const sp_groups *hlo_proto_groups(hlo_proto_reader *r,
                                  const Hlo__Instruction *in) {
  const sp_groups *g = NULL;
  if (in->n_replica_groups) {
    groups_merge(r, &g,
                 lists_make(r, in->n_replica_groups, in->replica_groups));
  }
  const Hlo__CollectiveDeviceList *list = in->collective_device_list;
  if (list && list->n_replica_groups) {
    groups_merge(r, &g,
                 lists_make(r, list->n_replica_groups, list->replica_groups));
  }
  if (list && list->iota_replica_group_list) {
    groups_merge(r, &g, iota_make(r, list->iota_replica_group_list));
  }
  if (in->iota_collective_device_list) {
    groups_merge(r, &g, iota_make(r, in->iota_collective_device_list));
  }
  const Hlo__MeshGroups *m = in->mesh_axes_replica_group_list;
  if (m) {
    const hlo_mesh *mesh = mesh_make(r, m->mesh);
    groups_merge(r, &g,
                 hlo_groups_mesh(r->ctx, r->notation, mesh,
                                 axes_make(r, m->n_axes, m->axes), r->loc));
  }
  return g;
}
