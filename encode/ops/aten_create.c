/* aten_create.c: tensors from nothing: constants, arange, uninitialised
 * memory; and triangles of a tensor (masks).
 *
 * empty is junk: a function that nothing is known of, named after the node and
 * its program, of the rank and the index. Nothing may depend on it, and
 * nothing that does can be proved. */
#include "encode/aten_util.h"

#include <math.h>
#include <string.h>

/* ---- shapes ---- */

static spi_dims sizes(sp_ctx *ctx, const sp_node *node, const char *name) {
  uint32_t n;
  const int64_t *v = spi_arg_ints(ctx, node, name, &n);
  spi_dims s = {0};
  for (uint32_t i = 0; i < n; i++) {
    if (v[i] < 0) {
      spi_bad(ctx, node, "a size of %lld", (long long)v[i]);
    }
    spi_dims_push(ctx, node, &s, v[i]);
  }
  return s;
}

/* The sort of a result whose type is not asked for: what it says. */
static sp_sort own_sort(const sp_program *program, const sp_node *node) {
  return node->n_out == 0 ? SP_SORT_REAL
                          : sp_dtype_sort(spi_out(program, node, 0)->dtype);
}

static void sized_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  spi_dims s = sizes(ctx, node, "size");
  spi_yields_dtype(ctx, program, node, &s, own_sort(program, node));
}

/* Floats unless another type is asked for. */
static void float_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  spi_dims s = sizes(ctx, node, "size");
  spi_yields_dtype(ctx, program, node, &s, SP_SORT_REAL);
}

static void like_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  spi_dims s = spi_dims_of(a);
  spi_yields_dtype(ctx, program, node, &s, sp_dtype_sort(a->dtype));
}

static void new_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  spi_dims s = sizes(ctx, node, "size");
  spi_yields_dtype(ctx, program, node, &s, sp_dtype_sort(a->dtype));
}

/* full(size, 1.0) holds floats, full(size, 1) integers (or booleans: True is
 * printed as such, and a number here). */
static void full_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  spi_dims s = sizes(ctx, node, "size");
  sp_sort sort = own_sort(program, node);
  bool fits = spi_arg_operand(node, "fill_value") >= 0 ||
              (sort == SP_SORT_REAL) == spi_arg_is_float(node, "fill_value");
  if (!fits && !spi_arg_given(node, "dtype")) {
    spi_bad(ctx, node, "the result has another type than its value");
  }
  spi_yields_dtype(ctx, program, node, &s, sort);
}

static void fill_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  spi_shape_like_self(ctx, program, node);
  int64_t v = spi_arg_operand(node, "fill_value");
  if (v >= 0 && spi_in(program, node, (uint32_t)v)->n_dims != 0) {
    spi_bad(ctx, node, "the value is no scalar");
  }
}

static void scalar_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  spi_dims s = {0};
  bool whole = !spi_arg_is_float(node, "value");
  spi_yields_dtype(ctx, program, node, &s,
                   whole ? own_sort(program, node) : SP_SORT_REAL);
}

/* ---- elements ---- */

static sp_expr zeros_element(const sp_call *call, const sp_expr *idx) {
  (void)idx;
  return spi_zero(call->pool, sp_dtype_sort(spi_out_dtype(call)));
}

static sp_expr ones_element(const sp_call *call, const sp_expr *idx) {
  (void)idx;
  return spi_one(call->pool, sp_dtype_sort(spi_out_dtype(call)));
}

static sp_expr full_element(const sp_call *call, const sp_expr *idx) {
  (void)idx;
  return spi_arg_value(call, "fill_value", 0, NULL, spi_out_dtype(call));
}

static sp_expr scalar_element(const sp_call *call, const sp_expr *idx) {
  (void)idx;
  return spi_arg_number(call, "value", spi_out_dtype(call));
}

