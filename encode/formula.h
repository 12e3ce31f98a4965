/* formula.h: one SMT formula as a flat, canonical vector of terms.
 *
 * CONTRACT. The small language between obligations and solvers: what Z3 is
 * asserted (z3.c) and what an SMT-LIB file says (smtlib.c) are two folds over
 * the same vector, so they cannot disagree. Terms are hash-consed, children
 * come before parents, terms and declarations are numbered in the order in
 * which the encoder made them, and names are not part of a formula: equal
 * keys (sp_formula_key) are equal formulas up to the names of their free
 * symbols, so they have equal answers whatever they came from. That is what
 * the cache relies on, and all it relies on. No rewriting happens here.
 * A formula is filled for one obligation, then cleared for the next.
 */
#ifndef SP_ENCODE_FORMULA_H
#define SP_ENCODE_FORMULA_H

#include "base/vec.h"
#include "encode/expr.h"

typedef enum sp_smt_op {
  SP_SMT_INT,  /* sp_smt_int_value */
  SP_SMT_REAL, /* sp_smt_real_text */
  SP_SMT_TRUE,
  SP_SMT_FALSE,
  SP_SMT_APP,    /* declaration sp_smt_payload, of the args */
  SP_SMT_SELECT, /* array, index */
  SP_SMT_ADD,    /* n >= 1 */
  SP_SMT_MUL,    /* numeral, term: always linear */
  SP_SMT_LE,
  SP_SMT_LT,
  SP_SMT_EQ,
  SP_SMT_NOT,
  SP_SMT_AND, /* n >= 1 */
  SP_SMT_OR,
  SP_SMT_IMPLIES,
  SP_SMT_ITE,
  SP_SMT_TO_REAL,
} sp_smt_op;

typedef struct sp_smt {
  uint32_t v; /* index of the term; UINT32_MAX is not used */
} sp_smt;

/* Arrays of arrays: depth times (Array Int ...) around the base. */
typedef struct sp_smt_sort {
  sp_sort base;
  uint32_t depth;
} sp_smt_sort;

typedef struct sp_smt_decl {
  const char *stem; /* printed as stem and number; not part of the key */
  sp_smt_sort result;
  uint32_t first, n_args; /* argument sorts: formula->sorts[first...] */
} sp_smt_decl;

typedef struct sp_formula {
  sp_ctx *ctx;
  SP_VEC(uint32_t) words; /* op | n << 8, payload (2), args or text */
  SP_VEC(uint32_t) start; /* of each term */
  SP_VEC(sp_smt_decl) decls;
  SP_VEC(sp_smt_sort) sorts;
  SP_VEC(sp_smt) asserts;
  /* hash-consing: slots hold term + 1 where the stamp is the present one */
  uint32_t *slot, *slot_stamp;
  uint32_t n_slots, stamp;
  SP_VEC(uint32_t) key; /* filled by sp_formula_key */
} sp_formula;

sp_formula *sp_formula_new(sp_ctx *ctx);
void sp_formula_clear(sp_formula *f);

uint32_t sp_smt_declare(sp_formula *f, const char *stem, sp_smt_sort result,
                        uint32_t n_args, const sp_smt_sort *args);
sp_smt sp_smt_int(sp_formula *f, int64_t v);
/* text: "12", "-3/4" */
sp_smt sp_smt_real(sp_formula *f, const char *text);
sp_smt sp_smt_bool(sp_formula *f, bool v);
sp_smt sp_smt_app(sp_formula *f, uint32_t decl, uint32_t n, const sp_smt *args);
sp_smt sp_smt_n(sp_formula *f, sp_smt_op op, uint32_t n, const sp_smt *args);
sp_smt sp_smt_1(sp_formula *f, sp_smt_op op, sp_smt a);
sp_smt sp_smt_2(sp_formula *f, sp_smt_op op, sp_smt a, sp_smt b);
sp_smt sp_smt_3(sp_formula *f, sp_smt_op op, sp_smt a, sp_smt b, sp_smt c);
void sp_smt_assert(sp_formula *f, sp_smt t);

/* ---- for the back ends ---- */
static inline uint32_t sp_formula_size(const sp_formula *f) {
  return (uint32_t)f->start.n;
}
sp_smt_op sp_smt_op_of(const sp_formula *f, uint32_t t);
uint32_t sp_smt_n_args(const sp_formula *f, uint32_t t);
uint32_t sp_smt_arg(const sp_formula *f, uint32_t t, uint32_t i);
uint32_t sp_smt_decl_of(const sp_formula *f, uint32_t t); /* APP */
int64_t sp_smt_int_value(const sp_formula *f, uint32_t t);
const char *sp_smt_real_text(const sp_formula *f, uint32_t t);

/* The formula as words: valid until the formula changes. */
const uint32_t *sp_formula_key(sp_formula *f, size_t *n_words);

#endif
