/* bisect.h: which step of a compilation broke a program.
 *
 * CONTRACT. bisect.c fills a cli_bisection, report_bisect.c prints it. A step
 * is what was done between two dumps that differ; its check proves that the
 * later one computes what the earlier one does, on every device, or across the
 * partitioner as the shardings say. Both are transitive: where the steps that
 * are proved, alone or several at once, lead from the first dump to the last,
 * so does REFINES.
 */
#ifndef SP_CLI_BISECT_H
#define SP_CLI_BISECT_H

#include "base/vec.h"
#include "cli/dumps.h"
#include "cli/report.h"

/* A dump that differs from the one before it. */
typedef struct cli_stage {
  cli_dump dump;
  const char *signature; /* shapes of parameters and results */
  bool knows_ranks;
} cli_stage;

/* A check of stage `to` against stage `from`. */
typedef struct cli_step {
  size_t from, to;
  sp_verdict verdict;
  const char *why; /* UNPROVEN: where it stopped */
  bool ran;        /* UNPROVEN: both were run, and no difference was seen */
  double seconds;
  cli_outcome outcome; /* the report: of the violation only */
} cli_step;

typedef struct cli_bisection {
  const char *module;
  size_t n_files;  /* dumps found */
  size_t n_stages; /* at least 1 */
  cli_stage *stages;
  size_t n_unread;
  const char **unread;    /* "NAME: why it could not be read" */
  const char *end_unread; /* of the first or last dump; NULL: both read */
  size_t partitioned;     /* the first stage behind the partitioner; 0: none */
  cli_step *steps;        /* n_stages - 1: from stage i to i + 1 */
  size_t n_longer;
  cli_step *longer; /* several steps at once, where one was not proved */
  SP_VEC(const char *) assumptions; /* of all checks */
  sp_verdict verdict;
  int exit_code;
  const cli_step *broken; /* VIOLATION: the first step with one */
  sp_ctx *broken_ctx;     /* owns its outcome */
} cli_bisection;

/* The longer check that proves what step i is a part of, or NULL. */
const cli_step *cli_bisection_cover(const cli_bisection *b, size_t i);

/* The first line, after the verdict; "0010", "first" or "last"; what was done
 * on the way to a stage. */
const char *cli_bisection_sentence(sp_ctx *ctx, const cli_bisection *b);
const char *cli_bisection_number(sp_ctx *ctx, const cli_stage *s);
const char *cli_bisection_doing(sp_ctx *ctx, const cli_bisection *b,
                                size_t stage);

/* As JSON (docs/bisect.schema.json). False after reporting why it failed. */
bool cli_write_bisection(sp_ctx *ctx, const char *path, const cli_bisection *b);
/* On stdout. */
void cli_print_bisection(sp_ctx *ctx, const cli_values *values,
                         const cli_bisection *b);

#endif
