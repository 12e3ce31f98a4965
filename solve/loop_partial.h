/* loop_partial.h: carried tensors that are addends of the sequential ones.
 *
 * CONTRACT. Gradients are summed over microbatches on each rank and over ranks
 * once, after the loop. Inside it, a rank's tensor is no part of a sequential
 * one; the sum over its group is. spi_partial_* prove that such a relation
 * holds before the loop and is kept by the body; what is known after it enters
 * the state's `sums`, and terms are rewritten by them where a collective sums
 * the group. Internal to solve/.
 *
 * LEMMA. Let P(t) be a carried tensor of the ranks, S(t) one of the sequential
 * loop, G(r) the group of rank r, and sum over m in G(r) of P(0)(m, j) =
 * c * S(0)(phi(r, j)). If for every rank r, index j, step t and any P, S
 *   P'(r, j) = f(r, j) + a(r, j) * P(r, j)     with f, a free of P,
 *   S'(i) = g(i) + b(i) * S(i)                 with g, b free of S,
 *   a(m, j) = b(phi(r, j)) for m in G(r), and
 *   sum over m in G(r) of f(m, j) = c * g(phi(r, j)),
 * then the sums of P' are c * S'(phi): by distributing over the sum. The first
 * two lines are proved for P, S as unknown functions; f, g are what the bodies
 * give for P = 0, S = 0, and a, b what P = 1, S = 1 add to that.
 */
#ifndef SP_SOLVE_LOOP_PARTIAL_H
#define SP_SOLVE_LOOP_PARTIAL_H

#include "solve/state.h"

/* Groups that collectives or promises speak of: out[0 .. result). */
uint32_t spi_partial_groups(const sp_state *s, const sp_groups **out,
                            uint32_t max);
/* The relation holds of the tensors of s: proved. */
bool spi_partial_holds(sp_state *s, const spi_partial *x);
/* The bodies' results r_seq, r_dist are related when the parameters (which x
 * is about) are: proved by the lemma. The parameters must have no other
 * relation in s. */
bool spi_partial_kept(sp_state *s, const spi_partial *x, uint32_t r_seq,
                      uint32_t r_dist);

#endif
