/* rule_extremum.c: order facts about maxima and minima.
 *
 * Let R be max_{k in K} b(k).
 *
 * LEMMA 1 (element). If m is in K and t = b(m), then t <= R.
 * LEMMA 2 (part). If R' = max_{k' in K'} b'(k') and m: K' -> K is in range with
 * b(m(k')) = b'(k') for all k', then R' <= R.
 * For min the order is the other way round. Both lemmas allow K' empty.
 *
 * The facts enter an obligation as hypotheses. They matter where a program
 * compares elements with a maximum: argmax over shards.
 */
#include "solve/match.h"
#include "solve/prove.h"
#include "solve/seen.h"

enum { MAX_VARS = 16, MAX_TERMS = 32, MAX_FACTS = 48 };

typedef struct facts {
  sp_prover *pr;
  sp_pool *p;
  sp_hyps given; /* what the facts were proved under */
  sp_hyps all;
  uint32_t n_reds, n_terms;
  sp_expr red[MAX_TERMS];  /* REAL MAX and MIN */
  sp_expr term[MAX_TERMS]; /* REAL terms that are compared */
} facts;

static bool is_extremum(const sp_pool *p, sp_expr e) {
  return sp_kind_of(p, e) == SP_KIND_RED && sp_sort_of(p, e) == SP_SORT_REAL &&
         (sp_red_op_of(p, e) == SP_RED_MAX || sp_red_op_of(p, e) == SP_RED_MIN);
}

static void add_term(sp_expr *v, uint32_t *n, sp_expr e) {
  for (uint32_t i = 0; i < *n; i++) {
    if (v[i].v == e.v) {
      return;
    }
  }
  if (*n < MAX_TERMS) {
    v[(*n)++] = e;
  }
}

/* What comparisons of reals compare, outside of reductions. */
static void collect(facts *f, sp_expr e, spi_seen *seen) {
  sp_pool *p = f->p;
  sp_kind kind = sp_kind_of(p, e);
  if (kind == SP_KIND_RED || spi_seen_before(seen, e)) {
    return;
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    sp_expr x = sp_arg(p, e, i);
    if (kind == SP_KIND_REQ || kind == SP_KIND_RLT) {
      if (is_extremum(p, x)) {
        add_term(f->red, &f->n_reds, x);
      } else {
        add_term(f->term, &f->n_terms, x);
      }
    }
    collect(f, x, seen);
  }
}

static void add_fact(facts *f, sp_expr lower, sp_expr upper) {
  if (f->all.n < f->given.n + MAX_FACTS) {
    sp_mode mode = sp_pool_mode(f->p, SP_MODE_RAW_INDEX);
    sp_expr fact = sp_not(f->p, sp_lt(f->p, upper, lower));
    sp_pool_mode(f->p, mode);
    f->all = spi_hyps_with(f->pr, f->all, fact);
  }
}

/* target = body(m) with m in range, for all that target's variables range
 * over; var, body: an opened reduction. */
static bool covers(facts *f, uint32_t n, const sp_expr *var, sp_expr body,
                   sp_expr target) {
  sp_pool *p = f->p;
  sp_match m;
  sp_match_init(&m, p);
  if (sp_skeleton(p, body) != sp_skeleton(p, target) ||
      !sp_match_run(&m, body, target, n, var)) {
    return false;
  }
  sp_expr map[MAX_VARS];
  sp_match_solve(&m, n, map);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr in_range = sp_bool(p, true);
  bool complete = true;
  for (uint32_t i = 0; i < n && complete; i++) {
    complete = map[i].v != 0;
    if (complete) {
      sp_expr extent = sp_int(p, sp_var_extent(p, var[i]));
      in_range = sp_and(p, in_range, sp_le(p, sp_int(p, 0), map[i]));
      in_range = sp_and(p, in_range, sp_lt(p, map[i], extent));
    }
  }
  sp_expr moved = complete ? sp_subst(p, body, n, var, map) : body;
  sp_pool_mode(p, mode);
  return complete &&
         sp_prove_holds(f->pr, "element of a maximum: in range", in_range,
                        f->given) &&
         sp_prove_equal(f->pr, moved, target, f->given);
}

static void facts_of(facts *f, sp_expr red) {
  sp_pool *p = f->p;
  uint32_t n = sp_red_n_vars(p, red);
  if (n > MAX_VARS) {
    return;
  }
  sp_expr var[MAX_VARS];
  sp_expr body = sp_red_open(p, red, var);
  bool max = sp_red_op_of(p, red) == SP_RED_MAX;
  for (uint32_t i = 0; i < f->n_terms; i++) {
    if (covers(f, n, var, body, f->term[i])) {
      add_fact(f, max ? f->term[i] : red, max ? red : f->term[i]);
    }
  }
  for (uint32_t i = 0; i < f->n_reds; i++) {
    sp_expr part = f->red[i], part_var[MAX_VARS];
    if (part.v == red.v || sp_red_op_of(p, part) != sp_red_op_of(p, red) ||
        sp_red_n_vars(p, part) > MAX_VARS) {
      continue;
    }
    if (covers(f, n, var, body, sp_red_open(p, part, part_var))) {
      add_fact(f, max ? part : red, max ? red : part);
    }
  }
}

sp_hyps spi_extremum_facts(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps) {
  facts f = {.pr = pr, .p = sp_prover_pool(pr), .given = hyps, .all = hyps};
  sp_mark mark = sp_scratch_mark(sp_pool_ctx(f.p));
  spi_seen seen = {.ctx = sp_pool_ctx(f.p)};
  collect(&f, a, &seen);
  collect(&f, b, &seen);
  sp_scratch_release(sp_pool_ctx(f.p), mark);
  for (uint32_t i = 0; i < f.n_reds; i++) {
    facts_of(&f, f.red[i]);
  }
  return f.all;
}
