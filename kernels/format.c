/* format.c: tokens and comments in a row (scan), then each with the blanks that
 * belong before it (line_start, gap). */
#include "kernels/format.h"

#include "base/vec.h"
#include "encode/lang.h"
#include "kernels/kernel.h"

#include <string.h>

enum { INDENT = 2, CONTINUED = 4 };

typedef struct piece {
  const char *text;
  sp_lang_token token;
  bool comment;
  uint32_t lines; /* line breaks before it */
  bool spaced;    /* a blank before it */
} piece;

typedef SP_VEC(piece) pieces;

/* ---- scanning ---- */

/* Comments in what lies between two tokens; the rest of it counts for the next
 * piece. */
static void scan_gap(sp_ctx *ctx, pieces *out, const char *s, size_t n,
                     piece *next) {
  size_t i = 0;
  while (i < n) {
    if (s[i] == '#') {
      size_t end = i;
      while (end < n && s[end] != '\n') {
        end++;
      }
      size_t stop = end;
      while (stop > i && strchr(" \t\r", s[stop - 1])) {
        stop--;
      }
      next->text = sp_strndup(ctx, s + i, stop - i);
      next->comment = true;
      sp_push(ctx, out, *next);
      *next = (piece){0};
      i = end;
      continue;
    }
    next->lines += s[i] == '\n';
    next->spaced = true;
    i++;
  }
}

static pieces scan(sp_ctx *ctx, const char *file, const char *text, size_t n) {
  pieces out = {0};
  const sp_lang_text whole = {text, n, file, 1, 1, 1};
  sp_lang_reader r;
  sp_lang_start(&r, ctx, &whole);
  r.free = true;
  if (r.token == SP_LANG_LINE) {
    sp_lang_next(&r);
  }
  size_t end = 0; /* of the token before */
  for (;;) {
    bool quoted = r.token == SP_LANG_QUOTED;
    size_t length = strlen(r.word) + (quoted ? 2 : 0);
    size_t start = r.token == SP_LANG_END ? n : r.at - length;
    piece next = {0};
    scan_gap(ctx, &out, text + end, start - end, &next);
    next.text = sp_strndup(ctx, text + start, length);
    next.token = r.token;
    sp_push(ctx, &out, next);
    if (r.token == SP_LANG_END) {
      return out;
    }
    end = r.at;
    sp_lang_next(&r);
  }
}

/* ---- blanks ---- */

static bool is(const piece *p, const char *text) {
  return p && !p->comment && p->token != SP_LANG_END &&
         strcmp(p->text, text) == 0;
}

static bool is_one_of(const piece *p, const char *const *words) {
  for (size_t i = 0; words[i]; i++) {
    if (is(p, words[i])) {
      return true;
    }
  }
  return false;
}

/* Words that a bracket may follow without being their arguments. */
static bool is_word_of_language(const piece *p) {
  static const char *const words[] = {
      "if",   "then", "else",  "and", "or", "not",    "div", "mod",
      "over", "is",   "where", "let", "on", "assume", "in",  NULL};
  return is_one_of(p, words);
}

static bool is_sign(const piece *p, const char *signs) {
  return p && p->token == SP_LANG_SIGN && !p->comment && !p->text[1] &&
         strchr(signs, p->text[0]);
}

/* Something that an operator may follow. */
static bool ends_operand(const piece *p) {
  return p && !p->comment &&
         (((p->token == SP_LANG_WORD) && !is_word_of_language(p)) ||
          p->token == SP_LANG_NUMBER || p->token == SP_LANG_QUOTED ||
          is_sign(p, ")]"));
}

static bool unary(const piece *v, size_t i) {
  return is(&v[i], "-") && !(i > 0 && ends_operand(&v[i - 1]));
}

/* An operator that the author wrote without blanks stays so. */
static bool tight(const piece *v, size_t i) {
  return is(&v[i], "^") ||
         (is_sign(&v[i], "+-*/") && !v[i].spaced && !v[i + 1].spaced &&
          v[i].lines == 0 && v[i + 1].lines == 0);
}

