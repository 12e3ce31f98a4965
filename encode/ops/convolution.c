/* convolution.c: out[b, f, x] = sum over c, k of
 *   in[b', g * C + c, x * stride + k * dilation - pad_low] * kernel[c, f, k']
 * with C input features a group, k' = k or reversed. base_dilation spreads the
 * input out (holes are zero), window_dilation the kernel. With
 * feature_group_count G, output features come in G blocks and block g uses
 * block g of the input features; with batch_group_count B, block g of the
 * output features uses block g of the batch. */
#include "encode/op_util.h"

typedef struct conv_dims {
  uint32_t n; /* spatial dimensions */
  const int64_t *in, *kernel, *out;
  const sp_window_dim *window;
  int64_t feature_groups, batch_groups;
} conv_dims;

static conv_dims dims_of(const sp_node *node) {
  conv_dims c;
  uint32_t n;
  c.in = spi_ints(node, "conv_input", &n);
  c.kernel = spi_ints(node, "conv_kernel", &n);
  c.out = spi_ints(node, "conv_output", &n);
  c.n = n >= 2 ? n - 2 : 0;
  c.window = spi_attr_window(node, &n);
  c.feature_groups = spi_attr_int(node, "feature_group_count", 1);
  c.batch_groups = spi_attr_int(node, "batch_group_count", 1);
  return c;
}

static void check_numbers(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  static const char *const names[3] = {"conv_input", "conv_kernel",
                                       "conv_output"};
  uint32_t n, n_dims = spi_in(program, node, 0)->n_dims;
  const sp_shape *shapes[3] = {spi_in(program, node, 0),
                               spi_in(program, node, 1),
                               spi_out(program, node, 0)};
  for (int k = 0; k < 3; k++) {
    spi_ints(node, names[k], &n);
    if (n != n_dims || n < 2 || shapes[k]->n_dims != n_dims) {
      spi_bad(ctx, node, "%s numbers %u dimensions of %u", names[k], n,
              shapes[k]->n_dims);
    }
    spi_check_dims(ctx, node, names[k], n_dims);
  }
  spi_attr_window(node, &n);
  if (n != n_dims - 2) {
    spi_bad(ctx, node, "a window of %u dimensions for %u", n, n_dims - 2);
  }
}

static void check_size(sp_ctx *ctx, const sp_node *node, const char *what,
                       int64_t size, int64_t expected) {
  if (size != expected) {
    spi_bad(ctx, node, "%s is %lld, %lld expected", what, (long long)size,
            (long long)expected);
  }
}

static void convolution_shape(sp_ctx *ctx, const sp_program *program,
                              const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  check_numbers(ctx, program, node);
  const sp_shape *a = spi_in(program, node, 0), *w = spi_in(program, node, 1);
  const sp_shape *r = spi_out(program, node, 0);
  conv_dims c = dims_of(node);
  int64_t fg = c.feature_groups, bg = c.batch_groups;
  int64_t batch = a->dims[c.in[0]], features = a->dims[c.in[1]];
  int64_t in = w->dims[c.kernel[0]], out = w->dims[c.kernel[1]];
  if (fg < 1 || bg < 1 || (fg > 1 && bg > 1)) {
    spi_bad(ctx, node, "%lld feature groups and %lld batch groups",
            (long long)fg, (long long)bg);
  }
  if (features % fg || out % fg || out % bg || batch % bg) {
    spi_bad(ctx, node, "features or batch are not divisible by their groups");
  }
  check_size(ctx, node, "the kernel's input feature dimension", in,
             features / fg);
  check_size(ctx, node, "the batch of the result", r->dims[c.out[0]],
             batch / bg);
  check_size(ctx, node, "the feature dimension of the result",
             r->dims[c.out[1]], out);
  for (uint32_t k = 0; k < c.n; k++) {
    check_size(ctx, node, "the window", c.window[k].size,
               w->dims[c.kernel[2 + k]]);
    int64_t size =
        spi_window_out(ctx, node, &c.window[k], a->dims[c.in[2 + k]]);
    check_size(ctx, node, "a spatial dimension of the result",
               r->dims[c.out[2 + k]], size);
  }
  sp_sort sort = sp_dtype_sort(r->dtype);
  if (sort == SP_SORT_BOOL || sp_dtype_sort(a->dtype) != sort ||
      sp_dtype_sort(w->dtype) != sort) {
    spi_unknown(ctx, node, "%s times %s gives %s", sp_dtype_name(a->dtype),
                sp_dtype_name(w->dtype), sp_dtype_name(r->dtype));
  }
}

