/* test_loop_invariant.c: what a compiler moves out of a loop and carries:
 * related, and broken twins are not. Sixty-five steps or more, so that nothing
 * is unrolled. */
#include "tests/suites.h"
#include "tests/support_hlo.h"

#include <CUnit/CUnit.h>
#include <stdio.h>

void suite_loop_invariant(void);

/* A loop of 100 steps that carries the step, x, a and what else is said. */
#define MODULE(types, update, results, values)                                 \
  "HloModule m\n"                                                              \
  "body {\n  p = (s32[], f32[4,4], f32[4,4]" types ") parameter(0)\n"          \
  "  i = s32[] get-tuple-element(p), index=0\n"                                \
  "  x = f32[4,4] get-tuple-element(p), index=1\n"                             \
  "  a = f32[4,4] get-tuple-element(p), index=2\n"                             \
  "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n" update                \
  "  ROOT t = (s32[], f32[4,4], f32[4,4]" types ") tuple(j, y, a" results      \
  ")\n}\ncond {\n  p = (s32[], f32[4,4], f32[4,4]" types ") parameter(0)\n"    \
  "  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant(100)\n"     \
  "  ROOT c = pred[] compare(i, n), direction=LT\n}\n"                         \
  "ENTRY e {\n  x = f32[4,4] parameter(0)\n  a = f32[4,4] parameter(1)\n"      \
  "  z = s32[] constant(0)\n"                                                  \
  "  h = f32[4,4] tanh(a)\n  g = f32[4,4] tanh(x)\n"                           \
  "  r = f32[4,4] iota(), iota_dimension=0\n"                                  \
  "  s = f32[4,4] iota(), iota_dimension=1\n"                                  \
  "  k = f32[4,4] multiply(r, s)\n"                                            \
  "  t = (s32[], f32[4,4], f32[4,4]" types ") tuple(z, x, a" values ")\n"      \
  "  w = (s32[], f32[4,4], f32[4,4]" types ") while(t), condition=cond, "      \
  "body=body\n  ROOT o = f32[4,4] get-tuple-element(w), index=1\n}\n"

#define CARRIED "  b = f32[4,4] get-tuple-element(p), index=3\n"
#define DOT(b)                                                                 \
  "  y = f32[4,4] dot(x, " b                                                   \
  "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"

static const char computed_inside[] =
    MODULE("", "  b = f32[4,4] tanh(a)\n" DOT("b"), "", "");
static const char table_inside[] =
    MODULE("",
           "  r = f32[4,4] iota(), iota_dimension=0\n"
           "  s = f32[4,4] iota(), iota_dimension=1\n"
           "  b = f32[4,4] multiply(r, s)\n" DOT("b"),
           "", "");

static void what_does_not_change_is_carried(void) {
  CU_ASSERT_EQUAL(
      hlo_identity(computed_inside,
                   MODULE(", f32[4,4]", CARRIED DOT("b"), ", b", ", h")),
      SP_REFINES);
  /* of the tensor that changes */
  CU_ASSERT_NOT_EQUAL(
      hlo_identity(computed_inside,
                   MODULE(", f32[4,4]", CARRIED DOT("b"), ", b", ", g")),
      SP_REFINES);
  /* of another value */
  CU_ASSERT_NOT_EQUAL(
      hlo_identity(computed_inside,
                   MODULE(", f32[4,4]", CARRIED DOT("b"), ", b", ", a")),
      SP_REFINES);
}

static void what_changes_is_not_taken_for_constant(void) {
  CU_ASSERT_NOT_EQUAL(
      hlo_identity(computed_inside,
                   MODULE(", f32[4,4]", CARRIED DOT("b"), ", y", ", h")),
      SP_REFINES);
}

static void tables_are_carried(void) {
  CU_ASSERT_EQUAL(
      hlo_identity(table_inside,
                   MODULE(", f32[4,4]", CARRIED DOT("b"), ", b", ", k")),
      SP_REFINES);
  CU_ASSERT_NOT_EQUAL(
      hlo_identity(table_inside,
                   MODULE(", f32[4,4]", CARRIED DOT("b"), ", b", ", r")),
      SP_REFINES);
}

/* The same loop on equal operands, if it is a function of them. */
static void the_same_loop_gives_the_same(void) {
#define CALL(more)                                                             \
  "  c = f32[4,4] custom-call(x), custom_call_target=\"mystery\"" more         \
  "\n" DOT("c")
  const char known[] =
      MODULE("", "  b = f32[4,4] cosine(x)\n" DOT("b"), "", "");
  const char unknown[] = MODULE("", CALL(""), "", "");
  CU_ASSERT_EQUAL(hlo_identity(known, known), SP_REFINES);
  CU_ASSERT_NOT_EQUAL(
      hlo_identity(unknown, MODULE("", CALL(", backend_config=\"1\""), "", "")),
      SP_REFINES);
  CU_ASSERT_NOT_EQUAL(hlo_identity(known, unknown), SP_REFINES);
  const char effects[] =
      MODULE("", CALL(", custom_call_has_side_effect=true"), "", "");
  CU_ASSERT_NOT_EQUAL(hlo_identity(effects, effects), SP_REFINES);
}

void suite_loop_invariant(void) {
  CU_pSuite s = CU_add_suite("loop_invariant", NULL, NULL);
#define TEST(f) CU_add_test(s, #f, f)
  TEST(what_does_not_change_is_carried);
  TEST(what_changes_is_not_taken_for_constant);
  TEST(tables_are_carried);
  TEST(the_same_loop_gives_the_same);
}
