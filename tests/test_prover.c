/* test_prover.c: how much a prover tries: limits of effort, who watches it, and
 * probes, which tell terms apart before the solver is asked.
 */
#include "tests/support_rules.h"

void suite_prover(void);

typedef struct watcher {
  sp_prover *pr;
  int asked, stop_at;
} watcher;

static void watch(void *user) {
  watcher *w = user;
  if (++w->asked == w->stop_at) {
    sp_prover_effort(w->pr, 1);
  }
}

/* A sum of maxima, which are asked about inside of the proof. */
static bool watched(bench *b, watcher *w) {
  w->pr = prover(b);
  sp_prover_watch(w->pr, watch, w);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 2, 32);
  sp_expr i = sp_fresh(b->p, 32), k = sp_fresh(b->p, 32);
  sp_expr p = sp_fresh(b->p, 4), j = sp_fresh(b->p, 8);
  sp_expr q = sp_fresh(b->p, 4), l = sp_fresh(b->p, 8);
  sp_expr row = red1(b, SP_RED_MAX, k, at2(b, x, i, k));
  sp_expr whole = red1(b, SP_RED_SUM, i, row);
  sp_expr at = digits(b, q, 8, l);
  sp_expr piece = red2(b, SP_RED_MAX, p, j, at2(b, x, at, digits(b, p, 8, j)));
  sp_expr cut = red2(b, SP_RED_SUM, q, l, piece);
  return equal(w->pr, whole, cut);
}

static void watching(bench *b) {
  watcher all = {0}, none = {.stop_at = 1};
  PROVED(watched(b, &all));
  CU_ASSERT(all.asked > 1); /* of the elements, too */
  OPEN(watched(b, &none));
  CU_ASSERT_EQUAL(none.asked, 1);
}

/* How many terms an effort of many ends after. */
static size_t taken(bench *b, sp_prover *pr) {
  enum { MANY = 100000 };
  size_t n = 0;
  sp_prover_effort(pr, MANY);
  while (!sp_prover_late(pr)) {
    sp_fresh(b->p, 3);
    n++;
  }
  return n;
}

/* What others did while a tensor is proved is not its effort. */
static void excuse(bench *b) {
  enum { TERMS = 1000 };
  sp_prover *pr = prover(b);
  sp_prover_effort(pr, TERMS);
  for (int others = 0; others < 2; others++) {
    for (int i = 0; i < TERMS - 200; i++) {
      sp_fresh(b->p, 3);
    }
    if (others) {
      CU_ASSERT(sp_prover_late(pr));
      sp_prover_excuse(pr, TERMS - 200);
    }
    CU_ASSERT(!sp_prover_late(pr));
    CU_ASSERT_EQUAL(sp_prover_spent(pr), TERMS - 200);
  }
}

/* Once the programs are known to differ, proofs get less and less. */
static void effort(bench *b) {
  sp_prover *pr = prover(b);
  size_t all = taken(b, pr);
  CU_ASSERT(all > 99000);
  sp_prover_deadline(pr, 1000, 40000);
  size_t first = taken(b, pr), second = taken(b, pr);
  CU_ASSERT(first > 9000 && first < 11000);
  CU_ASSERT(second < first && second > 7000);
  for (int i = 0; i < 10; i++) {
    second = taken(b, pr);
  }
  CU_ASSERT(second > 1000 && second < 3000);
}

/* Terms that differ are told apart; what takes too long is not, nor is it like
 * anything, until there is time for it. */
static void probing(bench *b) {
  enum { LITTLE = 50, MUCH = 20000 };
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 1000);
  sp_expr k = sp_fresh(b->p, 1000), m = sp_fresh(b->p, 1000);
  sp_expr sum = red1(b, SP_RED_SUM, k, at1(b, x, k));
  sp_expr back = at1(b, x, sp_isub(b->p, sp_int(b->p, 999), m));
  sp_expr same = red1(b, SP_RED_SUM, m, back);
  sp_expr other = sp_scale(b->p, sum, sp_num_from_i64(b->p, 2));
  PROVED(sp_probe_equal(pr, sum, same, NONE));
  OPEN(sp_probe_equal(pr, sum, other, NONE));
  sp_probe_values want;
  sp_prover *new = prover(b);
  OPEN(sp_probe(new, sum, NONE, LITTLE, &want));
  PROVED(sp_probe(new, sum, NONE, MUCH, &want));
  OPEN(sp_probe_like(new, same, LITTLE, &want));
  PROVED(sp_probe_like(new, same, MUCH, &want));
  OPEN(sp_probe_like(new, other, MUCH, &want));
}

