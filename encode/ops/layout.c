/* layout.c: operators that only move elements: index arithmetic. */
#include "encode/op_util.h"

#include <string.h>

/* ---- copy ---- */

static sp_expr copy_element(const sp_call *call, const sp_expr *idx) {
  return sp_call_read(call, call->result, idx);
}

/* ---- broadcast ---- */

static void broadcast_shape(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_shape *a = spi_in(program, node, 0), *r = spi_out(program, node, 0);
  uint32_t n;
  const int64_t *dims = spi_ints(node, "dimensions", &n);
  spi_expect_dtype(ctx, program, node, 0, 0);
  spi_check_dims(ctx, node, "dimensions", r->n_dims);
  if (n != a->n_dims) {
    spi_bad(ctx, node, "%u dimensions given for an operand with %u", n,
            a->n_dims);
  }
  for (uint32_t k = 0; k < n; k++) {
    if (a->dims[k] != r->dims[dims[k]]) {
      spi_bad(ctx, node,
              "dimension %u of the operand has size %lld, dimension %lld of "
              "the result %lld",
              k, (long long)a->dims[k], (long long)dims[k],
              (long long)r->dims[dims[k]]);
    }
  }
}

static sp_expr broadcast_element(const sp_call *call, const sp_expr *idx) {
  uint32_t n;
  const int64_t *dims = spi_ints(call->node, "dimensions", &n);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  for (uint32_t k = 0; k < n; k++) {
    j[k] = idx[dims[k]];
  }
  return sp_call_read(call, 0, j);
}

/* ---- reshape ---- */

static void same_elements(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_shape *a = spi_in(program, node, 0), *r = spi_out(program, node, 0);
  if (sp_shape_elements(a) != sp_shape_elements(r)) {
    spi_bad(ctx, node, "the operand has %lld elements, the result %lld",
            (long long)sp_shape_elements(a), (long long)sp_shape_elements(r));
  }
}

static void reshape_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  same_elements(ctx, program, node);
  spi_expect_dtype(ctx, program, node, 0, 0);
}

/* Dimensions other than 1, and where they are. */
static uint32_t proper_dims(const sp_shape *s, int64_t *dims, uint32_t *at) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < s->n_dims; d++) {
    if (s->dims[d] != 1) {
      dims[n] = s->dims[d];
      at[n++] = d;
    }
  }
  return n;
}

/* The two shapes are cut into the smallest groups of dimensions with equal
 * products; only inside a group is there arithmetic. */
void spi_reshape_index(sp_pool *p, const sp_shape *from, const sp_shape *to,
                       const sp_expr *idx, sp_expr *out) {
  int64_t fd[SP_MAX_DIMS], td[SP_MAX_DIMS];
  uint32_t fa[SP_MAX_DIMS], ta[SP_MAX_DIMS];
  uint32_t fn = proper_dims(from, fd, fa), tn = proper_dims(to, td, ta);
  for (uint32_t d = 0; d < to->n_dims; d++) {
    out[d] = sp_int(p, 0);
  }
  uint32_t f = 0, t = 0;
  while (f < fn && t < tn) {
    uint32_t f0 = f, t0 = t;
    int64_t fp = fd[f++], tp = td[t++];
    while (fp != tp && (fp < tp ? f < fn : t < tn)) {
      if (fp < tp) {
        fp *= fd[f++];
      } else {
        tp *= td[t++];
      }
    }
    sp_expr in[SP_MAX_DIMS], digits[SP_MAX_DIMS];
    for (uint32_t k = f0; k < f; k++) {
      in[k - f0] = idx[fa[k]];
    }
    if (f - f0 == 1 && t - t0 == 1) {
      digits[0] = in[0];
    } else {
      sp_unflatten(p, sp_flatten(p, f - f0, fd + f0, in), t - t0, td + t0,
                   digits);
    }
    for (uint32_t k = t0; k < t; k++) {
      out[ta[k]] = digits[k - t0];
    }
  }
}

static sp_expr reshape_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *r = sp_call_result_shape(call);
  const sp_shape *a = sp_call_shape(call, 0);
  if (sp_shape_elements(r) == 0) {
    return spi_zero(call->pool, sp_dtype_sort(r->dtype));
  }
  sp_expr j[SP_MAX_DIMS] = {{0}};
  spi_reshape_index(call->pool, r, a, idx, j);
  return sp_call_read(call, 0, j);
}

