/* elementwise_unary.c: out[i] = f(a[i]).
 *
 * Functions of reals are named functions (sp_fn1); the simplifier and the
 * solver know laws of some of them. Integers have their own rows' branches:
 * machine integers are two's complement (spi_wrap). */
#include "encode/op_util.h"

#include <stddef.h>
#include <string.h>

static const sp_op_attr function_attrs[] = {
    /* a wish about rounding */
    {"result_accuracy", SP_ATTR_TEXT, false, true},
    {0},
};

static void unary_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  spi_shape_identity(ctx, program, node);
}

static void real_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  unary_shape(ctx, program, node);
  if (!sp_dtype_is_float(spi_in(program, node, 0)->dtype)) {
    spi_bad(ctx, node, "operand 0 is not a float");
  }
}

static void arithmetic_shape(sp_ctx *ctx, const sp_program *program,
                             const sp_node *node) {
  unary_shape(ctx, program, node);
  if (spi_in(program, node, 0)->dtype == SP_PRED) {
    spi_bad(ctx, node, "operand 0 is a predicate");
  }
}

static void bits_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  unary_shape(ctx, program, node);
  if (sp_dtype_is_float(spi_in(program, node, 0)->dtype)) {
    spi_bad(ctx, node, "operand 0 is a float");
  }
}

static void int_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  unary_shape(ctx, program, node);
  if (!sp_dtype_is_int(spi_in(program, node, 0)->dtype)) {
    spi_bad(ctx, node, "operand 0 is not an integer");
  }
}

static void is_finite_shape(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  const sp_shape *s = spi_in(program, node, 0);
  spi_expect_results(ctx, node, 1);
  spi_expect(ctx, program, node, 0, s->n_dims, s->dims);
  if (!sp_dtype_is_float(s->dtype) ||
      spi_out(program, node, 0)->dtype != SP_PRED) {
    spi_bad(ctx, node, "takes floats and gives predicates");
  }
}

/* ---- named functions of reals ---- */

static const struct {
  const char *opcode, *function;
} functions[] = {
    {"hlo:acos", "acos"},         {"hlo:acosh", "acosh"},
    {"hlo:asin", "asin"},         {"hlo:asinh", "asinh"},
    {"hlo:atanh", "atanh"},       {"hlo:cbrt", "cbrt"},
    {"hlo:cosh", "cosh"},         {"hlo:cosine", "cos"},
    {"hlo:erf", "erf"},           {"hlo:log", "log"},
    {"hlo:logistic", "logistic"}, {"hlo:rsqrt", "rsqrt"},
    {"hlo:sine", "sin"},          {"hlo:sinh", "sinh"},
    {"hlo:sqrt", "sqrt"},         {"hlo:tan", "tan"},
    {"hlo:tanh", "tanh"},
};

static sp_expr function_element(const sp_call *call, const sp_expr *idx) {
  sp_expr a = sp_call_read(call, 0, idx);
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    if (strcmp(functions[i].opcode, call->node->op) == 0) {
      return sp_fn1(call->pool, functions[i].function, a);
    }
  }
  spi_unknown(sp_pool_ctx(call->pool), call->node, "no such function");
}

static sp_expr exp_element(const sp_call *call, const sp_expr *idx) {
  return sp_exp(call->pool, sp_call_read(call, 0, idx));
}

static sp_expr expm1_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  return sp_sub(p, sp_exp(p, sp_call_read(call, 0, idx)), sp_real_i64(p, 1));
}

static sp_expr log1p_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = sp_call_read(call, 0, idx);
  return sp_fn1(p, "log", sp_add(p, sp_real_i64(p, 1), a));
}

static sp_expr is_finite_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  if (sp_pool_has_nan(p)) { /* x - x is 0 of numbers only */
    sp_expr a = sp_call_read(call, 0, idx);
    return sp_eq(p, sp_sub(p, a, a), sp_real_i64(p, 0));
  }
  spi_assume(call, SPI_FINITE);
  return sp_bool(p, true);
}

