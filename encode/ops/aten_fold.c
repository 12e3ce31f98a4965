/* aten_fold.c: the windows of an image as columns, and the sum of columns as an
 * image (torch.nn.functional.unfold and fold).
 *
 * An image [N, C, H, W] has windows at (y, x); element (i, j) of the window at
 * (u, v) is at y = u * stride + i * dilation - padding, x alike. The columns
 * [N, C kh kw, L] have (c, i, j) and (u, v) as one index each. One sample may
 * come without N. */
#include "encode/aten_util.h"

#include <string.h>

typedef struct fold {
  sp_pool *p;
  uint32_t lead; /* 1 with N */
  int64_t channels, size[2], windows[2];
  sp_window_dim w[2];
} fold;

/* From the sizes of the image and the arguments. */
static fold fold_of(sp_ctx *ctx, const sp_program *program,
                    const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  bool sums = strstr(sp_op_find(node->op)->params, "output_size") != NULL;
  fold f = {.lead = a->n_dims == (sums ? 3 : 4)};
  if (a->n_dims != (sums ? 2u : 3u) + f.lead) {
    spi_bad(ctx, node, "%u dimensions", a->n_dims);
  }
  int64_t kernel = 1;
  for (uint32_t d = 0; d < 2; d++) {
    int64_t pad = spi_arg_entry(ctx, node, "padding", d, 2);
    f.size[d] = sums ? spi_arg_entry(ctx, node, "output_size", d, 2)
                     : a->dims[f.lead + 1 + d];
    f.w[d] = (sp_window_dim){
        .size = spi_arg_entry(ctx, node, "kernel_size", d, 2),
        .stride = spi_arg_entry(ctx, node, "stride", d, 2),
        .pad_low = pad,
        .pad_high = pad,
        .window_dilation = spi_arg_entry(ctx, node, "dilation", d, 2),
        .base_dilation = 1,
    };
    if (pad < 0 || f.size[d] < 1 || f.size[d] >= SP_MAX_ELEMENTS) {
      spi_bad(ctx, node, "padding %lld of size %lld", (long long)pad,
              (long long)f.size[d]);
    }
    f.windows[d] = spi_window_out(ctx, node, &f.w[d], f.size[d]);
    kernel = spi_mul(ctx, node, kernel, f.w[d].size);
  }
  int64_t c = a->dims[f.lead];
  if (sums &&
      (c % kernel != 0 ||
       a->dims[f.lead + 1] != spi_mul(ctx, node, f.windows[0], f.windows[1]))) {
    spi_bad(ctx, node, "columns that are no windows");
  }
  f.channels = sums ? c / kernel : c;
  return f;
}

static spi_dims start(const fold *f, const sp_shape *a) {
  spi_dims s = {.n = f->lead};
  s.d[0] = a->dims[0];
  return s;
}

static void columns_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  fold f = fold_of(ctx, program, node);
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  spi_dims s = start(&f, a);
  int64_t kernel = spi_mul(ctx, node, f.w[0].size, f.w[1].size);
  spi_dims_push(ctx, node, &s, spi_mul(ctx, node, f.channels, kernel));
  spi_dims_push(ctx, node, &s, spi_mul(ctx, node, f.windows[0], f.windows[1]));
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static void image_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  fold f = fold_of(ctx, program, node);
  spi_dims s = start(&f, spi_arg_shape(ctx, program, node, "self"));
  spi_dims_push(ctx, node, &s, f.channels);
  spi_dims_push(ctx, node, &s, f.size[0]);
  spi_dims_push(ctx, node, &s, f.size[1]);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

static fold begin(const sp_call *call) {
  fold f = fold_of(spi_call_ctx(call), call->program, call->node);
  f.p = call->pool;
  return f;
}

static sp_expr columns_element(const sp_call *call, const sp_expr *idx) {
  fold f = begin(call);
  sp_pool *p = f.p;
  const int64_t kernel[3] = {f.channels, f.w[0].size, f.w[1].size};
  sp_expr ck[3], uv[2], at[4] = {{0}}, inside = sp_bool(p, true);
  sp_unflatten(p, idx[f.lead], 3, kernel, ck);
  sp_unflatten(p, idx[f.lead + 1], 2, f.windows, uv);
  at[0] = idx[0];
  at[f.lead] = ck[0];
  for (uint32_t d = 0; d < 2; d++) {
    at[f.lead + 1 + d] =
        spi_window_at(p, &f.w[d], uv[d], ck[1 + d], f.size[d], &inside);
  }
  sp_expr e = spi_arg_read(call, "self", at);
  return sp_ite(p, inside, e, spi_zero(p, sp_sort_of(p, e)));
}

/* The sum over the elements of windows that are at this place. */
static sp_expr image_element(const sp_call *call, const sp_expr *idx) {
  fold f = begin(call);
  sp_pool *p = f.p;
  const int64_t kernel[3] = {f.channels, f.w[0].size, f.w[1].size};
  sp_expr ck[3], uv[2], at[3] = {{0}}, inside = sp_bool(p, true);
  ck[0] = idx[f.lead];
  for (uint32_t d = 0; d < 2; d++) {
    const sp_window_dim *w = &f.w[d];
    ck[1 + d] = sp_fresh(p, w->size);
    sp_expr v = sp_isub(p, sp_iaddc(p, idx[f.lead + 1 + d], w->pad_low),
                        sp_iscale(p, ck[1 + d], w->window_dilation));
    if (w->stride > 1) {
      sp_expr rest = sp_imod(p, v, w->stride);
      inside = sp_and(p, inside, sp_eq(p, rest, sp_int(p, 0)));
      v = sp_idiv(p, v, w->stride);
    }
    inside = sp_and(p, inside, spi_inside(p, v, f.windows[d]));
    uv[d] = v;
  }
  at[0] = idx[0];
  at[f.lead] = sp_flatten(p, 3, kernel, ck);
  at[f.lead + 1] = sp_flatten(p, 2, f.windows, uv);
  sp_expr e =
      sp_ite(p, inside, spi_arg_read(call, "self", at), sp_real_i64(p, 0));
  return spi_sum(call, 2, &ck[1], e);
}

SPI_ATEN(im2col,
         "Tensor self, int[] kernel_size, int[] dilation, int[] padding, "
         "int[] stride",
         columns_shape, columns_element,
         "out[(c, i, j), (u, v)] = a[c, u * stride + i - padding, ..]",
         "aten.im2col.default")
SPI_ATEN(col2im,
         "Tensor self, int[] output_size, int[] kernel_size, int[] dilation, "
         "int[] padding, int[] stride",
         image_shape, image_element,
         "out[c, y, x] = sum of the a[(c, i, j), (u, v)] that are there",
         "aten.col2im.default")
SPI_ATEN(unfold_function,
         "Tensor self, int[] kernel_size, int[] dilation=[1], "
         "int[] padding=[0], int[] stride=[1]",
         columns_shape, columns_element,
         "out[(c, i, j), (u, v)] = a[c, u * stride + i - padding, ..]",
         "torch.nn.functional.unfold")

extern const sp_op *const sp_ops_aten_fold[];
const sp_op *const sp_ops_aten_fold[] = {
    &im2col_row,
    &col2im_row,
    &unfold_function_row,
    NULL,
};
