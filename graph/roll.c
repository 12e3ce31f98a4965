/* roll.c: node by node, attribute by attribute, over all ranks. First what a
 * difference becomes, then process groups, then the
 * walk over the programs (sp_roll, at the end). */
#include "graph/roll_i.h"

#include "base/vec.h"
#include "graph/hlo_names.h"
#include "graph/same.h"

#include <string.h>

/* The groups of one name, by rank; -1: in none. */
typedef struct group_index {
  const sp_groups *groups;
  const int64_t *of_rank;
} group_index;

/* What a list of names by rank was resolved to. */
typedef struct resolved {
  const char *const *names;
  const sp_groups *groups;
} resolved;

typedef struct roll {
  sp_ctx *ctx;
  uint32_t n;
  const sp_program *const *programs;
  size_t n_groups;
  const sp_named_group *groups;
  hlo_names by_name; /* -> index in `index` */
  SP_VEC(group_index) index;
  SP_VEC(resolved) cache;
  const char *why;
} roll;

/* Says why, once, and is false. */
static bool differ(roll *r, uint32_t rank, const sp_node *a, const sp_node *b,
                   const char *what) {
  if (!r->why) {
    sp_loc x = a->pos.dump, y = b->pos.dump;
    r->why =
        sp_format(r->ctx, "ranks 0 and %u differ: %s:%u, %s, and %s:%u, %s: %s",
                  rank, x.file ? x.file : "?", x.line, a->op,
                  y.file ? y.file : "?", y.line, b->op, what);
  }
  return false;
}

/* --- numbers that differ --- */

static const sp_attr *attr_at(const roll *r, uint32_t rank, uint32_t node,
                              uint32_t attr) {
  return &r->programs[rank]->nodes[node].attrs[attr];
}

/* Kind, name and length agree on all ranks. */
static sp_attr rank_numbers(roll *r, uint32_t node, uint32_t at) {
  sp_attr a = *attr_at(r, 0, node, at);
  if (a.kind == SP_ATTR_FLOAT) {
    double *v = sp_alloc_n(r->ctx, r->n, sizeof *v);
    for (uint32_t k = 0; k < r->n; k++) {
      v[k] = attr_at(r, k, node, at)->u.f;
    }
    a.kind = SP_ATTR_RANKED_FLOAT;
    a.u.floats = v;
    a.n = r->n;
    return a;
  }
  bool one = a.kind == SP_ATTR_INT;
  size_t length = one ? 1 : a.n;
  int64_t *v = sp_alloc_n(r->ctx, r->n * length, sizeof *v);
  for (uint32_t k = 0; k < r->n; k++) {
    const sp_attr *b = attr_at(r, k, node, at);
    memcpy(v + k * length, one ? &b->u.i : b->u.ints, length * sizeof *v);
  }
  a.kind = one ? SP_ATTR_RANKED_INT : SP_ATTR_RANKED_INTS;
  a.u.ints = v;
  a.n = r->n * length;
  return a;
}

/* --- process groups --- */

typedef struct group_row {
  const char *op;
  const char *attr;
} group_row;

/* Where the group's name stands, by the schemas of _c10d_functional,
 * _c10d_functional_autograd, c10d, _dtensor and vllm. The keyword is
 * "group_name" or "process_group". */
static const group_row group_rows[] = {
    {"_c10d_functional.all_reduce", "arg2"},
    {"_c10d_functional.all_reduce_coalesced", "arg2"},
    {"_c10d_functional.all_gather_into_tensor", "arg2"},
    {"_c10d_functional.all_gather_into_tensor_coalesced", "arg2"},
    {"_c10d_functional.reduce_scatter_tensor", "arg3"},
    {"_c10d_functional.reduce_scatter_tensor_coalesced", "arg3"},
    {"_c10d_functional.all_to_all_single", "arg3"},
    {"_c10d_functional.broadcast", "arg2"},
    {"_c10d_functional_autograd.all_reduce", "arg2"},
    {"_c10d_functional_autograd.all_gather_into_tensor", "arg2"},
    {"_c10d_functional_autograd.reduce_scatter_tensor", "arg3"},
    {"_c10d_functional_autograd.all_to_all_single", "arg3"},
    {"_dtensor.shard_dim_alltoall", "arg3"},
    {"c10d.allreduce_", "arg1"},
    {"c10d.allreduce_coalesced_", "arg1"},
    {"c10d.broadcast_", "arg1"},
    {"c10d.reduce_", "arg1"},
    {"c10d.send", "arg1"},
    {"c10d.recv_", "arg1"},
    {"c10d.recv_any_source_", "arg1"},
    {"c10d.allgather_", "arg2"},
    {"c10d._allgather_base_", "arg2"},
    {"c10d.allgather_coalesced_", "arg2"},
    {"c10d.allgather_into_tensor_coalesced_", "arg2"},
    {"c10d.reduce_scatter_", "arg2"},
    {"c10d._reduce_scatter_base_", "arg2"},
    {"c10d.reduce_scatter_tensor_coalesced_", "arg2"},
    {"c10d.alltoall_", "arg2"},
    {"c10d.alltoall_base_", "arg2"},
    {"c10d.gather_", "arg2"},
    {"c10d.scatter_", "arg2"},
    {"vllm.all_reduce", "arg1"},
    {"vllm.all_gather", "arg3"},
    {"vllm.reduce_scatter", "arg3"},
};

