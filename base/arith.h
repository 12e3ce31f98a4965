/* arith.h: 64-bit integers that notice when they do not fit, and the floor
 * division of mathematics (C's / and % truncate towards zero).
 */
#ifndef SP_BASE_ARITH_H
#define SP_BASE_ARITH_H

#include <stdbool.h>
#include <stdint.h>

static inline bool sp_add_ok(int64_t a, int64_t b, int64_t *out) {
  return !__builtin_add_overflow(a, b, out);
}

static inline bool sp_sub_ok(int64_t a, int64_t b, int64_t *out) {
  return !__builtin_sub_overflow(a, b, out);
}

static inline bool sp_mul_ok(int64_t a, int64_t b, int64_t *out) {
  return !__builtin_mul_overflow(a, b, out);
}

/* Sums and products that stop at the ends: for bounds, where INT64_MIN and
 * INT64_MAX stand for "no bound". */
static inline int64_t sp_add_sat(int64_t a, int64_t b) {
  int64_t r;
  if (sp_add_ok(a, b, &r)) {
    return r;
  }
  return a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t sp_mul_sat(int64_t a, int64_t b) {
  int64_t r;
  if (sp_mul_ok(a, b, &r)) {
    return r;
  }
  return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

/* floor(a / c) and a - c * floor(a / c); c > 0 */
static inline int64_t sp_floor_div(int64_t a, int64_t c) {
  int64_t q = a / c;
  return a % c < 0 ? q - 1 : q;
}

static inline int64_t sp_floor_mod(int64_t a, int64_t c) {
  int64_t r = a % c;
  return r < 0 ? r + c : r;
}

/* Greatest common divisor of |a| and |b|; 0 only for two zeros. The result of
 * INT64_MIN does not fit and is given as 1 (a divisor all the same). */
static inline int64_t sp_gcd(int64_t a, int64_t b) {
  uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
  uint64_t y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  while (y) {
    uint64_t t = x % y;
    x = y;
    y = t;
  }
  return x > (uint64_t)INT64_MAX ? 1 : (int64_t)x;
}

#endif
