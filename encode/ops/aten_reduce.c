/* aten_reduce.c: sums, means, extrema, norms over dimensions; running sums.
 *
 * Integers are added up in 64 bits. A mean is the sum over the count, a
 * variance the mean of squared differences, with the count less `correction`.
 */
#include "encode/aten_span.h"

#include <math.h>
#include <string.h>

/* ---- shapes ---- */

static void one_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node, sp_sort sort) {
  spi_span s = spi_span_of(ctx, program, node);
  spi_dims r = spi_span_dims(&s);
  spi_yields_dtype(ctx, program, node, &r, sort);
}

/* Booleans and integers give s64. */
static void sum_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  bool real = sp_dtype_is_float(spi_arg_type(program, node, "self"));
  one_shape(ctx, program, node, real ? SP_SORT_REAL : SP_SORT_INT);
}

static void real_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  one_shape(ctx, program, node, SP_SORT_REAL);
}

static void bool_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  one_shape(ctx, program, node, SP_SORT_BOOL);
}

static void int_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  one_shape(ctx, program, node, SP_SORT_INT);
}

/* An extremum of nothing is an error in PyTorch. */
static void not_empty(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  if (spi_span_of(ctx, program, node).count == 0) {
    spi_bad(ctx, node, "an extremum of nothing");
  }
}

static void extremum_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  not_empty(ctx, program, node);
  one_shape(ctx, program, node,
            sp_dtype_sort(spi_arg_type(program, node, "self")));
}

static void arg_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  not_empty(ctx, program, node);
  int_shape(ctx, program, node);
}

/* (values, indices) */
static void pair_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  spi_span s = spi_span_of(ctx, program, node);
  spi_dims r = spi_span_dims(&s);
  not_empty(ctx, program, node);
  spi_results(ctx, node, 2);
  spi_yields_like(ctx, program, node, 0, &r, "self");
  spi_yields(ctx, program, node, 1, &r, SP_SORT_INT);
}

/* ---- elements ---- */

typedef struct reduction {
  const sp_call *call;
  sp_pool *p;
  spi_span span;
  spi_slice slice;
} reduction;

static reduction begin(const sp_call *call, const sp_expr *idx) {
  reduction r = {.call = call, .p = call->pool};
  r.span = spi_span_of(spi_call_ctx(call), call->program, call->node);
  r.slice = spi_span_slice(call->pool, &r.span, idx);
  return r;
}

/* The operand's element in a type. */
static sp_expr element(const reduction *r, sp_dtype t) {
  return spi_convert(r->call, spi_arg_read(r->call, "self", r->slice.at),
                     r->span.a->dtype, t);
}

static sp_expr reduce(const reduction *r, sp_reducer kind, sp_dtype t,
                      sp_expr body) {
  return spi_red(r->call, kind, t, r->slice.n_vars, r->slice.vars, body);
}

static sp_expr simple(const sp_call *call, const sp_expr *idx,
                      sp_reducer kind) {
  reduction r = begin(call, idx);
  sp_dtype t = spi_out_dtype(call);
  if (t == SP_PRED) {
    kind = kind == SP_REDUCER_MAX   ? SP_REDUCER_OR
           : kind == SP_REDUCER_MIN ? SP_REDUCER_AND
                                    : kind;
  }
  return reduce(&r, kind, t, element(&r, t));
}

#define SIMPLE(id, kind)                                                       \
  static sp_expr id##_element(const sp_call *call, const sp_expr *idx) {       \
    return simple(call, idx, kind);                                            \
  }

SIMPLE(sum, SP_REDUCER_SUM)
SIMPLE(prod, SP_REDUCER_PROD)
SIMPLE(amax, SP_REDUCER_MAX)
SIMPLE(amin, SP_REDUCER_MIN)
SIMPLE(any, SP_REDUCER_OR)
SIMPLE(all, SP_REDUCER_AND)

static sp_expr mean_element(const sp_call *call, const sp_expr *idx) {
  reduction r = begin(call, idx);
  sp_expr e = reduce(&r, SP_REDUCER_SUM, SP_F64, element(&r, SP_F64));
  return spi_over(call->pool, e, r.span.count);
}

