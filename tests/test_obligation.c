/* test_obligation.c: what sp_prove proves of each kind of term, and what it
 * must not prove.
 */
#include "tests/support_prove.h"

void suite_obligation(void);

/* ---- indices ---- */

static void integers(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 8), j = index_var(b, 8);
  YES(prove(b, sp_lt(p, i, sp_int(p, 8))));
  NO(prove(b, sp_lt(p, i, sp_int(p, 7))));
  YES(prove(b, sp_le(p, sp_int(p, 0), i)));
  NO(prove(b, sp_lt(p, sp_int(p, 0), i)));
  sp_expr a = sp_iadd(p, sp_iscale(p, i, 3), j);
  sp_expr c = sp_iadd(p, j, sp_iscale(p, i, 3));
  YES(prove(b, sp_eq(p, a, c)));
  NO(prove(b, sp_eq(p, a, sp_iaddc(p, c, 1))));
  YES(prove(b, sp_lt(p, a, sp_int(p, 29))));
  NO(prove(b, sp_lt(p, a, sp_int(p, 28))));
  YES(prove(b, sp_bool(p, true)));
  NO(prove(b, sp_bool(p, false)));
}

static void division_is_floor_division(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 32768), r = index_var(b, 8), j = index_var(b, 4096);
  sp_expr digits =
      sp_iadd(p, sp_iscale(p, sp_idiv(p, i, 4096), 4096), sp_imod(p, i, 4096));
  YES(prove(b, sp_eq(p, digits, i)));
  NO(prove(b, sp_eq(p, digits, sp_iaddc(p, i, 1))));
  sp_expr flat = sp_iadd(p, sp_iscale(p, r, 4096), j);
  YES(prove(b, sp_eq(p, sp_idiv(p, flat, 4096), r)));
  YES(prove(b, sp_eq(p, sp_imod(p, flat, 4096), j)));
  NO(prove(b, sp_eq(p, sp_idiv(p, sp_iaddc(p, flat, 1), 4096), r)));
  NO(prove(b, sp_eq(p, sp_imod(p, flat, 2048), j)));
  /* below zero: floor, not truncation */
  sp_expr below = sp_iaddc(p, r, -8); /* -8 .. -1 */
  YES(prove(b, sp_eq(p, sp_idiv(p, below, 8), sp_int(p, -1))));
  NO(prove(b, sp_eq(p, sp_idiv(p, below, 8), sp_int(p, 0))));
  YES(prove(b, sp_eq(p, sp_imod(p, below, 8), r)));
  NO(prove(b, sp_eq(p, sp_imod(p, below, 8), below)));
  sp_expr nested = sp_imod(p, sp_idiv(p, i, 128), 64);
  YES(prove(b, sp_eq(p, nested, sp_idiv(p, sp_imod(p, i, 8192), 128))));
  NO(prove(b, sp_eq(p, nested, sp_idiv(p, sp_imod(p, i, 4096), 128))));
}

/* A generator of random numbers, multiplied out or not: what counts is the
 * coefficients' rests. */
