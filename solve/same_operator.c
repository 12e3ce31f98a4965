/* same_operator.c: the same operator on equal operands, in two versions of a
 * program.
 *
 * LEMMA. Let f be a function of its operands. If a node of either side is f
 * with the same attributes, and the operands are proved equal, index by index,
 * on every rank, so are the results.
 *
 * The operators of the table are functions, but for draws of random numbers.
 * That one without a meaning is a function is an assumption, which is printed;
 * a call that says that it has effects is none. Only between two versions of
 * one program: there an unknown call is that of the other version, handed on by
 * the compiler.
 */
#include <string.h>

#include "solve/machine.h"
#include "solve/state.h"

enum { MAX_TRIED = 6 };

/* Is all that the node's regions do known, and a function? Regions nest as deep
 * as the reader lets them. */
static bool regions_are_functions(const sp_node *node) {
  for (uint32_t k = 0; k < node->n_attrs; k++) {
    const sp_attr *a = &node->attrs[k];
    const sp_program *p = a->kind == SP_ATTR_REGION ? a->u.region : NULL;
    for (uint32_t i = 0; p && i < p->n_nodes; i++) {
      const sp_node *inner = &p->nodes[i];
      bool known =
          spi_is_loop(inner) ||
          (sp_op_find(inner->op) && strcmp(inner->op, "hlo:custom-call") != 0 &&
           strcmp(inner->op, "hlo:rng") != 0);
      if (!known || !regions_are_functions(inner)) {
        return false;
      }
    }
  }
  return true;
}

/* May it be a function of its operands? */
static bool may_be_function(const sp_node *node) {
  if (!regions_are_functions(node)) {
    return false;
  }
  if (spi_is_loop(node)) {
    return true;
  }
  if (strcmp(node->op, "hlo:custom-call") == 0) {
    const sp_attr *effect = sp_node_attr(node, "custom_call_has_side_effect");
    return node->n_in > 0 && (!effect || effect->u.i == 0);
  }
  return node->n_in > 0 && sp_op_find(node->op) != NULL &&
         strcmp(node->op, "hlo:rng") != 0;
}

static bool same_operands(sp_state *s, const sp_node *a, const sp_node *b) {
  bool same = a->n_in == b->n_in;
  for (uint32_t k = 0; same && k < a->n_in; k++) {
    uint32_t v = a->in[k], w = b->in[k];
    same = sp_shape_equal(&s->seq_program->tensors[v].shape,
                          &s->dist_program->tensors[w].shape) &&
           spi_promise_holds(s, v, w, s->dist[w].idx, sp_bool(s->pool, true));
  }
  return same;
}

/* The same operator, whatever the operands. */
static bool is_alike(sp_state *s, uint32_t v, uint32_t t) {
  const sp_tensor *seq = &s->seq_program->tensors[v];
  const sp_tensor *dist = &s->dist_program->tensors[t];
  const sp_node *a = &s->seq_program->nodes[seq->node];
  const sp_node *b = &s->dist_program->nodes[dist->node];
  return seq->result == dist->result &&
         sp_shape_equal(&seq->shape, &dist->shape) && may_be_function(a) &&
         may_be_function(b) &&
         sp_op_same(s->seq_program, a, s->dist_program, b);
}

static bool is_same(sp_state *s, uint32_t v, uint32_t t) {
  const sp_program *p = s->seq_program, *d = s->dist_program;
  return is_alike(s, v, t) && same_operands(s, &p->nodes[p->tensors[v].node],
                                            &d->nodes[d->tensors[t].node]);
}

/* Another one than the twin, of those that nothing else finds: reductions, and
 * what has no meaning. */
static uint32_t other_candidate(sp_state *s, uint32_t t) {
  uint32_t tried = 0, n = s->seq_program->n_tensors;
  for (uint32_t k = 0; k < n && tried < MAX_TRIED; k++) {
    uint32_t v = (s->last + k) % n;
    const seq_tensor *x = &s->seq[v];
    if (v != s->twins[t] && (x->reduces || x->trouble) && is_alike(s, v, t)) {
      tried++;
      if (is_same(s, v, t)) {
        return v;
      }
    }
  }
  return SP_NO_TENSOR;
}

static void assume_function(sp_state *s, const sp_node *node) {
  const sp_attr *target = sp_node_attr(node, "custom_call_target");
  spi_assumption(s, sp_format(s->ctx,
                              "%s%s%s, whose meaning is not known, is a "
                              "function of its operands",
                              node->op, target ? " " : "",
                              target ? target->u.text : ""));
}

uint32_t spi_same_operator(sp_state *s, uint32_t t) {
  if (!s->twins) {
    return SP_NO_TENSOR;
  }
  const sp_node *node =
      &s->dist_program->nodes[s->dist_program->tensors[t].node];
  uint32_t v = s->twins[t];
  bool loop = spi_is_loop(node);
  if (v == SP_NO_TENSOR || !is_same(s, v, t)) {
    v = loop ? SP_NO_TENSOR : other_candidate(s, t);
  }
  if (v != SP_NO_TENSOR && s->seq[v].trouble && !loop) {
    assume_function(s, node);
  }
  return v;
}
