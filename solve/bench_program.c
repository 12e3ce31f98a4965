/* bench_program.c: read spi_bench_mends_with. */
#include "solve/bench_i.h"

/* What a term of a prepared program takes, in operations. */
static const double PREPARING = 500;

typedef struct trial {
  spi_bench *b;
  const sp_program *program;
  bool mends;
} trial;

static bool try_program(const trial *t, sp_ctx *ctx, sp_pool *pool,
                        sp_machine *beside) {
  spi_bench *b = t->b;
  const spi_sample *x = b->sample;
  sp_counterexample first;
  const char *why;
  sp_machine_options options = spi_bench_options(b);
  options.beside = beside;
  sp_machine *m = sp_machine_new(ctx, pool, t->program, &options);
  if (x) {
    sp_machine_restrict(m, 1, &x->dist, x->n_dist_inputs, x->dist_inputs);
  }
  bool ok = spi_draw_inputs(ctx, b->s->problem, b->mode, b->seed,
                            x ? x->supports : NULL, NULL, m, &why) &&
            (x ? sp_machine_run_to(m, x->dist.tensor) : sp_machine_run(m));
  b->budget -= sp_machine_done(m) + 1000;
  if (ok) {
    spi_bench_difference(b, m, &first);
    ok = first.output == b->s->problem->n_promised;
  }
  sp_machine_empty(m);
  return ok;
}

static void try_apart(sp_ctx *own, void *arg) {
  trial *t = arg;
  sp_pool *pool = sp_pool_new(own);
  t->mends = try_program(t, own, pool, NULL);
  t->b->budget -= PREPARING * (double)sp_pool_size(pool);
}

/* Preparing a sampled run takes far more memory than the run does. Nothing but
 * the machine allocates. */
static bool mends_apart(trial *t) {
  spi_bench *b = t->b;
  sp_machine *dist = b->dist;
  bool ran = sp_apart(b->s->ctx, try_apart, t) == SP_OK;
  b->dist = dist;
  b->what_if = false;
  return ran && t->mends;
}

bool spi_bench_mends_with(spi_bench *b, const sp_program *program) {
  trial t = {b, program, false};
  if (b->budget <= 0) {
    return false;
  }
  if (b->sample) {
    return mends_apart(&t);
  }
  return try_program(&t, b->s->ctx, b->s->pool, b->dist);
}
