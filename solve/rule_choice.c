/* rule_choice.c: a choice between terms of one form.
 *
 * LEMMA. ite(c, f(x), f(y)) = f(ite(c, x, y)), for integers x, y anywhere
 * inside f, below binders too, where c does not have their variables. f is the
 * same function of its integers whatever c is.
 *
 * Chunks by rank, or by position, that are the same sum of another part: one
 * sum whose part depends on the rank. What the choice of integers is in closed
 * form (2*rank) is an obligation of rule_index.c.
 */
#include "solve/prove.h"

static sp_expr visit(void *env, sp_pool *p, sp_expr e) {
  (void)env;
  if (sp_kind_of(p, e) != SP_KIND_ITE || sp_sort_of(p, e) != SP_SORT_REAL ||
      sp_has_red(p, sp_arg(p, e, 0))) {
    return (sp_expr){0};
  }
  return sp_join(p, e);
}

sp_expr spi_join_choices(sp_prover *pr, sp_expr e) {
  sp_pool *p = sp_prover_pool(pr);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr joined = sp_map(p, e, visit, NULL);
  sp_pool_mode(p, mode);
  return joined;
}
