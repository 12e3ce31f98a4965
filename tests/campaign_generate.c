/* campaign_generate.c: random sequential programs. Read camp_generate, at the
 * end; each `grow_*` before it adds an operator, with what it needs around it,
 * or nothing where no operand suits.
 *
 * Numbers stay tame: every node knows a bound of its size and how many binary
 * digits it has behind the point (campaign_bound.c). What makes decisions
 * (comparing, rounding, sorting) takes only numbers that were never rounded, so
 * that two orders of adding up cannot decide differently.
 */
#include "tests/campaign.h"

#include <string.h>

enum { MAX_ELEMENTS = 192, MAX_EXACT_BITS = 40 };

typedef struct maker {
  camp_program *p;
  camp_rng rng;
  int64_t sizes[3]; /* that dimensions have */
  uint32_t first;   /* nodes before are not taken (of a loop: the counter) */
  bool inner;       /* in a loop's body */
} maker;

typedef bool (*suits)(const camp_node *n);

static const camp_node *at(const maker *m, uint32_t n) {
  return camp_at(m->p, n);
}

/* ---- picking operands ---- */

static bool is_real(const camp_node *n) {
  return n->type == SP_F32;
}

static bool is_int(const camp_node *n) {
  return n->type == SP_S32;
}

static bool is_pred(const camp_node *n) {
  return n->type == SP_PRED;
}

static bool is_number(const camp_node *n) {
  return n->type == SP_F32 || n->type == SP_S32;
}

static bool is_any(const camp_node *n) {
  return n->type != SP_U32;
}

static bool is_exact(const camp_node *n) {
  return (is_int(n) || (is_real(n) && n->bits >= 0)) && n->size < 1e6;
}

/* A node that suits with so many dimensions, rather a late one; none that is
 * the same for all inputs. */
