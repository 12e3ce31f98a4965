/* doubt.c: a few cheap runs before anything is proved.
 *
 * Where the programs differ on drawn inputs no proof will be found, and looking
 * for one takes long: terms of what is unrelated grow. Then little is proved,
 * enough to say where. And a proof is over the reals: that the distributed
 * program has no value (0 * inf, a maximum that keeps -inf) where the
 * sequential one has one is seen here alone.
 *
 * Programs that are too large for that are run in part (solve/sample.h), which
 * costs more: not before the proof is in trouble.
 */
#include "solve/sample.h"
#include "solve/witness.h"

/* Of the budget of a run. */
static const double SHARE = 0.05, SHARE_LATER = 0.2;
static const double MAX_INPUT_BYTES = 16e6;

/* Obligations that were not proved, of these such that took all the time there
 * is, Z3's steps for them, and terms. A proof that is found has seldom more; a
 * cheap sample takes less than these. No clock: what is tried does not depend
 * on what else the machine does. */
enum { MANY_FAILED = 60, MANY_TIRED = 2, MANY_TERMS = 400000 };
enum { MANY_STEPS = 500000 };

typedef struct doubting {
  sp_state *s;
  bool found;
  bool not_run;
} doubting;

static void run(sp_ctx *ctx, void *arg) {
  (void)ctx;
  doubting *d = arg;
  sp_counterexample c = {0};
  uint32_t times = 0;
  const char *why = NULL;
  spi_bench *b = spi_bench_new(d->s, NULL, false);
  for (int mode = 0;
       mode < SPI_DRAW_RARE && !d->found && !why && b->spent <= b->budget;
       mode++) {
    d->found = spi_hunt(b, (spi_draw_mode)mode, 1, &c, &times, &why);
  }
  d->s->ran = why == NULL;
}

static void sample(sp_ctx *ctx, void *arg) {
  doubting *d = arg;
  spi_difference *found = sp_alloc(ctx, sizeof *found);
  spi_samples x = {.cheap = true};
  d->not_run = true;
  spi_look_in_samples(d->s, NULL, &x, &found->c);
  d->not_run = x.why != NULL;
  d->found = x.found != NULL;
  if (d->found) {
    found->bench = x.found;
    d->s->difference = found;
  }
}

/* The same in another form of the programs. Where they differ it is this form
 * that is not to be proved any more. */
static void sample_otherwise(sp_ctx *ctx, void *arg) {
  doubting *d = arg;
  sp_state *s = d->s, *x = sp_alloc(ctx, sizeof *x);
  const sp_problem *problem = s->options->otherwise(ctx, s->options->form);
  if (!problem) {
    return;
  }
  x->ctx = ctx;
  x->pool = s->pool;
  x->options = s->options;
  x->problem = problem;
  x->seq_program = problem->seq;
  x->dist_program = problem->dist;
  sp_counterexample c = {0};
  spi_samples y = {.cheap = true};
  spi_look_in_samples(x, NULL, &y, &c);
  d->found = y.found != NULL;
}

static doubting doubt(sp_state *s, double share,
                      void (*look)(sp_ctx *ctx, void *arg)) {
  const sp_check_options *options = s->options;
  sp_check_options few = *options;
  few.run_budget = share * spi_bench_budget(s);
  doubting d = {.s = s};
  s->options = &few;
  if (sp_protect(s->ctx, look, &d) != SP_OK) {
    d.found = false;
  }
  s->options = options;
  return d;
}

bool spi_doubt(sp_state *s) {
  return s->options->run_budget >= 0 && spi_input_bytes(s) <= MAX_INPUT_BYTES &&
         doubt(s, SHARE, run).found;
}

static bool in_trouble(const sp_state *s) {
  const sp_solver_stats *z = sp_solver_statistics(s->solver);
  return z->failed >= MANY_FAILED || z->tired >= MANY_TIRED ||
         z->steps_failed >= MANY_STEPS || sp_pool_size(s->pool) >= MANY_TERMS;
}

/* About the whole programs: while a loop's body is walked the state shows that
 * body as if it were the program. */
static void watch(void *user) {
  sp_state *s = user;
  if (s->ran || !in_trouble(s)) {
    return;
  }
  s->ran = true;
  sp_mode mode = sp_pool_mode(s->pool, SP_MODE_NORMAL);
  const sp_program *walked = s->dist_program;
  s->dist_program = s->problem->dist;
  doubting d = doubt(s, SHARE_LATER, sample);
  s->dist_program = walked;
  if (d.not_run && s->options->otherwise) {
    s->in_vain = doubt(s, SHARE_LATER, sample_otherwise).found;
  }
  if (d.found) {
    spi_hasten(s);
  }
  if (s->in_vain) {
    sp_prover_deadline(s->prover, 0, 0);
  }
  sp_pool_mode(s->pool, mode);
}

void spi_doubt_later(sp_state *s) {
  bool may = s->options->run_budget >= 0;
  sp_prover_watch(s->prover, may ? watch : NULL, s);
}
