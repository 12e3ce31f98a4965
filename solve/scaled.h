/* scaled.h: terms up to a positive number. */
#ifndef SP_SOLVE_SCALED_H
#define SP_SOLVE_SCALED_H

#include "encode/expr.h"

/* e = *scale * the result, *scale > 0. Terms that differ in their scale alone
 * have the same result, up to indices. Only for finding: nothing is proved. */
sp_expr spi_without_scale(sp_pool *p, sp_expr e, sp_num *scale);

#endif
