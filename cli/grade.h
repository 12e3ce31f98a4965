/* grade.h: `shardproof check --grade EXERCISE.sp FILE.sp`: the score of an
 * answer, as JSON on stdout (docs/course.md). */
#ifndef SP_CLI_GRADE_H
#define SP_CLI_GRADE_H

#include "cli/report.h"

/* outcome: of checking FILE.sp. Returns the exit code. */
int cli_grade(sp_ctx *ctx, const cli_values *values,
              const cli_outcome *outcome);

#endif
