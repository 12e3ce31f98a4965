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

enum { LONGEST = 24, ROOM = 3 };

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

static void consider(const char *name, const char *candidate, size_t *least,
                     const char **best) {
  size_t d = distance(name, candidate);
  if (d < *least && d < strlen(name)) {
    *least = d;
    *best = candidate;
  }
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

const char *sp_lang_names_hint(const sp_lang_names *c, const char *name,
                               bool function) {
  const char *where = c->elsewhere ? c->elsewhere(c->user, name) : NULL;
  if (where) {
    return where;
  }
  const char *near = nearest(c, name, function);
  return near ? sp_format(c->ctx, "did you mean %s?", near) : NULL;
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
                   functions[i].more ? "the sizes come after a ';'" : NULL,
                   "%s is called with other arguments", e->name);
    }
    return;
  }
  const char *hint = sp_lang_names_hint(c, e->name, true);
  sp_lang_fail(c->ctx, e->loc, hint ? hint : c->guide,
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
                       sp_lang_name_kind kind, const char *what) {
  const sp_lang_name_row *row = sp_lang_names_find(c, e->name);
  if (!row) {
    sp_lang_fail(c->ctx, e->loc, sp_lang_names_hint(c, e->name, false),
                 "nothing is called %.60s here", e->name);
  }
  if (row->kind != kind) {
    sp_lang_fail(c->ctx, e->loc,
                 row->kind == SP_LANG_IS_LIST ? "write *NAME for its values"
                                              : NULL,
                 "%.60s is no %s", e->name, what);
  }
}

static void check_axis(const sp_lang_names *c, const char *name, sp_loc loc) {
  const sp_lang_name_row *row = sp_lang_names_find(c, name);
  if (!row || row->kind != SP_LANG_IS_AXIS) {
    sp_lang_fail(c->ctx, loc, sp_lang_names_hint(c, name, false),
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
      check_name(c, e, SP_LANG_IS_VALUE, "value");
    }
    break;
  case SP_LANG_READ:
    check_name(c, e, SP_LANG_IS_TENSOR, "tensor");
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
