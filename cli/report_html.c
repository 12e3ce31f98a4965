/* report_html.c: one page for people, with everything in it: the report as it
 * is in JSON, both programs as graphs, and a script that shows them. Read
 * cli_write_html, last, then write_part. No text of a program becomes HTML or
 * script here: `<` is escaped inside the data, and the script makes text nodes
 * of it. */
#include "cli/message.h"
#include "cli/output.h"
#include "cli/page.h"
#include "cli/page_graph.h"
#include "cli/progress.h"

#include <string.h>

static const double LAYOUT_SECONDS = 5; /* for both programs */

typedef struct page {
  sp_ctx *ctx;
  const cli_outcome *outcome;
  json_t *data;
} page;

/* ---- data ---- */

typedef SP_VEC(uint32_t) boxes;

static void add_named(sp_ctx *ctx, const cli_page_graph *g, boxes *v,
                      const char *name) {
  /* "dot.1 (no index map ...)": a candidate with its reason */
  uint32_t at =
      name ? cli_page_graph_find(g, name, strcspn(name, " ")) : UINT32_MAX;
  if (at != UINT32_MAX) {
    sp_push(ctx, v, at);
  }
}

/* A fault has the name that the dump gives it: without the loops around. */
static bool is_fault(const sp_report *r, const sp_report_tensor *t) {
  const char *slash = strrchr(t->name, '/');
  return r->fault && !r->fault->before &&
         strcmp(slash ? slash + 1 : t->name, r->fault->name) == 0;
}

/* The fault, or where the proof stopped; and on the sequential side what these
 * come nearest to. */
static void find_focus(page *p, const cli_page_graph *before,
                       const cli_page_graph *after, boxes *b, boxes *a) {
  const sp_report *r = p->outcome->report;
  if (r && r->fault && r->fault->before) {
    add_named(p->ctx, before, b, r->fault->name);
  }
  for (size_t i = 0; r && i < r->n_tensors; i++) {
    const sp_report_tensor *t = &r->tensors[i];
    bool stopped = false;
    for (size_t k = 0; k < r->n_frontier && !r->fault; k++) {
      stopped = stopped || r->frontier[k] == i;
    }
    if (!stopped && !is_fault(r, t)) {
      continue;
    }
    add_named(p->ctx, after, a, t->name);
    add_named(p->ctx, before, b, t->sequential);
    add_named(p->ctx, before, b, t->nearest);
    for (size_t k = 0; k < t->n_sources; k++) {
      add_named(p->ctx, before, b, t->sources[k]);
    }
  }
}

static json_t *json_boxes(const boxes *v) {
  json_t *list = json_array();
  for (size_t i = 0; i < v->n; i++) {
    json_array_append_new(list, json_integer(v->v[i]));
  }
  return list;
}

/* The graph, where to look first, and the positions of that part. */
typedef struct side {
  cli_page_graph graph;
  boxes focus;
  cli_graph start;
  cli_layout layout;
} side;

static void side_start(sp_ctx *ctx, side *s) {
  s->start = cli_page_graph_start(ctx, &s->graph, s->focus.n, s->focus.v);
  if (s->start.n_nodes) {
    s->layout = cli_layout_start(ctx, &s->start);
  }
}

static json_t *side_finish(sp_ctx *ctx, side *s, double deadline) {
  const char *plain = cli_layout_finish(ctx, &s->layout, deadline);
  boxes start = {.n = s->start.n_nodes};
  start.v = sp_alloc_n(ctx, start.n + 1, sizeof *start.v);
  memcpy(start.v, s->start.nodes, start.n * sizeof *start.v);
  json_t *o = cli_page_graph_json(ctx, &s->graph);
  json_object_set_new(o, "focus", json_boxes(&s->focus));
  json_object_set_new(o, "start", json_boxes(&start));
  json_object_set_new(o, "layout", plain ? json_string(plain) : json_null());
  json_object_set_new(o, "why_no_layout", cli_json_text(ctx, s->layout.why));
  return o;
}

static json_t *page_data(page *p) {
  const cli_outcome *o = p->outcome;
  side before = {.graph = cli_page_graph_of(p->ctx, o->before_program)};
  side after = {.graph = cli_page_graph_of(p->ctx, o->after_program)};
  find_focus(p, &before.graph, &after.graph, &before.focus, &after.focus);
  side_start(p->ctx, &before);
  side_start(p->ctx, &after);
  double deadline = cli_now() + LAYOUT_SECONDS;
  json_t *data = json_object();
  json_object_set_new(data, "report", cli_json_report(p->ctx, true, o));
  json_object_set_new(data, "before", side_finish(p->ctx, &before, deadline));
  json_object_set_new(data, "after", side_finish(p->ctx, &after, deadline));
  json_t *box = json_pack("[i, i]", CLI_BOX_WIDTH, CLI_BOX_HEIGHT);
  json_object_set_new(data, "box", box);
  json_object_set_new(
      data, "ranks",
      json_integer(o->after_program ? (json_int_t)o->after_program->partitions
                                    : 1));
  return data;
}

/* ---- writing ---- */

static void escaped(FILE *f, const char *text) {
  for (const char *c = text; *c; c++) {
    switch (*c) {
    case '&':
      fputs("&amp;", f);
      break;
    case '<':
      fputs("&lt;", f);
      break;
    case '>':
      fputs("&gt;", f);
      break;
    case '"':
      fputs("&quot;", f);
      break;
    default:
      fputc(*c, f);
    }
  }
}

/* Inside <script>, where only `<` can end it; in JSON that is always inside a
 * string. */
static int write_data(const char *text, size_t n, void *file) {
  FILE *f = file;
  for (size_t i = 0; i < n; i++) {
    if (text[i] == '<') {
      fputs("\\u003c", f);
    } else {
      fputc(text[i], f);
    }
  }
  return ferror(f) ? -1 : 0;
}

/* What stands for {{name}} in page.html. */
static bool write_part(const page *p, FILE *f, const char *name, size_t n) {
  const cli_outcome *o = p->outcome;
  const char *verdict = cli_verdict(o);
  if (strncmp(name, "css", n) == 0) {
    fputs(cli_page_css, f);
  } else if (strncmp(name, "js", n) == 0) {
    fputs(cli_page_js, f);
  } else if (strncmp(name, "verdict", n) == 0) {
    fputs(verdict ? verdict : "ERROR", f);
  } else if (strncmp(name, "sentence", n) == 0) {
    escaped(f, cli_clean(p->ctx, o->report  ? o->report->sentence
                                 : o->error ? o->error->message
                                            : ""));
  } else if (strncmp(name, "data", n) == 0) {
    return json_dump_callback(p->data, write_data, f,
                              JSON_COMPACT | JSON_ENSURE_ASCII |
                                  JSON_REAL_PRECISION(9)) == 0;
  }
  return true;
}

static bool write_page(FILE *f, const void *what) {
  const page *p = what;
  const char *at = cli_page_html;
  for (;;) {
    const char *open = strstr(at, "{{");
    const char *close = open ? strstr(open, "}}") : NULL;
    if (!close) {
      fputs(at, f);
      return !ferror(f);
    }
    fwrite(at, 1, (size_t)(open - at), f);
    if (!write_part(p, f, open + 2, (size_t)(close - open - 2))) {
      return false;
    }
    at = close + 2;
  }
}

bool cli_write_html(sp_ctx *ctx, const cli_values *values,
                    const cli_outcome *outcome) {
  page p = {.ctx = ctx, .outcome = outcome};
  p.data = page_data(&p);
  bool ok = cli_write_file(ctx, values->html, write_page, &p);
  json_decref(p.data);
  return ok;
}
