/* merge_collective.c: a collective among ranks whose tensors are all there is
 * an ordinary operator. Read spi_merge_collective: a table says which of the
 * few kinds a call is, and each kind puts the members' operands together. */
#include "shard-specs/merge_i.h"

#include "encode/aten_util.h"
#include "encode/meaning.h"

#include <string.h>

typedef enum kind {
  KIND_NONE,
  KIND_REDUCE,
  KIND_GATHER,      /* joined along a dimension */
  KIND_LIST_GATHER, /* one result for each member */
  KIND_SCATTER,     /* reduced, and cut along a dimension */
  KIND_EXCHANGE,    /* all to all, along dimension 0 */
  KIND_BROADCAST,
} kind;

static const struct {
  const char *op; /* without the overload */
  kind kind;
} rows[] = {
    {"_c10d_functional.all_reduce", KIND_REDUCE},
    {"_c10d_functional.all_reduce_coalesced", KIND_REDUCE},
    {"_c10d_functional_autograd.all_reduce", KIND_REDUCE},
    {"vllm.all_reduce", KIND_REDUCE},
    {"c10d.allreduce_", KIND_REDUCE},
    {"_c10d_functional.all_gather_into_tensor", KIND_GATHER},
    {"_c10d_functional.all_gather_into_tensor_coalesced", KIND_GATHER},
    {"_c10d_functional_autograd.all_gather_into_tensor", KIND_GATHER},
    {"vllm.all_gather", KIND_GATHER},
    {"c10d._allgather_base_", KIND_GATHER},
    {"c10d.allgather_", KIND_LIST_GATHER},
    {"_c10d_functional.reduce_scatter_tensor", KIND_SCATTER},
    {"_c10d_functional.reduce_scatter_tensor_coalesced", KIND_SCATTER},
    {"_c10d_functional_autograd.reduce_scatter_tensor", KIND_SCATTER},
    {"vllm.reduce_scatter", KIND_SCATTER},
    {"c10d._reduce_scatter_base_", KIND_SCATTER},
    {"_c10d_functional.all_to_all_single", KIND_EXCHANGE},
    {"_c10d_functional_autograd.all_to_all_single", KIND_EXCHANGE},
    {"c10d.alltoall_base_", KIND_EXCHANGE},
    {"_c10d_functional.broadcast", KIND_BROADCAST},
    {"c10d.broadcast_", KIND_BROADCAST},
};

static kind kind_of(const sp_node *node) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t n = strlen(rows[i].op);
    if (strncmp(node->op, rows[i].op, n) == 0 &&
        (node->op[n] == '\0' || node->op[n] == '.')) {
      return rows[i].kind;
    }
  }
  return KIND_NONE;
}

bool spi_merge_is_collective(const sp_node *node) {
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    if (sp_roll_names_group(node, &node->attrs[i])) {
      return true;
    }
  }
  return kind_of(node) != KIND_NONE;
}

/* Nothing that the call says may go unread. */
static void check_arguments(const spi_merging *m, const spi_meeting *x) {
  for (uint32_t k = 0; k < x->members.n; k++) {
    const sp_node *node = x->calls[k];
    const sp_op *op = sp_op_find(node->op);
    if (!op || kind_of(node) == KIND_NONE) {
      sp_raise(m->ctx, SP_ERR_UNKNOWN, node->pos.dump, NULL,
               "%s (%s) has no meaning where the programs of the ranks differ",
               node->name, node->op);
    }
    spi_args_check(m->ctx, m->programs[x->members.ids[k]], op, node);
    if (strstr(op->params, "group_size") &&
        spi_arg_int(m->ctx, node, "group_size") != x->members.n) {
      sp_raise(m->ctx, SP_ERR_INPUT, node->pos.dump,
               "correct `groups` of the spec",
               "%s (%s): its group has %u ranks in the spec", node->name,
               node->op, x->members.n);
    }
  }
}

/* ---- operands ---- */

