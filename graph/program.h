/* program.h: a tensor program as a reader hands it over.
 *
 * CONTRACT. A program is a list of nodes in topological order (operands come
 * before their users). A node has the operator's spelling in its format
 * ("hlo:dot"), operands, typed attributes and one or more results; each
 * result is a tensor. Tuples, calls and fusions do not exist here: a reader
 * inlines them. What an operator means is the operator table's business
 * (encode/op.h). Programs are immutable once read; they live in the context.
 * All indices (tensor, node) are positions in the program's arrays.
 */
#ifndef SP_GRAPH_PROGRAM_H
#define SP_GRAPH_PROGRAM_H

#include "base/ctx.h"

/* clang-format off */
typedef enum sp_dtype {
  SP_DTYPE_INVALID = 0,
  SP_PRED,
  SP_S1, SP_S2, SP_S4, SP_S8, SP_S16, SP_S32, SP_S64,
  SP_U1, SP_U2, SP_U4, SP_U8, SP_U16, SP_U32, SP_U64,
  SP_F4E2M1FN, SP_F8E5M2, SP_F8E4M3, SP_F8E4M3FN, SP_F8E4M3B11FNUZ,
  SP_F8E3M4, SP_F8E5M2FNUZ, SP_F8E4M3FNUZ, SP_F8E8M0FNU,
  SP_BF16, SP_F16, SP_F32, SP_F64,
  SP_C64, SP_C128,
  SP_TOKEN,
} sp_dtype;
/* clang-format on */

const char *sp_dtype_name(sp_dtype t); /* "f32", as XLA spells it */
sp_dtype sp_dtype_parse(const char *name, size_t n); /* INVALID if unknown */
bool sp_dtype_is_int(sp_dtype t);                    /* S*, U*; not PRED */
bool sp_dtype_is_unsigned(sp_dtype t);
bool sp_dtype_is_float(sp_dtype t);
int sp_dtype_bits(sp_dtype t); /* 0 for TOKEN and INVALID; PRED is 1 */

/* Elements of a shape are limited to SP_MAX_ELEMENTS - 1, so index arithmetic
 * stays far inside 64 bits; readers refuse larger shapes. */
#define SP_MAX_ELEMENTS ((int64_t)1 << 40)
#define SP_MAX_DIMS 64

typedef struct sp_shape {
  sp_dtype dtype;
  uint32_t n_dims;
  const int64_t *dims; /* each >= 0 */
} sp_shape;

int64_t sp_shape_elements(const sp_shape *s);
bool sp_shape_equal(const sp_shape *a, const sp_shape *b); /* dtype too */
/* "f32[4,8]" in context memory */
const char *sp_shape_text(sp_ctx *ctx, const sp_shape *s);

/* A value of the type, as people read it: true, -3, 0.25 with so many digits,
 * nan, inf. */
const char *sp_number_text(sp_ctx *ctx, sp_dtype t, double v, int digits);

/* Where a tensor comes from: in the user's source (file, line, op_name; NULL
 * or 0 where the dump does not say) and in the dump itself. */
typedef struct sp_pos {
  const char *source_file;
  uint32_t source_line;
  const char *op_name;
  sp_loc dump;
} sp_pos;

/* How a tensor is laid out over devices (HLO: OpSharding, notation V1 to V3).
 *   TILED: dimension d is cut into tiles[d] blocks of ceil(size/tiles[d]);
 *   devices[] (length n_devices, a product of tiles[] and copies) lists the
 *   device of each tile in row-major tile order, the replicas of a tile last:
 *   devices[tile * copies + c]. An uneven tail is padding.
 *   partial: the devices of one tile hold addends of its value over `copies`
 *   (HLO's unreduced); only meaningful for TILED, REPLICATED becomes TILED
 *   with all tiles 1 then. */
typedef enum sp_sharding_kind {
  SP_SHARDING_REPLICATED,
  SP_SHARDING_TILED,
  SP_SHARDING_MAXIMAL, /* one device holds it: device in devices[0] */
  SP_SHARDING_MANUAL,  /* each device has its own, nothing is said */
  SP_SHARDING_UNKNOWN, /* HLO's UNKNOWN, or a notation with sub-group kinds
                          that we do not model; text says which */
} sp_sharding_kind;

typedef struct sp_sharding {
  sp_sharding_kind kind;
  uint32_t n_dims;
  const int64_t *tiles;
  int64_t copies;
  bool partial;
  int64_t addends; /* partial: how many devices hold addends; copies is a
                      multiple of it where a tile is also replicated, and
                      devices[tile * copies + c * addends + a] is addend a of
                      replica c. 1 when not partial */
  int64_t n_devices;
  const int64_t *devices;
  const char *text; /* as printed in the dump, for messages */
  /* UNKNOWN because it is manual along some axes of the mesh: how a block is
   * laid out along the others, where manual axes count as copies; else NULL. */
  const struct sp_sharding *inner;
} sp_sharding;

