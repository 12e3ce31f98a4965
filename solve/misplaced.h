/* misplaced.h: does a rank hold what another one should?
 *
 * CONTRACT. Compares what the ranks hold of a wrong result, in the last run of
 * a bench, with what each of them should: a shard taken of the wrong place, an
 * exchange in the wrong order. For explaining faults only. Internal to solve/.
 */
#ifndef SP_SOLVE_MISPLACED_H
#define SP_SOLVE_MISPLACED_H

#include "solve/bench.h"

/* "all ranks hold what rank 0 should"; NULL: the wrong rank holds no other
 * one's, or that is not looked at (samples, many ranks). */
const char *spi_misplaced_text(spi_bench *b, size_t result, int64_t wrong);

#endif
