/* loop.c: induction. Read spi_loop_relate, then prove_step_kept. */
#include "solve/loop.h"
#include "solve/loop_apart.h"
#include "solve/loop_invariant.h"
#include "solve/loop_partial.h"
#include "solve/machine.h"

#include <string.h>

enum { MAX_CHOICES = 6, MAX_PARTIAL = 8, MAX_GROUPS = 4, MAX_ROUNDS = 24 };

/* Carried tensor k of the distributed loop is scale times carried tensor `seq`
 * of the sequential one at phi, where guard; or its sum over the group is. */
typedef struct choice {
  uint32_t seq;
  sp_expr phi[SP_MAX_DIMS];
  sp_expr guard;
  const sp_groups *groups; /* NULL: no sum */
  int64_t scale;           /* 0: 1 */
} choice;

typedef struct carried {
  uint32_t n, now; /* choices; now == n: none is left */
  bool partial;    /* sums were added, after the first n_plain */
  uint32_t n_plain;
  sp_expr value; /* never changes, and is this around the loop */
  choice choice[MAX_CHOICES + MAX_PARTIAL];
} carried;

typedef struct loops {
  sp_state *s;
  const sp_node *seq_node, *dist_node;
  loop_shape seq, dist;
  sp_expr step;
  bool lockstep; /* number of steps unknown: the same condition ends both */
  carried *carried;
} loops;

/* ---- choices, each proved before the first step ---- */

static sp_expr junk(sp_state *s, uint32_t t) {
  sp_expr idx[SP_MAX_DIMS + 1];
  idx[0] = s->rank;
  uint32_t n = s->dist_program->tensors[t].shape.n_dims;
  for (uint32_t d = 0; d < n; d++) {
    idx[d + 1] = s->dist[t].idx[d];
  }
  return sp_read(s->pool, s->dist[t].sym, idx);
}

static spi_partial partial_of(const choice *c, uint32_t seq, uint32_t dist) {
  return (spi_partial){seq, dist, c->groups, c->scale, c->phi};
}

static sp_expr scaled(sp_state *s, sp_expr e, int64_t by) {
  return by <= 1 ? e : sp_scale(s->pool, e, sp_num_from_i64(s->pool, by));
}

/* Distributed tensor w is sequential tensor v as c says: proved. */
static bool is_seen(sp_state *s, uint32_t v, uint32_t w, const choice *c) {
  sp_hyps hyps = {0};
  if (!sp_is_true(s->pool, c->guard)) {
    hyps = spi_hyps_with(s->prover, hyps, c->guard);
  }
  if (!spi_seq_defined(s, v)) {
    return false;
  }
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  sp_expr want = scaled(s, spi_seq_read(s, v, c->phi, true), c->scale);
  sp_expr got =
      s->dist[w].relation.v ? s->dist[w].relation : spi_dist_raw(s, w);
  bool ok = sp_probe_equal(s->prover, want, got, hyps) &&
            (sp_prove_equal(s->prover, want, got, hyps) ||
             sp_prove_equal(s->prover, spi_expand(s, want, true),
                            spi_expand(s, got, true), hyps));
  sp_pool_mode(s->pool, was);
  return ok;
}

static bool holds_initially(loops *l, uint32_t k, const choice *c) {
  sp_state *s = l->s;
  uint32_t v = l->seq_node->in[c->seq], w = l->dist_node->in[k];
  sp_prover_about(s->prover, sp_format(s->ctx, "before the loop: %s",
                                       s->dist_program->tensors[w].name));
  if (c->groups) {
    spi_partial sum = partial_of(c, v, w);
    return spi_partial_holds(s, &sum);
  }
  return is_seen(s, v, w, c);
}

static uint32_t most(const carried *x) {
  return x->partial ? x->n_plain + MAX_PARTIAL : MAX_CHOICES;
}

static void add_choice(loops *l, uint32_t k, const choice *c) {
  carried *x = &l->carried[k];
  for (uint32_t i = 0; i < x->n; i++) {
    uint32_t n =
        l->s->seq_program->tensors[l->seq_node->out + c->seq].shape.n_dims;
    if (x->choice[i].seq == c->seq && x->choice[i].groups == c->groups &&
        x->choice[i].scale == c->scale &&
        memcmp(x->choice[i].phi, c->phi, n * sizeof *c->phi) == 0) {
      return;
    }
  }
  if (x->n < most(x) && holds_initially(l, k, c)) {
    x->choice[x->n++] = *c;
  }
}

