/* problem.h: what is to be proved, whatever it was read from.
 *
 * CONTRACT. Two programs, what is given of their inputs, what is promised of
 * their results. XLA pairs say all of this themselves (sp_problem_of_pair);
 * for other programs a spec file does (shard-specs/).
 */
#ifndef SP_SOLVE_PROBLEM_H
#define SP_SOLVE_PROBLEM_H

#include "graph/layout.h"

/* Distributed tensor `dist` holds sequential tensor `seq` as the layout says.
 * Given ones are assumed: usually parameters; for other tensors (cuts) their
 * definitions are not looked at. layout NULL: nothing is known, why says it. */
typedef struct sp_placed {
  uint32_t seq, dist;
  const sp_layout *layout;
  const char *why;
  const char *name; /* for messages: "result 3", "w" */
  bool assumed;     /* given, but not an input: worth listing */
} sp_placed;

/* An integer tensor lies in lo <= x < hi. */
typedef struct sp_range_given {
  uint32_t seq;
  int64_t lo, hi;
  const char *text; /* "0 <= ids < 32 (given)" */
} sp_range_given;

typedef struct sp_problem {
  const sp_program *seq, *dist;
  size_t n_given, n_promised, n_ranges, n_notes;
  const sp_placed *given, *promised;
  const sp_range_given *ranges;
  const char *const *notes; /* assumptions to print as they are */
} sp_problem;

/* What the user says of an integer parameter: lo <= x < hi. */
typedef struct sp_assumed_range {
  const char *name; /* parameter name, or its number in decimal */
  int64_t lo, hi;
} sp_assumed_range;

/* From the shardings that the modules carry. Raises SP_ERR_INPUT when the
 * modules cannot belong together. */
sp_problem sp_problem_of_pair(sp_ctx *ctx, const sp_program *seq,
                              const sp_program *dist);
/* Add assumed ranges; raises SP_ERR_USAGE for a name that is no parameter or
 * an empty range. */
void sp_problem_assume(sp_ctx *ctx, sp_problem *problem,
                       const sp_assumed_range *assume, size_t n);

#endif
