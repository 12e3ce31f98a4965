/* test_evaluate.c: running programs (solve/evaluate.h): results known by hand,
 * fast paths against the tape, threads, loops, opaque operators, budgets. That
 * results agree with XLA's own is tested in test_facts.c. */
#include "solve/evaluate.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solve/hash.h"
#include "tests/support_hlo.h"

void suite_evaluate(void);

/* ---- running a text ---- */

typedef struct bench {
  sp_ctx *ctx;
  sp_pool *pool;
  const sp_program *program;
  sp_machine *m;
} bench;

typedef struct job {
  const char *text;
  sp_machine_options options;
  void (*body)(bench *b);
} job;

static double hashed(void *user, int64_t rank, int64_t flat,
                     const int64_t *idx) {
  const sp_tensor *t = user;
  (void)idx;
  return sp_hash_value((uint64_t)rank, SP_DRAW_SPREAD, t->name, flat,
                       t->shape.dtype, 0, 6);
}

static void fill(bench *b) {
  for (uint32_t i = 0; i < b->program->n_params; i++) {
    uint32_t t = b->program->params[i];
    sp_machine_fill_input(b->m, t, hashed, (void *)&b->program->tensors[t]);
  }
}

static void open_and_run(sp_ctx *ctx, void *arg) {
  const job *j = arg;
  bench b = {.ctx = ctx, .pool = sp_pool_new(ctx)};
  b.program = sp_hlo_read_text(ctx, "t.hlo", j->text, strlen(j->text));
  b.m = sp_machine_new(ctx, b.pool, b.program, &j->options);
  j->body(&b);
}

static void run_with(const char *text, sp_machine_options options,
                     void (*body)(bench *b)) {
  job j = {text, options, body};
  sp_ctx *ctx = sp_ctx_new(NULL);
  if (sp_protect(ctx, open_and_run, &j) != SP_OK) {
    printf("\n    %s\n", sp_ctx_error(ctx)->message);
    CU_FAIL("an error is raised");
  }
  sp_ctx_free(ctx);
}

static void run(const char *text, void (*body)(bench *b)) {
  run_with(text, (sp_machine_options){0}, body);
}

/* Result k on the rank, row-major. */
static void expect(bench *b, uint32_t k, int64_t rank, size_t n,
                   const double *want) {
  uint32_t t = b->program->results[k];
  const double *got = sp_machine_values(b->m, t, rank);
  CU_ASSERT_PTR_NOT_NULL_FATAL(got);
  CU_ASSERT_EQUAL((int64_t)n, sp_shape_elements(&b->program->tensors[t].shape));
  for (size_t i = 0; i < n; i++) {
    if (fabs(got[i] - want[i]) > 1e-12) {
      printf("\n    result %u, rank %d, element %zu: %g, not %g\n", k,
             (int)rank, i, got[i], want[i]);
      CU_FAIL("another value");
      return;
    }
  }
}

#define EXPECT(b, k, rank, ...)                                                \
  do {                                                                         \
    const double want_[] = {__VA_ARGS__};                                      \
    expect(b, k, rank, sizeof want_ / sizeof *want_, want_);                   \
  } while (0)

static void give(bench *b, uint32_t k, int64_t rank, const double *v) {
  sp_machine_set_input(b->m, b->program->params[k], rank, v);
}

/* ---- sequential ---- */

static const char arithmetic[] =
    "HloModule m\n"
    "ENTRY e {\n"
    "  %a = f32[2,3] parameter(0)\n"
    "  %i = s32[3] parameter(1)\n"
    "  %t = f32[3,2] transpose(%a), dimensions={1,0}\n"
    "  %c = f32[3] convert(%i)\n"
    "  %d = f32[2,3] broadcast(%c), dimensions={1}\n"
    "  %s = f32[2,3] add(%a, %d)\n"
    "  %p = pred[2,3] compare(%a, %d), direction=LT\n"
    "  ROOT %r = (f32[3,2], f32[2,3], pred[2,3]) tuple(%t, %s, %p)\n"
    "}\n";

