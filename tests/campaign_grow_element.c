/* campaign_grow_element.c: see campaign_grow.h. */
#include "tests/campaign_grow.h"

#include <string.h>

/* ---- element by element ---- */

void grow_unary(maker *m) {
  static const camp_op ops[] = {CAMP_OP_NEGATE, CAMP_OP_ABS,      CAMP_OP_TANH,
                                CAMP_OP_EXP,    CAMP_OP_LOGISTIC, CAMP_OP_SINE,
                                CAMP_OP_COSINE, CAMP_OP_COPY,     CAMP_OP_EXPM1,
                                CAMP_OP_NEGATE};
  uint32_t x;
  if (!pick(m, is_number, 0, 4, &x)) {
    return;
  }
  camp_op op = ops[camp_draw(&m->rng, sizeof ops / sizeof *ops)];
  bool grows = op == CAMP_OP_EXP || op == CAMP_OP_EXPM1;
  if (is_int(at(m, x))) {
    op = camp_one_in(&m->rng, 2) ? CAMP_OP_NEGATE : CAMP_OP_ABS;
  } else if (grows && at(m, x)->size > 8) {
    op = CAMP_OP_TANH;
  }
  camp_unary(m->p, op, x);
}

/* Functions of what is positive: of |x| + c. A root of what is near 0 would
 * make numbers of rounding. */
void grow_of_positive(maker *m) {
  static const camp_op ops[] = {CAMP_OP_LOG, CAMP_OP_SQRT, CAMP_OP_RSQRT,
                                CAMP_OP_LOG1P, CAMP_OP_CBRT};
  uint32_t x;
  if (!pick(m, is_real, 0, 4, &x)) {
    return;
  }
  x = camp_one_in(&m->rng, 2) ? camp_unary(m->p, CAMP_OP_ABS, x)
                              : camp_binary(m->p, CAMP_OP_MULTIPLY, x, x);
  x = camp_binary(m->p, CAMP_OP_ADD, x, constant(m, x, 0.5));
  camp_unary(m->p, ops[camp_draw(&m->rng, 5)], calm(m, x));
}

void grow_rounding(maker *m) {
  static const camp_op ops[] = {CAMP_OP_SIGN, CAMP_OP_FLOOR, CAMP_OP_CEIL,
                                CAMP_OP_ROUND};
  uint32_t x;
  if (pick(m, is_exact, 0, 4, &x) && is_real(at(m, x))) {
    x = camp_unary(m->p, ops[camp_draw(&m->rng, 4)], x);
    if (camp_one_in(&m->rng, 3)) {
      camp_convert(m->p, x, SP_S32);
    }
  }
}

void grow_binary(maker *m) {
  static const camp_op ops[] = {
      CAMP_OP_ADD,      CAMP_OP_ADD,     CAMP_OP_SUBTRACT, CAMP_OP_MULTIPLY,
      CAMP_OP_MULTIPLY, CAMP_OP_MAXIMUM, CAMP_OP_MINIMUM,  CAMP_OP_SUBTRACT};
  uint32_t x;
  if (!pick(m, is_number, 0, 4, &x)) {
    return;
  }
  camp_op op = ops[camp_draw(&m->rng, sizeof ops / sizeof *ops)];
  uint32_t y = partner(m, x, is_int(at(m, x)) ? is_int : is_real);
  if (op == CAMP_OP_MULTIPLY || at(m, x)->size > 1e5 || at(m, y)->size > 1e5) {
    x = calm(m, x);
    y = calm(m, y);
  }
  if (camp_one_in(&m->rng, 2)) {
    camp_binary(m->p, op, x, y);
  } else {
    camp_binary(m->p, op, y, x);
  }
}

void grow_divide(maker *m) {
  uint32_t x;
  if (!pick(m, is_number, 0, 4, &x)) {
    return;
  }
  bool whole = is_int(at(m, x));
  uint32_t y = partner(m, x, whole ? is_int : is_real);
  y = camp_unary(m->p, CAMP_OP_ABS, y);
  y = camp_binary(m->p, CAMP_OP_ADD, y, constant(m, y, 1));
  static const camp_op of_reals[] = {CAMP_OP_DIVIDE, CAMP_OP_DIVIDE,
                                     CAMP_OP_ATAN2};
  camp_op op =
      whole ? (camp_one_in(&m->rng, 2) ? CAMP_OP_DIVIDE : CAMP_OP_REMAINDER)
            : of_reals[camp_draw(&m->rng, 3)];
  camp_binary(m->p, op, x, y);
}

void grow_power(maker *m) {
  uint32_t x;
  if (pick(m, is_real, 0, 4, &x)) {
    x = camp_unary(m->p, CAMP_OP_ABS, calm(m, x));
    x = camp_binary(m->p, CAMP_OP_ADD, x, constant(m, x, 0.25));
    double e = ((double)camp_draw(&m->rng, 7) - 2) / 2;
    x = at(m, x)->size > 16 ? camp_unary(m->p, CAMP_OP_LOG1P, x) : x;
    camp_binary(m->p, CAMP_OP_POWER, x, constant(m, x, e));
  }
}

