/* aten_shrink.c: more activations (aten_activation.c has the common ones), and
 * their gradients.
 *
 * x is self[i], g the gradient that comes in, w the slope of negative x, one
 * for all or one a channel. */
#include "encode/aten_util.h"

#include <string.h>

static void like_self(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  spi_shape_of_self(ctx, program, node, SP_SORT_REAL);
}

static sp_expr value(const sp_call *call, const char *name,
                     const sp_expr *idx) {
  return spi_arg_value(call, name, sp_call_result_shape(call)->n_dims, idx,
                       SP_F64);
}

static sp_expr number(const sp_call *call, const char *name) {
  return spi_arg_number(call, name, SP_F64);
}

static sp_expr zero(const sp_call *call) {
  return sp_real_i64(call->pool, 0);
}

static sp_expr minus(const sp_call *call, sp_expr e) {
  return sp_scale(call->pool, e, sp_num_from_i64(call->pool, -1));
}

/* ---- log sigmoid: (out, buffer); on GPUs the buffer is empty ---- */

static void log_sigmoid_shape(sp_ctx *ctx, const sp_program *program,
                              const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  spi_results(ctx, node, 2);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
  const sp_shape *buffer = node->n_out > 1 ? spi_out(program, node, 1) : NULL;
  if (buffer &&
      (buffer->dtype == SP_DTYPE_INVALID || sp_shape_elements(buffer) != 0)) {
    spi_yields(ctx, program, node, 1, &s, SP_SORT_REAL);
  }
}

/* -log(1 + exp(-x)); exp(-|x|), as on CPUs */
static sp_expr log_sigmoid_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx), one = sp_real_i64(p, 1);
  if (call->result == 1) {
    return sp_exp(p, minus(call, sp_fn1(p, "abs", x)));
  }
  sp_expr e = sp_add(p, one, sp_exp(p, minus(call, x)));
  return minus(call, sp_fn1(p, "log", e));
}

/* g (1 - z / (1 + z)) for x < 0, else g z / (1 + z), z = exp(-|x|) or what the
 * buffer says it is */
static sp_expr log_sigmoid_backward_element(const sp_call *call,
                                            const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx), one = sp_real_i64(p, 1);
  bool given = sp_shape_elements(spi_call_arg_shape(call, "buffer")) != 0;
  sp_expr z = given ? value(call, "buffer", idx)
                    : sp_exp(p, minus(call, sp_fn1(p, "abs", x)));
  sp_expr part = sp_div(p, z, sp_add(p, one, z));
  sp_expr e = sp_ite(p, sp_lt(p, x, zero(call)), sp_sub(p, one, part), part);
  return sp_mul(p, value(call, "grad_output", idx), e);
}

static void log_sigmoid_backward_shape(sp_ctx *ctx, const sp_program *program,
                                       const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  const sp_shape *buffer = spi_arg_shape(ctx, program, node, "buffer");
  if (sp_shape_elements(buffer) != 0) {
    spi_expect_operand(ctx, program, node,
                       (uint32_t)spi_arg_operand(node, "buffer"), a->n_dims,
                       a->dims);
  }
  spi_shape_backward(ctx, program, node);
}

/* ---- x below a limit counts as 0 ---- */

static void shrink_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  bool backward = strstr(sp_op_find(node->op)->params, "grad_output") != NULL;
  if (spi_arg_float(ctx, node, "lambd") < 0) {
    spi_unknown(ctx, node, "argument lambd is negative");
  }
  (backward ? spi_shape_backward : like_self)(ctx, program, node);
}

/* -lambd <= x <= lambd */
static sp_expr is_small(const sp_call *call, sp_expr x) {
  sp_pool *p = call->pool;
  sp_expr limit = number(call, "lambd");
  return sp_and(p, sp_le(p, minus(call, limit), x), sp_le(p, x, limit));
}

static sp_expr hardshrink_element(const sp_call *call, const sp_expr *idx) {
  sp_expr x = value(call, "self", idx);
  return sp_ite(call->pool, is_small(call, x), zero(call), x);
}

static sp_expr softshrink_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx), limit = number(call, "lambd");
  sp_expr e =
      sp_ite(p, sp_lt(p, limit, x), sp_sub(p, x, limit), sp_add(p, x, limit));
  return sp_ite(p, is_small(call, x), zero(call), e);
}

static sp_expr shrink_backward_element(const sp_call *call,
                                       const sp_expr *idx) {
  return sp_ite(call->pool, is_small(call, value(call, "self", idx)),
                zero(call), value(call, "grad_output", idx));
}

/* ---- prelu: one slope, or one a channel (dimension 1) ---- */

static void check_slopes(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  const sp_shape *w = spi_arg_shape(ctx, program, node, "weight");
  int64_t channels = a->n_dims < 2 ? 1 : a->dims[1];
  if (sp_shape_elements(w) != 1 && (w->n_dims != 1 || w->dims[0] != channels)) {
    spi_bad(ctx, node, "%lld slopes for %lld channels",
            (long long)sp_shape_elements(w), (long long)channels);
  }
  like_self(ctx, program, node);
}

static sp_expr sloped(const sp_call *call, sp_expr x, sp_expr w) {
  sp_pool *p = call->pool;
  return sp_ite(p, sp_lt(p, zero(call), x), x, sp_mul(p, w, x));
}

static sp_expr prelu_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *w = spi_call_arg_shape(call, "weight");
  sp_expr at[SP_MAX_DIMS];
  for (uint32_t d = 0; d < w->n_dims; d++) {
    at[d] = w->dims[d] == 1 ? sp_int(call->pool, 0) : idx[1];
  }
  return sloped(call, value(call, "self", idx),
                spi_arg_read(call, "weight", at));
}

