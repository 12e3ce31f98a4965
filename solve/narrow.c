/* narrow.c: read spi_note_narrow. A tensor with a sequential counterpart should
 * have its type, and so should the unrelated ones (addends, mostly) that it is
 * computed from. Views are left out: both programs cast before they store. */
#include "solve/narrow.h"

enum { MAX_NAMED = 4 };

typedef struct search {
  sp_state *s;
  bool *seen;   /* by distributed tensor */
  uint32_t n;   /* found */
  sp_str names; /* of the first */
} search;

static bool narrower(sp_dtype a, sp_dtype b) {
  return sp_dtype_is_float(a) && sp_dtype_is_float(b) &&
         sp_dtype_bits(a) < sp_dtype_bits(b);
}

static void report(search *f, uint32_t t, uint32_t v) {
  sp_state *s = f->s;
  const sp_tensor *local = &s->dist_program->tensors[t];
  const sp_tensor *global = &s->seq_program->tensors[v];
  if (f->n++ < MAX_NAMED) {
    sp_str_addf(s->ctx, &f->names, "%s%s in %s (%s: %s)",
                f->names.n ? ", " : "", local->name,
                sp_dtype_name(local->shape.dtype), global->name,
                sp_dtype_name(global->shape.dtype));
  }
}

/* The matched tensor t, and what it is computed from without a counterpart. */
static void look(search *f, uint32_t t) {
  sp_state *s = f->s;
  const sp_program *p = s->dist_program;
  uint32_t v = s->dist[t].seq - 1;
  sp_dtype wanted = s->seq_program->tensors[v].shape.dtype;
  SP_VEC(uint32_t) work = {0};
  sp_push(s->ctx, &work, t);
  while (work.n) {
    uint32_t at = work.v[--work.n];
    if (f->seen[at]) {
      continue;
    }
    f->seen[at] = true;
    if (narrower(p->tensors[at].shape.dtype, wanted)) {
      report(f, at, v);
      continue;
    }
    const sp_node *node = &p->nodes[p->tensors[at].node];
    for (uint32_t i = 0; i < node->n_in; i++) {
      if (!s->dist[node->in[i]].relation.v) {
        sp_push(s->ctx, &work, node->in[i]);
      }
    }
  }
}

void spi_note_narrow(sp_state *s) {
  uint32_t n = s->dist_program->n_tensors;
  search f = {.s = s, .seen = sp_alloc_n(s->ctx, n + 1u, sizeof *f.seen)};
  for (uint32_t t = 0; t < n; t++) {
    if (s->dist[t].seq) {
      look(&f, t);
    }
  }
  if (f.n > MAX_NAMED) {
    sp_str_addf(s->ctx, &f.names, ", and %u more", f.n - MAX_NAMED);
  }
  if (f.n) {
    spi_assumption(s, sp_format(s->ctx,
                                "precision is enough where the distributed "
                                "program computes in a narrower type: %s",
                                f.names.v));
  }
}
