/* twins.c: tensors of two versions of one program that are computed alike.
 *
 * Between two dumps of a compiler most tensors are the same operator on the
 * same tensors. Every tensor of both sides gets a number made of its operator,
 * its attributes and its operands' numbers (value numbering, across the
 * programs); parameters that are related get the same. A sequential tensor with
 * the number of a distributed one is its twin: the first candidate, whatever
 * the order of the programs. Numbers are hashes, and nothing here is believed:
 * a candidate is proved like any other.
 */
#include <string.h>

#include "graph/same.h"
#include "solve/draw.h"
#include "solve/state.h"

static uint64_t ints_bits(uint64_t h, const int64_t *v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    h = spi_draw_mix(h, (uint64_t)v[i]);
  }
  return h;
}

/* Numbers of a node's results from its operands'. */
static void number_node(const sp_program *p, const sp_node *node,
                        uint64_t *number) {
  if (strcmp(node->op, "hlo:copy") == 0 && node->n_in == 1) {
    number[node->out] = number[node->in[0]];
    return;
  }
  uint64_t h = sp_node_hash(node);
  for (uint32_t i = 0; i < node->n_in; i++) {
    h = spi_draw_mix(h, number[node->in[i]]);
  }
  for (uint32_t o = 0; o < node->n_out; o++) {
    const sp_shape *s = &p->tensors[node->out + o].shape;
    number[node->out + o] = ints_bits(spi_draw_mix(h, o), s->dims, s->n_dims);
  }
}

/* Is a distributed parameter this sequential one, index by index? */
static bool is_same(sp_state *s, uint32_t v, uint32_t w) {
  sp_expr e = s->dist[w].relation;
  return e.v == spi_seq_read(s, v, s->dist[w].idx, false).v;
}

static void number_params(sp_state *s, uint64_t *seq, uint64_t *dist) {
  const sp_program *p = s->seq_program, *d = s->dist_program;
  for (uint32_t i = 0; i < p->n_params; i++) {
    seq[p->params[i]] = spi_draw_mix(1, i);
  }
  for (uint32_t k = 0; k < d->n_params; k++) {
    uint32_t w = d->params[k];
    dist[w] = spi_draw_mix(2, k);
    for (uint32_t i = 0; i < p->n_params && s->dist[w].relation.v; i++) {
      uint32_t at = (k + i) % p->n_params; /* most often the same number */
      uint32_t v = p->params[at];
      if (sp_shape_equal(&p->tensors[v].shape, &d->tensors[w].shape) &&
          spi_seq_defined(s, v) && is_same(s, v, w)) {
        dist[w] = seq[v];
        break;
      }
    }
  }
}

static bool is_param(const sp_node *node) {
  return node->n_in == 0 && sp_node_attr(node, "index") != NULL;
}

static void number_all(const sp_program *p, uint64_t *number) {
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    if (!is_param(&p->nodes[i])) {
      number_node(p, &p->nodes[i], number);
    }
  }
}

/* ---- finding ---- */

typedef struct entry {
  uint64_t number;
  uint32_t tensor;
} entry;

/* The slot with the number, or the free one for it. */
static entry *slot(entry *table, uint32_t size, uint64_t number) {
  uint32_t at = (uint32_t)(number ^ number >> 32) & (size - 1);
  while (table[at].tensor != SP_NO_TENSOR && table[at].number != number) {
    at = (at + 1) & (size - 1);
  }
  return &table[at];
}

const uint32_t *spi_twins(sp_state *s) {
  const sp_program *p = s->seq_program, *d = s->dist_program;
  uint32_t *twin = sp_alloc_n(s->ctx, d->n_tensors + 1u, sizeof *twin);
  sp_mark mark = sp_scratch_mark(s->ctx);
  uint64_t *seq = sp_scratch(s->ctx, (p->n_tensors + 1u) * sizeof *seq);
  uint64_t *dist = sp_scratch(s->ctx, (d->n_tensors + 1u) * sizeof *dist);
  number_params(s, seq, dist);
  number_all(p, seq);
  number_all(d, dist);
  uint32_t size = 16;
  while (size < 2 * p->n_tensors) {
    size *= 2;
  }
  entry *table = sp_scratch(s->ctx, size * sizeof *table);
  for (uint32_t i = 0; i < size; i++) {
    table[i].tensor = SP_NO_TENSOR;
  }
  for (uint32_t v = 0; v < p->n_tensors; v++) {
    entry *e = slot(table, size, seq[v]);
    if (e->tensor == SP_NO_TENSOR) {
      *e = (entry){seq[v], v};
    }
  }
  for (uint32_t w = 0; w < d->n_tensors; w++) {
    uint32_t v = slot(table, size, dist[w])->tensor;
    bool fits = v != SP_NO_TENSOR &&
                sp_shape_equal(&p->tensors[v].shape, &d->tensors[w].shape);
    twin[w] = fits ? v : SP_NO_TENSOR;
  }
  sp_scratch_release(s->ctx, mark);
  return twin;
}