static void kernel_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  bool backward = strstr(sp_op_find(node->op)->params, "grad_output") != NULL;
  spi_broadcasts_to(ctx, node, spi_arg_shape(ctx, program, node, "weight"), &s);
  if (backward) {
    spi_expect_operand(ctx, program, node,
                       (uint32_t)spi_arg_operand(node, "grad_output"), s.n,
                       s.d);
  }
  spi_results(ctx, node, backward ? 2 : 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
  spi_yields(ctx, program, node, 1, &s, SP_SORT_REAL);
}

static sp_expr kernel_element(const sp_call *call, const sp_expr *idx) {
  return sloped(call, value(call, "self", idx), value(call, "weight", idx));
}

static sp_expr kernel_backward_element(const sp_call *call,
                                       const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx), g = value(call, "grad_output", idx);
  sp_expr up = sp_lt(p, zero(call), x);
  return call->result == 0
             ? sp_ite(p, up, g, sp_mul(p, value(call, "weight", idx), g))
             : sp_ite(p, up, zero(call), sp_mul(p, x, g));
}

/* ---- pieces of exp ---- */

/* x > 0 ? scale x : scale alpha (exp(x / alpha_in) - 1) */
static sp_expr exp_below(const sp_call *call, sp_expr x, sp_expr scale,
                         sp_expr alpha, sp_expr by) {
  sp_pool *p = call->pool;
  sp_expr low = sp_sub(p, sp_exp(p, sp_div(p, x, by)), sp_real_i64(p, 1));
  return sp_ite(p, sp_lt(p, zero(call), x), sp_mul(p, scale, x),
                sp_mul(p, sp_mul(p, scale, alpha), low));
}

static sp_expr selu_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr scale = spi_float(p, 1.0507009873554804934193349852946, SP_F64);
  sp_expr alpha = spi_float(p, 1.6732632423543772848170429916717, SP_F64);
  return exp_below(call, value(call, "self", idx), scale, alpha,
                   sp_real_i64(p, 1));
}

static sp_expr celu_element(const sp_call *call, const sp_expr *idx) {
  sp_expr alpha = number(call, "alpha");
  return exp_below(call, value(call, "self", idx), sp_real_i64(call->pool, 1),
                   alpha, alpha);
}

static void celu_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  if (spi_arg_float(ctx, node, "alpha") <= 0) {
    spi_unknown(ctx, node, "argument alpha is not positive");
  }
  like_self(ctx, program, node);
}

static sp_expr softsign_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx);
  return sp_div(p, x, sp_add(p, sp_real_i64(p, 1), sp_fn1(p, "abs", x)));
}

/* ---- rows ---- */

#define GRAD "Tensor grad_output, Tensor self"

SPI_ATEN(log_sigmoid_forward, "Tensor self", log_sigmoid_shape,
         log_sigmoid_element, "out[i] = -log(1 + exp(-x)); exp(-|x|)",
         "aten.log_sigmoid_forward.default")
SPI_ATEN(log_sigmoid_backward, GRAD ", Tensor buffer",
         log_sigmoid_backward_shape, log_sigmoid_backward_element,
         "out[i] = g / (1 + exp(x))", "aten.log_sigmoid_backward.default")
SPI_ATEN(hardshrink, "Tensor self, Scalar lambd=0.5", shrink_shape,
         hardshrink_element, "out[i] = |x| <= lambd ? 0 : x",
         "aten.hardshrink.default", "torch.nn.functional.hardshrink")
SPI_ATEN(softshrink, "Tensor self, Scalar lambd=0.5", shrink_shape,
         softshrink_element, "out[i] = x, nearer to 0 by lambd",
         "aten.softshrink.default", "torch.nn.functional.softshrink")
SPI_ATEN(shrink_backward, GRAD ", Scalar lambd", shrink_shape,
         shrink_backward_element, "out[i] = |x| <= lambd ? 0 : g",
         "aten.hardshrink_backward.default", "aten.softshrink_backward.default")
SPI_ATEN(prelu, "Tensor self, Tensor weight", check_slopes, prelu_element,
         "out[i] = x > 0 ? x : w x", "aten.prelu.default", "torch.prelu",
         "torch.nn.functional.prelu")
SPI_ATEN(prelu_kernel, "Tensor self, Tensor weight", kernel_shape,
         kernel_element, "out[i] = x > 0 ? x : w x",
         "aten._prelu_kernel.default")
SPI_ATEN(prelu_kernel_backward, GRAD ", Tensor weight", kernel_shape,
         kernel_backward_element, "x > 0 ? g : w g; x > 0 ? 0 : x g",
         "aten._prelu_kernel_backward.default")
SPI_ATEN(selu, "Tensor self, any? inplace", like_self, selu_element,
         "out[i] = scale (x > 0 ? x : alpha (exp(x) - 1))", "aten.selu.default",
         "torch.selu", "torch.nn.functional.selu")
SPI_ATEN(celu, "Tensor self, Scalar alpha=1.0, any? inplace", celu_shape,
         celu_element, "out[i] = x > 0 ? x : alpha (exp(x / alpha) - 1)",
         "aten.celu.default", "torch.celu", "torch.nn.functional.celu")
SPI_ATEN(softsign, "Tensor self", like_self, softsign_element,
         "out[i] = x / (1 + |x|)", "torch.nn.functional.softsign")

extern const sp_op *const sp_ops_aten_shrink[];
const sp_op *const sp_ops_aten_shrink[] = {
    &log_sigmoid_forward_row,
    &log_sigmoid_backward_row,
    &hardshrink_row,
    &softshrink_row,
    &shrink_backward_row,
    &prelu_row,
    &prelu_kernel_row,
    &prelu_kernel_backward_row,
    &selu_row,
    &celu_row,
    &softsign_row,
    NULL,
};
