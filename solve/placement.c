/* placement.c: shardings as index maps, and index maps as placements. */
#include "solve/state.h"

#include "base/vec.h"

/* Coordinate of the rank's tile along dimension d, as a term of the rank. */
static sp_expr tile_coordinate(sp_state *s, const sp_sharding *sh, uint32_t d,
                               sp_loc loc, const char *name) {
  int64_t parts = s->dist_program->partitions;
  sp_mark mark = sp_scratch_mark(s->ctx);
  int64_t *coordinate = sp_scratch(s->ctx, (size_t)parts * sizeof *coordinate);
  for (int64_t i = 0; i < parts; i++) {
    coordinate[i] = -1;
  }
  int64_t below = 1; /* tiles of later dimensions */
  for (uint32_t k = d + 1; k < sh->n_dims; k++) {
    below *= sh->tiles[k];
  }
  for (int64_t i = 0; i < sh->n_devices; i++) {
    int64_t device = sh->devices[i];
    if (device < 0 || device >= parts) {
      sp_raise(s->ctx, SP_ERR_INPUT, loc,
               "the two modules must come from one compilation",
               "the sharding %s of %s names device %lld, but the partitioned "
               "module has %lld partitions",
               sh->text ? sh->text : "", name, (long long)device,
               (long long)parts);
    }
    coordinate[device] = i / sh->copies / below % sh->tiles[d];
  }
  for (int64_t i = 0; i < parts; i++) {
    if (coordinate[i] < 0) {
      sp_raise(s->ctx, SP_ERR_INPUT, loc,
               "the two modules must come from one compilation",
               "the sharding %s of %s covers %lld devices, but the partitioned "
               "module has %lld partitions",
               sh->text ? sh->text : "", name, (long long)sh->n_devices,
               (long long)parts);
    }
  }
  sp_expr e = sp_table(s->pool, coordinate, parts, s->rank);
  sp_scratch_release(s->ctx, mark);
  return e;
}

static void remember_cut(sp_state *s, int64_t n, sp_expr coordinate) {
  for (size_t i = 0; i < s->cuts.n; i++) {
    if (s->cuts.v[i].n == n && s->cuts.v[i].coordinate.v == coordinate.v) {
      return;
    }
  }
  sp_push(s->ctx, &s->cuts, ((spi_cut){n, coordinate}));
}

static noreturn void shapes_differ(sp_state *s, const sp_shape *global,
                                   const sp_shape *local, sp_loc loc,
                                   const char *name, const char *what) {
  sp_raise(s->ctx, SP_ERR_INPUT, loc,
           "take the dump right before the partitioner, after sharding "
           "propagation, and the one right after it",
           "%s is %s in the sequential program and %s in the partitioned one, "
           "which does not fit %s",
           name, sp_shape_text(s->ctx, global), sp_shape_text(s->ctx, local),
           what);
}

bool spi_sharding_map(sp_state *s, const sp_sharding *sh,
                      const sp_shape *global, const sp_shape *local,
                      sp_loc loc, const char *name, const sp_expr *j,
                      sp_expr *out, sp_expr *guard) {
  sp_pool *p = s->pool;
  *guard = sp_bool(p, true);
  bool replicated = !sh || sh->kind == SP_SHARDING_REPLICATED;
  const char *what = sh && sh->text ? sh->text : "a replicated layout";
  if (global->n_dims != local->n_dims || global->dtype != local->dtype) {
    shapes_differ(s, global, local, loc, name, what);
  }
  if (!replicated && sh->kind == SP_SHARDING_MAXIMAL &&
      s->dist_program->partitions == 1) {
    replicated = true;
  }
  if (!replicated && (sh->kind != SP_SHARDING_TILED || sh->partial)) {
    return false;
  }
  if (!replicated && sh->n_dims != global->n_dims) {
    shapes_differ(s, global, local, loc, name, what);
  }
  for (uint32_t d = 0; d < global->n_dims; d++) {
    int64_t tiles = replicated ? 1 : sh->tiles[d];
    int64_t size = global->dims[d], block = local->dims[d];
    if (tiles < 1 || block != (size + tiles - 1) / tiles) {
      shapes_differ(s, global, local, loc, name, what);
    }
    out[d] = j[d];
    if (tiles > 1) {
      sp_expr c = tile_coordinate(s, sh, d, loc, name);
      out[d] = sp_iadd(p, j[d], sp_iscale(p, c, block));
      remember_cut(s, tiles, c);
    }
    if (block * tiles > size) {
      *guard = sp_and(p, *guard, sp_lt(p, out[d], sp_int(p, size)));
    }
  }
  return true;
}

