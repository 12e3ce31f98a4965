/* test_nan.c: programs run on NaN and infinities. What is expected was computed
 * by XLA (jax 0.12) and PyTorch 2; total orders are as StableHLO has them. Read
 * the two tables: a line computes one result of x = 1, nan, 3, -inf, inf. */
#include "solve/evaluate.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "tests/support_fx.h"
#include "tests/support_hlo.h"

void suite_nan(void);

enum { N = 5 };

typedef struct result {
  const char *type, *code;
  double want[N]; /* of a scalar: the first */
} result;

#define X NAN
#define INF INFINITY

static const result hlo[] = {
    {"pred[5]", "compare(x, y), direction=LT", {1, 0, 0, 1, 0}},
    {"pred[5]", "compare(x, y), direction=LE", {1, 0, 0, 1, 0}},
    {"pred[5]", "compare(x, y), direction=GT", {0, 0, 1, 0, 1}},
    {"pred[5]", "compare(x, y), direction=GE", {0, 0, 1, 0, 1}},
    {"pred[5]", "compare(y, x), direction=GE", {1, 0, 0, 1, 0}},
    {"pred[5]", "compare(x, x), direction=EQ", {1, 0, 1, 1, 1}},
    {"pred[5]", "compare(x, x), direction=NE", {0, 1, 0, 0, 0}},
    {"pred[5]", "compare(x, x), direction=LE", {1, 0, 1, 1, 1}},
    {"pred[5]", "compare(x, y), direction=LT, order=TOTAL", {1, 0, 0, 1, 0}},
    {"pred[5]", "compare(x, y), direction=LE, order=TOTAL", {1, 0, 0, 1, 0}},
    {"pred[5]", "compare(x, y), direction=GT, order=TOTAL", {0, 1, 1, 0, 1}},
    {"pred[5]", "compare(x, y), direction=GE, order=TOTAL", {0, 1, 1, 0, 1}},
    {"pred[5]", "compare(x, x), direction=EQ, order=TOTAL", {1, 1, 1, 1, 1}},
    {"pred[5]", "compare(x, x), direction=NE, order=TOTAL", {0, 0, 0, 0, 0}},
    {"f32[5]", "maximum(x, y)", {2, X, 3, 2, INF}},
    {"f32[5]", "maximum(y, x)", {2, X, 3, 2, INF}},
    {"f32[5]", "minimum(y, x)", {1, X, 2, -INF, 2}},
    {"f32[5]", "clamp(zero, x, two)", {1, X, 2, 0, 2}},
    {"f32[5]", "sign(x)", {1, X, 1, -1, 1}},
    {"pred[5]", "is-finite(x)", {1, 0, 1, 0, 0}},
    {"f32[5]", "subtract(x, x)", {0, X, 0, X, X}},
    {"f32[5]", "multiply(x, zeros)", {0, X, 0, X, X}},
    {"f32[]", "reduce(x, low), dimensions={0}, to_apply=larger", {X}},
    {"s32[]", "get-tuple-element(first), index=1", {1}},
    {"f32[5]", "sort(x), dimensions={0}, to_apply=below", {-INF, 1, 3, INF, X}},
};

