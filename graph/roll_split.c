/* roll_split.c: piece k of split(x, 4, d) is x[4k : 4k + size] along d, where
 * size is what the program says of the piece. A node that does not fit that is
 * left as it is. */
#include "graph/roll_i.h"

#include "base/arith.h"
#include "base/vec.h"

#include <string.h>

typedef enum cut_kind {
  CUT_NONE,
  CUT_SPLIT,  /* by a size, or a list of sizes */
  CUT_CHUNK,  /* into so many */
  CUT_UNBIND, /* into single indices; the dimension goes */
} cut_kind;

typedef struct cut_row {
  const char *op;
  cut_kind kind;
} cut_row;

static const cut_row cut_rows[] = {
    {"aten.split.Tensor", CUT_SPLIT},
    {"aten.split.sizes", CUT_SPLIT},
    {"aten.split_with_sizes.default", CUT_SPLIT},
    {"aten.unsafe_split.Tensor", CUT_SPLIT},
    {"aten.chunk.default", CUT_CHUNK},
    {"aten.unbind.int", CUT_UNBIND},
    {"torch.split", CUT_SPLIT},
    {"torch.functional.split", CUT_SPLIT},
    {"torch.chunk", CUT_CHUNK},
    {"torch.unbind", CUT_UNBIND},
    {"method.split", CUT_SPLIT},
    {"method.chunk", CUT_CHUNK},
    {"method.unbind", CUT_UNBIND},
};

/* A node, and along which dimension it cuts what. */
typedef struct cut {
  cut_kind kind;
  const sp_shape *whole;
  uint32_t dim;
  const sp_attr *sizes; /* SPLIT, CHUNK: INT or INTS */
} cut;

static cut_kind kind_of(const char *op) {
  for (size_t i = 0; i < sizeof cut_rows / sizeof *cut_rows; i++) {
    if (strcmp(op, cut_rows[i].op) == 0) {
      return cut_rows[i].kind;
    }
  }
  return CUT_NONE;
}

/* At a position, or by one of the keywords that PyTorch has for it. */
static const sp_attr *arg(const sp_node *n, const char *position,
                          const char *const *names, uint32_t *taken) {
  const sp_attr *a = sp_node_attr(n, position);
  for (; !a && *names; names++) {
    a = sp_node_attr(n, *names);
  }
  *taken += a != NULL;
  return a;
}

static bool cut_of(const sp_program *p, const sp_node *n, cut *c) {
  static const char *const dim_names[] = {"dim", NULL};
  static const char *const size_names[] = {
      "split_size", "split_sizes", "split_size_or_sections", "chunks", NULL};
  c->kind = kind_of(n->op);
  const sp_attr *x = sp_node_attr(n, "arg0");
  if (c->kind == CUT_NONE || n->n_in != 1 || !x || x->kind != SP_ATTR_OPERAND) {
    return false;
  }
  uint32_t taken = 1;
  bool unbind = c->kind == CUT_UNBIND;
  c->sizes = unbind ? NULL : arg(n, "arg1", size_names, &taken);
  const sp_attr *d = arg(n, unbind ? "arg1" : "arg2", dim_names, &taken);
  c->whole = &p->tensors[n->in[0]].shape;
  int64_t dim = d && d->kind == SP_ATTR_INT ? d->u.i : 0;
  dim = dim < 0 ? dim + c->whole->n_dims : dim;
  if (c->whole->dtype == SP_DTYPE_INVALID || taken != n->n_attrs ||
      (d && d->kind != SP_ATTR_INT) || dim < 0 || dim >= c->whole->n_dims) {
    return false;
  }
  c->dim = (uint32_t)dim;
  return unbind || (c->sizes &&
                    (c->sizes->kind == SP_ATTR_INT ||
                     (c->kind == CUT_SPLIT && c->sizes->kind == SP_ATTR_INTS)));
}

/* Where piece k begins and ends; false when its shape is another. */
static bool piece_of(const cut *c, uint32_t k, const sp_shape *shape,
                     int64_t *start, int64_t *end) {
  int64_t n = c->whole->dims[c->dim], size = 0;
  if (c->kind == CUT_UNBIND) {
    *start = k;
    return k < n && shape->n_dims + 1 == c->whole->n_dims;
  }
  if (shape->n_dims != c->whole->n_dims) {
    return false;
  }
  *start = 0;
  if (c->sizes->kind == SP_ATTR_INTS) {
    for (uint32_t i = 0; i < k && i < c->sizes->n; i++) {
      if (!sp_add_ok(*start, c->sizes->u.ints[i], start)) {
        return false;
      }
    }
    size = k < c->sizes->n ? c->sizes->u.ints[k] : -1;
  } else {
    size = c->sizes->u.i;
    if (c->kind == CUT_CHUNK) {
      size = size > 0 ? n / size + (n % size != 0) : -1;
    }
    if (size < 0 || !sp_mul_ok(size, k, start)) {
      return false;
    }
    size = *start <= n && size > n - *start ? n - *start : size;
  }
  return *start >= 0 && size >= 0 && *start <= n && size <= n - *start &&
         size == shape->dims[c->dim] && sp_add_ok(*start, size, end);
}

