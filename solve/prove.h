/* prove.h: equality of two terms, by proof rules and Z3.
 *
 * CONTRACT. sp_prove_equal(a, b) is true only if a = b was proved for all
 * values of their free variables under the hypotheses. Terms without
 * reductions go to Z3 as they are. Equal reductions are found by the rules
 * below, each in a file of its own with its lemma and obligations at the top;
 * they enter the final query as proved hypotheses. Every obligation goes
 * through sp_prove. This folder of rules is part of the trusted base.
 *
 *   rule_reindex.c   congruence, re-index, guarded re-index, permutation
 *   rule_onehot.c    a sum of which one term is not zero
 *   rule_index.c     simpler indices and conditions, each proved
 *   rule_choice.c    a choice between terms of one form
 *   rule_pieces.c    a reduction and the combination of its pieces
 *   rule_cover.c     the images of many maps are all of a range
 *   rule_ranks.c     for each rank by itself
 *   rule_written.c   a reduction over few points, written out
 *   rule_moments.c   polynomials of sums: variances
 *   rule_branch.c    an equality in both branches of a choice
 *   rule_counts.c    sums compared term by term: running counts
 *   rule_extremum.c  an element is at most the maximum, a part's maximum too
 *   rule_adjacent.c  sums over neighbouring ranges are one
 *   rule_cases.c     a long choice, case by case
 *   rule_fractions.c quotients over a common denominator
 *   rule_topk.c      the largest of what are the largest of parts
 */
#ifndef SP_SOLVE_PROVE_H
#define SP_SOLVE_PROVE_H

#include "base/vec.h"
#include "encode/expr.h"
#include "encode/obligation.h"
#include "solve/equations.h"

typedef struct sp_prover sp_prover;

typedef struct sp_hyps {
  uint32_t n;
  const sp_expr *v; /* BOOL terms */
} sp_hyps;

sp_prover *sp_prover_new(sp_pool *pool, sp_solver *solver);
sp_pool *sp_prover_pool(const sp_prover *pr);
/* Which tensors the coming obligations are about (kept, not copied). */
void sp_prover_about(sp_prover *pr, const char *about);
/* Results are worth more effort than tensors on the way. */
void sp_prover_thorough(sp_prover *pr, bool thorough);
/* A limit in milliseconds for obligations from now on; 0: the usual one.
 * Returns what it was. */
uint32_t sp_prover_hurry(sp_prover *pr, uint32_t limit_ms);
/* New terms since then, and such that the effort is not to blame for. */
size_t sp_prover_spent(const sp_prover *pr);
void sp_prover_excuse(sp_prover *pr, size_t terms);
/* Nothing is proved later than so many seconds from now. Each effort gets a
 * part of what is left of these terms, and a few when nothing is. */
void sp_prover_deadline(sp_prover *pr, double seconds, size_t terms);
/* Nothing is proved that needs more new terms than this from now on (0: as
 * many as it takes): what fits is found with few. */
void sp_prover_effort(sp_prover *pr, size_t terms);
/* Before each equality, also inside of a proof, watch(user) is called; it may
 * set limits. watch NULL: nothing is. */
void sp_prover_watch(sp_prover *pr, void (*watch)(void *user), void *user);
/* Where terms are made without one: call it now. */
void sp_prover_look(sp_prover *pr);
/* Nothing is proved once the context holds more than so many bytes (0: no such
 * limit): terms are never freed. */
void sp_prover_room(sp_prover *pr, size_t bytes);
bool sp_prover_full(const sp_prover *pr);
/* Nothing is proved once that much work is done, in milliseconds (0: no such
 * limit): what Z3 says that it did, and terms made, so that it does not matter
 * what else the machine does. Some of what Z3 does it does not count: twice as
 * much processor time ends the proof, too. */
void sp_prover_budget(sp_prover *pr, uint32_t work_ms);
bool sp_prover_worn(const sp_prover *pr);
/* Past the deadline, or out of effort, room or budget. */
bool sp_prover_late(const sp_prover *pr);
/* Every obligation that was proved, in order, the cached ones, too. */
typedef struct sp_proved {
  const char *about, *rule;
  uint32_t n_hyps;
  sp_expr goal;
} sp_proved;
size_t sp_prover_proved(const sp_prover *pr, const sp_proved **list);

bool sp_prove_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps);
/* A BOOL term holds. */
bool sp_prove_holds(sp_prover *pr, const char *rule, sp_expr goal,
                    sp_hyps hyps);
/* guard holds nowhere under the hypotheses. */
bool sp_prove_never(sp_prover *pr, const char *rule, sp_expr guard,
                    sp_hyps hyps);

/* Cheap refutation by evaluating at a few pseudo-random points: false when the
 * terms certainly differ somewhere, true when they agree or the evaluation
 * was too long. Never a proof. */
bool sp_probe_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps);

/* The values of e at the probe's points where the hypotheses hold, for
 * comparing one term with many: false when the evaluation was too long. */
enum { SP_PROBE_POINTS = 3 };
typedef struct sp_probe_values {
  sp_value v[SP_PROBE_POINTS];
  bool applies[SP_PROBE_POINTS];   /* a place was found */
  uint64_t place[SP_PROBE_POINTS]; /* where the hypotheses hold */
} sp_probe_values;
bool sp_probe(sp_prover *pr, sp_expr e, sp_hyps hyps, uint64_t budget,
              sp_probe_values *out);
