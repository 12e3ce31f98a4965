/* real.c: sums of reals. Read spi_add_n (the normal form of a sum) first, from
 * the end of the file: terms are pushed (nested sums opened), sorted,
 * collected, and what they share (a denominator, a shift of exps) is taken out.
 */
#include "encode/real.h"

typedef struct term {
  uint64_t skeleton;
  sp_expr e;
  sp_num k;
} term;

spi_list spi_list_new(sp_pool *p, uint32_t cap) {
  return (spi_list){0, cap, sp_scratch(p->ctx, cap * sizeof(sp_expr))};
}

void spi_view_of(const sp_pool *p, sp_expr e, spi_view *view) {
  const spi_node_t *d = spi_get(p, e);
  assert(d->sort == SP_SORT_REAL);
  if (d->kind == SP_KIND_NUM || d->kind == SP_KIND_ADD) {
    view->constant = (sp_num){(uint32_t)d->payload};
    view->n = d->n;
    view->args = d->args;
    view->coefs = d->coefs.add;
    return;
  }
  view->own_arg = e;
  view->own_coef = SPI_NUM_ONE;
  view->constant = SPI_NUM_ZERO;
  view->n = 1;
  view->args = &view->own_arg;
  view->coefs = &view->own_coef;
}

sp_expr sp_real(sp_pool *p, sp_num v) {
  return spi_node(p, SP_KIND_NUM, SP_SORT_REAL, v.v, 0, NULL, NULL);
}

sp_expr sp_real_i64(sp_pool *p, int64_t v) {
  return sp_real(p, sp_num_from_i64(p, v));
}

sp_expr sp_inf(sp_pool *p, bool negative) {
  return spi_node(p, SP_KIND_INF, SP_SORT_REAL, negative, 0, NULL, NULL);
}

sp_expr spi_zero_of(sp_pool *p, sp_sort sort) {
  assert(sort != SP_SORT_BOOL);
  return sort == SP_SORT_INT ? sp_int(p, 0) : sp_real(p, SPI_NUM_ZERO);
}

bool spi_zero_guard(sp_pool *p, sp_expr e, sp_expr *guard, sp_expr *body) {
  const spi_node_t *d = spi_get(p, e);
  if (d->kind != SP_KIND_ITE) {
    return false;
  }
  sp_expr c = d->args[0], a = d->args[1], b = d->args[2];
  if (sp_is_zero(p, a)) {
    *guard = c;
    *body = b;
    return true;
  }
  if (sp_is_zero(p, b)) {
    *guard = sp_not(p, c);
    *body = a;
    return true;
  }
  return false;
}

/* ---- sorting ---- */

static bool term_less(const term *a, const term *b) {
  return a->skeleton != b->skeleton ? a->skeleton < b->skeleton
                                    : a->e.v < b->e.v;
}

static void terms_merge(term *out, const term *a, uint32_t na, const term *b,
                        uint32_t nb) {
  while (na || nb) {
    if (na && (!nb || !term_less(b, a))) {
      *out++ = *a++;
      na--;
    } else {
      *out++ = *b++;
      nb--;
    }
  }
}

enum { INSERTION_MAX = 16 };

