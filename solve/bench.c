/* bench.c: read spi_bench_run, compare_result, then spi_bench_mends. */
#include "solve/bench_i.h"

#include "solve/span.h"
#include "solve/tape.h"

#include <math.h>
#include <string.h>

/* Elements may differ by rounding: this share of an element does not count, nor
 * the smaller one of the result's largest element, which rounding beside large
 * numbers may leave. A fault is seldom smaller, and where it is nothing is
 * said. What rounding can do is looked at then: find_moved. */
static const double NEGLIGIBLE = 1e-4, OF_LARGEST = 1e-9;
/* Results smaller than that may be what rounding left of zero. */
static const double TINY = 1e-7;
static const double HUGE_VALUES = 1e100;
static const double NOISE = 1e-10; /* relative */
enum { NOISY_RUNS = 4 };

/* What the sequential side has; of the rank, where it has ranks. */
static const double *values_of(spi_bench *b, uint32_t t, int64_t rank) {
  return sp_machine_values(b->seq, t, b->s->problem->ranked ? rank : 0);
}

/* ---- comparing ---- */

static double largest(const double *v, int64_t n) {
  double most = 0;
  for (int64_t i = 0; i < n; i++) {
    most = isfinite(v[i]) ? fmax(most, fabs(v[i])) : most;
  }
  return most;
}

static double combine(sp_partial op, double a, double b) {
  switch (op) {
  case SP_PARTIAL_MAX:
    return fmax(a, b);
  case SP_PARTIAL_MIN:
    return fmin(a, b);
  case SP_PARTIAL_PROD:
    return a * b;
  case SP_PARTIAL_NONE:
  case SP_PARTIAL_SUM:
  case SP_PARTIAL_AVG:
    break;
  }
  return a + b;
}

/* Element i of what the rank holds, reduced over its group where the promise
 * is of partial results. */
static double held(spi_bench *b, const sp_placed *x, int64_t rank, int64_t i) {
  const sp_layout *l = x->layout;
  if (l->partial == SP_PARTIAL_NONE || !l->groups) {
    return sp_machine_values(b->dist, x->dist, rank)[i];
  }
  for (uint32_t g = 0; g < l->groups->n_groups; g++) {
    uint32_t from = l->groups->start[g], to = l->groups->start[g + 1];
    bool mine = false;
    for (uint32_t k = from; k < to; k++) {
      mine = mine || l->groups->ids[k] == rank;
    }
    if (!mine) {
      continue;
    }
    double v = sp_machine_values(b->dist, x->dist, l->groups->ids[from])[i];
    for (uint32_t k = from + 1; k < to; k++) {
      v = combine(l->partial, v,
                  sp_machine_values(b->dist, x->dist, l->groups->ids[k])[i]);
    }
    return l->partial == SP_PARTIAL_AVG ? v / (double)(to - from) : v;
  }
  return sp_machine_values(b->dist, x->dist, rank)[i];
}

/* Does the element count as different? Only where the sequential program has
 * a value. An overflow is a difference only where nothing is near one, and in
 * what-if runs: a division by 0 mends nothing. */
static bool differ(const spi_bench *b, double want, double got, double scale,
                   bool real) {
  if (!real) {
    return want != got;
  }
  if (!isfinite(want) || (!isfinite(got) && !b->tame && !b->what_if)) {
    return false;
  }
  double most = fmax(fabs(want), fabs(got));
  return !isfinite(got) ||
         !(fabs(want - got) <= fmax(NEGLIGIBLE * most, OF_LARGEST * scale));
}

/* Where an element of a rank is in the sequential result (flat: among what is
 * stored of it). */
typedef struct position {
  int64_t flat, local[SP_MAX_DIMS], global[SP_MAX_DIMS];
} position;

/* Ranked: both sides hold the same there, but nobody reads it. */
static bool is_padding(const sp_origin *o, uint32_t d, int64_t rank,
                       int64_t i) {
  return o && spi_layout_index(o->layout, d, rank, i) >= o->global.dims[d];
}

