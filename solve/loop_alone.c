/* loop_alone.c: a loop that only one side has becomes terms (loop_closed.h).
 *
 * Distributed: the body is walked once, at a symbolic step, against the same
 * sequential program, so what it computes of a block is related to rows of
 * sequential tensors where it can be. Sequential: the terms are over the names
 * of what goes into the loop, and made once; a definition puts in what is known
 * of these at the time. On both sides the condition is proved to hold before
 * each step and to fail after the last.
 */
#include <string.h>

#include "solve/loop.h"
#include "solve/loop_closed.h"

enum { MAX_HEAVY = 6, MAX_NESTED = 16 };

/* ---- distributed ---- */

/* The body hands the tensor on as it came. */
static bool passes(const sp_program *body, uint32_t k) {
  uint32_t t = body->results[k];
  const sp_node *node = &body->nodes[body->tensors[t].node];
  while (strcmp(node->op, "hlo:copy") == 0) {
    t = node->in[0];
    node = &body->nodes[body->tensors[t].node];
  }
  return t == body->params[k];
}

/* Carried tensors before a step, as far as they are known beforehand. */
static spi_carry before_step(sp_state *s, const sp_node *node,
                             const loop_shape *shape, sp_expr step) {
  spi_carry c = {sp_alloc_n(s->ctx, shape->n + 1u, sizeof *c.v)};
  for (uint32_t k = 0; k < shape->n; k++) {
    if (shape->counter[k].known) {
      c.v[k].relation = spi_loop_count(s, &shape->counter[k], step);
    } else if (passes(shape->body, k)) {
      c.v[k] = spi_dist_known(s, node->in[k]);
    } else {
      c.v[k].opaque = true;
    }
  }
  return c;
}

static sp_expr raw_of(sp_state *s, uint32_t t) {
  return s->dist[t].relation.v ? s->dist[t].relation : spi_dist_raw(s, t);
}

static void name_carried(sp_state *s, const sp_program *body, uint32_t k,
                         spi_carried *x) {
  uint32_t w = body->params[k], n = body->tensors[w].shape.n_dims;
  sp_expr *idx = sp_alloc_n(s->ctx, n + 1u, sizeof *idx);
  idx[0] = s->rank;
  for (uint32_t d = 0; d < n; d++) {
    idx[d + 1] = s->dist[w].idx[d];
  }
  x->sym = s->dist[w].sym;
  x->idx = idx;
  x->n = n + 1;
}

/* The body's terms; false when what was said beforehand is not kept by it. */
static bool walk_body(sp_state *s, const sp_node *node, const loop_shape *shape,
                      spi_closing *c) {
  spi_carry carry = before_step(s, node, shape, c->step);
  spi_aside a = spi_region_enter(s, shape->body);
  spi_region_give(s, shape->body, &carry, "carried: its closed form is sought");
  c->inner = s->dist[0].sym;
  spi_propagate(s);
  spi_region_keep(s, sp_format(s->ctx, "%s/every step", node->name));
  bool ok = true;
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  for (uint32_t k = 0; k < shape->n && ok; k++) {
    spi_carried *x = &c->v[k];
    const loop_counter *count = &shape->counter[k];
    sp_expr after = raw_of(s, shape->body->results[k]);
    name_carried(s, shape->body, k, x);
    if (count->known) {
      sp_expr next = spi_loop_count(s, count, sp_iaddc(s->pool, c->step, 1));
      sp_prover_about(s->prover, "counters of a loop");
      ok = sp_prove_equal(s->prover, next, after, (sp_hyps){0});
      x->at = spi_loop_count(s, count, c->step);
      x->end = spi_loop_count(s, count, sp_int(s->pool, c->trips));
    } else if (passes(shape->body, k)) {
      x->at = x->end = x->first;
    } else {
      x->after = after;
    }
  }
  sp_pool_mode(s->pool, was);
  spi_region_leave(s, a);
  return ok;
}

bool spi_is_used(const sp_program *p, uint32_t t) {
  for (uint32_t k = 0; k < p->n_nodes; k++) {
    for (uint32_t i = 0; i < p->nodes[k].n_in; i++) {
      if (p->nodes[k].in[i] == t) {
        return true;
      }
    }
  }
  for (uint32_t k = 0; k < p->n_results; k++) {
    if (p->results[k] == t) {
      return true;
    }
  }
  return false;
}

static bool ends_as_said(sp_state *s, const sp_node *node,
                         const loop_shape *shape, sp_expr step) {
  spi_carry before = before_step(s, node, shape, step);
  spi_carry after = before_step(s, node, shape, sp_int(s->pool, shape->trips));
  return spi_carry_condition(s, shape->condition, &before, true) &&
         spi_carry_condition(s, shape->condition, &after, false);
}

