/* eval.c: terms as numbers: exact on integers and booleans, double on reals.
 * Read eval(): values are remembered per node, and hold until one of the node's
 * free variables changes (a reduction steps its variables).
 */
#include "encode/index.h"

#include <math.h>

typedef struct remembered {
  uint64_t run, tick; /* of the computation */
  sp_value v;
} remembered;

typedef struct bound {
  sp_expr var;
  int64_t value;
  uint64_t tick; /* when it got this value */
} bound;

struct spi_evals {
  uint64_t run; /* counts calls of sp_eval */
  remembered *node;
  size_t node_cap;
  SP_VEC(bound) bound; /* innermost last */
};

typedef struct eval {
  sp_pool *p;
  sp_eval_env *env;
  struct spi_evals *memo;
  uint64_t tick;
} eval;

static bool eval_term(eval *x, sp_expr e, sp_value *out);

static sp_value of_int(int64_t i) {
  return (sp_value){.sort = SP_SORT_INT, .i = i};
}

static sp_value of_real(double r) {
  return (sp_value){.sort = SP_SORT_REAL, .r = r};
}

static sp_value of_bool(bool b) {
  return (sp_value){.sort = SP_SORT_BOOL, .b = b};
}

/* ---- real functions by name ---- */

static double inverse(double a) {
  return 1.0 / a;
}

static double inverse_sqrt(double a) {
  return 1.0 / sqrt(a);
}

static double logistic(double a) {
  return 1.0 / (1.0 + exp(-a));
}

static double sign(double a) {
  return a > 0 ? 1.0 : a < 0 ? -1.0 : a == 0 ? 0.0 : a;
}

typedef struct real_fn {
  const char *name;
  double (*one)(double);
  double (*two)(double, double);
} real_fn;

static const real_fn real_fns[] = {
    {"exp", exp, NULL},
    {"log", log, NULL},
    {"inv", inverse, NULL},
    {"sqrt", sqrt, NULL},
    {"rsqrt", inverse_sqrt, NULL},
    {"abs", fabs, NULL},
    {"log1p", log1p, NULL},
    {"expm1", expm1, NULL},
    {"sin", sin, NULL},
    {"cos", cos, NULL},
    {"tan", tan, NULL},
    {"asin", asin, NULL},
    {"acos", acos, NULL},
    {"atan", atan, NULL},
    {"sinh", sinh, NULL},
    {"cosh", cosh, NULL},
    {"tanh", tanh, NULL},
    {"asinh", asinh, NULL},
    {"acosh", acosh, NULL},
    {"atanh", atanh, NULL},
    {"erf", erf, NULL},
    {"erfc", erfc, NULL},
    {"logistic", logistic, NULL},
    {"cbrt", cbrt, NULL},
    {"floor", floor, NULL},
    {"ceil", ceil, NULL},
    {"round", round, NULL},
    {"round_even", nearbyint, NULL},
    {"trunc", trunc, NULL},
    {"sign", sign, NULL},
    {"lgamma", lgamma, NULL},
    {"pow", NULL, pow},
    {"power", NULL, pow},
    {"atan2", NULL, atan2},
    {"rem", NULL, fmod},
    {"remainder", NULL, fmod},
};

bool sp_real_function(const char *name, double (**one)(double),
                      double (**two)(double, double)) {
  for (size_t i = 0; i < sizeof real_fns / sizeof *real_fns; i++) {
    if (strcmp(real_fns[i].name, name) == 0) {
      *one = real_fns[i].one;
      *two = real_fns[i].two;
      return true;
    }
  }
  return false;
}

bool sp_int_function(const char *name, uint32_t n, const int64_t *v,
                     int64_t *out) {
  return spi_ifn_value(name, n, v, out);
}

static bool real_fn_value(const char *name, uint32_t n, const sp_value *a,
                          sp_value *out) {
  for (size_t i = 0; i < sizeof real_fns / sizeof *real_fns; i++) {
    const real_fn *f = &real_fns[i];
    if (strcmp(f->name, name) != 0) {
      continue;
    }
    if (n == 1 && f->one && a[0].sort == SP_SORT_REAL) {
      *out = of_real(f->one(a[0].r));
      return true;
    }
    if (n == 2 && f->two && a[0].sort == SP_SORT_REAL &&
        a[1].sort == SP_SORT_REAL) {
      *out = of_real(f->two(a[0].r, a[1].r));
      return true;
    }
  }
  return false;
}

