/* describe.h: what the report says of the distributed tensors.
 *
 * CONTRACT. Called once, when everything is related: lists the tensors of the
 * program and of its loop bodies with their relations by kind, the cuts of
 * shards, the sequential tensors behind them and, where the options ask for
 * it, what was proved. Decides nothing. Internal to solve/.
 */
#ifndef SP_SOLVE_DESCRIBE_H
#define SP_SOLVE_DESCRIBE_H

#include "solve/check.h"
#include "solve/state.h"

/* Fills tensors and coordinates. */
void spi_describe(sp_state *s, sp_report *report);

#endif
