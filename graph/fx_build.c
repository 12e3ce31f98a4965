/* fx_build.c: from statements to the program. fx_build_program, at the end,
 * takes statement by statement; arguments are made in fx_args.c, what a call
 * writes is decided in fx_ops.c and
 * carried out in fx_alias.c. Nodes that were made to follow aliases and that
 * nobody uses are dropped at last. */
#include "graph/fx_i.h"

#include <string.h>

static const sp_shape no_shape = {SP_DTYPE_INVALID, 0, NULL};

static const char *intern(fx_build *b, const char *s) {
  return sp_intern(b->ctx, s, strlen(s));
}

/* --- nodes --- */

uint32_t fx_node(fx_build *b, const sp_node *node, bool made,
                 const sp_shape *shapes, const char *const *names) {
  sp_node n = *node;
  n.out = (uint32_t)b->tensors.n;
  if (b->tensors.n + n.n_out > FX_MAX_TENSORS || b->n_made > FX_MAX_MADE) {
    sp_raise(b->ctx, SP_ERR_LIMIT, n.pos.dump, NULL, "too many tensors");
  }
  for (uint32_t i = 0; i < n.n_out; i++) {
    sp_tensor t = {.name = names ? names[i] : NULL,
                   .shape = shapes[i],
                   .node = (uint32_t)b->nodes.n,
                   .result = i};
    if (!t.name) {
      t.name = n.n_out == 1 ? n.name : sp_format(b->ctx, "%s#%u", n.name, i);
    }
    sp_push(b->ctx, &b->tensors, t);
  }
  sp_push(b->ctx, &b->nodes, n);
  sp_push(b->ctx, &b->made, made);
  return n.out;
}

/* --- variables --- */

static void var_name(fx_build *b, const char *name, uint32_t var) {
  hlo_names_add(b->ctx, &b->names, name, var);
}

/* A variable that is no tensor. */
static void var_value(fx_build *b, const fx_var *v) {
  sp_push(b->ctx, &b->vars, *v);
  var_name(b, b->stmt->name, (uint32_t)(b->vars.n - 1));
}

/* --- calls --- */

static uint32_t call_node(fx_build *b, const fx_stmt *s, const char *op,
                          const fx_call *c, uint32_t n_out,
                          const sp_shape *shapes, const char *const *names) {
  sp_node n = {.op = op,
               .name = s->name,
               .n_in = (uint32_t)c->in.n,
               .in = c->in.v,
               .n_out = n_out,
               .n_attrs = (uint32_t)c->attrs.n,
               .attrs = c->attrs.v,
               .pos = s->pos};
  if (!n.name) {
    n.name = sp_format(b->ctx, "%s'%u", s->args[0].value.text, ++b->n_made);
  }
  return fx_node(b, &n, false, shapes, names);
}

typedef void each_tensor(fx_build *b, uint32_t var, void *arg);

/* fn of each tensor variable among the arguments. */
static void for_tensors(fx_build *b, const fx_value *v, each_tensor *fn,
                        void *arg) {
  fx_value flat = fx_flat_list(b, v);
  for (uint32_t i = 0; i < flat.n; i++) {
    if (flat.items[i].kind == FX_VALUE_NAME) {
      uint32_t var = fx_var_find(b, &flat.items[i]);
      if (b->vars.v[var].kind == FX_VAR_TENSOR) {
        fn(b, var, arg);
      }
    }
  }
}

static void lose(fx_build *b, uint32_t var, void *arg) {
  (void)arg;
  fx_var_lose(b, var);
}

static void share(fx_build *b, uint32_t var, void *arg) {
  fx_var_may_share(b, *(uint32_t *)arg, var);
}

/* The running mean and variance of a batch norm that trains are written:
 * results 3 and 4 of its functional variant, of the same arguments. False where
 * it has none of these. */
