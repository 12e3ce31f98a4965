/* multiply.c: products of sums multiplied out, and sums split over +, on demand
 * (sp_multiply_out). Read visit, then push.
 *
 * A REAL term becomes a sum of monomials: products of elements, functions and
 * reductions. In a SUM what does not depend on its variables comes out of each
 * monomial (red_sum.c), so sum((x - m)^2) is sum(x x) - 2 m sum(x) + n m m:
 * however a variance is computed, it is one polynomial of such sums. Lemmas:
 * distributivity, and linearity of sums, which are finite.
 */
#include "encode/real.h"

typedef struct known {
  uint32_t from; /* 0: a free slot */
  sp_expr to;
} known;

typedef struct multiplying {
  sp_pool *p;
  uint32_t left; /* monomials that may still be made */
  bool over;     /* it would have been more */
  known *memo;   /* terms share sub-terms */
  uint32_t n_memo, cap_memo;
} multiplying;

/* A sum under construction. */
typedef struct monomials {
  SP_VEC(sp_expr) term;
  SP_VEC(sp_num) coef;
} monomials;

static void add_monomial(multiplying *x, monomials *m, sp_expr guard, sp_expr e,
                         sp_num k) {
  sp_pool *p = x->p;
  if (x->left == 0) {
    x->over = true;
    return;
  }
  x->left--;
  if (guard.v) {
    e = sp_ite(p, guard, sp_real(p, SPI_NUM_ZERO), e);
  }
  sp_push(p->ctx, &m->term, e);
  sp_push(p->ctx, &m->coef, k);
}

static void push(multiplying *x, monomials *m, sp_expr guard, sp_expr e,
                 sp_num k);

/* k times n factors and those of rest, which has room for two more. */
static void push_product(multiplying *x, monomials *m, sp_expr guard,
                         const spi_list *rest, uint32_t n, const sp_expr *f,
                         sp_num k) {
  if (!spi_num_is_zero(k)) {
    for (uint32_t i = 0; i < n; i++) {
      rest->v[rest->n + i] = f[i];
    }
    push(x, m, guard, spi_mul_n(x->p, rest->n + n, rest->v), k);
  }
}

static void push_sum(multiplying *x, monomials *m, sp_expr guard,
                     const spi_view *s, const spi_list *rest, sp_num k) {
  sp_pool *p = x->p;
  for (uint32_t i = 0; i < s->n && !x->over; i++) {
    push_product(x, m, guard, rest, 1, &s->args[i],
                 sp_num_mul(p, k, s->coefs[i]));
  }
  push_product(x, m, guard, rest, 0, NULL, sp_num_mul(p, k, s->constant));
}

/* The square of a sum: each product of two terms once. */
static void push_square(multiplying *x, monomials *m, sp_expr guard,
                        const spi_view *s, const spi_list *rest, sp_num k) {
  sp_pool *p = x->p;
  for (uint32_t i = 0; i < s->n && !x->over; i++) {
    sp_num ki = sp_num_mul(p, k, s->coefs[i]);
    sp_num twice = sp_num_add(p, ki, ki);
    sp_expr f[2] = {s->args[i], s->args[i]};
    push_product(x, m, guard, rest, 2, f, sp_num_mul(p, ki, s->coefs[i]));
    for (uint32_t j = i + 1; j < s->n && !x->over; j++) {
      f[1] = s->args[j];
      push_product(x, m, guard, rest, 2, f, sp_num_mul(p, twice, s->coefs[j]));
    }
    push_product(x, m, guard, rest, 1, f, sp_num_mul(p, twice, s->constant));
  }
  push_product(x, m, guard, rest, 0, NULL,
               sp_num_mul(p, k, sp_num_mul(p, s->constant, s->constant)));
}

/* A sum of which every term is finite: 0 * inf has no value. */
static bool is_finite_sum(const sp_pool *p, sp_expr e) {
  const spi_node_t *d = spi_get(p, e);
  bool ok = d->kind == SP_KIND_ADD;
  for (uint32_t i = 0; i < d->n && ok; i++) {
    ok = !spi_is_inf(p, d->args[i]);
  }
  return ok;
}

/* A product with a sum among its factors; false if there is none. */
static bool push_factors(multiplying *x, monomials *m, sp_expr guard, sp_expr e,
                         sp_num k) {
  sp_pool *p = x->p;
  const sp_expr *f;
  uint32_t n = spi_factors(p, &e, &f), at = 0;
  while (at < n && !is_finite_sum(p, f[at])) {
    at++;
  }
  if (at == n) {
    return false;
  }
  bool square = at + 1 < n && spi_same(f[at], f[at + 1]);
  sp_mark mark = sp_scratch_mark(p->ctx);
  spi_list rest = spi_list_new(p, n + 2);
  for (uint32_t i = 0; i < n; i++) {
    if (i != at && !(square && i == at + 1)) {
      spi_list_push(&rest, f[i]);
    }
  }
  spi_view s;
  spi_view_of(p, f[at], &s);
  (square ? push_square : push_sum)(x, m, guard, &s, &rest, k);
  sp_scratch_release(p->ctx, mark);
  return true;
}

