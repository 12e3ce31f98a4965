/* aten_cast.c: copies, and values in another type. Over the reals all floats
 * are one type. */
#include "encode/aten_util.h"

#include <string.h>

/* The result has self's sizes; its type is what the call asks for. */
static void cast_to(sp_ctx *ctx, const sp_program *program, const sp_node *node,
                    sp_dtype t) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  spi_dims s = spi_dims_of(a);
  t = t == SP_DTYPE_INVALID ? a->dtype : t;
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, sp_dtype_sort(t));
  if (node->n_out == 1 && spi_out(program, node, 0)->dtype != t) {
    spi_bad(ctx, node, "the result is %s, %s asked for",
            sp_dtype_name(spi_out(program, node, 0)->dtype), sp_dtype_name(t));
  }
}

static void to_copy_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  cast_to(ctx, program, node,
          spi_arg_dtype(ctx, node, "dtype", SP_DTYPE_INVALID));
}

/* x.float() and the like: the type is in the name. */
static void method_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  static const struct {
    const char *op;
    sp_dtype t;
  } names[] = {
      {"method.float", SP_F32}, {"method.double", SP_F64},
      {"method.half", SP_F16},  {"method.bfloat16", SP_BF16},
      {"method.int", SP_S32},   {"method.long", SP_S64},
      {"method.bool", SP_PRED},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i].op, node->op) == 0) {
      cast_to(ctx, program, node, names[i].t);
      return;
    }
  }
  spi_unknown(ctx, node, "no such type");
}

static void type_as_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  cast_to(ctx, program, node,
          spi_arg_shape(ctx, program, node, "other")->dtype);
}

static void to_shape(sp_ctx *ctx, const sp_program *program,
                     const sp_node *node) {
  sp_dtype t = spi_arg_dtype(ctx, node, "dtype", SP_DTYPE_INVALID);
  const char *text = spi_arg_text(node, "target");
  if (text && strncmp(text, "torch.", 6) == 0) {
    t = spi_arg_dtype(ctx, node, "target", SP_DTYPE_INVALID);
  }
  cast_to(ctx, program, node, t);
}

static sp_expr cast_element(const sp_call *call, const sp_expr *idx) {
  int64_t k = spi_arg_operand(call->node, "self");
  return spi_convert(call, sp_call_read(call, (uint32_t)k, idx),
                     spi_in_dtype(call, (uint32_t)k), spi_out_dtype(call));
}

/* copy(self, src): src, expanded to self and in its type. */
static void copy_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  spi_shape_like_self(ctx, program, node);
  spi_broadcasts_to(ctx, node, spi_arg_shape(ctx, program, node, "src"), &s);
}

static sp_expr copy_element(const sp_call *call, const sp_expr *idx) {
  return spi_arg_value(call, "src", sp_call_result_shape(call)->n_dims, idx,
                       spi_out_dtype(call));
}

#define SAME "out[i] = a[i]"

SPI_ATEN(clone, "Tensor self, *, any? memory_format", spi_shape_like_self,
         spi_self_element, SAME, SPI_NAMES("clone", "default"),
         "method.contiguous", "aten.contiguous.default")
SPI_ATEN(detach, "Tensor self", spi_shape_like_self, spi_self_element, SAME,
         SPI_NAMES("detach", "default"), "aten.alias.default",
         "aten.lift.default", "aten.lift_fresh.default",
         "aten.lift_fresh_copy.default", "aten.detach_copy.default",
         "aten.alias_copy.default", "prims.clone.default", "operator.pos",
         "aten.positive.default")
SPI_ATEN(to_copy,
         "Tensor self, *, dtype? dtype, any? layout, any? device, "
         "any? pin_memory, any? non_blocking, any? memory_format",
         to_copy_shape, cast_element, "out[i] = a[i] in another type",
         "aten._to_copy.default")
SPI_ATEN(to_dtype,
         "Tensor self, dtype dtype, any? non_blocking, any? copy, "
         "any? memory_format",
         to_copy_shape, cast_element, "out[i] = a[i] in another type",
         "aten.to.dtype", "prims.convert_element_type.default")
SPI_ATEN(to_method,
         "Tensor self, str? target, any? non_blocking, any? copy, *, "
         "dtype? dtype, any? device, any? memory_format",
         to_shape, cast_element, "out[i] = a[i] in another type", "method.to")
SPI_ATEN(cast_method, "Tensor self, *, any? memory_format", method_shape,
         cast_element, "out[i] = a[i] in another type", "method.float",
         "method.double", "method.half", "method.bfloat16", "method.int",
         "method.long", "method.bool")
SPI_ATEN(type_as, "Tensor self, Tensor other", type_as_shape, cast_element,
         "out[i] = a[i] in the type of b", SPI_NAMES("type_as", "default"))
SPI_ATEN(copy, "Tensor self, Tensor src, any? non_blocking", copy_shape,
         copy_element, "out[i] = src[i], expanded", "aten.copy.default",
         "aten.copy_.default", "method.copy_")

extern const sp_op *const sp_ops_aten_cast[];
const sp_op *const sp_ops_aten_cast[] = {
    &clone_row,       &detach_row,  &to_copy_row, &to_dtype_row, &to_method_row,
    &cast_method_row, &type_as_row, &copy_row,    NULL,
};