static bool write_statistics(fx_build *b, const fx_stmt *s, const fx_call *c) {
  bool same = strcmp(s->op, "aten._native_batch_norm_legit.default") == 0 ||
              strcmp(s->op, "aten.native_batch_norm.default") == 0;
  uint32_t var[2];
  for (uint32_t k = 0; k < 2 && same; k++) {
    const fx_arg *a = s->n_args == 8 ? &s->args[3 + k] : NULL;
    var[k] = a && !a->name ? fx_tensor_named(b, &a->value) : FX_NONE;
    same = var[k] != FX_NONE && b->vars.v[var[k]].kind == FX_VAR_TENSOR;
  }
  if (!same || fx_var_family(b, var[0]) == fx_var_family(b, var[1]) ||
      s->args[5].name || s->args[5].value.kind != FX_VALUE_INT) {
    return false;
  }
  const sp_shape *stats = &b->vars.v[var[0]].shape;
  sp_shape shapes[5] = {no_shape, no_shape, no_shape, *stats,
                        b->vars.v[var[1]].shape};
  const char *names[5];
  for (uint32_t k = 0; k < 5; k++) {
    names[k] = sp_format(b->ctx, "%s'%u", s->name, ++b->n_made);
  }
  uint32_t out =
      call_node(b, s, "aten._native_batch_norm_legit_functional.default", c, 5,
                shapes, names);
  for (uint32_t k = 0; k < 2; k++) {
    fx_var_write(b, var[k], out + 3 + k);
  }
  return true;
}

static bool trains(const fx_stmt *s) {
  for (uint32_t i = 0; i < s->n_args; i++) {
    const fx_arg *a = &s->args[i];
    bool flag = a->name ? strcmp(a->name, "training") == 0 : i == 5;
    if (flag && a->value.kind == FX_VALUE_INT && a->value.i == 0) {
      return false;
    }
  }
  return true;
}

static void lose_statistics(fx_build *b, const fx_stmt *s) {
  bool python = strncmp(s->op, "torch.nn.functional.", 20) == 0;
  uint32_t mean = python ? 1 : 3;
  for (uint32_t i = 0; i < s->n_args; i++) {
    const fx_arg *a = &s->args[i];
    if (a->name ? strncmp(a->name, "running", 7) == 0
                : i == mean || i == mean + 1) {
      for_tensors(b, &a->value, lose, NULL);
    }
  }
}

/* What the call may have written without saying so. */
static void after_call(fx_build *b, const fx_stmt *s, const fx_effect *e,
                       const fx_call *c) {
  if (e->write == FX_WRITES_BN && trains(s) && !write_statistics(b, s, c)) {
    lose_statistics(b, s);
  }
  for (uint32_t i = 0; e->write == FX_WRITES_MAYBE && i < s->n_args; i++) {
    for_tensors(b, &s->args[i].value, lose, NULL);
  }
}

/* Result k of a call, as a variable. */
static uint32_t result_var(fx_build *b, const fx_stmt *s, const fx_effect *e,
                           const char *name, const sp_shape *shape,
                           uint32_t tensor, uint32_t k) {
  uint32_t first = s->n_args ? fx_tensor_named(b, &s->args[0].value) : FX_NONE;
  /* a view's node must have what it views as its operand 0 */
  bool follow = (e->alias == FX_SAME || e->alias == FX_VIEW) &&
                first != FX_NONE && !s->args[0].name &&
                b->vars.v[first].kind == FX_VAR_TENSOR;
  if (follow) {
    return fx_var_view(b, name, shape, tensor, first, e, k);
  }
  uint32_t var = fx_var_own(b, name, shape, tensor);
  if (e->alias != FX_FRESH) {
    for (uint32_t i = 0; i < s->n_args; i++) {
      for_tensors(b, &s->args[i].value, share, &var);
    }
  }
  return var;
}

/* A result that is a number: known, or by its name. */
static bool number_var(fx_build *b, const fx_stmt *s, const char *name,
                       const fx_annot *annot) {
  if (annot->kind != FX_ANNOT_SYM && annot->kind != FX_ANNOT_NUMBER) {
    return false;
  }
  fx_var v = {.name = name, .stmt = s, .i = annot->i};
  v.kind = annot->kind == FX_ANNOT_SYM ? FX_VAR_TEXT : FX_VAR_INT;
  sp_push(b->ctx, &b->vars, v);
  var_name(b, name, (uint32_t)(b->vars.n - 1));
  return true;
}

