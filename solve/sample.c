/* sample.c: read spi_look_in_samples, then affordable. */
#include "solve/sample.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "solve/span.h"
#include "solve/witness.h"

enum {
  /* Indices of a dimension where an input is not zero, and of the result. */
  CHOSEN = SPI_DRAW_SPOTS,
  COMPARED = SPI_DRAW_TIED,
  FEW = 2,        /* indices, where more are too much */
  FEW_RANKS = 4,  /* and the first and the last: these are compared first, */
  MANY_RANKS = 4, /* where there are so many times more */
  SMALL = 16,     /* dimensions that are left alone at first */
  /* How thin an input is: its largest dimension, all large ones, all of them
   * and by FEW. */
  LEVELS = 3,
  BORDERED = 2,    /* dimensions: of more, borders are too much */
  MAX_RESULTS = 8, /* that are looked at */
  STEP = 2, /* a step takes inputs of at least this part of the largest */
  LONG_STEP = 64,
};
static const int64_t SMALL_INPUT = 16; /* elements */
static const double WIDE_SHARE = 0.7;  /* for a run on all ranks */
static const double FAR = 10;          /* times what a run may take */
static const double MAX_BYTES = 1e9;   /* of all tensors: they are kept */
/* Of the budget, for one run: what is cheap is tried first. */
static const double SHARES[] = {0.02, 0.15, 1};
/* Operations for an input's element, and the share of them for its copy. */
static const double DRAWING = 50, COPYING = 0.04;

/* With some inputs thinned out, or fewer elements compared. */
typedef struct rung {
  spi_bench *bench;
  double bytes, cost; /* cost: where the bytes are not too many */
} rung;

/* Of one result on some ranks: one rung after the other costs less. */
typedef struct sampler {
  sp_state *s;
  uint32_t output;
  bool few;                 /* not all ranks */
  bool tied;                /* spots of all extents (draw.h) */
  sp_span ranks;            /* whose elements are compared, */
  int64_t compared;         /* so many indices along each dimension */
  uint8_t *level;           /* by sequential tensor */
  const sp_span **supports; /* by sequential tensor, or NULL */
  SP_VEC(rung) rungs;       /* made when they are looked at */
} sampler;

/* ---- indices ---- */

/* n indices, one each out of n of the eighths of the extent (draw.h): the same
 * for all inputs, so that factors of a product are not zero at the same
 * indices; fewer are some of more. */
static sp_span chosen(sp_ctx *ctx, bool tied, int64_t extent, int64_t n) {
  if (extent <= n) {
    return spi_span_all(extent);
  }
  int64_t *at = sp_alloc_n(ctx, (size_t)n, sizeof *at);
  for (int64_t i = 0; i < n; i++) {
    int64_t k = n > 1 ? i * (CHOSEN - 1) / (n - 1) : 0;
    at[i] = spi_draw_spot(extent, k, tied);
  }
  return (sp_span){n, at};
}

/* Do integers of the programs' inputs select what is read? */
static bool selects(const sp_state *s) {
  const sp_problem *p = s->problem;
  for (size_t i = 0; i < p->n_given; i++) {
    if (sp_dtype_is_int(p->seq->tensors[p->given[i].seq].shape.dtype)) {
      return true;
    }
  }
  return false;
}

static int64_t largest_dim(const sp_shape *s) {
  int64_t most = 0;
  for (uint32_t d = 0; d < s->n_dims; d++) {
    most = s->dims[d] > most ? s->dims[d] : most;
  }
  return most;
}

/* n of the indices that are needed: others would not be looked at. */
static sp_span chosen_of(const sampler *x, sp_span needed, int64_t extent,
                         int64_t n) {
  if (!needed.at || needed.n == 0) {
    return chosen(x->s->ctx, x->tied, extent, n);
  }
  sp_span some = chosen(x->s->ctx, x->tied, needed.n, n);
  int64_t *at = sp_alloc_n(x->s->ctx, (size_t)some.n, sizeof *at);
  for (int64_t i = 0; i < some.n; i++) {
    at[i] = spi_span_at(needed, spi_span_at(some, i));
  }
  return (sp_span){some.n, at};
}

