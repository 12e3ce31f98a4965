/* doubt.c: a few cheap runs before anything is proved.
 *
 * Where the programs differ on drawn inputs no proof will be found, and looking
 * for one takes long: terms of what is unrelated grow. Then little is proved,
 * enough to say where. And a proof is over the reals: that the distributed
 * program has no value (0 * inf, a maximum that keeps -inf) where the
 * sequential one has one is seen here alone.
 */
#include "solve/witness.h"

/* Of the budget of a run. */
static const double SHARE = 0.05;
static const double MAX_INPUT_BYTES = 16e6;

typedef struct doubting {
  sp_state *s;
  bool found;
} doubting;

static void run(sp_ctx *ctx, void *arg) {
  (void)ctx;
  doubting *d = arg;
  sp_counterexample c = {0};
  uint32_t times = 0;
  const char *why = NULL;
  spi_bench *b = spi_bench_new(d->s, NULL, false);
  for (int mode = 0;
       mode < SPI_DRAW_MODES && !d->found && !why && b->spent <= b->budget;
       mode++) {
    d->found = spi_hunt(b, (spi_draw_mode)mode, 1, &c, &times, &why);
  }
}

bool spi_doubt(sp_state *s) {
  const sp_check_options *options = s->options;
  if (options->run_budget < 0 || spi_input_bytes(s) > MAX_INPUT_BYTES) {
    return false;
  }
  sp_check_options few = *options;
  few.run_budget = SHARE * (options->run_budget > 0 ? options->run_budget
                                                    : SP_CHECK_RUN_BUDGET);
  doubting d = {s, false};
  s->options = &few;
  bool ran = sp_protect(s->ctx, run, &d) == SP_OK;
  s->options = options;
  return ran && d.found;
}
