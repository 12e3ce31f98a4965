/* loop_reduce.c: a carried tensor to which each step adds (or of which it
 * takes the maximum with) one block more: a reduction over the steps. The lemma
 * is in loop_closed.h, "reduced".
 *
 * What is added, g, is found by setting the carried tensor to the operation's
 * identity in what the body makes of it; that e = x op g for every x is proved.
 * Steps that add nothing (a block outside the element's) add the identity.
 */
#include "solve/loop_closed.h"

static sp_expr identity(sp_pool *p, sp_red_op op, sp_sort sort) {
  switch (op) {
  case SP_RED_SUM:
    return sort == SP_SORT_REAL  ? sp_real_i64(p, 0)
           : sort == SP_SORT_INT ? sp_int(p, 0)
                                 : (sp_expr){0};
  case SP_RED_PROD:
    return sort == SP_SORT_REAL ? sp_real_i64(p, 1) : (sp_expr){0};
  case SP_RED_MAX:
  case SP_RED_MIN:
    return sort == SP_SORT_REAL ? sp_inf(p, op == SP_RED_MAX) : (sp_expr){0};
  case SP_RED_OR:
  case SP_RED_AND:
    return sort == SP_SORT_BOOL ? sp_bool(p, op == SP_RED_AND) : (sp_expr){0};
  case SP_RED_LAMBDA:
    break;
  }
  return (sp_expr){0};
}

static sp_expr combine(sp_pool *p, sp_red_op op, sp_expr a, sp_expr b) {
  switch (op) {
  case SP_RED_SUM:
    return sp_sort_of(p, a) == SP_SORT_INT ? sp_iadd(p, a, b) : sp_add(p, a, b);
  case SP_RED_PROD:
    return sp_mul(p, a, b);
  case SP_RED_MAX:
    return sp_max(p, a, b);
  case SP_RED_MIN:
    return sp_min(p, a, b);
  case SP_RED_OR:
    return sp_or(p, a, b);
  case SP_RED_AND:
    return sp_and(p, a, b);
  case SP_RED_LAMBDA:
    break;
  }
  return (sp_expr){0};
}

static bool close_by(spi_closing *c, spi_carried *x, sp_expr e, sp_red_op op) {
  sp_state *s = c->s;
  sp_pool *p = s->pool;
  sp_expr none = identity(p, op, sp_sym_sort(p, x->sym));
  if (!none.v) {
    return false;
  }
  sp_expr added = spi_replace_symbol(p, e, x->sym, none);
  sp_expr want = combine(p, op, sp_read(p, x->sym, x->idx), added);
  if (!sp_probe_equal(s->prover, e, want, (sp_hyps){0}) ||
      !sp_prove_equal(s->prover, e, want, (sp_hyps){0})) {
    return false;
  }
  sp_expr var[SPI_MAX_DIGITS], u;
  uint32_t n = spi_step_digits(c, added, var, &u);
  sp_expr g = spi_at_step(c, added, u);
  sp_expr before = sp_ite(p, sp_lt(p, u, c->step), g, none);
  x->at = combine(p, op, x->first, sp_red(p, op, n, var, before));
  x->end = combine(p, op, x->first, sp_red(p, op, n, var, g));
  x->maximum = op == SP_RED_MAX;
  return true;
}

bool spi_close_reduced(spi_closing *c, spi_carried *x, sp_expr e) {
  static const sp_red_op ops[] = {SP_RED_SUM, SP_RED_MAX, SP_RED_MIN,
                                  SP_RED_OR,  SP_RED_AND, SP_RED_PROD};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (close_by(c, x, e, ops[i])) {
      return true;
    }
  }
  return false;
}
