/* loop_apart.c: read spi_loops_apart; copying nodes comes first.
 *
 * LEMMA. A loop whose condition holds for the values before each of n steps and
 * fails after them is its body n times.
 */
#include "solve/loop_apart.h"

#include <string.h>

#include "solve/loop.h"
#include "solve/machine.h"

enum { MAX_NODES = 20000 };

/* The program under construction. */
typedef struct building {
  sp_state *s;
  SP_VEC(sp_node) nodes;
  SP_VEC(sp_tensor) tensors;
  SP_VEC(bool) open; /* by node */
  SP_VEC(spi_condition) conditions;
  bool changed;
  SP_VEC(int64_t) lost; /* steps of distributed loops without a relation */
} building;

/* A copy of node; now[t]: the new tensor for tensor t of its program. */
static void copy_node(building *b, const sp_program *from, const sp_node *node,
                      uint32_t *now, const char *prefix, bool open) {
  sp_ctx *ctx = b->s->ctx;
  sp_node copy = *node;
  uint32_t *in = sp_alloc_n(ctx, node->n_in + 1u, sizeof *in);
  for (uint32_t i = 0; i < node->n_in; i++) {
    in[i] = now[node->in[i]];
  }
  copy.in = in;
  copy.out = (uint32_t)b->tensors.n;
  copy.name = sp_format(ctx, "%s%s", prefix, node->name);
  for (uint32_t o = 0; o < node->n_out; o++) {
    sp_tensor t = from->tensors[node->out + o];
    now[node->out + o] = (uint32_t)b->tensors.n;
    t.name = sp_format(ctx, "%s%s", prefix, t.name);
    t.node = (uint32_t)b->nodes.n;
    sp_push(ctx, &b->tensors, t);
  }
  sp_push(ctx, &b->nodes, copy);
  sp_push(ctx, &b->open, open);
}

/* The region applied to carried[]: new tensors; its results in out[]. */
static void copy_region(building *b, const sp_program *region,
                        const uint32_t *carried, const char *prefix,
                        uint32_t *out) {
  uint32_t *now = sp_alloc_n(b->s->ctx, region->n_tensors + 1u, sizeof *now);
  for (uint32_t k = 0; k < region->n_params; k++) {
    now[region->params[k]] = carried[k];
  }
  for (uint32_t i = 0; i < region->n_nodes; i++) {
    const sp_node *node = &region->nodes[i];
    if (strcmp(node->op, "hlo:parameter") != 0) {
      copy_node(b, region, node, now, prefix, spi_is_loop(node));
    }
  }
  for (uint32_t k = 0; k < region->n_results; k++) {
    out[k] = now[region->results[k]];
  }
}

static void unroll(building *b, const sp_node *node, const loop_shape *shape,
                   uint32_t *now) {
  sp_ctx *ctx = b->s->ctx;
  uint32_t *carried = sp_alloc_n(ctx, shape->n + 1u, sizeof *carried);
  uint32_t *next = sp_alloc_n(ctx, shape->n + 1u, sizeof *next);
  for (uint32_t k = 0; k < shape->n; k++) {
    carried[k] = now[node->in[k]];
  }
  for (int64_t step = 0; step <= shape->trips; step++) {
    const char *prefix =
        sp_format(ctx, "%s/step %lld/", node->name, (long long)step);
    spi_condition c = {.value = step < shape->trips};
    copy_region(b, shape->condition, carried,
                sp_format(ctx, "%scondition/", prefix), &c.tensor);
    sp_push(ctx, &b->conditions, c);
    if (c.value) {
      copy_region(b, shape->body, carried, prefix, next);
      memcpy(carried, next, shape->n * sizeof *next);
    }
  }
  for (uint32_t k = 0; k < shape->n; k++) {
    now[node->out + k] = carried[k];
  }
}

/* Steps of the distributed loops that were not related: their counterparts
 * may be among the sequential ones, and the fault between them. */
static void find_lost(building *b) {
  sp_state *s = b->s;
  const sp_program *p = s->dist_program;
  for (uint32_t k = 0; p && k < p->n_nodes; k++) {
    const sp_node *node = &p->nodes[k];
    bool lost = false;
    for (uint32_t o = 0; o < node->n_out && spi_is_loop(node); o++) {
      const dist_tensor *w = &s->dist[node->out + o];
      lost |= w->how && !w->relation.v && spi_is_used(p, node->out + o);
    }
    if (lost) {
      loop_shape shape;
      spi_loop_shape_dist(s, node, &shape);
      sp_push(s->ctx, &b->lost, shape.trips);
    }
  }
}

static bool is_lost(const building *b, int64_t trips) {
  for (size_t i = 0; i < b->lost.n; i++) {
    if (b->lost.v[i] == trips) {
      return true;
    }
  }
  return false;
}

static bool is_small(const building *b, const loop_shape *shape) {
  if (shape->trips < 0 || shape->trips > SPI_UNROLL_MAX) {
    return false;
  }
  size_t nodes = (size_t)shape->body->n_nodes + shape->condition->n_nodes;
  return b->nodes.n + (size_t)(shape->trips + 1) * nodes <= MAX_NODES;
}