static void thin_out_input(sampler *x, spi_bench *b, uint32_t seq) {
  const sp_shape *shape = &x->s->seq_program->tensors[seq].shape;
  sp_ctx *ctx = x->s->ctx;
  sp_span *v = sp_alloc_n(ctx, shape->n_dims + 1u, sizeof *v);
  int64_t most = largest_dim(shape);
  int level = ++x->level[seq];
  for (uint32_t d = 0; d < shape->n_dims; d++) {
    int64_t extent = shape->dims[d];
    bool thin =
        level == LEVELS || (level == 1 ? extent == most : extent > SMALL);
    v[d] = thin ? chosen_of(x, sp_machine_span(b->seq, seq, d), extent,
                            level == LEVELS ? FEW : CHOSEN)
                : spi_span_all(extent);
  }
  x->supports[seq] = v;
}

/* ---- the same on the ranks ---- */

/* Local indices that are chosen, or padding, on some rank. */
static sp_span local_span(const sampler *x, const sp_placed *given, uint32_t d,
                          sp_span global) {
  const sp_problem *p = x->s->problem;
  sp_ctx *ctx = x->s->ctx;
  int64_t extent = p->dist->tensors[given->dist].shape.dims[d];
  int64_t limit = p->seq->tensors[given->seq].shape.dims[d];
  /* what is not cut is the same on all ranks */
  int64_t ranks = given->layout->dims[d].n_runs ? p->dist->partitions : 1;
  sp_mark mark = sp_scratch_mark(ctx);
  bool *bits = sp_scratch(ctx, (size_t)extent * sizeof *bits + 1);
  for (int64_t j = 0; j < extent; j++) {
    bits[j] = false;
    for (int64_t r = 0; r < ranks && !bits[j]; r++) {
      int64_t at = spi_layout_index(given->layout, d, r, j);
      bits[j] = at >= limit || spi_span_find(global, at) >= 0;
    }
  }
  sp_span found = spi_span_of_bits(ctx, bits, extent);
  sp_scratch_release(ctx, mark);
  return found;
}

static const sp_span *local_support(const sampler *x, const sp_placed *given) {
  const sp_span *global = x->supports[given->seq];
  uint32_t n = x->s->problem->dist->tensors[given->dist].shape.n_dims;
  if (!global || !given->layout) {
    return NULL;
  }
  sp_span *v = sp_alloc_n(x->s->ctx, n + 1u, sizeof *v);
  for (uint32_t d = 0; d < n; d++) {
    v[d] = local_span(x, given, d, global[d]);
  }
  return v;
}

/* ---- a sample ---- */

/* The first and the last index, too: borders are what is often wrong. */
static sp_span with_ends(sp_ctx *ctx, sp_span some, int64_t extent) {
  int64_t *at = sp_alloc_n(ctx, (size_t)some.n + 2, sizeof *at), n = 0;
  if (some.n == 0 || spi_span_at(some, 0) > 0) {
    at[n++] = 0;
  }
  for (int64_t i = 0; i < some.n; i++) {
    at[n++] = spi_span_at(some, i);
  }
  if (n < extent && at[n - 1] < extent - 1) {
    at[n++] = extent - 1;
  }
  return n >= extent ? spi_span_all(extent) : (sp_span){n, at};
}

/* A few local indices of the result, and where these are in the sequential
 * one. */
