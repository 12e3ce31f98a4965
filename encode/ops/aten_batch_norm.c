/* aten_batch_norm.c: batch norm: training, inference, gradients.
 *
 * Dimension 1 counts channels; a channel has N elements over all others:
 *   out = (x - mean) rstd w + b,  rstd = 1 / sqrt(var + eps)
 * with the channel's own mean and (biased) variance when it trains, else with
 * the running ones. What is saved is mean and rstd; the next running statistics
 * are m new + (1 - m) old, where the new variance is the unbiased one. */
#include "encode/aten_util.h"

#include <string.h>

typedef struct batch_norm {
  const sp_call *call;
  sp_pool *p;
  const sp_shape *a;
  int64_t count;
  bool training;
} batch_norm;

static int64_t count_of(const sp_shape *a) {
  return a->dims[1] ? sp_shape_elements(a) / a->dims[1] : 0;
}

static batch_norm begin(const sp_call *call) {
  batch_norm b = {.call = call, .p = call->pool};
  b.a = spi_call_arg_shape(call, "self");
  b.count = count_of(b.a);
  b.training = spi_arg_bool(spi_call_ctx(call), call->node, "training");
  return b;
}

/* ---- shapes ---- */

static const sp_shape *check_channels(sp_ctx *ctx, const sp_program *program,
                                      const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  static const char *const names[] = {"weight",       "bias",
                                      "running_mean", "running_var",
                                      "save_mean",    "save_invstd"};
  if (a->n_dims < 2) {
    spi_bad(ctx, node, "no channels");
  }
  bool training = spi_arg_bool(ctx, node, "training");
  for (int i = 0; i < 6; i++) {
    int64_t k = spi_arg_operand(node, names[i]);
    /* what training saves is empty in inference */
    if (k >= 0 && (i < 4 || training)) {
      spi_expect_operand(ctx, program, node, (uint32_t)k, 1, a->dims + 1);
    }
  }
  bool given = spi_arg_operand(node, "running_mean") >= 0 &&
               spi_arg_operand(node, "running_var") >= 0;
  if (!training && !given) {
    spi_bad(ctx, node, "no running statistics, and none of its own");
  }
  if (training && count_of(a) < 2) {
    spi_unknown(ctx, node, "the statistics of one element");
  }
  return a;
}

/* Number of results with a meaning: out, then saved mean and rstd; in the
 * functional variants the last two are the next running statistics. */
static uint32_t next_of(const sp_node *node) {
  bool functional = strstr(node->op, "functional.default") != NULL;
  return !functional ? UINT32_MAX : strstr(node->op, "update") ? 4 : 3;
}

static void forward_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *a = check_channels(ctx, program, node);
  spi_dims s = spi_dims_of(a), c = {.n = 1, .d = {a->dims[1]}};
  bool training = spi_arg_bool(ctx, node, "training");
  uint32_t next = next_of(node);
  spi_results(ctx, node, next == UINT32_MAX ? 4 : next + 2);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
  for (uint32_t k = 1; k < node->n_out; k++) {
    const sp_shape *r = spi_out(program, node, k);
    if (r->dtype == SP_DTYPE_INVALID) {
      continue;
    }
    if (k >= next || (training && k < 3)) {
      spi_yields(ctx, program, node, k, &c, SP_SORT_REAL);
    } else if (sp_shape_elements(r) != 0) {
      spi_unknown(ctx, node,
                  k < 3 ? "the statistics of a batch norm in inference"
                        : "what a batch norm reserves for itself");
    }
  }
  if (next != UINT32_MAX && (spi_arg_operand(node, "running_mean") < 0 ||
                             spi_arg_operand(node, "running_var") < 0)) {
    spi_bad(ctx, node, "no running statistics");
  }
}

static void plain_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  spi_results(ctx, node, 1);
  forward_shape(ctx, program, node);
}

static void backward_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  const sp_shape *a = check_channels(ctx, program, node);
  spi_dims s = spi_dims_of(a), c = {.n = 1, .d = {a->dims[1]}};
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "grad_out"), s.n, s.d);
  if (spi_arg_bool(ctx, node, "training") &&
      (spi_arg_operand(node, "save_mean") < 0 ||
       spi_arg_operand(node, "save_invstd") < 0)) {
    spi_bad(ctx, node, "no saved statistics");
  }
  spi_results(ctx, node, 3);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
  spi_yields(ctx, program, node, 1, &c, SP_SORT_REAL);
  spi_yields(ctx, program, node, 2, &c, SP_SORT_REAL);
}

/* ---- statistics ---- */

typedef sp_expr (*term_fn)(const batch_norm *b, const sp_expr *at);