static void call_tuple(fx_build *b, const fx_stmt *s, const fx_effect *e,
                       const fx_call *c) {
  sp_shape *shapes = sp_alloc_n(b->ctx, s->n_results, sizeof *shapes);
  const char **names = sp_alloc_n(b->ctx, s->n_results, sizeof *names);
  for (uint32_t k = 0; k < s->n_results; k++) {
    const fx_result *r = &s->results[k];
    shapes[k] = r->annot.kind == FX_ANNOT_SHAPE ? r->annot.shape : no_shape;
    names[k] = r->name;
  }
  uint32_t out = call_node(b, s, e->op, c, s->n_results, shapes, names);
  for (uint32_t k = 0; k < s->n_results; k++) {
    if (names[k] && !number_var(b, s, names[k], &s->results[k].annot)) {
      var_name(b, names[k],
               result_var(b, s, e, names[k], &shapes[k], out + k, k));
    }
  }
  fx_var v = {.kind = FX_VAR_TUPLE, .name = s->name, .stmt = s};
  var_value(b, &v);
}

static void call_one(fx_build *b, const fx_stmt *s, const fx_effect *e,
                     const fx_call *c) {
  const sp_shape *shape =
      s->annot.kind == FX_ANNOT_SHAPE ? &s->annot.shape : &no_shape;
  uint32_t out = call_node(b, s, e->op, c, 1, shape, NULL);
  if (!number_var(b, s, s->name, &s->annot)) {
    var_name(b, s->name, result_var(b, s, e, s->name, shape, out, 0));
  }
}

/* --- calls that write --- */

static bool named(const fx_arg *a, const char *name) {
  return a->name && strcmp(a->name, name) == 0;
}

static const fx_value *written_value(const fx_stmt *s, const fx_effect *e) {
  bool out = e->write == FX_WRITES_OUT;
  for (uint32_t i = 0; i < s->n_args; i++) {
    const fx_arg *a = &s->args[i];
    if (out ? named(a, "out")
            : (i == 0 && !a->name) || named(a, "self") || named(a, "input")) {
      return &a->value;
    }
  }
  return NULL;
}

static noreturn void write_unknown(fx_build *b, const fx_stmt *s) {
  sp_raise(b->ctx, SP_ERR_UNKNOWN, s->pos.dump,
           "capture the graph after functionalization",
           "what %.120s writes cannot be followed", s->op);
}

/* The written tensor keeps its shape, so the annotation is the same. */
static void written_check(fx_build *b, const fx_stmt *s, fx_var *x) {
  if (s->annot.kind != FX_ANNOT_SHAPE) {
    return;
  }
  if (x->shape.dtype == SP_DTYPE_INVALID) {
    x->shape = s->annot.shape;
  } else if (s->annot.shape.dtype != SP_DTYPE_INVALID &&
             !sp_shape_equal(&x->shape, &s->annot.shape)) {
    fx_fail(b->ctx, s->pos.dump, NULL,
            "the result is said to be %s, and what is written is %s",
            sp_shape_text(b->ctx, &s->annot.shape),
            sp_shape_text(b->ctx, &x->shape));
  }
}

/* c10d operators return (what is written, work); others what is written. */
static void written_result(fx_build *b, const fx_stmt *s, const fx_value *v,
                           uint32_t var) {
  if (!s->name) {
    return;
  }
  bool pair = strncmp(s->op, "c10d.", 5) == 0;
  if (v->kind == FX_VALUE_NAME && !pair) {
    var_name(b, s->name, var);
    return;
  }
  fx_value *list = sp_alloc(b->ctx, sizeof *list);
  *list = *v;
  if (pair) {
    fx_value *items = sp_alloc_n(b->ctx, 2, sizeof *items);
    items[0] = *v;
    *list = (fx_value){.kind = FX_VALUE_LIST, .n = 2, .items = items};
  }
  fx_var x = {.kind = FX_VAR_LIST, .name = s->name, .stmt = s, .list = list};
  var_value(b, &x);
}

/* An optimizer's lists as one value. */
static fx_value *optimizer_lists(fx_build *b, const fx_stmt *s) {
  fx_value *v = sp_alloc(b->ctx, sizeof *v);
  fx_value *items = sp_alloc_n(b->ctx, FX_OPTIMIZER_LISTS, sizeof *items);
  for (uint32_t i = 0; i < FX_OPTIMIZER_LISTS; i++) {
    if (i >= s->n_args || s->args[i].name ||
        s->args[i].value.kind != FX_VALUE_LIST) {
      write_unknown(b, s);
    }
    items[i] = s->args[i].value;
  }
  *v = (fx_value){.kind = FX_VALUE_LIST,
                  .loc = s->pos.dump,
                  .n = FX_OPTIMIZER_LISTS,
                  .items = items};
  return v;
}