static bool eval_fn(eval *x, sp_expr e, const spi_node_t *d, const sp_value *a,
                    sp_value *out) {
  const char *name = sp_fn_name(x->p, e);
  if (d->sort == SP_SORT_REAL && real_fn_value(name, d->n, a, out)) {
    return true;
  }
  if (d->sort == SP_SORT_REAL && d->n == 0 && strcmp(name, "nan") == 0) {
    *out = of_real(NAN);
    return true;
  }
  if (d->sort == SP_SORT_INT && d->n > 0) {
    sp_mark mark = sp_scratch_mark(x->p->ctx);
    int64_t *v = sp_scratch(x->p->ctx, d->n * sizeof *v), r;
    bool ok = true;
    for (uint32_t i = 0; i < d->n; i++) {
      v[i] = a[i].i;
      ok = ok && a[i].sort == SP_SORT_INT;
    }
    ok = ok && spi_ifn_value(name, d->n, v, &r);
    sp_scratch_release(x->p->ctx, mark);
    if (ok) {
      *out = of_int(r);
      return true;
    }
  }
  if (!x->env->fn || !x->env->fn(x->env->user, name, d->n, a, out)) {
    return false;
  }
  out->sort = (sp_sort)d->sort; /* a made-up function may not know its sort */
  return true;
}

/* ---- nodes ---- */

static bool eval_read(eval *x, sp_expr e, const spi_node_t *d,
                      const sp_value *a, sp_value *out) {
  sp_sym sym = sp_read_sym(x->p, e);
  const spi_sym *s = spi_sym_of(x->p, sym);
  sp_mark mark = sp_scratch_mark(x->p->ctx);
  int64_t *idx = sp_scratch(x->p->ctx, (d->n + 1) * sizeof *idx), at;
  for (uint32_t i = 0; i < d->n; i++) {
    idx[i] = a[i].i;
  }
  bool ok = true;
  if (!s->is_table) {
    *out = x->env->read(x->env->user, sym, d->n, idx);
  } else if (!spi_table_at(s, idx, &at)) {
    ok = false;
  } else if (s->sort == SP_SORT_REAL) {
    *out = of_real(sp_num_double(x->p, s->nums[at]));
  } else {
    *out = s->sort == SP_SORT_INT ? of_int(s->ints[at])
                                  : of_bool(s->ints[at] != 0);
  }
  sp_scratch_release(x->p->ctx, mark);
  return ok;
}

static bool eval_lin(const spi_node_t *d, const sp_value *a, sp_value *out) {
  int64_t sum = d->payload, term;
  for (uint32_t i = 0; i < d->n; i++) {
    if (!sp_mul_ok(d->coefs.lin[i], a[i].i, &term) ||
        !sp_add_ok(sum, term, &sum)) {
      return false;
    }
  }
  *out = of_int(sum);
  return true;
}

static sp_value eval_add(const sp_pool *p, const spi_node_t *d,
                         const sp_value *a) {
  double sum = sp_num_double(p, (sp_num){(uint32_t)d->payload});
  for (uint32_t i = 0; i < d->n; i++) {
    sum += sp_num_double(p, d->coefs.add[i]) * a[i].r;
  }
  return of_real(sum);
}

static sp_value eval_mul(const spi_node_t *d, const sp_value *a) {
  double product = 1.0;
  for (uint32_t i = 0; i < d->n; i++) {
    product *= a[i].r;
  }
  return of_real(product);
}

/* Of a NaN and a number it is the NaN. */
static sp_value extremum(bool max, sp_value a, sp_value b) {
  bool first = a.sort == SP_SORT_INT ? (max ? a.i >= b.i : a.i <= b.i)
               : max                 ? a.r >= b.r || isnan(a.r)
                                     : a.r <= b.r || isnan(a.r);
  return first ? a : b;
}

static bool near(double a, double b) {
  return fabs(a - b) <= 1e-6 * (fabs(a) + fabs(b) + 1e-3);
}

static bool eval_compare(const eval *x, bool less, double a, double b,
                         sp_value *out) {
  *out = of_bool(less ? a < b : a == b);
  if (!x->env->rough || a == b) {
    return true;
  }
  if (!isfinite(a) || !isfinite(b)) {
    return false;
  }
  *out = of_bool(less ? a < b : near(a, b));
  return !less || !near(a, b);
}

