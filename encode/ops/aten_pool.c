/* aten_pool.c: the largest, or the mean, of windows; and gradients.
 *
 * The last dimensions are pooled (as many as the operator's name says), one or
 * two before them are kept. Element k of the window at o is at
 *   o * stride + k * dilation - padding,  where that is inside;
 * adaptive pools cover [floor(o I / O), ceil((o + 1) I / O)) of I elements with
 * O windows. With ceil_mode a last window may hang over the end, but not begin
 * there. Indices are row-major positions in the pooled dimensions, of the first
 * of equal elements. A mean divides by how many elements a window has: with
 * padding (count_include_pad), but without what hangs over beyond that. */
#include "encode/aten_util.h"

#include <string.h>

typedef struct pool {
  const sp_call *call; /* NULL in shape rules */
  sp_pool *p;
  const sp_shape *a;
  uint32_t n, lead; /* dimensions that are pooled, that are kept */
  bool adaptive, ceil;
  sp_window_dim window[SP_MAX_DIMS];
  spi_dims out;
} pool;

/* ---- geometry ---- */

/* Positions of a window; PyTorch's pooling_output_shape. */
static int64_t positions(sp_ctx *ctx, const sp_node *node, sp_window_dim *w,
                         int64_t size, bool ceil) {
  int64_t pad = w->pad_low;
  if (pad < 0 || pad > w->size / 2) {
    spi_bad(ctx, node, "padding %lld of a window of size %lld", (long long)pad,
            (long long)w->size);
  }
  int64_t n = spi_window_out(ctx, node, w, size);
  if (ceil) {
    w->pad_high += w->stride - 1;
    n = spi_window_out(ctx, node, w, size);
    n -= n > 0 && spi_mul(ctx, node, n - 1, w->stride) >= size + pad;
  }
  if (n < 1 || size < 1) {
    spi_bad(ctx, node, "a dimension of size %lld has no windows",
            (long long)size);
  }
  return n;
}

static int64_t given(sp_ctx *ctx, const sp_node *node, const char *name,
                     uint32_t d, uint32_t n, int64_t absent) {
  uint32_t count;
  spi_arg_ints(ctx, node, name, &count);
  return count ? spi_arg_entry(ctx, node, name, d, n) : absent;
}

static void window_of(sp_ctx *ctx, const sp_node *node, pool *q, uint32_t d) {
  int64_t size = spi_arg_entry(ctx, node, "kernel_size", d, q->n);
  int64_t pad = given(ctx, node, "padding", d, q->n, 0);
  sp_window_dim *w = &q->window[d];
  *w = (sp_window_dim){
      .size = size,
      .stride = given(ctx, node, "stride", d, q->n, size),
      .pad_low = pad,
      .pad_high = pad,
      .window_dilation = given(ctx, node, "dilation", d, q->n, 1),
      .base_dilation = 1,
  };
  q->out.d[q->lead + d] =
      positions(ctx, node, w, q->a->dims[q->lead + d], q->ceil);
}

/* The sizes of windows differ by one at most. */
static void adaptive_of(sp_ctx *ctx, const sp_node *node, pool *q, uint32_t d,
                        int64_t out) {
  int64_t in = q->a->dims[q->lead + d];
  if (out < 1 || in < 1 || out > SP_MAX_ELEMENTS) {
    spi_bad(ctx, node, "%lld windows over %lld elements", (long long)out,
            (long long)in);
  }
  spi_mul(ctx, node, spi_mul(ctx, node, in + 1, out + 1), 2);
  q->window[d].size = in % out == 0 ? in / out : in / out + 2;
  q->out.d[q->lead + d] = out;
}

/* The digit after "pool". */
static uint32_t pooled_dims(const sp_node *node) {
  return (uint32_t)(strstr(node->op, "pool")[4] - '0');
}

