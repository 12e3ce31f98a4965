/* abstract_i.h: inside of encode/abstract*.c: a formula under construction.
 *
 * abstract.c       the walk, and all kinds of terms but reads
 * abstract_read.c  reads, and what is known of elements
 */
#ifndef SP_ENCODE_ABSTRACT_I_H
#define SP_ENCODE_ABSTRACT_I_H

#include "encode/abstract.h"
#include "encode/division.h"
#include "encode/template.h"

/* What a term became: valid for the obligation with this stamp. */
typedef struct built {
  uint32_t stamp, term; /* the SMT term */
  uint32_t cut;         /* RED: position in cuts, valid if that is its own */
} built;

typedef struct red_cut {
  sp_expr red;
  spi_cut cut;
} red_cut;

typedef struct symbol {
  uint32_t stamp, decl;
} symbol;

/* An uninterpreted function and what it stands for, as words. */
typedef struct function {
  uint64_t hash;
  uint32_t word, n_words, decl;
} function;

struct spi_abstract {
  sp_pool *p;
  sp_ctx *ctx;
  sp_formula *f;
  spi_order *order;
  spi_cutter *cutter;
  spi_divisions *divisions;
  uint32_t stamp;
  built *built; /* by term id */
  size_t n_built;
  SP_VEC(symbol) symbols;       /* by sp_sym.v */
  SP_VEC(const char *) numbers; /* text by sp_num.v */
  SP_VEC(red_cut) cuts;
  SP_VEC(sp_expr) work;
  SP_VEC(function) functions;
  SP_VEC(uint32_t) function_words;
  SP_VEC(sp_expr) subjects; /* by declaration; 0: nothing to tell */
  SP_VEC(sp_smt) args;      /* of the term under construction */
  const char *refusal;
};

/* ---- abstract.c ---- */
sp_smt spi_abstract_number(spi_abstract *a, sp_num n);
/* Of terms that are built already. */
sp_smt spi_abstract_term(const spi_abstract *a, sp_expr e);
sp_smt spi_abstract_arg(const spi_abstract *a, sp_expr e, uint32_t i);
/* All declarations but those of division.c are made by it, so that what they
 * stand for can be told. */
uint32_t spi_abstract_declare(spi_abstract *a, const char *stem,
                              sp_expr subject, sp_smt_sort result, uint32_t n,
                              const sp_smt_sort *args);
sp_smt spi_abstract_scaled(spi_abstract *a, int64_t coef, sp_smt t);
/* a->args from mark on become the arguments of a sum, and, ... */
sp_smt spi_abstract_gather(spi_abstract *a, sp_smt_op op, size_t mark);
void spi_abstract_keep(spi_abstract *a, sp_smt t);

/* ---- abstract_read.c ---- */
sp_smt spi_abstract_read(spi_abstract *a, sp_expr e);

#endif
