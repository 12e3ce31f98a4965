/* aten_resample.c: images of other sizes: nearest and linear interpolation,
 * padding by what is inside, pixels from channels; and gradients.
 *
 * Each of the last dimensions has a map from places of the result (O of them)
 * to places of self (I):
 *   nearest        floor(o I / O);  nearest-exact  floor((2 o + 1) I / 2 O)
 *   reflection     o - before, mirrored at the first and the last element
 *   replication    o - before, limited to the elements that there are
 * out[o] = a[map(o)]; the gradient at y is the sum of g[o] over map(o) == y.
 * PyTorch multiplies floats: where rounding would decide, a call is refused.
 * A scale factor must be O / I. Linear: between two neighbours, at
 * (o + 1/2) I / O - 1/2, or o (I - 1) / (O - 1) with align_corners. */
#include "encode/aten_util.h"

#include <math.h>
#include <string.h>

typedef enum kind { NEAREST, EXACT, REFLECT, REPLICATE } kind;

typedef struct resample {
  sp_pool *p;
  spi_dims in, out;
  uint32_t n, lead; /* dimensions that change, that are kept */
  kind kind;
  int64_t before[3];
} resample;

/* ---- geometry ---- */

static kind kind_of(const sp_node *node) {
  return strstr(node->op, "reflection")      ? REFLECT
         : strstr(node->op, "replication")   ? REPLICATE
         : strstr(node->op, "nearest_exact") ? EXACT
                                             : NEAREST;
}

/* The digit before "d" in the operator's name. */
static uint32_t dims_of(const sp_node *node) {
  const char *s = strstr(node->op, "1d");
  s = s ? s : strstr(node->op, "2d");
  return s ? (uint32_t)(*s - '0') : 3;
}

/* Pairs (before, after), the last dimension first. */
static void pad_sizes(sp_ctx *ctx, const sp_node *node, resample *r) {
  uint32_t n;
  const int64_t *pad = spi_arg_ints(ctx, node, "padding", &n);
  if (n != 2 * r->n) {
    spi_bad(ctx, node, "%u numbers to pad %u dimensions", n, r->n);
  }
  for (uint32_t d = 0; d < r->n; d++) {
    const int64_t *of = pad + 2 * (r->n - 1 - d);
    int64_t size = r->in.d[r->lead + d];
    int64_t most = r->kind == REFLECT ? size - 1 : SP_MAX_ELEMENTS;
    if (size < 1 || of[0] < 0 || of[1] < 0 || of[0] > most || of[1] > most) {
      spi_unknown(ctx, node, "%lld and %lld around %lld elements",
                  (long long)of[0], (long long)of[1], (long long)size);
    }
    r->before[d] = of[0];
    r->out.d[r->lead + d] = size + of[0] + of[1];
  }
}

/* The size of dimension d that is asked for, as it is or by its factor. */
static int64_t asked(sp_ctx *ctx, const sp_node *node, const resample *r,
                     uint32_t d) {
  int64_t in = r->in.d[r->lead + d];
  if (spi_arg_given(node, "output_size")) {
    return spi_arg_entry(ctx, node, "output_size", d, r->n);
  }
  uint32_t n;
  const double *v = spi_arg_floats(ctx, node, "scale_factors", &n);
  double size = v && n == r->n ? (double)in * v[d] : 0;
  if (size < 1 || size > (double)SP_MAX_ELEMENTS || size != floor(size)) {
    spi_unknown(ctx, node, "a size of the result that is no whole number");
  }
  return (int64_t)size;
}