static noreturn void misfit(const spi_merging *m, const spi_meeting *x,
                            uint32_t k, const char *text) {
  sp_raise(m->ctx, SP_ERR_INPUT, x->calls[k]->pos.dump,
           "all ranks of a group call the same collectives in the same order",
           "rank %lld, %s (%s): %s", (long long)x->members.ids[k],
           x->calls[k]->name, x->calls[k]->op, text);
}

/* The tensor of member k in the merged program that result r is made of. */
static uint32_t operand(const spi_merging *m, const spi_meeting *x, uint32_t k,
                        uint32_t r) {
  const sp_node *node = x->calls[k];
  int64_t at = spi_arg_operand(node, "self");
  if (at < 0) {
    uint32_t n = 0;
    bool inputs = kind_of(node) == KIND_LIST_GATHER;
    const int64_t *list =
        spi_arg_operands(node, inputs ? "inputs" : "self", &n);
    uint32_t of = inputs ? 0 : r;
    at = list && of < n ? list[of] : -1;
  }
  if (at < 0) {
    misfit(m, x, k, "it has no operand");
  }
  return m->to[x->members.ids[k]][node->in[at]];
}

static const uint32_t *operands(const spi_merging *m, const spi_meeting *x,
                                uint32_t r) {
  uint32_t *v = sp_alloc_n(m->ctx, x->members.n, sizeof *v);
  for (uint32_t k = 0; k < x->members.n; k++) {
    v[k] = operand(m, x, k, r);
  }
  return v;
}

static const sp_shape *shape_of(const spi_merging *m, uint32_t tensor) {
  return &m->tensors.v[tensor].shape;
}

static uint32_t dim_of(const spi_merging *m, const spi_meeting *x, uint32_t k,
                       uint32_t tensor) {
  const sp_node *node = x->calls[k];
  uint32_t n = shape_of(m, tensor)->n_dims;
  if (strncmp(node->op, "vllm.", 5) != 0) {
    if (n == 0) {
      misfit(m, x, k, "a scalar has no rows");
    }
    return 0;
  }
  return spi_arg_dim(m->ctx, node, "dim", n);
}

/* That of all members: each makes its result by its own. */
static uint32_t common_dim(const spi_merging *m, const spi_meeting *x,
                           const uint32_t *in) {
  uint32_t dim = dim_of(m, x, 0, in[0]);
  for (uint32_t k = 1; k < x->members.n; k++) {
    uint32_t other = dim_of(m, x, k, in[k]);
    if (other != dim) {
      misfit(m, x, k,
             sp_format(m->ctx, "it is along dimension %u, that of rank %lld %u",
                       other, (long long)x->members.ids[0], dim));
    }
  }
  return dim;
}

/* ---- operators that stand for it ---- */

static const sp_attr *attrs(const spi_merging *m, uint32_t n,
                            const sp_attr *v) {
  sp_attr *out = sp_alloc_n(m->ctx, n, sizeof *out);
  memcpy(out, v, n * sizeof *out);
  return out;
}

static uint32_t formula(spi_merging *m, int64_t rank, const sp_node *like,
                        const char *text, uint32_t n, const uint32_t *in) {
  const sp_lang_text whole = {text, strlen(text), "collective", 1, 1, 1};
  sp_attr *a = sp_alloc_n(m->ctx, n + 1u, sizeof *a);
  a[0] = (sp_attr){.name = sp_intern(m->ctx, "=meaning", 8),
                   .kind = SP_ATTR_MEANING,
                   .u.meaning = sp_meaning_read(m->ctx, like->op, &whole)};
  for (uint32_t i = 0; i < n; i++) {
    a[i + 1] = (sp_attr){
        .name = sp_format(m->ctx, "x%u", i), .kind = SP_ATTR_OPERAND, .u.i = i};
  }
  const sp_node node = {
      .op = SP_MEANING_OP, .n_in = n, .in = in, .n_attrs = n + 1, .attrs = a};
  return spi_merge_add(m, rank, like, &node, shape_of(m, in[0]));
}

