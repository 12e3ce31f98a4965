/* test_index.c: each rewrite of the index half on one example. What a term
 * should become is written as a term built by hand: equal terms are equal ids.
 * docs/soundness.md lists the same rewrites in the same order.
 */
#include "encode/expr.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_index(void);

typedef struct bench {
  sp_pool *p;
  sp_expr i, j, k, r; /* extents 8, 4, 96; rank 8 */
  sp_expr z, n;       /* reads: any integer, and one in [0, 5] */
} bench;

static void bench_fill(sp_ctx *ctx, bench *b) {
  sp_pool *p = sp_pool_new(ctx);
  b->p = p;
  b->i = sp_var(p, SP_VAR_INDEX, "i", 8);
  b->j = sp_var(p, SP_VAR_INDEX, "j", 4);
  b->k = sp_var(p, SP_VAR_INDEX, "k", 96);
  b->r = sp_var(p, SP_VAR_RANK, "r", 8);
  sp_sym any = sp_sym_new(p, "Z", SP_SORT_INT, 0, NULL);
  sp_sym few = sp_sym_new(p, "N", SP_SORT_INT, 0, NULL);
  sp_sym_set_range(p, few, 0, 5);
  b->z = sp_read(p, any, NULL);
  b->n = sp_read(p, few, NULL);
}

typedef struct runner {
  void (*test)(bench *b);
} runner;

static void run_one(sp_ctx *ctx, void *arg) {
  bench b;
  bench_fill(ctx, &b);
  ((runner *)arg)->test(&b);
}

static void run(void (*test)(bench *b)) {
  runner r = {test};
  sp_ctx *ctx = sp_ctx_new(NULL);
  if (sp_protect(ctx, run_one, &r) != SP_OK) {
    printf("%s\n", sp_ctx_error(ctx)->message);
    CU_FAIL("an error was raised");
  }
  sp_ctx_free(ctx);
}

static void same(bench *b, sp_expr got, sp_expr want) {
  if (got.v != want.v) {
    printf("\n  got  %s\n  want %s\n", sp_show(b->p, got), sp_show(b->p, want));
  }
  CU_ASSERT_EQUAL(got.v, want.v);
}

static void shows(bench *b, sp_expr got, const char *want) {
  const char *text = sp_show(b->p, got);
  if (strcmp(text, want) != 0) {
    printf("\n  got  %s\n  want %s\n", text, want);
  }
  CU_ASSERT_STRING_EQUAL(text, want);
}

static sp_expr num(bench *b, int64_t v) {
  return sp_int(b->p, v);
}

static sp_expr lin2(bench *b, int64_t k, sp_expr x, int64_t l, sp_expr y) {
  return sp_iadd(b->p, sp_iscale(b->p, x, k), sp_iscale(b->p, y, l));
}

static sp_expr below(bench *b, sp_expr x, int64_t c) {
  return sp_lt(b->p, x, num(b, c));
}

static sp_expr is(bench *b, sp_expr x, int64_t c) {
  return sp_eq(b->p, x, num(b, c));
}

/* ---- sums ---- */

static void sums(bench *b) {
  sp_pool *p = b->p;
  same(b, sp_iadd(p, b->i, b->j), sp_iadd(p, b->j, b->i));
  same(b, sp_isub(p, sp_iadd(p, b->i, b->j), b->j), b->i);
  same(b, sp_iscale(p, b->i, 0), num(b, 0));
  same(b, sp_iadd(p, num(b, 3), num(b, 4)), num(b, 7));
  same(b, sp_var(p, SP_VAR_INDEX, "one", 1), num(b, 0));
  CU_ASSERT_NOT_EQUAL(sp_var(p, SP_VAR_INDEX, "i", 8).v, b->i.v);
}

static void digits_fold(bench *b) {
  sp_pool *p = b->p;
  sp_expr z = b->z;
  /* k*(x mod c) + k*c*(x div c) = k*x */
  same(b, lin2(b, 3, sp_imod(p, z, 5), 15, sp_idiv(p, z, 5)),
       sp_iscale(p, z, 3));
  /* k*(x mod c) + k*c*((x div c) mod d) = k*(x mod c*d) */
  sp_expr high = sp_imod(p, sp_idiv(p, z, 5), 7);
  same(b, lin2(b, 2, sp_imod(p, z, 5), 10, high),
       sp_iscale(p, sp_imod(p, z, 35), 2));
  /* the quotient in simplified form */
  sp_expr x = sp_iadd(p, sp_iscale(p, z, 10), b->k);
  same(b, lin2(b, 1, sp_imod(p, x, 5), 5, sp_idiv(p, x, 5)), x);
  sp_expr w = sp_idiv(p, z, 3);
  same(b, lin2(b, 1, sp_imod(p, w, 4), 4, sp_idiv(p, w, 4)), w);
  /* x - c*(x div c) = x mod c */
  same(b, lin2(b, 1, z, -6, sp_idiv(p, z, 6)), sp_imod(p, z, 6));
  sp_expr y = sp_iaddc(p, z, 4);
  same(b, lin2(b, 2, z, -12, sp_idiv(p, y, 6)),
       sp_iaddc(p, sp_iscale(p, sp_imod(p, y, 6), 2), -8));
}

static void overflow_is_a_limit_run(sp_ctx *ctx, void *arg) {
  bench b;
  bench_fill(ctx, &b);
  sp_expr e = sp_iaddc(b.p, b.z, INT64_MAX);
  sp_iadd(b.p, e, e);
  *(bool *)arg = true;
}

