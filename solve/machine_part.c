/* machine_part.c: running only what some elements need. Read
 * sp_machine_restrict.
 *
 * Forward over the program: each tensor's element term, and where it is zero
 * for sure (machine_zero.h). Backward: of each tensor the indices that are
 * needed, a set for each dimension, by looking at the indices of all reads. An
 * index that is computed from values needs the whole dimension. Then a tensor
 * is stored as an array over the positions of its indices, and reads of it are
 * turned into reads of that array; from there on all is as for whole tensors.
 * Loops and operators that work on whole slices need and give whole tensors.
 */
#include "solve/machine.h"
#include "solve/machine_zero.h"

#include <string.h>

#include "base/arith.h"

typedef struct part {
  sp_sym full; /* what the terms read */
  spi_known known;
  bool reached; /* on the way from inputs to targets */
  bool input;
  bool whole;   /* its operator works on whole tensors */
  bool indices; /* integers or masks that read no tensor: their term is used */
  bool dense;   /* what is surely zero is stored as well */
  bool needed;
  sp_span *need, *stored; /* by dimension */
  sp_span ranks;          /* that need it */
  sp_expr *idx, term;     /* over the whole tensor; then over what is stored */
} part;

struct spi_selection {
  sp_machine *m;
  spi_zeros zeros;
  part *v;          /* by tensor */
  uint32_t *of_sym; /* tensor + 1 by symbol number, from first_sym on */
  uint32_t first_sym, n_syms;
  bool promised; /* by the operator that is looked at */
};

typedef struct spi_selection selection;

static const sp_shape *shape_of(const selection *s, uint32_t t) {
  return &s->m->program->tensors[t].shape;
}

/* UINT32_MAX: the symbol of no tensor. */
static uint32_t tensor_of(const selection *s, sp_sym sym) {
  return sym.v >= s->first_sym && sym.v - s->first_sym < s->n_syms
             ? s->of_sym[sym.v - s->first_sym] - 1
             : UINT32_MAX;
}

static const spi_known *known_of(void *env, sp_sym sym) {
  const selection *s = env;
  uint32_t t = tensor_of(s, sym);
  return t == UINT32_MAX ? NULL : &s->v[t].known;
}

/* ---- starting ---- */

static selection *new_selection(sp_machine *m) {
  spi_engine *e = m->e;
  selection *s = sp_alloc(e->ctx, sizeof *s);
  uint32_t n = m->program->n_tensors;
  s->m = m;
  s->zeros = (spi_zeros){e->pool, known_of, s, e->rank};
  s->v = sp_alloc_n(e->ctx, n + 1u, sizeof *s->v);
  for (uint32_t t = 0; t < n; t++) {
    const machine_tensor *x = &m->tensors[t];
    s->v[t].ranks = spi_span_none();
    s->v[t].full = sp_sym_new(e->pool, m->program->tensors[t].name, x->sort,
                              sp_sym_n_args(e->pool, x->sym),
                              sp_sym_extents(e->pool, x->sym));
    s->first_sym = t == 0 ? s->v[t].full.v : s->first_sym;
    s->n_syms = s->v[t].full.v - s->first_sym + 1;
  }
  s->of_sym = sp_alloc_n(e->ctx, s->n_syms + 1u, sizeof *s->of_sym);
  for (uint32_t t = 0; t < n; t++) {
    s->of_sym[s->v[t].full.v - s->first_sym] = t + 1;
  }
  return s;
}

static sp_span *all_of(const selection *s, uint32_t t) {
  const sp_shape *shape = shape_of(s, t);
  sp_span *v = sp_alloc_n(s->m->e->ctx, shape->n_dims + 1u, sizeof *v);
  for (uint32_t d = 0; d < shape->n_dims; d++) {
    v[d] = spi_span_all(shape->dims[d]);
  }
  return v;
}

