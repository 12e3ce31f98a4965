/* attempt.c: one candidate. A distributed term is laid over the definition of a
 * sequential tensor; what indices that takes is solved, and proved. */
#include "solve/layers.h"
#include "solve/match.h"
#include "solve/propagate.h"

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
  case SPI_FORM_QUOTIENT:
    return spi_equal_quotients(s, lhs, rhs, a->hyps);
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
  } while (!sp_prover_late(s->prover) && sp_match_next(&m));
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

bool spi_visit_candidate(sp_state *s, uint32_t t, void *env) {
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
