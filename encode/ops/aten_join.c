/* aten_join.c: tensors joined, split, padded. */
#include "encode/aten_util.h"

#include <string.h>

/* ---- cat, stack ---- */

/* An empty list of numbers takes no part in a cat (an old rule of PyTorch). */
static bool is_nothing(const sp_shape *s) {
  return s->n_dims == 1 && s->dims[0] == 0;
}

static uint32_t joined(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node, bool skip, uint32_t *operands) {
  uint32_t n, m = 0;
  const int64_t *v = spi_arg_operands(node, "tensors", &n);
  for (uint32_t i = 0; i < n; i++) {
    if (v[i] < 0) {
      spi_bad(ctx, node, "joins None");
    }
    if (!skip || !is_nothing(spi_in(program, node, (uint32_t)v[i]))) {
      operands[m++] = (uint32_t)v[i];
    }
  }
  if (n == 0) {
    spi_bad(ctx, node, "joins nothing");
  }
  if (m == 0) {
    operands[m++] = (uint32_t)v[0];
  }
  return m;
}

static uint32_t *operand_list(sp_ctx *ctx, const sp_node *node) {
  uint32_t n;
  spi_arg_operands(node, "tensors", &n);
  return sp_scratch(ctx, (n + 1u) * sizeof(uint32_t));
}

static void join_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node, bool stacked) {
  sp_mark mark = sp_scratch_mark(ctx);
  uint32_t *v = operand_list(ctx, node);
  uint32_t n = joined(ctx, program, node, !stacked, v);
  const sp_shape *a = spi_in(program, node, v[0]);
  spi_dims s = {0};
  uint32_t dim = spi_arg_dim(ctx, node, "dim", a->n_dims + (stacked ? 1 : 0));
  if (a->n_dims == 0 && !stacked) {
    spi_bad(ctx, node, "joins scalars");
  }
  int64_t total = 0;
  for (uint32_t k = 0; k < n; k++) {
    const sp_shape *b = spi_in(program, node, v[k]);
    spi_dims want = spi_dims_of(a);
    if (!stacked && b->n_dims == a->n_dims) {
      want.d[dim] = b->dims[dim];
    }
    spi_expect_operand(ctx, program, node, v[k], want.n, want.d);
    if (sp_dtype_sort(b->dtype) != sp_dtype_sort(a->dtype)) {
      spi_unknown(ctx, node, "joins %s and %s", sp_dtype_name(a->dtype),
                  sp_dtype_name(b->dtype));
    }
    total += stacked ? 1 : b->dims[dim];
  }
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if (stacked && d == dim) {
      spi_dims_push(ctx, node, &s, total);
    }
    spi_dims_push(ctx, node, &s, !stacked && d == dim ? total : a->dims[d]);
  }
  if (stacked && dim == a->n_dims) {
    spi_dims_push(ctx, node, &s, total);
  }
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, sp_dtype_sort(a->dtype));
  sp_scratch_release(ctx, mark);
}

static sp_expr join_element(const sp_call *call, const sp_expr *idx,
                            bool stacked) {
  sp_ctx *ctx = spi_call_ctx(call);
  sp_mark mark = sp_scratch_mark(ctx);
  uint32_t *v = operand_list(ctx, call->node);
  uint32_t n = joined(ctx, call->program, call->node, !stacked, v);
  uint32_t dim =
      spi_arg_dim(ctx, call->node, "dim", sp_call_result_shape(call)->n_dims);
  sp_expr e = spi_join(call, n, v, dim, stacked, idx);
  sp_scratch_release(ctx, mark);
  return e;
}

static void cat_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  join_shape(ctx, program, node, false);
}

static sp_expr cat_element(const sp_call *call, const sp_expr *idx) {
  return join_element(call, idx, false);
}

static void stack_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  join_shape(ctx, program, node, true);
}

static sp_expr stack_element(const sp_call *call, const sp_expr *idx) {
  return join_element(call, idx, true);
}

/* ---- split, chunk, unbind ---- */

