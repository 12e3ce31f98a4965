/* fx_inline.c: graphs inside of a graph. Read fx_inline.
 *
 * Dynamo keeps what is checkpointed, a torch.autograd.Function or a region that
 * is compiled once as a module of its own, printed as a class inside of the
 * graph's, which a higher-order operator calls:
 *     body = self.body
 *     call = torch.ops.higher_order.tag_activation_checkpoint(body, x, w)
 * Such a call is its body's statements, with the arguments for the inputs. The
 * names in it get the call's in front: "call/linear".
 */
#include "graph/fx_i.h"

#include <string.h>

/* Lines, statements and values that are copied; long names count as several. */
enum { MAX_SPENT = 1 << 22, NAME_BYTES = 64 };

/* A higher-order operator: of its positional arguments the body is number
 * `body`, what the body is called with begins at `args`. It may have a first
 * input of its own. Keywords do not change values. */
typedef struct caller {
  const char *op;
  uint32_t body, args, own;
} caller;

static const caller callers[] = {
    {"higher_order.tag_activation_checkpoint", 0, 1, 0},
    {"higher_order.wrap_activation_checkpoint", 0, 1, 0},
    {"higher_order.wrap", 0, 1, 0},
    {"higher_order.invoke_subgraph", 0, 2, 0},
    {"higher_order.wrap_with_set_grad_enabled", 1, 2, 0},
    /* forward, backward; the forward's first input is the context */
    {"higher_order.autograd_function_apply", 0, 2, 1},
};

typedef SP_VEC(fx_value) values;

typedef struct inliner {
  sp_ctx *ctx;
  fx_graph *g;
  const fx_section *section;
  uint32_t depth;
  size_t *spent;     /* in all graphs of the text together */
  hlo_names classes; /* -> place in class_at */
  SP_VEC(size_t) class_at;
  SP_VEC(fx_stmt) out;
  hlo_names calls; /* without annotation -> place in results */
  SP_VEC(values) results;
} inliner;

/* --- classes in the text --- */

static size_t indent_of(const fx_line *line) {
  const char *s = line->s;
  while (s < line->e && *s == ' ') {
    s++;
  }
  return (size_t)(s - line->s);
}

/* "class NAME(torch.nn.Module):": the name, else NULL. */
static const char *class_name(sp_ctx *ctx, const fx_line *line) {
  const char *s = line->s + indent_of(line), *open;
  if (line->e - s < 7 || memcmp(s, "class ", 6) != 0) {
    return NULL;
  }
  s += 6;
  open = memchr(s, '(', (size_t)(line->e - s));
  return open ? sp_intern(ctx, s, (size_t)(open - s)) : NULL;
}

/* Of classes of one name the one that is least deep inside. */
static void classes_find(inliner *x) {
  const fx_line *lines = x->section->lines.v;
  for (size_t i = 0; i < x->section->lines.n; i++) {
    const char *name = class_name(x->ctx, &lines[i]);
    if (!name) {
      continue;
    }
    uint32_t at = hlo_names_find(&x->classes, name);
    if (at == HLO_NO_NAME) {
      hlo_names_add(x->ctx, &x->classes, name, (uint32_t)x->class_at.n);
      sp_push(x->ctx, &x->class_at, i);
    } else if (indent_of(&lines[i]) < indent_of(&lines[x->class_at.v[at]])) {
      x->class_at.v[at] = i;
    }
  }
}

static bool is_class(const inliner *x, const char *name) {
  return hlo_names_find(&x->classes, name) != HLO_NO_NAME;
}

/* A short text can ask for many copies of what is in it. */
static void spend(inliner *x, size_t n, sp_loc loc) {
  *x->spent += n;
  if (*x->spent > MAX_SPENT) {
    sp_raise(x->ctx, SP_ERR_LIMIT, loc, NULL,
             "the graphs that this graph calls are too much");
  }
}

static fx_section class_section(inliner *x, const char *name, sp_loc loc) {
  const fx_line *lines = x->section->lines.v;
  size_t at = x->class_at.v[hlo_names_find(&x->classes, name)];
  fx_section out = {
      .name = name, .line = lines[at].number, .rank = x->section->rank};
  for (size_t i = at + 1;
       i < x->section->lines.n && indent_of(&lines[i]) > indent_of(&lines[at]);
       i++) {
    spend(x, 1, loc);
    sp_push(x->ctx, &out.lines, lines[i]);
  }
  return out;
}

/* --- one call --- */

