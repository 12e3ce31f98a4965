/* sequential.c: definitions of the sequential side.
 *
 * Only tensors near the proved part are defined: those that anchors reach
 * without passing more than a few reductions. Making an anchor drops the
 * definitions below it and queues its users; refresh() then defines, in
 * program order, what has all its operands. So the cost of a check is linear
 * in the program, times the few anchors that see each tensor.
 */
#include "solve/layers.h"
#include "solve/machine.h"
#include "solve/repeated.h"
#include "solve/seen.h"
#include "solve/state.h"

enum { MAX_SIZE = 6000 }; /* terms of an inlined definition */
enum { MAX_DEMANDED = 64 };

uint32_t spi_seq_tensor(const sp_state *s, sp_sym sym) {
  /* Symbols of sequential tensors are made in order; see spi_seq_start. */
  uint32_t first = s->seq[0].sym.v;
  uint32_t t = sym.v - first;
  return sym.v >= first && t < s->seq_program->n_tensors &&
                 s->seq[t].sym.v == sym.v
             ? t
             : SP_NO_TENSOR;
}

/* ---- reading ---- */

typedef struct seq_env {
  sp_state *s;
  bool raw;
} seq_env;

/* In a ranked problem (solve/problem.h) every symbol of this side has the rank
 * as its first index, and definitions mention the variable s->rank. */
static sp_expr symbol_at(sp_state *s, uint32_t t, sp_expr rank,
                         const sp_expr *idx) {
  const int64_t *home = s->seq[t].home;
  sp_expr full[SP_MAX_DIMS + 1];
  uint32_t n = s->seq_program->tensors[t].shape.n_dims;
  if (!s->problem->ranked) {
    for (uint32_t d = 0; d < n; d++) {
      bool idle = s->seq[t].idle >> d & 1;
      const spi_digit *digit = s->seq[t].repeated;
      full[d] = idle ? sp_int(s->pool, 0)
                : digit && digit[d].n
                    ? spi_without_digit(s->pool, idx[d], digit[d])
                    : idx[d];
    }
    return sp_read(s->pool, s->seq[t].sym, full);
  }
  full[0] =
      home ? sp_table(s->pool, home, s->seq_program->partitions, rank) : rank;
  for (uint32_t d = 0; d < n; d++) {
    full[d + 1] = idx[d];
  }
  return sp_read(s->pool, s->seq[t].sym, full);
}

sp_expr spi_seq_symbol(sp_state *s, uint32_t t, const sp_expr *idx) {
  return symbol_at(s, t, s->rank, idx);
}

static sp_expr read_at(sp_state *s, uint32_t t, sp_expr rank,
                       const sp_expr *idx, bool raw) {
  seq_tensor *v = &s->seq[t];
  if (v->anchor) {
    return symbol_at(s, t, rank, idx);
  }
  if (v->alias) {
    return symbol_at(s, v->alias - 1, rank, idx);
  }
  uint32_t n = s->seq_program->tensors[t].shape.n_dims;
  sp_expr body = raw ? spi_seq_raw(s, t) : v->def;
  if (rank.v == s->rank.v || !s->problem->ranked) {
    return sp_subst(s->pool, body, n, v->idx, idx);
  }
  sp_expr from[SP_MAX_DIMS + 1], to[SP_MAX_DIMS + 1];
  for (uint32_t d = 0; d < n; d++) {
    from[d] = v->idx[d];
    to[d] = idx[d];
  }
  from[n] = s->rank;
  to[n] = rank;
  return sp_subst(s->pool, body, n + 1, from, to);
}

sp_expr spi_seq_read(sp_state *s, uint32_t t, const sp_expr *idx, bool raw) {
  return read_at(s, t, s->rank, idx, raw);
}

static sp_expr read_operand(void *env, const sp_call *call, uint32_t operand,
                            sp_expr rank, const sp_expr *idx) {
  const seq_env *e = env;
  return read_at(e->s, call->node->in[operand], rank, idx, e->raw);
}

