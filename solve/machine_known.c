/* machine_known.c: is a term finite, and which sign has it? By structure alone:
 * no logarithm, inverse or root but of what is surely positive.
 *
 * Masks are minus infinity: of such a term it is known BELOW, and where it is a
 * number. A maximum of it is a number where one of its elements is one, and a
 * sum of its exponentials is positive then: that one is looked for among the
 * first, the last, and those that the other indices name (a row of a causal
 * mask has its own column). Read known, then with_witness.
 */
#include "solve/machine_zero.h"

#include <string.h>

enum { MAX_DEPTH = 60, MAX_TRIALS = 64 };

static const char *const finite_everywhere[] = {
    "abs",  "sign", "floor", "ceil",     "sin", "cos",
    "tanh", "atan", "erf",   "logistic", "exp", "round",
};

static bool is_named(const char *name, const char *const *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (strcmp(name, list[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* ---- conditions ---- */

static sp_expr both(sp_pool *p, sp_expr a, sp_expr b) {
  sp_mode was = sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr e = a.v && b.v ? sp_and(p, a, b) : (sp_expr){0};
  sp_pool_mode(p, was);
  return e;
}

static sp_expr either(sp_pool *p, sp_expr a, sp_expr b) {
  sp_mode was = sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr e = !a.v ? b : !b.v ? a : sp_or(p, a, b);
  sp_pool_mode(p, was);
  return e;
}

static sp_expr where_finite(sp_pool *p, const spi_known *k) {
  return k->finite ? sp_bool(p, true) : k->finite_if;
}

static sp_expr where_positive(sp_pool *p, const spi_known *k) {
  return k->positive ? sp_bool(p, true) : k->positive_if;
}

/* What always holds is said by the flags. */
static spi_known settled(sp_pool *p, spi_known k) {
  k.below |= k.finite;
  k.finite |= k.below && k.finite_if.v && sp_is_true(p, k.finite_if);
  k.positive |= k.below && k.positive_if.v && sp_is_true(p, k.positive_if);
  k.nonnegative |= k.positive;
  if (k.finite || !k.below) {
    k.finite_if = (sp_expr){0};
  }
  if (k.positive || !k.below) {
    k.positive_if = (sp_expr){0};
  }
  return k;
}

/* ---- kinds of terms ---- */

static spi_known known(const spi_zeros *z, sp_expr e, uint32_t depth);

/* The tensor's conditions at these indices. */
static spi_known known_read(const spi_zeros *z, sp_expr e) {
  sp_pool *p = z->pool;
  const spi_known *of = z->known(z->env, sp_read_sym(p, e));
  spi_known k = of ? *of : (spi_known){0};
  k.support = NULL;
  k.idx = NULL;
  if (!k.finite_if.v && !k.positive_if.v) {
    return k;
  }
  sp_expr vars[SP_MAX_DIMS + 1], values[SP_MAX_DIMS + 1];
  uint32_t n = 0;
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    vars[n] = i ? of->idx[i - 1] : z->rank;
    values[n] = sp_arg(p, e, i);
    n += sp_kind_of(p, vars[n]) == SP_KIND_VAR;
  }
  sp_mode was = sp_pool_mode(p, SP_MODE_NORMAL);
  if (k.finite_if.v) {
    k.finite_if = sp_subst(p, k.finite_if, n, vars, values);
  }
  if (k.positive_if.v) {
    k.positive_if = sp_subst(p, k.positive_if, n, vars, values);
  }
  sp_pool_mode(p, was);
  return settled(p, k);
}

static spi_known known_function(const spi_zeros *z, sp_expr e, uint32_t depth) {
  spi_known k = {0};
  const char *name = sp_fn_name(z->pool, e);
  if (sp_n_args(z->pool, e) != 1 ||
      sp_sort_of(z->pool, sp_arg(z->pool, e, 0)) != SP_SORT_REAL) {
    return k;
  }
  spi_known a = known(z, sp_arg(z->pool, e, 0), depth + 1);
  bool root = strcmp(name, "sqrt") == 0;
  if (strcmp(name, "inv") == 0 || strcmp(name, "rsqrt") == 0) {
    k.finite = k.positive = k.nonnegative = a.finite && a.positive;
  } else if (strcmp(name, "log") == 0) {
    k.finite = a.finite && a.positive;
  } else if (root) {
    k.finite = k.nonnegative = a.finite && a.nonnegative;
    k.positive = k.finite && a.positive;
  } else if (strcmp(name, "exp") == 0) { /* of minus infinity: 0 */
    k.finite = a.below;
    k.nonnegative = true;
    k.positive = a.finite;
    k.positive_if = a.finite_if;
  } else if (is_named(name, finite_everywhere,
                      sizeof finite_everywhere / sizeof *finite_everywhere)) {
    k.finite = a.finite;
    k.positive = strcmp(name, "logistic") == 0;
    k.nonnegative = k.positive || strcmp(name, "abs") == 0;
  }
  return settled(z->pool, k);
}

static spi_known known_sum(const spi_zeros *z, sp_expr e, uint32_t depth) {
  sp_pool *p = z->pool;
  int constant = sp_num_sign(p, sp_add_const(p, e));
  spi_known k = {.finite = true,
                 .below = true,
                 .nonnegative = constant >= 0,
                 .positive = constant > 0,
                 .finite_if = sp_bool(p, true)};
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    spi_known a = known(z, sp_arg(p, e, i), depth + 1);
    bool plus = sp_num_sign(p, sp_add_coef(p, e, i)) > 0;
    k.finite &= a.finite;
    k.below &= a.finite || (plus && a.below);
    k.finite_if = both(p, k.finite_if, where_finite(p, &a));
    k.nonnegative &= plus && a.nonnegative;
    k.positive |= a.positive;
    k.positive_if = either(p, k.positive_if, a.positive_if);
  }
  k.positive &= k.nonnegative;
  k.positive_if = k.nonnegative ? k.positive_if : (sp_expr){0};
  return settled(p, k);
}

/* Equal factors are next to each other. */
static spi_known known_product(const spi_zeros *z, sp_expr e, uint32_t depth) {
  sp_pool *p = z->pool;
  spi_known k = {.finite = true,
                 .nonnegative = true,
                 .positive = true,
                 .positive_if = sp_bool(p, true)};
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    spi_known a = known(z, sp_arg(p, e, i), depth + 1);
    bool square =
        i + 1 < sp_n_args(p, e) && sp_arg(p, e, i).v == sp_arg(p, e, i + 1).v;
    k.finite &= a.finite;
    k.nonnegative &= square || a.nonnegative;
    k.positive &= a.positive;
    k.positive_if = both(p, k.positive_if, where_positive(p, &a));
    i += square;
  }
  return settled(p, k);
}

static spi_known known_extremum(const spi_zeros *z, sp_expr e, uint32_t depth) {
  sp_pool *p = z->pool;
  bool max = sp_kind_of(p, e) == SP_KIND_MAX, any = false, least = false;
  spi_known k = {true, true, true, true, {0}, {0}, NULL, NULL};
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    spi_known a = known(z, sp_arg(p, e, i), depth + 1);
    k.finite &= a.finite;
    k.below &= a.below;
    k.finite_if = either(p, k.finite_if, where_finite(p, &a));
    k.positive_if = either(p, k.positive_if, where_positive(p, &a));
    k.nonnegative &= a.nonnegative;
    k.positive &= a.positive;
    any |= a.positive;
    least |= a.nonnegative;
  }
  k.nonnegative |= max && least;
  k.positive |= max && any;
  if (!max) {
    k.finite_if = k.positive_if = (sp_expr){0};
  }
  return settled(p, k);
}

