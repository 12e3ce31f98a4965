/* loop_move.c: a carried tensor that each step takes as it is from another
 * rank: a ring. The lemma is in loop_closed.h, "moved".
 *
 * Where it is from after t steps is guessed from the one step: coordinates
 * (d + k) mod m become (d + k t) mod m.
 */
#include "solve/loop_closed.h"

typedef struct moving {
  sp_expr step;
  bool found;
} moving;

static sp_expr move(void *env, sp_pool *p, sp_expr e) {
  moving *x = env;
  if (sp_kind_of(p, e) != SP_KIND_MOD) {
    return (sp_expr){0};
  }
  sp_expr a = sp_arg(p, e, 0);
  if (sp_kind_of(p, a) != SP_KIND_LIN || sp_lin_const(p, a) == 0) {
    return (sp_expr){0};
  }
  int64_t k = sp_lin_const(p, a);
  sp_expr d = sp_iaddc(p, a, -k);
  x->found = true;
  return sp_imod(p, sp_iadd(p, d, sp_iscale(p, x->step, k)), sp_divisor(p, e));
}

/* The rank from which e, an element of the carried tensor, is; 0: e is
 * something else, or on this rank. */
static sp_expr source_of(const spi_closing *c, const spi_carried *x,
                         sp_expr e) {
  sp_pool *p = c->s->pool;
  sp_expr none = {0};
  if (sp_kind_of(p, e) != SP_KIND_READ || sp_read_sym(p, e).v != x->sym.v ||
      x->n == 0 || sp_kind_of(p, x->idx[0]) != SP_KIND_VAR ||
      sp_var_class_of(p, x->idx[0]) != SP_VAR_RANK) {
    return none;
  }
  for (uint32_t i = 1; i < x->n; i++) {
    if (sp_arg(p, e, i).v != x->idx[i].v) {
      return none;
    }
  }
  sp_expr from = sp_arg(p, e, 0);
  const sp_expr *vars;
  uint32_t n = sp_free_vars(p, from, &vars);
  bool plain = n == 1 && vars[0].v == x->idx[0].v && !sp_has_read(p, from);
  return plain ? from : none;
}

bool spi_close_moved(spi_closing *c, spi_carried *x, sp_expr e) {
  sp_pool *p = c->s->pool;
  sp_prover *prover = c->s->prover;
  sp_expr from = source_of(c, x, e);
  if (!from.v) {
    return false;
  }
  sp_expr rank = x->idx[0];
  moving m = {.step = c->step};
  sp_expr at = sp_map(p, from, move, &m);
  if (!m.found) {
    return false;
  }
  sp_expr inside = sp_and(p, sp_le(p, sp_int(p, 0), at),
                          sp_lt(p, at, sp_int(p, sp_var_extent(p, rank))));
  sp_expr next = spi_at_step(c, at, sp_iaddc(p, c->step, 1));
  if (!sp_prove_equal(prover, spi_at_step(c, at, sp_int(p, 0)), rank,
                      (sp_hyps){0}) ||
      !sp_prove_equal(prover, next, sp_subst(p, at, 1, &rank, &from),
                      (sp_hyps){0}) ||
      !sp_prove_holds(prover, "moved inside", inside, (sp_hyps){0})) {
    return false;
  }
  sp_expr last = spi_at_step(c, at, sp_int(p, c->trips));
  x->at = sp_subst(p, x->first, 1, &rank, &at);
  x->end = sp_subst(p, x->first, 1, &rank, &last);
  return true;
}
