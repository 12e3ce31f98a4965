/* aten_norm.c: layer norm, RMS norm, and gradients.
 *
 * A row is what is normalized together: the last dimensions, in number those
 * of normalized_shape. With N elements in it:
 *   mean = sum x / N,  rstd = 1 / sqrt(sum (x - mean)^2 / N + eps)
 *   layer norm: (x - mean) rstd w + b;   RMS norm: x w / sqrt(sum x^2 / N +
 * eps)
 */
#include "encode/aten_util.h"

#include <string.h>

typedef struct row {
  const sp_call *call;
  sp_pool *p;
  const sp_shape *a;
  uint32_t outer, inner; /* dimensions */
  int64_t count;
} row;

static uint32_t inner_dims(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  uint32_t n;
  const int64_t *v = spi_arg_ints(ctx, node, "normalized_shape", &n);
  if (n == 0 || n > a->n_dims) {
    spi_bad(ctx, node, "normalizes %u of %u dimensions", n, a->n_dims);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (v[i] != a->dims[a->n_dims - n + i]) {
      spi_bad(ctx, node, "normalized_shape has %lld where self has %lld",
              (long long)v[i], (long long)a->dims[a->n_dims - n + i]);
    }
  }
  return n;
}

static row row_of(const sp_call *call) {
  row r = {.call = call, .p = call->pool, .count = 1};
  r.a = spi_call_arg_shape(call, "self");
  r.inner = inner_dims(spi_call_ctx(call), call->program, call->node);
  r.outer = r.a->n_dims - r.inner;
  for (uint32_t d = r.outer; d < r.a->n_dims; d++) {
    r.count *= r.a->dims[d];
  }
  return r;
}

/* ---- shapes ---- */

/* self's sizes where the normalized dimensions are 1. */
static spi_dims row_dims(const sp_shape *a, uint32_t inner) {
  spi_dims s = spi_dims_of(a);
  for (uint32_t i = 0; i < inner; i++) {
    s.d[s.n - 1 - i] = 1;
  }
  return s;
}

static void check_affine(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node, uint32_t inner,
                         const char *name) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  int64_t k = spi_arg_operand(node, name);
  if (k >= 0) {
    spi_expect_operand(ctx, program, node, (uint32_t)k, inner,
                       a->dims + a->n_dims - inner);
  }
}

/* The result, then one or two numbers a row. */
static void forward_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  uint32_t inner = inner_dims(ctx, program, node);
  spi_dims s = spi_dims_of(a), rows = row_dims(a, inner);
  check_affine(ctx, program, node, inner, "weight");
  check_affine(ctx, program, node, inner, "bias");
  spi_results(ctx, node, 3);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
  spi_yields(ctx, program, node, 1, &rows, SP_SORT_REAL);
  spi_yields(ctx, program, node, 2, &rows, SP_SORT_REAL);
}

static void layer_norm_shape(sp_ctx *ctx, const sp_program *program,
                             const sp_node *node) {
  spi_results(ctx, node, 1);
  forward_shape(ctx, program, node);
}

/* Gradients of self, weight and bias. Statistics are one number a row, in any
 * number of dimensions. */
static void backward_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  uint32_t inner = inner_dims(ctx, program, node), n;
  spi_dims s = spi_dims_of(a), rows = row_dims(a, inner);
  spi_dims w = {.n = inner};
  memcpy(w.d, a->dims + a->n_dims - inner, inner * sizeof *w.d);
  static const char *const stats[] = {"mean", "rstd"};
  for (int i = 0; i < 2; i++) {
    int64_t k = spi_arg_operand(node, stats[i]);
    if (k >= 0) {
      spi_expect_operand(ctx, program, node, (uint32_t)k, rows.n, rows.d);
    }
  }
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "grad_out"), s.n, s.d);
  check_affine(ctx, program, node, inner, "weight");
  spi_arg_ints(ctx, node, "output_mask", &n);
  spi_results(ctx, node, 3);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
  spi_yields(ctx, program, node, 1, &w, SP_SORT_REAL);
  spi_yields(ctx, program, node, 2, &w, SP_SORT_REAL);
}

/* ---- rows of self ---- */

/* An index of self: outer coordinates from idx, inner new variables. */
typedef struct walk {
  uint32_t n;
  sp_expr vars[SP_MAX_DIMS], at[SP_MAX_DIMS];
} walk;

