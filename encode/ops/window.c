/* window.c: reduce-window and select-and-scatter.
 *
 * A window at o covers the positions o * stride + k * dilation - pad_low of
 * the (base-dilated) operand; positions outside it or in the holes of base
 * dilation take no part. */
#include "encode/op_util.h"

#include <string.h>

/* ---- reduce-window ---- */

static void check_window(sp_ctx *ctx, const sp_node *node, const sp_shape *a) {
  uint32_t n;
  const sp_window_dim *w = spi_attr_window(node, &n);
  if (n != a->n_dims) {
    spi_bad(ctx, node, "a window of %u dimensions for %u", n, a->n_dims);
  }
  for (uint32_t d = 0; d < n; d++) {
    if (w[d].reversal) {
      spi_unknown(ctx, node, "a reversed window");
    }
  }
}

static void reduce_window_shape(sp_ctx *ctx, const sp_program *program,
                                const sp_node *node) {
  uint32_t n = node->n_in / 2, nw;
  if (node->n_in % 2 != 0) {
    spi_bad(ctx, node, "%u operands: not as many inits as arrays", node->n_in);
  }
  spi_expect_results(ctx, node, n);
  const sp_shape *a = spi_in(program, node, 0);
  check_window(ctx, node, a);
  const sp_window_dim *w = spi_attr_window(node, &nw);
  int64_t dims[SP_MAX_DIMS] = {0};
  for (uint32_t d = 0; d < a->n_dims; d++) {
    dims[d] = spi_window_out(ctx, node, &w[d], a->dims[d]);
  }
  for (uint32_t k = 0; k < n; k++) {
    spi_expect_operand(ctx, program, node, k, a->n_dims, a->dims);
    spi_expect_operand(ctx, program, node, n + k, 0, NULL);
    spi_expect(ctx, program, node, k, a->n_dims, dims);
    spi_expect_dtype(ctx, program, node, k, k);
    spi_expect_dtype(ctx, program, node, k, n + k);
  }
  spi_check_reducer(ctx, program, node, "to_apply", n);
}

static sp_expr opaque_window(const sp_call *call, uint32_t n_vars,
                             const sp_expr *vars, sp_expr inside,
                             const sp_expr *at) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  uint32_t n = call->node->n_in / 2;
  sp_expr *args = sp_alloc_n(ctx, 2u * n + 1, sizeof *args);
  sp_expr none[1] = {{0}};
  for (uint32_t k = 0; k < n; k++) {
    sp_expr e = sp_call_read(call, k, at);
    e = sp_ite(p, inside, e, spi_zero(p, sp_sort_of(p, e)));
    args[k] = spi_lambda(p, n_vars, vars, e);
    args[n + k] = sp_call_read(call, n + k, none);
  }
  args[2 * n] = spi_lambda(p, n_vars, vars, inside);
  const char *text =
      spi_region_text(p, spi_attr_region(call->node, "to_apply"));
  const char *name = sp_format(ctx, "reduce-window:%u:%s", call->result, text);
  return sp_fn(p, sp_dtype_sort(spi_out_dtype(call)), name, 2 * n + 1, args);
}

static sp_expr reduce_window_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  enum { MAX = 16 };
  uint32_t n = call->node->n_in / 2, nw;
  const sp_shape *a = sp_call_shape(call, 0);
  const sp_window_dim *w = spi_attr_window(call->node, &nw);
  sp_expr vars[SP_MAX_DIMS], at[SP_MAX_DIMS] = {{0}};
  sp_expr inside = sp_bool(p, true), none[1] = {{0}};
  for (uint32_t d = 0; d < a->n_dims; d++) {
    vars[d] = sp_fresh(p, w[d].size);
    at[d] = spi_window_at(p, &w[d], idx[d], vars[d], a->dims[d], &inside);
  }
  sp_reducer kinds[MAX] = {SP_REDUCER_OTHER};
  if (n <= MAX) {
    spi_reducers(p, spi_attr_region(call->node, "to_apply"), n, kinds);
  }
  sp_reducer kind = n <= MAX ? kinds[call->result] : SP_REDUCER_OTHER;
  if (!spi_reducer_is_simple(kind)) {
    sp_expr sum = {0};
    if (n == 1) {
      sum = spi_log_sum_exp(call, sp_call_read(call, 1, none), a->n_dims, vars,
                            inside, sp_call_read(call, 0, at));
    }
    return sum.v ? sum : opaque_window(call, a->n_dims, vars, inside, at);
  }
  sp_dtype t = spi_out_dtype(call);
  sp_expr body = sp_ite(p, inside, sp_call_read(call, call->result, at),
                        spi_identity(p, kind, t));
  return spi_reduce(call, kind, t, sp_call_read(call, n + call->result, none),
                    a->n_dims, vars, body);
}

