/* lang.c: expressions by level of binding (or, and, not, comparison, sum,
 * product, sign, power, atom): read from the end. lang_token.c has the tokens.
 */
#include "encode/lang.h"

#include "base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef SP_VEC(const sp_lang *) lang_list;

static sp_lang *make(sp_lang_reader *r, sp_lang_kind kind, sp_loc loc) {
  sp_lang *e = sp_alloc(r->ctx, sizeof *e);
  e->kind = kind;
  e->loc = loc;
  e->name = "";
  return e;
}

static void reach(sp_lang_reader *r, sp_lang *e, const sp_lang *arg) {
  if (arg && arg->height + 1 > e->height) {
    e->height = arg->height + 1;
  }
  if (e->height > SP_LANG_HEIGHT) {
    sp_lang_fail(r->ctx, e->loc, "give a part of it a name",
                 "a formula of over %d terms or levels", SP_LANG_HEIGHT);
  }
}

static void set_args(sp_lang_reader *r, sp_lang *e, uint32_t n,
                     const sp_lang *a, const sp_lang *b, const sp_lang *c) {
  const sp_lang **args = sp_alloc_n(r->ctx, 3, sizeof *args);
  args[0] = a;
  args[1] = b;
  args[2] = c;
  e->n = n;
  e->args = args;
  reach(r, e, a);
  reach(r, e, b);
  reach(r, e, c);
}

static const sp_lang *binary(sp_lang_reader *r, sp_lang_op op, sp_loc loc,
                             const sp_lang *a, const sp_lang *b) {
  sp_lang *e = make(r, SP_LANG_BINARY, loc);
  e->op = op;
  set_args(r, e, 2, a, b, NULL);
  return e;
}

static void deeper(sp_lang_reader *r) {
  if (++r->depth > SP_LANG_DEPTH) {
    sp_lang_fail(r->ctx, r->loc, "give a part of it a name", "nested too deep");
  }
}

/* One of a list, or a spread one; up to a closing sign or ';'. */
static void items(sp_lang_reader *r, lang_list *list) {
  for (;;) {
    sp_loc loc = r->loc;
    if (list->n >= SP_LANG_ITEMS) {
      sp_lang_fail(r->ctx, loc, NULL, "over %d items", SP_LANG_ITEMS);
    }
    if (sp_lang_accept(r, "*")) {
      sp_lang *e = make(r, SP_LANG_SPREAD, loc);
      set_args(r, e, 1, sp_lang_expression(r), NULL, NULL);
      sp_push(r->ctx, list, e);
    } else {
      sp_push(r->ctx, list, sp_lang_expression(r));
    }
    if (!sp_lang_accept(r, ",")) {
      return;
    }
  }
}

static void arguments(sp_lang_reader *r, sp_lang *e, const char *close) {
  lang_list list = {0};
  if (!sp_lang_is(r, close) && !sp_lang_is(r, ";")) {
    items(r, &list);
  }
  e->n = (uint32_t)list.n;
  if (sp_lang_accept(r, ";")) {
    items(r, &list);
    e->n_more = (uint32_t)list.n - e->n;
  }
  e->args = list.v;
  for (size_t i = 0; i < list.n; i++) {
    reach(r, e, list.v[i]);
  }
  sp_lang_expect(r, close, "after the arguments");
}

const sp_lang_var *sp_lang_variables(sp_lang_reader *r, const char *close,
                                     uint32_t *n) {
  SP_VEC(sp_lang_var) vars = {0};
  while (!sp_lang_accept(r, close)) {
    if (vars.n > 0) {
      sp_lang_expect(r, ",", "between variables");
    }
    sp_lang_var v = {.loc = r->loc, .spread = sp_lang_accept(r, "*")};
    v.name = sp_lang_name(r, "the name of a variable");
    if (vars.n >= SP_LANG_ITEMS) {
      sp_lang_fail(r->ctx, v.loc, NULL, "over %d variables", SP_LANG_ITEMS);
    }
    sp_push(r->ctx, &vars, v);
  }
  *n = (uint32_t)vars.n;
  return vars.v;
}

static bool binds(const char *name) {
  static const char *const names[] = {"sum", "prod",   "max",    "min",   "any",
                                      "all", "argmax", "argmin", "lambda"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i], name) == 0) {
      return true;
    }
  }
  return false;
}

/* max(a, b) or max(k < n; ...)? At the token after '('. Conditions have no
 * maximum, so a comparison there is a bound variable. */
