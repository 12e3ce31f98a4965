/* rule_counts.c: sums compared term by term: running counts.
 *
 * LEMMA. Let S = sum_{u in U} f(u) and T = sum_{u in U} h(u), U = 0 .. n-1. If
 *     f(u) <= h(u) for all u in U                              (obligation)
 * and x is in U, then S + h(x) - f(x) <= T.
 * Proof: T - S is the sum of h(u) - f(u), of which none is negative, so it is
 * at least the one at x. With f = 0: h(x) <= T. With a constant h = c: T = n c.
 *
 * LEMMA (windows). If f(k) = 0 or 0 <= k + r < m for all k in 0 .. n-1
 * (obligation), sum_{k<n} f(k) = sum_{u<m} ite(0 <= u - r < n, f(u - r), 0):
 * the same terms, k = u - r.
 *
 * A running count C(v) = sum_{u <= v} on(u) gives each v for which on(v) holds
 * a place of its own: for v < w the lemma says C(v) + on(w) <= C(w). So
 * experts' buffers are filled without collisions, and a sum over what is in a
 * place has one term (rule_onehot.c). Which sums to compare, and at which x, is
 * guessed from the ends of their ranges: the e of conditions u <= e, u > e. The
 * facts hold where the ends are ordered and x is in U, and say so.
 */
#include "solve/match.h"
#include "solve/prove.h"
#include "solve/seen.h"

enum { MAX_COUNTS = 8, MAX_ENDS = 2, MAX_FACTS = 96 };

typedef struct count {
  sp_expr red, var, body;
  uint32_t n_ends;
  sp_expr end[MAX_ENDS];
} count;

typedef struct counts {
  sp_prover *pr;
  sp_pool *p;
  sp_hyps given; /* what the facts were proved under */
  sp_hyps all;
  uint32_t n;
  count v[MAX_COUNTS];
} counts;

static bool is_count(const sp_pool *p, sp_expr e) {
  return sp_kind_of(p, e) == SP_KIND_RED && sp_sort_of(p, e) == SP_SORT_INT &&
         sp_red_op_of(p, e) == SP_RED_SUM && sp_red_n_vars(p, e) == 1;
}

/* e of a condition u <= e or u > e; 0 if it is another one. With two values,
 * u <= e is not u = e + 1. */
static sp_expr end_of(sp_pool *p, sp_expr condition, sp_expr var) {
  sp_expr d = sp_arg(p, condition, 0);
  int64_t sign = 0;
  for (uint32_t i = 0; sp_kind_of(p, d) == SP_KIND_LIN && i < sp_n_args(p, d);
       i++) {
    if (sp_arg(p, d, i).v == var.v) {
      sign = sp_lin_coef(p, d, i);
    }
  }
  if (sign != 1 && sign != -1) {
    return (sp_expr){0};
  }
  sp_expr rest = sp_isub(p, d, sp_iscale(p, var, sign));
  if (sp_has_free(p, rest, var)) {
    return (sp_expr){0};
  }
  sp_expr equal = sp_iscale(p, rest, -sign);
  bool above = sign < 0 && sp_kind_of(p, condition) == SP_KIND_LT0;
  return above ? equal : sp_iaddc(p, equal, -1);
}

static void find_ends(sp_pool *p, sp_expr e, count *c, spi_seen *seen) {
  if (sp_kind_of(p, e) == SP_KIND_RED || !sp_has_free(p, e, c->var) ||
      spi_seen_before(seen, e)) {
    return;
  }
  if (sp_kind_of(p, e) == SP_KIND_LT0 || sp_kind_of(p, e) == SP_KIND_EQ0) {
    sp_expr end = end_of(p, e, c->var);
    if (end.v && c->n_ends < MAX_ENDS) {
      c->end[c->n_ends++] = end;
    }
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    find_ends(p, sp_arg(p, e, i), c, seen);
  }
}

static void set_ends(sp_pool *p, count *c) {
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  sp_mark mark = sp_scratch_mark(sp_pool_ctx(p));
  spi_seen seen = {.ctx = sp_pool_ctx(p)};
  find_ends(p, c->body, c, &seen);
  sp_scratch_release(sp_pool_ctx(p), mark);
  sp_pool_mode(p, mode);
}

static sp_expr in_range(sp_pool *p, sp_expr x, int64_t extent) {
  return sp_and(p, sp_le(p, sp_int(p, 0), x), sp_lt(p, x, sp_int(p, extent)));
}

static bool only_ranks(sp_pool *p, sp_expr e) {
  const sp_expr *vars;
  uint32_t n = sp_free_vars(p, e, &vars);
  bool only = true;
  for (uint32_t i = 0; i < n; i++) {
    only = only && sp_var_class_of(p, vars[i]) == SP_VAR_RANK;
  }
  return only;
}

