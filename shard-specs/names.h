/* names.h: tensors by the names that a spec uses.
 *
 * CONTRACT. A tensor is called by its name in the program (HLO's leading % may
 * be left out or written), by "in.N", input N, or by "out.N", element N of
 * what the program returns. '*' in a pattern stands for any text; in the name
 * of the counterpart, the n-th '*' stands for what the n-th one matched.
 */
#ifndef SP_SPECS_NAMES_H
#define SP_SPECS_NAMES_H

#include "graph/program.h"

typedef struct sp_names {
  const sp_program *program;
  uint32_t *sorted; /* tensors by name */
} sp_names;

sp_names sp_names_of(sp_ctx *ctx, const sp_program *p);
/* SP_NO_TENSOR where there is none (or None is returned there). */
uint32_t sp_names_find(const sp_names *names, const char *name);
/* N of "out.N" (prefix "out."), else -1. */
int64_t sp_names_number(const char *name, const char *prefix);

bool sp_pattern_is(const char *name);
bool sp_pattern_matches(const char *pattern, const char *name);
/* The counterpart of a name that matches: to with its '*' filled in. */
const char *sp_pattern_fill(sp_ctx *ctx, const char *pattern, const char *name,
                            const char *to);
/* A name of the program that looks like it, or NULL. */
const char *sp_names_nearest(const sp_names *names, const char *name);

#endif
