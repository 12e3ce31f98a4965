/* meaning.c: reading the meaning of a custom operator: its signature, its
 * statements, and whether all names in them are there (lang_names.h). What a
 * formula is worth is meaning_term.c's business. */
#include "encode/meaning.h"

#include "encode/lang_names.h"

#include "base/vec.h"

#include <string.h>

enum { MAX_STATEMENTS = 64 };

typedef struct reading {
  sp_ctx *ctx;
  sp_lang_reader r;
  SP_VEC(sp_meaning_param) params;
  SP_VEC(sp_meaning_result) results;
  SP_VEC(sp_meaning_statement) statements;
} reading;

/* ---- signature ---- */

/* "[*B, H]", at '['. */
static const sp_lang *const *dims(reading *x, uint32_t *n) {
  const sp_lang *list = sp_lang_expression(&x->r);
  if (list->kind != SP_LANG_LIST) {
    sp_lang_fail(x->ctx, list->loc, NULL, "sizes in [ ] expected");
  }
  *n = list->n;
  return list->args;
}

static sp_meaning_kind kind_of(reading *x) {
  static const struct {
    const char *name;
    sp_meaning_kind kind;
  } kinds[] = {
      {"int", SP_MEANING_INT},   {"real", SP_MEANING_REAL},
      {"bool", SP_MEANING_BOOL}, {"text", SP_MEANING_TEXT},
      {"list", SP_MEANING_LIST}, {"any", SP_MEANING_ANY},
  };
  sp_loc loc = x->r.loc;
  const char *name = sp_lang_name(&x->r, "a kind");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, name) == 0) {
      return kinds[i].kind;
    }
  }
  sp_lang_fail(x->ctx, loc, "int, real, bool, text, list or any",
               "%.60s is no kind of parameter", name);
}

static void read_param(reading *x) {
  sp_lang_reader *r = &x->r;
  sp_meaning_param q = {.loc = r->loc};
  q.name = sp_lang_name(r, "the name of a parameter");
  for (size_t i = 0; i < x->params.n; i++) {
    if (strcmp(x->params.v[i].name, q.name) == 0) {
      sp_lang_fail(x->ctx, q.loc, NULL, "two parameters are called %s", q.name);
    }
  }
  if (sp_lang_is(r, "[")) {
    q.kind = SP_MEANING_TENSOR;
    q.dims = dims(x, &q.n_dims);
  } else {
    sp_lang_expect(r, ":", "after the name of a parameter that is no tensor");
    q.kind = kind_of(x);
    q.absent = sp_lang_accept(r, "=") ? sp_lang_expression(r) : NULL;
  }
  sp_push(x->ctx, &x->params, q);
}

static void read_result(reading *x) {
  sp_lang_reader *r = &x->r;
  sp_meaning_result q = {.loc = r->loc};
  const char *name = sp_lang_name(r, "the name of a result");
  if (strcmp(name, "_") != 0) {
    q.name = name;
    if (!sp_lang_is(r, "[")) {
      sp_lang_fail(x->ctx, r->loc, "a scalar has the sizes []",
                   "sizes in [ ] expected after the result %s", name);
    }
    q.dims = dims(x, &q.n_dims);
  }
  sp_push(x->ctx, &x->results, q);
}

static void read_signature(reading *x) {
  sp_lang_reader *r = &x->r;
  sp_lang_expect(r, "(", "before the parameters");
  while (!sp_lang_accept(r, ")")) {
    if (x->params.n > 0) {
      sp_lang_expect(r, ",", "between parameters");
    }
    read_param(x);
  }
  sp_lang_expect(r, "->", "after the parameters");
  do {
    read_result(x);
  } while (sp_lang_accept(r, ","));
}

/* ---- statements ---- */

static void read_statement(reading *x) {
  sp_lang_reader *r = &x->r;
  sp_meaning_statement s = {.loc = r->loc, .kind = SP_MEANING_LET};
  s.name = sp_lang_name(r, "a statement");
  bool require = strcmp(s.name, "require") == 0;
  if (require || strcmp(s.name, "assume") == 0) {
    s.kind = require ? SP_MEANING_REQUIRE : SP_MEANING_ASSUME;
    s.body = sp_lang_expression(r);
    if (!require && s.body->kind != SP_LANG_STRING) {
      sp_lang_fail(x->ctx, s.body->loc, NULL, "a text in quotes expected");
    }
  } else {
    if (sp_lang_accept(r, "(")) {
      s.kind = SP_MEANING_FUNCTION;
      s.vars = sp_lang_variables(r, ")", &s.n_vars);
    } else if (sp_lang_accept(r, "[")) {
      s.kind = SP_MEANING_ELEMENT;
      s.vars = sp_lang_variables(r, "]", &s.n_vars);
    }
    sp_lang_expect(r, "=", "after what is defined");
    s.body = sp_lang_expression(r);
  }
  if (x->statements.n >= MAX_STATEMENTS) {
    sp_lang_fail(x->ctx, s.loc, NULL, "over %d statements", MAX_STATEMENTS);
  }
  sp_push(x->ctx, &x->statements, s);
}

static void read_statements(reading *x) {
  sp_lang_reader *r = &x->r;
  while (r->token != SP_LANG_END) {
    if (r->token != SP_LANG_LINE) {
      sp_lang_fail(x->ctx, r->loc,
                   "one statement a line; a line that begins with a blank "
                   "goes on with the one before",
                   "the statement should end here");
    }
    sp_lang_next(r);
    if (r->token != SP_LANG_END) {
      read_statement(x);
    }
  }
}

