/* rule_onehot.c: a sum of which at most one term is not zero.
 *
 * LEMMA. Let b(p, k) be a number, p = (p_1 .. p_n) over 0 <= p_i < P_i, and
 * W(k) integer terms free of p. If for all p in range and all k p = W(k)  or
 * b(p, k) = 0                                (obligation) then  sum_{p, k} b(p,
 * k) = sum_k ite(0 <= W(k) < P, b(W(k), k), 0). Proof: for each k every term
 * but p = W(k) is zero, and that one is in the sum exactly when W(k) is in
 * range.
 *
 * The witness W is solved from a guard of the body: an equation between p and
 * something else, or an interval p*c <= x < (p+1)*c, which gives x div c. Where
 * guards are about places that running counts give, from the ends of these
 * counts or from equations inside; the obligation may use facts about counts
 * (rule_counts.c).
 *
 * The same of maxima and minima of reals, minus infinity and infinity for 0;
 * there only equations between p and something else are looked for, since masks
 * of other forms (causal ones) leave many terms.
 *
 * LEMMA (digits). sum_{p < c m} b(p) = sum_{q < m, r < c} b(c q + r).
 *
 * LEMMA (guards). ite(g, b, 0) may be rewritten by what holds under g, and is b
 * where g or b = 0 (obligation).
 */
#include "solve/match.h"
#include "solve/prove.h"
#include "solve/seen.h"

enum { MAX_VARS = 16, MAX_ATOMS = 32, MAX_GUARDS = 4 };

typedef struct sum {
  sp_prover *pr;
  sp_pool *p;
  sp_red_op op;
  uint32_t n;
  sp_expr var[MAX_VARS];
  sp_expr body;
  sp_hyps hyps; /* where the sum is wanted */
} sum;

/* Disjuncts of the condition under which the body is zero. */
static uint32_t zero_conditions(const sum *s, sp_expr body, sp_expr *out) {
  sp_pool *p = s->p;
  sp_expr guard, inner;
  sp_guard_of(p, s->op, body, &guard, &inner);
  sp_expr off = sp_not(p, guard);
  if (sp_is_false(p, off)) {
    return 0;
  }
  if (sp_kind_of(p, off) != SP_KIND_OR) {
    out[0] = off;
    return 1;
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < sp_n_args(p, off) && n < MAX_ATOMS; i++) {
    out[n++] = sp_arg(p, off, i);
  }
  return n;
}

static bool is_sum_var(const sum *s, sp_expr e) {
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->var[i].v == e.v) {
      return true;
    }
  }
  return false;
}

static bool mentions_sum_var(const sum *s, sp_expr e) {
  for (uint32_t i = 0; i < s->n; i++) {
    if (sp_has_free(s->p, e, s->var[i])) {
      return true;
    }
  }
  return false;
}

/* d, split into its bare sum variables and the rest; false when a sum
 * variable also occurs inside another atom. */
static bool split_linear(const sum *s, sp_expr d, sp_expr *vars_part,
                         sp_expr *rest) {
  sp_pool *p = s->p;
  *vars_part = sp_int(p, 0);
  *rest = sp_int(p, 0);
  if (is_sum_var(s, d)) {
    *vars_part = d;
    return true;
  }
  if (sp_kind_of(p, d) != SP_KIND_LIN) {
    return false;
  }
  *rest = sp_int(p, sp_lin_const(p, d));
  bool some = false;
  for (uint32_t i = 0; i < sp_n_args(p, d); i++) {
    sp_expr a = sp_arg(p, d, i);
    sp_expr t = sp_iscale(p, a, sp_lin_coef(p, d, i));
    if (is_sum_var(s, a)) {
      *vars_part = sp_iadd(p, *vars_part, t);
      some = true;
    } else if (mentions_sum_var(s, a)) {
      return false;
    } else {
      *rest = sp_iadd(p, *rest, t);
    }
  }
  return some;
}

/* Drops what is in terms of the sum's own variables; whether anything is left.
 */
static bool only_outside(const sum *s, sp_expr *witness) {
  bool any = false;
  for (uint32_t i = 0; i < s->n; i++) {
    if (witness[i].v && mentions_sum_var(s, witness[i])) {
      witness[i] = (sp_expr){0};
    }
    any |= witness[i].v != 0;
  }
  return any;
}