static void reach(selection *s, size_t n, const sp_part *targets) {
  const sp_program *p = s->m->program;
  for (size_t i = 0; i < n; i++) {
    s->v[targets[i].tensor].reached = true;
  }
  for (uint32_t i = p->n_nodes; i-- > 0;) {
    const sp_node *node = &p->nodes[i];
    bool any = false;
    for (uint32_t k = 0; k < node->n_out; k++) {
      const part *x = &s->v[node->out + k];
      any = any || (x->reached && !x->input);
    }
    for (uint32_t k = 0; any && k < node->n_in; k++) {
      s->v[node->in[k]].reached = true;
    }
  }
}

/* ---- forward ---- */

/* Indices are always simplified, values only where the machine does that. */
static sp_expr plain(sp_pool *p, sp_expr index) {
  sp_mode was = sp_pool_mode(p, SP_MODE_NORMAL);
  index = sp_simplify(p, index);
  sp_pool_mode(p, was);
  return index;
}

static sp_expr read_full(void *env, const sp_call *call, uint32_t operand,
                         sp_expr rank, const sp_expr *idx) {
  const selection *s = env;
  uint32_t t = call->node->in[operand];
  sp_expr at[SP_MAX_DIMS + 1];
  at[0] =
      spi_same_index(call->node) && operand == 0 ? sp_int(call->pool, 0) : rank;
  for (uint32_t d = 0; d < shape_of(s, t)->n_dims; d++) {
    at[d + 1] = plain(call->pool, idx[d]);
  }
  return sp_read(call->pool, s->v[t].full, at);
}

/* Offsets and positions are known without running: where they are used as
 * indices, not all of a dimension is needed. */
static sp_expr read_indices(void *env, sp_pool *p, sp_expr e) {
  const selection *s = env;
  uint32_t t = sp_kind_of(p, e) == SP_KIND_READ
                   ? tensor_of(s, sp_read_sym(p, e))
                   : UINT32_MAX;
  if (t == UINT32_MAX || !s->v[t].indices) {
    return (sp_expr){0};
  }
  sp_expr vars[SP_MAX_DIMS + 1], values[SP_MAX_DIMS + 1];
  uint32_t n = 0;
  for (uint32_t k = 0; k < sp_n_args(p, e); k++) {
    int64_t lo, hi;
    vars[n] = k ? s->v[t].idx[k - 1] : s->m->e->rank;
    values[n] = plain(p, sp_map(p, sp_arg(p, e, k), read_indices, env));
    if (k && (!sp_range(p, values[n], &lo, &hi) || lo < 0 ||
              hi >= shape_of(s, t)->dims[k - 1])) {
      return (sp_expr){0}; /* perhaps outside: that must be seen */
    }
    n += sp_kind_of(p, vars[n]) == SP_KIND_VAR;
  }
  return sp_subst(p, s->v[t].term, n, vars, values);
}

typedef struct defining {
  selection *s;
  const sp_node *node;
  uint32_t result;
} defining;

static sp_expr see_slice(void *env, sp_pool *p, sp_expr e) {
  bool *found = env;
  *found = *found || (sp_kind_of(p, e) == SP_KIND_RED &&
                      sp_red_op_of(p, e) == SP_RED_LAMBDA);
  return *found ? e : (sp_expr){0};
}

static void see_promise(void *env, sp_expr holds) {
  selection *s = env;
  s->promised = s->promised || holds.v;
}

static void define(sp_ctx *ctx, void *arg) {
  defining *x = arg;
  selection *s = x->s;
  sp_pool *p = s->zeros.pool;
  uint32_t t = x->node->out + x->result, n = shape_of(s, t)->n_dims;
  part *own = &s->v[t];
  sp_op_check(ctx, s->m->program, x->node);
  own->idx = sp_alloc_n(ctx, n + 1u, sizeof *own->idx);
  for (uint32_t d = 0; d < n; d++) {
    own->idx[d] = sp_var(p, SP_VAR_INDEX, sp_format(ctx, "i%u", d),
                         shape_of(s, t)->dims[d]);
  }
  sp_call call = {.pool = p,
                  .program = s->m->program,
                  .node = x->node,
                  .result = x->result,
                  .rank = s->m->e->rank,
                  .partitions = s->m->e->ranks,
                  .read = read_full,
                  .env = s,
                  .promise = see_promise};
  s->promised = false;
  sp_expr e = sp_map(p, sp_op_element(&call, own->idx), read_indices, s);
  bool slices = s->promised; /* looked at for all elements */
  sp_map(p, e, see_slice, &slices);
  if (slices) {
    own->whole = true;
    return;
  }
  own->term = spi_sum_less(&s->zeros, e);
  if (sp_sort_of(p, e) != SP_SORT_REAL) {
    own->indices = !sp_has_read(p, e);
    return;
  }
  own->known = spi_term_known(&s->zeros, own->term);
  sp_span *support = all_of(s, t);
  for (uint32_t d = 0; d < n; d++) {
    if (sp_kind_of(p, own->idx[d]) == SP_KIND_VAR) {
      support[d] = spi_support(&s->zeros, own->term, own->idx[d]);
    }
  }
  own->known.support = support;
  own->known.idx = own->idx;
}

