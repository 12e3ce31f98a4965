/* hlo_names.c: open addressing on the pointer's bits. */
#include "graph/hlo_names.h"

typedef struct hlo_name_slot {
  const char *name;
  uint32_t number, round;
} hlo_name_slot;

static size_t slot_of(const hlo_names *m, const char *name) {
  uint64_t h = (uint64_t)(uintptr_t)name * 0x9E3779B97F4A7C15u;
  size_t at = (size_t)(h >> 32) & (m->cap - 1);
  while (m->slots[at].name && m->slots[at].round == m->round &&
         m->slots[at].name != name) {
    at = (at + 1) & (m->cap - 1);
  }
  return at;
}

void hlo_names_clear(hlo_names *m) {
  m->round++;
  m->n = 0;
}

uint32_t hlo_names_find(const hlo_names *m, const char *name) {
  if (!m->cap) {
    return HLO_NO_NAME;
  }
  const hlo_name_slot *s = &m->slots[slot_of(m, name)];
  return s->name && s->round == m->round ? s->number : HLO_NO_NAME;
}

bool hlo_names_add(sp_ctx *ctx, hlo_names *m, const char *name,
                   uint32_t number) {
  if (2 * m->n >= m->cap) {
    hlo_name_slot *old = m->slots;
    size_t old_cap = m->cap;
    m->cap = old_cap ? 2 * old_cap : 64;
    m->slots = sp_alloc_n(ctx, m->cap, sizeof *m->slots);
    for (size_t i = 0; i < old_cap; i++) {
      if (old[i].name && old[i].round == m->round) {
        m->slots[slot_of(m, old[i].name)] = old[i];
      }
    }
  }
  hlo_name_slot *s = &m->slots[slot_of(m, name)];
  if (s->name && s->round == m->round) {
    return false;
  }
  *s = (hlo_name_slot){name, number, m->round};
  m->n++;
  return true;
}
