/* check.c: read sp_check, from the bottom up. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "solve/check.h"

#include "solve/describe.h"
#include "solve/layers.h"
#include "solve/loop_apart.h"
#include "solve/narrow.h"
#include "solve/state.h"
#include "solve/witness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Loops in loops in loops. */
enum { MAX_APART = 3 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void spi_assumption(void *state, const char *sentence) {
  sp_state *s = state;
  for (size_t i = 0; i < s->assumptions.n; i++) {
    if (strcmp(s->assumptions.v[i], sentence) == 0) {
      return;
    }
  }
  sp_push(s->ctx, &s->assumptions, sp_strdup(s->ctx, sentence));
}

/* ---- shared index variables ---- */

const sp_expr *spi_index_vars(sp_state *s, const sp_shape *shape) {
  sp_expr *idx = sp_alloc_n(s->ctx, shape->n_dims + 1u, sizeof *idx);
  for (uint32_t d = 0; d < shape->n_dims; d++) {
    int64_t extent = shape->dims[d];
    for (size_t i = 0; i < s->index_vars.n && !idx[d].v; i++) {
      const spi_index_var *x = &s->index_vars.v[i];
      if (x->d == d && x->extent == extent) {
        idx[d] = x->var;
      }
    }
    if (!idx[d].v) {
      char name[16];
      snprintf(name, sizeof name, "i%u", d);
      idx[d] = sp_var(s->pool, SP_VAR_INDEX, sp_strdup(s->ctx, name), extent);
      sp_push(s->ctx, &s->index_vars, ((spi_index_var){d, extent, idx[d]}));
    }
  }
  return idx;
}

/* ---- inputs ---- */

static void relate_given(sp_state *s, const sp_placed *given) {
  const sp_tensor *global = &s->seq_program->tensors[given->seq];
  dist_tensor *x = &s->dist[given->dist];
  if (given->origin && given->origin->home) {
    s->seq[given->seq].home = given->origin->home;
    spi_assumption(s, "devices that hold copies of an input, as its sharding "
                      "says, hold the same");
  }
  if (!given->layout || given->layout->partial != SP_PARTIAL_NONE) {
    x->opaque = true;
    x->how = given->why ? given->why
                        : "it is given as partial results, of which nothing "
                          "is concluded";
    return;
  }
  sp_expr phi[SP_MAX_DIMS], guard;
  spi_layout_map(s, given->layout, &global->shape, x->idx, phi, &guard);
  sp_expr read = spi_seq_symbol(s, given->seq, phi);
  sp_expr idx[SP_MAX_DIMS + 1];
  idx[0] = s->rank;
  uint32_t n = s->dist_program->tensors[given->dist].shape.n_dims;
  for (uint32_t k = 0; k < n; k++) {
    idx[k + 1] = x->idx[k];
  }
  sp_expr junk = sp_read(s->pool, x->sym, idx);
  x->relation = sp_ite(s->pool, guard, read, junk);
  x->how = given->assumed ? "given" : "input";
  if (given->assumed) {
    spi_assumption(s, sp_format(s->ctx, "%s is cut as %s (given)", given->name,
                                given->layout->text));
  }
}

static void assume_ranges(sp_state *s) {
  spi_assumption(s, "values are real numbers: rounding, overflow and NaN are "
                    "left out");
  for (size_t i = 0; i < s->problem->n_ranges; i++) {
    const sp_range_given *r = &s->problem->ranges[i];
    sp_sym_set_range(s->pool, s->seq[r->seq].sym, r->lo, r->hi - 1);
    sp_sym_set_gaps(s->pool, s->seq[r->seq].sym, r->n_gaps, r->gaps);
    spi_assumption(s, r->text);
  }
  for (size_t i = 0; i < s->problem->n_notes; i++) {
    spi_assumption(s, s->problem->notes[i]);
  }
}

/* Unsigned integers are never negative, whatever is assumed. */
void spi_natural_ranges(sp_state *s) {
  const sp_program *p = s->seq_program;
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    sp_dtype type = p->tensors[t].shape.dtype;
    if (sp_dtype_is_unsigned(type)) {
      int bits = sp_dtype_bits(type);
      sp_sym_set_range(s->pool, s->seq[t].sym, 0,
                       bits < 63 ? ((int64_t)1 << bits) - 1 : INT64_MAX);
    }
  }
}

