/* num.c: exact rationals as interned ids. Read number and small_intern (the
 * table) first, then sp_num_add (how small operands avoid GMP), then
 * sp_num_from_double. */
#include "encode/num.h"

#include <assert.h>
#include <float.h>
#include <gmp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "encode/pool.h"

/* Decimals of more digits than people write, and the products of numbers that
 * are looked for behind them: by bits of the format. */
typedef struct long_text {
  int bits, digits, product_bits;
} long_text;

static const long_text long_texts[] = {{DBL_MANT_DIG, 15, 40},
                                       {FLT_MANT_DIG, 7, 20}};

/* n / d in lowest terms with d > 0, or big when either does not fit. */
typedef struct number {
  int64_t n, d;
  mpq_ptr big; /* NULL: n / d holds */
  uint64_t hash;
  double approx;
  const char *text; /* NULL until asked for */
} number;

typedef struct spi_nums {
  sp_ctx *ctx;
  SP_VEC(number) all; /* by id; 0 is none */
  uint32_t *slots;    /* ids; open addressing, cap a power of two */
  size_t cap;
  bool ready;
  mpq_t x, y, z; /* scratch: never leaves a public function */
} spi_nums;

static spi_nums *nums_of(const sp_pool *p) {
  return p->nums;
}

static const number *num_at(const sp_pool *p, sp_num a) {
  const spi_nums *t = nums_of(p);
  assert(a.v > 0 && a.v < t->all.n);
  return &t->all.v[a.v];
}

static void nums_free(void *arg) {
  spi_nums *t = arg;
  for (size_t i = 1; i < t->all.n; i++) {
    if (t->all.v[i].big) {
      mpq_clear(t->all.v[i].big);
    }
  }
  if (t->ready) {
    mpq_clears(t->x, t->y, t->z, NULL);
  }
}

static uint64_t hash_mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

static uint64_t hash_mpz(uint64_t h, mpz_srcptr z) {
  size_t n = mpz_size(z);
  const mp_limb_t *limbs = mpz_limbs_read(z);
  for (size_t i = 0; i < n; i++) {
    h = hash_mix(h, limbs[i]);
  }
  return hash_mix(h, mpz_sgn(z) < 0);
}

static void slots_grow(spi_nums *t) {
  size_t cap = t->cap ? t->cap * 2 : 64;
  uint32_t *v = sp_alloc_n(t->ctx, cap, sizeof *v);
  for (size_t i = 1; i < t->all.n; i++) {
    size_t at = t->all.v[i].hash & (cap - 1);
    while (v[at]) {
      at = (at + 1) & (cap - 1);
    }
    v[at] = (uint32_t)i;
  }
  t->slots = v;
  t->cap = cap;
}

static sp_num number_append(spi_nums *t, size_t slot, number x) {
  if (t->all.n >= UINT32_MAX) {
    sp_raise(t->ctx, SP_ERR_LIMIT, sp_nowhere(), NULL,
             "too many different numbers");
  }
  uint32_t id = (uint32_t)t->all.n;
  sp_push(t->ctx, &t->all, x);
  t->slots[slot] = id;
  return (sp_num){id};
}

/* n / d is in lowest terms, d > 0. */
static sp_num small_intern(spi_nums *t, int64_t n, int64_t d) {
  if (t->all.n * 2 >= t->cap) {
    slots_grow(t);
  }
  uint64_t h = hash_mix(hash_mix(1, (uint64_t)n), (uint64_t)d);
  size_t at = h & (t->cap - 1);
  for (; t->slots[at]; at = (at + 1) & (t->cap - 1)) {
    const number *x = &t->all.v[t->slots[at]];
    if (x->hash == h && !x->big && x->n == n && x->d == d) {
      return (sp_num){t->slots[at]};
    }
  }
  number x = {n, d, NULL, h, (double)n / (double)d, NULL};
  return number_append(t, at, x);
}

static bool mpz_as_i64(mpz_srcptr z, int64_t *out) {
  /* long is 64 bits on the platforms we build for; elsewhere this is only
   * slower, never wrong. */
  if (!mpz_fits_slong_p(z)) {
    return false;
  }
  *out = mpz_get_si(z);
  return true;
}