static void check_order(sp_ctx *ctx, const sp_node *node, const char *attr,
                        uint32_t n_dims) {
  uint32_t n;
  spi_ints(node, attr, &n);
  spi_check_dims(ctx, node, attr, n_dims);
  if (n != n_dims) {
    spi_bad(ctx, node, "%s has %u dimensions, not %u", attr, n, n_dims);
  }
}

/* A bitcast follows the layouts in memory. Where they are not known, all
 * elements must lie on one line. */
static void bitcast_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_shape *a = spi_in(program, node, 0), *r = spi_out(program, node, 0);
  int64_t dims[SP_MAX_DIMS];
  uint32_t at[SP_MAX_DIMS];
  if (!spi_same_size(a->dtype, r->dtype)) {
    spi_unknown(ctx, node, "the bits of a %s read as a %s",
                sp_dtype_name(a->dtype), sp_dtype_name(r->dtype));
  }
  same_elements(ctx, program, node);
  if (sp_node_attr(node, "minor_to_major")) {
    check_order(ctx, node, "operand_minor_to_major", a->n_dims);
    check_order(ctx, node, "minor_to_major", r->n_dims);
  } else if (proper_dims(a, dims, at) > 1 || proper_dims(r, dims, at) > 1) {
    spi_unknown(ctx, node, "a bitcast depends on layouts in memory");
  }
}

/* The shape as it lies in memory: major dimension first; v in this order, too.
 * Without a layout as it is. */
static sp_shape in_memory(const sp_node *node, const char *attr,
                          const sp_shape *s, int64_t *dims, uint32_t *order) {
  uint32_t n;
  const int64_t *minor_to_major = spi_ints(node, attr, &n);
  for (uint32_t k = 0; k < s->n_dims; k++) {
    order[k] = n ? (uint32_t)minor_to_major[n - 1 - k] : k;
    dims[k] = s->dims[order[k]];
  }
  return (sp_shape){s->dtype, s->n_dims, dims};
}

static sp_expr bitcast_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *r = sp_call_result_shape(call);
  const sp_shape *a = sp_call_shape(call, 0);
  if (sp_shape_elements(r) == 0) {
    return spi_zero(call->pool, sp_dtype_sort(r->dtype));
  }
  int64_t from_dims[SP_MAX_DIMS], to_dims[SP_MAX_DIMS];
  uint32_t from[SP_MAX_DIMS], to[SP_MAX_DIMS];
  sp_shape result = in_memory(call->node, "minor_to_major", r, from_dims, from);
  sp_shape operand =
      in_memory(call->node, "operand_minor_to_major", a, to_dims, to);
  sp_expr i[SP_MAX_DIMS] = {{0}}, j[SP_MAX_DIMS] = {{0}};
  sp_expr at[SP_MAX_DIMS] = {{0}};
  for (uint32_t k = 0; k < r->n_dims; k++) {
    i[k] = idx[from[k]];
  }
  spi_reshape_index(call->pool, &result, &operand, i, j);
  for (uint32_t k = 0; k < a->n_dims; k++) {
    at[to[k]] = j[k];
  }
  return spi_bits(call, sp_call_read(call, 0, at), a->dtype, r->dtype);
}

/* ---- transpose ---- */

static void transpose_shape(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_shape *a = spi_in(program, node, 0);
  uint32_t n;
  const int64_t *perm = spi_ints(node, "dimensions", &n);
  int64_t dims[SP_MAX_DIMS] = {0};
  spi_expect_dtype(ctx, program, node, 0, 0);
  spi_check_dims(ctx, node, "dimensions", a->n_dims);
  if (n != a->n_dims) {
    spi_bad(ctx, node, "a permutation of %u for %u dimensions", n, a->n_dims);
  }
  for (uint32_t d = 0; d < n; d++) {
    dims[d] = a->dims[perm[d]];
  }
  spi_expect(ctx, program, node, 0, n, dims);
}

