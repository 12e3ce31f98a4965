/* relation.c: placements. A dimension may be cut several times, by the axes in
 * the order of the placements: each level says where in what the one before
 * left an index is. As a formula: spi_map_index; as runs of indices, by rank:
 * spi_map_layout. */
#include "kernels/lower.h"

#include "base/arith.h"

#include <string.h>

enum { MAX_RUNS = 16 };

/* ---- axes ---- */

const uint32_t *spi_axes_of(spi_lowering *l, uint32_t n,
                            const sp_lang_var *names, sp_loc loc,
                            uint32_t *count) {
  if (n == 0 && l->axes.n != 1) {
    sp_lang_fail(l->ctx, loc,
                 sp_format(l->ctx, "write over AXIS; %s", spi_axes_hint(l)),
                 "the mesh has several axes: over which?");
  }
  *count = n ? n : 1;
  uint32_t *out = sp_alloc_n(l->ctx, *count, sizeof *out);
  for (uint32_t i = 0; i < n; i++) {
    out[i] = spi_axis_index(l, names[i].name, names[i].loc);
    for (uint32_t k = 0; k < i; k++) {
      if (out[k] == out[i]) {
        sp_lang_fail(l->ctx, names[i].loc, NULL, "%s is there twice",
                     names[i].name);
      }
    }
  }
  return out;
}

int64_t spi_axes_size(const spi_lowering *l, uint32_t n, const uint32_t *axes) {
  int64_t size = 1; /* a divisor of the number of ranks */
  for (uint32_t i = 0; i < n; i++) {
    size *= l->axes.v[axes[i]].size;
  }
  return size;
}

const sp_lang *spi_kernel_position(spi_lowering *l, uint32_t n,
                                   const uint32_t *axes, sp_loc loc) {
  const spi_build b = {l->ctx, loc};
  const sp_lang *e = NULL;
  for (uint32_t i = 0; i < n; i++) {
    const sp_meaning_axis *a = &l->axes.v[axes[i]];
    const sp_lang *at = spi_b_axis(b, a->name);
    e = e ? spi_b_binary(b, SP_LANG_ADD, spi_b_with(b, SP_LANG_MUL, e, a->size),
                         at)
          : at;
  }
  return e ? e : spi_b_int(b, 0);
}

static int64_t position_of(const spi_lowering *l, uint32_t n,
                           const uint32_t *axes, int64_t rank) {
  int64_t at = 0;
  for (uint32_t i = 0; i < n; i++) {
    const sp_meaning_axis *a = &l->axes.v[axes[i]];
    at = at * a->size + rank / a->stride % a->size;
  }
  return at;
}

const sp_lang_var *spi_coordinates(spi_lowering *l, uint32_t n,
                                   const uint32_t *axes, const sp_lang *at,
                                   sp_loc loc) {
  const spi_build b = {l->ctx, loc};
  sp_lang_var *out = sp_alloc_n(l->ctx, n + 1u, sizeof *out);
  int64_t stride = 1;
  for (uint32_t i = n; i-- > 0;) {
    const sp_meaning_axis *a = &l->axes.v[axes[i]];
    const sp_lang *e = spi_b_with(b, SP_LANG_DIV, at, stride);
    e = i > 0 ? spi_b_binary(b, SP_LANG_MOD, e, spi_b_int(b, a->size)) : e;
    out[i] = (sp_lang_var){.name = a->name, .loc = loc, .size = e};
    stride *= a->size;
  }
  return out;
}

/* ---- maps ---- */

