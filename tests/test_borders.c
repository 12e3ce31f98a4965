/* test_borders.c: rules of solve/ for what has a border or a single value: both
 * branches of a choice, a maximum of one term, masked logic. Each with a broken
 * twin that must not be proved. The pool is in RAW_INDEX mode.
 */
#include "tests/support_rules.h"

void suite_borders(void);

static sp_expr below(bench *b, sp_expr i, int64_t end) {
  return sp_lt(b->p, i, sp_int(b->p, end));
}

/* ---- branches ---- */

/* A row's sum where i < end, else 0. */
static sp_expr row_sum(bench *b, sp_sym x, sp_expr i, sp_expr row,
                       int64_t end) {
  sp_expr k = sp_fresh(b->p, 8);
  return sp_ite(b->p, below(b, i, end), sum1(b, k, at2(b, x, row, k)),
                sp_real_i64(b->p, 0));
}

static void sums_inside(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 2, 8);
  sp_expr i = index_var(b, 8), zero = sp_int(b->p, 0);
  PROVED(sp_prove_equal(pr, row_sum(b, x, i, i, 1), row_sum(b, x, i, zero, 1),
                        NONE));
  OPEN(sp_prove_equal(pr, row_sum(b, x, i, i, 2), row_sum(b, x, i, zero, 2),
                      NONE));
  OPEN(sp_prove_equal(pr, row_sum(b, x, i, zero, 1), row_sum(b, x, i, zero, 2),
                      NONE));
}

/* What each of three ranks has, else 0, added up. */
static sp_expr thirds(bench *b, sp_sym x, sp_expr i, int64_t last) {
  sp_pool *p = b->p;
  sp_expr one = sp_real_i64(p, 1), none = sp_real_i64(p, 0);
  sp_expr first = sp_ite(p, below(b, i, 3), one, none);
  sp_expr second = sp_ite(
      p, sp_and(p, sp_not(p, below(b, i, 3)), below(b, i, 6)), one, none);
  sp_expr third = sp_ite(p, below(b, i, last), none, one);
  return sp_mul(p, sp_add(p, sp_add(p, first, second), third), at1(b, x, i));
}

static void counted_once(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 9);
  sp_expr i = index_var(b, 9);
  PROVED(sp_prove_equal(pr, at1(b, x, i), thirds(b, x, i, 6), NONE));
  OPEN(sp_prove_equal(pr, at1(b, x, i), thirds(b, x, i, 5), NONE));
  OPEN(sp_prove_equal(pr, at1(b, x, i), thirds(b, x, i, 7), NONE));
}

/* ---- reductions with choices in them ---- */

/* x_0 x_1 x_2, the same at i, the choices nested in another order. */
static sp_expr product(bench *b, sp_sym x, sp_expr i, int64_t middle,
                       bool turned) {
  sp_pool *p = b->p;
  sp_expr k = sp_fresh(p, 3), part[3];
  for (int n = 0; n < 3; n++) {
    part[n] = at2(b, x, sp_int(p, n), i);
  }
  sp_expr body = turned ? sp_ite(p, sp_lt(p, sp_int(p, middle), k), part[2],
                                 sp_ite(p, below(b, k, 1), part[0], part[1]))
                        : sp_ite(p, below(b, k, 1), part[0],
                                 sp_ite(p, below(b, k, 2), part[1], part[2]));
  return sp_red(p, SP_RED_PROD, 1, &k, body);
}

static void same_product(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 2, 4);
  sp_expr i = index_var(b, 4);
  sp_expr want = product(b, x, i, 0, false);
  PROVED(sp_prove_equal(pr, want, product(b, x, i, 1, true), NONE));
  OPEN(sp_prove_equal(pr, want, product(b, x, i, 0, true), NONE));
}

/* ---- one term, often ---- */

/* max over k < 40 of x_i where k < end */
static sp_expr most(bench *b, sp_sym x, sp_expr i, sp_expr end) {
  sp_expr k = sp_fresh(b->p, 40);
  sp_expr body =
      sp_ite(b->p, sp_lt(b->p, k, end), at1(b, x, i), sp_inf(b->p, true));
  return sp_red(b->p, SP_RED_MAX, 1, &k, body);
}

static void maximum_of_one(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 8);
  sp_expr i = index_var(b, 8);
  sp_expr more = sp_iaddc(b->p, i, 1);
  PROVED(sp_prove_equal(pr, at1(b, x, i), most(b, x, i, more), NONE));
  /* none at all where i = 0; another element */
  OPEN(sp_prove_equal(pr, at1(b, x, i), most(b, x, i, i), NONE));
  OPEN(sp_prove_equal(pr, at1(b, x, sp_int(b->p, 0)), most(b, x, i, more),
                      NONE));
}

/* ---- a concatenation, cut ---- */

/* Four ranks with three elements each; those up to `last` hold x. */
static sp_expr of_ranks(bench *b, sp_red_op op, sp_sym x, sp_sym y,
                        int64_t last) {
  sp_pool *p = b->p;
  sp_expr k[3] = {sp_fresh(p, 4), sp_fresh(p, 3), sp_fresh(p, 3)};
  sp_expr of_y = sp_iaddc(p, digits(b, k[0], 3, k[2]), -6);
  sp_expr body = sp_ite(p, sp_le(p, k[0], sp_int(p, last)),
                        at1(b, x, digits(b, k[0], 3, k[1])), at1(b, y, of_y));
  return sp_red(p, op, 3, k, body);
}

