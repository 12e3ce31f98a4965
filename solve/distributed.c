/* distributed.c: definitions of the distributed side: operands by their
 * relation, or by their own definition where they have none. */
#include "solve/seen.h"
#include "solve/state.h"

/* Definitions of unrelated tensors are inlined up to this: so many reductions
 * above each other (NESTED of them in each other), so many terms; more (the
 * second number a rank) where there are many ranks: a ring has a step for each,
 * of a few reductions. */
enum { HEAVY = 48, HEAVY_RANK = 3, SIZE = 6000, SIZE_RANK = 250, NESTED = 12 };
enum { RANKS_MAX = 64 };

static uint32_t limit(const sp_state *s, uint32_t least, uint32_t a_rank) {
  int64_t ranks = s->dist_program->partitions;
  uint32_t most = a_rank * (uint32_t)(ranks < RANKS_MAX ? ranks : RANKS_MAX);
  return most < least ? least : most;
}

static bool is_too_large(const sp_state *s, sp_expr e) {
  uint32_t most = limit(s, SIZE, SIZE_RANK);
  return spi_term_size(s->pool, e, most) >= most;
}

typedef struct dist_env {
  sp_state *s;
  bool raw;
} dist_env;

sp_expr spi_dist_read(sp_state *s, uint32_t t, sp_expr rank, const sp_expr *idx,
                      bool raw) {
  dist_tensor *w = &s->dist[t];
  uint32_t n = s->dist_program->tensors[t].shape.n_dims;
  sp_expr body = w->relation;
  if (!body.v) {
    body = raw ? spi_dist_raw(s, t) : spi_dist_def(s, t);
  }
  sp_mark mark = sp_scratch_mark(s->ctx);
  sp_expr *from = sp_scratch(s->ctx, (n + 1) * sizeof *from);
  sp_expr *to = sp_scratch(s->ctx, (n + 1) * sizeof *to);
  for (uint32_t i = 0; i < n; i++) {
    from[i] = w->idx[i];
    to[i] = idx[i];
  }
  from[n] = s->rank;
  to[n] = rank;
  /* A single rank is the constant 0, not a variable. */
  bool one = sp_kind_of(s->pool, s->rank) != SP_KIND_VAR;
  sp_expr e = sp_subst(s->pool, body, one ? n : n + 1, from, to);
  sp_scratch_release(s->ctx, mark);
  return e;
}

static sp_expr read_operand(void *env, const sp_call *call, uint32_t operand,
                            sp_expr rank, const sp_expr *idx) {
  const dist_env *e = env;
  return spi_dist_read(e->s, call->node->in[operand], rank, idx, e->raw);
}

static void note(void *env, const char *sentence) {
  spi_assumption(((dist_env *)env)->s, sentence);
}

typedef struct define_env {
  sp_state *s;
  uint32_t tensor;
  bool raw;
  sp_expr result;
} define_env;

/* What an operator of this side is evaluated in. */
static sp_call call_of(sp_state *s, uint32_t t, dist_env *env) {
  const sp_tensor *tensor = &s->dist_program->tensors[t];
  return (sp_call){.pool = s->pool,
                   .program = s->dist_program,
                   .node = &s->dist_program->nodes[tensor->node],
                   .result = tensor->result,
                   .rank = s->rank,
                   .partitions = s->dist_program->partitions,
                   .read = read_operand,
                   .env = env,
                   .assume = note};
}

static void define(sp_ctx *ctx, void *arg) {
  define_env *d = arg;
  sp_state *s = d->s;
  dist_env env = {s, d->raw};
  sp_call call = call_of(s, d->tensor, &env);
  sp_op_check(ctx, s->dist_program, call.node);
  sp_pool_mode(s->pool, d->raw ? SP_MODE_RAW_INDEX : SP_MODE_NORMAL);
  d->result =
      spi_by_known_sums(s, sp_op_element(&call, s->dist[d->tensor].idx));
  sp_pool_mode(s->pool, SP_MODE_NORMAL);
}

/* The tensor as a symbol: nothing is known of it. */
static sp_expr as_symbol(sp_state *s, uint32_t t) {
  uint32_t n = s->dist_program->tensors[t].shape.n_dims;
  sp_mark mark = sp_scratch_mark(s->ctx);
  sp_expr *idx = sp_scratch(s->ctx, (n + 1) * sizeof *idx);
  idx[0] = s->rank;
  for (uint32_t i = 0; i < n; i++) {
    idx[i + 1] = s->dist[t].idx[i];
  }
  sp_expr e = sp_read(s->pool, s->dist[t].sym, idx);
  sp_scratch_release(s->ctx, mark);
  return e;
}

static void give_up(sp_state *s, uint32_t t) {
  dist_tensor *w = &s->dist[t];
  w->opaque = true;
  w->def = w->raw = as_symbol(s, t);
  w->heavy = w->above = 0;
  w->how = "too much above it has no relation";
}

