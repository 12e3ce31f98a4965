/* convert.c: convert, bitcast-convert, reduce-precision.
 *
 * Between floats: the identity over the reals (the report says where the
 * distributed program is narrower). Integers wrap into the target type.
 * Floats become integers by truncation towards zero, an uninterpreted
 * function "r2i" except on reals that are visibly integers. */
#include "encode/op_util.h"

#include <math.h>
#include <string.h>

static void convert_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *s = spi_in(program, node, 0);
  spi_expect_results(ctx, node, 1);
  spi_expect(ctx, program, node, 0, s->n_dims, s->dims);
}

/* Integer to integer. What the type says of e counts as known here: u32 to
 * s32 wraps even when nothing else is known of e. */
static sp_expr int_to_int(const sp_call *call, sp_expr e, sp_dtype from,
                          sp_dtype to) {
  int64_t lo, hi, from_lo, from_hi, to_lo, to_hi;
  sp_range(call->pool, e, &lo, &hi);
  spi_dtype_range(from, &from_lo, &from_hi);
  spi_dtype_range(to, &to_lo, &to_hi);
  bool fits = from_lo >= to_lo && from_hi <= to_hi;
  if (fits && (from != SP_U64 || to == SP_U64)) {
    return e;
  }
  lo = lo > from_lo ? lo : from_lo;
  hi = hi < from_hi ? hi : from_hi;
  if (lo >= to_lo && hi <= to_hi && hi < INT64_MAX) {
    return e;
  }
  /* the low bits are kept, whatever is known of e */
  int bits = sp_dtype_bits(to);
  if (bits < 62 && !sp_dtype_is_unsigned(to)) {
    int64_t half = (int64_t)1 << (bits - 1);
    sp_pool *p = call->pool;
    return sp_iaddc(p, sp_imod(p, sp_iaddc(p, e, half), 2 * half), -half);
  }
  return spi_wrap(call, e, to);
}

/* The rational v truncated towards zero. */
static bool truncate_num(sp_pool *p, sp_num v, int64_t *out) {
  double d = sp_num_double(p, v);
  if (!(d > -4.0e15 && d < 4.0e15)) {
    return false;
  }
  int64_t t = (int64_t)d;
  /* d is rounded: t may be one too far from zero */
  if (t > 0 && sp_num_cmp(p, sp_num_from_i64(p, t), v) > 0) {
    t--;
  }
  if (t < 0 && sp_num_cmp(p, sp_num_from_i64(p, t), v) < 0) {
    t++;
  }
  *out = t;
  return true;
}

static sp_expr real_to_int(const sp_call *call, sp_expr e, sp_dtype to) {
  sp_pool *p = call->pool;
  int64_t lo, hi, v, min, max;
  spi_dtype_range(to, &min, &max);
  sp_expr x = spi_as_int(p, e);
  if (!x.v && sp_kind_of(p, e) == SP_KIND_NUM &&
      truncate_num(p, sp_num_value(p, e), &v)) {
    x = sp_int(p, v);
  }
  if (x.v && sp_range(p, x, &lo, &hi) && lo >= min && hi <= max) {
    return x;
  }
  /* Values outside the type saturate, so the type is part of the name but for
   * the two that stand for the integers. */
  bool plain = to == SP_S32 || to == SP_S64;
  if (plain) {
    spi_assume(call, SPI_NO_OVERFLOW);
  }
  if (plain && x.v && !sp_range(p, x, &lo, &hi)) {
    return x;
  }
  const char *name =
      plain ? "r2i" : sp_format(sp_pool_ctx(p), "r2i.%s", sp_dtype_name(to));
  return sp_fn(p, SP_SORT_INT, name, 1, &e);
}

sp_expr spi_convert(const sp_call *call, sp_expr e, sp_dtype from,
                    sp_dtype to) {
  sp_pool *p = call->pool;
  sp_sort a = sp_dtype_sort(from), b = sp_dtype_sort(to);
  if (b == SP_SORT_BOOL) {
    return a == SP_SORT_BOOL ? e : sp_not(p, sp_eq(p, e, spi_zero(p, a)));
  }
  if (a == SP_SORT_BOOL) {
    /* one bit, signed, holds 0 and -1 */
    sp_expr one = to == SP_S1 ? sp_int(p, -1) : spi_one(p, b);
    return sp_ite(p, e, one, spi_zero(p, b));
  }
  if (a == SP_SORT_INT && b == SP_SORT_INT) {
    return int_to_int(call, e, from, to);
  }
  if (a == SP_SORT_INT) {
    return sp_i2r(p, e);
  }
  return b == SP_SORT_INT ? real_to_int(call, e, to) : e;
}

