/* init_ranges.c: what the integers of an input index: read spi_table_size.
 * Inputs are followed through operators that pass values on, to the first
 * lookup: an embedding's rows, a loss's classes. A guess, like all of init. */
#include "shard-specs/init_i.h"

#include <string.h>

/* Results hold the operand's values, moved around at most. */
static bool passes_on(const char *op) {
  static const char *const names[] = {
      "view",     "reshape",      "flatten",        "unsqueeze",
      "squeeze",  "expand",       "transpose",      "permute",
      "t",        "clone",        "detach",         "contiguous",
      "alias",    "_unsafe_view", "slice",          "select",
      "_to_copy", "to",           "lift_fresh_copy"};
  const char *name = strncmp(op, "aten.", 5) == 0     ? op + 5
                     : strncmp(op, "method.", 7) == 0 ? op + 7
                                                      : "";
  size_t n = strcspn(name, ".");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strlen(names[i]) == n && strncmp(name, names[i], n) == 0) {
      return true;
    }
  }
  return false;
}

/* The size of what operand 1 indexes, or 0. */
static int64_t looked_up(const sp_program *p, const sp_node *node) {
  const sp_shape *of = &p->tensors[node->in[0]].shape;
  if (strstr(node->op, "embedding") && of->n_dims == 2) {
    return of->dims[0];
  }
  bool loss = strstr(node->op, "nll_loss") || strstr(node->op, "cross_entropy");
  if (loss && of->n_dims > 0) {
    return of->dims[of->n_dims > 1 ? 1 : 0];
  }
  return 0;
}

int64_t spi_table_size(sp_ctx *ctx, const sp_program *p, uint32_t input) {
  sp_mark mark = sp_scratch_mark(ctx);
  bool *holds = sp_scratch(ctx, (p->n_tensors + 1u) * sizeof *holds);
  memset(holds, 0, (p->n_tensors + 1u) * sizeof *holds);
  holds[input] = true;
  int64_t size = 0;
  for (uint32_t i = 0; i < p->n_nodes && size == 0; i++) {
    const sp_node *node = &p->nodes[i];
    if (node->n_in >= 1 && holds[node->in[0]] && passes_on(node->op)) {
      holds[node->out] = true;
    } else if (node->n_in >= 2 && holds[node->in[1]]) {
      size = looked_up(p, node);
    }
  }
  sp_scratch_release(ctx, mark);
  return size;
}
