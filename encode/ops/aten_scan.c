/* aten_scan.c: what depends on the elements before: running extrema, counts
 * (running sums: aten_reduce.c), and positions in ordered lists.
 *
 *   cummax          largest a[k], k <= i, and the last such k; cummin alike
 *   logcumsumexp    log of the sum of exp(a[k]), k <= i
 *   bucketize       how many boundaries are below x (right: not above)
 *   masked_scatter  where the mask is set, the next element of source, by how
 *                   often it is set before */
#include "encode/aten_util.h"

#include <string.h>

#define ORDERED "boundaries are in ascending order"

/* ---- running ---- */

static void running_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  spi_dims s = spi_dims_of(a);
  bool sum = strstr(node->op, "logcumsumexp") != NULL;
  spi_arg_dim(ctx, node, "dim", a->n_dims);
  if (a->n_dims == 0 || a->dtype == SP_PRED ||
      (sum && !sp_dtype_is_float(a->dtype))) {
    spi_unknown(ctx, node, "of a scalar, or of such types");
  }
  spi_results(ctx, node, sum ? 1 : 2);
  spi_yields_like(ctx, program, node, 0, &s, "self");
  spi_yields(ctx, program, node, 1, &s, SP_SORT_INT);
}

typedef struct run {
  const sp_call *call;
  sp_pool *p;
  sp_expr k, x, here; /* the element at k, and whether k <= i */
} run;

static uint32_t along_dim(const sp_call *call) {
  const sp_shape *a = spi_call_arg_shape(call, "self");
  return spi_arg_dim(spi_call_ctx(call), call->node, "dim", a->n_dims);
}

/* The element at k, the other coordinates as in idx. */
static sp_expr element(const sp_call *call, const sp_expr *idx, sp_expr k) {
  sp_expr j[SP_MAX_DIMS] = {{0}};
  memcpy(j, idx, spi_call_arg_shape(call, "self")->n_dims * sizeof *j);
  j[along_dim(call)] = k;
  return spi_arg_read(call, "self", j);
}

static run along(const sp_call *call, const sp_expr *idx) {
  run r = {.call = call, .p = call->pool};
  uint32_t d = along_dim(call);
  r.k = sp_fresh(r.p, spi_call_arg_shape(call, "self")->dims[d]);
  r.x = element(call, idx, r.k);
  r.here = sp_le(r.p, r.k, idx[d]);
  return r;
}

static sp_expr extremum(const sp_call *call, const sp_expr *idx,
                        sp_reducer kind) {
  sp_dtype t = spi_call_arg_shape(call, "self")->dtype;
  run r = along(call, idx);
  sp_pool *p = r.p;
  /* behind i nothing, or of integers, which have no least, a[0] again */
  sp_expr none = sp_dtype_is_float(t) ? spi_identity(p, kind, t)
                                      : element(call, idx, sp_int(p, 0));
  sp_expr best = spi_red(call, kind, t, 1, &r.k, sp_ite(p, r.here, r.x, none));
  if (call->result == 0) {
    return best;
  }
  r = along(call, idx);
  sp_expr hit = sp_and(p, r.here, spi_is_extreme(p, r.x, best));
  return spi_red(call, SP_REDUCER_MAX, SP_S64, 1, &r.k,
                 sp_ite(p, hit, r.k, sp_int(p, 0)));
}

static sp_expr cummax_element(const sp_call *call, const sp_expr *idx) {
  return extremum(call, idx, SP_REDUCER_MAX);
}

static sp_expr cummin_element(const sp_call *call, const sp_expr *idx) {
  return extremum(call, idx, SP_REDUCER_MIN);
}

static sp_expr logcumsumexp_element(const sp_call *call, const sp_expr *idx) {
  run r = along(call, idx);
  sp_expr e = sp_ite(r.p, r.here, sp_exp(r.p, r.x), sp_real_i64(r.p, 0));
  return sp_fn1(r.p, "log", spi_sum(call, 1, &r.k, e));
}

/* ---- positions in ordered lists ---- */

static void bucketize_shape(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  const sp_shape *b = spi_arg_shape(ctx, program, node, "boundaries");
  spi_dims s = spi_dims_of(a);
  if (b->n_dims != 1 &&
      (b->n_dims != a->n_dims ||
       memcmp(a->dims, b->dims, (b->n_dims - 1) * sizeof *b->dims) != 0)) {
    spi_bad(ctx, node, "lists of boundaries in %u dimensions", b->n_dims);
  }
  if (sp_dtype_is_float(a->dtype) != sp_dtype_is_float(b->dtype) ||
      a->dtype == SP_PRED || b->dtype == SP_PRED) {
    spi_unknown(ctx, node, "floats are compared with integers, or booleans");
  }
  const char *side = strstr(sp_op_find(node->op)->params, "side")
                         ? spi_arg_text(node, "side")
                         : NULL;
  if (side && strcmp(side, "left") != 0 && strcmp(side, "right") != 0) {
    spi_bad(ctx, node, "no such side");
  }
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_INT);
}

