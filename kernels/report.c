/* report.c: a report in the file's own words. Promises by index map are proved
 * of made-up tensors ($wanted, $have): what is said of them is said of the
 * tensors that the file names, and ranks are given as coordinates. */
#include "kernels/kernel.h"

#include "base/vec.h"
#include "encode/lang.h"
#include "kernels/ast.h"

#include <string.h>

/* ---- where a counterexample is ---- */

typedef struct place {
  const sp_kernel_problem *x;
  const sp_kernel_promise *promise;
  const sp_counterexample *c;
  const int64_t *local; /* indices of the parallel tensor */
  int64_t global[SP_MAX_DIMS];
  uint32_t n;
  bool known;
} place;

static bool value_of(void *user, const char *name, int64_t *out) {
  const place *q = user;
  int64_t rank = q->c->rank;
  for (uint32_t a = q->x->n_axes; a-- > 0;) {
    if (strcmp(q->promise->axis_names[a], name) == 0) {
      *out = rank % q->x->sizes[a];
      return true;
    }
    rank /= q->x->sizes[a];
  }
  for (uint32_t i = 0; i < q->promise->n_vars; i++) {
    if (strcmp(q->promise->vars[i].name, name) == 0) {
      *out = q->local[i];
      return true;
    }
  }
  for (size_t i = 0; i < q->x->n_constants; i++) {
    if (strcmp(q->x->constants[i].name, name) == 0) {
      *out = q->x->constants[i].value;
      return true;
    }
  }
  return false;
}

/* Through the index map: fails where that calls functions. */
static void follow(sp_ctx *ctx, void *arg) {
  place *q = arg;
  const sp_lang_scope scope = {value_of, q};
  for (uint32_t d = 0; d < q->promise->read->n; d++) {
    q->global[d] = sp_lang_integer(ctx, q->promise->read->args[d], &scope);
  }
}

static place place_of(sp_ctx *ctx, const sp_kernel_problem *x,
                      const sp_counterexample *c) {
  place q = {.x = x, .promise = &x->promises[c->output], .c = c};
  if (!q.promise->read) {
    q.local = c->local_index;
    q.n = c->n_dims;
    q.known = true;
    memcpy(q.global, c->global_index, q.n * sizeof *q.global);
    return q;
  }
  q.local = c->local_index + x->n_axes;
  q.n = q.promise->read->n;
  q.known = sp_protect(ctx, follow, &q) == SP_OK;
  return q;
}

static const char *element(sp_ctx *ctx, const char *name, uint32_t n,
                           const int64_t *idx) {
  sp_str s = {0};
  sp_str_add(ctx, &s, name);
  for (uint32_t i = 0; i < n; i++) {
    sp_str_addf(ctx, &s, "%s%lld", i ? ", " : "[", (long long)idx[i]);
  }
  sp_str_add(ctx, &s, n ? "]" : "");
  return s.v;
}

const char *sp_kernel_rank_text(sp_ctx *ctx, const sp_kernel_problem *x,
                                int64_t rank) {
  const char *text = "";
  for (uint32_t i = x->n_axes; i-- > 0;) {
    text = sp_format(ctx, "@%s = %lld%s%s", x->axes[i],
                     (long long)(rank % x->sizes[i]), *text ? ", " : "", text);
    rank /= x->sizes[i];
  }
  return text;
}

/* A fault of a made-up tensor is one of the tensor that it stands for. */
static const sp_fault *fault_of(sp_ctx *ctx, const sp_kernel_problem *x,
                                const sp_report *report) {
  const sp_fault *f = report->fault;
  if (!f || f->name[0] != '$') {
    return f;
  }
  const sp_program *p = x->problem.dist;
  uint32_t t = x->promises[report->counterexample->output].dist;
  const sp_node *node = &p->nodes[p->tensors[t].node];
  sp_fault *out = sp_alloc(ctx, sizeof *out);
  *out = *f;
  out->name = p->tensors[t].name;
  out->op = node->op;
  out->pos = node->pos;
  out->sentence =
      sp_format(ctx, "%s (%s:%u) is not what is promised of it", out->name,
                node->pos.source_file, node->pos.source_line);
  return out;
}

static void tell(sp_ctx *ctx, const sp_kernel_problem *x, sp_report *out) {
  sp_counterexample *c = sp_alloc(ctx, sizeof *c);
  *c = *out->counterexample;
  out->fault = fault_of(ctx, x, out);
  place q = place_of(ctx, x, c);
  uint32_t n_local = c->n_dims - (q.promise->read ? x->n_axes : 0);
  const char *wanted = q.known ? element(ctx, q.promise->source, q.n, q.global)
                               : q.promise->source;
  out->sentence =
      sp_format(ctx, "%s is %.9g where %s, and %s is %.9g%s%s",
                element(ctx, q.promise->name, n_local, q.local), c->got,
                sp_kernel_rank_text(ctx, x, c->rank), wanted, c->expected,
                out->fault ? "; " : "", out->fault ? out->fault->sentence : "");
  c->name = q.promise->name;
  if (q.promise->read && q.known && q.n == n_local) {
    int64_t *global = sp_alloc_n(ctx, q.n + 1u, sizeof *global);
    memcpy(global, q.global, q.n * sizeof *global);
    c->n_dims = q.n;
    c->local_index = q.local;
    c->global_index = global;
  }
  out->counterexample = c;
}

const sp_report *sp_kernel_report(sp_ctx *ctx, const sp_kernel_problem *x,
                                  const sp_report *report) {
  sp_report *out = sp_alloc(ctx, sizeof *out);
  *out = *report;
  sp_report_output *v = sp_alloc_n(ctx, report->n_outputs + 1, sizeof *v);
  for (size_t k = 0; k < report->n_outputs; k++) {
    const sp_kernel_promise *p = &x->promises[k];
    const sp_tensor *t = &x->problem.dist->tensors[p->dist];
    v[k] = report->outputs[k];
    v[k].name = p->name;
    v[k].shape = sp_shape_text(ctx, &t->shape);
    if (p->dist != x->problem.promised[k].dist) {
      v[k].relation = report->tensors[p->dist].relation;
    }
    if (v[k].proved && !v[k].relation) {
      v[k].relation = v[k].promised;
    }
  }
  out->outputs = v;
  const char *what = x->problem.dist->partitions == 1 ? "rank" : "ranks";
  if (report->verdict == SP_REFINES) {
    out->sentence = sp_format(
        ctx,
        "on all %lld %s the parallel program has what is promised of it "
        "(%zu promise%s)",
        (long long)x->problem.dist->partitions, what, report->n_outputs,
        report->n_outputs == 1 ? "" : "s");
  }
  if (out->counterexample) {
    tell(ctx, x, out);
  }
  return out;
}
