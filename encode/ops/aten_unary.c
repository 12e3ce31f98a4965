/* aten_unary.c: out[i] = f(a[i]). Functions of reals take integers, too: they
 * are converted first. Activations: aten_activation.c. */
#include "encode/aten_util.h"

#include <string.h>

static void real_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  spi_shape_of_self(ctx, program, node, SP_SORT_REAL);
}

static void bool_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  spi_shape_of_self(ctx, program, node, SP_SORT_BOOL);
}

static void number_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  if (spi_arg_type(program, node, "self") == SP_PRED) {
    spi_bad(ctx, node, "not defined on booleans");
  }
  spi_shape_like_self(ctx, program, node);
}

static void bits_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  if (sp_dtype_is_float(spi_arg_type(program, node, "self"))) {
    spi_bad(ctx, node, "not defined on floats");
  }
  spi_shape_like_self(ctx, program, node);
}

/* a[i] in the result's type */
static sp_expr self(const sp_call *call, const sp_expr *idx) {
  return spi_arg_value(call, "self", sp_call_result_shape(call)->n_dims, idx,
                       spi_out_dtype(call));
}

/* ---- named functions of reals ---- */

#define NAMED(id, function)                                                    \
  static sp_expr id##_element(const sp_call *call, const sp_expr *idx) {       \
    return sp_fn1(call->pool, function, self(call, idx));                      \
  }

NAMED(exp, "exp")
NAMED(log, "log")
NAMED(sqrt, "sqrt")
NAMED(rsqrt, "rsqrt")
NAMED(reciprocal, "inv")
NAMED(sin, "sin")
NAMED(cos, "cos")
NAMED(tan, "tan")
NAMED(asin, "asin")
NAMED(acos, "acos")
NAMED(atan, "atan")
NAMED(sinh, "sinh")
NAMED(cosh, "cosh")
NAMED(tanh, "tanh")
NAMED(asinh, "asinh")
NAMED(acosh, "acosh")
NAMED(atanh, "atanh")
NAMED(erf, "erf")
NAMED(sigmoid, "logistic")

static sp_expr one(sp_pool *p) {
  return sp_real_i64(p, 1);
}

static sp_expr ln(sp_pool *p, int64_t n) {
  return sp_fn1(p, "log", sp_real_i64(p, n));
}

static sp_expr expm1_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  return sp_sub(p, sp_exp(p, self(call, idx)), one(p));
}

static sp_expr exp2_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  return sp_exp(p, sp_mul(p, self(call, idx), ln(p, 2)));
}

static sp_expr log1p_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  return sp_fn1(p, "log", sp_add(p, one(p), self(call, idx)));
}

static sp_expr log2_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  return sp_div(p, sp_fn1(p, "log", self(call, idx)), ln(p, 2));
}

static sp_expr log10_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  return sp_div(p, sp_fn1(p, "log", self(call, idx)), ln(p, 10));
}

static sp_expr erfc_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  return sp_sub(p, one(p), sp_fn1(p, "erf", self(call, idx)));
}

/* ---- rounding: integers, and reals that are visibly integers, stay ---- */

static sp_expr rounded(const sp_call *call, const sp_expr *idx,
                       const char *function) {
  sp_pool *p = call->pool;
  sp_expr a = self(call, idx);
  if (sp_sort_of(p, a) != SP_SORT_REAL || spi_as_int(p, a).v) {
    return a;
  }
  return sp_fn1(p, function, a);
}

#define ROUNDED(id, function)                                                  \
  static sp_expr id##_element(const sp_call *call, const sp_expr *idx) {       \
    return rounded(call, idx, function);                                       \
  }

ROUNDED(floor, "floor")
ROUNDED(ceil, "ceil")
ROUNDED(trunc, "trunc")
ROUNDED(round, "round_even")

/* ---- arithmetic ---- */

static sp_expr neg_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = self(call, idx);
  return spi_arith_subtract(call, spi_zero(p, sp_sort_of(p, a)), a,
                            spi_out_dtype(call));
}

