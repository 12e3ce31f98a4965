/* repair_input.c: read spi_blame_input. A way is another cut of one input: the
 * ranks hold each other's parts, or a dimension is dealt out to the same ranks
 * in another pattern. */
#include "solve/repair_input.h"

enum { MAX_INPUTS = 8, MAX_WAYS = 24, MAX_RANKS = 256, CONFIRMATIONS = 2 };
/* Runs that are allowed beside those of repair.c; less where they are long. */
static const double RUNS = 100;

typedef enum way_kind {
  WAY_EXCHANGE, /* rank (x, i, j, y) holds what (x, j, i, y) does; i, j < n */
  WAY_REVERSE,  /* rank (x, i) holds what (x, n-1-i) does; i < n */
  WAY_CHUNKS,   /* dimension d in chunks */
  WAY_SECTIONS, /* dimension d in n sections, each in chunks */
  WAY_CYCLIC,   /* element k of dimension d is rank k mod ranks' */
  WAY_ZIGZAG,   /* two chunks, counted from both ends */
} way_kind;

typedef struct way {
  way_kind kind;
  int64_t n, inner; /* inner: the number of y */
  uint32_t d;
} way;

typedef struct search {
  spi_bench *b;
  size_t results;     /* that are to be right: up to the wrong one */
  const sp_placed *x; /* the input that is tried */
  const sp_shape *global, *local;
  int64_t ranks;
  uint32_t n_ways;
  way ways[MAX_WAYS];
} search;

/* ---- one way ---- */

static int64_t rank_of(const way *w, int64_t rank) {
  if (w->kind == WAY_REVERSE) {
    int64_t i = rank % w->n;
    return rank - i + w->n - 1 - i;
  }
  if (w->kind != WAY_EXCHANGE) {
    return rank;
  }
  int64_t y = rank % w->inner, rest = rank / w->inner;
  int64_t j = rest % w->n, i = rest / w->n % w->n, x = rest / w->n / w->n;
  return ((x * w->n + j) * w->n + i) * w->inner + y;
}

/* The rank's place among those that hold different parts of dimension d, and
 * how many there are. */
static int64_t chunk_of(const search *f, uint32_t d, int64_t rank,
                        int64_t *count) {
  const int64_t *start = f->x->layout->dims[d].runs[0].start;
  int64_t before = 0;
  *count = 0;
  for (int64_t r = 0; r < f->ranks; r++) {
    bool first = true;
    for (int64_t q = 0; q < r && first; q++) {
      first = start[q] != start[r];
    }
    *count += first;
    before += first && start[r] < start[rank];
  }
  return before;
}

/* The sequential index along w->d of local index j in chunk c of q. */
static int64_t moved(const search *f, const way *w, int64_t c, int64_t q,
                     int64_t j) {
  int64_t part = f->local->dims[w->d];
  switch (w->kind) {
  case WAY_SECTIONS: {
    int64_t width = part / w->n;
    return j / width * (q * width) + c * width + j % width;
  }
  case WAY_CYCLIC:
    return j * q + c;
  case WAY_ZIGZAG: {
    int64_t half = part / 2;
    return j < half ? c * half + j : (2 * q - 1 - c) * half + j - half;
  }
  case WAY_CHUNKS:
  case WAY_EXCHANGE:
  case WAY_REVERSE:
    break;
  }
  return c * part + j;
}

static int64_t flat_of(const sp_shape *s, const int64_t *idx) {
  int64_t at = 0;
  for (uint32_t d = 0; d < s->n_dims; d++) {
    at = at * s->dims[d] + idx[d];
  }
  return at;
}

