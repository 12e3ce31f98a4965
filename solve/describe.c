/* describe.c: read spi_describe, last, then describe. The obligations of a
 * tensor are found by what the prover was told they are about: a tensor is
 * tried against several sequential ones, and only what was proved of the last
 * is of interest. */
#include "solve/describe.h"

#include "encode/statement.h"
#include "solve/fit.h"
#include "solve/seen.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SOURCES = 8, MAX_STATEMENTS = 24, STATEMENT_BYTES = 600 };

/* What was proved in one attempt: all of one `about`. */
typedef struct attempt {
  const char *about;
  size_t first, n;
} attempt;

typedef struct describer {
  sp_state *root; /* of the whole program, which says how many ranks */
  SP_VEC(sp_report_coordinate) coordinates;
  SP_VEC(sp_expr) terms; /* of the coordinates */
  const sp_proved *proved;
  SP_VEC(attempt) attempts; /* by text, later ones after earlier ones */
} describer;

/* ---- the kind of a relation ---- */

/* Reads, and choices between reads and constants. */
static bool is_rearrangement(const sp_pool *p, sp_expr e, int depth) {
  if (sp_kind_of(p, e) == SP_KIND_ITE && depth > 0) {
    sp_expr a = sp_arg(p, e, 1), b = sp_arg(p, e, 2);
    bool x = is_rearrangement(p, a, depth - 1);
    bool y = is_rearrangement(p, b, depth - 1);
    return (x && (y || !sp_has_read(p, b))) || (y && !sp_has_read(p, a));
  }
  return sp_kind_of(p, e) == SP_KIND_READ &&
         !sp_sym_is_table(p, sp_read_sym(p, e));
}

static uint32_t coordinate_of(sp_state *s, describer *d, sp_expr term) {
  for (size_t i = 0; i < d->terms.n; i++) {
    if (d->terms.v[i].v == term.v) {
      return (uint32_t)i;
    }
  }
  sp_report_coordinate c = {sp_show(s->pool, term), spi_by_rank(d->root, term)};
  sp_push(s->ctx, &d->terms, term);
  sp_push(s->ctx, &d->coordinates, c);
  return (uint32_t)(d->terms.n - 1);
}

static void describe_cuts(sp_state *s, describer *d, const spi_cut *cuts,
                          uint32_t n, sp_report_tensor *x) {
  sp_report_cut *v = sp_alloc_n(s->ctx, n + 1u, sizeof *v);
  for (uint32_t i = 0; i < n; i++) {
    if (cuts[i].coordinate.v) {
      v[x->n_cuts++] = (sp_report_cut){
          i, coordinate_of(s, d, cuts[i].coordinate), cuts[i].n};
    }
  }
  x->cuts = v;
}

static void describe_kind(sp_state *s, describer *d, uint32_t t,
                          sp_report_tensor *x) {
  sp_expr e = spi_without_padding(s, t);
  spi_cut cuts[SP_MAX_DIMS];
  sp_sym of;
  if (!e.v) {
    x->kind = SP_RELATION_NONE;
  } else if (spi_placement_of(s, t, &of, cuts)) {
    describe_cuts(s, d, cuts, s->dist_program->tensors[t].shape.n_dims, x);
    x->kind = x->n_cuts ? SP_RELATION_SHARD : SP_RELATION_REPLICATE;
  } else {
    x->kind = is_rearrangement(s->pool, e, 32) ? SP_RELATION_MAP
                                               : SP_RELATION_FORMULA;
  }
}

/* ---- sources ---- */

typedef struct sources {
  const sp_pool *p;
  spi_seen seen;
  sp_sym own; /* the tensor's contents where it is padding */
  const char **v;
  size_t n;
} sources;

static void find_sources(sources *x, sp_expr e) {
  if (x->n == MAX_SOURCES || spi_seen_before(&x->seen, e)) {
    return;
  }
  if (sp_kind_of(x->p, e) == SP_KIND_READ) {
    sp_sym sym = sp_read_sym(x->p, e);
    bool known = sym.v == x->own.v || sp_sym_is_table(x->p, sym);
    for (size_t i = 0; i < x->n && !known; i++) {
      known = strcmp(x->v[i], sp_sym_name(x->p, sym)) == 0;
    }
    if (!known) {
      x->v[x->n++] = sp_sym_name(x->p, sym);
    }
  }
  for (uint32_t i = 0; i < sp_n_args(x->p, e); i++) {
    find_sources(x, sp_arg(x->p, e, i));
  }
}

