/* Running only what some elements need, and counterexamples found so: what is
 * computed must be what a whole run computes, whatever is asked for and
 * wherever inputs are zero; right programs never have a counterexample, real
 * sizes included; wrong ones have.
 *
 * The large set is run as a sample, all of it in the long mode;
 * SHARDPROOF_SAMPLE_CASE: those whose path has it. */
#include "solve/sample.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/hlo.h"
#include "shard-specs/problem.h"
#include "solve/hash.h"
#include "solve/span.h"
#include "tests/suites.h"
#include "tests/support_dumps.h"
#include "tests/support_hlo.h"

void suite_sample(void);

/* ---- a part against the whole ---- */

typedef struct comparison {
  const char *text, *path; /* one of them */
  bool sequential;
  uint64_t seed, start;
  double budget;
  bool ran, outside; /* the part reads outside of a tensor */
  const sp_program *program;
  const sp_span **supports; /* by tensor */
  uint32_t worst;           /* results that differ */
} comparison;

static uint64_t next(comparison *x) {
  x->seed = spi_draw_mix(x->seed, 12345);
  return x->seed;
}

/* About one in `often` indices; all of small dimensions now and then. */
static const sp_span *random_spans(sp_ctx *ctx, comparison *x, uint32_t t,
                                   uint64_t often) {
  const sp_shape *s = &x->program->tensors[t].shape;
  sp_span *v = sp_alloc_n(ctx, s->n_dims + 1u, sizeof *v);
  for (uint32_t d = 0; d < s->n_dims; d++) {
    bool *bits = sp_alloc_n(ctx, (size_t)s->dims[d] + 1, sizeof *bits);
    uint64_t share = next(x) % 3 ? often : 1;
    for (int64_t i = 0; i < s->dims[d]; i++) {
      bits[i] = next(x) % share == 0;
    }
    v[d] = spi_span_of_bits(ctx, bits, s->dims[d]);
  }
  return v;
}

/* None: all of them. */
static sp_span random_ranks(sp_ctx *ctx, comparison *x, int64_t ranks) {
  bool *bits = sp_alloc_n(ctx, (size_t)ranks + 1, sizeof *bits);
  for (int64_t r = 0; r < ranks; r++) {
    bits[r] = next(x) % 3 == 0;
  }
  return spi_span_of_bits(ctx, bits, ranks);
}

static double value(void *user, int64_t rank, int64_t flat,
                    const int64_t *idx) {
  const comparison *x = user;
  const sp_tensor *t = &x->program->tensors[x->worst];
  const sp_span *support = x->supports[x->worst];
  for (uint32_t d = 0; support && d < t->shape.n_dims; d++) {
    if (spi_span_find(support[d], idx[d]) < 0) {
      return 0;
    }
  }
  return sp_hash_value((uint64_t)rank, SP_DRAW_SPREAD, t->name, flat,
                       t->shape.dtype, 0, 5);
}

static void fill(comparison *x, sp_machine *m) {
  for (uint32_t k = 0; k < x->program->n_params; k++) {
    x->worst = x->program->params[k];
    sp_machine_fill_input(m, x->worst, value, x);
  }
}

static bool is_near(double a, double b) {
  return a == b || (isnan(a) && isnan(b)) ||
         fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-9;
}

static void compare_result(comparison *x, sp_machine *whole, sp_machine *part,
                           uint32_t t) {
  int64_t n = sp_machine_count(part, t), idx[SP_MAX_DIMS];
  sp_span ranks = sp_machine_ranks_of(part, t);
  for (int64_t k = 0; k < ranks.n; k++) {
    int64_t r = spi_span_at(ranks, k);
    for (int64_t i = 0; i < n; i++) {
      int64_t flat = sp_machine_where(part, t, i, idx);
      double want = sp_machine_value(whole, t, r, flat);
      double got = sp_machine_value(part, t, r, i);
      if (!is_near(want, got)) {
        printf("\n    %s, %s, rank %d, element %d: %.17g, not %.17g (seed "
               "%llu)",
               x->path ? x->path : "text", x->program->tensors[t].name, (int)r,
               (int)flat, got, want, (unsigned long long)x->start);
        CU_FAIL("a part differs from the whole");
        return;
      }
    }
  }
}

static bool is_large(const sp_program *p) {
  int64_t n = 0;
  for (uint32_t k = 0; k < p->n_params; k++) {
    n += sp_shape_elements(&p->tensors[p->params[k]].shape);
  }
  return n * p->partitions > 10000000;
}

