/* aten_special.c: functions of reals, one by one, that are formulas of others:
 * infinities, fractions, logarithms of sums. NaN is outside. */
#include "encode/aten_util.h"

#include <float.h>
#include <string.h>

/* Floats, broadcast together; the second one may be a number. */
static void real_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  static const char *const names[] = {"self", "other"};
  spi_dims s = {0};
  for (int i = 0; i < 2; i++) {
    int64_t k = spi_arg_operand(node, names[i]);
    if (k >= 0) {
      spi_broadcast(ctx, node, &s, spi_in(program, node, (uint32_t)k));
      if (!sp_dtype_is_float(spi_in(program, node, (uint32_t)k)->dtype)) {
        spi_unknown(ctx, node, "argument %s has no floats", names[i]);
      }
    }
  }
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

static void bool_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  spi_shape_of_self(ctx, program, node, SP_SORT_BOOL);
}

static sp_expr value(const sp_call *call, const char *name,
                     const sp_expr *idx) {
  return spi_arg_value(call, name, sp_call_result_shape(call)->n_dims, idx,
                       SP_F64);
}

/* ---- infinities ---- */

static sp_expr is_infinite(const sp_call *call, const sp_expr *idx,
                           bool negative) {
  sp_pool *p = call->pool;
  return sp_eq(p, value(call, "self", idx), sp_inf(p, negative));
}

static sp_expr isposinf_element(const sp_call *call, const sp_expr *idx) {
  return is_infinite(call, idx, false);
}

static sp_expr isneginf_element(const sp_call *call, const sp_expr *idx) {
  return is_infinite(call, idx, true);
}

static void finite_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  sp_dtype t = spi_arg_type(program, node, "self");
  bool given = spi_arg_given(node, "posinf") && spi_arg_given(node, "neginf");
  if (!given && t != SP_F32 && t != SP_F64) {
    spi_unknown(ctx, node, "the largest number of type %s", sp_dtype_name(t));
  }
  real_shape(ctx, program, node);
}

/* The number that is given, or the largest of the type. */
static sp_expr instead(const sp_call *call, const char *name, double sign) {
  if (spi_arg_given(call->node, name)) {
    return spi_arg_number(call, name, SP_F64);
  }
  bool single = spi_call_arg_shape(call, "self")->dtype == SP_F32;
  return spi_float(call->pool, sign * (single ? (double)FLT_MAX : DBL_MAX),
                   single ? SP_F32 : SP_F64);
}

static sp_expr finite_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx), none = sp_real_i64(p, 0);
  spi_assume(call, SPI_FINITE);
  if (spi_arg_given(call->node, "nan")) {
    none = spi_arg_number(call, "nan", SP_F64);
  }
  return sp_ite(p, isposinf_element(call, idx), instead(call, "posinf", 1),
                sp_ite(p, isneginf_element(call, idx),
                       instead(call, "neginf", -1),
                       sp_ite(p, sp_is_nan(p, x), none, x)));
}

/* ---- formulas ---- */

static sp_expr frac_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx);
  return sp_sub(p, x, sp_fn1(p, "trunc", x));
}

static sp_expr logaddexp_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  return sp_fn1(p, "log",
                sp_add(p, sp_exp(p, value(call, "self", idx)),
                       sp_exp(p, value(call, "other", idx))));
}

/* x log(y), 0 where x is */
static sp_expr xlogy_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx), zero = sp_real_i64(p, 0);
  sp_expr e = sp_mul(p, x, sp_fn1(p, "log", value(call, "other", idx)));
  return sp_ite(p, sp_eq(p, x, zero), zero, e);
}

static sp_expr hypot_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr x = value(call, "self", idx), y = value(call, "other", idx);
  return sp_fn1(p, "sqrt", sp_add(p, sp_mul(p, x, x), sp_mul(p, y, y)));
}

/* ---- rows ---- */

SPI_ATEN(isposinf, "Tensor self", bool_shape, isposinf_element,
         "out[i] = a[i] is inf", SPI_NAMES("isposinf", "default"))
SPI_ATEN(isneginf, "Tensor self", bool_shape, isneginf_element,
         "out[i] = a[i] is -inf", SPI_NAMES("isneginf", "default"))
SPI_ATEN(nan_to_num, "Tensor self, Scalar? nan, Scalar? posinf, Scalar? neginf",
         finite_shape, finite_element,
         "out[i] = a[i], or a number for inf and -inf",
         SPI_NAMES("nan_to_num", "default"))
SPI_ATEN(frac, "Tensor self", real_shape, frac_element,
         "out[i] = a[i] - trunc(a[i])", SPI_NAMES("frac", "default"))
SPI_ATEN(logaddexp, "Tensor self, Tensor other", real_shape, logaddexp_element,
         "out[i] = log(exp(a[i]) + exp(b[i]))",
         SPI_NAMES("logaddexp", "default"))
SPI_ATEN(xlogy, "Value self, Value other", real_shape, xlogy_element,
         "out[i] = a[i] log(b[i]), 0 where a[i] is 0",
         SPI_NAMES("xlogy", "Tensor"), "aten.xlogy.Scalar_Other",
         "aten.xlogy.Scalar_Self", "aten.special_xlogy.default")
SPI_ATEN(hypot, "Tensor self, Tensor other", real_shape, hypot_element,
         "out[i] = sqrt(a[i]^2 + b[i]^2)", SPI_NAMES("hypot", "default"))

extern const sp_op *const sp_ops_aten_special[];
const sp_op *const sp_ops_aten_special[] = {
    &isposinf_row,  &isneginf_row, &nan_to_num_row, &frac_row,
    &logaddexp_row, &xlogy_row,    &hypot_row,      NULL,
};
