/* campaign_grow_tensor.c: see campaign_grow.h. */
#include "tests/campaign_grow.h"

#include <string.h>

/* ---- contractions ---- */

void grow_reduce(maker *m) {
  uint32_t x;
  if (!pick(m, is_any, 1, 4, &x)) {
    return;
  }
  camp_node n = *at(m, x);
  camp_red red = n.type == SP_PRED ? CAMP_AND + camp_draw(&m->rng, 2)
                                   : camp_draw(&m->rng, 5);
  red = red == CAMP_AND && n.type != SP_PRED ? CAMP_SUM : red;
  if (red == CAMP_PROD && (n.size > 2 || n.type == SP_S32)) {
    red = CAMP_SUM;
  }
  if (n.type == SP_BF16) {
    return;
  }
  int64_t dims[CAMP_DIMS];
  uint32_t k = 0, sure = camp_draw(&m->rng, n.n_dims);
  for (uint32_t d = 0; d < n.n_dims; d++) {
    if (d == sure || camp_one_in(&m->rng, 3)) {
      dims[k++] = d;
    }
  }
  double start = camp_identity(red, n.type);
  if (camp_one_in(&m->rng, 8) && n.type != SP_PRED) {
    start = 1;
  }
  camp_reduce(m->p, red, x, camp_scalar(m->p, n.type, start), k, dims);
}

/* A tensor with one dimension of that size, perhaps more. */
static bool pick_with(maker *m, int64_t size, sp_dtype t, uint32_t *x,
                      uint32_t *dim) {
  for (int tries = 0; tries < 20; tries++) {
    if (!pick(m, is_number, 1, 3, x) || at(m, *x)->type != t) {
      continue;
    }
    *dim = camp_draw(&m->rng, at(m, *x)->n_dims);
    if (at(m, *x)->dims[*dim] == size) {
      return true;
    }
  }
  return false;
}

void grow_dot(maker *m) {
  uint32_t a, b, e, f;
  if (!pick(m, camp_one_in(&m->rng, 10) ? is_int : is_real, 1, 4, &a)) {
    return;
  }
  a = calm(m, a);
  e = camp_draw(&m->rng, at(m, a)->n_dims);
  int64_t size = at(m, a)->dims[e];
  sp_dtype t = at(m, a)->type;
  if (!pick_with(m, size, t, &b, &f) || (b == a && !camp_one_in(&m->rng, 6))) {
    int64_t dims[] = {size, any_size(m)};
    if (m->inner) {
      return;
    }
    b = camp_parameter(m->p, t, 2, dims);
    f = 0;
  }
  b = calm(m, b);
  camp_node x = *at(m, a), y = *at(m, b);
  camp_node n = {.op = CAMP_OP_DOT, .type = t, .n_in = 2, .in = {a, b}};
  n.n_x = 1;
  n.x[0] = e;
  n.y[0] = f;
  memset(n.z, -1, sizeof n.z);
  uint32_t used_a = 1u << e, used_b = 1u << f, batch = 0;
  for (uint32_t i = 0; i < x.n_dims && batch < 2; i++) {
    for (uint32_t j = 0; j < y.n_dims; j++) {
      bool used = used_a >> i & 1 || used_b >> j & 1;
      if (!used && x.dims[i] == y.dims[j] && camp_one_in(&m->rng, 2)) {
        used_a |= 1u << i;
        used_b |= 1u << j;
        n.z[2 * batch] = i;
        n.z[2 * batch++ + 1] = j;
        n.dims[n.n_dims++] = x.dims[i];
      }
    }
  }
  for (uint32_t i = 0; i < x.n_dims; i++) {
    if (!(used_a >> i & 1)) {
      n.dims[n.n_dims++] = x.dims[i];
    }
  }
  for (uint32_t j = 0; j < y.n_dims && n.n_dims < CAMP_DIMS; j++) {
    if (!(used_b >> j & 1)) {
      n.dims[n.n_dims++] = y.dims[j];
    }
  }
  if (n.n_dims <= 4 && camp_elements(&n) <= MAX_ELEMENTS) {
    camp_push(m->p, n);
  }
}

void grow_conv(maker *m) {
  uint32_t x;
  if (m->inner || !pick(m, is_real, 3, 3, &x)) {
    return;
  }
  x = calm(m, x);
  camp_node a = *at(m, x);
  int64_t w[] = {1 + camp_draw(&m->rng, a.dims[1] < 3 ? 1 : 3), a.dims[2],
                 any_size(m)};
  uint32_t kernel = camp_parameter(m->p, SP_F32, 3, w);
  camp_node n = {.op = CAMP_OP_CONV, .type = SP_F32, .n_dims = 3, .n_in = 2};
  n.in[0] = x;
  n.in[1] = kernel;
  n.n_x = 3;
  n.x[0] = 1 + camp_draw(&m->rng, 2);
  n.x[1] = camp_draw(&m->rng, 2);
  n.x[2] = camp_draw(&m->rng, 2);
  n.dims[0] = a.dims[0];
  n.dims[1] = (a.dims[1] + n.x[1] + n.x[2] - w[0]) / n.x[0] + 1;
  n.dims[2] = w[2];
  camp_push(m->p, n);
}

