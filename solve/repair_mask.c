/* repair_mask.c: a mask that was computed and not used: what a rank looked up
 * beyond its part should be 0, and is not. Read spi_try_mask. */
#include "solve/mender.h"

#include <string.h>

enum { MAX_MASKS = 8 };

/* One truth value for each element of `of`, or for each block of its last
 * dimensions. */
static bool is_mask(const sp_shape *mask, const sp_shape *of) {
  return mask->dtype == SP_PRED && mask->n_dims > 0 &&
         mask->n_dims <= of->n_dims &&
         memcmp(mask->dims, of->dims, mask->n_dims * sizeof *mask->dims) == 0;
}

bool spi_try_mask(spi_mender *m, uint32_t at) {
  const sp_program *p = m->program;
  const sp_node *node = &p->nodes[at];
  const sp_shape *own = &p->tensors[node->out].shape;
  uint32_t tried = 0;
  if (node->n_out != 1 || node->n_in == 0 || !sp_dtype_is_float(own->dtype) ||
      m->loop != UINT32_MAX) {
    return false;
  }
  /* the last one before it is what its conditions came to */
  for (uint32_t t = node->out; t-- > 0 && tried < MAX_MASKS;) {
    if (!is_mask(&p->tensors[t].shape, own)) {
      continue;
    }
    tried++;
    spi_edit e = {.node = at, .becomes = node};
    for (int off = 0; off < 2; off++) {
      spi_scaling zero = {.masked = t + 1, .where_off = off};
      if (spi_offer_scaled(m, &e, zero,
                           "is not masked; with 0 where %s %s all results are "
                           "right",
                           p->tensors[t].name, off ? "is false" : "holds")) {
        return true;
      }
    }
  }
  return false;
}
