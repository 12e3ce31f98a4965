/* aten_collectives.c: PyTorch's functional collectives: reading at other
 * ranks, as in collectives.c. Gathers, scatters and all-to-alls work along
 * dimension 0, in the order of the group.
 *
 * A group is a name in the text; rolling the ranks' programs into one turned
 * it into replica_groups (graph/roll.h). */
#include "encode/aten_util.h"
#include "encode/op_groups.h"

#include <string.h>

/* ---- checks ---- */

static const sp_groups *groups_of(sp_ctx *ctx, const sp_program *program,
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

static void check_size(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  const sp_groups *g = groups_of(ctx, program, node);
  int64_t n = spi_arg_int(ctx, node, "group_size");
  if (n != spi_group_size(g)) {
    spi_bad(ctx, node, "a group of %lld ranks has %lld in the spec",
            (long long)n, (long long)spi_group_size(g));
  }
}

typedef struct reduce_op {
  sp_reducer kind;
  bool average;
} reduce_op;

static bool reduce_op_of(const sp_node *node, reduce_op *out) {
  static const struct {
    const char *text;
    reduce_op op;
  } names[] = {
      {"sum", {SP_REDUCER_SUM, false}},  {"avg", {SP_REDUCER_SUM, true}},
      {"max", {SP_REDUCER_MAX, false}},  {"min", {SP_REDUCER_MIN, false}},
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
  reduce_op op = {SP_REDUCER_SUM, false};
  sp_dtype t = spi_arg_type(program, node, "self");
  if (!reduce_op_of(node, &op)) {
    spi_unknown(ctx, node, "reduces by %s", spi_arg_text(node, "reduce_op"));
  }
  if (t == SP_PRED || (op.average && !sp_dtype_is_float(t))) {
    spi_unknown(ctx, node, "reduces %s", sp_dtype_name(t));
  }
}

static void all_reduce_shape(sp_ctx *ctx, const sp_program *program,
                             const sp_node *node) {
  groups_of(ctx, program, node);
  check_reduce(ctx, program, node);
  spi_shape_like_self(ctx, program, node);
}

/* Dimension 0 times mul, over div. */
static void scaled_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node, int64_t mul, int64_t div) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  if (s.n == 0 || s.d[0] % div != 0) {
    spi_bad(ctx, node, "%lld rows for %lld ranks",
            s.n ? (long long)s.d[0] : 0, (long long)div);
  }
  s.d[0] = spi_mul(ctx, node, s.d[0], mul) / div;
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static void all_gather_shape(sp_ctx *ctx, const sp_program *program,
                             const sp_node *node) {
  check_size(ctx, program, node);
  scaled_shape(ctx, program, node, spi_arg_int(ctx, node, "group_size"), 1);
}

static void reduce_scatter_shape(sp_ctx *ctx, const sp_program *program,
                                 const sp_node *node) {
  check_size(ctx, program, node);
  check_reduce(ctx, program, node);
  scaled_shape(ctx, program, node, 1, spi_arg_int(ctx, node, "group_size"));
}

static void broadcast_shape(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  const sp_groups *g = groups_of(ctx, program, node);
  int64_t src = spi_arg_int(ctx, node, "src");
  if (src < 0 || src >= spi_group_size(g)) {
    spi_bad(ctx, node, "the source is %lld in a group of %lld",
            (long long)src, (long long)spi_group_size(g));
  }
  spi_shape_like_self(ctx, program, node);
}

/* ---- elements ---- */

static sp_expr over_group(const sp_call *call, const sp_expr *idx) {
  reduce_op op = {SP_REDUCER_SUM, false};
  reduce_op_of(call->node, &op);
  spi_members m = spi_members_of(call, true);
  if (m.w == 1) {
    return spi_arg_read(call, "self", idx);
  }
  sp_expr k = sp_fresh(call->pool, m.w);
  uint32_t self = (uint32_t)spi_arg_operand(call->node, "self");
  sp_expr e = spi_red(call, op.kind, spi_out_dtype(call), 1, &k,
                      spi_read_at(call, self, spi_member(&m, k), idx));
  return op.average ? spi_over(call->pool, e, m.w) : e;
}

static sp_expr all_reduce_element(const sp_call *call, const sp_expr *idx) {
  sp_ctx *ctx = spi_call_ctx(call);
  sp_mark mark = sp_scratch_mark(ctx);
  sp_expr e = over_group(call, idx);
  sp_scratch_release(ctx, mark);
  return e;
}

static sp_expr reduce_scatter_element(const sp_call *call,
                                      const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = spi_call_ctx(call);
  const sp_shape *r = sp_call_result_shape(call);
  sp_mark mark = sp_scratch_mark(ctx);
  spi_members m = spi_members_of(call, false);
  sp_expr j[SP_MAX_DIMS];
  memcpy(j, idx, r->n_dims * sizeof *j);
  j[0] = sp_iadd(p, idx[0], sp_iscale(p, spi_position(&m), r->dims[0]));
  sp_expr e = over_group(call, j);
  sp_scratch_release(ctx, mark);
  return e;
}

static sp_expr all_gather_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = spi_call_ctx(call);
  uint32_t self = (uint32_t)spi_arg_operand(call->node, "self");
  const sp_shape *a = sp_call_shape(call, self);
  if (a->dims[0] == 0) {
    return spi_zero(p, sp_dtype_sort(a->dtype));
  }
  sp_mark mark = sp_scratch_mark(ctx);
  spi_members m = spi_members_of(call, false);
  sp_expr j[SP_MAX_DIMS];
  memcpy(j, idx, a->n_dims * sizeof *j);
  j[0] = sp_imod(p, idx[0], a->dims[0]);
  sp_expr from = spi_member(&m, sp_idiv(p, idx[0], a->dims[0]));
  sp_expr e = spi_read_at(call, self, from, j);
  sp_scratch_release(ctx, mark);
  return e;
}

