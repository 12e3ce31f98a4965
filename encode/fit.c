/* fit.c: from a table of values back to a formula. Read sp_fit.
 *
 * The function is cut into mixed-radix digits wherever it is a sum of a
 * function of k mod b and one of k - k mod b (separable at b); the widest digit
 * is taken first. A digit may be a*d, a*((d+s) mod m) or a*((d+s) div m). Every
 * form is checked on every value, so what comes out is exact.
 */
#include "encode/index.h"

enum { MAX_PIECES = 4, MAX_DIVISORS = 160, MAX_RUNS = 2 };

/* Beyond this differences could overflow; such tables stay tables. */
static const int64_t big = INT64_C(1) << 60;

typedef enum shape {
  AFFINE, /* a*d */
  ROTATE, /* a*((d+s) mod m), up to a constant */
  STEPS,  /* a*((d+s) div m), up to a constant */
} shape;

typedef struct digit {
  shape shape;
  int64_t a, s, m;
} digit;

typedef struct table {
  const int64_t *v;
  int64_t n;
  uint32_t n_cuts;
  int64_t cuts[MAX_DIVISORS]; /* 1 = cuts[0] < ... < n where separable */
} table;

/* The value of the digit function with g(0) = 0. */
static int64_t digit_at(const digit *f, int64_t d) {
  switch (f->shape) {
  case AFFINE:
    return f->a * d;
  case ROTATE:
    return f->a * ((d + f->s) % f->m - f->s % f->m);
  case STEPS:
    break;
  }
  return f->a * ((d + f->s) / f->m - f->s / f->m);
}

/* g(d) = v[b*d] - v[0], d < c */
static bool digit_is(const table *t, int64_t b, int64_t c, const digit *f) {
  for (int64_t d = 0; d < c; d++) {
    if (t->v[b * d] - t->v[0] != digit_at(f, d)) {
      return false;
    }
  }
  return true;
}

/* First d > from with g(d) - g(d-1) != step; c if there is none. */
static int64_t next_break(const table *t, int64_t b, int64_t c, int64_t from,
                          int64_t step) {
  int64_t d = from + 1;
  while (d < c && t->v[b * d] - t->v[b * (d - 1)] == step) {
    d++;
  }
  return d;
}

static bool find_rotate(const table *t, int64_t b, int64_t c, int64_t a,
                        digit *f) {
  int64_t w = next_break(t, b, c, 0, a);
  if (a == 0 || w == c) {
    return false;
  }
  /* at the wrap the value drops from a*(m-1) to 0 */
  int64_t drop = t->v[b * (w - 1)] - t->v[b * w];
  if (drop % a != 0 || drop / a < 1 || drop / a >= SPI_FIT_MAX) {
    return false;
  }
  int64_t m = drop / a + 1;
  *f = (digit){ROTATE, a, m - w, m};
  return m >= w && digit_is(t, b, c, f);
}

static bool find_steps(const table *t, int64_t b, int64_t c, digit *f) {
  int64_t i = next_break(t, b, c, 0, 0);
  if (i == c) {
    return false;
  }
  int64_t j = next_break(t, b, c, i, 0);
  if (j == c && c > 2 * i) {
    return false; /* two pieces of unequal length are no steps */
  }
  int64_t m = j < c ? j - i : i;
  *f = (digit){STEPS, t->v[b * i] - t->v[0], m - i, m};
  return m >= i && digit_is(t, b, c, f);
}

static bool find_digit(const table *t, int64_t b, int64_t c, digit *f) {
  *f = (digit){AFFINE, c > 1 ? t->v[b] - t->v[0] : 0, 0, 1};
  if (digit_is(t, b, c, f)) {
    return true;
  }
  if (c < 3) {
    return false;
  }
  int64_t first = t->v[b] - t->v[0], second = t->v[2 * b] - t->v[b];
  return find_rotate(t, b, c, first, f) || find_rotate(t, b, c, second, f) ||
         find_steps(t, b, c, f);
}

