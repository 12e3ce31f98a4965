/* Looking for counterexamples without a proof before it: on right pairs none
 * must ever be found, whatever the inputs; on wrong ones it must be, and what
 * rounding may do is no difference.
 *
 * The large set is run on two seeds in each mode; SHARDPROOF_LONG: on many. */
#include "solve/witness.h"

#include "graph/hlo.h"
#include "tests/suites.h"
#include "tests/support_dumps.h"
#include "tests/support_hlo.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_witness(void);

enum { MAX_RANGES = 16 };

typedef struct search {
  const sp_program *seq, *dist;
  const char *before, *after; /* files; or the programs are given */
  sp_assumed_range ranges[MAX_RANGES];
  sp_stretch parts[MAX_RANGES];
  size_t n_ranges;
  uint64_t seeds; /* pairs of seeds, in each mode */
  double budget;
  bool found, ran;
  sp_counterexample at;
} search;

static void run_search(sp_ctx *ctx, void *arg) {
  search *x = arg;
  if (x->before) {
    x->seq = sp_hlo_read_file(ctx, x->before);
    x->dist = sp_hlo_read_file(ctx, x->after);
  }
  sp_problem problem = sp_problem_of_pair(ctx, x->seq, x->dist);
  sp_problem_assume(ctx, &problem, x->ranges, x->n_ranges);
  sp_check_options options = {.run_budget = x->budget};
  sp_state s = {.ctx = ctx,
                .pool = sp_pool_new(ctx),
                .options = &options,
                .problem = &problem,
                .seq_program = problem.seq,
                .dist_program = problem.dist};
  spi_bench *b = spi_bench_new(&s, NULL, false);
  uint32_t times = 0; /* over all modes, as in a check */
  for (int mode = 0; mode < SPI_DRAW_MODES && !x->found; mode++) {
    for (uint64_t k = 0; k < x->seeds && !x->found; k++) {
      const char *why = NULL;
      x->found =
          spi_hunt(b, (spi_draw_mode)mode, 1 + 10 * k, &x->at, &times, &why);
      x->ran = x->ran || !why;
    }
  }
}

/* ---- texts ---- */

#define SEQ(body)                                                              \
  "HloModule m\nENTRY e {\n"                                                   \
  "  x = f32[8] parameter(0), sharding={devices=[2]<=[2]}\n" body "}\n"
#define DIST(body)                                                             \
  "HloModule m, num_partitions=2\nENTRY e {\n"                                 \
  "  x = f32[4] parameter(0)\n" body "}\n"

static search searched(const char *seq, const char *dist) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  search x = {.seq = hlo_read(ctx, seq),
              .dist = hlo_read(ctx, dist),
              .seeds = 4,
              .budget = 1e8};
  CU_ASSERT_FATAL(x.seq && x.dist);
  sp_code code = sp_protect(ctx, run_search, &x);
  CU_ASSERT_EQUAL(code, SP_OK);
  if (code != SP_OK) {
    printf("\n%s\n", sp_ctx_error(ctx)->message);
  }
  CU_ASSERT(x.ran);
  sp_ctx_free(ctx);
  return x;
}

static void test_a_difference_is_found(void) {
  search x = searched(
      SEQ("  ROOT y = f32[8] negate(x), sharding={devices=[2]<=[2]}\n"),
      DIST("  ROOT y = f32[4] abs(x)\n"));
  CU_ASSERT(x.found);
}

static void test_right_is_right(void) {
  search x = searched(
      SEQ("  ROOT y = f32[8] negate(x), sharding={devices=[2]<=[2]}\n"),
      DIST("  ROOT y = f32[4] negate(x)\n"));
  CU_ASSERT(!x.found);
}

/* (e^x / 3) * 3 >= e^x and (e^x * 3) / 3 >= e^x are both true over the reals;
 * rounded, each is false here and there. */
static void test_rounding_decides_a_comparison(void) {
  search x = searched(SEQ("  e = f32[8] exponential(x)\n"
                          "  c = f32[] constant(3)\n"
                          "  b = f32[8] broadcast(c), dimensions={}\n"
                          "  d = f32[8] divide(e, b)\n"
                          "  f = f32[8] multiply(d, b)\n"
                          "  ROOT y = pred[8] compare(f, e), direction=GE, "
                          "sharding={devices=[2]<=[2]}\n"),
                      DIST("  e = f32[4] exponential(x)\n"
                           "  c = f32[] constant(3)\n"
                           "  b = f32[4] broadcast(c), dimensions={}\n"
                           "  d = f32[4] multiply(e, b)\n"
                           "  f = f32[4] divide(d, b)\n"
                           "  ROOT y = pred[4] compare(f, e), direction=GE\n"));
  CU_ASSERT(!x.found);
}

/* What is left of zero, made large. */
static void test_what_cancels_is_no_difference(void) {
  search x = searched(
      SEQ("  e = f32[8] exponential(x)\n"
          "  c = f32[] constant(3)\n"
          "  b = f32[8] broadcast(c), dimensions={}\n"
          "  d = f32[8] divide(e, b)\n"
          "  f = f32[8] multiply(d, b)\n"
          "  g = f32[8] subtract(f, e)\n"
          "  k = f32[] constant(1e16)\n"
          "  l = f32[8] broadcast(k), dimensions={}\n"
          "  ROOT y = f32[8] multiply(g, l), sharding={devices=[2]<=[2]}\n"),
      DIST("  c = f32[] constant(0)\n"
           "  ROOT y = f32[4] broadcast(c), dimensions={}\n"));
  CU_ASSERT(!x.found);
}

