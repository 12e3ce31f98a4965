/* Custom calls that say along how many dimensions they work element by element
 * (num_batch_dims): one call, or one for each half of the batch. */
#include "solve/check.h"

#include "graph/hlo.h"
#include "tests/suites.h"
#include "tests/support_hlo.h"

#include <CUnit/CUnit.h>
#include <stdio.h>

void suite_custom_call(void);

typedef struct pair {
  const char *before, *after;
  sp_verdict verdict;
} pair;

static void check_pair(sp_ctx *ctx, void *arg) {
  pair *x = arg;
  sp_problem problem = sp_problem_identity(ctx, hlo_read_body(ctx, x->before),
                                           hlo_read_body(ctx, x->after), NULL);
  sp_check_options options = {0};
  x->verdict = sp_check_problem(ctx, &problem, &options)->verdict;
}

static sp_code check(const char *before, const char *after,
                     sp_verdict *verdict) {
  pair x = {before, after, SP_VIOLATION};
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_code status = sp_protect(ctx, check_pair, &x);
  sp_ctx_free(ctx);
  *verdict = x.verdict;
  return status;
}

#define MARKED ", frontend_attributes={num_batch_dims=\"1\"}"
#define CALL(name, of, n, layout, more)                                        \
  name " = f32[" n ",3,3]{" layout "} custom-call(" of                         \
       "), custom_call_target=\"solve\", "                                     \
       "operand_layout_constraints={f32[" n ",3,3]{1,2,0}}" more "\n"
#define A "a = f32[4,3,3]{1,2,0} parameter(0)\n"
#define HALVES                                                                 \
  A "l = f32[2,3,3]{1,2,0} slice(a), slice={[0:2], [0:3], [0:3]}\n"            \
    "h = f32[2,3,3]{1,2,0} slice(a), slice={[2:4], [0:3], [0:3]}\n"
#define JOIN(x, y)                                                             \
  "ROOT r = f32[4,3,3] concatenate(" x ", " y "), dimensions={0}\n"

static void a_batch_may_be_cut(void) {
  sp_verdict v;
  CU_ASSERT_EQUAL(check(A CALL("ROOT r", "a", "4", "1,2,0", MARKED),
                        HALVES CALL("c", "l", "2", "1,2,0", MARKED)
                            CALL("d", "h", "2", "1,2,0", MARKED) JOIN("c", "d"),
                        &v),
                  SP_OK);
  CU_ASSERT_EQUAL(v, SP_REFINES);
}

/* An attribute whose name only ends in the mark's. */
static void another_mark_says_nothing(void) {
  sp_verdict v;
#define OTHER ", frontend_attributes={my_num_batch_dims=\"1\"}"
  CU_ASSERT_EQUAL(check(A CALL("ROOT r", "a", "4", "1,2,0", OTHER),
                        HALVES CALL("c", "l", "2", "1,2,0", OTHER)
                            CALL("d", "h", "2", "1,2,0", OTHER) JOIN("c", "d"),
                        &v),
                  SP_OK);
#undef OTHER
  CU_ASSERT_EQUAL(v, SP_UNPROVEN);
}

static void another_order_is_not_proved(void) {
  sp_verdict v;
  CU_ASSERT_EQUAL(check(A CALL("ROOT r", "a", "4", "1,2,0", MARKED),
                        HALVES CALL("c", "l", "2", "1,2,0", MARKED)
                            CALL("d", "h", "2", "1,2,0", MARKED) JOIN("d", "c"),
                        &v),
                  SP_OK);
  CU_ASSERT_EQUAL(v, SP_UNPROVEN);
}

/* One call each: another layout, configuration or effect, or no mark. */
static void what_makes_another_function_is_compared(void) {
  static const char first[] = A CALL("ROOT r", "a", "4", "1,2,0",
                                     MARKED ", backend_config={uplo = 76}");
  static const struct {
    const char *after;
    sp_verdict verdict;
  } cases[] = {
      {first, SP_REFINES},
      {A CALL("ROOT r", "a", "4", "2,1,0",
              MARKED ", backend_config={uplo = 76}"),
       SP_UNPROVEN},
      {A CALL("ROOT r", "a", "4", "1,2,0",
              MARKED ", backend_config={uplo = 85}"),
       SP_UNPROVEN},
      {A CALL("ROOT r", "a", "4", "1,2,0",
              MARKED ", custom_call_has_side_effect=true, "
                     "backend_config={uplo = 76}"),
       SP_UNPROVEN},
      {A CALL("ROOT r", "a", "4", "1,2,0", ", backend_config={uplo = 76}"),
       SP_UNPROVEN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sp_verdict v;
    CU_ASSERT_EQUAL(check(first, cases[i].after, &v), SP_OK);
    CU_ASSERT_EQUAL(v, cases[i].verdict);
  }
}

/* Not marked, but of LAPACK: one function of the whole, on whichever rank. */
static void lapack_is_a_function(void) {
#define POTRF(name, of, uplo)                                                  \
  name " = f32[4,3,3]{1,2,0} custom-call(" of                                  \
       "), custom_call_target=\"lapack_spotrf_ffi\", "                         \
       "operand_layout_constraints={f32[4,3,3]{1,2,0}}, "                      \
       "backend_config={uplo = " uplo " : ui8}\n"
#define MINUS "m = f32[4,3,3]{2,1,0} negate(a)\n"
  static const struct {
    const char *after;
    sp_verdict verdict;
  } cases[] = {
      {A MINUS POTRF("ROOT r", "m", "76"), SP_REFINES},
      {A MINUS POTRF("ROOT r", "m", "85"), SP_UNPROVEN},
      {A POTRF("ROOT r", "a", "76"), SP_UNPROVEN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sp_verdict v;
    CU_ASSERT_EQUAL(
        check(A MINUS POTRF("ROOT r", "m", "76"), cases[i].after, &v), SP_OK);
    CU_ASSERT_EQUAL(v, cases[i].verdict);
  }
#undef POTRF
#undef MINUS
}

static void batches_must_agree(void) {
  sp_verdict v;
  CU_ASSERT_EQUAL(
      check(
          A CALL("ROOT r", "a", "4", "1,2,0", MARKED),
          A
          "s = f32[2,3,3]{1,2,0} slice(a), slice={[0:2], [0:3], [0:3]}\n" CALL(
              "ROOT r", "s", "4", "1,2,0", MARKED),
          &v),
      SP_ERR_INPUT);
}

void suite_custom_call(void) {
  CU_pSuite s = CU_add_suite("custom calls", NULL, NULL);
  CU_ADD_TEST(s, a_batch_may_be_cut);
  CU_ADD_TEST(s, another_mark_says_nothing);
  CU_ADD_TEST(s, another_order_is_not_proved);
  CU_ADD_TEST(s, what_makes_another_function_is_compared);
  CU_ADD_TEST(s, lapack_is_a_function);
  CU_ADD_TEST(s, batches_must_agree);
}
