/* evaluate.h: running a program on numbers.
 *
 * CONTRACT. A run holds the values of a program's tensors on all its ranks, in
 * double precision (integers in 64 bits). What an operator computes comes from
 * its row's element term (encode/op.h), compiled to a tape, so it cannot differ
 * from what is proved. Opaque operators (sort, ...) have their meaning in
 * solve/run_opaque.c, loops are unrolled. Values are set for some tensors
 * (inputs; any other tensor: then its definition is not looked at), and asked
 * for others: only what these need is computed. Memory of tensors that nobody
 * needs any more is used again, so values are there for the tensors asked for
 * and those kept. A run belongs to the thread of its context; inside, it uses
 * threads of its own. Errors raised (under sp_protect): SP_ERR_INPUT for a
 * malformed operator, SP_ERR_MEMORY.
 * What is an expected outcome is no error: sp_run_to returns false and
 * sp_run_problem says why.
 */
#ifndef SP_SOLVE_EVALUATE_H
#define SP_SOLVE_EVALUATE_H

#include "encode/op.h"

typedef struct sp_run sp_run;

typedef struct sp_run_options {
  double budget_ops;     /* operations; 0: SP_RUN_OPS */
  size_t budget_bytes;   /* of tensor values; 0: SP_RUN_BYTES */
  bool round_to_dtype;   /* round every tensor to its type */
  bool keep_all;         /* forget no tensor */
  unsigned threads;      /* 0: two */
  bool slow;             /* for tests: no fast path */
  bool raw;              /* for tests: terms as they are written */
} sp_run_options;

#define SP_RUN_OPS 4e9
#define SP_RUN_BYTES ((size_t)4 << 30)

sp_run *sp_run_new(sp_ctx *ctx, sp_pool *p, const sp_program *program,
                   const sp_run_options *options); /* NULL: all default */
/* Forget all values; what was compiled stays. */
void sp_run_reset(sp_run *run);
/* Never forget this tensor's values once computed. */
void sp_run_keep(sp_run *run, uint32_t tensor);

/* ---- values in ---- */
/* Row-major values of one rank: integers as whole numbers, booleans as 0, 1. */
void sp_run_set_input(sp_run *run, uint32_t tensor, int64_t rank,
                      const double *values);
typedef double (*sp_run_value_fn)(void *user, int64_t rank, int64_t flat,
                                  const int64_t *idx);
void sp_run_fill_input(sp_run *run, uint32_t tensor, sp_run_value_fn value,
                       void *user);

/* ---- running ---- */
bool sp_run_all(sp_run *run); /* all results */
bool sp_run_to(sp_run *run, uint32_t tensor);
/* The operations that computing this tensor takes, about (INFINITY where an
 * operator on the way has no values), and those done so far. */
double sp_run_cost(sp_run *run, uint32_t tensor);
double sp_run_done(const sp_run *run);

typedef enum sp_run_outcome {
  SP_RUN_OK,
  SP_RUN_BUDGET,    /* too many operations or bytes */
  SP_RUN_UNKNOWN,   /* an operator without known values */
  SP_RUN_NO_INPUT,  /* an input has no values */
  SP_RUN_UNDEFINED, /* a read outside a tensor */
} sp_run_outcome;

typedef struct sp_run_trouble {
  sp_run_outcome outcome;
  uint32_t node;       /* where (UINT32_MAX: no node in particular) */
  const char *message; /* one sentence, no full stop */
  const char *hint;    /* what to do, or "" */
} sp_run_trouble;
/* Why the last sp_run_to or sp_run_all returned false. */
const sp_run_trouble *sp_run_problem(const sp_run *run);

/* ---- values out ---- */
bool sp_run_has(const sp_run *run, uint32_t tensor);
/* Row-major, of one rank; NULL where there are none. Integers above 2^53 are
 * rounded here: sp_run_int is exact. Valid until the run is reset. */
const double *sp_run_values(sp_run *run, uint32_t tensor, int64_t rank);
double sp_run_value(const sp_run *run, uint32_t tensor, int64_t rank,
                    int64_t flat);
int64_t sp_run_int(const sp_run *run, uint32_t tensor, int64_t rank,
                   int64_t flat);
const sp_program *sp_run_program(const sp_run *run);
int64_t sp_run_ranks(const sp_run *run);

/* v as a value of that type, ties to even: integers wrap. */
double sp_round_to_dtype(double v, sp_dtype t);

#endif
