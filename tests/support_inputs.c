/* support_inputs.c: read sp_inputs_draw, then sp_outputs_differ. */
#include "tests/support_inputs.h"

#include <math.h>

/* ---- layouts, element by element ---- */

static int64_t index_along(const sp_layout_dim *dim, int64_t rank, int64_t j) {
  for (uint32_t i = 0; i < dim->n_runs; i++) {
    const sp_run *run = &dim->runs[i];
    if (j < run->size) {
      return run->start[rank] + j;
    }
    j -= run->size;
  }
  return -1;
}

/* The sequential element at (global[d]) that the layout puts at element
 * local[d] on the rank; false: padding. */
static bool layout_at(const sp_layout *l, const sp_shape *global, int64_t rank,
                      const int64_t *local, int64_t *at) {
  bool inside = true;
  for (uint32_t d = 0; d < l->n_dims; d++) {
    at[d] = index_along(&l->dims[d], rank, local[d]);
    inside = inside && at[d] >= 0 && at[d] < global->dims[d];
  }
  return inside;
}

static int64_t flat_of(const sp_shape *s, const int64_t *idx) {
  int64_t at = 0;
  for (uint32_t d = 0; d < s->n_dims; d++) {
    at = at * s->dims[d] + idx[d];
  }
  return at;
}

static void next_index(const sp_shape *s, int64_t *idx) {
  for (uint32_t d = s->n_dims; d-- > 0;) {
    if (++idx[d] < s->dims[d]) {
      return;
    }
    idx[d] = 0;
  }
}

/* ---- drawing ---- */

typedef struct drawing {
  const char *name;
  const char *junk; /* name for what is left open */
  uint64_t seed;
  sp_draw draw;
  sp_dtype type;
  int64_t lo, hi;
  const sp_machine *seq;
  const sp_placed *placed;
  const sp_shape *global;
} drawing;

static double drawn(void *user, int64_t rank, int64_t flat,
                    const int64_t *idx) {
  const drawing *d = user;
  (void)rank;
  (void)idx;
  return sp_hash_value(d->seed, d->draw, d->name, flat, d->type, d->lo, d->hi);
}

/* Anything, other on each rank. */
static double junk(void *user, int64_t rank, int64_t flat, const int64_t *idx) {
  const drawing *d = user;
  (void)idx;
  double v = sp_hash_value(d->seed + 1 + (uint64_t)rank, SP_DRAW_SPREAD,
                           d->junk, flat, d->type, 0, 0);
  return sp_dtype_is_float(d->type) ? 7.0 * v + 3.0 : v;
}

static void draw_seq(sp_machine *seq, const sp_problem *problem,
                     uint32_t tensor, uint64_t seed, sp_draw draw) {
  const sp_tensor *t = &problem->seq->tensors[tensor];
  if (sp_machine_has(seq, tensor)) {
    return;
  }
  drawing d = {
      .name = t->name, .seed = seed, .draw = draw, .type = t->shape.dtype};
  for (size_t i = 0; i < problem->n_ranges; i++) {
    if (problem->ranges[i].seq == tensor) {
      d.lo = problem->ranges[i].lo;
      d.hi = problem->ranges[i].hi;
    }
  }
  sp_machine_fill_input(seq, tensor, drawn, &d);
}

/* ---- partial tensors: addends ---- */

/* The position of the rank in its group, and the group's size. */
static int64_t position_in_group(const sp_layout *l, int64_t rank,
                                 int64_t *size) {
  const sp_groups *g = l->groups;
  for (uint32_t k = 0; g && k < g->n_groups; k++) {
    for (uint32_t i = g->start[k]; i < g->start[k + 1]; i++) {
      if (g->ids[i] == rank) {
        *size = g->start[k + 1] - g->start[k];
        return i - g->start[k];
      }
    }
  }
  *size = g ? 1 : l->ranks;
  return g ? 0 : rank;
}

