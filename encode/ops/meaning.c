/* meaning.c: custom operators whose meaning a spec gives as a formula, and the
 * definitions of kernels (encode/meaning.h). The reader has put the arguments
 * into attributes by the parameters' names. */
#include "encode/meaning_i.h"

#include <string.h>

static bool is_param(const sp_meaning *m, const sp_attr *a) {
  for (uint32_t i = 0; i < m->n_params; i++) {
    if (strcmp(m->params[i].name, a->name) == 0) {
      return true;
    }
  }
  return a->kind == SP_ATTR_MEANING;
}

static void meaning_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_meaning *m = spi_meaning_of(node);
  if (!m) {
    spi_bad(ctx, node, "the meaning is missing");
  }
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    if (!is_param(m, &node->attrs[i])) {
      spi_unknown(ctx, node, "argument %s is not in its meaning",
                  node->attrs[i].name);
    }
  }
  spi_sizes s;
  spi_sizes_bind(&s, ctx, program, node);
  for (uint32_t k = 0; k < node->n_out; k++) {
    if (k >= m->n_results) {
      spi_bad(ctx, node, "its meaning has %u results", m->n_results);
    }
    if (spi_out(program, node, k)->dtype == SP_DTYPE_INVALID ||
        !m->results[k].name) {
      continue;
    }
    uint32_t n;
    const int64_t *dims =
        spi_sizes_list(&s, m->results[k].n_dims, m->results[k].dims, &n);
    if (n > SP_MAX_DIMS) {
      spi_bad(ctx, node, "its meaning has %u dimensions", n);
    }
    spi_expect(ctx, program, node, k, n, dims);
  }
}

static const char *const meaning_spellings[] = {SP_MEANING_OP, SP_KERNEL_OP,
                                                NULL};
static const sp_op meaning_row = {
    .name = "meaning",
    .spellings = meaning_spellings,
    .own_args = true,
    .max_operands = UINT32_MAX,
    .shape = meaning_shape,
    .element = spi_meaning_element,
    .meaning = "as the formula in the spec or kernel says (docs/specs.md, "
               "docs/kernels.md)",
};

extern const sp_op *const sp_ops_meaning[];
const sp_op *const sp_ops_meaning[] = {
    &meaning_row,
    NULL,
};