static const char hlo_head[] =
    "HloModule m\n"
    "larger {\n"
    "  a = f32[] parameter(0)\n"
    "  b = f32[] parameter(1)\n"
    "  ROOT m = f32[] maximum(a, b)\n"
    "}\n"
    "first_largest {\n"
    "  a = f32[] parameter(0)\n"
    "  i = s32[] parameter(1)\n"
    "  b = f32[] parameter(2)\n"
    "  j = s32[] parameter(3)\n"
    "  above = pred[] compare(a, b), direction=GT\n"
    "  none = pred[] compare(a, a), direction=NE\n"
    "  wins = pred[] or(above, none)\n"
    "  v = f32[] select(wins, a, b)\n"
    "  ties = pred[] compare(a, b), direction=EQ\n"
    "  before = pred[] compare(i, j), direction=LT\n"
    "  earlier = pred[] and(ties, before)\n"
    "  either = pred[] or(wins, earlier)\n"
    "  k = s32[] select(either, i, j)\n"
    "  ROOT t = (f32[], s32[]) tuple(v, k)\n"
    "}\n"
    "below {\n"
    "  a = f32[] parameter(0)\n"
    "  b = f32[] parameter(1)\n"
    "  ROOT lt = pred[] compare(a, b), direction=LT, order=TOTAL\n"
    "}\n"
    "ENTRY e {\n"
    "  x = f32[5] parameter(0)\n"
    "  zero = f32[] constant(0)\n"
    "  two = f32[] constant(2)\n"
    "  low = f32[] constant(-inf)\n"
    "  start = s32[] constant(0)\n"
    "  numbers = s32[5] iota(), iota_dimension=0\n"
    "  y = f32[5] broadcast(two), dimensions={}\n"
    "  zeros = f32[5] broadcast(zero), dimensions={}\n"
    "  first = (f32[], s32[]) reduce(x, numbers, low, start), dimensions={0}, "
    "to_apply=first_largest\n";

static const result fx[] = {
    {"b8[5]", "ge.Scalar(x, 2)", {0, 0, 1, 0, 1}},
    {"b8[5]", "le.Tensor(x, x)", {1, 0, 1, 1, 1}},
    {"b8[5]", "gt.Scalar(x, 2)", {0, 0, 1, 0, 1}},
    {"b8[5]", "lt.Scalar(x, 2)", {1, 0, 0, 1, 0}},
    {"b8[5]", "ne.Tensor(x, x)", {0, 1, 0, 0, 0}},
    {"b8[5]", "eq.Tensor(x, x)", {1, 0, 1, 1, 1}},
    {"b8[5]", "isnan.default(x)", {0, 1, 0, 0, 0}},
    {"b8[5]", "isfinite.default(x)", {1, 0, 1, 0, 0}},
    {"b8[5]", "isinf.default(x)", {0, 0, 0, 1, 1}},
    {"b8[5]", "logical_not.default(x)", {0, 0, 0, 0, 0}},
    {"f32[5]", "sign.default(x)", {1, 0, 1, -1, 1}},
    {"f32[5]", "relu.default(x)", {1, X, 3, 0, INF}},
    {"f32[5]", "clamp.default(x, 0, 2)", {1, X, 2, 0, 2}},
    {"f32[5]", "hardtanh.default(x)", {1, X, 1, -1, 1}},
    {"f32[5]", "threshold.default(x, 0, 7)", {1, X, 3, 7, INF}},
    {"f32[5]", "threshold_backward.default(two, x, 0)", {2, 2, 2, 0, 2}},
    {"f32[5]", "maximum.default(x, two)", {2, X, 3, 2, INF}},
    {"f32[5]", "fmax.default(x, two)", {2, 2, 3, 2, INF}},
    {"f32[5]", "fmin.default(two, x)", {1, 2, 2, -INF, 2}},
    {"f32[5]", "nan_to_num.default(x, 5.0, 6.0, 7.0)", {1, 5, 3, 7, 6}},
    {"f32[5]", "nan_to_num.default(x, None, 6.0, 7.0)", {1, 0, 3, 7, 6}},
    {"f32[5]", "sub.Tensor(x, x)", {0, X, 0, X, X}},
    {"f32[5]", "mul.Tensor(x, 0)", {0, X, 0, X, X}},
    {"f32[]", "amax.default(x, [0])", {X}},
    {"i64[]", "argmax.default(x)", {1}},
    {"i64[]", "argmin.default(x)", {1}},
    {"f32[5]", "where.self(keep, x, two)", {2, 2, 3, 2, INF}},
};

typedef struct job {
  const sp_program *(*read)(sp_ctx *ctx);
  const result *results;
  size_t n;
  sp_machine_options options;
} job;

