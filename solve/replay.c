/* replay.c: what spi_bench_run does, without running. */
#include "solve/replay.h"

#include "solve/draw.h"

sp_replay sp_replay_inputs(sp_ctx *ctx, const sp_problem *problem,
                           const sp_counterexample *c) {
  sp_pool *pool = sp_pool_new(ctx);
  sp_machine_options options = {.sequential = !problem->ranked};
  sp_replay r = {
      .seq = sp_machine_new(ctx, pool, problem->seq, &options),
      .dist = sp_machine_new(ctx, pool, problem->dist, NULL),
  };
  const char *why = "";
  if (!spi_draw_inputs(ctx, problem, (spi_draw_mode)c->mode, c->seed, NULL,
                       r.seq, r.dist, &why)) {
    sp_raise(ctx, SP_ERR_INTERNAL, sp_nowhere(), NULL,
             "the inputs of the counterexample cannot be drawn again: %s", why);
  }
  return r;
}
