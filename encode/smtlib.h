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

/* What goes into the comments. */
typedef struct sp_smtlib_notes {
  const char *rule, *about, *answer;
  /* what a declaration stands for, or ""; may be NULL */
  const char *(*decl)(void *user, uint32_t decl);
  void *user;
} sp_smtlib_notes;

/* proved: the file expects `unsat`. */
void sp_smtlib_print(sp_str *out, const sp_formula *f, bool proved,
                     const sp_smtlib_notes *notes);

/* Writes text to dir/NNNNN-rule.smt2 under a temporary name first, and makes
 * dir if it is not there. Raises SP_ERR_INPUT with the path. */
void sp_smtlib_write(sp_ctx *ctx, const char *dir, uint64_t number,
                     const char *rule, const sp_str *text);

#endif
