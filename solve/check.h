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

#include "encode/obligation.h"
#include "solve/problem.h"

typedef enum sp_verdict { SP_REFINES, SP_VIOLATION, SP_UNPROVEN } sp_verdict;

#define SP_CHECK_RUN_BUDGET 3e8 /* about a second */
#define SP_CHECK_PROOF_MB 3000
#define SP_CHECK_BUDGET_MS 60000
#define SP_CHECK_TENSOR_MS 20

/* The same programs in another form, of which parts may be run that take too
 * long in this one (loops unrolled). Asked for when the proof is in trouble:
 * where they are seen to differ nothing more is tried, and the verdict is
 * UNPROVEN. The difference is kept, so that a check of the other form, with the
 * same struct in its options, begins with it. */
typedef struct sp_other_form sp_other_form;
struct sp_other_form {
  const sp_problem *(*make)(sp_ctx *ctx, sp_other_form *form); /* or NULL */
  struct spi_difference *difference; /* set by the check; at first NULL */
};

typedef struct sp_check_options {
  const sp_assumed_range *assume;
  size_t n_assume;
  uint32_t timeout_ms; /* for one obligation; 0 = the default, 5000 */
  /* Nothing is proved any more once terms, and the programs, take so many MB;
   * 0 = SP_CHECK_PROOF_MB. A wrong program may take as much as it gets. */
  uint32_t proof_mb;
  /* Nothing is proved any more after so many milliseconds of work, of which
   * equal checks take the same (sp_prover_budget); 0 = SP_CHECK_BUDGET_MS, and
   * SP_CHECK_TENSOR_MS for each distributed tensor. Runs come after that. */
  uint32_t budget_ms;
  const char *smt2_dir; /* NULL: do not write obligations */
  sp_asked_list *log;   /* gets what Z3 was asked; NULL: no log */
  /* Operations that looking for a counterexample may take, when the proof
   * fails; 0 = SP_CHECK_RUN_BUDGET, negative = do not look. */
  double run_budget;
  sp_other_form *other; /* NULL: there is none */
  /* Prove each layer by itself, equal ones, too (solve/layers.h): slower. */
  bool each_layer;
  /* Say what was proved of each tensor (sp_report_tensor.obligations). */
  bool statements;
  /* Called now and then with the number of distributed tensors done and their
   * total; may be NULL. */
  void (*progress)(void *user, size_t done, size_t total, const char *name);
  void *user;
} sp_check_options;

/* One result of the programs. */
typedef struct sp_report_output {
  uint32_t index;
  const char *name;  /* of the distributed tensor */
  const char *shape; /* local, "f32[2,8]" */
  bool proved;
  const char *promised; /* the sharding promised, in placements */
  const char *relation; /* what was inferred: placements or index formula;
                           NULL when nothing was */
  const char *why;      /* not proved: why; else NULL */
} sp_report_output;

typedef enum sp_relation_kind {
  SP_RELATION_NONE,      /* none of its own: its users see its definition */
  SP_RELATION_PARTIAL,   /* addends: reduced over ranks it has one */
  SP_RELATION_REPLICATE, /* every rank holds all of a sequential tensor */
  SP_RELATION_SHARD,     /* a block of one */
  SP_RELATION_MAP,       /* elements of sequential tensors, rearranged */
  SP_RELATION_FORMULA    /* computed of them, or of indices and constants */
} sp_relation_kind;

/* A coordinate of the rank in the mesh, as shardings use it. */
typedef struct sp_report_coordinate {
  const char *text;       /* "(rank div 4)" */
  const int64_t *by_rank; /* NULL: not known */
} sp_report_coordinate;

/* SHARD: one dimension is cut into blocks, and a rank has block number
 * `coordinate` (position in the report's list). */
typedef struct sp_report_cut {
  uint32_t dim, coordinate;
  int64_t parts;
} sp_report_cut;

/* Something that Z3 proved on the way to a relation. */
typedef struct sp_report_obligation {
  const char *rule;
  const char *goal; /* for people; long ones are cut off */
  uint32_t n_given; /* facts, proved before, that it follows from */
} sp_report_obligation;

/* One distributed tensor, in program order. */
typedef struct sp_report_tensor {
  const char *name, *op, *shape;
  const char *relation;   /* "x[4*r + j0, j1]" or placements of a sequential
                             tensor; NULL when unrelated */
  const char *sequential; /* name of the sequential tensor, or NULL */
  const char *why;        /* how it was proved, or why there is no relation */
  const char *nearest;    /* unrelated: the nearest sequential candidate */
  const char *like;       /* the tensor of an equal layer whose proof, with
                             other names, it has; NULL: it has its own */
  sp_pos pos;
  sp_relation_kind kind;
  const char *partial; /* PARTIAL: "sum by all-reduce.1", else NULL */
  size_t n_cuts, n_sources, n_obligations;
  const sp_report_cut *cuts;
  const char *const *sources; /* sequential tensors that the relation reads */
  const sp_report_obligation *obligations;
} sp_report_tensor;

/* Part of a wrong result on some ranks, and what was expected there: a window
 * of its last two dimensions that has the counterexample in it. */
typedef struct sp_report_window {
  int64_t row, column; /* local indices of its first element */
  uint32_t rows, columns;
  size_t n_ranks;
  const int64_t *ranks;         /* the counterexample's first */
  const double *expected, *got; /* by rank, row, column; padding: two NaN */
} sp_report_window;

/* Where a result differs from what was promised of it, found by running both
 * programs. */
typedef struct sp_counterexample {
  uint32_t output;  /* number of the result */
  const char *name; /* of the distributed tensor */
  int64_t rank;
  uint32_t n_dims;
  const int64_t *local_index, *global_index; /* n_dims each */
  double expected, got;
  sp_dtype dtype; /* of the sequential result */
  bool confirmed; /* both programs were run to the result */
  bool sampled;   /* only to some elements of it: too large otherwise */
  /* At operator level: what a function without known values computes was made
   * up, the same on both sides. Its name; NULL: there is none. */
  const char *made_up;
  /* An operator that draws random numbers on the way to it: these are made by
   * hashing, so that equal calls draw alike. NULL: there is none. */
  const char *drawn;
  const char *inputs; /* how they were drawn, for people */
  uint32_t mode;      /* the same, for solve/replay.h */
  uint64_t seed;
  sp_report_window window; /* n_ranks 0: the result was not run whole */
} sp_counterexample;

/* Where the fault seems to be. */
typedef struct sp_fault {
  bool before; /* in the sequential program: it has no one meaning */
  const char *name, *op;
  sp_pos pos;
  const char *sentence;   /* what seems wrong, for people */
  const char *sequential; /* what it should correspond to, or NULL */
} sp_fault;

typedef struct sp_report_stats {
  double seconds, solver_seconds;
  double run_seconds;   /* running both programs, saying where the fault is */
  uint64_t obligations; /* asked, cached ones included */
  uint64_t distinct;    /* sent to Z3 */
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
  size_t n_tensors, n_coordinates;
  const sp_report_tensor *tensors;
  const sp_report_coordinate *coordinates;
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