/* "ns.base.overload" is row "ns.base". */
static bool op_is(const char *op, const char *row) {
  size_t n = strlen(row);
  return strncmp(op, row, n) == 0 && (op[n] == '\0' || op[n] == '.');
}

bool sp_roll_names_group(const sp_node *node, const sp_attr *attr) {
  if (attr->kind != SP_ATTR_TEXT) {
    return false;
  }
  for (size_t i = 0; i < sizeof group_rows / sizeof *group_rows; i++) {
    if (op_is(node->op, group_rows[i].op)) {
      return strcmp(attr->name, group_rows[i].attr) == 0 ||
             strcmp(attr->name, "group_name") == 0 ||
             strcmp(attr->name, "process_group") == 0;
    }
  }
  return false;
}

bool sp_roll_uses_group(const sp_program *p, const char *name) {
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_node *node = &p->nodes[i];
    for (uint32_t k = 0; k < node->n_attrs; k++) {
      if (sp_roll_names_group(node, &node->attrs[k]) &&
          strcmp(node->attrs[k].u.text, name) == 0) {
        return true;
      }
    }
  }
  return false;
}

static noreturn void group_fail(roll *r, uint32_t rank, const sp_node *node,
                                const char *hint, const char *text) {
  sp_raise(r->ctx, SP_ERR_INPUT, node->pos.dump, hint, "rank %u, %s: %s", rank,
           node->op, text);
}

/* The entry of a name, indexed by rank. */
static const group_index *group_find(roll *r, const char *name, uint32_t rank,
                                     const sp_node *node) {
  const char *key = sp_intern(r->ctx, name, strlen(name));
  uint32_t at = hlo_names_find(&r->by_name, key);
  if (at != HLO_NO_NAME) {
    return &r->index.v[at];
  }
  const sp_groups *groups = NULL;
  for (size_t i = 0; i < r->n_groups && !groups; i++) {
    groups = strcmp(r->groups[i].name, name) == 0 ? r->groups[i].groups : NULL;
  }
  if (!groups) {
    group_fail(
        r, rank, node, "say which ranks it holds in `groups` of the spec",
        sp_format(r->ctx, "the process group '%.80s' is not known", name));
  }
  int64_t *of_rank = sp_alloc_n(r->ctx, r->n, sizeof *of_rank);
  for (uint32_t k = 0; k < r->n; k++) {
    of_rank[k] = -1;
  }
  for (uint32_t g = 0; g < groups->n_groups; g++) {
    for (uint32_t k = groups->start[g]; k < groups->start[g + 1]; k++) {
      int64_t id = groups->ids[k];
      if (id < 0 || id >= r->n || of_rank[id] >= 0) {
        group_fail(
            r, rank, node, NULL,
            sp_format(r->ctx, "the process group '%.80s' lists rank %lld %s",
                      name, (long long)id,
                      id < 0 || id >= r->n ? "of a smaller mesh" : "twice"));
      }
      of_rank[id] = g;
    }
  }
  group_index entry = {groups, of_rank};
  hlo_names_add(r->ctx, &r->by_name, key, (uint32_t)r->index.n);
  sp_push(r->ctx, &r->index, entry);
  return &r->index.v[r->index.n - 1];
}

/* A group of ranks, in order. */
typedef struct members {
  const int64_t *ids;
  uint32_t n;
} members;

