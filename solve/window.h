/* window.h: the surroundings of a counterexample, for a picture. Internal to
 * solve/. */
#ifndef SP_SOLVE_WINDOW_H
#define SP_SOLVE_WINDOW_H

#include "solve/bench.h"

/* Fills c->window from the bench's last run, where c was found. */
void spi_window_around(spi_bench *b, sp_counterexample *c);

#endif
