/* test_real.c: rationals and the normal form of reals: each rewrite, and the
 * tempting wrong ones. Reductions: test_red.c; random terms:
 * test_real_random.c.
 */
#include "tests/suites.h"
#include "tests/support_terms.h"

void suite_real(void);

/* ---- rationals ---- */

TEST(rationals_are_interned_in_lowest_terms) {
  CU_ASSERT(sp_num_eq(ratio(p, 2, -4), ratio(p, -1, 2)));
  CU_ASSERT_STRING_EQUAL(sp_num_text(p, ratio(p, 6, -8)), "-3/4");
  CU_ASSERT_STRING_EQUAL(sp_num_text(p, ratio(p, 24, 2)), "12");
  sp_num half = ratio(p, 1, 2), third = ratio(p, 1, 3);
  CU_ASSERT(sp_num_eq(sp_num_add(p, half, third), ratio(p, 5, 6)));
  CU_ASSERT(sp_num_eq(sp_num_mul(p, half, third), ratio(p, 1, 6)));
  CU_ASSERT(sp_num_eq(sp_num_inv(p, ratio(p, -2, 3)), ratio(p, -3, 2)));
  CU_ASSERT_EQUAL(sp_num_cmp(p, third, half), -1);
  CU_ASSERT_EQUAL(sp_num_sign(p, sp_num_neg(p, half)), -1);
  CU_ASSERT(fabs(sp_num_double(p, third) - 1.0 / 3) < 1e-15);
}

TEST(rationals_grow_past_64_bits_and_come_back) {
  sp_num big = sp_num_from_i64(p, INT64_MAX);
  sp_num square = sp_num_mul(p, big, big);
  CU_ASSERT_STRING_EQUAL(sp_num_text(p, square),
                         "85070591730234615847396907784232501249");
  CU_ASSERT(sp_num_eq(sp_num_mul(p, square, sp_num_inv(p, big)), big));
  CU_ASSERT_EQUAL(sp_num_cmp(p, square, big), 1);
  CU_ASSERT_EQUAL(sp_num_sign(p, sp_num_neg(p, square)), -1);
  sp_num least = sp_num_from_i64(p, INT64_MIN);
  CU_ASSERT_STRING_EQUAL(sp_num_text(p, sp_num_neg(p, least)),
                         "9223372036854775808");
  CU_ASSERT(sp_num_eq(sp_num_neg(p, sp_num_neg(p, least)), least));
  CU_ASSERT(sp_num_eq(sp_num_inv(p, sp_num_inv(p, least)), least));
  CU_ASSERT(sp_num_eq(ratio(p, INT64_MIN, INT64_MIN), ratio(p, 1, 1)));
  CU_ASSERT(sp_num_eq(
      sp_num_add(p, sp_num_add(p, big, big), sp_num_neg(p, big)), big));
}

TEST(literals_are_their_shortest_decimal) {
  CU_ASSERT_STRING_EQUAL(sp_num_text(p, sp_num_from_double(p, 0.1, 53)),
                         "1/10");
  CU_ASSERT_STRING_EQUAL(
      sp_num_text(p, sp_num_from_double(p, (double)0.1f, 24)), "1/10");
  /* the text 0.0833333358 reads as the same float as 1/12, its neighbour does
   * not, and six digits are what somebody wrote */
  CU_ASSERT(
      sp_num_eq(sp_num_from_double(p, 0.0833333358, 24), ratio(p, 1, 12)));
  CU_ASSERT(sp_num_eq(sp_num_from_double(p, (double)(-1.0f / 98304), 24),
                      ratio(p, -1, 98304)));
  CU_ASSERT(
      !sp_num_eq(sp_num_from_double(p, 0.0833333433, 24), ratio(p, 1, 12)));
  CU_ASSERT(sp_num_eq(sp_num_from_double(p, (double)0.333333f, 24),
                      ratio(p, 333333, 1000000)));
  CU_ASSERT(sp_num_eq(sp_num_from_double(p, 1e-5, 24), ratio(p, 1, 100000)));
  CU_ASSERT(sp_num_eq(sp_num_from_double(p, -2.5, 8), ratio(p, -5, 2)));
  CU_ASSERT(sp_num_eq(sp_num_from_double(p, 0.2001953125, 8), ratio(p, 1, 5)));
  CU_ASSERT(sp_num_eq(sp_num_from_double(p, -0.0, 24), ratio(p, 0, 1)));
  CU_ASSERT(sp_num_eq(sp_num_from_double(p, 128.0, 8), ratio(p, 128, 1)));
  CU_ASSERT(sp_num_eq(sp_num_from_double(p, 0.1 / 12, 53), ratio(p, 1, 120)));
  CU_ASSERT(sp_num_eq(sp_num_from_double(p, -5.0 / 3, 53), ratio(p, -5, 3)));
  /* not what is next to a fraction, nor any double */
  CU_ASSERT(!sp_num_eq(sp_num_from_double(p, 1 - 0.9, 53), ratio(p, 1, 10)));
  CU_ASSERT(!sp_num_eq(sp_num_from_double(p, 0.30000000000000004, 53),
                       ratio(p, 3, 10)));
  CU_ASSERT(strlen(sp_num_text(
                p, sp_num_from_double(p, 0.7978845608028654, 53))) > 20);
  sp_num huge = sp_num_from_double(p, 1e300, 53);
  CU_ASSERT_EQUAL(strlen(sp_num_text(p, huge)), 301);
  sp_num tiny = sp_num_from_double(p, 5e-324, 53);
  CU_ASSERT_EQUAL(sp_num_text(p, tiny)[0], '1'); /* 1/2000...: lowest terms */
}