/* Share number `at` of n in v. Share 0 makes up for the others. */
static double share(const drawing *d, double v, int64_t at, int64_t n,
                    int64_t flat) {
  double others = d->placed->layout->partial == SP_PARTIAL_PROD ? 1 : 0;
  bool real = sp_dtype_is_float(d->type);
  for (int64_t k = 1; k < n; k++) {
    double h = sp_hash_value(d->seed + (uint64_t)k, d->draw, d->junk, flat,
                             real ? SP_F32 : SP_S32, -8, 8);
    double s = h;
    switch (d->placed->layout->partial) {
    case SP_PARTIAL_NONE:
    case SP_PARTIAL_SUM:
    case SP_PARTIAL_AVG:
      others += s;
      break;
    case SP_PARTIAL_MAX:
      s = v - fabs(h);
      break;
    case SP_PARTIAL_MIN:
      s = v + fabs(h);
      break;
    case SP_PARTIAL_PROD:
      s = real ? 1.5 + h / 2 : 1;
      s = s == 0 ? 1 : s;
      others *= s;
      break;
    }
    if (k == at) {
      return s;
    }
  }
  switch (d->placed->layout->partial) {
  case SP_PARTIAL_SUM:
    return v - others;
  case SP_PARTIAL_AVG:
    return v * (double)n - others;
  case SP_PARTIAL_PROD:
    return v / others;
  case SP_PARTIAL_NONE:
  case SP_PARTIAL_MAX:
  case SP_PARTIAL_MIN:
    break;
  }
  return v;
}

/* ---- cutting ---- */

static double cut(void *user, int64_t rank, int64_t flat, const int64_t *idx) {
  const drawing *d = user;
  const sp_layout *l = d->placed->layout;
  int64_t at[SP_MAX_DIMS], n;
  if (!layout_at(l, d->global, rank, idx, at)) {
    return junk(user, rank, flat, idx);
  }
  int64_t global = flat_of(d->global, at);
  double v = sp_machine_value(d->seq, d->placed->seq, 0, global);
  if (l->partial == SP_PARTIAL_NONE) {
    return v;
  }
  int64_t position = position_in_group(l, rank, &n);
  return share(d, v, position, n, global);
}

void sp_inputs_cut(sp_machine *seq, sp_machine *dist, const sp_placed *placed,
                   uint64_t seed, sp_draw draw) {
  const sp_tensor *v = &sp_machine_program(seq)->tensors[placed->seq];
  const sp_tensor *w = &sp_machine_program(dist)->tensors[placed->dist];
  drawing d = {.name = v->name,
               .junk = w->name,
               .seed = seed,
               .draw = draw,
               .type = w->shape.dtype,
               .seq = seq,
               .placed = placed,
               .global = &v->shape};
  bool known = placed->layout && sp_machine_has(seq, placed->seq);
  sp_machine_fill_input(dist, placed->dist, known ? cut : junk, &d);
}

void sp_inputs_draw(sp_machine *seq, sp_machine *dist,
                    const sp_problem *problem, uint64_t seed, sp_draw draw) {
  for (uint32_t i = 0; i < problem->seq->n_params; i++) {
    draw_seq(seq, problem, problem->seq->params[i], seed, draw);
  }
  for (size_t i = 0; i < problem->n_given; i++) {
    const sp_placed *g = &problem->given[i];
    draw_seq(seq, problem, g->seq, seed, draw);
    if (!sp_machine_has(dist, g->dist)) {
      sp_inputs_cut(seq, dist, g, seed, draw);
    }
  }
  for (uint32_t i = 0; i < problem->dist->n_params; i++) {
    uint32_t t = problem->dist->params[i];
    const sp_tensor *x = &problem->dist->tensors[t];
    drawing d = {.junk = x->name, .seed = seed, .type = x->shape.dtype};
    if (!sp_machine_has(dist, t)) {
      sp_machine_fill_input(dist, t, junk, &d);
    }
  }
}

/* ---- comparing ---- */

