/* placement.c: shardings as index maps, and index maps as placements. */
#include "solve/state.h"

#include "base/vec.h"

static void remember_cut(sp_state *s, int64_t n, sp_expr coordinate) {
  for (size_t i = 0; i < s->cuts.n; i++) {
    if (s->cuts.v[i].n == n && s->cuts.v[i].coordinate.v == coordinate.v) {
      return;
    }
  }
  sp_push(s->ctx, &s->cuts, ((spi_cut){n, coordinate}));
}

/* Sequential index of local index j along a dimension. */
static sp_expr run_index(sp_state *s, const sp_layout *l,
                         const sp_layout_dim *dim, sp_expr j) {
  sp_pool *p = s->pool;
  sp_expr out = {0};
  int64_t offset = 0;
  for (uint32_t k = 0; k < dim->n_runs; k++) {
    offset += dim->runs[k].size;
  }
  for (uint32_t k = dim->n_runs; k-- > 0;) {
    const sp_run *run = &dim->runs[k];
    sp_expr start = sp_table(p, run->start, l->ranks, s->rank);
    int64_t end = offset;
    offset -= run->size;
    sp_expr here = sp_iaddc(p, sp_iadd(p, start, j), -offset);
    out = out.v ? sp_ite(p, sp_lt(p, j, sp_int(p, end)), here, out) : here;
  }
  return out;
}

static bool reaches_beyond(const sp_layout *l, const sp_layout_dim *dim,
                           int64_t size) {
  for (uint32_t k = 0; k < dim->n_runs; k++) {
    for (int64_t r = 0; r < l->ranks; r++) {
      if (dim->runs[k].start[r] + dim->runs[k].size > size) {
        return true;
      }
    }
  }
  return false;
}

void spi_layout_map(sp_state *s, const sp_layout *l, const sp_shape *global,
                    const sp_expr *j, sp_expr *out, sp_expr *guard) {
  sp_pool *p = s->pool;
  *guard = sp_bool(p, true);
  for (uint32_t d = 0; d < l->n_dims; d++) {
    const sp_layout_dim *dim = &l->dims[d];
    int64_t size = global->dims[d];
    out[d] = dim->n_runs ? run_index(s, l, dim, j[d]) : j[d];
    if (reaches_beyond(l, dim, size)) {
      *guard = sp_and(p, *guard, sp_lt(p, out[d], sp_int(p, size)));
    }
    int64_t block = dim->n_runs == 1 ? dim->runs[0].size : 0;
    sp_expr start = sp_isub(p, out[d], j[d]);
    if (block > 0 && sp_kind_of(p, start) != SP_KIND_INT &&
        sp_is_int(p, sp_imod(p, start, block), 0)) {
      remember_cut(s, (size + block - 1) / block, sp_idiv(p, start, block));
    }
  }
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

bool spi_sharding_fits(const sp_sharding *sh, const sp_shape *global,
                       const sp_shape *local, int64_t ranks) {
  bool whole = sh->kind == SP_SHARDING_REPLICATED;
  if (global->n_dims != local->n_dims || global->dtype != local->dtype ||
      (!whole && (sh->kind != SP_SHARDING_TILED || sh->partial ||
                  sh->n_dims != global->n_dims || sh->n_devices != ranks))) {
    return false;
  }
  for (uint32_t d = 0; d < global->n_dims; d++) {
    int64_t tiles = whole ? 1 : sh->tiles[d];
    if (local->dims[d] != (global->dims[d] + tiles - 1) / tiles) {
      return false;
    }
  }
  return true;
}
