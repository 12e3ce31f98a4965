/* tape.h: terms compiled to a register program. Inside solve/ only.
 *
 * CONTRACT. A tape computes one or more terms at many points at once: a point
 * is a LANE, a register holds up to SPI_LANES values (integers and booleans as
 * int64_t, reals as double). Elements of tensors come from SOURCES: row-major
 * arrays, one for each symbol read. The meaning of a term is that of sp_eval
 * (encode/expr.h), but for two things: integers wrap in 64 bits instead of
 * failing, and conditions do not guard by order but by place:
 *   - a branch of ITE is skipped where no lane takes it; where some do, all
 *     lanes compute both, which is harmless: nothing traps, and a read outside
 *     its tensor gives zero without touching memory;
 *   - a read outside its tensor that no condition guards is told
 *     (spi_tape_state.outside).
 * A tape never changes once compiled; each thread has a state of its own.
 * Compiling raises SP_ERR_UNKNOWN for functions without known values. Running
 * needs no pool, allocates nothing and raises nothing.
 */
#ifndef SP_SOLVE_TAPE_H
#define SP_SOLVE_TAPE_H

#include "encode/op.h"

enum { SPI_LANES = 256 };

typedef union spi_lane {
  int64_t i;
  double r;
} spi_lane;

typedef enum spi_code {
  SPI_CONST, /* value */
  SPI_LIN,   /* value.i + sum coefs[k].i * in[k] */
  SPI_DIV,
  SPI_MOD, /* by value.i */
  SPI_MAX_I,
  SPI_MIN_I,
  SPI_MAX_R,
  SPI_MIN_R,
  SPI_READ, /* source at in[0]; in[k] < coefs[k].i is checked for k > 0 */
  SPI_ADD,  /* value.r + sum coefs[k].r * in[k] */
  SPI_MUL,
  SPI_I2R,
  SPI_LT0,
  SPI_EQ0,
  SPI_RLT,
  SPI_REQ,
  SPI_NOT,
  SPI_OR,
  SPI_IF,     /* in[0] ? in[1] (computed by block 0) : in[2] (by block 1) */
  SPI_REDUCE, /* of in[0], computed by block 0 */
  SPI_REAL1,
  SPI_REAL2,
  SPI_INT_BITS, /* integer functions that need no name any more: bits */
  SPI_NAMED,    /* name, of in[k] of sort sorts[k] */
} spi_code;

typedef enum spi_bits {
  SPI_IMUL,
  SPI_IAND,
  SPI_IOR,
  SPI_IXOR,
  SPI_INOT,
  SPI_ISAME,
} spi_bits;

typedef struct spi_block spi_block;

typedef struct spi_instr {
  spi_code code;
  sp_sort sort; /* of the result */
  uint32_t out, n;
  const uint32_t *in;
  const spi_lane *coefs;
  spi_lane value;
  uint32_t source;  /* READ */
  bool guarded;     /* READ: under a condition */
  bool in_order;    /* READ: addresses of lanes are one after the other */
  spi_bits bits;    /* INT_BITS */
  const char *name; /* NAMED */
  const sp_sort *sorts;
  double (*one)(double);
  double (*two)(double, double);
  const spi_block *block[2];
  /* REDUCE */
  sp_red_op op;
  uint32_t n_vars;
  const uint32_t *vars;   /* registers of the bound variables */
  const int64_t *extents; /* each > 0 */
  int64_t total;          /* their product */
  /* registers from outside that the body reads, and where they go when its
   * lanes are several values of the bound variables for each lane outside */
  uint32_t n_imports;
  const uint32_t *imports, *spread;
} spi_instr;

struct spi_block {
  uint32_t n;
  const spi_instr *v;
};

/* One array that is read. data is of int64_t, double or uint8_t (BOOL). */
typedef struct spi_source {
  sp_sym sym;
  sp_sort sort;
  int64_t n;
  const void *data; /* NULL: to be supplied when running */
} spi_source;

typedef struct spi_tape {
  uint32_t n_regs, n_sources, n_outs, n_vars;
  const spi_source *sources;
  const uint32_t *outs; /* registers of the results */
  const sp_sort *sorts; /* of the results */
  /* Registers of the variables, UINT32_MAX: not read. */
  const uint32_t *vars;
  uint32_t flat;   /* register of the row-major position over the lane
                      variables, or UINT32_MAX */
  spi_block start; /* what only uniform variables enter */
  spi_block main;
  double cost; /* operations of one lane, about */
} spi_tape;

/* The terms may have these free variables: first n_uniform ones that have one
 * value in all lanes of a run, then those of the lanes (n_vars in all). The
 * row-major position is over the lane variables in order. */
typedef struct spi_tape_spec {
  uint32_t n_outs;
  const sp_expr *outs;
  uint32_t n_vars, n_uniform;
  const sp_expr *vars;    /* VAR terms, or constants 0 (extent 1) */
  const int64_t *extents; /* by variable */
} spi_tape_spec;

const spi_tape *spi_tape_compile(sp_pool *p, const spi_tape_spec *spec);

/* ---- running ---- */

typedef struct spi_tape_state {
  spi_lane **reg;
  const spi_source *sources; /* as the tape's, with data */
  bool outside;              /* an unguarded read fell outside its tensor */
  sp_sym outside_of;
  /* What was rounded is changed by up to this share of it, by a hash; 0: not.
   */
  double noise;
  uint64_t noise_seed;
  /* memory: room for cap registers */
  uint32_t cap;
  spi_lane *lanes;
  spi_lane **regs;
} spi_tape_state;

/* A state is good for any tape of at most so many registers. */
spi_tape_state *spi_tape_state_new(sp_ctx *ctx, uint32_t max_regs);
/* Take up a tape, with the values of its uniform variables (n_uniform). */
void spi_tape_start(const spi_tape *t, spi_tape_state *s,
                    const spi_source *sources, uint32_t n_uniform,
                    const int64_t *uniform);
/* Has v so few binary digits that it was not rounded? */
bool spi_is_exact(double v);
/* A number in [1/2, 1] or [-1, -1/2]. */
double spi_noise(uint64_t hash);
/* Lanes from, ..., from + n - 1 of the row-major order of the lane variables
 * with these extents. n <= SPI_LANES. Results are in s->reg[t->outs[k]]. */
void spi_tape_run(const spi_tape *t, spi_tape_state *s, uint32_t n_uniform,
                  const int64_t *extents, int64_t from, uint32_t n);

#endif