static void compare(sp_ctx *ctx, void *arg) {
  comparison *x = arg;
  x->start = x->seed;
  x->program = x->path
                   ? sp_hlo_read_file(ctx, x->path)
                   : sp_hlo_read_text(ctx, "t.hlo", x->text, strlen(x->text));
  const sp_program *p = x->program;
  sp_pool *pool = sp_pool_new(ctx);
  if (is_large(p)) {
    return;
  }
  sp_machine_options options = {
      .budget_ops = x->budget, .sequential = x->sequential, .raw = x->seed % 2};
  sp_machine *whole = sp_machine_new(ctx, pool, p, &options);
  sp_machine *part = sp_machine_new(ctx, pool, p, &options);
  x->supports = sp_alloc_n(ctx, p->n_tensors + 1u, sizeof *x->supports);
  sp_part *inputs = sp_alloc_n(ctx, p->n_params + 1u, sizeof *inputs);
  for (uint32_t k = 0; k < p->n_params; k++) {
    uint32_t t = p->params[k];
    if (sp_dtype_is_float(p->tensors[t].shape.dtype) && next(x) % 2) {
      x->supports[t] = random_spans(ctx, x, t, 3);
    }
    inputs[k] = (sp_part){.tensor = t, .spans = x->supports[t]};
  }
  uint32_t t = p->n_results ? p->results[next(x) % p->n_results] : SP_NO_TENSOR;
  if (t == SP_NO_TENSOR) {
    return;
  }
  sp_part target = {t, random_spans(ctx, x, t, 4),
                    random_ranks(ctx, x, sp_machine_ranks(part))};
  sp_machine_restrict(part, 1, &target, p->n_params, inputs);
  fill(x, whole);
  fill(x, part);
  bool ok = sp_machine_run_to(whole, t);
  bool part_ok = sp_machine_run_to(part, t);
  x->outside = sp_machine_problem(part)->outcome == SP_RUN_UNDEFINED;
  x->ran = ok && part_ok;
  bool budget = sp_machine_problem(part)->outcome == SP_RUN_BUDGET;
  if (ok && !part_ok && !budget && sp_machine_count(part, t) > 0) {
    printf("\n    %s (seed %llu): %s\n", x->path ? x->path : "text",
           (unsigned long long)x->start, sp_machine_problem(part)->message);
    CU_FAIL("the whole runs, its part does not");
  }
  if (x->ran) {
    compare_result(x, whole, part, t);
  }
}

static comparison compared(comparison x) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  if (sp_protect(ctx, compare, &x) != SP_OK) {
    printf("\n    %s: %s\n", x.path ? x.path : "text",
           sp_ctx_error(ctx)->message);
    CU_FAIL("an error is raised");
  }
  sp_ctx_free(ctx);
  return x;
}

static void text_agrees(const char *text) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    comparison x =
        compared((comparison){.text = text, .seed = seed, .budget = 1e8});
    CU_ASSERT(x.ran);
  }
}

static void products_of_sparse_inputs(void) {
  text_agrees("HloModule m, num_partitions=2\nENTRY e {\n"
              "  x = f32[24,40] parameter(0)\n"
              "  w = f32[40,36] parameter(1)\n"
              "  v = f32[36,20] parameter(2)\n"
              "  a = f32[24,36] dot(x, w), lhs_contracting_dims={1}, "
              "rhs_contracting_dims={0}\n"
              "  t = f32[24,36] tanh(a)\n"
              "  ROOT b = f32[24,20] dot(t, v), lhs_contracting_dims={1}, "
              "rhs_contracting_dims={0}\n}\n");
}

/* What a rank needs of others is computed there, and nothing else. */
static void some_ranks(void) {
  text_agrees(
      "HloModule m, num_partitions=8\nENTRY e {\n"
      "  x = f32[4,6] parameter(0)\n"
      "  t = f32[4,6] tanh(x)\n"
      "  q = f32[4,6] collective-permute(t), channel_id=1, "
      "source_target_pairs={{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7}}\n"
      "  g = f32[8,6] all-gather(q), channel_id=2, dimensions={0}, "
      "replica_groups={{0,3},{1,2},{4,6},{5,7}}, "
      "use_global_device_ids=true\n"
      "  k = u32[] partition-id()\n"
      "  c = u32[] constant(3)\n"
      "  p = pred[] compare(k, c), direction=LT\n"
      "  e = f32[8,6] exponential(g)\n"
      "  ROOT s = f32[8,6] select(p, g, e)\n}\n");
}