static void grow_without_end(sp_ctx *ctx, void *arg) {
  (void)arg;
  sp_pool *p = sp_pool_new(ctx);
  sp_num x = sp_num_from_i64(p, INT64_MAX);
  for (;;) {
    x = sp_num_mul(p, x, x);
  }
}

static void constants_of_extreme_size_are_refused(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, grow_without_end, NULL), SP_ERR_LIMIT);
  sp_ctx_free(ctx);
}

/* ---- sums and products ---- */

TEST(sums_merge_like_terms) {
  sp_expr a = scalar(p, "a"), b = scalar(p, "b");
  SAME(sp_add(p, sp_add(p, a, b), a), sp_add(p, b, scale(p, a, 2)));
  SAME(sp_sub(p, a, a), zero(p));
  SAME(sp_add(p, a, zero(p)), a);
  SAME(sp_sub(p, sp_add(p, a, b), b), a);
  SAME(sp_scale(p, scale(p, a, 3), ratio(p, 1, 3)), a);
  SAME(sp_scale(p, a, ratio(p, 0, 1)), zero(p));
}

TEST(sums_factor_a_common_denominator) {
  sp_expr a = scalar(p, "a"), b = scalar(p, "b"), c = scalar(p, "c");
  SAME(sp_add(p, sp_div(p, a, c), sp_div(p, b, c)),
       sp_div(p, sp_add(p, a, b), c));
  SAME(sp_sub(p, sp_div(p, a, c), sp_div(p, a, c)), zero(p));
}

TEST(sums_factor_a_common_element) {
  sp_expr a = scalar(p, "a"), b = scalar(p, "b"), c = scalar(p, "c");
  SAME(sp_add(p, sp_mul(p, a, c), sp_mul(p, b, c)),
       sp_mul(p, sp_add(p, a, b), c));
  sp_expr low = sp_lt(p, sp_fresh(p, 8), sp_int(p, 3));
  SAME(sp_add(p, guarded(p, low, sp_mul(p, a, c)), sp_mul(p, b, c)),
       sp_mul(p, sp_add(p, guarded(p, low, a), b), c));
  DIFFER(sp_add(p, sp_mul(p, a, c), b), sp_mul(p, sp_add(p, a, b), c));
}

TEST(one_less_a_guard_is_the_opposite_guard) {
  sp_expr one = num(p, 1, 1), low = sp_lt(p, sp_fresh(p, 8), sp_int(p, 3));
  SAME(sp_sub(p, one, guarded(p, low, one)), guarded(p, sp_not(p, low), one));
  SAME(sp_sub(p, guarded(p, low, one), one),
       scale(p, guarded(p, sp_not(p, low), one), -1));
  DIFFER(sp_add(p, one, guarded(p, low, one)), guarded(p, sp_not(p, low), one));
}

TEST(choices_by_the_rank_join) {
  sp_sym x = vector(p, "x"), y = vector(p, "y");
  sp_expr rank = sp_var(p, SP_VAR_RANK, "rank", 3), j = sp_fresh(p, 2);
  sp_expr first = sp_eq(p, rank, sp_int(p, 0));
  sp_expr second = sp_eq(p, rank, sp_int(p, 1));
  sp_expr rest = sp_ite(p, second, at(p, x, sp_iaddc(p, j, 2)),
                        at(p, x, sp_iaddc(p, j, 4)));
  sp_expr at_rank = sp_iadd(p, sp_iscale(p, rank, 2), j);
  SAME(sp_ite(p, first, at(p, x, j), rest), at(p, x, at_rank));
  DIFFER(sp_ite(p, first, at(p, x, sp_iaddc(p, j, 1)), rest),
         at(p, x, at_rank));
  CU_ASSERT_EQUAL(kind(p, sp_ite(p, first, at(p, y, j), rest)), SP_KIND_ITE);
}

