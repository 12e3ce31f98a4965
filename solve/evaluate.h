/* evaluate.h: running a program on numbers.
 *
 * CONTRACT. A run holds the values of a program's tensors on all its ranks, in
 * double precision (integers in 64 bits). What an operator computes comes from
 * its row's element term (encode/op.h), compiled to a tape, so it cannot differ
 * from what is proved. Opaque operators (sort, ...) have their meaning in
 * solve/machine_opaque.c, loops are unrolled. Values are set for some tensors
 * (inputs; any other tensor: then its definition is not looked at), and asked
 * for others: only what these need is computed. Memory of tensors that nobody
 * needs any more is used again, so values are there for the tensors asked for
 * and those kept. A run belongs to the thread of its context; inside, it uses
 * threads of its own. Errors raised (under sp_protect): SP_ERR_INPUT for a
 * malformed operator, SP_ERR_MEMORY.
 * What is an expected outcome is no error: sp_machine_run_to returns false and
 * sp_machine_problem says why.
 */
#ifndef SP_SOLVE_EVALUATE_H
#define SP_SOLVE_EVALUATE_H

#include "encode/op.h"

typedef struct sp_machine sp_machine;

typedef struct sp_machine_options {
  double budget_ops;   /* operations; 0: SP_RUN_OPS */
  size_t budget_bytes; /* of tensor values; 0: SP_RUN_BYTES */
  bool sequential;     /* one rank, whatever the module says: modules before
                          the partitioner carry the number of devices */
  bool round_to_dtype; /* round every tensor to its type */
  bool keep_all;       /* forget no tensor */
  unsigned threads;    /* 0: two */
  bool made_up; /* functions of which a spec says nothing more (opaque) compute
                   something: any function, the same everywhere */
  sp_machine *beside; /* memory is common with this one; or NULL */
  bool slow;          /* for tests: no fast path */
  bool raw;           /* for tests: terms as they are written */
} sp_machine_options;

#define SP_RUN_OPS 4e9
#define SP_RUN_BYTES ((size_t)4 << 30)

sp_machine *
sp_machine_new(sp_ctx *ctx, sp_pool *p, const sp_program *program,
               const sp_machine_options *options); /* NULL: all default */
/* Forget all values; what was compiled stays. */
void sp_machine_reset(sp_machine *m);

/* ---- running a part ----
 * Where whole tensors are too large: only some elements of some tensors are
 * asked for, and only what these need is computed and stored. */

/* Indices along one dimension, in increasing order; at NULL: 0, ..., n-1, which
 * is all of them. */
typedef struct sp_span {
  int64_t n;
  const int64_t *at;
} sp_span;

typedef struct sp_part {
  uint32_t tensor;
  const sp_span *spans; /* by dimension; NULL: all */
  sp_span ranks;        /* of a target: where it is needed; none: on all */
} sp_part;

/* Before anything else is done with the machine. inputs: all tensors that will
 * be given values, and where these may be other than zero (reals only). */
void sp_machine_restrict(sp_machine *m, size_t n_targets,
                         const sp_part *targets, size_t n_inputs,
                         const sp_part *inputs);
/* What is stored of a tensor: so many elements of a rank, and of one dimension
 * these indices. Where a position (flat) is meant below, it is one of these. */
int64_t sp_machine_count(const sp_machine *m, uint32_t tensor);
sp_span sp_machine_span(const sp_machine *m, uint32_t tensor, uint32_t dim);
/* The ranks on which it is computed: on others it has no values. */
sp_span sp_machine_ranks_of(const sp_machine *m, uint32_t tensor);
/* The index of the element at a position, and its position in the whole
 * tensor. */
int64_t sp_machine_where(const sp_machine *m, uint32_t tensor, int64_t at,
                         int64_t *idx);
/* The element at an index; false: it was not asked for. */
bool sp_machine_at(const sp_machine *m, uint32_t tensor, int64_t rank,
                   const int64_t *idx, double *value);