static bool has_variable(const sp_lang_reader *r) {
  sp_lang_reader ahead = *r;
  sp_lang_accept(&ahead, "*");
  if (ahead.token != SP_LANG_WORD) {
    return false;
  }
  sp_lang_next(&ahead);
  return sp_lang_is(&ahead, "<");
}

static const sp_lang *compare_level(sp_lang_reader *r);
static const sp_lang *product_level(sp_lang_reader *r);

/* After "sum(k < n)": as far as products go (sum(k < n) a[k] * b[k] + c adds c
 * once); of any and all, as far as a comparison. */
static const sp_lang *open_body(sp_lang_reader *r, const char *name) {
  if (sp_lang_is(r, "if")) {
    return sp_lang_expression(r);
  }
  bool logic = strcmp(name, "any") == 0 || strcmp(name, "all") == 0;
  return logic ? compare_level(r) : product_level(r);
}

static sp_lang_var bound_variable(sp_lang_reader *r) {
  sp_lang_var v = {.loc = r->loc, .spread = sp_lang_accept(r, "*")};
  v.name = sp_lang_name(r, "a bound variable");
  sp_lang_expect(r, "<", "after a bound variable");
  if (v.spread) {
    sp_lang_expect(r, "*", "before the sizes of several variables");
  }
  v.size = sp_lang_sum(r);
  return v;
}

/* name(k < n, *i < *B; body) or name(k < n) body, after '('. */
static const sp_lang *binder(sp_lang_reader *r, const char *name, sp_loc loc) {
  SP_VEC(sp_lang_var) vars = {0};
  do {
    if (vars.n >= SP_LANG_ITEMS) {
      sp_lang_fail(r->ctx, r->loc, NULL, "over %d variables", SP_LANG_ITEMS);
    }
    sp_lang_var v = bound_variable(r);
    sp_push(r->ctx, &vars, v);
  } while (sp_lang_accept(r, ","));
  sp_lang *e = make(r, SP_LANG_BIND, loc);
  e->name = name;
  e->vars = vars.v;
  e->n_vars = (uint32_t)vars.n;
  for (size_t i = 0; i < vars.n; i++) {
    reach(r, e, vars.v[i].size);
  }
  if (sp_lang_accept(r, ")")) {
    set_args(r, e, 1, open_body(r, name), NULL, NULL);
    return e;
  }
  sp_lang_expect(r, ";", "after the bound variables");
  set_args(r, e, 1, sp_lang_expression(r), NULL, NULL);
  sp_lang_expect(r, ")", "after the body");
  return e;
}

const sp_lang_var *sp_lang_coordinates(sp_lang_reader *r, uint32_t *n) {
  SP_VEC(sp_lang_var) vars = {0};
  if (!sp_lang_accept(r, "(")) {
    sp_lang_fail(r->ctx, r->loc,
                 "x@(g = 1)[i] is x[i] of the rank whose g is 1; a product of "
                 "matrices is sum(k < K) a[i, k] * b[k, j]",
                 "\"(\" is missing after @, before %s", sp_lang_found(r));
  }
  do {
    sp_lang_var v = {.loc = r->loc};
    if (r->token != SP_LANG_WORD) {
      sp_lang_fail(r->ctx, r->loc, "name the axis: x@(g = e)[i]",
                   "a mesh axis expected, not %s", sp_lang_found(r));
    }
    v.name = sp_lang_name(r, "a mesh axis");
    sp_lang_expect(r, "=", "after the mesh axis");
    v.size = sp_lang_expression(r);
    if (vars.n >= SP_LANG_ITEMS) {
      sp_lang_fail(r->ctx, v.loc, NULL, "over %d coordinates", SP_LANG_ITEMS);
    }
    sp_push(r->ctx, &vars, v);
  } while (sp_lang_accept(r, ","));
  sp_lang_expect(r, ")", "after the coordinates");
  *n = (uint32_t)vars.n;
  return vars.v;
}

static const sp_lang *number(sp_lang_reader *r) {
  sp_lang *e = make(r, SP_LANG_INT, r->loc);
  errno = 0;
  if (strpbrk(r->word, ".eE")) {
    e->kind = SP_LANG_REAL;
    e->r = strtod(r->word, NULL);
  } else {
    e->i = strtoll(r->word, NULL, 10);
  }
  if (errno) { /* 1e400 is no infinity, 1e-400 is not 0 */
    sp_lang_fail(r->ctx, r->loc,
                 "integers have 64 bits, reals stay below 1e308",
                 "%.40s is too %s", r->word,
                 e->kind == SP_LANG_REAL && e->r < 1 ? "small" : "large");
  }
  sp_lang_next(r);
  return e;
}