static void multiples_of_the_divisor_leave_no_rest(bench *b) {
  sp_pool *p = b->p;
  const int64_t c = INT64_C(1) << 31, k = 1103515245;
  sp_expr i = index_var(b, 16), j = index_var(b, 8), r = index_var(b, 4);
  sp_expr at = sp_iadd(p, sp_iscale(p, r, 128), sp_iscale(p, i, 8));
  at = sp_imod(p, sp_iadd(p, at, j), 512);
  sp_expr x = sp_iaddc(p, sp_iscale(p, at, k), 12345);
  sp_expr y =
      sp_iadd(p, sp_iscale(p, r, 128 * k % c - c), sp_iscale(p, i, 8 * k % c));
  y = sp_iaddc(p, sp_iadd(p, y, sp_iscale(p, j, k - c)), 12345);
  YES(prove(b, sp_eq(p, sp_imod(p, x, c), sp_imod(p, y, c))));
  NO(prove(b, sp_eq(p, sp_imod(p, x, c), sp_imod(p, sp_iaddc(p, y, 8), c))));
  sp_expr carried = sp_iadd(p, sp_iscale(p, r, 128 * k / c + 1), j);
  carried = sp_iadd(p, carried, sp_iscale(p, i, 8 * k / c));
  carried = sp_iadd(p, carried, sp_idiv(p, y, c));
  YES(prove(b, sp_eq(p, sp_idiv(p, x, c), carried)));
  NO(prove(b, sp_eq(p, sp_idiv(p, x, c), sp_idiv(p, y, c))));
  /* (x mod 8 - 1) mod 8, and digits put together */
  sp_expr flat = sp_iaddc(p, sp_imod(p, sp_iadd(p, i, j), 8), -1);
  YES(prove(b, sp_eq(p, sp_imod(p, flat, 8),
                     sp_imod(p, sp_iaddc(p, sp_iadd(p, i, j), 7), 8))));
  NO(prove(b, sp_eq(p, sp_imod(p, flat, 8), flat)));
  NO(prove(b, sp_eq(p, sp_imod(p, flat, 16),
                    sp_imod(p, sp_iaddc(p, sp_iadd(p, i, j), 15), 16))));
  sp_expr n = sp_iadd(p, sp_iscale(p, i, 5), j);
  sp_expr again =
      sp_iadd(p, sp_iscale(p, sp_idiv(p, n, 6), 6), sp_imod(p, n, 6));
  YES(prove(b, sp_eq(p, sp_imod(p, again, 7), sp_imod(p, n, 7))));
  YES(prove(b, sp_eq(p, sp_idiv(p, again, 4), sp_idiv(p, n, 4))));
  sp_expr other =
      sp_iadd(p, sp_iscale(p, sp_idiv(p, n, 6), 5), sp_imod(p, n, 6));
  NO(prove(b, sp_eq(p, sp_imod(p, other, 7), sp_imod(p, n, 7))));
}

/* ---- reads ---- */

static void reads(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 8), j = index_var(b, 8);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 2, 8);
  sp_expr same = sp_eq(p, i, j);
  YES(implies(b, same, sp_eq(p, at2(b, x, i, j), at2(b, x, j, i))));
  NO(prove(b, sp_eq(p, at2(b, x, i, j), at2(b, x, j, i))));
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 2, 8);
  NO(implies(b, same, sp_eq(p, at2(b, x, i, j), at2(b, y, i, j))));
  sp_sym flag = tensor(b, "flag", SP_SORT_BOOL, 1, 8);
  sp_expr f = at1(b, flag, i), g = at1(b, flag, j);
  YES(implies(b, sp_and(p, same, f), g));
  NO(implies(b, f, g));
  sp_sym scalar = sp_sym_new(p, "scalar", SP_SORT_REAL, 0, NULL);
  sp_expr c = sp_read(p, scalar, NULL);
  YES(prove(b,
            sp_eq(p, sp_add(p, c, c), sp_scale(p, c, sp_num_from_i64(p, 2)))));
  NO(prove(b, sp_eq(p, sp_add(p, c, c), c)));
}

static void ranges_hold_inside_the_extents(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 8), wide = index_var(b, 9);
  sp_sym ids = tensor(b, "ids", SP_SORT_INT, 1, 8);
  sp_sym any = tensor(b, "any", SP_SORT_INT, 1, 8);
  sp_sym_set_range(p, ids, 0, 99);
  sp_expr hundred = sp_int(p, 100);
  YES(prove(b, sp_lt(p, at1(b, ids, i), hundred)));
  NO(prove(b, sp_lt(p, at1(b, ids, i), sp_int(p, 99))));
  YES(prove(b, sp_le(p, sp_int(p, 0), at1(b, ids, i))));
  NO(prove(b, sp_lt(p, at1(b, ids, wide), hundred)));
  NO(prove(b, sp_lt(p, at1(b, ids, sp_iaddc(p, i, 1)), hundred)));
  NO(prove(b, sp_lt(p, at1(b, ids, sp_iaddc(p, i, -1)), hundred)));
  NO(prove(b, sp_lt(p, at1(b, any, i), hundred)));
  sp_expr inside = sp_lt(p, wide, sp_int(p, 8));
  YES(implies(b, inside, sp_lt(p, at1(b, ids, wide), hundred)));
}

