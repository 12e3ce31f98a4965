/* rule_index.c: simpler indices and conditions, each proved.
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

static sp_expr visit(void *env, sp_pool *p, sp_expr e) {
  sp_prover *pr = env;
  if (sp_sort_of(p, e) == SP_SORT_REAL || sp_has_red(p, e)) {
    return (sp_expr){0};
  }
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

sp_expr spi_simpler_indices(sp_prover *pr, sp_expr e) {
  sp_pool *p = sp_prover_pool(pr);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr better = sp_map(p, e, visit, pr);
  sp_pool_mode(p, mode);
  return better;
}
