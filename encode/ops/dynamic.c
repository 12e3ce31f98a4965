/* dynamic.c: dynamic-slice and dynamic-update-slice. XLA clamps the starts so
 * that the slice lies inside: start = min(max(start, 0), size - slice). */
#include "encode/op_util.h"

/* Operand `first` and those after it are scalar starts, one a dimension; an
 * old form has one vector of them. */
static void check_starts(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node, uint32_t first, uint32_t n_dims) {
  bool vector = node->n_in == first + 1 && node->n_in > first &&
                spi_in(program, node, first)->n_dims == 1;
  if (vector) {
    int64_t n = n_dims;
    spi_expect_operand(ctx, program, node, first, 1, &n);
  } else if (node->n_in != first + n_dims) {
    spi_bad(ctx, node, "%u starts for %u dimensions", node->n_in - first,
            n_dims);
  }
  for (uint32_t k = first; k < node->n_in; k++) {
    if (!vector) {
      spi_expect_operand(ctx, program, node, k, 0, NULL);
    }
    if (!sp_dtype_is_int(spi_in(program, node, k)->dtype)) {
      spi_bad(ctx, node, "start %u is no integer", k - first);
    }
  }
}

static sp_expr start_of(const sp_call *call, uint32_t first, uint32_t d,
                        int64_t last) {
  sp_pool *p = call->pool;
  if (last == 0) {
    return sp_int(p, 0);
  }
  sp_expr at[1] = {sp_int(p, d)};
  bool vector = sp_call_shape(call, first)->n_dims == 1;
  sp_expr e = sp_call_read(call, vector ? first : first + d, at);
  return sp_clamp(p, e, sp_int(p, 0), sp_int(p, last));
}

static void dynamic_slice_shape(sp_ctx *ctx, const sp_program *program,
                                const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_shape *a = spi_in(program, node, 0);
  uint32_t n;
  const int64_t *sizes = spi_ints(node, "dynamic_slice_sizes", &n);
  spi_expect_dtype(ctx, program, node, 0, 0);
  if (n != a->n_dims) {
    spi_bad(ctx, node, "%u sizes for %u dimensions", n, a->n_dims);
  }
  for (uint32_t d = 0; d < n; d++) {
    if (sizes[d] < 0 || sizes[d] > a->dims[d]) {
      spi_bad(ctx, node, "dimension %u: a slice of %lld from %lld", d,
              (long long)sizes[d], (long long)a->dims[d]);
    }
  }
  spi_expect(ctx, program, node, 0, n, sizes);
  check_starts(ctx, program, node, 1, n);
}

static sp_expr dynamic_slice_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *a = sp_call_shape(call, 0);
  const sp_shape *r = sp_call_result_shape(call);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < a->n_dims; d++) {
    sp_expr start = start_of(call, 1, d, a->dims[d] - r->dims[d]);
    j[d] = sp_iadd(call->pool, idx[d], start);
  }
  return sp_call_read(call, 0, j);
}

static void update_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_shape *a = spi_in(program, node, 0), *u = spi_in(program, node, 1);
  spi_expect(ctx, program, node, 0, a->n_dims, a->dims);
  spi_expect_dtype(ctx, program, node, 0, 0);
  spi_expect_dtype(ctx, program, node, 0, 1);
  if (u->n_dims != a->n_dims) {
    spi_bad(ctx, node, "an update of %u dimensions for %u", u->n_dims,
            a->n_dims);
  }
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if (u->dims[d] > a->dims[d]) {
      spi_bad(ctx, node, "dimension %u: an update of %lld into %lld", d,
              (long long)u->dims[d], (long long)a->dims[d]);
    }
  }
  check_starts(ctx, program, node, 2, a->n_dims);
}

static sp_expr update_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *a = sp_call_shape(call, 0), *u = sp_call_shape(call, 1);
  sp_pool *p = call->pool;
  sp_expr inside = sp_bool(p, true), j[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < a->n_dims; d++) {
    sp_expr start = start_of(call, 2, d, a->dims[d] - u->dims[d]);
    j[d] = sp_isub(p, idx[d], start);
    if (u->dims[d] != a->dims[d]) {
      inside = sp_and(p, inside, spi_inside(p, j[d], u->dims[d]));
    }
  }
  if (sp_is_true(p, inside)) {
    return sp_call_read(call, 1, j);
  }
  if (sp_is_false(p, inside)) {
    return sp_call_read(call, 0, idx);
  }
  return sp_ite(p, inside, sp_call_read(call, 1, j),
                sp_call_read(call, 0, idx));
}

static const sp_op_attr dynamic_slice_attrs[] = {
    {"dynamic_slice_sizes", SP_ATTR_INTS, true, false},
    {0},
};
static const char *const dynamic_slice_spellings[] = {"hlo:dynamic-slice",
                                                      NULL};
static const sp_op dynamic_slice_row = {
    .name = "dynamic-slice",
    .spellings = dynamic_slice_spellings,
    .attrs = dynamic_slice_attrs,
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .shape = dynamic_slice_shape,
    .element = dynamic_slice_element,
    .meaning = "out[i] = a[i + clamp(start, 0, size - slice)]",
};

static const char *const update_spellings[] = {"hlo:dynamic-update-slice",
                                               NULL};
static const sp_op update_row = {
    .name = "dynamic-update-slice",
    .spellings = update_spellings,
    .min_operands = 2,
    .max_operands = UINT32_MAX,
    .shape = update_shape,
    .element = update_element,
    .meaning = "out[i] = u[i - s] where that is an element, else a[i]; "
               "s = clamp(start, 0, size - update)",
};

extern const sp_op *const sp_ops_dynamic[];
const sp_op *const sp_ops_dynamic[] = {
    &dynamic_slice_row,
    &update_row,
    NULL,
};
