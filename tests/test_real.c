/* test_real.c: rationals, the normal form of reals, reductions: each rewrite,
 * the tempting wrong ones, and random terms built raw and in normal form from
 * one recipe, which must have equal values.
 *
 * Directed tests come first; read `recipe` for the random ones. A long run:
 * SHARDPROOF_LONG=1; another seed: SHARDPROOF_SEED=n.
 */
#include "encode/expr.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suites.h"

void suite_real(void);

/* ---- a pool under protection ---- */

typedef struct job {
  void (*fn)(sp_pool *p);
} job;

static void job_run(sp_ctx *ctx, void *arg) {
  job *j = arg;
  j->fn(sp_pool_new(ctx));
}

static void with_pool(void (*fn)(sp_pool *p)) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL(ctx);
  job j = {fn};
  sp_code code = sp_protect(ctx, job_run, &j);
  CU_ASSERT_EQUAL(code, SP_OK);
  if (code != SP_OK) {
    printf("  raised: %s\n", sp_ctx_error(ctx)->message);
  }
  sp_ctx_free(ctx);
}

#define TEST(name)                                                             \
  static void body_##name(sp_pool *p);                                         \
  static void name(void) {                                                     \
    with_pool(body_##name);                                                    \
  }                                                                            \
  static void body_##name(sp_pool *p)

static void check_same(sp_pool *p, sp_expr a, sp_expr b, int line) {
  CU_ASSERT_EQUAL(a.v, b.v);
  if (a.v != b.v) {
    printf("  line %d:\n    %s\n    %s\n", line, sp_show(p, a), sp_show(p, b));
  }
}
#define SAME(a, b) check_same(p, (a), (b), __LINE__)
#define DIFFER(a, b) CU_ASSERT_NOT_EQUAL((a).v, (b).v)

static sp_num ratio(sp_pool *p, int64_t n, int64_t d) {
  return sp_num_ratio(p, n, d);
}
static sp_expr num(sp_pool *p, int64_t n, int64_t d) {
  return sp_real(p, ratio(p, n, d));
}
static sp_expr scale(sp_pool *p, sp_expr e, int64_t n) {
  return sp_scale(p, e, sp_num_from_i64(p, n));
}
/* A scalar, a vector of 8, a matrix of 8 by 8. */
static sp_expr scalar(sp_pool *p, const char *name) {
  return sp_read(p, sp_sym_new(p, name, SP_SORT_REAL, 0, NULL), NULL);
}
static sp_sym vector(sp_pool *p, const char *name) {
  int64_t n = 8;
  return sp_sym_new(p, name, SP_SORT_REAL, 1, &n);
}
static sp_sym matrix(sp_pool *p, const char *name) {
  int64_t n[2] = {8, 8};
  return sp_sym_new(p, name, SP_SORT_REAL, 2, n);
}
static sp_expr at(sp_pool *p, sp_sym s, sp_expr i) {
  return sp_read(p, s, &i);
}
static sp_expr at2(sp_pool *p, sp_sym s, sp_expr i, sp_expr j) {
  sp_expr idx[2] = {i, j};
  return sp_read(p, s, idx);
}
static sp_expr red1(sp_pool *p, sp_red_op op, sp_expr k, sp_expr body) {
  return sp_red(p, op, 1, &k, body);
}
static sp_expr sum1(sp_pool *p, sp_expr k, sp_expr body) {
  return red1(p, SP_RED_SUM, k, body);
}
static sp_expr zero(sp_pool *p) {
  return sp_real_i64(p, 0);
}
static sp_expr guarded(sp_pool *p, sp_expr c, sp_expr e) {
  return sp_ite(p, c, zero(p), e);
}
static sp_kind kind(sp_pool *p, sp_expr e) {
  return sp_kind_of(p, e);
}

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
  /* the text 0.0833333358 reads as the same float as 0.083333336 */
  CU_ASSERT(sp_num_eq(sp_num_from_double(p, 0.0833333358, 24),
                      ratio(p, 83333336, 1000000000)));
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
  sp_expr d = sp_sub(p, inf, inf);
  DIFFER(d, zero(p));
  CU_ASSERT_EQUAL(kind(p, d), SP_KIND_ADD);
  DIFFER(sp_sub(p, sp_add(p, a, inf), inf), a);
  CU_ASSERT_EQUAL(kind(p, sp_add(p, a, inf)), SP_KIND_ADD);
  SAME(scale(p, inf, -2), minus);
  SAME(sp_add(p, inf, inf), inf);
  SAME(sp_add(p, inf, num(p, 3, 1)), inf);
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
  sp_expr k = sp_fresh(p, 4), i = sp_var(p, SP_VAR_INDEX, "i", 9);
  sp_expr x = at(p, v, k), a = scalar(p, "a");
  sp_exp(p, sp_sub(p, a, red1(p, SP_RED_MAX, k, x)));
  sp_expr masked = sp_ite(p, sp_lt(p, k, i), sp_inf(p, true), x);
  sp_exp(p, masked);
  CU_ASSERT_EQUAL(sp_pool_notes(p, &notes), 0);
  sp_exp(p, sp_sub(p, a, red1(p, SP_RED_MAX, k, masked)));
  CU_ASSERT_EQUAL_FATAL(sp_pool_notes(p, &notes), 1);
  CU_ASSERT_PTR_NOT_NULL(strstr(notes[0], "masked"));
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

/* ---- reductions ---- */

TEST(reductions_are_equal_up_to_their_variables) {
  sp_sym a = matrix(p, "A"), b = matrix(p, "B");
  sp_expr e[2];
  for (int t = 0; t < 2; t++) {
    sp_expr v[2];
    v[t] = sp_fresh(p, 4);
    v[1 - t] = sp_fresh(p, 3);
    sp_expr x = v[t], y = v[1 - t];
    e[t] = sp_red(p, SP_RED_SUM, 2, v,
                  sp_mul(p, at2(p, a, x, y), at2(p, b, y, x)));
  }
  SAME(e[0], e[1]);
  CU_ASSERT_EQUAL(sp_red_n_vars(p, e[0]), 2);
  sp_expr open[2];
  sp_expr body = sp_red_open(p, e[0], open);
  CU_ASSERT(sp_has_free(p, body, open[0]));
  SAME(sp_red(p, SP_RED_SUM, 2, open, body), e[0]);
}

TEST(nested_sums_merge_in_any_order) {
  sp_sym a = matrix(p, "A");
  sp_expr e[2];
  for (int t = 0; t < 2; t++) {
    sp_expr x = sp_fresh(p, 4), y = sp_fresh(p, 3);
    sp_expr body = at2(p, a, x, y);
    e[t] = t ? sum1(p, x, sum1(p, y, body)) : sum1(p, y, sum1(p, x, body));
  }
  SAME(e[0], e[1]);
  CU_ASSERT_EQUAL(sp_red_n_vars(p, e[0]), 2);
}

TEST(sums_flatten_through_one_factor) {
  sp_sym a = vector(p, "a"), b = matrix(p, "B");
  sp_expr e[2];
  for (int t = 0; t < 2; t++) {
    sp_expr x = sp_fresh(p, 4), y = sp_fresh(p, 3);
    sp_expr f = at(p, a, x), g = at2(p, b, x, y);
    e[t] = t ? sum1(p, y, sum1(p, x, sp_mul(p, f, g)))
             : sum1(p, x, sp_mul(p, f, sum1(p, y, g)));
  }
  SAME(e[0], e[1]);
}

TEST(unused_variables_and_trivial_ranges) {
  sp_expr a = scalar(p, "a"), k = sp_fresh(p, 5), one = sp_fresh(p, 1);
  sp_sym v = vector(p, "v");
  SAME(sum1(p, k, a), scale(p, a, 5));
  SAME(sum1(p, k, sp_int(p, 3)), sp_int(p, 15));
  SAME(red1(p, SP_RED_MAX, k, a), a);
  SAME(red1(p, SP_RED_MIN, k, a), a);
  SAME(sum1(p, one, at(p, v, one)), at(p, v, sp_int(p, 0)));
  SAME(sum1(p, k, zero(p)), zero(p));
  sp_expr both[2] = {k, sp_fresh(p, 3)};
  SAME(sp_red(p, SP_RED_SUM, 2, both, at(p, v, k)),
       scale(p, sum1(p, k, at(p, v, k)), 3));
  sp_expr prod = red1(p, SP_RED_PROD, sp_fresh(p, 100), a);
  DIFFER(prod, a);
  CU_ASSERT_EQUAL(kind(p, prod), SP_KIND_RED);
  SAME(red1(p, SP_RED_PROD, sp_fresh(p, 2), a), sp_mul(p, a, a));
}

TEST(what_a_variable_only_chooses_is_written_out) {
  sp_expr a = scalar(p, "a"), b = scalar(p, "b");
  sp_expr k = sp_fresh(p, 5), i = sp_var(p, SP_VAR_INDEX, "i", 5);
  sp_sym v = vector(p, "v");
  sp_expr stacked = sp_ite(p, sp_lt(p, k, sp_int(p, 2)), a, b);
  SAME(sum1(p, k, sp_mul(p, stacked, stacked)),
       sp_add(p, scale(p, sp_mul(p, a, a), 2), scale(p, sp_mul(p, b, b), 3)));
  SAME(red1(p, SP_RED_MAX, k, stacked), sp_max(p, a, b));
  /* not where k is an index, too, or is compared with what is not known */
  sp_expr moved = sp_ite(p, sp_lt(p, k, sp_int(p, 2)), a, at(p, v, k));
  CU_ASSERT_EQUAL(kind(p, sum1(p, k, moved)), SP_KIND_RED);
  sp_expr other = sp_ite(p, sp_lt(p, k, i), a, b);
  DIFFER(sum1(p, k, other), sum1(p, k, stacked));
  CU_ASSERT_EQUAL(kind(p, sum1(p, k, other)), SP_KIND_RED);
}

TEST(empty_ranges_give_the_identity) {
  sp_sym v = vector(p, "v");
  sp_expr k = sp_fresh(p, 0), x = at(p, v, k);
  sp_expr c = sp_lt(p, k, sp_var(p, SP_VAR_INDEX, "i", 9));
  SAME(sum1(p, k, x), zero(p));
  SAME(red1(p, SP_RED_PROD, k, x), num(p, 1, 1));
  SAME(red1(p, SP_RED_MAX, k, x), sp_inf(p, true));
  SAME(red1(p, SP_RED_MIN, k, x), sp_inf(p, false));
  SAME(red1(p, SP_RED_OR, k, c), sp_bool(p, false));
  SAME(red1(p, SP_RED_AND, k, c), sp_bool(p, true));
  SAME(sum1(p, k, k), sp_int(p, 0));
  SAME(sum1(p, k, scalar(p, "a")), zero(p));
}

TEST(factors_leave_sums) {
  sp_sym v = vector(p, "v"), w = vector(p, "w");
  sp_expr a = scalar(p, "a"), b = scalar(p, "b"), k = sp_fresh(p, 4);
  sp_expr x = at(p, v, k), y = at(p, w, k);
  sp_expr s = sum1(p, k, x);
  SAME(sum1(p, k, scale(p, x, 3)), scale(p, s, 3));
  SAME(sum1(p, k, sp_mul(p, a, x)), sp_mul(p, a, s));
  SAME(sum1(p, k, sp_div(p, x, a)), sp_div(p, s, a));
  SAME(sum1(p, k, sp_exp(p, sp_sub(p, x, a))),
       sp_mul(p, sp_exp(p, scale(p, a, -1)), sum1(p, k, sp_exp(p, x))));
  sp_expr xy = sp_add(p, x, y);
  SAME(sum1(p, k, sp_mul(p, a, xy)), sp_mul(p, a, sum1(p, k, xy)));
  SAME(sum1(p, k, sp_add(p, sp_mul(p, a, x), sp_mul(p, a, y))),
       sp_mul(p, a, sum1(p, k, xy)));
  sp_expr e = sp_exp(p, sp_add(p, x, b));
  SAME(sum1(p, k, sp_mul(p, e, xy)),
       sp_mul(p, sp_exp(p, b), sum1(p, k, sp_mul(p, sp_exp(p, x), xy))));
}

TEST(guards_leave_sums_only_when_they_may) {
  sp_sym v = vector(p, "v");
  sp_expr a = scalar(p, "a"), k = sp_fresh(p, 4);
  sp_expr i = sp_var(p, SP_VAR_INDEX, "i", 9);
  sp_expr c = sp_lt(p, i, sp_int(p, 4)), d = sp_lt(p, k, i);
  sp_expr x = at(p, v, k), s = sum1(p, k, x);
  SAME(sum1(p, k, guarded(p, c, x)), guarded(p, c, s));
  sp_expr g = sum1(p, k, guarded(p, d, x));
  CU_ASSERT_EQUAL(kind(p, g), SP_KIND_RED);
  CU_ASSERT_EQUAL(kind(p, sp_red_body(p, g)), SP_KIND_ITE);
  SAME(sum1(p, k, guarded(p, sp_or(p, c, d), x)), guarded(p, c, g));
  SAME(sum1(p, k, guarded(p, d, sp_mul(p, a, x))), sp_mul(p, a, g));
  SAME(sum1(p, k, guarded(p, d, scale(p, x, 2))), scale(p, g, 2));
  SAME(sum1(p, k, guarded(p, d, sp_exp(p, sp_add(p, x, a)))),
       sp_mul(p, sp_exp(p, a), sum1(p, k, guarded(p, d, sp_exp(p, x)))));
  /* a constant under a guard is counted, not multiplied by the extent */
  sp_expr n = sum1(p, k, guarded(p, d, a));
  DIFFER(n, guarded(p, d, scale(p, a, 4)));
  SAME(n, sp_mul(p, a, sum1(p, k, guarded(p, d, num(p, 1, 1)))));
  /* a branch that is not zero */
  SAME(sum1(p, k, sp_ite(p, c, a, x)), sp_ite(p, c, scale(p, a, 4), s));
}

TEST(sums_are_split_on_demand_only) {
  sp_sym v = vector(p, "v"), w = vector(p, "w");
  sp_expr k = sp_fresh(p, 4), a = scalar(p, "a");
  sp_expr i = sp_var(p, SP_VAR_INDEX, "i", 9), d = sp_lt(p, k, i);
  sp_expr x = at(p, v, k), y = at(p, w, k);
  sp_expr s = sum1(p, k, sp_add(p, x, y));
  sp_expr two = sp_add(p, sum1(p, k, x), sum1(p, k, y));
  DIFFER(s, two);
  SAME(sp_split_sums(p, s), two);
  SAME(sp_split_sums(p, sum1(p, k, guarded(p, d, sp_add(p, x, y)))),
       sp_add(p, sum1(p, k, guarded(p, d, x)), sum1(p, k, guarded(p, d, y))));
  SAME(sp_split_sums(p, sum1(p, k, sp_add(p, x, num(p, 2, 1)))),
       sp_add(p, sum1(p, k, x), num(p, 8, 1)));
  SAME(sp_split_sums(p, sum1(p, k, sp_mul(p, sp_add(p, x, a), y))),
       sp_add(p, sum1(p, k, sp_mul(p, x, y)), sp_mul(p, a, sum1(p, k, y))));
  SAME(sp_split_sums(p, sp_exp(p, s)), sp_exp(p, two));
  /* under MAX the sum stays */
  sp_expr m = red1(p, SP_RED_MAX, k, sp_add(p, x, y));
  SAME(sp_split_sums(p, m), m);
}

TEST(maxima_over_ranges) {
  sp_sym v = vector(p, "v"), w = vector(p, "w");
  sp_expr k = sp_fresh(p, 4), a = scalar(p, "a");
  sp_expr i = sp_var(p, SP_VAR_INDEX, "i", 9), d = sp_lt(p, k, i);
  sp_expr c = sp_lt(p, i, sp_int(p, 4));
  sp_expr x = at(p, v, k), y = at(p, w, k);
  sp_expr max = red1(p, SP_RED_MAX, k, x), min = red1(p, SP_RED_MIN, k, x);
  SAME(red1(p, SP_RED_MAX, k, scale(p, x, 2)), scale(p, max, 2));
  SAME(red1(p, SP_RED_MAX, k, scale(p, x, -2)), scale(p, min, -2));
  SAME(red1(p, SP_RED_MAX, k, sp_add(p, x, a)), sp_add(p, a, max));
  SAME(red1(p, SP_RED_MAX, k, sp_sub(p, a, x)), sp_sub(p, a, min));
  /* a factor of unknown sign stays */
  DIFFER(red1(p, SP_RED_MAX, k, sp_mul(p, x, a)), sp_mul(p, a, max));
  /* no linearity */
  sp_expr xy = red1(p, SP_RED_MAX, k, sp_add(p, x, y));
  CU_ASSERT_EQUAL(kind(p, xy), SP_KIND_RED);
  sp_expr inf = sp_inf(p, true);
  sp_expr masked = red1(p, SP_RED_MAX, k, sp_ite(p, d, inf, x));
  CU_ASSERT_EQUAL(kind(p, masked), SP_KIND_RED);
  SAME(red1(p, SP_RED_MAX, k, sp_ite(p, d, inf, scale(p, x, 2))),
       scale(p, masked, 2));
  SAME(red1(p, SP_RED_MAX, k, sp_ite(p, d, inf, scale(p, x, -1))),
       scale(p, red1(p, SP_RED_MIN, k, sp_ite(p, d, sp_inf(p, false), x)), -1));
  SAME(red1(p, SP_RED_MAX, k, sp_ite(p, d, inf, sp_add(p, x, a))),
       sp_add(p, a, masked));
  SAME(red1(p, SP_RED_MAX, k, sp_ite(p, c, inf, x)), sp_ite(p, c, inf, max));
  SAME(red1(p, SP_RED_MAX, k, sp_max(p, a, x)), sp_max(p, a, max));
  /* min does not pass max */
  DIFFER(red1(p, SP_RED_MAX, k, sp_min(p, a, x)), sp_max(p, a, max));
  /* a zero guard is no identity of max */
  sp_expr z = red1(p, SP_RED_MAX, k, guarded(p, d, sp_add(p, x, a)));
  CU_ASSERT_EQUAL(kind(p, z), SP_KIND_RED);
  SAME(red1(p, SP_RED_MAX, k, guarded(p, d, scale(p, x, -2))),
       scale(p, red1(p, SP_RED_MIN, k, guarded(p, d, x)), -2));
  SAME(red1(p, SP_RED_MAX, k, sp_iaddc(p, sp_iscale(p, k, -2), 5)),
       sp_int(p, 5 - 2 * 0));
}

TEST(quantifiers) {
  sp_expr k = sp_fresh(p, 4), i = sp_var(p, SP_VAR_INDEX, "i", 9);
  sp_expr j = sp_var(p, SP_VAR_INDEX, "j", 9);
  sp_sym n = sp_sym_new(p, "n", SP_SORT_INT, 1, &(int64_t){8});
  sp_expr d = sp_eq(p, at(p, n, k), i), c = sp_lt(p, i, j);
  sp_expr any = red1(p, SP_RED_OR, k, d);
  SAME(red1(p, SP_RED_AND, k, d),
       sp_not(p, red1(p, SP_RED_OR, k, sp_not(p, d))));
  SAME(red1(p, SP_RED_MAX, k, d), any);
  SAME(red1(p, SP_RED_MIN, k, d), red1(p, SP_RED_AND, k, d));
  SAME(red1(p, SP_RED_OR, k, sp_or(p, c, d)), sp_or(p, c, any));
  SAME(red1(p, SP_RED_OR, k, sp_and(p, c, d)), sp_and(p, c, any));
  SAME(red1(p, SP_RED_OR, k, c), c);
  DIFFER(any, d);
}

TEST(lambdas_are_left_alone) {
  sp_sym a = matrix(p, "A");
  sp_expr k = sp_fresh(p, 4), m = sp_fresh(p, 4), one = sp_fresh(p, 1);
  sp_expr x = scalar(p, "x"), e = at2(p, a, k, m);
  sp_expr v[2] = {k, m}, w[2] = {m, k};
  sp_expr f = sp_red(p, SP_RED_LAMBDA, 2, v, e);
  DIFFER(f, sp_red(p, SP_RED_LAMBDA, 2, w, e)); /* a transposed matrix */
  sp_expr nest = red1(p, SP_RED_LAMBDA, k, red1(p, SP_RED_LAMBDA, m, e));
  DIFFER(nest, f);
  sp_expr c = red1(p, SP_RED_LAMBDA, k, x);
  DIFFER(c, x);
  CU_ASSERT_EQUAL(kind(p, c), SP_KIND_RED);
  sp_expr n1 = red1(p, SP_RED_LAMBDA, one, x);
  CU_ASSERT_EQUAL(kind(p, n1), SP_KIND_RED);
  CU_ASSERT_EQUAL(sp_red_n_vars(p, n1), 1);
  sp_expr g = red1(p, SP_RED_LAMBDA, k, scale(p, at2(p, a, k, k), 2));
  CU_ASSERT_EQUAL(kind(p, g), SP_KIND_RED);
  sp_expr k2 = sp_fresh(p, 4);
  SAME(red1(p, SP_RED_LAMBDA, k2, at2(p, a, k2, k2)),
       red1(p, SP_RED_LAMBDA, k, at2(p, a, k, k)));
}

TEST(bound_variables_are_not_captured) {
  sp_sym a = matrix(p, "A"), v = vector(p, "v");
  sp_expr i = sp_var(p, SP_VAR_INDEX, "i", 8);
  sp_expr k = sp_fresh(p, 4), m = sp_fresh(p, 4);
  /* max_k A[i, k] with i := an index that itself is reduced over */
  sp_expr inner = red1(p, SP_RED_MAX, k, at2(p, a, i, k));
  sp_expr s = sp_subst(p, inner, 1, &i, &m);
  sp_expr outer = sum1(p, m, sp_mul(p, s, at(p, v, m)));
  CU_ASSERT_EQUAL(sp_red_n_vars(p, outer), 1);
  sp_expr open;
  sp_expr body = sp_red_open(p, outer, &open);
  CU_ASSERT(sp_has_free(p, body, open));
  SAME(sp_subst(p, body, 1, &open, &m), sp_mul(p, s, at(p, v, m)));
  const sp_expr *free;
  CU_ASSERT_EQUAL(sp_free_vars(p, outer, &free), 0);
  /* sum_k (max_k A[k', k]) A[i, k] has two different k */
  sp_expr x =
      sum1(p, m,
           sp_mul(p, red1(p, SP_RED_MAX, k, at2(p, a, m, k)), at2(p, a, i, m)));
  sp_expr y =
      sum1(p, k,
           sp_mul(p, red1(p, SP_RED_MAX, m, at2(p, a, k, m)), at2(p, a, i, k)));
  sp_expr z =
      sum1(p, k,
           sp_mul(p, red1(p, SP_RED_MAX, m, at2(p, a, m, k)), at2(p, a, i, k)));
  SAME(x, y);
  DIFFER(x, z);
}

TEST(online_softmax_cancels_its_shifts) {
  sp_sym s = matrix(p, "S"), v = matrix(p, "V");
  sp_expr i = sp_var(p, SP_VAR_INDEX, "i", 8);
  sp_expr m1 = scalar(p, "m1"), m2 = scalar(p, "m2"), m = scalar(p, "m");
  sp_expr n = scalar(p, "n");
  sp_expr k = sp_fresh(p, 4), k4 = sp_iaddc(p, k, 4);
  sp_expr x1 = at2(p, s, i, k), x2 = at2(p, s, i, k4);
  sp_expr v1 = at2(p, v, k, i), v2 = at2(p, v, k4, i);
  sp_expr l1 = sum1(p, k, sp_exp(p, sp_sub(p, x1, m1)));
  sp_expr o1 = sum1(p, k, sp_mul(p, sp_exp(p, sp_sub(p, x1, m1)), v1));
  /* rescale by exp(m1 - m2), add the second block */
  sp_expr r = sp_exp(p, sp_sub(p, m1, m2));
  sp_expr l2 =
      sp_add(p, sp_mul(p, r, l1), sum1(p, k, sp_exp(p, sp_sub(p, x2, m2))));
  sp_expr o2 = sp_add(p, sp_mul(p, r, o1),
                      sum1(p, k, sp_mul(p, sp_exp(p, sp_sub(p, x2, m2)), v2)));
  sp_expr online = sp_div(p, o2, l2);
  /* both blocks shifted by m */
  sp_expr sh = sp_exp(p, sp_sub(p, m2, m));
  sp_expr again = sp_div(p, sp_mul(p, sh, o2), sp_mul(p, l2, sh));
  SAME(online, again);
  sp_expr l = sp_add(p, sum1(p, k, sp_exp(p, x1)), sum1(p, k, sp_exp(p, x2)));
  sp_expr o = sp_add(p, sum1(p, k, sp_mul(p, sp_exp(p, x1), v1)),
                     sum1(p, k, sp_mul(p, sp_exp(p, x2), v2)));
  SAME(online, sp_div(p, o, l));
  SAME(sp_add(p, m2, sp_fn1(p, "log", l2)), sp_fn1(p, "log", l));
  (void)n;
}

TEST(raw_mode_rewrites_nothing) {
  sp_pool_raw(p, true);
  sp_expr a = scalar(p, "a"), k = sp_fresh(p, 4), one = sp_fresh(p, 1);
  sp_sym v = vector(p, "v");
  sp_expr s = sum1(p, k, a);
  CU_ASSERT_EQUAL(kind(p, s), SP_KIND_RED);
  CU_ASSERT_EQUAL(kind(p, sum1(p, one, at(p, v, one))), SP_KIND_RED);
  CU_ASSERT_EQUAL(kind(p, sp_exp(p, zero(p))), SP_KIND_FN);
  CU_ASSERT_EQUAL(kind(p, sp_div(p, a, a)), SP_KIND_MUL);
  sp_expr m = sum1(p, k, sp_mul(p, a, at(p, v, k)));
  CU_ASSERT_EQUAL(kind(p, m), SP_KIND_RED);
  CU_ASSERT_EQUAL(kind(p, sp_red_body(p, m)), SP_KIND_MUL);
  sp_expr k2 = sp_fresh(p, 4);
  SAME(m, sum1(p, k2, sp_mul(p, at(p, v, k2), a)));
  sp_pool_raw(p, false);
  SAME(sp_simplify(p, s), scale(p, a, 4));
  SAME(sp_simplify(p, m), sp_mul(p, a, sum1(p, k, at(p, v, k))));
}

/* ---- random terms ---- */

enum { N_FREE = 2, MAX_SCOPE = 12, MAX_BINDINGS = 64 };

/* Symbols and variables that both builds share. */
typedef struct world {
  sp_pool *p;
  sp_expr i, j;           /* extents 3, 4 */
  sp_sym a, b, x, y, pos; /* REAL [4], [3][4], [], [], [4] positive */
  sp_sym n;               /* INT [4], 0..3 */
  uint64_t seed;
} world;

/* A recipe: the state of a generator. Running it twice makes the same choices,
 * whatever the constructors return. */
typedef struct recipe {
  world *w;
  uint64_t state;
  uint32_t n; /* variables in scope */
  sp_expr vars[MAX_SCOPE];
  uint32_t nesting; /* of reductions */
} recipe;

static uint64_t mix64(uint64_t z) {
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static uint32_t pick(recipe *r, uint32_t n) {
  r->state += UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(mix64(r->state) >> 33) % n;
}

static sp_expr make_real(recipe *r, int depth);
static sp_expr make_positive(recipe *r, int depth);
static sp_expr make_exact(recipe *r, int depth);
static sp_expr make_bool(recipe *r, int depth);

static sp_expr make_int(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  switch (pick(r, depth > 0 ? 8 : 3)) {
  case 0:
    return sp_int(p, (int64_t)pick(r, 7) - 3);
  case 1:
  case 2:
    return r->vars[pick(r, r->n)];
  case 3: {
    sp_expr a = make_int(r, depth - 1);
    return sp_iadd(p, a, make_int(r, depth - 1));
  }
  case 4:
    return sp_iscale(p, make_int(r, depth - 1), (int64_t)pick(r, 7) - 3);
  case 5:
    return sp_idiv(p, make_int(r, depth - 1), 1 + pick(r, 4));
  case 6:
    return sp_imod(p, make_int(r, depth - 1), 1 + pick(r, 4));
  default:
    return at(p, r->w->n, sp_imod(p, make_int(r, depth - 1), 4));
  }
}

static sp_expr make_index(recipe *r, int64_t extent) {
  return sp_imod(r->w->p, make_int(r, 1), extent);
}

static sp_expr make_num(recipe *r) {
  int64_t n = (int64_t)pick(r, 9) - 4;
  return num(r->w->p, n, 1 << pick(r, 3));
}

static sp_expr make_leaf(recipe *r) {
  world *w = r->w;
  switch (pick(r, 7)) {
  case 0:
    return make_num(r);
  case 1:
    return sp_read(w->p, w->x, NULL);
  case 2:
    return sp_read(w->p, w->y, NULL);
  case 3:
    return sp_i2r(w->p, make_int(r, 1));
  case 4: {
    sp_expr k = make_index(r, 3);
    return at2(w->p, w->b, k, make_index(r, 4));
  }
  default:
    return at(w->p, w->a, make_index(r, 4));
  }
}

/* Reduce what make gives for a body over one or two new variables. */
static sp_expr make_red(recipe *r, sp_red_op op, int depth,
                        sp_expr (*make)(recipe *r, int depth)) {
  sp_expr v[2];
  uint32_t n = 1 + pick(r, 2), keep = r->n;
  for (uint32_t k = 0; k < n; k++) {
    v[k] = sp_fresh(r->w->p, 1 + pick(r, 3));
    r->vars[r->n++] = v[k];
  }
  r->nesting++;
  sp_expr body = make(r, depth);
  r->nesting--;
  r->n = keep;
  return sp_red(r->w->p, op, n, v, body);
}

static bool may_reduce(const recipe *r) {
  return r->nesting < 3;
}

static sp_expr make_masked(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr c = make_bool(r, 1);
  return sp_ite(p, c, sp_inf(p, true), make_real(r, depth));
}

/* Values that doubles hold exactly: comparisons of them are exact, too. */
static sp_expr make_exact(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  if (depth <= 0) {
    return make_leaf(r);
  }
  sp_expr a = make_exact(r, depth - 1);
  switch (pick(r, 5)) {
  case 0:
    return sp_add(p, a, make_exact(r, depth - 1));
  case 1:
    return sp_sub(p, a, make_exact(r, depth - 1));
  case 2:
    return sp_scale(p, a, ratio(p, (int64_t)pick(r, 7) - 3, 2));
  case 3:
    return sp_max(p, a, make_exact(r, depth - 1));
  default:
    return a;
  }
}

static sp_expr make_bool(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr a, b;
  switch (pick(r, depth > 0 ? 8 : 3)) {
  case 0:
  case 1:
    a = make_int(r, 2);
    return sp_lt(p, a, make_int(r, 1));
  case 2:
    a = make_int(r, 1);
    return sp_eq(p, a, make_int(r, 1));
  case 3:
    a = make_exact(r, 1);
    b = make_exact(r, 1);
    return pick(r, 3) ? sp_lt(p, a, b) : sp_eq(p, a, b);
  case 4:
    return sp_not(p, make_bool(r, depth - 1));
  case 5:
    a = make_bool(r, depth - 1);
    return sp_or(p, a, make_bool(r, depth - 1));
  case 6:
    a = make_bool(r, depth - 1);
    return sp_and(p, a, make_bool(r, depth - 1));
  default:
    if (!may_reduce(r)) {
      return make_bool(r, 0);
    }
    return make_red(r, pick(r, 2) ? SP_RED_OR : SP_RED_AND, depth - 1,
                    make_bool);
  }
}

static sp_expr make_positive(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr a;
  switch (pick(r, depth > 0 ? 6 : 1)) {
  case 0:
    return at(p, r->w->pos, make_index(r, 4));
  case 1:
    return sp_exp(p, sp_scale(p, make_real(r, depth - 1), ratio(p, 1, 2)));
  case 2:
    a = make_positive(r, depth - 1);
    return sp_add(p, a, make_positive(r, depth - 1));
  case 3:
    a = make_positive(r, depth - 1);
    return sp_mul(p, a, make_positive(r, depth - 1));
  case 4:
    return sp_add(p, num(p, 1, 2), sp_fn1(p, "abs", make_real(r, depth - 1)));
  default:
    return may_reduce(r) ? make_red(r, SP_RED_SUM, depth - 1, make_positive)
                         : sp_inv(p, make_positive(r, depth - 1));
  }
}

static sp_expr make_function(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr args[2];
  switch (pick(r, 9)) {
  case 0:
    return sp_exp(p, make_real(r, depth));
  case 1:
    return sp_exp(p, make_masked(r, depth));
  case 2:
    return sp_fn1(p, "log", make_positive(r, depth));
  case 3:
    return sp_inv(p, make_positive(r, depth));
  case 4:
    return sp_fn1(p, pick(r, 2) ? "sqrt" : "rsqrt", make_positive(r, depth));
  case 5:
    return sp_fn1(p, pick(r, 2) ? "abs" : "sign", make_exact(r, depth));
  case 6:
    return sp_fn1(p, pick(r, 2) ? "floor" : "ceil", make_exact(r, depth));
  case 7:
    args[0] = make_real(r, depth);
    args[1] = sp_real_i64(p, pick(r, 4));
    return sp_fn(p, SP_SORT_REAL, "power", 2, args);
  default:
    return sp_fn1(p, pick(r, 2) ? "logistic" : "tanh", make_real(r, depth));
  }
}

static sp_expr make_reduction(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr e;
  if (!may_reduce(r)) {
    return make_leaf(r);
  }
  switch (pick(r, 8)) {
  case 0:
    return make_red(r, SP_RED_MAX, depth, make_real);
  case 1:
    return make_red(r, SP_RED_MIN, depth, make_real);
  case 2:
    return make_red(r, SP_RED_PROD, depth - 1, make_real);
  case 3:
    e = make_red(r, SP_RED_MAX, depth, make_masked);
    return sp_max(p, e, make_real(r, depth - 1));
  case 4:
    return sp_i2r(
        p, make_red(r, pick(r, 2) ? SP_RED_SUM : SP_RED_MAX, 2, make_int));
  default:
    return make_red(r, SP_RED_SUM, depth, make_real);
  }
}

static sp_expr make_real(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  if (depth <= 0) {
    return make_leaf(r);
  }
  sp_expr a, b, c;
  switch (pick(r, 14)) {
  case 0:
  case 1:
    a = make_real(r, depth - 1);
    return sp_add(p, a, make_real(r, depth - 1));
  case 2:
    a = make_real(r, depth - 1);
    return sp_sub(p, a, make_real(r, depth - 1));
  case 3:
    return sp_scale(p, make_real(r, depth - 1),
                    ratio(p, (int64_t)pick(r, 7) - 3, 1 + pick(r, 3)));
  case 4:
  case 5:
    a = make_real(r, depth - 1);
    return sp_mul(p, a, make_real(r, depth - 1));
  case 6:
    a = make_real(r, depth - 1);
    return sp_div(p, a, make_positive(r, depth - 1));
  case 7:
    a = make_real(r, depth - 1);
    b = make_real(r, depth - 1);
    return pick(r, 2) ? sp_max(p, a, b) : sp_min(p, a, b);
  case 8:
    c = make_bool(r, 1);
    a = make_real(r, depth - 1);
    return sp_ite(p, c, a, make_real(r, depth - 1));
  case 9:
    c = make_bool(r, 1);
    a = make_real(r, depth - 1);
    return pick(r, 2) ? sp_ite(p, c, a, zero(p)) : sp_ite(p, c, zero(p), a);
  case 10:
    return make_function(r, depth - 1);
  default:
    return make_reduction(r, depth - 1);
  }
}

/* The algebra of softmax: few atoms, so that exps, denominators and shifts meet
 * and cancel. */
static sp_expr make_shift(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr a;
  switch (pick(r, depth > 0 ? 6 : 4)) {
  case 0:
    return sp_read(p, r->w->x, NULL);
  case 1:
    return sp_read(p, r->w->y, NULL);
  case 2:
  case 3:
    return at(p, r->w->a, r->vars[pick(r, r->n)]);
  case 4:
    a = make_shift(r, depth - 1);
    return sp_add(p, a, make_shift(r, depth - 1));
  default:
    a = make_shift(r, depth - 1);
    return sp_sub(p, a, make_shift(r, depth - 1));
  }
}

static sp_expr make_weight(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr a, c;
  switch (pick(r, depth > 0 ? 7 : 3)) {
  case 0:
    return at(p, r->w->pos, r->vars[pick(r, r->n)]);
  case 1:
    return num(p, 1 + pick(r, 3), 1 + pick(r, 2));
  case 2:
    return sp_exp(p, make_shift(r, 1));
  case 3:
    a = make_weight(r, depth - 1);
    return sp_add(p, a, make_weight(r, depth - 1));
  case 4:
    a = make_weight(r, depth - 1);
    return sp_mul(p, a, make_weight(r, depth - 1));
  case 5:
    c = make_bool(r, 0);
    a = make_weight(r, depth - 1);
    return sp_add(p, guarded(p, c, a), make_weight(r, depth - 1));
  default:
    return may_reduce(r) ? make_red(r, SP_RED_SUM, depth - 1, make_weight)
                         : sp_inv(p, make_weight(r, depth - 1));
  }
}

static sp_expr make_soft(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr a, c;
  if (depth <= 0) {
    return pick(r, 3) ? make_shift(r, 0) : make_weight(r, 0);
  }
  switch (pick(r, 10)) {
  case 0:
  case 1:
    a = make_soft(r, depth - 1);
    return sp_add(p, a, make_soft(r, depth - 1));
  case 2:
    a = make_soft(r, depth - 1);
    return sp_sub(p, a, make_soft(r, depth - 1));
  case 3:
    a = make_soft(r, depth - 1);
    return sp_mul(p, a, make_weight(r, depth - 1));
  case 4:
    a = make_soft(r, depth - 1);
    return sp_div(p, a, make_weight(r, depth - 1));
  case 5:
    a = make_soft(r, depth - 1);
    return sp_mul(p, a, sp_exp(p, make_shift(r, 1)));
  case 6:
    c = make_bool(r, 0);
    return guarded(p, c, make_soft(r, depth - 1));
  case 7:
    return sp_fn1(p, "log", make_weight(r, depth - 1));
  case 8:
    return sp_exp(p, make_masked(r, 0));
  default:
    return may_reduce(r) ? make_red(r, SP_RED_SUM, depth - 1, make_soft)
                         : make_soft(r, depth - 1);
  }
}

/* ---- evaluation ---- */

typedef struct inputs {
  world *w;
  uint64_t seed;
  uint32_t n;
  struct {
    sp_expr var;
    int64_t value;
  } bound[MAX_BINDINGS];
} inputs;

static int64_t input_var(void *user, sp_expr v) {
  inputs *in = user;
  for (uint32_t k = in->n; k > 0; k--) {
    if (in->bound[k - 1].var.v == v.v) {
      return in->bound[k - 1].value;
    }
  }
  return 0;
}

static sp_value input_read(void *user, sp_sym s, uint32_t n,
                           const int64_t *idx) {
  inputs *in = user;
  uint64_t h = in->seed + s.v * 1000003u;
  for (uint32_t k = 0; k < n; k++) {
    h = mix64(h + (uint64_t)idx[k] + 1);
  }
  h = mix64(h);
  sp_value v = {.sort = sp_sym_sort(in->w->p, s)};
  if (v.sort == SP_SORT_INT) {
    v.i = (int64_t)(h % 4);
  } else if (s.v == in->w->pos.v) {
    v.r = 0.25 + (double)(h % 8) / 4;
  } else {
    v.r = ((double)(h % 17) - 8) / 4;
  }
  return v;
}

static bool input_fn(void *user, const char *name, uint32_t n,
                     const sp_value *args, sp_value *out) {
  (void)user;
  out->sort = SP_SORT_REAL;
  if (n != 1) {
    return false;
  }
  double x = args[0].r;
  if (strcmp(name, "tanh") == 0) {
    out->r = tanh(x);
  } else if (strcmp(name, "floor") == 0) {
    out->r = floor(x);
  } else if (strcmp(name, "ceil") == 0) {
    out->r = ceil(x);
  } else if (strcmp(name, "sign") == 0) {
    out->r = (x > 0) - (x < 0);
  } else if (strcmp(name, "abs") == 0) {
    out->r = fabs(x);
  } else if (strcmp(name, "sqrt") == 0) {
    out->r = sqrt(x);
  } else {
    return false;
  }
  return true;
}

static bool value_of(inputs *in, sp_expr e, sp_value *out) {
  sp_eval_env env = {.user = in,
                     .var = input_var,
                     .read = input_read,
                     .fn = input_fn,
                     .budget = 2000000};
  return sp_eval(in->w->p, e, &env, out);
}

/* The largest number met on the way, or infinity when something is not a
 * number: how far rounding may have carried two evaluations apart. */
static double magnitude(inputs *in, sp_expr e) {
  sp_pool *p = in->w->p;
  sp_value v;
  double m = 0;
  if (sp_sort_of(p, e) == SP_SORT_INT) {
    return 0;
  }
  if (sp_sort_of(p, e) == SP_SORT_REAL) {
    if (!value_of(in, e, &v) || isnan(v.r)) {
      return INFINITY;
    }
    m = isinf(v.r) ? 0 : fabs(v.r);
  }
  uint32_t n = sp_n_args(p, e);
  if (kind(p, e) != SP_KIND_RED) {
    for (uint32_t k = 0; k < n; k++) {
      m = fmax(m, magnitude(in, sp_arg(p, e, k)));
    }
    return m;
  }
  uint32_t keep = in->n;
  int64_t count = 1;
  for (uint32_t k = 0; k + 1 < n; k++) {
    in->bound[in->n++].var = sp_arg(p, e, k);
    count *= sp_var_extent(p, sp_arg(p, e, k));
  }
  for (int64_t t = 0; t < count; t++) {
    int64_t rest = t;
    for (uint32_t k = 0; k + 1 < n; k++) {
      int64_t extent = sp_var_extent(p, sp_arg(p, e, k));
      in->bound[keep + k].value = rest % extent;
      rest /= extent;
    }
    m = fmax(m, magnitude(in, sp_red_body(p, e)));
  }
  in->n = keep;
  return m;
}

typedef struct tally {
  uint64_t terms, compared, undefined, rough, wrong;
  uint64_t twice, simplified, unstable;
} tally;

static void compare_at(world *w, sp_expr raw, sp_expr normal, uint64_t t,
                       tally *out) {
  inputs in = {.w = w, .seed = w->seed * 7919 + t, .n = 2};
  in.bound[0].var = w->i;
  in.bound[0].value = (int64_t)(t % 3);
  in.bound[1].var = w->j;
  in.bound[1].value = (int64_t)(t / 3 % 4);
  sp_value a, b;
  if (!value_of(&in, raw, &a) || !value_of(&in, normal, &b)) {
    out->undefined++;
    return;
  }
  if (!isfinite(a.r) || !isfinite(b.r)) {
    out->undefined++;
    return;
  }
  double d = fabs(a.r - b.r);
  out->compared++;
  if (d <= 1e-9 * fmax(1, fmax(fabs(a.r), fabs(b.r)))) {
    return;
  }
  double m = fmax(magnitude(&in, raw), magnitude(&in, normal));
  if (d <= 1e-9 * m * fmax(1, m)) {
    out->rough++;
    return;
  }
  if (out->wrong++ < 3) {
    printf("  seed %llu: %.17g /= %.17g (i=%d j=%d)\n    raw    %s\n"
           "    normal %s\n",
           (unsigned long long)w->seed, a.r, b.r, (int)(t % 3),
           (int)(t / 3 % 4), sp_show(w->p, raw), sp_show(w->p, normal));
  }
}

static sp_expr follow(world *w, bool raw) {
  recipe r = {.w = w, .state = w->seed * UINT64_C(0x2545f4914f6cdd1d), .n = 2};
  r.vars[0] = w->i;
  r.vars[1] = w->j;
  bool was = sp_pool_raw(w->p, raw);
  int depth = 1 + (int)pick(&r, 5);
  sp_expr e = w->seed % 3 ? make_real(&r, depth) : make_soft(&r, depth + 1);
  sp_pool_raw(w->p, was);
  return e;
}

/* Built again (with other fresh variables) and simplified again it should be
 * the same node. Not a matter of soundness, and not always so. */
static void same_again(world *w, sp_expr raw, sp_expr normal, tally *out) {
  out->twice += follow(w, false).v != normal.v;
  if (w->seed % 4 == 0) {
    out->simplified += sp_simplify(w->p, raw).v != normal.v;
    out->unstable += sp_simplify(w->p, normal).v != normal.v;
  }
}

typedef struct batch {
  uint64_t first, count;
  tally *out;
} batch;

/* A new pool every so often: otherwise it only grows. */
static void batch_run(sp_ctx *ctx, void *arg) {
  batch *b = arg;
  sp_pool *p = sp_pool_new(ctx);
  int64_t four = 4, dims[2] = {3, 4};
  world w = {.p = p};
  w.i = sp_var(p, SP_VAR_INDEX, "i", 3);
  w.j = sp_var(p, SP_VAR_RANK, "j", 4);
  w.a = sp_sym_new(p, "a", SP_SORT_REAL, 1, &four);
  w.b = sp_sym_new(p, "b", SP_SORT_REAL, 2, dims);
  w.x = sp_sym_new(p, "x", SP_SORT_REAL, 0, NULL);
  w.y = sp_sym_new(p, "y", SP_SORT_REAL, 0, NULL);
  w.pos = sp_sym_new(p, "pos", SP_SORT_REAL, 1, &four);
  w.n = sp_sym_new(p, "n", SP_SORT_INT, 1, &four);
  sp_sym_set_range(p, w.n, 0, 3);
  for (uint64_t k = 0; k < b->count; k++) {
    w.seed = b->first + k;
    sp_expr raw = follow(&w, true), normal = follow(&w, false);
    b->out->terms++;
    for (uint64_t t = 0; t < 3; t++) {
      compare_at(&w, raw, normal, mix64(w.seed + t) % 12, b->out);
    }
    same_again(&w, raw, normal, b->out);
    if (k % 4 == 0) {
      sp_expr other = k % 8 ? sp_simplify(p, raw) : sp_split_sums(p, normal);
      compare_at(&w, raw, other, mix64(w.seed) % 12, b->out);
      other = sp_multiply_out(p, normal, 1000);
      if (other.v) {
        compare_at(&w, raw, other, mix64(w.seed + 9) % 12, b->out);
      }
    }
  }
}

static uint64_t number_from_env(const char *name, uint64_t otherwise) {
  const char *s = getenv(name);
  return s && *s ? strtoull(s, NULL, 10) : otherwise;
}

static void random_terms_keep_their_values(void) {
  bool is_long = number_from_env("SHARDPROOF_LONG", 0) != 0;
  uint64_t total = is_long ? 300000 : 4000, each = 250;
  uint64_t seed = number_from_env("SHARDPROOF_SEED", 1) * 1000000007u;
  tally t = {0};
  for (uint64_t done = 0; done < total; done += each) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    batch b = {seed + done, each, &t};
    sp_code code = sp_protect(ctx, batch_run, &b);
    CU_ASSERT_EQUAL(code, SP_OK);
    if (code != SP_OK) {
      printf("  batch from seed %llu: %s\n", (unsigned long long)(seed + done),
             sp_ctx_error(ctx)->message);
    }
    sp_ctx_free(ctx);
  }
  printf("  %llu terms, %llu values compared, %llu undefined, %llu rough, "
         "%llu wrong\n",
         (unsigned long long)t.terms, (unsigned long long)t.compared,
         (unsigned long long)t.undefined, (unsigned long long)t.rough,
         (unsigned long long)t.wrong);
  printf("  not the same node: %llu built twice, %llu simplified, %llu "
         "simplified again\n",
         (unsigned long long)t.twice, (unsigned long long)t.simplified,
         (unsigned long long)t.unstable);
  CU_ASSERT_EQUAL(t.wrong, 0);
  CU_ASSERT(t.compared > t.terms); /* most values are defined */
  CU_ASSERT(t.rough * 20 < t.compared);
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
  ADD(products_are_flat_and_sorted);
  ADD(exps_merge);
  ADD(only_what_is_not_zero_cancels);
  ADD(a_maximum_in_an_exponent_is_noted);
  ADD(zero_guards_leave_products);
  ADD(inverses);
  ADD(names_and_picks_have_signs);
  ADD(choices_of_numbers_are_compared);
  ADD(functions_by_name);
  ADD(logarithms_of_positive_factors);
  ADD(maxima);
  ADD(integers_as_reals);
  ADD(reductions_are_equal_up_to_their_variables);
  ADD(nested_sums_merge_in_any_order);
  ADD(sums_flatten_through_one_factor);
  ADD(unused_variables_and_trivial_ranges);
  ADD(what_a_variable_only_chooses_is_written_out);
  ADD(empty_ranges_give_the_identity);
  ADD(factors_leave_sums);
  ADD(guards_leave_sums_only_when_they_may);
  ADD(sums_are_split_on_demand_only);
  ADD(maxima_over_ranges);
  ADD(quantifiers);
  ADD(lambdas_are_left_alone);
  ADD(bound_variables_are_not_captured);
  ADD(online_softmax_cancels_its_shifts);
  ADD(raw_mode_rewrites_nothing);
  ADD(random_terms_keep_their_values);
#undef ADD
}
