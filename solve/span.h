/* span.h: sets of indices along one dimension, and what index terms make of
 * them.
 *
 * CONTRACT. A span (solve/evaluate.h) lists indices in increasing order. Its
 * positions 0, ..., n-1 are what a machine stores of the dimension. The image
 * of a term may be larger than what the term can be, never smaller. Memory is
 * the context's. Internal to solve/.
 */
#ifndef SP_SOLVE_SPAN_H
#define SP_SOLVE_SPAN_H

#include "solve/evaluate.h"

static inline sp_span spi_span_all(int64_t extent) {
  return (sp_span){.n = extent};
}

static inline sp_span spi_span_none(void) {
  static const int64_t nothing;
  return (sp_span){.n = 0, .at = &nothing};
}

static inline int64_t spi_span_at(sp_span s, int64_t i) {
  return s.at ? s.at[i] : i;
}

/* The position of an index, or -1. */
int64_t spi_span_find(sp_span s, int64_t index);
sp_span spi_span_union(sp_ctx *ctx, sp_span a, sp_span b, int64_t extent);
sp_span spi_span_meet(sp_ctx *ctx, sp_span a, sp_span b);
/* Those below a limit. */
sp_span spi_span_below(sp_ctx *ctx, sp_span s, int64_t limit);
/* Where the bits are set. */
sp_span spi_span_of_bits(sp_ctx *ctx, const bool *bits, int64_t extent);
/* One index after the other: which is the first? */
bool spi_span_is_run(sp_span s, int64_t *first);

/* ---- terms ---- */
/* All points of the free variables of some terms, one after the other. */
typedef struct spi_points {
  uint32_t n;
  const sp_expr *vars; /* sorted */
  int64_t extents[SP_MAX_DIMS], at[SP_MAX_DIMS], size;
} spi_points;

/* False: the term reads tensors, or there are too many points. */
bool spi_points_of(sp_pool *p, sp_expr e, spi_points *out);
void spi_points_next(spi_points *x);
/* The value of an INT or BOOL term there; false: it has none. */
bool spi_points_value(sp_pool *p, const spi_points *x, sp_expr e, int64_t *out);

/* The index at position k, as a term. */
sp_expr spi_span_term(sp_pool *p, sp_span s, sp_expr k);
/* The values in [0, extent) that the term may have. */
sp_span spi_span_image(sp_pool *p, sp_expr e, int64_t extent);

#endif