/* Of a divisor b of n. */
static bool separable(const int64_t *v, int64_t n, int64_t b) {
  for (int64_t k = b; k < n; k += b) {
    for (int64_t low = 1; low < b; low++) {
      if (v[k + low] - v[k] != v[low] - v[0]) {
        return false;
      }
    }
  }
  return true;
}

static void find_cuts(table *t) {
  for (int64_t b = 1; b <= t->n / 2; b++) {
    if (t->n % b == 0 && t->n_cuts < MAX_DIVISORS - 1 &&
        separable(t->v, t->n, b)) {
      t->cuts[t->n_cuts++] = b;
    }
  }
  t->cuts[t->n_cuts++] = t->n;
}

/* The next cut after cuts[at] whose digit has a form; 0 if none has. */
static uint32_t widest_digit(const table *t, uint32_t at, digit *f) {
  int64_t b = t->cuts[at];
  for (uint32_t i = t->n_cuts - 1; i > at; i--) {
    if (t->cuts[i] % b == 0 && find_digit(t, b, t->cuts[i] / b, f)) {
      return i;
    }
  }
  return 0;
}

static sp_expr digit_term(sp_pool *p, const digit *f, sp_expr d) {
  switch (f->shape) {
  case AFFINE:
    return d;
  case ROTATE:
    return sp_imod(p, sp_iaddc(p, d, f->s), f->m);
  case STEPS:
    break;
  }
  return sp_idiv(p, sp_iaddc(p, d, f->s), f->m);
}

static sp_expr fit_digits(sp_pool *p, const table *t, sp_expr x) {
  sp_expr e = sp_int(p, t->v[0]);
  for (uint32_t at = 0; t->cuts[at] < t->n;) {
    digit f;
    uint32_t next = widest_digit(t, at, &f);
    if (next == 0) {
      return (sp_expr){0};
    }
    int64_t b = t->cuts[at];
    if (f.a != 0) {
      sp_expr d = b == 1 ? x : sp_idiv(p, x, b);
      if (t->cuts[next] < t->n) {
        d = sp_imod(p, d, t->cuts[next] / b);
      }
      /* f(d) - f(0) */
      int64_t zero = f.shape == ROTATE  ? f.s % f.m
                     : f.shape == STEPS ? f.s / f.m
                                        : 0;
      sp_expr g = sp_iaddc(p, digit_term(p, &f, d), -zero);
      e = sp_iadd(p, e, sp_iscale(p, g, f.a));
    }
    at = next;
  }
  return e;
}

/* ---- affine pieces ---- */

/* Where the affine piece that starts at i ends. */
static int64_t piece_end(const int64_t *v, int64_t n, int64_t i) {
  if (i + 1 == n) {
    return n;
  }
  int64_t step = v[i + 1] - v[i], j = i + 2;
  while (j < n && v[j] - v[j - 1] == step) {
    j++;
  }
  /* two points always lie on a line: leave the second to the next piece */
  return j == i + 2 && j < n && step != 0 ? i + 1 : j;
}

static sp_expr fit_pieces(sp_pool *p, const int64_t *v, int64_t n, sp_expr x) {
  int64_t start[MAX_PIECES + 1];
  uint32_t m = 0;
  for (int64_t i = 0; i < n; i = piece_end(v, n, i)) {
    if (m == MAX_PIECES) {
      return (sp_expr){0};
    }
    start[m++] = i;
  }
  start[m] = n;
  sp_expr e = {0};
  while (m-- > 0) {
    int64_t i = start[m], step = i + 1 < start[m + 1] ? v[i + 1] - v[i] : 0;
    sp_expr piece = spi_lin(p, v[i] - step * i, 1, &x, (int64_t[]){step});
    e = e.v ? sp_ite(p, sp_lt(p, x, sp_int(p, start[m + 1])), piece, e) : piece;
  }
  return e;
}

