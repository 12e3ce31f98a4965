/* fmt.c: `shardproof fmt`: the layout of kernel files. */
#include "base/file.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/output.h"
#include "kernels/format.h"

#include <stdio.h>
#include <string.h>

enum { MAX_FILE = 1 << 24 };

static bool set_check(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  (void)text;
  values->fmt_check = true;
  return true;
}

static bool set_in_place(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  (void)text;
  values->fmt_in_place = true;
  return true;
}

/* clang-format off */
static const cli_option fmt_options[] = {
  {"check", 'c', NULL,
   "write nothing; exit code 1 where a file has\n"
   "another layout", set_check},
  {"in-place", 'i', NULL, "rewrite the files", set_in_place},
  CLI_OPTION_HELP,
  CLI_OPTIONS_END,
};
/* clang-format on */

static bool dump(FILE *f, const void *text) {
  return fputs(text, f) >= 0;
}

static int format_file(sp_ctx *ctx, const cli_values *values,
                       const char *path) {
  size_t n;
  const char *text =
      sp_file_read(ctx, path, (sp_loc){.file = path}, MAX_FILE, &n);
  const char *out = sp_kernel_format(ctx, path, text, n);
  bool same = strlen(out) == n && memcmp(out, text, n) == 0;
  if (values->fmt_check) {
    if (!same) {
      printf("%s\n", cli_clean(ctx, path));
    }
    return same ? CLI_REFINES : CLI_VIOLATION;
  }
  if (!values->fmt_in_place) {
    fputs(out, stdout);
    return CLI_REFINES;
  }
  return same || cli_write_file(ctx, path, dump, out) ? CLI_REFINES : CLI_INPUT;
}

static int run_fmt(sp_ctx *ctx, const cli_values *values) {
  if (values->n_arguments == 0) {
    cli_usage_error("usage: shardproof fmt [OPTION]... FILE.sp...",
                    "fmt takes one or more kernel files");
    return CLI_USAGE;
  }
  int worst = CLI_REFINES;
  for (int i = 0; i < values->n_arguments; i++) {
    int code = format_file(ctx, values, values->arguments[i]);
    worst = code > worst ? code : worst;
  }
  return worst;
}

/* clang-format off */
static const char fmt_details[] =
  "Prints kernel files (docs/kernels.md) in the one layout: indentation, blanks\n"
  "and empty lines; line breaks and comments stay. With --check, files that are\n"
  "not in it are listed.\n";
/* clang-format on */

const cli_command cli_fmt = {
    .name = "fmt",
    .arguments = "FILE.sp...",
    .summary = "format kernel files",
    .details = fmt_details,
    .options = fmt_options,
    .run = run_fmt,
};
