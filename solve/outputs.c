/* outputs.c: the promised relation of every result, and the frontier where it
 * is not proved. */
#include "solve/state.h"
#include "solve/witness.h"

/* New terms while one result is proved; reductions in its definition. */
enum { MAX_TERMS = 300000, HEAVY = 4 };

static bool holds(sp_state *s, sp_expr want, sp_expr got, sp_hyps hyps) {
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  /* The two sides may name different intermediate results. */
  bool ok = spi_equal_by_cases(s->prover, want, got, hyps) ||
            sp_prove_equal(s->prover, want, got, hyps) ||
            sp_prove_equal(s->prover, spi_expand(s, want, true),
                           spi_expand(s, got, true), hyps);
  sp_pool_mode(s->pool, was);
  return ok;
}

/* The same, also by the definitions of what the two sides read: a relation may
 * read a tensor elsewhere than promised, or beyond a border. */
static bool holds_opened(sp_state *s, sp_expr want, sp_expr got, sp_hyps hyps) {
  if (holds(s, want, got, hyps)) {
    return true;
  }
  if (sp_prover_late(s->prover)) {
    return false;
  }
  sp_expr x = spi_open(s, want), y = spi_open(s, got);
  return (x.v != want.v || y.v != got.v) && holds(s, x, y, hyps);
}

static sp_hyps under(sp_state *s, sp_expr guard) {
  sp_hyps none = {0};
  return sp_is_true(s->pool, guard) ? none
                                    : spi_hyps_with(s->prover, none, guard);
}

static void about(sp_state *s, uint32_t v, uint32_t w) {
  sp_prover_about(s->prover, sp_format(s->ctx, "result %s = %s",
                                       s->dist_program->tensors[w].name,
                                       s->seq_program->tensors[v].name));
}

bool spi_promise_holds(sp_state *s, uint32_t v, uint32_t w, const sp_expr *phi,
                       sp_expr guard) {
  const dist_tensor *d = &s->dist[w];
  about(s, v, w);
  if (!spi_seq_demand(s, v, HEAVY)) {
    return false;
  }
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  sp_expr want = spi_seq_read(s, v, phi, true);
  sp_expr got = d->relation.v ? d->relation : spi_dist_raw(s, w);
  sp_pool_mode(s->pool, was);
  return holds_opened(s, want, got, under(s, guard));
}

/* The member at position k of this rank's group. */
static sp_expr member_at(sp_state *s, const sp_groups *g, int64_t size,
                         sp_expr k) {
  int64_t ranks = s->dist_program->partitions;
  int64_t *group = sp_alloc_n(s->ctx, (size_t)ranks, sizeof *group);
  for (uint32_t i = 0; i < g->n_groups; i++) {
    for (uint32_t at = g->start[i]; at < g->start[i + 1]; at++) {
      group[g->ids[at]] = i;
    }
  }
  sp_expr mine = sp_table(s->pool, group, ranks, s->rank);
  return sp_table(s->pool, g->ids, ranks,
                  sp_iadd(s->pool, sp_iscale(s->pool, mine, size), k));
}

/* The reduction over the group of what its ranks hold; 0 when the groups are
 * of different sizes. */
static sp_expr reduced(sp_state *s, uint32_t w, const sp_layout *l, bool raw) {
  sp_pool *p = s->pool;
  const sp_groups *g = l->groups;
  int64_t size = g && g->n_groups ? g->start[1] - g->start[0] : 0;
  for (uint32_t i = 0; g && i < g->n_groups; i++) {
    if (g->start[i + 1] - g->start[i] != size) {
      return (sp_expr){0};
    }
  }
  if (size < 1 || size * g->n_groups != s->dist_program->partitions) {
    return (sp_expr){0};
  }
  sp_mode was = sp_pool_mode(p, raw ? SP_MODE_RAW_INDEX : SP_MODE_NORMAL);
  sp_expr k = sp_fresh(p, size);
  sp_expr e =
      spi_dist_read(s, w, member_at(s, g, size, k), s->dist[w].idx, raw);
  static const sp_red_op ops[] = {
      [SP_PARTIAL_SUM] = SP_RED_SUM,   [SP_PARTIAL_AVG] = SP_RED_SUM,
      [SP_PARTIAL_MAX] = SP_RED_MAX,   [SP_PARTIAL_MIN] = SP_RED_MIN,
      [SP_PARTIAL_PROD] = SP_RED_PROD,
  };
  e = spi_by_known_sums(s, sp_red(p, ops[l->partial], 1, &k, e));
  if (l->partial == SP_PARTIAL_AVG) {
    e = sp_scale(p, e, sp_num_ratio(p, 1, size));
  }
  sp_pool_mode(p, was);
  return e;
}

/* Promised as addends (or the like): their reduction is the sequential value.
 */
