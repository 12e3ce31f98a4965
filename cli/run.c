/* run.c: `shardproof run`: one program on numbers. Read run_run, at the end. */
#define _POSIX_C_SOURCE 200809L /* mkdir */
#include "cli/command.h"
#include "cli/message.h"
#include "cli/tensor_file.h"
#include "graph/hlo.h"
#include "graph/layout.h"
#include "solve/evaluate.h"
#include "solve/hash.h"
#include "solve/problem.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- options ---- */

static bool set_input(sp_ctx *ctx, cli_values *values, const char *text) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1]) {
    cli_usage_error("write --input NAME=FILE.npy, where NAME is a parameter "
                    "or its number",
                    "\"%s\" names no input", text);
    return false;
  }
  const char **more = sp_alloc_n(ctx, values->n_inputs + 1, sizeof *more);
  if (values->n_inputs) {
    memcpy(more, values->inputs, values->n_inputs * sizeof *more);
  }
  more[values->n_inputs++] = text;
  values->inputs = more;
  return true;
}

static bool set_seed(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  char *end;
  errno = 0;
  values->seed = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || errno) {
    cli_usage_error("give a number such as 1", "\"%s\" is not a seed", text);
    return false;
  }
  return true;
}

static bool set_output(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  values->output = text;
  return true;
}

static bool set_round(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  (void)text;
  values->round = true;
  return true;
}

static bool set_sequential(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  (void)text;
  values->sequential = true;
  return true;
}

/* clang-format off */
static const cli_option run_options[] = {
  {"input", 'i', "NAME=FILE",
   "values of parameter NAME (a name or a number)\n"
   "from a .npy file: an array of its shape, or one\n"
   "with the ranks as first dimension", set_input},
  {"assume", 'a', "NAME=LO:HI",
   "draw the integer parameter NAME from\n"
   "LO <= value < HI; NAME=-100,0:9: from one of\n"
   "several ranges and values", cli_set_assume},
  {"seed", 's', "N", "what the other inputs are drawn from (0)", set_seed},
  {"output", 'o', "DIR",
   "write result k of all ranks to DIR/k.npy, with\n"
   "the ranks as first dimension", set_output},
  {"sequential", 0, NULL,
   "run on one rank: for modules from before the\n"
   "partitioner, which also name several partitions", set_sequential},
  {"round", 0, NULL, "round every tensor to its type", set_round},
  {"run-budget", 'B', "OPS",
   "operations that may be spent (4e9)", cli_set_run_budget},
  CLI_OPTION_HELP,
  CLI_OPTIONS_END,
};
/* clang-format on */

/* ---- inputs ---- */

static bool names_param(const sp_program *p, uint32_t i, const char *name,
                        size_t n) {
  const char *own = p->tensors[p->params[i]].name;
  char *end;
  if (n && name[0] == '%') {
    name++;
    n--;
  }
  return (strlen(own) == n && memcmp(own, name, n) == 0) ||
         (n && name[0] >= '0' && name[0] <= '9' &&
          strtoul(name, &end, 10) == i && end == name + n);
}

static uint32_t find_param(sp_ctx *ctx, const sp_program *p, const char *option,
                           const char *name, size_t n) {
  for (uint32_t i = 0; i < p->n_params; i++) {
    if (names_param(p, i, name, n)) {
      return i;
    }
  }
  sp_raise(ctx, SP_ERR_USAGE, sp_nowhere(),
           "name a parameter of the program, or give its number, counted "
           "from 0",
           "--%s %.*s: there is no such parameter", option, (int)n, name);
}

typedef struct drawing {
  uint64_t seed;
  const sp_tensor *t;
  uint32_t n_parts;
  const sp_stretch *parts; /* of which one holds a value; none: not said */
  const sp_layout *layout; /* NULL: each rank has its own values */
  int64_t global[SP_MAX_DIMS];
} drawing;

enum { PICK = 1 << 30 }; /* of another seed: which of the parts */