static void add_level(spi_lowering *l, spi_map *m, const spi_place *p,
                      const char *name) {
  int64_t d = spi_integer(l, p->dim);
  if (d < 0 || d >= m->n) {
    sp_lang_fail(l->ctx, p->dim->loc, "dimensions count from 0",
                 "%s has %u dimensions, there is no dimension %lld", name, m->n,
                 (long long)d);
  }
  spi_map_dim *dim = &m->dims[d];
  spi_level level = {0};
  level.axes = spi_axes_of(l, p->n_axes, p->axes, p->loc, &level.n_axes);
  level.n = spi_axes_size(l, level.n_axes, level.axes);
  level.block = p->block ? spi_extent(l, p->block) : 0;
  int64_t chunk = level.n * (level.block ? level.block : 1);
  if (level.block > SP_MAX_ELEMENTS / level.n || dim->local % chunk != 0) {
    sp_lang_fail(l->ctx, p->loc, "pad it, and guard with where",
                 "dimension %lld of %s has %lld elements, no multiple of %lld",
                 (long long)d, name, (long long)dim->local, (long long)chunk);
  }
  dim->local /= level.n;
  level.size = dim->local;
  sp_push(l->ctx, &dim->levels, level);
}

spi_map spi_map_of(spi_lowering *l, const spi_places *places,
                   const sp_shape *shape, const char *name) {
  spi_map m = {.n = shape->n_dims};
  m.dims = sp_alloc_n(l->ctx, m.n + 1u, sizeof *m.dims);
  for (uint32_t d = 0; d < m.n; d++) {
    m.dims[d].local = shape->dims[d];
  }
  bool *used = sp_alloc_n(l->ctx, l->axes.n, sizeof *used);
  for (size_t i = 0; i < places->n; i++) {
    const spi_place *p = &places->v[i];
    uint32_t n = 0;
    const uint32_t *axes = p->kind == SPI_PLACE_REPLICATED && p->n_axes == 0
                               ? NULL
                               : spi_axes_of(l, p->n_axes, p->axes, p->loc, &n);
    for (uint32_t k = 0; k < n; k++) {
      if (used[axes[k]]) {
        sp_lang_fail(l->ctx, p->loc, NULL, "%s is placed twice along %s", name,
                     l->axes.v[axes[k]].name);
      }
      used[axes[k]] = true;
    }
    if (p->kind == SPI_PLACE_SHARD) {
      add_level(l, &m, p, name);
    } else if (p->kind == SPI_PLACE_PARTIAL) {
      if (m.n_partial > 0) {
        sp_lang_fail(l->ctx, p->loc, "partial(sum) over g, h",
                     "a second partial");
      }
      m.n_partial = n;
      m.partial = axes;
    }
  }
  return m;
}

const sp_lang *spi_map_index(spi_lowering *l, const spi_map *m, uint32_t d,
                             const sp_lang *j, sp_loc loc) {
  const spi_build b = {l->ctx, loc};
  const spi_map_dim *dim = &m->dims[d];
  for (size_t i = dim->levels.n; i-- > 0;) {
    const spi_level *v = &dim->levels.v[i];
    const sp_lang *at = spi_kernel_position(l, v->n_axes, v->axes, loc);
    if (v->block == 0) {
      j = spi_b_binary(b, SP_LANG_ADD, spi_b_with(b, SP_LANG_MUL, at, v->size),
                       j);
      continue;
    }
    const sp_lang *block = spi_b_with(b, SP_LANG_DIV, j, v->block);
    block = spi_b_binary(b, SP_LANG_ADD,
                         spi_b_with(b, SP_LANG_MUL, block, v->n), at);
    block = spi_b_with(b, SP_LANG_MUL, block, v->block);
    j = v->block == 1 ? block
                      : spi_b_binary(b, SP_LANG_ADD, block,
                                     spi_b_with(b, SP_LANG_MOD, j, v->block));
  }
  return j;
}

/* ---- layouts ---- */

static int64_t index_on(const spi_lowering *l, const spi_map_dim *dim,
                        int64_t rank, int64_t j) {
  for (size_t i = dim->levels.n; i-- > 0;) {
    const spi_level *v = &dim->levels.v[i];
    int64_t at = position_of(l, v->n_axes, v->axes, rank);
    j = v->block == 0 ? at * v->size + j
                      : (j / v->block * v->n + at) * v->block + j % v->block;
  }
  return j;
}

