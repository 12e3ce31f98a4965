/* lang_names.c: read check, the walk over a formula; what it asks of calls and
 * names comes before. */
#include "encode/lang_names.h"

#include <string.h>

/* ---- names ---- */

const sp_lang_name_row *sp_lang_names_find(const sp_lang_names *c,
                                           const char *name) {
  for (size_t i = c->rows.n; i-- > 0;) {
    if (strcmp(c->rows.v[i].name, name) == 0) {
      return &c->rows.v[i];
    }
  }
  return NULL;
}

void sp_lang_names_add(sp_lang_names *c, const char *name,
                       sp_lang_name_kind kind, sp_loc loc) {
  if (sp_lang_names_find(c, name)) {
    sp_lang_fail(c->ctx, loc, "take another name",
                 "%.60s has a meaning here already", name);
  }
  sp_push(c->ctx, &c->rows, ((sp_lang_name_row){name, kind}));
}

void sp_lang_names_add_vars(sp_lang_names *c, uint32_t n,
                            const sp_lang_var *vars, bool many) {
  bool spread = false;
  for (uint32_t i = 0; i < n; i++) {
    if (spread && vars[i].spread && !many) {
      sp_lang_fail(c->ctx, vars[i].loc, NULL,
                   "only one variable can stand for several");
    }
    spread = spread || vars[i].spread;
    sp_lang_names_add(c, vars[i].name,
                      vars[i].spread ? SP_LANG_IS_LIST : SP_LANG_IS_VALUE,
                      vars[i].loc);
  }
}

/* ---- spelling ---- */

enum { LONGEST = 24, ROOM = 3, LISTED = 20 };

/* Letters to insert, drop, change or swap; beyond ROOM it does not matter. */
static size_t distance(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b);
  if (n > LONGEST || m > LONGEST) {
    return LONGEST;
  }
  size_t d[LONGEST + 1][LONGEST + 1];
  for (size_t i = 0; i <= n; i++) {
    for (size_t k = 0; k <= m; k++) {
      size_t best = i == 0 ? k : d[i - 1][k] + 1;
      if (i > 0 && k > 0) {
        size_t change = d[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
        best = d[i][k - 1] + 1 < best ? d[i][k - 1] + 1 : best;
        best = change < best ? change : best;
      }
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
          d[i - 2][k - 2] + 1 < best) {
        best = d[i - 2][k - 2] + 1;
      }
      d[i][k] = best;
    }
  }
  return d[n][m];
}

