/* report_dot.c: the distributed program as a Graphviz graph: a box a tensor,
 * coloured by what is known of it, the fault marked. Read dump_graph, near the
 * end. Bodies of loops are boxes around their tensors. */
#include "cli/report.h"

#include "cli/message.h"
#include "cli/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct graph {
  sp_ctx *ctx;
  const cli_outcome *outcome;
  const sp_report_tensor **by_name; /* sorted; NULL without a report */
  size_t n;
  uint32_t clusters;
} graph;

typedef enum kind {
  KIND_INPUT,
  KIND_WHOLE,
  KIND_PART,
  KIND_FORMULA,
  KIND_NONE,
  KIND_STOPPED,
  KIND_FAULT,
  KINDS
} kind;

static const struct {
  const char *color, *text;
} kinds[KINDS] = {
    [KIND_INPUT] = {"#d6e6f5", "an input"},
    [KIND_WHOLE] = {"#cfe8cf", "a sequential tensor, whole"},
    [KIND_PART] = {"#e4f2c9", "a part of a sequential tensor"},
    [KIND_FORMULA] = {"#e9e0f2", "a formula over sequential tensors"},
    [KIND_NONE] = {"#eeeeee", "no relation of its own"},
    [KIND_STOPPED] = {"#fbdca6", "where the proof stopped"},
    [KIND_FAULT] = {"#f4a6a0", "the fault seems to be here"},
};

static int by_name(const void *a, const void *b) {
  const sp_report_tensor *const *x = a;
  const sp_report_tensor *const *y = b;
  return strcmp((*x)->name, (*y)->name);
}

static const sp_report_tensor *find(const graph *g, const char *name) {
  sp_report_tensor key = {.name = name};
  const sp_report_tensor *k = &key;
  const sp_report_tensor **at =
      g->n ? bsearch(&k, g->by_name, g->n, sizeof k, by_name) : NULL;
  return at ? *at : NULL;
}

static const char *own_name(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash ? slash + 1 : name;
}

static bool stopped_at(const sp_report *r, const sp_report_tensor *t) {
  for (size_t i = 0; i < r->n_frontier; i++) {
    if (&r->tensors[r->frontier[i]] == t) {
      return true;
    }
  }
  return false;
}

static kind kind_of(const graph *g, const sp_report_tensor *t) {
  const sp_report *r = g->outcome->report;
  if (!r || !t) {
    return KIND_NONE;
  }
  if (r->fault && !r->fault->before &&
      strcmp(own_name(t->name), r->fault->name) == 0) {
    return KIND_FAULT;
  }
  if (t->why && strcmp(t->why, "input") == 0) {
    return KIND_INPUT;
  }
  if (!t->relation) {
    return stopped_at(r, t) ? KIND_STOPPED : KIND_NONE;
  }
  return t->kind == SP_RELATION_SHARD       ? KIND_PART
         : t->kind == SP_RELATION_REPLICATE ? KIND_WHOLE
                                            : KIND_FORMULA;
}

/* Inside double quotes. */
static void quoted(const graph *g, FILE *f, const char *text) {
  for (const char *p = cli_clean(g->ctx, text); *p; p++) {
    if (*p == '"' || *p == '\\') {
      fputc('\\', f);
    }
    fputc(*p, f);
  }
}

/* The same in lines of about 72 columns. */
static void paragraph(const graph *g, FILE *f, const char *text) {
  int column = 0;
  for (const char *p = cli_clean(g->ctx, text); *p; p++, column++) {
    if (*p == ' ' && column >= 72) {
      fprintf(f, "\\n");
      column = 0;
      continue;
    }
    const char one[2] = {*p, '\0'};
    fprintf(f, "%s%s", *p == '"' || *p == '\\' ? "\\" : "", one);
  }
}

