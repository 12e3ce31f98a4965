/* bench_i.h: inside of a bench, for what is asked of it. Inside solve/ only. */
#ifndef SP_SOLVE_BENCH_I_H
#define SP_SOLVE_BENCH_I_H

#include "solve/bench.h"

sp_machine_options spi_bench_options(const spi_bench *b);
/* The first difference of what this machine computed; its output is past all
 * results when there is none. */
void spi_bench_difference(spi_bench *b, sp_machine *m,
                          sp_counterexample *first);

#endif
