/* format.h: the one layout of a kernel file.
 *
 * CONTRACT. Blanks and empty lines change, nothing else: the tokens of the
 * result are those of the text (checked), its comments too. Line breaks stay
 * where they are. Formatting twice is formatting once. Raises SP_ERR_INPUT for
 * a text that is no kernel file.
 */
#ifndef SP_KERNELS_FORMAT_H
#define SP_KERNELS_FORMAT_H

#include "base/ctx.h"

/* In context memory. */
const char *sp_kernel_format(sp_ctx *ctx, const char *file, const char *text,
                             size_t n);

#endif
