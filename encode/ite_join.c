/* ite_join.c: a choice by the rank between terms of one form is one term whose
 * indices choose: ite(rank = 0, x[j], ite(rank = 1, x[j + 2], x[j + 4])) is
 * x[j + ite(rank = 0, 0, ite(rank = 1, 2, 4))], that is x[j + 2*rank]. Read
 * sp_join, then join. At the end: choices whose branches are one term already
 * (spi_ite_continues).
 */
#include "encode/index.h"

/* Beyond this many nodes the terms are left as they are. */
enum { MAX_VISITS = 2000 };

typedef struct joining {
  sp_pool *p;
  sp_expr c;
  uint32_t visits;
} joining;

static const sp_expr nothing = {0};

/* Is e a constant, or of the rank alone, so that choices of it are tabulated?
 */
static bool of_rank(const sp_pool *p, sp_expr e) {
  const spi_node_t *d = spi_get(p, e);
  if (d->flags & (SPI_HAS_READ | SPI_HAS_RED)) {
    return false;
  }
  return d->free->n == 0 ||
         (d->free->n == 1 && spi_var_of(p, d->free->v[0])->cls == SP_VAR_RANK);
}

static sp_expr join(joining *j, sp_expr a, sp_expr b);

/* The variables of one reduction in the order that fits those of the other by
 * extent; false when none does. Those of a function stay where they are. */
static bool pair_by_extent(const sp_pool *p, sp_red_op op, uint32_t n,
                           const sp_expr *like, sp_expr *vars) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = i, end = op == SP_RED_LAMBDA ? i + 1 : n;
    while (k < end && sp_var_extent(p, vars[k]) != sp_var_extent(p, like[i])) {
      k++;
    }
    if (k == end) {
      return false;
    }
    sp_expr v = vars[k];
    vars[k] = vars[i];
    vars[i] = v;
  }
  return true;
}

/* Reductions over variables of the same extents: bodies joined. */
static sp_expr join_red(joining *j, sp_expr a, sp_expr b) {
  sp_pool *p = j->p;
  uint32_t n = sp_red_n_vars(p, a);
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *of_a = sp_scratch(p->ctx, (n + 1) * sizeof *of_a);
  sp_expr *of_b = sp_scratch(p->ctx, (n + 1) * sizeof *of_b);
  sp_expr body_a = sp_red_open(p, a, of_a), body_b = sp_red_open(p, b, of_b);
  sp_expr e = nothing;
  if (pair_by_extent(p, sp_red_op_of(p, a), n, of_a, of_b)) {
    e = join(j, body_a, sp_subst(p, body_b, n, of_b, of_a));
  }
  if (e.v) {
    e = sp_red(p, sp_red_op_of(p, a), n, of_a, e);
  }
  sp_scratch_release(p->ctx, mark);
  return e;
}

static bool same_form(const spi_node_t *a, const spi_node_t *b) {
  if (a->kind != b->kind || a->sort != b->sort || a->n != b->n ||
      a->payload != b->payload || a->n == 0) {
    return false;
  }
  for (uint32_t i = 0; i < a->n; i++) {
    if ((a->kind == SP_KIND_LIN && a->coefs.lin[i] != b->coefs.lin[i]) ||
        (a->kind == SP_KIND_ADD && a->coefs.add[i].v != b->coefs.add[i].v)) {
      return false;
    }
  }
  return true;
}

static sp_expr join_args(joining *j, sp_expr a, sp_expr b) {
  sp_pool *p = j->p;
  const spi_node_t *x = spi_get(p, a), *y = spi_get(p, b);
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *args = sp_scratch(p->ctx, (x->n + 1) * sizeof *args);
  bool ok = true;
  for (uint32_t i = 0; i < x->n && ok; i++) {
    args[i] = join(j, x->args[i], y->args[i]);
    ok = args[i].v != 0;
  }
  sp_expr e = ok ? sp_rebuild(p, a, args) : nothing;
  sp_scratch_release(p->ctx, mark);
  return e;
}

/* Integers: where conditions and indices are simplified, one plus a choice of
 * the rank alone, which is tabulated. */
static sp_expr join_int(joining *j, sp_expr a, sp_expr b) {
  sp_pool *p = j->p;
  if (p->raw) {
    return sp_ite(p, j->c, a, b);
  }
  sp_expr d = sp_isub(p, b, a);
  if (of_rank(p, d)) {
    return of_rank(p, a) ? sp_ite(p, j->c, a, b)
                         : sp_iadd(p, a, sp_ite(p, j->c, sp_int(p, 0), d));
  }
  return nothing;
}

