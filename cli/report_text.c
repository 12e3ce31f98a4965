/* report_text.c: the report for people. Read cli_print_report, last. */
#define _POSIX_C_SOURCE 200809L /* isatty */
#include "cli/report.h"

#include "base/vec.h"
#include "cli/command.h"
#include "cli/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRONTIER_SHOWN = 8 };

const char *cli_verdict_name(sp_verdict v) {
  switch (v) {
  case SP_REFINES:
    return "REFINES";
  case SP_VIOLATION:
    return "VIOLATION";
  case SP_UNPROVEN:
    break;
  }
  return "UNPROVEN";
}

const char *cli_verdict(const cli_outcome *outcome) {
  if (outcome->report) {
    return cli_verdict_name(outcome->report->verdict);
  }
  return outcome->exit_code == CLI_UNPROVEN ? "UNPROVEN" : NULL;
}

static bool use_color(const cli_values *values) {
  const char *no = getenv("NO_COLOR");
  return !values->no_color && !(no && *no) && isatty(STDOUT_FILENO);
}

void cli_print_verdict(sp_ctx *ctx, const cli_values *values,
                       const char *verdict, const char *sentence) {
  bool wrong = strncmp(verdict, "VIOLATION", strlen("VIOLATION")) == 0;
  const char *color = strcmp(verdict, "REFINES") == 0 ? "\033[1;32m"
                      : wrong                         ? "\033[1;31m"
                                                      : "\033[1;33m";
  bool on = use_color(values);
  printf("%s%s%s: %s\n", on ? color : "", verdict, on ? "\033[0m" : "",
         cli_clean(ctx, sentence ? sentence : ""));
}

/* "programs.py:65 (jit(f)/dot_general)", else the place in the dump. */
const char *cli_place_text(sp_ctx *ctx, const sp_pos *pos) {
  sp_str s = {0};
  if (pos->source_file) {
    sp_str_addf(ctx, &s, "%s:%" PRIu32, pos->source_file, pos->source_line);
    if (pos->op_name) {
      sp_str_addf(ctx, &s, " (%s)", pos->op_name);
    }
  } else if (pos->dump.file && pos->dump.line) {
    sp_str_addf(ctx, &s, "%s:%" PRIu32, pos->dump.file, pos->dump.line);
  } else if (pos->op_name) {
    sp_str_add(ctx, &s, pos->op_name);
  }
  return cli_clean(ctx, s.v ? s.v : "");
}

static void print_outputs(sp_ctx *ctx, const sp_report *report) {
  printf("\nresults (distributed: its relation to the sequential one):\n");
  for (size_t i = 0; i < report->n_outputs; i++) {
    const sp_report_output *o = &report->outputs[i];
    printf("  %" PRIu32 "  %s %s: ", o->index, cli_clean(ctx, o->name),
           o->shape);
    if (o->relation) {
      printf("%s", cli_clean(ctx, o->relation));
    }
    if (!o->proved) {
      printf("%snot proved%s%s", o->relation ? "; " : "", o->why ? ": " : "",
             o->why ? cli_clean(ctx, o->why) : "");
      if (o->promised) {
        printf(" (promised: %s)", cli_clean(ctx, o->promised));
      }
    }
    printf("\n");
  }
}

static void print_index(const int64_t *v, uint32_t n) {
  printf("[");
  for (uint32_t i = 0; i < n; i++) {
    printf("%s%" PRId64, i ? ", " : "", v[i]);
  }
  printf("]");
}

void cli_print_fault(sp_ctx *ctx, const cli_outcome *outcome) {
  const sp_report *report = outcome->report;
  const sp_counterexample *c = report->counterexample;
  const sp_fault *f = report->fault;
  printf("\ncounterexample, found by running both programs%s:\n",
         c->sampled ? ", as far as a few elements need it" : "");
  printf("  result %" PRIu32 " (%s), rank %" PRId64, c->output,
         cli_clean(ctx, c->name), c->rank);
  if (c->n_dims == 0) {
    printf(": one number");
  } else {
    printf(", local index ");
    print_index(c->local_index, c->n_dims);
    printf(", index in the sequential result ");
    print_index(c->global_index, c->n_dims);
  }
  printf("\n  expected %s\n  got      %s\n",
         sp_number_text(ctx, c->dtype, c->expected, 17),
         sp_number_text(ctx, c->dtype, c->got, 17));
  printf("  inputs: %s, seed %" PRIu64 "\n", c->inputs, c->seed);
  if (!f) {
    return;
  }
  printf("\nthe fault seems to be at:\n  %s = %s\n", cli_clean(ctx, f->name),
         f->op);
  const char *place = cli_place_text(ctx, &f->pos);
  if (*place) {
    printf("      source: %s\n", place);
  }
  if (f->pos.dump.line) {
    printf("      dump: %s:%" PRIu32 "\n",
           f->pos.dump.file ? f->pos.dump.file
           : f->before      ? outcome->before
                            : outcome->after,
           f->pos.dump.line);
  }
  printf("      %s\n", cli_clean(ctx, f->sentence));
}

static void print_assumptions(sp_ctx *ctx, const sp_report *report) {
  if (report->n_assumptions == 0) {
    return;
  }
  printf("\nassumed:\n");
  for (size_t i = 0; i < report->n_assumptions; i++) {
    printf("  - %s\n", cli_clean(ctx, report->assumptions[i]));
  }
}

