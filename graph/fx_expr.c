/* fx_expr.c: the right side of a statement, an expression of one operator:
 * a call of a function, of a method or of a module, an infix or prefix
 * operator, an index, an attribute. fx_expr_read, at the end, tells them
 * apart. */
#include "graph/fx_i.h"

#include <string.h>

const char *fx_word_intern(fx_reader *r, fx_slice w) {
  return sp_intern(r->ctx, w.s, w.n);
}

fx_slice fx_name_read(fx_reader *r, const char *what) {
  fx_slice w = fx_lex_word(&r->l);
  if (w.n == 0) {
    fx_fail(r->ctx, fx_lex_loc(&r->l),
            r->l.p == r->l.e ? "is the file cut short?" : NULL,
            "%s was expected", what);
  }
  return w;
}

typedef struct op_name {
  const char *sign, *name;
} op_name;

/* Longer signs first. */
static const op_name infix[] = {
    {"**", "pow"}, {"//", "floordiv"}, {"<<", "lshift"}, {">>", "rshift"},
    {"==", "eq"},  {"!=", "ne"},       {"<=", "le"},     {">=", "ge"},
    {"<", "lt"},   {">", "gt"},        {"+", "add"},     {"-", "sub"},
    {"*", "mul"},  {"/", "truediv"},   {"%", "mod"},     {"@", "matmul"},
    {"&", "and_"}, {"^", "xor"},       {"|", "or_"},
};

const char *fx_infix_find(fx_reader *r) {
  for (size_t i = 0; i < sizeof infix / sizeof *infix; i++) {
    if (fx_lex_accept_text(&r->l, infix[i].sign)) {
      return infix[i].name;
    }
  }
  return NULL;
}

const char *fx_op_format(fx_reader *r, const char *prefix, const char *name) {
  const char *s = sp_format(r->ctx, "%s%s", prefix, name);
  return sp_intern(r->ctx, s, strlen(s));
}

void fx_args_set(fx_reader *r, fx_stmt *s, uint32_t n, const fx_value *v) {
  fx_arg *args = sp_alloc_n(r->ctx, n, sizeof *args);
  for (uint32_t i = 0; i < n; i++) {
    args[i].value = v[i];
  }
  s->args = args;
  s->n_args = n;
}

/* "name = " of a keyword argument, or NULL with the cursor where it was. */
static const char *keyword_read(fx_reader *r) {
  fx_lex_space(&r->l);
  const char *start = r->l.p;
  fx_slice w = fx_lex_word(&r->l);
  if (w.n && fx_lex_peek(&r->l) == '=' &&
      (r->l.e - r->l.p < 2 || r->l.p[1] != '=')) {
    fx_lex_accept(&r->l, '=');
    return fx_word_intern(r, w);
  }
  r->l.p = start;
  return NULL;
}

/* After '('. */
static void args_read(fx_reader *r, fx_stmt *s, const fx_value *receiver) {
  fx_args args = {0};
  if (receiver) {
    fx_arg first = {.value = *receiver};
    sp_push(r->ctx, &args, first);
  }
  bool first = true;
  while (!fx_lex_accept(&r->l, ')')) {
    if (!first) {
      fx_lex_expect(&r->l, ',', "between arguments");
      if (fx_lex_accept(&r->l, ')')) {
        break;
      }
    }
    first = false;
    fx_arg arg = {.name = keyword_read(r)};
    arg.value = fx_value_read(&r->l);
    sp_push(r->ctx, &args, arg);
  }
  s->args = args.v;
  s->n_args = (uint32_t)args.n;
}

/* "a.b.c" from a word on; the parts are checked, blanks are not allowed. */
static fx_slice dotted_read(fx_reader *r, fx_slice first) {
  fx_slice all = first;
  while (r->l.p < r->l.e && *r->l.p == '.') {
    r->l.p++;
    fx_name_read(r, "a name after '.'");
    all.n = (size_t)(r->l.p - all.s);
  }
  return all;
}

/* self.a.b, getattr(self.a, "0").b: the names joined by points. NULL and the
 * cursor where it was when this is no attribute of the module. */
