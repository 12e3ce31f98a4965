/* init_ranges.c: what the integers of an input index: read spi_lookup_of.
 * Inputs are followed through operators that pass values on, to the first
 * lookup: an embedding's rows, a loss's classes. A guess, like all of init. */
#include "encode/aten_args.h"
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

/* What a loss leaves out, where that is no class: PyTorch's ignore_index. */
static void leave_out(sp_ctx *ctx, const sp_node *node, spi_looked_up *found) {
  const sp_op *op = sp_op_find(node->op);
  if (!op || !op->params) {
    return; /* somebody else's loss */
  }
  found->ignored = spi_arg_int(ctx, node, "ignore_index");
  found->ignores = found->ignored < 0 || found->ignored >= found->size;
}

/* What operand 1 indexes. */
static spi_looked_up looked_up(sp_ctx *ctx, const sp_program *p,
                               const sp_node *node) {
  const sp_shape *of = &p->tensors[node->in[0]].shape;
  spi_looked_up found = {0};
  if (strstr(node->op, "embedding") && of->n_dims == 2) {
    found.size = of->dims[0];
  }
  bool loss = strstr(node->op, "nll_loss") || strstr(node->op, "cross_entropy");
  if (loss && of->n_dims > 0) {
    found.size = of->dims[of->n_dims > 1 ? 1 : 0];
    leave_out(ctx, node, &found);
  }
  return found;
}

spi_looked_up spi_lookup_of(sp_ctx *ctx, const sp_program *p, uint32_t input) {
  sp_mark mark = sp_scratch_mark(ctx);
  bool *holds = sp_scratch(ctx, (p->n_tensors + 1u) * sizeof *holds);
  memset(holds, 0, (p->n_tensors + 1u) * sizeof *holds);
  holds[input] = true;
  spi_looked_up found = {0};
  for (uint32_t i = 0; i < p->n_nodes && found.size == 0; i++) {
    const sp_node *node = &p->nodes[i];
    if (node->n_in >= 1 && holds[node->in[0]] && passes_on(node->op)) {
      holds[node->out] = true;
    } else if (node->n_in >= 2 && holds[node->in[1]]) {
      found = looked_up(ctx, p, node);
    }
  }
  sp_scratch_release(ctx, mark);
  return found;
}