/* The annotation that the partitioner left on the sequential loop: a hint. */
static void choose_annotated(loops *l, uint32_t k, uint32_t seq) {
  sp_state *s = l->s;
  const sp_tensor *v = &s->seq_program->tensors[l->seq_node->out + seq];
  const sp_tensor *w = &s->dist_program->tensors[l->dist_node->out + k];
  if (!v->sharding || !spi_sharding_fits(v->sharding, &v->shape, &w->shape,
                                         s->dist_program->partitions)) {
    return;
  }
  const char *why;
  const sp_layout *layout = sp_layout_of_sharding(
      s->ctx, v->sharding, &v->shape, &w->shape, s->dist_program->partitions,
      l->dist_node->pos.dump, w->name, &why);
  choice c = {.seq = seq};
  if (layout) {
    spi_layout_map(s, layout, &v->shape, s->dist[l->dist_node->out + k].idx,
                   c.phi, &c.guard);
    add_choice(l, k, &c);
  }
}

/* Every dimension whole or cut by a coordinate that inputs are cut by. */
static void choose_placed(loops *l, uint32_t k, uint32_t seq, uint32_t d,
                          choice *c) {
  sp_state *s = l->s;
  const sp_shape *v = &s->seq_program->tensors[l->seq_node->out + seq].shape;
  const sp_shape *w = &s->dist_program->tensors[l->dist_node->out + k].shape;
  if (l->carried[k].n >= most(&l->carried[k])) {
    return;
  }
  if (d == v->n_dims) {
    add_choice(l, k, c);
    return;
  }
  sp_expr j = s->dist[l->dist_node->out + k].idx[d];
  if (v->dims[d] == w->dims[d]) {
    c->phi[d] = j;
    choose_placed(l, k, seq, d + 1, c);
    return;
  }
  sp_expr guard = c->guard;
  for (size_t i = 0; i < s->cuts.n; i++) {
    const spi_cut *cut = &s->cuts.v[i];
    int64_t over = cut->n * w->dims[d] - v->dims[d]; /* padding of the last */
    if (over >= 0 && over < w->dims[d]) {
      c->phi[d] =
          sp_iadd(s->pool, j, sp_iscale(s->pool, cut->coordinate, w->dims[d]));
      c->guard =
          over == 0
              ? guard
              : sp_and(s->pool, guard,
                       sp_lt(s->pool, c->phi[d], sp_int(s->pool, v->dims[d])));
      choose_placed(l, k, seq, d + 1, c);
      c->guard = guard;
    }
  }
}

static bool may_correspond(const loops *l, uint32_t k, uint32_t seq) {
  const sp_shape *v = &l->s->seq_program->tensors[l->seq_node->out + seq].shape;
  const sp_shape *w = &l->s->dist_program->tensors[l->dist_node->out + k].shape;
  return v->dtype == w->dtype && v->n_dims == w->n_dims &&
         !l->seq.counter[seq].known;
}

static bool is_real(const loops *l, uint32_t k) {
  const sp_program *p = l->s->dist_program;
  return sp_dtype_sort(p->tensors[l->dist_node->out + k].shape.dtype) ==
         SP_SORT_REAL;
}

/* Gradients of a mean over a rank's share are a multiple. */
static void choose_scaled(loops *l, uint32_t k) {
  const sp_groups *groups[MAX_GROUPS];
  uint32_t n = spi_partial_groups(l->s, groups, MAX_GROUPS);
  for (uint32_t i = 0; i < l->seq.n * n; i++) {
    uint32_t seq = (k + i / n) % l->seq.n;
    if (may_correspond(l, k, seq) && is_real(l, k)) {
      choice c = {.seq = seq,
                  .guard = sp_bool(l->s->pool, true),
                  .scale = groups[i % n]->start[1]};
      choose_placed(l, k, seq, 0, &c);
    }
  }
}

