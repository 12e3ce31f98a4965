/* aten_span.c: reducing over some dimensions of an operand. */
#include "encode/aten_span.h"

#include <string.h>

/* Some operators tell an empty list of dimensions (none) from None (all). */
static bool none_reduced(sp_ctx *ctx, const sp_node *node) {
  uint32_t n;
  if (!spi_arg_given(node, "dim") ||
      !strstr(sp_op_find(node->op)->params, "int[]? dim")) {
    return false;
  }
  spi_arg_ints(ctx, node, "dim", &n);
  return n == 0;
}

spi_span spi_span_of(sp_ctx *ctx, const sp_program *program,
                     const sp_node *node) {
  spi_span s = {.a = spi_arg_shape(ctx, program, node, "self"),
                .keep = spi_arg_bool(ctx, node, "keepdim"),
                .count = 1};
  spi_arg_dims(ctx, node, "dim", s.a->n_dims, s.in);
  if (none_reduced(ctx, node)) {
    memset(s.in, 0, sizeof s.in);
  }
  for (uint32_t d = 0; d < s.a->n_dims; d++) {
    s.count *= s.in[d] ? s.a->dims[d] : 1;
  }
  return s;
}

spi_dims spi_span_dims(const spi_span *s) {
  spi_dims r = {0};
  for (uint32_t d = 0; d < s->a->n_dims; d++) {
    if (!s->in[d]) {
      r.d[r.n++] = s->a->dims[d];
    } else if (s->keep) {
      r.d[r.n++] = 1;
    }
  }
  return r;
}

spi_slice spi_span_slice(sp_pool *p, const spi_span *s, const sp_expr *idx) {
  spi_slice r = {0};
  uint32_t m = 0;
  for (uint32_t d = 0; d < s->a->n_dims; d++) {
    if (s->in[d]) {
      r.sizes[r.n_vars] = s->a->dims[d];
      r.at[d] = sp_fresh(p, s->a->dims[d]);
      r.vars[r.n_vars++] = r.at[d];
      m += s->keep ? 1 : 0;
    } else {
      r.at[d] = idx[m++];
    }
  }
  return r;
}
