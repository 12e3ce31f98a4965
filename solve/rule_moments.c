/* rule_moments.c: two polynomials of sums. Read spi_moments_equal.
 *
 * LEMMA 1 (linearity). A term equals itself multiplied out, with sums split
 * over + and what does not depend on a sum's variables in front of it
 * (sp_multiply_out; docs/soundness.md).
 *
 * LEMMA 2 (replacement). A sum may be replaced by a sum proved equal to it, or
 * by other sums that are proved to add up to it.
 *
 * Quotients of polynomials are compared over a common denominator:
 * rule_fractions.c.
 *
 * Where the other side has no sum of that form, its elements one by one:
 * rule_written.c.
 *
 * LEMMA 3 (pieces of one form). Let P(s), s < n, be terms. Then P(0) + ... +
 * P(n - 1) = sum over s of P(s): what a sum means. Obligation: each given piece
 * is P at its number (one and the same term, or proved equal).
 *
 * So sum((x - mu)^2) is sum(x x) - n mu mu once mu = sum(x) / n is written out,
 * and is found equal to E[x^2] - mu^2 as well as to a variance that was merged
 * from blocks, whose sums are pieces of these.
 */
#include "solve/prove.h"
#include "solve/seen.h"

/* MAX_MONOMIALS: merging 64 blocks makes 50,000. MAX_MATCHED: pairs of sums of
 * one form that are compared as they are. */
enum {
  MAX_MONOMIALS = 100000,
  MAX_SUMS = 400,
  MAX_MATCHED = 8,
  MAX_CUT = 16,
  MAX_WRITTEN = 64
};

typedef SP_VEC(sp_expr) exprs;

typedef struct moments {
  sp_prover *pr;
  sp_pool *p;
  sp_hyps hyps;
  exprs in[2];    /* outermost reductions of both sides, each once */
  exprs from, to; /* sums proved equal */
} moments;

static void collect(const moments *m, sp_expr e, exprs *out, spi_seen *seen) {
  sp_pool *p = m->p;
  if (!sp_has_red(p, e) || out->n >= MAX_SUMS || spi_seen_before(seen, e)) {
    return;
  }
  if (sp_kind_of(p, e) == SP_KIND_RED) {
    sp_push(sp_pool_ctx(p), out, e);
    return;
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    collect(m, sp_arg(p, e, i), out, seen);
  }
}

static exprs reductions(const moments *m, sp_expr e) {
  sp_ctx *ctx = sp_pool_ctx(m->p);
  sp_mark mark = sp_scratch_mark(ctx);
  spi_seen seen = {.ctx = ctx};
  exprs out = {0};
  collect(m, e, &out, &seen);
  sp_scratch_release(ctx, mark);
  return out;
}

static bool contains(const exprs *list, sp_expr e) {
  for (size_t i = 0; i < list->n; i++) {
    if (list->v[i].v == e.v) {
      return true;
    }
  }
  return false;
}

static bool is_sum(const moments *m, sp_expr e) {
  return sp_red_op_of(m->p, e) == SP_RED_SUM &&
         sp_sort_of(m->p, e) == SP_SORT_REAL;
}

/* Points of its range. */
static double size_of(const moments *m, sp_expr red) {
  double size = 1;
  for (uint32_t i = 0; i < sp_red_n_vars(m->p, red); i++) {
    size *= (double)sp_var_extent(m->p, sp_arg(m->p, red, i));
  }
  return size;
}

/* Reductions like it, that are not replaced, on the sides given. */
static exprs like(const moments *m, sp_expr red, bool first, bool second) {
  sp_pool *p = m->p;
  exprs out = {0};
  uint64_t form = sp_skeleton(p, sp_red_body(p, red));
  for (int side = first ? 0 : 1; side < (second ? 2 : 1); side++) {
    for (size_t i = 0; i < m->in[side].n; i++) {
      sp_expr e = m->in[side].v[i];
      if (e.v != red.v && sp_red_op_of(p, e) == sp_red_op_of(p, red) &&
          sp_skeleton(p, sp_red_body(p, e)) == form && !contains(&m->from, e) &&
          !contains(&out, e)) {
        sp_push(sp_pool_ctx(p), &out, e);
      }
    }
  }
  return out;
}

static void replace(moments *m, sp_expr from, sp_expr to) {
  sp_push(sp_pool_ctx(m->p), &m->from, from);
  sp_push(sp_pool_ctx(m->p), &m->to, to);
}

/* ---- pieces of one form ---- */

/* ite(c, x, y), made by joining, as x + s (y - x). */
typedef struct rolling {
  sp_expr c, s;
} rolling;

static sp_expr as_line(void *env, sp_pool *p, sp_expr e) {
  const rolling *r = env;
  if (sp_kind_of(p, e) != SP_KIND_ITE || sp_sort_of(p, e) != SP_SORT_INT ||
      sp_arg(p, e, 0).v != r->c.v) {
    return (sp_expr){0};
  }
  sp_expr x = sp_arg(p, e, 1), step = sp_isub(p, sp_arg(p, e, 2), x);
  bool number = sp_kind_of(p, step) == SP_KIND_INT;
  return number ? sp_iadd(p, x, sp_iscale(p, r->s, sp_int_value(p, step))) : e;
}

/* A term of s that is like[0] at 0 and like[1] at 1, if it goes on like that; a
 * guess. */
