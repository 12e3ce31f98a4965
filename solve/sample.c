/* sample.c: read spi_look_in_samples. */
#include "solve/sample.h"

#include <stdlib.h>
#include <string.h>

#include "solve/lost.h"
#include "solve/sampler.h"
#include "solve/witness.h"

enum { MAX_RESULTS = 8 }; /* that are looked at */
/* Of the budget, for one run: what is cheap is tried first. */
static const double SHARES[] = {0.02, 0.15, 1};

static const char *inputs_text(const spi_bench *b, const char *mode) {
  const sp_program *p = b->s->seq_program;
  sp_str text = {0};
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    if (b->sample->supports[t]) {
      sp_str_addf(b->s->ctx, &text, "%s%s", text.n ? ", " : "",
                  p->tensors[t].name);
    }
  }
  return text.n ? sp_format(b->s->ctx, "%s; zero but for a few indices: %s",
                            mode, text.v)
                : mode;
}

typedef struct sampled {
  uint32_t output;
  bool few; /* not all ranks */
  spi_sampler *sampler;
} sampled;

typedef struct search {
  sp_state *s;
  const sp_report *report;
  double share; /* of the budget */
  spi_samples *x;
  sp_counterexample *out;
  bool hopeless; /* what was looked at last */
  uint32_t n_results, results[MAX_RESULTS];
  SP_VEC(sampled) samplers; /* so far */
} search;

/* One result. */
static void look(search *f, spi_sampler *at) {
  spi_samples *x = f->x;
  spi_bench *b =
      spi_affordable(at, f->share, x->made_up, &f->hopeless, &x->why);
  f->hopeless = f->hopeless || !b; /* for this share */
  uint32_t times = 0;
  int modes =
      x->cheap && f->share > SHARES[0] ? 1 : spi_draw_modes(f->s->problem);
  for (int mode = 0; b && mode < modes; mode++) {
    const char *trouble = NULL;
    if (spi_hunt(b, (spi_draw_mode)mode, 1, f->out, &times, &trouble)) {
      f->out->inputs = inputs_text(b, f->out->inputs);
      f->out->sampled = true;
      x->found = b;
      return;
    }
    if (trouble) {
      x->why = trouble;
      x->unknown = x->unknown || b->unknown;
      return;
    }
  }
  if (b && !b->ran) {
    x->why = b->broken;
  }
}

static void look_on_ranks(search *f, uint32_t output, const sp_span *few) {
  for (size_t i = 0; i < f->samplers.n; i++) {
    const sampled *at = &f->samplers.v[i];
    if (at->output == output && at->few == (few != NULL)) {
      look(f, at->sampler);
      return;
    }
  }
  sampled new = {output, few != NULL, spi_sampler_new(f->s, output, few)};
  sp_push(f->s->ctx, &f->samplers, new);
  look(f, new.sampler);
}

/* Most faults show on any rank: what a few of many need is cheaper. */
static void look_at_result(search *f, uint32_t output) {
  const sp_layout *promised = f->s->problem->promised[output].layout;
  sp_span few;
  if (spi_few_ranks(f->s, &few) && promised->partial == SP_PARTIAL_NONE) {
    look_on_ranks(f, output, &few);
    if (f->x->cheap || f->x->found || f->x->unknown || f->hopeless) {
      return;
    }
  }
  look_on_ranks(f, output, NULL);
}

/* Nodes that the result depends on. */
static uint32_t nodes_above(const sp_state *s, uint32_t output) {
  const sp_program *p = s->dist_program;
  sp_mark mark = sp_scratch_mark(s->ctx);
  bool *above = sp_scratch(s->ctx, p->n_nodes + 1u);
  memset(above, 0, p->n_nodes + 1u);
  above[p->tensors[s->problem->promised[output].dist].node] = true;
  uint32_t found = 0;
  for (uint32_t i = p->n_nodes; i-- > 0;) {
    found += above[i];
    for (uint32_t k = 0; above[i] && k < p->nodes[i].n_in; k++) {
      above[p->tensors[p->nodes[i].in[k]].node] = true;
    }
  }
  sp_scratch_release(s->ctx, mark);
  return found;
}

/* Results in order: those in which what the proof has lost first would show,
 * then those that it has not related, then others. */
enum { SHOWS, UNRELATED, RELATED };

static void classify_results(const search *f, uint8_t *class) {
  const sp_state *s = f->s;
  const sp_problem *p = s->problem;
  sp_mark mark = sp_scratch_mark(s->ctx);
  bool *shows = sp_scratch(s->ctx, p->dist->n_tensors + 1u);
  spi_first_lost(s, shows);
  for (size_t k = 0; k < p->n_promised; k++) {
    uint32_t t = p->promised[k].dist;
    bool related = s->dist && s->dist[t].relation.v;
    class[k] = shows[t] ? SHOWS : related ? RELATED : UNRELATED;
  }
  sp_scratch_release(s->ctx, mark);
}

typedef struct ranked {
  uint32_t result;
  uint32_t class, size;
} ranked;

static int by_rank(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->class != y->class) {
    return x->class < y->class ? -1 : 1;
  }
  if (x->size != y->size) {
    return x->size < y->size ? -1 : 1;
  }
  return (x->result > y->result) - (x->result < y->result);
}

/* Those that are open; of one class those that depend on little first: they
 * cost less. What is early in the program does, and of a few it is counted. */
static void choose_results(search *f) {
  const sp_problem *p = f->s->problem;
  sp_mark mark = sp_scratch_mark(f->s->ctx);
  uint8_t *class = sp_scratch(f->s->ctx, p->n_promised + 1);
  ranked *v = sp_scratch(f->s->ctx, (p->n_promised + 1) * sizeof *v);
  uint32_t n = 0;
  classify_results(f, class);
  for (uint32_t k = 0; k < p->n_promised; k++) {
    bool open = !f->report || !f->report->outputs[k].proved;
    if (open && p->promised[k].layout) {
      uint32_t node = p->dist->tensors[p->promised[k].dist].node;
      v[n++] = (ranked){k, class[k], node};
    }
  }
  qsort(v, n, sizeof *v, by_rank);
  n = n < MAX_RESULTS ? n : MAX_RESULTS;
  for (uint32_t i = 0; i < n; i++) {
    v[i].size = nodes_above(f->s, v[i].result);
  }
  qsort(v, n, sizeof *v, by_rank);
  for (uint32_t i = 0; i < n; i++) {
    f->results[i] = v[i].result;
  }
  f->n_results = n;
  sp_scratch_release(f->s->ctx, mark);
}

/* Where the first one takes too much the others, which are no more likely to
 * show a difference, or depend on more, are looked at when the share is all. */
static void look_at_results(search *f) {
  for (uint32_t i = 0; i < f->n_results && !f->x->found; i++) {
    look_at_result(f, f->results[i]);
    if (i == 0 && f->hopeless && f->share < 1) {
      return;
    }
  }
}

void spi_look_in_samples(sp_state *s, const sp_report *report, spi_samples *x,
                         sp_counterexample *out) {
  if (s->problem->ranked) {
    x->why = x->why ? x->why : "the programs are too large to run";
    return;
  }
  search f = {.s = s, .report = report, .x = x, .out = out};
  size_t n = sizeof SHARES / sizeof *SHARES;
  choose_results(&f);
  for (size_t i = 0; i < n && !x->found; i++) {
    if (i > 1 && x->cheap && !x->why) {
      return; /* it was run, and again with more that is not zero */
    }
    x->why = NULL;
    f.share = SHARES[i];
    look_at_results(&f);
  }
}