static void overflow_is_a_limit(void) {
  bool reached = false;
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, overflow_is_a_limit_run, &reached),
                  SP_ERR_LIMIT);
  CU_ASSERT_FALSE(reached);
  sp_ctx_free(ctx);
}

/* ---- division ---- */

static void division(bench *b) {
  sp_pool *p = b->p;
  sp_expr z = b->z;
  same(b, sp_idiv(p, num(b, -7), 2), num(b, -4));
  same(b, sp_imod(p, num(b, -7), 2), num(b, 1));
  /* multiples come out, the interval of the rest decides */
  same(b, sp_idiv(p, lin2(b, 8, z, 1, b->i), 8), z);
  same(b, sp_imod(p, lin2(b, 8, z, 1, b->i), 8), b->i);
  same(b, sp_idiv(p, sp_iaddc(p, b->i, 8), 8), num(b, 1));
  same(b, sp_idiv(p, sp_iaddc(p, b->j, -4), 4), num(b, -1));
  /* common factor */
  same(b, sp_idiv(p, sp_iscale(p, z, 6), 9), sp_idiv(p, sp_iscale(p, z, 2), 3));
  same(b, sp_imod(p, sp_iscale(p, z, 6), 9),
       sp_iscale(p, sp_imod(p, sp_iscale(p, z, 2), 3), 3));
  /* low digits drop out */
  same(b, sp_idiv(p, lin2(b, 4, z, 1, b->j), 8), sp_idiv(p, z, 2));
  same(b, sp_imod(p, lin2(b, 4, z, 1, b->j), 8),
       lin2(b, 4, sp_imod(p, z, 2), 1, b->j));
  same(b, sp_idiv(p, lin2(b, 12, z, 1, b->j), 8),
       sp_idiv(p, sp_iscale(p, z, 3), 2));
  /* nested */
  same(b, sp_idiv(p, sp_idiv(p, z, 3), 4), sp_idiv(p, z, 12));
  same(b, sp_idiv(p, sp_iaddc(p, sp_idiv(p, z, 3), 1), 4),
       sp_idiv(p, sp_iaddc(p, z, 3), 12));
  same(b, sp_imod(p, sp_imod(p, z, 12), 4), sp_imod(p, z, 4));
  same(b, sp_imod(p, lin2(b, 3, sp_imod(p, z, 4), 1, b->k), 12),
       sp_imod(p, lin2(b, 3, z, 1, b->k), 12));
  same(b, sp_idiv(p, sp_imod(p, z, 12), 4), sp_imod(p, sp_idiv(p, z, 4), 3));
  /* residues, mirrored */
  same(b, sp_imod(p, sp_iscale(p, z, 9), 8), sp_imod(p, z, 8));
  same(b, sp_imod(p, sp_isub(p, num(b, 95), b->k), 8),
       sp_isub(p, num(b, 7), sp_imod(p, b->k, 8)));
  same(b, sp_idiv(p, sp_isub(p, num(b, 95), b->k), 8),
       sp_isub(p, num(b, 11), sp_idiv(p, b->k, 8)));
}

static void reshapes_vanish(bench *b) {
  sp_pool *p = b->p;
  int64_t from[3] = {8, 4, 96}, to[4] = {2, 16, 12, 8};
  sp_expr idx[3] = {b->i, b->j, b->k}, out[4], back[3];
  sp_expr flat = sp_flatten(p, 3, from, idx);
  sp_unflatten(p, flat, 4, to, out);
  shows(b, out[0], "(i div 4)");
  shows(b, out[3], "(k mod 8)");
  same(b, sp_flatten(p, 4, to, out), flat);
  sp_unflatten(p, flat, 3, from, back);
  for (int d = 0; d < 3; d++) {
    same(b, back[d], idx[d]);
  }
}

static void ranges(bench *b) {
  sp_pool *p = b->p;
  int64_t lo, hi;
  CU_ASSERT_FALSE(sp_range(p, b->z, &lo, &hi));
  CU_ASSERT_TRUE(sp_range(p, lin2(b, -2, b->i, 3, b->n), &lo, &hi));
  CU_ASSERT_EQUAL(lo, -14);
  CU_ASSERT_EQUAL(hi, 15);
  CU_ASSERT_TRUE(
      sp_range(p, sp_clamp(p, b->z, num(b, 2), num(b, 9)), &lo, &hi));
  CU_ASSERT_EQUAL(lo, 2);
  CU_ASSERT_EQUAL(hi, 9);
  /* the branches under their conditions */
  sp_expr e =
      sp_ite(p, below(b, b->i, 3), sp_iaddc(p, b->i, 5), sp_iscale(p, b->i, 2));
  CU_ASSERT_TRUE(sp_range(p, e, &lo, &hi));
  CU_ASSERT_EQUAL(lo, 5);
  CU_ASSERT_EQUAL(hi, 14);
  sp_expr v[2] = {b->n, num(b, 4)};
  CU_ASSERT_TRUE(sp_range(p, sp_imul(p, b->i, b->n), &lo, &hi));
  CU_ASSERT_EQUAL(hi, 35);
  sp_expr q = sp_fn(p, SP_SORT_INT, "irem.trunc", 2, (sp_expr[]){b->z, b->n});
  CU_ASSERT_FALSE(sp_range(p, q, &lo, &hi));
  CU_ASSERT_TRUE(sp_range(p, sp_fn(p, SP_SORT_INT, "iand", 2, v), &lo, &hi));
  CU_ASSERT_EQUAL(hi, 4);
}

/* ---- conditions ---- */