/* What an operator of this side is evaluated in. */
static sp_call call_of(sp_state *s, uint32_t t, seq_env *env) {
  const sp_tensor *tensor = &s->seq_program->tensors[t];
  bool ranked = s->problem->ranked;
  return (sp_call){.pool = s->pool,
                   .program = s->seq_program,
                   .node = &s->seq_program->nodes[tensor->node],
                   .result = tensor->result,
                   .rank = ranked ? s->rank : sp_int(s->pool, 0),
                   .partitions = ranked ? s->seq_program->partitions : 1,
                   .env = env};
}

static void note(void *env, const char *sentence) {
  spi_assumption(((seq_env *)env)->s, sentence);
}

/* A loop without closed form: a name like that of an unknown operator. */
static sp_expr give_up(sp_state *s, uint32_t t) {
  seq_tensor *v = &s->seq[t];
  v->anchor = v->opaque = true;
  v->trouble = "a loop without a counterpart or closed form";
  return spi_seq_symbol(s, t, v->idx);
}

static sp_expr define(sp_state *s, uint32_t t, bool raw) {
  if (s->loop_open[s->seq_program->tensors[t].node]) {
    sp_expr loop = spi_loop_element(s, t, raw);
    return loop.v ? loop : give_up(s, t);
  }
  seq_env env = {s, raw};
  sp_call call = call_of(s, t, &env);
  call.read = read_operand;
  call.assume = note;
  sp_mode was = sp_pool_mode(s->pool, raw ? SP_MODE_RAW_INDEX : SP_MODE_NORMAL);
  sp_expr e = sp_op_element(&call, s->seq[t].idx);
  sp_pool_mode(s->pool, was);
  return e;
}

/* Raw definitions are asked for rarely and from deep inside: define what is
 * missing bottom-up, so that recursion does not follow the program. */
sp_expr spi_seq_raw(sp_state *s, uint32_t t) {
  SP_VEC(uint32_t) stack = {0};
  sp_push(s->ctx, &stack, t);
  while (stack.n) {
    uint32_t v = stack.v[stack.n - 1];
    if (s->seq[v].raw.v) {
      stack.n--;
      continue;
    }
    const sp_node *node =
        &s->seq_program->nodes[s->seq_program->tensors[v].node];
    bool waiting = false;
    for (uint32_t i = 0; i < node->n_in; i++) {
      const seq_tensor *in = &s->seq[node->in[i]];
      if (!in->anchor && !in->alias && !in->raw.v) {
        sp_push(s->ctx, &stack, node->in[i]);
        waiting = true;
      }
    }
    if (!waiting) {
      s->seq[v].raw = define(s, v, true);
      stack.n--;
    }
  }
  return s->seq[t].raw;
}

/* ---- the queue: a binary heap of tensor numbers ---- */

static void enqueue(sp_state *s, uint32_t t) {
  if (s->seq[t].queued) {
    return;
  }
  s->seq[t].queued = true;
  sp_push(s->ctx, &s->heap, t);
  uint32_t *h = s->heap.v;
  for (size_t i = s->heap.n - 1; i > 0 && h[(i - 1) / 2] > h[i];
       i = (i - 1) / 2) {
    uint32_t x = h[i];
    h[i] = h[(i - 1) / 2];
    h[(i - 1) / 2] = x;
  }
}

static uint32_t dequeue(sp_state *s) {
  uint32_t *h = s->heap.v;
  uint32_t top = h[0];
  h[0] = h[--s->heap.n];
  for (size_t i = 0;;) {
    size_t least = i, l = 2 * i + 1;
    if (l < s->heap.n && h[l] < h[least]) {
      least = l;
    }
    if (l + 1 < s->heap.n && h[l + 1] < h[least]) {
      least = l + 1;
    }
    if (least == i) {
      break;
    }
    uint32_t x = h[i];
    h[i] = h[least];
    h[least] = x;
    i = least;
  }
  s->seq[top].queued = false;
  return top;
}

static void enqueue_users(sp_state *s, uint32_t t) {
  for (uint32_t k = s->user_start[t]; k < s->user_start[t + 1]; k++) {
    enqueue(s, s->users[k]);
  }
}

/* ---- defining ---- */

bool spi_seq_defined(sp_state *s, uint32_t t) {
  const seq_tensor *v = &s->seq[t];
  return v->anchor || v->alias || v->def.v;
}

