/* rule_topk.c: the largest of what are the largest of each part.
 *
 * LEMMA. Let top(f, i), 0 <= i < n, be element i of f(0), ..., f(n - 1) in
 * order of size, the largest (or smallest) first. For 0 <= i < c <= m
 *
 *   top(x < P c: top(q < m: g(x div c, q), x mod c), i)
 *     = top(y < P m: g(y div m, y mod m), i)
 *
 * Element i of the right side has i elements before it at most; so it is among
 * the first i + 1 <= c of its own part, and so are they of theirs. On the left
 * all of these are there, and what else is there comes after them.
 *
 * Let pos be the position of that element, of equal ones the first (stable),
 * and u = pos(x < P c: top(...), i). Then
 *
 *   pos(q < m: g(u div c, q), u mod c) + m (u div c) = pos(y < P m: ..., i)
 *
 * since both orders are by size, then by part, then by position in it.
 *
 * The body f(x, q) of the inner one and its place j(x) are as they are found:
 * that j(x) = x mod c and f(x, q) = f(c (x div c), q) are obligations, and so
 * is 0 <= i < c.
 */
#include <string.h>

#include "solve/prove.h"

/* A function of a list over one variable, opened, and a place in it. */
typedef struct top {
  sp_expr var, body, place;
  const char *order; /* ":largest:stable", ... */
} top;

static bool open_top(sp_pool *p, sp_expr e, const char *what, top *out) {
  size_t n = strlen(what);
  if (sp_kind_of(p, e) != SP_KIND_FN || sp_n_args(p, e) != 2 ||
      strncmp(sp_fn_name(p, e), what, n) != 0) {
    return false;
  }
  sp_expr list = sp_arg(p, e, 0);
  if (sp_kind_of(p, list) != SP_KIND_RED ||
      sp_red_op_of(p, list) != SP_RED_LAMBDA || sp_red_n_vars(p, list) != 1) {
    return false;
  }
  out->body = sp_red_open(p, list, &out->var);
  out->place = sp_arg(p, e, 1);
  out->order = sp_fn_name(p, e) + n;
  return sp_kind_of(p, out->var) == SP_KIND_VAR;
}

static sp_expr at(sp_pool *p, sp_expr e, sp_expr var, sp_expr value) {
  return sp_subst(p, e, 1, &var, &value);
}

/* Of each part the first c of m. */
typedef struct tops {
  top all, part;
  int64_t c, m;
} tops;

/* e, values or positions, is about the largest of what are the largest of each
 * part: proved. */
static bool find_tops(sp_prover *pr, sp_expr e, const char *what, sp_hyps hyps,
                      tops *t) {
  sp_pool *p = sp_prover_pool(pr);
  int64_t lo, hi;
  if (!open_top(p, e, what, &t->all) ||
      !open_top(p, t->all.body, "topk:values", &t->part) ||
      strcmp(t->all.order, t->part.order) != 0 ||
      !sp_range(p, t->part.place, &lo, &hi) || lo != 0) {
    return false;
  }
  int64_t c = hi + 1, n = sp_var_extent(p, t->all.var);
  t->c = c;
  t->m = sp_var_extent(p, t->part.var);
  if (c < 1 || c > t->m || n % c != 0) {
    return false;
  }
  sp_expr x = t->all.var, i = t->all.place, f = t->part.body;
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr first = sp_iscale(p, sp_idiv(p, x, c), c);
  sp_expr place = sp_eq(p, t->part.place, sp_imod(p, x, c));
  sp_expr same = sp_eq(p, f, at(p, f, x, first));
  sp_expr few = sp_and(p, sp_le(p, sp_int(p, 0), i), sp_lt(p, i, sp_int(p, c)));
  sp_pool_mode(p, mode);
  return sp_prove_holds(pr, "top of tops: place in a part", place, hyps) &&
         sp_prove_holds(pr, "top of tops: one part", same, hyps) &&
         sp_prove_holds(pr, "top of tops: enough of each", few, hyps);
}

