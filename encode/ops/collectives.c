/* collectives.c: communication is reading at other ranks.
 *
 * The reader made replica_groups explicit: groups of devices, each device in
 * exactly one. With w members a group, the member at position k of group g is
 * member(g, k), and a rank knows its group and its position in it: three
 * functions given as tables, which the pool fits to arithmetic (sp_table).
 *   all-reduce      out(r)[i] = sum over k of a(member(group(r), k))[i]
 *   reduce-scatter  the same at block position(r) of i
 *   all-gather      out(r)[i] = a(member(group(r), i / n))[i mod n]
 *   all-to-all      block k of the result is block position(r) of member k
 *   permute         out(r)[i] = a(source(r))[i], zero where there is none
 * Groups of different sizes have no such formula and are refused. */
#include "encode/op_groups.h"

#include <string.h>

/* ---- shapes ---- */

/* The one dimension that a collective works along. */
static int64_t dimension_of(const sp_node *node) {
  uint32_t n;
  const int64_t *d = spi_ints(node, "dimensions", &n);
  return n == 1 ? d[0] : -1;
}

/* Result k is operand k with dimension dim of size mul / div as long. */
static void check_scaled(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node, int64_t mul, int64_t div) {
  int64_t dim = dimension_of(node);
  spi_expect_results(ctx, node, node->n_in);
  for (uint32_t k = 0; k < node->n_in; k++) {
    const sp_shape *a = spi_in(program, node, k);
    int64_t dims[SP_MAX_DIMS] = {0};
    if (dim < 0 || dim >= (int64_t)a->n_dims) {
      spi_bad(ctx, node, "works along dimension %lld of %u", (long long)dim,
              a->n_dims);
    }
    memcpy(dims, a->dims, a->n_dims * sizeof *dims);
    if (dims[dim] % div) {
      spi_bad(ctx, node,
              "dimension %lld of operand %u has size %lld, not a multiple of "
              "the %lld devices of a group",
              (long long)dim, k, (long long)dims[dim], (long long)div);
    }
    dims[dim] = spi_mul(ctx, node, dims[dim], mul) / div;
    spi_expect(ctx, program, node, k, a->n_dims, dims);
    spi_expect_dtype(ctx, program, node, k, k);
  }
}

/* The tuple form applies one computation to every operand. */
static void check_reducer(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  spi_check_reducer(ctx, program, node, "to_apply", 1);
  for (uint32_t k = 1; k < node->n_in; k++) {
    sp_dtype a = spi_in(program, node, 0)->dtype;
    if (!spi_dtype_close(a, spi_in(program, node, k)->dtype)) {
      spi_unknown(ctx, node, "reduces operands of different types");
    }
  }
}

static void all_reduce_shape(sp_ctx *ctx, const sp_program *program,
                             const sp_node *node) {
  spi_groups_check(ctx, program, node);
  check_reducer(ctx, program, node);
  spi_shape_identity(ctx, program, node);
}

static void reduce_scatter_shape(sp_ctx *ctx, const sp_program *program,
                                 const sp_node *node) {
  spi_groups_check(ctx, program, node);
  check_reducer(ctx, program, node);
  check_scaled(ctx, program, node, 1,
               spi_group_size(spi_attr_groups(node, "replica_groups")));
}

static void all_gather_shape(sp_ctx *ctx, const sp_program *program,
                             const sp_node *node) {
  spi_groups_check(ctx, program, node);
  check_scaled(ctx, program, node,
               spi_group_size(spi_attr_groups(node, "replica_groups")), 1);
}

/* The array form has `dimensions`, the tuple form an operand a member. */
static void all_to_all_shape(sp_ctx *ctx, const sp_program *program,
                             const sp_node *node) {
  spi_groups_check(ctx, program, node);
  int64_t w = spi_group_size(spi_attr_groups(node, "replica_groups"));
  if (sp_node_attr(node, "dimensions")) {
    if (node->n_in != 1) {
      spi_bad(ctx, node, "dimensions with %u operands", node->n_in);
    }
    check_scaled(ctx, program, node, w, w);
    return;
  }
  if ((int64_t)node->n_in != w) {
    spi_bad(ctx, node, "%u operands for groups of %lld", node->n_in,
            (long long)w);
  }
  spi_shape_identity(ctx, program, node);
  const sp_shape *a = spi_in(program, node, 0);
  for (uint32_t k = 1; k < node->n_in; k++) {
    spi_expect_operand(ctx, program, node, k, a->n_dims, a->dims);
  }
}

