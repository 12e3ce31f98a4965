/* aten_attention.c: scaled dot product attention by its meaning, whatever the
 * kernel: with s[l, m] = scale * sum over e of q[l, e] k[m, e] + mask[l, m],
 *   out[l, :] = sum over m of exp(s[l, m] - lse[l]) v[m, :]
 *   lse[l]    = log of the sum over m of exp(s[l, m])
 * causal: only m <= l. A boolean mask keeps where it is true. Query head h
 * uses key and value head h / (query heads / key heads). */
#include "encode/aten_util.h"

#include <math.h>
#include <string.h>

/* ---- shapes ---- */

typedef struct heads {
  const sp_shape *q, *k, *v;
  uint32_t n;     /* dimensions */
  int64_t repeat; /* query heads to a key head */
} heads;

static heads heads_of(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  heads h = {.q = spi_arg_shape(ctx, program, node, "query"),
             .k = spi_arg_shape(ctx, program, node, "key"),
             .v = spi_arg_shape(ctx, program, node, "value"),
             .repeat = 1};
  h.n = h.q->n_dims;
  if (h.n < 2 || h.k->n_dims != h.n || h.v->n_dims != h.n) {
    spi_unknown(ctx, node, "query, key and value of %u, %u and %u dimensions",
                h.n, h.k->n_dims, h.v->n_dims);
  }
  bool fits = h.q->dims[h.n - 1] == h.k->dims[h.n - 1] &&
              h.k->dims[h.n - 2] == h.v->dims[h.n - 2];
  for (uint32_t d = 0; d + 2 < h.n && fits; d++) {
    int64_t a = h.q->dims[d], b = h.k->dims[d];
    fits = h.v->dims[d] == b;
    if (fits && a != b) {
      fits = d + 3 == h.n && b > 0 && a % b == 0 &&
             strstr(sp_op_find(node->op)->params, "enable_gqa") &&
             spi_arg_bool(ctx, node, "enable_gqa");
      h.repeat = fits ? a / b : 1;
    }
  }
  if (!fits) {
    spi_unknown(ctx, node, "query, key and value do not go together");
  }
  return h;
}

/* The parameter that holds a mask; NULL: the row has none. */
static const char *mask_name(const sp_node *node) {
  const char *params = sp_op_find(node->op)->params;
  return strstr(params, "attn_mask")   ? "attn_mask"
         : strstr(params, "attn_bias") ? "attn_bias"
                                       : NULL;
}

static int64_t mask_operand(const sp_node *node) {
  const char *name = mask_name(node);
  return name ? spi_arg_operand(node, name) : -1;
}

/* Kernels differ in which corner the diagonal begins at, for other than as
 * many queries as keys; these two begin at the first. */
static void check_causal(sp_ctx *ctx, const sp_node *node, const heads *h) {
  bool known = strstr(node->op, "_for_cpu") ||
               !strstr(node->op, "aten._scaled_dot_product");
  if (!known && spi_arg_bool(ctx, node, "is_causal") &&
      h->q->dims[h->n - 2] != h->k->dims[h->n - 2]) {
    spi_unknown(ctx, node, "causal, with %lld queries and %lld keys",
                (long long)h->q->dims[h->n - 2],
                (long long)h->k->dims[h->n - 2]);
  }
}

static void check_mask(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node, const heads *h) {
  int64_t m = mask_operand(node);
  check_causal(ctx, node, h);
  if (m < 0) {
    return;
  }
  spi_dims s = spi_dims_of(h->q);
  s.d[h->n - 1] = h->k->dims[h->n - 2];
  spi_broadcasts_to(ctx, node, spi_in(program, node, (uint32_t)m), &s);
  if (spi_arg_bool(ctx, node, "is_causal")) {
    spi_unknown(ctx, node, "a mask, and causal as well");
  }
}

