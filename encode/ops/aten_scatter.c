/* aten_scatter.c: writing at indices that are data: scatter, index_put,
 * index_add, index_copy.
 *
 * An element of the result looks for the writes that hit it: a condition over
 * variables, one for each dimension of the index. Adding is a sum over them.
 * Assigning needs that at most one write hits; PyTorch leaves open which of
 * several counts, so the report names the assumption. */
#include "encode/aten_index.h"

#include <string.h>

#define UNIQUE "where scatter and index_put assign, no element is written twice"

typedef struct writes {
  const sp_call *call;
  sp_pool *p;
  sp_dtype t;
  uint32_t n;
  sp_expr vars[SP_MAX_DIMS];
  sp_expr hits, update;
} writes;

static void vars_add(writes *w, sp_expr v) {
  if (sp_kind_of(w->p, v) == SP_KIND_VAR) {
    w->vars[w->n++] = v;
  }
}

static bool update_varies(const writes *w) {
  for (uint32_t i = 0; i < w->n; i++) {
    if (sp_has_free(w->p, w->update, w->vars[i])) {
      return true;
    }
  }
  return false;
}

static sp_expr assigned(const writes *w, sp_expr old) {
  sp_pool *p = w->p;
  if (w->n == 0) {
    return sp_ite(p, w->hits, w->update, old);
  }
  sp_expr some = sp_red(p, SP_RED_OR, w->n, w->vars, w->hits);
  if (!update_varies(w)) {
    return sp_ite(p, some, w->update, old);
  }
  spi_assume(w->call, UNIQUE);
  spi_promise_unique(w->call, w->n, w->vars, w->hits);
  sp_sort sort = sp_dtype_sort(w->t);
  sp_expr zero = spi_zero(p, sort);
  sp_expr one =
      sort == SP_SORT_BOOL
          ? sp_red(p, SP_RED_OR, w->n, w->vars, sp_and(p, w->hits, w->update))
          : sp_red(p, SP_RED_SUM, w->n, w->vars,
                   sp_ite(p, w->hits, w->update, zero));
  return old.v == zero.v ? one : sp_ite(p, some, one, old);
}

/* old combined with all updates that hit */
static sp_expr combined(const writes *w, sp_expr old, sp_reducer kind) {
  sp_pool *p = w->p;
  sp_expr body = sp_ite(p, w->hits, w->update, spi_identity(p, kind, w->t));
  return spi_combine(w->call, kind, w->t, old,
                     spi_red(w->call, kind, w->t, w->n, w->vars, body));
}

/* Is that index known to be in bounds? If not, a write outside is none here,
 * and an error in PyTorch. */
static void note_bounds(const sp_call *call, sp_expr e, int64_t n) {
  int64_t lo, hi;
  sp_range(call->pool, e, &lo, &hi);
  if (lo < 0 || hi >= n) {
    spi_assume(call, SPI_IN_BOUNDS);
  }
}

/* ---- scatter: the index names one coordinate ---- */

static void scatter_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  const sp_shape *i = spi_arg_shape(ctx, program, node, "index");
  uint32_t dim = spi_arg_dim(ctx, node, "dim", a->n_dims);
  int64_t k = spi_arg_operand(node, "src");
  const sp_shape *src = k < 0 ? i : spi_in(program, node, (uint32_t)k);
  if (!sp_dtype_is_int(i->dtype) || a->n_dims == 0 || i->n_dims != a->n_dims ||
      (src->n_dims != a->n_dims && src->n_dims != 0)) {
    spi_unknown(ctx, node, "an index of %u dimensions into %u", i->n_dims,
                a->n_dims);
  }
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if ((d != dim && i->dims[d] > a->dims[d]) ||
        (src->n_dims && i->dims[d] > src->dims[d])) {
      spi_bad(ctx, node, "dimension %u of the index has size %lld", d,
              (long long)i->dims[d]);
    }
  }
  if (k >= 0 && sp_dtype_sort(src->dtype) != sp_dtype_sort(a->dtype)) {
    spi_bad(ctx, node, "writes %s into %s", sp_dtype_name(src->dtype),
            sp_dtype_name(a->dtype));
  }
  spi_shape_like_self(ctx, program, node);
}

