/* aten_view.c: the same elements at other places, one operand: index
 * arithmetic only. slices: aten_slice.c; joins and splits: aten_join.c. */
#include "encode/aten_util.h"

#include <string.h>

static const sp_shape *self_shape(sp_ctx *ctx, const sp_program *program,
                                  const sp_node *node) {
  return spi_arg_shape(ctx, program, node, "self");
}

/* ---- view, reshape, flatten: the same row-major position ---- */

static void same_count(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node, const spi_dims *s) {
  const sp_shape *a = self_shape(ctx, program, node);
  if (spi_dims_count(s) != sp_shape_elements(a)) {
    spi_bad(ctx, node, "%lld elements as %lld", (long long)sp_shape_elements(a),
            (long long)spi_dims_count(s));
  }
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, s, "self");
}

/* Sizes as asked for, where -1 is what remains. */
static void view_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  const sp_shape *a = self_shape(ctx, program, node);
  uint32_t n;
  const int64_t *size = spi_arg_ints(ctx, node, "size", &n);
  spi_dims s = {0};
  int64_t known = 1;
  uint32_t open = n;
  for (uint32_t i = 0; i < n; i++) {
    spi_dims_push(ctx, node, &s, size[i]);
    if (size[i] == -1 && open == n) {
      open = i;
    } else {
      known = spi_mul(ctx, node, known, size[i]);
    }
  }
  if (open < n) {
    int64_t all = sp_shape_elements(a);
    if (known == 0 || all % known != 0) {
      spi_bad(ctx, node, "%lld elements in rows of %lld", (long long)all,
              (long long)known);
    }
    s.d[open] = all / known;
  }
  same_count(ctx, program, node, &s);
}

static void view_as_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "other"));
  same_count(ctx, program, node, &s);
}

static void flatten_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *a = self_shape(ctx, program, node);
  uint32_t from = spi_arg_dim(ctx, node, "start_dim", a->n_dims);
  uint32_t to = spi_arg_dim(ctx, node, "end_dim", a->n_dims);
  spi_dims s = {0};
  if (to < from) {
    spi_bad(ctx, node, "flattens from dimension %u to %u", from, to);
  }
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if (d > from && d <= to) {
      s.d[s.n - 1] = spi_mul(ctx, node, s.d[s.n - 1], a->dims[d]);
    } else {
      spi_dims_push(ctx, node, &s, a->dims[d]);
    }
  }
  if (a->n_dims == 0) {
    spi_dims_push(ctx, node, &s, 1);
  }
  same_count(ctx, program, node, &s);
}

static void unflatten_shape(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  const sp_shape *a = self_shape(ctx, program, node);
  uint32_t at = spi_arg_dim(ctx, node, "dim", a->n_dims), n;
  const int64_t *sizes = spi_arg_ints(ctx, node, "sizes", &n);
  spi_dims s = {0};
  int64_t known = 1;
  for (uint32_t i = 0; i < n; i++) {
    known = sizes[i] == -1 ? known : spi_mul(ctx, node, known, sizes[i]);
  }
  for (uint32_t d = 0; d < a->n_dims; d++) {
    for (uint32_t i = 0; d == at && i < n; i++) {
      int64_t rest = known ? a->dims[at] / known : 0;
      spi_dims_push(ctx, node, &s, sizes[i] == -1 ? rest : sizes[i]);
    }
    if (d != at) {
      spi_dims_push(ctx, node, &s, a->dims[d]);
    }
  }
  same_count(ctx, program, node, &s);
}

static void unsqueeze_shape(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  const sp_shape *a = self_shape(ctx, program, node);
  uint32_t at = spi_arg_dim(ctx, node, "dim", a->n_dims + 1);
  spi_dims s = {0};
  for (uint32_t d = 0; d <= a->n_dims; d++) {
    if (d == at) {
      spi_dims_push(ctx, node, &s, 1);
    }
    if (d < a->n_dims) {
      spi_dims_push(ctx, node, &s, a->dims[d]);
    }
  }
  same_count(ctx, program, node, &s);
}