/* Found by random terms: the constant of a product that is multiplied out. */
TEST(sums_open_products_with_exp_completely) {
  sp_expr a = scalar(p, "a"), x = scalar(p, "x"), y = scalar(p, "y");
  sp_expr e = sp_exp(p, a), minus = sp_exp(p, scale(p, a, -1));
  sp_expr s = sp_mul(p, e, sp_add(p, x, scale(p, minus, 3)));
  SAME(sp_add(p, s, y), sp_add(p, sp_mul(p, e, x), sp_add(p, y, num(p, 3, 1))));
}

TEST(sums_of_exps_have_one_shift) {
  sp_expr a = scalar(p, "a"), b = scalar(p, "b"), c = scalar(p, "c");
  sp_expr x = scalar(p, "x"), y = scalar(p, "y");
  sp_expr s = sp_add(p, sp_mul(p, sp_exp(p, a), x), sp_mul(p, sp_exp(p, b), y));
  sp_expr t = sp_add(p, sp_mul(p, sp_exp(p, sp_add(p, c, a)), x),
                     sp_mul(p, sp_exp(p, sp_add(p, b, c)), y));
  SAME(sp_mul(p, sp_exp(p, c), s), t);
  DIFFER(sp_div(p, t, s), sp_exp(p, c)); /* s may be zero */
  SAME(sp_sub(p, t, sp_mul(p, s, sp_exp(p, c))), zero(p));
  /* equal terms but for the exp: no end to measuring one from the other */
  sp_expr u = sp_add(p, sp_mul(p, sp_exp(p, a), x), sp_mul(p, sp_exp(p, b), x));
  DIFFER(u, zero(p));
}

TEST(infinities_do_not_cancel) {
  sp_expr a = scalar(p, "a"), inf = sp_inf(p, false), minus = sp_inf(p, true);
  SAME(sp_sub(p, inf, inf), sp_nan(p));
  SAME(sp_sub(p, sp_add(p, a, inf), inf), sp_nan(p));
  SAME(sp_sub(p, inf, minus), inf);
  DIFFER(sp_sub(p, sp_add(p, a, inf), inf), a);
  CU_ASSERT_EQUAL(kind(p, sp_add(p, a, inf)), SP_KIND_ADD);
  SAME(scale(p, inf, -2), minus);
  SAME(sp_add(p, inf, inf), inf);
  SAME(sp_add(p, inf, num(p, 3, 1)), inf);
}

TEST(what_is_computed_of_nan_is_nan) {
  sp_expr a = scalar(p, "a"), nan = sp_nan(p), inf = sp_inf(p, false);
  sp_expr none = zero(p), i = sp_fresh(p, 5);
  SAME(sp_sub(p, nan, nan), nan);
  SAME(sp_add(p, a, nan), nan);
  SAME(scale(p, nan, 0), nan);
  SAME(sp_mul(p, nan, none), nan);
  SAME(sp_div(p, nan, nan), nan);
  SAME(sp_exp(p, nan), nan);
  SAME(sp_fn1(p, "tanh", nan), nan);
  SAME(sp_max(p, a, nan), nan);
  SAME(sp_min(p, nan, sp_inf(p, true)), nan);
  SAME(sp_red(p, SP_RED_SUM, 1, &i, nan), nan);
  SAME(sp_mul(p, none, inf), nan);
  SAME(scale(p, inf, 0), nan);
  SAME(sp_mul(p, none, sp_sub(p, a, inf)), nan);
  SAME(sp_div(p, none, none), nan);
  DIFFER(sp_fn1(p, "func:f", nan), nan); /* may be constant */
  DIFFER(sp_sub(p, a, a), nan);
}

TEST(nothing_compares_with_nan) {
  sp_expr a = scalar(p, "a"), nan = sp_nan(p);
  sp_expr (*const all[])(sp_pool *, sp_expr, sp_expr) = {sp_lt, sp_le, sp_eq};
  for (int i = 0; i < 3; i++) {
    SAME(all[i](p, a, nan), sp_bool(p, false));
    SAME(all[i](p, nan, a), sp_bool(p, false));
    SAME(all[i](p, nan, nan), sp_bool(p, false));
  }
  SAME(sp_not(p, sp_eq(p, nan, nan)), sp_bool(p, true));
  SAME(sp_is_nan(p, nan), sp_bool(p, true));
  SAME(sp_is_nan(p, a), sp_bool(p, false));
  sp_mode was = sp_pool_mode(p, SP_MODE_RAW_INDEX); /* in obligations, too */
  for (int i = 0; i < 3; i++) {
    SAME(all[i](p, nan, nan), sp_bool(p, false));
    SAME(all[i](p, nan, a), sp_bool(p, false));
  }
  sp_pool_mode(p, was);
}

