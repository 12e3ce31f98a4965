/* campaign_layers.c: programs of equal layers, and faults in one of them: what
 * is proved of one layer must not be taken for proved of a layer that differs.
 * Read camp_repeat.
 */
#include "tests/campaign.h"

#include <string.h>

uint32_t camp_layers(uint64_t seed) {
  camp_rng r = camp_rng_of(seed, 7);
  return camp_one_in(&r, 4) ? 2 + camp_draw(&r, 2) : 1;
}

uint64_t camp_stream(const camp_program *seq, uint64_t seed, uint32_t node) {
  if (!seq->period) {
    return node;
  }
  uint32_t layer = node / seq->period;
  camp_rng r = camp_rng_of(seed, 900000 + layer);
  bool other = layer > 0 && camp_one_in(&r, 6);
  return node % seq->period + (other ? UINT64_C(1000000) * layer : 0);
}

/* ---- repeating ---- */

/* What the next layer may take for its first parameter: the latest that has
 * its shape; 0: there is none. */
static uint32_t handed_on(const camp_program *layer) {
  const camp_node *first = camp_at(layer, 0);
  for (uint32_t i = (uint32_t)layer->nodes.n; i-- > 1;) {
    const camp_node *n = camp_at(layer, i);
    if (n->n_in && n->type == SP_F32 && n->n_dims == first->n_dims &&
        memcmp(n->dims, first->dims, n->n_dims * sizeof *n->dims) == 0) {
      return i;
    }
  }
  return 0;
}

/* The layer with what it hands on, bounded again, as its last node. */
static camp_program *whole_layer(sp_ctx *ctx, const camp_program *layer) {
  camp_program *p = camp_program_new(ctx);
  for (uint32_t i = 0; i < layer->nodes.n; i++) {
    camp_push(p, *camp_at(layer, i));
  }
  camp_unary(p, CAMP_OP_TANH, handed_on(layer));
  p->bounded = layer->nodes.n;
  camp_bound(p);
  return p;
}

/* What stands for node i of the layer: itself, the first layer's, or what the
 * layer before hands on. */
static uint32_t stands_for(const camp_program *one, uint32_t layer, uint32_t i,
                           bool hands_on, camp_rng *r) {
  uint32_t period = (uint32_t)one->nodes.n;
  camp_op op = camp_at(one, i)->op;
  bool given = op == CAMP_OP_PARAMETER || op == CAMP_OP_CONSTANT;
  if (layer && i == 0 && hands_on && !camp_one_in(r, 3)) {
    return layer * period - 1;
  }
  bool shared = given && camp_one_in(r, 3);
  return shared ? i : layer * period + i;
}

camp_program *camp_repeat(sp_ctx *ctx, const camp_program *layer, uint64_t seed,
                          uint32_t layers) {
  camp_program *one = whole_layer(ctx, layer), *p = camp_program_new(ctx);
  uint32_t period = (uint32_t)one->nodes.n;
  uint32_t *is = sp_alloc_n(ctx, period, sizeof *is);
  bool hands_on = handed_on(layer) != 0;
  camp_rng r = camp_rng_of(seed, 8);
  p->period = period;
  for (uint32_t l = 0; l < layers; l++) {
    for (uint32_t i = 0; i < period; i++) {
      is[i] = stands_for(one, l, i, hands_on, &r);
      camp_node n = *camp_at(one, i);
      n.from = l * period + i;
      n.low =
          n.op == CAMP_OP_PARAMETER && n.type == SP_S32 && camp_one_in(&r, 2);
      for (uint32_t k = 0; k < n.n_in; k++) {
        n.in[k] = is[n.in[k]];
      }
      camp_push(p, n);
    }
    for (size_t i = 0; i < layer->results.n; i++) {
      sp_push(ctx, &p->results, is[layer->results.v[i]]);
    }
  }
  bool *needed = camp_needed(p);
  for (uint32_t i = 0; i < p->nodes.n; i++) {
    if (needed[i] && camp_at(p, i)->op == CAMP_OP_PARAMETER) {
      sp_push(ctx, &p->params, i);
    }
  }
  return p;
}

/* ---- breaking ---- */

/* An input is cut by another axis of the mesh than the program takes it to be.
 */
static const char *misplace(sp_ctx *ctx, const camp_program *seq,
                            camp_sharded *sharded, const camp_mesh *m,
                            uint32_t first, uint32_t end) {
  camp_value *params = sp_alloc_n(ctx, seq->params.n + 1, sizeof *params);
  for (size_t k = 0; k < seq->params.n; k++) {
    params[k] = sharded->params[k];
  }
  for (size_t k = 0; k < seq->params.n; k++) {
    camp_place *at = params[k].at;
    bool here = seq->params.v[k] >= first && seq->params.v[k] < end;
    for (uint32_t a = 1; here && a < m->n_axes; a++) {
      bool differ = at[a].held != at[a - 1].held ||
                    (at[a].held == CAMP_PART && at[a].dim != at[a - 1].dim);
      if (differ && m->size[a] == m->size[a - 1]) {
        camp_place was = at[a];
        at[a] = at[a - 1];
        at[a - 1] = was;
        sharded->params = params;
        return "input placed by another axis";
      }
    }
  }
  return NULL;
}

/* Indices are taken to be in range, which is said of some layers only. */
static const char *drop_clamps(camp_program *p) {
  const char *fault = NULL;
  for (size_t i = 0; i < p->nodes.n; i++) {
    camp_node *n = &p->nodes.v[i];
    bool clamps = n->op == CAMP_OP_MAXIMUM || n->op == CAMP_OP_MINIMUM;
    for (uint32_t k = 0; clamps && n->type == SP_S32 && k < 2; k++) {
      camp_op op = camp_at(p, n->in[k])->op;
      if (op != CAMP_OP_BROADCAST && op != CAMP_OP_CONSTANT) {
        n->op = CAMP_OP_COPY;
        n->in[0] = n->in[k];
        n->n_in = 1;
        fault = "indices not clamped";
        break;
      }
    }
  }
  return fault;
}

/* Most often in a layer that is like an earlier one; its operators are changed
 * on one side, or what is said of its inputs. */
const char *camp_break_layer(sp_ctx *ctx, camp_program *seq,
                             camp_sharded *sharded, const camp_mesh *mesh,
                             uint64_t seed) {
  camp_rng r = camp_rng_of(seed, 9);
  uint32_t layers = (uint32_t)seq->nodes.n / seq->period;
  uint32_t layer =
      camp_one_in(&r, 6) ? 0 : 1 + camp_draw(&r, layers > 1 ? layers - 1 : 1);
  uint32_t first = layer * seq->period, end = first + seq->period;
  const char *fault = NULL;
  if (camp_one_in(&r, 3)) {
    fault = drop_clamps(sharded->dist);
  }
  if (!fault && camp_one_in(&r, 4)) {
    fault = misplace(ctx, seq, sharded, mesh, first, end);
  }
  if (!fault && camp_one_in(&r, 2)) {
    fault = camp_break(seq, mesh, seed, first, end);
  }
  return fault ? fault : camp_break(sharded->dist, mesh, seed, first, end);
}
