/* aten_collectives.c: PyTorch's functional collectives: reading at other
 * ranks, as in collectives.c. Gathers, scatters and all-to-alls work along
 * dimension 0, in the order of the group.
 *
 * A group is a name in the text; rolling the ranks' programs into one turned
 * it into replica_groups (graph/roll.h).
 *
 * The operand is called self; "coalesced" operators and those of c10d take a
 * list, and result k belongs to its element k. What c10d operators write into
 * (output) is not read. */
#include "encode/aten_collective.h"
#include "encode/op_groups.h"

#include <string.h>

/* ---- checks ---- */

const sp_groups *spi_funcol_groups(sp_ctx *ctx, const sp_program *program,
                                   const sp_node *node) {
  const sp_groups *g = spi_attr_groups(node, "replica_groups");
  if (!g) {
    const char *name = spi_arg_text(node, "group_name");
    sp_raise(ctx, SP_ERR_UNKNOWN, node->pos.dump,
             "give it under `groups` in the spec",
             "%s (%s): which ranks the process group %s holds is not in the "
             "text",
             node->name, node->op, name ? name : "?");
  }
  spi_groups_check(ctx, program, node);
  return g;
}

static bool has(const sp_node *node, const char *text) {
  return strstr(sp_op_find(node->op)->params, text) != NULL;
}

/* The operand of result k. */
static uint32_t operand_of(sp_ctx *ctx, const sp_node *node, uint32_t k) {
  uint32_t n;
  int64_t one = spi_arg_operand(node, "self");
  const int64_t *list = spi_arg_operands(node, "self", &n);
  if (one < 0 && (k >= n || list[k] < 0)) {
    spi_bad(ctx, node, "result %u of %u tensors", k, n);
  }
  return (uint32_t)(one < 0 ? list[k] : one);
}

static uint32_t operand(const sp_call *call) {
  return operand_of(spi_call_ctx(call), call->node, call->result);
}

/* Result k has these sizes and the type of its operand. */
static void yields(sp_ctx *ctx, const sp_program *program, const sp_node *node,
                   uint32_t k, const spi_dims *s) {
  const sp_shape *a = spi_in(program, node, operand_of(ctx, node, k));
  spi_yields(ctx, program, node, k, s, sp_dtype_sort(a->dtype));
}

static void same_shapes(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  for (uint32_t k = 0; k < node->n_out; k++) {
    spi_dims s = spi_dims_of(spi_in(program, node, operand_of(ctx, node, k)));
    yields(ctx, program, node, k, &s);
  }
}

/* Ranks of a group; where the call says how many, it must be right. */
static int64_t group_size(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  int64_t w = spi_group_size(spi_funcol_groups(ctx, program, node));
  int64_t n =
      has(node, "group_size") ? spi_arg_int(ctx, node, "group_size") : w;
  if (n != w) {
    spi_bad(ctx, node, "a group of %lld ranks has %lld in the spec",
            (long long)n, (long long)w);
  }
  return w;
}

/* The dimension that is gathered or scattered. */
static uint32_t dim_of(sp_ctx *ctx, const sp_node *node, uint32_t n) {
  return has(node, "int dim") ? spi_arg_dim(ctx, node, "dim", n) : 0;
}

bool spi_reduce_op_of(const sp_node *node, spi_reduce_op *out) {
  static const struct {
    const char *text;
    spi_reduce_op op;
  } names[] = {
      {"sum", {SP_REDUCER_SUM, false}},      {"avg", {SP_REDUCER_SUM, true}},
      {"max", {SP_REDUCER_MAX, false}},      {"min", {SP_REDUCER_MIN, false}},
      {"product", {SP_REDUCER_PROD, false}},
  };
  const char *text = spi_arg_text(node, "reduce_op");
  text = text ? text : "sum"; /* rows without the parameter add */
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(text, names[i].text) == 0) {
      *out = names[i].op;
      return true;
    }
  }
  return false;
}

