/* check.c: `shardproof check`. Read run_check, at the end: it reads the two
 * programs, checks them, and hands the outcome to the printers. */
#include "solve/check.h"
#include "cli/command.h"
#include "cli/explain_smt.h"
#include "cli/grade.h"
#include "cli/kernel.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "graph/hlo.h"
#include "shard-specs/problem.h"

#include <string.h>
#include <sys/resource.h>

/* ---- options ---- */

static bool set_explain(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  if (text && strcmp(text, "smt") != 0) {
    cli_usage_error("write --explain or --explain=smt",
                    "there is no --explain=%s", text);
    return false;
  }
  values->explain = values->explain || !text;
  values->explain_smt = values->explain_smt || text;
  return true;
}

static bool set_grade(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  values->grade = text;
  return true;
}

static bool set_smt2(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  values->smt2_dir = text;
  return true;
}

static bool set_spec(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  values->spec = text;
  return true;
}

static bool set_each_layer(sp_ctx *ctx, cli_values *values, const char *text) {
  (void)ctx;
  (void)text;
  values->each_layer = true;
  return true;
}

/* clang-format off */
static const cli_option check_options[] = {
  {"assume", 'a', "NAME=LO:HI",
   "take LO <= value < HI for all elements of the\n"
   "integer parameter NAME (a name or a number);\n"
   "NAME=-100,0:9: one of several ranges and values;\n"
   "may be given several times", cli_set_assume},
  {"explain", 'e', "[=smt]",
   "print a line for each distributed tensor: its\n"
   "relation, or why there is none; =smt: what Z3\n"
   "proved, in words and as SMT-LIB", set_explain},
  {"grade", 0, "EXERCISE.sp",
   "take FILE.sp as an answer to the exercise, print\n"
   "its score as JSON (docs/course.md)", set_grade},
  {"smt2", 0, "DIR",
   "write each distinct obligation to DIR in SMT-LIB", set_smt2},
  {"json", 'j', "FILE", "write the report as JSON (docs/json.md)", cli_set_json},
  {"repro", 0, "DIR",
   "write a counterexample's inputs to DIR as .npy,\n"
   "and a script that shows it with jax", cli_set_repro},
  {"sarif", 0, "FILE",
   "write what is wrong as SARIF 2.1.0, which code\n"
   "hosts show at the source line", cli_set_sarif},
  {"dot", 0, "FILE",
   "write AFTER as a Graphviz graph, tensors coloured\n"
   "by their relation", cli_set_dot},
  {"html", 0, "FILE",
   "write a page to read in a browser: verdict, both\n"
   "programs as graphs, relations, what was proved", cli_set_html},
  {"run-budget", 'B', "OPS",
   "operations that looking for a counterexample may take (3e8; 0: do not)",
   cli_set_run_budget},
  {"memory", 0, "MB",
   "stop proving when the terms take so much (3000)", cli_set_memory},
  {"timeout", 't', "SECONDS",
   "limit of the solver for one obligation (5)", cli_set_timeout},
  {"each-layer", 0, NULL,
   "prove each layer by itself, equal ones, too: to\n"
   "check the rule that proves them once (docs/proof.md)", set_each_layer},
  {"budget", 0, "SECONDS",
   "work after which proving stops (60, and 0.02 a tensor)", cli_set_budget},
  {"quiet", 'q', NULL, "print the verdict only", cli_set_quiet},
  {"no-color", 0, NULL,
   "no colours; also off without a terminal and\n"
   "where NO_COLOR is set", cli_set_no_color},
  {"spec", 's', "FILE",
   "take the two programs, and how they are related,\n"
   "from a spec file (docs/specs.md)", set_spec},
  CLI_OPTION_HELP,
  CLI_OPTIONS_END,
};
/* clang-format on */

/* ---- running ---- */

typedef struct job {
  const cli_values *values;
  cli_outcome *outcome;
  cli_progress progress;
  sp_problem problem; /* of a spec */
  cli_kernel kernel;
} job;