static bool truth(sp_pool *p, sp_expr e) {
  sp_eval_env env = {.budget = 100};
  sp_value v;
  CU_ASSERT_TRUE(sp_eval(p, e, &env, &v) && v.sort == SP_SORT_BOOL);
  return v.b;
}

TEST(numbers_that_are_run_may_be_nan) {
  sp_mode was = sp_pool_mode(p, SP_MODE_NUMBERS);
  sp_expr a = scalar(p, "a"), b = scalar(p, "b"), none = zero(p);
  DIFFER(sp_sub(p, a, a), none);
  DIFFER(sp_mul(p, a, none), none);
  DIFFER(sp_eq(p, a, a), sp_bool(p, true));
  DIFFER(sp_le(p, a, b), sp_not(p, sp_lt(p, b, a)));
  DIFFER(sp_max(p, a, sp_inf(p, false)), sp_inf(p, false));
  SAME(sp_add(p, a, a), scale(p, a, 2));
  SAME(sp_ite(p, sp_bool(p, true), a, b), a);
  sp_expr nan = sp_nan(p), one = num(p, 1, 1);
  CU_ASSERT_FALSE(truth(p, sp_le(p, one, nan)));
  CU_ASSERT_FALSE(truth(p, sp_eq(p, nan, nan)));
  CU_ASSERT_TRUE(truth(p, sp_not(p, sp_lt(p, nan, one))));
  CU_ASSERT_TRUE(truth(p, sp_is_nan(p, sp_max(p, one, nan))));
  CU_ASSERT_TRUE(truth(p, sp_is_nan(p, sp_min(p, nan, one))));
  CU_ASSERT_EQUAL(sp_pool_mode(p, was), SP_MODE_NUMBERS);
  SAME(sp_le(p, a, b), sp_not(p, sp_lt(p, b, a)));
}

TEST(products_are_flat_and_sorted) {
  sp_expr a = scalar(p, "a"), b = scalar(p, "b"), c = scalar(p, "c");
  SAME(sp_mul(p, sp_mul(p, a, b), c), sp_mul(p, c, sp_mul(p, b, a)));
  SAME(sp_mul(p, scale(p, a, 2), scale(p, b, 3)), scale(p, sp_mul(p, a, b), 6));
  SAME(sp_mul(p, a, zero(p)), zero(p));
  SAME(sp_mul(p, a, num(p, 1, 1)), a);
  sp_expr s = sp_add(p, a, b);
  SAME(sp_mul(p, c, scale(p, s, 2)), scale(p, sp_mul(p, c, s), 2));
  SAME(sp_mul(p, c, sp_sub(p, a, b)),
       scale(p, sp_mul(p, c, sp_sub(p, b, a)), -1));
}

TEST(exps_merge) {
  sp_expr a = scalar(p, "a"), b = scalar(p, "b"), x = scalar(p, "x");
  SAME(sp_mul(p, sp_exp(p, a), sp_exp(p, b)), sp_exp(p, sp_add(p, a, b)));
  SAME(sp_mul(p, sp_exp(p, a), sp_inv(p, sp_exp(p, a))), num(p, 1, 1));
  SAME(sp_exp(p, zero(p)), num(p, 1, 1));
  SAME(sp_exp(p, sp_inf(p, true)), zero(p));
  SAME(sp_exp(p, sp_add(p, a, sp_inf(p, true))), zero(p));
  SAME(sp_exp(p, sp_inf(p, false)), sp_inf(p, false));
  sp_expr both = sp_add(p, sp_inf(p, false), sp_inf(p, true));
  DIFFER(sp_exp(p, scale(p, both, 0)), zero(p));
  sp_expr square = sp_mul(p, x, x), l = sp_fn1(p, "log", square);
  SAME(sp_exp(p, sp_add(p, a, l)), sp_mul(p, square, sp_exp(p, a)));
  SAME(sp_exp(p, sp_sub(p, a, l)), sp_mul(p, sp_inv(p, square), sp_exp(p, a)));
  SAME(sp_fn1(p, "log", sp_exp(p, a)), a);
  sp_expr c = sp_lt(p, a, b);
  SAME(sp_exp(p, sp_ite(p, c, a, x)), sp_ite(p, c, sp_exp(p, a), sp_exp(p, x)));
}

