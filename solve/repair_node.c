/* repair_node.c: constants, and operators that work within a rank. Read
 * spi_try_constant and spi_try_node. */
#include "solve/mender.h"

#include <stdio.h>
#include <string.h>

#include "solve/fit.h"

enum { MAX_ELEMENTS = 1024, MAX_SHOWN = 8, MAX_NUMBERS = 96, MAX_INDICES = 24 };

/* ---- constants ---- */

static const char *values_text(sp_ctx *ctx, sp_dtype type, const double *v,
                               int64_t n) {
  sp_str text = {0};
  for (int64_t i = 0; i < n && i < MAX_SHOWN; i++) {
    sp_str_addf(ctx, &text, "%s%s", i ? ", " : "",
                sp_number_text(ctx, type, v[i], 6));
  }
  if (n > MAX_SHOWN) {
    sp_str_add(ctx, &text, ", ...");
  }
  return n == 1 ? text.v : sp_format(ctx, "{%s}", text.v ? text.v : "");
}

/* A constant at hand. */
typedef struct constant {
  spi_mender *m;
  uint32_t at;
  const sp_node *node;
  const sp_literal *literal;
  bool real;
  int64_t n;
  double *was;
} constant;

static bool try_values(constant *c, const double *v) {
  sp_ctx *ctx = c->m->s->ctx;
  bool same = true;
  for (int64_t i = 0; i < c->n && same; i++) {
    same = v[i] == c->was[i];
  }
  if (same) {
    return false;
  }
  int64_t *ints = sp_alloc_n(ctx, (size_t)c->n + 1, sizeof *ints);
  double *reals = sp_alloc_n(ctx, (size_t)c->n + 1, sizeof *reals);
  for (int64_t i = 0; i < c->n; i++) {
    reals[i] = v[i];
    ints[i] = c->real ? 0 : (int64_t)v[i];
  }
  sp_literal *literal = sp_alloc(ctx, sizeof *literal);
  *literal = (sp_literal){.shape = c->literal->shape,
                          .i = c->real ? NULL : ints,
                          .f = c->real ? reals : NULL};
  sp_attr value = {.kind = SP_ATTR_LITERAL, .u.literal = literal};
  spi_edit e = {.node = c->at,
                .becomes = spi_edit_attr(ctx, c->node, "literal", value)};
  return spi_offer(c->m, &e, "is %s; with %s instead all results are right",
                   values_text(ctx, literal->shape.dtype, c->was, c->n),
                   values_text(ctx, literal->shape.dtype, v, c->n));
}

typedef struct numbers {
  double v[MAX_NUMBERS];
  size_t n;
} numbers;

static void add_number(numbers *x, double v) {
  for (size_t i = 0; i < x->n; i++) {
    if (x->v[i] == v) {
      return;
    }
  }
  if (x->n < MAX_NUMBERS) {
    x->v[x->n++] = v;
  }
}

/* Constants, sizes and blocks of the sequential program. */
static void add_sequential(constant *c, numbers *x) {
  const sp_program *p = c->m->s->seq_program;
  for (uint32_t k = 0; k < p->n_nodes; k++) {
    const sp_attr *a = sp_node_attr(&p->nodes[k], "literal");
    if (a && a->kind == SP_ATTR_LITERAL && a->u.literal->shape.n_dims == 0 &&
        a->u.literal->shape.dtype == c->literal->shape.dtype) {
      add_number(x, c->real ? a->u.literal->f[0] : (double)a->u.literal->i[0]);
    }
  }
  for (uint32_t t = 0; t < p->n_params && !c->real; t++) {
    const sp_shape *shape = &p->tensors[p->params[t]].shape;
    for (uint32_t d = 0; d < shape->n_dims; d++) {
      add_number(x, (double)shape->dims[d]);
      for (size_t i = 0; i < c->m->s->cuts.n; i++) {
        int64_t n = c->m->s->cuts.v[i].n;
        add_number(x, (double)((shape->dims[d] + n - 1) / n));
      }
    }
  }
}

