/* disagree.h: devices that disagree where BEFORE leaves manual mode.
 *
 * CONTRACT. A whole that manual parts return is put together from the blocks of
 * the first ranks that have them (encode/manual.c). Where other ranks that are
 * said to have the same block have other values, BEFORE has no one meaning, and
 * AFTER differs from it whatever the partitioner did. From a run that holds
 * all values of BEFORE, the first such border on the way to a result. Internal
 * to solve/.
 */
#ifndef SP_SOLVE_DISAGREE_H
#define SP_SOLVE_DISAGREE_H

#include "solve/bench.h"

typedef struct spi_disagreement {
  uint32_t tensor;  /* of the sequential program: the whole */
  const char *text; /* for people */
} spi_disagreement;

bool spi_find_disagreement(spi_bench *b, uint32_t result,
                           spi_disagreement *out);

#endif
