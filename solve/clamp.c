/* clamp.c: read spi_clamped_text. */
#include "solve/clamp.h"

#include "solve/span.h"

#include <string.h>

typedef struct start {
  int64_t rank, at, last; /* the last one that fits */
  uint32_t dim;
} start;

static bool beyond(start *s, int64_t rank, int64_t at, int64_t extent,
                   int64_t size, uint32_t dim) {
  *s = (start){rank, at, extent - size, dim};
  return at < 0 || at > s->last;
}

/* dynamic-slice, dynamic-update-slice: one scalar a dimension. */
static bool slice_starts(const sp_machine *m, const sp_node *node,
                         uint32_t first, const sp_shape *size, start *out) {
  const sp_program *p = sp_machine_program(m);
  const sp_shape *of = &p->tensors[node->in[0]].shape;
  for (int64_t r = 0; r < sp_machine_ranks(m); r++) {
    for (uint32_t d = 0; d < of->n_dims && first + d < node->n_in; d++) {
      uint32_t t = node->in[first + d];
      if (sp_machine_has(m, t) && sp_machine_count(m, t) == 1 &&
          spi_span_find(sp_machine_ranks_of(m, t), r) >= 0 &&
          beyond(out, r, sp_machine_int(m, t, r, 0), of->dims[d], size->dims[d],
                 d)) {
        return true;
      }
    }
  }
  return false;
}

/* gather: start_index_map says which dimension an index is of. */
static bool gather_starts(const sp_machine *m, const sp_node *node,
                          start *out) {
  const sp_program *p = sp_machine_program(m);
  const sp_attr *map = sp_node_attr(node, "start_index_map");
  const sp_attr *sizes = sp_node_attr(node, "slice_sizes");
  const sp_attr *vector = sp_node_attr(node, "index_vector_dim");
  const sp_shape *of = &p->tensors[node->in[0]].shape;
  uint32_t t = node->in[1];
  if (!map || map->kind != SP_ATTR_INTS || !sizes ||
      sizes->kind != SP_ATTR_INTS || !vector || vector->kind != SP_ATTR_INT ||
      !sp_machine_has(m, t)) {
    return false;
  }
  bool scalar = vector->u.i >= p->tensors[t].shape.n_dims;
  sp_span ranks = sp_machine_ranks_of(m, t);
  for (int64_t k = 0; k < ranks.n; k++) {
    int64_t r = spi_span_at(ranks, k);
    for (int64_t i = 0; i < sp_machine_count(m, t); i++) {
      int64_t idx[SP_MAX_DIMS];
      sp_machine_where(m, t, i, idx);
      int64_t at = scalar ? 0 : idx[vector->u.i];
      int64_t d = at < (int64_t)map->n ? map->u.ints[at] : of->n_dims;
      if (d < of->n_dims && d < (int64_t)sizes->n &&
          beyond(out, r, sp_machine_int(m, t, r, i), of->dims[d],
                 sizes->u.ints[d], (uint32_t)d)) {
        return true;
      }
    }
  }
  return false;
}

const char *spi_clamped_text(sp_ctx *ctx, sp_machine *m, uint32_t tensor) {
  const sp_program *p = sp_machine_program(m);
  const sp_node *node = &p->nodes[p->tensors[tensor].node];
  start s = {0};
  bool found = false;
  if (strcmp(node->op, "hlo:dynamic-slice") == 0) {
    found = slice_starts(m, node, 1, &p->tensors[tensor].shape, &s);
  } else if (strcmp(node->op, "hlo:dynamic-update-slice") == 0) {
    found = slice_starts(m, node, 2, &p->tensors[node->in[1]].shape, &s);
  } else if (strcmp(node->op, "hlo:gather") == 0) {
    found = gather_starts(m, node, &s);
  }
  const char *rank = sp_machine_ranks(m) == 1
                         ? "in the sequential program"
                         : sp_format(ctx, "on rank %lld", (long long)s.rank);
  return found ? sp_format(ctx,
                           "%s %s begins at %lld along dimension %u, out of "
                           "range (0 to %lld), and is moved to where it fits",
                           rank, p->tensors[tensor].name, (long long)s.at,
                           s.dim, (long long)s.last)
               : NULL;
}