static void check_reduce(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  spi_reduce_op op = {SP_REDUCER_SUM, false};
  if (!spi_reduce_op_of(node, &op)) {
    spi_unknown(ctx, node, "reduces by %s", spi_arg_text(node, "reduce_op"));
  }
  for (uint32_t k = 0; k < node->n_out; k++) {
    sp_dtype t = spi_in(program, node, operand_of(ctx, node, k))->dtype;
    if (t == SP_PRED || (op.average && !sp_dtype_is_float(t))) {
      spi_unknown(ctx, node, "reduces %s", sp_dtype_name(t));
    }
  }
}

static void all_reduce_shape(sp_ctx *ctx, const sp_program *program,
                             const sp_node *node) {
  spi_funcol_groups(ctx, program, node);
  check_reduce(ctx, program, node);
  same_shapes(ctx, program, node);
}

/* The dimension times mul, over div. */
static void scaled_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node, int64_t mul, int64_t div) {
  for (uint32_t k = 0; k < node->n_out; k++) {
    spi_dims s = spi_dims_of(spi_in(program, node, operand_of(ctx, node, k)));
    uint32_t d = dim_of(ctx, node, s.n);
    if (s.n == 0 || s.d[d] % div != 0) {
      spi_bad(ctx, node, "%lld rows for %lld ranks",
              s.n ? (long long)s.d[d] : 0, (long long)div);
    }
    s.d[d] = spi_mul(ctx, node, s.d[d], mul) / div;
    yields(ctx, program, node, k, &s);
  }
}

static void all_gather_shape(sp_ctx *ctx, const sp_program *program,
                             const sp_node *node) {
  scaled_shape(ctx, program, node, group_size(ctx, program, node), 1);
}

static void reduce_scatter_shape(sp_ctx *ctx, const sp_program *program,
                                 const sp_node *node) {
  check_reduce(ctx, program, node);
  scaled_shape(ctx, program, node, 1, group_size(ctx, program, node));
}

static void broadcast_shape(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  const sp_groups *g = spi_funcol_groups(ctx, program, node);
  int64_t src = spi_arg_int(ctx, node, "src");
  if (src < 0 || src >= spi_group_size(g)) {
    spi_bad(ctx, node, "the source is %lld in a group of %lld", (long long)src,
            (long long)spi_group_size(g));
  }
  same_shapes(ctx, program, node);
}

/* ---- elements ---- */

static sp_expr over_group(const sp_call *call, const sp_expr *idx) {
  spi_reduce_op op = {SP_REDUCER_SUM, false};
  spi_reduce_op_of(call->node, &op);
  spi_members m = spi_members_of(call, true);
  if (m.w == 1) {
    return sp_call_read(call, operand(call), idx);
  }
  sp_expr k = sp_fresh(call->pool, m.w);
  sp_expr e = spi_red(call, op.kind, spi_out_dtype(call), 1, &k,
                      spi_read_at(call, operand(call), spi_member(&m, k), idx));
  return op.average ? spi_over(call->pool, e, m.w) : e;
}

static sp_expr all_reduce_element(const sp_call *call, const sp_expr *idx) {
  sp_ctx *ctx = spi_call_ctx(call);
  sp_mark mark = sp_scratch_mark(ctx);
  sp_expr e = over_group(call, idx);
  sp_scratch_release(ctx, mark);
  return e;
}

static sp_expr reduce_scatter_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = spi_call_ctx(call);
  const sp_shape *r = sp_call_result_shape(call);
  sp_mark mark = sp_scratch_mark(ctx);
  spi_members m = spi_members_of(call, false);
  sp_expr j[SP_MAX_DIMS];
  memcpy(j, idx, r->n_dims * sizeof *j);
  uint32_t d = dim_of(ctx, call->node, r->n_dims);
  j[d] = sp_iadd(p, idx[d], sp_iscale(p, spi_position(&m), r->dims[d]));
  sp_expr e = over_group(call, j);
  sp_scratch_release(ctx, mark);
  return e;
}

