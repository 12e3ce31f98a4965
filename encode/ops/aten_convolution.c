/* aten_convolution.c: convolution over any number of dimensions, with groups:
 *   out[n, o, x] = sum over c, k of a[n, group * C + c, x * stride + k *
 *                  dilation - padding] * w[o, c, k] + bias[o]
 * zero outside a; C is w's second size, the group that of o. */
#include "encode/aten_util.h"

typedef struct convolution {
  const sp_shape *a, *w;
  uint32_t n; /* spatial dimensions */
  int64_t groups;
  sp_window_dim window[SP_MAX_DIMS];
} convolution;

static int64_t entry(sp_ctx *ctx, const sp_node *node, const char *name,
                     uint32_t d, uint32_t n) {
  uint32_t count;
  const int64_t *v = spi_arg_ints(ctx, node, name, &count);
  if (count != 1 && count != n) {
    spi_bad(ctx, node, "%s has %u numbers for %u dimensions", name, count, n);
  }
  return v[count == 1 ? 0 : d];
}

static convolution convolution_of(sp_ctx *ctx, const sp_program *program,
                                  const sp_node *node) {
  convolution c = {.a = spi_arg_shape(ctx, program, node, "self"),
                   .w = spi_arg_shape(ctx, program, node, "weight")};
  if (c.w->n_dims < 3 || c.a->n_dims != c.w->n_dims) {
    spi_unknown(ctx, node, "operands of %u and %u dimensions", c.a->n_dims,
                c.w->n_dims);
  }
  c.n = c.w->n_dims - 2;
  c.groups = spi_arg_int(ctx, node, "groups");
  if (c.groups < 1 || c.w->dims[0] % c.groups != 0 ||
      c.a->dims[1] != spi_mul(ctx, node, c.w->dims[1], c.groups)) {
    spi_bad(ctx, node, "%lld groups", (long long)c.groups);
  }
  for (uint32_t d = 0; d < c.n; d++) {
    int64_t pad = entry(ctx, node, "padding", d, c.n);
    c.window[d] = (sp_window_dim){
        .size = c.w->dims[2 + d],
        .stride = entry(ctx, node, "stride", d, c.n),
        .pad_low = pad,
        .pad_high = pad,
        .window_dilation = entry(ctx, node, "dilation", d, c.n),
        .base_dilation = 1,
    };
  }
  return c;
}

static void convolution_shape(sp_ctx *ctx, const sp_program *program,
                              const sp_node *node) {
  convolution c = convolution_of(ctx, program, node);
  spi_dims s = {.n = 2, .d = {c.a->dims[0], c.w->dims[0]}};
  for (uint32_t d = 0; d < c.n; d++) {
    spi_dims_push(ctx, node, &s,
                  spi_window_out(ctx, node, &c.window[d], c.a->dims[2 + d]));
  }
  int64_t bias = spi_arg_operand(node, "bias");
  if (bias >= 0) {
    spi_expect_operand(ctx, program, node, (uint32_t)bias, 1, c.w->dims);
  }
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

static sp_expr convolution_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  convolution c = convolution_of(spi_call_ctx(call), call->program, call->node);
  sp_expr vars[SP_MAX_DIMS], ia[SP_MAX_DIMS], iw[SP_MAX_DIMS];
  sp_expr inside = sp_bool(p, true);
  int64_t width = c.w->dims[0] / c.groups; /* results of a group */
  vars[0] = sp_fresh(p, c.w->dims[1]);
  ia[0] = idx[0];
  sp_expr group = width ? sp_idiv(p, idx[1], width) : sp_int(p, 0);
  ia[1] = sp_iadd(p, sp_iscale(p, group, c.w->dims[1]), vars[0]);
  iw[0] = idx[1];
  iw[1] = vars[0];
  for (uint32_t d = 0; d < c.n; d++) {
    iw[2 + d] = vars[1 + d] = sp_fresh(p, c.window[d].size);
    ia[2 + d] = spi_window_at(p, &c.window[d], idx[2 + d], vars[1 + d],
                              c.a->dims[2 + d], &inside);
  }
  sp_expr body = sp_mul(p, spi_arg_read(call, "self", ia),
                        spi_arg_read(call, "weight", iw));
  body = sp_ite(p, inside, body, sp_real_i64(p, 0));
  sp_expr e = spi_sum(call, 1 + c.n, vars, body);
  if (spi_arg_operand(call->node, "bias") >= 0) {
    e = sp_add(p, e, spi_arg_read(call, "bias", &idx[1]));
  }
  return e;
}

#define OPERANDS "Tensor self, Tensor weight, Tensor? bias, "

SPI_ATEN(convolution,
         OPERANDS "int[] stride, int[] padding, int[] dilation, "
                  "bool transposed=False!, any output_padding, int groups",
         convolution_shape, convolution_element,
         "out[n, o, x] = sum over c, k of a[n, c, x * stride + k - padding] * "
         "w[o, c, k] + bias[o]",
         "aten.convolution.default")
SPI_ATEN(conv,
         OPERANDS "int[] stride=[1], int[] padding=[0], int[] dilation=[1], "
                  "int groups=1",
         convolution_shape, convolution_element,
         "out[n, o, x] = sum over c, k of a[n, c, x * stride + k - padding] * "
         "w[o, c, k] + bias[o]",
         "aten.conv1d.default", "aten.conv2d.default", "aten.conv3d.default",
         "torch.conv1d", "torch.conv2d", "torch.conv3d",
         "torch.nn.functional.conv1d", "torch.nn.functional.conv2d",
         "torch.nn.functional.conv3d")

extern const sp_op *const sp_ops_aten_convolution[];
const sp_op *const sp_ops_aten_convolution[] = {
    &convolution_row,
    &conv_row,
    NULL,
};