static writes scatter_writes(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_shape *a = spi_call_arg_shape(call, "self");
  const sp_shape *i = spi_call_arg_shape(call, "index");
  uint32_t dim = spi_arg_dim(spi_call_ctx(call), call->node, "dim", a->n_dims);
  writes w = {.call = call, .p = p, .t = a->dtype, .hits = sp_bool(p, true)};
  sp_expr j[SP_MAX_DIMS];
  for (uint32_t d = 0; d < a->n_dims; d++) {
    j[d] = idx[d];
    if (d == dim) {
      j[d] = sp_fresh(p, i->dims[d]);
      vars_add(&w, j[d]);
    } else if (i->dims[d] < a->dims[d]) {
      w.hits = sp_and(p, w.hits, spi_inside(p, idx[d], i->dims[d]));
    }
  }
  sp_expr at = spi_arg_read(call, "index", j);
  note_bounds(call, at, a->dims[dim]);
  w.hits = sp_and(p, w.hits, sp_eq(p, at, idx[dim]));
  int64_t k = spi_arg_operand(call->node, "src");
  bool whole = k >= 0 && sp_call_shape(call, (uint32_t)k)->n_dims > 0;
  w.update = whole ? sp_call_read(call, (uint32_t)k, j)
                   : spi_arg_value(call, "src", 0, NULL, w.t);
  return w;
}

static bool index_is_empty(const sp_call *call) {
  return sp_shape_elements(spi_call_arg_shape(call, "index")) == 0;
}

static sp_expr scatter_element(const sp_call *call, const sp_expr *idx) {
  sp_expr old = spi_arg_read(call, "self", idx);
  if (index_is_empty(call)) {
    return old;
  }
  writes w = scatter_writes(call, idx);
  return assigned(&w, old);
}

static sp_expr scatter_add_element(const sp_call *call, const sp_expr *idx) {
  sp_expr old = spi_arg_read(call, "self", idx);
  if (index_is_empty(call)) {
    return old;
  }
  writes w = scatter_writes(call, idx);
  return combined(&w, old, SP_REDUCER_SUM);
}

static bool reducer_named(const sp_node *node, sp_reducer *kind) {
  static const struct {
    const char *text;
    sp_reducer kind;
  } names[] = {
      {"sum", SP_REDUCER_SUM},   {"add", SP_REDUCER_SUM},
      {"prod", SP_REDUCER_PROD}, {"multiply", SP_REDUCER_PROD},
      {"amax", SP_REDUCER_MAX},  {"amin", SP_REDUCER_MIN},
  };
  const char *text = spi_arg_text(node, "reduce");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (text && strcmp(text, names[i].text) == 0) {
      *kind = names[i].kind;
      return true;
    }
  }
  return false;
}

static void scatter_reduce_shape(sp_ctx *ctx, const sp_program *program,
                                 const sp_node *node) {
  sp_reducer kind;
  scatter_shape(ctx, program, node);
  if (!reducer_named(node, &kind) ||
      spi_arg_type(program, node, "self") == SP_PRED) {
    spi_unknown(ctx, node, "reduces by %s", spi_arg_text(node, "reduce"));
  }
}

static sp_expr scatter_reduce_element(const sp_call *call, const sp_expr *idx) {
  sp_expr old = spi_arg_read(call, "self", idx);
  sp_reducer kind = SP_REDUCER_SUM;
  reducer_named(call->node, &kind);
  if (index_is_empty(call)) {
    return old;
  }
  writes w = scatter_writes(call, idx);
  return combined(&w, old, kind);
}

/* ---- index_add, index_copy, index_fill: one index for whole slices ---- */