static void squeeze_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *a = self_shape(ctx, program, node);
  bool in[SP_MAX_DIMS];
  uint32_t n;
  spi_arg_ints(ctx, node, "dim", &n);
  spi_arg_dims(ctx, node, "dim", a->n_dims, in);
  bool none = n == 0 && spi_arg_given(node, "dim");
  spi_dims s = {0};
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if (a->dims[d] != 1 || !in[d] || none) {
      spi_dims_push(ctx, node, &s, a->dims[d]);
    }
  }
  same_count(ctx, program, node, &s);
}

static sp_expr view_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *r = sp_call_result_shape(call);
  if (sp_shape_elements(r) == 0) {
    return spi_zero(call->pool, sp_dtype_sort(r->dtype));
  }
  sp_expr j[SP_MAX_DIMS] = {{0}};
  spi_reshape_index(call->pool, r, spi_call_arg_shape(call, "self"), idx, j);
  return spi_arg_read(call, "self", j);
}

/* ---- expand ---- */

static void expand_to(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node, spi_dims *s) {
  const sp_shape *a = self_shape(ctx, program, node);
  for (uint32_t i = 0; i < s->n; i++) {
    bool old = i + a->n_dims >= s->n;
    if (s->d[i] == -1 && old) {
      s->d[i] = a->dims[i + a->n_dims - s->n];
    } else if (s->d[i] < 0) {
      spi_bad(ctx, node, "size %lld for a new dimension", (long long)s->d[i]);
    }
  }
  spi_broadcasts_to(ctx, node, a, s);
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, s, "self");
}

static void expand_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  uint32_t n;
  const int64_t *size = spi_arg_ints(ctx, node, "size", &n);
  spi_dims s = {0};
  for (uint32_t i = 0; i < n; i++) {
    spi_dims_push(ctx, node, &s, size[i]);
  }
  expand_to(ctx, program, node, &s);
}

static void expand_as_shape(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "other"));
  expand_to(ctx, program, node, &s);
}

static sp_expr expand_element(const sp_call *call, const sp_expr *idx) {
  int64_t k = spi_arg_operand(call->node, "self");
  return spi_read_broadcast(call, (uint32_t)k,
                            sp_call_result_shape(call)->n_dims, idx);
}

/* ---- permutations ---- */

/* perm[d]: the operand's dimension that is dimension d of the result. */
static void permutation(sp_ctx *ctx, const sp_node *node, uint32_t n,
                        uint32_t *perm) {
  uint32_t count;
  const int64_t *dims = spi_arg_ints(ctx, node, "dims", &count);
  bool seen[SP_MAX_DIMS] = {false};
  if (count != n) {
    spi_bad(ctx, node, "a permutation of %u for %u dimensions", count, n);
  }
  for (uint32_t d = 0; d < n; d++) {
    perm[d] = spi_dim(ctx, node, dims[d], n);
    if (seen[perm[d]]) {
      spi_bad(ctx, node, "dimension %u is named twice", perm[d]);
    }
    seen[perm[d]] = true;
  }
}

static void swap(sp_ctx *ctx, const sp_node *node, uint32_t n, int64_t a,
                 int64_t b, uint32_t *perm) {
  for (uint32_t d = 0; d < n; d++) {
    perm[d] = d;
  }
  uint32_t x = spi_dim(ctx, node, a, n), y = spi_dim(ctx, node, b, n);
  if (n > 0) {
    perm[x] = y;
    perm[y] = x;
  }
}

