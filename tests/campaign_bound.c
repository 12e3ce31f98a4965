/* campaign_bound.c: how large the numbers of a sequential program get, and
 * whether they were ever rounded. Inputs: reals are sixteenths within [-2, 2],
 * integers small. */
#include "tests/campaign.h"

#include <math.h>

enum { INPUT_BITS = 4, MAX_BITS = 44 };

static double most(double a, double b) {
  return a > b ? a : b;
}

/* How many elements are combined into one. */
static double folded(const camp_program *p, const camp_node *n) {
  const camp_node *a = camp_at(p, n->in[0]);
  double points = 1;
  if (camp_op_kind(n->op) == CAMP_CONV) {
    const camp_node *w = camp_at(p, n->in[1]);
    return (double)(w->dims[0] * w->dims[1]);
  }
  for (uint32_t k = 0; k < n->n_x; k++) {
    bool window = camp_op_kind(n->op) == CAMP_WINDOW;
    points *= (double)(window ? n->x[k] : a->dims[n->x[k]]);
  }
  return points;
}

static void bound_values(camp_node *n) {
  n->bits = 0;
  for (size_t i = 0; i < n->n_values; i++) {
    n->size = most(n->size, fabs(n->values[i]));
    for (; n->bits < MAX_BITS && isfinite(n->values[i]) &&
           ldexp(n->values[i], n->bits) != floor(ldexp(n->values[i], n->bits));
         n->bits++) {
    }
  }
  n->size = isfinite(n->size) ? n->size : 0; /* of a maximum without elements */
}

static void bound_input(camp_node *n) {
  n->size = n->type == SP_F32 ? 2 : n->type == SP_S32 ? 16 : 1;
  n->bits = n->type == SP_F32 ? INPUT_BITS : 0;
}

/* The larger of the operands in size and digits. */
static void bound_moved(const camp_program *p, camp_node *n) {
  n->bits = 0;
  for (uint32_t k = 0; k < n->n_in; k++) {
    const camp_node *x = camp_at(p, n->in[k]);
    n->size = most(n->size, x->size);
    n->bits = n->bits < 0 || x->bits < 0 ? -1
              : x->bits > n->bits        ? x->bits
                                         : n->bits;
  }
}

static void bound_product(const camp_program *p, camp_node *n) {
  const camp_node *a = camp_at(p, n->in[0]), *b = camp_at(p, n->in[1]);
  n->size = a->size * b->size;
  n->bits = a->bits < 0 || b->bits < 0 ? -1 : a->bits + b->bits;
}

static void rounded(camp_node *n, double size) {
  n->size = size;
  n->bits = n->type == SP_F32 || n->type == SP_BF16 ? -1 : 0;
}

static void bound_reduction(const camp_program *p, camp_node *n) {
  double points = folded(p, n);
  bound_moved(p, n);
  if (n->red == CAMP_PROD) {
    rounded(n, pow(most(n->size, 1), points));
  } else if (n->red == CAMP_SUM) {
    n->size = n->size * (points + 1);
  }
}

static void bound_element(const camp_program *p, camp_node *n) {
  double size = n->n_in ? camp_at(p, n->in[0])->size : 0;
  switch ((int)n->op) {
  case CAMP_OP_ADD:
  case CAMP_OP_SUBTRACT:
    bound_moved(p, n);
    n->size *= 2;
    return;
  case CAMP_OP_MULTIPLY:
    bound_product(p, n);
    return;
  case CAMP_OP_EXP:
  case CAMP_OP_EXPM1:
    rounded(n, exp(size));
    return;
  case CAMP_OP_POWER:
    rounded(n, pow(most(size, 4), most(2, camp_at(p, n->in[1])->size)));
    return;
  case CAMP_OP_DIVIDE:
  case CAMP_OP_SQRT:
  case CAMP_OP_CBRT:
  case CAMP_OP_LOG:
  case CAMP_OP_LOG1P:
    rounded(n, most(size, 1));
    return;
  case CAMP_OP_TANH:
  case CAMP_OP_LOGISTIC:
  case CAMP_OP_SINE:
  case CAMP_OP_COSINE:
    rounded(n, 1);
    return;
  case CAMP_OP_RSQRT:
  case CAMP_OP_ATAN2:
    rounded(n, 4);
    return;
  case CAMP_OP_SIGN:
  case CAMP_OP_FLOOR:
  case CAMP_OP_CEIL:
  case CAMP_OP_ROUND:
    n->size = size + 1;
    n->bits = 0;
    return;
  case CAMP_OP_AND:
  case CAMP_OP_OR:
  case CAMP_OP_XOR:
  case CAMP_OP_SHIFT_LEFT:
    bound_moved(p, n);
    n->size = n->type == SP_PRED ? 1 : 16 * n->size + 16;
    return;
  case CAMP_OP_COMPARE:
    n->size = 1;
    return;
  default:
    bound_moved(p, n);
    return;
  }
}

/* The same for all inputs. */
static bool is_steady(const camp_program *p, const camp_node *n) {
  bool steady = n->op != CAMP_OP_PARAMETER;
  for (uint32_t k = 0; k < n->n_in; k++) {
    steady = steady && camp_at(p, n->in[k])->steady;
  }
  return steady;
}

static void bound(const camp_program *p, camp_node *n) {
  switch (camp_op_kind(n->op)) {
  case CAMP_GIVEN:
    if (n->op == CAMP_OP_CONSTANT) {
      bound_values(n);
    } else {
      bound_input(n);
    }
    break;
  case CAMP_IOTA:
    n->size = (double)n->dims[n->x[0]];
    break;
  case CAMP_ELEMENT:
    bound_element(p, n);
    break;
  case CAMP_REDUCE:
  case CAMP_WINDOW:
    bound_reduction(p, n);
    break;
  case CAMP_DOT:
  case CAMP_CONV:
    bound_product(p, n);
    n->size *= folded(p, n);
    break;
  case CAMP_SCATTER:
    bound_moved(p, n);
    n->size *= 1 + (double)camp_at(p, n->in[1])->dims[0];
    break;
  case CAMP_LOOP:
    rounded(n, 1);
    break;
  case CAMP_BROADCAST:
  case CAMP_RESHAPE:
  case CAMP_TRANSPOSE:
  case CAMP_SLICE:
  case CAMP_REVERSE:
  case CAMP_PAD:
  case CAMP_CONCAT:
  case CAMP_GATHER:
  case CAMP_DYN_SLICE:
  case CAMP_DYN_UPDATE:
  case CAMP_SORT:
  case CAMP_COLLECTIVE:
  case CAMP_PERMUTE:
    bound_moved(p, n);
    break;
  }
  if (n->bits + log2(most(n->size, 1)) > MAX_BITS) {
    n->bits = -1;
  }
}

void camp_bound(camp_program *p) {
  for (; p->bounded < p->nodes.n; p->bounded++) {
    camp_node *n = &p->nodes.v[p->bounded];
    n->steady = is_steady(p, n);
    if (!(n->size > 0)) {
      bound(p, n);
    }
  }
}
