/* test_loops.c: loops: how many steps, what is carried, what it costs.
 *
 * One small model is written as HLO text, sequential and on two partitions,
 * with loops that a `shape` describes (write_module); a test changes one side
 * and says whether the pair must be proved. The pairs of tests/loops/cases
 * follow: real dumps, and their broken twins.
 */
#define _POSIX_C_SOURCE 200809L

#include "graph/hlo.h"
#include "solve/check.h"
#include "tests/suites.h"
#include "tests/support_dumps.h"

#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_loops(void);

/* ---- the model: x + tanh(x w[i]) v[i], step by step ---- */

typedef enum counting {
  BY_ADDING,
  BY_DOUBLING, /* no step that is a number */
} counting;

typedef enum partner {
  IN_BODY, /* the product is summed in every step, as it must be */
  NOT_SUMMED,
} partner;

typedef struct shape {
  int64_t layers; /* of the stacked weights */
  int64_t first, step, bound;
  const char *direction;
  counting counts;
  bool backwards;      /* carried in another order */
  bool next_layer;     /* slices at the counter's next value */
  bool next_minus_one; /* at that less the step: the same place */
  bool stale;          /* returns x as it came */
  partner sums;
  int nested; /* loops inside the loop's body */
} shape;

static const shape plain = {
    .layers = 4, .step = 1, .bound = 4, .direction = "LT"};

typedef struct text {
  char v[16384];
  size_t n;
} text;

static void put(text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(t->v + t->n, sizeof t->v - t->n, format, args);
  va_end(args);
  t->n += (size_t)n;
  CU_ASSERT_FATAL(t->n < sizeof t->v);
}

/* The carried tuple: i, x, w, v, or the other way round. */
static int place(const shape *s, int k) {
  return s->backwards ? 3 - k : k;
}

static void put_type(text *t, const shape *s, bool local) {
  int64_t half = local ? 4 : 8;
  char types[4][64];
  snprintf(types[place(s, 0)], 64, "s32[]");
  snprintf(types[place(s, 1)], 64, "f32[4,8]");
  snprintf(types[place(s, 2)], 64, "f32[%" PRId64 ",8,%" PRId64 "]", s->layers,
           half);
  snprintf(types[place(s, 3)], 64, "f32[%" PRId64 ",%" PRId64 ",8]", s->layers,
           half);
  put(t, "(%s, %s, %s, %s)", types[0], types[1], types[2], types[3]);
}

static void put_tuple(text *t, const shape *s, const char *const names[4]) {
  const char *at[4];
  for (int k = 0; k < 4; k++) {
    at[place(s, k)] = names[k];
  }
  put(t, " tuple(%s, %s, %s, %s)\n", at[0], at[1], at[2], at[3]);
}

static void put_carried(text *t, const shape *s, bool local) {
  int64_t half = local ? 4 : 8;
  put(t, "  p = ");
  put_type(t, s, local);
  put(t, " parameter(0)\n");
  put(t, "  i = s32[] get-tuple-element(p), index=%d\n", place(s, 0));
  put(t, "  x = f32[4,8] get-tuple-element(p), index=%d\n", place(s, 1));
  put(t,
      "  w = f32[%" PRId64 ",8,%" PRId64 "] get-tuple-element(p), index=%d\n",
      s->layers, half, place(s, 2));
  put(t,
      "  v = f32[%" PRId64 ",%" PRId64 ",8] get-tuple-element(p), index=%d\n",
      s->layers, half, place(s, 3));
}