static bool layout_dim(spi_lowering *l, const spi_map_dim *dim,
                       sp_layout_dim *out) {
  int64_t run = dim->local;
  for (size_t i = 0; i < dim->levels.n; i++) {
    const spi_level *v = &dim->levels.v[i];
    run = sp_gcd(run, v->block ? v->block : v->size);
  }
  int64_t n = dim->local / run;
  if (n > MAX_RUNS) {
    return false;
  }
  sp_run *runs = sp_alloc_n(l->ctx, (size_t)n + 1, sizeof *runs);
  for (int64_t k = 0; k < n; k++) {
    int64_t *start = sp_alloc_n(l->ctx, (size_t)l->par.ranks, sizeof *start);
    for (int64_t r = 0; r < l->par.ranks; r++) {
      start[r] = index_on(l, dim, r, k * run);
    }
    runs[k] = (sp_run){run, start};
  }
  *out = (sp_layout_dim){(uint32_t)n, runs};
  return true;
}

const sp_layout *spi_map_layout(spi_lowering *l, const spi_map *m,
                                const char *text) {
  sp_layout_dim *dims = sp_alloc_n(l->ctx, m->n + 1u, sizeof *dims);
  for (uint32_t d = 0; d < m->n; d++) {
    if (m->dims[d].levels.n > 0 && !layout_dim(l, &m->dims[d], &dims[d])) {
      return NULL;
    }
  }
  sp_layout *out = sp_alloc(l->ctx, sizeof *out);
  *out = (sp_layout){
      .ranks = l->par.ranks, .n_dims = m->n, .dims = dims, .text = text};
  return out;
}

/* ---- statements ---- */

/* a = A shard(0) over g: a[$i0] = A[where $i0 is]. Of addends a rank has its
 * own. */
void spi_lower_relate(spi_lowering *l, spi_side *side, const spi_statement *s) {
  if (!side->parallel) {
    sp_lang_fail(l->ctx, s->loc, "the sequential program has no ranks",
                 "placements are of the parallel program");
  }
  const spi_build b = {l->ctx, s->loc};
  bool partial = false;
  for (size_t i = 0; i < s->places.n; i++) {
    partial = partial || s->places.v[i].kind == SPI_PLACE_PARTIAL;
  }
  /* the whole of what is given as addends is only there sequentially */
  spi_side *whole = partial ? &l->seq : side;
  uint32_t t = spi_tensor_of(l, whole, s->source, s->loc);
  const sp_shape shape = whole->tensors.v[t].shape;
  spi_map m = spi_map_of(l, &s->places, &shape, s->source);
  int64_t *dims = sp_alloc_n(l->ctx, m.n + 1u, sizeof *dims);
  for (uint32_t d = 0; d < m.n; d++) {
    dims[d] = m.dims[d].local;
  }
  const sp_shape local = {shape.dtype, m.n, dims};
  const char *source = s->source;
  uint32_t extra = m.n_partial > 0;
  const sp_lang **names = spi_index_names(l, m.n, s->loc);
  const sp_lang **idx = sp_alloc_n(l->ctx, m.n + 2u, sizeof *idx);
  if (extra) {
    source = sp_format(l->ctx, "$%s", source);
    source = sp_intern(l->ctx, source, strlen(source));
    idx[0] = spi_kernel_position(l, m.n_partial, m.partial, s->loc);
    const spi_current *addends = spi_find(side, source);
    if (!addends || side->tensors.v[addends->tensor].shape.dims[0] !=
                        spi_axes_size(l, m.n_partial, m.partial)) {
      sp_lang_fail(l->ctx, s->loc, NULL,
                   "%s is no input, or is partial over other axes elsewhere",
                   s->source);
    }
  }
  for (uint32_t d = 0; d < m.n; d++) {
    idx[d + extra] = spi_map_index(l, &m, d, names[d], s->loc);
  }
  const spi_definition a = {
      .name = s->name,
      .loc = s->loc,
      .dtype = shape.dtype,
      .n_vars = m.n,
      .vars = spi_index_variables(l, &local, s->loc),
      .body = spi_b_read(b, source, 0, NULL, m.n + extra, idx)};
  spi_define(l, side, &a);
}
