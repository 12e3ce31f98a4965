/* match.c: read walk(), the case split; the others serve it. */
#include "solve/match.h"

enum {
  MAX_TRIES = 24,
  MAX_DEPTH = 400,
  MAX_BOUND = 32,
  MAX_STEPS = 20000 /* shared sub-terms are walked at each occurrence */
};

static bool walk(sp_match *m, sp_expr a, sp_expr b, int depth);

void sp_match_init(sp_match *m, sp_pool *p) {
  *m = (sp_match){.p = p};
}

static bool is_neutral(const sp_pool *p, sp_expr e) {
  return sp_is_zero(p, e) || sp_kind_of(p, e) == SP_KIND_INF;
}

/* The branch of an ITE that is not neutral, or 0. */
static sp_expr guarded_branch(const sp_pool *p, sp_expr e) {
  if (sp_kind_of(p, e) != SP_KIND_ITE || sp_sort_of(p, e) != SP_SORT_REAL) {
    return (sp_expr){0};
  }
  if (is_neutral(p, sp_arg(p, e, 1))) {
    return sp_arg(p, e, 2);
  }
  if (is_neutral(p, sp_arg(p, e, 2))) {
    return sp_arg(p, e, 1);
  }
  return (sp_expr){0};
}

static bool is_identity(const sp_pool *p, sp_red_op op, sp_expr e) {
  switch (op) {
  case SP_RED_SUM:
    return sp_is_zero(p, e);
  case SP_RED_MAX:
    return sp_kind_of(p, e) == SP_KIND_INF && sp_inf_negative(p, e);
  case SP_RED_MIN:
    return sp_kind_of(p, e) == SP_KIND_INF && !sp_inf_negative(p, e);
  case SP_RED_OR:
    return sp_is_false(p, e);
  case SP_RED_AND:
    return sp_is_true(p, e);
  case SP_RED_PROD:
    return sp_kind_of(p, e) == SP_KIND_NUM &&
           sp_num_double(p, sp_num_value(p, e)) == 1.0;
  case SP_RED_LAMBDA:
    return false;
  }
  return false;
}

/* Some of the conjuncts of e are conditions (they read nothing): where one
 * fails, e is false, the identity of OR. The same of disjuncts and AND. */
static void logic_guard(sp_pool *p, bool conjuncts, sp_expr e, sp_expr *guard,
                        sp_expr *body) {
  sp_expr of = e, rest = {0};
  if (conjuncts) {
    of = sp_kind_of(p, e) == SP_KIND_NOT ? sp_arg(p, e, 0) : (sp_expr){0};
  }
  if (!of.v || sp_kind_of(p, of) != SP_KIND_OR) {
    return;
  }
  for (uint32_t i = 0; i < sp_n_args(p, of); i++) {
    sp_expr x = sp_arg(p, of, i);
    if (sp_has_read(p, x) || sp_has_red(p, x)) {
      rest = rest.v ? sp_or(p, rest, x) : x;
    } else {
      *guard = sp_and(p, *guard, sp_not(p, x));
    }
  }
  if (rest.v) {
    *body = conjuncts ? sp_not(p, rest) : rest;
  } else {
    *guard = sp_bool(p, true);
  }
}

void sp_guard_of(sp_pool *p, sp_red_op op, sp_expr e, sp_expr *guard,
                 sp_expr *body) {
  *guard = sp_bool(p, true);
  *body = e;
  if (op == SP_RED_OR || op == SP_RED_AND) {
    logic_guard(p, op == SP_RED_OR, e, guard, body);
  }
  while (sp_kind_of(p, *body) == SP_KIND_ITE) {
    sp_expr c = sp_arg(p, *body, 0);
    if (is_identity(p, op, sp_arg(p, *body, 1))) {
      *guard = sp_and(p, *guard, sp_not(p, c));
      *body = sp_arg(p, *body, 2);
    } else if (is_identity(p, op, sp_arg(p, *body, 2))) {
      *guard = sp_and(p, *guard, c);
      *body = sp_arg(p, *body, 1);
    } else {
      return;
    }
  }
}