static pool pool_of(sp_ctx *ctx, const sp_program *program,
                    const sp_node *node) {
  pool q = {.a = spi_arg_shape(ctx, program, node, "self"),
            .n = pooled_dims(node),
            .adaptive = strstr(node->op, "adaptive") != NULL};
  if (q.a->n_dims != q.n + 1 && q.a->n_dims != q.n + 2) {
    spi_bad(ctx, node, "pools %u of %u dimensions", q.n, q.a->n_dims);
  }
  q.lead = q.a->n_dims - q.n;
  q.ceil = spi_arg_bool(ctx, node, "ceil_mode");
  q.out = spi_dims_of(q.a);
  int64_t k = spi_arg_operand(node, "grad_output");
  const sp_shape *g = k < 0 ? NULL : spi_in(program, node, (uint32_t)k);
  for (uint32_t d = 0; d < q.n; d++) {
    if (!q.adaptive) {
      window_of(ctx, node, &q, d);
    } else if (!g) {
      adaptive_of(ctx, node, &q, d,
                  spi_arg_entry(ctx, node, "output_size", d, q.n));
    } else if (g->n_dims == q.a->n_dims) {
      adaptive_of(ctx, node, &q, d, g->dims[q.lead + d]);
    }
  }
  if (g) {
    spi_expect_operand(ctx, program, node, (uint32_t)k, q.out.n, q.out.d);
  }
  return q;
}

static pool begin(const sp_call *call) {
  pool q = pool_of(spi_call_ctx(call), call->program, call->node);
  q.call = call;
  q.p = call->pool;
  return q;
}

/* The first element of adaptive window o, and the one after its last. */
static sp_expr first(const pool *q, uint32_t d, sp_expr o) {
  int64_t in = q->a->dims[q->lead + d], out = q->out.d[q->lead + d];
  return sp_idiv(q->p, sp_iscale(q->p, o, in), out);
}

static sp_expr after(const pool *q, uint32_t d, sp_expr o) {
  int64_t in = q->a->dims[q->lead + d], out = q->out.d[q->lead + d];
  sp_expr v = sp_iscale(q->p, sp_iaddc(q->p, o, 1), in);
  return sp_idiv(q->p, sp_iaddc(q->p, v, out - 1), out);
}

static bool is_even(const pool *q, uint32_t d) {
  return q->a->dims[q->lead + d] % q->out.d[q->lead + d] == 0;
}

/* Where element k of the window at o is. */
static sp_expr place(const pool *q, uint32_t d, sp_expr o, sp_expr k,
                     sp_expr *inside) {
  const sp_window_dim *w = &q->window[d];
  sp_pool *p = q->p;
  if (!q->adaptive) {
    return spi_window_at(p, w, o, k, q->a->dims[q->lead + d], inside);
  }
  if (is_even(q, d)) {
    return sp_iadd(p, sp_iscale(p, o, w->size), k);
  }
  sp_expr at = sp_iadd(p, first(q, d, o), k);
  *inside = sp_and(p, *inside, sp_lt(p, at, after(q, d, o)));
  return at;
}

/* The elements of the window at an index of the result. */
typedef struct walk {
  sp_expr vars[SP_MAX_DIMS], at[SP_MAX_DIMS], inside;
} walk;

static walk along(const pool *q, const sp_expr *idx) {
  walk w = {.inside = sp_bool(q->p, true)};
  memcpy(w.at, idx, q->lead * sizeof *idx);
  for (uint32_t d = 0; d < q->n; d++) {
    w.vars[d] = sp_fresh(q->p, q->window[d].size);
    w.at[q->lead + d] = place(q, d, idx[q->lead + d], w.vars[d], &w.inside);
  }
  return w;
}

static sp_expr read_at(const pool *q, const walk *w, sp_expr otherwise) {
  return sp_ite(q->p, w->inside, spi_arg_read(q->call, "self", w->at),
                otherwise);
}

/* ---- the largest ---- */

