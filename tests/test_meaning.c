/* test_meaning.c: meanings of custom operators as formulas: the language, its
 * errors, and the ready-made ones against tests/oracle/meanings.txt. */
#include "encode/meaning.h"
#include "graph/fx.h"
#include "graph/hlo.h"
#include "shard-specs/problem.h"
#include "tests/suites.h"
#include "tests/support_fx.h"
#include "tests/support_oracle.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_meaning(void);

/* ---- against the oracle ---- */

static const sp_program *read_case(sp_ctx *ctx, const oracle_case *c) {
  static const sp_spec nothing;
  sp_spec_notes notes = {0};
  const sp_program *p =
      sp_fx_looks_like(c->text, c->text_n)
          ? sp_fx_read_text(ctx, "case.py", c->text, c->text_n)
          : sp_hlo_read_text(ctx, "case.hlo", c->text, c->text_n);
  return sp_spec_operators(ctx, &nothing, p, &notes);
}

static void ready_made_meanings_agree_with_plain_loops(void) {
  CU_ASSERT(oracle_run("meanings.txt", "SHARDPROOF_MEANINGS", read_case) >= 15);
}

/* ---- one formula ---- */

typedef struct trial {
  const char *formula; /* of op "my.op" */
  const sp_program *program;
  double got;
  oracle_world world;
} trial;

/* Element `at` of the program's first result, at constant indices; inputs hold
 * 10 * parameter + flat index. */
static void run_trial(sp_ctx *ctx, void *arg) {
  trial *t = arg;
  sp_lang_text text = {t->formula, strlen(t->formula), "f.yaml", 1, 1, 1};
  const sp_meaning *m = sp_meaning_read(ctx, "my.op", &text);
  sp_spec spec = {.n_operators = 1, .operators = &m};
  sp_spec_notes notes = {0};
  t->program = sp_spec_operators(ctx, &spec, t->program, &notes);
  for (uint32_t i = 0; i < t->program->n_nodes; i++) {
    const sp_node *node = &t->program->nodes[i];
    if (strcmp(node->op, SP_MEANING_OP) == 0) {
      sp_op_check(ctx, t->program, node);
    }
  }
}

static sp_value trial_read(void *user, sp_sym s, uint32_t n,
                           const int64_t *idx) {
  trial *t = user;
  int64_t at = 0, k = 0;
  while (t->world.syms[k].v != s.v) {
    k++;
  }
  for (uint32_t i = 1; i < n; i++) {
    at = at * sp_sym_extents(t->world.pool, s)[i] + idx[i];
  }
  sp_value v = {.sort = sp_sym_sort(t->world.pool, s), .i = at % 3};
  v.r = (double)(10 * k + at);
  v.b = at % 2 == 0;
  return v;
}

static int64_t trial_var(void *user, sp_expr v) {
  (void)user;
  (void)v;
  return 0;
}

static void eval_trial(sp_ctx *ctx, void *arg) {
  trial *t = arg;
  oracle_world *w = &t->world;
  w->pool = sp_pool_new(ctx);
  w->program = t->program;
  oracle_symbols(w);
  uint32_t result = t->program->results[0];
  sp_expr idx[SP_MAX_DIMS];
  uint32_t n = t->program->tensors[result].shape.n_dims;
  for (uint32_t d = 0; d < n; d++) {
    idx[d] = sp_int(w->pool, 1);
  }
  sp_expr e = oracle_element(w, result, sp_int(w->pool, 0), idx);
  sp_eval_env env = {.user = t,
                     .var = trial_var,
                     .read = trial_read,
                     .fn = sp_op_function,
                     .budget = 100000};
  sp_value v;
  CU_ASSERT(sp_eval(w->pool, e, &env, &v));
  t->got = v.sort == SP_SORT_REAL  ? v.r
           : v.sort == SP_SORT_INT ? (double)v.i
                                   : (double)v.b;
}

#define INPUTS "x: \"f32[2, 3]\", y: \"f32[3]\", i: \"i64[2]\""

