/* report_bisect.c: the outcome of a bisection for people. */
#include "cli/bisect.h"
#include "cli/message.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const verdicts[] = {
    [SP_REFINES] = "REFINES",
    [SP_VIOLATION] = "VIOLATION",
    [SP_UNPROVEN] = "UNPROVEN",
};

/* "0010", or what there is before and after all passes. */
const char *cli_bisection_number(sp_ctx *ctx, const cli_stage *s) {
  if (s->dump.number < 0) {
    return "first";
  }
  return s->dump.number == INT64_MAX
             ? "last"
             : sp_format(ctx, "%04" PRId64, s->dump.number);
}

/* What was done on the way to a stage. */
const char *cli_bisection_doing(sp_ctx *ctx, const cli_bisection *b,
                                size_t stage) {
  return cli_clean(ctx, stage && stage == b->partitioned
                            ? "the SPMD partitioner"
                            : b->stages[stage].dump.step);
}

static bool fails(const cli_bisection *b, size_t i) {
  return b->steps[i].verdict != SP_REFINES && !cli_bisection_cover(b, i);
}

/* ---- the first line ---- */

/* Of several steps that are wrong together: those not proved alone. */
static const char *suspects(sp_ctx *ctx, const cli_bisection *b) {
  const char *text = NULL;
  for (size_t i = b->broken->from; i < b->broken->to; i++) {
    if (b->steps[i].verdict != SP_REFINES) {
      const char *one = cli_bisection_doing(ctx, b, i + 1);
      text = text ? sp_format(ctx, "%s; or %s", text, one) : one;
    }
  }
  return text ? text : cli_bisection_doing(ctx, b, b->broken->to);
}

const char *cli_bisection_sentence(sp_ctx *ctx, const cli_bisection *b) {
  size_t n = b->n_stages - 1, open = 0, first = 0;
  if (b->broken) {
    const sp_report *r = b->broken->outcome.report;
    return r->fault && r->fault->before
               ? sp_format(ctx, "the program is wrong before %s: %s",
                           suspects(ctx, b), r->sentence)
               : sp_format(ctx, "%s broke the program: %s", suspects(ctx, b),
                           r->sentence);
  }
  if (b->verdict == SP_REFINES) {
    return sp_format(ctx,
                     "the last of %zu dumps computes what the first one does "
                     "(%zu step%s between dumps that differ)",
                     b->n_files, n, n == 1 ? "" : "s");
  }
  for (size_t i = n; i-- > 0;) {
    if (fails(b, i)) {
      open++;
      first = i;
    }
  }
  if (open == 0 && b->end_unread) {
    return sp_format(ctx, "a dump at an end of the chain could not be read: %s",
                     b->end_unread);
  }
  return sp_format(ctx, "%zu of %zu steps were not proved, the first is %s",
                   open, n, cli_bisection_doing(ctx, b, first + 1));
}

/* ---- the steps ---- */

static void print_step(sp_ctx *ctx, const cli_bisection *b, size_t i) {
  const cli_step *s = &b->steps[i];
  const cli_step *cover =
      s->verdict == SP_UNPROVEN ? cli_bisection_cover(b, i) : NULL;
  printf("  %-5s  %-9s  %s\n", cli_bisection_number(ctx, &b->stages[i + 1]),
         verdicts[cover ? SP_REFINES : s->verdict],
         cli_bisection_doing(ctx, b, i + 1));
  if (cover) {
    printf("         not by itself, but all from %s to %s\n",
           cli_bisection_number(ctx, &b->stages[cover->from]),
           cli_bisection_number(ctx, &b->stages[cover->to]));
  } else if (s->why) {
    printf("         %s\n", cli_clean(ctx, s->why));
  }
}

static void print_steps(sp_ctx *ctx, const cli_bisection *b) {
  double seconds = 0;
  printf("\nsteps of %s, by the dump after them:\n", cli_clean(ctx, b->module));
  for (size_t i = 0; i + 1 < b->n_stages; i++) {
    print_step(ctx, b, i);
    seconds += b->steps[i].seconds;
  }
  for (size_t k = 0; k < b->n_longer; k++) {
    seconds += b->longer[k].seconds;
  }
  for (size_t k = 0; k < b->n_unread; k++) {
    printf("  left out: %s\n", cli_clean(ctx, b->unread[k]));
  }
  printf("\n%zu dumps, %zu different; %zu checks in %.2f s\n", b->n_files,
         b->n_stages, b->n_stages - 1 + b->n_longer, seconds);
}

void cli_print_bisection(sp_ctx *ctx, const cli_values *values,
                         const cli_bisection *b) {
  cli_print_verdict(ctx, values, verdicts[b->verdict],
                    cli_bisection_sentence(ctx, b));
  if (values->quiet) {
    return;
  }
  if (b->broken) {
    printf("\nbefore: %s\nafter:  %s\n",
           cli_clean(ctx, b->broken->outcome.before),
           cli_clean(ctx, b->broken->outcome.after));
    cli_print_fault(ctx, &b->broken->outcome);
  }
  print_steps(ctx, b);
  printf("\nassumed:\n");
  for (size_t i = 0; i < b->assumptions.n; i++) {
    printf("  - %s\n", cli_clean(ctx, b->assumptions.v[i]));
  }
}