/* From "zero unless d == 0": the sum variables of d as digits of the rest. */
static bool witness_of_equation(const sum *s, sp_expr d, sp_expr *witness) {
  sp_pool *p = s->p;
  sp_expr left, rest;
  if (!split_linear(s, d, &left, &rest)) {
    return false;
  }
  sp_equations eqs = {0}, none = {0};
  sp_push(sp_pool_ctx(p), &eqs, ((sp_equation){left, sp_iscale(p, rest, -1)}));
  int64_t first =
      sp_kind_of(p, left) == SP_KIND_LIN ? sp_lin_coef(p, left, 0) : 1;
  if (first < 0) {
    eqs.v[0] = (sp_equation){sp_iscale(p, left, -1), rest};
  }
  sp_equations_solve(p, &eqs, &none, s->n, s->var, witness);
  return only_outside(s, witness);
}

/* From "zero if x - c*p < 0" (and a matching upper bound, which the
 * obligation checks): p = x div c. */
static bool witness_of_bound(const sum *s, sp_expr d, sp_expr *witness) {
  sp_pool *p = s->p;
  if (sp_kind_of(p, d) != SP_KIND_LIN) {
    return false;
  }
  for (uint32_t i = 0; i < sp_n_args(p, d); i++) {
    sp_expr a = sp_arg(p, d, i);
    int64_t c = -sp_lin_coef(p, d, i);
    if (c <= 0 || !is_sum_var(s, a)) {
      continue;
    }
    sp_expr x = sp_iadd(p, d, sp_iscale(p, a, c));
    if (sp_has_free(p, x, a)) {
      continue;
    }
    for (uint32_t k = 0; k < s->n; k++) {
      if (s->var[k].v == a.v) {
        witness[k] = sp_idiv(p, x, c);
      }
    }
    return true;
  }
  return false;
}

static sp_expr zero_of(const sum *s, sp_expr e) {
  return s->op != SP_RED_SUM ? sp_inf(s->p, s->op == SP_RED_MAX)
         : sp_sort_of(s->p, e) == SP_SORT_INT ? sp_int(s->p, 0)
                                              : sp_real_i64(s->p, 0);
}

/* Also by what is known of counts. */
static bool holds(sp_prover *pr, const char *rule, sp_expr goal, sp_hyps hyps) {
  if (sp_prove_holds(pr, rule, goal, hyps)) {
    return true;
  }
  sp_hyps more = spi_count_facts(pr, goal, hyps);
  return more.n > hyps.n && sp_prove_holds(pr, rule, goal, more);
}

/* The obligation, and the reduced sum; 0 when not proved. */
static sp_expr apply(const sum *s, const sp_expr *witness) {
  sp_pool *p = s->p;
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr same = sp_bool(p, true);
  for (uint32_t i = 0; i < s->n; i++) {
    if (witness[i].v) {
      same = sp_and(p, same, sp_eq(p, s->var[i], witness[i]));
    }
  }
  sp_expr zero = zero_of(s, s->body);
  sp_expr goal = sp_or(p, same, sp_eq(p, s->body, zero));
  sp_pool_mode(p, mode);
  if (!holds(s->pr, "one-hot: other terms are zero", goal, s->hyps)) {
    return (sp_expr){0};
  }
  sp_expr in_range = sp_bool(p, true);
  sp_expr from[MAX_VARS], to[MAX_VARS], keep[MAX_VARS];
  uint32_t n = 0, kept = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    if (!witness[i].v) {
      keep[kept++] = s->var[i];
      continue;
    }
    from[n] = s->var[i];
    to[n++] = witness[i];
    sp_expr extent = sp_int(p, sp_var_extent(p, s->var[i]));
    in_range = sp_and(p, in_range, sp_le(p, sp_int(p, 0), witness[i]));
    in_range = sp_and(p, in_range, sp_lt(p, witness[i], extent));
  }
  sp_expr body = sp_subst(p, s->body, n, from, to);
  body = sp_ite(p, in_range, body, zero);
  return kept ? sp_red(p, s->op, kept, keep, body) : body;
}

/* Equations inside a condition, p = something else or c p + x = c q + y: a
 * place may be none where they do not hold. */
