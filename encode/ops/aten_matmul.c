/* aten_matmul.c: products of matrices: sums over one shared dimension.
 *
 * matmul covers all: with vectors made matrices, out[.., m, n] = sum over k of
 * a[.., m, k] * b[.., k, n], the dots broadcast. */
#include "encode/aten_util.h"

#include <string.h>

typedef struct factors {
  const sp_shape *a, *b;
  uint32_t ka, kb;  /* the shared dimension of each */
  bool row, column; /* does the result have m, n? */
} factors;

static factors factors_of(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node, const char *a, const char *b,
                          bool transposed) {
  factors f = {.a = spi_arg_shape(ctx, program, node, a),
               .b = spi_arg_shape(ctx, program, node, b)};
  if (f.a->n_dims == 0 || f.b->n_dims == 0) {
    spi_bad(ctx, node, "a product with a scalar");
  }
  f.row = f.a->n_dims > 1;
  f.column = f.b->n_dims > 1;
  f.ka = f.a->n_dims - 1;
  f.kb = !f.column ? 0 : f.b->n_dims - (transposed ? 1 : 2);
  if (f.a->dims[f.ka] != f.b->dims[f.kb]) {
    spi_bad(ctx, node, "rows of %lld times columns of %lld",
            (long long)f.a->dims[f.ka], (long long)f.b->dims[f.kb]);
  }
  if (sp_dtype_sort(f.a->dtype) != sp_dtype_sort(f.b->dtype) ||
      f.a->dtype == SP_PRED) {
    spi_unknown(ctx, node, "%s times %s", sp_dtype_name(f.a->dtype),
                sp_dtype_name(f.b->dtype));
  }
  return f;
}

/* Batch dimensions broadcast, then rows, then columns. */
static spi_dims product_dims(sp_ctx *ctx, const sp_node *node,
                             const factors *f) {
  sp_shape sa = {f->a->dtype, f->row ? f->a->n_dims - 2 : 0, f->a->dims};
  sp_shape sb = {f->b->dtype, f->column ? f->b->n_dims - 2 : 0, f->b->dims};
  spi_dims s = {0};
  spi_broadcast(ctx, node, &s, &sa);
  spi_broadcast(ctx, node, &s, &sb);
  if (f->row) {
    spi_dims_push(ctx, node, &s, f->a->dims[f->a->n_dims - 2]);
  }
  if (f->column) {
    uint32_t n = 2 * f->b->n_dims - 3 - f->kb; /* the other of the last two */
    spi_dims_push(ctx, node, &s, f->b->dims[n]);
  }
  return s;
}

/* The product at idx of n coordinates, of which the last are row and column
 * where it has them. */
static sp_expr product(const sp_call *call, const factors *f, const char *a,
                       const char *b, uint32_t n, const sp_expr *idx,
                       sp_dtype t) {
  sp_pool *p = call->pool;
  uint32_t batch = n - (f->row ? 1 : 0) - (f->column ? 1 : 0);
  sp_expr ia[SP_MAX_DIMS] = {{0}}, ib[SP_MAX_DIMS] = {{0}};
  uint32_t ba = f->row ? f->a->n_dims - 2 : 0;
  uint32_t bb = f->column ? f->b->n_dims - 2 : 0;
  for (uint32_t d = 0; d < ba; d++) {
    ia[d] = f->a->dims[d] == 1 ? sp_int(p, 0) : idx[batch - ba + d];
  }
  for (uint32_t d = 0; d < bb; d++) {
    ib[d] = f->b->dims[d] == 1 ? sp_int(p, 0) : idx[batch - bb + d];
  }
  sp_expr k = sp_fresh(p, f->a->dims[f->ka]);
  if (f->row) {
    ia[ba] = idx[batch];
  }
  if (f->column) {
    ib[2 * f->b->n_dims - 3 - f->kb] = idx[n - 1];
  }
  ia[f->ka] = k;
  ib[f->kb] = k;
  sp_expr body = spi_arith_multiply(call, spi_arg_read(call, a, ia),
                                    spi_arg_read(call, b, ib), t);
  return spi_red(call, SP_REDUCER_SUM, t, 1, &k, body);
}

