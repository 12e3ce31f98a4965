/* split.c: sums split over + on demand (sp_split_sums). Read split_term: it
 * walks the additive structure of a body, collecting the guard on the way.
 */
#include "encode/real.h"

/* Products of sums are multiplied out up to so many pieces for one SUM. */
enum { MAX_PIECES = 256 };

typedef struct split {
  sp_pool *p;
  uint32_t n;
  const sp_expr *vars;
  sp_expr sum; /* so far */
  uint32_t pieces;
} split;

static void split_leaf(split *s, sp_expr guard, sp_expr e, sp_num k) {
  sp_pool *p = s->p;
  if (guard.v) {
    e = sp_ite(p, guard, sp_real(p, SPI_NUM_ZERO), e);
  }
  e = sp_red(p, SP_RED_SUM, s->n, s->vars, e);
  s->sum = sp_add(p, s->sum, sp_scale(p, e, k));
  s->pieces++;
}

/* The place of a factor that is a sum, or n. */
static uint32_t find_sum(const sp_pool *p, uint32_t n, const sp_expr *f) {
  uint32_t i = 0;
  while (i < n && spi_kind(p, f[i]) != SP_KIND_ADD) {
    i++;
  }
  return i;
}

static void split_term(split *s, sp_expr guard, sp_expr e, sp_num k);

/* the terms of sum, each times the n factors rest (room for one more) */
static void split_add(split *s, sp_expr guard, sp_expr sum, sp_num k,
                      spi_list *rest) {
  sp_pool *p = s->p;
  const spi_node_t *d = spi_get(p, sum);
  for (uint32_t i = 0; i < d->n; i++) {
    rest->v[rest->n] = d->args[i];
    sp_expr e = spi_mul_n(p, rest->n + 1, rest->v);
    split_term(s, guard, e, sp_num_mul(p, k, d->coefs.add[i]));
  }
  sp_num constant = {(uint32_t)d->payload};
  if (!spi_num_is_zero(constant)) {
    sp_expr e = spi_mul_n(p, rest->n, rest->v);
    split_term(s, guard, e, sp_num_mul(p, k, constant));
  }
}

static void split_term(split *s, sp_expr guard, sp_expr e, sp_num k) {
  sp_pool *p = s->p;
  sp_expr c, body;
  if (spi_zero_guard(p, e, &c, &body)) {
    split_term(s, guard.v ? sp_or(p, guard, c) : c, body, k);
    return;
  }
  const sp_expr *f = &e;
  uint32_t n = spi_factors(p, &e, &f);
  uint32_t at = find_sum(p, n, f);
  if (at == n || s->pieces > MAX_PIECES) {
    split_leaf(s, guard, e, k);
    return;
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  spi_list rest = spi_list_new(p, n);
  for (uint32_t i = 0; i < n; i++) {
    if (i != at) {
      spi_list_push(&rest, f[i]);
    }
  }
  split_add(s, guard, f[at], k, &rest);
  sp_scratch_release(p->ctx, mark);
}

static sp_expr split_node(void *env, sp_pool *p, sp_expr e) {
  (void)env;
  if (!sp_has_red(p, e)) {
    return e;
  }
  if (spi_kind(p, e) != SP_KIND_RED || sp_red_op_of(p, e) != SP_RED_SUM ||
      sp_sort_of(p, e) != SP_SORT_REAL) {
    return (sp_expr){0};
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  split s = {.p = p, .n = sp_red_n_vars(p, e)};
  sp_expr *vars = sp_scratch(p->ctx, s.n * sizeof *vars);
  s.vars = vars;
  s.sum = sp_real(p, SPI_NUM_ZERO);
  sp_expr body = sp_split_sums(p, sp_red_open(p, e, vars));
  split_term(&s, (sp_expr){0}, body, SPI_NUM_ONE);
  sp_scratch_release(p->ctx, mark);
  return s.sum;
}

sp_expr sp_split_sums(sp_pool *p, sp_expr e) {
  return sp_map(p, e, split_node, NULL);
}
