/* fit.c: read spi_fit_of, then fits_at (one placement). */
#include "solve/fit.h"

#include "solve/span.h"

#include <math.h>
#include <string.h>

enum { MAX_PLACED = 24, MAX_GROUPINGS = 9, MAX_OFFSETS = 256 };
enum { MAX_KEYS = 1 << 24, MAX_COUNT = 1024 };

/* A coordinate of the ranks, by value. */
typedef struct coordinate {
  int64_t n;
  const int64_t *at; /* by rank */
  const char *text;
} coordinate;

/* Ranks with the same number are reduced together. */
typedef struct grouping {
  const int64_t *group; /* by rank */
  int64_t n;
  const char *text;
} grouping;

/* A dimension of `global` of which a rank holds `local` from at[rank] on. */
typedef struct offset {
  int64_t local, global;
  const int64_t *at; /* by rank */
} offset;

struct spi_fitter {
  sp_state *s;
  sp_machine *seq, *dist;
  int64_t ranks;
  SP_VEC(coordinate) coordinates;
  SP_VEC(offset) offsets; /* of cuts that are not even, as layouts have them */
  grouping groupings[MAX_GROUPINGS];
  uint32_t n_groupings;
  spi_fit *known; /* by distributed tensor */
  bool *asked;
  double *scale; /* by sequential tensor: its largest element */
};

bool spi_close(double a, double b, double scale) {
  if (!isfinite(a) || !isfinite(b)) {
    return (isnan(a) && isnan(b)) || a == b;
  }
  double size = fmax(fabs(a), fabs(b));
  return fabs(a - b) <= 1e-6 * size + 1e-9 * scale;
}

/* ---- coordinates and groupings ---- */

static int64_t rank_value(void *user, sp_expr v) {
  (void)v;
  return *(int64_t *)user;
}

static sp_value no_read(void *user, sp_sym s, uint32_t n, const int64_t *idx) {
  (void)user;
  (void)s;
  (void)n;
  (void)idx;
  return (sp_value){.sort = SP_SORT_INT};
}

const int64_t *spi_by_rank(sp_state *s, sp_expr e) {
  int64_t ranks = s->dist_program->partitions;
  int64_t *at = sp_alloc_n(s->ctx, (size_t)ranks + 1, sizeof *at);
  for (int64_t r = 0; r < ranks; r++) {
    sp_eval_env env = {
        .user = &r, .var = rank_value, .read = no_read, .budget = 10000};
    sp_value v;
    if (!sp_eval(s->pool, e, &env, &v)) {
      return NULL;
    }
    at[r] = v.i;
  }
  return at;
}

static void add_grouping(spi_fitter *f, const int64_t *group, int64_t n,
                         const char *text) {
  if (f->n_groupings < MAX_GROUPINGS) {
    f->groupings[f->n_groupings++] = (grouping){group, n, text};
  }
}

/* The rank's other coordinates as one number below *limit; -1: too many. */
static int64_t others_of(const spi_fitter *f, size_t axis, int64_t rank,
                         int64_t *limit) {
  int64_t key = 0;
  *limit = 1;
  for (size_t k = 0; k < f->coordinates.n; k++) {
    const coordinate *c = &f->coordinates.v[k];
    if (k == axis) {
      continue;
    }
    if (c->at[rank] < 0 || c->at[rank] >= c->n ||
        *limit > MAX_KEYS / (c->n > 0 ? c->n : 1)) {
      return -1;
    }
    key = key * c->n + c->at[rank];
    *limit *= c->n;
  }
  return key;
}

/* Ranks that agree in all coordinates but one. */
static void add_axis(spi_fitter *f, size_t axis) {
  sp_ctx *ctx = f->s->ctx;
  int64_t *group = sp_alloc_n(ctx, (size_t)f->ranks, sizeof *group);
  int64_t limit, n = 0;
  if (others_of(f, axis, 0, &limit) < 0) {
    return;
  }
  int64_t *first = sp_alloc_n(ctx, (size_t)limit, sizeof *first);
  for (int64_t r = 0; r < f->ranks; r++) {
    int64_t key = others_of(f, axis, r, &limit);
    if (key < 0) {
      return;
    }
    first[key] = first[key] ? first[key] : ++n;
    group[r] = first[key] - 1;
  }
  add_grouping(f, group, n,
               sp_format(ctx, "the ranks that differ in %s only",
                         f->coordinates.v[axis].text));
}

