/* hash.c: FNV over the name, then the finisher of splitmix64. */
#include "solve/hash.h"

#include <math.h>

#include "solve/evaluate.h"

static uint64_t mixed(uint64_t x) {
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

uint64_t sp_hash_bits(uint64_t seed, const char *name, int64_t index) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (const char *c = name; *c; c++) {
    h = (h ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
  }
  return mixed(mixed(mixed(seed) ^ h) ^ (uint64_t)index);
}

/* The sum of four uniform variables has the shape of a normal one. */
static double real_value(uint64_t bits, sp_draw draw) {
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    sum += (double)(bits >> (16 * i) & 0xffff) / 65536.0;
  }
  double v = sum - 2.0;
  return draw == SP_DRAW_TIES ? nearbyint(2.0 * v) / 2.0 : v;
}

static int64_t int_value(uint64_t bits, sp_draw draw, sp_dtype type, int64_t lo,
                         int64_t hi) {
  uint64_t choice = bits >> 60, rest = bits & ((UINT64_C(1) << 60) - 1);
  if (lo >= hi) {
    bool wide = choice & 1;
    lo = sp_dtype_is_unsigned(type) ? 0 : wide ? -64 : -2;
    hi = wide ? 64 : 16;
    int digits = sp_dtype_bits(type) - !sp_dtype_is_unsigned(type);
    if (digits < 6) {
      hi = (int64_t)1 << digits;
      lo = sp_dtype_is_unsigned(type) ? 0 : -hi;
    }
    choice >>= 1;
  }
  uint64_t n = (uint64_t)hi - (uint64_t)lo;
  if (draw == SP_DRAW_TIES && n > 3) {
    uint64_t first = n / 3;
    return (int64_t)((uint64_t)lo + first + rest % 2);
  }
  if (draw == SP_DRAW_ENDS) {
    uint64_t off = rest % (n < 2 ? n : 2);
    return choice & 1 ? (int64_t)((uint64_t)hi - 1 - off)
                      : (int64_t)((uint64_t)lo + off);
  }
  return (int64_t)((uint64_t)lo + rest % n);
}

double sp_hash_value(uint64_t seed, sp_draw draw, const char *name,
                     int64_t index, sp_dtype type, int64_t lo, int64_t hi) {
  uint64_t bits = sp_hash_bits(seed, name, index);
  if (type == SP_PRED) {
    return (double)(bits >> 63);
  }
  if (sp_dtype_is_int(type)) {
    return (double)int_value(bits, draw, type, lo, hi);
  }
  return sp_round_to_dtype(real_value(bits, draw), type);
}
