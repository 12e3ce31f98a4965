/* cut.c: backwards from what is wanted (mark), then forwards, building. A node
 * with several results of which one is given stays for the others; the given
 * one becomes a parameter, and the node's own gets another name. */
#include "shard-specs/cut.h"

#include "base/vec.h"

#include <string.h>

typedef struct cutter {
  sp_ctx *ctx;
  const sp_program *p;
  const bool *given;
  bool *needed; /* tensors */
  bool *needed_node;
  SP_VEC(sp_node) nodes;
  SP_VEC(sp_tensor) tensors;
  SP_VEC(uint32_t) params;
  uint32_t *to;
} cutter;

/* Nodes come after their operands, so one pass from the end suffices. */
static void mark(cutter *c, size_t n, const uint32_t *wanted) {
  for (size_t i = 0; i < n; i++) {
    c->needed[wanted[i]] = true;
  }
  for (uint32_t i = c->p->n_nodes; i-- > 0;) {
    const sp_node *node = &c->p->nodes[i];
    bool computed = false;
    for (uint32_t k = 0; k < node->n_out; k++) {
      uint32_t t = node->out + k;
      computed = computed || (c->needed[t] && !c->given[t]);
    }
    c->needed_node[i] = computed;
    for (uint32_t k = 0; computed && k < node->n_in; k++) {
      c->needed[node->in[k]] = true;
    }
  }
}

static bool is_param(const sp_node *node) {
  return strcmp(node->op, "hlo:parameter") == 0 ||
         strcmp(node->op, "fx:placeholder") == 0;
}

static uint32_t add_tensor(cutter *c, const sp_tensor *like, const char *name) {
  sp_tensor t = *like;
  t.name = name;
  t.node = (uint32_t)c->nodes.n;
  sp_push(c->ctx, &c->tensors, t);
  return (uint32_t)c->tensors.n - 1;
}

static void add_param(cutter *c, uint32_t old) {
  const sp_tensor *t = &c->p->tensors[old];
  const sp_node *from = &c->p->nodes[t->node];
  bool hlo = strncmp(c->p->nodes[0].op, "hlo:", 4) == 0;
  const char *op = hlo ? "hlo:parameter" : "fx:placeholder";
  sp_attr *index = sp_alloc(c->ctx, sizeof *index);
  *index = (sp_attr){.name = sp_intern(c->ctx, "index", 5),
                     .kind = SP_ATTR_INT,
                     .u.i = (int64_t)c->params.n};
  sp_tensor first = *t;
  first.result = 0;
  c->to[old] = add_tensor(c, &first, t->name);
  sp_node node = {.op = sp_intern(c->ctx, op, strlen(op)),
                  .name = t->name,
                  .out = c->to[old],
                  .n_out = 1,
                  .n_attrs = 1,
                  .attrs = index,
                  .pos = from->pos};
  sp_push(c->ctx, &c->params, c->to[old]);
  sp_push(c->ctx, &c->nodes, node);
}

static void add_node(cutter *c, const sp_node *old) {
  uint32_t *in = sp_alloc_n(c->ctx, old->n_in + 1u, sizeof *in);
  for (uint32_t k = 0; k < old->n_in; k++) {
    in[k] = c->to[old->in[k]];
  }
  sp_node node = *old;
  node.in = in;
  node.out = (uint32_t)c->tensors.n;
  for (uint32_t k = 0; k < old->n_out; k++) {
    const sp_tensor *t = &c->p->tensors[old->out + k];
    bool given = c->given[old->out + k];
    uint32_t at = add_tensor(
        c, t, given ? sp_format(c->ctx, "%s (computed)", t->name) : t->name);
    if (!given) {
      c->to[old->out + k] = at;
    }
  }
  sp_push(c->ctx, &c->nodes, node);
}

static void build(cutter *c) {
  for (uint32_t i = 0; i < c->p->n_nodes; i++) {
    const sp_node *node = &c->p->nodes[i];
    for (uint32_t k = 0; k < node->n_out; k++) {
      uint32_t t = node->out + k;
      if (c->needed[t] && (c->given[t] || is_param(node))) {
        add_param(c, t);
      }
    }
    if (c->needed_node[i] && !is_param(node)) {
      add_node(c, node);
    }
  }
}

sp_cut_out sp_program_cut(sp_ctx *ctx, const sp_program *p, size_t n_wanted,
                          const uint32_t *wanted, const bool *given) {
  cutter c = {.ctx = ctx, .p = p, .given = given};
  c.needed = sp_alloc_n(ctx, p->n_tensors + 1u, sizeof *c.needed);
  c.needed_node = sp_alloc_n(ctx, p->n_nodes + 1u, sizeof *c.needed_node);
  c.to = sp_alloc_n(ctx, p->n_tensors + 1u, sizeof *c.to);
  for (uint32_t i = 0; i < p->n_tensors; i++) {
    c.to[i] = SP_NO_TENSOR;
  }
  mark(&c, n_wanted, wanted);
  build(&c);
  uint32_t *results = sp_alloc_n(ctx, n_wanted + 1, sizeof *results);
  for (size_t i = 0; i < n_wanted; i++) {
    results[i] = c.to[wanted[i]];
  }
  sp_program *out = sp_alloc(ctx, sizeof *out);
  *out = (sp_program){.name = p->name,
                      .file = p->file,
                      .partitions = p->partitions,
                      .n_nodes = (uint32_t)c.nodes.n,
                      .n_tensors = (uint32_t)c.tensors.n,
                      .nodes = c.nodes.v,
                      .tensors = c.tensors.v,
                      .n_params = (uint32_t)c.params.n,
                      .params = c.params.v,
                      .n_results = (uint32_t)n_wanted,
                      .results = results};
  sp_program_check(ctx, out);
  return (sp_cut_out){out, c.to};
}
