/* fx_source.c: first one line and its prefix, then headings, then the walk
 * over all lines. */
#include "graph/fx_source.h"

#include "graph/hlo_names.h"

#include <string.h>

/* --- one line --- */

static const char *find(const char *s, const char *e, const char *what) {
  size_t n = strlen(what);
  while ((size_t)(e - s) >= n) {
    const char *at = memchr(s, what[0], (size_t)(e - s) - n + 1);
    if (!at) {
      return NULL;
    }
    if (memcmp(at, what, n) == 0) {
      return at;
    }
    s = at + 1;
  }
  return NULL;
}

static bool begins(const char *s, const char *e, const char *what) {
  size_t n = strlen(what);
  return (size_t)(e - s) >= n && memcmp(s, what, n) == 0;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* "V1130 01:47:19.895000 29594 torch/x.py:203] [0/0] [__aot_graphs] text":
 * after the last bracket and one blank, or NULL when s is no such thing. */
static const char *log_text(const char *s, const char *e) {
  if (e - s < 6 || !strchr("VDIWEC", *s) || !is_digit(s[1]) ||
      !is_digit(s[2]) || !is_digit(s[3]) || !is_digit(s[4]) || s[5] != ' ') {
    return NULL;
  }
  const char *at = find(s, e, "]");
  if (!at) {
    return NULL;
  }
  at++;
  for (int i = 0; i < 3 && begins(at, e, " ["); i++) {
    bool number = e - at > 2 && is_digit(at[2]);
    if (!number && !begins(at, e, " [__")) {
      break;
    }
    const char *close = find(at, e, "]");
    if (!close) {
      break;
    }
    at = close + 1;
  }
  return at < e && *at == ' ' ? at + 1 : at;
}

fx_line fx_source_line(const char *s, const char *e, const char **rank,
                       size_t *rank_n) {
  const char *begin = s;
  *rank = s;
  *rank_n = 0;
  while (e > s && is_blank(e[-1])) {
    e--;
  }
  if (begins(s, e, "[rank")) {
    const char *colon = find(s, e, "]:");
    if (colon) {
      *rank_n = (size_t)(colon + 2 - s);
      s = colon + 2;
    }
  }
  const char *text = s < e ? log_text(s, e) : NULL;
  if (text) {
    s = text;
    /* so that lines of the log and other lines are not mixed */
    *rank_n = *rank_n ? *rank_n : 1;
  } else {
    s = begin;
    *rank_n = 0;
  }
  size_t column = (size_t)(s - begin) + 1;
  return (fx_line){s, e, 0, column > UINT32_MAX ? 0 : (uint32_t)column};
}

/* --- headings --- */

static const char *skip_blanks(const char *s, const char *e) {
  while (s < e && is_blank(*s)) {
    s++;
  }
  return s;
}

bool fx_source_is_def(const fx_line *line) {
  return begins(skip_blanks(line->s, line->e), line->e, "def forward(");
}

bool fx_source_is_class(const fx_line *line, const char **name,
                        size_t *name_n) {
  const char *s = skip_blanks(line->s, line->e), *e = line->e;
  if (s - line->s >= 4) {
    return false; /* inside another */
  }
  if (!begins(s, e, "class ")) {
    /* TORCH_LOGS: the path of the generated code comes first */
    s = s == e || *s == '#' ? NULL : find(s, e, " class ");
    s = s ? s + 1 : NULL;
  }
  if (!s) {
    return false;
  }
  s = skip_blanks(s + 6, e);
  const char *open = memchr(s, '(', (size_t)(e - s));
  if (!open || !begins(open, e, "(torch.nn.Module)")) {
    return false;
  }
  *name = s;
  *name_n = (size_t)(open - s);
  return true;
}

/* --- all lines --- */

typedef struct walk {
  sp_ctx *ctx;
  fx_source *source;
  hlo_names ranks; /* tag -> place in open */
  SP_VEC(fx_section *) open;
} walk;

static fx_section **section_slot(walk *w, const char *rank) {
  uint32_t at = hlo_names_find(&w->ranks, rank);
  if (at == HLO_NO_NAME) {
    at = (uint32_t)w->open.n;
    hlo_names_add(w->ctx, &w->ranks, rank, at);
    sp_push(w->ctx, &w->open, NULL);
  }
  return &w->open.v[at];
}

static void line_take(walk *w, const fx_line *line, const char *rank) {
  const char *name = "forward";
  size_t n = strlen(name);
  fx_section **slot = section_slot(w, rank);
  bool starts = fx_source_is_class(line, &name, &n);
  if (!starts && (*slot || !fx_source_is_def(line))) {
    if (*slot) {
      sp_push(w->ctx, &(*slot)->lines, *line);
    }
    return;
  }
  fx_section *s = sp_alloc(w->ctx, sizeof *s);
  s->name = sp_intern(w->ctx, name, n);
  s->line = line->number;
  s->rank = rank;
  *slot = s;
  sp_push(w->ctx, &w->source->sections, s);
  if (!starts) {
    sp_push(w->ctx, &s->lines, *line);
  }
}

fx_source fx_source_read(sp_ctx *ctx, const char *file, const char *text,
                         size_t n) {
  fx_source source = {.file = file};
  walk w = {.ctx = ctx, .source = &source};
  const char *end = text + n;
  uint32_t number = 0;
  for (const char *s = text; s < end;) {
    const char *nl = memchr(s, '\n', (size_t)(end - s));
    const char *e = nl ? nl : end, *rank;
    size_t rank_n;
    fx_line line = fx_source_line(s, e, &rank, &rank_n);
    line.number = ++number;
    if (skip_blanks(line.s, line.e) < line.e) {
      line_take(&w, &line, sp_intern(ctx, rank, rank_n));
    }
    s = nl ? nl + 1 : end;
  }
  return source;
}
