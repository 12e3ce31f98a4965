/* campaign.h: inside of the random campaign (tests/campaign.c).
 *
 * CONTRACT. A campaign makes a small random program, shards it by rules of its
 * own, perhaps breaks the result, and asks the library for its verdict. This
 * header is the campaign's own intermediate representation, which knows
 * nothing of the library but its memory and its types: what is generated here
 * is right by construction, not because some part of the library says so.
 *
 *   generate.c   random sequential program, of what grow_*.c adds
 *   bound.c      how large its numbers get
 *   layers.c     the program several times
 *   rules.c      per operator: how one mesh axis may cut it
 *   shard.c      sequential program -> program of one device
 *   reshard.c    from one placement of a tensor to another: collectives
 *   break.c      one fault in the program of a device
 *   print.c      HLO text of both
 *   run.c        our own interpreter, element by element, of both
 *   judge.c      the library's verdict, against the interpreter's
 *   shrink.c     smaller programs that fail in the same way
 *
 * Everything is a function of the seed. Each sequential node draws from random
 * numbers of its own, so dropping one leaves the choices of the others alone.
 */
#ifndef SP_TESTS_CAMPAIGN_H
#define SP_TESTS_CAMPAIGN_H

#include "base/vec.h"
#include "graph/program.h"

enum { CAMP_DIMS = 6, CAMP_IN = 6, CAMP_AXES = 3 };

/* ---- random numbers ---- */

typedef struct camp_rng {
  uint64_t state;
} camp_rng;

camp_rng camp_rng_of(uint64_t seed, uint64_t stream);
uint64_t camp_bits(camp_rng *r);
uint32_t camp_draw(camp_rng *r, uint32_t n); /* 0 .. n-1 */
bool camp_one_in(camp_rng *r, uint32_t n);

/* ---- programs ---- */

/* What an operator does to shapes and placements. */
typedef enum camp_kind {
  CAMP_GIVEN,     /* parameter, constant, partition-id: no operands */
  CAMP_IOTA,      /* x[0]: dimension */
  CAMP_ELEMENT,   /* element by element */
  CAMP_BROADCAST, /* x: result dimension of each operand dimension */
  CAMP_RESHAPE,
  CAMP_TRANSPOSE,  /* x: operand dimension of each result dimension */
  CAMP_SLICE,      /* x start, y limit, z stride */
  CAMP_REVERSE,    /* x: dimensions */
  CAMP_PAD,        /* x low, y high, z interior; in[1] a scalar */
  CAMP_CONCAT,     /* x[0]: dimension */
  CAMP_REDUCE,     /* x: dimensions; in[1] the initial scalar; red */
  CAMP_DOT,        /* x lhs, y rhs contracting; z[2 i], z[2 i + 1] batch */
  CAMP_CONV,       /* in[0] [b, s, f], in[1] [k, f, o]; x stride, low, high */
  CAMP_GATHER,     /* x[0]: dimension of in[0] looked up; in[1] [n] or [] */
  CAMP_SCATTER,    /* adds in[2] [n, ...] to rows in[1] [n] of in[0]; red */
  CAMP_DYN_SLICE,  /* in[1..]: starts */
  CAMP_DYN_UPDATE, /* in[1]: update, in[2..]: starts */
  CAMP_SORT,       /* x[0]: dimension, x[1]: descending */
  CAMP_WINDOW,     /* x size, y stride, z low + 100 high; red; in[1] init */
  CAMP_LOOP,       /* body: trip count in[0], carried in[1..] */
  CAMP_COLLECTIVE, /* groups; x[0]: dimension; red */
  CAMP_PERMUTE,    /* groups: pairs of source and target */
} camp_kind;

