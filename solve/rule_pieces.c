/* rule_pieces.c: one reduction is its pieces combined. Read spi_pieces_equal.
 *
 * LEMMA. Let the whole be the reduction of A(k) over those k of the range K
 * for which G(k) holds, and piece s the reduction by the same operation of
 * B_s(k') over those k' of K_s for which g_s(k') holds (a term that is no such
 * reduction is one over a range of one). If maps m_s: K_s -> K are given and
 *   1. g_s(k') implies that m_s(k') is in K, G(m_s(k')), A(m_s(k')) = B_s(k'),
 *   2. (s, k') -> m_s(k') is injective where the g_s hold,
 *   3. each k of K with G(k) is some m_s(k') with g_s(k'),
 * then the whole is its pieces combined: both reduce the same values, each as
 * often. Instead of 3., where there are no conditions (they can be part of A
 * and the B_s, which then are the operation's identity elsewhere): the sizes of
 * the K_s add up to that of K. Then 3. does instead of 2., too: a map between
 * finite sets of one size that leaves nothing out takes nothing twice. That is
 * one obligation, where 2. is one for each two pieces; of many pieces of one
 * form it is a short one (rule_cover.c). An operation that does not mind
 * repetition (max, min, or, and) needs 1. and 3. only.
 *
 * Pieces nest: the sum over k of (P_1(k) + P_2(k)) has the pieces of P_1 and
 * those of P_2, each over k, too (sums are finite: order does not matter). A
 * choice ite(c, P + Q, P) has the pieces of P, and those of Q where c holds;
 * what is under a condition that holds nowhere is no piece (trees of sums are
 * choices in choices, most of them impossible). For max, min, or, and each
 * branch may be a piece (a concatenation that was cut).
 *
 * Rings (all-reduce, attention, collective matmul) take a reduction apart into
 * as many pieces as there are ranks, micro-batches on each rank, tiles with a
 * remainder into one that is partly outside, scans into what was seen so far.
 */
#include "solve/match.h"
#include "solve/prove.h"

enum { MAX_VARS = 16, MAX_PIECES = 64, MAX_NESTED = 24, MAX_OPEN = 16 };
/* MANY pieces: that no two of them meet is more work than that all is met, for
 * each rank; a solver that does not see this soon does not. */
enum { MANY = 8, LIMIT_MS = 100 };

typedef struct piece {
  uint32_t n;
  sp_expr var[MAX_VARS];
  sp_expr guard, body;
  sp_expr map[MAX_VARS]; /* of the whole's variables */
} piece;

typedef struct whole {
  sp_prover *pr;
  sp_pool *p;
  sp_hyps hyps;
  sp_red_op op;
  bool fine; /* every choice is taken apart */
  uint32_t n;
  sp_expr var[MAX_VARS];
  sp_expr guard, body;
} whole;

/* ---- what is made of pieces ---- */

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

static bool is_choice(const sp_pool *p, sp_expr e) {
  return sp_kind_of(p, e) == SP_KIND_ITE && sp_sort_of(p, e) == SP_SORT_REAL &&
         !sp_has_red(p, sp_arg(p, e, 0));
}

/* Is a branch of the choice e more than one piece, or a reduction? */
static bool choice_splits(sp_pool *p, sp_expr e, sp_red_op op) {
  for (uint32_t i = 1; i <= 2; i++) {
    sp_expr b = sp_arg(p, e, i);
    if (is_red(p, b, op) || combines(p, b, op) || is_choice(p, b)) {
      return true;
    }
  }
  return false;
}

static bool repeats(sp_red_op op) {
  return op != SP_RED_SUM && op != SP_RED_PROD && op != SP_RED_LAMBDA;
}

/* The operation of the first branch of choices that is a combination or a
 * reduction. */
