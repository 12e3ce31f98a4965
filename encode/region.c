/* region.c: the scalar computations of reduce, scatter, sort, ...
 *
 * sp_region_apply evaluates one node by node. sp_reducer_of tells what a
 * reducer means by looking at the resulting term, never at names: sums and
 * products by equality of terms; maximum, minimum, assignment and argmax are
 * functions that only compare and select their parameters, so the orderings of
 * the parameters are finitely many cases and evaluating each decides (see
 * is_selection). */
#include "base/vec.h"
#include "encode/op_util.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

typedef struct region_env {
  const sp_expr *terms; /* by tensor */
} region_env;

static sp_expr region_read(void *env, const sp_call *call, uint32_t operand,
                           sp_expr rank, const sp_expr *idx) {
  (void)idx;
  if (rank.v != call->rank.v) {
    spi_unknown(sp_pool_ctx(call->pool), call->node,
                "reads another rank inside a computation");
  }
  return ((region_env *)env)->terms[call->node->in[operand]];
}

void sp_region_apply(sp_pool *p, const sp_program *region,
                     const sp_expr *params, sp_expr *results) {
  sp_ctx *ctx = sp_pool_ctx(p);
  sp_mark mark = sp_scratch_mark(ctx);
  sp_expr *terms = sp_scratch(ctx, sizeof *terms * region->n_tensors);
  memset(terms, 0, sizeof *terms * region->n_tensors);
  for (uint32_t i = 0; i < region->n_params; i++) {
    terms[region->params[i]] = params[i];
  }
  region_env env = {terms};
  for (uint32_t i = 0; i < region->n_nodes; i++) {
    const sp_node *node = &region->nodes[i];
    if (strcmp(node->op, "hlo:parameter") == 0) {
      continue;
    }
    for (uint32_t k = 0; k < node->n_out; k++) {
      sp_expr no_index[1] = {{0}};
      /* partitions 0: there is no rank here (spi_rank) */
      sp_call call = {.pool = p,
                      .program = region,
                      .node = node,
                      .result = k,
                      .read = region_read,
                      .env = &env};
      terms[node->out + k] = sp_op_element(&call, no_index);
    }
  }
  for (uint32_t i = 0; i < region->n_results; i++) {
    results[i] = terms[region->results[i]];
  }
  sp_scratch_release(ctx, mark);
}

/* ---- symbolic parameters ---- */

enum { MAX_ACCUMULATORS = 16 };

/* A function without arguments is a constant that nothing is known of; the
 * same for every region, so that equal regions give equal terms. */
static sp_expr placeholder(sp_pool *p, uint32_t k, sp_dtype t) {
  const char *name =
      sp_format(sp_pool_ctx(p), "parameter.%u.%s", k, sp_dtype_name(t));
  return sp_fn(p, sp_dtype_sort(t), name, 0, NULL);
}

static sp_dtype param_dtype(const sp_program *region, uint32_t k) {
  return region->tensors[region->params[k]].shape.dtype;
}

static void apply_placeholders(sp_pool *p, const sp_program *region,
                               sp_expr *params, sp_expr *results) {
  for (uint32_t i = 0; i < region->n_params; i++) {
    params[i] = placeholder(p, i, param_dtype(region, i));
  }
  sp_region_apply(p, region, params, results);
}

/* ---- functions that only compare and select ---- */

typedef struct selection {
  uint32_t n;
  const sp_expr *params;
  int budget;
} selection;

static bool is_condition(sp_pool *p, selection *s, sp_expr e, int depth);

/* e is one of the parameters, chosen by comparisons of parameters. */
static bool is_selection(sp_pool *p, selection *s, sp_expr e, int depth) {
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->params[i].v == e.v) {
      return true;
    }
  }
  if (depth > 24 || s->budget-- <= 0) {
    return false;
  }
  sp_kind kind = sp_kind_of(p, e);
  if (kind == SP_KIND_ITE) {
    return is_condition(p, s, sp_arg(p, e, 0), depth + 1) &&
           is_selection(p, s, sp_arg(p, e, 1), depth + 1) &&
           is_selection(p, s, sp_arg(p, e, 2), depth + 1);
  }
  if (kind == SP_KIND_MAX || kind == SP_KIND_MIN) {
    for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
      if (!is_selection(p, s, sp_arg(p, e, i), depth + 1)) {
        return false;
      }
    }
    return true;
  }
  return false;
}

