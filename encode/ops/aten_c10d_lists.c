/* aten_c10d_lists.c: collectives of c10d that have a tensor for each rank, in
 * the order of the group:
 *   allgather_       out_k(r) = a(member k)
 *   alltoall_        out_k(r) = a_p(member k), p the position of r
 *   reduce_scatter_  out(r) = sum over members m of a_p(m)
 * Results are what is written into the first argument; lists of lists are
 * flat. */
#include "encode/aten_collective.h"
#include "encode/op_groups.h"

/* ---- shapes ---- */

/* As many inputs as that, all of one shape; at most n_out results like them. */
static void check_lists(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node, int64_t inputs, int64_t n_out) {
  uint32_t n;
  const int64_t *v = spi_arg_operands(node, "inputs", &n);
  if ((int64_t)n != inputs || (int64_t)node->n_out > n_out) {
    spi_unknown(ctx, node, "from %u tensors to %u", n, node->n_out);
  }
  for (uint32_t k = 0; k < n; k++) {
    if (v[k] < 0) {
      spi_bad(ctx, node, "there is no input %u", k);
    }
    const sp_shape *a = spi_in(program, node, (uint32_t)v[0]);
    spi_expect_operand(ctx, program, node, (uint32_t)v[k], a->n_dims, a->dims);
    if (spi_in(program, node, (uint32_t)v[k])->dtype != a->dtype) {
      spi_unknown(ctx, node, "tensors of different types");
    }
  }
  const sp_shape *a = spi_in(program, node, (uint32_t)v[0]);
  spi_dims s = spi_dims_of(a);
  for (uint32_t k = 0; k < node->n_out; k++) {
    spi_yields(ctx, program, node, k, &s, sp_dtype_sort(a->dtype));
  }
}

static int64_t members(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  return spi_group_size(spi_funcol_groups(ctx, program, node));
}

static void gather_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  check_lists(ctx, program, node, 1, members(ctx, program, node));
}

static void exchange_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  int64_t w = members(ctx, program, node);
  check_lists(ctx, program, node, w, w);
}

static void scatter_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  check_lists(ctx, program, node, members(ctx, program, node), 1);
  spi_reduce_op op;
  uint32_t n;
  const int64_t *v = spi_arg_operands(node, "inputs", &n);
  sp_dtype t = spi_in(program, node, (uint32_t)v[0])->dtype;
  if (!spi_reduce_op_of(node, &op) || t == SP_PRED ||
      (op.average && !sp_dtype_is_float(t))) {
    spi_unknown(ctx, node, "reduces %s by %s", sp_dtype_name(t),
                spi_arg_text(node, "reduce_op"));
  }
}

/* ---- elements ---- */

static sp_expr gather_element(const sp_call *call, const sp_expr *idx) {
  sp_ctx *ctx = spi_call_ctx(call);
  sp_mark mark = sp_scratch_mark(ctx);
  uint32_t n;
  const int64_t *v = spi_arg_operands(call->node, "inputs", &n);
  spi_members m = spi_members_of(call, false);
  sp_expr from = spi_member(&m, sp_int(call->pool, call->result));
  sp_expr e = spi_read_at(call, (uint32_t)v[0], from, idx);
  sp_scratch_release(ctx, mark);
  return e;
}

/* The input that is for the rank that computes, on another rank. */
static sp_expr mine(const sp_call *call, const spi_members *m, sp_expr from,
                    const sp_expr *idx) {
  sp_pool *p = call->pool;
  uint32_t n;
  const int64_t *v = spi_arg_operands(call->node, "inputs", &n);
  sp_expr position = spi_position(m);
  sp_expr e = spi_read_at(call, (uint32_t)v[n - 1], from, idx);
  for (uint32_t k = n - 1; k-- > 0;) {
    e = sp_ite(p, sp_eq(p, position, sp_int(p, k)),
               spi_read_at(call, (uint32_t)v[k], from, idx), e);
  }
  return e;
}

static sp_expr exchange_element(const sp_call *call, const sp_expr *idx) {
  sp_ctx *ctx = spi_call_ctx(call);
  sp_mark mark = sp_scratch_mark(ctx);
  spi_members m = spi_members_of(call, false);
  sp_expr from = spi_member(&m, sp_int(call->pool, call->result));
  sp_expr e = mine(call, &m, from, idx);
  sp_scratch_release(ctx, mark);
  return e;
}

static sp_expr scatter_element(const sp_call *call, const sp_expr *idx) {
  sp_ctx *ctx = spi_call_ctx(call);
  sp_mark mark = sp_scratch_mark(ctx);
  spi_reduce_op op = {SP_REDUCER_SUM, false};
  spi_reduce_op_of(call->node, &op);
  spi_members m = spi_members_of(call, false);
  sp_expr k = m.w == 1 ? sp_int(call->pool, 0) : sp_fresh(call->pool, m.w);
  sp_expr e = mine(call, &m, spi_member(&m, k), idx);
  e = spi_red(call, op.kind, spi_out_dtype(call), m.w == 1 ? 0 : 1, &k, e);
  e = op.average ? spi_over(call->pool, e, m.w) : e;
  sp_scratch_release(ctx, mark);
  return e;
}

/* ---- rows ---- */

#define IN_PLACE ", any? async_op, any? timeout, *, groups? replica_groups"
#define LISTS "Tensor[] output, Tensor[] inputs, any? group_name"

SPI_ATEN(c10d_allgather, LISTS IN_PLACE, gather_shape, gather_element,
         "out_k(r)[i] = a(member k)[i]", "c10d.allgather_.default",
         "c10d.allgather_")
SPI_ATEN(c10d_alltoall, LISTS IN_PLACE, exchange_shape, exchange_element,
         "out_k(r)[i] = a_p(member k)[i], p the position of r",
         "c10d.alltoall_.default", "c10d.alltoall_")
SPI_ATEN(c10d_reduce_scatter, LISTS ", str reduce_op" IN_PLACE, scatter_shape,
         scatter_element,
         "out(r)[i] = sum over members m of a_p(m)[i], p the position of r",
         "c10d.reduce_scatter_.default", "c10d.reduce_scatter_")

extern const sp_op *const sp_ops_aten_c10d_lists[];
const sp_op *const sp_ops_aten_c10d_lists[] = {
    &c10d_allgather_row,
    &c10d_alltoall_row,
    &c10d_reduce_scatter_row,
    NULL,
};
