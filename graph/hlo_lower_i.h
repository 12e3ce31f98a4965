/* hlo_lower_i.h: shared by the files of the lowering: hlo_lower.c (what each
 * opcode becomes), hlo_lower_build.c (the program under construction),
 * hlo_lower_devices.c (groups and permutes in device numbers),
 * hlo_lower_frame.c (where leaves are), hlo_lower_async.c. */
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

/* --- frames (hlo_lower_frame.c) --- */

/* Some leaves in order, most often those of one value. */
typedef struct hlo_value {
  uint32_t n;
  const uint32_t *leaf;
} hlo_value;

/* One computation being gone through: the entry, a region, or a call. */
typedef struct hlo_scope {
  hlo_lower *lw;
  hlo_build *b;
  const hlo_computation *c;
  const hlo_layout *o;
  uint32_t *leaf;        /* of all instructions */
  const char *prefix;    /* of names: "call.1/" */
  uint32_t n_args;       /* when inlined */
  const hlo_value *args; /* NULL: parameters become nodes */
} hlo_scope;

uint32_t spi_type_leaves(const hlo_type *t);
uint32_t spi_param_number(const hlo_instr *in);
hlo_layout *spi_layout_of(hlo_lower *lw, uint32_t at);
hlo_value spi_value_of(hlo_scope *f, uint32_t instr);
/* Element k of instruction i, a tuple. */
hlo_value spi_value_element(hlo_scope *f, const hlo_instr *user, uint32_t i,
                            int64_t k);
hlo_value spi_value_at(hlo_scope *f, const hlo_instr *user, const hlo_ref *ref);
hlo_value spi_operand(hlo_scope *f, uint32_t i, uint32_t k);
void spi_operands_exactly(hlo_scope *f, uint32_t i, uint32_t n);
/* Leaves of all operands from number `from`, in scratch memory. */
hlo_value spi_operands_flat(hlo_scope *f, uint32_t i, uint32_t from);
/* The type of operand k; NULL: a tuple, or there is no such element. */
const hlo_type *spi_operand_type(const hlo_scope *f, const hlo_instr *in,
                                 uint32_t k);
void spi_shapes_agree(hlo_scope *f, const hlo_instr *in, uint32_t tensor,
                      const sp_shape *declared, uint32_t part);
/* Leaves from `at` of instruction i are those of v, of equal shapes. */
void spi_bind_part(hlo_scope *f, uint32_t i, uint32_t at, hlo_value v);
void spi_bind(hlo_scope *f, uint32_t i, hlo_value v);
void spi_bind_node(hlo_scope *f, uint32_t i, uint32_t at, uint32_t n,
                   uint32_t first_tensor);

/* --- asynchronous pairs (hlo_lower_async.c) --- */

void spi_lower_start(hlo_scope *f, uint32_t i);
void spi_lower_copy_start(hlo_scope *f, uint32_t i);
void spi_lower_async_start(hlo_scope *f, uint32_t i);
bool spi_ends_in(const char *opcode, const char *end);
void spi_lower_done(hlo_scope *f, uint32_t i);

/* --- calls and nodes (hlo_lower.c) --- */

/* Goes through a computation with the arguments for its parameters; the
 * result's leaves go to out, which has room for n_out. */
void spi_inline_call(hlo_scope *caller, const hlo_instr *in, uint32_t callee,
                     uint32_t n_args, const hlo_value *args, const char *prefix,
                     uint32_t n_out, uint32_t *out);
/* The call of a role; k counts those of the same role. */
bool spi_call_find(const hlo_instr *in, const char *role, uint32_t k,
                   uint32_t *callee);
const hlo_value *spi_args_of(hlo_scope *f, uint32_t i);
const char *spi_prefix_of(hlo_scope *f, const hlo_instr *in, const char *more);
/* A node of that opcode whose results are leaves [at, at + n) of i. */
void spi_node_for(hlo_scope *f, uint32_t i, const char *opcode, uint32_t at,
                  uint32_t n);
void spi_lower_generic(hlo_scope *f, uint32_t i);

#endif