static void choose_elements(const sampler *x, spi_sample *out) {
  const sp_placed *r = &x->s->problem->promised[x->output];
  const sp_shape *l = &x->s->dist_program->tensors[r->dist].shape;
  const sp_shape *g = &x->s->seq_program->tensors[r->seq].shape;
  sp_ctx *ctx = x->s->ctx;
  sp_span *local = sp_alloc_n(ctx, l->n_dims + 1u, sizeof *local);
  sp_span *global = sp_alloc_n(ctx, l->n_dims + 1u, sizeof *global);
  for (uint32_t d = 0; d < l->n_dims; d++) {
    local[d] =
        local_span(x, r, d, chosen(ctx, x->tied, g->dims[d], x->compared));
    local[d] = x->compared > FEW && l->n_dims <= BORDERED
                   ? with_ends(ctx, local[d], l->dims[d])
                   : local[d];
    sp_mark mark = sp_scratch_mark(ctx);
    bool *bits = sp_scratch(ctx, (size_t)g->dims[d] * sizeof *bits + 1);
    memset(bits, 0, (size_t)g->dims[d] * sizeof *bits);
    for (int64_t k = 0; k < local[d].n * x->ranks.n; k++) {
      int64_t i =
          spi_layout_index(r->layout, d, spi_span_at(x->ranks, k % x->ranks.n),
                           spi_span_at(local[d], k / x->ranks.n));
      if (i < g->dims[d]) {
        bits[i] = true;
      }
    }
    global[d] = spi_span_of_bits(ctx, bits, g->dims[d]);
    sp_scratch_release(ctx, mark);
  }
  out->dist = (sp_part){r->dist, local, x->ranks};
  out->seq = (sp_part){r->seq, global, spi_span_all(1)};
}

static const sp_span *const *copied_supports(const sampler *x) {
  size_t n = x->s->seq_program->n_tensors + 1u;
  const sp_span **v = sp_alloc_n(x->s->ctx, n, sizeof *v);
  memcpy(v, x->supports, n * sizeof *v);
  return v;
}

static const spi_sample *new_sample(const sampler *x) {
  const sp_problem *p = x->s->problem;
  sp_ctx *ctx = x->s->ctx;
  spi_sample *out = sp_alloc(ctx, sizeof *out);
  sp_part *seq =
      sp_alloc_n(ctx, p->seq->n_params + p->n_given + 1, sizeof *seq);
  sp_part *dist =
      sp_alloc_n(ctx, p->dist->n_params + p->n_given + 1, sizeof *dist);
  out->output = x->output;
  out->compared = x->compared;
  choose_elements(x, out);
  for (uint32_t i = 0; i < p->dist->n_params; i++) {
    dist[out->n_dist_inputs++] = (sp_part){.tensor = p->dist->params[i]};
  }
  for (uint32_t i = 0; i < p->seq->n_params; i++) {
    uint32_t t = p->seq->params[i];
    seq[out->n_seq_inputs++] = (sp_part){.tensor = t, .spans = x->supports[t]};
  }
  for (size_t i = 0; i < p->n_given; i++) {
    const sp_placed *g = &p->given[i];
    seq[out->n_seq_inputs++] =
        (sp_part){.tensor = g->seq, .spans = x->supports[g->seq]};
    dist[out->n_dist_inputs++] =
        (sp_part){.tensor = g->dist, .spans = local_support(x, g)};
  }
  out->seq_inputs = seq;
  out->dist_inputs = dist;
  out->supports = copied_supports(x);
  return out;
}

/* ---- is it small enough? ---- */

static double stored_bytes(sp_machine *m) {
  const sp_program *p = sp_machine_program(m);
  double n = 0;
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    n += (double)sp_machine_count(m, t) * (double)sp_machine_ranks_of(m, t).n;
  }
  return n * sizeof(double);
}

/* Operations for drawing the inputs. */
static double drawing_cost(const sampler *x, spi_bench *b) {
  const sp_problem *p = x->s->problem;
  double n = 0;
  for (size_t i = 0; i < p->n_given; i++) {
    n += (double)sp_machine_count(b->seq, p->given[i].seq);
    const sp_placed *g = &p->given[i];
    double ranks = (double)sp_machine_ranks_of(b->dist, g->dist).n;
    bool same = g->layout && spi_layout_is_whole(g->layout);
    n += (double)sp_machine_count(b->dist, g->dist) *
         (same ? 1 + COPYING * ranks : ranks);
  }
  return DRAWING * n;
}

/* Elements of a given tensor that are stored, if it could be thinner. */
static int64_t spare_elements(const sampler *x, spi_bench *b, size_t given) {
  const sp_problem *p = x->s->problem;
  uint32_t t = p->given[given].seq;
  int64_t n = sp_machine_count(b->seq, t);
  int64_t local = sp_machine_count(b->dist, p->given[given].dist);
  n = local > n ? local : n;
  return n > SMALL_INPUT && x->level[t] < LEVELS &&
                 sp_dtype_is_float(p->seq->tensors[t].shape.dtype)
             ? n
             : 0;
}