static double drawn(void *user, int64_t rank, int64_t flat,
                    const int64_t *idx) {
  const drawing *d = user;
  uint64_t seed = d->seed;
  if (!d->layout) {
    seed += (uint64_t)rank << 32;
  } else {
    flat = 0;
    for (uint32_t k = 0; k < d->layout->n_dims; k++) {
      flat =
          flat * d->global[k] + d->layout->dims[k].runs[0].start[rank] + idx[k];
    }
  }
  sp_stretch part = {0, -1};
  if (d->n_parts > 0) {
    part =
        d->parts[d->n_parts == 1 ? 0
                                 : (uint32_t)sp_hash_value(
                                       seed + PICK, SP_DRAW_SPREAD, d->t->name,
                                       flat, SP_S64, 0, d->n_parts)];
  }
  return sp_hash_value(seed, SP_DRAW_SPREAD, d->t->name, flat,
                       d->t->shape.dtype, part.lo, part.hi + 1);
}

/* Ranks that hold the same part of a parameter get the same values, where the
 * module says how it is sharded. */
static void place_drawing(sp_ctx *ctx, const sp_program *p, uint32_t i,
                          drawing *d) {
  const sp_sharding *s = d->t->sharding;
  if (!s && p->param_shardings) {
    s = p->param_shardings[i];
  }
  if (!s) {
    return;
  }
  sp_shape global = d->t->shape;
  for (uint32_t k = 0; k < global.n_dims; k++) {
    bool cut = s->kind == SP_SHARDING_TILED && k < s->n_dims;
    d->global[k] = global.dims[k] * (cut ? s->tiles[k] : 1);
  }
  global.dims = d->global;
  const char *why;
  d->layout =
      sp_layout_of_sharding(ctx, s, &global, &d->t->shape, p->partitions,
                            sp_nowhere(), d->t->name, &why);
}

static void draw(sp_ctx *ctx, const cli_values *values, sp_machine *m,
                 uint32_t i) {
  const sp_program *p = sp_machine_program(m);
  drawing d = {.seed = values->seed, .t = &p->tensors[p->params[i]]};
  for (size_t k = 0; k < values->n_assume; k++) {
    const sp_assumed_range *a = &values->assume[k];
    if (find_param(ctx, p, "assume", a->name, strlen(a->name)) == i) {
      sp_assumed_range_fits(ctx, a, d.t);
      d.n_parts = a->n;
      d.parts = a->parts;
    }
  }
  if (sp_machine_ranks(m) > 1) {
    place_drawing(ctx, p, i, &d);
  }
  sp_machine_fill_input(m, p->params[i], drawn, &d);
}

static void set_inputs(sp_ctx *ctx, const cli_values *values, sp_machine *m) {
  const sp_program *p = sp_machine_program(m);
  for (size_t k = 0; k < values->n_inputs; k++) {
    const char *text = values->inputs[k], *equals = strchr(text, '=');
    uint32_t i = find_param(ctx, p, "input", text, (size_t)(equals - text));
    cli_tensor_read(ctx, equals + 1, m, p->params[i]);
  }
  for (uint32_t i = 0; i < p->n_params; i++) {
    if (!sp_machine_has(m, p->params[i])) {
      draw(ctx, values, m, i);
    }
  }
}

/* ---- results ---- */

enum { SHOWN = 8 };

static bool same_on_all(const sp_machine *m, uint32_t tensor, int64_t n) {
  for (int64_t r = 1; r < sp_machine_ranks(m); r++) {
    for (int64_t i = 0; i < n; i++) {
      double a = sp_machine_value(m, tensor, 0, i);
      double b = sp_machine_value(m, tensor, r, i);
      if (a != b && (a == a || b == b)) {
        return false;
      }
    }
  }
  return true;
}

static void print_rank(const sp_machine *m, uint32_t tensor, int64_t rank,
                       int64_t n) {
  const sp_tensor *t = &sp_machine_program(m)->tensors[tensor];
  for (int64_t i = 0; i < n && i < SHOWN; i++) {
    if (sp_dtype_is_float(t->shape.dtype)) {
      double v = sp_machine_value(m, tensor, rank, i);
      printf(" %.7g", v == v ? v : fabs(v)); /* NaN has no sign */
    } else {
      printf(" %" PRId64, sp_machine_int(m, tensor, rank, i));
    }
  }
  printf(n > SHOWN ? " ...\n" : "\n");
}