static bool eval_strict(eval *x, sp_expr e, const spi_node_t *d,
                        const sp_value *a, sp_value *out) {
  switch ((sp_kind)d->kind) {
  case SP_KIND_LIN:
    return eval_lin(d, a, out);
  case SP_KIND_DIV:
    *out = of_int(sp_floor_div(a[0].i, d->payload));
    return true;
  case SP_KIND_MOD:
    *out = of_int(sp_floor_mod(a[0].i, d->payload));
    return true;
  case SP_KIND_READ:
    return eval_read(x, e, d, a, out);
  case SP_KIND_MAX:
  case SP_KIND_MIN:
    *out = a[0];
    for (uint32_t i = 1; i < d->n; i++) {
      *out = extremum(d->kind == SP_KIND_MAX, *out, a[i]);
    }
    return true;
  case SP_KIND_FN:
    return eval_fn(x, e, d, a, out);
  case SP_KIND_ADD:
    *out = eval_add(x->p, d, a);
    return true;
  case SP_KIND_MUL:
    *out = eval_mul(d, a);
    return true;
  case SP_KIND_I2R:
    *out = of_real((double)a[0].i);
    return true;
  case SP_KIND_LT0:
    *out = of_bool(a[0].i < 0);
    return true;
  case SP_KIND_EQ0:
    *out = of_bool(a[0].i == 0);
    return true;
  case SP_KIND_RLT:
    return eval_compare(x, true, a[0].r, a[1].r, out);
  case SP_KIND_REQ:
    return eval_compare(x, false, a[0].r, a[1].r, out);
  case SP_KIND_NOT:
    *out = of_bool(!a[0].b);
    return true;
  case SP_KIND_INT:
  case SP_KIND_VAR:
  case SP_KIND_ITE:
  case SP_KIND_RED:
  case SP_KIND_NUM:
  case SP_KIND_INF:
  case SP_KIND_BOOL:
  case SP_KIND_OR:
    break;
  }
  return false; /* handled by eval_term */
}

static bool eval_args(eval *x, sp_expr e, const spi_node_t *d, sp_value *out) {
  sp_mark mark = sp_scratch_mark(x->p->ctx);
  sp_value *a = sp_scratch(x->p->ctx, (d->n + 1) * sizeof *a);
  bool ok = true;
  for (uint32_t i = 0; ok && i < d->n; i++) {
    ok = eval_term(x, d->args[i], &a[i]);
  }
  ok = ok && eval_strict(x, e, d, a, out);
  sp_scratch_release(x->p->ctx, mark);
  return ok;
}

static bool eval_or(eval *x, const spi_node_t *d, sp_value *out) {
  *out = of_bool(false);
  for (uint32_t i = 0; i < d->n && !out->b; i++) {
    if (!eval_term(x, d->args[i], out)) {
      return false;
    }
  }
  return true;
}

/* ---- reductions ---- */

static bool red_start(sp_red_op op, sp_sort sort, sp_value *out) {
  bool is_int = sort == SP_SORT_INT;
  switch (op) {
  case SP_RED_SUM:
    *out = is_int ? of_int(0) : of_real(0);
    return true;
  case SP_RED_PROD:
    *out = is_int ? of_int(1) : of_real(1);
    return true;
  case SP_RED_MAX:
    *out = is_int ? of_int(INT64_MIN) : of_real(-INFINITY);
    return true;
  case SP_RED_MIN:
    *out = is_int ? of_int(INT64_MAX) : of_real(INFINITY);
    return true;
  case SP_RED_OR:
  case SP_RED_AND:
    *out = of_bool(op == SP_RED_AND);
    return true;
  case SP_RED_LAMBDA:
    break;
  }
  return false; /* a function is no number */
}

static bool red_step(sp_red_op op, sp_value *acc, sp_value v) {
  switch (op) {
  case SP_RED_SUM:
    acc->r += v.r;
    return sp_add_ok(acc->i, v.i, &acc->i);
  case SP_RED_PROD:
    acc->r *= v.r;
    return sp_mul_ok(acc->i, v.i, &acc->i);
  case SP_RED_MAX:
  case SP_RED_MIN:
    *acc = extremum(op == SP_RED_MAX, *acc, v);
    return true;
  case SP_RED_OR:
    acc->b = acc->b || v.b;
    return true;
  case SP_RED_AND:
    acc->b = acc->b && v.b;
    return true;
  case SP_RED_LAMBDA:
    break;
  }
  return false;
}

/* The next tuple of bound values; false after the last. */
static bool red_next(eval *x, size_t from) {
  for (size_t i = x->memo->bound.n; i-- > from;) {
    bound *b = &x->memo->bound.v[i];
    b->value++;
    b->tick = ++x->tick;
    if (b->value < sp_var_extent(x->p, b->var)) {
      return true;
    }
    b->value = 0;
  }
  return false;
}

