/* aten_activation.c: activations of neural networks, and their gradients:
 * formulas over one element, as in PyTorch's ActivationFunctions.
 *
 * x is self[i], g the gradient that comes in, y the forward's result. */
#include "encode/aten_util.h"

#include <math.h>
#include <string.h>

static void like_self(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  spi_shape_like_self(ctx, program, node);
}

static sp_expr value(const sp_call *call, const char *name,
                     const sp_expr *idx) {
  return spi_arg_value(call, name, sp_call_result_shape(call)->n_dims, idx,
                       spi_out_dtype(call));
}

static sp_expr times(sp_pool *p, double k, sp_expr e) {
  return sp_scale(p, e, sp_num_from_double(p, k, 53));
}

static sp_expr plus_one(sp_pool *p, sp_expr e) {
  return sp_add(p, sp_real_i64(p, 1), e);
}

static sp_expr one_minus(sp_pool *p, sp_expr e) {
  return sp_sub(p, sp_real_i64(p, 1), e);
}

static sp_expr sigmoid(sp_pool *p, sp_expr x) {
  return sp_fn1(p, "logistic", x);
}

/* ---- gelu ---- */

#define SQRT_HALF 0.70710678118654752440 /* as ATen has them */
#define SQRT_2_PI 0.79788456080286535588
#define INV_SQRT_2_PI 0.39894228040143267794
#define CUBIC 0.044715

static void gelu_mode(sp_ctx *ctx, const sp_node *node) {
  const char *mode = spi_arg_text(node, "approximate");
  if (mode && strcmp(mode, "none") != 0 && strcmp(mode, "tanh") != 0) {
    spi_bad(ctx, node, "approximate is %s", mode);
  }
}

static bool by_tanh(const sp_call *call) {
  const char *mode = spi_arg_text(call->node, "approximate");
  return mode && strcmp(mode, "tanh") == 0;
}

static void gelu_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  gelu_mode(ctx, node);
  like_self(ctx, program, node);
}

/* sqrt(2/pi) (x + 0.044715 x^3) */
static sp_expr inner(sp_pool *p, sp_expr x) {
  sp_expr cube = sp_mul(p, sp_mul(p, x, x), x);
  return times(p, SQRT_2_PI, sp_add(p, x, times(p, CUBIC, cube)));
}

/* x/2 (1 + erf(x / sqrt 2)), or x/2 (1 + tanh(inner)) */
static sp_expr gelu_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx);
  sp_expr s = by_tanh(call) ? sp_fn1(p, "tanh", inner(p, x))
                            : sp_fn1(p, "erf", times(p, SQRT_HALF, x));
  return times(p, 0.5, sp_mul(p, x, plus_one(p, s)));
}

static void gelu_backward_shape(sp_ctx *ctx, const sp_program *program,
                                const sp_node *node) {
  gelu_mode(ctx, node);
  spi_shape_backward(ctx, program, node);
}

static sp_expr gelu_backward_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr g = value(call, "grad_output", idx), x = value(call, "self", idx);
  sp_expr square = sp_mul(p, x, x), slope;
  if (by_tanh(call)) {
    sp_expr t = sp_fn1(p, "tanh", inner(p, x));
    sp_expr left = times(p, 0.5, plus_one(p, t));
    sp_expr dt = one_minus(p, sp_mul(p, t, t));
    sp_expr di = times(p, SQRT_2_PI, plus_one(p, times(p, 3 * CUBIC, square)));
    slope = sp_add(p, left, times(p, 0.5, sp_mul(p, x, sp_mul(p, dt, di))));
  } else {
    sp_expr erf = sp_fn1(p, "erf", times(p, SQRT_HALF, x));
    sp_expr cdf = times(p, 0.5, plus_one(p, erf));
    sp_expr pdf = times(p, INV_SQRT_2_PI, sp_exp(p, times(p, -0.5, square)));
    slope = sp_add(p, cdf, sp_mul(p, x, pdf));
  }
  return sp_mul(p, g, slope);
}

/* ---- silu, sigmoid, tanh ---- */

static sp_expr silu_element(const sp_call *call, const sp_expr *idx) {
  sp_expr x = value(call, "self", idx);
  return sp_mul(call->pool, x, sigmoid(call->pool, x));
}

static sp_expr silu_backward_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx), s = sigmoid(p, x);
  sp_expr slope = sp_mul(p, s, plus_one(p, sp_mul(p, x, one_minus(p, s))));
  return sp_mul(p, value(call, "grad_output", idx), slope);
}