static void print_result(sp_ctx *ctx, const sp_machine *m, uint32_t k) {
  const sp_program *p = sp_machine_program(m);
  uint32_t tensor = p->results[k];
  if (tensor == SP_NO_TENSOR) {
    printf("result %" PRIu32 ": none\n", k);
    return;
  }
  const sp_tensor *t = &p->tensors[tensor];
  int64_t n = sp_shape_elements(&t->shape), ranks = sp_machine_ranks(m);
  printf("result %" PRIu32 ": %s %s\n", k, sp_shape_text(ctx, &t->shape),
         cli_clean(ctx, t->name));
  if (same_on_all(m, tensor, n)) {
    printf(ranks > 1 ? "  all ranks:" : "  ");
    print_rank(m, tensor, 0, n);
    return;
  }
  for (int64_t r = 0; r < ranks; r++) {
    printf("  rank %" PRId64 ":", r);
    print_rank(m, tensor, r, n);
  }
}

static bool make_folder(const char *path) {
  struct stat st;
  if (mkdir(path, 0777) == 0 ||
      (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))) {
    return true;
  }
  cli_usage_error("--output takes a folder; it is made where it is missing",
                  "cannot make the folder %s: %s", path, strerror(errno));
  return false;
}

static void write_results(sp_ctx *ctx, const char *folder, sp_machine *m) {
  const sp_program *p = sp_machine_program(m);
  for (uint32_t k = 0; k < p->n_results; k++) {
    if (p->results[k] != SP_NO_TENSOR) {
      cli_tensor_write(ctx, sp_format(ctx, "%s/%" PRIu32 ".npy", folder, k), m,
                       p->results[k], -1);
    }
  }
}

static int run_run(sp_ctx *ctx, const cli_values *values) {
  if (values->n_arguments != 1) {
    cli_usage_error("usage: shardproof run [OPTION]... PROGRAM",
                    "run takes one file, not %d", values->n_arguments);
    return CLI_USAGE;
  }
  if (values->output && !make_folder(values->output)) {
    return CLI_USAGE;
  }
  const sp_program *p = sp_hlo_read_file(ctx, values->arguments[0]);
  sp_machine_options options = {.round_to_dtype = values->round,
                                .sequential = values->sequential};
  if (values->run_budget > 0) {
    options.budget_ops = values->run_budget;
  }
  sp_machine *m = sp_machine_new(ctx, sp_pool_new(ctx), p, &options);
  set_inputs(ctx, values, m);
  if (!sp_machine_run(m)) {
    const sp_machine_trouble *t = sp_machine_problem(m);
    cli_usage_error(*t->hint ? t->hint : NULL, "%s",
                    cli_clean(ctx, t->message));
    return CLI_UNPROVEN;
  }
  printf("%s on %" PRId64 " rank%s, %.2g operations\n",
         cli_clean(ctx, p->name ? p->name : "(no name)"), sp_machine_ranks(m),
         sp_machine_ranks(m) == 1 ? "" : "s", sp_machine_done(m));
  for (uint32_t k = 0; k < p->n_results; k++) {
    print_result(ctx, m, k);
  }
  if (values->output) {
    write_results(ctx, values->output, m);
  }
  return CLI_REFINES;
}

/* clang-format off */
static const char run_details[] =
  "PROGRAM is an HLO module; one for several partitions is run on all of them.\n"
  "Values are computed in double precision. Parameters without --input are\n"
  "drawn: reals roughly normal in [-2, 2], integers small; ranks that hold the\n"
  "same part of a parameter get the same values where the module has shardings,\n"
  "else each rank has its own.\n\n"
  "Exit code 2: the program could not be run (an operator without values, an\n"
  "index outside of its tensor, more operations than the budget).\n";
/* clang-format on */

const cli_command cli_run = {
    .name = "run",
    .arguments = "PROGRAM",
    .summary = "run a program on given or drawn numbers",
    .details = run_details,
    .options = run_options,
    .run = run_run,
};
