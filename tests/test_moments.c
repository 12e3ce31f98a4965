/* test_moments.c: polynomials of sums (solve/rule_moments.c): variances
 * computed in several ways, each with broken twins that must not be proved.
 */
#include "solve/prove.h"
#include "tests/support_prove.h"

void suite_moments(void);

static const sp_hyps NONE = {0};

/* N numbers x, in BLOCKS blocks of B. */
enum { N = 64, BLOCKS = 8, B = N / BLOCKS };

typedef struct row {
  bench *b;
  sp_pool *p;
  sp_prover *pr;
  sp_sym x;
} row;

static row row_of(bench *b) {
  sp_pool_mode(b->p, SP_MODE_RAW_INDEX);
  return (row){b, b->p, sp_prover_new(b->p, b->s),
               tensor(b, "x", SP_SORT_REAL, 1, N)};
}

static void proved(row *r, sp_expr a, sp_expr b) {
  CU_ASSERT_TRUE(spi_moments_equal(r->pr, a, b, NONE));
  CU_ASSERT_TRUE(spi_moments_equal(r->pr, b, a, NONE));
}

static void open(row *r, sp_expr a, sp_expr b) {
  CU_ASSERT_FALSE(spi_moments_equal(r->pr, a, b, NONE));
}

static sp_expr over(row *r, sp_expr e, int64_t n) {
  return sp_scale(r->p, e, sp_num_ratio(r->p, 1, n));
}

static sp_expr square(row *r, sp_expr e) {
  return sp_mul(r->p, e, e);
}

/* sum over k < n of (x[k + first] - m)^degree */
static sp_expr moment(row *r, int64_t n, sp_expr first, sp_expr m, int degree) {
  sp_expr k = sp_fresh(r->p, n);
  sp_expr d = sp_sub(r->p, at1(r->b, r->x, sp_iadd(r->p, k, first)), m);
  return sp_red(r->p, SP_RED_SUM, 1, &k, degree == 1 ? d : square(r, d));
}

static sp_expr total(row *r, int degree) {
  return moment(r, N, sp_int(r->p, 0), sp_real_i64(r->p, 0), degree);
}

/* The two-pass variance. */
static sp_expr variance(row *r, int64_t n) {
  sp_expr mu = over(r, total(r, 1), n);
  return over(r, moment(r, N, sp_int(r->p, 0), mu, 2), N);
}

static void mean_of_squares(bench *b) {
  row r = row_of(b);
  sp_expr mu = over(&r, total(&r, 1), N);
  sp_expr fast = sp_sub(r.p, over(&r, total(&r, 2), N), square(&r, mu));
  proved(&r, variance(&r, N), fast);
  open(&r, variance(&r, N - 1), fast);
  open(&r, variance(&r, N),
       sp_sub(r.p, over(&r, total(&r, 2), N - 1), square(&r, mu)));
  open(&r, variance(&r, N), sp_sub(r.p, over(&r, total(&r, 2), N), mu));
  /* and inside of a function */
  proved(&r, sp_fn1(r.p, "sqrt", variance(&r, N)), sp_fn1(r.p, "sqrt", fast));
  open(&r, sp_fn1(r.p, "sqrt", variance(&r, N - 1)), sp_fn1(r.p, "sqrt", fast));
}

/* Blocks by rank: each has its own mean; cross: with the term that says how
 * far these are apart. */
static sp_expr merged(row *r, bool cross, int64_t block) {
  sp_pool *p = r->p;
  sp_expr q = sp_fresh(p, BLOCKS);
  sp_expr first = sp_iscale(p, q, block), zero = sp_real_i64(p, 0);
  sp_expr mean = over(r, moment(r, B, first, zero, 1), B);
  sp_expr e = moment(r, B, first, mean, 2);
  if (cross) {
    sp_expr d = sp_sub(p, mean, over(r, total(r, 1), N));
    e = sp_add(p, e, sp_scale(p, square(r, d), sp_num_from_i64(p, B)));
  }
  return over(r, sp_red(p, SP_RED_SUM, 1, &q, e), N);
}

static void ranks(bench *b) {
  row r = row_of(b);
  proved(&r, variance(&r, N), merged(&r, true, B));
  open(&r, variance(&r, N), merged(&r, false, B));
  open(&r, variance(&r, N), merged(&r, true, B - 1)); /* they overlap */
}

/* Blocks one after the other. Chan, Golub, LeVeque (1979): d^2 na nb / (na +
 * nb). */
static sp_expr chan(row *r, int64_t blocks, int64_t off, int64_t stride) {
  sp_pool *p = r->p;
  sp_expr mean = sp_real_i64(p, 0), m2 = mean, zero = mean;
  for (int64_t s = 0; s < blocks; s++) {
    sp_expr first = sp_int(p, stride * s);
    sp_expr mb = over(r, moment(r, B, first, zero, 1), B);
    sp_expr d = sp_sub(p, mb, mean);
    sp_num share = sp_num_ratio(p, 1, s + 1);
    sp_num weight = sp_num_ratio(p, B * (s + off), s + 1);
    mean = sp_add(p, mean, sp_scale(p, d, share));
    m2 = sp_add(p, m2, moment(r, B, first, mb, 2));
    m2 = sp_add(p, m2, sp_scale(p, square(r, d), weight));
  }
  return over(r, m2, N);
}

static void blocks(bench *b) {
  row r = row_of(b);
  proved(&r, variance(&r, N), chan(&r, BLOCKS, 0, B));
  open(&r, variance(&r, N), chan(&r, BLOCKS, 1, B));
  open(&r, variance(&r, N), chan(&r, BLOCKS - 1, 0, B));
  open(&r, variance(&r, N), chan(&r, BLOCKS, 0, B - 1));
}

