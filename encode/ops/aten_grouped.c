/* aten_grouped.c: products of matrices in groups (mixtures of experts), and of
 * scaled narrow floats.
 *
 * Grouped: one dimension of the operands is cut at offs, group g being the
 * places from offs[g - 1] (0 for the first) up to, without, offs[g].
 *   rows:    a [M, K],    b [G, K, N]   out[i, j] = sum a[i, k] b[g(i), k, j]
 *   columns: a [G, M, K], b [K, N]      out[i, j] = sum a[g(j), i, k] b[k, j]
 *   inner:   a [M, K],    b [K, N]      out[g, i, j] = sum over k in group g
 *   none:    a [G, M, K], b [G, K, N]   out[g, i, j], a product each
 * Rows (columns) behind the last group hold anything: that there are none is an
 * assumption, and that offs do not fall. */
#include "encode/aten_util.h"

#define OFFSETS "offsets of groups do not fall, and the last is the end"

typedef enum form { ROWS, COLUMNS, INNER, NONE } form;

static form form_of(const sp_shape *a, const sp_shape *b) {
  return a->n_dims == 2 ? (b->n_dims == 3 ? ROWS : INNER)
                        : (b->n_dims == 3 ? NONE : COLUMNS);
}

static void grouped_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  const sp_shape *b = spi_arg_shape(ctx, program, node, "mat2");
  int64_t offs = spi_arg_operand(node, "offs");
  if (a->n_dims < 2 || a->n_dims > 3 || b->n_dims < 2 || b->n_dims > 3) {
    spi_bad(ctx, node, "matrices of %u and %u dimensions", a->n_dims,
            b->n_dims);
  }
  form f = form_of(a, b);
  int64_t m = a->dims[a->n_dims - 2], k = a->dims[a->n_dims - 1];
  int64_t n = b->dims[b->n_dims - 1];
  if (k != b->dims[b->n_dims - 2] || (f == NONE && a->dims[0] != b->dims[0])) {
    spi_bad(ctx, node, "rows of %lld times columns of %lld", (long long)k,
            (long long)b->dims[b->n_dims - 2]);
  }
  if ((offs < 0) != (f == NONE)) {
    spi_bad(ctx, node, offs < 0 ? "no groups" : "groups of whole matrices");
  }
  int64_t groups = f == ROWS ? b->dims[0] : a->dims[0];
  if (offs >= 0) {
    const sp_shape *o = spi_in(program, node, (uint32_t)offs);
    if (f == INNER && o->n_dims == 1) {
      groups = o->dims[0];
    }
    spi_expect_operand(ctx, program, node, (uint32_t)offs, 1, &groups);
    if (!sp_dtype_is_int(o->dtype)) {
      spi_bad(ctx, node, "offs are no integers");
    }
  }
  if (groups < 1) {
    spi_bad(ctx, node, "no groups");
  }
  spi_dims s = {0};
  if (f == INNER || f == NONE) {
    spi_dims_push(ctx, node, &s, groups);
  }
  spi_dims_push(ctx, node, &s, m);
  spi_dims_push(ctx, node, &s, n);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

/* The group of place i: as many as end at or before it. */
static sp_expr group_of(const sp_call *call, sp_expr i) {
  sp_pool *p = call->pool;
  int64_t n = spi_call_arg_shape(call, "offs")->dims[0];
  sp_expr g = sp_fresh(p, n);
  sp_expr ends = sp_le(p, spi_arg_read(call, "offs", &g), i);
  spi_assume(call, OFFSETS);
  sp_expr e = spi_red(call, SP_REDUCER_SUM, SP_S64, 1, &g,
                      sp_ite(p, ends, sp_int(p, 1), sp_int(p, 0)));
  return sp_clamp(p, e, sp_int(p, 0), sp_int(p, n - 1));
}

/* offs[g - 1] <= k < offs[g] */
static sp_expr is_in_group(const sp_call *call, sp_expr k, sp_expr g) {
  sp_pool *p = call->pool;
  sp_expr zero = sp_int(p, 0);
  sp_expr before = sp_max(p, sp_iaddc(p, g, -1), zero);
  sp_expr from =
      sp_ite(p, sp_eq(p, g, zero), zero, spi_arg_read(call, "offs", &before));
  return sp_and(p, sp_le(p, from, k),
                sp_lt(p, k, spi_arg_read(call, "offs", &g)));
}