/* 0 times infinity is not 0: what may be infinite keeps all terms. */
static void quotients_keep_what_is_not_finite(void) {
  text_agrees("HloModule m\nENTRY e {\n"
              "  x = f32[12,10] parameter(0)\n"
              "  w = f32[12,10] parameter(1)\n"
              "  q = f32[12,10] divide(x, w)\n"
              "  z = f32[] constant(0)\n"
              "  ROOT s = f32[12] reduce(q, z), dimensions={1}, "
              "to_apply=add\n}\n"
              "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
              "  ROOT c = f32[] add(a, b)\n}\n");
}

#define REGIONS                                                                \
  "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"                \
  "  ROOT c = f32[] add(a, b)\n}\n"                                            \
  "max {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"                \
  "  ROOT c = f32[] maximum(a, b)\n}\n"
/* x: the softmax of the rows of z, of which a row has the columns that are in
 * this direction of it. */
#define SOFTMAX(rows, columns, direction)                                      \
  "  r = s32[" rows "," columns "] iota(), iota_dimension=0\n"                 \
  "  k = s32[" rows "," columns "] iota(), iota_dimension=1\n"                 \
  "  c = pred[" rows "," columns "] compare(k, r), direction=" direction "\n"  \
  "  n = f32[] constant(-inf)\n"                                               \
  "  nb = f32[" rows "," columns "] broadcast(n), dimensions={}\n"             \
  "  s = f32[" rows "," columns "] select(c, z, nb)\n"                         \
  "  m = f32[" rows "] reduce(s, n), dimensions={1}, to_apply=max\n"           \
  "  mb = f32[" rows "," columns "] broadcast(m), dimensions={0}\n"            \
  "  d0 = f32[" rows "," columns "] subtract(s, mb)\n"                         \
  "  e = f32[" rows "," columns "] exponential(d0)\n"                          \
  "  o = f32[] constant(0)\n"                                                  \
  "  l = f32[" rows "] reduce(e, o), dimensions={1}, to_apply=add\n"           \
  "  lb = f32[" rows "," columns "] broadcast(l), dimensions={0}\n"            \
  "  x = f32[" rows "," columns "] divide(e, lb)\n"

#define MASKED_PRODUCT(direction)                                              \
  "HloModule m, num_partitions=2\n" REGIONS                                    \
  "ENTRY e {\n  z = f32[12,10] parameter(0)\n" SOFTMAX(                        \
      "12", "10",                                                              \
      direction) "  w = f32[10,9] parameter(1)\n"                              \
                 "  ROOT y = f32[12,9] dot(x, w), lhs_contracting_dims={1}, "  \
                 "rhs_contracting_dims={0}\n}\n"

static void rows_of_masks(void) {
  text_agrees(MASKED_PRODUCT("LE"));
  text_agrees(MASKED_PRODUCT("LT"));
  text_agrees(MASKED_PRODUCT("GE")); /* the last rows have none */
}

static void shapes_are_rearranged(void) {
  text_agrees("HloModule m, num_partitions=4\nENTRY e {\n"
              "  x = f32[8,6,10] parameter(0)\n"
              "  y = f32[480] reshape(x)\n"
              "  z = f32[20,24] reshape(y)\n"
              "  t = f32[24,20] transpose(z), dimensions={1,0}\n"
              "  g = f32[24,80] all-gather(t), dimensions={1}, "
              "replica_groups={{0,1,2,3}}, channel_id=1, "
              "use_global_device_ids=true\n"
              "  s = f32[24,27] slice(g), slice={[0:24], [1:80:3]}\n"
              "  r = f32[24,27] reverse(s), dimensions={1}\n"
              "  c = f32[24,107] concatenate(r, g), dimensions={1}\n"
              "  k = f32[] constant(2)\n"
              "  ROOT p = f32[26,110] pad(c, k), padding=1_1x3_0\n}\n");
}

static void lookups_by_values(void) {
  text_agrees(
      "HloModule m\nENTRY e {\n"
      "  w = f32[5,12] parameter(0)\n"
      "  i = s32[7,1] parameter(1)\n"
      "  g = f32[7,12] gather(w, i), offset_dims={1}, "
      "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
      "slice_sizes={1,12}\n"
      "  k = s32[] parameter(2)\n"
      "  z = s32[] constant(0)\n"
      "  d = f32[3,12] dynamic-slice(g, k, z), dynamic_slice_sizes={3,12}\n"
      "  ROOT u = f32[7,12] dynamic-update-slice(g, d, z, z)\n}\n");
}

