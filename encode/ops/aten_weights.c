/* aten_weights.c: layers over parameters: bags of embeddings, normalized
 * weights.
 *
 * A bag is a run of indices, from offsets[b] up to the next offset or the end:
 *   out[b, j] = sum over i in bag b of weight[indices[i], j] (s[i])
 * or the mean (mode 1), which is 0 for an empty bag. padding_idx is left out.
 * A weight norm divides v by its norm over all dimensions but one. */
#include "encode/aten_util.h"

#include <string.h>

/* ---- bags ---- */

static void bag_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  const sp_shape *w = spi_arg_shape(ctx, program, node, "weight");
  const sp_shape *i = spi_arg_shape(ctx, program, node, "indices");
  const sp_shape *o = spi_arg_shape(ctx, program, node, "offsets");
  int64_t mode = spi_arg_int(ctx, node, "mode");
  int64_t scale = spi_arg_operand(node, "per_sample_weights");
  if (w->n_dims != 2 || i->n_dims != 1 || o->n_dims != 1 ||
      !sp_dtype_is_int(i->dtype) || !sp_dtype_is_int(o->dtype)) {
    spi_bad(ctx, node, "no matrix, indices and offsets");
  }
  if (mode != 0 && (mode != 1 || scale >= 0)) {
    spi_unknown(ctx, node, "bags in mode %lld", (long long)mode);
  }
  if (scale >= 0) {
    spi_expect_operand(ctx, program, node, (uint32_t)scale, 1, i->dims);
  }
  int64_t last = spi_arg_bool(ctx, node, "include_last_offset") ? 1 : 0;
  spi_dims s = {.n = 2, .d = {o->dims[0] - last, w->dims[1]}};
  spi_results(ctx, node, 4);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
  for (uint32_t k = 1; k < node->n_out; k++) {
    if (spi_out(program, node, k)->dtype != SP_DTYPE_INVALID) {
      spi_unknown(ctx, node, "what bags say besides their values");
    }
  }
}

/* Is index i in bag b, and no padding? */
static sp_expr in_bag(const sp_call *call, sp_expr i, sp_expr b) {
  sp_pool *p = call->pool;
  const sp_shape *o = spi_call_arg_shape(call, "offsets");
  sp_expr end = sp_int(p, o->dims[0] - 1), next = sp_iaddc(p, b, 1);
  sp_expr bounded = sp_min(p, next, end);
  sp_expr to = spi_arg_read(call, "offsets", &bounded);
  sp_expr in = sp_and(p, sp_le(p, spi_arg_read(call, "offsets", &b), i),
                      sp_or(p, sp_lt(p, end, next), sp_lt(p, i, to)));
  int64_t padding = spi_arg_int(spi_call_ctx(call), call->node, "padding_idx");
  if (padding < 0) {
    return in;
  }
  sp_expr is = sp_eq(p, spi_arg_read(call, "indices", &i), sp_int(p, padding));
  return sp_and(p, in, sp_not(p, is));
}

static sp_expr bag_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  int64_t n = spi_call_arg_shape(call, "indices")->dims[0];
  int64_t rows = spi_call_arg_shape(call, "weight")->dims[0];
  sp_expr i = sp_fresh(p, n), zero = sp_real_i64(p, 0);
  sp_expr at[2] = {spi_arg_read(call, "indices", &i), idx[1]};
  at[0] = spi_bounded(call, at[0], rows);
  sp_expr x = spi_arg_read(call, "weight", at);
  if (spi_arg_operand(call->node, "per_sample_weights") >= 0) {
    x = sp_mul(p, x, spi_arg_read(call, "per_sample_weights", &i));
  }
  x = spi_sum(call, 1, &i, sp_ite(p, in_bag(call, i, idx[0]), x, zero));
  if (spi_arg_int(spi_call_ctx(call), call->node, "mode") == 0) {
    return x;
  }
  i = sp_fresh(p, n);
  sp_expr count =
      spi_red(call, SP_REDUCER_SUM, SP_S64, 1, &i,
              sp_ite(p, in_bag(call, i, idx[0]), sp_int(p, 1), sp_int(p, 0)));
  return sp_ite(p, sp_eq(p, count, sp_int(p, 0)), zero,
                sp_div(p, x, sp_i2r(p, count)));
}

/* ---- weight norm ---- */

