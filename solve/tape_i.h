/* tape_i.h: shared by the files that compile tapes (tape_compile.c: what there
 * is and where it goes; tape_emit.c: the instructions). Inside solve/ only. */
#ifndef SP_SOLVE_TAPE_I_H
#define SP_SOLVE_TAPE_I_H

#include "base/vec.h"
#include "solve/tape.h"

enum {
  SPI_START = 0, /* scopes: what is computed once in a run, */
  SPI_MAIN = 1,  /* and once in each lane */
  SPI_MAX_NESTING = 400,
};
#define SPI_NO_REG UINT32_MAX

typedef struct spi_entry {
  sp_expr e;
  sp_kind kind;
  uint32_t n; /* kids */
  const sp_expr *kids;
  uint32_t scope, reg;
  uint32_t inner[2]; /* scopes of branches, of a body */
  bool placed, loud;
  /* RED: opened */
  uint32_t n_vars;
  const sp_expr *vars;
} spi_entry;

typedef struct spi_scope {
  uint32_t parent, depth;
  uint32_t red; /* the reduction whose body this is + 1; 0: a branch */
  SP_VEC(spi_instr) code;
} spi_scope;

typedef struct spi_compiler {
  sp_ctx *ctx;
  sp_pool *p;
  const spi_tape_spec *spec;
  SP_VEC(spi_entry) entries; /* arguments first */
  uint32_t *map, map_mask;   /* term -> entry + 1 */
  SP_VEC(spi_scope) scopes;
  SP_VEC(uint32_t) reg_scope;
  SP_VEC(spi_source) sources;
  spi_block *blocks;
  uint32_t *vars;
  uint32_t flat;
} spi_compiler;

/* ---- tape_compile.c ---- */
spi_entry *spi_tape_find(const spi_compiler *c, sp_expr e);
uint32_t spi_new_reg(spi_compiler *c, uint32_t scope);
bool spi_under_branch(const spi_compiler *c, uint32_t scope);
bool spi_under_loop(const spi_compiler *c, uint32_t scope);

/* ---- tape_emit.c ---- */
/* Registers for the variables of a placed reduction: before anything of its
 * body is emitted. */
void spi_bind_red(spi_compiler *c, spi_entry *x);
void spi_emit_entry(spi_compiler *c, spi_entry *x);
uint32_t spi_reg_of(spi_compiler *c, sp_expr e);

#endif