/* ---- the report ---- */

/* "opaque:NAME", perhaps with more */
static const char *made_up_text(sp_ctx *ctx, const sp_counterexample *c) {
  const char *name = c->made_up ? strchr(c->made_up, ':') : NULL;
  return name ? sp_format(ctx,
                          ", with a made-up function in place of %s, of which "
                          "nothing is known",
                          name + 1)
              : "";
}

static const char *drawn_text(sp_ctx *ctx, const sp_counterexample *c) {
  return c->drawn ? sp_format(ctx,
                              ", with random numbers (of %s) that are the same "
                              "in equal calls only",
                              c->drawn)
                  : "";
}

static void say(sp_state *s, sp_report *report) {
  size_t open = 0;
  const char *first = "";
  for (size_t i = 0; i < report->n_outputs; i++) {
    if (!report->outputs[i].proved && open++ == 0) {
      first = report->outputs[i].name;
    }
  }
  int64_t merged = s->problem->merged;
  if (merged && report->counterexample) {
    sp_counterexample *own = sp_alloc(s->ctx, sizeof *own);
    *own = *report->counterexample;
    own->rank = s->problem->promised[own->output].rank;
    report->counterexample = own;
  }
  const sp_counterexample *c = report->counterexample;
  report->sentence =
      c ? sp_format(s->ctx,
                    "result %u (%s) is wrong on rank %lld: %s instead of "
                    "%s%s%s; %s",
                    c->output, c->name, (long long)c->rank,
                    sp_number_text(s->ctx, c->dtype, c->got, 9),
                    sp_number_text(s->ctx, c->dtype, c->expected, 9),
                    made_up_text(s->ctx, c), drawn_text(s->ctx, c),
                    report->fault->sentence)
      : open == 0
          ? sp_format(
                s->ctx,
                "the program on %lld partitions computes what the "
                "sequential one does (%zu result%s)",
                (long long)(merged ? merged : s->dist_program->partitions),
                report->n_outputs, report->n_outputs == 1 ? "" : "s")
          : sp_format(s->ctx,
                      "%zu of %zu results could not be related to the "
                      "sequential program, the first is %s%s",
                      open, report->n_outputs, first, s->ended);
}

typedef struct witness_job {
  sp_state *s;
  sp_report *report;
} witness_job;

/* Running is an extra: what goes wrong in it must not lose the report. */
static void look_for_witness(sp_ctx *ctx, void *arg) {
  (void)ctx;
  witness_job *job = arg;
  spi_look_for_witness(job->s, job->report);
}

/* Coordinates by which results are cut: tensors on the way may be, too, where
 * no input is. */
static void learn_promised_cuts(sp_state *s) {
  for (size_t i = 0; i < s->problem->n_promised; i++) {
    const sp_placed *x = &s->problem->promised[i];
    sp_expr phi[SP_MAX_DIMS], guard;
    const sp_shape *global = &s->seq_program->tensors[x->seq].shape;
    if (x->layout) {
      spi_layout_map(s, x->layout, global, s->dist[x->dist].idx, phi, &guard);
      for (uint32_t d = 0; d < global->n_dims; d++) {
        spi_learn_offset(s, x->dist, d, phi[d], global->dims[d]);
      }
    }
  }
}

/* What is known before anything is propagated. Pool, solver, prover are those
 * of `before`, a check of the same programs, if there is one. */
