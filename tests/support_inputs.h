/* support_inputs.h: the inputs of both sides of a problem, and comparing
 * results: written apart from the library's own (solve/draw.c, solve/bench.c),
 * so that tests of the evaluator do not rest on these.
 *
 * CONTRACT. Sequential values are drawn (solve/hash.h) within the given ranges
 * and cut by the layouts; what a layout leaves open (padding, tensors of which
 * nothing is given) is junk that differs from rank to rank, addends of partial
 * tensors are random but for their sum. So both sides get the same inputs in
 * every way that the problem allows. Compared is what was promised.
 */
#ifndef SP_TESTS_SUPPORT_INPUTS_H
#define SP_TESTS_SUPPORT_INPUTS_H

#include "solve/evaluate.h"
#include "solve/hash.h"
#include "solve/problem.h"

/* Draw all given tensors and parameters of the sequential machine that have no
 * values yet, and cut those of the distributed one from them. */
void sp_inputs_draw(sp_machine *seq, sp_machine *dist,
                    const sp_problem *problem, uint64_t seed, sp_draw draw);
/* One distributed tensor from the sequential one's values. */
void sp_inputs_cut(sp_machine *seq, sp_machine *dist, const sp_placed *placed,
                   uint64_t seed, sp_draw draw);

typedef struct sp_difference {
  int64_t rank, local, global; /* row-major; of a partial tensor the rank is
                                  the first of its group */
  double expected, got;
  double error;  /* |got - expected| / scale */
  double scale;  /* the largest finite |expected| in the tensor, at least 1 */
  int64_t count; /* elements that differ by more than the tolerance */
  int64_t nan;   /* elements where just one side is NaN or infinite */
  int64_t n;     /* elements compared */
} sp_difference;

/* Compares all elements of a promised tensor (both machines have it). True:
 * some element differs by more than tolerance * scale; *out says the first
 * such, or else the largest error. */
bool sp_outputs_differ(const sp_machine *seq, const sp_machine *dist,
                       const sp_placed *placed, double tolerance,
                       sp_difference *out);

#endif
