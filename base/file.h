/* file.h: a whole file in context memory. */
#ifndef SP_BASE_FILE_H
#define SP_BASE_FILE_H

#include "base/ctx.h"

#define SP_MAX_FILE ((size_t)1 << 30)

/* The file's bytes, followed by a NUL that *n does not count. Raises
 * SP_ERR_INPUT at loc (where the path was named; {.file = path} when nowhere
 * else) when it cannot be opened or read, or is larger than limit bytes.
 * Pipes and devices can be read. */
char *sp_file_read(sp_ctx *ctx, const char *path, sp_loc loc, size_t limit,
                   size_t *n);
bool sp_file_exists(const char *path); /* and can be opened for reading */

#endif