static void permutation_of(sp_ctx *ctx, const sp_node *node, uint32_t n,
                           uint32_t *perm) {
  const char *params = sp_op_find(node->op)->params;
  if (strstr(params, "dims")) {
    permutation(ctx, node, n, perm);
  } else if (strstr(params, "dim0")) {
    swap(ctx, node, n, spi_arg_int(ctx, node, "dim0"),
         spi_arg_int(ctx, node, "dim1"), perm);
  } else if (n == 2) { /* t, T: of two dimensions at most; mT of the last */
    swap(ctx, node, n, 0, 1, perm);
  } else if (n > 2 && strcmp(node->op, "getattr.mT") == 0) {
    swap(ctx, node, n, -2, -1, perm);
  } else if (n > 2) {
    spi_unknown(ctx, node, "transposes %u dimensions", n);
  } else {
    swap(ctx, node, n, 0, 0, perm);
  }
}

static void permute_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *a = self_shape(ctx, program, node);
  uint32_t perm[SP_MAX_DIMS];
  permutation_of(ctx, node, a->n_dims, perm);
  spi_dims s = {0};
  for (uint32_t d = 0; d < a->n_dims; d++) {
    spi_dims_push(ctx, node, &s, a->dims[perm[d]]);
  }
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr permute_element(const sp_call *call, const sp_expr *idx) {
  uint32_t n = sp_call_result_shape(call)->n_dims, perm[SP_MAX_DIMS];
  sp_expr j[SP_MAX_DIMS] = {{0}};
  permutation_of(spi_call_ctx(call), call->node, n, perm);
  for (uint32_t d = 0; d < n; d++) {
    j[perm[d]] = idx[d];
  }
  return spi_arg_read(call, "self", j);
}

/* ---- flip, roll, repeat ---- */

static void flip_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  bool in[SP_MAX_DIMS];
  spi_arg_dims(ctx, node, "dims", self_shape(ctx, program, node)->n_dims, in);
  spi_shape_like_self(ctx, program, node);
}

static sp_expr flip_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *s = sp_call_result_shape(call);
  sp_pool *p = call->pool;
  uint32_t n;
  bool in[SP_MAX_DIMS];
  sp_expr j[SP_MAX_DIMS] = {{0}};
  spi_arg_ints(spi_call_ctx(call), call->node, "dims", &n);
  spi_arg_dims(spi_call_ctx(call), call->node, "dims", s->n_dims, in);
  for (uint32_t d = 0; d < s->n_dims; d++) {
    /* no dimensions: none, not all */
    j[d] =
        n > 0 && in[d] ? sp_isub(p, sp_int(p, s->dims[d] - 1), idx[d]) : idx[d];
  }
  return spi_arg_read(call, "self", j);
}

static void roll_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  uint32_t n, k;
  bool in[SP_MAX_DIMS];
  spi_arg_ints(ctx, node, "shifts", &n);
  spi_arg_ints(ctx, node, "dims", &k);
  spi_arg_dims(ctx, node, "dims", self_shape(ctx, program, node)->n_dims, in);
  if (n != k && !(n == 1 && k == 0)) {
    spi_bad(ctx, node, "%u shifts for %u dimensions", n, k);
  }
  spi_shape_like_self(ctx, program, node);
}

static sp_expr rolled(sp_pool *p, sp_expr i, int64_t shift, int64_t size) {
  return size < 2 ? i : sp_imod(p, sp_iaddc(p, i, -(shift % size)), size);
}

static sp_expr roll_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *s = sp_call_result_shape(call);
  sp_ctx *ctx = spi_call_ctx(call);
  sp_pool *p = call->pool;
  uint32_t n, k;
  const int64_t *shifts = spi_arg_ints(ctx, call->node, "shifts", &n);
  const int64_t *dims = spi_arg_ints(ctx, call->node, "dims", &k);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  if (k == 0) { /* as one row of all elements */
    sp_expr at = sp_flatten(p, s->n_dims, s->dims, idx);
    sp_unflatten(p, rolled(p, at, shifts[0], sp_shape_elements(s)), s->n_dims,
                 s->dims, j);
    return spi_arg_read(call, "self", j);
  }
  memcpy(j, idx, s->n_dims * sizeof *j);
  for (uint32_t i = 0; i < k; i++) {
    uint32_t d = spi_dim(ctx, call->node, dims[i], s->n_dims);
    j[d] = rolled(p, j[d], shifts[i], s->dims[d]);
  }
  return spi_arg_read(call, "self", j);
}

