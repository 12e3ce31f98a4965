/* loop_reduce.c: a carried tensor to which each step adds (or of which it
 * takes the maximum with) one block more: a reduction over the steps. The
 * lemmas are in loop_closed.h, "reduced" and "restarted" (a block of a grid
 * starts from 0 where the last axis of the grid does). Read close_by.
 *
 * What is added, g, is found by setting the carried tensor to the operation's
 * identity in what the body makes of it; that e = x op g for every x is proved.
 * Steps that add nothing (a block outside the element's) add the identity.
 */
#include "solve/loop_closed.h"
#include "solve/probe.h"

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

/* Where what was carried is dropped: the condition, 0 for nowhere, and the one
 * step at which it holds. */
typedef struct restart {
  sp_expr when, step;
} restart;

/* It was dropped before the step `end`. */
static sp_expr is_done(const spi_closing *c, const restart *r, sp_expr end) {
  sp_pool *p = c->s->pool;
  sp_expr in =
      sp_and(p, sp_le(p, sp_int(p, 0), r->step), sp_lt(p, r->step, end));
  return sp_and(p, in, spi_at_step(c, r->when, r->step));
}

/* x before the step `end`, of what is added at each. */
static sp_expr value_at(const spi_closing *c, const spi_carried *x,
                        sp_red_op op, sp_expr added, const restart *r,
                        sp_expr end) {
  sp_pool *p = c->s->pool;
  sp_expr var[SPI_MAX_DIGITS], u;
  uint32_t n = spi_step_digits(c, added, var, &u);
  sp_expr none = identity(p, op, sp_sym_sort(p, x->sym));
  bool last = sp_kind_of(p, end) == SP_KIND_INT;
  sp_expr g = spi_at_step(c, added, u);
  g = last ? g : sp_ite(p, sp_lt(p, u, end), g, none);
  sp_expr all = sp_red_two(p, op, x->first, sp_red(p, op, n, var, g));
  if (!r->when.v) {
    return all;
  }
  sp_expr since =
      sp_red(p, op, n, var, sp_ite(p, sp_le(p, r->step, u), g, none));
  sp_expr done = is_done(c, r, end);
  bool always =
      last && sp_prove_holds(c->s->prover, "loop: every block starts anew",
                             done, (sp_hyps){0});
  return always ? since : sp_ite(p, done, since, all);
}

static bool close_by(spi_closing *c, spi_carried *x, sp_expr e, sp_red_op op,
                     const restart *r) {
  sp_state *s = c->s;
  sp_pool *p = s->pool;
  sp_expr none = identity(p, op, sp_sym_sort(p, x->sym));
  if (!none.v) {
    return false;
  }
  sp_expr added = spi_replace_symbol(p, e, x->sym, none);
  sp_expr own = sp_read(p, x->sym, x->idx);
  own = r->when.v ? sp_ite(p, r->when, none, own) : own;
  sp_expr want = sp_red_two(p, op, own, added);
  /* What is false in few places is found by many: a minimum of what is added
   * where a block is on its way, say, which the solver is slow to refute. */
  if (!sp_probe_equal(s->prover, e, want, (sp_hyps){0}) ||
      spi_fails_rarely(s->prover, sp_eq(p, e, want)) ||
      !sp_prove_equal(s->prover, e, want, (sp_hyps){0})) {
    return false;
  }
  x->at = value_at(c, x, op, added, r, c->step);
  x->end = value_at(c, x, op, added, r, sp_int(p, c->trips));
  x->maximum = op == SP_RED_MAX && !r->when.v;
  return true;
}

static bool close_by_any(spi_closing *c, spi_carried *x, sp_expr e,
                         const restart *r) {
  static const sp_red_op ops[] = {SP_RED_SUM, SP_RED_MAX, SP_RED_MIN,
                                  SP_RED_OR,  SP_RED_AND, SP_RED_PROD};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (close_by(c, x, e, ops[i], r)) {
      return true;
    }
  }
  return false;
}

bool spi_close_reduced(spi_closing *c, spi_carried *x, sp_expr e) {
  restart never = {{0}, {0}};
  return close_by_any(c, x, e, &never);
}

/* ---- restarted ---- */

enum { MAX_NEST = 64 };

/* Where e, which reads what is carried, comes to a choice of which one branch
 * does not: the conditions that lead there; 0 where there is no such choice. */
static sp_expr dropped(const spi_closing *c, sp_expr e, sp_expr path,
                       int depth) {
  sp_pool *p = c->s->pool;
  sp_expr found = {0};
  if (sp_kind_of(p, e) == SP_KIND_ITE && depth < MAX_NEST &&
      spi_reads_outer(c, sp_arg(p, e, 0), (sp_sym){0})) {
    sp_expr when = sp_arg(p, e, 0), a = sp_arg(p, e, 1), b = sp_arg(p, e, 2);
    sp_expr yes = sp_and(p, path, when);
    sp_expr no = sp_and(p, path, sp_not(p, when));
    bool in_a = !spi_reads_outer(c, a, (sp_sym){0});
    bool in_b = !spi_reads_outer(c, b, (sp_sym){0});
    if (in_a != in_b) {
      return in_a ? no : yes;
    }
    found = dropped(c, a, yes, depth + 1);
    return found.v ? found : dropped(c, b, no, depth + 1);
  }
  for (uint32_t i = 0; i < sp_n_args(p, e) && depth < MAX_NEST; i++) {
    if (!found.v && !spi_reads_outer(c, sp_arg(p, e, i), (sp_sym){0})) {
      found = dropped(c, sp_arg(p, e, i), path, depth + 1);
    }
  }
  return found;
}

bool spi_close_restarted(spi_closing *c, spi_carried *x, sp_expr e) {
  restart r = {dropped(c, e, sp_bool(c->s->pool, true), 0), {0}};
  if (!r.when.v) {
    return false;
  }
  r.step = spi_step_where(c, r.when);
  return r.step.v && close_by_any(c, x, e, &r);
}