/* Results beyond the output and the logarithms are notes of the kernels. */
static void attention_shape(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  heads h = heads_of(ctx, program, node);
  check_mask(ctx, program, node, &h);
  spi_dims out = spi_dims_of(h.q), lse = spi_dims_of(h.q);
  out.d[h.n - 1] = h.v->dims[h.n - 1];
  lse.n--;
  spi_yields(ctx, program, node, 0, &out, SP_SORT_REAL);
  spi_yields(ctx, program, node, 1, &lse, SP_SORT_REAL);
  for (uint32_t k = 2; k < node->n_out; k++) {
    if (spi_out(program, node, k)->dtype != SP_DTYPE_INVALID) {
      spi_results(ctx, node, 9);
    }
  }
}

static void plain_shape(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  spi_results(ctx, node, 1);
  attention_shape(ctx, program, node);
}

/* ---- scores ---- */

typedef struct attention {
  const sp_call *call;
  sp_pool *p;
  heads h;
  sp_expr scale;
} attention;

static attention attention_of(const sp_call *call) {
  attention a = {.call = call, .p = call->pool};
  a.h = heads_of(spi_call_ctx(call), call->program, call->node);
  if (spi_arg_given(call->node, "scale")) {
    a.scale = spi_arg_number(call, "scale", SP_F64);
  } else {
    sp_expr e = sp_real_i64(a.p, a.h.q->dims[a.h.n - 1]);
    a.scale = sp_fn1(a.p, "rsqrt", e);
  }
  return a;
}

/* The named operand for the batch and head of at: row, column. */
static sp_expr element(const attention *a, const char *name, const sp_expr *at,
                       sp_expr row, sp_expr column, bool key) {
  sp_expr j[SP_MAX_DIMS];
  uint32_t n = a->h.n;
  for (uint32_t d = 0; d + 2 < n; d++) {
    j[d] = key && a->h.repeat > 1 && d + 3 == n
               ? sp_idiv(a->p, at[d], a->h.repeat)
               : at[d];
  }
  j[n - 2] = row;
  j[n - 1] = column;
  return spi_arg_read(a->call, name, j);
}

static sp_expr score(const attention *a, const sp_expr *at, sp_expr l,
                     sp_expr m) {
  sp_pool *p = a->p;
  uint32_t n = a->h.n;
  sp_expr e = sp_fresh(p, a->h.q->dims[n - 1]);
  sp_expr s = spi_sum(a->call, 1, &e,
                      sp_mul(p, element(a, "query", at, l, e, false),
                             element(a, "key", at, m, e, true)));
  s = sp_mul(p, a->scale, s);
  sp_expr none = sp_inf(p, true);
  int64_t mask = mask_operand(a->call->node);
  if (mask >= 0) {
    sp_expr j[SP_MAX_DIMS];
    memcpy(j, at, (n - 2) * sizeof *j);
    j[n - 2] = l;
    j[n - 1] = m;
    sp_expr v = spi_read_broadcast(a->call, (uint32_t)mask, n, j);
    s = sp_sort_of(p, v) == SP_SORT_BOOL ? sp_ite(p, v, s, none)
                                         : sp_add(p, s, v);
  }
  if (spi_arg_bool(sp_pool_ctx(p), a->call->node, "is_causal")) {
    s = sp_ite(p, sp_le(p, m, l), s, none);
  }
  return s;
}

static sp_expr key_variable(const attention *a) {
  return sp_fresh(a->p, a->h.k->dims[a->h.n - 2]);
}

/* The largest score of row l, and the sum of exp(score - largest). */
static void row_sums(const attention *a, const sp_expr *at, sp_expr l,
                     sp_expr *max, sp_expr *sum) {
  sp_expr m = key_variable(a);
  *max = spi_red(a->call, SP_REDUCER_MAX, SP_F64, 1, &m, score(a, at, l, m));
  m = key_variable(a);
  *sum = spi_sum(a->call, 1, &m,
                 sp_exp(a->p, sp_sub(a->p, score(a, at, l, m), *max)));
}

