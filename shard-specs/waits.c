/* waits.c: results of collectives that are read before they have arrived. Read
 * sp_spec_unawaited. */
#include "shard-specs/waits.h"

#include <string.h>

static bool begins(const char *s, const char *with) {
  return strncmp(s, with, strlen(with)) == 0;
}

static bool waits(const sp_node *node) {
  return begins(node->op, "_c10d_functional.wait_tensor");
}

/* Its result is there once it was waited for. */
static bool is_async(const sp_node *node) {
  return begins(node->op, "_c10d_functional.") && !waits(node);
}

static bool same_statement(const sp_node *a, const sp_node *b) {
  return a->pos.dump.line == b->pos.dump.line &&
         a->pos.dump.column == b->pos.dump.column &&
         a->pos.dump.file == b->pos.dump.file;
}

/* What a statement that writes in place makes of its result, for the tensors
 * that share its memory, has arrived with it. */
const char *sp_spec_unawaited(sp_ctx *ctx, const sp_program *p) {
  bool *awaited = sp_alloc_n(ctx, p->n_tensors + 1u, sizeof *awaited);
  uint32_t *root = sp_alloc_n(ctx, p->n_tensors + 1u, sizeof *root);
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    root[t] = t;
  }
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_node *node = &p->nodes[i];
    for (uint32_t k = 0; k < node->n_in; k++) {
      uint32_t t = root[node->in[k]];
      const sp_node *from = &p->nodes[p->tensors[t].node];
      awaited[t] = awaited[t] || waits(node) || !is_async(from);
      if (awaited[t]) {
        continue;
      }
      if (!same_statement(node, from)) {
        return sp_format(ctx,
                         "%s (%s:%u) has arrived where %s reads it: nothing "
                         "waits for it",
                         p->tensors[t].name, from->pos.dump.file,
                         from->pos.dump.line, node->name);
      }
      for (uint32_t o = 0; o < node->n_out; o++) {
        root[node->out + o] = t;
      }
    }
  }
  return NULL;
}