static sp_expr convolution_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_shape *a = sp_call_shape(call, 0), *w = sp_call_shape(call, 1);
  conv_dims c = dims_of(call->node);
  sp_dtype t = spi_out_dtype(call);
  sp_expr vars[SP_MAX_DIMS], i[SP_MAX_DIMS] = {{0}}, k[SP_MAX_DIMS] = {{0}};
  sp_expr inside = sp_bool(p, true);
  sp_expr b = idx[c.out[0]], f = idx[c.out[1]];
  int64_t out = w->dims[c.kernel[1]], in = w->dims[c.kernel[0]];
  if (sp_shape_elements(sp_call_result_shape(call)) == 0) {
    return spi_zero(p, sp_dtype_sort(t));
  }
  vars[0] = sp_fresh(p, in);
  k[c.kernel[0]] = vars[0];
  k[c.kernel[1]] = f;
  i[c.in[0]] = b;
  i[c.in[1]] = vars[0];
  if (c.feature_groups > 1) {
    sp_expr g = sp_idiv(p, f, out / c.feature_groups);
    i[c.in[1]] = sp_iadd(p, sp_iscale(p, g, in), vars[0]);
  }
  if (c.batch_groups > 1) {
    sp_expr g = sp_idiv(p, f, out / c.batch_groups);
    int64_t batch = a->dims[c.in[0]] / c.batch_groups;
    i[c.in[0]] = sp_iadd(p, sp_iscale(p, g, batch), b);
  }
  for (uint32_t d = 0; d < c.n; d++) {
    const sp_window_dim *q = &c.window[d];
    sp_expr v = sp_fresh(p, q->size);
    vars[1 + d] = v;
    k[c.kernel[2 + d]] =
        q->reversal ? sp_isub(p, sp_int(p, q->size - 1), v) : v;
    i[c.in[2 + d]] = spi_window_at(p, q, idx[c.out[2 + d]], v,
                                   a->dims[c.in[2 + d]], &inside);
  }
  sp_expr body = sp_mul(p, sp_call_read(call, 0, i), sp_call_read(call, 1, k));
  body = sp_ite(p, inside, body, spi_zero(p, sp_dtype_sort(t)));
  return spi_red(call, SP_REDUCER_SUM, t, 1 + c.n, vars, body);
}

static const sp_op_attr convolution_attrs[] = {
    {"window", SP_ATTR_WINDOW, false, false},
    {"conv_input", SP_ATTR_INTS, true, false},
    {"conv_kernel", SP_ATTR_INTS, true, false},
    {"conv_output", SP_ATTR_INTS, true, false},
    {"feature_group_count", SP_ATTR_INT, false, false},
    {"batch_group_count", SP_ATTR_INT, false, false},
    /* how to round, and what the backend noted */
    {"operand_precision", SP_ATTR_TEXT, false, true},
    {"backend_config", SP_ATTR_TEXT, false, true},
    {0},
};
static const char *const convolution_spellings[] = {"hlo:convolution", NULL};
static const sp_op convolution_row = {
    .name = "convolution",
    .spellings = convolution_spellings,
    .attrs = convolution_attrs,
    .min_operands = 2,
    .max_operands = 2,
    .shape = convolution_shape,
    .element = convolution_element,
    .meaning = "out[b, f, x] = sum over c, k of in[b, c, x * stride + k - pad] "
               "* kernel[c, f, k]",
};

extern const sp_op *const sp_ops_convolution[];
const sp_op *const sp_ops_convolution[] = {
    &convolution_row,
    NULL,
};