/* An anchor with the same definition: the same value. Proved like any step,
 * over the raw definitions. */
static bool visit_alias(sp_state *s, uint32_t t, void *env) {
  uint32_t v = *(uint32_t *)env;
  const sp_tensor *a = &s->seq_program->tensors[t];
  const sp_tensor *b = &s->seq_program->tensors[v];
  if (t == v || !s->seq[t].anchor || s->seq[t].def.v != s->seq[v].def.v ||
      !sp_shape_equal(&a->shape, &b->shape)) {
    return false;
  }
  sp_prover_about(s->prover,
                  sp_format(s->ctx, "%s = %s (sequential)", b->name, a->name));
  sp_expr raw = spi_seq_raw(s, v);
  if (raw.v != spi_seq_symbol(s, t, s->seq[v].idx).v &&
      !sp_prove_equal(s->prover, spi_seq_raw(s, t), raw, (sp_hyps){0})) {
    return false;
  }
  s->seq[v].alias = t + 1;
  return true;
}

bool spi_mixes_bits(const sp_state *s, sp_expr e) {
  return sp_kind_of(s->pool, e) == SP_KIND_FN &&
         sp_sort_of(s->pool, e) == SP_SORT_INT && sp_has_read(s->pool, e) &&
         !sp_has_red(s->pool, e);
}

static bool is_plain(const sp_state *s, sp_expr e) {
  sp_sort sort = sp_sort_of(s->pool, e);
  if (spi_mixes_bits(s, e)) {
    return false;
  }
  return sp_kind_of(s->pool, e) == SP_KIND_READ ||
         (!sp_has_red(s->pool, e) &&
          (sort != SP_SORT_REAL || !sp_has_read(s->pool, e)));
}

static void index_tensor(sp_state *s, uint32_t t) {
  seq_tensor *v = &s->seq[t];
  if (is_plain(s, v->def)) {
    return;
  }
  if (!v->anchor) {
    uint32_t self = t;
    if (spi_index_visit(s, SPI_FORM_PLAIN, sp_skeleton(s->pool, v->def),
                        visit_alias, &self)) {
      return;
    }
  }
  spi_index_add(s, SPI_FORM_PLAIN, v->def, t);
}

static void try_define(sp_state *s, uint32_t t) {
  seq_tensor *v = &s->seq[t];
  const sp_node *node = &s->seq_program->nodes[s->seq_program->tensors[t].node];
  if (v->def.v || v->alias || v->opaque) {
    return;
  }
  uint32_t heavy = 0;
  for (uint32_t i = 0; i < node->n_in; i++) {
    const seq_tensor *in = &s->seq[node->in[i]];
    if (!spi_seq_defined(s, node->in[i])) {
      return; /* its definition will queue us again */
    }
    uint32_t h = in->anchor || in->alias ? 0 : in->heavy;
    heavy = h > heavy ? h : heavy;
  }
  heavy += v->reduces;
  if (heavy > s->heavy_limit) {
    sp_push(s->ctx, &s->deferred, t);
    return;
  }
  v->def = spi_onehot(s->prover, define(s, t, false));
  v->heavy = sp_has_red(s->pool, v->def) ? heavy : 0; /* one-hot sums go */
  if (v->opaque) {                                    /* a loop */
    v->def = (sp_expr){0};
    enqueue_users(s, t);
    return;
  }
  if (spi_term_size(s->pool, v->def, MAX_SIZE) >= MAX_SIZE) {
    v->def = (sp_expr){0}; /* until more of it is proved */
    return;
  }
  index_tensor(s, t);
  if (!v->anchor) {
    enqueue_users(s, t);
  }
}

void spi_seq_refresh(sp_state *s, uint32_t heavy) {
  s->heavy_limit = heavy;
  for (size_t i = 0; i < s->deferred.n; i++) {
    enqueue(s, s->deferred.v[i]);
  }
  s->deferred.n = 0;
  while (s->heap.n) {
    try_define(s, dequeue(s));
  }
}

/* ---- anchors ---- */

/* Definitions that had t inlined are stale: those of its users, and of
 * theirs, up to anchors (whose own definitions are stale, too). */
