/* scaled.c: terms up to a positive number: read spi_without_scale().
 *
 * A rank that takes the mean over its own batch has k times the gradients of
 * the mean over all batches, from the loss to every weight, and no tensor of
 * the sequential program equals them. Both terms divided by the sizes of their
 * coefficients have one skeleton; the number between them is then a guess like
 * an index map, and part of what is proved: D = k * T.
 */
#include "solve/scaled.h"

enum { MAX_STEPS = 400, MAX_ARGS = 64 };

typedef struct scaling {
  sp_pool *p;
  uint32_t steps;
} scaling;

static sp_expr without(scaling *x, sp_expr e, sp_num *scale);

static sp_num absolute(sp_pool *p, sp_num v) {
  return sp_num_sign(p, v) < 0 ? sp_num_neg(p, v) : v;
}

/* The sizes of all coefficients add up to the scale, whatever their order. */
static sp_expr without_add(scaling *x, sp_expr e, sp_num *scale) {
  sp_pool *p = x->p;
  uint32_t n = sp_n_args(p, e);
  sp_num size = absolute(p, sp_add_const(p, e));
  sp_expr sum = sp_real(p, sp_add_const(p, e));
  for (uint32_t i = 0; i < n; i++) {
    sp_num k;
    sp_expr arg = without(x, sp_arg(p, e, i), &k);
    k = sp_num_mul(p, k, sp_add_coef(p, e, i));
    size = sp_num_add(p, size, absolute(p, k));
    sum = sp_add(p, sum, sp_scale(p, arg, k));
  }
  *scale = size;
  return sp_scale(p, sum, sp_num_inv(p, size));
}

static sp_expr without_mul(scaling *x, sp_expr e, sp_num *scale) {
  sp_pool *p = x->p;
  uint32_t n = sp_n_args(p, e);
  sp_expr factor[MAX_ARGS], product = sp_real_i64(p, 1);
  bool same = true; /* made anew it takes a product for each factor */
  for (uint32_t i = 0; i < n && n <= MAX_ARGS; i++) {
    sp_num k;
    factor[i] = without(x, sp_arg(p, e, i), &k);
    same = same && factor[i].v == sp_arg(p, e, i).v;
    *scale = sp_num_mul(p, *scale, k);
  }
  for (uint32_t i = 0; i < n && !same; i++) {
    product = sp_mul(p, product, factor[i]);
  }
  return same ? e : product;
}

/* Both branches have it, or one is 0. */
static sp_expr without_ite(scaling *x, sp_expr e, sp_num *scale) {
  sp_pool *p = x->p;
  sp_num k[2];
  sp_expr branch[2];
  bool zero[2];
  for (uint32_t i = 0; i < 2; i++) {
    branch[i] = without(x, sp_arg(p, e, i + 1), &k[i]);
    zero[i] = sp_is_zero(p, branch[i]);
  }
  if (!zero[0] && !zero[1] && !sp_num_eq(k[0], k[1])) {
    return e;
  }
  *scale = k[zero[0]];
  return sp_ite(p, sp_arg(p, e, 0), branch[0], branch[1]);
}

static sp_expr without_red(scaling *x, sp_expr e, sp_num *scale) {
  sp_pool *p = x->p;
  sp_red_op op = sp_red_op_of(p, e);
  uint32_t n = sp_red_n_vars(p, e);
  if ((op != SP_RED_SUM && op != SP_RED_MAX && op != SP_RED_MIN) ||
      n > MAX_ARGS) {
    return e;
  }
  sp_expr vars[MAX_ARGS];
  sp_expr body = without(x, sp_red_open(p, e, vars), scale);
  return sp_red(p, op, n, vars, body);
}

static sp_expr without(scaling *x, sp_expr e, sp_num *scale) {
  sp_pool *p = x->p;
  *scale = sp_num_from_i64(p, 1);
  if (sp_sort_of(p, e) != SP_SORT_REAL || x->steps == 0) {
    return e;
  }
  x->steps--;
  switch (sp_kind_of(p, e)) {
  case SP_KIND_NUM:
    if (sp_is_zero(p, e)) {
      return e;
    }
    *scale = absolute(p, sp_num_value(p, e));
    return sp_scale(p, e, sp_num_inv(p, *scale));
  case SP_KIND_ADD:
    return without_add(x, e, scale);
  case SP_KIND_MUL:
    return without_mul(x, e, scale);
  case SP_KIND_ITE:
    return without_ite(x, e, scale);
  case SP_KIND_RED:
    return without_red(x, e, scale);
  case SP_KIND_INT:
  case SP_KIND_VAR:
  case SP_KIND_LIN:
  case SP_KIND_DIV:
  case SP_KIND_MOD:
  case SP_KIND_READ:
  case SP_KIND_MAX:
  case SP_KIND_MIN:
  case SP_KIND_FN:
  case SP_KIND_INF:
  case SP_KIND_I2R:
  case SP_KIND_BOOL:
  case SP_KIND_LT0:
  case SP_KIND_EQ0:
  case SP_KIND_RLT:
  case SP_KIND_REQ:
  case SP_KIND_NOT:
  case SP_KIND_OR:
    break;
  }
  return e;
}

sp_expr spi_without_scale(sp_pool *p, sp_expr e, sp_num *scale) {
  scaling x = {.p = p, .steps = MAX_STEPS};
  return without(&x, e, scale);
}
