/* obligation.h: asking whether hypotheses imply a goal.
 *
 * CONTRACT. Only SP_PROVED counts as a proof: Z3 found that the formula of
 * abstract.h, hypotheses and not goal, has no model. SP_REFUTED means that it
 * has one, which may be an artefact of the abstraction (reductions, products
 * and functions are uninterpreted). SP_UNKNOWN: a timeout, an error of Z3, or
 * an obligation that cannot be stated (see sp_solver_trouble).
 * Answers are remembered by the formula itself: an obligation that is equal
 * up to the names of variables, tensors, functions and reductions is answered
 * from memory. Nothing is believed of a hash: the whole formulas are compared.
 * An unknown is remembered for this run only, as unknown.
 * All memory hangs from the pool's context, the Z3 context too.
 */
#ifndef SP_ENCODE_OBLIGATION_H
#define SP_ENCODE_OBLIGATION_H

#include "base/vec.h"
#include "encode/expr.h"

typedef struct sp_solver sp_solver;

typedef enum sp_answer {
  SP_PROVED,
  SP_REFUTED,
  SP_UNKNOWN,
} sp_answer;

/* An obligation as it was put to Z3. */
typedef struct sp_asked {
  sp_pool *pool;
  const char *rule, *about, *smtlib;
  uint32_t n_hyps;
  const sp_expr *hyps;
  sp_expr goal;
  sp_answer answer;
} sp_asked;

typedef SP_VEC(sp_asked) sp_asked_list;

typedef struct sp_solver_options {
  uint32_t timeout_ms;  /* for one obligation; 0: none. Measured in work, not
                           by the clock, so that answers do not depend on what
                           else the machine does. When two used it up, later
                           ones get a tenth of it, when twenty did, a hundredth:
                           what is wrong is found by running, not by proving
                           again and again */
  const char *smt2_dir; /* NULL: write nothing */
  bool no_cache;        /* ask Z3 every time */
  sp_asked_list *log;   /* gets each different formula once; NULL: no log */
} sp_solver_options;

typedef struct sp_solver_stats {
  uint64_t asked, distinct;          /* calls; different formulas */
  uint64_t proved, refuted, unknown; /* answers to calls */
  uint64_t failed, tired; /* different formulas not proved; by the limit */
  uint64_t steps_failed;  /* of those, in Z3's own measure of work */
  uint64_t steps;         /* of all */
  uint64_t by_value;      /* refuted without Z3, of these */
  uint64_t cache_hits;
  double seconds; /* in Z3 */
} sp_solver_stats;

sp_solver *sp_solver_new(sp_pool *pool, const sp_solver_options *o);
/* fails(user, ...) has found values for which the hypotheses hold and the goal
 * does not: SP_REFUTED without asking Z3. */
typedef bool sp_fails(void *user, uint32_t n_hyps, const sp_expr *hyps,
                      sp_expr goal);
void sp_solver_try_first(sp_solver *s, sp_fails *fails, void *user);
/* For all values of free variables within their extents, hyps imply goal
 * (BOOL terms). rule names the proof rule ("re-index: bodies"), about names
 * tensors; both go to the comment of the SMT-LIB file, nowhere else. Raises
 * SP_ERR_INPUT when that file cannot be written. */
sp_answer sp_prove(sp_solver *s, const char *rule, const char *about,
                   uint32_t n_hyps, const sp_expr *hyps, sp_expr goal);
/* No obligation from now on may take longer; 0: back to the options' limit. */
void sp_solver_hurry(sp_solver *s, uint32_t timeout_ms);
/* Nor longer than that, in milliseconds of work; 0: what the limits say. */
void sp_solver_left(sp_solver *s, uint32_t left_ms);
const sp_solver_stats *sp_solver_statistics(const sp_solver *s);
/* Why the last answer was SP_UNKNOWN ("timeout", Z3's text); else "". */
const char *sp_solver_trouble(const sp_solver *s);

#endif
