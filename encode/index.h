/* index.h: shared by the files of the index half: sums under construction,
 * intervals, facts, tabulation. See pool.h for the contract.
 */
#ifndef SP_ENCODE_INDEX_H
#define SP_ENCODE_INDEX_H

#include "encode/pool.h"

/* ---- linear.c: an INT term seen as constant + sum coef[i] * arg[i] ---- */
/* A view, not to be copied: arg, coef may point into it. */
typedef struct spi_parts {
  int64_t c;
  uint32_t n;
  const sp_expr *arg; /* sorted by id, none a LIN or INT */
  const int64_t *coef;
  sp_expr own_arg;
  int64_t own_coef;
} spi_parts;
void spi_parts_of(const sp_pool *p, sp_expr e, spi_parts *out);
/* Coefficient of an atom, 0 if it does not occur. */
int64_t spi_parts_coef(const spi_parts *s, sp_expr atom);

/* A sum under construction, in scratch memory. */
typedef struct spi_sum {
  sp_pool *p;
  int64_t c;
  uint32_t n, cap;
  sp_expr *arg;
  int64_t *coef;
} spi_sum;
spi_sum spi_sum_new(sp_pool *p, uint32_t cap);
void spi_sum_add(spi_sum *s, sp_expr e, int64_t k); /* s += k * e */
void spi_sum_const(spi_sum *s, int64_t c);          /* s += c */
void spi_sum_sort(spi_sum *s); /* by atom, like atoms merged, no zeros */
sp_expr spi_sum_done(spi_sum *s);
/* s = g*y + small (as functions), 0 <= small < g, g > 1; where c > 0, g
 * divides c and is less. Fills y and small (both new); 0 if there is none. s is
 * sorted. */
int64_t spi_sum_split(const spi_sum *s, int64_t c, spi_sum *y, spi_sum *small);

/* ---- range.c ---- */
/* Interval of c + sum; atoms sorted, each once. INT64_MIN, INT64_MAX: open. */
void spi_terms_range(sp_pool *p, int64_t c, uint32_t n, const sp_expr *arg,
                     const int64_t *coef, int64_t *lo, int64_t *hi);
void spi_sum_range(const spi_sum *s, int64_t *lo, int64_t *hi);
/* Push what follows from cond = value on p->facts; the caller restores
 * p->facts.n (under spi_guard). */
void spi_facts_push(sp_pool *p, sp_expr cond, bool value);

/* ---- boolean.c ---- */
sp_expr spi_lt0(sp_pool *p, sp_expr d); /* d < 0 */
sp_expr spi_eq0(sp_pool *p, sp_expr d); /* d == 0 */

/* ---- index.c ---- */
/* n-ary MAX or MIN of INT terms. */
sp_expr spi_extremum(sp_pool *p, sp_kind kind, uint32_t n, const sp_expr *args);
/* floor(a / b), a - b * trunc(a / b), ... on numbers; false where undefined or
 * not in 64 bits, or the name is unknown. */
bool spi_ifn_value(const char *name, uint32_t n, const int64_t *v,
                   int64_t *out);

/* ---- ite_join.c ---- */
/* ite(c, a, b) as one term of the form of both, where c is a condition on the
 * rank alone; none where they differ in more than indices. */
sp_expr spi_ite_join(sp_pool *p, sp_expr c, sp_expr a, sp_expr b);
/* ite(c, a, b) without a choice between a and b where, under c, b goes on as a;
 * else 0. */
sp_expr spi_ite_continues(sp_pool *p, sp_expr c, sp_expr a, sp_expr b);

/* ---- tabulate.c ---- */
/* e at var = 0, ..., n-1 (booleans as 0, 1); false when e is not made of index
 * arithmetic and tables in var alone, or has no value somewhere. */
bool spi_values(sp_pool *p, sp_expr e, sp_expr var, int64_t n, int64_t *out);
/* A term in one small RANK variable alone, as its fitted form. */
sp_expr spi_tabulate(sp_pool *p, sp_expr e);

/* ---- fit.c ---- */
/* Values of a function of the rank: as many as a mesh may have ranks. Of tables
 * that a program holds, fewer are tried: few are formulas. */
enum { SPI_FIT_MAX = 1 << 20, SPI_FIT_TABLE = 1 << 16 };
/* The condition k -> values[k] != 0 at x in [0, n): as intervals of x or of a
 * digit of x; 0 if there is no short one. */
sp_expr spi_fit_bool(sp_pool *p, const int64_t *values, int64_t n, sp_expr x);

/* ---- table.c ---- */
sp_expr spi_read_table(sp_pool *p, sp_sym s, const sp_expr *idx);
/* Row-major position; false when outside. */
bool spi_table_at(const spi_sym *s, const int64_t *idx, int64_t *at);

#endif