static void mpz_from_i64(mpz_ptr z, int64_t v) {
  uint64_t magnitude = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
  mpz_import(z, 1, -1, sizeof magnitude, 0, 0, &magnitude);
  if (v < 0) {
    mpz_neg(z, z);
  }
}

/* q is canonical (GMP's sense). */
static sp_num big_intern(spi_nums *t, mpq_srcptr q) {
  int64_t n, d;
  if (mpz_as_i64(mpq_numref(q), &n) && mpz_as_i64(mpq_denref(q), &d)) {
    return small_intern(t, n, d);
  }
  if (mpz_sizeinbase(mpq_numref(q), 2) > SPI_NUM_BITS ||
      mpz_sizeinbase(mpq_denref(q), 2) > SPI_NUM_BITS) {
    sp_raise(t->ctx, SP_ERR_LIMIT, sp_nowhere(),
             "constants of extreme size multiply without end here",
             "an exact constant needs more than %d bits", (int)SPI_NUM_BITS);
  }
  if (t->all.n * 2 >= t->cap) {
    slots_grow(t);
  }
  uint64_t h = hash_mpz(hash_mpz(2, mpq_numref(q)), mpq_denref(q));
  size_t at = h & (t->cap - 1);
  for (; t->slots[at]; at = (at + 1) & (t->cap - 1)) {
    const number *x = &t->all.v[t->slots[at]];
    if (x->hash == h && x->big && mpq_equal(x->big, q)) {
      return (sp_num){t->slots[at]};
    }
  }
  /* Append first: were it to raise, a GMP number made before would leak. */
  mpq_ptr big = sp_alloc(t->ctx, sizeof *big);
  number x = {0, 0, NULL, h, mpq_get_d(q), NULL};
  sp_num id = number_append(t, at, x);
  mpq_init(big);
  mpq_set(big, q);
  t->all.v[id.v].big = big;
  return id;
}

void spi_nums_init(sp_pool *p) {
  spi_nums *t = sp_alloc(p->ctx, sizeof *t);
  t->ctx = p->ctx;
  sp_ctx_on_free(p->ctx, nums_free, t); /* may raise, so before GMP allocates */
  mpq_inits(t->x, t->y, t->z, NULL);
  t->ready = true;
  sp_push(t->ctx, &t->all, ((number){0}));
  small_intern(t, 0, 1);
  small_intern(t, 1, 1);
  p->nums = t;
}

static void num_get(mpq_ptr q, const number *x) {
  if (x->big) {
    mpq_set(q, x->big);
  } else {
    mpz_from_i64(mpq_numref(q), x->n);
    mpz_from_i64(mpq_denref(q), x->d);
  }
}

/* Products of two such values, and sums of two products, fit 64 bits. */
static bool is_half(int64_t v) {
  return v > -(INT64_C(1) << 31) && v < (INT64_C(1) << 31);
}

static bool is_short(const number *x) {
  return !x->big && is_half(x->n) && is_half(x->d);
}

/* Any n, d with d > 0 and n > INT64_MIN. */
static sp_num ratio_intern(spi_nums *t, int64_t n, int64_t d) {
  if (d == 1) {
    return small_intern(t, n, 1);
  }
  int64_t g = sp_gcd(n, d);
  return small_intern(t, n / g, d / g);
}

sp_num sp_num_from_i64(sp_pool *p, int64_t n) {
  return small_intern(nums_of(p), n, 1);
}

sp_num sp_num_ratio(sp_pool *p, int64_t n, int64_t d) {
  assert(d != 0);
  spi_nums *t = nums_of(p);
  if (n > INT64_MIN && d > INT64_MIN) {
    return d < 0 ? ratio_intern(t, -n, -d) : ratio_intern(t, n, d);
  }
  mpz_from_i64(mpq_numref(t->x), n);
  mpz_from_i64(mpq_denref(t->x), d);
  mpq_canonicalize(t->x);
  return big_intern(t, t->x);
}

sp_num sp_num_add(sp_pool *p, sp_num a, sp_num b) {
  if (spi_num_is_zero(a)) {
    return b;
  }
  if (spi_num_is_zero(b)) {
    return a;
  }
  spi_nums *t = nums_of(p);
  const number *x = num_at(p, a), *y = num_at(p, b);
  if (is_short(x) && is_short(y)) {
    return ratio_intern(t, x->n * y->d + y->n * x->d, x->d * y->d);
  }
  num_get(t->x, x);
  num_get(t->y, y);
  mpq_add(t->z, t->x, t->y);
  return big_intern(t, t->z);
}

