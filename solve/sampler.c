/* sampler.c: read spi_affordable, then climb. */
#include "solve/sampler.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/vec.h"
#include "solve/sample.h"
#include "solve/span.h"

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
  BORDERED = 2, /* dimensions: of more, borders are too much */
  STEP = 2,     /* a step takes inputs of at least this part of the largest */
  LONG_STEP = 64,
  STEPS = 3, /* before it is asked whether there is hope */
};
static const double NEARLY = 2;        /* a step may cost a little more */
static const int64_t SMALL_INPUT = 16; /* elements */
static const double WIDE_SHARE = 0.7;  /* for a run on all ranks */
static const double FAR = 10;          /* times what a run may take */
static const double MAX_BYTES = 1e9;   /* of all tensors: they are kept */
/* Operations for an input's element, and the share of them for its copy. */
static const double DRAWING = 50, COPYING = 0.04;

/* With some inputs thinned out, or fewer elements compared: what this takes. */
typedef struct rung {
  double bytes, cost; /* cost: where the bytes are not too many */
  int64_t compared;
  sp_span ranks;
  const sp_span *const *supports;
  spi_bench *bench; /* made when it is to be run */
} rung;

/* What the last rung needs of a given tensor. */
typedef struct need {
  int64_t elements; /* that are stored: all of them, or a rank's */
  sp_span *many;    /* by dimension: CHOSEN of the indices that are needed, */
  sp_span *few;     /* and FEW of them */
  int64_t *at;      /* room for them */
} need;

/* Of one result on some ranks: one rung after the other costs less. */
struct spi_sampler {
  sp_state *s;
  uint32_t output;
  bool few;                 /* not all ranks */
  bool tied;                /* spots of all extents (draw.h) */
  sp_span ranks;            /* whose elements are compared, */
  int64_t compared;         /* so many indices along each dimension */
  uint8_t *level;           /* by sequential tensor */
  const sp_span **supports; /* by sequential tensor, or NULL */
  need *needs;              /* by given tensor, or NULL */
  SP_VEC(rung) rungs;       /* made when they are looked at */
  bool has_thinnest;        /* it was looked at: */
  rung thinnest;            /* all inputs as thin as can be */
};

typedef struct spi_sampler sampler;

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

