/* tensor_file.h: values of a machine's tensors in .npy files (base/npy.h).
 *
 * CONTRACT. A file holds one rank's tensor, or all ranks' with the rank as the
 * first dimension. Integers and predicates keep their type, floats narrower
 * than f32 become f32. Reading checks shapes and raises SP_ERR_INPUT.
 */
#ifndef SP_CLI_TENSOR_FILE_H
#define SP_CLI_TENSOR_FILE_H

#include "solve/evaluate.h"

/* rank < 0: all ranks, stacked. */
void cli_tensor_write(sp_ctx *ctx, const char *path, sp_machine *m,
                      uint32_t tensor, int64_t rank);
/* The tensor's shape: the same on all ranks; [ranks, shape]: by rank. */
void cli_tensor_read(sp_ctx *ctx, const char *path, sp_machine *m,
                     uint32_t tensor);

#endif
