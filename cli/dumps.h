/* dumps.h: the modules that XLA dumped after its passes, in order.
 *
 * CONTRACT. XLA names a dump MODULE.NUMBER.PIPELINE.after_PASS.before_NEXT.txt
 * (or .hlo.pb); MODULE.before_optimizations and MODULE.*after_optimizations are
 * the first and the last. It dumps a module where a pipeline starts and after
 * each pass that says it changed it. Only names are looked at here.
 */
#ifndef SP_CLI_DUMPS_H
#define SP_CLI_DUMPS_H

#include "base/ctx.h"

typedef struct cli_dump {
  const char *path; /* of the protobuf where there is one: it has all values */
  const char *name; /* the file's name without its module's */
  int64_t number;   /* -1: before all passes; INT64_MAX: after them */
  const char *step; /* what made it: "algsimp (in simplification)" */
} cli_dump;

typedef struct cli_dumps {
  const char *module;
  size_t n;
  const cli_dump *v;
} cli_dumps;

/* The dumps of the module in the folder; module NULL: of the only one. Raises
 * SP_ERR_INPUT where there are none, SP_ERR_USAGE where it is not clear whose.
 */
cli_dumps cli_dumps_find(sp_ctx *ctx, const char *dir, const char *module);

#endif
