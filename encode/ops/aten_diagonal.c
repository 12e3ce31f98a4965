/* aten_diagonal.c: diagonals: taking them, replacing them, making matrices of
 * them; and pixels from channels.
 *
 * The diagonal of dimensions d1 and d2, at an offset, has the places
 *   a[.., i + max(-offset, 0), .., i + max(offset, 0), ..]
 * and comes last in the result. */
#include "encode/aten_util.h"

#include <string.h>

typedef struct diagonal {
  spi_dims whole;
  uint32_t d1, d2;
  int64_t row, column, length; /* of its first place; places */
} diagonal;

static diagonal diagonal_of(sp_ctx *ctx, const sp_node *node, spi_dims whole) {
  diagonal g = {.whole = whole};
  int64_t offset = spi_arg_int(ctx, node, "offset");
  g.d1 = spi_arg_dim(ctx, node, "dim1", whole.n);
  g.d2 = spi_arg_dim(ctx, node, "dim2", whole.n);
  if (whole.n < 2 || g.d1 == g.d2 || offset > SP_MAX_ELEMENTS ||
      offset < -SP_MAX_ELEMENTS) {
    spi_bad(ctx, node, "no diagonal of dimensions %u and %u", g.d1, g.d2);
  }
  g.row = offset < 0 ? -offset : 0;
  g.column = offset > 0 ? offset : 0;
  int64_t a = whole.d[g.d1] - g.row, b = whole.d[g.d2] - g.column;
  g.length = a < b ? a : b;
  g.length = g.length < 0 ? 0 : g.length;
  return g;
}

static spi_dims diagonal_dims(sp_ctx *ctx, const sp_node *node,
                              const diagonal *g) {
  spi_dims s = {0};
  for (uint32_t d = 0; d < g->whole.n; d++) {
    if (d != g->d1 && d != g->d2) {
      spi_dims_push(ctx, node, &s, g->whole.d[d]);
    }
  }
  spi_dims_push(ctx, node, &s, g->length);
  return s;
}

/* Where element idx of the diagonal is. */
static void outwards(sp_pool *p, const diagonal *g, const sp_expr *idx,
                     sp_expr *at) {
  uint32_t k = 0;
  sp_expr i = idx[g->whole.n - 2];
  for (uint32_t d = 0; d < g->whole.n; d++) {
    at[d] = d == g->d1   ? sp_iaddc(p, i, g->row)
            : d == g->d2 ? sp_iaddc(p, i, g->column)
                         : idx[k++];
  }
}

/* The place in the diagonal of an index of the whole, and whether it has one.
 */
static sp_expr inwards(sp_pool *p, const diagonal *g, const sp_expr *idx,
                       sp_expr *at) {
  uint32_t k = 0;
  sp_expr i = sp_iaddc(p, idx[g->d1], -g->row);
  sp_expr j = sp_iaddc(p, idx[g->d2], -g->column);
  for (uint32_t d = 0; d < g->whole.n; d++) {
    if (d != g->d1 && d != g->d2) {
      at[k++] = idx[d];
    }
  }
  at[k] = i;
  return sp_and(p, sp_eq(p, i, j), spi_inside(p, i, g->length));
}

/* ---- taking ---- */

static void take_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  spi_dims a = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  diagonal g = diagonal_of(ctx, node, a);
  spi_dims s = diagonal_dims(ctx, node, &g);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr take_element(const sp_call *call, const sp_expr *idx) {
  spi_dims a = spi_dims_of(spi_call_arg_shape(call, "self"));
  diagonal g = diagonal_of(spi_call_ctx(call), call->node, a);
  sp_expr at[SP_MAX_DIMS] = {{0}};
  outwards(call->pool, &g, idx, at);
  return spi_arg_read(call, "self", at);
}

/* ---- replacing ---- */

static void scatter_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  spi_dims a = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  diagonal g = diagonal_of(ctx, node, a);
  spi_dims s = diagonal_dims(ctx, node, &g);
  spi_expect_operand(ctx, program, node, (uint32_t)spi_arg_operand(node, "src"),
                     s.n, s.d);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &a, "self");
}

static sp_expr scatter_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *a = spi_call_arg_shape(call, "self");
  diagonal g = diagonal_of(spi_call_ctx(call), call->node, spi_dims_of(a));
  sp_expr at[SP_MAX_DIMS] = {{0}};
  sp_expr on = inwards(call->pool, &g, idx, at);
  sp_expr src = spi_convert(call, spi_arg_read(call, "src", at),
                            spi_call_arg_shape(call, "src")->dtype, a->dtype);
  return sp_ite(call->pool, on, src, spi_arg_read(call, "self", idx));
}

/* ---- zero elsewhere ---- */

/* The sizes that are given, or those that a diagonal of self makes. */
static diagonal embedding(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  spi_dims whole = {0};
  if (strstr(sp_op_find(node->op)->params, "input_sizes")) {
    return diagonal_of(ctx, node, spi_arg_sizes(ctx, node, "input_sizes"));
  }
  int64_t offset = spi_arg_int(ctx, node, "offset");
  if (a->n_dims == 0 || a->n_dims + 1 > SP_MAX_DIMS ||
      offset > SP_MAX_ELEMENTS || offset < -SP_MAX_ELEMENTS) {
    spi_bad(ctx, node, "a diagonal of %u dimensions", a->n_dims);
  }
  uint32_t d1 = spi_arg_dim(ctx, node, "dim1", a->n_dims + 1), k = 0;
  uint32_t d2 = spi_arg_dim(ctx, node, "dim2", a->n_dims + 1);
  int64_t size = a->dims[a->n_dims - 1] + (offset < 0 ? -offset : offset);
  for (uint32_t d = 0; d <= a->n_dims; d++) {
    spi_dims_push(ctx, node, &whole, d == d1 || d == d2 ? size : a->dims[k++]);
  }
  return diagonal_of(ctx, node, whole);
}