static void comparisons(bench *b) {
  sp_pool *p = b->p;
  sp_expr z = b->z;
  same(b, below(b, b->i, 8), sp_bool(p, true));
  same(b, sp_le(p, num(b, 8), b->i), sp_bool(p, false));
  same(b, sp_not(p, below(b, z, 3)), sp_le(p, num(b, 3), z));
  same(b, below(b, sp_iscale(p, z, 4), 10), below(b, z, 3));
  same(b, below(b, lin2(b, 4, z, 1, b->j), 8), below(b, z, 2));
  same(b, below(b, sp_idiv(p, z, 4), 2), below(b, z, 8));
  same(b, sp_lt(p, b->k, sp_idiv(p, z, 4)),
       sp_le(p, sp_iaddc(p, sp_iscale(p, b->k, 4), 4), z));
  /* ends of an interval are equations */
  same(b, below(b, b->i, 1), is(b, b->i, 0));
  same(b, below(b, b->i, 7), sp_not(p, is(b, b->i, 7)));
  sp_expr bit = sp_imod(p, z, 2);
  same(b, is(b, bit, 1), sp_not(p, is(b, bit, 0)));
  /* equations */
  same(b, is(b, sp_iscale(p, z, 4), 6), sp_bool(p, false));
  same(b, is(b, sp_iscale(p, z, 4), 8), is(b, z, 2));
  same(b, is(b, b->i, 8), sp_bool(p, false));
  same(b, sp_eq(p, b->i, b->k), sp_eq(p, b->k, b->i));
  same(b, is(b, lin2(b, 4, z, 1, b->j), 11),
       sp_and(p, is(b, z, 2), is(b, b->j, 3)));
  same(b, is(b, sp_idiv(p, b->k, 8), 0), below(b, b->k, 8));
  same(b, is(b, lin2(b, 4, z, 2, sp_imod(p, b->k, 2)), 1), sp_bool(p, false));
}

static void real_comparisons(bench *b) {
  sp_pool *p = b->p;
  sp_expr i = sp_i2r(p, b->i), half = sp_real(p, sp_num_ratio(p, 7, 2));
  same(b, sp_lt(p, i, half), below(b, b->i, 4));
  same(b, sp_lt(p, half, i), sp_le(p, num(b, 4), b->i));
  same(b, sp_le(p, i, sp_real_i64(p, 3)), below(b, b->i, 4));
  same(b, sp_eq(p, i, half), sp_bool(p, false));
  same(b, sp_eq(p, i, sp_real_i64(p, 3)), is(b, b->i, 3));
  same(b, sp_lt(p, sp_inf(p, true), half), sp_bool(p, true));
  same(b, sp_lt(p, i, i), sp_bool(p, false));
}

static void logic(bench *b) {
  sp_pool *p = b->p;
  sp_sym m = sp_sym_new(p, "M", SP_SORT_BOOL, 1, (int64_t[]){8});
  sp_expr x = sp_read(p, m, &b->i), y = sp_read(p, m, &b->j);
  sp_expr t = sp_bool(p, true), f = sp_bool(p, false);
  same(b, sp_or(p, x, y), sp_or(p, y, sp_or(p, x, f)));
  same(b, sp_or(p, x, sp_not(p, x)), t);
  same(b, sp_and(p, x, sp_not(p, x)), f);
  same(b, sp_or(p, x, sp_and(p, sp_not(p, x), y)), sp_or(p, x, y));
  same(b, sp_or(p, x, sp_and(p, x, y)), x);
  same(b, sp_ite(p, x, y, f), sp_and(p, x, y));
  same(b, sp_eq(p, x, x), t);
  /* intervals of one term */
  same(b, sp_or(p, below(b, b->z, 3), below(b, b->z, 5)), below(b, b->z, 5));
  same(b, sp_or(p, sp_le(p, num(b, 3), b->z), sp_le(p, num(b, 5), b->z)),
       sp_le(p, num(b, 3), b->z));
  same(b, sp_or(p, below(b, b->z, 3), sp_le(p, num(b, 2), b->z)), t);
  same(b, sp_or(p, below(b, b->z, 3), is(b, b->z, 3)), below(b, b->z, 4));
  same(b, sp_or(p, below(b, b->z, 3), sp_lt(p, num(b, 3), b->z)),
       sp_not(p, is(b, b->z, 3)));
  same(b, sp_and(p, below(b, b->z, 3), is(b, b->z, 5)), f);
  same(b, sp_or(p, sp_not(p, is(b, b->z, 3)), below(b, b->z, 5)), t);
  /* a conjunction where another disjunct is true, and one where it is not */
  sp_expr sum = sp_iadd(p, b->i, sp_iscale(p, b->j, 8)), c = is(b, sum, 29);
  sp_expr part = sp_and(p, is(b, b->i, 5), sp_le(p, num(b, 3), b->j));
  sp_expr more = sp_and(p, is(b, b->i, 5), sp_le(p, num(b, 2), b->j));
  same(b, sp_or(p, part, c), c);
  CU_ASSERT_NOT_EQUAL(sp_or(p, more, c).v, c.v);
}

/* ---- choices ---- */

