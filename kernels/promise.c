/* promise.c: what is to be proved, as promises of sp_problem.
 *
 * Placements are layouts. An index map (or a layout of very many runs) is
 * promised by way of a sequential tensor that holds what every rank should:
 *
 *   prove c[i, j] is C[e0, e1] where guard        becomes
 *   $wanted[g, h, i, j] = if guard then C[e0, e1] else 0       (sequential)
 *   $have[g < 1, h < 1, i, j] = if guard then c[i, j] else 0   (parallel)
 *
 * where $wanted has a dimension for each axis of the mesh, by which $have is
 * cut: in e0 and guard a coordinate @g is that index.
 */
#include "kernels/lower.h"

#include <string.h>

static const char *type_text(sp_dtype type) {
  return type == SP_PRED ? "bool" : sp_dtype_is_int(type) ? "int" : "real";
}

static void check_types(spi_lowering *l, const spi_promise *p, sp_dtype seq,
                        sp_dtype dist) {
  if (seq != dist) {
    sp_lang_fail(l->ctx, p->name_loc,
                 sp_format(l->ctx,
                           "%s is %s, %s is %s: write NAME[...]: int, "
                           "or real(x)",
                           p->name, type_text(dist), p->source, type_text(seq)),
                 "the two tensors have different types");
  }
}

static const char *dims_text(spi_lowering *l, uint32_t n, const int64_t *dims) {
  sp_str s = {0};
  sp_str_add(l->ctx, &s, "[");
  for (uint32_t i = 0; i < n; i++) {
    sp_str_addf(l->ctx, &s, "%s%lld", i ? ", " : "", (long long)dims[i]);
  }
  sp_str_add(l->ctx, &s, "]");
  return s.v;
}

/* told: what the file speaks of. */
static void add_promise(spi_lowering *l, const sp_kernel_promise *told,
                        uint32_t seq, uint32_t dist, const sp_layout *layout) {
  const sp_placed placed = {
      .seq = seq, .dist = dist, .layout = layout, .name = told->name};
  sp_push(l->ctx, &l->seq.results, seq);
  sp_push(l->ctx, &l->par.results, dist);
  sp_push(l->ctx, &l->told, *told);
  sp_push(l->ctx, &l->promised, placed);
}

/* ---- index maps ---- */

static const char *axis_variable(spi_lowering *l, uint32_t axis) {
  const spi_build b = {l->ctx, sp_nowhere()};
  return spi_b_variable(b, "a", axis);
}

static const char *const *axis_variables(spi_lowering *l) {
  const char **names = sp_alloc_n(l->ctx, l->axes.n, sizeof *names);
  for (uint32_t a = 0; a < l->axes.n; a++) {
    names[a] = axis_variable(l, a);
  }
  return names;
}

/* Coordinates as indices. The tree's height is limited. */
static const sp_lang *without_axes(spi_lowering *l, const sp_lang *e) {
  if (e->kind == SP_LANG_AXIS) {
    const spi_build b = {l->ctx, e->loc};
    uint32_t axis = spi_axis_index(l, e->name, e->loc);
    return spi_b_name(b, axis_variable(l, axis));
  }
  if (e->n + e->n_more == 0) {
    return e;
  }
  sp_lang *copy = sp_alloc(l->ctx, sizeof *copy);
  const sp_lang **args = sp_alloc_n(l->ctx, e->n + e->n_more, sizeof *args);
  *copy = *e;
  for (uint32_t i = 0; i < e->n + e->n_more; i++) {
    args[i] = without_axes(l, e->args[i]);
  }
  copy->args = args;
  return copy;
}

/* name[axes, vars] = if guard then body else 0, of that type */
static uint32_t define_part(spi_lowering *l, spi_side *side, const char *name,
                            sp_dtype type, const spi_promise *p,
                            const sp_lang_var *vars, const sp_lang *body,
                            const sp_lang *guard) {
  const spi_build b = {l->ctx, p->loc};
  uint32_t n = (uint32_t)l->axes.n;
  sp_lang_var *all = sp_alloc_n(l->ctx, n + p->n_vars, sizeof *all);
  for (uint32_t a = 0; a < n; a++) {
    int64_t size = side->parallel ? 1 : l->axes.v[a].size;
    all[a] = (sp_lang_var){
        .name = axis_variable(l, a), .loc = p->loc, .size = spi_b_int(b, size)};
  }
  for (uint32_t i = 0; i < p->n_vars; i++) {
    all[n + i] = vars[i];
  }
  const spi_definition d = {
      .name = name,
      .loc = p->loc,
      .n_vars = n + p->n_vars,
      .vars = all,
      .body = guard ? spi_b_if(b, guard, body, spi_b_zero(b, type)) : body};
  return spi_define(l, side, &d);
}