static void describe_sources(sp_state *s, uint32_t t, sp_report_tensor *x) {
  sp_mark mark = sp_scratch_mark(s->ctx);
  sources found = {.p = s->pool,
                   .seen = {.ctx = s->ctx},
                   .own = s->dist[t].sym,
                   .v = sp_alloc_n(s->ctx, MAX_SOURCES, sizeof(char *))};
  if (s->dist[t].relation.v) {
    find_sources(&found, s->dist[t].relation);
  }
  sp_scratch_release(s->ctx, mark);
  x->sources = found.v;
  x->n_sources = found.n;
}

/* ---- obligations ---- */

static int by_text(const void *a, const void *b) {
  const attempt *x = a, *y = b;
  int order = strcmp(x->about, y->about);
  return order ? order : (x->first > y->first) - (x->first < y->first);
}

static void find_attempts(sp_state *s, describer *d) {
  size_t n = sp_prover_proved(s->prover, &d->proved);
  for (size_t i = 0; i < n; i++) {
    const char *about = d->proved[i].about;
    if (!i || about != d->proved[i - 1].about) {
      sp_push(s->ctx, &d->attempts, ((attempt){about, i, 0}));
    }
    d->attempts.v[d->attempts.n - 1].n++;
  }
  if (d->attempts.n) {
    qsort(d->attempts.v, d->attempts.n, sizeof *d->attempts.v, by_text);
  }
}

/* The latest attempt with this text. */
static const attempt *find_attempt(const describer *d, const char *about) {
  size_t lo = 0, hi = d->attempts.n;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (strcmp(d->attempts.v[mid].about, about) <= 0) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  const attempt *a = lo ? &d->attempts.v[lo - 1] : NULL;
  return a && strcmp(a->about, about) == 0 ? a : NULL;
}

static const char *statement(sp_state *s, sp_expr goal) {
  const char *text = sp_statement(s->pool, goal);
  return strlen(text) <= STATEMENT_BYTES
             ? text
             : sp_format(s->ctx, "%.*s ...", STATEMENT_BYTES, text);
}

/* Adds what was proved of it under this text. */
static void add_proof(sp_state *s, const describer *d, const char *about,
                      sp_report_tensor *x) {
  const attempt *a = find_attempt(d, about);
  if (!a) {
    return;
  }
  size_t n = a->n < MAX_STATEMENTS ? a->n : MAX_STATEMENTS;
  size_t before = x->n_obligations;
  sp_report_obligation *v = sp_alloc_n(s->ctx, before + n, sizeof *v);
  if (before) {
    memcpy(v, x->obligations, before * sizeof *v);
  }
  for (size_t i = 0; i < n; i++) {
    const sp_proved *proved = &d->proved[a->first + a->n - n + i];
    v[before + i] = (sp_report_obligation){
        proved->rule, statement(s, proved->goal), proved->n_hyps};
  }
  x->obligations = v;
  x->n_obligations = before + n;
}

static void describe_proof(sp_state *s, const describer *d, const char *name,
                           sp_report_tensor *x) {
  if (x->relation) {
    add_proof(s, d,
              x->sequential ? sp_format(s->ctx, "%s = %s", name, x->sequential)
                            : name,
              x);
  }
}

/* What was proved of results as they are promised. */
static void describe_promises(sp_state *s, const describer *d,
                              sp_report_tensor *v) {
  for (size_t k = 0; k < s->problem->n_promised; k++) {
    const sp_placed *x = &s->problem->promised[k];
    add_proof(s, d,
              sp_format(s->ctx, "result %s = %s",
                        s->dist_program->tensors[x->dist].name,
                        s->seq_program->tensors[x->seq].name),
              &v[x->dist]);
  }
}

/* ---- addends ---- */