/* ---- values in ---- */
/* Row-major values of one rank: integers as whole numbers, booleans as 0, 1.
 * Where memory for them is beyond the budget, running will say so. */
void sp_machine_set_input(sp_machine *m, uint32_t tensor, int64_t rank,
                          const double *values);
/* The values of another machine's tensor of this many elements, not copied. One
 * was made beside the other. */
void sp_machine_share(sp_machine *m, uint32_t tensor, const sp_machine *from,
                      uint32_t of);
/* Forget everything: for good, where memory is common with others. */
void sp_machine_empty(sp_machine *m);
/* What was given so far is held until the next reset: start again from it, even
 * if other values were given since. */
void sp_machine_hold(sp_machine *m);
void sp_machine_again(sp_machine *m);
/* Element idx of the whole tensor, whose row-major position is flat. */
typedef double (*sp_machine_value_fn)(void *user, int64_t rank, int64_t flat,
                                      const int64_t *idx);
void sp_machine_fill_input(sp_machine *m, uint32_t tensor,
                           sp_machine_value_fn value, void *user);
/* The same on all ranks: value is asked for those of one. */
void sp_machine_fill_same(sp_machine *m, uint32_t tensor,
                          sp_machine_value_fn value, void *user);

/* ---- running ---- */
/* From now on whatever is rounded while it is computed is changed by up to this
 * share of it (or, negative, by the opposite), by a hash; 0: no more. */
void sp_machine_noise(sp_machine *m, double share, uint64_t seed);
bool sp_machine_run(sp_machine *m); /* all results */
bool sp_machine_run_to(sp_machine *m, uint32_t tensor);
/* The operations that computing this tensor takes, about (INFINITY where an
 * operator on the way has no values), and those done so far. */
double sp_machine_cost(sp_machine *m, uint32_t tensor);
double sp_machine_done(const sp_machine *m);

typedef enum sp_machine_outcome {
  SP_RUN_OK,
  SP_RUN_BUDGET,    /* too many operations or bytes */
  SP_RUN_UNKNOWN,   /* an operator without known values */
  SP_RUN_NO_INPUT,  /* an input has no values */
  SP_RUN_UNDEFINED, /* a read outside a tensor */
  SP_RUN_BROKEN,    /* what the program says of its inputs is not true */
} sp_machine_outcome;

typedef struct sp_machine_trouble {
  sp_machine_outcome outcome;
  uint32_t node;       /* where (UINT32_MAX: no node in particular) */
  const char *message; /* one sentence, no full stop */
  const char *hint;    /* what to do, or "" */
} sp_machine_trouble;
/* Why the last sp_machine_run_to or sp_machine_run returned false. */
const sp_machine_trouble *sp_machine_problem(const sp_machine *m);
/* A function that was made up, of what was needed so far; NULL: none. */
const char *sp_machine_made_up(const sp_machine *m);
/* The same of an operator that draws random numbers: these are hashed from the
 * arguments of the call, so that equal calls draw alike. */
const char *sp_machine_drawn(const sp_machine *m);

/* ---- values out ---- */
bool sp_machine_has(const sp_machine *m, uint32_t tensor);
/* Row-major, of one rank; NULL where there are none. Integers above 2^53 are
 * rounded here: sp_machine_int is exact. Valid until the run is reset. */
const double *sp_machine_values(sp_machine *m, uint32_t tensor, int64_t rank);
double sp_machine_value(const sp_machine *m, uint32_t tensor, int64_t rank,
                        int64_t flat);
int64_t sp_machine_int(const sp_machine *m, uint32_t tensor, int64_t rank,
                       int64_t flat);
const sp_program *sp_machine_program(const sp_machine *m);
int64_t sp_machine_ranks(const sp_machine *m);

/* v as a value of that type, ties to even: integers wrap. */
double sp_round_to_dtype(double v, sp_dtype t);

#endif
