/* machine_zero.c: read support, then spi_sum_less. */
#include "solve/machine_zero.h"

#include <string.h>

enum { MAX_DEPTH = 60 };

/* ---- supports ---- */

typedef struct looking {
  const spi_zeros *z;
  sp_expr var;
  int64_t extent;
} looking;

static sp_span support(const looking *l, sp_expr e, uint32_t depth);

/* The values of the variable for which the index may be in the span. */
static sp_span where_inside(const looking *l, sp_expr index, sp_span inside) {
  sp_pool *p = l->z->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  spi_points x;
  uint32_t at = 0;
  if (index.v == l->var.v) {
    return spi_span_below(ctx, inside, l->extent);
  }
  if (!spi_points_of(p, index, &x)) {
    return spi_span_all(l->extent);
  }
  while (at < x.n && x.vars[at].v != l->var.v) {
    at++;
  }
  sp_mark mark = sp_scratch_mark(ctx);
  bool *bits = sp_scratch(ctx, (size_t)l->extent * sizeof *bits + 1);
  memset(bits, 0, (size_t)l->extent * sizeof *bits);
  bool any = false;
  for (int64_t i = 0; i < x.size; i++, spi_points_next(&x)) {
    int64_t v;
    bool may =
        !spi_points_value(p, &x, index, &v) || spi_span_find(inside, v) >= 0;
    any |= may;
    if (at < x.n) {
      bits[x.at[at]] |= may;
    }
  }
  sp_span found = at < x.n ? spi_span_of_bits(ctx, bits, l->extent)
                  : any    ? spi_span_all(l->extent)
                           : spi_span_none();
  sp_scratch_release(ctx, mark);
  return found;
}

static sp_span support_of_read(const looking *l, sp_expr e) {
  sp_pool *p = l->z->pool;
  const spi_known *of = l->z->known(l->z->env, sp_read_sym(p, e));
  sp_span all = spi_span_all(l->extent);
  for (uint32_t d = 1; of && of->support && d < sp_n_args(p, e); d++) {
    sp_span inside = of->support[d - 1];
    if (inside.at) {
      all = spi_span_meet(sp_pool_ctx(p), all,
                          where_inside(l, sp_arg(p, e, d), inside));
    }
  }
  return all;
}

static sp_span support_of_any(const looking *l, sp_expr e, uint32_t from,
                              uint32_t depth) {
  sp_pool *p = l->z->pool;
  sp_span any = support(l, sp_arg(p, e, from), depth + 1);
  for (uint32_t i = from + 1; any.at && i < sp_n_args(p, e); i++) {
    any = spi_span_union(sp_pool_ctx(p), any,
                         support(l, sp_arg(p, e, i), depth + 1), l->extent);
  }
  return any;
}

/* Where a condition over the variable alone has this value. */
static sp_span where_condition(const looking *l, sp_expr c, bool value) {
  sp_pool *p = l->z->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  spi_points x;
  if (!spi_points_of(p, c, &x) || x.n != 1 || x.vars[0].v != l->var.v) {
    return spi_span_all(l->extent);
  }
  sp_mark mark = sp_scratch_mark(ctx);
  bool *bits = sp_scratch(ctx, (size_t)l->extent * sizeof *bits + 1);
  for (int64_t i = 0; i < x.size; i++, spi_points_next(&x)) {
    int64_t v;
    bits[i] = !spi_points_value(p, &x, c, &v) || (v != 0) == value;
  }
  sp_span found = spi_span_of_bits(ctx, bits, l->extent);
  sp_scratch_release(ctx, mark);
  return found;
}

static sp_span support_of_choice(const looking *l, sp_expr e, uint32_t depth) {
  sp_pool *p = l->z->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  sp_expr c = sp_arg(p, e, 0);
  sp_span yes = spi_span_meet(ctx, support(l, sp_arg(p, e, 1), depth + 1),
                              where_condition(l, c, true));
  sp_span no = spi_span_meet(ctx, support(l, sp_arg(p, e, 2), depth + 1),
                             where_condition(l, c, false));
  return spi_span_union(ctx, yes, no, l->extent);
}

