/* witness.c: read spi_look_for_witness, then compare_result. */
#include "solve/witness.h"

#include <math.h>

#include "solve/draw.h"
#include "solve/fault.h"
#include "solve/fit.h"

/* Seeds tried in each mode; a difference counts when two seeds show it. */
enum { SEEDS = 3 };

/* Elements may differ by rounding: this share of the result's largest element
 * does not count. A fault is seldom smaller, and where it is nothing is said. */
static const double NEGLIGIBLE = 1e-4;

typedef struct hunt {
  sp_state *s;
  sp_machine *seq, *dist;
  spi_draw_mode mode;
  uint64_t seed;
} hunt;

static bool run_both(hunt *h) {
  return sp_machine_run(h->seq) && sp_machine_run(h->dist);
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
static double held(hunt *h, const sp_placed *x, int64_t rank, int64_t i) {
  const sp_layout *l = x->layout;
  if (l->partial == SP_PARTIAL_NONE || !l->groups) {
    return sp_machine_values(h->dist, x->dist, rank)[i];
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
    double v = sp_machine_values(h->dist, x->dist, l->groups->ids[from])[i];
    for (uint32_t k = from + 1; k < to; k++) {
      v = combine(l->partial, v,
                  sp_machine_values(h->dist, x->dist, l->groups->ids[k])[i]);
    }
    return l->partial == SP_PARTIAL_AVG ? v / (double)(to - from) : v;
  }
  return sp_machine_values(h->dist, x->dist, rank)[i];
}

static bool differ(double want, double got, double scale, bool real) {
  if (!real) {
    return want != got;
  }
  if (isnan(want) || (isinf(want) && want == got)) {
    return false; /* only where the sequential program has a value */
  }
  return !(fabs(want - got) <= NEGLIGIBLE * scale);
}

/* The largest difference of one result, over all ranks and elements. */
static bool compare_result(hunt *h, const sp_placed *x,
                           sp_counterexample *out) {
  sp_state *s = h->s;
  const sp_shape *g = &s->seq_program->tensors[x->seq].shape;
  const sp_shape *l = &s->dist_program->tensors[x->dist].shape;
  const double *want = sp_machine_values(h->seq, x->seq, 0);
  int64_t n = sp_shape_elements(l);
  double scale = fmax(largest(want, sp_shape_elements(g)), 1e-12);
  bool real = sp_dtype_is_float(l->dtype), found = false;
  double worst = -1;
  for (int64_t rank = 0; rank < s->dist_program->partitions; rank++) {
    for (int64_t i = 0; i < n; i++) {
      int64_t at = 0, stride = 1, rest = i, local[SP_MAX_DIMS],
              global[SP_MAX_DIMS];
      bool inside = true;
      for (uint32_t d = l->n_dims; d-- > 0;) {
        local[d] = rest % l->dims[d];
        global[d] = spi_layout_index(x->layout, d, rank, local[d]);
        rest /= l->dims[d];
        inside = inside && global[d] < g->dims[d];
        at += global[d] * stride;
        stride *= g->dims[d];
      }
      double got = inside ? held(h, x, rank, i) : 0;
      if (!inside || !differ(want[at], got, scale, real)) {
        continue;
      }
      double size = isfinite(got) && isfinite(want[at])
                        ? fabs(got - want[at])
                        : INFINITY;
      if (size > worst) {
        worst = size;
        found = true;
        out->rank = rank;
        out->expected = want[at];
        out->got = got;
        out->n_dims = l->n_dims;
        int64_t *where =
            sp_alloc_n(s->ctx, 2 * (size_t)l->n_dims + 1, sizeof *where);
        for (uint32_t d = 0; d < l->n_dims; d++) {
          where[d] = local[d];
          where[l->n_dims + d] = global[d];
        }
        out->local_index = where;
        out->global_index = where + l->n_dims;
      }
    }
  }
  return found;
}

static bool compare_all(hunt *h, sp_counterexample *out) {
  const sp_problem *p = h->s->problem;
  for (size_t k = 0; k < p->n_promised; k++) {
    const sp_placed *x = &p->promised[k];
    if (x->layout && compare_result(h, x, out)) {
      out->output = (uint32_t)k;
      out->name = h->s->dist_program->tensors[x->dist].name;
      return true;
    }
  }
  return false;
}

/* ---- hunting ---- */

static bool draw_and_run(hunt *h, uint64_t seed, const char **why) {
  h->seed = seed;
  sp_machine_reset(h->seq);
  sp_machine_reset(h->dist);
  if (!spi_draw_inputs(h->s->ctx, h->s->problem, h->mode, seed, h->seq,
                       h->dist, why)) {
    return false;
  }
  if (!run_both(h)) {
    const sp_machine_trouble *t =
        sp_machine_problem(h->seq)->outcome != SP_RUN_OK
            ? sp_machine_problem(h->seq)
            : sp_machine_problem(h->dist);
    *why = sp_format(h->s->ctx, "the programs were not run: %s%s%s",
                     t->message, *t->hint ? "; " : "", t->hint);
    return false;
  }
  return true;
}

/* The run again, with one tensor's values replaced (solve/repair.h). */
static bool trial(void *env, uint32_t tensor, const double *values) {
  hunt *h = env;
  const char *why;
  sp_machine_reset(h->seq);
  sp_machine_reset(h->dist);
  if (!spi_draw_inputs(h->s->ctx, h->s->problem, h->mode, h->seed, h->seq,
                       h->dist, &why)) {
    return false;
  }
  for (int64_t r = 0; r < h->s->dist_program->partitions; r++) {
    sp_machine_set_input(h->dist, tensor, r, values);
  }
  sp_counterexample other;
  return run_both(h) && !compare_all(h, &other);
}

/* The same result differs on two seeds: no accident of rounding. */
static bool hunt_mode(hunt *h, sp_counterexample *out, const char **why) {
  uint32_t times = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    sp_counterexample here = {0};
    if (!draw_and_run(h, seed, why)) {
      return false;
    }
    if (compare_all(h, &here)) {
      if (times && here.output != out->output) {
        continue;
      }
      *out = here;
      out->seed = seed;
      times++;
    }
    if (times == 2) {
      return true; /* the machines hold this run */
    }
  }
  return false;
}

void spi_look_for_witness(sp_state *s, sp_report *report) {
  sp_machine_options options = {.budget_ops = s->options->run_budget > 0
                                                  ? s->options->run_budget
                                                  : SP_CHECK_RUN_BUDGET,
                                .keep_all = true};
  hunt h = {.s = s};
  h.seq = sp_machine_new(s->ctx, s->pool, s->seq_program, &options);
  h.dist = sp_machine_new(s->ctx, s->pool, s->dist_program, &options);
  sp_counterexample *c = sp_alloc(s->ctx, sizeof *c);
  for (int mode = 0; mode < SPI_DRAW_MODES; mode++) {
    h.mode = (spi_draw_mode)mode;
    const char *why = NULL;
    if (hunt_mode(&h, c, &why)) {
      c->confirmed = true;
      c->inputs = spi_draw_mode_text(h.mode);
      report->verdict = SP_VIOLATION;
      report->counterexample = c;
      report->fault =
          spi_find_fault(s, report, h.seq, h.dist, trial, &h);
      return;
    }
    if (why) {
      report->not_run = why;
      return;
    }
  }
}