static void slices_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  const sp_shape *i = spi_arg_shape(ctx, program, node, "index");
  uint32_t dim = spi_arg_dim(ctx, node, "dim", a->n_dims);
  if (!sp_dtype_is_int(i->dtype) || i->n_dims != 1 || a->n_dims == 0) {
    spi_unknown(ctx, node, "an index of %u dimensions into %u", i->n_dims,
                a->n_dims);
  }
  int64_t k = spi_arg_operand(node, "source");
  spi_dims s = spi_dims_of(a);
  s.d[dim] = i->dims[0];
  if (k >= 0 && spi_in(program, node, (uint32_t)k)->n_dims > 0) {
    spi_expect_operand(ctx, program, node, (uint32_t)k, s.n, s.d);
    if (sp_dtype_sort(spi_in(program, node, (uint32_t)k)->dtype) !=
        sp_dtype_sort(a->dtype)) {
      spi_bad(ctx, node, "writes values of another type");
    }
  }
  spi_shape_like_self(ctx, program, node);
}

static writes slice_writes(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_shape *a = spi_call_arg_shape(call, "self");
  const sp_shape *i = spi_call_arg_shape(call, "index");
  uint32_t dim = spi_arg_dim(spi_call_ctx(call), call->node, "dim", a->n_dims);
  writes w = {.call = call, .p = p, .t = a->dtype};
  sp_expr j[SP_MAX_DIMS];
  memcpy(j, idx, a->n_dims * sizeof *j);
  j[dim] = sp_fresh(p, i->dims[0]);
  vars_add(&w, j[dim]);
  sp_expr at = spi_arg_read(call, "index", &j[dim]);
  note_bounds(call, at, a->dims[dim]);
  w.hits = sp_eq(p, at, idx[dim]);
  int64_t k = spi_arg_operand(call->node, "source");
  bool whole = k >= 0 && sp_call_shape(call, (uint32_t)k)->n_dims > 0;
  w.update = whole ? sp_call_read(call, (uint32_t)k, j)
                   : spi_arg_value(call, "source", 0, NULL, w.t);
  return w;
}

static sp_expr index_add_element(const sp_call *call, const sp_expr *idx) {
  sp_expr old = spi_arg_read(call, "self", idx);
  if (index_is_empty(call)) {
    return old;
  }
  writes w = slice_writes(call, idx);
  w.update = spi_arith_multiply(call, spi_arg_number(call, "alpha", w.t),
                                w.update, w.t);
  return combined(&w, old, SP_REDUCER_SUM);
}

static sp_expr index_copy_element(const sp_call *call, const sp_expr *idx) {
  sp_expr old = spi_arg_read(call, "self", idx);
  if (index_is_empty(call)) {
    return old;
  }
  writes w = slice_writes(call, idx);
  return assigned(&w, old);
}

/* ---- index_put ---- */

/* A mask among the indices, the only one that is not None: where it begins.
 * -1: there is none. */
static int64_t mask_of(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node, uint32_t *dim) {
  uint32_t n, others = 0;
  const int64_t *v = spi_arg_operands(node, "indices", &n);
  int64_t mask = -1;
  for (uint32_t d = 0; d < n; d++) {
    if (v[d] < 0) {
      continue;
    }
    if (spi_in(program, node, (uint32_t)v[d])->dtype == SP_PRED) {
      others += mask >= 0;
      mask = v[d];
      *dim = d;
    } else {
      others++;
    }
  }
  if (mask >= 0 && others > 0) {
    spi_unknown(ctx, node, "a mask beside other indices");
  }
  return mask;
}

/* How many values there are depends on the mask, so all that it picks in one
 * place of the other dimensions must get the same value. */
