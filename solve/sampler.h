/* sampler.h: how few elements, of how thin inputs, can be afforded.
 *
 * CONTRACT. A sampler plans runs of one result on some ranks: rung by rung
 * inputs are thinned out, the largest first, until a run takes no more than a
 * share of the budget. What a rung takes is found out in a context of its own,
 * and kept. Internal to solve/.
 */
#ifndef SP_SOLVE_SAMPLER_H
#define SP_SOLVE_SAMPLER_H

#include "solve/bench.h"

typedef struct spi_sampler spi_sampler;

/* Some ranks of many, with the first and the last. False: there are not so many
 * more. */
bool spi_few_ranks(const sp_state *s, sp_span *few);
/* few NULL: of all ranks. */
spi_sampler *spi_sampler_new(sp_state *s, uint32_t output, const sp_span *few);
/* A bench on which the result can be run for a share of the budget, with as few
 * inputs thinned out as possible. NULL: there is none, and *why says so;
 * *hopeless: not even with all inputs as thin as can be, by far. */
spi_bench *spi_affordable(spi_sampler *x, double share, bool made_up,
                          bool *hopeless, const char **why);

#endif