static bool fits_bounds(const int64_t *v, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    if (v[i] > big || v[i] < -big) {
      return false;
    }
  }
  return true;
}

/* Values that differ by more cannot be multiplied up by indices safely. */
static bool fits_products(const int64_t *v, int64_t n) {
  int64_t lo = v[0], hi = v[0];
  for (int64_t i = 1; i < n; i++) {
    lo = v[i] < lo ? v[i] : lo;
    hi = v[i] > hi ? v[i] : hi;
  }
  return hi - lo < big / SPI_FIT_MAX;
}

sp_expr sp_fit(sp_pool *p, const int64_t *values, int64_t n, sp_expr x) {
  if (n <= 0 || n > SPI_FIT_MAX || !fits_bounds(values, n)) {
    return (sp_expr){0};
  }
  if (n == 1) {
    return sp_int(p, values[0]);
  }
  if (!fits_products(values, n)) {
    return (sp_expr){0};
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  table *t = sp_scratch(p->ctx, sizeof *t);
  t->v = values;
  t->n = n;
  t->n_cuts = 0;
  find_cuts(t);
  sp_expr e = fit_digits(p, t, x);
  sp_scratch_release(p->ctx, mark);
  return e.v ? e : fit_pieces(p, values, n, x);
}

/* ---- conditions ---- */

static bool has_period(const int64_t *v, int64_t n, int64_t m) {
  for (int64_t k = m; k < n; k++) {
    if (!v[k] != !v[k - m]) {
      return false;
    }
  }
  return true;
}

static bool has_blocks(const int64_t *v, int64_t n, int64_t b) {
  for (int64_t k = 0; k < n; k++) {
    if (!v[k] != !v[k - k % b]) {
      return false;
    }
  }
  return true;
}

/* Runs of v[b*d] != 0 (or == 0), d < c, as a condition; counts them in *runs,
 * builds nothing when d is none. */
static sp_expr runs_of(sp_pool *p, const int64_t *v, int64_t b, int64_t c,
                       bool want, sp_expr d, uint32_t *runs) {
  sp_expr e = SPI_FALSE;
  *runs = 0;
  for (int64_t i = 0; i < c; i++) {
    if ((v[b * i] != 0) != want) {
      continue;
    }
    int64_t j = i;
    while (j + 1 < c && (v[b * (j + 1)] != 0) == want) {
      j++;
    }
    ++*runs;
    if (d.v) {
      sp_expr lo = sp_int(p, i), hi = sp_int(p, j);
      sp_expr run = i == j   ? sp_eq(p, d, lo)
                    : i == 0 ? sp_le(p, d, hi)
                             : sp_le(p, lo, d);
      if (i != j && i != 0 && j != c - 1) {
        run = sp_and(p, run, sp_le(p, d, hi));
      }
      e = sp_or(p, e, run);
    }
    i = j;
  }
  return e;
}

sp_expr spi_fit_bool(sp_pool *p, const int64_t *values, int64_t n, sp_expr x) {
  if (n <= 0 || n > SPI_FIT_MAX) {
    return (sp_expr){0};
  }
  int64_t m = 1, b;
  while (n % m != 0 || !has_period(values, n, m)) {
    m++;
  }
  if (m == 1) {
    return sp_bool(p, values[0] != 0);
  }
  for (b = m / 2; m % b != 0 || !has_blocks(values, m, b);) {
    b--;
  }
  uint32_t yes, no;
  runs_of(p, values, b, m / b, true, (sp_expr){0}, &yes);
  runs_of(p, values, b, m / b, false, (sp_expr){0}, &no);
  bool want = yes < no || (yes == no && values[0] != 0);
  if ((want ? yes : no) > MAX_RUNS) {
    return (sp_expr){0};
  }
  sp_expr d = b == 1 ? x : sp_idiv(p, x, b);
  d = m == n ? d : sp_imod(p, d, m / b);
  sp_expr e = runs_of(p, values, b, m / b, want, d, &yes);
  return want ? e : sp_not(p, e);
}
