/* meaning.h: what a custom operator means, as users write it.
 *
 * CONTRACT. A meaning is a signature and statements (docs/specs.md):
 *
 *   (x[*B, H], w[H], eps: real) -> y[*B, H], rstd[size(*B)]
 *   r(*i)    = rsqrt(sum(k < H; x[*i, k]^2) / H + eps)
 *   y[*i, h] = x[*i, h] * r(*i) * w[h]
 *   rstd[p]  = r(*unflat(p; *B))
 *
 * Tensors have sizes that the first use of a name binds; *B stands for several.
 * Reading checks names and forms, so that a bad formula is an error of the
 * file it stands in, whether a program uses it or not. A node of such an
 * operator has the op SP_MEANING_OP and an attribute of kind SP_ATTR_MEANING;
 * its row (encode/ops/meaning.c) makes terms. An index is clamped into its
 * dimension, so every formula has a value; in kernels (kernels/kernel.h), whose
 * meanings are exact, it was proved to be inside (sp_meaning_survey).
 */
#ifndef SP_ENCODE_MEANING_H
#define SP_ENCODE_MEANING_H

#include "encode/lang.h"
#include "encode/op.h"

#define SP_MEANING_OP "spec:meaning"
#define SP_KERNEL_OP "kernel:definition" /* the same, in a kernel */

typedef enum sp_meaning_kind {
  SP_MEANING_TENSOR,
  SP_MEANING_INT,
  SP_MEANING_REAL,
  SP_MEANING_BOOL,
  SP_MEANING_TEXT,
  SP_MEANING_LIST, /* integers */
  SP_MEANING_ANY,  /* not looked at */
} sp_meaning_kind;

typedef struct sp_meaning_param {
  const char *name;
  sp_loc loc;
  sp_meaning_kind kind;
  uint32_t n_dims;
  const sp_lang *const *dims; /* TENSOR; spread ones may be there */
  const sp_lang *absent;      /* default, or NULL */
} sp_meaning_param;

typedef struct sp_meaning_result {
  const char *name; /* NULL: "_", says nothing */
  sp_loc loc;
  uint32_t n_dims;
  const sp_lang *const *dims;
} sp_meaning_result;

typedef enum sp_meaning_statement_kind {
  SP_MEANING_LET,      /* name = body */
  SP_MEANING_FUNCTION, /* name(vars) = body */
  SP_MEANING_ELEMENT,  /* result[vars] = body */
  SP_MEANING_REQUIRE,  /* body */
  SP_MEANING_ASSUME,   /* text of body */
} sp_meaning_statement_kind;

typedef struct sp_meaning_statement {
  sp_meaning_statement_kind kind;
  sp_loc loc;
  const char *name;
  uint32_t n_vars;
  const sp_lang_var *vars;
  const sp_lang *body;
} sp_meaning_statement;

/* An axis of the mesh of ranks: @name is (rank div stride) mod size. */
typedef struct sp_meaning_axis {
  const char *name;
  int64_t size, stride;
} sp_meaning_axis;

struct sp_meaning {
  const char *name; /* the operator's */
  sp_loc loc;
  bool exact;      /* reads are inside, integers are mathematical */
  uint32_t n_axes; /* outermost first */
  const sp_meaning_axis *axes;
  uint32_t n_params, n_results, n_statements;
  const sp_meaning_param *params;
  const sp_meaning_result *results;
  const sp_meaning_statement *statements;
};

const sp_meaning *sp_meaning_read(sp_ctx *ctx, const char *name,
                                  const sp_lang_text *text);

/* An index of a read, as the formula has it: it is used where all guards hold.
 * axis: a coordinate along a mesh axis. */
typedef struct sp_meaning_use {
  const char *name; /* of the tensor */
  sp_loc loc;
  const char *axis; /* or NULL */
  uint32_t dim;
  sp_expr index;
  int64_t extent;
  uint32_t n_guards;
  const sp_expr *guards;
  const struct spi_binding *bound; /* for sp_meaning_variable */
} sp_meaning_use;
/* What the formula calls this bound variable, or NULL. */
const char *sp_meaning_variable(const sp_meaning_use *use, sp_expr v);
typedef void (*sp_meaning_visit)(void *env, const sp_meaning_use *use);

/* The element at idx of the result named by call, whatever type the program
 * says it has; visit sees every index in it. */
sp_expr sp_meaning_survey(const sp_call *call, const sp_expr *idx,
                          sp_meaning_visit visit, void *env);

#endif
