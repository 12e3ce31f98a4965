/* Two modules of the same devices: what a pass may do is proved, and each
 * proved pair has a broken twin that must not be. */
#include "solve/check.h"

#include "graph/hlo.h"
#include "tests/suites.h"
#include "tests/support_hlo.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_identity(void);

typedef struct pair {
  const char *before, *after; /* bodies of the entry computation */
  const char *whole;          /* the body before the partitioner, or NULL */
  sp_verdict verdict;
  sp_code code;
  bool devices; /* the problem is of several devices */
  const char *not_run;
} pair;

static const sp_program *module(sp_ctx *ctx, const char *body) {
  char text[4096];
  snprintf(text, sizeof text,
           "HloModule m, num_partitions=4\n"
           "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] "
           "add(x, y) }\n"
           "max { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] "
           "maximum(x, y) }\n"
           "ENTRY e {\n%s}\n",
           body);
  return hlo_read(ctx, text);
}

static void check_pair(sp_ctx *ctx, void *arg) {
  pair *x = arg;
  const sp_program *before = module(ctx, x->before);
  const sp_program *after = module(ctx, x->after);
  sp_problem cut = {0};
  if (x->whole) {
    cut = sp_problem_of_pair(ctx, module(ctx, x->whole), before);
  }
  sp_problem problem =
      sp_problem_identity(ctx, before, after, x->whole ? &cut : NULL);
  x->devices = problem.ranked;
  sp_check_options options = {0};
  const sp_report *report = sp_check_problem(ctx, &problem, &options);
  x->verdict = report->verdict;
  x->not_run = report->not_run ? "not run" : NULL;
}

static pair check(const char *whole, const char *before, const char *after) {
  pair x = {.before = before, .after = after, .whole = whole};
  sp_ctx *ctx = sp_ctx_new(NULL);
  x.code = sp_protect(ctx, check_pair, &x);
  if (x.code == SP_ERR_INPUT) {
    CU_ASSERT(strstr(sp_ctx_error(ctx)->message, "differ") != NULL);
  }
  sp_ctx_free(ctx);
  return x;
}

static void expect(const char *whole, const char *before, const char *after,
                   sp_verdict verdict) {
  pair x = check(whole, before, after);
  CU_ASSERT_EQUAL(x.code, SP_OK);
  if (x.code == SP_OK && x.verdict != verdict) {
    printf("\nverdict %d, not %d, of\n%s", (int)x.verdict, (int)verdict, after);
  }
  CU_ASSERT_EQUAL(x.verdict, verdict);
}

/* ---- collectives on both sides ---- */

#define GROUPS                                                                 \
  "channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true"
#define WHOLE                                                                  \
  "a = f32[8,4] parameter(0), sharding={devices=[4,1]<=[4]}\n"                 \
  "ROOT r = f32[8,4] tanh(a), sharding={devices=[4,1]<=[4]}\n"
#define COPIES                                                                 \
  "a = f32[2,4] parameter(0), sharding={replicated}\n"                         \
  "ROOT r = f32[2,4] tanh(a), sharding={replicated}\n"
#define A "a = f32[2,4] parameter(0)\n"

static const char sum_first[] =
    A "b = f32[2,4] tanh(a)\nc = f32[2,4] add(a, b)\n"
      "ROOT r = f32[2,4] all-reduce(c), to_apply=add, " GROUPS "\n";

static void collectives_may_move_over_operators(void) {
  expect(WHOLE, sum_first,
         A "s = f32[2,4] all-reduce(a), to_apply=add, " GROUPS "\n"
           "b = f32[2,4] tanh(a)\n"
           "t = f32[2,4] all-reduce(b), to_apply=add, " GROUPS "\n"
           "ROOT r = f32[2,4] add(s, t)\n",
         SP_REFINES);
  expect(WHOLE, sum_first,
         A "s = f32[2,4] all-reduce(a), to_apply=add, " GROUPS "\n"
           "b = f32[2,4] tanh(a)\n"
           "t = f32[2,4] all-reduce(b), to_apply=max, " GROUPS "\n"
           "ROOT r = f32[2,4] add(s, t)\n",
         SP_VIOLATION);
}

static const char gather_last[] =
    A "b = f32[2,4] tanh(a)\n"
      "g = f32[8,4] all-gather(b), dimensions={0}, " GROUPS "\n"
      "ROOT r = f32[2,4] slice(g), slice={[2:4], [0:4]}\n";

static void gathering_and_permuting_read_the_same_device(void) {
  expect(WHOLE, gather_last,
         A "g = f32[8,4] all-gather(a), dimensions={0}, " GROUPS "\n"
           "s = f32[2,4] slice(g), slice={[2:4], [0:4]}\n"
           "ROOT r = f32[2,4] tanh(s)\n",
         SP_REFINES);
  expect(WHOLE, gather_last,
         A "g = f32[8,4] all-gather(a), dimensions={0}, " GROUPS "\n"
           "s = f32[2,4] slice(g), slice={[4:6], [0:4]}\n"
           "ROOT r = f32[2,4] tanh(s)\n",
         SP_VIOLATION);
}