/* Another term has these values, found within the budget. */
bool sp_probe_like(sp_prover *pr, sp_expr e, uint64_t budget,
                   const sp_probe_values *want);

/* ---- rules; internal to solve/ ---- */
/* e with reductions over few points written out; moves: only those whose body
 * computes nothing. */
sp_expr spi_written_out(sp_prover *pr, sp_expr e, bool moves);
/* A reduction as the combination of its points, at most so many; or none. */
sp_expr spi_written_points(sp_prover *pr, sp_expr red, int64_t points);
bool spi_red_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps);
/* Is e a combination of n >= 2 terms by +, max or min, with one coefficient
 * (coef, 0 for max and min)? Or a reduction of such (coef 0)? */
bool spi_is_pieces(sp_pool *p, sp_expr e, sp_red_op *op, sp_num *coef);
/* Has the first piece the form of red's body, or of a branch of it? */
bool spi_like_pieces(sp_pool *p, sp_expr red, sp_expr pieces);
/* red is the combination of the terms of pieces (its coefficient aside); or
 * pieces is a max, min, or, and of one term: red, which is no reduction. */
bool spi_pieces_equal(sp_prover *pr, sp_expr red, sp_expr pieces, sp_hyps hyps);
/* All values of variables; a map of n variables into such a range. */
typedef struct spi_range {
  uint32_t n;
  const sp_expr *var;
} spi_range;
typedef struct spi_image {
  uint32_t n;
  const sp_expr *var;
  const sp_expr *map; /* for each variable of the range its value */
} spi_image;
/* Each point of the range is in one of the images, of which all have the same
 * form; false for other forms, too. */
bool spi_images_cover(sp_prover *pr, const char *rule, const spi_range *range,
                      uint32_t n, const spi_image *v, sp_hyps hyps);
/* Two polynomials of sums are equal: once multiplied out, with sums of one side
 * taken for those of the other, or for what these add up to. */
bool spi_moments_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps);
/* The same of quotients of polynomials. */
bool spi_quotients_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps);
/* Quotients by what is positive: equal over a common denominator. */
bool spi_fractions_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps);
/* Facts about maxima (minima) and elements that occur in both terms, proved,
 * added to the hypotheses. */
sp_hyps spi_extremum_facts(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps);
/* The rank, if it is free in e and has few values; else 0. */
sp_expr spi_rank_in(sp_pool *p, sp_expr e);
/* goal with each of these values written in, as one; goal itself without. */
sp_expr spi_at_each_rank(sp_pool *p, sp_expr goal);
/* The same, one obligation for each. */
bool spi_prove_by_rank(sp_prover *pr, const char *rule, sp_expr goal,
                       sp_hyps hyps);
/* Are the terms mostly choices by the rank? */
bool spi_shorter_by_rank(sp_pool *p, sp_expr a, sp_expr b);
/* Equal on each rank by itself. */
bool spi_equal_by_rank(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps);
/* e with sums among its addends joined that run over neighbouring ranges. */
sp_expr spi_adjacent_sums(sp_pool *p, sp_expr e);
/* The same for all terms in e. */
sp_expr spi_adjacent_sums_inside(sp_pool *p, sp_expr e);
/* Two terms without reductions differ only in what they compute of the rank,
 * and on each rank that is the same. */
bool spi_equal_on_each_rank(sp_prover *pr, sp_expr a, sp_expr b);
/* Facts about sums of integers that occur in e, proved, added to the
 * hypotheses. */
sp_hyps spi_count_facts(sp_prover *pr, sp_expr e, sp_hyps hyps);
/* For conditions on indices: a sum of integers in e. */
bool spi_has_count(sp_pool *p, sp_expr e);
/* Ways in which a count in e that mentions unknowns can be one that does not:
 * equations between the ends of their ranges. Returns how many, at most cap. */
uint32_t spi_count_equations(sp_prover *pr, sp_expr e, uint32_t n,
                             const sp_expr *unknown, sp_equation *out,
                             uint32_t cap);
/* e with its integer and boolean parts simplified where Z3 agrees. */
sp_expr spi_simpler_indices(sp_prover *pr, sp_expr e);
/* The same for remainders of remainders only: (x mod 8 - 1) mod 8. */
sp_expr spi_flatter_indices(sp_prover *pr, sp_expr e);
/* e with choices between terms of one form as one term. */
sp_expr spi_join_choices(sp_prover *pr, sp_expr e);
/* got is a long choice, and each case of it is want. */
bool spi_equal_by_cases(sp_prover *pr, sp_expr want, sp_expr got, sp_hyps hyps);
/* a = b, branch by branch of the choices in them. */
bool spi_equal_by_branches(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps);
/* Rewrites every SUM to which the one-hot rule applies; memoised. */
sp_expr spi_onehot(sp_prover *pr, sp_expr e);
sp_expr spi_onehot_rewrite(sp_prover *pr, sp_expr e); /* not memoised */
/* rule_topk.c: e, the largest of what are the largest of parts, as the largest
 * of all; 0 where it is not proved to be that. */
sp_expr spi_top_of_tops(sp_prover *pr, sp_expr e, sp_hyps hyps);
/* A sum in which such an element's position is put together of that of its part
 * and that in its part, with the position in the whole in place of them. */
sp_expr spi_position_of_top(sp_prover *pr, sp_expr e, sp_hyps hyps);
sp_hyps spi_hyps_with(sp_prover *pr, sp_hyps hyps, sp_expr extra);

#endif