/* -100 or 0 to 99 */
static void gaps_hold_inside_the_extents(bench *b) {
  static const sp_stretch gap = {-99, -1};
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 8), wide = index_var(b, 9);
  sp_sym ids = tensor(b, "ids", SP_SORT_INT, 1, 8);
  sp_sym_set_range(p, ids, -100, 99);
  sp_sym_set_gaps(p, ids, 1, &gap);
  sp_expr e = at1(b, ids, i), out = at1(b, ids, wide);
  sp_expr none = sp_eq(p, e, sp_int(p, -100));
  YES(prove(b, sp_or(p, none, sp_le(p, sp_int(p, 0), e))));
  NO(prove(b, sp_or(p, none, sp_lt(p, sp_int(p, 0), e))));
  NO(prove(b, sp_le(p, sp_int(p, 0), e)));
  YES(implies(b, sp_lt(p, e, sp_int(p, 0)), none));
  NO(prove(b, sp_not(p, sp_eq(p, out, sp_int(p, -50)))));
  YES(prove(b, sp_not(p, sp_eq(p, e, sp_int(p, -50)))));
}

static void tables(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 4), j = index_var(b, 3), wide = index_var(b, 5);
  int64_t extents[2] = {4, 3};
  int64_t odd[4] = {3, 9, 1, 7};
  int64_t grid[12] = {5, 0, 2, 2, 1, 0, 9, 4, 1, 8, 1, 8};
  sp_sym t = sp_sym_table_int(p, SP_SORT_INT, 1, extents, odd);
  sp_expr e = at1(b, t, i);
  YES(prove(b, sp_eq(p, sp_imod(p, e, 2), sp_int(p, 1))));
  NO(prove(b, sp_eq(p, sp_imod(p, e, 4), sp_int(p, 3))));
  YES(implies(b, sp_eq(p, e, sp_int(p, 9)), sp_eq(p, i, sp_int(p, 1))));
  NO(implies(b, sp_eq(p, e, sp_int(p, 9)), sp_eq(p, i, sp_int(p, 2))));
  NO(prove(b, sp_lt(p, at1(b, t, wide), sp_int(p, 10))));
  sp_sym g = sp_sym_table_int(p, SP_SORT_INT, 2, extents, grid);
  sp_expr high = sp_lt(p, sp_int(p, 7), at2(b, g, i, j));
  YES(implies(b, high, sp_le(p, sp_int(p, 2), i)));
  NO(implies(b, high, sp_eq(p, sp_int(p, 2), i)));
  sp_expr nine = sp_eq(p, at2(b, g, i, j), sp_int(p, 9));
  sp_expr row2 = sp_eq(p, i, sp_int(p, 2)), col0 = sp_eq(p, j, sp_int(p, 0));
  YES(implies(b, nine, sp_and(p, row2, col0)));
  NO(implies(b, row2, nine));
  int64_t bits[4] = {0, 1, 1, 0};
  sp_sym mask = sp_sym_table_int(p, SP_SORT_BOOL, 1, extents, bits);
  YES(implies(b, at1(b, mask, i), sp_lt(p, sp_int(p, 0), i)));
  NO(implies(b, at1(b, mask, i), sp_lt(p, sp_int(p, 1), i)));
  sp_num halves[4];
  for (int k = 0; k < 4; k++)
    halves[k] = sp_num_ratio(p, k, 2);
  sp_sym h = sp_sym_table_num(p, 1, extents, halves);
  sp_expr r = sp_scale(p, sp_i2r(p, i), sp_num_ratio(p, 1, 2));
  YES(prove(b, sp_eq(p, at1(b, h, i), r)));
  NO(prove(b, sp_eq(p, at1(b, h, i), sp_i2r(p, i))));
  /* a large table is only known by its range, and at constants */
  int64_t big[100], n = 100;
  for (int k = 0; k < 100; k++)
    big[k] = (k * 37) % 100;
  sp_sym large = sp_sym_table_int(p, SP_SORT_INT, 1, &n, big);
  sp_expr x = index_var(b, 100);
  YES(prove(b, sp_lt(p, at1(b, large, x), sp_int(p, 100))));
  NO(prove(b, sp_lt(p, at1(b, large, x), sp_int(p, 99))));
  YES(prove(b, sp_eq(p, at1(b, large, sp_int(p, 3)), sp_int(p, 11))));
  NO(prove(b, sp_eq(p, at1(b, large, sp_int(p, 3)), sp_int(p, 12))));
}