/* Where a term of the sum reads at u + r: r, and the extent that it reads in.
 */
static bool find_shift(const count *c, sp_pool *p, sp_expr e, sp_expr *r,
                       int64_t *extent, spi_seen *seen) {
  if (sp_kind_of(p, e) == SP_KIND_RED || !sp_has_free(p, e, c->var) ||
      spi_seen_before(seen, e)) {
    return false;
  }
  bool is_read = sp_kind_of(p, e) == SP_KIND_READ, found = false;
  for (uint32_t i = 0; i < sp_n_args(p, e) && !found; i++) {
    sp_expr a = sp_arg(p, e, i), rest = is_read ? sp_isub(p, a, c->var) : a;
    if (is_read && !sp_has_free(p, rest, c->var) && !only_ranks(p, rest)) {
      *r = rest;
      *extent = sp_sym_extents(p, sp_read_sym(p, e))[i];
      found = true;
    } else {
      found = find_shift(c, p, a, r, extent, seen);
    }
  }
  return found;
}

/* The same sum over the places where it reads, if it sums over a window: counts
 * in different windows have the same places. */
static bool unshifted(sp_prover *pr, const count *c, sp_hyps given,
                      count *out) {
  sp_pool *p = sp_prover_pool(pr);
  sp_expr r;
  int64_t extent, n = sp_var_extent(p, c->var);
  sp_mark mark = sp_scratch_mark(sp_pool_ctx(p));
  spi_seen seen = {.ctx = sp_pool_ctx(p)};
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  bool found = find_shift(c, p, c->body, &r, &extent, &seen);
  sp_pool_mode(p, mode);
  sp_scratch_release(sp_pool_ctx(p), mark);
  if (!found) {
    return false;
  }
  sp_expr place = sp_iadd(p, c->var, r), zero = sp_int(p, 0);
  sp_expr goal = sp_or(p, sp_eq(p, c->body, zero), in_range(p, place, extent));
  if (!sp_prove_holds(pr, "counts: a window lies inside", goal, given)) {
    return false;
  }
  *out = (count){.red = c->red, .var = sp_fresh(p, extent)};
  sp_expr back = sp_isub(p, out->var, r);
  out->body = sp_ite(p, in_range(p, back, n),
                     sp_subst(p, c->body, 1, &c->var, &back), zero);
  set_ends(p, out);
  return true;
}

static void collect(counts *c, sp_expr e, spi_seen *seen) {
  sp_pool *p = c->p;
  if (!sp_has_red(p, e) || spi_seen_before(seen, e)) {
    return;
  }
  if (is_count(p, e) && c->n < MAX_COUNTS) {
    count *x = &c->v[c->n++];
    *x = (count){.red = e};
    x->body = sp_red_open(p, e, &x->var);
    set_ends(p, x);
  }
  for (uint32_t i = 0; i < sp_n_args(p, e) && sp_kind_of(p, e) != SP_KIND_RED;
       i++) {
    collect(c, sp_arg(p, e, i), seen);
  }
}

static void add_fact(counts *c, sp_expr condition, sp_expr fact) {
  if (c->all.n < c->given.n + MAX_FACTS) {
    c->all = spi_hyps_with(c->pr, c->all,
                           sp_or(c->p, sp_not(c->p, condition), fact));
  }
}

/* S + h(x) - f(x) <= T, where order holds, at the ends of both. */
static void compare_at_ends(counts *c, const count *s, const count *t,
                            sp_expr order, sp_expr f, sp_expr h) {
  sp_pool *p = c->p;
  const count *side[2] = {s, t};
  for (uint32_t i = 0; i < 2; i++) {
    for (uint32_t k = 0; k < 2 * side[i]->n_ends; k++) {
      sp_expr x = sp_iaddc(p, side[i]->end[k / 2], k % 2);
      sp_expr more = sp_isub(p, sp_subst(p, h, 1, &t->var, &x),
                             sp_subst(p, f, 1, &t->var, &x));
      add_fact(c, sp_and(p, order, in_range(p, x, sp_var_extent(p, t->var))),
               sp_le(p, sp_iadd(p, s->red, more), t->red));
    }
  }
}

static void compare_where(counts *c, const count *s, const count *t,
                          sp_expr order, sp_expr f, sp_expr h) {
  if (sp_prove_holds(c->pr, "counts: term by term", sp_le(c->p, f, h),
                     spi_hyps_with(c->pr, c->given, order))) {
    compare_at_ends(c, s, t, order, f, h);
  }
}

/* Where the ends of both are in some order, one is below the other; a count of
 * all has no end. */
