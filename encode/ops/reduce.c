/* reduce.c: reduce and map.
 *
 * One operand: out[i] = combine(init, reduction over k of a[i, k]), where the
 * computation is recognised by meaning (region.c). Several operands: either
 * independent reductions, or argmax and argmin: the pair that is first in the
 * order (value, then index), init included. Anything else is an opaque
 * function of the reduced slices, named after the computation. */
#include "encode/op_util.h"

#include <string.h>

static void reduce_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  uint32_t n = node->n_in / 2, n_dims = 0, nd;
  if (node->n_in % 2 != 0 || n == 0) {
    spi_bad(ctx, node, "%u operands: not as many inits as arrays", node->n_in);
  }
  spi_expect_results(ctx, node, n);
  const sp_shape *a = spi_in(program, node, 0);
  const int64_t *dims = spi_ints(node, "dimensions", &nd);
  spi_check_dims(ctx, node, "dimensions", a->n_dims);
  int64_t kept[SP_MAX_DIMS] = {0};
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if (!spi_contains(dims, nd, d)) {
      kept[n_dims++] = a->dims[d];
    }
  }
  for (uint32_t k = 0; k < n; k++) {
    spi_expect_operand(ctx, program, node, k, a->n_dims, a->dims);
    spi_expect_operand(ctx, program, node, n + k, 0, NULL);
    spi_expect(ctx, program, node, k, n_dims, kept);
    spi_expect_dtype(ctx, program, node, k, k);
    spi_expect_dtype(ctx, program, node, k, n + k);
  }
  spi_check_reducer(ctx, program, node, "to_apply", n);
}

/* The reduced variables, and the index of the operands in them. */
typedef struct slice {
  uint32_t n_vars;
  sp_expr vars[SP_MAX_DIMS];
  sp_expr at[SP_MAX_DIMS];
  bool empty; /* nothing is reduced over */
} slice;

static slice slice_of(const sp_call *call, const sp_expr *idx) {
  const sp_shape *a = sp_call_shape(call, 0);
  uint32_t nd, kept = 0;
  const int64_t *dims = spi_ints(call->node, "dimensions", &nd);
  slice s = {0};
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if (spi_contains(dims, nd, d)) {
      s.empty = s.empty || a->dims[d] == 0;
    }
  }
  for (uint32_t d = 0; d < a->n_dims && !s.empty; d++) {
    if (spi_contains(dims, nd, d)) {
      s.at[d] = sp_fresh(call->pool, a->dims[d]);
      s.vars[s.n_vars++] = s.at[d];
    } else {
      s.at[d] = idx[kept++];
    }
  }
  return s;
}

static sp_expr opaque_reduce(const sp_call *call, const slice *s) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  uint32_t n = call->node->n_in / 2;
  sp_expr *args = sp_alloc_n(ctx, 2u * n, sizeof *args);
  sp_expr none[1] = {{0}};
  for (uint32_t k = 0; k < n; k++) {
    args[k] = spi_lambda(p, s->n_vars, s->vars, sp_call_read(call, k, s->at));
    args[n + k] = sp_call_read(call, n + k, none);
  }
  const char *text =
      spi_region_text(p, spi_attr_region(call->node, "to_apply"));
  const char *name = sp_format(ctx, "reduce:%u:%s", call->result, text);
  return sp_fn(p, sp_dtype_sort(spi_out_dtype(call)), name, 2 * n, args);
}

/* Argmax: M = max over k of v(k), then the smallest i(k) with v(k) = M. An
 * infinite init takes no part, unless all values are infinite. */
static sp_expr arg_reduce(const sp_call *call, const slice *s, bool max) {
  sp_pool *p = call->pool;
  sp_reducer kind = max ? SP_REDUCER_MAX : SP_REDUCER_MIN;
  sp_dtype tv = spi_in_dtype(call, 0), ti = spi_in_dtype(call, 1);
  sp_expr none[1] = {{0}};
  sp_expr init = sp_call_read(call, 2, none);
  sp_expr v = sp_call_read(call, 0, s->at);
  sp_expr best = spi_red(call, kind, tv, s->n_vars, s->vars, v);
  bool neutral = init.v == spi_identity(p, kind, tv).v;
  sp_expr m = neutral ? best : spi_combine(call, kind, tv, init, best);
  if (call->result == 0) {
    return m;
  }
  int64_t lo, hi;
  spi_dtype_range(ti, &lo, &hi);
  sp_expr big = sp_int(p, hi);
  sp_expr i = sp_call_read(call, 1, s->at);
  sp_expr first = spi_red(call, SP_REDUCER_MIN, ti, s->n_vars, s->vars,
                          sp_ite(p, spi_is_extreme(p, v, m), i, big));
  if (neutral && sp_sort_of(p, v) == SP_SORT_REAL) {
    spi_assume(call, max ? "an argmax sees a value above minus infinity"
                         : "an argmin sees a value below plus infinity");
    return first;
  }
  sp_expr i0 = sp_call_read(call, 3, none);
  return sp_min(p, sp_ite(p, sp_eq(p, init, m), i0, big), first);
}

