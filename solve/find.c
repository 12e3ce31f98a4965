/* find.c: the ways to the sequential tensor that a term equals, cheap ones
 * first. Read spi_look_for, last. */
#include "solve/machine.h"
#include "solve/propagate.h"
#include "solve/scaled.h"
#include "solve/seen.h"

#include <string.h>

/* A loop that is unrolled on the distributed side has more reductions above
 * each other than the sequential program. */
enum { MAX_SEQ_HEAVY = 6 };
/* Candidates that are unfolded lie near the last match; a term that is found by
 * its skeleton is no longer than this. */
enum { WINDOW_BEFORE = 20, WINDOW_AFTER = 120 };
enum { MAX_MONOMIALS = 400, MAX_MULTIPLIED = 10000 };
/* New terms of unfolding that came to nothing, in all: where it does not help
 * again and again it will not. */
enum { MAX_IN_VAIN = 1000000 };

static void expand_candidates(sp_state *s) {
  for (uint32_t t = 0; t < s->seq_program->n_tensors; t++) {
    seq_tensor *v = &s->seq[t];
    if (v->def.v && !v->opaque && !v->expanded.v &&
        sp_sort_of(s->pool, v->def) == SP_SORT_REAL &&
        sp_kind_of(s->pool, v->def) != SP_KIND_READ) {
      v->expanded = spi_expand(s, v->def, false);
      spi_index_add(s, SPI_FORM_EXPANDED, v->expanded, t);
    }
  }
}

static void scale_candidates(sp_state *s) {
  for (uint32_t t = 0; t < s->seq_program->n_tensors; t++) {
    seq_tensor *v = &s->seq[t];
    if (v->def.v && !v->opaque && !v->scaled.v &&
        sp_sort_of(s->pool, v->def) == SP_SORT_REAL &&
        sp_kind_of(s->pool, v->def) != SP_KIND_READ) {
      v->scaled = spi_without_scale(s->pool, v->def, &v->scale);
      spi_index_add(s, SPI_FORM_SCALED, v->scaled, t);
    }
  }
}

/* Multiplied out, unless products of sums make it much longer. */
static sp_expr multiplied(sp_state *s, sp_expr e) {
  uint32_t size = spi_term_size(s->pool, e, MAX_MULTIPLIED);
  return sp_multiply_out(s->pool, e, MAX_MONOMIALS + 4 * size);
}

/* Near the last match, since unfolded terms are larger; as far from it as the
 * distributed program is, which may have a norm for each parameter there. */
static void unfold_candidates(sp_state *s, uint32_t dist) {
  uint32_t from = s->last > WINDOW_BEFORE ? s->last - WINDOW_BEFORE : 0;
  uint32_t gone = dist > s->last_at ? dist - s->last_at : 0;
  uint32_t to = s->last + WINDOW_AFTER + gone;
  for (uint32_t t = from; t < to && t < s->seq_program->n_tensors; t++) {
    seq_tensor *v = &s->seq[t];
    if (!v->def.v || v->opaque || v->unfolded.v ||
        sp_sort_of(s->pool, v->def) != SP_SORT_REAL ||
        sp_kind_of(s->pool, v->def) == SP_KIND_READ) {
      continue;
    }
    sp_expr e = spi_unfold(s, v->def, false);
    e = e.v ? multiplied(s, e) : e;
    v->unfolded = e.v ? e : v->def;
    if (sp_has_red(s->pool, v->unfolded)) {
      spi_index_add(s, SPI_FORM_UNFOLDED, v->unfolded, t);
    }
  }
}

void spi_refresh_for(sp_state *s, uint32_t dist) {
  uint32_t heavy = s->dist[dist].heavy;
  spi_seq_refresh(s, heavy < 1               ? 1
                     : heavy > MAX_SEQ_HEAVY ? MAX_SEQ_HEAVY
                                             : heavy);
}

/* Among the candidates of a form that have the skeleton of the term. */
static bool find_form(sp_state *s, spi_attempt *a, spi_form form,
                      sp_expr term) {
  sp_expr plain = a->term;
  a->form = form;
  a->term = term;
  bool ok = spi_index_visit(s, form, sp_skeleton(s->pool, term),
                            spi_visit_candidate, a);
  a->term = plain;
  a->form = SPI_FORM_PLAIN;
  return ok;
}

/* Is it a polynomial that may be equal to one of another form: with a product
 * or quotient of sums, or of elements one by one? What is of degree one has
 * pieces. */
static bool is_polynomial(sp_state *s, sp_expr e, spi_seen *seen) {
  sp_pool *p = s->pool;
  sp_kind kind = sp_kind_of(p, e);
  if (sp_sort_of(p, e) != SP_SORT_REAL || kind == SP_KIND_RED ||
      spi_seen_before(seen, e)) {
    return false;
  }
  uint32_t sums = 0, n = sp_n_args(p, e);
  for (uint32_t i = 0; i < n; i++) {
    sums += sp_has_red(p, sp_arg(p, e, i));
  }
  bool found = kind == SP_KIND_MUL && sums > 1;
  if (kind == SP_KIND_ADD && n > 1 && !sp_has_red(p, e)) {
    uint64_t last = sp_skeleton(p, sp_arg(p, e, n - 1));
    found = sp_skeleton(p, sp_arg(p, e, n - 2)) == last;
  }
  for (uint32_t i = 0; i < n && !found; i++) {
    found = is_polynomial(s, sp_arg(p, e, i), seen);
  }
  return found;
}

