/* cover.c: read sp_spec_uncovered. Along each dimension the borders of all runs
 * cut the tensor into cells; each rank then holds whole cells, which are
 * marked.
 */
#include "shard-specs/cover.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Beyond this many cells nothing is said: layouts have a few. */
static const int64_t MAX_CELLS = 1 << 24;

typedef struct borders {
  int64_t *v; /* sorted, each once; the first is 0, the last the size */
  size_t n;
} borders;

typedef struct cells {
  sp_ctx *ctx;
  const sp_shape *shape;
  size_t n;
  const sp_placed *placed;
  borders dim[SP_MAX_DIMS];
  bool *held; /* by cell, the last dimension fastest */
} cells;

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static borders borders_of(const cells *c, uint32_t d) {
  int64_t size = c->shape->dims[d];
  SP_VEC(int64_t) all = {0};
  sp_push(c->ctx, &all, 0);
  sp_push(c->ctx, &all, size);
  for (size_t i = 0; i < c->n; i++) {
    const sp_layout *l = c->placed[i].layout;
    const sp_layout_dim *dim = &l->dims[d];
    for (uint32_t k = 0; k < dim->n_runs; k++) {
      for (int64_t rank = 0; rank < l->ranks; rank++) {
        int64_t from = dim->runs[k].start[rank];
        int64_t to = from + dim->runs[k].size;
        sp_push(c->ctx, &all, from < 0 ? 0 : from < size ? from : size);
        sp_push(c->ctx, &all, to < 0 ? 0 : to < size ? to : size);
      }
    }
  }
  qsort(all.v, all.n, sizeof *all.v, ascending);
  size_t n = 1;
  for (size_t i = 1; i < all.n; i++) {
    if (all.v[i] != all.v[n - 1]) {
      all.v[n++] = all.v[i];
    }
  }
  return (borders){all.v, n};
}

/* The cell that starts at x, or the number of cells. */
static size_t cell_at(const borders *b, int64_t x) {
  size_t lo = 0, hi = b->n - 1;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (b->v[mid] < x) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return lo;
}

/* Marks what a rank holds: from dimension d on, below the cell `at`. */
static void mark(cells *c, const sp_layout *l, int64_t rank, uint32_t d,
                 size_t at) {
  if (d == c->shape->n_dims) {
    c->held[at] = true;
    return;
  }
  const borders *b = &c->dim[d];
  const sp_layout_dim *dim = &l->dims[d];
  for (size_t i = 0; dim->n_runs == 0 && i + 1 < b->n; i++) {
    mark(c, l, rank, d + 1, at * (b->n - 1) + i);
  }
  for (uint32_t k = 0; k < dim->n_runs; k++) {
    int64_t from = dim->runs[k].start[rank];
    int64_t end = from + dim->runs[k].size;
    for (size_t i = cell_at(b, from < 0 ? 0 : from);
         i + 1 < b->n && b->v[i] < end; i++) {
      mark(c, l, rank, d + 1, at * (b->n - 1) + i);
    }
  }
}

/* The first element of a cell. */
static const char *element(const cells *c, size_t at) {
  const char *text = "";
  for (uint32_t d = c->shape->n_dims; d-- > 0;) {
    const borders *b = &c->dim[d];
    text = sp_format(c->ctx, "%lld%s%s", (long long)b->v[at % (b->n - 1)],
                     *text ? ", " : "", text);
    at /= b->n - 1;
  }
  return sp_format(c->ctx, "[%s]", text);
}

const char *sp_spec_uncovered(sp_ctx *ctx, const sp_shape *shape, size_t n,
                              const sp_placed *placed) {
  cells c = {.ctx = ctx, .shape = shape, .n = n, .placed = placed};
  int64_t total = 1;
  for (uint32_t d = 0; d < shape->n_dims; d++) {
    if (shape->dims[d] == 0) {
      return NULL; /* nothing to hold */
    }
    c.dim[d] = borders_of(&c, d);
    total *= (int64_t)c.dim[d].n - 1;
    if (total > MAX_CELLS) {
      return NULL;
    }
  }
  c.held = sp_alloc_n(ctx, (size_t)total, sizeof *c.held);
  for (size_t i = 0; i < n; i++) {
    for (int64_t rank = 0; rank < placed[i].layout->ranks; rank++) {
      mark(&c, placed[i].layout, rank, 0, 0);
    }
  }
  for (int64_t i = 0; i < total; i++) {
    if (!c.held[i]) {
      return element(&c, (size_t)i);
    }
  }
  return NULL;
}