static void check_masked(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node, int64_t mask, uint32_t dim) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  const sp_shape *m = spi_in(program, node, (uint32_t)mask);
  const sp_shape *v = spi_arg_shape(ctx, program, node, "values");
  if (dim + m->n_dims > a->n_dims) {
    spi_bad(ctx, node, "a mask of %u dimensions", m->n_dims);
  }
  for (uint32_t d = 0; d < m->n_dims; d++) {
    if (m->dims[d] != a->dims[dim + d]) {
      spi_bad(ctx, node, "dimension %u of the mask has size %lld", d,
              (long long)m->dims[d]);
    }
  }
  uint32_t after = a->n_dims - dim - m->n_dims;
  if (v->n_dims > after && v->dims[v->n_dims - 1 - after] != 1) {
    spi_unknown(ctx, node, "a mask that spreads a list of values");
  }
  spi_dims s = {0};
  for (uint32_t d = 0; d < dim; d++) {
    spi_dims_push(ctx, node, &s, a->dims[d]);
  }
  spi_dims_push(ctx, node, &s, 1);
  for (uint32_t d = 0; d < after; d++) {
    spi_dims_push(ctx, node, &s, a->dims[dim + m->n_dims + d]);
  }
  spi_broadcasts_to(ctx, node, v, &s);
}

static void index_put_shape(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  uint32_t dim = 0;
  const sp_shape *v = spi_arg_shape(ctx, program, node, "values");
  int64_t mask = mask_of(ctx, program, node, &dim);
  if (mask >= 0) {
    check_masked(ctx, program, node, mask, dim);
  } else {
    spi_picks k = spi_picks_of(ctx, program, node);
    spi_dims s = spi_picks_dims(ctx, node, &k);
    spi_broadcasts_to(ctx, node, v, &s);
  }
  if (sp_dtype_sort(v->dtype) !=
      sp_dtype_sort(spi_arg_type(program, node, "self"))) {
    spi_bad(ctx, node, "writes values of another type");
  }
  spi_shape_like_self(ctx, program, node);
}

static sp_expr masked_element(const sp_call *call, const sp_expr *idx,
                              int64_t mask, uint32_t dim) {
  sp_pool *p = call->pool;
  const sp_shape *a = spi_call_arg_shape(call, "self");
  uint32_t m = sp_call_shape(call, (uint32_t)mask)->n_dims, n = 0;
  sp_expr at[SP_MAX_DIMS + 1];
  for (uint32_t d = 0; d < dim; d++) {
    at[n++] = idx[d];
  }
  at[n++] = sp_int(p, 0);
  for (uint32_t d = dim + m; d < a->n_dims; d++) {
    at[n++] = idx[d];
  }
  writes w = {.call = call, .p = p, .t = a->dtype};
  w.hits = sp_call_read(call, (uint32_t)mask, idx + dim);
  w.update = spi_arg_value(call, "values", n, at, w.t);
  sp_expr old = spi_arg_read(call, "self", idx);
  return spi_arg_bool(spi_call_ctx(call), call->node, "accumulate")
             ? combined(&w, old, SP_REDUCER_SUM)
             : assigned(&w, old);
}

/* The writes at i = self's index. An index that is just a variable of the
 * batch (an arange) says which: that variable is the coordinate. */
static writes index_writes(const sp_call *call, const spi_picks *k,
                           const sp_expr *idx) {
  sp_pool *p = call->pool;
  writes w = {.call = call, .p = p, .t = k->a->dtype};
  sp_expr batch[SP_MAX_DIMS], made[SP_MAX_DIMS], at[SP_MAX_DIMS];
  bool solved[SP_MAX_DIMS] = {false};
  w.hits = sp_bool(p, true);
  for (uint32_t q = 0; q < k->batch.n; q++) {
    made[q] = batch[q] = sp_fresh(p, k->batch.d[q]);
  }
  for (uint32_t d = 0; d < k->a->n_dims; d++) {
    if (k->operand[d] < 0) {
      continue;
    }
    sp_expr e = spi_picks_index(call, k, d, made);
    for (uint32_t q = 0; q < k->batch.n; q++) {
      if (e.v == made[q].v && batch[q].v == made[q].v &&
          sp_kind_of(p, e) == SP_KIND_VAR) {
        batch[q] = idx[d];
        solved[d] = true;
        note_bounds(call, e, k->a->dims[d]);
        w.hits = sp_and(p, w.hits, spi_inside(p, idx[d], k->batch.d[q]));
        break;
      }
    }
  }
  for (uint32_t q = 0; q < k->batch.n; q++) {
    vars_add(&w, batch[q].v == made[q].v ? batch[q] : sp_int(p, 0));
  }
  for (uint32_t d = 0; d < k->a->n_dims; d++) {
    if (k->operand[d] >= 0 && !solved[d]) {
      sp_expr e = spi_picks_index(call, k, d, batch);
      int64_t lo, hi;
      sp_range(p, e, &lo, &hi);
      if (lo < 0) {
        sp_expr up = sp_iaddc(p, e, k->a->dims[d]);
        e = sp_ite(p, sp_lt(p, e, sp_int(p, 0)), up, e);
      }
      note_bounds(call, e, k->a->dims[d]);
      w.hits = sp_and(p, w.hits, sp_eq(p, e, idx[d]));
    }
  }
  uint32_t n = spi_picks_at(k, batch, idx, at);
  w.update = spi_arg_value(call, "values", n, at, w.t);
  return w;
}