static void equate(sp_match *m, sp_expr a, sp_expr b, bool weak) {
  sp_equations *to = weak ? &m->weak : m->branches ? &m->branch : &m->strong;
  sp_push(sp_pool_ctx(m->p), to, ((sp_equation){a, b}));
}

static uint32_t factorial(uint32_t n) {
  uint32_t f = 1;
  for (uint32_t i = 2; i <= n && f < 5040; i++) {
    f *= i;
  }
  return f;
}

/* The next decision among `ways` ways. */
static uint32_t decide(sp_match *m, uint32_t ways) {
  if (ways <= 1 || m->n_choices >= SP_MATCH_MAX_CHOICES) {
    return 0;
  }
  uint32_t k = m->n_choices++;
  m->radix[k] = ways;
  if (m->choice[k] >= ways) {
    m->choice[k] = 0;
  }
  return m->choice[k];
}

/* Permutation number `which` of n items, into order. */
static void permutation(uint32_t n, uint32_t which, uint32_t *order) {
  for (uint32_t i = 0; i < n; i++) {
    order[i] = i;
  }
  for (uint32_t i = 0; i + 1 < n; i++) {
    uint32_t f = factorial(n - 1 - i);
    uint32_t at = i + (which / f) % (n - i);
    uint32_t t = order[at];
    for (uint32_t k = at; k > i; k--) {
      order[k] = order[k - 1];
    }
    order[i] = t;
  }
}

/* The operands from i on that have the skeleton of the first. */
static uint32_t run_end(sp_pool *p, sp_expr e, uint32_t i) {
  uint64_t skeleton = sp_skeleton(p, sp_arg(p, e, i));
  uint32_t end = i + 1;
  while (end < sp_n_args(p, e) &&
         sp_skeleton(p, sp_arg(p, e, end)) == skeleton) {
    end++;
  }
  return end;
}

/* len operands of a from i on and of b from k on, in some order. */
static bool walk_run(sp_match *m, sp_expr a, uint32_t i, sp_expr b, uint32_t k,
                     uint32_t len, int depth) {
  uint32_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  if (len > 1 && len <= 5) {
    permutation(len, decide(m, factorial(len)), order);
  }
  for (uint32_t at = 0; at < len; at++) {
    uint32_t to = len <= 5 ? order[at] : at;
    if (!walk(m, sp_arg(m->p, a, i + at), sp_arg(m->p, b, k + to), depth + 1)) {
      return false;
    }
  }
  return true;
}

/* Operands of commutative nodes: runs of equal skeletons correspond in some
 * order. Pools sort by skeleton, so runs line up. Of sums whose number differs
 * some are pieces of one: the first ones show where things are. */
static bool walk_commutative(sp_match *m, sp_expr a, sp_expr b, int depth) {
  sp_pool *p = m->p;
  uint32_t na = sp_n_args(p, a), nb = sp_n_args(p, b), i = 0, k = 0;
  while (i < na && k < nb) {
    sp_expr x = sp_arg(p, a, i), y = sp_arg(p, b, k);
    uint32_t ia = run_end(p, a, i), kb = run_end(p, b, k), len = ia - i;
    bool pieces = len != kb - k;
    if (sp_skeleton(p, x) != sp_skeleton(p, y) ||
        (pieces && (sp_kind_of(p, a) != SP_KIND_ADD ||
                    sp_kind_of(p, x) != SP_KIND_RED))) {
      return false;
    }
    if (!walk_run(m, a, i, b, k, pieces ? 1 : len, depth)) {
      return false;
    }
    i = ia;
    k = kb;
  }
  return i == na && k == nb;
}

static bool walk_args(sp_match *m, sp_expr a, sp_expr b, int depth) {
  sp_pool *p = m->p;
  uint32_t n = sp_n_args(p, a);
  if (n != sp_n_args(p, b)) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (!walk(m, sp_arg(p, a, i), sp_arg(p, b, i), depth + 1)) {
      return false;
    }
  }
  return true;
}

