/* campaign_rules.c: how one mesh axis may cut an operator, dimension by
 * dimension. Read camp_ways, at the end.
 *
 * A way says what the axis takes of each operand and makes of the result:
 * parts of a dimension, partial results, or the whole. The ways of different
 * axes combine freely, as each axis is a coordinate of its own.
 */
#include "tests/campaign.h"

static const camp_place whole = {CAMP_WHOLE, 0, CAMP_SUM};

static camp_place part(uint32_t dim) {
  return (camp_place){CAMP_PART, dim, CAMP_SUM};
}

static camp_place partial(camp_red red) {
  return (camp_place){CAMP_PARTIAL, 0, red};
}

typedef struct list {
  const camp_program *p;
  const camp_node *n;
  camp_way *v;
  uint32_t count;
} list;

/* A new way that takes everything whole, to be filled in. */
static camp_way *add(list *l, camp_place out) {
  camp_way *w = &l->v[l->count < CAMP_MAX_WAYS ? l->count++ : l->count - 1];
  *w = (camp_way){.out = out};
  for (uint32_t k = 0; k < CAMP_IN; k++) {
    w->in[k] = whole;
  }
  return w;
}

/* Partial results of these operands (a set) give one of the result. */
static void linear(list *l, uint32_t operands, camp_red red) {
  sp_dtype t = l->n->type;
  bool logic = red == CAMP_AND || red == CAMP_OR;
  if (logic != (t == SP_PRED)) {
    return;
  }
  camp_way *w = add(l, partial(red));
  for (uint32_t k = 0; k < l->n->n_in; k++) {
    if (operands >> k & 1) {
      w->in[k] = partial(red);
    }
  }
}

/* So does any reduction: elements are only moved. */
static void moves(list *l, uint32_t operands) {
  for (camp_red red = CAMP_SUM; red < CAMP_N_REDS; red++) {
    linear(l, operands, red);
  }
}

static const camp_node *operand(const list *l, uint32_t k) {
  return camp_at(l->p, l->n->in[k]);
}

static bool is_constant(const list *l, uint32_t k, double value) {
  const camp_node *x = operand(l, k);
  return x->op == CAMP_OP_CONSTANT && x->n_values == 1 && x->values[0] == value;
}

/* ---- element by element ---- */

static void element_ways(list *l) {
  const camp_node *n = l->n;
  for (uint32_t d = 0; d < n->n_dims; d++) {
    camp_way *w = add(l, part(d));
    for (uint32_t k = 0; k < n->n_in; k++) {
      w->in[k] = operand(l, k)->n_dims ? part(d) : whole;
    }
  }
  bool real = n->type != SP_PRED && n->type != SP_S32;
  if (n->op == CAMP_OP_COPY) {
    moves(l, 1);
  } else if (n->op == CAMP_OP_NEGATE) {
    linear(l, 1, CAMP_SUM);
  } else if (n->op == CAMP_OP_CONVERT && real &&
             operand(l, 0)->type != SP_PRED) {
    linear(l, 1, CAMP_SUM);
  } else if (n->op == CAMP_OP_ADD || n->op == CAMP_OP_SUBTRACT) {
    linear(l, 3, CAMP_SUM);
  } else if (n->op == CAMP_OP_MULTIPLY) {
    linear(l, 1, CAMP_SUM);
    linear(l, 2, CAMP_SUM);
    linear(l, 3, CAMP_PROD);
  } else if (n->op == CAMP_OP_DIVIDE && real) {
    linear(l, 1, CAMP_SUM);
  } else if (n->op == CAMP_OP_SELECT) {
    linear(l, 6, CAMP_SUM);
  } else if (n->op == CAMP_OP_MAXIMUM) {
    linear(l, 3, CAMP_MAX);
  } else if (n->op == CAMP_OP_MINIMUM) {
    linear(l, 3, CAMP_MIN);
  } else if (n->op == CAMP_OP_AND) {
    linear(l, 3, CAMP_AND);
  } else if (n->op == CAMP_OP_OR) {
    linear(l, 3, CAMP_OR);
  }
}

/* ---- moving elements ---- */

/* Dimension d of the result is dimension e of the operands in the set. */
static void same(list *l, uint32_t operands, uint32_t e, uint32_t d) {
  camp_way *w = add(l, part(d));
  for (uint32_t k = 0; k < l->n->n_in; k++) {
    if (operands >> k & 1) {
      w->in[k] = part(e);
    }
  }
}

