/* elementwise_binary.c: out[i] = f(a[i], b[i]). What the functions mean is in
 * encode/op_arith.c. */
#include "encode/op_arith.h"

#include <stddef.h>

static void binary_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  const sp_shape *a = spi_in(program, node, 0);
  spi_expect_results(ctx, node, 1);
  spi_expect_operand(ctx, program, node, 1, a->n_dims, a->dims);
  spi_expect(ctx, program, node, 0, a->n_dims, a->dims);
  spi_expect_dtype(ctx, program, node, 0, 0);
  spi_expect_dtype(ctx, program, node, 0, 1);
}

/* No predicates. */
static void number_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  binary_shape(ctx, program, node);
  if (spi_in(program, node, 0)->dtype == SP_PRED) {
    spi_unknown(ctx, node, "not defined on predicates");
  }
}

static void real_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  binary_shape(ctx, program, node);
  if (!sp_dtype_is_float(spi_in(program, node, 0)->dtype)) {
    spi_bad(ctx, node, "operand 0 is not a float");
  }
}

static void bits_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  binary_shape(ctx, program, node);
  if (sp_dtype_is_float(spi_in(program, node, 0)->dtype)) {
    spi_bad(ctx, node, "operand 0 is a float");
  }
}

static void int_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  binary_shape(ctx, program, node);
  if (!sp_dtype_is_int(spi_in(program, node, 0)->dtype)) {
    spi_bad(ctx, node, "operand 0 is not an integer");
  }
}

#define ELEMENT(id)                                                            \
  static sp_expr id##_element(const sp_call *call, const sp_expr *idx) {       \
    return spi_arith_##id(call, sp_call_read(call, 0, idx),                    \
                          sp_call_read(call, 1, idx), spi_out_dtype(call));    \
  }

ELEMENT(add)
ELEMENT(subtract)
ELEMENT(multiply)
ELEMENT(maximum)
ELEMENT(minimum)
ELEMENT(divide)
ELEMENT(remainder)
ELEMENT(power)
ELEMENT(atan2)
ELEMENT(and)
ELEMENT(or)
ELEMENT(xor)
ELEMENT(shift_left)
ELEMENT(shift_logical)
ELEMENT(shift_arithmetic)

#define ROW(id, opcode, shape_fn, text)                                        \
  static const char *const id##_spellings[] = {"hlo:" opcode, NULL};           \
  static const sp_op id##_row = {                                              \
      .name = opcode,                                                          \
      .spellings = id##_spellings,                                             \
      .attrs = binary_attrs,                                                   \
      .min_operands = 2,                                                       \
      .max_operands = 2,                                                       \
      .shape = shape_fn,                                                       \
      .element = id##_element,                                                 \
      .meaning = "out[i] = " text,                                             \
  };

static const sp_op_attr binary_attrs[] = {
    /* a wish about rounding */
    {"result_accuracy", SP_ATTR_TEXT, false, true},
    {0},
};

ROW(add, "add", binary_shape, "a[i] + b[i]")
ROW(subtract, "subtract", number_shape, "a[i] - b[i]")
ROW(multiply, "multiply", binary_shape, "a[i] * b[i]")
ROW(divide, "divide", number_shape,
    "a[i] / b[i], integers truncated towards zero")
ROW(remainder, "remainder", number_shape,
    "a[i] - b[i] * truncated(a[i] / b[i])")
ROW(power, "power", number_shape, "a[i] to the b[i]")
ROW(atan2, "atan2", real_shape, "angle of the point (b[i], a[i])")
ROW(maximum, "maximum", binary_shape, "max(a[i], b[i])")
ROW(minimum, "minimum", binary_shape, "min(a[i], b[i])")
ROW(and, "and", bits_shape, "a[i] and b[i], bit by bit for integers")
ROW(or, "or", bits_shape, "a[i] or b[i], bit by bit for integers")
ROW(xor, "xor", bits_shape, "a[i] xor b[i], bit by bit for integers")
ROW(shift_left, "shift-left", int_shape, "a[i] * 2^b[i]")
ROW(shift_logical, "shift-right-logical", int_shape,
    "a[i] div 2^b[i], a[i] taken as unsigned")
ROW(shift_arithmetic, "shift-right-arithmetic", int_shape,
    "floor(a[i] / 2^b[i])")

extern const sp_op *const sp_ops_elementwise_binary[];
const sp_op *const sp_ops_elementwise_binary[] = {
    &add_row,
    &and_row,
    &atan2_row,
    &divide_row,
    &maximum_row,
    &minimum_row,
    &multiply_row,
    &or_row,
    &power_row,
    &remainder_row,
    &shift_left_row,
    &shift_logical_row,
    &shift_arithmetic_row,
    &subtract_row,
    &xor_row,
    NULL,
};
