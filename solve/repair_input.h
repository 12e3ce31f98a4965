/* repair_input.h: would another cut of an input make a result right?
 *
 * CONTRACT. Where no change of an operator mends a wrong program, what is said
 * of its inputs may be wrong: a fused weight taken for plain chunks, two axes
 * exchanged, chunks in another order. Tries these for the inputs nearest to a
 * wrong tensor. A guess, confirmed on two sets of inputs. Internal to solve/.
 */
#ifndef SP_SOLVE_REPAIR_INPUT_H
#define SP_SOLVE_REPAIR_INPUT_H

#include "solve/bench.h"

typedef struct spi_blame {
  uint32_t tensor;  /* distributed: the input */
  const char *text; /* "result 0 is right if the input w, ..." */
} spi_blame;

/* wrong: the tensor that seems to be wrong first; result: the number of the
 * first wrong result. Afterwards the bench holds the run that it held before.
 */
bool spi_blame_input(spi_bench *b, uint32_t wrong, uint32_t result,
                     spi_blame *out);

#endif