/* A loop that the check had no use for has a closed form, or is unrolled here;
 * with manual parts always the latter: closed forms know of no ranks. */
static void take_apart(building *b, uint32_t k, uint32_t *now) {
  sp_state *s = b->s;
  const sp_program *p = s->seq_program;
  const sp_node *node = &p->nodes[k];
  loop_shape shape;
  spi_loop_shape_seq(s, node, &shape);
  bool closes = !s->problem->manual && shape.condition && shape.body &&
                spi_loop_closes(s, k);
  if (!closes && is_small(b, &shape) && !is_lost(b, shape.trips)) {
    unroll(b, node, &shape, now);
    b->changed = true;
  } else {
    copy_node(b, p, node, now, "", closes);
    b->changed |= closes && !s->loop_open[k];
  }
}

/* With manual parts also loops that have a counterpart: that devices have
 * copies of a result (a ring has gone round) is seen from all steps only. */
static const sp_program *rebuilt(building *b, uint32_t *now) {
  sp_state *s = b->s;
  const sp_program *p = s->seq_program;
  for (uint32_t k = 0; k < p->n_nodes; k++) {
    if (spi_is_loop(&p->nodes[k]) && (!s->loop_used[k] || s->problem->manual)) {
      take_apart(b, k, now);
    } else {
      copy_node(b, p, &p->nodes[k], now, "", false);
    }
  }
  uint32_t *params = sp_alloc_n(s->ctx, p->n_params + 1u, sizeof *params);
  uint32_t *results = sp_alloc_n(s->ctx, p->n_results + 1u, sizeof *results);
  for (uint32_t k = 0; k < p->n_params; k++) {
    params[k] = now[p->params[k]];
  }
  for (uint32_t k = 0; k < p->n_results; k++) {
    results[k] =
        p->results[k] == SP_NO_TENSOR ? SP_NO_TENSOR : now[p->results[k]];
  }
  sp_program *out = sp_alloc(s->ctx, sizeof *out);
  *out = *p;
  out->n_nodes = (uint32_t)b->nodes.n;
  out->nodes = b->nodes.v;
  out->n_tensors = (uint32_t)b->tensors.n;
  out->tensors = b->tensors.v;
  out->params = params;
  out->results = results;
  sp_program_check(s->ctx, out);
  return out;
}

static const sp_placed *placed_anew(sp_ctx *ctx, const sp_placed *v, size_t n,
                                    const uint32_t *now) {
  sp_placed *out = sp_alloc_n(ctx, n + 1, sizeof *out);
  for (size_t i = 0; i < n; i++) {
    out[i] = v[i];
    out[i].seq = now[v[i].seq];
  }
  return out;
}

static spi_apart *apart(sp_state *s) {
  building b = {.s = s};
  uint32_t *now =
      sp_alloc_n(s->ctx, s->seq_program->n_tensors + 1u, sizeof *now);
  spi_seq_refresh(s, 0);
  find_lost(&b);
  const sp_program *program = rebuilt(&b, now);
  if (!b.changed) {
    return NULL;
  }
  spi_apart *a = sp_alloc(s->ctx, sizeof *a);
  *a = (spi_apart){.program = program,
                   .now = now,
                   .open = b.open.v,
                   .conditions = b.conditions.v,
                   .n_conditions = b.conditions.n};
  return a;
}

const spi_apart *spi_region_apart(sp_state *s) {
  return apart(s);
}

const spi_apart *spi_loops_apart(sp_state *s) {
  sp_ctx *ctx = s->ctx;
  const sp_problem *was = s->problem;
  spi_apart *a = was->ranked && !was->manual ? NULL : apart(s);
  if (!a) {
    return NULL;
  }
  sp_range_given *ranges = sp_alloc_n(ctx, was->n_ranges + 1, sizeof *ranges);
  for (size_t i = 0; i < was->n_ranges; i++) {
    ranges[i] = was->ranges[i];
    ranges[i].seq = a->now[was->ranges[i].seq];
  }
  a->problem = *was;
  a->problem.seq = a->program;
  a->problem.given = placed_anew(ctx, was->given, was->n_given, a->now);
  a->problem.promised =
      placed_anew(ctx, was->promised, was->n_promised, a->now);
  a->problem.ranges = ranges;
  return a;
}

bool spi_apart_proved(sp_state *s, const spi_apart *a) {
  bool ok = true;
  spi_seq_refresh(s, 0);
  sp_prover_about(s->prover, "steps of a sequential loop");
  for (size_t i = 0; i < a->n_conditions && ok; i++) {
    const spi_condition *c = &a->conditions[i];
    if (!spi_seq_defined(s, c->tensor)) {
      return false;
    }
    sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
    sp_expr e = spi_seq_read(s, c->tensor, NULL, true);
    sp_expr goal = c->value ? e : sp_not(s->pool, e);
    sp_pool_mode(s->pool, was);
    ok = sp_prove_holds(s->prover, "loop: condition", goal, (sp_hyps){0});
  }
  return ok;
}