/* ---- any sort ---- */

static void choices_and_booleans(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 8), j = index_var(b, 8);
  sp_expr less = sp_lt(p, i, j);
  sp_expr low = sp_ite(p, less, i, j);
  YES(prove(b, sp_eq(p, low, sp_min(p, i, j))));
  NO(prove(b, sp_eq(p, low, sp_max(p, i, j))));
  YES(prove(b, sp_eq(p, sp_iadd(p, sp_max(p, i, j), sp_min(p, i, j)),
                     sp_iadd(p, i, j))));
  YES(prove(b, sp_or(p, less, sp_le(p, j, i))));
  NO(prove(b, sp_or(p, less, sp_lt(p, j, i))));
  YES(prove(b, sp_not(p, sp_and(p, less, sp_lt(p, j, i)))));
  NO(prove(b, sp_not(p, sp_and(p, less, sp_lt(p, i, j)))));
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 8);
  sp_expr u = at1(b, x, i), v = at1(b, x, j), w = at1(b, x, sp_int(p, 0));
  sp_expr m = sp_max(p, sp_max(p, u, v), w);
  YES(prove(b, sp_le(p, u, m)));
  NO(prove(b, sp_lt(p, u, m)));
  YES(prove(b, sp_eq(p, m, sp_max(p, u, sp_max(p, w, v)))));
  NO(prove(b, sp_eq(p, m, sp_max(p, u, v))));
}

static void reals(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 8), j = index_var(b, 8);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 8);
  sp_expr u = at1(b, x, i), v = at1(b, x, j);
  sp_num third = sp_num_ratio(p, 1, 3);
  sp_expr a = sp_scale(p, sp_add(p, u, v), third);
  sp_expr c = sp_add(p, sp_scale(p, u, third), sp_scale(p, v, third));
  YES(prove(b, sp_eq(p, a, c)));
  NO(prove(b, sp_eq(p, a, sp_scale(p, c, sp_num_ratio(p, 3333, 10000)))));
  YES(prove(b, sp_lt(p, u, sp_add(p, u, sp_real(p, third)))));
  NO(prove(b, sp_lt(p, u, sp_add(p, u, v))));
  sp_expr sum = sp_i2r(p, sp_iadd(p, i, j));
  YES(prove(b, sp_eq(p, sum, sp_add(p, sp_i2r(p, i), sp_i2r(p, j)))));
  NO(prove(b, sp_eq(p, sum, sp_i2r(p, i))));
  /* nothing is known of an infinity */
  NO(prove(b, sp_lt(p, u, sp_inf(p, false))));
  NO(prove(b, sp_lt(p, sp_inf(p, true), sp_inf(p, false))));
  YES(implies(
      b, sp_eq(p, i, j),
      sp_eq(p, sp_max(p, u, sp_inf(p, true)), sp_max(p, v, sp_inf(p, true)))));
}

