/* Obligations in words: each form of a statement, by its text. */
#include "encode/statement.h"

#include "tests/suites.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_statement(void);

typedef struct terms {
  sp_pool *p;
  sp_expr r, i, j; /* variables of extents 4, 8, 8 */
  sp_expr row;     /* 8*r + i */
} terms;

static bool says(const terms *t, sp_expr e, const char *text) {
  const char *said = sp_statement(t->p, e);
  bool same = strcmp(said, text) == 0;
  if (!same) {
    printf("\n  says:     %s\n  expected: %s\n", said, text);
  }
  return same;
}

static void with_terms(void (*test)(terms *t)) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  terms t = {.p = sp_pool_new(ctx)};
  sp_pool_mode(t.p, SP_MODE_RAW_INDEX);
  t.r = sp_var(t.p, SP_VAR_RANK, "r", 4);
  t.i = sp_var(t.p, SP_VAR_INDEX, "i", 8);
  t.j = sp_var(t.p, SP_VAR_INDEX, "j", 8);
  t.row = sp_iadd(t.p, sp_iscale(t.p, t.r, 8), t.i);
  test(&t);
  sp_ctx_free(ctx);
}

static void comparisons(terms *t) {
  sp_pool *p = t->p;
  sp_expr c32 = sp_int(p, 32);
  CU_ASSERT(says(t, sp_lt(p, t->row, c32), "8*r + i < 32"));
  CU_ASSERT(says(t, sp_le(p, c32, t->row), "32 <= 8*r + i"));
  CU_ASSERT(says(t, sp_le(p, sp_int(p, 0), t->row), "0 <= 8*r + i"));
  CU_ASSERT(says(t, sp_lt(p, t->i, t->j), "i < j"));
  CU_ASSERT(says(t, sp_le(p, t->i, t->j), "i <= j"));
  CU_ASSERT(says(t, sp_not(p, sp_lt(p, t->i, t->j)), "j <= i"));
  CU_ASSERT(says(t, sp_eq(p, t->row, t->j), "8*r + i = j"));
  CU_ASSERT(says(t, sp_not(p, sp_eq(p, t->i, t->j)), "i != j"));
  CU_ASSERT(says(t, sp_eq(p, t->i, sp_int(p, 3)), "i = 3"));
  CU_ASSERT(says(t, sp_lt(p, sp_iaddc(p, t->i, 2), t->j), "i + 2 < j"));
  CU_ASSERT(says(t, sp_le(p, t->i, sp_iaddc(p, t->j, -2)), "i + 1 < j"));
}

static void comparisons_have_no_minus_signs(void) {
  with_terms(comparisons);
}

static void connectives(terms *t) {
  sp_pool *p = t->p;
  sp_expr a = sp_lt(p, t->i, t->j), b = sp_eq(p, t->r, sp_int(p, 2));
  sp_expr c = sp_lt(p, t->r, t->i);
  CU_ASSERT(says(t, sp_and(p, a, b), "r = 2 and i < j"));
  CU_ASSERT(says(t, sp_or(p, sp_not(p, b), a), "if r = 2 then i < j"));
  CU_ASSERT(says(t, sp_not(p, sp_and(p, a, b)), "not (r = 2 and i < j)"));
  CU_ASSERT(says(t, sp_or(p, a, c), "i < j or r < i"));
  sp_expr both = sp_or(p, sp_not(p, b), sp_and(p, a, c));
  CU_ASSERT(says(t, both, "if r = 2 then (i < j and r < i)"));
}

static void a_disjunction_with_negated_parts_is_a_condition(void) {
  with_terms(connectives);
}

static void variables(terms *t) {
  sp_expr hyp = sp_lt(t->p, t->i, t->j);
  const sp_asked asked = {
      .n_hyps = 1, .hyps = &hyp, .goal = sp_lt(t->p, t->r, t->i)};
  const char *text = sp_statement_variables(t->p, &asked);
  CU_ASSERT_STRING_EQUAL(text, "i < 8, j < 8, r < 4");
  const sp_asked none = {.goal = sp_bool(t->p, true)};
  CU_ASSERT_STRING_EQUAL(sp_statement_variables(t->p, &none), "");
}

static void each_variable_is_listed_once(void) {
  with_terms(variables);
}

static void deep(terms *t) {
  sp_pool *p = t->p;
  sp_expr e = sp_lt(p, t->i, t->j);
  for (int64_t k = 0; k < 200; k++) {
    e = sp_not(p, sp_or(p, e, sp_eq(p, t->r, sp_int(p, k % 4))));
    e = sp_or(p, e, sp_lt(p, t->j, sp_int(p, k % 8)));
  }
  CU_ASSERT(strlen(sp_statement(p, e)) > 0);
}

static void deep_terms_are_printed(void) {
  with_terms(deep);
}

/* What a log has of an obligation. */
static void logged(terms *t) {
  sp_asked_list log = {0};
  const sp_solver_options o = {.timeout_ms = 10000, .log = &log};
  sp_solver *s = sp_solver_new(t->p, &o);
  sp_expr goal = sp_lt(t->p, t->row, sp_int(t->p, 32));
  sp_expr wrong = sp_lt(t->p, t->row, sp_int(t->p, 31));
  CU_ASSERT_EQUAL(sp_prove(s, "rule", "x", 0, NULL, goal), SP_PROVED);
  CU_ASSERT_EQUAL(sp_prove(s, "rule", "x", 0, NULL, goal), SP_PROVED);
  CU_ASSERT_EQUAL(sp_prove(s, "rule", "x", 0, NULL, wrong), SP_REFUTED);
  CU_ASSERT_EQUAL_FATAL(log.n, 2);
  CU_ASSERT_EQUAL(log.v[0].answer, SP_PROVED);
  CU_ASSERT_EQUAL(log.v[0].goal.v, goal.v);
  CU_ASSERT_PTR_NOT_NULL(strstr(log.v[0].smtlib, ":status unsat"));
  CU_ASSERT_EQUAL(log.v[1].answer, SP_REFUTED);
  CU_ASSERT_PTR_NULL(strstr(log.v[1].smtlib, ":status"));
}

static void a_log_has_each_formula_once(void) {
  with_terms(logged);
}

void suite_statement(void) {
  CU_pSuite s = CU_add_suite("statement", NULL, NULL);
#define TEST(f) CU_add_test(s, #f, f)
  TEST(comparisons_have_no_minus_signs);
  TEST(a_disjunction_with_negated_parts_is_a_condition);
  TEST(each_variable_is_listed_once);
  TEST(deep_terms_are_printed);
  TEST(a_log_has_each_formula_once);
}