static sp_expr sigmoid_backward_element(const sp_call *call,
                                        const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr y = value(call, "self", idx);
  return sp_mul(p, value(call, "grad_output", idx),
                sp_mul(p, y, one_minus(p, y)));
}

static sp_expr tanh_backward_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr y = value(call, "self", idx);
  return sp_mul(p, value(call, "grad_output", idx),
                one_minus(p, sp_mul(p, y, y)));
}

/* ---- relu and relatives ---- */

static sp_expr relu_element(const sp_call *call, const sp_expr *idx) {
  sp_dtype t = spi_out_dtype(call);
  return spi_arith_maximum(call, value(call, "self", idx),
                           spi_zero(call->pool, sp_dtype_sort(t)), t);
}

static sp_expr relu6_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  return sp_min(p, relu_element(call, idx), sp_real_i64(p, 6));
}

static void real_self(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  if (!sp_dtype_is_float(spi_arg_type(program, node, "self"))) {
    spi_bad(ctx, node, "not defined on integers");
  }
  like_self(ctx, program, node);
}

static sp_expr threshold_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_dtype t = spi_out_dtype(call);
  sp_expr x = value(call, "self", idx);
  return sp_ite(p, sp_le(p, x, spi_arg_number(call, "threshold", t)),
                spi_arg_number(call, "value", t), x);
}

static sp_expr threshold_backward_element(const sp_call *call,
                                          const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_dtype t = spi_out_dtype(call);
  return sp_ite(
      p,
      sp_le(p, value(call, "self", idx), spi_arg_number(call, "threshold", t)),
      spi_zero(p, sp_dtype_sort(t)), value(call, "grad_output", idx));
}

static sp_expr leaky(const sp_call *call, sp_expr x, sp_expr e) {
  sp_pool *p = call->pool;
  sp_expr slope = spi_arg_number(call, "negative_slope", SP_F64);
  return sp_ite(p, sp_lt(p, sp_real_i64(p, 0), x), e, sp_mul(p, slope, e));
}

static sp_expr leaky_relu_element(const sp_call *call, const sp_expr *idx) {
  sp_expr x = value(call, "self", idx);
  return leaky(call, x, x);
}

/* The result has self's sign where the slope is not negative. */
static void leaky_relu_backward_shape(sp_ctx *ctx, const sp_program *program,
                                      const sp_node *node) {
  if (spi_arg_bool(ctx, node, "self_is_result") &&
      spi_arg_float(ctx, node, "negative_slope") < 0) {
    spi_bad(ctx, node, "a negative slope in place");
  }
  spi_shape_backward(ctx, program, node);
}

static sp_expr leaky_relu_backward_element(const sp_call *call,
                                           const sp_expr *idx) {
  return leaky(call, value(call, "self", idx), value(call, "grad_output", idx));
}

static sp_expr hardtanh_backward_element(const sp_call *call,
                                         const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_dtype t = spi_out_dtype(call);
  sp_expr x = value(call, "self", idx);
  sp_expr out = sp_or(p, sp_le(p, x, spi_arg_number(call, "min_val", t)),
                      sp_le(p, spi_arg_number(call, "max_val", t), x));
  return sp_ite(p, out, spi_zero(p, sp_dtype_sort(t)),
                value(call, "grad_output", idx));
}

/* scale (x > 0 ? x : alpha (exp(input_scale x) - 1)) */
static sp_expr elu_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx);
  sp_expr in = sp_mul(p, spi_arg_number(call, "input_scale", SP_F64), x);
  sp_expr below = sp_mul(p, spi_arg_number(call, "alpha", SP_F64),
                         sp_sub(p, sp_exp(p, in), sp_real_i64(p, 1)));
  return sp_mul(p, spi_arg_number(call, "scale", SP_F64),
                sp_ite(p, sp_lt(p, sp_real_i64(p, 0), x), x, below));
}

/* self_or_result is y where is_result: above zero where x is. */
static void elu_backward_shape(sp_ctx *ctx, const sp_program *program,
                               const sp_node *node) {
  if (spi_arg_bool(ctx, node, "is_result") &&
      (spi_arg_float(ctx, node, "alpha") < 0 ||
       spi_arg_float(ctx, node, "scale") < 0)) {
    spi_bad(ctx, node, "a negative alpha or scale in place");
  }
  spi_shape_backward(ctx, program, node);
}

