/* custom_call.c: the custom calls that leave values alone: annotations of
 * shardings. All others, SPMDFullToShardShape among them (it enters manual
 * mode: its result is another value on each device), are unknown. */
#include "encode/op_util.h"

#include <string.h>

static const char *const identities[] = {
    "Sharding",
    "xla.sdy.Sharding",
    "xla.sdy.FuncResultSharding",
    "annotate_device_placement",
};

static void custom_call_shape(sp_ctx *ctx, const sp_program *program,
                              const sp_node *node) {
  const char *target = spi_attr_text(node, "custom_call_target");
  for (size_t i = 0; i < sizeof identities / sizeof identities[0]; i++) {
    if (strcmp(identities[i], target) == 0 && node->n_in == 1) {
      spi_shape_identity(ctx, program, node);
      return;
    }
  }
  spi_unknown(ctx, node, "custom call target \"%s\"", target);
}

static sp_expr custom_call_element(const sp_call *call, const sp_expr *idx) {
  return sp_call_read(call, call->result, idx);
}

static const sp_op_attr custom_call_attrs[] = {
    {"custom_call_target", SP_ATTR_TEXT, true, false},
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
    .meaning = "out[i] = a[i] for annotations of shardings",
};

extern const sp_op *const sp_ops_custom_call[];
const sp_op *const sp_ops_custom_call[] = {
    &custom_call_row,
    NULL,
};