/* The factor that is given for dimension d, or 0. */
static double factor_of(sp_ctx *ctx, const sp_node *node, const resample *r,
                        uint32_t d) {
  static const char *const names[][3] = {{"scales"},
                                         {"scales_h", "scales_w"},
                                         {"scales_d", "scales_h", "scales_w"}};
  const char *params = sp_op_find(node->op)->params;
  const char *name = names[r->n - 1][d];
  uint32_t n;
  const double *v = spi_arg_floats(ctx, node, "scale_factors", &n);
  if (v && n == r->n && !spi_arg_given(node, "output_size")) {
    return v[d];
  }
  return strstr(params, "Scalar? scales") && spi_arg_given(node, name)
             ? spi_arg_float(ctx, node, name)
             : 0;
}

/* Next to a size a factor must say the same. */
static void check_factors(sp_ctx *ctx, const sp_node *node, const resample *r) {
  for (uint32_t d = 0; d < r->n; d++) {
    double factor = factor_of(ctx, node, r, d);
    if (factor != 0 && factor * (double)r->in.d[r->lead + d] !=
                           (double)r->out.d[r->lead + d]) {
      spi_unknown(ctx, node, "a scale is not the ratio of sizes");
    }
  }
}

/* floor(o I / O), or with halves. */
static int64_t nearest(const resample *r, uint32_t d, int64_t o) {
  int64_t in = r->in.d[r->lead + d], out = r->out.d[r->lead + d];
  return r->kind == EXACT ? (2 * o + 1) * in / (2 * out) : o * in / out;
}

static void check_rounding(sp_ctx *ctx, const sp_node *node,
                           const resample *r) {
  enum { MOST = 1 << 20 };
  for (uint32_t d = 0; d < r->n; d++) {
    int64_t in = r->in.d[r->lead + d], out = r->out.d[r->lead + d];
    if (in < 1 || out < 1 || in > MOST || out > MOST) {
      spi_unknown(ctx, node, "%lld elements from %lld", (long long)out,
                  (long long)in);
    }
    double factor = factor_of(ctx, node, r, d);
    float scale = factor != 0 ? (float)(1 / factor) : (float)in / (float)out;
    float half = r->kind == EXACT ? 0.5F : 0;
    for (int64_t o = 0; o < out; o++) {
      if ((int64_t)floorf(((float)o + half) * scale) != nearest(r, d, o)) {
        spi_unknown(ctx, node, "rounding decides which element is nearest");
      }
    }
  }
}

static resample resample_of(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  resample r = {.n = dims_of(node), .kind = kind_of(node)};
  const char *params = sp_op_find(node->op)->params;
  r.in = strstr(params, "input_size")
             ? spi_arg_sizes(ctx, node, "input_size")
             : spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  bool pads = r.kind == REFLECT || r.kind == REPLICATE;
  if (r.in.n != r.n + 2 && !(pads && r.in.n == r.n + 1)) {
    spi_bad(ctx, node, "%u dimensions", r.in.n);
  }
  r.lead = r.in.n - r.n;
  r.out = r.in;
  if (pads) {
    pad_sizes(ctx, node, &r);
    return r;
  }
  for (uint32_t d = 0; d < r.n; d++) {
    r.out.d[r.lead + d] = asked(ctx, node, &r, d);
  }
  check_factors(ctx, node, &r);
  return r;
}

static resample begin(const sp_call *call) {
  resample r = resample_of(spi_call_ctx(call), call->program, call->node);
  r.p = call->pool;
  return r;
}

static void forward_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  resample r = resample_of(ctx, program, node);
  if (r.kind == NEAREST || r.kind == EXACT) {
    check_rounding(ctx, node, &r);
  }
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &r.out, "self");
}

static void backward_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  resample r = resample_of(ctx, program, node);
  if (r.kind == NEAREST || r.kind == EXACT) {
    check_rounding(ctx, node, &r);
  }
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "grad_output"), r.out.n,
                     r.out.d);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &r.in, SP_SORT_REAL);
}

/* ---- maps ---- */

