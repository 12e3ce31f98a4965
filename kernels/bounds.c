/* bounds.c: every index of a definition is proved to be inside of its tensor,
 * for all indices, ranks and inputs, where the conditions around it hold. Where
 * that fails, values are looked for that lead outside: found, the file is wrong
 * and the error says the values; not found, nothing is known. Tensors of
 * integers and conditions are unfolded, others are unknown functions. Read
 * spi_check_reads. A condition that holds nowhere is found in the same way
 * (spi_where_holds). */
#include "kernels/lower.h"

#include "solve/prove.h"

#include <string.h>

enum { MAX_UNFOLD = 4, MAX_UNFOLDED = 256, TRIES = 2000, MAX_VARS = 32 };

typedef struct survey {
  spi_lowering *l;
  spi_side *side;
  uint32_t depth, unfolded; /* how deep now, how many in all */
  uint32_t n_idx;
  const sp_lang_var *vars;
  const sp_expr *idx;
} survey;

spi_bounds *spi_bounds_of(spi_lowering *l) {
  if (!l->bounds) {
    spi_bounds *b = sp_alloc(l->ctx, sizeof *b);
    b->pool = sp_pool_new(l->ctx);
    b->prover = sp_prover_new(b->pool, sp_solver_new(b->pool, l->solver));
    b->rank = sp_var(b->pool, SP_VAR_RANK, "rank", l->par.ranks);
    l->bounds = b;
  }
  return l->bounds;
}

/* ---- operands ---- */

/* The tensor as a function of rank and index. */
static sp_sym symbol(survey *x, uint32_t t) {
  spi_side *side = x->side;
  sp_pool *p = x->l->bounds->pool;
  while (side->symbols.n <= t) {
    sp_push(x->l->ctx, &side->symbols, ((sp_sym){0}));
  }
  if (side->symbols.v[t].v) {
    return side->symbols.v[t];
  }
  const sp_tensor *tensor = &side->tensors.v[t];
  uint32_t n = tensor->shape.n_dims;
  int64_t *extents = sp_alloc_n(x->l->ctx, n + 1u, sizeof *extents);
  extents[0] = side->ranks;
  for (uint32_t i = 0; i < n; i++) {
    extents[i + 1] = tensor->shape.dims[i];
  }
  sp_sym s = sp_sym_new(p, tensor->name, sp_dtype_sort(tensor->shape.dtype),
                        n + 1, extents);
  if (side->counter && t == 0) {
    sp_sym_set_range(p, s, side->from, side->from + side->steps - 1);
  }
  for (size_t i = 0; i < x->l->ranges.n && !side->counter; i++) {
    const sp_range_given *r = &x->l->ranges.v[i];
    /* inputs come first in both programs, in the same order */
    if (strcmp(x->l->seq.tensors.v[r->seq].name, tensor->name) == 0 &&
        side->nodes.v[tensor->node].n_in == 0) {
      sp_sym_set_range(p, s, r->lo, r->hi - 1);
    }
  }
  side->symbols.v[t] = s;
  return s;
}

static sp_expr read_operand(void *env, const sp_call *call, uint32_t operand,
                            sp_expr rank, const sp_expr *idx) {
  survey *x = env;
  uint32_t t = call->node->in[operand];
  const sp_tensor *tensor = &x->side->tensors.v[t];
  const sp_node *node = &x->side->nodes.v[tensor->node];
  bool discrete = !sp_dtype_is_float(tensor->shape.dtype);
  /* parameters of a loop are what the steps before made of them */
  bool parameter = strcmp(node->op, "hlo:parameter") == 0;
  bool input = parameter && !x->side->counter;
  bool defined = strcmp(node->op, SP_KERNEL_OP) == 0;
  if (discrete && defined && x->depth < MAX_UNFOLD &&
      x->unfolded < MAX_UNFOLDED) {
    sp_call inner = *call;
    inner.node = node;
    inner.rank = rank;
    x->unfolded++;
    x->depth++;
    sp_expr e = sp_op_element(&inner, idx);
    x->depth--;
    return e;
  }
  sp_expr at[SP_MAX_DIMS + 1] = {{0}};
  /* an input is the same on all ranks */
  at[0] = input ? sp_int(call->pool, 0) : rank;
  for (uint32_t i = 0; i < tensor->shape.n_dims; i++) {
    at[i + 1] = idx[i];
  }
  return sp_read(call->pool, symbol(x, t), at);
}

/* ---- values that lead outside ---- */

typedef struct point {
  survey *x;
  uint32_t n;
  sp_expr vars[MAX_VARS];
  int64_t values[MAX_VARS];
  uint64_t state;
} point;

static uint64_t next(uint64_t *s) {
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s;
}

static int64_t value_of(void *user, sp_expr v) {
  const point *q = user;
  for (uint32_t i = 0; i < q->n; i++) {
    if (q->vars[i].v == v.v) {
      return q->values[i];
    }
  }
  return 0;
}

