/* template.h: inside encode/: a reduction seen as a function of its closed
 * parts.
 *
 * CONTRACT. A solver does not know reductions. A RED is cut into a template
 * and holes: each maximal sub-term that mentions no variable bound in the RED
 * is a hole, and what is left, binders included, is the template, written as
 * words. LEMMA: equal templates with equal values in their holes denote equal
 * reductions. (The words determine the term up to the holes: prefix notation
 * with arities, variables numbered at their binder. Holes are closed, so
 * their values do not depend on the bound variables: no capture.) So the
 * template may stand for an uninterpreted function of the holes.
 * To let more reductions meet, closed terms of a sum are ONE hole together
 * with its constant (in an index always, were it 0: A[k] is A[k + 0]), and so
 * are the closed factors of a product and the closed arguments of max, min,
 * or. Real constants, infinities and true/false belong to the template.
 * Cost: linear in the term; shared sub-terms are written once only when the
 * tree would be large (a template then starts with another word).
 */
#ifndef SP_ENCODE_TEMPLATE_H
#define SP_ENCODE_TEMPLATE_H

#include "encode/order.h"

typedef enum spi_hole_kind {
  SPI_HOLE_TERM, /* the node itself */
  SPI_HOLE_ZERO, /* the integer 0 */
  SPI_HOLE_PART, /* the node restricted to its picked arguments: of a LIN or
                    ADD with the constant, of others at least one */
} spi_hole_kind;

typedef struct spi_hole {
  spi_hole_kind kind;
  sp_expr node;      /* TERM, PART */
  uint32_t first, n; /* PART: spi_cutter.picks[first..first+n), positions */
} spi_hole;

/* One reduction after cutting: ranges of the cutter's arrays. */
typedef struct spi_cut {
  uint32_t word, n_words;
  uint32_t hole, n_holes;
} spi_cut;

typedef struct spi_cutter {
  sp_pool *p;
  spi_order *order;
  SP_VEC(uint32_t) words;
  SP_VEC(spi_hole) holes;
  SP_VEC(uint32_t) picks;
  struct spi_cutting *work; /* template.c */
} spi_cutter;

spi_cutter *spi_cutter_new(sp_pool *p, spi_order *order);
void spi_cutter_clear(spi_cutter *c); /* forget all cuts */
/* red has no free BOUND variables. */
spi_cut spi_cut_red(spi_cutter *c, sp_expr red);

#endif