/* Result k: from *start, of length *length; false where there is none. */
static bool piece(sp_ctx *ctx, const sp_node *node, int64_t size, int64_t k,
                  int64_t *start, int64_t *length) {
  uint32_t n;
  int64_t each;
  if (strstr(sp_op_find(node->op)->params, "chunks")) {
    int64_t chunks = spi_arg_int(ctx, node, "chunks");
    if (chunks < 1) {
      spi_bad(ctx, node, "%lld chunks", (long long)chunks);
    }
    each = size == 0 ? 0 : (size - 1) / chunks + 1;
    n = 1;
  } else {
    const int64_t *sizes = spi_arg_ints(ctx, node, "split_size", &n);
    int64_t total = 0;
    for (uint32_t i = 0; n > 1 && i < n; i++) {
      if (sizes[i] < 0 || sizes[i] > size - total) {
        spi_bad(ctx, node, "pieces that are larger than %lld together",
                (long long)size);
      }
      if (k == i) {
        *start = total;
        *length = sizes[i];
      }
      total += sizes[i];
    }
    if (n > 1 && total != size) {
      spi_bad(ctx, node, "pieces of %lld together for a size of %lld",
              (long long)total, (long long)size);
    }
    each = n == 1 ? sizes[0] : 0;
    if (n == 0 || each < 0) {
      spi_bad(ctx, node, "splits into nothing");
    }
  }
  if (n > 1) {
    return k < (int64_t)n;
  }
  if (each == 0) {
    *start = 0;
    *length = 0;
    return size == 0;
  }
  if (each >= size) {
    *start = 0;
    *length = size;
    return k == 0;
  }
  *start = k * each;
  *length = size - *start < each ? size - *start : each;
  return *length > 0 || (k == 0 && size == 0);
}

static void split_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  uint32_t d = spi_arg_dim(ctx, node, "dim", s.n);
  if (s.n == 0) {
    spi_bad(ctx, node, "splits a scalar");
  }
  int64_t size = s.d[d];
  for (uint32_t k = 0; k < node->n_out; k++) {
    int64_t start, length;
    if (!piece(ctx, node, size, k, &start, &length)) {
      spi_bad(ctx, node, "there is no piece %u of %lld elements", k,
              (long long)size);
    }
    s.d[d] = length;
    spi_yields_like(ctx, program, node, k, &s, "self");
  }
}

static sp_expr split_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *a = spi_call_arg_shape(call, "self");
  sp_ctx *ctx = spi_call_ctx(call);
  uint32_t d = spi_arg_dim(ctx, call->node, "dim", a->n_dims);
  int64_t start = 0, length;
  sp_expr j[SP_MAX_DIMS] = {{0}};
  piece(ctx, call->node, a->dims[d], call->result, &start, &length);
  memcpy(j, idx, a->n_dims * sizeof *j);
  j[d] = sp_iaddc(call->pool, idx[d], start);
  return spi_arg_read(call, "self", j);
}

static void unbind_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  uint32_t d = spi_arg_dim(ctx, node, "dim", a->n_dims);
  spi_dims s = {0};
  for (uint32_t i = 0; i < a->n_dims; i++) {
    if (i != d) {
      spi_dims_push(ctx, node, &s, a->dims[i]);
    }
  }
  if (a->n_dims == 0 || (int64_t)node->n_out > a->dims[d]) {
    spi_bad(ctx, node, "%u results", node->n_out);
  }
  for (uint32_t k = 0; k < node->n_out; k++) {
    spi_yields_like(ctx, program, node, k, &s, "self");
  }
}

static sp_expr unbind_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *a = spi_call_arg_shape(call, "self");
  uint32_t d = spi_arg_dim(spi_call_ctx(call), call->node, "dim", a->n_dims);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  uint32_t m = 0;
  for (uint32_t i = 0; i < a->n_dims; i++) {
    j[i] = i == d ? sp_int(call->pool, call->result) : idx[m++];
  }
  return spi_arg_read(call, "self", j);
}

/* ---- pad ---- */

/* Pairs (before, after), the last dimension first; negative ones cut. */
static int64_t pad_at(const int64_t *pad, uint32_t n, uint32_t n_dims,
                      uint32_t d, int side) {
  uint32_t k = 2 * (n_dims - 1 - d);
  return k < n ? pad[k + (uint32_t)side] : 0;
}