static sp_expr grouped_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_shape *a = spi_call_arg_shape(call, "self");
  const sp_shape *b = spi_call_arg_shape(call, "mat2");
  form f = form_of(a, b);
  const sp_expr *at = idx + (f == INNER || f == NONE);
  sp_expr k = sp_fresh(p, a->dims[a->n_dims - 1]);
  sp_expr g = f == ROWS      ? group_of(call, at[0])
              : f == COLUMNS ? group_of(call, at[1])
                             : idx[0];
  const sp_expr ia[3] = {g, at[0], k}, ib[3] = {g, k, at[1]};
  sp_expr e =
      sp_mul(p, spi_arg_read(call, "self", a->n_dims == 3 ? ia : ia + 1),
             spi_arg_read(call, "mat2", b->n_dims == 3 ? ib : ib + 1));
  if (f == INNER) {
    e = sp_ite(p, is_in_group(call, k, g), e, sp_real_i64(p, 0));
  }
  return spi_sum(call, 1, &k, e);
}

/* ---- scaled ---- */

/* One scale, or one a row (column). */
static void check_scale(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node, const char *name, uint32_t at,
                        int64_t size) {
  const sp_shape *s = spi_arg_shape(ctx, program, node, name);
  if (sp_shape_elements(s) == 1) {
    return;
  }
  if (s->n_dims != 2 || s->dims[at] != size || s->dims[1 - at] != 1) {
    spi_unknown(ctx, node, "argument %s has a scale for each block", name);
  }
}

static void scaled_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  const sp_shape *b = spi_arg_shape(ctx, program, node, "mat2");
  if (a->n_dims != 2 || b->n_dims != 2 || a->dims[1] != b->dims[0]) {
    spi_bad(ctx, node, "no matrices, or sizes that do not go together");
  }
  spi_dims s = {.n = 2, .d = {a->dims[0], b->dims[1]}};
  check_scale(ctx, program, node, "scale_a", 0, s.d[0]);
  check_scale(ctx, program, node, "scale_b", 1, s.d[1]);
  int64_t bias = spi_arg_operand(node, "bias");
  if (bias >= 0) {
    spi_expect_operand(ctx, program, node, (uint32_t)bias, 1, &s.d[1]);
  }
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

static sp_expr scale(const sp_call *call, const char *name,
                     const sp_expr *idx) {
  const sp_shape *s = spi_call_arg_shape(call, name);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < s->n_dims; d++) {
    j[d] = s->dims[d] == 1 ? sp_int(call->pool, 0) : idx[d];
  }
  return spi_arg_read(call, name, j);
}

static sp_expr scaled_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr k = sp_fresh(p, spi_call_arg_shape(call, "self")->dims[1]);
  const sp_expr ia[2] = {idx[0], k}, ib[2] = {k, idx[1]};
  sp_expr e =
      sp_mul(p, spi_arg_read(call, "self", ia), spi_arg_read(call, "mat2", ib));
  e = spi_sum(call, 1, &k, e);
  e = sp_mul(
      p, e,
      sp_mul(p, scale(call, "scale_a", idx), scale(call, "scale_b", idx)));
  if (spi_arg_operand(call->node, "bias") >= 0) {
    e = sp_add(p, e, spi_arg_read(call, "bias", idx + 1));
  }
  return e;
}

SPI_ATEN(grouped_mm,
         "Tensor self, Tensor mat2, Tensor? offs, Tensor? bias!, "
         "any? out_dtype",
         grouped_shape, grouped_element,
         "out[i, j] = sum over k of a[i, k] b[g, k, j], i in group g",
         "aten._grouped_mm.default", "torch._grouped_mm",
         "torch.nn.functional.grouped_mm")
SPI_ATEN(scaled_mm,
         "Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, "
         "Tensor? bias, Tensor? scale_result!, any? out_dtype, "
         "any? use_fast_accum",
         scaled_shape, scaled_element,
         "out[i, j] = sum over k of a[i, k] b[k, j] * scale_a * scale_b + "
         "bias[j]",
         "aten._scaled_mm.default", "torch._scaled_mm")

extern const sp_op *const sp_ops_aten_grouped[];
const sp_op *const sp_ops_aten_grouped[] = {
    &grouped_mm_row,
    &scaled_mm_row,
    NULL,
};