static void put_step(text *t, const shape *s, bool local) {
  int half = local ? 4 : 8;
  const char *at = s->next_layer ? "next" : s->next_minus_one ? "again" : "i";
  put(t, "  step = s32[] constant(%" PRId64 ")\n", s->step);
  if (s->counts == BY_DOUBLING) {
    put(t, "  next = s32[] add(i, i)\n");
  } else {
    put(t, "  next = s32[] add(i, step)\n");
  }
  put(t, "  again = s32[] subtract(next, step)\n");
  put(t, "  zero = s32[] constant(0)\n");
  put(t,
      "  w1 = f32[1,8,%d] dynamic-slice(w, %s, zero, zero), "
      "dynamic_slice_sizes={1,8,%d}\n",
      half, at, half);
  put(t, "  wi = f32[8,%d] reshape(w1)\n", half);
  put(t,
      "  v1 = f32[1,%d,8] dynamic-slice(v, %s, zero, zero), "
      "dynamic_slice_sizes={1,%d,8}\n",
      half, at, half);
  put(t, "  vi = f32[%d,8] reshape(v1)\n", half);
  put(t,
      "  h = f32[4,%d] dot(x, wi), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n",
      half);
  put(t, "  a = f32[4,%d] tanh(h)\n", half);
  put(t, "  y = f32[4,8] dot(a, vi), lhs_contracting_dims={1}, "
         "rhs_contracting_dims={0}\n");
  if (local && s->sums == IN_BODY) {
    put(t, "  yr = f32[4,8] all-reduce(y), channel_id=1, "
           "replica_groups={{0,1}}, use_global_device_ids=true, "
           "to_apply=add\n");
  } else {
    put(t, "  yr = f32[4,8] copy(y)\n");
  }
  put(t, "  z = f32[4,8] add(x, yr)\n");
}

static void put_condition(text *t, const shape *s, bool local,
                          const char *name) {
  put(t, "%s {\n", name);
  put_carried(t, s, local);
  put(t, "  n = s32[] constant(%" PRId64 ")\n", s->bound);
  put(t, "  ROOT c = pred[] compare(i, n), direction=%s\n}\n\n", s->direction);
}

/* The body of the outer loop runs the inner one from the start. */
static void put_outer_body(text *t, const shape *s, bool local) {
  put(t, "outer {\n");
  put_carried(t, s, local);
  put(t, "  first = s32[] constant(%" PRId64 ")\n  in = ", s->first);
  put_type(t, s, local);
  put_tuple(t, s, (const char *[]){"first", "x", "w", "v"});
  put(t, "  run = ");
  put_type(t, s, local);
  put(t, " while(in), condition=cond, body=body\n");
  put(t, "  z = f32[4,8] get-tuple-element(run), index=%d\n", place(s, 1));
  put(t, "  one = s32[] constant(1)\n  next = s32[] add(i, one)\n  ROOT r = ");
  put_type(t, s, local);
  put_tuple(t, s, (const char *[]){"next", "z", "w", "v"});
  put(t, "}\n\n");
}

static void put_entry(text *t, const shape *s, bool local) {
  int half = local ? 4 : 8;
  put(t, "ENTRY e {\n");
  put(t, "  x = f32[4,8] parameter(0)%s\n",
      local ? "" : ", sharding={replicated}");
  put(t, "  w = f32[%" PRId64 ",8,%d] parameter(1)%s\n", s->layers, half,
      local ? "" : ", sharding={devices=[1,1,2]<=[2]}");
  put(t, "  v = f32[%" PRId64 ",%d,8] parameter(2)%s\n", s->layers, half,
      local ? "" : ", sharding={devices=[1,2,1]<=[2]}");
  put(t,
      "  i = s32[] constant(%" PRId64 ")\n  in = ", s->nested ? 0 : s->first);
  put_type(t, s, local);
  put_tuple(t, s, (const char *[]){"i", "x", "w", "v"});
  put(t, "  out = ");
  put_type(t, s, local);
  put(t, " while(in), condition=%s, body=%s\n",
      s->nested ? "cond_outer" : "cond", s->nested ? "outer" : "body");
  put(t, "  ROOT y = f32[4,8] get-tuple-element(out), index=%d%s\n}\n",
      place(s, 1), local ? "" : ", sharding={replicated}");
}

static void write_module(text *t, const shape *s, bool local) {
  t->n = 0;
  put(t, "HloModule m, num_partitions=2\n\n");
  put(t, "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
         "  ROOT c = f32[] add(a, b)\n}\n\n");
  put(t, "body {\n");
  put_carried(t, s, local);
  put_step(t, s, local);
  put(t, "  ROOT r = ");
  put_type(t, s, local);
  put_tuple(t, s, (const char *[]){"next", s->stale ? "x" : "z", "w", "v"});
  put(t, "}\n\n");
  put_condition(t, s, local, "cond");
  if (s->nested) {
    shape outer = *s;
    outer.bound = s->nested;
    outer.direction = "LT";
    put_outer_body(t, s, local);
    put_condition(t, &outer, local, "cond_outer");
  }
  put_entry(t, s, local);
}

/* ---- checking ---- */

