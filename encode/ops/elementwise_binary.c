/* elementwise_binary.c: out[i] = f(a[i], b[i]).
 *
 * Reals: ring operations and named functions. Predicates: add is or, multiply
 * is and. Integers: mathematical integers, wrapped by spi_wrap; division
 * truncates towards zero, x / 0 = -1 (all ones) and x rem 0 = x; what has no
 * linear meaning becomes an uninterpreted function, whose name carries the
 * type wherever two types could give different results. */
#include "encode/op_util.h"

#include <stddef.h>

static void binary_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  const sp_shape *a = spi_in(program, node, 0);
  spi_expect_results(ctx, node, 1);
  spi_expect_operand(ctx, program, node, 1, a->n_dims, a->dims);
  spi_expect(ctx, program, node, 0, a->n_dims, a->dims);
  spi_expect_dtype(ctx, program, node, 0, 0);
  spi_expect_dtype(ctx, program, node, 0, 1);
}

/* No predicates. */
static void number_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  binary_shape(ctx, program, node);
  if (spi_in(program, node, 0)->dtype == SP_PRED) {
    spi_unknown(ctx, node, "not defined on predicates");
  }
}

static void real_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  binary_shape(ctx, program, node);
  if (!sp_dtype_is_float(spi_in(program, node, 0)->dtype)) {
    spi_bad(ctx, node, "operand 0 is not a float");
  }
}

static void bits_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  binary_shape(ctx, program, node);
  if (sp_dtype_is_float(spi_in(program, node, 0)->dtype)) {
    spi_bad(ctx, node, "operand 0 is a float");
  }
}

static void int_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  binary_shape(ctx, program, node);
  if (!sp_dtype_is_int(spi_in(program, node, 0)->dtype)) {
    spi_bad(ctx, node, "operand 0 is not an integer");
  }
}

typedef struct pair {
  sp_pool *p;
  sp_expr a, b;
  sp_sort sort;
  sp_dtype t;
} pair;

static pair operands(const sp_call *call, const sp_expr *idx) {
  pair x = {.p = call->pool, .t = spi_out_dtype(call)};
  x.a = sp_call_read(call, 0, idx);
  x.b = sp_call_read(call, 1, idx);
  x.sort = sp_dtype_sort(x.t);
  return x;
}

/* ---- functions of machine integers, value by value ---- */

/* The function where both arguments depend on one small variable (the rank,
 * mostly): a table, which the pool fits. None otherwise. */
static sp_expr tabulate(pair x, spi_int_fn fn) {
  const sp_expr args[2] = {x.a, x.b};
  sp_expr var;
  int64_t n, *v;
  if (x.t == SP_U64 || !spi_points(x.p, 2, args, &var, &n, &v)) {
    return (sp_expr){0};
  }
  for (int64_t k = 0; k < n; k++) {
    v[k] = fn(v[2 * k], v[2 * k + 1], x.t);
  }
  return n == 1 ? sp_int(x.p, v[0]) : sp_table(x.p, v, n, var);
}

static bool constant(pair x, int64_t *value) {
  if (sp_kind_of(x.p, x.b) != SP_KIND_INT) {
    return false;
  }
  *value = sp_int_value(x.p, x.b);
  return true;
}

static sp_expr opaque(pair x, const char *name, bool typed) {
  const sp_expr args[2] = {x.a, x.b};
  const char *full =
      typed ? sp_format(sp_pool_ctx(x.p), "%s.%s", name, sp_dtype_name(x.t))
            : name;
  return sp_fn(x.p, SP_SORT_INT, full, 2, args);
}

/* Two numbers: the product of two of 32 bits need not have 64 with a sign. */
static sp_expr fold(pair x, spi_int_fn fn) {
  bool numbers = x.sort == SP_SORT_INT && x.t != SP_U64 &&
                 sp_kind_of(x.p, x.a) == SP_KIND_INT &&
                 sp_kind_of(x.p, x.b) == SP_KIND_INT;
  return numbers ? sp_int(x.p, fn(sp_int_value(x.p, x.a),
                                  sp_int_value(x.p, x.b), x.t))
                 : (sp_expr){0};
}

