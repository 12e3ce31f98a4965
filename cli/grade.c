/* grade.c: read cli_grade. What counts is what is proved of the promises that
 * the exercise makes; a file that breaks its rules has no score. */
#include "cli/grade.h"

#include "cli/command.h"
#include "cli/exercise.h"
#include "cli/message.h"
#include "cli/report_json.h"

#include <stdio.h>

enum { FULL = 100 };

typedef struct grading {
  const char *exercise_path, *file_path;
  const cli_exercise *exercise;
  const char *broken; /* rule, or NULL */
} grading;

static void read_exercise(sp_ctx *ctx, void *arg) {
  grading *g = arg;
  g->exercise = cli_read_exercise(ctx, g->exercise_path);
}

static void compare(sp_ctx *ctx, void *arg) {
  grading *g = arg;
  g->broken =
      cli_breaks_rules(ctx, g->exercise, cli_read_exercise(ctx, g->file_path));
}

static const char *error_text(sp_ctx *ctx, const sp_error *error) {
  const char *text = sp_strdup(ctx, error->message);
  const char *hint = *error->hint ? sp_format(ctx, " (%s)", error->hint) : "";
  return error->loc.line
             ? sp_format(ctx, "line %u: %s%s", error->loc.line, text, hint)
             : sp_format(ctx, "%s%s", text, hint);
}

/* ---- score ---- */

static int64_t score_of(const sp_report *report) {
  int64_t proved = 0, all = (int64_t)report->n_outputs;
  for (size_t i = 0; i < report->n_outputs; i++) {
    proved += report->outputs[i].proved;
  }
  if (report->verdict == SP_REFINES) {
    return FULL;
  }
  /* all may be proved here and the verdict another for a reason of the whole */
  int64_t most = proved < all ? proved : all - 1;
  return all > 0 ? FULL * most / all : 0;
}

static json_t *promises(sp_ctx *ctx, const sp_report *report) {
  json_t *list = json_array();
  for (size_t i = 0; i < report->n_outputs; i++) {
    const sp_report_output *o = &report->outputs[i];
    json_t *row = json_object();
    json_object_set_new(row, "name", cli_json_text(ctx, o->name));
    json_object_set_new(row, "promised", cli_json_text(ctx, o->promised));
    json_object_set_new(row, "status",
                        json_string(o->proved ? "proved" : "unproven"));
    json_array_append_new(list, row);
  }
  return list;
}

static int print_score(sp_ctx *ctx, const grading *g,
                       const cli_outcome *outcome, const char *reason) {
  const sp_report *report = reason ? NULL : outcome->report;
  int64_t score = report ? score_of(report) : 0;
  if (report && score < FULL) {
    reason = report->sentence;
  }
  json_t *o = json_object();
  json_object_set_new(o, "exercise", cli_json_text(ctx, g->exercise_path));
  json_object_set_new(o, "file", cli_json_text(ctx, g->file_path));
  json_object_set_new(o, "score", json_integer((json_int_t)score));
  json_object_set_new(o, "of", json_integer(FULL));
  json_object_set_new(o, "verdict",
                      cli_json_text(ctx, report ? cli_verdict(outcome) : NULL));
  json_object_set_new(o, "reason", cli_json_text(ctx, reason));
  json_object_set_new(o, "promises",
                      report ? promises(ctx, report) : json_array());
  json_dumpf(o, stdout, JSON_INDENT(2));
  printf("\n");
  json_decref(o);
  return score == FULL ? CLI_REFINES : CLI_VIOLATION;
}

int cli_grade(sp_ctx *ctx, const cli_values *values,
              const cli_outcome *outcome) {
  grading g = {.exercise_path = values->grade, .file_path = outcome->before};
  sp_code code = sp_protect(ctx, read_exercise, &g);
  if (code != SP_OK) {
    cli_report_error(sp_ctx_error(ctx));
    return cli_exit_code(code);
  }
  /* cli_read_exercise of the answer: places that are not well formed */
  code = sp_protect(ctx, compare, &g);
  const char *reason =
      code == SP_OK ? g.broken : error_text(ctx, sp_ctx_error(ctx));
  if (!reason && outcome->error) {
    reason = error_text(ctx, outcome->error);
  }
  return print_score(ctx, &g, outcome, reason);
}