static void max_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  pool q = pool_of(ctx, program, node);
  bool indices = strstr(sp_op_find(node->op)->meaning, "position") != NULL;
  if (q.a->dtype == SP_PRED) {
    spi_bad(ctx, node, "not defined on booleans");
  }
  spi_results(ctx, node, indices ? 2 : 1);
  spi_yields_like(ctx, program, node, 0, &q.out, "self");
  spi_yields(ctx, program, node, 1, &q.out, SP_SORT_INT);
}

static sp_expr max_element(const sp_call *call, const sp_expr *idx) {
  pool q = begin(call);
  sp_dtype t = q.a->dtype;
  sp_expr none = spi_identity(q.p, SP_REDUCER_MAX, t);
  walk w = along(&q, idx);
  sp_expr best =
      spi_red(call, SP_REDUCER_MAX, t, q.n, w.vars, read_at(&q, &w, none));
  if (call->result == 0) {
    return best;
  }
  w = along(&q, idx);
  const int64_t *plane = q.a->dims + q.lead;
  sp_expr at = sp_flatten(q.p, q.n, plane, w.at + q.lead);
  sp_expr hit =
      sp_and(q.p, w.inside, sp_eq(q.p, spi_arg_read(call, "self", w.at), best));
  int64_t last =
      sp_shape_elements(&(sp_shape){.dtype = t, .n_dims = q.n, .dims = plane}) -
      1;
  return spi_red(call, SP_REDUCER_MIN, SP_S64, q.n, w.vars,
                 sp_ite(q.p, hit, at, sp_int(q.p, last)));
}

static void gradient_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  pool q = pool_of(ctx, program, node);
  spi_dims s = spi_dims_of(q.a);
  int64_t k = spi_arg_operand(node, "indices");
  if (k >= 0) {
    spi_expect_operand(ctx, program, node, (uint32_t)k, q.out.n, q.out.d);
  }
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

/* The sum of the gradients whose index is this place. */
static sp_expr max_gradient(const sp_call *call, const sp_expr *idx) {
  pool q = begin(call);
  sp_expr vars[SP_MAX_DIMS], at[SP_MAX_DIMS] = {{0}};
  memcpy(at, idx, q.lead * sizeof *at);
  for (uint32_t d = 0; d < q.n; d++) {
    at[q.lead + d] = vars[d] = sp_fresh(q.p, q.out.d[q.lead + d]);
  }
  sp_expr here = sp_flatten(q.p, q.n, q.a->dims + q.lead, idx + q.lead);
  sp_expr hit = sp_eq(q.p, spi_arg_read(call, "indices", at), here);
  sp_expr g = spi_arg_read(call, "grad_output", at);
  return spi_sum(call, q.n, vars, sp_ite(q.p, hit, g, sp_real_i64(q.p, 0)));
}

/* ---- the mean ---- */

static void mean_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  pool q = pool_of(ctx, program, node);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &q.out, SP_SORT_REAL);
  if (!sp_dtype_is_float(q.a->dtype)) {
    spi_unknown(ctx, node, "means of integers");
  }
  if (spi_arg_given(node, "divisor_override") &&
      spi_arg_int(ctx, node, "divisor_override") == 0) {
    spi_bad(ctx, node, "the divisor is 0");
  }
}

/* How many elements the window at o counts in dimension d. */
static sp_expr extent(const pool *q, uint32_t d, sp_expr o) {
  sp_pool *p = q->p;
  const sp_window_dim *w = &q->window[d];
  if (q->adaptive) {
    return is_even(q, d) ? sp_int(p, w->size)
                         : sp_isub(p, after(q, d, o), first(q, d, o));
  }
  bool padding =
      spi_arg_bool(sp_pool_ctx(p), q->call->node, "count_include_pad");
  if (!q->ceil && (padding || w->pad_low == 0)) {
    return sp_int(p, w->size); /* no window hangs over */
  }
  sp_expr from = sp_iaddc(p, sp_iscale(p, o, w->stride), -w->pad_low);
  int64_t end = q->a->dims[q->lead + d] + (padding ? w->pad_low : 0);
  sp_expr to = sp_min(p, sp_iaddc(p, from, w->size), sp_int(p, end));
  return sp_isub(p, to, padding ? from : sp_max(p, from, sp_int(p, 0)));
}