static sp_expr reduce_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  uint32_t n = call->node->n_in / 2, k = call->result;
  enum { MAX = 16 };
  sp_reducer kinds[MAX] = {SP_REDUCER_OTHER};
  slice s = slice_of(call, idx);
  sp_expr none[1] = {{0}};
  if (s.empty) {
    return sp_call_read(call, n + k, none);
  }
  if (n <= MAX) {
    spi_reducers(p, spi_attr_region(call->node, "to_apply"), n, kinds);
  }
  sp_reducer kind = n <= MAX ? kinds[k] : SP_REDUCER_OTHER;
  if (kind == SP_REDUCER_ARGMAX || kind == SP_REDUCER_ARGMIN) {
    return arg_reduce(call, &s, kind == SP_REDUCER_ARGMAX);
  }
  if (!spi_reducer_is_simple(kind)) {
    sp_expr sum = {0};
    if (n == 1) {
      sum = spi_log_sum_exp(call, sp_call_read(call, 1, none), s.n_vars, s.vars,
                            sp_bool(p, true), sp_call_read(call, 0, s.at));
    }
    return sum.v ? sum : opaque_reduce(call, &s);
  }
  sp_dtype t = spi_out_dtype(call);
  return spi_reduce(call, kind, t, sp_call_read(call, n + k, none), s.n_vars,
                    s.vars, sp_call_read(call, k, s.at));
}

/* ---- map ---- */

static void map_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  const sp_program *region = spi_attr_region(node, "to_apply");
  const sp_shape *a = spi_in(program, node, 0);
  spi_expect_results(ctx, node, 1);
  if (region->n_params != node->n_in || region->n_results != 1) {
    spi_bad(ctx, node, "the computation has %u parameters and %u results",
            region->n_params, region->n_results);
  }
  for (uint32_t k = 0; k < node->n_in; k++) {
    spi_expect_operand(ctx, program, node, k, a->n_dims, a->dims);
    if (region->tensors[region->params[k]].shape.dtype !=
        spi_in(program, node, k)->dtype) {
      spi_bad(ctx, node, "parameter %u of the computation has another type", k);
    }
  }
  if (region->tensors[region->results[0]].shape.dtype !=
      spi_out(program, node, 0)->dtype) {
    spi_bad(ctx, node, "the result of the computation has another type");
  }
  spi_expect(ctx, program, node, 0, a->n_dims, a->dims);
  uint32_t n;
  const int64_t *dims = spi_ints(node, "dimensions", &n);
  for (uint32_t d = 0; d < n; d++) {
    if (n != a->n_dims || dims[d] != (int64_t)d) {
      spi_unknown(ctx, node, "maps over some dimensions only");
    }
  }
}

static sp_expr map_element(const sp_call *call, const sp_expr *idx) {
  sp_ctx *ctx = sp_pool_ctx(call->pool);
  sp_expr *params = sp_alloc_n(ctx, call->node->n_in, sizeof *params), e;
  for (uint32_t k = 0; k < call->node->n_in; k++) {
    params[k] = sp_call_read(call, k, idx);
  }
  sp_region_apply(call->pool, spi_attr_region(call->node, "to_apply"), params,
                  &e);
  return e;
}

static const sp_op_attr reduce_attrs[] = {
    {"dimensions", SP_ATTR_INTS, true, false},
    {"to_apply", SP_ATTR_REGION, true, false},
    {0},
};
static const char *const reduce_spellings[] = {"hlo:reduce", NULL};
static const sp_op reduce_row = {
    .name = "reduce",
    .spellings = reduce_spellings,
    .attrs = reduce_attrs,
    .min_operands = 2,
    .max_operands = UINT32_MAX,
    .shape = reduce_shape,
    .element = reduce_element,
    .meaning = "out[i] = init combined with a[i, k] for all k",
};

static const sp_op_attr map_attrs[] = {
    {"dimensions", SP_ATTR_INTS, false, false},
    {"to_apply", SP_ATTR_REGION, true, false},
    {0},
};
static const char *const map_spellings[] = {"hlo:map", NULL};
static const sp_op map_row = {
    .name = "map",
    .spellings = map_spellings,
    .attrs = map_attrs,
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .shape = map_shape,
    .element = map_element,
    .meaning = "out[i] = f(a[i], b[i], ...)",
};

extern const sp_op *const sp_ops_reduce[];
const sp_op *const sp_ops_reduce[] = {
    &reduce_row,
    &map_row,
    NULL,
};
