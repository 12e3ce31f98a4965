/* rule_reindex.c: when two reductions of one operation are equal.
 *
 * Let A(k), B(k') be bodies over ranges K, K' (products of intervals).
 *
 * LEMMA 1 (re-index; congruence is m = identity). If m: K' -> K is in range,
 * injective, |K| = |K'|, and A(m(k')) = B(k') for all k', then the reductions
 * are equal: m is onto by counting, so both range over the same values with
 * the same multiplicity.
 *
 * LEMMA 2 (guarded re-index). Let A = a where ga, else the identity of the
 * operation; B = b where gb, else the identity. If m: gb -> ga and w: ga -> gb
 * are in range and inverse to each other, and gb => a(m(k')) = b(k'), the
 * reductions are equal. No counting: extents may differ (padding, masks).
 * For max, min, or, and (idempotent) m and w need not be inverse; then also
 * ga => b(w(k)) = a(k).
 *
 * LEMMA 3 (functions). LAMBDAs are equal if their ranges are the same and
 * their bodies are equal at the same point.
 */
#include "solve/match.h"
#include "solve/prove.h"

enum { MAX_VARS = 16, MAX_PERMUTED = 4 };

typedef struct side {
  uint32_t n;
  sp_expr var[MAX_VARS];
  sp_expr body, guard, inner;
} side;

static bool side_open(sp_pool *p, sp_expr red, side *s) {
  s->n = sp_red_n_vars(p, red);
  if (s->n > MAX_VARS) {
    return false;
  }
  s->body = sp_red_open(p, red, s->var);
  sp_guard_of(p, sp_red_op_of(p, red), s->body, &s->guard, &s->inner);
  return true;
}

static bool sizes_equal(const sp_pool *p, const side *a, const side *b) {
  double pa = 1, pb = 1; /* exact far beyond the limit on elements */
  for (uint32_t i = 0; i < a->n; i++) {
    pa *= (double)sp_var_extent(p, a->var[i]);
  }
  for (uint32_t i = 0; i < b->n; i++) {
    pb *= (double)sp_var_extent(p, b->var[i]);
  }
  return pa == pb && pa < 4e15;
}

/* Each of map[] is a different variable of `to` with the extent of its own. */
static bool is_renaming(const sp_pool *p, const side *from, const side *to,
                        const sp_expr *map) {
  if (from->n != to->n) {
    return false;
  }
  for (uint32_t i = 0; i < from->n; i++) {
    bool found = false;
    for (uint32_t k = 0; k < to->n; k++) {
      found |= map[i].v == to->var[k].v &&
               sp_var_extent(p, from->var[i]) == sp_var_extent(p, to->var[k]);
    }
    for (uint32_t k = 0; k < i; k++) {
      found &= map[k].v != map[i].v;
    }
    if (!found) {
      return false;
    }
  }
  return true;
}

static bool map_complete(sp_pool *p, const side *from, const sp_expr *map) {
  for (uint32_t i = 0; i < from->n; i++) {
    if (!map[i].v) {
      return false;
    }
    for (uint32_t k = 0; k < from->n; k++) {
      if (sp_has_free(p, map[i], from->var[k])) {
        return false;
      }
    }
  }
  return true;
}

static sp_expr in_range(sp_pool *p, const side *s, const sp_expr *map) {
  sp_expr all = sp_bool(p, true);
  for (uint32_t i = 0; i < s->n; i++) {
    sp_expr extent = sp_int(p, sp_var_extent(p, s->var[i]));
    all = sp_and(p, all, sp_le(p, sp_int(p, 0), map[i]));
    all = sp_and(p, all, sp_lt(p, map[i], extent));
  }
  return all;
}

/* For all: x = y, componentwise. */
static sp_expr all_equal(sp_pool *p, uint32_t n, const sp_expr *x,
                         const sp_expr *y) {
  sp_expr all = sp_bool(p, true);
  for (uint32_t i = 0; i < n; i++) {
    all = sp_and(p, all, sp_eq(p, x[i], y[i]));
  }
  return all;
}

static sp_expr implies(sp_pool *p, sp_expr a, sp_expr b) {
  return sp_or(p, sp_not(p, a), b);
}

