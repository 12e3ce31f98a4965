/* test_counts.c: places in a buffer given by running counts, as a mixture of
 * experts dispatches its tokens (solve/rule_counts.c), with broken twins.
 *
 * Token t goes to place s(t) of a buffer, if anywhere. What is in place c is
 * sum over t of [s(t) = c] x(t); token i takes back what is in place s(i). It
 * is its own x(i), if no other token has its place.
 */
#include "tests/support_rules.h"

void suite_counts(void);

enum { TOKENS = 6, RANKS = 3 };

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

/* As XLA writes a running count: over a window that ends at v. */
static sp_expr windowed(bench *b, sp_sym on, sp_expr v, int64_t off) {
  sp_pool *p = b->p;
  sp_expr k = sp_fresh(p, TOKENS);
  sp_expr at = sp_iaddc(p, sp_iadd(p, v, k), off - (TOKENS - 1));
  sp_expr in =
      sp_and(p, sp_le(p, sp_int(p, 0), at), sp_lt(p, at, sp_int(p, TOKENS)));
  sp_expr one = sp_ite(p, at1(b, on, at), sp_int(p, 1), sp_int(p, 0));
  sp_expr count = sum1(b, k, sp_ite(p, in, one, sp_int(p, 0)));
  sp_expr mask = sp_ite(p, at1(b, on, v), sp_int(p, 1), sp_int(p, 0));
  return sp_iaddc(p, sp_imul(p, count, mask), -1);
}

static sp_expr by_window(bench *b, sp_sym on, sp_expr t) {
  return windowed(b, on, t, 0);
}

/* The window ends one before: an exclusive count. */
static sp_expr by_early_window(bench *b, sp_sym on, sp_expr t) {
  return windowed(b, on, t, -1);
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
  CU_ASSERT_TRUE(comes_back(b, by_window, TOKENS, "tanh"));
}

static void one_buffer_wrong(bench *b) {
  CU_ASSERT_FALSE(comes_back(b, unmasked, TOKENS, NULL));
  CU_ASSERT_FALSE(comes_back(b, exclusive, TOKENS, NULL));
  CU_ASSERT_FALSE(comes_back(b, by_early_window, TOKENS, NULL));
  CU_ASSERT_FALSE(comes_back(b, inclusive, TOKENS - 1, NULL));
  CU_ASSERT_FALSE(comes_back(b, inclusive, TOKENS - 1, "tanh"));
}

/* ---- a buffer for each expert ---- */

/* Token t goes to expert e = id(t), to the place that a count over tokens (or,
 * wrongly, over experts) gives it there. */
static sp_expr expert_place(bench *b, sp_sym id, sp_expr t, sp_expr e,
                            bool over_experts) {
  sp_pool *p = b->p;
  sp_expr u = sp_fresh(p, TOKENS), one = sp_int(p, 1), none = sp_int(p, 0);
  sp_expr here = sp_eq(p, over_experts ? at1(b, id, t) : at1(b, id, u),
                       over_experts ? u : e);
  sp_expr in = sp_le(p, u, over_experts ? e : t);
  sp_expr count = sum1(b, u, sp_ite(p, in, sp_ite(p, here, one, none), none));
  sp_expr mask = sp_ite(p, sp_eq(p, at1(b, id, t), e), one, none);
  return sp_iaddc(p, sp_imul(p, count, mask), -1);
}

/* sum over (e, c) of [place(i, e) = c] f(e, what is in place c of e) */
static bool experts(bench *b, bool over_experts) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_sym id = tensor(b, "id", SP_SORT_INT, 1, TOKENS);
  sp_sym_set_range(p, id, 0, TOKENS - 1);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, TOKENS);
  sp_sym w = tensor(b, "w", SP_SORT_REAL, 1, TOKENS);
  sp_expr i = index_var(b, TOKENS), e = sp_fresh(p, TOKENS),
          c = sp_fresh(p, TOKENS), t = sp_fresh(p, TOKENS);
  sp_expr buffer =
      sum1(b, t,
           where(b, sp_eq(p, expert_place(b, id, t, e, over_experts), c),
                 at1(b, x, t)));
  sp_expr y = sp_fn1(p, "tanh", sp_mul(p, at1(b, w, e), buffer));
  sp_expr mine = sp_eq(p, expert_place(b, id, i, e, over_experts), c);
  sp_expr got = sp_red(p, SP_RED_SUM, 2, (sp_expr[]){e, c}, where(b, mine, y));
  sp_expr want =
      sp_fn1(p, "tanh", sp_mul(p, at1(b, w, at1(b, id, i)), at1(b, x, i)));
  return sp_prove_equal(pr, want, got, NONE);
}