/* Welford (1962): one number after the other. */
static sp_expr welford(row *r, int64_t n, bool late) {
  sp_pool *p = r->p;
  sp_expr mean = sp_real_i64(p, 0), m2 = mean;
  for (int64_t s = 0; s < n; s++) {
    sp_expr x = at1(r->b, r->x, sp_int(p, s));
    sp_expr d = sp_sub(p, x, mean);
    mean = sp_add(p, mean, over(r, d, s + 1));
    m2 = sp_add(p, m2, sp_mul(p, d, late ? sp_sub(p, x, mean) : d));
  }
  return over(r, m2, N);
}

static void elements(bench *b) {
  row r = row_of(b);
  proved(&r, variance(&r, N), welford(&r, N, true));
  open(&r, variance(&r, N), welford(&r, N, false));
  open(&r, variance(&r, N), welford(&r, N - 1, true));
}

/* Multiplying out a square takes n (n + 1) / 2 terms: no more than the limit.
 */
static void limits(bench *b) {
  row r = row_of(b);
  sp_expr e = sp_real_i64(r.p, 0);
  for (int64_t s = 0; s < N; s++) {
    e = sp_add(r.p, e, at1(b, r.x, sp_int(r.p, s)));
  }
  e = square(&r, e);
  CU_ASSERT_EQUAL(sp_multiply_out(r.p, e, N).v, 0);
  sp_expr out = sp_multiply_out(r.p, e, 100 * N);
  CU_ASSERT_EQUAL(sp_n_args(r.p, out), N * (N + 1) / 2);
}

/* sum over k < 4 of exp(x[k + first]), or of that times y[k + first]; 0 where
 * k > i + past. */
static sp_expr weights(row *r, int64_t first, sp_sym y, sp_expr i,
                       int64_t past) {
  sp_pool *p = r->p;
  sp_expr k = sp_fresh(p, 4), at = sp_iaddc(p, k, first);
  sp_expr e = sp_exp(p, at1(r->b, r->x, at));
  e = y.v ? sp_mul(p, e, at1(r->b, y, at)) : e;
  if (i.v) {
    sp_expr hidden = sp_lt(p, sp_iaddc(p, i, past), k);
    e = sp_ite(p, hidden, sp_real_i64(p, 0), e);
  }
  return sp_red(p, SP_RED_SUM, 1, &k, e);
}

/* n/s and m/t merged: n/s - (n/s - m/t) / (1 + s/t), or what is wrong. */
static sp_expr one_of_two(row *r, sp_expr n, sp_expr s, sp_expr m, sp_expr t,
                          sp_expr over) {
  sp_pool *p = r->p;
  sp_expr a = sp_div(p, n, s), b = sp_div(p, m, t);
  sp_expr weight = sp_inv(p, sp_add(p, sp_real_i64(p, 1), over));
  return sp_sub(p, a, sp_mul(p, sp_sub(p, a, b), weight));
}

static void fractions(bench *b) {
  row r = row_of(b);
  sp_pool *p = r.p;
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, N), none = {0};
  sp_expr no = {0}, i = index_var(b, 4);
  sp_expr s = weights(&r, 0, none, no, 0), n = weights(&r, 0, y, no, 0);
  sp_expr m = weights(&r, 8, y, i, 0), t = weights(&r, 8, none, i, 0);
  sp_expr all = sp_div(p, sp_add(p, n, m), sp_add(p, s, t));
  CU_ASSERT_TRUE(spi_fractions_equal(
      r.pr, one_of_two(&r, n, s, m, t, sp_div(p, s, t)), all, NONE));
  /* the blocks exchanged; a row that is masked as a whole where i is 0; what
   * is divided by may be anything */
  CU_ASSERT_FALSE(spi_fractions_equal(
      r.pr, one_of_two(&r, n, s, m, t, sp_div(p, t, s)), all, NONE));
  sp_expr u = weights(&r, 8, none, i, -1), some = sp_add(p, s, u);
  CU_ASSERT_FALSE(
      spi_fractions_equal(r.pr, one_of_two(&r, n, s, m, u, sp_div(p, s, u)),
                          sp_div(p, sp_add(p, n, m), some), NONE));
  sp_expr any = at1(b, y, i), q = sp_add(p, any, s);
  CU_ASSERT_FALSE(
      spi_fractions_equal(r.pr, sp_add(p, sp_div(p, any, q), sp_div(p, s, q)),
                          sp_real_i64(p, 1), NONE));
}

BENCH_TEST(quotients_by_what_is_positive_have_a_common_denominator, fractions)
BENCH_TEST(a_variance_is_the_mean_of_squares_less_the_square_of_the_mean,
           mean_of_squares)
BENCH_TEST(variances_of_ranks_merge, ranks)
BENCH_TEST(variances_of_blocks_merge_one_by_one, blocks)
BENCH_TEST(a_variance_may_be_updated_by_element, elements)
BENCH_TEST(what_is_too_long_is_not_multiplied_out, limits)

void suite_moments(void) {
  CU_pSuite s = CU_add_suite("moments", NULL, NULL);
#define ADD(t) CU_add_test(s, #t, t)
  ADD(a_variance_is_the_mean_of_squares_less_the_square_of_the_mean);
  ADD(variances_of_ranks_merge);
  ADD(variances_of_blocks_merge_one_by_one);
  ADD(a_variance_may_be_updated_by_element);
  ADD(what_is_too_long_is_not_multiplied_out);
  ADD(quotients_by_what_is_positive_have_a_common_denominator);
#undef ADD
}
