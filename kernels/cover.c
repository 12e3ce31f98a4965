/* cover.c: is every element of a sequential tensor on some rank, where a
 * promise is an index map? The map, from coordinates and local indices to
 * indices of the tensor, is turned round: equations are solved for the former
 * (a guess; unknowns in conditions are tried with all their values), then Z3
 * proves for all indices of the tensor that a solution lies inside, where the
 * guard holds, and maps to them. */
#include "kernels/lower.h"
#include "solve/equations.h"

#include <string.h>

enum { MAX_VALUES = 4, MAX_CASES = 32, MAX_DEPTH = 64 };

typedef struct map {
  sp_ctx *ctx;
  sp_pool *p;
  uint32_t n_unknown; /* coordinates and local indices */
  const sp_expr *unknown;
  const spi_promise *promise;
  uint32_t n; /* dimensions of the sequential tensor */
  sp_expr index[SP_MAX_DIMS];
  sp_expr target[SP_MAX_DIMS];
  int64_t extent[SP_MAX_DIMS];
  uint32_t n_guards;
  sp_expr *guards;
} map;

/* The indices of the read that is promised; its guards are the promise's. */
static void see(void *env, const sp_meaning_use *use) {
  map *m = env;
  if (strcmp(use->name, m->promise->source) != 0) {
    return;
  }
  m->index[use->dim] = use->index;
  m->extent[use->dim] = use->extent;
  m->n = use->dim + 1 > m->n ? use->dim + 1 : m->n;
  m->n_guards = use->n_guards;
  m->guards = sp_alloc_n(m->ctx, use->n_guards + 1u, sizeof *m->guards);
  for (uint32_t i = 0; i < use->n_guards; i++) {
    m->guards[i] = use->guards[i];
  }
}

/* ---- one case ---- */

/* 0 <= x < n */
static sp_expr inside(sp_pool *p, sp_expr x, int64_t n) {
  return sp_and(p, sp_le(p, sp_int(p, 0), x), sp_lt(p, x, sp_int(p, n)));
}

/* These values lie inside, where the guards hold, and map to the targets. */
static sp_expr is_held(const map *m, const sp_expr *value) {
  sp_pool *p = m->p;
  sp_expr all = sp_bool(p, true);
  for (uint32_t k = 0; k < m->n_unknown; k++) {
    int64_t extent = sp_var_extent(p, m->unknown[k]);
    all = sp_and(p, all, inside(p, value[k], extent));
  }
  for (uint32_t k = 0; k < m->n_guards; k++) {
    all = sp_and(p, all,
                 sp_subst(p, m->guards[k], m->n_unknown, m->unknown, value));
  }
  for (uint32_t d = 0; d < m->n; d++) {
    sp_expr at = sp_subst(p, m->index[d], m->n_unknown, m->unknown, value);
    all = sp_and(p, all, sp_eq(p, at, m->target[d]));
  }
  return all;
}

/* The unknowns where those that are chosen have these values. */
static const sp_expr *solve(const map *m, const sp_expr *chosen) {
  sp_pool *p = m->p;
  sp_equations strong = {0}, weak = {0};
  sp_expr *value = sp_alloc_n(m->ctx, m->n_unknown + 1u, sizeof *value);
  for (uint32_t d = 0; d < m->n; d++) {
    sp_expr at = sp_simplify(
        p, sp_subst(p, m->index[d], m->n_unknown, m->unknown, chosen));
    sp_equation e = {at, m->target[d]};
    sp_push(m->ctx, &strong, e);
  }
  sp_equations_solve(p, &strong, &weak, m->n_unknown, m->unknown, value);
  for (uint32_t k = 0; k < m->n_unknown; k++) {
    bool open = chosen[k].v == m->unknown[k].v;
    sp_expr found = value[k].v ? value[k] : sp_int(p, 0);
    value[k] = open ? found : chosen[k];
  }
  return value;
}

/* ---- cases ---- */

/* Marks the unknowns in conditions of choices: few values each. */
static void mark_choices(const map *m, sp_expr e, bool choice, int depth,
                         bool *marked) {
  sp_pool *p = m->p;
  if (depth > MAX_DEPTH) {
    return;
  }
  for (uint32_t k = 0; choice && k < m->n_unknown; k++) {
    marked[k] = marked[k] || (sp_has_free(p, e, m->unknown[k]) &&
                              sp_var_extent(p, m->unknown[k]) <= MAX_VALUES);
  }
  for (uint32_t i = 0; !choice && i < sp_n_args(p, e); i++) {
    bool condition = sp_kind_of(p, e) == SP_KIND_ITE && i == 0;
    mark_choices(m, sp_arg(p, e, i), condition, depth + 1, marked);
  }
}

/* For some value of each marked unknown the element is held. */
static sp_expr some_case(const map *m, const bool *marked) {
  sp_pool *p = m->p;
  sp_expr any = sp_bool(p, false);
  sp_expr *chosen = sp_alloc_n(m->ctx, m->n_unknown + 1u, sizeof *chosen);
  for (int64_t c = 0; c < MAX_CASES; c++) {
    int64_t left = c;
    for (uint32_t k = 0; k < m->n_unknown; k++) {
      int64_t n = marked[k] ? sp_var_extent(p, m->unknown[k]) : 1;
      chosen[k] = marked[k] ? sp_int(p, left % n) : m->unknown[k];
      left /= n;
    }
    if (left > 0) { /* all are done */
      return any;
    }
    sp_mode was = sp_pool_mode(p, SP_MODE_NORMAL);
    const sp_expr *value = solve(m, chosen);
    sp_pool_mode(p, was);
    any = sp_or(p, any, is_held(m, value));
  }
  return any;
}

static bool is_covered(spi_lowering *l, const map *m) {
  bool *marked = sp_alloc_n(l->ctx, m->n_unknown + 1u, sizeof *marked);
  for (uint32_t d = 0; d < m->n; d++) {
    mark_choices(m, m->index[d], false, 0, marked);
  }
  sp_mode was = sp_pool_mode(m->p, SP_MODE_RAW_INDEX);
  sp_expr goal = some_case(m, marked);
  bool ok = sp_prove_holds(l->bounds->prover, "every element is held", goal,
                           (sp_hyps){0});
  sp_pool_mode(m->p, was);
  return ok;
}

void spi_check_cover(spi_lowering *l, const spi_promise *p) {
  spi_side *side = &l->seq;
  const sp_node *node = &side->nodes.v[side->nodes.n - 1];
  map m = {.ctx = l->ctx,
           .p = spi_bounds_of(l)->pool,
           .promise = p,
           .n_unknown = side->tensors.v[node->out].shape.n_dims,
           .unknown = spi_fresh_indices(l, side)};
  spi_survey(l, side, m.unknown, see, &m);
  for (uint32_t d = 0; d < m.n; d++) {
    m.target[d] =
        sp_var(m.p, SP_VAR_INDEX, sp_format(l->ctx, "t%u", d), m.extent[d]);
  }
  bool scalar = m.n == 0; /* no index, no guard was seen */
  if (scalar ? p->guard != NULL : !is_covered(l, &m)) {
    sp_raise(l->ctx, SP_ERR_UNKNOWN, p->loc, "prove only ... leaves that out",
             "it was not shown that every element of %s is on some rank",
             p->source);
  }
}
