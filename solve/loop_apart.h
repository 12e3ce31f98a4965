/* loop_apart.h: the sequential program with the loops taken apart that the
 * distributed one has no counterpart of.
 *
 * CONTRACT. Looked at when a check failed: a loop that was not used as a
 * counterpart, and has no closed form (loop_closed.h), is replaced by its body,
 * once for each step, up to SPI_UNROLL_MAX steps; the problem is then stated
 * over this program and checked again. With parts in manual mode used loops are
 * replaced, too. Other unused loops are marked, so that
 * their closed forms become definitions. The conditions of what was unrolled
 * are in the new program: that each holds or fails as the number of steps says
 * has to be proved (spi_apart_proved) before anything is concluded from it.
 * Internal to solve/.
 */
#ifndef SP_SOLVE_LOOP_APART_H
#define SP_SOLVE_LOOP_APART_H

#include "solve/state.h"

typedef struct spi_condition {
  uint32_t tensor;
  bool value; /* what it must be */
} spi_condition;

typedef struct spi_apart {
  const sp_program *program;
  const uint32_t *now; /* by tensor of the program before: that of this one */
  sp_problem problem;
  const bool *open; /* by sequential node: a loop to be defined */
  size_t n_conditions;
  const spi_condition *conditions;
} spi_apart;

/* NULL: nothing is left to take apart. s: the failed check. */
const spi_apart *spi_loops_apart(sp_state *s);
/* The sequential program of s alone (a loop's body); `problem` is not set. */
const spi_apart *spi_region_apart(sp_state *s);
/* s: the state over the new problem, before anything is propagated. */
bool spi_apart_proved(sp_state *s, const spi_apart *a);

#endif