static sp_expr see_comparison(void *env, sp_pool *p, sp_expr e) {
  bool *found = env;
  sp_kind kind = sp_kind_of(p, e);
  *found = *found || kind == SP_KIND_RLT || kind == SP_KIND_REQ;
  return *found ? e : (sp_expr){0};
}

/* What is true of numbers need not be true of what is computed. */
static bool compares_reals(sp_pool *p, sp_expr e) {
  bool found = false;
  sp_map(p, e, see_comparison, &found);
  return found;
}

static spi_known known_choice(const spi_zeros *z, sp_expr e, uint32_t depth) {
  sp_pool *p = z->pool;
  spi_known a = known(z, sp_arg(p, e, 1), depth + 1);
  spi_known b = known(z, sp_arg(p, e, 2), depth + 1);
  spi_known k = {.finite = a.finite && b.finite,
                 .nonnegative = a.nonnegative && b.nonnegative,
                 .positive = a.positive && b.positive,
                 .below = a.below && b.below};
  if (k.below && !k.positive && !compares_reals(p, sp_arg(p, e, 0))) {
    sp_mode was = sp_pool_mode(p, SP_MODE_NORMAL);
    sp_expr yes = sp_simplify(p, sp_arg(p, e, 0)), no = sp_not(p, yes);
    sp_pool_mode(p, was);
    k.finite_if = either(p, both(p, yes, where_finite(p, &a)),
                         both(p, no, where_finite(p, &b)));
    k.positive_if = either(p, both(p, yes, where_positive(p, &a)),
                           both(p, no, where_positive(p, &b)));
  }
  return settled(p, k);
}