/* Insertion in runs, then merging: sums are mostly short or nearly sorted. */
static void terms_sort(sp_pool *p, uint32_t n, term *v) {
  uint32_t run = n <= INSERTION_MAX ? n : INSERTION_MAX;
  for (uint32_t start = 0; start < n; start += run) {
    uint32_t end = n - start > run ? start + run : n;
    for (uint32_t i = start + 1; i < end; i++) {
      term x = v[i];
      uint32_t j = i;
      for (; j > start && term_less(&x, &v[j - 1]); j--) {
        v[j] = v[j - 1];
      }
      v[j] = x;
    }
  }
  if (run >= n) {
    return;
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  term *to = sp_scratch(p->ctx, n * sizeof *to);
  for (uint64_t w = run; w < n; w *= 2) {
    for (uint64_t i = 0; i < n; i += 2 * w) {
      uint64_t mid = i + w < n ? i + w : n;
      uint64_t end = i + 2 * w < n ? i + 2 * w : n;
      terms_merge(to + i, v + i, (uint32_t)(mid - i), v + mid,
                  (uint32_t)(end - mid));
    }
    memcpy(v, to, n * sizeof *v);
  }
  sp_scratch_release(p->ctx, mark);
}

void spi_sort_terms(sp_pool *p, uint32_t n, sp_expr *v) {
  if (n < 2) {
    return;
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  term *t = sp_scratch(p->ctx, n * sizeof *t);
  for (uint32_t i = 0; i < n; i++) {
    t[i] = (term){sp_skeleton(p, v[i]), v[i], SPI_NUM_ONE};
  }
  terms_sort(p, n, t);
  for (uint32_t i = 0; i < n; i++) {
    v[i] = t[i].e;
  }
  sp_scratch_release(p->ctx, mark);
}

/* ---- sums ---- */

/* k x + l x = (k + l) x. Of an infinite x only where nothing cancels. */
static bool terms_merge_two(const sp_pool *p, const term *a, const term *b) {
  return spi_same(a->e, b->e) &&
         (!p->raw_values || sp_num_sign(p, a->k) * sp_num_sign(p, b->k) > 0);
}

/* Like terms merged, zero coefficients dropped (where there is no 0 inf); v
 * sorted. */
static uint32_t terms_collect(sp_pool *p, uint32_t n, term *v) {
  uint32_t out = 0;
  for (uint32_t i = 0; i < n;) {
    term t = v[i++];
    for (; i < n && terms_merge_two(p, &t, &v[i]); i++) {
      /* inf + inf = inf: its coefficient stays 1 */
      t.k = spi_is_inf(p, t.e) ? t.k : sp_num_add(p, t.k, v[i].k);
    }
    if (p->raw_values || !spi_num_is_zero(t.k)) {
      v[out++] = t;
    }
  }
  return out;
}

/* A sum under construction: a growing list in scratch memory. */
typedef struct terms {
  sp_num constant;
  uint32_t n, cap;
  term *v;
  bool no_value; /* NaN, 0 inf */
} terms;

static void terms_room(sp_pool *p, terms *t) {
  if (t->n < t->cap) {
    return;
  }
  if (t->cap > UINT32_MAX / 4) {
    sp_raise(p->ctx, SP_ERR_LIMIT, sp_nowhere(), NULL, "a sum is too long");
  }
  uint32_t cap = t->cap * 2;
  term *v = sp_scratch(p->ctx, cap * sizeof *v);
  memcpy(v, t->v, t->n * sizeof *v);
  t->v = v;
  t->cap = cap;
}

/* exp(a) * (sum), apart from denominators: the sum, or 0. Inside a sum it is
 * multiplied out, so that exps that cancel find each other. */
static sp_expr exp_times_sum(sp_pool *p, sp_expr e) {
  const spi_node_t *d = spi_get(p, e);
  if (d->kind != SP_KIND_MUL) {
    return (sp_expr){0};
  }
  spi_reals *r = spi_reals_of(p);
  sp_expr sum = {0};
  bool has_exp = false;
  for (uint32_t i = 0; i < d->n; i++) {
    if (spi_is_exp(p, d->args[i])) {
      has_exp = true;
    } else if (spi_kind(p, d->args[i]) == SP_KIND_ADD && !sum.v) {
      sum = d->args[i];
    } else if (!spi_is_fn(p, d->args[i], r->inv)) {
      return (sp_expr){0};
    }
  }
  return has_exp ? sum : (sp_expr){0};
}

static sp_expr factor_drop(sp_pool *p, sp_expr e, sp_expr f);
static void terms_push(sp_pool *p, terms *t, sp_expr e, sp_num k, bool alone);

static void terms_push_one(sp_pool *p, terms *t, sp_expr a, sp_num k,
                           bool alone) {
  bool zero = spi_num_is_zero(k);
  if (!p->raw_values && (spi_is_nan(p, a) || (zero && spi_is_inf(p, a)))) {
    t->no_value = true;
    return;
  }
  if (spi_is_inf(p, a) && !zero) {
    bool flip = sp_num_sign(p, k) < 0;
    a = flip ? sp_inf(p, !sp_inf_negative(p, a)) : a;
    k = SPI_NUM_ONE;
  }
  sp_expr sum = p->raw || alone ? (sp_expr){0} : exp_times_sum(p, a);
  if (!sum.v) {
    terms_room(p, t);
    t->v[t->n++] = (term){sp_skeleton(p, a), a, k};
    return;
  }
  sp_expr rest = factor_drop(p, a, sum);
  spi_view s;
  spi_view_of(p, sum, &s);
  for (uint32_t i = 0; i < s.n; i++) {
    sp_expr both[2] = {rest, s.args[i]};
    terms_push(p, t, spi_mul_n(p, 2, both), sp_num_mul(p, k, s.coefs[i]),
               false);
  }
  if (!spi_num_is_zero(s.constant)) {
    terms_push(p, t, rest, sp_num_mul(p, k, s.constant), false);
  }
}

/* Add k * e, nested sums opened. alone: e is the whole sum. */
static void terms_push(sp_pool *p, terms *t, sp_expr e, sp_num k, bool alone) {
  spi_view s;
  spi_view_of(p, e, &s);
  alone = alone && s.n == 1 && spi_num_is_zero(s.constant);
  for (uint32_t i = 0; i < s.n; i++) {
    terms_push_one(p, t, s.args[i], sp_num_mul(p, k, s.coefs[i]), alone);
  }
  t->constant = sp_num_add(p, t->constant, sp_num_mul(p, k, s.constant));
}

/* Is f a factor of e, or of what its zero guards let through? */
static bool factor_has(sp_pool *p, sp_expr e, sp_expr f) {
  sp_expr c;
  while (spi_kind(p, e) == SP_KIND_ITE && spi_zero_guard(p, e, &c, &e)) {
  }
  const sp_expr *v;
  uint32_t n = spi_factors(p, &e, &v);
  for (uint32_t i = 0; i < n; i++) {
    if (spi_same(v[i], f)) {
      return true;
    }
  }
  return false;
}

/* e / f for a factor f of e */
static sp_expr factor_drop(sp_pool *p, sp_expr e, sp_expr f) {
  sp_expr c, body;
  if (spi_kind(p, e) == SP_KIND_ITE && spi_zero_guard(p, e, &c, &body)) {
    return sp_ite(p, c, spi_zero_of(p, SP_SORT_REAL), factor_drop(p, body, f));
  }
  const sp_expr *v;
  uint32_t n = spi_factors(p, &e, &v);
  sp_mark mark = sp_scratch_mark(p->ctx);
  spi_list rest = spi_list_new(p, n);
  bool dropped = false;
  for (uint32_t i = 0; i < n; i++) {
    if (!dropped && spi_same(v[i], f)) {
      dropped = true;
    } else {
      spi_list_push(&rest, v[i]);
    }
  }
  sp_expr r = spi_mul_n(p, rest.n, rest.v);
  sp_scratch_release(p->ctx, mark);
  return r;
}

/* An inv(..) or an element of a tensor that is a factor of every term, or 0. */
static sp_expr terms_common(sp_pool *p, uint32_t n, const term *v) {
  int64_t inv = spi_reals_of(p)->inv;
  sp_expr c, first = v[0].e;
  while (spi_kind(p, first) == SP_KIND_ITE &&
         spi_zero_guard(p, first, &c, &first)) {
  }
  const sp_expr *f;
  uint32_t m = spi_factors(p, &first, &f);
  for (uint32_t i = 0; i < m; i++) {
    if (!spi_is_fn(p, f[i], inv) && spi_kind(p, f[i]) != SP_KIND_READ) {
      continue;
    }
    uint32_t j = 1;
    while (j < n && factor_has(p, v[j].e, f[i])) {
      j++;
    }
    if (j == n) {
      return f[i];
    }
  }
  return (sp_expr){0};
}

static sp_expr terms_node(sp_pool *p, sp_num constant, uint32_t n,
                          const term *v) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *args = sp_scratch(p->ctx, n * sizeof *args);
  sp_num *coefs = sp_scratch(p->ctx, n * sizeof *coefs);
  for (uint32_t i = 0; i < n; i++) {
    args[i] = v[i].e;
    coefs[i] = v[i].k;
  }
  sp_expr e =
      spi_node(p, SP_KIND_ADD, SP_SORT_REAL, constant.v, n, args, coefs);
  sp_scratch_release(p->ctx, mark);
  return e;
}

/* f * (sum of the terms without it) */
static sp_expr terms_factor(sp_pool *p, uint32_t n, const term *v, sp_expr f) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *args = sp_scratch(p->ctx, n * sizeof *args);
  sp_num *coefs = sp_scratch(p->ctx, n * sizeof *coefs);
  for (uint32_t i = 0; i < n; i++) {
    args[i] = factor_drop(p, v[i].e, f);
    coefs[i] = v[i].k;
  }
  sp_expr both[2] = {f, spi_add_n(p, SPI_NUM_ZERO, n, args, coefs)};
  sp_scratch_release(p->ctx, mark);
  return spi_mul_n(p, 2, both);
}

