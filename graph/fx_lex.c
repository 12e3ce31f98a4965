/* fx_lex.c: characters, then words and strings, then values stepped over. */
#include "graph/fx_i.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void fx_fail(sp_ctx *ctx, sp_loc loc, const char *hint, const char *fmt, ...) {
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  sp_raise(ctx, SP_ERR_INPUT, loc, hint, "%s", text);
}

void fx_lex_init(fx_lex *l, sp_ctx *ctx, const char *file,
                 const fx_section *section) {
  *l = (fx_lex){.ctx = ctx,
                .file = file,
                .lines = section->lines.v,
                .n_lines = section->lines.n};
  fx_lex_goto(l, 0);
}

bool fx_lex_goto(fx_lex *l, size_t at) {
  if (at >= l->n_lines) {
    l->at = l->n_lines;
    l->p = l->e;
    return false;
  }
  l->at = at;
  l->p = l->lines[at].s;
  l->e = l->lines[at].e;
  return true;
}

sp_loc fx_lex_loc(const fx_lex *l) {
  sp_loc loc = {.file = l->file};
  if (l->n_lines == 0) {
    return loc;
  }
  const fx_line *line = &l->lines[l->at < l->n_lines ? l->at : l->n_lines - 1];
  size_t column = (size_t)(l->p - line->s) + line->column;
  loc.line = line->number;
  loc.column = column > UINT32_MAX ? 0 : (uint32_t)column;
  return loc;
}

void fx_lex_space(fx_lex *l) {
  for (;;) {
    while (l->p < l->e && (*l->p == ' ' || *l->p == '\t')) {
      l->p++;
    }
    if (l->p < l->e || l->depth == 0 || l->at + 1 >= l->n_lines) {
      return;
    }
    fx_lex_goto(l, l->at + 1);
  }
}

char fx_lex_peek(fx_lex *l) {
  fx_lex_space(l);
  return l->p < l->e ? *l->p : '\0';
}

bool fx_lex_accept(fx_lex *l, char c) {
  if (fx_lex_peek(l) != c || l->p == l->e) {
    return false;
  }
  l->p++;
  if (c == '(' || c == '[' || c == '{') {
    l->depth++;
  } else if ((c == ')' || c == ']' || c == '}') && l->depth > 0) {
    l->depth--;
  }
  return true;
}

void fx_lex_expect(fx_lex *l, char c, const char *where) {
  if (fx_lex_accept(l, c)) {
    return;
  }
  if (l->p == l->e) {
    fx_fail(l->ctx, fx_lex_loc(l), "is the file cut short?",
            "the line ends where '%c' was expected %s", c, where);
  }
  fx_fail(l->ctx, fx_lex_loc(l), NULL, "'%c' was expected %s", c, where);
}

bool fx_lex_accept_text(fx_lex *l, const char *text) {
  fx_lex_space(l);
  size_t n = strlen(text);
  if ((size_t)(l->e - l->p) < n || memcmp(l->p, text, n) != 0) {
    return false;
  }
  l->p += n;
  return true;
}

static bool word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (unsigned char)c >= 0x80;
}

fx_slice fx_lex_word(fx_lex *l) {
  fx_lex_space(l);
  fx_slice w = {l->p, 0};
  if (l->p < l->e && word_start(*l->p)) {
    while (l->p < l->e &&
           (word_start(*l->p) || (*l->p >= '0' && *l->p <= '9'))) {
      l->p++;
    }
  }
  w.n = (size_t)(l->p - w.s);
  return w;
}

bool fx_slice_is(fx_slice s, const char *text) {
  return strlen(text) == s.n && memcmp(s.s, text, s.n) == 0;
}

/* --- strings --- */

/* p stands on a quote; to after the closing one. */
static void string_skip(fx_lex *l, bool *escapes) {
  sp_loc start = fx_lex_loc(l);
  char quote = *l->p++;
  while (l->p < l->e && *l->p != quote) {
    if (*l->p == '\\') {
      *escapes = true;
      l->p++;
    }
    if (l->p < l->e) {
      l->p++;
    }
  }
  if (l->p == l->e) {
    fx_fail(l->ctx, start, "is the file cut short?", "a string does not end");
  }
  l->p++;
}

static char hex_pair(const char **s, const char *e) {
  unsigned v = 0;
  for (int i = 0; i < 2 && *s < e; i++) {
    char c = **s;
    unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                     : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                            : 16;
    if (digit == 16) {
      break;
    }
    v = v * 16 + digit;
    (*s)++;
  }
  return (char)(unsigned char)v;
}

static char unescape(const char **s, const char *e) {
  char c = *(*s)++;
  switch (c) {
  case 'n':
    return '\n';
  case 't':
    return '\t';
  case 'r':
    return '\r';
  case 'x':
    return hex_pair(s, e);
  default:
    return c;
  }
}

const char *fx_lex_string(fx_lex *l) {
  const char *start = l->p + 1;
  bool escapes = false;
  string_skip(l, &escapes);
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
      c = unescape(&s, end);
    }
    out[n++] = c;
  }
  const char *text = sp_intern(l->ctx, out, n);
  sp_scratch_release(l->ctx, mark);
  return text;
}

/* --- values stepped over --- */

fx_slice fx_lex_skip(fx_lex *l) {
  fx_lex_space(l);
  fx_slice out = {l->p, 0};
  size_t line = l->at;
  uint32_t outer = l->depth;
  sp_loc start = fx_lex_loc(l);
  while (fx_lex_peek(l)) {
    char c = *l->p;
    bool closes = c == ')' || c == ']' || c == '}';
    if (l->depth == outer && (closes || c == ',' || c == ';')) {
      break;
    }
    if (c == '\'' || c == '"') {
      bool escapes = false;
      string_skip(l, &escapes);
    } else {
      fx_lex_accept(l, c);
    }
    if (l->at == line) {
      out.n = (size_t)(l->p - out.s);
    }
  }
  if (l->depth != outer) {
    fx_fail(l->ctx, start, "is the file cut short?", "a bracket is not closed");
  }
  return out;
}