typedef struct outcome {
  sp_verdict verdict;
  uint64_t obligations, distinct;
  size_t bytes;
  double seconds;
  bool says; /* `look_for` occurs in the reasons */
} outcome;

typedef struct job {
  const char *before, *after; /* HLO text */
  const char *look_for;
  outcome out;
} job;

static void run_job(sp_ctx *ctx, void *arg) {
  job *j = arg;
  const sp_program *seq =
      sp_hlo_read_text(ctx, "before", j->before, strlen(j->before));
  const sp_program *dist =
      sp_hlo_read_text(ctx, "after", j->after, strlen(j->after));
  sp_check_options o = {.run_budget = -1};
  const sp_report *r = sp_check(ctx, seq, dist, &o);
  j->out.verdict = r->verdict;
  j->out.obligations = r->stats.obligations;
  j->out.distinct = r->stats.distinct;
  j->out.seconds = r->stats.seconds;
  j->out.bytes = sp_ctx_bytes(ctx);
  for (size_t i = 0; j->look_for && i < r->n_tensors; i++) {
    j->out.says |= r->tensors[i].why && strstr(r->tensors[i].why, j->look_for);
  }
}

static outcome check_texts(const char *before, const char *after,
                           const char *look_for) {
  job j = {before, after, look_for, {0}};
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL(ctx);
  sp_code code = sp_protect(ctx, run_job, &j);
  CU_ASSERT_EQUAL(code, SP_OK);
  if (code != SP_OK) {
    printf("  raised: %s\n", sp_ctx_error(ctx)->message);
    j.out.verdict = SP_UNPROVEN;
  }
  sp_ctx_free(ctx);
  return j.out;
}

static outcome check_pair(const shape *seq, const shape *dist,
                          const char *look_for) {
  static text before, after;
  write_module(&before, seq, false);
  write_module(&after, dist, true);
  return check_texts(before.v, after.v, look_for);
}

static bool proves(const shape *seq, const shape *dist) {
  return check_pair(seq, dist, NULL).verdict == SP_REFINES;
}

/* ---- trip counts ---- */

static shape counting_from(int64_t first, int64_t step, int64_t bound,
                           const char *direction) {
  shape s = plain;
  s.first = first;
  s.step = step;
  s.bound = bound;
  s.direction = direction;
  return s;
}

static const struct {
  int64_t first, step, bound;
  const char *direction;
  int trips;
} counts[] = {
    {0, 1, 4, "LT", 4},   {0, 1, 4, "LE", 5},  {0, 1, 4, "NE", 4},
    {4, -1, 0, "GT", 4},  {4, -1, 0, "GE", 5}, {4, -1, 0, "NE", 4},
    {0, 2, 7, "LT", 4},   {0, 3, 7, "LE", 3},  {0, 2, 8, "NE", 4},
    {10, -3, 0, "GT", 4}, {9, -3, 0, "GE", 4}, {-2, 1, 2, "LT", 4},
    {4, 1, 4, "LT", 0},   {0, 1, 1, "LT", 1},  {7, 1, 3, "LE", 0},
};
enum { N_COUNTS = sizeof counts / sizeof *counts };

static shape counts_as(int k) {
  return counting_from(counts[k].first, counts[k].step, counts[k].bound,
                       counts[k].direction);
}

static void trip_counts(void) {
  for (int k = 0; k < N_COUNTS; k++) {
    shape s = counts_as(k);
    CU_ASSERT(proves(&s, &s));
  }
}

static void different_trip_counts(void) {
  for (int k = 0; k < N_COUNTS; k++) {
    shape s = counts_as(k);
    for (int other = k + 1; other < k + 3; other++) {
      shape d = counts_as(other % N_COUNTS);
      if (counts[k].trips != counts[other % N_COUNTS].trips && proves(&s, &d)) {
        printf("  %d, %d\n", k, other % N_COUNTS);
        CU_FAIL("a different number of steps was proved equal");
      }
    }
  }
}

static void trip_count_says_why(void) {
  shape one_more = plain;
  one_more.direction = "LE";
  outcome o = check_pair(&plain, &one_more, "steps");
  CU_ASSERT_NOT_EQUAL(o.verdict, SP_REFINES);
  /* More steps than are unrolled: the reason is the number. */
  shape many = plain, more = plain;
  many.bound = 1000;
  more.bound = 1001;
  o = check_pair(&many, &more, "makes 1000 steps, this one 1001");
  CU_ASSERT_NOT_EQUAL(o.verdict, SP_REFINES);
  CU_ASSERT(o.says);
}