/* e over the count of the window at an index of the result. */
static sp_expr over_count(const pool *q, const sp_expr *idx, sp_expr e) {
  const sp_node *node = q->call->node;
  if (spi_arg_given(node, "divisor_override")) {
    int64_t n = spi_arg_int(sp_pool_ctx(q->p), node, "divisor_override");
    return sp_scale(q->p, e, sp_num_ratio(q->p, 1, n));
  }
  for (uint32_t d = 0; d < q->n; d++) {
    e = sp_div(q->p, e, sp_i2r(q->p, extent(q, d, idx[q->lead + d])));
  }
  return e;
}

static sp_expr mean_element(const sp_call *call, const sp_expr *idx) {
  pool q = begin(call);
  walk w = along(&q, idx);
  sp_expr x = read_at(&q, &w, sp_real_i64(q.p, 0));
  return over_count(&q, idx, spi_sum(call, q.n, w.vars, x));
}

/* Element k of which window is y, if there is one? */
static sp_expr window_with(const pool *q, uint32_t d, sp_expr y, sp_expr k,
                           sp_expr *inside) {
  sp_pool *p = q->p;
  const sp_window_dim *w = &q->window[d];
  sp_expr v = sp_isub(p, sp_iaddc(p, y, w->pad_low), k);
  if (w->stride > 1) {
    sp_expr rest = sp_imod(p, v, w->stride);
    *inside = sp_and(p, *inside, sp_eq(p, rest, sp_int(p, 0)));
    v = sp_idiv(p, v, w->stride);
  }
  *inside = sp_and(p, *inside, spi_inside(p, v, q->out.d[q->lead + d]));
  return v;
}

/* The sum over the windows that an element is in. */
static sp_expr mean_gradient(const sp_call *call, const sp_expr *idx) {
  pool q = begin(call);
  sp_pool *p = q.p;
  sp_expr vars[SP_MAX_DIMS], o[SP_MAX_DIMS] = {{0}};
  sp_expr inside = sp_bool(p, true);
  uint32_t n = 0;
  memcpy(o, idx, q.lead * sizeof *o);
  for (uint32_t d = 0; d < q.n; d++) {
    uint32_t at = q.lead + d;
    if (!q.adaptive) {
      vars[n] = sp_fresh(p, q.window[d].size);
      o[at] = window_with(&q, d, idx[at], vars[n++], &inside);
    } else if (is_even(&q, d)) {
      o[at] = sp_idiv(p, idx[at], q.window[d].size);
    } else {
      o[at] = vars[n++] = sp_fresh(p, q.out.d[at]);
      inside = sp_and(p, inside, sp_le(p, first(&q, d, o[at]), idx[at]));
      inside = sp_and(p, inside, sp_lt(p, idx[at], after(&q, d, o[at])));
    }
  }
  sp_expr g = over_count(&q, o, spi_arg_read(call, "grad_output", o));
  return spi_sum(call, n, vars, sp_ite(p, inside, g, sp_real_i64(p, 0)));
}

/* ---- rows ---- */

#define WINDOW                                                                 \
  "int[] kernel_size, int[] stride=[], int[] padding=[0], "                    \
  "int[] dilation=[1], bool ceil_mode=False"
#define MEANS                                                                  \
  "int[] kernel_size, int[] stride=[], int[] padding=[0], "                    \
  "bool ceil_mode=False, bool count_include_pad=True"
#define LARGEST "out[o] = largest a[o * stride + k * dilation - padding]"
#define MEAN "out[o] = mean over k of a[o * stride + k - padding]"
#define ADAPTIVE "over windows from floor(o I / O) to ceil((o + 1) I / O)"

SPI_ATEN(max_pool_with_indices, "Tensor self, " WINDOW, max_shape, max_element,
         LARGEST ", and the position of the first",
         "aten.max_pool2d_with_indices.default",
         "aten.max_pool3d_with_indices.default")
