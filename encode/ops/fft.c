/* fft.c: discrete Fourier transforms, opaque functions of the lines (planes,
 * ...) that are transformed. Complex tensors are two (graph/hlo_complex.c): a
 * node gives one part of the result. */
#include "base/vec.h"
#include "encode/op_util.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 3 };

/* fft_length, "{8,16}" as written: false where it is no such list. */
static bool lengths(const sp_node *node, uint32_t *n, int64_t *v) {
  const sp_attr *a = sp_node_attr(node, "fft_length");
  const char *s = a && a->kind == SP_ATTR_TEXT ? a->u.text : "";
  *n = 0;
  if (*s++ != '{') {
    return false;
  }
  while (*n < MOST) {
    char *end;
    v[*n] = strtoll(s, &end, 10);
    if (end == s || v[*n] < 1) {
      return false;
    }
    ++*n;
    s = end + (*end == ',');
    if (*end != ',') {
      return strcmp(end, "}") == 0;
    }
  }
  return false;
}

/* Of the last n dimensions the lengths, halved in the last one on one side of
 * transforms between real and complex numbers. */
static void expect_lengths(sp_ctx *ctx, const sp_node *node, const sp_shape *s,
                           uint32_t n, const int64_t *v, bool half) {
  bool ok = s->n_dims >= n;
  for (uint32_t i = 0; ok && i < n; i++) {
    int64_t length = half && i == n - 1 ? v[i] / 2 + 1 : v[i];
    ok = s->dims[s->n_dims - n + i] == length;
  }
  if (!ok) {
    spi_bad(ctx, node, "the shapes do not fit fft_length");
  }
}

static void fft_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  const sp_attr *type = sp_node_attr(node, "fft_type");
  const char *t = type && type->kind == SP_ATTR_TEXT ? type->u.text : "";
  bool from_real = strcmp(t, "RFFT") == 0, to_real = strcmp(t, "IRFFT") == 0;
  uint32_t n;
  int64_t v[MOST];
  spi_expect_results(ctx, node, 1);
  if ((!from_real && !to_real && strcmp(t, "FFT") != 0 &&
       strcmp(t, "IFFT") != 0) ||
      !lengths(node, &n, v)) {
    spi_unknown(ctx, node, "the kind of Fourier transform is not known");
  }
  const sp_shape *a = spi_in(program, node, 0);
  const sp_shape *r = &program->tensors[node->out].shape;
  bool batches =
      a->n_dims == r->n_dims && a->n_dims >= n &&
      (a->n_dims == n ||
       memcmp(a->dims, r->dims, (a->n_dims - n) * sizeof *a->dims) == 0);
  if (!batches || node->n_in != (from_real ? 1u : 2u) ||
      (node->n_in == 2 && !sp_shape_equal(a, spi_in(program, node, 1))) ||
      (to_real && spi_attr_int(node, "part", 0) != 0)) {
    spi_bad(ctx, node, "operands and result do not fit");
  }
  expect_lengths(ctx, node, a, n, v, to_real);
  expect_lengths(ctx, node, r, n, v, from_real);
}

static sp_expr fft_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  const sp_node *node = call->node;
  uint32_t n = 0, in = node->n_in;
  int64_t v[MOST];
  lengths(node, &n, v); /* looked at by fft_shape */
  sp_expr args[2 + MOST];
  for (uint32_t k = 0; k < in; k++) {
    const sp_shape *a = sp_call_shape(call, k);
    uint32_t batch = a->n_dims - n;
    sp_expr j[SP_MAX_DIMS] = {{0}};
    memcpy(j, idx, a->n_dims * sizeof *j);
    for (uint32_t d = batch; d < a->n_dims; d++) {
      j[d] = sp_fresh(p, a->dims[d]);
    }
    args[k] = spi_lambda(p, n, &j[batch], sp_call_read(call, k, j));
  }
  uint32_t batch = sp_call_result_shape(call)->n_dims - n;
  memcpy(&args[in], &idx[batch], n * sizeof *args);
  const char *name = sp_format(ctx, "fft:%s:%s:part=%lld",
                               sp_node_attr(node, "fft_type")->u.text,
                               sp_node_attr(node, "fft_length")->u.text,
                               (long long)spi_attr_int(node, "part", 0));
  return sp_fn(p, sp_dtype_sort(spi_out_dtype(call)), name, in + n, args);
}

static const sp_op_attr fft_attrs[] = {
    {"fft_type", SP_ATTR_TEXT, true, false},
    {"fft_length", SP_ATTR_TEXT, true, false},
    {"part", SP_ATTR_INT, true, false},
    {0},
};
static const char *const fft_spellings[] = {"complex.fft", NULL};
static const sp_op fft_row = {
    .name = "fft",
    .spellings = fft_spellings,
    .attrs = fft_attrs,
    .min_operands = 1,
    .max_operands = 2,
    .shape = fft_shape,
    .element = fft_element,
    .opaque = "a Fourier transform of whole lines",
    .meaning = "real or imaginary part of the discrete Fourier transform",
};

extern const sp_op *const sp_ops_fft[];
const sp_op *const sp_ops_fft[] = {&fft_row, NULL};
