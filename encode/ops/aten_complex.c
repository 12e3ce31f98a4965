/* aten_complex.c: complex numbers: tensors with a last dimension of 2, the real
 * and the imaginary part (graph/fx_complex.c makes them so).
 *
 * Operators named complex.X are those of PyTorch on complex tensors. */
#include "encode/aten_util.h"

#include <string.h>

/* ---- shapes ---- */

static void check_pairs(sp_ctx *ctx, const sp_node *node, const sp_shape *s) {
  if (s->n_dims == 0 || s->dims[s->n_dims - 1] != 2 ||
      !sp_dtype_is_float(s->dtype)) {
    spi_bad(ctx, node, "no pairs of real numbers");
  }
}

static void same_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  spi_dims s = spi_dims_of(a);
  check_pairs(ctx, node, a);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

/* A number for each pair. */
static void part_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  spi_dims s = spi_dims_of(a);
  check_pairs(ctx, node, a);
  s.n--;
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

/* A pair of two numbers. */
static void pair_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  spi_broadcast(ctx, node, &s, spi_arg_shape(ctx, program, node, "other"));
  spi_dims_push(ctx, node, &s, 2);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

static void mul_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  static const char *const names[] = {"self", "other"};
  spi_dims s = {0};
  for (int i = 0; i < 2; i++) {
    const sp_shape *a = spi_arg_shape(ctx, program, node, names[i]);
    check_pairs(ctx, node, a);
    spi_broadcast(ctx, node, &s, a);
  }
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

static void scale_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "pairs");
  spi_dims s = spi_dims_of(a);
  check_pairs(ctx, node, a);
  s.n--;
  spi_broadcast(ctx, node, &s, spi_arg_shape(ctx, program, node, "numbers"));
  spi_dims_push(ctx, node, &s, 2);
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

/* ---- elements ---- */

static uint32_t last(const sp_call *call) {
  return sp_call_result_shape(call)->n_dims - 1;
}

/* Part 0 or 1 of the pair that is broadcast to the result's idx. */
static sp_expr part_of(const sp_call *call, const char *name,
                       const sp_expr *idx, int64_t part) {
  uint32_t n = last(call);
  sp_expr at[SP_MAX_DIMS];
  memcpy(at, idx, n * sizeof *at);
  at[n] = sp_int(call->pool, part);
  return spi_arg_value(call, name, n + 1, at, SP_F64);
}

/* re or im, by the last index */
static sp_expr pair(const sp_call *call, const sp_expr *idx, sp_expr re,
                    sp_expr im) {
  sp_pool *p = call->pool;
  return sp_ite(p, sp_eq(p, idx[last(call)], sp_int(p, 0)), re, im);
}

static sp_expr conj_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr minus =
      sp_scale(p, part_of(call, "self", idx, 1), sp_num_from_i64(p, -1));
  return pair(call, idx, part_of(call, "self", idx, 0), minus);
}

/* (a + bi)(c + di) = ac - bd + (ad + bc) i */
static sp_expr mul_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = part_of(call, "self", idx, 0), b = part_of(call, "self", idx, 1);
  sp_expr c = part_of(call, "other", idx, 0);
  sp_expr d = part_of(call, "other", idx, 1);
  return pair(call, idx, sp_sub(p, sp_mul(p, a, c), sp_mul(p, b, d)),
              sp_add(p, sp_mul(p, a, d), sp_mul(p, b, c)));
}

static sp_expr scale_element(const sp_call *call, const sp_expr *idx) {
  uint32_t n = last(call);
  return sp_mul(call->pool, spi_arg_value(call, "pairs", n + 1, idx, SP_F64),
                spi_arg_value(call, "numbers", n, idx, SP_F64));
}

static sp_expr polar_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  uint32_t n = last(call);
  sp_expr size = spi_arg_value(call, "self", n, idx, SP_F64);
  sp_expr angle = spi_arg_value(call, "other", n, idx, SP_F64);
  return pair(call, idx, sp_mul(p, size, sp_fn1(p, "cos", angle)),
              sp_mul(p, size, sp_fn1(p, "sin", angle)));
}

static sp_expr complex_element(const sp_call *call, const sp_expr *idx) {
  uint32_t n = last(call);
  return pair(call, idx, spi_arg_value(call, "self", n, idx, SP_F64),
              spi_arg_value(call, "other", n, idx, SP_F64));
}

/* The operand at the result's idx and a part. */
static sp_expr own_part(const sp_call *call, const sp_expr *idx, int64_t part) {
  uint32_t n = sp_call_result_shape(call)->n_dims;
  sp_expr at[SP_MAX_DIMS];
  memcpy(at, idx, n * sizeof *at);
  at[n] = sp_int(call->pool, part);
  return spi_arg_read(call, "self", at);
}

static sp_expr real_element(const sp_call *call, const sp_expr *idx) {
  return own_part(call, idx, 0);
}

static sp_expr imag_element(const sp_call *call, const sp_expr *idx) {
  return own_part(call, idx, 1);
}

static sp_expr abs_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = own_part(call, idx, 0), b = own_part(call, idx, 1);
  return sp_fn1(p, "sqrt", sp_add(p, sp_mul(p, a, a), sp_mul(p, b, b)));
}

/* ---- rows ---- */

SPI_ATEN(view_as_complex, "Tensor self", same_shape, spi_self_element,
         "out[i] = the number a[i, 0] + a[i, 1] i", "complex.view_as_complex")
SPI_ATEN(view_as_real, "Tensor self", same_shape, spi_self_element,
         "out[i, 0], out[i, 1] = real and imaginary part of a[i]",
         "complex.view_as_real")
SPI_ATEN(conj, "Tensor self", same_shape, conj_element,
         "out[i] = a[i] with the other sign of its imaginary part",
         "complex.conj")
SPI_ATEN(complex_mul, "Tensor self, Tensor other", mul_shape, mul_element,
         "out[i] = a[i] * b[i], complex", "complex.mul")
SPI_ATEN(complex_scale, "Tensor pairs, Tensor numbers", scale_shape,
         scale_element, "out[i] = a[i] * b[i], a complex, b real",
         "complex.scale")
SPI_ATEN(complex_scale_other, "Tensor numbers, Tensor pairs", scale_shape,
         scale_element, "out[i] = a[i] * b[i], a real, b complex",
         "complex.scale_other")
SPI_ATEN(polar, "Tensor self, Tensor other", pair_shape, polar_element,
         "out[i] = a[i] (cos b[i] + i sin b[i])", "complex.polar")
SPI_ATEN(complex, "Tensor self, Tensor other", pair_shape, complex_element,
         "out[i] = the number a[i] + b[i] i", "complex.complex")
SPI_ATEN(complex_real, "Tensor self", part_shape, real_element,
         "out[i] = real part of a[i]", "complex.real")
SPI_ATEN(complex_imag, "Tensor self", part_shape, imag_element,
         "out[i] = imaginary part of a[i]", "complex.imag")
SPI_ATEN(complex_abs, "Tensor self", part_shape, abs_element,
         "out[i] = |a[i]|, complex", "complex.abs")

extern const sp_op *const sp_ops_aten_complex[];
const sp_op *const sp_ops_aten_complex[] = {
    &view_as_complex_row, &view_as_real_row,  &conj_row,
    &complex_mul_row,     &complex_scale_row, &complex_scale_other_row,
    &polar_row,           &complex_row,       &complex_real_row,
    &complex_imag_row,    &complex_abs_row,   NULL,
};