/* False: it is padding. */
static bool position_of(spi_bench *b, const sp_placed *x, int64_t rank,
                        int64_t i, position *out) {
  uint32_t n = b->s->dist_program->tensors[x->dist].shape.n_dims;
  bool inside = true;
  sp_machine_where(b->dist, x->dist, i, out->local);
  out->flat = 0;
  for (uint32_t d = 0; d < n; d++) {
    sp_span stored = sp_machine_span(b->seq, x->seq, d);
    out->global[d] = spi_layout_index(x->layout, d, rank, out->local[d]);
    int64_t at = spi_span_find(stored, out->global[d]);
    inside =
        inside && at >= 0 && !is_padding(x->origin, d, rank, out->local[d]);
    out->flat = out->flat * stored.n + at;
  }
  return inside;
}

static double scale_of(spi_bench *b, const sp_placed *x) {
  double scale = TINY;
  for (int64_t r = 0; r < sp_machine_ranks(b->seq); r++) {
    const double *want = values_of(b, x->seq, r);
    scale = fmax(scale, largest(want, sp_machine_count(b->seq, x->seq)));
  }
  return scale;
}

static bool is_compared(const spi_bench *b, size_t k) {
  return b->s->problem->promised[k].layout &&
         (!b->sample || b->sample->output == k);
}

/* Rounding could make a tenth of the difference. */
static bool is_unsteady(double moved, double difference) {
  return isinf(moved) || moved > 0.1 * difference;
}

/* The largest difference of one result, over all ranks and elements. */
static bool compare_result(spi_bench *b, size_t k, sp_counterexample *out) {
  const sp_placed *x = &b->s->problem->promised[k];
  const sp_shape *l = &b->s->dist_program->tensors[x->dist].shape;
  const double *moved = b->moved ? b->moved[k] : NULL;
  int64_t n = sp_machine_count(b->dist, x->dist);
  bool real = sp_dtype_is_float(l->dtype), found = false;
  double worst = -1;
  sp_span ranks = sp_machine_ranks_of(b->dist, x->dist);
  for (int64_t r = 0; r < ranks.n; r++) {
    int64_t rank = spi_span_at(ranks, r);
    const double *want = values_of(b, x->seq, rank);
    for (int64_t i = 0; i < n; i++) {
      position at;
      if (!position_of(b, x, rank, i, &at)) {
        continue;
      }
      double got = held(b, x, rank, i);
      if (!differ(b, want[at.flat], got, b->scales[k], real)) {
        continue;
      }
      if (b->what_if) { /* asks whether there is one, thousands of times */
        return true;
      }
      double size = isfinite(got) ? fabs(got - want[at.flat]) : INFINITY;
      if (moved && is_unsteady(moved[r * n + i], size)) {
        continue;
      }
      if (size > worst) {
        worst = size;
        found = true;
        out->rank = rank;
        out->expected = want[at.flat];
        out->got = got;
        out->dtype = b->s->seq_program->tensors[x->seq].shape.dtype;
        out->n_dims = l->n_dims;
        int64_t *where =
            sp_alloc_n(b->s->ctx, 2 * (size_t)l->n_dims + 1, sizeof *where);
        memcpy(where, at.local, l->n_dims * sizeof *where);
        memcpy(where + l->n_dims, at.global, l->n_dims * sizeof *where);
        out->local_index = where;
        out->global_index = where + l->n_dims;
      }
    }
  }
  return found;
}

bool spi_bench_element(spi_bench *b, size_t result, int64_t rank, int64_t i,
                       double *expected, double *got) {
  const sp_placed *x = &b->s->problem->promised[result];
  position at;
  if (!position_of(b, x, rank, i, &at)) {
    return false;
  }
  *expected = sp_machine_values(b->seq, x->seq, 0)[at.flat];
  *got = held(b, x, rank, i);
  return true;
}

/* ---- running ---- */

/* As written: a shift that keeps exponents in range cancels in a simplified
 * term, and what overflow leaves would count as a difference. */
