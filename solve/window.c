/* window.c: read spi_window_around. */
#include "solve/window.h"

#include <math.h>

enum { SIDE = 32, RANKS = 8 };

/* Where a window of at most SIDE indices that has `at` in it begins. */
static int64_t window_start(int64_t size, int64_t at) {
  int64_t first = at - SIDE / 2;
  if (first > size - SIDE) {
    first = size - SIDE;
  }
  return first < 0 ? 0 : first;
}

static const int64_t *choose_ranks(const spi_bench *b, int64_t first,
                                   size_t *n) {
  int64_t ranks = b->s->dist_program->partitions;
  *n = ranks < RANKS ? (size_t)ranks : RANKS;
  int64_t *v = sp_alloc_n(b->s->ctx, RANKS, sizeof *v);
  v[0] = first;
  int64_t next = 0;
  for (size_t i = 1; i < *n; i++, next++) {
    next += next == first;
    v[i] = next;
  }
  return v;
}

void spi_window_around(spi_bench *b, sp_counterexample *c) {
  const sp_placed *x = &b->s->problem->promised[c->output];
  const sp_shape *shape = &b->s->dist_program->tensors[x->dist].shape;
  uint32_t n = shape->n_dims;
  int64_t height = n > 1 ? shape->dims[n - 2] : 1;
  int64_t width = n > 0 ? shape->dims[n - 1] : 1;
  sp_report_window w = {
      .row = n > 1 ? window_start(height, c->local_index[n - 2]) : 0,
      .column = n > 0 ? window_start(width, c->local_index[n - 1]) : 0,
      .rows = (uint32_t)(height < SIDE ? height : SIDE),
      .columns = (uint32_t)(width < SIDE ? width : SIDE),
  };
  w.ranks = choose_ranks(b, c->rank, &w.n_ranks);
  int64_t base = 0; /* of the matrix in the tensor */
  for (uint32_t d = 0; d + 2 < n; d++) {
    base = base * shape->dims[d] + c->local_index[d];
  }
  size_t count = w.n_ranks * w.rows * w.columns;
  double *want = sp_alloc_n(b->s->ctx, count, sizeof *want);
  double *got = sp_alloc_n(b->s->ctx, count, sizeof *got);
  size_t at = 0;
  for (size_t r = 0; r < w.n_ranks; r++) {
    for (int64_t i = 0; i < w.rows; i++) {
      for (int64_t j = 0; j < w.columns; j++, at++) {
        int64_t flat = (base * height + w.row + i) * width + w.column + j;
        if (!spi_bench_element(b, c->output, w.ranks[r], flat, &want[at],
                               &got[at])) {
          want[at] = got[at] = NAN;
        }
      }
    }
  }
  w.expected = want;
  w.got = got;
  c->window = w;
}
