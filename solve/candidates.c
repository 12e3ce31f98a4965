/* candidates.c: sequential tensors by the skeleton of a term. */
#include "solve/state.h"

#include <stdlib.h>

enum { MAX_SEEN = 64 };

static uint32_t slot_of(const seq_index *x, uint64_t key) {
  return (uint32_t)(key ^ key >> 32) & (x->n_slots - 1);
}

static void grow(sp_state *s, seq_index *x) {
  x->n_slots = x->n_slots ? x->n_slots * 2 : 1024;
  x->slots = sp_alloc_n(s->ctx, x->n_slots, sizeof *x->slots);
  for (uint32_t i = 0; i < x->entries.n; i++) {
    seq_entry *e = &x->entries.v[i];
    uint32_t at = slot_of(x, e->key);
    e->next = x->slots[at];
    x->slots[at] = i + 1;
  }
}

sp_expr spi_seq_form(const sp_state *s, uint32_t t, spi_form form) {
  const seq_tensor *v = &s->seq[t];
  switch (form) {
  case SPI_FORM_EXPANDED:
    return v->expanded;
  case SPI_FORM_UNFOLDED:
    return v->unfolded;
  case SPI_FORM_SCALED:
    return v->scaled;
  case SPI_FORM_QUOTIENT:
    return v->quotient;
  case SPI_FORM_PLAIN:
    break;
  }
  return v->def;
}

void spi_index_add(sp_state *s, spi_form form, sp_expr term, uint32_t tensor) {
  seq_index *x = &s->by_form[form];
  if (x->entries.n >= x->n_slots) {
    grow(s, x);
  }
  uint64_t key = sp_skeleton(s->pool, term);
  uint32_t at = slot_of(x, key);
  for (uint32_t i = x->slots[at]; i; i = x->entries.v[i - 1].next) {
    const seq_entry *e = &x->entries.v[i - 1];
    if (e->tensor == tensor && e->def.v == term.v) {
      return;
    }
  }
  sp_push(s->ctx, &x->entries, ((seq_entry){key, tensor, x->slots[at], term}));
  x->slots[at] = (uint32_t)x->entries.n;
}

bool spi_index_visit(sp_state *s, spi_form form, uint64_t key,
                     bool (*visit)(sp_state *s, uint32_t tensor, void *env),
                     void *env) {
  const seq_index *x = &s->by_form[form];
  if (!x->n_slots) {
    return false;
  }
  uint32_t found[MAX_SEEN], n = 0;
  for (uint32_t i = x->slots[slot_of(x, key)]; i;
       i = x->entries.v[i - 1].next) {
    const seq_entry *e = &x->entries.v[i - 1];
    sp_expr now = spi_seq_form(s, e->tensor, form);
    if (e->key == key && now.v == e->def.v && n < MAX_SEEN) {
      found[n++] = e->tensor;
    }
  }
  for (uint32_t i = 1; i < n; i++) { /* nearest to the last match first */
    for (uint32_t k = i; k > 0; k--) {
      int64_t a = llabs((int64_t)found[k] - (int64_t)s->last);
      int64_t b = llabs((int64_t)found[k - 1] - (int64_t)s->last);
      if (a >= b) {
        break;
      }
      uint32_t t = found[k];
      found[k] = found[k - 1];
      found[k - 1] = t;
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    if (visit(s, found[i], env)) {
      return true;
    }
  }
  return false;
}
