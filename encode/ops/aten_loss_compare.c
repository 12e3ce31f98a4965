/* aten_loss_compare.c: losses that compare element by element: x = self[i] with
 * t = target[i], broadcast together. loss(x, t), times a weight where there is
 * one; then nothing (reduction 0), the mean (1) or the sum (2). A gradient is
 * slope(x, t) g, over the count for a mean, where g is one number unless
 * nothing was reduced. d is x - t. */
#include "encode/aten_loss.h"

#include <string.h>

typedef struct pair {
  const sp_call *call;
  sp_pool *p;
  spi_dims s; /* of both */
  sp_expr x, t;
} pair;

typedef sp_expr (*term_fn)(const pair *q, const sp_expr *at);

static spi_dims dims_of(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  spi_broadcast(ctx, node, &s, spi_arg_shape(ctx, program, node, "target"));
  return s;
}

static pair begin(const sp_call *call) {
  pair q = {.call = call, .p = call->pool};
  q.s = dims_of(spi_call_ctx(call), call->program, call->node);
  return q;
}

static sp_expr argument(const pair *q, const char *name, const sp_expr *at) {
  return spi_arg_value(q->call, name, q->s.n, at, SP_F64);
}

static void read_both(pair *q, const sp_expr *at) {
  q->x = argument(q, "self", at);
  q->t = argument(q, "target", at);
}

/* ---- shapes ---- */

/* Weights are broadcast to the elements; widths of a zone are positive. */
static spi_dims check(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  spi_dims s = dims_of(ctx, program, node);
  static const char *const weights[] = {"weight", "pos_weight"};
  static const char *const widths[] = {"beta", "delta"};
  for (int i = 0; i < 2; i++) {
    int64_t k = spi_arg_operand(node, weights[i]);
    if (k >= 0) {
      spi_broadcasts_to(ctx, node, spi_in(program, node, (uint32_t)k), &s);
    }
    if (strstr(sp_op_find(node->op)->params, widths[i]) &&
        spi_arg_float(ctx, node, widths[i]) <= 0) {
      spi_unknown(ctx, node, "argument %s is not positive", widths[i]);
    }
  }
  return s;
}

static void loss_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  spi_dims s = check(ctx, program, node), scalar = {0};
  bool none = spi_reduction_of(ctx, node) == SPI_LOSS_NONE;
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, none ? &s : &scalar, SP_SORT_REAL);
}

static void backward_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  spi_dims s = check(ctx, program, node);
  spi_broadcasts_to(ctx, node, spi_arg_shape(ctx, program, node, "grad_output"),
                    &s);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

/* ---- elements ---- */

static sp_expr weighted(const pair *q, const sp_expr *at, sp_expr e) {
  return spi_arg_operand(q->call->node, "weight") < 0
             ? e
             : sp_mul(q->p, e, argument(q, "weight", at));
}

static sp_expr reduced(const sp_call *call, const sp_expr *idx, term_fn loss) {
  pair q = begin(call);
  spi_reduction kind = spi_reduction_of(spi_call_ctx(call), call->node);
  sp_expr at[SP_MAX_DIMS];
  for (uint32_t d = 0; d < q.s.n; d++) {
    at[d] = kind == SPI_LOSS_NONE ? idx[d] : sp_fresh(q.p, q.s.d[d]);
  }
  read_both(&q, at);
  sp_expr e = weighted(&q, at, loss(&q, at));
  if (kind == SPI_LOSS_NONE) {
    return e;
  }
  e = spi_sum(call, q.s.n, at, e);
  return kind == SPI_LOSS_MEAN ? spi_over(q.p, e, spi_dims_count(&q.s)) : e;
}

static sp_expr gradient(const sp_call *call, const sp_expr *idx,
                        term_fn slope) {
  pair q = begin(call);
  read_both(&q, idx);
  sp_expr e = sp_mul(q.p, weighted(&q, idx, slope(&q, idx)),
                     argument(&q, "grad_output", idx));
  return spi_reduction_of(spi_call_ctx(call), call->node) == SPI_LOSS_MEAN
             ? spi_over(q.p, e, spi_dims_count(&q.s))
             : e;
}

static sp_expr one(const pair *q) {
  return sp_real_i64(q->p, 1);
}

static sp_expr times(const pair *q, int64_t n, int64_t d, sp_expr e) {
  return sp_scale(q->p, e, sp_num_ratio(q->p, n, d));
}

static sp_expr number(const pair *q, const char *name) {
  return spi_arg_number(q->call, name, SP_F64);
}

static sp_expr difference(const pair *q) {
  return sp_sub(q->p, q->x, q->t);
}

static sp_expr square(const pair *q, const sp_expr *at) {
  sp_expr d = difference(q);
  (void)at;
  return sp_mul(q->p, d, d);
}

