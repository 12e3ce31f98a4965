/* campaign_generate.c: random sequential programs. Read camp_generate, at the
 * end; what it adds is in campaign_grow_*.c.
 */
#include "tests/campaign_grow.h"

#include <string.h>

/* ---- as they come in networks ---- */

static void grow_softmax(maker *m) {
  uint32_t x;
  if (!pick(m, is_real, 1, 3, &x)) {
    return;
  }
  x = calm(m, x);
  camp_node a = *at(m, x);
  int64_t dim = camp_draw(&m->rng, a.n_dims), map[CAMP_DIMS];
  for (uint32_t d = 0, k = 0; d < a.n_dims; d++) {
    if (d != dim) {
      map[k++] = d;
    }
  }
  uint32_t low = camp_scalar(m->p, SP_F32, camp_identity(CAMP_MAX, SP_F32));
  uint32_t top = camp_reduce(m->p, CAMP_MAX, x, low, 1, &dim);
  top = camp_broadcast(m->p, top, a.n_dims, a.dims, map);
  x = camp_unary(m->p, CAMP_OP_EXP,
                 camp_binary(m->p, CAMP_OP_SUBTRACT, x, top));
  uint32_t zero = camp_scalar(m->p, SP_F32, 0);
  uint32_t sum = camp_reduce(m->p, CAMP_SUM, x, zero, 1, &dim);
  sum = camp_broadcast(m->p, sum, a.n_dims, a.dims, map);
  camp_binary(m->p, CAMP_OP_DIVIDE, x, sum);
}

/* ---- loops ---- */

/* A few steps that take the state, the counter and up to two tensors that do
 * not change. */
static void grow_loop(maker *m) {
  uint32_t x, w;
  if (m->inner || !pick(m, is_real, 1, 3, &x)) {
    return;
  }
  x = calm(m, x);
  camp_program *body = camp_program_new(m->p->ctx);
  maker in = {body, m->rng, {m->sizes[0], m->sizes[1], m->sizes[2]}, true};
  camp_node loop = {.op = CAMP_OP_LOOP, .type = SP_F32, .n_in = 1, .in = {x}};
  uint32_t counter = camp_parameter(body, SP_S32, 0, NULL);
  camp_node state = *at(m, x);
  loop.n_dims = state.n_dims;
  memcpy(loop.dims, state.dims, sizeof loop.dims);
  uint32_t was = camp_parameter(body, SP_F32, state.n_dims, state.dims);
  body->nodes.v[counter].size = 8;
  body->nodes.v[was].size = 64;
  body->nodes.v[was].bits = -1;
  for (int k = 0; k < 2; k++) {
    if (pick(m, is_real, 1, 3, &w) && w != x && at(m, w)->size < 64) {
      camp_node n = *at(m, w);
      uint32_t param = camp_parameter(body, SP_F32, n.n_dims, n.dims);
      body->nodes.v[param].size = 64;
      body->nodes.v[param].bits = -1;
      loop.in[loop.n_in++] = w;
    }
  }
  static const grower steps[] = {grow_unary,  grow_binary,    grow_dot,
                                 grow_reduce, grow_transpose, grow_binary};
  uint32_t count = 2 + camp_draw(&in.rng, 4);
  for (uint32_t i = 0; i < count; i++) {
    steps[camp_draw(&in.rng, sizeof steps / sizeof *steps)](&in);
    camp_bound(body);
  }
  /* the new state: the latest that has its shape, bounded */
  uint32_t last = was;
  for (uint32_t i = was + 1; i < body->nodes.n; i++) {
    const camp_node *n = camp_at(body, i);
    if (n->type == SP_F32 && same_shape(n, &state) &&
        n->op != CAMP_OP_PARAMETER) {
      last = i;
    }
  }
  last = camp_unary(body, CAMP_OP_TANH, last);
  sp_push(body->ctx, &body->results, last);
  loop.body = body;
  loop.trips = 1 + camp_draw(&m->rng, 3);
  camp_push(m->p, loop);
}

/* ---- programs ---- */

static const grower growers[] = {
    grow_unary,    grow_unary,       grow_binary,    grow_binary,  grow_binary,
    grow_binary,   grow_of_positive, grow_rounding,  grow_divide,  grow_power,
    grow_bits,     grow_logic,       grow_compare,   grow_select,  grow_select,
    grow_clamp,    grow_convert,     grow_broadcast, grow_reshape, grow_reshape,
    grow_reshape,  grow_transpose,   grow_transpose, grow_slice,   grow_reverse,
    grow_pad,      grow_concat,      grow_iota,      grow_reduce,  grow_reduce,
    grow_reduce,   grow_reduce,      grow_dot,       grow_dot,     grow_dot,
    grow_dot,      grow_conv,        grow_window,    grow_gather,  grow_scatter,
    grow_dynamic,  grow_dynamic,     grow_sort,      grow_softmax, grow_loop,
    grow_constant,
};

static void draw_parameters(maker *m) {
  static const sp_dtype types[] = {SP_F32, SP_F32, SP_F32, SP_S32, SP_PRED};
  uint32_t count = 2 + camp_draw(&m->rng, 4);
  for (uint32_t i = 0; i < count; i++) {
    int64_t dims[3] = {any_size(m), any_size(m), any_size(m)};
    sp_dtype t = i ? types[camp_draw(&m->rng, 5)] : SP_F32;
    uint32_t n =
        t == SP_S32 ? camp_draw(&m->rng, 3) : 1 + camp_draw(&m->rng, 3);
    camp_parameter(m->p, t, n, dims);
  }
}

/* Results are what nobody uses: no operator is there for nothing. */
static void collect_results(camp_program *p) {
  bool *used = sp_alloc_n(p->ctx, p->nodes.n + 1, sizeof *used);
  for (size_t i = 0; i < p->nodes.n; i++) {
    for (uint32_t k = 0; k < p->nodes.v[i].n_in; k++) {
      used[p->nodes.v[i].in[k]] = true;
    }
  }
  for (uint32_t i = 0; i < p->nodes.n; i++) {
    const camp_node *n = camp_at(p, i);
    if (!used[i] && n->n_in && n->type != SP_BF16) {
      sp_push(p->ctx, &p->results, i);
    }
  }
}

camp_program *camp_generate(sp_ctx *ctx, uint64_t seed, bool layered) {
  static const int64_t sizes[] = {2, 3, 4, 4, 4, 5, 6, 6, 7, 8, 8};
  maker m = {.p = camp_program_new(ctx), .rng = camp_rng_of(seed, 2)};
  for (int i = 0; i < 3; i++) {
    m.sizes[i] = sizes[camp_draw(&m.rng, sizeof sizes / sizeof *sizes)];
  }
  draw_parameters(&m);
  if (layered) { /* it may be rounded */
    m.p->nodes.v[0].size = 2;
    m.p->nodes.v[0].bits = -1;
  }
  camp_bound(m.p);
  if (layered && camp_one_in(&m.rng, 2)) {
    int64_t n = any_size(&m);
    camp_parameter(m.p, SP_S32, 1, &n);
    camp_bound(m.p);
    grow_gather(&m);
    camp_bound(m.p);
  }
  uint32_t goal = 20 + camp_draw(&m.rng, 41);
  goal = layered ? 8 + goal / 3 : goal;
  for (int tries = 0; m.p->nodes.n < goal && tries < 400; tries++) {
    grower grow = growers[camp_draw(&m.rng, sizeof growers / sizeof *growers)];
    if (layered && grow == grow_loop) {
      continue;
    }
    grow(&m);
    camp_bound(m.p);
  }
  collect_results(m.p);
  return m.p;
}