static sp_expr roll(sp_pool *p, const sp_expr *like, sp_expr s) {
  sp_expr c = sp_lt(p, s, sp_int(p, 1));
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr both = sp_join(p, sp_ite(p, c, like[0], like[1]));
  sp_pool_mode(p, SP_MODE_NORMAL);
  rolling r = {c, s};
  sp_expr e = both.v ? sp_map(p, both, as_line, &r) : both;
  sp_pool_mode(p, mode);
  return e;
}

/* The pieces as one sum: proved, or none. */
static sp_expr rolled(const moments *m, const exprs *pieces) {
  sp_pool *p = m->p;
  sp_expr s = sp_fresh(p, (int64_t)pieces->n);
  sp_expr e = roll(p, pieces->v, s);
  if (!e.v) {
    return e;
  }
  for (size_t i = 0; i < pieces->n; i++) {
    sp_expr at = sp_int(p, (int64_t)i);
    sp_expr piece = sp_subst(p, e, 1, &s, &at);
    if (piece.v != pieces->v[i].v &&
        (!sp_probe_equal(m->pr, piece, pieces->v[i], m->hyps) ||
         !sp_prove_equal(m->pr, piece, pieces->v[i], m->hyps))) {
      return (sp_expr){0};
    }
  }
  return sp_red(p, SP_RED_SUM, 1, &s, e);
}

static sp_expr added(sp_pool *p, const exprs *pieces) {
  sp_expr sum = sp_real_i64(p, 0);
  for (size_t i = 0; i < pieces->n; i++) {
    sum = sp_add(p, sum, pieces->v[i]);
  }
  return sum;
}

/* As one of the other side, if it is on one side only. */
static bool match_one(moments *m, sp_expr red) {
  bool first = contains(&m->in[0], red), second = contains(&m->in[1], red);
  exprs others = first != second ? like(m, red, second, first) : (exprs){0};
  for (size_t i = 0; i < others.n && others.n <= MAX_MATCHED; i++) {
    sp_expr e = others.v[i];
    if (spi_red_equal(m->pr, red, e, m->hyps)) {
      replace(m, red, e);
      return true;
    }
  }
  return false;
}

/* As what smaller ones add up to. */
static bool match_pieces(moments *m, sp_expr red) {
  sp_pool *p = m->p;
  exprs all = like(m, red, true, true), smaller = {0};
  double size = size_of(m, red);
  for (size_t i = 0; i < all.n; i++) {
    if (size_of(m, all.v[i]) < size) {
      sp_push(sp_pool_ctx(p), &smaller, all.v[i]);
    }
  }
  if (smaller.n < 2 || !is_sum(m, red)) {
    return false;
  }
  sp_expr sum = added(p, &smaller), one = rolled(m, &smaller);
  if (one.v ? sp_prove_equal(m->pr, red, one, m->hyps)
            : smaller.n <= MAX_CUT &&
                  spi_pieces_equal(m->pr, red, sum, m->hyps)) {
    replace(m, red, sum);
    return true;
  }
  return false;
}

/* As what its points add up to, if they are few. */
static bool match_points(moments *m, sp_expr red) {
  sp_expr points = {0};
  if (is_sum(m, red)) {
    points = spi_written_points(m->pr, red, MAX_WRITTEN);
  }
  if (points.v) {
    replace(m, red, points);
  }
  return points.v != 0;
}

static sp_expr replaced(void *env, sp_pool *p, sp_expr e) {
  const moments *m = env;
  if (!sp_has_red(p, e)) {
    return e;
  }
  if (sp_kind_of(p, e) != SP_KIND_RED) {
    return (sp_expr){0};
  }
  for (size_t i = 0; i < m->from.n; i++) {
    if (m->from.v[i].v == e.v) {
      return m->to.v[i];
    }
  }
  return e;
}

/* Replaces what the rule matches, on both sides. */
static void round_of(moments *m, sp_expr e[2],
                     bool (*rule)(moments *m, sp_expr red)) {
  m->from.n = m->to.n = 0;
  for (int side = 0; side < 2; side++) {
    m->in[side] = reductions(m, e[side]);
  }
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < m->in[side].n && !sp_prover_late(m->pr); i++) {
      sp_expr red = m->in[side].v[i];
      if (!contains(&m->from, red) && !contains(&m->to, red)) {
        rule(m, red);
      }
    }
  }
  for (int side = 0; side < 2 && m->from.n; side++) {
    sp_expr to = sp_map(m->p, e[side], replaced, m);
    to = sp_multiply_out(m->p, to, MAX_MONOMIALS);
    e[side] = to.v ? to : e[side];
  }
}

static bool polynomials_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps,
                              bool quotients) {
  static bool (*const rules[])(moments *, sp_expr) = {match_one, match_pieces,
                                                      match_points};
  sp_pool *p = sp_prover_pool(pr);
  moments m = {.pr = pr, .p = p, .hyps = hyps};
  sp_expr e[2] = {sp_multiply_out(p, a, MAX_MONOMIALS),
                  sp_multiply_out(p, b, MAX_MONOMIALS)};
  if (!e[0].v || !e[1].v) {
    return false;
  }
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (quotients && e[0].v != e[1].v &&
        spi_fractions_equal(pr, e[0], e[1], hyps)) {
      return true;
    }
    if (e[0].v != e[1].v) {
      round_of(&m, e, rules[i]);
    }
  }
  return sp_prove_equal(pr, e[0], e[1], hyps);
}

bool spi_moments_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps) {
  return polynomials_equal(pr, a, b, hyps, false);
}

bool spi_quotients_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps) {
  return polynomials_equal(pr, a, b, hyps, true);
}