/* ---- ring operations, maximum and minimum ---- */

static sp_expr add_element(const sp_call *call, const sp_expr *idx) {
  pair x = operands(call, idx);
  if (x.sort == SP_SORT_BOOL) {
    return sp_or(x.p, x.a, x.b);
  }
  sp_expr e = fold(x, spi_value_add);
  return e.v ? e : spi_wrap(call, sp_add(x.p, x.a, x.b), x.t);
}

static sp_expr subtract_element(const sp_call *call, const sp_expr *idx) {
  pair x = operands(call, idx);
  if (x.sort == SP_SORT_INT) {
    sp_expr e = fold(x, spi_value_subtract);
    return e.v ? e : spi_wrap(call, sp_isub(x.p, x.a, x.b), x.t);
  }
  return sp_sub(x.p, x.a, x.b);
}

static sp_expr multiply_element(const sp_call *call, const sp_expr *idx) {
  pair x = operands(call, idx);
  if (x.sort == SP_SORT_BOOL) {
    return sp_and(x.p, x.a, x.b);
  }
  sp_expr e = fold(x, spi_value_multiply);
  return e.v ? e : spi_wrap(call, sp_mul(x.p, x.a, x.b), x.t);
}

static sp_expr maximum_element(const sp_call *call, const sp_expr *idx) {
  pair x = operands(call, idx);
  return x.sort == SP_SORT_BOOL ? sp_or(x.p, x.a, x.b) : sp_max(x.p, x.a, x.b);
}

static sp_expr minimum_element(const sp_call *call, const sp_expr *idx) {
  pair x = operands(call, idx);
  return x.sort == SP_SORT_BOOL ? sp_and(x.p, x.a, x.b) : sp_min(x.p, x.a, x.b);
}

/* ---- division ---- */

/* a / c truncated, c > 0: floor for a >= 0, mirrored below. */
static sp_expr truncated(sp_pool *p, sp_expr a, int64_t c) {
  int64_t lo, hi;
  sp_range(p, a, &lo, &hi);
  sp_expr up = sp_idiv(p, a, c);
  if (lo >= 0) {
    return up;
  }
  sp_expr down = sp_iscale(p, sp_idiv(p, sp_iscale(p, a, -1), c), -1);
  if (hi <= 0) {
    return down;
  }
  return sp_ite(p, sp_lt(p, a, sp_int(p, 0)), down, up);
}

/* a - c * (a / c): the sign of a */
static sp_expr truncated_rest(sp_pool *p, sp_expr a, int64_t c) {
  int64_t lo, hi;
  sp_range(p, a, &lo, &hi);
  sp_expr up = sp_imod(p, a, c);
  if (lo >= 0) {
    return up;
  }
  sp_expr down = sp_iscale(p, sp_imod(p, sp_iscale(p, a, -1), c), -1);
  if (hi <= 0) {
    return down;
  }
  return sp_ite(p, sp_lt(p, a, sp_int(p, 0)), down, up);
}

/* May the divisor be 0 or -1, where the type matters? */
static bool odd_divisor(pair x) {
  int64_t lo, hi;
  sp_range(x.p, x.b, &lo, &hi);
  return lo <= 0 && hi >= -1;
}

static sp_expr int_divide(const sp_call *call, pair x) {
  int64_t c;
  if (constant(x, &c) && c > INT64_MIN && x.t != SP_U64) {
    if (c == 0) {
      return sp_int(x.p, spi_value_wrap(-1, x.t));
    }
    sp_expr q = truncated(x.p, x.a, c > 0 ? c : -c);
    return spi_wrap(call, c > 0 ? q : sp_iscale(x.p, q, -1), x.t);
  }
  sp_expr e = tabulate(x, spi_value_divide);
  return e.v ? e : opaque(x, "idiv.trunc", odd_divisor(x));
}