sp_machine_options spi_bench_options(const spi_bench *b) {
  return (sp_machine_options){.budget_ops = b->budget,
                              .keep_all = true,
                              .raw = true,
                              .made_up = b->made_up};
}

double spi_bench_budget(const sp_state *s) {
  double given = s->options->run_budget;
  return given > 0 ? given : SP_CHECK_RUN_BUDGET;
}

spi_bench *spi_bench_new(sp_state *s, const spi_sample *sample, bool made_up) {
  spi_bench *b = sp_alloc(s->ctx, sizeof *b);
  b->s = s;
  b->sample = sample;
  b->budget = spi_bench_budget(s);
  b->made_up = made_up;
  sp_machine_options options = spi_bench_options(b);
  b->scales = sp_alloc_n(s->ctx, s->problem->n_promised + 1, sizeof *b->scales);
  b->dist = sp_machine_new(s->ctx, s->pool, s->dist_program, &options);
  options.sequential = !s->problem->ranked;
  b->seq = sp_machine_new(s->ctx, s->pool, s->seq_program, &options);
  if (sample) {
    sp_machine_restrict(b->seq, 1, &sample->seq, sample->n_seq_inputs,
                        sample->seq_inputs);
    sp_machine_restrict(b->dist, 1, &sample->dist, sample->n_dist_inputs,
                        sample->dist_inputs);
  }
  return b;
}

/* To the results that are compared. */
static bool run_machine(const spi_bench *b, sp_machine *m) {
  const spi_sample *x = b->sample;
  return x ? sp_machine_run_to(m, m == b->seq ? x->seq.tensor : x->dist.tensor)
           : sp_machine_run(m);
}

/* The same inputs are drawn once: this takes as long as a run. */
static bool draw(spi_bench *b, const char **why) {
  if (b->drawn && b->drawn_mode == b->mode && b->drawn_seed == b->seed) {
    sp_machine_again(b->seq);
    sp_machine_again(b->dist);
    return true;
  }
  sp_machine_reset(b->seq);
  sp_machine_reset(b->dist);
  b->drawn = spi_draw_inputs(b->s->ctx, b->s->problem, b->mode, b->seed,
                             b->sample ? b->sample->supports : NULL, b->seq,
                             b->dist, why);
  b->drawn_mode = b->mode;
  b->drawn_seed = b->seed;
  sp_machine_hold(b->seq);
  sp_machine_hold(b->dist);
  return b->drawn;
}

static void look_at_values(spi_bench *b, uint32_t t, bool *nan) {
  int64_t n = sp_machine_count(b->seq, t);
  for (int64_t r = 0; r < sp_machine_ranks(b->seq); r++) {
    const double *v = values_of(b, t, r);
    for (int64_t i = 0; i < n; i++) {
      *nan = *nan || isnan(v[i]);
      b->tame = b->tame && (!isfinite(v[i]) || fabs(v[i]) < HUGE_VALUES);
    }
  }
}

/* Is the sequential program far from overflow, and without NaN, but for those
 * that are written in it? These are constants, and what is made of them alone:
 * what a choice has for an index out of range, or for no elements. */
static void look_at_sequential(spi_bench *b) {
  const sp_program *p = b->s->seq_program;
  sp_mark mark = sp_scratch_mark(b->s->ctx);
  bool *written = sp_scratch(b->s->ctx, p->n_tensors + 1u);
  b->defined = b->tame = true;
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    const sp_node *node = &p->nodes[p->tensors[t].node];
    bool nan = false;
    if (sp_dtype_is_float(p->tensors[t].shape.dtype) &&
        sp_machine_has(b->seq, t)) {
      look_at_values(b, t, &nan);
    }
    written[t] = nan;
    for (uint32_t k = 0; k < node->n_in; k++) {
      written[t] = written[t] && written[node->in[k]];
    }
    b->defined = b->defined && (written[t] || !nan);
  }
  sp_scratch_release(b->s->ctx, mark);
}

