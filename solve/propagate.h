/* propagate.h: the parts of the loop over the distributed program. Internal to
 * solve/.
 */
#ifndef SP_SOLVE_PROPAGATE_H
#define SP_SOLVE_PROPAGATE_H

#include "solve/state.h"

/* ---- attempt.c ---- */
/* For spi_index_visit: env is an spi_attempt, which tells what was found. */
bool spi_visit_candidate(sp_state *s, uint32_t seq, void *env);

/* ---- find.c ---- */
/* Defines what the tensor may be compared with. */
void spi_refresh_for(sp_state *s, uint32_t dist);
/* The sequential tensor that a->term is, times a->scale, proved. */
bool spi_look_for(sp_state *s, spi_attempt *a);

/* ---- borders.c ---- */
/* The tensor is related on one side of a border at least: proved. */
bool spi_relate_inside(sp_state *s, uint32_t dist);

/* ---- propagate.c ---- */
/* Reads, constants, choices between them: nothing to match. depth: of choices
 * around e. */
bool spi_is_clean(const sp_state *s, sp_expr e, int depth);
/* What was found is a name from now on; the element that a->phi says. */
sp_expr spi_anchor_at(sp_state *s, const spi_attempt *a);
void spi_adopt(sp_state *s, const spi_attempt *a, sp_expr relation);

#endif
