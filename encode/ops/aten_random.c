/* aten_random.c: dropout. The draw is an opaque function of the element that
 * is kept or dropped, and nothing else: two tensors that are equal are dropped
 * alike, on both sides. The assumption is told. Draws that multiply nothing
 * (rand, bernoulli) have no row. */
#include "encode/aten_util.h"

#include <string.h>

#define DRAWS                                                                  \
  "random draws (dropout) are taken to be the same function of what they "     \
  "drop on both sides"

static void dropout_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  double p = spi_arg_float(ctx, node, "p");
  if (!(p >= 0 && p <= 1)) {
    spi_bad(ctx, node, "drops with probability %g", p);
  }
  spi_results(ctx, node, 2);
  spi_yields_like(ctx, program, node, 0, &s, "self");
  spi_yields(ctx, program, node, 1, &s, SP_SORT_BOOL);
}

static bool draws(const sp_call *call) {
  const char *name = strstr(sp_op_find(call->node->op)->params, "training")
                         ? "training"
                         : "train";
  return spi_arg_bool(spi_call_ctx(call), call->node, name);
}

/* Is the element kept? */
static sp_expr kept(const sp_call *call, sp_expr x, double p) {
  if (p == 0 || p == 1) {
    return sp_bool(call->pool, p != 1);
  }
  spi_assume(call, DRAWS);
  const char *name = sp_format(spi_call_ctx(call), "dropout:%.17g", p);
  return sp_fn(call->pool, SP_SORT_BOOL, name, 1, &x);
}

static sp_expr dropout_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = spi_call_ctx(call);
  double rate = spi_arg_float(ctx, call->node, "p");
  sp_expr x = spi_arg_read(call, "self", idx);
  if (!draws(call)) {
    return call->result == 1 ? sp_bool(p, true) : x;
  }
  sp_expr mask = kept(call, x, rate);
  if (call->result == 1) {
    return mask;
  }
  if (rate == 1) {
    return sp_real_i64(p, 0);
  }
  sp_expr rest =
      sp_sub(p, sp_real_i64(p, 1), spi_arg_number(call, "p", SP_F64));
  return sp_ite(p, mask, sp_div(p, x, rest), sp_real_i64(p, 0));
}

static void backward_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "grad_output"));
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "mask"), s.n, s.d);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

static sp_expr backward_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  uint32_t n = sp_call_result_shape(call)->n_dims;
  sp_expr mask = spi_arg_value(call, "mask", n, idx, SP_PRED);
  sp_expr g = sp_mul(p, spi_arg_read(call, "grad_output", idx),
                     spi_arg_number(call, "scale", SP_F64));
  return sp_ite(p, mask, g, sp_real_i64(p, 0));
}

#define DROPOUT "out[i] = a[i] / (1 - p) where the draw keeps it, else 0"

SPI_ATEN(native_dropout, "Tensor self, Scalar p, bool train=True",
         dropout_shape, dropout_element, DROPOUT "; what was kept",
         "aten.native_dropout.default")
SPI_ATEN(dropout, "Tensor self, Scalar p, bool train", dropout_shape,
         dropout_element, DROPOUT, "aten.dropout.default", "torch.dropout")
SPI_ATEN(dropout_function,
         "Tensor self, Scalar p=0.5, bool training=True, any? inplace",
         dropout_shape, dropout_element, DROPOUT, "torch.nn.functional.dropout")
SPI_ATEN(native_dropout_backward,
         "Tensor grad_output, Tensor mask, Scalar scale", backward_shape,
         backward_element, "out[i] = mask[i] ? g[i] * scale : 0",
         "aten.native_dropout_backward.default")

extern const sp_op *const sp_ops_aten_random[];
const sp_op *const sp_ops_aten_random[] = {
    &native_dropout_row,          &dropout_row, &dropout_function_row,
    &native_dropout_backward_row, NULL,
};
