/* product.c: products of reals, exp and inv. Read spi_mul_n: each step hands
 * a smaller problem back to the constructors, so that steps do not have to
 * know of one another.
 */
#include "encode/real.h"

uint32_t spi_factors(const sp_pool *p, const sp_expr *e, const sp_expr **out) {
  const spi_node_t *d = spi_get(p, *e);
  if (d->kind == SP_KIND_MUL) {
    *out = d->args;
    return d->n;
  }
  *out = e;
  return 1;
}

bool spi_is_fn(const sp_pool *p, sp_expr e, int64_t fn) {
  const spi_node_t *d = spi_get(p, e);
  return d->kind == SP_KIND_FN && d->payload == fn && d->sort == SP_SORT_REAL;
}

uint32_t spi_find_exp(sp_pool *p, uint32_t n, const sp_expr *factors) {
  uint32_t i = 0;
  while (i < n && !spi_is_exp(p, factors[i])) {
    i++;
  }
  return i;
}

/* Copy all but one (or two) places. */
static spi_list list_without(sp_pool *p, const spi_list *l, uint32_t i,
                             uint32_t j, uint32_t extra) {
  spi_list rest = spi_list_new(p, l->n + extra);
  for (uint32_t q = 0; q < l->n; q++) {
    if (q != i && q != j) {
      spi_list_push(&rest, l->v[q]);
    }
  }
  return rest;
}

/* ---- the steps: each returns the whole product (without k), or 0 ---- */

/* exp(a) * exp(b) = exp(a + b) */
static sp_expr step_exps(sp_pool *p, const spi_list *l) {
  spi_list rest = spi_list_new(p, l->n + 1);
  spi_list args = spi_list_new(p, l->n);
  for (uint32_t i = 0; i < l->n; i++) {
    bool is = spi_is_exp(p, l->v[i]);
    spi_list_push(is ? &args : &rest, is ? sp_arg(p, l->v[i], 0) : l->v[i]);
  }
  if (args.n < 2) {
    return (sp_expr){0};
  }
  sp_num *ones = sp_scratch(p->ctx, args.n * sizeof *ones);
  for (uint32_t i = 0; i < args.n; i++) {
    ones[i] = SPI_NUM_ONE;
  }
  spi_list_push(&rest,
                sp_exp(p, spi_add_n(p, SPI_NUM_ZERO, args.n, args.v, ones)));
  return spi_mul_n(p, rest.n, rest.v);
}

/* x * inv(x) = 1 where x /= 0 */
static sp_expr step_cancel(sp_pool *p, const spi_list *l) {
  int64_t inv = spi_reals_of(p)->inv;
  for (uint32_t i = 0; i < l->n; i++) {
    if (!spi_is_fn(p, l->v[i], inv)) {
      continue;
    }
    sp_expr x = sp_arg(p, l->v[i], 0);
    for (uint32_t j = 0; j < l->n; j++) {
      if (spi_same(l->v[j], x) && spi_nonzero(p, x)) {
        spi_list rest = list_without(p, l, i, j, 0);
        return spi_mul_n(p, rest.n, rest.v);
      }
    }
  }
  return (sp_expr){0};
}

/* sqrt(x) * sqrt(x) = x where x >= 0 */
static sp_expr step_roots(sp_pool *p, const spi_list *l) {
  int64_t sqrt = spi_reals_of(p)->sqrt;
  for (uint32_t i = 0; i < l->n; i++) {
    for (uint32_t j = i + 1; spi_is_fn(p, l->v[i], sqrt) && j < l->n; j++) {
      sp_expr x = sp_arg(p, l->v[i], 0);
      if (spi_same(l->v[j], l->v[i]) && spi_nonnegative(p, x)) {
        spi_list rest = list_without(p, l, i, j, 1);
        spi_list_push(&rest, x);
        return spi_mul_n(p, rest.n, rest.v);
      }
    }
  }
  return (sp_expr){0};
}

/* ite(c, 0, b) * f = ite(c, 0, b * f) */
static sp_expr step_guard(sp_pool *p, const spi_list *l) {
  for (uint32_t i = 0; i < l->n; i++) {
    sp_expr c, b;
    if (spi_zero_guard(p, l->v[i], &c, &b)) {
      spi_list rest = list_without(p, l, i, i, 1);
      spi_list_push(&rest, b);
      sp_expr zero = sp_real(p, SPI_NUM_ZERO);
      return sp_ite(p, c, zero, spi_mul_n(p, rest.n, rest.v));
    }
  }
  return (sp_expr){0};
}

/* ---- products ---- */