static void define_node(selection *s, const sp_node *node) {
  for (uint32_t k = 0; k < node->n_out; k++) {
    part *x = &s->v[node->out + k];
    defining job = {s, node, k};
    if (!x->reached || x->input || s->m->tensors[node->out + k].n == 0) {
      continue;
    }
    /* What has no values says so when it is to be computed. */
    x->whole = spi_is_loop(node) ||
               sp_protect(s->m->e->ctx, define, &job) != SP_OK || x->whole;
  }
}

/* ---- backward ---- */

static sp_span all_ranks(const selection *s) {
  return spi_span_all(s->m->e->ranks);
}

static void need_spans(selection *s, uint32_t t, const sp_span *spans,
                       sp_span ranks) {
  part *x = &s->v[t];
  const sp_shape *shape = shape_of(s, t);
  x->ranks = spi_span_union(s->m->e->ctx, x->ranks, ranks, s->m->e->ranks);
  if (!x->needed) {
    x->needed = true;
    x->need = sp_alloc_n(s->m->e->ctx, shape->n_dims + 1u, sizeof *x->need);
    memcpy(x->need, spans, shape->n_dims * sizeof *x->need);
    return;
  }
  for (uint32_t d = 0; d < shape->n_dims; d++) {
    x->need[d] =
        spi_span_union(s->m->e->ctx, x->need[d], spans[d], shape->dims[d]);
  }
}

static void need_whole(selection *s, uint32_t t) {
  need_spans(s, t, all_of(s, t), all_ranks(s));
  s->v[t].dense = true;
}

static sp_expr see_read(void *env, sp_pool *p, sp_expr e) {
  selection *s = env;
  uint32_t t = sp_kind_of(p, e) == SP_KIND_READ
                   ? tensor_of(s, sp_read_sym(p, e))
                   : UINT32_MAX;
  if (t == UINT32_MAX) {
    return (sp_expr){0};
  }
  sp_span *spans = all_of(s, t);
  for (uint32_t d = 1; d < sp_n_args(p, e); d++) {
    sp_expr index = plain(p, sp_arg(p, e, d));
    spans[d - 1] = spi_span_image(p, index, spans[d - 1].n);
    sp_map(p, index, see_read, s);
  }
  sp_expr rank = plain(p, sp_arg(p, e, 0));
  need_spans(s, t, spans, spi_span_image(p, rank, s->m->e->ranks));
  return e;
}

/* What the term reads where the tensor is needed: on some ranks. */
static void see_reads(selection *s, const part *x) {
  sp_pool *p = s->zeros.pool;
  sp_expr rank = s->m->e->rank, term = x->term;
  if (x->ranks.at && sp_kind_of(p, rank) == SP_KIND_VAR) {
    sp_expr lane = sp_var(p, SP_VAR_INDEX, "r", x->ranks.n);
    sp_expr at = spi_span_term(p, x->ranks, lane);
    term = sp_subst(p, term, 1, &rank, &at);
  }
  sp_map(p, term, see_read, s);
}

