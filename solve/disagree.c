/* disagree.c: read spi_find_disagreement, then same_block. */
#include "solve/disagree.h"

#include <math.h>

#include "encode/manual.h"

/* What rounding may do between devices that add up in another order: this share
 * of the block's largest element, and of values near 1. */
static const double ROUNDING = 1e-6;

/* All tensors that the result is computed from. */
static bool *on_the_way(spi_bench *b, uint32_t result) {
  const sp_program *p = b->s->seq_program;
  bool *on = sp_alloc_n(b->s->ctx, p->n_tensors + 1u, sizeof *on);
  on[result] = true;
  for (uint32_t i = p->n_nodes; i-- > 0;) {
    const sp_node *node = &p->nodes[i];
    bool any = false;
    for (uint32_t k = 0; k < node->n_out; k++) {
      any = any || on[node->out + k];
    }
    for (uint32_t k = 0; k < node->n_in && any; k++) {
      on[node->in[k]] = true;
    }
  }
  return on;
}

static double largest(spi_bench *b, uint32_t t, int64_t rank) {
  int64_t n = sp_machine_count(b->seq, t);
  double most = 1;
  for (int64_t i = 0; i < n; i++) {
    double v = fabs(sp_machine_value(b->seq, t, rank, i));
    most = isfinite(v) ? fmax(most, v) : most;
  }
  return most;
}

/* Has the rank what the owner has? Else *at is the first element that differs.
 */
static bool same_block(spi_bench *b, uint32_t t, int64_t owner, int64_t rank,
                       int64_t *at) {
  int64_t n = sp_machine_count(b->seq, t);
  double limit = ROUNDING * largest(b, t, owner);
  for (*at = 0; *at < n; ++*at) {
    double x = sp_machine_value(b->seq, t, owner, *at);
    double y = sp_machine_value(b->seq, t, rank, *at);
    bool same = x == y || fabs(x - y) <= limit || (isnan(x) && isnan(y));
    if (!same) {
      return false;
    }
  }
  return true;
}

static const char *index_text(spi_bench *b, uint32_t t, int64_t at) {
  int64_t idx[SP_MAX_DIMS] = {0};
  sp_str s = {0};
  sp_machine_where(b->seq, t, at, idx);
  for (uint32_t d = 0; d < b->s->seq_program->tensors[t].shape.n_dims; d++) {
    sp_str_addf(b->s->ctx, &s, "%s%lld", d ? ", " : "", (long long)idx[d]);
  }
  return s.v ? sp_format(b->s->ctx, "element [%s] of ", s.v) : "";
}

static const char *text_of(spi_bench *b, const sp_node *node, uint32_t k,
                           int64_t owner, int64_t rank, int64_t at) {
  const sp_program *p = b->s->seq_program;
  uint32_t block = node->in[k];
  sp_dtype type = p->tensors[block].shape.dtype;
  const char *place = node->pos.source_file ? sp_format(b->s->ctx, " (%s:%u)",
                                                        node->pos.source_file,
                                                        node->pos.source_line)
                                            : "";
  return sp_format(
      b->s->ctx,
      "BEFORE itself has no one meaning: %s%s, which leaves manual mode (%s), "
      "is declared to be the same on ranks %lld and %lld, but %sits "
      "block %s is %s on the one and %s on the other: a reduction over "
      "these devices is missing in the shard_map, or its out_specs leave out "
      "an axis of the mesh",
      p->tensors[node->out + k].name, place,
      sp_node_attr(node, "custom_call_target")->u.text, (long long)owner,
      (long long)rank, index_text(b, block, at), p->tensors[block].name,
      sp_number_text(b->s->ctx, type,
                     sp_machine_value(b->seq, block, owner, at), 9),
      sp_number_text(b->s->ctx, type, sp_machine_value(b->seq, block, rank, at),
                     9));
}

/* Result k of a node that leaves manual mode. */
static bool disagrees(spi_bench *b, const sp_node *node, uint32_t k,
                      spi_disagreement *out) {
  spi_manual_cut c = spi_manual_cut_of(b->s->ctx, b->s->seq_program, node, k);
  uint32_t block = node->in[k];
  for (int64_t r = 0; r < c.layout->ranks; r++) {
    int64_t owner = c.owners[sp_layout_tile(c.layout, c.whole, r)], at;
    if (!same_block(b, block, owner, r, &at)) {
      *out =
          (spi_disagreement){node->out + k, text_of(b, node, k, owner, r, at)};
      return true;
    }
  }
  return false;
}

bool spi_find_disagreement(spi_bench *b, uint32_t result,
                           spi_disagreement *out) {
  const sp_program *p = b->s->seq_program;
  if (!b->s->problem->manual || sp_machine_ranks(b->seq) < 2) {
    return false;
  }
  const bool *on = on_the_way(b, result);
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_node *node = &p->nodes[i];
    bool leaves = spi_border_of(node) == SPI_BORDER_LEAVE;
    for (uint32_t k = 0; leaves && k < node->n_out; k++) {
      if (on[node->out + k] && sp_machine_has(b->seq, node->in[k]) &&
          disagrees(b, node, k, out)) {
        return true;
      }
    }
  }
  return false;
}
