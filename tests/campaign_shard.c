/* campaign_shard.c: a partitioner of our own, for tests: sequential program to
 * the program of one device. Read shard_node, then camp_shard.
 *
 * For each operator and mesh axis one of the ways of campaign_rules.c is drawn,
 * rather one that fits what the operands are; operands are moved there
 * (campaign_reshard.c) and the operator is written over what is local.
 */
#include "tests/campaign.h"

#include <string.h>

int64_t camp_tiles(const camp_mesh *m, const camp_place *at, uint32_t dim) {
  int64_t tiles = 1;
  for (uint32_t a = 0; a < m->n_axes; a++) {
    tiles *= at[a].held == CAMP_PART && at[a].dim == dim ? m->size[a] : 1;
  }
  return tiles;
}

int64_t camp_block(const camp_mesh *m, const camp_place *at, uint32_t dim,
                   int64_t size) {
  int64_t tiles = camp_tiles(m, at, dim);
  return (size + tiles - 1) / tiles;
}

uint32_t camp_axes_of(const camp_mesh *m, const camp_place *at, uint32_t dim) {
  uint32_t set = 0;
  for (uint32_t a = 0; a < m->n_axes; a++) {
    set |= at[a].held == CAMP_PART && at[a].dim == dim ? 1u << a : 0;
  }
  return set;
}

static void local_dims(const camp_sharder *s, const camp_node *global,
                       const camp_place *at, camp_node *local) {
  local->n_dims = global->n_dims;
  for (uint32_t d = 0; d < global->n_dims; d++) {
    local->dims[d] = camp_block(s->mesh, at, d, global->dims[d]);
  }
}

/* ---- inputs ---- */

/* Whole, or cut along a dimension worth cutting. */
static void draw_places(camp_sharder *s, const camp_node *global,
                        camp_place *at) {
  for (uint32_t a = 0; a < s->mesh->n_axes; a++) {
    at[a] = (camp_place){CAMP_WHOLE, 0, CAMP_SUM};
    uint32_t d = global->n_dims ? camp_draw(&s->rng, global->n_dims) : 0;
    if (!global->n_dims || camp_one_in(&s->rng, 3)) {
      continue;
    }
    int64_t tiles = camp_tiles(s->mesh, at, d) * s->mesh->size[a];
    bool even = global->dims[d] % tiles == 0;
    if (global->dims[d] >= tiles && (even || s->mesh->uneven)) {
      at[a] = (camp_place){CAMP_PART, d, CAMP_SUM};
    }
  }
}

static camp_value parameter(camp_sharder *s, const camp_node *global,
                            const camp_place *at) {
  camp_node local = {0};
  camp_value v;
  memcpy(v.at, at, sizeof v.at);
  local_dims(s, global, at, &local);
  v.node = camp_parameter(s->dist, global->type, local.n_dims, local.dims);
  return v;
}

/* ---- operators over what is local ---- */

/* Slices of dimensions that are whole otherwise, of cut ones all. */
static void make_local(const camp_sharder *s, camp_node *n) {
  if (n->op != CAMP_OP_SLICE) {
    return;
  }
  const camp_node *a = camp_at(s->dist, n->in[0]);
  for (uint32_t d = 0; d < n->n_x; d++) {
    if (a->dims[d] == n->dims[d]) {
      n->x[d] = 0;
      n->y[d] = a->dims[d];
      n->z[d] = 1;
    }
  }
}

/* The same numbers on each device, moved by where its part begins. */
static uint32_t local_iota(camp_sharder *s, const camp_node *n,
                           const camp_place *at) {
  uint32_t iota = camp_push(s->dist, *n);
  uint32_t axes = camp_axes_of(s->mesh, at, (uint32_t)n->x[0]);
  if (!axes) {
    return iota;
  }
  uint32_t offset = camp_offset(s, axes, n->dims[n->x[0]]);
  if (n->type != SP_S32) {
    offset = camp_convert(s->dist, offset, n->type);
  }
  offset = camp_spread(s->dist, offset, iota);
  uint32_t moved = camp_binary(s->dist, CAMP_OP_ADD, iota, offset);
  camp_mark(s, moved, CAMP_SHIFT);
  return moved;
}

/* Indices as seen from this device's part of the dimension looked up. */
static uint32_t local_indices(camp_sharder *s, uint32_t indices, uint32_t axes,
                              int64_t block) {
  uint32_t offset = camp_offset(s, axes, block);
  offset = camp_spread(s->dist, offset, indices);
  uint32_t moved = camp_binary(s->dist, CAMP_OP_SUBTRACT, indices, offset);
  camp_mark(s, moved, CAMP_SHIFT);
  return moved;
}

/* Rows of the dimension that are here, zero for the others. An index beyond
 * the tensor means its nearest row: so it is clamped first. */
