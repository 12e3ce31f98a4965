/* machine.h: inside of a machine (solve/evaluate.h). Inside solve/ only.
 *
 * A buffer holds a tensor's values on all ranks, rank-major: int64_t, double or
 * uint8_t by sort. Buffers are counted: a loop's carried tensors are shared
 * between the loop and its body. Freed buffers are kept by size and used again.
 * A loop's condition and body are machines of their own on the same engine.
 */
#ifndef SP_SOLVE_MACHINE_H
#define SP_SOLVE_MACHINE_H

#include "base/vec.h"
#include "solve/evaluate.h"
#include "solve/tape.h"

typedef struct spi_buffer {
  void *data;
  size_t bytes; /* there */
  size_t users;
  struct spi_buffer *next; /* in the list of free ones */
} spi_buffer;

/* Of a machine and those made beside it. */
typedef struct spi_stores {
  size_t bytes; /* in buffers with users */
  spi_buffer *spare;
  unsigned n_states;
  spi_tape_state **states; /* one for each thread */
} spi_stores;

/* Shared by a machine and the machines of its loops. */
typedef struct spi_engine {
  sp_ctx *ctx;
  sp_pool *pool;
  sp_machine_options options;
  int64_t ranks;
  sp_expr rank; /* variable, or the constant 0 */
  double done;  /* operations */
  spi_stores *stores;
  double noise; /* for the threads' states */
  uint64_t noise_seed;
  sp_machine_trouble trouble;
  sp_machine_trouble refused; /* an input for which there was no room */
  const char *made_up;        /* a function of which nothing is known */
  const char *drawn;          /* an operator that draws random numbers */
} spi_engine;

typedef struct spi_selection spi_selection;
typedef struct spi_contraction spi_contraction;
typedef struct spi_opaque spi_opaque;
typedef struct spi_loop spi_loop;

/* An array's definition, compiled: a tensor's, or a helper's
 * (machine_share.c). */
typedef struct spi_compiled spi_compiled;
struct spi_compiled {
  sp_sym sym;
  sp_sort sort;
  sp_shape shape;
  const int64_t *extents; /* of the symbol: the rank first */
  int64_t n;              /* elements of one rank */
  sp_span ranks;          /* on which it is computed */
  sp_expr *idx;           /* index variables */
  sp_expr term;
  const spi_tape *tape; /* NULL: opaque, or there are no elements */
  const spi_contraction *contraction; /* or NULL */
  const spi_opaque *opaque;           /* or NULL */
  sp_sym alias; /* the operand whose values these are, in the same order */
  uint32_t n_helpers;
  spi_compiled **helpers; /* to be computed before it, in this order */
  sp_expr made_for;       /* the term before anything of it was shared */
  spi_compiled *written;  /* that term, compiled; NULL: not needed yet */
  spi_compiled *promise;  /* must be true of all elements; or NULL */
  spi_buffer *values;     /* a helper's, while the node runs */
};

typedef struct machine_tensor {
  sp_sym sym;
  sp_sort sort;
  int64_t n;     /* elements of one rank that are stored */
  sp_span ranks; /* on which they are computed; there is room for all */
  bool no_type;  /* of FX: a result that nobody uses */
  bool given, keep;
  bool lasting;     /* depends on no input: loops keep it */
  uint32_t waiting; /* needed nodes still to run that read it */
  spi_buffer *values;
  spi_buffer *held; /* an input as it was given, or NULL */
  spi_compiled *compiled;
  double *doubles; /* room for sp_machine_values, made once */
  bool converted;  /* and what is in it is up to date */
} machine_tensor;

typedef struct machine_node {
  bool compiled, needed, param;
  spi_loop *loop;
  double cost;         /* all results on all ranks; a loop: one iteration */
  const char *unknown; /* why it has no values, or NULL */
} machine_node;