static sp_expr convert_element(const sp_call *call, const sp_expr *idx) {
  return spi_convert(call, sp_call_read(call, 0, idx), spi_in_dtype(call, 0),
                     spi_out_dtype(call));
}

static bool has_bits(sp_dtype t) {
  return (sp_dtype_is_int(t) || sp_dtype_is_float(t)) && sp_dtype_bits(t) >= 8;
}

bool spi_same_size(sp_dtype a, sp_dtype b) {
  return a == b ||
         (has_bits(a) && has_bits(b) && sp_dtype_bits(a) == sp_dtype_bits(b));
}

/* Between floats and integers a function of the value, of which the order is
 * known (compare_select.c); there is one zero. */
sp_expr spi_bits(const sp_call *call, sp_expr e, sp_dtype from, sp_dtype to) {
  sp_pool *p = call->pool;
  if (from == to) {
    return e;
  }
  if (!sp_dtype_is_float(from) && !sp_dtype_is_float(to)) {
    return spi_convert(call, e, from, to);
  }
  spi_assume(call, "there is one zero: the bits of a float depend on its value "
                   "alone");
  const char *name = sp_format(sp_pool_ctx(p), "bits.%s.%s",
                               sp_dtype_name(from), sp_dtype_name(to));
  return sp_fn(p, sp_dtype_sort(to), name, 1, &e);
}

/* How many elements of the narrower type make one of the wider (1: the types
 * have one size); 0: bits that are not known. */
static int64_t parts_of(sp_dtype a, sp_dtype b) {
  if (spi_same_size(a, b)) {
    return 1;
  }
  if (!has_bits(a) || !has_bits(b) || sp_dtype_is_float(a) ||
      sp_dtype_is_float(b)) {
    return 0;
  }
  int m = sp_dtype_bits(a), n = sp_dtype_bits(b);
  return m < n ? n / m : m / n;
}

/* Between integers of two sizes the wider one stands for a last dimension of
 * the narrower ones, the low bits first. */
static void bitcast_convert_shape(sp_ctx *ctx, const sp_program *program,
                                  const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_shape *a = spi_in(program, node, 0), *b = spi_out(program, node, 0);
  int64_t parts = parts_of(a->dtype, b->dtype);
  if (parts == 0) {
    spi_unknown(ctx, node, "the bits of a %s read as a %s",
                sp_dtype_name(a->dtype), sp_dtype_name(b->dtype));
  }
  if (parts == 1) {
    spi_expect(ctx, program, node, 0, a->n_dims, a->dims);
    return;
  }
  bool joins = sp_dtype_bits(a->dtype) < sp_dtype_bits(b->dtype);
  const sp_shape *narrow = joins ? a : b, *wide = joins ? b : a;
  if (narrow->n_dims != wide->n_dims + 1 ||
      memcmp(narrow->dims, wide->dims, wide->n_dims * sizeof *wide->dims) !=
          0 ||
      narrow->dims[wide->n_dims] != parts) {
    spi_bad(ctx, node, "%s are not the bits of %s", sp_shape_text(ctx, b),
            sp_shape_text(ctx, a));
  }
}

/* a[.., 0] + 2^w a[.., 1] + ..., w the width of one. */
static sp_expr joined_bits(const sp_call *call, const sp_expr *idx,
                           int64_t parts) {
  sp_pool *p = call->pool;
  uint32_t n = sp_call_result_shape(call)->n_dims;
  int width = sp_dtype_bits(spi_in_dtype(call, 0));
  sp_expr j[SP_MAX_DIMS] = {{0}}, sum = sp_int(p, 0);
  memcpy(j, idx, n * sizeof *j);
  for (int64_t k = 0; k < parts; k++) {
    j[n] = sp_int(p, k);
    sp_expr part = sp_imod(p, sp_call_read(call, 0, j), INT64_C(1) << width);
    sum = sp_iadd(p, sum, sp_iscale(p, part, INT64_C(1) << (width * k)));
  }
  return sum;
}

