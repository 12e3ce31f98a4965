/* statement.h: what an obligation says, in infix notation, for people.
 *
 * CONTRACT. Only prints: no term is made, nothing is decided. Negative terms
 * of a comparison stand on its other side, a conjunction is written with
 * "and", a disjunction with negated parts as "if ... then ...". Deep or long
 * terms are cut off with "...".
 */
#ifndef SP_ENCODE_STATEMENT_H
#define SP_ENCODE_STATEMENT_H

#include "encode/obligation.h"

/* A BOOL term; in context memory. */
const char *sp_statement(sp_pool *p, sp_expr e);
/* "k5 < 4, k6 < 32": what is free in an obligation, with its extent; "". */
const char *sp_statement_variables(sp_pool *p, const sp_asked *asked);

#endif
