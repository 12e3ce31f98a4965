/* propagate.c: the loop over the distributed program.
 *
 * For each distributed tensor, in order: its term over what is known. A term
 * without arithmetic is its relation. Otherwise look for a sequential tensor
 * whose term has the same skeleton, solve for the index map, prove. What finds
 * no partner is inlined into its users. See docs/proof.md.
 */
#include <string.h>

#include "solve/layers.h"
#include "solve/loop.h"
#include "solve/machine.h"
#include "solve/match.h"
#include "solve/scaled.h"
#include "solve/seen.h"
#include "solve/state.h"

/* MAX_SEQ_HEAVY: a loop that is unrolled on the distributed side has more
 * reductions above each other than the sequential program. */
enum { MAX_GUARDS = 4, MAX_SIDES = 16, MAX_SEQ_HEAVY = 6 };
enum { MAX_CHOICES = 512 }; /* in each other: one for each step of a ring */
/* Candidates that are unfolded lie near the last match; a term that is found by
 * its skeleton is no longer than this. */
enum { WINDOW_BEFORE = 20, WINDOW_AFTER = 120, MAX_MONOMIALS = 400 };
/* New terms while one tensor is related. */
enum { MAX_TERMS = 150000 };
/* New terms of unfolding that came to nothing, in all: where it does not help
 * again and again it will not. */
enum { MAX_IN_VAIN = 1000000 };

/* ---- one candidate ---- */

/* Where runs differ, proving only helps to say where: it gets little time. */
enum { DOUBTED_MS = 30 };
enum { DOUBTED_TERMS = 20000 };
static const double DOUBTED_SECONDS = 0.5;

const char *spi_why_late(const sp_state *s) {
  return sp_prover_full(s->prover)
             ? "not looked at: the proof takes all the memory it may (--memory)"
             : "not looked at: runs show that the programs differ";
}

void spi_hasten(sp_state *s) {
  sp_prover_hurry(s->prover, DOUBTED_MS);
  sp_prover_deadline(s->prover, DOUBTED_SECONDS, DOUBTED_TERMS);
  sp_prover_effort(s->prover, MAX_TERMS);
}

static bool in_bounds(sp_state *s, const sp_tensor *v, const sp_expr *phi,
                      sp_hyps hyps) {
  sp_pool *p = s->pool;
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr goal = sp_bool(p, true);
  for (uint32_t d = 0; d < v->shape.n_dims; d++) {
    goal = sp_and(p, goal, sp_le(p, sp_int(p, 0), phi[d]));
    goal = sp_and(p, goal, sp_lt(p, phi[d], sp_int(p, v->shape.dims[d])));
  }
  sp_pool_mode(p, mode);
  return sp_prove_holds(s->prover, "index map in bounds", goal, hyps);
}

static void attempt_note(sp_state *s, const spi_attempt *a, uint32_t t,
                         const char *what) {
  dist_tensor *w = &s->dist[a->dist];
  if (!w->nearest) {
    w->nearest =
        sp_format(s->ctx, "%s (%s)", s->seq_program->tensors[t].name, what);
  }
}

static bool equal_in_form(sp_state *s, sp_expr lhs, sp_expr rhs,
                          const spi_attempt *a) {
  switch (a->form) {
  case SPI_FORM_EXPANDED:
    lhs = spi_expand(s, lhs, true);
    rhs = spi_expand(s, rhs, true);
    break;
  case SPI_FORM_UNFOLDED:
    return spi_equal_unfolded(s, lhs, rhs, a->hyps);
  case SPI_FORM_SCALED:
    lhs = sp_scale(s->pool, lhs, a->scale);
    break;
  case SPI_FORM_PLAIN:
    break;
  }
  return sp_prove_equal(s->prover, lhs, rhs, a->hyps);
}

