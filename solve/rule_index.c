/* rule_index.c: simpler indices and conditions, each proved. Read simpler.
 *
 * LEMMA. Replacing a term of integers or booleans by one that is equal to it,
 * for all values of the variables in it, does not change the term around it.
 *
 * Raw definitions keep conditions that ranges decide (`ids < 0` where ids are
 * not negative). Then sums do not reach the same normal form on both sides. The
 * index simplifier says what the term should be; that it is so is an obligation.
 */
#include "solve/prove.h"
#include "solve/seen.h"

/* Beyond this a term is left as it is: what does not help at once does not. */
enum { MAX_SIZE = 200, LIMIT_MS = 200 };

/* What the index simplifier makes of e, where that is proved; else e. */
static sp_expr simpler(sp_prover *pr, sp_pool *p, sp_expr e) {
  if (spi_term_size(p, e, MAX_SIZE) >= MAX_SIZE) {
    return e;
  }
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr simple = sp_simplify(p, e);
  sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr same = simple.v == e.v ? e : sp_eq(p, e, simple);
  sp_pool_mode(p, mode);
  if (simple.v == e.v) {
    return e;
  }
  uint32_t was = sp_prover_hurry(pr, LIMIT_MS);
  bool holds =
      sp_prove_holds(pr, "index or condition simplified", same, (sp_hyps){0});
  sp_prover_hurry(pr, was);
  return holds ? simple : e;
}

/* No reals, no reductions inside: a term of the lemma. */
static bool is_index(const sp_pool *p, sp_expr e) {
  return sp_sort_of(p, e) != SP_SORT_REAL && !sp_has_red(p, e);
}

static sp_expr visit(void *env, sp_pool *p, sp_expr e) {
  return is_index(p, e) ? simpler(env, p, e) : (sp_expr){0};
}

sp_expr spi_simpler_indices(sp_prover *pr, sp_expr e) {
  sp_pool *p = sp_prover_pool(pr);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr better = sp_map(p, e, visit, pr);
  sp_pool_mode(p, mode);
  return better;
}

/* ---- neighbours of neighbours ---- */

static bool is_quotient(const sp_pool *p, sp_expr e) {
  return sp_kind_of(p, e) == SP_KIND_DIV || sp_kind_of(p, e) == SP_KIND_MOD;
}

/* A remainder of a sum with another one, (x mod 8 - 1) mod 8, or with a constant
 * that is no remainder, (x - 1) mod 8. */
static bool is_unreduced(const sp_pool *p, sp_expr e) {
  if (sp_kind_of(p, e) != SP_KIND_MOD) {
    return false;
  }
  sp_expr x = sp_arg(p, e, 0);
  if (sp_kind_of(p, x) != SP_KIND_LIN) {
    return is_quotient(p, x);
  }
  int64_t c = sp_lin_const(p, x);
  bool found = c < 0 || c >= sp_divisor(p, e);
  for (uint32_t i = 0; !found && i < sp_n_args(p, x); i++) {
    found = is_quotient(p, sp_arg(p, x, i));
  }
  return found;
}

static sp_expr visit_remainder(void *env, sp_pool *p, sp_expr e) {
  return is_index(p, e) && is_unreduced(p, e) ? simpler(env, p, e)
                                              : (sp_expr){0};
}

sp_expr spi_flatter_indices(sp_prover *pr, sp_expr e) {
  sp_pool *p = sp_prover_pool(pr);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr better = sp_map(p, e, visit_remainder, pr);
  sp_pool_mode(p, mode);
  return better;
}