static const char *module_path(fx_reader *r) {
  fx_lex start = r->l;
  uint32_t outer = 0;
  while (fx_lex_accept_text(&r->l, "getattr(")) {
    r->l.depth++;
    outer++;
  }
  fx_slice w = fx_lex_word(&r->l);
  if (!fx_slice_is(w, "self") || r->l.p == r->l.e ||
      (*r->l.p != '.' && outer == 0)) {
    r->l = start;
    return NULL;
  }
  sp_str path = {0};
  for (;;) {
    while (r->l.p < r->l.e && *r->l.p == '.') {
      r->l.p++;
      fx_slice part = fx_name_read(r, "a name after '.'");
      sp_str_add(r->ctx, &path, path.n ? "." : "");
      sp_str_addn(r->ctx, &path, part.s, part.n);
    }
    if (outer == 0) {
      break;
    }
    fx_lex_expect(&r->l, ',', "in getattr");
    char c = fx_lex_peek(&r->l);
    if (c != '"' && c != '\'') {
      fx_fail(r->ctx, fx_lex_loc(&r->l), NULL, "a name was expected");
    }
    sp_str_add(r->ctx, &path, path.n ? "." : "");
    sp_str_add(r->ctx, &path, fx_lex_string(&r->l));
    fx_lex_expect(&r->l, ')', "after getattr");
    outer--;
  }
  return sp_intern(r->ctx, path.v ? path.v : "", path.n);
}

bool fx_stmt_ends(fx_reader *r) {
  char c = fx_lex_peek(&r->l);
  return c == '\0' || c == ';' || c == '#';
}

static void module_expr(fx_reader *r, fx_stmt *s, const char *path) {
  if (fx_lex_accept(&r->l, '(')) {
    s->kind = FX_STMT_CALL;
    s->op = sp_intern(r->ctx, "fx:call_module", 14);
    s->attr = path;
    args_read(r, s, NULL);
    return;
  }
  s->kind = FX_STMT_GET_ATTR;
  s->attr = path;
}

/* A call of a function, or of a method of a value of the graph. */
static void call_expr(fx_reader *r, fx_stmt *s, fx_slice path, sp_loc loc) {
  const char *dot = memchr(path.s, '.', path.n);
  s->kind = FX_STMT_CALL;
  fx_lex_accept(&r->l, '(');
  fx_value receiver = {.kind = FX_VALUE_NAME, .loc = loc};
  if (dot) {
    receiver.text = sp_intern(r->ctx, path.s, (size_t)(dot - path.s));
  }
  if (dot && hlo_names_find(&r->g->names, receiver.text) != HLO_NO_NAME) {
    size_t n = path.n - (size_t)(dot + 1 - path.s);
    s->op = fx_op_format(r, "method.", sp_intern(r->ctx, dot + 1, n));
    args_read(r, s, &receiver);
    return;
  }
  static const char ops[] = "torch.ops.";
  if (path.n > sizeof ops - 1 && memcmp(path.s, ops, sizeof ops - 1) == 0) {
    path.s += sizeof ops - 1;
    path.n -= sizeof ops - 1;
  }
  s->op = fx_word_intern(r, path);
  args_read(r, s, NULL);
}

/* x.T, x.shape */
static void getattr_expr(fx_reader *r, fx_stmt *s, fx_slice path, sp_loc loc) {
  const char *dot = memchr(path.s, '.', path.n);
  fx_value x = {.kind = FX_VALUE_NAME, .loc = loc};
  x.text = sp_intern(r->ctx, path.s, (size_t)(dot - path.s));
  if (hlo_names_find(&r->g->names, x.text) == HLO_NO_NAME) {
    fx_fail(r->ctx, loc, NULL, "'%.80s' is not defined", x.text);
  }
  size_t n = path.n - (size_t)(dot + 1 - path.s);
  s->kind = FX_STMT_CALL;
  s->op = fx_op_format(r, "getattr.", sp_intern(r->ctx, dot + 1, n));
  fx_args_set(r, s, 1, &x);
}

