/* addends.c: read sp_spec_addends. A program is built anew with its parameters
 * in the same order (rebuild); an input that is partial becomes two nodes, a
 * parameter and what is computed of it. */
#include "shard-specs/addends.h"

#include "base/vec.h"
#include "encode/meaning.h"

#include <string.h>

/* What computes the sequential input from its addends. */
static const char *const meanings[] = {
    [SP_PARTIAL_SUM] = "(x[n, *B]) -> y[*B]\ny[*i] = sum(q < n; x[q, *i])",
    [SP_PARTIAL_AVG] = "(x[n, *B]) -> y[*B]\ny[*i] = sum(q < n; x[q, *i]) / n",
    [SP_PARTIAL_MAX] = "(x[n, *B]) -> y[*B]\ny[*i] = max(q < n; x[q, *i])",
    [SP_PARTIAL_MIN] = "(x[n, *B]) -> y[*B]\ny[*i] = min(q < n; x[q, *i])",
    [SP_PARTIAL_PROD] = "(x[n, *B]) -> y[*B]\ny[*i] = prod(q < n; x[q, *i])",
};
static const char only[] = "(x[n, *B]) -> y[*B]\ny[*i] = x[0, *i]";

/* Parameters of one program that become computed. */
typedef struct becoming {
  int64_t slices;      /* 0: it stays as it is */
  const char *meaning; /* of slices -> the tensor */
  const char *name;    /* of the new parameter */
} becoming;

typedef struct rebuilding {
  sp_ctx *ctx;
  const sp_program *p;
  const becoming *of; /* by tensor */
  SP_VEC(sp_node) nodes;
  SP_VEC(sp_tensor) tensors;
  uint32_t *to;   /* old tensor -> new one */
  uint32_t *from; /* old tensor -> the parameter that it is computed from */
} rebuilding;

/* ---- one program ---- */

static sp_shape slices_of(rebuilding *b, const sp_shape *s, int64_t n) {
  int64_t *dims = sp_alloc_n(b->ctx, s->n_dims + 1u, sizeof *dims);
  dims[0] = n;
  for (uint32_t d = 0; d < s->n_dims; d++) {
    dims[d + 1] = s->dims[d];
  }
  sp_shape out = *s;
  out.n_dims++;
  out.dims = dims;
  return out;
}

static uint32_t add_tensor(rebuilding *b, sp_tensor t) {
  t.node = (uint32_t)b->nodes.n;
  sp_push(b->ctx, &b->tensors, t);
  return (uint32_t)b->tensors.n - 1;
}

static const sp_attr *meaning_attrs(rebuilding *b, const char *text,
                                    uint32_t *n) {
  const sp_lang_text whole = {text, strlen(text), "addends", 1, 1, 1};
  sp_attr *a = sp_alloc_n(b->ctx, 2, sizeof *a);
  a[0] = (sp_attr){
      .name = sp_intern(b->ctx, "=meaning", 8),
      .kind = SP_ATTR_MEANING,
      .u.meaning = sp_meaning_read(b->ctx, "addends", &whole),
  };
  a[1] = (sp_attr){.name = "x", .kind = SP_ATTR_OPERAND, .u.i = 0};
  *n = 2;
  return a;
}

static void split(rebuilding *b, const sp_node *node) {
  const sp_tensor *t = &b->p->tensors[node->out];
  const becoming *n = &b->of[node->out];
  sp_tensor slices = {.name = n->name,
                      .shape = slices_of(b, &t->shape, n->slices)};
  sp_node param = *node;
  param.name = n->name;
  param.out = add_tensor(b, slices);
  sp_push(b->ctx, &b->nodes, param);
  uint32_t *in = sp_alloc(b->ctx, sizeof *in);
  *in = param.out;
  sp_tensor whole = *t;
  whole.sharding = NULL;
  sp_node computed = {
      .op = sp_intern(b->ctx, SP_MEANING_OP, strlen(SP_MEANING_OP)),
      .name = t->name,
      .n_in = 1,
      .in = in,
      .out = add_tensor(b, whole),
      .n_out = 1,
      .pos = node->pos,
  };
  computed.attrs = meaning_attrs(b, n->meaning, &computed.n_attrs);
  sp_push(b->ctx, &b->nodes, computed);
  b->to[node->out] = computed.out;
  b->from[node->out] = param.out;
}

