/* aten_optimizer.c: a step of Adam for lists of parameters, as one operator.
 *
 * Results are lists, one after the other: parameters, gradients, exp_avgs,
 * exp_avg_sqs and, with amsgrad, max_exp_avg_sqs; list by list item k of
 *   g' = g, or -g to maximize
 *   Adam:  g' += weight_decay p     AdamW: p *= 1 - lr weight_decay
 *   m' = beta1 m + (1 - beta1) g',  v' = beta2 v + (1 - beta2) g'^2
 *   p' = p - lr / (1 - beta1^step) m' /
 *            (sqrt(v') / sqrt(1 - beta2^step) + eps)
 * where amsgrad takes the largest v' so far. The step is counted before the
 * call. Gradients stay as they are (they are scaled by grad_scale, which is
 * not understood). */
#include "encode/aten_util.h"

#include <string.h>

static const char *const lists[] = {
    "self",        "grads",           "exp_avgs",
    "exp_avg_sqs", "max_exp_avg_sqs", "state_steps"};

enum { SELF, GRADS, AVGS, SQUARES, LARGEST, STEPS, N_LISTS };

static void adam_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  uint32_t n, m;
  bool largest = spi_arg_bool(ctx, node, "amsgrad");
  const int64_t *self = spi_arg_operands(node, "self", &n);
  for (int i = 0; i < N_LISTS; i++) {
    const int64_t *v = spi_arg_operands(node, lists[i], &m);
    if (m != (i == LARGEST && !largest ? 0 : n)) {
      spi_bad(ctx, node, "%s has %u tensors, self %u", lists[i], m, n);
    }
    for (uint32_t k = 0; k < m; k++) {
      if (v[k] < 0 || self[k] < 0) {
        spi_bad(ctx, node, "%s has no tensor %u", lists[i], k);
      }
      const sp_shape *s = spi_in(program, node, (uint32_t)self[k]);
      bool step = i == STEPS;
      spi_expect_operand(ctx, program, node, (uint32_t)v[k],
                         step ? 0 : s->n_dims, s->dims);
      if (!sp_dtype_is_float(spi_in(program, node, (uint32_t)v[k])->dtype)) {
        spi_unknown(ctx, node, "%s has tensors that are no floats", lists[i]);
      }
    }
  }
  int64_t lr = spi_arg_operand(node, "lr");
  if (lr >= 0) {
    spi_expect_operand(ctx, program, node, (uint32_t)lr, 0, NULL);
  }
  spi_results(ctx, node, (largest ? 5 : 4) * n);
  for (uint32_t k = 0; k < node->n_out; k++) {
    spi_dims s = spi_dims_of(spi_in(program, node, (uint32_t)self[k % n]));
    spi_yields(ctx, program, node, k, &s, SP_SORT_REAL);
  }
}

typedef struct step {
  const sp_call *call;
  sp_pool *p;
  uint32_t k; /* of the lists */
  const sp_expr *idx;
} step;

static sp_expr item(const step *s, int list) {
  uint32_t n;
  const int64_t *v = spi_arg_operands(s->call->node, lists[list], &n);
  sp_expr none[1] = {{0}};
  return sp_call_read(s->call, (uint32_t)v[s->k],
                      list == STEPS ? none : s->idx);
}

static sp_expr number(const step *s, const char *name) {
  sp_expr none[1] = {{0}};
  return spi_arg_value(s->call, name, 0, none, SP_F64);
}

static sp_expr one_minus(const step *s, sp_expr e) {
  return sp_sub(s->p, sp_real_i64(s->p, 1), e);
}

/* 1 - beta^step */
static sp_expr correction(const step *s, const char *beta) {
  sp_expr e = spi_arith_power(s->call, number(s, beta), item(s, STEPS), SP_F64);
  return one_minus(s, e);
}

static bool decoupled(const step *s) {
  return strstr(s->call->node->op, "adamw") != NULL;
}

static sp_expr gradient(const step *s) {
  sp_expr g = item(s, GRADS);
  if (spi_arg_bool(spi_call_ctx(s->call), s->call->node, "maximize")) {
    g = sp_scale(s->p, g, sp_num_from_i64(s->p, -1));
  }
  if (!decoupled(s)) {
    sp_expr decay = sp_mul(s->p, number(s, "weight_decay"), item(s, SELF));
    g = sp_add(s->p, g, decay);
  }
  return g;
}

/* beta old + (1 - beta) e */
static sp_expr average(const step *s, const char *beta, int old, sp_expr e) {
  sp_expr b = number(s, beta);
  return sp_add(s->p, sp_mul(s->p, b, item(s, old)),
                sp_mul(s->p, one_minus(s, b), e));
}

static sp_expr squares(const step *s) {
  sp_expr g = gradient(s);
  return average(s, "beta2", SQUARES, sp_mul(s->p, g, g));
}

static sp_expr largest(const step *s) {
  return sp_max(s->p, item(s, LARGEST), squares(s));
}

static sp_expr parameter(const step *s) {
  sp_pool *p = s->p;
  bool amsgrad = spi_arg_bool(spi_call_ctx(s->call), s->call->node, "amsgrad");
  sp_expr x = item(s, SELF), lr = number(s, "lr");
  if (decoupled(s)) {
    sp_expr keep = one_minus(s, sp_mul(p, lr, number(s, "weight_decay")));
    x = sp_mul(p, x, keep);
  }
  sp_expr v = sp_fn1(p, "sqrt", amsgrad ? largest(s) : squares(s));
  v = sp_div(p, v, sp_fn1(p, "sqrt", correction(s, "beta2")));
  sp_expr m = average(s, "beta1", AVGS, gradient(s));
  sp_expr e = sp_mul(p, sp_div(p, lr, correction(s, "beta1")), m);
  return sp_sub(p, x, sp_div(p, e, sp_add(p, v, number(s, "eps"))));
}

static sp_expr adam_element(const sp_call *call, const sp_expr *idx) {
  uint32_t n;
  spi_arg_operands(call->node, "self", &n);
  step s = {call, call->pool, call->result % n, idx};
  switch (call->result / n) {
  case SELF:
    return parameter(&s);
  case GRADS:
    return item(&s, GRADS);
  case AVGS:
    return average(&s, "beta1", AVGS, gradient(&s));
  case SQUARES:
    return squares(&s);
  default:
    return largest(&s);
  }
}

#define STEP                                                                   \
  "Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, "   \
  "Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, Value lr, "              \
  "Scalar beta1, Scalar beta2, Scalar weight_decay, Scalar eps, "              \
  "bool amsgrad, bool maximize, any? grad_scale!, any? found_inf!"

SPI_ATEN(fused_adam, STEP, adam_shape, adam_element,
         "a step of Adam: parameters, gradients, averages",
         "aten._fused_adam.default", "aten._fused_adam.tensor_lr")
SPI_ATEN(fused_adamw, STEP, adam_shape, adam_element,
         "a step of AdamW: parameters, gradients, averages",
         "aten._fused_adamw.default", "aten._fused_adamw.tensor_lr")

extern const sp_op *const sp_ops_aten_optimizer[];
const sp_op *const sp_ops_aten_optimizer[] = {
    &fused_adam_row,
    &fused_adamw_row,
    NULL,
};
