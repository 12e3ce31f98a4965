/* rule_pieces.c: one reduction is its pieces combined.
 *
 * LEMMA. Let A(k) be a body over the range K, and P_1 .. P_n terms, P_s the
 * reduction of B_s over K_s by the same operation (a term that is no such
 * reduction is one over a range of one). If maps m_s: K_s -> K are in range and
 * injective, their images are pairwise disjoint, the sizes of the K_s add up to
 * that of K, and A(m_s(k')) = B_s(k') for all k' in K_s, then the reduction of
 * A is P_1 combined with .. P_n: the images are disjoint and together as many
 * as K, so each element of K is in exactly one.
 *
 * Pieces nest: the sum over k of (P_1(k) + P_2(k)) has the pieces of P_1 and
 * those of P_2, each over k, too (sums are finite: order does not matter).
 *
 * Rings (all-reduce, attention, collective matmul) take a reduction apart into
 * as many pieces as there are ranks; micro-batches take it apart on each rank.
 */
#include "solve/match.h"
#include "solve/prove.h"

enum { MAX_VARS = 16, MAX_PIECES = 64, MAX_NESTED = 8 };

typedef struct piece {
  uint32_t n;
  sp_expr var[MAX_VARS];
  sp_expr body;
  sp_expr map[MAX_VARS]; /* of the whole's variables */
} piece;

typedef struct whole {
  sp_prover *pr;
  sp_pool *p;
  sp_hyps hyps;
  sp_red_op op;
  uint32_t n;
  sp_expr var[MAX_VARS];
  sp_expr body;
} whole;

/* e itself a combination, not under a reduction. */
static bool is_combination(const sp_pool *p, sp_expr e, sp_red_op *op,
                           sp_num *coef) {
  sp_kind kind = sp_kind_of(p, e);
  uint32_t n = sp_n_args(p, e);
  if (sp_sort_of(p, e) != SP_SORT_REAL || n < 2 || n > MAX_PIECES) {
    return false;
  }
  if (kind == SP_KIND_MAX || kind == SP_KIND_MIN) {
    *op = kind == SP_KIND_MAX ? SP_RED_MAX : SP_RED_MIN;
    *coef = (sp_num){0};
    return true;
  }
  if (kind != SP_KIND_ADD || sp_num_sign(p, sp_add_const(p, e)) != 0) {
    return false;
  }
  *op = SP_RED_SUM;
  *coef = sp_add_coef(p, e, 0);
  for (uint32_t i = 1; i < n; i++) {
    if (!sp_num_eq(sp_add_coef(p, e, i), *coef)) {
      return false;
    }
  }
  return true;
}

static bool is_red(const sp_pool *p, sp_expr e, sp_red_op op) {
  return sp_kind_of(p, e) == SP_KIND_RED && sp_red_op_of(p, e) == op;
}

/* A combination with coefficients of one, by op. */
static bool combines(sp_pool *p, sp_expr e, sp_red_op op) {
  sp_red_op own;
  sp_num coef;
  return is_combination(p, e, &own, &coef) && own == op &&
         (coef.v == 0 || sp_num_eq(coef, sp_num_from_i64(p, 1)));
}

bool spi_is_pieces(sp_pool *p, sp_expr e, sp_red_op *op, sp_num *coef) {
  if (sp_kind_of(p, e) == SP_KIND_RED) {
    *op = sp_red_op_of(p, e);
    *coef = (sp_num){0};
    while (is_red(p, e, *op)) {
      e = sp_red_body(p, e);
    }
    return combines(p, e, *op);
  }
  return is_combination(p, e, op, coef);
}

uint64_t spi_piece_skeleton(sp_pool *p, sp_expr pieces, sp_red_op op) {
  sp_expr e = sp_kind_of(p, pieces) == SP_KIND_RED ? pieces
                                                   : sp_arg(p, pieces, 0);
  while (is_red(p, e, op) || combines(p, e, op)) {
    e = is_red(p, e, op) ? sp_red_body(p, e) : sp_arg(p, e, 0);
  }
  return sp_skeleton(p, e);
}

/* The pieces of a whole. */
typedef struct cut {
  uint32_t n;
  piece v[MAX_PIECES];
} cut;

/* Adds the pieces of e, which is under the variables of *outer. */
static bool cut_add(const whole *w, cut *c, sp_expr e, const piece *outer,
                    int depth) {
  sp_pool *p = w->p;
  piece x = *outer;
  while (is_red(p, e, w->op)) {
    uint32_t n = sp_red_n_vars(p, e);
    if (x.n + n > MAX_VARS) {
      return false;
    }
    e = sp_red_open(p, e, x.var + x.n);
    x.n += n;
  }
  if (combines(p, e, w->op) && depth < MAX_NESTED) {
    bool ok = true;
    for (uint32_t i = 0; i < sp_n_args(p, e) && ok; i++) {
      ok = cut_add(w, c, sp_arg(p, e, i), &x, depth + 1);
    }
    return ok;
  }
  if (c->n >= MAX_PIECES) {
    return false;
  }
  x.body = e;
  c->v[c->n++] = x;
  return true;
}