static bool proved_in_range(sp_prover *pr, const side *a, const sp_expr *map,
                            sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr goal = in_range(p, a, map);
  sp_pool_mode(p, mode);
  return sp_prove_holds(pr, "re-index: map in range", goal, hyps);
}

static bool proved_injective(sp_prover *pr, const side *a, const side *b,
                             const sp_expr *map, sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr other[MAX_VARS], image[MAX_VARS];
  for (uint32_t i = 0; i < b->n; i++) {
    other[i] = sp_fresh(p, sp_var_extent(p, b->var[i]));
  }
  for (uint32_t i = 0; i < a->n; i++) {
    image[i] = sp_subst(p, map[i], b->n, b->var, other);
  }
  sp_expr goal = implies(p, all_equal(p, a->n, map, image),
                         all_equal(p, b->n, b->var, other));
  sp_pool_mode(p, mode);
  return sp_prove_holds(pr, "re-index: map injective", goal, hyps);
}

/* Lemma 1 for one map. */
static bool reindexed(sp_prover *pr, const side *a, const side *b,
                      const sp_expr *map, sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  sp_expr moved = sp_subst(p, a->body, a->n, a->var, map);
  if (moved.v != b->body.v && !sp_probe_equal(pr, moved, b->body, hyps)) {
    return false;
  }
  if (!is_renaming(p, a, b, map) && !(proved_in_range(pr, a, map, hyps) &&
                                      proved_injective(pr, a, b, map, hyps))) {
    return false;
  }
  return sp_prove_equal(pr, moved, b->body, hyps);
}

static bool reindex(sp_prover *pr, const side *a, const side *b, sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  if (!sizes_equal(p, a, b)) {
    return false;
  }
  sp_match m;
  sp_match_init(&m, p);
  do {
    sp_expr map[MAX_VARS];
    if (sp_match_run(&m, a->body, b->body, a->n, a->var)) {
      sp_match_solve(&m, a->n, map);
      if (map_complete(p, a, map) && reindexed(pr, a, b, map, hyps)) {
        return true;
      }
    }
  } while (sp_match_next(&m));
  return false;
}

/* The map that reads b's variables, in this order, as the digits of one number
 * and that number as digits of a's (orders of both). */
static void digit_map(sp_pool *p, const side *a, const uint32_t *order_a,
                      const side *b, const uint32_t *order_b, sp_expr *map) {
  int64_t dims[MAX_PERMUTED];
  sp_expr digits[MAX_PERMUTED];
  for (uint32_t k = 0; k < b->n; k++) {
    digits[k] = b->var[order_b[k]];
    dims[k] = sp_var_extent(p, digits[k]);
  }
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr x = sp_flatten(p, b->n, dims, digits);
  for (uint32_t k = 0; k < a->n; k++) {
    dims[k] = sp_var_extent(p, a->var[order_a[k]]);
  }
  sp_unflatten(p, x, a->n, dims, digits);
  sp_pool_mode(p, mode);
  for (uint32_t k = 0; k < a->n; k++) {
    map[order_a[k]] = digits[k];
  }
}

/* Bodies of different structure, which no match relates: variables correspond
 * in some order, or one variable is the digits of others. */
static bool permuted(sp_prover *pr, const side *a, const side *b,
                     sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  if (a->n > MAX_PERMUTED || b->n > MAX_PERMUTED || !sizes_equal(p, a, b)) {
    return false;
  }
  uint32_t order[MAX_PERMUTED] = {0, 1, 2, 3}, turn[MAX_PERMUTED] = {0};
  static const uint32_t plain[MAX_PERMUTED] = {0, 1, 2, 3};
  uint32_t n = a->n > b->n ? a->n : b->n, i = 0;
  for (;;) {
    sp_expr map[MAX_PERMUTED];
    digit_map(p, a, a->n > b->n ? order : plain, b, a->n > b->n ? plain : order,
              map);
    if (reindexed(pr, a, b, map, hyps)) {
      return true;
    }
    /* Heap's algorithm for the next permutation. */
    while (i < n && turn[i] >= i) {
      turn[i++] = 0;
    }
    if (i >= n) {
      return false;
    }
    uint32_t k = i % 2 ? turn[i] : 0;
    uint32_t t = order[k];
    order[k] = order[i];
    order[i] = t;
    turn[i]++;
    i = 0;
  }
}