static void repeat_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  const sp_shape *a = self_shape(ctx, program, node);
  uint32_t n;
  const int64_t *times = spi_arg_ints(ctx, node, "repeats", &n);
  bool tile = strcmp(sp_op_find(node->op)->name, "aten tile") == 0;
  spi_dims s = {0};
  if (n < a->n_dims && !tile) {
    spi_bad(ctx, node, "%u repeats for %u dimensions", n, a->n_dims);
  }
  uint32_t rank = n > a->n_dims ? n : a->n_dims;
  for (uint32_t i = 0; i < rank; i++) {
    int64_t size = i + a->n_dims >= rank ? a->dims[i + a->n_dims - rank] : 1;
    int64_t by = i + n >= rank ? times[i + n - rank] : 1;
    spi_dims_push(ctx, node, &s, spi_mul(ctx, node, by, size));
  }
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr repeat_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *r = sp_call_result_shape(call);
  const sp_shape *a = spi_call_arg_shape(call, "self");
  sp_expr j[SP_MAX_DIMS] = {{0}};
  if (sp_shape_elements(r) == 0) {
    return spi_zero(call->pool, sp_dtype_sort(r->dtype));
  }
  for (uint32_t d = 0; d < a->n_dims; d++) {
    j[d] = sp_imod(call->pool, idx[r->n_dims - a->n_dims + d], a->dims[d]);
  }
  return spi_arg_read(call, "self", j);
}

