/* outputs.c: the promised relation of every result, and the frontier where it
 * is not proved. */
#include "solve/state.h"

bool spi_promise_holds(sp_state *s, uint32_t v, uint32_t w,
                       const sp_expr *phi, sp_expr guard) {
  const dist_tensor *d = &s->dist[w];
  sp_hyps hyps = {0};
  if (!sp_is_true(s->pool, guard)) {
    hyps = spi_hyps_with(s->prover, hyps, guard);
  }
  sp_prover_about(s->prover,
                  sp_format(s->ctx, "result %s = %s",
                            s->dist_program->tensors[w].name,
                            s->seq_program->tensors[v].name));
  spi_seq_refresh(s, 4);
  if (!spi_seq_defined(s, v)) {
    return false;
  }
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  sp_expr want = spi_seq_read(s, v, phi, true);
  sp_expr got = d->relation.v ? d->relation : spi_dist_raw(s, w);
  /* The two sides may name different intermediate results. */
  bool ok = sp_prove_equal(s->prover, want, got, hyps) ||
            sp_prove_equal(s->prover, spi_expand(s, want, true),
                           spi_expand(s, got, true), hyps);
  sp_pool_mode(s->pool, was);
  return ok;
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
  } else if (x->layout->partial != SP_PARTIAL_NONE) {
    out->why = "a promise of partial results is not checked yet";
  } else {
    sp_expr phi[SP_MAX_DIMS], guard;
    spi_layout_map(s, x->layout, &global->shape, s->dist[x->dist].idx, phi,
                   &guard);
    out->proved = spi_promise_holds(s, x->seq, x->dist, phi, guard);
  }
  out->relation = spi_relation_text(s, x->dist);
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
