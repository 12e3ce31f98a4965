/* op_util.h: what the rows of the operator table share. Inside encode/ only.
 *
 * Three groups: reading operands and attributes of a node, raising errors that
 * name the node, and pieces of element meanings (wrapping integers, combining
 * a reduction with its init value, the windows of convolution and pooling).
 * Attribute kinds were checked by sp_op_check before any of this runs.
 */
#ifndef SP_ENCODE_OP_UTIL_H
#define SP_ENCODE_OP_UTIL_H

#include "encode/op.h"

/* Assumptions, as told to the user. */
#define SPI_NO_OVERFLOW "signed integers do not overflow"
#define SPI_FINITE "inputs and intermediate values are finite"

/* ---- nodes ---- */
const sp_shape *spi_in(const sp_program *program, const sp_node *node,
                       uint32_t operand);
const sp_shape *spi_out(const sp_program *program, const sp_node *node,
                        uint32_t result);
/* A list attribute; n = 0 (and a readable pointer) when it is absent. */
const int64_t *spi_ints(const sp_node *node, const char *name, uint32_t *n);
int64_t spi_attr_int(const sp_node *node, const char *name, int64_t absent);
const char *spi_attr_text(const sp_node *node, const char *name);
const sp_program *spi_attr_region(const sp_node *node, const char *name);
const sp_groups *spi_attr_groups(const sp_node *node, const char *name);
const sp_window_dim *spi_attr_window(const sp_node *node, uint32_t *n);
bool spi_contains(const int64_t *v, uint32_t n, int64_t x);
const char *spi_attr_kind_name(sp_attr_kind k); /* "a number" */

