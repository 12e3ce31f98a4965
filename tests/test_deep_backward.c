/* test_deep_backward.c: many layers, forward and backward, with all gradients
 * as results: a fault in the backward pass of one layer shows in deep results
 * only, and in few. It must be found by runs that the proof asks for, and be
 * placed; right ones are not run. */
#include "tests/suites.h"
#include "tests/support_hlo.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"

void suite_deep_backward(void);

enum { LAYERS = 12, DEVICES = 4 };

typedef enum fault {
  RIGHT,
  NOT_REDUCED,    /* the gradient of the layer's input */
  OTHER_SCALE,    /* half of the gradient of the layer's second weights */
  OTHER_SAVED,    /* the gradient of the first ones takes the next input */
  OTHER_MASK,     /* that of another layer */
  OTHER_WEIGHTS,  /* the second ones of the next layer */
  OTHER_RESIDUAL, /* the gradient that comes into the layer above */
  OTHER_FORWARD,  /* what one device has is added, in the forward pass */
} fault;

typedef struct deep {
  fault fault;
  int at; /* the layer */
  int batch, width, inner;
  double run_budget;
  /* out: */
  sp_verdict verdict;
  const char *place;
} deep;

/* While a module is written. */
typedef struct writer {
  sp_ctx *ctx;
  sp_str s;
  const deep *d;
  bool dist;
  int channels, inner; /* of this device */
} writer;

static bool breaks(const writer *w, int layer, fault f) {
  return w->dist && layer == w->d->at && w->d->fault == f;
}

static void write_dot(writer *w, const char *name, int layer, int rows,
                      int columns, const char *a, int a_of, const char *b,
                      int b_of, int a_dim, int b_dim) {
  sp_str_addf(w->ctx, &w->s,
              "  %s%d = f32[%d,%d] dot(%s%d, %s%d), lhs_contracting_dims={%d}, "
              "rhs_contracting_dims={%d}\n",
              name, layer, rows, columns, a, a_of, b, b_of, a_dim, b_dim);
}

static void write_all_reduce(writer *w, const char *to, const char *from,
                             int layer) {
  if (w->dist) {
    sp_str_addf(w->ctx, &w->s,
                "  %s%d = f32[%d,%d] all-reduce(%s%d), channel_id=%d, "
                "replica_groups={{0,1,2,3}}, use_global_device_ids=true, "
                "to_apply=add\n",
                to, layer, w->d->batch, w->d->width, from, layer,
                ++w->channels);
  }
}

static void write_inputs(writer *w) {
  int b = w->d->batch, n = w->d->width;
  const char *whole = w->dist ? "" : ", sharding={replicated}";
  const char *columns = w->dist ? "" : ", sharding={devices=[1,4]<=[4]}";
  const char *rows = w->dist ? "" : ", sharding={devices=[4,1]<=[4]}";
  sp_str_addf(w->ctx, &w->s,
              "HloModule m, num_partitions=4\n"
              "add {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n"
              "  ROOT r = f32[] add(p, q)\n}\n"
              "ENTRY e {\n  x0 = f32[%d,%d] parameter(0)%s\n"
              "  g%d = f32[%d,%d] parameter(1)%s\n",
              b, n, whole, LAYERS, b, n, whole);
  for (int l = 0; l < LAYERS; l++) {
    sp_str_addf(w->ctx, &w->s,
                "  u%d = f32[%d,%d] parameter(%d)%s\n"
                "  d%d = f32[%d,%d] parameter(%d)%s\n",
                l, n, w->inner, 2 * l + 2, columns, l, w->inner, n, 2 * l + 3,
                rows);
  }
  sp_str_addf(w->ctx, &w->s,
              "  z = f32[] constant(0)\n"
              "  zs = f32[%d,%d] broadcast(z), dimensions={}\n"
              "  c = f32[] constant(0.5)\n"
              "  half = f32[%d,%d] broadcast(c), dimensions={}\n",
              b, w->inner, w->inner, n);
}

/* x + down(relu(up(x))) */
static void write_forward(writer *w, int l) {
  int b = w->d->batch, n = w->d->width;
  write_dot(w, "a", l, b, w->inner, "x", l, "u", l, 1, 0);
  sp_str_addf(w->ctx, &w->s, "  h%d = f32[%d,%d] maximum(a%d, zs)\n", l, b,
              w->inner, l);
  write_dot(w, w->dist ? "s" : "r", l, b, n, "h", l, "d", l, 1, 0);
  write_all_reduce(w, "r", "s", l);
  sp_str_addf(w->ctx, &w->s, "  x%d = f32[%d,%d] add(x%d, %s%d)\n", l + 1, b, n,
              l, breaks(w, l, OTHER_FORWARD) ? "s" : "r", l);
}