static const sp_program *read_hlo(sp_ctx *ctx) {
  sp_str s = {0}, types = {0}, names = {0};
  sp_str_add(ctx, &s, hlo_head);
  for (size_t k = 0; k < sizeof hlo / sizeof *hlo; k++) {
    sp_str_addf(ctx, &s, "  r%zu = %s %s\n", k, hlo[k].type, hlo[k].code);
    sp_str_addf(ctx, &types, "%s%s", k ? ", " : "", hlo[k].type);
    sp_str_addf(ctx, &names, "%sr%zu", k ? ", " : "", k);
  }
  sp_str_addf(ctx, &s, "  ROOT out = (%s) tuple(%s)\n}\n", types.v, names.v);
  return hlo_read(ctx, s.v);
}

static const sp_program *read_fx(sp_ctx *ctx) {
  sp_str s = {0}, names = {0};
  sp_str_addf(ctx, &s,
              "        keep: \"b8[5]\" = torch.ops.aten.ge.Scalar(x, "
              "2)\n");
  for (size_t k = 0; k < sizeof fx / sizeof *fx; k++) {
    sp_str_addf(ctx, &s, "        r%zu: \"%s\" = torch.ops.aten.%s\n", k,
                fx[k].type, fx[k].code);
    sp_str_addf(ctx, &names, "%sr%zu", k ? ", " : "", k);
  }
  sp_str_addf(ctx, &s, "        return [%s]\n", names.v);
  return fx_read_body(ctx, "x: \"f32[5]\", two: \"f32[5]\"", s.v);
}

static void run(sp_ctx *ctx, void *arg) {
  static const double x[N] = {1, NAN, 3, -INFINITY, INFINITY};
  static const double two[N] = {2, 2, 2, 2, 2};
  const job *j = arg;
  const sp_program *p = j->read(ctx);
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  sp_machine *m = sp_machine_new(ctx, sp_pool_new(ctx), p, &j->options);
  sp_machine_set_input(m, p->params[0], 0, x);
  if (p->n_params > 1) {
    sp_machine_set_input(m, p->params[1], 0, two);
  }
  CU_ASSERT_TRUE(sp_machine_run(m));
  for (size_t k = 0; k < j->n; k++) {
    const double *v = sp_machine_values(m, p->results[k], 0);
    int64_t n = sp_shape_elements(&p->tensors[p->results[k]].shape);
    CU_ASSERT_PTR_NOT_NULL_FATAL(v);
    for (int64_t i = 0; i < n; i++) {
      double want = j->results[k].want[i];
      if (v[i] != want && !(isnan(v[i]) && isnan(want))) {
        printf("\n    %s, element %d: %g, not %g\n", j->results[k].code, (int)i,
               v[i], want);
        CU_FAIL("another value");
      }
    }
  }
}

static void run_in_all_ways(job j) {
  for (int way = 0; way < 4; way++) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    j.options = (sp_machine_options){.slow = way & 1, .raw = way & 2};
    if (sp_protect(ctx, run, &j) != SP_OK) {
      printf("\n    %s\n", sp_ctx_error(ctx)->message);
      CU_FAIL("an error is raised");
    }
    sp_ctx_free(ctx);
  }
}

static void hlo_has_the_nan_of_xla(void) {
  run_in_all_ways(
      (job){.read = read_hlo, .results = hlo, .n = sizeof hlo / sizeof *hlo});
}

static void fx_has_the_nan_of_pytorch(void) {
  run_in_all_ways(
      (job){.read = read_fx, .results = fx, .n = sizeof fx / sizeof *fx});
}

void suite_nan(void) {
  CU_pSuite s = CU_add_suite("nan", NULL, NULL);
  CU_add_test(s, "hlo_has_the_nan_of_xla", hlo_has_the_nan_of_xla);
  CU_add_test(s, "fx_has_the_nan_of_pytorch", fx_has_the_nan_of_pytorch);
}