static sp_expr attention_element(const sp_call *call, const sp_expr *idx) {
  if (call->result > 1) {
    spi_unknown(spi_call_ctx(call), call->node,
                "result %u is a note of the kernel", call->result);
  }
  attention a = attention_of(call);
  sp_pool *p = a.p;
  sp_expr l = idx[a.h.n - 2], max, sum;
  row_sums(&a, idx, l, &max, &sum);
  if (call->result == 1) {
    return sp_add(p, max, sp_fn1(p, "log", sum));
  }
  sp_expr m = key_variable(&a);
  sp_expr weight = sp_exp(p, sp_sub(p, score(&a, idx, l, m), max));
  sp_expr v = element(&a, "value", idx, m, idx[a.h.n - 1], true);
  return sp_div(p, spi_sum(call, 1, &m, sp_mul(p, weight, v)), sum);
}

/* ---- gradients: P = exp(s - lse), dS = P (g v - sum of g out) ---- */

static void backward_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  heads h = heads_of(ctx, program, node);
  check_mask(ctx, program, node, &h);
  spi_dims out = spi_dims_of(h.q), lse = spi_dims_of(h.q);
  out.d[h.n - 1] = h.v->dims[h.n - 1];
  lse.n--;
  static const char *const names[] = {"grad_out", "out"};
  for (int i = 0; i < 2; i++) {
    spi_expect_operand(ctx, program, node,
                       (uint32_t)spi_arg_operand(node, names[i]), out.n, out.d);
  }
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "logsumexp"), lse.n,
                     lse.d);
  spi_results(ctx, node, 4);
  static const char *const of[] = {"query", "key", "value"};
  for (uint32_t k = 0; k < 3; k++) {
    spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, of[k]));
    spi_yields(ctx, program, node, k, &s, SP_SORT_REAL);
  }
}

static sp_expr weight_at(const attention *a, const sp_expr *at, sp_expr l,
                         sp_expr m) {
  sp_expr j[SP_MAX_DIMS];
  memcpy(j, at, (a->h.n - 2) * sizeof *j);
  j[a->h.n - 2] = l;
  return sp_exp(a->p, sp_sub(a->p, score(a, at, l, m),
                             spi_arg_read(a->call, "logsumexp", j)));
}

/* The gradient of the score, without the factor scale. */
static sp_expr score_gradient(const attention *a, const sp_expr *at, sp_expr l,
                              sp_expr m) {
  sp_pool *p = a->p;
  int64_t width = a->h.v->dims[a->h.n - 1];
  sp_expr e = sp_fresh(p, width), f = sp_fresh(p, width);
  sp_expr gv = spi_sum(a->call, 1, &e,
                       sp_mul(p, element(a, "grad_out", at, l, e, false),
                              element(a, "value", at, m, e, true)));
  sp_expr go = spi_sum(a->call, 1, &f,
                       sp_mul(p, element(a, "grad_out", at, l, f, false),
                              element(a, "out", at, l, f, false)));
  return sp_mul(p, weight_at(a, at, l, m), sp_sub(p, gv, go));
}

static sp_expr backward_element(const sp_call *call, const sp_expr *idx) {
  attention a = attention_of(call);
  sp_pool *p = a.p;
  sp_expr row = idx[a.h.n - 2], column = idx[a.h.n - 1];
  if (call->result == 0) {
    sp_expr m = key_variable(&a);
    sp_expr ds = score_gradient(&a, idx, row, m);
    sp_expr k = element(&a, "key", idx, m, column, true);
    return sp_mul(p, a.scale, spi_sum(call, 1, &m, sp_mul(p, ds, k)));
  }
  sp_expr l = sp_fresh(p, a.h.q->dims[a.h.n - 2]);
  if (call->result == 1) {
    sp_expr ds = score_gradient(&a, idx, l, row);
    sp_expr q = element(&a, "query", idx, l, column, false);
    return sp_mul(p, a.scale, spi_sum(call, 1, &l, sp_mul(p, ds, q)));
  }
  if (call->result == 2) {
    sp_expr g = element(&a, "grad_out", idx, l, column, false);
    return spi_sum(call, 1, &l, sp_mul(p, weight_at(&a, idx, l, row), g));
  }
  spi_unknown(spi_call_ctx(call), call->node, "the gradient of the mask");
}