void grow_window(maker *m) {
  uint32_t x;
  if (!pick(m, is_number, 1, 3, &x)) {
    return;
  }
  camp_node a = *at(m, x);
  camp_node n = {.op = CAMP_OP_WINDOW,
                 .type = a.type,
                 .n_dims = a.n_dims,
                 .n_in = 2,
                 .n_x = a.n_dims};
  static const camp_red reds[] = {CAMP_SUM, CAMP_MAX, CAMP_MIN};
  n.red = reds[camp_draw(&m->rng, 3)];
  n.in[0] = x;
  n.in[1] = camp_scalar(m->p, a.type, camp_identity(n.red, a.type));
  uint32_t dim = camp_draw(&m->rng, a.n_dims);
  for (uint32_t d = 0; d < a.n_dims; d++) {
    n.x[d] = n.y[d] = 1;
    n.dims[d] = a.dims[d];
  }
  bool running = camp_one_in(&m->rng, 3); /* cumulative */
  n.x[dim] = running ? a.dims[dim] : 1 + camp_draw(&m->rng, 3);
  int64_t low = running ? a.dims[dim] - 1 : camp_draw(&m->rng, 2);
  low = low < n.x[dim] ? low : 0;
  int64_t high = n.x[dim] > a.dims[dim] + low ? n.x[dim] : 0;
  n.y[dim] = running ? 1 : 1 + camp_draw(&m->rng, 2);
  n.z[dim] = low + 100 * high;
  n.dims[dim] = (a.dims[dim] + low + high - n.x[dim]) / n.y[dim] + 1;
  camp_push(m->p, n);
}

/* ---- looking up ---- */

void grow_gather(maker *m) {
  uint32_t a, b;
  if (!pick(m, is_number, 1, 3, &a) || !pick(m, is_int, 0, 1, &b)) {
    return;
  }
  camp_node x = *at(m, a), y = *at(m, b);
  camp_node n = {.op = CAMP_OP_GATHER, .type = x.type, .n_in = 2, .n_x = 1};
  n.in[0] = a;
  n.in[1] = b;
  n.x[0] = camp_draw(&m->rng, x.n_dims);
  for (uint32_t d = 0; d < x.n_dims; d++) {
    if (d != n.x[0] || y.n_dims) {
      n.dims[n.n_dims++] = d == n.x[0] ? y.dims[0] : x.dims[d];
    }
  }
  if (camp_elements(&n) <= MAX_ELEMENTS) {
    camp_push(m->p, n);
  }
}

void grow_scatter(maker *m) {
  uint32_t a, b;
  if (m->inner || !pick(m, is_number, 1, 3, &a) || !pick(m, is_int, 1, 1, &b)) {
    return;
  }
  camp_node x = *at(m, a);
  camp_node n = {.op = CAMP_OP_SCATTER,
                 .type = x.type,
                 .n_dims = x.n_dims,
                 .n_in = 3,
                 .n_x = 1};
  memcpy(n.dims, x.dims, sizeof n.dims);
  n.in[0] = a;
  n.in[1] = b;
  n.x[0] = camp_draw(&m->rng, x.n_dims);
  x.dims[n.x[0]] = at(m, b)->dims[0];
  uint32_t u = 0;
  bool found = false;
  for (int tries = 0; tries < 12 && !found; tries++) {
    found = pick(m, is_number, x.n_dims, x.n_dims, &u) &&
            at(m, u)->type == x.type && same_shape(at(m, u), &x);
  }
  n.in[2] = found ? u : camp_parameter(m->p, x.type, x.n_dims, x.dims);
  camp_push(m->p, n);
}

void grow_dynamic(maker *m) {
  uint32_t a, starts[CAMP_DIMS];
  if (!pick(m, is_any, 1, 3, &a)) {
    return;
  }
  camp_node x = *at(m, a);
  uint32_t dim = camp_draw(&m->rng, x.n_dims);
  uint32_t start = scalar_int(m), zero = camp_scalar(m->p, SP_S32, 0);
  for (uint32_t d = 0; d < x.n_dims; d++) {
    starts[d] = d == dim ? start : zero;
  }
  bool update = camp_one_in(&m->rng, 2);
  x.dims[dim] = 1 + camp_draw(&m->rng, (uint32_t)x.dims[dim]);
  uint32_t part = a;
  for (int tries = 0; update && tries < 16; tries++) {
    uint32_t u;
    if (pick(m, is_any, x.n_dims, x.n_dims, &u) && u != a &&
        at(m, u)->type == x.type) {
      camp_node y = *at(m, u);
      bool fits = y.dims[dim] <= at(m, a)->dims[dim];
      y.dims[dim] = x.dims[dim];
      if (fits && same_shape(&x, &y)) {
        part = u;
        break;
      }
    }
  }
  if (update && part != a) {
    camp_dynamic_update(m->p, a, part, starts);
  } else {
    camp_dynamic_slice(m->p, a, starts, x.dims);
  }
}

void grow_sort(maker *m) {
  uint32_t x;
  if (pick(m, is_exact, 1, 3, &x)) {
    camp_node a = *at(m, x);
    camp_node n = {.op = CAMP_OP_SORT,
                   .type = a.type,
                   .n_dims = a.n_dims,
                   .n_in = 1,
                   .in = {x},
                   .n_x = 2};
    memcpy(n.dims, a.dims, sizeof n.dims);
    n.x[0] = camp_draw(&m->rng, a.n_dims);
    n.x[1] = camp_draw(&m->rng, 2);
    camp_push(m->p, n);
  }
}
