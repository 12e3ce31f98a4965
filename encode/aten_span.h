/* aten_span.h: reducing over some dimensions of an operand: which, and how
 * the result's coordinates go into it.
 *
 * The parameters are called self, dim (an int or a list; None is all, and so
 * is [] unless the row has "int[]? dim") and keepdim.
 */
#ifndef SP_ENCODE_ATEN_SPAN_H
#define SP_ENCODE_ATEN_SPAN_H

#include "encode/aten_util.h"

typedef struct spi_span {
  const sp_shape *a;
  bool in[SP_MAX_DIMS]; /* reduced over */
  bool keep;
  int64_t count; /* elements in a span */
} spi_span;

spi_span spi_span_of(sp_ctx *ctx, const sp_program *program,
                     const sp_node *node);
/* The result's sizes. */
spi_dims spi_span_dims(const spi_span *s);

/* A variable for each reduced dimension, and the operand's index in terms of
 * them and of the result's index. */
typedef struct spi_slice {
  uint32_t n_vars;
  sp_expr vars[SP_MAX_DIMS], at[SP_MAX_DIMS];
  int64_t sizes[SP_MAX_DIMS]; /* of the variables */
} spi_slice;

spi_slice spi_span_slice(sp_pool *p, const spi_span *s, const sp_expr *idx);

#endif