TEST(only_what_is_not_zero_cancels) {
  const char *const *notes;
  sp_expr a = scalar(p, "a"), b = scalar(p, "b");
  sp_expr pos = sp_add(p, num(p, 1, 1), sp_exp(p, a));
  SAME(sp_div(p, pos, pos), num(p, 1, 1));
  SAME(sp_div(p, sp_mul(p, a, pos), pos), a);
  CU_ASSERT_EQUAL(sp_pool_notes(p, &notes), 0);
  DIFFER(sp_div(p, sp_mul(p, a, b), a), b);
  DIFFER(sp_div(p, b, b), num(p, 1, 1));
  DIFFER(sp_inv(p, sp_inv(p, b)), b);
  DIFFER(sp_exp(p, sp_fn1(p, "log", b)), b);
  sp_pool_note(p, "x");
  sp_pool_note(p, "x");
  CU_ASSERT_EQUAL(sp_pool_notes(p, &notes), 1);
}

TEST(a_maximum_in_an_exponent_is_noted) {
  const char *const *notes;
  sp_sym v = vector(p, "v");
  sp_expr k = sp_fresh(p, 4), i = sp_var(p, SP_VAR_INDEX, "i", 4);
  sp_expr x = at(p, v, k), a = scalar(p, "a");
  sp_exp(p, sp_sub(p, a, red1(p, SP_RED_MAX, k, x)));
  sp_expr masked = sp_ite(p, sp_lt(p, k, i), sp_inf(p, true), x);
  sp_exp(p, masked);
  CU_ASSERT_EQUAL(sp_pool_notes(p, &notes), 0);
  sp_exp(p, sp_sub(p, a, red1(p, SP_RED_MAX, k, masked)));
  CU_ASSERT_EQUAL_FATAL(sp_pool_notes(p, &notes), 1);
  CU_ASSERT_PTR_NOT_NULL(strstr(notes[0], "masked"));
}

/* What may be infinite is not moved around; only a maximum is taken not to be,
 * and not one that is masked as a whole where a rank or index has an end. */
TEST(what_may_be_infinite_does_not_cancel) {
  const char *const *notes;
  sp_sym v = vector(p, "v"), t = vector(p, "t"), m = vector(p, "m");
  sp_expr k = sp_fresh(p, 4), i = sp_var(p, SP_VAR_INDEX, "i", 4);
  sp_expr one = num(p, 1, 1), seven = sp_int(p, 7), x = at(p, v, k);
  sp_expr in = sp_lt(p, at(p, v, i), one), none = sp_inf(p, true);
  sp_sym_take_sign(p, t, sp_ite(p, in, none, at(p, v, i)));
  sp_expr last = at(p, t, seven), e = sp_exp(p, last);
  DIFFER(sp_mul(p, sp_exp(p, sp_sub(p, x, last)), e), sp_exp(p, x));
  DIFFER(sp_div(p, e, e), one);
  sp_expr from_last = sp_exp(p, sp_sub(p, at(p, t, k), last));
  sp_expr sum = sum1(p, k, from_last);
  DIFFER(sp_div(p, from_last, sum),
         sp_div(p, sp_exp(p, at(p, t, k)), sum1(p, k, sp_exp(p, at(p, t, k)))));
  sp_expr large = sp_ite(p, in, sp_inf(p, false), one);
  DIFFER(sp_div(p, large, large), one);
  CU_ASSERT_EQUAL(sp_pool_notes(p, &notes), 0);
  sp_expr causal = sp_ite(p, sp_lt(p, i, k), none, x);
  sp_expr later = sp_lt(p, i, sp_iadd(p, k, sp_int(p, 2)));
  sp_expr block = sp_ite(p, later, none, x);
  sp_expr added = sp_ite(p, later, none, zero(p));
  sp_expr blocks[] = {block, sp_add(p, x, added), sp_add(p, x, none)};
  for (int b = 0; b < 3; b++) {
    sp_expr of_block = red1(p, SP_RED_MAX, k, blocks[b]);
    DIFFER(sp_mul(p, sp_exp(p, sp_sub(p, x, of_block)), sp_exp(p, of_block)),
           sp_exp(p, x));
  }
  CU_ASSERT_EQUAL(sp_pool_notes(p, &notes), 0);
  sp_expr of_row = red1(p, SP_RED_MAX, k, causal);
  SAME(sp_mul(p, sp_exp(p, sp_sub(p, x, of_row)), sp_exp(p, of_row)),
       sp_exp(p, x));
  CU_ASSERT_EQUAL(sp_pool_notes(p, &notes), 1);
  sp_sym_take_sign(p, m, of_row);
  SAME(sp_mul(p, sp_exp(p, sp_sub(p, x, at(p, m, i))), sp_exp(p, at(p, m, i))),
       sp_exp(p, x));
}

