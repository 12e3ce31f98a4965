/* graphviz.h: positions of a graph's boxes and lines, by Graphviz.
 *
 * CONTRACT. `dot` runs as a child process: it is not needed to build, may be
 * missing, and can be stopped when it takes too long. What it is given has
 * numbers for names, so no text of a program reaches it, and what it answers
 * (its `plain` format) is text of numbers. Several layouts can run at a time.
 */
#ifndef SP_CLI_GRAPHVIZ_H
#define SP_CLI_GRAPHVIZ_H

#include "base/ctx.h"

#include <stdio.h>
#include <sys/types.h>

/* All boxes are of one size, in points. */
enum { CLI_BOX_WIDTH = 168, CLI_BOX_HEIGHT = 46 };

typedef struct cli_edge {
  uint32_t from, to;
} cli_edge;

typedef struct cli_graph {
  size_t n_nodes, n_edges;
  const uint32_t *nodes;
  const cli_edge *edges;
} cli_graph;

typedef struct cli_layout {
  pid_t child; /* 0: none */
  FILE *answer;
  const char *why; /* there will be no layout, for people; else NULL */
} cli_layout;

cli_layout cli_layout_start(sp_ctx *ctx, const cli_graph *graph);
/* The layout as text, NULL where there is none (why says it). Waits until
 * cli_now() is `deadline`, no longer. */
const char *cli_layout_finish(sp_ctx *ctx, cli_layout *layout, double deadline);

#endif
