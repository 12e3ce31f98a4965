/* problem.h: what is to be proved, whatever it was read from.
 *
 * CONTRACT. Two programs, what is given of their inputs, what is promised of
 * their results. XLA pairs say all of this themselves (sp_problem_of_pair);
 * for other programs a spec file does (shard-specs/).
 */
#ifndef SP_SOLVE_PROBLEM_H
#define SP_SOLVE_PROBLEM_H

#include "encode/expr.h"
#include "graph/layout.h"

/* Ranked problems: what the parts of a parameter or result are cut from.
 * home[r] is the first rank that holds the same part as rank r; NULL: unknown.
 */
typedef struct sp_origin {
  sp_shape global;
  const sp_layout *layout;
  const int64_t *home;
} sp_origin;

/* Distributed tensor `dist` holds sequential tensor `seq` as the layout says.
 * Given ones are assumed: usually parameters; for other tensors (cuts) their
 * definitions are not looked at. layout NULL: nothing is known, why says it. */
typedef struct sp_placed {
  uint32_t seq, dist;
  const sp_layout *layout;
  const char *why;
  const char *name; /* for messages: "result 3", "w" */
  int64_t rank;     /* of a merged program (below): whose tensor dist is */
  bool assumed;     /* given, but not an input: worth listing */
  const sp_origin *origin; /* ranked: what it is a part of, or NULL */
} sp_placed;

/* An integer tensor lies in lo <= x < hi, but not in the gaps between. */
typedef struct sp_range_given {
  uint32_t seq;
  int64_t lo, hi;
  const char *text; /* "0 <= ids < 32 (given)" */
  uint32_t n_gaps;
  const sp_stretch *gaps; /* in order, each with numbers on both sides */
} sp_range_given;

/* All elements of sequential tensor seq lie in one of these parts, n > 0. They
 * may overlap, in any order; the last number is below INT64_MAX. */
sp_range_given sp_range_of_parts(sp_ctx *ctx, uint32_t seq, const char *name,
                                 uint32_t n, const sp_stretch *parts);

/* Why not all numbers of the part are values of the type, an integer or PRED,
 * and in *hint what to write; or NULL. A range of values that there are not
 * says nothing, or would be drawn from. */
const char *sp_range_misfit(sp_ctx *ctx, const char *name, sp_dtype type,
                            sp_stretch part, const char **hint);

typedef struct sp_problem {
  const sp_program *seq, *dist;
  size_t n_given, n_promised, n_ranges, n_notes;
  const sp_placed *given, *promised;
  const sp_range_given *ranges;
  const char *const *notes; /* assumptions to print as they are */
  /* Both programs are of one device, on the same devices: seq has values on
   * every rank, too, and layouts relate what one rank holds on both sides. */
  bool ranked;
  /* dist holds the programs of so many ranks that differ side by side, and runs
   * on one device; 0: it is one program for all ranks. */
  int64_t merged;
  /* Ranked, but seq is written for all devices at once, up to parts in manual
   * mode: every rank has all of each parameter. */
  bool manual;
  bool versions; /* two versions of one program: look for the same operators */
} sp_problem;

/* What the user says of an integer parameter: it lies in one of these parts. */
typedef struct sp_assumed_range {
  const char *name; /* parameter name, or its number in decimal */
  uint32_t n;       /* > 0 */
  const sp_stretch *parts;
} sp_assumed_range;

/* From the shardings that the modules carry. Raises SP_ERR_INPUT when the
 * modules cannot belong together. */
sp_problem sp_problem_of_pair(sp_ctx *ctx, const sp_program *seq,
                              const sp_program *dist);
/* Two modules of the same devices: each rank gets and gives the same on both
 * sides. cut: the problem across the partitioner that `before` came from, which
 * says where devices hold copies of one input; or NULL. Raises SP_ERR_INPUT
 * when parameters or results differ. */
sp_problem sp_problem_identity(sp_ctx *ctx, const sp_program *before,
                               const sp_program *after, const sp_problem *cut);
/* Does a device's number, or another device, matter to the program? */
bool sp_program_knows_ranks(const sp_program *p);
bool sp_node_knows_ranks(const sp_node *node); /* but for its regions */
/* Does it have parts in manual mode (shard_map before the partitioner)? */
bool sp_program_is_manual(const sp_program *p);
/* Raises SP_ERR_USAGE for values that the tensor's type does not have. */
void sp_assumed_range_fits(sp_ctx *ctx, const sp_assumed_range *a,
                           const sp_tensor *t);
/* Add assumed ranges; raises SP_ERR_USAGE for a name that is no parameter, too.
 */
void sp_problem_assume(sp_ctx *ctx, sp_problem *problem,
                       const sp_assumed_range *assume, size_t n);

#endif