static uint32_t local_gather(camp_sharder *s, camp_node *n,
                             const camp_node *global, uint32_t axes) {
  camp_program *p = s->dist;
  uint32_t dim = (uint32_t)n->x[0];
  int64_t block = camp_at(p, n->in[0])->dims[dim];
  uint32_t low = camp_scalar(p, SP_S32, 0),
           high = camp_scalar(p, SP_S32, (double)global->dims[dim] - 1);
  uint32_t in[] = {camp_spread(p, low, n->in[1]), n->in[1],
                   camp_spread(p, high, n->in[1])};
  uint32_t clamped = camp_binary(p, CAMP_OP_MAXIMUM, in[0], in[1]);
  clamped = camp_binary(p, CAMP_OP_MINIMUM, clamped, in[2]);
  uint32_t at = local_indices(s, clamped, axes, block);
  uint32_t zero = camp_spread(p, camp_scalar(p, SP_S32, 0), at),
           end = camp_spread(p, camp_scalar(p, SP_S32, (double)block), at);
  uint32_t here = camp_binary(p, CAMP_OP_AND, camp_compare(p, "GE", at, zero),
                              camp_compare(p, "LT", at, end));
  n->in[1] = at;
  uint32_t rows = camp_push(p, *n);
  if (camp_at(p, at)->n_dims) {
    int64_t map[] = {dim};
    here = camp_broadcast(p, here, n->n_dims, n->dims, map);
  } else {
    here = camp_spread(p, here, rows);
  }
  uint32_t nothing = camp_spread(p, camp_scalar(p, n->type, 0), rows);
  uint32_t out = camp_select(p, here, rows, nothing);
  camp_mark(s, out, CAMP_MASK);
  return out;
}

static uint32_t local_node(camp_sharder *s, const camp_node *global,
                           const camp_value *in, const camp_place *at) {
  camp_node n = *global;
  for (uint32_t k = 0; k < n.n_in; k++) {
    n.in[k] = in[k].node;
  }
  local_dims(s, global, at, &n);
  make_local(s, &n);
  if (n.op == CAMP_OP_IOTA) {
    return local_iota(s, &n, at);
  }
  uint32_t axes = n.op == CAMP_OP_GATHER || n.op == CAMP_OP_SCATTER
                      ? camp_axes_of(s->mesh, in[0].at, (uint32_t)n.x[0])
                      : 0;
  if (axes && n.op == CAMP_OP_GATHER) {
    return local_gather(s, &n, camp_at(s->seq, global->in[0]), axes);
  }
  if (axes) {
    n.in[1] = local_indices(s, n.in[1], axes, n.dims[n.x[0]]);
  }
  return camp_push(s->dist, n);
}

/* ---- choosing ---- */

static bool place_fits(const camp_sharder *s, const camp_node *global,
                       const camp_place *at, uint32_t axis, camp_place p,
                       bool even) {
  if (p.held != CAMP_PART) {
    return true;
  }
  int64_t size = global->dims[p.dim],
          tiles = camp_tiles(s->mesh, at, p.dim) * s->mesh->size[axis];
  return size % tiles == 0 || (!even && size > tiles && s->mesh->uneven);
}

/* Places of all operands and the result by axis, while they are chosen. */
typedef struct choice {
  camp_place in[CAMP_IN][CAMP_AXES], out[CAMP_AXES];
  bool mask[CAMP_AXES];
} choice;

static bool place_equal(camp_place a, camp_place b) {
  return a.held == b.held && (a.held != CAMP_PART || a.dim == b.dim) &&
         (a.held != CAMP_PARTIAL || a.red == b.red);
}

/* One tensor holds partial results of one reduction only: two do not commute.
 */
static bool reds_agree(const camp_place *at, uint32_t axis, camp_place p) {
  for (uint32_t a = 0; a < axis && p.held == CAMP_PARTIAL; a++) {
    if (at[a].held == CAMP_PARTIAL && at[a].red != p.red) {
      return false;
    }
  }
  return true;
}

/* Partial results are passed on, and made by contractions, not by halves. */
static bool way_fits(const camp_sharder *s, const camp_node *n,
                     const camp_way *w, const choice *c, uint32_t axis) {
  bool fits = place_fits(s, n, c->out, axis, w->out, w->even) &&
              reds_agree(c->out, axis, w->out);
  bool partial = false, there = false, all = true;
  for (uint32_t k = 0; k < n->n_in; k++) {
    fits = fits &&
           place_fits(s, camp_at(s->seq, n->in[k]), c->in[k], axis, w->in[k],
                      w->even) &&
           reds_agree(c->in[k], axis, w->in[k]);
    partial = partial || w->in[k].held == CAMP_PARTIAL;
    all = all && w->in[k].held == CAMP_PARTIAL &&
          place_equal(w->in[k], s->values[n->in[k]].at[axis]);
    there = there || (w->in[k].held != CAMP_WHOLE &&
                      place_equal(w->in[k], s->values[n->in[k]].at[axis]));
  }
  bool usual = camp_op_kind(n->op) == CAMP_ELEMENT && all;
  return fits && (!partial || (there && (usual || s->mesh->odd)));
}