static uint32_t equations_in(const sum *s, sp_expr e, sp_expr *out, uint32_t n,
                             spi_seen *seen) {
  sp_pool *p = s->p;
  if (sp_kind_of(p, e) == SP_KIND_RED || !mentions_sum_var(s, e) ||
      spi_seen_before(seen, e)) {
    return n;
  }
  if (sp_kind_of(p, e) == SP_KIND_EQ0 && n < MAX_ATOMS) {
    out[n++] = sp_arg(p, e, 0);
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    n = equations_in(s, sp_arg(p, e, i), out, n, seen);
  }
  return n;
}

/* From c p - c q + ... = 0: p = q. */
static bool witness_of_pair(const sum *s, sp_expr d, sp_expr *witness) {
  sp_pool *p = s->p;
  uint32_t n = sp_kind_of(p, d) == SP_KIND_LIN ? sp_n_args(p, d) : 0;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++) {
      sp_expr q = sp_arg(p, d, j);
      for (uint32_t k = 0; k < s->n; k++) {
        if (s->var[k].v == sp_arg(p, d, i).v && !mentions_sum_var(s, q) &&
            sp_lin_coef(p, d, i) == -sp_lin_coef(p, d, j)) {
          witness[k] = q;
          return true;
        }
      }
    }
  }
  return false;
}

static sp_expr onehot_by_equations(const sum *s, sp_expr condition) {
  sp_pool *p = s->p;
  sp_expr d[MAX_ATOMS];
  sp_mark mark = sp_scratch_mark(sp_pool_ctx(p));
  spi_seen seen = {.ctx = sp_pool_ctx(p)};
  uint32_t n = equations_in(s, condition, d, 0, &seen);
  sp_scratch_release(sp_pool_ctx(p), mark);
  for (uint32_t i = 0; i < n; i++) {
    sp_expr witness[MAX_VARS] = {{0}};
    sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
    bool found = witness_of_equation(s, d[i], witness) ||
                 witness_of_pair(s, d[i], witness);
    sp_pool_mode(p, mode);
    sp_expr e = found ? apply(s, witness) : (sp_expr){0};
    if (e.v) {
      return e;
    }
  }
  return (sp_expr){0};
}

/* The term that is left, or 0 if it is: places of other tokens are others. */
static sp_expr or_nothing(const sum *s, sp_expr e) {
  sp_pool *p = s->p;
  sp_expr zero = zero_of(s, e);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr goal = sp_eq(p, e, zero);
  sp_pool_mode(p, mode);
  return holds(s->pr, "one-hot: no term", goal, s->hyps) ? zero : e;
}

/* Two places in a buffer are one where two counts are equal. */
static sp_expr onehot_by_counts(const sum *s, sp_expr condition) {
  sp_pool *p = s->p;
  if (!mentions_sum_var(s, condition) || !spi_has_count(p, condition)) {
    return (sp_expr){0};
  }
  sp_expr inner = onehot_by_equations(s, condition);
  if (inner.v) {
    return inner;
  }
  sp_equation eq[MAX_ATOMS];
  uint32_t n =
      spi_count_equations(s->pr, condition, s->n, s->var, eq, MAX_ATOMS);
  for (uint32_t i = 0; i < n; i++) {
    sp_expr witness[MAX_VARS] = {{0}};
    sp_equations eqs = {0}, none = {0};
    sp_push(sp_pool_ctx(p), &eqs, eq[i]);
    sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
    sp_equations_solve(p, &eqs, &none, s->n, s->var, witness);
    bool some = only_outside(s, witness);
    sp_pool_mode(p, mode);
    sp_expr e = some ? apply(s, witness) : (sp_expr){0};
    if (e.v) {
      return or_nothing(s, e);
    }
  }
  return (sp_expr){0};
}

/* With a witness from the conditions under which this form of the body is
 * zero. */
