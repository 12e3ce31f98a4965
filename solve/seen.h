/* seen.h: terms that a walk has visited: terms share sub-terms, and a walk that
 * visits each occurrence takes time exponential in the nesting. Internal to
 * solve/.
 */
#ifndef SP_SOLVE_SEEN_H
#define SP_SOLVE_SEEN_H

#include "encode/expr.h"

typedef struct spi_seen {
  sp_ctx *ctx;
  uint32_t *slot; /* open addressing, term ids */
  uint32_t n, cap;
} spi_seen;

/* False the first time a term comes. Memory is scratch: release it by a mark
 * taken before the first call. */
bool spi_seen_before(spi_seen *s, sp_expr e);
/* Terms inside e, each once, up to limit. */
uint32_t spi_term_size(sp_pool *p, sp_expr e, uint32_t limit);

#endif