static void products_and_functions_are_congruent(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 8), j = index_var(b, 8);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 8);
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, 8);
  sp_expr same = sp_eq(p, i, j);
  sp_expr u = at1(b, x, i), v = at1(b, x, j);
  sp_expr s = at1(b, y, i), t = at1(b, y, j);
  YES(implies(b, same, sp_eq(p, sp_mul(p, u, t), sp_mul(p, s, v))));
  NO(prove(b, sp_eq(p, sp_mul(p, u, t), sp_mul(p, s, v))));
  NO(implies(b, same, sp_eq(p, sp_mul(p, u, t), sp_mul(p, u, v))));
  /* like factors: u*v = v'*u' whatever the pool's order */
  sp_expr i2 = index_var(b, 8), j2 = index_var(b, 8);
  sp_expr crossed = sp_and(p, sp_eq(p, i2, j), sp_eq(p, j2, i));
  sp_expr uv = sp_mul(p, u, v);
  sp_expr vu = sp_mul(p, at1(b, x, i2), at1(b, x, j2));
  YES(implies(b, crossed, sp_eq(p, uv, vu)));
  NO(implies(b, sp_eq(p, i2, j), sp_eq(p, uv, vu)));
  sp_expr eu = sp_fn1(p, "tanh", u), ev = sp_fn1(p, "tanh", v);
  YES(implies(b, same, sp_eq(p, eu, ev)));
  NO(prove(b, sp_eq(p, eu, ev)));
  NO(implies(b, same, sp_eq(p, eu, sp_fn1(p, "sine", v))));
  sp_expr f = sp_fn(p, SP_SORT_INT, "mystery", 2, (sp_expr[]){i, u});
  sp_expr g = sp_fn(p, SP_SORT_INT, "mystery", 2, (sp_expr[]){j, v});
  YES(implies(b, same, sp_eq(p, f, g)));
  NO(prove(b, sp_eq(p, f, g)));
}

/* What is known not to be negative may be 0, and then so is a product. */
static void names_with_a_sign(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 8), zero = sp_real_i64(p, 0);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 8);
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, 8);
  sp_sym_take_sign(p, y, sp_fn1(p, "abs", at1(b, x, i)));
  sp_expr u = at1(b, x, i), v = at1(b, y, i), uv = sp_mul(p, u, v);
  YES(prove(b, sp_le(p, zero, v)));
  NO(prove(b, sp_le(p, zero, u)));
  NO(prove(b, sp_lt(p, zero, v)));
  YES(implies(b, sp_le(p, v, zero), sp_eq(p, uv, zero)));
  NO(implies(b, sp_le(p, u, zero), sp_eq(p, uv, zero)));
}

/* ---- reductions ---- */

static void reductions_are_congruent(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 8), j = index_var(b, 9), n = index_var(b, 8);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 2, 9);
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 2, 9);
  sp_expr next = sp_eq(p, sp_iaddc(p, i, 1), j);
  sp_expr k = sp_fresh(p, 9), m = sp_fresh(p, 9), short_k = sp_fresh(p, 8);
  sp_expr left =
      sum1(b, k, sp_mul(p, at2(b, x, sp_iaddc(p, i, 1), k), at2(b, y, k, n)));
  sp_expr right = sum1(b, m, sp_mul(p, at2(b, x, j, m), at2(b, y, m, n)));
  YES(implies(b, next, sp_eq(p, left, right)));
  NO(prove(b, sp_eq(p, left, right)));
  /* another extent, operator, tensor, or place of the bound variable */
  sp_expr shorter =
      sum1(b, short_k, sp_mul(p, at2(b, x, j, short_k), at2(b, y, short_k, n)));
  NO(implies(b, next, sp_eq(p, left, shorter)));
  sp_expr body = sp_mul(p, at2(b, x, j, m), at2(b, y, m, n));
  NO(implies(b, next, sp_eq(p, left, sp_red(p, SP_RED_MAX, 1, &m, body))));
  sp_expr other = sum1(b, m, sp_mul(p, at2(b, y, j, m), at2(b, y, m, n)));
  NO(implies(b, next, sp_eq(p, left, other)));
  sp_expr turned = sum1(b, m, sp_mul(p, at2(b, x, m, j), at2(b, y, m, n)));
  NO(implies(b, next, sp_eq(p, left, turned)));
  sp_expr half = sp_real(p, sp_num_ratio(p, 1, 2));
  sp_expr more = sum1(b, m, sp_add(p, at2(b, x, j, m), half));
  sp_expr less = sum1(b, m, sp_add(p, at2(b, x, j, m), sp_real_i64(p, 1)));
  NO(prove(b, sp_eq(p, more, less)));
  sp_expr y_mj = at2(b, y, m, j);
  sp_expr plus = sum1(b, m, sp_add(p, at2(b, x, j, m), y_mj));
  sp_expr minus = sum1(b, m, sp_sub(p, at2(b, x, j, m), y_mj));
  NO(prove(b, sp_eq(p, plus, minus)));
}

