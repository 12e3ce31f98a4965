/* op_eval.c: values of the functions that rows of the operator table make by
 * name and that depend on a machine type ("ishl.s32"): used where arguments
 * are known, when tabulating a function of the rank, and by evaluators
 * (sp_op_function fits sp_eval_env.fn). Functions of mathematical integers and
 * of reals are the evaluator's own. */
#include "encode/op_util.h"

#include <math.h>
#include <string.h>

/* A value brought back into its type, as spi_wrap does for terms. */
int64_t spi_value_wrap(int64_t v, sp_dtype t) {
  int bits = sp_dtype_bits(t);
  if (bits >= 64 || bits <= 0) {
    return v;
  }
  uint64_t m = (uint64_t)v & (((uint64_t)1 << bits) - 1);
  bool negative = !sp_dtype_is_unsigned(t) && (m >> (bits - 1) & 1);
  return negative ? (int64_t)m - ((int64_t)1 << bits) : (int64_t)m;
}

bool spi_shift_inside(int64_t k, sp_dtype t) {
  return k >= 0 && k < sp_dtype_bits(t);
}

int64_t spi_value_add(int64_t a, int64_t b, sp_dtype t) {
  return spi_value_wrap((int64_t)((uint64_t)a + (uint64_t)b), t);
}

int64_t spi_value_subtract(int64_t a, int64_t b, sp_dtype t) {
  return spi_value_wrap((int64_t)((uint64_t)a - (uint64_t)b), t);
}

int64_t spi_value_multiply(int64_t a, int64_t b, sp_dtype t) {
  return spi_value_wrap((int64_t)((uint64_t)a * (uint64_t)b), t);
}

int64_t spi_value_divide(int64_t a, int64_t b, sp_dtype t) {
  if (b == 0) {
    return spi_value_wrap(-1, t); /* all ones */
  }
  if (b == -1) {
    return spi_value_wrap((int64_t)(0 - (uint64_t)a), t);
  }
  return a / b;
}

int64_t spi_value_remainder(int64_t a, int64_t b, sp_dtype t) {
  (void)t;
  return b == 0 ? a : b == -1 ? 0 : a % b;
}

int64_t spi_value_power(int64_t a, int64_t b, sp_dtype t) {
  uint64_t r = 1, base = (uint64_t)a;
  for (uint64_t n = b < 0 ? 0 : (uint64_t)b; n; n >>= 1) {
    r = n & 1 ? r * base : r;
    base *= base;
  }
  return spi_value_wrap((int64_t)r, t);
}

int64_t spi_value_and(int64_t a, int64_t b, sp_dtype t) {
  (void)t;
  return (int64_t)((uint64_t)a & (uint64_t)b);
}

int64_t spi_value_or(int64_t a, int64_t b, sp_dtype t) {
  (void)t;
  return (int64_t)((uint64_t)a | (uint64_t)b);
}

int64_t spi_value_xor(int64_t a, int64_t b, sp_dtype t) {
  (void)t;
  return (int64_t)((uint64_t)a ^ (uint64_t)b);
}

int64_t spi_value_left(int64_t a, int64_t k, sp_dtype t) {
  if (!spi_shift_inside(k, t)) {
    return 0;
  }
  return spi_value_wrap((int64_t)((uint64_t)a << k), t);
}

int64_t spi_value_logical(int64_t a, int64_t k, sp_dtype t) {
  int bits = sp_dtype_bits(t);
  uint64_t all = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
  if (!spi_shift_inside(k, t)) {
    return 0;
  }
  return spi_value_wrap((int64_t)(((uint64_t)a & all) >> k), t);
}

static int64_t floor_shift(int64_t a, int64_t k) {
  return a >= 0 ? (int64_t)((uint64_t)a >> k)
                : -1 - (int64_t)((uint64_t)(-1 - a) >> k);
}

/* The top bit of an unsigned type is copied as well. */
int64_t spi_value_arithmetic(int64_t a, int64_t k, sp_dtype t) {
  int bits = sp_dtype_bits(t);
  int64_t s = a;
  if (bits < 64 && sp_dtype_is_unsigned(t) && ((uint64_t)a >> (bits - 1) & 1)) {
    s = a - ((int64_t)1 << bits);
  }
  return spi_value_wrap(floor_shift(s, spi_shift_inside(k, t) ? k : 63), t);
}