/* clang-format off */
#define CAMP_OPS(X) \
  X(PARAMETER, "parameter", GIVEN, 0) X(CONSTANT, "constant", GIVEN, 0) \
  X(PARTITION_ID, "partition-id", GIVEN, 0) X(IOTA, "iota", IOTA, 0) \
  X(NEGATE, "negate", ELEMENT, 1) X(ABS, "abs", ELEMENT, 1) \
  X(EXP, "exponential", ELEMENT, 1) X(LOG, "log", ELEMENT, 1) \
  X(TANH, "tanh", ELEMENT, 1) X(LOGISTIC, "logistic", ELEMENT, 1) \
  X(SQRT, "sqrt", ELEMENT, 1) X(RSQRT, "rsqrt", ELEMENT, 1) \
  X(SINE, "sine", ELEMENT, 1) X(COSINE, "cosine", ELEMENT, 1) \
  X(CBRT, "cbrt", ELEMENT, 1) X(EXPM1, "exponential-minus-one", ELEMENT, 1) \
  X(LOG1P, "log-plus-one", ELEMENT, 1) X(SIGN, "sign", ELEMENT, 1) \
  X(FLOOR, "floor", ELEMENT, 1) X(CEIL, "ceil", ELEMENT, 1) \
  X(ROUND, "round-nearest-even", ELEMENT, 1) X(NOT, "not", ELEMENT, 1) \
  X(COPY, "copy", ELEMENT, 1) X(CONVERT, "convert", ELEMENT, 1) \
  X(ADD, "add", ELEMENT, 2) X(SUBTRACT, "subtract", ELEMENT, 2) \
  X(MULTIPLY, "multiply", ELEMENT, 2) X(DIVIDE, "divide", ELEMENT, 2) \
  X(MAXIMUM, "maximum", ELEMENT, 2) X(MINIMUM, "minimum", ELEMENT, 2) \
  X(REMAINDER, "remainder", ELEMENT, 2) X(POWER, "power", ELEMENT, 2) \
  X(ATAN2, "atan2", ELEMENT, 2) X(AND, "and", ELEMENT, 2) \
  X(OR, "or", ELEMENT, 2) X(XOR, "xor", ELEMENT, 2) \
  X(SHIFT_LEFT, "shift-left", ELEMENT, 2) \
  X(SHIFT_RIGHT, "shift-right-arithmetic", ELEMENT, 2) \
  X(COMPARE, "compare", ELEMENT, 2) X(SELECT, "select", ELEMENT, 3) \
  X(CLAMP, "clamp", ELEMENT, 3) \
  X(BROADCAST, "broadcast", BROADCAST, 1) X(RESHAPE, "reshape", RESHAPE, 1) \
  X(TRANSPOSE, "transpose", TRANSPOSE, 1) X(SLICE, "slice", SLICE, 1) \
  X(REVERSE, "reverse", REVERSE, 1) X(PAD, "pad", PAD, 2) \
  X(CONCAT, "concatenate", CONCAT, 2) X(REDUCE, "reduce", REDUCE, 2) \
  X(DOT, "dot", DOT, 2) X(CONV, "convolution", CONV, 2) \
  X(GATHER, "gather", GATHER, 2) X(SCATTER, "scatter", SCATTER, 3) \
  X(DYN_SLICE, "dynamic-slice", DYN_SLICE, 1) \
  X(DYN_UPDATE, "dynamic-update-slice", DYN_UPDATE, 2) \
  X(SORT, "sort", SORT, 1) X(WINDOW, "reduce-window", WINDOW, 2) \
  X(LOOP, "while", LOOP, 1) \
  X(ALL_REDUCE, "all-reduce", COLLECTIVE, 1) \
  X(ALL_GATHER, "all-gather", COLLECTIVE, 1) \
  X(REDUCE_SCATTER, "reduce-scatter", COLLECTIVE, 1) \
  X(ALL_TO_ALL, "all-to-all", COLLECTIVE, 1) \
  X(PERMUTE, "collective-permute", PERMUTE, 1)

typedef enum camp_op {
#define X(name, spelling, kind, arity) CAMP_OP_##name,
  CAMP_OPS(X)
#undef X
  CAMP_N_OPS
} camp_op;
/* clang-format on */