static sp_expr source(const resample *r, uint32_t d, sp_expr o) {
  sp_pool *p = r->p;
  int64_t in = r->in.d[r->lead + d], out = r->out.d[r->lead + d];
  sp_expr end = sp_int(p, in - 1), zero = sp_int(p, 0);
  sp_expr j = sp_iaddc(p, o, -r->before[d]);
  switch (r->kind) {
  case NEAREST:
    return sp_idiv(p, sp_iscale(p, o, in), out);
  case EXACT:
    return sp_idiv(p, sp_iaddc(p, sp_iscale(p, o, 2 * in), in), 2 * out);
  case REFLECT:
    j = sp_ite(p, sp_lt(p, j, zero), sp_iscale(p, j, -1), j);
    return sp_ite(p, sp_lt(p, end, j),
                  sp_iaddc(p, sp_iscale(p, j, -1), 2 * (in - 1)), j);
  case REPLICATE:
    break;
  }
  return sp_clamp(p, j, zero, end);
}

static sp_expr forward_element(const sp_call *call, const sp_expr *idx) {
  resample r = begin(call);
  sp_expr at[SP_MAX_DIMS] = {{0}};
  memcpy(at, idx, r.lead * sizeof *at);
  for (uint32_t d = 0; d < r.n; d++) {
    at[r.lead + d] = source(&r, d, idx[r.lead + d]);
  }
  return spi_arg_read(call, "self", at);
}

static sp_expr backward_element(const sp_call *call, const sp_expr *idx) {
  resample r = begin(call);
  sp_pool *p = r.p;
  sp_expr vars[3], at[SP_MAX_DIMS] = {{0}}, hit = sp_bool(p, true);
  memcpy(at, idx, r.lead * sizeof *at);
  for (uint32_t d = 0; d < r.n; d++) {
    at[r.lead + d] = vars[d] = sp_fresh(p, r.out.d[r.lead + d]);
    hit = sp_and(p, hit, sp_eq(p, source(&r, d, vars[d]), idx[r.lead + d]));
  }
  sp_expr g = spi_arg_read(call, "grad_output", at);
  return spi_sum(call, r.n, vars, sp_ite(p, hit, g, sp_real_i64(p, 0)));
}

/* ---- linear ---- */

static void check_linear(sp_ctx *ctx, const sp_node *node, const resample *r) {
  for (uint32_t d = 0; d < r->n; d++) {
    int64_t in = r->in.d[r->lead + d], out = r->out.d[r->lead + d];
    if (in < 1 || out < 1 || in > SP_MAX_ELEMENTS || out > SP_MAX_ELEMENTS) {
      spi_bad(ctx, node, "%lld elements from %lld", (long long)out,
              (long long)in);
    }
    spi_mul(ctx, node, 4 * in, out);
  }
}

static void linear_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  resample r = resample_of(ctx, program, node);
  check_linear(ctx, node, &r);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &r.out, SP_SORT_REAL);
}

/* Of dimension d: the first neighbour, and the weight of the second. The place
 * is v / c, v a term. */
static sp_expr neighbour(const resample *r, uint32_t d, bool corners, sp_expr o,
                         sp_expr *weight) {
  sp_pool *p = r->p;
  int64_t in = r->in.d[r->lead + d], out = r->out.d[r->lead + d];
  int64_t c = corners ? (out > 1 ? out - 1 : 1) : 2 * out;
  sp_expr v = corners ? sp_iscale(p, o, out > 1 ? in - 1 : 0)
                      : sp_iaddc(p, sp_iscale(p, o, 2 * in), in - out);
  v = sp_max(p, v, sp_int(p, 0));
  *weight = sp_scale(p, sp_i2r(p, sp_imod(p, v, c)), sp_num_ratio(p, 1, c));
  return sp_idiv(p, v, c);
}

