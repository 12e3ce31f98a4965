/* hlo_lex.c: small tokens of HLO text, in the order of the header. */
#include "graph/hlo_lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hlo_lex_init(hlo_lex *l, sp_ctx *ctx, const char *file, const char *text,
                  size_t n) {
  *l = (hlo_lex){ctx, file, text, text, text + n, text, 1};
}

sp_loc hlo_lex_loc(hlo_lex *l, const char *at) {
  if (at < l->line_at) {
    l->line_at = l->begin;
    l->line = 1;
  }
  for (;;) {
    const char *nl = memchr(l->line_at, '\n', (size_t)(at - l->line_at));
    if (!nl) {
      break;
    }
    l->line_at = nl + 1;
    l->line++;
  }
  sp_loc loc = {.file = l->file, .line = l->line};
  size_t column = (size_t)(at - l->line_at) + 1;
  loc.column = column > UINT32_MAX ? 0 : (uint32_t)column;
  return loc;
}

void hlo_lex_fail(hlo_lex *l, const char *at, const char *hint, const char *fmt,
                  ...) {
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  sp_raise(l->ctx, SP_ERR_INPUT, hlo_lex_loc(l, at), hint, "%s", text);
}

static bool comment_skip(hlo_lex *l) {
  const char *start = l->p;
  if (l->end - l->p < 2 || l->p[0] != '/') {
    return false;
  }
  if (l->p[1] == '/') {
    const char *nl = memchr(l->p, '\n', (size_t)(l->end - l->p));
    l->p = nl ? nl : l->end;
    return true;
  }
  if (l->p[1] != '*') {
    return false;
  }
  for (l->p += 2; l->end - l->p >= 2; l->p++) {
    if (l->p[0] == '*' && l->p[1] == '/') {
      l->p += 2;
      return true;
    }
  }
  hlo_lex_fail(l, start, "is the file cut short?", "a comment does not end");
}

void hlo_lex_space(hlo_lex *l) {
  for (;;) {
    while (l->p < l->end &&
           (*l->p == ' ' || (*l->p >= '\t' && *l->p <= '\r'))) {
      l->p++;
    }
    if (!comment_skip(l)) {
      return;
    }
  }
}

char hlo_lex_peek(hlo_lex *l) {
  hlo_lex_space(l);
  return l->p < l->end ? *l->p : '\0';
}

bool hlo_lex_accept(hlo_lex *l, char c) {
  if (hlo_lex_peek(l) != c || l->p == l->end) {
    return false;
  }
  l->p++;
  return true;
}

void hlo_lex_expect(hlo_lex *l, char c, const char *where) {
  if (hlo_lex_accept(l, c)) {
    return;
  }
  if (l->p == l->end) {
    hlo_lex_fail(l, l->p, "is the file cut short?",
                 "the text ends where '%c' was expected %s", c, where);
  }
  hlo_lex_fail(l, l->p, NULL, "'%c' was expected %s", c, where);
}

static bool word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

hlo_slice hlo_lex_word(hlo_lex *l) {
  hlo_lex_space(l);
  hlo_slice w = {l->p, 0};
  while (l->p < l->end && word_char(*l->p)) {
    l->p++;
  }
  w.n = (size_t)(l->p - w.s);
  return w;
}

bool hlo_slice_is(hlo_slice s, const char *text) {
  return strlen(text) == s.n && memcmp(s.s, text, s.n) == 0;
}

bool hlo_lex_accept_word(hlo_lex *l, const char *word) {
  hlo_lex_space(l);
  const char *start = l->p;
  if (hlo_slice_is(hlo_lex_word(l), word)) {
    return true;
  }
  l->p = start;
  return false;
}

hlo_slice hlo_lex_name(hlo_lex *l, const char *what) {
  hlo_lex_accept(l, '%');
  const char *start = l->p;
  hlo_slice w = hlo_lex_word(l);
  if (w.n == 0) {
    bool over = l->p == l->end;
    hlo_lex_fail(l, over ? l->p : start, over ? "is the file cut short?" : NULL,
                 "the name of %s was expected", what);
  }
  return w;
}

int64_t hlo_lex_int(hlo_lex *l, const char *what) {
  bool minus = hlo_lex_accept(l, '-');
  const char *start = l->p;
  int64_t v = 0;
  while (l->p < l->end && *l->p >= '0' && *l->p <= '9') {
    int digit = *l->p - '0';
    if (v > (INT64_MAX - digit) / 10) {
      hlo_lex_fail(l, start, NULL, "%s does not fit in 64 bits", what);
    }
    v = v * 10 + digit;
    l->p++;
  }
  if (l->p == start) {
    hlo_lex_fail(l, start, l->p == l->end ? "is the file cut short?" : NULL,
                 "a number was expected for %s", what);
  }
  return minus ? -v : v;
}

