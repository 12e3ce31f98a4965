/* red_max.c: what comes out of a MAX or MIN. For reals the body is seen as
 *
 *   ite(guard, -inf, addend + coefficient * core)        (MIN: +inf)
 *
 * where the addend does not depend on the variables; a negative coefficient
 * turns MAX into MIN. Ranges are not empty. An addend is taken to be finite:
 * max(a + x, a - inf) = a + max(x, -inf).
 */
#include "encode/real.h"

static sp_red_op other(sp_red_op op) {
  return op == SP_RED_MAX ? SP_RED_MIN : SP_RED_MAX;
}

static bool is_identity(const sp_pool *p, sp_expr e, sp_red_op op) {
  return spi_is_inf(p, e) && sp_inf_negative(p, e) == (op == SP_RED_MAX);
}

/* body = ite(guard, identity, core) */
static bool inf_guard(sp_pool *p, const spi_red *r, sp_expr *guard,
                      sp_expr *core) {
  const spi_node_t *d = spi_get(p, r->body);
  if (d->kind != SP_KIND_ITE) {
    return false;
  }
  if (is_identity(p, d->args[1], r->op)) {
    *guard = d->args[0];
    *core = d->args[2];
    return true;
  }
  if (is_identity(p, d->args[2], r->op)) {
    *guard = sp_not(p, d->args[0]);
    *core = d->args[1];
    return true;
  }
  return false;
}

/* a of core = a + b(k), if b is not 0; core becomes b. 0: nothing. */
static sp_expr take_addend(sp_pool *p, const spi_red *r, sp_expr *core) {
  const spi_node_t *d = spi_get(p, *core);
  if (d->kind != SP_KIND_ADD || !spi_depends(p, r, *core)) {
    return (sp_expr){0};
  }
  sp_num constant = {(uint32_t)d->payload};
  sp_expr *args = sp_scratch(p->ctx, d->n * sizeof *args);
  sp_num *coefs = sp_scratch(p->ctx, d->n * sizeof *coefs);
  uint32_t n = 0;
  for (uint32_t i = 0; i < d->n; i++) {
    if (spi_is_inf(p, d->args[i])) {
      return (sp_expr){0};
    }
    if (!spi_depends(p, r, d->args[i])) {
      args[n] = d->args[i];
      coefs[n++] = d->coefs.add[i];
    }
  }
  if (n == 0 && spi_num_is_zero(constant)) {
    return (sp_expr){0};
  }
  sp_expr a = spi_add_n(p, constant, n, args, coefs);
  *core = sp_sub(p, *core, a);
  return a;
}

static sp_expr take_coefficient(sp_pool *p, sp_expr core, sp_num *k) {
  const spi_node_t *d = spi_get(p, core);
  if (d->kind == SP_KIND_ADD && d->n == 1 && d->payload == SPI_NUM_ZERO.v) {
    *k = d->coefs.add[0];
    return d->args[0];
  }
  return spi_monic(p, core, k);
}

/* max_k max(a, b(k), max_j c(k, j)) = max(a, max_k b(k), max_{k, j} c(k, j)) */
static sp_expr take_args(sp_pool *p, const spi_red *r) {
  enum { OUTER, INNER, NESTED, KINDS };
  const spi_node_t *d = spi_get(p, r->body);
  bool min = r->op == SP_RED_MIN;
  if (d->kind != (min ? SP_KIND_MIN : SP_KIND_MAX)) {
    return (sp_expr){0};
  }
  sp_expr of[KINDS] = {{0}}, e = {0};
  int kinds = 0;
  for (uint32_t i = 0; i < d->n; i++) {
    sp_expr x = d->args[i];
    bool nested = spi_kind(p, x) == SP_KIND_RED && sp_red_op_of(p, x) == r->op;
    sp_expr *to = &of[!spi_depends(p, r, x) ? OUTER : nested ? NESTED : INNER];
    kinds += !to->v;
    *to = !to->v ? x : (min ? sp_min : sp_max)(p, *to, x);
  }
  for (int k = 0; k < KINDS && kinds > 1; k++) {
    if (of[k].v && k != OUTER) {
      of[k] = spi_rereduce(p, r, r->op, of[k], 0, NULL);
    }
    if (of[k].v) {
      e = !e.v ? of[k] : (min ? sp_min : sp_max)(p, e, of[k]);
    }
  }
  return e;
}

static sp_expr under(sp_pool *p, sp_expr guard, sp_red_op op, sp_expr e) {
  return guard.v ? sp_ite(p, guard, sp_inf(p, op == SP_RED_MAX), e) : e;
}

