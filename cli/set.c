/* set.c: values of options that several commands have: each row's function
 * checks the text, says what is wrong with it, and stores it. */
#include "base/vec.h"
#include "cli/message.h"
#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A decimal integer at *text, which moves on behind it. */
static bool parse_integer(const char **text, int64_t *value) {
  char *stop;
  if (**text == '\0' || !strchr("-0123456789", **text)) {
    return false;
  }
  errno = 0;
  long long v = strtoll(*text, &stop, 10);
  bool ok = errno == 0 && stop != *text;
  *value = v;
  *text = stop;
  return ok;
}

/* "LO:HI" or "VALUE" at *text, which moves on behind it. */
static bool parse_part(const char **text, sp_stretch *part) {
  if (!parse_integer(text, &part->lo)) {
    return false;
  }
  if (**text != ':') {
    part->hi = part->lo;
    return part->hi < INT64_MAX; /* as in a spec */
  }
  ++*text;
  if (!parse_integer(text, &part->hi) || part->hi == INT64_MIN) {
    return false;
  }
  part->hi--;
  return true;
}

/* Parts between commas, to the end of the text; false: it is no such list. */
static bool parse_parts(sp_ctx *ctx, const char *text, sp_assumed_range *a) {
  SP_VEC(sp_stretch) parts = {0};
  bool more = true;
  while (more) {
    sp_stretch part;
    if (!parse_part(&text, &part)) {
      return false;
    }
    sp_push(ctx, &parts, part);
    more = *text == ',';
    text += more;
  }
  a->n = (uint32_t)parts.n;
  a->parts = parts.v;
  return *text == '\0';
}

bool cli_set_assume(sp_ctx *ctx, cli_values *values, const char *text) {
  const char *equals = strrchr(text, '=');
  sp_assumed_range a = {0};
  if (!equals || equals == text || !parse_parts(ctx, equals + 1, &a)) {
    cli_usage_error("write --assume NAME=LO:HI for LO <= value < HI, "
                    "for example --assume ids=0:50257, or several ranges and "
                    "values: --assume labels=-100,0:50257",
                    "\"%s\" is not an assumed range", text);
    return false;
  }
  for (uint32_t i = 0; i < a.n; i++) {
    if (a.parts[i].lo > a.parts[i].hi) {
      cli_usage_error(
          "the range is half-open: HI is one above the largest value",
          "the assumed range \"%s\" is empty", text);
      return false;
    }
  }
  a.name = sp_strndup(ctx, text, (size_t)(equals - text));
  sp_assumed_range *more = sp_alloc_n(ctx, values->n_assume + 1, sizeof *more);
  if (values->n_assume) {
    memcpy(more, values->assume, values->n_assume * sizeof *more);
  }
  more[values->n_assume++] = a;
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

static bool read_seconds(const char *text, uint32_t *ms) {
  char *end;
  double seconds = strtod(text, &end);
  /* not (seconds >= ...) is true for a NaN, too */
  if (end == text || *end || !(seconds >= 0.001) || seconds > 1e6) {
    cli_usage_error("write a number of seconds such as 10 or 0.5",
                    "\"%s\" is not a time limit", text);
    return false;
  }
  *ms = (uint32_t)(seconds * 1000.0);
  return true;
}

bool cli_set_timeout(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  return read_seconds(text, &values->timeout_ms);
}

bool cli_set_budget(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  return read_seconds(text, &values->budget_ms);
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