int64_t spi_value_popcnt(int64_t v, sp_dtype t) {
  int64_t n = 0;
  for (int i = 0; i < sp_dtype_bits(t); i++) {
    n += (int64_t)((uint64_t)v >> i & 1);
  }
  return n;
}

int64_t spi_value_clz(int64_t v, sp_dtype t) {
  int64_t n = 0;
  for (int i = sp_dtype_bits(t) - 1; i >= 0 && !((uint64_t)v >> i & 1); i--) {
    n++;
  }
  return n;
}

static const struct {
  const char *name;
  spi_int_fn fn;
} binaries[] = {
    {"idiv.trunc", spi_value_divide}, {"irem.trunc", spi_value_remainder},
    {"ipow", spi_value_power},        {"ishl", spi_value_left},
    {"ishr", spi_value_logical},      {"isar", spi_value_arithmetic},
};

static bool float_to_int(double r, sp_dtype t, sp_value *out) {
  int64_t lo, hi;
  spi_dtype_range(t, &lo, &hi);
  double v = trunc(r);
  if (!(v > -9.0e18 && v < 9.0e18)) {
    return false;
  }
  int64_t i = (int64_t)v;
  *out = (sp_value){.sort = SP_SORT_INT, .i = i < lo ? lo : i > hi ? hi : i};
  return true;
}

/* "bits.f32.s32": only where C has the float type. */
static bool bits_function(const char *name, const sp_value *arg,
                          sp_value *out) {
  if (strcmp(name, "bits.f32.s32") == 0 || strcmp(name, "bits.f32.u32") == 0) {
    float x = (float)arg->r;
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bool negative = name[9] == 's';
    *out = (sp_value){.sort = SP_SORT_INT,
                      .i = negative ? bits : (int64_t)(uint32_t)bits};
    return arg->sort == SP_SORT_REAL;
  }
  if (strcmp(name, "bits.s32.f32") == 0 || strcmp(name, "bits.u32.f32") == 0) {
    uint32_t bits = (uint32_t)arg->i;
    float x;
    memcpy(&x, &bits, sizeof x);
    *out = (sp_value){.sort = SP_SORT_REAL, .r = (double)x};
    return arg->sort == SP_SORT_INT;
  }
  return false;
}

/* An int64 holds the u64 values below 2^63: of results that cannot be larger
 * than what they are made of. */
static bool u64_has_value(const char *name, const sp_value *args, int64_t out) {
  bool grows = strcmp(name, "ishl") == 0 || strcmp(name, "ipow") == 0;
  return !grows && args[0].i >= 0 && args[1].i >= 0 && out >= 0 &&
         args[0].i < INT64_MAX && args[1].i < INT64_MAX;
}

bool sp_op_function(void *user, const char *name, uint32_t n,
                    const sp_value *args, sp_value *out) {
  (void)user;
  if (n == 1 && strncmp(name, "bits.", 5) == 0) {
    return bits_function(name, &args[0], out);
  }
  const char *dot = strrchr(name, '.');
  if (n == 1 && strcmp(name, "r2i") == 0 && args[0].sort == SP_SORT_REAL) {
    return float_to_int(args[0].r, SP_S64, out);
  }
  sp_dtype t = dot ? sp_dtype_parse(dot + 1, strlen(dot + 1)) : SP_PRED;
  size_t len = dot ? (size_t)(dot - name) : 0;
  if (len == 0 || !sp_dtype_is_int(t)) {
    return false;
  }
  if (n == 1 && len == 3 && strncmp(name, "r2i", 3) == 0 &&
      args[0].sort == SP_SORT_REAL) {
    return float_to_int(args[0].r, t, out);
  }
  *out = (sp_value){.sort = SP_SORT_INT};
  if (n == 1 && args[0].sort == SP_SORT_INT) {
    bool pop = len == 6 && strncmp(name, "popcnt", len) == 0;
    bool clz = len == 3 && strncmp(name, "clz", len) == 0;
    out->i = pop ? spi_value_popcnt(args[0].i, t) : spi_value_clz(args[0].i, t);
    return pop || clz;
  }
  for (size_t i = 0; i < sizeof binaries / sizeof binaries[0]; i++) {
    if (n == 2 && args[0].sort == SP_SORT_INT && args[1].sort == SP_SORT_INT &&
        strlen(binaries[i].name) == len &&
        strncmp(binaries[i].name, name, len) == 0) {
      out->i = binaries[i].fn(args[0].i, args[1].i, t);
      return t != SP_U64 || u64_has_value(binaries[i].name, args, out->i);
    }
  }
  return false;
}