/* Cut along the first dimensions, one for each axis. */
static const sp_layout *by_axes(spi_lowering *l, uint32_t n_dims,
                                const char *text) {
  sp_layout_dim *dims = sp_alloc_n(l->ctx, n_dims + 1u, sizeof *dims);
  for (size_t a = 0; a < l->axes.n; a++) {
    int64_t *start = sp_alloc_n(l->ctx, (size_t)l->par.ranks, sizeof *start);
    for (int64_t r = 0; r < l->par.ranks; r++) {
      start[r] = r / l->axes.v[a].stride % l->axes.v[a].size;
    }
    sp_run *run = sp_alloc(l->ctx, sizeof *run);
    *run = (sp_run){1, start};
    dims[a] = (sp_layout_dim){1, run};
  }
  sp_layout *layout = sp_alloc(l->ctx, sizeof *layout);
  *layout = (sp_layout){
      .ranks = l->par.ranks, .n_dims = n_dims, .dims = dims, .text = text};
  return layout;
}

/* A promise that promises nothing is a mistake. */
static void check_condition(spi_lowering *l, const spi_promise *p, uint32_t n,
                            const sp_lang_var *vars, const sp_lang *guard) {
  spi_where where = spi_where_holds(l, &l->par, n, vars, guard);
  if (where == SPI_NOWHERE) {
    sp_lang_fail(l->ctx, guard->loc, "correct the condition",
                 "the condition holds nowhere: nothing is promised of %s",
                 p->name);
  }
  if (where == SPI_NOT_SHOWN) {
    const char *note = sp_format(l->ctx,
                                 "the condition in line %u holds somewhere "
                                 "(else nothing is promised of %s)",
                                 guard->loc.line, p->name);
    sp_push(l->ctx, &l->notes, note);
  }
}

/* c at vars is read, where guard. */
static void promise_map(spi_lowering *l, const spi_promise *p,
                        sp_kernel_promise told, uint32_t dist,
                        const sp_lang *read, const sp_lang *guard) {
  const spi_build b = {l->ctx, p->loc};
  const sp_shape shape = l->par.tensors.v[dist].shape;
  sp_lang_var *vars = sp_alloc_n(l->ctx, shape.n_dims + 1u, sizeof *vars);
  const sp_lang **idx = sp_alloc_n(l->ctx, shape.n_dims + 1u, sizeof *idx);
  for (uint32_t i = 0; i < shape.n_dims; i++) {
    vars[i] = p->vars[i];
    vars[i].size = spi_b_int(b, shape.dims[i]);
    idx[i] = spi_b_name(b, vars[i].name);
  }
  if (guard) {
    check_condition(l, p, shape.n_dims, vars, guard);
  }
  told.read = without_axes(l, read);
  told.n_vars = shape.n_dims;
  told.vars = vars;
  told.axis_names = axis_variables(l);
  uint32_t k = (uint32_t)l->promised.n;
  uint32_t v =
      define_part(l, &l->seq, spi_b_variable(b, "wanted", k), shape.dtype, p,
                  vars, told.read, guard ? without_axes(l, guard) : NULL);
  if (!p->only) {
    spi_check_cover(l, p);
  }
  const sp_lang *got = spi_b_read(b, p->name, 0, NULL, shape.n_dims, idx);
  uint32_t w = define_part(l, &l->par, spi_b_variable(b, "have", k),
                           shape.dtype, p, vars, got, guard);
  check_types(l, p, l->seq.tensors.v[v].shape.dtype,
              l->par.tensors.v[w].shape.dtype);
  uint32_t n = (uint32_t)l->axes.n + shape.n_dims;
  add_promise(l, &told, v, w, by_axes(l, n, p->text));
}

