/* gather.c: the general gather of XLA "Operation Semantics":
 *   out[b, o] = a[o' + s]
 * o' is the offset o spread over the operand's window dimensions (0 in the
 * collapsed and batching ones); s is read from the index vector that belongs
 * to b, each entry clamped to [0, size - slice]; a batching dimension takes
 * its coordinate from b itself. */
#include "encode/op_util.h"

typedef struct gather_dims {
  const int64_t *offset, *collapsed, *map, *obatch, *ibatch, *sizes;
  uint32_t n_offset, n_collapsed, n_map, n_obatch, n_ibatch, n_sizes;
  int64_t ivd; /* index vector dimension; may be the rank of the indices */
} gather_dims;

static gather_dims dims_of(const sp_node *node) {
  gather_dims g;
  g.offset = spi_ints(node, "offset_dims", &g.n_offset);
  g.collapsed = spi_ints(node, "collapsed_slice_dims", &g.n_collapsed);
  g.map = spi_ints(node, "start_index_map", &g.n_map);
  g.obatch = spi_ints(node, "operand_batching_dims", &g.n_obatch);
  g.ibatch = spi_ints(node, "start_indices_batching_dims", &g.n_ibatch);
  g.sizes = spi_ints(node, "slice_sizes", &g.n_sizes);
  g.ivd = spi_attr_int(node, "index_vector_dim", 0);
  return g;
}

static bool in_window(const gather_dims *g, uint32_t d) {
  return !spi_contains(g->collapsed, g->n_collapsed, d) &&
         !spi_contains(g->obatch, g->n_obatch, d);
}

static void check_batching(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node, const gather_dims *g) {
  const sp_shape *a = spi_in(program, node, 0), *s = spi_in(program, node, 1);
  if (g->n_obatch != g->n_ibatch) {
    spi_bad(ctx, node, "operand and indices have %u and %u batching dimensions",
            g->n_obatch, g->n_ibatch);
  }
  for (uint32_t k = 0; k < g->n_obatch; k++) {
    if (g->ibatch[k] == g->ivd) {
      spi_bad(ctx, node, "the index vector dimension %lld is a batching one",
              (long long)g->ivd);
    }
    if (a->dims[g->obatch[k]] != s->dims[g->ibatch[k]]) {
      spi_bad(ctx, node,
              "batching dimension %lld of the operand has size %lld, "
              "dimension %lld of the indices %lld",
              (long long)g->obatch[k], (long long)a->dims[g->obatch[k]],
              (long long)g->ibatch[k], (long long)s->dims[g->ibatch[k]]);
    }
    if (spi_contains(g->map, g->n_map, g->obatch[k]) ||
        spi_contains(g->collapsed, g->n_collapsed, g->obatch[k])) {
      spi_bad(ctx, node, "batching dimension %lld is also indexed or collapsed",
              (long long)g->obatch[k]);
    }
  }
}

static void check_slices(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node, const gather_dims *g) {
  const sp_shape *a = spi_in(program, node, 0);
  if (g->n_sizes != a->n_dims) {
    spi_bad(ctx, node, "%u slice sizes for %u dimensions", g->n_sizes,
            a->n_dims);
  }
  for (uint32_t d = 0; d < a->n_dims; d++) {
    int64_t max = in_window(g, d) ? a->dims[d] : 1;
    if (g->sizes[d] < 0 || g->sizes[d] > a->dims[d] || g->sizes[d] > max) {
      spi_bad(ctx, node, "dimension %u: a slice of %lld from %lld", d,
              (long long)g->sizes[d], (long long)a->dims[d]);
    }
    if (!in_window(g, d) && g->sizes[d] == 0) {
      /* XLA lets it pass, and then gathers nothing into something */
      spi_unknown(ctx, node, "dimension %u: a slice of 0 that is left out", d);
    }
  }
}

