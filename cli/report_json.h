/* report_json.h: the report as JSON: a file of its own (--json), and part of
 * the page (--html). The caller owns what is returned. */
#ifndef SP_CLI_REPORT_JSON_H
#define SP_CLI_REPORT_JSON_H

#include "cli/report.h"

#include <jansson.h>

/* all: every tensor, and the values around a counterexample. */
json_t *cli_json_report(sp_ctx *ctx, bool all, const cli_outcome *outcome);
/* A JSON text, whatever bytes came in; null for NULL. */
json_t *cli_json_text(sp_ctx *ctx, const char *text);
/* null for 0 */
json_t *cli_json_position(uint64_t n);

#endif