static bool choice_op(sp_pool *p, sp_expr e, sp_red_op *op, int depth) {
  sp_num coef;
  if (sp_kind_of(p, e) == SP_KIND_RED) {
    *op = sp_red_op_of(p, e);
    return *op != SP_RED_LAMBDA;
  }
  if (is_choice(p, e) && depth < MAX_NESTED) {
    return choice_op(p, sp_arg(p, e, 1), op, depth + 1) ||
           choice_op(p, sp_arg(p, e, 2), op, depth + 1);
  }
  return is_combination(p, e, op, &coef) && combines(p, e, *op);
}

bool spi_is_pieces(sp_pool *p, sp_expr e, sp_red_op *op, sp_num *coef) {
  if (is_choice(p, e)) {
    *coef = (sp_num){0};
    return choice_op(p, e, op, 0);
  }
  if (sp_kind_of(p, e) == SP_KIND_RED) {
    *op = sp_red_op_of(p, e);
    *coef = (sp_num){0};
    while (is_red(p, e, *op)) {
      e = sp_red_body(p, e);
    }
    return *op != SP_RED_LAMBDA &&
           (combines(p, e, *op) ||
            (is_choice(p, e) && (repeats(*op) || choice_splits(p, e, *op))));
  }
  return is_combination(p, e, op, coef);
}

static uint64_t piece_skeleton(sp_pool *p, sp_expr pieces, sp_red_op op) {
  bool outer = sp_kind_of(p, pieces) == SP_KIND_RED || is_choice(p, pieces);
  sp_expr e = outer ? pieces : sp_arg(p, pieces, 0), guard;
  while (is_red(p, e, op) || combines(p, e, op) ||
         (is_choice(p, e) && (repeats(op) || choice_splits(p, e, op)))) {
    if (is_choice(p, e)) {
      sp_expr inner;
      sp_guard_of(p, op, e, &guard, &inner);
      e = inner.v == e.v ? sp_arg(p, e, 1) : inner;
    } else {
      e = is_red(p, e, op) ? sp_red_body(p, e) : sp_arg(p, e, 0);
    }
  }
  return sp_skeleton(p, e);
}

/* Has a branch of e the skeleton? */
static bool has_form(sp_pool *p, sp_expr e, uint64_t form, int depth) {
  return sp_skeleton(p, e) == form ||
         (is_choice(p, e) && depth < MAX_NESTED &&
          (has_form(p, sp_arg(p, e, 1), form, depth + 1) ||
           has_form(p, sp_arg(p, e, 2), form, depth + 1)));
}

bool spi_like_pieces(sp_pool *p, sp_expr red, sp_expr pieces) {
  sp_red_op op = sp_red_op_of(p, red);
  return has_form(p, sp_red_body(p, red), piece_skeleton(p, pieces, op), 0);
}

/* ---- taking apart ---- */

typedef struct cut {
  uint32_t n;
  piece v[MAX_PIECES];
} cut;

static bool cut_add(const whole *w, cut *c, sp_expr e, const piece *outer,
                    int depth);

/* What e combines, or e alone. */
static uint32_t parts_of(const whole *w, sp_expr e, sp_expr *out) {
  if (!combines(w->p, e, w->op)) {
    out[0] = e;
    return 1;
  }
  for (uint32_t i = 0; i < sp_n_args(w->p, e); i++) {
    out[i] = sp_arg(w->p, e, i);
  }
  return sp_n_args(w->p, e);
}

/* Takes e out of the list; false when it is not in it. */
static bool take(sp_expr *list, uint32_t *n, sp_expr e) {
  for (uint32_t i = 0; i < *n; i++) {
    if (list[i].v == e.v) {
      list[i] = list[--*n];
      return true;
    }
  }
  return false;
}

/* The condition holds nowhere: what is under it is no piece. */
static bool is_empty(const whole *w, sp_expr guard) {
  sp_pool *p = w->p;
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  bool seems = sp_is_false(p, sp_simplify(p, guard));
  sp_pool_mode(p, mode);
  return seems &&
         sp_prove_never(w->pr, "pieces: no such piece", guard, w->hyps);
}