const char *spi_sharding_text(sp_state *s, const sp_sharding *sh) {
  if (!sh || sh->kind == SP_SHARDING_REPLICATED) {
    return "Replicate";
  }
  if (sh->kind != SP_SHARDING_TILED) {
    return sh->text ? sh->text : "unknown";
  }
  sp_str text = {0};
  for (uint32_t d = 0; d < sh->n_dims; d++) {
    if (sh->tiles[d] > 1) {
      sp_str_addf(s->ctx, &text, "%sShard(%u) in %lld", text.n ? ", " : "", d,
                  (long long)sh->tiles[d]);
    }
  }
  if (sh->partial) {
    sp_str_addf(s->ctx, &text, "%sPartial(sum)", text.n ? ", " : "");
  }
  return text.n ? text.v : "Replicate";
}

/* phi as j + block * coordinate(rank)? Writes the placement of dimension d. */
static bool add_placement(sp_state *s, sp_str *text, uint32_t d, sp_expr phi,
                          sp_expr j, int64_t size, int64_t block) {
  sp_pool *p = s->pool;
  if (phi.v == j.v) {
    return size == block;
  }
  sp_expr offset = sp_isub(p, phi, j);
  const sp_expr *vars;
  uint32_t n = sp_free_vars(p, offset, &vars);
  if (n != 1 || vars[0].v != s->rank.v || block == 0 ||
      !sp_is_int(p, sp_imod(p, offset, block), 0)) {
    return false;
  }
  sp_str_addf(s->ctx, text, "%sShard(%u) in %lld by %s", text->n ? ", " : "",
              d, (long long)((size + block - 1) / block),
              sp_show(p, sp_idiv(p, offset, block)));
  return true;
}

const char *spi_relation_text(sp_state *s, uint32_t t) {
  const dist_tensor *w = &s->dist[t];
  if (!w->relation.v) {
    return NULL;
  }
  sp_pool *p = s->pool;
  sp_expr e = w->relation;
  const char *padding = "";
  if (sp_kind_of(p, e) == SP_KIND_ITE) {
    /* padding: one branch reads the tensor's own junk */
    for (uint32_t k = 1; k <= 2; k++) {
      sp_expr x = sp_arg(p, e, k), y = sp_arg(p, e, 3 - k);
      if (sp_kind_of(p, y) == SP_KIND_READ &&
          sp_read_sym(p, y).v == w->sym.v) {
        e = x;
        padding = ", padded";
        break;
      }
    }
  }
  const sp_shape *local = &s->dist_program->tensors[t].shape;
  if (sp_kind_of(p, e) == SP_KIND_READ &&
      sp_n_args(p, e) == local->n_dims) {
    sp_sym sym = sp_read_sym(p, e);
    sp_str text = {0};
    bool ok = true;
    for (uint32_t d = 0; d < local->n_dims && ok; d++) {
      ok = add_placement(s, &text, d, sp_arg(p, e, d), w->idx[d],
                         sp_sym_extents(p, sym)[d], local->dims[d]);
    }
    if (ok) {
      return sp_format(s->ctx, "%s: %s%s", sp_sym_name(p, sym),
                       text.n ? text.v : "Replicate", padding);
    }
  }
  return sp_show(p, w->relation);
}
