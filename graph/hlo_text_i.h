/* hlo_text_i.h: the state of the text reader, shared by its files:
 * hlo_text.c (module, computations, instructions), hlo_text_attrs.c
 * (attributes), hlo_text_sharding.c (shardings, groups). */
#ifndef SP_GRAPH_HLO_TEXT_I_H
#define SP_GRAPH_HLO_TEXT_I_H

#include "graph/hlo_lex.h"
#include "graph/hlo_module.h"
#include "graph/hlo_names.h"
#include "graph/hlo_notation.h"

/* A list of leaf shardings, as one annotation gives them. */
typedef struct hlo_leaves {
  uint32_t n;
  const sp_sharding *const *v;
} hlo_leaves;

/* A computation named before it was read; filled in at the end. */
typedef struct hlo_pending {
  uint32_t *slot;
  const char *name, *at;
} hlo_pending;

typedef struct hlo_frame {
  const char *file;
  uint32_t line;
} hlo_frame;

typedef SP_VEC(const char *) hlo_strings;
typedef SP_VEC(hlo_frame) hlo_frames;

typedef struct hlo_text {
  sp_ctx *ctx;
  hlo_lex l;
  int64_t partitions, replicas;
  hlo_notation *nt;
  hlo_notation *seen;        /* text of an annotation -> hlo_leaves */
  hlo_notation *seen_groups; /* text of a list of groups -> sp_groups */
  hlo_strings files;
  hlo_frames locations, frames; /* element 0 is number 1 */
  hlo_names instrs;             /* of the computation being read */
  hlo_names computations;
  SP_VEC(hlo_pending) pending;
  /* the instruction being read */
  hlo_instr *instr;
  SP_VEC(sp_attr) attrs;
  SP_VEC(const char *) roles;
  SP_VEC(const char *) callees; /* names */
  SP_VEC(const char *) callee_at;
} hlo_text;

/* ", name=value, ..." after an instruction's operands, into t->attrs and
 * t->instr. */
void spi_text_attrs(hlo_text *t);
void spi_text_attr_add(hlo_text *t, const sp_attr *attr, const char *at);

/* At '{'. */
hlo_leaves spi_text_sharding(hlo_text *t);
/* NULL for the empty list. */
const sp_groups *spi_text_groups(hlo_text *t);

#endif
