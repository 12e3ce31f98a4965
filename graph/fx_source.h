/* fx_source.h: the lines of the graphs in a text. Inside graph/ only.
 *
 * CONTRACT. Finds where graphs begin ("class f(torch.nn.Module):", or a bare
 * "def forward(") and gives each its lines without what TORCH_LOGS puts before
 * them. Lines of several ranks may be mixed: a graph has the lines of the rank
 * that its first line names. Classes inside a graph are left to it. Lines
 * point into the text. Cost: one pass.
 */
#ifndef SP_GRAPH_FX_SOURCE_H
#define SP_GRAPH_FX_SOURCE_H

#include "base/vec.h"

typedef struct fx_line {
  const char *s, *e;       /* without prefix, trailing blanks, line end */
  uint32_t number, column; /* of s, from 1 */
} fx_line;

typedef struct fx_section {
  const char *name; /* of the class: "<lambda>", "GraphModule" */
  uint32_t line;
  const char *rank; /* "[rank0]:" of a log, or "" */
  SP_VEC(fx_line) lines;
} fx_section;

typedef struct fx_source {
  const char *file;
  SP_VEC(fx_section *) sections;
} fx_source;

fx_source fx_source_read(sp_ctx *ctx, const char *file, const char *text,
                         size_t n);

/* One line of a file (the pointers are its ends) without log prefix; *rank is
 * its rank tag. */
fx_line fx_source_line(const char *s, const char *e, const char **rank,
                       size_t *rank_n);
/* "def forward(" or "class NAME(torch.nn.Module)" not inside a class? */
bool fx_source_is_def(const fx_line *line);
bool fx_source_is_class(const fx_line *line, const char **name, size_t *name_n);

#endif
