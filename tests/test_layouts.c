/* A bitcast is a reshape of what lies in memory: layouts decide which. */
#include "solve/check.h"

#include "graph/hlo.h"
#include "tests/suites.h"
#include "tests/support_hlo.h"

#include <CUnit/CUnit.h>
#include <string.h>

void suite_layouts(void);

typedef struct pair {
  const char *before, *after;
  sp_verdict verdict;
  const char *why; /* of the result, where it is not proved */
} pair;

static void check_pair(sp_ctx *ctx, void *arg) {
  pair *x = arg;
  sp_problem problem = sp_problem_identity(ctx, hlo_read_body(ctx, x->before),
                                           hlo_read_body(ctx, x->after), NULL);
  sp_check_options options = {0};
  const sp_report *report = sp_check_problem(ctx, &problem, &options);
  x->verdict = report->verdict;
  for (size_t i = 0; i < report->n_frontier; i++) {
    const char *why = report->tensors[report->frontier[i]].why;
    x->why = why && strstr(why, "layouts in memory") ? "layouts" : x->why;
  }
}

static pair check(const char *before, const char *after) {
  pair x = {.before = before, .after = after};
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, check_pair, &x), SP_OK);
  sp_ctx_free(ctx);
  return x;
}

#define A(layout) "a = f32[4,6]" layout " parameter(0)\n"
static const char transposed[] =
    A("") "ROOT r = f32[6,4] transpose(a), dimensions={1,0}\n";
static const char reshaped[] = A("") "ROOT r = f32[6,4] reshape(a)\n";

static void a_bitcast_between_orders_transposes(void) {
  const char bitcast[] = A("{0,1}") "ROOT r = f32[6,4]{1,0} bitcast(a)\n";
  CU_ASSERT_EQUAL(check(transposed, bitcast).verdict, SP_REFINES);
  CU_ASSERT_EQUAL(check(reshaped, bitcast).verdict, SP_VIOLATION);
}

static void a_bitcast_in_one_order_reshapes(void) {
  const char bitcast[] = A("{1,0}") "ROOT r = f32[6,4]{1,0:S(1)} bitcast(a)\n";
  CU_ASSERT_EQUAL(check(reshaped, bitcast).verdict, SP_REFINES);
  CU_ASSERT_EQUAL(check(transposed, bitcast).verdict, SP_VIOLATION);
}

/* [4,6] column-major: 24 numbers, column by column; as [2,2,6] in the order
 * 2, 0, 1 of dimensions from the major one. */
static void dimensions_are_split_in_memory(void) {
  const char before[] =
      A("") "t = f32[6,4] transpose(a), dimensions={1,0}\n"
            "s = f32[6,2,2] reshape(t)\n"
            "ROOT r = f32[2,2,6] transpose(s), dimensions={1,2,0}\n";
  CU_ASSERT_EQUAL(check(before, A("{0,1}") "ROOT r = f32[2,2,6]{1,0,2} "
                                           "bitcast(a)\n")
                      .verdict,
                  SP_REFINES);
  CU_ASSERT_EQUAL(check(before, A("{0,1}") "ROOT r = f32[2,2,6]{0,1,2} "
                                           "bitcast(a)\n")
                      .verdict,
                  SP_VIOLATION);
}

static void other_layouts_are_not_understood(void) {
  static const char *const odd[] = {
      A("{1,0:T(8,128)}") "ROOT r = f32[6,4]{1,0} bitcast(a)\n",
      A("{1,0}") "ROOT r = f32[6,4]{1,0:T(4)S(1)} bitcast(a)\n",
      A("{1,0}") "ROOT r = f32[6,4] bitcast(a)\n",
      A("{1,1}") "ROOT r = f32[6,4]{1,0} bitcast(a)\n",
      A("{1}") "ROOT r = f32[6,4]{1,0} bitcast(a)\n",
      A("{2,0}") "ROOT r = f32[6,4]{1,0} bitcast(a)\n",
      A("{1,0,}") "ROOT r = f32[6,4]{1,0:S()x} bitcast(a)\n",
  };
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    pair x = check(reshaped, odd[i]);
    CU_ASSERT_EQUAL(x.verdict, SP_UNPROVEN);
    CU_ASSERT_PTR_NOT_NULL(x.why);
  }
}

static void on_one_line_layouts_do_not_matter(void) {
  CU_ASSERT_EQUAL(check("a = f32[1,6] parameter(0)\nROOT r = f32[6,1] "
                        "reshape(a)\n",
                        "a = f32[1,6] parameter(0)\nROOT r = f32[6,1] "
                        "bitcast(a)\n")
                      .verdict,
                  SP_REFINES);
}

void suite_layouts(void) {
  CU_pSuite s = CU_add_suite("layouts", NULL, NULL);
#define TEST(f) CU_add_test(s, #f, f)
  TEST(a_bitcast_between_orders_transposes);
  TEST(a_bitcast_in_one_order_reshapes);
  TEST(dimensions_are_split_in_memory);
  TEST(other_layouts_are_not_understood);
  TEST(on_one_line_layouts_do_not_matter);
}