static const char *reduction_name(sp_state *s, const sp_node *node) {
  static const char *const names[] = {
      [SP_REDUCER_SUM] = "sum", [SP_REDUCER_PROD] = "product",
      [SP_REDUCER_MAX] = "max", [SP_REDUCER_MIN] = "min",
      [SP_REDUCER_OR] = "or",   [SP_REDUCER_AND] = "and",
  };
  const sp_attr *region = sp_node_attr(node, "to_apply");
  const sp_attr *text = sp_node_attr(node, "reduce_op");
  if (region && region->kind == SP_ATTR_REGION) {
    sp_reducer r = sp_reducer_of(s->pool, region->u.region);
    size_t n = sizeof names / sizeof *names;
    return (size_t)r < n && names[r] ? names[r] : "reduction";
  }
  return text && text->kind == SP_ATTR_TEXT ? text->u.text : "reduction";
}

static bool reduces_over_ranks(const char *op) {
  return strstr(op, "all-reduce") || strstr(op, "reduce-scatter") ||
         strstr(op, "all_reduce") || strstr(op, "reduce_scatter");
}

/* What a collective reduces to something related is addends of that. */
static void describe_addends(sp_state *s, sp_report_tensor *v) {
  const sp_program *d = s->dist_program;
  for (uint32_t i = 0; i < d->n_nodes; i++) {
    const sp_node *node = &d->nodes[i];
    if (!reduces_over_ranks(node->op) || node->n_out > node->n_in) {
      continue;
    }
    for (uint32_t k = 0; k < node->n_out; k++) {
      sp_report_tensor *x = &v[node->in[k]];
      if (v[node->out + k].relation &&
          (x->kind == SP_RELATION_NONE || x->kind == SP_RELATION_FORMULA)) {
        x->kind = SP_RELATION_PARTIAL;
        x->partial =
            sp_format(s->ctx, "%s by %s", reduction_name(s, node), node->name);
      }
    }
  }
}

/* ---- all of it ---- */

static size_t count_tensors(const sp_state *s) {
  size_t n = s->dist_program->n_tensors;
  for (size_t i = 0; i < s->kept.n; i++) {
    n += count_tensors(s->kept.v[i].state);
  }
  return n;
}

static void describe(sp_state *s, describer *d, uint32_t t, const char *prefix,
                     sp_report_tensor *x) {
  const sp_program *p = s->dist_program;
  const sp_tensor *tensor = &p->tensors[t];
  const dist_tensor *w = &s->dist[t];
  *x = (sp_report_tensor){
      .name = sp_format(s->ctx, "%s%s", prefix, tensor->name),
      .op = p->nodes[tensor->node].op,
      .shape = sp_shape_text(s->ctx, &tensor->shape),
      .relation = spi_relation_text(s, t),
      .sequential = w->seq ? s->seq_program->tensors[w->seq - 1].name : NULL,
      .why = w->how,
      .nearest = w->nearest,
      .like = w->like ? p->tensors[w->like - 1].name : NULL,
      .pos = p->nodes[tensor->node].pos,
  };
  describe_kind(s, d, t, x);
  describe_sources(s, t, x);
  if (s->options->statements) {
    describe_proof(s, d, tensor->name, x);
  }
}

/* The program's tensors, then those of its loop bodies. */
static size_t describe_program(sp_state *s, describer *d, const char *prefix,
                               sp_report_tensor *v) {
  size_t n = s->dist_program->n_tensors;
  for (uint32_t t = 0; t < n; t++) {
    describe(s, d, t, prefix, &v[t]);
  }
  describe_addends(s, v);
  for (size_t i = 0; i < s->kept.n; i++) {
    const char *inner = sp_format(s->ctx, "%s%s/", prefix, s->kept.v[i].name);
    n += describe_program(s->kept.v[i].state, d, inner, v + n);
  }
  return n;
}

void spi_describe(sp_state *s, sp_report *report) {
  describer d = {.root = s};
  find_attempts(s, &d);
  sp_report_tensor *v = sp_alloc_n(s->ctx, count_tensors(s) + 1, sizeof *v);
  report->n_tensors = describe_program(s, &d, "", v);
  if (s->options->statements) {
    describe_promises(s, &d, v);
  }
  report->tensors = v;
  report->n_coordinates = d.coordinates.n;
  report->coordinates = d.coordinates.v;
}