static bool try_numbers(constant *c, const numbers *x) {
  for (size_t i = 0; i < x->n; i++) {
    if (try_values(c, &x->v[i])) {
      return true;
    }
  }
  return false;
}

static bool try_number(constant *c) {
  double was = c->was[0];
  numbers x = {.n = 0};
  add_sequential(c, &x);
  for (size_t i = 0; i < c->m->s->cuts.n; i++) {
    double n = (double)c->m->s->cuts.v[i].n;
    add_number(&x, was * n);
    if (c->real || (int64_t)was % c->m->s->cuts.v[i].n == 0) {
      add_number(&x, was / n);
    }
  }
  add_number(&x, was * 2);
  if (c->real || (int64_t)was % 2 == 0) {
    add_number(&x, was / 2);
  }
  add_number(&x, -was);
  return try_numbers(c, &x);
}

/* Numbers next to it: smaller changes than any other. */
static bool try_next(constant *c) {
  numbers x = {.n = 0};
  if (!c->real) {
    add_number(&x, c->was[0] + 1);
    add_number(&x, c->was[0] - 1);
  }
  return try_numbers(c, &x);
}

/* stride * coordinate, over all ranks or over the coordinate's own values. */
static bool try_coordinate(constant *c, const spi_cut *cut, double stride) {
  sp_state *s = c->m->s;
  double *v = sp_alloc_n(s->ctx, (size_t)c->n + 1, sizeof *v);
  const int64_t *at = c->n == s->dist_program->partitions
                          ? spi_by_rank(s, cut->coordinate)
                          : NULL;
  if (!at && c->n != cut->n) {
    return false;
  }
  for (int64_t i = 0; i < c->n; i++) {
    v[i] = stride * (double)(at ? at[i] : i);
  }
  return try_values(c, v);
}

/* Tables by rank or coordinate are mostly steps of one size: those that two of
 * the entries make, if no more than two others fit them not. */
static bool try_steps_of_one_size(constant *c) {
  double *v = sp_alloc_n(c->m->s->ctx, (size_t)c->n + 1, sizeof *v);
  for (int64_t i = 0; i < c->n && c->n >= 3 && c->n <= 16; i++) {
    for (int64_t k = i + 1; k < c->n; k++) {
      double step = (c->was[k] - c->was[i]) / (double)(k - i);
      int64_t wrong = 0;
      for (int64_t j = 0; j < c->n; j++) {
        v[j] = c->was[i] + step * (double)(j - i);
        wrong += v[j] != c->was[j];
      }
      if (wrong <= 2 && (double)(int64_t)step == step && try_values(c, v)) {
        return true;
      }
    }
  }
  return false;
}

static bool try_table(constant *c) {
  if (!c->real && try_steps_of_one_size(c)) {
    return true;
  }
  const sp_program *p = c->m->s->seq_program;
  for (size_t i = 0; i < c->m->s->cuts.n && !c->real; i++) {
    const spi_cut *cut = &c->m->s->cuts.v[i];
    if (try_coordinate(c, cut, 1)) {
      return true;
    }
    for (uint32_t t = 0; t < p->n_params; t++) { /* blocks of dimensions */
      const sp_shape *shape = &p->tensors[p->params[t]].shape;
      for (uint32_t d = 0; d < shape->n_dims; d++) {
        int64_t block = (shape->dims[d] + cut->n - 1) / cut->n;
        if (block > 1 && try_coordinate(c, cut, (double)block)) {
          return true;
        }
      }
    }
  }
  double *v = sp_alloc_n(c->m->s->ctx, (size_t)c->n + 1, sizeof *v);
  for (int64_t shift = 1; shift < c->n && c->n <= 16; shift++) {
    for (int64_t i = 0; i < c->n; i++) {
      v[i] = c->was[(i + shift) % c->n];
    }
    if (try_values(c, v)) {
      return true;
    }
  }
  return false;
}