static void promise_mapped(spi_lowering *l, const spi_promise *p,
                           sp_kernel_promise told, uint32_t dist) {
  const sp_shape *shape = &l->par.tensors.v[dist].shape;
  uint32_t seq = spi_tensor_of(l, &l->seq, p->source, p->source_loc);
  const sp_shape *global = &l->seq.tensors.v[seq].shape;
  if (p->n_vars != shape->n_dims) {
    sp_lang_fail(l->ctx, p->name_loc,
                 sp_format(l->ctx,
                           "prove %s is %s replicated (or shard(0) over AXIS); "
                           "prove %s[i, ...] is %s[...]",
                           p->name, p->source, p->name, p->source),
                 "%s has %u dimensions, %u indices are written", p->name,
                 shape->n_dims, p->n_vars);
  }
  if (p->read->n != global->n_dims) {
    sp_lang_fail(l->ctx, p->source_loc, "one index for each dimension",
                 "%s has %u dimensions, and is read at %u indices", p->source,
                 global->n_dims, p->read->n);
  }
  const sp_lang *read = p->guard ? spi_read_in(l, p->guard) : NULL;
  for (uint32_t d = 0; d < p->read->n && !read; d++) {
    read = spi_read_in(l, p->read->args[d]);
  }
  if (read) {
    sp_lang_fail(l->ctx, read->loc, NULL,
                 "an index map is made of indices and coordinates, %s is a "
                 "tensor",
                 read->name);
  }
  promise_map(l, p, told, dist, p->read, p->guard);
}

/* ---- placements ---- */

static void promise_placed(spi_lowering *l, const spi_promise *p,
                           sp_kernel_promise told, uint32_t dist) {
  uint32_t seq = spi_tensor_of(l, &l->seq, p->source, p->source_loc);
  const sp_shape global = l->seq.tensors.v[seq].shape;
  const sp_shape local = l->par.tensors.v[dist].shape;
  spi_map m = spi_map_of(l, &p->places, &global, p->source);
  bool same = local.n_dims == m.n;
  int64_t *dims = sp_alloc_n(l->ctx, m.n + 1u, sizeof *dims);
  for (uint32_t d = 0; d < m.n; d++) {
    dims[d] = m.dims[d].local;
    same = same && dims[d] == local.dims[d];
  }
  if (!same) {
    sp_lang_fail(
        l->ctx, p->name_loc,
        sp_format(l->ctx, "%s is %s, of which this leaves %s", p->source,
                  dims_text(l, m.n, global.dims), dims_text(l, m.n, dims)),
        "%s is %s on a rank, and should be %s", p->name,
        dims_text(l, local.n_dims, local.dims), dims_text(l, m.n, dims));
  }
  check_types(l, p, global.dtype, local.dtype);
  spi_promise q = *p;
  if (m.n_partial > 0) {
    const spi_build b = {l->ctx, p->loc};
    q.name = spi_b_variable(b, "total", (uint32_t)l->promised.n);
    dist = spi_reduce_over(l, q.name, "sum", p->name, m.n_partial, m.partial,
                           p->loc);
  }
  const sp_layout *layout = spi_map_layout(l, &m, p->text);
  if (layout) {
    add_promise(l, &told, seq, dist, layout);
    return;
  }
  q.only = true; /* placements hold every element */
  q.n_vars = m.n;
  q.vars = spi_index_variables(l, &local, p->loc);
  const sp_lang **idx = spi_index_names(l, m.n, p->loc);
  for (uint32_t d = 0; d < m.n; d++) {
    idx[d] = spi_map_index(l, &m, d, idx[d], p->loc);
  }
  const spi_build b = {l->ctx, p->loc};
  promise_map(l, &q, told, dist, spi_b_read(b, p->source, 0, NULL, m.n, idx),
              NULL);
}

/* The programs' own names are gone: those that the promise mentions are back
 * while it is lowered. */
static void know(spi_lowering *l, const char *name, sp_loc loc) {
  if (!sp_lang_names_find(&l->names, name)) {
    sp_lang_names_add(&l->names, name, SP_LANG_IS_TENSOR, loc);
  }
}

void spi_lower_promise(spi_lowering *l, const spi_promise *p) {
  uint32_t dist = spi_tensor_of(l, &l->par, p->name, p->name_loc);
  sp_kernel_promise told = {.name = p->name, .source = p->source, .dist = dist};
  size_t mark = l->names.rows.n;
  know(l, p->name, p->loc);
  know(l, p->source, p->source_loc);
  if (p->mapped) {
    promise_mapped(l, p, told, dist);
  } else {
    promise_placed(l, p, told, dist);
  }
  l->names.rows.n = mark;
}
