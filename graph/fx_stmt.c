/* fx_stmt.c: the statements of a graph. From the end: fx_graph_read walks over
 * the lines; each line is a comment, a return, inputs of a joint graph, or
 * statements separated by ';'; the right side of a statement is read in
 * fx_expr.c. tuples_mark finds the results that getitems take apart. */
#include "graph/fx_i.h"

#include <string.h>

static void stmt_add(fx_reader *r, const fx_stmt *s) {
  if (r->g->stmts.n >= FX_NONE) {
    fx_fail(r->ctx, s->pos.dump, NULL, "too many statements");
  }
  if (s->name &&
      !hlo_names_add(r->ctx, &r->g->names, s->name, (uint32_t)r->g->stmts.n)) {
    fx_fail(r->ctx, s->pos.dump, NULL, "%.80s is defined twice", s->name);
  }
  sp_push(r->ctx, &r->g->stmts, *s);
}

/* --- statements --- */

/* "a = b = None": names that are freed. */
static bool frees_read(fx_reader *r) {
  fx_lex start = r->l;
  bool any = false;
  for (;;) {
    fx_slice w = fx_lex_word(&r->l);
    if (any && fx_slice_is(w, "None") && fx_stmt_ends(r)) {
      return true;
    }
    if (w.n == 0 || !fx_lex_accept(&r->l, '=')) {
      r->l = start;
      return false;
    }
    any = true;
  }
}

/* "x += y" and "x[i] = y", after the word x. False: neither. */
static bool in_place_read(fx_reader *r, fx_slice w, fx_stmt *s) {
  fx_lex start = r->l;
  fx_value v[3] = {{.kind = FX_VALUE_NAME, .loc = s->pos.dump}};
  v[0].text = fx_word_intern(r, w);
  s->kind = FX_STMT_CALL;
  s->in_place = true;
  if (fx_lex_peek(&r->l) == '[') {
    fx_index_expr(r, s, &v[0]);
    v[1] = s->args[1].value;
    fx_lex_expect(&r->l, '=', "after what is written");
    v[2] = fx_value_read(&r->l);
    s->op = sp_intern(r->ctx, "operator.setitem", 16);
    fx_args_set(r, s, 3, v);
    return true;
  }
  const char *op = fx_infix_find(r);
  if (!op || r->l.p == r->l.e || *r->l.p != '=') {
    r->l = start;
    s->in_place = false;
    return false;
  }
  fx_lex_accept(&r->l, '=');
  v[1] = fx_value_read(&r->l);
  s->op = fx_op_format(r, "operator.", op);
  fx_args_set(r, s, 2, v);
  return true;
}

/* FX writes "x += y;  name = x" for one node: the second half gives the name
 * to the first. */
static bool in_place_named(fx_reader *r, fx_stmt *s) {
  fx_stmt *last = r->g->stmts.n ? &r->g->stmts.v[r->g->stmts.n - 1] : NULL;
  if (!last || !last->in_place || last->name || s->kind != FX_STMT_ALIAS ||
      last->pos.dump.line != s->pos.dump.line ||
      last->args[0].value.text != s->args[0].value.text) {
    return false;
  }
  if (!hlo_names_add(r->ctx, &r->g->names, s->name,
                     (uint32_t)(r->g->stmts.n - 1))) {
    fx_fail(r->ctx, s->pos.dump, NULL, "%.80s is defined twice", s->name);
  }
  last->name = s->name;
  last->annot = s->annot;
  return true;
}

static void annot_note(fx_reader *r, const char *name, const fx_annot *a) {
  if (hlo_names_add(r->ctx, &r->annots, name, (uint32_t)r->annot.n)) {
    sp_push(r->ctx, &r->annot, *a);
  }
}

static void placeholder_add(fx_reader *r, const char *name, fx_annot annot,
                            sp_loc loc) {
  uint32_t at = hlo_names_find(&r->annots, name);
  fx_stmt s = {.kind = FX_STMT_PLACEHOLDER, .name = name, .annot = annot};
  if (annot.kind == FX_ANNOT_NO && at != HLO_NO_NAME) {
    s.annot = r->annot.v[at];
  }
  s.pos.dump = loc;
  stmt_add(r, &s);
  r->g->n_params++;
}

/* "a, b, = fx_pytree.tree_flatten_spec(...)": the inputs, one by one. What the
 * signature lists then are containers. After the word a. */