void fx_index_expr(fx_reader *r, fx_stmt *s, const fx_value *x) {
  fx_lex_accept(&r->l, '[');
  fx_value v[2] = {*x, fx_value_read(&r->l)};
  fx_lex_expect(&r->l, ']', "after an index");
  s->kind = FX_STMT_CALL;
  s->op = sp_intern(r->ctx, "operator.getitem", 16);
  fx_args_set(r, s, 2, v);
}

/* "-x", "~x", "+x"; false when there is none. "-inf" is a number. */
static bool unary_expr(fx_reader *r, fx_stmt *s) {
  char c = fx_lex_peek(&r->l);
  const char *name = c == '-' ? "neg" : c == '+' ? "pos" : "invert";
  if (c != '-' && c != '+' && c != '~') {
    return false;
  }
  const char *start = r->l.p++;
  fx_lex_space(&r->l);
  sp_loc loc = fx_lex_loc(&r->l);
  fx_slice w = fx_lex_word(&r->l);
  if (w.n == 0 || fx_slice_is(w, "inf") || fx_slice_is(w, "nan") ||
      !fx_stmt_ends(r)) {
    r->l.p = start;
    return false;
  }
  fx_value x = {
      .kind = FX_VALUE_NAME, .text = fx_word_intern(r, w), .loc = loc};
  s->kind = FX_STMT_CALL;
  s->op = fx_op_format(r, "operator.", name);
  fx_args_set(r, s, 1, &x);
  return true;
}

/* After the first operand. */
static void infix_expr(fx_reader *r, fx_stmt *s, const fx_value *left) {
  const char *op = fx_infix_find(r);
  if (!op) {
    fx_fail(r->ctx, fx_lex_loc(&r->l),
            r->l.p == r->l.e ? "is the file cut short?" : NULL,
            "a call or an operator was expected");
  }
  fx_value v[2] = {*left, fx_operand_read(&r->l)};
  s->kind = FX_STMT_CALL;
  s->op = fx_op_format(r, "operator.", op);
  fx_args_set(r, s, 2, v);
}

/* What begins with a word: false when that is no value of the graph and no
 * call, so perhaps a number. */
static bool word_expr(fx_reader *r, fx_stmt *s) {
  const char *start = r->l.p;
  sp_loc loc = fx_lex_loc(&r->l);
  fx_slice w = fx_lex_word(&r->l);
  fx_slice path = w.n ? dotted_read(r, w) : w;
  fx_value x = {.kind = FX_VALUE_NAME, .loc = loc};
  if (path.n && r->l.p < r->l.e && *r->l.p == '(') {
    call_expr(r, s, path, loc);
    return true;
  }
  if (path.n != w.n) {
    getattr_expr(r, s, path, loc);
    return true;
  }
  x.text = fx_word_intern(r, w);
  if (w.n == 0 || hlo_names_find(&r->g->names, x.text) == HLO_NO_NAME) {
    r->l.p = start;
    return false;
  }
  if (fx_stmt_ends(r)) {
    s->kind = FX_STMT_ALIAS;
    fx_args_set(r, s, 1, &x);
  } else if (*r->l.p == '[') {
    fx_index_expr(r, s, &x);
  } else {
    infix_expr(r, s, &x);
  }
  return true;
}

void fx_expr_read(fx_reader *r, fx_stmt *s) {
  fx_lex_space(&r->l);
  sp_loc loc = fx_lex_loc(&r->l);
  const char *path = module_path(r);
  if (path) {
    module_expr(r, s, path);
  } else if (!unary_expr(r, s) && !word_expr(r, s)) {
    fx_value left = fx_operand_read(&r->l);
    if (left.kind == FX_VALUE_NAME && fx_stmt_ends(r)) {
      fx_fail(r->ctx, loc, NULL, "'%.80s' is not defined", left.text);
    }
    infix_expr(r, s, &left);
  }
  if (!fx_stmt_ends(r)) {
    fx_fail(r->ctx, fx_lex_loc(&r->l), NULL,
            "the end of the statement was expected");
  }
}
