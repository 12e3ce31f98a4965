/* loop_invariant.c: carried tensors that the body hands on as they are.
 *
 * LEMMA. Let the body of a loop return its parameter k as result k. Then
 * carried tensor k is the same before every step and after the last one: its
 * value before the loop. So what it equals there, it equals everywhere, if it
 * is said in terms that do not change either: constants, the rank, and tensors
 * around the loop. In the bodies those tensors have other names: where the
 * sequential loop carries one unchanged, too, it is that loop's parameter.
 *
 * Compilers move what does not depend on the step out of a loop and carry it:
 * masks, tables of angles, products of weights.
 */
#include "solve/loop_invariant.h"

bool spi_is_invariant(const loop_shape *shape, uint32_t k) {
  return shape->body->results[k] == shape->body->params[k];
}

sp_expr spi_invariant_value(sp_state *s, uint32_t initial) {
  dist_tensor *w = &s->dist[initial];
  if (w->relation.v) {
    return w->relation;
  }
  sp_expr e = spi_dist_def(s, initial), raw = spi_dist_raw(s, initial);
  if (w->opaque) {
    return (sp_expr){0};
  }
  sp_prover_about(s->prover, sp_format(s->ctx, "carried unchanged: %s",
                                       s->dist_program->tensors[initial].name));
  return sp_prove_equal(s->prover, raw, e, (sp_hyps){0}) ? e : (sp_expr){0};
}

/* Names of the sequential program around the loop to those in a region. */
typedef struct renaming {
  sp_state *outer, *inner;
  const loop_shape *seq;
  const sp_node *seq_node;
  const sp_program *region;
  bool failed;
} renaming;

/* The region's parameter with that tensor's value, or SP_NO_TENSOR. */
static uint32_t parameter_of(const renaming *r, sp_sym sym) {
  for (uint32_t k = 0; k < r->seq->n; k++) {
    uint32_t v = r->seq_node->in[k];
    const seq_tensor *t = &r->outer->seq[v];
    uint32_t anchor = t->alias ? t->alias - 1 : v;
    if ((t->anchor || t->alias) && r->outer->seq[anchor].sym.v == sym.v &&
        spi_is_invariant(r->seq, k)) {
      return r->region->params[k];
    }
  }
  return SP_NO_TENSOR;
}

static sp_expr rename_read(void *env, sp_pool *p, sp_expr e) {
  renaming *r = env;
  if (r->failed || !sp_has_read(p, e)) {
    return e;
  }
  if (sp_kind_of(p, e) != SP_KIND_READ ||
      sp_sym_is_table(p, sp_read_sym(p, e))) {
    return (sp_expr){0};
  }
  uint32_t t = parameter_of(r, sp_read_sym(p, e));
  if (t == SP_NO_TENSOR) {
    r->failed = true;
    return e;
  }
  uint32_t n = sp_n_args(p, e);
  sp_mark mark = sp_scratch_mark(r->outer->ctx);
  sp_expr *idx = sp_scratch(r->outer->ctx, (n + 1) * sizeof *idx);
  for (uint32_t i = 0; i < n; i++) {
    idx[i] = sp_map(p, sp_arg(p, e, i), rename_read, env);
  }
  sp_expr read = sp_read(p, r->inner->seq[t].sym, idx);
  sp_scratch_release(r->outer->ctx, mark);
  return read;
}

static sp_expr renamed(renaming r, sp_expr e) {
  e = sp_map(r.outer->pool, e, rename_read, &r);
  return r.failed ? (sp_expr){0} : e;
}

sp_expr spi_invariant_inside(sp_state *outer, sp_state *inner,
                             const loop_shape *seq, const sp_node *seq_node,
                             const sp_program *region, sp_expr value) {
  renaming r = {outer, inner, seq, seq_node, region, false};
  sp_expr e = renamed(r, value);
  if (e.v) {
    return e;
  }
  /* A tensor around the loop may be computed from what has a name inside. */
  sp_expr wide = spi_expand(outer, value, false);
  if (wide.v == value.v) {
    return e;
  }
  sp_mode was = sp_pool_mode(outer->pool, SP_MODE_RAW_INDEX);
  bool same = sp_prove_equal(outer->prover, spi_expand(outer, value, true),
                             wide, (sp_hyps){0});
  sp_pool_mode(outer->pool, was);
  return same ? renamed(r, wide) : e;
}

void spi_fix_invariants(sp_state *outer, sp_state *inner, const loop_shape *seq,
                        const sp_node *seq_node, const sp_program *region) {
  for (uint32_t k = 0; k < seq->n; k++) {
    uint32_t v = seq_node->in[k], t = region->params[k];
    if (seq->counter[k].known || !spi_is_invariant(seq, k) ||
        !spi_seq_defined(outer, v)) {
      continue;
    }
    const sp_expr *idx = inner->seq[t].idx;
    sp_expr e = spi_seq_read(outer, v, idx, false);
    if (sp_has_read(outer->pool, e) || sp_has_red(outer->pool, e)) {
      continue;
    }
    sp_mode was = sp_pool_mode(outer->pool, SP_MODE_RAW_INDEX);
    sp_prover_about(outer->prover,
                    sp_format(outer->ctx, "carried unchanged: %s",
                              outer->seq_program->tensors[v].name));
    if (sp_prove_equal(outer->prover, spi_seq_read(outer, v, idx, true), e,
                       (sp_hyps){0})) {
      spi_seq_fix(inner, t, e);
    }
    sp_pool_mode(outer->pool, was);
  }
}
