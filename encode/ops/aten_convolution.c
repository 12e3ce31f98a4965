/* aten_convolution.c: convolution over any number of dimensions, with groups,
 * transposed, and gradients.
 *
 * All of them are three formulas over one geometry. A convolution relates a
 * small tensor s[n, o, x], a large one l[n, c, y] and weights w[o, c, k] at
 *   y = x * stride + k * dilation - padding,  y inside of l,
 * where o and c are of the same group, and w's c counts within the group:
 *   down:   s = sum over c, k of l w       the convolution
 *   up:     l = sum over o, k of s w       its gradient, or transposed
 *   weight: w = sum over n, x of s l
 * In a transposed convolution self is the small one. */
#include "encode/aten_util.h"

#include <string.h>

typedef struct convolution {
  const sp_shape *w;
  spi_dims s, l;
  uint32_t n;                       /* spatial dimensions */
  int64_t groups, s_width, l_width; /* channels of a group */
  bool transposed;
  sp_window_dim window[SP_MAX_DIMS]; /* over l */
} convolution;

/* ---- geometry ---- */

/* The size of l that s is made from, in a transposed convolution. */
static int64_t large_size(sp_ctx *ctx, const sp_node *node,
                          const sp_window_dim *w, int64_t s, int64_t more) {
  int64_t limit = SP_MAX_ELEMENTS;
  if (s < 1 || s > limit || w->size < 1 || w->size > limit || w->stride < 1 ||
      w->stride > limit || w->window_dilation < 1 ||
      w->window_dilation > limit || w->pad_low < 0 || w->pad_low > limit ||
      more < 0 || (more >= w->stride && more >= w->window_dilation)) {
    spi_bad(ctx, node, "a transposed convolution of size %lld", (long long)s);
  }
  int64_t size = spi_mul(ctx, node, s - 1, w->stride) +
                 spi_mul(ctx, node, w->size - 1, w->window_dilation) -
                 2 * w->pad_low + more + 1;
  if (size < 1) {
    spi_bad(ctx, node, "the result has size %lld", (long long)size);
  }
  return size;
}

static void spatial(sp_ctx *ctx, const sp_node *node, convolution *c,
                    const sp_shape *a) {
  spi_dims *other = c->transposed ? &c->l : &c->s;
  for (uint32_t d = 0; d < c->n; d++) {
    int64_t pad = spi_arg_entry(ctx, node, "padding", d, c->n);
    sp_window_dim *w = &c->window[d];
    *w = (sp_window_dim){
        .size = c->w->dims[2 + d],
        .stride = spi_arg_entry(ctx, node, "stride", d, c->n),
        .pad_low = pad,
        .pad_high = pad,
        .window_dilation = spi_arg_entry(ctx, node, "dilation", d, c->n),
        .base_dilation = 1,
    };
    spi_dims_push(
        ctx, node, other,
        c->transposed
            ? large_size(ctx, node, w, a->dims[2 + d],
                         spi_arg_entry(ctx, node, "output_padding", d, c->n))
            : spi_window_out(ctx, node, w, a->dims[2 + d]));
  }
}

static convolution convolution_of(sp_ctx *ctx, const sp_program *program,
                                  const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  convolution c = {.w = spi_arg_shape(ctx, program, node, "weight")};
  if (c.w->n_dims < 3 || a->n_dims != c.w->n_dims) {
    spi_unknown(ctx, node, "operands of %u and %u dimensions", a->n_dims,
                c.w->n_dims);
  }
  c.n = c.w->n_dims - 2;
  c.transposed = spi_arg_bool(ctx, node, "transposed");
  c.groups = spi_arg_int(ctx, node, "groups");
  int64_t o = c.w->dims[0];
  if (c.groups < 1 || o % c.groups != 0) {
    spi_bad(ctx, node, "%lld groups", (long long)c.groups);
  }
  c.s_width = o / c.groups;
  c.l_width = c.w->dims[1];
  int64_t channels = spi_mul(ctx, node, c.l_width, c.groups);
  if (a->dims[1] != (c.transposed ? o : channels)) {
    spi_bad(ctx, node, "%lld channels, %lld groups", (long long)a->dims[1],
            (long long)c.groups);
  }
  c.s = c.l = (spi_dims){.n = 2, .d = {a->dims[0], o}};
  c.l.d[1] = channels;
  *(c.transposed ? &c.s : &c.l) = spi_dims_of(a);
  spatial(ctx, node, &c, a);
  return c;
}

static const spi_dims *result_of(const convolution *c) {
  return c->transposed ? &c->l : &c->s;
}

