/* page_graph.c: read add_program, then cli_page_graph_start. */
#include "cli/page_graph.h"

#include <string.h>

/* More boxes than ALL take Graphviz long, and readers, too: begin with NEAR. */
enum { ALL = 400, NEAR = 90 };

/* ---- from programs ---- */

static void add_edge(sp_ctx *ctx, cli_page_graph *g, uint32_t from,
                     uint32_t to) {
  sp_push(ctx, &g->edges, ((cli_edge){from, to}));
}

static uint32_t add_program(sp_ctx *ctx, cli_page_graph *g, const sp_program *p,
                            const char *prefix, const char *loop);

/* The body of a loop: what the loop is given flows into the body's parameters,
 * the body's results into the loop's. */
static void add_loop(sp_ctx *ctx, cli_page_graph *g, uint32_t base,
                     const sp_node *node, const sp_program *body,
                     const char *prefix) {
  const char *name = sp_format(ctx, "%s%s", prefix, node->name);
  uint32_t inner = add_program(ctx, g, body, sp_format(ctx, "%s/", name), name);
  for (uint32_t k = 0; k < body->n_params && k < node->n_in; k++) {
    add_edge(ctx, g, base + node->in[k], inner + body->params[k]);
  }
  for (uint32_t k = 0; k < body->n_results && k < node->n_out; k++) {
    if (body->results[k] != SP_NO_TENSOR) {
      add_edge(ctx, g, inner + body->results[k], base + node->out + k);
    }
  }
}

/* Loops nest as deep as the reader allows. */
static uint32_t add_program(sp_ctx *ctx, cli_page_graph *g, const sp_program *p,
                            const char *prefix, const char *loop) {
  uint32_t base = (uint32_t)g->boxes.n;
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    cli_box box = {.name = sp_format(ctx, "%s%s", prefix, p->tensors[t].name),
                   .loop = loop,
                   .program = p,
                   .tensor = t};
    sp_push(ctx, &g->boxes, box);
  }
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_node *node = &p->nodes[i];
    const sp_attr *body = sp_node_attr(node, "body");
    if (body && body->kind == SP_ATTR_REGION) {
      add_loop(ctx, g, base, node, body->u.region, prefix);
      continue;
    }
    for (uint32_t o = 0; o < node->n_out; o++) {
      for (uint32_t k = 0; k < node->n_in; k++) {
        add_edge(ctx, g, base + node->in[k], base + node->out + o);
      }
    }
  }
  return base;
}

cli_page_graph cli_page_graph_of(sp_ctx *ctx, const sp_program *program) {
  cli_page_graph g = {0};
  if (!program) {
    return g;
  }
  add_program(ctx, &g, program, "", NULL);
  for (uint32_t k = 0; k < program->n_results; k++) {
    if (program->results[k] != SP_NO_TENSOR) {
      g.boxes.v[program->results[k]].result = true;
    }
  }
  return g;
}

static bool is_called(const char *x, const char *name, size_t n) {
  return strncmp(x, name, n) == 0 && x[n] == '\0';
}

uint32_t cli_page_graph_find(const cli_page_graph *g, const char *name,
                             size_t n) {
  uint32_t inside = UINT32_MAX;
  for (uint32_t i = 0; i < g->boxes.n; i++) {
    const cli_box *box = &g->boxes.v[i];
    if (is_called(box->name, name, n)) {
      return i;
    }
    if (inside == UINT32_MAX &&
        is_called(box->program->tensors[box->tensor].name, name, n)) {
      inside = i;
    }
  }
  return inside;
}

/* ---- what to show first ---- */

/* Nodes by distance from those already in `found`; edges in both directions. */
static size_t spread(sp_ctx *ctx, const cli_page_graph *g, bool *in,
                     uint32_t *found, size_t n) {
  size_t nodes = g->boxes.n, edges = g->edges.n;
  uint32_t *start = sp_alloc_n(ctx, nodes + 1, sizeof *start);
  uint32_t *other = sp_alloc_n(ctx, 2 * edges + 1, sizeof *other);
  for (size_t i = 0; i < edges; i++) {
    start[g->edges.v[i].from]++;
    start[g->edges.v[i].to]++;
  }
  for (size_t i = 1; i <= nodes; i++) {
    start[i] += start[i - 1];
  }
  for (size_t i = 0; i < edges; i++) {
    cli_edge e = g->edges.v[i];
    other[--start[e.from]] = e.to;
    other[--start[e.to]] = e.from;
  }
  for (size_t at = 0; at < n && n < NEAR; at++) {
    for (uint32_t k = start[found[at]]; k < start[found[at] + 1]; k++) {
      if (!in[other[k]] && n < NEAR) {
        in[other[k]] = true;
        found[n++] = other[k];
      }
    }
  }
  return n;
}