static void axes(bench *b) {
  CU_ASSERT_TRUE(experts(b, false));
  CU_ASSERT_FALSE(experts(b, true));
}

/* Each token goes to all experts for which it has a weight that is positive;
 * a weight that is not must be 0. */
static bool weighted(bench *b, bool with_sign) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_sym g = tensor(b, "g", SP_SORT_REAL, 2, TOKENS);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, TOKENS);
  sp_sym w = tensor(b, "w", SP_SORT_REAL, 1, TOKENS);
  sp_expr i = index_var(b, TOKENS), e = sp_fresh(p, TOKENS),
          c = sp_fresh(p, TOKENS), t = sp_fresh(p, TOKENS), at[2];
  if (with_sign) {
    sp_sym_take_sign(p, g, sp_mul(p, at1(b, x, i), at1(b, x, i)));
  }
  for (int k = 0; k < 2; k++) {
    sp_expr v = k ? i : t, u = sp_fresh(p, TOKENS), zero = sp_real_i64(p, 0);
    sp_expr one = sp_int(p, 1), none = sp_int(p, 0);
    sp_expr on = sp_ite(p, sp_lt(p, zero, at2(b, g, u, e)), one, none);
    sp_expr mask = sp_ite(p, sp_lt(p, zero, at2(b, g, v, e)), one, none);
    sp_expr count = sum1(b, u, sp_ite(p, sp_le(p, u, v), on, none));
    at[k] = sp_iaddc(p, sp_imul(p, count, mask), -1);
  }
  sp_expr buffer = sum1(b, t, where(b, sp_eq(p, at[0], c), at1(b, x, t)));
  sp_expr y = sp_fn1(p, "tanh", sp_mul(p, at1(b, w, e), buffer));
  sp_expr mine = where(b, sp_eq(p, at[1], c), sp_mul(p, at2(b, g, i, e), y));
  sp_expr got = sp_red(p, SP_RED_SUM, 2, (sp_expr[]){e, c}, mine);
  sp_expr all = sp_fn1(p, "tanh", sp_mul(p, at1(b, w, e), at1(b, x, i)));
  sp_expr want = sum1(b, e, sp_mul(p, at2(b, g, i, e), all));
  return sp_prove_equal(pr, want, got, NONE);
}

static void weights_with_sign(bench *b) {
  CU_ASSERT_TRUE(weighted(b, true));
}

static void weights_without_sign(bench *b) {
  CU_ASSERT_FALSE(weighted(b, false));
}

/* The place as a sum over experts, of which one has the token. */
static void summed_over_experts(bench *b) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_sym id = tensor(b, "id", SP_SORT_INT, 1, TOKENS);
  sp_sym_set_range(p, id, 0, TOKENS - 1);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 2, TOKENS);
  sp_expr i = index_var(b, TOKENS), own = at1(b, id, i);
  sp_expr e = sp_fresh(p, TOKENS), none = sp_int(p, 0);
  sp_expr place = sp_iaddc(p, expert_place(b, id, i, e, false), 1);
  sp_expr sum = sum1(b, e, sp_ite(p, sp_eq(p, own, e), place, none));
  sp_expr at = sp_iaddc(p, expert_place(b, id, i, own, false), 1);
  CU_ASSERT_TRUE(
      sp_prove_equal(pr, at2(b, x, own, sum), at2(b, x, own, at), NONE));
  sp_expr both = sum1(b, e, place); /* right: it is 0 elsewhere */
  CU_ASSERT_TRUE(
      sp_prove_equal(pr, at2(b, x, own, both), at2(b, x, own, at), NONE));
  sp_expr less = sum1(b, e, expert_place(b, id, i, e, false)); /* -1 there */
  CU_ASSERT_FALSE(
      sp_prove_equal(pr, at2(b, x, own, less), at2(b, x, own, at), NONE));
}

