/* repair.h: which change of one operator makes all results right?
 *
 * CONTRACT. Tries likely changes (other groups, operation, sources or order of
 * a collective, one more or one less, other constants, operand orders,
 * directions of comparisons, axes) on the tensors above a wrong one, and runs
 * the distributed program again. A change that makes every result right on two
 * sets of inputs names the fault and its mend. Operators in the body of a loop
 * are tried, too. Internal to solve/.
 */
#ifndef SP_SOLVE_REPAIR_H
#define SP_SOLVE_REPAIR_H

#include "solve/bench.h"
#include "solve/fit.h"

typedef struct spi_mend {
  const sp_program *program; /* the distributed one, or a loop's body */
  uint32_t node;             /* of it */
  const char *text; /* "sums over ...; over ... all results are right" */
} spi_mend;

/* wrong: the tensor that seems to be wrong first, result: the wrong result.
 * Afterwards the bench holds the run that it held before. */
bool spi_find_mend(spi_bench *b, spi_fitter *fit, uint32_t wrong,
                   uint32_t result, spi_mend *out);

#endif