static sp_expr int_remainder(pair x) {
  int64_t c;
  if (constant(x, &c) && c > INT64_MIN && x.t != SP_U64) {
    return c == 0 ? x.a : truncated_rest(x.p, x.a, c > 0 ? c : -c);
  }
  sp_expr e = tabulate(x, spi_value_remainder);
  return e.v ? e : opaque(x, "irem.trunc", odd_divisor(x));
}

static sp_expr divide_element(const sp_call *call, const sp_expr *idx) {
  pair x = operands(call, idx);
  return x.sort == SP_SORT_INT ? int_divide(call, x) : sp_div(x.p, x.a, x.b);
}

static sp_expr remainder_element(const sp_call *call, const sp_expr *idx) {
  pair x = operands(call, idx);
  if (x.sort == SP_SORT_INT) {
    return int_remainder(x);
  }
  const sp_expr args[2] = {x.a, x.b};
  return sp_fn(x.p, SP_SORT_REAL, "rem", 2, args);
}

/* ---- power ---- */

enum { MAX_POWER = 64 };

static sp_expr repeated(const sp_call *call, pair x, int64_t n) {
  sp_expr e = spi_one(x.p, x.sort);
  for (int64_t i = 0; i < n; i++) {
    e = spi_wrap(call, sp_mul(x.p, e, x.a), x.t);
  }
  return e;
}

static sp_expr power_element(const sp_call *call, const sp_expr *idx) {
  pair x = operands(call, idx);
  const sp_expr args[2] = {x.a, x.b};
  sp_expr n = x.sort == SP_SORT_INT ? x.b : spi_as_int(x.p, x.b);
  if (n.v && sp_kind_of(x.p, n) == SP_KIND_INT) {
    int64_t k = sp_int_value(x.p, n);
    if (k >= 0 && k <= MAX_POWER && x.t != SP_U64) {
      return repeated(call, x, k);
    }
  }
  if (x.sort == SP_SORT_REAL) {
    return sp_fn(x.p, SP_SORT_REAL, "power", 2, args);
  }
  int64_t lo, hi;
  sp_range(x.p, x.b, &lo, &hi);
  sp_expr e = lo >= 0 ? tabulate(x, spi_value_power) : (sp_expr){0};
  return e.v ? e : opaque(x, "ipow", true);
}

static sp_expr atan2_element(const sp_call *call, const sp_expr *idx) {
  pair x = operands(call, idx);
  const sp_expr args[2] = {x.a, x.b};
  return sp_fn(x.p, SP_SORT_REAL, "atan2", 2, args);
}

/* ---- bits: results of two's complement do not depend on the width ---- */

/* Constants to the right; otherwise in a fixed order: these commute. */
static pair ordered(pair x) {
  bool a_const = sp_kind_of(x.p, x.a) == SP_KIND_INT;
  bool b_const = sp_kind_of(x.p, x.b) == SP_KIND_INT;
  if ((a_const && !b_const) || (a_const == b_const && x.a.v > x.b.v)) {
    sp_expr a = x.a;
    x.a = x.b;
    x.b = a;
  }
  return x;
}

/* k with v = 2^k, or -1 */
static int power_of_two(uint64_t v) {
  if (v == 0 || (v & (v - 1)) != 0) {
    return -1;
  }
  int k = 0;
  while (v >>= 1) {
    k++;
  }
  return k;
}

/* a & m for a mask m of consecutive ones: (a mod 2^hi) - (a mod 2^lo), where
 * m = 2^hi - 2^lo; the upper part is a itself when m reaches the sign bit. */