static sp_value read_value(void *user, sp_sym s, uint32_t n,
                           const int64_t *idx) {
  const point *q = user;
  sp_pool *p = q->x->l->bounds->pool;
  uint64_t h = q->state | 1;
  for (uint32_t i = 0; i < n; i++) {
    h = (h ^ (uint64_t)idx[i]) * 0x9e3779b97f4a7c15u;
    next(&h);
  }
  int64_t lo, hi;
  bool bounded = sp_sym_range(p, s, &lo, &hi);
  sp_value v = {.sort = sp_sym_sort(p, s)};
  v.i = bounded ? lo + (int64_t)(h % (uint64_t)(hi - lo + 1))
                : (int64_t)(h % 2001) - 1000;
  v.b = h & 64;
  v.r = (double)(h % 4001) / 1000.0 - 2;
  return v;
}

static void add_vars(point *q, sp_expr e) {
  const sp_expr *vars;
  uint32_t n = sp_free_vars(q->x->l->bounds->pool, e, &vars);
  for (uint32_t i = 0; i < n; i++) {
    bool there = false;
    for (uint32_t k = 0; k < q->n; k++) {
      there = there || q->vars[k].v == vars[i].v;
    }
    if (!there && q->n < MAX_VARS) {
      q->vars[q->n++] = vars[i];
    }
  }
}

/* Ends of the ranges first: that is where indices leave. */
static void choose(point *q, uint32_t round) {
  sp_pool *p = q->x->l->bounds->pool;
  for (uint32_t i = 0; i < q->n; i++) {
    int64_t n = sp_var_extent(p, q->vars[i]);
    uint64_t r = next(&q->state);
    switch (round < 64 ? (round >> i % 6) & 1 : r % 8) {
    case 0:
      q->values[i] = 0;
      break;
    case 1:
      q->values[i] = n - 1;
      break;
    default:
      q->values[i] = (int64_t)((r >> 8) % (uint64_t)n);
    }
  }
}

static bool evaluate(point *q, sp_expr e, sp_value *out) {
  sp_eval_env env = {.user = q,
                     .var = value_of,
                     .read = read_value,
                     .fn = sp_op_function,
                     .budget = 20000};
  return sp_eval(q->x->l->bounds->pool, e, &env, out);
}

static bool applies(point *q, const sp_meaning_use *use) {
  sp_value v;
  for (uint32_t i = 0; i < use->n_guards; i++) {
    if (!evaluate(q, use->guards[i], &v) || !v.b) {
      return false;
    }
  }
  return true;
}

static const char *point_text(const point *q, const sp_meaning_use *use) {
  const survey *x = q->x;
  sp_ctx *ctx = x->l->ctx;
  sp_pool *p = x->l->bounds->pool;
  sp_str text = {0};
  for (uint32_t i = 0; i < q->n; i++) {
    if (q->vars[i].v == x->l->bounds->rank.v) {
      for (size_t k = 0; k < x->l->axes.n; k++) {
        const sp_meaning_axis *a = &x->l->axes.v[k];
        sp_str_addf(ctx, &text, "%s@%s = %lld", text.n ? ", " : "", a->name,
                    (long long)(q->values[i] / a->stride % a->size));
      }
      continue;
    }
    const char *bound = sp_meaning_variable(use, q->vars[i]);
    const char *name = bound ? bound : sp_var_name(p, q->vars[i]);
    for (uint32_t k = 0; k < x->n_idx; k++) {
      name = x->idx[k].v == q->vars[i].v ? x->vars[k].name : name;
    }
    sp_str_addf(ctx, &text, "%s%s = %lld", text.n ? ", " : "", name,
                (long long)q->values[i]);
  }
  for (size_t i = 0; i < x->l->counters.n; i++) {
    const sp_kernel_constant *c = &x->l->counters.v[i];
    sp_str_addf(ctx, &text, "%s%s = %lld", text.n ? ", " : "", c->name,
                (long long)c->value);
  }
  return text.n ? text.v : "always";
}

static noreturn void outside(survey *x, const sp_meaning_use *use) {
  sp_ctx *ctx = x->l->ctx;
  const char *what =
      use->axis ? sp_format(ctx, "coordinate %s of %s", use->axis, use->name)
                : sp_format(ctx, "index %u of %s", use->dim, use->name);
  point q = {.x = x, .state = 88172645463325252u};
  add_vars(&q, use->index);
  for (uint32_t i = 0; i < use->n_guards; i++) {
    add_vars(&q, use->guards[i]);
  }
  for (uint32_t round = 0; round < TRIES; round++) {
    sp_value v;
    choose(&q, round);
    if (applies(&q, use) && evaluate(&q, use->index, &v) &&
        (v.i < 0 || v.i >= use->extent)) {
      sp_lang_fail(ctx, use->loc,
                   sp_has_read(x->l->bounds->pool, use->index)
                       ? "assume 0 <= INPUT < ... bounds integer inputs; or "
                         "guard it: if ... then ... else ..."
                       : "guard it: if ... then ... else ...",
                   "%s is %lld where %s: it goes from 0 to %lld", what,
                   (long long)v.i, point_text(&q, use),
                   (long long)(use->extent - 1));
    }
  }
  sp_raise(ctx, SP_ERR_UNKNOWN, use->loc,
           "guard it: if 0 <= ... < ... then ... else ...; assume bounds of "
           "integer inputs",
           "%s was not proved to be from 0 to %lld", what,
           (long long)(use->extent - 1));
}