static sp_expr real_step(sp_pool *p, const spi_red *r) {
  sp_expr guard, core = r->body, above = {0}, below = {0};
  if (inf_guard(p, r, &guard, &core)) {
    spi_split_guard(p, r, guard, &above, &below);
  }
  sp_expr a = take_addend(p, r, &core);
  sp_num k;
  core = take_coefficient(p, core, &k);
  sp_expr *more = NULL;
  uint32_t m = 0;
  if (spi_kind(p, core) == SP_KIND_RED && sp_red_op_of(p, core) == r->op &&
      sp_num_sign(p, k) > 0) {
    m = sp_red_n_vars(p, core);
    more = sp_scratch(p->ctx, m * sizeof *more);
    core = sp_red_open(p, core, more);
  }
  if (!above.v && !a.v && m == 0 && spi_num_is_one(k)) {
    return (sp_expr){0};
  }
  sp_red_op op = sp_num_sign(p, k) < 0 ? other(r->op) : r->op;
  sp_expr e = spi_rereduce(p, r, op, under(p, below, op, core), m, more);
  e = sp_scale(p, e, k);
  if (a.v) {
    e = sp_add(p, a, e);
  }
  return under(p, above, r->op, e);
}

/* LIN bodies: what does not depend on the variables, and a coefficient. A
 * variable itself: the ends of its range. */
static sp_expr int_step(sp_pool *p, const spi_red *r) {
  const spi_node_t *d = spi_get(p, r->body);
  if (d->kind == SP_KIND_VAR) {
    int64_t last = sp_var_extent(p, r->body) - 1;
    return sp_int(p, r->op == SP_RED_MAX ? last : 0);
  }
  if (d->kind != SP_KIND_LIN) {
    return (sp_expr){0};
  }
  /* free terms from the front, the others from the back */
  sp_expr *args = sp_scratch(p->ctx, d->n * sizeof *args);
  int64_t *coefs = sp_scratch(p->ctx, d->n * sizeof *coefs);
  uint32_t n = 0, m = d->n;
  for (uint32_t i = 0; i < d->n; i++) {
    uint32_t at = spi_depends(p, r, d->args[i]) ? --m : n++;
    args[at] = d->args[i];
    coefs[at] = d->coefs.lin[i];
  }
  if (n > 0 || d->payload != 0) {
    sp_expr a = spi_lin(p, d->payload, n, args, coefs);
    sp_expr b = spi_lin(p, 0, d->n - m, args + m, coefs + m);
    return sp_iadd(p, a, spi_rereduce(p, r, r->op, b, 0, NULL));
  }
  if (d->n == 1) {
    int64_t k = d->coefs.lin[0];
    sp_red_op op = k < 0 ? other(r->op) : r->op;
    return sp_iscale(p, spi_rereduce(p, r, op, d->args[0], 0, NULL), k);
  }
  return (sp_expr){0};
}

/* max_k ite(c, max_j g(k, j), b) = max_{k, j} ite(c, g(k, j), b): b is the
 * largest of itself, j ranging over something. */
static sp_expr merge_guarded(sp_pool *p, const spi_red *r) {
  const spi_node_t *d = spi_get(p, r->body);
  if (d->kind != SP_KIND_ITE) {
    return (sp_expr){0};
  }
  for (uint32_t i = 1; i <= 2; i++) {
    sp_expr inner = d->args[i], other_branch = d->args[3 - i];
    if (spi_kind(p, inner) != SP_KIND_RED || sp_red_op_of(p, inner) != r->op) {
      continue;
    }
    uint32_t m = sp_red_n_vars(p, inner);
    sp_expr *more = sp_scratch(p->ctx, m * sizeof *more);
    sp_expr body = sp_red_open(p, inner, more);
    sp_expr c = i == 1 ? d->args[0] : sp_not(p, d->args[0]);
    body = sp_ite(p, c, body, other_branch);
    return spi_rereduce(p, r, r->op, body, m, more);
  }
  return (sp_expr){0};
}

sp_expr spi_extremum_step(sp_pool *p, const spi_red *r) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr e = take_args(p, r);
  if (!e.v) {
    e = merge_guarded(p, r);
  }
  if (!e.v) {
    e = sp_sort_of(p, r->body) == SP_SORT_REAL ? real_step(p, r)
                                               : int_step(p, r);
  }
  sp_scratch_release(p->ctx, mark);
  return e;
}