static void whole_slices_and_loops(void) {
  text_agrees("HloModule m\n"
              "lt {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
              "  ROOT c = pred[] compare(a, b), direction=LT\n}\n"
              "body {\n  p = (s32[], f32[6,9]) parameter(0)\n"
              "  i = s32[] get-tuple-element(p), index=0\n"
              "  x = f32[6,9] get-tuple-element(p), index=1\n"
              "  o = s32[] constant(1)\n  j = s32[] add(i, o)\n"
              "  y = f32[6,9] add(x, x)\n"
              "  ROOT t = (s32[], f32[6,9]) tuple(j, y)\n}\n"
              "cond {\n  p = (s32[], f32[6,9]) parameter(0)\n"
              "  i = s32[] get-tuple-element(p), index=0\n"
              "  n = s32[] constant(3)\n"
              "  ROOT c = pred[] compare(i, n), direction=LT\n}\n"
              "ENTRY e {\n"
              "  x = f32[6,9] parameter(0)\n"
              "  s = f32[6,9] sort(x), dimensions={1}, to_apply=lt\n"
              "  z = s32[] constant(0)\n"
              "  t = (s32[], f32[6,9]) tuple(z, s)\n"
              "  w = (s32[], f32[6,9]) while(t), condition=cond, body=body\n"
              "  y = f32[6,9] get-tuple-element(w), index=1\n"
              "  ROOT r = f32[6,9] multiply(y, x)\n}\n");
}

/* Embedding tables are read outside on purpose: both ways of running see it. */
static void reads_outside_are_seen(void) {
  comparison x =
      compared((comparison){.text = "HloModule m\nENTRY e {\n"
                                    "  w = f32[40,3] parameter(0)\n"
                                    "  i = s32[] constant(50)\n"
                                    "  z = f32[40,3] tanh(w)\n"
                                    "  ROOT s = f32[40,3] add(z, w)\n}\n",
                            .seed = 3,
                            .budget = 1e8});
  CU_ASSERT(x.ran && !x.outside);
}

static void parts_of_dumps_agree(void) {
  dump_list list = dump_list_find("hlo.txt");
  const char *only = getenv("SHARDPROOF_SAMPLE_CASE");
  size_t step = long_mode() || only ? 1 : 17, ran = 0, tried = 0;
  for (size_t i = 0; i < list.n; i += step) {
    if (only && !strstr(list.paths[i], only)) {
      continue;
    }
    for (uint64_t seed = 1; seed <= (long_mode() ? 4 : 1); seed++) {
      comparison x =
          compared((comparison){.path = list.paths[i],
                                .sequential = strstr(list.paths[i], "before"),
                                .seed = seed + 10 * i,
                                .budget = 2e7});
      ran += x.ran;
      tried++;
    }
  }
  if (list.n) {
    printf("(%zu of %zu programs were run) ", ran, tried);
  } else {
    printf("(no large set of cases: skipped) ");
  }
  dump_list_free(&list);
}

/* ---- looking in samples ---- */

typedef struct search {
  const char *before, *after; /* texts */
  const char *spec;           /* or the path of a spec, */
  const char *pair;           /* or of a module after the partitioner */
  double budget;              /* or 0 */
  bool ran, found, thinned;
  size_t terms; /* that are kept */
  sp_counterexample at;
  char why[300];
} search;

static sp_problem problem_of(sp_ctx *ctx, const search *x) {
  if (x->spec) {
    return sp_spec_problem(ctx, sp_spec_read_file(ctx, x->spec));
  }
  if (x->pair) {
    const char *before =
        sp_format(ctx, "%.*sbefore.hlo.txt",
                  (int)(strrchr(x->pair, '/') - x->pair + 1), x->pair);
    return sp_problem_of_pair(ctx, sp_hlo_read_file(ctx, before),
                              sp_hlo_read_file(ctx, x->pair));
  }
  return sp_problem_of_pair(ctx, hlo_read(ctx, x->before),
                            hlo_read(ctx, x->after));
}