static void flatten_read(fx_reader *r, fx_slice first) {
  SP_VEC(const char *) names = {0};
  const char *name = fx_word_intern(r, first);
  sp_push(r->ctx, &names, name);
  sp_loc loc = fx_lex_loc(&r->l);
  while (fx_lex_accept(&r->l, ',') && fx_lex_peek(&r->l) != '=') {
    name = fx_word_intern(r, fx_name_read(r, "the name of an input"));
    sp_push(r->ctx, &names, name);
  }
  fx_lex_expect(&r->l, '=', "after the names of the inputs");
  if (!fx_lex_accept_text(&r->l, "fx_pytree.tree_flatten_spec(")) {
    fx_fail(r->ctx, fx_lex_loc(&r->l), NULL,
            "several names are only assigned from fx_pytree.tree_flatten_spec");
  }
  r->l.p--;
  fx_lex_skip(&r->l);
  if (r->g->stmts.n != r->g->n_params) {
    fx_fail(r->ctx, loc, NULL, "inputs come before operators");
  }
  for (uint32_t i = 0; i < r->g->n_params; i++) {
    annot_note(r, r->g->stmts.v[i].name, &r->g->stmts.v[i].annot);
  }
  hlo_names_clear(&r->g->names);
  r->g->stmts.n = 0;
  r->g->n_params = 0;
  for (size_t i = 0; i < names.n; i++) {
    placeholder_add(r, names.v[i], (fx_annot){0}, loc);
  }
}

static void stmt_read(fx_reader *r) {
  fx_stmt s = {.pos = r->pos};
  fx_lex_space(&r->l);
  s.pos.dump = fx_lex_loc(&r->l);
  if (frees_read(r)) {
    return;
  }
  fx_slice w = fx_name_read(r, "a statement");
  if (fx_lex_peek(&r->l) == ',') {
    flatten_read(r, w);
    return;
  }
  if (fx_lex_peek(&r->l) != ':' && fx_lex_peek(&r->l) != '=' &&
      in_place_read(r, w, &s)) {
    stmt_add(r, &s);
    return;
  }
  s.name = fx_word_intern(r, w);
  bool annotated = fx_lex_accept(&r->l, ':');
  if (annotated) {
    s.annot = fx_annot_read(&r->l);
  }
  if (annotated && fx_stmt_ends(r)) {
    annot_note(r, s.name, &s.annot);
    return;
  }
  fx_lex_expect(&r->l, '=', "after the name of a result");
  fx_expr_read(r, &s);
  if (!in_place_named(r, &s)) {
    stmt_add(r, &s);
  }
}

/* --- the return statement --- */

/* Names, None and numbers of nested lists, in order; depth is limited where
 * lists are read. */
static void results_flatten(fx_reader *r, const fx_value *v) {
  if (v->kind != FX_VALUE_LIST) {
    sp_push(r->ctx, &r->g->results, *v);
    return;
  }
  for (uint32_t i = 0; i < v->n; i++) {
    results_flatten(r, &v->items[i]);
  }
}

/* {'loss': x, 'logits': y}: the values in order. */
static void dict_flatten(fx_reader *r) {
  fx_lex_accept(&r->l, '{');
  bool first = true;
  while (!fx_lex_accept(&r->l, '}')) {
    if (!first) {
      fx_lex_expect(&r->l, ',', "between results");
      if (fx_lex_accept(&r->l, '}')) {
        break;
      }
    }
    first = false;
    char c = fx_lex_peek(&r->l);
    if (c != '\'' && c != '"') {
      fx_fail(r->ctx, fx_lex_loc(&r->l), NULL, "a key was expected");
    }
    fx_lex_string(&r->l);
    fx_lex_expect(&r->l, ':', "after a key");
    fx_value v = fx_value_read(&r->l);
    results_flatten(r, &v);
  }
}

static void return_read(fx_reader *r) {
  r->g->loc = fx_lex_loc(&r->l);
  bool tree = fx_lex_accept_text(&r->l, "pytree.tree_unflatten(");
  r->l.depth += tree;
  if (!tree && fx_lex_peek(&r->l) == '{') {
    dict_flatten(r);
  } else if (tree || !fx_stmt_ends(r)) {
    fx_value v = fx_operand_read(&r->l);
    /* "return x, y" */
    while (!tree && fx_lex_accept(&r->l, ',')) {
      results_flatten(r, &v);
      if (fx_stmt_ends(r)) {
        r->done = true;
        return;
      }
      v = fx_operand_read(&r->l);
    }
    results_flatten(r, &v);
  }
  if (tree) {
    fx_lex_expect(&r->l, ',', "after the results");
    fx_lex_skip(&r->l);
    fx_lex_expect(&r->l, ')', "after the results");
  }
  if (!fx_stmt_ends(r)) {
    fx_fail(r->ctx, fx_lex_loc(&r->l), NULL,
            "the end of the return statement was expected");
  }
  r->done = true;
}