/* The element at index 1, 1, ... of torch.ops.my.op(call). */
static void expect_value(const char *call, const char *annotation,
                         const char *formula, double want) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  char body[512];
  snprintf(body, sizeof body, "r: \"%s\" = torch.ops.my.op(%s)\nreturn (r,)",
           annotation, call);
  trial t = {.formula = formula, .program = fx_read_body(ctx, INPUTS, body)};
  CU_ASSERT_PTR_NOT_NULL_FATAL(t.program);
  sp_code code = sp_protect(ctx, run_trial, &t);
  code = code ? code : sp_protect(ctx, eval_trial, &t);
  CU_ASSERT_EQUAL(code, SP_OK);
  CU_ASSERT_DOUBLE_EQUAL(t.got, want, 1e-9);
  if (code || t.got != want) {
    printf("\n%s\n  %g %s\n", formula, t.got,
           code ? sp_ctx_error(ctx)->message : "");
  }
  sp_ctx_free(ctx);
}

static void formulas_have_the_values_that_they_say(void) {
  /* x[1, 1] is 4, y[1] is 11, i[1] is 1 */
  expect_value("x, y", "f32[2, 3]",
               "(a[N, M], b[M]) -> r[N, M]\nr[i, j] = a[i, j] * b[j] - 1", 43);
  expect_value("x", "f32[2]",
               "(a[N, M]) -> r[N]\nr[i] = sum(k < M; a[i, k]) / M", 4);
  expect_value("x", "f32[3, 2]", "(a[N, M]) -> r[M, N]\nr[i, j] = a[j, i]", 4);
  expect_value("x", "f32[6]",
               "(a[*S]) -> r[size(*S)]\nr[p] = a[*unflat(p; *S)]", 1);
  expect_value("x", "f32[2, 3]",
               "(a[*S]) -> r[*S]\nr[*i] = a[*i] + flat(*i; *S)", 8);
  expect_value("x, 2", "f32[2, 3]",
               "(a[*S], k: int) -> r[*S]\nr[*i] = a[*i] ^ k", 16);
  expect_value("x, 0.5", "f32[2, 3]",
               "(a[*S], k: real) -> r[*S]\nr[*i] = a[*i] * k", 2);
  expect_value("x, True", "f32[2, 3]",
               "(a[*S], k: bool) -> r[*S]\nr[*i] = if k then -a[*i] else 0",
               -4);
  expect_value("x", "f32[2, 3]",
               "(a[*S], k: real = 3) -> r[*S]\nr[*i] = a[*i] * k", 12);
  expect_value("x, 'up'", "f32[2, 3]",
               "(a[*S], how: text) -> r[*S]\nrequire how == \"up\"\n"
               "r[*i] = max(a[*i], 7)",
               7);
  expect_value("x", "f32[2, 3]",
               "(a[N, M]) -> r[N, M]\nf(i) = max(k < M; a[i, k])\n"
               "half = 1/2\nr[i, j] = f(i) * half",
               2.5);
  expect_value("y, i", "f32[2]", "(a[M], at[N]) -> r[N]\nr[n] = a[at[n]]", 11);
  expect_value("i", "i64[2]",
               "(a[N]) -> r[N]\nr[n] = (a[n] + 5) div 4 + 7 mod 4", 4);
  expect_value("x", "b8[2, 3]",
               "(a[*S]) -> r[*S]\nr[*i] = 3 <= a[*i] < 5 and not a[*i] == 7",
               1);
  expect_value("x", "b8[2]",
               "(a[N, M]) -> r[N]\nr[i] = any(k < M; a[i, k] == 5)", 1);
}

static void bodies_may_stand_after_their_variables(void) {
  expect_value("x", "f32[2]",
               "(a[N, M]) -> r[N]\nr[i] = sum(k < M) a[i, k] * 2 + 1", 25);
  expect_value("x", "f32[2]",
               "(a[N, M]) -> r[N]\nr[i] = max(0, min(k < M) a[i, k])", 3);
  expect_value("x", "b8[2]",
               "(a[N, M]) -> r[N]\nr[i] = any(k < M) a[i, k] == 5", 1);
  expect_value("x", "i64[2]",
               "(a[N, M]) -> r[N]\nr[i] = argmax(k < M) -(a[i, k] - 4)^2", 1);
  expect_value("x", "f32[2, 3]",
               "(a[N, M]) -> r[N, M]\nr[i, j] = min(a[i, j], inf) + relu(-7)",
               4);
  expect_value("x", "f32[2, 3]",
               "(a[N, M]) -> r[N, M]\nr[i, j] = a[i, j] + 4*M / 2 mod 4", 6);
}