/* What the ranks would hold; false: not of all elements it is known. */
static bool held(const search *f, const way *w, double *values) {
  const double *from = sp_machine_values(f->b->seq, f->x->seq, 0);
  int64_t n = sp_shape_elements(f->local);
  bool pattern = w->kind != WAY_EXCHANGE && w->kind != WAY_REVERSE;
  for (int64_t r = 0; from && r < f->ranks; r++) {
    int64_t source = rank_of(w, r), q = 1;
    int64_t c = pattern ? chunk_of(f, w->d, r, &q) : 0;
    for (int64_t i = 0; i < n; i++) {
      int64_t idx[SP_MAX_DIMS], at[SP_MAX_DIMS], rest = i;
      for (uint32_t d = f->local->n_dims; d-- > 0;) {
        idx[d] = rest % f->local->dims[d];
        rest /= f->local->dims[d];
      }
      if (!spi_layout_at(f->x->layout, f->global, source, idx, at)) {
        return false;
      }
      if (pattern) {
        at[w->d] = moved(f, w, c, q, idx[w->d]);
      }
      values[r * n + i] = from[flat_of(f->global, at)];
    }
  }
  return from != NULL;
}

static bool mends(const search *f, const way *w) {
  sp_ctx *ctx = f->b->s->ctx;
  sp_mark mark = sp_scratch_mark(ctx);
  size_t n = (size_t)(f->ranks * sp_shape_elements(f->local));
  double *values = sp_scratch(ctx, (n + 1) * sizeof *values);
  spi_override v = {.tensor = f->x->dist, .values = values};
  bool ok =
      held(f, w, values) && spi_bench_mends_until(f->b, 1, &v, f->results);
  sp_scratch_release(ctx, mark);
  return ok;
}

static bool mends_again(const search *f, const way *w) {
  spi_bench *b = f->b;
  spi_draw_mode mode = b->mode;
  uint64_t seed = b->seed;
  const char *why;
  sp_counterexample c;
  bool ok = true, compared = false;
  for (uint64_t i = 1; ok && i <= CONFIRMATIONS; i++) {
    if (spi_bench_run(b, mode, seed + 100 * i, &why) &&
        spi_bench_differs(b, &c)) {
      ok = mends(f, w);
      compared = true;
    }
  }
  return spi_bench_run(b, mode, seed, &why) && ok && compared;
}

/* ---- ways of one input ---- */

static void add(search *f, way w) {
  if (f->n_ways < MAX_WAYS) {
    f->ways[f->n_ways++] = w;
  }
}

static void rank_ways(search *f) {
  for (int64_t n = 2; n <= f->ranks; n++) {
    for (int64_t inner = 1; n * n * inner <= f->ranks; inner++) {
      if (f->ranks % (n * n * inner) == 0) {
        add(f, (way){.kind = WAY_EXCHANGE, .n = n, .inner = inner});
      }
    }
    if (f->ranks % n == 0) {
      add(f, (way){.kind = WAY_REVERSE, .n = n});
    }
  }
}

static void dimension_ways(search *f, uint32_t d) {
  int64_t part = f->local->dims[d], q = 0;
  if (f->x->layout->dims[d].n_runs > 0) {
    chunk_of(f, d, 0, &q);
  }
  if (q < 2 || q * part != f->global->dims[d]) {
    return;
  }
  for (int64_t n = 2; n <= 4; n++) {
    if (part % n == 0 && part > n) {
      add(f, (way){.kind = WAY_SECTIONS, .n = n, .d = d});
    }
  }
  add(f, (way){.kind = WAY_CHUNKS, .d = d});
  add(f, (way){.kind = WAY_CYCLIC, .d = d});
  if (part % 2 == 0) {
    add(f, (way){.kind = WAY_ZIGZAG, .d = d});
  }
}

static const char *way_text(const search *f, const way *w) {
  sp_ctx *ctx = f->b->s->ctx;
  switch (w->kind) {
  case WAY_EXCHANGE:
    return sp_format(ctx, "with two mesh axes of %lld ranks exchanged",
                     (long long)w->n);
  case WAY_REVERSE:
    return sp_format(ctx, "in the reverse order of each %lld ranks",
                     (long long)w->n);
  case WAY_CHUNKS:
    return sp_format(ctx, "in equal chunks, Shard(%u)", w->d);
  case WAY_SECTIONS:
    return sp_format(ctx,
                     "as %lld equal sections of dimension %u, each of which "
                     "is sharded",
                     (long long)w->n, w->d);
  case WAY_CYCLIC:
    return sp_format(ctx, "with dimension %u dealt out in turn", w->d);
  case WAY_ZIGZAG:
    break;
  }
  return sp_format(ctx, "in zig-zag along dimension %u", w->d);
}

