/* report.h: the result of one check, as text and as JSON.
 *
 * CONTRACT. check.c fills a cli_outcome; report_text.c and report_json.c only
 * print what is in it, and both say the same. docs/json.md documents the JSON.
 */
#ifndef SP_CLI_REPORT_H
#define SP_CLI_REPORT_H

#include "cli/options.h"
#include "solve/check.h"

typedef struct cli_outcome {
  const char *before, *after; /* file names as given */
  const sp_report *report;    /* NULL when an error came before it */
  const sp_error *error;      /* NULL when there was none */
  int exit_code;
  double seconds, read_seconds; /* wall time: all; of it, reading files */
  uint64_t peak_bytes;          /* of the process */
} cli_outcome;

/* "REFINES", ...; NULL when the outcome is an input or usage error. An error
 * that is UNPROVEN (an operator without a meaning) has a verdict. */
const char *cli_verdict(const cli_outcome *outcome);

/* On stdout. */
void cli_print_report(sp_ctx *ctx, const cli_values *values,
                      const cli_outcome *outcome);

/* Written to a temporary file next to path, then renamed, so that a reader
 * never sees half a file. False after reporting why it failed. */
bool cli_write_json(sp_ctx *ctx, const cli_values *values,
                    const cli_outcome *outcome);
/* Can the file be written? Asked before a long run. Reports why not. */
bool cli_json_writable(sp_ctx *ctx, const char *path);

#endif
