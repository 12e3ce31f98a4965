/* op.h: the operator table: what each operator means.
 *
 * CONTRACT. One row an operator (encode/ops/, one file an operator or a small
 * family): spellings per front end, attributes with types, shape rule, element
 * expression. The element expression is the only definition of an operator:
 * result[idx] as a term over elements of the operands (encode/expr.h). A row
 * must name every attribute that it understands; an attribute of a node that
 * its row does not list is refused (sp_op_check), so nothing is ignored.
 * Collectives are reads at other ranks. Operators without an element meaning
 * are opaque functions of slices (SP_RED_LAMBDA) and say why.
 */
#ifndef SP_ENCODE_OP_H
#define SP_ENCODE_OP_H

#include "encode/expr.h"
#include "graph/program.h"

/* One application of an operator, at one rank. Reading an operand goes through
 * read, which the caller supplies: it may give the operand's symbol, its
 * relation or its inlined definition. */
typedef struct sp_call sp_call;
struct sp_call {
  sp_pool *pool;
  const sp_program *program;
  const sp_node *node;
  uint32_t result; /* which result of the node */
  sp_expr rank;    /* INT term: the rank that computes; 0 when sequential */
  int64_t partitions;
  /* element of operand k at idx (as many as its dims) on the given rank */
  sp_expr (*read)(void *env, const sp_call *call, uint32_t operand,
                  sp_expr rank, const sp_expr *idx);
  void *env;
  /* Assumptions made by element functions are reported here (may be NULL):
   * a sentence for the user, the same text once. */
  void (*assume)(void *env, const char *sentence);
  /* What an assumption says of the element, a BOOL term, where running can tell
   * (may be NULL): what inputs that break it give means nothing. */
  void (*promise)(void *env, sp_expr holds);
};

typedef sp_expr (*sp_element_fn)(const sp_call *call, const sp_expr *idx);
/* Result shapes from operand shapes and attributes must equal the declared
 * ones; raises SP_ERR_INPUT at the node's place if not. */
typedef void (*sp_shape_fn)(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node);

typedef struct sp_op_attr {
  const char *name;
  sp_attr_kind kind;
  bool required;
  bool harmless; /* does not change the meaning over the reals */
} sp_op_attr;

typedef struct sp_op {
  const char *name;             /* the row's own name, "concatenate" */
  const char *const *spellings; /* "hlo:concatenate", ..., NULL at the end */
  const sp_op_attr *attrs;      /* name NULL at the end; may be NULL */
  const char *params;           /* instead of attrs, for formats that call
                                   operators like functions (aten_args.h) */
  bool by_name;  /* the value depends on the node's name, too: that of memory
                    which nothing was written to */
  bool own_args; /* no list: the shape rule looks at the attributes */
  uint32_t min_operands, max_operands; /* max UINT32_MAX: any number */
  sp_shape_fn shape;
  sp_element_fn element;
  const char *opaque;  /* why it has no element meaning, or NULL */
  const char *meaning; /* one line for docs: "out[i] = a[i] + b[i]" */
} sp_op;

/* All rows; n is set. The order is stable (by file, then row). */
const sp_op *const *sp_op_table(uint32_t *n);
/* The row for a spelling, or NULL. */
const sp_op *sp_op_find(const char *spelling);
/* Are a of p and b of q one function of their operands, if these are of the
 * same shapes? The same operator and attributes (graph/same.h), and what else
 * its value depends on: for borders of manual mode the shardings. Never where
 * the name counts (by_name). Exact. */
bool sp_op_same(const sp_program *p, const sp_node *a, const sp_program *q,
                const sp_node *b);
/* Check operand counts, attributes (unknown, missing, wrong kind) and shapes
 * of a node: SP_ERR_INPUT for malformed, SP_ERR_UNKNOWN for an unknown
 * operator or an attribute that the row does not list. The message names
 * operator, attribute and place. */
const sp_op *sp_op_check(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node);
/* The element of call->node's result call->result at idx. */
sp_expr sp_op_element(const sp_call *call, const sp_expr *idx);

/* For element functions: operand k at idx on the call's own rank. */
sp_expr sp_call_read(const sp_call *call, uint32_t operand, const sp_expr *idx);
const sp_shape *sp_call_shape(const sp_call *call, uint32_t operand);
const sp_shape *sp_call_result_shape(const sp_call *call);
sp_sort sp_dtype_sort(sp_dtype t); /* PRED: BOOL, ints: INT, floats: REAL */

/* Values of the functions that rows make by name and the evaluator does not
 * know ("ishl.s32", "r2i", ...): for sp_eval_env.fn; user is not used. */
bool sp_op_function(void *user, const char *name, uint32_t n,
                    const sp_value *args, sp_value *out);

/* Recognising the computation of a reducer by meaning: its body is evaluated
 * on two symbolic scalars and compared with x+y, max(x,y), ... */
typedef enum sp_reducer {
  SP_REDUCER_OTHER,
  SP_REDUCER_SUM,
  SP_REDUCER_PROD,
  SP_REDUCER_MAX,
  SP_REDUCER_MIN,
  SP_REDUCER_OR,
  SP_REDUCER_AND,
  SP_REDUCER_SECOND, /* returns its second parameter: assignment */
  SP_REDUCER_ARGMAX, /* (value, index) pairs; ties: smaller index */
  SP_REDUCER_ARGMIN,
} sp_reducer;
sp_reducer sp_reducer_of(sp_pool *p, const sp_program *region);
/* The region's results as terms, given terms for its (scalar) parameters. */
void sp_region_apply(sp_pool *p, const sp_program *region,
                     const sp_expr *params, sp_expr *results);

#endif
