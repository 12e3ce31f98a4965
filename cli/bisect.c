/* bisect.c: `shardproof bisect`.
 *
 * Read run_bisect, last. The dumps of a module are surveyed (which differ from
 * the one before, where the partitioner ran); each is checked against the one
 * before it; a step that is not proved is tried together with its neighbours;
 * then the proved ones are put together. Every check has a context of its own:
 * the memory of one is free before the next. */
#include "cli/bisect.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/progress.h"

#include "base/file.h"
#include "graph/hlo.h"

#include <stdio.h>
#include <string.h>

/* So many stages beyond an unproven step are tried together with it. */
enum { REACH = 3 };

/* ---- the survey ---- */

typedef struct look {
  const char *path;
  const char *bytes;
  size_t n;
  const sp_program *program;
  const char *signature;
} look;

static const char *signature_of(sp_ctx *ctx, const sp_program *p) {
  sp_str s = {0};
  for (uint32_t i = 0; i < p->n_params; i++) {
    sp_str_add(ctx, &s, sp_shape_text(ctx, &p->tensors[p->params[i]].shape));
  }
  sp_str_add(ctx, &s, "->");
  for (uint32_t i = 0; i < p->n_results; i++) {
    sp_str_add(ctx, &s, sp_shape_text(ctx, &p->tensors[p->results[i]].shape));
  }
  return s.v;
}

static void look_at(sp_ctx *ctx, void *arg) {
  look *l = arg;
  l->bytes =
      sp_file_read(ctx, l->path, (sp_loc){.file = l->path}, SP_MAX_FILE, &l->n);
  l->program = sp_hlo_read_file(ctx, l->path);
  l->signature = signature_of(ctx, l->program);
}

/* Parameters keep their numbers from dump to dump, not their names. */
static void number_assumptions(sp_ctx *ctx, const cli_values *values,
                               const sp_program *first) {
  for (size_t i = 0; i < values->n_assume; i++) {
    sp_assumed_range *a = &values->assume[i];
    const char *name = a->name[0] == '%' ? a->name + 1 : a->name;
    for (uint32_t k = 0; k < first->n_params; k++) {
      if (strcmp(first->tensors[first->params[k]].name, name) == 0) {
        a->name = sp_format(ctx, "%u", k);
        break;
      }
    }
  }
}

static void add_unread(sp_ctx *ctx, cli_bisection *b, const cli_dump *dump,
                       const sp_error *e) {
  b->unread[b->n_unread++] =
      sp_format(ctx, "%s: %s", dump->name, e ? e->message : "out of memory");
}

/* A dump that cannot be read is left out, and so is one that is the same text
 * as the one before it. */
static void survey(sp_ctx *ctx, const cli_values *values, cli_bisection *b,
                   const cli_dumps *all) {
  sp_ctx *last = NULL;
  look before = {0};
  b->stages = sp_alloc_n(ctx, all->n, sizeof *b->stages);
  b->unread = sp_alloc_n(ctx, all->n, sizeof *b->unread);
  for (size_t i = 0; i < all->n; i++) {
    look l = {.path = all->v[i].path};
    sp_ctx *own = sp_ctx_new(NULL);
    sp_code code = own ? sp_protect(own, look_at, &l) : SP_ERR_MEMORY;
    bool same = code == SP_OK && l.n == before.n &&
                memcmp(l.bytes, before.bytes, l.n) == 0;
    if (code != SP_OK) {
      add_unread(ctx, b, &all->v[i], own ? sp_ctx_error(own) : NULL);
      bool end = i == 0 || i + 1 == all->n;
      b->end_unread = end ? b->unread[b->n_unread - 1] : b->end_unread;
    }
    if (code != SP_OK || same) {
      sp_ctx_free(own);
      continue;
    }
    if (b->n_stages == 0) {
      number_assumptions(ctx, values, l.program);
    }
    b->stages[b->n_stages++] = (cli_stage){
        .dump = all->v[i],
        .signature = sp_strdup(ctx, l.signature),
        .knows_ranks = sp_program_knows_ranks(l.program),
    };
    sp_ctx_free(last);
    last = own;
    before = l;
  }
  sp_ctx_free(last);
}

/* Where parameters or results change their shapes, else where devices begin to
 * matter. */
static size_t first_partitioned(const cli_bisection *b) {
  const cli_stage *s = b->stages;
  for (size_t i = 1; i < b->n_stages; i++) {
    if (strcmp(s[i].signature, s[i - 1].signature) != 0) {
      return i;
    }
  }
  for (size_t i = 1; i < b->n_stages; i++) {
    if (s[i].knows_ranks && !s[i - 1].knows_ranks) {
      return i;
    }
  }
  return 0;
}

