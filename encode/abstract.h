/* abstract.h: inside encode/: an obligation as an SMT formula.
 *
 * CONTRACT. spi_abstract() asserts the hypotheses, the negated goal and facts
 * about the terms that occur, without quantifiers, over Int, Real, Bool,
 * arrays of arrays and uninterpreted functions. LEMMA: if the formula has no
 * model, the hypotheses imply the goal for all values of the free variables
 * within their extents, all tensors whose elements respect the ranges of their
 * symbols, and every real number put for the infinities. It holds because
 * every value of the terms gives a model of all that is asserted:
 *
 *  term            formula
 *  VAR             Int constant v, fact 0 <= v < extent
 *  LIN, ADD        linear sum
 *  DIV, MOD by c   Int constants q, m, facts x = c*q + m, 0 <= m < c, and
 *                  how divisions of one term relate; or what arithmetic
 *                  makes of them (division.h)
 *  READ            nested select; fact, if the index is inside the extents:
 *                  lo <= read <= hi, or read = the entry of a small table
 *  ITE, MAX, MIN   ite
 *  MUL, FN         uninterpreted functions; for two factors that look alike
 *                  the fact mul(a, b) = mul(b, a)
 *  NUM             exact rational
 *  INF             Real constants pinf, ninf without any facts
 *  RED             uninterpreted function of its holes (template.h)
 *
 * The converse does not hold: a model may be an artefact of the abstraction.
 */
#ifndef SP_ENCODE_ABSTRACT_H
#define SP_ENCODE_ABSTRACT_H

#include "encode/formula.h"

typedef struct spi_abstract spi_abstract;
spi_abstract *spi_abstract_new(sp_pool *p);
/* Fills f. Returns NULL, or why the obligation cannot be stated. */
const char *spi_abstract_obligation(spi_abstract *a, sp_formula *f,
                                    uint32_t n_hyps, const sp_expr *hyps,
                                    sp_expr goal);
/* What a declaration of the last obligation stands for, for a human; "". */
const char *spi_abstract_note(spi_abstract *a, uint32_t decl);

#endif
