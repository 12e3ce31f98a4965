/* command.h: what a command of the program is.
 *
 * CONTRACT. One file a command (check.c, run.c, ...), one cli_command row
 * in each, listed in main.c. A row carries the command's options, from which
 * both parsing and --help come (options.c). The cli is the only part of the
 * project that prints or that knows exit codes.
 */
#ifndef SP_CLI_COMMAND_H
#define SP_CLI_COMMAND_H

#include "base/ctx.h"
#include "cli/options.h"

/* Exit codes, promised in README.md. */
enum {
  CLI_REFINES = 0, /* also: any other command that succeeded */
  CLI_VIOLATION = 1,
  CLI_UNPROVEN = 2,
  CLI_USAGE = 3, /* also: there is no place for an output file */
  CLI_INPUT = 4, /* also: writing an output file failed */
};

typedef struct cli_command cli_command;
struct cli_command {
  const char *name;
  const char *arguments;     /* "BEFORE AFTER", for the usage line */
  const char *summary;       /* one line, no full stop */
  const char *details;       /* paragraphs for --help, each line at most 78 */
  const cli_option *options; /* name NULL at the end */
  /* Returns an exit code. values hold the options and the arguments. */
  int (*run)(sp_ctx *ctx, const cli_values *values);
};

extern const cli_command cli_check;
extern const cli_command cli_fmt;
extern const cli_command cli_show;
extern const cli_command cli_ops;
extern const cli_command cli_spec;
extern const cli_command cli_run;
extern const cli_command cli_bisect;

#endif
