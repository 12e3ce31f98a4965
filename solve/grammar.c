/* grammar.c: candidates from the placement grammar.
 *
 * Where the two sides compute one tensor by terms of different structure (a
 * halo exchange against a padded read), no skeleton matches. Then a tensor of
 * fitting shape near the last match, placed by a coordinate that some input is
 * cut by, is compared at a few points by evaluation, and proved if they agree.
 */
#include "solve/state.h"

enum { WINDOW_BEFORE = 20, WINDOW_AFTER = 120, MAX_TRIED = 24 };

/* Node visits at one point; of unfolded terms, which run over what they reduce.
 */
static const uint64_t BUDGET = 40000, BUDGET_UNFOLDED = 150000;

typedef struct search {
  sp_state *s;
  spi_attempt *a;
  uint64_t budget;
  sp_probe_values want;
  uint32_t seq;
  uint32_t tried;
} search;

static bool plausible(search *x) {
  const seq_tensor *v = &x->s->seq[x->seq];
  uint32_t n = x->s->seq_program->tensors[x->seq].shape.n_dims;
  sp_expr term = spi_seq_form(x->s, x->seq, x->a->form);
  sp_expr moved = sp_subst(x->s->pool, term, n, v->idx, x->a->phi);
  x->tried++;
  return sp_probe_like(x->s->prover, moved, x->budget, &x->want);
}

/* All placements of dimensions d, d+1, ...; true when one was proved. */
static bool place(search *x, uint32_t d) {
  sp_state *s = x->s;
  const sp_shape *global = &s->seq_program->tensors[x->seq].shape;
  const sp_shape *local = &s->dist_program->tensors[x->a->dist].shape;
  if (d == global->n_dims) {
    return plausible(x) && spi_prove_step(s, x->a, x->seq);
  }
  sp_expr j = s->dist[x->a->dist].idx[d];
  int64_t size = global->dims[d], block = local->dims[d];
  if (size == block) {
    x->a->phi[d] = j;
    return place(x, d + 1);
  }
  for (size_t i = 0; i < s->cuts.n && x->tried < MAX_TRIED; i++) {
    if (s->cuts.v[i].n * block == size) {
      x->a->phi[d] = sp_iadd(
          s->pool, j, sp_iscale(s->pool, s->cuts.v[i].coordinate, block));
      if (place(x, d + 1)) {
        return true;
      }
    }
  }
  uint32_t on = s->dist_program->tensors[x->a->dist].on;
  for (size_t i = 0; on && i < s->offsets.n && x->tried < MAX_TRIED; i++) {
    const spi_offset *o = &s->offsets.v[i];
    if (o->on == on && o->size == size && o->block == block) {
      x->a->phi[d] = sp_iaddc(s->pool, j, o->at);
      if (place(x, d + 1)) {
        return true;
      }
    }
  }
  return false;
}

static bool shapes_fit(const sp_state *s, const sp_shape *global,
                       const sp_tensor *w) {
  const sp_shape *local = &w->shape;
  if (global->n_dims != local->n_dims || global->dtype != local->dtype) {
    return false;
  }
  for (uint32_t d = 0; d < global->n_dims; d++) {
    bool fits = global->dims[d] == local->dims[d];
    for (size_t i = 0; i < s->cuts.n && !fits; i++) {
      fits = s->cuts.v[i].n * local->dims[d] == global->dims[d];
    }
    for (size_t i = 0; w->on && i < s->offsets.n && !fits; i++) {
      const spi_offset *o = &s->offsets.v[i];
      fits = o->on == w->on && o->size == global->dims[d] &&
             o->block == local->dims[d];
    }
    if (!fits) {
      return false;
    }
  }
  return true;
}

bool spi_try_placements(sp_state *s, spi_attempt *a) {
  bool plain = a->form == SPI_FORM_PLAIN;
  search x = {.s = s, .a = a, .budget = plain ? BUDGET : BUDGET_UNFOLDED};
  if (!sp_probe(s->prover, a->term, a->hyps, x.budget, &x.want)) {
    return false;
  }
  const sp_tensor *w = &s->dist_program->tensors[a->dist];
  uint32_t from = s->last > WINDOW_BEFORE ? s->last - WINDOW_BEFORE : 0;
  uint32_t to = s->last + WINDOW_AFTER;
  for (uint32_t t = from; t < to && t < s->seq_program->n_tensors; t++) {
    const seq_tensor *v = &s->seq[t];
    if (!v->def.v || v->opaque || !spi_seq_form(s, t, a->form).v ||
        sp_kind_of(s->pool, v->def) == SP_KIND_READ ||
        !sp_has_read(s->pool, v->def) ||
        !shapes_fit(s, &s->seq_program->tensors[t].shape, w)) {
      continue;
    }
    x.seq = t;
    if (place(&x, 0)) {
      a->seq = t;
      return true;
    }
    if (x.tried >= MAX_TRIED) {
      return false;
    }
  }
  return false;
}
