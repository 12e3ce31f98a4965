/* support_rules.h: a prover for one test of the rules of solve/, and short
 * names for terms.
 */
#ifndef SP_TESTS_SUPPORT_RULES_H
#define SP_TESTS_SUPPORT_RULES_H

#include "solve/prove.h"
#include "tests/support_prove.h"

#define NONE ((sp_hyps){0})

/* The pool is in RAW_INDEX mode from then on, as when a check proves. */
sp_prover *prover(bench *b);
bool equal(sp_prover *pr, sp_expr a, sp_expr b);

/* Reductions over one variable and over two. */
sp_expr red1(bench *b, sp_red_op op, sp_expr k, sp_expr body);
sp_expr red2(bench *b, sp_red_op op, sp_expr k, sp_expr m, sp_expr body);
/* c * a + low */
sp_expr digits(bench *b, sp_expr a, int64_t c, sp_expr low);

#define PROVED(x) CU_ASSERT_TRUE(x)
#define OPEN(x) CU_ASSERT_FALSE(x)

#endif