/* The sum over channel c. */
static sp_expr sum(const batch_norm *b, sp_expr c, term_fn term) {
  sp_expr at[SP_MAX_DIMS] = {{0}}, vars[SP_MAX_DIMS];
  uint32_t n = 0;
  for (uint32_t d = 0; d < b->a->n_dims; d++) {
    at[d] = d == 1 ? c : (vars[n++] = sp_fresh(b->p, b->a->dims[d]));
  }
  return spi_sum(b->call, n, vars, term(b, at));
}

static sp_expr mean_of(const batch_norm *b, sp_expr c, term_fn term) {
  return spi_over(b->p, sum(b, c, term), b->count);
}

static sp_expr x_at(const batch_norm *b, const sp_expr *at) {
  return spi_arg_read(b->call, "self", at);
}

static sp_expr squared_difference(const batch_norm *b, const sp_expr *at) {
  sp_expr d = sp_sub(b->p, x_at(b, at), mean_of(b, at[1], x_at));
  return sp_mul(b->p, d, d);
}

static sp_expr mean(const batch_norm *b, sp_expr c) {
  return b->training ? mean_of(b, c, x_at)
                     : spi_arg_read(b->call, "running_mean", &c);
}

static sp_expr variance(const batch_norm *b, sp_expr c) {
  return b->training ? mean_of(b, c, squared_difference)
                     : spi_arg_read(b->call, "running_var", &c);
}

static sp_expr rstd_of(const batch_norm *b, sp_expr var) {
  sp_expr eps = spi_arg_number(b->call, "eps", SP_F64);
  return sp_fn1(b->p, "rsqrt", sp_add(b->p, var, eps));
}

/* The next running statistic. */
static sp_expr next(const batch_norm *b, sp_expr c, bool var) {
  sp_pool *p = b->p;
  sp_expr old = spi_arg_read(b->call, var ? "running_var" : "running_mean", &c);
  if (!b->training) {
    return old;
  }
  sp_expr m = spi_arg_number(b->call, "momentum", SP_F64);
  sp_expr e =
      var ? sp_scale(p, variance(b, c), sp_num_ratio(p, b->count, b->count - 1))
          : mean(b, c);
  return sp_add(p, sp_mul(p, m, e),
                sp_mul(p, sp_sub(p, sp_real_i64(p, 1), m), old));
}

static sp_expr forward_element(const sp_call *call, const sp_expr *idx) {
  batch_norm b = begin(call);
  sp_pool *p = b.p;
  const sp_shape *r = sp_call_result_shape(call);
  uint32_t k = call->result, from = next_of(call->node);
  if (k >= from) {
    return next(&b, idx[0], k > from);
  }
  if (k > 0 && sp_shape_elements(r) == 0) {
    return sp_real_i64(p, 0); /* no elements */
  }
  if (k > 0) {
    return k == 1 ? mean(&b, idx[0]) : rstd_of(&b, variance(&b, idx[0]));
  }
  sp_expr e = sp_mul(p, sp_sub(p, x_at(&b, idx), mean(&b, idx[1])),
                     rstd_of(&b, variance(&b, idx[1])));
  if (spi_arg_operand(call->node, "weight") >= 0) {
    e = sp_mul(p, e, spi_arg_read(call, "weight", idx + 1));
  }
  if (spi_arg_operand(call->node, "bias") >= 0) {
    e = sp_add(p, e, spi_arg_read(call, "bias", idx + 1));
  }
  return e;
}

/* ---- gradients, with the statistics that the call is given ---- */

static sp_expr rstd_at(const batch_norm *b, sp_expr c) {
  return b->training ? spi_arg_read(b->call, "save_invstd", &c)
                     : rstd_of(b, variance(b, c));
}

static sp_expr g_at(const batch_norm *b, const sp_expr *at) {
  return spi_arg_read(b->call, "grad_out", at);
}

static sp_expr difference(const batch_norm *b, const sp_expr *at) {
  const char *name = b->training ? "save_mean" : "running_mean";
  return sp_sub(b->p, x_at(b, at), spi_arg_read(b->call, name, at + 1));
}

static sp_expr g_difference(const batch_norm *b, const sp_expr *at) {
  return sp_mul(b->p, g_at(b, at), difference(b, at));
}

/* rstd w (g - mean of g - d rstd^2 mean of g d), d = x - mean; in inference
 * rstd w g */
