/* options.c: rows to getopt_long's tables, and rows to help text. */
#define _GNU_SOURCE /* getopt_long */
#include "cli/options.h"

#include "cli/command.h"
#include "cli/message.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_LONG = 256 }; /* getopt codes of rows: above any letter */

bool cli_set_help(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  (void)text;
  values->help = true;
  return true;
}

static int count_rows(const cli_option *rows) {
  int n = 0;
  while (rows[n].name) {
    n++;
  }
  return n;
}

/* The row for what getopt_long returned, or NULL. */
static const cli_option *find_row(const cli_option *rows, int code) {
  for (int i = 0; rows[i].name; i++) {
    if (code == FIRST_LONG + i || (rows[i].letter && code == rows[i].letter)) {
      return &rows[i];
    }
  }
  return NULL;
}

/* getopt left the offending word just behind optind, or its letter in optopt;
 * an unknown long option leaves optopt 0. */
static void report_bad_option(sp_ctx *ctx, const cli_command *command, int code,
                              char **argv) {
  const char *hint =
      sp_format(ctx, "shardproof %s --help lists the options", command->name);
  const cli_option *row = find_row(command->options, optopt);
  const char *word = argv[optind - 1];
  if (code == ':' && row) {
    cli_usage_error(hint, "option --%s needs a value: %s", row->name,
                    row->value);
  } else if (row) {
    cli_usage_error(hint, "option --%s takes no value", row->name);
  } else if (optopt) {
    cli_usage_error(hint, "there is no option -%c", optopt);
  } else {
    cli_usage_error(hint, "there is no option %s, or it is ambiguous", word);
  }
}

bool cli_parse(sp_ctx *ctx, const cli_command *command, int argc, char **argv,
               cli_values *values) {
  const cli_option *rows = command->options;
  size_t n = (size_t)count_rows(rows);
  struct option *longs = sp_alloc_n(ctx, n + 1, sizeof *longs);
  char *shorts = sp_alloc_n(ctx, 2 * n + 2, 1);
  size_t at = 0;
  shorts[at++] = ':'; /* tell a missing value from an unknown option */
  for (size_t i = 0; i < n; i++) {
    bool may = rows[i].value && rows[i].value[0] == '[';
    int takes = may             ? optional_argument
                : rows[i].value ? required_argument
                                : no_argument;
    longs[i] = (struct option){rows[i].name, takes, NULL, FIRST_LONG + (int)i};
    if (rows[i].letter) {
      shorts[at++] = rows[i].letter;
      if (takes == required_argument) {
        shorts[at++] = ':';
      }
    }
  }
  opterr = 0;
  optind = 0; /* glibc: start afresh */
  for (;;) {
    int code = getopt_long(argc, argv, shorts, longs, NULL);
    if (code == -1) {
      break;
    }
    const cli_option *row =
        code == ':' || code == '?' ? NULL : find_row(rows, code);
    if (!row) {
      report_bad_option(ctx, command, code, argv);
      return false;
    }
    if (!row->set(ctx, values, optarg)) {
      return false;
    }
  }
  values->n_arguments = argc - optind;
  values->arguments = argv + optind;
  return true;
}

/* One row of help; further lines of its text go under the first. */
static void print_row(const cli_option *row) {
  char head[64];
  snprintf(head, sizeof head, "%c%c%s--%s%s%s", row->letter ? '-' : ' ',
           row->letter ? row->letter : ' ', row->letter ? ", " : "  ",
           row->name, row->value && row->value[0] != '[' ? " " : "",
           row->value ? row->value : "");
  const char *text = row->help;
  for (;;) {
    size_t n = strcspn(text, "\n");
    printf("  %-24s %.*s\n", head, (int)n, text);
    if (!text[n]) {
      return;
    }
    text += n + 1;
    head[0] = '\0';
  }
}

void cli_print_help(const cli_command *command) {
  printf("usage: shardproof %s [OPTION]...%s%s\n\n%c%s.\n", command->name,
         *command->arguments ? " " : "", command->arguments,
         toupper((unsigned char)command->summary[0]), command->summary + 1);
  if (command->details) {
    printf("\n%s", command->details);
  }
  printf("\noptions:\n");
  for (const cli_option *row = command->options; row->name; row++) {
    print_row(row);
  }
}
