/* exercise.h: is a kernel file an answer to an exercise?
 *
 * CONTRACT. An exercise is a kernel file with places for answers, between the
 * comments `#: answer` and `#: end` (docs/course.md). A file answers it if it
 * has the same words and signs outside of these places, and if what stands in
 * them stays in there: brackets are closed, no word of the file's own
 * statements occurs, no input is read but those in `#: reads`, nothing that is
 * in `#: without`. So what is computed and what is promised of it are the
 * exercise's. Comments, blanks and line breaks do not count. Nothing is known
 * of formulas here: whether the answer is right is for the proof.
 */
#ifndef SP_CLI_EXERCISE_H
#define SP_CLI_EXERCISE_H

#include "base/ctx.h"

typedef struct cli_exercise cli_exercise;

/* Raises SP_ERR_INPUT: unreadable, or places that are not well formed. */
const cli_exercise *cli_read_exercise(sp_ctx *ctx, const char *path);
/* NULL, or why the file is no answer: one sentence. */
const char *cli_breaks_rules(sp_ctx *ctx, const cli_exercise *exercise,
                             const cli_exercise *file);

#endif