static void arithmetic_body(bench *b) {
  give(b, 0, 0, (const double[]){1, 2, 3, 4, 5, 6});
  give(b, 1, 0, (const double[]){2, 0, 9});
  CU_ASSERT(sp_machine_run(b->m));
  EXPECT(b, 0, 0, 1, 4, 2, 5, 3, 6);
  EXPECT(b, 1, 0, 3, 2, 12, 6, 5, 15);
  EXPECT(b, 2, 0, 1, 0, 1, 0, 0, 1);
  CU_ASSERT_EQUAL(sp_machine_int(b->m, b->program->params[1], 0, 2), 9);
}

static void elementwise_and_layout(void) {
  run(arithmetic, arithmetic_body);
}

static const char sorting[] =
    "HloModule m\n"
    "%less {\n"
    "  %x = f32[] parameter(0)\n"
    "  %y = f32[] parameter(1)\n"
    "  %k = s32[] parameter(2)\n"
    "  %l = s32[] parameter(3)\n"
    "  ROOT %c = pred[] compare(%x, %y), direction=GT\n"
    "}\n"
    "ENTRY e {\n"
    "  %a = f32[4,2] parameter(0)\n"
    "  %j = s32[4,2] iota(), iota_dimension=0\n"
    "  %s = (f32[4,2], s32[4,2]) sort(%a, %j), dimensions={0}, "
    "is_stable=true, to_apply=%less\n"
    "  %v = f32[4,2] get-tuple-element(%s), index=0\n"
    "  %w = s32[4,2] get-tuple-element(%s), index=1\n"
    "  %b = f32[2,4] transpose(%a), dimensions={1,0}\n"
    "  %t = (f32[2,2], s32[2,2]) topk(%b), k=2, largest=true\n"
    "  %x = f32[2,2] get-tuple-element(%t), index=0\n"
    "  %y = s32[2,2] get-tuple-element(%t), index=1\n"
    "  ROOT %r = (f32[4,2], s32[4,2], f32[2,2], s32[2,2]) "
    "tuple(%v, %w, %x, %y)\n"
    "}\n";

static void sorting_body(bench *b) {
  give(b, 0, 0, (const double[]){1, 5, 7, 5, 7, 9, -2, 5});
  CU_ASSERT(sp_machine_run(b->m));
  EXPECT(b, 0, 0, 7, 9, 7, 5, 1, 5, -2, 5);
  EXPECT(b, 1, 0, 1, 2, 2, 0, 0, 1, 3, 3);
  EXPECT(b, 2, 0, 7, 7, 9, 5);
  EXPECT(b, 3, 0, 1, 2, 2, 0);
}

static void sort_and_topk(void) {
  run(sorting, sorting_body);
}

static const char folding[] =
    "HloModule m\n"
    "%f {\n" /* 2x + y: neither a sum nor associative */
    "  %x = f32[] parameter(0)\n"
    "  %y = f32[] parameter(1)\n"
    "  %z = f32[] add(%x, %x)\n"
    "  ROOT %c = f32[] add(%z, %y)\n"
    "}\n"
    "%g {\n"
    "  %x = f32[] parameter(0)\n"
    "  ROOT %y = f32[] parameter(1)\n"
    "}\n"
    "ENTRY e {\n"
    "  %a = f32[2,3] parameter(0)\n"
    "  %i = s32[3,1] parameter(1)\n"
    "  %u = f32[3] parameter(2)\n"
    "  %z = f32[] constant(1)\n"
    "  %r = f32[2] reduce(%a, %z), dimensions={1}, to_apply=%f\n"
    "  %w = f32[2,2] reduce-window(%a, %z), window={size=1x2}, to_apply=%f\n"
    "  %v = f32[4] broadcast(%z), dimensions={}\n"
    "  %s = f32[4] scatter(%v, %i, %u), update_window_dims={}, "
    "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
    "index_vector_dim=1, to_apply=%g\n"
    "  %q = f32[4] scatter(%v, %i, %u), update_window_dims={}, "
    "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
    "index_vector_dim=1, to_apply=%f\n"
    "  ROOT %t = (f32[2], f32[2,2], f32[4], f32[4]) tuple(%r, %w, %s, %q)\n"
    "}\n";