static void print_frontier(sp_ctx *ctx, const cli_outcome *outcome) {
  const sp_report *report = outcome->report;
  if (report->n_frontier == 0) {
    return;
  }
  printf("\nno relation was found for (in program order, from the inputs "
         "on):\n");
  for (size_t i = 0; i < report->n_frontier; i++) {
    if (i == FRONTIER_SHOWN) {
      printf("  ... and %zu more (--json lists all)\n", report->n_frontier - i);
      break;
    }
    const sp_report_tensor *t = &report->tensors[report->frontier[i]];
    printf("  %s = %s %s\n", cli_clean(ctx, t->name), t->op, t->shape);
    const char *place = cli_place_text(ctx, &t->pos);
    if (*place) {
      printf("      source: %s\n", place);
    }
    if (t->pos.dump.line) {
      printf("      dump: %s:%" PRIu32 "\n",
             t->pos.dump.file ? t->pos.dump.file : outcome->after,
             t->pos.dump.line);
    }
    if (t->nearest) {
      printf("      nearest: %s\n", cli_clean(ctx, t->nearest));
    }
    if (t->why) {
      printf("      why not: %s\n", cli_clean(ctx, t->why));
    }
  }
}

/* The relation of a distributed tensor, naming the sequential tensor unless
 * the relation does so already. */
static void print_explained(sp_ctx *ctx, const sp_report_tensor *t) {
  printf("  %s %s", cli_clean(ctx, t->name), t->shape);
  if (t->relation) {
    printf(" = %s", cli_clean(ctx, t->relation));
    size_t n = t->sequential ? strlen(t->sequential) : 0;
    if (t->sequential && strncmp(t->relation, t->sequential, n) != 0) {
      printf(" of %s", cli_clean(ctx, t->sequential));
    }
  } else {
    printf(": no relation");
  }
  if (t->why) {
    printf("; %s", cli_clean(ctx, t->why));
  }
  if (t->like) {
    printf(", like %s", cli_clean(ctx, t->like));
  }
  if (!t->relation && t->nearest) {
    printf("; nearest: %s", cli_clean(ctx, t->nearest));
  }
  const char *place = cli_place_text(ctx, &t->pos);
  printf("  [%s%s%s]\n", t->op, *place ? ", " : "", place);
}

static void print_explanation(sp_ctx *ctx, const sp_report *report) {
  printf("\nevery distributed tensor (element i0, i1, ... on a rank):\n");
  for (size_t i = 0; i < report->n_tensors; i++) {
    print_explained(ctx, &report->tensors[i]);
  }
}

static void print_stats(const cli_outcome *outcome) {
  const sp_report_stats *s = &outcome->report->stats;
  printf("\n%" PRIu32 " sequential and %" PRIu32
         " distributed tensors: %" PRIu32 " views, %" PRIu32
         " matched, %" PRIu32 " without a relation\n",
         s->sequential_tensors, s->distributed_tensors, s->views, s->matched,
         s->unrelated);
  printf("%" PRIu64 " obligations: %" PRIu64 " distinct, %" PRIu64
         " from the cache; solver %.2f s, total %.2f s, %.0f MB\n",
         s->obligations, s->distinct, s->cached, s->solver_seconds,
         outcome->seconds, (double)outcome->peak_bytes / 1e6);
}

/* UNPROVEN because of something without a meaning: say where. */
static void print_refusal(sp_ctx *ctx, const sp_error *error) {
  const sp_loc *loc = &error->loc;
  if (loc->file && loc->line) {
    printf("  at %s:%" PRIu32 ":%" PRIu32 "\n", loc->file, loc->line,
           loc->column);
  } else if (loc->file && loc->has_byte) {
    printf("  at %s, byte %" PRIu64 "\n", loc->file, loc->byte);
  }
  if (*error->hint) {
    printf("  hint: %s\n", cli_clean(ctx, error->hint));
  }
}

static const char *verdict_and_level(const cli_outcome *outcome) {
  const sp_counterexample *c =
      outcome->report ? outcome->report->counterexample : NULL;
  return c && c->made_up ? "VIOLATION (at operator level)"
                         : cli_verdict(outcome);
}

void cli_print_report(sp_ctx *ctx, const cli_values *values,
                      const cli_outcome *outcome) {
  cli_print_verdict(ctx, values, verdict_and_level(outcome),
                    outcome->report ? outcome->report->sentence
                                    : outcome->error->message);
  if (values->quiet) {
    return;
  }
  if (!outcome->report) {
    print_refusal(ctx, outcome->error);
    return;
  }
  if (outcome->report->counterexample) {
    cli_print_fault(ctx, outcome);
  }
  print_outputs(ctx, outcome->report);
  print_assumptions(ctx, outcome->report);
  if (outcome->report->verdict == SP_UNPROVEN) {
    print_frontier(ctx, outcome);
    if (outcome->report->not_run) {
      printf("\nno counterexample was looked for: %s\n",
             cli_clean(ctx, outcome->report->not_run));
    }
  }
  if (values->explain) {
    print_explanation(ctx, outcome->report);
  }
  print_stats(outcome);
}