#define SHIFT "source_target_pairs={{0,1},{1,2},{2,3},{3,0}}"
#define BACK "source_target_pairs={{1,0},{2,1},{3,2},{0,3}}"

static void what_another_device_holds_is_not_ones_own(void) {
  const char before[] =
      A "b = f32[2,4] tanh(a)\n"
        "ROOT r = f32[2,4] collective-permute(b), channel_id=1, " SHIFT "\n";
  expect(WHOLE, before,
         A "p = f32[2,4] collective-permute(a), channel_id=1, " SHIFT "\n"
           "ROOT r = f32[2,4] tanh(p)\n",
         SP_REFINES);
  expect(WHOLE, before,
         A "p = f32[2,4] collective-permute(a), channel_id=1, " BACK "\n"
           "ROOT r = f32[2,4] tanh(p)\n",
         SP_VIOLATION);
  expect(WHOLE, before, A "ROOT r = f32[2,4] tanh(a)\n", SP_VIOLATION);
}

/* ---- the device's own number ---- */

#define OFFSET_BY_TABLE                                                        \
  "t = s32[4] constant({0, 1, 2, 3})\np = u32[] partition-id()\n"              \
  "i = s32[1] dynamic-slice(t, p), dynamic_slice_sizes={1}\n"                  \
  "o = s32[] reshape(i)\nz = s32[] constant(0)\n"                              \
  "ROOT r = f32[2,1] dynamic-slice(a, z, o), dynamic_slice_sizes={2,1}\n"
#define OFFSET_TIMES(k)                                                        \
  "p = u32[] partition-id()\nq = s32[] convert(p)\nk = s32[] constant(" k      \
  ")\no = s32[] multiply(q, k)\nz = s32[] constant(0)\n"                       \
  "ROOT r = f32[2,1] dynamic-slice(a, z, o), dynamic_slice_sizes={2,1}\n"
#define CUT                                                                    \
  "a = f32[2,4] parameter(0), sharding={replicated}\n"                         \
  "ROOT r = f32[2,4] tanh(a), sharding={devices=[1,4]<=[4]}\n"

static void offsets_from_the_devices_number_are_compared(void) {
  expect(CUT, A OFFSET_BY_TABLE, A OFFSET_TIMES("1"), SP_REFINES);
  expect(CUT, A OFFSET_BY_TABLE, A OFFSET_TIMES("2"), SP_VIOLATION);
}

/* ---- copies ---- */

#define SUM_OF_COPIES                                                          \
  A "ROOT r = f32[2,4] all-reduce(a), to_apply=add, " GROUPS "\n"
#define TIMES(k)                                                               \
  A "k = f32[] constant(" k ")\nb = f32[2,4] broadcast(k), dimensions={}\n"    \
    "ROOT r = f32[2,4] multiply(a, b)\n"

static void copies_of_an_input_are_known_to_be_equal(void) {
  expect(COPIES, SUM_OF_COPIES, TIMES("4"), SP_REFINES);
  expect(COPIES, SUM_OF_COPIES, TIMES("3"), SP_VIOLATION);
  expect(WHOLE, SUM_OF_COPIES, TIMES("4"), SP_VIOLATION);
}

/* Two groups of two copies: device 0 and 2 hold the one half, 1 and 3 the
 * other. */
static void copies_follow_the_order_of_devices(void) {
  const char whole[] =
      "a = f32[4,4] parameter(0), sharding={devices=[2,1,2]0,2,1,3 "
      "last_tile_dim_replicate}\nROOT r = f32[4,4] tanh(a), "
      "sharding={devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}\n";
#define SUM_IN(groups)                                                         \
  A "ROOT r = f32[2,4] all-reduce(a), to_apply=add, channel_id=1, "            \
    "replica_groups=" groups ", use_global_device_ids=true\n"
  expect(whole, SUM_IN("{{0,2},{1,3}}"), TIMES("2"), SP_REFINES);
  expect(whole, SUM_IN("{{0,1},{2,3}}"), TIMES("2"), SP_VIOLATION);
}

/* Five rows on four devices: beyond them devices hold anything. */
static void padding_is_no_copy(void) {
  const char whole[] =
      "a = f32[3,4] parameter(0), sharding={devices=[2,1,2]<=[4] "
      "last_tile_dim_replicate}\nROOT r = f32[3,4] tanh(a), "
      "sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}\n";
  pair x = check(whole, SUM_IN("{{0,1},{2,3}}"), TIMES("2"));
  CU_ASSERT(x.code == SP_OK && x.verdict == SP_UNPROVEN);
}

static void unknown_copies_are_not_run(void) {
  pair x = check(NULL, SUM_OF_COPIES, TIMES("4"));
  CU_ASSERT(x.code == SP_OK && x.devices);
  CU_ASSERT_EQUAL(x.verdict, SP_UNPROVEN);
  CU_ASSERT_PTR_NOT_NULL(x.not_run);
}