static void unknown_trip_count(void) {
  /* 1, 2, 4: no counter, but the same condition ends both loops. */
  shape doubling = counting_from(1, 1, 4, "LT");
  doubling.counts = BY_DOUBLING;
  CU_ASSERT(proves(&doubling, &doubling));
  shape other = doubling;
  other.bound = 5;
  outcome o = check_pair(&doubling, &other, "number of steps cannot be");
  CU_ASSERT_NOT_EQUAL(o.verdict, SP_REFINES);
  CU_ASSERT(o.says);
  o = check_pair(&plain, &doubling, "number of steps cannot be");
  CU_ASSERT_NOT_EQUAL(o.verdict, SP_REFINES);
  CU_ASSERT(o.says);
  o = check_pair(&doubling, &plain, NULL);
  CU_ASSERT_NOT_EQUAL(o.verdict, SP_REFINES);
  /* A step of no length: it never ends; nothing hangs. */
  shape still = counting_from(0, 0, 4, "LT");
  CU_ASSERT_NOT_EQUAL(check_pair(&plain, &still, NULL).verdict, SP_REFINES);
}

/* ---- what is carried ---- */

static void carried_in_another_order(void) {
  shape d = plain;
  d.backwards = true;
  CU_ASSERT(proves(&plain, &d));
  CU_ASSERT(proves(&d, &plain));
  d.stale = true;
  CU_ASSERT_FALSE(proves(&plain, &d));
}

static void counter_read_after_update(void) {
  shape d = plain;
  d.next_layer = true;
  CU_ASSERT(proves(&d, &d));
  CU_ASSERT_FALSE(proves(&plain, &d));
  d = plain;
  d.next_minus_one = true;
  CU_ASSERT(proves(&plain, &d));
  /* The same layers by other numbers: i + 1 from -1 on. */
  shape late = counting_from(-1, 1, 3, "LT");
  late.next_layer = true;
  CU_ASSERT(proves(&plain, &late));
}

static void body_is_wrong(void) {
  shape d = plain;
  d.sums = NOT_SUMMED;
  CU_ASSERT_FALSE(proves(&plain, &d));
  d = plain;
  d.stale = true;
  CU_ASSERT_FALSE(proves(&plain, &d));
  /* No step is made: then it is right all the same. */
  shape never = counting_from(0, 1, 0, "LT");
  d = never;
  d.sums = NOT_SUMMED;
  CU_ASSERT(proves(&never, &never));
}

static void nested_loops(void) {
  shape s = plain;
  s.nested = 3;
  CU_ASSERT(proves(&s, &s));
  shape d = s;
  d.backwards = true;
  CU_ASSERT(proves(&s, &d));
  d = s;
  d.nested = 4;
  CU_ASSERT_FALSE(proves(&s, &d));
  d = s;
  d.bound = 3;
  CU_ASSERT_FALSE(proves(&s, &d));
  d = s;
  d.sums = NOT_SUMMED;
  CU_ASSERT_FALSE(proves(&s, &d));
}

/* ---- cost ---- */

static void cost_does_not_depend_on_the_trip_count(void) {
  static const int64_t trips[] = {2, 80, 100000};
  outcome first = {0};
  for (int k = 0; k < 3; k++) {
    shape s = plain;
    s.layers = s.bound = trips[k];
    outcome o = check_pair(&s, &s, NULL);
    CU_ASSERT_EQUAL(o.verdict, SP_REFINES);
    CU_ASSERT(o.seconds < 5);
    if (k == 0) {
      first = o;
    }
    CU_ASSERT_EQUAL(o.obligations, first.obligations);
    CU_ASSERT_EQUAL(o.distinct, first.distinct);
    /* Names and numbers are a little longer. */
    CU_ASSERT(o.bytes < first.bytes + (1u << 16));
  }
}

/* ---- real dumps ---- */

static char *text_of(const char *root, const char *name, const char *file) {
  char path[1024];
  snprintf(path, sizeof path, "%s/tests/loops/cases/%s/%s", root, name, file);
  size_t n;
  return (char *)file_bytes(path, &n);
}