static void cut_concatenation(bench *b) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 12);
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, 12);
  for (int min = 0; min < 2; min++) {
    sp_red_op op = min ? SP_RED_MIN : SP_RED_MAX;
    sp_expr k = sp_fresh(p, 12);
    sp_expr body =
        sp_ite(p, below(b, k, 6), at1(b, x, k), at1(b, y, sp_iaddc(p, k, -6)));
    sp_expr want = sp_red(p, op, 1, &k, body);
    PROVED(sp_prove_equal(pr, want, of_ranks(b, op, x, y, 1), NONE));
    OPEN(sp_prove_equal(pr, want, of_ranks(b, op, x, y, 0), NONE));
    OPEN(sp_prove_equal(pr, want, of_ranks(b, op, x, y, 2), NONE));
    OPEN(sp_prove_equal(pr, want, of_ranks(b, op, x, x, 1), NONE));
  }
}

/* The minima of x, y, z on a rank each; others: z where the rank is `third`. */
static sp_expr minima(bench *b, sp_sym x, sp_sym y, sp_sym z, int64_t third) {
  sp_pool *p = b->p;
  sp_sym of[3] = {x, y, z};
  sp_expr r = sp_fresh(p, 3), part[3];
  for (int n = 0; n < 3; n++) {
    sp_expr k = sp_fresh(p, 6);
    part[n] = sp_red(p, SP_RED_MIN, 1, &k, at1(b, of[n], k));
  }
  sp_expr first = sp_eq(p, r, sp_int(p, 0));
  sp_expr last = sp_eq(p, r, sp_int(p, third));
  sp_expr body = sp_ite(p, first, part[0], sp_ite(p, last, part[2], part[1]));
  return sp_red(p, SP_RED_MIN, 1, &r, body);
}

static void concatenation_by_ranks(bench *b) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 12);
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, 12);
  sp_sym z = tensor(b, "z", SP_SORT_REAL, 1, 12);
  sp_expr k = sp_fresh(p, 18);
  sp_expr body =
      sp_ite(p, below(b, k, 6), at1(b, x, k),
             sp_ite(p, below(b, k, 12), at1(b, y, sp_iaddc(p, k, -6)),
                    at1(b, z, sp_iaddc(p, k, -12))));
  sp_expr want = sp_red(p, SP_RED_MIN, 1, &k, body);
  PROVED(sp_prove_equal(pr, want, minima(b, x, y, z, 2), NONE));
  PROVED(sp_prove_equal(pr, want, minima(b, x, y, z, 1), NONE));
  OPEN(sp_prove_equal(pr, want, minima(b, x, y, z, 0), NONE));
  OPEN(sp_prove_equal(pr, want, minima(b, x, y, y, 2), NONE));
}

/* ---- logic ---- */

/* Some (all) of y over 7 x 6 places that lie before the end. */
static sp_expr masked(bench *b, sp_sym y, sp_red_op op, int64_t end) {
  sp_pool *p = b->p;
  sp_expr k[2] = {sp_fresh(p, 7), sp_fresh(p, 6)};
  sp_expr at = sp_iadd(p, sp_iscale(p, k[0], 6), k[1]);
  sp_expr in = below(b, at, end), v = at1(b, y, at);
  return sp_red(p, op, 2, k,
                op == SP_RED_OR ? sp_and(p, in, v)
                                : sp_or(p, sp_not(p, in), v));
}

static void masked_logic(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym y = tensor(b, "y", SP_SORT_BOOL, 1, 48);
  for (int any = 0; any < 2; any++) {
    sp_red_op op = any ? SP_RED_OR : SP_RED_AND;
    sp_expr k = sp_fresh(b->p, 40);
    sp_expr want = sp_red(b->p, op, 1, &k, at1(b, y, k));
    PROVED(sp_prove_equal(pr, want, masked(b, y, op, 40), NONE));
    OPEN(sp_prove_equal(pr, want, masked(b, y, op, 39), NONE));
    OPEN(sp_prove_equal(pr, want, masked(b, y, op, 41), NONE));
  }
}

BENCH_TEST(sums_are_equal_inside_of_the_border, sums_inside)
BENCH_TEST(each_element_is_counted_once, counted_once)
BENCH_TEST(choices_may_be_nested_in_another_order, same_product)
BENCH_TEST(a_maximum_of_one_term_is_the_term, maximum_of_one)
BENCH_TEST(a_concatenation_may_be_cut, cut_concatenation)
BENCH_TEST(each_rank_may_hold_an_operand, concatenation_by_ranks)
BENCH_TEST(masked_logic_is_logic_of_fewer, masked_logic)

void suite_borders(void) {
  CU_pSuite s = CU_add_suite("borders", NULL, NULL);
#define ADD(t) CU_add_test(s, #t, t)
  ADD(sums_are_equal_inside_of_the_border);
  ADD(each_element_is_counted_once);
  ADD(choices_may_be_nested_in_another_order);
  ADD(a_maximum_of_one_term_is_the_term);
  ADD(a_concatenation_may_be_cut);
  ADD(each_rank_may_hold_an_operand);
  ADD(masked_logic_is_logic_of_fewer);
#undef ADD
}
