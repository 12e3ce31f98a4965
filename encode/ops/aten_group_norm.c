/* aten_group_norm.c: group norm and its gradients.
 *
 * self is [N, C, rest...]; the C channels are in groups of C / group, and a
 * group of one sample is normalized together:
 *   out = (x - mean) rstd w + b,  rstd = 1 / sqrt(variance + eps)
 * with the group's mean and variance, and w and b of the channel. */
#include "encode/aten_util.h"

#include <string.h>

typedef struct group_norm {
  const sp_call *call;
  sp_pool *p;
  const sp_shape *a;
  int64_t groups, width, count; /* channels, elements of a group */
} group_norm;

static group_norm group_norm_of(sp_ctx *ctx, const sp_program *program,
                                const sp_node *node) {
  group_norm g = {.a = spi_arg_shape(ctx, program, node, "self")};
  g.groups = spi_arg_int(ctx, node, "group");
  if (g.a->n_dims < 2 || g.groups < 1 || g.a->dims[1] % g.groups != 0) {
    spi_bad(ctx, node, "%lld groups", (long long)g.groups);
  }
  g.width = g.a->dims[1] / g.groups;
  g.count = g.width;
  for (uint32_t d = 2; d < g.a->n_dims; d++) {
    g.count *= g.a->dims[d];
  }
  return g;
}

static group_norm begin(const sp_call *call) {
  group_norm g = group_norm_of(spi_call_ctx(call), call->program, call->node);
  g.call = call;
  g.p = call->pool;
  return g;
}

/* ---- shapes ---- */

/* N, C and HxW say what self's sizes say, too. */
static void check_sizes(sp_ctx *ctx, const sp_node *node, const group_norm *g) {
  int64_t n = spi_arg_int(ctx, node, "N"), c = spi_arg_int(ctx, node, "C");
  int64_t rest = spi_arg_int(ctx, node, "HxW");
  if (g->a->dims[0] != n || g->a->dims[1] != c || rest < 0 ||
      sp_shape_elements(g->a) !=
          spi_mul(ctx, node, spi_mul(ctx, node, n, c), rest)) {
    spi_bad(ctx, node, "N, C and HxW are not the sizes of self");
  }
}

static void check_affine(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node, const group_norm *g) {
  static const char *const names[] = {"weight", "bias"};
  for (int i = 0; i < 2; i++) {
    int64_t k = spi_arg_operand(node, names[i]);
    if (k >= 0) {
      spi_expect_operand(ctx, program, node, (uint32_t)k, 1, &g->a->dims[1]);
    }
  }
}

static void native_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  group_norm g = group_norm_of(ctx, program, node);
  spi_dims s = spi_dims_of(g.a), rows = {.n = 2, .d = {s.d[0], g.groups}};
  check_sizes(ctx, node, &g);
  check_affine(ctx, program, node, &g);
  spi_results(ctx, node, 3);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
  spi_yields(ctx, program, node, 1, &rows, SP_SORT_REAL);
  spi_yields(ctx, program, node, 2, &rows, SP_SORT_REAL);
}

static void plain_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  group_norm g = group_norm_of(ctx, program, node);
  spi_dims s = spi_dims_of(g.a);
  check_affine(ctx, program, node, &g);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

static void backward_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  group_norm g = group_norm_of(ctx, program, node);
  spi_dims s = spi_dims_of(g.a), c = {.n = 1, .d = {s.d[1]}};
  const int64_t rows[2] = {s.d[0], g.groups};
  static const char *const stats[] = {"mean", "rstd"};
  check_sizes(ctx, node, &g);
  check_affine(ctx, program, node, &g);
  for (int i = 0; i < 2; i++) {
    spi_expect_operand(ctx, program, node,
                       (uint32_t)spi_arg_operand(node, stats[i]), 2, rows);
  }
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "grad_out"), s.n, s.d);
  spi_results(ctx, node, 3);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
  spi_yields(ctx, program, node, 1, &c, SP_SORT_REAL);
  spi_yields(ctx, program, node, 2, &c, SP_SORT_REAL);
}

/* ---- elements ---- */

typedef sp_expr (*term_fn)(const group_norm *g, const sp_expr *at);

/* The mean over group `group` of sample n. */
static sp_expr mean_of(const group_norm *g, sp_expr n, sp_expr group,
                       term_fn term) {
  sp_pool *p = g->p;
  sp_expr at[SP_MAX_DIMS] = {{0}}, vars[SP_MAX_DIMS];
  at[0] = n;
  vars[0] = sp_fresh(p, g->width);
  at[1] = sp_iadd(p, sp_iscale(p, group, g->width), vars[0]);
  for (uint32_t d = 2; d < g->a->n_dims; d++) {
    at[d] = vars[d - 1] = sp_fresh(p, g->a->dims[d]);
  }
  sp_expr e = spi_sum(g->call, g->a->n_dims - 1, vars, term(g, at));
  return spi_over(p, e, g->count);
}

static sp_expr group_at(const group_norm *g, sp_expr channel) {
  return g->width ? sp_idiv(g->p, channel, g->width) : sp_int(g->p, 0);
}

static sp_expr x_at(const group_norm *g, const sp_expr *at) {
  return spi_arg_read(g->call, "self", at);
}

static sp_expr squared_difference(const group_norm *g, const sp_expr *at) {
  sp_expr m = mean_of(g, at[0], group_at(g, at[1]), x_at);
  sp_expr d = sp_sub(g->p, x_at(g, at), m);
  return sp_mul(g->p, d, d);
}