static void broadcast_shape(sp_ctx *ctx, const sp_program *program,
                            const sp_node *node) {
  spi_groups_check(ctx, program, node);
  spi_shape_identity(ctx, program, node);
}

static void permute_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  uint32_t n;
  const int64_t *pairs = spi_ints(node, "source_target_pairs", &n);
  int64_t devices = program->partitions;
  spi_shape_identity(ctx, program, node);
  if (n % 2 != 0) {
    spi_bad(ctx, node, "a source without a target");
  }
  sp_mark mark = sp_scratch_mark(ctx);
  uint8_t *seen = sp_scratch(ctx, (size_t)devices + 1);
  memset(seen, 0, (size_t)devices + 1);
  for (uint32_t i = 0; i < n; i++) {
    uint8_t side = i % 2 ? 2 : 1;
    if (pairs[i] < 0 || pairs[i] >= devices) {
      spi_bad(ctx, node, "device %lld of %lld", (long long)pairs[i],
              (long long)devices);
    }
    if (seen[pairs[i]] & side) {
      spi_bad(ctx, node, "device %lld is %s twice", (long long)pairs[i],
              i % 2 ? "target" : "source");
    }
    seen[pairs[i]] = (uint8_t)(seen[pairs[i]] | side);
  }
  sp_scratch_release(ctx, mark);
}

/* ---- elements ---- */

static sp_expr reduce_over_group(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  const sp_program *region = spi_attr_region(call->node, "to_apply");
  sp_reducer kind = sp_reducer_of(p, region);
  spi_members m = spi_members_of(call, spi_reducer_is_simple(kind));
  if (m.w == 1) {
    return sp_call_read(call, call->result, idx);
  }
  sp_expr k = sp_fresh(p, m.w);
  sp_expr body = spi_read_at(call, call->result, spi_member(&m, k), idx);
  if (spi_reducer_is_simple(kind)) {
    return spi_red(call, kind, spi_out_dtype(call), 1, &k, body);
  }
  const char *name =
      sp_format(ctx, "all-reduce:%s", spi_region_text(p, region));
  sp_expr slice = spi_lambda(p, 1, &k, body);
  return sp_fn(p, sp_dtype_sort(spi_out_dtype(call)), name, 1, &slice);
}

static sp_expr all_reduce_element(const sp_call *call, const sp_expr *idx) {
  sp_ctx *ctx = sp_pool_ctx(call->pool);
  sp_mark mark = sp_scratch_mark(ctx);
  sp_expr e = reduce_over_group(call, idx);
  sp_scratch_release(ctx, mark);
  return e;
}

static sp_expr reduce_scatter_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  sp_mark mark = sp_scratch_mark(ctx);
  int64_t dim = dimension_of(call->node);
  const sp_shape *r = sp_call_result_shape(call);
  spi_members m = spi_members_of(call, false);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  memcpy(j, idx, r->n_dims * sizeof *j);
  j[dim] = sp_iadd(p, idx[dim], sp_iscale(p, spi_position(&m), r->dims[dim]));
  sp_expr e = reduce_over_group(call, j);
  sp_scratch_release(ctx, mark);
  return e;
}

static sp_expr all_gather_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  int64_t dim = dimension_of(call->node);
  const sp_shape *a = sp_call_shape(call, call->result);
  int64_t n = a->dims[dim];
  if (n == 0) {
    return spi_zero(p, sp_dtype_sort(a->dtype));
  }
  sp_mark mark = sp_scratch_mark(ctx);
  spi_members m = spi_members_of(call, false);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  memcpy(j, idx, a->n_dims * sizeof *j);
  j[dim] = sp_imod(p, idx[dim], n);
  sp_expr from = spi_member(&m, sp_idiv(p, idx[dim], n));
  sp_expr e = spi_read_at(call, call->result, from, j);
  sp_scratch_release(ctx, mark);
  return e;
}