/* ---- proving ---- */

static void visit(void *env, const sp_meaning_use *use) {
  survey *x = env;
  sp_pool *p = x->l->bounds->pool;
  if (sp_kind_of(p, use->index) == SP_KIND_VAR &&
      sp_var_extent(p, use->index) <= use->extent) {
    return; /* that is what its extent says */
  }
  sp_expr low = sp_le(p, sp_int(p, 0), use->index);
  sp_expr high = sp_lt(p, use->index, sp_int(p, use->extent));
  const sp_hyps hyps = {use->n_guards, use->guards};
  if (!sp_prove_holds(x->l->bounds->prover, "index inside",
                      sp_and(p, low, high), hyps)) {
    outside(x, use);
  }
}

/* ---- surveys ---- */

static const sp_lang_var *variables(const sp_node *node) {
  const sp_meaning *m = node->attrs[0].u.meaning;
  return m->statements[m->n_statements - 1].vars;
}

const sp_expr *spi_fresh_indices(spi_lowering *l, const spi_side *side) {
  const sp_node *node = &side->nodes.v[side->nodes.n - 1];
  const sp_shape *shape = &side->tensors.v[node->out].shape;
  sp_pool *p = spi_bounds_of(l)->pool;
  sp_expr *idx = sp_alloc_n(l->ctx, shape->n_dims + 1u, sizeof *idx);
  sp_mode was = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  for (uint32_t i = 0; i < shape->n_dims; i++) {
    idx[i] = sp_var(p, SP_VAR_INDEX, variables(node)[i].name, shape->dims[i]);
  }
  sp_pool_mode(p, was);
  return idx;
}

static sp_expr run(survey *x, sp_meaning_visit see, void *env) {
  spi_side *side = x->side;
  const spi_bounds *b = spi_bounds_of(x->l);
  sp_program program = spi_program_now(x->l, side);
  sp_call call = {.pool = b->pool,
                  .program = &program,
                  .node = &side->nodes.v[side->nodes.n - 1],
                  .rank = side->parallel ? b->rank : sp_int(b->pool, 0),
                  .partitions = side->ranks,
                  .read = read_operand,
                  .env = x};
  sp_mode was = sp_pool_mode(b->pool, SP_MODE_RAW_INDEX);
  sp_prover_about(b->prover, call.node->name);
  sp_expr e = sp_meaning_survey(&call, x->idx, see, env);
  sp_pool_mode(b->pool, was);
  return e;
}

void spi_survey(spi_lowering *l, spi_side *side, const sp_expr *idx,
                sp_meaning_visit see, void *env) {
  survey x = {.l = l, .side = side, .idx = idx};
  run(&x, see, env);
}

sp_sort spi_check_reads(spi_lowering *l, spi_side *side) {
  const sp_node *node = &side->nodes.v[side->nodes.n - 1];
  survey x = {.l = l,
              .side = side,
              .n_idx = side->tensors.v[node->out].shape.n_dims,
              .vars = variables(node),
              .idx = spi_fresh_indices(l, side)};
  return sp_sort_of(l->bounds->pool, run(&x, visit, &x));
}

/* ---- conditions ---- */

static bool holds_somewhere(survey *x, sp_expr condition) {
  point q = {.x = x, .state = 88172645463325252u};
  add_vars(&q, condition);
  for (uint32_t round = 0; round < TRIES; round++) {
    sp_value v;
    choose(&q, round);
    if (evaluate(&q, condition, &v) && v.b) {
      return true;
    }
  }
  return false;
}

spi_where spi_where_holds(spi_lowering *l, const spi_side *side, uint32_t n,
                          const sp_lang_var *vars, const sp_lang *condition) {
  /* defined on the side, which forgets it */
  spi_side aside = *side;
  size_t names = l->names.rows.n;
  const spi_build b = {l->ctx, condition->loc};
  const spi_definition d = {.name = spi_b_variable(b, "where", 0),
                            .loc = condition->loc,
                            .dtype = SP_PRED,
                            .n_vars = n,
                            .vars = vars,
                            .body = condition};
  spi_define(l, &aside, &d);
  l->names.rows.n = names;
  survey x = {.l = l, .side = &aside, .idx = spi_fresh_indices(l, &aside)};
  sp_expr e = run(&x, NULL, NULL);
  if (holds_somewhere(&x, e)) {
    return SPI_SOMEWHERE;
  }
  bool never = sp_prove_holds(l->bounds->prover, "condition holds nowhere",
                              sp_not(l->bounds->pool, e), (sp_hyps){0});
  return never ? SPI_NOWHERE : SPI_NOT_SHOWN;
}