static walk along_row(const row *r, const sp_expr *idx) {
  walk w = {.n = r->inner};
  for (uint32_t d = 0; d < r->a->n_dims; d++) {
    w.at[d] = d < r->outer ? idx[d] : sp_fresh(r->p, r->a->dims[d]);
    if (d >= r->outer) {
      w.vars[d - r->outer] = w.at[d];
    }
  }
  return w;
}

static sp_expr x_at(const row *r, const sp_expr *at) {
  return spi_arg_read(r->call, "self", at);
}

static sp_expr row_mean(const row *r, const sp_expr *idx) {
  walk w = along_row(r, idx);
  return spi_over(r->p, spi_sum(r->call, w.n, w.vars, x_at(r, w.at)), r->count);
}

/* The number that is added: eps, or the type's unit of rounding. For narrow
 * types PyTorch's versions differ in whether that is f32's. */
static sp_expr epsilon(const row *r) {
  if (spi_arg_given(r->call->node, "eps")) {
    return spi_arg_number(r->call, "eps", SP_F64);
  }
  if (r->a->dtype != SP_F32 && r->a->dtype != SP_F64) {
    spi_unknown(sp_pool_ctx(r->p), r->call->node, "eps is None for %s",
                sp_dtype_name(r->a->dtype));
  }
  int bits = r->a->dtype == SP_F64 ? 52 : 23;
  return sp_real(r->p, sp_num_ratio(r->p, 1, (int64_t)1 << bits));
}

/* 1 / sqrt(mean of (x - mean)^2 + eps); mean.v = 0: of x^2 */
static sp_expr row_rstd(const row *r, const sp_expr *idx, sp_expr mean) {
  walk w = along_row(r, idx);
  sp_expr x = x_at(r, w.at);
  sp_expr d = mean.v ? sp_sub(r->p, x, mean) : x;
  sp_expr sum = spi_sum(r->call, w.n, w.vars, sp_mul(r->p, d, d));
  return sp_fn1(r->p, "rsqrt",
                sp_add(r->p, spi_over(r->p, sum, r->count), epsilon(r)));
}

/* times weight, plus bias */
static sp_expr affine(const row *r, const sp_expr *idx, sp_expr e) {
  if (spi_arg_operand(r->call->node, "weight") >= 0) {
    e = sp_mul(r->p, e, spi_arg_read(r->call, "weight", idx + r->outer));
  }
  if (spi_arg_operand(r->call->node, "bias") >= 0) {
    e = sp_add(r->p, e, spi_arg_read(r->call, "bias", idx + r->outer));
  }
  return e;
}

static sp_expr layer_norm_element(const sp_call *call, const sp_expr *idx) {
  row r = row_of(call);
  sp_expr mean = row_mean(&r, idx);
  if (call->result == 1) {
    return mean;
  }
  sp_expr rstd = row_rstd(&r, idx, mean);
  if (call->result == 2) {
    return rstd;
  }
  sp_expr d = sp_sub(r.p, x_at(&r, idx), mean);
  return affine(&r, idx, sp_mul(r.p, d, rstd));
}

static sp_expr rms_norm_element(const sp_call *call, const sp_expr *idx) {
  row r = row_of(call);
  sp_expr none = {0}, rstd = row_rstd(&r, idx, none);
  return call->result == 1 ? rstd
                           : affine(&r, idx, sp_mul(r.p, x_at(&r, idx), rstd));
}

/* ---- gradients ---- */

/* The statistic of a row: dimensions of size 1 where self is normalized. */
static sp_expr statistic(const row *r, const char *name, const sp_expr *at) {
  sp_expr j[SP_MAX_DIMS];
  for (uint32_t d = 0; d < r->a->n_dims; d++) {
    j[d] = d < r->outer ? at[d] : sp_int(r->p, 0);
  }
  return spi_arg_read(r->call, name, j);
}

static bool has_mean(const sp_call *call) {
  return spi_arg_operand(call->node, "mean") >= 0;
}

/* (x - mean) rstd, with the statistics that the call is given */
static sp_expr normalized(const row *r, const sp_expr *at) {
  sp_expr x = x_at(r, at);
  if (has_mean(r->call)) {
    x = sp_sub(r->p, x, statistic(r, "mean", at));
  }
  return sp_mul(r->p, x, statistic(r, "rstd", at));
}