static sp_expr linear_element(const sp_call *call, const sp_expr *idx) {
  resample r = begin(call);
  sp_pool *p = r.p;
  bool corners = spi_arg_bool(sp_pool_ctx(p), call->node, "align_corners");
  sp_expr low[3], w[3], at[SP_MAX_DIMS] = {{0}}, e = sp_real_i64(p, 0);
  memcpy(at, idx, r.lead * sizeof *at);
  for (uint32_t d = 0; d < r.n; d++) {
    low[d] = neighbour(&r, d, corners, idx[r.lead + d], &w[d]);
  }
  for (uint32_t bits = 0; bits < 1u << r.n; bits++) {
    sp_expr weight = sp_real_i64(p, 1);
    for (uint32_t d = 0; d < r.n; d++) {
      bool second = bits >> d & 1;
      sp_expr end = sp_int(p, r.in.d[r.lead + d] - 1);
      at[r.lead + d] = sp_min(p, second ? sp_iaddc(p, low[d], 1) : low[d], end);
      weight =
          sp_mul(p, weight, second ? w[d] : sp_sub(p, sp_real_i64(p, 1), w[d]));
    }
    e = sp_add(p, e, sp_mul(p, weight, spi_arg_read(call, "self", at)));
  }
  return e;
}

static void linear_backward_shape(sp_ctx *ctx, const sp_program *program,
                                  const sp_node *node) {
  resample r = resample_of(ctx, program, node);
  check_linear(ctx, node, &r);
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "grad_output"), r.out.n,
                     r.out.d);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &r.in, SP_SORT_REAL);
}

/* The sum of g[o], weighted as y is in o; both neighbours may be y. */
static sp_expr linear_backward_element(const sp_call *call,
                                       const sp_expr *idx) {
  resample r = begin(call);
  sp_pool *p = r.p;
  bool corners = spi_arg_bool(sp_pool_ctx(p), call->node, "align_corners");
  sp_expr vars[3], at[SP_MAX_DIMS] = {{0}}, zero = sp_real_i64(p, 0);
  sp_expr e, w;
  memcpy(at, idx, r.lead * sizeof *at);
  for (uint32_t d = 0; d < r.n; d++) {
    at[r.lead + d] = vars[d] = sp_fresh(p, r.out.d[r.lead + d]);
  }
  e = spi_arg_read(call, "grad_output", at);
  for (uint32_t d = 0; d < r.n; d++) {
    sp_expr y = idx[r.lead + d], end = sp_int(p, r.in.d[r.lead + d] - 1);
    sp_expr low = neighbour(&r, d, corners, vars[d], &w);
    sp_expr high = sp_min(p, sp_iaddc(p, low, 1), end);
    sp_expr first = sp_sub(p, sp_real_i64(p, 1), w);
    low = sp_min(p, low, end);
    e = sp_mul(p, e,
               sp_add(p, sp_ite(p, sp_eq(p, low, y), first, zero),
                      sp_ite(p, sp_eq(p, high, y), w, zero)));
  }
  return spi_sum(call, r.n, vars, e);
}

/* ---- rows ---- */

#define SIZE "Tensor self, int[] output_size"
#define VEC "Tensor self, int[]? output_size, "
#define GRADIENT "Tensor grad_output, int[] output_size, int[] input_size, "
#define S1 "Scalar? scales"
#define S2 "Scalar? scales_h, Scalar? scales_w"
#define S3 "Scalar? scales_d, " S2
#define NEAREST_TEXT "out[o] = a[floor(o I / O)]"
#define EXACT_TEXT "out[o] = a[floor((o + 1/2) I / O)]"
#define SUM_TEXT "out[y] = sum over the o that come from y of g[o]"

SPI_ATEN(upsample_nearest_vec, VEC "float[]? scale_factors", forward_shape,
         forward_element, NEAREST_TEXT, "aten.upsample_nearest1d.vec",
         "aten.upsample_nearest2d.vec", "aten.upsample_nearest3d.vec")
SPI_ATEN(upsample_exact_vec, VEC "float[]? scale_factors", forward_shape,
         forward_element, EXACT_TEXT, "aten._upsample_nearest_exact1d.vec",
         "aten._upsample_nearest_exact2d.vec",
         "aten._upsample_nearest_exact3d.vec")