static sp_expr count_nonzero_element(const sp_call *call, const sp_expr *idx) {
  reduction r = begin(call, idx);
  sp_expr one = spi_convert(call, element(&r, SP_PRED), SP_PRED, SP_S64);
  return reduce(&r, SP_REDUCER_SUM, SP_S64, one);
}

static sp_expr logsumexp_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  reduction a = begin(call, idx), b = begin(call, idx);
  sp_expr m = reduce(&a, SP_REDUCER_MAX, SP_F64, element(&a, SP_F64));
  sp_expr sum = reduce(&b, SP_REDUCER_SUM, SP_F64,
                       sp_exp(p, sp_sub(p, element(&b, SP_F64), m)));
  return sp_add(p, m, sp_fn1(p, "log", sum));
}

/* ---- positions of extrema: the first of equal ones ---- */

static sp_expr position(const sp_call *call, const sp_expr *idx, bool max) {
  sp_pool *p = call->pool;
  reduction a = begin(call, idx), b = begin(call, idx);
  sp_dtype t = a.span.a->dtype == SP_PRED ? SP_S64 : a.span.a->dtype;
  sp_reducer kind = max ? SP_REDUCER_MAX : SP_REDUCER_MIN;
  sp_expr best = reduce(&a, kind, t, element(&a, t));
  sp_expr at = sp_flatten(p, b.slice.n_vars, b.slice.sizes, b.slice.vars);
  sp_expr hit = spi_is_extreme(p, element(&b, t), best);
  sp_expr none = sp_int(p, b.span.count - 1);
  return reduce(&b, SP_REDUCER_MIN, SP_S64, sp_ite(p, hit, at, none));
}

static sp_expr argmax_element(const sp_call *call, const sp_expr *idx) {
  return position(call, idx, true);
}

static sp_expr argmin_element(const sp_call *call, const sp_expr *idx) {
  return position(call, idx, false);
}

static sp_expr max_dim_element(const sp_call *call, const sp_expr *idx) {
  return call->result == 0 ? amax_element(call, idx)
                           : position(call, idx, true);
}

static sp_expr min_dim_element(const sp_call *call, const sp_expr *idx) {
  return call->result == 0 ? amin_element(call, idx)
                           : position(call, idx, false);
}

/* ---- variance ---- */

/* correction, where the row has it; unbiased means 1. */
static double correction(const sp_call *call) {
  sp_ctx *ctx = spi_call_ctx(call);
  if (strstr(sp_op_find(call->node->op)->params, "unbiased")) {
    return spi_arg_bool(ctx, call->node, "unbiased") ? 1 : 0;
  }
  return spi_arg_float(ctx, call->node, "correction");
}

static sp_expr variance(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  reduction r = begin(call, idx);
  sp_expr mean = mean_element(call, idx);
  sp_expr d = sp_sub(p, element(&r, SP_F64), mean);
  sp_expr sum = reduce(&r, SP_REDUCER_SUM, SP_F64, sp_mul(p, d, d));
  double n = (double)r.span.count - correction(call);
  return sp_div(p, sum, spi_float(p, n < 0 ? 0 : n, SP_F64));
}

static void var_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  spi_span s = spi_span_of(ctx, program, node);
  spi_dims r = spi_span_dims(&s);
  spi_results(ctx, node, 2);
  spi_yields_like(ctx, program, node, 0, &r, "self");
  spi_yields_like(ctx, program, node, 1, &r, "self");
  if (!sp_dtype_is_float(s.a->dtype)) {
    spi_bad(ctx, node, "a variance of integers");
  }
}

static sp_expr var_element(const sp_call *call, const sp_expr *idx) {
  return call->result == 1 ? mean_element(call, idx) : variance(call, idx);
}

static sp_expr std_element(const sp_call *call, const sp_expr *idx) {
  return call->result == 1 ? mean_element(call, idx)
                           : sp_fn1(call->pool, "sqrt", variance(call, idx));
}

/* ---- norms ---- */

static void norm_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  real_shape(ctx, program, node);
  if (!sp_dtype_is_float(spi_arg_type(program, node, "self"))) {
    spi_bad(ctx, node, "a norm of integers");
  }
  if (spi_arg_float(ctx, node, "ord") == 0) {
    spi_unknown(ctx, node, "a norm of order 0");
  }
}