static void embed_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  diagonal g = embedding(ctx, program, node);
  spi_dims s = diagonal_dims(ctx, node, &g);
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "self"), s.n, s.d);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &g.whole, "self");
}

static sp_expr embed_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  diagonal g = embedding(spi_call_ctx(call), call->program, call->node);
  sp_expr at[SP_MAX_DIMS] = {{0}};
  sp_expr on = inwards(p, &g, idx, at);
  sp_expr e = spi_arg_read(call, "self", at);
  return sp_ite(p, on, e, spi_zero(p, sp_sort_of(p, e)));
}

/* ---- pixels: [.., C r r, H, W] as [.., C, H r, W r], and back ---- */

static void pixel_dims(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node, spi_dims *s, int64_t *r) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  bool up = strstr(node->op, "unshuffle") == NULL;
  *r = spi_arg_int(ctx, node, "factor");
  *s = spi_dims_of(a);
  uint32_t n = a->n_dims;
  int64_t limit = (int64_t)1 << 20;
  if (n < 3 || *r < 1 || *r > limit || (up && s->d[n - 3] % (*r * *r)) ||
      (!up && (s->d[n - 2] % *r || s->d[n - 1] % *r))) {
    spi_bad(ctx, node, "%lld times as many pixels", (long long)*r);
  }
  for (uint32_t d = n - 2; d < n; d++) {
    s->d[n - 3] = up ? s->d[n - 3] / *r : spi_mul(ctx, node, s->d[n - 3], *r);
    s->d[d] = up ? spi_mul(ctx, node, s->d[d], *r) : s->d[d] / *r;
  }
}

static void pixel_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  spi_dims s;
  int64_t r;
  pixel_dims(ctx, program, node, &s, &r);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr pixel_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  spi_dims s;
  int64_t r;
  pixel_dims(spi_call_ctx(call), call->program, call->node, &s, &r);
  sp_expr at[SP_MAX_DIMS] = {{0}};
  memcpy(at, idx, s.n * sizeof *at);
  sp_expr *c = &at[s.n - 3], *h = &at[s.n - 2], *w = &at[s.n - 1];
  if (strstr(call->node->op, "unshuffle")) {
    sp_expr rest = sp_imod(p, *c, r * r);
    *h = sp_iadd(p, sp_iscale(p, *h, r), sp_idiv(p, rest, r));
    *w = sp_iadd(p, sp_iscale(p, *w, r), sp_imod(p, rest, r));
    *c = sp_idiv(p, *c, r * r);
  } else {
    *c = sp_iadd(
        p, sp_iscale(p, *c, r * r),
        sp_iadd(p, sp_iscale(p, sp_imod(p, *h, r), r), sp_imod(p, *w, r)));
    *h = sp_idiv(p, *h, r);
    *w = sp_idiv(p, *w, r);
  }
  return spi_arg_read(call, "self", at);
}

/* ---- rows ---- */

#define PLACE "int offset=0, int dim1=0, int dim2=1"

SPI_ATEN(diagonal, "Tensor self, " PLACE, take_shape, take_element,
         "out[.., i] = a[.., i, .., i + offset, ..]",
         SPI_NAMES("diagonal", "default"), "aten.diagonal_copy.default")
SPI_ATEN(diagonal_scatter, "Tensor self, Tensor src, " PLACE, scatter_shape,
         scatter_element, "a with its diagonal replaced by src",
         "aten.diagonal_scatter.default")
SPI_ATEN(diagonal_backward,
         "Tensor self, int[] input_sizes, int offset, int dim1, int dim2",
         embed_shape, embed_element, "g on the diagonal, 0 elsewhere",
         "aten.diagonal_backward.default")
SPI_ATEN(diag_embed, "Tensor self, int offset=0, int dim1=-2, int dim2=-1",
         embed_shape, embed_element, "a on the diagonal, 0 elsewhere",
         SPI_NAMES("diag_embed", "default"))
SPI_ATEN(pixel_shuffle, "Tensor self, int factor", pixel_shape, pixel_element,
         "out[c, h, w] = a[c r r + (h mod r) r + w mod r, h div r, w div r]",
         "aten.pixel_shuffle.default", "torch.pixel_shuffle",
         "torch.nn.functional.pixel_shuffle")
SPI_ATEN(pixel_unshuffle, "Tensor self, int factor", pixel_shape, pixel_element,
         "out[c, h, w] = a[c div r r, h r + (c div r) mod r, w r + c mod r]",
         "aten.pixel_unshuffle.default", "torch.pixel_unshuffle",
         "torch.nn.functional.pixel_unshuffle")

extern const sp_op *const sp_ops_aten_diagonal[];
const sp_op *const sp_ops_aten_diagonal[] = {
    &diagonal_row,
    &diagonal_scatter_row,
    &diagonal_backward_row,
    &diag_embed_row,
    &pixel_shuffle_row,
    &pixel_unshuffle_row,
    NULL,
};