static void call_writing(fx_build *b, const fx_stmt *s, const fx_effect *e,
                         const fx_call *c) {
  const fx_value *v =
      e->write == FX_WRITES_LISTS ? optimizer_lists(b, s) : written_value(s, e);
  if (!v || (v->kind != FX_VALUE_NAME && v->kind != FX_VALUE_LIST)) {
    write_unknown(b, s);
  }
  fx_value flat = fx_flat_list(b, v);
  sp_shape *shapes = sp_alloc_n(b->ctx, flat.n, sizeof *shapes);
  uint32_t *vars = sp_alloc_n(b->ctx, flat.n, sizeof *vars);
  for (uint32_t i = 0; i < flat.n; i++) {
    vars[i] = fx_tensor_named(b, &flat.items[i]);
    if (vars[i] == FX_NONE || b->vars.v[vars[i]].kind != FX_VAR_TENSOR) {
      write_unknown(b, s);
    }
    written_check(b, s, &b->vars.v[vars[i]]);
    shapes[i] = b->vars.v[vars[i]].shape;
  }
  if (flat.n == 0) {
    write_unknown(b, s);
  }
  if (flat.n > 1 && strncmp(s->op, "c10d.", 5) != 0) {
    fx_check_overlap(b, s,
                     e->write == FX_WRITES_LISTS ? FX_OPTIMIZER_LISTS : 1);
  }
  uint32_t out = call_node(b, s, e->op, c, flat.n, shapes, NULL);
  for (uint32_t i = 0; i < flat.n; i++) {
    fx_var_write(b, vars[i], out + i);
  }
  written_result(b, s, v, vars[0]);
}

/* Lists of new tensors, each like the one in the argument; they have names that
 * no graph can have. */
static void call_lists(fx_build *b, const fx_stmt *s, const fx_effect *e,
                       const fx_call *c) {
  fx_value *lists = optimizer_lists(b, s);
  fx_value flat = fx_flat_list(b, lists);
  sp_shape *shapes = sp_alloc_n(b->ctx, flat.n, sizeof *shapes);
  for (uint32_t i = 0; i < flat.n; i++) {
    uint32_t var = fx_tensor_named(b, &flat.items[i]);
    if (var == FX_NONE || b->vars.v[var].kind != FX_VAR_TENSOR) {
      write_unknown(b, s);
    }
    shapes[i] = b->vars.v[var].shape;
  }
  if (flat.n == 0) {
    write_unknown(b, s);
  }
  uint32_t out = call_node(b, s, e->op, c, flat.n, shapes, NULL), k = 0;
  fx_value *results = sp_alloc_n(b->ctx, lists->n, sizeof *results);
  for (uint32_t i = 0; i < lists->n; i++) {
    results[i] = lists->items[i];
    fx_value *items = sp_alloc_n(b->ctx, results[i].n, sizeof *items);
    for (uint32_t j = 0; j < results[i].n; j++, k++) {
      items[j] = results[i].items[j];
      items[j].kind = FX_VALUE_NAME;
      items[j].text = sp_format(b->ctx, "%s#%u", s->name, k);
      var_name(b, items[j].text,
               fx_var_own(b, items[j].text, &shapes[k], out + k));
    }
    results[i].items = items;
  }
  lists->items = results;
  fx_var x = {.kind = FX_VAR_LIST, .name = s->name, .stmt = s, .list = lists};
  var_value(b, &x);
}

/* --- statements --- */