static void drop_below(sp_state *s, uint32_t t) {
  SP_VEC(uint32_t) work = {0};
  sp_push(s->ctx, &work, t);
  while (work.n) {
    uint32_t v = work.v[--work.n];
    for (uint32_t k = s->user_start[v]; k < s->user_start[v + 1]; k++) {
      uint32_t u = s->users[k];
      seq_tensor *x = &s->seq[u];
      bool fresh = x->def.v || x->raw.v || x->expanded.v || x->unfolded.v ||
                   x->quotient.v || x->scaled.v;
      if (!fresh || x->opaque) {
        continue;
      }
      bool stop = x->alias || (x->anchor && sp_has_red(s->pool, x->def));
      x->def = x->raw = x->expanded = (sp_expr){0};
      x->unfolded = x->quotient = x->scaled = (sp_expr){0};
      enqueue(s, u);
      if (!stop) {
        sp_push(s->ctx, &work, u);
      }
    }
  }
}

static bool visit_same(sp_state *s, uint32_t t, void *env) {
  uint32_t anchor = *(uint32_t *)env;
  if (t != anchor && !s->seq[t].anchor && !s->seq[t].alias) {
    uint32_t self = t;
    if (visit_alias(s, anchor, &self)) {
      drop_below(s, t);
      enqueue_users(s, t);
    }
  }
  return false;
}

/* Dimensions that the definition does not mention (something was broadcast
 * before): any index there names the same element, and 0 is the name. */
static void find_idle(sp_state *s, uint32_t t) {
  seq_tensor *v = &s->seq[t];
  uint32_t n = s->seq_program->tensors[t].shape.n_dims;
  const sp_expr *vars;
  uint32_t n_vars = sp_free_vars(s->pool, v->def, &vars);
  for (uint32_t d = 0; d < n && !s->problem->ranked; d++) {
    bool mentioned = sp_kind_of(s->pool, v->idx[d]) != SP_KIND_VAR;
    for (uint32_t i = 0; i < n_vars; i++) {
      mentioned = mentioned || vars[i].v == v->idx[d].v;
    }
    if (mentioned) {
      continue;
    }
    sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
    sp_expr raw = spi_seq_raw(s, t), zero = sp_int(s->pool, 0);
    sp_expr first = sp_subst(s->pool, raw, 1, &v->idx[d], &zero);
    if (raw.v == first.v ||
        sp_prove_equal(s->prover, raw, first, (sp_hyps){0})) {
      v->idle |= UINT64_C(1) << d;
    }
    sp_pool_mode(s->pool, was);
  }
}

/* A name keeps what shows in the definition: that a softmax is positive (x / x
 * is 1), that positions are in range (which is proved). */
static void find_range(sp_state *s, uint32_t t) {
  sp_pool *p = s->pool;
  sp_sym sym = s->seq[t].sym;
  sp_mode was = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr raw = spi_seq_raw(s, t);
  int64_t lo, hi, low, high;
  if (sp_sym_sort(p, sym) == SP_SORT_REAL) {
    sp_sym_take_sign(p, sym, raw);
  } else if (sp_sym_sort(p, sym) == SP_SORT_INT && sp_range(p, raw, &lo, &hi) &&
             !sp_sym_range(p, sym, &low, &high) &&
             sp_prove_holds(s->prover, "range of a tensor",
                            sp_and(p, sp_le(p, sp_int(p, lo), raw),
                                   sp_le(p, raw, sp_int(p, hi))),
                            (sp_hyps){0})) {
    sp_sym_set_range(p, sym, lo, hi);
  }
  sp_pool_mode(p, was);
}

static void find_repeated(sp_state *s, uint32_t t) {
  uint32_t n = s->seq_program->tensors[t].shape.n_dims;
  spi_digit *digits = NULL;
  for (uint32_t d = 0; d < n && !s->problem->ranked; d++) {
    spi_digit g = spi_repeated_digit(s, t, d);
    if (g.n && !digits) {
      digits = sp_alloc_n(s->ctx, n, sizeof *digits);
    }
    if (g.n) {
      digits[d] = g;
    }
  }
  s->seq[t].repeated = digits;
}

