/* message.h: errors and hints on stderr.
 *
 * CONTRACT. `shardproof: error: FILE:LINE:COL: message`, then the line of the
 * file with a caret where the file is text, then `hint: ...`. Bytes of hostile
 * input reach a terminal only through cli_clean.
 */
#ifndef SP_CLI_MESSAGE_H
#define SP_CLI_MESSAGE_H

#include "base/ctx.h"

/* An error of the request itself; hint may be NULL. */
void cli_usage_error(const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The error of a context. */
void cli_report_error(const sp_error *error);
/* The text with control characters replaced, in context memory; valid UTF-8,
 * whatever came in. */
const char *cli_clean(sp_ctx *ctx, const char *text);
/* The exit code that an error of reading or checking maps to. */
int cli_exit_code(sp_code code);

#endif