static bool idempotent(sp_red_op op) {
  return op == SP_RED_MAX || op == SP_RED_MIN || op == SP_RED_OR ||
         op == SP_RED_AND;
}

/* map: to.var -> terms over from.var; find it from the bodies, or by
 * inverting the other map. */
static bool find_map(sp_prover *pr, const side *from, const side *to,
                     const sp_expr *inverse, sp_expr *map) {
  sp_pool *p = sp_prover_pool(pr);
  sp_match m;
  sp_match_init(&m, p);
  if (!inverse && sp_match_run(&m, to->inner, from->inner, to->n, to->var)) {
    sp_match_solve(&m, to->n, map);
    return map_complete(p, to, map);
  }
  if (!inverse) {
    return false;
  }
  sp_equations eqs = {0}, none = {0};
  for (uint32_t i = 0; i < from->n; i++) {
    sp_push(sp_pool_ctx(p), &eqs, ((sp_equation){inverse[i], from->var[i]}));
  }
  sp_equations_solve(p, &eqs, &none, to->n, to->var, map);
  return map_complete(p, to, map);
}

/* Under from.guard: map is in to's range, to.guard holds there. */
static bool guarded_step(sp_prover *pr, const side *from, const side *to,
                         const sp_expr *map, const sp_expr *inverse,
                         sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr goal = in_range(p, to, map);
  goal = sp_and(p, goal, sp_subst(p, to->guard, to->n, to->var, map));
  for (uint32_t i = 0; inverse && i < from->n; i++) {
    sp_expr back = sp_subst(p, inverse[i], to->n, to->var, map);
    goal = sp_and(p, goal, sp_eq(p, back, from->var[i]));
  }
  goal = implies(p, from->guard, goal);
  sp_pool_mode(p, mode);
  return sp_prove_holds(pr, "guarded re-index: maps", goal, hyps);
}

static bool guarded(sp_prover *pr, sp_red_op op, const side *a, const side *b,
                    sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  sp_expr m[MAX_VARS], w[MAX_VARS];
  if (!find_map(pr, b, a, NULL, m) ||
      !(find_map(pr, a, b, m, w) || find_map(pr, a, b, NULL, w))) {
    return false;
  }
  sp_expr moved = sp_subst(p, a->inner, a->n, a->var, m);
  sp_hyps in_b = spi_hyps_with(pr, hyps, b->guard);
  if (moved.v != b->inner.v && !sp_probe_equal(pr, moved, b->inner, in_b)) {
    return false;
  }
  bool inverse = !idempotent(op);
  if (!guarded_step(pr, b, a, m, inverse ? w : NULL, hyps) ||
      !guarded_step(pr, a, b, w, inverse ? m : NULL, hyps) ||
      !sp_prove_equal(pr, moved, b->inner, in_b)) {
    return false;
  }
  if (inverse) {
    return true;
  }
  sp_expr back = sp_subst(p, b->inner, b->n, b->var, w);
  return sp_prove_equal(pr, back, a->inner, spi_hyps_with(pr, hyps, a->guard));
}

static bool lambda_equal(sp_prover *pr, const side *a, const side *b,
                         sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  if (a->n != b->n) {
    return false;
  }
  for (uint32_t i = 0; i < a->n; i++) {
    if (sp_var_extent(p, a->var[i]) != sp_var_extent(p, b->var[i])) {
      return false;
    }
  }
  sp_expr moved = sp_subst(p, a->body, a->n, a->var, b->var);
  return sp_prove_equal(pr, moved, b->body, hyps);
}

bool spi_red_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  sp_red_op op = sp_red_op_of(p, a);
  side sa, sb;
  if (op != sp_red_op_of(p, b) || !side_open(p, a, &sa) ||
      !side_open(p, b, &sb)) {
    return false;
  }
  if (op == SP_RED_LAMBDA) {
    return lambda_equal(pr, &sa, &sb, hyps);
  }
  return reindex(pr, &sa, &sb, hyps) || guarded(pr, op, &sa, &sb, hyps) ||
         permuted(pr, &sa, &sb, hyps);
}