/* A blank between pieces i - 1 and i of a line? */
static bool gap(const piece *v, size_t i) {
  const piece *a = &v[i - 1], *b = &v[i];
  if (is(a, "..") || is(b, "..") || is_sign(a, "([@") || is_sign(b, ")],;:") ||
      unary(v, i - 1) || tight(v, i) || tight(v, i - 1)) {
    return false;
  }
  if (is(b, "@")) { /* x@(g = 1) reads elsewhere, @g is an operand */
    return !(ends_operand(a) && is(&v[i + 1], "("));
  }
  if (is(b, "(")) {
    bool called = a->token == SP_LANG_WORD && !is_word_of_language(a);
    return !called;
  }
  if (is(b, "[")) {
    return !ends_operand(a);
  }
  return true;
}

/* Does the line that begins with piece i go on with the one before? */
static bool continues(const piece *v, size_t i, uint32_t open) {
  static const char *const ends[] = {
      "=",   "+",     "-",    "*",     "/",   "<",   ">",    "<=",
      ">=",  "==",    "!=",   "div",   "mod", "and", "or",   "not",
      "if",  "then",  ",",    "else",  "is",  "on",  "over", "only",
      "let", "where", "mesh", "input", "in",  "..",  NULL};
  static const char *const begins[] = {
      "+",  "-",  "*",   "/",   "<",   ">",    "<=",   ">=",   "==",
      "!=", "=",  "div", "mod", "and", "or",   "then", "else", "where",
      "is", "on", "at",  ",",   "^",   "over", "in",   "..",   NULL};
  if (open > 0 || is_one_of(&v[i], begins)) {
    return true;
  }
  size_t k = i;
  while (k > 0 && v[k - 1].comment) {
    k--;
  }
  return k > 0 && is_one_of(&v[k - 1], ends);
}

static void line_start(sp_ctx *ctx, sp_str *out, const piece *v, size_t i,
                       uint32_t depth, uint32_t open) {
  bool closes = is(&v[i], "}");
  bool after = i > 0 && is(&v[i - 1], "{");
  if (i > 0) {
    sp_str_add(ctx, out, "\n");
  }
  if (v[i].lines > 1 && i > 0 && !closes && !after) {
    sp_str_add(ctx, out, "\n");
  }
  uint32_t blanks = INDENT * (depth - (closes && depth > 0));
  blanks += !v[i].comment && continues(v, i, open) ? CONTINUED : 0;
  for (uint32_t k = 0; k < blanks; k++) {
    sp_str_add(ctx, out, " ");
  }
}

static const char *laid_out(sp_ctx *ctx, const pieces *list) {
  sp_str out = {0};
  uint32_t depth = 0, open = 0;
  sp_str_add(ctx, &out, "");
  for (size_t i = 0; i + 1 < list->n; i++) {
    const piece *p = &list->v[i];
    if (i == 0 || p->lines > 0 || list->v[i - 1].comment) {
      line_start(ctx, &out, list->v, i, depth, open);
    } else if (p->comment) {
      sp_str_add(ctx, &out, "  ");
    } else if (gap(list->v, i)) {
      sp_str_add(ctx, &out, " ");
    }
    sp_str_add(ctx, &out, p->text);
    depth += is(p, "{");
    depth -= is(p, "}") && depth > 0;
    open += is_sign(p, "([");
    open -= is_sign(p, ")]") && open > 0;
  }
  sp_str_add(ctx, &out, list->n > 1 ? "\n" : "");
  return out.v;
}

/* ---- the whole ---- */

static void check_same(sp_ctx *ctx, const char *file, const pieces *a,
                       const pieces *b) {
  bool same = a->n == b->n;
  for (size_t i = 0; same && i < a->n; i++) {
    same = a->v[i].comment == b->v[i].comment &&
           strcmp(a->v[i].text, b->v[i].text) == 0;
  }
  if (!same) {
    sp_raise(ctx, SP_ERR_INTERNAL, (sp_loc){.file = file},
             "the file was left as it is",
             "formatting would have changed more than blanks");
  }
}

const char *sp_kernel_format(sp_ctx *ctx, const char *file, const char *text,
                             size_t n) {
  sp_kernel_read_text(ctx, file, text, n);
  pieces before = scan(ctx, file, text, n);
  const char *out = laid_out(ctx, &before);
  pieces after = scan(ctx, file, out, strlen(out));
  check_same(ctx, file, &before, &after);
  return out;
}
