/* report.h: the result of one check, as text, JSON, SARIF, graph, page,
 * reproducer.
 *
 * CONTRACT. check.c fills a cli_outcome; report_*.c and repro.c only print what
 * is in it, and all say the same. docs/json.md documents the JSON.
 */
#ifndef SP_CLI_REPORT_H
#define SP_CLI_REPORT_H

#include "cli/options.h"
#include "solve/check.h"

typedef struct cli_outcome {
  const char *before, *after;                       /* file names as given */
  const sp_program *before_program, *after_program; /* NULL: not read */
  const sp_problem *problem; /* of a spec or a kernel; NULL: of the pair */
  const sp_report *report;   /* NULL when an error came before it */
  const sp_error *error;     /* NULL when there was none */
  sp_asked_list *log;        /* --explain=smt; else NULL */
  int exit_code;
  double seconds, read_seconds; /* wall time: all; of it, reading files */
  uint64_t peak_bytes;          /* of the process */
} cli_outcome;

const char *cli_verdict_name(sp_verdict v); /* "REFINES", ... */
/* The same; NULL when the outcome is an input or usage error. An error
 * that is UNPROVEN (an operator without a meaning) has a verdict. */
const char *cli_verdict(const cli_outcome *outcome);

/* On stdout. */
void cli_print_report(sp_ctx *ctx, const cli_values *values,
                      const cli_outcome *outcome);

/* Parts of it: the first line; "programs.py:65 (jit(f)/dot_general)", or the
 * place in the dump; the counterexample and the fault of a VIOLATION. */
void cli_print_verdict(sp_ctx *ctx, const cli_values *values,
                       const char *verdict, const char *sentence);
const char *cli_place_text(sp_ctx *ctx, const sp_pos *pos);
void cli_print_fault(sp_ctx *ctx, const cli_outcome *outcome);

/* All reports in files that the options ask for. Ready: files can be written
 * and folders are there, before a long run; false after saying what is not. */
bool cli_reports_ready(sp_ctx *ctx, const cli_values *values);
bool cli_reports_write(sp_ctx *ctx, const cli_values *values,
                       const cli_outcome *outcome);

/* One of them (cli/output.h). False after reporting why it failed. */
bool cli_write_json(sp_ctx *ctx, const cli_values *values,
                    const cli_outcome *outcome);
bool cli_write_sarif(sp_ctx *ctx, const cli_values *values,
                     const cli_outcome *outcome);
bool cli_write_dot(sp_ctx *ctx, const cli_values *values,
                   const cli_outcome *outcome);
bool cli_write_html(sp_ctx *ctx, const cli_values *values,
                    const cli_outcome *outcome);
/* Inputs, indices and a script into the folder values->repro, when there is a
 * counterexample. */
bool cli_write_repro(sp_ctx *ctx, const cli_values *values,
                     const cli_outcome *outcome);
/* json is a json_t. */
bool cli_write_json_to(sp_ctx *ctx, const char *path, const void *json);

#endif