static void folding_body(bench *b) {
  give(b, 0, 0, (const double[]){1, 2, 3, 4, 5, 6});
  give(b, 1, 0, (const double[]){2, 0, 2});
  give(b, 2, 0, (const double[]){10, 20, 30});
  CU_ASSERT(sp_machine_run(b->m));
  EXPECT(b, 0, 0, 19, 40);
  EXPECT(b, 1, 0, 8, 11, 17, 20);
  EXPECT(b, 2, 0, 20, 1, 30, 1);
  EXPECT(b, 3, 0, 22, 1, 54, 1);
}

static void computations_without_a_name(void) {
  run(folding, folding_body);
}

static const char matrices[] =
    "HloModule m\n"
    "ENTRY e {\n"
    "  %a = f64[3,3] parameter(0)\n"
    "  %b = f64[3,2] parameter(1)\n"
    "  %at = f64[3,3] transpose(%a), dimensions={1,0}\n"
    "  %d = f64[3,3] dot(%a, %at), lhs_contracting_dims={1}, "
    "rhs_contracting_dims={0}\n"
    "  %l = f64[3,3] cholesky(%d), lower=true\n"
    "  %x = f64[3,2] triangular-solve(%l, %b), left_side=true, lower=true, "
    "transpose_a=TRANSPOSE\n"
    "  %lt = f64[3,3] transpose(%l), dimensions={1,0}\n"
    "  %bb = f64[3,2] dot(%lt, %x), lhs_contracting_dims={1}, "
    "rhs_contracting_dims={0}\n"
    "  %bt = f64[2,3] transpose(%b), dimensions={1,0}\n"
    "  %y = f64[2,3] triangular-solve(%l, %bt), left_side=false, lower=true, "
    "transpose_a=NO_TRANSPOSE\n"
    "  %bc = f64[2,3] dot(%y, %l), lhs_contracting_dims={1}, "
    "rhs_contracting_dims={0}\n"
    "  %dd = f64[3,3] dot(%l, %lt), lhs_contracting_dims={1}, "
    "rhs_contracting_dims={0}\n"
    "  %e1 = f64[3,3] subtract(%dd, %d)\n"
    "  %e2 = f64[3,2] subtract(%bb, %b)\n"
    "  %e3 = f64[2,3] subtract(%bc, %bt)\n"
    "  ROOT %t = (f64[3,3], f64[3,2], f64[2,3]) tuple(%e1, %e2, %e3)\n"
    "}\n";