static bool has_offset(const spi_fitter *f, const offset *o) {
  for (size_t i = 0; i < f->offsets.n; i++) {
    const offset *p = &f->offsets.v[i];
    if (p->local == o->local && p->global == o->global &&
        memcmp(p->at, o->at, (size_t)f->ranks * sizeof *o->at) == 0) {
      return true;
    }
  }
  return false;
}

static void add_offsets(spi_fitter *f, const sp_placed *x) {
  const sp_shape *global = &f->s->seq_program->tensors[x->seq].shape;
  for (uint32_t d = 0; x->layout && d < x->layout->n_dims; d++) {
    const sp_layout_dim *dim = &x->layout->dims[d];
    if (dim->n_runs != 1 || dim->runs[0].size == global->dims[d]) {
      continue;
    }
    offset o = {dim->runs[0].size, global->dims[d], dim->runs[0].start};
    if (f->offsets.n < MAX_OFFSETS && !has_offset(f, &o)) {
      sp_push(f->s->ctx, &f->offsets, o);
    }
  }
}

spi_fitter *spi_fitter_new(sp_state *s, sp_machine *seq, sp_machine *dist) {
  spi_fitter *f = sp_alloc(s->ctx, sizeof *f);
  f->s = s;
  f->seq = seq;
  f->dist = dist;
  f->ranks = s->dist_program->partitions;
  for (size_t i = 0; i < s->cuts.n; i++) {
    const int64_t *at = spi_by_rank(s, s->cuts.v[i].coordinate);
    if (at) {
      sp_push(s->ctx, &f->coordinates,
              ((coordinate){s->cuts.v[i].n, at,
                            sp_show(s->pool, s->cuts.v[i].coordinate)}));
    }
  }
  for (size_t i = 0; i < s->problem->n_given && !s->problem->ranked; i++) {
    add_offsets(f, &s->problem->given[i]);
  }
  for (size_t i = 0; i < s->problem->n_promised && !s->problem->ranked; i++) {
    add_offsets(f, &s->problem->promised[i]);
  }
  add_grouping(f, sp_alloc_n(s->ctx, (size_t)f->ranks, sizeof(int64_t)), 1,
               "all ranks");
  for (size_t i = 0; f->coordinates.n > 1 && i < f->coordinates.n; i++) {
    add_axis(f, i);
  }
  f->known =
      sp_alloc_n(s->ctx, s->dist_program->n_tensors + 1u, sizeof *f->known);
  f->asked =
      sp_alloc_n(s->ctx, s->dist_program->n_tensors + 1u, sizeof *f->asked);
  f->scale =
      sp_alloc_n(s->ctx, s->seq_program->n_tensors + 1u, sizeof *f->scale);
  return f;
}

const char *spi_fitter_group_text(spi_fitter *f, uint32_t g) {
  return f->groupings[g].text;
}

/* ---- one placement ---- */

typedef struct placed {
  uint32_t n_dims;
  const int64_t *global, *local;
  const int64_t *start[SP_MAX_DIMS]; /* by rank; NULL: whole */
  int64_t block[SP_MAX_DIMS];
} placed;

static int64_t elements_of(const spi_fitter *f, uint32_t w) {
  return sp_shape_elements(&f->s->dist_program->tensors[w].shape);
}

static double largest(spi_fitter *f, uint32_t t) {
  if (f->scale[t] == 0) {
    int64_t n = sp_machine_count(f->seq, t);
    double most = 1e-300;
    for (int64_t r = 0; r < sp_machine_ranks(f->seq); r++) {
      const double *v = sp_machine_values(f->seq, t, r);
      for (int64_t i = 0; i < n; i++) {
        most = isfinite(v[i]) ? fmax(most, fabs(v[i])) : most;
      }
    }
    f->scale[t] = most;
  }
  return f->scale[t];
}

/* The element of sequential tensor v at position j of what a rank holds;
 * false: padding, or not computed. */