/* g w */
static sp_expr weighted(const row *r, const sp_expr *at) {
  sp_expr g = spi_arg_read(r->call, "grad_out", at);
  if (spi_arg_operand(r->call->node, "weight") < 0) {
    return g;
  }
  return sp_mul(r->p, g, spi_arg_read(r->call, "weight", at + r->outer));
}

/* rstd (g w - mean of g w - xhat mean of (g w xhat)); RMS norm has no mean */
static sp_expr self_gradient(const row *r, const sp_expr *idx) {
  walk a = along_row(r, idx), b = along_row(r, idx);
  sp_pool *p = r->p;
  sp_expr along = spi_sum(r->call, b.n, b.vars,
                          sp_mul(p, weighted(r, b.at), normalized(r, b.at)));
  sp_expr e =
      sp_sub(p, weighted(r, idx),
             sp_mul(p, normalized(r, idx), spi_over(p, along, r->count)));
  if (has_mean(r->call)) {
    sp_expr sum = spi_sum(r->call, a.n, a.vars, weighted(r, a.at));
    e = sp_sub(p, e, spi_over(p, sum, r->count));
  }
  return sp_mul(p, statistic(r, "rstd", idx), e);
}

/* Sums over all rows: of g xhat for the weight, of g for the bias. */
static sp_expr affine_gradient(const row *r, const sp_expr *idx, bool bias) {
  sp_expr vars[SP_MAX_DIMS], at[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < r->a->n_dims; d++) {
    at[d] = d < r->outer ? sp_fresh(r->p, r->a->dims[d]) : idx[d - r->outer];
    if (d < r->outer) {
      vars[d] = at[d];
    }
  }
  sp_expr g = spi_arg_read(r->call, "grad_out", at);
  return spi_sum(r->call, r->outer, vars,
                 bias ? g : sp_mul(r->p, g, normalized(r, at)));
}

static sp_expr backward_element(const sp_call *call, const sp_expr *idx) {
  row r = row_of(call);
  return call->result == 0 ? self_gradient(&r, idx)
                           : affine_gradient(&r, idx, call->result == 2);
}

/* ---- rows ---- */

#define ROW_OF "Tensor self, int[] normalized_shape"
#define LAYER_NORM "out = (x - mean) / sqrt(variance + eps) * w + b"
#define RMS_NORM "out = x / sqrt(mean of x^2 + eps) * w"

SPI_ATEN(native_layer_norm, ROW_OF ", Tensor? weight, Tensor? bias, Scalar eps",
         forward_shape, layer_norm_element,
         LAYER_NORM "; mean; 1 / sqrt(variance + eps)",
         "aten.native_layer_norm.default")
SPI_ATEN(layer_norm,
         ROW_OF ", Tensor? weight, Tensor? bias, Scalar eps=1e-05, "
                "any? cudnn_enable",
         layer_norm_shape, layer_norm_element, LAYER_NORM,
         "aten.layer_norm.default", "torch.nn.functional.layer_norm",
         "torch.layer_norm")
SPI_ATEN(native_layer_norm_backward,
         "Tensor grad_out, " ROW_OF ", Tensor mean, Tensor rstd, "
         "Tensor? weight, Tensor? bias, int[] output_mask",
         backward_shape, backward_element,
         "gradients of a layer norm's input, weight and bias",
         "aten.native_layer_norm_backward.default")
SPI_ATEN(fused_rms_norm, ROW_OF ", Tensor? weight, Scalar? eps", forward_shape,
         rms_norm_element, RMS_NORM "; 1 / sqrt(mean of x^2 + eps)",
         "aten._fused_rms_norm.default")
SPI_ATEN(rms_norm, ROW_OF ", Tensor? weight, Scalar? eps", layer_norm_shape,
         rms_norm_element, RMS_NORM, "aten.rms_norm.default", "torch.rms_norm",
         "torch.nn.functional.rms_norm")
SPI_ATEN(fused_rms_norm_backward,
         "Tensor grad_out, " ROW_OF ", Tensor rstd, Tensor? weight, "
         "int[] output_mask",
         backward_shape, backward_element,
         "gradients of an RMS norm's input and weight",
         "aten._fused_rms_norm_backward.default")

extern const sp_op *const sp_ops_aten_norm[];
const sp_op *const sp_ops_aten_norm[] = {
    &native_layer_norm_row,
    &layer_norm_row,
    &native_layer_norm_backward_row,
    &fused_rms_norm_row,
    &rms_norm_row,
    &fused_rms_norm_backward_row,
    NULL,
};
