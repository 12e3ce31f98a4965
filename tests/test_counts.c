/* test_counts.c: places in a buffer given by running counts, as a mixture of
 * experts dispatches its tokens (solve/rule_counts.c), with broken twins.
 *
 * Token t goes to place s(t) of a buffer, if anywhere. What is in place c is
 * sum over t of [s(t) = c] x(t); token i takes back what is in place s(i). It
 * is its own x(i), if no other token has its place.
 */
#include "solve/prove.h"
#include "tests/support_prove.h"

void suite_counts(void);

static const sp_hyps NONE = {0};
enum { TOKENS = 6, RANKS = 3 };

static sp_prover *prover(bench *b) {
  sp_pool_mode(b->p, SP_MODE_RAW_INDEX);
  return sp_prover_new(b->p, b->s);
}

/* ---- counts ---- */

typedef enum order {
  UP_TO, /* u <= v */
  BEFORE,
  FROM /* u >= v */
} order;

/* How many u are on, up to v. row: of a tensor with two coordinates; 0: one. */
static sp_expr counted(bench *b, sp_sym on, sp_expr row, sp_expr v, order o) {
  sp_pool *p = b->p;
  sp_expr u = sp_fresh(p, TOKENS);
  sp_expr in = o == UP_TO    ? sp_le(p, u, v)
               : o == BEFORE ? sp_lt(p, u, v)
                             : sp_le(p, v, u);
  sp_expr is_on = row.v ? at2(b, on, row, u) : at1(b, on, u);
  sp_expr one = sp_ite(p, is_on, sp_int(p, 1), sp_int(p, 0));
  return sum1(b, u, sp_ite(p, in, one, sp_int(p, 0)));
}

/* on(v) ? C(v) - 1 : -1, as programs write it: C * on - 1 */
static sp_expr place(bench *b, sp_sym on, sp_expr row, sp_expr v, order o) {
  sp_pool *p = b->p;
  sp_expr is_on = row.v ? at2(b, on, row, v) : at1(b, on, v);
  sp_expr mask = sp_ite(p, is_on, sp_int(p, 1), sp_int(p, 0));
  return sp_iaddc(p, sp_imul(p, counted(b, on, row, v, o), mask), -1);
}

/* ite(c, x, 0) */
static sp_expr where(bench *b, sp_expr c, sp_expr x) {
  return sp_ite(b->p, c, x, sp_real_i64(b->p, 0));
}

/* ---- one buffer ---- */

typedef sp_expr (*place_of)(bench *b, sp_sym on, sp_expr t);

static sp_expr inclusive(bench *b, sp_sym on, sp_expr t) {
  return place(b, on, (sp_expr){0}, t, UP_TO);
}

static sp_expr backwards(bench *b, sp_sym on, sp_expr t) {
  return place(b, on, (sp_expr){0}, t, FROM);
}

/* Tokens that are off have the place of the one before them. */
static sp_expr unmasked(bench *b, sp_sym on, sp_expr t) {
  return sp_iaddc(b->p, counted(b, on, (sp_expr){0}, t, UP_TO), -1);
}

/* How many come before, where on; the mask is right, the count is not: the
 * first token has no place, for 0 - 1. */
static sp_expr exclusive(bench *b, sp_sym on, sp_expr t) {
  return place(b, on, (sp_expr){0}, t, BEFORE);
}

/* Dispatched to a buffer of that size, changed there by a function (if it is
 * one), taken back: what token i gets. */
static sp_expr round_trip(bench *b, place_of s, sp_sym on, sp_sym x, sp_expr i,
                          int64_t capacity, const char *fn) {
  sp_pool *p = b->p;
  sp_expr t = sp_fresh(p, TOKENS), c = sp_fresh(p, capacity);
  sp_expr buffer = sum1(b, t, where(b, sp_eq(p, s(b, on, t), c), at1(b, x, t)));
  buffer = fn ? sp_fn1(p, fn, buffer) : buffer;
  return sum1(b, c, where(b, sp_eq(p, s(b, on, i), c), buffer));
}

static bool comes_back(bench *b, place_of s, int64_t capacity, const char *fn) {
  sp_prover *pr = prover(b);
  sp_sym on = tensor(b, "on", SP_SORT_BOOL, 1, TOKENS);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, TOKENS);
  sp_expr i = index_var(b, TOKENS), own = at1(b, x, i);
  sp_expr want = where(b, at1(b, on, i), fn ? sp_fn1(b->p, fn, own) : own);
  return sp_prove_equal(pr, want, round_trip(b, s, on, x, i, capacity, fn),
                        NONE);
}

static void one_buffer(bench *b) {
  CU_ASSERT_TRUE(comes_back(b, inclusive, TOKENS, NULL));
  CU_ASSERT_TRUE(comes_back(b, inclusive, TOKENS, "tanh"));
  CU_ASSERT_TRUE(comes_back(b, inclusive, TOKENS + 2, NULL));
  CU_ASSERT_TRUE(comes_back(b, backwards, TOKENS, NULL));
}

static void one_buffer_wrong(bench *b) {
  CU_ASSERT_FALSE(comes_back(b, unmasked, TOKENS, NULL));
  CU_ASSERT_FALSE(comes_back(b, exclusive, TOKENS, NULL));
  CU_ASSERT_FALSE(comes_back(b, inclusive, TOKENS - 1, NULL));
  CU_ASSERT_FALSE(comes_back(b, inclusive, TOKENS - 1, "tanh"));
}

BENCH_TEST(each_token_has_a_place_of_its_own, one_buffer)
BENCH_TEST(without_one_it_is_not_found, one_buffer_wrong)

void suite_counts(void) {
  CU_pSuite s = CU_add_suite("counts", NULL, NULL);
  CU_ADD_TEST(s, each_token_has_a_place_of_its_own);
  CU_ADD_TEST(s, without_one_it_is_not_found);
}
