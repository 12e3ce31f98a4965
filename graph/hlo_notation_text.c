/* hlo_notation_text.c: shardings printed as XLA prints them, for those that
 * come from a proto. The text is also the cache key, so it leaves nothing
 * out. */
#include "graph/hlo_notation_i.h"

static void text_ints(sp_ctx *ctx, sp_str *s, size_t n, const int64_t *v) {
  for (size_t i = 0; i < n; i++) {
    sp_str_addf(ctx, s, "%s%lld", i ? "," : "", (long long)v[i]);
  }
}

void spi_text_iota(sp_ctx *ctx, sp_str *s, const hlo_iota *iota) {
  sp_str_add(ctx, s, "[");
  text_ints(ctx, s, iota->n_reshape, iota->reshape);
  sp_str_add(ctx, s, "]");
  if (iota->n_perm) {
    sp_str_add(ctx, s, "T(");
    text_ints(ctx, s, iota->n_perm, iota->perm);
    sp_str_add(ctx, s, ")");
  }
}

const char *spi_text_tiles(sp_ctx *ctx, const hlo_tiles *t) {
  static const char *const kinds[] = {"replicated", "manual", "unreduced",
                                      "other"};
  sp_str s = {0};
  sp_str_add(ctx, &s, "{devices=[");
  text_ints(ctx, &s, t->n_tiles, t->tiles);
  sp_str_add(ctx, &s, "]");
  if (t->has_iota) {
    sp_str_add(ctx, &s, "<=");
    spi_text_iota(ctx, &s, &t->iota);
  } else {
    text_ints(ctx, &s, t->n_devices, t->devices);
  }
  if (t->n_last == 1 && t->last[0] == HLO_TILE_REPLICATED) {
    sp_str_add(ctx, &s, " last_tile_dim_replicate");
  } else if (t->n_last) {
    sp_str_add(ctx, &s, " last_tile_dims={");
    for (uint32_t i = 0; i < t->n_last; i++) {
      sp_str_addf(ctx, &s, "%s%s", i ? ", " : "", kinds[t->last[i]]);
    }
    sp_str_add(ctx, &s, "}");
  }
  sp_str_add(ctx, &s, "}");
  return s.v;
}

void spi_text_mesh(sp_ctx *ctx, sp_str *s, const hlo_mesh *mesh) {
  sp_str_add(ctx, s, "mesh[");
  for (uint32_t i = 0; i < mesh->n_axes; i++) {
    sp_str_addf(ctx, s, "%s'%s'=%lld", i ? "," : "",
                mesh->axes[i].name ? mesh->axes[i].name : "",
                (long long)mesh->axes[i].size);
  }
  sp_str_add(ctx, s, "]");
  if (mesh->has_iota || mesh->n_device_ids) {
    sp_str_add(ctx, s, ", device_ids=(");
    if (mesh->has_iota) {
      spi_text_iota(ctx, s, &mesh->iota);
    } else {
      text_ints(ctx, s, mesh->n_device_ids, mesh->device_ids);
    }
    sp_str_add(ctx, s, ")");
  }
}

void spi_text_axes(sp_ctx *ctx, sp_str *s, const hlo_mesh *mesh,
                   const hlo_axes *axes) {
  sp_str_add(ctx, s, "{");
  for (uint32_t i = 0; i < axes->n; i++) {
    const hlo_axis_ref *r = &axes->v[i];
    bool known = r->axis >= 0 && r->axis < mesh->n_axes;
    const char *name = known ? mesh->axes[r->axis].name : NULL;
    if (name) {
      sp_str_addf(ctx, s, "%s'%s'", i ? ", " : "", name);
    } else {
      sp_str_addf(ctx, s, "%s%lld", i ? ", " : "", (long long)r->axis);
    }
    if (r->is_sub) {
      sp_str_addf(ctx, s, ":(%lld)%lld", (long long)r->pre_size,
                  (long long)r->size);
    }
  }
  sp_str_add(ctx, s, "}");
}

static void text_extra(sp_ctx *ctx, sp_str *s, const hlo_mesh *mesh,
                       const char *name, const hlo_axes *axes) {
  if (axes->n) {
    sp_str_addf(ctx, s, ", %s=", name);
    spi_text_axes(ctx, s, mesh, axes);
  }
}

const char *spi_text_named(sp_ctx *ctx, const hlo_named *nm) {
  sp_str s = {0};
  sp_str_add(ctx, &s, "{");
  spi_text_mesh(ctx, &s, nm->mesh);
  sp_str_add(ctx, &s, ", [");
  for (uint32_t d = 0; d < nm->n_dims; d++) {
    sp_str_add(ctx, &s, d ? ", " : "");
    spi_text_axes(ctx, &s, nm->mesh, &nm->dims[d]);
  }
  sp_str_add(ctx, &s, "]");
  text_extra(ctx, &s, nm->mesh, "replicated", &nm->replicated);
  text_extra(ctx, &s, nm->mesh, "unreduced", &nm->unreduced);
  text_extra(ctx, &s, nm->mesh, "manual", &nm->manual);
  sp_str_add(ctx, &s, nm->odd_reduction ? ", not a sum}" : "}");
  return s.v;
}
