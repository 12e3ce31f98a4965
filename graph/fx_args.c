/* fx_args.c: the arguments of a call as operands and attributes: first names
 * and variables, then each kind of value, then the call (fx_call_args). */
#include "graph/fx_i.h"

#include <string.h>

const char *fx_arg_name(sp_ctx *ctx, uint32_t position) {
  static const char *const first[] = {"arg0", "arg1", "arg2", "arg3", "arg4",
                                      "arg5", "arg6", "arg7", "arg8", "arg9"};
  if (position < sizeof first / sizeof *first) {
    return sp_intern(ctx, first[position], 4);
  }
  const char *s = sp_format(ctx, "arg%u", position);
  return sp_intern(ctx, s, strlen(s));
}

uint32_t fx_var_find(fx_build *b, const fx_value *v) {
  uint32_t at = hlo_names_find(&b->names, v->text);
  if (at == HLO_NO_NAME) {
    fx_fail(b->ctx, v->loc, NULL, "'%.80s' is not defined", v->text);
  }
  return at;
}

uint32_t fx_var_tensor(fx_build *b, const fx_value *v, uint32_t var) {
  const fx_var *x = &b->vars.v[var];
  if (x->kind != FX_VAR_TENSOR) {
    sp_raise(b->ctx, SP_ERR_UNKNOWN, v->loc, NULL,
             "'%.80s' is a tuple, and is used as a whole", v->text);
  }
  if (x->stmt->kind == FX_STMT_PLACEHOLDER &&
      x->stmt->annot.kind == FX_ANNOT_NO) {
    fx_fail(b->ctx, x->stmt->pos.dump,
            "print the graph with GraphModule.print_readable() after it was "
            "traced with tensors",
            "the input '%.80s' has no shape", v->text);
  }
  return fx_var_read(b, var);
}

/* The variable where v names a tensor, else FX_NONE. */
uint32_t fx_tensor_named(fx_build *b, const fx_value *v) {
  if (v->kind != FX_VALUE_NAME) {
    return FX_NONE;
  }
  uint32_t var = fx_var_find(b, v);
  fx_var_kind kind = b->vars.v[var].kind;
  bool tensor =
      kind == FX_VAR_TENSOR || kind == FX_VAR_TUPLE || kind == FX_VAR_LIST;
  return tensor ? var : FX_NONE;
}

static uint32_t operand_add(fx_build *b, fx_call *c, const fx_value *v,
                            uint32_t var) {
  uint32_t tensor = fx_var_tensor(b, v, var);
  sp_push(b->ctx, &c->in, tensor);
  return (uint32_t)(c->in.n - 1);
}

static bool word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

/* Tensors named in a text that is kept as written become operands, so that
 * nobody takes the call for one without them. Not: strings, attributes,
 * functions, keywords. */
static void text_operands(fx_build *b, fx_call *c, const char *text,
                          sp_loc loc) {
  char before = '\0';
  for (const char *s = text; *s;) {
    if (*s == '\'' || *s == '"') {
      const char *close = strchr(s + 1, *s);
      s = close ? close + 1 : s + strlen(s);
      continue;
    }
    const char *e = s;
    while (word_char(*e)) {
      e++;
    }
    if (e == s) {
      before = *s++;
      continue;
    }
    const char *next = e;
    while (*next == ' ') {
      next++;
    }
    fx_value v = {.kind = FX_VALUE_NAME, .loc = loc};
    v.text = sp_intern(b->ctx, s, (size_t)(e - s));
    if (before != '.' && *next != '.' && *next != '(' &&
        (*next != '=' || next[1] == '=') &&
        hlo_names_find(&b->names, v.text) != HLO_NO_NAME) {
      uint32_t var = fx_tensor_named(b, &v);
      if (var != FX_NONE) {
        operand_add(b, c, &v, var);
      }
    }
    before = '\0';
    s = e;
  }
}

static void attr_text(fx_build *b, fx_call *c, sp_attr a, const char *text,
                      sp_loc loc, bool scan) {
  a.kind = SP_ATTR_TEXT;
  a.u.text = text;
  if (scan) {
    text_operands(b, c, text, loc);
  }
  sp_push(b->ctx, &c->attrs, a);
}

static bool int_of(fx_build *b, const fx_value *v, int64_t *out) {
  if (v->kind == FX_VALUE_INT) {
    *out = v->i;
    return true;
  }
  if (v->kind == FX_VALUE_NAME) {
    const fx_var *x = &b->vars.v[fx_var_find(b, v)];
    *out = x->i;
    return x->kind == FX_VAR_INT;
  }
  return false;
}

/* [1, 2]: false when not all are numbers */
static bool list_ints(fx_build *b, fx_call *c, sp_attr a, const fx_value *v) {
  int64_t *ints = sp_alloc_n(b->ctx, v->n, sizeof *ints);
  for (uint32_t i = 0; i < v->n; i++) {
    if (!int_of(b, &v->items[i], &ints[i])) {
      return false;
    }
  }
  a.kind = SP_ATTR_INTS;
  a.u.ints = ints;
  a.n = v->n;
  sp_push(b->ctx, &c->attrs, a);
  return true;
}