/* Ways that take operands as they are weigh more; partial results are most
 * often added up at once. */
static uint32_t weight(const camp_sharder *s, const camp_node *n,
                       const camp_way *w, uint32_t axis) {
  uint32_t total = 1;
  for (uint32_t k = 0; k < n->n_in; k++) {
    camp_place is = s->values[n->in[k]].at[axis];
    if (is.held == CAMP_PARTIAL) {
      total *= place_equal(is, w->in[k]) ? 3 : 6;
    } else if (w->in[k].held == CAMP_PARTIAL) {
      return 1;
    } else if (place_equal(is, w->in[k])) {
      total *= is.held == CAMP_PART ? 20 : 2;
    }
  }
  return total;
}

static void choose(camp_sharder *s, uint32_t node, choice *c) {
  const camp_node *n = camp_at(s->seq, node);
  camp_way ways[CAMP_MAX_WAYS + 1];
  uint32_t count = camp_ways(s->seq, node, ways);
  memset(&ways[count++], 0, sizeof *ways); /* all whole */
  for (uint32_t a = 0; a < s->mesh->n_axes; a++) {
    uint32_t total = 0, weights[CAMP_MAX_WAYS + 1];
    for (uint32_t i = 0; i < count; i++) {
      weights[i] =
          way_fits(s, n, &ways[i], c, a) ? weight(s, n, &ways[i], a) : 0;
      total += weights[i];
    }
    uint32_t at = camp_draw(&s->rng, total), i = 0;
    while (at >= weights[i]) {
      at -= weights[i++];
    }
    c->out[a] = ways[i].out;
    c->mask[a] = ways[i].mask;
    for (uint32_t k = 0; k < n->n_in; k++) {
      c->in[k][a] = ways[i].in[k];
    }
  }
}

/* Padding that a reduction would see. */
static void mask_operand(camp_sharder *s, const camp_node *n, uint32_t k,
                         const choice *c, camp_value *v) {
  const camp_node *global = camp_at(s->seq, n->in[k]);
  double neutral = n->op == CAMP_OP_REDUCE ? camp_identity(n->red, n->type) : 0;
  for (uint32_t d = 0; d < global->n_dims; d++) {
    uint32_t axes = camp_axes_of(s->mesh, v->at, d);
    bool reduced = false;
    for (uint32_t a = 0; a < s->mesh->n_axes; a++) {
      reduced = reduced || ((axes >> a & 1) && c->mask[a]);
    }
    if (reduced && global->dims[d] % camp_tiles(s->mesh, v->at, d) != 0) {
      v->node = camp_mask(s, v->node, axes, d, global->dims[d], neutral);
    }
  }
}

/* ---- loops ---- */

static void shard_nodes(camp_sharder *s, const camp_value *given);

/* Not cut with padding. */
static void no_padding(const camp_node *global, camp_place *to,
                       const camp_mesh *m) {
  for (uint32_t a = 0; a < m->n_axes; a++) {
    if (to[a].held == CAMP_PART &&
        global->dims[to[a].dim] % camp_tiles(m, to, to[a].dim) != 0) {
      to[a] = (camp_place){CAMP_WHOLE, 0, CAMP_SUM};
    }
  }
}

static void no_partial(camp_place *to, const camp_mesh *m) {
  for (uint32_t a = 0; a < m->n_axes; a++) {
    if (to[a].held == CAMP_PARTIAL) {
      to[a] = (camp_place){CAMP_WHOLE, 0, CAMP_SUM};
    }
  }
}

static camp_value loop(camp_sharder *s, const camp_node *n) {
  camp_node local = *n;
  camp_value in[CAMP_IN + 1];
  camp_sharder inner = *s;
  inner.seq = n->body;
  inner.dist = camp_program_new(s->ctx);
  inner.values = sp_alloc_n(s->ctx, n->body->nodes.n + 1, sizeof(camp_value));
  memset(&in[0], 0, sizeof in[0]);
  in[0].node = camp_parameter(inner.dist, SP_S32, 0, NULL);
  camp_value out = {0};
  for (uint32_t k = 0; k < n->n_in; k++) {
    const camp_node *global = camp_at(s->seq, n->in[k]);
    camp_value v = s->values[n->in[k]];
    camp_place to[CAMP_AXES];
    memcpy(to, v.at, sizeof to);
    no_partial(to, s->mesh);
    if (!s->mesh->odd) {
      no_padding(global, to, s->mesh);
    }
    v = camp_move(s, v, global, to);
    local.in[k] = v.node;
    in[k + 1] = parameter(&inner, global, v.at);
    out = k ? out : v;
  }
  shard_nodes(&inner, in);
  uint32_t result = n->body->results.v[0];
  camp_value last =
      camp_move(&inner, inner.values[result], camp_at(n->body, result), out.at);
  sp_push(s->ctx, &inner.dist->results, last.node);
  local.body = inner.dist;
  local_dims(s, n, out.at, &local);
  out.node = camp_push(s->dist, local);
  return out;
}