static void choose(loops *l, uint32_t k) {
  sp_expr all = sp_bool(l->s->pool, true);
  /* The loops usually carry the same things in the same order. */
  for (uint32_t i = 0; i < l->seq.n; i++) {
    uint32_t seq = (k + i) % l->seq.n;
    if (may_correspond(l, k, seq)) {
      if (!l->s->problem->versions) { /* there both are of one device */
        choose_annotated(l, k, seq);
      }
      choice c = {.seq = seq, .guard = all};
      choose_placed(l, k, seq, 0, &c);
    }
  }
  if (l->carried[k].n == 0) {
    choose_scaled(l, k);
  }
}

/* When nothing plain is kept: addends whose sum over a group is carried. */
static void choose_partial(loops *l, uint32_t k) {
  carried *x = &l->carried[k];
  x->partial = true;
  x->n_plain = x->n;
  const sp_groups *groups[MAX_GROUPS];
  uint32_t n = spi_partial_groups(l->s, groups, MAX_GROUPS);
  sp_expr all = sp_bool(l->s->pool, true);
  for (uint32_t i = 0; i < l->seq.n; i++) {
    uint32_t seq = (k + i) % l->seq.n;
    for (uint32_t g = 0; g < n && may_correspond(l, k, seq); g++) {
      /* sums of addends, and of shares of a mean */
      int64_t size = groups[g]->start[1];
      for (int64_t scale = 1; scale <= size; scale += size - 1) {
        choice c = {
            .seq = seq, .guard = all, .groups = groups[g], .scale = scale};
        choose_placed(l, k, seq, 0, &c);
      }
    }
  }
}

/* ---- one step ---- */

sp_expr spi_loop_count(sp_state *s, const loop_counter *c, sp_expr step) {
  if (c->turns > 0) {
    step = sp_imod(s->pool, sp_idiv(s->pool, step, c->unit), c->turns);
  }
  return sp_iaddc(s->pool, sp_iscale(s->pool, step, c->step), c->first);
}

/* A state for the bodies (or conditions) under the chosen relations, with the
 * step as a term. */
static sp_state *under_relations(loops *l, const sp_program *seq,
                                 const sp_program *dist, sp_expr step) {
  sp_state *x = spi_substate(l->s, seq, dist);
  spi_fix_invariants(l->s, x, &l->seq, l->seq_node, seq);
  for (uint32_t k = 0; k < l->seq.n; k++) {
    if (l->seq.counter[k].known) {
      spi_seq_fix(x, seq->params[k],
                  spi_loop_count(x, &l->seq.counter[k], step));
    }
  }
  for (uint32_t k = 0; k < l->dist.n; k++) {
    uint32_t w = dist->params[k];
    const carried *c = &l->carried[k];
    dist_tensor *d = &x->dist[w];
    if (l->dist.counter[k].known) {
      d->relation = spi_loop_count(x, &l->dist.counter[k], step);
      d->how = "carried: counts steps";
    } else if (c->now < c->n) {
      const choice *now = &c->choice[c->now];
      if (now->groups) {
        d->opaque = true;
        d->how = "carried: addends, their sum assumed at step t";
        sp_push(x->ctx, &x->sums, partial_of(now, seq->params[now->seq], w));
        continue;
      }
      sp_expr read = spi_seq_read(x, seq->params[now->seq], now->phi, false);
      d->relation =
          sp_ite(x->pool, now->guard, scaled(x, read, now->scale), junk(x, w));
      d->how = "carried: assumed at step t";
    } else if (c->value.v && (d->relation = spi_invariant_inside(
                                  l->s, x, &l->seq, l->seq_node, seq, c->value))
                                 .v) {
      d->how = "carried: never changes";
    } else {
      d->opaque = true;
      d->how = "carried: no relation holds before the loop and is kept by it";
    }
  }
  return x;
}

static bool counter_kept(sp_state *x, const loop_counter *c, uint32_t w,
                         sp_expr step) {
  sp_expr next = spi_loop_count(x, c, sp_iaddc(x->pool, step, 1));
  sp_mode was = sp_pool_mode(x->pool, SP_MODE_RAW_INDEX);
  sp_expr got =
      x->dist[w].relation.v ? x->dist[w].relation : spi_dist_raw(x, w);
  bool ok = sp_prove_equal(x->prover, next, got, (sp_hyps){0});
  sp_pool_mode(x->pool, was);
  return ok;
}

