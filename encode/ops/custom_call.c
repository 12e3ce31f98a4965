/* custom_call.c: the custom calls that leave values alone (annotations of
 * shardings), TopK, which XLA makes of a sort, and the borders of manual mode
 * (encode/manual.h). All others are unknown. */
#include "encode/manual.h"

#include <string.h>

static const char *const identities[] = {
    "Sharding",
    "xla.sdy.Sharding",
    "xla.sdy.FuncResultSharding",
    "annotate_device_placement",
};

static bool is_topk(const sp_node *node) {
  return strcmp(spi_attr_text(node, "custom_call_target"), "TopK") == 0;
}

/* Values and positions of the largest of the last dimension. */
static void topk_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  const sp_shape *a = spi_in(program, node, 0);
  int64_t dims[SP_MAX_DIMS] = {0};
  spi_expect_results(ctx, node, 2);
  uint32_t n = spi_out(program, node, 0)->n_dims;
  if (!sp_node_attr(node, "called")) {
    spi_unknown(ctx, node, "TopK without a comparator");
  }
  if (a->n_dims == 0 || n != a->n_dims) {
    spi_bad(ctx, node, "TopK of %u dimensions gives %u", a->n_dims, n);
  }
  memcpy(dims, a->dims, n * sizeof *dims);
  dims[n - 1] = spi_out(program, node, 0)->dims[n - 1];
  if (dims[n - 1] > a->dims[n - 1]) {
    spi_bad(ctx, node, "TopK of more elements than there are");
  }
  spi_expect(ctx, program, node, 0, n, dims);
  spi_expect(ctx, program, node, 1, n, dims);
  spi_expect_dtype(ctx, program, node, 0, 0);
  if (!sp_dtype_is_int(spi_out(program, node, 1)->dtype)) {
    spi_bad(ctx, node, "result 1 holds no integers");
  }
}

static sp_expr topk_element(const sp_call *call, const sp_expr *idx) {
  const sp_program *region = spi_attr_region(call->node, "called");
  const char *config = spi_attr_text(call->node, "backend_config");
  bool largest = false;
  if (!spi_region_orders(call->pool, region, &largest) || !largest) {
    spi_unknown(sp_pool_ctx(call->pool), call->node,
                "TopK with another comparator than greater-than");
  }
  return spi_topk(call, (int64_t)sp_call_shape(call, 0)->n_dims - 1, true,
                  config && strstr(config, "is_stable = true"),
                  call->result == 1, idx);
}

static void custom_call_shape(sp_ctx *ctx, const sp_program *program,
                              const sp_node *node) {
  const char *target = spi_attr_text(node, "custom_call_target");
  if (is_topk(node) && node->n_in == 1) {
    topk_shape(ctx, program, node);
    return;
  }
  if (spi_border_of(node) != SPI_BORDER_NONE && node->n_in > 0) {
    spi_manual_shape(ctx, program, node);
    return;
  }
  if (sp_node_attr(node, "called")) {
    spi_unknown(ctx, node, "custom call target \"%s\"", target);
  }
  for (size_t i = 0; i < sizeof identities / sizeof identities[0]; i++) {
    if (strcmp(identities[i], target) == 0 && node->n_in == 1) {
      spi_shape_identity(ctx, program, node);
      return;
    }
  }
  spi_unknown(ctx, node, "custom call target \"%s\"", target);
}

static sp_expr custom_call_element(const sp_call *call, const sp_expr *idx) {
  if (is_topk(call->node)) {
    return topk_element(call, idx);
  }
  if (spi_border_of(call->node) != SPI_BORDER_NONE) {
    return spi_manual_element(call, idx);
  }
  return sp_call_read(call, call->result, idx);
}

static const sp_op_attr custom_call_attrs[] = {
    {"custom_call_target", SP_ATTR_TEXT, true, false},
    {"called", SP_ATTR_REGION, false, false},
    /* of the targets above, these say nothing about values */
    {"backend_config", SP_ATTR_TEXT, false, true},
    {"custom_call_has_side_effect", SP_ATTR_INT, false, true},
    {"api_version", SP_ATTR_TEXT, false, true},
    {"operand_layout_constraints", SP_ATTR_TEXT, false, true},
    {0},
};
static const char *const custom_call_spellings[] = {"hlo:custom-call", NULL};
static const sp_op custom_call_row = {
    .name = "custom-call",
    .spellings = custom_call_spellings,
    .attrs = custom_call_attrs,
    .min_operands = 0,
    .max_operands = UINT32_MAX,
    .shape = custom_call_shape,
    .element = custom_call_element,
    .meaning = "out[i] = a[i] for annotations of shardings; TopK: see topk; "
               "SPMDFullToShardShape, SPMDShardToFullShape: a block of the "
               "whole, and back",
};

extern const sp_op *const sp_ops_custom_call[];
const sp_op *const sp_ops_custom_call[] = {
    &custom_call_row,
    NULL,
};