static sp_expr elu_backward_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx), g = value(call, "grad_output", idx);
  sp_expr scale = spi_arg_number(call, "scale", SP_F64);
  sp_expr in = spi_arg_number(call, "input_scale", SP_F64);
  sp_expr least = sp_mul(p, spi_arg_number(call, "alpha", SP_F64), scale);
  bool result = spi_arg_bool(spi_call_ctx(call), call->node, "is_result");
  sp_expr below = result ? sp_add(p, x, least)
                         : sp_mul(p, least, sp_exp(p, sp_mul(p, in, x)));
  return sp_mul(
      p, g,
      sp_ite(p, sp_lt(p, sp_real_i64(p, 0), x), scale, sp_mul(p, in, below)));
}

/* ---- softplus, logsigmoid ---- */

static sp_expr softplus_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx);
  sp_expr beta = spi_arg_number(call, "beta", SP_F64);
  sp_expr bx = sp_mul(p, beta, x);
  sp_expr soft = sp_div(p, sp_fn1(p, "log", plus_one(p, sp_exp(p, bx))), beta);
  return sp_ite(p, sp_lt(p, spi_arg_number(call, "threshold", SP_F64), bx), x,
                soft);
}

static sp_expr softplus_backward_element(const sp_call *call,
                                         const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr g = value(call, "grad_output", idx);
  sp_expr bx =
      sp_mul(p, spi_arg_number(call, "beta", SP_F64), value(call, "self", idx));
  return sp_ite(p, sp_lt(p, spi_arg_number(call, "threshold", SP_F64), bx), g,
                sp_mul(p, g, sigmoid(p, bx)));
}

static sp_expr logsigmoid_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx);
  return times(p, -1,
               sp_fn1(p, "log", plus_one(p, sp_exp(p, times(p, -1, x)))));
}

/* ---- hardsigmoid, hardswish, mish ---- */

static sp_expr hard(sp_pool *p, sp_expr x) {
  sp_expr up = sp_add(p, x, sp_real_i64(p, 3));
  sp_expr cut = sp_clamp(p, up, sp_real_i64(p, 0), sp_real_i64(p, 6));
  return sp_scale(p, cut, sp_num_ratio(p, 1, 6));
}

static sp_expr hardsigmoid_element(const sp_call *call, const sp_expr *idx) {
  return hard(call->pool, value(call, "self", idx));
}

static sp_expr hardswish_element(const sp_call *call, const sp_expr *idx) {
  sp_expr x = value(call, "self", idx);
  return sp_mul(call->pool, x, hard(call->pool, x));
}

static sp_expr mish_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx);
  sp_expr soft = sp_fn1(p, "log", plus_one(p, sp_exp(p, x)));
  return sp_mul(p, x, sp_fn1(p, "tanh", soft));
}

/* x <= -3 ? 0 : x < 3 ? between : beyond */
static sp_expr by_threes(sp_pool *p, sp_expr x, sp_expr between,
                         sp_expr beyond) {
  sp_expr inside = sp_ite(p, sp_lt(p, x, sp_real_i64(p, 3)), between, beyond);
  return sp_ite(p, sp_le(p, x, sp_real_i64(p, -3)), sp_real_i64(p, 0), inside);
}

static sp_expr hardsigmoid_backward_element(const sp_call *call,
                                            const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr slope =
      sp_scale(p, value(call, "grad_output", idx), sp_num_ratio(p, 1, 6));
  return by_threes(p, value(call, "self", idx), slope, sp_real_i64(p, 0));
}

static sp_expr hardswish_backward_element(const sp_call *call,
                                          const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx), g = value(call, "grad_output", idx);
  sp_expr slope = sp_add(p, sp_scale(p, x, sp_num_ratio(p, 1, 3)),
                         sp_real(p, sp_num_ratio(p, 1, 2)));
  return by_threes(p, x, sp_mul(p, g, slope), g);
}

static sp_expr mish_backward_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx);
  sp_expr t = sp_fn1(p, "tanh", sp_fn1(p, "log", plus_one(p, sp_exp(p, x))));
  sp_expr bend =
      sp_mul(p, sp_mul(p, x, sigmoid(p, x)), one_minus(p, sp_mul(p, t, t)));
  return sp_mul(p, value(call, "grad_output", idx), sp_add(p, t, bend));
}

/* ---- glu: the first half times the sigmoid of the second ---- */

static void glu_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  uint32_t d = spi_arg_dim(ctx, node, "dim", s.n);
  if (s.n == 0 || s.d[d] % 2 != 0) {
    spi_bad(ctx, node, "dimension %u has no halves", d);
  }
  s.d[d] /= 2;
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr glu_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_shape *r = sp_call_result_shape(call);
  uint32_t d = spi_arg_dim(spi_call_ctx(call), call->node, "dim", r->n_dims);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  memcpy(j, idx, r->n_dims * sizeof *j);
  j[d] = sp_iaddc(p, idx[d], r->dims[d]);
  return sp_mul(p, spi_arg_read(call, "self", idx),
                sigmoid(p, spi_arg_read(call, "self", j)));
}