/* --- lines --- */

/* "File: path:12 in f, code: ...", after '#'. */
static void source_read(fx_reader *r, const char *s, const char *e) {
  static const char file[] = "File: ";
  s += sizeof file - 1;
  for (const char *c = s; c < e; c++) {
    uint32_t line = 0;
    const char *d = c + 1;
    for (; *c == ':' && d < e && *d >= '0' && *d <= '9' && line < 100000000;
         d++) {
      line = line * 10 + (uint32_t)(*d - '0');
    }
    if (*c != ':' || d == c + 1 || (d < e && *d != ' ' && *d != ',')) {
      continue;
    }
    r->pos.source_file = sp_intern(r->ctx, s, (size_t)(c - s));
    r->pos.source_line = line;
    if (e - d > 4 && memcmp(d, " in ", 4) == 0) {
      const char *comma = memchr(d, ',', (size_t)(e - d));
      d += 4;
      r->pos.op_name = sp_intern(r->ctx, d, (size_t)((comma ? comma : e) - d));
    }
    return;
  }
}

static void comment_read(fx_reader *r) {
  fx_lex *l = &r->l;
  l->p++;
  fx_lex_space(l);
  if (fx_lex_accept_text(l, "File: ")) {
    r->pos = (sp_pos){0};
    source_read(r, l->p - 6, l->e);
  } else if (fx_lex_accept_text(l, "No stacktrace")) {
    r->pos = (sp_pos){0};
  }
}

static bool keyword_is(fx_reader *r, const char *word) {
  const char *start = r->l.p;
  bool yes = fx_slice_is(fx_lex_word(&r->l), word);
  r->l.p = yes ? r->l.p : start;
  return yes;
}

static void line_read(fx_reader *r) {
  if (fx_lex_peek(&r->l) == '#') {
    comment_read(r);
    return;
  }
  if (keyword_is(r, "return")) {
    return_read(r);
    return;
  }
  if (keyword_is(r, "pass")) {
    return;
  }
  do {
    if (fx_stmt_ends(r)) {
      break;
    }
    stmt_read(r);
  } while (fx_lex_accept(&r->l, ';'));
}

/* "def forward(self, x: "f32[4]", y = None):" */
static void signature_read(fx_reader *r) {
  fx_lex_expect(&r->l, '(', "after forward");
  bool first = true;
  while (!fx_lex_accept(&r->l, ')')) {
    if (!first) {
      fx_lex_expect(&r->l, ',', "between inputs");
      if (fx_lex_accept(&r->l, ')')) {
        break;
      }
    }
    fx_lex_accept(&r->l, '*');
    fx_lex_accept(&r->l, '*');
    fx_lex_space(&r->l);
    sp_loc loc = fx_lex_loc(&r->l);
    const char *name =
        fx_word_intern(r, fx_name_read(r, "the name of an input"));
    fx_annot a = {0};
    if (fx_lex_accept(&r->l, ':')) {
      a = fx_annot_read(&r->l);
    }
    if (fx_lex_accept(&r->l, '=')) {
      fx_value_read(&r->l);
    }
    if (!first || strcmp(name, "self") != 0) {
      placeholder_add(r, name, a, loc);
    }
    first = false;
  }
}

/* To after the signature's line. */
static void header_read(fx_reader *r) {
  fx_lex *l = &r->l;
  size_t at = 0;
  while (fx_lex_goto(l, at)) {
    if (fx_source_is_def(&l->lines[at])) {
      fx_lex_accept_text(l, "def forward");
      signature_read(r);
      while (l->p < l->e && *l->p != ':') {
        l->p++; /* " -> Tensor" */
      }
      fx_lex_expect(l, ':', "after the inputs");
      return;
    }
    at++;
  }
  fx_fail(r->ctx, fx_lex_loc(l), "is the file cut short?",
          "the graph has no forward function");
}

/* --- results that are taken apart --- */

