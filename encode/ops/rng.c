/* rng.c: rng-bit-generator is a function of its state, so it is opaque. rng
 * and rng-get-and-update-state draw from a state that is no operand: two of
 * them differ although they look the same, so they have no row (unknown). */
#include "encode/op_util.h"

#include <string.h>

/* The algorithm as the name of the function has it. */
static const char *const algorithms[] = {"rng_default", "rng_three_fry",
                                         "rng_philox"};

static const char *algorithm_of(const sp_node *node) {
  const char *text = spi_attr_text(node, "algorithm");
  for (size_t i = 0; text && i < 3; i++) {
    if (strcmp(text, algorithms[i]) == 0) {
      return text;
    }
  }
  return text ? NULL : algorithms[0];
}

static void bits_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  const sp_shape *a = spi_in(program, node, 0);
  spi_expect_results(ctx, node, 2);
  spi_expect(ctx, program, node, 0, a->n_dims, a->dims);
  spi_expect_dtype(ctx, program, node, 0, 0);
  if (!algorithm_of(node)) {
    spi_unknown(ctx, node, "algorithm %s", spi_attr_text(node, "algorithm"));
  }
}

/* The shape of the data is part of the name: bits are dealt out in order. */
static sp_expr bits_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  const sp_shape *a = sp_call_shape(call, 0), *r = sp_call_result_shape(call);
  sp_expr *args = sp_alloc_n(ctx, r->n_dims + 1u, sizeof *args);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < a->n_dims; d++) {
    j[d] = sp_fresh(p, a->dims[d]);
  }
  args[0] = spi_lambda(p, a->n_dims, j, sp_call_read(call, 0, j));
  for (uint32_t d = 0; d < r->n_dims; d++) {
    args[1 + d] = idx[d];
  }
  const sp_shape *data = spi_out(call->program, call->node, 1);
  const char *name =
      sp_format(ctx, "rng-bits:%u:%s:%s", call->result,
                algorithm_of(call->node), sp_shape_text(ctx, data));
  return sp_fn(p, sp_dtype_sort(r->dtype), name, r->n_dims + 1, args);
}

static const sp_op_attr bits_attrs[] = {
    {"algorithm", SP_ATTR_TEXT, false, false},
    {0},
};
static const char *const bits_spellings[] = {"hlo:rng-bit-generator", NULL};
static const sp_op bits_row = {
    .name = "rng-bit-generator",
    .spellings = bits_spellings,
    .attrs = bits_attrs,
    .min_operands = 1,
    .max_operands = 1,
    .shape = bits_shape,
    .element = bits_element,
    .opaque = "random bits are a function of the whole state",
    .meaning = "new state and bits, functions of state, algorithm and shape",
};

extern const sp_op *const sp_ops_rng[];
const sp_op *const sp_ops_rng[] = {
    &bits_row,
    NULL,
};