static const sp_lang *named(sp_lang_reader *r) {
  sp_loc loc = r->loc;
  const char *name = r->word;
  sp_lang_next(r);
  if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
    sp_lang *e = make(r, SP_LANG_TRUTH, loc);
    e->i = name[0] == 't';
    return e;
  }
  if (sp_lang_accept(r, "(")) {
    if (binds(name) && has_variable(r)) {
      return binder(r, name, loc);
    }
    sp_lang *e = make(r, SP_LANG_CALL, loc);
    e->name = name;
    arguments(r, e, ")");
    return e;
  }
  sp_lang *e = make(r, SP_LANG_NAME, loc);
  e->name = name;
  if (sp_lang_accept(r, "@")) {
    e->kind = SP_LANG_READ;
    e->vars = sp_lang_coordinates(r, &e->n_vars);
    for (uint32_t i = 0; i < e->n_vars; i++) {
      reach(r, e, e->vars[i].size);
    }
  }
  if (sp_lang_accept(r, "[")) {
    e->kind = SP_LANG_READ;
    arguments(r, e, "]");
    if (e->n_more > 0) {
      sp_lang_fail(r->ctx, loc, NULL, "\";\" in an index");
    }
    if (sp_lang_is(r, "[")) {
      sp_lang_fail(r->ctx, r->loc, sp_lang_hint(r), "a second \"[\"");
    }
  }
  return e;
}

/* Words that are no value. */
static bool is_reserved(const char *word) {
  static const char *const words[] = {"if", "then", "else", "and",
                                      "or", "not",  "div",  "mod"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i], word) == 0) {
      return true;
    }
  }
  return false;
}

static const sp_lang *atom(sp_lang_reader *r) {
  sp_loc loc = r->loc;
  if (r->token == SP_LANG_NUMBER) {
    return number(r);
  }
  if (r->token == SP_LANG_QUOTED) {
    sp_lang *e = make(r, SP_LANG_STRING, loc);
    e->name = r->word;
    sp_lang_next(r);
    return e;
  }
  if (sp_lang_accept(r, "(")) {
    const sp_lang *e = sp_lang_expression(r);
    if (!sp_lang_accept(r, ")")) {
      const char *hint = sp_lang_hint(r);
      sp_lang_fail(r->ctx, r->loc,
                   hint ? hint
                        : sp_format(r->ctx, "close \"(\" of line %u, column %u",
                                    loc.line, loc.column),
                   "\")\" is missing before %s", sp_lang_found(r));
    }
    return e;
  }
  if (sp_lang_accept(r, "@")) {
    sp_lang *e = make(r, SP_LANG_AXIS, loc);
    e->name = sp_lang_name(r, "a mesh axis after @");
    return e;
  }
  if (sp_lang_accept(r, "[")) {
    sp_lang *e = make(r, SP_LANG_LIST, loc);
    arguments(r, e, "]");
    return e;
  }
  if (r->token != SP_LANG_WORD || is_reserved(r->word)) {
    sp_lang_fail(r->ctx, loc, sp_lang_hint(r), "a value expected, not %s",
                 sp_lang_found(r));
  }
  return named(r);
}

/* a ^ b, to the right; binds stronger than a sign before it */
static const sp_lang *power_level(sp_lang_reader *r) {
  deeper(r);
  const sp_lang *a = atom(r);
  sp_loc loc = r->loc;
  if (sp_lang_accept(r, "^")) {
    bool negative = sp_lang_accept(r, "-");
    const sp_lang *b = power_level(r);
    if (negative) {
      sp_lang *e = make(r, SP_LANG_NEGATE, loc);
      set_args(r, e, 1, b, NULL, NULL);
      b = e;
    }
    a = binary(r, SP_LANG_POWER, loc, a, b);
  }
  r->depth--;
  return a;
}

static const sp_lang *sign_level(sp_lang_reader *r) {
  sp_loc loc = r->loc;
  uint32_t minus = 0;
  while (sp_lang_accept(r, "-")) {
    minus++;
  }
  const sp_lang *a = power_level(r);
  if (minus % 2) {
    sp_lang *e = make(r, SP_LANG_NEGATE, loc);
    set_args(r, e, 1, a, NULL, NULL);
    a = e;
  }
  return a;
}

typedef struct op_row {
  const char *sign;
  sp_lang_op op;
} op_row;

