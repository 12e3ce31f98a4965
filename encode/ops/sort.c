/* sort.c: sort and topk: opaque functions of the slice along the sorted
 * dimension and of the position in the result. Two are equal if comparator,
 * stability and slices are. A sort of values by size together with their
 * positions is topk of all of them: compilers rewrite one as the other. */
#include "encode/op_util.h"

#include <string.h>

/* LAMBDA of operand k along dimension d, the other coordinates at idx. */
sp_expr spi_slice_along(const sp_call *call, uint32_t k, int64_t d,
                        const sp_expr *idx) {
  const sp_shape *a = sp_call_shape(call, k);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  memcpy(j, idx, a->n_dims * sizeof *j);
  j[d] = sp_fresh(call->pool, a->dims[d]);
  return spi_lambda(call->pool, 1, &j[d], sp_call_read(call, k, j));
}

static void sort_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  const sp_shape *a = spi_in(program, node, 0);
  uint32_t n;
  spi_ints(node, "dimensions", &n);
  spi_shape_identity(ctx, program, node);
  spi_check_dims(ctx, node, "dimensions", a->n_dims);
  if (n != 1) {
    spi_bad(ctx, node, "sorts along %u dimensions", n);
  }
  for (uint32_t k = 1; k < node->n_in; k++) {
    spi_expect_operand(ctx, program, node, k, a->n_dims, a->dims);
  }
  const sp_program *region = spi_attr_region(node, "to_apply");
  if (region->n_params != 2 * node->n_in || region->n_results != 1) {
    spi_bad(ctx, node, "the comparator has %u parameters for %u operands",
            region->n_params, node->n_in);
  }
  for (uint32_t k = 0; k < region->n_params; k++) {
    if (region->tensors[region->params[k]].shape.dtype !=
        spi_in(program, node, k / 2)->dtype) {
      spi_bad(ctx, node, "parameter %u of the comparator has another type", k);
    }
  }
  if (region->tensors[region->results[0]].shape.dtype != SP_PRED) {
    spi_bad(ctx, node, "the comparator's result is no predicate");
  }
}

/* Element i of the largest (smallest) ones, in order, or its position. It does
 * not depend on how many are asked for. */
sp_expr spi_topk(const sp_call *call, int64_t d, bool largest, bool stable,
                 bool indices, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_expr args[2] = {spi_slice_along(call, 0, d, idx), idx[d]};
  const char *name = sp_format(
      sp_pool_ctx(p), "topk:%s:%s:%s", indices ? "indices" : "values",
      largest ? "largest" : "smallest", stable ? "stable" : "unstable");
  sp_fn_picks(p, name, indices);
  return sp_fn(p, sp_dtype_sort(spi_out_dtype(call)), name, 2, args);
}

/* Of (values, positions) by size? Values first, and nothing else counts. */
static bool is_topk(const sp_call *call, int64_t d, const sp_expr *idx,
                    bool *largest) {
  sp_pool *p = call->pool;
  const sp_program *region = spi_attr_region(call->node, "to_apply");
  if (call->node->n_in != 2 ||
      !sp_dtype_is_int(sp_call_shape(call, 1)->dtype)) {
    return false;
  }
  sp_expr positions = spi_slice_along(call, 1, d, idx);
  sp_expr k = sp_fresh(p, sp_call_shape(call, 1)->dims[d]);
  return positions.v == spi_lambda(p, 1, &k, k).v &&
         spi_region_orders(p, region, largest);
}

static sp_expr sort_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  uint32_t n = call->node->n_in, nd;
  bool largest, stable = spi_attr_int(call->node, "is_stable", 0);
  int64_t d = spi_ints(call->node, "dimensions", &nd)[0];
  if (is_topk(call, d, idx, &largest)) {
    return spi_topk(call, d, largest, stable, call->result == 1, idx);
  }
  sp_expr *args = sp_alloc_n(ctx, n + 1u, sizeof *args);
  for (uint32_t k = 0; k < n; k++) {
    args[k] = spi_slice_along(call, k, d, idx);
  }
  args[n] = idx[d];
  const char *name = sp_format(
      ctx, "sort:%u:%s:%s", call->result, stable ? "stable" : "unstable",
      spi_region_text(p, spi_attr_region(call->node, "to_apply")));
  return sp_fn(p, sp_dtype_sort(spi_out_dtype(call)), name, n + 1, args);
}

static void topk_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  const sp_shape *a = spi_in(program, node, 0);
  spi_expect_results(ctx, node, 2);
  int64_t dims[SP_MAX_DIMS] = {0}, k = spi_attr_int(node, "k", -1);
  if (a->n_dims == 0 || k < 0 || k > a->dims[a->n_dims - 1]) {
    spi_bad(ctx, node, "takes %lld of %lld", (long long)k,
            a->n_dims ? (long long)a->dims[a->n_dims - 1] : 0);
  }
  memcpy(dims, a->dims, a->n_dims * sizeof *dims);
  dims[a->n_dims - 1] = k;
  spi_expect(ctx, program, node, 0, a->n_dims, dims);
  spi_expect(ctx, program, node, 1, a->n_dims, dims);
  spi_expect_dtype(ctx, program, node, 0, 0);
  if (!sp_dtype_is_int(spi_out(program, node, 1)->dtype)) {
    spi_bad(ctx, node, "result 1 holds no integers");
  }
}

static sp_expr topk_element(const sp_call *call, const sp_expr *idx) {
  return spi_topk(call, (int64_t)sp_call_shape(call, 0)->n_dims - 1,
                  spi_attr_int(call->node, "largest", 0),
                  spi_attr_int(call->node, "is_stable", 0), call->result == 1,
                  idx);
}

static const sp_op_attr sort_attrs[] = {
    {"dimensions", SP_ATTR_INTS, true, false},
    {"to_apply", SP_ATTR_REGION, true, false},
    {"is_stable", SP_ATTR_INT, false, false},
    {0},
};
static const char *const sort_spellings[] = {"hlo:sort", NULL};
static const sp_op sort_row = {
    .name = "sort",
    .spellings = sort_spellings,
    .attrs = sort_attrs,
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .shape = sort_shape,
    .element = sort_element,
    .opaque = "the order of elements is no formula over single elements",
    .meaning = "out_k[i] = element i of the sorted slice of operand k",
};

static const sp_op_attr topk_attrs[] = {
    {"k", SP_ATTR_INT, true, false},
    {"largest", SP_ATTR_INT, false, false},
    {"is_stable", SP_ATTR_INT, false, false},
    {0},
};
static const char *const topk_spellings[] = {"hlo:topk", NULL};
static const sp_op topk_row = {
    .name = "topk",
    .spellings = topk_spellings,
    .attrs = topk_attrs,
    .min_operands = 1,
    .max_operands = 1,
    .shape = topk_shape,
    .element = topk_element,
    .opaque = "the order of elements is no formula over single elements",
    .meaning = "values and indices of the k largest of the last dimension",
};

extern const sp_op *const sp_ops_sort[];
const sp_op *const sp_ops_sort[] = {
    &sort_row,
    &topk_row,
    NULL,
};
