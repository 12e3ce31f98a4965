/* set.c: values of options that several commands have: each row's function
 * checks the text, says what is wrong with it, and stores it. */
#include "cli/message.h"
#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A decimal integer that ends at `end`. */
static bool parse_integer(const char *text, const char *end, int64_t *value) {
  char *stop;
  if (text == end || !strchr("-0123456789", *text)) {
    return false;
  }
  errno = 0;
  long long v = strtoll(text, &stop, 10);
  *value = v;
  return errno == 0 && stop == end;
}

bool cli_set_assume(sp_ctx *ctx, cli_values *values, const char *text) {
  const char *equals = strrchr(text, '=');
  const char *colon = equals ? strchr(equals, ':') : NULL;
  int64_t lo, hi;
  if (!colon || equals == text || !parse_integer(equals + 1, colon, &lo) ||
      !parse_integer(colon + 1, text + strlen(text), &hi)) {
    cli_usage_error("write --assume NAME=LO:HI for LO <= value < HI, "
                    "for example --assume ids=0:50257",
                    "\"%s\" is not an assumed range", text);
    return false;
  }
  if (lo >= hi) {
    cli_usage_error("the range is half-open: HI is one above the largest value",
                    "the assumed range \"%s\" is empty", text);
    return false;
  }
  sp_assumed_range *more = sp_alloc_n(ctx, values->n_assume + 1, sizeof *more);
  if (values->n_assume) {
    memcpy(more, values->assume, values->n_assume * sizeof *more);
  }
  const char *name = sp_strndup(ctx, text, (size_t)(equals - text));
  more[values->n_assume++] = (sp_assumed_range){name, lo, hi};
  values->assume = more;
  return true;
}

bool cli_set_run_budget(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  char *end;
  double ops = strtod(text, &end);
  if (end == text || *end || !(ops >= 0) || ops > 1e15) {
    cli_usage_error("give a number of operations, e.g. 1e9; 0: do not look for "
                    "a counterexample",
                    "--run-budget %s is no number of operations", text);
    return false;
  }
  values->run_budget = ops > 0 ? ops : -1;
  return true;
}

bool cli_set_memory(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  char *end;
  double mb = strtod(text, &end);
  if (end == text || *end || !(mb >= 1) || mb > 1e9) {
    cli_usage_error("write a number of megabytes such as 3000",
                    "\"%s\" is no amount of memory", text);
    return false;
  }
  values->proof_mb = (uint32_t)mb;
  return true;
}

bool cli_set_timeout(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  char *end;
  double seconds = strtod(text, &end);
  /* not (seconds >= ...) is true for a NaN, too */
  if (end == text || *end || !(seconds >= 0.001) || seconds > 1e6) {
    cli_usage_error("write a number of seconds such as 10 or 0.5",
                    "\"%s\" is not a time limit", text);
    return false;
  }
  values->timeout_ms = (uint32_t)(seconds * 1000.0);
  return true;
}

bool cli_set_json(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  values->json = text;
  return true;
}

bool cli_set_sarif(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  values->sarif = text;
  return true;
}

bool cli_set_dot(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  values->dot = text;
  return true;
}

bool cli_set_html(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  values->html = text;
  return true;
}

bool cli_set_repro(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  values->repro = text;
  return true;
}

bool cli_set_quiet(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  (void)text;
  values->quiet = true;
  return true;
}

bool cli_set_no_color(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  (void)text;
  values->no_color = true;
  return true;
}
