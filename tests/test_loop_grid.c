/* test_loop_grid.c: loops over a grid whose indices are carried, as Pallas has
 * them in interpret mode. Sums of rows, a block of a row in each step: the
 * block number counts around, the row goes on where it does, and a row's sum
 * starts from 0 in its first block. A `grid` says what is wrong in the twins.
 */
#include "graph/hlo.h"
#include "solve/check.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_loop_grid(void);

typedef struct grid {
  int blocks; /* of 4 columns, in a row of 512: 128 */
  int rows, steps;
  int begins;        /* the block where a sum starts: 0 */
  const char *from;  /* from this number: 0 */
  const char *moves; /* where the row goes on: in the last block */
} grid;

static const grid plain = {128, 8, 1024, 0, "0", "around"};

static const char before[] =
    "HloModule rows\n\n"
    "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
    "  ROOT c = f32[] add(a, b)\n}\n\n"
    "ENTRY main {\n  x = f32[8,512] parameter(0)\n"
    "  z = f32[] constant(0)\n"
    "  ROOT r = f32[8] reduce(x, z), dimensions={1}, to_apply=add\n}\n";

static const char after[] =
    "HloModule rows\n\n"
    "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
    "  ROOT c = f32[] add(a, b)\n}\n\n"
    "body {\n"
    "  s = (s32[], s32[], s32[], f32[8,512], f32[8]) parameter(0)\n"
    "  t = s32[] get-tuple-element(s), index=0\n"
    "  row = s32[] get-tuple-element(s), index=1\n"
    "  block = s32[] get-tuple-element(s), index=2\n"
    "  x = f32[8,512] get-tuple-element(s), index=3\n"
    "  acc = f32[8] get-tuple-element(s), index=4\n"
    "  zero = s32[] constant(0)\n  one = s32[] constant(1)\n"
    "  four = s32[] constant(4)\n  blocks = s32[] constant(%d)\n"
    "  rows = s32[] constant(%d)\n  begins = s32[] constant(%d)\n"
    "  from = f32[] constant(%s)\n  z = f32[] constant(0)\n"
    "  t1 = s32[] add(t, one)\n  block1 = s32[] add(block, one)\n"
    "  around = pred[] compare(block1, blocks), direction=EQ\n"
    "  starts = pred[] compare(block, zero), direction=EQ\n"
    "  block2 = s32[] select(around, zero, block1)\n"
    "  row1 = s32[] add(row, one)\n"
    "  row2 = s32[] select(%s, row1, row)\n"
    "  over = pred[] compare(row2, rows), direction=EQ\n"
    "  row3 = s32[] select(over, zero, row2)\n"
    "  column = s32[] multiply(block, four)\n"
    "  part = f32[1,4] dynamic-slice(x, row, column), "
    "dynamic_slice_sizes={1,4}\n"
    "  sum = f32[1] reduce(part, z), dimensions={1}, to_apply=add\n"
    "  was = f32[1] dynamic-slice(acc, row), dynamic_slice_sizes={1}\n"
    "  new = f32[1] broadcast(from), dimensions={}\n"
    "  first = pred[] compare(block, begins), direction=EQ\n"
    "  firsts = pred[1] broadcast(first), dimensions={}\n"
    "  own = f32[1] select(firsts, new, was)\n"
    "  total = f32[1] add(own, sum)\n"
    "  acc1 = f32[8] dynamic-update-slice(acc, total, row)\n"
    "  ROOT o = (s32[], s32[], s32[], f32[8,512], f32[8]) "
    "tuple(t1, row3, block2, x, acc1)\n}\n\n"
    "more {\n"
    "  s = (s32[], s32[], s32[], f32[8,512], f32[8]) parameter(0)\n"
    "  t = s32[] get-tuple-element(s), index=0\n"
    "  n = s32[] constant(%d)\n"
    "  ROOT c = pred[] compare(t, n), direction=LT\n}\n\n"
    "ENTRY main {\n  x = f32[8,512] parameter(0)\n"
    "  zero = s32[] constant(0)\n  nan = f32[] constant(nan)\n"
    "  open = f32[8] broadcast(nan), dimensions={}\n"
    "  i = (s32[], s32[], s32[], f32[8,512], f32[8]) "
    "tuple(zero, zero, zero, x, open)\n"
    "  w = (s32[], s32[], s32[], f32[8,512], f32[8]) while(i), "
    "condition=more, body=body\n"
    "  ROOT r = f32[8] get-tuple-element(w), index=4\n}\n";

typedef struct job {
  const char *text;
  sp_verdict verdict;
} job;

static void run_job(sp_ctx *ctx, void *arg) {
  job *j = arg;
  const sp_program *seq =
      sp_hlo_read_text(ctx, "before", before, strlen(before));
  const sp_program *dist =
      sp_hlo_read_text(ctx, "after", j->text, strlen(j->text));
  sp_check_options o = {.run_budget = -1};
  j->verdict = sp_check(ctx, seq, dist, &o)->verdict;
}

static bool proves(const grid *g) {
  char text[8192];
  snprintf(text, sizeof text, after, g->blocks, g->rows, g->begins, g->from,
           g->moves, g->steps);
  job j = {text, SP_UNPROVEN};
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL(ctx);
  CU_ASSERT_EQUAL(sp_protect(ctx, run_job, &j), SP_OK);
  sp_ctx_free(ctx);
  return j.verdict == SP_REFINES;
}

static void rows_by_blocks(void) {
  CU_ASSERT_TRUE(proves(&plain));
}

static void sums_start_in_the_first_block(void) {
  grid g = plain;
  g.begins = 1;
  CU_ASSERT_FALSE(proves(&g));
  g.begins = 127;
  CU_ASSERT_FALSE(proves(&g));
  g.begins = 128; /* never */
  CU_ASSERT_FALSE(proves(&g));
  g = plain;
  g.from = "1";
  CU_ASSERT_FALSE(proves(&g));
}

static void digits_come_around_in_time(void) {
  grid g = plain;
  g.blocks = 127;
  CU_ASSERT_FALSE(proves(&g));
  g.steps = 1016;
  CU_ASSERT_FALSE(proves(&g));
  g = plain;
  g.steps = 1023;
  CU_ASSERT_FALSE(proves(&g));
  g = plain;
  g.rows = 4;
  CU_ASSERT_FALSE(proves(&g));
  g = plain;
  g.moves = "starts"; /* in the first block already */
  CU_ASSERT_FALSE(proves(&g));
}

void suite_loop_grid(void) {
  CU_pSuite s = CU_add_suite("loop_grid", NULL, NULL);
  CU_add_test(s, "rows by blocks", rows_by_blocks);
  CU_add_test(s, "sums start in the first block",
              sums_start_in_the_first_block);
  CU_add_test(s, "digits come around in time", digits_come_around_in_time);
}
