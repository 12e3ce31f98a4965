/* aten_index.c: reading at indices that are data: embedding, index_select,
 * gather, x[i, j]. Writing: aten_scatter.c.
 *
 * PyTorch stops where an index is out of bounds. A read whose index is not
 * shown to be in bounds is clamped: another total definition would do as well,
 * since only inputs on which the programs run count; the report says so. */
#include "encode/aten_index.h"

#include <string.h>

static void indices_are_integers(sp_ctx *ctx, const sp_program *program,
                                 const sp_node *node, const char *name) {
  const sp_shape *s = spi_arg_shape(ctx, program, node, name);
  if (!sp_dtype_is_int(s->dtype)) {
    spi_unknown(ctx, node, "%s holds no integers", name);
  }
}

/* ---- embedding ---- */

static void embedding_shape(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  const sp_shape *w = spi_arg_shape(ctx, program, node, "weight");
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "indices"));
  indices_are_integers(ctx, program, node, "indices");
  if (w->n_dims != 2) {
    spi_bad(ctx, node, "a table of %u dimensions", w->n_dims);
  }
  spi_dims_push(ctx, node, &s, w->dims[1]);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "weight");
}

static sp_expr embedding_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *w = spi_call_arg_shape(call, "weight");
  uint32_t n = sp_call_result_shape(call)->n_dims;
  sp_expr i = spi_arg_read(call, "indices", idx);
  const sp_expr at[2] = {spi_bounded(call, i, w->dims[0]), idx[n - 1]};
  return spi_arg_read(call, "weight", at);
}

static void embedding_backward_shape(sp_ctx *ctx, const sp_program *program,
                                     const sp_node *node) {
  const sp_shape *g = spi_arg_shape(ctx, program, node, "grad_output");
  const sp_shape *i = spi_arg_shape(ctx, program, node, "indices");
  indices_are_integers(ctx, program, node, "indices");
  if (g->n_dims != i->n_dims + 1) {
    spi_bad(ctx, node, "a gradient of %u dimensions for indices of %u",
            g->n_dims, i->n_dims);
  }
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "indices"), i->n_dims,
                     g->dims);
  spi_dims s = {.n = 2};
  s.d[0] = spi_arg_int(ctx, node, "num_weights");
  s.d[1] = g->dims[g->n_dims - 1];
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "grad_output");
}

/* The sum of the gradients at all positions that read row v. */
static sp_expr embedding_backward_element(const sp_call *call,
                                          const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_shape *i = spi_call_arg_shape(call, "indices");
  sp_expr vars[SP_MAX_DIMS + 1];
  for (uint32_t d = 0; d < i->n_dims; d++) {
    vars[d] = sp_fresh(p, i->dims[d]);
  }
  vars[i->n_dims] = idx[1];
  sp_expr row = spi_arg_read(call, "indices", vars);
  sp_expr zero = sp_real_i64(p, 0);
  sp_expr body = sp_ite(p, sp_eq(p, row, idx[0]),
                        spi_arg_read(call, "grad_output", vars), zero);
  sp_expr sum = spi_sum(call, i->n_dims, vars, body);
  sp_expr padding = spi_arg_index(call, "padding_idx");
  return sp_ite(p, sp_eq(p, idx[0], padding), zero, sum);
}

/* ---- index_select, gather ---- */

static void index_select_shape(sp_ctx *ctx, const sp_program *program,
                               const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  const sp_shape *i = spi_arg_shape(ctx, program, node, "index");
  indices_are_integers(ctx, program, node, "index");
  uint32_t d = spi_arg_dim(ctx, node, "dim", s.n);
  if (i->n_dims > 1 || s.n == 0) {
    spi_bad(ctx, node, "an index of %u dimensions into %u", i->n_dims, s.n);
  }
  s.d[d] = sp_shape_elements(i);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr index_select_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *a = spi_call_arg_shape(call, "self");
  uint32_t d = spi_arg_dim(spi_call_ctx(call), call->node, "dim", a->n_dims);
  sp_expr j[SP_MAX_DIMS];
  memcpy(j, idx, a->n_dims * sizeof *j);
  j[d] = spi_bounded(call, spi_arg_read(call, "index", &idx[d]), a->dims[d]);
  return spi_arg_read(call, "self", j);
}