static void check_case(const char *root, const char *name) {
  char *before = text_of(root, name, "before.hlo.txt");
  char *after = text_of(root, name, "after.hlo.txt");
  char *expect = text_of(root, name, "expect.yaml");
  CU_ASSERT(before && after && expect);
  if (before && after && expect) {
    bool refines = strstr(expect, "\nverdict: refines\n");
    outcome o = check_texts(before, after, NULL);
    if (refines != (o.verdict == SP_REFINES)) {
      printf("  %s\n", name);
      CU_FAIL("a wrong verdict");
    }
  }
  free(before);
  free(after);
  free(expect);
}

static void dumps(void) {
  static const char *const names[] = {"micro_layers",
                                      "micro_layers.no_allreduce",
                                      "micro_layers.first_microbatch",
                                      "micro_layers.three_layers",
                                      "micro_layers_grad",
                                      "micro_layers_grad.residuals_swapped",
                                      "micro_layers_grad.no_allreduce",
                                      "micro_layers_grad.first_layer_first",
                                      "rnn_sharded",
                                      "rnn_sharded.gathered_over_data",
                                      "rnn_sharded.no_allreduce",
                                      "rnn_sharded.stale_state",
                                      "rnn_sharded.four_steps",
                                      "rnn_scatter",
                                      "rnn_scatter.wrong_slice",
                                      "remat_grad",
                                      "remat_grad.wrong_layer",
                                      "remat_grad.no_allreduce",
                                      "remat_grad.three_layers",
                                      "psum_after_loop",
                                      "psum_after_loop.not_summed",
                                      "psum_after_loop.summed_over_model",
                                      "psum_after_loop.added_twice",
                                      "scatter_after_loop",
                                      "scatter_after_loop.rows_swapped",
                                      "ddp_layers",
                                      "ddp_layers.not_summed",
                                      "ddp_layers.stale_gradient",
                                      "steps_given",
                                      "steps_given.one_more",
                                      "converges",
                                      "converges.stops_early",
                                      "blocked_matmul",
                                      "blocked_matmul.one_block_less",
                                      "blocked_matmul.from_second_block",
                                      "blocked_matmul.same_block",
                                      "blocked_before",
                                      "blocked_reduce",
                                      "blocked_reduce.one_more",
                                      "blocked_reduce.lost_sum",
                                      "blocked_rows",
                                      "blocked_rows.last_rows",
                                      "blocked_rows.first_rows",
                                      "mapped_before",
                                      "mapped_before.no_allreduce",
                                      "blocked_tiles",
                                      "blocked_tiles.one_column_of_tiles",
                                      "blocked_tiles.four_blocks",
                                      "grid_accumulated",
                                      "grid_accumulated.one_step_less",
                                      "grid_accumulated.first_block",
                                      "grid_written",
                                      "grid_written.short_rows",
                                      "flash_blocks",
                                      "flash_blocks.not_rescaled",
                                      "flash_blocks.one_block_less",
                                      "flash_blocks.old_values",
                                      "flash_causal",
                                      "flash_causal.without_itself",
                                      "accumulated_before",
                                      "accumulated_before.no_allreduce",
                                      "accumulated_otherwise",
                                      "accumulated_otherwise.two_microbatches",
                                      "unrolled_after",
                                      "unrolled_after.layer_twice",
                                      "unrolled_before",
                                      "unrolled_before.no_allreduce",
                                      "unrolled_inside",
                                      "unrolled_inside.no_allreduce",
                                      "pipeline_loop",
                                      "pipeline_loop.late",
                                      "pipeline_loop.back"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    check_case(test_source(), names[i]);
  }
}

void suite_loops(void) {
  CU_pSuite s = CU_add_suite("loops", NULL, NULL);
  CU_add_test(s, "trip counts", trip_counts);
  CU_add_test(s, "different trip counts", different_trip_counts);
  CU_add_test(s, "trip count says why", trip_count_says_why);
  CU_add_test(s, "unknown trip count", unknown_trip_count);
  CU_add_test(s, "carried in another order", carried_in_another_order);
  CU_add_test(s, "counter read after update", counter_read_after_update);
  CU_add_test(s, "body is wrong", body_is_wrong);
  CU_add_test(s, "nested loops", nested_loops);
  CU_add_test(s, "cost does not depend on the trip count",
              cost_does_not_depend_on_the_trip_count);
  CU_add_test(s, "dumps", dumps);
}
