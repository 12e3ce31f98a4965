/* meaning_term.c: an element of a custom operator's result as a term: a fold
 * over the formula. Read value_of, the fold; what it calls comes before. */
#include "encode/meaning_i.h"

#include "base/vec.h"

#include <string.h>

enum { MAX_WORK = 1 << 18, MAX_DEPTH = 1024 };

/* A term, several of them, or a text. */
typedef struct value {
  enum { IS_TERM, IS_LIST, IS_TEXT } kind;
  sp_expr e;
  uint32_t n;
  const sp_expr *v;
  const char *text;
} value;

typedef struct binding {
  const char *name;
  value value;
  const struct binding *next;
} binding;

typedef struct term {
  const sp_call *call;
  sp_pool *p;
  sp_ctx *ctx;
  spi_sizes sizes;
  const sp_meaning *m;
  const binding *local;
  uint32_t work, depth;
} term;

/* Terms in a row. */
typedef SP_VEC(sp_expr) terms;

static value value_of(term *t, const sp_lang *e);

static noreturn void wrong(const term *t, const sp_lang *e, const char *text) {
  sp_raise(t->ctx, SP_ERR_INPUT, e->loc,
           sp_format(t->ctx, "used at %s, line %u",
                     t->call->node->pos.dump.file ? t->call->node->pos.dump.file
                                                  : "?",
                     t->call->node->pos.dump.line),
           "the meaning of %s: %s", t->m->name, text);
}

static value of(sp_expr e) {
  return (value){.kind = IS_TERM, .e = e};
}

static value of_text(const char *text) {
  return (value){.kind = IS_TEXT, .text = text};
}

static sp_expr term_of(term *t, const sp_lang *e) {
  value v = value_of(t, e);
  if (v.kind != IS_TERM) {
    wrong(t, e, "one number expected here");
  }
  return v.e;
}

static sp_sort sort_of(const term *t, sp_expr e) {
  return sp_sort_of(t->p, e);
}

static sp_expr int_of(term *t, const sp_lang *e) {
  sp_expr x = term_of(t, e);
  if (sort_of(t, x) != SP_SORT_INT) {
    wrong(t, e, "an integer expected here");
  }
  return x;
}

static sp_expr real_of(term *t, const sp_lang *e) {
  sp_expr x = term_of(t, e);
  if (sort_of(t, x) == SP_SORT_INT) {
    return sp_i2r(t->p, x);
  }
  if (sort_of(t, x) != SP_SORT_REAL) {
    wrong(t, e, "a number expected here, not a condition");
  }
  return x;
}

static sp_expr bool_of(term *t, const sp_lang *e) {
  sp_expr x = term_of(t, e);
  if (sort_of(t, x) != SP_SORT_BOOL) {
    wrong(t, e, "a condition expected here");
  }
  return x;
}

/* Both as integers, or both as reals. */
static sp_sort join_sorts(term *t, const sp_lang *e, sp_expr *a, sp_expr *b) {
  sp_sort x = sort_of(t, *a), y = sort_of(t, *b);
  if (x == y) {
    return x;
  }
  if (x == SP_SORT_BOOL || y == SP_SORT_BOOL) {
    wrong(t, e, "a condition and a number do not go together");
  }
  *a = x == SP_SORT_INT ? sp_i2r(t->p, *a) : *a;
  *b = y == SP_SORT_INT ? sp_i2r(t->p, *b) : *b;
  return SP_SORT_REAL;
}

/* ---- names ---- */

static void bind(term *t, const char *name, value v) {
  binding *b = sp_alloc(t->ctx, sizeof *b);
  *b = (binding){name, v, t->local};
  t->local = b;
}

static const sp_meaning_param *param_of(const term *t, const char *name) {
  for (uint32_t i = 0; i < t->m->n_params; i++) {
    if (strcmp(t->m->params[i].name, name) == 0) {
      return &t->m->params[i];
    }
  }
  return NULL;
}

static const sp_meaning_statement *statement_of(const term *t,
                                                const char *name) {
  for (uint32_t i = 0; i < t->m->n_statements; i++) {
    const sp_meaning_statement *s = &t->m->statements[i];
    if ((s->kind == SP_MEANING_LET || s->kind == SP_MEANING_FUNCTION) &&
        strcmp(s->name, name) == 0) {
      return s;
    }
  }
  return NULL;
}

