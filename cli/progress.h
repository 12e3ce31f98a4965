/* progress.h: one line on a terminal's stderr during long runs.
 *
 * CONTRACT. Nothing is printed unless stderr is a terminal and a second has
 * passed; the line is erased at the end, so that logs never hold it.
 */
#ifndef SP_CLI_PROGRESS_H
#define SP_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_progress {
  bool on;      /* stderr is a terminal */
  bool shown;   /* there is a line to erase */
  double start; /* seconds, as cli_now */
  double last;
} cli_progress;

double cli_now(void); /* monotonic seconds */
void cli_progress_start(cli_progress *p, bool quiet);
/* The callback of sp_check_options; user is a cli_progress. */
void cli_progress_show(void *user, size_t done, size_t total, const char *name);
void cli_progress_end(cli_progress *p);

#endif