static sp_expr rstd_of(const group_norm *g, sp_expr n, sp_expr group) {
  sp_expr eps = spi_arg_number(g->call, "eps", SP_F64);
  sp_expr var = mean_of(g, n, group, squared_difference);
  return sp_fn1(g->p, "rsqrt", sp_add(g->p, var, eps));
}

static sp_expr forward_element(const sp_call *call, const sp_expr *idx) {
  group_norm g = begin(call);
  sp_pool *p = g.p;
  sp_expr group = call->result == 0 ? group_at(&g, idx[1]) : idx[1];
  if (call->result == 1) {
    return mean_of(&g, idx[0], group, x_at);
  }
  sp_expr rstd = rstd_of(&g, idx[0], group);
  if (call->result == 2) {
    return rstd;
  }
  sp_expr d = sp_sub(p, x_at(&g, idx), mean_of(&g, idx[0], group, x_at));
  sp_expr e = sp_mul(p, d, rstd);
  if (spi_arg_operand(call->node, "weight") >= 0) {
    e = sp_mul(p, e, spi_arg_read(call, "weight", idx + 1));
  }
  if (spi_arg_operand(call->node, "bias") >= 0) {
    e = sp_add(p, e, spi_arg_read(call, "bias", idx + 1));
  }
  return e;
}

/* ---- gradients, with the statistics that the call is given ---- */

static sp_expr statistic(const group_norm *g, const char *name,
                         const sp_expr *at) {
  const sp_expr j[2] = {at[0], group_at(g, at[1])};
  return spi_arg_read(g->call, name, j);
}

static sp_expr normalized(const group_norm *g, const sp_expr *at) {
  sp_expr d = sp_sub(g->p, x_at(g, at), statistic(g, "mean", at));
  return sp_mul(g->p, d, statistic(g, "rstd", at));
}

static sp_expr g_at(const group_norm *g, const sp_expr *at) {
  return spi_arg_read(g->call, "grad_out", at);
}

/* g w */
static sp_expr weighted(const group_norm *g, const sp_expr *at) {
  return spi_arg_operand(g->call->node, "weight") < 0
             ? g_at(g, at)
             : sp_mul(g->p, g_at(g, at),
                      spi_arg_read(g->call, "weight", at + 1));
}

static sp_expr weighted_normalized(const group_norm *g, const sp_expr *at) {
  return sp_mul(g->p, weighted(g, at), normalized(g, at));
}

static sp_expr g_normalized(const group_norm *g, const sp_expr *at) {
  return sp_mul(g->p, g_at(g, at), normalized(g, at));
}

/* rstd (g w - mean of g w - xhat mean of (g w xhat)) */
static sp_expr self_gradient(const group_norm *g, const sp_expr *idx) {
  sp_pool *p = g->p;
  sp_expr group = group_at(g, idx[1]);
  sp_expr along = mean_of(g, idx[0], group, weighted_normalized);
  sp_expr e = sp_sub(p, weighted(g, idx), mean_of(g, idx[0], group, weighted));
  e = sp_sub(p, e, sp_mul(p, normalized(g, idx), along));
  return sp_mul(p, statistic(g, "rstd", idx), e);
}

/* The sum over a channel of all samples. */
static sp_expr channel_sum(const group_norm *g, sp_expr c, term_fn term) {
  sp_expr at[SP_MAX_DIMS] = {{0}}, vars[SP_MAX_DIMS];
  uint32_t n = 0;
  for (uint32_t d = 0; d < g->a->n_dims; d++) {
    at[d] = d == 1 ? c : (vars[n++] = sp_fresh(g->p, g->a->dims[d]));
  }
  return spi_sum(g->call, n, vars, term(g, at));
}

static sp_expr backward_element(const sp_call *call, const sp_expr *idx) {
  group_norm g = begin(call);
  if (call->result == 0) {
    return self_gradient(&g, idx);
  }
  return channel_sum(&g, idx[0], call->result == 1 ? g_normalized : g_at);
}

/* ---- rows ---- */

#define GROUP_NORM                                                             \
  "out = (x - mean) / sqrt(variance + eps) * w + b, by groups of channels"
#define SIZES "int N, int C, int HxW, int group"

SPI_ATEN(native_group_norm,
         "Tensor self, Tensor? weight, Tensor? bias, " SIZES ", Scalar eps",
         native_shape, forward_element,
         GROUP_NORM "; mean; 1 / sqrt(variance + eps)",
         "aten.native_group_norm.default")
SPI_ATEN(group_norm,
         "Tensor self, int group, Tensor? weight, Tensor? bias, "
         "Scalar eps=1e-05, any? cudnn_enabled",
         plain_shape, forward_element, GROUP_NORM, "aten.group_norm.default",
         "torch.group_norm", "torch.nn.functional.group_norm")
SPI_ATEN(native_group_norm_backward,
         "Tensor grad_out, Tensor self, Tensor mean, Tensor rstd, "
         "Tensor? weight, " SIZES ", int[] output_mask",
         backward_shape, backward_element,
         "gradients of a group norm's input, weight and bias",
         "aten.native_group_norm_backward.default")

extern const sp_op *const sp_ops_aten_group_norm[];
const sp_op *const sp_ops_aten_group_norm[] = {
    &native_group_norm_row,
    &group_norm_row,
    &native_group_norm_backward_row,
    NULL,
};
