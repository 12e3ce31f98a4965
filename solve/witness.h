/* witness.h: looking for inputs on which the programs differ.
 *
 * CONTRACT. Called when a proof failed. Both programs are run, in double
 * precision, on a few sets of inputs; a result that differs from its promise by
 * far more than rounding, and does so again on other inputs, is a
 * counterexample. Then the place and the kind of the fault are guessed. Finding
 * nothing says nothing. Internal to solve/.
 */
#ifndef SP_SOLVE_WITNESS_H
#define SP_SOLVE_WITNESS_H

#include "solve/bench.h"
#include "solve/check.h"
#include "solve/state.h"

/* Sets report->verdict, counterexample, fault where a difference was found;
 * else report->not_run says why nothing was run, or stays NULL. */
void spi_look_for_witness(sp_state *s, sp_report *report);

/* Do a few cheap runs differ? */
bool spi_doubt(sp_state *s);
/* From now on proofs are watched: once much was not proved, do runs in part
 * differ? Then little is proved. Asked twice at most, and not where cheap
 * runs could be made. */
void spi_doubt_later(sp_state *s);
/* The same, if it was not asked yet: do they differ? */
bool spi_doubt_now(sp_state *s);

/* Values of all inputs, in bytes. */
double spi_input_bytes(const sp_state *s);

/* A part of the search, also for tests: some seeds from `first` on in one mode.
 * True when the same result differed on two runs (*times counts them) by more
 * than rounding may do: *out is of the second, which the bench holds. False:
 * not yet, or *why says why nothing was run. */
bool spi_hunt(spi_bench *b, spi_draw_mode mode, uint64_t first,
              sp_counterexample *out, uint32_t *times, const char **why);

#endif
