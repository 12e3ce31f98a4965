/* ctx.c: read sp_alloc (the arena), then sp_protect and sp_raise. */
#include "base/ctx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct chunk {
  struct chunk *next;
  size_t size, used;
  /* the bytes follow, aligned */
} chunk;

typedef struct frame {
  jmp_buf env;
  struct frame *outer;
  sp_mark scratch;
} frame;

typedef struct cleanup {
  struct cleanup *next;
  void (*fn)(void *);
  void *arg;
} cleanup;

typedef struct interned {
  uint64_t hash;
  const char *text;
  size_t n;
} interned;

struct sp_ctx {
  sp_hooks hooks;
  chunk *arena;   /* newest first; lives until the context goes */
  chunk *scratch; /* stack of chunks, top first */
  chunk *spare;   /* one released scratch chunk, kept for reuse */
  size_t bytes, limit;
  frame *frames;
  cleanup *cleanups;
  interned *names; /* open addressing */
  size_t names_n, names_cap;
  sp_error error;
};

enum { CHUNK_BYTES = 256 * 1024, ALIGN = 16 };

static size_t align_up(size_t n) {
  return (n + (ALIGN - 1)) & ~(size_t)(ALIGN - 1);
}

static size_t header_bytes(void) {
  return align_up(sizeof(chunk));
}

static void *default_alloc(void *user, size_t size) {
  (void)user;
  return malloc(size);
}

static void default_free(void *user, void *p) {
  (void)user;
  free(p);
}

sp_ctx *sp_ctx_new(const sp_hooks *hooks) {
  sp_hooks h = hooks ? *hooks : (sp_hooks){default_alloc, default_free, NULL};
  sp_ctx *ctx = h.alloc(h.user, sizeof *ctx);
  if (!ctx) {
    return NULL;
  }
  memset(ctx, 0, sizeof *ctx);
  ctx->hooks = h;
  return ctx;
}

static void chunks_free(sp_ctx *ctx, chunk *c) {
  while (c) {
    chunk *next = c->next;
    ctx->hooks.free(ctx->hooks.user, c);
    c = next;
  }
}

void sp_ctx_free(sp_ctx *ctx) {
  if (!ctx) {
    return;
  }
  for (cleanup *c = ctx->cleanups; c; c = c->next) {
    c->fn(c->arg);
  }
  chunks_free(ctx, ctx->arena);
  chunks_free(ctx, ctx->scratch);
  chunks_free(ctx, ctx->spare);
  ctx->hooks.free(ctx->hooks.user, ctx);
}

void sp_ctx_set_limit(sp_ctx *ctx, size_t bytes) {
  ctx->limit = bytes;
}

size_t sp_ctx_bytes(const sp_ctx *ctx) {
  return ctx->bytes;
}

const sp_error *sp_ctx_error(const sp_ctx *ctx) {
  return &ctx->error;
}

sp_loc sp_nowhere(void) {
  return (sp_loc){0};
}

/* Memory that is zero, if asked for. Without hooks the system gives it: then
 * pages that are never written to take none. */
static void *get(sp_ctx *ctx, size_t size, bool zero) {
  if (zero && ctx->hooks.alloc == default_alloc) {
    return calloc(1, size);
  }
  void *p = ctx->hooks.alloc(ctx->hooks.user, size);
  if (p && zero) {
    memset(p, 0, size);
  }
  return p;
}

static chunk *chunk_new(sp_ctx *ctx, size_t want, bool zero) {
  size_t size = want > CHUNK_BYTES ? want : CHUNK_BYTES;
  size_t total = header_bytes() + size;
  if (total < size || (ctx->limit && ctx->bytes + total > ctx->limit)) {
    sp_raise(ctx, SP_ERR_MEMORY, sp_nowhere(),
             "raise the memory limit, or check a smaller module",
             "the memory limit of %zu bytes is reached", ctx->limit);
  }
  chunk *c = get(ctx, total, zero);
  if (!c) {
    sp_raise(ctx, SP_ERR_MEMORY, sp_nowhere(), NULL,
             "out of memory asking for %zu bytes", total);
  }
  c->size = size;
  c->used = 0;
  ctx->bytes += total;
  return c;
}

static void *chunk_take(chunk *c, size_t size) {
  void *p = (char *)c + header_bytes() + c->used;
  c->used += size;
  return p;
}

void *sp_alloc(sp_ctx *ctx, size_t size) {
  size_t n = align_up(size ? size : 1);
  if (n < size) {
    sp_raise(ctx, SP_ERR_MEMORY, sp_nowhere(), NULL, "a size overflowed");
  }
  if (!ctx->arena || ctx->arena->size - ctx->arena->used < n) {
    /* A large block goes behind the current chunk, which stays in use. */
    bool large = ctx->arena && n > CHUNK_BYTES / 4;
    chunk *c = chunk_new(ctx, n, large);
    if (large) {
      c->next = ctx->arena->next;
      ctx->arena->next = c;
      return chunk_take(c, n);
    }
    c->next = ctx->arena;
    ctx->arena = c;
  }
  void *p = chunk_take(ctx->arena, n);
  memset(p, 0, size);
  return p;
}

void *sp_alloc_n(sp_ctx *ctx, size_t count, size_t size) {
  if (size && count > SIZE_MAX / size) {
    sp_raise(ctx, SP_ERR_MEMORY, sp_nowhere(), NULL, "a size overflowed");
  }
  return sp_alloc(ctx, count * size);
}