static void gather_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_shape *a = spi_in(program, node, 0), *s = spi_in(program, node, 1);
  const sp_shape *r = spi_out(program, node, 0);
  gather_dims g = dims_of(node);
  spi_expect_dtype(ctx, program, node, 0, 0);
  if (!sp_dtype_is_int(s->dtype)) {
    spi_bad(ctx, node, "the indices are no integers");
  }
  if (g.ivd < 0 || g.ivd > (int64_t)s->n_dims) {
    spi_bad(ctx, node, "index_vector_dim %lld of %u", (long long)g.ivd,
            s->n_dims);
  }
  spi_check_dims(ctx, node, "offset_dims", r->n_dims);
  spi_check_dims(ctx, node, "collapsed_slice_dims", a->n_dims);
  spi_check_dims(ctx, node, "start_index_map", a->n_dims);
  spi_check_dims(ctx, node, "operand_batching_dims", a->n_dims);
  spi_check_dims(ctx, node, "start_indices_batching_dims", s->n_dims);
  check_batching(ctx, program, node, &g);
  check_slices(ctx, program, node, &g);
  int64_t entries = g.ivd < (int64_t)s->n_dims ? s->dims[g.ivd] : 1;
  if (entries != (int64_t)g.n_map) {
    spi_bad(ctx, node, "start_index_map has %u entries, index vectors %lld",
            g.n_map, (long long)entries);
  }
  /* result dimensions: offsets where offset_dims says, the rest in order */
  int64_t dims[2 * SP_MAX_DIMS];
  uint32_t n = 0, batch = 0, window = 0;
  uint32_t n_batch = s->n_dims - (g.ivd < (int64_t)s->n_dims ? 1 : 0);
  if (g.n_offset + g.n_collapsed + g.n_obatch != a->n_dims ||
      g.n_offset + n_batch > SP_MAX_DIMS) {
    spi_bad(ctx, node, "%u offset, %u collapsed, %u batching dimensions of %u",
            g.n_offset, g.n_collapsed, g.n_obatch, a->n_dims);
  }
  for (n = 0; n < g.n_offset + n_batch; n++) {
    if (spi_contains(g.offset, g.n_offset, n)) {
      while (!in_window(&g, window)) {
        window++;
      }
      dims[n] = g.sizes[window++];
    } else {
      if (batch == (uint32_t)g.ivd) {
        batch++;
      }
      dims[n] = batch < s->n_dims ? s->dims[batch++] : -1;
    }
  }
  spi_expect(ctx, program, node, 0, n, dims);
}

static sp_expr gather_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_shape *a = sp_call_shape(call, 0), *s = sp_call_shape(call, 1);
  const sp_shape *r = sp_call_result_shape(call);
  gather_dims g = dims_of(call->node);
  sp_expr row[SP_MAX_DIMS] = {{0}}, j[SP_MAX_DIMS] = {{0}};
  uint32_t batch = 0, window = 0;
  for (uint32_t d = 0; d < a->n_dims; d++) {
    j[d] = sp_int(p, 0);
  }
  for (uint32_t k = 0; k < r->n_dims; k++) {
    if (spi_contains(g.offset, g.n_offset, k)) {
      while (!in_window(&g, window)) {
        window++;
      }
      j[window++] = idx[k];
    } else {
      if (batch == (uint32_t)g.ivd) {
        batch++;
      }
      row[batch++] = idx[k];
    }
  }
  for (uint32_t k = 0; k < g.n_map; k++) {
    int64_t d = g.map[k], last = a->dims[d] - g.sizes[d];
    if (last == 0) {
      continue; /* the only start */
    }
    if (g.ivd < (int64_t)s->n_dims) {
      row[g.ivd] = sp_int(p, k);
    }
    sp_expr start =
        sp_clamp(p, sp_call_read(call, 1, row), sp_int(p, 0), sp_int(p, last));
    j[d] = sp_iadd(p, j[d], start);
  }
  for (uint32_t k = 0; k < g.n_obatch; k++) {
    j[g.obatch[k]] = row[g.ibatch[k]];
  }
  return sp_call_read(call, 0, j);
}

static const sp_op_attr gather_attrs[] = {
    {"offset_dims", SP_ATTR_INTS, false, false},
    {"collapsed_slice_dims", SP_ATTR_INTS, false, false},
    {"start_index_map", SP_ATTR_INTS, false, false},
    {"operand_batching_dims", SP_ATTR_INTS, false, false},
    {"start_indices_batching_dims", SP_ATTR_INTS, false, false},
    {"slice_sizes", SP_ATTR_INTS, true, false},
    {"index_vector_dim", SP_ATTR_INT, true, false},
    /* promises about the values, which allow a faster program */
    {"indices_are_sorted", SP_ATTR_INT, false, true},
    {"unique_indices", SP_ATTR_INT, false, true},
    {0},
};
static const char *const gather_spellings[] = {"hlo:gather", NULL};
static const sp_op gather_row = {
    .name = "gather",
    .spellings = gather_spellings,
    .attrs = gather_attrs,
    .min_operands = 2,
    .max_operands = 2,
    .shape = gather_shape,
    .element = gather_element,
    .meaning = "out[b, o] = a[o + clamp(indices[b], 0, size - slice)]",
};

extern const sp_op *const sp_ops_gather[];
const sp_op *const sp_ops_gather[] = {
    &gather_row,
    NULL,
};
