/* repair_step.c: in which step of a loop a fault shows first. The body as it is
 * and the mended one run side by side, each step from the same carried values,
 * until what they return differs. */
#include <string.h>

#include "solve/mender.h"

enum { MAX_STEPS = 100000 };

typedef struct steps {
  spi_mender *m;
  const sp_program *body;
  sp_machine *as_is, *mended;
  double **carried; /* by tensor: all ranks */
  int64_t *n;       /* elements on one rank */
} steps;

static bool run(const steps *x, sp_machine *machine, const sp_program *body) {
  int64_t ranks = x->m->s->dist_program->partitions;
  double before = sp_machine_done(machine);
  sp_machine_reset(machine);
  for (uint32_t k = 0; k < body->n_params; k++) {
    for (int64_t r = 0; r < ranks; r++) {
      sp_machine_set_input(machine, body->params[k], r,
                           x->carried[k] + r * x->n[k]);
    }
  }
  bool ok = sp_machine_run(machine);
  x->m->b->budget -= sp_machine_done(machine) - before + 1000;
  return ok;
}

/* Carry what the body as it is returns; does the mended one return another? */
static bool differ(const steps *x, const sp_program *mended) {
  int64_t ranks = x->m->s->dist_program->partitions;
  bool differs = false;
  for (uint32_t k = 0; k < x->body->n_results; k++) {
    size_t bytes = (size_t)x->n[k] * sizeof(double);
    for (int64_t r = 0; r < ranks; r++) {
      const double *a = sp_machine_values(x->as_is, x->body->results[k], r);
      const double *b = sp_machine_values(x->mended, mended->results[k], r);
      differs |= memcmp(a, b, bytes) != 0;
      memcpy(x->carried[k] + r * x->n[k], a, bytes);
    }
  }
  return differs;
}

int64_t spi_first_step(spi_mender *m, const sp_program *mended) {
  sp_ctx *ctx = m->s->ctx;
  const sp_program *d = m->s->dist_program;
  const sp_node *loop = &d->nodes[m->loop];
  sp_mark mark = sp_scratch_mark(ctx);
  sp_machine_options options = {.budget_ops = m->b->budget};
  steps x = {.m = m, .body = m->program};
  x.carried = sp_scratch(ctx, (loop->n_in + 1) * sizeof *x.carried);
  x.n = sp_scratch(ctx, (loop->n_in + 1) * sizeof *x.n);
  for (uint32_t k = 0; k < loop->n_in; k++) {
    x.n[k] = sp_shape_elements(&d->tensors[loop->in[k]].shape);
    size_t bytes = (size_t)x.n[k] * sizeof(double);
    x.carried[k] = sp_scratch(ctx, (size_t)d->partitions * bytes + 1);
    for (int64_t r = 0; r < d->partitions; r++) {
      memcpy(x.carried[k] + r * x.n[k],
             sp_machine_values(m->b->dist, loop->in[k], r), bytes);
    }
  }
  x.as_is = sp_machine_new(ctx, m->s->pool, x.body, &options);
  x.mended = sp_machine_new(ctx, m->s->pool, mended, &options);
  int64_t found = -1;
  for (int64_t step = 0; found < 0 && step < MAX_STEPS; step++) {
    if (m->b->budget <= 0 || !run(&x, x.as_is, x.body) ||
        !run(&x, x.mended, mended)) {
      break;
    }
    found = differ(&x, mended) ? step : -1;
  }
  sp_scratch_release(ctx, mark);
  return found;
}