static value of_ints(const term *t, uint32_t n, const int64_t *v) {
  sp_expr *list = sp_alloc_n(t->ctx, n + 1u, sizeof *list);
  for (uint32_t i = 0; i < n; i++) {
    list[i] = sp_int(t->p, v[i]);
  }
  return (value){.kind = IS_LIST, .n = n, .v = list};
}

/* Several spread variables of a result: as long as in the signature. */
static uint32_t spread_length(const term *t, const sp_meaning_statement *s,
                              uint32_t i, uint32_t rest) {
  uint32_t spread = 0, n;
  for (uint32_t k = 0; k < s->n_vars; k++) {
    spread += s->vars[k].spread;
  }
  for (uint32_t k = 0; spread > 1 && k < t->m->n_results; k++) {
    const sp_meaning_result *q = &t->m->results[k];
    if (q->name && strcmp(q->name, s->name) == 0) {
      spi_sizes_list(&t->sizes, 1, q->dims + i, &n);
      return n;
    }
  }
  return rest;
}

/* A statement's body where its variables have these values. */
static value apply(term *t, const sp_meaning_statement *s, const sp_lang *at,
                   uint32_t n, const sp_expr *v) {
  uint32_t plain = 0;
  bool spread = false;
  for (uint32_t i = 0; i < s->n_vars; i++) {
    plain += !s->vars[i].spread;
    spread = spread || s->vars[i].spread;
  }
  if (n < plain || (!spread && n != plain)) {
    wrong(t, at ? at : s->body,
          sp_format(t->ctx, "%s takes %u indices, not %u", s->name, plain, n));
  }
  const binding *was = t->local;
  t->local = NULL; /* only its own variables */
  const sp_expr *x = v;
  for (uint32_t i = 0; i < s->n_vars; i++) {
    if (s->vars[i].spread) {
      uint32_t k = spread_length(t, s, i, n - plain);
      if (k > (uint32_t)(v + n - x)) {
        wrong(t, s->body, "the result has another shape in the program");
      }
      bind(t, s->vars[i].name, (value){.kind = IS_LIST, .n = k, .v = x});
      x += k;
    } else {
      if (x == v + n) {
        wrong(t, s->body, "the result has another shape in the program");
      }
      bind(t, s->vars[i].name, of(*x++));
    }
  }
  value out = value_of(t, s->body);
  t->local = was;
  return out;
}

/* ---- parameters ---- */

static value param_value(term *t, const sp_meaning_param *q, const sp_lang *e) {
  const sp_attr *a = sp_node_attr(t->call->node, q->name);
  if (!a) {
    if (!q->absent) {
      wrong(t, e, sp_format(t->ctx, "%s is not given", q->name));
    }
    value v = value_of(t, q->absent);
    bool widen = q->kind == SP_MEANING_REAL && v.kind == IS_TERM &&
                 sort_of(t, v.e) == SP_SORT_INT;
    return widen ? of(sp_i2r(t->p, v.e)) : v;
  }
  if (a->kind == SP_ATTR_TEXT) {
    return of_text(a->u.text);
  }
  sp_expr x = {0};
  if (a->kind == SP_ATTR_INT) {
    x = sp_int(t->p, a->u.i);
  } else if (a->kind == SP_ATTR_RANKED_INT) {
    x = sp_table(t->p, a->u.ints, (int64_t)a->n, spi_rank(t->call));
  } else if (a->kind == SP_ATTR_FLOAT && q->kind == SP_MEANING_REAL) {
    return of(spi_float(t->p, a->u.f, SP_F64));
  } else {
    spi_unknown(t->ctx, t->call->node, "argument %s is %s", q->name,
                spi_attr_kind_name(a->kind));
  }
  if (q->kind == SP_MEANING_BOOL && a->kind == SP_ATTR_INT) {
    return of(sp_bool(t->p, a->u.i != 0));
  }
  if (q->kind == SP_MEANING_BOOL) {
    return of(sp_not(t->p, sp_eq(t->p, x, sp_int(t->p, 0))));
  }
  return of(q->kind == SP_MEANING_REAL ? sp_i2r(t->p, x) : x);
}

