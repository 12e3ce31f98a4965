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

#include "solve/bench.h"
#include "solve/check.h"
#include "solve/state.h"

/* The bench holds a run that differs; afterwards it holds the same. */
const sp_fault *spi_find_fault(sp_state *s, const sp_report *report,
                               spi_bench *b);

#endif