TEST(zero_guards_leave_products) {
  sp_expr a = scalar(p, "a"), b = scalar(p, "b");
  sp_expr i = sp_var(p, SP_VAR_INDEX, "i", 9);
  sp_expr c = sp_lt(p, i, sp_int(p, 4)), d = sp_lt(p, i, sp_int(p, 2));
  SAME(sp_mul(p, guarded(p, c, a), b), guarded(p, c, sp_mul(p, a, b)));
  SAME(sp_mul(p, sp_ite(p, c, a, zero(p)), b),
       sp_ite(p, c, sp_mul(p, a, b), zero(p)));
  SAME(sp_mul(p, guarded(p, c, a), guarded(p, d, b)),
       guarded(p, sp_or(p, c, d), sp_mul(p, a, b)));
}

TEST(inverses) {
  sp_expr a = scalar(p, "a"), b = scalar(p, "b"), x = scalar(p, "x");
  SAME(sp_inv(p, scale(p, x, 2)), sp_scale(p, sp_inv(p, x), ratio(p, 1, 2)));
  SAME(sp_inv(p, sp_mul(p, a, b)), sp_mul(p, sp_inv(p, a), sp_inv(p, b)));
  DIFFER(sp_inv(p, sp_inv(p, x)), x); /* x may be zero */
  sp_expr positive = sp_add(p, num(p, 1, 1), sp_mul(p, x, x));
  SAME(sp_inv(p, sp_inv(p, positive)), positive);
  SAME(sp_inv(p, sp_exp(p, a)), sp_exp(p, scale(p, a, -1)));
  SAME(sp_inv(p, num(p, 2, 3)), num(p, 3, 2));
  CU_ASSERT_EQUAL(kind(p, sp_inv(p, zero(p))), SP_KIND_FN);
  sp_expr e = sp_exp(p, x);
  sp_expr s = sp_add(p, sp_mul(p, e, a), sp_mul(p, e, b));
  SAME(sp_inv(p, s),
       sp_mul(p, sp_exp(p, scale(p, x, -1)), sp_inv(p, sp_add(p, a, b))));
  SAME(sp_inv(p, sp_scale(p, sp_add(p, a, b), ratio(p, 1, 4))),
       scale(p, sp_inv(p, sp_add(p, a, b)), 4));
  SAME(sp_div(p, a, num(p, 4, 1)), sp_scale(p, a, ratio(p, 1, 4)));
}

TEST(functions_by_name) {
  sp_expr x = scalar(p, "x"), n3 = num(p, 3, 1);
  sp_expr r = sp_fn1(p, "sqrt", x);
  SAME(sp_fn1(p, "rsqrt", x), sp_inv(p, r));
  sp_expr square = sp_mul(p, x, x), s = sp_fn1(p, "sqrt", square);
  SAME(sp_mul(p, s, s), square);
  SAME(sp_mul(p, s, sp_mul(p, r, s)), sp_mul(p, square, r));
  DIFFER(sp_mul(p, r, r), x);
  SAME(sp_fn1(p, "sqrt", num(p, 4, 9)), num(p, 2, 3));
  CU_ASSERT_EQUAL(kind(p, sp_fn1(p, "sqrt", num(p, 2, 1))), SP_KIND_FN);
  CU_ASSERT_EQUAL(kind(p, sp_fn1(p, "sqrt", num(p, -4, 1))), SP_KIND_FN);
  SAME(sp_fn1(p, "logistic", x),
       sp_inv(p, sp_add(p, num(p, 1, 1), sp_exp(p, scale(p, x, -1)))));
  SAME(sp_fn1(p, "abs", num(p, -3, 2)), num(p, 3, 2));
  SAME(sp_fn1(p, "abs", scale(p, x, -2)), scale(p, sp_fn1(p, "abs", x), 2));
  SAME(sp_fn1(p, "floor", num(p, -3, 2)), num(p, -2, 1));
  SAME(sp_fn1(p, "ceil", num(p, -3, 2)), num(p, -1, 1));
  SAME(sp_fn1(p, "sign", num(p, -3, 2)), num(p, -1, 1));
  sp_expr args[2] = {x, n3};
  SAME(sp_fn(p, SP_SORT_REAL, "power", 2, args), sp_mul(p, x, sp_mul(p, x, x)));
  args[1] = num(p, 1, 2);
  CU_ASSERT_EQUAL(kind(p, sp_fn(p, SP_SORT_REAL, "power", 2, args)),
                  SP_KIND_FN);
  CU_ASSERT_EQUAL(kind(p, sp_fn1(p, "tanh", zero(p))), SP_KIND_FN);
}

TEST(logarithms_of_positive_factors) {
  sp_expr a = scalar(p, "a"), b = scalar(p, "b"), x = scalar(p, "x");
  sp_expr e = sp_exp(p, a);
  SAME(sp_fn1(p, "log", sp_mul(p, e, x)), sp_add(p, a, sp_fn1(p, "log", x)));
  SAME(sp_fn1(p, "log", sp_inv(p, x)), scale(p, sp_fn1(p, "log", x), -1));
  sp_expr z = sp_add(p, sp_exp(p, b), num(p, 1, 1));
  SAME(sp_fn1(p, "log", sp_div(p, e, z)), sp_sub(p, a, sp_fn1(p, "log", z)));
  /* both factors might be negative */
  CU_ASSERT_EQUAL(kind(p, sp_fn1(p, "log", sp_mul(p, x, b))), SP_KIND_FN);
  CU_ASSERT_EQUAL(kind(p, sp_fn1(p, "log", sp_div(p, x, b))), SP_KIND_FN);
}