static sp_expr empty_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *r = sp_call_result_shape(call);
  const sp_program *g = call->program;
  sp_ctx *ctx = spi_call_ctx(call);
  sp_expr *args = sp_alloc_n(ctx, r->n_dims + 1u, sizeof *args);
  args[0] = spi_rank(call);
  if (r->n_dims) {
    memcpy(args + 1, idx, r->n_dims * sizeof *idx);
  }
  const char *name = sp_format(ctx, "empty:%s@%s:%s:%lld", call->node->name,
                               g->file ? g->file : "", g->name ? g->name : "",
                               (long long)g->partitions);
  return sp_fn(call->pool, sp_dtype_sort(r->dtype), name, r->n_dims + 1, args);
}

static void strided_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  sized_shape(ctx, program, node);
}

static void new_strided_shape(sp_ctx *ctx, const sp_program *program,
                              const sp_node *node) {
  new_shape(ctx, program, node);
}

/* ---- arange ---- */

/* ceil((end - start) / step) */
static int64_t steps(sp_ctx *ctx, const sp_node *node, double start, double end,
                     double step) {
  if (step == 0 || !isfinite(start) || !isfinite(end) || !isfinite(step)) {
    spi_bad(ctx, node, "an arange from %g to %g by %g", start, end, step);
  }
  double n = ceil((end - start) / step);
  return n <= 0 ? 0 : n > 1e12 ? (int64_t)1e12 : (int64_t)n;
}

/* start and end may differ from rank to rank; the count may not. */
static void arange_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  const sp_attr *a = spi_arg_ranked(node, "start");
  const sp_attr *b = spi_arg_ranked(node, "end");
  size_t ranks = a ? a->n : b ? b->n : 1;
  int64_t count = -1;
  double step = spi_arg_float(ctx, node, "step");
  for (size_t r = 0; r < ranks; r++) {
    double lo = a ? (double)a->u.ints[r] : spi_arg_float(ctx, node, "start");
    double hi = b ? (double)b->u.ints[r] : spi_arg_float(ctx, node, "end");
    int64_t n = steps(ctx, node, lo, hi, step);
    if (count >= 0 && n != count) {
      spi_unknown(ctx, node, "is longer on some ranks");
    }
    count = n;
  }
  bool floats = spi_arg_is_float(node, "start") ||
                spi_arg_is_float(node, "end") || spi_arg_is_float(node, "step");
  spi_dims s = {.n = 1, .d = {count}};
  spi_yields_dtype(ctx, program, node, &s, floats ? SP_SORT_REAL : SP_SORT_INT);
}

static sp_expr arange_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_dtype t = spi_out_dtype(call);
  const sp_node *node = call->node;
  bool floats =
      spi_arg_is_float(node, "start") || spi_arg_is_float(node, "step");
  if (floats) {
    return sp_add(
        p, spi_arg_number(call, "start", SP_F64),
        sp_mul(p, sp_i2r(p, idx[0]), spi_arg_number(call, "step", SP_F64)));
  }
  int64_t step = spi_arg_int(spi_call_ctx(call), node, "step");
  sp_expr start = spi_arg_index(call, "start");
  sp_expr e = step == 1 ? idx[0] : sp_iscale(p, idx[0], step);
  e = sp_is_int(p, start, 0) ? e : sp_iadd(p, e, start);
  return spi_convert(call, spi_wrap(call, e, SP_S64), SP_S64, t);
}

/* linspace(start, end, steps) */
static void linspace_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  spi_dims s = {.n = 1, .d = {spi_arg_int(ctx, node, "steps")}};
  if (s.d[0] < 0) {
    spi_bad(ctx, node, "%lld steps", (long long)s.d[0]);
  }
  spi_yields_dtype(ctx, program, node, &s, SP_SORT_REAL);
  if (own_sort(program, node) != SP_SORT_REAL) {
    spi_unknown(ctx, node, "a linspace of integers");
  }
}

static sp_expr linspace_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  int64_t n = spi_arg_int(spi_call_ctx(call), call->node, "steps");
  sp_expr a = spi_arg_number(call, "start", SP_F64);
  if (n < 2) {
    return a;
  }
  sp_expr b = spi_arg_number(call, "end", SP_F64);
  return sp_add(
      p, a, sp_mul(p, spi_over(p, sp_sub(p, b, a), n - 1), sp_i2r(p, idx[0])));
}

