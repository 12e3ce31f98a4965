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

void spi_learn_offset(sp_state *s, uint32_t t, uint32_t d, sp_expr phi,
                      int64_t size) {
  const sp_tensor *w = &s->dist_program->tensors[t];
  sp_expr at = sp_isub(s->pool, phi, s->dist[t].idx[d]);
  if (w->on == 0 || sp_kind_of(s->pool, at) != SP_KIND_INT ||
      w->shape.dims[d] >= size) {
    return;
  }
  spi_offset x = {w->on, size, w->shape.dims[d], sp_int_value(s->pool, at)};
  for (size_t i = 0; i < s->offsets.n; i++) {
    const spi_offset *o = &s->offsets.v[i];
    if (o->on == x.on && o->size == size && o->block == x.block &&
        o->at == x.at) {
      return;
    }
  }
  sp_push(s->ctx, &s->offsets, x);
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

/* phi as j + block * coordinate(rank)? */
static bool find_cut(sp_state *s, sp_expr phi, sp_expr j, int64_t size,
                     int64_t block, spi_cut *cut) {
  sp_pool *p = s->pool;
  if (phi.v == j.v) {
    *cut = (spi_cut){1, {0}};
    return size == block;
  }
  sp_expr offset = block == 1 ? phi : sp_isub(p, phi, j); /* j is 0 */
  const sp_expr *vars;
  uint32_t n = sp_free_vars(p, offset, &vars);
  if (n != 1 || vars[0].v != s->rank.v || block == 0 ||
      !sp_is_int(p, sp_imod(p, offset, block), 0)) {
    return false;
  }
  *cut = (spi_cut){(size + block - 1) / block, sp_idiv(p, offset, block)};
  return true;
}

sp_expr spi_without_padding(const sp_state *s, uint32_t t) {
  const dist_tensor *w = &s->dist[t];
  const sp_pool *p = s->pool;
  sp_expr e = w->relation;
  if (!e.v || sp_kind_of(p, e) != SP_KIND_ITE) {
    return e;
  }
  for (uint32_t k = 1; k <= 2; k++) {
    sp_expr x = sp_arg(p, e, k), y = sp_arg(p, e, 3 - k);
    if (sp_kind_of(p, y) == SP_KIND_READ && sp_read_sym(p, y).v == w->sym.v) {
      return x;
    }
  }
  return e;
}

bool spi_placement_of(sp_state *s, uint32_t t, sp_sym *of, spi_cut *cuts) {
  sp_pool *p = s->pool;
  const sp_shape *local = &s->dist_program->tensors[t].shape;
  sp_expr e = spi_without_padding(s, t);
  if (!e.v || sp_kind_of(p, e) != SP_KIND_READ ||
      sp_n_args(p, e) != local->n_dims) {
    return false;
  }
  *of = sp_read_sym(p, e);
  const int64_t *sizes = sp_sym_extents(p, *of);
  for (uint32_t d = 0; d < local->n_dims; d++) {
    if (!find_cut(s, sp_arg(p, e, d), s->dist[t].idx[d], sizes[d],
                  local->dims[d], &cuts[d])) {
      return false;
    }
  }
  return true;
}

/* Where ranks stand side by side a block begins at a number. */
static void learn_offsets(sp_state *s, uint32_t t) {
  sp_pool *p = s->pool;
  sp_expr e = s->dist[t].relation;
  uint32_t n = s->dist_program->tensors[t].shape.n_dims;
  if (e.v && sp_kind_of(p, e) == SP_KIND_READ && sp_n_args(p, e) == n) {
    const int64_t *sizes = sp_sym_extents(p, sp_read_sym(p, e));
    for (uint32_t d = 0; d < n; d++) {
      spi_learn_offset(s, t, d, sp_arg(p, e, d), sizes[d]);
    }
  }
}

/* Cuts that operators make, as inputs do. */
void spi_learn_cuts(sp_state *s, uint32_t t) {
  if (s->dist_program->tensors[t].on) {
    learn_offsets(s, t);
    return;
  }
  sp_sym of;
  spi_cut cuts[SP_MAX_DIMS];
  if (!spi_placement_of(s, t, &of, cuts)) {
    return;
  }
  for (uint32_t d = 0; d < s->dist_program->tensors[t].shape.n_dims; d++) {
    if (cuts[d].coordinate.v) {
      remember_cut(s, cuts[d].n, cuts[d].coordinate);
    }
  }
}

const char *spi_relation_text(sp_state *s, uint32_t t) {
  const dist_tensor *w = &s->dist[t];
  sp_pool *p = s->pool;
  sp_sym of;
  spi_cut cuts[SP_MAX_DIMS];
  if (!spi_placement_of(s, t, &of, cuts)) {
    return w->relation.v ? sp_show(p, w->relation) : NULL;
  }
  sp_str text = {0};
  for (uint32_t d = 0; d < s->dist_program->tensors[t].shape.n_dims; d++) {
    if (cuts[d].coordinate.v) {
      sp_str_addf(s->ctx, &text, "%sShard(%u) in %lld by %s",
                  text.n ? ", " : "", d, (long long)cuts[d].n,
                  sp_show(p, cuts[d].coordinate));
    }
  }
  bool padded = spi_without_padding(s, t).v != w->relation.v;
  return sp_format(s->ctx, "%s: %s%s", sp_sym_name(p, of),
                   text.n ? text.v : "Replicate", padded ? ", padded" : "");
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