/* The same function of the whole list. */
static sp_expr of_all(sp_pool *p, sp_expr e, const tops *t) {
  int64_t parts = sp_var_extent(p, t->all.var) / t->c;
  sp_expr y = sp_fresh(p, parts * t->m);
  sp_expr x = sp_iscale(p, sp_idiv(p, y, t->m), t->c);
  sp_expr body = at(p, t->part.body, t->all.var, x);
  body = at(p, body, t->part.var, sp_imod(p, y, t->m));
  sp_expr args[2] = {sp_red(p, SP_RED_LAMBDA, 1, &y, body), t->all.place};
  return sp_fn(p, sp_sort_of(p, e), sp_fn_name(p, e), 2, args);
}

sp_expr spi_top_of_tops(sp_prover *pr, sp_expr e, sp_hyps hyps) {
  tops t;
  return find_tops(pr, e, "topk:values", hyps, &t)
             ? of_all(sp_prover_pool(pr), e, &t)
             : (sp_expr){0};
}

/* e without what is idle in it, clamps of a position say: proved equal. */
static sp_expr plain(sp_prover *pr, sp_expr e, sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr x = sp_simplify(p, e);
  sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr goal = sp_eq(p, e, x);
  sp_pool_mode(p, mode);
  return x.v == e.v || sp_prove_holds(pr, "top of tops: position", goal, hyps)
             ? x
             : e;
}

/* own = the position in its part of what is at position u mod c of the part
 * u div c; u is where it is among the largest of all parts. */
static sp_expr position(sp_prover *pr, sp_expr own, sp_hyps hyps, tops *t,
                        sp_expr *u) {
  sp_pool *p = sp_prover_pool(pr);
  top mine;
  if (!open_top(p, own, "topk:indices", &mine) ||
      !strstr(mine.order, ":stable") ||
      sp_kind_of(p, mine.place) != SP_KIND_MOD) {
    return (sp_expr){0};
  }
  *u = sp_arg(p, mine.place, 0);
  sp_expr where = plain(pr, *u, hyps);
  if (!find_tops(pr, where, "topk:indices", hyps, t) ||
      strcmp(mine.order, t->all.order) != 0 ||
      sp_var_extent(p, mine.var) != t->m || sp_divisor(p, mine.place) != t->c) {
    return (sp_expr){0};
  }
  sp_expr f = at(p, at(p, t->part.body, t->all.var, *u), t->part.var, mine.var);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr goal = sp_eq(p, mine.body, f);
  sp_pool_mode(p, mode);
  return sp_prove_holds(pr, "top of tops: the part it came from", goal, hyps)
             ? of_all(p, where, t)
             : (sp_expr){0};
}

sp_expr spi_position_of_top(sp_prover *pr, sp_expr e, sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  for (uint32_t k = 0; sp_kind_of(p, e) == SP_KIND_LIN && k < sp_n_args(p, e);
       k++) {
    tops t;
    sp_expr own = sp_arg(p, e, k), u;
    if (sp_lin_coef(p, e, k) != 1 || sp_kind_of(p, own) != SP_KIND_FN) {
      continue;
    }
    sp_expr all = position(pr, own, hyps, &t, &u);
    if (!all.v) {
      continue;
    }
    sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
    sp_expr before = sp_iscale(p, sp_idiv(p, u, t.c), t.m);
    sp_expr rest = sp_isub(p, sp_isub(p, e, own), before);
    sp_pool_mode(p, mode);
    bool both = sp_kind_of(p, rest) == SP_KIND_LIN
                    ? sp_n_args(p, rest) + 2 <= sp_n_args(p, e)
                    : sp_n_args(p, e) == 2 || sp_n_args(p, e) == 3;
    return both ? sp_iadd(p, rest, all) : (sp_expr){0};
  }
  return (sp_expr){0};
}
