/* scatter.c: the general scatter of XLA "Operation Semantics":
 *   out[i] = combine(a[i], updates that hit i)
 * An update window whose start does not fit (0 <= start <= size - window) is
 * dropped as a whole. For one index vector, at most one element of its window
 * hits i: the one at i - start; so only index vectors are reduced over, with
 * the body ite(it hits, updates[vector, i - start], neutral element). Batching
 * dimensions fix their coordinate of the vector at i's. */
#include "encode/op_util.h"

#include <string.h>

typedef struct scatter_dims {
  const int64_t *window, *inserted, *map, *obatch, *ibatch;
  uint32_t n_window, n_inserted, n_map, n_obatch, n_ibatch;
  int64_t ivd;
} scatter_dims;

static scatter_dims dims_of(const sp_node *node) {
  scatter_dims g;
  g.window = spi_ints(node, "update_window_dims", &g.n_window);
  g.inserted = spi_ints(node, "inserted_window_dims", &g.n_inserted);
  g.map = spi_ints(node, "scatter_dims_to_operand_dims", &g.n_map);
  g.obatch = spi_ints(node, "input_batching_dims", &g.n_obatch);
  g.ibatch = spi_ints(node, "scatter_indices_batching_dims", &g.n_ibatch);
  g.ivd = spi_attr_int(node, "index_vector_dim", 0);
  return g;
}

static bool in_window(const scatter_dims *g, uint32_t d) {
  return !spi_contains(g->inserted, g->n_inserted, d) &&
         !spi_contains(g->obatch, g->n_obatch, d);
}

static void check_lists(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node, const scatter_dims *g) {
  const sp_shape *a = spi_in(program, node, 0), *s = spi_in(program, node, 1);
  const sp_shape *u = spi_in(program, node, 2);
  if (g->ivd < 0 || g->ivd > (int64_t)s->n_dims) {
    spi_bad(ctx, node, "index_vector_dim %lld of %u", (long long)g->ivd,
            s->n_dims);
  }
  spi_check_dims(ctx, node, "update_window_dims", u->n_dims);
  spi_check_dims(ctx, node, "inserted_window_dims", a->n_dims);
  spi_check_dims(ctx, node, "scatter_dims_to_operand_dims", a->n_dims);
  spi_check_dims(ctx, node, "input_batching_dims", a->n_dims);
  spi_check_dims(ctx, node, "scatter_indices_batching_dims", s->n_dims);
  if (g->n_obatch != g->n_ibatch) {
    spi_bad(ctx, node, "operand and indices have %u and %u batching dimensions",
            g->n_obatch, g->n_ibatch);
  }
  for (uint32_t k = 0; k < g->n_obatch; k++) {
    if (g->ibatch[k] == g->ivd ||
        a->dims[g->obatch[k]] != s->dims[g->ibatch[k]] ||
        spi_contains(g->map, g->n_map, g->obatch[k]) ||
        spi_contains(g->inserted, g->n_inserted, g->obatch[k])) {
      spi_bad(ctx, node, "batching dimension %lld does not fit",
              (long long)g->obatch[k]);
    }
  }
  int64_t entries = g->ivd < (int64_t)s->n_dims ? s->dims[g->ivd] : 1;
  if (entries != (int64_t)g->n_map) {
    spi_bad(ctx, node,
            "scatter_dims_to_operand_dims has %u entries, index vectors %lld",
            g->n_map, (long long)entries);
  }
}

static void scatter_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  if (node->n_in != 3) {
    spi_unknown(ctx, node, "a scatter of several operands");
  }
  spi_expect_results(ctx, node, 1);
  const sp_shape *a = spi_in(program, node, 0), *s = spi_in(program, node, 1);
  const sp_shape *u = spi_in(program, node, 2);
  scatter_dims g = dims_of(node);
  spi_expect(ctx, program, node, 0, a->n_dims, a->dims);
  spi_expect_dtype(ctx, program, node, 0, 0);
  spi_expect_dtype(ctx, program, node, 0, 2);
  if (!sp_dtype_is_int(s->dtype)) {
    spi_bad(ctx, node, "the indices are no integers");
  }
  check_lists(ctx, program, node, &g);
  uint32_t n_batch = s->n_dims - (g.ivd < (int64_t)s->n_dims ? 1 : 0);
  if (g.n_window + n_batch != u->n_dims ||
      g.n_window + g.n_inserted + g.n_obatch != a->n_dims) {
    spi_bad(ctx, node,
            "%u window and %u index dimensions for updates of %u; %u window, "
            "%u inserted, %u batching for an operand of %u",
            g.n_window, n_batch, u->n_dims, g.n_window, g.n_inserted,
            g.n_obatch, a->n_dims);
  }
  uint32_t batch = 0, window = 0;
  for (uint32_t k = 0; k < u->n_dims; k++) {
    bool is_window = spi_contains(g.window, g.n_window, k);
    if (is_window) {
      while (!in_window(&g, window)) {
        window++;
      }
      if (u->dims[k] > a->dims[window]) {
        spi_bad(ctx, node,
                "dimension %u of the updates has size %lld, "
                "dimension %u of the operand %lld",
                k, (long long)u->dims[k], window, (long long)a->dims[window]);
      }
      window++;
    } else {
      if (batch == (uint32_t)g.ivd) {
        batch++;
      }
      if (u->dims[k] != s->dims[batch]) {
        spi_bad(ctx, node,
                "dimension %u of the updates has size %lld, "
                "dimension %u of the indices %lld",
                k, (long long)u->dims[k], batch, (long long)s->dims[batch]);
      }
      batch++;
    }
  }
  spi_check_reducer(ctx, program, node, "to_apply", 1);
}