static bool is_constant(spi_mender *m, uint32_t at, constant *c) {
  const sp_node *node = &m->program->nodes[at];
  const sp_attr *a = sp_node_attr(node, "literal");
  if (!spi_is_op(node, "constant") || !a || a->kind != SP_ATTR_LITERAL) {
    return false;
  }
  const sp_literal *l = a->u.literal;
  *c = (constant){.m = m,
                  .at = at,
                  .node = node,
                  .literal = l,
                  .real = sp_dtype_is_float(l->shape.dtype),
                  .n = sp_shape_elements(&l->shape)};
  if (c->n < 1 || c->n > MAX_ELEMENTS || l->shape.dtype == SP_PRED ||
      !(c->real || sp_dtype_is_int(l->shape.dtype))) {
    return false;
  }
  c->was = sp_alloc_n(m->s->ctx, (size_t)c->n + 1, sizeof *c->was);
  for (int64_t i = 0; i < c->n; i++) {
    int64_t k = l->splat ? 0 : i;
    c->was[i] = c->real ? l->f[k] : (double)l->i[k];
  }
  return true;
}

bool spi_try_next(spi_mender *m, uint32_t at) {
  constant c;
  return is_constant(m, at, &c) && c.n == 1 && try_next(&c);
}

bool spi_try_constant(spi_mender *m, uint32_t at) {
  constant c;
  return is_constant(m, at, &c) && (c.n == 1 ? try_number(&c) : try_table(&c));
}

/* ---- counting ---- */

/* An iota that counts from 0 on every rank, though each has another part of
 * what is counted: the offset of its part added. */
static bool try_offset(spi_mender *m, uint32_t at) {
  sp_ctx *ctx = m->s->ctx;
  const sp_node *node = &m->program->nodes[at];
  const sp_attr *dim = sp_node_attr(node, "iota_dimension");
  size_t ranks = (size_t)m->s->dist_program->partitions;
  if (!spi_is_op(node, "iota") || !dim || m->loop != UINT32_MAX) {
    return false;
  }
  const sp_shape *shape = &m->program->tensors[node->out].shape;
  int64_t size = shape->dims[dim->u.i];
  for (size_t i = 0; i < m->s->cuts.n && sp_dtype_is_int(shape->dtype); i++) {
    const int64_t *coordinate = spi_by_rank(m->s, m->s->cuts.v[i].coordinate);
    int64_t *v = sp_alloc_n(ctx, ranks + 1, sizeof *v);
    sp_attr *attrs = sp_alloc_n(ctx, 2, sizeof *attrs);
    sp_node *add = sp_alloc(ctx, sizeof *add);
    for (size_t r = 0; coordinate && r < ranks; r++) {
      v[r] = size * coordinate[r];
    }
    attrs[0] = (sp_attr){.name = "self", .kind = SP_ATTR_OPERAND, .u.i = 0};
    attrs[1] = (sp_attr){
        .name = "other", .kind = SP_ATTR_RANKED_INT, .u.ints = v, .n = ranks};
    *add = (sp_node){.op = "aten.add.Tensor",
                     .name = node->name,
                     .attrs = attrs,
                     .n_attrs = 2};
    spi_edit e = {.node = at, .becomes = node, .then = add};
    size_t shown = ranks < MAX_SHOWN ? ranks : MAX_SHOWN;
    if (coordinate &&
        spi_offer(m, &e,
                  "counts from 0 on every rank; from %s%s by rank all results "
                  "are right",
                  spi_ints_text(ctx, v, shown), shown < ranks ? ", ..." : "")) {
      return true;
    }
  }
  return false;
}

/* ---- operands ---- */

bool spi_try_operands(spi_mender *m, uint32_t at, uint32_t a, uint32_t b) {
  const sp_node *node = &m->program->nodes[at];
  if (node->in[a] == node->in[b]) {
    return false;
  }
  uint32_t *in = sp_alloc_n(m->s->ctx, node->n_in + 1u, sizeof *in);
  sp_node *copy = sp_alloc(m->s->ctx, sizeof *copy);
  memcpy(in, node->in, node->n_in * sizeof *in);
  in[a] = node->in[b];
  in[b] = node->in[a];
  *copy = *node;
  copy->in = in;
  spi_edit e = {.node = at, .becomes = copy};
  return spi_offer(m, &e,
                   "has its operands in the wrong order: with %s and %s "
                   "swapped all results are right",
                   m->program->tensors[node->in[a]].name,
                   m->program->tensors[node->in[b]].name);
}