static sp_expr onehot_by_guard(const sum *s, sp_expr form) {
  sp_pool *p = s->p;
  sp_expr off[MAX_ATOMS];
  uint32_t n = zero_conditions(s, form, off);
  for (uint32_t i = 0; i < n; i++) {
    sp_expr witness[MAX_VARS] = {{0}};
    bool found = false;
    sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
    if (sp_kind_of(p, off[i]) == SP_KIND_NOT &&
        sp_kind_of(p, sp_arg(p, off[i], 0)) == SP_KIND_EQ0) {
      found =
          witness_of_equation(s, sp_arg(p, sp_arg(p, off[i], 0), 0), witness);
    } else if (sp_kind_of(p, off[i]) == SP_KIND_LT0 && s->op == SP_RED_SUM) {
      found = witness_of_bound(s, sp_arg(p, off[i], 0), witness);
    }
    sp_pool_mode(p, mode);
    sp_expr e = found ? apply(s, witness) : (sp_expr){0};
    e = e.v || s->op != SP_RED_SUM ? e : onehot_by_counts(s, off[i]);
    if (e.v) {
      return e;
    }
  }
  return (sp_expr){0};
}

static uint32_t count_sum_vars(const sum *s, sp_expr e) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    n += sp_has_free(s->p, e, s->var[i]);
  }
  return n;
}

/* d = 0 solved for a variable; 0: it is not of that form. */
static sp_expr solved_for(const sum *s, sp_expr d, sp_expr var) {
  sp_pool *p = s->p;
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr less = sp_isub(p, var, d), more = sp_iadd(p, var, d);
  sp_pool_mode(p, mode);
  if (!sp_has_free(p, less, var)) {
    return less;
  }
  return sp_has_free(p, more, var) ? (sp_expr){0} : more;
}

/* Last, a place in terms of other variables of the sum, few of them: for each
 * expert e, c = place(e). */
static sp_expr onehot_among(const sum *s, sp_expr form) {
  sp_pool *p = s->p;
  sp_expr off[MAX_ATOMS];
  uint32_t n = zero_conditions(s, form, off);
  for (uint32_t k = 0; k < n * s->n * s->n; k++) {
    sp_expr c = off[k % n], var = s->var[k / n % s->n];
    if (sp_kind_of(p, c) != SP_KIND_NOT ||
        sp_kind_of(p, sp_arg(p, c, 0)) != SP_KIND_EQ0 || !spi_has_count(p, c)) {
      continue;
    }
    sp_expr witness[MAX_VARS] = {{0}};
    sp_expr w = solved_for(s, sp_arg(p, sp_arg(p, c, 0), 0), var);
    if (w.v && count_sum_vars(s, w) == k / n / s->n) {
      witness[k / n % s->n] = w;
      sp_expr e = apply(s, witness);
      if (e.v) {
        return e;
      }
    }
  }
  return (sp_expr){0};
}

/* A digit of a sum variable that e mentions: which variable, and the divisor.
 */
static bool find_digit(const sum *s, sp_expr e, uint32_t *var, int64_t *c,
                       spi_seen *seen) {
  sp_pool *p = s->p;
  if (!mentions_sum_var(s, e) || spi_seen_before(seen, e)) {
    return false;
  }
  sp_kind kind = sp_kind_of(p, e);
  if (kind == SP_KIND_DIV || kind == SP_KIND_MOD) {
    *c = sp_divisor(p, e);
    for (*var = 0; *var < s->n; (*var)++) {
      sp_expr v = s->var[*var];
      int64_t extent = sp_var_extent(p, v);
      if (v.v == sp_arg(p, e, 0).v && extent > *c && extent % *c == 0) {
        return true;
      }
    }
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    if (find_digit(s, sp_arg(p, e, i), var, c, seen)) {
      return true;
    }
  }
  return false;
}

/* Where conditions are about digits of a variable, sum over the digits. */
static bool split_digits(sum *s, sp_expr simple) {
  sp_pool *p = s->p;
  sp_expr off[MAX_ATOMS];
  uint32_t n = zero_conditions(s, simple, off), var = 0;
  int64_t c = 0;
  bool found = false;
  sp_mark mark = sp_scratch_mark(sp_pool_ctx(p));
  spi_seen seen = {.ctx = sp_pool_ctx(p)};
  for (uint32_t i = 0; i < n && !found && s->n < MAX_VARS; i++) {
    found = find_digit(s, off[i], &var, &c, &seen);
  }
  sp_scratch_release(sp_pool_ctx(p), mark);
  if (!found) {
    return false;
  }
  sp_expr was = s->var[var], low = sp_fresh(p, c);
  sp_expr high = sp_fresh(p, sp_var_extent(p, was) / c);
  sp_expr value = sp_iadd(p, sp_iscale(p, high, c), low);
  s->body = sp_subst(p, s->body, 1, &was, &value);
  s->var[var] = high;
  s->var[s->n++] = low;
  return true;
}

