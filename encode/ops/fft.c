/* fft.c: discrete Fourier transforms of the last dimensions. Complex tensors
 * are two (graph/hlo_complex.c): a node gives one part of the result.
 *
 * With t = 2 pi sum_d (j_d k_d mod n_d) / n_d and N the product of all n_d, the
 * element k of FFT and RFFT is sum_j x[j] (cos t - i sin t), the element j of
 * IFFT sum_k x[k] (cos t + i sin t) / N. IRFFT is the real part of that, where
 * half of the last dimension is not there: what is counts twice, but for 0 and
 * n / 2, which are their own mirror images. */
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

typedef struct transform {
  const sp_call *call;
  uint32_t n; /* dimensions */
  int64_t length[MOST];
  sp_expr of[MOST];     /* index of the result */
  sp_expr var[MOST];    /* index of the operand */
  bool inverse, halved; /* the operand's last dimension */
} transform;

static sp_expr angle(const transform *x) {
  sp_pool *p = x->call->pool;
  sp_expr t = sp_real_i64(p, 0);
  for (uint32_t d = 0; d < x->n; d++) {
    sp_expr turns = sp_imod(p, sp_imul(p, x->of[d], x->var[d]), x->length[d]);
    t = sp_add(p, t,
               sp_scale(p, sp_i2r(p, turns), sp_num_ratio(p, 1, x->length[d])));
  }
  return sp_scale(p, t, sp_num_from_double(p, 6.283185307179586, 53));
}

/* Part k of the operand; of a real one part 1 is 0. */
static sp_expr operand(const transform *x, uint32_t k, const sp_expr *idx) {
  const sp_call *call = x->call;
  if (k >= call->node->n_in) {
    return sp_real_i64(call->pool, 0);
  }
  uint32_t batch = sp_call_shape(call, k)->n_dims - x->n;
  sp_expr j[SP_MAX_DIMS] = {{0}};
  memcpy(j, idx, batch * sizeof *j);
  memcpy(&j[batch], x->var, x->n * sizeof *j);
  return sp_call_read(call, k, j);
}

/* How often the operand's element counts, over N. */
static sp_expr weighted(const transform *x, sp_expr e) {
  sp_pool *p = x->call->pool;
  int64_t all = 1, last = x->length[x->n - 1];
  for (uint32_t d = 0; d < x->n; d++) {
    all *= x->length[d];
  }
  e = sp_scale(p, e, sp_num_ratio(p, 1, all));
  if (!x->halved) {
    return e;
  }
  sp_expr k = x->var[x->n - 1];
  sp_expr own = sp_eq(p, k, sp_int(p, 0));
  if (last % 2 == 0) {
    own = sp_or(p, own, sp_eq(p, k, sp_int(p, last / 2)));
  }
  return sp_ite(p, own, e, sp_scale(p, e, sp_num_from_i64(p, 2)));
}

static sp_expr fft_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_node *node = call->node;
  const char *type = sp_node_attr(node, "fft_type")->u.text;
  transform x = {.call = call,
                 .inverse = type[0] == 'I',
                 .halved = strcmp(type, "IRFFT") == 0};
  lengths(node, &x.n, x.length); /* looked at by fft_shape */
  const sp_shape *a = sp_call_shape(call, 0);
  uint32_t batch = a->n_dims - x.n;
  for (uint32_t d = 0; d < x.n; d++) {
    x.of[d] = idx[batch + d];
    x.var[d] = sp_fresh(p, a->dims[batch + d]);
  }
  sp_expr t = angle(&x), re = operand(&x, 0, idx), im = operand(&x, 1, idx);
  sp_expr c = sp_fn1(p, "cos", t), s = sp_fn1(p, "sin", t);
  if (!x.inverse) {
    s = sp_scale(p, s, sp_num_from_i64(p, -1));
  }
  /* (re + i im) (c + i s) */
  bool real = spi_attr_int(node, "part", 0) == 0;
  sp_expr e = real ? sp_sub(p, sp_mul(p, re, c), sp_mul(p, im, s))
                   : sp_add(p, sp_mul(p, re, s), sp_mul(p, im, c));
  e = x.inverse ? weighted(&x, e) : e;
  return sp_red(p, SP_RED_SUM, x.n, x.var, e);
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
    .meaning = "real or imaginary part of the discrete Fourier transform",
};

extern const sp_op *const sp_ops_fft[];
const sp_op *const sp_ops_fft[] = {&fft_row, NULL};