static void read_spec(sp_ctx *ctx, job *j) {
  cli_outcome *outcome = j->outcome;
  const sp_spec *spec = sp_spec_read_file(ctx, j->values->spec);
  outcome->before = sp_spec_sequential_path(ctx, spec);
  outcome->after = sp_spec_rank_path(ctx, spec, 0);
  j->problem = sp_spec_problem(ctx, spec);
  outcome->problem = &j->problem;
  outcome->before_program = j->problem.seq;
  outcome->after_program = j->problem.dist;
  sp_spec_assume(ctx, &j->problem, j->values->assume, j->values->n_assume);
}

static void read_programs(sp_ctx *ctx, void *arg) {
  job *j = arg;
  if (j->values->spec) {
    read_spec(ctx, j);
    return;
  }
  if (cli_is_kernel(j->values)) {
    cli_read_kernel(ctx, j->values, &j->kernel, j->outcome);
    return;
  }
  j->outcome->before_program = sp_hlo_read_file(ctx, j->outcome->before);
  j->outcome->after_program = sp_hlo_read_file(ctx, j->outcome->after);
}

static void check_programs(sp_ctx *ctx, void *arg) {
  job *j = arg;
  sp_check_options options = {
      .assume = j->values->assume,
      .n_assume = j->values->n_assume,
      .timeout_ms = j->values->timeout_ms,
      .proof_mb = j->values->proof_mb,
      .budget_ms = j->values->budget_ms,
      .run_budget = j->values->run_budget,
      .each_layer = j->values->each_layer,
      .statements = j->values->html || (j->values->json && j->values->explain),
      .smt2_dir = j->values->smt2_dir,
      .log = j->outcome->log,
      .progress = cli_progress_show,
      .user = &j->progress,
  };
  if (j->kernel.lowered) {
    cli_check_kernel(ctx, &j->kernel, &options, j->outcome);
    return;
  }
  j->outcome->report = j->values->spec
                           ? sp_check_problem(ctx, &j->problem, &options)
                           : sp_check(ctx, j->outcome->before_program,
                                      j->outcome->after_program, &options);
}

/* An error in mid-proof is never an input's fault unless it says so: what ran
 * out of memory or over a limit there is not proved, and that is all. */
static int exit_code_of_check(sp_code code) {
  if (code == SP_ERR_MEMORY || code == SP_ERR_LIMIT) {
    return CLI_UNPROVEN;
  }
  return cli_exit_code(code);
}

static int exit_code_of_report(const sp_report *report) {
  switch (report->verdict) {
  case SP_REFINES:
    return CLI_REFINES;
  case SP_VIOLATION:
    return CLI_VIOLATION;
  case SP_UNPROVEN:
    break;
  }
  return CLI_UNPROVEN;
}

static uint64_t peak_bytes(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) {
    return 0;
  }
  return (uint64_t)usage.ru_maxrss * 1024;
}

static void run_job(sp_ctx *ctx, job *j) {
  cli_outcome *outcome = j->outcome;
  double start = cli_now();
  sp_code code = sp_protect(ctx, read_programs, j);
  outcome->read_seconds = cli_now() - start;
  outcome->exit_code = cli_exit_code(code);
  if (code == SP_OK) {
    cli_progress_start(&j->progress, j->values->quiet);
    code = sp_protect(ctx, check_programs, j);
    cli_progress_end(&j->progress);
    outcome->exit_code = code == SP_OK ? exit_code_of_report(outcome->report)
                                       : exit_code_of_check(code);
  }
  if (code != SP_OK) {
    /* printing may raise errors of its own: keep a copy of this one */
    sp_error *copy = sp_alloc(ctx, sizeof *copy);
    *copy = *sp_ctx_error(ctx);
    outcome->error = copy;
    outcome->report = NULL;
  }
  outcome->seconds = cli_now() - start;
  outcome->peak_bytes = peak_bytes();
}