static bool try_order(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  bool join = spi_is_op(node, "concatenate"), pick = spi_is_op(node, "select"),
       two = spi_is_op(node, "subtract") || spi_is_op(node, "divide") ||
             spi_is_op(node, "power") || spi_is_op(node, "remainder");
  if (!join && !pick && !two) {
    return false;
  }
  for (uint32_t b = pick ? 2 : 1; b < node->n_in && b < 8; b++) {
    for (uint32_t a = pick ? 1 : 0; a < b; a++) {
      if (spi_try_operands(m, at, a, b)) {
        return true;
      }
    }
  }
  return false;
}

/* ---- other operators of the same form ---- */

static bool try_operator(spi_mender *m, uint32_t at) {
  static const char *const like[][2] = {
      {"add", "subtract"},    {"subtract", "add"},    {"multiply", "divide"},
      {"divide", "multiply"}, {"maximum", "minimum"}, {"minimum", "maximum"},
      {"and", "or"},          {"or", "and"}};
  const sp_node *node = &m->program->nodes[at];
  for (size_t i = 0; i < sizeof like / sizeof *like; i++) {
    if (!spi_is_op(node, like[i][0])) {
      continue;
    }
    sp_node *copy = sp_alloc(m->s->ctx, sizeof *copy);
    *copy = *node;
    copy->op = sp_format(m->s->ctx, "hlo:%s", like[i][1]);
    spi_edit e = {.node = at, .becomes = copy};
    if (spi_offer(m, &e, "is the wrong operator; with %s all results are right",
                  like[i][1])) {
      return true;
    }
  }
  return false;
}

