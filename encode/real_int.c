/* real_int.c: integers as reals (sp_i2r), and comparisons of reals, which
 * become comparisons of integers where both sides are made of such.
 */
#include "encode/real.h"

/* ---- integers as reals ---- */

static sp_expr i2r_node(sp_pool *p, sp_expr a) {
  return spi_node(p, SP_KIND_I2R, SP_SORT_REAL, 0, 1, &a, NULL);
}

static sp_expr i2r_lin(sp_pool *p, const spi_node_t *d) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *args = sp_scratch(p->ctx, d->n * sizeof *args);
  sp_num *coefs = sp_scratch(p->ctx, d->n * sizeof *coefs);
  for (uint32_t i = 0; i < d->n; i++) {
    args[i] = sp_i2r(p, d->args[i]);
    coefs[i] = sp_num_from_i64(p, d->coefs.lin[i]);
  }
  sp_expr e = spi_add_n(p, sp_num_from_i64(p, d->payload), d->n, args, coefs);
  sp_scratch_release(p->ctx, mark);
  return e;
}

/* sum_k n(k) as a real is the sum of the n(k) as reals */
static sp_expr i2r_red(sp_pool *p, sp_expr a) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  uint32_t n = sp_red_n_vars(p, a);
  sp_expr *vars = sp_scratch(p->ctx, n * sizeof *vars);
  sp_expr body = sp_red_open(p, a, vars);
  sp_expr e = sp_red(p, SP_RED_SUM, n, vars, sp_i2r(p, body));
  sp_scratch_release(p->ctx, mark);
  return e;
}

sp_expr sp_i2r(sp_pool *p, sp_expr a) {
  const spi_node_t *d = spi_get(p, a);
  assert(d->sort == SP_SORT_INT);
  if (d->kind == SP_KIND_INT) {
    return sp_real_i64(p, d->payload);
  }
  if (p->raw_values) {
    return i2r_node(p, a);
  }
  if (d->kind == SP_KIND_LIN) {
    return i2r_lin(p, d);
  }
  if (d->kind == SP_KIND_ITE) {
    return sp_ite(p, d->args[0], sp_i2r(p, d->args[1]), sp_i2r(p, d->args[2]));
  }
  if (d->kind == SP_KIND_RED && d->payload == SP_RED_SUM) {
    return i2r_red(p, a);
  }
  return i2r_node(p, a);
}

/* The sum as an integer term times a positive number, when all its terms are
 * integers made real; 0 otherwise. */
