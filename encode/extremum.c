/* extremum.c: maximum and minimum of reals: flat, sorted, without repetition,
 * with one constant; what all arguments share (a factor, addends) outside.
 */
#include "encode/real.h"

static sp_expr extremum(sp_pool *p, bool min, uint32_t n, const sp_expr *args);

static sp_kind kind_of(bool min) {
  return min ? SP_KIND_MIN : SP_KIND_MAX;
}

/* Arguments opened; the infinity that does nothing is dropped, the other one
 * swallows all. Returns that, or 0. *least collects constants. */
static sp_expr collect(sp_pool *p, bool min, uint32_t n, const sp_expr *args,
                       spi_list *l, sp_expr *constant) {
  for (uint32_t i = 0; i < n; i++) {
    const spi_node_t *d = spi_get(p, args[i]);
    if (d->kind == kind_of(min)) {
      sp_expr all = collect(p, min, d->n, d->args, l, constant);
      if (all.v) {
        return all;
      }
    } else if (d->kind == SP_KIND_INF) {
      if ((d->payload != 0) == min) {
        return args[i];
      }
    } else if (d->kind == SP_KIND_NUM) {
      sp_num c = {(uint32_t)d->payload};
      int sign = constant->v
                     ? sp_num_cmp(p, c, sp_num_value(p, *constant))
                     : (min ? -1 : 1);
      if (min ? sign < 0 : sign > 0) {
        *constant = args[i];
      }
    } else {
      spi_list_push(l, args[i]);
    }
  }
  return (sp_expr){0};
}

static uint32_t flat_length(const sp_pool *p, uint32_t n, const sp_expr *args,
                            bool min) {
  uint32_t m = 0;
  for (uint32_t i = 0; i < n; i++) {
    const spi_node_t *d = spi_get(p, args[i]);
    m += d->kind == kind_of(min) ? d->n : 1;
  }
  return m;
}

/* max(k x, k y, c) = k max(x, y, c/k) for k > 0; k min(..) for k < 0 */
static sp_expr take_factor(sp_pool *p, bool min, const spi_list *l) {
  sp_num k = {0};
  for (uint32_t i = 0; i < l->n; i++) {
    spi_view s;
    spi_view_of(p, l->v[i], &s);
    if (s.n == 0) {
      continue;
    }
    if (s.n > 1 || !spi_num_is_zero(s.constant) ||
        (k.v && !sp_num_eq(k, s.coefs[0]))) {
      return (sp_expr){0};
    }
    k = s.coefs[0];
  }
  if (!k.v || spi_num_is_one(k)) {
    return (sp_expr){0};
  }
  sp_expr *v = sp_scratch(p->ctx, l->n * sizeof *v);
  for (uint32_t i = 0; i < l->n; i++) {
    v[i] = sp_scale(p, l->v[i], sp_num_inv(p, k));
  }
  return sp_scale(p, extremum(p, min != (sp_num_sign(p, k) < 0), l->n, v), k);
}

static bool view_has(const spi_view *s, sp_expr e, sp_num k) {
  for (uint32_t i = 0; i < s->n; i++) {
    if (spi_same(s->args[i], e)) {
      return sp_num_eq(s->coefs[i], k);
    }
  }
  return false;
}

/* max(a + x, a + y) = a + max(x, y), a finite */
static sp_expr take_addends(sp_pool *p, bool min, const spi_list *l) {
  spi_view first;
  spi_view_of(p, l->v[0], &first);
  sp_expr *args = sp_scratch(p->ctx, first.n * sizeof *args);
  sp_num *coefs = sp_scratch(p->ctx, first.n * sizeof *coefs);
  uint32_t n = 0;
  for (uint32_t i = 0; i < first.n; i++) {
    bool all = !spi_is_inf(p, first.args[i]);
    for (uint32_t j = 1; j < l->n && all; j++) {
      spi_view s;
      spi_view_of(p, l->v[j], &s);
      all = view_has(&s, first.args[i], first.coefs[i]);
    }
    if (all) {
      args[n] = first.args[i];
      coefs[n++] = first.coefs[i];
    }
  }
  if (n == 0) {
    return (sp_expr){0};
  }
  sp_expr a = spi_add_n(p, SPI_NUM_ZERO, n, args, coefs);
  sp_expr *v = sp_scratch(p->ctx, l->n * sizeof *v);
  for (uint32_t i = 0; i < l->n; i++) {
    v[i] = sp_sub(p, l->v[i], a);
  }
  return sp_add(p, a, extremum(p, min, l->n, v));
}

static sp_expr extremum_node(sp_pool *p, bool min, spi_list *l) {
  spi_sort_terms(p, l->n, l->v);
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->n; i++) {
    if (n == 0 || !spi_same(l->v[n - 1], l->v[i])) {
      l->v[n++] = l->v[i];
    }
  }
  l->n = n;
  if (n == 1) {
    return l->v[0];
  }
  if (!p->raw_values) {
    sp_expr e = take_factor(p, min, l);
    e = e.v ? e : take_addends(p, min, l);
    if (e.v) {
      return e;
    }
  }
  return spi_node(p, kind_of(min), SP_SORT_REAL, 0, n, l->v, NULL);
}

static sp_expr extremum(sp_pool *p, bool min, uint32_t n,
                        const sp_expr *args) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  spi_list l = spi_list_new(p, flat_length(p, n, args, min) + 1);
  sp_expr constant = {0};
  sp_expr e = collect(p, min, n, args, &l, &constant);
  if (!e.v) {
    if (constant.v) {
      spi_list_push(&l, constant);
    }
    e = l.n == 0 ? sp_inf(p, !min) : extremum_node(p, min, &l);
  }
  sp_scratch_release(p->ctx, mark);
  return e;
}

sp_expr spi_rmax(sp_pool *p, sp_expr a, sp_expr b) {
  sp_expr args[2] = {a, b};
  return extremum(p, false, 2, args);
}

sp_expr spi_rmin(sp_pool *p, sp_expr a, sp_expr b) {
  sp_expr args[2] = {a, b};
  return extremum(p, true, 2, args);
}