static void look(sp_ctx *ctx, void *arg) {
  search *x = arg;
  sp_problem problem = problem_of(ctx, x);
  sp_check_options options = {
      .run_budget = x->budget > 0 ? x->budget : SP_CHECK_RUN_BUDGET};
  sp_state s = {.ctx = ctx,
                .pool = sp_pool_new(ctx),
                .options = &options,
                .problem = &problem,
                .seq_program = problem.seq,
                .dist_program = problem.dist};
  sp_report_output *outputs =
      sp_alloc_n(ctx, problem.n_promised + 1, sizeof *outputs);
  sp_report report = {.n_outputs = problem.n_promised, .outputs = outputs};
  spi_samples y = {0};
  spi_look_in_samples(&s, &report, &y, &x->at);
  if (y.unknown) {
    y = (spi_samples){.made_up = true};
    spi_look_in_samples(&s, &report, &y, &x->at);
  }
  x->terms = sp_pool_size(s.pool);
  x->found = y.found;
  x->ran = !y.why;
  x->thinned = x->found && strstr(x->at.inputs, "zero but for");
  snprintf(x->why, sizeof x->why, "%s", y.why ? y.why : "");
}

static search looked(search x) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  if (sp_protect(ctx, look, &x) != SP_OK) {
    snprintf(x.why, sizeof x.why, "%.290s", sp_ctx_error(ctx)->message);
  }
  sp_ctx_free(ctx);
  return x;
}

/* Two matrix products, by columns and by rows: 100 GB. */
#define LARGE_BEFORE(x)                                                        \
  "HloModule m\n" REGIONS "ENTRY e {\n" x                                      \
  "  w = f32[65536,65536] parameter(1), sharding={devices=[1,4]<=[4]}\n"       \
  "  v = f32[65536,65536] parameter(2), sharding={devices=[4,1]<=[4]}\n"       \
  "  h = f32[131072,65536] dot(x, w), lhs_contracting_dims={1}, "              \
  "rhs_contracting_dims={0}\n"                                                 \
  "  ROOT y = f32[131072,65536] dot(h, v), lhs_contracting_dims={1}, "         \
  "rhs_contracting_dims={0}, sharding={replicated}\n}\n"
#define LARGE_AFTER(x, groups)                                                 \
  "HloModule m, num_partitions=4\n" REGIONS "ENTRY e {\n" x                    \
  "  w = f32[65536,16384] parameter(1)\n"                                      \
  "  v = f32[16384,65536] parameter(2)\n"                                      \
  "  h = f32[131072,16384] dot(x, w), lhs_contracting_dims={1}, "              \
  "rhs_contracting_dims={0}\n"                                                 \
  "  d = f32[131072,65536] dot(h, v), lhs_contracting_dims={1}, "              \
  "rhs_contracting_dims={0}\n"                                                 \
  "  ROOT y = f32[131072,65536] all-reduce(d), channel_id=1, "                 \
  "use_global_device_ids=true, replica_groups=" groups ", to_apply=add\n}\n"
#define PLAIN(sharding) "  x = f32[131072,65536] parameter(0)" sharding "\n"
#define MASKED(sharding, direction)                                            \
  "  z = f32[131072,65536] parameter(0)" sharding                              \
  "\n" SOFTMAX("131072", "65536", direction)
#define REPLICATED ", sharding={replicated}"

static void what_is_right_at_real_size_has_none(void) {
  search x = looked((search){.before = LARGE_BEFORE(PLAIN(REPLICATED)),
                             .after = LARGE_AFTER(PLAIN(""), "{{0,1,2,3}}")});
  CU_ASSERT(x.ran);
  CU_ASSERT(!x.found);
}

static void what_is_wrong_at_real_size_is_found(void) {
  search x = looked((search){.before = LARGE_BEFORE(PLAIN(REPLICATED)),
                             .after = LARGE_AFTER(PLAIN(""), "{{0,1},{2,3}}")});
  CU_ASSERT_FATAL(x.found);
  CU_ASSERT(x.at.sampled);
  CU_ASSERT(x.thinned);
}

/* Finding out that nothing can be afforded leaves nothing behind. */
static void planning_keeps_nothing(void) {
  search x = looked((search){.before = LARGE_BEFORE(PLAIN(REPLICATED)),
                             .after = LARGE_AFTER(PLAIN(""), "{{0,1},{2,3}}"),
                             .budget = 10});
  CU_ASSERT(!x.ran);
  CU_ASSERT(!x.found);
  CU_ASSERT(strstr(x.why, "--run-budget") != NULL);
  search none = looked((search){.before = LARGE_BEFORE(PLAIN(REPLICATED)),
                                .after = LARGE_AFTER(PLAIN(""), "{{0,1,2,3}}"),
                                .budget = 1});
  CU_ASSERT_EQUAL(x.terms, none.terms);
  CU_ASSERT(x.terms < 100);
}