static void sums_in_a_body_have_one_hole(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 8), j = index_var(b, 8), d = index_var(b, 8);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 99);
  sp_expr k = sp_fresh(p, 9);
  sp_expr plain = sum1(b, k, at1(b, x, k));
  sp_expr moved = sum1(b, k, at1(b, x, sp_iadd(p, k, d)));
  sp_expr zero = sp_eq(p, d, sp_int(p, 0));
  YES(implies(b, zero, sp_eq(p, plain, moved)));
  NO(implies(b, sp_eq(p, d, sp_int(p, 1)), sp_eq(p, plain, moved)));
  sp_expr one = sum1(b, k, at1(b, x, sp_iaddc(p, k, 7)));
  sp_expr two = sum1(b, k, at1(b, x, sp_iadd(p, k, sp_iadd(p, i, j))));
  sp_expr seven = sp_eq(p, sp_iadd(p, i, j), sp_int(p, 7));
  YES(implies(b, seven, sp_eq(p, one, two)));
  NO(prove(b, sp_eq(p, one, two)));
  sp_expr twice = sum1(b, k, at1(b, x, sp_iadd(p, sp_iscale(p, k, 2), d)));
  NO(implies(b, zero, sp_eq(p, plain, twice)));
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, 9);
  sp_expr left = sum1(b, k, sp_exp(p, sp_sub(p, at1(b, x, k), at1(b, y, i))));
  sp_expr right = sum1(b, k, sp_exp(p, sp_sub(p, at1(b, x, k), at1(b, y, j))));
  YES(implies(b, sp_eq(p, i, j), sp_eq(p, left, right)));
  NO(prove(b, sp_eq(p, left, right)));
  sp_expr masked =
      sum1(b, k, sp_ite(p, sp_lt(p, k, i), at1(b, x, k), sp_real_i64(p, 0)));
  sp_expr masked2 =
      sum1(b, k, sp_ite(p, sp_lt(p, k, j), at1(b, x, k), sp_real_i64(p, 0)));
  YES(implies(b, sp_eq(p, i, j), sp_eq(p, masked, masked2)));
  NO(prove(b, sp_eq(p, masked, masked2)));
}

