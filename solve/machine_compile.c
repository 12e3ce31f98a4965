/* machine_compile.c: an operator's element terms, compiled. Operands are read
 * as symbols that take the rank first. */
#include "solve/machine.h"
#include "solve/named.h"

#include <math.h>
#include <string.h>

bool spi_same_index(const sp_node *node) {
  return !spi_is_loop(node) && sp_node_attr(node, "has_collectives") &&
         node->n_in > 0;
}

typedef struct compiling {
  const sp_machine *m;
  spi_compiled *c;
} compiling;

static sp_expr read_operand(void *env, const sp_call *call, uint32_t operand,
                            sp_expr rank, const sp_expr *idx) {
  const sp_machine *m = ((const compiling *)env)->m;
  uint32_t tensor = call->node->in[operand];
  sp_expr at[SP_MAX_DIMS + 1];
  at[0] =
      spi_same_index(call->node) && operand == 0 ? sp_int(call->pool, 0) : rank;
  memcpy(at + 1, idx, m->program->tensors[tensor].shape.n_dims * sizeof *at);
  return sp_read(call->pool, m->tensors[tensor].sym, at);
}

/* An array of truth values beside the one that is compiled. */
static void keep_promise(void *env, sp_expr holds) {
  compiling *x = env;
  spi_compiled *p = sp_alloc(x->m->e->ctx, sizeof *p);
  *p = *x->c;
  p->sort = SP_SORT_BOOL;
  p->term = holds;
  x->c->promise = p;
}

static sp_expr *index_variables(sp_machine *m, const sp_shape *shape) {
  sp_ctx *ctx = m->e->ctx;
  sp_expr *idx = sp_alloc_n(ctx, shape->n_dims + 1u, sizeof *idx);
  for (uint32_t d = 0; d < shape->n_dims; d++) {
    idx[d] = sp_var(m->e->pool, SP_VAR_INDEX, sp_format(ctx, "i%u", d),
                    shape->dims[d]);
  }
  return idx;
}

static const spi_tape *compile_tape(sp_machine *m, const spi_compiled *c) {
  spi_engine *e = m->e;
  uint32_t n = c->shape.n_dims;
  sp_expr *vars = sp_alloc_n(e->ctx, n + 1u, sizeof *vars);
  int64_t *extents = sp_alloc_n(e->ctx, n + 1u, sizeof *extents);
  vars[0] = e->rank;
  extents[0] = e->ranks;
  for (uint32_t d = 0; d < n; d++) {
    vars[d + 1] = c->idx[d];
    extents[d + 1] = c->shape.dims[d];
  }
  spi_tape_spec spec = {.n_outs = 1,
                        .outs = &c->term,
                        .n_vars = n + 1,
                        .n_uniform = 1,
                        .vars = vars,
                        .extents = extents};
  return spi_tape_compile(e->pool, &spec);
}

/* Of one rank. */
static double compile_array(sp_machine *m, spi_compiled *c) {
  c->contraction = m->e->options.slow ? NULL : spi_contraction_of(m, c);
  if (c->contraction) {
    return spi_contraction_cost(c->contraction);
  }
  c->tape = compile_tape(m, c);
  return c->tape->cost * (double)c->n;
}

/* The operand that the array is, element by element: its buffer is shared. */
static sp_sym alias_of(const sp_machine *m, const spi_compiled *c) {
  spi_engine *e = m->e;
  sp_pool *p = e->pool;
  const sp_sym none = {0};
  if (sp_kind_of(p, c->term) != SP_KIND_READ) {
    return none;
  }
  sp_sym sym = sp_read_sym(p, c->term);
  uint32_t n = sp_n_args(p, c->term);
  const int64_t *extents = sp_sym_extents(p, sym);
  int64_t size = 1;
  sp_expr at[SP_MAX_DIMS + 1];
  for (uint32_t i = 1; i < n; i++) {
    at[i] = sp_arg(p, c->term, i);
    size *= extents[i];
  }
  if (sp_sym_is_table(p, sym) || n == 0 || e->options.round_to_dtype ||
      sp_arg(p, c->term, 0).v != e->rank.v || size != c->n) {
    return none;
  }
  /* indices: simplified they are the same numbers */
  sp_mode was = sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr from = sp_simplify(p, sp_flatten(p, n - 1, extents + 1, at + 1));
  sp_expr to = sp_flatten(p, c->shape.n_dims, c->shape.dims, c->idx);
  sp_pool_mode(p, was);
  return from.v == to.v ? sym : none;
}

const spi_compiled *spi_as_written(sp_machine *m, spi_compiled *c) {
  if (!c->written) {
    spi_compiled *w = sp_alloc(m->e->ctx, sizeof *w);
    *w = *c;
    w->n_helpers = 0;
    w->contraction = NULL;
    w->term = c->made_for;
    sp_mode was = sp_pool_mode(m->e->pool, SP_MODE_RAW);
    w->tape = compile_tape(m, w);
    sp_pool_mode(m->e->pool, was);
    c->written = w;
  }
  return c->written;
}

