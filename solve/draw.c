/* draw.c: read spi_draw_inputs. */
#include "solve/draw.h"

#include "base/arith.h"
#include "solve/span.h"

uint64_t spi_draw_mix(uint64_t h, uint64_t x) {
  h ^= x + 0x9E3779B97F4A7C15u + (h << 6) + (h >> 2);
  h *= 0xBF58476D1CE4E5B9u;
  h ^= h >> 29;
  h *= 0x94D049BB133111EBu;
  return h ^ h >> 32;
}

int64_t spi_draw_spot(int64_t extent, int64_t k, bool tied) {
  enum { BITS = 20 }; /* of a place within an eighth */
  int64_t from = extent * k / SPI_DRAW_SPOTS;
  int64_t to = extent * (k + 1) / SPI_DRAW_SPOTS;
  uint64_t h = spi_draw_mix(tied ? 0 : (uint64_t)extent, (uint64_t)k);
  if (k == SPI_DRAW_SPOTS - 1) {
    return extent - 1;
  }
  if (to <= from) {
    return from;
  }
  if (!tied) {
    return from + (int64_t)(h % (uint64_t)(to - from));
  }
  uint64_t part = (uint64_t)k << BITS | h >> (64 - BITS) | 1;
  int64_t at = (int64_t)(part * (uint64_t)extent / (SPI_DRAW_SPOTS << BITS));
  return at < to ? at : to - 1;
}

const char *spi_draw_mode_text(spi_draw_mode mode) {
  static const char *const text[] = {
      [SPI_DRAW_SPREAD] = "spread out",
      [SPI_DRAW_ENDS] = "integers at the ends of their range",
      [SPI_DRAW_TIES] = "many equal values",
      [SPI_DRAW_POSITIVE] = "positive",
      [SPI_DRAW_RARE] = "few large ones",
      [SPI_DRAW_NEGATIVE] = "negative",
      [SPI_DRAW_APART] = "integers that differ",
  };
  return mode < SPI_DRAW_MODES ? text[mode] : "?";
}

int spi_draw_modes(const sp_problem *problem) {
  const sp_program *p = problem->seq;
  for (uint32_t i = 0; i < p->n_params; i++) {
    if (sp_dtype_is_int(p->tensors[p->params[i]].shape.dtype)) {
      return SPI_DRAW_MODES;
    }
  }
  return SPI_DRAW_APART;
}

/* The range of an integer input: given, or what the program's shapes suggest, a
 * little beyond. */
static sp_range_given bounds(const sp_problem *problem, uint32_t seq) {
  for (size_t i = 0; i < problem->n_ranges; i++) {
    if (problem->ranges[i].seq == seq) {
      return problem->ranges[i];
    }
  }
  int64_t most = 4;
  for (uint32_t t = 0; t < problem->seq->n_tensors; t++) {
    const sp_shape *s = &problem->seq->tensors[t].shape;
    for (uint32_t d = 0; d < s->n_dims; d++) {
      most = s->dims[d] > most && s->dims[d] < 4096 ? s->dims[d] : most;
    }
  }
  bool negative = !sp_dtype_is_unsigned(problem->seq->tensors[seq].shape.dtype);
  return (sp_range_given){.seq = seq, .lo = negative ? -3 : 0, .hi = most + 4};
}

/* One sequential input. */
typedef struct drawing {
  const sp_problem *problem;
  spi_draw_mode mode;
  uint64_t seed;
  uint32_t seq;
  sp_range_given range;
  bool sampled;           /* few elements are looked at */
  const sp_span *support; /* zero elsewhere; NULL: nowhere */
  const sp_shape *global;
  const sp_layout *layout; /* of its parts on the ranks, */
  const sp_shape *local;
  const sp_layout *within; /* or of what they are cut from; NULL: all of it */
} drawing;

/* One of the spots that samples compare. */
static int64_t draw_spot(uint64_t h, int64_t size) {
  int64_t i = (int64_t)(h % SPI_DRAW_TIED);
  return spi_draw_spot(size, i * (SPI_DRAW_SPOTS - 1) / (SPI_DRAW_TIED - 1),
                       true);
}

static double draw_between(const drawing *x, uint64_t h, int64_t lo,
                           int64_t hi) {
  spi_draw_mode mode = x->mode;
  uint64_t size = (uint64_t)(hi - lo) + 1;
  if (mode == SPI_DRAW_TIES && x->sampled && size > SPI_DRAW_SPOTS &&
      size < (uint64_t)SP_MAX_ELEMENTS) {
    return (double)(lo + draw_spot(h, (int64_t)size));
  }
  if (mode == SPI_DRAW_ENDS) {
    return (double)(h & 1 ? lo : hi);
  }
  if (mode == SPI_DRAW_TIES && size > 2) {
    return (double)(lo + (int64_t)(size / 2) + (int64_t)(h & 1));
  }
  return (double)(lo + (int64_t)(h % size));
}