/* What the sequential counters are was read off simplified terms. */
static bool seq_counters_start(loops *l) {
  sp_state *s = l->s;
  bool ok = true;
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  sp_prover_about(s->prover, "counters before the sequential loop");
  for (uint32_t k = 0; k < l->seq.n && ok; k++) {
    if (l->seq.counter[k].known) {
      sp_expr got = spi_seq_read(s, l->seq_node->in[k], NULL, true);
      ok = sp_prove_equal(s->prover, sp_int(s->pool, l->seq.counter[k].first),
                          got, (sp_hyps){0});
    }
  }
  sp_pool_mode(s->pool, was);
  return ok;
}

static bool seq_counters_kept(loops *l, sp_state *x) {
  bool ok = true;
  sp_mode was = sp_pool_mode(x->pool, SP_MODE_RAW_INDEX);
  sp_prover_about(x->prover, "counters of the sequential loop");
  for (uint32_t k = 0; k < l->seq.n && ok; k++) {
    if (l->seq.counter[k].known) {
      uint32_t v = l->seq.body->results[k];
      sp_expr next =
          spi_loop_count(x, &l->seq.counter[k], sp_iaddc(x->pool, l->step, 1));
      ok = spi_seq_defined(x, v) &&
           sp_prove_equal(x->prover, next, spi_seq_read(x, v, NULL, true),
                          (sp_hyps){0});
    }
  }
  sp_pool_mode(x->pool, was);
  return ok;
}

static bool relation_kept(loops *l, sp_state *x, uint32_t k) {
  const choice *c = &l->carried[k].choice[l->carried[k].now];
  uint32_t v = l->seq.body->results[c->seq];
  uint32_t w = l->dist.body->results[k];
  sp_prover_about(x->prover, sp_format(x->ctx, "kept by the loop: %s",
                                       x->dist_program->tensors[w].name));
  if (c->groups) {
    spi_partial sum =
        partial_of(c, l->seq.body->params[c->seq], l->dist.body->params[k]);
    return spi_partial_kept(x, &sum, v, w);
  }
  spi_seq_refresh(x, 4);
  return is_seen(x, v, w, c);
}

/* Propagate through the bodies; advance the choice of every carried tensor
 * whose relation is not kept. True when all are kept. */
static bool prove_step_kept(loops *l, sp_state **bodies) {
  sp_state *x = under_relations(l, l->seq.body, l->dist.body, l->step);
  *bodies = x;
  spi_propagate(x);
  bool all = true;
  for (uint32_t k = 0; k < l->dist.n; k++) {
    carried *c = &l->carried[k];
    if (l->dist.counter[k].known) {
      if (!counter_kept(x, &l->dist.counter[k], l->dist.body->results[k],
                        l->step)) {
        l->dist.counter[k].known = false;
        all = false;
      }
    } else if (c->now < c->n && !relation_kept(l, x, k)) {
      c->now++;
      if (c->now == c->n && !c->partial) {
        choose_partial(l, k);
      }
      all = false;
    }
  }
  return all;
}

/* ---- the same number of steps ---- */

static bool condition_is(loops *l, sp_expr step, bool value) {
  sp_state *x = under_relations(l, l->seq.condition, l->dist.condition, step);
  spi_propagate(x);
  spi_seq_refresh(x, 4);
  uint32_t v = l->seq.condition->results[0];
  uint32_t w = l->dist.condition->results[0];
  if (!spi_seq_defined(x, v)) {
    return false;
  }
  sp_mode was = sp_pool_mode(x->pool, SP_MODE_RAW_INDEX);
  sp_expr a = spi_seq_read(x, v, NULL, true);
  sp_expr b = x->dist[w].relation.v ? x->dist[w].relation : spi_dist_raw(x, w);
  if (!value) {
    a = sp_not(x->pool, a);
    b = sp_not(x->pool, b);
  }
  sp_expr both = sp_and(x->pool, a, b);
  sp_pool_mode(x->pool, was);
  sp_prover_about(x->prover, "the loops make the same number of steps");
  return sp_prove_holds(x->prover, "loop: condition", both, (sp_hyps){0});
}

/* Unknown numbers of steps: the conditions agree at every step. */
static bool conditions_agree(loops *l) {
  sp_state *x =
      under_relations(l, l->seq.condition, l->dist.condition, l->step);
  spi_propagate(x);
  sp_prover_about(x->prover, "the loops end at the same step");
  return spi_promise_holds(x, l->seq.condition->results[0],
                           l->dist.condition->results[0], NULL,
                           sp_bool(x->pool, true));
}

