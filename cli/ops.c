/* ops.c: `shardproof ops`: the operator table, for people. */
#include "cli/command.h"
#include "cli/message.h"
#include "encode/op.h"

#include <stdio.h>

static void print_row(const sp_op *op) {
  for (const char *const *s = op->spellings; s && *s; s++) {
    printf("%s%s", s == op->spellings ? "" : ", ", *s);
  }
  printf("\n    %s\n", op->meaning ? op->meaning : op->name);
  if (op->opaque) {
    printf("    opaque: %s\n", op->opaque);
  }
}

static int run_ops(sp_ctx *ctx, const cli_values *values) {
  (void)ctx;
  if (values->n_arguments) {
    cli_usage_error("usage: shardproof ops", "ops takes no arguments");
    return CLI_USAGE;
  }
  uint32_t n;
  const sp_op *const *rows = sp_op_table(&n);
  for (uint32_t i = 0; i < n; i++) {
    print_row(rows[i]);
  }
  return CLI_REFINES;
}

static const cli_option ops_options[] = {CLI_OPTION_HELP, CLI_OPTIONS_END};

/* clang-format off */
static const char ops_details[] =
  "Each operator is listed as each front end spells it (\"hlo:dot\"), with the\n"
  "meaning of one element of its result. An opaque operator is equal only to\n"
  "itself on equal inputs. An operator that is not listed makes a pair\n"
  "UNPROVEN, never REFINES.\n";
/* clang-format on */

const cli_command cli_ops = {
    .name = "ops",
    .arguments = "",
    .summary = "list the operators known, with their meaning",
    .details = ops_details,
    .options = ops_options,
    .run = run_ops,
};