SPI_ATEN(max_pool, "Tensor self, " WINDOW ", bool return_indices=False!",
         max_shape, max_element, LARGEST, "aten.max_pool1d.default",
         "aten.max_pool2d.default", "aten.max_pool3d.default",
         "torch.max_pool1d", "torch.max_pool2d", "torch.max_pool3d",
         "torch.nn.functional.max_pool1d", "torch.nn.functional.max_pool2d",
         "torch.nn.functional.max_pool3d")
SPI_ATEN(max_pool_backward,
         "Tensor grad_output, Tensor self, int[] kernel_size, int[] stride, "
         "int[] padding, int[] dilation, bool ceil_mode, Tensor indices",
         gradient_shape, max_gradient,
         "out[y] = sum over o with indices[o] == y of g[o]",
         "aten.max_pool2d_with_indices_backward.default",
         "aten.max_pool3d_with_indices_backward.default")
SPI_ATEN(adaptive_max_pool, "Tensor self, int[] output_size", max_shape,
         max_element, "largest a[y], and the position of the first, " ADAPTIVE,
         "aten.adaptive_max_pool1d.default", "aten.adaptive_max_pool2d.default",
         "aten.adaptive_max_pool3d.default")
SPI_ATEN(adaptive_max_pool_backward,
         "Tensor grad_output, Tensor self, Tensor indices", gradient_shape,
         max_gradient, "out[y] = sum over o with indices[o] == y of g[o]",
         "aten.adaptive_max_pool2d_backward.default",
         "aten.adaptive_max_pool3d_backward.default")
SPI_ATEN(avg_pool, "Tensor self, " MEANS ", int? divisor_override", mean_shape,
         mean_element, MEAN, "aten.avg_pool1d.default",
         "aten.avg_pool2d.default", "aten.avg_pool3d.default",
         "torch.avg_pool1d", "torch._C._nn.avg_pool2d",
         "torch._C._nn.avg_pool3d", "torch.nn.functional.avg_pool1d",
         "torch.nn.functional.avg_pool2d", "torch.nn.functional.avg_pool3d")
SPI_ATEN(avg_pool_backward,
         "Tensor grad_output, Tensor self, int[] kernel_size, int[] stride, "
         "int[] padding, bool ceil_mode, bool count_include_pad, "
         "int? divisor_override",
         gradient_shape, mean_gradient,
         "out[y] = sum over windows with y of g[o] / count",
         "aten.avg_pool2d_backward.default", "aten.avg_pool3d_backward.default")
SPI_ATEN(adaptive_avg_pool, "Tensor self, int[] output_size", mean_shape,
         mean_element, "out[o] = mean of a[y], " ADAPTIVE,
         "aten.adaptive_avg_pool1d.default", "aten.adaptive_avg_pool2d.default",
         "aten.adaptive_avg_pool3d.default",
         "aten._adaptive_avg_pool2d.default",
         "aten._adaptive_avg_pool3d.default",
         "torch.nn.functional.adaptive_avg_pool1d",
         "torch.nn.functional.adaptive_avg_pool2d",
         "torch.nn.functional.adaptive_avg_pool3d",
         "torch._C._nn.adaptive_avg_pool2d", "torch._C._nn.adaptive_avg_pool3d")
SPI_ATEN(adaptive_avg_pool_backward, "Tensor grad_output, Tensor self",
         gradient_shape, mean_gradient,
         "out[y] = sum over windows with y of g[o] / count",
         "aten._adaptive_avg_pool2d_backward.default",
         "aten._adaptive_avg_pool3d_backward.default")

extern const sp_op *const sp_ops_aten_pool[];
const sp_op *const sp_ops_aten_pool[] = {
    &max_pool_with_indices_row,      &max_pool_row,
    &max_pool_backward_row,          &adaptive_max_pool_row,
    &adaptive_max_pool_backward_row, &avg_pool_row,
    &avg_pool_backward_row,          &adaptive_avg_pool_row,
    &adaptive_avg_pool_backward_row, NULL,
};