static void convolution_shape(sp_ctx *ctx, const sp_program *program,
                              const sp_node *node) {
  convolution c = convolution_of(ctx, program, node);
  const spi_dims *s = result_of(&c);
  int64_t bias = spi_arg_operand(node, "bias");
  if (bias >= 0) {
    spi_expect_operand(ctx, program, node, (uint32_t)bias, 1, &s->d[1]);
  }
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, s, SP_SORT_REAL);
}

/* Gradients of self, weight and bias; those that output_mask leaves out are
 * None, and nobody can use them. */
static void backward_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  convolution c = convolution_of(ctx, program, node);
  const spi_dims *r = result_of(&c);
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "grad_output"), r->n,
                     r->d);
  uint32_t n;
  const int64_t *mask = spi_arg_ints(ctx, node, "output_mask", &n);
  spi_dims self = c.transposed ? c.s : c.l, w = spi_dims_of(c.w);
  spi_dims bias = {.n = 1, .d = {r->d[1]}};
  const spi_dims *dims[] = {&self, &w, &bias};
  spi_results(ctx, node, 3);
  for (uint32_t k = 0; k < 3; k++) {
    if (n != 3 || (k < node->n_out && !mask[k] &&
                   spi_out(program, node, k)->dtype != SP_DTYPE_INVALID)) {
      spi_bad(ctx, node, "output_mask says that result %u is None", k);
    }
    spi_yields(ctx, program, node, k, dims[k], SP_SORT_REAL);
  }
}

/* ---- the three sums ---- */

typedef struct sum {
  const sp_call *call;
  sp_pool *p;
  convolution c;
  const char *s, *l, *w; /* names of the arguments */
  uint32_t n;
  sp_expr vars[SP_MAX_DIMS], is[SP_MAX_DIMS], il[SP_MAX_DIMS], iw[SP_MAX_DIMS];
  sp_expr inside;
} sum;

static sum begin(const sp_call *call) {
  sum s = {.call = call, .p = call->pool, .s = "self", .l = "self"};
  s.c = convolution_of(spi_call_ctx(call), call->program, call->node);
  s.w = "weight";
  s.inside = sp_bool(s.p, true);
  return s;
}

static sp_expr variable(sum *s, int64_t extent) {
  return s->vars[s->n++] = sp_fresh(s->p, extent);
}

/* Channel c of a group of one side: that of the group in the other. */
static sp_expr in_group_of(sum *s, sp_expr channel, int64_t width, sp_expr c,
                           int64_t other) {
  sp_expr group = width ? sp_idiv(s->p, channel, width) : sp_int(s->p, 0);
  return sp_iadd(s->p, sp_iscale(s->p, group, other), c);
}

/* y of x and k: il from is and iw. */
static void place(sum *s) {
  for (uint32_t d = 2; d < 2 + s->c.n; d++) {
    s->il[d] = spi_window_at(s->p, &s->c.window[d - 2], s->is[d], s->iw[d],
                             s->c.l.d[d], &s->inside);
  }
}

static sp_expr total(sum *s, const char *a, const sp_expr *ia, const char *b,
                     const sp_expr *ib) {
  sp_expr body =
      sp_mul(s->p, spi_arg_read(s->call, a, ia), spi_arg_read(s->call, b, ib));
  body = sp_ite(s->p, s->inside, body, sp_real_i64(s->p, 0));
  return spi_sum(s->call, s->n, s->vars, body);
}

static sp_expr down(sum *s, const sp_expr *idx) {
  memcpy(s->is, idx, (2 + s->c.n) * sizeof *idx);
  s->il[0] = idx[0];
  s->iw[0] = idx[1];
  s->iw[1] = variable(s, s->c.l_width);
  s->il[1] = in_group_of(s, idx[1], s->c.s_width, s->iw[1], s->c.l_width);
  for (uint32_t d = 2; d < 2 + s->c.n; d++) {
    s->iw[d] = variable(s, s->c.w->dims[d]);
  }
  place(s);
  return total(s, s->l, s->il, s->w, s->iw);
}

/* x = (y + padding - k * dilation) / stride, where that is a position of s */
static sp_expr up(sum *s, const sp_expr *idx) {
  sp_pool *p = s->p;
  int64_t width = s->c.l_width;
  s->is[0] = idx[0];
  sp_expr o = variable(s, s->c.s_width);
  s->is[1] = s->iw[0] = in_group_of(s, idx[1], width, o, s->c.s_width);
  s->iw[1] = width ? sp_imod(p, idx[1], width) : sp_int(p, 0);
  for (uint32_t d = 2; d < 2 + s->c.n; d++) {
    const sp_window_dim *w = &s->c.window[d - 2];
    s->iw[d] = variable(s, w->size);
    sp_expr v = sp_isub(p, sp_iaddc(p, idx[d], w->pad_low),
                        sp_iscale(p, s->iw[d], w->window_dilation));
    if (w->stride > 1) {
      sp_expr rest = sp_imod(p, v, w->stride);
      s->inside = sp_and(p, s->inside, sp_eq(p, rest, sp_int(p, 0)));
      v = sp_idiv(p, v, w->stride);
    }
    s->is[d] = v;
    s->inside = sp_and(p, s->inside, spi_inside(p, v, s->c.s.d[d]));
  }
  return total(s, s->s, s->is, s->w, s->iw);
}

