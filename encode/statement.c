/* statement.c: read sp_statement, then say: the connectives, down to
 * comparisons. Connectives nest DEPTH deep at most; what lies below is printed
 * by sp_show. Terms know NOT and OR only: the rest is recognised. */
#include "encode/statement.h"

#include "base/vec.h"

#include <inttypes.h>

enum { DEPTH = 12, MAX_VARIABLES = 64 };

typedef struct saying {
  sp_pool *p;
  sp_ctx *ctx;
  sp_str s;
} saying;

static void put(saying *x, const char *text) {
  sp_str_add(x->ctx, &x->s, text);
}

/* ---- comparisons of integers ---- */

static uint64_t size_of(int64_t v) {
  return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* The terms of a sum with coefficients of that sign, and the constant. */
static void side(saying *x, sp_expr sum, bool negative, uint64_t constant) {
  bool any = false;
  for (uint32_t i = 0; i < sp_n_args(x->p, sum); i++) {
    int64_t k = sp_lin_coef(x->p, sum, i);
    if ((k < 0) != negative) {
      continue;
    }
    put(x, any ? " + " : "");
    if (size_of(k) != 1) {
      sp_str_addf(x->ctx, &x->s, "%" PRIu64 "*", size_of(k));
    }
    put(x, sp_show(x->p, sp_arg(x->p, sum, i)));
    any = true;
  }
  if (constant || !any) {
    sp_str_addf(x->ctx, &x->s, "%s%" PRIu64, any ? " + " : "", constant);
  }
}

/* sum = 0, sum < 0 or their negation: without minus signs, each term on the
 * side where it is positive; a < b + 1 is a <= b. */
static void comparison(saying *x, sp_expr sum, bool equal, bool negated) {
  if (sp_kind_of(x->p, sum) != SP_KIND_LIN) {
    bool least = negated && !equal;
    put(x, least ? "0 <= " : "");
    put(x, sp_show(x->p, sum));
    put(x, least ? "" : !equal ? " < 0" : negated ? " != 0" : " = 0");
    return;
  }
  int64_t c = sp_lin_const(x->p, sum);
  bool left_side = false, right_side = false; /* has terms */
  for (uint32_t i = 0; i < sp_n_args(x->p, sum); i++) {
    bool negative = sp_lin_coef(x->p, sum, i) < 0;
    left_side = left_side || !negative;
    right_side = right_side || negative;
  }
  bool up_to = !equal && !negated && c < INT64_MAX &&
               (c < 0 ? right_side : c > 0 && !left_side);
  c += up_to;
  uint64_t left = c > 0 ? size_of(c) : 0, right = c < 0 ? size_of(c) : 0;
  bool swap = !equal && negated; /* right <= left */
  side(x, sum, swap, swap ? right : left);
  put(x, equal ? negated ? " != " : " = " : up_to || negated ? " <= " : " < ");
  side(x, sum, !swap, swap ? left : right);
}

/* ---- connectives ---- */

static void say(saying *x, sp_expr e, bool negated, uint32_t depth);

/* In brackets where it has connectives of its own. */
static void part(saying *x, sp_expr e, bool negated, uint32_t depth) {
  const sp_pool *p = x->p;
  while (sp_kind_of(p, e) == SP_KIND_NOT) {
    e = sp_arg(p, e, 0);
    negated = !negated;
  }
  bool brackets = sp_kind_of(p, e) == SP_KIND_OR;
  put(x, brackets ? "(" : "");
  say(x, e, negated, depth);
  put(x, brackets ? ")" : "");
}

/* not c, for a comparison c: a premise of what else stands in an OR. */
static bool is_premise(const sp_pool *p, sp_expr e) {
  return sp_kind_of(p, e) == SP_KIND_NOT &&
         sp_kind_of(p, sp_arg(p, e, 0)) != SP_KIND_OR;
}

static uint32_t premises(const sp_pool *p, sp_expr any) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < sp_n_args(p, any); i++) {
    n += is_premise(p, sp_arg(p, any, i));
  }
  return n;
}

/* The parts of an OR that are premises, or those that are none. */
static void parts(saying *x, sp_expr any, bool premise, uint32_t depth) {
  const char *between = "";
  for (uint32_t i = 0; i < sp_n_args(x->p, any); i++) {
    sp_expr e = sp_arg(x->p, any, i);
    if (is_premise(x->p, e) == premise) {
      put(x, between);
      part(x, e, premise, depth);
      between = premise ? " and " : " or ";
    }
  }
}

static void say_or(saying *x, sp_expr any, uint32_t depth) {
  uint32_t n = premises(x->p, any);
  if (n == sp_n_args(x->p, any)) {
    put(x, "not (");
    parts(x, any, true, depth);
    put(x, ")");
    return;
  }
  put(x, n ? "if " : "");
  parts(x, any, true, depth);
  put(x, n ? " then " : "");
  parts(x, any, false, depth);
}

static void say_neither(saying *x, sp_expr any, uint32_t depth) {
  for (uint32_t i = 0; i < sp_n_args(x->p, any); i++) {
    put(x, i ? " and " : "");
    part(x, sp_arg(x->p, any, i), true, depth);
  }
}

static void say(saying *x, sp_expr e, bool negated, uint32_t depth) {
  sp_kind kind = sp_kind_of(x->p, e);
  if (kind == SP_KIND_NOT && depth) {
    say(x, sp_arg(x->p, e, 0), !negated, depth - 1);
  } else if (kind == SP_KIND_LT0 || kind == SP_KIND_EQ0) {
    comparison(x, sp_arg(x->p, e, 0), kind == SP_KIND_EQ0, negated);
  } else if (kind == SP_KIND_OR && depth && negated) {
    say_neither(x, e, depth - 1);
  } else if (kind == SP_KIND_OR && depth) {
    say_or(x, e, depth - 1);
  } else if (kind == SP_KIND_REQ && !negated) {
    put(x, sp_show(x->p, sp_arg(x->p, e, 0)));
    put(x, " = ");
    put(x, sp_show(x->p, sp_arg(x->p, e, 1)));
  } else {
    put(x, negated ? "not " : "");
    put(x, sp_show(x->p, e));
  }
}

const char *sp_statement(sp_pool *p, sp_expr e) {
  saying x = {.p = p, .ctx = sp_pool_ctx(p)};
  say(&x, e, false, DEPTH);
  return x.s.v;
}

/* ---- variables ---- */

typedef struct variables {
  uint32_t n;
  sp_expr v[MAX_VARIABLES];
} variables;

static void add_variables(sp_pool *p, sp_expr e, variables *out) {
  const sp_expr *free;
  uint32_t n = sp_free_vars(p, e, &free);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = 0;
    while (k < out->n && out->v[k].v != free[i].v) {
      k++;
    }
    if (k == out->n && k < MAX_VARIABLES) {
      out->v[out->n++] = free[i];
    }
  }
}

const char *sp_statement_variables(sp_pool *p, const sp_asked *asked) {
  variables all = {0};
  for (uint32_t i = 0; i < asked->n_hyps; i++) {
    add_variables(p, asked->hyps[i], &all);
  }
  add_variables(p, asked->goal, &all);
  sp_str s = {0};
  sp_str_add(sp_pool_ctx(p), &s, "");
  for (uint32_t i = 0; i < all.n; i++) {
    sp_str_addf(sp_pool_ctx(p), &s, "%s%s < %" PRId64, i ? ", " : "",
                sp_var_name(p, all.v[i]), sp_var_extent(p, all.v[i]));
  }
  return all.n < MAX_VARIABLES ? s.v
                               : sp_format(sp_pool_ctx(p), "%s, ...", s.v);
}