static sp_expr masked(pair x, int64_t m) {
  int bits = sp_dtype_bits(x.t);
  uint64_t all = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
  uint64_t u = (uint64_t)m & all, low = u & (~u + 1);
  int lo = power_of_two(low);
  int hi = u + low > all ? bits : power_of_two(u + low);
  if (u == 0) {
    return sp_int(x.p, 0);
  }
  if (lo < 0 || hi < 0 || lo > 61 || x.t == SP_U64) {
    return (sp_expr){0};
  }
  if (hi != bits && hi > 61) {
    return (sp_expr){0};
  }
  sp_expr top = hi == bits ? x.a : sp_imod(x.p, x.a, (int64_t)1 << hi);
  sp_expr cut = lo == 0 ? sp_int(x.p, 0) : sp_imod(x.p, x.a, (int64_t)1 << lo);
  return sp_isub(x.p, top, cut);
}

static sp_expr and_element(const sp_call *call, const sp_expr *idx) {
  pair x = operands(call, idx);
  if (x.sort == SP_SORT_BOOL) {
    return sp_and(x.p, x.a, x.b);
  }
  x = ordered(x);
  int64_t m;
  if (x.a.v == x.b.v) {
    return x.a;
  }
  sp_expr e = constant(x, &m) ? masked(x, m) : (sp_expr){0};
  e = e.v ? e : tabulate(x, spi_value_and);
  return e.v ? e : opaque(x, "iand", false);
}

static sp_expr or_element(const sp_call *call, const sp_expr *idx) {
  pair x = operands(call, idx);
  if (x.sort == SP_SORT_BOOL) {
    return sp_or(x.p, x.a, x.b);
  }
  x = ordered(x);
  if (x.a.v == x.b.v || sp_is_int(x.p, x.b, 0)) {
    return x.a;
  }
  sp_expr e = tabulate(x, spi_value_or);
  return e.v ? e : opaque(x, "ior", false);
}

static sp_expr xor_element(const sp_call *call, const sp_expr *idx) {
  pair x = operands(call, idx);
  if (x.sort == SP_SORT_BOOL) {
    return sp_not(x.p, sp_eq(x.p, x.a, x.b));
  }
  x = ordered(x);
  if (x.a.v == x.b.v) {
    return sp_int(x.p, 0);
  }
  int64_t m;
  if (constant(x, &m) && m == 0) {
    return x.a;
  }
  if (constant(x, &m) && x.t != SP_U64 && m == spi_value_wrap(-1, x.t)) {
    return sp_isub(x.p, sp_int(x.p, sp_dtype_is_unsigned(x.t) ? m : -1), x.a);
  }
  sp_expr e = tabulate(x, spi_value_xor);
  return e.v ? e : opaque(x, "ixor", false);
}

/* ---- shifts: amounts outside [0, width) shift everything out ---- */

static sp_expr shift_left_element(const sp_call *call, const sp_expr *idx) {
  pair x = operands(call, idx);
  int64_t k;
  if (constant(x, &k) && x.t != SP_U64) {
    if (!spi_shift_inside(k, x.t)) {
      return sp_int(x.p, 0);
    }
    sp_expr e = fold(x, spi_value_left);
    if (e.v) {
      return e;
    }
    if (k < 62) {
      return spi_wrap(call, sp_iscale(x.p, x.a, (int64_t)1 << k), x.t);
    }
  }
  sp_expr e = tabulate(x, spi_value_left);
  return e.v ? e : opaque(x, "ishl", true);
}

static sp_expr shift_logical_element(const sp_call *call, const sp_expr *idx) {
  pair x = operands(call, idx);
  int64_t k, lo, hi;
  int bits = sp_dtype_bits(x.t);
  if (constant(x, &k) && x.t != SP_U64) {
    if (!spi_shift_inside(k, x.t)) {
      return sp_int(x.p, 0);
    }
    sp_range(x.p, x.a, &lo, &hi);
    if (k == 0) {
      return x.a;
    }
    if (k < 62 && (lo >= 0 || bits < 62)) {
      sp_expr a = lo >= 0 ? x.a : sp_imod(x.p, x.a, (int64_t)1 << bits);
      return sp_idiv(x.p, a, (int64_t)1 << k);
    }
  }
  sp_expr e = tabulate(x, spi_value_logical);
  return e.v ? e : opaque(x, "ishr", true);
}

