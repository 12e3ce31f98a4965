/* run.h: inside of a run (solve/evaluate.h). Only for solve/run_*.c.
 *
 * A buffer holds a tensor's values on all ranks, rank-major: int64_t, double or
 * uint8_t by sort. Buffers are counted: a loop's carried tensors are shared
 * between the loop and its body. Freed buffers are kept by size and used again.
 */
#ifndef SP_SOLVE_RUN_H
#define SP_SOLVE_RUN_H

#include "base/vec.h"
#include "solve/evaluate.h"
#include "solve/tape.h"

typedef struct spi_buffer {
  void *data;
  size_t bytes; /* there */
  size_t users;
  struct spi_buffer *next; /* in the list of free ones */
} spi_buffer;

/* Shared by a run and the runs of its loops' computations. */
typedef struct spi_engine {
  sp_ctx *ctx;
  sp_pool *pool;
  sp_run_options options;
  int64_t ranks;
  sp_expr rank; /* variable, or the constant 0 */
  double done;
  size_t bytes;
  spi_buffer *spare;
  spi_tape_state **states; /* one for each thread */
  sp_run_trouble trouble;
} spi_engine;

typedef struct spi_contraction spi_contraction;
typedef struct spi_opaque spi_opaque;
typedef struct spi_loop spi_loop;

/* One result of a node, compiled. */
typedef struct spi_compiled {
  sp_expr *idx; /* index variables */
  sp_expr term;
  const spi_tape *tape;
  const spi_contraction *contraction; /* or NULL */
  const spi_opaque *opaque;           /* or NULL */
  double cost;                        /* on all ranks */
} spi_compiled;

typedef struct run_tensor {
  sp_sym sym;
  sp_sort sort;
  int64_t n; /* elements of one rank */
  spi_buffer *values;
  bool given, keep;
  uint32_t waiting; /* nodes still to run that read it */
  spi_compiled *compiled;
  const double *doubles; /* made by sp_run_values */
} run_tensor;

typedef struct run_node {
  bool compiled, needed;
  spi_loop *loop;
  double cost;
  const char *unknown; /* why it has no values, or NULL */
} run_node;

struct sp_run {
  spi_engine *e;
  const sp_program *program;
  run_tensor *tensors;
  run_node *nodes;
};

/* ---- run_memory.c ---- */
/* NULL (and trouble set) where the budget forbids it. */
spi_buffer *spi_buffer_new(sp_run *run, uint32_t tensor);
void spi_buffer_use(spi_buffer *b);
void spi_buffer_drop(spi_engine *e, spi_buffer *b); /* NULL is fine */
size_t spi_sort_bytes(sp_sort sort);
void spi_store(void *data, sp_sort sort, sp_dtype dtype, bool rounding,
               int64_t at, uint32_t n, const spi_lane *v);
spi_lane spi_load(const void *data, sp_sort sort, int64_t at);

/* ---- run_compile.c ---- */
/* Fills the node's tapes and cost. Raises; spi_node_compile catches what is
 * merely unknown. */
void spi_node_compile(sp_run *run, uint32_t node);
sp_run *spi_run_inner(spi_engine *e, const sp_program *program);

/* ---- run_node.c ---- */
/* Compute all results. False: trouble is set. */
bool spi_node_run(sp_run *run, uint32_t node);
bool spi_fail(sp_run *run, sp_run_outcome outcome, uint32_t node,
              const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* The sources of a tape with the data of the run's tensors; false (trouble)
 * where one is missing. */
bool spi_sources(sp_run *run, uint32_t node, const spi_tape *t,
                 spi_source *out);
void spi_states_for(spi_engine *e, const spi_tape *t);

/* ---- run_contract.c ---- */
const spi_contraction *spi_contraction_of(sp_run *run, uint32_t tensor);
bool spi_contract(sp_run *run, uint32_t node, uint32_t tensor,
                  const spi_contraction *c);

/* ---- run_opaque.c ---- */
/* NULL: the term is no opaque function. */
const spi_opaque *spi_opaque_of(sp_run *run, uint32_t tensor);
bool spi_opaque_run(sp_run *run, uint32_t node, uint32_t tensor,
                    const spi_opaque *o);

/* ---- run_loop.c ---- */
bool spi_is_loop(const sp_node *node);
spi_loop *spi_loop_new(sp_run *run, uint32_t node);
double spi_loop_cost(sp_run *run, const spi_loop *l); /* of one iteration */
bool spi_loop_run(sp_run *run, uint32_t node, spi_loop *l);

#endif