/* name = tuple[k]: true when that is what s does. */
static bool stmt_getitem(fx_build *b, const fx_stmt *s) {
  const fx_value *x = &s->args[0].value, *index = &s->args[1].value;
  if (strcmp(s->op, "operator.getitem") != 0 || x->kind != FX_VALUE_NAME) {
    return false;
  }
  const fx_var *var = &b->vars.v[fx_var_find(b, x)];
  if (var->kind == FX_VAR_TUPLE) {
    const char *known = NULL;
    if (index->kind == FX_VALUE_INT && index->i >= 0 &&
        index->i < var->stmt->n_results) {
      known = var->stmt->results[index->i].name;
    }
    if (!known) {
      sp_raise(b->ctx, SP_ERR_UNKNOWN, s->pos.dump, NULL,
               "'%.80s' is taken apart by another name", x->text);
    }
    if (known != s->name) {
      var_name(b, s->name, hlo_names_find(&b->names, known));
    }
    return true;
  }
  if (var->kind == FX_VAR_TEXT) {
    sp_raise(b->ctx, SP_ERR_UNKNOWN, s->pos.dump, NULL,
             "'%.80s' is taken apart, and is no tensor", x->text);
  }
  if (var->kind != FX_VAR_LIST) {
    return false;
  }
  if (index->kind != FX_VALUE_INT || index->i < 0 || index->i >= var->list->n) {
    fx_fail(b->ctx, index->loc, NULL, "there is no such result");
  }
  const fx_value *item = &var->list->items[index->i];
  fx_var out = {.kind = FX_VAR_LIST, .name = s->name, .stmt = s, .list = item};
  if (item->kind == FX_VALUE_NAME) {
    var_name(b, s->name, fx_var_find(b, item));
    return true;
  }
  out.kind = item->kind == FX_VALUE_LIST ? FX_VAR_LIST : FX_VAR_TEXT;
  var_value(b, &out);
  return true;
}

static void stmt_call(fx_build *b, const fx_stmt *s) {
  if (s->n_args == 2 && stmt_getitem(b, s)) {
    return;
  }
  fx_effect e = fx_effect_of(b->ctx, s);
  if (e.write == FX_WRITES_ODD) {
    write_unknown(b, s);
  }
  fx_call c = fx_call_args(b, s, &e);
  if (e.write == FX_WRITES_FIRST || e.write == FX_WRITES_OUT ||
      e.write == FX_WRITES_LISTS) {
    call_writing(b, s, &e, &c);
    return;
  }
  if (e.lists && s->name) {
    call_lists(b, s, &e, &c);
    return;
  }
  if (s->n_results) {
    call_tuple(b, s, &e, &c);
  } else {
    call_one(b, s, &e, &c);
  }
  after_call(b, s, &e, &c);
}

static void stmt_placeholder(fx_build *b, const fx_stmt *s) {
  sp_attr *a = sp_alloc(b->ctx, sizeof *a);
  *a = (sp_attr){.name = intern(b, "index"), .kind = SP_ATTR_INT};
  a->u.i = (int64_t)b->params.n;
  fx_call c = {.attrs = {a, 1, 1}};
  fx_effect e = {.op = intern(b, "fx:placeholder")};
  call_one(b, s, &e, &c);
  uint32_t tensor = (uint32_t)(b->tensors.n - 1);
  sp_push(b->ctx, &b->params, tensor);
}

/* self.x: one variable for all that read it. ScriptObjects, which is what
 * _torchbind_obj0 holds (FX names them so), are no tensors. */
static void stmt_get_attr(fx_build *b, const fx_stmt *s) {
  static const char object[] = "_torchbind_obj";
  uint32_t known = hlo_names_find(&b->constants, s->attr);
  if (known != HLO_NO_NAME) {
    var_name(b, s->name, known);
    return;
  }
  hlo_names_add(b->ctx, &b->constants, s->attr, (uint32_t)b->vars.n);
  if (strncmp(s->attr, object, sizeof object - 1) == 0) {
    fx_var v = {.kind = FX_VAR_TEXT, .name = s->attr, .stmt = s};
    var_value(b, &v);
    return;
  }
  sp_attr *a = sp_alloc(b->ctx, sizeof *a);
  *a = (sp_attr){.name = intern(b, "name"), .kind = SP_ATTR_TEXT};
  a->u.text = s->attr;
  fx_call c = {.attrs = {a, 1, 1}};
  fx_effect e = {.op = intern(b, "fx:get_attr")};
  call_one(b, s, &e, &c);
}

static void stmt_build(fx_build *b, const fx_stmt *s) {
  b->stmt = s;
  switch (s->kind) {
  case FX_STMT_PLACEHOLDER:
    stmt_placeholder(b, s);
    break;
  case FX_STMT_GET_ATTR:
    stmt_get_attr(b, s);
    break;
  case FX_STMT_ALIAS:
    var_name(b, s->name, fx_var_find(b, &s->args[0].value));
    break;
  case FX_STMT_CALL:
    stmt_call(b, s);
    break;
  }
}

