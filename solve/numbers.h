/* numbers.h: sequential tensors that have one value, by value numbering.
 *
 * CONTRACT. Two tensors have one value if they are the same result of the same
 * operator with the same attributes (graph/same.h), of operands of one value.
 * Exact, and a part of the trusted base. Parameters, tensors that are given,
 * loops and what has no meaning are equal to nothing else, nor are operators
 * that look at their name (sp_op.by_name). Of operands that are not read only
 * the shapes are compared. The number of a value is its first
 * tensor. Cost: one hash of each node. Internal to solve/.
 */
#ifndef SP_SOLVE_NUMBERS_H
#define SP_SOLVE_NUMBERS_H

#include "solve/state.h"

typedef struct spi_numbers spi_numbers;

/* Once it is known which tensors are opaque (spi_seq_classify). */
spi_numbers *spi_numbers_new(sp_state *s);
uint32_t spi_number_of(const spi_numbers *v, uint32_t tensor);
/* The next tensor of this one's value, or SP_NO_TENSOR. */
uint32_t spi_number_next(const spi_numbers *v, uint32_t tensor);
/* Is the node's value a function of its operand, beyond the shape (unread.h)?
 */
bool spi_number_reads(const spi_numbers *v, const sp_node *node, uint32_t i);
/* What node computes when it is applied to these values instead of its own
 * operands, by number (those that are not read: any): its first result;
 * SP_NO_TENSOR: nothing in the program is that. */
uint32_t spi_number_apply(const spi_numbers *v, const sp_node *node,
                          const uint32_t *operands);

#endif
