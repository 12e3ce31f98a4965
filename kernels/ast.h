/* ast.h: a kernel file as it is written. Inside kernels/ only. parse.c makes
 * it, lower*.c read it. Formulas are those of encode/lang.h.
 */
#ifndef SP_KERNELS_AST_H
#define SP_KERNELS_AST_H

#include "base/vec.h"
#include "encode/lang.h"
#include "graph/program.h"
#include "kernels/kernel.h"

/* "shard(1, 2) over g, h": one of a relation's placements. */
typedef enum spi_place_kind {
  SPI_PLACE_REPLICATED,
  SPI_PLACE_SHARD,
  SPI_PLACE_PARTIAL,
} spi_place_kind;

typedef struct spi_place {
  spi_place_kind kind;
  sp_loc loc;
  const sp_lang *dim, *block; /* SHARD; block: NULL = one chunk a rank */
  uint32_t n_axes;            /* 0: over the only axis */
  const sp_lang_var *axes;    /* names */
} spi_place;

typedef SP_VEC(spi_place) spi_places;
typedef SP_VEC(sp_lang_var) spi_vars;

typedef enum spi_statement_kind {
  SPI_LET,        /* name = body */
  SPI_DEFINE,     /* name[vars] = body (where guard) */
  SPI_RELATE,     /* name = source places */
  SPI_COPY,       /* name = source, name = source@(...): body is the read */
  SPI_COLLECTIVE, /* name = body over axes: body is the call */
  SPI_REPEAT,     /* repeat name < body, for name in from..body { inner } */
} spi_statement_kind;

typedef struct spi_statement spi_statement;
typedef SP_VEC(const spi_statement *) spi_statements;

struct spi_statement {
  spi_statement_kind kind;
  sp_loc loc;
  const char *name;
  sp_dtype dtype; /* as written; INVALID: as the formula has it */
  uint32_t n_vars;
  const sp_lang_var *vars;
  const sp_lang *body, *guard;
  const sp_lang *from; /* REPEAT; NULL: 0 */
  const char *source;  /* RELATE */
  spi_places places;
  spi_vars axes; /* COLLECTIVE */
  spi_statements inner;
};

/* mesh NAME[size], input NAME[dims], func NAME(vars) */
typedef struct spi_declared {
  const char *name;
  sp_loc loc;
  sp_dtype dtype;
  uint32_t n;
  const sp_lang *const *dims;
} spi_declared;

typedef struct spi_function {
  const char *name;
  sp_loc loc;
  uint32_t n_vars;
  const sp_lang_var *vars;
  const sp_lang *body; /* NULL: nothing is known of it */
} spi_function;

/* prove name is source places; prove name[vars] is read where guard */
typedef struct spi_promise {
  sp_loc loc;
  bool only; /* not every sequential element need be held */
  const char *name;
  sp_loc name_loc;
  bool mapped; /* read is there, else places */
  uint32_t n_vars;
  const sp_lang_var *vars;
  const sp_lang *read, *guard;
  const char *source;
  sp_loc source_loc;
  spi_places places;
  const char *text; /* as written, after "is" */
} spi_promise;

struct sp_kernel {
  const char *file;
  spi_statements lets;
  SP_VEC(spi_declared) axes, inputs;
  SP_VEC(spi_function) functions;
  SP_VEC(const sp_lang *) assumptions;
  bool has_sequential, has_parallel;
  sp_loc parallel_loc;
  spi_statements sequential, parallel;
  spi_vars on; /* axes of the parallel program; none: all */
  SP_VEC(spi_promise) promises;
  sp_kernel_expectation expect;
};

/* ---- mistakes.c: errors that say what may have been meant ---- */

/* After a word that begins no statement; before: the statement before it, or
 * NULL. */
noreturn void spi_wrong_statement(sp_lang_reader *r, const char *word,
                                  sp_loc loc, const spi_statement *before);
/* Raises where the next token cannot begin a statement. */
void spi_not_a_statement(sp_lang_reader *r, const spi_statement *before);
/* Raises where the next token ends the file, or is a statement of the file. */
void spi_open_block(sp_lang_reader *r, sp_loc begin);

#endif
