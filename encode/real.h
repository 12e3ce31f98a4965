/* real.h: inside encode/: what the files of the real half share.
 *
 * real.c      sums, scaling
 * real_int.c  integers as reals, comparisons
 * product.c   products, exp, inv
 * function.c  real functions by name; signs; notes
 * finite.c    which infinities a term may be
 * extremum.c  maxima and minima
 * red.c       reductions: the rules for all operators; closing, opening
 * red_sum.c   what comes out of a SUM
 * red_max.c   what comes out of a MAX or MIN
 * red_order.c the order of bound variables
 * split.c     splitting sums on demand
 * multiply.c  products of sums multiplied out on demand
 *
 * The lemmas behind every rewrite stand in docs/soundness.md, "Real rewrites".
 */
#ifndef SP_ENCODE_REAL_H
#define SP_ENCODE_REAL_H

#include "encode/num.h"
#include "encode/pool.h"

/* Function names that the rewrites know, as payloads of FN nodes. */
typedef struct spi_reals {
  int64_t exp, inv, log, sqrt, abs, nan;
  SP_VEC(const char *) notes;
} spi_reals;
spi_reals *spi_reals_of(sp_pool *p);

/* A REAL term seen as constant + sum coefs[i] * args[i]. NUM: n = 0; a term
 * that is neither NUM nor ADD: itself, once (kept inside the view, so a view
 * must not be copied). */
typedef struct spi_view {
  sp_num constant;
  uint32_t n;
  const sp_expr *args;
  const sp_num *coefs;
  sp_expr own_arg;
  sp_num own_coef;
} spi_view;
void spi_view_of(const sp_pool *p, sp_expr e, spi_view *view);

/* A growing list of terms in scratch memory of a known capacity. */
typedef struct spi_list {
  uint32_t n, cap;
  sp_expr *v;
} spi_list;
spi_list spi_list_new(sp_pool *p, uint32_t cap);
static inline void spi_list_push(spi_list *l, sp_expr e) {
  assert(l->n < l->cap);
  l->v[l->n++] = e;
}

/* The factors of a REAL term without a coefficient. */
uint32_t spi_factors(const sp_pool *p, const sp_expr *e, const sp_expr **out);
bool spi_is_fn(const sp_pool *p, sp_expr e, int64_t fn);
/* The constant NaN, which anything computed of it is. */
bool spi_is_nan(const sp_pool *p, sp_expr e);
static inline bool spi_is_inf(const sp_pool *p, sp_expr e) {
  return spi_kind(p, e) == SP_KIND_INF;
}
/* e = ite(guard, 0, body): a zero branch on either side. */
bool spi_zero_guard(sp_pool *p, sp_expr e, sp_expr *guard, sp_expr *body);
sp_expr spi_zero_of(sp_pool *p, sp_sort sort);
/* Sort by (skeleton, id); terms equal up to indices then list their arguments
 * in corresponding order. */
void spi_sort_terms(sp_pool *p, uint32_t n, sp_expr *v);
/* e = k * result where the leading terms of the result (those of the first
 * skeleton) have 1 as largest coefficient. k /= 0. Only ADD terms change. */
sp_expr spi_monic(sp_pool *p, sp_expr e, sp_num *k);
/* The index of an exp (spi_is_exp) among n factors, or n. */
uint32_t spi_find_exp(sp_pool *p, uint32_t n, const sp_expr *factors);
/* Known for all finite inputs, by structure alone (bounded effort). */
bool spi_positive(sp_pool *p, sp_expr e);
bool spi_nonnegative(sp_pool *p, sp_expr e);
bool spi_nonzero(sp_pool *p, sp_expr e);
/* Which infinities a REAL term may be, as far as its form shows. NOTED: finite
 * only if the maxima in it are. */
enum {
  SPI_END_LOW = 1, /* minus infinity */
  SPI_END_HIGH = 2,
  SPI_END_BOTH = 3, /* also: it may have no value */
  SPI_END_NOTED = 4
};
unsigned spi_ends(sp_pool *p, sp_expr e);
/* An exp that is no infinity, so that it may be moved around. */
bool spi_is_exp(sp_pool *p, sp_expr e);
/* The terms of the sum e that are finite. */
sp_expr spi_finite_part(sp_pool *p, sp_expr e);
/* Record that the maxima in e are finite, if it has some that might not be. */
void spi_note_finite(sp_pool *p, sp_expr e);

sp_expr spi_log(sp_pool *p, sp_expr a);
/* ---- reductions ---- */
/* A reduction under construction: every variable occurs in the body, which is
 * not of the kinds that red.c deals with for all operators. */
typedef struct spi_red {
  sp_red_op op;
  uint32_t n;
  const sp_expr *vars;
  const spi_set *set; /* of vars */
  sp_expr body;
  uint32_t round; /* steps so far */
} spi_red;
/* Whether a variable of the reduction is free in e. */
static inline bool spi_depends(const sp_pool *p, const spi_red *r, sp_expr e) {
  return spi_set_meets(spi_get(p, e)->free, r->set);
}
/* The parts of a guard (a disjunction) without and with the variables; 0 when
 * there is no such part. */
void spi_split_guard(sp_pool *p, const spi_red *r, sp_expr guard,
                     sp_expr *outer, sp_expr *inner);
/* The same reduction with another operator and body, and with the variables of
 * n more. */
sp_expr spi_rereduce(sp_pool *p, const spi_red *r, sp_red_op op, sp_expr body,
                     uint32_t n, const sp_expr *more);
/* One step outwards: the whole result, or 0 when no rule applies. */
sp_expr spi_sum_step(sp_pool *p, const spi_red *r);
sp_expr spi_extremum_step(sp_pool *p, const spi_red *r);
/* Variables in the order of their first use in body; heuristic, but the same
 * for bodies that are equal up to fresh and bound variables. */
void spi_first_use(sp_pool *p, uint32_t n, sp_expr *vars, sp_expr body);

#endif