/* The operand number `at` out of [lo, hi], by halving: groups may be large. */
static sp_expr choose_operand(const spi_members *m, sp_expr at, uint32_t lo,
                              uint32_t hi, sp_expr from, const sp_expr *idx) {
  sp_pool *p = m->call->pool;
  if (lo == hi) {
    return spi_read_at(m->call, lo, from, idx);
  }
  uint32_t mid = hi - lo < 16 ? lo : lo + (hi - lo) / 2;
  sp_expr left = choose_operand(m, at, lo, mid, from, idx);
  sp_expr right = choose_operand(m, at, mid + 1, hi, from, idx);
  return sp_ite(p, sp_lt(p, at, sp_int(p, (int64_t)mid + 1)), left, right);
}

static sp_expr all_to_all_tuple(const spi_members *m, const sp_expr *idx) {
  sp_pool *p = m->call->pool;
  sp_expr from = spi_member(m, sp_int(p, m->call->result));
  sp_expr at = spi_position(m);
  int64_t lo, hi, last = (int64_t)m->call->node->n_in - 1;
  sp_range(p, at, &lo, &hi);
  lo = lo < 0 ? 0 : lo > last ? last : lo;
  hi = hi > last ? last : hi < lo ? lo : hi;
  return choose_operand(m, at, (uint32_t)lo, (uint32_t)hi, from, idx);
}

static sp_expr all_to_all_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  sp_mark mark = sp_scratch_mark(ctx);
  spi_members m = spi_members_of(call, false);
  sp_expr e;
  if (!sp_node_attr(call->node, "dimensions")) {
    e = all_to_all_tuple(&m, idx);
  } else {
    int64_t dim = dimension_of(call->node);
    const sp_shape *a = sp_call_shape(call, 0);
    int64_t n = a->dims[dim] / m.w;
    if (n == 0) {
      e = spi_zero(p, sp_dtype_sort(a->dtype));
    } else {
      sp_expr j[SP_MAX_DIMS] = {{0}};
      memcpy(j, idx, a->n_dims * sizeof *j);
      j[dim] = sp_iadd(p, sp_iscale(p, spi_position(&m), n),
                       sp_imod(p, idx[dim], n));
      e = spi_read_at(call, 0, spi_member(&m, sp_idiv(p, idx[dim], n)), j);
    }
  }
  sp_scratch_release(ctx, mark);
  return e;
}

static sp_expr broadcast_element(const sp_call *call, const sp_expr *idx) {
  sp_ctx *ctx = sp_pool_ctx(call->pool);
  sp_mark mark = sp_scratch_mark(ctx);
  spi_members m = spi_members_of(call, false);
  sp_expr from = spi_member(&m, sp_int(call->pool, 0));
  sp_expr e = spi_read_at(call, call->result, from, idx);
  sp_scratch_release(ctx, mark);
  return e;
}

/* ---- collective-permute ---- */

typedef struct sources {
  int64_t n;
  int64_t *of; /* by rank; -1: none */
} sources;

/* A term that is the source of every rank that has one. */
static sp_expr source_term(sp_pool *p, const sources *s, sp_expr rank) {
  int64_t first = -1, shift = 0;
  bool same = true;
  int64_t *v = sp_scratch(sp_pool_ctx(p), (size_t)s->n * sizeof *v);
  for (int64_t r = 0; r < s->n; r++) {
    v[r] = s->of[r] < 0 ? r : s->of[r];
    if (s->of[r] >= 0) {
      if (first < 0) {
        first = r;
        shift = s->of[r] - r;
      }
      same = same && s->of[r] - r == shift;
    }
  }
  return same ? sp_iaddc(p, rank, shift) : spi_rank_table(p, v, s->n, rank);
}

/* Has this rank a source? */
static sp_expr has_source(sp_pool *p, const sources *s, sp_expr rank) {
  int64_t lo = s->n, hi = -1, count = 0;
  int64_t *v = sp_scratch(sp_pool_ctx(p), (size_t)s->n * sizeof *v);
  for (int64_t r = 0; r < s->n; r++) {
    v[r] = s->of[r] >= 0;
    if (v[r]) {
      lo = r < lo ? r : lo;
      hi = r;
      count++;
    }
  }
  if (count == 0 || count == s->n) {
    return sp_bool(p, count > 0);
  }
  if (hi - lo + 1 == count) {
    return sp_and(p, sp_le(p, sp_int(p, lo), rank),
                  sp_le(p, rank, sp_int(p, hi)));
  }
  return sp_eq(p, spi_rank_table(p, v, s->n, rank), sp_int(p, 1));
}

