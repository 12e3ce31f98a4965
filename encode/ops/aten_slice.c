/* aten_slice.c: parts of a tensor, and tensors of which a part is replaced.
 *
 * A cut is what one dimension is reduced to: start, step, length. Python's
 * rules: negative positions count from the end, what is beyond an end is the
 * end. The start may differ from rank to rank, the length may not. */
#include "encode/aten_util.h"

#include <string.h>

typedef struct cut {
  int64_t start; /* where starts is NULL */
  int64_t *starts;
  int64_t n_ranks, step, length;
} cut;

static int64_t limited(int64_t v, int64_t lo, int64_t hi) {
  return v < lo ? lo : v > hi ? hi : v;
}

static void cut_one(int64_t size, int64_t from, int64_t to, int64_t step,
                    int64_t *start, int64_t *length) {
  from = limited(from < 0 ? from + size : from, 0, size);
  to = limited(to < 0 ? to + size : to, from, size);
  *start = from;
  *length = to == from ? 0 : (to - from - 1) / step + 1;
}

/* The number on that rank; what stands for None. */
static int64_t on_rank(sp_ctx *ctx, const sp_node *node, const char *name,
                       int64_t rank, int64_t none) {
  const sp_attr *ranked = spi_arg_ranked(node, name);
  if (ranked) {
    return ranked->u.ints[rank];
  }
  return spi_arg_given(node, name) ? spi_arg_int(ctx, node, name) : none;
}

/* The arguments start, end, step. */
static cut cut_of(sp_ctx *ctx, const sp_node *node, int64_t size) {
  cut c = {.n_ranks = 1, .step = spi_arg_int(ctx, node, "step")};
  const sp_attr *a = spi_arg_ranked(node, "start");
  const sp_attr *b = spi_arg_ranked(node, "end");
  if (c.step < 1) {
    spi_bad(ctx, node, "a slice with step %lld", (long long)c.step);
  }
  c.n_ranks = (int64_t)(a ? a->n : b ? b->n : 1);
  c.starts =
      a || b ? sp_alloc_n(ctx, (size_t)c.n_ranks, sizeof *c.starts) : NULL;
  for (int64_t r = 0; r < c.n_ranks; r++) {
    int64_t start, length;
    cut_one(size, on_rank(ctx, node, "start", r, 0),
            on_rank(ctx, node, "end", r, INT64_MAX), c.step, &start, &length);
    if (r > 0 && length != c.length) {
      spi_unknown(ctx, node, "the slice is longer on some ranks");
    }
    c.length = length;
    c.start = start;
    if (c.starts) {
      c.starts[r] = start;
    }
  }
  return c;
}

static sp_expr start_term(const sp_call *call, const cut *c) {
  return c->starts && c->n_ranks > 1
             ? sp_table(call->pool, c->starts, c->n_ranks, spi_rank(call))
             : sp_int(call->pool, c->start);
}

/* Where element i of the part is in the whole. */
static sp_expr outwards(const sp_call *call, const cut *c, sp_expr i) {
  return sp_iadd(call->pool, sp_iscale(call->pool, i, c->step),
                 start_term(call, c));
}

/* Where element i of the whole is in the part; whether it is goes into
 * *inside. */
static sp_expr inwards(const sp_call *call, const cut *c, sp_expr i,
                       sp_expr *inside) {
  sp_pool *p = call->pool;
  sp_expr v = sp_isub(p, i, start_term(call, c));
  if (c->step > 1) {
    sp_expr rest = sp_imod(p, v, c->step);
    *inside = sp_and(p, *inside, sp_eq(p, rest, sp_int(p, 0)));
    v = sp_idiv(p, v, c->step);
  }
  *inside = sp_and(p, *inside, spi_inside(p, v, c->length));
  return v;
}

/* ---- slice ---- */

static void slice_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  spi_dims s = spi_dims_of(a);
  uint32_t d = spi_arg_dim(ctx, node, "dim", a->n_dims);
  if (a->n_dims == 0) {
    spi_bad(ctx, node, "a slice of a scalar");
  }
  s.d[d] = cut_of(ctx, node, a->dims[d]).length;
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr slice_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *a = spi_call_arg_shape(call, "self");
  sp_ctx *ctx = spi_call_ctx(call);
  uint32_t d = spi_arg_dim(ctx, call->node, "dim", a->n_dims);
  cut c = cut_of(ctx, call->node, a->dims[d]);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  memcpy(j, idx, a->n_dims * sizeof *j);
  j[d] = outwards(call, &c, idx[d]);
  return spi_arg_read(call, "self", j);
}