static void result_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node, const factors *f,
                         const spi_dims *s) {
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, s, sp_dtype_sort(f->a->dtype));
}

/* ---- mm, bmm, matmul, linear ---- */

static bool is_linear(const sp_node *node) {
  return strstr(sp_op_find(node->op)->params, "weight") != NULL;
}

static factors plain(sp_ctx *ctx, const sp_program *program,
                     const sp_node *node) {
  bool linear = is_linear(node);
  return factors_of(ctx, program, node, "self", linear ? "weight" : "mat2",
                    linear);
}

static void ranks_are(sp_ctx *ctx, const sp_node *node, const factors *f,
                      uint32_t n) {
  if (f->a->n_dims != n || f->b->n_dims != n) {
    spi_bad(ctx, node, "operands of %u and %u dimensions, %u expected",
            f->a->n_dims, f->b->n_dims, n);
  }
}

static void matmul_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  factors f = plain(ctx, program, node);
  spi_dims s = product_dims(ctx, node, &f);
  result_shape(ctx, program, node, &f, &s);
}

static void mm_shape(sp_ctx *ctx, const sp_program *program,
                     const sp_node *node) {
  factors f = plain(ctx, program, node);
  ranks_are(ctx, node, &f, 2);
  matmul_shape(ctx, program, node);
}

static void bmm_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  factors f = plain(ctx, program, node);
  ranks_are(ctx, node, &f, 3);
  if (f.a->dims[0] != f.b->dims[0]) {
    spi_bad(ctx, node, "batches of %lld and %lld", (long long)f.a->dims[0],
            (long long)f.b->dims[0]);
  }
  matmul_shape(ctx, program, node);
}

static void linear_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  factors f = plain(ctx, program, node);
  spi_dims s = product_dims(ctx, node, &f);
  if (f.b->n_dims > 2) {
    spi_bad(ctx, node, "a weight of %u dimensions", f.b->n_dims);
  }
  if (spi_arg_given(node, "bias")) {
    spi_broadcasts_to(ctx, node, spi_arg_shape(ctx, program, node, "bias"), &s);
  }
  result_shape(ctx, program, node, &f, &s);
}

static sp_expr matmul_element(const sp_call *call, const sp_expr *idx) {
  sp_ctx *ctx = spi_call_ctx(call);
  const sp_shape *r = sp_call_result_shape(call);
  factors f = plain(ctx, call->program, call->node);
  bool linear = is_linear(call->node);
  sp_expr e = product(call, &f, "self", linear ? "weight" : "mat2", r->n_dims,
                      idx, r->dtype);
  if (linear && spi_arg_given(call->node, "bias")) {
    e = spi_arith_add(call, e,
                      spi_arg_value(call, "bias", r->n_dims, idx, r->dtype),
                      r->dtype);
  }
  return e;
}

/* ---- addmm, baddbmm, addmv, addbmm: beta c + alpha a b ---- */

static factors added(sp_ctx *ctx, const sp_program *program,
                     const sp_node *node) {
  return factors_of(ctx, program, node, "mat1", "mat2", false);
}

static void add_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  factors f = added(ctx, program, node);
  spi_dims s = product_dims(ctx, node, &f);
  if (f.a->n_dims > 3 ||
      (f.a->n_dims != f.b->n_dims && !(f.a->n_dims == 2 && !f.column)) ||
      (f.a->n_dims == 3 && f.a->dims[0] != f.b->dims[0])) {
    spi_bad(ctx, node, "operands of %u and %u dimensions", f.a->n_dims,
            f.b->n_dims);
  }
  spi_broadcasts_to(ctx, node, spi_arg_shape(ctx, program, node, "self"), &s);
  result_shape(ctx, program, node, &f, &s);
}

