/* lost.c: read spi_lost. */
#include "solve/lost.h"

#include <string.h>

/* Was it looked at, in vain? */
static bool is_unrelated(const sp_state *s, uint32_t t) {
  const dist_tensor *w = &s->dist[t];
  return !w->relation.v && w->how && !w->opaque;
}

/* From the last node to the first: is something that is computed of it related?
 */
static void mark_used(const sp_state *s, bool *used) {
  const sp_program *p = s->problem->dist;
  memset(used, 0, p->n_tensors);
  for (uint32_t i = p->n_nodes; i-- > 0;) {
    const sp_node *node = &p->nodes[i];
    bool related = false;
    for (uint32_t o = 0; o < node->n_out; o++) {
      uint32_t t = node->out + o;
      related = related || used[t] || s->dist[t].relation.v;
    }
    for (uint32_t k = 0; related && k < node->n_in; k++) {
      used[node->in[k]] = true;
    }
  }
}

uint32_t spi_lost(const sp_state *s, bool *lost) {
  const sp_program *p = s->problem->dist;
  sp_mark mark = sp_scratch_mark(s->ctx);
  bool *used = sp_scratch(s->ctx, p->n_tensors + 1u);
  uint32_t n = 0;
  mark_used(s, used);
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    bool is_lost = !used[t] && is_unrelated(s, t) &&
                   sp_dtype_is_float(p->tensors[t].shape.dtype);
    n += is_lost;
    if (lost) {
      lost[t] = is_lost;
    }
  }
  sp_scratch_release(s->ctx, mark);
  return n;
}

void spi_first_lost(const sp_state *s, bool *shows) {
  const sp_program *p = s->problem->dist;
  memset(shows, 0, p->n_tensors);
  if (!s->dist || spi_lost(s, shows) == 0) {
    return;
  }
  bool found = false;
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    const sp_node *node = &p->nodes[p->tensors[t].node];
    bool above = !found && shows[t]; /* the first one itself */
    for (uint32_t k = 0; k < node->n_in && !above; k++) {
      above = node->in[k] < t && shows[node->in[k]];
    }
    shows[t] = above;
    found = found || above;
  }
}