/* Each index in its dimension: where that is not visible, clamped. */
static value read_tensor(term *t, const sp_meaning_param *q, const sp_lang *e,
                         uint32_t n, const sp_expr *idx) {
  uint32_t operand = spi_meaning_operand(&t->sizes, q);
  const sp_shape *s = sp_call_shape(t->call, operand);
  if (n != s->n_dims) {
    wrong(t, e,
          sp_format(t->ctx,
                    "%s has %u dimensions, and is read at %u "
                    "indices",
                    q->name, s->n_dims, n));
  }
  sp_expr at[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < n; d++) {
    int64_t lo, hi;
    sp_range(t->p, idx[d], &lo, &hi);
    at[d] = idx[d];
    if (s->dims[d] > 0 && (lo < 0 || hi >= s->dims[d])) {
      at[d] =
          sp_clamp(t->p, idx[d], sp_int(t->p, 0), sp_int(t->p, s->dims[d] - 1));
      if (sp_has_read(t->p, idx[d])) {
        spi_assume(t->call, "indices that tensors hold are in bounds where a "
                            "custom operator uses them");
      }
    }
  }
  return of(sp_call_read(t->call, operand, at));
}

static value name_value(term *t, const sp_lang *e) {
  for (const binding *b = t->local; b; b = b->next) {
    if (strcmp(b->name, e->name) == 0) {
      return b->value;
    }
  }
  const spi_size *size = spi_sizes_find(&t->sizes, e->name);
  if (size) {
    return size->list ? of_ints(t, size->n, size->v)
                      : of(sp_int(t->p, size->v[0]));
  }
  const sp_meaning_statement *s = statement_of(t, e->name);
  if (s) {
    return apply(t, s, e, 0, NULL);
  }
  const sp_meaning_param *q = param_of(t, e->name);
  if (!q) {
    wrong(t, e, sp_format(t->ctx, "nothing is called %s", e->name));
  }
  return q->kind == SP_MEANING_TENSOR ? read_tensor(t, q, e, 0, NULL)
                                      : param_value(t, q, e);
}

/* ---- lists ---- */

static void append(term *t, const sp_lang *e, terms *out) {
  if (e->kind != SP_LANG_SPREAD) {
    sp_push(t->ctx, out, term_of(t, e));
    return;
  }
  value v = value_of(t, e->args[0]);
  if (v.kind != IS_LIST) {
    wrong(t, e, "* of something that is no list");
  }
  for (uint32_t i = 0; i < v.n; i++) {
    sp_push(t->ctx, out, v.v[i]);
  }
}

static terms list_of(term *t, uint32_t n, const sp_lang *const *args) {
  terms out = {0};
  for (uint32_t i = 0; i < n; i++) {
    append(t, args[i], &out);
  }
  if (out.n > SP_MAX_DIMS) {
    wrong(t, args[0], "too many indices");
  }
  return out;
}

static terms ints_of(term *t, const sp_lang *e, uint32_t n,
                     const sp_lang *const *args) {
  terms out = list_of(t, n, args);
  for (size_t i = 0; i < out.n; i++) {
    if (sort_of(t, out.v[i]) != SP_SORT_INT) {
      wrong(t, e, "indices are integers");
    }
  }
  return out;
}

/* ---- functions ---- */

static value flat(term *t, const sp_lang *e) {
  terms idx = ints_of(t, e, e->n, e->args);
  uint32_t n;
  const int64_t *dims =
      spi_sizes_list(&t->sizes, e->n_more, e->args + e->n, &n);
  if (idx.n != n) {
    wrong(t, e, "as many indices as sizes expected");
  }
  return of(n ? sp_flatten(t->p, n, dims, idx.v) : sp_int(t->p, 0));
}

static value unflat(term *t, const sp_lang *e) {
  sp_expr x = int_of(t, e->args[0]);
  uint32_t n;
  const int64_t *dims =
      spi_sizes_list(&t->sizes, e->n_more, e->args + e->n, &n);
  if (n > SP_MAX_DIMS) {
    wrong(t, e, "too many sizes");
  }
  sp_expr *v = sp_alloc_n(t->ctx, n + 1u, sizeof *v);
  for (uint32_t i = 0; i < n; i++) {
    if (dims[i] < 1) {
      wrong(t, e, "a size of 0");
    }
  }
  sp_unflatten(t->p, x, n, dims, v);
  return (value){.kind = IS_LIST, .n = n, .v = v};
}

