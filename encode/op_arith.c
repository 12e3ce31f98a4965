/* op_arith.c: sums, quotients, bits of two terms as a machine type has them.
 *
 * Reals: ring operations and named functions. Predicates: add is or, multiply
 * is and. Integers: mathematical integers, wrapped by spi_wrap; division
 * truncates towards zero, x / 0 = -1 (all ones) and x rem 0 = x; what has no
 * linear meaning becomes an uninterpreted function, whose name carries the
 * type wherever two types could give different results. */
#include "encode/op_arith.h"

#include <stddef.h>

typedef struct pair {
  sp_pool *p;
  sp_expr a, b;
  sp_sort sort;
  sp_dtype t;
} pair;

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

sp_expr spi_arith_add(const sp_call *call, sp_expr a, sp_expr b, sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
  if (x.sort == SP_SORT_BOOL) {
    return sp_or(x.p, x.a, x.b);
  }
  sp_expr e = fold(x, spi_value_add);
  return e.v ? e : spi_wrap(call, sp_add(x.p, x.a, x.b), x.t);
}

sp_expr spi_arith_subtract(const sp_call *call, sp_expr a, sp_expr b,
                           sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
  if (x.sort == SP_SORT_INT) {
    sp_expr e = fold(x, spi_value_subtract);
    return e.v ? e : spi_wrap(call, sp_isub(x.p, x.a, x.b), x.t);
  }
  return sp_sub(x.p, x.a, x.b);
}

sp_expr spi_arith_multiply(const sp_call *call, sp_expr a, sp_expr b,
                           sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
  if (x.sort == SP_SORT_BOOL) {
    return sp_and(x.p, x.a, x.b);
  }
  sp_expr e = fold(x, spi_value_multiply);
  return e.v ? e : spi_wrap(call, sp_mul(x.p, x.a, x.b), x.t);
}

sp_expr spi_arith_maximum(const sp_call *call, sp_expr a, sp_expr b,
                          sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
  return x.sort == SP_SORT_BOOL ? sp_or(x.p, x.a, x.b) : sp_max(x.p, x.a, x.b);
}

sp_expr spi_arith_minimum(const sp_call *call, sp_expr a, sp_expr b,
                          sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
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

sp_expr spi_arith_divide(const sp_call *call, sp_expr a, sp_expr b,
                         sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
  return x.sort == SP_SORT_INT ? int_divide(call, x) : sp_div(x.p, x.a, x.b);
}

sp_expr spi_arith_remainder(const sp_call *call, sp_expr a, sp_expr b,
                            sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
  if (x.sort == SP_SORT_INT) {
    return int_remainder(x);
  }
  const sp_expr args[2] = {x.a, x.b};
  return sp_fn(x.p, SP_SORT_REAL, "rem", 2, args);
}

/* ---- division that rounds down (Python) ---- */

/* Does the truncated rest r of a division by b have another sign than b? */
static sp_expr crosses(sp_pool *p, sp_expr r, sp_expr b) {
  sp_expr zero = sp_int(p, 0);
  sp_expr up = sp_and(p, sp_lt(p, zero, r), sp_lt(p, b, zero));
  sp_expr down = sp_and(p, sp_lt(p, r, zero), sp_lt(p, zero, b));
  return sp_or(p, up, down);
}

sp_expr spi_arith_floor_divide(const sp_call *call, sp_expr a, sp_expr b,
                               sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
  int64_t c;
  if (x.sort != SP_SORT_INT) {
    sp_expr q = sp_div(x.p, a, b);
    return spi_as_int(x.p, q).v ? q : sp_fn1(x.p, "floor", q);
  }
  if (constant(x, &c) && c != 0 && c > INT64_MIN && t != SP_U64) {
    return spi_wrap(
        call, sp_idiv(x.p, c < 0 ? sp_iscale(x.p, a, -1) : a, c < 0 ? -c : c),
        t);
  }
  sp_expr r = int_remainder(x), q = int_divide(call, x);
  return sp_ite(x.p, crosses(x.p, r, b), sp_iaddc(x.p, q, -1), q);
}

sp_expr spi_arith_floor_remainder(const sp_call *call, sp_expr a, sp_expr b,
                                  sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
  int64_t c;
  if (x.sort != SP_SORT_INT) {
    sp_expr q = spi_arith_floor_divide(call, a, b, t);
    return sp_sub(x.p, a, sp_mul(x.p, b, q));
  }
  if (constant(x, &c) && c != 0 && c > INT64_MIN && t != SP_U64) {
    return c > 0 ? sp_imod(x.p, a, c)
                 : sp_iscale(x.p, sp_imod(x.p, sp_iscale(x.p, a, -1), -c), -1);
  }
  sp_expr r = int_remainder(x);
  return sp_ite(x.p, crosses(x.p, r, b), sp_iadd(x.p, r, b), r);
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

sp_expr spi_arith_power(const sp_call *call, sp_expr a, sp_expr b, sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
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

sp_expr spi_arith_atan2(const sp_call *call, sp_expr a, sp_expr b, sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
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

sp_expr spi_arith_and(const sp_call *call, sp_expr a, sp_expr b, sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
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

sp_expr spi_arith_or(const sp_call *call, sp_expr a, sp_expr b, sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
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

sp_expr spi_arith_xor(const sp_call *call, sp_expr a, sp_expr b, sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
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

sp_expr spi_arith_shift_left(const sp_call *call, sp_expr a, sp_expr b,
                             sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
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

/* A u64 is a mathematical integer that is not negative, so that its bits from k
 * on are a quotient, too. */
sp_expr spi_arith_shift_logical(const sp_call *call, sp_expr a, sp_expr b,
                                sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
  int64_t k, lo, hi;
  int bits = sp_dtype_bits(x.t);
  sp_range(x.p, x.a, &lo, &hi);
  bool positive = lo >= 0 || x.t == SP_U64;
  if (constant(x, &k)) {
    if (!spi_shift_inside(k, x.t)) {
      return sp_int(x.p, 0);
    }
    if (k == 0) {
      return x.a;
    }
    if (k < 62 && (positive || bits < 62)) {
      sp_expr u = positive ? x.a : sp_imod(x.p, x.a, (int64_t)1 << bits);
      return sp_idiv(x.p, u, (int64_t)1 << k);
    }
  }
  sp_expr e = tabulate(x, spi_value_logical);
  return e.v ? e : opaque(x, "ishr", true);
}

sp_expr spi_arith_shift_arithmetic(const sp_call *call, sp_expr a, sp_expr b,
                                   sp_dtype t) {
  pair x = {call->pool, a, b, sp_dtype_sort(t), t};
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
