/* z3.h: a formula handed to Z3.
 *
 * CONTRACT. z3.c is the only file that includes <z3.h>. One Z3 context per
 * sp_z3, deleted when the sp_ctx goes. An error inside Z3 never exits and
 * never jumps: it makes the answer SP_Z3_UNKNOWN with a text. Only
 * SP_Z3_UNSAT means anything to a proof.
 */
#ifndef SP_ENCODE_Z3_H
#define SP_ENCODE_Z3_H

#include "encode/formula.h"

typedef struct sp_z3 sp_z3;
typedef enum sp_z3_answer {
  SP_Z3_UNKNOWN,
  SP_Z3_UNSAT,
  SP_Z3_SAT,
} sp_z3_answer;

sp_z3 *sp_z3_new(sp_ctx *ctx, uint32_t timeout_ms); /* 0: no limit */
void sp_z3_limit(sp_z3 *z, uint32_t timeout_ms);    /* for checks from now on */
sp_z3_answer sp_z3_check(sp_z3 *z, const sp_formula *f);
/* What all checks took so far, in Z3's own measure of work: the same whatever
 * else the machine does. About 20,000 are a millisecond. */
uint64_t sp_z3_steps(const sp_z3 *z);
/* Why the last answer was unknown; "" when it was not. */
const char *sp_z3_trouble(const sp_z3 *z);

#endif