static char small(char c) {
  return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool same_letters(const char *a, const char *b) {
  while (*a && small(*a) == small(*b)) {
    a++;
    b++;
  }
  return small(*a) == small(*b);
}

/* b for B is nearer than any other letter. */
static void consider(const char *name, const char *candidate, size_t *least,
                     const char **best) {
  size_t d = same_letters(name, candidate) ? 0 : distance(name, candidate);
  if (d < *least && d < strlen(name)) {
    *least = d;
    *best = candidate;
  }
}

const char *sp_lang_nearest(const char *name, const char *const *words,
                            size_t n) {
  const char *best = NULL;
  size_t least = ROOM;
  for (size_t i = 0; i < n; i++) {
    consider(name, words[i], &least, &best);
  }
  return best;
}

/* ---- functions ---- */

static const struct {
  const char *name;
  uint32_t least, most, more; /* arguments; more: 1 where a ';' is needed */
} functions[] = {
    {"exp", 1, 1, 0},     {"log", 1, 1, 0},     {"sqrt", 1, 1, 0},
    {"rsqrt", 1, 1, 0},   {"abs", 1, 1, 0},     {"tanh", 1, 1, 0},
    {"sin", 1, 1, 0},     {"cos", 1, 1, 0},     {"erf", 1, 1, 0},
    {"sigmoid", 1, 1, 0}, {"floor", 1, 1, 0},   {"ceil", 1, 1, 0},
    {"sign", 1, 1, 0},    {"real", 1, 1, 0},    {"max", 2, 64, 0},
    {"min", 2, 64, 0},    {"size", 1, 64, 0},   {"flat", 1, 64, 1},
    {"unflat", 1, 1, 1},  {"opaque", 1, 64, 0}, {"gelu", 1, 1, 0},
    {"relu", 1, 1, 0},    {"silu", 1, 1, 0},
};

static const char *nearest(const sp_lang_names *c, const char *name,
                           bool function) {
  const char *best = NULL;
  size_t least = ROOM;
  for (size_t i = 0; i < c->rows.n; i++) {
    if ((c->rows.v[i].kind == SP_LANG_IS_FUNCTION) == function) {
      consider(name, c->rows.v[i].name, &least, &best);
    }
  }
  for (size_t i = 0; function && i < sizeof functions / sizeof *functions;
       i++) {
    consider(name, functions[i].name, &least, &best);
  }
  return best;
}

/* All that there is, where that is little. */
static const char *known(const sp_lang_names *c) {
  sp_str s = {0};
  size_t n = 0;
  for (size_t i = 0; i < c->rows.n; i++) {
    const char *name = c->rows.v[i].name;
    if (*name != '$' && c->rows.v[i].kind != SP_LANG_IS_FUNCTION) {
      bool axis = c->rows.v[i].kind == SP_LANG_IS_AXIS;
      sp_str_addf(c->ctx, &s, "%s%s%s", n ? ", " : "there are ",
                  axis ? "@" : "", name);
      n++;
    }
  }
  return n > 0 && n <= LISTED && s.n < 100 ? s.v : NULL;
}

const char *sp_lang_names_hint(const sp_lang_names *c, const char *name,
                               bool function) {
  const char *near = nearest(c, name, function);
  const char *where = c->elsewhere ? c->elsewhere(c->user, name) : NULL;
  if (where && near && same_letters(near, name)) {
    return sp_format(c->ctx, "did you mean %s? (%s)", near, where);
  }
  if (where) {
    return where;
  }
  return near       ? sp_format(c->ctx, "did you mean %s?", near)
         : function ? c->guide
                    : known(c);
}

static const char *kind_text(sp_lang_name_kind kind) {
  switch (kind) {
  case SP_LANG_IS_TENSOR:
    return "a tensor";
  case SP_LANG_IS_VALUE:
    return "a number";
  case SP_LANG_IS_LIST:
    return "a list";
  case SP_LANG_IS_FUNCTION:
    return "a function";
  case SP_LANG_IS_AXIS:
    return "an axis of the mesh";
  }
  return "";
}

/* How a thing of that kind is used. */
static const char *usage(const sp_lang_names *c, const sp_lang_name_row *row) {
  switch (row->kind) {
  case SP_LANG_IS_TENSOR:
    return sp_format(c->ctx, "its elements are %s[i, ...]", row->name);
  case SP_LANG_IS_LIST:
    return sp_format(c->ctx, "write *%s for its values", row->name);
  case SP_LANG_IS_FUNCTION:
    return sp_format(c->ctx, "call it: %s(x)", row->name);
  case SP_LANG_IS_AXIS:
    return sp_format(c->ctx, "this rank's coordinate is @%s", row->name);
  case SP_LANG_IS_VALUE:
    break;
  }
  return "it has no elements, and is not called";
}

noreturn void sp_lang_names_misused(const sp_lang_names *c,
                                    const sp_lang_name_row *row, sp_loc loc) {
  sp_lang_fail(c->ctx, loc, usage(c, row), "%.60s is %s", row->name,
               kind_text(row->kind));
}

/* A reduction without its index, a function's name that is taken. */
static void check_callee(const sp_lang_names *c, const sp_lang *e,
                         const sp_lang_name_row *row) {
  static const char *const words[] = {"sum", "prod", "max",    "min",
                                      "any", "all",  "argmax", "argmin"};
  if (row) {
    sp_lang_names_misused(c, row, e->loc);
  }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i], e->name) == 0) {
      sp_lang_fail(c->ctx, e->loc,
                   sp_format(c->ctx, "%s(i < N) x[i] goes over all i", e->name),
                   "%s is called with other arguments", e->name);
    }
  }
}

static const char *arguments(const sp_lang_names *c, size_t i) {
  uint32_t n = functions[i].least;
  return functions[i].most > n
             ? sp_format(c->ctx, "%s takes at least %u", functions[i].name, n)
             : sp_format(c->ctx, "%s takes %u", functions[i].name, n);
}