static void matrices_body(bench *b) {
  give(b, 0, 0, (const double[]){2, 0.5, -1, 0.25, 3, 0, 1, 1, 4});
  give(b, 1, 0, (const double[]){1, 2, 3, 4, 5, 6});
  CU_ASSERT(sp_machine_run(b->m));
  EXPECT(b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  EXPECT(b, 1, 0, 0, 0, 0, 0, 0, 0);
  EXPECT(b, 2, 0, 0, 0, 0, 0, 0, 0);
}

static void decompositions_solve(void) {
  run(matrices, matrices_body);
}

/* ---- loops and branches ---- */

static const char loop[] =
    "HloModule m, num_partitions=2\n"
    "%cond {\n"
    "  %t = (u32[], f32[2]) parameter(0)\n"
    "  %i = u32[] get-tuple-element(%t), index=0\n"
    "  %n = u32[] constant(4)\n"
    "  ROOT %c = pred[] compare(%i, %n), direction=LT\n"
    "}\n"
    "%body {\n"
    "  %t = (u32[], f32[2]) parameter(0)\n"
    "  %i = u32[] get-tuple-element(%t), index=0\n"
    "  %x = f32[2] get-tuple-element(%t), index=1\n"
    "  %one = u32[] constant(1)\n"
    "  %j = u32[] add(%i, %one)\n"
    "  %y = f32[2] add(%x, %x)\n"
    "  ROOT %r = (u32[], f32[2]) tuple(%j, %y)\n"
    "}\n"
    "ENTRY e {\n"
    "  %x = f32[2] parameter(0)\n"
    "  %p = u32[] partition-id()\n"
    "  %t = (u32[], f32[2]) tuple(%p, %x)\n"
    "  %w = (u32[], f32[2]) while(%t), condition=%cond, body=%body\n"
    "  ROOT %r = f32[2] get-tuple-element(%w), index=1\n"
    "}\n";

static void loop_body(bench *b) {
  give(b, 0, 0, (const double[]){1, 3});
  give(b, 0, 1, (const double[]){5, 7});
  CU_ASSERT(sp_machine_run(b->m));
  EXPECT(b, 0, 0, 16, 48);
  EXPECT(b, 0, 1, 40, 56); /* one round less */
}

static void ranks_may_leave_a_loop_at_different_times(void) {
  run(loop, loop_body);
}

static void loop_budget_body(bench *b) {
  fill(b);
  CU_ASSERT(!sp_machine_run(b->m));
  const sp_machine_trouble *t = sp_machine_problem(b->m);
  CU_ASSERT_EQUAL(t->outcome, SP_RUN_BUDGET);
  CU_ASSERT(strstr(t->hint, "--run-budget") != NULL);
}

static void an_endless_loop_exceeds_the_budget(void) {
  char text[sizeof loop];
  memcpy(text, loop, sizeof loop);
  char *n = strstr(text, "constant(1)"); /* the step */
  CU_ASSERT_PTR_NOT_NULL_FATAL(n);
  n[9] = '0';
  run_with(text, (sp_machine_options){.budget_ops = 50000}, loop_budget_body);
}

static const char branches[] =
    "HloModule m, num_partitions=2\n"
    "%sum {\n"
    "  %x = f32[] parameter(0)\n"
    "  %y = f32[] parameter(1)\n"
    "  ROOT %z = f32[] add(%x, %y)\n"
    "}\n"
    "%yes {\n"
    "  %x = f32[2] parameter(0)\n"
    "  ROOT %a = f32[2] all-reduce(%x), replica_groups={{0,1}}, channel_id=1, "
    "use_global_device_ids=true, to_apply=%sum\n"
    "}\n"
    "%no {\n"
    "  %x = f32[2] parameter(0)\n"
    "  ROOT %n = f32[2] negate(%x)\n"
    "}\n"
    "ENTRY e {\n"
    "  %x = f32[2] parameter(0)\n"
    "  %c = pred[] parameter(1)\n"
    "  ROOT %r = f32[2] conditional(%c, %x, %x), true_computation=%yes, "
    "false_computation=%no\n"
    "}\n";

static void branches_body(bench *b) {
  give(b, 0, 0, (const double[]){1, 3});
  give(b, 0, 1, (const double[]){5, 7});
  give(b, 1, 0, (const double[]){1});
  give(b, 1, 1, (const double[]){1});
  CU_ASSERT(sp_machine_run(b->m));
  EXPECT(b, 0, 0, 6, 10);
  EXPECT(b, 0, 1, 6, 10);
  sp_machine_reset(b->m);
  give(b, 0, 0, (const double[]){1, 3});
  give(b, 0, 1, (const double[]){5, 7});
  give(b, 1, 0, (const double[]){0});
  give(b, 1, 1, (const double[]){1});
  CU_ASSERT(!sp_machine_run(b->m));
  CU_ASSERT_EQUAL(sp_machine_problem(b->m)->outcome, SP_RUN_UNDEFINED);
}

static void communicating_branches_need_one_index(void) {
  run(branches, branches_body);
}

/* ---- troubles ---- */

static void missing_body(bench *b) {
  CU_ASSERT(!sp_machine_run(b->m));
  CU_ASSERT_EQUAL(sp_machine_problem(b->m)->outcome, SP_RUN_NO_INPUT);
  CU_ASSERT(strstr(sp_machine_problem(b->m)->message, "a") != NULL);
}

static void a_missing_input_is_told(void) {
  run(arithmetic, missing_body);
}

static void budget_body(bench *b) {
  fill(b);
  CU_ASSERT(!sp_machine_run(b->m));
  CU_ASSERT_EQUAL(sp_machine_problem(b->m)->outcome, SP_RUN_BUDGET);
  CU_ASSERT_EQUAL(sp_machine_done(b->m), 0);
  CU_ASSERT(sp_machine_cost(b->m, b->program->results[0]) > 10);
}

static void work_beyond_the_budget_is_not_begun(void) {
  run_with(arithmetic, (sp_machine_options){.budget_ops = 10}, budget_body);
}

static void memory_body(bench *b) {
  fill(b);
  CU_ASSERT(!sp_machine_run(b->m));
  CU_ASSERT_EQUAL(sp_machine_problem(b->m)->outcome, SP_RUN_BUDGET);
}

static void memory_beyond_the_budget_is_not_taken(void) {
  run_with("HloModule m\nENTRY e {\n  %a = f32[] parameter(0)\n"
           "  ROOT %b = f32[1000,1000] broadcast(%a), dimensions={}\n}\n",
           (sp_machine_options){.budget_bytes = 1 << 20}, memory_body);
}

static void unknown_body(bench *b) {
  fill(b);
  CU_ASSERT(sp_machine_run_to(b->m, b->program->results[1]));
  CU_ASSERT(!sp_machine_run(b->m));
  const sp_machine_trouble *t = sp_machine_problem(b->m);
  CU_ASSERT_EQUAL(t->outcome, SP_RUN_UNKNOWN);
  CU_ASSERT(strstr(t->message, "strange") != NULL);
  CU_ASSERT(isinf(sp_machine_cost(b->m, b->program->results[0])));
}

static void only_what_is_asked_for_must_be_known(void) {
  run("HloModule m\nENTRY e {\n  %a = f32[2] parameter(0)\n"
      "  %strange = f32[2] custom-call(%a), custom_call_target=\"x\"\n"
      "  %b = f32[2] negate(%a)\n"
      "  ROOT %t = (f32[2], f32[2]) tuple(%strange, %b)\n}\n",
      unknown_body);
}

static void cut_body(bench *b) {
  /* values of a tensor in the middle stand for its definition */
  const double v[2] = {3, 4};
  sp_machine_set_input(b->m, hlo_node(b->program, "strange")->out, 0, v);
  CU_ASSERT(sp_machine_run(b->m));
  EXPECT(b, 0, 0, -3, -4);
}

static void any_tensor_can_be_given(void) {
  run("HloModule m\nENTRY e {\n  %a = f32[2] parameter(0)\n"
      "  %strange = f32[2] custom-call(%a), custom_call_target=\"x\"\n"
      "  ROOT %b = f32[2] negate(%strange)\n}\n",
      cut_body);
}

/* ---- the same in every way ---- */

typedef struct outcome {
  size_t n;
  double *v;
} outcome;

static outcome *saved;

static void save_body(bench *b) {
  fill(b);
  CU_ASSERT(sp_machine_run(b->m));
  saved->n = 0;
  for (uint32_t k = 0; k < b->program->n_results; k++) {
    uint32_t t = b->program->results[k];
    int64_t n = sp_shape_elements(&b->program->tensors[t].shape);
    for (int64_t r = 0; r < sp_machine_ranks(b->m); r++) {
      for (int64_t i = 0; i < n; i++) {
        saved->v = realloc(saved->v, (saved->n + 1) * sizeof *saved->v);
        saved->v[saved->n++] = sp_machine_value(b->m, t, r, i);
      }
    }
  }
}

static void expect_same_everywhere(const char *text) {
  static const sp_machine_options ways[] = {
      {.slow = true, .threads = 1},
      {.threads = 1},
      {.threads = 3},
      {.raw = true},
      {.keep_all = true},
  };
  outcome first = {0}, other = {0};
  saved = &first;
  run_with(text, ways[0], save_body);
  for (size_t i = 1; i < sizeof ways / sizeof *ways; i++) {
    saved = &other;
    run_with(text, ways[i], save_body);
    CU_ASSERT_EQUAL(first.n, other.n);
    for (size_t k = 0; k < first.n && k < other.n; k++) {
      if (fabs(first.v[k] - other.v[k]) > 1e-12 * (1 + fabs(first.v[k]))) {
        printf("\n    way %zu, value %zu: %.17g and %.17g\n%s", i, k,
               first.v[k], other.v[k], text);
        CU_FAIL("ways of running differ");
        break;
      }
    }
  }
  free(first.v);
  free(other.v);
}

/* A dot of random shape: batch, free and contracted dimensions in random
 * order. */
static void random_dot(uint64_t seed, char *text, size_t size) {
  enum { N = 6 };
  /* letters: 0, 1 batch; 2, 3 contracted; 4 lhs, 5 rhs */
  static const char has_a[] = {0, 1, 2, 3, 4}, has_b[] = {0, 1, 2, 3, 5};
  int dims[N], a[5], b[5];
  char la[64] = "", lb[64] = "", ra[4][16], out[64] = "";
  for (int i = 0; i < N; i++) {
    dims[i] = 1 + (int)(sp_hash_bits(seed, "dim", i) % (i < 2 ? 3 : 9));
  }
  for (int i = 0; i < 5; i++) {
    a[i] = has_a[i];
    b[i] = has_b[i];
  }
  for (int i = 4; i > 0; i--) {
    int j = (int)(sp_hash_bits(seed, "a", i) % (unsigned)(i + 1)), t = a[i];
    a[i] = a[j];
    a[j] = t;
    j = (int)(sp_hash_bits(seed, "b", i) % (unsigned)(i + 1));
    t = b[i];
    b[i] = b[j];
    b[j] = t;
  }
  int at_a[N] = {0}, at_b[N] = {0};
  for (int i = 0; i < 5; i++) {
    at_a[a[i]] = i;
    at_b[b[i]] = i;
    snprintf(la + strlen(la), sizeof la - strlen(la), "%s%d", i ? "," : "",
             dims[a[i]]);
    snprintf(lb + strlen(lb), sizeof lb - strlen(lb), "%s%d", i ? "," : "",
             dims[b[i]]);
  }
  snprintf(ra[0], sizeof ra[0], "%d,%d", at_a[0], at_a[1]);
  snprintf(ra[1], sizeof ra[1], "%d,%d", at_b[0], at_b[1]);
  snprintf(ra[2], sizeof ra[2], "%d,%d", at_a[2], at_a[3]);
  snprintf(ra[3], sizeof ra[3], "%d,%d", at_b[2], at_b[3]);
  snprintf(out, sizeof out, "%d,%d,%d,%d", dims[0], dims[1], dims[4], dims[5]);
  snprintf(text, size,
           "HloModule m, num_partitions=2\nENTRY e {\n"
           "  %%a = f32[%s] parameter(0)\n  %%b = f32[%s] parameter(1)\n"
           "  ROOT %%d = f32[%s] dot(%%a, %%b), lhs_batch_dims={%s}, "
           "rhs_batch_dims={%s}, lhs_contracting_dims={%s}, "
           "rhs_contracting_dims={%s}\n}\n",
           la, lb, out, ra[0], ra[1], ra[2], ra[3]);
}

static void fast_paths_give_what_tapes_give(void) {
  char text[1024];
  for (uint64_t seed = 0; seed < 40; seed++) {
    random_dot(seed, text, sizeof text);
    expect_same_everywhere(text);
  }
}

static void all_ways_of_running_agree(void) {
  expect_same_everywhere(
      "HloModule m, num_partitions=3\n"
      "%sum {\n  %x = f32[] parameter(0)\n  %y = f32[] parameter(1)\n"
      "  ROOT %z = f32[] add(%x, %y)\n}\n"
      "ENTRY e {\n"
      "  %a = f32[40,9,31] parameter(0)\n"
      "  %w = f32[31,17] parameter(1)\n"
      "  %z = f32[] constant(0)\n"
      "  %d = f32[40,9,17] dot(%a, %w), lhs_contracting_dims={2}, "
      "rhs_contracting_dims={0}\n"
      "  %e = f32[40,9,17] exponential(%d)\n"
      "  %s = f32[40,9] reduce(%e, %z), dimensions={2}, to_apply=%sum\n"
      "  %b = f32[40,9,17] broadcast(%s), dimensions={0,1}\n"
      "  %q = f32[40,9,17] divide(%e, %b)\n"
      "  %g = f32[40,9,17] all-reduce(%q), replica_groups={{2,0,1}}, "
      "channel_id=1, use_global_device_ids=true, to_apply=%sum\n"
      "  %r = f32[360,17] reshape(%g)\n"
      "  %t = f32[17,360] transpose(%r), dimensions={1,0}\n"
      "  %p = f32[19,181] pad(%t, %z), padding=1_1x-100_-79\n"
      "  %all = f32[] reduce(%p, %z), dimensions={0,1}, to_apply=%sum\n"
      "  ROOT %u = (f32[19,181], f32[]) tuple(%p, %all)\n}\n");
}

/* Normalisations and softmax-like maps as single operators: what a row shares
 * is computed once on the fast way. */
static void shared_parts_are_computed_the_same(void) {
  expect_same_everywhere(
      "HloModule m, num_partitions=2\n"
      "ENTRY e {\n"
      "  %a = f32[6,37,5] parameter(0)\n"
      "  %s = f32[37] parameter(1)\n"
      "  %o = f32[37] parameter(2)\n"
      "  %g = f32[6,37,5] parameter(3)\n"
      "  %v = f32[37] multiply(%o, %o)\n"
      "  %n = (f32[6,37,5], f32[37], f32[37]) batch-norm-training(%a, %s, %o), "
      "epsilon=0.001, feature_index=1\n"
      "  %x = f32[6,37,5] get-tuple-element(%n), index=0\n"
      "  %y = f32[37] get-tuple-element(%n), index=2\n"
      "  %d = (f32[6,37,5], f32[37], f32[37]) batch-norm-grad(%a, %s, %o, %v, "
      "%g), epsilon=0.001, feature_index=1\n"
      "  %z = f32[6,37,5] get-tuple-element(%d), index=0\n"
      "  ROOT %t = (f32[6,37,5], f32[37], f32[6,37,5]) tuple(%x, %y, %z)\n"
      "}\n");
}

/* Copies share memory with what they copy, until it changes. */
static void copies_body(bench *b) {
  give(b, 0, 0, (const double[]){1, 2, 3, 4});
  give(b, 0, 1, (const double[]){5, 6, 7, 8});
  CU_ASSERT(sp_machine_run(b->m));
  EXPECT(b, 0, 1, 5, 6, 7, 8);
  give(b, 0, 0, (const double[]){9, 9, 9, 9});
  EXPECT(b, 0, 0, 1, 2, 3, 4);
  EXPECT(b, 0, 1, 5, 6, 7, 8);
  CU_ASSERT_EQUAL(sp_machine_value(b->m, b->program->params[0], 1, 3), 8);
  sp_machine_reset(b->m);
  give(b, 0, 0, (const double[]){1, 1, 1, 1});
  give(b, 0, 1, (const double[]){2, 2, 2, 2});
  CU_ASSERT(sp_machine_run(b->m));
  EXPECT(b, 0, 1, 2, 2, 2, 2);
}

static void copies_do_not_change_with_their_original(void) {
  run("HloModule m, num_partitions=2\nENTRY e {\n"
      "  %a = f32[4] parameter(0)\n  %r = f32[2,2] reshape(%a)\n"
      "  ROOT %c = f32[2,2] copy(%r)\n}\n",
      copies_body);
}

static void rounding_body(bench *b) {
  const double v[4] = {1.0 / 3, 1e-9, 300.7, -70000};
  give(b, 0, 0, v);
  CU_ASSERT(sp_machine_run(b->m));
  EXPECT(b, 0, 0, (double)(float)(1.0 / 3), (double)(float)1e-9, (double)300.7f,
         -70000);
  EXPECT(b, 1, 0, 0.333984375, sp_round_to_dtype(1e-9, SP_BF16), 300, -70144);
  EXPECT(b, 2, 0, 0, 0, 44, 0);
  const double *h = sp_machine_values(b->m, b->program->results[3], 0);
  CU_ASSERT_EQUAL(h[0], 0.333251953125);
  CU_ASSERT_EQUAL(h[1], 0);
  CU_ASSERT_EQUAL(h[2], 300.75);
  CU_ASSERT(isinf(h[3]) && h[3] < 0);
}

static void values_can_be_rounded_to_their_types(void) {
  run_with("HloModule m\nENTRY e {\n  %a = f64[4] parameter(0)\n"
           "  %b = f32[4] convert(%a)\n  %c = bf16[4] convert(%a)\n"
           "  %i = s32[4] convert(%a)\n"
           "  %z = s32[4] constant({0, 0, 0, 70000})\n"
           "  %j = s32[4] add(%i, %z)\n"
           "  %u = u8[4] convert(%j)\n  %h = f16[4] convert(%a)\n"
           "  ROOT %t = (f32[4], bf16[4], u8[4], f16[4]) "
           "tuple(%b, %c, %u, %h)\n}\n",
           (sp_machine_options){.round_to_dtype = true}, rounding_body);
}

/* ---- hashing ---- */

static void hashed_values_keep_their_range(void) {
  bool lo = false, hi = false;
  for (int64_t i = 0; i < 4000; i++) {
    double v = sp_hash_value(7, SP_DRAW_SPREAD, "x", i, SP_S32, 3, 9);
    CU_ASSERT_FATAL(v >= 3 && v < 9 && v == floor(v));
    lo = lo || v == 3;
    hi = hi || v == 8;
    v = sp_hash_value(7, SP_DRAW_ENDS, "x", i, SP_S32, 3, 9);
    CU_ASSERT_FATAL(v == 3 || v == 4 || v == 7 || v == 8);
    v = sp_hash_value(7, SP_DRAW_TIES, "x", i, SP_S64, -4, 1000);
    CU_ASSERT_FATAL(v >= -4 && v < 1000);
    v = sp_hash_value(7, SP_DRAW_ENDS, "x", i, SP_U8, 0, 0);
    CU_ASSERT_FATAL(v >= 0 && v < 256);
    v = sp_hash_value(7, SP_DRAW_SPREAD, "x", i, SP_F32, 0, 0);
    CU_ASSERT_FATAL(v >= -2 && v <= 2 && v == (double)(float)v);
    v = sp_hash_value(7, SP_DRAW_ENDS, "x", i, SP_S32, 5, 6);
    CU_ASSERT_FATAL(v == 5);
  }
  CU_ASSERT(lo && hi);
  CU_ASSERT(sp_hash_bits(1, "x", 2) != sp_hash_bits(2, "x", 1));
  CU_ASSERT(sp_hash_bits(1, "x", 2) == sp_hash_bits(1, "x", 2));
}

void suite_evaluate(void) {
  CU_pSuite s = CU_add_suite("evaluate", NULL, NULL);
#define TEST(name) CU_add_test(s, #name, name)
  TEST(elementwise_and_layout);
  TEST(sort_and_topk);
  TEST(computations_without_a_name);
  TEST(decompositions_solve);
  TEST(ranks_may_leave_a_loop_at_different_times);
  TEST(an_endless_loop_exceeds_the_budget);
  TEST(communicating_branches_need_one_index);
  TEST(a_missing_input_is_told);
  TEST(work_beyond_the_budget_is_not_begun);
  TEST(memory_beyond_the_budget_is_not_taken);
  TEST(only_what_is_asked_for_must_be_known);
  TEST(any_tensor_can_be_given);
  TEST(fast_paths_give_what_tapes_give);
  TEST(all_ways_of_running_agree);
  TEST(shared_parts_are_computed_the_same);
  TEST(copies_do_not_change_with_their_original);
  TEST(values_can_be_rounded_to_their_types);
  TEST(hashed_values_keep_their_range);
#undef TEST
}