/* a - b + c with |c| <= 1, the argument of LT0 and EQ0: over the integers it
 * only depends on the difference cut off at -2 and 2. */
static bool is_difference(sp_pool *p, selection *s, sp_expr e, int depth) {
  if (sp_kind_of(p, e) != SP_KIND_LIN || sp_n_args(p, e) != 2) {
    return false;
  }
  int64_t a = sp_lin_coef(p, e, 0), b = sp_lin_coef(p, e, 1);
  int64_t c = sp_lin_const(p, e);
  return ((a == 1 && b == -1) || (a == -1 && b == 1)) && c >= -1 && c <= 1 &&
         is_selection(p, s, sp_arg(p, e, 0), depth + 1) &&
         is_selection(p, s, sp_arg(p, e, 1), depth + 1);
}

static bool is_condition(sp_pool *p, selection *s, sp_expr e, int depth) {
  if (depth > 24 || s->budget-- <= 0) {
    return false;
  }
  sp_kind kind = sp_kind_of(p, e);
  if (kind == SP_KIND_BOOL) {
    return true;
  }
  if (kind == SP_KIND_LT0 || kind == SP_KIND_EQ0) {
    return is_difference(p, s, sp_arg(p, e, 0), depth + 1);
  }
  if (kind == SP_KIND_RLT || kind == SP_KIND_REQ) {
    return is_selection(p, s, sp_arg(p, e, 0), depth + 1) &&
           is_selection(p, s, sp_arg(p, e, 1), depth + 1);
  }
  if (kind == SP_KIND_NOT || kind == SP_KIND_OR) {
    for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
      if (!is_condition(p, s, sp_arg(p, e, i), depth + 1)) {
        return false;
      }
    }
    return true;
  }
  return false;
}

/* Values of the placeholders while a term is evaluated. */
typedef struct sample {
  sp_pool *p;
  uint32_t n;
  const sp_expr *params;
  const int64_t *values;
} sample;

static bool sample_fn(void *user, const char *name, uint32_t n,
                      const sp_value *args, sp_value *out) {
  const sample *s = user;
  (void)args;
  for (uint32_t i = 0; n == 0 && i < s->n; i++) {
    if (strcmp(sp_fn_name(s->p, s->params[i]), name) == 0) {
      *out = (sp_value){.sort = sp_sort_of(s->p, s->params[i]),
                        .i = s->values[i],
                        .r = (double)s->values[i],
                        .b = s->values[i] != 0};
      return true;
    }
  }
  return false;
}

static int64_t no_var(void *user, sp_expr v) {
  (void)user;
  (void)v;
  return 0;
}

static sp_value no_read(void *user, sp_sym s, uint32_t n, const int64_t *idx) {
  (void)user;
  (void)s;
  (void)n;
  (void)idx;
  return (sp_value){.sort = SP_SORT_INT};
}

static bool sample_eval(sp_pool *p, sp_expr e, uint32_t n,
                        const sp_expr *params, const int64_t *values,
                        int64_t *out) {
  const sp_expr *vars;
  if (sp_free_vars(p, e, &vars) != 0 || sp_has_read(p, e)) {
    return false;
  }
  sample s = {p, n, params, values};
  sp_eval_env env = {.user = &s,
                     .var = no_var,
                     .read = no_read,
                     .fn = sample_fn,
                     .budget = 20000};
  sp_value v;
  if (!sp_eval(p, e, &env, &v)) {
    return false;
  }
  *out = v.sort == SP_SORT_REAL  ? (int64_t)v.r
         : v.sort == SP_SORT_INT ? v.i
                                 : v.b;
  return true;
}

static sp_reducer classify_bool(sp_pool *p, sp_expr e, sp_expr x, sp_expr y) {
  const sp_expr params[2] = {x, y};
  unsigned table = 0;
  for (unsigned k = 0; k < 4; k++) {
    const int64_t values[2] = {k >> 1, k & 1};
    int64_t v;
    if (!sample_eval(p, e, 2, params, values, &v)) {
      return SP_REDUCER_OTHER;
    }
    table |= (v ? 1u : 0u) << k;
  }
  switch (table) {
  case 0xe:
    return SP_REDUCER_OR;
  case 0x8:
    return SP_REDUCER_AND;
  case 0xa:
    return SP_REDUCER_SECOND;
  default:
    return SP_REDUCER_OTHER;
  }
}