static sp_expr transpose_element(const sp_call *call, const sp_expr *idx) {
  uint32_t n;
  const int64_t *perm = spi_ints(call->node, "dimensions", &n);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < n; d++) {
    j[perm[d]] = idx[d];
  }
  return sp_call_read(call, 0, j);
}

/* ---- slice ---- */

static void slice_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_shape *a = spi_in(program, node, 0);
  uint32_t n[3];
  const int64_t *lo = spi_ints(node, "slice_starts", &n[0]);
  const int64_t *hi = spi_ints(node, "slice_limits", &n[1]);
  const int64_t *by = spi_ints(node, "slice_strides", &n[2]);
  int64_t dims[SP_MAX_DIMS] = {0};
  spi_expect_dtype(ctx, program, node, 0, 0);
  if (n[0] != a->n_dims || n[1] != a->n_dims || n[2] != a->n_dims) {
    spi_bad(ctx, node, "starts, limits or strides are not %u numbers",
            a->n_dims);
  }
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if (lo[d] < 0 || hi[d] < lo[d] || hi[d] > a->dims[d] || by[d] < 1) {
      spi_bad(ctx, node, "dimension %u: [%lld:%lld:%lld] of size %lld", d,
              (long long)lo[d], (long long)hi[d], (long long)by[d],
              (long long)a->dims[d]);
    }
    dims[d] = hi[d] == lo[d] ? 0 : (hi[d] - lo[d] - 1) / by[d] + 1;
  }
  spi_expect(ctx, program, node, 0, a->n_dims, dims);
}

static sp_expr slice_element(const sp_call *call, const sp_expr *idx) {
  uint32_t n;
  const int64_t *lo = spi_ints(call->node, "slice_starts", &n);
  const int64_t *by = spi_ints(call->node, "slice_strides", &n);
  sp_pool *p = call->pool;
  sp_expr j[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < n; d++) {
    j[d] = sp_iaddc(p, sp_iscale(p, idx[d], by[d]), lo[d]);
  }
  return sp_call_read(call, 0, j);
}

/* ---- reverse ---- */

static void reverse_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  spi_shape_identity(ctx, program, node);
  spi_check_dims(ctx, node, "dimensions", spi_in(program, node, 0)->n_dims);
}

static sp_expr reverse_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *s = sp_call_result_shape(call);
  uint32_t n;
  const int64_t *dims = spi_ints(call->node, "dimensions", &n);
  sp_pool *p = call->pool;
  sp_expr j[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < s->n_dims; d++) {
    j[d] = spi_contains(dims, n, d)
               ? sp_isub(p, sp_int(p, s->dims[d] - 1), idx[d])
               : idx[d];
  }
  return sp_call_read(call, 0, j);
}

/* ---- concatenate ---- */

static void concatenate_shape(sp_ctx *ctx, const sp_program *program,
                              const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_shape *a = spi_in(program, node, 0);
  uint32_t n;
  const int64_t *dim = spi_ints(node, "dimensions", &n);
  int64_t dims[SP_MAX_DIMS] = {0};
  spi_check_dims(ctx, node, "dimensions", a->n_dims);
  if (n != 1) {
    spi_bad(ctx, node, "concatenates along %u dimensions", n);
  }
  memcpy(dims, a->dims, a->n_dims * sizeof *dims);
  int64_t total = 0;
  for (uint32_t k = 0; k < node->n_in; k++) {
    const sp_shape *s = spi_in(program, node, k);
    spi_expect_dtype(ctx, program, node, 0, k);
    if (s->n_dims == a->n_dims) {
      dims[*dim] = s->dims[*dim];
    }
    spi_expect_operand(ctx, program, node, k, a->n_dims, dims);
    total += s->dims[*dim];
  }
  dims[*dim] = total;
  spi_expect(ctx, program, node, 0, a->n_dims, dims);
}

typedef struct pieces {
  const sp_call *call;
  const uint32_t *operands;
  const sp_expr *idx;
  int64_t dim;
  bool stacked;         /* the operands lack the dimension */
  const int64_t *start; /* n + 1 offsets */
  int64_t lo, hi;       /* where idx[dim] may be */
} pieces;