/* The finite part of the exponent of the exp factor of e, also below a zero
 * guard, or 0. */
static sp_expr exponent_of(sp_pool *p, sp_expr e) {
  sp_expr c, body = e;
  while (spi_kind(p, body) == SP_KIND_ITE &&
         spi_zero_guard(p, body, &c, &body)) {
  }
  const sp_expr *f;
  uint32_t n = spi_factors(p, &body, &f);
  uint32_t at = spi_find_exp(p, n, f);
  if (at == n) {
    return (sp_expr){0};
  }
  sp_expr part = spi_finite_part(p, sp_arg(p, f[at], 0));
  return sp_is_zero(p, part) ? (sp_expr){0} : part;
}

/* The term that a sum's exps are measured from: the least one when the exps
 * are left out of account, so multiplying the sum by an exp does not change
 * it. Returns its exponent, or 0 if it has none. */
static sp_expr terms_lead(sp_pool *p, uint32_t n, const term *v) {
  sp_expr lead = {0};
  term best = {0};
  bool any = false;
  for (uint32_t i = 0; i < n && !any; i++) {
    any = exponent_of(p, v[i].e).v != 0;
  }
  for (uint32_t i = 0; i < n && any; i++) {
    sp_expr a = exponent_of(p, v[i].e), rest = v[i].e;
    if (a.v) {
      sp_expr minus = sp_scale(p, a, sp_num_from_i64(p, -1));
      rest = sp_mul(p, sp_exp(p, minus), rest);
    }
    bool plain = spi_kind(p, rest) == SP_KIND_NUM;
    term t = {plain ? 0 : sp_skeleton(p, rest), rest, SPI_NUM_ONE};
    bool tie = i > 0 && spi_same(rest, best.e);
    if (i == 0 || term_less(&t, &best) || (tie && !a.v)) {
      best = t;
      lead = a; /* of equal ones that without an exp: or it would not end */
    }
  }
  return lead;
}