/* A hypothesis that one value in 64 fulfils, and one that none does. */
static void probing_under_hypotheses(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 64);
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, 64);
  sp_expr i = index_var(b, 64), five = sp_int(b->p, 5);
  sp_expr is_five = sp_eq(b->p, i, five);
  sp_hyps rare = spi_hyps_with(pr, NONE, is_five);
  CU_ASSERT_TRUE(sp_probe_equal(pr, at1(b, x, i), at1(b, x, five), rare));
  CU_ASSERT_FALSE(sp_probe_equal(pr, at1(b, x, i), at1(b, y, i), rare));
  uint64_t before = sp_solver_statistics(b->s)->asked;
  OPEN(sp_prove_never(pr, "never", sp_lt(b->p, i, sp_int(b->p, 16)), NONE));
  CU_ASSERT_EQUAL(sp_solver_statistics(b->s)->asked, before); /* a place */
  PROVED(sp_prove_never(pr, "never", sp_lt(b->p, i, five), rare));
  /* too rare to be found by chance: the solver says so */
  sp_expr j = index_var(b, 1000000);
  OPEN(sp_prove_never(pr, "never", sp_eq(b->p, j, five), NONE));
}

/* What is false somewhere, at a border, too, is not asked of the solver; what
 * rounding makes different is. */
static void goals(bench *b) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  const sp_solver_stats *s = sp_solver_statistics(b->s);
  sp_expr i = index_var(b, 100000), last = sp_int(p, 99999);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 100000);
  OPEN(sp_prove_holds(pr, "inside", sp_lt(p, i, last), NONE));
  sp_expr moved = at1(b, x, sp_iaddc(p, i, -1));
  sp_expr edge = sp_ite(p, sp_eq(p, i, last), moved, at1(b, x, i));
  OPEN(sp_prove_holds(pr, "edge", sp_eq(p, edge, at1(b, x, i)), NONE));
  sp_expr here = sp_eq(p, i, sp_int(p, 0));
  OPEN(sp_prove_holds(pr, "given", sp_not(p, here),
                      spi_hyps_with(pr, NONE, here)));
  CU_ASSERT_EQUAL(s->by_value, 3);
  CU_ASSERT_EQUAL(s->steps, 0);
  PROVED(sp_prove_holds(pr, "inside", sp_lt(p, i, sp_int(p, 100000)), NONE));
  /* (x / 3 + x / 3) + x / 3, not rounded */
  sp_expr a = at1(b, x, i), c = at1(b, x, last), sum = sp_real_i64(p, 0);
  for (int k = 0; k < 7; k++) {
    sum = sp_add(p, sum, sp_mul(p, c, sp_scale(p, a, sp_num_ratio(p, 1, 7))));
  }
  sp_expr product = sp_mul(p, a, c);
  sp_expr equal_or = sp_or(p, sp_eq(p, sum, product), sp_lt(p, i, last));
  PROVED(sp_prove_holds(pr, "rounded", equal_or, NONE));
  /* a sign that is known */
  sp_sym e = tensor(b, "e", SP_SORT_REAL, 1, 100000);
  sp_sym_take_sign(p, e, sp_fn1(p, "exp", a));
  sp_expr less = sp_lt(p, at1(b, e, i), sp_real_i64(p, 0));
  PROVED(sp_prove_holds(pr, "sign", sp_not(p, less), NONE));
  CU_ASSERT_EQUAL(s->by_value, 3);
}

static void budget(bench *b) {
  sp_prover *pr = prover(b);
  sp_prover_budget(pr, 1000);
  sp_expr i = index_var(b, 8);
  PROVED(sp_prove_holds(pr, "before", sp_lt(b->p, i, sp_int(b->p, 8)), NONE));
  for (int k = 0; k < 1000000 && !sp_prover_worn(pr); k++) {
    sp_fresh(b->p, 3);
  }
  CU_ASSERT_TRUE(sp_prover_late(pr));
  OPEN(sp_prove_holds(pr, "after", sp_lt(b->p, i, sp_int(b->p, 9)), NONE));
}

BENCH_TEST(what_watches_a_proof_may_end_it, watching)
BENCH_TEST(what_others_did_is_no_effort, excuse)
BENCH_TEST(a_doubted_proof_gets_little, effort)
BENCH_TEST(values_tell_terms_apart, probing)
BENCH_TEST(what_holds_nearly_nowhere_is_compared_there,
           probing_under_hypotheses)
BENCH_TEST(what_is_false_somewhere_is_not_asked, goals)
BENCH_TEST(work_that_is_used_up_ends_all_proofs, budget)

void suite_prover(void) {
  CU_pSuite s = CU_add_suite("prover", NULL, NULL);
#define ADD(t) CU_add_test(s, #t, t)
  ADD(what_watches_a_proof_may_end_it);
  ADD(what_others_did_is_no_effort);
  ADD(a_doubted_proof_gets_little);
  ADD(values_tell_terms_apart);
  ADD(what_holds_nearly_nowhere_is_compared_there);
  ADD(what_is_false_somewhere_is_not_asked);
  ADD(work_that_is_used_up_ends_all_proofs);
#undef ADD
}
