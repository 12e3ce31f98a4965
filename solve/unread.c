/* unread.c: read spi_unread_of. */
#include "solve/unread.h"

enum { MAX_OPERANDS = 64 };

bool spi_is_unread(spi_unread u, uint32_t node, uint32_t operand) {
  return operand < MAX_OPERANDS && (u.operands[node] >> operand & 1);
}

typedef struct evaluation {
  sp_state *s;
  const sp_program *p;
  const sp_node *node;
  uint64_t read;
  sp_sym sym[MAX_OPERANDS];
} evaluation;

static sp_expr read_operand(void *env, const sp_call *call, uint32_t operand,
                            sp_expr rank, const sp_expr *idx) {
  evaluation *x = env;
  x->read |= UINT64_C(1) << operand;
  sp_expr at[SP_MAX_DIMS + 1] = {rank};
  for (uint32_t d = 0; d < sp_call_shape(call, operand)->n_dims; d++) {
    at[d + 1] = idx[d];
  }
  return sp_read(x->s->pool, x->sym[operand], at);
}

/* A symbol for each operand, with the rank before its indices. */
static void make_symbols(evaluation *x) {
  sp_ctx *ctx = x->s->ctx;
  for (uint32_t k = 0; k < x->node->n_in; k++) {
    const sp_shape *shape = &x->p->tensors[x->node->in[k]].shape;
    int64_t *extents = sp_alloc_n(ctx, shape->n_dims + 1u, sizeof *extents);
    extents[0] = x->p->partitions;
    for (uint32_t d = 0; d < shape->n_dims; d++) {
      extents[d + 1] = shape->dims[d];
    }
    x->sym[k] = sp_sym_new(x->s->pool, "operand", sp_dtype_sort(shape->dtype),
                           shape->n_dims + 1, extents);
  }
}

/* Raises SP_ERR_UNKNOWN where the node has no meaning. */
static void evaluate(sp_ctx *ctx, void *arg) {
  evaluation *x = arg;
  sp_state *s = x->s;
  bool dist = x->p == s->dist_program;
  sp_op_check(ctx, x->p, x->node);
  make_symbols(x);
  sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  for (uint32_t o = 0; o < x->node->n_out; o++) {
    sp_call call = {.pool = s->pool,
                    .program = x->p,
                    .node = x->node,
                    .result = o,
                    .rank = dist ? s->rank : sp_int(s->pool, 0),
                    .partitions = dist ? x->p->partitions : 1,
                    .read = read_operand,
                    .env = x};
    const sp_shape *shape = &x->p->tensors[x->node->out + o].shape;
    sp_op_element(&call, spi_index_vars(s, shape));
  }
}

static uint64_t unread_of_node(sp_state *s, const sp_program *p,
                               const sp_node *node, uint64_t asked) {
  evaluation x = {.s = s, .p = p, .node = node};
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_NORMAL);
  sp_code code = sp_protect(s->ctx, evaluate, &x);
  sp_pool_mode(s->pool, was);
  return code == SP_OK ? asked & ~x.read : 0;
}

/* Operands that nothing was written to. */
static uint64_t unwritten(const sp_program *p, const sp_node *node,
                          const bool *by_name) {
  uint64_t set = 0;
  for (uint32_t k = 0; k < node->n_in && node->n_in <= MAX_OPERANDS; k++) {
    bool is = by_name[p->tensors[node->in[k]].node];
    set |= is ? UINT64_C(1) << k : 0;
  }
  return set;
}

spi_unread spi_unread_of(sp_state *s, const sp_program *p) {
  uint64_t *sets = sp_alloc_n(s->ctx, p->n_nodes + 1u, sizeof *sets);
  bool *by_name = sp_alloc_n(s->ctx, p->n_nodes + 1u, sizeof *by_name);
  for (uint32_t k = 0; k < p->n_nodes; k++) {
    const sp_op *op = sp_op_find(p->nodes[k].op);
    uint64_t asked = unwritten(p, &p->nodes[k], by_name);
    by_name[k] = op && op->by_name;
    sets[k] = asked ? unread_of_node(s, p, &p->nodes[k], asked) : 0;
  }
  return (spi_unread){sets};
}
