/* aten_foreach.c: _foreach_*: one operator on each tensor of a list, as
 * optimizers use them. Result k is
 *   f(self[k][i], other[k][i], ...)
 * where an argument that is no list is the same for all k: a number, or a
 * tensor with one element. Floats only. */
#include "encode/aten_util.h"

#include <math.h>
#include <string.h>

static const char *const list_names[] = {"self",     "other",   "exponent",
                                         "tensors1", "tensor1", "tensor2",
                                         "weights",  "src"};

/* Operand of item k of a list; -1: the argument is no list of the row. */
static int64_t item(const sp_node *node, const char *name, uint32_t k) {
  uint32_t n;
  const int64_t *v = spi_arg_operands(node, name, &n);
  return k < n ? v[k] : -1;
}

/* ---- shapes ---- */

/* The items are floats, as many in each list, and broadcast to those of
 * self. */
static uint32_t check_lists(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  uint32_t n, m;
  spi_arg_operands(node, "self", &n);
  for (uint32_t i = 0; i < sizeof list_names / sizeof *list_names; i++) {
    const int64_t *v = spi_arg_operands(node, list_names[i], &m);
    if (v && m != n) {
      spi_bad(ctx, node, "%s has %u tensors, self %u", list_names[i], m, n);
    }
    for (uint32_t k = 0; v && k < n; k++) {
      if (v[k] < 0) {
        spi_bad(ctx, node, "%s has no tensor %u", list_names[i], k);
      }
      const sp_shape *x = spi_in(program, node, (uint32_t)v[k]);
      spi_dims s =
          spi_dims_of(spi_in(program, node, (uint32_t)item(node, "self", k)));
      if (!sp_dtype_is_float(x->dtype)) {
        spi_unknown(ctx, node, "%s has tensors that are no floats",
                    list_names[i]);
      }
      spi_broadcasts_to(ctx, node, x, &s);
    }
  }
  static const char *const numbers[] = {"other", "exponent", "value"};
  for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const double *v = spi_arg_floats(ctx, node, numbers[i], &m);
    for (uint32_t k = 0; v && k < m; k++) {
      if (m != n || !isfinite(v[k])) {
        spi_bad(ctx, node, "%s has %u numbers for %u tensors, or infinite ones",
                numbers[i], m, n);
      }
    }
  }
  spi_results(ctx, node, n);
  return n;
}

static void each_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  uint32_t n = check_lists(ctx, program, node);
  int64_t scalar = spi_arg_operand(node, "other");
  if (scalar >= 0 && spi_in(program, node, (uint32_t)scalar)->n_dims != 0) {
    spi_unknown(ctx, node, "argument other is a tensor with dimensions");
  }
  for (uint32_t k = 0; k < n && k < node->n_out; k++) {
    spi_dims s =
        spi_dims_of(spi_in(program, node, (uint32_t)item(node, "self", k)));
    spi_yields(ctx, program, node, k, &s, SP_SORT_REAL);
  }
}

static void norm_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  uint32_t n = check_lists(ctx, program, node);
  spi_dims scalar = {0};
  double ord = spi_arg_float(ctx, node, "ord");
  if (ord != 1 && ord != 2 && !(isinf(ord) && ord > 0)) {
    spi_unknown(ctx, node, "a norm of order %g", ord);
  }
  for (uint32_t k = 0; k < n && k < node->n_out; k++) {
    spi_yields(ctx, program, node, k, &scalar, SP_SORT_REAL);
  }
}

/* ---- elements ---- */

/* Item call->result of a list at idx; of something else its value. */
static sp_expr value(const sp_call *call, const char *name,
                     const sp_expr *idx) {
  const sp_shape *r = sp_call_result_shape(call);
  int64_t k = item(call->node, name, call->result);
  if (k < 0) {
    uint32_t n;
    const double *v = spi_arg_floats(spi_call_ctx(call), call->node, name, &n);
    return v ? spi_float(call->pool, v[call->result], SP_F64)
             : spi_arg_value(call, name, r->n_dims, idx, SP_F64);
  }
  sp_expr e = spi_read_broadcast(call, (uint32_t)k, r->n_dims, idx);
  return spi_convert(call, e, spi_in_dtype(call, (uint32_t)k), SP_F64);
}

static sp_expr binary(const sp_call *call, const sp_expr *idx, spi_arith_fn f) {
  return f(call, value(call, "self", idx), value(call, "other", idx), SP_F64);
}

#define BINARY(id, f)                                                          \
  static sp_expr id##_element(const sp_call *call, const sp_expr *idx) {       \
    return binary(call, idx, f);                                               \
  }

BINARY(mul, spi_arith_multiply)
BINARY(div, spi_arith_divide)
BINARY(maximum, spi_arith_maximum)
BINARY(minimum, spi_arith_minimum)

static sp_expr scaled(const sp_call *call, const sp_expr *idx) {
  if (!strstr(sp_op_find(call->node->op)->params, "alpha")) {
    return value(call, "other", idx);
  }
  return sp_mul(call->pool, spi_arg_number(call, "alpha", SP_F64),
                value(call, "other", idx));
}

