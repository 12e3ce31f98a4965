/* support_terms.h: tests of terms: a pool each, short names for building.
 *
 * CONTRACT. TEST(name) { ... } is a test with a fresh pool p; what it raises
 * fails it. Symbols are new ones at each call. The short names are the
 * file's own: other supports use them for a bench.
 */
#ifndef SP_TESTS_SUPPORT_TERMS_H
#define SP_TESTS_SUPPORT_TERMS_H

#include "encode/expr.h"

#include <CUnit/CUnit.h>

#define TEST(name)                                                             \
  static void body_##name(sp_pool *p);                                         \
  static void name(void) {                                                     \
    with_pool(body_##name);                                                    \
  }                                                                            \
  static void body_##name(sp_pool *p)

/* One term, or not. */
#define SAME(a, b) check_same(p, (a), (b), __LINE__)
#define DIFFER(a, b) CU_ASSERT_NOT_EQUAL((a).v, (b).v)

void with_pool(void (*fn)(sp_pool *p));
void check_same(sp_pool *p, sp_expr a, sp_expr b, int line);

static inline sp_num ratio(sp_pool *p, int64_t n, int64_t d) {
  return sp_num_ratio(p, n, d);
}

static inline sp_expr num(sp_pool *p, int64_t n, int64_t d) {
  return sp_real(p, ratio(p, n, d));
}

static inline sp_expr scale(sp_pool *p, sp_expr e, int64_t n) {
  return sp_scale(p, e, sp_num_from_i64(p, n));
}

/* A scalar, a vector of 8, a matrix of 8 by 8; elements. */
static inline sp_expr scalar(sp_pool *p, const char *name) {
  return sp_read(p, sp_sym_new(p, name, SP_SORT_REAL, 0, NULL), NULL);
}

static inline sp_sym vector(sp_pool *p, const char *name) {
  int64_t n = 8;
  return sp_sym_new(p, name, SP_SORT_REAL, 1, &n);
}

static inline sp_sym matrix(sp_pool *p, const char *name) {
  int64_t n[2] = {8, 8};
  return sp_sym_new(p, name, SP_SORT_REAL, 2, n);
}

static inline sp_expr at(sp_pool *p, sp_sym s, sp_expr i) {
  return sp_read(p, s, &i);
}

static inline sp_expr at2(sp_pool *p, sp_sym s, sp_expr i, sp_expr j) {
  sp_expr idx[2] = {i, j};
  return sp_read(p, s, idx);
}

static inline sp_expr red1(sp_pool *p, sp_red_op op, sp_expr k, sp_expr body) {
  return sp_red(p, op, 1, &k, body);
}

static inline sp_expr sum1(sp_pool *p, sp_expr k, sp_expr body) {
  return red1(p, SP_RED_SUM, k, body);
}

static inline sp_expr zero(sp_pool *p) {
  return sp_real_i64(p, 0);
}

/* 0 where c holds */
static inline sp_expr guarded(sp_pool *p, sp_expr c, sp_expr e) {
  return sp_ite(p, c, zero(p), e);
}

static inline sp_kind kind(sp_pool *p, sp_expr e) {
  return sp_kind_of(p, e);
}

#endif