static void gather_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  const sp_shape *i = spi_arg_shape(ctx, program, node, "index");
  indices_are_integers(ctx, program, node, "index");
  uint32_t dim = spi_arg_dim(ctx, node, "dim", a->n_dims);
  if (a->n_dims == 0 || a->n_dims != i->n_dims) {
    spi_unknown(ctx, node, "an index of %u dimensions into %u", i->n_dims,
                a->n_dims);
  }
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if (d != dim && i->dims[d] > a->dims[d]) {
      spi_bad(ctx, node, "dimension %u of the index is larger than self's", d);
    }
  }
  spi_dims s = spi_dims_of(i);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr gather_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *a = spi_call_arg_shape(call, "self");
  uint32_t d = spi_arg_dim(spi_call_ctx(call), call->node, "dim", a->n_dims);
  sp_expr j[SP_MAX_DIMS];
  memcpy(j, idx, a->n_dims * sizeof *j);
  j[d] = spi_bounded(call, spi_arg_read(call, "index", idx), a->dims[d]);
  return spi_arg_read(call, "self", j);
}

/* ---- x[i, j] with tensors ---- */

spi_picks spi_picks_of(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  spi_picks k = {.a = a, .first = a->n_dims};
  uint32_t n;
  const int64_t *v = spi_arg_operands(node, "indices", &n);
  if (n == 0 || n > a->n_dims) {
    spi_bad(ctx, node, "%u indices for %u dimensions", n, a->n_dims);
  }
  bool gap = false, apart = false;
  for (uint32_t d = 0; d < a->n_dims; d++) {
    k.operand[d] = d < n ? v[d] : -1;
    if (k.operand[d] < 0) {
      gap = gap || k.first < a->n_dims;
      continue;
    }
    const sp_shape *s = spi_in(program, node, (uint32_t)k.operand[d]);
    if (!sp_dtype_is_int(s->dtype)) {
      spi_unknown(ctx, node,
                  "index %u is a mask: how many elements it picks "
                  "depends on the data",
                  d);
    }
    spi_broadcast(ctx, node, &k.batch, s);
    k.first = k.first < d ? k.first : d;
    apart = apart || gap;
  }
  if (k.first == a->n_dims) {
    spi_bad(ctx, node, "no index among the indices");
  }
  /* indices that are not neighbours put their dimensions in front */
  k.first = apart ? 0 : k.first;
  return k;
}

spi_dims spi_picks_dims(sp_ctx *ctx, const sp_node *node, const spi_picks *k) {
  spi_dims s = {0};
  uint32_t kept = 0;
  for (uint32_t d = 0; d <= k->a->n_dims; d++) {
    if (kept == k->first) {
      for (uint32_t i = 0; i < k->batch.n; i++) {
        spi_dims_push(ctx, node, &s, k->batch.d[i]);
      }
      kept++; /* once only */
    }
    if (d < k->a->n_dims && k->operand[d] < 0) {
      spi_dims_push(ctx, node, &s, k->a->dims[d]);
      kept++;
    }
  }
  return s;
}

uint32_t spi_picks_at(const spi_picks *k, const sp_expr *batch,
                      const sp_expr *self, sp_expr *out) {
  uint32_t n = 0, kept = 0;
  for (uint32_t d = 0; d <= k->a->n_dims; d++) {
    if (kept == k->first) {
      for (uint32_t i = 0; i < k->batch.n; i++) {
        out[n++] = batch[i];
      }
      kept++;
    }
    if (d < k->a->n_dims && k->operand[d] < 0) {
      out[n++] = self[d];
      kept++;
    }
  }
  return n;
}