/* narrow(self, dim, start, length) */
static cut narrow_of(sp_ctx *ctx, const sp_node *node, int64_t size) {
  cut c = {.n_ranks = 1,
           .step = 1,
           .start = spi_arg_int(ctx, node, "start"),
           .length = spi_arg_int(ctx, node, "length")};
  c.start += c.start < 0 ? size : 0;
  if (c.start < 0 || c.length < 0 || c.length > size ||
      c.start > size - c.length) {
    spi_bad(ctx, node, "%lld elements from %lld of %lld", (long long)c.length,
            (long long)c.start, (long long)size);
  }
  return c;
}

static void narrow_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  uint32_t d = spi_arg_dim(ctx, node, "dim", s.n);
  s.d[d] = narrow_of(ctx, node, s.n ? s.d[d] : 0).length;
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr narrow_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *a = spi_call_arg_shape(call, "self");
  sp_ctx *ctx = spi_call_ctx(call);
  uint32_t d = spi_arg_dim(ctx, call->node, "dim", a->n_dims);
  cut c = narrow_of(ctx, call->node, a->dims[d]);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  memcpy(j, idx, a->n_dims * sizeof *j);
  j[d] = outwards(call, &c, idx[d]);
  return spi_arg_read(call, "self", j);
}

/* ---- select ---- */

/* The index as a cut of length 1, in bounds. */
static cut index_of(sp_ctx *ctx, const sp_node *node, int64_t size) {
  const sp_attr *a = spi_arg_ranked(node, "index");
  cut c = {.n_ranks = a ? (int64_t)a->n : 1, .step = 1, .length = 1};
  c.starts = a ? sp_alloc_n(ctx, a->n, sizeof *c.starts) : NULL;
  for (int64_t r = 0; r < c.n_ranks; r++) {
    int64_t i = on_rank(ctx, node, "index", r, 0);
    c.start = i < 0 ? i + size : i;
    if (c.start < 0 || c.start >= size) {
      spi_bad(ctx, node, "index %lld of %lld", (long long)i, (long long)size);
    }
    if (c.starts) {
      c.starts[r] = c.start;
    }
  }
  return c;
}

static spi_dims without(sp_ctx *ctx, const sp_node *node, const spi_dims *s,
                        uint32_t d) {
  spi_dims r = {0};
  for (uint32_t i = 0; i < s->n; i++) {
    if (i != d) {
      spi_dims_push(ctx, node, &r, s->d[i]);
    }
  }
  return r;
}

static void select_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  spi_dims a = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  uint32_t d = spi_arg_dim(ctx, node, "dim", a.n);
  index_of(ctx, node, a.n ? a.d[d] : 0);
  spi_dims s = without(ctx, node, &a, d);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr select_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *a = spi_call_arg_shape(call, "self");
  sp_ctx *ctx = spi_call_ctx(call);
  uint32_t d = spi_arg_dim(ctx, call->node, "dim", a->n_dims), m = 0;
  cut c = index_of(ctx, call->node, a->dims[d]);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  for (uint32_t i = 0; i < a->n_dims; i++) {
    j[i] = i == d ? start_term(call, &c) : idx[m++];
  }
  return spi_arg_read(call, "self", j);
}

/* ---- parts replaced ---- */

/* The rows below share this: they have `self` or, for a gradient of a part,
 * `input_sizes` around which there are zeros; the part is `src`. */
static bool is_backward(const sp_node *node) {
  return strstr(sp_op_find(node->op)->params, "input_sizes") != NULL;
}

static bool is_select(const sp_node *node) {
  return strstr(sp_op_find(node->op)->params, "int index") != NULL;
}

static spi_dims whole(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  if (!is_backward(node)) {
    return spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  }
  uint32_t n;
  const int64_t *v = spi_arg_ints(ctx, node, "input_sizes", &n);
  spi_dims s = {0};
  for (uint32_t i = 0; i < n; i++) {
    spi_dims_push(ctx, node, &s, v[i]);
  }
  return s;
}

static cut part(sp_ctx *ctx, const sp_node *node, int64_t size) {
  return is_select(node) ? index_of(ctx, node, size) : cut_of(ctx, node, size);
}

static void scatter_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  spi_dims s = whole(ctx, program, node), w = s;
  uint32_t d = spi_arg_dim(ctx, node, "dim", s.n);
  if (s.n == 0) {
    spi_bad(ctx, node, "a part of a scalar");
  }
  w.d[d] = part(ctx, node, s.d[d]).length;
  if (is_select(node)) {
    w = without(ctx, node, &w, d);
  }
  const sp_shape *src = spi_arg_shape(ctx, program, node, "src");
  spi_broadcasts_to(ctx, node, src, &w);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s,
                  is_backward(node) ? "src" : "self");
}