/* "(x0[*i] + x1[*i])"; a tree, as nesting is limited. */
static const char *combined(const spi_merging *m, const char *op, uint32_t from,
                            uint32_t to) {
  if (to == from + 1) {
    return sp_format(m->ctx, "x%u[*i]", from);
  }
  uint32_t mid = from + (to - from) / 2;
  const char *a = combined(m, op, from, mid), *b = combined(m, op, mid, to);
  return op[1] == '\0' ? sp_format(m->ctx, "(%s %s %s)", a, op, b)
                       : sp_format(m->ctx, "%s(%s, %s)", op, a, b);
}

static uint32_t reduced(spi_merging *m, const spi_meeting *x, uint32_t r) {
  static const struct {
    const char *name, *op;
  } ops[] = {{"sum", "+"},
             {"avg", "+"},
             {"max", "max"},
             {"min", "min"},
             {"product", "*"}};
  const sp_node *first = x->calls[0];
  const char *name = spi_arg_text(first, "reduce_op"), *op = NULL;
  name = name ? name : "sum"; /* rows without the parameter add */
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    op = strcmp(ops[i].name, name) == 0 ? ops[i].op : op;
  }
  for (uint32_t k = 1; k < x->members.n; k++) {
    const char *other = spi_arg_text(x->calls[k], "reduce_op");
    if (strcmp(other ? other : "sum", name) != 0) {
      misfit(m, x, k, sp_format(m->ctx, "another reduction than %.40s", name));
    }
  }
  const uint32_t *in = operands(m, x, r);
  sp_dtype type = shape_of(m, in[0])->dtype;
  bool average = strcmp(name, "avg") == 0;
  if (!op || type == SP_PRED || (average && !sp_dtype_is_float(type))) {
    sp_raise(m->ctx, SP_ERR_UNKNOWN, first->pos.dump, NULL,
             "%s (%s): reduces %s by %.40s", first->name, first->op,
             sp_dtype_name(type), name);
  }
  sp_str text = {0};
  for (uint32_t i = 0; i < x->members.n; i++) {
    sp_str_addf(m->ctx, &text, "%sx%u[*B]", i ? ", " : "(", i);
  }
  sp_str_addf(m->ctx, &text, ") -> y[*B]\ny[*i] = %s",
              combined(m, op, 0, x->members.n));
  if (average) {
    sp_str_addf(m->ctx, &text, " / %u", x->members.n);
  }
  return formula(m, x->members.ids[0], first, text.v, x->members.n, in);
}

static uint32_t joined(spi_merging *m, int64_t rank, const sp_node *like,
                       uint32_t n, const uint32_t *in, uint32_t dim) {
  sp_shape shape = *shape_of(m, in[0]);
  int64_t *dims = sp_alloc_n(m->ctx, shape.n_dims, sizeof *dims);
  int64_t *at = sp_alloc_n(m->ctx, n, sizeof *at);
  memcpy(dims, shape.dims, shape.n_dims * sizeof *dims);
  for (uint32_t i = 0; i < n; i++) {
    at[i] = i;
    dims[dim] += i ? shape_of(m, in[i])->dims[dim] : 0;
  }
  shape.dims = dims;
  const sp_attr a[] = {
      {.name = "arg0", .kind = SP_ATTR_OPERANDS, .u.ints = at, .n = n},
      {.name = "arg1", .kind = SP_ATTR_INT, .u.i = dim}};
  const sp_node node = {.op = "aten.cat.default",
                        .n_in = n,
                        .in = in,
                        .n_attrs = 2,
                        .attrs = attrs(m, 2, a)};
  return spi_merge_add(m, rank, like, &node, &shape);
}

static uint32_t slice(spi_merging *m, int64_t rank, const sp_node *like,
                      uint32_t of, uint32_t dim, int64_t from, int64_t size) {
  sp_shape shape = *shape_of(m, of);
  int64_t *dims = sp_alloc_n(m->ctx, shape.n_dims, sizeof *dims);
  memcpy(dims, shape.dims, shape.n_dims * sizeof *dims);
  dims[dim] = size;
  shape.dims = dims;
  uint32_t *in = sp_alloc(m->ctx, sizeof *in);
  *in = of;
  const sp_attr a[] = {
      {.name = "arg0", .kind = SP_ATTR_OPERAND, .u.i = 0},
      {.name = "arg1", .kind = SP_ATTR_INT, .u.i = dim},
      {.name = "arg2", .kind = SP_ATTR_INT, .u.i = from},
      {.name = "arg3", .kind = SP_ATTR_INT, .u.i = from + size}};
  const sp_node node = {.op = "aten.slice.Tensor",
                        .n_in = 1,
                        .in = in,
                        .n_attrs = 4,
                        .attrs = attrs(m, 4, a)};
  return spi_merge_add(m, rank, like, &node, &shape);
}