static sp_expr square_slope(const pair *q, const sp_expr *at) {
  (void)at;
  return times(q, 2, 1, difference(q));
}

static sp_expr distance(const pair *q, const sp_expr *at) {
  (void)at;
  return sp_fn1(q->p, "abs", difference(q));
}

/* |d| < beta ? d^2 / 2 beta : |d| - beta / 2 */
static sp_expr smooth_l1(const pair *q, const sp_expr *at) {
  sp_pool *p = q->p;
  sp_expr size = distance(q, at), beta = number(q, "beta");
  sp_expr inner = sp_div(p, times(q, 1, 2, square(q, at)), beta);
  sp_expr outer = sp_sub(p, size, times(q, 1, 2, beta));
  return sp_ite(p, sp_lt(p, size, beta), inner, outer);
}

/* |d| <= delta ? d^2 / 2 : delta (|d| - delta / 2) */
static sp_expr huber(const pair *q, const sp_expr *at) {
  sp_pool *p = q->p;
  sp_expr size = distance(q, at), delta = number(q, "delta");
  sp_expr outer = sp_sub(p, size, times(q, 1, 2, delta));
  return sp_ite(p, sp_le(p, size, delta), times(q, 1, 2, square(q, at)),
                sp_mul(p, delta, outer));
}

/* d between -width and width, which are reached */
static sp_expr limited(const pair *q, sp_expr width) {
  sp_pool *p = q->p;
  sp_expr d = difference(q), low = times(q, -1, 1, width);
  return sp_ite(p, sp_le(p, d, low), low,
                sp_ite(p, sp_le(p, width, d), width, d));
}

static sp_expr smooth_l1_slope(const pair *q, const sp_expr *at) {
  sp_expr beta = number(q, "beta");
  (void)at;
  return sp_div(q->p, limited(q, beta), beta);
}

static sp_expr huber_slope(const pair *q, const sp_expr *at) {
  (void)at;
  return limited(q, number(q, "delta"));
}

/* log, but not below -100 */
static sp_expr log_of(const pair *q, sp_expr e) {
  return sp_max(q->p, sp_fn1(q->p, "log", e), sp_real_i64(q->p, -100));
}

/* (t - 1) log(1 - x) - t log(x) */
static sp_expr cross_entropy(const pair *q, const sp_expr *at) {
  sp_pool *p = q->p;
  (void)at;
  sp_expr no = log_of(q, sp_sub(p, one(q), q->x));
  return sp_sub(p, sp_mul(p, sp_sub(p, q->t, one(q)), no),
                sp_mul(p, q->t, log_of(q, q->x)));
}

/* d / ((1 - x) x), the denominator not below 1e-12 */
static sp_expr cross_entropy_slope(const pair *q, const sp_expr *at) {
  sp_pool *p = q->p;
  (void)at;
  sp_expr v = sp_mul(p, sp_sub(p, one(q), q->x), q->x);
  sp_expr least = sp_real(p, sp_num_ratio(p, 1, 1000000000000));
  return sp_div(p, difference(q), sp_max(p, v, least));
}

/* (1 - t) x + (1 + (pos_weight - 1) t) log(1 + exp(-x)) */
static sp_expr logits(const pair *q, const sp_expr *at) {
  sp_pool *p = q->p;
  sp_expr e = sp_exp(p, times(q, -1, 1, q->x));
  sp_expr log = sp_fn1(p, "log", sp_add(p, one(q), e));
  if (spi_arg_operand(q->call->node, "pos_weight") >= 0) {
    sp_expr more = sp_sub(p, argument(q, "pos_weight", at), one(q));
    log = sp_mul(p, sp_add(p, one(q), sp_mul(p, more, q->t)), log);
  }
  return sp_add(p, sp_mul(p, sp_sub(p, one(q), q->t), q->x), log);
}

/* t (log t - x), 0 where t is 0; exp(t) (t - x) of logarithms */
static sp_expr divergence(const pair *q, const sp_expr *at) {
  sp_pool *p = q->p;
  (void)at;
  if (spi_arg_bool(sp_pool_ctx(p), q->call->node, "log_target")) {
    return sp_mul(p, sp_exp(p, q->t), sp_sub(p, q->t, q->x));
  }
  sp_expr zero = sp_real_i64(p, 0);
  sp_expr e = sp_mul(p, q->t, sp_sub(p, sp_fn1(p, "log", q->t), q->x));
  return sp_ite(p, sp_eq(p, q->t, zero), zero, e);
}

#define LOSS(id, term)                                                         \
  static sp_expr id##_element(const sp_call *call, const sp_expr *idx) {       \
    return reduced(call, idx, term);                                           \
  }
#define SLOPE(id, term)                                                        \
  static sp_expr id##_element(const sp_call *call, const sp_expr *idx) {       \
    return gradient(call, idx, term);                                          \
  }