sp_expr spi_picks_index(const sp_call *call, const spi_picks *k, uint32_t d,
                        const sp_expr *batch) {
  return spi_read_broadcast(call, (uint32_t)k->operand[d], k->batch.n, batch);
}

static void index_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  spi_picks k = spi_picks_of(ctx, program, node);
  spi_dims s = spi_picks_dims(ctx, node, &k);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr index_element(const sp_call *call, const sp_expr *idx) {
  spi_picks k = spi_picks_of(spi_call_ctx(call), call->program, call->node);
  sp_expr j[SP_MAX_DIMS];
  const sp_expr *batch = idx + k.first;
  uint32_t at = k.first == 0 ? k.batch.n : 0;
  for (uint32_t d = 0; d < k.a->n_dims; d++) {
    if (k.operand[d] >= 0) {
      j[d] = spi_bounded_signed(call, spi_picks_index(call, &k, d, batch),
                                k.a->dims[d]);
    } else {
      j[d] = idx[at++];
      at += at == k.first ? k.batch.n : 0;
    }
  }
  return spi_arg_read(call, "self", j);
}

/* ---- one_hot ---- */

static void one_hot_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  int64_t n = spi_arg_int(ctx, node, "num_classes");
  indices_are_integers(ctx, program, node, "self");
  if (n < 1) {
    spi_unknown(ctx, node, "how many classes there are depends on the data");
  }
  spi_dims_push(ctx, node, &s, n);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_INT);
}

static sp_expr one_hot_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  uint32_t n = sp_call_result_shape(call)->n_dims;
  sp_expr hit = sp_eq(p, spi_arg_read(call, "self", idx), idx[n - 1]);
  return sp_ite(p, hit, sp_int(p, 1), sp_int(p, 0));
}

/* ---- rows ---- */

#define LOOKUP "out[i.., c] = w[indices[i..], c]"

SPI_ATEN(embedding,
         "Tensor weight, Tensor indices, any? padding_idx, "
         "any? scale_grad_by_freq, any? sparse",
         embedding_shape, embedding_element, LOOKUP, "aten.embedding.default",
         "torch.embedding")
SPI_ATEN(embedding_function,
         "Tensor indices, Tensor weight, any? padding_idx, any? max_norm!, "
         "any? norm_type, any? scale_grad_by_freq, any? sparse",
         embedding_shape, embedding_element, LOOKUP,
         "torch.nn.functional.embedding")
SPI_ATEN(embedding_dense_backward,
         "Tensor grad_output, Tensor indices, int num_weights, "
         "int padding_idx, bool scale_grad_by_freq=False!",
         embedding_backward_shape, embedding_backward_element,
         "out[v, c] = sum of g[i.., c] where indices[i..] = v, 0 for the "
         "padding row",
         "aten.embedding_dense_backward.default")
SPI_ATEN(index_select, "Tensor self, int dim, Tensor index", index_select_shape,
         index_select_element, "out[.., i, ..] = a[.., index[i], ..]",
         SPI_NAMES("index_select", "default"))
SPI_ATEN(gather, "Tensor self, int dim, Tensor index, *, any? sparse_grad",
         gather_shape, gather_element,
         "out[i] = a[i], the coordinate of dim replaced by index[i]",
         SPI_NAMES("gather", "default"))
SPI_ATEN(index, "Tensor self, Tensor[] indices", index_shape, index_element,
         "out[b] = a[i_0[b], i_1[b], ...]; None keeps a dimension",
         "aten.index.Tensor", "aten._unsafe_index.Tensor")
SPI_ATEN(one_hot, "Tensor self, int num_classes=-1", one_hot_shape,
         one_hot_element, "out[i.., c] = a[i..] == c", "aten.one_hot.default",
         "torch.nn.functional.one_hot")

extern const sp_op *const sp_ops_aten_index[];
const sp_op *const sp_ops_aten_index[] = {
    &embedding_row,
    &embedding_function_row,
    &embedding_dense_backward_row,
    &index_select_row,
    &gather_row,
    &index_row,
    &one_hot_row,
    NULL,
};