/* The step itself: v at phi equals the term, by the raw definitions. */
bool spi_prove_step(sp_state *s, spi_attempt *a, uint32_t t) {
  const sp_tensor *v = &s->seq_program->tensors[t];
  uint32_t n = v->shape.n_dims;
  size_t mark = spi_layers_mark(s->layers);
  spi_layers_open(s->layers, t);
  sp_prover_about(s->prover,
                  sp_format(s->ctx, "%s = %s",
                            s->dist_program->tensors[a->dist].name, v->name));
  if (!in_bounds(s, v, a->phi, a->hyps)) {
    attempt_note(s, a, t, "the index map leaves the tensor");
    spi_layers_reset(s->layers, mark);
    return false;
  }
  sp_expr lhs = spi_seq_raw(s, t), rhs = a->raw;
  sp_mode mode = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  lhs = sp_subst(s->pool, lhs, n, s->seq[t].idx, a->phi);
  bool ok = equal_in_form(s, lhs, rhs, a);
  sp_pool_mode(s->pool, mode);
  if (!ok) {
    attempt_note(s, a, t, "the elements were not proved equal");
    spi_layers_reset(s->layers, mark);
  }
  return ok;
}

/* Index variables that no equation determines: the same place, or 0. */
static void complete_phi(sp_state *s, spi_attempt *a, const sp_tensor *v) {
  const sp_shape *local = &s->dist_program->tensors[a->dist].shape;
  for (uint32_t d = 0; d < v->shape.n_dims; d++) {
    if (sp_kind_of(s->pool, s->seq[v - s->seq_program->tensors].idx[d]) !=
        SP_KIND_VAR) {
      a->phi[d] = sp_int(s->pool, 0);
    } else if (!a->phi[d].v) {
      bool same = local->n_dims == v->shape.n_dims &&
                  local->dims[d] <= v->shape.dims[d];
      a->phi[d] = same ? s->dist[a->dist].idx[d] : sp_int(s->pool, 0);
    }
  }
}

static bool phi_is_local(sp_state *s, const spi_attempt *a, uint32_t n) {
  for (uint32_t d = 0; d < n; d++) {
    const sp_expr *vars;
    uint32_t k = sp_free_vars(s->pool, a->phi[d], &vars);
    for (uint32_t i = 0; i < k; i++) {
      if (sp_var_class_of(s->pool, vars[i]) == SP_VAR_FRESH ||
          sp_var_class_of(s->pool, vars[i]) == SP_VAR_BOUND) {
        return false;
      }
    }
  }
  return true;
}

/* j plus a multiple of something of the rank, in each dimension. */
static bool phi_is_placement(sp_state *s, const spi_attempt *a, uint32_t n) {
  if (n != s->dist_program->tensors[a->dist].shape.n_dims) {
    return false;
  }
  for (uint32_t d = 0; d < n; d++) {
    sp_expr offset = sp_isub(s->pool, a->phi[d], s->dist[a->dist].idx[d]);
    const sp_expr *vars;
    uint32_t k = sp_free_vars(s->pool, offset, &vars);
    if (k > 1 || (k == 1 && vars[0].v != s->rank.v)) {
      return false;
    }
  }
  return true;
}

/* Try the orders in which operands can correspond; only index maps that are
 * placements, or only others: where several maps are right (a symmetric term)
 * a placement is what users, and results, ask for. Whether any order fitted. */
static bool try_orders(sp_state *s, spi_attempt *a, uint32_t t, sp_expr pattern,
                       bool placements) {
  const sp_tensor *v = &s->seq_program->tensors[t];
  uint32_t n = v->shape.n_dims;
  const sp_expr *idx = s->seq[t].idx;
  bool fits = false;
  sp_match m;
  sp_match_init(&m, s->pool);
  do {
    if (!sp_match_run(&m, pattern, a->term, n, idx)) {
      continue;
    }
    fits = true;
    sp_match_solve(&m, n, a->phi);
    complete_phi(s, a, v);
    if (!phi_is_local(s, a, n) || phi_is_placement(s, a, n) != placements) {
      continue;
    }
    sp_expr moved = sp_subst(s->pool, pattern, n, idx, a->phi);
    if (moved.v != a->term.v &&
        !sp_probe_equal(s->prover, moved, a->term, a->hyps)) {
      continue;
    }
    if (spi_prove_step(s, a, t)) {
      a->seq = t;
      a->seq_found = true;
      return true;
    }
  } while (sp_match_next(&m));
  return fits;
}

/* Where a mask leaves one rank its elements, the place of these is a constant,
 * and like that on no other rank. If the placement by the rank is right, it is
 * what the tensors around have. */