typedef struct functions {
  const char *made_up;
  bool drawn;
} functions;

static sp_expr see_function(void *env, sp_pool *p, sp_expr e) {
  functions *found = env;
  if (sp_kind_of(p, e) == SP_KIND_FN) {
    const char *name = sp_fn_name(p, e);
    found->made_up = spi_is_made_up(name) ? name : found->made_up;
    found->drawn = found->drawn || spi_is_drawn(name);
  }
  return (sp_expr){0};
}

/* Functions whose values are not those of the real run. */
static void look_for_functions(sp_machine *m, const sp_node *node, sp_expr e) {
  functions found = {0};
  sp_map(m->e->pool, e, see_function, &found);
  if (found.made_up && !m->e->options.made_up) {
    sp_raise(m->e->ctx, SP_ERR_UNKNOWN, sp_nowhere(), NULL,
             "no values are known of the function %.100s", found.made_up);
  }
  m->e->made_up = found.made_up ? found.made_up : m->e->made_up;
  m->e->drawn = found.drawn ? node->name : m->e->drawn;
}

static double compile_result(sp_machine *m, const sp_node *node, uint32_t k) {
  spi_engine *e = m->e;
  uint32_t tensor = node->out + k;
  machine_tensor *t = &m->tensors[tensor];
  const sp_shape *shape = &m->program->tensors[tensor].shape;
  spi_compiled *c = sp_alloc(e->ctx, sizeof *c);
  t->compiled = c;
  c->sym = t->sym;
  c->sort = t->sort;
  c->shape = *shape;
  c->n = t->n;
  c->ranks = t->ranks;
  if (t->n == 0) {
    return 0;
  }
  if (!spi_part_definition(m, tensor, c)) {
    c->idx = index_variables(m, shape);
    compiling env = {m, c};
    sp_call call = {.pool = e->pool,
                    .program = m->program,
                    .node = node,
                    .result = k,
                    .rank = e->rank,
                    .partitions = e->ranks,
                    .read = read_operand,
                    .env = &env,
                    .promise = keep_promise};
    c->term = sp_op_element(&call, c->idx);
  }
  look_for_functions(m, node, c->term);
  c->opaque = spi_opaque_of(m, tensor);
  if (c->opaque) {
    return spi_opaque_cost(c->opaque);
  }
  if (!e->options.slow) {
    c->alias = alias_of(m, c);
    if (c->alias.v) {
      return 1;
    }
    spi_share(m, c);
  }
  double cost = compile_array(m, c);
  for (uint32_t i = 0; i < c->n_helpers; i++) {
    cost += compile_array(m, c->helpers[i]);
  }
  if (c->promise) {
    c->promise->tape = compile_tape(m, c->promise);
    cost += c->promise->tape->cost * (double)c->n;
  }
  return cost;
}

typedef struct job {
  sp_machine *m;
  uint32_t node;
} job;

static void compile(sp_ctx *ctx, void *arg) {
  job *j = arg;
  sp_machine *m = j->m;
  machine_node *x = &m->nodes[j->node];
  const sp_node *node = &m->program->nodes[j->node];
  bool wanted = !m->selection;
  for (uint32_t k = 0; k < node->n_out; k++) {
    wanted = wanted || m->tensors[node->out + k].n > 0;
  }
  if (wanted && spi_is_loop(node)) {
    x->loop = spi_loop_new(m, j->node);
    x->cost = spi_loop_cost(x->loop);
    return;
  }
  if (wanted) {
    sp_op_check(ctx, m->program, node);
  }
  x->cost = 0;
  for (uint32_t k = 0; k < node->n_out; k++) {
    if (!m->tensors[node->out + k].no_type) {
      double ranks = (double)m->tensors[node->out + k].ranks.n;
      x->cost += ranks * compile_result(m, node, k);
    }
  }
}

void spi_node_compile(sp_machine *m, uint32_t node) {
  machine_node *x = &m->nodes[node];
  sp_ctx *ctx = m->e->ctx;
  if (x->compiled) {
    return;
  }
  x->compiled = true;
  job j = {m, node};
  /* In parts zeros are put in place of reads: nothing may come of them but
   * what running gives (0 times infinity). */
  bool raw = m->e->options.raw || m->selection;
  sp_mode was = sp_pool_mode(m->e->pool, raw ? SP_MODE_RAW : SP_MODE_NUMBERS);
  sp_code code = sp_protect(ctx, compile, &j);
  sp_pool_mode(m->e->pool, was);
  if (code == SP_OK) {
    return;
  }
  sp_error error = *sp_ctx_error(ctx);
  if (code != SP_ERR_UNKNOWN && code != SP_ERR_LIMIT) {
    sp_raise(ctx, code, error.loc, *error.hint ? error.hint : NULL, "%s",
             error.message);
  }
  const char *name = m->program->nodes[node].name;
  x->unknown = strstr(error.message, name)
                   ? sp_strdup(ctx, error.message)
                   : sp_format(ctx, "%s (%s): %s", name,
                               m->program->nodes[node].op, error.message);
  x->cost = INFINITY;
}
