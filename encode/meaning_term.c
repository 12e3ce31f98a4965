/* meaning_term.c: an element of a custom operator's result as a term: a fold
 * over the formula. Read spi_form, the fold; what it calls comes before. */
#include "encode/meaning_term.h"

#include <string.h>

enum { MAX_WORK = 1 << 18, MAX_DEPTH = 1024 };

noreturn void spi_form_wrong_with(const spi_forming *t, const sp_lang *e,
                                  const char *hint, const char *text) {
  if (t->m->exact) {
    sp_lang_fail(t->ctx, e->loc, hint, "%s", text);
  }
  sp_raise(t->ctx, SP_ERR_INPUT, e->loc,
           sp_format(t->ctx, "used at %s, line %u",
                     t->call->node->pos.dump.file ? t->call->node->pos.dump.file
                                                  : "?",
                     t->call->node->pos.dump.line),
           "the meaning of %s: %s", t->m->name, text);
}

noreturn void spi_form_wrong(const spi_forming *t, const sp_lang *e,
                             const char *text) {
  spi_form_wrong_with(t, e, NULL, text);
}

static spi_formed of_text(const char *text) {
  return (spi_formed){.kind = SPI_TEXT, .text = text};
}

sp_expr spi_form_term(spi_forming *t, const sp_lang *e) {
  spi_formed v = spi_form(t, e);
  if (v.kind != SPI_TERM) {
    spi_form_wrong(t, e, "one number expected here");
  }
  return v.e;
}

static sp_sort sort_of(const spi_forming *t, sp_expr e) {
  return sp_sort_of(t->p, e);
}

sp_expr spi_form_int(spi_forming *t, const sp_lang *e) {
  sp_expr x = spi_form_term(t, e);
  if (sort_of(t, x) != SP_SORT_INT) {
    spi_form_wrong(t, e, "an integer expected here");
  }
  return x;
}

/* x, which e stands for, as a real. */
static sp_expr as_real(const spi_forming *t, const sp_lang *e, sp_expr x) {
  if (sort_of(t, x) == SP_SORT_INT) {
    return sp_i2r(t->p, x);
  }
  if (sort_of(t, x) != SP_SORT_REAL) {
    spi_form_wrong(t, e, "a number expected here, not a condition");
  }
  return x;
}

sp_expr spi_form_real(spi_forming *t, const sp_lang *e) {
  return as_real(t, e, spi_form_term(t, e));
}

sp_expr spi_form_bool(spi_forming *t, const sp_lang *e) {
  sp_expr x = spi_form_term(t, e);
  if (sort_of(t, x) != SP_SORT_BOOL) {
    spi_form_wrong(t, e, "a condition expected here");
  }
  return x;
}

/* Both as integers, or both as reals. */
sp_sort spi_join_sorts(spi_forming *t, const sp_lang *e, sp_expr *a,
                       sp_expr *b) {
  sp_sort x = sort_of(t, *a), y = sort_of(t, *b);
  if (x == y) {
    return x;
  }
  if (x == SP_SORT_BOOL || y == SP_SORT_BOOL) {
    spi_form_wrong(t, e, "a condition and a number do not go together");
  }
  *a = x == SP_SORT_INT ? sp_i2r(t->p, *a) : *a;
  *b = y == SP_SORT_INT ? sp_i2r(t->p, *b) : *b;
  return SP_SORT_REAL;
}

/* ---- statements ---- */

void spi_form_bind(spi_forming *t, const char *name, spi_formed v) {
  spi_binding *b = sp_alloc(t->ctx, sizeof *b);
  *b = (spi_binding){name, v, t->local};
  t->local = b;
}

static const sp_meaning_param *param_of(const spi_forming *t,
                                        const char *name) {
  for (uint32_t i = 0; i < t->m->n_params; i++) {
    if (strcmp(t->m->params[i].name, name) == 0) {
      return &t->m->params[i];
    }
  }
  return NULL;
}