static value extremum(term *t, const sp_lang *e) {
  sp_expr a = term_of(t, e->args[0]);
  for (uint32_t i = 1; i < e->n; i++) {
    sp_expr b = term_of(t, e->args[i]);
    if (join_sorts(t, e, &a, &b) == SP_SORT_BOOL) {
      wrong(t, e, "conditions have no order");
    }
    a = strcmp(e->name, "max") == 0 ? sp_max(t->p, a, b) : sp_min(t->p, a, b);
  }
  return of(a);
}

/* opaque("name", args): a function of which nothing else is known. */
static value opaque(term *t, const sp_lang *e) {
  value name = value_of(t, e->args[0]);
  if (name.kind != IS_TEXT) {
    wrong(t, e, "the name of an opaque function is a text");
  }
  sp_str text = {0};
  sp_str_addf(t->ctx, &text, "opaque:%s", name.text);
  terms args = {0};
  for (uint32_t i = 1; i < e->n; i++) {
    if (e->args[i]->kind == SP_LANG_SPREAD) {
      append(t, e->args[i], &args);
      continue;
    }
    value v = value_of(t, e->args[i]);
    if (v.kind == IS_TEXT) {
      sp_str_addf(t->ctx, &text, ":%s", v.text);
    } else if (v.kind == IS_TERM) {
      sp_push(t->ctx, &args, v.e);
    } else {
      wrong(t, e->args[i], "write * before a list");
    }
  }
  const char *interned = sp_intern(t->ctx, text.v, text.n);
  return of(sp_fn(t->p, SP_SORT_REAL, interned, (uint32_t)args.n, args.v));
}

static value real_function(term *t, const sp_lang *e) {
  sp_expr a = real_of(t, e->args[0]);
  if (strcmp(e->name, "real") == 0) {
    return of(a);
  }
  if (strcmp(e->name, "exp") == 0) {
    return of(sp_exp(t->p, a));
  }
  bool sigmoid = strcmp(e->name, "sigmoid") == 0;
  return of(sp_fn1(t->p, sigmoid ? "logistic" : e->name, a));
}

static value call_value(term *t, const sp_lang *e) {
  const sp_meaning_statement *s = statement_of(t, e->name);
  if (s) {
    terms args = ints_of(t, e, e->n, e->args);
    return apply(t, s, e, (uint32_t)args.n, args.v);
  }
  if (strcmp(e->name, "size") == 0) {
    return of(sp_int(t->p, spi_sizes_value(&t->sizes, e)));
  }
  if (strcmp(e->name, "flat") == 0) {
    return flat(t, e);
  }
  if (strcmp(e->name, "unflat") == 0) {
    return unflat(t, e);
  }
  if (strcmp(e->name, "max") == 0 || strcmp(e->name, "min") == 0) {
    return extremum(t, e);
  }
  if (strcmp(e->name, "opaque") == 0) {
    return opaque(t, e);
  }
  return real_function(t, e);
}

/* ---- reductions ---- */

static sp_red_op red_op(const sp_lang *e) {
  static const struct {
    const char *name;
    sp_red_op op;
  } ops[] = {
      {"sum", SP_RED_SUM}, {"prod", SP_RED_PROD}, {"max", SP_RED_MAX},
      {"min", SP_RED_MIN}, {"any", SP_RED_OR},    {"all", SP_RED_AND},
  };
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (strcmp(ops[i].name, e->name) == 0) {
      return ops[i].op;
    }
  }
  return SP_RED_LAMBDA;
}

