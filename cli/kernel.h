/* kernel.h: `shardproof check FILE.sp`: what differs from other checks.
 *
 * CONTRACT. A kernel may say what its own verdict is (`expect violation at c`):
 * then the exit code is 0 where that is found, and CLI_VIOLATION or
 * CLI_UNPROVEN, whatever the verdict, where it is not.
 */
#ifndef SP_CLI_KERNEL_H
#define SP_CLI_KERNEL_H

#include "cli/report.h"
#include "kernels/kernel.h"

typedef struct cli_kernel {
  const sp_kernel *kernel;
  const sp_kernel_problem *lowered; /* NULL: none */
  sp_solver_options solver;
} cli_kernel;

/* The only argument is a kernel file. */
bool cli_is_kernel(const cli_values *values);
void cli_read_kernel(sp_ctx *ctx, const cli_values *values, cli_kernel *k,
                     cli_outcome *outcome);
void cli_check_kernel(sp_ctx *ctx, cli_kernel *k,
                      const sp_check_options *options, cli_outcome *outcome);
/* Compares with what the file expects: sets the exit code, prints. */
void cli_kernel_verdict(const cli_kernel *k, cli_outcome *outcome);

#endif