/* Replica groups: group g is ids[start[g] .. start[g+1]). */
typedef struct sp_groups {
  uint32_t n_groups;
  const uint32_t *start; /* n_groups + 1 */
  const int64_t *ids;
} sp_groups;

/* One dimension of an HLO window. */
typedef struct sp_window_dim {
  int64_t size, stride, pad_low, pad_high, window_dilation, base_dilation;
  bool reversal;
} sp_window_dim;

/* Constant data, row-major. Integers and predicates in i, others in f (exact:
 * f32 and narrower are doubles without loss). Complex: pairs in f. A splat has
 * one stored element. */
typedef struct sp_literal {
  sp_shape shape;
  bool splat;
  const int64_t *i;
  const double *f;
} sp_literal;

typedef struct sp_program sp_program;
typedef struct sp_meaning sp_meaning; /* encode/meaning.h */

/* A result that is no tensor: None, or a number (PyTorch FX). */
#define SP_NO_TENSOR UINT32_MAX

typedef enum sp_attr_kind {
  SP_ATTR_INT,     /* i; booleans are 0 or 1 */
  SP_ATTR_INTS,    /* ints, n */
  SP_ATTR_FLOAT,   /* f */
  SP_ATTR_TEXT,    /* text */
  SP_ATTR_WINDOW,  /* window, n dimensions */
  SP_ATTR_LITERAL, /* literal */
  SP_ATTR_GROUPS,  /* groups */
  SP_ATTR_REGION,  /* region: a scalar or loop computation */
  /* Formats whose arguments mix tensors and values (PyTorch FX): */
  SP_ATTR_OPERAND,  /* i: position in the node's operands */
  SP_ATTR_OPERANDS, /* ints, n: positions, -1 for None */
  /* One program rolled from the programs of all ranks (graph/roll.h): */
  SP_ATTR_RANKED_INT,   /* ints, n = number of ranks: by rank */
  SP_ATTR_RANKED_INTS,  /* ints, n = ranks * length: rank-major */
  SP_ATTR_RANKED_FLOAT, /* floats, n = number of ranks */
  SP_ATTR_MEANING,      /* meaning: of a custom operator, from a spec */
} sp_attr_kind;

typedef struct sp_attr {
  const char *name; /* interned */
  sp_attr_kind kind;
  union {
    int64_t i;
    double f;
    const char *text;
    const int64_t *ints;
    const double *floats;
    const sp_window_dim *window;
    const sp_literal *literal;
    const sp_groups *groups;
    const sp_program *region;
    const sp_meaning *meaning;
  } u;
  size_t n; /* arrays: how many */
} sp_attr;

typedef struct sp_tensor {
  const char *name; /* unique in its program */
  const char *own;  /* as its file has it where name says more, else NULL */
  uint32_t on;      /* 1 + the rank that computes it, where ranks that differ
                     * stand side by side; 0: each rank does */
  sp_shape shape;
  uint32_t node;               /* defining node */
  uint32_t result;             /* which of its results */
  const sp_sharding *sharding; /* the dump's annotation, or NULL */
} sp_tensor;

typedef struct sp_node {
  const char *op; /* interned, "hlo:all-reduce" */
  const char *name;
  uint32_t n_in;
  const uint32_t *in; /* tensors */
  uint32_t out;       /* first result tensor; results are consecutive */
  uint32_t n_out;
  uint32_t n_attrs;
  const sp_attr *attrs;
  sp_pos pos;
} sp_node;

struct sp_program {
  const char *name; /* module or computation name */
  const char *file;
  int64_t partitions; /* devices that run it; 1 for a sequential program */
  uint32_t n_nodes, n_tensors;
  const sp_node *nodes;
  const sp_tensor *tensors;
  uint32_t n_params;
  const uint32_t *params; /* tensors, by parameter number; their nodes have
                             the op "hlo:parameter" or "fx:placeholder" and
                             the attr "index" */
  uint32_t n_results;
  const uint32_t *results; /* tensors or SP_NO_TENSOR; one may occur twice */
  /* What the module says of its results and parameters beyond the tensors'
   * own annotations; arrays or NULL, elements may be NULL. */
  const sp_sharding *const *result_shardings;
  const sp_sharding *const *param_shardings;
};

/* The attribute, or NULL. name need not be interned. */
const sp_attr *sp_node_attr(const sp_node *node, const char *name);

/* Our own invariants (order, ranges, counts); raises SP_ERR_INTERNAL. */
void sp_program_check(sp_ctx *ctx, const sp_program *p);

#endif
