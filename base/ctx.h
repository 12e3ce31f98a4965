/* ctx.h: the context: memory, errors, protected calls.
 *
 * CONTRACT. Everything the library allocates hangs from one sp_ctx and is
 * freed with it; nothing is freed singly, so an error can never leak. One
 * context belongs to one thread. Code below the public entry points reports
 * a failure by sp_raise(), which returns to the innermost sp_protect() (see
 * docs/decisions/001-protected-calls.md). The library never calls exit() or
 * abort(). Callers outside the library see only sp_code and sp_error.
 * Cost: an allocation is a pointer bump.
 */
#ifndef SP_BASE_CTX_H
#define SP_BASE_CTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

typedef enum sp_code {
  SP_OK = 0,
  SP_ERR_INPUT,    /* a file or module is malformed: exit code 4 */
  SP_ERR_USAGE,    /* the request makes no sense: exit code 3 */
  SP_ERR_MEMORY,   /* an allocation failed or the memory limit was hit */
  SP_ERR_LIMIT,    /* a documented limit (size, depth, work) was exceeded */
  SP_ERR_UNKNOWN,  /* an operator or attribute has no meaning here (UNPROVEN) */
  SP_ERR_INTERNAL, /* our own invariant broke; a bug of ours */
} sp_code;

/* A place in an input file. line and column count from 1, 0 = not known;
 * has_byte tells whether byte (offset from 0 in a binary file) is set. */
typedef struct sp_loc {
  const char *file;
  uint32_t line, column;
  uint64_t byte;
  bool has_byte;
} sp_loc;

typedef struct sp_error {
  sp_code code;
  sp_loc loc;
  char message[768]; /* what is wrong, one sentence, no full stop */
  char hint[384];    /* what to do about it; may be empty */
} sp_error;

/* Allocation hooks, so that tests can make the n-th allocation fail. NULL
 * hooks mean malloc and free. */
typedef struct sp_hooks {
  void *(*alloc)(void *user, size_t size);
  void (*free)(void *user, void *p);
  void *user;
} sp_hooks;

typedef struct sp_ctx sp_ctx;

sp_ctx *sp_ctx_new(const sp_hooks *hooks); /* NULL when memory is short */
void sp_ctx_free(sp_ctx *ctx);             /* NULL is fine */
/* The context refuses to hold more than this many bytes (0 = no limit). */
void sp_ctx_set_limit(sp_ctx *ctx, size_t bytes);
size_t sp_ctx_bytes(const sp_ctx *ctx);

/* Zeroed memory that lives as long as the context; raises SP_ERR_MEMORY. */
void *sp_alloc(sp_ctx *ctx, size_t size);
/* count * size with the overflow checked. */
void *sp_alloc_n(sp_ctx *ctx, size_t count, size_t size);
char *sp_strdup(sp_ctx *ctx, const char *s);
char *sp_strndup(sp_ctx *ctx, const char *s, size_t n);
char *sp_format(sp_ctx *ctx, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Same text, same pointer; for names that are compared often. */
const char *sp_intern(sp_ctx *ctx, const char *s, size_t n);

/* Scratch memory: released in stack order, and as a whole by sp_protect when
 * an error is raised. */
typedef struct sp_mark {
  void *chunk;
  size_t used;
} sp_mark;
sp_mark sp_scratch_mark(sp_ctx *ctx);
void *sp_scratch(sp_ctx *ctx, size_t size); /* not zeroed */
void sp_scratch_release(sp_ctx *ctx, sp_mark mark);

/* Run fn(ctx, arg). Returns SP_OK, or the code of the error raised in it,
 * which sp_ctx_error() then describes. Calls nest. */
sp_code sp_protect(sp_ctx *ctx, void (*fn)(sp_ctx *ctx, void *arg), void *arg);
const sp_error *sp_ctx_error(const sp_ctx *ctx);
/* The same in a context of its own, which is freed afterwards: what is large
 * and needed for a while. fn must not allocate from, or raise an error in, the
 * outer context; that gets the error, without its place. */
sp_code sp_apart(sp_ctx *ctx, void (*fn)(sp_ctx *own, void *arg), void *arg);
/* hint may be NULL. Must only be called under sp_protect. */
noreturn void sp_raise(sp_ctx *ctx, sp_code code, sp_loc loc, const char *hint,
                       const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
sp_loc sp_nowhere(void);

/* Something to run when the context is freed (file handles, solvers). */
void sp_ctx_on_free(sp_ctx *ctx, void (*fn)(void *), void *arg);

#endif