static sp_expr bucketize_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_shape *b = spi_call_arg_shape(call, "boundaries");
  const char *side = strstr(sp_op_find(call->node->op)->params, "side")
                         ? spi_arg_text(call->node, "side")
                         : NULL;
  bool right = spi_arg_bool(spi_call_ctx(call), call->node, "right") ||
               (side && strcmp(side, "right") == 0);
  uint32_t d = b->n_dims - 1;
  sp_expr at[SP_MAX_DIMS] = {{0}};
  memcpy(at, idx, d * sizeof *at);
  at[d] = sp_fresh(p, b->dims[d]);
  sp_expr x = spi_arg_read(call, "self", idx);
  sp_expr y = spi_arg_read(call, "boundaries", at);
  sp_expr below = right ? sp_le(p, y, x) : sp_lt(p, y, x);
  spi_assume(call, ORDERED);
  return spi_red(call, SP_REDUCER_SUM, SP_S64, 1, &at[d],
                 sp_ite(p, below, sp_int(p, 1), sp_int(p, 0)));
}

/* ---- masked_scatter ---- */

static void scatter_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  const sp_shape *mask = spi_arg_shape(ctx, program, node, "mask");
  const sp_shape *source = spi_arg_shape(ctx, program, node, "source");
  spi_broadcasts_to(ctx, node, mask, &s);
  if (mask->dtype != SP_PRED ||
      source->dtype != spi_arg_type(program, node, "self")) {
    spi_bad(ctx, node, "no mask, or a source of another type");
  }
  if (sp_shape_elements(source) == 0) {
    spi_unknown(ctx, node, "a source without elements");
  }
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr scatter_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_shape *a = spi_call_arg_shape(call, "self");
  const sp_shape *source = spi_call_arg_shape(call, "source");
  uint32_t n = a->n_dims;
  sp_expr j[SP_MAX_DIMS], at[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < n; d++) {
    j[d] = sp_fresh(p, a->dims[d]);
  }
  sp_expr before =
      sp_lt(p, sp_flatten(p, n, a->dims, j), sp_flatten(p, n, a->dims, idx));
  sp_expr set = sp_and(p, before, spi_arg_value(call, "mask", n, j, SP_PRED));
  sp_expr k = spi_red(call, SP_REDUCER_SUM, SP_S64, n, j,
                      sp_ite(p, set, sp_int(p, 1), sp_int(p, 0)));
  k = spi_bounded(call, k, sp_shape_elements(source));
  sp_unflatten(p, k, source->n_dims, source->dims, at);
  return sp_ite(p, spi_arg_value(call, "mask", n, idx, SP_PRED),
                spi_arg_read(call, "source", at),
                spi_arg_read(call, "self", idx));
}

/* ---- rows ---- */

SPI_ATEN(cummax, "Tensor self, int dim", running_shape, cummax_element,
         "largest a[k] with k <= i, and the last such k",
         SPI_NAMES("cummax", "default"))
SPI_ATEN(cummin, "Tensor self, int dim", running_shape, cummin_element,
         "smallest a[k] with k <= i, and the last such k",
         SPI_NAMES("cummin", "default"))
SPI_ATEN(logcumsumexp, "Tensor self, int dim", running_shape,
         logcumsumexp_element, "out[i] = log of the sum of exp(a[k]), k <= i",
         SPI_NAMES("logcumsumexp", "default"))
SPI_ATEN(bucketize,
         "Tensor self, Tensor boundaries, *, any? out_int32, bool right=False",
         bucketize_shape, bucketize_element,
         "out[i] = how many b[k] < a[i] (right: <=)", "aten.bucketize.Tensor",
         "torch.bucketize")
SPI_ATEN(searchsorted,
         "Tensor boundaries, Tensor self, *, any? out_int32, bool right=False, "
         "str? side, Tensor? sorter!",
         bucketize_shape, bucketize_element,
         "out[i, j] = how many b[i, k] < a[i, j] (right: <=)",
         "aten.searchsorted.Tensor", "torch.searchsorted")
SPI_ATEN(masked_scatter, "Tensor self, Tensor mask, Tensor source",
         scatter_shape, scatter_element,
         "out[i] = mask[i] ? source[how many mask[j], j < i] : a[i]",
         "aten.masked_scatter.default", "method.masked_scatter",
         "torch.masked_scatter")

extern const sp_op *const sp_ops_aten_scan[];
const sp_op *const sp_ops_aten_scan[] = {
    &cummax_row,    &cummin_row,       &logcumsumexp_row,
    &bucketize_row, &searchsorted_row, &masked_scatter_row,
    NULL,
};
