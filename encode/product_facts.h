/* product_facts.h: inside encode/: what is told of products, which are
 * uninterpreted functions in an obligation. Instances for the terms at hand. */
#ifndef SP_ENCODE_PRODUCT_FACTS_H
#define SP_ENCODE_PRODUCT_FACTS_H

#include "encode/formula.h"

/* Factors are in an order that depends on their form, and one value may have
 * several forms: t, a function of x[n], does not care, for few factors. */
void spi_assert_commutes(sp_formula *f, sp_smt t, uint32_t n, const sp_smt *x);
/* x = 0 implies t = 0, for a product of reals t with the factor x. */
void spi_assert_zero(sp_formula *f, sp_smt t, sp_smt x);

#endif
