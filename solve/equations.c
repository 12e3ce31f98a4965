/* equations.c: read sp_equations_solve, then solve_one (one equation as
 * digits), then digits_combine. */
#include "solve/equations.h"

#include "base/arith.h"

/* x div c = q or x mod c = q, for an inner term x with unknowns. */
typedef struct digit {
  sp_expr inner;
  int64_t c;
  sp_expr div, mod;
  bool used;
} digit;

typedef struct solver {
  sp_pool *p;
  sp_ctx *ctx;
  uint32_t n;
  const sp_expr *unknown;
  sp_expr *value;
  SP_VEC(digit) digits;
  sp_equations pending;
  bool progress;
  bool guess;  /* a + b = c with ranges that overlap: take a = c, b = 0 */
  bool rounds; /* 3 a = b: a is b div 3, though that b is a multiple of 3
                * cannot be seen */
} solver;

enum { MAX_TERMS = 64, MAX_ROUNDS = 12 };

static bool has_unknown(solver *s, sp_expr e) {
  const sp_expr *vars;
  uint32_t n = sp_free_vars(s->p, e, &vars);
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; k < s->n; k++) {
      if (vars[i].v == s->unknown[k].v) {
        return true;
      }
    }
  }
  return false;
}

static void set_var(solver *s, sp_expr var, sp_expr q) {
  for (uint32_t k = 0; k < s->n; k++) {
    if (s->unknown[k].v == var.v && !s->value[k].v) {
      if (sp_has_free(s->p, q, var)) {
        return;
      }
      s->value[k] = q;
      s->progress = true;
    }
  }
}

static digit *digit_at(solver *s, sp_expr inner, int64_t c) {
  for (size_t i = 0; i < s->digits.n; i++) {
    if (s->digits.v[i].inner.v == inner.v && s->digits.v[i].c == c) {
      return &s->digits.v[i];
    }
  }
  sp_push(s->ctx, &s->digits, ((digit){inner, c, {0}, {0}, false}));
  return &s->digits.v[s->digits.n - 1];
}

static void set_atom(solver *s, sp_expr atom, sp_expr q) {
  sp_pool *p = s->p;
  sp_kind kind = sp_kind_of(p, atom);
  if (kind == SP_KIND_VAR) {
    set_var(s, atom, q);
  } else if (kind == SP_KIND_DIV || kind == SP_KIND_MOD) {
    digit *d = digit_at(s, sp_arg(p, atom, 0), sp_divisor(p, atom));
    sp_expr *slot = kind == SP_KIND_DIV ? &d->div : &d->mod;
    if (!slot->v) {
      *slot = q;
      s->progress = true;
    }
  } else if (kind == SP_KIND_MAX || kind == SP_KIND_MIN) {
    /* A clamp: guess that it does nothing. */
    for (uint32_t i = 0; i < sp_n_args(p, atom); i++) {
      if (has_unknown(s, sp_arg(p, atom, i))) {
        sp_push(s->ctx, &s->pending, ((sp_equation){sp_arg(p, atom, i), q}));
        s->progress = true;
        return;
      }
    }
  }
}

/* Split rest = coef * q + remainder where the remainder is a number in
 * [0, coef) if that can be seen, else by divisibility of coefficients. */
static void split(sp_pool *p, sp_expr rest, int64_t coef, sp_expr *q,
                  sp_expr *rem) {
  *q = sp_idiv(p, rest, coef);
  *rem = sp_isub(p, rest, sp_iscale(p, *q, coef));
}

/* Not digits of one number: what the atoms from i + 1 on can add up to is as
 * large as the coefficient of atom i. Largest coefficients come first. */
static bool overlap(sp_pool *p, uint32_t n, const sp_expr *atom,
                    const int64_t *coef) {
  int64_t below = 0;
  for (uint32_t i = n; i-- > 0;) {
    int64_t c = coef[i] < 0 ? -coef[i] : coef[i], lo, hi, most;
    if (c <= below || !sp_range(p, atom[i], &lo, &hi) ||
        !sp_mul_ok(c, hi - lo, &most) || !sp_add_ok(below, most, &below)) {
      return true;
    }
  }
  return false;
}