const char *camp_op_name(camp_op op); /* "reduce-window" */
camp_kind camp_op_kind(camp_op op);

typedef enum camp_red {
  CAMP_SUM,
  CAMP_PROD,
  CAMP_MAX,
  CAMP_MIN,
  CAMP_AND,
  CAMP_OR,
  CAMP_N_REDS
} camp_red;

camp_op camp_red_op(camp_red red); /* the binary operator */

/* What a node of a device's program is there for: where faults may strike. */
typedef enum camp_role {
  CAMP_PLAIN,
  CAMP_TABLE,  /* constant: where the part of each device starts */
  CAMP_STRIDE, /* scalar constant: size of a part */
  CAMP_MASK,   /* select: in[1] the value, in[2] what padding is made */
  CAMP_LIMIT,  /* scalar constant: where padding begins */
  CAMP_ONCE,   /* select: the value on one device of a group, else 0 */
  CAMP_SHIFT,  /* iota or index made local: in[1] the offset */
} camp_role;

typedef struct camp_program camp_program;

typedef struct camp_node {
  camp_op op;
  sp_dtype type;
  uint32_t n_dims;
  int64_t dims[CAMP_DIMS];
  uint32_t n_in;
  uint32_t in[CAMP_IN];
  uint32_t n_x; /* of x; y and z where they are used are as long */
  int64_t x[CAMP_DIMS], y[CAMP_DIMS], z[CAMP_DIMS];
  camp_red red;
  const char *direction; /* compare */
  const double *values;  /* constant: one, or all elements */
  size_t n_values;
  const int64_t *groups; /* collectives: groups of group_size, in order */
  uint32_t n_groups, group_size;
  camp_program *body; /* loop; trips: how often */
  int64_t trips;
  /* Of sequential nodes: |value| <= size, and all values are multiples of
   * 2^-bits; bits < 0: rounded. */
  double size;
  int bits;
  bool steady; /* the same for all inputs */
  bool low;    /* integer parameter: 0 or 1, which the library is told */
  /* Of a device's nodes: what for, and the sequential node it came from. */
  camp_role role;
  uint32_t from;
} camp_node;

struct camp_program {
  sp_ctx *ctx;
  SP_VEC(camp_node) nodes;
  SP_VEC(uint32_t) params, results;
  size_t bounded;  /* nodes whose size is worked out */
  uint32_t period; /* nodes of a layer; 0: there are none */
};

static inline const camp_node *camp_at(const camp_program *p, uint32_t n) {
  return &p->nodes.v[n];
}

camp_program *camp_program_new(sp_ctx *ctx);
uint32_t camp_push(camp_program *p, camp_node node);
int64_t camp_elements(const camp_node *n);
/* Which nodes the results need: by node. */
bool *camp_needed(const camp_program *p);

/* Building blocks with shapes worked out; of both programs. */
uint32_t camp_parameter(camp_program *p, sp_dtype t, uint32_t n,
                        const int64_t *dims);
uint32_t camp_scalar(camp_program *p, sp_dtype t, double value);
uint32_t camp_element(camp_program *p, camp_op op, uint32_t n,
                      const uint32_t *in);
uint32_t camp_unary(camp_program *p, camp_op op, uint32_t a);
uint32_t camp_binary(camp_program *p, camp_op op, uint32_t a, uint32_t b);
uint32_t camp_convert(camp_program *p, uint32_t a, sp_dtype t);
uint32_t camp_compare(camp_program *p, const char *direction, uint32_t a,
                      uint32_t b);
uint32_t camp_select(camp_program *p, uint32_t c, uint32_t a, uint32_t b);
uint32_t camp_iota(camp_program *p, sp_dtype t, uint32_t n, const int64_t *dims,
                   uint32_t dim);
uint32_t camp_broadcast(camp_program *p, uint32_t a, uint32_t n,
                        const int64_t *dims, const int64_t *map);