/* What is stored of a needed tensor, and its term there. */
static void settle(selection *s, uint32_t t) {
  part *x = &s->v[t];
  sp_ctx *ctx = s->m->e->ctx;
  sp_pool *p = s->zeros.pool;
  uint32_t n = shape_of(s, t)->n_dims;
  bool empty = s->m->tensors[t].n == 0;
  x->stored = all_of(s, t);
  sp_expr *lanes = sp_alloc_n(ctx, n + 1u, sizeof *lanes);
  sp_expr from[SP_MAX_DIMS], to[SP_MAX_DIMS];
  uint32_t changed = 0;
  for (uint32_t d = 0; d < n && !x->whole; d++) {
    x->stored[d] = x->known.support && !x->dense
                       ? spi_span_meet(ctx, x->need[d], x->known.support[d])
                       : x->need[d];
    empty = empty || x->stored[d].n == 0;
  }
  if (x->input || x->whole || empty) {
    return;
  }
  for (uint32_t d = 0; d < n; d++) {
    lanes[d] =
        sp_var(p, SP_VAR_INDEX, sp_format(ctx, "i%u", d), x->stored[d].n);
    if (sp_kind_of(p, x->idx[d]) == SP_KIND_VAR) {
      from[changed] = x->idx[d];
      to[changed++] = spi_span_term(p, x->stored[d], lanes[d]);
    }
  }
  x->term = sp_subst(p, x->term, changed, from, to);
  x->idx = lanes;
  see_reads(s, x);
}

static void need_of_node(selection *s, const sp_node *node) {
  for (uint32_t k = 0; k < node->n_out; k++) {
    part *x = &s->v[node->out + k];
    if (!x->needed) {
      continue;
    }
    settle(s, node->out + k);
    for (uint32_t i = 0; x->whole && !x->input && i < node->n_in; i++) {
      need_whole(s, node->in[i]);
    }
    if (spi_same_index(node) && !x->input) {
      need_whole(s, node->in[0]); /* it is compared with that of all others */
    }
  }
  if (!spi_is_loop(node)) {
    return;
  }
  for (uint32_t k = 0; k < node->n_out; k++) { /* a loop gives all or nothing */
    part *x = &s->v[node->out + k];
    if (s->v[node->out].needed && !x->input) {
      x->whole = true;
      need_whole(s, node->out + k);
      settle(s, node->out + k);
    }
  }
}

/* From now on the machine stores what was settled. */
static void apply(selection *s) {
  sp_machine *m = s->m;
  sp_pool *p = m->e->pool;
  for (uint32_t t = 0; t < m->program->n_tensors; t++) {
    part *x = &s->v[t];
    machine_tensor *to = &m->tensors[t];
    uint32_t n = shape_of(s, t)->n_dims;
    if (to->no_type) {
      continue;
    }
    if (!x->stored) {
      x->stored = all_of(s, t);
    }
    int64_t *extents = sp_alloc_n(m->e->ctx, n + 1u, sizeof *extents);
    extents[0] = m->e->ranks;
    to->n = x->needed ? 1 : 0;
    to->ranks = x->whole && !x->input ? all_ranks(s) : x->ranks;
    for (uint32_t d = 0; d < n; d++) {
      extents[d + 1] = x->stored[d].n;
      to->n = sp_mul_sat(to->n, x->stored[d].n);
    }
    to->sym =
        sp_sym_new(p, m->program->tensors[t].name, to->sort, n + 1, extents);
  }
  m->selection = s;
}

void sp_machine_restrict(sp_machine *m, size_t n_targets,
                         const sp_part *targets, size_t n_inputs,
                         const sp_part *inputs) {
  const sp_program *p = m->program;
  sp_mode was = sp_pool_mode(m->e->pool,
                             m->e->options.raw ? SP_MODE_RAW : SP_MODE_NORMAL);
  selection *s = new_selection(m);
  for (size_t i = 0; i < n_inputs; i++) {
    part *x = &s->v[inputs[i].tensor];
    x->input = true;
    x->known.finite = x->known.below = true;
    x->known.support = inputs[i].spans;
  }
  reach(s, n_targets, targets);
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    define_node(s, &p->nodes[i]);
  }
  for (size_t i = 0; i < n_targets; i++) {
    uint32_t t = targets[i].tensor;
    need_spans(s, t, targets[i].spans ? targets[i].spans : all_of(s, t),
               targets[i].ranks.n ? targets[i].ranks : all_ranks(s));
    s->v[t].dense = true;
  }
  for (uint32_t i = p->n_nodes; i-- > 0;) {
    need_of_node(s, &p->nodes[i]);
  }
  apply(s);
  sp_pool_mode(m->e->pool, was);
}

