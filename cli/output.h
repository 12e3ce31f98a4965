/* output.h: files that reports go to.
 *
 * CONTRACT. A file is written to a temporary one next to it and renamed, so
 * that a reader never sees half of it; a device, a pipe or a link is written in
 * place. Failures are reported (cli/message.h) here.
 */
#ifndef SP_CLI_OUTPUT_H
#define SP_CLI_OUTPUT_H

#include "base/ctx.h"

#include <stdio.h>

typedef bool (*cli_dump_fn)(FILE *f, const void *what);

/* Can the file be written? Asked before a long run. Reports why not. */
bool cli_writable(sp_ctx *ctx, const char *path);
/* False after reporting why it failed. */
bool cli_write_file(sp_ctx *ctx, const char *path, cli_dump_fn dump,
                    const void *what);

#endif