static void nested_reductions_do_not_capture(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 8), j = index_var(b, 8);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 3, 8);
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 2, 8);
  sp_expr k = sp_fresh(p, 8), m = sp_fresh(p, 8);
  sp_expr same = sp_eq(p, i, j);
  /* sum_k max_m x[i, k, m] */
  sp_expr in_i = sp_red(p, SP_RED_MAX, 1, &m, at3(b, x, i, k, m));
  sp_expr in_j = sp_red(p, SP_RED_MAX, 1, &m, at3(b, x, j, k, m));
  YES(implies(b, same, sp_eq(p, sum1(b, k, in_i), sum1(b, k, in_j))));
  NO(prove(b, sp_eq(p, sum1(b, k, in_i), sum1(b, k, in_j))));
  sp_expr swapped = sp_red(p, SP_RED_MAX, 1, &m, at3(b, x, j, m, k));
  NO(implies(b, same, sp_eq(p, sum1(b, k, in_i), sum1(b, k, swapped))));
  /* sum_k sum_m y[k, m] against y[m, k], y[k, k], y[m, m] */
  sp_expr km = sum1(b, k, sum1(b, m, at2(b, y, k, m)));
  sp_expr kk = sum1(b, k, sum1(b, m, at2(b, y, k, k)));
  sp_expr mm = sum1(b, k, sum1(b, m, at2(b, y, m, m)));
  sp_expr mk = sum1(b, k, sum1(b, m, at2(b, y, m, k)));
  NO(prove(b, sp_eq(p, km, mk)));
  NO(prove(b, sp_eq(p, km, kk)));
  NO(prove(b, sp_eq(p, km, mm)));
  NO(prove(b, sp_eq(p, kk, mm)));
  sp_expr again = sum1(b, m, sum1(b, k, at2(b, y, m, k)));
  YES(prove(b, sp_eq(p, km, again)));
  /* a closed inner reduction is a hole; an open one is not */
  sp_expr inner = sum1(b, m, at2(b, y, i, m));
  sp_expr one = sum1(b, k, sp_mul(p, at2(b, y, j, k), inner));
  sp_sym z = tensor(b, "z", SP_SORT_REAL, 1, 8);
  sp_expr zi = at1(b, z, i);
  sp_expr two = sum1(b, k, sp_mul(p, at2(b, y, j, k), zi));
  YES(implies(b, sp_eq(p, inner, zi), sp_eq(p, one, two)));
  NO(prove(b, sp_eq(p, one, two)));
  sp_expr open =
      sum1(b, k, sp_mul(p, at2(b, y, j, k), sum1(b, m, at2(b, y, k, m))));
  NO(implies(b, sp_eq(p, inner, zi), sp_eq(p, open, two)));
  /* two binders in one body that share names */
  sp_expr f = sp_red(p, SP_RED_MAX, 1, &m, at3(b, x, k, m, i));
  sp_expr g = sp_red(p, SP_RED_MIN, 1, &m, at3(b, x, k, m, j));
  sp_expr fg = sum1(b, k, sp_mul(p, f, g)), gf;
  f = sp_red(p, SP_RED_MAX, 1, &m, at3(b, x, k, m, j));
  g = sp_red(p, SP_RED_MIN, 1, &m, at3(b, x, k, m, i));
  gf = sum1(b, k, sp_mul(p, f, g));
  YES(implies(b, same, sp_eq(p, fg, gf)));
  NO(prove(b, sp_eq(p, fg, gf)));
}

static void several_variables_and_lambdas(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 8), j = index_var(b, 8);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 3, 8);
  sp_sym y = tensor(b, "y", SP_SORT_BOOL, 2, 8);
  sp_expr v[2] = {sp_fresh(p, 8), sp_fresh(p, 8)};
  sp_expr same = sp_eq(p, i, j);
  sp_expr l = sp_red(p, SP_RED_SUM, 2, v, at3(b, x, i, v[0], v[1]));
  sp_expr r = sp_red(p, SP_RED_SUM, 2, v, at3(b, x, j, v[0], v[1]));
  YES(implies(b, same, sp_eq(p, l, r)));
  NO(prove(b, sp_eq(p, l, r)));
  sp_expr t = sp_red(p, SP_RED_SUM, 2, v, at3(b, x, j, v[0], v[0]));
  NO(implies(b, same, sp_eq(p, l, t)));
  sp_expr a = sp_red(p, SP_RED_OR, 1, v, at2(b, y, i, v[0]));
  sp_expr c = sp_red(p, SP_RED_OR, 1, v, at2(b, y, j, v[0]));
  YES(implies(b, sp_and(p, same, a), c));
  NO(implies(b, a, c));
  sp_expr f = sp_red(p, SP_RED_LAMBDA, 1, v, at3(b, x, i, j, v[0]));
  sp_expr g = sp_red(p, SP_RED_LAMBDA, 1, v, at3(b, x, j, i, v[0]));
  f = sp_fn(p, SP_SORT_REAL, "sort.0", 2, (sp_expr[]){f, i});
  g = sp_fn(p, SP_SORT_REAL, "sort.0", 2, (sp_expr[]){g, j});
  YES(implies(b, same, sp_eq(p, f, g)));
  NO(prove(b, sp_eq(p, f, g)));
}