void grow_bits(maker *m) {
  static const camp_op ops[] = {CAMP_OP_AND, CAMP_OP_OR, CAMP_OP_XOR};
  uint32_t x;
  if (!pick(m, is_int, 0, 4, &x)) {
    return;
  }
  if (camp_one_in(&m->rng, 3)) {
    x = calm(m, x);
    camp_op op =
        camp_one_in(&m->rng, 2) ? CAMP_OP_SHIFT_LEFT : CAMP_OP_SHIFT_RIGHT;
    camp_binary(m->p, op, x, constant(m, x, 1 + camp_draw(&m->rng, 3)));
    return;
  }
  uint32_t y = partner(m, x, is_int);
  camp_binary(m->p, ops[camp_draw(&m->rng, 3)], x, y);
}

void grow_logic(maker *m) {
  static const camp_op ops[] = {CAMP_OP_AND, CAMP_OP_OR, CAMP_OP_XOR};
  uint32_t x;
  if (!pick(m, is_pred, 0, 4, &x)) {
    return;
  }
  if (camp_one_in(&m->rng, 3)) {
    camp_unary(m->p, CAMP_OP_NOT, x);
    return;
  }
  uint32_t y = partner(m, x, is_pred);
  camp_binary(m->p, ops[camp_draw(&m->rng, 3)], x, y);
}

void grow_compare(maker *m) {
  static const char *const directions[] = {"LT", "LE", "GT", "GE", "EQ", "NE"};
  uint32_t x;
  if (pick(m, is_exact, 0, 4, &x)) {
    uint32_t y = partner(m, x, is_int(at(m, x)) ? is_int : is_exact);
    if (at(m, x)->type == at(m, y)->type) {
      camp_compare(m->p, directions[camp_draw(&m->rng, 6)], x, y);
    }
  }
}

void grow_select(maker *m) {
  uint32_t x, c;
  if (pick(m, is_number, 0, 4, &x) && pick(m, is_pred, 0, 4, &c) &&
      fit(m, x, &c)) {
    uint32_t y = partner(m, x, is_int(at(m, x)) ? is_int : is_real);
    camp_select(m->p, c, x, y);
  }
}

void grow_clamp(maker *m) {
  uint32_t x;
  if (pick(m, is_number, 0, 4, &x)) {
    sp_dtype t = at(m, x)->type;
    uint32_t in[] = {camp_scalar(m->p, t, -1), x, camp_scalar(m->p, t, 3)};
    camp_node n = *at(m, x);
    n = (camp_node){
        .op = CAMP_OP_CLAMP, .type = t, .n_dims = n.n_dims, .n_in = 3};
    memcpy(n.in, in, sizeof in);
    memcpy(n.dims, at(m, x)->dims, sizeof n.dims);
    camp_push(m->p, n);
  }
}

void grow_convert(maker *m) {
  uint32_t x;
  if (!pick(m, is_any, 0, 4, &x)) {
    return;
  }
  if (is_pred(at(m, x))) {
    camp_convert(m->p, x, camp_one_in(&m->rng, 2) ? SP_F32 : SP_S32);
  } else if (is_int(at(m, x))) {
    camp_convert(m->p, x, SP_F32);
  } else if (at(m, x)->type == SP_F32) {
    camp_convert(m->p, camp_convert(m->p, x, SP_BF16), SP_F32);
  }
}

/* ---- moving elements ---- */

void grow_broadcast(maker *m) {
  uint32_t x;
  if (!pick(m, is_any, 0, 3, &x)) {
    return;
  }
  camp_node n = *at(m, x);
  int64_t dims[CAMP_DIMS], map[CAMP_DIMS], size = any_size(m);
  uint32_t place = camp_draw(&m->rng, n.n_dims + 1), k = 0;
  if (camp_elements(&n) * size > MAX_ELEMENTS) {
    return;
  }
  for (uint32_t d = 0; d <= n.n_dims; d++) {
    dims[d] = d == place ? size : n.dims[k];
    if (d != place) {
      map[k++] = d;
    }
  }
  camp_broadcast(m->p, x, n.n_dims + 1, dims, map);
}

void grow_reshape(maker *m) {
  uint32_t x;
  if (!pick(m, is_any, 1, 4, &x)) {
    return;
  }
  camp_node n = *at(m, x);
  int64_t dims[CAMP_DIMS + 1];
  uint32_t k = 0, place = camp_draw(&m->rng, n.n_dims);
  int64_t by = n.dims[place] % 2 == 0 ? 2 : n.dims[place] % 3 == 0 ? 3 : 1;
  bool merge = camp_one_in(&m->rng, 2) && place + 1 < n.n_dims;
  for (uint32_t d = 0; d < n.n_dims; d++) {
    if (d == place && merge) {
      dims[k++] = n.dims[d] * n.dims[d + 1];
      d++;
    } else if (d == place && n.n_dims < 4) {
      bool minor = camp_one_in(&m->rng, 2);
      dims[k++] = minor ? n.dims[d] / by : by;
      dims[k++] = minor ? by : n.dims[d] / by;
    } else {
      dims[k++] = n.dims[d];
    }
  }
  camp_reshape(m->p, x, k, dims);
}