static void broadcast_ways(list *l) {
  const camp_node *n = l->n;
  for (uint32_t d = 0; d < n->n_dims; d++) {
    camp_way *w = add(l, part(d));
    for (uint32_t e = 0; e < n->n_x; e++) {
      if (n->x[e] == d) {
        w->in[0] = part(e);
      }
    }
  }
  moves(l, 1);
}

/* The leading dimension of each run of dimensions that is merged or split. */
static void reshape_ways(list *l) {
  const camp_node *n = l->n, *a = operand(l, 0);
  uint32_t i = 0, j = 0;
  while (i < a->n_dims && j < n->n_dims) {
    if (a->dims[i] == 1) {
      i++;
      continue;
    }
    if (n->dims[j] == 1) {
      j++;
      continue;
    }
    camp_way *w = add(l, part(j));
    w->in[0] = part(i);
    int64_t before = a->dims[i++], after = n->dims[j++];
    w->even = before != after;
    while (before != after) {
      if (before < after) {
        before *= a->dims[i++];
      } else {
        after *= n->dims[j++];
      }
    }
  }
  moves(l, 1);
}

static bool listed(const camp_node *n, uint32_t d) {
  for (uint32_t k = 0; k < n->n_x; k++) {
    if (n->x[k] == d) {
      return true;
    }
  }
  return false;
}

static void transpose_ways(list *l) {
  for (uint32_t d = 0; d < l->n->n_dims; d++) {
    same(l, 1, (uint32_t)l->n->x[d], d);
  }
  moves(l, 1);
}

static void slice_ways(list *l) {
  for (uint32_t d = 0; d < l->n->n_dims; d++) {
    if (l->n->dims[d] == operand(l, 0)->dims[d]) {
      same(l, 1, d, d);
    }
  }
  moves(l, 1);
}

static void reverse_ways(list *l) {
  for (uint32_t d = 0; d < l->n->n_dims; d++) {
    if (!listed(l->n, d)) {
      same(l, 1, d, d);
    }
  }
  moves(l, 1);
}

static void pad_ways(list *l) {
  const camp_node *n = l->n;
  for (uint32_t d = 0; d < n->n_dims; d++) {
    if (!n->x[d] && !n->y[d] && !n->z[d]) {
      same(l, 1, d, d);
    }
  }
  if (is_constant(l, 1, 0)) {
    linear(l, 1, CAMP_SUM);
  }
  linear(l, 3, CAMP_MAX);
}

static void concat_ways(list *l) {
  uint32_t all = (1u << l->n->n_in) - 1;
  for (uint32_t d = 0; d < l->n->n_dims; d++) {
    if (d != l->n->x[0]) {
      same(l, all, d, d);
    }
  }
  moves(l, all);
}

/* ---- contractions ---- */

static void reduce_ways(list *l) {
  const camp_node *n = l->n, *a = operand(l, 0);
  bool plain = is_constant(l, 1, camp_identity(n->red, n->type));
  uint32_t kept = 0;
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if (!listed(n, d)) {
      same(l, 1, d, kept++);
    } else if (plain) {
      camp_way *w = add(l, partial(n->red));
      w->in[0] = part(d);
      w->mask = true;
    }
  }
  if (plain) {
    linear(l, 1, n->red);
  }
}

static void both(list *l, uint32_t e, uint32_t f) {
  camp_way *w = add(l, partial(CAMP_SUM));
  w->in[0] = part(e);
  w->in[1] = part(f);
  w->mask = true;
}

static void dot_ways(list *l) {
  const camp_node *n = l->n;
  uint32_t used[2] = {0, 0}, d = 0;
  for (; d < 3 && n->z[2 * d] >= 0; d++) {
    camp_way *w = add(l, part(d));
    w->in[0] = part((uint32_t)n->z[2 * d]);
    w->in[1] = part((uint32_t)n->z[2 * d + 1]);
    used[0] |= 1u << n->z[2 * d];
    used[1] |= 1u << n->z[2 * d + 1];
  }
  for (uint32_t k = 0; k < n->n_x; k++) {
    both(l, (uint32_t)n->x[k], (uint32_t)n->y[k]);
    used[0] |= 1u << n->x[k];
    used[1] |= 1u << n->y[k];
  }
  for (uint32_t side = 0; side < 2; side++) {
    for (uint32_t e = 0; e < operand(l, side)->n_dims; e++) {
      if (!(used[side] >> e & 1)) {
        same(l, 1u << side, e, d++);
      }
    }
  }
  linear(l, 1, CAMP_SUM);
  linear(l, 2, CAMP_SUM);
}

