/* exercise.c: read cli_read_exercise (tokens, and places among them), then
 * cli_breaks_rules, at the end. */
#include "cli/exercise.h"

#include "base/file.h"
#include "base/vec.h"
#include "encode/lang.h"

#include <string.h>

enum { MAX_FILE = 1 << 24, SHOWN = 24 };

typedef SP_VEC(const char *) words;

typedef struct token {
  const char *text;
  sp_lang_token kind;
  sp_loc loc;
} token;

/* Tokens [first, end) of the file are an answer. */
typedef struct place {
  size_t first, end;
  uint32_t depth; /* brackets that are open where it begins */
  sp_loc loc;
  words reads, without;
} place;

struct cli_exercise {
  sp_ctx *ctx;
  SP_VEC(token) tokens; /* END is the last one */
  SP_VEC(place) places;
  bool open; /* the last place has no end yet */
};

/* ---- places ---- */

static noreturn void fail(const cli_exercise *x, sp_loc loc, const char *text) {
  sp_lang_fail(x->ctx, loc, "#: answer, #: reads A, B, #: without NAME, #: end",
               "%s", text);
}

static bool begins(const char *s, size_t n, const char *word, size_t *at) {
  size_t length = strlen(word);
  *at = length;
  return n >= length && memcmp(s, word, length) == 0 &&
         (n == length || s[length] == ' ');
}

/* "A, B" */
static void add_words(sp_ctx *ctx, words *out, const char *s, size_t n) {
  size_t i = 0;
  while (i < n) {
    size_t from = i;
    while (i < n && !strchr(" ,\t\r", s[i])) {
      i++;
    }
    if (i > from) {
      sp_push(ctx, out, sp_intern(ctx, s + from, i - from));
    }
    i += i < n;
  }
}

/* What stands after "#:". */
static void directive(cli_exercise *x, const char *s, size_t n, sp_loc loc) {
  place *last = x->open ? &x->places.v[x->places.n - 1] : NULL;
  size_t at;
  while (n > 0 && *s == ' ') {
    s++;
    n--;
  }
  while (n > 0 && strchr(" \t\r", s[n - 1])) {
    n--;
  }
  if (!last && begins(s, n, "answer", &at)) {
    const place p = {.first = x->tokens.n, .loc = loc};
    sp_push(x->ctx, &x->places, p);
    x->open = true;
  } else if (last && n == 3 && begins(s, n, "end", &at)) {
    last->end = x->tokens.n;
    x->open = false;
  } else if (last && begins(s, n, "reads", &at)) {
    add_words(x->ctx, &last->reads, s + at, n - at);
  } else if (last && begins(s, n, "without", &at)) {
    add_words(x->ctx, &last->without, s + at, n - at);
  } else {
    fail(x, loc,
         last ? "this means nothing inside of an answer"
              : "this means nothing outside of an answer");
  }
}

/* The comments between two tokens; loc: of the token after them. */
static void comments(cli_exercise *x, const char *s, size_t n, sp_loc loc) {
  uint32_t left = 0; /* lines up to that token */
  for (size_t i = 0; i < n; i++) {
    left += s[i] == '\n';
  }
  for (size_t i = 0; i < n; i++) {
    left -= s[i] == '\n';
    if (s[i] != '#') {
      continue;
    }
    const char *end = memchr(s + i, '\n', n - i);
    size_t length = end ? (size_t)(end - s) - i : n - i;
    if (length > 1 && s[i + 1] == ':') {
      const sp_loc here = {.file = loc.file, .line = loc.line - left};
      directive(x, s + i + 2, length - 2, here);
    }
    i += length - 1;
  }
}

/* ---- tokens ---- */

static bool is(const token *t, const char *text) {
  return (t->kind == SP_LANG_WORD || t->kind == SP_LANG_SIGN) &&
         strcmp(t->text, text) == 0;
}

static bool opens(const token *t) {
  return is(t, "{") || is(t, "(") || is(t, "[");
}

static bool closes(const token *t) {
  return is(t, "}") || is(t, ")") || is(t, "]");
}

static void count_brackets(cli_exercise *x) {
  uint32_t depth = 0;
  size_t k = 0;
  for (size_t i = 0; i < x->tokens.n; i++) {
    while (k < x->places.n && x->places.v[k].first == i) {
      x->places.v[k++].depth = depth;
    }
    depth += opens(&x->tokens.v[i]);
    depth -= closes(&x->tokens.v[i]) && depth > 0;
  }
}

const cli_exercise *cli_read_exercise(sp_ctx *ctx, const char *path) {
  cli_exercise *x = sp_alloc(ctx, sizeof *x);
  x->ctx = ctx;
  size_t n, end = 0;
  const char *text =
      sp_file_read(ctx, path, (sp_loc){.file = path}, MAX_FILE, &n);
  const sp_lang_text whole = {text, n, path, 1, 1, 1};
  sp_lang_reader r;
  sp_lang_start(&r, ctx, &whole);
  r.free = true;
  if (r.token == SP_LANG_LINE) {
    sp_lang_next(&r);
  }
  for (;;) {
    size_t length = strlen(r.word) + (r.token == SP_LANG_QUOTED ? 2 : 0);
    size_t start = r.token == SP_LANG_END ? n : r.at - length;
    comments(x, text + end, start - end, r.loc);
    const token t = {r.word, r.token, r.loc};
    sp_push(ctx, &x->tokens, t);
    if (r.token == SP_LANG_END) {
      break;
    }
    end = r.at;
    sp_lang_next(&r);
  }
  if (x->open) {
    fail(x, x->places.v[x->places.n - 1].loc, "this answer has no end");
  }
  count_brackets(x);
  return x;
}

