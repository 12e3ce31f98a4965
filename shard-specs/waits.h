/* waits.h: collectives of _c10d_functional are begun, and over once wait_tensor
 * was called. In the proof their results are what they are in the end. */
#ifndef SP_SHARD_SPECS_WAITS_H
#define SP_SHARD_SPECS_WAITS_H

#include "graph/program.h"

/* What is assumed where a result is read without that, of the first such read;
 * NULL: there is none. */
const char *sp_spec_unawaited(sp_ctx *ctx, const sp_program *p);

#endif