static bool run(spi_bench *b, const char **why) {
  if (!draw(b, why)) {
    return false;
  }
  bool ok = run_machine(b, b->seq) && run_machine(b, b->dist);
  b->spent += sp_machine_done(b->seq) + sp_machine_done(b->dist) + 1000;
  if (ok) {
    b->ran = true;
    look_at_sequential(b);
    for (size_t k = 0; k < b->s->problem->n_promised; k++) {
      if (is_compared(b, k)) {
        b->scales[k] = scale_of(b, &b->s->problem->promised[k]);
      }
    }
    return true;
  }
  const sp_machine_trouble *t = sp_machine_problem(b->seq)->outcome != SP_RUN_OK
                                    ? sp_machine_problem(b->seq)
                                    : sp_machine_problem(b->dist);
  b->unknown = t->outcome == SP_RUN_UNKNOWN;
  const char *text = sp_format(b->s->ctx, "the programs were not run: %s%s%s",
                               t->message, *t->hint ? "; " : "", t->hint);
  *(t->outcome == SP_RUN_BROKEN ? &b->broken : why) = text;
  return false;
}

bool spi_bench_run(spi_bench *b, spi_draw_mode mode, uint64_t seed,
                   const char **why) {
  b->mode = mode;
  b->seed = seed;
  b->moved = NULL;
  for (size_t i = 0; i < b->looked.n; i++) {
    const spi_steadiness *x = &b->looked.v[i];
    b->moved = x->mode == mode && x->seed == seed ? x->moved : b->moved;
  }
  return run(b, why);
}

/* ---- is a difference more than rounding? ----
 *
 * Both programs are run again with noise, far larger than rounding, added to
 * whatever was rounded: values of tensors, and those on the way to them (small
 * differences of large numbers in one operator). Where that moves a result by
 * as much as it differs, the two may differ by rounding alone (the argmax of
 * computed values, what is left of a sum that cancels), and the element does
 * not count. Numbers with few binary digits were not rounded: ties of inputs
 * stay ties. */

/* Sorting that may put equal keys in any order: then all values get noise. */
static bool sorts_unstably(const sp_program *p) {
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_attr *a = sp_node_attr(&p->nodes[i], "is_stable");
    if (p->nodes[i].n_in > 1 && strcmp(p->nodes[i].op, "hlo:sort") == 0 &&
        !(a && a->u.i)) {
      return true;
    }
  }
  return false;
}

static double noise(uint64_t seed, uint32_t tensor, int64_t i) {
  uint64_t h = spi_draw_mix(spi_draw_mix(seed, tensor), (uint64_t)i);
  return NOISE * spi_noise(h);
}

/* All results that are compared. */
#define ALL_RESULTS SIZE_MAX

typedef struct noisy {
  spi_bench *b;
  sp_machine *m;
  size_t result; /* that is looked at, or ALL_RESULTS */
  uint64_t seed;
  double sign;
  bool all; /* exact values, too */
} noisy;

static bool add_noise(const noisy *x, uint32_t t) {
  const sp_shape *shape = &sp_machine_program(x->m)->tensors[t].shape;
  int64_t n = sp_machine_count(x->m, t);
  sp_span ranks = sp_machine_ranks_of(x->m, t);
  if (!sp_dtype_is_float(shape->dtype)) {
    return true;
  }
  if (!sp_machine_run_to(x->m, t)) {
    return false;
  }
  sp_ctx *ctx = x->b->s->ctx;
  sp_mark mark = sp_scratch_mark(ctx);
  double *v = sp_scratch(ctx, ((size_t)(n * ranks.n) + 1) * sizeof *v);
  for (int64_t r = 0; r < ranks.n; r++) {
    const double *from = sp_machine_values(x->m, t, spi_span_at(ranks, r));
    for (int64_t i = 0; i < n; i++) {
      double w = from[i];
      v[r * n + i] = isfinite(w) && (x->all || !spi_is_exact(w))
                         ? w * (1 + x->sign * noise(x->seed, t, i))
                         : w;
    }
  }
  for (int64_t r = 0; r < ranks.n; r++) {
    sp_machine_set_input(x->m, t, spi_span_at(ranks, r), v + r * n);
  }
  sp_scratch_release(ctx, mark);
  return true;
}