/* Elements 0, 1, ... in another order; as many differ as there are values. */
static double draw_apart(const drawing *x, int64_t flat) {
  int64_t lo = x->range.lo, size, at;
  uint64_t h = spi_draw_mix(x->seed, x->seq);
  if (!sp_sub_ok(x->range.hi, lo, &size) || size < 1) {
    return (double)lo;
  }
  int64_t step = (int64_t)(h % (uint64_t)size) + 1;
  while (sp_gcd(step, size) != 1) {
    step++;
  }
  if (!sp_mul_ok(flat % size, step, &at) || !sp_add_ok(at, size, &at)) {
    at = flat;
  }
  return (double)(lo + at % size);
}

/* Where there are gaps: what would be in one, and all ends, are of some part.
 */
static double draw_int(const drawing *x, int64_t flat, uint64_t h) {
  const sp_range_given *r = &x->range;
  int64_t lo = r->lo, hi = r->hi - 1;
  double v = x->mode == SPI_DRAW_APART ? draw_apart(x, flat)
                                       : draw_between(x, h, lo, hi);
  bool in_gap = x->mode == SPI_DRAW_ENDS && r->n_gaps > 0;
  for (uint32_t i = 0; i < r->n_gaps; i++) {
    in_gap =
        in_gap || (v >= (double)r->gaps[i].lo && v <= (double)r->gaps[i].hi);
  }
  if (!in_gap) {
    return v;
  }
  uint32_t part = (uint32_t)((h >> 40) % (r->n_gaps + 1));
  lo = part > 0 ? r->gaps[part - 1].hi + 1 : lo;
  hi = part < r->n_gaps ? r->gaps[part].lo - 1 : hi;
  return draw_between(x, h, lo, hi);
}

/* n with a chance of 2^-n. */
static int64_t rarity(uint64_t h) {
  int64_t n = 1;
  while (n < 24 && (h >> n & 1)) {
    n++;
  }
  return n;
}

static double draw_real(spi_draw_mode mode, uint64_t h) {
  int64_t sixteenths = (int64_t)(h % 65) - 32;
  if (mode == SPI_DRAW_RARE) {
    int64_t n = rarity(h >> 32);
    sixteenths += n > 6 ? 8 * (n - 6) : 0;
  }
  if (mode == SPI_DRAW_TIES) {
    return h & 1 ? 0.5 : -0.25;
  }
  if (mode == SPI_DRAW_POSITIVE || mode == SPI_DRAW_NEGATIVE) {
    sixteenths = (int64_t)(h % 32) + 1;
    sixteenths = mode == SPI_DRAW_POSITIVE ? sixteenths : -sixteenths;
  }
  return (double)sixteenths / 16.0;
}

static double drawn(const drawing *x, int64_t flat, const int64_t *idx) {
  const sp_shape *s = x->global;
  for (uint32_t d = 0; x->support && d < s->n_dims; d++) {
    if (spi_span_find(x->support[d], idx[d]) < 0) {
      return 0;
    }
  }
  uint64_t h = spi_draw_mix(spi_draw_mix(x->seed, x->seq), (uint64_t)flat);
  return s->dtype == SP_PRED         ? (double)(h & 1)
         : sp_dtype_is_int(s->dtype) ? draw_int(x, flat, h)
                                     : draw_real(x->mode, h);
}

static double drawn_whole(void *user, int64_t rank, int64_t flat,
                          const int64_t *idx) {
  (void)rank;
  return drawn(user, flat, idx);
}

int64_t spi_layout_index(const sp_layout *l, uint32_t d, int64_t rank,
                         int64_t j) {
  const sp_layout_dim *dim = &l->dims[d];
  for (uint32_t k = 0; k < dim->n_runs; k++) {
    if (j < dim->runs[k].size) {
      return dim->runs[k].start[rank] + j;
    }
    j -= dim->runs[k].size;
  }
  return j;
}

bool spi_layout_is_whole(const sp_layout *l) {
  bool cut = false;
  for (uint32_t d = 0; d < l->n_dims; d++) {
    cut = cut || l->dims[d].n_runs > 0;
  }
  return !cut;
}

