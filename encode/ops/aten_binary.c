/* aten_binary.c: out[i] = f(a[i], b[i]) with broadcasting and promotion:
 * arithmetic, comparisons, logic, where, clamp.
 *
 * Numbers stand where tensors may (Value). The arguments are converted to
 * their common type first: bool < integers < floats, a number does not widen
 * its kind. Python's operators and torch's functions are spellings. */
#include "encode/aten_util.h"

#include <string.h>

/* ---- shapes ---- */

/* The broadcast of the tensors among the named arguments. */
static spi_dims common(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node, uint32_t n,
                       const char *const *names) {
  spi_dims s = {0};
  for (uint32_t i = 0; i < n; i++) {
    int64_t k = spi_arg_operand(node, names[i]);
    if (k >= 0) {
      spi_broadcast(ctx, node, &s, spi_in(program, node, (uint32_t)k));
    }
  }
  return s;
}

static const char *const both[] = {"self", "other"};

static void shape_of_sort(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node, sp_sort sort) {
  spi_dims s = common(ctx, program, node, 2, both);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, sort);
}

static sp_dtype promoted(const sp_program *program, const sp_node *node) {
  return spi_arg_promote(program, node, "self", "other");
}

static void arithmetic_shape(sp_ctx *ctx, const sp_program *program,
                             const sp_node *node) {
  shape_of_sort(ctx, program, node, sp_dtype_sort(promoted(program, node)));
}

/* Without booleans. */
static void number_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  if (promoted(program, node) == SP_PRED) {
    spi_unknown(ctx, node, "not defined on booleans");
  }
  arithmetic_shape(ctx, program, node);
}

static void bits_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  if (sp_dtype_sort(promoted(program, node)) == SP_SORT_REAL) {
    spi_bad(ctx, node, "not defined on floats");
  }
  arithmetic_shape(ctx, program, node);
}

static void real_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  shape_of_sort(ctx, program, node, SP_SORT_REAL);
}

static void bool_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  shape_of_sort(ctx, program, node, SP_SORT_BOOL);
}

static void scalars_known(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node, const char *name) {
  if (sp_dtype_sort(promoted(program, node)) == SP_SORT_INT &&
      spi_arg_is_float(node, name)) {
    spi_bad(ctx, node, "%s is a float for integers", name);
  }
}

static void sum_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  scalars_known(ctx, program, node, "alpha");
  arithmetic_shape(ctx, program, node);
}

static void difference_shape(sp_ctx *ctx, const sp_program *program,
                             const sp_node *node) {
  scalars_known(ctx, program, node, "alpha");
  number_shape(ctx, program, node);
}

/* ---- elements ---- */

static sp_expr value(const sp_call *call, const char *name, const sp_expr *idx,
                     sp_dtype t) {
  return spi_arg_value(call, name, sp_call_result_shape(call)->n_dims, idx, t);
}

static sp_expr apply(const sp_call *call, const sp_expr *idx, spi_arith_fn f) {
  sp_dtype t = spi_out_dtype(call);
  return f(call, value(call, "self", idx, t), value(call, "other", idx, t), t);
}

/* a + alpha b, the other way round for rsub */
static sp_expr scaled(const sp_call *call, const sp_expr *idx, spi_arith_fn f,
                      const char *first, const char *second) {
  sp_dtype t = spi_out_dtype(call);
  sp_expr a = value(call, first, idx, t), b = value(call, second, idx, t);
  if (spi_arg_given(call->node, "alpha")) {
    b = spi_arith_multiply(call, spi_arg_number(call, "alpha", t), b, t);
  }
  return f(call, a, b, t);
}

static sp_expr add_element(const sp_call *call, const sp_expr *idx) {
  return scaled(call, idx, spi_arith_add, "self", "other");
}

static sp_expr sub_element(const sp_call *call, const sp_expr *idx) {
  return scaled(call, idx, spi_arith_subtract, "self", "other");
}

static sp_expr rsub_element(const sp_call *call, const sp_expr *idx) {
  return scaled(call, idx, spi_arith_subtract, "other", "self");
}