static void eye_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  spi_dims s = {.n = 2};
  s.d[0] = spi_arg_int(ctx, node, "n");
  s.d[1] = spi_arg_given(node, "m") ? spi_arg_int(ctx, node, "m") : s.d[0];
  spi_yields_dtype(ctx, program, node, &s, SP_SORT_REAL);
}

static sp_expr eye_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  return spi_convert(call, sp_eq(p, idx[0], idx[1]), SP_PRED,
                     spi_out_dtype(call));
}

/* ---- triangles of the last two dimensions ---- */

static void triangle_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  if (a->n_dims < 2) {
    spi_bad(ctx, node, "a triangle of %u dimensions", a->n_dims);
  }
  spi_shape_like_self(ctx, program, node);
}

/* Columns of the upper triangle begin at the diagonal, those of the lower end
 * there. */
static sp_expr triangle(const sp_call *call, const sp_expr *idx, bool upper) {
  sp_pool *p = call->pool;
  uint32_t n = sp_call_result_shape(call)->n_dims;
  sp_expr at = sp_iadd(p, idx[n - 2], spi_arg_index(call, "diagonal"));
  sp_expr kept = upper ? sp_le(p, at, idx[n - 1]) : sp_le(p, idx[n - 1], at);
  sp_expr zero = spi_zero(p, sp_dtype_sort(spi_out_dtype(call)));
  if (sp_is_false(p, kept)) {
    return zero;
  }
  return sp_ite(p, kept, spi_arg_read(call, "self", idx), zero);
}

static sp_expr triu_element(const sp_call *call, const sp_expr *idx) {
  return triangle(call, idx, true);
}

static sp_expr tril_element(const sp_call *call, const sp_expr *idx) {
  return triangle(call, idx, false);
}

/* ---- rows ---- */

#define WHERE                                                                  \
  "*, dtype? dtype, any? layout, any? device, any? pin_memory, "               \
  "any? memory_format, any? requires_grad"
#define RANGE "Scalar step=1, " WHERE

SPI_ATEN(zeros, "int... size, " WHERE, float_shape, zeros_element, "out[i] = 0",
         "aten.zeros.default", "torch.zeros")
SPI_ATEN(ones, "int... size, " WHERE, float_shape, ones_element, "out[i] = 1",
         "aten.ones.default", "torch.ones")
SPI_ATEN(zeros_like, "Tensor self, " WHERE, like_shape, zeros_element,
         "out[i] = 0", "aten.zeros_like.default", "torch.zeros_like")
SPI_ATEN(ones_like, "Tensor self, " WHERE, like_shape, ones_element,
         "out[i] = 1", "aten.ones_like.default", "torch.ones_like")
SPI_ATEN(new_zeros, "Tensor self, int... size, " WHERE, new_shape,
         zeros_element, "out[i] = 0", "aten.new_zeros.default",
         "method.new_zeros")
SPI_ATEN(new_ones, "Tensor self, int... size, " WHERE, new_shape, ones_element,
         "out[i] = 1", "aten.new_ones.default", "method.new_ones")
SPI_ATEN(full, "int[] size, Value fill_value, " WHERE, full_shape, full_element,
         "out[i] = value", "aten.full.default", "torch.full")
SPI_ATEN(full_like, "Tensor self, Value fill_value, " WHERE, like_shape,
         full_element, "out[i] = value", "aten.full_like.default",
         "torch.full_like")
SPI_ATEN(new_full, "Tensor self, int[] size, Value fill_value, " WHERE,
         new_shape, full_element, "out[i] = value", "aten.new_full.default",
         "method.new_full")
SPI_ATEN(fill, "Tensor self, Value fill_value", fill_shape, full_element,
         "out[i] = value", "aten.fill.Scalar", "aten.fill.Tensor",
         "aten.fill_.Scalar", "aten.fill_.Tensor", "method.fill_")
SPI_ATEN(scalar_tensor, "Scalar value, " WHERE, scalar_shape, scalar_element,
         "out = value", "aten.scalar_tensor.default", "torch.tensor",
         "torch.scalar_tensor", "torch.as_tensor")
SPI_ATEN_BY_NAME(empty, "int... size, " WHERE, float_shape, empty_element,
                 "anything: uninitialised memory", "aten.empty.memory_format",
                 "torch.empty")
