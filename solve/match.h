/* match.h: laying one term over another, up to indices.
 *
 * CONTRACT. Walks a pattern (over unknown variables) and a target of equal
 * skeleton side by side and collects equations between their indices, which
 * equations.h then solves. Operands of a sum or product that have equal
 * skeletons can correspond in several orders: each run takes one choice,
 * sp_match_next moves to the next. Zero guards (padding) on one side only are
 * looked through. Heuristic throughout; nothing here is trusted.
 */
#ifndef SP_SOLVE_MATCH_H
#define SP_SOLVE_MATCH_H

#include "solve/equations.h"

enum { SP_MATCH_MAX_CHOICES = 16 };

typedef struct sp_match {
  sp_pool *p;
  sp_equations strong, weak;
  sp_equations branch;     /* from branches of choices: hold on one side */
  uint32_t branches;       /* how many of these we are in */
  SP_VEC(sp_expr) unknown; /* the caller's, then opened bound variables */
  uint32_t choice[SP_MATCH_MAX_CHOICES]; /* a permutation number each */
  uint32_t radix[SP_MATCH_MAX_CHOICES];  /* how many permutations there are */
  uint32_t n_choices;                    /* met in the last run */
  uint32_t tries;
  uint32_t steps; /* of the last run */
} sp_match;

void sp_match_init(sp_match *m, sp_pool *p);
/* False when the terms do not fit. */
bool sp_match_run(sp_match *m, sp_expr pattern, sp_expr target, uint32_t n,
                  const sp_expr *unknown);
/* Move to the next order of operands; false when all were tried, or enough. */
bool sp_match_next(sp_match *m);
/* Values of the first n unknowns; value[i].v == 0 where not found. */
void sp_match_solve(sp_match *m, uint32_t n, sp_expr *value);

/* A guarded term: neutral outside guard (a BOOL), body inside. neutral is the
 * identity of the reduction op. Guards nested in the neutral-free branch are
 * merged. Without a guard: true and e. */
void sp_guard_of(sp_pool *p, sp_red_op op, sp_expr e, sp_expr *guard,
                 sp_expr *body);

#endif