#define APPLIED(id, function)                                                  \
  static sp_expr id##_element(const sp_call *call, const sp_expr *idx) {       \
    return apply(call, idx, function);                                         \
  }

APPLIED(mul, spi_arith_multiply)
APPLIED(maximum, spi_arith_maximum)
APPLIED(minimum, spi_arith_minimum)
APPLIED(bitwise_and, spi_arith_and)
APPLIED(bitwise_or, spi_arith_or)
APPLIED(bitwise_xor, spi_arith_xor)
APPLIED(left_shift, spi_arith_shift_left)
APPLIED(right_shift, spi_arith_shift_arithmetic)
APPLIED(floor_divide, spi_arith_floor_divide)
APPLIED(remainder, spi_arith_floor_remainder)
APPLIED(fmod, spi_arith_remainder)
APPLIED(atan2, spi_arith_atan2)

/* ---- division ---- */

static void div_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  const char *mode = spi_arg_text(node, "rounding_mode");
  if (!mode) {
    real_shape(ctx, program, node);
    return;
  }
  if (strcmp(mode, "floor") != 0 && strcmp(mode, "trunc") != 0) {
    spi_bad(ctx, node, "rounding_mode %s", mode);
  }
  number_shape(ctx, program, node);
}

static sp_expr div_element(const sp_call *call, const sp_expr *idx) {
  const char *mode = spi_arg_text(call->node, "rounding_mode");
  if (mode && strcmp(mode, "floor") == 0) {
    return apply(call, idx, spi_arith_floor_divide);
  }
  sp_expr q = apply(call, idx, spi_arith_divide);
  if (mode && sp_sort_of(call->pool, q) == SP_SORT_REAL &&
      !spi_as_int(call->pool, q).v) {
    return sp_fn1(call->pool, "trunc", q);
  }
  return q;
}

/* ---- power ---- */

static sp_expr pow_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_dtype t = spi_out_dtype(call);
  const sp_node *node = call->node;
  sp_expr a = value(call, "self", idx, t);
  /* square roots under their own name */
  if (spi_arg_operand(node, "other") < 0 && spi_arg_is_float(node, "other") &&
      sp_dtype_sort(t) == SP_SORT_REAL) {
    sp_expr n = spi_arg_number(call, "other", t);
    sp_expr half = sp_real(p, sp_num_ratio(p, 1, 2));
    if (n.v == half.v) {
      return sp_fn1(p, "sqrt", a);
    }
    if (n.v == sp_scale(p, half, sp_num_from_i64(p, -1)).v) {
      return sp_fn1(p, "rsqrt", a);
    }
  }
  return spi_arith_power(call, a, value(call, "other", idx, t), t);
}

/* ---- maximum and minimum that leave NaN out ---- */

/* e is the extremum of both. */
static sp_expr number_of(const sp_call *call, const sp_expr *idx, sp_expr e) {
  sp_pool *p = call->pool;
  sp_dtype t = spi_out_dtype(call);
  sp_expr a = value(call, "self", idx, t), b = value(call, "other", idx, t);
  if (sp_sort_of(p, e) != SP_SORT_REAL) {
    return e;
  }
  return sp_ite(p, sp_is_nan(p, a), b, sp_ite(p, sp_is_nan(p, b), a, e));
}

static sp_expr fmax_element(const sp_call *call, const sp_expr *idx) {
  return number_of(call, idx, apply(call, idx, spi_arith_maximum));
}

static sp_expr fmin_element(const sp_call *call, const sp_expr *idx) {
  return number_of(call, idx, apply(call, idx, spi_arith_minimum));
}

/* ---- comparisons ---- */

typedef enum relation { EQ, NE, LT, LE } relation;

static sp_expr compare(const sp_call *call, const sp_expr *idx, relation r,
                       const char *first, const char *second) {
  sp_pool *p = call->pool;
  sp_dtype t = promoted(call->program, call->node);
  /* booleans are ordered as 0 and 1 */
  t = t == SP_PRED && r != EQ && r != NE ? SP_S64 : t;
  sp_expr a = value(call, first, idx, t), b = value(call, second, idx, t);
  switch (r) {
  case EQ:
    return sp_eq(p, a, b);
  case NE:
    return sp_not(p, sp_eq(p, a, b));
  case LT:
    return sp_lt(p, a, b);
  case LE:
    break;
  }
  return sp_le(p, a, b);
}