static sp_expr norm_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  reduction r = begin(call, idx);
  double ord = spi_arg_float(spi_call_ctx(call), call->node, "ord");
  sp_expr x = element(&r, SP_F64), size = sp_fn1(p, "abs", x);
  if (isinf(ord)) {
    return reduce(&r, ord > 0 ? SP_REDUCER_MAX : SP_REDUCER_MIN, SP_F64, size);
  }
  if (ord == 2) {
    return sp_fn1(p, "sqrt",
                  reduce(&r, SP_REDUCER_SUM, SP_F64, sp_mul(p, x, x)));
  }
  if (ord == 1) {
    return reduce(&r, SP_REDUCER_SUM, SP_F64, size);
  }
  sp_expr n = spi_float(p, ord, SP_F64);
  sp_expr sum = reduce(&r, SP_REDUCER_SUM, SP_F64,
                       spi_arith_power(call, size, n, SP_F64));
  return spi_arith_power(call, sum, sp_inv(p, n), SP_F64);
}

/* ---- running sums ---- */

static void running_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  spi_dims s = spi_dims_of(a);
  spi_arg_dim(ctx, node, "dim", a->n_dims);
  spi_yields_dtype(ctx, program, node, &s,
                   sp_dtype_is_float(a->dtype) ? SP_SORT_REAL : SP_SORT_INT);
}

static sp_expr running(const sp_call *call, const sp_expr *idx,
                       sp_reducer kind) {
  sp_pool *p = call->pool;
  const sp_shape *a = spi_call_arg_shape(call, "self");
  sp_dtype t = spi_out_dtype(call);
  uint32_t d = spi_arg_dim(spi_call_ctx(call), call->node, "dim", a->n_dims);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  if (a->n_dims == 0) {
    return spi_convert(call, spi_arg_read(call, "self", j), a->dtype, t);
  }
  memcpy(j, idx, a->n_dims * sizeof *j);
  j[d] = sp_fresh(p, a->dims[d]);
  sp_expr x = spi_convert(call, spi_arg_read(call, "self", j), a->dtype, t);
  sp_expr body = sp_ite(p, sp_le(p, j[d], idx[d]), x, spi_identity(p, kind, t));
  return spi_red(call, kind, t, 1, &j[d], body);
}

static sp_expr cumsum_element(const sp_call *call, const sp_expr *idx) {
  return running(call, idx, SP_REDUCER_SUM);
}

static sp_expr cumprod_element(const sp_call *call, const sp_expr *idx) {
  return running(call, idx, SP_REDUCER_PROD);
}

/* ---- rows ---- */

#define DIMS "Tensor self, int[] dim=[], bool keepdim=False"
#define SOME_DIMS "Tensor self, int[]? dim, bool keepdim=False"
#define DTYPE ", *, dtype? dtype"

SPI_ATEN(sum, DIMS DTYPE, sum_shape, sum_element,
         "out[i] = sum over k of a[i, k]", SPI_NAMES("sum", "dim_IntList"),
         "aten.sum.default")
SPI_ATEN(mean, DIMS DTYPE, real_shape, mean_element,
         "out[i] = sum over k of a[i, k] / count", SPI_NAMES("mean", "dim"),
         "aten.mean.default")
SPI_ATEN(prod, DIMS DTYPE, sum_shape, prod_element,
         "out[i] = product over k of a[i, k]", SPI_NAMES("prod", "dim_int"),
         "aten.prod.default")
SPI_ATEN(amax, DIMS, extremum_shape, amax_element, "out[i] = largest a[i, k]",
         SPI_NAMES("amax", "default"), "aten.max.default")
SPI_ATEN(amin, DIMS, extremum_shape, amin_element, "out[i] = smallest a[i, k]",
         SPI_NAMES("amin", "default"), "aten.min.default")
SPI_ATEN(any, SOME_DIMS, bool_shape, any_element,
         "out[i] = some a[i, k] is not 0", SPI_NAMES("any", "dim"),
         "aten.any.default", "aten.any.dims")
SPI_ATEN(all, SOME_DIMS, bool_shape, all_element, "out[i] = no a[i, k] is 0",
         SPI_NAMES("all", "dim"), "aten.all.default", "aten.all.dims")
