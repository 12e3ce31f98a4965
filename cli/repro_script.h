/* repro_script.h: the script that --repro writes: lines, NULL at the end. */
#ifndef SP_CLI_REPRO_SCRIPT_H
#define SP_CLI_REPRO_SCRIPT_H

#include <stddef.h>

extern const char *const cli_repro_script[];

#endif