/* ---- one check ---- */

typedef struct job {
  const cli_bisection *b;
  const cli_values *values;
  cli_step *step;
  cli_progress *progress;
  sp_problem cut;
} job;

static const char *path_of(const cli_bisection *b, size_t stage) {
  return b->stages[stage].dump.path;
}

static void across_partitioner(sp_ctx *ctx, void *arg) {
  job *j = arg;
  size_t at = j->b->partitioned;
  j->cut = sp_problem_of_pair(ctx, sp_hlo_read_file(ctx, path_of(j->b, at - 1)),
                              sp_hlo_read_file(ctx, path_of(j->b, at)));
}

static sp_problem problem_of(sp_ctx *ctx, job *j, const sp_program *before,
                             const sp_program *after) {
  size_t at = j->b->partitioned;
  if (j->step->from < at && j->step->to >= at) {
    return sp_problem_of_pair(ctx, before, after);
  }
  bool known = at > 0 && j->step->from >= at &&
               sp_protect(ctx, across_partitioner, j) == SP_OK;
  return sp_problem_identity(ctx, before, after, known ? &j->cut : NULL);
}

static void check_step(sp_ctx *ctx, void *arg) {
  job *j = arg;
  cli_outcome *o = &j->step->outcome;
  o->before_program = sp_hlo_read_file(ctx, o->before);
  o->after_program = sp_hlo_read_file(ctx, o->after);
  sp_problem problem = problem_of(ctx, j, o->before_program, o->after_program);
  sp_problem_assume(ctx, &problem, j->values->assume, j->values->n_assume);
  sp_check_options options = {
      .timeout_ms = j->values->timeout_ms,
      .proof_mb = j->values->proof_mb,
      .budget_ms = j->values->budget_ms,
      .run_budget = j->step->ran ? -1 : j->values->run_budget,
      .statements = j->values->html || j->values->json,
      .progress = cli_progress_show,
      .user = j->progress,
  };
  o->report = sp_check_problem(ctx, &problem, &options);
}

/* Where the proof stopped, in a line. */
static const char *stopped_at(sp_ctx *ctx, const sp_report *report) {
  if (!report->n_frontier) {
    return sp_strdup(ctx, report->sentence);
  }
  const sp_report_tensor *t = &report->tensors[report->frontier[0]];
  const char *place = cli_place_text(ctx, &t->pos);
  return sp_format(ctx, "no relation was found for %s = %s %s%s%s%s%s", t->name,
                   t->op, t->shape, *place ? ", " : "", place,
                   t->why ? ": " : "", t->why ? t->why : "");
}

static void add_assumptions(sp_ctx *ctx, cli_bisection *b,
                            const sp_report *report) {
  for (size_t i = 0; i < report->n_assumptions; i++) {
    const char *a = report->assumptions[i];
    size_t k = 0;
    while (k < b->assumptions.n && strcmp(b->assumptions.v[k], a) != 0) {
      k++;
    }
    if (k == b->assumptions.n) {
      sp_push(ctx, &b->assumptions, sp_strdup(ctx, a));
    }
  }
}

static noreturn void raise_again(sp_ctx *ctx, sp_ctx *own) {
  sp_error e = *sp_ctx_error(own);
  sp_ctx_free(own);
  sp_raise(ctx, e.code, e.loc, e.hint, "%s", e.message);
}

static void run_step(sp_ctx *ctx, const cli_values *values, cli_bisection *b,
                     cli_step *step) {
  cli_progress progress;
  job j = {.b = b, .values = values, .step = step, .progress = &progress};
  double start = cli_now();
  step->outcome = (cli_outcome){.before = path_of(b, step->from),
                                .after = path_of(b, step->to)};
  sp_ctx *own = sp_ctx_new(NULL);
  cli_progress_start(&progress, values->quiet);
  sp_code code = own ? sp_protect(own, check_step, &j) : SP_ERR_MEMORY;
  cli_progress_end(&progress);
  step->seconds = cli_now() - start;
  step->outcome.seconds = step->seconds;
  step->verdict = SP_UNPROVEN;
  if (code == SP_ERR_USAGE) {
    raise_again(ctx, own); /* a wrong option is wrong in every check */
  } else if (code != SP_OK) {
    step->why =
        own ? sp_strdup(ctx, sp_ctx_error(own)->message) : "out of memory";
  } else {
    step->verdict = step->outcome.report->verdict;
    step->ran = step->verdict == SP_UNPROVEN &&
                !step->outcome.report->not_run && values->run_budget >= 0;
    add_assumptions(ctx, b, step->outcome.report);
    step->why = step->verdict == SP_UNPROVEN
                    ? stopped_at(ctx, step->outcome.report)
                    : NULL;
  }
  if (step->verdict == SP_VIOLATION && !b->broken) {
    step->outcome.exit_code = CLI_VIOLATION;
    b->broken = step;
    b->broken_ctx = own;
    return;
  }
  sp_ctx_free(own);
  step->outcome = (cli_outcome){0};
}