SPI_ATEN(count_nonzero, "Tensor self, int[] dim=[], *, bool keepdim=False!",
         int_shape, count_nonzero_element,
         "out[i] = how many a[i, k] are not 0",
         SPI_NAMES("count_nonzero", "dim_IntList"),
         "aten.count_nonzero.default")
SPI_ATEN(logsumexp, DIMS, real_shape, logsumexp_element,
         "out[i] = log of the sum over k of exp(a[i, k])",
         SPI_NAMES("logsumexp", "default"))
SPI_ATEN(argmax, "Tensor self, int? dim, bool keepdim=False", arg_shape,
         argmax_element, "out[i] = first k with the largest a[i, k]",
         SPI_NAMES("argmax", "default"))
SPI_ATEN(argmin, "Tensor self, int? dim, bool keepdim=False", arg_shape,
         argmin_element, "out[i] = first k with the smallest a[i, k]",
         SPI_NAMES("argmin", "default"))
SPI_ATEN(max_dim, "Tensor self, int dim, bool keepdim=False", pair_shape,
         max_dim_element, "largest a[i, k] and the first such k",
         "aten.max.dim")
SPI_ATEN(min_dim, "Tensor self, int dim, bool keepdim=False", pair_shape,
         min_dim_element, "smallest a[i, k] and the first such k",
         "aten.min.dim")
SPI_ATEN(var_correction,
         "Tensor self, int[] dim=[], *, Scalar correction=1, "
         "bool keepdim=False",
         var_shape, var_element,
         "mean of squared differences from the mean (and the mean)",
         "aten.var.correction", "aten.var_mean.correction")
SPI_ATEN(var_dim,
         "Tensor self, int[] dim, bool unbiased=True, bool keepdim=False",
         var_shape, var_element,
         "mean of squared differences from the mean (and the mean)",
         "aten.var.dim", "aten.var_mean.dim")
SPI_ATEN(var,
         "Tensor self, bool unbiased=True, *, int[] dim=[], "
         "bool keepdim=False",
         var_shape, var_element,
         "mean of squared differences from the mean (and the mean)",
         "aten.var.default", "aten.var_mean.default")
SPI_ATEN(std_correction,
         "Tensor self, int[] dim=[], *, Scalar correction=1, "
         "bool keepdim=False",
         var_shape, std_element, "root of the variance", "aten.std.correction",
         "aten.std_mean.correction")
SPI_ATEN(std_dim,
         "Tensor self, int[] dim, bool unbiased=True, bool keepdim=False",
         var_shape, std_element, "root of the variance", "aten.std.dim",
         "aten.std_mean.dim")
SPI_ATEN(vector_norm,
         "Tensor self, Scalar ord=2, int[] dim=[], bool keepdim=False" DTYPE,
         norm_shape, norm_element,
         "out[i] = (sum over k of |a[i, k]|^ord)^(1/ord)",
         "aten.linalg_vector_norm.default", "torch.linalg.vector_norm",
         "aten.norm.ScalarOpt_dim", "aten.norm.Scalar", "torch.norm",
         "method.norm")
SPI_ATEN(cumsum, "Tensor self, int dim" DTYPE, running_shape, cumsum_element,
         "out[i] = sum of a[k] for k <= i", SPI_NAMES("cumsum", "default"))
SPI_ATEN(cumprod, "Tensor self, int dim" DTYPE, running_shape, cumprod_element,
         "out[i] = product of a[k] for k <= i", SPI_NAMES("cumprod", "default"))

extern const sp_op *const sp_ops_aten_reduce[];
const sp_op *const sp_ops_aten_reduce[] = {
    &sum_row,
    &mean_row,
    &prod_row,
    &amax_row,
    &amin_row,
    &any_row,
    &all_row,
    &count_nonzero_row,
    &logsumexp_row,
    &argmax_row,
    &argmin_row,
    &max_dim_row,
    &min_dim_row,
    &var_correction_row,
    &var_dim_row,
    &var_row,
    &std_correction_row,
    &std_dim_row,
    &vector_norm_row,
    &cumsum_row,
    &cumprod_row,
    NULL,
};