static sp_expr piece(const pieces *c, uint32_t k) {
  uint32_t n_dims = sp_call_result_shape(c->call)->n_dims, m = 0;
  sp_expr j[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < n_dims; d++) {
    if ((int64_t)d != c->dim) {
      j[m++] = c->idx[d];
    } else if (!c->stacked) {
      j[m++] = sp_iaddc(c->call->pool, c->idx[d], -c->start[k]);
    }
  }
  return sp_call_read(c->call, c->operands[k], j);
}

/* Operands [from, to) by halving (depth stays small for thousands); a few are
 * a chain "in the first? in the second? ...". */
static sp_expr choose(const pieces *c, uint32_t from, uint32_t to) {
  sp_pool *p = c->call->pool;
  if (to - from == 1) {
    return piece(c, from);
  }
  uint32_t mid = to - from <= 16 ? from + 1 : from + (to - from) / 2;
  int64_t cut = c->start[mid];
  if (c->hi < cut) {
    return choose(c, from, mid);
  }
  if (c->lo >= cut) {
    return choose(c, mid, to);
  }
  sp_expr left = choose(c, from, mid);
  sp_expr right = choose(c, mid, to);
  return sp_ite(p, sp_lt(p, c->idx[c->dim], sp_int(p, cut)), left, right);
}

sp_expr spi_join(const sp_call *call, uint32_t count, const uint32_t *operands,
                 int64_t dim, bool stacked, const sp_expr *idx) {
  sp_ctx *ctx = sp_pool_ctx(call->pool);
  sp_mark mark = sp_scratch_mark(ctx);
  int64_t *start = sp_scratch(ctx, (count + 1u) * sizeof *start);
  start[0] = 0;
  for (uint32_t k = 0; k < count; k++) {
    start[k + 1] =
        start[k] + (stacked ? 1 : sp_call_shape(call, operands[k])->dims[dim]);
  }
  pieces c = {call, operands, idx, dim, stacked, start, 0, 0};
  sp_range(call->pool, idx[dim], &c.lo, &c.hi);
  sp_expr e = choose(&c, 0, count);
  sp_scratch_release(ctx, mark);
  return e;
}

static sp_expr concatenate_element(const sp_call *call, const sp_expr *idx) {
  uint32_t n, count = call->node->n_in;
  sp_ctx *ctx = sp_pool_ctx(call->pool);
  int64_t dim = spi_ints(call->node, "dimensions", &n)[0];
  sp_mark mark = sp_scratch_mark(ctx);
  uint32_t *operands = sp_scratch(ctx, count * sizeof *operands);
  for (uint32_t k = 0; k < count; k++) {
    operands[k] = k;
  }
  sp_expr e = spi_join(call, count, operands, dim, false, idx);
  sp_scratch_release(ctx, mark);
  return e;
}

/* ---- pad ---- */

static void pad_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_shape *a = spi_in(program, node, 0);
  uint32_t n;
  const int64_t *pad = spi_ints(node, "padding", &n);
  int64_t dims[SP_MAX_DIMS] = {0};
  spi_expect_dtype(ctx, program, node, 0, 0);
  spi_expect_dtype(ctx, program, node, 0, 1);
  spi_expect_operand(ctx, program, node, 1, 0, NULL);
  if (n != 3 * a->n_dims) {
    spi_bad(ctx, node, "padding has %u numbers for %u dimensions", n,
            a->n_dims);
  }
  for (uint32_t d = 0; d < a->n_dims; d++) {
    const int64_t *q = pad + 3 * (size_t)d;
    for (int k = 0; k < 3; k++) {
      if (q[k] > SP_MAX_ELEMENTS || q[k] < (k == 2 ? 0 : -SP_MAX_ELEMENTS)) {
        spi_bad(ctx, node, "padding %lld in dimension %u", (long long)q[k], d);
      }
    }
    int64_t inner = a->dims[d] == 0 ? 0 : a->dims[d] - 1;
    int64_t size = a->dims[d] + spi_mul(ctx, node, inner, q[2]) + q[0] + q[1];
    dims[d] = size < 0 ? 0 : size;
  }
  spi_expect(ctx, program, node, 0, a->n_dims, dims);
}