/* ---- several steps at once ---- */

/* The longer check that proves what step i is a part of, or NULL. */
const cli_step *cli_bisection_cover(const cli_bisection *b, size_t i) {
  for (size_t k = 0; k < b->n_longer; k++) {
    const cli_step *s = &b->longer[k];
    if (s->verdict == SP_REFINES && s->from <= i && i < s->to) {
      return s;
    }
  }
  return NULL;
}

/* True when nothing more needs to be tried. */
static bool try_longer(sp_ctx *ctx, const cli_values *values, cli_bisection *b,
                       size_t from, size_t to) {
  if (to >= b->n_stages || to < from + 2) {
    return false;
  }
  cli_step *s = &b->longer[b->n_longer++];
  *s = (cli_step){.from = from, .to = to, .ran = true};
  for (size_t i = from; i < to; i++) { /* running once more tells no more */
    s->ran = s->ran && (b->steps[i].ran || b->steps[i].verdict == SP_REFINES);
  }
  run_step(ctx, values, b, s);
  return s->verdict != SP_UNPROVEN;
}

/* An unknown intermediate must not spoil the chain: go past it, come from
 * before it, or from the program before the partitioner. */
static void go_around(sp_ctx *ctx, const cli_values *values, cli_bisection *b,
                      size_t i) {
  if (b->steps[i].verdict != SP_UNPROVEN || cli_bisection_cover(b, i)) {
    return;
  }
  for (size_t to = i + 2; to <= i + REACH; to++) {
    if (try_longer(ctx, values, b, i, to)) {
      return;
    }
  }
  if (i > 0 && try_longer(ctx, values, b, i - 1, i + 1)) {
    return;
  }
  if (b->partitioned > 0 && i > b->partitioned) {
    try_longer(ctx, values, b, b->partitioned - 1, i + 1);
  }
}

/* Is the last stage reached from the first one over what is proved? */
static bool all_linked(sp_ctx *ctx, const cli_bisection *b) {
  bool *reached = sp_alloc_n(ctx, b->n_stages, sizeof *reached);
  reached[0] = true;
  for (size_t to = 1; to < b->n_stages; to++) {
    reached[to] = reached[to - 1] && b->steps[to - 1].verdict == SP_REFINES;
    for (size_t k = 0; k < b->n_longer; k++) {
      const cli_step *s = &b->longer[k];
      reached[to] = reached[to] || (s->to == to && reached[s->from] &&
                                    s->verdict == SP_REFINES);
    }
  }
  return reached[b->n_stages - 1];
}

static void bisect(sp_ctx *ctx, const cli_values *values, cli_bisection *b) {
  size_t n = b->n_stages - 1;
  b->partitioned = first_partitioned(b);
  b->steps = sp_alloc_n(ctx, n + 1, sizeof *b->steps);
  b->longer = sp_alloc_n(ctx, n * (REACH + 1) + 1, sizeof *b->longer);
  for (size_t i = 0; i < n; i++) {
    b->steps[i] = (cli_step){.from = i, .to = i + 1};
    run_step(ctx, values, b, &b->steps[i]);
  }
  for (size_t i = 0; i < n; i++) {
    go_around(ctx, values, b, i);
  }
  bool linked = !b->end_unread && all_linked(ctx, b);
  b->verdict = b->broken ? SP_VIOLATION : linked ? SP_REFINES : SP_UNPROVEN;
}

/* ---- the command ---- */

static bool set_module(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  values->module = text;
  return true;
}

