/* conditional.c: the branches were inlined by the reader. Operand 0 is the
 * index (a predicate reads as a number: branch 0 is the false one), then come
 * the results of branch 0, of branch 1, and so on. An index out of range
 * chooses the last branch. */
#include "encode/op_util.h"

static void conditional_shape(sp_ctx *ctx, const sp_program *program,
                              const sp_node *node) {
  const sp_shape *index = spi_in(program, node, 0);
  int64_t n = spi_attr_int(node, "n_branches", 0);
  spi_expect_operand(ctx, program, node, 0, 0, NULL);
  if (n < 1 || node->n_in != 1 + (uint64_t)n * node->n_out) {
    spi_bad(ctx, node, "%lld branches with %u results and %u operands",
            (long long)n, node->n_out, node->n_in);
  }
  if (sp_dtype_is_float(index->dtype) || (index->dtype == SP_PRED && n != 2)) {
    spi_bad(ctx, node, "a %s chooses from %lld branches",
            sp_dtype_name(index->dtype), (long long)n);
  }
  for (uint32_t k = 1; k < node->n_in; k++) {
    const sp_shape *s = spi_in(program, node, k);
    uint32_t r = (k - 1) % node->n_out;
    spi_expect(ctx, program, node, r, s->n_dims, s->dims);
    spi_expect_dtype(ctx, program, node, r, k);
  }
}

static bool depends_on_rank(const sp_call *call, sp_expr index) {
  sp_pool *p = call->pool;
  return sp_kind_of(p, call->rank) == SP_KIND_VAR &&
         sp_has_free(p, sp_simplify(p, index), call->rank);
}

static sp_expr conditional_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_node *node = call->node;
  uint32_t n = (uint32_t)spi_attr_int(node, "n_branches", 1);
  sp_expr none[1] = {{0}};
  sp_expr index = sp_call_read(call, 0, none);
  if (spi_attr_int(node, "has_collectives", 0) &&
      depends_on_rank(call, index)) {
    spi_unknown(sp_pool_ctx(p), node,
                "ranks may take different branches, and the branches "
                "communicate");
  }
  uint32_t last = 1 + (n - 1) * node->n_out + call->result;
  sp_expr e = sp_call_read(call, last, idx);
  for (uint32_t k = n - 1; k-- > 0;) {
    sp_expr here = sp_sort_of(p, index) == SP_SORT_BOOL
                       ? sp_not(p, index)
                       : sp_eq(p, index, sp_int(p, k));
    uint32_t operand = 1 + k * node->n_out + call->result;
    e = sp_ite(p, here, sp_call_read(call, operand, idx), e);
  }
  return e;
}

static const sp_op_attr conditional_attrs[] = {
    {"n_branches", SP_ATTR_INT, true, false},
    {"has_collectives", SP_ATTR_INT, false, false},
    {0},
};
static const char *const conditional_spellings[] = {"hlo:conditional", NULL};
static const sp_op conditional_row = {
    .name = "conditional",
    .spellings = conditional_spellings,
    .attrs = conditional_attrs,
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .shape = conditional_shape,
    .element = conditional_element,
    .meaning = "out[i] = branch_index[i], the last branch when out of range",
};

extern const sp_op *const sp_ops_conditional[];
const sp_op *const sp_ops_conditional[] = {
    &conditional_row,
    NULL,
};
