/* rule_adjacent.c: sums over neighbouring ranges are one. Read
 * spi_adjacent_sums.
 *
 * LEMMA. The sum of A(K, k) over all K and k < n plus the sum of A(K, k + n)
 * over all K and k < m is the sum of A(K, k) over all K and k < n + m, whatever
 * A is, and so is any multiple of both.
 *
 * That the second sum is of A(K, k + n) is seen by writing k + n for k in the
 * first: this gives the same term. The common variables are of ranges that hold
 * all of it, so nothing that is simplified meanwhile counts on smaller ones.
 *
 * A tree of sums (a scan) adds up as many blocks as there are ranks, and as
 * pieces of a whole (rule_pieces.c) each of them is a few obligations. What
 * ranks that differ add up has these sums on each rank side by side.
 */
#include "solve/prove.h"

enum { MAX_SUMS = 256, MAX_VARS = 8, MAX_EXTENT = 1 << 30 };

typedef struct addend {
  uint32_t n; /* variables; 0: it is part of another one */
  int64_t extent[MAX_VARS];
  sp_expr body; /* of the common variables */
  sp_num coef;
} addend;

typedef struct addends {
  sp_pool *p;
  sp_expr var[MAX_VARS], rest; /* what is no such sum */
  uint32_t n;
  addend *v;
} addends;

static bool is_sum(sp_pool *p, sp_expr e) {
  return sp_kind_of(p, e) == SP_KIND_RED && sp_red_op_of(p, e) == SP_RED_SUM &&
         sp_sort_of(p, e) == SP_SORT_REAL && sp_red_n_vars(p, e) <= MAX_VARS;
}

/* More than any index of all the sums together; 0: there are none, or it is
 * too much. */
static int64_t room_for(sp_pool *p, sp_expr e) {
  int64_t total = 0;
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    sp_expr a = sp_arg(p, e, i), var[MAX_VARS];
    if (!is_sum(p, a)) {
      continue;
    }
    sp_red_open(p, a, var);
    for (uint32_t k = 0; k < sp_red_n_vars(p, a); k++) {
      int64_t extent = sp_var_extent(p, var[k]);
      if (extent >= MAX_EXTENT - total) {
        return 0;
      }
      total += extent;
    }
  }
  return total;
}

static void take_apart(addends *x, sp_expr e) {
  sp_pool *p = x->p;
  x->rest = sp_real(p, sp_add_const(p, e));
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    sp_expr a = sp_arg(p, e, i), var[MAX_VARS];
    sp_num coef = sp_add_coef(p, e, i);
    if (!is_sum(p, a)) {
      x->rest = sp_add(p, x->rest, sp_scale(p, a, coef));
      continue;
    }
    addend *out = &x->v[x->n++];
    *out = (addend){.n = sp_red_n_vars(p, a), .coef = coef};
    sp_expr body = sp_red_open(p, a, var);
    for (uint32_t k = 0; k < out->n; k++) {
      out->extent[k] = sp_var_extent(p, var[k]);
    }
    out->body = sp_subst(p, body, out->n, var, x->var);
  }
}

static bool fit_but_for(const addend *a, const addend *b, uint32_t but) {
  for (uint32_t k = 0; k < a->n; k++) {
    if (k != but && a->extent[k] != b->extent[k]) {
      return false;
    }
  }
  return a->n == b->n;
}

/* The one whose range of variable k begins where that of `of` ends; NULL: there
 * is none. */
static addend *next_of(addends *x, const addend *of, uint32_t k) {
  sp_pool *p = x->p;
  sp_expr moved = sp_iaddc(p, x->var[k], of->extent[k]);
  sp_expr want = sp_subst(p, of->body, 1, &x->var[k], &moved);
  for (uint32_t i = 0; i < x->n; i++) {
    addend *a = &x->v[i];
    if (a != of && a->body.v == want.v && fit_but_for(a, of, k) &&
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
    sp_expr var[MAX_VARS];
    for (uint32_t k = 0; k < a->n; k++) {
      var[k] = sp_fresh(p, a->extent[k]);
    }
    if (a->n > 0) {
      sp_expr body = sp_subst(p, a->body, a->n, x->var, var);
      all = sp_add(
          p, all, sp_scale(p, sp_red(p, SP_RED_SUM, a->n, var, body), a->coef));
    }
  }
  return all;
}

static bool join(addends *x) {
  bool found = false;
  for (uint32_t i = 0; i < x->n; i++) {
    addend *a = &x->v[i], *next;
    for (uint32_t k = 0; k < a->n; k++) {
      while ((next = next_of(x, a, k)) != NULL) {
        a->extent[k] += next->extent[k];
        next->n = 0;
        found = true;
      }
    }
  }
  return found;
}

sp_expr spi_adjacent_sums(sp_pool *p, sp_expr e) {
  if (sp_kind_of(p, e) != SP_KIND_ADD || sp_sort_of(p, e) != SP_SORT_REAL ||
      sp_n_args(p, e) > MAX_SUMS) {
    return e;
  }
  int64_t room = room_for(p, e);
  if (room == 0) {
    return e;
  }
  sp_ctx *ctx = sp_pool_ctx(p);
  sp_mark mark = sp_scratch_mark(ctx);
  addends x = {.p = p};
  for (uint32_t k = 0; k < MAX_VARS; k++) {
    x.var[k] = sp_fresh(p, room);
  }
  x.v = sp_scratch(ctx, sp_n_args(p, e) * sizeof *x.v);
  take_apart(&x, e);
  sp_expr joined = join(&x) ? put_together(&x) : e;
  sp_scratch_release(ctx, mark);
  return joined;
}

static sp_expr join_inside(void *env, sp_pool *p, sp_expr e) {
  sp_expr joined = spi_adjacent_sums(p, e);
  return joined.v == e.v ? (sp_expr){0} : sp_map(p, joined, join_inside, env);
}

sp_expr spi_adjacent_sums_inside(sp_pool *p, sp_expr e) {
  return sp_map(p, e, join_inside, NULL);
}
