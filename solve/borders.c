/* borders.c: a tensor on the sides of borders: beyond padding, on the first or
 * the last rank, on each stage of a pipeline. Read spi_relate_inside, last. */
#include "solve/propagate.h"
#include "solve/seen.h"

enum { MAX_GUARDS = 4, MAX_SIDES = 16 };

/* Conditions on the rank and local indices alone: borders of padding. */
static uint32_t border_conditions(const sp_state *s, sp_expr e, sp_expr *out,
                                  uint32_t n, spi_seen *seen) {
  sp_pool *p = s->pool;
  if (n >= MAX_GUARDS || spi_seen_before(seen, e)) {
    return n;
  }
  if (sp_kind_of(p, e) == SP_KIND_ITE) {
    sp_expr c = sp_arg(p, e, 0);
    bool plain = !sp_has_read(p, c) && !sp_has_red(p, c);
    const sp_expr *vars;
    uint32_t k = sp_free_vars(p, c, &vars);
    for (uint32_t i = 0; i < k && plain; i++) {
      sp_var_class class = sp_var_class_of(p, vars[i]);
      plain =
          class == SP_VAR_INDEX || class == SP_VAR_RANK || class == SP_VAR_STEP;
    }
    for (uint32_t i = 0; i < n && plain; i++) {
      plain = out[i].v != c.v;
    }
    if (plain) {
      out[n++] = c;
    }
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    n = border_conditions(s, sp_arg(p, e, i), out, n, seen);
  }
  return n;
}

/* One side of a border, where the tensor is related: proved. */
typedef struct inside {
  sp_expr guard, relation;
} inside;

/* Under hyps the tensor is term: a side of a border of term on which it is
 * related. What is left of the term beyond it comes back in *term. */
static bool relate_side(sp_state *s, uint32_t t, sp_hyps hyps, sp_expr *term,
                        spi_attempt *a, inside *out) {
  sp_expr border[MAX_GUARDS];
  sp_mark mark = sp_scratch_mark(s->ctx);
  spi_seen seen = {.ctx = s->ctx};
  uint32_t n = border_conditions(s, *term, border, 0, &seen);
  sp_scratch_release(s->ctx, mark);
  for (uint32_t i = 0; i < 2 * n && !sp_prover_late(s->prover); i++) {
    bool value = i % 2 == 0;
    sp_expr c = border[i / 2];
    *a = (spi_attempt){.dist = t, .term = sp_assume(s->pool, *term, c, value)};
    out->guard = value ? c : sp_not(s->pool, c);
    a->hyps = spi_hyps_with(s->prover, hyps, out->guard);
    a->raw = spi_dist_raw(s, t);
    if (!spi_is_clean(s, a->term, 0) && spi_look_for(s, a) &&
        !sp_prove_never(s->prover, "border: no such side", out->guard, hyps)) {
      out->relation = spi_anchor_at(s, a);
      *term = sp_assume(s->pool, *term, c, !value);
      return true;
    }
  }
  return false;
}

/* Beyond all borders the tensor is rest: related, too, or unspecified (none,
 * where that is not allowed). */
static sp_expr relate_rest(sp_state *s, uint32_t t, sp_hyps hyps,
                           sp_expr rest) {
  const dist_tensor *w = &s->dist[t];
  spi_attempt a = {
      .dist = t, .term = rest, .raw = spi_dist_raw(s, t), .hyps = hyps};
  if (spi_is_clean(s, rest, 0)) {
    sp_prover_about(s->prover, s->dist_program->tensors[t].name);
    if (sp_prove_equal(s->prover, a.raw, rest, hyps)) {
      return rest;
    }
  } else if (spi_look_for(s, &a)) {
    return spi_anchor_at(s, &a);
  }
  if (!s->in_part) {
    return (sp_expr){0};
  }
  *s->in_part = true;
  sp_expr idx[SP_MAX_DIMS + 1];
  idx[0] = s->rank;
  for (uint32_t d = 0; d < s->dist_program->tensors[t].shape.n_dims; d++) {
    idx[d + 1] = w->idx[d];
  }
  return sp_read(s->pool, w->sym, idx);
}

/* What was found on one side of a border may hold on both: a last rank whose
 * neighbour is missing has another form, and is no exception. */
static bool holds_everywhere(sp_state *s, spi_attempt *a) {
  spi_attempt all = *a;
  all.hyps = (sp_hyps){0};
  all.scale = (sp_num){0};
  all.form = SPI_FORM_PLAIN;
  if (a->scale.v) {
    return false;
  }
  if (spi_prove_step(s, &all, a->seq)) {
    return true;
  }
  all.form = SPI_FORM_EXPANDED;
  return spi_prove_step(s, &all, a->seq);
}

/* The tensor on sides of borders, one after the other: the stages of a
 * pipeline are another sequential tensor on each rank. */
bool spi_relate_inside(sp_state *s, uint32_t t) {
  sp_pool *p = s->pool;
  sp_expr rest = s->dist[t].def;
  uint32_t n = 0;
  inside side[MAX_SIDES];
  spi_attempt a, first = {0};
  sp_hyps beyond = {0};
  while (n < MAX_SIDES && relate_side(s, t, beyond, &rest, &a, &side[n])) {
    if (n == 0 && holds_everywhere(s, &a)) {
      spi_adopt(s, &a, side[0].relation);
      return true;
    }
    beyond = spi_hyps_with(s->prover, beyond, sp_not(p, side[n].guard));
    first = n++ ? first : a;
  }
  if (n == 0) {
    return false;
  }
  sp_expr relation = relate_rest(s, t, beyond, rest);
  if (!relation.v) {
    return false;
  }
  while (n > 0) {
    n--;
    relation = sp_ite(p, side[n].guard, side[n].relation, relation);
  }
  spi_adopt(s, &first, relation);
  return true;
}