static sp_state *start(sp_ctx *ctx, const sp_problem *problem,
                       const sp_check_options *options, const sp_state *before,
                       const spi_apart *apart) {
  sp_state *s = sp_alloc(ctx, sizeof *s);
  s->ctx = ctx;
  s->options = options;
  s->problem = problem;
  s->seq_program = problem->seq;
  s->dist_program = problem->dist;
  if (before) {
    s->pool = before->pool;
    s->solver = before->solver;
    s->prover = before->prover;
    s->rank = before->rank;
    s->in_part = before->in_part;
  } else {
    s->in_part = sp_alloc(ctx, sizeof *s->in_part);
    sp_solver_options solver = {
        .timeout_ms = options->timeout_ms ? options->timeout_ms : 5000,
        .smt2_dir = options->smt2_dir,
        .log = options->log};
    s->pool = sp_pool_new(ctx);
    s->solver = sp_solver_new(s->pool, &solver);
    s->prover = sp_prover_new(s->pool, s->solver);
    uint32_t mb = options->proof_mb ? options->proof_mb : SP_CHECK_PROOF_MB;
    sp_prover_room(s->prover, (size_t)mb * 1000000);
    uint64_t usual = SP_CHECK_BUDGET_MS +
                     SP_CHECK_TENSOR_MS * (uint64_t)problem->dist->n_tensors;
    usual = usual < UINT32_MAX ? usual : UINT32_MAX;
    sp_prover_budget(s->prover,
                     options->budget_ms ? options->budget_ms : (uint32_t)usual);
    s->rank = sp_var(s->pool, SP_VAR_RANK, "rank", s->dist_program->partitions);
  }
  spi_seq_start(s);
  if (problem->manual) {
    spi_copies(s);
  }
  spi_dist_start(s);
  spi_natural_ranges(s);
  assume_ranges(s);
  for (size_t i = 0; i < problem->n_given; i++) {
    spi_seq_give(s, problem->given[i].seq);
  }
  if (apart) {
    memcpy(s->loop_open, apart->open,
           problem->seq->n_nodes * sizeof *s->loop_open);
  }
  spi_seq_classify(s);
  for (size_t i = 0; i < problem->n_given; i++) {
    relate_given(s, &problem->given[i]);
  }
  learn_promised_cuts(s);
  return s;
}

static sp_report *attempt(sp_state *s) {
  sp_report *report = sp_alloc(s->ctx, sizeof *report);
  spi_doubt_later(s);
  spi_propagate(s);
  spi_outputs(s, report);
  return report;
}

/* The problem with the sequential loops taken apart that s has no use for; NULL
 * when there are none. */
static sp_state *apart(sp_state *s) {
  const spi_apart *a = spi_loops_apart(s);
  sp_state *next = a ? start(s->ctx, &a->problem, s->options, s, a) : NULL;
  return next && spi_apart_proved(next, a) ? next : NULL;
}

/* Which loops have a counterpart is known after an attempt: one that failed is
 * made again without the others. */
static sp_state *attempt_all(sp_state *s, sp_report **report) {
  bool loops = spi_has_loop(s->dist_program);
  sp_state *next = s;
  for (int round = 0; next && !loops && round < MAX_APART; round++) {
    next = apart(s);
    s = next ? next : s;
  }
  *report = attempt(s);
  next = loops ? s : NULL;
  for (int round = 0; round < MAX_APART; round++) {
    bool again = next && (*report)->verdict != SP_REFINES;
    next = again ? apart(next) : NULL;
    sp_report *r = next ? attempt(next) : *report;
    if (next && r->verdict == SP_REFINES) {
      *report = r;
      s = next;
    }
  }
  return s;
}

/* May another attempt prove more? Not where runs differ. */
static bool may_help(sp_state *s, const sp_report *report) {
  return report->verdict != SP_REFINES && !sp_prover_late(s->prover) &&
         !spi_doubt_now(s);
}

static sp_state *start_again(const sp_state *s) {
  sp_state *next = start(s->ctx, s->problem, s->options, s, NULL);
  next->ran = s->ran;
  return next;
}

/* Equal layers are related once, like searches that came to nothing are not
 * made in each, and a tensor may be related on some ranks or inside of a
 * padding only, what it is elsewhere being forgotten. Where that may be why
 * something was not proved, all is looked at, and then such tensors are left
 * without a relation. */