struct sp_machine {
  spi_engine *e;
  bool inner; /* of a loop */
  const sp_program *program;
  machine_tensor *tensors;
  machine_node *nodes;
  const spi_selection *selection; /* NULL: everything is stored */
};

/* ---- machine.c ---- */
sp_machine *spi_machine_inner(spi_engine *e, const sp_program *program);
/* Forget what was given and computed, but for what never changes. */
void spi_machine_clear(sp_machine *m);
bool spi_machine_results(sp_machine *m);
/* Operations for all results; INFINITY where something is unknown. */
double spi_machine_cost(sp_machine *m);
bool spi_fail(sp_machine *m, sp_machine_outcome outcome, uint32_t node,
              const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- machine_memory.c ---- */
/* NULL (and trouble set) where the budget forbids. */
spi_buffer *spi_buffer_new(sp_machine *m, uint32_t tensor);
spi_buffer *spi_buffer_for(sp_machine *m, uint32_t node, const char *name,
                           sp_sort sort, int64_t n);
void spi_buffer_drop(spi_engine *e, spi_buffer *b); /* NULL is fine */
size_t spi_sort_bytes(sp_sort sort);
/* n lanes to elements at, ... of an array. */
void spi_store(const sp_machine *m, const spi_compiled *c, void *data,
               int64_t at, uint32_t n, const spi_lane *v);
spi_lane spi_load(const void *data, sp_sort sort, int64_t at);
/* Enough registers for the tape in each thread's state. */
void spi_states_for(spi_engine *e, const spi_tape *t);

/* ---- machine_compile.c ---- */
/* The node's tapes and cost, once; sets unknown where it has no values. */
void spi_node_compile(sp_machine *m, uint32_t node);
/* The array without helpers, for when one of them read outside of a tensor:
 * what is read unguarded is seen then. */
const spi_compiled *spi_as_written(sp_machine *m, spi_compiled *c);
/* A conditional whose branches communicate: its index must be the same on all
 * ranks, which is looked at when running; it is read on rank 0. */
bool spi_same_index(const sp_node *node);

/* ---- machine_node.c ---- */
/* Compute all results. False: trouble is set. */
bool spi_node_run(sp_machine *m, uint32_t node);
/* The values of a symbol that the node's definitions read. */
const void *spi_data_of(const sp_machine *m, uint32_t node, sp_sym sym);
/* The sources of a tape with their data. */
void spi_sources(const sp_machine *m, uint32_t node, const spi_tape *t,
                 spi_source *out);

/* ---- machine_contract.c ---- */
/* NULL: not a plain sum of products of two elements. */
const spi_contraction *spi_contraction_of(sp_machine *m, const spi_compiled *c);
double spi_contraction_cost(const spi_contraction *c); /* on one rank */
void spi_contract(sp_machine *m, uint32_t node, const spi_compiled *c,
                  void *out);

/* ---- machine_share.c ---- */
/* Parts of the term become helpers. */
void spi_share(sp_machine *m, spi_compiled *c);

/* ---- machine_part.c ---- */
/* The term, index variables and stored shape of a tensor that is computed in
 * part; false: it is computed as a whole. */
bool spi_part_definition(const sp_machine *m, uint32_t tensor, spi_compiled *c);

/* ---- machine_opaque.c ---- */
/* NULL: the term is no opaque function. */
const spi_opaque *spi_opaque_of(sp_machine *m, uint32_t tensor);
double spi_opaque_cost(const spi_opaque *o); /* on one rank */
void spi_opaque_run(sp_machine *m, uint32_t tensor, const spi_opaque *o,
                    void *out);

/* ---- machine_loop.c ---- */
bool spi_is_loop(const sp_node *node);
spi_loop *spi_loop_new(sp_machine *m, uint32_t node);
double spi_loop_cost(spi_loop *l); /* of one iteration */
bool spi_loop_run(sp_machine *m, uint32_t node, spi_loop *l);

#endif