static sp_expr shift_arithmetic_element(const sp_call *call,
                                        const sp_expr *idx) {
  pair x = operands(call, idx);
  int64_t k, lo, hi;
  sp_range(x.p, x.a, &lo, &hi);
  /* an unsigned value with its top bit clear is like a signed one */
  bool plain = !sp_dtype_is_unsigned(x.t) ||
               (lo >= 0 && hi < (int64_t)1 << (sp_dtype_bits(x.t) - 2));
  if (constant(x, &k) && plain) {
    if (spi_shift_inside(k, x.t) && k < 62) {
      return sp_idiv(x.p, x.a, (int64_t)1 << k);
    }
    if (!spi_shift_inside(k, x.t) || k >= sp_dtype_bits(x.t) - 1) {
      return sp_ite(x.p, sp_lt(x.p, x.a, sp_int(x.p, 0)), sp_int(x.p, -1),
                    sp_int(x.p, 0));
    }
  }
  sp_expr e = tabulate(x, spi_value_arithmetic);
  return e.v ? e : opaque(x, "isar", true);
}

#define ROW(id, opcode, shape_fn, text)                                        \
  static const char *const id##_spellings[] = {"hlo:" opcode, NULL};           \
  static const sp_op id##_row = {                                              \
      .name = opcode,                                                          \
      .spellings = id##_spellings,                                             \
      .attrs = binary_attrs,                                                   \
      .min_operands = 2,                                                       \
      .max_operands = 2,                                                       \
      .shape = shape_fn,                                                       \
      .element = id##_element,                                                 \
      .meaning = "out[i] = " text,                                             \
  };

static const sp_op_attr binary_attrs[] = {
    /* a wish about rounding */
    {"result_accuracy", SP_ATTR_TEXT, false, true},
    {0},
};

ROW(add, "add", binary_shape, "a[i] + b[i]")
ROW(subtract, "subtract", number_shape, "a[i] - b[i]")
ROW(multiply, "multiply", binary_shape, "a[i] * b[i]")
ROW(divide, "divide", number_shape,
    "a[i] / b[i], integers truncated towards zero")
ROW(remainder, "remainder", number_shape,
    "a[i] - b[i] * truncated(a[i] / b[i])")
ROW(power, "power", number_shape, "a[i] to the b[i]")
ROW(atan2, "atan2", real_shape, "angle of the point (b[i], a[i])")
ROW(maximum, "maximum", binary_shape, "max(a[i], b[i])")
ROW(minimum, "minimum", binary_shape, "min(a[i], b[i])")
ROW(and, "and", bits_shape, "a[i] and b[i], bit by bit for integers")
ROW(or, "or", bits_shape, "a[i] or b[i], bit by bit for integers")
ROW(xor, "xor", bits_shape, "a[i] xor b[i], bit by bit for integers")
ROW(shift_left, "shift-left", int_shape, "a[i] * 2^b[i]")
ROW(shift_logical, "shift-right-logical", int_shape,
    "a[i] div 2^b[i], a[i] taken as unsigned")
ROW(shift_arithmetic, "shift-right-arithmetic", int_shape,
    "floor(a[i] / 2^b[i])")

extern const sp_op *const sp_ops_elementwise_binary[];
const sp_op *const sp_ops_elementwise_binary[] = {
    &add_row,
    &and_row,
    &atan2_row,
    &divide_row,
    &maximum_row,
    &minimum_row,
    &multiply_row,
    &or_row,
    &power_row,
    &remainder_row,
    &shift_left_row,
    &shift_logical_row,
    &shift_arithmetic_row,
    &subtract_row,
    &xor_row,
    NULL,
};