/* ---- reductions ---- */

/* Value number k that a bound variable is tried at; 0: there are no more. */
static sp_expr trial(sp_pool *p, sp_expr var, sp_expr condition, uint32_t k) {
  const sp_expr *free_vars;
  int64_t extent = sp_var_extent(p, var);
  if (k < 2) {
    return sp_int(p, k ? extent - 1 : 0);
  }
  uint32_t n = sp_free_vars(p, condition, &free_vars), at = 2;
  for (uint32_t i = 0; i < n; i++) {
    bool fits = free_vars[i].v != var.v &&
                sp_var_class_of(p, free_vars[i]) == SP_VAR_INDEX &&
                sp_var_extent(p, free_vars[i]) <= extent;
    if (fits && at++ == k) {
      return free_vars[i];
    }
  }
  return (sp_expr){0};
}

/* The condition for some values of the bound variables: a true one, if one is
 * found, else the first. One variable after the other, so that those that name
 * each other are tried, too. */
static sp_expr with_witness(sp_pool *p, sp_expr condition, uint32_t n,
                            const sp_expr *vars) {
  sp_mode was = sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr first = {0};
  bool done = !condition.v;
  for (uint32_t t = 0; t < MAX_TRIALS && !done; t++) {
    uint32_t code = t, k;
    sp_expr e = condition;
    bool there = true;
    for (uint32_t i = 0; i < n && there; i++, code /= 4) {
      k = i + 1 == n ? code : code % 4;
      sp_expr value = trial(p, vars[i], e, k);
      there = value.v;
      e = there ? sp_subst(p, e, 1, &vars[i], &value) : e;
    }
    done = there && sp_is_true(p, sp_simplify(p, e));
    first = done ? sp_bool(p, true) : first.v || !there ? first : e;
  }
  sp_pool_mode(p, was);
  return first;
}

static spi_known known_reduction(const spi_zeros *z, sp_expr e,
                                 uint32_t depth) {
  sp_pool *p = z->pool;
  sp_red_op op = sp_red_op_of(p, e);
  uint32_t n = sp_red_n_vars(p, e);
  sp_expr vars[SP_MAX_DIMS];
  if (n > SP_MAX_DIMS) {
    return (spi_known){0};
  }
  spi_known k = known(z, sp_red_open(p, e, vars), depth + 1); /* never empty */
  bool max = op == SP_RED_MAX, sum = op == SP_RED_SUM;
  k.finite_if = max ? with_witness(p, k.finite_if, n, vars) : (sp_expr){0};
  k.positive_if = max || (sum && k.nonnegative)
                      ? with_witness(p, k.positive_if, n, vars)
                      : (sp_expr){0};
  k.below &= k.finite || max || sum;
  return settled(p, k);
}

static spi_known known(const spi_zeros *z, sp_expr e, uint32_t depth) {
  sp_pool *p = z->pool;
  sp_num v;
  if (depth > MAX_DEPTH) {
    return (spi_known){0};
  }
  switch (sp_kind_of(p, e)) {
  case SP_KIND_NUM:
    v = sp_num_value(p, e);
    return (spi_known){.finite = true,
                       .below = true,
                       .nonnegative = sp_num_sign(p, v) >= 0,
                       .positive = sp_num_sign(p, v) > 0};
  case SP_KIND_INF:
    return (spi_known){.below = sp_inf_negative(p, e)};
  case SP_KIND_READ:
    return known_read(z, e);
  case SP_KIND_ADD:
    return known_sum(z, e, depth);
  case SP_KIND_MUL:
    return known_product(z, e, depth);
  case SP_KIND_MAX:
  case SP_KIND_MIN:
    return known_extremum(z, e, depth);
  case SP_KIND_ITE:
    return known_choice(z, e, depth);
  case SP_KIND_FN:
    return known_function(z, e, depth);
  case SP_KIND_I2R:
    return (spi_known){.finite = true, .below = true};
  case SP_KIND_RED:
    return known_reduction(z, e, depth);
  case SP_KIND_INT:
  case SP_KIND_VAR:
  case SP_KIND_LIN:
  case SP_KIND_DIV:
  case SP_KIND_MOD:
  case SP_KIND_BOOL:
  case SP_KIND_LT0:
  case SP_KIND_EQ0:
  case SP_KIND_RLT:
  case SP_KIND_REQ:
  case SP_KIND_NOT:
  case SP_KIND_OR:
    break;
  }
  return (spi_known){0};
}

spi_known spi_term_known(const spi_zeros *z, sp_expr e) {
  return known(z, e, 0);
}
