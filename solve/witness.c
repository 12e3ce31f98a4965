/* witness.c: read spi_look_for_witness. */
#include "solve/witness.h"

#include "solve/fault.h"
#include "solve/sample.h"
#include "solve/window.h"

/* Seeds tried in each mode at first; more rounds of as many follow while they
 * are cheap: a difference may need one input at one end of its range. */
enum { SEEDS = 3, ROUNDS = 6 };

bool spi_hunt(spi_bench *b, spi_draw_mode mode, uint64_t first,
              sp_counterexample *out, uint32_t *times, const char **why) {
  for (uint64_t seed = first; seed < first + SEEDS; seed++) {
    sp_counterexample here = {0};
    if (!spi_bench_run(b, mode, seed, why)) {
      if (*why) {
        return false;
      }
      continue; /* other inputs may keep what the programs promise */
    }
    bool again = *times && spi_bench_differs_in(b, out->output, &here);
    if (again || spi_bench_differs(b, &here)) {
      *times = again ? *times : 0; /* another result is counted anew */
      *out = here;
      out->seed = seed;
      out->mode = (uint32_t)mode;
      out->inputs = spi_draw_mode_text(mode);
      ++*times;
    }
    if (*times == 2) {
      return true; /* the bench holds this run */
    }
  }
  return false;
}

/* Values of all inputs, in bytes; drawn before anything is run. */
double spi_input_bytes(const sp_state *s) {
  double n = 0;
  for (size_t i = 0; i < s->problem->n_given; i++) {
    const sp_placed *x = &s->problem->given[i];
    const sp_program *d = s->dist_program;
    n += (double)sp_shape_elements(&s->seq_program->tensors[x->seq].shape);
    n += (double)d->partitions *
         (double)sp_shape_elements(&d->tensors[x->dist].shape);
  }
  return n * sizeof(double);
}

/* Beyond this the programs are not run whole; beyond the other a cheap sample
 * comes first. */
static const double MAX_INPUT_BYTES = 256e6, CHEAP_INPUT_BYTES = 32e6;

static void found(sp_state *s, sp_report *report, spi_bench *b,
                  sp_counterexample *c) {
  const char *seq = sp_machine_made_up(b->seq);
  c->confirmed = true;
  c->drawn = sp_machine_drawn(b->dist) ? sp_machine_drawn(b->dist)
                                       : sp_machine_drawn(b->seq);
  c->made_up = seq ? seq : sp_machine_made_up(b->dist);
  report->verdict = SP_VIOLATION;
  report->counterexample = c;
  report->not_run = NULL;
  if (!c->sampled) {
    spi_window_around(b, c);
  }
  report->fault = spi_find_fault(s, report, b);
}

/* Sets x->why where the programs were not run. */
static void look_with(sp_state *s, spi_bench *b, spi_samples *x,
                      sp_counterexample *c) {
  uint32_t times = 0;
  int modes = spi_draw_modes(s->problem);
  for (uint64_t round = 0; round < ROUNDS; round++) {
    for (int mode = 0; mode < modes; mode++) {
      if (round && b->spent > b->budget) {
        return;
      }
      if (spi_hunt(b, (spi_draw_mode)mode, 1 + SEEDS * round, c, &times,
                   &x->why)) {
        x->found = b;
        return;
      }
      if (x->why) {
        x->unknown = b->unknown;
        return;
      }
    }
  }
}

static void look_at_whole(sp_state *s, spi_samples *x, sp_counterexample *c) {
  spi_bench *b = spi_bench_new(s, NULL, x->made_up);
  look_with(s, b, x, c);
  if (!b->ran && !x->why) {
    x->why = b->broken;
  }
}

/* What was seen while proving is there already. */
static bool is_known(const sp_state *s, spi_samples *x, sp_counterexample *c) {
  if (!s->difference || x->made_up) {
    return false;
  }
  *c = s->difference->c;
  x->found = s->difference->bench;
  x->found->budget = spi_bench_budget(s);
  return true;
}

static void look_at_parts(sp_state *s, const sp_report *report, spi_samples *x,
                          sp_counterexample *c) {
  *c = (sp_counterexample){0};
  spi_look_in_samples(s, report, x, c);
}

/* True: a difference was found, or the programs could be run. */
static bool look(sp_state *s, sp_report *report, sp_counterexample *c,
                 spi_samples *x) {
  double bytes = spi_input_bytes(s);
  bool known = is_known(s, x, c), whole = !known && bytes <= MAX_INPUT_BYTES;
  if (whole && bytes > CHEAP_INPUT_BYTES) {
    spi_samples few = {.made_up = x->made_up, .cheap = true};
    look_at_parts(s, report, &few, c);
    x->found = few.found;
  }
  if (whole && !x->found) {
    *c = (sp_counterexample){0};
    look_at_whole(s, x, c);
  }
  if (!x->found && (!whole || x->why)) {
    look_at_parts(s, report, x, c);
  }
  if (x->found) {
    found(s, report, x->found, c);
  }
  return x->found || !x->why;
}

void spi_look_for_witness(sp_state *s, sp_report *report) {
  sp_counterexample *c = sp_alloc(s->ctx, sizeof *c);
  spi_samples as_known = {0}, made_up = {.made_up = true};
  if (look(s, report, c, &as_known)) {
    return;
  }
  report->not_run = as_known.why;
  if (as_known.unknown && look(s, report, c, &made_up)) {
    return;
  }
}
