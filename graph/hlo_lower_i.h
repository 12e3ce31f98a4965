/* hlo_lower_i.h: shared by the files of the lowering: hlo_lower.c (what each
 * opcode becomes), hlo_lower_build.c (the program under construction),
 * hlo_lower_devices.c (groups and permutes in device numbers). */
#ifndef SP_GRAPH_HLO_LOWER_I_H
#define SP_GRAPH_HLO_LOWER_I_H

#include "base/vec.h"
#include "graph/hlo_module.h"
#include "graph/hlo_names.h"
#include "graph/hlo_notation.h"

/* After inlining; a chain of calls can double at every step. */
#define HLO_MAX_INLINED ((uint64_t)1 << 20)
#define HLO_MAX_LEAVES ((uint64_t)64 << 20)

/* A leaf that is no tensor: the context of an asynchronous start. */
#define HLO_NO_TENSOR UINT32_MAX

/* The leaves (non-tuple parts) of a computation's values, in order; found
 * once for each computation. */
typedef struct hlo_layout {
  bool ready, active;
  uint32_t *first;           /* n_instrs + 1: leaves before instruction i */
  const sp_shape **shapes;   /* of every leaf */
  const uint32_t **elements; /* tuples: leaves before element k, else NULL */
  uint32_t n_params;
  uint32_t *params;     /* instruction of each parameter number */
  uint32_t *param_base; /* leaves of the parameters before it */
  const sp_program *region;
  bool collective; /* region: something in it talks to other devices */
} hlo_layout;

typedef struct hlo_lower {
  sp_ctx *ctx;
  const hlo_module *m;
  hlo_layout *layouts;
  hlo_notation *nt;
  int64_t replicas, partitions; /* one of them is 1 */
  int depth;
  uint64_t inlined, leaves;
} hlo_lower;

/* A program under construction. */
typedef struct hlo_build {
  SP_VEC(sp_node) nodes;
  SP_VEC(sp_tensor) tensors;
  hlo_names names;
  uint32_t n_params;
  uint32_t *params;
  uint32_t collectives; /* nodes that talk to other devices, regions too */
} hlo_build;

noreturn void spi_lower_fail(hlo_lower *lw, const hlo_instr *in,
                             const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

const sp_attr *spi_instr_attr(const hlo_instr *in, const char *name);

/* The annotation of leaf k of n, checked against its shape; or NULL. */
const sp_sharding *spi_leaf_sharding(hlo_lower *lw, const hlo_instr *in,
                                     uint32_t k, uint32_t n,
                                     const sp_shape *shape);

/* Attributes in construction. */
typedef struct hlo_attrs {
  sp_attr *v;
  uint32_t n, cap;
} hlo_attrs;

hlo_attrs spi_attrs_of(hlo_lower *lw, const hlo_instr *in);
/* Replaces an attribute of that name. */
void spi_attrs_set(hlo_lower *lw, hlo_attrs *a, sp_attr attr);
void spi_attrs_int(hlo_lower *lw, hlo_attrs *a, const char *name, int64_t v);
/* Adds those that are always present, and those that must be raise. */
void spi_attrs_complete(hlo_lower *lw, const hlo_instr *in, const char *opcode,
                        hlo_attrs *a);

/* Adds a node; returns its first result. */
uint32_t spi_build_node(hlo_lower *lw, hlo_build *b, const hlo_instr *in,
                        const char *prefix, const char *opcode, uint32_t n_in,
                        const uint32_t *operands, const hlo_attrs *attrs,
                        uint32_t n_out, const sp_shape *const *shapes);
sp_program *spi_build_finish(hlo_lower *lw, hlo_build *b, const char *name,
                             uint32_t n_results, const uint32_t *results);

/* lw->replicas and lw->partitions, inferred where the module is silent. */
void spi_devices_infer(hlo_lower *lw);
/* An opcode that talks to other devices ("-start" is not looked at). */
bool spi_is_collective(const char *opcode);
/* Groups and pairs of a collective in device numbers. */
void spi_devices_resolve(hlo_lower *lw, const hlo_instr *in, const char *opcode,
                         hlo_attrs *a);

#endif