/* A beta of 0 drops self, even where that is uninitialised. */
static sp_expr add_element(const sp_call *call, const sp_expr *idx) {
  sp_ctx *ctx = spi_call_ctx(call);
  sp_pool *p = call->pool;
  const sp_shape *r = sp_call_result_shape(call);
  sp_dtype t = r->dtype;
  factors f = added(ctx, call->program, call->node);
  sp_expr e = product(call, &f, "mat1", "mat2", r->n_dims, idx, t);
  if (spi_arg_given(call->node, "alpha")) {
    e = spi_arith_multiply(call, spi_arg_number(call, "alpha", t), e, t);
  }
  sp_expr beta = spi_arg_number(call, "beta", t);
  if (beta.v == spi_zero(p, sp_dtype_sort(t)).v) {
    return e;
  }
  sp_expr c = spi_arg_value(call, "self", r->n_dims, idx, t);
  if (spi_arg_given(call->node, "beta")) {
    c = spi_arith_multiply(call, beta, c, t);
  }
  return spi_arith_add(call, c, e, t);
}

/* ---- outer, dot ---- */

static void outer_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  const sp_shape *b = spi_arg_shape(ctx, program, node, "mat2");
  if (a->n_dims != 1 || b->n_dims != 1) {
    spi_bad(ctx, node, "operands of %u and %u dimensions", a->n_dims,
            b->n_dims);
  }
  spi_dims s = {.n = 2, .d = {a->dims[0], b->dims[0]}};
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s,
             sp_dtype_sort(spi_promote(a->dtype, b->dtype)));
}

static sp_expr outer_element(const sp_call *call, const sp_expr *idx) {
  sp_dtype t = spi_out_dtype(call);
  return spi_arith_multiply(call, spi_arg_value(call, "self", 1, idx, t),
                            spi_arg_value(call, "mat2", 1, idx + 1, t), t);
}

/* ---- rows ---- */

#define PAIR "Tensor self, Tensor mat2"
#define SUM                                                                    \
  "Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, "                  \
  "Scalar alpha=1"

SPI_ATEN(mm, PAIR, mm_shape, matmul_element,
         "out[m, n] = sum over k of a[m, k] * b[k, n]",
         SPI_NAMES("mm", "default"))
SPI_ATEN(bmm, PAIR, bmm_shape, matmul_element,
         "out[b, m, n] = sum over k of a[b, m, k] * b[b, k, n]",
         SPI_NAMES("bmm", "default"))
SPI_ATEN(matmul, PAIR, matmul_shape, matmul_element,
         "out[.., m, n] = sum over k of a[.., m, k] * b[.., k, n]",
         SPI_NAMES("matmul", "default"), "operator.matmul",
         SPI_NAMES("mv", "default"), SPI_NAMES("dot", "default"),
         "aten.vdot.default")
SPI_ATEN(linear, "Tensor self, Tensor weight, Tensor? bias", linear_shape,
         matmul_element,
         "out[.., n] = sum over k of a[.., k] * w[n, k] + bias[n]",
         "aten.linear.default", "torch._C._nn.linear",
         "torch.nn.functional.linear")
SPI_ATEN(addmm, SUM, add_shape, add_element,
         "out = beta * c + alpha * a b; c is not read where beta is 0",
         SPI_NAMES("addmm", "default"), SPI_NAMES("baddbmm", "default"),
         SPI_NAMES("addmv", "default"))
SPI_ATEN(outer, PAIR, outer_shape, outer_element, "out[i, j] = a[i] * b[j]",
         SPI_NAMES("outer", "default"), SPI_NAMES("ger", "default"))

extern const sp_op *const sp_ops_aten_matmul[];
const sp_op *const sp_ops_aten_matmul[] = {
    &mm_row, &bmm_row, &matmul_row, &linear_row, &addmm_row, &outer_row, NULL,
};