static void glu_backward_shape(sp_ctx *ctx, const sp_program *program,
                               const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  spi_dims half = s;
  uint32_t d = spi_arg_dim(ctx, node, "dim", s.n);
  if (s.n == 0 || s.d[d] % 2 != 0) {
    spi_bad(ctx, node, "dimension %u has no halves", d);
  }
  half.d[d] /= 2;
  spi_broadcasts_to(ctx, node, spi_arg_shape(ctx, program, node, "grad_output"),
                    &half);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

/* Of the first half g s, of the second g a s (1 - s), s the sigmoid of b. */
static sp_expr glu_backward_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_shape *r = sp_call_result_shape(call);
  uint32_t d = spi_arg_dim(spi_call_ctx(call), call->node, "dim", r->n_dims);
  int64_t n = r->dims[d] / 2;
  sp_expr a[SP_MAX_DIMS] = {{0}}, b[SP_MAX_DIMS] = {{0}};
  memcpy(a, idx, r->n_dims * sizeof *a);
  memcpy(b, idx, r->n_dims * sizeof *b);
  a[d] = sp_imod(p, idx[d], n > 0 ? n : 1);
  b[d] = sp_iaddc(p, a[d], n);
  sp_expr s = sigmoid(p, spi_arg_read(call, "self", b));
  sp_expr bend = sp_mul(p, spi_arg_read(call, "self", a), one_minus(p, s));
  sp_expr first = sp_lt(p, idx[d], sp_int(p, n));
  sp_expr g = spi_arg_value(call, "grad_output", r->n_dims, a, SP_F64);
  return sp_mul(p, sp_mul(p, g, s), sp_ite(p, first, sp_real_i64(p, 1), bend));
}

/* ---- rows ---- */

#define MODE ", *, str approximate=none"
#define GRAD "Tensor grad_output, Tensor self"

SPI_ATEN(gelu, "Tensor self" MODE, gelu_shape, gelu_element,
         "out[i] = x/2 (1 + erf(x / sqrt(2))), or by tanh", "aten.gelu.default",
         "torch._C._nn.gelu", "torch.nn.functional.gelu")
SPI_ATEN(gelu_backward, GRAD MODE, gelu_backward_shape, gelu_backward_element,
         "out[i] = g times the slope of gelu at x",
         "aten.gelu_backward.default")
SPI_ATEN(silu, "Tensor self, any? inplace", real_self, silu_element,
         "out[i] = x / (1 + exp(-x))", "aten.silu.default",
         "torch.nn.functional.silu", "torch._C._nn.silu")
SPI_ATEN(silu_backward, GRAD, spi_shape_backward, silu_backward_element,
         "out[i] = g s (1 + x (1 - s)), s = 1 / (1 + exp(-x))",
         "aten.silu_backward.default")
SPI_ATEN(sigmoid_backward, GRAD, spi_shape_backward, sigmoid_backward_element,
         "out[i] = g y (1 - y)", "aten.sigmoid_backward.default")
SPI_ATEN(tanh_backward, GRAD, spi_shape_backward, tanh_backward_element,
         "out[i] = g (1 - y y)", "aten.tanh_backward.default")
SPI_ATEN(relu, "Tensor self, any? inplace", like_self, relu_element,
         "out[i] = max(x, 0)", SPI_NAMES("relu", "default"),
         "torch.nn.functional.relu")
SPI_ATEN(relu6, "Tensor self, any? inplace", real_self, relu6_element,
         "out[i] = min(max(x, 0), 6)", "aten.relu6.default",
         "torch.nn.functional.relu6")
SPI_ATEN(threshold, "Tensor self, Scalar threshold, Scalar value", like_self,
         threshold_element, "out[i] = x <= threshold ? value : x",
         "aten.threshold.default", "torch.threshold")
SPI_ATEN(threshold_backward, GRAD ", Scalar threshold", spi_shape_backward,
         threshold_backward_element, "out[i] = x <= threshold ? 0 : g",
         "aten.threshold_backward.default")
SPI_ATEN(leaky_relu, "Tensor self, Scalar negative_slope=0.01, any? inplace",
         real_self, leaky_relu_element, "out[i] = x > 0 ? x : slope x",
         "aten.leaky_relu.default", "torch.nn.functional.leaky_relu")
SPI_ATEN(leaky_relu_backward,
         GRAD ", Scalar negative_slope, bool self_is_result",
         leaky_relu_backward_shape, leaky_relu_backward_element,
         "out[i] = x > 0 ? g : slope g", "aten.leaky_relu_backward.default")
