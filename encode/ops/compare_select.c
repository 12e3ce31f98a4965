/* compare_select.c: compare, select, clamp. Over the reals there is no NaN and
 * one zero, so the total order of floats is the order of reals. Where there is
 * NaN (programs that are run) it is one, and the largest in that order. */
#include "encode/op_arith.h"

#include <string.h>

static const char *const directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};

static int direction_of(const sp_node *node) {
  const char *text = spi_attr_text(node, "direction");
  for (int i = 0; text && i < 6; i++) {
    if (strcmp(directions[i], text) == 0) {
      return i;
    }
  }
  return -1;
}

/* Another one would be another order: of the bits as numbers without a sign. */
static const char *usual_type(sp_dtype t) {
  return t == SP_PRED || sp_dtype_is_unsigned(t) ? "UNSIGNED"
         : sp_dtype_is_int(t)                    ? "SIGNED"
                                                 : "FLOAT";
}

static void compare_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *a = spi_in(program, node, 0);
  sp_dtype b = spi_in(program, node, 1)->dtype;
  const char *type = spi_attr_text(node, "compare_type");
  spi_expect_results(ctx, node, 1);
  spi_expect_operand(ctx, program, node, 1, a->n_dims, a->dims);
  spi_expect(ctx, program, node, 0, a->n_dims, a->dims);
  if (!spi_dtype_close(a->dtype, b)) {
    spi_bad(ctx, node, "compares %s with %s", sp_dtype_name(a->dtype),
            sp_dtype_name(b));
  }
  if (spi_out(program, node, 0)->dtype != SP_PRED) {
    spi_bad(ctx, node, "the result is no predicate");
  }
  if (direction_of(node) < 0) {
    spi_bad(ctx, node, "no comparison direction %s",
            spi_attr_text(node, "direction"));
  }
  if (type && strcmp(type, "TOTALORDER") != 0 &&
      strcmp(type, usual_type(a->dtype)) != 0) {
    spi_unknown(ctx, node, "compare type %s of %s", type,
                sp_dtype_name(a->dtype));
  }
}

static sp_expr less(sp_pool *p, sp_expr a, sp_expr b) {
  return sp_sort_of(p, a) == SP_SORT_BOOL ? sp_and(p, sp_not(p, a), b)
                                          : sp_lt(p, a, b);
}

static sp_expr less_equal(sp_pool *p, sp_expr a, sp_expr b) {
  return sp_sort_of(p, a) == SP_SORT_BOOL ? sp_or(p, sp_not(p, a), b)
                                          : sp_le(p, a, b);
}

/* Of floats that are a sign and a magnitude, as a signed integer (spi_bits). */
static bool is_signed_bits(const char *name) {
  return strcmp(name, "bits.f32.s32") == 0 ||
         strcmp(name, "bits.f16.s16") == 0 ||
         strcmp(name, "bits.bf16.s16") == 0;
}

/* LEMMA. With m = 2^(n-1) - 1 and b(x) the bits of a float of n bits as a
 * signed integer, x < y is k(x) < k(y) for k(x) = b(x) where b(x) >= 0, else m
 * xor b(x): floats are a sign and a magnitude, ordered like the integers of
 * their bits. Compilers expand total orders so. The x of such a k(x), or 0. */
static sp_expr ordered_by_bits(const sp_call *call, sp_expr e) {
  sp_pool *p = call->pool;
  sp_dtype t = spi_in_dtype(call, 0);
  if (sp_kind_of(p, e) != SP_KIND_ITE || !sp_dtype_is_int(t) ||
      sp_dtype_is_unsigned(t) || sp_dtype_bits(t) > 32) {
    return (sp_expr){0};
  }
  for (uint32_t k = 1; k <= 2; k++) {
    sp_expr b = sp_arg(p, e, k);
    if (sp_kind_of(p, b) != SP_KIND_FN || !is_signed_bits(sp_fn_name(p, b))) {
      continue;
    }
    sp_expr m = sp_int(p, ((int64_t)1 << (sp_dtype_bits(t) - 1)) - 1);
    sp_expr key =
        sp_ite(p, sp_lt(p, b, sp_int(p, 0)), spi_arith_xor(call, m, b, t), b);
    if (key.v == e.v) {
      return sp_arg(p, b, 0);
    }
  }
  return (sp_expr){0};
}

/* In the total order: a NaN is itself, and above all else. */
static sp_expr total(const sp_call *call, int direction, sp_expr a, sp_expr b) {
  sp_pool *p = call->pool;
  sp_expr x = sp_is_nan(p, a), y = sp_is_nan(p, b);
  sp_expr is = sp_or(p, sp_eq(p, a, b), sp_and(p, x, y));
  sp_expr below = sp_or(p, sp_lt(p, a, b), sp_and(p, sp_not(p, x), y));
  switch (direction) {
  case 0:
    return is;
  case 1:
    return sp_not(p, is);
  case 2:
    return below;
  case 3:
    return sp_or(p, below, is);
  case 4:
    return sp_not(p, sp_or(p, below, is));
  default:
    return sp_not(p, below);
  }
}

