/* repeated.h: elements that a sequential tensor repeats inside of a dimension.
 *
 * CONTRACT. Keys that all heads share are computed for each head: dimension
 * heads * width, of which the head does not count. Such elements get one name:
 * what a distributed program computes once is that, whichever head reads it.
 */
#ifndef SP_SOLVE_REPEATED_H
#define SP_SOLVE_REPEATED_H

#include "solve/state.h"

/* The digit of index d that tensor t, which is defined, does not depend on:
 * proved of its raw definition. n == 0: there is none. */
spi_digit spi_repeated_digit(sp_state *s, uint32_t t, uint32_t d);

/* The index with 0 for the digit. It stays inside, or outside, of a dimension
 * whose size is a multiple of stride * n. */
sp_expr spi_without_digit(sp_pool *p, sp_expr i, spi_digit g);

#endif