/* ---- operators without a meaning ---- */

#define MYSTERY(operand, more)                                                 \
  "m = f32[2,4] custom-call(" operand "), custom_call_target=\"mystery\"" more \
  "\nROOT r = f32[2,4] all-reduce(m), to_apply=add, " GROUPS "\n"

static void unknown_functions_are_equal_on_equal_operands(void) {
  const char before[] = A "d = f32[2,4] add(a, a)\n" MYSTERY("d", "");
#define DOUBLE                                                                 \
  A "k = f32[] constant(2)\nb = f32[2,4] broadcast(k), dimensions={}\n"        \
    "d = f32[2,4] multiply(a, b)\n"
  expect(WHOLE, before, DOUBLE MYSTERY("d", ""), SP_REFINES);
  expect(WHOLE, before, DOUBLE MYSTERY("a", ""), SP_UNPROVEN);
  expect(WHOLE, before, DOUBLE MYSTERY("d", ", backend_config=\"1\""),
         SP_UNPROVEN);
  expect(WHOLE, before,
         DOUBLE "p = f32[2,4] collective-permute(d), channel_id=1, " SHIFT
                "\n" MYSTERY("p", ""),
         SP_UNPROVEN);
}

static void effects_are_no_functions(void) {
#define EFFECT ", custom_call_has_side_effect=true"
  expect(WHOLE, A MYSTERY("a", EFFECT), A MYSTERY("a", EFFECT), SP_UNPROVEN);
  expect(WHOLE, A MYSTERY("a", ""), A MYSTERY("a", ""), SP_REFINES);
}

/* Blocks with padding have no meaning; which block it is is said by a sharding,
 * which is no attribute. */
static void borders_look_at_shardings(void) {
#define BORDER(devices)                                                        \
  A "c = f32[2,4] copy(a), sharding={devices=[4,1]" devices "}\n"              \
    "m = f32[1,4] custom-call(c), sharding={manual}, "                         \
    "custom_call_target=\"SPMDFullToShardShape\"\n"                            \
    "q = f32[4] reshape(m)\nb = f32[2,4] broadcast(q), dimensions={1}\n"       \
    "ROOT r = f32[2,4] all-reduce(b), to_apply=add, " GROUPS "\n"
  expect(WHOLE, BORDER("<=[4]"), BORDER("<=[4]"), SP_REFINES);
  expect(WHOLE, BORDER("<=[4]"), BORDER("3,2,1,0"), SP_UNPROVEN);
}

/* ---- programs that ask for no device ---- */

static void one_device_stands_for_all(void) {
  const char before[] = A "b = f32[2,4] tanh(a)\nROOT r = f32[2,4] add(b, a)\n";
  pair x = check(NULL, before,
                 A "b = f32[2,4] tanh(a)\n"
                   "ROOT r = f32[2,4] add(a, b)\n");
  CU_ASSERT(x.code == SP_OK && !x.devices && x.verdict == SP_REFINES);
  x = check(NULL, before,
            A "b = f32[2,4] tanh(a)\n"
              "ROOT r = f32[2,4] subtract(a, b)\n");
  CU_ASSERT(x.code == SP_OK && x.verdict == SP_VIOLATION);
}

static void other_parameters_are_an_error(void) {
  const char before[] = A "ROOT r = f32[2,4] tanh(a)\n";
  CU_ASSERT_EQUAL(check(NULL, before,
                        "a = f32[4,2] parameter(0)\n"
                        "ROOT r = f32[4,2] tanh(a)\n")
                      .code,
                  SP_ERR_INPUT);
  CU_ASSERT_EQUAL(check(NULL, before,
                        A "b = f32[2,4] parameter(1)\n"
                          "ROOT r = f32[2,4] tanh(a)\n")
                      .code,
                  SP_ERR_INPUT);
  CU_ASSERT_EQUAL(
      check(NULL, before, A "ROOT r = (f32[2,4], f32[2,4]) tuple(a, a)\n").code,
      SP_ERR_INPUT);
}

void suite_identity(void) {
  CU_pSuite s = CU_add_suite("identity", NULL, NULL);
#define TEST(f) CU_add_test(s, #f, f)
  TEST(collectives_may_move_over_operators);
  TEST(gathering_and_permuting_read_the_same_device);
  TEST(what_another_device_holds_is_not_ones_own);
  TEST(offsets_from_the_devices_number_are_compared);
  TEST(copies_of_an_input_are_known_to_be_equal);
  TEST(copies_follow_the_order_of_devices);
  TEST(padding_is_no_copy);
  TEST(unknown_copies_are_not_run);
  TEST(unknown_functions_are_equal_on_equal_operands);
  TEST(effects_are_no_functions);
  TEST(borders_look_at_shardings);
  TEST(one_device_stands_for_all);
  TEST(other_parameters_are_an_error);
}