/* Each row of the mask has an element. */
static void masks_leave_something(void) {
  search x =
      looked((search){.before = LARGE_BEFORE(MASKED(REPLICATED, "LE")),
                      .after = LARGE_AFTER(MASKED("", "LE"), "{{0,1},{2,3}}")});
  CU_ASSERT(x.found);
}

/* The first one has none: what is not a number stays one. */
static void masks_may_leave_nothing(void) {
  search x =
      looked((search){.before = LARGE_BEFORE(MASKED(REPLICATED, "LT")),
                      .after = LARGE_AFTER(MASKED("", "LT"), "{{0,1},{2,3}}")});
  CU_ASSERT(!x.found);
  CU_ASSERT(!x.ran);
}

/* A verdict from expect.yaml or spec.yaml. */
static bool expects_violation(const char *path) {
  FILE *f = fopen(path, "r");
  char line[512];
  bool violation = false, unknown = false;
  while (f && fgets(line, sizeof line, f)) {
    violation = violation || strncmp(line, "expect: violation", 17) == 0;
    unknown = unknown || strncmp(line, "expect: unknown", 15) == 0;
  }
  if (f) {
    fclose(f);
  }
  return violation || unknown;
}

static void look_at_specs(const char *folder, size_t step) {
  dump_list list = dump_list_find_in(folder, "pec.yaml");
  unsigned right = 0, ran = 0, wrong = 0, found = 0;
  const char *only = getenv("SHARDPROOF_SAMPLE_CASE");
  for (size_t i = 0; i < list.n; i += only ? 1 : step) {
    if (only && !strstr(list.paths[i], only)) {
      continue;
    }
    bool violation = expects_violation(list.paths[i]);
    search x = looked((search){.spec = list.paths[i]});
    if (violation) {
      wrong++;
      found += x.found;
      continue;
    }
    right++;
    ran += x.ran;
    if (x.found) {
      printf("\n    %s: result %u, %.17g instead of %.17g", list.paths[i],
             x.at.output, x.at.got, x.at.expected);
      CU_FAIL("a right program has a counterexample");
    }
    if (only) {
      printf("\n    %s: %s\n", list.paths[i], x.why);
    }
  }
  if (list.n) {
    printf("(%s: %u of %u right ones were run, %u of %u wrong ones found) ",
           folder, ran, right, found, wrong);
  } else {
    printf("(no large set of cases: skipped) ");
  }
  dump_list_free(&list);
}

static void right_graphs_have_none(void) {
  look_at_specs("torch", long_mode() ? 1 : 8);
  look_at_specs("entangle", long_mode() ? 1 : 3);
}

/* They rise, and a spot of blocks is in the spot's block. */
static void spots_fit_blocks(void) {
  for (int64_t n = SPI_DRAW_SPOTS; n < 2000; n++) {
    int64_t before = -1;
    for (int64_t k = 0; k < SPI_DRAW_SPOTS; k++) {
      int64_t at = spi_draw_spot(n, k, true), m = n % 7 + 2;
      CU_ASSERT(at > before && at < n);
      before = at;
      CU_ASSERT(n % SPI_DRAW_SPOTS || spi_draw_spot(n * m, k, true) / m == at);
    }
  }
}

void suite_sample(void) {
  CU_pSuite s = CU_add_suite("sample", NULL, NULL);
  CU_ADD_TEST(s, spots_fit_blocks);
  CU_ADD_TEST(s, products_of_sparse_inputs);
  CU_ADD_TEST(s, some_ranks);
  CU_ADD_TEST(s, quotients_keep_what_is_not_finite);
  CU_ADD_TEST(s, rows_of_masks);
  CU_ADD_TEST(s, shapes_are_rearranged);
  CU_ADD_TEST(s, lookups_by_values);
  CU_ADD_TEST(s, whole_slices_and_loops);
  CU_ADD_TEST(s, reads_outside_are_seen);
  CU_ADD_TEST(s, parts_of_dumps_agree);
  CU_ADD_TEST(s, what_is_right_at_real_size_has_none);
  CU_ADD_TEST(s, what_is_wrong_at_real_size_is_found);
  CU_ADD_TEST(s, planning_keeps_nothing);
  CU_ADD_TEST(s, masks_leave_something);
  CU_ADD_TEST(s, masks_may_leave_nothing);
  CU_ADD_TEST(s, right_graphs_have_none);
}