/* --- the program --- */

static uint32_t *results_build(fx_build *b) {
  const fx_graph *g = b->graph;
  fx_stmt end = {.op = "return", .pos = {.dump = g->loc}};
  b->stmt = &end;
  uint32_t *out = sp_alloc_n(b->ctx, g->results.n, sizeof *out);
  for (size_t i = 0; i < g->results.n; i++) {
    const fx_value *v = &g->results.v[i];
    out[i] = SP_NO_TENSOR;
    if (v->kind == FX_VALUE_TEXT && !v->quoted) {
      fx_fail(b->ctx, v->loc, NULL, "'%.80s' is no result", v->text);
    }
    uint32_t var = fx_tensor_named(b, v);
    if (var != FX_NONE) {
      out[i] = fx_var_tensor(b, v, var);
    }
  }
  return out;
}

/* Nodes that we made and nobody uses go. */
static void drop_unused(fx_build *b, uint32_t n_results, uint32_t *results) {
  sp_mark mark = sp_scratch_mark(b->ctx);
  uint32_t *map = sp_scratch(b->ctx, b->tensors.n * sizeof *map + 1);
  memset(map, 0, b->tensors.n * sizeof *map);
  for (uint32_t i = 0; i < n_results; i++) {
    if (results[i] != SP_NO_TENSOR) {
      map[results[i]] = 1;
    }
  }
  for (size_t i = b->nodes.n; i-- > 0;) {
    sp_node *n = &b->nodes.v[i];
    bool used = !b->made.v[i];
    for (uint32_t k = 0; k < n->n_out; k++) {
      used = used || map[n->out + k];
    }
    b->made.v[i] = !used;
    for (uint32_t k = 0; used && k < n->n_in; k++) {
      map[n->in[k]] = 1;
    }
  }
  size_t nodes = 0, tensors = 0;
  for (size_t i = 0; i < b->nodes.n; i++) {
    sp_node n = b->nodes.v[i];
    if (b->made.v[i]) {
      continue;
    }
    uint32_t *in = sp_alloc_n(b->ctx, n.n_in, sizeof *in);
    for (uint32_t k = 0; k < n.n_in; k++) {
      in[k] = map[n.in[k]];
    }
    n.in = in;
    for (uint32_t k = 0; k < n.n_out; k++) {
      map[n.out + k] = (uint32_t)(tensors + k);
      b->tensors.v[tensors + k] = b->tensors.v[n.out + k];
      b->tensors.v[tensors + k].node = (uint32_t)nodes;
    }
    n.out = (uint32_t)tensors;
    tensors += n.n_out;
    b->nodes.v[nodes++] = n;
  }
  b->nodes.n = nodes;
  b->tensors.n = tensors;
  for (uint32_t i = 0; i < n_results; i++) {
    if (results[i] != SP_NO_TENSOR) {
      results[i] = map[results[i]];
    }
  }
  for (size_t i = 0; i < b->params.n; i++) {
    b->params.v[i] = map[b->params.v[i]];
  }
  sp_scratch_release(b->ctx, mark);
}

sp_program *fx_build_program(sp_ctx *ctx, const fx_graph *graph) {
  fx_build b = {.ctx = ctx, .graph = graph};
  for (size_t i = 0; i < graph->stmts.n; i++) {
    stmt_build(&b, &graph->stmts.v[i]);
  }
  uint32_t *results = results_build(&b);
  if (b.n_made) {
    drop_unused(&b, (uint32_t)graph->results.n, results);
  }
  fx_complex_pairs(&b);
  sp_program *p = sp_alloc(ctx, sizeof *p);
  *p = (sp_program){.name = graph->name,
                    .file = graph->file,
                    .partitions = 1,
                    .n_nodes = (uint32_t)b.nodes.n,
                    .n_tensors = (uint32_t)b.tensors.n,
                    .nodes = b.nodes.v,
                    .tensors = b.tensors.v,
                    .n_params = (uint32_t)b.params.n,
                    .params = b.params.v,
                    .n_results = (uint32_t)graph->results.n,
                    .results = results};
  sp_program_check(ctx, p);
  return p;
}