/* Fresh variables for those of a binder, bound to their names. */
static terms open_binder(term *t, const sp_lang *e) {
  terms vars = {0};
  for (uint32_t i = 0; i < e->n_vars; i++) {
    const sp_lang_var *v = &e->vars[i];
    const sp_lang spread = {
        .kind = SP_LANG_SPREAD, .loc = v->loc, .n = 1, .args = &v->size};
    const sp_lang *size = v->spread ? &spread : v->size;
    uint32_t n;
    const int64_t *dims = spi_sizes_list(&t->sizes, 1, &size, &n);
    sp_expr *list = sp_alloc_n(t->ctx, n + 1u, sizeof *list);
    for (uint32_t k = 0; k < n; k++) {
      if (dims[k] < 0 || dims[k] >= SP_MAX_ELEMENTS) {
        wrong(t, e, "a variable of a negative or huge size");
      }
      list[k] = sp_fresh(t->p, dims[k]);
      sp_push(t->ctx, &vars, list[k]);
    }
    bind(t, v->name,
         v->spread ? (value){.kind = IS_LIST, .n = n, .v = list} : of(list[0]));
  }
  return vars;
}

static value bind_value(term *t, const sp_lang *e) {
  const binding *was = t->local;
  terms vars = open_binder(t, e);
  sp_red_op op = red_op(e);
  bool logic = op == SP_RED_OR || op == SP_RED_AND;
  sp_expr body = logic ? bool_of(t, e->args[0]) : term_of(t, e->args[0]);
  if (!logic && op != SP_RED_LAMBDA && sort_of(t, body) == SP_SORT_BOOL) {
    wrong(t, e, "a number expected, not a condition");
  }
  t->local = was;
  if (vars.n == 0) {
    return of(body);
  }
  if (vars.n > SP_MAX_DIMS) {
    wrong(t, e, "too many variables");
  }
  return of(sp_red(t->p, op, (uint32_t)vars.n, vars.v, body));
}

/* ---- arithmetic ---- */

/* Of constants: equal terms have equal ids. */
static bool lists_equal(value a, value b) {
  if (a.kind == IS_TEXT && b.kind == IS_TEXT) {
    return strcmp(a.text, b.text) == 0;
  }
  bool same = a.kind == IS_LIST && b.kind == IS_LIST && a.n == b.n;
  for (uint32_t i = 0; same && i < a.n; i++) {
    same = a.v[i].v == b.v[i].v;
  }
  return same;
}

static value compare(term *t, const sp_lang *e) {
  value x = value_of(t, e->args[0]), y = value_of(t, e->args[1]);
  sp_pool *p = t->p;
  bool equality = e->op == SP_LANG_EQ || e->op == SP_LANG_NE;
  if (x.kind != IS_TERM || y.kind != IS_TERM) {
    if (!equality || x.kind != y.kind) {
      wrong(t, e, "these cannot be compared");
    }
    return of(sp_bool(p, lists_equal(x, y) == (e->op == SP_LANG_EQ)));
  }
  sp_expr a = x.e, b = y.e;
  if (join_sorts(t, e, &a, &b) == SP_SORT_BOOL && !equality) {
    wrong(t, e, "conditions have no order");
  }
  if (equality) {
    sp_expr eq = sp_eq(p, a, b);
    return of(e->op == SP_LANG_EQ ? eq : sp_not(p, eq));
  }
  switch (e->op) {
  case SP_LANG_LT:
    return of(sp_lt(p, a, b));
  case SP_LANG_LE:
    return of(sp_le(p, a, b));
  case SP_LANG_GT:
    return of(sp_lt(p, b, a));
  case SP_LANG_GE:
  case SP_LANG_ADD:
  case SP_LANG_SUB:
  case SP_LANG_MUL:
  case SP_LANG_OVER:
  case SP_LANG_DIV:
  case SP_LANG_MOD:
  case SP_LANG_POWER:
  case SP_LANG_EQ:
  case SP_LANG_NE:
  case SP_LANG_AND:
  case SP_LANG_OR:
    break;
  }
  return of(sp_le(p, b, a));
}

static value arithmetic(term *t, const sp_lang *e) {
  sp_expr a = term_of(t, e->args[0]), b = term_of(t, e->args[1]);
  sp_sort sort = join_sorts(t, e, &a, &b);
  sp_pool *p = t->p;
  if (sort == SP_SORT_BOOL) {
    wrong(t, e, "conditions cannot be added or multiplied");
  }
  bool whole = sort == SP_SORT_INT;
  if (e->op == SP_LANG_ADD) {
    return of(whole ? sp_iadd(p, a, b) : sp_add(p, a, b));
  }
  if (e->op == SP_LANG_SUB) {
    return of(whole ? sp_isub(p, a, b) : sp_sub(p, a, b));
  }
  return of(whole ? sp_imul(p, a, b) : sp_mul(p, a, b));
}

