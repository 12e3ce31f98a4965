/* misc.c: the rank, and barriers that leave values alone. The reader turns
 * replica-id into partition-id or a constant, whichever it is. */
#include "encode/op_util.h"

static void partition_id_shape(sp_ctx *ctx, const sp_program *program,
                               const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  spi_expect(ctx, program, node, 0, 0, NULL);
  if (!sp_dtype_is_int(spi_out(program, node, 0)->dtype)) {
    spi_bad(ctx, node, "the result is no integer");
  }
}

static sp_expr partition_id_element(const sp_call *call, const sp_expr *idx) {
  (void)idx;
  return spi_wrap(call, spi_rank(call), spi_out_dtype(call));
}

static sp_expr identity_element(const sp_call *call, const sp_expr *idx) {
  return sp_call_read(call, call->result, idx);
}

static const char *const partition_id_spellings[] = {"hlo:partition-id", NULL};
static const sp_op partition_id_row = {
    .name = "partition-id",
    .spellings = partition_id_spellings,
    .shape = partition_id_shape,
    .element = partition_id_element,
    .meaning = "out = the rank",
};

static const char *const barrier_spellings[] = {
    "hlo:opt-barrier", "hlo:optimization-barrier", NULL};
static const sp_op barrier_row = {
    .name = "opt-barrier",
    .spellings = barrier_spellings,
    .min_operands = 0,
    .max_operands = UINT32_MAX,
    .shape = spi_shape_identity,
    .element = identity_element,
    .meaning = "out_k[i] = operand k at i",
};

static const sp_op_attr domain_attrs[] = {
    /* shardings on either side */
    {"domain", SP_ATTR_TEXT, false, true},
    {0},
};
static const char *const domain_spellings[] = {"hlo:domain", NULL};
static const sp_op domain_row = {
    .name = "domain",
    .spellings = domain_spellings,
    .attrs = domain_attrs,
    .min_operands = 1,
    .max_operands = 1,
    .shape = spi_shape_identity,
    .element = identity_element,
    .meaning = "out[i] = a[i]; separates parts with different shardings",
};

extern const sp_op *const sp_ops_misc[];
const sp_op *const sp_ops_misc[] = {
    &partition_id_row,
    &barrier_row,
    &domain_row,
    NULL,
};
