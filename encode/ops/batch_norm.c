/* batch_norm.c: the three batch normalisations, written out. All dimensions
 * but the feature dimension are averaged over; variance is the biased one. */
#include "encode/op_util.h"

#include <math.h>
#include <string.h>

typedef struct bn {
  const sp_call *call;
  sp_pool *p;
  const sp_shape *a;
  uint32_t feature;
  sp_expr eps;
  int64_t count; /* elements of one feature */
} bn;

static void check_feature(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node, uint32_t from, uint32_t to) {
  const sp_shape *a = spi_in(program, node, 0);
  int64_t d = spi_attr_int(node, "feature_index", 0);
  if (d < 0 || d >= (int64_t)a->n_dims) {
    spi_bad(ctx, node, "feature_index is %lld of %u", (long long)d, a->n_dims);
  }
  const sp_attr *eps = sp_node_attr(node, "epsilon");
  if (eps && !isfinite(eps->u.f)) {
    spi_bad(ctx, node, "epsilon is not finite");
  }
  for (uint32_t k = from; k < to; k++) {
    spi_expect_operand(ctx, program, node, k, 1, &a->dims[d]);
  }
  for (uint32_t k = 0; k < node->n_in; k++) {
    if (!sp_dtype_is_float(spi_in(program, node, k)->dtype)) {
      spi_bad(ctx, node, "operand %u is no float", k);
    }
  }
  spi_expect(ctx, program, node, 0, a->n_dims, a->dims);
  for (uint32_t k = 1; k < node->n_out; k++) {
    spi_expect(ctx, program, node, k, 1, &a->dims[d]);
  }
  for (uint32_t k = 0; k < node->n_out; k++) {
    spi_expect_dtype(ctx, program, node, k, 0);
  }
}

static void training_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  spi_expect_results(ctx, node, 3);
  check_feature(ctx, program, node, 1, 3);
}

static void inference_shape(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  check_feature(ctx, program, node, 1, 5);
}

static void grad_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  spi_expect_results(ctx, node, 3);
  check_feature(ctx, program, node, 1, 4);
  const sp_shape *a = spi_in(program, node, 0);
  spi_expect_operand(ctx, program, node, 4, a->n_dims, a->dims);
}

static bn bn_of(const sp_call *call) {
  bn b = {.call = call, .p = call->pool, .a = sp_call_shape(call, 0)};
  const sp_attr *e = sp_node_attr(call->node, "epsilon");
  b.feature = (uint32_t)spi_attr_int(call->node, "feature_index", 0);
  double eps = e ? e->u.f : 0;
  b.eps = sp_real(b.p, sp_num_from_double(b.p, eps, 24));
  b.count = 1;
  for (uint32_t d = 0; d < b.a->n_dims; d++) {
    b.count *= d == b.feature ? 1 : b.a->dims[d];
  }
  return b;
}

/* Sum over all elements of feature f of term(element index). */
typedef sp_expr (*bn_term)(const bn *b, const sp_expr *at);

static sp_expr sum(const bn *b, sp_expr f, bn_term term) {
  sp_expr at[SP_MAX_DIMS] = {{0}}, vars[SP_MAX_DIMS];
  uint32_t n = 0;
  for (uint32_t d = 0; d < b->a->n_dims; d++) {
    at[d] = d == b->feature ? f : (vars[n++] = sp_fresh(b->p, b->a->dims[d]));
  }
  return spi_red(b->call, SP_REDUCER_SUM, b->a->dtype, n, vars, term(b, at));
}

static sp_expr over_count(const bn *b, sp_expr e) {
  return b->count ? sp_scale(b->p, e, sp_num_ratio(b->p, 1, b->count)) : e;
}

static sp_expr value_at(const bn *b, const sp_expr *at) {
  return sp_call_read(b->call, 0, at);
}

static sp_expr mean_of(const bn *b, sp_expr f) {
  return over_count(b, sum(b, f, value_at));
}

static sp_expr squared_deviation(const bn *b, const sp_expr *at) {
  sp_expr x = sp_sub(b->p, value_at(b, at), mean_of(b, at[b->feature]));
  return sp_mul(b->p, x, x);
}

static sp_expr variance_of(const bn *b, sp_expr f) {
  return over_count(b, sum(b, f, squared_deviation));
}