static sp_expr onehot_sum(sp_prover *pr, sp_expr red, sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  sum s = {.pr = pr,
           .p = p,
           .op = sp_red_op_of(p, red),
           .n = sp_red_n_vars(p, red),
           .hyps = hyps};
  if (s.n > MAX_VARS) {
    return (sp_expr){0};
  }
  s.body = sp_red_open(p, red, s.var);
  for (;;) {
    if (spi_has_count(p, s.body)) { /* what is said of counts has many parts */
      s.body = spi_simpler_indices(pr, s.body);
    }
    sp_expr e = onehot_by_guard(&s, s.body);
    if (e.v) {
      return e;
    }
    sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
    sp_expr simple = sp_simplify(p, s.body);
    sp_pool_mode(p, mode);
    e = simple.v == s.body.v ? e : onehot_by_guard(&s, simple);
    if (s.op != SP_RED_SUM) {
      return e;
    }
    if (e.v || !split_digits(&s, simple)) {
      return e.v ? e : onehot_among(&s, simple);
    }
  }
}

typedef struct rewriting {
  sp_prover *pr;
  sp_hyps hyps;
} rewriting;

static sp_expr rewrite(sp_prover *pr, sp_expr e, sp_hyps hyps);

/* A term that is zero but where guard holds: there a token is on, say, so that
 * it has a place of its own, and sums inside have one term, too. Where a count
 * is in range the term often is zero elsewhere in any case. */
static sp_expr under_guard(const rewriting *r, sp_expr e) {
  sp_pool *p = sp_prover_pool(r->pr);
  sp_expr guard, body, zero = sp_real_i64(p, 0);
  sp_guard_of(p, SP_RED_SUM, e, &guard, &body);
  if (r->hyps.n >= MAX_GUARDS || sp_sort_of(p, e) != SP_SORT_REAL ||
      sp_is_true(p, guard) || !spi_has_count(p, e)) {
    return (sp_expr){0};
  }
  sp_expr was = body;
  body = rewrite(r->pr, body, spi_hyps_with(r->pr, r->hyps, guard));
  if (body.v == was.v) {
    return (sp_expr){0};
  }
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr goal = sp_or(p, guard, sp_eq(p, body, zero));
  sp_pool_mode(p, mode);
  bool idle = spi_has_count(p, guard) &&
              holds(r->pr, "one-hot: zero out of range", goal, r->hyps);
  return idle ? body : sp_ite(p, guard, body, zero);
}

static sp_expr visit(void *env, sp_pool *p, sp_expr e) {
  const rewriting *r = env;
  if (!sp_has_red(p, e) || !sp_has_condition(p, e)) {
    return e;
  }
  if (sp_kind_of(p, e) == SP_KIND_ITE) {
    return under_guard(r, e);
  }
  if (sp_kind_of(p, e) == SP_KIND_FN) {
    sp_expr all = spi_top_of_tops(r->pr, e, r->hyps);
    return all.v ? rewrite(r->pr, all, r->hyps) : all;
  }
  if (sp_kind_of(p, e) == SP_KIND_LIN) {
    sp_expr all = spi_position_of_top(r->pr, e, r->hyps);
    return all.v ? rewrite(r->pr, all, r->hyps) : all;
  }
  if (sp_kind_of(p, e) != SP_KIND_RED) {
    return (sp_expr){0};
  }
  sp_red_op op = sp_red_op_of(p, e);
  bool extremum = (op == SP_RED_MAX || op == SP_RED_MIN) &&
                  sp_sort_of(p, e) == SP_SORT_REAL;
  if (op != SP_RED_SUM && !extremum) {
    return (sp_expr){0};
  }
  sp_expr better = onehot_sum(r->pr, e, r->hyps);
  return better.v ? rewrite(r->pr, better, r->hyps) : better;
}

static sp_expr rewrite(sp_prover *pr, sp_expr e, sp_hyps hyps) {
  rewriting r = {pr, hyps};
  return sp_map(sp_prover_pool(pr), e, visit, &r);
}

sp_expr spi_onehot_rewrite(sp_prover *pr, sp_expr e) {
  return rewrite(pr, e, (sp_hyps){0});
}
