/* check.h: does a distributed program refine a sequential one?
 *
 * CONTRACT. sp_check relates every tensor of the distributed program to the
 * sequential program, in order, and proves each step with Z3 (docs/proof.md).
 * The report lives in the context and owns copies of nothing: strings point
 * into context memory. REFINES is given only when every result's promised
 * relation was proved; anything else that is not an input error is UNPROVEN
 * with the reason. Raises (call under sp_protect): SP_ERR_INPUT when the two
 * programs cannot belong together (parameter counts, shapes, meshes),
 * SP_ERR_USAGE for a bad assumption. Cost: about one small Z3 query for each
 * distinct distributed operator; a failed proof also runs both programs, up to
 * a budget. VIOLATION is given only with a counterexample found by that.
 */
#ifndef SP_SOLVE_CHECK_H
#define SP_SOLVE_CHECK_H

#include "solve/problem.h"

typedef enum sp_verdict {
  SP_REFINES,
  SP_VIOLATION,
  SP_UNPROVEN
} sp_verdict;

#define SP_CHECK_RUN_BUDGET 3e8 /* about a second */

typedef struct sp_check_options {
  const sp_assumed_range *assume;
  size_t n_assume;
  uint32_t timeout_ms;    /* for one obligation; 0 = the default, 5000 */
  const char *smt2_dir;   /* NULL: do not write obligations */
  /* Operations that looking for a counterexample may take, when the proof
   * fails; 0 = SP_CHECK_RUN_BUDGET, negative = do not look. */
  double run_budget;
  /* Called now and then with the number of distributed tensors done and their
   * total; may be NULL. */
  void (*progress)(void *user, size_t done, size_t total, const char *name);
  void *user;
} sp_check_options;

/* One result of the programs. */
typedef struct sp_report_output {
  uint32_t index;
  const char *name;       /* of the distributed tensor */
  const char *shape;      /* local, "f32[2,8]" */
  bool proved;
  const char *promised;   /* the sharding promised, in placements */
  const char *relation;   /* what was inferred: placements or index formula;
                             NULL when nothing was */
  const char *why;        /* not proved: why; else NULL */
} sp_report_output;

/* One distributed tensor, in program order. */
typedef struct sp_report_tensor {
  const char *name, *op, *shape;
  const char *relation; /* "x[4*r + j0, j1]" or placements of a sequential
                           tensor; NULL when unrelated */
  const char *sequential; /* name of the sequential tensor, or NULL */
  const char *why;      /* how it was proved, or why there is no relation */
  const char *nearest;  /* unrelated: the nearest sequential candidate */
  sp_pos pos;
} sp_report_tensor;

/* Where a result differs from what was promised of it, found by running both
 * programs. */
typedef struct sp_counterexample {
  uint32_t output;  /* number of the result */
  const char *name; /* of the distributed tensor */
  int64_t rank;
  uint32_t n_dims;
  const int64_t *local_index, *global_index; /* n_dims each */
  double expected, got;
  bool confirmed;     /* both programs were run to the result */
  const char *inputs; /* how they were drawn, for people */
  uint32_t mode;      /* the same, for solve/replay.h */
  uint64_t seed;
} sp_counterexample;

/* Where the fault seems to be. */
typedef struct sp_fault {
  const char *name, *op;
  sp_pos pos;
  const char *sentence;   /* what seems wrong, for people */
  const char *sequential; /* what it should correspond to, or NULL */
} sp_fault;

typedef struct sp_report_stats {
  double seconds, solver_seconds;
  uint64_t obligations;  /* asked, cached ones included */
  uint64_t distinct;     /* sent to Z3 */
  uint64_t cached;
  uint32_t sequential_tensors, distributed_tensors;
  uint32_t views, matched, unrelated; /* of the distributed tensors */
} sp_report_stats;

typedef struct sp_report {
  sp_verdict verdict;
  const char *sentence; /* "the 8-way partitioned program computes ..." */
  size_t n_outputs;
  const sp_report_output *outputs;
  size_t n_assumptions;
  const char *const *assumptions;
  size_t n_tensors;
  const sp_report_tensor *tensors;
  size_t n_frontier; /* indices into tensors: the first unrelated ones that
                        stand between the inputs and an unproved result */
  const size_t *frontier;
  const sp_counterexample *counterexample; /* VIOLATION; else NULL */
  const sp_fault *fault;                   /* VIOLATION; else NULL */
  const char *not_run; /* why no counterexample was looked for, or NULL */
  sp_report_stats stats;
} sp_report;

const sp_report *sp_check_problem(sp_ctx *ctx, const sp_problem *problem,
                                  const sp_check_options *options);
/* An XLA pair: the problem that the modules' shardings state, and the assumed
 * ranges of the options. */
const sp_report *sp_check(sp_ctx *ctx, const sp_program *sequential,
                          const sp_program *distributed,
                          const sp_check_options *options);

#endif
