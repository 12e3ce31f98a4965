#include "solve/seen.h"

#include <string.h>

static uint32_t place(const uint32_t *slot, uint32_t cap, uint32_t id) {
  uint32_t at = id * 2654435761u >> 7 & (cap - 1);
  while (slot[at] && slot[at] != id) {
    at = (at + 1) & (cap - 1);
  }
  return at;
}

bool spi_seen_before(spi_seen *s, sp_expr e) {
  if (s->n * 2 >= s->cap) {
    uint32_t cap = s->cap ? s->cap * 2 : 64;
    uint32_t *slot = sp_scratch(s->ctx, cap * sizeof *slot);
    memset(slot, 0, cap * sizeof *slot);
    for (uint32_t i = 0; i < s->cap; i++) {
      if (s->slot[i]) {
        slot[place(slot, cap, s->slot[i])] = s->slot[i];
      }
    }
    s->slot = slot;
    s->cap = cap;
  }
  uint32_t at = place(s->slot, s->cap, e.v);
  if (s->slot[at]) {
    return true;
  }
  s->slot[at] = e.v;
  s->n++;
  return false;
}

static void count(sp_pool *p, sp_expr e, spi_seen *seen, uint32_t limit) {
  if (seen->n >= limit || spi_seen_before(seen, e)) {
    return;
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    count(p, sp_arg(p, e, i), seen, limit);
  }
}

uint32_t spi_term_size(sp_pool *p, sp_expr e, uint32_t limit) {
  sp_ctx *ctx = sp_pool_ctx(p);
  sp_mark mark = sp_scratch_mark(ctx);
  spi_seen seen = {.ctx = ctx};
  count(p, e, &seen, limit); /* terms nest to a limited depth */
  sp_scratch_release(ctx, mark);
  return seen.n;
}
