/* aten_args.h: arguments of operators that are called like functions.
 *
 * CONTRACT. In PyTorch graphs an operator is a call: positions, keywords,
 * defaults (graph/fx.h says how they arrive in a node). A row has `params`,
 * the operator's parameter list in the style of PyTorch's native_functions:
 *
 *   "Tensor self, Value other, *, Scalar alpha=1, any? memory_format"
 *
 *   Tensor Tensor[]  an operand, a list of operands (None in it: -1)
 *   Value            an operand or a number
 *   Scalar           a number; may differ from rank to rank
 *   int int[]        integers; int... takes the positions from there on, or
 *                    one list: x.view(2, 3), x.view([2, 3]); Tensor... alike
 *   float[]          numbers
 *   bool str dtype groups
 *   Key              what stands in x[...]; the row reads it by itself
 *   any              harmless: no influence on values (layout, device, ...)
 *   ?                may be None; None is also its default
 *   *                what follows has no position
 *   =default         as written there; !: another value is not understood
 *
 * spi_args_check refuses what the list does not say; afterwards shape rules
 * and elements ask for arguments by name. None, and an argument that is not
 * given, are the default.
 */
#ifndef SP_ENCODE_ATEN_ARGS_H
#define SP_ENCODE_ATEN_ARGS_H

#include "encode/op_util.h"

void spi_args_check(sp_ctx *ctx, const sp_program *program, const sp_op *op,
                    const sp_node *node);

/* Given, and not None? */
bool spi_arg_given(const sp_node *node, const char *name);
/* A number that must be the same on all ranks. */
int64_t spi_arg_int(sp_ctx *ctx, const sp_node *node, const char *name);
bool spi_arg_bool(sp_ctx *ctx, const sp_node *node, const char *name);
double spi_arg_float(sp_ctx *ctx, const sp_node *node, const char *name);
/* NULL where there is none. */
const char *spi_arg_text(const sp_node *node, const char *name);
/* The numbers of a list; a number counts as a list of one. Memory of the
 * context. */
const int64_t *spi_arg_ints(sp_ctx *ctx, const sp_node *node, const char *name,
                            uint32_t *n);
/* NULL where the parameter is no list of floats. */
const double *spi_arg_floats(sp_ctx *ctx, const sp_node *node, const char *name,
                             uint32_t *n);
/* The attribute of a list that differs from rank to rank, or NULL. */
const sp_attr *spi_arg_ranked(const sp_node *node, const char *name);
/* Position among the node's operands; -1: None or a number. */
int64_t spi_arg_operand(const sp_node *node, const char *name);
const int64_t *spi_arg_operands(const sp_node *node, const char *name,
                                uint32_t *n);
/* The type that a dtype parameter names; absent where there is none. */
sp_dtype spi_arg_dtype(sp_ctx *ctx, const sp_node *node, const char *name,
                       sp_dtype absent);
/* Is the number a float, on any rank? */
bool spi_arg_is_float(const sp_node *node, const char *name);

/* Terms of numbers, which may depend on the rank: an integer; a number as a
 * value of type t. */
sp_expr spi_arg_index(const sp_call *call, const char *name);
sp_expr spi_arg_number(const sp_call *call, const char *name, sp_dtype t);

/* ---- rows ---- */
/* One row: its parameters, rules, a line for the docs, and spellings. */
#define SPI_ATEN(id, params_text, shape_fn, element_fn, text, ...)             \
  SPI_ATEN_ROW(id, false, params_text, shape_fn, element_fn, text, __VA_ARGS__)
/* Memory that nothing was written to: the value depends on the node's name. */
#define SPI_ATEN_BY_NAME(id, params_text, shape_fn, element_fn, text, ...)     \
  SPI_ATEN_ROW(id, true, params_text, shape_fn, element_fn, text, __VA_ARGS__)
#define SPI_ATEN_ROW(id, is_by_name, params_text, shape_fn, element_fn, text,  \
                     ...)                                                      \
  static const char *const id##_spellings[] = {__VA_ARGS__, NULL};             \
  static const sp_op id##_row = {                                              \
      .name = "aten " #id,                                                     \
      .by_name = is_by_name,                                                   \
      .spellings = id##_spellings,                                             \
      .params = params_text,                                                   \
      .max_operands = UINT32_MAX,                                              \
      .shape = shape_fn,                                                       \
      .element = element_fn,                                                   \
      .meaning = text,                                                         \
  };

/* A function under its usual names: the operator's overload, torch.f(x), x.f()
 */
#define SPI_NAMES(name, overload)                                              \
  "aten." name "." overload, "torch." name, "method." name

#endif
