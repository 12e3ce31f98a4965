/* vain.h: searches that came to nothing are not made again for each layer.
 *
 * CONTRACT. Masks, partial sums and the like have no sequential counterpart in
 * any layer, and to find that out takes every way there is. Terms are alike if
 * they differ in which tensors (of a shape) they read, at most. Once two like
 * terms were looked for in vain, further ones are only looked for in the ways
 * that cost little. This says what is tried, never what is proved: a relation
 * that is missed for it can make a program UNPROVEN, so a check that skipped
 * something and did not prove all is made again without this (check.c).
 * Internal to solve/.
 */
#ifndef SP_SOLVE_VAIN_H
#define SP_SOLVE_VAIN_H

#include "encode/expr.h"
#include "solve/prove.h"

typedef struct spi_vain spi_vain;

spi_vain *spi_vain_new(sp_pool *p);
/* The same for terms (under hypotheses) that are alike. */
uint64_t spi_vain_key(spi_vain *v, sp_expr e, sp_hyps hyps);
/* Like terms were looked for in vain, often enough, and none was found: counts
 * as skipped. */
bool spi_vain_again(spi_vain *v, uint64_t key);
void spi_vain_note(spi_vain *v, uint64_t key, bool found);
/* Anything skipped? */
bool spi_vain_skipped(const spi_vain *v);

#endif