/* ---- which inputs ---- */

static bool is_cut(const sp_layout *l) {
  for (uint32_t d = 0; d < l->n_dims; d++) {
    for (int64_t r = 1; l->dims[d].n_runs && r < l->ranks; r++) {
      if (l->dims[d].runs[0].start[r] != l->dims[d].runs[0].start[0]) {
        return l->partial == SP_PARTIAL_NONE;
      }
    }
  }
  return false;
}

static const sp_placed *given(const sp_problem *problem, uint32_t dist) {
  for (size_t i = 0; i < problem->n_given; i++) {
    const sp_placed *x = &problem->given[i];
    if (x->dist == dist && x->layout && is_cut(x->layout)) {
      return x;
    }
  }
  return NULL;
}

static const way *mending_way(search *f, const sp_placed *x) {
  sp_state *s = f->b->s;
  f->x = x;
  f->global = &s->seq_program->tensors[x->seq].shape;
  f->local = &s->dist_program->tensors[x->dist].shape;
  f->n_ways = 0;
  rank_ways(f);
  for (uint32_t d = 0; d < f->local->n_dims; d++) {
    dimension_ways(f, d);
  }
  for (uint32_t i = 0; i < f->n_ways; i++) {
    if (mends(f, &f->ways[i]) && mends_again(f, &f->ways[i])) {
      return &f->ways[i];
    }
  }
  return NULL;
}

/* Where several inputs are contracted, each can make up for another. */
static void blame(search *f, const way *w, spi_blame *out) {
  sp_ctx *ctx = f->b->s->ctx;
  const char *text = sp_format(ctx, "if the input %s, given as %s, is cut %s",
                               f->x->name, f->x->layout->text, way_text(f, w));
  if (out->text) {
    out->text = sp_format(ctx, "%s, or %s", out->text, text);
  } else {
    *out = (spi_blame){.tensor = f->x->dist, .text = text};
  }
}

bool spi_blame_input(spi_bench *b, uint32_t wrong, uint32_t result,
                     spi_blame *out) {
  sp_state *s = b->s;
  const sp_program *p = s->dist_program;
  *out = (spi_blame){0};
  if (s->problem->ranked || b->sample || p->partitions > MAX_RANKS) {
    return false;
  }
  double runs = RUNS * sp_machine_done(b->dist);
  b->budget = runs < SP_CHECK_RUN_BUDGET ? runs : SP_CHECK_RUN_BUDGET;
  search f = {.b = b, .results = result + 1u, .ranks = p->partitions};
  bool *seen = sp_alloc_n(s->ctx, p->n_tensors + 1u, sizeof *seen);
  SP_VEC(uint32_t) queue = {0};
  sp_push(s->ctx, &queue, wrong);
  uint32_t tried = 0;
  for (size_t at = 0; at < queue.n && tried < MAX_INPUTS; at++) {
    uint32_t t = queue.v[at];
    const sp_node *node = &p->nodes[p->tensors[t].node];
    const sp_placed *x = node->n_in == 0 ? given(s->problem, t) : NULL;
    const way *w = x ? mending_way(&f, x) : NULL;
    tried += x != NULL;
    if (w) {
      blame(&f, w, out);
    }
    for (uint32_t i = 0; i < node->n_in; i++) {
      if (!seen[node->in[i]]) {
        seen[node->in[i]] = true;
        sp_push(s->ctx, &queue, node->in[i]);
      }
    }
  }
  if (out->text) {
    out->text = sp_format(s->ctx,
                          "result %u is right %s: what is said of inputs may "
                          "be wrong",
                          result, out->text);
  }
  return out->text != NULL;
}