static const uint32_t *renumbered(rebuilding *b, uint32_t n,
                                  const uint32_t *old, const uint32_t *to) {
  uint32_t *out = sp_alloc_n(b->ctx, n + 1u, sizeof *out);
  for (uint32_t i = 0; i < n; i++) {
    out[i] = old[i] == SP_NO_TENSOR ? SP_NO_TENSOR : to[old[i]];
  }
  return out;
}

static void copy(rebuilding *b, const sp_node *old) {
  sp_node node = *old;
  node.in = renumbered(b, old->n_in, old->in, b->to);
  node.out = (uint32_t)b->tensors.n;
  for (uint32_t k = 0; k < old->n_out; k++) {
    b->to[old->out + k] = add_tensor(b, b->p->tensors[old->out + k]);
    b->from[old->out + k] = b->to[old->out + k];
  }
  sp_push(b->ctx, &b->nodes, node);
}

static const sp_program *rebuild(rebuilding *b) {
  const sp_program *p = b->p;
  b->to = sp_alloc_n(b->ctx, p->n_tensors + 1u, sizeof *b->to);
  b->from = sp_alloc_n(b->ctx, p->n_tensors + 1u, sizeof *b->from);
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_node *node = &p->nodes[i];
    if (node->n_out == 1 && b->of[node->out].slices > 0) {
      split(b, node);
    } else {
      copy(b, node);
    }
  }
  sp_program *out = sp_alloc(b->ctx, sizeof *out);
  *out = *p;
  out->n_nodes = (uint32_t)b->nodes.n;
  out->nodes = b->nodes.v;
  out->n_tensors = (uint32_t)b->tensors.n;
  out->tensors = b->tensors.v;
  out->params = renumbered(b, p->n_params, p->params, b->from);
  out->results = renumbered(b, p->n_results, p->results, b->to);
  out->param_shardings = NULL;
  sp_program_check(b->ctx, out);
  return out;
}

/* ---- the relation of addends ---- */

static const sp_layout *layout_of(sp_ctx *ctx, const sp_layout *l) {
  int64_t *place = sp_alloc_n(ctx, (size_t)l->ranks, sizeof *place);
  for (uint32_t k = 0; k < l->groups->n_groups; k++) {
    for (uint32_t i = l->groups->start[k]; i < l->groups->start[k + 1]; i++) {
      place[l->groups->ids[i]] = i - l->groups->start[k];
    }
  }
  sp_run *run = sp_alloc(ctx, sizeof *run);
  *run = (sp_run){1, place};
  sp_layout_dim *dims = sp_alloc_n(ctx, l->n_dims + 1u, sizeof *dims);
  dims[0] = (sp_layout_dim){1, run};
  for (uint32_t d = 0; d < l->n_dims; d++) {
    dims[d + 1] = l->dims[d];
  }
  sp_layout *out = sp_alloc(ctx, sizeof *out);
  *out = (sp_layout){.ranks = l->ranks,
                     .n_dims = l->n_dims + 1,
                     .dims = dims,
                     .text = l->text};
  return out;
}

static bool is_partial(const sp_placed *x) {
  return x->layout && x->layout->partial != SP_PARTIAL_NONE;
}

static noreturn void refuse(sp_ctx *ctx, sp_loc loc, const sp_placed *x,
                            const char *why) {
  sp_raise(ctx, SP_ERR_INPUT, loc,
           "make the program that adds them up the sequential one",
           "%s is given as partial results, and %s", x->name, why);
}

