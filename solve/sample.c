/* sample.c: read spi_look_in_samples. */
#include "solve/sample.h"

#include <string.h>

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
  uint32_t times = 0;
  int modes = x->cheap && f->share > SHARES[0] ? 1 : SPI_DRAW_MODES;
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

/* Those that are open, and that depend on little first: they cost less. */
static void choose_results(search *f) {
  uint32_t size[MAX_RESULTS];
  for (uint32_t k = 0; k < f->s->problem->n_promised; k++) {
    bool open = !f->report || !f->report->outputs[k].proved;
    if (f->n_results == MAX_RESULTS || !open ||
        !f->s->problem->promised[k].layout) {
      continue;
    }
    uint32_t n = nodes_above(f->s, k), at = f->n_results++;
    for (; at > 0 && size[at - 1] > n; at--) {
      size[at] = size[at - 1];
      f->results[at] = f->results[at - 1];
    }
    size[at] = n;
    f->results[at] = k;
  }
}

/* Where there is no hope for the first one there is little for others: they
 * are looked at when the share is all. */
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