static sp_reducer classify_selection(sp_pool *p, sp_expr e, sp_expr x,
                                     sp_expr y) {
  const sp_expr params[2] = {x, y};
  selection s = {2, params, 2000};
  if (!is_selection(p, &s, e, 0)) {
    return SP_REDUCER_OTHER;
  }
  bool max = true, min = true, second = true;
  for (int64_t d = -2; d <= 2; d++) {
    const int64_t values[2] = {10, 10 + d};
    int64_t v;
    if (!sample_eval(p, e, 2, params, values, &v)) {
      return SP_REDUCER_OTHER;
    }
    max = max && v == (d > 0 ? values[1] : values[0]);
    min = min && v == (d < 0 ? values[1] : values[0]);
    second = second && v == values[1];
  }
  return max      ? SP_REDUCER_MAX
         : min    ? SP_REDUCER_MIN
         : second ? SP_REDUCER_SECOND
                  : SP_REDUCER_OTHER;
}

static sp_reducer classify(sp_pool *p, sp_expr e, sp_expr x, sp_expr y,
                           sp_dtype t) {
  if (sp_sort_of(p, e) != sp_sort_of(p, x) ||
      sp_sort_of(p, x) != sp_sort_of(p, y)) {
    return SP_REDUCER_OTHER;
  }
  if (t == SP_PRED) {
    return classify_bool(p, e, x, y);
  }
  sp_call call = {.pool = p}; /* for spi_wrap only */
  if (e.v == spi_wrap(&call, sp_add(p, x, y), t).v) {
    return SP_REDUCER_SUM;
  }
  if (e.v == spi_wrap(&call, sp_mul(p, x, y), t).v) {
    return SP_REDUCER_PROD;
  }
  return classify_selection(p, e, x, y);
}

/* (v1, i1, v2, i2) -> the pair with the larger (smaller) value, of equal ones
 * that with the smaller index. */
static sp_reducer classify_arg(sp_pool *p, const sp_expr *params,
                               const sp_expr *results) {
  selection s = {4, params, 4000};
  if (sp_sort_of(p, params[1]) != SP_SORT_INT ||
      sp_sort_of(p, params[0]) == SP_SORT_BOOL ||
      !is_selection(p, &s, results[0], 0) ||
      !is_selection(p, &s, results[1], 0)) {
    return SP_REDUCER_OTHER;
  }
  bool max = true, min = true;
  for (int64_t d = -2; d <= 2; d++) {
    for (int64_t c = -2; c <= 2; c++) {
      const int64_t values[4] = {10, 100, 10 + d, 100 + c};
      int64_t v, i;
      if (!sample_eval(p, results[0], 4, params, values, &v) ||
          !sample_eval(p, results[1], 4, params, values, &i)) {
        return SP_REDUCER_OTHER;
      }
      bool lower = c < 0; /* the second pair has the smaller index */
      max = max && v == (d > 0 ? values[2] : 10) &&
            i == (d > 0 || (d == 0 && lower) ? values[3] : 100);
      min = min && v == (d < 0 ? values[2] : 10) &&
            i == (d < 0 || (d == 0 && lower) ? values[3] : 100);
    }
  }
  return max ? SP_REDUCER_ARGMAX : min ? SP_REDUCER_ARGMIN : SP_REDUCER_OTHER;
}

void spi_reducers(sp_pool *p, const sp_program *region, uint32_t n,
                  sp_reducer *kinds) {
  for (uint32_t i = 0; i < n; i++) {
    kinds[i] = SP_REDUCER_OTHER;
  }
  if (n == 0 || n > MAX_ACCUMULATORS || region->n_params != 2 * n ||
      region->n_results != n) {
    return;
  }
  sp_expr params[2 * MAX_ACCUMULATORS], results[MAX_ACCUMULATORS];
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  apply_placeholders(p, region, params, results);
  if (n == 2) {
    kinds[0] = classify_arg(p, params, results);
    kinds[1] = kinds[0];
  }
  for (uint32_t i = 0;
       i < n && kinds[0] != SP_REDUCER_ARGMAX && kinds[0] != SP_REDUCER_ARGMIN;
       i++) {
    kinds[i] = classify(p, results[i], params[i], params[n + i],
                        param_dtype(region, i));
  }
  sp_pool_mode(p, mode);
}