static double combined(sp_partial how, double a, double b) {
  switch (how) {
  case SP_PARTIAL_MAX:
    return a > b ? a : b;
  case SP_PARTIAL_MIN:
    return a < b ? a : b;
  case SP_PARTIAL_PROD:
    return a * b;
  case SP_PARTIAL_NONE:
  case SP_PARTIAL_SUM:
  case SP_PARTIAL_AVG:
    break;
  }
  return a + b;
}

/* The value that the ranks of this rank's group hold together; false: the rank
 * is not the first of them. */
static bool reduced(const sp_machine *dist, const sp_placed *p, int64_t rank,
                    int64_t flat, double *out) {
  const sp_layout *l = p->layout;
  int64_t n, position = position_in_group(l, rank, &n);
  if (position != 0) {
    return false;
  }
  *out = sp_machine_value(dist, p->dist, rank, flat);
  for (int64_t r = 0; r < l->ranks; r++) {
    int64_t m;
    const sp_groups *g = l->groups;
    bool same = !g;
    for (uint32_t k = 0; g && k < g->n_groups; k++) {
      bool has_rank = false, has_r = false;
      for (uint32_t i = g->start[k]; i < g->start[k + 1]; i++) {
        has_rank = has_rank || g->ids[i] == rank;
        has_r = has_r || g->ids[i] == r;
      }
      same = same || (has_rank && has_r);
    }
    if (r != rank && same && position_in_group(l, r, &m) > 0) {
      *out =
          combined(l->partial, *out, sp_machine_value(dist, p->dist, r, flat));
    }
  }
  if (l->partial == SP_PARTIAL_AVG) {
    *out /= (double)n;
  }
  return true;
}

static double scale_of(const sp_machine *seq, uint32_t tensor) {
  int64_t n =
      sp_shape_elements(&sp_machine_program(seq)->tensors[tensor].shape);
  double scale = 1;
  for (int64_t i = 0; i < n; i++) {
    double v = fabs(sp_machine_value(seq, tensor, 0, i));
    scale = isfinite(v) && v > scale ? v : scale;
  }
  return scale;
}

static void compare(sp_difference *out, double tolerance, int64_t rank,
                    int64_t local, int64_t global, double want, double got) {
  out->n++;
  if (want == got || (isnan(want) && isnan(got))) {
    return;
  }
  if (!isfinite(want) || !isfinite(got)) {
    out->nan++;
    return;
  }
  double error = fabs(got - want) / out->scale;
  bool beyond = error > tolerance;
  if (beyond ? out->count == 0 : out->count == 0 && error > out->error) {
    out->rank = rank;
    out->local = local;
    out->global = global;
    out->expected = want;
    out->got = got;
    out->error = error;
  }
  out->count += beyond;
}

bool sp_outputs_differ(const sp_machine *seq, const sp_machine *dist,
                       const sp_placed *placed, double tolerance,
                       sp_difference *out) {
  const sp_shape *global = &sp_machine_program(seq)->tensors[placed->seq].shape;
  const sp_shape *local =
      &sp_machine_program(dist)->tensors[placed->dist].shape;
  int64_t n = sp_shape_elements(local);
  *out = (sp_difference){.scale = scale_of(seq, placed->seq)};
  for (int64_t r = 0; placed->layout && r < sp_machine_ranks(dist); r++) {
    int64_t idx[SP_MAX_DIMS] = {0}, at[SP_MAX_DIMS];
    for (int64_t i = 0; i < n; i++, next_index(local, idx)) {
      if (!layout_at(placed->layout, global, r, idx, at)) {
        continue;
      }
      int64_t g = flat_of(global, at);
      double want = sp_machine_value(seq, placed->seq, 0, g), got;
      if (placed->layout->partial == SP_PARTIAL_NONE) {
        got = sp_machine_value(dist, placed->dist, r, i);
      } else if (!reduced(dist, placed, r, i, &got)) {
        continue;
      }
      compare(out, tolerance, r, i, g, want, got);
    }
  }
  return out->count > 0;
}