/* Rounded down; by a size or a number. */
static value divide(term *t, const sp_lang *e) {
  sp_expr a = int_of(t, e->args[0]);
  if (!spi_sizes_known(&t->sizes, e->args[1])) {
    wrong(t, e->args[1],
          "div and mod take a divisor that is made of sizes "
          "and numbers");
  }
  int64_t c = spi_sizes_value(&t->sizes, e->args[1]);
  if (c < 1) {
    wrong(t, e->args[1], "the divisor is not above 0");
  }
  return of(e->op == SP_LANG_DIV ? sp_idiv(t->p, a, c) : sp_imod(t->p, a, c));
}

static value power(term *t, const sp_lang *e) {
  if (!spi_sizes_known(&t->sizes, e->args[1])) {
    wrong(t, e->args[1], "the exponent is not made of sizes and numbers");
  }
  int64_t k = spi_sizes_value(&t->sizes, e->args[1]);
  sp_expr a = term_of(t, e->args[0]);
  bool whole = sort_of(t, a) == SP_SORT_INT && k >= 0;
  a = whole ? a : real_of(t, e->args[0]);
  if (k < -16 || k > 16) {
    wrong(t, e, "exponents go from -16 to 16");
  }
  sp_expr out = whole ? sp_int(t->p, 1) : sp_real_i64(t->p, 1);
  for (int64_t i = 0; i < (k < 0 ? -k : k); i++) {
    out = whole ? sp_imul(t->p, out, a) : sp_mul(t->p, out, a);
  }
  return of(k < 0 ? sp_inv(t->p, out) : out);
}

static value binary(term *t, const sp_lang *e) {
  switch (e->op) {
  case SP_LANG_ADD:
  case SP_LANG_SUB:
  case SP_LANG_MUL:
    return arithmetic(t, e);
  case SP_LANG_OVER: {
    sp_expr a = real_of(t, e->args[0]);
    return of(sp_div(t->p, a, real_of(t, e->args[1])));
  }
  case SP_LANG_DIV:
  case SP_LANG_MOD:
    return divide(t, e);
  case SP_LANG_POWER:
    return power(t, e);
  case SP_LANG_AND: {
    sp_expr a = bool_of(t, e->args[0]);
    return of(sp_and(t->p, a, bool_of(t, e->args[1])));
  }
  case SP_LANG_OR: {
    sp_expr a = bool_of(t, e->args[0]);
    return of(sp_or(t->p, a, bool_of(t, e->args[1])));
  }
  case SP_LANG_LT:
  case SP_LANG_LE:
  case SP_LANG_GT:
  case SP_LANG_GE:
  case SP_LANG_EQ:
  case SP_LANG_NE:
    break;
  }
  return compare(t, e);
}

/* Conditions on sizes and attributes are decided whatever the mode is. */
static sp_expr decided(term *t, const sp_lang *e) {
  sp_mode was = sp_pool_mode(t->p, SP_MODE_NORMAL);
  sp_expr c = bool_of(t, e);
  sp_pool_mode(t->p, was);
  return c;
}

/* A condition on attributes decides here; the other branch may not fit. */
static value choose(term *t, const sp_lang *e) {
  sp_expr c = decided(t, e->args[0]);
  if (sp_is_true(t->p, c) || sp_is_false(t->p, c)) {
    return value_of(t, e->args[sp_is_true(t->p, c) ? 1 : 2]);
  }
  c = bool_of(t, e->args[0]);
  sp_expr a = term_of(t, e->args[1]), b = term_of(t, e->args[2]);
  join_sorts(t, e, &a, &b);
  return of(sp_ite(t->p, c, a, b));
}

static value negate(term *t, const sp_lang *e) {
  sp_expr a = term_of(t, e->args[0]);
  if (sort_of(t, a) == SP_SORT_INT) {
    return of(sp_iscale(t->p, a, -1));
  }
  a = real_of(t, e->args[0]);
  return of(sp_scale(t->p, a, sp_num_from_i64(t->p, -1)));
}