#define COMPARED(id, relation, first, second)                                  \
  static sp_expr id##_element(const sp_call *call, const sp_expr *idx) {       \
    return compare(call, idx, relation, first, second);                        \
  }

COMPARED(eq, EQ, "self", "other")
COMPARED(ne, NE, "self", "other")
COMPARED(lt, LT, "self", "other")
COMPARED(le, LE, "self", "other")
COMPARED(gt, LT, "other", "self")
COMPARED(ge, LE, "other", "self")

/* ---- logic ---- */

static sp_expr truth(const sp_call *call, const sp_expr *idx, spi_arith_fn f) {
  sp_expr a = value(call, "self", idx, SP_PRED);
  sp_expr b = value(call, "other", idx, SP_PRED);
  return f(call, a, b, SP_PRED);
}

#define LOGICAL(id, function)                                                  \
  static sp_expr id##_element(const sp_call *call, const sp_expr *idx) {       \
    return truth(call, idx, function);                                         \
  }

LOGICAL(logical_and, spi_arith_and)
LOGICAL(logical_or, spi_arith_or)
LOGICAL(logical_xor, spi_arith_xor)

/* ---- where, masked_fill ---- */

static void is_condition(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node, const char *name) {
  const sp_shape *c = spi_arg_shape(ctx, program, node, name);
  if (c->dtype != SP_PRED) {
    spi_unknown(ctx, node, "%s holds no booleans", name);
  }
}

static void where_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  static const char *const names[] = {"condition", "self", "other"};
  spi_dims s = common(ctx, program, node, 3, names);
  is_condition(ctx, program, node, "condition");
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, sp_dtype_sort(promoted(program, node)));
}

static sp_expr choose(const sp_call *call, const sp_expr *idx, const char *cond,
                      const char *yes, const char *no) {
  sp_pool *p = call->pool;
  sp_dtype t = spi_out_dtype(call);
  sp_expr c = value(call, cond, idx, SP_PRED);
  if (sp_is_true(p, c)) {
    return value(call, yes, idx, t);
  }
  if (sp_is_false(p, c)) {
    return value(call, no, idx, t);
  }
  return sp_ite(p, c, value(call, yes, idx, t), value(call, no, idx, t));
}

static sp_expr where_element(const sp_call *call, const sp_expr *idx) {
  return choose(call, idx, "condition", "self", "other");
}

static void masked_fill_shape(sp_ctx *ctx, const sp_program *program,
                              const sp_node *node) {
  static const char *const names[] = {"self", "mask"};
  spi_dims s = common(ctx, program, node, 2, names);
  is_condition(ctx, program, node, "mask");
  int64_t v = spi_arg_operand(node, "value");
  if (v >= 0 && spi_in(program, node, (uint32_t)v)->n_dims != 0) {
    spi_bad(ctx, node, "value is no scalar");
  }
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr masked_fill_element(const sp_call *call, const sp_expr *idx) {
  return choose(call, idx, "mask", "value", "self");
}

/* ---- clamp ---- */

/* The type is that of all three together. */
static sp_dtype clamp_type(const sp_program *program, const sp_node *node) {
  sp_dtype t = spi_arg_type(program, node, "self");
  static const char *const names[] = {"min", "max"};
  for (int i = 0; i < 2; i++) {
    if (spi_arg_given(node, names[i])) {
      sp_dtype b = spi_arg_promote(program, node, "self", names[i]);
      t = spi_promote(t, b);
    }
  }
  return t;
}

static void clamp_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  static const char *const names[] = {"self", "min", "max"};
  spi_dims s = common(ctx, program, node, 3, names);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s,
             sp_dtype_sort(clamp_type(program, node)));
}

static sp_expr clamp_element(const sp_call *call, const sp_expr *idx) {
  sp_dtype t = spi_out_dtype(call);
  sp_expr e = value(call, "self", idx, t);
  if (spi_arg_given(call->node, "min")) {
    e = spi_arith_maximum(call, e, value(call, "min", idx, t), t);
  }
  if (spi_arg_given(call->node, "max")) {
    e = spi_arith_minimum(call, e, value(call, "max", idx, t), t);
  }
  return e;
}