/* ---- reading what is stored ---- */

/* The positions of an index by the points of its variables: as an affine
 * function of them, or as a table. Negative: surely zero. 0 (none): it goes
 * outside of the tensor, or has too many points. */
static sp_expr by_points(sp_pool *p, sp_expr index, sp_span stored,
                         int64_t extent, bool *zeros) {
  spi_points x;
  if (!spi_points_of(p, index, &x) || x.n == 0) {
    return (sp_expr){0};
  }
  int64_t *at = sp_scratch(sp_pool_ctx(p), (size_t)x.size * sizeof *at + 1);
  int64_t steps[SP_MAX_DIMS], stride = 1, i, v;
  for (i = 0; i < x.size; i++, spi_points_next(&x)) {
    if (!spi_points_value(p, &x, index, &v) || v < 0 || v >= extent) {
      return (sp_expr){0};
    }
    at[i] = spi_span_find(stored, v);
    *zeros = *zeros || at[i] < 0;
  }
  sp_expr affine = sp_int(p, at[0]);
  for (uint32_t k = x.n; k-- > 0; stride *= x.extents[k]) {
    steps[k] = x.extents[k] > 1 ? at[stride] - at[0] : 0;
    affine = sp_iadd(p, affine, sp_iscale(p, x.vars[k], steps[k]));
  }
  for (i = 0; i < x.size; i++, spi_points_next(&x)) {
    int64_t want = at[0];
    for (uint32_t k = 0; k < x.n; k++) {
      want += steps[k] * x.at[k];
    }
    if (want != at[i]) {
      sp_sym table = sp_sym_table_int(p, SP_SORT_INT, x.n, x.extents, at);
      return sp_read(p, table, x.vars);
    }
  }
  return affine;
}

/* By a table over the whole dimension: so a read outside is still one. */
static sp_expr by_extent(sp_pool *p, sp_expr index, sp_span stored,
                         int64_t extent, bool *zeros) {
  int64_t *at = sp_scratch(sp_pool_ctx(p), (size_t)extent * sizeof *at + 1);
  for (int64_t i = 0; i < extent; i++) {
    at[i] = -1;
  }
  for (int64_t i = 0; i < stored.n; i++) {
    at[spi_span_at(stored, i)] = i;
  }
  *zeros = true;
  sp_sym table = sp_sym_table_int(p, SP_SORT_INT, 1, &extent, at);
  return sp_read(p, table, &index);
}

static sp_expr position_of(sp_pool *p, sp_expr index, sp_span stored,
                           int64_t extent, bool support, bool *zeros) {
  int64_t first;
  if (!stored.at) {
    return index;
  }
  if (!support && spi_span_is_run(stored, &first)) {
    return sp_iaddc(p, index, -first);
  }
  sp_mark mark = sp_scratch_mark(sp_pool_ctx(p));
  sp_expr e = by_points(p, index, stored, extent, zeros);
  e = e.v ? e : by_extent(p, index, stored, extent, zeros);
  sp_scratch_release(sp_pool_ctx(p), mark);
  return e;
}

/* As the element of an array: a product with the number 0 would be 0 whatever
 * the other factors are. */
static sp_expr zero_element(sp_pool *p) {
  const int64_t extent = 1;
  const sp_num value = sp_num_value(p, sp_real_i64(p, 0));
  const sp_expr at = sp_int(p, 0);
  return sp_read(p, sp_sym_table_num(p, 1, &extent, &value), &at);
}