sp_num sp_num_mul(sp_pool *p, sp_num a, sp_num b) {
  if (spi_num_is_one(a) || spi_num_is_zero(b)) {
    return b;
  }
  if (spi_num_is_one(b) || spi_num_is_zero(a)) {
    return a;
  }
  spi_nums *t = nums_of(p);
  const number *x = num_at(p, a), *y = num_at(p, b);
  if (is_short(x) && is_short(y)) {
    return ratio_intern(t, x->n * y->n, x->d * y->d);
  }
  num_get(t->x, x);
  num_get(t->y, y);
  mpq_mul(t->z, t->x, t->y);
  return big_intern(t, t->z);
}

sp_num sp_num_inv(sp_pool *p, sp_num a) {
  assert(!spi_num_is_zero(a));
  spi_nums *t = nums_of(p);
  const number *x = num_at(p, a);
  if (!x->big && x->n > INT64_MIN) {
    return x->n < 0 ? small_intern(t, -x->d, -x->n)
                    : small_intern(t, x->d, x->n);
  }
  num_get(t->x, x);
  mpq_inv(t->z, t->x);
  return big_intern(t, t->z);
}

sp_num sp_num_neg(sp_pool *p, sp_num a) {
  spi_nums *t = nums_of(p);
  const number *x = num_at(p, a);
  if (!x->big && x->n > INT64_MIN) {
    return small_intern(t, -x->n, x->d);
  }
  num_get(t->x, x);
  mpq_neg(t->z, t->x);
  return big_intern(t, t->z);
}

bool spi_num_floor(const sp_pool *p, sp_num a, int64_t *out) {
  const number *x = num_at(p, a);
  if (!x->big) {
    int64_t q = x->n / x->d;
    *out = x->n % x->d < 0 ? q - 1 : q;
    return true;
  }
  spi_nums *t = nums_of(p);
  mpz_fdiv_q(mpq_numref(t->z), mpq_numref(x->big), mpq_denref(x->big));
  mpz_set_ui(mpq_denref(t->z), 1);
  return mpz_as_i64(mpq_numref(t->z), out);
}

int sp_num_sign(const sp_pool *p, sp_num a) {
  const number *x = num_at(p, a);
  if (x->big) {
    return mpq_sgn(x->big);
  }
  return (x->n > 0) - (x->n < 0);
}

int sp_num_cmp(const sp_pool *p, sp_num a, sp_num b) {
  if (a.v == b.v) {
    return 0;
  }
  const number *x = num_at(p, a), *y = num_at(p, b);
  if (is_short(x) && is_short(y)) {
    int64_t l = x->n * y->d, r = y->n * x->d;
    return (l > r) - (l < r);
  }
  spi_nums *t = nums_of(p);
  num_get(t->x, x);
  num_get(t->y, y);
  int c = mpq_cmp(t->x, t->y);
  return (c > 0) - (c < 0);
}

double sp_num_double(const sp_pool *p, sp_num a) {
  return num_at(p, a)->approx;
}

bool spi_num_as_ratio(const sp_pool *p, sp_num a, int64_t *n, int64_t *d) {
  const number *x = num_at(p, a);
  if (x->big) {
    return false;
  }
  *n = x->n;
  *d = x->d;
  return true;
}

bool spi_num_as_i64(const sp_pool *p, sp_num a, int64_t *out) {
  int64_t d;
  return spi_num_as_ratio(p, a, out, &d) && d == 1;
}

const char *sp_num_text(sp_pool *p, sp_num a) {
  spi_nums *t = nums_of(p);
  assert(a.v > 0 && a.v < t->all.n);
  number *x = &t->all.v[a.v];
  if (x->text) {
    return x->text;
  }
  if (x->big) {
    size_t size = mpz_sizeinbase(mpq_numref(x->big), 10) +
                  mpz_sizeinbase(mpq_denref(x->big), 10) + 3;
    char *s = sp_alloc(t->ctx, size);
    x->text = mpq_get_str(s, 10, x->big);
  } else if (x->d == 1) {
    x->text = sp_format(t->ctx, "%" PRId64, x->n);
  } else {
    x->text = sp_format(t->ctx, "%" PRId64 "/%" PRId64, x->n, x->d);
  }
  return x->text;
}

