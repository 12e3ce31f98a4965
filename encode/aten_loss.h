/* aten_loss.h: what losses do with the values of single elements: nothing,
 * their mean, or their sum. Defined in encode/ops/aten_loss.c. */
#ifndef SP_ENCODE_ATEN_LOSS_H
#define SP_ENCODE_ATEN_LOSS_H

#include "encode/aten_util.h"

typedef enum spi_reduction {
  SPI_LOSS_NONE,
  SPI_LOSS_MEAN,
  SPI_LOSS_SUM,
} spi_reduction;

/* The argument reduction: a number, or a text. */
spi_reduction spi_reduction_of(sp_ctx *ctx, const sp_node *node);

#endif
