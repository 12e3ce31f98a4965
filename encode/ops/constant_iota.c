/* constant_iota.c: constants are numbers where all elements are equal and
 * tables otherwise (the pool folds reads of tables at known indices). Floats
 * are the decimals that XLA prints. */
#include "encode/op_util.h"

#include <math.h>

static const sp_literal *literal_of(const sp_node *node) {
  const sp_attr *a = sp_node_attr(node, "literal");
  return a ? a->u.literal : NULL;
}

static void constant_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_literal *l = literal_of(node);
  if (!l) {
    spi_unknown(ctx, node,
                "the dump leaves the values of this constant out ({...})");
  }
  if (!sp_shape_equal(&l->shape, spi_out(program, node, 0))) {
    spi_bad(ctx, node, "the literal has another shape than the result");
  }
}

/* Bits of the significand, the leading one included. */
static int significand(sp_dtype t) {
  static const struct {
    sp_dtype t;
    int bits;
  } table[] = {
      {SP_F64, 53},       {SP_F32, 24},     {SP_F16, 11},
      {SP_BF16, 8},       {SP_F8E5M2, 3},   {SP_F8E5M2FNUZ, 3},
      {SP_F8E4M3, 4},     {SP_F8E4M3FN, 4}, {SP_F8E4M3B11FNUZ, 4},
      {SP_F8E4M3FNUZ, 4}, {SP_F8E3M4, 5},   {SP_F4E2M1FN, 2},
      {SP_F8E8M0FNU, 1},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    if (table[i].t == t) {
      return table[i].bits;
    }
  }
  return 53;
}

sp_expr spi_float(sp_pool *p, double v, sp_dtype t) {
  if (isnan(v)) {
    return sp_nan(p);
  }
  if (isinf(v)) {
    return sp_inf(p, v < 0);
  }
  return sp_real(p, sp_num_from_double(p, v, significand(t)));
}

static sp_expr literal_element(const sp_call *call, const sp_literal *l,
                               size_t at) {
  sp_pool *p = call->pool;
  sp_dtype t = l->shape.dtype;
  if (t == SP_PRED) {
    return sp_bool(p, l->i[at] != 0);
  }
  if (sp_dtype_is_int(t)) {
    if (t == SP_U64 && l->i[at] < 0) {
      spi_unknown(sp_pool_ctx(p), call->node, "a u64 value above 2^63");
    }
    return sp_int(p, l->i[at]);
  }
  return spi_float(p, l->f[at], t);
}

/* All elements equal: at is where one is. */
static bool is_splat(const sp_literal *l, int64_t n) {
  for (int64_t i = 1; i < n && !l->splat; i++) {
    bool same = l->f ? l->f[i] == l->f[0] : l->i[i] == l->i[0];
    if (!same) {
      return false;
    }
  }
  return true;
}

/* Infinities and NaN have no place in a table of rationals: the elements that
 * hold one are told apart by a table of kinds. */
static sp_expr float_table(const sp_call *call, const sp_literal *l, int64_t n,
                           const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_shape *s = &l->shape;
  sp_num *nums = sp_alloc_n(sp_pool_ctx(p), (size_t)n, sizeof *nums);
  int64_t *kinds = sp_alloc_n(sp_pool_ctx(p), (size_t)n, sizeof *kinds);
  bool odd[4] = {false};
  for (int64_t i = 0; i < n; i++) {
    double v = l->f[i];
    kinds[i] = isnan(v) ? 3 : isinf(v) ? (v < 0 ? 2 : 1) : 0;
    odd[kinds[i]] = true;
    nums[i] = sp_num_from_double(p, kinds[i] ? 0 : v, significand(s->dtype));
  }
  sp_sym sym = sp_sym_table_num(p, s->n_dims, s->dims, nums);
  sp_expr e = sp_read(p, sym, idx);
  if (!odd[1] && !odd[2] && !odd[3]) {
    return e;
  }
  sp_sym ks = sp_sym_table_int(p, SP_SORT_INT, s->n_dims, s->dims, kinds);
  sp_expr kind = sp_read(p, ks, idx);
  const sp_expr values[4] = {e, sp_inf(p, false), sp_inf(p, true), sp_nan(p)};
  for (int64_t k = 1; k < 4; k++) {
    if (odd[k]) {
      e = sp_ite(p, sp_eq(p, kind, sp_int(p, k)), values[k], e);
    }
  }
  return e;
}

static sp_expr constant_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_literal *l = literal_of(call->node);
  if (!l) {
    spi_unknown(sp_pool_ctx(p), call->node, "the values are not in the dump");
  }
  const sp_shape *s = &l->shape;
  int64_t n = sp_shape_elements(s);
  if (n == 0) {
    return spi_zero(p, sp_dtype_sort(s->dtype));
  }
  if (n == 1 || is_splat(l, n)) {
    return literal_element(call, l, 0);
  }
  if (sp_dtype_is_float(s->dtype)) {
    return float_table(call, l, n, idx);
  }
  for (int64_t i = 0; s->dtype == SP_U64 && i < n; i++) {
    literal_element(call, l, (size_t)i); /* refuses what has no int64 */
  }
  sp_sym sym =
      sp_sym_table_int(p, sp_dtype_sort(s->dtype), s->n_dims, s->dims, l->i);
  return sp_read(p, sym, idx);
}

static void iota_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_shape *s = spi_out(program, node, 0);
  int64_t d = spi_attr_int(node, "iota_dimension", -1);
  if (d < 0 || d >= (int64_t)s->n_dims) {
    spi_bad(ctx, node, "iota_dimension is %lld, the result has %u dimensions",
            (long long)d, s->n_dims);
  }
  if (s->dtype == SP_PRED) {
    spi_unknown(ctx, node, "an iota of predicates");
  }
}

static sp_expr iota_element(const sp_call *call, const sp_expr *idx) {
  sp_expr e = idx[spi_attr_int(call->node, "iota_dimension", 0)];
  sp_dtype t = spi_out_dtype(call);
  return sp_dtype_is_int(t) ? spi_wrap(call, e, t) : sp_i2r(call->pool, e);
}

static const sp_op_attr constant_attrs[] = {
    {"literal", SP_ATTR_LITERAL, false, false},
    {"elided", SP_ATTR_INT, false, false},
    {0},
};
static const char *const constant_spellings[] = {"hlo:constant", NULL};
static const sp_op constant_row = {
    .name = "constant",
    .spellings = constant_spellings,
    .attrs = constant_attrs,
    .shape = constant_shape,
    .element = constant_element,
    .meaning = "out[i] = the literal's element i",
};

static const sp_op_attr iota_attrs[] = {
    {"iota_dimension", SP_ATTR_INT, true, false},
    {0},
};
static const char *const iota_spellings[] = {"hlo:iota", NULL};
static const sp_op iota_row = {
    .name = "iota",
    .spellings = iota_spellings,
    .attrs = iota_attrs,
    .shape = iota_shape,
    .element = iota_element,
    .meaning = "out[i] = i[iota_dimension]",
};

extern const sp_op *const sp_ops_constant_iota[];
const sp_op *const sp_ops_constant_iota[] = {
    &constant_row,
    &iota_row,
    NULL,
};