/* ---- kinds ---- */

static void set(spi_merging *m, const spi_meeting *x, uint32_t k, uint32_t r,
                uint32_t tensor) {
  const sp_node *node = x->calls[k];
  int64_t rank = x->members.ids[k];
  const sp_shape *want = &m->programs[rank]->tensors[node->out + r].shape;
  const sp_shape *got = shape_of(m, tensor);
  bool fits = want->dtype == SP_DTYPE_INVALID || want->n_dims == got->n_dims;
  for (uint32_t d = 0;
       want->dtype != SP_DTYPE_INVALID && fits && d < want->n_dims; d++) {
    fits = want->dims[d] == got->dims[d];
  }
  if (!fits) {
    misfit(m, x, k,
           sp_format(m->ctx, "its result is %s, but the ranks' parts make %s",
                     sp_shape_text(m->ctx, want), sp_shape_text(m->ctx, got)));
  }
  m->to[rank][node->out + r] = tensor;
}

static void set_all(spi_merging *m, const spi_meeting *x, uint32_t r,
                    uint32_t tensor) {
  for (uint32_t k = 0; k < x->members.n; k++) {
    set(m, x, k, r, tensor);
  }
}

static void same_rest(const spi_merging *m, const spi_meeting *x,
                      const uint32_t *in, int64_t but) {
  const sp_shape *a = shape_of(m, in[0]);
  for (uint32_t k = 1; k < x->members.n; k++) {
    const sp_shape *b = shape_of(m, in[k]);
    bool same = a->n_dims == b->n_dims && a->dtype == b->dtype;
    for (uint32_t d = 0; same && d < a->n_dims; d++) {
      same = d == but || a->dims[d] == b->dims[d];
    }
    if (!same) {
      misfit(m, x, k,
             sp_format(m->ctx, "its operand is %s, that of rank %lld %s",
                       sp_shape_text(m->ctx, b), (long long)x->members.ids[0],
                       sp_shape_text(m->ctx, a)));
    }
  }
}

static void gather(spi_merging *m, const spi_meeting *x, uint32_t r) {
  const uint32_t *in = operands(m, x, r);
  uint32_t dim = common_dim(m, x, in);
  same_rest(m, x, in, -1); /* each rank counts with parts like its own */
  set_all(m, x, r,
          joined(m, x->members.ids[0], x->calls[0], x->members.n, in, dim));
}

static void scatter(spi_merging *m, const spi_meeting *x, uint32_t r) {
  const uint32_t *in = operands(m, x, r);
  uint32_t dim = common_dim(m, x, in), n = x->members.n;
  same_rest(m, x, in, -1);
  int64_t rows_all = shape_of(m, in[0])->dims[dim];
  if (rows_all % n != 0) {
    misfit(m, x, 0,
           sp_format(m->ctx, "%lld rows for %u ranks", (long long)rows_all, n));
  }
  uint32_t all = reduced(m, x, r);
  for (uint32_t k = 0; k < n; k++) {
    int64_t size = rows_all / n;
    set(m, x, k, r,
        slice(m, x->members.ids[k], x->calls[k], all, dim, k * size, size));
  }
}