/* A tie of inputs is decided by their order: that is no rounding. */
static void test_ties_of_inputs_count(void) {
  search x = searched(SEQ("  c = f32[] constant(0.5)\n"
                          "  b = f32[8] broadcast(c), dimensions={}\n"
                          "  ROOT y = pred[8] compare(x, b), direction=GE, "
                          "sharding={devices=[2]<=[2]}\n"),
                      DIST("  c = f32[] constant(0.5)\n"
                           "  b = f32[4] broadcast(c), dimensions={}\n"
                           "  ROOT y = pred[4] compare(x, b), direction=GT\n"));
  CU_ASSERT(x.found);
}

/* Where the sequential program has no value, anything will do. */
static void test_undefined_is_no_difference(void) {
  search x =
      searched(SEQ("  a = f32[8] abs(x)\n"
                   "  n = f32[8] negate(a)\n"
                   "  c = f32[] constant(1)\n"
                   "  b = f32[8] broadcast(c), dimensions={}\n"
                   "  m = f32[8] subtract(n, b)\n"
                   "  ROOT y = f32[8] log(m), sharding={devices=[2]<=[2]}\n"),
               DIST("  c = f32[] constant(7)\n"
                    "  ROOT y = f32[4] broadcast(c), dimensions={}\n"));
  CU_ASSERT(!x.found);
}

static void test_division_by_zero_is_no_difference(void) {
  search x = searched(
      SEQ("  c = f32[] constant(0)\n"
          "  b = f32[8] broadcast(c), dimensions={}\n"
          "  ROOT y = f32[8] divide(x, b), sharding={devices=[2]<=[2]}\n"),
      DIST("  c = f32[] constant(7)\n"
           "  ROOT y = f32[4] broadcast(c), dimensions={}\n"));
  CU_ASSERT(!x.found);
}

/* ---- the large set ---- */

static const char *beside(sp_ctx *ctx, const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  return sp_format(ctx, "%.*s/%s", (int)(slash - path), path, name);
}

/* "verdict: refines", and the ranges of integer inputs. */
static bool read_expectations(const char *path, sp_ctx *ctx, search *x) {
  FILE *f = fopen(path, "r");
  char line[512];
  long long param = 0, lo = 0, number;
  bool refines = false, is_int = false;
  while (f && fgets(line, sizeof line, f)) {
    refines = refines || strcmp(line, "verdict: refines\n") == 0;
    if (sscanf(line, "- param: %lld", &number) == 1) {
      param = number;
      is_int = false;
    }
    is_int = is_int || strcmp(line, "  draw: int\n") == 0;
    if (sscanf(line, "  lo: %lld", &number) == 1) {
      lo = number;
    }
    if (is_int && sscanf(line, "  hi: %lld", &number) == 1 &&
        x->n_ranges < MAX_RANGES) {
      x->parts[x->n_ranges] = (sp_stretch){lo, number - 1};
      x->ranges[x->n_ranges] =
          (sp_assumed_range){.name = sp_format(ctx, "%lld", param),
                             .n = 1,
                             .parts = &x->parts[x->n_ranges]};
      x->n_ranges++;
    }
  }
  if (f) {
    fclose(f);
  }
  return refines;
}

static void test_right_pairs_have_no_witness(void) {
#ifdef __SANITIZE_ADDRESS__
  /* Runs of large tensors: more memory than sanitized programs are given. */
  printf("  [skipped under AddressSanitizer: runs in the release preset] ");
  return;
#endif
  dump_list list = dump_list_find("fter.hlo.txt");
  unsigned right = 0, ran = 0;
  const char *only = getenv("SHARDPROOF_WITNESS_CASE");
  for (size_t i = 0; i < list.n; i++) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    const char *path = list.paths[i];
    search x = {.before = beside(ctx, path, "before.hlo.txt"),
                .after = path,
                .seeds = long_mode() ? 10 : 1,
                .budget = long_mode() ? 1e9 : 3e7};
    if ((!only || strstr(path, only)) &&
        read_expectations(beside(ctx, path, "expect.yaml"), ctx, &x)) {
      right++;
      sp_code code = sp_protect(ctx, run_search, &x);
      ran += code == SP_OK && x.ran;
      if (x.found) {
        printf("\n%s: result %u, rank %lld: %.17g instead of %.17g (mode %s, "
               "seed %llu)",
               path, x.at.output, (long long)x.at.rank, x.at.got, x.at.expected,
               x.at.inputs ? x.at.inputs : "?", (unsigned long long)x.at.seed);
      }
      CU_ASSERT(!x.found);
    }
    sp_ctx_free(ctx);
  }
  if (list.n) {
    printf("(%u of %u right pairs were run) ", ran, right);
  } else {
    printf("(no large set of cases: skipped) ");
  }
  dump_list_free(&list);
}

void suite_witness(void) {
  CU_pSuite s = CU_add_suite("witness", NULL, NULL);
  CU_add_test(s, "a difference is found", test_a_difference_is_found);
  CU_add_test(s, "right is right", test_right_is_right);
  CU_add_test(s, "rounding decides a comparison",
              test_rounding_decides_a_comparison);
  CU_add_test(s, "what cancels is no difference",
              test_what_cancels_is_no_difference);
  CU_add_test(s, "ties of inputs count", test_ties_of_inputs_count);
  CU_add_test(s, "undefined is no difference", test_undefined_is_no_difference);
  CU_add_test(s, "division by zero is no difference",
              test_division_by_zero_is_no_difference);
  CU_add_test(s, "right pairs have no witness",
              test_right_pairs_have_no_witness);
}