/* What one branch of a choice has for itself. */
static bool cut_branch(const whole *w, cut *c, uint32_t n, const sp_expr *e,
                       const piece *outer, sp_expr condition, int depth) {
  piece x = *outer;
  x.guard = sp_and(w->p, outer->guard, condition);
  if (n == 0 || is_empty(w, x.guard)) {
    return true;
  }
  bool ok = true;
  for (uint32_t i = 0; i < n && ok; i++) {
    ok = cut_add(w, c, e[i], &x, depth + 1);
  }
  return ok;
}

/* A choice: what both branches combine, then the rest of each under its
 * condition. */
static bool cut_choice(const whole *w, cut *c, sp_expr e, const piece *outer,
                       int depth) {
  sp_pool *p = w->p;
  sp_expr a[MAX_PIECES], b[MAX_PIECES];
  uint32_t na = parts_of(w, sp_arg(p, e, 1), a), left = 0;
  uint32_t nb = parts_of(w, sp_arg(p, e, 2), b);
  bool ok = true;
  for (uint32_t i = 0; i < na && ok; i++) {
    if (take(b, &nb, a[i])) {
      ok = cut_add(w, c, a[i], outer, depth + 1);
    } else {
      a[left++] = a[i];
    }
  }
  sp_expr c0 = sp_arg(p, e, 0);
  return ok && cut_branch(w, c, left, a, outer, c0, depth) &&
         cut_branch(w, c, nb, b, outer, sp_not(p, c0), depth);
}

