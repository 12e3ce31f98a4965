/* aten_util.h: what the rows of PyTorch operators share: results, dimensions,
 * broadcasting, promotion. Names of parameters as in the row's list.
 */
#ifndef SP_ENCODE_ATEN_UTIL_H
#define SP_ENCODE_ATEN_UTIL_H

#include "encode/aten_args.h"
#include "encode/op_arith.h"

#define SPI_IN_BOUNDS "indices are in bounds where PyTorch requires it"

/* A shape that a rule works out. */
typedef struct spi_dims {
  uint32_t n;
  int64_t d[SP_MAX_DIMS];
} spi_dims;

/* ---- shapes ---- */
const sp_shape *spi_arg_shape(sp_ctx *ctx, const sp_program *program,
                              const sp_node *node, const char *name);
spi_dims spi_dims_of(const sp_shape *s);
void spi_dims_push(sp_ctx *ctx, const sp_node *node, spi_dims *s, int64_t size);
int64_t spi_dims_count(const spi_dims *s);
/* At most n results (those that nobody uses may be missing). */
void spi_results(sp_ctx *ctx, const sp_node *node, uint32_t n);
/* Result k, if it has a type, has these sizes and values of this sort. */
void spi_yields(sp_ctx *ctx, const sp_program *program, const sp_node *node,
                uint32_t k, const spi_dims *s, sp_sort sort);
/* ... and the type of the named operand, up to the width of floats. */
void spi_yields_like(sp_ctx *ctx, const sp_program *program,
                     const sp_node *node, uint32_t k, const spi_dims *s,
                     const char *name);
/* The only result has the type that the parameter dtype names, else that
 * sort. */
void spi_yields_dtype(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node, const spi_dims *s, sp_sort sort);
/* One result like self. */
/* Of a gradient: that of grad_output with self. */
void spi_shape_backward(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node);
void spi_shape_of_self(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node, sp_sort sort);
void spi_shape_like_self(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node);
/* a dimension, counted from the end if negative; scalars have one, too */
uint32_t spi_dim(sp_ctx *ctx, const sp_node *node, int64_t d, uint32_t n);
uint32_t spi_arg_dim(sp_ctx *ctx, const sp_node *node, const char *name,
                     uint32_t n);
/* The dimensions that a list names; all where it is empty. */
void spi_arg_dims(sp_ctx *ctx, const sp_node *node, const char *name,
                  uint32_t n, bool *in);
/* Number d of a list that has one for all n dimensions, or one each. */
int64_t spi_arg_entry(sp_ctx *ctx, const sp_node *node, const char *name,
                      uint32_t d, uint32_t n);
/* The sizes that a list names. */
spi_dims spi_arg_sizes(sp_ctx *ctx, const sp_node *node, const char *name);
/* s becomes its common broadcast with t. */
void spi_broadcast(sp_ctx *ctx, const sp_node *node, spi_dims *s,
                   const sp_shape *t);
/* t can be broadcast to s. */
void spi_broadcasts_to(sp_ctx *ctx, const sp_node *node, const sp_shape *t,
                       const spi_dims *s);

/* ---- types ---- */
/* The type of an argument: an operand's; of a number s64 or f32. */
sp_dtype spi_arg_type(const sp_program *program, const sp_node *node,
                      const char *name);
/* The wider one, by PyTorch's order bool < integers < floats. */
sp_dtype spi_promote(sp_dtype a, sp_dtype b);
/* Promotion of two arguments, where numbers do not widen their kind. */
sp_dtype spi_arg_promote(const sp_program *program, const sp_node *node,
                         const char *a, const char *b);

/* ---- elements ---- */
sp_ctx *spi_call_ctx(const sp_call *call);
/* Operand at an index of n coordinates that it is broadcast to. */
sp_expr spi_read_broadcast(const sp_call *call, uint32_t operand, uint32_t n,
                           const sp_expr *idx);
/* The named operand at an index of its own. */
sp_expr spi_arg_read(const sp_call *call, const char *name, const sp_expr *idx);
/* The named argument, broadcast to an index of n coordinates, as a value of
 * type t. */
sp_expr spi_arg_value(const sp_call *call, const char *name, uint32_t n,
                      const sp_expr *idx, sp_dtype t);
/* The named operand, a float: read as a real whatever its width. */
const sp_shape *spi_call_arg_shape(const sp_call *call, const char *name);
/* The term as an index in [0, n): as it is where its range shows that, else
 * clamped, with the assumption that it is one (the program stops otherwise). */
sp_expr spi_bounded(const sp_call *call, sp_expr e, int64_t n);
/* The same where negative indices count from the end. */
sp_expr spi_bounded_signed(const sp_call *call, sp_expr e, int64_t n);
/* Sums of reals over n variables. */
sp_expr spi_sum(const sp_call *call, uint32_t n, const sp_expr *vars,
                sp_expr body);
/* e / n */
sp_expr spi_over(sp_pool *p, sp_expr e, int64_t n);
/* out[i] = f of self[i], the only operand that matters */
sp_expr spi_self_element(const sp_call *call, const sp_expr *idx);

#endif