static sp_expr add_element(const sp_call *call, const sp_expr *idx) {
  return sp_add(call->pool, value(call, "self", idx), scaled(call, idx));
}

static sp_expr sub_element(const sp_call *call, const sp_expr *idx) {
  return sp_sub(call->pool, value(call, "self", idx), scaled(call, idx));
}

static sp_expr pow_element(const sp_call *call, const sp_expr *idx) {
  return spi_arith_power(call, value(call, "self", idx),
                         value(call, "exponent", idx), SP_F64);
}

#define UNARY(id, f)                                                           \
  static sp_expr id##_element(const sp_call *call, const sp_expr *idx) {       \
    return sp_fn1(call->pool, f, value(call, "self", idx));                    \
  }

UNARY(sqrt, "sqrt")
UNARY(rsqrt, "rsqrt")
UNARY(reciprocal, "inv")
UNARY(abs, "abs")
UNARY(exp, "exp")
UNARY(log, "log")
UNARY(sign, "sign")

static sp_expr neg_element(const sp_call *call, const sp_expr *idx) {
  return sp_scale(call->pool, value(call, "self", idx),
                  sp_num_from_i64(call->pool, -1));
}

static sp_expr copy_element(const sp_call *call, const sp_expr *idx) {
  return value(call, "src", idx);
}

static sp_expr zero_element(const sp_call *call, const sp_expr *idx) {
  (void)idx;
  return sp_real_i64(call->pool, 0);
}

static sp_expr lerp_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = value(call, "self", idx);
  sp_expr d = sp_sub(p, value(call, "tensors1", idx), a);
  return sp_add(p, a, sp_mul(p, value(call, "weights", idx), d));
}

static sp_expr ternary(const sp_call *call, const sp_expr *idx,
                       spi_arith_fn f) {
  sp_pool *p = call->pool;
  sp_expr e =
      f(call, value(call, "tensor1", idx), value(call, "tensor2", idx), SP_F64);
  e = sp_mul(p, value(call, "value", idx), e);
  return sp_add(p, value(call, "self", idx), e);
}

static sp_expr addcmul_element(const sp_call *call, const sp_expr *idx) {
  return ternary(call, idx, spi_arith_multiply);
}

static sp_expr addcdiv_element(const sp_call *call, const sp_expr *idx) {
  return ternary(call, idx, spi_arith_divide);
}

static sp_expr norm_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  double ord = spi_arg_float(spi_call_ctx(call), call->node, "ord");
  uint32_t k = (uint32_t)item(call->node, "self", call->result);
  const sp_shape *s = sp_call_shape(call, k);
  sp_expr vars[SP_MAX_DIMS];
  (void)idx;
  for (uint32_t d = 0; d < s->n_dims; d++) {
    vars[d] = sp_fresh(p, s->dims[d]);
  }
  sp_expr x = sp_call_read(call, k, vars);
  if (ord == 2) {
    sp_expr sum = spi_sum(call, s->n_dims, vars, sp_mul(p, x, x));
    return sp_fn1(p, "sqrt", sum);
  }
  x = sp_fn1(p, "abs", x);
  return ord == 1 ? spi_sum(call, s->n_dims, vars, x)
                  : spi_red(call, SP_REDUCER_MAX, SP_F64, s->n_dims, vars, x);
}

/* ---- rows ---- */

