/* repair.h: is one constant to blame?
 *
 * CONTRACT. Replaces constants near a wrong tensor by likely values (neighbours,
 * sizes, constants of the sequential program, coordinates of the rank) and runs
 * the distributed program again. A change that makes every result right names
 * the fault and its mend. Internal to solve/.
 */
#ifndef SP_SOLVE_REPAIR_H
#define SP_SOLVE_REPAIR_H

#include "solve/evaluate.h"
#include "solve/state.h"

/* Runs with this tensor's values replaced (the same on all ranks): are all
 * results right? */
typedef bool (*spi_trial)(void *env, uint32_t tensor, const double *values);

typedef struct spi_mend {
  uint32_t tensor;    /* the constant */
  const char *was, *becomes;
} spi_mend;

bool spi_find_mend(sp_state *s, uint32_t wrong, sp_machine *dist,
                   spi_trial trial, void *env, spi_mend *out);

#endif