static bool pick(maker *m, suits ok, uint32_t least, uint32_t most,
                 uint32_t *out) {
  uint32_t n = (uint32_t)m->p->nodes.n - m->first;
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

static bool same_shape(const camp_node *a, const camp_node *b) {
  return a->n_dims == b->n_dims &&
         memcmp(a->dims, b->dims, a->n_dims * sizeof *a->dims) == 0;
}

static uint32_t constant(maker *m, uint32_t like, double v) {
  uint32_t c = camp_scalar(m->p, at(m, like)->type, v);
  return camp_spread(m->p, c, like);
}

static uint32_t scalar_int(maker *m) {
  uint32_t x;
  if (pick(m, is_int, 0, 0, &x)) {
    return x;
  }
  return camp_scalar(m->p, SP_S32, (double)camp_draw(&m->rng, 5) - 1);
}

/* y in the shape of x, where its dimensions are among those of x. */
static bool fit(maker *m, uint32_t x, uint32_t *y) {
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
  for (uint32_t i = (uint32_t)m->p->nodes.n; i-- > m->first;) {
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
static uint32_t partner(maker *m, uint32_t x, suits ok) {
  uint32_t steady;
  if (camp_one_in(&m->rng, 4) && pick_steady(m, x, ok, &steady)) {
    return steady;
  }
  for (int tries = 0; tries < 12; tries++) {
    uint32_t y;
    if (pick(m, ok, 0, at(m, x)->n_dims, &y) && fit(m, x, &y)) {
      return y;
    }
  }
  double v = (double)camp_draw(&m->rng, 9) - 4;
  if (at(m, x)->type == SP_PRED) {
    return ok == is_pred ? x : constant(m, x, 1);
  }
  return constant(m, x, v == 0 ? 2 : is_int(at(m, x)) ? v : v / 2);
}

static int64_t any_size(maker *m) {
  return m->sizes[camp_draw(&m->rng, 3)];
}

/* Small again: what follows may multiply. */
static uint32_t calm(maker *m, uint32_t x) {
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

/* ---- element by element ---- */

static void grow_unary(maker *m) {
  static const camp_op ops[] = {CAMP_OP_NEGATE, CAMP_OP_ABS,      CAMP_OP_TANH,
                                CAMP_OP_EXP,    CAMP_OP_LOGISTIC, CAMP_OP_SINE,
                                CAMP_OP_COSINE, CAMP_OP_CBRT,     CAMP_OP_COPY,
                                CAMP_OP_EXPM1,  CAMP_OP_NEGATE};
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

/* Functions of what is positive: of |x| + c. */
static void grow_of_positive(maker *m) {
  static const camp_op ops[] = {CAMP_OP_LOG, CAMP_OP_SQRT, CAMP_OP_RSQRT,
                                CAMP_OP_LOG1P};
  uint32_t x;
  if (!pick(m, is_real, 0, 4, &x)) {
    return;
  }
  x = camp_one_in(&m->rng, 2) ? camp_unary(m->p, CAMP_OP_ABS, x)
                              : camp_binary(m->p, CAMP_OP_MULTIPLY, x, x);
  x = camp_binary(m->p, CAMP_OP_ADD, x, constant(m, x, 0.5));
  camp_unary(m->p, ops[camp_draw(&m->rng, 4)], calm(m, x));
}

static void grow_rounding(maker *m) {
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

static void grow_binary(maker *m) {
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

static void grow_divide(maker *m) {
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

static void grow_power(maker *m) {
  uint32_t x;
  if (pick(m, is_real, 0, 4, &x)) {
    x = camp_unary(m->p, CAMP_OP_ABS, calm(m, x));
    x = camp_binary(m->p, CAMP_OP_ADD, x, constant(m, x, 0.25));
    double e = ((double)camp_draw(&m->rng, 7) - 2) / 2;
    x = at(m, x)->size > 16 ? camp_unary(m->p, CAMP_OP_LOG1P, x) : x;
    camp_binary(m->p, CAMP_OP_POWER, x, constant(m, x, e));
  }
}

static void grow_bits(maker *m) {
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

static void grow_logic(maker *m) {
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

static void grow_compare(maker *m) {
  static const char *const directions[] = {"LT", "LE", "GT", "GE", "EQ", "NE"};
  uint32_t x;
  if (pick(m, is_exact, 0, 4, &x)) {
    uint32_t y = partner(m, x, is_int(at(m, x)) ? is_int : is_exact);
    if (at(m, x)->type == at(m, y)->type) {
      camp_compare(m->p, directions[camp_draw(&m->rng, 6)], x, y);
    }
  }
}

static void grow_select(maker *m) {
  uint32_t x, c;
  if (pick(m, is_number, 0, 4, &x) && pick(m, is_pred, 0, 4, &c) &&
      fit(m, x, &c)) {
    uint32_t y = partner(m, x, is_int(at(m, x)) ? is_int : is_real);
    camp_select(m->p, c, x, y);
  }
}

static void grow_clamp(maker *m) {
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

static void grow_convert(maker *m) {
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

static void grow_broadcast(maker *m) {
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

static void grow_reshape(maker *m) {
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

static void grow_transpose(maker *m) {
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

static void grow_slice(maker *m) {
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

static void grow_reverse(maker *m) {
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

static void grow_pad(maker *m) {
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

static void grow_concat(maker *m) {
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
    if (b.type == a->type && same_shape(a, &b) &&
        (count == 1 || camp_one_in(&m->rng, 3))) {
      in[count++] = y;
    }
  }
  if (count == 1) {
    in[count++] = in[0];
  }
  camp_concat(m->p, count, in, d);
}

static void grow_iota(maker *m) {
  int64_t dims[] = {any_size(m), any_size(m)};
  uint32_t n = 1 + camp_draw(&m->rng, 2);
  camp_iota(m->p, camp_one_in(&m->rng, 2) ? SP_S32 : SP_F32, n, dims,
            camp_draw(&m->rng, n));
}

static void grow_constant(maker *m) {
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

/* ---- contractions ---- */

static void grow_reduce(maker *m) {
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

static void grow_dot(maker *m) {
  uint32_t a, b, e, f;
  if (!pick(m, camp_one_in(&m->rng, 10) ? is_int : is_real, 1, 4, &a)) {
    return;
  }
  a = calm(m, a);
  e = camp_draw(&m->rng, at(m, a)->n_dims);
  int64_t size = at(m, a)->dims[e];
  sp_dtype t = at(m, a)->type;
  if (!pick_with(m, size, t, &b, &f)) {
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

static void grow_conv(maker *m) {
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

static void grow_window(maker *m) {
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

static void grow_gather(maker *m) {
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

static void grow_scatter(maker *m) {
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

static void grow_dynamic(maker *m) {
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

static void grow_sort(maker *m) {
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

typedef void (*grower)(maker *m);

/* A few steps that take the state, the counter and up to two tensors that do
 * not change. */
static void grow_loop(maker *m) {
  uint32_t x, w;
  if (m->inner || !pick(m, is_real, 1, 3, &x)) {
    return;
  }
  x = calm(m, x);
  camp_program *body = camp_program_new(m->p->ctx);
  maker in = {body, m->rng, {m->sizes[0], m->sizes[1], m->sizes[2]}, 0, true};
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

camp_program *camp_generate(sp_ctx *ctx, uint64_t seed) {
  static const int64_t sizes[] = {2, 3, 4, 4, 4, 5, 6, 6, 7, 8, 8};
  maker m = {.p = camp_program_new(ctx), .rng = camp_rng_of(seed, 2)};
  for (int i = 0; i < 3; i++) {
    m.sizes[i] = sizes[camp_draw(&m.rng, sizeof sizes / sizeof *sizes)];
  }
  draw_parameters(&m);
  camp_bound(m.p);
  uint32_t goal = 20 + camp_draw(&m.rng, 41);
  for (int tries = 0; m.p->nodes.n < goal && tries < 400; tries++) {
    growers[camp_draw(&m.rng, sizeof growers / sizeof *growers)](&m);
    camp_bound(m.p);
  }
  collect_results(m.p);
  return m.p;
}
