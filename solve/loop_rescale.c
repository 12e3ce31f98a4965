/* loop_rescale.c: a carried sum that each step first scales down to a new
 * maximum (online softmax, flash attention): a sum over the steps of terms that
 * are scaled once. The lemma is in loop_closed.h, "rescaled".
 *
 * What is added, h, is what c' e is for x = 0. That c' e = c x + h is proved
 * for m and x any numbers, and for those before the loop, where m may be -inf;
 * after a step it may not.
 */
#include "solve/loop_closed.h"

enum { MAX_NEST = 16 };

typedef struct rescaled {
  spi_carried *m;
  sp_expr idx[SP_MAX_DIMS + 1]; /* at which the body reads m */
  sp_expr after;                /* c' e: over m and x */
  sp_expr h;                    /* over m */
} rescaled;

/* An element of m that e reads, outside of reductions. */
static sp_expr element_of(const sp_pool *p, sp_expr e, sp_sym m, int depth) {
  sp_kind kind = sp_kind_of(p, e);
  sp_expr found = {0};
  if (kind == SP_KIND_READ && sp_read_sym(p, e).v == m.v) {
    return e;
  }
  if (kind == SP_KIND_RED || !sp_has_read(p, e) || depth >= MAX_NEST) {
    return found;
  }
  for (uint32_t i = 0; i < sp_n_args(p, e) && !found.v; i++) {
    found = element_of(p, sp_arg(p, e, i), m, depth + 1);
  }
  return found;
}

/* Closed forms of all carried tensors but m put in. */
static sp_expr but_for(spi_closing *c, spi_carried *m, sp_expr e) {
  sp_expr at = m->at;
  m->at = (sp_expr){0};
  e = spi_closed_reads(c, e);
  m->at = at;
  return e;
}

/* e with the two tensors as they are before the loop, in the first step. */
static sp_expr at_first(const spi_closing *c, const spi_carried *x,
                        const spi_carried *m, sp_expr e) {
  spi_carried v[] = {*x, *m};
  spi_closing both = {.s = c->s, .n = 2, .v = v};
  v[0].at = x->first;
  v[1].at = m->first;
  return spi_at_step(c, spi_closed_reads(&both, e), sp_int(c->s->pool, 0));
}

/* A term of m's index variables where the body reads it. */
static sp_expr there(const spi_closing *c, const rescaled *r, sp_expr e) {
  return sp_subst(c->s->pool, e, r->m->n, r->m->idx, r->idx);
}

static bool is_rescaled(spi_closing *c, spi_carried *x, rescaled *r) {
  sp_state *s = c->s;
  sp_pool *p = s->pool;
  spi_carried *m = r->m;
  sp_expr e = but_for(c, m, x->after);
  sp_expr at = element_of(p, e, m->sym, 0);
  if (!at.v) {
    return false;
  }
  for (uint32_t i = 0; i < m->n; i++) {
    r->idx[i] = sp_arg(p, at, i);
  }
  sp_expr next = there(c, r, but_for(c, m, m->after));
  r->after = sp_mul(p, sp_exp(p, next), e);
  r->h = spi_replace_symbol(p, r->after, x->sym, sp_real_i64(p, 0));
  sp_expr own = sp_read(p, x->sym, x->idx);
  sp_expr want = sp_add(p, sp_mul(p, sp_exp(p, at), own), r->h);
  return spi_reads_outer(c, r->h, m->sym) &&
         sp_probe_equal(s->prover, r->after, want, (sp_hyps){0}) &&
         sp_prove_equal(s->prover, r->after, want, (sp_hyps){0}) &&
         sp_prove_equal(s->prover, at_first(c, x, m, r->after),
                        at_first(c, x, m, want), (sp_hyps){0});
}

static bool close_with(spi_closing *c, spi_carried *x, spi_carried *m) {
  sp_pool *p = c->s->pool;
  rescaled r = {.m = m};
  if (!is_rescaled(c, x, &r)) {
    return false;
  }
  sp_expr later = spi_at_step(c, m->at, sp_iaddc(p, c->step, 1));
  if (!sp_take_finite(p, there(c, &r, later))) {
    return false; /* inf - inf, where the first blocks are masked as a whole */
  }
  sp_expr u = sp_fresh(p, c->trips);
  sp_expr h = spi_at_step(c, spi_closed_reads(c, r.h), u);
  sp_expr first = sp_mul(p, sp_exp(p, there(c, &r, m->first)), x->first);
  sp_expr before = sp_ite(p, sp_lt(p, u, c->step), h, sp_real_i64(p, 0));
  before = sp_add(p, first, sp_red(p, SP_RED_SUM, 1, &u, before));
  x->at = sp_ite(p, sp_lt(p, c->step, sp_int(p, 1)), x->first,
                 sp_div(p, before, sp_exp(p, there(c, &r, m->at))));
  x->end = sp_div(p, sp_add(p, first, sp_red(p, SP_RED_SUM, 1, &u, h)),
                  sp_exp(p, there(c, &r, m->end)));
  return true;
}

bool spi_close_rescaled(spi_closing *c, spi_carried *x) {
  if (sp_sym_sort(c->s->pool, x->sym) != SP_SORT_REAL) {
    return false;
  }
  for (uint32_t k = 0; k < c->n; k++) {
    if (c->v[k].maximum && close_with(c, x, &c->v[k])) {
      return true;
    }
  }
  return false;
}