typedef struct body {
  inliner *x;
  const fx_graph *g;
  const char *call, *module;
  const fx_arg *args;
  uint32_t own;
} body;

static const char *inner_name(const body *b, const char *name, sp_loc loc) {
  spend(b->x, (strlen(b->call) + strlen(name)) / NAME_BYTES, loc);
  const char *s = sp_format(b->x->ctx, "%s/%s", b->call, name);
  return sp_intern(b->x->ctx, s, strlen(s));
}

/* A value of the body, in the graph that calls it. */
static fx_value outer_value(const body *b, const fx_value *v) {
  fx_value out = *v;
  spend(b->x, 1, v->loc);
  if (v->kind == FX_VALUE_LIST) {
    fx_value *items = sp_alloc_n(b->x->ctx, v->n + 1u, sizeof *items);
    for (uint32_t i = 0; i < v->n; i++) {
      items[i] = outer_value(b, &v->items[i]);
    }
    out.items = items;
  }
  if (v->kind != FX_VALUE_NAME) {
    return out;
  }
  uint32_t at = hlo_names_find(&b->g->names, v->text);
  if (at == HLO_NO_NAME) {
    return out;
  }
  if (at >= b->g->n_params) {
    out.text = inner_name(b, v->text, v->loc);
    return out;
  }
  if (at < b->own) {
    return (fx_value){.kind = FX_VALUE_NONE, .loc = v->loc};
  }
  return b->args[at - b->own].value;
}

static void add(inliner *x, const fx_stmt *s) {
  spend(x, 1, s->pos.dump);
  sp_push(x->ctx, &x->out, *s);
}

static void add_inner(const body *b, const fx_stmt *s) {
  sp_ctx *ctx = b->x->ctx;
  fx_stmt out = *s;
  fx_arg *args = sp_alloc_n(ctx, s->n_args + 1u, sizeof *args);
  for (uint32_t i = 0; i < s->n_args; i++) {
    args[i] = (fx_arg){s->args[i].name, outer_value(b, &s->args[i].value)};
  }
  out.args = args;
  out.name = s->name ? inner_name(b, s->name, s->pos.dump) : NULL;
  if (s->kind == FX_STMT_GET_ATTR) {
    spend(b->x, strlen(s->attr) / NAME_BYTES, s->pos.dump);
    const char *attr = sp_format(ctx, "%s.%s", b->module, s->attr);
    out.attr = sp_intern(ctx, attr, strlen(attr));
  }
  add(b->x, &out);
}

static void alias_add(inliner *x, const fx_stmt *s, const fx_value *v) {
  if (v->kind != FX_VALUE_NAME) {
    return; /* None: whoever reads it is told that it is not defined */
  }
  fx_arg *arg = sp_alloc(x->ctx, sizeof *arg);
  *arg = (fx_arg){NULL, *v};
  fx_stmt out = {.kind = FX_STMT_ALIAS,
                 .name = s->name,
                 .annot = s->annot,
                 .n_args = 1,
                 .args = arg,
                 .pos = s->pos};
  add(x, &out);
}

/* The class that v, the name of an attribute, holds; NULL: it is none. */
static const char *module_of(const inliner *x, const fx_value *v) {
  uint32_t at = v->kind == FX_VALUE_NAME ? hlo_names_find(&x->g->names, v->text)
                                         : HLO_NO_NAME;
  const fx_stmt *s = at == HLO_NO_NAME ? NULL : &x->g->stmts.v[at];
  return s && s->kind == FX_STMT_GET_ATTR && is_class(x, s->attr) ? s->attr
                                                                  : NULL;
}

static const caller *caller_of(const fx_stmt *s) {
  for (size_t i = 0; i < sizeof callers / sizeof *callers; i++) {
    const caller *c = &callers[i];
    if (s->kind == FX_STMT_CALL && s->name && strcmp(s->op, c->op) == 0 &&
        s->n_args >= c->args) {
      return c;
    }
  }
  return NULL;
}

static uint32_t positional(const fx_stmt *s) {
  uint32_t n = 0;
  while (n < s->n_args && !s->args[n].name) {
    n++;
  }
  return n;
}