bool hlo_lex_bool(hlo_lex *l) {
  hlo_lex_space(l);
  const char *start = l->p;
  hlo_slice w = hlo_lex_word(l);
  bool yes = hlo_slice_is(w, "true") || hlo_slice_is(w, "1");
  if (!yes && !hlo_slice_is(w, "false") && !hlo_slice_is(w, "0")) {
    hlo_lex_fail(l, start, NULL, "true or false was expected");
  }
  return yes;
}

/* Over a string; p is after the opening quote on entry, after the closing
 * one on return. Returns false when it does not end. */
static bool string_skip(hlo_lex *l, char quote, bool *escapes) {
  while (l->p < l->end && *l->p != quote) {
    if (*l->p == '\\') {
      *escapes = true;
      l->p++;
    }
    if (l->p < l->end) {
      l->p++;
    }
  }
  if (l->p == l->end) {
    return false;
  }
  l->p++;
  return true;
}

static int escape_digits(const char **s, const char *end, int base, int most) {
  int v = 0;
  for (int i = 0; i < most && *s < end; i++) {
    char c = **s;
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : 16;
    if (digit >= base) {
      break;
    }
    v = v * base + digit;
    (*s)++;
  }
  return v;
}

static char escape_char(const char **s, const char *end) {
  char c = *(*s)++;
  switch (c) {
  case 'n':
    return '\n';
  case 't':
    return '\t';
  case 'r':
    return '\r';
  case 'x':
    return (char)escape_digits(s, end, 16, 2);
  default:
    break;
  }
  if (c >= '0' && c <= '7') {
    (*s)--;
    return (char)escape_digits(s, end, 8, 3);
  }
  return c;
}

const char *hlo_lex_string(hlo_lex *l) {
  hlo_lex_expect(l, '"', "to begin a string");
  const char *start = l->p;
  bool escapes = false;
  if (!string_skip(l, '"', &escapes)) {
    hlo_lex_fail(l, start - 1, "is the file cut short?",
                 "a string does not end");
  }
  const char *end = l->p - 1;
  if (!escapes) {
    return sp_intern(l->ctx, start, (size_t)(end - start));
  }
  sp_mark mark = sp_scratch_mark(l->ctx);
  char *out = sp_scratch(l->ctx, (size_t)(end - start) + 1);
  size_t n = 0;
  for (const char *s = start; s < end;) {
    char c = *s++;
    if (c == '\\' && s < end) {
      c = escape_char(&s, end);
    }
    out[n++] = c;
  }
  const char *text = sp_intern(l->ctx, out, n);
  sp_scratch_release(l->ctx, mark);
  return text;
}

const int64_t *hlo_lex_ints(hlo_lex *l, char open, char close, size_t *n) {
  SP_VEC(int64_t) v = {0};
  hlo_lex_expect(l, open, "to begin a list of numbers");
  while (!hlo_lex_accept(l, close)) {
    if (v.n) {
      hlo_lex_expect(l, ',', "between numbers");
    }
    int64_t x = hlo_lex_int(l, "an element of the list");
    sp_push(l->ctx, &v, x);
  }
  *n = v.n;
  return v.v;
}

/* p stands on a quote; steps over the string, to its closing quote. */
static void quoted_skip(hlo_lex *l) {
  const char *quote = l->p++;
  bool escapes = false;
  if (!string_skip(l, '"', &escapes)) {
    hlo_lex_fail(l, quote, "is the file cut short?", "a string does not end");
  }
  l->p--;
}

static void group_skip(hlo_lex *l, bool one_group) {
  const char *start = l->p;
  size_t depth = 0;
  for (; l->p < l->end; l->p++) {
    char c = *l->p;
    bool closes = c == '}' || c == ']' || c == ')';
    if (c == '{' || c == '[' || c == '(') {
      depth++;
    } else if (closes && depth > 0) {
      depth--;
    } else if (depth == 0 && (closes || c == ',' || c == '\n')) {
      return;
    } else if (c == '"') {
      quoted_skip(l);
    }
    if (one_group && depth == 0) {
      l->p++;
      return;
    }
  }
  if (depth) {
    hlo_lex_fail(l, start, "is the file cut short?", "a bracket is not closed");
  }
}

hlo_slice hlo_lex_skip_value(hlo_lex *l) {
  hlo_lex_space(l);
  hlo_slice s = {l->p, 0};
  group_skip(l, false);
  s.n = (size_t)(l->p - s.s);
  while (s.n && (s.s[s.n - 1] == ' ' || s.s[s.n - 1] == '\r')) {
    s.n--;
  }
  return s;
}

void hlo_lex_skip_group(hlo_lex *l) {
  hlo_lex_space(l);
  group_skip(l, true);
}