static sp_state *attempt_wisely(sp_state *s, sp_report **report) {
  s->vain = spi_vain_new(s->pool);
  s->layers = s->options->each_layer ? NULL : spi_layers_new(s);
  sp_state *end = attempt_all(s, report);
  bool saved = spi_vain_skipped(s->vain) || spi_layers_used(s->layers);
  if (saved && may_help(end, *report)) {
    end = attempt_all(start_again(end), report);
  }
  if (*s->in_part && may_help(end, *report)) {
    sp_report *whole;
    sp_state *last = start_again(end);
    last->in_part = NULL;
    last = attempt_all(last, &whole);
    if (whole->verdict == SP_REFINES || last->difference) {
      *report = whole;
      end = last;
    }
  }
  return end;
}

/* Why the proof ended before all was tried. */
static const char *ended_text(const sp_state *s) {
  return sp_prover_full(s->prover)
             ? "; the proof took all the memory it may (--memory)"
         : sp_prover_worn(s->prover)
             ? "; the proof took all the work it may (--budget)"
             : "";
}

/* What the attempt says of the tensors and, where it proved too little, what
 * runs say. */
static void conclude(sp_state *s, sp_report *report) {
  s->ended = ended_text(s);
  spi_describe(s, report);
  spi_note_narrow(s);
  const char *const *notes;
  size_t n_notes = sp_pool_notes(s->pool, &notes);
  for (size_t i = 0; i < n_notes; i++) {
    spi_assumption(s, notes[i]);
  }
  if (report->verdict == SP_REFINES || s->options->run_budget < 0) {
    return;
  }
  if (s->in_vain) {
    report->verdict = SP_UNPROVEN;
    report->not_run = "they are run in another form";
    return;
  }
  witness_job job = {s, report};
  double from = now();
  if (sp_protect(s->ctx, look_for_witness, &job) != SP_OK) {
    report->verdict = SP_UNPROVEN;
    report->counterexample = NULL;
    report->fault = NULL;
    report->not_run = sp_strdup(s->ctx, sp_ctx_error(s->ctx)->message);
  }
  s->stats.run_seconds = now() - from;
}

/* Runs differed: is it a violation? */
static sp_report *confirm_doubt(sp_state *s) {
  spi_hasten(s);
  sp_report *report = attempt(s);
  report->verdict = SP_UNPROVEN; /* until the difference is found again */
  conclude(s, report);
  return report->verdict == SP_VIOLATION ? report : NULL;
}

const sp_report *sp_check_problem(sp_ctx *ctx, const sp_problem *problem,
                                  const sp_check_options *options) {
  double begin = now();
  sp_state *s = start(ctx, problem, options, NULL, NULL);
  bool doubted = spi_doubt(s);
  sp_report *report = doubted ? confirm_doubt(s) : NULL;
  if (!report) {
    s = doubted ? start(ctx, problem, options, NULL, NULL) : s;
    s = attempt_wisely(s, &report);
    conclude(s, report);
  }
  say(s, report);
  const sp_solver_stats *z = sp_solver_statistics(s->solver);
  s->stats.seconds = now() - begin;
  s->stats.solver_seconds = z->seconds;
  s->stats.obligations = z->asked;
  s->stats.distinct = z->distinct;
  s->stats.cached = z->cache_hits;
  s->stats.sequential_tensors = s->seq_program->n_tensors;
  s->stats.distributed_tensors = s->dist_program->n_tensors;
  report->stats = s->stats;
  report->n_assumptions = s->assumptions.n;
  report->assumptions = s->assumptions.v;
  return report;
}

const sp_report *sp_check(sp_ctx *ctx, const sp_program *sequential,
                          const sp_program *distributed,
                          const sp_check_options *options) {
  sp_problem problem = sp_problem_of_pair(ctx, sequential, distributed);
  sp_problem_assume(ctx, &problem, options->assume, options->n_assume);
  return sp_check_problem(ctx, &problem, options);
}
