/* edit.c: programs are arrays of nodes and tensors: copies with some rows
 * changed. */
#include "solve/edit.h"

#include <string.h>

static sp_node parameter(sp_ctx *ctx, const sp_tensor *like, uint32_t number,
                         uint32_t out) {
  sp_attr *index = sp_alloc(ctx, sizeof *index);
  *index = (sp_attr){.name = "index", .kind = SP_ATTR_INT, .u.i = number};
  return (sp_node){.op = "hlo:parameter",
                   .name = like->name,
                   .out = out,
                   .n_out = 1,
                   .n_attrs = 1,
                   .attrs = index};
}

const sp_program *spi_edit_alone(sp_ctx *ctx, const sp_program *program,
                                 const spi_edit *edit) {
  const sp_node *node = edit->becomes;
  uint32_t n_in = node->n_in, n = n_in + node->n_out, at = 0;
  sp_program *p = sp_alloc(ctx, sizeof *p);
  sp_tensor *tensors = sp_alloc_n(ctx, n + 1u, sizeof *tensors);
  sp_node *nodes = sp_alloc_n(ctx, n_in + 2u, sizeof *nodes);
  uint32_t *params = sp_alloc_n(ctx, n + 2u, sizeof *params);
  for (uint32_t k = 0; k < n_in; k++) {
    params[k] = k;
    tensors[k] = program->tensors[node->in[k]];
    tensors[k].node = k;
    tensors[k].result = 0;
    nodes[k] = parameter(ctx, &tensors[k], k, k);
    at++;
  }
  uint32_t *results = sp_alloc_n(ctx, node->n_out + 1u, sizeof *results);
  for (uint32_t k = 0; k < node->n_out; k++) {
    results[k] = at;
    tensors[at] = program->tensors[node->out + k];
    tensors[at++].node = n_in;
  }
  nodes[n_in] = *node;
  nodes[n_in].in = params;
  nodes[n_in].out = n_in;
  *p = *program;
  p->n_nodes = n_in + 1;
  if (edit->then) {
    uint32_t *in = sp_alloc(ctx, sizeof *in);
    *in = n_in;
    tensors[at] = tensors[n_in];
    tensors[at].node = n_in + 1;
    nodes[n_in + 1] = *edit->then;
    nodes[n_in + 1].in = in;
    nodes[n_in + 1].n_in = 1;
    nodes[n_in + 1].out = at;
    nodes[n_in + 1].n_out = 1;
    results[0] = at++;
    p->n_nodes++;
  }
  p->n_tensors = at;
  p->nodes = nodes;
  p->tensors = tensors;
  p->n_params = n_in;
  p->params = params;
  p->n_results = node->n_out;
  p->results = results;
  p->result_shardings = NULL;
  p->param_shardings = NULL;
  return p;
}

const sp_program *spi_edit_program(sp_ctx *ctx, const sp_program *program,
                                   const spi_edit *edit) {
  sp_program *p = sp_alloc(ctx, sizeof *p);
  *p = *program;
  sp_node *nodes = sp_alloc_n(ctx, p->n_nodes + 1u, sizeof *nodes);
  memcpy(nodes, p->nodes, p->n_nodes * sizeof *nodes);
  nodes[edit->node] = *edit->becomes;
  p->nodes = nodes;
  if (!edit->then) {
    return p;
  }
  /* the node's result becomes a new tensor, the next node makes the old one */
  uint32_t at = edit->node + 1, old = edit->becomes->out, new = p->n_tensors++;
  sp_tensor *tensors = sp_alloc_n(ctx, p->n_tensors, sizeof *tensors);
  memcpy(tensors, program->tensors, new * sizeof *tensors);
  memmove(nodes + at + 1, nodes + at, (p->n_nodes - at) * sizeof *nodes);
  p->n_nodes++;
  for (uint32_t t = 0; t < new; t++) {
    tensors[t].node += tensors[t].node >= at;
  }
  tensors[new] = tensors[old];
  tensors[old].node = at;
  uint32_t *in = sp_alloc(ctx, sizeof *in);
  *in = new;
  nodes[edit->node].out = new;
  nodes[at] = *edit->then;
  nodes[at].in = in;
  nodes[at].n_in = 1;
  nodes[at].out = old;
  nodes[at].n_out = 1;
  p->tensors = tensors;
  return p;
}

sp_node *spi_edit_attr(sp_ctx *ctx, const sp_node *node, const char *name,
                       sp_attr value) {
  sp_node *copy = sp_alloc(ctx, sizeof *copy);
  sp_attr *attrs = sp_alloc_n(ctx, node->n_attrs + 1u, sizeof *attrs);
  *copy = *node;
  value.name = name;
  uint32_t n = node->n_attrs;
  if (n) {
    memcpy(attrs, node->attrs, n * sizeof *attrs);
  }
  uint32_t at = 0;
  while (at < n && strcmp(attrs[at].name, name) != 0) {
    at++;
  }
  attrs[at] = value;
  copy->n_attrs = at == n ? n + 1 : n;
  copy->attrs = attrs;
  return copy;
}

const sp_program *spi_edit_reducer(sp_ctx *ctx, sp_dtype type, const char *op) {
  sp_program *p = sp_alloc(ctx, sizeof *p);
  sp_tensor *tensors = sp_alloc_n(ctx, 3, sizeof *tensors);
  sp_node *nodes = sp_alloc_n(ctx, 3, sizeof *nodes);
  uint32_t *ids = sp_alloc_n(ctx, 3, sizeof *ids);
  static const char *const names[] = {"a", "b", "c"};
  static const int64_t none[1];
  for (uint32_t k = 0; k < 3; k++) {
    ids[k] = k;
    tensors[k] = (sp_tensor){
        .name = names[k], .shape = {.dtype = type, .dims = none}, .node = k};
    nodes[k] = parameter(ctx, &tensors[k], k, k);
  }
  nodes[2] = (sp_node){
      .op = op, .name = "c", .n_in = 2, .in = ids, .out = 2, .n_out = 1};
  *p = (sp_program){.name = "reducer",
                    .partitions = 1,
                    .n_nodes = 3,
                    .n_tensors = 3,
                    .nodes = nodes,
                    .tensors = tensors,
                    .n_params = 2,
                    .params = ids,
                    .n_results = 1,
                    .results = ids + 2};
  return p;
}