static sp_expr integer_form(sp_pool *p, sp_expr e) {
  spi_view s;
  spi_view_of(p, e, &s);
  int64_t scale = 1, n, d;
  for (uint32_t i = 0; i <= s.n; i++) {
    sp_num c = i < s.n ? s.coefs[i] : s.constant;
    if ((i < s.n && spi_kind(p, s.args[i]) != SP_KIND_I2R) ||
        !spi_num_as_ratio(p, c, &n, &d) ||
        !sp_mul_ok(scale, d / sp_gcd(scale, d), &scale)) {
      return (sp_expr){0};
    }
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *args = sp_scratch(p->ctx, s.n * sizeof *args);
  int64_t *coefs = sp_scratch(p->ctx, s.n * sizeof *coefs);
  int64_t constant = 0;
  bool ok = true;
  for (uint32_t i = 0; i <= s.n && ok; i++) {
    ok = spi_num_as_ratio(p, i < s.n ? s.coefs[i] : s.constant, &n, &d) &&
         sp_mul_ok(n, scale / d, i < s.n ? &coefs[i] : &constant);
    if (i < s.n) {
      args[i] = sp_arg(p, s.args[i], 0);
    }
  }
  sp_expr r = {0};
  if (ok) {
    r = spi_lin(p, constant, s.n, args, coefs);
  }
  sp_scratch_release(p->ctx, mark);
  return r;
}

/* Whether e is made of integers, at its surface. */
static bool is_integral(const sp_pool *p, sp_expr e) {
  spi_view s;
  spi_view_of(p, e, &s);
  for (uint32_t i = 0; i < s.n; i++) {
    if (spi_kind(p, s.args[i]) != SP_KIND_I2R) {
      return false;
    }
  }
  return true;
}

/* a - b as an integer term, up to a positive factor; 0 if it is not one. */
static sp_expr integer_difference(sp_pool *p, sp_expr a, sp_expr b) {
  return is_integral(p, a) && is_integral(p, b)
             ? integer_form(p, sp_sub(p, a, b))
             : (sp_expr){0};
}

/* -1, 1: infinite; 0: a number; false when it is not a constant. */
static bool constant_class(const sp_pool *p, sp_expr e, int *cls) {
  if (spi_is_inf(p, e)) {
    *cls = sp_inf_negative(p, e) ? -1 : 1;
    return true;
  }
  *cls = 0;
  return spi_kind(p, e) == SP_KIND_NUM;
}

/* ite(c, k, l) compared with m, numbers: c, not c, or what both are. 0: it is
 * no such comparison. */
static sp_expr choice_compared(sp_pool *p, sp_expr a, sp_expr b,
                               sp_expr (*compare)(sp_pool *, sp_expr,
                                                  sp_expr)) {
  bool left = spi_kind(p, a) == SP_KIND_ITE;
  sp_expr choice = left ? a : b, m = left ? b : a;
  if (spi_kind(p, choice) != SP_KIND_ITE || spi_kind(p, m) != SP_KIND_NUM) {
    return (sp_expr){0};
  }
  sp_expr k = sp_arg(p, choice, 1), l = sp_arg(p, choice, 2);
  if (spi_kind(p, k) != SP_KIND_NUM || spi_kind(p, l) != SP_KIND_NUM) {
    return (sp_expr){0};
  }
  return sp_ite(p, sp_arg(p, choice, 0),
                left ? compare(p, k, m) : compare(p, m, k),
                left ? compare(p, l, m) : compare(p, m, l));
}

static bool has_nan(const sp_pool *p, sp_expr a, sp_expr b) {
  return spi_is_nan(p, a) || spi_is_nan(p, b);
}

sp_expr spi_rlt(sp_pool *p, sp_expr a, sp_expr b) {
  int x, y;
  if (!p->raw_values && has_nan(p, a, b)) {
    return SPI_FALSE;
  }
  if (!p->raw) {
    if (spi_same(a, b)) {
      return SPI_FALSE;
    }
    if (constant_class(p, a, &x) && constant_class(p, b, &y)) {
      return sp_bool(p, x || y ? x < y
                               : sp_num_cmp(p, sp_num_value(p, a),
                                            sp_num_value(p, b)) < 0);
    }
    sp_expr d = integer_difference(p, a, b);
    if (d.v) {
      return sp_lt(p, d, sp_int(p, 0));
    }
    d = choice_compared(p, a, b, spi_rlt);
    if (d.v) {
      return d;
    }
  }
  sp_expr args[2] = {a, b};
  return spi_node(p, SP_KIND_RLT, SP_SORT_BOOL, 0, 2, args, NULL);
}

sp_expr spi_req(sp_pool *p, sp_expr a, sp_expr b) {
  int x, y;
  if (!p->raw_values && has_nan(p, a, b)) {
    return SPI_FALSE;
  }
  if (!p->raw) {
    if (!p->raw_values && spi_same(a, b)) {
      return SPI_TRUE;
    }
    if (constant_class(p, a, &x) && constant_class(p, b, &y)) {
      return sp_bool(p, spi_same(a, b)); /* unequal ids: unequal numbers */
    }
    sp_expr d = integer_difference(p, a, b);
    if (d.v) {
      return sp_eq(p, d, sp_int(p, 0));
    }
    d = choice_compared(p, a, b, spi_req);
    if (d.v) {
      return d;
    }
  }
  sp_expr args[2] = {a, b};
  spi_sort_terms(p, 2, args);
  return spi_node(p, SP_KIND_REQ, SP_SORT_BOOL, 0, 2, args, NULL);
}

sp_expr sp_is_nan(sp_pool *p, sp_expr a) {
  if (p->raw_values) {
    return sp_not(p, spi_req(p, a, a));
  }
  return sp_bool(p, spi_is_nan(p, a));
}