/* A choice of reals as one term, if it is one; else e. */
static sp_expr join_inner(joining *j, sp_expr e) {
  sp_pool *p = j->p;
  if (spi_kind(p, e) != SP_KIND_ITE || sp_sort_of(p, e) != SP_SORT_REAL) {
    return e;
  }
  joining inner = {p, sp_arg(p, e, 0), j->visits};
  sp_expr one = join(&inner, sp_arg(p, e, 1), sp_arg(p, e, 2));
  j->visits = inner.visits;
  return one.v ? one : e;
}

/* a where j->c holds, else b; none when their forms differ. */
static sp_expr join(joining *j, sp_expr a, sp_expr b) {
  sp_pool *p = j->p;
  if (spi_same(a, b)) {
    return a;
  }
  if (++j->visits > MAX_VISITS) {
    return nothing;
  }
  if (sp_sort_of(p, a) == SP_SORT_INT) {
    sp_expr e = join_int(j, a, b);
    if (e.v) {
      return e;
    }
  }
  if (!same_form(spi_get(p, a), spi_get(p, b))) {
    sp_expr x = join_inner(j, a), y = join_inner(j, b);
    return spi_same(x, a) && spi_same(y, b) ? nothing : join(j, x, y);
  }
  return spi_kind(p, a) == SP_KIND_RED ? join_red(j, a, b) : join_args(j, a, b);
}

sp_expr sp_join(sp_pool *p, sp_expr e) {
  assert(spi_kind(p, e) == SP_KIND_ITE);
  joining j = {p, sp_arg(p, e, 0), 0};
  return join(&j, sp_arg(p, e, 1), sp_arg(p, e, 2));
}

sp_expr spi_ite_join(sp_pool *p, sp_expr c, sp_expr a, sp_expr b) {
  if (!of_rank(p, c) || of_rank(p, a) || sp_sort_of(p, a) == SP_SORT_BOOL ||
      sp_skeleton(p, a) != sp_skeleton(p, b)) {
    return nothing;
  }
  joining j = {p, c, 0};
  return join(&j, a, b);
}

/* ---- what goes on as it began ---- */

/* The symbol that e reads in the end, behind choices; none if it is no read. */
static bool reads_at_last(const sp_pool *p, sp_expr e, sp_sym *sym) {
  while (spi_kind(p, e) == SP_KIND_ITE) {
    sp_expr last = sp_arg(p, e, 2);
    e = spi_get(p, last)->flags & SPI_HAS_READ ? last : sp_arg(p, e, 1);
  }
  if (spi_kind(p, e) != SP_KIND_READ) {
    return false;
  }
  *sym = sp_read_sym(p, e);
  return true;
}

/* Is a read the other one where c holds? Differences of the rank alone are
 * looked at on all ranks. */
static bool agree_where(sp_pool *p, sp_expr c, sp_expr a, sp_expr b) {
  if (spi_same(a, b)) {
    return true;
  }
  if (spi_kind(p, a) != SP_KIND_READ || spi_kind(p, b) != SP_KIND_READ ||
      sp_read_sym(p, a).v != sp_read_sym(p, b).v || !of_rank(p, c)) {
    return false;
  }
  for (uint32_t i = 0; i < sp_n_args(p, a); i++) {
    sp_expr zero = sp_int(p, 0);
    sp_expr d = sp_isub(p, sp_arg(p, a, i), sp_arg(p, b, i));
    if (!of_rank(p, d) || !spi_same(sp_ite(p, c, d, zero), zero)) {
      return false;
    }
  }
  return true;
}

/* ite(c, x, y) is y where y is x under c. ite(c, ite(d, z, x), y) is
 * ite(c and d, z, y) where y is x under c and not d. Halos that came from a
 * neighbour, zeros at the ends, continue the rank's own block. */
sp_expr spi_ite_continues(sp_pool *p, sp_expr c, sp_expr a, sp_expr b) {
  sp_sym x, y;
  if (!reads_at_last(p, a, &x) || !reads_at_last(p, b, &y) || x.v != y.v) {
    return nothing;
  }
  sp_expr under = sp_assume(p, b, c, true);
  if (spi_kind(p, a) == SP_KIND_READ) {
    return agree_where(p, c, under, a) ? b : nothing;
  }
  sp_expr d = sp_arg(p, a, 0);
  for (uint32_t k = 1; k <= 2; k++) {
    sp_expr rest = sp_arg(p, a, 3 - k);
    sp_expr not_d = sp_not(p, d);
    if (!(spi_get(p, rest)->flags & SPI_HAS_READ) &&
        agree_where(p, k == 1 ? d : not_d, sp_assume(p, under, d, k == 1),
                    sp_arg(p, a, k))) {
      return sp_ite(p, sp_and(p, c, k == 1 ? not_d : d), rest, b);
    }
  }
  return nothing;
}