static void write_backward(writer *w, int l) {
  int b = w->d->batch, n = w->d->width, i = w->inner;
  int next = (l + 1) % LAYERS;
  write_dot(w, "e", l, b, i, "g", l + 1, "d",
            breaks(w, l, OTHER_WEIGHTS) ? next : l, 1, 1);
  sp_str_addf(w->ctx, &w->s,
              "  m%d = pred[%d,%d] compare(a%d, zs), direction=GT\n"
              "  f%d = f32[%d,%d] select(m%d, e%d, zs)\n",
              l, b, i, breaks(w, l, OTHER_MASK) ? next : l, l, b, i, l, l);
  write_dot(w, "gd", l, i, n, "h", l, "g", l + 1, 0, 0);
  write_dot(w, "gu", l, n, i, "x", breaks(w, l, OTHER_SAVED) ? l + 1 : l, "f",
            l, 0, 0);
  write_dot(w, w->dist ? "t" : "y", l, b, n, "f", l, "u", l, 1, 1);
  write_all_reduce(w, "y", "t", l);
  sp_str_addf(w->ctx, &w->s, "  g%d = f32[%d,%d] add(g%d, %s%d)\n", l, b, n,
              breaks(w, l, OTHER_RESIDUAL) ? l + 2 : l + 1,
              breaks(w, l, NOT_REDUCED) ? "t" : "y", l);
  if (breaks(w, l, OTHER_SCALE)) {
    sp_str_addf(w->ctx, &w->s, "  gs%d = f32[%d,%d] multiply(gd%d, half)\n", l,
                i, n, l);
  }
}

static void write_results(writer *w) {
  int b = w->d->batch, n = w->d->width, i = w->inner;
  sp_str types = {0}, names = {0}, cuts = {0};
  for (int l = 0; l < LAYERS; l++) {
    sp_str_addf(w->ctx, &types, ", f32[%d,%d], f32[%d,%d]", n, i, i, n);
    sp_str_addf(w->ctx, &names, ", gu%d, %s%d", l,
                breaks(w, l, OTHER_SCALE) ? "gs" : "gd", l);
    sp_str_addf(w->ctx, &cuts, ", {devices=[1,4]<=[4]}, {devices=[4,1]<=[4]}");
  }
  sp_str_addf(w->ctx, &w->s,
              "  ROOT out = (f32[%d,%d], f32[%d,%d]%s) tuple(x%d, g0%s)", b, n,
              b, n, types.v, LAYERS, names.v);
  if (!w->dist) {
    sp_str_addf(w->ctx, &w->s, ", sharding={{replicated}, {replicated}%s}",
                cuts.v);
  }
  sp_str_addf(w->ctx, &w->s, "\n}\n");
}

static const char *module_text(sp_ctx *ctx, const deep *d, bool dist) {
  writer w = {.ctx = ctx,
              .d = d,
              .dist = dist,
              .inner = dist ? d->inner / DEVICES : d->inner};
  write_inputs(&w);
  for (int l = 0; l < LAYERS; l++) {
    write_forward(&w, l);
  }
  for (int l = LAYERS; l-- > 0;) {
    write_backward(&w, l);
  }
  write_results(&w);
  return w.s.v;
}

static void check(sp_ctx *ctx, void *arg) {
  deep *d = arg;
  const sp_program *seq = hlo_read(ctx, module_text(ctx, d, false));
  const sp_program *dist = hlo_read(ctx, module_text(ctx, d, true));
  sp_check_options options = {.run_budget = d->run_budget};
  CU_ASSERT_FATAL(seq && dist);
  const sp_report *report = sp_check(ctx, seq, dist, &options);
  d->verdict = report->verdict;
  d->place = report->fault ? report->fault->name : NULL;
}

/* Where the programs are run: whole, but not before the proof is in trouble;
 * or in part only. */
static const deep
    WHOLE = {.batch = 8, .width = 16, .inner = 32, .run_budget = 1e7},
    PARTS = {.batch = 64, .width = 128, .inner = 256, .run_budget = 2e7};

static void expect(const deep *size, fault f, int at, const char *place) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  deep d = *size;
  d.fault = f;
  d.at = at;
  CU_ASSERT_EQUAL(sp_protect(ctx, check, &d), SP_OK);
  CU_ASSERT_EQUAL(d.verdict, place ? SP_VIOLATION : SP_REFINES);
  /* in part, many values are zero, and fit anything */
  bool placed =
      !place || size == &PARTS || (d.place && strcmp(d.place, place) == 0);
  CU_ASSERT_TRUE(placed);
  if (!placed) {
    printf("(%s instead of %s) ", d.place ? d.place : "nothing", place);
  }
  sp_ctx_free(ctx);
}

static void right_ones_are_proved(void) {
  expect(&WHOLE, RIGHT, 0, NULL);
  expect(&PARTS, RIGHT, 0, NULL);
}

static void faults_in_one_layer_are_found(const deep *size) {
  expect(size, NOT_REDUCED, 1, "t1");
  expect(size, NOT_REDUCED, 6, "t6");
  expect(size, NOT_REDUCED, 11, "t11");
  expect(size, OTHER_SCALE, 6, "gs6");
  expect(size, OTHER_SAVED, 6, "gu6");
  expect(size, OTHER_MASK, 6, "f6");
  expect(size, OTHER_WEIGHTS, 6, "e6");
  expect(size, OTHER_RESIDUAL, 6, "g6");
  expect(size, OTHER_FORWARD, 6, "s6");
}

static void by_whole_runs(void) {
  faults_in_one_layer_are_found(&WHOLE);
}

static void by_runs_in_part(void) {
  faults_in_one_layer_are_found(&PARTS);
}

void suite_deep_backward(void) {
  CU_pSuite s = CU_add_suite("deep_backward", NULL, NULL);
  CU_ADD_TEST(s, right_ones_are_proved);
  CU_ADD_TEST(s, by_whole_runs);
  CU_ADD_TEST(s, by_runs_in_part);
}