#define EACH(id, list, one, numbers, text)                                     \
  SPI_ATEN(foreach_##id##_list, "Tensor[] self, Tensor[] " list, each_shape,   \
           id##_element, text, "aten._foreach_" #id ".List")                   \
  SPI_ATEN(foreach_##id, "Tensor[] self, Value " one, each_shape,              \
           id##_element, text, "aten._foreach_" #id ".Scalar",                 \
           "aten._foreach_" #id ".Tensor")                                     \
  SPI_ATEN(foreach_##id##_numbers, "Tensor[] self, float[] " numbers,          \
           each_shape, id##_element, text, "aten._foreach_" #id ".ScalarList")
#define ONE(id, text)                                                          \
  SPI_ATEN(foreach_##id, "Tensor[] self", each_shape, id##_element,            \
           "out_k[i] = " text, "aten._foreach_" #id ".default")
#define TWO "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2"

EACH(add, "other, *, Scalar alpha=1", "other, *, Scalar alpha=1", "other",
     "out_k[i] = a_k[i] + alpha b_k[i]")
EACH(sub, "other, *, Scalar alpha=1", "other, *, Scalar alpha=1!", "other",
     "out_k[i] = a_k[i] - alpha b_k[i]")
EACH(mul, "other", "other", "other", "out_k[i] = a_k[i] * b_k[i]")
EACH(div, "other", "other", "other", "out_k[i] = a_k[i] / b_k[i]")
EACH(pow, "exponent", "exponent", "exponent", "out_k[i] = a_k[i] to the b_k[i]")
EACH(maximum, "other", "other", "other", "out_k[i] = max(a_k[i], b_k[i])")
EACH(minimum, "other", "other", "other", "out_k[i] = min(a_k[i], b_k[i])")
SPI_ATEN(foreach_clamp_min_list, "Tensor[] self, Tensor[] other", each_shape,
         maximum_element, "out_k[i] = max(a_k[i], b_k[i])",
         "aten._foreach_clamp_min.List")
SPI_ATEN(foreach_clamp_min, "Tensor[] self, Value other", each_shape,
         maximum_element, "out_k[i] = max(a_k[i], b)",
         "aten._foreach_clamp_min.Scalar")
SPI_ATEN(foreach_clamp_max_list, "Tensor[] self, Tensor[] other", each_shape,
         minimum_element, "out_k[i] = min(a_k[i], b_k[i])",
         "aten._foreach_clamp_max.List")
SPI_ATEN(foreach_clamp_max, "Tensor[] self, Value other", each_shape,
         minimum_element, "out_k[i] = min(a_k[i], b)",
         "aten._foreach_clamp_max.Scalar")
ONE(sqrt, "sqrt(a_k[i])")
ONE(rsqrt, "1 / sqrt(a_k[i])")
ONE(reciprocal, "1 / a_k[i]")
ONE(abs, "|a_k[i]|")
ONE(exp, "exp(a_k[i])")
ONE(log, "log(a_k[i])")
ONE(sign, "sign of a_k[i]")
ONE(neg, "-a_k[i]")
ONE(zero, "0")
SPI_ATEN(foreach_copy, "Tensor[] self, Tensor[] src, any? non_blocking",
         each_shape, copy_element, "out_k[i] = b_k[i]",
         "aten._foreach_copy.default")
SPI_ATEN(foreach_lerp_list,
         "Tensor[] self, Tensor[] tensors1, Tensor[] weights", each_shape,
         lerp_element, "out_k[i] = a_k[i] + w_k[i] * (b_k[i] - a_k[i])",
         "aten._foreach_lerp.List")
SPI_ATEN(foreach_lerp, "Tensor[] self, Tensor[] tensors1, Scalar weights",
         each_shape, lerp_element,
         "out_k[i] = a_k[i] + weight * (b_k[i] - a_k[i])",
         "aten._foreach_lerp.Scalar")
SPI_ATEN(foreach_addcmul, TWO ", Scalar value=1", each_shape, addcmul_element,
         "out_k[i] = a_k[i] + value * b_k[i] * c_k[i]",
         "aten._foreach_addcmul.Scalar")
SPI_ATEN(foreach_addcdiv, TWO ", Scalar value=1", each_shape, addcdiv_element,
         "out_k[i] = a_k[i] + value * b_k[i] / c_k[i]",
         "aten._foreach_addcdiv.Scalar")
SPI_ATEN(foreach_addcmul_numbers, TWO ", float[] value", each_shape,
         addcmul_element, "out_k[i] = a_k[i] + value_k * b_k[i] * c_k[i]",
         "aten._foreach_addcmul.ScalarList")
SPI_ATEN(foreach_addcdiv_numbers, TWO ", float[] value", each_shape,
         addcdiv_element, "out_k[i] = a_k[i] + value_k * b_k[i] / c_k[i]",
         "aten._foreach_addcdiv.ScalarList")
SPI_ATEN(foreach_norm, "Tensor[] self, Scalar ord=2, any? dtype!", norm_shape,
         norm_element, "out_k = (sum over i of |a_k[i]|^ord)^(1/ord)",
         "aten._foreach_norm.Scalar")

extern const sp_op *const sp_ops_aten_foreach[];
const sp_op *const sp_ops_aten_foreach[] = {
    &foreach_add_list_row,
    &foreach_add_row,
    &foreach_add_numbers_row,
    &foreach_sub_list_row,
    &foreach_sub_row,
    &foreach_sub_numbers_row,
    &foreach_mul_list_row,
    &foreach_mul_row,
    &foreach_mul_numbers_row,
    &foreach_div_list_row,
    &foreach_div_row,
    &foreach_div_numbers_row,
    &foreach_pow_list_row,
    &foreach_pow_row,
    &foreach_pow_numbers_row,
    &foreach_maximum_list_row,
    &foreach_maximum_row,
    &foreach_maximum_numbers_row,
    &foreach_minimum_list_row,
    &foreach_minimum_row,
    &foreach_minimum_numbers_row,
    &foreach_clamp_min_list_row,
    &foreach_clamp_min_row,
    &foreach_clamp_max_list_row,
    &foreach_clamp_max_row,
    &foreach_sqrt_row,
    &foreach_rsqrt_row,
    &foreach_reciprocal_row,
    &foreach_abs_row,
    &foreach_exp_row,
    &foreach_log_row,
    &foreach_sign_row,
    &foreach_neg_row,
    &foreach_zero_row,
    &foreach_copy_row,
    &foreach_lerp_list_row,
    &foreach_lerp_row,
    &foreach_addcmul_row,
    &foreach_addcdiv_row,
    &foreach_addcmul_numbers_row,
    &foreach_addcdiv_numbers_row,
    &foreach_norm_row,
    NULL,
};