/* clang-format off */
static const cli_option bisect_options[] = {
  {"module", 'm', "NAME",
   "the module (module_0003.jit_step), where the folder\n"
   "has dumps of several", set_module},
  {"assume", 'a', "NAME=LO:HI",
   "take LO <= value < HI for all elements of the\n"
   "integer parameter NAME (a name or a number);\n"
   "NAME=-100,0:9: one of several ranges and values", cli_set_assume},
  {"json", 'j', "FILE", "write all steps as JSON (docs/bisect.md)", cli_set_json},
  {"html", 0, "FILE",
   "write a page of the step that broke the program,\n"
   "as check --html does", cli_set_html},
  {"repro", 0, "DIR",
   "write that step's counterexample: inputs as .npy,\n"
   "and a script that shows it with jax", cli_set_repro},
  {"run-budget", 'B', "OPS",
   "operations that looking for a counterexample may take (3e8; 0: do not)",
   cli_set_run_budget},
  {"memory", 0, "MB",
   "stop proving when the terms take so much (3000)", cli_set_memory},
  {"timeout", 't', "SECONDS",
   "limit of the solver for one obligation (5)", cli_set_timeout},
  {"budget", 0, "SECONDS",
   "work after which proving stops (60, and 0.02 a tensor)", cli_set_budget},
  {"quiet", 'q', NULL, "print the verdict only", cli_set_quiet},
  {"no-color", 0, NULL,
   "no colours; also off without a terminal and\n"
   "where NO_COLOR is set", cli_set_no_color},
  CLI_OPTION_HELP,
  CLI_OPTIONS_END,
};
/* clang-format on */

static int exit_code(sp_verdict verdict) {
  return verdict == SP_REFINES     ? CLI_REFINES
         : verdict == SP_VIOLATION ? CLI_VIOLATION
                                   : CLI_UNPROVEN;
}

/* --html and --repro are of the broken step; --json is of all. */
static bool write_reports(sp_ctx *ctx, const cli_values *values,
                          const cli_bisection *b) {
  bool ok = !values->json || cli_write_bisection(ctx, values->json, b);
  if (b->broken) {
    cli_values other = *values;
    other.json = NULL;
    return cli_reports_write(ctx, &other, &b->broken->outcome) && ok;
  }
  if ((values->html || values->repro) && !values->quiet) {
    printf("\nno step is known to be wrong: nothing for --html and --repro\n");
  }
  return ok;
}

static int run_bisect(sp_ctx *ctx, const cli_values *values) {
  if (values->n_arguments != 1) {
    cli_usage_error("usage: shardproof bisect [OPTION]... DUMP_DIR",
                    "bisect takes one folder, not %d arguments",
                    values->n_arguments);
    return CLI_USAGE;
  }
  if (!cli_reports_ready(ctx, values)) {
    return CLI_USAGE;
  }
  const char *dir = values->arguments[0];
  cli_dumps all = cli_dumps_find(ctx, dir, values->module);
  cli_bisection b = {.module = all.module, .n_files = all.n};
  survey(ctx, values, &b, &all);
  if (b.n_stages == 0) {
    sp_raise(ctx, SP_ERR_INPUT, (sp_loc){.file = sp_strdup(ctx, dir)}, NULL,
             "none of the %zu dumps can be read; %.400s", all.n, b.unread[0]);
  }
  bisect(ctx, values, &b);
  b.exit_code = exit_code(b.verdict);
  cli_print_bisection(ctx, values, &b);
  bool written = write_reports(ctx, values, &b);
  sp_ctx_free(b.broken_ctx);
  return written ? b.exit_code : CLI_INPUT;
}

/* clang-format off */
static const char bisect_details[] =
  "DUMP_DIR is what XLA wrote with XLA_FLAGS\n"
  "    --xla_dump_to=DIR --xla_dump_hlo_pass_re=.* --xla_dump_hlo_as_text\n"
  "(with --xla_dump_hlo_as_proto also the values of large constants). Each dump\n"
  "is checked against the one before it: across the partitioner as `check` does,\n"
  "elsewhere every device must compute the same from the same inputs. Steps\n"
  "that are not proved are tried together with the next ones.\n\n"
  "The first word printed is the verdict, and the exit code says the same:\n"
  "  0 REFINES    the last dump computes what the first one does\n"
  "  1 VIOLATION  a step changed what is computed; it is named\n"
  "  2 UNPROVEN   neither was shown; the steps that were not proved are listed\n"
  "  3            a wrong option or assumption\n"
  "  4            the folder cannot be read, or has no dumps\n";
/* clang-format on */

const cli_command cli_bisect = {
    .name = "bisect",
    .arguments = "DUMP_DIR",
    .summary = "find the compiler pass that broke a program",
    .details = bisect_details,
    .options = bisect_options,
    .run = run_bisect,
};
