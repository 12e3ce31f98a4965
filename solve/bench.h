/* bench.h: both programs, run on drawn inputs and compared.
 *
 * CONTRACT. A bench draws inputs (solve/draw.h), runs both programs on them and
 * compares every result with what is promised of it. It also answers what-if
 * questions: the distributed program again on the same inputs with some tensors
 * replaced. No run may take more operations than the budget, what-if runs not
 * more in all. A sampled bench answers for whole other programs. Internal to
 * solve/.
 */
#ifndef SP_SOLVE_BENCH_H
#define SP_SOLVE_BENCH_H

#include "base/vec.h"
#include "solve/check.h"
#include "solve/draw.h"
#include "solve/evaluate.h"
#include "solve/state.h"

/* Only some elements of one result, where whole programs are too large, and
 * perhaps with inputs that are zero but for a few indices. */
typedef struct spi_sample {
  uint32_t output;
  int64_t compared;  /* indices along a dimension, about */
  sp_part seq, dist; /* of its tensors */
  size_t n_seq_inputs, n_dist_inputs;
  const sp_part *seq_inputs, *dist_inputs;
  const sp_span *const *supports; /* for spi_draw_inputs */
} spi_sample;

/* What rounding moves on a set of inputs: looking takes ten runs. */
typedef struct spi_steadiness {
  spi_draw_mode mode;
  uint64_t seed;
  double **moved;
} spi_steadiness;

typedef struct spi_bench {
  sp_state *s;
  const spi_sample *sample; /* NULL: both programs as a whole */
  sp_machine *seq, *dist;   /* hold the last run: all tensors */
  sp_machine *other;        /* for what-if runs; made when first needed */
  spi_draw_mode mode;
  uint64_t seed;
  bool drawn; /* the machines hold the inputs of: */
  spi_draw_mode drawn_mode;
  uint64_t drawn_seed;
  double budget;      /* operations left for what-if runs */
  double spent;       /* operations of other runs */
  bool ran;           /* once at least */
  const char *broken; /* why a run said nothing (SP_RUN_BROKEN), or NULL */
  bool unknown;       /* it cannot be run: of a function no values are known */
  bool made_up;       /* as in sp_machine_options */
  double *scales;     /* by result: the largest element that is expected */
  bool defined;       /* the sequential program has no NaN in this run */
  bool tame;          /* and nothing near overflow */
  bool what_if;       /* comparing what another program computes */
  double **moved;     /* by result, rank it is computed on, element: how far
                         rounding may move it, INFINITY: anywhere. NULL, or of a
                         result: not looked at yet */
  SP_VEC(spi_steadiness) looked; /* of the programs themselves */
} spi_bench;

/* Values to take a tensor's place: of rank r at values[r * elements]. */
typedef struct spi_override {
  uint32_t tensor;
  const double *values;
} spi_override;

/* Operations that a run may take. */
double spi_bench_budget(const sp_state *s);
/* made_up: as in sp_machine_options. */
spi_bench *spi_bench_new(sp_state *s, const spi_sample *sample, bool made_up);
/* False: *why says why nothing was run. */
bool spi_bench_run(spi_bench *b, spi_draw_mode mode, uint64_t seed,
                   const char **why);
/* The largest difference of the first result that differs by more than what
 * rounding may do. */
bool spi_bench_differs(spi_bench *b, sp_counterexample *out);
/* The same of one result. */
bool spi_bench_differs_in(spi_bench *b, size_t result, sp_counterexample *out);
/* Element i of what a rank holds of a result in the last run, and of what it
 * should hold. False: it is padding. */
bool spi_bench_element(spi_bench *b, size_t result, int64_t rank, int64_t i,
                       double *expected, double *got);
/* Are all results right with these values? The last run stays as it is. */
bool spi_bench_mends(spi_bench *b, uint32_t n, const spi_override *v);
/* Only so many, the first ones? */
bool spi_bench_mends_until(spi_bench *b, uint32_t n, const spi_override *v,
                           size_t results);
/* Are all results (of a sampled bench: its elements) right with another
 * distributed program, whose inputs and results are the same tensors? */
bool spi_bench_mends_with(spi_bench *b, const sp_program *program);

#endif
