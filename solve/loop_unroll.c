/* loop_unroll.c: a loop without counterpart, step by step.
 *
 * Collective matmul, ring attention and windowed einsum loop where the
 * sequential program does not. The body is walked once for each step against
 * the same sequential program; what a step returns is what the next one gets:
 * its relation if it has one, else its definition. That the loop makes exactly
 * so many steps is proved from its condition at each of them.
 */
#include "solve/loop.h"

spi_aside spi_region_enter(sp_state *s, const sp_program *region) {
  spi_aside a = {s->dist_program, s->dist, s->sums.v, s->sums.n, s->sums.cap};
  s->dist_program = region;
  s->sums.v = NULL;
  s->sums.n = s->sums.cap = 0;
  spi_dist_start(s);
  return a;
}

void spi_region_leave(sp_state *s, spi_aside a) {
  s->dist_program = a.program;
  s->dist = a.dist;
  s->sums.v = a.sums;
  s->sums.n = a.n_sums;
  s->sums.cap = a.cap_sums;
}

void spi_region_give(sp_state *s, const sp_program *region, const spi_carry *c,
                     const char *how) {
  for (uint32_t k = 0; k < region->n_params; k++) {
    dist_tensor *w = &s->dist[region->params[k]];
    const dist_tensor *from = &c->v[k];
    w->relation = from->relation;
    w->def = from->def;
    w->raw = from->raw;
    w->heavy = from->heavy;
    w->above = from->above;
    w->seq = from->seq;
    w->opaque = from->opaque;
    w->how = how;
  }
}

void spi_region_keep(sp_state *s, const char *name) {
  sp_state *seen = sp_alloc(s->ctx, sizeof *seen);
  *seen = *s; /* for the report: the walked tensors */
  seen->kept.n = 0;
  seen->kept.cap = 0; /* its own from here on */
  sp_push(s->ctx, &s->kept, ((spi_kept){seen, name}));
}

dist_tensor spi_dist_known(sp_state *s, uint32_t t) {
  dist_tensor *w = &s->dist[t];
  if (!w->relation.v) {
    spi_dist_def(s, t);
    spi_dist_raw(s, t);
  }
  return *w;
}

bool spi_carry_condition(sp_state *s, const sp_program *region,
                         const spi_carry *c, bool value) {
  spi_aside a = spi_region_enter(s, region);
  spi_region_give(s, region, c, "carried");
  spi_propagate(s);
  dist_tensor w = spi_dist_known(s, region->results[0]);
  spi_region_leave(s, a);
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  sp_expr e = w.relation.v ? w.relation : w.raw;
  sp_expr goal = value ? e : sp_not(s->pool, e);
  sp_pool_mode(s->pool, was);
  sp_prover_about(s->prover, "steps of a loop without counterpart");
  return sp_prove_holds(s->prover, "loop: condition", goal, (sp_hyps){0});
}

static void one_step(sp_state *s, const sp_program *body, spi_carry *c,
                     const char *name) {
  spi_aside a = spi_region_enter(s, body);
  spi_region_give(s, body, c, "carried: from the step before");
  spi_propagate(s);
  for (uint32_t k = 0; k < body->n_results; k++) {
    c->v[k] = spi_dist_known(s, body->results[k]);
  }
  spi_region_keep(s, name);
  spi_region_leave(s, a);
}

bool spi_loop_unroll(sp_state *s, const sp_node *node,
                     const loop_shape *shape) {
  spi_carry c = {sp_alloc_n(s->ctx, shape->n + 1u, sizeof *c.v)};
  for (uint32_t k = 0; k < shape->n; k++) {
    c.v[k] = spi_dist_known(s, node->in[k]);
  }
  for (int64_t step = 0; step < shape->trips; step++) {
    if (!spi_carry_condition(s, shape->condition, &c, true)) {
      return false;
    }
    one_step(s, shape->body, &c,
             sp_format(s->ctx, "%s/step %lld", node->name, (long long)step));
  }
  if (!spi_carry_condition(s, shape->condition, &c, false)) {
    return false;
  }
  for (uint32_t k = 0; k < shape->n; k++) {
    dist_tensor *w = &s->dist[node->out + k];
    w->relation = c.v[k].relation;
    w->def = c.v[k].def;
    w->raw = c.v[k].raw;
    w->heavy = c.v[k].heavy;
    w->above = c.v[k].above;
    w->seq = c.v[k].seq;
    w->opaque = c.v[k].opaque;
    w->how = w->relation.v ? "loop: unrolled"
                           : "loop: unrolled; inlined into its users";
  }
  return true;
}