static sp_expr abs_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = self(call, idx);
  if (sp_sort_of(p, a) == SP_SORT_REAL) {
    return sp_fn1(p, "abs", a);
  }
  return sp_dtype_is_unsigned(spi_out_dtype(call))
             ? a
             : spi_wrap(call, sp_max(p, a, sp_iscale(p, a, -1)),
                        spi_out_dtype(call));
}

static sp_expr sign_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = self(call, idx), zero = sp_int(p, 0);
  if (sp_sort_of(p, a) != SP_SORT_INT) {
    return sp_ite(p, sp_is_nan(p, a), sp_real_i64(p, 0), sp_fn1(p, "sign", a));
  }
  return sp_ite(p, sp_lt(p, zero, a), sp_int(p, 1),
                sp_ite(p, sp_lt(p, a, zero), sp_int(p, -1), zero));
}

static sp_expr square_element(const sp_call *call, const sp_expr *idx) {
  sp_expr a = self(call, idx);
  return spi_arith_multiply(call, a, a, spi_out_dtype(call));
}

/* ---- bits and truth ---- */

static sp_expr bitwise_not_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = self(call, idx);
  if (sp_sort_of(p, a) == SP_SORT_BOOL) {
    return sp_not(p, a);
  }
  int64_t lo, hi;
  spi_dtype_range(spi_out_dtype(call), &lo, &hi);
  if (spi_out_dtype(call) == SP_U64) {
    return sp_fn(p, SP_SORT_INT, "not.u64", 1, &a);
  }
  /* signed: -1 - a; unsigned: 2^w - 1 - a */
  return sp_isub(p, sp_int(p, lo + hi), a);
}

static sp_expr logical_not_element(const sp_call *call, const sp_expr *idx) {
  return sp_not(call->pool, self(call, idx));
}

static sp_expr isnan_element(const sp_call *call, const sp_expr *idx) {
  sp_expr a = spi_arg_read(call, "self", idx);
  if (sp_sort_of(call->pool, a) != SP_SORT_REAL) {
    return sp_bool(call->pool, false);
  }
  spi_assume(call, SPI_FINITE);
  return sp_is_nan(call->pool, a);
}

/* Infinities do occur: masks are made of them. */
static sp_expr isinf_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = spi_arg_read(call, "self", idx);
  if (sp_sort_of(p, a) != SP_SORT_REAL) {
    return sp_bool(p, false);
  }
  return sp_or(p, sp_eq(p, a, sp_inf(p, false)), sp_eq(p, a, sp_inf(p, true)));
}

static sp_expr isfinite_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = spi_arg_read(call, "self", idx), no = isinf_element(call, idx);
  if (sp_sort_of(p, a) == SP_SORT_REAL) {
    no = sp_or(p, no, sp_is_nan(p, a));
  }
  return sp_not(p, no);
}

/* ---- rows ---- */