static sp_expr self_gradient(const batch_norm *b, const sp_expr *idx) {
  sp_pool *p = b->p;
  sp_expr c = idx[1], rstd = rstd_at(b, c), e = g_at(b, idx);
  if (b->training) {
    sp_expr d = sp_mul(p, difference(b, idx), sp_mul(p, rstd, rstd));
    e = sp_sub(p, e, mean_of(b, c, g_at));
    e = sp_sub(p, e, sp_mul(p, d, mean_of(b, c, g_difference)));
  }
  e = sp_mul(p, e, rstd);
  return spi_arg_operand(b->call->node, "weight") < 0
             ? e
             : sp_mul(p, e, spi_arg_read(b->call, "weight", &c));
}

static sp_expr backward_element(const sp_call *call, const sp_expr *idx) {
  batch_norm b = begin(call);
  if (call->result == 0) {
    return self_gradient(&b, idx);
  }
  return call->result == 2
             ? sum(&b, idx[0], g_at)
             : sp_mul(b.p, sum(&b, idx[0], g_difference), rstd_at(&b, idx[0]));
}

/* ---- rows ---- */

#define AFFINE "Tensor self, Tensor? weight, Tensor? bias, "
#define RUNNING "Tensor? running_mean, Tensor? running_var, "
#define RATES "Scalar momentum, Scalar eps"
#define BATCH_NORM "out = (x - mean) / sqrt(variance + eps) * w + b, by channel"
#define SAVED "; mean; 1 / sqrt(variance + eps)"

SPI_ATEN(batch_norm,
         AFFINE "Tensor running_mean, Tensor running_var, " RATES
                ", *, bool training=False!",
         forward_shape, forward_element, BATCH_NORM,
         "aten._native_batch_norm_legit_no_training.default",
         "aten._batch_norm_no_update.default")
SPI_ATEN(native_batch_norm, AFFINE RUNNING "bool training, " RATES,
         forward_shape, forward_element, BATCH_NORM SAVED,
         "aten.native_batch_norm.default",
         "aten._native_batch_norm_legit.default",
         "aten.cudnn_batch_norm.default")
SPI_ATEN(batch_norm_no_stats, AFFINE "bool training, " RATES, forward_shape,
         forward_element, BATCH_NORM SAVED,
         "aten._native_batch_norm_legit.no_stats")
SPI_ATEN(batch_norm_functional, AFFINE RUNNING "bool training, " RATES,
         forward_shape, forward_element,
         BATCH_NORM SAVED "; the next running statistics",
         "aten._native_batch_norm_legit_functional.default")
SPI_ATEN(batch_norm_update, AFFINE RUNNING RATES ", *, bool training=True!",
         forward_shape, forward_element,
         BATCH_NORM SAVED "; (the next running statistics)",
         "aten._batch_norm_with_update.default",
         "aten._batch_norm_with_update_functional.default")
SPI_ATEN(batch_norm_plain,
         AFFINE RUNNING "bool training, " RATES ", any? cudnn_enabled",
         plain_shape, forward_element, BATCH_NORM, "aten.batch_norm.default",
         "torch.batch_norm")
SPI_ATEN(batch_norm_function,
         "Tensor self, " RUNNING "Tensor? weight, Tensor? bias, "
         "bool training=False, Scalar momentum=0.1, Scalar eps=1e-05",
         plain_shape, forward_element, BATCH_NORM,
         "torch.nn.functional.batch_norm")

#define SAVES "Tensor? save_mean, Tensor? save_invstd, "
#define GRADIENTS "gradients of a batch norm's input, weight and bias"

SPI_ATEN(native_batch_norm_backward,
         "Tensor grad_out, Tensor self, Tensor? weight, " RUNNING SAVES
         "bool training, Scalar eps, int[] output_mask",
         backward_shape, backward_element, GRADIENTS,
         "aten.native_batch_norm_backward.default")
SPI_ATEN(batch_norm_backward,
         "Tensor grad_out, Tensor self, Tensor weight, " RUNNING SAVES
         "bool training, Scalar eps, int[] output_mask, Tensor reserve",
         backward_shape, backward_element, GRADIENTS,
         "aten.batch_norm_backward.default")
SPI_ATEN(cudnn_batch_norm_backward,
         "Tensor self, Tensor grad_out, Tensor weight, " RUNNING SAVES
         "Scalar eps, Tensor reserve, *, bool training=True!",
         backward_shape, backward_element, GRADIENTS,
         "aten.cudnn_batch_norm_backward.default")

extern const sp_op *const sp_ops_aten_batch_norm[];
const sp_op *const sp_ops_aten_batch_norm[] = {
    &batch_norm_row,
    &native_batch_norm_row,
    &batch_norm_no_stats_row,
    &batch_norm_functional_row,
    &batch_norm_update_row,
    &batch_norm_plain_row,
    &batch_norm_function_row,
    &native_batch_norm_backward_row,
    &batch_norm_backward_row,
    &cudnn_batch_norm_backward_row,
    NULL,
};