static members members_of(roll *r, const char *name, uint32_t rank,
                          const sp_node *node) {
  const group_index *x = group_find(r, name, rank, node);
  int64_t g = x->of_rank[rank];
  if (g < 0) {
    group_fail(r, rank, node, "correct `groups` of the spec",
               sp_format(r->ctx,
                         "the process group '%.80s' does not hold the rank",
                         name));
  }
  uint32_t start = x->groups->start[g];
  return (members){x->groups->ids + start, x->groups->start[g + 1] - start};
}

static bool members_equal(members a, members b) {
  return a.n == b.n && memcmp(a.ids, b.ids, a.n * sizeof *a.ids) == 0;
}

/* Two groups of the same ranks do not meet each other. */
static void check_names(roll *r, uint32_t node, uint32_t k, uint32_t first,
                        const char *const *names) {
  if (names[k] != names[first] &&
      (sp_roll_uses_group(r->programs[k], names[first]) ||
       sp_roll_uses_group(r->programs[first], names[k]))) {
    group_fail(r, k, &r->programs[k]->nodes[node],
               "calls of one process group meet",
               sp_format(r->ctx,
                         "the process group is '%.80s', and '%.80s' on rank "
                         "%u; one of them knows both",
                         names[k], names[first], first));
  }
}

/* Every rank's group, each once; all of its ranks must have that group. */
static const sp_groups *groups_join(roll *r, uint32_t node,
                                    const char *const *names) {
  members *of = sp_alloc_n(r->ctx, r->n, sizeof *of);
  for (uint32_t k = 0; k < r->n; k++) {
    of[k] = members_of(r, names[k], k, &r->programs[k]->nodes[node]);
  }
  SP_VEC(uint32_t) start = {0};
  SP_VEC(int64_t) ids = {0};
  for (uint32_t k = 0; k < r->n; k++) {
    uint32_t first = (uint32_t)of[k].ids[0];
    if (!members_equal(of[k], of[first])) {
      group_fail(r, k, &r->programs[k]->nodes[node],
                 "correct `groups` of the spec",
                 sp_format(r->ctx,
                           "the process group '%.80s' and '%.80s' of rank %u "
                           "hold different ranks",
                           names[k], names[first], first));
    }
    if (first != k) {
      check_names(r, node, k, first, names);
      continue;
    }
    sp_push(r->ctx, &start, (uint32_t)ids.n);
    for (uint32_t i = 0; i < of[k].n; i++) {
      int64_t id = of[k].ids[i];
      if (of[id].ids[0] != k) {
        group_fail(r, (uint32_t)id, &r->programs[id]->nodes[node],
                   "correct `groups` of the spec",
                   sp_format(r->ctx,
                             "the rank is in the process group '%.80s' of rank "
                             "%u, and not in its own '%.80s'",
                             names[k], k, names[id]));
      }
      sp_push(r->ctx, &ids, id);
    }
  }
  sp_groups *g = sp_alloc(r->ctx, sizeof *g);
  g->n_groups = (uint32_t)start.n;
  sp_push(r->ctx, &start, (uint32_t)ids.n);
  g->start = start.v;
  g->ids = ids.v;
  return g;
}

static sp_attr rank_groups(roll *r, uint32_t node, uint32_t at) {
  const char **names = sp_alloc_n(r->ctx, r->n, sizeof *names);
  for (uint32_t k = 0; k < r->n; k++) {
    const char *text = attr_at(r, k, node, at)->u.text;
    names[k] = sp_intern(r->ctx, text, strlen(text));
  }
  sp_attr a = {.name = sp_intern(r->ctx, "replica_groups", 14),
               .kind = SP_ATTR_GROUPS};
  for (size_t i = 0; i < r->cache.n && !a.u.groups; i++) {
    if (memcmp(r->cache.v[i].names, names, r->n * sizeof *names) == 0) {
      a.u.groups = r->cache.v[i].groups;
    }
  }
  if (!a.u.groups) {
    resolved found = {names, groups_join(r, node, names)};
    sp_push(r->ctx, &r->cache, found);
    a.u.groups = found.groups;
  }
  return a;
}

/* --- the walk --- */