static bool worth_values(sp_state *s, sp_expr e) {
  sp_mark mark = sp_scratch_mark(s->ctx);
  spi_seen seen = {.ctx = s->ctx};
  bool worth = is_polynomial(s, e, &seen);
  sp_scratch_release(s->ctx, mark);
  return worth;
}

/* The same with reductions unfolded; polynomials by values, too. */
static bool find_unfolded_now(sp_state *s, spi_attempt *a) {
  sp_expr wide = spi_unfold(s, a->term, false);
  if (!wide.v || sp_sort_of(s->pool, wide) != SP_SORT_REAL) {
    return false;
  }
  unfold_candidates(s, a->dist);
  sp_expr out = multiplied(s, wide);
  a->unfolds = out.v != a->term.v;
  if (out.v && find_form(s, a, SPI_FORM_UNFOLDED, out)) {
    return true;
  }
  if (out.v && !worth_values(s, out)) {
    return false;
  }
  spi_attempt by_value = *a;
  by_value.form = SPI_FORM_UNFOLDED;
  by_value.term = out.v ? out : wide;
  bool ok = spi_try_placements(s, &by_value);
  if (ok) {
    a->seq = by_value.seq;
    memcpy(a->phi, by_value.phi, sizeof a->phi);
  }
  return ok;
}

static bool find_unfolded(sp_state *s, spi_attempt *a) {
  sp_state *top = s;
  while (top->parent) {
    top = top->parent;
  }
  if (top->unfolding > MAX_IN_VAIN) {
    return false;
  }
  size_t before = sp_pool_size(s->pool);
  bool ok = find_unfolded_now(s, a);
  top->unfolding += ok ? 0 : sp_pool_size(s->pool) - before;
  return ok;
}

/* A number times a sequential tensor: what follows from the mean over a part
 * of a batch. */
static bool visit_scaled(sp_state *s, uint32_t t, void *env) {
  spi_attempt *a = env;
  sp_num scale = a->scale, of = s->seq[t].scale;
  if (sp_num_eq(scale, of)) {
    return false; /* was tried as it is */
  }
  a->scale = sp_num_mul(s->pool, scale, sp_num_inv(s->pool, of));
  bool ok = spi_visit_candidate(s, t, a);
  a->scale = ok ? a->scale : scale;
  return ok;
}

static bool find_scaled(sp_state *s, spi_attempt *a) {
  spi_attempt x = *a;
  x.form = SPI_FORM_SCALED;
  x.term = spi_without_scale(s->pool, a->term, &x.scale);
  scale_candidates(s);
  if (!spi_index_visit(s, x.form, sp_skeleton(s->pool, x.term), visit_scaled,
                       &x)) {
    return false;
  }
  a->seq = x.seq;
  a->scale = x.scale;
  memcpy(a->phi, x.phi, sizeof a->phi);
  return true;
}

typedef bool way(sp_state *s, spi_attempt *a);

static bool find_plain(sp_state *s, spi_attempt *a) {
  return find_form(s, a, SPI_FORM_PLAIN, a->term);
}

static bool find_expanded(sp_state *s, spi_attempt *a) {
  expand_candidates(s);
  return find_form(s, a, SPI_FORM_EXPANDED, spi_expand(s, a->term, false));
}

/* One way after the other, while something can still be proved. */
static bool find_by(sp_state *s, spi_attempt *a, way *const ways[], size_t n) {
  for (size_t i = 0; i < n && !sp_prover_late(s->prover); i++) {
    if (ways[i](s, a)) {
      return true;
    }
  }
  return false;
}

bool spi_look_for(sp_state *s, spi_attempt *a) {
  static way *const cheap[] = {find_plain, find_scaled};
  static way *const long_ones[] = {find_expanded, spi_try_placements,
                                   find_unfolded, spi_find_quotient};
  enum { N_CHEAP = sizeof cheap / sizeof *cheap };
  enum { N_LONG = sizeof long_ones / sizeof *long_ones };
  spi_refresh_for(s, a->dist);
  if (find_by(s, a, cheap, N_CHEAP)) {
    return true;
  }
  if (s->dist_program->tensors[a->dist].on) { /* what ranks add up */
    sp_expr joined = spi_adjacent_sums_inside(s->pool, a->term);
    bool changed = joined.v != a->term.v;
    a->term = joined;
    if (changed && find_by(s, a, cheap, N_CHEAP)) {
      return true;
    }
  }
  if (!s->vain) {
    return find_by(s, a, long_ones, N_LONG);
  }
  uint64_t key = spi_vain_key(s->vain, a->term, a->hyps);
  if (spi_vain_again(s->vain, key)) {
    return false;
  }
  bool ok = find_by(s, a, long_ones, N_LONG);
  spi_vain_note(s->vain, key, ok);
  return ok;
}