static bool is_total(const sp_node *node) {
  const char *type = spi_attr_text(node, "compare_type");
  return type && strcmp(type, "TOTALORDER") == 0;
}

static sp_expr compare_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr a = sp_call_read(call, 0, idx), b = sp_call_read(call, 1, idx);
  sp_expr x = ordered_by_bits(call, a), y = ordered_by_bits(call, b);
  bool by_bits = x.v && y.v;
  if (by_bits) {
    a = x;
    b = y;
  }
  if (sp_pool_has_nan(p) && sp_sort_of(p, a) == SP_SORT_REAL &&
      (by_bits || is_total(call->node))) {
    return total(call, direction_of(call->node), a, b);
  }
  switch (direction_of(call->node)) {
  case 0:
    return sp_eq(p, a, b);
  case 1:
    return sp_not(p, sp_eq(p, a, b));
  case 2:
    return less(p, a, b);
  case 3:
    return less_equal(p, a, b);
  case 4:
    return less(p, b, a);
  default:
    return less_equal(p, b, a);
  }
}

/* Operand k has the result's dimensions or is a scalar. */
static void scalar_or_same(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node, uint32_t k,
                           const sp_shape *like) {
  if (spi_in(program, node, k)->n_dims != 0) {
    spi_expect_operand(ctx, program, node, k, like->n_dims, like->dims);
  }
}

static void select_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  const sp_shape *s = spi_in(program, node, 1);
  spi_expect_results(ctx, node, 1);
  if (spi_in(program, node, 0)->dtype != SP_PRED) {
    spi_bad(ctx, node, "operand 0 is no predicate");
  }
  scalar_or_same(ctx, program, node, 0, s);
  spi_expect_operand(ctx, program, node, 2, s->n_dims, s->dims);
  spi_expect(ctx, program, node, 0, s->n_dims, s->dims);
  spi_expect_dtype(ctx, program, node, 0, 1);
  spi_expect_dtype(ctx, program, node, 0, 2);
}

static sp_expr select_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_expr c = sp_call_read(call, 0, idx);
  if (sp_is_true(p, c)) {
    return sp_call_read(call, 1, idx);
  }
  if (sp_is_false(p, c)) {
    return sp_call_read(call, 2, idx);
  }
  return sp_ite(p, c, sp_call_read(call, 1, idx), sp_call_read(call, 2, idx));
}

static void clamp_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  const sp_shape *s = spi_in(program, node, 1);
  spi_expect_results(ctx, node, 1);
  if (s->dtype == SP_PRED) {
    spi_unknown(ctx, node, "not defined on predicates");
  }
  scalar_or_same(ctx, program, node, 0, s);
  scalar_or_same(ctx, program, node, 2, s);
  spi_expect(ctx, program, node, 0, s->n_dims, s->dims);
  for (uint32_t k = 0; k < 3; k++) {
    spi_expect_dtype(ctx, program, node, 0, k);
  }
}

static sp_expr clamp_element(const sp_call *call, const sp_expr *idx) {
  return sp_clamp(call->pool, sp_call_read(call, 1, idx),
                  sp_call_read(call, 0, idx), sp_call_read(call, 2, idx));
}

static const sp_op_attr compare_attrs[] = {
    {"direction", SP_ATTR_TEXT, true, false},
    {"compare_type", SP_ATTR_TEXT, false, false},
    {0},
};
static const char *const compare_spellings[] = {"hlo:compare", NULL};
static const sp_op compare_row = {
    .name = "compare",
    .spellings = compare_spellings,
    .attrs = compare_attrs,
    .min_operands = 2,
    .max_operands = 2,
    .shape = compare_shape,
    .element = compare_element,
    .meaning = "out[i] = a[i] < b[i] (or the direction's comparison)",
};

static const char *const select_spellings[] = {"hlo:select", NULL};
static const sp_op select_row = {
    .name = "select",
    .spellings = select_spellings,
    .min_operands = 3,
    .max_operands = 3,
    .shape = select_shape,
    .element = select_element,
    .meaning = "out[i] = c[i] ? a[i] : b[i]",
};

static const char *const clamp_spellings[] = {"hlo:clamp", NULL};
static const sp_op clamp_row = {
    .name = "clamp",
    .spellings = clamp_spellings,
    .min_operands = 3,
    .max_operands = 3,
    .shape = clamp_shape,
    .element = clamp_element,
    .meaning = "out[i] = min(max(x[i], lo), hi)",
};

extern const sp_op *const sp_ops_compare_select[];
const sp_op *const sp_ops_compare_select[] = {
    &compare_row,
    &select_row,
    &clamp_row,
    NULL,
};