/* ---- select-and-scatter ---- */

static void select_scatter_shape(sp_ctx *ctx, const sp_program *program,
                                 const sp_node *node) {
  spi_expect_results(ctx, node, 1);
  const sp_shape *a = spi_in(program, node, 0);
  uint32_t n;
  check_window(ctx, node, a);
  const sp_window_dim *w = spi_attr_window(node, &n);
  int64_t dims[SP_MAX_DIMS] = {0};
  for (uint32_t d = 0; d < n; d++) {
    if (w[d].base_dilation != 1 || w[d].window_dilation != 1) {
      spi_unknown(ctx, node, "a dilated window");
    }
    dims[d] = spi_window_out(ctx, node, &w[d], a->dims[d]);
  }
  spi_expect_operand(ctx, program, node, 1, n, dims);
  spi_expect_operand(ctx, program, node, 2, 0, NULL);
  spi_expect(ctx, program, node, 0, a->n_dims, a->dims);
  spi_expect_dtype(ctx, program, node, 0, 1);
  spi_expect_dtype(ctx, program, node, 0, 2);
  if (a->dtype == SP_PRED) {
    spi_unknown(ctx, node, "not defined on predicates");
  }
  spi_check_reducer(ctx, program, node, "to_apply", 1);
  const sp_program *select = spi_attr_region(node, "select");
  if (select->n_params != 2 || select->n_results != 1 ||
      select->tensors[select->results[0]].shape.dtype != SP_PRED ||
      select->tensors[select->params[0]].shape.dtype != a->dtype ||
      select->tensors[select->params[1]].shape.dtype != a->dtype) {
    spi_bad(ctx, node, "select is no predicate of two values");
  }
}

/* select(x, y) keeps x. Which orderings of x and y it keeps: bit 0 x < y,
 * bit 1 x = y, bit 2 x > y; -1 when it is no comparison. */
static int kept_orderings(sp_pool *p, const sp_program *region, sp_sort sort) {
  int mask = 0;
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL); /* numbers compare */
  for (int64_t d = -1; d <= 1; d++) {
    bool found = false;
    for (int64_t base = -3; base <= 3; base += 3) {
      sp_expr x, y, r;
      bool is_int = sort == SP_SORT_INT;
      x = is_int ? sp_int(p, base + d) : sp_real_i64(p, base + d);
      y = is_int ? sp_int(p, base) : sp_real_i64(p, base);
      const sp_expr params[2] = {x, y};
      sp_region_apply(p, region, params, &r);
      if (sp_kind_of(p, r) != SP_KIND_BOOL ||
          (base > -3 && found != sp_bool_value(p, r))) {
        sp_pool_mode(p, mode);
        return -1;
      }
      found = sp_bool_value(p, r);
    }
    mask |= found ? 1 << (d + 1) : 0;
  }
  sp_pool_mode(p, mode);
  return mask;
}

/* The region must be one comparison of its parameters, so that the samples of
 * kept_orderings say all. */
static bool is_comparison(const sp_program *region) {
  uint32_t others = 0;
  for (uint32_t i = 0; i < region->n_nodes; i++) {
    if (strcmp(region->nodes[i].op, "hlo:parameter") != 0) {
      others++;
      if (strcmp(region->nodes[i].op, "hlo:compare") != 0) {
        return false;
      }
    }
  }
  return others == 1;
}

typedef struct selected {
  sp_expr source[SP_MAX_DIMS]; /* variables: a window each */
  sp_expr is_here;             /* the window selects this element */
} selected;

/* Row-major order of positions in a window: a before b. */
static sp_expr before(sp_pool *p, uint32_t n, const sp_expr *a,
                      const sp_expr *b) {
  sp_expr e = sp_bool(p, false);
  for (uint32_t d = n; d-- > 0;) {
    e = sp_or(p, sp_lt(p, a[d], b[d]), sp_and(p, sp_eq(p, a[d], b[d]), e));
  }
  return e;
}

/* Walking a window in order, XLA keeps the element selected so far (x) against
 * the next one (y) if select(x, y). With GE and LE ties keep the first, with
 * GT and LT the last. So i is selected if no other element of the window is
 * better, nor as good and on the winning side. */