static sp_expr permute_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  sp_mark mark = sp_scratch_mark(ctx);
  uint32_t n;
  const int64_t *pairs = spi_ints(call->node, "source_target_pairs", &n);
  sources s = {.n = call->program->partitions};
  sp_expr rank = spi_rank(call);
  s.of = sp_scratch(ctx, (size_t)s.n * sizeof *s.of);
  for (int64_t r = 0; r < s.n; r++) {
    s.of[r] = -1;
  }
  for (uint32_t i = 0; i + 1 < n; i += 2) {
    s.of[pairs[i + 1]] = pairs[i];
  }
  sp_expr some = has_source(p, &s, rank);
  sp_expr e = spi_zero(p, sp_dtype_sort(spi_out_dtype(call)));
  if (!sp_is_false(p, some)) {
    sp_expr from = source_term(p, &s, rank);
    e = sp_ite(p, some, spi_read_at(call, call->result, from, idx), e);
  }
  sp_scratch_release(ctx, mark);
  return e;
}

/* ---- rows ---- */

/* Which devices the ids mean was settled by the reader; the channel's number,
 * layouts and notes of the backend do not change the result. */
#define COMMON                                                                 \
  {"channel_id", SP_ATTR_INT, false, true},                                    \
      {"use_global_device_ids", SP_ATTR_INT, false, true},                     \
      {"constrain_layout", SP_ATTR_INT, false, true}, {                        \
    "backend_config", SP_ATTR_TEXT, false, true                                \
  }

static const sp_op_attr all_reduce_attrs[] = {
    {"replica_groups", SP_ATTR_GROUPS, true, false},
    {"to_apply", SP_ATTR_REGION, true, false},
    COMMON,
    {0},
};
static const sp_op_attr reduce_scatter_attrs[] = {
    {"replica_groups", SP_ATTR_GROUPS, true, false},
    {"to_apply", SP_ATTR_REGION, true, false},
    {"dimensions", SP_ATTR_INTS, true, false},
    COMMON,
    {0},
};
static const sp_op_attr all_gather_attrs[] = {
    {"replica_groups", SP_ATTR_GROUPS, true, false},
    {"dimensions", SP_ATTR_INTS, true, false},
    COMMON,
    {0},
};
static const sp_op_attr all_to_all_attrs[] = {
    {"replica_groups", SP_ATTR_GROUPS, true, false},
    {"dimensions", SP_ATTR_INTS, false, false},
    COMMON,
    {0},
};
static const sp_op_attr broadcast_attrs[] = {
    {"replica_groups", SP_ATTR_GROUPS, true, false},
    COMMON,
    {0},
};
static const sp_op_attr permute_attrs[] = {
    {"source_target_pairs", SP_ATTR_INTS, true, false},
    COMMON,
    {0},
};

#define ROW(id, opcode, text)                                                  \
  static const char *const id##_spellings[] = {"hlo:" opcode, NULL};           \
  static const sp_op id##_row = {                                              \
      .name = opcode,                                                          \
      .spellings = id##_spellings,                                             \
      .attrs = id##_attrs,                                                     \
      .min_operands = 1,                                                       \
      .max_operands = UINT32_MAX,                                              \
      .shape = id##_shape,                                                     \
      .element = id##_element,                                                 \
      .meaning = text,                                                         \
  };

ROW(all_reduce, "all-reduce",
    "out(r)[i] = combination of a(p)[i] over the ranks p of r's group")
ROW(reduce_scatter, "reduce-scatter",
    "out(r)[i] = combination of a(p)[i + position(r) * n] over r's group")
ROW(all_gather, "all-gather", "out(r)[i] = a(member i / n)[i mod n]")
ROW(all_to_all, "all-to-all",
    "out(r)[i] = a(member i / n)[position(r) * n + i mod n]")
ROW(broadcast, "collective-broadcast", "out(r)[i] = a(first of the group)[i]")
ROW(permute, "collective-permute",
    "out(r)[i] = a(source of r)[i], zero where r has no source")

extern const sp_op *const sp_ops_collectives[];
const sp_op *const sp_ops_collectives[] = {
    &all_reduce_row,
    &reduce_scatter_row,
    &all_gather_row,
    &all_to_all_row,
    &broadcast_row,
    &permute_row,
    NULL,
};