static sp_expr inverse_deviation(const bn *b, sp_expr variance) {
  return sp_fn1(b->p, "rsqrt", sp_add(b->p, variance, b->eps));
}

static sp_expr normalised(const bn *b, const sp_expr *idx, sp_expr mean,
                          sp_expr variance) {
  sp_expr f[1] = {idx[b->feature]};
  sp_expr x = sp_sub(b->p, value_at(b, idx), mean);
  x = sp_mul(b->p, x, inverse_deviation(b, variance));
  x = sp_mul(b->p, x, sp_call_read(b->call, 1, f));
  return sp_add(b->p, x, sp_call_read(b->call, 2, f));
}

static sp_expr training_element(const sp_call *call, const sp_expr *idx) {
  bn b = bn_of(call);
  if (call->result == 1) {
    return mean_of(&b, idx[0]);
  }
  if (call->result == 2) {
    return variance_of(&b, idx[0]);
  }
  sp_expr f = idx[b.feature];
  return normalised(&b, idx, mean_of(&b, f), variance_of(&b, f));
}

static sp_expr inference_element(const sp_call *call, const sp_expr *idx) {
  bn b = bn_of(call);
  sp_expr f[1] = {idx[b.feature]};
  return normalised(&b, idx, sp_call_read(call, 3, f),
                    sp_call_read(call, 4, f));
}

/* ---- gradient: operands a, scale, mean, variance, g ---- */

static sp_expr gradient_at(const bn *b, const sp_expr *at) {
  return sp_call_read(b->call, 4, at);
}

static sp_expr deviation_at(const bn *b, const sp_expr *at) {
  sp_expr f[1] = {at[b->feature]};
  return sp_sub(b->p, value_at(b, at), sp_call_read(b->call, 2, f));
}

static sp_expr gradient_times_deviation(const bn *b, const sp_expr *at) {
  return sp_mul(b->p, gradient_at(b, at), deviation_at(b, at));
}

static sp_expr grad_element(const sp_call *call, const sp_expr *idx) {
  bn b = bn_of(call);
  sp_pool *p = b.p;
  sp_expr f[1] = {call->result == 0 ? idx[b.feature] : idx[0]};
  if (call->result == 2) {
    return sum(&b, f[0], gradient_at);
  }
  sp_expr inv = inverse_deviation(&b, sp_call_read(call, 3, f));
  sp_expr gd = sum(&b, f[0], gradient_times_deviation);
  if (call->result == 1) {
    return sp_mul(p, gd, inv);
  }
  /* scale * inv * (g - mean(g) - deviation * inv^2 * mean(g * deviation)) */
  sp_expr x = sp_mul(p, sp_mul(p, deviation_at(&b, idx), sp_mul(p, inv, inv)),
                     over_count(&b, gd));
  sp_expr g = sp_sub(p, gradient_at(&b, idx),
                     over_count(&b, sum(&b, f[0], gradient_at)));
  return sp_mul(p, sp_mul(p, sp_call_read(call, 1, f), inv), sp_sub(p, g, x));
}

static const sp_op_attr batch_norm_attrs[] = {
    {"epsilon", SP_ATTR_FLOAT, false, false},
    {"feature_index", SP_ATTR_INT, false, false},
    {0},
};

#define ROW(id, opcode, n, text)                                               \
  static const char *const id##_spellings[] = {"hlo:" opcode, NULL};           \
  static const sp_op id##_row = {                                              \
      .name = opcode,                                                          \
      .spellings = id##_spellings,                                             \
      .attrs = batch_norm_attrs,                                               \
      .min_operands = n,                                                       \
      .max_operands = n,                                                       \
      .shape = id##_shape,                                                     \
      .element = id##_element,                                                 \
      .meaning = text,                                                         \
  };

ROW(training, "batch-norm-training", 3,
    "(a - mean) * rsqrt(variance + epsilon) * scale + offset; mean; variance")
ROW(inference, "batch-norm-inference", 5,
    "(a - mean) * rsqrt(variance + epsilon) * scale + offset")
ROW(grad, "batch-norm-grad", 5,
    "gradients of batch-norm-training by a, scale and offset")

extern const sp_op *const sp_ops_batch_norm[];
const sp_op *const sp_ops_batch_norm[] = {
    &training_row,
    &inference_row,
    &grad_row,
    NULL,
};