static selected selected_of(const sp_call *call, const sp_expr *idx,
                            int orderings) {
  sp_pool *p = call->pool;
  const sp_shape *a = sp_call_shape(call, 0), *s = sp_call_shape(call, 1);
  uint32_t n;
  const sp_window_dim *w = spi_attr_window(call->node, &n);
  bool greater = (orderings & 4) != 0, first = (orderings & 2) != 0;
  sp_expr vars[SP_MAX_DIMS], at[SP_MAX_DIMS] = {{0}}, here[SP_MAX_DIMS];
  sp_expr inside = sp_bool(p, true);
  selected r = {.is_here = sp_bool(p, true)};
  for (uint32_t d = 0; d < n; d++) {
    r.source[d] = sp_fresh(p, s->dims[d]);
    vars[d] = sp_fresh(p, w[d].size);
    at[d] = spi_window_at(p, &w[d], r.source[d], vars[d], a->dims[d], &inside);
    /* position of i in the window */
    here[d] = sp_isub(p, sp_iaddc(p, idx[d], w[d].pad_low),
                      sp_iscale(p, r.source[d], w[d].stride));
    r.is_here = sp_and(p, r.is_here, spi_inside(p, here[d], w[d].size));
  }
  sp_expr x = sp_call_read(call, 0, idx), y = sp_call_read(call, 0, at);
  sp_expr better = greater ? sp_lt(p, x, y) : sp_lt(p, y, x);
  sp_expr wins_tie =
      first ? before(p, n, vars, here) : before(p, n, here, vars);
  sp_expr loses = sp_or(p, better, sp_and(p, sp_eq(p, x, y), wins_tie));
  sp_expr ok = sp_not(p, sp_and(p, inside, loses));
  sp_expr all = n ? sp_red(p, SP_RED_AND, n, vars, ok) : ok;
  r.is_here = sp_and(p, r.is_here, all);
  return r;
}

static sp_expr select_scatter_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  const sp_program *select = spi_attr_region(call->node, "select");
  sp_reducer kind = sp_reducer_of(p, spi_attr_region(call->node, "to_apply"));
  sp_dtype t = spi_out_dtype(call);
  int orderings =
      is_comparison(select) ? kept_orderings(p, select, sp_dtype_sort(t)) : -1;
  /* LT 1, LE 3, GT 4, GE 6 */
  if (orderings != 1 && orderings != 3 && orderings != 4 && orderings != 6) {
    spi_unknown(ctx, call->node, "select is no ordering");
  }
  if (!spi_reducer_is_simple(kind)) {
    spi_unknown(ctx, call->node, "scatter is no sum, product, max or min");
  }
  selected s = selected_of(call, idx, orderings);
  sp_expr none[1] = {{0}};
  sp_expr body = sp_ite(p, s.is_here, sp_call_read(call, 1, s.source),
                        spi_identity(p, kind, t));
  return spi_reduce(call, kind, t, sp_call_read(call, 2, none),
                    sp_call_shape(call, 0)->n_dims, s.source, body);
}

static const sp_op_attr reduce_window_attrs[] = {
    {"window", SP_ATTR_WINDOW, false, false},
    {"to_apply", SP_ATTR_REGION, true, false},
    {0},
};
static const char *const reduce_window_spellings[] = {"hlo:reduce-window",
                                                      NULL};
static const sp_op reduce_window_row = {
    .name = "reduce-window",
    .spellings = reduce_window_spellings,
    .attrs = reduce_window_attrs,
    .min_operands = 2,
    .max_operands = UINT32_MAX,
    .shape = reduce_window_shape,
    .element = reduce_window_element,
    .meaning = "out[o] = init combined with a[o * stride + k * dilation - pad] "
               "for all k where that is an element",
};

static const sp_op_attr select_scatter_attrs[] = {
    {"window", SP_ATTR_WINDOW, false, false},
    {"select", SP_ATTR_REGION, true, false},
    {"to_apply", SP_ATTR_REGION, true, false},
    {0},
};
static const char *const select_scatter_spellings[] = {"hlo:select-and-scatter",
                                                       NULL};
static const sp_op select_scatter_row = {
    .name = "select-and-scatter",
    .spellings = select_scatter_spellings,
    .attrs = select_scatter_attrs,
    .min_operands = 3,
    .max_operands = 3,
    .shape = select_scatter_shape,
    .element = select_scatter_element,
    .meaning = "out[i] = init combined with source[o] for all windows o that "
               "select i",
};

extern const sp_op *const sp_ops_window[];
const sp_op *const sp_ops_window[] = {
    &reduce_window_row,
    &select_scatter_row,
    NULL,
};
