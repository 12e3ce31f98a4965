/* division.h: inside encode/: quotients and rests of one formula.
 *
 * CONTRACT. spi_divide() gives integer constants q and m with the facts
 * x = c*q + m, 0 <= m < c asserted: they exist and are unique, q = floor(x/c).
 * Solvers do not see how the divisions of one term belong together, so more
 * facts are asserted where one divisor divides the other, c and d = k*c:
 *
 *   floor(x/c) = k * floor(x/d) + t, 0 <= t < k
 *
 * and the t is at the same time floor(x/c) mod k and (x mod d) div c. LEMMA
 * (why this is true): floor(floor(x/c)/k) = floor(x/(c*k)), so t is a rest by
 * k; and x mod d = x - d*floor(x/d) = c*(floor(x/c) - k*floor(x/d)) + x mod c
 * = c*t + x mod c with 0 <= x mod c < c. Divisions of quotients and rests
 * become divisions of what these came from, so that they meet: mixed-radix
 * digits are one chain (measured: docs/obligations.md).
 * Every quotient and rest that is given out has this one meaning, whatever
 * else was asserted.
 *
 * Nothing is asserted where arithmetic says what they are (residue.h): q is a
 * number where the range of x holds no other, and multiples of c come out of
 * x. LEMMA: floor((c*z + y) / c) = z + floor(y/c) for an integer z, and the
 * rest is that of y. So terms that are equal by their coefficients modulo c
 * have one rest, which solvers find hard (a random number generator's
 * (1103515245*(a + b) + 12345) mod 2^31, multiplied out or not).
 */
#ifndef SP_ENCODE_DIVISION_H
#define SP_ENCODE_DIVISION_H

#include "encode/formula.h"

typedef struct spi_divisions spi_divisions;
spi_divisions *spi_divisions_new(sp_ctx *ctx);
void spi_divisions_begin(spi_divisions *d, sp_formula *f);
/* lo <= t <= hi is asserted of this term, which is no operation. */
void spi_divisions_within(spi_divisions *d, sp_smt t, int64_t lo, int64_t hi);
/* c > 0 */
void spi_divide(spi_divisions *d, sp_smt x, int64_t c, sp_smt *quotient,
                sp_smt *rest);

#endif
