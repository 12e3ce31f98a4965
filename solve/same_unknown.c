/* same_unknown.c: an operator without a known meaning, in two versions of a
 * program.
 *
 * LEMMA. Let f be a function of its operands. If a node of either side is f
 * with the same attributes, and the operands are proved equal, index by index,
 * on every rank, so are the results.
 *
 * That it is a function is not known of an operator without a meaning, so it is
 * an assumption, which is printed; what says that it has effects, or draws
 * random numbers, is left out. Only between two versions of one program: there
 * the call is that of the other version, handed on by the compiler.
 */
#include <string.h>

#include "solve/state.h"

/* ---- the same attributes ---- */

static bool same_ints(const int64_t *a, const int64_t *b, size_t n) {
  return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static bool same_literal(const sp_literal *a, const sp_literal *b) {
  if (!sp_shape_equal(&a->shape, &b->shape) || a->splat != b->splat ||
      !a->i != !b->i) {
    return false;
  }
  size_t n = a->splat ? 1 : (size_t)sp_shape_elements(&a->shape);
  bool complex = a->shape.dtype == SP_C64 || a->shape.dtype == SP_C128;
  return a->i ? same_ints(a->i, b->i, n)
              : memcmp(a->f, b->f, (complex ? 2 : 1) * n * sizeof *a->f) == 0;
}

static bool same_groups(const sp_groups *a, const sp_groups *b) {
  return a->n_groups == b->n_groups &&
         memcmp(a->start, b->start, (a->n_groups + 1u) * sizeof *a->start) ==
             0 &&
         same_ints(a->ids, b->ids, a->start[a->n_groups]);
}

static bool same_attrs(const sp_node *a, const sp_node *b);

/* Regions nest as deep as the reader lets them. */
static bool same_program(const sp_program *a, const sp_program *b) {
  bool same = a->n_nodes == b->n_nodes && a->n_tensors == b->n_tensors &&
              a->n_params == b->n_params && a->n_results == b->n_results;
  for (uint32_t i = 0; same && i < a->n_tensors; i++) {
    same = sp_shape_equal(&a->tensors[i].shape, &b->tensors[i].shape);
  }
  for (uint32_t i = 0; same && i < a->n_params; i++) {
    same = a->params[i] == b->params[i];
  }
  for (uint32_t i = 0; same && i < a->n_results; i++) {
    same = a->results[i] == b->results[i];
  }
  for (uint32_t i = 0; same && i < a->n_nodes; i++) {
    const sp_node *x = &a->nodes[i], *y = &b->nodes[i];
    same =
        strcmp(x->op, y->op) == 0 && x->n_in == y->n_in && x->out == y->out &&
        x->n_out == y->n_out &&
        (x->n_in == 0 || memcmp(x->in, y->in, x->n_in * sizeof *x->in) == 0) &&
        same_attrs(x, y);
  }
  return same;
}

static bool same_attr(const sp_attr *a, const sp_attr *b) {
  if (strcmp(a->name, b->name) != 0 || a->kind != b->kind || a->n != b->n) {
    return false;
  }
  switch (a->kind) {
  case SP_ATTR_INT:
  case SP_ATTR_OPERAND:
    return a->u.i == b->u.i;
  case SP_ATTR_INTS:
  case SP_ATTR_OPERANDS:
  case SP_ATTR_RANKED_INT:
  case SP_ATTR_RANKED_INTS:
    return same_ints(a->u.ints, b->u.ints, a->n);
  case SP_ATTR_FLOAT:
    return memcmp(&a->u.f, &b->u.f, sizeof a->u.f) == 0;
  case SP_ATTR_TEXT:
    return strcmp(a->u.text, b->u.text) == 0;
  case SP_ATTR_LITERAL:
    return same_literal(a->u.literal, b->u.literal);
  case SP_ATTR_GROUPS:
    return same_groups(a->u.groups, b->u.groups);
  case SP_ATTR_REGION:
    return same_program(a->u.region, b->u.region);
  case SP_ATTR_WINDOW:
  case SP_ATTR_RANKED_FLOAT:
  case SP_ATTR_MEANING:
    break;
  }
  return false;
}

static bool same_attrs(const sp_node *a, const sp_node *b) {
  bool same = a->n_attrs == b->n_attrs; /* sorted by name */
  for (uint32_t i = 0; same && i < a->n_attrs; i++) {
    same = same_attr(&a->attrs[i], &b->attrs[i]);
  }
  return same;
}

/* ---- the rule ---- */

/* May it be a function of its operands? */
static bool may_be_function(const sp_node *node) {
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

static bool is_same(sp_state *s, uint32_t v, uint32_t t) {
  const sp_tensor *seq = &s->seq_program->tensors[v];
  const sp_tensor *dist = &s->dist_program->tensors[t];
  const sp_node *a = &s->seq_program->nodes[seq->node];
  const sp_node *b = &s->dist_program->nodes[dist->node];
  return s->seq[v].trouble && strcmp(a->op, b->op) == 0 &&
         seq->result == dist->result &&
         sp_shape_equal(&seq->shape, &dist->shape) && may_be_function(a) &&
         may_be_function(b) && same_attrs(a, b) && same_operands(s, a, b);
}

/* The tensor computed alike, else the first that will do. */
static uint32_t counterpart(sp_state *s, uint32_t t) {
  uint32_t twin = s->twins[t];
  if (twin != SP_NO_TENSOR && is_same(s, twin, t)) {
    return twin;
  }
  for (uint32_t v = 0; v < s->seq_program->n_tensors; v++) {
    if (v != twin && is_same(s, v, t)) {
      return v;
    }
  }
  return SP_NO_TENSOR;
}

bool spi_same_unknown(sp_state *s, uint32_t t) {
  uint32_t v = s->twins ? counterpart(s, t) : SP_NO_TENSOR;
  if (v == SP_NO_TENSOR) {
    return false;
  }
  const sp_node *node =
      &s->dist_program->nodes[s->dist_program->tensors[t].node];
  const sp_attr *target = sp_node_attr(node, "custom_call_target");
  spi_assumption(s, sp_format(s->ctx,
                              "%s%s%s, whose meaning is not known, is a "
                              "function of its operands",
                              node->op, target ? " " : "",
                              target ? target->u.text : ""));
  dist_tensor *w = &s->dist[t];
  w->relation = spi_seq_symbol(s, v, w->idx);
  w->seq = v + 1;
  w->how = "the same unknown operator on the same operands";
  s->stats.matched++;
  return true;
}