static spi_closing closing_of(sp_state *s, const loop_shape *shape) {
  spi_closing c = {.s = s, .trips = shape->trips, .n = shape->n};
  c.step = sp_var(s->pool, SP_VAR_STEP, "t", shape->trips);
  c.v = sp_alloc_n(s->ctx, shape->n + 1u, sizeof *c.v);
  return c;
}

/* How many results that are asked for have a closed form, and have none. */
static void count_closed(const sp_state *s, const sp_node *node,
                         const spi_closing *c, uint32_t *closed,
                         uint32_t *open) {
  *closed = *open = 0;
  for (uint32_t k = 0; k < c->n; k++) {
    if (spi_is_used(s->dist_program, node->out + k)) {
      *(c->v[k].end.v ? closed : open) += 1;
    }
  }
}

static void define_result(sp_state *s, dist_tensor *w, sp_expr end) {
  w->raw = end;
  w->def = spi_onehot(s->prover, sp_simplify(s->pool, end));
  w->heavy = w->above = MAX_HEAVY;
}

static void define_results(sp_state *s, const sp_node *node,
                           const spi_closing *c, const char *why) {
  for (uint32_t k = 0; k < c->n; k++) {
    dist_tensor *w = &s->dist[node->out + k];
    if (c->v[k].end.v) {
      define_result(s, w, c->v[k].end);
    } else {
      w->opaque = true;
      w->how = sp_format(s->ctx, "%s; no closed form was found for it", why);
      s->stats.unrelated++;
    }
  }
}

static bool close_distributed(sp_state *s, const sp_node *node,
                              const loop_shape *shape, spi_closing *c) {
  if (shape->trips < 2) {
    return false;
  }
  *c = closing_of(s, shape);
  for (uint32_t k = 0; k < shape->n; k++) {
    c->v[k].first = raw_of(s, node->in[k]);
  }
  if (!ends_as_said(s, node, shape, c->step) || !walk_body(s, node, shape, c)) {
    return false;
  }
  sp_prover_about(s->prover,
                  sp_format(s->ctx, "closed form of %s", node->name));
  spi_loop_close(c);
  return true;
}

bool spi_loop_alone(sp_state *s, const sp_node *node, const loop_shape *shape,
                    bool whole, const char *why) {
  spi_closing c;
  if (!close_distributed(s, node, shape, &c)) {
    return false;
  }
  uint32_t closed, open;
  count_closed(s, node, &c, &closed, &open);
  if (closed == 0 || (open && whole)) {
    return false;
  }
  define_results(s, node, &c, why);
  return true;
}

bool spi_loop_rest(sp_state *s, const sp_node *node, const loop_shape *shape,
                   const bool *open) {
  spi_closing c;
  if (!close_distributed(s, node, shape, &c)) {
    return false;
  }
  bool all = true;
  for (uint32_t k = 0; k < c.n; k++) {
    dist_tensor *w = &s->dist[node->out + k];
    all = all && (!open[k] || c.v[k].end.v);
    if (open[k] && c.v[k].end.v) {
      define_result(s, w, c.v[k].end);
      w->opaque = false;
      w->how = NULL;
      s->stats.unrelated--;
    }
  }
  return all;
}

/* ---- sequential ---- */

static sp_state *at_step(sp_state *s, const sp_program *region,
                         const loop_shape *shape, sp_expr step) {
  sp_state *x = spi_substate(s, region, NULL);
  for (uint32_t k = 0; k < shape->n; k++) {
    if (shape->counter[k].known) {
      spi_seq_fix(x, region->params[k],
                  spi_loop_count(x, &shape->counter[k], step));
    }
  }
  spi_seq_refresh(x, MAX_HEAVY);
  return x;
}

static bool condition_is(sp_state *s, const loop_shape *shape, sp_expr step,
                         bool value) {
  sp_state *x = at_step(s, shape->condition, shape, step);
  uint32_t v = shape->condition->results[0];
  if (!spi_seq_defined(x, v)) {
    return false;
  }
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  sp_expr e = spi_seq_read(x, v, NULL, true);
  sp_expr goal = value ? e : sp_not(s->pool, e);
  sp_pool_mode(s->pool, was);
  return sp_prove_holds(s->prover, "loop: condition", goal, (sp_hyps){0});
}

static bool counters_hold(sp_state *s, const sp_node *node,
                          const loop_shape *shape, sp_state *body,
                          sp_expr step) {
  sp_pool *p = s->pool;
  bool ok = true;
  sp_mode was = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  for (uint32_t k = 0; k < shape->n && ok; k++) {
    const loop_counter *c = &shape->counter[k];
    uint32_t v = shape->body->results[k];
    if (c->known) {
      sp_expr next = spi_loop_count(s, c, sp_iaddc(p, step, 1));
      ok = sp_prove_equal(s->prover, sp_int(p, c->first),
                          spi_seq_read(s, node->in[k], NULL, true),
                          (sp_hyps){0}) &&
           spi_seq_defined(body, v) &&
           sp_prove_equal(s->prover, next, spi_seq_read(body, v, NULL, true),
                          (sp_hyps){0});
    }
  }
  sp_pool_mode(p, was);
  return ok;
}

