/* aten_sort.c: topk, sort, argsort: opaque functions of the slice along the
 * dimension and of the position in the result, as in sort.c. Two are equal if
 * the slices and all arguments are. */
#include "encode/aten_util.h"

#include <string.h>

static bool has(const sp_node *node, const char *name) {
  return strstr(sp_op_find(node->op)->params, name) != NULL;
}

static void check_kind(sp_ctx *ctx, const sp_node *node, const sp_shape *a) {
  if (a->n_dims == 0) {
    spi_unknown(ctx, node, "the order of a scalar");
  }
  if (has(node, "stable") && spi_arg_given(node, "stable")) {
    spi_arg_bool(ctx, node, "stable");
  }
}

/* Values and indices; argsort has the indices alone. */
static void sort_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  spi_dims s = spi_dims_of(a);
  uint32_t d = spi_arg_dim(ctx, node, "dim", a->n_dims);
  check_kind(ctx, node, a);
  if (has(node, "int k")) {
    int64_t k = spi_arg_int(ctx, node, "k");
    if (k < 0 || k > a->dims[d]) {
      spi_bad(ctx, node, "takes %lld of %lld", (long long)k,
              (long long)a->dims[d]);
    }
    s.d[d] = k;
  }
  bool alone = strstr(node->op, "argsort") != NULL;
  spi_results(ctx, node, alone ? 1 : 2);
  if (!alone) {
    spi_yields_like(ctx, program, node, 0, &s, "self");
  }
  spi_yields(ctx, program, node, alone ? 0 : 1, &s, SP_SORT_INT);
}

static sp_expr sort_element(const sp_call *call, const sp_expr *idx) {
  sp_ctx *ctx = spi_call_ctx(call);
  const sp_node *node = call->node;
  uint32_t operand = (uint32_t)spi_arg_operand(node, "self");
  const sp_shape *a = sp_call_shape(call, operand);
  uint32_t d = spi_arg_dim(ctx, node, "dim", a->n_dims);
  bool top = has(node, "int k");
  bool positions = call->result == 1 || strstr(node->op, "argsort") != NULL;
  bool down = spi_arg_bool(ctx, node, top ? "largest" : "descending");
  /* how ties are broken shows in positions only */
  bool stable = !top && (!positions || (spi_arg_given(node, "stable") &&
                                        spi_arg_bool(ctx, node, "stable")));
  const char *name = sp_format(
      ctx, "aten.%s:%s:%s:%s:%lld", top ? "topk" : "sort",
      positions ? "indices" : "values", down ? "down" : "up",
      top ? (spi_arg_bool(ctx, node, "sorted") ? "sorted" : "unsorted")
          : (stable ? "stable" : "unstable"),
      (long long)(top ? spi_arg_int(ctx, node, "k") : a->dims[d]));
  const sp_expr args[2] = {spi_slice_along(call, operand, d, idx), idx[d]};
  sp_fn_picks(call->pool, name, positions);
  return sp_fn(call->pool, sp_dtype_sort(spi_out_dtype(call)), name, 2, args);
}

#define OPAQUE "values and positions in order of size"

SPI_ATEN(topk,
         "Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True",
         sort_shape, sort_element, OPAQUE ", the first k",
         SPI_NAMES("topk", "default"))
SPI_ATEN(sort,
         "Tensor self, int dim=-1, bool descending=False, *, bool? stable",
         sort_shape, sort_element, OPAQUE, SPI_NAMES("sort", "default"),
         SPI_NAMES("argsort", "default"))
SPI_ATEN(sort_stable,
         "Tensor self, *, bool? stable, int dim=-1, bool descending=False",
         sort_shape, sort_element, OPAQUE, "aten.sort.stable",
         "aten.argsort.stable")

extern const sp_op *const sp_ops_aten_sort[];
const sp_op *const sp_ops_aten_sort[] = {
    &topk_row,
    &sort_row,
    &sort_stable_row,
    NULL,
};
