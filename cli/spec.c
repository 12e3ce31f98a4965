/* spec.c: `shardproof spec init`: a first spec from the programs. */
#include "shard-specs/init.h"

#include "cli/command.h"
#include "cli/message.h"

#include <stdio.h>
#include <string.h>

static bool set_output(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  values->output = text;
  return true;
}

/* clang-format off */
static const cli_option spec_options[] = {
  {"output", 'o', "FILE",
   "write the spec to FILE; paths in it are then\n"
   "relative to its folder", set_output},
  CLI_OPTION_HELP,
  CLI_OPTIONS_END,
};
/* clang-format on */

static const char *folder_of(sp_ctx *ctx, const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? sp_strndup(ctx, path, (size_t)(slash - path)) : "";
}

/* A spec that someone has worked on must not be lost. */
static int write_spec(const char *path, const char *text) {
  FILE *f = fopen(path, "wx");
  if (!f) {
    cli_usage_error("a file that exists is not overwritten",
                    "cannot make the file %s", path);
    return CLI_INPUT;
  }
  bool ok = fputs(text, f) >= 0;
  ok = fclose(f) == 0 && ok;
  if (!ok) {
    cli_usage_error(NULL, "cannot write %s", path);
    return CLI_INPUT;
  }
  return CLI_REFINES;
}

static uint32_t count_questions(const char *text) {
  uint32_t n = 0;
  for (const char *s = text; (s = strstr(s, "QUESTION:")) != NULL; s++) {
    n++;
  }
  return n;
}

static int run_spec(sp_ctx *ctx, const cli_values *values) {
  int n = values->n_arguments;
  if (n < 3 || strcmp(values->arguments[0], "init") != 0) {
    cli_usage_error("shardproof spec init SEQ RANK0 RANK1 ...",
                    "spec takes the word init, the sequential program, and "
                    "the programs of all ranks");
    return CLI_USAGE;
  }
  const char *text = sp_spec_init(ctx, values->arguments[1], (uint32_t)n - 2,
                                  (const char *const *)(values->arguments + 2),
                                  folder_of(ctx, values->output));
  if (!values->output) {
    fputs(text, stdout);
    return CLI_REFINES;
  }
  int code = write_spec(values->output, text);
  if (code == CLI_REFINES) {
    printf("%s: %u questions to answer\n", cli_clean(ctx, values->output),
           count_questions(text));
  }
  return code;
}

/* clang-format off */
static const char spec_details[] =
  "Guesses a spec from the programs: the mesh from the numbers in the file\n"
  "names (rank0.py, rank1.py, ...; rank0_1.py for two axes), placements from\n"
  "shapes, the ends of indices from tables. What it cannot know is marked\n"
  "QUESTION. SEQ and RANK are PyTorch FX graphs or HLO modules; give one RANK\n"
  "where all ranks run the same file. docs/specs.md describes specs.\n";
/* clang-format on */

const cli_command cli_spec = {
    .name = "spec",
    .arguments = "init SEQ RANK...",
    .summary = "write a first spec file for two programs",
    .details = spec_details,
    .options = spec_options,
    .run = run_spec,
};