#define REAL(id, text)                                                         \
  SPI_ATEN(id, "Tensor self", real_shape, id##_element, "out[i] = " text,      \
           SPI_NAMES(#id, "default"), "prims." #id ".default")

REAL(exp, "exp(a[i])")
REAL(log, "log(a[i])")
REAL(sqrt, "sqrt(a[i])")
REAL(rsqrt, "1 / sqrt(a[i])")
REAL(reciprocal, "1 / a[i]")
REAL(sin, "sin(a[i])")
REAL(cos, "cos(a[i])")
REAL(tan, "tan(a[i])")
REAL(asin, "asin(a[i])")
REAL(acos, "acos(a[i])")
REAL(atan, "atan(a[i])")
REAL(sinh, "sinh(a[i])")
REAL(cosh, "cosh(a[i])")
REAL(tanh, "tanh(a[i])")
REAL(asinh, "asinh(a[i])")
REAL(acosh, "acosh(a[i])")
REAL(atanh, "atanh(a[i])")
REAL(erf, "erf(a[i])")
REAL(erfc, "1 - erf(a[i])")
REAL(expm1, "exp(a[i]) - 1")
REAL(exp2, "2 to the a[i]")
REAL(log1p, "log(1 + a[i])")
REAL(log2, "log(a[i]) / log(2)")
REAL(log10, "log(a[i]) / log(10)")
SPI_ATEN(sigmoid, "Tensor self", real_shape, sigmoid_element,
         "out[i] = 1 / (1 + exp(-a[i]))", SPI_NAMES("sigmoid", "default"),
         "torch.nn.functional.sigmoid", "torch.special.expit")
SPI_ATEN(floor, "Tensor self", number_shape, floor_element,
         "out[i] = floor(a[i])", SPI_NAMES("floor", "default"))
SPI_ATEN(ceil, "Tensor self", number_shape, ceil_element, "out[i] = ceil(a[i])",
         SPI_NAMES("ceil", "default"))
SPI_ATEN(trunc, "Tensor self", number_shape, trunc_element,
         "out[i] = a[i] without its fraction", SPI_NAMES("trunc", "default"),
         "aten.fix.default")
SPI_ATEN(round, "Tensor self", number_shape, round_element,
         "out[i] = a[i] rounded, ties to even", SPI_NAMES("round", "default"))
SPI_ATEN(neg, "Tensor self", number_shape, neg_element, "out[i] = -a[i]",
         SPI_NAMES("neg", "default"), "operator.neg", "prims.neg.default")
SPI_ATEN(abs, "Tensor self", number_shape, abs_element, "out[i] = |a[i]|",
         SPI_NAMES("abs", "default"), "operator.abs", "prims.abs.default")
SPI_ATEN(sign, "Tensor self", number_shape, sign_element,
         "out[i] = sign of a[i]", SPI_NAMES("sign", "default"),
         "aten.sgn.default", "prims.sign.default")
SPI_ATEN(square, "Tensor self", number_shape, square_element,
         "out[i] = a[i] * a[i]", SPI_NAMES("square", "default"))
SPI_ATEN(bitwise_not, "Tensor self", bits_shape, bitwise_not_element,
         "out[i] = not a[i], bit by bit for integers",
         SPI_NAMES("bitwise_not", "default"), "operator.invert")
SPI_ATEN(logical_not, "Tensor self", bool_shape, logical_not_element,
         "out[i] = a[i] is zero", SPI_NAMES("logical_not", "default"))
SPI_ATEN(isnan, "Tensor self", bool_shape, isnan_element,
         "out[i] = a[i] is NaN: in proofs, false",
         SPI_NAMES("isnan", "default"))
SPI_ATEN(isinf, "Tensor self", bool_shape, isinf_element,
         "out[i] = a[i] is infinite", SPI_NAMES("isinf", "default"))
SPI_ATEN(isfinite, "Tensor self", bool_shape, isfinite_element,
         "out[i] = a[i] is finite", SPI_NAMES("isfinite", "default"))

extern const sp_op *const sp_ops_aten_unary[];
const sp_op *const sp_ops_aten_unary[] = {
    &exp_row,         &log_row,         &sqrt_row,
    &rsqrt_row,       &sin_row,         &cos_row,
    &tan_row,         &reciprocal_row,  &asin_row,
    &acos_row,        &atan_row,        &sinh_row,
    &cosh_row,        &tanh_row,        &asinh_row,
    &acosh_row,       &atanh_row,       &erf_row,
    &erfc_row,        &expm1_row,       &exp2_row,
    &log1p_row,       &log2_row,        &log10_row,
    &floor_row,       &ceil_row,        &trunc_row,
    &sigmoid_row,     &round_row,       &neg_row,
    &abs_row,         &sign_row,        &square_row,
    &bitwise_not_row, &logical_not_row, &isnan_row,
    &isinf_row,       &isfinite_row,    NULL,
};