static void choices(bench *b) {
  sp_pool *p = b->p;
  sp_sym s = sp_sym_new(p, "X", SP_SORT_REAL, 1, (int64_t[]){96});
  sp_expr x = sp_read(p, s, &b->i), y = sp_read(p, s, &b->k);
  sp_expr zero = sp_real_i64(p, 0);
  sp_expr c = below(b, b->z, 3), d = is(b, b->n, 2);
  same(b, sp_ite(p, c, x, x), x);
  same(b, sp_ite(p, sp_bool(p, false), x, y), y);
  same(b, sp_ite(p, sp_not(p, d), x, y), sp_ite(p, d, y, x));
  same(b, sp_ite(p, sp_not(p, c), x, y), sp_ite(p, c, y, x));
  /* zero first, merged, coefficients outside */
  sp_expr e = sp_ite(p, c, x, zero);
  CU_ASSERT_TRUE(sp_is_zero(p, sp_arg(p, e, 1)));
  same(b, sp_ite(p, c, zero, sp_ite(p, d, zero, x)),
       sp_ite(p, sp_or(p, c, d), zero, x));
  same(b, sp_ite(p, c, zero, sp_scale(p, x, sp_num_ratio(p, 3, 2))),
       sp_scale(p, sp_ite(p, c, zero, x), sp_num_ratio(p, 3, 2)));
  same(b, sp_ite(p, c, x, sp_ite(p, d, x, y)), sp_ite(p, sp_or(p, c, d), x, y));
  /* the condition holds in its branch */
  same(b, sp_ite(p, c, sp_ite(p, c, x, y), y), sp_ite(p, c, x, y));
  same(b, sp_ite(p, sp_or(p, c, d), x, sp_ite(p, d, zero, y)),
       sp_ite(p, sp_or(p, c, d), x, y));
  sp_expr w = sp_ite(p, below(b, b->k, 12), sp_idiv(p, b->k, 12), b->n);
  same(b, w, sp_ite(p, below(b, b->k, 12), num(b, 0), b->n));
  sp_expr tall = sp_lt(p, b->i, b->n);
  same(b, sp_ite(p, tall, sp_max(p, b->i, b->n), num(b, 9)),
       sp_ite(p, tall, b->n, num(b, 9)));
  /* a choice of the smaller is a minimum */
  same(b, sp_ite(p, sp_lt(p, b->z, b->n), b->z, b->n), sp_min(p, b->z, b->n));
  same(b, sp_ite(p, below(b, b->z, 0), num(b, 0), b->z),
       sp_max(p, b->z, num(b, 0)));
}

/* a choice at the border j = 0 of a block, and what it must be */
static void goes_on(bench *b, sp_expr border, sp_expr block, sp_expr want) {
  same(b, sp_ite(b->p, is(b, b->j, 0), border, block), want);
  same(b, sp_ite(b->p, sp_not(b->p, is(b, b->j, 0)), block, border), want);
}

static void choices_go_on(bench *b) {
  sp_pool *p = b->p;
  sp_sym s = sp_sym_new(p, "X", SP_SORT_REAL, 1, (int64_t[]){96});
  sp_expr zero = sp_real_i64(p, 0), first = is(b, b->r, 0);
  sp_expr at = sp_iscale(p, b->r, 4);
  sp_expr start = sp_read(p, s, &at);
  at = sp_iadd(p, at, b->j);
  sp_expr block = sp_read(p, s, &at);
  goes_on(b, start, block, block);
  sp_expr ends = sp_and(p, is(b, b->j, 0), first);
  goes_on(b, sp_ite(p, first, zero, start), block,
          sp_ite(p, ends, zero, block));
  /* the neighbour's block, counted from the rank after, on even ranks */
  sp_expr odd = sp_not(p, is(b, sp_imod(p, b->r, 2), 0));
  at = sp_iscale(p, sp_idiv(p, sp_iaddc(p, b->r, 1), 2), 8);
  sp_expr sent = sp_read(p, s, &at);
  at = sp_iadd(p, sp_iscale(p, sp_idiv(p, b->r, 2), 8), b->j);
  sp_expr half = sp_read(p, s, &at);
  goes_on(b, sp_ite(p, odd, zero, sent), half,
          sp_ite(p, sp_and(p, is(b, b->j, 0), odd), zero, half));
  /* ... and on odd ranks it is another one */
  sp_expr e = sp_ite(p, is(b, b->j, 0), sp_ite(p, odd, sent, zero), half);
  sp_expr one = num(b, 1), none = num(b, 0), eight = num(b, 8);
  e = sp_subst(p, sp_subst(p, e, 1, &b->r, &one), 1, &b->j, &none);
  same(b, e, sp_read(p, s, &eight));
  /* one further is another element */
  at = sp_iaddc(p, sp_iscale(p, b->r, 4), 1);
  sp_expr next = sp_read(p, s, &at);
  e = sp_ite(p, is(b, b->j, 0), next, block);
  same(b, sp_subst(p, e, 1, &b->j, &none), next);
}

