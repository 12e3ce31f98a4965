/* fit.h: which sequential tensor do the values of a distributed one look like?
 *
 * CONTRACT. Compares the values of both programs on one set of inputs (they
 * were run on all of it): a distributed tensor FITS a sequential one when its
 * elements are those of it under a placement by coordinates that inputs are
 * cut by, or when its sums or maxima over a group of ranks are. For finding and
 * explaining faults only; nothing is proved by it. Internal to solve/.
 */
#ifndef SP_SOLVE_FIT_H
#define SP_SOLVE_FIT_H

#include "solve/evaluate.h"
#include "solve/state.h"

typedef enum spi_fit_kind {
  SPI_FIT_NONE,
  SPI_FIT_WHOLE,   /* the elements themselves */
  SPI_FIT_PARTIAL, /* their sum, or maximum, over the group */
  SPI_FIT_SCALED,  /* the elements times a factor */
} spi_fit_kind;

typedef struct spi_fit {
  spi_fit_kind kind;
  uint32_t seq;      /* sequential tensor */
  uint32_t grouping; /* PARTIAL: which (spi_fitter_group_text) */
  bool maximum;      /* PARTIAL: of what is seen of it on the ranks */
  double factor;     /* SCALED */
} spi_fit;

typedef struct spi_fitter spi_fitter;

spi_fitter *spi_fitter_new(sp_state *s, sp_machine *seq, sp_machine *dist);
/* Remembered by tensor. */
spi_fit spi_fit_of(spi_fitter *f, uint32_t dist_tensor);
/* Does it fit this sequential tensor, by a factor? */
spi_fit spi_fit_to(spi_fitter *f, uint32_t dist_tensor, uint32_t seq);
/* Could it, by its shape? */
bool spi_fit_could(const spi_fitter *f, uint32_t dist_tensor, uint32_t seq);
/* "all ranks", "the ranks that differ in (rank mod 4)" */
const char *spi_fitter_group_text(spi_fitter *f, uint32_t grouping);
/* The value of a term over the rank alone, by rank; NULL: it has none. */
const int64_t *spi_by_rank(sp_state *s, sp_expr e);
bool spi_close(double a, double b, double scale);

#endif
