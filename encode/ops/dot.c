/* dot.c: contraction with batch dimensions:
 *   out[b, l, r] = sum over k of lhs[b, l, k] * rhs[b, r, k]
 * where each operand has its dimensions in any order. */
#include "encode/op_util.h"

typedef struct dot_dims {
  uint32_t n_contract, n_batch;
  const int64_t *lc, *rc, *lb, *rb;
} dot_dims;

static dot_dims dims_of(const sp_node *node) {
  dot_dims d;
  uint32_t n;
  d.lc = spi_ints(node, "lhs_contracting_dims", &d.n_contract);
  d.rc = spi_ints(node, "rhs_contracting_dims", &n);
  d.lb = spi_ints(node, "lhs_batch_dims", &d.n_batch);
  d.rb = spi_ints(node, "rhs_batch_dims", &n);
  return d;
}

static void check_pairs(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node, const char *what, uint32_t n,
                        const int64_t *l, const int64_t *r) {
  const sp_shape *a = spi_in(program, node, 0), *b = spi_in(program, node, 1);
  for (uint32_t k = 0; k < n; k++) {
    if (a->dims[l[k]] != b->dims[r[k]]) {
      spi_bad(ctx, node,
              "%s dimension %lld of lhs has size %lld, dimension %lld of rhs "
              "%lld",
              what, (long long)l[k], (long long)a->dims[l[k]], (long long)r[k],
              (long long)b->dims[r[k]]);
    }
  }
}

/* Dimensions of s that are neither contracted nor batch dimensions. */
static uint32_t free_dims(const sp_shape *s, uint32_t nc, const int64_t *c,
                          uint32_t nb, const int64_t *b, uint32_t *out) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < s->n_dims; d++) {
    if (!spi_contains(c, nc, d) && !spi_contains(b, nb, d)) {
      out[n++] = d;
    }
  }
  return n;
}

static void check_lists(sp_ctx *ctx, const sp_node *node, const char *contract,
                        const char *batch, uint32_t n_dims) {
  uint32_t nc, nb;
  const int64_t *c = spi_ints(node, contract, &nc);
  spi_ints(node, batch, &nb);
  spi_check_dims(ctx, node, contract, n_dims);
  spi_check_dims(ctx, node, batch, n_dims);
  const int64_t *b = spi_ints(node, batch, &nb);
  for (uint32_t k = 0; k < nb; k++) {
    if (spi_contains(c, nc, b[k])) {
      spi_bad(ctx, node, "dimension %lld is in %s and in %s", (long long)b[k],
              contract, batch);
    }
  }
}

static void dot_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_shape *a = spi_in(program, node, 0), *b = spi_in(program, node, 1);
  uint32_t n_rc, n_rb;
  spi_ints(node, "rhs_contracting_dims", &n_rc);
  spi_ints(node, "rhs_batch_dims", &n_rb);
  dot_dims d = dims_of(node);
  if (n_rc != d.n_contract || n_rb != d.n_batch) {
    spi_bad(ctx, node,
            "lhs and rhs differ in how many dimensions they "
            "contract or batch");
  }
  check_lists(ctx, node, "lhs_contracting_dims", "lhs_batch_dims", a->n_dims);
  check_lists(ctx, node, "rhs_contracting_dims", "rhs_batch_dims", b->n_dims);
  check_pairs(ctx, program, node, "contracting", d.n_contract, d.lc, d.rc);
  check_pairs(ctx, program, node, "batch", d.n_batch, d.lb, d.rb);
  int64_t dims[2 * SP_MAX_DIMS];
  uint32_t lf[SP_MAX_DIMS], rf[SP_MAX_DIMS], n = 0;
  uint32_t nl = free_dims(a, d.n_contract, d.lc, d.n_batch, d.lb, lf);
  uint32_t nr = free_dims(b, d.n_contract, d.rc, d.n_batch, d.rb, rf);
  for (uint32_t k = 0; k < d.n_batch; k++) {
    dims[n++] = a->dims[d.lb[k]];
  }
  for (uint32_t k = 0; k < nl; k++) {
    dims[n++] = a->dims[lf[k]];
  }
  for (uint32_t k = 0; k < nr; k++) {
    dims[n++] = b->dims[rf[k]];
  }
  spi_expect(ctx, program, node, 0, n, dims);
  sp_sort sort = sp_dtype_sort(spi_out(program, node, 0)->dtype);
  if (sort == SP_SORT_BOOL || sp_dtype_sort(a->dtype) != sort ||
      sp_dtype_sort(b->dtype) != sort) {
    spi_unknown(ctx, node, "%s times %s gives %s", sp_dtype_name(a->dtype),
                sp_dtype_name(b->dtype),
                sp_dtype_name(spi_out(program, node, 0)->dtype));
  }
}

static sp_expr dot_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_shape *a = sp_call_shape(call, 0), *b = sp_call_shape(call, 1);
  dot_dims d = dims_of(call->node);
  uint32_t lf[SP_MAX_DIMS], rf[SP_MAX_DIMS];
  uint32_t nl = free_dims(a, d.n_contract, d.lc, d.n_batch, d.lb, lf);
  uint32_t nr = free_dims(b, d.n_contract, d.rc, d.n_batch, d.rb, rf);
  sp_expr li[SP_MAX_DIMS] = {{0}}, ri[SP_MAX_DIMS] = {{0}};
  sp_expr ks[SP_MAX_DIMS];
  for (uint32_t k = 0; k < d.n_batch; k++) {
    li[d.lb[k]] = idx[k];
    ri[d.rb[k]] = idx[k];
  }
  for (uint32_t k = 0; k < nl; k++) {
    li[lf[k]] = idx[d.n_batch + k];
  }
  for (uint32_t k = 0; k < nr; k++) {
    ri[rf[k]] = idx[d.n_batch + nl + k];
  }
  for (uint32_t k = 0; k < d.n_contract; k++) {
    ks[k] = sp_fresh(p, a->dims[d.lc[k]]);
    li[d.lc[k]] = ks[k];
    ri[d.rc[k]] = ks[k];
  }
  sp_expr body =
      sp_mul(p, sp_call_read(call, 0, li), sp_call_read(call, 1, ri));
  sp_expr sum = spi_red(call, SP_REDUCER_SUM, spi_out_dtype(call), d.n_contract,
                        ks, body);
  return spi_wrap(call, sum, spi_out_dtype(call));
}

static const sp_op_attr dot_attrs[] = {
    {"lhs_contracting_dims", SP_ATTR_INTS, true, false},
    {"rhs_contracting_dims", SP_ATTR_INTS, true, false},
    {"lhs_batch_dims", SP_ATTR_INTS, true, false},
    {"rhs_batch_dims", SP_ATTR_INTS, true, false},
    /* how to round, and what the backend noted */
    {"operand_precision", SP_ATTR_TEXT, false, true},
    {"algorithm", SP_ATTR_TEXT, false, true},
    {"backend_config", SP_ATTR_TEXT, false, true},
    {0},
};
static const char *const dot_spellings[] = {"hlo:dot", NULL};
static const sp_op dot_row = {
    .name = "dot",
    .spellings = dot_spellings,
    .attrs = dot_attrs,
    .min_operands = 2,
    .max_operands = 2,
    .shape = dot_shape,
    .element = dot_element,
    .meaning = "out[b, l, r] = sum over k of lhs[b, l, k] * rhs[b, r, k]",
};

extern const sp_op *const sp_ops_dot[];
const sp_op *const sp_ops_dot[] = {
    &dot_row,
    NULL,
};