TEST(maxima) {
  sp_expr a = scalar(p, "a"), b = scalar(p, "b"), c = scalar(p, "c");
  SAME(sp_max(p, sp_max(p, a, b), a), sp_max(p, b, a));
  SAME(sp_max(p, a, sp_inf(p, true)), a);
  SAME(sp_min(p, a, sp_inf(p, false)), a);
  SAME(sp_max(p, a, sp_inf(p, false)), sp_inf(p, false));
  SAME(sp_max(p, sp_max(p, a, num(p, 1, 1)), num(p, 3, 1)),
       sp_max(p, a, num(p, 3, 1)));
  SAME(sp_min(p, num(p, 1, 1), num(p, 3, 1)), num(p, 1, 1));
  SAME(sp_max(p, scale(p, a, 2), scale(p, b, 2)), scale(p, sp_max(p, a, b), 2));
  SAME(sp_max(p, scale(p, a, -2), scale(p, b, -2)),
       scale(p, sp_min(p, a, b), -2));
  SAME(sp_max(p, scale(p, a, -1), zero(p)),
       scale(p, sp_min(p, a, zero(p)), -1));
  SAME(sp_max(p, sp_add(p, c, a), sp_add(p, c, b)),
       sp_add(p, c, sp_max(p, a, b)));
  SAME(sp_max(p, sp_max(p, scale(p, a, 2), scale(p, b, 2)), c),
       sp_max(p, sp_max(p, c, scale(p, b, 2)), scale(p, a, 2)));
  SAME(sp_max(p, sp_max(p, sp_add(p, c, a), sp_add(p, c, b)), a),
       sp_max(p, sp_max(p, a, sp_add(p, c, a)), sp_add(p, c, b)));
  /* what is shared would get a common factor, an element of a tensor */
  sp_expr f = scalar(p, "f"), d = scalar(p, "d");
  sp_expr fa = sp_mul(p, f, a), fb = sp_mul(p, f, b);
  sp_expr with_c = sp_add(p, sp_add(p, fa, c), fb);
  sp_expr with_d = sp_add(p, sp_add(p, fa, d), fb);
  SAME(sp_max(p, with_c, with_d),
       sp_add(p, sp_mul(p, f, sp_add(p, a, b)), sp_max(p, c, d)));
  sp_expr square = sp_mul(p, a, a); /* is at least 0, and may be less than 1 */
  SAME(sp_max(p, square, zero(p)), square);
  SAME(sp_max(p, square, num(p, -1, 1)), square);
  DIFFER(sp_max(p, square, num(p, 1, 2)), square);
  DIFFER(sp_max(p, a, zero(p)), a);
  DIFFER(sp_min(p, square, zero(p)), square);
  DIFFER(sp_max(p, sp_sub(p, square, b), zero(p)), sp_sub(p, square, b));
  DIFFER(sp_max(p, a, b), sp_min(p, a, b));
  DIFFER(sp_max(p, scale(p, a, 2), b), sp_max(p, a, b));
}

/* x / x is 1 for a name whose definition is positive, and for what picks
 * elements of positive ones. */
TEST(names_and_picks_have_signs) {
  sp_sym x = vector(p, "x"), y = vector(p, "y"), z = vector(p, "z");
  sp_expr i = sp_fresh(p, 8), k = sp_fresh(p, 8), one = num(p, 1, 1);
  sp_expr e = sp_exp(p, at(p, x, k));
  sp_sym_take_sign(p, y, sp_mul(p, e, sp_inv(p, sum1(p, k, e))));
  sp_sym_take_sign(p, z, sp_mul(p, at(p, x, k), at(p, x, k)));
  SAME(sp_div(p, at(p, y, i), at(p, y, i)), one);
  DIFFER(sp_div(p, at(p, z, i), at(p, z, i)), one); /* may be zero */
  DIFFER(sp_div(p, at(p, x, i), at(p, x, i)), one);
  sp_expr picked[2], other[2] = {red1(p, SP_RED_LAMBDA, k, at(p, z, k)), i};
  picked[0] = red1(p, SP_RED_LAMBDA, k, at(p, y, k));
  picked[1] = i;
  sp_fn_picks(p, "top", false);
  sp_expr v = sp_fn(p, SP_SORT_REAL, "top", 2, picked);
  SAME(sp_div(p, v, v), one);
  v = sp_fn(p, SP_SORT_REAL, "top", 2, other);
  DIFFER(sp_div(p, v, v), one);
  v = sp_fn(p, SP_SORT_REAL, "any", 2, picked);
  DIFFER(sp_div(p, v, v), one);
  sp_fn_picks(p, "place", true);
  v = sp_fn(p, SP_SORT_INT, "place", 2, picked);
  SAME(sp_lt(p, v, sp_int(p, 8)), sp_bool(p, true));
  DIFFER(sp_lt(p, v, sp_int(p, 7)), sp_bool(p, true));
}