/* ---- rows ---- */

#define QKV "Tensor query, Tensor key, Tensor value, "
#define DROP "Scalar dropout_p=0.0!, bool is_causal=False"
#define SCALE ", *, Scalar? scale"
#define SDPA                                                                   \
  "out[l] = sum over m of softmax(scale * q k + mask)[l, m] v[m]; the "        \
  "logarithms of the sums"

SPI_ATEN(sdpa, QKV "Tensor? attn_mask, " DROP SCALE ", bool enable_gqa=False",
         plain_shape, attention_element, SDPA,
         "aten.scaled_dot_product_attention.default",
         "torch._C._nn.scaled_dot_product_attention",
         "torch.nn.functional.scaled_dot_product_attention")
SPI_ATEN(sdpa_flash_cpu, QKV DROP ", *, Tensor? attn_mask, Scalar? scale",
         attention_shape, attention_element, SDPA,
         "aten._scaled_dot_product_flash_attention_for_cpu.default")
SPI_ATEN(sdpa_flash, QKV DROP ", any? return_debug_mask" SCALE, attention_shape,
         attention_element, SDPA,
         "aten._scaled_dot_product_flash_attention.default")
SPI_ATEN(sdpa_efficient,
         QKV "Tensor? attn_bias, any compute_log_sumexp, " DROP SCALE,
         attention_shape, attention_element, SDPA,
         "aten._scaled_dot_product_efficient_attention.default")
SPI_ATEN(sdpa_cudnn,
         QKV "Tensor? attn_bias, any compute_log_sumexp, " DROP
             ", any? return_debug_mask" SCALE,
         attention_shape, attention_element, SDPA,
         "aten._scaled_dot_product_cudnn_attention.default")
SPI_ATEN(sdpa_flash_cpu_backward,
         "Tensor grad_out, " QKV "Tensor out, Tensor logsumexp, " DROP
         ", *, Tensor? attn_mask, Scalar? scale",
         backward_shape, backward_element,
         "gradients of attention's query, key and value",
         "aten._scaled_dot_product_flash_attention_for_cpu_backward.default")
SPI_ATEN(sdpa_flash_backward,
         "Tensor grad_out, " QKV
         "Tensor out, Tensor logsumexp, any? cum_seq_q, any? cum_seq_k, "
         "any max_q, any max_k, " DROP
         ", Tensor? philox_seed, Tensor? philox_offset" SCALE,
         backward_shape, backward_element,
         "gradients of attention's query, key and value",
         "aten._scaled_dot_product_flash_attention_backward.default")
SPI_ATEN(sdpa_efficient_backward,
         "Tensor grad_out, " QKV
         "Tensor? attn_bias, Tensor out, Tensor logsumexp, "
         "Tensor? philox_seed, Tensor? philox_offset, "
         "Scalar dropout_p=0.0!, int[] grad_input_mask, "
         "bool is_causal=False" SCALE,
         backward_shape, backward_element,
         "gradients of attention's query, key and value",
         "aten._scaled_dot_product_efficient_attention_backward.default")
SPI_ATEN(sdpa_cudnn_backward,
         "Tensor grad_out, " QKV
         "Tensor out, Tensor logsumexp, Tensor? philox_seed, "
         "Tensor? philox_offset, Tensor? attn_bias, any? cum_seq_q, "
         "any? cum_seq_k, any max_q, any max_k, " DROP SCALE,
         backward_shape, backward_element,
         "gradients of attention's query, key and value",
         "aten._scaled_dot_product_cudnn_attention_backward.default")

extern const sp_op *const sp_ops_aten_attention[];
const sp_op *const sp_ops_aten_attention[] = {
    &sdpa_row,
    &sdpa_flash_cpu_row,
    &sdpa_flash_row,
    &sdpa_efficient_row,
    &sdpa_cudnn_row,
    &sdpa_flash_cpu_backward_row,
    &sdpa_flash_backward_row,
    &sdpa_efficient_backward_row,
    &sdpa_cudnn_backward_row,
    NULL,
};