static bool counterpart(const spi_fitter *f, const placed *x, uint32_t w,
                        uint32_t v, int64_t rank, int64_t j, double *out) {
  int64_t at[SP_MAX_DIMS];
  sp_machine_where(f->dist, w, j, at);
  for (uint32_t d = 0; d < x->n_dims; d++) {
    at[d] += x->start[d] ? x->start[d][rank] * x->block[d] : 0;
    if (at[d] >= x->global[d]) {
      return false;
    }
  }
  return sp_machine_at(f->seq, v, f->s->problem->ranked ? rank : 0, at, out);
}

static bool whole_fits(spi_fitter *f, const placed *x, uint32_t w, uint32_t v,
                       double factor) {
  int64_t n = sp_machine_count(f->dist, w), compared = 0;
  double scale = largest(f, v), want;
  sp_span ranks = sp_machine_ranks_of(f->dist, w);
  for (int64_t k = 0; k < ranks.n; k++) {
    int64_t r = spi_span_at(ranks, k);
    const double *l = sp_machine_values(f->dist, w, r);
    for (int64_t j = 0; j < n; j++) {
      if (!counterpart(f, x, w, v, r, j, &want)) {
        continue;
      }
      if (!spi_close(l[j], factor * want, factor * scale)) {
        return false;
      }
      compared++;
    }
  }
  return compared || elements_of(f, w) == 0;
}

/* Do all ranks that are reduced together have parts of the same block? */
static bool of_one_block(const spi_fitter *f, const placed *x,
                         const grouping *g) {
  int64_t *first = sp_scratch(f->s->ctx, (size_t)g->n * sizeof *first);
  bool same = true;
  for (uint32_t d = 0; d < x->n_dims && same; d++) {
    memset(first, 0, (size_t)g->n * sizeof *first);
    for (int64_t r = 0; r < f->ranks && same && x->start[d]; r++) {
      int64_t *at = &first[g->group[r]];
      same = *at == 0 || x->start[d][*at - 1] == x->start[d][r];
      *at = *at == 0 ? r + 1 : *at;
    }
  }
  return same;
}

/* Infinities (masks) add up to what they add up to, whatever else is there. */
static bool partial_fits(spi_fitter *f, const placed *x, uint32_t w, uint32_t v,
                         const grouping *g, bool maximum) {
  int64_t n = sp_machine_count(f->dist, w), compared = 0;
  double scale = largest(f, v), want;
  sp_span ranks = sp_machine_ranks_of(f->dist, w);
  sp_mark mark = sp_scratch_mark(f->s->ctx);
  double *sum = sp_scratch(f->s->ctx, (size_t)(n + 1) * sizeof *sum);
  bool ok = of_one_block(f, x, g);
  for (int64_t group = 0; group < g->n && ok; group++) {
    memset(sum, 0, (size_t)n * sizeof *sum);
    int64_t first = -1;
    bool all = true; /* of them are computed */
    for (int64_t r = 0; r < f->ranks && all; r++) {
      all = g->group[r] != group || spi_span_find(ranks, r) >= 0;
      if (all && g->group[r] == group) {
        first = first < 0 ? r : first;
        const double *l = sp_machine_values(f->dist, w, r);
        for (int64_t j = 0; j < n; j++) {
          sum[j] = !maximum || r == first ? sum[j] + l[j] : fmax(sum[j], l[j]);
        }
      }
    }
    for (int64_t j = 0; j < n && ok && all; j++) {
      if (counterpart(f, x, w, v, first, j, &want)) {
        ok = isfinite(sum[j]) && spi_close(sum[j], want, scale);
        compared++;
      }
    }
  }
  sp_scratch_release(f->s->ctx, mark);
  return ok && (compared || elements_of(f, w) == 0);
}

/* The factor between the first element that is not zero and its counterpart. */
static double factor_at(spi_fitter *f, const placed *x, uint32_t w,
                        uint32_t v) {
  sp_span ranks = sp_machine_ranks_of(f->dist, w);
  int64_t n = sp_machine_count(f->dist, w);
  int64_t rank = ranks.n ? spi_span_at(ranks, 0) : 0;
  const double *l = sp_machine_values(f->dist, w, rank);
  double want;
  for (int64_t j = 0; j < n && ranks.n; j++) {
    if (counterpart(f, x, w, v, rank, j, &want) && isfinite(want) &&
        fabs(want) > 0.1 * largest(f, v)) {
      return l[j] / want;
    }
  }
  return 1;
}