/* One number of repeats; without dim of the flattened tensor. */
static void interleave_shape(sp_ctx *ctx, const sp_program *program,
                             const sp_node *node) {
  const sp_shape *a = self_shape(ctx, program, node);
  int64_t times = spi_arg_int(ctx, node, "repeats");
  spi_dims s = {0};
  if (spi_arg_given(node, "dim")) {
    s = spi_dims_of(a);
    uint32_t d = spi_arg_dim(ctx, node, "dim", a->n_dims);
    s.d[d] = spi_mul(ctx, node, times, s.n ? s.d[d] : 1);
    s.n = s.n ? s.n : 1;
  } else {
    spi_dims_push(ctx, node, &s,
                  spi_mul(ctx, node, times, sp_shape_elements(a)));
  }
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr interleave_element(const sp_call *call, const sp_expr *idx) {
  const sp_shape *a = spi_call_arg_shape(call, "self");
  sp_ctx *ctx = spi_call_ctx(call);
  sp_pool *p = call->pool;
  int64_t times = spi_arg_int(ctx, call->node, "repeats");
  sp_expr j[SP_MAX_DIMS] = {{0}};
  if (times == 0) {
    return spi_zero(p, sp_dtype_sort(a->dtype));
  }
  if (!spi_arg_given(call->node, "dim")) {
    sp_unflatten(p, sp_idiv(p, idx[0], times), a->n_dims, a->dims, j);
    return spi_arg_read(call, "self", j);
  }
  uint32_t d = spi_arg_dim(ctx, call->node, "dim", a->n_dims);
  memcpy(j, idx, a->n_dims * sizeof *j);
  j[d] = sp_idiv(p, idx[d], times);
  return spi_arg_read(call, "self", j);
}

/* ---- rows ---- */

#define RESHAPED "out[i] = a[j], i and j the same row-major position"

SPI_ATEN(view, "Tensor self, int... size", view_shape, view_element, RESHAPED,
         "aten.view.default", "method.view", "aten._unsafe_view.default",
         "aten.view_copy.default", "prims.view_of.default")
SPI_ATEN(reshape, "Tensor self, int... size", view_shape, view_element,
         RESHAPED, "aten.reshape.default", "torch.reshape", "method.reshape",
         "prims.reshape.default")
SPI_ATEN(view_as, "Tensor self, Tensor other", view_as_shape, view_element,
         RESHAPED, SPI_NAMES("view_as", "default"),
         SPI_NAMES("reshape_as", "default"))
SPI_ATEN(flatten, "Tensor self, int start_dim=0, int end_dim=-1", flatten_shape,
         view_element, RESHAPED, SPI_NAMES("flatten", "using_ints"))
SPI_ATEN(unflatten, "Tensor self, int dim, int[] sizes", unflatten_shape,
         view_element, RESHAPED, SPI_NAMES("unflatten", "int"))
SPI_ATEN(unsqueeze, "Tensor self, int dim", unsqueeze_shape, view_element,
         RESHAPED, SPI_NAMES("unsqueeze", "default"),
         "aten.unsqueeze_copy.default")
SPI_ATEN(squeeze, "Tensor self, int[] dim=[]", squeeze_shape, view_element,
         RESHAPED, SPI_NAMES("squeeze", "dim"), "aten.squeeze.default",
         "aten.squeeze.dims", "aten.squeeze_copy.dims", "aten.squeeze_copy.dim")
SPI_ATEN(expand, "Tensor self, int... size, *, any? implicit", expand_shape,
         expand_element, "out[i] = a[i], 0 where a has size 1",
         "aten.expand.default", "method.expand", "aten.expand_copy.default",
         "aten.broadcast_to.default", "torch.broadcast_to",
         "method.broadcast_to")
SPI_ATEN(expand_as, "Tensor self, Tensor other", expand_as_shape,
         expand_element, "out[i] = a[i], 0 where a has size 1",
         SPI_NAMES("expand_as", "default"))
SPI_ATEN(permute, "Tensor self, int... dims", permute_shape, permute_element,
         "out[i] = a[j], j[dims[d]] = i[d]", SPI_NAMES("permute", "default"),
         "aten.permute_copy.default", "prims.transpose.default")
SPI_ATEN(transpose, "Tensor self, int dim0, int dim1", permute_shape,
         permute_element, "out[i] = a[i with two coordinates swapped]",
         SPI_NAMES("transpose", "int"), "aten.transpose_copy.int",
         "torch.swapaxes", "method.swapaxes")
SPI_ATEN(t, "Tensor self", permute_shape, permute_element,
         "out[i, j] = a[j, i]", SPI_NAMES("t", "default"),
         "aten.t_copy.default", "aten.numpy_T.default", "getattr.T",
         "getattr.mT")
SPI_ATEN(flip, "Tensor self, int... dims", flip_shape, flip_element,
         "out[i] = a[n - 1 - i] in the given dimensions",
         SPI_NAMES("flip", "default"))
SPI_ATEN(roll, "Tensor self, int[] shifts, int[] dims=[]", roll_shape,
         roll_element, "out[i] = a[(i - shift) mod n]",
         SPI_NAMES("roll", "default"))
SPI_ATEN(repeat, "Tensor self, int... repeats", repeat_shape, repeat_element,
         "out[i] = a[i mod n]", "aten.repeat.default", "method.repeat")
SPI_ATEN(tile, "Tensor self, int[] repeats", repeat_shape, repeat_element,
         "out[i] = a[i mod n]", SPI_NAMES("tile", "default"))
SPI_ATEN(repeat_interleave,
         "Tensor self, int repeats, int? dim, *, any? output_size",
         interleave_shape, interleave_element, "out[i] = a[i div repeats]",
         SPI_NAMES("repeat_interleave", "self_int"))

extern const sp_op *const sp_ops_aten_view[];
const sp_op *const sp_ops_aten_view[] = {
    &view_row,
    &reshape_row,
    &view_as_row,
    &flatten_row,
    &unflatten_row,
    &unsqueeze_row,
    &squeeze_row,
    &expand_row,
    &expand_as_row,
    &permute_row,
    &transpose_row,
    &t_row,
    &flip_row,
    &roll_row,
    &repeat_row,
    &tile_row,
    &repeat_interleave_row,
    NULL,
};