/* exp(a) * (sum of the terms over exp(a)) */
static sp_expr terms_over_exp(sp_pool *p, uint32_t n, const term *v,
                              sp_expr a) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *args = sp_scratch(p->ctx, n * sizeof *args);
  sp_num *coefs = sp_scratch(p->ctx, n * sizeof *coefs);
  sp_expr minus = sp_exp(p, sp_scale(p, a, sp_num_from_i64(p, -1)));
  for (uint32_t i = 0; i < n; i++) {
    args[i] = sp_mul(p, minus, v[i].e);
    coefs[i] = v[i].k;
  }
  sp_expr both[2] = {sp_exp(p, a), spi_add_n(p, SPI_NUM_ZERO, n, args, coefs)};
  sp_scratch_release(p->ctx, mark);
  return spi_mul_n(p, 2, both);
}

/* k ite(c, 0, 1) - k = -k ite(not c, 0, 1): a guard again, which products see.
 * None if the sum is not of that form. */
static sp_expr terms_opposite(sp_pool *p, sp_num constant, const term *v) {
  sp_expr c, body;
  if (spi_kind(p, v->e) != SP_KIND_ITE || !spi_zero_guard(p, v->e, &c, &body) ||
      !spi_same(body, sp_real(p, SPI_NUM_ONE)) ||
      !spi_num_is_zero(sp_num_add(p, constant, v->k))) {
    return (sp_expr){0};
  }
  sp_expr other = sp_ite(p, sp_not(p, c), sp_real(p, SPI_NUM_ZERO), body);
  return sp_scale(p, other, constant);
}

