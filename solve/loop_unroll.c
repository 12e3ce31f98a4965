/* loop_unroll.c: a loop without counterpart, step by step.
 *
 * Collective matmul, ring attention and windowed einsum loop where the
 * sequential program does not. The body is walked once for each step against
 * the same sequential program; what a step returns is what the next one gets:
 * its relation if it has one, else its definition. That the loop makes exactly
 * so many steps is proved from its condition at each of them.
 */
#include "solve/loop.h"

/* Carried tensors before a step: relations, or definitions. */
typedef struct carry {
  dist_tensor *v;
} carry;

/* The distributed side of the state, put aside while a region is walked. */
typedef struct aside {
  const sp_program *program;
  dist_tensor *dist;
} aside;

static aside enter(sp_state *s, const sp_program *region) {
  aside a = {s->dist_program, s->dist};
  s->dist_program = region;
  spi_dist_start(s);
  return a;
}

static void leave(sp_state *s, aside a) {
  s->dist_program = a.program;
  s->dist = a.dist;
}

static void give(sp_state *s, const sp_program *region, const carry *c,
                 const char *how) {
  for (uint32_t k = 0; k < region->n_params; k++) {
    dist_tensor *w = &s->dist[region->params[k]];
    const dist_tensor *from = &c->v[k];
    w->relation = from->relation;
    w->def = from->def;
    w->raw = from->raw;
    w->heavy = from->heavy;
    w->seq = from->seq;
    w->opaque = from->opaque;
    w->how = how;
  }
}

/* What is known of a tensor, with its definitions made if need be. */
static dist_tensor known(sp_state *s, uint32_t t) {
  dist_tensor *w = &s->dist[t];
  if (!w->relation.v) {
    spi_dist_def(s, t);
    spi_dist_raw(s, t);
  }
  return *w;
}

static bool condition_is(sp_state *s, const sp_program *region,
                         const carry *c, bool value) {
  aside a = enter(s, region);
  give(s, region, c, "carried");
  spi_propagate(s);
  dist_tensor w = known(s, region->results[0]);
  leave(s, a);
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  sp_expr e = w.relation.v ? w.relation : w.raw;
  sp_expr goal = value ? e : sp_not(s->pool, e);
  sp_pool_mode(s->pool, was);
  sp_prover_about(s->prover, "steps of an unrolled loop");
  return sp_prove_holds(s->prover, "loop: condition", goal, (sp_hyps){0});
}

static void one_step(sp_state *s, const sp_program *body, carry *c,
                     const char *name) {
  aside a = enter(s, body);
  give(s, body, c, "carried: from the step before");
  spi_propagate(s);
  sp_state *seen = sp_alloc(s->ctx, sizeof *seen);
  *seen = *s; /* for the report: the walked tensors */
  seen->kept.n = 0;
  seen->kept.cap = 0; /* its own from here on */
  for (uint32_t k = 0; k < body->n_results; k++) {
    c->v[k] = known(s, body->results[k]);
  }
  leave(s, a);
  sp_push(s->ctx, &s->kept, ((spi_kept){seen, name}));
}

bool spi_loop_unroll(sp_state *s, const sp_node *node,
                     const loop_shape *shape) {
  carry c = {sp_alloc_n(s->ctx, shape->n + 1u, sizeof *c.v)};
  for (uint32_t k = 0; k < shape->n; k++) {
    c.v[k] = known(s, node->in[k]);
  }
  for (int64_t step = 0; step < shape->trips; step++) {
    if (!condition_is(s, shape->condition, &c, true)) {
      return false;
    }
    one_step(s, shape->body, &c,
             sp_format(s->ctx, "%s/step %lld", node->name, (long long)step));
  }
  if (!condition_is(s, shape->condition, &c, false)) {
    return false;
  }
  for (uint32_t k = 0; k < shape->n; k++) {
    dist_tensor *w = &s->dist[node->out + k];
    w->relation = c.v[k].relation;
    w->def = c.v[k].def;
    w->raw = c.v[k].raw;
    w->heavy = c.v[k].heavy;
    w->seq = c.v[k].seq;
    w->opaque = c.v[k].opaque;
    w->how = w->relation.v ? "loop: unrolled"
                           : "loop: unrolled; inlined into its users";
  }
  return true;
}