void grow_transpose(maker *m) {
  uint32_t x;
  if (pick(m, is_any, 2, 4, &x)) {
    int64_t perm[CAMP_DIMS];
    uint32_t n = at(m, x)->n_dims;
    for (uint32_t d = 0; d < n; d++) {
      uint32_t other = camp_draw(&m->rng, d + 1);
      perm[d] = perm[other];
      perm[other] = d;
    }
    camp_transpose(m->p, x, perm);
  }
}

void grow_slice(maker *m) {
  uint32_t x;
  if (!pick(m, is_any, 1, 4, &x)) {
    return;
  }
  camp_node n = *at(m, x);
  int64_t start[CAMP_DIMS] = {0}, limit[CAMP_DIMS], stride[CAMP_DIMS];
  for (uint32_t d = 0; d < n.n_dims; d++) {
    limit[d] = n.dims[d];
    stride[d] = 1;
  }
  uint32_t d = camp_draw(&m->rng, n.n_dims);
  start[d] = camp_draw(&m->rng, (uint32_t)n.dims[d]);
  limit[d] -= camp_draw(&m->rng, (uint32_t)(n.dims[d] - start[d]));
  stride[d] = 1 + camp_draw(&m->rng, 2);
  camp_slice(m->p, x, start, limit, stride);
}

void grow_reverse(maker *m) {
  uint32_t x;
  if (pick(m, is_any, 1, 4, &x)) {
    camp_node n = *at(m, x);
    camp_node r = {.op = CAMP_OP_REVERSE,
                   .type = n.type,
                   .n_dims = n.n_dims,
                   .n_in = 1,
                   .in = {x},
                   .n_x = 1};
    memcpy(r.dims, n.dims, sizeof r.dims);
    r.x[0] = camp_draw(&m->rng, n.n_dims);
    camp_push(m->p, r);
  }
}

void grow_pad(maker *m) {
  uint32_t x;
  if (!pick(m, is_number, 1, 4, &x)) {
    return;
  }
  camp_node n = *at(m, x);
  int64_t low[CAMP_DIMS] = {0}, high[CAMP_DIMS] = {0}, in[CAMP_DIMS] = {0};
  uint32_t d = camp_draw(&m->rng, n.n_dims);
  low[d] = camp_draw(&m->rng, 3);
  high[d] = (int64_t)camp_draw(&m->rng, 4) - (n.dims[d] > 2);
  in[d] = camp_one_in(&m->rng, 4);
  double v = camp_one_in(&m->rng, 2) ? 0 : (double)camp_draw(&m->rng, 5) - 2;
  camp_pad(m->p, x, camp_scalar(m->p, n.type, v), low, high, in);
}

void grow_concat(maker *m) {
  uint32_t in[3];
  if (!pick(m, is_any, 1, 4, &in[0])) {
    return;
  }
  uint32_t d = camp_draw(&m->rng, at(m, in[0])->n_dims), count = 1;
  for (int tries = 0; tries < 12 && count < 3; tries++) {
    uint32_t y;
    const camp_node *a = at(m, in[0]);
    if (!pick(m, is_any, a->n_dims, a->n_dims, &y)) {
      break;
    }
    camp_node b = *at(m, y);
    b.dims[d] = a->dims[d];
    if (y != in[count - 1] && b.type == a->type && same_shape(a, &b) &&
        (count == 1 || camp_one_in(&m->rng, 3))) {
      in[count++] = y;
    }
  }
  if (count > 1) {
    camp_concat(m->p, count, in, d);
  }
}

void grow_iota(maker *m) {
  int64_t dims[] = {any_size(m), any_size(m)};
  uint32_t n = 1 + camp_draw(&m->rng, 2);
  camp_iota(m->p, camp_one_in(&m->rng, 2) ? SP_S32 : SP_F32, n, dims,
            camp_draw(&m->rng, n));
}

void grow_constant(maker *m) {
  int64_t dims[] = {any_size(m), any_size(m)};
  camp_node n = {.op = CAMP_OP_CONSTANT, .type = SP_F32};
  n.n_dims = 1 + camp_draw(&m->rng, 2);
  memcpy(n.dims, dims, sizeof dims);
  n.n_values = (size_t)camp_elements(&n);
  double *v = sp_alloc_n(m->p->ctx, n.n_values, sizeof *v);
  for (size_t i = 0; i < n.n_values; i++) {
    v[i] = ((double)camp_draw(&m->rng, 17) - 8) / 4;
  }
  n.values = v;
  camp_push(m->p, n);
}