static sp_expr hardtanh_element(const sp_call *call, const sp_expr *idx) {
  sp_dtype t = spi_out_dtype(call);
  return sp_clamp(call->pool, value(call, "self", idx, t),
                  spi_arg_number(call, "min_val", t),
                  spi_arg_number(call, "max_val", t));
}

/* ---- three operands ---- */

static void ternary_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  static const char *const names[] = {"self", "tensor1", "tensor2"};
  spi_dims s = common(ctx, program, node, 3, names);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr ternary(const sp_call *call, const sp_expr *idx,
                       spi_arith_fn f) {
  sp_dtype t = spi_out_dtype(call);
  sp_expr e = f(call, value(call, "tensor1", idx, t),
                value(call, "tensor2", idx, t), t);
  if (spi_arg_given(call->node, "value")) {
    e = spi_arith_multiply(call, spi_arg_number(call, "value", t), e, t);
  }
  return spi_arith_add(call, value(call, "self", idx, t), e, t);
}

static sp_expr addcmul_element(const sp_call *call, const sp_expr *idx) {
  return ternary(call, idx, spi_arith_multiply);
}

static void addcdiv_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  ternary_shape(ctx, program, node);
  if (node->n_out == 1 &&
      !sp_dtype_is_float(spi_out(program, node, 0)->dtype)) {
    spi_bad(ctx, node, "divides integers");
  }
}

static sp_expr addcdiv_element(const sp_call *call, const sp_expr *idx) {
  return ternary(call, idx, spi_arith_divide);
}

static void lerp_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  static const char *const names[] = {"self", "end", "weight"};
  spi_dims s = common(ctx, program, node, 3, names);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr lerp_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_dtype t = spi_out_dtype(call);
  sp_expr a = value(call, "self", idx, t), b = value(call, "end", idx, t);
  return sp_add(p, a,
                sp_mul(p, value(call, "weight", idx, t), sp_sub(p, b, a)));
}

/* ---- rows ---- */

#define PAIR "Value self, Value other"
#define SCALED PAIR ", *, Scalar alpha=1"
#define POSITIONAL PAIR ", Scalar alpha=1"
#define BINARY(id, names, shape_fn, text, ...)                                 \
  SPI_ATEN(id, PAIR, shape_fn, id##_element, "out[i] = " text,                 \
           "aten." names ".Tensor", "aten." names ".Scalar", "torch." names,   \
           "method." names, __VA_ARGS__)

SPI_ATEN(add, SCALED, sum_shape, add_element, "out[i] = a[i] + alpha * b[i]",
         SPI_NAMES("add", "Tensor"), "operator.add", "prims.add.default")
SPI_ATEN(sub, SCALED, difference_shape, sub_element,
         "out[i] = a[i] - alpha * b[i]", SPI_NAMES("sub", "Tensor"),
         "operator.sub", "torch.subtract", "prims.sub.default")
SPI_ATEN(rsub, SCALED, difference_shape, rsub_element,
         "out[i] = b[i] - alpha * a[i]", SPI_NAMES("rsub", "Tensor"))
SPI_ATEN(add_scalar, POSITIONAL, sum_shape, add_element,
         "out[i] = a[i] + alpha * b", "aten.add.Scalar")
SPI_ATEN(sub_scalar, POSITIONAL, difference_shape, sub_element,
         "out[i] = a[i] - alpha * b", "aten.sub.Scalar")
SPI_ATEN(rsub_scalar, POSITIONAL, difference_shape, rsub_element,
         "out[i] = b - alpha * a[i]", "aten.rsub.Scalar")
BINARY(mul, "mul", arithmetic_shape, "a[i] * b[i]", "operator.mul",
       "torch.multiply", "prims.mul.default")
SPI_ATEN(div, PAIR ", *, str? rounding_mode", div_shape, div_element,
         "out[i] = a[i] / b[i]", SPI_NAMES("div", "Tensor"), "aten.div.Scalar",
         "aten.div.Tensor_mode", "aten.div.Scalar_mode", "operator.truediv",
         "torch.divide", "torch.true_divide", "aten.true_divide.Tensor")