/* Sizes that stand alone bind their names, at the first use. */
static void check_param(sp_lang_names *c, const sp_meaning_param *q) {
  if (q->kind == SP_MEANING_LIST) {
    sp_lang_names_add(c, q->name, SP_LANG_IS_LIST, q->loc);
  } else if (q->kind == SP_MEANING_TENSOR) {
    sp_lang_names_add(c, q->name, SP_LANG_IS_TENSOR, q->loc);
  } else if (q->kind != SP_MEANING_ANY) {
    sp_lang_names_add(c, q->name, SP_LANG_IS_VALUE, q->loc);
  }
  for (uint32_t i = 0; i < q->n_dims; i++) {
    const sp_lang *d = q->dims[i];
    bool spread = d->kind == SP_LANG_SPREAD;
    const sp_lang *name = spread ? d->args[0] : d;
    if (spread && name->kind != SP_LANG_NAME) {
      sp_lang_fail(c->ctx, d->loc, NULL, "a name expected after *");
    }
    if (name->kind == SP_LANG_NAME && !sp_lang_names_find(c, name->name)) {
      sp_lang_names_add(c, name->name,
                        spread ? SP_LANG_IS_LIST : SP_LANG_IS_VALUE, name->loc);
    }
  }
}

static const sp_meaning_statement *element_of(const sp_meaning *m,
                                              const char *name) {
  for (uint32_t i = 0; i < m->n_statements; i++) {
    if (m->statements[i].kind == SP_MEANING_ELEMENT &&
        strcmp(m->statements[i].name, name) == 0) {
      return &m->statements[i];
    }
  }
  return NULL;
}

static void check_results(sp_lang_names *c, const sp_meaning *m) {
  for (uint32_t i = 0; i < m->n_results; i++) {
    const sp_meaning_result *q = &m->results[i];
    for (uint32_t k = 0; k < q->n_dims; k++) {
      sp_lang_names_check(c, q->dims[k]);
    }
    if (q->name && !element_of(m, q->name)) {
      sp_lang_fail(c->ctx, q->loc, "write NAME[i, j] = ...",
                   "nothing says what the result %.60s is", q->name);
    }
  }
}

/* Do the variables stand one to one for the sizes in the signature? */
static bool is_like(const sp_meaning_result *q, const sp_meaning_statement *s) {
  bool like = q->n_dims == s->n_vars;
  for (uint32_t i = 0; like && i < q->n_dims; i++) {
    like = s->vars[i].spread == (q->dims[i]->kind == SP_LANG_SPREAD);
  }
  return like;
}

/* Whether its variables are like the signature. */
static bool check_element(sp_lang_names *c, const sp_meaning *m,
                          const sp_meaning_statement *s) {
  for (uint32_t i = 0; i < m->n_results; i++) {
    if (m->results[i].name && strcmp(m->results[i].name, s->name) == 0) {
      if (element_of(m, s->name) != s) {
        sp_lang_fail(c->ctx, s->loc, NULL, "the result %.60s is said twice",
                     s->name);
      }
      return is_like(&m->results[i], s);
    }
  }
  sp_lang_fail(c->ctx, s->loc, NULL, "%.60s is no result", s->name);
}

static void check_statement(sp_lang_names *c, const sp_meaning *m,
                            const sp_meaning_statement *s) {
  size_t was = c->rows.n;
  bool like = s->kind == SP_MEANING_ELEMENT && check_element(c, m, s);
  if (s->kind != SP_MEANING_ASSUME) {
    sp_lang_names_add_vars(c, s->n_vars, s->vars, like);
    sp_lang_names_check(c, s->body);
  }
  c->rows.n = was;
  if (s->kind == SP_MEANING_LET) {
    sp_lang_names_add(c, s->name, SP_LANG_IS_VALUE, s->loc);
  } else if (s->kind == SP_MEANING_FUNCTION) {
    sp_lang_names_add(c, s->name, SP_LANG_IS_FUNCTION, s->loc);
  }
}

static void check_meaning(sp_ctx *ctx, const sp_meaning *m) {
  sp_lang_names c = {.ctx = ctx, .guide = "docs/specs.md lists the functions"};
  for (uint32_t i = 0; i < m->n_params; i++) {
    check_param(&c, &m->params[i]);
  }
  for (uint32_t i = 0; i < m->n_params; i++) {
    const sp_meaning_param *q = &m->params[i];
    for (uint32_t k = 0; k < q->n_dims; k++) {
      sp_lang_names_check(&c, q->dims[k]);
    }
  }
  check_results(&c, m);
  for (uint32_t i = 0; i < m->n_statements; i++) {
    check_statement(&c, m, &m->statements[i]);
  }
}

const sp_meaning *sp_meaning_read(sp_ctx *ctx, const char *name,
                                  const sp_lang_text *text) {
  reading x = {.ctx = ctx};
  sp_lang_start(&x.r, ctx, text);
  if (x.r.token == SP_LANG_LINE) {
    sp_lang_next(&x.r);
  }
  sp_meaning *m = sp_alloc(ctx, sizeof *m);
  m->name = name;
  m->loc = x.r.loc;
  read_signature(&x);
  read_statements(&x);
  m->n_params = (uint32_t)x.params.n;
  m->params = x.params.v;
  m->n_results = (uint32_t)x.results.n;
  m->results = x.results.v;
  m->n_statements = (uint32_t)x.statements.n;
  m->statements = x.statements.v;
  check_meaning(ctx, m);
  return m;
}
