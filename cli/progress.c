/* progress.c: see progress.h. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, isatty */
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

double cli_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void cli_progress_start(cli_progress *p, bool quiet) {
  *p =
      (cli_progress){.on = !quiet && isatty(STDERR_FILENO), .start = cli_now()};
}

void cli_progress_show(void *user, size_t done, size_t total,
                       const char *name) {
  (void)name; /* from the input: not for a terminal */
  cli_progress *p = user;
  if (!p->on) {
    return;
  }
  double now = cli_now();
  if (now - p->start < 1.0 || now - p->last < 0.1) {
    return;
  }
  fprintf(stderr, "\r\033[K%zu of %zu tensors, %.0f s", done, total,
          now - p->start);
  fflush(stderr);
  p->last = now;
  p->shown = true;
}

void cli_progress_end(cli_progress *p) {
  if (p->shown) {
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
    p->shown = false;
  }
}
