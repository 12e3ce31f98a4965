/* fx_value.c: arguments as FX writes them: numbers, strings, names of values,
 * lists of these. What else there may be ("torch.float32", "slice(0, None)",
 * "device(type='cpu')", sums of symbols) is kept as text. */
#include "graph/fx_i.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static fx_value text_value(fx_lex *l, fx_slice s) {
  return (fx_value){.kind = FX_VALUE_TEXT, .text = sp_intern(l->ctx, s.s, s.n)};
}

/* An int or a float at p, or false with p where it was. */
static bool number_read(fx_lex *l, fx_value *v) {
  const char *start = l->p, *s = l->p;
  bool minus = *s == '-';
  if (minus) {
    s++;
  }
  const char *digits = s;
  bool real = false;
  while (s < l->e && ((*s >= '0' && *s <= '9') || *s == '.' || *s == 'e' ||
                      ((*s == '-' || *s == '+') && s[-1] == 'e'))) {
    real = real || *s < '0' || *s > '9';
    s++;
  }
  size_t n = (size_t)(s - start);
  bool more = s < l->e && (*s == '_' || (*s >= 'a' && *s <= 'z') ||
                           (*s >= 'A' && *s <= 'Z'));
  if (s == digits || (*digits != '.' && (*digits < '0' || *digits > '9')) ||
      more || n >= 400) {
    return false;
  }
  char text[400];
  memcpy(text, start, n);
  text[n] = '\0';
  char *end;
  errno = 0;
  if (real) {
    *v = (fx_value){.kind = FX_VALUE_FLOAT, .f = strtod(text, &end)};
  } else {
    *v = (fx_value){.kind = FX_VALUE_INT, .i = strtoll(text, &end, 10)};
  }
  if (*end != '\0' || (!real && errno == ERANGE)) {
    return false;
  }
  l->p = s;
  return true;
}

/* inf, -inf, nan; constants; names; dotted names and calls as text. */
static bool word_read(fx_lex *l, fx_value *v) {
  const char *start = l->p;
  bool minus = *l->p == '-';
  l->p += minus;
  fx_slice w = fx_lex_word(l);
  if (fx_slice_is(w, "inf") || fx_slice_is(w, "nan")) {
    double f = fx_slice_is(w, "nan") ? (double)NAN : (double)INFINITY;
    *v = (fx_value){.kind = FX_VALUE_FLOAT, .f = minus ? -f : f};
    return true;
  }
  char next = l->p < l->e ? *l->p : '\0';
  if (minus || w.n == 0 || next == '.' || next == '(' || next == '\'' ||
      next == '"' || fx_slice_is(w, "Ellipsis")) {
    l->p = start;
    return false;
  }
  if (fx_slice_is(w, "True") || fx_slice_is(w, "False")) {
    *v = (fx_value){.kind = FX_VALUE_INT, .i = fx_slice_is(w, "True")};
    v->text = v->i ? "True" : "False";
  } else if (fx_slice_is(w, "None")) {
    *v = (fx_value){.kind = FX_VALUE_NONE};
  } else {
    *v = text_value(l, w);
    v->kind = FX_VALUE_NAME;
  }
  return true;
}

/* An atom; lists are opened by the caller. False: nothing that we know. */
static bool atom_read(fx_lex *l, fx_value *v) {
  char c = fx_lex_peek(l);
  sp_loc loc = fx_lex_loc(l);
  bool ok;
  if (c == '\'' || c == '"') {
    *v = (fx_value){.kind = FX_VALUE_TEXT, .quoted = true};
    v->text = fx_lex_string(l);
    ok = true;
  } else {
    ok = c && (number_read(l, v) || word_read(l, v));
  }
  v->loc = loc;
  return ok;
}

/* Does the value end here? */
static bool ends(fx_lex *l) {
  char c = fx_lex_peek(l);
  return c == '\0' || strchr(",;)]}", c);
}

typedef struct cursor {
  size_t at;
  const char *p, *e;
  uint32_t depth;
} cursor;

static cursor cursor_of(const fx_lex *l) {
  return (cursor){l->at, l->p, l->e, l->depth};
}

static void cursor_back(fx_lex *l, cursor c) {
  l->at = c.at;
  l->p = c.p;
  l->e = c.e;
  l->depth = c.depth;
}

static fx_value as_text(fx_lex *l, cursor start) {
  cursor_back(l, start);
  sp_loc loc = fx_lex_loc(l);
  fx_slice s = fx_lex_skip(l);
  if (s.n == 0) {
    fx_fail(l->ctx, loc, l->p == l->e ? "is the file cut short?" : NULL,
            "an argument was expected");
  }
  fx_value v = text_value(l, s);
  v.loc = loc;
  return v;
}

/* Values between brackets nest; recursion ends at FX_MAX_DEPTH. */
static fx_value value_read(fx_lex *l, int depth, bool fall_back);

static fx_value list_read(fx_lex *l, int depth) {
  sp_loc loc = fx_lex_loc(l);
  if (depth >= FX_MAX_DEPTH) {
    sp_raise(l->ctx, SP_ERR_LIMIT, loc, NULL, "over %d lists in one another",
             FX_MAX_DEPTH);
  }
  const char *start = l->p;
  size_t line = l->at;
  char close = *l->p == '[' ? ']' : ')';
  fx_lex_accept(l, *l->p);
  SP_VEC(fx_value) items = {0};
  while (!fx_lex_accept(l, close)) {
    if (items.n) {
      fx_lex_expect(l, ',', "between the elements of a list");
      if (fx_lex_accept(l, close)) {
        break;
      }
    }
    fx_value item = value_read(l, depth + 1, true);
    sp_push(l->ctx, &items, item);
  }
  fx_value v = {.kind = FX_VALUE_LIST, .loc = loc, .items = items.v};
  v.n = (uint32_t)items.n;
  v.text = l->at == line ? sp_strndup(l->ctx, start, (size_t)(l->p - start))
                         : "[...]";
  return v;
}

static fx_value value_read(fx_lex *l, int depth, bool fall_back) {
  char c = fx_lex_peek(l);
  cursor start = cursor_of(l);
  fx_value v;
  if (c == '[' || c == '(') {
    v = list_read(l, depth);
  } else if (!atom_read(l, &v)) {
    return as_text(l, start);
  }
  if (fall_back && !ends(l)) {
    return as_text(l, start);
  }
  return v;
}

fx_value fx_value_read(fx_lex *l) {
  return value_read(l, 0, true);
}

fx_value fx_operand_read(fx_lex *l) {
  return value_read(l, 0, false);
}