/* What one index vector does to element i of the result. */
typedef struct hit {
  uint32_t n_vars;
  sp_expr vars[SP_MAX_DIMS]; /* the vectors reduced over */
  int64_t vectors;           /* how many there are */
  sp_expr hits;              /* BOOL */
  sp_expr update;
} hit;

/* Coordinates of the index vector (row) and of the updates (j): variables, or
 * i's coordinate in batching dimensions. */
static void vector_coordinates(const sp_call *call, const scatter_dims *g,
                               const sp_expr *idx, sp_expr *row, sp_expr *j,
                               hit *h) {
  sp_pool *p = call->pool;
  const sp_shape *u = sp_call_shape(call, 2);
  uint32_t batch = 0;
  h->n_vars = 0;
  h->vectors = 1;
  for (uint32_t k = 0; k < u->n_dims; k++) {
    if (spi_contains(g->window, g->n_window, k)) {
      continue;
    }
    if (batch == (uint32_t)g->ivd) {
      batch++;
    }
    sp_expr at = {0};
    for (uint32_t b = 0; b < g->n_ibatch; b++) {
      if (g->ibatch[b] == (int64_t)batch) {
        at = idx[g->obatch[b]];
      }
    }
    if (!at.v) {
      at = sp_fresh(p, u->dims[k]);
      h->vars[h->n_vars++] = at;
      h->vectors *= u->dims[k];
    }
    row[batch++] = at;
    j[k] = at;
  }
}

static hit hit_of(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_shape *a = sp_call_shape(call, 0), *s = sp_call_shape(call, 1);
  const sp_shape *u = sp_call_shape(call, 2);
  scatter_dims g = dims_of(call->node);
  sp_expr row[SP_MAX_DIMS] = {{0}}, j[SP_MAX_DIMS] = {{0}};
  sp_expr start[SP_MAX_DIMS] = {{0}};
  hit h = {.hits = sp_bool(p, true)};
  vector_coordinates(call, &g, idx, row, j, &h);
  for (uint32_t k = 0; k < g.n_map; k++) {
    if (g.ivd < (int64_t)s->n_dims) {
      row[g.ivd] = sp_int(p, k);
    }
    start[g.map[k]] = sp_call_read(call, 1, row);
  }
  uint32_t window = 0;
  for (uint32_t d = 0; d < a->n_dims; d++) {
    int64_t size = 1;
    uint32_t k = 0;
    if (spi_contains(g.obatch, g.n_obatch, d)) {
      continue;
    }
    bool windowed = in_window(&g, d);
    if (windowed) {
      k = (uint32_t)g.window[window++];
      size = u->dims[k];
    }
    sp_expr off = start[d].v ? sp_isub(p, idx[d], start[d]) : idx[d];
    if (size != a->dims[d] || start[d].v) {
      sp_expr in =
          size == 1 ? sp_eq(p, off, sp_int(p, 0)) : spi_inside(p, off, size);
      h.hits = sp_and(p, h.hits, in);
    }
    if (start[d].v && size != 1) {
      /* the whole window fits; implied by the line above for one element */
      sp_expr fits = spi_inside(p, start[d], a->dims[d] - size + 1);
      h.hits = sp_and(p, h.hits, fits);
    }
    if (windowed) {
      j[k] = size == 1 ? sp_int(p, 0) : off;
    }
  }
  h.update = sp_call_read(call, 2, j);
  return h;
}

/* A reducer without an element meaning, or an assignment that several vectors
 * may make: a function of which vectors hit, with what, in order. */