static bool accept_op(sp_lang_reader *r, const op_row *rows, size_t n,
                      sp_lang_op *op) {
  for (size_t i = 0; i < n; i++) {
    if (sp_lang_accept(r, rows[i].sign)) {
      *op = rows[i].op;
      return true;
    }
  }
  return false;
}

static const sp_lang *product_level(sp_lang_reader *r) {
  static const op_row ops[] = {{"*", SP_LANG_MUL},
                               {"/", SP_LANG_OVER},
                               {"div", SP_LANG_DIV},
                               {"mod", SP_LANG_MOD}};
  const sp_lang *a = sign_level(r);
  sp_lang_op op;
  for (uint32_t n = 0;; n++) {
    sp_loc loc = r->loc;
    if (!accept_op(r, ops, 4, &op)) {
      return a;
    }
    if (n >= SP_LANG_ITEMS) {
      sp_lang_fail(r->ctx, loc, NULL, "over %d factors", SP_LANG_ITEMS);
    }
    a = binary(r, op, loc, a, sign_level(r));
  }
}

const sp_lang *sp_lang_sum(sp_lang_reader *r) {
  static const op_row ops[] = {{"+", SP_LANG_ADD}, {"-", SP_LANG_SUB}};
  const sp_lang *a = product_level(r);
  sp_lang_op op;
  for (uint32_t n = 0;; n++) {
    sp_loc loc = r->loc;
    if (!accept_op(r, ops, 2, &op)) {
      return a;
    }
    if (n >= SP_LANG_ITEMS) {
      sp_lang_fail(r->ctx, loc, NULL, "over %d addends", SP_LANG_ITEMS);
    }
    a = binary(r, op, loc, a, product_level(r));
  }
}

/* a <= b < c is both */
static const sp_lang *compare_level(sp_lang_reader *r) {
  static const op_row ops[] = {{"<=", SP_LANG_LE}, {"<", SP_LANG_LT},
                               {">=", SP_LANG_GE}, {">", SP_LANG_GT},
                               {"==", SP_LANG_EQ}, {"!=", SP_LANG_NE}};
  const sp_lang *a = sp_lang_sum(r), *all = NULL;
  sp_lang_op op;
  for (uint32_t n = 0;; n++) {
    sp_loc loc = r->loc;
    if (!accept_op(r, ops, 6, &op)) {
      return all ? all : a;
    }
    if (n >= 4) {
      sp_lang_fail(r->ctx, loc, NULL, "over 4 comparisons in a row");
    }
    const sp_lang *b = sp_lang_sum(r);
    const sp_lang *one = binary(r, op, loc, a, b);
    all = all ? binary(r, SP_LANG_AND, loc, all, one) : one;
    a = b;
  }
}

static const sp_lang *not_level(sp_lang_reader *r) {
  sp_loc loc = r->loc;
  if (!sp_lang_accept(r, "not")) {
    return compare_level(r);
  }
  deeper(r);
  sp_lang *e = make(r, SP_LANG_NOT, loc);
  set_args(r, e, 1, not_level(r), NULL, NULL);
  r->depth--;
  return e;
}

static const sp_lang *logic_level(sp_lang_reader *r, bool either) {
  const sp_lang *a = either ? logic_level(r, false) : not_level(r);
  for (uint32_t n = 0;; n++) {
    sp_loc loc = r->loc;
    if (!sp_lang_accept(r, either ? "or" : "and")) {
      return a;
    }
    if (n >= SP_LANG_ITEMS) {
      sp_lang_fail(r->ctx, loc, NULL, "over %d conditions", SP_LANG_ITEMS);
    }
    const sp_lang *b = either ? logic_level(r, false) : not_level(r);
    a = binary(r, either ? SP_LANG_OR : SP_LANG_AND, loc, a, b);
  }
}

const sp_lang *sp_lang_expression(sp_lang_reader *r) {
  deeper(r);
  sp_loc loc = r->loc;
  const sp_lang *out;
  if (sp_lang_accept(r, "if")) {
    sp_lang *e = make(r, SP_LANG_IF, loc);
    const sp_lang *c = sp_lang_expression(r);
    sp_lang_expect(r, "then", "after the condition");
    const sp_lang *a = sp_lang_expression(r);
    if (!sp_lang_accept(r, "else")) {
      sp_lang_fail(r->ctx, r->loc, "an if needs both branches: else 0",
                   "\"else\" is missing, before %s", sp_lang_found(r));
    }
    set_args(r, e, 3, c, a, sp_lang_expression(r));
    out = e;
  } else {
    out = logic_level(r, true);
  }
  r->depth--;
  return out;
}