static sp_expr terms_build(sp_pool *p, sp_num constant, uint32_t n, term *v) {
  terms_sort(p, n, v);
  n = terms_collect(p, n, v);
  uint32_t infinities = 0;
  for (uint32_t i = 0; i < n; i++) {
    infinities += spi_is_inf(p, v[i].e);
  }
  if (infinities > 1 && !p->raw_values) {
    return sp_nan(p); /* inf - inf */
  }
  if (infinities > 0) {
    constant = SPI_NUM_ZERO; /* c + inf = inf */
  }
  if (n == 0) {
    return sp_real(p, constant);
  }
  if (n == 1 && spi_num_is_zero(constant) && spi_num_is_one(v[0].k)) {
    return v[0].e;
  }
  if (!p->raw_values && n == 1 && !spi_num_is_zero(constant)) {
    sp_expr guard = terms_opposite(p, constant, v);
    if (guard.v) {
      return guard;
    }
  }
  if (!p->raw_values && n > 1 && spi_num_is_zero(constant)) {
    sp_expr f = terms_common(p, n, v);
    if (f.v) {
      return terms_factor(p, n, v, f);
    }
    sp_expr a = terms_lead(p, n, v);
    if (a.v) {
      return terms_over_exp(p, n, v, a);
    }
  }
  return terms_node(p, constant, n, v);
}

sp_expr spi_add_n(sp_pool *p, sp_num constant, uint32_t n, const sp_expr *args,
                  const sp_num *coefs) {
  size_t room = 1;
  for (uint32_t i = 0; i < n; i++) {
    const spi_node_t *d = spi_get(p, args[i]);
    room += d->kind == SP_KIND_ADD ? d->n : 1;
  }
  if (room > UINT32_MAX / 4) {
    sp_raise(p->ctx, SP_ERR_LIMIT, sp_nowhere(), NULL, "a sum is too long");
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  terms t = {.constant = constant, .cap = (uint32_t)room};
  t.v = sp_scratch(p->ctx, room * sizeof *t.v);
  bool alone = n == 1 && spi_num_is_zero(constant);
  for (uint32_t i = 0; i < n; i++) {
    terms_push(p, &t, args[i], coefs[i], alone);
  }
  sp_expr e = t.no_value ? sp_nan(p) : terms_build(p, t.constant, t.n, t.v);
  sp_scratch_release(p->ctx, mark);
  return e;
}

sp_expr sp_add(sp_pool *p, sp_expr a, sp_expr b) {
  if (sp_sort_of(p, a) == SP_SORT_INT) {
    return sp_iadd(p, a, b);
  }
  if (sp_is_zero(p, a)) {
    return b;
  }
  if (sp_is_zero(p, b)) {
    return a;
  }
  sp_expr args[2] = {a, b};
  sp_num ones[2] = {SPI_NUM_ONE, SPI_NUM_ONE};
  return spi_add_n(p, SPI_NUM_ZERO, 2, args, ones);
}

sp_expr sp_sub(sp_pool *p, sp_expr a, sp_expr b) {
  if (sp_sort_of(p, a) == SP_SORT_INT) {
    return sp_isub(p, a, b);
  }
  sp_expr args[2] = {a, b};
  sp_num ks[2] = {SPI_NUM_ONE, sp_num_neg(p, SPI_NUM_ONE)};
  return spi_add_n(p, SPI_NUM_ZERO, 2, args, ks);
}

sp_expr sp_scale(sp_pool *p, sp_expr a, sp_num k) {
  if (spi_num_is_one(k)) {
    return a;
  }
  return spi_add_n(p, SPI_NUM_ZERO, 1, &a, &k);
}

sp_expr spi_monic(sp_pool *p, sp_expr e, sp_num *k) {
  *k = SPI_NUM_ONE;
  const spi_node_t *d = spi_get(p, e);
  if (d->kind != SP_KIND_ADD) {
    return e;
  }
  uint64_t first = sp_skeleton(p, d->args[0]);
  sp_num best = d->coefs.add[0], sum = best;
  sp_num size = sp_num_sign(p, best) < 0 ? sp_num_neg(p, best) : best;
  for (uint32_t i = 1; i < d->n && sp_skeleton(p, d->args[i]) == first; i++) {
    sp_num c = d->coefs.add[i];
    sp_num s = sp_num_sign(p, c) < 0 ? sp_num_neg(p, c) : c;
    sum = sp_num_add(p, sum, c);
    size = sp_num_cmp(p, s, size) > 0 ? s : size;
  }
  /* The sign of the group as a whole: it does not depend on the order. */
  *k = sp_num_sign(p, sum) < 0 ? sp_num_neg(p, size) : size;
  if (spi_num_is_one(*k) || spi_is_inf(p, d->args[0])) {
    *k = SPI_NUM_ONE;
    return e;
  }
  return sp_scale(p, e, sp_num_inv(p, *k));
}
