/* roll_i.h: shared by roll.c and roll_split.c. */
#ifndef SP_GRAPH_ROLL_I_H
#define SP_GRAPH_ROLL_I_H

#include "graph/roll.h"

/* The program with every operator that cuts a tensor into several (split,
 * chunk, unbind) made one slice for each piece in use. Then ranks that take
 * different pieces, split(x, 2)[rank], differ in numbers only. The same
 * program when there is none. */
const sp_program *roll_split(sp_ctx *ctx, const sp_program *p);

#endif
