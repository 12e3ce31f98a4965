/* rule_fractions.c: quotients of polynomials. Read spi_fractions_equal.
 *
 * LEMMA. Let a = m / d and b = n / e, where d and e are products of numbers
 * that are not zero and finite. If m e = n d, then a = b. A sum, a product and
 * the inverse of such quotients is one: x/d + y/e = (x e + y d)/(d e), and
 * inv(x/d) = d/x where x, too, is not zero and finite.
 *
 * What is inverted has to be known positive and finite: of its form, or a sum
 * of what is not negative that has a positive term, whatever is masked
 * otherwise. Obligation: at one place no mask hides the term. So nothing is
 * divided by that either program does not divide by, or that may be zero.
 *
 * m e and n d are multiplied out and have to be one term.
 *
 * That is how blocks of a softmax are merged by their logarithms: with S and T
 * the sums of two blocks, o - sigmoid(log T - log S) (o - p) is o - (o - p) /
 * (1 + S / T).
 */
#include "solve/prove.h"

#include <string.h>

enum { MAX_FACTORS = 16, MAX_DEPTH = 40, MAX_MONOMIALS = 4000, MAX_VARS = 8 };

typedef struct factor {
  sp_expr e;
  uint32_t power;
} factor;

/* num over the product of the factors, which are not zero. */
typedef struct fraction {
  sp_expr num;
  uint32_t n;
  factor den[MAX_FACTORS];
} fraction;

typedef struct work {
  sp_prover *pr;
  sp_pool *p;
  sp_hyps hyps;
} work;

static bool is_positive(const work *w, sp_expr e, int depth);

/* A sum of what is not negative, one term of which is positive: the first or
 * the last one, say. */
static bool sum_is_positive(const work *w, sp_expr red, int depth) {
  sp_pool *p = w->p;
  sp_expr var[MAX_VARS];
  uint32_t n = sp_red_n_vars(p, red);
  if (sp_red_op_of(p, red) != SP_RED_SUM || n > MAX_VARS ||
      sp_sign(p, sp_red_body(p, red)) < 1) {
    return false;
  }
  sp_expr body = sp_red_open(p, red, var);
  for (int last = 0; last < 2; last++) {
    sp_expr at[MAX_VARS];
    for (uint32_t i = 0; i < n; i++) {
      int64_t extent = sp_var_extent(p, var[i]);
      if (extent < 1) {
        return false;
      }
      at[i] = sp_int(p, last ? extent - 1 : 0);
    }
    if (is_positive(w, sp_subst(p, body, n, var, at), depth + 1)) {
      return true;
    }
  }
  return false;
}

/* Positive and finite under the hypotheses. */
static bool is_positive(const work *w, sp_expr e, int depth) {
  sp_pool *p = w->p;
  if (!sp_is_finite(p, e) || depth > MAX_DEPTH) {
    return false;
  }
  uint32_t n = sp_n_args(p, e), positive = 0;
  switch ((int)sp_kind_of(p, e)) {
  case SP_KIND_RED:
    return sp_sign(p, e) == 2 || sum_is_positive(w, e, depth);
  case SP_KIND_ITE:
    if (sp_is_zero(p, sp_arg(p, e, 1))) {
      return is_positive(w, sp_arg(p, e, 2), depth + 1) &&
             sp_prove_never(w->pr, "a term that is not masked", sp_arg(p, e, 0),
                            w->hyps);
    }
    return sp_sign(p, e) == 2;
  case SP_KIND_ADD:
    if (sp_num_double(p, sp_add_const(p, e)) < 0) {
      return false;
    }
    positive = sp_num_double(p, sp_add_const(p, e)) > 0;
    for (uint32_t i = 0; i < n; i++) {
      if (sp_num_double(p, sp_add_coef(p, e, i)) < 0 ||
          sp_sign(p, sp_arg(p, e, i)) < 1) {
        return false;
      }
    }
    for (uint32_t i = 0; i < n && !positive; i++) {
      positive = is_positive(w, sp_arg(p, e, i), depth + 1);
    }
    return positive;
  case SP_KIND_MUL:
    for (uint32_t i = 0; i < n; i++) {
      if (!is_positive(w, sp_arg(p, e, i), depth + 1)) {
        return false;
      }
    }
    return true;
  default:
    return sp_sign(p, e) == 2;
  }
}

static bool times(fraction *f, sp_expr e, uint32_t power) {
  for (uint32_t i = 0; i < f->n; i++) {
    if (f->den[i].e.v == e.v) {
      f->den[i].power += power;
      return true;
    }
  }
  if (f->n == MAX_FACTORS) {
    return false;
  }
  f->den[f->n++] = (factor){e, power};
  return true;
}