/* The largest real inputs become thinner, and those of a share of them. False:
 * there are none. */
static bool thin_out_largest(sampler *x, spi_bench *b, int64_t share) {
  const sp_problem *p = x->s->problem;
  int64_t most = 0;
  for (size_t i = 0; i < p->n_given; i++) {
    int64_t n = spare_elements(x, b, i);
    most = n > most ? n : most;
  }
  for (size_t i = 0; i < p->n_given && most; i++) {
    if (spare_elements(x, b, i) > most / share) {
      thin_out_input(x, b, p->given[i].seq);
    }
  }
  return most > 0;
}

/* Planning takes time, too: where there is far to go steps are longer. False:
 * there are no more. */
static bool thin_out(sampler *x, const rung *last, double share) {
  spi_bench *b = last->bench;
  bool far = last->bytes > MAX_BYTES || last->cost > FAR * share * b->budget;
  bool thinner = thin_out_largest(x, b, far ? LONG_STEP : STEP);
  if (!thinner && x->compared > FEW) {
    x->compared = FEW;
    x->ranks =
        x->few ? chosen(x->s->ctx, x->tied, x->s->dist_program->partitions, FEW)
               : x->ranks;
    return true;
  }
  return thinner;
}

static rung rung_of(const sampler *x, spi_bench *b) {
  const sp_placed *r = &x->s->problem->promised[x->output];
  rung new = {b, stored_bytes(b->seq) + stored_bytes(b->dist), 0};
  if (new.bytes <= MAX_BYTES) {
    new.cost = sp_machine_cost(b->seq, r->seq) +
               sp_machine_cost(b->dist, r->dist) + drawing_cost(x, b);
  }
  return new;
}

/* One more rung. False: there is none. */
static bool climb(sampler *x, double share, bool made_up) {
  if (x->rungs.n && !thin_out(x, &x->rungs.v[x->rungs.n - 1], share)) {
    return false;
  }
  spi_bench *b = spi_bench_new(x->s, new_sample(x), made_up);
  sp_push(x->s->ctx, &x->rungs, rung_of(x, b));
  return true;
}

/* A bench on which the result can be run for a share of the budget, with as few
 * inputs thinned out as possible. */
static spi_bench *affordable(sampler *x, double share, bool made_up,
                             const char **why) {
  const sp_placed *r = &x->s->problem->promised[x->output];
  for (size_t i = 0; i < x->rungs.n || climb(x, share, made_up); i++) {
    const rung *at = &x->rungs.v[i];
    if (at->bytes <= MAX_BYTES &&
        (at->cost <= share * at->bench->budget || !isfinite(at->cost))) {
      return at->bench; /* running says what is unknown */
    }
  }
  const rung *last = &x->rungs.v[x->rungs.n - 1];
  *why = last->bytes > MAX_BYTES
             ? sp_format(x->s->ctx,
                         "a few elements of %s need %.0f MB, whatever is "
                         "zero; check the same model with smaller sizes to "
                         "get a counterexample",
                         r->name, last->bytes / 1e6)
             : sp_format(x->s->ctx,
                         "a few elements of %s take about %.2g operations; "
                         "--run-budget %.2g allows them",
                         r->name, last->cost, 1.1 * last->cost / share);
  return NULL;
}

/* ---- looking ---- */

static const char *inputs_text(const spi_bench *b, const char *mode) {
  const sp_program *p = b->s->seq_program;
  sp_str text = {0};
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    if (b->sample->supports[t]) {
      sp_str_addf(b->s->ctx, &text, "%s%s", text.n ? ", " : "",
                  p->tensors[t].name);
    }
  }
  return text.n ? sp_format(b->s->ctx, "%s; zero but for a few indices: %s",
                            mode, text.v)
                : mode;
}

typedef struct search {
  sp_state *s;
  const sp_report *report;
  bool tied;
  double share; /* of the budget */
  spi_samples *x;
  sp_counterexample *out;
  SP_VEC(sampler *) samplers; /* so far */
} search;