static void assumptions(bench *b) {
  sp_pool *p = b->p;
  int64_t lo, hi;
  sp_expr q = sp_idiv(p, b->k, 4);
  same(b, sp_assume(p, q, below(b, b->k, 4), true), num(b, 0));
  same(b, sp_assume(p, q, below(b, b->k, 92), false), num(b, 23));
  same(b, sp_assume(p, sp_imod(p, b->k, 5), is(b, b->k, 7), true), num(b, 2));
  sp_expr both = sp_or(p, below(b, b->k, 4), is(b, b->n, 1));
  same(b, sp_assume(p, below(b, b->k, 3), both, false), sp_bool(p, false));
  /* two atoms: i < j bounds both */
  sp_expr less = sp_lt(p, b->i, b->j);
  same(b, sp_assume(p, sp_idiv(p, b->i, 3), less, true), num(b, 0));
  same(b, sp_assume(p, sp_le(p, b->j, b->i), less, true), sp_bool(p, false));
  /* what is known of a digit: k mod 6 is not 0, or 5 */
  sp_expr digit = sp_imod(p, b->k, 6), on = sp_iaddc(p, b->k, 5);
  sp_expr none = is(b, digit, 0), last = is(b, digit, 5);
  same(b, sp_assume(p, sp_idiv(p, on, 6), none, false),
       sp_iaddc(p, sp_idiv(p, b->k, 6), 1));
  same(b, sp_assume(p, sp_imod(p, on, 6), none, false), sp_iaddc(p, digit, -1));
  same(b, sp_assume(p, sp_idiv(p, on, 6), last, false), sp_idiv(p, on, 6));
  on = sp_iaddc(p, b->k, 1);
  same(b, sp_assume(p, sp_idiv(p, on, 6), last, true),
       sp_iaddc(p, sp_idiv(p, b->k, 6), 1));
  same(b, sp_assume(p, sp_idiv(p, on, 6), none, false), sp_idiv(p, on, 6));
  /* an interval that is first asked for under a fact is not kept */
  sp_expr cond = below(b, b->k, 14);
  sp_pool_raw(p, true); /* no interval is asked for yet */
  sp_expr open = sp_max(p, b->k, b->n), low = below(b, open, 14);
  sp_pool_raw(p, false);
  same(b, sp_assume(p, low, cond, true), sp_bool(p, true));
  CU_ASSERT_TRUE(sp_range(p, open, &lo, &hi));
  CU_ASSERT_EQUAL(hi, 95);
  /* nothing leaks: outside of the branch the term is as before */
  same(b, sp_idiv(p, b->k, 4), q);
  sp_range(p, q, &lo, &hi);
  CU_ASSERT_EQUAL(hi, 23);
}

static void extrema(bench *b) {
  sp_pool *p = b->p;
  same(b, sp_max(p, b->i, num(b, -1)), b->i);
  same(b, sp_min(p, b->i, sp_iaddc(p, b->i, 3)), b->i);
  same(b, sp_max(p, sp_max(p, b->z, num(b, 3)), num(b, 5)),
       sp_max(p, b->z, num(b, 5)));
  same(b, sp_max(p, num(b, 2), sp_min(p, b->z, num(b, 9))),
       sp_clamp(p, b->z, num(b, 2), num(b, 9)));
  same(b, sp_clamp(p, b->i, num(b, 0), num(b, 7)), b->i);
}

static void functions(bench *b) {
  sp_pool *p = b->p;
  sp_expr v[2] = {b->k, num(b, 7)};
  same(b, sp_fn(p, SP_SORT_INT, "idiv.trunc", 2, v), sp_idiv(p, b->k, 7));
  same(b, sp_fn(p, SP_SORT_INT, "irem.trunc", 2, v), sp_imod(p, b->k, 7));
  same(b, sp_fn(p, SP_SORT_INT, "iand", 2, v), sp_imod(p, b->k, 8));
  v[1] = num(b, 3);
  same(b, sp_fn(p, SP_SORT_INT, "ishl", 2, v), sp_iscale(p, b->k, 8));
  same(b, sp_fn(p, SP_SORT_INT, "ishr", 2, v), sp_idiv(p, b->k, 8));
  v[0] = sp_iscale(p, b->k, -1);
  same(b, sp_fn(p, SP_SORT_INT, "idiv.trunc", 2, v),
       sp_iscale(p, sp_idiv(p, b->k, 3), -1));
  v[0] = num(b, -7);
  same(b, sp_fn(p, SP_SORT_INT, "idiv.trunc", 2, v), num(b, -2));
  same(b, sp_fn(p, SP_SORT_INT, "irem.trunc", 2, v), num(b, -1));
  same(b, sp_imul(p, sp_iaddc(p, b->z, 1), b->k),
       sp_iadd(p, sp_imul(p, b->k, b->z), b->k));
  sp_expr c = sp_lt(p, b->i, num(b, 2)); /* a mask */
  same(b, sp_imul(p, b->z, sp_ite(p, c, num(b, 1), num(b, 0))),
       sp_ite(p, c, b->z, num(b, 0)));
}

/* ---- tables and ranks ---- */

static sp_expr fit(bench *b, const int64_t *v, int64_t n) {
  return sp_fit(b->p, v, n, b->r);
}

static void fits(bench *b) {
  sp_pool *p = b->p;
  sp_expr r = b->r;
  same(b, fit(b, (int64_t[]){5, 5, 5, 5, 5, 5, 5, 5}, 8), num(b, 5));
  same(b, fit(b, (int64_t[]){3, 1, -1, -3, -5, -7, -9, -11}, 8),
       sp_iaddc(p, sp_iscale(p, r, -2), 3));
  same(b, fit(b, (int64_t[]){1, 2, 3, 4, 5, 6, 7, 0}, 8),
       sp_imod(p, sp_iaddc(p, r, 1), 8));
  same(b, fit(b, (int64_t[]){4, 5, 6, 7, 0, 1, 2, 3}, 8),
       sp_imod(p, sp_iaddc(p, r, 4), 8));
  same(b, fit(b, (int64_t[]){0, 4, 1, 5, 2, 6, 3, 7}, 8),
       lin2(b, 4, sp_imod(p, r, 2), 1, sp_idiv(p, r, 2)));
  same(b, fit(b, (int64_t[]){1, 2, 3, 0, 5, 6, 7, 4}, 8),
       lin2(b, 1, sp_imod(p, sp_iaddc(p, r, 1), 4), 4, sp_idiv(p, r, 4)));
  same(b, fit(b, (int64_t[]){1, 2, 3, 4, 5, 6, 7, 7}, 8),
       sp_ite(p, is(b, r, 7), num(b, 7), sp_iaddc(p, r, 1)));
  CU_ASSERT_EQUAL(fit(b, (int64_t[]){3, 0, 7, 1, 6, 2, 5, 4}, 8).v, 0);
  int64_t odd[] = {3, 0, 7, 1, 6, 2, 5, 4};
  sp_expr t = sp_table(p, odd, 8, r);
  CU_ASSERT_EQUAL(sp_kind_of(p, t), SP_KIND_READ);
  same(b, sp_subst(p, t, 1, &r, &(sp_expr){num(b, 2).v}), num(b, 7));
  same(b, sp_table(p, odd, 8, r), t);
}

