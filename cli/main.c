/* main.c: the program: finds the command and runs it.
 *
 * Read main() last to first: dispatch() parses a command's options and runs
 * it; everything is done under sp_protect, because even parsing allocates.
 */
#include "base/ctx.h"
#include "cli/command.h"
#include "cli/message.h"

#include <stdio.h>
#include <string.h>

static const cli_command *const commands[] = {
    &cli_check, &cli_bisect, &cli_spec, &cli_run,
    &cli_show,  &cli_fmt,    &cli_ops};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void print_usage(FILE *f) {
  fprintf(f,
          "usage: shardproof COMMAND [OPTION]... [ARGUMENT]...\n\n"
          "Proves that a sharded tensor program computes what the sequential "
          "one does.\n\ncommands:\n");
  for (size_t i = 0; i < N_COMMANDS; i++) {
    fprintf(f, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
  }
  fprintf(f, "  %-8s print the help of a command\n\n", "help");
  fprintf(f, "options:\n"
             "  -h, --help   print this text\n"
             "  --version    print the version\n\n"
             "exit codes:\n"
             "  0 REFINES   1 VIOLATION   2 UNPROVEN   3 usage   "
             "4 input or output file\n\n"
             "`shardproof COMMAND --help` says more about a command.\n");
}

static const cli_command *find_command(const char *name) {
  for (size_t i = 0; i < N_COMMANDS; i++) {
    if (strcmp(commands[i]->name, name) == 0) {
      return commands[i];
    }
  }
  return NULL;
}

static int unknown_command(const char *name) {
  cli_usage_error("shardproof --help lists the commands",
                  "there is no command \"%s\"", name);
  return CLI_USAGE;
}

static int run_help(int argc, char **argv) {
  if (argc < 3) {
    print_usage(stdout);
    return CLI_REFINES;
  }
  const cli_command *command = find_command(argv[2]);
  if (!command) {
    return unknown_command(argv[2]);
  }
  cli_print_help(command);
  return CLI_REFINES;
}

/* argv[1] is the command's name. */
static int dispatch(sp_ctx *ctx, int argc, char **argv) {
  const cli_command *command = find_command(argv[1]);
  if (!command) {
    return unknown_command(argv[1]);
  }
  cli_values values = {0};
  if (!cli_parse(ctx, command, argc - 1, argv + 1, &values)) {
    return CLI_USAGE;
  }
  if (values.help) {
    cli_print_help(command);
    return CLI_REFINES;
  }
  return command->run(ctx, &values);
}

static int run(sp_ctx *ctx, int argc, char **argv) {
  if (argc < 2) {
    print_usage(stderr);
    return CLI_USAGE;
  }
  const char *word = argv[1];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
    print_usage(stdout);
    return CLI_REFINES;
  }
  if (strcmp(word, "--version") == 0) {
    printf("shardproof %s\n", SP_VERSION);
    return CLI_REFINES;
  }
  if (strcmp(word, "help") == 0) {
    return run_help(argc, argv);
  }
  return dispatch(ctx, argc, argv);
}

typedef struct invocation {
  int argc;
  char **argv;
  int status;
} invocation;

static void run_protected(sp_ctx *ctx, void *arg) {
  invocation *i = arg;
  i->status = run(ctx, i->argc, i->argv);
}

int main(int argc, char **argv) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  if (!ctx) {
    cli_usage_error(NULL, "out of memory");
    return CLI_INPUT;
  }
  invocation i = {argc, argv, CLI_INPUT};
  sp_code code = sp_protect(ctx, run_protected, &i);
  if (code != SP_OK) {
    cli_report_error(sp_ctx_error(ctx));
    i.status = cli_exit_code(code);
  }
  sp_ctx_free(ctx);
  /* A verdict that nobody could read is not one: a full disk must not look
   * like success. */
  if (fflush(stdout) != 0 || ferror(stdout)) {
    cli_usage_error(NULL, "cannot write to the standard output");
    return CLI_INPUT;
  }
  return i.status;
}