static sp_expr definition(sp_state *s, uint32_t t, bool raw) {
  dist_tensor *w = &s->dist[t];
  if (w->opaque) {
    return as_symbol(s, t);
  }
  define_env d = {s, t, raw, {0}};
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_NORMAL);
  sp_code code = sp_protect(s->ctx, define, &d);
  sp_pool_mode(s->pool, was);
  if (code == SP_OK) {
    return d.result;
  }
  if (code != SP_ERR_UNKNOWN && code != SP_ERR_LIMIT) {
    sp_error e = *sp_ctx_error(s->ctx);
    sp_raise(s->ctx, code, e.loc, e.hint, "%s", e.message);
  }
  w->opaque = true;
  w->how = sp_strdup(s->ctx, sp_ctx_error(s->ctx)->message);
  return as_symbol(s, t);
}

static sp_expr read_symbol(void *env, const sp_call *call, uint32_t operand,
                           sp_expr rank, const sp_expr *idx) {
  sp_state *s = ((dist_env *)env)->s;
  uint32_t t = call->node->in[operand];
  sp_expr full[SP_MAX_DIMS + 1] = {rank};
  for (uint32_t d = 0; d < s->dist_program->tensors[t].shape.n_dims; d++) {
    full[d + 1] = idx[d];
  }
  return sp_read(s->pool, s->dist[t].sym, full);
}

typedef struct reduces_env {
  sp_call call;
  const sp_expr *idx;
  bool result;
} reduces_env;

static void find_reduction(sp_ctx *ctx, void *arg) {
  (void)ctx;
  reduces_env *r = arg;
  sp_pool_mode(r->call.pool, SP_MODE_RAW_INDEX);
  r->result = sp_has_red(r->call.pool, sp_op_element(&r->call, r->idx));
}

/* Does the operator reduce, or only read what does? It was defined before; an
 * operand that is a plain symbol here may still be refused (a conditional whose
 * ranks do not seem to agree), and then it only reads. */
static bool reduces(sp_state *s, uint32_t t) {
  dist_env env = {s, true};
  reduces_env r = {call_of(s, t, &env), s->dist[t].idx, false};
  r.call.read = read_symbol;
  r.call.assume = NULL; /* its definition has said what it assumes */
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_NORMAL);
  sp_code code = sp_protect(s->ctx, find_reduction, &r);
  sp_pool_mode(s->pool, was);
  if (code != SP_OK && code != SP_ERR_UNKNOWN && code != SP_ERR_LIMIT) {
    sp_error e = *sp_ctx_error(s->ctx);
    sp_raise(s->ctx, code, e.loc, e.hint, "%s", e.message);
  }
  return code == SP_OK && r.result;
}

/* Operands have relations or definitions already: tensors are visited in
 * program order. */
sp_expr spi_dist_def(sp_state *s, uint32_t t) {
  dist_tensor *w = &s->dist[t];
  if (!w->def.v) {
    w->def = spi_onehot(s->prover, definition(s, t, false));
    const sp_node *node =
        &s->dist_program->nodes[s->dist_program->tensors[t].node];
    for (uint32_t i = 0; i < node->n_in; i++) {
      const dist_tensor *in = &s->dist[node->in[i]];
      if (!in->relation.v && in->heavy > w->heavy) {
        w->heavy = in->heavy;
      }
      if (!in->relation.v && in->above > w->above) {
        w->above = in->above;
      }
    }
    bool has_red = sp_has_red(s->pool, w->def);
    w->heavy += has_red;
    w->above += has_red && !w->opaque && reduces(s, t);
    if (w->above > limit(s, HEAVY, HEAVY_RANK) || is_too_large(s, w->def) ||
        sp_red_height(s->pool, w->def) > NESTED) {
      /* Something above it has no relation and should have; let the rest of
       * the program be looked at without it. */
      give_up(s, t);
    }
  }
  return w->def;
}

sp_expr spi_dist_raw(sp_state *s, uint32_t t) {
  dist_tensor *w = &s->dist[t];
  if (!w->raw.v) {
    /* Around a ring, neighbours are neighbours of neighbours: flattened at
     * every step, they do not nest. */
    w->raw = spi_flatter_indices(s->prover, definition(s, t, true));
    if (is_too_large(s, w->raw)) {
      give_up(s, t);
    }
  }
  return w->raw;
}

void spi_dist_start(sp_state *s) {
  const sp_program *p = s->dist_program;
  s->dist = sp_alloc_n(s->ctx, (size_t)p->n_tensors + 1, sizeof *s->dist);
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    const sp_tensor *tensor = &p->tensors[t];
    uint32_t n = tensor->shape.n_dims;
    int64_t *extents = sp_alloc_n(s->ctx, n + 1, sizeof *extents);
    extents[0] = p->partitions;
    for (uint32_t d = 0; d < n; d++) {
      extents[d + 1] = tensor->shape.dims[d];
    }
    s->dist[t].sym =
        sp_sym_new(s->pool, sp_format(s->ctx, "%s@rank", tensor->name),
                   sp_dtype_sort(tensor->shape.dtype), n + 1, extents);
    s->dist[t].idx = spi_index_vars(s, &tensor->shape);
    if (tensor->shape.dtype == SP_DTYPE_INVALID) {
      s->dist[t].opaque = true; /* a result that nothing reads */
      s->dist[t].how = "its shape is not in the text";
    }
  }
}