static bool try_direction(spi_mender *m, uint32_t at) {
  static const char *const all[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  const sp_node *node = &m->program->nodes[at];
  const sp_attr *own = sp_node_attr(node, "direction");
  for (size_t i = 0; own && i < sizeof all / sizeof *all; i++) {
    sp_attr value = {.kind = SP_ATTR_TEXT, .u.text = all[i]};
    spi_edit e = {.node = at,
                  .becomes =
                      spi_edit_attr(m->s->ctx, node, "direction", value)};
    if (strcmp(own->u.text, all[i]) != 0 &&
        spi_offer(m, &e,
                  "compares by %s (a mask that is off by one, or inverted); "
                  "with %s all results are right",
                  own->u.text, all[i])) {
      return true;
    }
  }
  return false;
}

/* ---- axes ---- */

static bool try_ints(spi_mender *m, uint32_t at, const char *name,
                     const int64_t *v, size_t n) {
  const sp_node *node = &m->program->nodes[at];
  const sp_attr *own = sp_node_attr(node, name);
  int64_t *copy = sp_alloc_n(m->s->ctx, n + 1, sizeof *copy);
  memcpy(copy, v, n * sizeof *v);
  sp_attr value = {.kind = SP_ATTR_INTS, .u.ints = copy, .n = n};
  spi_edit e = {.node = at,
                .becomes = spi_edit_attr(m->s->ctx, node, name, value)};
  sp_str was = {0}, is = {0};
  for (size_t i = 0; i < n; i++) {
    sp_str_addf(m->s->ctx, &was, "%s%lld", i ? "," : "",
                (long long)own->u.ints[i]);
    sp_str_addf(m->s->ctx, &is, "%s%lld", i ? "," : "", (long long)v[i]);
  }
  return spi_offer(m, &e,
                   "has the wrong %s, {%s}; with {%s} all results are right",
                   name, was.v ? was.v : "", is.v ? is.v : "");
}

/* One axis another, or two swapped. */
static bool try_axes(spi_mender *m, uint32_t at, const char *name,
                     uint32_t rank) {
  const sp_attr *own = sp_node_attr(&m->program->nodes[at], name);
  if (!own || own->kind != SP_ATTR_INTS || own->n > 8) {
    return false;
  }
  int64_t v[8];
  for (size_t i = 0; i < own->n; i++) {
    for (int64_t d = 0; d < (int64_t)rank && d < 8; d++) {
      memcpy(v, own->u.ints, own->n * sizeof *v);
      for (size_t k = 0; k < own->n; k++) {
        v[k] = v[k] == d ? own->u.ints[i] : v[k];
      }
      v[i] = d;
      if (d != own->u.ints[i] && try_ints(m, at, name, v, own->n)) {
        return true;
      }
    }
  }
  return false;
}

static bool try_axes_of(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  const sp_tensor *t = m->program->tensors;
  if (node->n_in == 0) {
    return false;
  }
  uint32_t in = t[node->in[0]].shape.n_dims, out = t[node->out].shape.n_dims;
  if (spi_is_op(node, "dot")) {
    return try_axes(m, at, "lhs_contracting_dims", in) ||
           try_axes(m, at, "rhs_contracting_dims",
                    t[node->in[1]].shape.n_dims) ||
           try_axes(m, at, "lhs_batch_dims", in);
  }
  if (spi_is_op(node, "transpose") || spi_is_op(node, "reverse") ||
      spi_is_op(node, "reduce")) {
    return try_axes(m, at, "dimensions", in);
  }
  return spi_is_op(node, "broadcast") && try_axes(m, at, "dimensions", out);
}

/* ---- positions ---- */

static uint32_t indices_from(const sp_node *node) {
  return spi_is_op(node, "dynamic-slice")          ? 1
         : spi_is_op(node, "dynamic-update-slice") ? 2
                                                   : UINT32_MAX;
}

/* Numbers that this program reads or writes slices at, and its own numbers. */
static uint32_t known_indices(spi_mender *m, uint32_t before, uint32_t *out) {
  const sp_program *p = m->program;
  uint32_t n = 0;
  for (uint32_t i = 0; i < before && n < MAX_INDICES; i++) {
    const sp_node *node = &p->nodes[i];
    for (uint32_t k = 0; k < node->n_out && n < MAX_INDICES; k++) {
      const sp_shape *s = &p->tensors[node->out + k].shape;
      if (s->n_dims == 0 && sp_dtype_is_int(s->dtype) &&
          !(m->loop == UINT32_MAX && spi_is_op(node, "constant"))) {
        out[n++] = node->out + k;
      }
    }
  }
  return n;
}

bool spi_try_position(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  uint32_t from = indices_from(node), known[MAX_INDICES];
  if (from >= node->n_in) {
    return false;
  }
  uint32_t n = known_indices(m, at, known);
  for (uint32_t k = from; k < node->n_in; k++) {
    for (uint32_t i = 0; i < n; i++) {
      uint32_t *in = sp_alloc_n(m->s->ctx, node->n_in + 1u, sizeof *in);
      sp_node *copy = sp_alloc(m->s->ctx, sizeof *copy);
      memcpy(in, node->in, node->n_in * sizeof *in);
      in[k] = known[i];
      *copy = *node;
      copy->in = in;
      spi_edit e = {.node = at, .becomes = copy};
      if (known[i] != node->in[k] &&
          spi_offer(m, &e,
                    "takes the wrong part along dimension %u (a stale or "
                    "shifted index, %s); at %s all results are right",
                    k - from, m->program->tensors[node->in[k]].name,
                    m->program->tensors[known[i]].name)) {
        return true;
      }
    }
  }
  return false;
}

/* ---- slices ---- */

enum { MAX_STARTS = 40, NEAR_STARTS = 16 };

typedef struct starts {
  int64_t v[MAX_STARTS];
  size_t n;
} starts;

static void add_start(starts *s, int64_t v, int64_t last) {
  for (size_t i = 0; i < s->n; i++) {
    if (s->v[i] == v) {
      return;
    }
  }
  if (v >= 0 && v <= last && s->n < MAX_STARTS) {
    s->v[s->n++] = v;
  }
}

/* Where other slices of the same tensor end or begin, multiples of the size,
 * and all places near the beginning. */
static void find_starts(spi_mender *m, const sp_node *node, size_t d,
                        int64_t size, int64_t last, starts *out) {
  const sp_program *p = m->program;
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_node *other = &p->nodes[i];
    if (spi_is_op(other, "slice") && other->in[0] == node->in[0]) {
      const sp_attr *lo = sp_node_attr(other, "slice_starts"),
                    *hi = sp_node_attr(other, "slice_limits");
      if (lo && hi && d < lo->n && d < hi->n) {
        add_start(out, hi->u.ints[d], last);
        add_start(out, lo->u.ints[d], last);
        add_start(out, lo->u.ints[d] - size, last);
      }
    }
  }
  for (int64_t k = 0; k < NEAR_STARTS; k++) {
    add_start(out, k, last);
  }
  for (int64_t k = 1; k < NEAR_STARTS && size > 0; k++) {
    add_start(out, k * size, last);
  }
}