/* A scalar in the shape of node like. */
uint32_t camp_spread(camp_program *p, uint32_t scalar, uint32_t like);
uint32_t camp_reshape(camp_program *p, uint32_t a, uint32_t n,
                      const int64_t *dims);
uint32_t camp_transpose(camp_program *p, uint32_t a, const int64_t *perm);
uint32_t camp_slice(camp_program *p, uint32_t a, const int64_t *start,
                    const int64_t *limit, const int64_t *stride);
uint32_t camp_pad(camp_program *p, uint32_t a, uint32_t value,
                  const int64_t *low, const int64_t *high,
                  const int64_t *interior);
uint32_t camp_concat(camp_program *p, uint32_t n, const uint32_t *in,
                     uint32_t dim);
uint32_t camp_reduce(camp_program *p, camp_red red, uint32_t a, uint32_t init,
                     uint32_t n, const int64_t *dims);
double camp_identity(camp_red red, sp_dtype t);
uint32_t camp_dynamic_slice(camp_program *p, uint32_t a, const uint32_t *starts,
                            const int64_t *sizes);
uint32_t camp_dynamic_update(camp_program *p, uint32_t a, uint32_t update,
                             const uint32_t *starts);

/* ---- generate.c ---- */
/* layered: for camp_repeat: short, without loops, and the first parameter, a
 * real one, may be what a layer before computes. */
camp_program *camp_generate(sp_ctx *ctx, uint64_t seed, bool layered);

/* ---- layers.c ---- */

/* How many layers the case has, most often one. */
uint32_t camp_layers(uint64_t seed);
/* The program several times, one after the other. Parameters are fresh in each
 * layer, or those of the first; the first parameter may be what the layer
 * before computes. */
camp_program *camp_repeat(sp_ctx *ctx, const camp_program *layer, uint64_t seed,
                          uint32_t layers);
/* The stream of random numbers from which the node is sharded: one for nodes
 * that are alike, but in layers that are sharded otherwise. */
uint64_t camp_stream(const camp_program *seq, uint64_t seed, uint32_t node);

/* ---- bound.c ---- */

/* Work out size and bits of the nodes that have none yet. */
void camp_bound(camp_program *p);

/* ---- meshes and placements ---- */

typedef struct camp_mesh {
  uint32_t n_axes;
  int64_t size[CAMP_AXES];
  int64_t devices;
  const int64_t *device; /* of row-major coordinates */
  const int64_t *place;  /* row-major coordinates of a device: the inverse */
  bool ordered;          /* device i is at i */
  bool uneven;           /* tensors may be cut with padding */
  bool odd; /* partial results, rings and loops as no partitioner has them */
} camp_mesh;

camp_mesh camp_mesh_draw(sp_ctx *ctx, uint64_t seed);
int64_t camp_coordinate(const camp_mesh *m, int64_t device, uint32_t axis);

typedef enum camp_held {
  CAMP_WHOLE,
  CAMP_PART,    /* of dimension dim */
  CAMP_PARTIAL, /* red over the axis gives the value */
} camp_held;

typedef struct camp_place {
  camp_held held;
  uint32_t dim;
  camp_red red;
} camp_place;

/* A tensor of the device's program, by mesh axis. A dimension that several axes
 * cut is cut in the order of the axes into equal blocks; beyond the last
 * element is padding, which may hold anything. */
typedef struct camp_value {
  uint32_t node;
  camp_place at[CAMP_AXES];
} camp_value;

/* ---- rules.c ---- */

/* How one axis may cut an operator: what it takes of each operand, what it
 * makes. Uneven cuts only where allowed. */
typedef struct camp_way {
  camp_place in[CAMP_IN], out;
  bool even; /* only where the dimensions are divided without padding */
  bool mask; /* padding is made neutral before: of what is reduced */
} camp_way;

enum { CAMP_MAX_WAYS = 24 };

/* The ways besides keeping everything whole; how many. */
uint32_t camp_ways(const camp_program *p, uint32_t node, camp_way *ways);