static bool same_steps(loops *l) {
  if (l->lockstep) {
    return conditions_agree(l);
  }
  return (l->dist.trips == 0 || condition_is(l, l->step, true)) &&
         condition_is(l, sp_int(l->s->pool, l->dist.trips), false);
}

/* ---- putting it together ---- */

static void fail(sp_state *s, const sp_node *node, const char *why) {
  for (uint32_t o = 0; o < node->n_out; o++) {
    dist_tensor *w = &s->dist[node->out + o];
    w->opaque = true;
    w->how = why;
    s->stats.unrelated++;
  }
}

static void adopt_results(loops *l) {
  sp_state *s = l->s;
  for (uint32_t k = 0; k < l->dist.n; k++) {
    uint32_t w = l->dist_node->out + k;
    const carried *c = &l->carried[k];
    dist_tensor *d = &s->dist[w];
    d->how = "loop: kept by every step";
    if (l->dist.counter[k].known) {
      d->relation = spi_loop_count(s, &l->dist.counter[k],
                                   sp_int(s->pool, l->dist.trips));
      s->stats.views++;
      continue;
    }
    if (c->now >= c->n && c->value.v) {
      d->relation = c->value;
      d->how = "loop: never changes";
      s->stats.views++;
      continue;
    }
    if (c->now >= c->n) {
      d->opaque = true;
      d->how = "loop: no relation holds before it and is kept by it";
      s->stats.unrelated++;
      continue;
    }
    const choice *now = &c->choice[c->now];
    uint32_t v = l->seq_node->out + now->seq;
    spi_seq_make_anchor(s, v); /* it may have a closed form as well */
    if (now->groups) {
      d->opaque = true;
      d->how = "loop: addends; their sum over a group is kept by every step";
      sp_push(s->ctx, &s->sums, partial_of(now, v, w));
      continue;
    }
    sp_expr read = spi_seq_symbol(s, v, now->phi);
    d->relation =
        sp_ite(s->pool, now->guard, scaled(s, read, now->scale), junk(s, w));
    d->seq = v + 1;
    s->last = v > s->last ? v : s->last;
    s->stats.matched++;
  }
}

static bool all_related(const loops *l, bool used) {
  for (uint32_t k = 0; k < l->dist.n; k++) {
    const carried *c = &l->carried[k];
    bool asked =
        !used || spi_is_used(l->s->dist_program, l->dist_node->out + k);
    if (asked && !l->dist.counter[k].known && c->now >= c->n && !c->value.v) {
      return false;
    }
  }
  return true;
}

static bool bodies_fit(const loop_shape *x) {
  return x->condition && x->body && x->condition->n_results == 1 &&
         x->condition->n_params == x->n && x->body->n_params == x->n &&
         x->body->n_results == x->n;
}

static const char *steps_differ(const loops *l) {
  sp_ctx *ctx = l->s->ctx;
  if (l->seq.trips < 0) {
    return sp_format(ctx, "sequential loop: %s", l->seq.why);
  }
  if (l->dist.trips < 0) {
    return l->dist.why;
  }
  return sp_format(ctx, "the sequential loop makes %lld steps, this one %lld",
                   (long long)l->seq.trips, (long long)l->dist.trips);
}

/* Loops in the sequential body, where the distributed one has none: unrolled in
 * the body; NULL: none. That they make so many steps is yet to be proved. */
static const spi_apart *take_body_apart(loops *l) {
  if (!spi_has_loop(l->seq.body) || spi_has_loop(l->dist.body) ||
      l->s->problem->ranked) {
    return NULL;
  }
  const spi_apart *a = spi_region_apart(spi_substate(l->s, l->seq.body, NULL));
  l->seq.body = a ? a->program : l->seq.body;
  return a;
}