static sp_expr all_gather_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = spi_call_ctx(call);
  const sp_shape *a = sp_call_shape(call, operand(call));
  uint32_t d = dim_of(ctx, call->node, a->n_dims);
  if (a->dims[d] == 0) {
    return spi_zero(p, sp_dtype_sort(a->dtype));
  }
  sp_mark mark = sp_scratch_mark(ctx);
  spi_members m = spi_members_of(call, false);
  sp_expr j[SP_MAX_DIMS];
  memcpy(j, idx, a->n_dims * sizeof *j);
  j[d] = sp_imod(p, idx[d], a->dims[d]);
  sp_expr from = spi_member(&m, sp_idiv(p, idx[d], a->dims[d]));
  sp_expr e = spi_read_at(call, operand(call), from, j);
  sp_scratch_release(ctx, mark);
  return e;
}

static sp_expr broadcast_element(const sp_call *call, const sp_expr *idx) {
  sp_ctx *ctx = spi_call_ctx(call);
  sp_mark mark = sp_scratch_mark(ctx);
  spi_members m = spi_members_of(call, false);
  sp_expr from =
      spi_member(&m, sp_int(call->pool, spi_arg_int(ctx, call->node, "src")));
  sp_expr e = spi_read_at(call, operand(call), from, idx);
  sp_scratch_release(ctx, mark);
  return e;
}

/* ---- DTensor: from shards of one dimension to shards of another ---- */

typedef struct reshard {
  uint32_t gather, shard;
} reshard;

static reshard reshard_of(sp_ctx *ctx, const sp_node *node, uint32_t n) {
  return (reshard){spi_arg_dim(ctx, node, "gather_dim", n),
                   spi_arg_dim(ctx, node, "shard_dim", n)};
}

static void reshard_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  int64_t w = group_size(ctx, program, node);
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  reshard x = reshard_of(ctx, node, s.n);
  if (s.n == 0 || x.gather == x.shard || s.d[x.shard] % w != 0) {
    spi_bad(ctx, node, "gathers dimension %u, shards dimension %u", x.gather,
            x.shard);
  }
  s.d[x.gather] = spi_mul(ctx, node, s.d[x.gather], w);
  s.d[x.shard] /= w;
  spi_results(ctx, node, 1);
  yields(ctx, program, node, 0, &s);
}

static sp_expr reshard_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = spi_call_ctx(call);
  const sp_shape *a = sp_call_shape(call, operand(call));
  const sp_shape *r = sp_call_result_shape(call);
  reshard x = reshard_of(ctx, call->node, a->n_dims);
  int64_t n = a->dims[x.gather];
  if (sp_shape_elements(r) == 0) {
    return spi_zero(p, sp_dtype_sort(a->dtype));
  }
  sp_mark mark = sp_scratch_mark(ctx);
  spi_members m = spi_members_of(call, false);
  sp_expr j[SP_MAX_DIMS];
  memcpy(j, idx, a->n_dims * sizeof *j);
  j[x.gather] = sp_imod(p, idx[x.gather], n);
  j[x.shard] = sp_iadd(p, idx[x.shard],
                       sp_iscale(p, spi_position(&m), r->dims[x.shard]));
  sp_expr from = spi_member(&m, sp_idiv(p, idx[x.gather], n));
  sp_expr e = spi_read_at(call, operand(call), from, j);
  sp_scratch_release(ctx, mark);
  return e;
}

/* ---- all_to_all_single ---- */

/* splits[rank * w + k]: rows for the member at k; empty lists are equal
 * parts. In scratch memory. */
static int64_t *splits_of(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node, const char *name, int64_t w,
                          int64_t rows) {
  int64_t ranks = program->partitions;
  int64_t *v = sp_scratch(ctx, (size_t)(ranks * w) * sizeof *v);
  const sp_attr *ranked = spi_arg_ranked(node, name);
  uint32_t n = 0;
  const int64_t *same = ranked ? NULL : spi_arg_ints(ctx, node, name, &n);
  if (ranked ? ranked->n != (size_t)(ranks * w) : n != 0 && (int64_t)n != w) {
    spi_bad(ctx, node, "%s does not name %lld parts", name, (long long)w);
  }
  for (int64_t r = 0; r < ranks; r++) {
    int64_t total = 0;
    for (int64_t k = 0; k < w; k++) {
      v[r * w + k] = ranked ? ranked->u.ints[r * w + k]
                     : n    ? same[k]
                            : rows / w;
      if (v[r * w + k] < 0) {
        spi_bad(ctx, node, "%s holds %lld", name, (long long)v[r * w + k]);
      }
      total += v[r * w + k];
    }
    if (total != rows) {
      spi_bad(ctx, node, "%s adds up to %lld of %lld rows", name,
              (long long)total, (long long)rows);
    }
  }
  return v;
}

