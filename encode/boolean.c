/* boolean.c: comparisons. Read spi_lt0 and spi_eq0: all integer comparisons
 * end there, as d < 0 and d == 0.
 *
 * Canonical choices: coefficients without a common factor; low digits split
 * off; no division by a constant directly under d < 0; a comparison with the
 * end of an interval is an equation (x < 1 is x == 0 where x >= 0), and of the
 * two equations over two points the lower one; not (d < 0) is -d-1 < 0; the
 * first coefficient of an equation is positive.
 */
#include "encode/index.h"
#include "encode/real.h"

sp_expr sp_bool(sp_pool *p, bool v) {
  (void)p;
  return v ? SPI_TRUE : SPI_FALSE;
}

static sp_expr cond_node(sp_pool *p, sp_kind kind, sp_expr arg) {
  return spi_node(p, kind, SP_SORT_BOOL, 0, 1, &arg, NULL);
}

/* ---- d < 0 ---- */

/* floor(x/m) + rest < 0 is x + m*rest < 0, and -floor(x/m) + rest < 0 is
 * m*(rest+1) - x - 1 < 0. 0 if there is no such division in d. */
static sp_expr lt0_of_div(sp_pool *p, const spi_parts *d) {
  for (uint32_t i = 0; i < d->n; i++) {
    const spi_node_t *a = spi_get(p, d->arg[i]);
    int64_t k = d->coef[i], m = a->payload, unit;
    if (a->kind != SP_KIND_DIV || (k != 1 && k != -1)) {
      continue;
    }
    spi_sum s = spi_sum_new(p, d->n + 4);
    for (uint32_t j = 0; j < d->n; j++) {
      if (j != i) {
        if (!sp_mul_ok(m, d->coef[j], &unit)) {
          return (sp_expr){0};
        }
        spi_sum_add(&s, d->arg[j], unit);
      }
    }
    if (!sp_mul_ok(m, d->c, &s.c)) {
      return (sp_expr){0};
    }
    if (k < 0) {
      spi_sum_const(&s, m - 1);
    }
    spi_sum_add(&s, a->args[0], k);
    return spi_lt0(p, spi_sum_done(&s));
  }
  return (sp_expr){0};
}

/* Divide by the common factor, drop low digits: the result is < 0 when s is. */
static void lt0_reduce(spi_sum *s) {
  int64_t g = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    g = sp_gcd(g, s->coef[i]);
  }
  if (g > 1) {
    s->c = sp_floor_div(s->c, g);
    for (uint32_t i = 0; i < s->n; i++) {
      s->coef[i] /= g;
    }
  }
  spi_sum y, small;
  if (spi_sum_split(s, 0, &y, &small)) {
    *s = y;
    lt0_reduce(s); /* fewer atoms each time */
  }
}

static sp_expr lt0_normal(sp_pool *p, sp_expr d) {
  int64_t lo, hi;
  sp_range(p, d, &lo, &hi);
  if (hi < 0 || lo >= 0) {
    return sp_bool(p, hi < 0);
  }
  spi_parts t;
  spi_sum s = spi_sum_new(p, 8);
  spi_sum_add(&s, d, 1);
  lt0_reduce(&s);
  d = spi_sum_done(&s);
  spi_parts_of(p, d, &t);
  sp_expr e = lt0_of_div(p, &t);
  if (e.v) {
    return e;
  }
  sp_range(p, d, &lo, &hi);
  if (hi < 0 || lo >= 0) {
    return sp_bool(p, hi < 0);
  }
  if (lo == -1) {
    return spi_eq0(p, sp_iaddc(p, d, 1));
  }
  if (hi == 0) {
    return sp_not(p, spi_eq0(p, d));
  }
  return spi_tabulate(p, cond_node(p, SP_KIND_LT0, d));
}

sp_expr spi_lt0(sp_pool *p, sp_expr d) {
  if (spi_kind(p, d) == SP_KIND_INT && !p->raw_values) {
    return sp_bool(p, sp_int_value(p, d) < 0);
  }
  if (p->raw) {
    return cond_node(p, SP_KIND_LT0, d);
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr e = lt0_normal(p, d);
  sp_scratch_release(p->ctx, mark);
  return e;
}

/* ---- d == 0 ---- */

/* Divide by the common factor, first coefficient positive; false when no
 * integer solves it. */
static bool eq0_reduce(spi_sum *s) {
  int64_t g = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    g = sp_gcd(g, s->coef[i]);
    if (s->coef[i] == INT64_MIN) {
      return true;
    }
  }
  if (g == 0 || s->c == INT64_MIN) {
    return true;
  }
  if (s->c % g != 0) {
    return false;
  }
  g = s->coef[0] < 0 ? -g : g;
  s->c /= g;
  for (uint32_t i = 0; i < s->n; i++) {
    s->coef[i] /= g;
  }
  return true;
}

/* s = g*y + small == 0 where [small] holds at most one multiple m*g: then
 * small == m*g and y == -m, or never. 0 if no scale does it. */
static sp_expr eq0_digits(spi_sum *s) {
  sp_pool *p = s->p;
  for (uint32_t i = 0; s->n <= 16 && i < s->n; i++) {
    int64_t g = s->coef[i] < 0 ? -s->coef[i] : s->coef[i];
    spi_sum y = spi_sum_new(p, s->n), small = spi_sum_new(p, s->n);
    if (g <= 1) { /* or INT64_MIN */
      continue;
    }
    for (uint32_t j = 0; j < s->n; j++) {
      bool high = s->coef[j] % g == 0;
      spi_sum_add(high ? &y : &small, s->arg[j],
                  high ? s->coef[j] / g : s->coef[j]);
    }
    small.c = s->c;
    int64_t lo, hi, mg;
    spi_sum_range(&small, &lo, &hi);
    if (small.n == 0 || lo == INT64_MIN || hi == INT64_MAX) {
      continue;
    }
    int64_t m = sp_floor_div(hi, g);
    if (!sp_mul_ok(m, g, &mg)) {
      continue;
    }
    if (mg < lo) {
      return SPI_FALSE;
    }
    if (sp_floor_div(lo - 1, g) == m - 1 && sp_sub_ok(small.c, mg, &small.c)) {
      y.c = m;
      return sp_and(p, spi_eq0(p, spi_sum_done(&small)),
                    spi_eq0(p, spi_sum_done(&y)));
    }
  }
  return (sp_expr){0};
}

