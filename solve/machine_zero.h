/* machine_zero.h: which elements are surely zero? Inside solve/ only.
 *
 * CONTRACT. Inputs that are zero but for a few indices make most of what is
 * computed from them zero, whatever the other inputs are. A tensor's SUPPORT is
 * one span a dimension: an element whose index is outside of one of them is
 * zero. A product is zero where a factor is, provided that the others are
 * finite, which is shown by structure alone (machine_known.c). Sums then run
 * over the support of what is summed.
 */
#ifndef SP_SOLVE_MACHINE_ZERO_H
#define SP_SOLVE_MACHINE_ZERO_H

#include "solve/span.h"

/* What is known of all elements of a tensor. Conditions are terms over its
 * index variables and the rank; 0: never. */
typedef struct spi_known {
  bool finite, nonnegative, positive;
  bool below; /* a number or minus infinity, as where a mask is */
  /* below: where it is a number for sure, and where it is positive */
  sp_expr finite_if, positive_if;
  const sp_span *support; /* by dimension; NULL: all */
  const sp_expr *idx;     /* the index variables of the conditions */
} spi_known;

typedef struct spi_zeros {
  sp_pool *pool;
  /* of the tensor that a symbol stands for (its first argument is the rank);
   * NULL: nothing is known */
  const spi_known *(*known)(void *env, sp_sym sym);
  void *env;
  sp_expr rank;
} spi_zeros;

/* The values of the variable for which the REAL term may be other than zero. */
sp_span spi_support(const spi_zeros *z, sp_expr e, sp_expr var);
/* All but support and idx of a REAL term. */
spi_known spi_term_known(const spi_zeros *z, sp_expr e);
/* The same term with sums over what may be other than zero only. */
sp_expr spi_sum_less(const spi_zeros *z, sp_expr e);

#endif
