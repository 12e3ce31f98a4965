/* explain_smt.c: read cli_explain_smt. Attempts that were not proved are
 * counted only: a proof does not rest on them. */
#include "cli/explain_smt.h"

#include "cli/message.h"
#include "encode/statement.h"

#include <stdio.h>
#include <string.h>

static void print_line(sp_ctx *ctx, const char *label, const char *text) {
  printf("  %-8s %s\n", label, cli_clean(ctx, text));
}

static void print_indented(const char *text) {
  while (*text) {
    size_t n = strcspn(text, "\n");
    printf("    %.*s\n", (int)n, text);
    text += n + (text[n] == '\n');
  }
}

static void print_asked(sp_ctx *ctx, const sp_asked *a, size_t number) {
  const char *variables = sp_statement_variables(a->pool, a);
  const char *about = a->about && *a->about ? a->about : "";
  printf("\nobligation %zu: %s%s%s%s\n", number, cli_clean(ctx, a->rule),
         *about ? " (about " : "", cli_clean(ctx, about), *about ? ")" : "");
  if (*variables) {
    print_line(ctx, "for all", variables);
  }
  for (uint32_t i = 0; i < a->n_hyps; i++) {
    print_line(ctx, i ? "and" : "where", sp_statement(a->pool, a->hyps[i]));
  }
  print_line(ctx, "proved", sp_statement(a->pool, a->goal));
  printf("  as SMT-LIB, with the goal negated: Z3 found it unsat\n");
  print_indented(a->smtlib);
}

void cli_explain_smt(sp_ctx *ctx, const sp_asked_list *asked) {
  size_t proved = 0;
  for (size_t i = 0; i < asked->n; i++) {
    if (asked->v[i].answer == SP_PROVED) {
      print_asked(ctx, &asked->v[i], ++proved);
    }
  }
  printf("\n%zu obligation%s proved, %zu not; equal ones are asked once\n",
         proved, proved == 1 ? "" : "s", asked->n - proved);
}
