/* probe.h: what a prover remembers of its probes (sp_probe_equal and others in
 * solve/prove.h): values of terms at places, looked up before a term is
 * evaluated again. Internal to solve/. */
#ifndef SP_SOLVE_PROBE_H
#define SP_SOLVE_PROBE_H

#include "solve/prove.h"

typedef struct spi_probes spi_probes;

/* Empty; of the context. */
spi_probes *spi_probes_new(sp_ctx *ctx);

spi_probes *sp_prover_probes(sp_prover *pr);

/* A goal is false for values for which the hypotheses are true: for
 * sp_solver_try_first, user is the prover. */
bool spi_fails_somewhere(void *user, uint32_t n_hyps, const sp_expr *hyps,
                         sp_expr goal);
/* The same in many places: for what is false in few, and worth the time. */
bool spi_fails_rarely(sp_prover *pr, sp_expr goal);

#endif