static void an_index_outside_is_clamped(void) {
  expect_value("y", "f32[3]", "(a[N]) -> r[N]\nr[i] = a[i + 5]", 12);
  expect_value("y", "f32[3]", "(a[N]) -> r[N]\nr[i] = a[i - 5]", 10);
}

static void lines_that_begin_with_a_blank_go_on(void) {
  expect_value("y", "f32[3]", "(a[N])\n  -> r[N]\nr[i] = a[i]\n  + 1  # one",
               12);
}

/* ---- errors ---- */

static void expect_bad(const char *formula, uint32_t line, uint32_t column,
                       const char *message) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  trial t = {.formula = formula,
             .program = fx_read_body(ctx, INPUTS,
                                     "r: \"f32[2, 3]\" = torch.ops.my.op(x)\n"
                                     "return (r,)")};
  CU_ASSERT_PTR_NOT_NULL_FATAL(t.program);
  sp_code code = sp_protect(ctx, run_trial, &t);
  code = code ? code : sp_protect(ctx, eval_trial, &t);
  CU_ASSERT_EQUAL_FATAL(code, SP_ERR_INPUT);
  const sp_error *e = sp_ctx_error(ctx);
  bool same = e->loc.line == line && e->loc.column == column &&
              strstr(e->message, message);
  CU_ASSERT(same);
  if (!same) {
    printf("\n%s\n  got %u:%u: %s\n", formula, e->loc.line, e->loc.column,
           e->message);
  }
  sp_ctx_free(ctx);
}

static void bad_formulas_are_errors_at_their_place(void) {
  expect_bad("(a[N, M]) -> r[N, M]\nr[i, j] = b[i, j]", 2, 11,
             "nothing is called b");
  expect_bad("(a[N, M]) -> r[N, M]\nr[i, j] = a[i, j", 2, 17,
             "\"]\" is missing");
  expect_bad("(a[N, M]) -> r[N, M]\nr[i, j] = a[i, k]", 2, 16,
             "nothing is called k");
  expect_bad("(a[N, M]) -> r[N, M]\nr[i, j] = foo(a[i, j])", 2, 11,
             "no function foo");
  expect_bad("(a[N, M]) -> r[N, M]\nq[i, j] = 0", 1, 14,
             "nothing says what the result r is");
  expect_bad("(a[N, M]) -> r[N, M]\nr[i, j] = 0\nr[i, j] = 1", 3, 1,
             "said twice");
  expect_bad("(a[N, M], a: int) -> r[N]\nr[i] = 0", 1, 11, "two parameters");
  expect_bad("(a[N, M]) -> r[N, M]\nr[i, N] = 0", 2, 6, "has a meaning here");
  expect_bad("(a[N, M]) -> r[N, M]\nr[i, j] = if i < 1 then 0", 2, 26,
             "\"else\" is missing");
  expect_bad("(a[N, M]) -> r[N, M]\nr[i, j] = a[i, j] $ 2", 2, 19,
             "an unexpected \"$\"");
  expect_bad("(a[N, M]) -> r[N, M]\nr[i, j] = 1 2", 2, 13, "should end here");
  expect_bad("(a: what) -> r[]\nr[] = 0", 1, 5, "no kind of parameter");
  /* what only the program shows */
  expect_bad("(a[N, M]) -> r[N, M]\nr[i, j] = a[i]", 2, 11, "2 dimensions");
  expect_bad("(a[N, M]) -> r[N, M]\nr[i, j] = a[a[i, j], 0]", 2, 11,
             "indices are integers");
  expect_bad("(a[N, M]) -> r[N, M]\nr[i, j] = (i < 1) + 1", 2, 19,
             "do not go together");
  expect_bad("(a[N, M]) -> r[N, M]\nr[i, j] = i div (i + 1)", 2, 20,
             "made of sizes");
  expect_bad("(a[N, M]) -> r[N, M]\nr[i, j] = i < 1", 2, 13, "another type");
}