static sp_expr broadcast_element(const sp_call *call, const sp_expr *idx) {
  sp_ctx *ctx = spi_call_ctx(call);
  uint32_t self = (uint32_t)spi_arg_operand(call->node, "self");
  sp_mark mark = sp_scratch_mark(ctx);
  spi_members m = spi_members_of(call, false);
  sp_expr from = spi_member(
      &m, sp_int(call->pool, spi_arg_int(ctx, call->node, "src")));
  sp_expr e = spi_read_at(call, self, from, idx);
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
  if (ranked ? ranked->n != (size_t)(ranks * w)
             : n != 0 && (int64_t)n != w) {
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
  exchange e = {.equal = rows == got && rows % w == 0 &&
                         all_equal(in, n * w) && all_equal(out, n * w)};
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
    if (!e.equal && (k < 0 || out[rank * w + k] != in[members[k] * w +
                                                      position[rank]] ||
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
  groups_of(ctx, program, node);
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
    j[0] = sp_iadd(p, sp_iscale(p, spi_position(&m), n),
                   sp_imod(p, idx[0], n));
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
#define NAMES(name)                                                            \
  "_c10d_functional." name ".default", "_c10d_functional." name,              \
      "_c10d_functional." name "_.default", "_c10d_functional." name "_"

SPI_ATEN(wait_tensor, "Tensor self", spi_shape_like_self, spi_self_element,
         "out[i] = a[i]", "_c10d_functional.wait_tensor.default",
         "_c10d_functional.wait_tensor")
SPI_ATEN(all_reduce, "Tensor self, str reduce_op" GROUP, all_reduce_shape,
         all_reduce_element,
         "out(r)[i] = sum (or the like) of a(p)[i] over the ranks p of r's "
         "group",
         NAMES("all_reduce"))
SPI_ATEN(vllm_all_reduce, "Tensor self" GROUP, all_reduce_shape,
         all_reduce_element,
         "out(r)[i] = sum of a(p)[i] over the ranks p of r's group",
         "vllm.all_reduce.default", "vllm.all_reduce")
SPI_ATEN(all_gather, "Tensor self, int group_size" GROUP, all_gather_shape,
         all_gather_element, "out(r)[i] = a(member i / n)[i mod n]",
         "_c10d_functional.all_gather_into_tensor.default",
         "_c10d_functional.all_gather_into_tensor")
SPI_ATEN(reduce_scatter, "Tensor self, str reduce_op, int group_size" GROUP,
         reduce_scatter_shape, reduce_scatter_element,
         "out(r)[i] = sum of a(p)[i + position(r) * n] over r's group",
         "_c10d_functional.reduce_scatter_tensor.default",
         "_c10d_functional.reduce_scatter_tensor")
SPI_ATEN(all_to_all,
         "Tensor self, int[]? output_split_sizes, int[]? input_split_sizes"
         GROUP,
         all_to_all_shape, all_to_all_element,
         "out(r)[i] = a(member i / n)[position(r) * n + i mod n], or all rows "
         "of one rank",
         "_c10d_functional.all_to_all_single.default",
         "_c10d_functional.all_to_all_single")
SPI_ATEN(broadcast, "Tensor self, int src" GROUP, broadcast_shape,
         broadcast_element, "out(r)[i] = a(member src)[i]",
         NAMES("broadcast"))

extern const sp_op *const sp_ops_aten_collectives[];
const sp_op *const sp_ops_aten_collectives[] = {
    &wait_tensor_row,    &all_reduce_row,     &vllm_all_reduce_row,
    &all_gather_row,     &reduce_scatter_row, &all_to_all_row,
    &broadcast_row,      NULL,
};
