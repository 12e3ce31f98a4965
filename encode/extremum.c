/* extremum.c: maximum and minimum of reals: flat, sorted, without repetition,
 * with one constant; what all arguments share (a factor, addends) outside.
 */
#include "encode/real.h"

static sp_expr extremum(sp_pool *p, bool min, uint32_t n, const sp_expr *given);

static sp_kind kind_of(bool min) {
  return min ? SP_KIND_MIN : SP_KIND_MAX;
}

/* Arguments under construction. */
typedef struct args {
  bool min;
  uint32_t n, cap;
  sp_expr *v;
  sp_expr constant; /* of all numbers met the one that counts, or 0 */
  sp_expr all;      /* the infinity that swallows everything, or 0 */
  sp_expr nan;      /* what swallows that, too */
} args;

static void args_push(sp_pool *p, args *l, sp_expr e) {
  if (l->n == l->cap) {
    if (l->cap > UINT32_MAX / 4) {
      sp_raise(p->ctx, SP_ERR_LIMIT, sp_nowhere(), NULL,
               "a maximum has too many arguments");
    }
    sp_expr *v = sp_scratch(p->ctx, 2 * (size_t)l->cap * sizeof *v);
    memcpy(v, l->v, l->n * sizeof *v);
    l->v = v;
    l->cap *= 2;
  }
  l->v[l->n++] = e;
}

static void args_constant(sp_pool *p, args *l, sp_expr e) {
  int sign = l->constant.v ? sp_num_cmp(p, sp_num_value(p, e),
                                        sp_num_value(p, l->constant))
                           : 0;
  if (!l->constant.v || (l->min ? sign < 0 : sign > 0)) {
    l->constant = e;
  }
}

/* The place of the only term k * max(..), k > 0, or k * min(..), k < 0, of a
 * sum; its length when there is none or several. */
static uint32_t inner_extremum(const sp_pool *p, bool min, const spi_view *s) {
  uint32_t at = s->n;
  for (uint32_t i = 0; i < s->n; i++) {
    bool flip = sp_num_sign(p, s->coefs[i]) < 0;
    if (spi_kind(p, s->args[i]) == kind_of(min != flip)) {
      if (at < s->n) {
        return s->n;
      }
      at = i;
    }
  }
  return at;
}

/* max(c + k max(x, y), z) = max(c + k x, c + k y, z): what all arguments share
 * was taken out of some of them before; now it must be so for all. */
static void collect(sp_pool *p, args *l, sp_expr e) {
  const spi_node_t *d = spi_get(p, e);
  if (d->kind == kind_of(l->min)) {
    for (uint32_t i = 0; i < d->n; i++) {
      collect(p, l, d->args[i]);
    }
    return;
  }
  if (!p->raw_values && spi_is_nan(p, e)) {
    l->nan = e;
    return;
  }
  if (d->kind == SP_KIND_INF) {
    if ((d->payload != 0) != l->min) {
      return;
    }
    if (!p->raw_values) {
      l->all = e;
      return;
    }
    args_push(p, l, e); /* not of NaN */
    return;
  }
  if (d->kind == SP_KIND_NUM) {
    args_constant(p, l, e);
    return;
  }
  spi_view s;
  spi_view_of(p, e, &s);
  uint32_t at = p->raw_values ? s.n : inner_extremum(p, l->min, &s);
  if (at == s.n) {
    args_push(p, l, e);
    return;
  }
  sp_num k = s.coefs[at];
  const spi_node_t *inner = spi_get(p, s.args[at]);
  sp_expr rest = sp_sub(p, e, sp_scale(p, s.args[at], k));
  for (uint32_t i = 0; i < inner->n; i++) {
    collect(p, l, sp_add(p, rest, sp_scale(p, inner->args[i], k)));
  }
}

/* max(k x, k y, c) = k max(x, y, c/k) for k > 0; k min(..) for k < 0 */
static sp_expr take_factor(sp_pool *p, bool min, const args *l) {
  sp_num k = {0};
  for (uint32_t i = 0; i < l->n; i++) {
    spi_view s;
    spi_view_of(p, l->v[i], &s);
    if (s.n == 0) {
      continue;
    }
    if (s.n > 1 || !spi_num_is_zero(s.constant) ||
        (k.v && !sp_num_eq(k, s.coefs[0]))) {
      return (sp_expr){0};
    }
    k = s.coefs[0];
  }
  if (!k.v || spi_num_is_one(k)) {
    return (sp_expr){0};
  }
  sp_expr *v = sp_scratch(p->ctx, l->n * sizeof *v);
  for (uint32_t i = 0; i < l->n; i++) {
    v[i] = sp_scale(p, l->v[i], sp_num_inv(p, k));
  }
  return sp_scale(p, extremum(p, min != (sp_num_sign(p, k) < 0), l->n, v), k);
}

