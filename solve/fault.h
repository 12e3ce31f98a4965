/* fault.h: where, and what kind of fault.
 *
 * CONTRACT. Given a run of both programs that differs, the earliest
 * distributed tensor, on the way to the wrong result, whose values fit no
 * sequential tensor although its operands' do, and a sentence for people.
 * A guess to start looking from; the difference itself is certain. Internal to
 * solve/.
 */
#ifndef SP_SOLVE_FAULT_H
#define SP_SOLVE_FAULT_H

#include "solve/check.h"
#include "solve/evaluate.h"
#include "solve/repair.h"
#include "solve/state.h"

/* trial runs the same inputs with a tensor replaced (solve/repair.h); after it
 * the machines hold that run. */
const sp_fault *spi_find_fault(sp_state *s, const sp_report *report,
                               sp_machine *seq, sp_machine *dist,
                               spi_trial trial, void *env);

#endif