sp_reducer sp_reducer_of(sp_pool *p, const sp_program *region) {
  sp_reducer kinds[2];
  if (region->n_params == 4 && region->n_results == 2) {
    spi_reducers(p, region, 2, kinds);
    bool arg = kinds[0] == SP_REDUCER_ARGMAX || kinds[0] == SP_REDUCER_ARGMIN;
    return arg ? kinds[0] : SP_REDUCER_OTHER;
  }
  spi_reducers(p, region, 1, kinds);
  return kinds[0];
}

const char *spi_region_text(sp_pool *p, const sp_program *region) {
  sp_ctx *ctx = sp_pool_ctx(p);
  sp_expr *params = sp_alloc_n(ctx, region->n_params + 1u, sizeof *params);
  sp_expr *results = sp_alloc_n(ctx, region->n_results + 1u, sizeof *results);
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  apply_placeholders(p, region, params, results);
  sp_str s = {0};
  sp_str_add(ctx, &s, "{");
  for (uint32_t i = 0; i < region->n_results; i++) {
    const char *text = sp_show(p, results[i]);
    /* long texts are cut, and then say too little to be a name */
    if (strlen(text) > 8000) {
      sp_raise(ctx, SP_ERR_UNKNOWN, sp_nowhere(), NULL,
               "computation %s is too large to be named", region->name);
    }
    sp_str_addf(ctx, &s, "%s%s", i ? ", " : "", text);
  }
  sp_str_add(ctx, &s, "}");
  sp_pool_mode(p, mode);
  return s.v;
}

bool spi_region_orders(sp_pool *p, const sp_program *region, bool *largest) {
  sp_expr params[4], result;
  if (region->n_params != 4 || region->n_results != 1) {
    return false;
  }
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  apply_placeholders(p, region, params, &result);
  bool greater = result.v == sp_lt(p, params[1], params[0]).v;
  bool less = result.v == sp_lt(p, params[0], params[1]).v;
  sp_pool_mode(p, mode);
  *largest = greater;
  return greater || less;
}

/* ---- reducing with a known reducer ---- */

bool spi_reducer_is_simple(sp_reducer kind) {
  return kind >= SP_REDUCER_SUM && kind <= SP_REDUCER_AND;
}

static sp_red_op red_op(sp_reducer kind) {
  switch (kind) {
  case SP_REDUCER_PROD:
    return SP_RED_PROD;
  case SP_REDUCER_MAX:
    return SP_RED_MAX;
  case SP_REDUCER_MIN:
    return SP_RED_MIN;
  case SP_REDUCER_OR:
    return SP_RED_OR;
  case SP_REDUCER_AND:
    return SP_RED_AND;
  case SP_REDUCER_SUM:
  case SP_REDUCER_OTHER:
  case SP_REDUCER_SECOND:
  case SP_REDUCER_ARGMAX:
  case SP_REDUCER_ARGMIN:
    break;
  }
  assert(kind == SP_REDUCER_SUM);
  return SP_RED_SUM;
}

sp_expr spi_identity(sp_pool *p, sp_reducer kind, sp_dtype t) {
  sp_sort sort = sp_dtype_sort(t);
  if (kind == SP_REDUCER_SUM || kind == SP_REDUCER_OR) {
    return spi_zero(p, sort);
  }
  if (kind == SP_REDUCER_PROD || kind == SP_REDUCER_AND) {
    return spi_one(p, sort);
  }
  assert(kind == SP_REDUCER_MAX || kind == SP_REDUCER_MIN);
  bool max = kind == SP_REDUCER_MAX;
  if (sort == SP_SORT_REAL) {
    return sp_inf(p, max);
  }
  if (t == SP_U64 && !max) {
    return sp_fn(p, SP_SORT_INT, "iinf", 0, NULL);
  }
  int64_t lo, hi;
  spi_dtype_range(t, &lo, &hi);
  return sp_int(p, max ? lo : hi);
}

