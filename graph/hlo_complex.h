/* hlo_complex.h: complex numbers as two tensors of reals. Inside graph/ only.
 */
#ifndef SP_GRAPH_HLO_COMPLEX_H
#define SP_GRAPH_HLO_COMPLEX_H

#include "graph/program.h"

/* p, where no tensor is complex; else a program of reals. Complex parameters
 * and results become pairs: real, with a last dimension of 2. */
const sp_program *hlo_complex_parts(sp_ctx *ctx, const sp_program *p);

#endif