static bool takes_apart(const fx_stmt *s) {
  return s->kind == FX_STMT_CALL && !s->in_place && s->n_args == 2 &&
         strcmp(s->op, "operator.getitem") == 0 &&
         s->args[0].value.kind == FX_VALUE_NAME;
}

/* The statement whose result s takes apart, or NULL. */
static fx_stmt *tuple_of(fx_reader *r, const fx_stmt *s) {
  if (!takes_apart(s)) {
    return NULL;
  }
  uint32_t at = hlo_names_find(&r->g->names, s->args[0].value.text);
  fx_stmt *t = at == HLO_NO_NAME ? NULL : &r->g->stmts.v[at];
  if (!t || t >= s || t->kind != FX_STMT_CALL || t->annot.kind != FX_ANNOT_NO ||
      t->in_place) {
    return NULL;
  }
  const fx_value *k = &s->args[1].value;
  if (k->kind != FX_VALUE_INT || k->i < 0 || k->i >= FX_MAX_RESULTS) {
    fx_fail(r->ctx, k->loc, NULL, "a number from 0 to %d was expected",
            FX_MAX_RESULTS - 1);
  }
  return t;
}

/* First how many results each has, then what is known of them. */
static void tuples_mark(fx_reader *r) {
  fx_graph *g = r->g;
  uint32_t total = 0;
  for (size_t i = 0; i < g->stmts.n; i++) {
    fx_stmt *t = tuple_of(r, &g->stmts.v[i]);
    uint32_t n = t ? (uint32_t)g->stmts.v[i].args[1].value.i + 1 : 0;
    if (t && n > t->n_results) {
      total += n - t->n_results;
      t->n_results = n;
    }
    if (total > FX_MAX_TENSORS) {
      sp_raise(r->ctx, SP_ERR_LIMIT, g->stmts.v[i].pos.dump, NULL,
               "too many tensors");
    }
  }
  for (size_t i = 0; i < g->stmts.n; i++) {
    const fx_stmt *s = &g->stmts.v[i];
    fx_stmt *t = tuple_of(r, s);
    if (t && !t->results) {
      t->results = sp_alloc_n(r->ctx, t->n_results, sizeof *t->results);
    }
    fx_result *result = t ? &t->results[s->args[1].value.i] : NULL;
    if (t && !result->name) {
      *result = (fx_result){s->name, s->annot};
    }
  }
}

/* A constant without annotation has the shape of what lift_fresh_copy makes
 * of it. */
static void constants_mark(fx_reader *r) {
  fx_graph *g = r->g;
  for (size_t i = 0; i < g->stmts.n; i++) {
    const fx_stmt *s = &g->stmts.v[i];
    if (s->kind != FX_STMT_CALL || s->n_args != 1 ||
        s->args[0].value.kind != FX_VALUE_NAME ||
        strcmp(s->op, "aten.lift_fresh_copy.default") != 0) {
      continue;
    }
    uint32_t at = hlo_names_find(&g->names, s->args[0].value.text);
    fx_stmt *c = at == HLO_NO_NAME ? NULL : &g->stmts.v[at];
    if (c && c->kind == FX_STMT_GET_ATTR && c->annot.kind == FX_ANNOT_NO) {
      c->annot = s->annot;
    }
  }
}

fx_graph *fx_subgraph_read(sp_ctx *ctx, const char *file,
                           const fx_section *section, uint32_t depth,
                           size_t *spent) {
  fx_reader r = {.ctx = ctx};
  r.g = sp_alloc(ctx, sizeof *r.g);
  r.g->file = file;
  r.g->name = section->name;
  fx_lex_init(&r.l, ctx, file, section);
  header_read(&r);
  /* what follows the signature on its line, if anything */
  do {
    r.l.depth = 0;
    line_read(&r);
  } while (!r.done && fx_lex_goto(&r.l, r.l.at + 1));
  if (!r.done) {
    fx_fail(ctx, fx_lex_loc(&r.l), "is the file cut short?",
            "the graph ends without a return statement");
  }
  fx_inline(ctx, r.g, section, depth, spent);
  if (depth == 0) {
    tuples_mark(&r);
    constants_mark(&r);
  }
  return r.g;
}

fx_graph *fx_graph_read(sp_ctx *ctx, const char *file,
                        const fx_section *section) {
  size_t spent = 0;
  return fx_subgraph_read(ctx, file, section, 0, &spent);
}