static bool partial_holds(sp_state *s, const sp_placed *x, const sp_expr *phi) {
  about(s, x->seq, x->dist);
  sp_expr got = reduced(s, x->dist, x->layout, true);
  if (!spi_seq_demand(s, x->seq, HEAVY) || !got.v) {
    return false;
  }
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  sp_expr want = spi_seq_read(s, x->seq, phi, true);
  sp_pool_mode(s->pool, was);
  return holds_opened(s, want, got, (sp_hyps){0});
}

static void check_result(sp_state *s, uint32_t k, sp_report_output *out) {
  const sp_placed *x = &s->problem->promised[k];
  const sp_tensor *global = &s->seq_program->tensors[x->seq];
  const sp_tensor *local = &s->dist_program->tensors[x->dist];
  out->index = k;
  out->name = local->name;
  out->shape = sp_shape_text(s->ctx, &local->shape);
  out->promised = x->layout ? x->layout->text : "nothing";
  if (!x->layout) {
    out->why = x->why;
  } else if (sp_prover_late(s->prover)) {
    out->why = spi_why_late(s);
  } else {
    sp_prover_effort(s->prover, MAX_TERMS);
    sp_prover_thorough(s->prover, true);
    sp_expr phi[SP_MAX_DIMS], guard;
    spi_layout_map(s, x->layout, &global->shape, s->dist[x->dist].idx, phi,
                   &guard);
    out->proved = x->layout->partial != SP_PARTIAL_NONE
                      ? partial_holds(s, x, phi)
                      : spi_promise_holds(s, x->seq, x->dist, phi, guard);
    sp_prover_thorough(s->prover, false);
    sp_prover_effort(s->prover, 0);
  }
  out->relation = spi_relation_text(s, x->dist);
  if (out->proved && !out->relation) {
    out->relation = sp_format(s->ctx, "%s: %s, by its definition", global->name,
                              out->promised);
  }
  if (!out->proved && !out->why) {
    out->why = out->relation
                   ? "the inferred relation was not proved to be the promised "
                     "one"
                   : "no relation was found for it";
  }
}

/* Unrelated tensors that the result depends on without a related one between;
 * of those, the ones whose operands are all related come first in the program
 * and are where the proof stopped. */
static void frontier(sp_state *s, uint32_t w, bool *seen, bool *first) {
  const sp_program *p = s->dist_program;
  SP_VEC(uint32_t) work = {0};
  sp_push(s->ctx, &work, w);
  while (work.n) {
    uint32_t t = work.v[--work.n];
    if (seen[t]) {
      continue;
    }
    seen[t] = true;
    if (s->dist[t].relation.v && t != w) {
      continue;
    }
    const sp_node *node = &p->nodes[p->tensors[t].node];
    bool stops = true;
    for (uint32_t i = 0; i < node->n_in; i++) {
      if (!s->dist[node->in[i]].relation.v) {
        stops = false;
      }
      sp_push(s->ctx, &work, node->in[i]);
    }
    first[t] |= stops;
  }
}

uint32_t spi_first_unrelated(sp_state *s) {
  const sp_program *d = s->dist_program;
  bool *seen = sp_alloc_n(s->ctx, d->n_tensors + 1u, sizeof *seen);
  bool *first = sp_alloc_n(s->ctx, d->n_tensors + 1u, sizeof *first);
  for (uint32_t k = 0; k < d->n_results; k++) {
    if (!s->dist[d->results[k]].relation.v) {
      frontier(s, d->results[k], seen, first);
    }
  }
  for (uint32_t t = 0; t < d->n_tensors; t++) {
    if (first[t]) {
      return t;
    }
  }
  return UINT32_MAX;
}

void spi_outputs(sp_state *s, sp_report *report) {
  const sp_program *d = s->dist_program;
  uint32_t n = (uint32_t)s->problem->n_promised;
  sp_report_output *outputs = sp_alloc_n(s->ctx, n + 1u, sizeof *outputs);
  bool *seen = sp_alloc_n(s->ctx, d->n_tensors + 1u, sizeof *seen);
  bool *first = sp_alloc_n(s->ctx, d->n_tensors + 1u, sizeof *first);
  report->verdict = SP_REFINES;
  for (uint32_t k = 0; k < n; k++) {
    check_result(s, k, &outputs[k]);
    if (!outputs[k].proved) {
      report->verdict = SP_UNPROVEN;
      frontier(s, s->problem->promised[k].dist, seen, first);
    }
  }
  report->n_outputs = n;
  report->outputs = outputs;
  size_t *places = sp_alloc_n(s->ctx, d->n_tensors + 1u, sizeof *places);
  for (uint32_t t = 0; t < d->n_tensors; t++) {
    if (first[t]) {
      places[report->n_frontier++] = t;
    }
  }
  report->frontier = places;
}
