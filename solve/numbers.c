/* numbers.c: read spi_numbers_new, last. */
#include "solve/numbers.h"

#include "graph/same.h"
#include "solve/machine.h"
#include "solve/unread.h"

struct spi_numbers {
  const sp_program *p;
  spi_unread unread;
  uint32_t *value; /* by tensor */
  uint32_t *next;  /* by tensor */
  uint64_t *hash;  /* by node: of its operator */
  uint32_t *slot;  /* open addressing: nodes + 1 */
  uint32_t n_slots;
};

uint32_t spi_number_of(const spi_numbers *v, uint32_t tensor) {
  return v->value[tensor];
}

uint32_t spi_number_next(const spi_numbers *v, uint32_t tensor) {
  return v->next[tensor];
}

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ h >> 29;
}

bool spi_number_reads(const spi_numbers *v, const sp_node *node, uint32_t i) {
  return !spi_is_unread(v->unread, (uint32_t)(node - v->p->nodes), i);
}

/* Of the node applied to operands; NULL: to its own. SP_NO_TENSOR: only its
 * shape counts. */
static uint32_t operand(const spi_numbers *v, const sp_node *node,
                        const uint32_t *operands, uint32_t i) {
  if (!spi_number_reads(v, node, i)) {
    return SP_NO_TENSOR;
  }
  return operands ? operands[i] : v->value[node->in[i]];
}

static bool is_applied(const spi_numbers *v, const sp_node *a,
                       const sp_node *node, const uint32_t *operands) {
  bool same = a->n_in == node->n_in && a->n_out == node->n_out;
  for (uint32_t i = 0; same && i < a->n_in; i++) {
    same = operand(v, a, NULL, i) == operand(v, node, operands, i) &&
           sp_shape_equal(&v->p->tensors[a->in[i]].shape,
                          &v->p->tensors[node->in[i]].shape);
  }
  for (uint32_t o = 0; same && o < a->n_out; o++) {
    same = sp_shape_equal(&v->p->tensors[a->out + o].shape,
                          &v->p->tensors[node->out + o].shape);
  }
  return same && sp_op_same(v->p, a, v->p, node);
}

/* The slot of such a node, or the free one for it. */
static uint32_t *find(const spi_numbers *v, const sp_node *node,
                      const uint32_t *operands) {
  uint64_t h = v->hash[node - v->p->nodes];
  for (uint32_t i = 0; i < node->n_in; i++) {
    h = mix(h, operand(v, node, operands, i));
  }
  uint32_t at = (uint32_t)(h >> 16) & (v->n_slots - 1);
  while (v->slot[at] &&
         !is_applied(v, &v->p->nodes[v->slot[at] - 1], node, operands)) {
    at = (at + 1) & (v->n_slots - 1);
  }
  return &v->slot[at];
}

/* Does it compute the same of the same? */
static bool is_function(const sp_state *s, const sp_node *node) {
  bool known = sp_op_find(node->op) && !spi_is_loop(node) &&
               !sp_node_attr(node, "index");
  for (uint32_t o = 0; known && o < node->n_out; o++) {
    known = !s->seq[node->out + o].opaque;
  }
  return known;
}

uint32_t spi_number_apply(const spi_numbers *v, const sp_node *node,
                          const uint32_t *operands) {
  uint32_t k = *find(v, node, operands);
  return k ? v->p->nodes[k - 1].out : SP_NO_TENSOR;
}

spi_numbers *spi_numbers_new(sp_state *s) {
  const sp_program *p = s->seq_program;
  spi_numbers *v = sp_alloc(s->ctx, sizeof *v);
  v->p = p;
  v->unread = spi_unread_of(s, p);
  v->value = sp_alloc_n(s->ctx, p->n_tensors + 1u, sizeof *v->value);
  v->next = sp_alloc_n(s->ctx, p->n_tensors + 1u, sizeof *v->next);
  v->hash = sp_alloc_n(s->ctx, p->n_nodes + 1u, sizeof *v->hash);
  v->n_slots = 16;
  while (v->n_slots < 2 * p->n_nodes) {
    v->n_slots *= 2;
  }
  v->slot = sp_alloc_n(s->ctx, v->n_slots, sizeof *v->slot);
  uint32_t *last = sp_alloc_n(s->ctx, p->n_tensors + 1u, sizeof *last);
  for (uint32_t k = 0; k < p->n_nodes; k++) {
    const sp_node *node = &p->nodes[k];
    uint32_t first = node->out;
    v->hash[k] = sp_node_hash(node);
    if (is_function(s, node)) {
      uint32_t *slot = find(v, node, NULL);
      first = *slot ? p->nodes[*slot - 1].out : first;
      *slot = *slot ? *slot : k + 1;
    }
    for (uint32_t o = 0; o < node->n_out; o++) {
      uint32_t t = node->out + o;
      v->value[t] = first + o;
      v->next[t] = SP_NO_TENSOR;
      if (first != node->out) {
        v->next[last[first + o]] = t;
      }
      last[first + o] = t;
    }
  }
  return v;
}
