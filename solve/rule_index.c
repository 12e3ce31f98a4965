/* rule_index.c: simpler indices and conditions, each proved. Read simpler.
 *
 * LEMMA. Replacing a term of integers or booleans by one that is equal to it,
 * for all values of the variables in it, does not change the term around it.
 *
 * Raw definitions keep conditions that ranges decide (`ids < 0` where ids are
 * not negative). Then sums do not reach the same normal form on both sides. The
 * index simplifier says what the term should be; that it is so is an
 * obligation.
 */
#include "solve/prove.h"
#include "solve/seen.h"

/* Beyond this a term is left as it is: what does not help at once does not. */
enum { MAX_SIZE = 200, LIMIT_MS = 200, STEP_MS = 50, DIRECT = 12 };

/* Is there a choice in e? */
static bool has_choice(const sp_pool *p, sp_expr e, spi_seen *seen) {
  if (spi_seen_before(seen, e)) {
    return false;
  }
  bool found = sp_kind_of(p, e) == SP_KIND_ITE;
  for (uint32_t i = 0; i < sp_n_args(p, e) && !found; i++) {
    found = has_choice(p, sp_arg(p, e, i), seen);
  }
  return found;
}

/* A number computed of the rank alone with a choice, as partners are at a
 * distance that doubles: partners of partners are choices by choices. */
static bool is_partner(sp_pool *p, sp_expr e) {
  const sp_expr *vars;
  if (sp_sort_of(p, e) != SP_SORT_INT || sp_has_read(p, e) ||
      spi_term_size(p, e, MAX_SIZE) >= MAX_SIZE ||
      sp_free_vars(p, e, &vars) != 1 || !spi_rank_in(p, e).v) {
    return false;
  }
  sp_ctx *ctx = sp_pool_ctx(p);
  sp_mark mark = sp_scratch_mark(ctx);
  spi_seen seen = {.ctx = ctx};
  bool found = has_choice(p, e, &seen);
  sp_scratch_release(ctx, mark);
  return found;
}

/* What the index simplifier makes of e, where that is proved; 0: it is not. */
static sp_expr simpler_proved(sp_prover *pr, sp_expr e, uint32_t limit_ms) {
  sp_pool *p = sp_prover_pool(pr);
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr simple = sp_simplify(p, e);
  sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr same = simple.v == e.v ? e : sp_eq(p, e, simple);
  same = simple.v != e.v && is_partner(p, e) ? spi_at_each_rank(p, same) : same;
  sp_pool_mode(p, mode);
  if (simple.v == e.v) {
    return e;
  }
  uint32_t was = sp_prover_hurry(pr, limit_ms);
  bool holds =
      sp_prove_holds(pr, "index or condition simplified", same, (sp_hyps){0});
  sp_prover_hurry(pr, was);
  return holds ? simple : (sp_expr){0};
}

typedef struct steps {
  sp_prover *pr;
  uint32_t n;
  struct {
    sp_expr from, to;
  } known[MAX_SIZE];
} steps;

/* From the inside outwards, a node at a time. */
static sp_expr step_by_step(steps *s, sp_expr e) {
  sp_pool *p = sp_prover_pool(s->pr);
  uint32_t n = sp_n_args(p, e);
  if (n == 0 || sp_kind_of(p, e) == SP_KIND_RED) {
    return e;
  }
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->known[i].from.v == e.v) {
      return s->known[i].to;
    }
  }
  sp_mark mark = sp_scratch_mark(sp_pool_ctx(p));
  sp_expr *args = sp_scratch(sp_pool_ctx(p), n * sizeof *args);
  for (uint32_t i = 0; i < n; i++) {
    args[i] = step_by_step(s, sp_arg(p, e, i));
  }
  sp_expr built = sp_rebuild(p, e, args);
  sp_scratch_release(sp_pool_ctx(p), mark);
  sp_expr to = simpler_proved(s->pr, built, STEP_MS);
  to = to.v ? to : built;
  if (s->n < MAX_SIZE) {
    s->known[s->n].from = e;
    s->known[s->n++].to = to;
  }
  return to;
}