static bool generalize(sp_state *s, spi_attempt *a, uint32_t t,
                       sp_expr pattern) {
  const sp_shape *global = &s->seq_program->tensors[t].shape;
  const sp_shape *local = &s->dist_program->tensors[a->dist].shape;
  if (global->n_dims != local->n_dims ||
      !sp_has_free(s->pool, a->raw, s->rank)) {
    return false;
  }
  for (uint32_t d = 0; d < global->n_dims; d++) {
    sp_expr j = s->dist[a->dist].idx[d], was = a->phi[d];
    if (local->dims[d] == global->dims[d] ||
        sp_kind_of(s->pool, sp_isub(s->pool, was, j)) != SP_KIND_INT) {
      continue;
    }
    for (size_t i = 0; i < s->cuts.n; i++) {
      if (s->cuts.v[i].n * local->dims[d] != global->dims[d]) {
        continue;
      }
      a->phi[d] =
          sp_iadd(s->pool, j,
                  sp_iscale(s->pool, s->cuts.v[i].coordinate, local->dims[d]));
      sp_expr moved =
          sp_subst(s->pool, pattern, global->n_dims, s->seq[t].idx, a->phi);
      if (sp_probe_equal(s->prover, moved, a->term, a->hyps) &&
          spi_prove_step(s, a, t)) {
        return true;
      }
      a->phi[d] = was;
    }
  }
  return false;
}

static bool visit_candidate(sp_state *s, uint32_t t, void *env) {
  spi_attempt *a = env;
  if (sp_prover_late(s->prover)) {
    return false;
  }
  sp_expr pattern = spi_seq_form(s, t, a->form);
  if (a->form == SPI_FORM_UNFOLDED && !a->unfolds &&
      pattern.v == s->seq[t].def.v) {
    return false; /* both were tried as they are */
  }
  if (sp_sort_of(s->pool, pattern) != sp_sort_of(s->pool, a->term)) {
    return false;
  }
  bool fits = try_orders(s, a, t, pattern, true);
  if (!a->seq_found && fits) {
    try_orders(s, a, t, pattern, false);
    if (generalize(s, a, t, pattern)) { /* from the last map that was tried */
      a->seq = t;
      a->seq_found = true;
    }
  }
  if (!a->seq_found && fits) {
    attempt_note(s, a, t, "no index map makes the elements equal");
  }
  return a->seq_found;
}

/* ---- expansion of elementwise anchors ---- */

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

/* Near the last match: unfolded terms are larger. */
static void unfold_candidates(sp_state *s) {
  uint32_t from = s->last > WINDOW_BEFORE ? s->last - WINDOW_BEFORE : 0;
  uint32_t to = s->last + WINDOW_AFTER;
  for (uint32_t t = from; t < to && t < s->seq_program->n_tensors; t++) {
    seq_tensor *v = &s->seq[t];
    if (!v->def.v || v->opaque || v->unfolded.v ||
        sp_sort_of(s->pool, v->def) != SP_SORT_REAL ||
        sp_kind_of(s->pool, v->def) == SP_KIND_READ) {
      continue;
    }
    sp_expr e = spi_unfold(s, v->def, false);
    e = e.v ? sp_multiply_out(s->pool, e, MAX_MONOMIALS) : e;
    v->unfolded = e.v ? e : v->def;
    if (sp_has_red(s->pool, v->unfolded)) {
      spi_index_add(s, SPI_FORM_UNFOLDED, v->unfolded, t);
    }
  }
}

