/* rule_branch.c: an equality in both branches of a choice. Read branches.
 *
 * LEMMA. Let c be a condition without bound variables. If a = b under c, where
 * each ite(c, x, y) in a and b is x, and a = b under not c, where it is y, then
 * a = b. A case that contradicts the hypotheses is left out: that it does is an
 * obligation.
 *
 * For what has a border: a window in its padding, a dimension cut with padding,
 * where operands are elements inside and something else outside. Reductions are
 * equal inside of the border only, functions such as a power have operands of
 * other form on the two sides; as one obligation both are beyond the solver.
 */
#include "solve/prove.h"
#include "solve/seen.h"

enum { MAX_BRANCHES = 12, MAX_SIZE = 80 };

typedef struct branching {
  sp_prover *pr;
  sp_pool *p;
  int left; /* so many cases are tried */
} branching;

/* The condition of a choice outside of reductions, the outermost first; those
 * in indices are left to the solver. */
static sp_expr condition_in(sp_pool *p, sp_expr e, spi_seen *seen) {
  sp_expr none = {0};
  sp_kind kind = sp_kind_of(p, e);
  if (kind == SP_KIND_RED || kind == SP_KIND_READ || spi_seen_before(seen, e)) {
    return none;
  }
  if (kind == SP_KIND_ITE && !sp_has_red(p, sp_arg(p, e, 0))) {
    return sp_arg(p, e, 0);
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    sp_expr c = condition_in(p, sp_arg(p, e, i), seen);
    if (c.v) {
      return c;
    }
  }
  return none;
}

static sp_expr condition_of(sp_pool *p, sp_expr a, sp_expr b) {
  sp_ctx *ctx = sp_pool_ctx(p);
  sp_mark mark = sp_scratch_mark(ctx);
  spi_seen seen = {.ctx = ctx};
  sp_expr c = condition_in(p, a, &seen);
  c = c.v ? c : condition_in(p, b, &seen);
  sp_scratch_release(ctx, mark);
  return c;
}

typedef struct decided {
  sp_expr c;
  bool value;
} decided;

static sp_expr decide_node(void *env, sp_pool *p, sp_expr e) {
  const decided *d = env;
  if (sp_kind_of(p, e) != SP_KIND_ITE || sp_arg(p, e, 0).v != d->c.v) {
    return (sp_expr){0};
  }
  return sp_map(p, sp_arg(p, e, d->value ? 1 : 2), decide_node, env);
}

static bool branches(branching *x, sp_expr a, sp_expr b, sp_hyps hyps) {
  sp_pool *p = x->p;
  if (a.v == b.v) {
    return true;
  }
  sp_expr c = condition_of(p, a, b);
  if (!c.v) {
    return sp_prove_equal(x->pr, a, b, hyps);
  }
  for (int value = 1; value >= 0; value--) {
    decided d = {c, value};
    sp_expr side = value ? c : sp_not(p, c);
    sp_hyps here = spi_hyps_with(x->pr, hyps, side);
    if (x->left-- <= 0) {
      return false;
    }
    if (!sp_prove_never(x->pr, "branches: no such case", side, hyps) &&
        !branches(x, sp_map(p, a, decide_node, &d),
                  sp_map(p, b, decide_node, &d), here)) {
      return false;
    }
  }
  return true;
}

bool spi_equal_by_branches(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  branching x = {pr, p, MAX_BRANCHES};
  if (spi_term_size(p, a, MAX_SIZE) >= MAX_SIZE ||
      spi_term_size(p, b, MAX_SIZE) >= MAX_SIZE || !condition_of(p, a, b).v ||
      !sp_probe_equal(pr, a, b, hyps)) {
    return false;
  }
  sp_mode was = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  bool ok = branches(&x, a, b, hyps);
  sp_pool_mode(p, was);
  return ok;
}