SPI_ATEN_BY_NAME(empty_like, "Tensor self, " WHERE, like_shape, empty_element,
                 "anything: uninitialised memory", "aten.empty_like.default",
                 "torch.empty_like")
SPI_ATEN_BY_NAME(new_empty, "Tensor self, int... size, " WHERE, new_shape,
                 empty_element, "anything: uninitialised memory",
                 "aten.new_empty.default", "method.new_empty")
SPI_ATEN_BY_NAME(new_empty_strided,
                 "Tensor self, int[] size, any stride, " WHERE,
                 new_strided_shape, empty_element,
                 "anything: uninitialised memory",
                 "aten.new_empty_strided.default")
SPI_ATEN_BY_NAME(empty_strided, "int[] size, any stride, " WHERE, strided_shape,
                 empty_element, "anything: uninitialised memory",
                 "aten.empty_strided.default", "torch.empty_strided")
SPI_ATEN_BY_NAME(empty_permuted, "int[] size, any physical_layout, " WHERE,
                 strided_shape, empty_element, "anything: uninitialised memory",
                 "aten.empty_permuted.default")
SPI_ATEN(arange, "Scalar end, *, Scalar start=0, " RANGE, arange_shape,
         arange_element, "out[i] = i", "aten.arange.default")
SPI_ATEN(arange_start, "Scalar start, Scalar end, " RANGE, arange_shape,
         arange_element, "out[i] = start + i * step", "aten.arange.start",
         "aten.arange.start_step")

/* torch.arange(end), torch.arange(start, end, step): by how many there are */
static void python_range(const sp_node *node, sp_node *out) {
  *out = *node;
  bool many = sp_node_attr(node, "arg1") || sp_node_attr(node, "end");
  out->op = many ? "aten.arange.start_step" : "aten.arange.default";
}

static void torch_arange_shape(sp_ctx *ctx, const sp_program *program,
                               const sp_node *node) {
  sp_node as;
  python_range(node, &as);
  spi_args_check(ctx, program, sp_op_find(as.op), &as);
  arange_shape(ctx, program, &as);
}

static sp_expr torch_arange_element(const sp_call *call, const sp_expr *idx) {
  sp_node as;
  python_range(call->node, &as);
  sp_call c = *call;
  c.node = &as;
  return arange_element(&c, idx);
}

SPI_ATEN(torch_arange,
         "any? start_or_end, any? end, any? step, *, any? start, any? dtype, "
         "any? layout, any? device, any? pin_memory, any? requires_grad",
         torch_arange_shape, torch_arange_element, "out[i] = start + i * step",
         "torch.arange")
SPI_ATEN(linspace, "Scalar start, Scalar end, int steps, " WHERE,
         linspace_shape, linspace_element,
         "out[i] = start + i (end - start) / (steps - 1)",
         "aten.linspace.default", "torch.linspace")
SPI_ATEN(eye, "int n, int? m, " WHERE, eye_shape, eye_element,
         "out[i, j] = i == j", "aten.eye.default", "aten.eye.m", "torch.eye")
SPI_ATEN(triu, "Tensor self, int diagonal=0", triangle_shape, triu_element,
         "out[i, j] = a[i, j] where j >= i + diagonal, else 0",
         SPI_NAMES("triu", "default"))
SPI_ATEN(tril, "Tensor self, int diagonal=0", triangle_shape, tril_element,
         "out[i, j] = a[i, j] where j <= i + diagonal, else 0",
         SPI_NAMES("tril", "default"))

extern const sp_op *const sp_ops_aten_create[];
const sp_op *const sp_ops_aten_create[] = {
    &zeros_row,
    &ones_row,
    &zeros_like_row,
    &ones_like_row,
    &new_zeros_row,
    &new_ones_row,
    &full_row,
    &full_like_row,
    &new_full_row,
    &fill_row,
    &scalar_tensor_row,
    &empty_row,
    &empty_like_row,
    &new_empty_row,
    &new_empty_strided_row,
    &empty_strided_row,
    &empty_permuted_row,
    &arange_row,
    &arange_start_row,
    &torch_arange_row,
    &linspace_row,
    &eye_row,
    &triu_row,
    &tril_row,
    NULL,
};