static void name_seq(sp_state *s, const sp_node *node, const loop_shape *shape,
                     sp_state *body, spi_closing *c) {
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  for (uint32_t k = 0; k < shape->n; k++) {
    uint32_t in = shape->body->params[k], out = shape->body->results[k];
    spi_carried *x = &c->v[k];
    x->sym = body->seq[in].sym;
    x->idx = s->seq[node->out + k].idx;
    x->n = s->seq_program->tensors[node->out + k].shape.n_dims;
    x->first = spi_seq_symbol(s, node->in[k], x->idx);
    if (shape->counter[k].known) {
      x->at = spi_loop_count(s, &shape->counter[k], c->step);
      x->end = spi_loop_count(s, &shape->counter[k], sp_int(s->pool, c->trips));
    } else if (spi_seq_defined(body, out)) {
      x->after = spi_seq_read(body, out, x->idx, true);
    }
  }
  sp_pool_mode(s->pool, was);
}

static int nesting(const sp_state *s) {
  int n = 0;
  for (const sp_state *at = s->parent; at; at = at->parent) {
    n++;
  }
  return n;
}

/* The results of a sequential loop, over the names of what goes in. */
static void close_sequential(sp_state *s, const sp_node *node, sp_expr *end) {
  if (nesting(s) >= MAX_NESTED) {
    return;
  }
  loop_shape shape;
  spi_loop_shape_seq(s, node, &shape);
  if (shape.trips < 2) {
    return;
  }
  spi_closing c = closing_of(s, &shape);
  sp_prover_about(s->prover,
                  sp_format(s->ctx, "closed form of %s", node->name));
  if (!condition_is(s, &shape, c.step, true) ||
      !condition_is(s, &shape, sp_int(s->pool, c.trips), false)) {
    return;
  }
  sp_state *body = at_step(s, shape.body, &shape, c.step);
  if (!counters_hold(s, node, &shape, body, c.step)) {
    return;
  }
  c.inner = body->seq[0].sym;
  name_seq(s, node, &shape, body, &c);
  spi_loop_close(&c);
  for (uint32_t k = 0; k < shape.n; k++) {
    end[k] = c.v[k].end;
  }
  for (size_t i = 0; i < body->assumptions.n; i++) {
    spi_assumption(s, body->assumptions.v[i]);
  }
}

typedef struct operands {
  sp_state *s;
  const sp_node *node;
  bool raw;
} operands;

static sp_expr read_operand(void *env, sp_pool *p, sp_expr e) {
  operands *x = env;
  sp_state *s = x->s;
  if (!sp_has_read(p, e)) {
    return e;
  }
  for (uint32_t k = 0; sp_kind_of(p, e) == SP_KIND_READ && k < x->node->n_in;
       k++) {
    uint32_t in = x->node->in[k];
    if (s->seq[in].sym.v == sp_read_sym(p, e).v) {
      sp_expr idx[SP_MAX_DIMS + 1];
      for (uint32_t d = 0; d < sp_n_args(p, e); d++) {
        idx[d] = sp_map(p, sp_arg(p, e, d), read_operand, env);
      }
      return spi_seq_read(s, in, idx, x->raw);
    }
  }
  return (sp_expr){0};
}

static const sp_expr *ends(sp_state *s, uint32_t k) {
  const sp_node *node = &s->seq_program->nodes[k];
  sp_expr **end = &s->loop_end[k];
  if (!*end) {
    *end = sp_alloc_n(s->ctx, node->n_out + 1u, sizeof **end);
    close_sequential(s, node, *end);
  }
  return *end;
}

bool spi_loop_closes(sp_state *s, uint32_t k) {
  const sp_node *node = &s->seq_program->nodes[k];
  const sp_expr *end = ends(s, k);
  for (uint32_t o = 0; o < node->n_out; o++) {
    if (!end[o].v && spi_is_used(s->seq_program, node->out + o)) {
      return false;
    }
  }
  return true;
}

sp_expr spi_loop_element(sp_state *s, uint32_t t, bool raw) {
  const sp_tensor *v = &s->seq_program->tensors[t];
  const sp_node *node = &s->seq_program->nodes[v->node];
  sp_expr e = ends(s, v->node)[v->result];
  if (!e.v) {
    return e;
  }
  operands x = {s, node, raw};
  sp_mode was = sp_pool_mode(s->pool, raw ? SP_MODE_RAW_INDEX : SP_MODE_NORMAL);
  e = sp_map(s->pool, e, read_operand, &x);
  sp_pool_mode(s->pool, was);
  return raw ? e : sp_simplify(s->pool, e);
}