/* Any number is some other times a factor, and so are elements that are all the
 * same: then it says something only where it is a small count, or one over it.
 */
static bool factor_tells(spi_fitter *f, const placed *x, uint32_t w, uint32_t v,
                         double factor) {
  int64_t n = sp_machine_count(f->dist, w);
  double scale = largest(f, v), first = 0, want;
  sp_span ranks = sp_machine_ranks_of(f->dist, w);
  for (int64_t k = 0; k < ranks.n; k++) {
    int64_t r = spi_span_at(ranks, k);
    for (int64_t j = 0; j < n; j++) {
      if (!counterpart(f, x, w, v, r, j, &want) || want == 0) {
        continue;
      }
      first = first == 0 ? want : first;
      if (!spi_close(want, first, scale)) {
        return true;
      }
    }
  }
  double count = fabs(factor) < 1 ? 1 / factor : factor;
  return fabs(count) <= MAX_COUNT &&
         fabs(count - nearbyint(count)) <= 1e-6 * fabs(count);
}

static spi_fit fits_at(spi_fitter *f, const placed *x, uint32_t w, uint32_t v,
                       bool scaled) {
  spi_fit fit = {.kind = SPI_FIT_WHOLE, .seq = v};
  if (whole_fits(f, x, w, v, 1)) {
    return fit;
  }
  bool real = sp_dtype_is_float(f->s->seq_program->tensors[v].shape.dtype);
  bool sums = real && !f->s->problem->ranked; /* every rank has its own */
  for (uint32_t i = 0; i < 2 * f->n_groupings && sums; i++) {
    fit.maximum = i >= f->n_groupings;
    fit.grouping = i % f->n_groupings;
    if (f->groupings[fit.grouping].n < f->ranks &&
        partial_fits(f, x, w, v, &f->groupings[fit.grouping], fit.maximum)) {
      fit.kind = SPI_FIT_PARTIAL;
      return fit;
    }
  }
  if (scaled && real) {
    fit.factor = factor_at(f, x, w, v);
    if (isfinite(fit.factor) && fit.factor != 0 &&
        whole_fits(f, x, w, v, fit.factor) &&
        factor_tells(f, x, w, v, fit.factor)) {
      fit.kind = SPI_FIT_SCALED;
      return fit;
    }
  }
  fit.kind = SPI_FIT_NONE;
  return fit;
}

static spi_fit place(spi_fitter *f, placed *x, uint32_t d, uint32_t w,
                     uint32_t v, bool scaled, uint32_t *tried) {
  spi_fit none = {.kind = SPI_FIT_NONE};
  if (d == x->n_dims) {
    ++*tried;
    return fits_at(f, x, w, v, scaled);
  }
  if (x->global[d] == x->local[d]) {
    x->start[d] = NULL;
    return place(f, x, d + 1, w, v, scaled, tried);
  }
  for (size_t i = 0; i < f->coordinates.n && *tried < MAX_PLACED; i++) {
    const coordinate *c = &f->coordinates.v[i];
    if ((x->global[d] + c->n - 1) / c->n == x->local[d]) {
      x->start[d] = c->at;
      x->block[d] = x->local[d];
      spi_fit fit = place(f, x, d + 1, w, v, scaled, tried);
      if (fit.kind != SPI_FIT_NONE) {
        return fit;
      }
    }
  }
  for (size_t i = 0; i < f->offsets.n && *tried < MAX_PLACED; i++) {
    const offset *o = &f->offsets.v[i];
    if (o->local == x->local[d] && o->global == x->global[d]) {
      x->start[d] = o->at;
      x->block[d] = 1;
      spi_fit fit = place(f, x, d + 1, w, v, scaled, tried);
      if (fit.kind != SPI_FIT_NONE) {
        return fit;
      }
    }
  }
  return none;
}