/* floor(x/m) == an end of its interval is a comparison of x. */
static sp_expr eq0_of_div(sp_pool *p, sp_expr d, int64_t lo, int64_t hi) {
  spi_parts t;
  spi_parts_of(p, d, &t);
  if (t.n != 1 || spi_kind(p, t.arg[0]) != SP_KIND_DIV || t.coef[0] != 1) {
    return (sp_expr){0};
  }
  if (lo == 0) {
    return spi_lt0(p, sp_iaddc(p, d, -1));
  }
  if (hi == 0) {
    return sp_not(p, spi_lt0(p, d));
  }
  return (sp_expr){0};
}

/* A choice between two numbers is one of them: its condition, or not. 0 if d is
 * something else. */
static sp_expr eq0_of_choice(sp_pool *p, sp_expr d) {
  spi_parts t;
  spi_parts_of(p, d, &t);
  const spi_node_t *a = t.n == 1 ? spi_get(p, t.arg[0]) : NULL;
  int64_t x, y;
  if (!a || a->kind != SP_KIND_ITE || spi_kind(p, a->args[1]) != SP_KIND_INT ||
      spi_kind(p, a->args[2]) != SP_KIND_INT ||
      !sp_mul_ok(t.coef[0], sp_int_value(p, a->args[1]), &x) ||
      !sp_mul_ok(t.coef[0], sp_int_value(p, a->args[2]), &y) ||
      !sp_add_ok(x, t.c, &x) || !sp_add_ok(y, t.c, &y)) {
    return (sp_expr){0};
  }
  return sp_ite(p, a->args[0], sp_bool(p, x == 0), sp_bool(p, y == 0));
}

static sp_expr eq0_normal(sp_pool *p, sp_expr d) {
  spi_sum s = spi_sum_new(p, 8);
  spi_sum_add(&s, d, 1);
  if (!eq0_reduce(&s)) {
    return SPI_FALSE;
  }
  sp_expr e = eq0_digits(&s);
  if (e.v) {
    return e;
  }
  d = spi_sum_done(&s);
  int64_t lo, hi;
  sp_range(p, d, &lo, &hi);
  if (lo > 0 || hi < 0 || (lo == 0 && hi == 0)) {
    return sp_bool(p, lo == 0);
  }
  e = eq0_of_choice(p, d);
  if (e.v) {
    return e;
  }
  e = eq0_of_div(p, d, lo, hi);
  if (e.v) {
    return e;
  }
  if (lo == -1 && hi == 0) {
    return sp_not(p, spi_eq0(p, sp_iaddc(p, d, 1)));
  }
  return spi_tabulate(p, cond_node(p, SP_KIND_EQ0, d));
}

/* Of d == 0 and -d == 0, the one with a positive first coefficient. */
static sp_expr eq0_signed(sp_pool *p, sp_expr d) {
  if (spi_kind(p, d) == SP_KIND_INT) {
    return sp_bool(p, sp_int_value(p, d) == 0);
  }
  spi_parts t;
  spi_parts_of(p, d, &t);
  bool flip = t.n > 0 && t.coef[0] < 0;
  return cond_node(p, SP_KIND_EQ0, flip ? sp_iscale(p, d, -1) : d);
}

sp_expr spi_eq0(sp_pool *p, sp_expr d) {
  if (p->raw) {
    return p->raw_values ? cond_node(p, SP_KIND_EQ0, d) : eq0_signed(p, d);
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr e = eq0_normal(p, d);
  sp_scratch_release(p->ctx, mark);
  return e;
}

/* ---- any sort ---- */

sp_expr sp_lt(sp_pool *p, sp_expr a, sp_expr b) {
  assert(sp_sort_of(p, a) == sp_sort_of(p, b));
  return sp_sort_of(p, a) == SP_SORT_INT ? spi_lt0(p, sp_isub(p, a, b))
                                         : spi_rlt(p, a, b);
}

sp_expr sp_le(sp_pool *p, sp_expr a, sp_expr b) {
  assert(sp_sort_of(p, a) == sp_sort_of(p, b));
  if (sp_sort_of(p, a) == SP_SORT_INT) {
    return spi_lt0(p, sp_iaddc(p, sp_isub(p, a, b), -1));
  }
  if (p->raw_values) { /* with a NaN, neither is b < a */
    return sp_or(p, spi_rlt(p, a, b), spi_req(p, a, b));
  }
  return spi_is_nan(p, a) || spi_is_nan(p, b) ? SPI_FALSE
                                              : sp_not(p, spi_rlt(p, b, a));
}

sp_expr sp_eq(sp_pool *p, sp_expr a, sp_expr b) {
  assert(sp_sort_of(p, a) == sp_sort_of(p, b));
  switch (sp_sort_of(p, a)) {
  case SP_SORT_INT:
    return spi_eq0(p, sp_isub(p, a, b));
  case SP_SORT_REAL:
    return spi_req(p, a, b);
  case SP_SORT_BOOL:
    break;
  }
  return sp_ite(p, a, b, sp_not(p, b));
}