static bool eval_red(eval *x, sp_expr e, const spi_node_t *d, sp_value *out) {
  sp_red_op op = sp_red_op_of(x->p, e);
  size_t from = x->memo->bound.n;
  bool empty = false, ok = red_start(op, (sp_sort)d->sort, out);
  for (uint32_t i = 0; i + 1 < d->n; i++) {
    bound b = {d->args[i], 0, ++x->tick};
    empty = empty || sp_var_extent(x->p, b.var) <= 0;
    sp_push(x->p->ctx, &x->memo->bound, b);
  }
  bool more = ok && !empty;
  if (empty && d->sort == SP_SORT_INT &&
      (op == SP_RED_MAX || op == SP_RED_MIN)) {
    ok = false; /* infinite */
  }
  while (more) {
    sp_value v;
    ok = eval_term(x, d->args[d->n - 1], &v) && red_step(op, out, v);
    more = ok && red_next(x, from);
  }
  x->memo->bound.n = from;
  x->tick++;
  return ok;
}

/* ---- variables and memory ---- */

static const bound *find_bound(const eval *x, sp_expr var) {
  for (size_t i = x->memo->bound.n; i-- > 0;) {
    if (spi_same(x->memo->bound.v[i].var, var)) {
      return &x->memo->bound.v[i];
    }
  }
  return NULL;
}

static remembered *memory(eval *x, sp_expr e) {
  struct spi_evals *m = x->memo;
  if (e.v >= m->node_cap) {
    size_t cap = m->node_cap ? m->node_cap : 1024;
    while (cap <= x->p->n) {
      cap *= 2;
    }
    remembered *v = sp_alloc_n(x->p->ctx, cap, sizeof *v);
    if (m->node_cap) {
      memcpy(v, m->node, m->node_cap * sizeof *v);
    }
    m->node = v;
    m->node_cap = cap;
  }
  return &m->node[e.v];
}

/* Has no free variable changed since? */
static bool current(const eval *x, const spi_node_t *d, const remembered *r) {
  if (r->run != x->memo->run) {
    return false;
  }
  for (size_t i = 0; i < x->memo->bound.n; i++) {
    if (x->memo->bound.v[i].tick > r->tick &&
        spi_set_has(d->free, x->memo->bound.v[i].var)) {
      return false;
    }
  }
  return true;
}

static bool eval_inner(eval *x, sp_expr e, const spi_node_t *d, sp_value *out) {
  if (d->kind == SP_KIND_RED) {
    return eval_red(x, e, d, out);
  }
  if (d->kind == SP_KIND_OR) {
    return eval_or(x, d, out);
  }
  if (d->kind == SP_KIND_ITE) { /* only the branch that is taken */
    return eval_term(x, d->args[0], out) &&
           eval_term(x, d->args[out->b ? 1 : 2], out);
  }
  return eval_args(x, e, d, out);
}

static bool eval_term(eval *x, sp_expr e, sp_value *out) {
  const spi_node_t *d = spi_get(x->p, e);
  if (x->env->budget == 0) {
    return false;
  }
  x->env->budget--;
  switch ((int)d->kind) {
  case SP_KIND_INT:
    *out = of_int(d->payload);
    return true;
  case SP_KIND_BOOL:
    *out = of_bool(d->payload != 0);
    return true;
  case SP_KIND_NUM:
    *out = of_real(sp_num_double(x->p, sp_num_value(x->p, e)));
    return true;
  case SP_KIND_INF:
    *out = of_real(d->payload ? -INFINITY : INFINITY);
    return true;
  case SP_KIND_VAR: {
    const bound *b = find_bound(x, e);
    *out = of_int(b ? b->value : x->env->var(x->env->user, e));
    return true;
  }
  default:
    break;
  }
  const remembered *r = memory(x, e);
  if (current(x, d, r)) {
    *out = r->v;
    return true;
  }
  if (!eval_inner(x, e, d, out)) {
    return false;
  }
  /* the newest change that the value can depend on is over by now */
  *memory(x, e) = (remembered){x->memo->run, x->tick, *out};
  return true;
}

bool sp_eval(sp_pool *p, sp_expr e, sp_eval_env *env, sp_value *out) {
  if (!p->evals) {
    p->evals = sp_alloc(p->ctx, sizeof *p->evals);
  }
  p->evals->run++;
  p->evals->bound.n = 0;
  eval x = {.p = p, .env = env, .memo = p->evals, .tick = 1};
  return eval_term(&x, e, out);
}
