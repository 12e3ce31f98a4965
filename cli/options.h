/* options.h: options of a command as one table of rows.
 *
 * CONTRACT. A row says everything about an option: its spelling, what it
 * takes, its help text, and how its value is stored in cli_values. Parsing
 * and --help both read the rows, so neither can forget one. Values point into
 * argv or the context; a wrong value is reported (cli/message.h) here.
 */
#ifndef SP_CLI_OPTIONS_H
#define SP_CLI_OPTIONS_H

#include "base/ctx.h"
#include "solve/check.h"

/* All values that some command has an option for. */
typedef struct cli_values {
  int n_arguments;
  char **arguments;
  bool help;
  /* check */
  size_t n_assume;
  sp_assumed_range *assume;
  const char *spec;
  const char *smt2_dir;
  const char *json, *sarif, *dot, *html; /* files */
  const char *repro;                     /* a folder */
  uint32_t timeout_ms;
  uint32_t proof_mb;
  uint32_t budget_ms;
  double run_budget; /* operations; 0: the default, negative: do not run */
  bool explain, explain_smt, each_layer, quiet, no_color;
  const char *grade; /* the exercise */
  /* bisect */
  const char *module;
  /* fmt */
  bool fmt_check, fmt_in_place;
  /* run */
  size_t n_inputs;
  const char **inputs; /* NAME=FILE */
  uint64_t seed;
  const char *output; /* a folder */
  bool round, sequential;
} cli_values;

typedef struct cli_option cli_option;
struct cli_option {
  const char *name;  /* long spelling, without dashes */
  char letter;       /* short spelling, or 0 */
  const char *value; /* what it takes, "FILE"; "[=smt]": may take, the long
                        spelling only; NULL = a flag */
  const char *help;  /* lines of at most 52 columns */
  /* Store it. False when the value is wrong, after saying why. */
  bool (*set)(sp_ctx *ctx, cli_values *values, const char *text);
};

struct cli_command;

/* Parse argv[1..] for a command; false after reporting what is wrong. */
bool cli_parse(sp_ctx *ctx, const struct cli_command *command, int argc,
               char **argv, cli_values *values);
/* The --help text of a command, on stdout. */
void cli_print_help(const struct cli_command *command);

/* The row that every command has. */
#define CLI_OPTION_HELP                                                        \
  { "help", 'h', NULL, "print this text", cli_set_help }
#define CLI_OPTIONS_END                                                        \
  { NULL, 0, NULL, NULL, NULL }
bool cli_set_help(sp_ctx *ctx, cli_values *values, const char *text);
/* Options that several commands have (set.c). */
bool cli_set_assume(sp_ctx *ctx, cli_values *values, const char *text);
bool cli_set_run_budget(sp_ctx *ctx, cli_values *values, const char *text);
bool cli_set_memory(sp_ctx *ctx, cli_values *values, const char *text);
bool cli_set_timeout(sp_ctx *ctx, cli_values *values, const char *text);
bool cli_set_budget(sp_ctx *ctx, cli_values *values, const char *text);
bool cli_set_quiet(sp_ctx *ctx, cli_values *values, const char *text);
bool cli_set_no_color(sp_ctx *ctx, cli_values *values, const char *text);
bool cli_set_json(sp_ctx *ctx, cli_values *values, const char *text);
bool cli_set_sarif(sp_ctx *ctx, cli_values *values, const char *text);
bool cli_set_dot(sp_ctx *ctx, cli_values *values, const char *text);
bool cli_set_html(sp_ctx *ctx, cli_values *values, const char *text);
bool cli_set_repro(sp_ctx *ctx, cli_values *values, const char *text);

#endif
