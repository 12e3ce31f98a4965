/* witness.c: read spi_look_for_witness. */
#include "solve/witness.h"

#include "solve/fault.h"

/* Seeds tried in each mode at first; more rounds of as many follow while they
 * are cheap: a difference may need one input at one end of its range. */
enum { SEEDS = 3, ROUNDS = 6 };

bool spi_hunt(spi_bench *b, spi_draw_mode mode, uint64_t first,
              sp_counterexample *out, uint32_t *times, const char **why) {
  for (uint64_t seed = first; seed < first + SEEDS; seed++) {
    sp_counterexample here = {0};
    if (!spi_bench_run(b, mode, seed, why)) {
      return false;
    }
    if (spi_bench_differs(b, &here)) {
      if (*times && here.output != out->output) {
        continue;
      }
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
static double input_bytes(const sp_state *s) {
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

/* Beyond this the programs are not run: their real sizes are for machines. */
static const double MAX_INPUT_BYTES = 256e6;

void spi_look_for_witness(sp_state *s, sp_report *report) {
  double bytes = input_bytes(s);
  if (bytes > MAX_INPUT_BYTES) {
    report->not_run = sp_format(
        s->ctx,
        "the inputs alone take %.0f MB; check the same model with smaller "
        "sizes to get a counterexample",
        bytes / 1e6);
    return;
  }
  spi_bench *b = spi_bench_new(s);
  sp_counterexample *c = sp_alloc(s->ctx, sizeof *c);
  uint32_t times = 0;
  for (uint64_t round = 0; round < ROUNDS; round++) {
    for (int mode = 0; mode < SPI_DRAW_MODES; mode++) {
      const char *why = NULL;
      if (round && b->spent > b->budget) {
        return;
      }
      if (spi_hunt(b, (spi_draw_mode)mode, 1 + SEEDS * round, c, &times,
                   &why)) {
        c->confirmed = true;
        report->verdict = SP_VIOLATION;
        report->counterexample = c;
        report->fault = spi_find_fault(s, report, b);
        return;
      }
      if (why) {
        report->not_run = why;
        return;
      }
    }
  }
}
