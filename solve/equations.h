/* equations.h: solving equations between index expressions.
 *
 * CONTRACT. Given equations lhs = rhs over the integers, where the lhs may
 * mention unknown variables, find terms for the unknowns by reading the
 * equations as mixed-radix digits: from `96*a + k = 1152 r + 96 j + k'` follow
 * `a = 12 r + j`, `k = k'`; from `i div 24 = a` and `i mod 24 = b` follows
 * `i = 24 a + b`; from `(3 q) div 2 = t` and `q mod 2 = b`, last of all,
 * `q = (2 t + b) div 3`. The answer is a guess: whoever uses it proves the
 * result. Nothing here is trusted. Cost: a few passes over the equations.
 */
#ifndef SP_SOLVE_EQUATIONS_H
#define SP_SOLVE_EQUATIONS_H

#include "base/vec.h"
#include "encode/expr.h"

typedef struct sp_equation {
  sp_expr lhs, rhs;
} sp_equation;
typedef SP_VEC(sp_equation) sp_equations;

/* Values for the n unknowns; value[i].v == 0 where none was found. Equations
 * in `weak` are used only for what `strong` leaves open. */
void sp_equations_solve(sp_pool *p, const sp_equations *strong,
                        const sp_equations *weak, uint32_t n,
                        const sp_expr *unknown, sp_expr *value);

#endif