/* [x, None, y]: false when there are others, or no tensor */
static bool list_tensors(fx_build *b, fx_call *c, sp_attr a,
                         const fx_value *v) {
  bool any = false;
  for (uint32_t i = 0; i < v->n; i++) {
    const fx_value *item = &v->items[i];
    bool tensor = fx_tensor_named(b, item) != FX_NONE;
    any = any || tensor;
    if (!tensor && item->kind != FX_VALUE_NONE) {
      return false;
    }
  }
  if (!any) {
    return false;
  }
  int64_t *at = sp_alloc_n(b->ctx, v->n, sizeof *at);
  for (uint32_t i = 0; i < v->n; i++) {
    uint32_t var = fx_tensor_named(b, &v->items[i]);
    at[i] = var == FX_NONE ? -1 : (int64_t)operand_add(b, c, &v->items[i], var);
  }
  a.kind = SP_ATTR_OPERANDS;
  a.u.ints = at;
  a.n = v->n;
  sp_push(b->ctx, &c->attrs, a);
  return true;
}

/* [[x, y]] of c10d operators, as [x, y] */
static void flatten(fx_build *b, const fx_value *v, fx_args *out) {
  if (v->kind != FX_VALUE_LIST) {
    fx_arg arg = {.value = *v};
    sp_push(b->ctx, out, arg);
    return;
  }
  for (uint32_t i = 0; i < v->n; i++) {
    flatten(b, &v->items[i], out); /* depth: FX_MAX_DEPTH */
  }
}

fx_value fx_flat_list(fx_build *b, const fx_value *v) {
  fx_args flat = {0};
  flatten(b, v, &flat);
  fx_value *items = sp_alloc_n(b->ctx, flat.n, sizeof *items);
  for (size_t i = 0; i < flat.n; i++) {
    items[i] = flat.v[i].value;
  }
  fx_value list = *v;
  list.kind = FX_VALUE_LIST;
  list.items = items;
  list.n = (uint32_t)flat.n;
  return list;
}

static void attr_list(fx_build *b, fx_call *c, sp_attr a, const fx_value *v) {
  fx_value flat = *v;
  if (strncmp(b->stmt->op, "c10d.", 5) == 0) {
    flat = fx_flat_list(b, v);
  }
  if (!list_ints(b, c, a, &flat) && !list_tensors(b, c, a, &flat)) {
    attr_text(b, c, a, v->text, v->loc, true);
  }
}

static void attr_name(fx_build *b, fx_call *c, sp_attr a, const fx_value *v) {
  uint32_t var = fx_var_find(b, v);
  const fx_var *x = &b->vars.v[var];
  if (x->kind == FX_VAR_TEXT) {
    attr_text(b, c, a, x->name, v->loc, false);
    return;
  }
  a.kind = x->kind == FX_VAR_INT ? SP_ATTR_INT : SP_ATTR_OPERAND;
  a.u.i = x->kind == FX_VAR_INT ? x->i : (int64_t)operand_add(b, c, v, var);
  sp_push(b->ctx, &c->attrs, a);
}

static void attr_add(fx_build *b, fx_call *c, const char *name,
                     const fx_value *v) {
  sp_attr a = {.name = name};
  switch (v->kind) {
  case FX_VALUE_NONE:
    return;
  case FX_VALUE_INT:
    a.kind = SP_ATTR_INT;
    a.u.i = v->i;
    break;
  case FX_VALUE_FLOAT:
    a.kind = SP_ATTR_FLOAT;
    a.u.f = v->f;
    break;
  case FX_VALUE_TEXT:
    attr_text(b, c, a, v->text, v->loc, !v->quoted);
    return;
  case FX_VALUE_NAME:
    attr_name(b, c, a, v);
    return;
  case FX_VALUE_LIST:
    attr_list(b, c, a, v);
    return;
  }
  sp_push(b->ctx, &c->attrs, a);
}

/* x[[0, 1]] is not x[(0, 1)], x[True] not x[1]: the rarer ones are text. */
static void attr_index(fx_build *b, fx_call *c, const char *name,
                       const fx_value *v) {
  bool odd = (v->kind == FX_VALUE_INT && v->text) ||
             (v->kind == FX_VALUE_LIST && v->text[0] == '[');
  for (uint32_t i = 0; v->kind == FX_VALUE_LIST && i < v->n; i++) {
    odd = odd || (v->items[i].kind == FX_VALUE_INT && v->items[i].text);
  }
  sp_attr a = {.name = name};
  if (odd) {
    attr_text(b, c, a, v->text, v->loc, true);
  } else {
    attr_add(b, c, name, v);
  }
}

static void name_check(fx_build *b, const fx_call *c, const fx_arg *arg) {
  if (c->attrs.n > 1000) {
    sp_raise(b->ctx, SP_ERR_LIMIT, arg->value.loc, NULL, "over 1000 arguments");
  }
  for (size_t i = 0; i < c->attrs.n; i++) {
    if (c->attrs.v[i].name == arg->name) {
      fx_fail(b->ctx, arg->value.loc, NULL, "the argument %.80s is given twice",
              arg->name);
    }
  }
}

fx_call fx_call_args(fx_build *b, const fx_stmt *s, const fx_effect *e) {
  fx_call c = {0};
  bool index = strcmp(s->op, "operator.getitem") == 0 ||
               strcmp(s->op, "operator.setitem") == 0;
  for (uint32_t i = 0; i < s->n_args; i++) {
    const fx_arg *arg = &s->args[i];
    if (arg->name ? e->drop_name && strcmp(arg->name, e->drop_name) == 0
                  : i == e->drop_position) {
      continue;
    }
    const char *name = arg->name ? arg->name : fx_arg_name(b->ctx, i);
    if (arg->name) {
      name_check(b, &c, arg);
    }
    if (index && i == 1) {
      attr_index(b, &c, name, &arg->value);
    } else {
      attr_add(b, &c, name, &arg->value);
    }
  }
  if (s->attr) { /* of a module that is called */
    sp_attr a = {.name = sp_intern(b->ctx, "module", 6)};
    attr_text(b, &c, a, s->attr, s->pos.dump, false);
  }
  return c;
}
