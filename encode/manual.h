/* manual.h: the borders of manual mode, for custom-call. */
#ifndef SP_ENCODE_MANUAL_H
#define SP_ENCODE_MANUAL_H

#include "encode/op_util.h"
#include "graph/layout.h"

typedef enum spi_border {
  SPI_BORDER_NONE,
  SPI_BORDER_ENTER, /* from wholes to the blocks of devices */
  SPI_BORDER_LEAVE,
} spi_border;

/* Result k of a border is operand k, cut or put together. */
spi_border spi_border_of(const sp_node *node);
void spi_manual_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node);
/* The whole behind result k; raises SP_ERR_UNKNOWN where it is not cut evenly.
 */
typedef struct spi_manual_cut {
  const sp_shape *whole;
  const sp_layout *layout;
  const int64_t *owners; /* by block: the first rank that has it */
  int64_t n;             /* blocks */
} spi_manual_cut;
spi_manual_cut spi_manual_cut_of(sp_ctx *ctx, const sp_program *program,
                                 const sp_node *node, uint32_t k);
/* No borders, or of the same shardings. */
bool spi_manual_same(const sp_program *p, const sp_node *a, const sp_program *q,
                     const sp_node *b);
sp_expr spi_manual_element(const sp_call *call, const sp_expr *idx);

#endif