static sp_expr scatter_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *r = sp_call_result_shape(call);
  sp_pool *p = call->pool;
  sp_ctx *ctx = spi_call_ctx(call);
  uint32_t d = spi_arg_dim(ctx, call->node, "dim", r->n_dims), m = 0;
  cut c = part(ctx, call->node, r->dims[d]);
  bool drop = is_select(call->node);
  sp_expr inside = sp_bool(p, true), j[SP_MAX_DIMS] = {{0}};
  for (uint32_t i = 0; i < r->n_dims; i++) {
    if (i != d) {
      j[m++] = idx[i];
    } else {
      sp_expr at = inwards(call, &c, idx[i], &inside);
      if (!drop) {
        j[m++] = at;
      }
    }
  }
  sp_expr around = is_backward(call->node)
                       ? spi_zero(p, sp_dtype_sort(r->dtype))
                       : spi_arg_read(call, "self", idx);
  if (sp_is_false(p, inside)) {
    return around;
  }
  sp_expr e = spi_arg_value(call, "src", m, j, r->dtype);
  return sp_ite(p, inside, e, around);
}

/* ---- unfold: windows of a dimension, their elements last ---- */

static void unfold_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  uint32_t d = spi_arg_dim(ctx, node, "dimension", s.n);
  int64_t size = spi_arg_int(ctx, node, "size");
  int64_t step = spi_arg_int(ctx, node, "step");
  if (s.n == 0) {
    spi_unknown(ctx, node, "windows of a scalar");
  }
  if (step < 1 || size < 0 || size > s.d[d]) {
    spi_bad(ctx, node, "windows of %lld by steps of %lld in %lld elements",
            (long long)size, (long long)step, (long long)s.d[d]);
  }
  s.d[d] = (s.d[d] - size) / step + 1;
  spi_dims_push(ctx, node, &s, size);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr unfold_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  uint32_t n = spi_call_arg_shape(call, "self")->n_dims;
  sp_ctx *ctx = spi_call_ctx(call);
  uint32_t d = spi_arg_dim(ctx, call->node, "dimension", n);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  memcpy(j, idx, n * sizeof *j);
  j[d] = sp_iadd(p, sp_iscale(p, idx[d], spi_arg_int(ctx, call->node, "step")),
                 idx[n]);
  return spi_arg_read(call, "self", j);
}

/* ---- rows ---- */

#define SLICE "int dim=0, int? start, int? end, int step=1"

SPI_ATEN(slice, "Tensor self, " SLICE, slice_shape, slice_element,
         "out[i] = a[start + i * step]", "aten.slice.Tensor",
         "aten.slice_copy.Tensor")
SPI_ATEN(narrow, "Tensor self, int dim, int start, int length", narrow_shape,
         narrow_element, "out[i] = a[start + i]",
         SPI_NAMES("narrow", "default"), "aten.narrow_copy.default")
SPI_ATEN(select, "Tensor self, int dim, int index", select_shape,
         select_element, "out[i] = a[i with index inserted]",
         SPI_NAMES("select", "int"), "aten.select_copy.int")
SPI_ATEN(slice_scatter, "Tensor self, Tensor src, " SLICE, scatter_shape,
         scatter_element, "out[i] = src in the slice, a[i] elsewhere",
         SPI_NAMES("slice_scatter", "default"))
SPI_ATEN(select_scatter, "Tensor self, Tensor src, int dim, int index",
         scatter_shape, scatter_element, "out[i] = src at index, else a[i]",
         SPI_NAMES("select_scatter", "default"))
SPI_ATEN(slice_backward,
         "Tensor src, int[] input_sizes, int dim, int start, int end, int step",
         scatter_shape, scatter_element, "out[i] = grad in the slice, else 0",
         "aten.slice_backward.default")
SPI_ATEN(select_backward, "Tensor src, int[] input_sizes, int dim, int index",
         scatter_shape, scatter_element, "out[i] = grad at index, else 0",
         "aten.select_backward.default")
SPI_ATEN(unfold, "Tensor self, int dimension, int size, int step", unfold_shape,
         unfold_element, "out[i, k] = a[step i + k]",
         SPI_NAMES("unfold", "default"), "aten.unfold_copy.default")

extern const sp_op *const sp_ops_aten_slice[];
const sp_op *const sp_ops_aten_slice[] = {
    &slice_row,           &narrow_row,         &select_row,
    &slice_scatter_row,   &select_scatter_row, &slice_backward_row,
    &select_backward_row, &unfold_row,         NULL,
};