/* How many rows member k sends to each member. */
static const int64_t *splits(const spi_merging *m, const spi_meeting *x,
                             uint32_t k, const char *name, int64_t total) {
  uint32_t n = 0, members = x->members.n;
  const int64_t *v = spi_arg_ints(m->ctx, x->calls[k], name, &n);
  int64_t *equal = sp_alloc_n(m->ctx, members, sizeof *equal);
  int64_t sum = 0;
  if (v && n > 0) {
    for (uint32_t i = 0; i < n; i++) {
      sum = v[i] >= 0 && v[i] <= total ? sum + v[i] : total + 1;
    }
    if (n != members || sum != total) {
      misfit(m, x, k, sp_format(m->ctx, "%s does not fit", name));
    }
    return v;
  }
  if (total % members != 0) {
    misfit(
        m, x, k,
        sp_format(m->ctx, "%lld rows for %u ranks", (long long)total, members));
  }
  for (uint32_t i = 0; i < members; i++) {
    equal[i] = total / members;
  }
  return equal;
}

static void exchange(spi_merging *m, const spi_meeting *x, uint32_t r) {
  const uint32_t *in = operands(m, x, r);
  uint32_t n = x->members.n;
  dim_of(m, x, 0, in[0]);
  same_rest(m, x, in, 0);
  const int64_t **sent = sp_alloc_n(m->ctx, n, sizeof *sent);
  for (uint32_t k = 0; k < n; k++) {
    sent[k] = splits(m, x, k, "input_split_sizes", shape_of(m, in[k])->dims[0]);
  }
  for (uint32_t k = 0; k < n; k++) {
    uint32_t *parts = sp_alloc_n(m->ctx, n, sizeof *parts);
    int64_t rows_here = 0;
    for (uint32_t q = 0; q < n; q++) {
      int64_t from = 0;
      for (uint32_t i = 0; i < k; i++) {
        from += sent[q][i];
      }
      parts[q] =
          slice(m, x->members.ids[k], x->calls[k], in[q], 0, from, sent[q][k]);
      rows_here += sent[q][k];
    }
    const int64_t *got = splits(m, x, k, "output_split_sizes", rows_here);
    for (uint32_t q = 0; q < n; q++) {
      if (got[q] != sent[q][k]) {
        misfit(m, x, k,
               sp_format(m->ctx,
                         "it takes %lld rows of rank %lld, which sends "
                         "%lld",
                         (long long)got[q], (long long)x->members.ids[q],
                         (long long)sent[q][k]));
      }
    }
    set(m, x, k, r, joined(m, x->members.ids[k], x->calls[k], n, parts, 0));
  }
}

static void broadcast(spi_merging *m, const spi_meeting *x, uint32_t r) {
  int64_t src = spi_arg_int(m->ctx, x->calls[0], "src");
  for (uint32_t k = 0; k < x->members.n; k++) {
    if (src < 0 || src >= x->members.n ||
        spi_arg_int(m->ctx, x->calls[k], "src") != src) {
      misfit(m, x, k, "the source is no rank of the group, or another one");
    }
  }
  set_all(m, x, r, operand(m, x, (uint32_t)src, r));
}

void spi_merge_collective(spi_merging *m, const spi_meeting *x) {
  const sp_node *first = x->calls[0];
  kind what = kind_of(first);
  check_arguments(m, x);
  for (uint32_t k = 1; k < x->members.n; k++) {
    if (kind_of(x->calls[k]) != what || x->calls[k]->n_out != first->n_out) {
      misfit(m, x, k,
             sp_format(m->ctx, "rank %lld calls %s (%s) there",
                       (long long)x->members.ids[0], first->name, first->op));
    }
  }
  for (uint32_t r = 0; r < first->n_out; r++) {
    switch (what) {
    case KIND_NONE: /* refused before */
      break;
    case KIND_REDUCE:
      same_rest(m, x, operands(m, x, r), -1);
      set_all(m, x, r, reduced(m, x, r));
      break;
    case KIND_GATHER:
      gather(m, x, r);
      break;
    case KIND_LIST_GATHER:
      if (r >= x->members.n) {
        misfit(m, x, 0, "more results than ranks");
      }
      set_all(m, x, r, operand(m, x, r, 0));
      break;
    case KIND_SCATTER:
      scatter(m, x, r);
      break;
    case KIND_EXCHANGE:
      exchange(m, x, r);
      break;
    case KIND_BROADCAST:
      broadcast(m, x, r);
      break;
    }
  }
}