static bool view_has(const spi_view *s, sp_expr e, sp_num k) {
  for (uint32_t i = 0; i < s->n; i++) {
    if (spi_same(s->args[i], e)) {
      return sp_num_eq(s->coefs[i], k);
    }
  }
  return false;
}

/* e without the addends of a, all of which it has. Taken out one by one: their
 * sum may have been given a common factor, and would not cancel. */
static sp_expr without(sp_pool *p, sp_expr e, const spi_view *a) {
  spi_view s;
  spi_view_of(p, e, &s);
  sp_expr *terms = sp_scratch(p->ctx, s.n * sizeof *terms);
  sp_num *coefs = sp_scratch(p->ctx, s.n * sizeof *coefs);
  uint32_t n = 0;
  for (uint32_t i = 0; i < s.n; i++) {
    if (!view_has(a, s.args[i], s.coefs[i])) {
      terms[n] = s.args[i];
      coefs[n++] = s.coefs[i];
    }
  }
  return spi_add_n(p, s.constant, n, terms, coefs);
}

/* max(a + x, a + y) = a + max(x, y), a finite */
static sp_expr take_addends(sp_pool *p, bool min, const args *l) {
  spi_view first;
  spi_view_of(p, l->v[0], &first);
  sp_expr *terms = sp_scratch(p->ctx, first.n * sizeof *terms);
  sp_num *coefs = sp_scratch(p->ctx, first.n * sizeof *coefs);
  spi_view a = {.args = terms, .coefs = coefs, .constant = SPI_NUM_ZERO};
  for (uint32_t i = 0; i < first.n; i++) {
    bool all = !spi_is_inf(p, first.args[i]);
    for (uint32_t j = 1; j < l->n && all; j++) {
      spi_view s;
      spi_view_of(p, l->v[j], &s);
      all = view_has(&s, first.args[i], first.coefs[i]);
    }
    if (all) {
      terms[a.n] = first.args[i];
      coefs[a.n++] = first.coefs[i];
    }
  }
  if (a.n == 0) {
    return (sp_expr){0};
  }
  sp_expr *v = sp_scratch(p->ctx, l->n * sizeof *v);
  for (uint32_t i = 0; i < l->n; i++) {
    v[i] = without(p, l->v[i], &a);
  }
  return sp_add(p, spi_add_n(p, SPI_NUM_ZERO, a.n, terms, coefs),
                extremum(p, min, l->n, v));
}

static sp_expr extremum_node(sp_pool *p, bool min, args *l) {
  spi_sort_terms(p, l->n, l->v);
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->n; i++) {
    if (n == 0 || !spi_same(l->v[n - 1], l->v[i])) {
      l->v[n++] = l->v[i];
    }
  }
  l->n = n;
  if (n == 1) {
    return l->v[0];
  }
  if (!p->raw_values) {
    sp_expr e = take_factor(p, min, l);
    e = e.v ? e : take_addends(p, min, l);
    if (e.v) {
      return e;
    }
  }
  return spi_node(p, kind_of(min), SP_SORT_REAL, 0, n, l->v, NULL);
}

/* max(c, x, ...) = max(x, ...) where c <= 0 <= x: a variance that is kept from
 * rounding below 0. */
static bool constant_counts(sp_pool *p, const args *l) {
  bool counts = l->constant.v != 0;
  if (p->raw_values || l->min || !counts ||
      sp_num_sign(p, sp_num_value(p, l->constant)) > 0) {
    return counts;
  }
  for (uint32_t i = 0; i < l->n && counts; i++) {
    counts = !spi_nonnegative(p, l->v[i]);
  }
  return counts;
}

static sp_expr extremum(sp_pool *p, bool min, uint32_t n,
                        const sp_expr *given) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  args l = {.min = min, .cap = n + 1};
  l.v = sp_scratch(p->ctx, l.cap * sizeof *l.v);
  for (uint32_t i = 0; i < n; i++) {
    collect(p, &l, given[i]);
  }
  sp_expr e = l.nan.v ? l.nan : l.all;
  if (!e.v) {
    if (constant_counts(p, &l)) {
      args_push(p, &l, l.constant);
    }
    e = l.n == 0 ? sp_inf(p, !min) : extremum_node(p, min, &l);
  }
  sp_scratch_release(p->ctx, mark);
  return e;
}

sp_expr spi_rmax(sp_pool *p, sp_expr a, sp_expr b) {
  sp_expr both[2] = {a, b};
  return extremum(p, false, 2, both);
}

sp_expr spi_rmin(sp_pool *p, sp_expr a, sp_expr b) {
  sp_expr both[2] = {a, b};
  return extremum(p, true, 2, both);
}