static sp_expr index_put_element(const sp_call *call, const sp_expr *idx) {
  sp_ctx *ctx = spi_call_ctx(call);
  uint32_t dim = 0;
  int64_t mask = mask_of(ctx, call->program, call->node, &dim);
  if (mask >= 0) {
    return masked_element(call, idx, mask, dim);
  }
  spi_picks k = spi_picks_of(ctx, call->program, call->node);
  sp_expr old = spi_arg_read(call, "self", idx);
  if (spi_dims_count(&k.batch) == 0) {
    return old;
  }
  writes w = index_writes(call, &k, idx);
  return spi_arg_bool(ctx, call->node, "accumulate")
             ? combined(&w, old, SP_REDUCER_SUM)
             : assigned(&w, old);
}

/* ---- rows ---- */

#define AT "Tensor self, int dim, Tensor index, "

SPI_ATEN(scatter, AT "Value src", scatter_shape, scatter_element,
         "out[i] = src[j] where index[j] = i along dim, else a[i]",
         SPI_NAMES("scatter", "src"), "aten.scatter.value", "aten.scatter_.src",
         "aten.scatter_.value")
SPI_ATEN(scatter_add, AT "Tensor src", scatter_shape, scatter_add_element,
         "out[i] = a[i] + sum of src[j] where index[j] = i along dim",
         SPI_NAMES("scatter_add", "default"), "aten.scatter_add_.default")
SPI_ATEN(scatter_reduce,
         AT "Tensor src, str reduce, *, bool include_self=True!",
         scatter_reduce_shape, scatter_reduce_element,
         "out[i] = a[i] reduced with src[j] where index[j] = i along dim",
         SPI_NAMES("scatter_reduce", "two"))
SPI_ATEN(index_add,
         "Tensor self, int dim, Tensor index, Tensor source, *, "
         "Scalar alpha=1",
         slices_shape, index_add_element,
         "out[i] = a[i] + alpha * sum of source[k] where index[k] = i",
         SPI_NAMES("index_add", "default"))
SPI_ATEN(index_copy, AT "Tensor source", slices_shape, index_copy_element,
         "out[i] = source[k] where index[k] = i, else a[i]",
         SPI_NAMES("index_copy", "default"))
SPI_ATEN(index_fill, AT "Value source", slices_shape, index_copy_element,
         "out[i] = value where index[k] = i, else a[i]",
         SPI_NAMES("index_fill", "int_Scalar"), "aten.index_fill.int_Tensor")
SPI_ATEN(index_put,
         "Tensor self, Tensor[] indices, Tensor values, "
         "bool accumulate=False, any? unsafe",
         index_put_shape, index_put_element,
         "out[i] = values[k] where the indices at k are i (added where "
         "accumulate), else a[i]",
         SPI_NAMES("index_put", "default"), "aten.index_put_.default",
         "aten._unsafe_index_put.default")

extern const sp_op *const sp_ops_aten_scatter[];
const sp_op *const sp_ops_aten_scatter[] = {
    &scatter_row,    &scatter_add_row, &scatter_reduce_row, &index_add_row,
    &index_copy_row, &index_fill_row,  &index_put_row,      NULL,
};
