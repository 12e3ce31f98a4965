/* draw.h: numbers for the inputs of both programs.
 *
 * CONTRACT. Sequential inputs come from hashing (seed, tensor, position), in
 * their assumed ranges; distributed ones are cut from them as the problem's
 * layouts say, padding is junk that differs by rank. Reals are sixteenths, so
 * that short sums and products are exact. Internal to solve/.
 */
#ifndef SP_SOLVE_DRAW_H
#define SP_SOLVE_DRAW_H

#include "solve/evaluate.h"
#include "solve/problem.h"

typedef enum spi_draw_mode {
  SPI_DRAW_SPREAD,   /* reals in [-2, 2], integers anywhere in their range */
  SPI_DRAW_ENDS,     /* integers at the ends of their range and beyond what
                        shapes suggest where no range is given */
  SPI_DRAW_TIES,     /* integers and reals of two values */
  SPI_DRAW_POSITIVE, /* reals in (0, 2] */
  SPI_DRAW_RARE, /* among reals in [-2, 2] larger ones, the larger the fewer:
                    parts of much have maxima that differ */
  SPI_DRAW_NEGATIVE, /* reals in [-2, 0): a maximum that is padded with 0 */
  SPI_DRAW_APART,    /* integers that differ, as what is written by index */
  SPI_DRAW_MODES,
} spi_draw_mode;

/* Samples look at few indices of each dimension; integers of many equal values
 * are spots of their range there, so that what they select is looked at. */
enum { SPI_DRAW_SPOTS = 8, SPI_DRAW_TIED = 4 };

/* An index out of the k-th eighth of an extent; of the last one the last, where
 * what does not divide is lost. Tied (where integers select what is read): at
 * the same fraction of all extents, so that a spot of n blocks of m, div m, is
 * that spot of n. Else extents differ: what a rank owns is often right where it
 * is what others own that is mixed up. */
int64_t spi_draw_spot(int64_t extent, int64_t k, bool tied);

/* Those that make a difference: the last one does where integers are drawn. */
int spi_draw_modes(const sp_problem *problem);
const char *spi_draw_mode_text(spi_draw_mode mode);
/* Set the inputs of both machines (seq may be NULL), as far as they store them.
 * supports: by sequential tensor, where it may be other than zero (NULL:
 * anywhere). False: a layout cannot be cut from numbers (unknown, or partial
 * results given); *why says which. */
bool spi_draw_inputs(sp_ctx *ctx, const sp_problem *problem, spi_draw_mode mode,
                     uint64_t seed, const sp_span *const *supports,
                     sp_machine *seq, sp_machine *dist, const char **why);
uint64_t spi_draw_mix(uint64_t h, uint64_t x); /* a hash */
/* Sequential index of local index j along dimension d on the rank. */
/* Does every rank have all of it? */
bool spi_layout_is_whole(const sp_layout *l);
int64_t spi_layout_index(const sp_layout *l, uint32_t d, int64_t rank,
                         int64_t j);
/* Of all dimensions: the sequential element at[d] that the rank holds at its
 * element local[d]. False: it is padding. */
bool spi_layout_at(const sp_layout *l, const sp_shape *global, int64_t rank,
                   const int64_t *local, int64_t *at);

#endif