/* Adds the pieces of e, which is under the variables and the guard of outer. */
static bool cut_add(const whole *w, cut *c, sp_expr e, const piece *outer,
                    int depth) {
  sp_pool *p = w->p;
  piece x = *outer;
  for (;;) {
    sp_expr guard;
    sp_guard_of(p, w->op, e, &guard, &e);
    x.guard = sp_and(p, x.guard, guard);
    if (!is_red(p, e, w->op)) {
      break;
    }
    uint32_t n = sp_red_n_vars(p, e);
    if (x.n + n > MAX_VARS) {
      return false;
    }
    e = sp_red_open(p, e, x.var + x.n);
    x.n += n;
  }
  if (depth < MAX_NESTED && combines(p, e, w->op)) {
    bool ok = true;
    for (uint32_t i = 0; i < sp_n_args(p, e) && ok; i++) {
      ok = cut_add(w, c, sp_arg(p, e, i), &x, depth + 1);
    }
    return ok;
  }
  if (depth < MAX_NESTED && is_choice(p, e) &&
      (w->fine || choice_splits(p, e, w->op))) {
    return cut_choice(w, c, e, &x, depth);
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
  piece outer = {.guard = sp_bool(p, true)};
  if (sp_kind_of(p, pieces) == SP_KIND_RED || is_choice(p, pieces)) {
    return cut_add(w, c, pieces, &outer, 0);
  }
  bool ok = true; /* whatever the coefficient is */
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

static double size_of_all(const whole *w, const cut *c) {
  double size = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    size += size_of(w->p, c->v[i].n, c->v[i].var);
  }
  return size;
}

static bool sizes_agree(const whole *w, const cut *c) {
  double size = size_of_all(w, c);
  return size == size_of(w->p, w->n, w->var) && size <= 4e15;
}

/* Too few to be all of the whole: what was combined in some of the rounds. */
static bool too_few(const whole *w, const cut *c) {
  return sp_is_true(w->p, w->guard) &&
         size_of_all(w, c) < size_of(w->p, w->n, w->var);
}

/* ---- the obligations ---- */

static sp_hyps under(const whole *w, sp_expr guard) {
  return sp_is_true(w->p, guard) ? w->hyps
                                 : spi_hyps_with(w->pr, w->hyps, guard);
}

/* A map that makes the pattern the piece's body; under it the whole's body is
 * equal to the piece's. */
static bool fits_pattern(const whole *w, piece *x, sp_expr pattern) {
  sp_pool *p = w->p;
  sp_hyps hyps = under(w, x->guard);
  sp_match m;
  sp_match_init(&m, p);
  do {
    if (!sp_match_run(&m, pattern, x->body, w->n, w->var)) {
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
    if ((moved.v == x->body.v || sp_probe_equal(w->pr, moved, x->body, hyps)) &&
        sp_prove_equal(w->pr, moved, x->body, hyps)) {
      return true;
    }
  } while (sp_match_next(&m));
  return false;
}

/* The map of a piece, bodies equal under it. A piece of a concatenation has the
 * form of a branch only. */
static bool piece_fits(const whole *w, piece *x) {
  sp_expr left[MAX_NESTED] = {w->body};
  uint32_t n = 1;
  for (int tried = 0; n > 0 && tried < MAX_NESTED; tried++) {
    sp_expr e = left[--n];
    if (fits_pattern(w, x, e)) {
      return true;
    }
    if (is_choice(w->p, e) && n + 2 <= MAX_NESTED) {
      left[n++] = sp_arg(w->p, e, 2);
      left[n++] = sp_arg(w->p, e, 1);
    }
  }
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

static sp_expr in_range(sp_pool *p, uint32_t n, const sp_expr *var,
                        const sp_expr *value) {
  sp_expr all = sp_bool(p, true);
  for (uint32_t i = 0; i < n; i++) {
    all = sp_and(p, all, sp_le(p, sp_int(p, 0), value[i]));
    all =
        sp_and(p, all, sp_lt(p, value[i], sp_int(p, sp_var_extent(p, var[i]))));
  }
  return all;
}

static bool maps_into(const whole *w, const piece *x) {
  sp_pool *p = w->p;
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr goal = in_range(p, w->n, w->var, x->map);
  goal = sp_and(p, goal, sp_subst(p, w->guard, w->n, w->var, x->map));
  sp_pool_mode(p, mode);
  return sp_prove_holds(w->pr, "pieces: map in range", goal,
                        under(w, x->guard));
}

/* Where x and y meet, they are one piece at one point. Pieces under one
 * reduction share its variables, and must not meet at different values of
 * these either: y gets variables of its own. */
static bool apart(const whole *w, const piece *x, const piece *y) {
  sp_pool *p = w->p;
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr other[MAX_VARS], image[MAX_VARS];
  for (uint32_t i = 0; i < y->n; i++) {
    other[i] = sp_fresh(p, sp_var_extent(p, y->var[i]));
  }
  for (uint32_t i = 0; i < w->n; i++) {
    image[i] = sp_subst(p, y->map[i], y->n, y->var, other);
  }
  sp_expr goal = sp_not(p, same_point(p, w->n, x->map, image));
  if (x == y) {
    goal = sp_or(p, goal, same_point(p, x->n, x->var, other));
  }
  sp_hyps hyps = under(w, x->guard);
  sp_expr guard = sp_subst(p, y->guard, y->n, y->var, other);
  if (!sp_is_true(p, guard)) {
    hyps = spi_hyps_with(w->pr, hyps, guard);
  }
  sp_pool_mode(p, mode);
  return sp_prove_holds(
      w->pr, x == y ? "pieces: map injective" : "pieces: images disjoint", goal,
      hyps);
}

/* What a conjunction says is equal. */
static void equations_in(sp_pool *p, sp_expr guard, sp_equations *out) {
  if (sp_kind_of(p, guard) == SP_KIND_EQ0) {
    sp_push(sp_pool_ctx(p), out,
            ((sp_equation){sp_arg(p, guard, 0), sp_int(p, 0)}));
  } else if (sp_kind_of(p, guard) == SP_KIND_NOT &&
             sp_kind_of(p, sp_arg(p, guard, 0)) == SP_KIND_OR) {
    sp_expr either = sp_arg(p, guard, 0);
    for (uint32_t i = 0; i < sp_n_args(p, either); i++) {
      sp_expr part = sp_arg(p, either, i);
      if (sp_kind_of(p, part) == SP_KIND_NOT) {
        equations_in(p, sp_arg(p, part, 0), out);
      }
    }
  }
}

/* The point k of the whole is met by the piece at these values of its
 * variables. */
static sp_expr meets_at(const whole *w, const piece *x, const sp_expr *at) {
  sp_pool *p = w->p;
  sp_expr image[MAX_VARS];
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  for (uint32_t i = 0; i < w->n; i++) {
    image[i] = sp_subst(p, x->map[i], x->n, x->var, at);
  }
  sp_expr met = same_point(p, w->n, image, w->var);
  met = sp_and(p, met, in_range(p, x->n, x->var, at));
  met = sp_and(p, met, sp_subst(p, x->guard, x->n, x->var, at));
  sp_pool_mode(p, mode);
  return met;
}

/* The point k is met by the piece: at what its map, solved for the piece's
 * variables, says, and its guard, where the map leaves some open (a step of
 * which the tile and the block are known); else at some value of a variable of
 * which only the guard speaks, at 0 of others. */
static sp_expr meets(const whole *w, const piece *x) {
  sp_pool *p = w->p;
  sp_equations equations = {0}, weak = {0};
  for (uint32_t i = 0; i < w->n; i++) {
    sp_push(sp_pool_ctx(p), &equations, ((sp_equation){x->map[i], w->var[i]}));
  }
  equations_in(p, x->guard, &weak);
  sp_expr at[MAX_VARS];
  sp_equations_solve(p, &equations, &weak, x->n, x->var, at);
  uint32_t open = MAX_VARS;
  for (uint32_t i = 0; i < x->n; i++) {
    if (!at[i].v && open == MAX_VARS && sp_has_free(p, x->guard, x->var[i]) &&
        sp_var_extent(p, x->var[i]) <= MAX_OPEN) {
      open = i;
    }
    at[i] = at[i].v ? at[i] : sp_int(p, 0);
  }
  sp_expr met = meets_at(w, x, at);
  for (int64_t v = 1; open < x->n && v < sp_var_extent(p, x->var[open]); v++) {
    at[open] = sp_int(p, v);
    sp_expr more = meets_at(w, x, at);
    sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
    met = sp_or(p, met, more);
    sp_pool_mode(p, mode);
  }
  return met;
}

static sp_expr all_met(const whole *w, const cut *c) {
  sp_pool *p = w->p;
  sp_expr goal = sp_bool(p, false);
  for (uint32_t i = 0; i < c->n; i++) {
    sp_expr met = meets(w, &c->v[i]);
    sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
    goal = sp_or(p, goal, met);
    sp_pool_mode(p, mode);
  }
  return goal;
}

static const char *const ALL = "pieces: all of the whole";

static sp_expr identity(sp_pool *p, sp_red_op op) {
  switch (op) {
  case SP_RED_PROD:
    return sp_real_i64(p, 1);
  case SP_RED_MAX:
  case SP_RED_MIN:
    return sp_inf(p, op == SP_RED_MAX);
  case SP_RED_SUM:
  case SP_RED_OR:
  case SP_RED_AND:
  case SP_RED_LAMBDA:
    break;
  }
  return sp_real_i64(p, 0);
}

/* The condition as part of the body. */
static void fold_guard(const whole *w, sp_expr *guard, sp_expr *body) {
  sp_pool *p = w->p;
  if (!sp_is_true(p, *guard)) {
    sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
    *body = sp_ite(p, *guard, *body, identity(p, w->op));
    *guard = sp_bool(p, true);
    sp_pool_mode(p, mode);
  }
}

/* No two pieces meet, and none meets itself. */
static bool all_apart(const whole *w, const cut *c) {
  for (uint32_t i = 0; i < c->n; i++) {
    for (uint32_t k = 0; k <= i; k++) {
      if (!apart(w, &c->v[i], &c->v[k])) {
        return false;
      }
    }
  }
  return true;
}

/* All is met by many pieces of one form, which have no conditions. */
static bool alike_cover(const whole *w, const cut *c) {
  if (c->n < MANY) {
    return false;
  }
  spi_image *v = sp_alloc_n(sp_pool_ctx(w->p), c->n, sizeof *v);
  for (uint32_t i = 0; i < c->n; i++) {
    const piece *x = &c->v[i];
    if (!sp_is_true(w->p, x->guard)) {
      return false;
    }
    v[i] = (spi_image){x->n, x->var, x->map};
  }
  spi_range range = {w->n, w->var};
  uint32_t was = sp_prover_hurry(w->pr, LIMIT_MS);
  bool ok = spi_images_cover(w->pr, ALL, &range, c->n, v, w->hyps);
  sp_prover_hurry(w->pr, was);
  return ok;
}

/* All is met: 3. in place of 2., of c whose sizes agree. */
static bool all_met_soon(const whole *w, const cut *c) {
  if (c->n < MANY) {
    return false;
  }
  uint32_t was = sp_prover_hurry(w->pr, LIMIT_MS);
  bool ok = spi_prove_by_rank(w->pr, ALL, all_met(w, c), w->hyps);
  sp_prover_hurry(w->pr, was);
  return ok;
}

/* By counting: conditions are part of what is equal. */
static bool counted(whole w, const cut *given) {
  if (!sizes_agree(&w, given) || sp_sort_of(w.p, w.body) != SP_SORT_REAL) {
    return false;
  }
  cut *c = sp_alloc(sp_pool_ctx(w.p), sizeof *c);
  *c = *given;
  fold_guard(&w, &w.guard, &w.body);
  for (uint32_t i = 0; i < c->n; i++) {
    fold_guard(&w, &c->v[i].guard, &c->v[i].body);
    if (!piece_fits(&w, &c->v[i]) || !maps_into(&w, &c->v[i])) {
      return false;
    }
  }
  return alike_cover(&w, c) || all_met_soon(&w, c) || all_apart(&w, c);
}

/* By showing that every element is met, under the conditions. */
static bool met(const whole *w, cut *c) {
  if (too_few(w, c)) {
    return false;
  }
  for (uint32_t i = 0; i < c->n; i++) {
    if (!piece_fits(w, &c->v[i]) || !maps_into(w, &c->v[i])) {
      return false;
    }
    for (uint32_t k = 0; k <= i && !repeats(w->op); k++) {
      if (!apart(w, &c->v[i], &c->v[k])) {
        return false;
      }
    }
  }
  return alike_cover(w, c) ||
         sp_prove_holds(w->pr, ALL, all_met(w, c), under(w, w->guard));
}

bool spi_pieces_equal(sp_prover *pr, sp_expr red, sp_expr pieces,
                      sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  bool single = sp_kind_of(p, red) != SP_KIND_RED;
  whole w = {.pr = pr,
             .p = p,
             .hyps = hyps,
             .op = sp_red_op_of(p, single ? pieces : red),
             .n = single ? 0 : sp_red_n_vars(p, red)};
  if (w.n > MAX_VARS || w.op == SP_RED_LAMBDA) {
    return false;
  }
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_guard_of(p, w.op, single ? red : sp_red_open(p, red, w.var), &w.guard,
              &w.body);
  cut *c = sp_alloc(sp_pool_ctx(p), sizeof *c);
  bool ok = cut_open(&w, pieces, c);
  sp_pool_mode(p, mode);
  if (ok && (counted(w, c) || met(&w, c))) {
    return true;
  }
  if (!ok || !repeats(w.op)) {
    return false;
  }
  w.fine = true;
  c->n = 0;
  sp_pool_mode(p, SP_MODE_RAW_INDEX);
  ok = cut_open(&w, pieces, c);
  sp_pool_mode(p, mode);
  return ok && met(&w, c);
}