/* Reads, functions and reductions inside an integer term, left to right. */
static uint32_t deep_atoms(const sp_pool *p, sp_expr e, sp_expr *out,
                           uint32_t n, uint32_t cap, int depth) {
  sp_kind kind = sp_kind_of(p, e);
  if (kind == SP_KIND_READ || kind == SP_KIND_FN || kind == SP_KIND_RED) {
    if (n < cap) {
      out[n] = e;
    }
    return n + 1;
  }
  for (uint32_t i = 0; i < sp_n_args(p, e) && depth < 50 && n < cap; i++) {
    n = deep_atoms(p, sp_arg(p, e, i), out, n, cap, depth + 1);
  }
  return n;
}

static bool walk_int(sp_match *m, sp_expr a, sp_expr b, bool weak, int depth) {
  sp_pool *p = m->p;
  sp_kind ka = sp_kind_of(p, a);
  if (ka == sp_kind_of(p, b) &&
      (ka == SP_KIND_READ || ka == SP_KIND_FN || ka == SP_KIND_RED)) {
    return walk(m, a, b, depth + 1);
  }
  enum { CAP = 8 };
  sp_expr xa[CAP], xb[CAP];
  uint32_t na = deep_atoms(p, a, xa, 0, CAP, 0);
  uint32_t nb = deep_atoms(p, b, xb, 0, CAP, 0);
  if (na == nb && na <= CAP) {
    for (uint32_t i = 0; i < na; i++) {
      if (sp_kind_of(p, xa[i]) != sp_kind_of(p, xb[i]) ||
          !walk(m, xa[i], xb[i], depth + 1)) {
        return false;
      }
    }
  }
  equate(m, a, b, weak);
  return true;
}

static bool walk_red(sp_match *m, sp_expr a, sp_expr b, int depth) {
  sp_pool *p = m->p;
  uint32_t na = sp_red_n_vars(p, a), nb = sp_red_n_vars(p, b);
  if (sp_red_op_of(p, a) != sp_red_op_of(p, b) || na > MAX_BOUND ||
      nb > MAX_BOUND) {
    return false;
  }
  sp_expr va[MAX_BOUND], vb[MAX_BOUND];
  sp_expr body_a = sp_red_open(p, a, va);
  sp_expr body_b = sp_red_open(p, b, vb);
  for (uint32_t i = 0; i < na; i++) {
    sp_push(sp_pool_ctx(p), &m->unknown, va[i]);
  }
  if (!walk(m, body_a, body_b, depth + 1)) {
    return false;
  }
  if (na == nb) {
    for (uint32_t i = 0; i < na; i++) {
      if (sp_var_extent(p, va[i]) == sp_var_extent(p, vb[i])) {
        equate(m, va[i], vb[i], true);
      }
    }
  }
  return true;
}

/* Choices whose conditions may be each other's negation. What a branch says
 * holds on one side of the condition only: after what holds everywhere. */
static bool walk_choice(sp_match *m, sp_expr a, sp_expr b, int depth) {
  sp_pool *p = m->p;
  sp_equations strong = m->strong;
  if (!walk(m, sp_arg(p, a, 0), sp_arg(p, b, 0), depth + 1)) {
    m->strong = strong; /* conditions may differ in form */
  }
  sp_expr a1 = sp_arg(p, a, 1), a2 = sp_arg(p, a, 2);
  sp_expr b1 = sp_arg(p, b, 1), b2 = sp_arg(p, b, 2);
  bool crossed = sp_skeleton(p, a1) != sp_skeleton(p, b1) &&
                 sp_skeleton(p, a1) == sp_skeleton(p, b2);
  m->branches++;
  bool fits = walk(m, a1, crossed ? b2 : b1, depth + 1) &&
              walk(m, a2, crossed ? b1 : b2, depth + 1);
  m->branches--;
  return fits;
}

/* A reduction over a sum (max, min) of its pieces: the first one shows where
 * things are; the pieces' own maps are found when they are proved. */
