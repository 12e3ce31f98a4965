/* lang_token.c: the tokens of formulas. Read sp_lang_next. */
#include "encode/lang.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sp_lang_fail(sp_ctx *ctx, sp_loc loc, const char *hint, const char *fmt,
                  ...) {
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  sp_raise(ctx, SP_ERR_INPUT, loc, hint, "%s", text);
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static char peek(const sp_lang_reader *r, size_t ahead) {
  size_t at = r->at + ahead;
  return at < r->text.n ? r->text.text[at] : '\0';
}

static void step(sp_lang_reader *r) {
  if (r->text.text[r->at] == '\n') {
    r->line++;
    r->column = r->text.column_next;
  } else {
    r->column++;
  }
  r->at++;
}

/* Over blanks and comments; true when a line began that is no continuation. */
static bool skip(sp_lang_reader *r) {
  bool line = false;
  while (r->at < r->text.n) {
    char c = peek(r, 0);
    if (c == '#') {
      while (r->at < r->text.n && peek(r, 0) != '\n') {
        step(r);
      }
    } else if (c == '\n') {
      step(r);
      line = true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      step(r);
      /* a line that begins with a blank goes on with the one before */
      line = false;
    } else {
      break;
    }
  }
  return line;
}

static const char *intern(sp_lang_reader *r, size_t from) {
  return sp_intern(r->ctx, r->text.text + from, r->at - from);
}

static void take(sp_lang_reader *r, size_t n) {
  for (size_t i = 0; i < n; i++) {
    step(r);
  }
}

static void read_word(sp_lang_reader *r) {
  size_t from = r->at;
  while (is_letter(peek(r, 0)) || is_digit(peek(r, 0)) ||
         (r->dotted && (peek(r, 0) == '.' || peek(r, 0) == ':'))) {
    step(r);
  }
  r->token = SP_LANG_WORD;
  r->word = intern(r, from);
}

static void read_number(sp_lang_reader *r) {
  size_t from = r->at;
  while (is_digit(peek(r, 0))) {
    step(r);
  }
  if (peek(r, 0) == '.' && is_digit(peek(r, 1))) {
    step(r);
    while (is_digit(peek(r, 0))) {
      step(r);
    }
  }
  size_t sign = peek(r, 1) == '-' || peek(r, 1) == '+' ? 1 : 0;
  if ((peek(r, 0) == 'e' || peek(r, 0) == 'E') && is_digit(peek(r, 1 + sign))) {
    take(r, 1 + sign);
    while (is_digit(peek(r, 0))) {
      step(r);
    }
  }
  r->token = SP_LANG_NUMBER;
  r->word = intern(r, from);
  if (is_letter(peek(r, 0))) {
    sp_lang_fail(r->ctx, r->loc,
                 "write 2 * x for a product; a name begins with a letter",
                 "%s is followed by a letter", r->word);
  }
}

static void read_quoted(sp_lang_reader *r) {
  char quote = peek(r, 0);
  step(r);
  size_t from = r->at;
  while (peek(r, 0) != quote) {
    if (r->at >= r->text.n || peek(r, 0) == '\n') {
      sp_lang_fail(r->ctx, r->loc, NULL, "a text without its closing quote");
    }
    step(r);
  }
  r->token = SP_LANG_QUOTED;
  r->word = intern(r, from);
  step(r);
}

static void read_sign(sp_lang_reader *r) {
  static const char *const signs[] = {"->", "<=", ">=", "==", "!=", ".."};
  char c = peek(r, 0);
  size_t from = r->at, n = 1;
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    if (c == signs[i][0] && peek(r, 1) == signs[i][1]) {
      n = 2;
    }
  }
  if (n == 1 && !strchr("()[]{},;:<>=+-*/^?!.@", c)) {
    sp_lang_stray(r);
  }
  take(r, n);
  r->token = SP_LANG_SIGN;
  r->word = intern(r, from);
  if (strchr("([{", c)) {
    r->open++;
  } else if (strchr(")]}", c) && r->open > 0) {
    r->open--;
  }
}

void sp_lang_next(sp_lang_reader *r) {
  bool line = skip(r) && r->open == 0 && !r->free;
  r->loc = (sp_loc){.file = r->text.file, .line = r->line, .column = r->column};
  char c = peek(r, 0);
  r->word = "";
  if (r->at >= r->text.n) {
    r->token = SP_LANG_END;
  } else if (line && r->token != SP_LANG_LINE) {
    r->token = SP_LANG_LINE;
  } else if (is_letter(c)) {
    read_word(r);
  } else if (is_digit(c)) {
    read_number(r);
  } else if (c == '"' || c == '\'') {
    read_quoted(r);
  } else {
    read_sign(r);
  }
}

void sp_lang_start(sp_lang_reader *r, sp_ctx *ctx, const sp_lang_text *text) {
  *r = (sp_lang_reader){.ctx = ctx,
                        .text = *text,
                        .line = text->line,
                        .column = text->column,
                        .token = SP_LANG_LINE};
  sp_lang_next(r);
}

bool sp_lang_is(const sp_lang_reader *r, const char *word) {
  return (r->token == SP_LANG_WORD || r->token == SP_LANG_SIGN) &&
         strcmp(r->word, word) == 0;
}

bool sp_lang_accept(sp_lang_reader *r, const char *word) {
  if (!sp_lang_is(r, word)) {
    return false;
  }
  sp_lang_next(r);
  return true;
}

const char *sp_lang_found(const sp_lang_reader *r) {
  switch (r->token) {
  case SP_LANG_END:
    return "the end";
  case SP_LANG_LINE:
    return "the end of the line";
  case SP_LANG_WORD:
  case SP_LANG_NUMBER:
  case SP_LANG_QUOTED:
  case SP_LANG_SIGN:
    break;
  }
  return sp_format(r->ctx, "\"%.60s\"", r->word);
}

void sp_lang_expect(sp_lang_reader *r, const char *word, const char *where) {
  if (!sp_lang_accept(r, word)) {
    sp_lang_fail(r->ctx, r->loc, sp_lang_hint(r),
                 "\"%s\" is missing %s, before %s", word, where,
                 sp_lang_found(r));
  }
}

const char *sp_lang_name(sp_lang_reader *r, const char *what) {
  if (r->token != SP_LANG_WORD) {
    sp_lang_fail(r->ctx, r->loc, sp_lang_hint(r), "%s expected, not %s", what,
                 sp_lang_found(r));
  }
  const char *name = r->word;
  sp_lang_next(r);
  return name;
}
