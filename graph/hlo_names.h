/* hlo_names.h: a map from interned names to numbers. Inside graph/ only.
 * Keys are compared as pointers (sp_intern). Emptying it costs nothing. */
#ifndef SP_GRAPH_HLO_NAMES_H
#define SP_GRAPH_HLO_NAMES_H

#include "base/ctx.h"

#define HLO_NO_NAME UINT32_MAX

typedef struct hlo_names {
  struct hlo_name_slot *slots;
  size_t n, cap;
  uint32_t round; /* slots of earlier rounds count as free */
} hlo_names;

void hlo_names_clear(hlo_names *m);
/* The number of a name, or HLO_NO_NAME. */
uint32_t hlo_names_find(const hlo_names *m, const char *name);
/* False, and nothing changed, when the name is there already. */
bool hlo_names_add(sp_ctx *ctx, hlo_names *m, const char *name,
                   uint32_t number);

#endif
