/* replay.h: the inputs of a counterexample again.
 *
 * CONTRACT. Inputs are hashed from a seed, so a counterexample need not carry
 * them: this draws them anew. The machines hold the inputs of both programs
 * (sp_machine_values, for each rank) and nothing else.
 */
#ifndef SP_SOLVE_REPLAY_H
#define SP_SOLVE_REPLAY_H

#include "solve/check.h"
#include "solve/evaluate.h"

typedef struct sp_replay {
  sp_machine *seq, *dist;
} sp_replay;

/* Raises SP_ERR_INTERNAL where they cannot be drawn, which would mean that the
 * counterexample is not one of this problem. */
sp_replay sp_replay_inputs(sp_ctx *ctx, const sp_problem *problem,
                           const sp_counterexample *c);

#endif