bool spi_fit_could(const spi_fitter *f, uint32_t w, uint32_t v) {
  const sp_shape *l = &f->s->dist_program->tensors[w].shape;
  const sp_shape *g = &f->s->seq_program->tensors[v].shape;
  if (l->n_dims != g->n_dims ||
      sp_dtype_is_float(l->dtype) != sp_dtype_is_float(g->dtype) ||
      (l->dtype == SP_PRED) != (g->dtype == SP_PRED)) {
    return false;
  }
  for (uint32_t d = 0; d < l->n_dims; d++) {
    bool fits = l->dims[d] == g->dims[d];
    for (size_t i = 0; i < f->coordinates.n && !fits; i++) {
      int64_t n = f->coordinates.v[i].n;
      fits = (g->dims[d] + n - 1) / n == l->dims[d];
    }
    for (size_t i = 0; i < f->offsets.n && !fits; i++) {
      fits = f->offsets.v[i].local == l->dims[d] &&
             f->offsets.v[i].global == g->dims[d];
    }
    if (!fits) {
      return false;
    }
  }
  return true;
}

static spi_fit fit_one(spi_fitter *f, uint32_t w, uint32_t v, bool scaled) {
  const sp_shape *l = &f->s->dist_program->tensors[w].shape;
  const sp_shape *g = &f->s->seq_program->tensors[v].shape;
  spi_fit none = {.kind = SPI_FIT_NONE};
  if (!spi_fit_could(f, w, v) || !sp_machine_has(f->seq, v) ||
      !sp_machine_has(f->dist, w)) {
    return none;
  }
  placed x = {.n_dims = l->n_dims, .global = g->dims, .local = l->dims};
  uint32_t tried = 0;
  return place(f, &x, 0, w, v, scaled, &tried);
}

spi_fit spi_fit_to(spi_fitter *f, uint32_t w, uint32_t v) {
  return fit_one(f, w, v, true);
}

static spi_fit fit_as_it_is(spi_fitter *f, uint32_t w) {
  if (!f->asked[w]) {
    f->asked[w] = true;
    for (uint32_t v = 0; v < f->s->seq_program->n_tensors; v++) {
      f->known[w] = fit_one(f, w, v, false);
      if (f->known[w].kind != SPI_FIT_NONE) {
        break;
      }
    }
  }
  return f->known[w];
}

static bool same_but_ones(const sp_shape *a, const sp_shape *b) {
  uint32_t i = 0, k = 0;
  while (i < a->n_dims || k < b->n_dims) {
    if (i < a->n_dims && a->dims[i] == 1) {
      i++;
    } else if (k < b->n_dims && b->dims[k] == 1) {
      k++;
    } else if (i == a->n_dims || k == b->n_dims ||
               a->dims[i++] != b->dims[k++]) {
      return false;
    }
  }
  return true;
}

/* Has w the elements of its only operand, and its shape but for dimensions of
 * size 1? */
static bool only_adds_ones(const spi_fitter *f, uint32_t w) {
  const sp_program *d = f->s->dist_program;
  const sp_node *node = &d->nodes[d->tensors[w].node];
  if (node->n_in != 1 || node->n_out != 1 ||
      !same_but_ones(&d->tensors[w].shape, &d->tensors[node->in[0]].shape)) {
    return false;
  }
  uint32_t in = node->in[0];
  if (!sp_machine_has(f->dist, w) || !sp_machine_has(f->dist, in) ||
      sp_machine_count(f->dist, w) != sp_machine_count(f->dist, in)) {
    return false; /* of a sample, other elements */
  }
  size_t n = (size_t)sp_machine_count(f->dist, w);
  sp_span ranks = sp_machine_ranks_of(f->dist, w);
  sp_span ranks_in = sp_machine_ranks_of(f->dist, in);
  bool same = ranks.n == ranks_in.n;
  for (int64_t k = 0; same && k < ranks.n; k++) {
    int64_t r = spi_span_at(ranks, k);
    same = spi_span_at(ranks_in, k) == r &&
           memcmp(sp_machine_values(f->dist, w, r),
                  sp_machine_values(f->dist, in, r), n * sizeof(double)) == 0;
  }
  return same;
}

spi_fit spi_fit_of(spi_fitter *f, uint32_t w) {
  const sp_program *d = f->s->dist_program;
  spi_fit fit = fit_as_it_is(f, w);
  for (uint32_t t = w; fit.kind == SPI_FIT_NONE && only_adds_ones(f, t);) {
    t = d->nodes[d->tensors[t].node].in[0];
    fit = fit_as_it_is(f, t);
  }
  f->known[w] = fit;
  return fit;
}