/* v rounded (half to even) to a significand of that many bits. */
static double round_bits(double v, int bits) {
  if (bits >= DBL_MANT_DIG) {
    return v;
  }
  int e;
  double f = frexp(v, &e);
  return ldexp(rint(ldexp(f, bits)), e - bits);
}

static void scale_by_ten(mpq_ptr q, int exponent) {
  unsigned long k = (unsigned long)abs(exponent);
  if (exponent >= 0) {
    mpz_ui_pow_ui(mpq_denref(q), 10, k);
    mpz_mul(mpq_numref(q), mpq_numref(q), mpq_denref(q));
    mpz_set_ui(mpq_denref(q), 1);
  } else {
    mpz_ui_pow_ui(mpq_denref(q), 10, k);
    mpq_canonicalize(q);
  }
}

/* The fraction that a long text stands for: 0.008333333333333333 was written as
 * 0.1 / 12, 0.0416666679 in f32 as 1 / 24 (the gradient of a mean). Of two
 * numbers with a product below 2^40 chance makes one double in 2^13 one (f32,
 * 2^20: one in 2^5); the fraction rounds to v, so it is as good as any other
 * text, and different v stay different. The fraction that was meant is a
 * convergent: it is closer to v than 1 / (2 d^2). */
static bool short_fraction(double v, const long_text *x, int64_t *n,
                           int64_t *d) {
  const double most = ldexp(1.0, x->product_bits);
  double rest = fabs(v), n0 = 0, n1 = 1, d0 = 1, d1 = 0;
  for (;;) {
    double whole = floor(rest);
    double n2 = whole * n1 + n0, d2 = whole * d1 + d0;
    if (!(n2 * d2 <= most)) {
      return false;
    }
    n0 = n1, n1 = n2, d0 = d1, d1 = d2;
    if (d1 > 0 && round_bits(n1 / d1, x->bits) == fabs(v)) {
      *n = (int64_t)(v < 0 ? -n1 : n1);
      *d = (int64_t)d1;
      return true;
    }
    if (rest == whole) {
      return false;
    }
    rest = 1 / (rest - whole);
  }
}

sp_num sp_num_from_double(sp_pool *p, double v, int significand_bits) {
  assert(isfinite(v) && significand_bits > 0);
  spi_nums *t = nums_of(p);
  int bits = significand_bits < DBL_MANT_DIG ? significand_bits : DBL_MANT_DIG;
  v = round_bits(v, bits);
  /* An integer below 2^bits is its own shortest text: neighbours in the format
   * are at most 1 apart, decimals of fewer digits are further away. */
  if (v == rint(v) && fabs(v) <= ldexp(1.0, bits)) {
    return small_intern(t, (int64_t)v, 1);
  }
  char text[40];
  int digits = 0;
  for (digits = 0; digits < 17; digits++) {
    snprintf(text, sizeof text, "%.*e", digits, v);
    if (round_bits(strtod(text, NULL), bits) == v) {
      break;
    }
  }
  for (size_t i = 0; i < sizeof long_texts / sizeof *long_texts; i++) {
    int64_t above, below;
    if (bits == long_texts[i].bits && digits + 1 >= long_texts[i].digits &&
        short_fraction(v, &long_texts[i], &above, &below)) {
      return sp_num_ratio(p, above, below);
    }
  }
  /* "-d.ddde-xx": the digits as an integer, the exponent moved past them */
  int64_t n = 0;
  const char *s = text;
  for (; *s && *s != 'e'; s++) {
    if (*s >= '0' && *s <= '9') {
      n = n * 10 + (*s - '0');
    }
  }
  int exponent = (int)strtol(s + 1, NULL, 10) - (digits < 17 ? digits : 16);
  mpz_from_i64(mpq_numref(t->x), v < 0 ? -n : n);
  mpz_set_ui(mpq_denref(t->x), 1);
  scale_by_ten(t->x, exponent);
  return big_intern(t, t->x);
}