/* Numbers by rank: masks are choices, multiples of a fraction arithmetic. */
static void real_tables(bench *b) {
  sp_pool *p = b->p;
  sp_expr r = b->r;
  sp_num half = sp_num_ratio(p, 1, 2), one = sp_num_from_i64(p, 1);
  sp_num zero = sp_num_from_i64(p, 0), third = sp_num_ratio(p, 1, 3);
  sp_num mask[8] = {zero, one, one, one, one, one, one, one};
  same(b, sp_table_real(p, mask, 8, r),
       sp_ite(p, is(b, r, 0), sp_real_i64(p, 0), sp_real_i64(p, 1)));
  sp_num line[8], odd[8];
  for (int64_t i = 0; i < 8; i++) {
    line[i] = sp_num_ratio(p, i, 2);
    odd[i] = i % 3 ? half : third;
  }
  same(b, sp_table_real(p, line, 8, r), sp_scale(p, sp_i2r(p, r), half));
  odd[5] = one;
  sp_expr t = sp_table_real(p, odd, 8, r);
  CU_ASSERT_EQUAL(sp_kind_of(p, t), SP_KIND_READ);
  same(b, sp_subst(p, t, 1, &r, &(sp_expr){num(b, 5).v}), sp_real_i64(p, 1));
  /* of two values [0, 3] is an offset */
  sp_expr two = sp_var(p, SP_VAR_RANK, "two", 2);
  sp_num offset[2] = {zero, sp_num_from_i64(p, 3)};
  same(b, sp_table_real(p, offset, 2, two),
       sp_scale(p, sp_i2r(p, two), offset[1]));
}

static void rank_terms_are_tabulated(bench *b) {
  sp_pool *p = b->p;
  sp_expr r = b->r;
  /* (r - 1) mod 8 written with a remainder and a sign fix */
  sp_expr v[2] = {sp_iaddc(p, r, -1), num(b, 8)};
  sp_expr rem = sp_fn(p, SP_SORT_INT, "irem.trunc", 2, v);
  sp_expr e = sp_ite(p, below(b, rem, 0), sp_iaddc(p, rem, 8), rem);
  same(b, e, sp_imod(p, sp_iaddc(p, r, 7), 8));
  e = sp_ite(p, below(b, r, 7), sp_iaddc(p, r, 1), num(b, 0));
  same(b, e, sp_imod(p, sp_iaddc(p, r, 1), 8));
  /* conditions */
  sp_expr low = sp_ite(p, below(b, r, 4), num(b, 1), r);
  same(b, below(b, sp_iscale(p, low, 2), 3), below(b, r, 4));
  same(b, below(b, sp_iadd(p, low, r), 100), sp_bool(p, true));
  sp_expr odd = is(b, sp_imod(p, r, 2), 1);
  same(b, is(b, sp_imod(p, sp_iaddc(p, r, 3), 2), 0), odd);
}

/* What moves around four ranks by 3 and then on by 1: the plain index. */
static void rank_parts_of_sums_are_tabulated(bench *b) {
  sp_pool *p = b->p;
  sp_expr quarter = sp_imod(p, b->r, 4);
  sp_expr back = sp_imod(p, sp_iaddc(p, b->r, 3), 4);
  sp_expr on = sp_imod(p, sp_iaddc(p, quarter, 5), 6);
  sp_expr others = sp_iaddc(p, lin2(b, -4, quarter, -8, on), 4);
  same(b, sp_iadd(p, sp_iadd(p, b->i, others), sp_iscale(p, back, 12)), b->i);
  /* ... and not when it depends on the rank */
  sp_expr e = sp_iadd(p, sp_iadd(p, b->i, others), sp_iscale(p, back, 11));
  CU_ASSERT_NOT_EQUAL(e.v, b->i.v);
  for (int64_t r = 0; r < 8; r++) {
    int64_t want = 4 - 4 * (r % 4) + 11 * ((r + 3) % 4) - 8 * ((r % 4 + 5) % 6);
    sp_expr at = num(b, r);
    same(b, sp_subst(p, e, 1, &b->r, &at), sp_iaddc(p, b->i, want));
  }
}

static void tables(bench *b) {
  sp_pool *p = b->p;
  int64_t dims[2] = {4, 8}, v[32], flags[8] = {1, 1, 1, 0, 0, 0, 0, 0};
  for (int64_t i = 0; i < 32; i++) {
    v[i] = 3 * i + 1;
  }
  sp_sym t = sp_sym_table_int(p, SP_SORT_INT, 2, dims, v);
  CU_ASSERT_EQUAL(sp_sym_table_int(p, SP_SORT_INT, 2, dims, v).v, t.v);
  same(b, sp_read(p, t, (sp_expr[]){num(b, 1), num(b, 2)}), num(b, 31));
  same(b, sp_read(p, t, (sp_expr[]){b->j, b->i}),
       sp_iaddc(p, lin2(b, 24, b->j, 3, b->i), 1));
  /* an index that may be outside keeps the read */
  sp_expr out = sp_read(p, t, (sp_expr[]){b->j, b->k});
  CU_ASSERT_EQUAL(sp_kind_of(p, out), SP_KIND_READ);
  out = sp_read(p, t, (sp_expr[]){num(b, 9), num(b, 0)});
  CU_ASSERT_EQUAL(sp_kind_of(p, out), SP_KIND_READ);
  CU_ASSERT_FALSE(sp_has_read(p, out));
  /* ... and so does a rank term that asks it */
  int64_t four[4] = {2, 0, 1, 1}, extent = 4;
  sp_sym u = sp_sym_table_int(p, SP_SORT_INT, 1, &extent, four);
  sp_expr asked = is(b, sp_read(p, u, &b->r), 2);
  out = sp_ite(p, asked, num(b, 5), num(b, 6));
  CU_ASSERT_EQUAL(sp_kind_of(p, out), SP_KIND_ITE);
  same(b, sp_arg(p, out, 0), asked);
  sp_sym f = sp_sym_table_int(p, SP_SORT_BOOL, 1, &dims[1], flags);
  same(b, sp_read(p, f, &b->i), below(b, b->i, 3));
}