/* Part k of a is a div 2^(w k) mod 2^w. */
static sp_expr part_of_bits(const sp_call *call, const sp_expr *idx,
                            int64_t parts) {
  sp_pool *p = call->pool;
  uint32_t last = sp_call_result_shape(call)->n_dims - 1u;
  int width = sp_dtype_bits(spi_out_dtype(call));
  sp_expr a = sp_call_read(call, 0, idx), out = {0};
  for (int64_t k = parts - 1; k >= 0; k--) {
    sp_expr part = sp_imod(p, sp_idiv(p, a, INT64_C(1) << (width * k)),
                           INT64_C(1) << width);
    sp_expr here = sp_eq(p, idx[last], sp_int(p, k));
    out = out.v ? sp_ite(p, here, part, out) : part;
  }
  return out;
}

static sp_dtype unsigned_of(sp_dtype t) {
  switch (sp_dtype_bits(t)) {
  case 8:
    return SP_U8;
  case 16:
    return SP_U16;
  case 32:
    return SP_U32;
  default:
    return SP_U64;
  }
}

static sp_expr bitcast_convert_element(const sp_call *call,
                                       const sp_expr *idx) {
  sp_dtype from = spi_in_dtype(call, 0), to = spi_out_dtype(call);
  int64_t parts = parts_of(from, to);
  if (parts == 1) {
    return spi_bits(call, sp_call_read(call, 0, idx), from, to);
  }
  bool joins = sp_dtype_bits(from) < sp_dtype_bits(to);
  sp_expr e =
      joins ? joined_bits(call, idx, parts) : part_of_bits(call, idx, parts);
  return spi_convert(call, e, unsigned_of(to), to);
}

static void reduce_precision_shape(sp_ctx *ctx, const sp_program *program,
                                   const sp_node *node) {
  spi_shape_identity(ctx, program, node);
  if (!sp_dtype_is_float(spi_in(program, node, 0)->dtype)) {
    spi_bad(ctx, node, "operand 0 is not a float");
  }
}

static sp_expr identity_element(const sp_call *call, const sp_expr *idx) {
  return sp_call_read(call, 0, idx);
}

static const char *const convert_spellings[] = {"hlo:convert", NULL};
static const sp_op convert_row = {
    .name = "convert",
    .spellings = convert_spellings,
    .min_operands = 1,
    .max_operands = 1,
    .shape = convert_shape,
    .element = convert_element,
    .meaning = "out[i] = a[i] in another type; integers wrap, floats are "
               "truncated to integers, predicates are 0 and 1",
};

static const char *const bitcast_convert_spellings[] = {"hlo:bitcast-convert",
                                                        NULL};
static const sp_op bitcast_convert_row = {
    .name = "bitcast-convert",
    .spellings = bitcast_convert_spellings,
    .min_operands = 1,
    .max_operands = 1,
    .shape = bitcast_convert_shape,
    .element = bitcast_convert_element,
    .meaning =
        "out[i] = the bits of a[i] in another type; of another size: a last "
        "dimension of parts, the low bits first",
};

static const sp_op_attr reduce_precision_attrs[] = {
    {"exponent_bits", SP_ATTR_INT, false, true},
    {"mantissa_bits", SP_ATTR_INT, false, true},
    {0},
};
static const char *const reduce_precision_spellings[] = {"hlo:reduce-precision",
                                                         NULL};
static const sp_op reduce_precision_row = {
    .name = "reduce-precision",
    .spellings = reduce_precision_spellings,
    .attrs = reduce_precision_attrs,
    .min_operands = 1,
    .max_operands = 1,
    .shape = reduce_precision_shape,
    .element = identity_element,
    .meaning = "out[i] = a[i]; rounding only",
};

extern const sp_op *const sp_ops_convert[];
const sp_op *const sp_ops_convert[] = {
    &convert_row,
    &bitcast_convert_row,
    &reduce_precision_row,
    NULL,
};
