/* hlo_lex.h: a cursor over HLO text. Inside graph/ only.
 *
 * CONTRACT. The text need not end in NUL; no function reads past `end`.
 * Blanks and comments are skipped before a token, never after it. Anything
 * unexpected raises SP_ERR_INPUT with line and column. Cost: one pass; line
 * numbers are counted from the last one asked for.
 */
#ifndef SP_GRAPH_HLO_LEX_H
#define SP_GRAPH_HLO_LEX_H

#include "base/vec.h"
#include "graph/program.h"

typedef struct hlo_lex {
  sp_ctx *ctx;
  const char *file;
  const char *begin, *p, *end;
  const char *line_at; /* start of line `line` */
  uint32_t line;
} hlo_lex;

typedef struct hlo_slice {
  const char *s;
  size_t n;
} hlo_slice;

void hlo_lex_init(hlo_lex *l, sp_ctx *ctx, const char *file, const char *text,
                  size_t n);
sp_loc hlo_lex_loc(hlo_lex *l, const char *at);
noreturn void hlo_lex_fail(hlo_lex *l, const char *at, const char *hint,
                           const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

void hlo_lex_space(hlo_lex *l); /* blanks, line ends and comments */
/* The next character after blanks, '\0' at the end; not consumed. */
char hlo_lex_peek(hlo_lex *l);
bool hlo_lex_accept(hlo_lex *l, char c);
void hlo_lex_expect(hlo_lex *l, char c, const char *where);
bool hlo_lex_accept_word(hlo_lex *l, const char *word);

/* [A-Za-z0-9_.-]+; empty when there is none. */
hlo_slice hlo_lex_word(hlo_lex *l);
/* A name with or without '%', or an error that says what was wanted. */
hlo_slice hlo_lex_name(hlo_lex *l, const char *what);
int64_t hlo_lex_int(hlo_lex *l, const char *what);
bool hlo_lex_bool(hlo_lex *l);
/* A "..." string with C escapes, unescaped and interned. */
const char *hlo_lex_string(hlo_lex *l);
/* {1,2,3} with any pair of brackets; returns the numbers. */
const int64_t *hlo_lex_ints(hlo_lex *l, char open, char close, size_t *n);

/* Over a balanced value up to (not with) a ',' or closing bracket or line end
 * at its own level; strings are stepped over. Returns the text. */
hlo_slice hlo_lex_skip_value(hlo_lex *l);

/* Over one "..." or one bracketed group and no further. */
void hlo_lex_skip_group(hlo_lex *l);

bool hlo_slice_is(hlo_slice s, const char *text);

#endif