sp_mark sp_scratch_mark(sp_ctx *ctx) {
  return (sp_mark){ctx->scratch, ctx->scratch ? ctx->scratch->used : 0};
}

void *sp_scratch(sp_ctx *ctx, size_t size) {
  size_t n = align_up(size ? size : 1);
  if (!ctx->scratch || ctx->scratch->size - ctx->scratch->used < n) {
    chunk *c = ctx->spare;
    if (c && c->size >= n) {
      ctx->spare = NULL;
      c->used = 0;
    } else {
      c = chunk_new(ctx, n, false);
    }
    c->next = ctx->scratch;
    ctx->scratch = c;
  }
  return chunk_take(ctx->scratch, n);
}

void sp_scratch_release(sp_ctx *ctx, sp_mark mark) {
  while (ctx->scratch != mark.chunk) {
    chunk *c = ctx->scratch;
    ctx->scratch = c->next;
    c->next = NULL;
    if (!ctx->spare) {
      ctx->spare = c;
    } else {
      ctx->bytes -= header_bytes() + c->size;
      ctx->hooks.free(ctx->hooks.user, c);
    }
  }
  if (ctx->scratch) {
    ctx->scratch->used = mark.used;
  }
}

char *sp_strndup(sp_ctx *ctx, const char *s, size_t n) {
  char *p = sp_alloc(ctx, n + 1);
  memcpy(p, s, n);
  return p;
}

char *sp_strdup(sp_ctx *ctx, const char *s) {
  return sp_strndup(ctx, s, strlen(s));
}

char *sp_format(sp_ctx *ctx, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  char *p = sp_alloc(ctx, (size_t)(n < 0 ? 0 : n) + 1);
  va_start(ap, fmt);
  vsnprintf(p, (size_t)(n < 0 ? 0 : n) + 1, fmt, ap);
  va_end(ap);
  return p;
}

static uint64_t text_hash(const char *s, size_t n) {
  uint64_t h = 1469598103934665603u; /* FNV-1a */
  for (size_t i = 0; i < n; i++) {
    h = (h ^ (unsigned char)s[i]) * 1099511628211u;
  }
  return h;
}

static void names_grow(sp_ctx *ctx) {
  size_t cap = ctx->names_cap ? ctx->names_cap * 2 : 256;
  interned *v = sp_alloc_n(ctx, cap, sizeof *v);
  for (size_t i = 0; i < ctx->names_cap; i++) {
    if (ctx->names[i].text) {
      size_t at = ctx->names[i].hash & (cap - 1);
      while (v[at].text) {
        at = (at + 1) & (cap - 1);
      }
      v[at] = ctx->names[i];
    }
  }
  ctx->names = v;
  ctx->names_cap = cap;
}

const char *sp_intern(sp_ctx *ctx, const char *s, size_t n) {
  if (ctx->names_n * 2 >= ctx->names_cap) {
    names_grow(ctx);
  }
  uint64_t h = text_hash(s, n);
  size_t at = h & (ctx->names_cap - 1);
  for (; ctx->names[at].text; at = (at + 1) & (ctx->names_cap - 1)) {
    const interned *e = &ctx->names[at];
    if (e->hash == h && e->n == n && memcmp(e->text, s, n) == 0) {
      return e->text;
    }
  }
  const char *text = sp_strndup(ctx, s, n);
  ctx->names[at] = (interned){h, text, n};
  ctx->names_n++;
  return text;
}

sp_code sp_protect(sp_ctx *ctx, void (*fn)(sp_ctx *ctx, void *arg), void *arg) {
  frame f;
  f.outer = ctx->frames;
  f.scratch = sp_scratch_mark(ctx);
  if (setjmp(f.env)) {
    frame *here = ctx->frames;
    ctx->frames = here->outer;
    sp_scratch_release(ctx, here->scratch);
    return ctx->error.code;
  }
  ctx->frames = &f;
  fn(ctx, arg);
  ctx->frames = f.outer;
  return SP_OK;
}

sp_code sp_apart(sp_ctx *ctx, void (*fn)(sp_ctx *own, void *arg), void *arg) {
  sp_ctx *own = sp_ctx_new(&ctx->hooks);
  if (!own) {
    ctx->error = (sp_error){.code = SP_ERR_MEMORY, .message = "out of memory"};
    return SP_ERR_MEMORY;
  }
  if (ctx->limit) {
    own->limit = ctx->bytes < ctx->limit ? ctx->limit - ctx->bytes : 1;
  }
  sp_code code = sp_protect(own, fn, arg);
  if (code != SP_OK) {
    ctx->error = own->error;
    ctx->error.loc = sp_nowhere();
  }
  sp_ctx_free(own);
  return code;
}

void sp_raise(sp_ctx *ctx, sp_code code, sp_loc loc, const char *hint,
              const char *fmt, ...) {
  ctx->error.code = code;
  ctx->error.loc = loc;
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(ctx->error.message, sizeof ctx->error.message, fmt, ap);
  va_end(ap);
  snprintf(ctx->error.hint, sizeof ctx->error.hint, "%s", hint ? hint : "");
  longjmp(ctx->frames->env, 1);
}

void sp_ctx_on_free(sp_ctx *ctx, void (*fn)(void *), void *arg) {
  cleanup *c = sp_alloc(ctx, sizeof *c);
  *c = (cleanup){ctx->cleanups, fn, arg};
  ctx->cleanups = c;
}
