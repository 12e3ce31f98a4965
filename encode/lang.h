/* lang.h: index formulas as users write them: reading, and values of integer
 * ones.
 *
 * CONTRACT. The one language of formulas: of placements in spec files
 * (`[i, j] -> [8*tp + i, j]`), of the meanings of custom operators
 * (encode/meaning.h) and of kernels (kernels/kernel.h). docs/specs.md and
 * docs/kernels.md describe it.
 * Recursive descent, one function a level of binding. The tree lives in the
 * context; nesting is limited to SP_LANG_DEPTH, a tree's height (a + b + ...
 * is as high as it is long) to SP_LANG_HEIGHT. Errors are SP_ERR_INPUT with
 * line and column in the file that the text stands in.
 */
#ifndef SP_ENCODE_LANG_H
#define SP_ENCODE_LANG_H

#include "base/ctx.h"

enum { SP_LANG_DEPTH = 64, SP_LANG_ITEMS = 256, SP_LANG_HEIGHT = 256 };

/* A text and where it stands: its first line begins at that column, the others
 * at column_next. In files with escapes or folded lines this is approximate. */
typedef struct sp_lang_text {
  const char *text;
  size_t n;
  const char *file;
  uint32_t line, column, column_next;
} sp_lang_text;

typedef enum sp_lang_kind {
  SP_LANG_INT,    /* i */
  SP_LANG_REAL,   /* r */
  SP_LANG_TRUTH,  /* i */
  SP_LANG_STRING, /* name */
  SP_LANG_NAME,   /* name */
  SP_LANG_SPREAD, /* *arg: its values in place */
  SP_LANG_LIST,   /* [args] */
  SP_LANG_READ,   /* name[args], name@(vars)[args]: on another rank */
  SP_LANG_AXIS,   /* @name: this rank's coordinate along a mesh axis */
  SP_LANG_CALL,   /* name(args; more) */
  SP_LANG_BIND,   /* name(vars; arg), name(vars) arg: sum(k < n; ...) */
  SP_LANG_NOT,
  SP_LANG_NEGATE,
  SP_LANG_BINARY, /* op, two args */
  SP_LANG_IF,     /* three args */
} sp_lang_kind;

typedef enum sp_lang_op {
  SP_LANG_ADD,
  SP_LANG_SUB,
  SP_LANG_MUL,
  SP_LANG_OVER,
  SP_LANG_DIV,
  SP_LANG_MOD,
  SP_LANG_POWER,
  SP_LANG_LT,
  SP_LANG_LE,
  SP_LANG_GT,
  SP_LANG_GE,
  SP_LANG_EQ,
  SP_LANG_NE,
  SP_LANG_AND,
  SP_LANG_OR,
} sp_lang_op;

typedef struct sp_lang sp_lang;

/* A bound variable: k < size, or *k < *sizes. Or a coordinate of a read on
 * another rank: axis = size. */
typedef struct sp_lang_var {
  const char *name; /* interned */
  sp_loc loc;
  bool spread;
  const sp_lang *size; /* NULL where no size is written */
} sp_lang_var;

struct sp_lang {
  sp_lang_kind kind;
  sp_lang_op op;
  sp_loc loc;
  int64_t i;
  double r;
  const char *name; /* interned */
  uint32_t height;
  uint32_t n, n_more, n_vars;
  const sp_lang *const *args; /* n, then n_more after a ';' */
  const sp_lang_var *vars;
};

/* ---- tokens, for readers of what stands around expressions ---- */

typedef enum sp_lang_token {
  SP_LANG_END,
  SP_LANG_LINE, /* a new line that begins in the first column */
  SP_LANG_WORD,
  SP_LANG_NUMBER,
  SP_LANG_QUOTED,
  SP_LANG_SIGN, /* text holds it: "(", "->", "<=" */
} sp_lang_token;

typedef struct sp_lang_reader {
  sp_ctx *ctx;
  sp_lang_text text;
  size_t at;
  uint32_t line, column; /* of at */
  uint32_t open;         /* brackets: lines do not count inside */
  uint32_t depth;
  bool dotted; /* words may hold dots (names of operators) */
  bool free;   /* lines do not count anywhere */
  /* the next token */
  sp_lang_token token;
  const char *word; /* interned: WORD, QUOTED (its contents), SIGN, NUMBER */
  sp_loc loc;
} sp_lang_reader;

void sp_lang_start(sp_lang_reader *r, sp_ctx *ctx, const sp_lang_text *text);
void sp_lang_next(sp_lang_reader *r);
bool sp_lang_is(const sp_lang_reader *r, const char *word); /* WORD or SIGN */
bool sp_lang_accept(sp_lang_reader *r, const char *word);
void sp_lang_expect(sp_lang_reader *r, const char *word, const char *where);
const char *sp_lang_name(sp_lang_reader *r, const char *what);
/* The next token, for messages. */
const char *sp_lang_found(const sp_lang_reader *r);
/* What may have been meant where reading stopped at the next token, or NULL. */
const char *sp_lang_hint(const sp_lang_reader *r);
/* At a character that begins no token. */
noreturn void sp_lang_stray(const sp_lang_reader *r);
noreturn void sp_lang_fail(sp_ctx *ctx, sp_loc loc, const char *hint,
                           const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

const sp_lang *sp_lang_expression(sp_lang_reader *r);
/* Anything but comparisons and logic: a size, a bound. */
const sp_lang *sp_lang_sum(sp_lang_reader *r);
/* "(g = e, h = f)", after '@'. */
const sp_lang_var *sp_lang_coordinates(sp_lang_reader *r, uint32_t *n);
/* "a, *b" up to a closing sign, which is read: variables without sizes. */
const sp_lang_var *sp_lang_variables(sp_lang_reader *r, const char *close,
                                     uint32_t *n);

/* ---- integers ---- */

/* Values of names; false where there is none. */
typedef struct sp_lang_scope {
  bool (*value)(void *user, const char *name, int64_t *out);
  void *user;
} sp_lang_scope;

/* The value of an expression over integers; raises SP_ERR_INPUT where it is
 * none (an unknown name, a read, a fraction, a result of over 64 bits). */
int64_t sp_lang_integer(sp_ctx *ctx, const sp_lang *e,
                        const sp_lang_scope *scope);

#endif