/* Where rows come from. equal: block k from member k's block of our position.
 * Otherwise every rank takes all its rows from one: source[rank]. */
typedef struct exchange {
  bool equal;
  int64_t *source;
} exchange;

static bool all_equal(const int64_t *v, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    if (v[i] != v[0]) {
      return false;
    }
  }
  return true;
}

/* The member of the group that sends everything; -1: several do. */
static int64_t only_part(const int64_t *v, int64_t w) {
  int64_t k = -1;
  for (int64_t i = 0; i < w; i++) {
    if (v[i] != 0) {
      if (k >= 0) {
        return -1;
      }
      k = i;
    }
  }
  return k;
}

/* Group and position of every rank, from the list. */
static void places(const sp_groups *g, int64_t *group, int64_t *position) {
  for (uint32_t k = 0; k < g->n_groups; k++) {
    for (uint32_t i = g->start[k]; i < g->start[k + 1]; i++) {
      group[g->ids[i]] = k;
      position[g->ids[i]] = i - g->start[k];
    }
  }
}

static exchange exchange_of(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  const sp_groups *g = spi_attr_groups(node, "replica_groups");
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  const sp_shape *r = spi_out(program, node, 0);
  int64_t w = spi_group_size(g), n = program->partitions;
  int64_t rows = a->n_dims ? a->dims[0] : 0;
  int64_t got = r->n_dims ? r->dims[0] : 0;
  int64_t *in = splits_of(ctx, program, node, "input_split_sizes", w, rows);
  int64_t *out = splits_of(ctx, program, node, "output_split_sizes", w, got);
  int64_t *group = sp_scratch(ctx, (size_t)n * sizeof *group);
  int64_t *position = sp_scratch(ctx, (size_t)n * sizeof *position);
  places(g, group, position);
  exchange e = {.equal = rows == got && rows % w == 0 && all_equal(in, n * w) &&
                         all_equal(out, n * w)};
  e.source = sp_scratch(ctx, (size_t)n * sizeof *e.source);
  for (int64_t rank = 0; rank < n; rank++) {
    const int64_t *members = g->ids + g->start[group[rank]];
    for (int64_t k = 0; k < w; k++) {
      int64_t sent = in[members[k] * w + position[rank]];
      if (sent != out[rank * w + k]) {
        spi_bad(ctx, node,
                "rank %lld awaits %lld rows from rank %lld, which sends %lld",
                (long long)rank, (long long)out[rank * w + k],
                (long long)members[k], (long long)sent);
      }
    }
    int64_t k = only_part(out + rank * w, w);
    if (!e.equal &&
        (k < 0 || out[rank * w + k] != in[members[k] * w + position[rank]] ||
         only_part(in + members[k] * w, w) != position[rank])) {
      spi_unknown(ctx, node, "its parts are of different sizes");
    }
    e.source[rank] = e.equal ? rank : members[k];
  }
  return e;
}

static void all_to_all_shape(sp_ctx *ctx, const sp_program *program,
                             const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  spi_funcol_groups(ctx, program, node);
  if (s.n == 0 || node->n_out != 1 || spi_out(program, node, 0)->n_dims == 0) {
    spi_bad(ctx, node, "exchanges scalars");
  }
  s.d[0] = spi_out(program, node, 0)->dims[0];
  spi_yields_like(ctx, program, node, 0, &s, "self");
  sp_mark mark = sp_scratch_mark(ctx);
  exchange_of(ctx, program, node);
  sp_scratch_release(ctx, mark);
}