/* ---- rebuilding ---- */

static void raw_terms_are_literal(bench *b) {
  sp_pool *p = b->p;
  bool was = sp_pool_raw(p, true);
  CU_ASSERT_FALSE(was);
  sp_expr one = sp_var(p, SP_VAR_INDEX, "one", 1);
  CU_ASSERT_EQUAL(sp_kind_of(p, one), SP_KIND_VAR);
  sp_expr e = sp_idiv(p, sp_iadd(p, sp_iscale(p, b->i, 4), b->j), 4);
  CU_ASSERT_EQUAL(sp_kind_of(p, e), SP_KIND_DIV);
  sp_expr c = below(b, b->i, 8);
  CU_ASSERT_EQUAL(sp_kind_of(p, c), SP_KIND_LT0);
  CU_ASSERT_EQUAL(sp_kind_of(p, sp_not(p, c)), SP_KIND_NOT);
  sp_expr t = sp_ite(p, c, e, sp_imod(p, one, 1));
  sp_pool_raw(p, false);
  same(b, sp_simplify(p, t), b->i);
  same(b, sp_simplify(p, one), num(b, 0));
}

static void substitution(bench *b) {
  sp_pool *p = b->p;
  sp_expr ij[2] = {b->i, b->j}, ji[2] = {b->j, b->i};
  same(b, sp_subst(p, lin2(b, 4, b->i, 1, b->j), 2, ij, ji),
       lin2(b, 4, b->j, 1, b->i));
  same(b,
       sp_subst(p, sp_idiv(p, b->k, 4), 1, &b->k,
                &(sp_expr){lin2(b, 4, b->i, 1, b->j).v}),
       b->i);
}

static void substitution_does_not_capture(bench *b) {
  sp_pool *p = b->p;
  sp_sym s = sp_sym_new(p, "X", SP_SORT_REAL, 2, (int64_t[]){8, 8});
  sp_expr f = sp_fresh(p, 8), g = sp_fresh(p, 8);
  sp_expr in =
      sp_red(p, SP_RED_MAX, 1, &f, sp_read(p, s, (sp_expr[]){f, b->i}));
  /* any index term with a reduction in it, put where i stands */
  sp_sym a = sp_sym_new(p, "A", SP_SORT_INT, 1, (int64_t[]){8});
  sp_expr top = sp_red(p, SP_RED_MAX, 1, &g, sp_read(p, a, &g));
  sp_expr e = sp_subst(p, in, 1, &b->i, &top);
  sp_expr vars[1], body = sp_red_open(p, e, vars);
  same(b, body, sp_read(p, s, (sp_expr[]){vars[0], top}));
  const sp_expr *free;
  CU_ASSERT_EQUAL(sp_free_vars(p, e, &free), 0);
  CU_ASSERT_TRUE(sp_has_red(p, e));
}

typedef struct inliner {
  sp_sym from, to;
} inliner;

static sp_expr inline_read(void *env, sp_pool *p, sp_expr e) {
  const inliner *n = env;
  if (sp_kind_of(p, e) != SP_KIND_READ || sp_read_sym(p, e).v != n->from.v) {
    return (sp_expr){0};
  }
  /* D[x] = max over k of T[k, x] */
  sp_expr k = sp_fresh(p, 8), x = sp_arg(p, e, 0);
  return sp_red(p, SP_RED_MAX, 1, &k, sp_read(p, n->to, (sp_expr[]){k, x}));
}

static void mapping_opens_binders(bench *b) {
  sp_pool *p = b->p;
  int64_t dims[2] = {8, 8};
  inliner n = {sp_sym_new(p, "D", SP_SORT_REAL, 1, dims),
               sp_sym_new(p, "T", SP_SORT_REAL, 2, dims)};
  sp_expr k = sp_fresh(p, 8), l = sp_fresh(p, 8), m = sp_fresh(p, 8);
  sp_expr e = sp_red(p, SP_RED_SUM, 1, &k, sp_read(p, n.from, &k));
  sp_expr got = sp_map(p, e, inline_read, &n);
  sp_expr inner =
      sp_red(p, SP_RED_MAX, 1, &l, sp_read(p, n.to, (sp_expr[]){l, m}));
  same(b, got, sp_red(p, SP_RED_SUM, 1, &m, inner));
}