/* ---- one buffer for all ranks: that of rank q begins at q * size ---- */

static bool ranks(bench *b, int64_t size) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  int64_t extents[2] = {RANKS, TOKENS};
  sp_sym on = sp_sym_new(p, "on", SP_SORT_BOOL, 2, extents);
  sp_sym x = sp_sym_new(p, "x", SP_SORT_REAL, 2, extents);
  sp_expr r = sp_var(p, SP_VAR_RANK, "r", RANKS), i = index_var(b, TOKENS);
  sp_expr q = sp_fresh(p, RANKS), t = sp_fresh(p, TOKENS);
  sp_expr c = sp_fresh(p, RANKS * TOKENS);
  sp_expr mine = sp_iadd(p, sp_iscale(p, r, size), place(b, on, r, i, UP_TO));
  sp_expr its = sp_iadd(p, sp_iscale(p, q, size), place(b, on, q, t, UP_TO));
  sp_expr sent = sp_and(p, at2(b, on, q, t), sp_eq(p, its, c));
  sp_expr buffer = sp_red(p, SP_RED_SUM, 2, (sp_expr[]){q, t},
                          where(b, sent, at2(b, x, q, t)));
  sp_expr taken = sp_and(p, at2(b, on, r, i), sp_eq(p, mine, c));
  sp_expr got = sum1(b, c, where(b, taken, sp_fn1(p, "tanh", buffer)));
  sp_expr want = where(b, at2(b, on, r, i), sp_fn1(p, "tanh", at2(b, x, r, i)));
  return sp_prove_equal(pr, want, got, NONE);
}

static void offsets(bench *b) {
  CU_ASSERT_TRUE(ranks(b, TOKENS));
  CU_ASSERT_FALSE(ranks(b, 0));
  CU_ASSERT_FALSE(ranks(b, TOKENS - 1));
}

/* ---- two choices: second choices come after all first ones ---- */

static sp_expr total(bench *b, sp_sym on) {
  sp_expr u = sp_fresh(b->p, TOKENS);
  return sum1(b, u,
              sp_ite(b->p, at1(b, on, u), sp_int(b->p, 1), sp_int(b->p, 0)));
}

static bool choices(bench *b, bool after) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_sym first = tensor(b, "first", SP_SORT_BOOL, 1, TOKENS);
  sp_sym second = tensor(b, "second", SP_SORT_BOOL, 1, TOKENS);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, TOKENS);
  sp_expr i = index_var(b, TOKENS), t = sp_fresh(p, TOKENS),
          c = sp_fresh(p, 2 * TOKENS), v[2] = {t, i}, at[2][2];
  for (int k = 0; k < 2; k++) {
    sp_expr later =
        sp_iaddc(p, counted(b, second, (sp_expr){0}, v[k], UP_TO), -1);
    later = after ? sp_iadd(p, later, total(b, first)) : later;
    at[k][0] =
        sp_and(p, at1(b, first, v[k]), sp_eq(p, unmasked(b, first, v[k]), c));
    at[k][1] = sp_and(p, at1(b, second, v[k]), sp_eq(p, later, c));
  }
  sp_expr buffer = sum1(b, t,
                        sp_add(p, where(b, at[0][0], at1(b, x, t)),
                               where(b, at[0][1], at1(b, x, t))));
  sp_expr y = sp_fn1(p, "tanh", buffer);
  sp_expr got =
      sum1(b, c, sp_add(p, where(b, at[1][0], y), where(b, at[1][1], y)));
  sp_expr own = sp_fn1(p, "tanh", at1(b, x, i));
  sp_expr want = sp_add(p, where(b, at1(b, first, i), own),
                        where(b, at1(b, second, i), own));
  return sp_prove_equal(pr, want, got, NONE);
}

static void two_choices(bench *b) {
  CU_ASSERT_TRUE(choices(b, true));
  CU_ASSERT_FALSE(choices(b, false));
}

/* ---- whatever is proved is so: all places of a family, by evaluation ---- */

typedef struct world {
  bench *b;
  sp_sym on;
  uint32_t mask; /* which tokens are on */
  int64_t i;
} world;