/* Try one sequential loop; true when it is the counterpart. */
static bool relate_to(loops *l, const char **why) {
  sp_state *s = l->s;
  spi_loop_shape_seq(s, l->seq_node, &l->seq);
  if (!bodies_fit(&l->seq)) {
    return false;
  }
  if (l->seq.trips != l->dist.trips) {
    *why = steps_differ(l);
    return false;
  }
  l->lockstep = l->dist.trips < 0;
  if (l->lockstep) { /* what counts steps is carried like the rest */
    memset(l->seq.counter, 0, l->seq.n * sizeof *l->seq.counter);
    memset(l->dist.counter, 0, l->dist.n * sizeof *l->dist.counter);
  }
  if (!seq_counters_start(l)) {
    *why = "the counters of the sequential loop were not proved";
    return false;
  }
  const spi_apart *apart = take_body_apart(l);
  l->carried = sp_alloc_n(s->ctx, l->dist.n + 1u, sizeof *l->carried);
  for (uint32_t k = 0; k < l->dist.n; k++) {
    if (!l->dist.counter[k].known) {
      choose(l, k);
      if (l->carried[k].n == 0 && spi_is_invariant(&l->dist, k)) {
        l->carried[k].value = spi_invariant_value(s, l->dist_node->in[k]);
      }
    }
  }
  l->step =
      sp_var(s->pool, SP_VAR_STEP, "t", l->dist.trips > 0 ? l->dist.trips : 1);
  sp_state *bodies = NULL;
  bool kept = false;
  for (int round = 0; round < MAX_ROUNDS && !kept; round++) {
    kept = prove_step_kept(l, &bodies);
  }
  kept = kept && seq_counters_kept(l, bodies) &&
         (!apart || spi_apart_proved(bodies, apart));
  spi_keep_substate(s, bodies, l->dist_node->name);
  if (!kept) {
    *why = "no relations of the carried tensors were found that the body "
           "keeps";
    return false;
  }
  if (!same_steps(l)) {
    *why = l->lockstep
               ? l->dist.why
               : "the loops were not proved to make the same number of steps";
    return false;
  }
  return true;
}

/* Results without a relation may have a closed form by themselves: what a loop
 * keeps for its backward pass, block by block. True: all of them. */
static bool close_rest(loops *l, const loop_shape *shape) {
  bool *open = sp_alloc_n(l->s->ctx, l->dist.n + 1u, sizeof *open);
  bool any = false;
  for (uint32_t k = 0; k < l->dist.n; k++) {
    uint32_t w = l->dist_node->out + k;
    const carried *c = &l->carried[k];
    open[k] = !l->dist.counter[k].known && c->now >= c->n && !c->value.v &&
              spi_is_used(l->s->dist_program, w);
    any = any || open[k];
  }
  return any && spi_loop_rest(l->s, l->dist_node, shape, open);
}

void spi_loop_relate(sp_state *s, const sp_node *node) {
  loops l = {.s = s, .dist_node = node};
  spi_loop_shape_dist(s, node, &l.dist);
  if (!bodies_fit(&l.dist)) {
    fail(s, node, l.dist.why);
    return;
  }
  spi_seq_refresh(s, 2);
  const char *why = "the sequential program has no loop that is left";
  loop_counter *counters = l.dist.counter;
  for (uint32_t k = 0; k < s->seq_program->n_nodes; k++) {
    const sp_node *seq = &s->seq_program->nodes[k];
    if (!spi_is_loop(seq) || s->loop_used[k]) {
      continue;
    }
    l.dist.counter = sp_alloc_n(s->ctx, l.dist.n + 1u, sizeof *l.dist.counter);
    memcpy(l.dist.counter, counters, l.dist.n * sizeof *counters);
    l.seq_node = seq;
    if (relate_to(&l, &why)) {
      loop_shape shape = l.dist;
      shape.counter = counters;
      if (!all_related(&l, true) &&
          spi_loop_alone(s, node, &shape, true, why)) {
        return;
      }
      s->loop_used[k] = all_related(&l, false);
      adopt_results(&l);
      s->loop_used[k] |= close_rest(&l, &shape);
      return;
    }
  }
  l.dist.counter = counters;
  if (l.dist.trips < 0) {
    fail(s, node, l.dist.why);
  } else if (spi_loop_alone(s, node, &l.dist, l.dist.trips <= SPI_UNROLL_MAX,
                            why)) {
    return;
  } else if (l.dist.trips > SPI_UNROLL_MAX) {
    why = sp_format(s->ctx,
                    "%s; it makes %lld steps, and loops without a counterpart "
                    "or closed form are unrolled up to %d",
                    why, (long long)l.dist.trips, SPI_UNROLL_MAX);
    fail(s, node, why);
  } else if (!spi_loop_unroll(s, node, &l.dist)) {
    fail(s, node, why);
  }
}