static bool try_start(spi_mender *m, uint32_t at, size_t d, int64_t k) {
  const sp_node *node = &m->program->nodes[at];
  const sp_attr *lo = sp_node_attr(node, "slice_starts"),
                *hi = sp_node_attr(node, "slice_limits");
  int64_t *first = sp_alloc_n(m->s->ctx, lo->n + 1, sizeof *first);
  int64_t *limit = sp_alloc_n(m->s->ctx, lo->n + 1, sizeof *limit);
  memcpy(first, lo->u.ints, lo->n * sizeof *first);
  memcpy(limit, hi->u.ints, lo->n * sizeof *limit);
  first[d] = k;
  limit[d] += k - lo->u.ints[d];
  sp_attr a = {.kind = SP_ATTR_INTS, .u.ints = first, .n = lo->n};
  sp_attr b = {.kind = SP_ATTR_INTS, .u.ints = limit, .n = lo->n};
  sp_node *copy = spi_edit_attr(m->s->ctx, node, "slice_starts", a);
  copy = spi_edit_attr(m->s->ctx, copy, "slice_limits", b);
  spi_edit e = {.node = at, .becomes = copy};
  return k != lo->u.ints[d] &&
         spi_offer(m, &e,
                   "takes the wrong part: from %lld on along dimension %zu all "
                   "results are right, not from %lld",
                   (long long)k, d, (long long)lo->u.ints[d]);
}

/* A window of a tensor somewhere else. */
bool spi_try_slice(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  const sp_attr *lo = sp_node_attr(node, "slice_starts"),
                *hi = sp_node_attr(node, "slice_limits");
  if (!spi_is_op(node, "slice") || !lo || !hi || lo->n != hi->n || lo->n > 8) {
    return false;
  }
  const sp_shape *s = &m->program->tensors[node->in[0]].shape;
  for (size_t d = 0; d < lo->n && d < s->n_dims; d++) {
    int64_t size = hi->u.ints[d] - lo->u.ints[d];
    starts to = {.n = 0};
    find_starts(m, node, d, size, s->dims[d] - size, &to);
    for (size_t i = 0; i < to.n; i++) {
      if (try_start(m, at, d, to.v[i])) {
        return true;
      }
    }
  }
  return false;
}

bool spi_try_swapped(spi_mender *m, uint32_t at) {
  return strncmp(m->program->nodes[at].op, "hlo:", 4) == 0 &&
         (try_order(m, at) || try_direction(m, at));
}

bool spi_try_node(spi_mender *m, uint32_t at) {
  if (strncmp(m->program->nodes[at].op, "hlo:", 4) != 0) {
    return false;
  }
  return try_offset(m, at) || try_operator(m, at) || try_axes_of(m, at) ||
         spi_try_position(m, at) || spi_try_slice(m, at);
}