void spi_seq_make_anchor(sp_state *s, uint32_t t) {
  seq_tensor *v = &s->seq[t];
  if (v->anchor) {
    return;
  }
  spi_layers_anchor(s->layers, t);
  v->anchor = true;
  if (v->def.v) {
    find_idle(s, t);
    find_repeated(s, t);
    find_range(s, t);
    spi_index_visit(s, SPI_FORM_PLAIN, sp_skeleton(s->pool, v->def), visit_same,
                    &t);
  }
  drop_below(s, t);
  enqueue_users(s, t);
}

void spi_seq_follow(sp_state *s, uint32_t t, uint32_t like) {
  seq_tensor *v = &s->seq[t];
  v->anchor = v->asleep = true;
  v->idle = s->seq[like].idle;
  v->repeated = s->seq[like].repeated;
  sp_sym_copy_facts(s->pool, v->sym, s->seq[like].sym);
  drop_below(s, t);
}

static void wake(sp_state *s, sp_expr e, spi_seen *seen) {
  sp_pool *p = s->pool;
  if (!sp_has_read(p, e) || spi_seen_before(seen, e)) {
    return;
  }
  if (sp_kind_of(p, e) == SP_KIND_READ) {
    uint32_t t = spi_seq_tensor(s, sp_read_sym(p, e));
    if (t != SP_NO_TENSOR && s->seq[t].asleep) {
      s->seq[t].asleep = false;
      enqueue_users(s, t);
    }
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    wake(s, sp_arg(p, e, i), seen);
  }
}

void spi_seq_wake(sp_state *s, sp_expr e) {
  if (!spi_layers_used(s->layers)) {
    return;
  }
  sp_mark mark = sp_scratch_mark(s->ctx);
  spi_seen seen = {.ctx = s->ctx};
  wake(s, e, &seen);
  sp_scratch_release(s->ctx, mark);
}

bool spi_seq_demand(sp_state *s, uint32_t t, uint32_t heavy) {
  SP_VEC(uint32_t) work = {0};
  if (!spi_seq_defined(s, t)) {
    sp_push(s->ctx, &work, t);
  }
  for (size_t i = 0; i < work.n && i < MAX_DEMANDED; i++) {
    const sp_node *node =
        &s->seq_program->nodes[s->seq_program->tensors[work.v[i]].node];
    enqueue(s, work.v[i]);
    for (uint32_t k = 0; k < node->n_in; k++) {
      if (!spi_seq_defined(s, node->in[k])) {
        sp_push(s->ctx, &work, node->in[k]);
      }
    }
  }
  spi_seq_refresh(s, heavy);
  return spi_seq_defined(s, t);
}

/* ---- starting ---- */

static void build_users(sp_state *s) {
  const sp_program *p = s->seq_program;
  uint32_t n = p->n_tensors;
  s->user_start = sp_alloc_n(s->ctx, (size_t)n + 2, sizeof *s->user_start);
  for (uint32_t k = 0; k < p->n_nodes; k++) {
    for (uint32_t i = 0; i < p->nodes[k].n_in; i++) {
      s->user_start[p->nodes[k].in[i] + 2] += p->nodes[k].n_out;
    }
  }
  for (uint32_t t = 0; t < n; t++) {
    s->user_start[t + 2] += s->user_start[t + 1];
  }
  s->users = sp_alloc_n(s->ctx, s->user_start[n + 1] + 1u, sizeof *s->users);
  for (uint32_t k = 0; k < p->n_nodes; k++) {
    for (uint32_t i = 0; i < p->nodes[k].n_in; i++) {
      for (uint32_t o = 0; o < p->nodes[k].n_out; o++) {
        s->users[s->user_start[p->nodes[k].in[i] + 1]++] = p->nodes[k].out + o;
      }
    }
  }
}

/* An operand as a plain symbol: to see whether an operator reduces. */
static sp_expr read_symbol(void *env, const sp_call *call, uint32_t operand,
                           sp_expr rank, const sp_expr *idx) {
  return symbol_at(((seq_env *)env)->s, call->node->in[operand], rank, idx);
}

typedef struct classify_env {
  sp_state *s;
  uint32_t tensor;
} classify_env;