static bool arguments_ok(const cli_values *values) {
  if (values->spec && values->n_arguments == 0) {
    return true;
  }
  if (cli_is_kernel(values) && values->n_assume > 0) {
    cli_usage_error("write assume LO <= NAME < HI in the file",
                    "a kernel file says itself what is assumed");
    return false;
  }
  if (cli_is_kernel(values) && values->repro) {
    cli_usage_error("--json has the indices and both values",
                    "--repro is for XLA modules, not for kernel files");
    return false;
  }
  if (values->grade && !cli_is_kernel(values)) {
    cli_usage_error("shardproof check --grade EXERCISE.sp FILE.sp",
                    "--grade takes one kernel file, the answer");
    return false;
  }
  if (values->grade && (values->json || values->sarif || values->dot ||
                        values->html || values->explain_smt)) {
    cli_usage_error("check the file without --grade for other reports",
                    "--grade prints a score, and nothing else");
    return false;
  }
  if (cli_is_kernel(values)) {
    return true;
  }
  if (values->spec) {
    cli_usage_error("the spec names the programs: shardproof check --spec FILE",
                    "check --spec takes no other files");
    return false;
  }
  if (values->n_arguments != 2) {
    cli_usage_error("usage: shardproof check [OPTION]... BEFORE AFTER; "
                    "shardproof check --help says more",
                    "check takes two files, the module before the partitioner "
                    "and the one after it, not %d",
                    values->n_arguments);
    return false;
  }
  return true;
}

static int run_check(sp_ctx *ctx, const cli_values *values) {
  if (!arguments_ok(values) || !cli_reports_ready(ctx, values)) {
    return CLI_USAGE;
  }
  const char *one = values->spec               ? values->spec
                    : values->n_arguments == 1 ? values->arguments[0]
                                               : NULL;
  sp_asked_list asked = {0};
  cli_outcome outcome = {.log = values->explain_smt ? &asked : NULL,
                         .before = one ? one : values->arguments[0],
                         .after = one ? one : values->arguments[1]};
  job j = {.values = values, .outcome = &outcome};
  run_job(ctx, &j);
  if (values->grade) {
    return cli_grade(ctx, values, &outcome);
  }
  if (cli_verdict(&outcome)) {
    cli_print_report(ctx, values, &outcome);
  } else {
    cli_report_error(outcome.error);
  }
  if (j.kernel.lowered) {
    cli_kernel_verdict(&j.kernel, &outcome);
  }
  if (values->explain_smt && outcome.report) {
    cli_explain_smt(ctx, &asked);
  }
  return cli_reports_write(ctx, values, &outcome) ? outcome.exit_code
                                                  : CLI_INPUT;
}

/* clang-format off */
static const char check_details[] =
  "BEFORE is the module before XLA's SPMD partitioner (global shapes, with\n"
  "shardings), AFTER the one after it (the program of one partition), each as\n"
  "text or protobuf (HloProto or HloModuleProto). Dump them with XLA_FLAGS\n"
  "    --xla_dump_to=DIR --xla_dump_hlo_pass_re=spmd|shardy|sharding\n"
  "    --xla_dump_hlo_as_text\n"
  "The shardings of parameters and results say how the two are related.\n\n"
  "Other programs (PyTorch FX graphs, one HLO module for each rank) need a\n"
  "spec, which names them and says how inputs and outputs are related;\n"
  "`shardproof spec init` writes a first one.\n\n"
  "A kernel file, FILE.sp, holds both programs (docs/kernels.md).\n\n"
  "The first word printed is the verdict, and the exit code says the same:\n"
  "  0 REFINES    every result of AFTER holds what BEFORE computes\n"
  "  1 VIOLATION  they differ\n"
  "  2 UNPROVEN   neither was shown; the first tensors without a relation are\n"
  "               listed\n"
  "  3            a wrong option, assumption, or place for an output\n"
  "  4            an unreadable input, or writing an output failed at the end\n";
/* clang-format on */

const cli_command cli_check = {
    .name = "check",
    .arguments = "BEFORE AFTER | --spec FILE | FILE.sp",
    .summary = "prove that a distributed program refines the sequential one",
    .details = check_details,
    .options = check_options,
    .run = run_check,
};
