/* kernel.c: read cli_kernel_verdict. */
#define _POSIX_C_SOURCE 200809L /* mkdir */
#include "cli/kernel.h"

#include "cli/command.h"
#include "cli/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool cli_is_kernel(const cli_values *values) {
  if (values->spec || values->n_arguments != 1) {
    return false;
  }
  size_t n = strlen(values->arguments[0]);
  return n > 3 && strcmp(values->arguments[0] + n - 3, ".sp") == 0;
}

/* A folder of its own, since both solvers count their files from 1. */
static const char *folder_for_reads(sp_ctx *ctx, const char *dir) {
  const char *path = dir ? sp_format(ctx, "%s/reads", dir) : NULL;
  if (path && mkdir(path, 0777) != 0 && errno != EEXIST) {
    sp_raise(ctx, SP_ERR_INPUT, (sp_loc){.file = path}, NULL,
             "cannot make the folder: %s", strerror(errno));
  }
  return path;
}

static void show_programs(const cli_kernel *k, cli_outcome *outcome) {
  outcome->before_program = k->lowered->problem.seq;
  outcome->after_program = k->lowered->problem.dist;
}

void cli_read_kernel(sp_ctx *ctx, const cli_values *values, cli_kernel *k,
                     cli_outcome *outcome) {
  k->solver = (sp_solver_options){
      .timeout_ms = values->timeout_ms ? values->timeout_ms : 5000,
      .smt2_dir = folder_for_reads(ctx, values->smt2_dir),
      .log = outcome->log};
  k->kernel = sp_kernel_read_file(ctx, outcome->before);
  k->lowered = sp_kernel_lower(ctx, k->kernel, &k->solver, SP_KERNEL_UNROLLED);
  show_programs(k, outcome);
}

void cli_check_kernel(sp_ctx *ctx, cli_kernel *k,
                      const sp_check_options *options, cli_outcome *outcome) {
  outcome->report =
      sp_kernel_check(ctx, k->kernel, &k->solver, options, &k->lowered);
  show_programs(k, outcome);
}

static bool as_expected(const cli_kernel *k, const sp_report *report) {
  const sp_kernel_expectation *e = sp_kernel_expects(k->kernel);
  if (e->verdict != report->verdict) {
    return false;
  }
  return !e->at || strcmp(report->counterexample->name, e->at) == 0;
}

void cli_kernel_verdict(const cli_kernel *k, cli_outcome *outcome) {
  const sp_kernel_expectation *e = sp_kernel_expects(k->kernel);
  if (!outcome->report) {
    return;
  }
  if (!e->given) {
    return;
  }
  bool met = as_expected(k, outcome->report);
  printf("%s: %s%s%s was expected\n", met ? "as expected" : "NOT AS EXPECTED",
         cli_verdict_name(e->verdict), e->at ? " at " : "", e->at ? e->at : "");
  outcome->exit_code = met ? CLI_REFINES
                       : outcome->report->verdict == SP_UNPROVEN
                           ? CLI_UNPROVEN
                           : CLI_VIOLATION;
}
