/* fault.c: read spi_find_fault. */
#include "solve/fault.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "encode/meaning.h"
#include "solve/clamp.h"
#include "solve/disagree.h"
#include "solve/draw.h"
#include "solve/fit.h"
#include "solve/misplaced.h"
#include "solve/repair.h"
#include "solve/repair_input.h"
#include "solve/sample.h"
#include "solve/span.h"

typedef struct search {
  sp_state *s;
  spi_fitter *fit;
  sp_machine *dist;
  bool *wrong;      /* on the way to the wrong result, and fits nothing */
  bool *serves;     /* something that was proved is computed of it */
  uint64_t *served; /* where such tensors read, as hashes, sorted */
  size_t n_served;
} search;

static const sp_node *node_of(const search *f, uint32_t t) {
  const sp_program *d = f->s->dist_program;
  return &d->nodes[d->tensors[t].node];
}

static bool is_given(const search *f, uint32_t t) {
  const char *how = f->s->dist[t].how;
  return how && (strcmp(how, "input") == 0 || strcmp(how, "given") == 0);
}

/* Does each of a tensor's indices lead along one dimension of what is read? An
 * index that is split up over several rearranges more than a cut does. */
static bool reads_along(const search *f, uint32_t t) {
  const dist_tensor *w = &f->s->dist[t];
  uint32_t n = f->s->dist_program->tensors[t].shape.n_dims;
  for (uint32_t d = 0; d < n; d++) {
    uint32_t times = 0;
    for (uint32_t k = 0; k < sp_n_args(f->s->pool, w->relation); k++) {
      times += sp_has_free(f->s->pool, sp_arg(f->s->pool, w->relation, k),
                           w->idx[d]);
    }
    if (times > 1) {
      return false;
    }
  }
  return true;
}

/* Elements of an input, each at the place that a kernel's formula says: how the
 * author cuts it, often in a way that no placement has (a zigzag). */
static bool is_stated_cut(const search *f, uint32_t t) {
  const sp_node *node = node_of(f, t);
  sp_expr relation = f->s->dist[t].relation;
  return strcmp(node->op, SP_KERNEL_OP) == 0 && node->n_in == 1 &&
         is_given(f, node->in[0]) && relation.v &&
         sp_kind_of(f->s->pool, relation) == SP_KIND_READ && reads_along(f, t);
}

/* Does the term depend on which element it is? */
static bool mentions_own_index(const search *f, uint32_t t, sp_expr e) {
  const dist_tensor *w = &f->s->dist[t];
  uint32_t n = f->s->dist_program->tensors[t].shape.n_dims;
  for (uint32_t d = 0; d < n; d++) {
    if (sp_kind_of(f->s->pool, w->idx[d]) == SP_KIND_VAR &&
        sp_has_free(f->s->pool, e, w->idx[d])) {
      return true;
    }
  }
  return false;
}

/* Is it a sequential tensor only where a condition of its own holds (a mask)?
 * Not what differs by rank: stages of a pipeline. */
static bool has_own_choice(const search *f, uint32_t t) {
  const dist_tensor *w = &f->s->dist[t];
  const sp_node *node = node_of(f, t);
  for (uint32_t i = 0; i < node->n_in; i++) {
    if (!f->s->dist[node->in[i]].relation.v) {
      return false; /* the condition may be that of an operand */
    }
  }
  return w->seq && w->relation.v &&
         sp_kind_of(f->s->pool, w->relation) == SP_KIND_ITE &&
         mentions_own_index(f, t, sp_arg(f->s->pool, w->relation, 0));
}

static bool is_read(const search *f, uint32_t t) {
  sp_expr e = f->s->dist[t].relation;
  return e.v && sp_kind_of(f->s->pool, e) == SP_KIND_READ;
}

/* A view whose elements lie apart (heads of all batches on a rank) fits no
 * sequential tensor, and neither do addends. Where something is computed of
 * them that is a sequential tensor, cut like one, they are right: that was
 * proved of them as they are. */