static value fold(term *t, const sp_lang *e) {
  switch (e->kind) {
  case SP_LANG_INT:
    return of(sp_int(t->p, e->i));
  case SP_LANG_REAL:
    return of(sp_real(t->p, sp_num_from_double(t->p, e->r, 53)));
  case SP_LANG_TRUTH:
    return of(sp_bool(t->p, e->i != 0));
  case SP_LANG_STRING:
    return of_text(e->name);
  case SP_LANG_NAME:
    return name_value(t, e);
  case SP_LANG_LIST: {
    terms v = list_of(t, e->n, e->args);
    return (value){.kind = IS_LIST, .n = (uint32_t)v.n, .v = v.v};
  }
  case SP_LANG_READ: {
    terms v = ints_of(t, e, e->n, e->args);
    return read_tensor(t, param_of(t, e->name), e, (uint32_t)v.n, v.v);
  }
  case SP_LANG_CALL:
    return call_value(t, e);
  case SP_LANG_BIND:
    return bind_value(t, e);
  case SP_LANG_NOT:
    return of(sp_not(t->p, bool_of(t, e->args[0])));
  case SP_LANG_NEGATE:
    return negate(t, e);
  case SP_LANG_BINARY:
    return binary(t, e);
  case SP_LANG_IF:
    return choose(t, e);
  case SP_LANG_SPREAD:
    break;
  }
  wrong(t, e, "* outside of a list");
}

static value value_of(term *t, const sp_lang *e) {
  if (++t->work > MAX_WORK || ++t->depth > MAX_DEPTH) {
    sp_raise(t->ctx, SP_ERR_LIMIT, e->loc, NULL,
             "the meaning of %s unfolds to too large a formula", t->m->name);
  }
  value v = fold(t, e);
  t->depth--;
  return v;
}

/* ---- elements ---- */

static void preconditions(term *t) {
  for (uint32_t i = 0; i < t->m->n_statements; i++) {
    const sp_meaning_statement *s = &t->m->statements[i];
    if (s->kind == SP_MEANING_ASSUME) {
      spi_assume(t->call,
                 sp_format(t->ctx, "%s: %s", t->m->name, s->body->name));
    } else if (s->kind == SP_MEANING_REQUIRE &&
               !sp_is_true(t->p, decided(t, s->body))) {
      sp_raise(t->ctx, SP_ERR_UNKNOWN, t->call->node->pos.dump,
               sp_format(t->ctx, "%s:%u requires something else",
                         s->loc.file ? s->loc.file : "", s->loc.line),
               "%s (%s): its meaning does not cover these arguments",
               t->call->node->name, t->m->name);
    }
  }
}

sp_expr spi_meaning_element(const sp_call *call, const sp_expr *idx) {
  term t = {.call = call,
            .p = call->pool,
            .ctx = sp_pool_ctx(call->pool),
            .m = spi_meaning_of(call->node)};
  const char *name =
      call->result < t.m->n_results ? t.m->results[call->result].name : NULL;
  if (!name) {
    spi_unknown(t.ctx, call->node, "its meaning says nothing of result %u",
                call->result);
  }
  spi_sizes_bind(&t.sizes, t.ctx, call->program, call->node);
  preconditions(&t);
  const sp_meaning_statement *s = t.m->statements;
  while (s->kind != SP_MEANING_ELEMENT || strcmp(s->name, name) != 0) {
    s++; /* there is one: sp_meaning_read has seen to it */
  }
  value v = apply(&t, s, NULL, sp_call_result_shape(call)->n_dims, idx);
  sp_sort sort = sp_dtype_sort(spi_out_dtype(call));
  if (v.kind != IS_TERM) {
    wrong(&t, s->body, "an element is one number");
  }
  sp_sort is = sort_of(&t, v.e);
  if (is == SP_SORT_INT && sort == SP_SORT_REAL) {
    return sp_i2r(t.p, v.e);
  }
  if (is != sort) {
    wrong(&t, s->body, "the result has another type in the program");
  }
  if (sort == SP_SORT_INT) {
    spi_assume(call, SPI_NO_OVERFLOW);
  }
  return v.e;
}