static void refresh_for(sp_state *s, uint32_t dist) {
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
  bool ok =
      spi_index_visit(s, form, sp_skeleton(s->pool, term), visit_candidate, a);
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
  unfold_candidates(s);
  sp_expr out = sp_multiply_out(s->pool, wide, MAX_MONOMIALS);
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
  bool ok = visit_candidate(s, t, a);
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

static bool find(sp_state *s, spi_attempt *a) {
  static way *const cheap[] = {find_plain, find_scaled};
  static way *const long_ones[] = {find_expanded, spi_try_placements,
                                   find_unfolded};
  enum { N_CHEAP = sizeof cheap / sizeof *cheap };
  enum { N_LONG = sizeof long_ones / sizeof *long_ones };
  refresh_for(s, a->dist);
  if (find_by(s, a, cheap, N_CHEAP)) {
    return true;
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

/* ---- the loop ---- */

/* Reads, constants, choices between them: nothing to match. */
static bool is_clean(const sp_state *s, sp_expr e, int depth) {
  const sp_pool *p = s->pool;
  if (sp_sort_of(p, e) != SP_SORT_REAL) {
    return !sp_has_red(p, e);
  }
  if (!sp_has_read(p, e)) {
    return !sp_has_red(p, e);
  }
  sp_kind kind = sp_kind_of(p, e);
  if (kind == SP_KIND_ITE) {
    return depth < MAX_CHOICES && !sp_has_red(p, sp_arg(p, e, 0)) &&
           is_clean(s, sp_arg(p, e, 1), depth + 1) &&
           is_clean(s, sp_arg(p, e, 2), depth + 1);
  }
  return kind == SP_KIND_READ || kind == SP_KIND_NUM || kind == SP_KIND_INF ||
         (kind == SP_KIND_I2R && !sp_has_red(p, e));
}

static void make_view(sp_state *s, uint32_t t) {
  dist_tensor *w = &s->dist[t];
  sp_prover_about(s->prover, s->dist_program->tensors[t].name);
  if (sp_prove_equal(s->prover, spi_dist_raw(s, t), w->def, (sp_hyps){0})) {
    w->relation = w->def;
    w->how = "view";
    s->stats.views++;
  } else {
    w->how = sp_format(s->ctx,
                       "its simplified form %s was not proved equal to its "
                       "definition %s",
                       sp_show(s->pool, w->def),
                       sp_show(s->pool, spi_dist_raw(s, t)));
    s->stats.unrelated++;
  }
}

static void adopt(sp_state *s, const spi_attempt *a, sp_expr relation) {
  dist_tensor *w = &s->dist[a->dist];
  w->relation = relation;
  w->seq = a->seq + 1;
  w->nearest = NULL;
  w->how = "matched";
  s->last = a->seq > s->last ? a->seq : s->last;
  s->stats.matched++;
}

static sp_expr anchor_at(sp_state *s, const spi_attempt *a) {
  sp_expr phi[SP_MAX_DIMS];
  memcpy(phi, a->phi, sizeof phi);
  uint32_t root = spi_root(s, a->seq, phi);
  spi_seq_make_anchor(s, root);
  sp_expr e = spi_seq_symbol(s, root, phi);
  return a->scale.v ? sp_scale(s->pool, e, a->scale) : e;
}

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
    if (!is_clean(s, a->term, 0) && find(s, a) &&
        !sp_prove_never(s->prover, "border: no such side", out->guard, hyps)) {
      out->relation = anchor_at(s, a);
      *term = sp_assume(s->pool, *term, c, !value);
      return true;
    }
  }
  return false;
}

/* Beyond all borders the tensor is rest: related, too, or unspecified. */
static sp_expr relate_rest(sp_state *s, uint32_t t, sp_hyps hyps,
                           sp_expr rest) {
  const dist_tensor *w = &s->dist[t];
  spi_attempt a = {
      .dist = t, .term = rest, .raw = spi_dist_raw(s, t), .hyps = hyps};
  if (is_clean(s, rest, 0)) {
    sp_prover_about(s->prover, s->dist_program->tensors[t].name);
    if (sp_prove_equal(s->prover, a.raw, rest, hyps)) {
      return rest;
    }
  } else if (find(s, &a)) {
    return anchor_at(s, &a);
  }
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
static bool relate_inside(sp_state *s, uint32_t t) {
  sp_pool *p = s->pool;
  sp_expr rest = s->dist[t].def;
  uint32_t n = 0;
  inside side[MAX_SIDES];
  spi_attempt a, first = {0};
  sp_hyps beyond = {0};
  while (n < MAX_SIDES && relate_side(s, t, beyond, &rest, &a, &side[n])) {
    if (n == 0 && holds_everywhere(s, &a)) {
      adopt(s, &a, side[0].relation);
      return true;
    }
    beyond = spi_hyps_with(s->prover, beyond, sp_not(p, side[n].guard));
    first = n++ ? first : a;
  }
  if (n == 0) {
    return false;
  }
  sp_expr relation = relate_rest(s, t, beyond, rest);
  while (n > 0) {
    n--;
    relation = sp_ite(p, side[n].guard, side[n].relation, relation);
  }
  adopt(s, &first, relation);
  return true;
}

/* The same operator on the same tensors in another version of the program. */
static bool is_twin(sp_state *s, spi_attempt *a) {
  uint32_t t = s->twins ? s->twins[a->dist] : SP_NO_TENSOR;
  if (t == SP_NO_TENSOR || s->seq[t].opaque) {
    return false;
  }
  refresh_for(s, a->dist); /* finds tensors of equal value */
  t = s->seq[t].alias ? s->seq[t].alias - 1 : t;
  const sp_shape *shape = &s->dist_program->tensors[a->dist].shape;
  for (uint32_t d = 0; d < shape->n_dims; d++) {
    a->phi[d] = s->dist[a->dist].idx[d];
  }
  a->seq = t;
  return spi_prove_step(s, a, t);
}

/* The same operator on operands that are proved equal. */
static bool is_same_operator(sp_state *s, uint32_t t) {
  const sp_node *node =
      &s->dist_program->nodes[s->dist_program->tensors[t].node];
  uint32_t v = spi_same_operator(s, t);
  uint32_t n = spi_is_loop(node) ? node->n_out : 1; /* all results at once */
  if (v == SP_NO_TENSOR) {
    return false;
  }
  for (uint32_t o = 0; o < n; o++) {
    spi_attempt a = {.dist = t + o, .seq = v + o};
    if (s->seq[a.seq].alias) {
      a.seq = s->seq[a.seq].alias - 1;
    }
    for (uint32_t d = 0; d < s->dist_program->tensors[t + o].shape.n_dims;
         d++) {
      a.phi[d] = s->dist[t + o].idx[d];
    }
    adopt(s, &a, anchor_at(s, &a));
    s->dist[t + o].how = "the same operator on equal operands";
  }
  return true;
}

static void relate(sp_state *s, uint32_t t) {
  dist_tensor *w = &s->dist[t];
  const sp_node *node =
      &s->dist_program->nodes[s->dist_program->tensors[t].node];
  if (spi_is_loop(node) && !w->def.v) {
    if (is_same_operator(s, t)) {
      return;
    }
    spi_loop_relate(s, node);
    if (w->how) {
      return;
    }
  }
  sp_expr e = spi_dist_def(s, t);
  spi_dist_raw(s, t);
  if (w->opaque) {
    s->stats.unrelated += !is_same_operator(s, t);
    return;
  }
  bool view = is_clean(s, e, 0);
  if (view && !spi_mixes_bits(s, e)) {
    make_view(s, t);
    return;
  }
  spi_attempt a = {.dist = t, .term = e, .raw = spi_dist_raw(s, t)};
  spi_seq_wake(s, e);
  if (is_twin(s, &a)) {
    adopt(s, &a, anchor_at(s, &a));
    return;
  }
  if (is_same_operator(s, t)) {
    return;
  }
  if (find(s, &a)) {
    adopt(s, &a, anchor_at(s, &a));
    return;
  }
  if (view) {
    make_view(s, t);
    return;
  }
  /* Between versions what is related on one side of a border only is wrong. */
  if (!s->problem->versions && relate_inside(s, t)) {
    return;
  }
  w->how = "no sequential tensor equals it; inlined into its users";
  s->stats.unrelated++;
}

void spi_propagate(sp_state *s) {
  const sp_program *p = s->dist_program;
  const uint32_t *around = s->twins; /* of the program around a loop's body */
  s->twins = s->problem->versions ? spi_twins(s) : NULL;
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    if (s->options->progress && !s->parent) {
      s->options->progress(s->options->user, t, p->n_tensors,
                           p->tensors[t].name);
    }
    sp_prover_effort(s->prover, 0);
    if (sp_prover_late(s->prover)) {
      s->dist[t].how = spi_why_late(s);
    }
    if (!s->dist[t].relation.v && !s->dist[t].how && !s->dist[t].opaque) {
      sp_prover_effort(s->prover, MAX_TERMS);
      if (!spi_layers_relate(s, t)) {
        spi_layers_begin(s, t);
        relate(s, t);
        spi_layers_end(s, t);
      }
      spi_learn_cuts(s, t);
    }
  }
  sp_prover_effort(s->prover, 0);
  s->twins = around;
}