/* One result. */
static void look(search *f, sampler *at) {
  spi_samples *x = f->x;
  spi_bench *b = affordable(at, f->share, x->made_up, &x->why);
  uint32_t times = 0;
  int modes = x->cheap && f->share > SHARES[0] ? 1 : SPI_DRAW_MODES;
  for (int mode = 0; b && mode < modes; mode++) {
    const char *trouble = NULL;
    if (spi_hunt(b, (spi_draw_mode)mode, 1, f->out, &times, &trouble)) {
      f->out->inputs = inputs_text(b, f->out->inputs);
      f->out->sampled = true;
      x->found = b;
      return;
    }
    if (trouble) {
      x->why = trouble;
      x->unknown = x->unknown || b->unknown;
      return;
    }
  }
}

static void look_on_ranks(search *f, uint32_t output, bool few, sp_span ranks) {
  sp_state *s = f->s;
  size_t n = s->seq_program->n_tensors + 1u;
  for (size_t i = 0; i < f->samplers.n; i++) {
    sampler *at = f->samplers.v[i];
    if (at->output == output && at->few == few) {
      look(f, at);
      return;
    }
  }
  sampler *new = sp_alloc(s->ctx, sizeof *new);
  *new = (sampler){.s = s,
                   .output = output,
                   .few = few,
                   .tied = f->tied,
                   .ranks = ranks,
                   .compared = COMPARED,
                   .level = sp_alloc_n(s->ctx, n, sizeof *new->level),
                   .supports = sp_alloc_n(s->ctx, n, sizeof *new->supports)};
  sp_push(s->ctx, &f->samplers, new);
  look(f, new);
}

/* Most faults show on any rank: what a few of many need is cheaper. */
static void look_at_result(search *f, uint32_t output) {
  const sp_layout *promised = f->s->problem->promised[output].layout;
  int64_t n = f->s->dist_program->partitions;
  sp_span few =
      with_ends(f->s->ctx, chosen(f->s->ctx, f->tied, n, FEW_RANKS), n);
  if (few.n <= n / MANY_RANKS && promised->partial == SP_PARTIAL_NONE) {
    look_on_ranks(f, output, true, few);
    if (f->x->cheap || f->x->found || f->x->unknown) {
      return;
    }
  }
  look_on_ranks(f, output, false, spi_span_all(n));
}

static void look_at_results(search *f) {
  uint32_t looked = 0;
  for (uint32_t k = 0; k < f->s->problem->n_promised && !f->x->found; k++) {
    bool open = !f->report || !f->report->outputs[k].proved;
    if (open && f->s->problem->promised[k].layout && looked++ < MAX_RESULTS) {
      look_at_result(f, k);
    }
  }
}

void spi_look_in_samples(sp_state *s, const sp_report *report, spi_samples *x,
                         sp_counterexample *out) {
  if (s->problem->ranked) {
    x->why = x->why ? x->why : "the programs are too large to run";
    return;
  }
  search f = {.s = s, .report = report, .x = x, .out = out, .tied = selects(s)};
  size_t n = sizeof SHARES / sizeof *SHARES;
  for (size_t i = 0; i < n && !x->found; i++) {
    if (i > 1 && x->cheap && !x->why) {
      return; /* it was run, and again with more that is not zero */
    }
    x->why = NULL;
    f.share = SHARES[i];
    look_at_results(&f);
  }
}

spi_bench *spi_sample_widened(spi_bench *b) {
  const spi_sample *was = b->sample;
  sp_span all = spi_span_all(b->s->dist_program->partitions);
  const char *why;
  if (!was || was->dist.ranks.n == all.n) {
    return b;
  }
  sampler x = {.s = b->s,
               .tied = selects(b->s),
               .output = was->output,
               .ranks = all,
               .compared = was->compared,
               .supports = (const sp_span **)(uintptr_t)was->supports};
  spi_bench *wide = spi_bench_new(b->s, new_sample(&x), b->made_up);
  rung r = rung_of(&x, wide);
  bool cheap = r.bytes <= MAX_BYTES && r.cost <= WIDE_SHARE * wide->budget;
  return cheap && spi_bench_run(wide, b->mode, b->seed, &why) ? wide : b;
}