static bool walk_piece(sp_match *m, sp_expr a, sp_expr b, int depth) {
  sp_pool *p = m->p;
  sp_red_op op = sp_red_op_of(p, a);
  sp_kind kb = sp_kind_of(p, b);
  bool fits = (kb == SP_KIND_ADD && op == SP_RED_SUM) ||
              (kb == SP_KIND_MAX && op == SP_RED_MAX) ||
              (kb == SP_KIND_MIN && op == SP_RED_MIN);
  uint32_t n = sp_red_n_vars(p, a);
  if (!fits || n > MAX_BOUND) {
    return false;
  }
  sp_expr var[MAX_BOUND], first = sp_arg(p, b, 0);
  if (sp_kind_of(p, first) == SP_KIND_RED && sp_red_op_of(p, first) == op) {
    return walk_red(m, a, first, depth + 1);
  }
  sp_expr body = sp_red_open(p, a, var);
  for (uint32_t i = 0; i < n; i++) {
    sp_push(sp_pool_ctx(p), &m->unknown, var[i]);
  }
  return walk(m, body, first, depth + 1);
}

static bool walk(sp_match *m, sp_expr a, sp_expr b, int depth) {
  sp_pool *p = m->p;
  if (a.v == b.v && sp_free_vars(p, a, &(const sp_expr *){0}) == 0) {
    return true;
  }
  if (depth > MAX_DEPTH || m->steps++ > MAX_STEPS ||
      sp_sort_of(p, a) != sp_sort_of(p, b)) {
    return false;
  }
  sp_kind ka = sp_kind_of(p, a), kb = sp_kind_of(p, b);
  if (sp_sort_of(p, a) == SP_SORT_INT &&
      !(ka == kb &&
        (ka == SP_KIND_READ || ka == SP_KIND_FN || ka == SP_KIND_RED))) {
    return walk_int(m, a, b, false, depth);
  }
  sp_expr ga = guarded_branch(p, a), gb = guarded_branch(p, b);
  if (ga.v && gb.v) {
    sp_equations strong = m->strong;
    if (!walk(m, sp_arg(p, a, 0), sp_arg(p, b, 0), depth + 1)) {
      m->strong = strong; /* conditions may differ in form */
    }
    return walk(m, ga, gb, depth + 1);
  }
  if (ga.v || gb.v) {
    return walk(m, ga.v ? ga : a, gb.v ? gb : b, depth + 1);
  }
  if (ka == SP_KIND_RED && kb != SP_KIND_RED && kb != SP_KIND_ITE) {
    return walk_piece(m, a, b, depth);
  }
  if (ka != kb) {
    /* Pieces of like structure (halos) on one side: any one shows the map. */
    if (ka == SP_KIND_ITE || kb == SP_KIND_ITE) {
      return walk(m, ka == SP_KIND_ITE ? sp_arg(p, a, 1) : a,
                  kb == SP_KIND_ITE ? sp_arg(p, b, 1) : b, depth + 1);
    }
    return false;
  }
  switch (ka) {
  case SP_KIND_READ:
    return sp_read_sym(p, a).v == sp_read_sym(p, b).v &&
           walk_args(m, a, b, depth);
  case SP_KIND_FN:
    return sp_fn_name(p, a) == sp_fn_name(p, b) && walk_args(m, a, b, depth);
  case SP_KIND_ADD:
  case SP_KIND_MUL:
  case SP_KIND_MAX:
  case SP_KIND_MIN:
    return walk_commutative(m, a, b, depth);
  case SP_KIND_RED:
    return walk_red(m, a, b, depth);
  case SP_KIND_LT0:
  case SP_KIND_EQ0:
    return walk_int(m, sp_arg(p, a, 0), sp_arg(p, b, 0), true, depth);
  case SP_KIND_NUM:
    return sp_num_eq(sp_num_value(p, a), sp_num_value(p, b));
  case SP_KIND_INF:
  case SP_KIND_BOOL:
    return a.v == b.v;
  case SP_KIND_ITE:
    return walk_choice(m, a, b, depth);
  case SP_KIND_I2R:
  case SP_KIND_RLT:
  case SP_KIND_REQ:
  case SP_KIND_NOT:
  case SP_KIND_OR:
    return walk_args(m, a, b, depth);
  case SP_KIND_INT:
  case SP_KIND_VAR:
  case SP_KIND_LIN:
  case SP_KIND_DIV:
  case SP_KIND_MOD:
    return walk_int(m, a, b, false, depth);
  }
  return false;
}