SPI_ATEN(floor_divide, PAIR, number_shape, floor_divide_element,
         "out[i] = floor(a[i] / b[i])", SPI_NAMES("floor_divide", "default"),
         "aten.floor_divide.Scalar", "operator.floordiv")
BINARY(remainder, "remainder", number_shape, "a[i] - b[i] * floor(a[i] / b[i])",
       "aten.remainder.Scalar_Tensor", "operator.mod")
BINARY(fmod, "fmod", number_shape, "a[i] - b[i] * truncated(a[i] / b[i])",
       "prims.fmod.default")
SPI_ATEN(pow, PAIR, number_shape, pow_element, "out[i] = a[i] to the b[i]",
         SPI_NAMES("pow", "Tensor_Scalar"), "aten.pow.Tensor_Tensor",
         "aten.pow.Scalar", "operator.pow", "prims.pow.default")
SPI_ATEN(atan2, PAIR, real_shape, atan2_element,
         "out[i] = angle of the point (b[i], a[i])",
         SPI_NAMES("atan2", "default"))
SPI_ATEN(maximum, PAIR, arithmetic_shape, maximum_element,
         "out[i] = max(a[i], b[i])", SPI_NAMES("maximum", "default"),
         "aten.max.other", "prims.maximum.default")
SPI_ATEN(fmax, PAIR, arithmetic_shape, fmax_element,
         "out[i] = max(a[i], b[i]); not NaN where one is a number",
         SPI_NAMES("fmax", "default"))
SPI_ATEN(minimum, PAIR, arithmetic_shape, minimum_element,
         "out[i] = min(a[i], b[i])", SPI_NAMES("minimum", "default"),
         "aten.min.other", "prims.minimum.default")
SPI_ATEN(fmin, PAIR, arithmetic_shape, fmin_element,
         "out[i] = min(a[i], b[i]); not NaN where one is a number",
         SPI_NAMES("fmin", "default"))
BINARY(bitwise_and, "bitwise_and", bits_shape, "a[i] and b[i], bit by bit",
       "operator.and_", "aten.__and__.Tensor")
BINARY(bitwise_or, "bitwise_or", bits_shape, "a[i] or b[i], bit by bit",
       "operator.or_", "aten.__or__.Tensor")
BINARY(bitwise_xor, "bitwise_xor", bits_shape, "a[i] xor b[i], bit by bit",
       "operator.xor", "aten.__xor__.Tensor")
SPI_ATEN(left_shift, PAIR, bits_shape, left_shift_element,
         "out[i] = a[i] * 2^b[i]", SPI_NAMES("bitwise_left_shift", "Tensor"),
         "aten.bitwise_left_shift.Tensor_Scalar", "operator.lshift",
         "aten.__lshift__.Scalar", "aten.__lshift__.Tensor")
SPI_ATEN(right_shift, PAIR, bits_shape, right_shift_element,
         "out[i] = floor(a[i] / 2^b[i])",
         SPI_NAMES("bitwise_right_shift", "Tensor"),
         "aten.bitwise_right_shift.Tensor_Scalar", "operator.rshift",
         "aten.__rshift__.Scalar", "aten.__rshift__.Tensor")
BINARY(eq, "eq", bool_shape, "a[i] == b[i]", "operator.eq", "prims.eq.default")
BINARY(ne, "ne", bool_shape, "a[i] != b[i]", "operator.ne", "prims.ne.default")
BINARY(lt, "lt", bool_shape, "a[i] < b[i]", "operator.lt", "prims.lt.default")
BINARY(le, "le", bool_shape, "a[i] <= b[i]", "operator.le", "prims.le.default")
BINARY(gt, "gt", bool_shape, "a[i] > b[i]", "operator.gt", "prims.gt.default")
BINARY(ge, "ge", bool_shape, "a[i] >= b[i]", "operator.ge", "prims.ge.default")
SPI_ATEN(logical_and, PAIR, bool_shape, logical_and_element,
         "out[i] = a[i] and b[i]", SPI_NAMES("logical_and", "default"))
