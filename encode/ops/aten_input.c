/* aten_input.c: what a PyTorch graph is given: inputs, and constants that are
 * read from the module. The texts do not hold the constants' values: the spec
 * does (`constants`), and puts them into the attribute value. */
#include "encode/aten_util.h"

static void input_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  (void)program;
  spi_results(ctx, node, 1);
}

static sp_expr input_element(const sp_call *call, const sp_expr *idx) {
  (void)idx;
  spi_unknown(spi_call_ctx(call), call->node, "an input has no definition");
}

static void constant_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  (void)program;
  spi_results(ctx, node, 1);
}

static sp_expr constant_element(const sp_call *call, const sp_expr *idx) {
  (void)idx;
  const sp_node *node = call->node;
  if (!spi_arg_given(node, "value")) {
    sp_raise(spi_call_ctx(call), SP_ERR_UNKNOWN, node->pos.dump,
             "give it under `constants` in the spec",
             "the value of the constant %s is not in the text",
             spi_arg_text(node, "name"));
  }
  return spi_arg_number(call, "value", spi_out_dtype(call));
}

SPI_ATEN(placeholder, "*, int index", input_shape, input_element, "an input",
         "fx:placeholder")
SPI_ATEN(get_attr, "*, str name, Scalar? value", constant_shape,
         constant_element, "out[i] = the value that the spec gives",
         "fx:get_attr")

extern const sp_op *const sp_ops_aten_input[];
const sp_op *const sp_ops_aten_input[] = {
    &placeholder_row,
    &get_attr_row,
    NULL,
};