static size_t add_results(const cli_page_graph *g, bool *in, uint32_t *found) {
  size_t n = 0;
  for (uint32_t i = 0; i < g->boxes.n && n < NEAR / 4; i++) {
    if (g->boxes.v[i].result) {
      in[i] = true;
      found[n++] = i;
    }
  }
  return n;
}

/* The edges between nodes that are in, each once. */
static const cli_edge *edges_inside(sp_ctx *ctx, const cli_page_graph *g,
                                    const bool *in, size_t *n) {
  cli_edge *v = sp_alloc_n(ctx, g->edges.n + 1, sizeof *v);
  *n = 0;
  for (size_t i = 0; i < g->edges.n; i++) {
    cli_edge e = g->edges.v[i];
    if (in[e.from] && in[e.to]) {
      v[(*n)++] = e;
    }
  }
  return v;
}

cli_graph cli_page_graph_start(sp_ctx *ctx, const cli_page_graph *g,
                               size_t n_focus, const uint32_t *focus) {
  size_t n = g->boxes.n;
  bool *in = sp_alloc_n(ctx, n + 1, sizeof *in);
  uint32_t *nodes = sp_alloc_n(ctx, n + NEAR, sizeof *nodes);
  cli_graph start = {.nodes = nodes};
  if (n <= ALL) {
    for (uint32_t i = 0; i < n; i++) {
      in[i] = true;
      nodes[i] = i;
    }
    start.n_nodes = n;
  } else {
    for (size_t i = 0; i < n_focus && i < NEAR / 4; i++) {
      if (!in[focus[i]]) {
        in[focus[i]] = true;
        nodes[start.n_nodes++] = focus[i];
      }
    }
    size_t k = start.n_nodes ? start.n_nodes : add_results(g, in, nodes);
    start.n_nodes = spread(ctx, g, in, nodes, k);
  }
  start.edges = edges_inside(ctx, g, in, &start.n_edges);
  return start;
}

/* ---- as JSON ---- */

static json_t *box_json(sp_ctx *ctx, const cli_box *box) {
  const sp_tensor *t = &box->program->tensors[box->tensor];
  const sp_node *node = &box->program->nodes[t->node];
  json_t *o = json_object();
  json_object_set_new(o, "name", cli_json_text(ctx, box->name));
  json_object_set_new(o, "loop", cli_json_text(ctx, box->loop));
  json_object_set_new(o, "operator", cli_json_text(ctx, node->op));
  json_object_set_new(o, "shape",
                      cli_json_text(ctx, sp_shape_text(ctx, &t->shape)));
  json_object_set_new(o, "file", cli_json_text(ctx, node->pos.source_file));
  json_object_set_new(o, "line", cli_json_position(node->pos.source_line));
  json_object_set_new(o, "op_name", cli_json_text(ctx, node->pos.op_name));
  json_object_set_new(o, "dump_line", cli_json_position(node->pos.dump.line));
  json_object_set_new(
      o, "sharding",
      cli_json_text(ctx, t->sharding ? t->sharding->text : NULL));
  json_object_set_new(o, "result", json_boolean(box->result));
  return o;
}

json_t *cli_page_graph_json(sp_ctx *ctx, const cli_page_graph *g) {
  json_t *nodes = json_array(), *edges = json_array();
  for (size_t i = 0; i < g->boxes.n; i++) {
    json_array_append_new(nodes, box_json(ctx, &g->boxes.v[i]));
  }
  for (size_t i = 0; i < g->edges.n; i++) {
    json_array_append_new(edges, json_integer(g->edges.v[i].from));
    json_array_append_new(edges, json_integer(g->edges.v[i].to));
  }
  json_t *o = json_object();
  json_object_set_new(o, "nodes", nodes);
  json_object_set_new(o, "edges", edges);
  return o;
}