static bool is_looked_at(const spi_bench *b, size_t k, size_t result) {
  return is_compared(b, k) && (result == ALL_RESULTS || result == k);
}

/* To the results that are looked at. */
static bool run_looked_at(const noisy *x) {
  const sp_problem *p = x->b->s->problem;
  bool ok = true;
  for (size_t k = 0; ok && k < p->n_promised; k++) {
    const sp_placed *r = &p->promised[k];
    ok = !is_looked_at(x->b, k, x->result) ||
         sp_machine_run_to(x->m, x->m == x->b->seq ? r->seq : r->dist);
  }
  return ok;
}

/* What depends on inputs and is needed for a result. Constants are left alone:
 * machines remember what is made of them. */
static bool run_noisily(const noisy *x) {
  const sp_program *p = sp_machine_program(x->m);
  sp_ctx *ctx = x->b->s->ctx;
  bool *live = sp_alloc_n(ctx, p->n_tensors + 1u, sizeof *live);
  bool *needed = sp_alloc_n(ctx, p->n_tensors + 1u, sizeof *needed);
  const sp_problem *problem = x->b->s->problem;
  bool *drawn = sp_alloc_n(ctx, p->n_tensors + 1u, sizeof *drawn);
  for (uint32_t k = 0; k < p->n_params; k++) {
    live[p->params[k]] = drawn[p->params[k]] = true;
  }
  for (size_t k = 0; k < problem->n_given; k++) {
    drawn[x->m == x->b->seq ? problem->given[k].seq : problem->given[k].dist] =
        true;
  }
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_node *node = &p->nodes[i];
    for (uint32_t k = 0; k < node->n_in; k++) {
      for (uint32_t o = 0; o < node->n_out; o++) {
        live[node->out + o] |= live[node->in[k]] || drawn[node->out + o];
      }
    }
  }
  for (size_t k = 0; k < problem->n_promised; k++) {
    if (is_looked_at(x->b, k, x->result)) {
      const sp_placed *r = &problem->promised[k];
      needed[x->m == x->b->seq ? r->seq : r->dist] = true;
    }
  }
  for (uint32_t i = p->n_nodes; i-- > 0;) {
    const sp_node *node = &p->nodes[i];
    bool any = false;
    for (uint32_t o = 0; o < node->n_out; o++) {
      any = any || (needed[node->out + o] && !drawn[node->out + o]);
    }
    for (uint32_t k = 0; any && k < node->n_in; k++) {
      needed[node->in[k]] = true;
    }
  }
  bool ok = true;
  sp_machine_noise(x->m, x->sign * NOISE, x->seed);
  for (uint32_t i = 0; ok && i < p->n_nodes; i++) {
    for (uint32_t o = 0; ok && o < p->nodes[i].n_out; o++) {
      uint32_t t = p->nodes[i].out + o;
      bool exact = drawn[t] && !x->all; /* it has few digits */
      ok = !live[t] || !needed[t] || exact || add_noise(x, t);
    }
  }
  ok = ok && run_looked_at(x);
  sp_machine_noise(x->m, 0, 0);
  return ok;
}

/* Both sides of one result, by rank on which it is computed, and element; want
 * NAN: padding. */
typedef struct sides {
  double *want, *got;
} sides;