/* Factors of all args, nested products opened, coefficients collected in *k. */
static spi_list factors_collect(sp_pool *p, uint32_t n, const sp_expr *args,
                                sp_num *k) {
  size_t room = 0;
  for (uint32_t i = 0; i < n; i++) {
    spi_view s;
    spi_view_of(p, args[i], &s);
    const sp_expr *f;
    room += s.n == 1 ? spi_factors(p, s.args, &f) : 1;
  }
  if (room > UINT32_MAX / 2) {
    sp_raise(p->ctx, SP_ERR_LIMIT, sp_nowhere(), NULL, "a product is too long");
  }
  spi_list l = spi_list_new(p, (uint32_t)room);
  for (uint32_t i = 0; i < n; i++) {
    spi_view s;
    spi_view_of(p, args[i], &s);
    if (s.n == 0) {
      *k = sp_num_mul(p, *k, s.constant);
    } else if (s.n == 1 && spi_num_is_zero(s.constant)) {
      *k = sp_num_mul(p, *k, s.coefs[0]);
      const sp_expr *f;
      uint32_t m = spi_factors(p, s.args, &f);
      for (uint32_t j = 0; j < m; j++) {
        spi_list_push(&l, f[j]);
      }
    } else {
      spi_list_push(&l, args[i]);
    }
  }
  return l;
}

/* Infinite where its variables are numbers, or 1 / 0. */
static bool is_infinite(sp_pool *p, sp_expr f) {
  if (spi_is_fn(p, f, spi_reals_of(p)->inv)) {
    return sp_is_zero(p, sp_arg(p, f, 0));
  }
  spi_view s;
  spi_view_of(p, f, &s);
  for (uint32_t i = 0; i < s.n; i++) {
    if (spi_is_inf(p, s.args[i])) {
      return true;
    }
  }
  return false;
}

/* A factor is the constant NaN, or one is zero and another is infinite. */
static bool has_no_value(sp_pool *p, const spi_list *l, sp_num k) {
  for (uint32_t i = 0; i < l->n; i++) {
    if (spi_is_nan(p, l->v[i]) ||
        (spi_num_is_zero(k) && is_infinite(p, l->v[i]))) {
      return true;
    }
  }
  return false;
}

static sp_expr product_node(sp_pool *p, spi_list *l) {
  if (l->n == 0) {
    return sp_real(p, SPI_NUM_ONE);
  }
  if (l->n == 1) {
    return l->v[0];
  }
  spi_sort_terms(p, l->n, l->v);
  return spi_node(p, SP_KIND_MUL, SP_SORT_REAL, 0, l->n, l->v, NULL);
}

static sp_expr product_build(sp_pool *p, spi_list *l, sp_num *k) {
  if (p->raw_values || l->n < 2) {
    return product_node(p, l);
  }
  sp_expr e = step_exps(p, l);
  if (!e.v) {
    for (uint32_t i = 0; i < l->n; i++) {
      sp_num c;
      l->v[i] = spi_monic(p, l->v[i], &c);
      *k = sp_num_mul(p, *k, c);
    }
    e = step_cancel(p, l);
  }
  if (!e.v) {
    e = step_roots(p, l);
  }
  if (!e.v) {
    e = step_guard(p, l);
  }
  return e.v ? e : product_node(p, l);
}

sp_expr spi_mul_n(sp_pool *p, uint32_t n, const sp_expr *args) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_num k = SPI_NUM_ONE;
  spi_list l = factors_collect(p, n, args, &k);
  sp_expr e;
  if (!p->raw_values && has_no_value(p, &l, k)) {
    e = sp_nan(p);
  } else if (!p->raw_values && spi_num_is_zero(k)) {
    e = sp_real(p, k);
  } else {
    e = product_build(p, &l, &k);
    e = sp_scale(p, e, k);
  }
  sp_scratch_release(p->ctx, mark);
  return e;
}

sp_expr sp_mul(sp_pool *p, sp_expr a, sp_expr b) {
  if (sp_sort_of(p, a) == SP_SORT_INT) {
    return sp_imul(p, a, b);
  }
  sp_expr args[2] = {a, b};
  return spi_mul_n(p, 2, args);
}

sp_expr sp_div(sp_pool *p, sp_expr a, sp_expr b) {
  if (spi_kind(p, b) == SP_KIND_NUM && !sp_is_zero(p, b)) {
    return sp_scale(p, a, sp_num_inv(p, sp_num_value(p, b)));
  }
  return sp_mul(p, a, sp_inv(p, b));
}

/* ---- exp ---- */

static sp_expr fn_node(sp_pool *p, int64_t fn, sp_expr a) {
  return spi_node(p, SP_KIND_FN, SP_SORT_REAL, fn, 1, &a, NULL);
}