/* ---- shard.c ---- */

typedef struct camp_sharder {
  sp_ctx *ctx;
  uint64_t seed;
  const camp_mesh *mesh;
  const camp_program *seq;
  camp_program *dist;
  camp_value *values; /* by sequential node */
  uint32_t now;       /* sequential node at work */
  camp_rng rng;
} camp_sharder;

typedef struct camp_sharded {
  camp_program *dist;
  const camp_value *params;  /* by number */
  const camp_value *results; /* by number */
} camp_sharded;

camp_sharded camp_shard(sp_ctx *ctx, const camp_program *seq,
                        const camp_mesh *mesh, uint64_t seed);

int64_t camp_tiles(const camp_mesh *m, const camp_place *at, uint32_t dim);
int64_t camp_block(const camp_mesh *m, const camp_place *at, uint32_t dim,
                   int64_t size);
uint32_t camp_emit(camp_sharder *s, camp_node node); /* marks it */
void camp_mark(camp_sharder *s, uint32_t node, camp_role role);

/* ---- reshard.c ---- */

camp_value camp_move(camp_sharder *s, camp_value v, const camp_node *global,
                     const camp_place *to);
/* Scalar s32: position * block of the part this device holds, where the axes of
 * the set, in order, number the parts. */
uint32_t camp_offset(camp_sharder *s, uint32_t axes, int64_t block);
/* Padding of dimension dim replaced by value. */
uint32_t camp_mask(camp_sharder *s, uint32_t node, uint32_t axes, uint32_t dim,
                   int64_t size, double value);
/* Axes (a set) that cut dimension dim. */
uint32_t camp_axes_of(const camp_mesh *m, const camp_place *at, uint32_t dim);

/* ---- run.c, inputs.c ---- */

/* Row-major positions of indices in a node's shape. */
void camp_unflatten(const camp_node *n, int64_t flat, int64_t *idx);
int64_t camp_flatten(const camp_node *n, const int64_t *idx);
bool camp_inside(const camp_node *n, const int64_t *idx);

/* Results, by number * devices + device; params likewise. */
double **camp_run(sp_ctx *ctx, const camp_program *p, int64_t devices,
                  double *const *params);

typedef struct camp_inputs {
  double **seq;  /* by parameter */
  double **dist; /* by parameter * devices + device */
} camp_inputs;

enum { CAMP_MODES = 3 }; /* of drawing: anything, ends of ranges, ties */

camp_inputs camp_inputs_draw(sp_ctx *ctx, const camp_program *seq,
                             const camp_sharded *sharded, const camp_mesh *mesh,
                             uint64_t seed, uint32_t mode);

typedef struct camp_difference {
  uint32_t result;
  int64_t device, flat; /* of the device's part */
  double want, got;
} camp_difference;

bool camp_differ(sp_ctx *ctx, const camp_program *seq,
                 const camp_sharded *sharded, const camp_mesh *mesh,
                 const camp_inputs *in, bool any, camp_difference *out);

/* The element of the global tensor that is element flat of the device's part;
 * -1: padding. */
int64_t camp_global_index(const camp_mesh *m, const camp_value *v,
                          const camp_node *global, const camp_node *local,
                          int64_t device, int64_t flat);

/* ---- break.c ---- */

/* Changes one thing in a program, where it comes from sequential nodes of this
 * range; a name of what, or NULL where no fault fits. */
const char *camp_break(camp_program *p, const camp_mesh *mesh, uint64_t seed,
                       uint32_t first_from, uint32_t end_from);
/* The same in one layer, of either program or of the placement of inputs. */
const char *camp_break_layer(sp_ctx *ctx, camp_program *seq,
                             camp_sharded *sharded, const camp_mesh *mesh,
                             uint64_t seed);

/* ---- print.c ---- */

const char *camp_print(sp_ctx *ctx, const camp_program *p,
                       const camp_mesh *mesh, const camp_value *params,
                       const camp_value *results, const char *name);

#endif
