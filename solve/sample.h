/* sample.h: counterexamples of programs that are too large to run.
 *
 * CONTRACT. Of one unproved result after the other a few elements are computed
 * by both programs, and nothing but what these need. Where that is still too
 * much, large inputs are zero but for a few indices of their largest
 * dimensions: what is multiplied by zero is not computed. The inputs are as
 * good as any others, and both programs are run on them in full, as far as they
 * are not zero: a difference is a counterexample like that of a whole run.
 * Internal to solve/.
 */
#ifndef SP_SOLVE_SAMPLE_H
#define SP_SOLVE_SAMPLE_H

#include "solve/bench.h"

typedef struct spi_samples {
  bool made_up; /* as in sp_machine_options */
  bool cheap;   /* what takes little; where nothing does, a few runs */
  /* out: */
  spi_bench *found; /* the bench that holds a run on which a result differs */
  bool unknown;     /* of some function no values are known */
  const char *why;  /* why nothing was run, or NULL */
} spi_samples;

/* A difference that was found, and the bench that holds its run. */
typedef struct spi_difference {
  spi_bench *bench;
  sp_counterexample c;
} spi_difference;

/* *out: the difference, if there is one. report NULL: of any result. */
void spi_look_in_samples(sp_state *s, const sp_report *report, spi_samples *x,
                         sp_counterexample *out);

/* The same elements on all ranks, run on the same inputs: sums over groups are
 * seen there. The bench itself, where it has all of them or that costs too
 * much. */
spi_bench *spi_sample_widened(spi_bench *b);

#endif