static sp_expr simpler(sp_prover *pr, sp_pool *p, sp_expr e) {
  if (spi_term_size(p, e, MAX_SIZE) >= MAX_SIZE) {
    return e;
  }
  sp_expr simple = spi_term_size(p, e, DIRECT) < DIRECT
                       ? simpler_proved(pr, e, LIMIT_MS)
                       : (sp_expr){0};
  if (simple.v) {
    return simple;
  }
  steps s = {.pr = pr};
  return step_by_step(&s, e);
}

/* No reals, no reductions inside: a term of the lemma. */
static bool is_index(const sp_pool *p, sp_expr e) {
  return sp_sort_of(p, e) != SP_SORT_REAL && !sp_has_red(p, e);
}

static sp_expr visit(void *env, sp_pool *p, sp_expr e) {
  return is_index(p, e) ? simpler(env, p, e) : (sp_expr){0};
}

/* What is computed from a count, once the counts are simple. */
static sp_expr visit_counts(void *env, sp_pool *p, sp_expr e) {
  bool is_place = sp_sort_of(p, e) != SP_SORT_REAL &&
                  sp_kind_of(p, e) != SP_KIND_RED && spi_has_count(p, e);
  return is_place ? simpler(env, p, e) : (sp_expr){0};
}

sp_expr spi_simpler_indices(sp_prover *pr, sp_expr e) {
  sp_pool *p = sp_prover_pool(pr);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr better = sp_map(p, e, visit, pr);
  if (spi_has_count(p, better)) {
    better = sp_map(p, better, visit_counts, pr);
  }
  sp_pool_mode(p, mode);
  return better;
}

/* ---- neighbours of neighbours, partners of partners ---- */

static bool is_sum_of_variables(const sp_pool *p, sp_expr e) {
  if (sp_kind_of(p, e) != SP_KIND_LIN) {
    return sp_kind_of(p, e) == SP_KIND_VAR;
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    if (sp_kind_of(p, sp_arg(p, e, i)) != SP_KIND_VAR) {
      return false;
    }
  }
  return true;
}

/* A place on a ring of n, not reduced: a remainder by n of a sum with another
 * one, (x mod 8 - 1) mod 8, or with a constant that is none, (x - 1) mod 8.
 * Others (of reshapes) are many, and do not grow. */
static bool is_unreduced(const sp_pool *p, sp_expr e) {
  if (sp_kind_of(p, e) != SP_KIND_MOD ||
      sp_kind_of(p, sp_arg(p, e, 0)) != SP_KIND_LIN) {
    return false;
  }
  sp_expr sum = sp_arg(p, e, 0);
  int64_t n = sp_divisor(p, e), c = sp_lin_const(p, sum);
  bool found = c < 0 || c >= n;
  for (uint32_t i = 0; i < sp_n_args(p, sum); i++) {
    sp_expr x = sp_arg(p, sum, i);
    bool nested = sp_kind_of(p, x) == SP_KIND_MOD && sp_divisor(p, x) == n &&
                  is_sum_of_variables(p, sp_arg(p, x, 0));
    if (!nested && sp_kind_of(p, x) != SP_KIND_VAR) {
      return false;
    }
    found = found || nested;
  }
  return found;
}

static sp_expr visit_neighbour(void *env, sp_pool *p, sp_expr e) {
  return is_index(p, e) && (is_unreduced(p, e) || is_partner(p, e))
             ? simpler(env, p, e)
             : (sp_expr){0};
}

sp_expr spi_flatter_indices(sp_prover *pr, sp_expr e) {
  sp_pool *p = sp_prover_pool(pr);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr better = sp_map(p, e, visit_neighbour, pr);
  sp_pool_mode(p, mode);
  return better;
}
