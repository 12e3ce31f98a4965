/* test_red.c: the normal form of reductions: each rewrite, and the tempting
 * wrong ones. */
#include "tests/suites.h"
#include "tests/support_terms.h"

void suite_red(void);

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

/* A sum is mapped while it is being mapped: its variable means two things. */
typedef struct nested {
  sp_sym x, y;
  sp_expr sum, outer;
} nested;

static sp_expr for_x(void *env, sp_pool *p, sp_expr e) {
  const nested *n = env;
  bool here = sp_kind_of(p, e) == SP_KIND_READ && sp_read_sym(p, e).v == n->x.v;
  return here ? n->outer : (sp_expr){0};
}

static sp_expr for_y(void *env, sp_pool *p, sp_expr e) {
  nested *n = env;
  if (sp_kind_of(p, e) != SP_KIND_READ || sp_read_sym(p, e).v != n->y.v) {
    return (sp_expr){0};
  }
  n->outer = e;
  return sp_map(p, n->sum, for_x, n);
}

TEST(what_is_mapped_inside_of_itself_captures_nothing) {
  nested n = {.x = vector(p, "x"), .y = vector(p, "y")};
  sp_expr k = sp_fresh(p, 8), m = sp_fresh(p, 8);
  n.sum = sum1(p, k, sp_mul(p, at(p, n.x, k), at(p, n.y, k)));
  sp_expr inner = sum1(p, m, sp_mul(p, at(p, n.y, k), at(p, n.y, m)));
  sp_expr want = sum1(p, k, sp_mul(p, at(p, n.x, k), inner));
  for (int round = 0; round < 2; round++) {
    SAME(sp_map(p, n.sum, for_y, &n), want);
  }
  SAME(sp_map(p, n.sum, for_x, &n),
       sum1(p, m, sp_mul(p, n.outer, at(p, n.y, m))));
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
  /* a maximum inside goes on by itself */
  sp_expr j = sp_fresh(p, 4);
  sp_expr inner = red1(p, SP_RED_MAX, j, sp_mul(p, x, at(p, w, j)));
  SAME(red1(p, SP_RED_MAX, k, sp_max(p, sp_mul(p, x, x), inner)),
       sp_max(p, red1(p, SP_RED_MAX, k, sp_mul(p, x, x)),
              red1(p, SP_RED_MAX, k, inner)));
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

/* ---- the suite ---- */

void suite_red(void) {
  CU_pSuite s = CU_add_suite("red", NULL, NULL);
#define ADD(name) CU_add_test(s, #name, name)
  ADD(reductions_are_equal_up_to_their_variables);
  ADD(what_is_mapped_inside_of_itself_captures_nothing);
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
#undef ADD
}