sp_expr spi_is_extreme(sp_pool *p, sp_expr v, sp_expr m) {
  sp_expr is = sp_eq(p, v, m);
  return sp_sort_of(p, v) == SP_SORT_REAL ? sp_or(p, is, sp_is_nan(p, v)) : is;
}

sp_expr spi_combine(const sp_call *call, sp_reducer kind, sp_dtype t, sp_expr a,
                    sp_expr b) {
  sp_pool *p = call->pool;
  switch (kind) {
  case SP_REDUCER_SUM:
    return spi_wrap(call, sp_add(p, a, b), t);
  case SP_REDUCER_PROD:
    return spi_wrap(call, sp_mul(p, a, b), t);
  case SP_REDUCER_MAX:
    return sp_max(p, a, b);
  case SP_REDUCER_MIN:
    return sp_min(p, a, b);
  case SP_REDUCER_OR:
    return sp_or(p, a, b);
  case SP_REDUCER_AND:
    return sp_and(p, a, b);
  case SP_REDUCER_OTHER:
  case SP_REDUCER_SECOND:
  case SP_REDUCER_ARGMAX:
  case SP_REDUCER_ARGMIN:
    break;
  }
  assert(!"a known reducer");
  return a;
}

sp_expr spi_red(const sp_call *call, sp_reducer kind, sp_dtype t, uint32_t n,
                const sp_expr *vars, sp_expr body) {
  if (n == 0) {
    return body;
  }
  sp_expr e = sp_red(call->pool, red_op(kind), n, vars, body);
  return kind == SP_REDUCER_SUM || kind == SP_REDUCER_PROD
             ? spi_wrap(call, e, t)
             : e;
}

sp_expr spi_reduce(const sp_call *call, sp_reducer kind, sp_dtype t,
                   sp_expr init, uint32_t n, const sp_expr *vars,
                   sp_expr body) {
  sp_expr e = spi_red(call, kind, t, n, vars, body);
  /* The identity changes nothing, not even over an empty range: there the
   * reduction of reals and booleans is the identity, and that of integers is
   * taken care of by the caller. */
  if (init.v == spi_identity(call->pool, kind, t).v) {
    return e;
  }
  if (kind == SP_REDUCER_SUM || kind == SP_REDUCER_PROD) {
    /* XLA may apply it any number of times, and says that it is neutral */
    spi_assume(call, "an init value that is not neutral counts once");
  }
  return spi_combine(call, kind, t, init, e);
}

/* As jax writes it: max(x, y) + log(1 + exp(-|x - y|)). Over the reals that is
 * log(exp x + exp y), which is associative, and minus infinity is neutral. */
static bool adds_exps(sp_pool *p, const sp_program *region) {
  if (region->n_params != 2 || region->n_results != 1 ||
      !sp_dtype_is_float(param_dtype(region, 0)) ||
      param_dtype(region, 0) != param_dtype(region, 1)) {
    return false;
  }
  sp_expr params[2], result;
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  apply_placeholders(p, region, params, &result);
  bool same = false;
  for (int i = 0; i < 2 && !same; i++) {
    sp_expr d = sp_sub(p, params[i], params[1 - i]);
    sp_expr down = sp_exp(p, sp_sub(p, sp_real_i64(p, 0), sp_fn1(p, "abs", d)));
    sp_expr log = sp_fn1(p, "log", sp_add(p, sp_real_i64(p, 1), down));
    same = result.v == sp_add(p, sp_max(p, params[0], params[1]), log).v;
  }
  sp_pool_mode(p, mode);
  return same;
}

sp_expr spi_log_sum_exp(const sp_call *call, sp_expr init, uint32_t n,
                        const sp_expr *vars, sp_expr inside, sp_expr body) {
  sp_pool *p = call->pool;
  if (init.v != sp_inf(p, true).v ||
      !adds_exps(p, spi_attr_region(call->node, "to_apply"))) {
    return (sp_expr){0};
  }
  sp_expr term = sp_ite(p, inside, sp_exp(p, body), sp_real_i64(p, 0));
  return sp_fn1(p, "log", n ? sp_red(p, SP_RED_SUM, n, vars, term) : term);
}

sp_expr spi_lambda(sp_pool *p, uint32_t n, const sp_expr *vars, sp_expr body) {
  return n ? sp_red(p, SP_RED_LAMBDA, n, vars, body) : body;
}
