/* substate.c: states for the regions of loops, and for runs apart. */
#include "solve/state.h"

sp_state *spi_runnable(sp_ctx *own, const sp_problem *problem,
                       const sp_check_options *options) {
  sp_state *s = sp_alloc(own, sizeof *s);
  s->ctx = own;
  s->pool = sp_pool_new(own);
  s->options = options;
  s->problem = problem;
  s->seq_program = problem->seq;
  s->dist_program = problem->dist;
  return s;
}

sp_state *spi_substate(sp_state *s, const sp_program *seq,
                       const sp_program *dist) {
  sp_state *x = sp_alloc(s->ctx, sizeof *x);
  x->parent = s;
  x->ctx = s->ctx;
  x->pool = s->pool;
  x->solver = s->solver;
  x->prover = s->prover;
  x->options = s->options;
  x->problem = s->problem;
  x->seq_program = seq;
  x->dist_program = dist;
  x->rank = s->rank;
  x->vain = s->vain;
  x->in_part = s->in_part;
  x->index_vars.v = s->index_vars.v;
  x->index_vars.n = x->index_vars.cap = s->index_vars.n;
  x->cuts.v = s->cuts.v;
  x->cuts.n = x->cuts.cap = s->cuts.n;
  spi_seq_start(x);
  spi_natural_ranges(x);
  spi_seq_classify(x);
  if (dist) {
    spi_dist_start(x);
  }
  return x;
}

void spi_keep_substate(sp_state *s, sp_state *x, const char *name) {
  if (!x) {
    return;
  }
  for (size_t i = 0; i < x->assumptions.n; i++) {
    spi_assumption(s, x->assumptions.v[i]);
  }
  s->stats.views += x->stats.views;
  s->stats.matched += x->stats.matched;
  s->stats.unrelated += x->stats.unrelated;
  sp_push(s->ctx, &s->kept, ((spi_kept){x, name}));
}

typedef struct replacement {
  sp_sym sym;
  sp_expr value;
} replacement;

static sp_expr replace_node(void *env, sp_pool *p, sp_expr e) {
  const replacement *r = env;
  if (!sp_has_read(p, e)) {
    return e;
  }
  return sp_kind_of(p, e) == SP_KIND_READ && sp_read_sym(p, e).v == r->sym.v
             ? r->value
             : (sp_expr){0};
}

sp_expr spi_replace_symbol(sp_pool *p, sp_expr e, sp_sym sym, sp_expr value) {
  replacement r = {sym, value};
  return sp_map(p, e, replace_node, &r);
}