static void conv_ways(list *l) {
  same(l, 1, 0, 0);
  both(l, 2, 1);
  same(l, 2, 2, 2);
  linear(l, 1, CAMP_SUM);
  linear(l, 2, CAMP_SUM);
}

/* ---- looking up ---- */

/* A cut of the dimension that is looked up: each device gives what it has. */
static void gather_ways(list *l) {
  const camp_node *n = l->n, *a = operand(l, 0);
  uint32_t dim = (uint32_t)n->x[0], out = 0;
  bool many = operand(l, 1)->n_dims > 0;
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if (d != dim) {
      same(l, 1, d, out++);
      continue;
    }
    if (n->type != SP_PRED) {
      add(l, partial(CAMP_SUM))->in[0] = part(d);
    }
    if (many) {
      same(l, 2, 0, out++);
    }
  }
  moves(l, 1);
}

static void scatter_ways(list *l) {
  const camp_node *n = l->n;
  uint32_t dim = (uint32_t)n->x[0];
  for (uint32_t d = 0; d < n->n_dims; d++) {
    same(l, d == dim ? 1 : 5, d, d);
  }
  camp_way *w = add(l, partial(CAMP_SUM));
  w->in[0] = partial(CAMP_SUM);
  w->in[1] = part(0);
  w->in[2] = part(dim);
  w->mask = true;
  linear(l, 5, CAMP_SUM);
}

static void dynamic_ways(list *l, uint32_t sized, uint32_t operands) {
  for (uint32_t d = 0; d < l->n->n_dims; d++) {
    const camp_node *small = sized ? operand(l, sized) : l->n;
    if (small->dims[d] == operand(l, 0)->dims[d]) {
      same(l, operands, d, d);
    }
  }
  moves(l, operands);
}

static void sort_ways(list *l) {
  for (uint32_t d = 0; d < l->n->n_dims; d++) {
    if (d != l->n->x[0]) {
      same(l, 1, d, d);
    }
  }
}

static void window_ways(list *l) {
  const camp_node *n = l->n;
  for (uint32_t d = 0; d < n->n_dims; d++) {
    if (n->x[d] == 1 && n->y[d] == 1 && n->z[d] == 0) {
      same(l, 1, d, d);
    }
  }
  if (n->red == CAMP_SUM && is_constant(l, 1, 0)) {
    linear(l, 1, CAMP_SUM);
  }
}

uint32_t camp_ways(const camp_program *p, uint32_t node, camp_way *ways) {
  list l = {p, camp_at(p, node), ways, 0};
  switch (camp_op_kind(l.n->op)) {
  case CAMP_IOTA:
    for (uint32_t d = 0; d < l.n->n_dims; d++) {
      add(&l, part(d));
    }
    break;
  case CAMP_ELEMENT:
    element_ways(&l);
    break;
  case CAMP_BROADCAST:
    broadcast_ways(&l);
    break;
  case CAMP_RESHAPE:
    reshape_ways(&l);
    break;
  case CAMP_TRANSPOSE:
    transpose_ways(&l);
    break;
  case CAMP_SLICE:
    slice_ways(&l);
    break;
  case CAMP_REVERSE:
    reverse_ways(&l);
    break;
  case CAMP_PAD:
    pad_ways(&l);
    break;
  case CAMP_CONCAT:
    concat_ways(&l);
    break;
  case CAMP_REDUCE:
    reduce_ways(&l);
    break;
  case CAMP_DOT:
    dot_ways(&l);
    break;
  case CAMP_CONV:
    conv_ways(&l);
    break;
  case CAMP_GATHER:
    gather_ways(&l);
    break;
  case CAMP_SCATTER:
    scatter_ways(&l);
    break;
  case CAMP_DYN_SLICE:
    dynamic_ways(&l, 0, 1);
    break;
  case CAMP_DYN_UPDATE:
    dynamic_ways(&l, 1, 3);
    break;
  case CAMP_SORT:
    sort_ways(&l);
    break;
  case CAMP_WINDOW:
    window_ways(&l);
    break;
  case CAMP_GIVEN:
  case CAMP_LOOP:
  case CAMP_COLLECTIVE:
  case CAMP_PERMUTE:
    break;
  }
  return l.count;
}