/* ---- rules ---- */

static const char *shown(const cli_exercise *x, const token *t) {
  return t->kind == SP_LANG_END ? "the end of the file"
                                : sp_format(x->ctx, "\"%.*s\"", SHOWN, t->text);
}

/* The given text: tokens a of the exercise, b of the file, up to a place. */
static const char *given_text(const cli_exercise *x, size_t a, size_t a_end,
                              const cli_exercise *file, size_t b,
                              size_t b_end) {
  for (; a < a_end || b < b_end; a++, b++) {
    if (a == a_end) {
      return sp_format(x->ctx, "line %u: %s is not in the exercise",
                       file->tokens.v[b].loc.line,
                       shown(file, &file->tokens.v[b]));
    }
    const token *s = &x->tokens.v[a];
    if (b == b_end) {
      return sp_format(x->ctx, "%s of the exercise (its line %u) is missing",
                       shown(x, s), s->loc.line);
    }
    const token *t = &file->tokens.v[b];
    if (s->kind != t->kind || strcmp(s->text, t->text) != 0) {
      return sp_format(x->ctx, "line %u: the exercise has %s here, not %s",
                       t->loc.line, shown(x, s), shown(file, t));
    }
  }
  return NULL;
}

static bool among(const words *list, const char *text) {
  for (size_t i = 0; i < list->n; i++) {
    if (strcmp(list->v[i], text) == 0) {
      return true;
    }
  }
  return false;
}

/* Statements of the file, which would change what is asked. Between blocks
 * `let` and `where` do, too. */
static bool is_forbidden(const token *t, bool between_blocks) {
  static const char *const forbidden[] = {
      "let",  "where",      "mesh",     "input", "func",  "assume",
      "only", "sequential", "parallel", "prove", "expect"};
  for (size_t i = between_blocks ? 0 : 2;
       i < sizeof forbidden / sizeof *forbidden; i++) {
    if (is(t, forbidden[i])) {
      return true;
    }
  }
  return false;
}

/* "input A[M, K], Ids[T]: int": the names of all of them. */
static words inputs_of(const cli_exercise *x) {
  words out = {0};
  uint32_t depth = 0;
  bool inside = false, name = false;
  for (size_t i = 0; i < x->tokens.n; i++) {
    const token *t = &x->tokens.v[i];
    if (is(t, "input")) {
      inside = name = true;
    } else if (inside && name && t->kind == SP_LANG_WORD) {
      sp_push(x->ctx, &out, t->text);
      name = false;
    } else if (inside && depth == 0 && is(t, ",")) {
      name = true;
    } else if (depth == 0 && t->kind == SP_LANG_WORD && i > 0 &&
               !is(&x->tokens.v[i - 1], ":")) {
      inside = false;
    }
    depth += opens(t);
    depth -= closes(t) && depth > 0;
  }
  return out;
}

static const char *answer(const cli_exercise *x, const place *asked,
                          const words *inputs, const cli_exercise *file,
                          const place *given) {
  uint32_t depth = 0;
  for (size_t i = given->first; i < given->end; i++) {
    const token *t = &file->tokens.v[i];
    const char *why = NULL;
    if (closes(t) && depth == 0) {
      why = "closes a bracket that the exercise opened";
    } else if (is_forbidden(t, asked->depth == 0)) {
      why = "may not stand in an answer";
    } else if (t->kind == SP_LANG_WORD && among(inputs, t->text) &&
               !among(&asked->reads, t->text)) {
      why = "is an input: this answer may not read it";
    } else if (among(&asked->without, t->text)) {
      why = "is what this exercise is to be solved without";
    }
    if (why) {
      return sp_format(x->ctx, "line %u: %s %s", t->loc.line, shown(file, t),
                       why);
    }
    depth += opens(t);
    depth -= closes(t);
  }
  return depth ? sp_format(x->ctx,
                           "line %u: a bracket in this answer is not closed",
                           given->loc.line)
               : NULL;
}

const char *cli_breaks_rules(sp_ctx *ctx, const cli_exercise *exercise,
                             const cli_exercise *file) {
  const cli_exercise *x = exercise;
  if (file->places.n != x->places.n) {
    return sp_format(ctx, "the exercise has %zu \"#: answer\", the file %zu",
                     x->places.n, file->places.n);
  }
  const words inputs = inputs_of(x);
  const char *why = NULL;
  size_t a = 0, b = 0;
  for (size_t k = 0; k < x->places.n && !why; k++) {
    const place *asked = &x->places.v[k], *given = &file->places.v[k];
    why = given_text(x, a, asked->first, file, b, given->first);
    why = why ? why : answer(x, asked, &inputs, file, given);
    a = asked->end;
    b = given->end;
  }
  return why ? why : given_text(x, a, x->tokens.n, file, b, file->tokens.n);
}