static bool cut_open(const whole *w, sp_expr pieces, cut *c) {
  sp_pool *p = w->p;
  piece outer = {0};
  if (sp_kind_of(p, pieces) == SP_KIND_RED) {
    return cut_add(w, c, pieces, &outer, 0);
  }
  bool ok = true;
  for (uint32_t i = 0; i < sp_n_args(p, pieces) && ok; i++) {
    ok = cut_add(w, c, sp_arg(p, pieces, i), &outer, 1);
  }
  return ok;
}

static double size_of(const sp_pool *p, uint32_t n, const sp_expr *var) {
  double size = 1; /* exact: far below 2^53 */
  for (uint32_t i = 0; i < n; i++) {
    size *= (double)sp_var_extent(p, var[i]);
  }
  return size;
}

/* The map of a piece, bodies equal under it. */
static bool piece_fits(const whole *w, piece *x) {
  sp_pool *p = w->p;
  sp_match m;
  sp_match_init(&m, p);
  do {
    if (!sp_match_run(&m, w->body, x->body, w->n, w->var)) {
      continue;
    }
    sp_match_solve(&m, w->n, x->map);
    bool complete = true;
    for (uint32_t i = 0; i < w->n; i++) {
      complete = complete && x->map[i].v;
    }
    if (!complete) {
      continue;
    }
    sp_expr moved = sp_subst(p, w->body, w->n, w->var, x->map);
    if ((moved.v == x->body.v ||
         sp_probe_equal(w->pr, moved, x->body, w->hyps)) &&
        sp_prove_equal(w->pr, moved, x->body, w->hyps)) {
      return true;
    }
  } while (sp_match_next(&m));
  return false;
}

static sp_expr same_point(sp_pool *p, uint32_t n, const sp_expr *a,
                          const sp_expr *b) {
  sp_expr all = sp_bool(p, true);
  for (uint32_t i = 0; i < n; i++) {
    all = sp_and(p, all, sp_eq(p, a[i], b[i]));
  }
  return all;
}

static bool in_range_and_injective(const whole *w, const piece *x) {
  sp_pool *p = w->p;
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr goal = sp_bool(p, true), other[MAX_VARS], image[MAX_VARS];
  for (uint32_t i = 0; i < w->n; i++) {
    sp_expr extent = sp_int(p, sp_var_extent(p, w->var[i]));
    goal = sp_and(p, goal, sp_le(p, sp_int(p, 0), x->map[i]));
    goal = sp_and(p, goal, sp_lt(p, x->map[i], extent));
  }
  for (uint32_t i = 0; i < x->n; i++) {
    other[i] = sp_fresh(p, sp_var_extent(p, x->var[i]));
  }
  for (uint32_t i = 0; i < w->n; i++) {
    image[i] = sp_subst(p, x->map[i], x->n, x->var, other);
  }
  sp_expr meet = same_point(p, w->n, x->map, image);
  sp_expr same = same_point(p, x->n, x->var, other);
  goal = sp_and(p, goal, sp_or(p, sp_not(p, meet), same));
  sp_pool_mode(p, mode);
  return sp_prove_holds(w->pr, "pieces: map in range, injective", goal,
                        w->hyps);
}

static bool disjoint(const whole *w, const piece *x, const piece *y) {
  sp_pool *p = w->p;
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr goal = sp_not(p, same_point(p, w->n, x->map, y->map));
  sp_pool_mode(p, mode);
  return sp_prove_holds(w->pr, "pieces: images disjoint", goal, w->hyps);
}

bool spi_pieces_equal(sp_prover *pr, sp_expr red, sp_expr pieces,
                      sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  whole w = {.pr = pr,
             .p = p,
             .hyps = hyps,
             .op = sp_red_op_of(p, red),
             .n = sp_red_n_vars(p, red)};
  if (w.n > MAX_VARS) {
    return false;
  }
  w.body = sp_red_open(p, red, w.var);
  cut *c = sp_alloc(sp_pool_ctx(p), sizeof *c);
  if (!cut_open(&w, pieces, c)) {
    return false;
  }
  piece *x = c->v;
  double size = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    size += size_of(p, x[i].n, x[i].var);
  }
  if (size != size_of(p, w.n, w.var) || size > 4e15) {
    return false;
  }
  for (uint32_t i = 0; i < c->n; i++) {
    if (!piece_fits(&w, &x[i]) || !in_range_and_injective(&w, &x[i])) {
      return false;
    }
    for (uint32_t k = 0; k < i; k++) {
      if (!disjoint(&w, &x[i], &x[k])) {
        return false;
      }
    }
  }
  return true;
}