static void skeletons(bench *b) {
  sp_pool *p = b->p;
  sp_sym s = sp_sym_new(p, "X", SP_SORT_REAL, 1, (int64_t[]){96});
  sp_sym t = sp_sym_new(p, "Y", SP_SORT_REAL, 1, (int64_t[]){96});
  sp_expr x = sp_read(p, s, &b->i), y = sp_read(p, s, &b->k);
  sp_expr other = sp_read(p, t, &b->i);
  CU_ASSERT_EQUAL(sp_skeleton(p, x), sp_skeleton(p, y));
  CU_ASSERT_NOT_EQUAL(sp_skeleton(p, x), sp_skeleton(p, other));
  sp_expr k = sp_fresh(p, 6);
  sp_expr sum = sp_red(p, SP_RED_SUM, 1, &k,
                       sp_mul(p, sp_read(p, s, &k), sp_read(p, t, &k)));
  sp_expr far = sp_read(p, t, &b->k);
  sp_expr two = sp_add(p, sp_mul(p, x, other), sp_mul(p, y, far));
  CU_ASSERT_EQUAL(sp_skeleton(p, sum), sp_skeleton(p, two));
}

static void deep_run(sp_ctx *ctx, void *arg) {
  bench b;
  bench_fill(ctx, &b);
  sp_sym a = sp_sym_new(b.p, "A", SP_SORT_INT, 1, (int64_t[]){8});
  sp_expr e = b.z;
  for (int i = 0; i < 100000; i++) {
    e = sp_read(b.p, a, &e);
  }
  *(bool *)arg = true;
}

static void deep_terms_are_a_limit(void) {
  bool reached = false;
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, deep_run, &reached), SP_ERR_LIMIT);
  CU_ASSERT_FALSE(reached);
  sp_ctx_free(ctx);
}

/* An error inside of an assumption must not leave its facts behind. */
static void fail_inside(sp_ctx *ctx, void *arg) {
  bench *b = arg;
  sp_expr big = sp_iscale(b->p, b->z, INT64_MAX / 2);
  sp_expr cond = sp_lt(b->p, b->k, num(b, 4));
  (void)ctx;
  sp_pool_raw(b->p, true);
  sp_expr e = sp_iadd(b->p, big, sp_idiv(b->p, b->k, 4));
  e = sp_idiv(b->p, sp_iscale(b->p, e, 2), 3);
  /* simplifying this under the condition goes beyond 64 bits */
  e = sp_imul(b->p, e, sp_iscale(b->p, e, 2));
  sp_pool_raw(b->p, false);
  sp_assume(b->p, e, cond, true);
}

static void errors_leave_no_facts(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  bench b;
  bench_fill(ctx, &b);
  sp_expr q = sp_idiv(b.p, b.k, 4);
  CU_ASSERT_EQUAL(sp_protect(ctx, fail_inside, &b), SP_ERR_LIMIT);
  CU_ASSERT_FALSE(sp_pool_raw(b.p, false));
  same(&b, sp_idiv(b.p, b.k, 4), q);
  CU_ASSERT_EQUAL(sp_kind_of(b.p, sp_idiv(b.p, b.k, 5)), SP_KIND_DIV);
  sp_ctx_free(ctx);
}

#define TEST(name)                                                             \
  static void name##_test(void) {                                              \
    run(name);                                                                 \
  }
TEST(sums)
TEST(digits_fold)
TEST(division)
TEST(reshapes_vanish)
TEST(ranges)
TEST(comparisons)
TEST(real_comparisons)
TEST(logic)
TEST(choices)
TEST(choices_go_on)
TEST(assumptions)
TEST(extrema)
TEST(functions)
TEST(fits)
TEST(real_tables)
TEST(rank_terms_are_tabulated)
TEST(rank_parts_of_sums_are_tabulated)
TEST(tables)
TEST(raw_terms_are_literal)
TEST(substitution)
TEST(substitution_does_not_capture)
TEST(mapping_opens_binders)
TEST(skeletons)

void suite_index(void) {
  CU_pSuite s = CU_add_suite("index", NULL, NULL);
  CU_add_test(s, "sums are flat, sorted, merged", sums_test);
  CU_add_test(s, "digits fold in sums", digits_fold_test);
  CU_add_test(s, "overflow is a limit", overflow_is_a_limit);
  CU_add_test(s, "division and remainder", division_test);
  CU_add_test(s, "reshapes vanish", reshapes_vanish_test);
  CU_add_test(s, "ranges", ranges_test);
  CU_add_test(s, "comparisons are canonical", comparisons_test);
  CU_add_test(s, "real comparisons", real_comparisons_test);
  CU_add_test(s, "logic", logic_test);
  CU_add_test(s, "choices", choices_test);
  CU_add_test(s, "choices go on", choices_go_on_test);
  CU_add_test(s, "assumptions narrow, and do not leak", assumptions_test);
  CU_add_test(s, "maxima and minima", extrema_test);
  CU_add_test(s, "integer functions", functions_test);
  CU_add_test(s, "tables are fitted", fits_test);
  CU_add_test(s, "tables of reals are fitted", real_tables_test);
  CU_add_test(s, "rank terms are tabulated", rank_terms_are_tabulated_test);
  CU_add_test(s, "rank parts of sums are tabulated",
              rank_parts_of_sums_are_tabulated_test);
  CU_add_test(s, "tables fold", tables_test);
  CU_add_test(s, "raw terms are literal", raw_terms_are_literal_test);
  CU_add_test(s, "substitution is simultaneous", substitution_test);
  CU_add_test(s, "substitution does not capture",
              substitution_does_not_capture_test);
  CU_add_test(s, "mapping opens binders", mapping_opens_binders_test);
  CU_add_test(s, "skeletons erase indices", skeletons_test);
  CU_add_test(s, "deep terms are a limit", deep_terms_are_a_limit);
  CU_add_test(s, "errors leave no facts", errors_leave_no_facts);
}