static sp_expr all_to_all_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = spi_call_ctx(call);
  uint32_t self = (uint32_t)spi_arg_operand(call->node, "self");
  const sp_shape *a = sp_call_shape(call, self);
  if (a->dims[0] == 0) {
    return spi_zero(p, sp_dtype_sort(a->dtype));
  }
  sp_mark mark = sp_scratch_mark(ctx);
  exchange x = exchange_of(ctx, call->program, call->node);
  spi_members m = spi_members_of(call, false);
  sp_expr j[SP_MAX_DIMS], from;
  memcpy(j, idx, a->n_dims * sizeof *j);
  if (x.equal) {
    int64_t n = a->dims[0] / m.w;
    j[0] = sp_iadd(p, sp_iscale(p, spi_position(&m), n), sp_imod(p, idx[0], n));
    from = spi_member(&m, sp_idiv(p, idx[0], n));
  } else {
    from = spi_rank_table(p, x.source, m.n, spi_rank(call));
  }
  sp_expr e = spi_read_at(call, self, from, j);
  sp_scratch_release(ctx, mark);
  return e;
}

/* ---- rows ---- */

#define GROUP ", any? group_name, *, groups? replica_groups"
#define IN_PLACE ", any? async_op, any? timeout, *, groups? replica_groups"
#define BOTH(name) name ".default", name
#define FUNCOL(name)                                                           \
  BOTH("_c10d_functional." name), BOTH("_c10d_functional." name "_")
#define AUTOGRAD(name)                                                         \
  BOTH("_c10d_functional." name), BOTH("_c10d_functional_autograd." name)

#define REDUCED                                                                \
  "out(r)[i] = sum (or the like) of a(p)[i] over the ranks p of r's group"
#define GATHERED "out(r)[i] = a(member i / n)[i mod n]"
#define SCATTERED "out(r)[i] = sum of a(p)[i + position(r) * n] over r's group"
#define EXCHANGED                                                              \
  "out(r)[i] = a(member i / n)[position(r) * n + i mod n], or all rows of "    \
  "one "                                                                       \
  "rank"

SPI_ATEN(wait_tensor, "Tensor self", spi_shape_like_self, spi_self_element,
         "out[i] = a[i]", BOTH("_c10d_functional.wait_tensor"))
SPI_ATEN(all_reduce, "Tensor self, str reduce_op" GROUP, all_reduce_shape,
         all_reduce_element, REDUCED, FUNCOL("all_reduce"),
         BOTH("_c10d_functional_autograd.all_reduce"))
SPI_ATEN(all_reduce_coalesced, "Tensor[] self, str reduce_op" GROUP,
         all_reduce_shape, all_reduce_element, REDUCED,
         FUNCOL("all_reduce_coalesced"))
SPI_ATEN(all_gather, "Tensor self, int group_size" GROUP, all_gather_shape,
         all_gather_element, GATHERED, AUTOGRAD("all_gather_into_tensor"))
SPI_ATEN(all_gather_coalesced, "Tensor[] self, int group_size" GROUP,
         all_gather_shape, all_gather_element, GATHERED,
         BOTH("_c10d_functional.all_gather_into_tensor_coalesced"))
SPI_ATEN(reduce_scatter, "Tensor self, str reduce_op, int group_size" GROUP,
         reduce_scatter_shape, reduce_scatter_element, SCATTERED,
         AUTOGRAD("reduce_scatter_tensor"))
SPI_ATEN(reduce_scatter_coalesced,
         "Tensor[] self, str reduce_op, int group_size" GROUP,
         reduce_scatter_shape, reduce_scatter_element, SCATTERED,
         BOTH("_c10d_functional.reduce_scatter_tensor_coalesced"))
SPI_ATEN(
    all_to_all,
    "Tensor self, int[]? output_split_sizes, int[]? input_split_sizes" GROUP,
    all_to_all_shape, all_to_all_element, EXCHANGED,
    AUTOGRAD("all_to_all_single"))
SPI_ATEN(broadcast, "Tensor self, int src" GROUP, broadcast_shape,
         broadcast_element, "out(r)[i] = a(member src)[i]", FUNCOL("broadcast"))
