/* reports.c: all reports in files that were asked for. */
#define _POSIX_C_SOURCE 200809L /* mkdir */
#include "cli/message.h"
#include "cli/output.h"
#include "cli/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool make_directory(const char *option, const char *path) {
  struct stat st;
  if (mkdir(path, 0777) == 0 ||
      (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))) {
    return true;
  }
  cli_usage_error("the folder is made where it is missing, its parent is not",
                  "cannot make the folder %s for %s: %s", path, option,
                  strerror(errno));
  return false;
}

bool cli_reports_ready(sp_ctx *ctx, const cli_values *values) {
  const char *files[] = {values->json, values->sarif, values->dot,
                         values->html};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (files[i] && !cli_writable(ctx, files[i])) {
      return false;
    }
  }
  return (!values->smt2_dir || make_directory("--smt2", values->smt2_dir)) &&
         (!values->repro || make_directory("--repro", values->repro));
}

bool cli_reports_write(sp_ctx *ctx, const cli_values *values,
                       const cli_outcome *outcome) {
  bool ok = !values->json || cli_write_json(ctx, values, outcome);
  ok = (!values->sarif || cli_write_sarif(ctx, values, outcome)) && ok;
  ok = (!values->dot || cli_write_dot(ctx, values, outcome)) && ok;
  ok = (!values->html || cli_write_html(ctx, values, outcome)) && ok;
  return (!values->repro || cli_write_repro(ctx, values, outcome)) && ok;
}