static void check(sp_ctx *ctx, const sp_problem *q, size_t i, sp_loc loc) {
  const sp_placed *x = &q->given[i];
  const sp_shape *s = &q->seq->tensors[x->seq].shape;
  if (s->n_dims == SP_MAX_DIMS) {
    refuse(ctx, loc, x, "has too many dimensions");
  }
  if (x->layout->partial == SP_PARTIAL_AVG && !sp_dtype_is_float(s->dtype)) {
    refuse(ctx, loc, x, "an average of integers is rounded");
  }
  if (s->dtype == SP_PRED) {
    refuse(ctx, loc, x, "booleans have no sums");
  }
  for (size_t k = 0; k < q->n_ranges; k++) {
    if (q->ranges[k].seq == x->seq) {
      refuse(ctx, loc, x, "a range is assumed of their sum");
    }
  }
}

static rebuilding start(sp_ctx *ctx, const sp_program *p, becoming *of) {
  return (rebuilding){.ctx = ctx, .p = p, .of = of};
}

/* The given tensors that are partial: what becomes of them in both programs. */
static bool find(sp_ctx *ctx, const sp_problem *q, sp_loc loc, becoming *seq,
                 becoming *dist) {
  bool any = false;
  bool *met = sp_alloc_n(ctx, q->seq->n_tensors + 1u, sizeof *met);
  for (size_t i = 0; i < q->n_given; i++) {
    const sp_placed *x = &q->given[i];
    if (met[x->seq] && (is_partial(x) || seq[x->seq].slices > 0)) {
      refuse(ctx, loc, x, "several tensors hold it");
    }
    met[x->seq] = true;
    if (!is_partial(x)) {
      continue;
    }
    check(ctx, q, i, loc);
    any = true;
    const char *a = q->seq->tensors[x->seq].name;
    const char *b = q->dist->tensors[x->dist].name;
    seq[x->seq] =
        (becoming){x->layout->groups->start[1], meanings[x->layout->partial],
                   sp_format(ctx, "addends of %s", a)};
    dist[x->dist] = (becoming){1, only, sp_format(ctx, "addend of %s", b)};
  }
  return any;
}

void sp_spec_addends(sp_ctx *ctx, sp_problem *q, sp_loc loc) {
  becoming *seq = sp_alloc_n(ctx, q->seq->n_tensors + 1u, sizeof *seq);
  becoming *dist = sp_alloc_n(ctx, q->dist->n_tensors + 1u, sizeof *dist);
  if (!find(ctx, q, loc, seq, dist)) {
    return;
  }
  rebuilding a = start(ctx, q->seq, seq), b = start(ctx, q->dist, dist);
  q->seq = rebuild(&a);
  q->dist = rebuild(&b);
  sp_placed *given = sp_alloc_n(ctx, q->n_given, sizeof *given);
  for (size_t i = 0; i < q->n_given; i++) {
    given[i] = q->given[i];
    given[i].seq = a.from[given[i].seq];
    given[i].dist = b.from[given[i].dist];
    given[i].layout = is_partial(&q->given[i])
                          ? layout_of(ctx, q->given[i].layout)
                          : q->given[i].layout;
  }
  sp_placed *promised = sp_alloc_n(ctx, q->n_promised + 1, sizeof *promised);
  for (size_t i = 0; i < q->n_promised; i++) {
    promised[i] = q->promised[i];
    promised[i].seq = a.to[promised[i].seq];
    promised[i].dist = b.to[promised[i].dist];
  }
  sp_range_given *ranges = sp_alloc_n(ctx, q->n_ranges + 1, sizeof *ranges);
  for (size_t i = 0; i < q->n_ranges; i++) {
    ranges[i] = q->ranges[i];
    ranges[i].seq = a.to[ranges[i].seq];
  }
  q->given = given;
  q->promised = promised;
  q->ranges = ranges;
}
