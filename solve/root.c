/* root.c: read spi_root.
 *
 * A reshape, a transpose, a copy of a tensor has its elements. Relations name
 * the tensor where the elements come from, not one of its views: a relation to
 * a view of x and one to x would not be seen to agree.
 */
#include <string.h>

#include "solve/layers.h"
#include "solve/state.h"

enum { MAX_STEPS = 256 };

static sp_expr read_symbol(void *env, const sp_call *call, uint32_t operand,
                           sp_expr rank, const sp_expr *idx) {
  (void)rank;
  return spi_seq_symbol(env, call->node->in[operand], idx);
}

static void no_note(void *env, const char *sentence) {
  (void)env;
  (void)sentence;
}

/* An element of t over symbols of its operands; none for loops. */
static sp_expr element(sp_state *s, uint32_t t, sp_mode mode) {
  const sp_tensor *tensor = &s->seq_program->tensors[t];
  sp_call call = {.pool = s->pool,
                  .program = s->seq_program,
                  .node = &s->seq_program->nodes[tensor->node],
                  .result = tensor->result,
                  .rank = sp_int(s->pool, 0),
                  .partitions = 1,
                  .env = s,
                  .read = read_symbol,
                  .assume = no_note};
  sp_mode was = sp_pool_mode(s->pool, mode);
  sp_expr e = sp_op_element(&call, s->seq[t].idx);
  sp_pool_mode(s->pool, was);
  return e;
}

/* The operand whose symbol e reads, or UINT32_MAX. */
static uint32_t operand_read(const sp_state *s, uint32_t t, sp_expr e) {
  const sp_node *node = &s->seq_program->nodes[s->seq_program->tensors[t].node];
  if (sp_kind_of(s->pool, e) != SP_KIND_READ) {
    return UINT32_MAX;
  }
  for (uint32_t i = 0; i < node->n_in; i++) {
    if (s->seq[node->in[i]].sym.v == sp_read_sym(s->pool, e).v) {
      return node->in[i];
    }
  }
  return UINT32_MAX;
}

/* One step: *t at phi is its operand at another index, which is proved. */
static bool step(sp_state *s, uint32_t *t, sp_expr *phi) {
  const sp_tensor *tensor = &s->seq_program->tensors[*t];
  const sp_node *node = &s->seq_program->nodes[tensor->node];
  if (s->seq[*t].anchor || s->seq[*t].opaque || node->n_in == 0 ||
      strcmp(node->op, "hlo:while") == 0) {
    return false;
  }
  sp_expr e = element(s, *t, SP_MODE_NORMAL);
  uint32_t from = operand_read(s, *t, e);
  if (from == UINT32_MAX) {
    return false;
  }
  sp_prover_about(s->prover, tensor->name);
  if (!sp_prove_equal(s->prover, element(s, *t, SP_MODE_RAW_INDEX), e,
                      (sp_hyps){0})) {
    return false;
  }
  uint32_t n = tensor->shape.n_dims;
  sp_expr moved = sp_subst(s->pool, e, n, s->seq[*t].idx, phi);
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  sp_expr plain = sp_subst(s->pool, e, n, s->seq[*t].idx, phi);
  bool same = sp_prove_equal(s->prover, plain, moved, (sp_hyps){0});
  sp_pool_mode(s->pool, was);
  if (!same || sp_kind_of(s->pool, moved) != SP_KIND_READ) {
    return false;
  }
  spi_layers_open(s->layers, *t);
  for (uint32_t d = 0; d < sp_n_args(s->pool, moved); d++) {
    phi[d] = sp_arg(s->pool, moved, d);
  }
  *t = from;
  return true;
}

uint32_t spi_root(sp_state *s, uint32_t t, sp_expr *phi) {
  if (s->problem->ranked) {
    return t;
  }
  for (int i = 0; i < MAX_STEPS && step(s, &t, phi); i++) {
  }
  return s->seq[t].alias ? s->seq[t].alias - 1 : t;
}