static void thin_out_input(sampler *x, size_t given, int level) {
  uint32_t seq = x->s->problem->given[given].seq;
  const sp_shape *shape = &x->s->seq_program->tensors[seq].shape;
  sp_ctx *ctx = x->s->ctx;
  sp_span *v = sp_alloc_n(ctx, shape->n_dims + 1u, sizeof *v);
  int64_t most = largest_dim(shape);
  const need *own = &x->needs[given];
  for (uint32_t d = 0; d < shape->n_dims; d++) {
    int64_t extent = shape->dims[d];
    bool thin =
        level == LEVELS || (level == 1 ? extent == most : extent > SMALL);
    sp_span some = level == LEVELS ? own->few[d] : own->many[d];
    int64_t *at = sp_alloc_n(ctx, (size_t)some.n + 1, sizeof *at);
    for (int64_t i = 0; i < some.n; i++) {
      at[i] = spi_span_at(some, i);
    }
    v[d] =
        thin && some.n < extent ? (sp_span){some.n, at} : spi_span_all(extent);
  }
  x->level[seq] = (uint8_t)level;
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

/* Buffers have room for all ranks, also where few are looked at. */
static double stored_bytes(sp_machine *m) {
  const sp_program *p = sp_machine_program(m);
  double ranks = (double)sp_machine_ranks(m);
  double n = 0;
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    n += (double)sp_machine_count(m, t) * ranks;
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

static bool is_spare(const sampler *x, size_t given) {
  const sp_problem *p = x->s->problem;
  uint32_t t = p->given[given].seq;
  return x->needs[given].elements > SMALL_INPUT && x->level[t] < LEVELS &&
         sp_dtype_is_float(p->seq->tensors[t].shape.dtype);
}

/* The largest real inputs become thinner, and those of a share of them. False:
 * there are none. */
static bool thin_out_largest(sampler *x, int64_t share) {
  const sp_problem *p = x->s->problem;
  int64_t most = 0;
  for (size_t i = 0; i < p->n_given; i++) {
    int64_t n = is_spare(x, i) ? x->needs[i].elements : 0;
    most = n > most ? n : most;
  }
  for (size_t i = 0; i < p->n_given && most; i++) {
    if (is_spare(x, i) && x->needs[i].elements > most / share) {
      thin_out_input(x, i, x->level[p->given[i].seq] + 1);
    }
  }
  return most > 0;
}

static void compare_few(sampler *x) {
  x->compared = FEW;
  x->ranks =
      x->few ? chosen(x->s->ctx, x->tied, x->s->dist_program->partitions, FEW)
             : x->ranks;
}

static bool is_within(const sampler *x, const rung *r, double share) {
  double most = share * spi_bench_budget(x->s);
  return r->bytes <= MAX_BYTES && (r->cost <= most || !isfinite(r->cost));
}

/* Planning takes time, too: where there is far to go steps are longer. False:
 * there are no more. */
static bool thin_out(sampler *x, const rung *last, double share) {
  bool far = !is_within(x, last, FAR * share);
  if (!thin_out_largest(x, far ? LONG_STEP : STEP)) {
    bool more = x->compared > FEW;
    compare_few(x);
    return more;
  }
  return true;
}

static rung rung_of(const sampler *x, spi_bench *b) {
  const sp_placed *r = &x->s->problem->promised[x->output];
  rung new = {.bytes = stored_bytes(b->seq) + stored_bytes(b->dist)};
  if (new.bytes <= MAX_BYTES) {
    new.cost = sp_machine_cost(b->seq, r->seq) +
               sp_machine_cost(b->dist, r->dist) + drawing_cost(x, b);
  }
  return new;
}

/* ---- what it takes is found out apart ----
 *
 * Both programs are prepared for that, which makes many terms. Most rungs are
 * too expensive: nothing of them is kept but a few numbers. */

static void keep_span(sp_span some, sp_span *out, int64_t *room) {
  for (int64_t i = 0; some.at && i < some.n; i++) {
    room[i] = spi_span_at(some, i);
  }
  *out = (sp_span){some.n, some.at ? room : NULL};
}

static void keep_needs(const sampler *x, spi_bench *b) {
  const sp_problem *p = x->s->problem;
  for (size_t i = 0; i < p->n_given; i++) {
    const sp_placed *g = &p->given[i];
    const sp_shape *shape = &p->seq->tensors[g->seq].shape;
    need *to = &x->needs[i];
    int64_t n = sp_machine_count(b->seq, g->seq);
    int64_t local = sp_machine_count(b->dist, g->dist);
    to->elements = local > n ? local : n;
    for (uint32_t d = 0; d < shape->n_dims; d++) {
      sp_span span = sp_machine_span(b->seq, g->seq, d);
      int64_t *room = to->at + (size_t)d * (CHOSEN + FEW);
      keep_span(chosen_of(x, span, shape->dims[d], CHOSEN), &to->many[d], room);
      keep_span(chosen_of(x, span, shape->dims[d], FEW), &to->few[d],
                room + CHOSEN);
    }
  }
}

typedef struct measuring {
  sampler x; /* of which the state and what is allocated are apart */
  bool made_up, needs;
  rung found;
} measuring;

static void measure_apart(sp_ctx *own, void *arg) {
  measuring *m = arg;
  const sp_state *s = m->x.s;
  m->x.s = spi_runnable(own, s->problem, s->options);
  spi_bench *b = spi_bench_new(m->x.s, new_sample(&m->x), m->made_up);
  m->found = rung_of(&m->x, b);
  if (m->needs) {
    keep_needs(&m->x, b);
  }
}

static rung measure(const sampler *x, bool made_up, bool needs) {
  sp_ctx *ctx = x->s->ctx;
  measuring m = {.x = *x, .made_up = made_up, .needs = needs};
  sp_code code = sp_apart(ctx, measure_apart, &m);
  if (code != SP_OK) {
    sp_error e = *sp_ctx_error(ctx);
    sp_raise(ctx, code, e.loc, e.hint, "%s", e.message);
  }
  m.found.compared = x->compared;
  m.found.ranks = x->ranks;
  m.found.supports = copied_supports(x);
  return m.found;
}

/* One more rung. False: there is none. */
static bool climb(sampler *x, double share, bool made_up) {
  if (x->rungs.n && !thin_out(x, &x->rungs.v[x->rungs.n - 1], share)) {
    return false;
  }
  rung new = measure(x, made_up, true);
  sp_push(x->s->ctx, &x->rungs, new);
  return true;
}

/* All at once, without changing x. */
static void find_thinnest(sampler *x, bool made_up) {
  const sp_problem *p = x->s->problem;
  sp_ctx *ctx = x->s->ctx;
  size_t n = p->seq->n_tensors + 1u;
  sampler thin = *x;
  thin.level = sp_alloc_n(ctx, n, sizeof *thin.level);
  thin.supports = sp_alloc_n(ctx, n, sizeof *thin.supports);
  memcpy(thin.level, x->level, n * sizeof *thin.level);
  memcpy(thin.supports, x->supports, n * sizeof *thin.supports);
  for (size_t i = 0; i < p->n_given; i++) {
    if (is_spare(&thin, i)) {
      thin_out_input(&thin, i, LEVELS);
    }
  }
  compare_few(&thin);
  x->thinnest = measure(&thin, made_up, false);
  x->has_thinnest = true;
}

/* Even the thinnest takes too much. It is looked at where there is far to go,
 * or after some steps. */
static bool is_hopeless(sampler *x, double share, bool made_up) {
  if (x->rungs.n == 0) {
    return false;
  }
  const rung *last = &x->rungs.v[x->rungs.n - 1];
  bool look = x->rungs.n >= STEPS || !is_within(x, last, FAR * share);
  if (look && !x->has_thinnest) {
    find_thinnest(x, made_up);
  }
  return x->has_thinnest && !is_within(x, &x->thinnest, NEARLY * share);
}

static spi_bench *bench_of(const sampler *x, rung *r, bool made_up) {
  if (!r->bench) {
    sampler at = *x;
    at.compared = r->compared;
    at.ranks = r->ranks;
    at.supports = (const sp_span **)(uintptr_t)r->supports;
    r->bench = spi_bench_new(x->s, new_sample(&at), made_up);
  }
  return r->bench;
}

spi_bench *spi_affordable(sampler *x, double share, bool made_up,
                          bool *hopeless, const char **why) {
  const sp_placed *r = &x->s->problem->promised[x->output];
  *hopeless = false;
  for (size_t i = 0;; i++) {
    if (i == x->rungs.n) {
      *hopeless = is_hopeless(x, share, made_up);
      if (*hopeless || !climb(x, share, made_up)) {
        break;
      }
    }
    if (is_within(x, &x->rungs.v[i], share)) {
      /* running says what is unknown */
      return bench_of(x, &x->rungs.v[i], made_up);
    }
  }
  const rung *last = *hopeless ? &x->thinnest : &x->rungs.v[x->rungs.n - 1];
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

/* ---- starting ---- */

bool spi_few_ranks(const sp_state *s, sp_span *few) {
  int64_t n = s->dist_program->partitions;
  *few = with_ends(s->ctx, chosen(s->ctx, selects(s), n, FEW_RANKS), n);
  return few->n <= n / MANY_RANKS;
}

static need *room_for_needs(const sp_state *s) {
  const sp_problem *p = s->problem;
  need *v = sp_alloc_n(s->ctx, p->n_given + 1, sizeof *v);
  for (size_t i = 0; i < p->n_given; i++) {
    size_t n = p->seq->tensors[p->given[i].seq].shape.n_dims;
    v[i].many = sp_alloc_n(s->ctx, n + 1, sizeof *v[i].many);
    v[i].few = sp_alloc_n(s->ctx, n + 1, sizeof *v[i].few);
    v[i].at = sp_alloc_n(s->ctx, n * (CHOSEN + FEW) + 1, sizeof *v[i].at);
  }
  return v;
}

spi_sampler *spi_sampler_new(sp_state *s, uint32_t output, const sp_span *few) {
  size_t n = s->seq_program->n_tensors + 1u;
  sampler *x = sp_alloc(s->ctx, sizeof *x);
  *x =
      (sampler){.s = s,
                .output = output,
                .few = few != NULL,
                .tied = selects(s),
                .ranks = few ? *few : spi_span_all(s->dist_program->partitions),
                .compared = COMPARED,
                .level = sp_alloc_n(s->ctx, n, sizeof *x->level),
                .supports = sp_alloc_n(s->ctx, n, sizeof *x->supports),
                .needs = room_for_needs(s)};
  return x;
}

/* ---- more ranks ---- */

spi_bench *spi_sample_widened(spi_bench *b) {
  const spi_sample *was = b->sample;
  sp_span all = spi_span_all(b->s->dist_program->partitions);
  const char *why;
  if (!was || was->dist.ranks.n == all.n) {
    return b;
  }
  sampler x = {.s = b->s,
               .output = was->output,
               .tied = selects(b->s),
               .ranks = all,
               .compared = was->compared,
               .supports = (const sp_span **)(uintptr_t)was->supports};
  spi_bench *wide = spi_bench_new(b->s, new_sample(&x), b->made_up);
  rung r = rung_of(&x, wide);
  bool cheap = r.bytes <= MAX_BYTES && r.cost <= WIDE_SHARE * wide->budget;
  return cheap && spi_bench_run(wide, b->mode, b->seed, &why) ? wide : b;
}
