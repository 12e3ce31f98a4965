/* test_hlo_lower.c: from a module to a program: inlining, tuples, regions,
 * asynchronous pairs, device numbers; cycles and explosions are refused. */
#include "tests/suites.h"
#include "tests/support_hlo.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_hlo_lower(void);

#define ADD                                                                    \
  "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"                \
  "  ROOT s = f32[] add(a, b)\n}\n"

static void calls_and_fusions_are_inlined(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read(
      ctx, "HloModule m\n"
           "f {\n  b = f32[2] parameter(1)\n  a = f32[2] parameter(0)\n"
           "  n = f32[2] negate(b)\n"
           "  ROOT t = (f32[2], f32[2]) tuple(n, a)\n}\n"
           "ENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[2] parameter(1)\n"
           "  c = (f32[2], f32[2]) call(x, y), to_apply=f\n"
           "  o = (f32[2], f32[2]) opt-barrier(c)\n"
           "  u = (f32[2], f32[2]) fusion(o#0, o#1), kind=kLoop, calls=f\n"
           "  ROOT s = f32[2] add(u#0, u#1)\n}\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  hlo_expect_nodes(p, "negate(y) negate(x) add(u/n,c/n)");
  sp_ctx_free(ctx);
}

static void reducers_become_one_region_each(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read(
      ctx, "HloModule m, num_partitions=2\n" ADD
           "ENTRY e {\n  x = f32[2,3] parameter(0)\n  z = f32[] constant(0)\n"
           "  r = f32[2] reduce(x, z), dimensions={1}, to_apply=add\n"
           "  ROOT q = f32[2] all-reduce(r), channel_id=1, "
           "replica_groups={{0,1}}, use_global_device_ids=true, "
           "to_apply=add\n}\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  const sp_program *add = hlo_attr(p, "r", "to_apply")->u.region;
  CU_ASSERT_PTR_EQUAL(add, hlo_attr(p, "q", "to_apply")->u.region);
  CU_ASSERT_EQUAL(add->n_params, 2);
  CU_ASSERT_EQUAL(add->n_results, 1);
  CU_ASSERT_EQUAL(add->partitions, 2);
  hlo_expect_nodes(add, "add(a,b)");
  sp_ctx_free(ctx);
}

static void nodes_with_several_results_number_them(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read_body(
      ctx, "  x = f32[4,16] parameter(0)\n"
           "  t = (f32[4,3]{1,0}, s32[4,3]) topk(x), k=3, "
           "largest=true, is_stable=true, sharding={{replicated}, "
           "{manual}}\n"
           "  ROOT i = s32[4,3] negate(t#1)\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  const sp_node *t = hlo_node(p, "t");
  CU_ASSERT_EQUAL_FATAL(t->n_out, 2);
  CU_ASSERT_STRING_EQUAL(p->tensors[t->out].name, "t#0");
  CU_ASSERT_EQUAL(p->tensors[t->out].sharding->kind, SP_SHARDING_REPLICATED);
  CU_ASSERT_EQUAL(p->tensors[t->out + 1].sharding->kind, SP_SHARDING_MANUAL);
  hlo_expect_nodes(p, "topk(x) negate(t#1)");
  sp_ctx_free(ctx);
}

static void a_loop_has_regions_over_its_leaves(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read(
      ctx, "HloModule m\n"
           "c {\n  t = (s32[], f32[2]) parameter(0)\n  l = s32[] constant(3)\n"
           "  ROOT b = pred[] compare(t#0, l), direction=LT\n}\n"
           "b {\n  t = (s32[], f32[2]) parameter(0)\n  o = s32[] constant(1)\n"
           "  i = s32[] add(t#0, o)\n  v = f32[2] negate(t#1)\n"
           "  ROOT r = (s32[], f32[2]) tuple(i, v)\n}\n"
           "ENTRY e {\n  x = f32[2] parameter(0)\n  z = s32[] constant(0)\n"
           "  t = (s32[], f32[2]) tuple(z, x)\n"
           "  w = (s32[], f32[2]) while(t), condition=c, body=b\n"
           "  ROOT y = f32[2] get-tuple-element(w), index=1\n}\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  hlo_expect_nodes(p, "constant() while(z,x)");
  CU_ASSERT_STRING_EQUAL(p->tensors[p->results[0]].name, "w#1");
  CU_ASSERT_EQUAL(hlo_attr(p, "w", "body")->u.region->n_results, 2);
  CU_ASSERT_EQUAL(hlo_attr(p, "w", "condition")->u.region->n_params, 2);
  CU_ASSERT_PTR_NULL(hlo_attr(p, "w", "has_collectives"));
  sp_ctx_free(ctx);
}

static void a_predicate_puts_the_false_branch_first(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read(
      ctx, "HloModule m\n"
           "yes {\n  a = f32[] parameter(0)\n  ROOT r = f32[] negate(a)\n}\n"
           "no {\n  a = f32[] parameter(0)\n  ROOT r = f32[] abs(a)\n}\n"
           "ENTRY e {\n  p = pred[] parameter(0)\n  i = s32[] parameter(1)\n"
           "  x = f32[] parameter(2)\n"
           "  c = f32[] conditional(p, x, x), false_computation=no, "
           "true_computation=yes\n"
           "  ROOT d = f32[] conditional(i, x, c), "
           "branch_computations={yes, no}\n}\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  hlo_expect_nodes(p,
                   "abs(x) negate(x) conditional(p,c/branch0/r,c/branch1/r) "
                   "negate(x) abs(c) conditional(i,d/branch0/r,d/branch1/r)");
  CU_ASSERT_EQUAL(hlo_attr(p, "d", "n_branches")->u.i, 2);
  sp_ctx_free(ctx);
}

static void asynchronous_pairs_are_plain_operators(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read(
      ctx,
      "HloModule m, num_partitions=2\n" ADD
      "w {\n  a = f32[2] parameter(0)\n  ROOT n = f32[2] negate(a)\n}\n"
      "ENTRY e {\n  x = f32[2] parameter(0)\n"
      "  s = f32[2] all-reduce-start(x), channel_id=1, "
      "replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add\n"
      "  d = f32[2] all-reduce-done(s)\n"
      "  gs = (f32[2], f32[4]) all-gather-start(d), channel_id=1, "
      "replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true\n"
      "  gd = f32[4] all-gather-done(gs)\n"
      "  ps = (f32[4], f32[4], u32[], u32[]) collective-permute-start(gd), "
      "channel_id=2, source_target_pairs={{0,1}}\n"
      "  pd = f32[4] collective-permute-done(ps)\n"
      "  as = ((f32[2]), f32[2], s32[]) async-start(x), calls=w\n"
      "  au = ((f32[2]), f32[2], s32[]) async-update(as)\n"
      "  ad = f32[2] async-done(au)\n"
      "  cs = (f32[2], f32[2], u32[]) copy-start(ad)\n"
      "  cd = f32[2] copy-done(cs)\n"
      "  ROOT t = (f32[4], f32[2]) tuple(pd, cd)\n}\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  hlo_expect_nodes(p, "all-reduce(x) all-gather(s) collective-permute(gs) "
                      "negate(x)");
  CU_ASSERT_STRING_EQUAL(p->tensors[p->results[1]].name, "as/n");
  sp_ctx_free(ctx);
}

static void operators_may_be_named_in_a_start(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read(
      ctx,
      "HloModule m, num_partitions=2\n" ADD
      "w {\n  a = f32[2] parameter(0)\n  ROOT n = f32[2] negate(a)\n}\n"
      "ENTRY e {\n  x = f32[2] parameter(0)\n"
      "  rs = ((f32[2]), f32[1]) reduce-scatter-start(x), channel_id=1, "
      "replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true, "
      "to_apply=add\n"
      "  ru = ((f32[2]), f32[1]) reduce-scatter-update(rs)\n"
      "  rd = f32[1] reduce-scatter-done(ru)\n"
      "  fs = ((f32[2]), f32[2], s32[]) fusion-start(x), kind=kLoop, "
      "calls=w\n"
      "  fd = f32[2] fusion-done(fs)\n"
      "  as = ((f32[2]), f32[2]) all-to-all-start(x), channel_id=2, "
      "replica_groups={{0,1}}, dimensions={0}\n"
      "  ad = f32[2] all-gather-done(as)\n"
      "  ROOT t = (f32[1], f32[2], f32[2]) tuple(rd, fd, ad)\n}\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  hlo_expect_nodes(p, "reduce-scatter(x) negate(x) all-to-all(x) "
                      "all-gather-done(x,as)");
  sp_ctx_free(ctx);
}

static void unknown_opcodes_are_kept_by_name(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = hlo_read_body(
      ctx, "  x = f32[2] parameter(0)\n  k = token[] after-all()\n"
           "  s = (f32[2], u32[], token[]) send(x, k), channel_id=3\n"
           "  ROOT d = token[] send-done(s)\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  hlo_expect_nodes(p, "after-all() send(x,k) send-done(s#0,s#1,s#2)");
  sp_ctx_free(ctx);
}

static void one_of_the_device_numbers_is_zero(void) {
  static const char *const headers[] = {"num_partitions=4", "replica_count=4"};
  static const char *const want[] = {"partition-id() constant()",
                                     "constant() partition-id()"};
  for (size_t i = 0; i < 2; i++) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    char text[512];
    snprintf(text, sizeof text,
             "HloModule m, %s\nENTRY e {\n  p = u32[] partition-id()\n"
             "  r = u32[] replica-id()\n"
             "  ROOT t = (u32[], u32[]) tuple(p, r)\n}\n",
             headers[i]);
    const sp_program *p = hlo_read(ctx, text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    CU_ASSERT_EQUAL(p->partitions, 4);
    hlo_expect_nodes(p, want[i]);
    sp_ctx_free(ctx);
  }
  sp_ctx *ctx = sp_ctx_new(NULL);
  hlo_job j = {"HloModule m, num_partitions=2, replica_count=2\n"
               "ENTRY e {\n  ROOT p = u32[] partition-id()\n}\n",
               0, NULL};
  j.n = strlen(j.text);
  CU_ASSERT_EQUAL(sp_protect(ctx, hlo_job_run, &j), SP_ERR_UNKNOWN);
  sp_ctx_free(ctx);
}

static void a_value_that_uses_itself_is_refused(void) {
  hlo_expect_body_error("  t = (f32[]) tuple(t#0)", 3, 21, "not defined above");
  hlo_expect_body_error("  a = (f32[]) tuple(b)\n  b = f32[] "
                        "get-tuple-element(a), index=0",
                        3, 21, "b is not defined above");
}

static void computations_that_call_each_other_are_refused(void) {
  static const char text[] =
      "HloModule m\nf {\n  p = f32[] parameter(0)\n  ROOT c = f32[] call(p), "
      "to_apply=g\n}\ng {\n  p = f32[] parameter(0)\n  ROOT c = f32[] "
      "call(p), to_apply=f\n}\nENTRY e {\n  p = f32[] parameter(0)\n  ROOT c "
      "= f32[] call(p), to_apply=f\n}\n";
  hlo_expect_error(text, sizeof text - 1, 8, 8, "f calls itself");
  static const char loop[] =
      "HloModule m\nENTRY e {\n  p = f32[] parameter(0)\n  z = f32[] "
      "constant(0)\n  ROOT c = f32[] reduce(p, z), dimensions={}, "
      "to_apply=e\n}\n";
  hlo_expect_error(loop, sizeof loop - 1, 5, 8, "e calls itself");
}

static void permutes_name_each_device_once(void) {
  static const char *const pairs[] = {"{0,1},{0,2}", "{0,1},{2,1}", "{0,4}",
                                      "{-1,0}"};
  for (size_t i = 0; i < 4; i++) {
    char text[512];
    int n = snprintf(text, sizeof text,
                     "HloModule m, num_partitions=4\nENTRY e {\n  p = f32[] "
                     "parameter(0)\n  ROOT c = f32[] collective-permute(p), "
                     "channel_id=1, source_target_pairs={%s}\n}\n",
                     pairs[i]);
    hlo_expect_error(text, (size_t)n, 4, 8, "source_target_pairs");
  }
}

/* f0 calls f1 twice calls f2 ...: text of `depth` computations, malloc'd. */
static char *call_chain(int depth, int width) {
  size_t cap = (size_t)depth * 200 + 400;
  char *text = malloc(cap);
  size_t n = (size_t)snprintf(text, cap,
                              "HloModule m\nf0 {\n  p = f32[] parameter(0)\n"
                              "  ROOT n = f32[] negate(p)\n}\n");
  for (int i = 1; i <= depth; i++) {
    n += (size_t)snprintf(text + n, cap - n,
                          "%sf%d {\n  p = f32[] "
                          "parameter(0)\n",
                          i == depth ? "ENTRY " : "", i);
    for (int k = 0; k < width; k++) {
      n += (size_t)snprintf(text + n, cap - n,
                            "  c%d = f32[] call(p), to_apply=f%d\n", k, i - 1);
    }
    n += (size_t)snprintf(text + n, cap - n, "}\n");
  }
  return text;
}

static void ten_thousand_nested_calls_are_refused(void) {
  char *text = call_chain(10000, 1);
  sp_ctx *ctx = sp_ctx_new(NULL);
  if (!ctx) { /* gcc with LTO follows this way into what is read below */
    CU_FAIL("out of memory");
    free(text);
    return;
  }
  hlo_job j = {text, strlen(text), NULL};
  CU_ASSERT_EQUAL(sp_protect(ctx, hlo_job_run, &j), SP_ERR_INPUT);
  CU_ASSERT_PTR_NOT_NULL(strstr(sp_ctx_error(ctx)->message, "nest deeper"));
  CU_ASSERT_TRUE(sp_ctx_error(ctx)->loc.line > 0);
  sp_ctx_free(ctx);
  free(text);
}

static void calls_that_double_at_every_level_are_refused(void) {
  char *text = call_chain(60, 2);
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_ctx_set_limit(ctx, (size_t)64 << 20); /* the other way to stop */
  hlo_job j = {text, strlen(text), NULL};
  sp_code code = sp_protect(ctx, hlo_job_run, &j);
  CU_ASSERT_TRUE(code == SP_ERR_INPUT || code == SP_ERR_MEMORY);
  sp_ctx_free(ctx);
  free(text);
  text = call_chain(8, 2);
  ctx = sp_ctx_new(NULL);
  CU_ASSERT_PTR_NOT_NULL(hlo_read(ctx, text));
  sp_ctx_free(ctx);
  free(text);
}

void suite_hlo_lower(void) {
  CU_pSuite s = CU_add_suite("hlo_lower", NULL, NULL);
  CU_ADD_TEST(s, calls_and_fusions_are_inlined);
  CU_ADD_TEST(s, reducers_become_one_region_each);
  CU_ADD_TEST(s, nodes_with_several_results_number_them);
  CU_ADD_TEST(s, a_loop_has_regions_over_its_leaves);
  CU_ADD_TEST(s, a_predicate_puts_the_false_branch_first);
  CU_ADD_TEST(s, asynchronous_pairs_are_plain_operators);
  CU_ADD_TEST(s, operators_may_be_named_in_a_start);
  CU_ADD_TEST(s, unknown_opcodes_are_kept_by_name);
  CU_ADD_TEST(s, one_of_the_device_numbers_is_zero);
  CU_ADD_TEST(s, a_value_that_uses_itself_is_refused);
  CU_ADD_TEST(s, computations_that_call_each_other_are_refused);
  CU_ADD_TEST(s, permutes_name_each_device_once);
  CU_ADD_TEST(s, ten_thousand_nested_calls_are_refused);
  CU_ADD_TEST(s, calls_that_double_at_every_level_are_refused);
}