SPI_ATEN(shard_dim_alltoall, "Tensor self, int gather_dim, int shard_dim" GROUP,
         reshard_shape, reshard_element,
         "shards of dimension gather_dim become shards of shard_dim",
         BOTH("_dtensor.shard_dim_alltoall"))
SPI_ATEN(vllm_all_reduce, "Tensor self" GROUP, all_reduce_shape,
         all_reduce_element, REDUCED, BOTH("vllm.all_reduce"))
SPI_ATEN(vllm_all_gather, "Tensor self, int dim, int group_size" GROUP,
         all_gather_shape, all_gather_element, GATHERED,
         BOTH("vllm.all_gather"))
SPI_ATEN(vllm_reduce_scatter, "Tensor self, int dim, int group_size" GROUP,
         reduce_scatter_shape, reduce_scatter_element, SCATTERED,
         BOTH("vllm.reduce_scatter"))

/* c10d: group and reduction are objects whose values the text lacks; the spec
 * can tell. The result is what is written into the first argument. */
SPI_ATEN(c10d_allreduce,
         "Tensor[] self, any? group_name, str reduce_op, any? "
         "sparse_indices!" IN_PLACE,
         all_reduce_shape, all_reduce_element, REDUCED, BOTH("c10d.allreduce_"))
SPI_ATEN(c10d_broadcast,
         "Tensor[] self, any? group_name, int src, int root_tensor=0!" IN_PLACE,
         broadcast_shape, broadcast_element, "out(r)[i] = a(member src)[i]",
         BOTH("c10d.broadcast_"))
SPI_ATEN(c10d_allgather_base,
         "Tensor output, Tensor self, any? group_name" IN_PLACE,
         all_gather_shape, all_gather_element, GATHERED,
         BOTH("c10d._allgather_base_"))
SPI_ATEN(c10d_allreduce_coalesced,
         "Tensor[] self, any? group_name, str reduce_op" IN_PLACE,
         all_reduce_shape, all_reduce_element, REDUCED,
         BOTH("c10d.allreduce_coalesced_"))
SPI_ATEN(c10d_allgather_coalesced,
         "Tensor[] output, Tensor[] self, any? group_name" IN_PLACE,
         all_gather_shape, all_gather_element, GATHERED,
         BOTH("c10d.allgather_into_tensor_coalesced_"))
SPI_ATEN(c10d_reduce_scatter_coalesced,
         "Tensor[] output, Tensor[] self, any? group_name, "
         "str reduce_op" IN_PLACE,
         reduce_scatter_shape, reduce_scatter_element, SCATTERED,
         BOTH("c10d.reduce_scatter_tensor_coalesced_"))
SPI_ATEN(c10d_reduce_scatter_base,
         "Tensor output, Tensor self, any? group_name, str reduce_op" IN_PLACE,
         reduce_scatter_shape, reduce_scatter_element, SCATTERED,
         BOTH("c10d._reduce_scatter_base_"))
SPI_ATEN(c10d_alltoall_base,
         "Tensor output, Tensor self, any? group_name, "
         "int[]? output_split_sizes, int[]? input_split_sizes" IN_PLACE,
         all_to_all_shape, all_to_all_element, EXCHANGED,
         BOTH("c10d.alltoall_base_"))

extern const sp_op *const sp_ops_aten_collectives[];
const sp_op *const sp_ops_aten_collectives[] = {
    &wait_tensor_row,
    &all_reduce_row,
    &all_reduce_coalesced_row,
    &all_gather_row,
    &all_gather_coalesced_row,
    &reduce_scatter_row,
    &reduce_scatter_coalesced_row,
    &all_to_all_row,
    &broadcast_row,
    &shard_dim_alltoall_row,
    &vllm_all_reduce_row,
    &vllm_all_gather_row,
    &vllm_reduce_scatter_row,
    &c10d_allreduce_row,
    &c10d_broadcast_row,
    &c10d_allgather_base_row,
    &c10d_allreduce_coalesced_row,
    &c10d_allgather_coalesced_row,
    &c10d_reduce_scatter_coalesced_row,
    &c10d_reduce_scatter_base_row,
    &c10d_alltoall_base_row,
    NULL,
};
