/* explain_smt.h: `check --explain=smt`: what Z3 proved, in words and as
 * SMT-LIB, on stdout. */
#ifndef SP_CLI_EXPLAIN_SMT_H
#define SP_CLI_EXPLAIN_SMT_H

#include "encode/obligation.h"

void cli_explain_smt(sp_ctx *ctx, const sp_asked_list *asked);

#endif
