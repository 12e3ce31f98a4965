/* linalg.c: matrix decompositions, opaque functions of the matrices (the last
 * two dimensions) of one batch element. */
#include "base/vec.h"
#include "encode/op_util.h"

#include <string.h>

static void square(sp_ctx *ctx, const sp_node *node, const sp_shape *a) {
  if (a->n_dims < 2 || a->dims[a->n_dims - 1] != a->dims[a->n_dims - 2]) {
    spi_bad(ctx, node, "operand 0 is no batch of square matrices");
  }
}

static void cholesky_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  square(ctx, node, spi_in(program, node, 0));
  spi_shape_identity(ctx, program, node);
}

static void solve_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  const sp_shape *a = spi_in(program, node, 0), *b = spi_in(program, node, 1);
  spi_expect_results(ctx, node, 1);
  square(ctx, node, a);
  if (a->n_dims != b->n_dims ||
      memcmp(a->dims, b->dims, (a->n_dims - 2) * sizeof *a->dims) != 0) {
    spi_bad(ctx, node, "the operands have different batches");
  }
  spi_expect(ctx, program, node, 0, b->n_dims, b->dims);
  spi_expect_dtype(ctx, program, node, 0, 1);
}

/* The matrix of operand k that belongs to the batch element at idx. */
static sp_expr matrix(const sp_call *call, uint32_t k, const sp_expr *idx) {
  const sp_shape *a = sp_call_shape(call, k);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  memcpy(j, idx, a->n_dims * sizeof *j);
  for (uint32_t d = a->n_dims - 2; d < a->n_dims; d++) {
    j[d] = sp_fresh(call->pool, a->dims[d]);
  }
  return spi_lambda(call->pool, 2, &j[a->n_dims - 2], sp_call_read(call, k, j));
}

static sp_expr matrix_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  uint32_t n = call->node->n_in, last = sp_call_result_shape(call)->n_dims;
  sp_expr args[4];
  sp_str name = {0};
  sp_str_add(ctx, &name, call->node->op);
  for (uint32_t i = 0; i < call->node->n_attrs; i++) {
    const sp_attr *a = &call->node->attrs[i];
    sp_str_addf(ctx, &name, ":%s=%s", a->name, a->u.text);
  }
  for (uint32_t k = 0; k < n; k++) {
    args[k] = matrix(call, k, idx);
  }
  args[n] = idx[last - 2];
  args[n + 1] = idx[last - 1];
  return sp_fn(p, sp_dtype_sort(spi_out_dtype(call)), name.v, n + 2, args);
}

static const sp_op_attr cholesky_attrs[] = {
    {"lower", SP_ATTR_TEXT, false, false},
    {0},
};
static const char *const cholesky_spellings[] = {"hlo:cholesky", NULL};
static const sp_op cholesky_row = {
    .name = "cholesky",
    .spellings = cholesky_spellings,
    .attrs = cholesky_attrs,
    .min_operands = 1,
    .max_operands = 1,
    .shape = cholesky_shape,
    .element = matrix_element,
    .opaque = "a decomposition of a whole matrix",
    .meaning = "the Cholesky factor of each matrix",
};

static const sp_op_attr solve_attrs[] = {
    {"left_side", SP_ATTR_TEXT, false, false},
    {"lower", SP_ATTR_TEXT, false, false},
    {"unit_diagonal", SP_ATTR_TEXT, false, false},
    {"transpose_a", SP_ATTR_TEXT, false, false},
    {0},
};
static const char *const solve_spellings[] = {"hlo:triangular-solve", NULL};
static const sp_op solve_row = {
    .name = "triangular-solve",
    .spellings = solve_spellings,
    .attrs = solve_attrs,
    .min_operands = 2,
    .max_operands = 2,
    .shape = solve_shape,
    .element = matrix_element,
    .opaque = "the solution of a whole system of equations",
    .meaning = "x with a x = b (or x a = b) for each matrix",
};

extern const sp_op *const sp_ops_linalg[];
const sp_op *const sp_ops_linalg[] = {
    &cholesky_row,
    &solve_row,
    NULL,
};