/* ---- errors ---- */
/* SP_ERR_INPUT, "dot.5: ...", at the node. */
noreturn void spi_bad(sp_ctx *ctx, const sp_node *node, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* SP_ERR_UNKNOWN, likewise. */
noreturn void spi_unknown(sp_ctx *ctx, const sp_node *node, const char *fmt,
                          ...) __attribute__((format(printf, 3, 4)));

/* ---- shape rules ---- */
/* Result k has these dimensions. */
void spi_expect(sp_ctx *ctx, const sp_program *program, const sp_node *node,
                uint32_t result, uint32_t n_dims, const int64_t *dims);
/* Result and operand have the same dtype, or are both floats. */
void spi_expect_dtype(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node, uint32_t result, uint32_t operand);
void spi_expect_operand(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node, uint32_t operand, uint32_t n_dims,
                        const int64_t *dims);
void spi_expect_results(sp_ctx *ctx, const sp_node *node, uint32_t n);
/* An INTS attribute names distinct dimensions below n_dims. */
void spi_check_dims(sp_ctx *ctx, const sp_node *node, const char *attr,
                    uint32_t n_dims);
/* a * b, both >= 0, refused when absurdly large. */
int64_t spi_mul(sp_ctx *ctx, const sp_node *node, int64_t a, int64_t b);
bool spi_dtype_close(sp_dtype a, sp_dtype b);
/* Operand i and result i have the same shape, for every i. */
void spi_shape_identity(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node);

/* ---- element meanings ---- */
void spi_assume(const sp_call *call, const char *sentence);
/* With it: for at most one value of the variables `hits` is true. */
void spi_promise_unique(const sp_call *call, uint32_t n, const sp_expr *vars,
                        sp_expr hits);
sp_dtype spi_in_dtype(const sp_call *call, uint32_t operand);
sp_dtype spi_out_dtype(const sp_call *call);
sp_expr spi_zero(sp_pool *p, sp_sort sort);
sp_expr spi_one(sp_pool *p, sp_sort sort);
/* v as a constant of a float type: the decimal that is printed for it. */
sp_expr spi_float(sp_pool *p, double v, sp_dtype t);
/* e of one type as a value of another: integers wrap, floats are truncated to
 * integers, predicates are 0 and 1. */
sp_expr spi_convert(const sp_call *call, sp_expr e, sp_dtype from, sp_dtype to);
/* The same bits as another type, of the same size. */
bool spi_same_size(sp_dtype a, sp_dtype b);
sp_expr spi_bits(const sp_call *call, sp_expr e, sp_dtype from, sp_dtype to);
/* idx in a shape as the index of the same row-major position in another; the
 * sizes are equal and not 0. */
void spi_reshape_index(sp_pool *p, const sp_shape *from, const sp_shape *to,
                       const sp_expr *idx, sp_expr *out);
/* Element of the operands joined along dim; stacked: along a new dimension. */
sp_expr spi_join(const sp_call *call, uint32_t count, const uint32_t *operands,
                 int64_t dim, bool stacked, const sp_expr *idx);
/* LAMBDA of operand k along dimension d, the other coordinates at idx. */
sp_expr spi_topk(const sp_call *call, int64_t d, bool largest, bool stable,
                 bool indices, const sp_expr *idx);
sp_expr spi_slice_along(const sp_call *call, uint32_t k, int64_t d,
                        const sp_expr *idx);
/* The rank that computes; raises inside regions, which have none. */
sp_expr spi_rank(const sp_call *call);
/* e as an integer of type t holds it: see the comment in op_util.c. */
sp_expr spi_wrap(const sp_call *call, sp_expr e, sp_dtype t);
/* Values of an integer type that is not u64 (whose maximum has no int64). */
void spi_dtype_range(sp_dtype t, int64_t *lo, int64_t *hi);
/* The integer x with i2r(x) = e where e is visibly one; none otherwise. */
sp_expr spi_as_int(sp_pool *p, sp_expr e);
/* v such that table[v] ... : e is a function of one small variable only: the
 * values of e for each value of it. False when it is not. */
bool spi_points(sp_pool *p, uint32_t n, const sp_expr *e, sp_expr *var,
                int64_t *extent, int64_t **values);
/* 0 <= e < n */
sp_expr spi_inside(sp_pool *p, sp_expr e, int64_t n);
/* operand at idx on the given rank, checked for sort */
sp_expr spi_read_at(const sp_call *call, uint32_t operand, sp_expr rank,
                    const sp_expr *idx);

/* ---- values of machine integers (op_eval.c) ---- */
typedef int64_t (*spi_int_fn)(int64_t a, int64_t b, sp_dtype t);
int64_t spi_value_wrap(int64_t v, sp_dtype t);
bool spi_shift_inside(int64_t k, sp_dtype t); /* 0 <= k < bits */
int64_t spi_value_add(int64_t a, int64_t b, sp_dtype t);
int64_t spi_value_subtract(int64_t a, int64_t b, sp_dtype t);
int64_t spi_value_multiply(int64_t a, int64_t b, sp_dtype t);
int64_t spi_value_divide(int64_t a, int64_t b, sp_dtype t);
int64_t spi_value_remainder(int64_t a, int64_t b, sp_dtype t);
int64_t spi_value_power(int64_t a, int64_t b, sp_dtype t); /* b >= 0 */
int64_t spi_value_and(int64_t a, int64_t b, sp_dtype t);
int64_t spi_value_or(int64_t a, int64_t b, sp_dtype t);
int64_t spi_value_xor(int64_t a, int64_t b, sp_dtype t);
int64_t spi_value_left(int64_t a, int64_t k, sp_dtype t);
int64_t spi_value_logical(int64_t a, int64_t k, sp_dtype t);
int64_t spi_value_arithmetic(int64_t a, int64_t k, sp_dtype t);
int64_t spi_value_popcnt(int64_t v, sp_dtype t);
int64_t spi_value_clz(int64_t v, sp_dtype t);

/* ---- windows ---- */
/* A computation for n accumulators and n elements: 2n parameters and n results
 * of the types of operands 0 .. n-1. */
void spi_check_reducer(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node, const char *attr, uint32_t n);

/* Positions of a window over a dimension of that size; refuses bad windows. */
int64_t spi_window_out(sp_ctx *ctx, const sp_node *node, const sp_window_dim *w,
                       int64_t size);
/* Element k of the window at o: its coordinate in the operand. The condition
 * that there is one is added to *inside. */
sp_expr spi_window_at(sp_pool *p, const sp_window_dim *w, sp_expr o, sp_expr k,
                      int64_t size, sp_expr *inside);

/* ---- reductions (region.c) ---- */
/* What a computation with n accumulators and n elements (2n parameters, n
 * results) does to each pair, where the pairs do not mix. */
void spi_reducers(sp_pool *p, const sp_program *region, uint32_t n,
                  sp_reducer *kinds);
/* The neutral element of a known reducer over a dtype. */
sp_expr spi_identity(sp_pool *p, sp_reducer kind, sp_dtype t);
/* Where the element v attains the extremum m of all: a NaN does. */
sp_expr spi_is_extreme(sp_pool *p, sp_expr v, sp_expr m);
/* Reduce body over vars and combine it with init: a known reducer. */
sp_expr spi_reduce(const sp_call *call, sp_reducer kind, sp_dtype t,
                   sp_expr init, uint32_t n, const sp_expr *vars, sp_expr body);
/* Only the reduction; n = 0 gives the body. */
sp_expr spi_red(const sp_call *call, sp_reducer kind, sp_dtype t, uint32_t n,
                const sp_expr *vars, sp_expr body);
sp_expr spi_combine(const sp_call *call, sp_reducer kind, sp_dtype t, sp_expr a,
                    sp_expr b);
bool spi_reducer_is_simple(sp_reducer kind); /* SUM ... AND */
/* to_apply is (x, y) -> log(exp x + exp y), and reduces from minus infinity:
 * the logarithm of the sum of exp(body) where `inside`; else {0}. */
sp_expr spi_log_sum_exp(const sp_call *call, sp_expr init, uint32_t n,
                        const sp_expr *vars, sp_expr inside, sp_expr body);
/* A text that is the same for computations that mean the same. */
const char *spi_region_text(sp_pool *p, const sp_program *region);
/* A comparator of (value, other) pairs that says only which value is larger, or
 * only which is smaller. */
bool spi_region_orders(sp_pool *p, const sp_program *region, bool *largest);
/* Opaque function of whole slices: the operands in the given variables. */
sp_expr spi_lambda(sp_pool *p, uint32_t n, const sp_expr *vars, sp_expr body);

#endif