static sp_expr opaque_scatter(const sp_call *call, const hit *h, sp_expr old,
                              const char *reducer) {
  sp_pool *p = call->pool;
  const sp_expr args[3] = {spi_lambda(p, h->n_vars, h->vars, h->hits),
                           spi_lambda(p, h->n_vars, h->vars,
                                      sp_ite(p, h->hits, h->update,
                                             spi_zero(p, sp_sort_of(p, old)))),
                           old};
  const char *name = sp_format(sp_pool_ctx(p), "scatter:%s", reducer);
  return sp_fn(p, sp_sort_of(p, old), name, 3, args);
}

/* Whose vectors are promised to differ: at most one hits, so that the sum of
 * those that do is its update. */
static sp_expr unique_assign(const sp_call *call, const hit *h, sp_expr old) {
  sp_pool *p = call->pool;
  sp_dtype t = spi_out_dtype(call);
  sp_reducer one = t == SP_PRED ? SP_REDUCER_OR : SP_REDUCER_SUM;
  sp_expr none = spi_identity(p, one, t);
  spi_assume(call, "index vectors that a program calls unique (unique_indices) "
                   "differ");
  spi_promise_unique(call, h->n_vars, h->vars, h->hits);
  sp_expr any =
      spi_red(call, SP_REDUCER_OR, SP_PRED, h->n_vars, h->vars, h->hits);
  sp_expr sum = spi_red(call, one, t, h->n_vars, h->vars,
                        sp_ite(p, h->hits, h->update, none));
  return sp_ite(p, any, sum, old);
}

static sp_expr scatter_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_program *region = spi_attr_region(call->node, "to_apply");
  sp_reducer kind = sp_reducer_of(p, region);
  sp_dtype t = spi_out_dtype(call);
  hit h = hit_of(call, idx);
  sp_expr old = sp_call_read(call, 0, idx);
  if (h.vectors == 0) {
    return old;
  }
  if (h.vectors == 1) {
    /* at most one element hits: the computation itself, once */
    sp_expr new, params[2] = {old, h.update};
    const sp_expr zeros[1] = {sp_int(p, 0)};
    for (uint32_t k = 0; k < h.n_vars; k++) {
      if (sp_kind_of(p, h.vars[k]) == SP_KIND_VAR) {
        params[1] = sp_subst(p, params[1], 1, &h.vars[k], zeros);
        h.hits = sp_subst(p, h.hits, 1, &h.vars[k], zeros);
      }
    }
    sp_region_apply(p, region, params, &new);
    return sp_ite(p, h.hits, new, old);
  }
  if (kind == SP_REDUCER_SECOND &&
      spi_attr_int(call->node, "unique_indices", 0)) {
    return unique_assign(call, &h, old);
  }
  if (kind == SP_REDUCER_SECOND) {
    return opaque_scatter(call, &h, old, "assign");
  }
  if (!spi_reducer_is_simple(kind)) {
    return opaque_scatter(call, &h, old, spi_region_text(p, region));
  }
  sp_expr body = sp_ite(p, h.hits, h.update, spi_identity(p, kind, t));
  return spi_combine(call, kind, t, old,
                     spi_red(call, kind, t, h.n_vars, h.vars, body));
}

static const sp_op_attr scatter_attrs[] = {
    {"update_window_dims", SP_ATTR_INTS, false, false},
    {"inserted_window_dims", SP_ATTR_INTS, false, false},
    {"scatter_dims_to_operand_dims", SP_ATTR_INTS, false, false},
    {"input_batching_dims", SP_ATTR_INTS, false, false},
    {"scatter_indices_batching_dims", SP_ATTR_INTS, false, false},
    {"index_vector_dim", SP_ATTR_INT, true, false},
    {"to_apply", SP_ATTR_REGION, true, false},
    /* promises about the values, which allow a faster program */
    {"indices_are_sorted", SP_ATTR_INT, false, true},
    {"unique_indices", SP_ATTR_INT, false, false},
    {0},
};
static const char *const scatter_spellings[] = {"hlo:scatter", NULL};
static const sp_op scatter_row = {
    .name = "scatter",
    .spellings = scatter_spellings,
    .attrs = scatter_attrs,
    .min_operands = 3,
    .max_operands = UINT32_MAX,
    .shape = scatter_shape,
    .element = scatter_element,
    .meaning = "out[i] = a[i] combined with u[v, i - start(v)] for all index "
               "vectors v whose window fits and holds i",
};

extern const sp_op *const sp_ops_scatter[];
const sp_op *const sp_ops_scatter[] = {
    &scatter_row,
    NULL,
};