/* Adds k e, as monomials, which is 0 where guard holds (none: nowhere). */
static void push(multiplying *x, monomials *m, sp_expr guard, sp_expr e,
                 sp_num k) {
  sp_pool *p = x->p;
  sp_expr c, body;
  if (spi_zero_guard(p, e, &c, &body)) {
    push(x, m, guard.v ? sp_or(p, guard, c) : c, body, k);
    return;
  }
  if (is_finite_sum(p, e)) {
    spi_view s;
    spi_view_of(p, e, &s);
    spi_list none = spi_list_new(p, 2);
    push_sum(x, m, guard, &s, &none, k);
  } else if (!push_factors(x, m, guard, e, k)) {
    add_monomial(x, m, guard, e, k);
  }
}

static sp_expr sum_of(sp_pool *p, const monomials *m) {
  return spi_add_n(p, SPI_NUM_ZERO, (uint32_t)m->term.n, m->term.v, m->coef.v);
}

static sp_expr multiply(multiplying *x, sp_expr e);

/* The sum of each monomial of the body. */
static sp_expr multiply_red(multiplying *x, sp_expr e) {
  sp_pool *p = x->p;
  uint32_t n = sp_red_n_vars(p, e);
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *vars = sp_scratch(p->ctx, n * sizeof *vars);
  sp_expr body = multiply(x, sp_red_open(p, e, vars));
  monomials inner = {0}, outer = {0};
  push(x, &inner, (sp_expr){0}, body, SPI_NUM_ONE);
  for (size_t i = 0; i < inner.term.n && !x->over; i++) {
    push(x, &outer, (sp_expr){0},
         sp_red(p, SP_RED_SUM, n, vars, inner.term.v[i]), inner.coef.v[i]);
  }
  sp_scratch_release(p->ctx, mark);
  return sum_of(p, &outer);
}

/* A sum or a product: its arguments multiplied out, then it. */
static sp_expr multiply_node(multiplying *x, sp_expr e) {
  sp_pool *p = x->p;
  const spi_node_t *d = spi_get(p, e);
  uint32_t n = d->n;
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *args = sp_scratch(p->ctx, n * sizeof *args);
  for (uint32_t i = 0; i < n; i++) {
    args[i] = multiply(x, sp_arg(p, e, i));
  }
  monomials m = {0};
  push(x, &m, (sp_expr){0}, sp_rebuild(p, e, args), SPI_NUM_ONE);
  sp_scratch_release(p->ctx, mark);
  return sum_of(p, &m);
}

static sp_expr visit(void *env, sp_pool *p, sp_expr e) {
  multiplying *x = env;
  sp_kind kind = spi_kind(p, e);
  if (x->over || sp_sort_of(p, e) != SP_SORT_REAL) {
    return x->over || !sp_has_red(p, e) ? e : (sp_expr){0};
  }
  if (kind == SP_KIND_ADD || kind == SP_KIND_MUL) {
    return multiply_node(x, e);
  }
  bool sum = kind == SP_KIND_RED && sp_red_op_of(p, e) == SP_RED_SUM;
  return sum ? multiply_red(x, e) : (sp_expr){0};
}

/* ---- results so far ---- */

static known *memo_slot(known *v, uint32_t cap, uint32_t from) {
  uint32_t at = from * 2654435761u >> 7 & (cap - 1);
  while (v[at].from && v[at].from != from) {
    at = (at + 1) & (cap - 1);
  }
  return &v[at];
}

static void remember(multiplying *x, sp_expr from, sp_expr to) {
  if (x->n_memo * 2 >= x->cap_memo) {
    uint32_t cap = x->cap_memo ? 2 * x->cap_memo : 64;
    known *v = sp_alloc_n(x->p->ctx, cap, sizeof *v);
    for (uint32_t i = 0; i < x->cap_memo; i++) {
      if (x->memo[i].from) {
        *memo_slot(v, cap, x->memo[i].from) = x->memo[i];
      }
    }
    x->memo = v;
    x->cap_memo = cap;
  }
  *memo_slot(x->memo, x->cap_memo, from.v) = (known){from.v, to};
  x->n_memo++;
}

static sp_expr multiply(multiplying *x, sp_expr e) {
  if (x->cap_memo) {
    const known *k = memo_slot(x->memo, x->cap_memo, e.v);
    if (k->from) {
      return k->to;
    }
  }
  sp_expr to = sp_map(x->p, e, visit, x);
  if (!x->over) {
    remember(x, e, to);
  }
  return to;
}

sp_expr sp_multiply_out(sp_pool *p, sp_expr e, uint32_t limit) {
  multiplying x = {.p = p, .left = limit};
  sp_expr out = multiply(&x, e);
  return x.over ? (sp_expr){0} : out;
}