const sp_meaning_statement *spi_form_statement(const spi_forming *t,
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

static spi_formed of_ints(const spi_forming *t, uint32_t n, const int64_t *v) {
  sp_expr *list = sp_alloc_n(t->ctx, n + 1u, sizeof *list);
  for (uint32_t i = 0; i < n; i++) {
    list[i] = sp_int(t->p, v[i]);
  }
  return (spi_formed){.kind = SPI_LIST, .n = n, .v = list};
}

/* Several spread variables of a result: as long as in the signature. */
static uint32_t spread_length(const spi_forming *t,
                              const sp_meaning_statement *s, uint32_t i,
                              uint32_t rest) {
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
spi_formed spi_form_apply(spi_forming *t, const sp_meaning_statement *s,
                          const sp_lang *at, uint32_t n, const sp_expr *v) {
  uint32_t plain = 0;
  bool spread = false;
  for (uint32_t i = 0; i < s->n_vars; i++) {
    plain += !s->vars[i].spread;
    spread = spread || s->vars[i].spread;
  }
  if (n < plain || (!spread && n != plain)) {
    spi_form_wrong(
        t, at ? at : s->body,
        sp_format(t->ctx, "%s takes %u indices, not %u", s->name, plain, n));
  }
  const spi_binding *was = t->local;
  t->local = NULL; /* only its own variables */
  const sp_expr *x = v;
  for (uint32_t i = 0; i < s->n_vars; i++) {
    if (s->vars[i].spread) {
      uint32_t k = spread_length(t, s, i, n - plain);
      if (k > (uint32_t)(v + n - x)) {
        spi_form_wrong(t, s->body,
                       "the result has another shape in the program");
      }
      spi_form_bind(t, s->vars[i].name,
                    (spi_formed){.kind = SPI_LIST, .n = k, .v = x});
      x += k;
    } else {
      if (x == v + n) {
        spi_form_wrong(t, s->body,
                       "the result has another shape in the program");
      }
      spi_form_bind(t, s->vars[i].name, spi_of(*x++));
    }
  }
  spi_formed out = spi_form(t, s->body);
  t->local = was;
  return out;
}

/* ---- parameters ---- */

static spi_formed param_value(spi_forming *t, const sp_meaning_param *q,
                              const sp_lang *e) {
  const sp_attr *a = sp_node_attr(t->call->node, q->name);
  if (!a) {
    if (!q->absent) {
      spi_form_wrong(t, e, sp_format(t->ctx, "%s is not given", q->name));
    }
    spi_formed v = spi_form(t, q->absent);
    bool widen = q->kind == SP_MEANING_REAL && v.kind == SPI_TERM &&
                 sort_of(t, v.e) == SP_SORT_INT;
    return widen ? spi_of(sp_i2r(t->p, v.e)) : v;
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
    return spi_of(spi_float(t->p, a->u.f, SP_F64));
  } else {
    spi_unknown(t->ctx, t->call->node, "argument %s is %s", q->name,
                spi_attr_kind_name(a->kind));
  }
  if (q->kind == SP_MEANING_BOOL && a->kind == SP_ATTR_INT) {
    return spi_of(sp_bool(t->p, a->u.i != 0));
  }
  if (q->kind == SP_MEANING_BOOL) {
    return spi_of(sp_not(t->p, sp_eq(t->p, x, sp_int(t->p, 0))));
  }
  return spi_of(q->kind == SP_MEANING_REAL ? sp_i2r(t->p, x) : x);
}

/* ---- names ---- */

static spi_formed name_value(spi_forming *t, const sp_lang *e) {
  for (const spi_binding *b = t->local; b; b = b->next) {
    if (strcmp(b->name, e->name) == 0) {
      return b->value;
    }
  }
  const spi_size *size = spi_sizes_find(&t->sizes, e->name);
  if (size) {
    return size->list ? of_ints(t, size->n, size->v)
                      : spi_of(sp_int(t->p, size->v[0]));
  }
  const sp_meaning_statement *s = spi_form_statement(t, e->name);
  if (s) {
    return spi_form_apply(t, s, e, 0, NULL);
  }
  const sp_meaning_param *q = param_of(t, e->name);
  if (!q && strcmp(e->name, "inf") == 0) {
    return spi_of(sp_inf(t->p, false));
  }
  if (!q) {
    spi_form_wrong(t, e, sp_format(t->ctx, "nothing is called %s", e->name));
  }
  return q->kind == SP_MEANING_TENSOR ? spi_form_read(t, q, e, 0, NULL)
                                      : param_value(t, q, e);
}

/* ---- lists ---- */

void spi_form_append(spi_forming *t, const sp_lang *e, spi_terms *out) {
  if (e->kind != SP_LANG_SPREAD) {
    sp_push(t->ctx, out, spi_form_term(t, e));
    return;
  }
  spi_formed v = spi_form(t, e->args[0]);
  if (v.kind != SPI_LIST) {
    spi_form_wrong(t, e, "* of something that is no list");
  }
  for (uint32_t i = 0; i < v.n; i++) {
    sp_push(t->ctx, out, v.v[i]);
  }
}

spi_terms spi_form_list(spi_forming *t, uint32_t n,
                        const sp_lang *const *args) {
  spi_terms out = {0};
  for (uint32_t i = 0; i < n; i++) {
    spi_form_append(t, args[i], &out);
  }
  if (out.n > SP_MAX_DIMS) {
    spi_form_wrong(t, args[0], "too many indices");
  }
  return out;
}

spi_terms spi_form_ints(spi_forming *t, const sp_lang *e, uint32_t n,
                        const sp_lang *const *args) {
  spi_terms out = spi_form_list(t, n, args);
  for (size_t i = 0; i < out.n; i++) {
    if (sort_of(t, out.v[i]) != SP_SORT_INT) {
      spi_form_wrong_with(t, e,
                          "i div 2 rounds down; x[i]: int = ... holds "
                          "integers",
                          "indices are integers");
    }
  }
  return out;
}

/* ---- arithmetic ---- */

/* Of constants: equal terms have equal ids. */
static bool lists_equal(spi_formed a, spi_formed b) {
  if (a.kind == SPI_TEXT && b.kind == SPI_TEXT) {
    return strcmp(a.text, b.text) == 0;
  }
  bool same = a.kind == SPI_LIST && b.kind == SPI_LIST && a.n == b.n;
  for (uint32_t i = 0; same && i < a.n; i++) {
    same = a.v[i].v == b.v[i].v;
  }
  return same;
}

static spi_formed compare(spi_forming *t, const sp_lang *e) {
  spi_formed x = spi_form(t, e->args[0]), y = spi_form(t, e->args[1]);
  sp_pool *p = t->p;
  bool equality = e->op == SP_LANG_EQ || e->op == SP_LANG_NE;
  if (x.kind != SPI_TERM || y.kind != SPI_TERM) {
    if (!equality || x.kind != y.kind) {
      spi_form_wrong(t, e, "these cannot be compared");
    }
    return spi_of(sp_bool(p, lists_equal(x, y) == (e->op == SP_LANG_EQ)));
  }
  sp_expr a = x.e, b = y.e;
  if (spi_join_sorts(t, e, &a, &b) == SP_SORT_BOOL && !equality) {
    spi_form_wrong(t, e, "conditions have no order");
  }
  if (equality) {
    sp_expr eq = sp_eq(p, a, b);
    return spi_of(e->op == SP_LANG_EQ ? eq : sp_not(p, eq));
  }
  switch (e->op) {
  case SP_LANG_LT:
    return spi_of(sp_lt(p, a, b));
  case SP_LANG_LE:
    return spi_of(sp_le(p, a, b));
  case SP_LANG_GT:
    return spi_of(sp_lt(p, b, a));
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
  return spi_of(sp_le(p, b, a));
}

static spi_formed arithmetic(spi_forming *t, const sp_lang *e) {
  sp_expr a = spi_form_term(t, e->args[0]), b = spi_form_term(t, e->args[1]);
  sp_sort sort = spi_join_sorts(t, e, &a, &b);
  sp_pool *p = t->p;
  if (sort == SP_SORT_BOOL) {
    spi_form_wrong(t, e, "conditions cannot be added or multiplied");
  }
  bool whole = sort == SP_SORT_INT;
  if (e->op == SP_LANG_ADD) {
    return spi_of(whole ? sp_iadd(p, a, b) : sp_add(p, a, b));
  }
  if (e->op == SP_LANG_SUB) {
    return spi_of(whole ? sp_isub(p, a, b) : sp_sub(p, a, b));
  }
  return spi_of(whole ? sp_imul(p, a, b) : sp_mul(p, a, b));
}

/* Rounded down; by a size or a number. */
static spi_formed divide(spi_forming *t, const sp_lang *e) {
  sp_expr a = spi_form_int(t, e->args[0]);
  if (!spi_sizes_known(&t->sizes, e->args[1])) {
    spi_form_wrong(t, e->args[1],
                   "div and mod take a divisor that is made of sizes "
                   "and numbers");
  }
  int64_t c = spi_sizes_value(&t->sizes, e->args[1]);
  if (c < 1) {
    spi_form_wrong(t, e->args[1], "the divisor is not above 0");
  }
  return spi_of(e->op == SP_LANG_DIV ? sp_idiv(t->p, a, c)
                                     : sp_imod(t->p, a, c));
}

static spi_formed power(spi_forming *t, const sp_lang *e) {
  if (!spi_sizes_known(&t->sizes, e->args[1])) {
    spi_form_wrong_with(t, e->args[1], "write exp(y * log(x)) for x ^ y",
                        "the exponent is not made of sizes and numbers");
  }
  int64_t k = spi_sizes_value(&t->sizes, e->args[1]);
  sp_expr a = spi_form_term(t, e->args[0]);
  bool whole = sort_of(t, a) == SP_SORT_INT && k >= 0;
  a = whole ? a : as_real(t, e->args[0], a);
  if (k < -16 || k > 16) {
    spi_form_wrong(t, e, "exponents go from -16 to 16");
  }
  sp_expr out = whole ? sp_int(t->p, 1) : sp_real_i64(t->p, 1);
  for (int64_t i = 0; i < (k < 0 ? -k : k); i++) {
    out = whole ? sp_imul(t->p, out, a) : sp_mul(t->p, out, a);
  }
  return spi_of(k < 0 ? sp_inv(t->p, out) : out);
}

/* e where the guard holds. */
static spi_formed under(spi_forming *t, sp_expr guard, const sp_lang *e) {
  sp_push(t->ctx, &t->guards, guard);
  spi_formed v = spi_form(t, e);
  t->guards.n--;
  return v;
}

/* The second condition matters only where the first does not decide. */
static spi_formed logic(spi_forming *t, const sp_lang *e) {
  bool both = e->op == SP_LANG_AND;
  sp_expr a = spi_form_bool(t, e->args[0]);
  spi_formed v = under(t, both ? a : sp_not(t->p, a), e->args[1]);
  if (v.kind != SPI_TERM || sort_of(t, v.e) != SP_SORT_BOOL) {
    spi_form_wrong(t, e->args[1], "a condition expected here");
  }
  return spi_of(both ? sp_and(t->p, a, v.e) : sp_or(t->p, a, v.e));
}

static spi_formed binary(spi_forming *t, const sp_lang *e) {
  switch (e->op) {
  case SP_LANG_ADD:
  case SP_LANG_SUB:
  case SP_LANG_MUL:
    return arithmetic(t, e);
  case SP_LANG_OVER: {
    if (spi_sizes_known(&t->sizes, e)) { /* without a remainder */
      return spi_of(sp_int(t->p, spi_sizes_value(&t->sizes, e)));
    }
    sp_expr a = spi_form_real(t, e->args[0]);
    return spi_of(sp_div(t->p, a, spi_form_real(t, e->args[1])));
  }
  case SP_LANG_DIV:
  case SP_LANG_MOD:
    return divide(t, e);
  case SP_LANG_POWER:
    return power(t, e);
  case SP_LANG_AND:
  case SP_LANG_OR:
    return logic(t, e);
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
static sp_expr decided(spi_forming *t, const sp_lang *e) {
  sp_mode was = sp_pool_mode(t->p, SP_MODE_NORMAL);
  sp_expr c = spi_form_bool(t, e);
  sp_pool_mode(t->p, was);
  return c;
}

/* A condition on attributes decides here; the other branch may not fit. */
static spi_formed choose(spi_forming *t, const sp_lang *e) {
  sp_expr c =
      t->m->exact ? spi_form_bool(t, e->args[0]) : decided(t, e->args[0]);
  if (sp_is_true(t->p, c) || sp_is_false(t->p, c)) {
    return spi_form(t, e->args[sp_is_true(t->p, c) ? 1 : 2]);
  }
  c = t->m->exact ? c : spi_form_bool(t, e->args[0]);
  spi_formed x = under(t, c, e->args[1]);
  spi_formed y = under(t, sp_not(t->p, c), e->args[2]);
  if (x.kind != SPI_TERM || y.kind != SPI_TERM) {
    spi_form_wrong(t, e, "one number expected in each branch");
  }
  spi_join_sorts(t, e, &x.e, &y.e);
  return spi_of(sp_ite(t->p, c, x.e, y.e));
}

static spi_formed negate(spi_forming *t, const sp_lang *e) {
  sp_expr a = spi_form_term(t, e->args[0]);
  if (sort_of(t, a) == SP_SORT_INT) {
    return spi_of(sp_iscale(t->p, a, -1));
  }
  a = as_real(t, e->args[0], a);
  return spi_of(sp_scale(t->p, a, sp_num_from_i64(t->p, -1)));
}

static spi_formed fold(spi_forming *t, const sp_lang *e) {
  switch (e->kind) {
  case SP_LANG_INT:
    return spi_of(sp_int(t->p, e->i));
  case SP_LANG_REAL:
    return spi_of(sp_real(t->p, sp_num_from_double(t->p, e->r, 53)));
  case SP_LANG_TRUTH:
    return spi_of(sp_bool(t->p, e->i != 0));
  case SP_LANG_STRING:
    return of_text(e->name);
  case SP_LANG_NAME:
    return name_value(t, e);
  case SP_LANG_LIST: {
    spi_terms v = spi_form_list(t, e->n, e->args);
    return (spi_formed){.kind = SPI_LIST, .n = (uint32_t)v.n, .v = v.v};
  }
  case SP_LANG_READ: {
    spi_terms v = spi_form_ints(t, e, e->n, e->args);
    return spi_form_read(t, param_of(t, e->name), e, (uint32_t)v.n, v.v);
  }
  case SP_LANG_AXIS:
    return spi_form_coordinate(t, e);
  case SP_LANG_CALL:
    return spi_form_call(t, e);
  case SP_LANG_BIND:
    return spi_form_reduction(t, e);
  case SP_LANG_NOT:
    return spi_of(sp_not(t->p, spi_form_bool(t, e->args[0])));
  case SP_LANG_NEGATE:
    return negate(t, e);
  case SP_LANG_BINARY:
    return binary(t, e);
  case SP_LANG_IF:
    return choose(t, e);
  case SP_LANG_SPREAD:
    break;
  }
  spi_form_wrong(t, e, "* outside of a list");
}

spi_formed spi_form(spi_forming *t, const sp_lang *e) {
  if (++t->work > MAX_WORK || ++t->depth > MAX_DEPTH) {
    sp_raise(t->ctx, SP_ERR_LIMIT, e->loc, NULL,
             "the meaning of %s unfolds to too large a formula", t->m->name);
  }
  spi_formed v = fold(t, e);
  t->depth--;
  return v;
}

/* ---- elements ---- */

static void preconditions(spi_forming *t) {
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

/* What says the result's elements: sp_meaning_read has seen to it that there is
 * something. */
static const sp_meaning_statement *definition(const spi_forming *t) {
  const sp_call *call = t->call;
  const char *name =
      call->result < t->m->n_results ? t->m->results[call->result].name : NULL;
  if (!name) {
    spi_unknown(t->ctx, call->node, "its meaning says nothing of result %u",
                call->result);
  }
  const sp_meaning_statement *s = t->m->statements;
  while (s->kind != SP_MEANING_ELEMENT || strcmp(s->name, name) != 0) {
    s++;
  }
  return s;
}

/* Of whatever sort the formula has. */
static sp_expr element(spi_forming *t, const sp_meaning_statement *s,
                       const sp_expr *idx) {
  spi_sizes_bind(&t->sizes, t->ctx, t->call->program, t->call->node);
  preconditions(t);
  spi_formed v =
      spi_form_apply(t, s, NULL, sp_call_result_shape(t->call)->n_dims, idx);
  if (v.kind != SPI_TERM) {
    spi_form_wrong(t, s->body, "an element is one number");
  }
  return v.e;
}

static spi_forming forming(const sp_call *call) {
  return (spi_forming){.call = call,
                       .p = call->pool,
                       .ctx = sp_pool_ctx(call->pool),
                       .m = spi_meaning_of(call->node)};
}

sp_expr sp_meaning_survey(const sp_call *call, const sp_expr *idx,
                          sp_meaning_visit visit, void *env) {
  spi_forming t = forming(call);
  t.visit = visit;
  t.visit_env = env;
  return element(&t, definition(&t), idx);
}

sp_expr spi_meaning_element(const sp_call *call, const sp_expr *idx) {
  spi_forming t = forming(call);
  const sp_meaning_statement *s = definition(&t);
  sp_expr e = element(&t, s, idx);
  sp_sort is = sort_of(&t, e), sort = sp_dtype_sort(spi_out_dtype(call));
  if (is == SP_SORT_INT && sort == SP_SORT_REAL) {
    return sp_i2r(t.p, e);
  }
  if (is != sort) {
    spi_form_wrong(&t, s->body, "the result has another type in the program");
  }
  if (sort == SP_SORT_INT && !t.m->exact) {
    spi_assume(call, SPI_NO_OVERFLOW);
  }
  return e;
}
