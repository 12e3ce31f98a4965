/* set.c: sets of variables, interned. Read set_intern; the others make the
 * members of a new set in order, in scratch memory, and intern it.
 */
#include "encode/pool.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <xxhash.h>

enum { START = 256 };

bool spi_set_has(const spi_set *s, sp_expr var) {
  if (!(s->mask >> (var.v % 64) & 1)) {
    return false;
  }
  for (uint32_t i = 0; i < s->n && s->v[i].v <= var.v; i++) {
    if (s->v[i].v == var.v) {
      return true;
    }
  }
  return false;
}

bool spi_set_meets(const spi_set *a, const spi_set *b) {
  if (!(a->mask & b->mask)) {
    return false;
  }
  for (uint32_t i = 0, j = 0; i < a->n && j < b->n;) {
    if (a->v[i].v == b->v[j].v) {
      return true;
    }
    if (a->v[i].v < b->v[j].v) {
      i++;
    } else {
      j++;
    }
  }
  return false;
}

bool spi_set_within(const spi_set *a, const spi_set *b) {
  if (a == b) {
    return true;
  }
  if (a->n > b->n || (a->mask & ~b->mask)) {
    return false;
  }
  uint32_t j = 0;
  for (uint32_t i = 0; i < a->n; i++) {
    while (j < b->n && b->v[j].v < a->v[i].v) {
      j++;
    }
    if (j == b->n || b->v[j].v != a->v[i].v) {
      return false;
    }
  }
  return true;
}

static void sets_grow(sp_pool *p) {
  uint32_t mask = p->sets_mask * 2 + 1;
  const spi_set **v = sp_alloc_n(p->ctx, (size_t)mask + 1, sizeof *v);
  for (uint32_t i = 0; i <= p->sets_mask; i++) {
    if (p->sets[i]) {
      uint32_t at = p->sets[i]->hash & mask;
      while (v[at]) {
        at = (at + 1) & mask;
      }
      v[at] = p->sets[i];
    }
  }
  p->sets = v;
  p->sets_mask = mask;
}

/* v sorted, without repetition */
static const spi_set *set_intern(sp_pool *p, uint32_t n, const sp_expr *v) {
  if (p->sets_n * 2 > p->sets_mask) {
    sets_grow(p);
  }
  uint32_t hash = (uint32_t)XXH3_64bits(v, n * sizeof *v);
  uint32_t at = hash & p->sets_mask;
  for (; p->sets[at]; at = (at + 1) & p->sets_mask) {
    const spi_set *s = p->sets[at];
    if (s->hash == hash && s->n == n &&
        (n == 0 || memcmp(s->v, v, n * sizeof *v) == 0)) {
      return s;
    }
  }
  spi_set *s = sp_alloc(p->ctx, sizeof *s + n * sizeof *v);
  s->n = n;
  s->hash = hash;
  for (uint32_t i = 0; i < n; i++) {
    s->v[i] = v[i];
    s->mask |= UINT64_C(1) << (v[i].v % 64);
  }
  p->sets[at] = s;
  p->sets_n++;
  return s;
}

static const spi_set *set_merge(sp_pool *p, const spi_set *a,
                                const spi_set *b) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *v = sp_scratch(p->ctx, (a->n + b->n) * sizeof *v);
  uint32_t n = 0, i = 0, j = 0;
  while (i < a->n || j < b->n) {
    if (j == b->n || (i < a->n && a->v[i].v < b->v[j].v)) {
      v[n++] = a->v[i++];
    } else {
      if (i < a->n && a->v[i].v == b->v[j].v) {
        i++;
      }
      v[n++] = b->v[j++];
    }
  }
  const spi_set *s = set_intern(p, n, v);
  sp_scratch_release(p->ctx, mark);
  return s;
}

const spi_set *spi_set_union(sp_pool *p, const spi_set *a, const spi_set *b) {
  if (a == b || b->n == 0) {
    return a;
  }
  if (a->n == 0) {
    return b;
  }
  uint32_t at = (a->hash * 31u + b->hash) % 256;
  if (p->unions[at].a == a && p->unions[at].b == b) {
    return p->unions[at].both;
  }
  const spi_set *s = set_merge(p, a, b);
  p->unions[at].a = a;
  p->unions[at].b = b;
  p->unions[at].both = s;
  return s;
}

const spi_set *spi_set_minus(sp_pool *p, const spi_set *a, const spi_set *b) {
  if (!spi_set_meets(a, b)) {
    return a;
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *v = sp_scratch(p->ctx, a->n * sizeof *v);
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->n; i++) {
    if (!spi_set_has(b, a->v[i])) {
      v[n++] = a->v[i];
    }
  }
  const spi_set *s = set_intern(p, n, v);
  sp_scratch_release(p->ctx, mark);
  return s;
}

static int by_id(const void *a, const void *b) {
  uint32_t x = ((const sp_expr *)a)->v, y = ((const sp_expr *)b)->v;
  return (x > y) - (x < y);
}

/* Sorted at once: sets on the way would stay. */
const spi_set *spi_set_of(sp_pool *p, uint32_t n, const sp_expr *vars) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *v = sp_scratch(p->ctx, (n + 1) * sizeof *v);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    v[i] = vars[i];
  }
  if (n > 1) {
    qsort(v, n, sizeof *v, by_id);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (kept == 0 || v[kept - 1].v != v[i].v) {
      v[kept++] = v[i];
    }
  }
  const spi_set *s = set_intern(p, kept, v);
  sp_scratch_release(p->ctx, mark);
  return s;
}

void spi_sets_start(sp_pool *p) {
  p->sets_mask = START - 1;
  p->sets = sp_alloc_n(p->ctx, START, sizeof *p->sets);
  p->empty = set_intern(p, 0, NULL);
}