/* ---- nodes ---- */

static camp_value shard_node(camp_sharder *s, uint32_t node) {
  const camp_node *n = camp_at(s->seq, node);
  choice c;
  memset(&c, 0, sizeof c);
  choose(s, node, &c);
  camp_value in[CAMP_IN], out;
  for (uint32_t k = 0; k < n->n_in; k++) {
    const camp_node *global = camp_at(s->seq, n->in[k]);
    in[k] = camp_move(s, s->values[n->in[k]], global, c.in[k]);
    mask_operand(s, n, k, &c, &in[k]);
  }
  memcpy(out.at, c.out, sizeof out.at);
  out.node = local_node(s, n, in, out.at);
  return out;
}

static camp_value constant(camp_sharder *s, const camp_node *n) {
  camp_value v = {0};
  v.node = camp_push(s->dist, *n);
  return v;
}

static void shard_nodes(camp_sharder *s, const camp_value *given) {
  bool *needed = camp_needed(s->seq);
  uint32_t number = 0;
  for (uint32_t i = 0; i < s->seq->nodes.n; i++) {
    const camp_node *n = camp_at(s->seq, i);
    size_t first = s->dist->nodes.n;
    uint64_t stream = 1000 + camp_stream(s->seq, s->seed, i);
    s->rng = camp_rng_of(s->seed, stream + (given ? 1000 * s->now : 0));
    if (!given) {
      s->now = i;
    }
    if (n->op == CAMP_OP_PARAMETER && given) {
      s->values[i] = given[number++];
    } else if (n->op == CAMP_OP_PARAMETER && needed[i]) {
      camp_place at[CAMP_AXES] = {{CAMP_WHOLE, 0, CAMP_SUM}};
      draw_places(s, n, at);
      s->values[i] = parameter(s, n, at);
    } else if (needed[i]) {
      s->values[i] = n->op == CAMP_OP_CONSTANT ? constant(s, n)
                     : n->op == CAMP_OP_LOOP   ? loop(s, n)
                                               : shard_node(s, i);
    }
    for (size_t k = first; k < s->dist->nodes.n; k++) {
      s->dist->nodes.v[k].from = i;
    }
  }
}

void camp_mark(camp_sharder *s, uint32_t node, camp_role role) {
  s->dist->nodes.v[node].role = role;
}

/* Results are whole or cut: what is partial is added up somehow. */
static camp_value finish(camp_sharder *s, uint32_t node) {
  camp_place to[CAMP_AXES];
  const camp_node *global = camp_at(s->seq, node);
  size_t first = s->dist->nodes.n;
  s->rng = camp_rng_of(s->seed, 500000 + camp_stream(s->seq, s->seed, node));
  if (camp_one_in(&s->rng, 3)) {
    draw_places(s, global, to);
  } else {
    memcpy(to, s->values[node].at, sizeof to);
    no_partial(to, s->mesh);
  }
  camp_value v = camp_move(s, s->values[node], global, to);
  for (size_t k = first; k < s->dist->nodes.n; k++) {
    s->dist->nodes.v[k].from = node;
  }
  return v;
}

camp_sharded camp_shard(sp_ctx *ctx, const camp_program *seq,
                        const camp_mesh *mesh, uint64_t seed) {
  camp_sharder s = {.ctx = ctx, .seed = seed, .mesh = mesh, .seq = seq};
  s.dist = camp_program_new(ctx);
  s.values = sp_alloc_n(ctx, seq->nodes.n + 1, sizeof *s.values);
  shard_nodes(&s, NULL);
  camp_value *params = sp_alloc_n(ctx, seq->params.n + 1, sizeof *params);
  camp_value *results = sp_alloc_n(ctx, seq->results.n + 1, sizeof *results);
  for (size_t i = 0; i < seq->params.n; i++) {
    params[i] = s.values[seq->params.v[i]];
  }
  for (size_t i = 0; i < seq->results.n; i++) {
    results[i] = finish(&s, seq->results.v[i]);
    sp_push(ctx, &s.dist->results, results[i].node);
  }
  return (camp_sharded){s.dist, params, results};
}
