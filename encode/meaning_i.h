/* meaning_i.h: meanings as operators. Inside encode/ only. meaning_size.c binds
 * sizes and works out those of results, meaning_term.c makes terms. */
#ifndef SP_ENCODE_MEANING_I_H
#define SP_ENCODE_MEANING_I_H

#include "encode/meaning.h"
#include "encode/op_util.h"

/* A size, or several (of *B, and the numbers of a list parameter). */
typedef struct spi_size {
  const char *name;
  bool list;
  uint32_t n;
  const int64_t *v;
} spi_size;

typedef struct spi_sizes {
  sp_ctx *ctx;
  const sp_program *program;
  const sp_node *node;
  const sp_meaning *meaning;
  uint32_t n;
  spi_size *v;
} spi_sizes;

const sp_meaning *spi_meaning_of(const sp_node *node);
/* Operand number of a tensor parameter. */
uint32_t spi_meaning_operand(const spi_sizes *s, const sp_meaning_param *q);
/* All names of sizes bound from the operands' shapes; raises SP_ERR_INPUT at
 * the node where they do not fit the signature. */
void spi_sizes_bind(spi_sizes *s, sp_ctx *ctx, const sp_program *program,
                    const sp_node *node);
const spi_size *spi_sizes_find(const spi_sizes *s, const char *name);
/* The integers that a list of sizes stands for. */
const int64_t *spi_sizes_list(const spi_sizes *s, uint32_t n,
                              const sp_lang *const *items, uint32_t *count);
/* One of them: false when it is not made of sizes and numbers only. */
bool spi_sizes_known(const spi_sizes *s, const sp_lang *e);
int64_t spi_sizes_value(const spi_sizes *s, const sp_lang *e);

/* Element of result call->result. */
sp_expr spi_meaning_element(const sp_call *call, const sp_expr *idx);

#endif
