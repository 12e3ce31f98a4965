/* hlo_literal.h: the values of a constant in HLO text. Inside graph/ only. */
#ifndef SP_GRAPH_HLO_LITERAL_H
#define SP_GRAPH_HLO_LITERAL_H

#include "graph/hlo_lex.h"

/* Reads "1.5" or "{ {1, 2}, {3, 4} }" for an array of that shape. Floats are
 * the nearest value of the dtype, so that text and proto agree. NULL when the
 * dump left the values out: "{...}". */
const sp_literal *hlo_literal_read(hlo_lex *l, const sp_shape *shape);

/* The value of a float dtype that is nearest to v (ties to even); infinite
 * when it is too large. NaN and infinities pass. */
double hlo_round_to(sp_dtype dtype, double v);

/* Copies the elements (in i, or in f when i is NULL; complex: pairs in f) into
 * a literal; a splat where all have the same bits. The proto reader calls it,
 * too. */
const sp_literal *hlo_literal_make(sp_ctx *ctx, const sp_shape *shape,
                                   const int64_t *i, const double *f);

#endif