SPI_ATEN(hardtanh_backward, GRAD ", Scalar min_val, Scalar max_val",
         spi_shape_backward, hardtanh_backward_element,
         "out[i] = min_val < x < max_val ? g : 0",
         "aten.hardtanh_backward.default")
SPI_ATEN(elu,
         "Tensor self, Scalar alpha=1.0, Scalar scale=1.0, "
         "Scalar input_scale=1.0",
         real_self, elu_element,
         "out[i] = scale (x > 0 ? x : alpha (exp(input_scale x) - 1))",
         "aten.elu.default")
SPI_ATEN(elu_backward,
         "Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, "
         "bool is_result, Tensor self",
         elu_backward_shape, elu_backward_element,
         "out[i] = g scale (x > 0 ? 1 : alpha input_scale exp(input_scale x))",
         "aten.elu_backward.default")
SPI_ATEN(softplus, "Tensor self, Scalar beta=1.0, Scalar threshold=20.0",
         real_self, softplus_element,
         "out[i] = log(1 + exp(beta x)) / beta, x above the threshold",
         "aten.softplus.default", "torch.nn.functional.softplus",
         "torch._C._nn.softplus")
SPI_ATEN(softplus_backward, GRAD ", Scalar beta, Scalar threshold",
         spi_shape_backward, softplus_backward_element,
         "out[i] = g / (1 + exp(-beta x)), g above the threshold",
         "aten.softplus_backward.default")
SPI_ATEN(logsigmoid, "Tensor self", real_self, logsigmoid_element,
         "out[i] = -log(1 + exp(-x))", "torch.nn.functional.logsigmoid",
         "torch._C._nn.log_sigmoid", "aten.log_sigmoid.default")
SPI_ATEN(hardsigmoid, "Tensor self, any? inplace", real_self,
         hardsigmoid_element, "out[i] = min(max(x + 3, 0), 6) / 6",
         "aten.hardsigmoid.default", "torch.nn.functional.hardsigmoid")
SPI_ATEN(hardswish, "Tensor self, any? inplace", real_self, hardswish_element,
         "out[i] = x min(max(x + 3, 0), 6) / 6", "aten.hardswish.default",
         "torch.nn.functional.hardswish")
SPI_ATEN(mish, "Tensor self, any? inplace", real_self, mish_element,
         "out[i] = x tanh(log(1 + exp(x)))", "aten.mish.default",
         "torch.nn.functional.mish")
SPI_ATEN(glu, "Tensor self, int dim=-1", glu_shape, glu_element,
         "out[i] = a[i] / (1 + exp(-a[i + n]))", "aten.glu.default",
         "torch.nn.functional.glu")
SPI_ATEN(hardsigmoid_backward, GRAD, spi_shape_backward,
         hardsigmoid_backward_element, "out[i] = -3 < x < 3 ? g / 6 : 0",
         "aten.hardsigmoid_backward.default")
SPI_ATEN(hardswish_backward, GRAD, spi_shape_backward,
         hardswish_backward_element,
         "out[i] = x <= -3 ? 0 : x < 3 ? g (x / 3 + 1/2) : g",
         "aten.hardswish_backward.default")
SPI_ATEN(mish_backward, GRAD, spi_shape_backward, mish_backward_element,
         "out[i] = g (t + x s (1 - t t)), s = 1 / (1 + exp(-x)), "
         "t = tanh(log(1 + exp(x)))",
         "aten.mish_backward.default")
SPI_ATEN(glu_backward, GRAD ", int dim", glu_backward_shape,
         glu_backward_element,
         "gradients of the first half g s, of the second g a s (1 - s)",
         "aten.glu_backward.default")

extern const sp_op *const sp_ops_aten_activation[];
const sp_op *const sp_ops_aten_activation[] = {
    &gelu_row,
    &gelu_backward_row,
    &silu_row,
    &silu_backward_row,
    &sigmoid_backward_row,
    &tanh_backward_row,
    &relu_row,
    &relu6_row,
    &threshold_row,
    &threshold_backward_row,
    &leaky_relu_row,
    &leaky_relu_backward_row,
    &hardtanh_backward_row,
    &elu_row,
    &elu_backward_row,
    &softplus_row,
    &softplus_backward_row,
    &logsigmoid_row,
    &hardsigmoid_row,
    &hardswish_row,
    &mish_row,
    &glu_row,
    &hardsigmoid_backward_row,
    &hardswish_backward_row,
    &mish_backward_row,
    &glu_backward_row,
    NULL,
};