/* Raises SP_ERR_UNKNOWN where the operator has no meaning for us. */
static void classify(sp_ctx *ctx, void *arg) {
  classify_env *c = arg;
  sp_state *s = c->s;
  seq_env env = {s, true};
  sp_call call = call_of(s, c->tensor, &env);
  call.read = read_symbol;
  sp_op_check(ctx, s->seq_program, call.node);
  sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  sp_expr e = sp_op_element(&call, s->seq[c->tensor].idx);
  sp_pool_mode(s->pool, SP_MODE_NORMAL);
  s->seq[c->tensor].reduces = sp_has_red(s->pool, e);
}

static void start_tensor(sp_state *s, uint32_t t) {
  seq_tensor *v = &s->seq[t];
  if (s->seq_program->tensors[t].shape.dtype == SP_DTYPE_INVALID) {
    v->anchor = v->opaque = true; /* a result that nothing reads */
    v->trouble = "its shape is not in the text";
  }
  if (s->loop_open[s->seq_program->tensors[t].node]) {
    v->reduces = true;
  } else if (!v->opaque) {
    classify_env c = {s, t};
    sp_code code = sp_protect(s->ctx, classify, &c);
    sp_pool_mode(s->pool, SP_MODE_NORMAL);
    if (code == SP_ERR_UNKNOWN || code == SP_ERR_LIMIT) {
      v->anchor = v->opaque = true; /* a symbol without definition */
      v->trouble = sp_strdup(s->ctx, sp_ctx_error(s->ctx)->message);
    } else if (code != SP_OK) {
      sp_error e = *sp_ctx_error(s->ctx);
      sp_raise(s->ctx, code, e.loc, e.hint, "%s", e.message);
    }
  }
  if (v->opaque) {
    enqueue_users(s, t);
  } else if (s->seq_program->nodes[s->seq_program->tensors[t].node].n_in == 0) {
    enqueue(s, t);
  }
}

void spi_seq_start(sp_state *s) {
  const sp_program *p = s->seq_program;
  build_users(s);
  s->seq = sp_alloc_n(s->ctx, (size_t)p->n_tensors + 1, sizeof *s->seq);
  s->loop_used = sp_alloc_n(s->ctx, p->n_nodes + 1u, sizeof *s->loop_used);
  s->loop_open = sp_alloc_n(s->ctx, p->n_nodes + 1u, sizeof *s->loop_open);
  s->loop_end = sp_alloc_n(s->ctx, p->n_nodes + 1u, sizeof *s->loop_end);
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    const sp_tensor *tensor = &p->tensors[t];
    uint32_t n = tensor->shape.n_dims, first = s->problem->ranked;
    int64_t *extents = sp_alloc_n(s->ctx, n + 1u, sizeof *extents);
    extents[0] = p->partitions;
    for (uint32_t d = 0; d < n; d++) {
      extents[first + d] = tensor->shape.dims[d];
    }
    s->seq[t].sym =
        sp_sym_new(s->pool, tensor->name, sp_dtype_sort(tensor->shape.dtype),
                   first + n, extents);
    s->seq[t].idx = spi_index_vars(s, &tensor->shape);
  }
  for (uint32_t i = 0; i < p->n_params; i++) {
    s->seq[p->params[i]].anchor = s->seq[p->params[i]].opaque = true;
  }
}

void spi_seq_give(sp_state *s, uint32_t t) {
  s->seq[t].anchor = s->seq[t].opaque = true;
}

void spi_seq_fix(sp_state *s, uint32_t t, sp_expr e) {
  seq_tensor *v = &s->seq[t];
  v->anchor = false;
  v->opaque = true; /* never redefined */
  v->def = v->raw = e;
}

bool spi_has_loop(const sp_program *p) {
  for (uint32_t k = 0; p && k < p->n_nodes; k++) {
    if (spi_is_loop(&p->nodes[k])) {
      return true;
    }
  }
  return false;
}

void spi_seq_classify(sp_state *s) {
  const sp_program *p = s->seq_program;
  bool alone = !spi_has_loop(s->dist_program) && !s->problem->ranked;
  for (uint32_t k = 0; k < p->n_nodes && alone; k++) {
    s->loop_open[k] = spi_is_loop(&p->nodes[k]);
  }
  for (uint32_t t = 0; t < s->seq_program->n_tensors; t++) {
    start_tensor(s, t);
  }
}
