/* test_equations.c: values of unknowns that follow from equations between
 * indices (solve/equations.h), and of those that do not.
 */
#include "solve/equations.h"
#include "tests/support_rules.h"

void suite_equations(void);

static void mixed_radix(bench *b) {
  sp_pool *p = b->p;
  sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr i = index_var(b, 768), r = sp_var(p, SP_VAR_RANK, "r", 8);
  sp_expr j = index_var(b, 96);
  sp_equations eqs = {0}, none = {0};
  /* i div 24 = 4 r + j div 24 and i mod 24 = j mod 24 */
  sp_push(
      b->ctx, &eqs,
      ((sp_equation){sp_idiv(p, i, 24), digits(b, r, 4, sp_idiv(p, j, 24))}));
  sp_push(b->ctx, &eqs, ((sp_equation){sp_imod(p, i, 24), sp_imod(p, j, 24)}));
  sp_expr value;
  sp_equations_solve(p, &eqs, &none, 1, &i, &value);
  CU_ASSERT_EQUAL(value.v, digits(b, r, 96, j).v);
}

static void digits_of_one_equation(bench *b) {
  sp_pool *p = b->p;
  sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr high = sp_fresh(p, 4), low = sp_fresh(p, 8), x = index_var(b, 32);
  sp_equations eqs = {0}, none = {0};
  sp_push(b->ctx, &eqs, ((sp_equation){digits(b, high, 8, low), x}));
  sp_expr unknown[2] = {high, low}, value[2];
  sp_equations_solve(p, &eqs, &none, 2, unknown, value);
  CU_ASSERT_EQUAL(value[0].v, sp_idiv(p, x, 8).v);
  CU_ASSERT_EQUAL(value[1].v, sp_imod(p, x, 8).v);
}

/* 3 q is 2 t and a bit, which is that of q. */
static void digits_of_a_multiple(bench *b) {
  sp_pool *p = b->p;
  sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr q = sp_fresh(p, 4), t = index_var(b, 6), bit = index_var(b, 2);
  sp_equations eqs = {0}, weak = {0};
  sp_push(b->ctx, &eqs, ((sp_equation){sp_imod(p, q, 2), bit}));
  sp_push(b->ctx, &weak, ((sp_equation){sp_idiv(p, sp_iscale(p, q, 3), 2), t}));
  sp_expr value;
  sp_equations_solve(p, &eqs, &weak, 1, &q, &value);
  CU_ASSERT_EQUAL(value.v, sp_idiv(p, digits(b, t, 2, bit), 3).v);
}

/* k + i = l + j says nothing of k and i alone: what others say comes first,
 * wherever they stand. */
static void sums_that_overlap_wait(bench *b) {
  sp_pool *p = b->p;
  sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr i = sp_fresh(p, 8), k = sp_fresh(p, 3);
  sp_expr j = index_var(b, 8), l = index_var(b, 3);
  sp_expr unknown[2] = {i, k}, value[2];
  sp_equation sum = {sp_iadd(p, k, i), sp_iadd(p, l, j)}, alone = {k, l};
  for (int weakly = 0; weakly < 2; weakly++) {
    sp_equations eqs = {0}, weak = {0};
    sp_push(b->ctx, &eqs, sum);
    sp_push(b->ctx, weakly ? &weak : &eqs, alone);
    sp_equations_solve(p, &eqs, &weak, 2, unknown, value);
    CU_ASSERT_EQUAL(value[0].v, j.v);
    CU_ASSERT_EQUAL(value[1].v, l.v);
  }
  /* nothing else is said: a guess */
  sp_equations eqs = {0}, none = {0};
  sp_push(b->ctx, &eqs, sum);
  sp_equations_solve(p, &eqs, &none, 2, unknown, value);
  CU_ASSERT_EQUAL(sp_iadd(p, value[0], value[1]).v, sum.rhs.v);
}

static void what_no_equation_says_stays_open(bench *b) {
  sp_pool *p = b->p;
  sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr i = index_var(b, 32), j = index_var(b, 32), x = index_var(b, 32);
  sp_equations eqs = {0}, none = {0};
  sp_push(b->ctx, &eqs, ((sp_equation){i, x}));
  sp_expr unknown[2] = {i, j}, value[2];
  sp_equations_solve(p, &eqs, &none, 2, unknown, value);
  CU_ASSERT_EQUAL(value[0].v, x.v);
  CU_ASSERT_EQUAL(value[1].v, 0);
}

BENCH_TEST(digits_combine_to_an_index, mixed_radix)
BENCH_TEST(one_equation_gives_all_digits, digits_of_one_equation)
BENCH_TEST(digits_of_a_multiple_are_those_of_a_number, digits_of_a_multiple)
BENCH_TEST(sums_whose_ranges_overlap_are_guesses, sums_that_overlap_wait)
BENCH_TEST(an_unknown_without_equation_has_no_value,
           what_no_equation_says_stays_open)

void suite_equations(void) {
  CU_pSuite s = CU_add_suite("equations", NULL, NULL);
#define ADD(t) CU_add_test(s, #t, t)
  ADD(digits_combine_to_an_index);
  ADD(one_equation_gives_all_digits);
  ADD(digits_of_a_multiple_are_those_of_a_number);
  ADD(sums_whose_ranges_overlap_are_guesses);
  ADD(an_unknown_without_equation_has_no_value);
#undef ADD
}