/* g: a number for each place of the dimension that is kept. */
static spi_dims norm_dims(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *v = spi_arg_shape(ctx, program, node, "self");
  spi_dims s = spi_dims_of(v);
  uint32_t dim = spi_arg_dim(ctx, node, "dim", v->n_dims);
  if (v->n_dims == 0 || (dim != 0 && dim != v->n_dims - 1)) {
    spi_bad(ctx, node, "neither the first nor the last dimension");
  }
  for (uint32_t d = 0; d < s.n; d++) {
    s.d[d] = d == dim ? s.d[d] : 1;
  }
  spi_expect_operand(ctx, program, node, (uint32_t)spi_arg_operand(node, "g"),
                     s.n, s.d);
  return s;
}

static void norm_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  spi_dims g = norm_dims(ctx, program, node);
  spi_results(ctx, node, 2);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
  spi_yields(ctx, program, node, 1, &g, SP_SORT_REAL);
}

static void norm_backward_shape(sp_ctx *ctx, const sp_program *program,
                                const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  spi_dims g = norm_dims(ctx, program, node);
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "grad_w"), s.n, s.d);
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "norms"), g.n, g.d);
  spi_results(ctx, node, 2);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
  spi_yields(ctx, program, node, 1, &g, SP_SORT_REAL);
}

/* The sum over all dimensions but the kept one of self times another. */
static sp_expr along(const sp_call *call, const sp_expr *idx,
                     const char *other) {
  sp_pool *p = call->pool;
  const sp_shape *v = spi_call_arg_shape(call, "self");
  uint32_t dim = spi_arg_dim(spi_call_ctx(call), call->node, "dim", v->n_dims);
  sp_expr at[SP_MAX_DIMS] = {{0}}, vars[SP_MAX_DIMS];
  uint32_t n = 0;
  for (uint32_t d = 0; d < v->n_dims; d++) {
    at[d] = d == dim ? idx[d] : (vars[n++] = sp_fresh(p, v->dims[d]));
  }
  return spi_sum(
      call, n, vars,
      sp_mul(p, spi_arg_read(call, "self", at), spi_arg_read(call, other, at)));
}

static sp_expr kept(const sp_call *call, const char *name, const sp_expr *idx) {
  uint32_t n = spi_call_arg_shape(call, "self")->n_dims;
  return spi_arg_value(call, name, n, idx, SP_F64);
}

static sp_expr norm_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr norm = sp_fn1(p, "sqrt", along(call, idx, "self"));
  return call->result == 1 ? norm
                           : sp_mul(p, spi_arg_read(call, "self", idx),
                                    sp_div(p, kept(call, "g", idx), norm));
}

/* g / |v| (dw - v (dw . v) / |v|^2), and (dw . v) / |v| */
static sp_expr norm_backward_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr norm = kept(call, "norms", idx), dot = along(call, idx, "grad_w");
  if (call->result == 1) {
    return sp_div(p, dot, norm);
  }
  sp_expr e = sp_mul(p, spi_arg_read(call, "self", idx), dot);
  e = sp_div(p, e, sp_mul(p, norm, norm));
  e = sp_sub(p, spi_arg_read(call, "grad_w", idx), e);
  return sp_mul(p, sp_div(p, kept(call, "g", idx), norm), e);
}

/* ---- rows ---- */

SPI_ATEN(embedding_bag,
         "Tensor weight, Tensor indices, Tensor offsets, "
         "any? scale_grad_by_freq, int mode=0, any? sparse, "
         "Tensor? per_sample_weights, bool include_last_offset=False, "
         "int padding_idx=-1",
         bag_shape, bag_element,
         "out[b, j] = sum, or mean, over i in bag b of weight[indices[i], j]",
         "aten._embedding_bag.default",
         "aten._embedding_bag_forward_only.default")
SPI_ATEN(weight_norm, "Tensor self, Tensor g, int dim=0", norm_shape,
         norm_element, "v g / |v|; |v|", "aten._weight_norm_interface.default")
SPI_ATEN(weight_norm_backward,
         "Tensor grad_w, Tensor self, Tensor g, Tensor norms, int dim",
         norm_backward_shape, norm_backward_element,
         "gradients of a weight norm's v and g",
         "aten._weight_norm_interface_backward.default")

extern const sp_op *const sp_ops_aten_weights[];
const sp_op *const sp_ops_aten_weights[] = {
    &embedding_bag_row,
    &weight_norm_row,
    &weight_norm_backward_row,
    NULL,
};
