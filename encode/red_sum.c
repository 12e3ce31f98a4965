/* red_sum.c: what comes out of a SUM. The body is seen as
 *
 *   ite(guard, 0, coefficient * outer * core)
 *
 * where outer does not depend on the summation variables. What depends on none
 * of them comes out, of the guard, too; a sum that is the core, or its only
 * sum among the factors, is merged. Sums are NOT split over +.
 */
#include "encode/real.h"

/* The coefficient of a REAL or INT term that depends on the variables, or
 * that is a constant (then the core is 1). INT terms: 64-bit integers only. */
static sp_expr take_coefficient(sp_pool *p, sp_expr core, sp_num *k) {
  const spi_node_t *d = spi_get(p, core);
  *k = SPI_NUM_ONE;
  if (d->kind == SP_KIND_INT && d->payload != 1) {
    *k = sp_num_from_i64(p, d->payload);
    return sp_int(p, 1);
  }
  if (d->kind == SP_KIND_LIN && d->n == 1 && d->payload == 0) {
    *k = sp_num_from_i64(p, d->coefs.lin[0]);
    return d->args[0];
  }
  if (d->kind == SP_KIND_NUM) {
    *k = (sp_num){(uint32_t)d->payload};
    return sp_real(p, SPI_NUM_ONE);
  }
  if (d->kind == SP_KIND_ADD && d->n == 1 && d->payload == SPI_NUM_ZERO.v) {
    *k = d->coefs.add[0];
    return d->args[0];
  }
  return spi_monic(p, core, k);
}

static sp_expr give_coefficient(sp_pool *p, sp_expr e, sp_num k) {
  int64_t n;
  if (sp_sort_of(p, e) == SP_SORT_REAL) {
    return sp_scale(p, e, k);
  }
  bool ok = spi_num_as_i64(p, k, &n);
  assert(ok);
  (void)ok;
  return sp_iscale(p, e, n);
}

/* exp(a + b(k)) = exp(a) exp(b(k)): the two exponents; false if a is 0. */
static bool split_exp(sp_pool *p, const spi_red *r, sp_expr f, sp_expr *outer,
                      sp_expr *inner) {
  if (!spi_is_exp(p, f)) {
    return false;
  }
  spi_view s;
  spi_view_of(p, sp_arg(p, f, 0), &s);
  sp_expr *args = sp_scratch(p->ctx, s.n * sizeof *args);
  sp_num *coefs = sp_scratch(p->ctx, s.n * sizeof *coefs);
  uint32_t n = 0;
  for (uint32_t i = 0; i < s.n; i++) {
    if (!spi_depends(p, r, s.args[i])) {
      args[n] = s.args[i];
      coefs[n++] = s.coefs[i];
    }
  }
  if (n == 0 && spi_num_is_zero(s.constant)) {
    return false;
  }
  *outer = spi_add_n(p, s.constant, n, args, coefs);
  *inner = sp_sub(p, sp_arg(p, f, 0), *outer);
  return true;
}

/* The factors of a product that do not depend on the variables (0: none). */
static sp_expr outer_of_product(sp_pool *p, const spi_red *r, sp_expr *core) {
  const sp_expr *f;
  uint32_t n = spi_factors(p, core, &f);
  spi_list out = spi_list_new(p, n), in = spi_list_new(p, n);
  for (uint32_t i = 0; i < n; i++) {
    sp_expr a, b;
    if (!spi_depends(p, r, f[i])) {
      spi_list_push(&out, f[i]);
    } else if (split_exp(p, r, f[i], &a, &b)) {
      spi_list_push(&out, sp_exp(p, a));
      spi_list_push(&in, sp_exp(p, b));
    } else {
      spi_list_push(&in, f[i]);
    }
  }
  if (out.n == 0) {
    return (sp_expr){0};
  }
  *core = spi_mul_n(p, in.n, in.v);
  return spi_mul_n(p, out.n, out.v);
}

static bool has_factor(const sp_pool *p, sp_expr e, sp_expr f) {
  const sp_expr *v;
  uint32_t n = spi_factors(p, &e, &v), i = 0;
  while (i < n && !spi_same(v[i], f)) {
    i++;
  }
  return i < n;
}

/* e without the factors in out, all of which it has. */
static sp_expr divide(sp_pool *p, sp_expr e, const spi_list *out) {
  const sp_expr *v;
  uint32_t n = spi_factors(p, &e, &v);
  spi_list keep = spi_list_new(p, n);
  bool *gone = sp_scratch(p->ctx, out->n * sizeof *gone);
  memset(gone, 0, out->n * sizeof *gone);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t q = 0;
    while (q < out->n && (gone[q] || !spi_same(v[i], out->v[q]))) {
      q++;
    }
    if (q < out->n) {
      gone[q] = true;
    } else {
      spi_list_push(&keep, v[i]);
    }
  }
  return spi_mul_n(p, keep.n, keep.v);
}