LOSS(mse, square)
LOSS(l1, distance)
LOSS(smooth_l1, smooth_l1)
LOSS(huber, huber)
LOSS(bce, cross_entropy)
LOSS(bce_logits, logits)
LOSS(kl_div, divergence)
SLOPE(mse_backward, square_slope)
SLOPE(smooth_l1_backward, smooth_l1_slope)
SLOPE(huber_backward, huber_slope)
SLOPE(bce_backward, cross_entropy_slope)

/* ---- rows ---- */

#define BOTH "Tensor self, Tensor target"
#define REDUCTION ", int reduction=1"
/* of torch.nn.functional */
#define TEXT ", any? size_average!, any? reduce!, str reduction=mean"
#define GRADIENT "Tensor grad_output, Tensor self, Tensor target"

/* A loss as an operator and as a function of Python. */
#define BOTH_ROWS(id, more, text)                                              \
  SPI_ATEN(id##_loss, BOTH REDUCTION more, loss_shape, id##_element, text,     \
           "aten." #id "_loss.default", "torch._C._nn." #id "_loss")           \
  SPI_ATEN(id##_loss_function, BOTH TEXT more, loss_shape, id##_element, text, \
           "torch.nn.functional." #id "_loss")

BOTH_ROWS(mse, "", "out[i] = (x - t)^2, reduced")
BOTH_ROWS(l1, "", "out[i] = |x - t|, reduced")
BOTH_ROWS(smooth_l1, ", Scalar beta=1.0",
          "out[i] = |d| < beta ? d^2 / 2 beta : |d| - beta / 2, reduced")
SPI_ATEN(huber_loss, BOTH REDUCTION ", Scalar delta=1.0", loss_shape,
         huber_element,
         "out[i] = |d| <= delta ? d^2 / 2 : delta (|d| - delta / 2), reduced",
         "aten.huber_loss.default", "torch._C._nn.huber_loss")
SPI_ATEN(bce_loss, BOTH ", Tensor? weight" REDUCTION, loss_shape, bce_element,
         "out[i] = (t - 1) log(1 - x) - t log(x), reduced",
         "aten.binary_cross_entropy.default",
         "torch._C._nn.binary_cross_entropy")
SPI_ATEN(bce_logits_loss, BOTH ", Tensor? weight, Tensor? pos_weight" REDUCTION,
         loss_shape, bce_logits_element,
         "out[i] = (1 - t) x + (1 + (pos_weight - 1) t) log(1 + exp(-x)), "
         "reduced",
         "aten.binary_cross_entropy_with_logits.default",
         "torch.binary_cross_entropy_with_logits")
SPI_ATEN(bce_logits_function,
         BOTH ", Tensor? weight" TEXT ", Tensor? pos_weight", loss_shape,
         bce_logits_element,
         "out[i] = (1 - t) x + (1 + (pos_weight - 1) t) log(1 + exp(-x)), "
         "reduced",
         "torch.nn.functional.binary_cross_entropy_with_logits")
SPI_ATEN(kl_div, BOTH REDUCTION ", *, bool log_target=False", loss_shape,
         kl_div_element, "out[i] = t (log(t) - x), reduced",
         "aten.kl_div.default", "torch.kl_div")
SPI_ATEN(mse_loss_backward, GRADIENT ", int reduction", backward_shape,
         mse_backward_element,
         "out[i] = 2 (x - t) g, over the count for a mean",
         "aten.mse_loss_backward.default")
SPI_ATEN(smooth_l1_loss_backward, GRADIENT ", int reduction, Scalar beta",
         backward_shape, smooth_l1_backward_element,
         "out[i] = (x - t between -beta and beta) / beta g",
         "aten.smooth_l1_loss_backward.default")
SPI_ATEN(huber_loss_backward, GRADIENT ", int reduction, Scalar delta",
         backward_shape, huber_backward_element,
         "out[i] = (x - t between -delta and delta) g",
         "aten.huber_loss_backward.default")
SPI_ATEN(bce_loss_backward, GRADIENT ", Tensor? weight" REDUCTION,
         backward_shape, bce_backward_element,
         "out[i] = (x - t) / ((1 - x) x) g",
         "aten.binary_cross_entropy_backward.default")

extern const sp_op *const sp_ops_aten_loss_compare[];
const sp_op *const sp_ops_aten_loss_compare[] = {
    &mse_loss_row,
    &mse_loss_function_row,
    &l1_loss_row,
    &l1_loss_function_row,
    &smooth_l1_loss_row,
    &smooth_l1_loss_function_row,
    &huber_loss_row,
    &bce_loss_row,
    &bce_logits_loss_row,
    &bce_logits_function_row,
    &kl_div_row,
    &mse_loss_backward_row,
    &smooth_l1_loss_backward_row,
    &huber_loss_backward_row,
    &bce_loss_backward_row,
    NULL,
};