/* A body with much sharing would be exponential as a tree. */
static void bodies_with_much_sharing(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 8), j = index_var(b, 8), k = sp_fresh(p, 8);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 2, 8);
  sp_expr l = at2(b, x, i, k), r = at2(b, x, j, k);
  for (int n = 0; n < 60; n++) {
    l = sp_fn(p, SP_SORT_REAL, "pair", 2, (sp_expr[]){l, sp_fn1(p, "tanh", l)});
    r = sp_fn(p, SP_SORT_REAL, "pair", 2, (sp_expr[]){r, sp_fn1(p, "tanh", r)});
  }
  l = sum1(b, k, l);
  r = sum1(b, k, r);
  YES(implies(b, sp_eq(p, i, j), sp_eq(p, l, r)));
  NO(prove(b, sp_eq(p, l, r)));
}

static void deep_terms(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = index_var(b, 8), j = index_var(b, 8);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 8);
  sp_expr l = at1(b, x, i), r = at1(b, x, j);
  for (int n = 0; n < 2000; n++) {
    l = sp_fn1(p, "tanh", l);
    r = sp_fn1(p, "tanh", r);
  }
  YES(implies(b, sp_eq(p, i, j), sp_eq(p, l, r)));
  NO(prove(b, sp_eq(p, l, r)));
}

/* ---- the suite ---- */

BENCH_TEST(test_integers, integers)
BENCH_TEST(test_division, division_is_floor_division)
BENCH_TEST(test_multiples, multiples_of_the_divisor_leave_no_rest)
BENCH_TEST(test_reads, reads)
BENCH_TEST(test_ranges, ranges_hold_inside_the_extents)
BENCH_TEST(test_gaps, gaps_hold_inside_the_extents)
BENCH_TEST(test_tables, tables)
BENCH_TEST(test_choices, choices_and_booleans)
BENCH_TEST(test_reals, reals)
BENCH_TEST(test_functions, products_and_functions_are_congruent)
BENCH_TEST(test_signs, names_with_a_sign)
BENCH_TEST(test_reductions, reductions_are_congruent)
BENCH_TEST(test_holes, sums_in_a_body_have_one_hole)
BENCH_TEST(test_nested, nested_reductions_do_not_capture)
BENCH_TEST(test_several, several_variables_and_lambdas)
BENCH_TEST(test_sharing, bodies_with_much_sharing)
BENCH_TEST(test_deep, deep_terms)

void suite_obligation(void) {
  CU_pSuite s = CU_add_suite("obligation", NULL, NULL);
  CU_add_test(s, "integers", test_integers);
  CU_add_test(s, "division_is_floor_division", test_division);
  CU_add_test(s, "multiples_of_the_divisor_leave_no_rest", test_multiples);
  CU_add_test(s, "reads", test_reads);
  CU_add_test(s, "ranges_hold_inside_the_extents", test_ranges);
  CU_add_test(s, "gaps_hold_inside_the_extents", test_gaps);
  CU_add_test(s, "tables", test_tables);
  CU_add_test(s, "choices_and_booleans", test_choices);
  CU_add_test(s, "reals", test_reals);
  CU_add_test(s, "products_and_functions_are_congruent", test_functions);
  CU_add_test(s, "names_with_a_sign", test_signs);
  CU_add_test(s, "reductions_are_congruent", test_reductions);
  CU_add_test(s, "sums_in_a_body_have_one_hole", test_holes);
  CU_add_test(s, "nested_reductions_do_not_capture", test_nested);
  CU_add_test(s, "several_variables_and_lambdas", test_several);
  CU_add_test(s, "bodies_with_much_sharing", test_sharing);
  CU_add_test(s, "deep_terms", test_deep);
}