static sp_span support_of_product(const looking *l, sp_expr e, uint32_t depth) {
  sp_pool *p = l->z->pool;
  sp_span all = spi_span_all(l->extent);
  if (!spi_term_known(l->z, e).finite) {
    return all;
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    all = spi_span_meet(sp_pool_ctx(p), all,
                        support(l, sp_arg(p, e, i), depth + 1));
  }
  return all;
}

static bool keeps_zero(sp_pool *p, sp_expr e) {
  double (*one)(double), (*two)(double, double);
  return sp_n_args(p, e) == 1 &&
         sp_sort_of(p, sp_arg(p, e, 0)) == SP_SORT_REAL &&
         sp_real_function(sp_fn_name(p, e), &one, &two) && one &&
         one(0.0) == 0.0;
}

static sp_span support(const looking *l, sp_expr e, uint32_t depth) {
  sp_pool *p = l->z->pool;
  sp_span all = spi_span_all(l->extent);
  if (depth > MAX_DEPTH || sp_sort_of(p, e) != SP_SORT_REAL) {
    return all;
  }
  switch (sp_kind_of(p, e)) {
  case SP_KIND_NUM:
    return sp_is_zero(p, e) ? spi_span_none() : all;
  case SP_KIND_READ:
    return support_of_read(l, e);
  case SP_KIND_ADD:
    return sp_num_sign(p, sp_add_const(p, e)) == 0
               ? support_of_any(l, e, 0, depth)
               : all;
  case SP_KIND_MUL:
    return support_of_product(l, e, depth);
  case SP_KIND_ITE:
    return support_of_choice(l, e, depth);
  case SP_KIND_MAX:
  case SP_KIND_MIN:
    return support_of_any(l, e, 0, depth);
  case SP_KIND_FN:
    return keeps_zero(p, e) ? support(l, sp_arg(p, e, 0), depth + 1) : all;
  case SP_KIND_RED:
    return sp_red_op_of(p, e) == SP_RED_SUM
               ? support(l, sp_red_body(p, e), depth + 1)
               : all;
  case SP_KIND_INF:
  case SP_KIND_I2R:
  case SP_KIND_INT:
  case SP_KIND_VAR:
  case SP_KIND_LIN:
  case SP_KIND_DIV:
  case SP_KIND_MOD:
  case SP_KIND_BOOL:
  case SP_KIND_LT0:
  case SP_KIND_EQ0:
  case SP_KIND_RLT:
  case SP_KIND_REQ:
  case SP_KIND_NOT:
  case SP_KIND_OR:
    break;
  }
  return all;
}

sp_span spi_support(const spi_zeros *z, sp_expr e, sp_expr var) {
  looking l = {z, var, sp_var_extent(z->pool, var)};
  return support(&l, e, 0);
}

/* ---- sums ---- */

static sp_expr sum_less(void *env, sp_pool *p, sp_expr e) {
  const spi_zeros *z = env;
  if (sp_kind_of(p, e) != SP_KIND_RED || sp_red_op_of(p, e) != SP_RED_SUM ||
      sp_sort_of(p, e) != SP_SORT_REAL || sp_red_n_vars(p, e) > SP_MAX_DIMS) {
    return (sp_expr){0};
  }
  uint32_t n = sp_red_n_vars(p, e), left = 0;
  sp_expr vars[SP_MAX_DIMS], over[SP_MAX_DIMS];
  sp_expr body = sp_map(p, sp_red_open(p, e, vars), sum_less, env);
  for (uint32_t i = 0; i < n; i++) {
    bool is_var = sp_kind_of(p, vars[i]) == SP_KIND_VAR;
    sp_span s = is_var ? spi_support(z, body, vars[i]) : (sp_span){1, NULL};
    if (s.n == 0) {
      return sp_real_i64(p, 0);
    }
    if (!s.at) {
      over[left++] = vars[i];
      continue;
    }
    sp_expr k = s.n > 1 ? sp_fresh(p, s.n) : sp_int(p, 0);
    sp_expr at = spi_span_term(p, s, k);
    body = sp_subst(p, body, 1, &vars[i], &at);
    if (s.n > 1) {
      over[left++] = k;
    }
  }
  return left ? sp_red(p, SP_RED_SUM, left, over, body) : body;
}

sp_expr spi_sum_less(const spi_zeros *z, sp_expr e) {
  return sp_has_red(z->pool, e)
             ? sp_map(z->pool, e, sum_less, (void *)(uintptr_t)z)
             : e;
}