static void compare(counts *c, const count *s, const count *t) {
  sp_pool *p = c->p;
  if (s->red.v == t->red.v ||
      sp_var_extent(p, s->var) != sp_var_extent(p, t->var)) {
    return;
  }
  sp_expr f = sp_subst(p, s->body, 1, &s->var, &t->var), h = t->body;
  if (s->n_ends == 0 || t->n_ends == 0) {
    compare_where(c, s, t, sp_bool(p, true), f, h);
  }
  for (uint32_t i = 0; i < s->n_ends * t->n_ends; i++) {
    sp_expr a = s->end[i / t->n_ends], b = t->end[i % t->n_ends];
    compare_where(c, s, t, sp_le(p, a, b), f, h);
    compare_where(c, s, t, sp_le(p, b, a), f, h);
  }
}

/* n lo <= T <= n hi; h(x) <= T at the ends. */
static void bounds(counts *c, const count *t) {
  sp_pool *p = c->p;
  int64_t n = sp_var_extent(p, t->var), lo, hi;
  if (!sp_range(p, t->body, &lo, &hi) || lo < 0 || hi > INT64_MAX / (n + 1)) {
    return;
  }
  sp_expr always = sp_bool(p, true), zero = sp_int(p, 0);
  if (sp_prove_holds(c->pr, "counts: no term is negative",
                     sp_le(p, zero, t->body), c->given)) {
    add_fact(c, always, sp_le(p, zero, t->red));
    count none = {.red = zero};
    compare_at_ends(c, &none, t, always, zero, t->body);
  }
  if (sp_prove_holds(c->pr, "counts: no term is larger",
                     sp_le(p, t->body, sp_int(p, hi)), c->given)) {
    count all = {.red = sp_int(p, n * hi), .var = t->var};
    add_fact(c, always, sp_le(p, t->red, all.red));
    compare_at_ends(c, t, &all, always, t->body, sp_int(p, hi));
  }
}

static counts counts_in(sp_prover *pr, sp_expr e) {
  counts c = {.pr = pr, .p = sp_prover_pool(pr)};
  sp_mark mark = sp_scratch_mark(sp_pool_ctx(c.p));
  spi_seen seen = {.ctx = sp_pool_ctx(c.p)};
  collect(&c, e, &seen);
  sp_scratch_release(sp_pool_ctx(c.p), mark);
  return c;
}

static bool finds_count(sp_pool *p, sp_expr e, spi_seen *seen) {
  if (!sp_has_red(p, e) || spi_seen_before(seen, e)) {
    return false;
  }
  bool found = is_count(p, e);
  for (uint32_t i = 0; i < sp_n_args(p, e) && !found; i++) {
    found = finds_count(p, sp_arg(p, e, i), seen);
  }
  return found;
}

bool spi_has_count(sp_pool *p, sp_expr e) {
  sp_mark mark = sp_scratch_mark(sp_pool_ctx(p));
  spi_seen seen = {.ctx = sp_pool_ctx(p)};
  bool found = finds_count(p, e, &seen);
  sp_scratch_release(sp_pool_ctx(p), mark);
  return found;
}

static bool mentions(sp_pool *p, sp_expr e, uint32_t n, const sp_expr *vars) {
  bool found = false;
  for (uint32_t k = 0; k < n; k++) {
    found = found || sp_has_free(p, e, vars[k]);
  }
  return found;
}

uint32_t spi_count_equations(sp_prover *pr, sp_expr e, uint32_t n,
                             const sp_expr *unknown, sp_equation *out,
                             uint32_t cap) {
  counts c = counts_in(pr, e);
  uint32_t found = 0;
  for (uint32_t i = 0; i < c.n * c.n; i++) {
    const count *s = &c.v[i / c.n], *t = &c.v[i % c.n];
    for (uint32_t k = 0; k < s->n_ends * t->n_ends && found < cap; k++) {
      sp_expr a = s->end[k / t->n_ends], b = t->end[k % t->n_ends];
      if (mentions(c.p, a, n, unknown) && !mentions(c.p, b, n, unknown)) {
        out[found++] = (sp_equation){a, b};
      }
    }
  }
  return found;
}

sp_hyps spi_count_facts(sp_prover *pr, sp_expr e, sp_hyps hyps) {
  counts c = counts_in(pr, e);
  c.given = c.all = hyps;
  sp_mode mode = sp_pool_mode(c.p, SP_MODE_RAW_INDEX);
  for (uint32_t i = 0, n = c.n; i < n && c.n < MAX_COUNTS; i++) {
    c.n += unshifted(pr, &c.v[i], hyps, &c.v[c.n]);
  }
  for (uint32_t i = 0; i < c.n; i++) {
    bounds(&c, &c.v[i]);
    for (uint32_t k = 0; k < c.n; k++) {
      compare(&c, &c.v[i], &c.v[k]);
    }
  }
  sp_pool_mode(c.p, mode);
  return c.all;
}
