/* ite.c: choices. Read sp_ite: trivial cases, branches under their condition,
 * then ite_build: canonical polarity and merging.
 *
 * Canonical choices: a real branch that is 0 comes first, whatever the
 * condition; otherwise the condition is no negation, and a d < 0 among the two
 * polarities has a positive first coefficient. ite(c, a, ite(d, a, b)) is
 * ite(c or d, a, b).
 */
#include "encode/index.h"

static bool is_ite(const sp_pool *p, sp_expr e) {
  return spi_kind(p, e) == SP_KIND_ITE;
}

/* ite(a < b, b, a) and its like are max and min. */
static sp_expr ite_extremum(sp_pool *p, sp_expr c, sp_expr a, sp_expr b) {
  const spi_node_t *d = spi_get(p, c);
  if (d->kind != SP_KIND_LT0) {
    return (sp_expr){0};
  }
  /* d < 0 says b - a + 0 or 1 <= 0, or the other way round */
  sp_expr diff = sp_isub(p, b, a);
  sp_expr up = sp_isub(p, d->args[0], diff);
  if (sp_is_int(p, up, 0) || sp_is_int(p, up, -1)) {
    return sp_max(p, a, b);
  }
  sp_expr down = sp_iadd(p, d->args[0], diff);
  if (sp_is_int(p, down, 0) || sp_is_int(p, down, -1)) {
    return sp_min(p, a, b);
  }
  return (sp_expr){0};
}

/* One of two equivalent forms: is not c the one to show? */
static bool wrong_polarity(const sp_pool *p, sp_expr c) {
  const spi_node_t *d = spi_get(p, c);
  if (d->kind == SP_KIND_NOT) {
    return true;
  }
  if (d->kind != SP_KIND_LT0) {
    return false;
  }
  spi_parts t;
  spi_parts_of(p, d->args[0], &t);
  return t.n > 0 && t.coef[0] < 0;
}

typedef struct choice {
  sp_expr c, a, b;
} choice;

static void choice_flip(sp_pool *p, choice *x) {
  sp_expr a = x->a;
  x->c = sp_not(p, x->c);
  x->a = x->b;
  x->b = a;
}

/* A branch that is a choice with a branch in common: one choice. */
static bool choice_merge(sp_pool *p, choice *x) {
  if (is_ite(p, x->b)) {
    sp_expr d = sp_arg(p, x->b, 0), y = sp_arg(p, x->b, 1);
    sp_expr z = sp_arg(p, x->b, 2);
    if (spi_same(y, x->a)) { /* ite(c, a, ite(d, a, z)) */
      *x = (choice){sp_or(p, x->c, d), x->a, z};
      return true;
    }
    if (spi_same(z, x->a)) { /* ite(c, a, ite(d, y, a)) */
      *x = (choice){sp_or(p, x->c, sp_not(p, d)), x->a, y};
      return true;
    }
  }
  if (is_ite(p, x->a)) {
    sp_expr d = sp_arg(p, x->a, 0), y = sp_arg(p, x->a, 1);
    sp_expr z = sp_arg(p, x->a, 2);
    if (spi_same(z, x->b)) { /* ite(c, ite(d, y, b), b) */
      *x = (choice){sp_and(p, x->c, d), y, x->b};
      return true;
    }
    if (spi_same(y, x->b)) { /* ite(c, ite(d, b, z), b) */
      *x = (choice){sp_and(p, x->c, sp_not(p, d)), z, x->b};
      return true;
    }
  }
  return false;
}

static sp_expr ite_node(sp_pool *p, choice x) {
  return spi_node(p, SP_KIND_ITE, sp_sort_of(p, x.a), 0, 3,
                  (sp_expr[]){x.c, x.a, x.b}, NULL);
}

