/* page_graph.h: a program as the page shows it: a box for every tensor.
 *
 * CONTRACT. Tensors of loop bodies follow those of the program around them,
 * named as in the report ("while.1/add.2"). Large programs begin with a part of
 * themselves: what is near the focus (the fault, or the results).
 */
#ifndef SP_CLI_PAGE_GRAPH_H
#define SP_CLI_PAGE_GRAPH_H

#include "base/vec.h"
#include "cli/graphviz.h"
#include "cli/report_json.h"

typedef struct cli_box {
  const char *name; /* as in the report */
  const char *loop; /* it is in the body of, or NULL */
  const sp_program *program;
  uint32_t tensor;
  bool result;
} cli_box;

typedef struct cli_page_graph {
  SP_VEC(cli_box) boxes;
  SP_VEC(cli_edge) edges; /* positions in boxes; values flow from, to */
} cli_page_graph;

/* program NULL: an empty graph. */
cli_page_graph cli_page_graph_of(sp_ctx *ctx, const sp_program *program);
/* By the name in the report, or in its own program (a loop's body); UINT32_MAX:
 * there is no such box. */
uint32_t cli_page_graph_find(const cli_page_graph *g, const char *name,
                             size_t name_length);
/* What to lay out first: all, or what is near the focus (may be none: then
 * near the results). */
cli_graph cli_page_graph_start(sp_ctx *ctx, const cli_page_graph *g,
                               size_t n_focus, const uint32_t *focus);
json_t *cli_page_graph_json(sp_ctx *ctx, const cli_page_graph *g);

#endif