bool spi_layout_at(const sp_layout *l, const sp_shape *global, int64_t rank,
                   const int64_t *local, int64_t *at) {
  bool inside = true;
  for (uint32_t d = 0; d < l->n_dims; d++) {
    at[d] = spi_layout_index(l, d, rank, local[d]);
    inside = inside && at[d] < global->dims[d];
  }
  return inside;
}

static double junk(sp_dtype type, int64_t rank, int64_t i) {
  uint64_t h = spi_draw_mix((uint64_t)rank + 77, (uint64_t)i);
  return type == SP_PRED         ? (double)(h & 1)
         : sp_dtype_is_int(type) ? (double)(h % 7)
                                 : 100.0 + (double)(h % 4096) / 16.0;
}

static double drawn_part(void *user, int64_t rank, int64_t flat,
                         const int64_t *idx) {
  const drawing *x = user;
  const sp_shape *g = x->global, *l = x->local;
  int64_t global[SP_MAX_DIMS], at = 0;
  for (uint32_t d = 0; d < l->n_dims; d++) {
    global[d] = spi_layout_index(x->layout, d, rank, idx[d]);
    if (x->within) {
      global[d] = spi_layout_index(x->within, d, rank, global[d]);
    }
    if (global[d] >= g->dims[d]) {
      return junk(l->dtype, rank, flat);
    }
    at = at * g->dims[d] + global[d];
  }
  return drawn(x, at, global);
}

static drawing drawing_of(const sp_problem *problem, spi_draw_mode mode,
                          uint64_t seed, uint32_t seq) {
  drawing x = {.problem = problem,
               .mode = mode,
               .seed = seed,
               .seq = seq,
               .global = &problem->seq->tensors[seq].shape};
  x.range = bounds(problem, seq);
  return x;
}

/* Each rank has its own on both sides. */
static bool draw_ranked(sp_ctx *ctx, const sp_problem *problem,
                        spi_draw_mode mode, uint64_t seed, sp_machine *seq,
                        sp_machine *dist, const char **why) {
  for (size_t i = 0; i < problem->n_given; i++) {
    const sp_placed *g = &problem->given[i];
    drawing x = drawing_of(problem, mode, seed, g->seq);
    if (!g->layout || !g->origin || !g->origin->layout) {
      *why = sp_format(ctx,
                       "it is not known which devices hold copies of %s: the "
                       "module before the partitioner would say it",
                       g->name);
      return false;
    }
    x.global = &g->origin->global;
    x.layout = g->layout;
    x.within = g->origin->layout;
    x.local = &problem->dist->tensors[g->dist].shape;
    sp_machine_fill_input(dist, g->dist, drawn_part, &x);
    x.layout = g->origin->layout;
    x.within = NULL;
    x.local = &problem->seq->tensors[g->seq].shape;
    if (seq) {
      sp_machine_fill_input(seq, g->seq, drawn_part, &x);
    }
  }
  return true;
}

bool spi_draw_inputs(sp_ctx *ctx, const sp_problem *problem, spi_draw_mode mode,
                     uint64_t seed, const sp_span *const *supports,
                     sp_machine *seq, sp_machine *dist, const char **why) {
  if (problem->ranked) {
    return draw_ranked(ctx, problem, mode, seed, seq, dist, why);
  }
  for (uint32_t i = 0; i < problem->seq->n_params; i++) {
    uint32_t t = problem->seq->params[i];
    drawing x = drawing_of(problem, mode, seed, t);
    x.sampled = supports != NULL;
    x.support = supports ? supports[t] : NULL;
    if (seq) {
      sp_machine_fill_input(seq, t, drawn_whole, &x);
    }
  }
  for (size_t i = 0; i < problem->n_given; i++) {
    const sp_placed *g = &problem->given[i];
    drawing x = drawing_of(problem, mode, seed, g->seq);
    if (!g->layout || g->layout->partial != SP_PARTIAL_NONE) {
      *why = sp_format(ctx, "%s is not given as a part of a sequential input",
                       g->name);
      return false;
    }
    x.sampled = supports != NULL;
    x.support = supports ? supports[g->seq] : NULL;
    x.layout = g->layout;
    x.local = &problem->dist->tensors[g->dist].shape;
    if (seq) {
      sp_machine_fill_input(seq, g->seq, drawn_whole, &x); /* cuts, too */
    }
    if (spi_layout_is_whole(g->layout)) {
      sp_machine_fill_same(dist, g->dist, drawn_part, &x);
    } else {
      sp_machine_fill_input(dist, g->dist, drawn_part, &x);
    }
  }
  return true;
}