static void check_call(const sp_lang_names *c, const sp_lang *e) {
  const sp_lang_name_row *row = sp_lang_names_find(c, e->name);
  if (row && row->kind == SP_LANG_IS_FUNCTION && e->n_more == 0) {
    return;
  }
  for (size_t i = 0; i < sizeof functions / sizeof *functions && !row; i++) {
    if (strcmp(functions[i].name, e->name) != 0) {
      continue;
    }
    bool spread = false;
    for (uint32_t k = 0; k < e->n; k++) {
      spread = spread || e->args[k]->kind == SP_LANG_SPREAD;
    }
    if ((e->n_more > 0) != (functions[i].more > 0) ||
        e->n > functions[i].most || (e->n < functions[i].least && !spread)) {
      sp_lang_fail(c->ctx, e->loc,
                   functions[i].more ? "the sizes come after a ';'"
                                     : arguments(c, i),
                   "%s is called with other arguments", e->name);
    }
    return;
  }
  check_callee(c, e, row);
  sp_lang_fail(c->ctx, e->loc, sp_lang_names_hint(c, e->name, true),
               "there is no function %.60s", e->name);
}

static void check(sp_lang_names *c, const sp_lang *e);

static void check_bind(sp_lang_names *c, const sp_lang *e) {
  size_t was = c->rows.n;
  for (uint32_t i = 0; i < e->n_vars; i++) {
    check(c, e->vars[i].size);
  }
  sp_lang_names_add_vars(c, e->n_vars, e->vars, true);
  check(c, e->args[0]);
  c->rows.n = was;
}

static void check_name(const sp_lang_names *c, const sp_lang *e,
                       sp_lang_name_kind kind) {
  const sp_lang_name_row *row = sp_lang_names_find(c, e->name);
  if (!row) {
    sp_lang_fail(c->ctx, e->loc, sp_lang_names_hint(c, e->name, false),
                 "nothing is called %.60s here", e->name);
  }
  if (row->kind != kind) {
    sp_lang_names_misused(c, row, e->loc);
  }
}

static const char *axis_hint(const sp_lang_names *c, const char *name) {
  const char *axis = NULL;
  for (size_t i = 0; i < c->rows.n; i++) {
    bool is = c->rows.v[i].kind == SP_LANG_IS_AXIS;
    axis = is ? c->rows.v[i].name : axis;
  }
  return axis && !sp_lang_names_find(c, name)
             ? sp_format(c->ctx, "axes are declared by mesh; %s is one", axis)
             : sp_lang_names_hint(c, name, false);
}

static void check_axis(const sp_lang_names *c, const char *name, sp_loc loc) {
  const sp_lang_name_row *row = sp_lang_names_find(c, name);
  if (!row || row->kind != SP_LANG_IS_AXIS) {
    sp_lang_fail(c->ctx, loc, axis_hint(c, name),
                 "%.60s is no axis of a mesh here", name);
  }
}

/* The tree's height is limited, and so is the depth of this. */
static void check(sp_lang_names *c, const sp_lang *e) {
  const sp_lang_name_row *row;
  switch (e->kind) {
  case SP_LANG_NAME:
    if (strcmp(e->name, "inf") == 0) {
      return;
    }
    row = sp_lang_names_find(c, e->name);
    /* a scalar may go without [] */
    if (!row ||
        (row->kind != SP_LANG_IS_TENSOR && row->kind != SP_LANG_IS_LIST)) {
      check_name(c, e, SP_LANG_IS_VALUE);
    }
    break;
  case SP_LANG_READ:
    check_name(c, e, SP_LANG_IS_TENSOR);
    for (uint32_t i = 0; i < e->n_vars; i++) {
      check_axis(c, e->vars[i].name, e->vars[i].loc);
      check(c, e->vars[i].size);
    }
    break;
  case SP_LANG_AXIS:
    check_axis(c, e->name, e->loc);
    return;
  case SP_LANG_CALL:
    check_call(c, e);
    break;
  case SP_LANG_BIND:
    check_bind(c, e);
    return;
  case SP_LANG_INT:
  case SP_LANG_REAL:
  case SP_LANG_TRUTH:
  case SP_LANG_STRING:
  case SP_LANG_SPREAD:
  case SP_LANG_LIST:
  case SP_LANG_NOT:
  case SP_LANG_NEGATE:
  case SP_LANG_BINARY:
  case SP_LANG_IF:
    break;
  }
  for (uint32_t i = 0; i < e->n + e->n_more; i++) {
    check(c, e->args[i]);
  }
}

void sp_lang_names_check(sp_lang_names *c, const sp_lang *e) {
  check(c, e);
}