/* Rounding leaves reals that are visibly integers alone. */
static sp_expr round_element(const sp_call *call, const sp_expr *idx,
                             const char *function) {
  sp_expr a = sp_call_read(call, 0, idx);
  return spi_as_int(call->pool, a).v ? a : sp_fn1(call->pool, function, a);
}

static sp_expr floor_element(const sp_call *call, const sp_expr *idx) {
  return round_element(call, idx, "floor");
}

static sp_expr ceil_element(const sp_call *call, const sp_expr *idx) {
  return round_element(call, idx, "ceil");
}

static sp_expr round_afz_element(const sp_call *call, const sp_expr *idx) {
  return round_element(call, idx, "round");
}

static sp_expr round_even_element(const sp_call *call, const sp_expr *idx) {
  return round_element(call, idx, "round_even");
}

/* ---- arithmetic ---- */

static sp_expr negate_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = sp_call_read(call, 0, idx);
  if (sp_sort_of(p, a) == SP_SORT_INT) {
    return spi_wrap(call, sp_iscale(p, a, -1), spi_out_dtype(call));
  }
  return sp_scale(p, a, sp_num_from_i64(p, -1));
}

static sp_expr abs_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = sp_call_read(call, 0, idx);
  if (sp_sort_of(p, a) != SP_SORT_INT) {
    return sp_fn1(p, "abs", a);
  }
  if (sp_dtype_is_unsigned(spi_out_dtype(call))) {
    return a;
  }
  /* |minimum| wraps to the minimum */
  return spi_wrap(call, sp_max(p, a, sp_iscale(p, a, -1)), spi_out_dtype(call));
}

static sp_expr sign_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = sp_call_read(call, 0, idx), zero = sp_int(p, 0);
  if (sp_sort_of(p, a) != SP_SORT_INT) {
    return sp_fn1(p, "sign", a);
  }
  return sp_ite(p, sp_lt(p, zero, a), sp_int(p, 1),
                sp_ite(p, sp_lt(p, a, zero), sp_int(p, -1), zero));
}

/* ---- bits ---- */

static sp_expr not_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = sp_call_read(call, 0, idx);
  sp_dtype t = spi_out_dtype(call);
  if (sp_sort_of(p, a) == SP_SORT_BOOL) {
    return sp_not(p, a);
  }
  if (t == SP_U64) {
    return sp_fn(p, SP_SORT_INT, "not.u64", 1, &a);
  }
  int64_t lo, hi;
  spi_dtype_range(t, &lo, &hi);
  /* signed: -1 - a; unsigned: 2^w - 1 - a */
  return sp_isub(p, sp_int(p, lo + hi), a);
}

static sp_expr count_element(const sp_call *call, const sp_expr *idx,
                             const char *function,
                             int64_t (*count)(int64_t, sp_dtype)) {
  sp_pool *p = call->pool;
  sp_expr a = sp_call_read(call, 0, idx), var;
  sp_dtype t = spi_out_dtype(call);
  int64_t n, *v;
  if (spi_points(p, 1, &a, &var, &n, &v)) {
    for (int64_t x = 0; x < n; x++) {
      v[x] = count(v[x], t);
    }
    return n == 1 ? sp_int(p, v[0]) : sp_table(p, v, n, var);
  }
  /* the width matters: counts differ from type to type */
  const char *name =
      sp_format(sp_pool_ctx(p), "%s.%s", function, sp_dtype_name(t));
  return sp_fn(p, SP_SORT_INT, name, 1, &a);
}

static sp_expr popcnt_element(const sp_call *call, const sp_expr *idx) {
  return count_element(call, idx, "popcnt", spi_value_popcnt);
}

static sp_expr clz_element(const sp_call *call, const sp_expr *idx) {
  return count_element(call, idx, "clz", spi_value_clz);
}

