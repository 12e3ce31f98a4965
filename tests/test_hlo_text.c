/* test_hlo_text.c: the text reader. What a text must become, then what must be
 * refused and where, then hostile sizes, then the large set of dumps. */
#include "graph/hlo.h"
#include "graph/hlo_literal.h"
#include "graph/hlo_module.h"
#include "tests/suites.h"
#include "tests/support_dumps.h"
#include "tests/support_hlo.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_hlo_text(void);

/* --- dialects ------------------------------------------------------------ */

static void names_may_have_a_percent_sign_or_not(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read(
      ctx, "HloModule m.1, entry_computation_layout={(f32[2]{0})->f32[2]{0}}, "
           "num_partitions=4\n\n"
           "%main.1_spmd (p.1: f32[2]) -> f32[2] {\n"
           "  %p.1 = f32[2]{0} parameter(0)\n"
           "  ROOT %n.1 = f32[2]{0} negate(%p.1)\n}\n\n"
           "ENTRY %main.2 (p: f32[2]) -> f32[2]{0:T(8,128)} {\n"
           "  %p = f32[2]{0} parameter(0)\n"
           "  ROOT %c = f32[2]{0} call(%p), to_apply=%main.1_spmd\n}\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  CU_ASSERT_EQUAL(p->partitions, 4);
  CU_ASSERT_STRING_EQUAL(p->name, "m.1");
  hlo_expect_nodes(p, "negate(p)");
  const sp_program *q =
      hlo_read(ctx, "HloModule m\n\nmain.1_spmd {\n"
                    "  p.1 = f32[2]{0} parameter(0)\n"
                    "  ROOT n.1 = f32[2]{0} negate(p.1)\n} // main.1_spmd\n\n"
                    "ENTRY main.2 {\n  p = f32[2]{0} parameter(0)\n"
                    "  ROOT c = f32[2]{0} call(p), to_apply=main.1_spmd\n"
                    "} // main.2\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(q);
  CU_ASSERT_EQUAL(q->partitions, 1);
  hlo_expect_nodes(q, "negate(p)");
  CU_ASSERT_STRING_EQUAL(q->tensors[1].name, "c/n.1");
  sp_ctx_free(ctx);
}

static void operands_may_repeat_their_types(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read_body(
      ctx, "  a = f32[2]{0} parameter(0)\n"
           "  t = (f32[2]{0}, f32[2]{0}) tuple(f32[2]{0} a, f32[2] a)\n"
           "  g = f32[2] get-tuple-element((f32[2]{0}, f32[2]{0}) %t), "
           "index=1\n"
           "  ROOT s = f32[2]{0} add(f32[2]{0} %g, f32[2]{0} a)\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  hlo_expect_nodes(p, "add(a,a)");
  sp_ctx_free(ctx);
}

static void a_reference_may_name_a_tuple_element(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read_body(
      ctx,
      "  t = (f32[2], /*index=1*/(f32[3], f32[4])) parameter(0)\n"
      "  a = f32[3] negate(%t#1#0)\n  b = f32[4] negate(t#1#1)\n"
      "  u = (f32[3], f32[4]) get-tuple-element(t), index=1\n"
      "  v = f32[4] get-tuple-element(%t#1), index=1\n"
      "  ROOT r = (f32[3], f32[4], f32[2], f32[4], f32[4]) tuple(a, b, t#0, "
      "u#1, /*index=4*/v)\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  hlo_expect_nodes(p, "negate(t#1) negate(t#2)");
  CU_ASSERT_EQUAL(p->n_params, 3);
  CU_ASSERT_EQUAL_FATAL(p->n_results, 5);
  CU_ASSERT_STRING_EQUAL(p->tensors[p->results[2]].name, "t#0");
  CU_ASSERT_EQUAL(p->results[3], p->results[4]);
  sp_ctx_free(ctx);
}

static void positions_come_from_metadata_or_from_the_tables(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read(
      ctx,
      "HloModule m\n\nFileNames\n1 \"a.py\"\n2 \"b \\\"c\\\".py\"\n\n"
      "FunctionNames\n1 \"f\"\n\nFileLocations\n"
      "1 {file_name_id=1 function_name_id=1 line=10 end_line=10 column=2 "
      "end_column=3}\n2 {file_name_id=2 function_name_id=1 line=20}\n\n"
      "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n"
      "2 {file_location_id=2 parent_frame_id=1}\n\n\nENTRY e {\n"
      "  p = f32[] parameter(0), metadata={op_name=\"x/y\" stack_frame_id=2}\n"
      "  q = f32[] negate(p), metadata={op_type=\"neg\" "
      "source_file=\"d.py\\n----\\nframes\" source_line=7 preserve_layout=true "
      "profile_type={1} deduplicated_name=\"z\"}\n"
      "  ROOT r = f32[] negate(q), metadata={stack_frame_id=99}\n}\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  CU_ASSERT_STRING_EQUAL(p->nodes[0].pos.source_file, "b \"c\".py");
  CU_ASSERT_EQUAL(p->nodes[0].pos.source_line, 20);
  CU_ASSERT_STRING_EQUAL(p->nodes[0].pos.op_name, "x/y");
  CU_ASSERT_EQUAL(p->nodes[0].pos.dump.line, 20);
  CU_ASSERT_EQUAL(p->nodes[0].pos.dump.column, 3);
  CU_ASSERT_STRING_EQUAL(p->nodes[1].pos.source_file, "d.py");
  CU_ASSERT_EQUAL(p->nodes[1].pos.source_line, 7);
  CU_ASSERT_PTR_NULL(p->nodes[2].pos.source_file);
  sp_ctx_free(ctx);
}

/* --- literals ------------------------------------------------------------ */

static const sp_literal *literal(sp_ctx *ctx, const char *type,
                                 const char *text) {
  char body[1024];
  snprintf(body, sizeof body, "  ROOT c = %s constant(%s)\n", type, text);
  const sp_program *p = hlo_read_body(ctx, body);
  const sp_attr *a = p ? hlo_attr(p, "c", "literal") : NULL;
  return a ? a->u.literal : NULL;
}

static void floats_are_the_nearest_of_their_type(void) {
  static const struct {
    const char *type, *text;
    double want;
  } rows[] = {
      {"f32[]", "0.1", (double)0.1f},
      {"f64[]", "0.1", 0.1},
      {"bf16[]", "0.1", 0x1.9ap-4},
      {"f16[]", "0.1", 0x1.998p-4},
      {"f16[]", "65504", 65504.0},
      {"f16[]", "5.96e-08", 0x1p-24},
      {"f8e4m3fn[]", "0.1", 0.1015625},
      {"f8e4m3fn[]", "448", 448.0},
      {"f8e5m2[]", "0.1", 0.09375},
      {"f4e2m1fn[]", "2.4", 2.0},
      {"f32[]", "-inf", -(double)INFINITY},
      {"f32[]", "1e-45", 0x1p-149},
      {"f32[]", "-0", -0.0},
      {"f32[]", "3", 3.0},
      {"f8e8m0fnu[]", "0.25", 0.25},
      {"bf16[]", "inf", (double)INFINITY},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    const sp_literal *lit = literal(ctx, rows[i].type, rows[i].text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(lit);
    CU_ASSERT_PTR_NULL(lit->i);
    CU_ASSERT_EQUAL(lit->f[0], rows[i].want);
    CU_ASSERT_EQUAL(signbit(lit->f[0]) != 0, signbit(rows[i].want) != 0);
    sp_ctx_free(ctx);
  }
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_TRUE(isnan(literal(ctx, "f32[]", "nan")->f[0]));
  CU_ASSERT_TRUE(isnan(literal(ctx, "bf16[]", "-nan(0x7f)")->f[0]));
  CU_ASSERT_EQUAL(hlo_round_to(SP_F16, 65520.0), (double)INFINITY);
  CU_ASSERT_EQUAL(hlo_round_to(SP_BF16, 1.00390625), 1.0); /* tie to even */
  sp_ctx_free(ctx);
}

static void arrays_are_row_major_and_constant_ones_are_splats(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_literal *a = literal(
      ctx, "s32[2,3]", "{ { 1, 2, 3 }, /*i0=1*/ {\n -4, 5, 2147483647 } }");
  CU_ASSERT_PTR_NOT_NULL_FATAL(a);
  static const int64_t want[] = {1, 2, 3, -4, 5, 2147483647};
  CU_ASSERT_FALSE(a->splat);
  CU_ASSERT_EQUAL(memcmp(a->i, want, sizeof want), 0);
  const sp_literal *b = literal(ctx, "pred[2,2]", "{{true,true},{true,1}}");
  CU_ASSERT_PTR_NOT_NULL_FATAL(b);
  CU_ASSERT_TRUE(b->splat);
  CU_ASSERT_EQUAL(b->i[0], 1);
  const sp_program *c =
      hlo_read_body(ctx, "  ROOT c = c64[2] constant({(1, -2), (0.5, inf)})\n");
  const sp_attr *re = c ? hlo_attr(c, "c~1", "literal") : NULL;
  const sp_attr *im = c ? hlo_attr(c, "c~2", "literal") : NULL;
  CU_ASSERT_FATAL(re && im);
  CU_ASSERT_EQUAL(re->u.literal->f[1], 0.5);
  CU_ASSERT_EQUAL(im->u.literal->f[0], -2.0);
  CU_ASSERT_EQUAL(im->u.literal->f[1], (double)INFINITY);
  CU_ASSERT_PTR_NOT_NULL(literal(ctx, "f32[0]", "{}"));
  CU_ASSERT_PTR_NOT_NULL(literal(ctx, "f32[2,0]", "{ {}, {} }"));
  CU_ASSERT_EQUAL(literal(ctx, "u64[]", "18446744073709551615")->i[0], -1);
  CU_ASSERT_EQUAL(literal(ctx, "s64[]", "-9223372036854775808")->i[0],
                  INT64_MIN);
  CU_ASSERT_EQUAL(literal(ctx, "s8[]", "-128")->i[0], -128);
  sp_ctx_free(ctx);
}

static void an_elided_constant_has_no_value(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p =
      hlo_read_body(ctx, "  ROOT c = f32[32]{0} constant({...})\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  CU_ASSERT_PTR_NULL(hlo_attr(p, "c", "literal"));
  CU_ASSERT_PTR_NOT_NULL(hlo_attr(p, "c", "elided"));
  sp_ctx_free(ctx);
}

/* --- attributes ---------------------------------------------------------- */

static void windows_paddings_slices_and_labels(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read_body(
      ctx, "  x = f32[2,16,8,4]{3,2,1,0} parameter(0)\n"
           "  k = f32[3,3,4,4] parameter(1)\n  z = f32[] constant(0)\n"
           "  c = f32[2,16,4,4] convolution(x, k), window={size=3x3 stride=1x2 "
           "pad=1_1x-1_2 rhs_dilate=1x2 rhs_reversal=0x1}, "
           "dim_labels=b01f_01io->bf01, feature_group_count=2\n"
           "  q = f32[2,18,8,4] pad(x, z), padding=0_0x1_1x0_0x-1_2_3\n"
           "  ROOT s = f32[1,8,8,4] slice(x), slice={[0:1], [1:16:2], [0:8], "
           "[0:4]}\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  const sp_attr *w = hlo_attr(p, "c", "window");
  CU_ASSERT_PTR_NOT_NULL_FATAL(w);
  CU_ASSERT_EQUAL_FATAL(w->n, 2);
  CU_ASSERT_EQUAL(w->u.window[0].size, 3);
  CU_ASSERT_EQUAL(w->u.window[0].base_dilation, 1);
  CU_ASSERT_EQUAL(w->u.window[1].stride, 2);
  CU_ASSERT_EQUAL(w->u.window[1].pad_low, -1);
  CU_ASSERT_EQUAL(w->u.window[1].pad_high, 2);
  CU_ASSERT_EQUAL(w->u.window[1].window_dilation, 2);
  CU_ASSERT_TRUE(w->u.window[1].reversal && !w->u.window[0].reversal);
  CU_ASSERT_TRUE(
      hlo_ints_are(hlo_attr(p, "c", "conv_input"), 4, (int64_t[]){0, 3, 1, 2}));
  CU_ASSERT_TRUE(hlo_ints_are(hlo_attr(p, "c", "conv_kernel"), 4,
                              (int64_t[]){2, 3, 0, 1}));
  CU_ASSERT_TRUE(hlo_ints_are(hlo_attr(p, "c", "conv_output"), 4,
                              (int64_t[]){0, 1, 2, 3}));
  CU_ASSERT_EQUAL(hlo_attr(p, "c", "feature_group_count")->u.i, 2);
  CU_ASSERT_TRUE(
      hlo_ints_are(hlo_attr(p, "q", "padding"), 12,
                   (int64_t[]){0, 0, 0, 1, 1, 0, 0, 0, 0, -1, 2, 3}));
  CU_ASSERT_TRUE(hlo_ints_are(hlo_attr(p, "s", "slice_starts"), 4,
                              (int64_t[]){0, 1, 0, 0}));
  CU_ASSERT_TRUE(hlo_ints_are(hlo_attr(p, "s", "slice_strides"), 4,
                              (int64_t[]){1, 2, 1, 1}));
  sp_ctx_free(ctx);
}

static void both_dialects_of_a_total_order_are_one(void) {
  static const char *const spellings[] = {"order=TOTAL", "type=TOTALORDER"};
  for (size_t i = 0; i < 2; i++) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    char body[512];
    snprintf(body, sizeof body,
             "  a = f32[] parameter(0)\n  ROOT c = pred[] compare(a, a), "
             "direction=LT, %s\n  d = pred[] compare(a, a), direction=EQ, "
             "type=FLOAT\n",
             spellings[i]);
    const sp_program *p = hlo_read_body(ctx, body);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    CU_ASSERT_STRING_EQUAL(hlo_attr(p, "c", "compare_type")->u.text,
                           "TOTALORDER");
    CU_ASSERT_STRING_EQUAL(hlo_attr(p, "d", "compare_type")->u.text, "FLOAT");
    CU_ASSERT_PTR_NULL(hlo_attr(p, "d", "type"));
    sp_ctx_free(ctx);
  }
}

static void unknown_attributes_are_kept_as_text(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read_body(
      ctx, "  a = f32[2]{0} parameter(0), frontend_attributes={x=\"},\"}\n"
           "  b = f32[2] negate(a), novelty={1, (2)}, result_accuracy=high, "
           "backend_config={\"a\":[1,\"}\"]}\n"
           "  ROOT c = f32[2] custom-call(a), custom_call_target=\"T\\\"x\", "
           "api_version=API_VERSION_TYPED_FFI, backend_config={k = 3 : i64}\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  CU_ASSERT_STRING_EQUAL(hlo_attr(p, "b", "novelty")->u.text, "{1, (2)}");
  CU_ASSERT_STRING_EQUAL(hlo_attr(p, "b", "result_accuracy")->u.text, "high");
  CU_ASSERT_PTR_NULL(hlo_attr(p, "b", "backend_config"));
  CU_ASSERT_EQUAL(hlo_node(p, "a")->n_attrs, 1);
  CU_ASSERT_STRING_EQUAL(hlo_attr(p, "c", "custom_call_target")->u.text,
                         "T\"x");
  CU_ASSERT_STRING_EQUAL(hlo_attr(p, "c", "backend_config")->u.text,
                         "{k = 3 : i64}");
  CU_ASSERT_PTR_NULL(hlo_attr(p, "c", "api_version"));
  sp_ctx_free(ctx);
}

static void attributes_with_a_default_are_always_there(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read_body(
      ctx, "  a = f32[2,2]{1,0} parameter(0)\n"
           "  ROOT d = f32[] dot(a, a), "
           "lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}, "
           "operand_precision={highest,default}\n"
           "  e = s32[4] iota()\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  CU_ASSERT_TRUE(hlo_ints_are(hlo_attr(p, "d", "lhs_batch_dims"), 0, NULL));
  CU_ASSERT_STRING_EQUAL(hlo_attr(p, "d", "operand_precision")->u.text,
                         "highest,default");
  CU_ASSERT_EQUAL(hlo_attr(p, "e", "iota_dimension")->u.i, 0);
  sp_ctx_free(ctx);
}

/* --- refused ------------------------------------------------------------- */

static void errors_say_line_and_column(void) {
  hlo_expect_body_error("  a = f32[2] parameter(0)\n  b = f99[2] negate(a)", 4,
                        7, "a type was expected, not \"f99\"");
  hlo_expect_body_error("  b = f32[2] negate(a)", 3, 21,
                        "a is not defined above");
  hlo_expect_body_error("  b = f32[2 negate(a)", 3, 13, "',' was expected");
  hlo_expect_body_error("  b  f32[2] negate(a)", 3, 6, "'=' was expected");
  hlo_expect_body_error("  a = f32[<=2] parameter(0)", 3, 11, "not known");
  hlo_expect_body_error("  a = f32[] parameter(0)\n  a = f32[] negate(a)", 4, 3,
                        "a is defined twice");
  hlo_expect_body_error("  ROOT a = f32[] parameter(0)\n  ROOT b = f32[] "
                        "negate(a)",
                        4, 3, "second ROOT");
  hlo_expect_body_error("  a = f32[] parameter(0), index=1", 3, 27,
                        "index is given twice");
  hlo_expect_body_error("  a = f32[] parameter(1)", 3, 3, "parameter number 1");
  hlo_expect_body_error("  a = f32[] parameter(0)\n  b = f32[] copy(a), "
                        "to_apply=none",
                        4, 31, "there is no computation none");
  hlo_expect_body_error("  a = (f32[]) parameter(0)\n  b = f32[] "
                        "get-tuple-element(a), index=1",
                        4, 3, "has no element 1");
  hlo_expect_body_error("  a = f32[3] parameter(0)\n  t = (f32[2]) tuple(a)", 4,
                        3, "f32[3] but is declared as f32[2]");
  hlo_expect_body_error("  a = f32[2] parameter(0)\n  b = (f32[1], s32[1]) "
                        "topk(a), k=1",
                        4, 3, "largest is missing");
  hlo_expect_body_error("", 2, 7, "the computation e is empty");
  hlo_expect_error("hello", 5, 1, 1, "not an HLO module");
  hlo_expect_error("HloModule m\n", 12, 2, 1, "no ENTRY");
  hlo_expect_error("HloModule m, num_partitions=0\n", 30, 1, 29,
                   "not 1 to 65536");
  hlo_expect_error("HloModule m, num_partitions=65537\n", 34, 1, 29,
                   "not 1 to 65536");
}

static void literals_out_of_range_are_refused(void) {
  hlo_expect_body_error("  a = s8[] constant(128)", 3, 21,
                        "out of range for s8");
  hlo_expect_body_error("  a = u8[] constant(-1)", 3, 22,
                        "out of range for u8");
  hlo_expect_body_error("  a = u64[] constant(18446744073709551616)", 3, 22,
                        "64 bits");
  hlo_expect_body_error("  a = f32[] constant(1e39)", 3, 22, "out of range");
  hlo_expect_body_error("  a = f16[] constant(65520)", 3, 22, "out of range");
  hlo_expect_body_error("  a = f32[] constant(1.2.3)", 3, 22, "not a number");
  hlo_expect_body_error("  a = s32[2] constant({1, 2, 3})", 3, 28, "'}'");
  hlo_expect_body_error("  a = s32[2] constant({1})", 3, 25, "only 1 elements");
  hlo_expect_body_error("  a = s32[2,1] constant({1, 2})", 3, 26, "'{'");
  hlo_expect_body_error("  a = s32[] constant({1})", 3, 22, "a number");
  hlo_expect_body_error("  a = pred[] constant(maybe)", 3, 23, "true or false");
  hlo_expect_body_error("  a = s32[1099511627775] constant({1})", 3, 35,
                        "fewer values");
  hlo_expect_body_error("  a = (s32[]) constant((1))", 3, 24, "tuple");
}

/* --- hostile ------------------------------------------------------------- */

static void shapes_of_2_to_the_40_elements_are_refused(void) {
  hlo_expect_body_error("  a = f32[1099511627776] parameter(0)", 3, 7,
                        "too large");
  hlo_expect_body_error("  a = f32[1048576,1048576] parameter(0)", 3, 7,
                        "too large");
  hlo_expect_body_error("  a = f32[0,1048576,1048576] parameter(0)", 3, 7,
                        "too large");
  hlo_expect_body_error("  a = f32[99999999999999999999] parameter(0)", 3, 11,
                        "64 bits");
  hlo_expect_body_error("  a = f32[-1] parameter(0)", 3, 7, "too large");
  char many[400] = "  a = f32[1";
  for (int i = 0; i < 64; i++) {
    strcat(many, ",1");
  }
  strcat(many, "] parameter(0)");
  hlo_expect_body_error(many, 3, 0, "more than 64 dimensions");
}

static void deep_brackets_are_refused(void) {
  enum { DEEP = 100000 };
  char *text = malloc(2 * DEEP + 200);
  strcpy(text, "HloModule m\nENTRY e {\n  a = ");
  size_t n = strlen(text);
  memset(text + n, '(', DEEP);
  text[n + DEEP] = '\0';
  hlo_expect_error(text, n + DEEP, 3, 0, "tuples nest deeper");
  strcpy(text + n, "f32[] parameter(0), sharding=");
  n = strlen(text);
  memset(text + n, '{', DEEP);
  hlo_expect_error(text, n + DEEP, 3, 0, "bracket is not closed");
  free(text);
}

static const char sample[] =
    "HloModule s, num_partitions=4\n\nFileNames\n1 \"a.py\"\n\n"
    "FileLocations\n1 {file_name_id=1 line=3}\n\nStackFrames\n"
    "1 {file_location_id=1 parent_frame_id=1}\n\n"
    "%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n"
    "  %b = f32[] parameter(1)\n  ROOT %s = f32[] add(%a, %b)\n}\n\n"
    "ENTRY %e (x: f32[2,3], y: (f32[2], s32[])) -> f32[2] {\n"
    "  %x = f32[2,3]{1,0} parameter(0), sharding={mesh['x'=2,'y'=2], "
    "[{'x':(1)2}, {}]}, metadata={op_name=\"x\" stack_frame_id=1}\n"
    "  %y = (f32[2]{0}, s32[]) parameter(1), sharding={{devices=[4]<=[2,2]"
    "T(1,0)}, {replicated}}\n"
    "  %c = f32[2,2]{1,0} constant({ {1, -inf}, {nan, 2.5e-3} })\n"
    "  %w = f32[2,2] slice(%x), slice={[0:2], [0:3:2]}\n"
    "  %d = f32[2,2] dot(%c, %w), lhs_contracting_dims={1}, "
    "rhs_contracting_dims={0}\n  %z = f32[] constant(0)\n"
    "  %r = f32[2] reduce(%d, %z), dimensions={1}, to_apply=%add\n"
    "  ROOT %q = f32[2] all-reduce(%r), channel_id=1, "
    "replica_groups=[2,2]<=[4], use_global_device_ids=true, to_apply=%add\n"
    "}\n";

static void a_text_cut_anywhere_is_an_error_or_a_program(void) {
  size_t whole = strlen(sample);
  for (size_t n = 0; n <= whole; n++) {
    /* Exactly n bytes on the heap, so that reading past them shows. */
    char *cut = malloc(n + !n);
    memcpy(cut, sample, n);
    sp_ctx *ctx = sp_ctx_new(NULL);
    hlo_job j = {cut, n, NULL};
    sp_code code = sp_protect(ctx, hlo_job_run, &j);
    CU_ASSERT_TRUE(code == SP_ERR_INPUT || (code == SP_OK && n + 1 >= whole));
    sp_ctx_free(ctx);
    free(cut);
  }
}

static void a_text_with_one_wrong_byte_is_an_error_or_a_program(void) {
  static const char bytes[] = {'\0', '{', '}', '(', '"', '9', '-', '\n', '%'};
  size_t whole = strlen(sample);
  char *text = malloc(whole);
  for (size_t i = 0; i < whole; i++) {
    memcpy(text, sample, whole);
    text[i] = bytes[i % sizeof bytes];
    sp_ctx *ctx = sp_ctx_new(NULL);
    hlo_job j = {text, whole, NULL};
    sp_code code = sp_protect(ctx, hlo_job_run, &j);
    CU_ASSERT_TRUE(code == SP_OK || code == SP_ERR_INPUT ||
                   code == SP_ERR_UNKNOWN);
    sp_ctx_free(ctx);
  }
  free(text);
}

/* --- the large set ------------------------------------------------------- */

typedef struct counted {
  hlo_job job;
  uint32_t instrs;
} counted;

static void count_run(sp_ctx *ctx, void *arg) {
  counted *c = arg;
  const hlo_module *m = sp_hlo_parse_text(ctx, "t.hlo", c->job.text, c->job.n);
  for (uint32_t i = 0; i < m->n_computations; i++) {
    c->instrs += m->computations[i].n_instrs;
  }
  c->job.program = sp_hlo_lower(ctx, m);
}

/* "instructions_before: 12" of the expect.yaml beside a dump, or -1. */
static long expected_count(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *key =
      strcmp(slash, "/before.hlo.txt") == 0  ? "instructions_before: "
      : strcmp(slash, "/after.hlo.txt") == 0 ? "instructions_after: "
                                             : NULL;
  char yaml[4096];
  int dir = (int)(slash - path);
  size_t n;
  if (!key || snprintf(yaml, sizeof yaml, "%.*s/expect.yaml", dir, path) < 0) {
    return -1;
  }
  char *text = (char *)file_bytes(yaml, &n);
  char *at = text ? strstr(text, key) : NULL;
  long count = at ? strtol(at + strlen(key), NULL, 10) : -1;
  free(text);
  return count;
}

static void every_dump_of_the_large_set_is_read(void) {
  dump_list dumps = dump_list_find(".hlo.txt");
  for (size_t i = 0; i < dumps.n; i++) {
    counted c = {0};
    c.job.text = (char *)file_bytes(dumps.paths[i], &c.job.n);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c.job.text);
    sp_ctx *ctx = sp_ctx_new(NULL);
    sp_code code = sp_protect(ctx, count_run, &c);
    long want = expected_count(dumps.paths[i]);
    if (code != SP_OK || (want >= 0 && want != (long)c.instrs)) {
      printf("\n%s: %u of %ld instructions, %s\n", dumps.paths[i], c.instrs,
             want, code ? sp_ctx_error(ctx)->message : "");
      CU_FAIL("a dump is not read");
    }
    sp_ctx_free(ctx);
    free((char *)(uintptr_t)c.job.text);
  }
  dump_list_free(&dumps);
}

void suite_hlo_text(void) {
  CU_pSuite s = CU_add_suite("hlo_text", NULL, NULL);
  CU_ADD_TEST(s, names_may_have_a_percent_sign_or_not);
  CU_ADD_TEST(s, operands_may_repeat_their_types);
  CU_ADD_TEST(s, a_reference_may_name_a_tuple_element);
  CU_ADD_TEST(s, positions_come_from_metadata_or_from_the_tables);
  CU_ADD_TEST(s, floats_are_the_nearest_of_their_type);
  CU_ADD_TEST(s, arrays_are_row_major_and_constant_ones_are_splats);
  CU_ADD_TEST(s, an_elided_constant_has_no_value);
  CU_ADD_TEST(s, windows_paddings_slices_and_labels);
  CU_ADD_TEST(s, both_dialects_of_a_total_order_are_one);
  CU_ADD_TEST(s, unknown_attributes_are_kept_as_text);
  CU_ADD_TEST(s, attributes_with_a_default_are_always_there);
  CU_ADD_TEST(s, errors_say_line_and_column);
  CU_ADD_TEST(s, literals_out_of_range_are_refused);
  CU_ADD_TEST(s, shapes_of_2_to_the_40_elements_are_refused);
  CU_ADD_TEST(s, deep_brackets_are_refused);
  CU_ADD_TEST(s, a_text_cut_anywhere_is_an_error_or_a_program);
  CU_ADD_TEST(s, a_text_with_one_wrong_byte_is_an_error_or_a_program);
  CU_ADD_TEST(s, every_dump_of_the_large_set_is_read);
}