SPI_ATEN(upsample_nearest1d, SIZE ", " S1, forward_shape, forward_element,
         NEAREST_TEXT, "aten.upsample_nearest1d.default",
         "aten._upsample_nearest_exact1d.default")
SPI_ATEN(upsample_nearest2d, SIZE ", " S2, forward_shape, forward_element,
         NEAREST_TEXT, "aten.upsample_nearest2d.default",
         "aten._upsample_nearest_exact2d.default")
SPI_ATEN(upsample_nearest3d, SIZE ", " S3, forward_shape, forward_element,
         NEAREST_TEXT, "aten.upsample_nearest3d.default",
         "aten._upsample_nearest_exact3d.default")
SPI_ATEN(upsample_nearest1d_backward, GRADIENT S1, backward_shape,
         backward_element, SUM_TEXT, "aten.upsample_nearest1d_backward.default",
         "aten._upsample_nearest_exact1d_backward.default")
SPI_ATEN(upsample_nearest2d_backward, GRADIENT S2, backward_shape,
         backward_element, SUM_TEXT, "aten.upsample_nearest2d_backward.default",
         "aten._upsample_nearest_exact2d_backward.default")
SPI_ATEN(upsample_nearest3d_backward, GRADIENT S3, backward_shape,
         backward_element, SUM_TEXT, "aten.upsample_nearest3d_backward.default",
         "aten._upsample_nearest_exact3d_backward.default")
SPI_ATEN(upsample_linear_vec, VEC "bool align_corners, float[]? scale_factors",
         linear_shape, linear_element,
         "out[o] = weighted sum of the neighbours of o I / O",
         "aten.upsample_linear1d.vec", "aten.upsample_bilinear2d.vec",
         "aten.upsample_trilinear3d.vec")
SPI_ATEN(upsample_bilinear2d, SIZE ", bool align_corners, " S2, linear_shape,
         linear_element, "out[o] = weighted sum of the neighbours of o I / O",
         "aten.upsample_bilinear2d.default")
SPI_ATEN(upsample_bilinear2d_backward, GRADIENT "bool align_corners, " S2,
         linear_backward_shape, linear_backward_element,
         "out[y] = sum of g[o], weighted as y is in o",
         "aten.upsample_bilinear2d_backward.default")
SPI_ATEN(pad_inside, "Tensor self, int[] padding", forward_shape,
         forward_element,
         "out[o] = a[o - before], mirrored or repeated at the ends",
         "aten.reflection_pad1d.default", "aten.reflection_pad2d.default",
         "aten.reflection_pad3d.default", "aten.replication_pad1d.default",
         "aten.replication_pad2d.default", "aten.replication_pad3d.default")
SPI_ATEN(pad_inside_backward, "Tensor grad_output, Tensor self, int[] padding",
         backward_shape, backward_element, SUM_TEXT,
         "aten.reflection_pad1d_backward.default",
         "aten.reflection_pad2d_backward.default",
         "aten.reflection_pad3d_backward.default",
         "aten.replication_pad1d_backward.default",
         "aten.replication_pad2d_backward.default",
         "aten.replication_pad3d_backward.default")

extern const sp_op *const sp_ops_aten_resample[];
const sp_op *const sp_ops_aten_resample[] = {
    &upsample_nearest_vec_row,         &upsample_exact_vec_row,
    &upsample_nearest1d_row,           &upsample_nearest2d_row,
    &upsample_nearest3d_row,           &upsample_nearest1d_backward_row,
    &upsample_nearest2d_backward_row,  &upsample_nearest3d_backward_row,
    &upsample_linear_vec_row,          &upsample_bilinear2d_row,
    &upsample_bilinear2d_backward_row, &pad_inside_row,
    &pad_inside_backward_row,          NULL,
};
