/* draw.c: read spi_draw_inputs. */
#include "solve/draw.h"

#include <string.h>

uint64_t spi_draw_mix(uint64_t h, uint64_t x) {
  h ^= x + 0x9E3779B97F4A7C15u + (h << 6) + (h >> 2);
  h *= 0xBF58476D1CE4E5B9u;
  h ^= h >> 29;
  h *= 0x94D049BB133111EBu;
  return h ^ h >> 32;
}

const char *spi_draw_mode_text(spi_draw_mode mode) {
  static const char *const text[] = {
      [SPI_DRAW_SPREAD] = "spread out",
      [SPI_DRAW_ENDS] = "integers at the ends of their range",
      [SPI_DRAW_TIES] = "many equal values",
      [SPI_DRAW_POSITIVE] = "positive",
  };
  return mode < SPI_DRAW_MODES ? text[mode] : "?";
}

/* Bounds of an integer input: given, or what the program's shapes suggest, a
 * little beyond. */
static void bounds(const sp_problem *problem, uint32_t seq, int64_t *lo,
                   int64_t *hi) {
  for (size_t i = 0; i < problem->n_ranges; i++) {
    if (problem->ranges[i].seq == seq) {
      *lo = problem->ranges[i].lo;
      *hi = problem->ranges[i].hi - 1;
      return;
    }
  }
  int64_t most = 4;
  for (uint32_t t = 0; t < problem->seq->n_tensors; t++) {
    const sp_shape *s = &problem->seq->tensors[t].shape;
    for (uint32_t d = 0; d < s->n_dims; d++) {
      most = s->dims[d] > most && s->dims[d] < 4096 ? s->dims[d] : most;
    }
  }
  bool negative =
      !sp_dtype_is_unsigned(problem->seq->tensors[seq].shape.dtype);
  *lo = negative ? -3 : 0;
  *hi = most + 3;
}

static double draw_int(spi_draw_mode mode, uint64_t h, int64_t lo,
                       int64_t hi) {
  uint64_t size = (uint64_t)(hi - lo) + 1;
  if (mode == SPI_DRAW_ENDS) {
    return (double)(h & 1 ? lo : hi);
  }
  if (mode == SPI_DRAW_TIES && size > 2) {
    return (double)(lo + (int64_t)(size / 2) + (int64_t)(h & 1));
  }
  return (double)(lo + (int64_t)(h % size));
}

static double draw_real(spi_draw_mode mode, uint64_t h) {
  int64_t sixteenths = (int64_t)(h % 65) - 32;
  if (mode == SPI_DRAW_TIES) {
    return h & 1 ? 0.5 : -0.25;
  }
  if (mode == SPI_DRAW_POSITIVE) {
    sixteenths = (int64_t)(h % 32) + 1;
  }
  return (double)sixteenths / 16.0;
}

static double *draw(sp_ctx *ctx, const sp_problem *problem,
                    spi_draw_mode mode, uint64_t seed, uint32_t seq) {
  const sp_shape *s = &problem->seq->tensors[seq].shape;
  int64_t n = sp_shape_elements(s), lo, hi;
  bounds(problem, seq, &lo, &hi);
  double *v = sp_scratch(ctx, ((size_t)n + 1) * sizeof *v);
  for (int64_t i = 0; i < n; i++) {
    uint64_t h = spi_draw_mix(spi_draw_mix(seed, seq), (uint64_t)i);
    v[i] = s->dtype == SP_PRED          ? (double)(h & 1)
           : sp_dtype_is_int(s->dtype) ? draw_int(mode, h, lo, hi)
                                       : draw_real(mode, h);
  }
  return v;
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

static double junk(sp_dtype type, int64_t rank, int64_t i) {
  uint64_t h = spi_draw_mix((uint64_t)rank + 77, (uint64_t)i);
  return type == SP_PRED          ? (double)(h & 1)
         : sp_dtype_is_int(type) ? (double)(h % 7)
                                 : 100.0 + (double)(h % 4096) / 16.0;
}

static void cut(sp_ctx *ctx, const sp_problem *problem, const sp_placed *x,
                const double *global, sp_machine *dist) {
  const sp_shape *g = &problem->seq->tensors[x->seq].shape;
  const sp_shape *l = &problem->dist->tensors[x->dist].shape;
  int64_t n = sp_shape_elements(l);
  double *v = sp_scratch(ctx, ((size_t)n + 1) * sizeof *v);
  for (int64_t rank = 0; rank < problem->dist->partitions; rank++) {
    for (int64_t i = 0; i < n; i++) {
      int64_t at = 0, stride = 1, rest = i;
      bool inside = true;
      for (uint32_t d = l->n_dims; d-- > 0;) {
        int64_t j = spi_layout_index(x->layout, d, rank, rest % l->dims[d]);
        rest /= l->dims[d];
        inside = inside && j < g->dims[d];
        at += j * stride;
        stride *= g->dims[d];
      }
      v[i] = inside ? global[at] : junk(l->dtype, rank, i);
    }
    sp_machine_set_input(dist, x->dist, rank, v);
  }
}

bool spi_draw_inputs(sp_ctx *ctx, const sp_problem *problem,
                     spi_draw_mode mode, uint64_t seed, sp_machine *seq,
                     sp_machine *dist, const char **why) {
  for (uint32_t i = 0; i < problem->seq->n_params; i++) {
    sp_mark mark = sp_scratch_mark(ctx);
    uint32_t t = problem->seq->params[i];
    if (seq) {
      sp_machine_set_input(seq, t, 0, draw(ctx, problem, mode, seed, t));
    }
    sp_scratch_release(ctx, mark);
  }
  for (size_t i = 0; i < problem->n_given; i++) {
    const sp_placed *x = &problem->given[i];
    if (!x->layout || x->layout->partial != SP_PARTIAL_NONE) {
      *why = sp_format(ctx, "%s is not given as a part of a sequential input",
                       x->name);
      return false;
    }
    sp_mark mark = sp_scratch_mark(ctx);
    double *v = draw(ctx, problem, mode, seed, x->seq);
    if (seq) {
      sp_machine_set_input(seq, x->seq, 0, v); /* cuts are no parameters */
    }
    cut(ctx, problem, x, v, dist);
    sp_scratch_release(ctx, mark);
  }
  return true;
}