static void mark_serving(search *f) {
  const sp_program *d = f->s->dist_program;
  for (uint32_t i = d->n_nodes; i-- > 0;) {
    const sp_node *node = &d->nodes[i];
    bool good = false;
    for (uint32_t t = node->out; t < node->out + node->n_out; t++) {
      sp_sym of;
      spi_cut cuts[SP_MAX_DIMS];
      good = good || f->serves[t] ||
             (f->s->dist[t].seq && is_read(f, t) &&
              spi_placement_of(f->s, t, &of, cuts));
    }
    for (uint32_t k = 0; good && k < node->n_in; k++) {
      f->serves[node->in[k]] = true;
    }
  }
}

/* A hash of the places that a relation reads. */
static uint64_t places(const search *f, uint32_t t) {
  sp_expr e = f->s->dist[t].relation;
  uint64_t h = 1;
  for (uint32_t i = 0; i < sp_n_args(f->s->pool, e); i++) {
    h = spi_draw_mix(h, sp_arg(f->s->pool, e, i).v);
  }
  return h;
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void find_served_places(search *f) {
  uint32_t n = f->s->dist_program->n_tensors;
  f->served = sp_alloc_n(f->s->ctx, n + 1u, sizeof *f->served);
  for (uint32_t t = 0; t < n; t++) {
    if (f->serves[t] && is_read(f, t)) {
      f->served[f->n_served++] = places(f, t);
    }
  }
  qsort(f->served, f->n_served, sizeof *f->served, by_value);
}

/* Does it read as one that serves does, in another layer say? */
static bool is_like_serving(const search *f, uint32_t t) {
  if (!is_read(f, t)) {
    return false;
  }
  uint64_t key = places(f, t);
  return bsearch(&key, f->served, f->n_served, sizeof key, by_value) != NULL;
}

/* A number times elements of a sequential tensor: proved, or its definition. */
static bool is_scaled(const search *f, uint32_t t) {
  const dist_tensor *w = &f->s->dist[t];
  sp_pool *p = f->s->pool;
  sp_expr e = w->relation.v ? w->relation : w->def;
  return e.v && sp_kind_of(p, e) == SP_KIND_ADD && sp_n_args(p, e) == 1 &&
         sp_kind_of(p, sp_arg(p, e, 0)) == SP_KIND_READ;
}

/* Nothing to hold against it: proved, or its values are those of something. */
static bool is_right(search *f, uint32_t t) {
  const dist_tensor *w = &f->s->dist[t];
  if ((w->seq && !has_own_choice(f, t)) || f->serves[t] || is_given(f, t) ||
      is_stated_cut(f, t)) {
    return true;
  }
  if (w->relation.v && !sp_has_read(f->s->pool, w->relation)) {
    return true; /* of the rank alone: see is_suspicious */
  }
  return node_of(f, t)->n_in == 0 ||
         spi_fit_of(f->fit, t).kind != SPI_FIT_NONE || is_scaled(f, t) ||
         is_like_serving(f, t);
}

/* Has the sequential program one like it, with which it does not agree? A
 * tensor of a form that it has none of (a maximum so far) is none of its own
 * in a right program, too. */
static bool is_refuted(const search *f, uint32_t t) {
  return f->s->dist[t].nearest || has_own_choice(f, t);
}

/* Only moved what is there before. */
static bool is_view(const search *f, uint32_t t) {
  const dist_tensor *w = &f->s->dist[t];
  return w->how && strcmp(w->how, "view") == 0;
}

/* In place of a tensor that is not: the first that is refuted, has operands
 * that are right, or moved at most, and is computed without it. */
static uint32_t refuted_beside(search *f, uint32_t first) {
  const sp_program *d = f->s->dist_program;
  bool *below = sp_alloc_n(f->s->ctx, d->n_tensors + 1u, sizeof *below);
  for (uint32_t t = 0; t < d->n_tensors && !is_refuted(f, first); t++) {
    const sp_node *node = node_of(f, t);
    bool moved = true;
    below[t] = t == first;
    for (uint32_t i = 0; i < node->n_in; i++) {
      uint32_t u = node->in[i];
      below[t] = below[t] || below[u];
      moved = moved && (!f->wrong[u] || is_view(f, u));
    }
    if (f->wrong[t] && moved && !below[t] && is_refuted(f, t)) {
      return t;
    }
  }
  return first;
}

/* Mark the wrong tensors above the result. The first one whose operands are all
 * right is where things go wrong, or another one that is refuted. */
static uint32_t first_wrong(search *f, uint32_t result) {
  const sp_program *d = f->s->dist_program;
  bool *seen = sp_alloc_n(f->s->ctx, d->n_tensors + 1u, sizeof *seen);
  SP_VEC(uint32_t) work = {0};
  uint32_t first = result;
  sp_push(f->s->ctx, &work, result);
  seen[result] = true;
  while (work.n) {
    uint32_t t = work.v[--work.n];
    const sp_node *node = node_of(f, t);
    bool all_right = true;
    f->wrong[t] = true;
    for (uint32_t i = 0; i < node->n_in; i++) {
      uint32_t u = node->in[i];
      if (is_right(f, u)) {
        continue;
      }
      all_right = false;
      if (!seen[u]) {
        seen[u] = true;
        sp_push(f->s->ctx, &work, u);
      }
    }
    if (all_right && (t < first || !seen[first])) {
      first = t;
    }
  }
  return first == result ? first : refuted_beside(f, first);
}

/* ---- sentences ---- */

static const char *seq_name(const search *f, uint32_t v) {
  return f->s->seq_program->tensors[v].name;
}

static const char *dist_name(const search *f, uint32_t t) {
  return f->s->dist_program->tensors[t].name;
}

static const char *place(const search *f, uint32_t t) {
  const sp_pos *pos = &node_of(f, t)->pos;
  return pos->source_file ? sp_format(f->s->ctx, " (%s:%u)", pos->source_file,
                                      pos->source_line)
                          : "";
}

static bool is_collective(const sp_node *node) {
  return strstr(node->op, "all-reduce") || strstr(node->op, "all_reduce") ||
         strstr(node->op, "reduce-scatter") ||
         strstr(node->op, "reduce_scatter");
}

/* An operand that is a partial sum of something. */
static bool partial_operand(search *f, const sp_node *node, uint32_t *operand,
                            spi_fit *fit) {
  for (uint32_t i = 0; i < node->n_in; i++) {
    *fit = spi_fit_of(f->fit, node->in[i]);
    if (fit->kind == SPI_FIT_PARTIAL && !f->s->dist[node->in[i]].seq) {
      *operand = node->in[i];
      return true;
    }
  }
  return false;
}

/* The first of a chain of partial sums that ends here. */
static uint32_t partial_origin(search *f, uint32_t t) {
  for (;;) {
    spi_fit fit;
    uint32_t u;
    if (!partial_operand(f, node_of(f, t), &u, &fit)) {
      return t;
    }
    t = u;
  }
}

static const char *partials(const spi_fit *fit) {
  return fit->maximum ? "maxima" : "sums";
}

/* Has it a NaN among its values? */
static bool holds_nan(search *f, uint32_t t) {
  int64_t n = sp_machine_has(f->dist, t) ? sp_machine_count(f->dist, t) : 0;
  sp_span ranks = sp_machine_ranks_of(f->dist, t);
  for (int64_t k = 0; k < ranks.n && n > 0; k++) {
    const double *v = sp_machine_values(f->dist, t, spi_span_at(ranks, k));
    for (int64_t i = 0; i < n; i++) {
      if (isnan(v[i])) {
        return true;
      }
    }
  }
  return false;
}

/* Its values are not those that the result should have; its operands' may be
 * right. */
static const char *odd_values(search *f, uint32_t t, uint32_t wanted) {
  sp_ctx *ctx = f->s->ctx;
  const sp_node *node = node_of(f, t);
  spi_fit other = spi_fit_of(f->fit, t);
  if (other.kind == SPI_FIT_WHOLE && other.seq != wanted) {
    return sp_format(ctx,
                     "%s%s is returned, and holds what %s of the sequential "
                     "program does; it should be %s",
                     dist_name(f, t), place(f, t), seq_name(f, other.seq),
                     seq_name(f, wanted));
  }
  bool nan = holds_nan(f, t);
  for (uint32_t i = 0; i < node->n_in; i++) {
    nan = nan && !holds_nan(f, node->in[i]);
  }
  if (nan) {
    return sp_format(ctx,
                     "%s%s is the first tensor on the way to the wrong result "
                     "with a NaN%s",
                     dist_name(f, t), place(f, t),
                     node->n_in ? ": its operands have none" : "");
  }
  return sp_format(ctx,
                   "%s%s is the first tensor on the way to the wrong result "
                   "whose values are those of no sequential tensor%s",
                   dist_name(f, t), place(f, t),
                   node->n_in ? ", though its operands' are" : "");
}

/* ---- scales ---- */

/* A sum, or parts that are put together. */
static bool joins(const search *f, uint32_t t) {
  sp_expr e = f->s->dist[t].def;
  sp_kind kind = e.v ? sp_kind_of(f->s->pool, e) : SP_KIND_READ;
  return kind == SP_KIND_ITE ||
         (kind == SP_KIND_ADD && sp_n_args(f->s->pool, e) > 1);
}

static uint32_t scaled_operand(search *f, uint32_t t, uint32_t *n) {
  const sp_node *node = node_of(f, t);
  uint32_t found = SP_NO_TENSOR;
  *n = 0;
  for (uint32_t i = 0; i < node->n_in; i++) {
    if (is_scaled(f, node->in[i])) {
      found = found == SP_NO_TENSOR ? node->in[i] : found;
      ++*n;
    }
  }
  return found;
}

/* Of what joins a number times a sequential tensor with what has no such
 * number: where it comes from. Else t. */
static uint32_t scale_origin(search *f, uint32_t t) {
  uint32_t n, from = scaled_operand(f, t, &n);
  if (n == 0 || n == node_of(f, t)->n_in || !joins(f, t)) {
    return t;
  }
  while (from != SP_NO_TENSOR) {
    t = from;
    from = scaled_operand(f, t, &n);
  }
  return t;
}

static const char *sentence(search *f, uint32_t t, uint32_t wanted,
                            const sp_report *report) {
  sp_ctx *ctx = f->s->ctx;
  const sp_node *node = node_of(f, t);
  spi_fit own = spi_fit_to(f->fit, t, wanted), operand;
  uint32_t u, output = report->counterexample->output;
  if (own.kind == SPI_FIT_PARTIAL) {
    return sp_format(
        ctx,
        "%s%s holds partial %s of %s over %s, and the result is promised "
        "%s: an all-reduce is missing after it",
        dist_name(f, t), place(f, t), partials(&own), seq_name(f, wanted),
        spi_fitter_group_text(f->fit, own.grouping),
        report->outputs[output].promised);
  }
  bool returned = t == f->s->problem->promised[output].dist;
  if (own.kind == SPI_FIT_NONE && is_scaled(f, t) && !returned) {
    return sp_format(ctx,
                     "%s%s is a number times %s, and is joined with what is "
                     "not: something is summed or scaled once too often, or "
                     "not at all",
                     dist_name(f, t), place(f, t),
                     f->s->dist[t].seq ? seq_name(f, f->s->dist[t].seq - 1)
                                       : "a sequential tensor");
  }
  if (own.kind == SPI_FIT_SCALED) {
    return sp_format(ctx,
                     "%s%s is %g times %s: something is summed or scaled once "
                     "too often, or not at all",
                     dist_name(f, t), place(f, t), own.factor,
                     seq_name(f, wanted));
  }
  if (partial_operand(f, node, &u, &operand)) {
    if (is_collective(node)) {
      return sp_format(ctx,
                       "%s%s does not give %s: its operand %s holds partial "
                       "%s over %s; look at its groups and its operation",
                       dist_name(f, t), place(f, t), seq_name(f, operand.seq),
                       dist_name(f, u), partials(&operand),
                       spi_fitter_group_text(f->fit, operand.grouping));
    }
    return sp_format(ctx,
                     "%s%s uses %s, which holds partial %s of %s over %s: an "
                     "all-reduce is missing before it",
                     dist_name(f, t), place(f, t), dist_name(f, u),
                     partials(&operand), seq_name(f, operand.seq),
                     spi_fitter_group_text(f->fit, operand.grouping));
  }
  return odd_values(f, t, wanted);
}

/* A rank's own index arithmetic that is that of no sequential tensor, though
 * one of its shape is there: an offset gone wrong. */
static bool is_suspicious(search *f, uint32_t t) {
  const sp_program *p = f->s->seq_program;
  const sp_tensor *w = &f->s->dist_program->tensors[t];
  const dist_tensor *known = &f->s->dist[t];
  if (!sp_dtype_is_int(w->shape.dtype) || w->shape.n_dims == 0 ||
      node_of(f, t)->n_in == 0 || !known->relation.v ||
      !sp_has_free(f->s->pool, known->relation, f->s->rank) ||
      !mentions_own_index(f, t, known->relation) ||
      sp_has_read(f->s->pool, known->relation) ||
      spi_fit_of(f->fit, t).kind != SPI_FIT_NONE) {
    return false;
  }
  for (uint32_t v = 0; v < p->n_tensors; v++) {
    if (spi_fit_could(f->fit, t, v)) {
      return true;
    }
  }
  return false;
}

static uint32_t first_suspicious(search *f, uint32_t wrong) {
  const sp_program *d = f->s->dist_program;
  bool *seen = sp_alloc_n(f->s->ctx, d->n_tensors + 1u, sizeof *seen);
  SP_VEC(uint32_t) work = {0};
  uint32_t first = wrong;
  sp_push(f->s->ctx, &work, wrong);
  while (work.n) {
    uint32_t t = work.v[--work.n];
    const sp_node *node = node_of(f, t);
    if (is_suspicious(f, t) && t < first) {
      first = t;
    }
    for (uint32_t i = 0; i < node->n_in; i++) {
      uint32_t u = node->in[i];
      if (!seen[u] && !f->s->dist[u].seq) {
        seen[u] = true;
        sp_push(f->s->ctx, &work, u);
      }
    }
  }
  return first;
}

/* As the dump has it: without the rank, or the calls that it was inlined
 * through. */
static const char *own_name(const sp_tensor *t) {
  const char *name = t->own ? t->own : t->name;
  const char *slash = strrchr(name, '/');
  return slash ? slash + 1 : name;
}

/* A wrong loop: the first tensor of its body that the proof could not relate,
 * on the way to a carried tensor that it could not keep. */
static void inside_loop(search *f, const sp_program **program, uint32_t *t,
                        const char **text) {
  const sp_node *node = node_of(f, *t);
  for (size_t i = 0; i < f->s->kept.n; i++) {
    sp_state *body = f->s->kept.v[i].state;
    if (strcmp(f->s->kept.v[i].name, node->name) != 0) {
      continue;
    }
    uint32_t first = spi_first_unrelated(body);
    if (first == UINT32_MAX) {
      return;
    }
    *program = body->dist_program;
    *t = first;
    *text = sp_format(f->s->ctx,
                      "in the body of %s, %s is the first tensor that could "
                      "not be related to the sequential loop's body",
                      node->name, (*program)->tensors[first].name);
    return;
  }
}

/* A verified repair is the best explanation: it takes the place of guesses. */
static bool mended(search *f, spi_bench *b, uint32_t wrong, uint32_t result,
                   const sp_program **program, const sp_node **node,
                   const char **text) {
  spi_mend mend;
  if (!spi_find_mend(b, f->fit, wrong, result, &mend)) {
    return false;
  }
  *program = mend.program;
  *node = &mend.program->nodes[mend.node];
  const sp_pos *pos = &(*node)->pos;
  const char *at =
      pos->source_file
          ? sp_format(f->s->ctx, " (%s:%u)", pos->source_file, pos->source_line)
          : "";
  *text = sp_format(f->s->ctx, "%s%s %s%s",
                    mend.program->tensors[(*node)->out].name, at, mend.text,
                    b->sample ? " (as far as they were computed)" : "");
  return true;
}

/* The first of the wrong tensors that is a slice moved back into its tensor. */
static const char *with_clamp(search *f, const char *text) {
  for (uint32_t t = 0; t < f->s->dist_program->n_tensors; t++) {
    const char *moved =
        f->wrong[t] ? spi_clamped_text(f->s->ctx, f->dist, t) : NULL;
    if (moved) {
      return sp_format(f->s->ctx, "%s; %s", text, moved);
    }
  }
  return text;
}

/* The ranks may have missed that the sequential program moves a slice. */
static const char *with_sequential_clamp(search *f, sp_machine *seq,
                                         const char *text) {
  for (uint32_t t = 0; t < f->s->seq_program->n_tensors; t++) {
    const char *moved = sp_machine_ranks(seq) == 1 && sp_machine_has(seq, t)
                            ? spi_clamped_text(f->s->ctx, seq, t)
                            : NULL;
    if (moved) {
      return sp_format(f->s->ctx, "%s; %s", text, moved);
    }
  }
  return text;
}

static const char *with_misplaced(spi_bench *b, const sp_counterexample *c,
                                  const char *text) {
  const char *moved = spi_misplaced_text(b, c->output, c->rank);
  return moved ? sp_format(b->s->ctx, "%s; %s", text, moved) : text;
}

/* BEFORE itself is to blame: nothing in AFTER is looked at. */
static const sp_fault *fault_before(sp_state *s, spi_bench *b,
                                    uint32_t result) {
  spi_disagreement x;
  if (!spi_find_disagreement(b, result, &x)) {
    return NULL;
  }
  const sp_program *p = s->seq_program;
  const sp_node *node = &p->nodes[p->tensors[x.tensor].node];
  sp_fault *fault = sp_alloc(s->ctx, sizeof *fault);
  *fault = (sp_fault){.before = true,
                      .name = own_name(&p->tensors[x.tensor]),
                      .op = node->op,
                      .pos = node->pos,
                      .sentence = x.text};
  return fault;
}

const sp_fault *spi_find_fault(sp_state *s, const sp_report *report,
                               spi_bench *b) {
  const sp_placed *x = &s->problem->promised[report->counterexample->output];
  const sp_fault *own = fault_before(s, b, x->seq);
  if (own) {
    return own;
  }
  search f = {.s = s, .dist = b->dist};
  const spi_bench *seen = spi_sample_widened(b);
  f.fit = spi_fitter_new(s, seen->seq, seen->dist);
  f.wrong =
      sp_alloc_n(s->ctx, s->dist_program->n_tensors + 1u, sizeof *f.wrong);
  f.serves =
      sp_alloc_n(s->ctx, s->dist_program->n_tensors + 1u, sizeof *f.serves);
  mark_serving(&f);
  find_served_places(&f);
  uint32_t t = scale_origin(&f, first_wrong(&f, x->dist));
  uint32_t odd = first_suspicious(&f, t);
  const char *text =
      odd == t ? sentence(&f, t, x->seq, report)
               : sp_format(s->ctx,
                           "%s%s computes indices that belong to no tensor of "
                           "the sequential program: look at the rank's offset",
                           dist_name(&f, odd), place(&f, odd));
  const char *nearest = s->dist[t].nearest;
  spi_fit operand;
  uint32_t u;
  if (odd == t && partial_operand(&f, node_of(&f, t), &u, &operand) &&
      !is_collective(node_of(&f, t))) {
    odd = partial_origin(&f, u);
  }
  const sp_program *program = s->dist_program;
  const sp_node *node = NULL;
  spi_blame blame;
  /* Sampled, repairs take long: only where there is nothing better to say. */
  bool guess = odd == t && spi_fit_to(f.fit, t, x->seq).kind == SPI_FIT_NONE &&
               !partial_operand(&f, node_of(&f, t), &u, &operand);
  if ((!b->sample || guess) &&
      mended(&f, b, t, x->dist, &program, &node, &text)) {
    odd = node->out;
  } else if (!b->sample &&
             spi_blame_input(b, t, report->counterexample->output, &blame)) {
    odd = blame.tensor;
    node = &program->nodes[program->tensors[odd].node];
    text = blame.text;
  } else {
    inside_loop(&f, &program, &odd, &text);
    node = &program->nodes[program->tensors[odd].node];
    text = with_sequential_clamp(&f, b->seq, text);
  }
  if (odd == t && spi_fit_to(f.fit, t, x->seq).kind == SPI_FIT_NONE) {
    text = with_misplaced(b, report->counterexample, text);
  }
  sp_fault *fault = sp_alloc(s->ctx, sizeof *fault);
  *fault = (sp_fault){
      .name = own_name(&program->tensors[odd]),
      .op = node->op,
      .pos = node->pos,
      .sentence = with_clamp(&f, text),
      .sequential = nearest,
  };
  return fault;
}
