/* vec.h: growable arrays and a string builder in context memory.
 *
 *   SP_VEC(uint32_t) ids = {0};
 *   sp_push(ctx, &ids, 7u);
 *   for (size_t i = 0; i < ids.n; i++) ... ids.v[i] ...
 *
 * Old storage stays in the arena until the context goes: growth doubles, so
 * at most half is wasted.
 */
#ifndef SP_BASE_VEC_H
#define SP_BASE_VEC_H

#include "base/ctx.h"

#define SP_VEC(type)                                                           \
  struct {                                                                     \
    type *v;                                                                   \
    size_t n, cap;                                                             \
  }

#define sp_push(ctx, vec, value)                                               \
  ((vec)->v =                                                                  \
       sp_vec_room((ctx), (vec)->v, sizeof *(vec)->v, (vec)->n, &(vec)->cap),  \
   (vec)->v[(vec)->n++] = (value))

/* Room for one more element; returns the (possibly moved) storage. */
void *sp_vec_room(sp_ctx *ctx, void *v, size_t size, size_t n, size_t *cap);

/* A string under construction; always terminated once something was added. */
typedef struct sp_str {
  char *v;
  size_t n, cap;
} sp_str;

void sp_str_add(sp_ctx *ctx, sp_str *s, const char *text);
void sp_str_addn(sp_ctx *ctx, sp_str *s, const char *text, size_t n);
void sp_str_addf(sp_ctx *ctx, sp_str *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