/* ite(c, 0, k*t) = k * ite(c, 0, t) */
static sp_expr ite_zero_first(sp_pool *p, choice x) {
  const spi_node_t *b = spi_get(p, x.b);
  if (b->kind == SP_KIND_ADD && b->n == 1 && b->payload == SPI_NUM_ZERO.v) {
    sp_num k = b->coefs.add[0];
    x.b = b->args[0];
    return sp_scale(p, sp_ite(p, x.c, x.a, x.b), k);
  }
  return ite_node(p, x);
}

static sp_expr ite_build(sp_pool *p, choice x) {
  bool merged = true;
  while (merged) { /* each merge takes a choice away */
    if (spi_same(x.a, x.b) || spi_same(x.c, SPI_TRUE)) {
      return x.a;
    }
    if (spi_same(x.c, SPI_FALSE)) {
      return x.b;
    }
    merged = choice_merge(p, &x);
  }
  sp_expr joined = spi_ite_continues(p, x.c, x.a, x.b);
  if (!joined.v) {
    joined = spi_ite_continues(p, sp_not(p, x.c), x.b, x.a);
  }
  if (!joined.v) {
    joined = spi_ite_join(p, x.c, x.a, x.b);
  }
  if (joined.v) {
    return joined;
  }
  if (sp_sort_of(p, x.a) == SP_SORT_REAL) {
    if (sp_is_zero(p, x.b)) {
      choice_flip(p, &x);
    }
    if (sp_is_zero(p, x.a)) {
      return ite_zero_first(p, x);
    }
  }
  if (wrong_polarity(p, x.c)) {
    choice_flip(p, &x);
  }
  sp_expr e = ite_node(p, x);
  return sp_sort_of(p, e) == SP_SORT_INT ? spi_tabulate(p, e) : e;
}

/* Conditions as written, values in normal form: a zero branch comes first,
 * so that products and sums see their guards. */
static sp_expr ite_guard(sp_pool *p, choice x) {
  if (sp_is_zero(p, x.b)) {
    choice_flip(p, &x);
  }
  if (spi_same(x.a, x.b)) {
    return x.a;
  }
  if (!sp_is_zero(p, x.a)) {
    return ite_node(p, x);
  }
  if (is_ite(p, x.b) && sp_is_zero(p, sp_arg(p, x.b, 1))) {
    x.c = sp_or(p, x.c, sp_arg(p, x.b, 0));
    x.b = sp_arg(p, x.b, 2);
  }
  return ite_zero_first(p, x);
}

static sp_expr ite_bool(sp_pool *p, sp_expr c, sp_expr a, sp_expr b) {
  sp_expr n = sp_not(p, c);
  return sp_or(p, sp_and(p, c, a), sp_and(p, n, b));
}

sp_expr sp_ite(sp_pool *p, sp_expr c, sp_expr a, sp_expr b) {
  assert(sp_sort_of(p, c) == SP_SORT_BOOL);
  assert(sp_sort_of(p, a) == sp_sort_of(p, b));
  bool as_written = p->raw && p->raw_values;
  if (!as_written && spi_kind(p, c) == SP_KIND_BOOL) {
    return spi_same(c, SPI_TRUE) ? a : b;
  }
  if (p->raw) {
    return p->raw_values || sp_sort_of(p, a) != SP_SORT_REAL
               ? ite_node(p, (choice){c, a, b})
               : ite_guard(p, (choice){c, a, b});
  }
  if (spi_same(c, SPI_TRUE) || spi_same(a, b)) {
    return a;
  }
  if (spi_same(c, SPI_FALSE)) {
    return b;
  }
  sp_sort sort = sp_sort_of(p, a);
  if (sort == SP_SORT_INT) {
    sp_expr e = ite_extremum(p, c, a, b);
    if (e.v) {
      return e;
    }
  }
  a = sp_assume(p, a, c, true);
  b = sp_assume(p, b, c, false);
  if (sort == SP_SORT_BOOL) {
    return ite_bool(p, c, a, b);
  }
  return ite_build(p, (choice){c, a, b});
}
