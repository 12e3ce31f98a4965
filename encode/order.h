/* order.h: inside encode/: an order of the arguments of sums, products and
 * other commutative nodes that puts like arguments in like places.
 *
 * CONTRACT. The pool sorts by age, which differs between terms that are equal
 * up to indices or up to a renaming. Here closed indices are erased first, so
 * A[i+1]*B[j] and A[k]*B[m] list their factors alike: products are functions
 * without laws to the solver, and an equal order is what makes them meet. Only
 * a heuristic: any order is sound. The first criterion does not depend on the
 * identity of symbols, so renamed obligations mostly have one canonical form.
 * Cost: each term is hashed once in the life of the pool.
 */
#ifndef SP_ENCODE_ORDER_H
#define SP_ENCODE_ORDER_H

#include "encode/pool.h"

typedef struct spi_order spi_order;
spi_order *spi_order_new(sp_pool *p);
/* perm[0..n): argument positions of e; sorted in place. */
void spi_order_sort(spi_order *o, sp_expr e, uint32_t n, uint32_t *perm);
/* Whether the order of the arguments means nothing: LIN, ADD, MUL, MAX, MIN,
 * OR, REQ. */
bool spi_commutes(sp_kind k);

#endif