static uint32_t power_of(const fraction *f, sp_expr e) {
  for (uint32_t i = 0; i < f->n; i++) {
    if (f->den[i].e.v == e.v) {
      return f->den[i].power;
    }
  }
  return 0;
}

/* e times what the denominator of `to` has more than that of `from`. */
static sp_expr widened(sp_pool *p, sp_expr e, const fraction *from,
                       const fraction *to) {
  for (uint32_t i = 0; i < to->n; i++) {
    uint32_t has = power_of(from, to->den[i].e);
    for (uint32_t k = has; k < to->den[i].power; k++) {
      e = sp_mul(p, e, to->den[i].e);
    }
  }
  return e;
}

/* The least common denominator, in *out. */
static bool join(fraction *out, const fraction *f) {
  for (uint32_t i = 0; i < f->n; i++) {
    uint32_t has = power_of(out, f->den[i].e);
    if (f->den[i].power > has &&
        !times(out, f->den[i].e, f->den[i].power - has)) {
      return false;
    }
  }
  return true;
}

static bool fraction_of(const work *w, sp_expr e, int depth, fraction *out);

static bool of_sum(const work *w, sp_expr e, int depth, fraction *out) {
  sp_pool *p = w->p;
  uint32_t n = sp_n_args(p, e);
  fraction *f = sp_alloc_n(sp_pool_ctx(p), n + 1u, sizeof *f);
  for (uint32_t i = 0; i < n; i++) {
    if (!fraction_of(w, sp_arg(p, e, i), depth + 1, &f[i]) ||
        !join(out, &f[i])) {
      return false;
    }
  }
  fraction one = {0};
  out->num = widened(p, sp_real(p, sp_add_const(p, e)), &one, out);
  for (uint32_t i = 0; i < n; i++) {
    sp_expr x = widened(p, f[i].num, &f[i], out);
    out->num = sp_add(p, out->num, sp_scale(p, x, sp_add_coef(p, e, i)));
  }
  return true;
}

static bool of_product(const work *w, sp_expr e, int depth, fraction *out) {
  sp_pool *p = w->p;
  out->num = sp_real_i64(p, 1);
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    fraction f;
    if (!fraction_of(w, sp_arg(p, e, i), depth + 1, &f)) {
      return false;
    }
    out->num = sp_mul(p, out->num, f.num);
    for (uint32_t k = 0; k < f.n; k++) {
      if (!times(out, f.den[k].e, f.den[k].power)) {
        return false;
      }
    }
  }
  return true;
}

/* inv(num / den) */
static bool of_inverse(const work *w, sp_expr e, int depth, fraction *out) {
  sp_pool *p = w->p;
  fraction f, one = {0};
  if (!fraction_of(w, sp_arg(p, e, 0), depth + 1, &f)) {
    return false;
  }
  sp_expr x = sp_multiply_out(p, f.num, MAX_MONOMIALS);
  x = x.v ? x : f.num;
  if (!is_positive(w, x, 0)) {
    return false;
  }
  out->num = widened(p, sp_real_i64(p, 1), &one, &f);
  bool product = sp_kind_of(p, x) == SP_KIND_MUL;
  bool ok = true;
  for (uint32_t i = 0; i < (product ? sp_n_args(p, x) : 1) && ok; i++) {
    ok = times(out, product ? sp_arg(p, x, i) : x, 1);
  }
  return ok;
}

/* False: too much, or something is divided by that may be zero. */
static bool fraction_of(const work *w, sp_expr e, int depth, fraction *out) {
  sp_pool *p = w->p;
  *out = (fraction){.num = e};
  if (depth > MAX_DEPTH) {
    return false;
  }
  switch ((int)sp_kind_of(p, e)) {
  case SP_KIND_ADD:
    return of_sum(w, e, depth, out);
  case SP_KIND_MUL:
    return of_product(w, e, depth, out);
  case SP_KIND_FN:
    return strcmp(sp_fn_name(p, e), "inv") != 0 || of_inverse(w, e, depth, out);
  default:
    return true;
  }
}

bool spi_fractions_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  work w = {pr, p, hyps};
  fraction f, g;
  if (!fraction_of(&w, a, 0, &f) || !fraction_of(&w, b, 0, &g) ||
      f.n + g.n == 0) {
    return false;
  }
  sp_expr x = sp_multiply_out(p, widened(p, f.num, &f, &g), MAX_MONOMIALS);
  sp_expr y = sp_multiply_out(p, widened(p, g.num, &g, &f), MAX_MONOMIALS);
  return x.v && x.v == y.v;
}