static void pad_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  uint32_t n;
  const int64_t *pad = spi_arg_ints(ctx, node, "pad", &n);
  if (n % 2 != 0 || n > 2 * s.n) {
    spi_bad(ctx, node, "%u pad sizes for %u dimensions", n, s.n);
  }
  for (uint32_t d = 0; d < s.n; d++) {
    for (int side = 0; side < 2; side++) {
      int64_t q = pad_at(pad, n, s.n, d, side);
      if (q > SP_MAX_ELEMENTS || q < -s.d[d]) {
        spi_bad(ctx, node, "padding %lld in dimension %u", (long long)q, d);
      }
    }
    s.d[d] += pad_at(pad, n, s.n, d, 0) + pad_at(pad, n, s.n, d, 1);
  }
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr pad_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *a = spi_call_arg_shape(call, "self");
  sp_pool *p = call->pool;
  uint32_t n;
  const int64_t *pad = spi_arg_ints(spi_call_ctx(call), call->node, "pad", &n);
  sp_expr inside = sp_bool(p, true), j[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < a->n_dims; d++) {
    j[d] = sp_iaddc(p, idx[d], -pad_at(pad, n, a->n_dims, d, 0));
    inside = sp_and(p, inside, spi_inside(p, j[d], a->dims[d]));
  }
  if (sp_is_false(p, inside)) {
    return spi_arg_number(call, "value", spi_out_dtype(call));
  }
  return sp_ite(p, inside, spi_arg_read(call, "self", j),
                spi_arg_number(call, "value", spi_out_dtype(call)));
}

/* ---- rows ---- */

#define PIECE "out_k[i] = a[i + where piece k begins]"

SPI_ATEN(cat, "Tensor[] tensors, int dim=0", cat_shape, cat_element,
         "out[i] = a_k[i - start_k], k the operand that i falls into",
         "aten.cat.default", "torch.cat", "torch.concat", "aten.concat.default",
         "prims.cat.default")
SPI_ATEN(stack, "Tensor[] tensors, int dim=0", stack_shape, stack_element,
         "out[.., k, ..] = a_k[..]", "aten.stack.default", "torch.stack")
SPI_ATEN(split, "Tensor self, int[] split_size, int dim=0", split_shape,
         split_element, PIECE, SPI_NAMES("split", "Tensor"), "aten.split.sizes",
         "aten.split_copy.Tensor", "aten.unsafe_split.Tensor")
SPI_ATEN(split_with_sizes, "Tensor self, int[] split_size, int dim=0",
         split_shape, split_element, PIECE,
         SPI_NAMES("split_with_sizes", "default"),
         "aten.split_with_sizes_copy.default",
         "aten.unsafe_split_with_sizes.default")
SPI_ATEN(chunk, "Tensor self, int chunks, int dim=0", split_shape,
         split_element, PIECE, SPI_NAMES("chunk", "default"),
         "aten.unsafe_chunk.default")
SPI_ATEN(unbind, "Tensor self, int dim=0", unbind_shape, unbind_element,
         "out_k[i] = a[i with k inserted]", SPI_NAMES("unbind", "int"),
         "aten.unbind_copy.int")
SPI_ATEN(pad, "Tensor self, int[] pad, Scalar value=0", pad_shape, pad_element,
         "out[i] = a[i - before] where that is an element, else the value",
         "aten.constant_pad_nd.default")
SPI_ATEN(pad_function,
         "Tensor self, int[] pad, str mode=constant!, Scalar value=0",
         pad_shape, pad_element,
         "out[i] = a[i - before] where that is an element, else the value",
         "torch.nn.functional.pad", "torch._C._nn.pad", "aten.pad.default")

extern const sp_op *const sp_ops_aten_join[];
const sp_op *const sp_ops_aten_join[] = {
    &cat_row,   &stack_row,  &split_row, &split_with_sizes_row,
    &chunk_row, &unbind_row, &pad_row,   &pad_function_row,
    NULL,
};
