/* aten_softmax.c: softmax and its logarithm along a dimension, and their
 * gradients. m is the largest element: it shifts the exponents, cancels in
 * exact arithmetic, and keeps floats in range where terms are evaluated. */
#include "encode/aten_util.h"

#include <string.h>

static void softmax_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  spi_arg_dim(ctx, node, "dim", s.n);
  spi_yields_dtype(ctx, program, node, &s, SP_SORT_REAL);
}

static void backward_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  const sp_shape *y = spi_arg_shape(ctx, program, node, "output");
  spi_dims s = spi_dims_of(y);
  spi_arg_dim(ctx, node, "dim", s.n);
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "grad_output"), s.n, s.d);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

/* The named operand along dim: the variable is new. */
typedef struct line {
  sp_expr k, at[SP_MAX_DIMS];
} line;

static line line_of(const sp_call *call, const sp_expr *idx) {
  const sp_shape *r = sp_call_result_shape(call);
  uint32_t d = spi_arg_dim(spi_call_ctx(call), call->node, "dim", r->n_dims);
  line l = {.k = sp_fresh(call->pool, r->n_dims ? r->dims[d] : 1)};
  if (r->n_dims) {
    memcpy(l.at, idx, r->n_dims * sizeof *idx);
  }
  l.at[d] = l.k;
  return l;
}

static sp_expr value(const sp_call *call, const char *name,
                     const sp_expr *idx) {
  return spi_arg_value(call, name, sp_call_result_shape(call)->n_dims, idx,
                       SP_F64);
}

/* x - m and the sum of all exp(x - m) */
static void shifted(const sp_call *call, const sp_expr *idx, sp_expr *x,
                    sp_expr *sum) {
  sp_pool *p = call->pool;
  line a = line_of(call, idx), b = line_of(call, idx);
  sp_expr m =
      spi_red(call, SP_REDUCER_MAX, SP_F64, 1, &a.k, value(call, "self", a.at));
  sp_expr e = sp_exp(p, sp_sub(p, value(call, "self", b.at), m));
  *sum = spi_sum(call, 1, &b.k, e);
  *x = sp_sub(p, value(call, "self", idx), m);
}

static sp_expr softmax_element(const sp_call *call, const sp_expr *idx) {
  sp_expr x, sum;
  shifted(call, idx, &x, &sum);
  return sp_div(call->pool, sp_exp(call->pool, x), sum);
}

/* Zero where a row is masked as a whole; such rows are assumed away. */
static sp_expr safe_softmax_element(const sp_call *call, const sp_expr *idx) {
  spi_assume(call, "no row of a safe softmax is masked as a whole");
  return softmax_element(call, idx);
}

static sp_expr log_softmax_element(const sp_call *call, const sp_expr *idx) {
  sp_expr x, sum;
  shifted(call, idx, &x, &sum);
  return sp_sub(call->pool, x, sp_fn1(call->pool, "log", sum));
}

/* y (g - sum of g y) */
static sp_expr softmax_backward_element(const sp_call *call,
                                        const sp_expr *idx) {
  sp_pool *p = call->pool;
  line l = line_of(call, idx);
  sp_expr sum = spi_sum(
      call, 1, &l.k,
      sp_mul(p, value(call, "grad_output", l.at), value(call, "output", l.at)));
  return sp_mul(p, value(call, "output", idx),
                sp_sub(p, value(call, "grad_output", idx), sum));
}

/* g - exp(y) sum of g */
static sp_expr log_softmax_backward_element(const sp_call *call,
                                            const sp_expr *idx) {
  sp_pool *p = call->pool;
  line l = line_of(call, idx);
  sp_expr sum = spi_sum(call, 1, &l.k, value(call, "grad_output", l.at));
  return sp_sub(p, value(call, "grad_output", idx),
                sp_mul(p, sp_exp(p, value(call, "output", idx)), sum));
}

#define HALF "Tensor self, int dim, any half_to_float"
#define TYPED "Tensor self, int dim, dtype? dtype"
#define FUNCTION                                                               \
  "Tensor self, int dim, any? stacklevel, dtype? dtype, *, "                   \
  "any? _stacklevel"
#define GRAD "Tensor grad_output, Tensor output, int dim, any input_dtype"
#define SOFTMAX "out[i] = exp(a[i]) / sum over k of exp(a[k])"
#define LOG_SOFTMAX "out[i] = a[i] - log(sum over k of exp(a[k]))"

SPI_ATEN(softmax_half, HALF, softmax_shape, softmax_element, SOFTMAX,
         "aten._softmax.default")
SPI_ATEN(softmax, TYPED, softmax_shape, softmax_element, SOFTMAX,
         SPI_NAMES("softmax", "int"))
SPI_ATEN(softmax_function, FUNCTION, softmax_shape, softmax_element, SOFTMAX,
         "torch.nn.functional.softmax")
SPI_ATEN(safe_softmax, TYPED, softmax_shape, safe_softmax_element, SOFTMAX,
         "aten._safe_softmax.default")
SPI_ATEN(log_softmax_half, HALF, softmax_shape, log_softmax_element,
         LOG_SOFTMAX, "aten._log_softmax.default")
SPI_ATEN(log_softmax, TYPED, softmax_shape, log_softmax_element, LOG_SOFTMAX,
         SPI_NAMES("log_softmax", "int"))
SPI_ATEN(log_softmax_function, FUNCTION, softmax_shape, log_softmax_element,
         LOG_SOFTMAX, "torch.nn.functional.log_softmax")
SPI_ATEN(softmax_backward, GRAD, backward_shape, softmax_backward_element,
         "out[i] = y[i] (g[i] - sum over k of g[k] y[k])",
         "aten._softmax_backward_data.default")
SPI_ATEN(log_softmax_backward, GRAD, backward_shape,
         log_softmax_backward_element,
         "out[i] = g[i] - exp(y[i]) sum over k of g[k]",
         "aten._log_softmax_backward_data.default")

extern const sp_op *const sp_ops_aten_softmax[];
const sp_op *const sp_ops_aten_softmax[] = {
    &softmax_half_row,         &softmax_row,
    &softmax_function_row,     &safe_softmax_row,
    &log_softmax_half_row,     &log_softmax_row,
    &log_softmax_function_row, &softmax_backward_row,
    &log_softmax_backward_row, NULL,
};
