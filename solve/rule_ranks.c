/* rule_ranks.c: for each rank by itself. Read spi_prove_by_rank.
 *
 * LEMMA. The rank is a variable of R values. What holds with each of the
 * numbers 0, ..., R - 1 written in its place, in the hypotheses, too, holds.
 *
 * With a number for the rank most indices of ranks are numbers, and a solver
 * need not find out which choices and remainders go together. That costs R
 * times the term, so it is for few ranks, and for what costs more otherwise.
 */
#include "solve/prove.h"

enum { MAX_RANKS = 1024 };

sp_expr spi_rank_in(sp_pool *p, sp_expr e) {
  const sp_expr *vars;
  uint32_t n = sp_free_vars(p, e, &vars);
  for (uint32_t i = 0; i < n; i++) {
    if (sp_var_class_of(p, vars[i]) == SP_VAR_RANK &&
        sp_var_extent(p, vars[i]) <= MAX_RANKS) {
      return vars[i];
    }
  }
  return (sp_expr){0};
}

static sp_expr at_rank(sp_pool *p, sp_expr e, sp_expr rank, int64_t r) {
  sp_expr value = sp_int(p, r);
  return sp_subst(p, e, 1, &rank, &value);
}

sp_expr spi_at_each_rank(sp_pool *p, sp_expr goal) {
  sp_expr rank = spi_rank_in(p, goal), all = sp_bool(p, true);
  if (!rank.v) {
    return goal;
  }
  for (int64_t r = 0; r < sp_var_extent(p, rank); r++) {
    all = sp_and(p, all, at_rank(p, goal, rank, r));
  }
  return all;
}

bool spi_prove_by_rank(sp_prover *pr, const char *rule, sp_expr goal,
                       sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  sp_expr rank = spi_rank_in(p, goal);
  if (!rank.v) {
    return sp_prove_holds(pr, rule, goal, hyps);
  }
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr *v = sp_alloc_n(sp_pool_ctx(p), hyps.n + 1, sizeof *v);
  bool ok = true;
  for (int64_t r = 0; r < sp_var_extent(p, rank) && ok; r++) {
    for (uint32_t i = 0; i < hyps.n; i++) {
      v[i] = at_rank(p, hyps.v[i], rank, r);
    }
    ok = sp_prove_holds(pr, rule, at_rank(p, goal, rank, r),
                        (sp_hyps){hyps.n, v});
  }
  sp_pool_mode(p, mode);
  return ok;
}