#define ROW(id, opcode, shape_fn, element_fn, attrs_list, text)                \
  static const char *const id##_spellings[] = {"hlo:" opcode, NULL};           \
  static const sp_op id##_row = {                                              \
      .name = opcode,                                                          \
      .spellings = id##_spellings,                                             \
      .attrs = attrs_list,                                                     \
      .min_operands = 1,                                                       \
      .max_operands = 1,                                                       \
      .shape = shape_fn,                                                       \
      .element = element_fn,                                                   \
      .meaning = "out[i] = " text,                                             \
  };

#define FUNCTION(id, opcode, text)                                             \
  ROW(id, opcode, real_shape, function_element, function_attrs, text)

FUNCTION(acos, "acos", "acos(a[i])")
FUNCTION(acosh, "acosh", "acosh(a[i])")
FUNCTION(asin, "asin", "asin(a[i])")
FUNCTION(asinh, "asinh", "asinh(a[i])")
FUNCTION(atanh, "atanh", "atanh(a[i])")
FUNCTION(cbrt, "cbrt", "cube root of a[i]")
FUNCTION(cosh, "cosh", "cosh(a[i])")
FUNCTION(cosine, "cosine", "cos(a[i])")
FUNCTION(erf, "erf", "erf(a[i])")
FUNCTION(log, "log", "log(a[i])")
FUNCTION(logistic, "logistic", "1 / (1 + exp(-a[i]))")
FUNCTION(rsqrt, "rsqrt", "1 / sqrt(a[i])")
FUNCTION(sine, "sine", "sin(a[i])")
FUNCTION(sinh, "sinh", "sinh(a[i])")
FUNCTION(sqrt, "sqrt", "sqrt(a[i])")
FUNCTION(tan, "tan", "tan(a[i])")
FUNCTION(tanh, "tanh", "tanh(a[i])")
ROW(exponential, "exponential", real_shape, exp_element, function_attrs,
    "exp(a[i])")
ROW(expm1, "exponential-minus-one", real_shape, expm1_element, function_attrs,
    "exp(a[i]) - 1")
ROW(log1p, "log-plus-one", real_shape, log1p_element, function_attrs,
    "log(1 + a[i])")
ROW(is_finite, "is-finite", is_finite_shape, is_finite_element, NULL,
    "true (all values are assumed to be finite)")
ROW(floor, "floor", real_shape, floor_element, NULL, "floor(a[i])")
ROW(ceil, "ceil", real_shape, ceil_element, NULL, "ceil(a[i])")
ROW(round_afz, "round-nearest-afz", real_shape, round_afz_element, NULL,
    "a[i] rounded, ties away from zero")
ROW(round_even, "round-nearest-even", real_shape, round_even_element, NULL,
    "a[i] rounded, ties to even")
ROW(negate, "negate", arithmetic_shape, negate_element, NULL, "-a[i]")
ROW(abs, "abs", arithmetic_shape, abs_element, NULL, "|a[i]|")
ROW(sign, "sign", arithmetic_shape, sign_element, NULL, "sign of a[i]")
ROW(not, "not", bits_shape, not_element, NULL,
    "not a[i], bit by bit for integers")
ROW(popcnt, "popcnt", int_shape, popcnt_element, NULL, "one bits of a[i]")
ROW(clz, "count-leading-zeros", int_shape, clz_element, NULL,
    "leading zero bits of a[i]")

extern const sp_op *const sp_ops_elementwise_unary[];
const sp_op *const sp_ops_elementwise_unary[] = {
    &abs_row,       &acos_row,   &acosh_row,     &asin_row,        &asinh_row,
    &atanh_row,     &cbrt_row,   &ceil_row,      &clz_row,         &cosh_row,
    &cosine_row,    &erf_row,    &expm1_row,     &exponential_row, &floor_row,
    &is_finite_row, &log1p_row,  &log_row,       &logistic_row,    &negate_row,
    &not_row,       &popcnt_row, &round_afz_row, &round_even_row,  &rsqrt_row,
    &sign_row,      &sine_row,   &sinh_row,      &sqrt_row,        &tan_row,
    &tanh_row,      NULL,
};