/* One equation sum coef_i * atom_i = rhs; false: nothing learnt. */
static bool solve_one(solver *s, sp_expr lhs, sp_expr rhs) {
  sp_pool *p = s->p;
  sp_expr atom[MAX_TERMS];
  int64_t coef[MAX_TERMS];
  uint32_t n = 0;
  sp_expr rest = rhs;
  if (sp_kind_of(p, lhs) == SP_KIND_LIN) {
    rest = sp_iaddc(p, rest, -sp_lin_const(p, lhs));
    for (uint32_t i = 0; i < sp_n_args(p, lhs); i++) {
      sp_expr a = sp_arg(p, lhs, i);
      int64_t k = sp_lin_coef(p, lhs, i);
      if (!has_unknown(s, a)) {
        rest = sp_isub(p, rest, sp_iscale(p, a, k));
      } else if (n < MAX_TERMS) {
        atom[n] = a;
        coef[n++] = k;
      } else {
        return false;
      }
    }
  } else {
    atom[0] = lhs;
    coef[0] = 1;
    n = 1;
  }
  /* Largest coefficient first. */
  for (uint32_t i = 1; i < n; i++) {
    for (uint32_t k = i; k > 0; k--) {
      int64_t a = coef[k] < 0 ? -coef[k] : coef[k];
      int64_t b = coef[k - 1] < 0 ? -coef[k - 1] : coef[k - 1];
      if (a <= b) {
        break;
      }
      sp_expr ta = atom[k];
      atom[k] = atom[k - 1];
      atom[k - 1] = ta;
      int64_t tc = coef[k];
      coef[k] = coef[k - 1];
      coef[k - 1] = tc;
    }
  }
  if (n > 1 && !s->guess && overlap(p, n, atom, coef)) {
    return false;
  }
  /* A negative coefficient reverses its digit: c*a = -c*(m - a) + c*m. */
  sp_expr q[MAX_TERMS];
  bool flipped[MAX_TERMS];
  for (uint32_t i = 0; i < n; i++) {
    flipped[i] = coef[i] < 0;
    if (flipped[i] && n > 1) {
      int64_t lo, hi;
      if (!sp_range(p, atom[i], &lo, &hi)) {
        return false;
      }
      rest = sp_iaddc(p, rest, -coef[i] * hi);
    }
    if (flipped[i]) {
      coef[i] = -coef[i];
      if (n == 1) {
        rest = sp_iscale(p, rest, -1);
      }
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    if (i + 1 == n) {
      sp_expr rem;
      split(p, rest, coef[i], &q[i], &rem);
      if (!sp_is_int(p, rem, 0) && !s->rounds) {
        return false;
      }
    } else {
      sp_expr rem;
      split(p, rest, coef[i], &q[i], &rem);
      rest = rem;
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    if (flipped[i] && n > 1) {
      int64_t lo, hi;
      sp_range(p, atom[i], &lo, &hi);
      q[i] = sp_isub(p, sp_int(p, hi), q[i]);
    }
    set_atom(s, atom[i], q[i]);
  }
  return true;
}

static bool digit_find(solver *s, sp_expr inner, int64_t c, digit **out) {
  for (size_t i = 0; i < s->digits.n; i++) {
    if (s->digits.v[i].inner.v == inner.v && s->digits.v[i].c == c) {
      *out = &s->digits.v[i];
      return true;
    }
  }
  return false;
}

/* atom mod c, from a digit of atom, or of +-atom + a number. */
static bool atom_residue(solver *s, sp_expr atom, int64_t c, sp_expr *out) {
  sp_pool *p = s->p;
  for (size_t i = 0; i < s->digits.n; i++) {
    const digit *d = &s->digits.v[i];
    int64_t by = 1, plus = 0;
    sp_expr x = d->inner;
    if (sp_kind_of(p, x) == SP_KIND_LIN && sp_n_args(p, x) == 1) {
      by = sp_lin_coef(p, x, 0);
      plus = sp_lin_const(p, x);
      x = sp_arg(p, x, 0);
    }
    if (x.v == atom.v && d->mod.v && d->c % c == 0 && (by == 1 || by == -1)) {
      *out = sp_iscale(p, sp_iaddc(p, d->mod, -plus), by);
      return true;
    }
  }
  return false;
}

/* inner mod c where the remainders of its atoms say it: of 3 x by 2 where
 * x mod 2 is known. */
static bool residue(solver *s, sp_expr inner, int64_t c, sp_expr *out) {
  sp_pool *p = s->p;
  if (sp_kind_of(p, inner) != SP_KIND_LIN) {
    return false;
  }
  sp_expr sum = sp_int(p, sp_lin_const(p, inner));
  for (uint32_t i = 0; i < sp_n_args(p, inner); i++) {
    sp_expr atom = sp_arg(p, inner, i);
    if (has_unknown(s, atom) && !atom_residue(s, atom, c, &atom)) {
      return false;
    }
    sum = sp_iadd(p, sum, sp_iscale(p, atom, sp_lin_coef(p, inner, i)));
  }
  *out = sp_imod(p, sum, c);
  return true;
}

static void digits_combine(solver *s) {
  sp_pool *p = s->p;
  bool again = true;
  for (int round = 0; again && round < MAX_ROUNDS; round++) {
    again = false;
    for (size_t i = 0; i < s->digits.n; i++) {
      digit d = s->digits.v[i];
      if (d.div.v && !d.mod.v && residue(s, d.inner, d.c, &d.mod)) {
        s->digits.v[i].mod = d.mod;
        s->progress = again = true;
      }
      if (d.div.v && d.mod.v && !d.used) {
        s->digits.v[i].used = true;
        sp_expr x = sp_iadd(p, sp_iscale(p, d.div, d.c), d.mod);
        sp_push(s->ctx, &s->pending, ((sp_equation){d.inner, x}));
        s->progress = again = true;
      }
      for (size_t k = 0; k < s->digits.n; k++) {
        digit e = s->digits.v[k];
        if (e.inner.v != d.inner.v || d.c == e.c || d.c % e.c != 0) {
          continue;
        }
        /* d.c = m * e.c: x div e.c = m * (x div d.c) + (x div e.c) mod m */
        int64_t m = d.c / e.c;
        digit *mid;
        sp_expr quotient = sp_idiv(p, d.inner, e.c);
        if (!digit_find(s, quotient, m, &mid) || !mid->mod.v) {
          continue;
        }
        if (d.div.v && !e.div.v) {
          s->digits.v[k].div = sp_iadd(p, sp_iscale(p, d.div, m), mid->mod);
          s->progress = again = true;
        }
        if (e.mod.v && !d.mod.v) {
          s->digits.v[i].mod = sp_iadd(p, sp_iscale(p, mid->mod, e.c), e.mod);
          s->progress = again = true;
        }
      }
    }
  }
}

/* Of the unknowns in an equation: there may be hundreds of others. */
static uint32_t known(const solver *s, const sp_equation *e, sp_expr *vars,
                      sp_expr *values) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < s->n; k++) {
    if (s->value[k].v && (sp_has_free(s->p, e->lhs, s->unknown[k]) ||
                          sp_has_free(s->p, e->rhs, s->unknown[k]))) {
      vars[n] = s->unknown[k];
      values[n++] = s->value[k];
    }
  }
  return n;
}

