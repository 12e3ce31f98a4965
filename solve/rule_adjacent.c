/* rule_adjacent.c: sums over neighbouring ranges are one. Read
 * spi_adjacent_sums.
 *
 * LEMMA. The sum of A(k) over k < n plus the sum of A(k + n) over k < m is the
 * sum of A(k) over k < n + m, whatever A is, and so is any multiple of both.
 *
 * That the second sum is of A(k + n) is seen by writing k + n for k in the
 * first: this gives the same term. The common variable is of a range that holds
 * all of it, so nothing that is simplified meanwhile counts on a smaller one.
 *
 * A tree of sums (a scan) adds up as many blocks as there are ranks, and as
 * pieces of a whole (rule_pieces.c) each of them is a few obligations.
 */
#include "solve/prove.h"

enum { MAX_SUMS = 256, MAX_EXTENT = 1 << 30 };

typedef struct addend {
  int64_t extent; /* 0: it is part of another one */
  sp_expr body;   /* of the common variable */
  sp_num coef;
} addend;

typedef struct addends {
  sp_pool *p;
  sp_expr var, rest; /* what is no such sum */
  uint32_t n;
  addend *v;
} addends;

/* The extent of a sum over one variable; 0 for others. */
static int64_t extent_of(sp_pool *p, sp_expr e) {
  if (sp_kind_of(p, e) != SP_KIND_RED || sp_red_op_of(p, e) != SP_RED_SUM ||
      sp_sort_of(p, e) != SP_SORT_REAL || sp_red_n_vars(p, e) != 1) {
    return 0;
  }
  sp_expr var;
  sp_red_open(p, e, &var);
  int64_t extent = sp_var_extent(p, var);
  return extent < MAX_EXTENT ? extent : 0;
}

static void take_apart(addends *x, sp_expr e) {
  sp_pool *p = x->p;
  x->rest = sp_real(p, sp_add_const(p, e));
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    sp_expr a = sp_arg(p, e, i), var;
    sp_num coef = sp_add_coef(p, e, i);
    int64_t extent = extent_of(p, a);
    if (extent == 0) {
      x->rest = sp_add(p, x->rest, sp_scale(p, a, coef));
      continue;
    }
    sp_expr body = sp_red_open(p, a, &var);
    x->v[x->n++] = (addend){extent, sp_subst(p, body, 1, &var, &x->var), coef};
  }
}

/* The one whose range begins where that of `of` ends; NULL: there is none. */
static addend *next_of(addends *x, const addend *of) {
  sp_pool *p = x->p;
  sp_expr moved = sp_iaddc(p, x->var, of->extent);
  sp_expr want = sp_subst(p, of->body, 1, &x->var, &moved);
  for (uint32_t i = 0; i < x->n; i++) {
    addend *a = &x->v[i];
    if (a != of && a->extent > 0 && a->body.v == want.v &&
        sp_num_eq(a->coef, of->coef)) {
      return a;
    }
  }
  return NULL;
}

static sp_expr put_together(addends *x) {
  sp_pool *p = x->p;
  sp_expr all = x->rest;
  for (uint32_t i = 0; i < x->n; i++) {
    const addend *a = &x->v[i];
    if (a->extent > 0) {
      sp_expr k = sp_fresh(p, a->extent);
      sp_expr body = sp_subst(p, a->body, 1, &x->var, &k);
      all = sp_add(p, all,
                   sp_scale(p, sp_red(p, SP_RED_SUM, 1, &k, body), a->coef));
    }
  }
  return all;
}

sp_expr spi_adjacent_sums(sp_pool *p, sp_expr e) {
  if (sp_kind_of(p, e) != SP_KIND_ADD || sp_sort_of(p, e) != SP_SORT_REAL ||
      sp_n_args(p, e) > MAX_SUMS) {
    return e;
  }
  int64_t total = 0;
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    total += extent_of(p, sp_arg(p, e, i));
  }
  if (total == 0 || total >= MAX_EXTENT) {
    return e;
  }
  sp_ctx *ctx = sp_pool_ctx(p);
  sp_mark mark = sp_scratch_mark(ctx);
  addends x = {.p = p, .var = sp_fresh(p, total)};
  x.v = sp_scratch(ctx, sp_n_args(p, e) * sizeof *x.v);
  take_apart(&x, e);
  bool found = false;
  for (uint32_t i = 0; i < x.n; i++) {
    addend *a = &x.v[i], *next;
    while (a->extent > 0 && (next = next_of(&x, a)) != NULL) {
      a->extent += next->extent;
      next->extent = 0;
      found = true;
    }
  }
  sp_expr joined = found ? put_together(&x) : e;
  sp_scratch_release(ctx, mark);
  return joined;
}
