/* campaign_pick.c: see campaign_grow.h. */
#include "tests/campaign_grow.h"

#include <string.h>

const camp_node *at(const maker *m, uint32_t n) {
  return camp_at(m->p, n);
}

/* ---- picking operands ---- */

bool is_real(const camp_node *n) {
  return n->type == SP_F32;
}

bool is_int(const camp_node *n) {
  return n->type == SP_S32;
}

bool is_pred(const camp_node *n) {
  return n->type == SP_PRED;
}

bool is_number(const camp_node *n) {
  return n->type == SP_F32 || n->type == SP_S32;
}

bool is_any(const camp_node *n) {
  return n->type != SP_U32;
}

bool is_exact(const camp_node *n) {
  return (is_int(n) || (is_real(n) && n->bits >= 0)) && n->size < 1e6;
}

/* A node that suits with so many dimensions, rather a late one; none that is
 * the same for all inputs. */
bool pick(maker *m, suits ok, uint32_t least, uint32_t most, uint32_t *out) {
  uint32_t n = (uint32_t)m->p->nodes.n;
  for (int tries = 0; tries < 24; tries++) {
    uint32_t back = camp_draw(&m->rng, n);
    back = camp_one_in(&m->rng, 2) ? back : camp_draw(&m->rng, back + 1);
    uint32_t i = (uint32_t)m->p->nodes.n - 1 - back;
    const camp_node *x = at(m, i);
    if (!x->steady && ok(x) && x->n_dims >= least && x->n_dims <= most) {
      *out = i;
      return true;
    }
  }
  return false;
}

bool same_shape(const camp_node *a, const camp_node *b) {
  return a->n_dims == b->n_dims &&
         memcmp(a->dims, b->dims, a->n_dims * sizeof *a->dims) == 0;
}

uint32_t constant(maker *m, uint32_t like, double v) {
  uint32_t c = camp_scalar(m->p, at(m, like)->type, v);
  return camp_spread(m->p, c, like);
}

uint32_t scalar_int(maker *m) {
  uint32_t x;
  if (pick(m, is_int, 0, 0, &x)) {
    return x;
  }
  return camp_scalar(m->p, SP_S32, (double)camp_draw(&m->rng, 5) - 1);
}

/* y in the shape of x, where its dimensions are among those of x. */
bool fit(maker *m, uint32_t x, uint32_t *y) {
  const camp_node *a = at(m, x), *b = at(m, *y);
  int64_t map[CAMP_DIMS];
  uint32_t k = 0;
  for (uint32_t d = 0; d < a->n_dims && k < b->n_dims; d++) {
    if (a->dims[d] == b->dims[k] &&
        (a->n_dims - d == b->n_dims - k || camp_one_in(&m->rng, 2))) {
      map[k++] = d;
    }
  }
  if (k < b->n_dims) {
    return false;
  }
  if (a->n_dims > b->n_dims) {
    camp_node shape = *a;
    *y = camp_broadcast(m->p, *y, shape.n_dims, shape.dims, map);
  }
  return true;
}

/* An iota or a constant in the shape of x. */
static bool pick_steady(maker *m, uint32_t x, suits ok, uint32_t *y) {
  for (uint32_t i = (uint32_t)m->p->nodes.n; i-- > 0;) {
    const camp_node *n = at(m, i);
    if (n->steady && n->n_dims && n->n_dims <= at(m, x)->n_dims && ok(n) &&
        camp_one_in(&m->rng, 2)) {
      *y = i;
      return fit(m, x, y);
    }
  }
  return false;
}

/* Another tensor in the shape of x. */
uint32_t partner(maker *m, uint32_t x, suits ok) {
  uint32_t steady;
  if (camp_one_in(&m->rng, 4) && pick_steady(m, x, ok, &steady)) {
    return steady;
  }
  for (int tries = 0; tries < 12; tries++) {
    uint32_t y;
    if (pick(m, ok, 0, at(m, x)->n_dims, &y) && y != x && fit(m, x, &y)) {
      return y;
    }
  }
  double v = (double)camp_draw(&m->rng, 9) - 4;
  if (at(m, x)->type == SP_PRED) {
    return ok == is_pred ? x : constant(m, x, 1);
  }
  return constant(m, x, v == 0 ? 2 : is_int(at(m, x)) ? v : v / 2);
}

int64_t any_size(maker *m) {
  return m->sizes[camp_draw(&m->rng, 3)];
}

/* Small again: what follows may multiply. */
uint32_t calm(maker *m, uint32_t x) {
  camp_bound(m->p);
  const camp_node *n = at(m, x);
  if (is_real(n) && n->size > 64) {
    return camp_unary(m->p, CAMP_OP_TANH, x);
  }
  if (is_int(n) && n->size > 1000) {
    return camp_binary(m->p, CAMP_OP_REMAINDER, x, constant(m, x, 17));
  }
  return x;
}
