/* repair_edge.c: the ranks at the ends of a line. What a rank is sent by its
 * neighbour is 0 where it has none, and is not, or on the wrong ranks: halos
 * that were sent round a ring. Read spi_try_edge_number and spi_try_edge. */
#include "solve/fit.h"
#include "solve/mender.h"

#include <string.h>

enum { SHOWN = 8, WITHIN = 16 };

typedef bool offer_fn(spi_mender *m, uint32_t at, const sp_attr *factors);

/* 1 by rank, but for 0 at the first or the last place along a way of cutting:
 * offered one after the other. */
static bool each_edge(spi_mender *m, uint32_t at, offer_fn *offer) {
  int64_t ranks = m->s->dist_program->partitions;
  for (size_t i = 0; i < m->s->cuts.n; i++) {
    const spi_cut *cut = &m->s->cuts.v[i];
    const int64_t *coordinate = spi_by_rank(m->s, cut->coordinate);
    for (int last = 0; coordinate && last < 2; last++) {
      int64_t edge = last ? cut->n - 1 : 0;
      int64_t *v = sp_alloc_n(m->s->ctx, (size_t)ranks + 1, sizeof *v);
      for (int64_t r = 0; r < ranks; r++) {
        v[r] = coordinate[r] != edge;
      }
      sp_attr factors = {
          .kind = SP_ATTR_RANKED_INT, .u.ints = v, .n = (size_t)ranks};
      if (offer(m, at, &factors)) {
        return true;
      }
    }
  }
  return false;
}

static const char *factors_text(spi_mender *m, const sp_attr *factors) {
  size_t n = factors->n < SHOWN ? factors->n : SHOWN;
  return sp_format(m->s->ctx, "%s%s",
                   spi_ints_text(m->s->ctx, factors->u.ints, n),
                   factors->n > SHOWN ? ", ..." : "");
}

static bool is_float(const spi_mender *m, const sp_node *node) {
  return node->n_out == 1 &&
         sp_dtype_is_float(m->program->tensors[node->out].shape.dtype);
}

/* ---- a product with a number ---- */

static bool is_mask_number(const sp_attr *a) {
  bool ok = true;
  switch ((int)a->kind) {
  case SP_ATTR_INT:
    return a->u.i == 0 || a->u.i == 1;
  case SP_ATTR_FLOAT:
    return a->u.f == 0 || a->u.f == 1;
  case SP_ATTR_RANKED_INT:
    for (size_t r = 0; r < a->n; r++) {
      ok = ok && (a->u.ints[r] == 0 || a->u.ints[r] == 1);
    }
    return ok;
  case SP_ATTR_RANKED_FLOAT:
    for (size_t r = 0; r < a->n; r++) {
      ok = ok && (a->u.floats[r] == 0 || a->u.floats[r] == 1);
    }
    return ok;
  default:
    return false;
  }
}

static bool offer_number(spi_mender *m, uint32_t at, const sp_attr *factors) {
  const sp_node *node = &m->program->nodes[at];
  spi_edit e = {.node = at,
                .becomes = spi_edit_attr(m->s->ctx, node, "arg1", *factors)};
  return spi_offer(m, &e,
                   "is masked on the wrong ranks; times %s by rank all results "
                   "are right",
                   factors_text(m, factors));
}

static bool is_masking(const spi_mender *m, const sp_node *node) {
  const sp_attr *number =
      spi_is_fx(node, "mul") ? sp_node_attr(node, "arg1") : NULL;
  return number && is_float(m, node) && is_mask_number(number);
}

bool spi_try_edge_number(spi_mender *m, uint32_t at) {
  return m->loop == UINT32_MAX && is_masking(m, &m->program->nodes[at]) &&
         each_edge(m, at, offer_number);
}

/* ---- what was sent ---- */

static bool offer_mask(spi_mender *m, uint32_t at, const sp_attr *factors) {
  const sp_node *node = &m->program->nodes[at];
  sp_attr *attrs = sp_alloc_n(m->s->ctx, 2, sizeof *attrs);
  sp_node *then = sp_alloc(m->s->ctx, sizeof *then);
  attrs[0] = (sp_attr){.name = "self", .kind = SP_ATTR_OPERAND, .u.i = 0};
  attrs[1] = *factors;
  attrs[1].name = "other";
  *then = (sp_node){.op = "aten.mul.Tensor",
                    .name = node->name,
                    .attrs = attrs,
                    .n_attrs = 2};
  spi_edit e = {.node = at, .becomes = node, .then = then};
  return spi_offer(m, &e,
                   "is not masked where there is no neighbour; times %s by "
                   "rank all results are right",
                   factors_text(m, factors));
}

/* What is sent is masked further down, after a few operators that move it. */
static bool is_masked_later(const spi_mender *m, uint32_t at) {
  const sp_program *p = m->program;
  uint32_t t = p->nodes[at].out;
  for (uint32_t i = at + 1; i < p->n_nodes && i < at + WITHIN; i++) {
    const sp_node *node = &p->nodes[i];
    if (node->n_in != 1 || node->in[0] != t) {
      continue;
    }
    if (is_masking(m, node)) {
      return true;
    }
    t = node->out;
  }
  return false;
}

bool spi_try_edge(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  bool sent = spi_is_fx(node, "all_to_all_single") ||
              spi_is_op(node, "collective-permute");
  return sent && m->loop == UINT32_MAX && is_float(m, node) &&
         !is_masked_later(m, at) && each_edge(m, at, offer_mask);
}