typedef struct rewrite {
  sp_ctx *ctx;
  const sp_program *p;
  const bool *used; /* by tensor */
  uint32_t *map;    /* old tensor -> new */
  SP_VEC(sp_node) nodes;
  SP_VEC(sp_tensor) tensors;
} rewrite;

static void node_keep(rewrite *w, const sp_node *node) {
  sp_node n = *node;
  uint32_t *in = sp_alloc_n(w->ctx, n.n_in, sizeof *in);
  for (uint32_t i = 0; i < n.n_in; i++) {
    in[i] = w->map[n.in[i]];
  }
  n.in = in;
  n.out = (uint32_t)w->tensors.n;
  for (uint32_t i = 0; i < n.n_out; i++) {
    sp_tensor t = w->p->tensors[node->out + i];
    t.node = (uint32_t)w->nodes.n;
    w->map[node->out + i] = (uint32_t)w->tensors.n;
    sp_push(w->ctx, &w->tensors, t);
  }
  sp_push(w->ctx, &w->nodes, n);
}

static void piece_add(rewrite *w, const sp_node *node, const cut *c, uint32_t k,
                      int64_t start, int64_t end) {
  bool unbind = c->kind == CUT_UNBIND;
  sp_tensor t = w->p->tensors[node->out + k];
  uint32_t *in = sp_alloc(w->ctx, sizeof *in);
  in[0] = w->map[node->in[0]];
  sp_attr *attrs = sp_alloc_n(w->ctx, 4, sizeof *attrs);
  static const char *const names[] = {"arg0", "arg1", "arg2", "arg3"};
  const int64_t values[] = {0, c->dim, start, end};
  for (uint32_t i = 0; i < 4; i++) {
    attrs[i].name = sp_intern(w->ctx, names[i], 4);
    attrs[i].kind = i == 0 ? SP_ATTR_OPERAND : SP_ATTR_INT;
    attrs[i].u.i = values[i];
  }
  const char *op = unbind ? "aten.select.int" : "aten.slice.Tensor";
  sp_node n = {.op = sp_intern(w->ctx, op, strlen(op)),
               .name = t.name,
               .n_in = 1,
               .in = in,
               .out = (uint32_t)w->tensors.n,
               .n_out = 1,
               .n_attrs = unbind ? 3 : 4,
               .attrs = attrs,
               .pos = node->pos};
  t.node = (uint32_t)w->nodes.n;
  t.result = 0;
  w->map[node->out + k] = (uint32_t)w->tensors.n;
  sp_push(w->ctx, &w->tensors, t);
  sp_push(w->ctx, &w->nodes, n);
}

static bool node_cut(rewrite *w, const sp_node *node) {
  cut c;
  int64_t start, end = 0;
  if (!cut_of(w->p, node, &c)) {
    return false;
  }
  for (uint32_t k = 0; k < node->n_out; k++) {
    const sp_shape *s = &w->p->tensors[node->out + k].shape;
    if (w->used[node->out + k] &&
        (s->dtype != c.whole->dtype || !piece_of(&c, k, s, &start, &end))) {
      return false;
    }
  }
  for (uint32_t k = 0; k < node->n_out; k++) {
    if (w->used[node->out + k]) {
      piece_of(&c, k, &w->p->tensors[node->out + k].shape, &start, &end);
      piece_add(w, node, &c, k, start, end);
    }
  }
  return true;
}

static uint32_t *map_all(rewrite *w, uint32_t n, const uint32_t *tensors) {
  uint32_t *out = sp_alloc_n(w->ctx, n, sizeof *out);
  for (uint32_t i = 0; i < n; i++) {
    out[i] = tensors[i] == SP_NO_TENSOR ? SP_NO_TENSOR : w->map[tensors[i]];
  }
  return out;
}

static const bool *used_of(sp_ctx *ctx, const sp_program *p) {
  bool *used = sp_alloc_n(ctx, p->n_tensors, sizeof *used);
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    for (uint32_t k = 0; k < p->nodes[i].n_in; k++) {
      used[p->nodes[i].in[k]] = true;
    }
  }
  for (uint32_t i = 0; i < p->n_results; i++) {
    if (p->results[i] != SP_NO_TENSOR) {
      used[p->results[i]] = true;
    }
  }
  return used;
}

const sp_program *roll_split(sp_ctx *ctx, const sp_program *p) {
  bool any = false;
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    any = any || kind_of(p->nodes[i].op) != CUT_NONE;
  }
  if (!any) {
    return p;
  }
  rewrite w = {.ctx = ctx, .p = p, .used = used_of(ctx, p)};
  w.map = sp_alloc_n(ctx, p->n_tensors, sizeof *w.map);
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    if (!node_cut(&w, &p->nodes[i])) {
      node_keep(&w, &p->nodes[i]);
    }
  }
  sp_program *out = sp_alloc(ctx, sizeof *out);
  *out = *p;
  out->n_nodes = (uint32_t)w.nodes.n;
  out->n_tensors = (uint32_t)w.tensors.n;
  out->nodes = w.nodes.v;
  out->tensors = w.tensors.v;
  out->params = map_all(&w, p->n_params, p->params);
  out->results = map_all(&w, p->n_results, p->results);
  sp_program_check(ctx, out);
  return out;
}