static sides *sides_of(spi_bench *b, size_t result) {
  const sp_problem *p = b->s->problem;
  sp_ctx *ctx = b->s->ctx;
  sides *v = sp_alloc_n(ctx, p->n_promised + 1, sizeof *v);
  for (size_t k = 0; k < p->n_promised; k++) {
    const sp_placed *x = &p->promised[k];
    if (!is_looked_at(b, k, result)) {
      continue;
    }
    int64_t n = sp_machine_count(b->dist, x->dist);
    sp_span ranks = sp_machine_ranks_of(b->dist, x->dist);
    v[k].want = sp_alloc_n(ctx, (size_t)(n * ranks.n) + 1, sizeof(double));
    v[k].got = sp_alloc_n(ctx, (size_t)(n * ranks.n) + 1, sizeof(double));
    for (int64_t r = 0; r < ranks.n; r++) {
      int64_t rank = spi_span_at(ranks, r);
      const double *want = values_of(b, x->seq, rank);
      for (int64_t i = 0; i < n; i++) {
        position at;
        bool inside = position_of(b, x, rank, i, &at);
        v[k].want[r * n + i] = inside ? want[at.flat] : NAN;
        v[k].got[r * n + i] = inside ? held(b, x, rank, i) : 0;
      }
    }
  }
  return v;
}

/* How far noise moved the elements of both sides. */
static double move_of(const sides *was, const sides *now, int64_t i,
                      double scale, bool real) {
  double w = was->want[i], g = was->got[i];
  if (!real) {
    return now->want[i] == w && now->got[i] == g ? 0 : INFINITY;
  }
  double want = fabs(now->want[i] - w), got = fabs(now->got[i] - g);
  if (!isfinite(g)) {
    return !isfinite(now->got[i]) && want <= NEGLIGIBLE * scale ? 0 : INFINITY;
  }
  double most = want > got ? want : got;
  return isfinite(want) && isfinite(got) ? most : INFINITY;
}

/* Of one result, or of all of them. */
static void find_moved(spi_bench *b, size_t result) {
  const sp_problem *p = b->s->problem;
  sp_ctx *ctx = b->s->ctx;
  const char *why;
  bool all =
      sorts_unstably(b->s->seq_program) || sorts_unstably(b->s->dist_program);
  sides *was = sides_of(b, result);
  if (!b->moved) {
    b->moved = sp_alloc_n(ctx, p->n_promised + 1, sizeof *b->moved);
    spi_steadiness found = {b->mode, b->seed, b->moved};
    sp_push(ctx, &b->looked, found);
  }
  for (uint64_t i = 0; i < NOISY_RUNS; i++) {
    /* each noise and its opposite: one of them turns a close decision over */
    double sign = i % 2 ? -1 : 1;
    noisy seq = {b, b->seq, result, i / 2, sign, all},
          dist = {b, b->dist, result, i / 2 + 50, sign, all};
    bool ok = draw(b, &why) && run_noisily(&seq) && run_noisily(&dist);
    sides *now = ok ? sides_of(b, result) : NULL;
    for (size_t k = 0; k < p->n_promised; k++) {
      const sp_placed *x = &p->promised[k];
      const sp_shape *l = &p->dist->tensors[x->dist].shape;
      if (!is_looked_at(b, k, result)) {
        continue;
      }
      int64_t n = sp_machine_count(b->dist, x->dist) *
                  sp_machine_ranks_of(b->dist, x->dist).n;
      if (!b->moved[k]) {
        b->moved[k] = sp_alloc_n(ctx, (size_t)n + 1, sizeof **b->moved);
      }
      for (int64_t at = 0; at < n; at++) {
        double by = now ? move_of(&was[k], &now[k], at, b->scales[k],
                                  sp_dtype_is_float(l->dtype))
                        : INFINITY;
        double *most = &b->moved[k][at];
        *most = by > *most ? by : *most;
      }
    }
  }
  run(b, &why);
}

/* By more than rounding. Where one result does not after all, others will not
 * either: all are looked at then. */
static bool result_differs(spi_bench *b, size_t k, sp_counterexample *out) {
  if (!compare_result(b, k, out)) {
    return false;
  }
  if (b->what_if || (b->moved && b->moved[k])) {
    return true;
  }
  find_moved(b, b->moved ? ALL_RESULTS : k);
  return compare_result(b, k, out);
}