SPI_ATEN(logical_or, PAIR, bool_shape, logical_or_element,
         "out[i] = a[i] or b[i]", SPI_NAMES("logical_or", "default"))
SPI_ATEN(logical_xor, PAIR, bool_shape, logical_xor_element,
         "out[i] = a[i] xor b[i]", SPI_NAMES("logical_xor", "default"))
SPI_ATEN(where, "Tensor condition, Value self, Value other", where_shape,
         where_element, "out[i] = c[i] ? a[i] : b[i]", "aten.where.self",
         "aten.where.ScalarSelf", "aten.where.ScalarOther", "aten.where.Scalar",
         "torch.where", "prims.where.default")
SPI_ATEN(where_method, "Value self, Tensor condition, Value other", where_shape,
         where_element, "out[i] = c[i] ? a[i] : b[i]", "method.where")
SPI_ATEN(masked_fill, "Tensor self, Tensor mask, Value value",
         masked_fill_shape, masked_fill_element,
         "out[i] = mask[i] ? value : a[i]", SPI_NAMES("masked_fill", "Scalar"),
         "aten.masked_fill.Tensor", "aten.masked_fill_.Scalar",
         "aten.masked_fill_.Tensor")
SPI_ATEN(clamp, "Tensor self, Value? min, Value? max", clamp_shape,
         clamp_element, "out[i] = min(max(a[i], min), max)",
         SPI_NAMES("clamp", "default"), "aten.clamp.Tensor", "torch.clip",
         "method.clip")
SPI_ATEN(clamp_min, "Tensor self, Value min, Value? max", clamp_shape,
         clamp_element, "out[i] = max(a[i], min)",
         SPI_NAMES("clamp_min", "default"), "aten.clamp_min.Tensor")
SPI_ATEN(clamp_max, "Tensor self, Value max, *, Value? min", clamp_shape,
         clamp_element, "out[i] = min(a[i], max)",
         SPI_NAMES("clamp_max", "default"), "aten.clamp_max.Tensor")
SPI_ATEN(hardtanh,
         "Tensor self, Scalar min_val=-1.0, Scalar max_val=1.0, any? inplace",
         spi_shape_like_self, hardtanh_element,
         "out[i] = min(max(a[i], min_val), max_val)", "aten.hardtanh.default",
         "torch.nn.functional.hardtanh")
SPI_ATEN(addcmul,
         "Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1",
         ternary_shape, addcmul_element, "out[i] = a[i] + value * b[i] * c[i]",
         SPI_NAMES("addcmul", "default"))
SPI_ATEN(addcdiv,
         "Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1",
         addcdiv_shape, addcdiv_element, "out[i] = a[i] + value * b[i] / c[i]",
         SPI_NAMES("addcdiv", "default"))
SPI_ATEN(lerp, "Tensor self, Tensor end, Value weight", lerp_shape,
         lerp_element, "out[i] = a[i] + weight * (b[i] - a[i])",
         SPI_NAMES("lerp", "Scalar"), "aten.lerp.Tensor")

extern const sp_op *const sp_ops_aten_binary[];
const sp_op *const sp_ops_aten_binary[] = {
    &add_row,         &sub_row,         &rsub_row,
    &add_scalar_row,  &sub_scalar_row,  &rsub_scalar_row,
    &mul_row,         &div_row,         &floor_divide_row,
    &remainder_row,   &fmod_row,        &pow_row,
    &atan2_row,       &maximum_row,     &fmax_row,
    &fmin_row,        &minimum_row,     &bitwise_and_row,
    &bitwise_or_row,  &bitwise_xor_row, &left_shift_row,
    &right_shift_row, &eq_row,          &ne_row,
    &lt_row,          &le_row,          &gt_row,
    &ge_row,          &logical_and_row, &logical_or_row,
    &logical_xor_row, &where_row,       &where_method_row,
    &masked_fill_row, &clamp_row,       &clamp_min_row,
    &clamp_max_row,   &hardtanh_row,    &addcmul_row,
    &addcdiv_row,     &lerp_row,        NULL,
};