static void solve_list(solver *s, const sp_equations *list) {
  sp_mark mark = sp_scratch_mark(s->ctx);
  sp_expr *vars = sp_scratch(s->ctx, s->n * sizeof *vars);
  sp_expr *values = sp_scratch(s->ctx, s->n * sizeof *values);
  for (size_t i = 0; i < list->n; i++) {
    /* Raw terms come here, too; digits are read off simplified ones. */
    sp_push(s->ctx, &s->pending,
            ((sp_equation){sp_simplify(s->p, list->v[i].lhs),
                           sp_simplify(s->p, list->v[i].rhs)}));
  }
  s->progress = true;
  for (int round = 0; s->progress && round < MAX_ROUNDS; round++) {
    s->progress = false;
    sp_equations now = s->pending;
    s->pending = (sp_equations){0};
    for (size_t i = 0; i < now.n; i++) {
      uint32_t n = known(s, &now.v[i], vars, values);
      sp_expr l = sp_subst(s->p, now.v[i].lhs, n, vars, values);
      sp_expr r = sp_subst(s->p, now.v[i].rhs, n, vars, values);
      if (!has_unknown(s, l)) {
        continue; /* checked by the proof, if it matters */
      }
      if (!solve_one(s, l, r)) {
        sp_push(s->ctx, &s->pending, ((sp_equation){l, r}));
      }
    }
    digits_combine(s);
  }
  s->pending = (sp_equations){0};
  sp_scratch_release(s->ctx, mark);
}

/* A variable of which only some digits are known: the others are free, so
 * take zero. */
static void complete(solver *s) {
  sp_pool *p = s->p;
  for (uint32_t k = 0; k < s->n; k++) {
    for (size_t i = 0; i < s->digits.n && !s->value[k].v; i++) {
      const digit *d = &s->digits.v[i];
      if (d->inner.v != s->unknown[k].v) {
        continue;
      }
      if (d->mod.v && !d->div.v) {
        set_var(s, s->unknown[k], d->mod);
      } else if (d->div.v && !d->mod.v) {
        set_var(s, s->unknown[k], sp_iscale(p, d->div, d->c));
      }
    }
  }
}

static bool all_found(const solver *s) {
  uint32_t found = 0;
  for (uint32_t k = 0; k < s->n; k++) {
    found += s->value[k].v != 0;
  }
  return found == s->n;
}

void sp_equations_solve(sp_pool *p, const sp_equations *strong,
                        const sp_equations *weak, uint32_t n,
                        const sp_expr *unknown, sp_expr *value) {
  solver s = {.p = p,
              .ctx = sp_pool_ctx(p),
              .n = n,
              .unknown = unknown,
              .value = value};
  for (uint32_t k = 0; k < n; k++) {
    value[k] = (sp_expr){0};
  }
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  for (int guess = 0; guess < 2 && !all_found(&s); guess++) {
    s.guess = guess;
    solve_list(&s, strong);
    if (!all_found(&s)) {
      solve_list(&s, weak);
    }
  }
  if (!all_found(&s)) {
    s.rounds = true;
    for (size_t i = 0; i < s.digits.n; i++) {
      s.digits.v[i].used = false;
    }
    solve_list(&s, strong);
    solve_list(&s, weak);
  }
  complete(&s);
  sp_pool_mode(p, mode);
}