TEST(choices_of_numbers_are_compared) {
  sp_expr c = sp_lt(p, sp_fresh(p, 8), sp_int(p, 3));
  sp_expr mask = sp_ite(p, c, num(p, 1, 1), zero(p));
  SAME(sp_lt(p, zero(p), mask), c);
  SAME(sp_lt(p, mask, num(p, 1, 2)), sp_not(p, c));
  SAME(sp_lt(p, mask, zero(p)), sp_bool(p, false));
  SAME(sp_eq(p, mask, num(p, 1, 1)), c);
  SAME(sp_eq(p, num(p, 2, 1), mask), sp_bool(p, false));
  DIFFER(sp_lt(p, zero(p), sp_ite(p, c, scalar(p, "x"), zero(p))), c);
}

TEST(integers_as_reals) {
  sp_expr i = sp_var(p, SP_VAR_INDEX, "i", 9);
  sp_expr j = sp_var(p, SP_VAR_INDEX, "j", 9);
  SAME(sp_i2r(p, sp_iaddc(p, sp_iscale(p, i, 3), 5)),
       sp_add(p, scale(p, sp_i2r(p, i), 3), num(p, 5, 1)));
  SAME(sp_i2r(p, sp_int(p, -4)), num(p, -4, 1));
  sp_expr c = sp_lt(p, i, j), six = sp_int(p, 6);
  SAME(sp_i2r(p, sp_ite(p, c, j, six)),
       sp_ite(p, c, sp_i2r(p, j), num(p, 6, 1)));
  SAME(sp_lt(p, sp_i2r(p, i), sp_i2r(p, j)), c);
  sp_expr ri = sp_i2r(p, i), rj = sp_i2r(p, j), half = num(p, 1, 2);
  SAME(sp_lt(p, sp_sub(p, ri, half), sp_add(p, rj, num(p, 1, 3))),
       sp_lt(p, i, sp_iaddc(p, j, 1)));
  SAME(sp_lt(p, sp_add(p, ri, half), rj), c);
  SAME(sp_eq(p, sp_sub(p, ri, half), rj), sp_bool(p, false));
  SAME(sp_lt(p, sp_scale(p, ri, ratio(p, 1, 3)),
             sp_scale(p, rj, ratio(p, 1, 2))),
       sp_lt(p, sp_iscale(p, i, 2), sp_iscale(p, j, 3)));
  SAME(sp_lt(p, ri, sp_inf(p, true)),
       sp_lt(p, ri, sp_inf(p, true))); /* kept, whatever it is */
}

/* ---- the suite ---- */

void suite_real(void) {
  CU_pSuite s = CU_add_suite("real", NULL, NULL);
#define ADD(name) CU_add_test(s, #name, name)
  ADD(rationals_are_interned_in_lowest_terms);
  ADD(rationals_grow_past_64_bits_and_come_back);
  ADD(literals_are_their_shortest_decimal);
  ADD(constants_of_extreme_size_are_refused);
  ADD(sums_merge_like_terms);
  ADD(sums_factor_a_common_denominator);
  ADD(sums_factor_a_common_element);
  ADD(one_less_a_guard_is_the_opposite_guard);
  ADD(choices_by_the_rank_join);
  ADD(sums_open_products_with_exp_completely);
  ADD(sums_of_exps_have_one_shift);
  ADD(infinities_do_not_cancel);
  ADD(what_is_computed_of_nan_is_nan);
  ADD(nothing_compares_with_nan);
  ADD(numbers_that_are_run_may_be_nan);
  ADD(products_are_flat_and_sorted);
  ADD(exps_merge);
  ADD(only_what_is_not_zero_cancels);
  ADD(a_maximum_in_an_exponent_is_noted);
  ADD(what_may_be_infinite_does_not_cancel);
  ADD(zero_guards_leave_products);
  ADD(inverses);
  ADD(names_and_picks_have_signs);
  ADD(choices_of_numbers_are_compared);
  ADD(functions_by_name);
  ADD(logarithms_of_positive_factors);
  ADD(maxima);
  ADD(integers_as_reals);
#undef ADD
}
