/* support_oracle.h: the operator table against another implementation.
 *
 * A file holds small programs with inputs, and the results that an outside
 * implementation computed. Each program is read; the element expression of
 * every result is built by inlining the table's definitions, and evaluated at
 * every index of every rank: over symbolic indices and a symbolic rank
 * (simplified), in each raw mode, and at constant indices.
 *
 *   case NAME DEVICES
 *   | a line of the program
 *   in PARAM RANK values
 *   out RESULT RANK values
 *
 * SHARDPROOF_OPS_CASE=NAME runs one case and prints its terms.
 */
#ifndef SP_TESTS_SUPPORT_ORACLE_H
#define SP_TESTS_SUPPORT_ORACLE_H

#include "encode/op.h"

enum { ORACLE_PARAMS = 48, ORACLE_RANKS = 8, ORACLE_VARS = 16 };

typedef struct oracle_numbers {
  size_t n;
  double *v;
} oracle_numbers;

typedef struct oracle_case {
  char name[80];
  int64_t devices;
  char *text; /* the program; a 0 follows */
  size_t text_n;
  oracle_numbers in[ORACLE_PARAMS][ORACLE_RANKS];
  oracle_numbers out[ORACLE_PARAMS][ORACLE_RANKS];
} oracle_case;

typedef const sp_program *(*oracle_reader)(sp_ctx *ctx, const oracle_case *c);

/* All cases of tests/oracle/FILE, or of the file that the environment variable
 * names; failures are CUnit's. Returns how many there were. */
size_t oracle_run(const char *file, const char *variable, oracle_reader read);

/* A program's results as terms over its parameters. */
typedef struct oracle_world {
  sp_pool *pool;
  const sp_program *program;
  const oracle_case *c;
  sp_sym *syms; /* by parameter */
  uint32_t n_vars;
  sp_expr vars[ORACLE_VARS];
  int64_t values[ORACLE_VARS];
} oracle_world;

void oracle_symbols(oracle_world *w);
sp_expr oracle_element(oracle_world *w, uint32_t tensor, sp_expr rank,
                       const sp_expr *idx);

#endif
