/* smtlib.h: a formula as SMT-LIB 2.6 text, for other solvers to re-check.
 *
 * CONTRACT. The text says what z3.c asserts, term by term (one fold over
 * formula.h's vector each). Z3 and cvc5 read it. Names of declarations are
 * their stem and number, so no name of a program ever becomes syntax; texts
 * for humans stand in comments, with control characters replaced.
 */
#ifndef SP_ENCODE_SMTLIB_H
#define SP_ENCODE_SMTLIB_H

#include "encode/formula.h"

/* proved: the file expects `unsat`. rule, about, answer: comments. */
void sp_smtlib_print(sp_str *out, const sp_formula *f, const char *rule,
                     const char *about, const char *answer, bool proved);

/* Writes text to dir/NNNNN-rule.smt2 under a temporary name first, and makes
 * dir if it is not there. Raises SP_ERR_INPUT with the path. */
void sp_smtlib_write(sp_ctx *ctx, const char *dir, uint64_t number,
                     const char *rule, const sp_str *text);

#endif