static bool call_inline(inliner *x, const fx_stmt *s) {
  const caller *c = caller_of(s);
  const char *module = c ? module_of(x, &s->args[c->body].value) : NULL;
  uint32_t n = positional(s);
  if (!module || n < c->args) {
    return false;
  }
  if (x->depth >= FX_MAX_DEPTH) {
    sp_raise(x->ctx, SP_ERR_LIMIT, s->pos.dump, NULL,
             "graphs call each other too deeply");
  }
  fx_section class = class_section(x, module, s->pos.dump);
  const fx_graph *g =
      fx_subgraph_read(x->ctx, x->g->file, &class, x->depth + 1, x->spent);
  if (n - c->args + c->own != g->n_params) {
    fx_fail(x->ctx, s->pos.dump, NULL,
            "%s is called with %u arguments and has %u inputs", module,
            n - c->args, g->n_params < c->own ? 0 : g->n_params - c->own);
  }
  body b = {.x = x,
            .g = g,
            .call = s->name,
            .module = module,
            .args = s->args + c->args,
            .own = c->own};
  for (size_t i = g->n_params; i < g->stmts.n; i++) {
    add_inner(&b, &g->stmts.v[i]);
  }
  values results = {0};
  for (size_t i = 0; i < g->results.n; i++) {
    sp_push(x->ctx, &results, outer_value(&b, &g->results.v[i]));
  }
  if (s->annot.kind == FX_ANNOT_SHAPE && results.n > 0) {
    alias_add(x, s, &results.v[0]);
    return true;
  }
  hlo_names_add(x->ctx, &x->calls, s->name, (uint32_t)x->results.n);
  sp_push(x->ctx, &x->results, results);
  return true;
}

/* --- all of them --- */

static const values *results_of(const inliner *x, const fx_value *v) {
  uint32_t at = v->kind == FX_VALUE_NAME ? hlo_names_find(&x->calls, v->text)
                                         : HLO_NO_NAME;
  return at == HLO_NO_NAME ? NULL : &x->results.v[at];
}

/* An element of what a call returned. */
static bool element_inline(inliner *x, const fx_stmt *s) {
  if (s->kind != FX_STMT_CALL || s->n_args != 2 || s->in_place ||
      strcmp(s->op, "operator.getitem") != 0) {
    return false;
  }
  const values *all = results_of(x, &s->args[0].value);
  const fx_value *k = &s->args[1].value;
  if (!all) {
    return false;
  }
  if (k->kind != FX_VALUE_INT || k->i < 0 || (size_t)k->i >= all->n) {
    fx_fail(x->ctx, k->loc, NULL, "a number below %zu was expected", all->n);
  }
  alias_add(x, s, &all->v[k->i]);
  return true;
}

/* Without influence on values: whether gradients are recorded. */
static bool is_mode(const fx_stmt *s) {
  return s->kind == FX_STMT_CALL &&
         strcmp(s->op, "torch._C._set_grad_enabled") == 0;
}

static bool is_module(const inliner *x, const fx_stmt *s) {
  return s->kind == FX_STMT_GET_ATTR && is_class(x, s->attr);
}

void fx_inline(sp_ctx *ctx, fx_graph *g, const fx_section *section,
               uint32_t depth, size_t *spent) {
  inliner x = {
      .ctx = ctx, .g = g, .section = section, .depth = depth, .spent = spent};
  bool any = false;
  for (size_t i = 0; i < g->stmts.n && !any; i++) {
    any = caller_of(&g->stmts.v[i]) || is_mode(&g->stmts.v[i]);
  }
  if (!any) {
    return;
  }
  classes_find(&x);
  for (size_t i = 0; i < g->stmts.n; i++) {
    const fx_stmt *s = &g->stmts.v[i];
    if (!call_inline(&x, s) && !element_inline(&x, s) && !is_mode(s) &&
        !is_module(&x, s)) {
      add(&x, s);
    }
  }
  values results = {0};
  for (size_t i = 0; i < g->results.n; i++) {
    const values *all = results_of(&x, &g->results.v[i]);
    for (size_t k = 0; all && k < all->n; k++) {
      sp_push(ctx, &results, all->v[k]);
    }
    if (!all) {
      sp_push(ctx, &results, g->results.v[i]);
    }
  }
  hlo_names_clear(&g->names);
  g->stmts.n = g->results.n = 0;
  for (size_t i = 0; i < x.out.n; i++) {
    if (x.out.v[i].name) {
      hlo_names_add(ctx, &g->names, x.out.v[i].name, (uint32_t)i);
    }
    sp_push(ctx, &g->stmts, x.out.v[i]);
  }
  for (size_t i = 0; i < results.n; i++) {
    sp_push(ctx, &g->results, results.v[i]);
  }
}
