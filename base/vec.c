#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *sp_vec_room(sp_ctx *ctx, void *v, size_t size, size_t n, size_t *cap) {
  if (n < *cap) {
    return v;
  }
  size_t bigger = *cap ? *cap * 2 : 8;
  void *fresh = sp_alloc_n(ctx, bigger, size);
  if (n) {
    memcpy(fresh, v, n * size);
  }
  *cap = bigger;
  return fresh;
}

void sp_str_addn(sp_ctx *ctx, sp_str *s, const char *text, size_t n) {
  if (s->n + n + 1 > s->cap) {
    size_t cap = s->cap ? s->cap : 64;
    while (cap < s->n + n + 1) {
      cap *= 2;
    }
    char *v = sp_alloc(ctx, cap);
    if (s->n) {
      memcpy(v, s->v, s->n);
    }
    s->v = v;
    s->cap = cap;
  }
  memcpy(s->v + s->n, text, n);
  s->n += n;
  s->v[s->n] = '\0';
}

void sp_str_add(sp_ctx *ctx, sp_str *s, const char *text) {
  sp_str_addn(ctx, s, text, strlen(text));
}

void sp_str_addf(sp_ctx *ctx, sp_str *s, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  sp_mark mark = sp_scratch_mark(ctx);
  char *p = sp_scratch(ctx, (size_t)(n < 0 ? 0 : n) + 1);
  va_start(ap, fmt);
  vsnprintf(p, (size_t)(n < 0 ? 0 : n) + 1, fmt, ap);
  va_end(ap);
  sp_str_addn(ctx, s, p, (size_t)(n < 0 ? 0 : n));
  sp_scratch_release(ctx, mark);
}