static int64_t value_of_i(void *user, sp_expr v) {
  (void)v;
  return ((world *)user)->i;
}

static sp_value element(void *user, sp_sym s, uint32_t n, const int64_t *idx) {
  world *w = user;
  (void)n;
  bool is_on = idx[0] >= 0 && idx[0] < TOKENS && (w->mask >> idx[0] & 1);
  return s.v == w->on.v
             ? (sp_value){.sort = SP_SORT_BOOL, .b = is_on}
             : (sp_value){.sort = SP_SORT_REAL, .r = 3.0 + (double)idx[0]};
}

static bool equal_everywhere(world *w, sp_expr x, sp_expr y) {
  for (w->mask = 0; w->mask < 1u << TOKENS; w->mask++) {
    for (w->i = 0; w->i < TOKENS; w->i++) {
      sp_eval_env env = {
          .user = w, .var = value_of_i, .read = element, .budget = 1000000};
      sp_value a, c;
      if (!sp_eval(w->b->p, x, &env, &a) || !sp_eval(w->b->p, y, &env, &c) ||
          a.r < c.r - 1e-9 || a.r > c.r + 1e-9) {
        return false;
      }
    }
  }
  return true;
}

/* Of a family: how counted, masked or not, shifted by how much. */
static struct {
  order o;
  bool masked;
  int64_t shift;
} family;

static sp_expr one_of_family(bench *b, sp_sym on, sp_expr t) {
  sp_pool *p = b->p;
  sp_expr place =
      sp_iaddc(p, counted(b, on, (sp_expr){0}, t, family.o), family.shift);
  return family.masked ? sp_ite(p, at1(b, on, t), place, sp_int(p, -1)) : place;
}

static void proved_is_so(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym on = tensor(b, "on", SP_SORT_BOOL, 1, TOKENS);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, TOKENS);
  sp_expr i = index_var(b, TOKENS);
  world w = {.b = b, .on = on};
  sp_expr want = where(b, at1(b, on, i), at1(b, x, i));
  int proved = 0, right = 0;
  for (int k = 0; k < 54; k++) {
    family.o = (order)(k % 3);
    family.masked = k / 3 % 2;
    family.shift = k / 6 % 3 - 1;
    sp_expr got =
        round_trip(b, one_of_family, on, x, i, TOKENS - 1 + k / 18, NULL);
    bool is_proved = sp_prove_equal(pr, want, got, NONE);
    bool is_right = equal_everywhere(&w, want, got);
    CU_ASSERT(is_right || !is_proved);
    proved += is_proved;
    right += is_right;
  }
  CU_ASSERT_EQUAL(proved, right);
  CU_ASSERT(right > 0 && right < 54);
}

BENCH_TEST(each_token_has_a_place_of_its_own, one_buffer)
BENCH_TEST(without_one_it_is_not_found, one_buffer_wrong)
BENCH_TEST(what_is_proved_of_places_is_so, proved_is_so)
BENCH_TEST(counts_are_over_tokens_for_each_expert, axes)
BENCH_TEST(what_is_not_sent_has_no_weight, weights_with_sign)
BENCH_TEST(weights_may_not_be_negative, weights_without_sign)
BENCH_TEST(a_place_may_be_a_sum_over_experts, summed_over_experts)
BENCH_TEST(ranks_have_parts_of_the_buffer, offsets)
BENCH_TEST(second_choices_come_after_first_ones, two_choices)

void suite_counts(void) {
  CU_pSuite s = CU_add_suite("counts", NULL, NULL);
  CU_ADD_TEST(s, each_token_has_a_place_of_its_own);
  CU_ADD_TEST(s, without_one_it_is_not_found);
  CU_ADD_TEST(s, what_is_proved_of_places_is_so);
  CU_ADD_TEST(s, counts_are_over_tokens_for_each_expert);
  CU_ADD_TEST(s, what_is_not_sent_has_no_weight);
  CU_ADD_TEST(s, weights_may_not_be_negative);
  CU_ADD_TEST(s, a_place_may_be_a_sum_over_experts);
  CU_ADD_TEST(s, ranks_have_parts_of_the_buffer);
  CU_ADD_TEST(s, second_choices_come_after_first_ones);
}