static sp_expr pad_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *a = sp_call_shape(call, 0);
  sp_pool *p = call->pool;
  uint32_t n;
  const int64_t *pad = spi_ints(call->node, "padding", &n);
  sp_expr inside = sp_bool(p, true), j[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < a->n_dims; d++) {
    const int64_t *q = pad + 3 * (size_t)d;
    sp_expr v = sp_iaddc(p, idx[d], -q[0]);
    if (q[2] > 0) {
      sp_expr rest = sp_imod(p, v, q[2] + 1);
      inside = sp_and(p, inside, sp_eq(p, rest, sp_int(p, 0)));
      v = sp_idiv(p, v, q[2] + 1);
    }
    inside = sp_and(p, inside, spi_inside(p, v, a->dims[d]));
    j[d] = v;
  }
  sp_expr none[1] = {{0}};
  if (sp_is_false(p, inside)) {
    return sp_call_read(call, 1, none);
  }
  if (sp_is_true(p, inside)) {
    return sp_call_read(call, 0, j);
  }
  return sp_ite(p, inside, sp_call_read(call, 0, j),
                sp_call_read(call, 1, none));
}

/* ---- rows ---- */

static const sp_op_attr dimensions_attrs[] = {
    {"dimensions", SP_ATTR_INTS, true, false},
    {0},
};
static const sp_op_attr bitcast_attrs[] = {
    {"operand_minor_to_major", SP_ATTR_INTS, false, false},
    {"minor_to_major", SP_ATTR_INTS, false, false},
    {0},
};
static const sp_op_attr slice_attrs[] = {
    {"slice_starts", SP_ATTR_INTS, true, false},
    {"slice_limits", SP_ATTR_INTS, true, false},
    {"slice_strides", SP_ATTR_INTS, true, false},
    {0},
};
static const sp_op_attr pad_attrs[] = {
    {"padding", SP_ATTR_INTS, true, false},
    {0},
};

#define ROW(id, opcode, n, max, attrs_list, shape_fn, element_fn, text)        \
  static const char *const id##_spellings[] = {"hlo:" opcode, NULL};           \
  static const sp_op id##_row = {                                              \
      .name = opcode,                                                          \
      .spellings = id##_spellings,                                             \
      .attrs = attrs_list,                                                     \
      .min_operands = n,                                                       \
      .max_operands = max,                                                     \
      .shape = shape_fn,                                                       \
      .element = element_fn,                                                   \
      .meaning = text,                                                         \
  };

ROW(copy, "copy", 1, 1, NULL, spi_shape_identity, copy_element, "out[i] = a[i]")
ROW(broadcast, "broadcast", 1, 1, dimensions_attrs, broadcast_shape,
    broadcast_element, "out[i] = a[i[dimensions[0]], i[dimensions[1]], ...]")
ROW(reshape, "reshape", 1, 1, NULL, reshape_shape, reshape_element,
    "out[i] = a[j], i and j the same row-major position")
ROW(bitcast, "bitcast", 1, 1, bitcast_attrs, bitcast_shape, bitcast_element,
    "out[i] = a[j], i and j the same place in memory")
ROW(transpose, "transpose", 1, 1, dimensions_attrs, transpose_shape,
    transpose_element, "out[i] = a[j], j[dimensions[d]] = i[d]")
ROW(slice, "slice", 1, 1, slice_attrs, slice_shape, slice_element,
    "out[i] = a[start + i * stride]")
ROW(reverse, "reverse", 1, 1, dimensions_attrs, reverse_shape, reverse_element,
    "out[i] = a[n - 1 - i] in the given dimensions")
ROW(concatenate, "concatenate", 1, UINT32_MAX, dimensions_attrs,
    concatenate_shape, concatenate_element,
    "out[i] = a_k[i - start_k], k the operand that i falls into")
ROW(pad, "pad", 2, 2, pad_attrs, pad_shape, pad_element,
    "out[i] = a[(i - low) / (interior + 1)] where that is an element, "
    "else the padding value")

extern const sp_op *const sp_ops_layout[];
const sp_op *const sp_ops_layout[] = {
    &broadcast_row, &reshape_row, &bitcast_row,     &transpose_row, &slice_row,
    &reverse_row,   &copy_row,    &concatenate_row, &pad_row,       NULL,
};