bool sp_match_run(sp_match *m, sp_expr pattern, sp_expr target, uint32_t n,
                  const sp_expr *unknown) {
  m->strong = (sp_equations){0};
  m->weak = (sp_equations){0};
  m->branch = (sp_equations){0};
  m->branches = 0;
  m->unknown.n = 0;
  m->n_choices = 0;
  m->steps = 0;
  for (uint32_t i = 0; i < n; i++) {
    sp_push(sp_pool_ctx(m->p), &m->unknown, unknown[i]);
  }
  return walk(m, pattern, target, 0);
}

bool sp_match_next(sp_match *m) {
  if (++m->tries >= MAX_TRIES) {
    return false;
  }
  for (uint32_t k = m->n_choices; k-- > 0;) {
    if (++m->choice[k] < m->radix[k]) {
      return true;
    }
    m->choice[k] = 0;
  }
  return false;
}

/* An index of the target may be the same variable as one of the pattern, which
 * is unknown here: the left sides, which are the pattern's, get others. */
static sp_equations renamed(sp_pool *p, const sp_equations *list, uint32_t n,
                            const sp_expr *from, const sp_expr *to) {
  sp_ctx *ctx = sp_pool_ctx(p);
  sp_mark mark = sp_scratch_mark(ctx);
  sp_expr *in = sp_scratch(ctx, (n + 1) * sizeof *in);
  sp_expr *new = sp_scratch(ctx, (n + 1) * sizeof *new);
  sp_equations out = {0};
  for (size_t i = 0; i < list->n; i++) {
    sp_expr l = list->v[i].lhs;
    uint32_t few = 0; /* of many unknowns */
    for (uint32_t k = 0; k < n; k++) {
      if (sp_has_free(p, l, from[k])) {
        in[few] = from[k];
        new[few++] = to[k];
      }
    }
    sp_push(ctx, &out,
            ((sp_equation){sp_subst(p, l, few, in, new), list->v[i].rhs}));
  }
  sp_scratch_release(ctx, mark);
  return out;
}

void sp_match_solve(sp_match *m, uint32_t n, sp_expr *value) {
  sp_pool *p = m->p;
  sp_ctx *ctx = sp_pool_ctx(p);
  sp_mark mark = sp_scratch_mark(ctx);
  uint32_t all = (uint32_t)m->unknown.n;
  sp_expr *values = sp_scratch(ctx, (all + 1) * sizeof *values);
  sp_expr *unknown = sp_scratch(ctx, (all + 1) * sizeof *unknown);
  for (uint32_t i = 0; i < all; i++) {
    sp_expr v = m->unknown.v[i];
    bool shared = sp_kind_of(p, v) == SP_KIND_VAR &&
                  sp_var_class_of(p, v) == SP_VAR_INDEX;
    unknown[i] = shared ? sp_fresh(p, sp_var_extent(p, v)) : v;
  }
  sp_equations strong = renamed(p, &m->strong, all, m->unknown.v, unknown);
  sp_equations open = {0};
  for (size_t i = 0; i < m->branch.n; i++) {
    sp_push(ctx, &open, m->branch.v[i]);
  }
  for (size_t i = 0; i < m->weak.n; i++) {
    sp_push(ctx, &open, m->weak.v[i]);
  }
  sp_equations weak = renamed(p, &open, all, m->unknown.v, unknown);
  sp_equations_solve(p, &strong, &weak, all, unknown, values);
  for (uint32_t i = 0; i < n; i++) {
    value[i] = values[i];
  }
  sp_scratch_release(ctx, mark);
}