static sp_expr read_stored(void *env, sp_pool *p, sp_expr e) {
  const selection *s = env;
  uint32_t t = sp_kind_of(p, e) == SP_KIND_READ
                   ? tensor_of(s, sp_read_sym(p, e))
                   : UINT32_MAX;
  if (t == UINT32_MAX) {
    return (sp_expr){0};
  }
  const part *x = &s->v[t];
  const sp_shape *shape = shape_of(s, t);
  sp_expr at[SP_MAX_DIMS + 1], index[SP_MAX_DIMS], none = sp_bool(p, false);
  at[0] = sp_arg(p, e, 0);
  for (uint32_t d = 0; d < shape->n_dims; d++) {
    index[d] = sp_map(p, sp_arg(p, e, d + 1), read_stored, env);
  }
  sp_mode was = sp_pool_mode(p, SP_MODE_NORMAL);
  for (uint32_t d = 0; d < shape->n_dims; d++) {
    bool support = x->known.support && !x->dense && x->known.support[d].at;
    bool zeros = false;
    at[d + 1] = position_of(p, sp_simplify(p, index[d]), x->stored[d],
                            shape->dims[d], support, &zeros);
    if (zeros && support) {
      none = sp_or(p, none, sp_lt(p, at[d + 1], sp_int(p, 0)));
    }
  }
  sp_pool_mode(p, was);
  if (sp_is_true(p, none)) {
    return zero_element(p);
  }
  sp_expr read = sp_read(p, s->m->tensors[t].sym, at);
  return sp_is_false(p, none) ? read : sp_ite(p, none, sp_real_i64(p, 0), read);
}

bool spi_part_definition(const sp_machine *m, uint32_t tensor,
                         spi_compiled *c) {
  const selection *s = m->selection;
  const part *x = s ? &s->v[tensor] : NULL;
  if (!x || x->whole) {
    return false;
  }
  int64_t *dims = sp_alloc_n(m->e->ctx, c->shape.n_dims + 1u, sizeof *dims);
  for (uint32_t d = 0; d < c->shape.n_dims; d++) {
    dims[d] = x->stored[d].n;
  }
  c->shape.dims = dims;
  c->idx = x->idx;
  c->term = sp_map(m->e->pool, x->term, read_stored, (void *)(uintptr_t)s);
  return true;
}

/* ---- looking ---- */

int64_t sp_machine_count(const sp_machine *m, uint32_t tensor) {
  return m->tensors[tensor].n;
}

sp_span sp_machine_span(const sp_machine *m, uint32_t tensor, uint32_t dim) {
  return m->selection
             ? m->selection->v[tensor].stored[dim]
             : spi_span_all(m->program->tensors[tensor].shape.dims[dim]);
}

sp_span sp_machine_ranks_of(const sp_machine *m, uint32_t tensor) {
  return m->tensors[tensor].ranks;
}

int64_t sp_machine_where(const sp_machine *m, uint32_t tensor, int64_t at,
                         int64_t *idx) {
  const sp_shape *shape = &m->program->tensors[tensor].shape;
  int64_t flat = 0, stride = 1;
  for (uint32_t d = shape->n_dims; d-- > 0;) {
    sp_span stored = sp_machine_span(m, tensor, d);
    idx[d] = spi_span_at(stored, at % stored.n);
    at /= stored.n;
    flat += idx[d] * stride;
    stride *= shape->dims[d];
  }
  return flat;
}

bool sp_machine_at(const sp_machine *m, uint32_t tensor, int64_t rank,
                   const int64_t *idx, double *value) {
  const sp_shape *shape = &m->program->tensors[tensor].shape;
  const part *x = m->selection ? &m->selection->v[tensor] : NULL;
  int64_t flat = 0;
  *value = 0;
  for (uint32_t d = 0; d < shape->n_dims; d++) {
    sp_span stored = sp_machine_span(m, tensor, d);
    int64_t at = spi_span_find(stored, idx[d]);
    if (at < 0) { /* not needed, or zero for sure */
      return x && x->known.support &&
             spi_span_find(x->known.support[d], idx[d]) < 0;
    }
    flat = flat * stored.n + at;
  }
  if (!m->tensors[tensor].values || m->tensors[tensor].n == 0 ||
      spi_span_find(m->tensors[tensor].ranks, rank) < 0) {
    return false;
  }
  *value = sp_machine_value(m, tensor, rank, flat);
  return true;
}