/* Factors that all terms of a sum share and that do not depend on the
 * variables. */
static sp_expr outer_of_sum(sp_pool *p, const spi_red *r, sp_expr *core) {
  const spi_node_t *d = spi_get(p, *core);
  if (d->payload != SPI_NUM_ZERO.v) {
    return (sp_expr){0};
  }
  sp_expr rest = d->args[0];
  sp_expr first = outer_of_product(p, r, &rest);
  if (!first.v) {
    return first;
  }
  const sp_expr *f;
  uint32_t n = spi_factors(p, &first, &f);
  spi_list out = spi_list_new(p, n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t j = 0;
    while (j < d->n && has_factor(p, d->args[j], f[i])) {
      j++;
    }
    bool twice = i > 0 && spi_same(f[i], f[i - 1]);
    if (j == d->n && !twice) {
      spi_list_push(&out, f[i]);
    }
  }
  if (out.n == 0) {
    return (sp_expr){0};
  }
  sp_expr *args = sp_scratch(p->ctx, d->n * sizeof *args);
  for (uint32_t j = 0; j < d->n; j++) {
    args[j] = divide(p, d->args[j], &out);
  }
  *core = spi_add_n(p, SPI_NUM_ZERO, d->n, args, d->coefs.add);
  return spi_mul_n(p, out.n, out.v);
}

static sp_expr take_outer(sp_pool *p, const spi_red *r, sp_expr *core) {
  const spi_node_t *d = spi_get(p, *core);
  if (d->sort != SP_SORT_REAL || d->kind == SP_KIND_NUM) {
    return (sp_expr){0};
  }
  if (!spi_depends(p, r, *core)) {
    sp_expr outer = *core;
    *core = sp_real(p, SPI_NUM_ONE);
    return outer;
  }
  return d->kind == SP_KIND_ADD ? outer_of_sum(p, r, core)
                                : outer_of_product(p, r, core);
}

static bool is_sum(const sp_pool *p, sp_expr e) {
  const spi_node_t *d = spi_get(p, e);
  return d->kind == SP_KIND_RED && d->payload == SP_RED_SUM;
}

/* sum_k f(k) sum_j g(k, j) = sum_{k, j} f(k) g(k, j): the place of the only sum
 * among the factors of core, or n. */
static uint32_t only_sum(const sp_pool *p, uint32_t n, const sp_expr *f) {
  uint32_t at = n;
  for (uint32_t i = 0; i < n; i++) {
    if (is_sum(p, f[i])) {
      if (at < n) {
        return n;
      }
      at = i;
    }
  }
  return at;
}

/* Opens that sum; returns how many variables it had. */
static uint32_t take_inner_sum(sp_pool *p, sp_expr *core, sp_expr **vars) {
  if (sp_sort_of(p, *core) == SP_SORT_INT && !is_sum(p, *core)) {
    return 0;
  }
  const sp_expr *f;
  uint32_t n = spi_factors(p, core, &f);
  uint32_t at = only_sum(p, n, f);
  if (at == n) {
    return 0;
  }
  uint32_t m = sp_red_n_vars(p, f[at]);
  *vars = sp_scratch(p->ctx, m * sizeof **vars);
  sp_expr inner = sp_red_open(p, f[at], *vars);
  if (n == 1) {
    *core = inner;
    return m;
  }
  sp_expr *g = sp_scratch(p->ctx, n * sizeof *g);
  memcpy(g, f, n * sizeof *g);
  g[at] = inner;
  *core = spi_mul_n(p, n, g);
  return m;
}

static sp_expr under(sp_pool *p, sp_expr guard, sp_expr e) {
  return guard.v ? sp_ite(p, guard, spi_zero_of(p, sp_sort_of(p, e)), e) : e;
}

static sp_expr sum_step(sp_pool *p, const spi_red *r) {
  if (sp_is_zero(p, r->body)) {
    return r->body;
  }
  sp_expr guard, core = r->body, above = {0}, below = {0};
  if (spi_zero_guard(p, r->body, &guard, &core)) {
    spi_split_guard(p, r, guard, &above, &below);
  }
  sp_num k;
  core = take_coefficient(p, core, &k);
  sp_expr outer = take_outer(p, r, &core);
  sp_expr *more = NULL;
  uint32_t m = take_inner_sum(p, &core, &more);
  if (!above.v && !outer.v && m == 0 && spi_num_is_one(k)) {
    return (sp_expr){0};
  }
  sp_expr e = spi_rereduce(p, r, SP_RED_SUM, under(p, below, core), m, more);
  if (outer.v) {
    e = sp_mul(p, outer, e);
  }
  return under(p, above, give_coefficient(p, e, k));
}

sp_expr spi_sum_step(sp_pool *p, const spi_red *r) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr e = sum_step(p, r);
  sp_scratch_release(p->ctx, mark);
  return e;
}