bool spi_bench_differs_in(spi_bench *b, size_t k, sp_counterexample *out) {
  const sp_placed *x = &b->s->problem->promised[k];
  if (!b->defined || !is_compared(b, k) || !result_differs(b, k, out)) {
    return false;
  }
  out->output = (uint32_t)k;
  out->name = b->s->dist_program->tensors[x->dist].name;
  return true;
}

bool spi_bench_differs(spi_bench *b, sp_counterexample *out) {
  for (size_t k = 0; k < b->s->problem->n_promised; k++) {
    if (spi_bench_differs_in(b, k, out)) {
      return true;
    }
  }
  return false;
}

/* ---- what if ---- */

/* The distributed program with everything that has no operands as a parameter:
 * a machine remembers what depends on no parameter, replaced or not. */
static sp_machine *other_machine(spi_bench *b) {
  const sp_program *d = b->s->dist_program;
  sp_ctx *ctx = b->s->ctx;
  sp_program *p = sp_alloc(ctx, sizeof *p);
  uint32_t *params = sp_alloc_n(ctx, d->n_tensors + 1u, sizeof *params);
  *p = *d;
  p->n_params = 0;
  for (uint32_t t = 0; t < d->n_tensors; t++) {
    if (d->nodes[d->tensors[t].node].n_in == 0) {
      params[p->n_params++] = t;
    }
  }
  p->params = params;
  sp_machine_options options = spi_bench_options(b);
  options.keep_all = false;
  options.beside = b->dist;
  return sp_machine_new(ctx, b->s->pool, p, &options);
}

static void give(spi_bench *b, uint32_t tensor, const double *values) {
  int64_t n = sp_shape_elements(&b->s->dist_program->tensors[tensor].shape);
  for (int64_t r = 0; r < b->s->dist_program->partitions; r++) {
    sp_machine_set_input(b->other, tensor, r, values + r * n);
  }
}

/* The tensors that do not change are those of the last run. */
static void give_unchanged(spi_bench *b, uint32_t n, const spi_override *v) {
  const sp_program *d = b->s->dist_program;
  for (uint32_t t = 0; t < d->n_tensors; t++) {
    if (d->nodes[d->tensors[t].node].n_in == 0 && sp_machine_has(b->dist, t)) {
      sp_machine_share(b->other, t, b->dist, t);
    }
  }
  for (size_t i = 0; i < b->s->problem->n_given; i++) {
    uint32_t t = b->s->problem->given[i].dist; /* cuts are no parameters */
    sp_machine_share(b->other, t, b->dist, t);
  }
  for (uint32_t i = 0; i < n; i++) {
    give(b, v[i].tensor, v[i].values);
  }
}

void spi_bench_difference(spi_bench *b, sp_machine *m,
                          sp_counterexample *first) {
  sp_machine *was = b->dist;
  b->dist = m;
  b->what_if = true;
  if (!spi_bench_differs(b, first)) {
    first->output = (uint32_t)b->s->problem->n_promised;
  }
  b->what_if = false;
  b->dist = was;
}

/* The first difference of the run with these values; its output is past all
 * results when there is none. False: it was not run. */
static bool first_difference(spi_bench *b, uint32_t n, const spi_override *v,
                             sp_counterexample *first) {
  if (b->budget <= 0 || b->sample) {
    return false;
  }
  b->other = b->other ? b->other : other_machine(b);
  sp_machine_reset(b->other);
  give_unchanged(b, n, v);
  bool ok = sp_machine_run(b->other);
  b->budget -= sp_machine_done(b->other) + 1000;
  if (!ok) {
    return false;
  }
  spi_bench_difference(b, b->other, first);
  return true;
}

bool spi_bench_mends(spi_bench *b, uint32_t n, const spi_override *v) {
  return spi_bench_mends_until(b, n, v, b->s->problem->n_promised);
}

bool spi_bench_mends_until(spi_bench *b, uint32_t n, const spi_override *v,
                           size_t results) {
  sp_counterexample first;
  return first_difference(b, n, v, &first) && first.output >= results;
}