static void a_signature_that_does_not_fit_is_an_error_at_the_node(void) {
  expect_bad("(a[N]) -> r[N]\nr[i] = 0", 3, 9, "has 2 dimensions");
  expect_bad("(a[N, N]) -> r[N, N]\nr[i, j] = 0", 3, 9, "size 3, 2 expected");
  expect_bad("(a[N, M], b[N]) -> r[N, M]\nr[i, j] = 0", 3, 9,
             "argument b is missing");
  expect_bad("(a: int) -> r[2, 3]\nr[i, j] = 0", 3, 9, "another kind");
  expect_bad("(a[N, M]) -> r[M, N]\nr[i, j] = 0", 3, 9, "2");
}

static void deep_and_long_formulas_are_refused(void) {
  char text[4096] = "(a[N, M]) -> r[N, M]\nr[i, j] = ";
  size_t n = strlen(text);
  for (int i = 0; i < 100; i++) {
    text[n++] = '(';
  }
  text[n] = '\0';
  expect_bad(text, 2, 43, "nested too deep");
  n = strlen("(a[N, M]) -> r[N, M]\nr[i, j] = ");
  text[n++] = '1';
  for (int i = 0; i < 300; i++) {
    text[n++] = '+';
    text[n++] = '1';
  }
  text[n] = '\0';
  sp_ctx *ctx = sp_ctx_new(NULL);
  trial t = {.formula = text,
             .program = fx_read_body(ctx, INPUTS, "return (x,)")};
  CU_ASSERT_EQUAL(sp_protect(ctx, run_trial, &t), SP_ERR_INPUT);
  sp_ctx_free(ctx);
}

/* Functions that call functions twice: 2^60 terms unless it is noticed. */
static void formulas_that_explode_are_refused(void) {
  char text[4096] = "(a[N, M]) -> r[N, M]\nf0(i) = a[i, 0]\n";
  for (int i = 1; i < 60; i++) {
    size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "f%d(i) = f%d(i) * f%d(i)\n", i, i - 1,
             i - 1);
  }
  strcat(text, "r[i, j] = f59(i)");
  sp_ctx *ctx = sp_ctx_new(NULL);
  trial t = {.formula = text,
             .program = fx_read_body(ctx, INPUTS,
                                     "r: \"f32[2, 3]\" = torch.ops.my.op(x)\n"
                                     "return (r,)")};
  CU_ASSERT_EQUAL(sp_protect(ctx, run_trial, &t), SP_OK);
  CU_ASSERT_EQUAL(sp_protect(ctx, eval_trial, &t), SP_ERR_LIMIT);
  sp_ctx_free(ctx);
}

static void requirements_that_do_not_hold_leave_it_unknown(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  trial t = {.formula = "(a[N, M]) -> r[N, M]\nrequire N == M\n"
                        "r[i, j] = a[i, j]",
             .program = fx_read_body(ctx, INPUTS,
                                     "r: \"f32[2, 3]\" = torch.ops.my.op(x)\n"
                                     "return (r,)")};
  CU_ASSERT_EQUAL(sp_protect(ctx, run_trial, &t), SP_OK);
  CU_ASSERT_EQUAL(sp_protect(ctx, eval_trial, &t), SP_ERR_UNKNOWN);
  sp_ctx_free(ctx);
}

void suite_meaning(void) {
  CU_pSuite s = CU_add_suite("meaning", NULL, NULL);
  CU_ADD_TEST(s, ready_made_meanings_agree_with_plain_loops);
  CU_ADD_TEST(s, formulas_have_the_values_that_they_say);
  CU_ADD_TEST(s, bodies_may_stand_after_their_variables);
  CU_ADD_TEST(s, an_index_outside_is_clamped);
  CU_ADD_TEST(s, lines_that_begin_with_a_blank_go_on);
  CU_ADD_TEST(s, bad_formulas_are_errors_at_their_place);
  CU_ADD_TEST(s, a_signature_that_does_not_fit_is_an_error_at_the_node);
  CU_ADD_TEST(s, deep_and_long_formulas_are_refused);
  CU_ADD_TEST(s, formulas_that_explode_are_refused);
  CU_ADD_TEST(s, requirements_that_do_not_hold_leave_it_unknown);
}