static sp_expr weight(sum *s, const sp_expr *idx) {
  memcpy(s->iw, idx, (2 + s->c.n) * sizeof *idx);
  s->is[0] = s->il[0] = variable(s, s->c.s.d[0]);
  s->is[1] = idx[0];
  s->il[1] = in_group_of(s, idx[0], s->c.s_width, idx[1], s->c.l_width);
  for (uint32_t d = 2; d < 2 + s->c.n; d++) {
    s->is[d] = variable(s, s->c.s.d[d]);
  }
  place(s);
  return total(s, s->s, s->is, s->l, s->il);
}

static sp_expr convolution_element(const sp_call *call, const sp_expr *idx) {
  sum s = begin(call);
  sp_expr e = s.c.transposed ? up(&s, idx) : down(&s, idx);
  if (spi_arg_operand(call->node, "bias") >= 0) {
    e = sp_add(call->pool, e, spi_arg_read(call, "bias", &idx[1]));
  }
  return e;
}

/* The sum of a channel's gradients. */
static sp_expr bias_gradient(sum *s, const sp_expr *idx) {
  const spi_dims *r = result_of(&s->c);
  sp_expr at[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < r->n; d++) {
    at[d] = d == 1 ? idx[0] : variable(s, r->d[d]);
  }
  return spi_sum(s->call, s->n, s->vars,
                 spi_arg_read(s->call, "grad_output", at));
}

static sp_expr backward_element(const sp_call *call, const sp_expr *idx) {
  sum s = begin(call);
  *(s.c.transposed ? &s.l : &s.s) = "grad_output";
  if (call->result == 0) {
    return s.c.transposed ? down(&s, idx) : up(&s, idx);
  }
  return call->result == 1 ? weight(&s, idx) : bias_gradient(&s, idx);
}

/* ---- rows ---- */

#define OPERANDS "Tensor self, Tensor weight, Tensor? bias, "
#define FORWARD                                                                \
  "out[n, o, x] = sum over c, k of a[n, c, x * stride + k - padding] * "       \
  "w[o, c, k] + bias[o]"
#define TRANSPOSED                                                             \
  "out[n, c, x * stride + k - padding] = sum over o, k of a[n, o, x] * "       \
  "w[o, c, k] + bias[c]"

SPI_ATEN(convolution,
         OPERANDS "int[] stride, int[] padding, int[] dilation, "
                  "bool transposed, int[] output_padding, int groups",
         convolution_shape, convolution_element, FORWARD "; or transposed",
         "aten.convolution.default")
SPI_ATEN(conv,
         OPERANDS "int[] stride=[1], int[] padding=[0], int[] dilation=[1], "
                  "int groups=1, bool transposed=False!",
         convolution_shape, convolution_element, FORWARD, "aten.conv1d.default",
         "aten.conv2d.default", "aten.conv3d.default", "torch.conv1d",
         "torch.conv2d", "torch.conv3d", "torch.nn.functional.conv1d",
         "torch.nn.functional.conv2d", "torch.nn.functional.conv3d")
SPI_ATEN(conv_transpose,
         OPERANDS "int[] stride=[1], int[] padding=[0], "
                  "int[] output_padding=[0], int groups=1, "
                  "int[] dilation=[1], bool transposed=True!",
         convolution_shape, convolution_element, TRANSPOSED,
         "aten.conv_transpose1d.default", "aten.conv_transpose2d.input",
         "aten.conv_transpose3d.input", "torch.conv_transpose1d",
         "torch.conv_transpose2d", "torch.conv_transpose3d",
         "torch.nn.functional.conv_transpose1d",
         "torch.nn.functional.conv_transpose2d",
         "torch.nn.functional.conv_transpose3d")
SPI_ATEN(convolution_backward,
         "Tensor grad_output, Tensor self, Tensor weight, any? bias_sizes, "
         "int[] stride, int[] padding, int[] dilation, bool transposed, "
         "int[] output_padding, int groups, int[] output_mask",
         backward_shape, backward_element,
         "gradients of a convolution's input, weight and bias",
         "aten.convolution_backward.default")

extern const sp_op *const sp_ops_aten_convolution[];
const sp_op *const sp_ops_aten_convolution[] = {
    &convolution_row,          &conv_row, &conv_transpose_row,
    &convolution_backward_row, NULL,
};