/* The attribute for all ranks; false when ranks differ in more than numbers. */
static bool attr_roll(roll *r, uint32_t node, uint32_t at, sp_attr *out) {
  const sp_node *first = &r->programs[0]->nodes[node];
  const sp_attr *a = &first->attrs[at];
  bool group = sp_roll_names_group(first, a), equal = true;
  for (uint32_t k = 1; k < r->n; k++) {
    const sp_node *other = &r->programs[k]->nodes[node];
    const sp_attr *b = &other->attrs[at];
    if (a == b || sp_attr_same(a, b)) {
      continue;
    }
    bool number = a->kind == SP_ATTR_INT || a->kind == SP_ATTR_INTS ||
                  a->kind == SP_ATTR_FLOAT;
    if (strcmp(a->name, b->name) != 0 || a->kind != b->kind || a->n != b->n ||
        (!number && !group)) {
      return differ(
          r, k, first, other,
          sp_format(r->ctx, "the argument %.80s is different", a->name));
    }
    equal = false;
  }
  *out = group   ? rank_groups(r, node, at)
         : equal ? *a
                 : rank_numbers(r, node, at);
  return true;
}

static bool node_roll(roll *r, uint32_t at, sp_node *out) {
  const sp_program *p = r->programs[0];
  const sp_node *first = &p->nodes[at];
  for (uint32_t k = 1; k < r->n; k++) {
    const sp_program *q = r->programs[k];
    const char *what = sp_node_difference(p, first, q, &q->nodes[at]);
    if (what) {
      return differ(r, k, first, &q->nodes[at], what);
    }
  }
  *out = *first;
  sp_attr *attrs = NULL;
  for (uint32_t i = 0; i < first->n_attrs; i++) {
    sp_attr a;
    if (!attr_roll(r, at, i, &a)) {
      return false;
    }
    if (!attrs && (a.kind != first->attrs[i].kind)) {
      attrs = sp_alloc_n(r->ctx, first->n_attrs, sizeof *attrs);
      memcpy(attrs, first->attrs, first->n_attrs * sizeof *attrs);
    }
    if (attrs) {
      attrs[i] = a;
    }
  }
  out->attrs = attrs ? attrs : first->attrs;
  return true;
}

/* Counts of nodes, inputs and results; false with the reason. */
static bool ends_check(roll *r) {
  const sp_program *p = r->programs[0];
  for (uint32_t k = 1; k < r->n; k++) {
    const sp_program *q = r->programs[k];
    if (p->n_nodes != q->n_nodes || p->n_tensors != q->n_tensors ||
        !sp_ends_same(p, q)) {
      r->why = sp_format(
          r->ctx,
          "ranks 0 and %u differ: %s has %u operators, %u inputs and %u "
          "results, %s has %u, %u and %u%s",
          k, p->file ? p->file : "?", p->n_nodes, p->n_params, p->n_results,
          q->file ? q->file : "?", q->n_nodes, q->n_params, q->n_results,
          p->n_nodes == q->n_nodes ? ", or others" : "");
      return false;
    }
  }
  return true;
}

/* Nodes as far as all programs have them: a better reason than counts. */
static bool nodes_roll(roll *r, sp_node *nodes) {
  uint32_t n = r->programs[0]->n_nodes;
  for (uint32_t k = 1; k < r->n; k++) {
    n = r->programs[k]->n_nodes < n ? r->programs[k]->n_nodes : n;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (!node_roll(r, i, &nodes[i])) {
      return false;
    }
  }
  return ends_check(r);
}

/* NULL and r->why when ranks differ in more than numbers. */
static const sp_program *program_roll(roll *r) {
  const sp_program *p = r->programs[0];
  sp_node *nodes = sp_alloc_n(r->ctx, p->n_nodes, sizeof *nodes);
  if (!nodes_roll(r, nodes)) {
    return NULL;
  }
  sp_program *out = sp_alloc(r->ctx, sizeof *out);
  *out = *p;
  out->nodes = nodes;
  out->partitions = r->n;
  sp_program_check(r->ctx, out);
  return out;
}

const sp_program *sp_roll(sp_ctx *ctx, uint32_t n,
                          const sp_program *const *programs, size_t n_groups,
                          const sp_named_group *groups, const char **why) {
  roll r = {.ctx = ctx,
            .n = n,
            .programs = programs,
            .n_groups = n_groups,
            .groups = groups};
  const sp_program *out = program_roll(&r);
  if (out) {
    return out;
  }
  *why = r.why;
  const sp_program **cut = sp_alloc_n(ctx, n, sizeof *cut);
  for (uint32_t k = 0; k < n; k++) {
    cut[k] = roll_split(ctx, programs[k]);
  }
  r.programs = cut;
  r.why = NULL;
  return program_roll(&r);
}
