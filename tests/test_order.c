/* test_order.c: Sorting as compilers rewrite it: total orders by bits, topk as
 * a sort of values with their positions, XLA's TopK call. Every proved pair has
 * broken twins. */
#include "tests/suites.h"
#include "tests/support_hlo.h"

#include <CUnit/CUnit.h>
#include <stdio.h>

void suite_order(void);

#define REFINES(a, b) CU_ASSERT_EQUAL(hlo_identity(a, b), SP_REFINES)
#define DIFFERS(a, b) CU_ASSERT_EQUAL(hlo_identity(a, b), SP_VIOLATION)
#define NOT_PROVED(a, b) CU_ASSERT_EQUAL(hlo_identity(a, b), SP_UNPROVEN)

/* ---- comparators of two (value, position) pairs ---- */

#define PAIRS                                                                  \
  "  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"                       \
  "  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n"
#define COMPARE(direction)                                                     \
  "cmp {\n" PAIRS "  ROOT c = pred[] compare(a, b), direction=" direction      \
  ", type=TOTALORDER\n}\n"
#define BY_BITS(direction, all)                                                \
  "cmp {\n" PAIRS "  z = s32[] constant(0)\n  m = s32[] constant(" all ")\n"   \
  "  p = s32[] bitcast-convert(a)\n  q = s32[] bitcast-convert(b)\n"           \
  "  u = pred[] compare(p, z), direction=LT\n"                                 \
  "  v = pred[] compare(q, z), direction=LT\n"                                 \
  "  r = s32[] xor(m, p)\n  s = s32[] xor(m, q)\n"                             \
  "  k = s32[] select(u, r, p)\n  l = s32[] select(v, s, q)\n"                 \
  "  ROOT c = pred[] compare(k, l), direction=" direction "\n}\n"
#define MAX "2147483647"

#define ENTRY(body)                                                            \
  "ENTRY e {\n  x = f32[3,6] parameter(0)\n" body                              \
  "  ROOT t = (f32[3,2], s32[3,2]) tuple(v, p)\n}\n"
#define SORT(stable, dimension)                                                \
  ENTRY("  n = s32[3,6] iota(), iota_dimension=" dimension "\n"                \
        "  s = (f32[3,6], s32[3,6]) sort(x, n), dimensions={1}, "              \
        "to_apply=cmp" stable "\n"                                             \
        "  w = f32[3,6] get-tuple-element(s), index=0\n"                       \
        "  q = s32[3,6] get-tuple-element(s), index=1\n"                       \
        "  v = f32[3,2] slice(w), slice={[0:3], [0:2]}\n"                      \
        "  p = s32[3,2] slice(q), slice={[0:3], [0:2]}\n")
#define TAKE(from)                                                             \
  ENTRY(from "  v = f32[3,2] get-tuple-element(s), index=0\n"                  \
             "  p = s32[3,2] get-tuple-element(s), index=1\n")
#define TOPK(how)                                                              \
  "HloModule m\n" TAKE("  s = (f32[3,2], s32[3,2]) topk(x), k=2" how "\n")
#define CALL(more)                                                             \
  TAKE("  s = (f32[3,2], s32[3,2]) custom-call(x), "                           \
       "custom_call_target=\"TopK\"" more "\n")
#define CALLED ", called_computations={cmp}"
#define STABLE ", is_stable=true"

static const char sorted[] = "HloModule m\n" COMPARE("GT") SORT(STABLE, "1");

static void total_orders_are_orders_of_bits(void) {
  REFINES(sorted, "HloModule m\n" BY_BITS("GT", MAX) SORT(STABLE, "1"));
  DIFFERS(sorted, "HloModule m\n" BY_BITS("LT", MAX) SORT(STABLE, "1"));
  CU_ASSERT_NOT_EQUAL(hlo_identity(sorted, "HloModule m\n" BY_BITS("GT", "0")
                                               SORT(STABLE, "1")),
                      SP_REFINES);
  CU_ASSERT_NOT_EQUAL(hlo_identity(sorted,
                                   "HloModule m\n" BY_BITS("GT", "2147483646")
                                       SORT(STABLE, "1")),
                      SP_REFINES);
}

static void topk_is_the_beginning_of_a_sort(void) {
  REFINES(TOPK(", largest=true" STABLE), sorted);
  REFINES(sorted, TOPK(", largest=true" STABLE));
  REFINES(TOPK(", largest=false" STABLE),
          "HloModule m\n" COMPARE("LT") SORT(STABLE, "1"));
  DIFFERS(TOPK(", largest=false" STABLE), sorted);
  /* of positions along another dimension; ties in any order */
  DIFFERS(TOPK(", largest=true" STABLE),
          "HloModule m\n" COMPARE("GT") SORT(STABLE, "0"));
  NOT_PROVED(TOPK(", largest=true" STABLE),
             "HloModule m\n" COMPARE("GT") SORT("", "1"));
}

static void the_call_is_topk_by_its_comparator(void) {
  REFINES(TOPK(", largest=true" STABLE),
          "HloModule m\n" BY_BITS("GT", MAX)
              CALL(CALLED ", backend_config={is_stable = true}"));
  REFINES(TOPK(", largest=true"), "HloModule m\n" COMPARE("GT") CALL(CALLED));
  NOT_PROVED(TOPK(", largest=true" STABLE),
             "HloModule m\n" COMPARE("GT") CALL(CALLED));
  NOT_PROVED(TOPK(", largest=true"),
             "HloModule m\n" COMPARE("LT") CALL(CALLED));
  NOT_PROVED(TOPK(", largest=true"), "HloModule m\n" CALL(""));
}

/* ---- bits ---- */

#define ONE(line)                                                              \
  "HloModule m\nENTRY e {\n  x = f32[4]{0} parameter(0)\n" line "}\n"

static void bits_are_not_the_value(void) {
  const char bits[] = ONE("  ROOT r = s32[4]{0} bitcast-convert(x)\n");
  REFINES(bits, ONE("  ROOT r = s32[4]{0} bitcast(x)\n"));
  DIFFERS(bits, ONE("  ROOT r = s32[4]{0} convert(x)\n"));
  DIFFERS(bits, ONE("  y = f32[4]{0} negate(x)\n"
                    "  ROOT r = s32[4]{0} bitcast-convert(y)\n"));
}

void suite_order(void) {
  CU_pSuite s = CU_add_suite("order", NULL, NULL);
#define TEST(f) CU_add_test(s, #f, f)
  TEST(total_orders_are_orders_of_bits);
  TEST(topk_is_the_beginning_of_a_sort);
  TEST(the_call_is_topk_by_its_comparator);
  TEST(bits_are_not_the_value);
}