static void dump_tensor(graph *g, FILE *f, const sp_program *p, uint32_t t,
                        const char *prefix) {
  const sp_tensor *x = &p->tensors[t];
  const sp_node *node = &p->nodes[x->node];
  const char *name = sp_format(g->ctx, "%s%s", prefix, x->name);
  const sp_report_tensor *row = find(g, name);
  kind k = kind_of(g, row);
  fprintf(f, "  \"");
  quoted(g, f, name);
  fprintf(f, "\" [fillcolor=\"%s\"%s, label=\"", kinds[k].color,
          k == KIND_FAULT ? ", penwidth=3, color=\"#b00020\"" : "");
  quoted(g, f, x->name);
  fprintf(f, "\\n");
  quoted(g, f, node->op);
  fprintf(f, " ");
  quoted(g, f, sp_shape_text(g->ctx, &x->shape));
  if (row && row->relation) {
    fprintf(f, "\\n= ");
    paragraph(g, f, row->relation);
  }
  if (k == KIND_FAULT) {
    fprintf(f, "\\nFAULT");
  }
  fprintf(f, "\", tooltip=\"");
  if (node->pos.source_file) {
    quoted(g, f, node->pos.source_file);
    fprintf(f, ":%" PRIu32 " ", node->pos.source_line);
  }
  if (row && row->why) {
    quoted(g, f, row->why);
  }
  fprintf(f, "\"];\n");
}

static void dump_program(graph *g, FILE *f, const sp_program *p,
                         const char *prefix);

static void dump_bodies(graph *g, FILE *f, const sp_node *node,
                        const char *prefix) {
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    const sp_attr *a = &node->attrs[i];
    if (a->kind != SP_ATTR_REGION || strcmp(a->name, "body") != 0) {
      continue;
    }
    fprintf(f, "  subgraph cluster_%" PRIu32 " {\n  label=\"", g->clusters++);
    quoted(g, f, node->name);
    fprintf(f, ": body\";\n");
    dump_program(g, f, a->u.region,
                 sp_format(g->ctx, "%s%s/", prefix, node->name));
    fprintf(f, "  }\n");
  }
}

/* Loops nest as deep as the reader allows. */
static void dump_program(graph *g, FILE *f, const sp_program *p,
                         const char *prefix) {
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    dump_tensor(g, f, p, t, prefix);
  }
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_node *node = &p->nodes[i];
    for (uint32_t o = 0; o < node->n_out; o++) {
      for (uint32_t k = 0; k < node->n_in; k++) {
        fprintf(f, "  \"");
        quoted(g, f, prefix);
        quoted(g, f, p->tensors[node->in[k]].name);
        fprintf(f, "\" -> \"");
        quoted(g, f, prefix);
        quoted(g, f, p->tensors[node->out + o].name);
        fprintf(f, "\";\n");
      }
    }
    dump_bodies(g, f, node, prefix);
  }
}

static void dump_legend(const graph *g, FILE *f) {
  fprintf(f, "  subgraph cluster_legend {\n  label=\"colours\";\n");
  for (int k = 0; k < KINDS; k++) {
    fprintf(f, "  \"legend %d\" [label=\"", k);
    quoted(g, f, kinds[k].text);
    fprintf(f, "\", fillcolor=\"%s\"];\n", kinds[k].color);
  }
  fprintf(f, "  }\n");
}

static bool dump_graph(FILE *f, const void *what) {
  graph g = *(const graph *)what;
  const cli_outcome *o = g.outcome;
  const char *verdict = cli_verdict(o);
  const char *sentence = o->report  ? o->report->sentence
                         : o->error ? o->error->message
                                    : "";
  fprintf(f, "digraph shardproof {\n"
             "  node [shape=box, style=\"filled\", fontname=\"Helvetica\"];\n"
             "  labelloc=t;\n  label=\"");
  quoted(&g, f, verdict ? verdict : "error");
  fprintf(f, ": ");
  paragraph(&g, f, sentence);
  fprintf(f, "\";\n");
  dump_legend(&g, f);
  if (o->after_program) {
    dump_program(&g, f, o->after_program, "");
  }
  fprintf(f, "}\n");
  return !ferror(f);
}

bool cli_write_dot(sp_ctx *ctx, const cli_values *values,
                   const cli_outcome *outcome) {
  graph g = {.ctx = ctx, .outcome = outcome};
  const sp_report *r = outcome->report;
  if (r) {
    g.n = r->n_tensors;
    g.by_name = sp_alloc_n(ctx, g.n + 1, sizeof *g.by_name);
    for (size_t i = 0; i < g.n; i++) {
      g.by_name[i] = &r->tensors[i];
    }
    qsort(g.by_name, g.n, sizeof *g.by_name, by_name);
  }
  return cli_write_file(ctx, values->dot, dump_graph, &g);
}