/* The sum without its i-th term. */
static sp_expr view_without(sp_pool *p, const spi_view *s, uint32_t i) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *args = sp_scratch(p->ctx, s->n * sizeof *args);
  sp_num *coefs = sp_scratch(p->ctx, s->n * sizeof *coefs);
  uint32_t n = 0;
  for (uint32_t j = 0; j < s->n; j++) {
    if (j != i) {
      args[n] = s->args[j];
      coefs[n++] = s->coefs[j];
    }
  }
  sp_expr e = spi_add_n(p, s->constant, n, args, coefs);
  sp_scratch_release(p->ctx, mark);
  return e;
}

static sp_expr exp_ite(sp_pool *p, sp_expr ite, sp_num k) {
  sp_expr a = sp_exp(p, sp_scale(p, sp_arg(p, ite, 1), k));
  sp_expr b = sp_exp(p, sp_scale(p, sp_arg(p, ite, 2), k));
  return sp_ite(p, sp_arg(p, ite, 0), a, b);
}

/* exp(k * a) for a term that exp does something to, or 0. */
static sp_expr exp_term(sp_pool *p, sp_expr a, sp_num k) {
  if (spi_kind(p, a) == SP_KIND_ITE) {
    return exp_ite(p, a, k);
  }
  bool minus = spi_same(sp_real(p, k), sp_real_i64(p, -1));
  if (spi_is_fn(p, a, spi_reals_of(p)->log) && (spi_num_is_one(k) || minus)) {
    sp_expr x = sp_arg(p, a, 0);
    /* log 0 is -inf, and exp of that 0 again; log of less is nothing. */
    if (spi_nonnegative(p, x)) {
      return minus ? sp_inv(p, x) : x;
    }
  }
  return (sp_expr){0};
}

sp_expr sp_exp(sp_pool *p, sp_expr a) {
  int64_t exp = spi_reals_of(p)->exp;
  if (p->raw_values) {
    return fn_node(p, exp, a);
  }
  if (sp_is_zero(p, a)) {
    return sp_real(p, SPI_NUM_ONE);
  }
  if (spi_is_nan(p, a)) {
    return a;
  }
  spi_view s;
  spi_view_of(p, a, &s);
  for (uint32_t i = 0; i < s.n; i++) {
    if (spi_is_inf(p, s.args[i]) && sp_inf_negative(p, s.args[i])) {
      return sp_real(p, SPI_NUM_ZERO); /* exp(x - inf) = 0 */
    }
  }
  for (uint32_t i = 0; i < s.n; i++) {
    if (spi_is_inf(p, s.args[i])) {
      return s.args[i];
    }
  }
  for (uint32_t i = 0; i < s.n; i++) {
    sp_expr f = exp_term(p, s.args[i], s.coefs[i]);
    if (f.v) {
      return sp_mul(p, sp_exp(p, view_without(p, &s, i)), f);
    }
  }
  spi_note_finite(p, a); /* exp(a) is to be moved around as if it were so */
  return fn_node(p, exp, a);
}

/* ---- inv ---- */

/* inv of one factor */
static sp_expr inv_factor(sp_pool *p, sp_expr f) {
  spi_reals *r = spi_reals_of(p);
  if (spi_is_exp(p, f)) {
    return sp_exp(p, sp_scale(p, sp_arg(p, f, 0), sp_num_from_i64(p, -1)));
  }
  if (spi_is_fn(p, f, r->inv)) {
    sp_expr a = sp_arg(p, f, 0);
    if (spi_nonzero(p, a)) {
      return a;
    }
  }
  return fn_node(p, r->inv, f);
}

sp_expr sp_inv(sp_pool *p, sp_expr a) {
  if (p->raw_values) {
    return fn_node(p, spi_reals_of(p)->inv, a);
  }
  if (spi_is_nan(p, a)) {
    return a;
  }
  spi_view s;
  spi_view_of(p, a, &s);
  if (s.n == 0) {
    return spi_num_is_zero(s.constant) ? fn_node(p, spi_reals_of(p)->inv, a)
                                       : sp_real(p, sp_num_inv(p, s.constant));
  }
  if (spi_is_inf(p, a)) {
    return sp_real(p, SPI_NUM_ZERO);
  }
  if (s.n > 1 || !spi_num_is_zero(s.constant)) {
    sp_num k;
    sp_expr m = spi_monic(p, a, &k);
    sp_expr r = inv_factor(p, m);
    return spi_num_is_one(k) ? r : sp_scale(p, r, sp_num_inv(p, k));
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  const sp_expr *f;
  uint32_t n = spi_factors(p, s.args, &f);
  spi_list l = spi_list_new(p, n);
  for (uint32_t i = 0; i < n; i++) {
    spi_list_push(&l, inv_factor(p, f[i]));
  }
  sp_expr r = spi_mul_n(p, n, l.v);
  r = sp_scale(p, r, sp_num_inv(p, s.coefs[0]));
  sp_scratch_release(p->ctx, mark);
  return r;
}
