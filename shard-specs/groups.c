/* groups.c: what programs say of groups (sp_group_uses_of), what the spec says
 * (listed), what follows from sizes (worked_out). */
#include "shard-specs/groups.h"

#include <string.h>

/* ---- what programs say ---- */

static bool says_size(const sp_node *node) {
  static const char *const ops[] = {"all_gather_into_tensor",
                                    "reduce_scatter_tensor", "vllm.all_gather",
                                    "vllm.reduce_scatter"};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (strstr(node->op, ops[i])) {
      return true;
    }
  }
  return false;
}

/* The argument before the group, or group_size=; 0: nothing. */
static int64_t stated_size(const sp_node *node, const sp_attr *group) {
  const sp_attr *a = sp_node_attr(node, "group_size");
  if (!a && says_size(node) && strncmp(group->name, "arg", 3) == 0 &&
      group->name[3] >= '1' && group->name[3] <= '9' && !group->name[4]) {
    const char name[] = {'a', 'r', 'g', (char)(group->name[3] - 1), '\0'};
    a = sp_node_attr(node, name);
  }
  return a && a->kind == SP_ATTR_INT ? a->u.i : 0;
}

void sp_group_uses_of(sp_ctx *ctx, const sp_program *p, sp_group_uses *out) {
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_node *node = &p->nodes[i];
    for (uint32_t k = 0; k < node->n_attrs; k++) {
      const sp_attr *a = &node->attrs[k];
      if (!sp_roll_names_group(node, a)) {
        continue;
      }
      int64_t size = stated_size(node, a);
      bool known = false;
      for (size_t u = 0; u < out->n && !known; u++) {
        known =
            strcmp(out->v[u].name, a->u.text) == 0 && out->v[u].size == size;
      }
      if (!known) {
        sp_push(ctx, out, ((sp_group_use){a->u.text, size, node}));
      }
    }
  }
}

/* ---- what the spec says ---- */

static const sp_groups *alone(sp_ctx *ctx, int64_t ranks) {
  uint32_t *start = sp_alloc_n(ctx, (size_t)ranks + 1, sizeof *start);
  int64_t *ids = sp_alloc_n(ctx, (size_t)ranks, sizeof *ids);
  for (int64_t r = 0; r < ranks; r++) {
    ids[r] = r;
    start[r + 1] = (uint32_t)r + 1;
  }
  sp_groups *g = sp_alloc(ctx, sizeof *g);
  *g = (sp_groups){(uint32_t)ranks, start, ids};
  return g;
}

/* One group for each position along the other axes; inside it the first axis
 * listed varies slowest. */
static const sp_groups *along(sp_ctx *ctx, const sp_spec *spec, uint32_t n,
                              const uint32_t *axes) {
  int64_t size = 1;
  bool in[64] = {false};
  for (uint32_t i = 0; i < n; i++) {
    size *= spec->axes[axes[i]].size;
    in[axes[i]] = true;
  }
  int64_t n_groups = spec->ranks / size;
  uint32_t *start = sp_alloc_n(ctx, (size_t)n_groups + 1, sizeof *start);
  int64_t *ids = sp_alloc_n(ctx, (size_t)spec->ranks, sizeof *ids);
  for (int64_t g = 0; g <= n_groups; g++) {
    start[g] = (uint32_t)(g * size);
  }
  for (int64_t r = 0; r < spec->ranks; r++) {
    int64_t g = 0, at = 0;
    for (uint32_t a = 0; a < spec->n_axes; a++) {
      if (!in[a]) {
        g = g * spec->axes[a].size + sp_spec_coordinate(spec, a, r);
      }
    }
    for (uint32_t i = 0; i < n; i++) {
      at = at * spec->axes[axes[i]].size + sp_spec_coordinate(spec, axes[i], r);
    }
    ids[g * size + at] = r;
  }
  sp_groups *out = sp_alloc(ctx, sizeof *out);
  *out = (sp_groups){(uint32_t)n_groups, start, ids};
  return out;
}

static const sp_groups *listed(sp_ctx *ctx, const sp_spec *spec,
                               const sp_spec_group *g, int64_t ranks) {
  switch (g->kind) {
  case SP_GROUP_AXES:
    return along(ctx, spec, g->n, g->axes);
  case SP_GROUP_RANKS:
    return &g->ranks;
  case SP_GROUP_SELF:
    break;
  }
  return alone(ctx, ranks);
}

static int64_t size_at(const sp_groups *g, int64_t rank) {
  for (uint32_t i = 0; i < g->n_groups; i++) {
    for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
      if (g->ids[k] == rank) {
        return (int64_t)g->start[i + 1] - g->start[i];
      }
    }
  }
  return 0;
}

static const char *place_of(sp_ctx *ctx, const sp_node *node) {
  return sp_format(ctx, "%s, %s:%u", node->name,
                   node->pos.dump.file ? node->pos.dump.file : "?",
                   node->pos.dump.line);
}

/* ---- what follows from sizes ---- */

typedef struct choice {
  uint32_t n, axes[16];
  bool several;
} choice;

/* The sets of axes whose sizes multiply to k; axes of size 1 aside. */
static choice axes_of_size(const sp_spec *spec, int64_t k) {
  choice out = {0};
  uint32_t found = 0;
  for (uint32_t set = 1; set < (1u << spec->n_axes); set++) {
    int64_t size = 1;
    choice c = {0};
    bool small = false;
    for (uint32_t a = 0; a < spec->n_axes; a++) {
      if (set & (1u << a)) {
        size *= spec->axes[a].size;
        small = small || spec->axes[a].size == 1;
        c.axes[c.n++] = a;
      }
    }
    if (size == k && !small && found++ == 0) {
      out = c;
    }
  }
  out.several = found > 1;
  return out;
}

static noreturn void not_listed(sp_ctx *ctx, const sp_spec *spec,
                                const sp_group_use *use, bool sequential,
                                const char *why) {
  const char *axis = !sequential && spec->n_axes ? spec->axes[0].name : "self";
  sp_raise(ctx, SP_ERR_INPUT,
           sequential ? spec->sequential.loc : spec->distributed.loc,
           sp_format(ctx,
                     "groups: {%s: {\"%.40s\": %s}} (self: a group of "
                     "one)",
                     sequential ? "sequential" : "distributed", use->name,
                     axis),
           "the process group '%.60s' of %s: %s", use->name,
           place_of(ctx, use->node), why);
}

static const sp_groups *worked_out(sp_ctx *ctx, const sp_spec *spec,
                                   bool sequential, const sp_group_use *use,
                                   sp_spec_notes *notes) {
  int64_t ranks = sequential ? 1 : spec->ranks;
  if (ranks == 1 || use->size == 1) {
    if (use->size > 1) {
      not_listed(ctx, spec, use, sequential,
                 sp_format(ctx, "it has %lld ranks, the program one",
                           (long long)use->size));
    }
    return alone(ctx, ranks);
  }
  if (use->size == 0) {
    not_listed(ctx, spec, use, sequential,
               "which ranks are in it is neither in the spec nor in the "
               "program");
  }
  choice c = axes_of_size(spec, use->size);
  if (c.n == 0 || c.several) {
    not_listed(ctx, spec, use, sequential,
               sp_format(ctx, "it has %lld ranks, and %s", (long long)use->size,
                         c.n ? "several choices of axes have as many"
                             : "no choice of axes has as many"));
  }
  sp_str names = {0};
  for (uint32_t i = 0; i < c.n; i++) {
    sp_str_addf(ctx, &names, "%s%s", i ? ", " : "", spec->axes[c.axes[i]].name);
  }
  sp_push(ctx, notes,
          sp_format(ctx,
                    "the process group '%s' runs along %s, because the program "
                    "says that it has %lld ranks",
                    use->name, names.v, (long long)use->size));
  return along(ctx, spec, c.n, c.axes);
}

/* ---- all ---- */

typedef SP_VEC(sp_named_group) group_list;

static const sp_spec_group *spec_group(const sp_spec_side *side,
                                       const char *name) {
  for (size_t i = 0; i < side->n_groups; i++) {
    if (strcmp(side->groups[i].name, name) == 0) {
      return &side->groups[i];
    }
  }
  return NULL;
}

static const sp_named_group *find(const group_list *list, const char *name) {
  for (size_t i = 0; i < list->n; i++) {
    if (strcmp(list->v[i].name, name) == 0) {
      return &list->v[i];
    }
  }
  return NULL;
}

static void check_size(sp_ctx *ctx, const sp_spec *spec,
                       const sp_spec_side *side, const sp_groups *g,
                       const sp_group_use *use, int64_t rank) {
  int64_t size = size_at(g, rank);
  const sp_spec_group *said = spec_group(side, use->name);
  if (size == 0 || use->size == 0 || size == use->size) {
    return;
  }
  sp_raise(ctx, SP_ERR_INPUT, said ? said->loc : spec->mesh_loc,
           "is the mesh right, and does the group run along this axis?",
           "the process group '%.60s' has %lld ranks here, but %lld at %s",
           use->name, (long long)size, (long long)use->size,
           place_of(ctx, use->node));
}

static void use_group(sp_ctx *ctx, const sp_spec *spec, bool sequential,
                      const sp_group_uses *uses, size_t at, int64_t rank,
                      group_list *list, sp_spec_notes *notes) {
  const sp_spec_side *side =
      sequential ? &spec->sequential : &spec->distributed;
  sp_group_use use = uses->v[at];
  const sp_named_group *known = find(list, use.name);
  if (!known) {
    for (size_t i = 0; i < uses->n; i++) {
      if (strcmp(uses->v[i].name, use.name) == 0 && uses->v[i].size > 0) {
        use = uses->v[i];
        break;
      }
    }
    sp_named_group g = {use.name,
                        worked_out(ctx, spec, sequential, &use, notes)};
    sp_push(ctx, list, g);
    known = &list->v[list->n - 1];
  }
  check_size(ctx, spec, side, known->groups, &uses->v[at], rank);
}

const sp_named_group *sp_spec_groups(sp_ctx *ctx, const sp_spec *spec,
                                     bool sequential, uint32_t n_programs,
                                     const sp_program *const *programs,
                                     sp_spec_notes *notes, size_t *n) {
  const sp_spec_side *side =
      sequential ? &spec->sequential : &spec->distributed;
  group_list list = {0};
  for (size_t i = 0; i < side->n_groups; i++) {
    sp_named_group g = {
        side->groups[i].name,
        listed(ctx, spec, &side->groups[i], sequential ? 1 : spec->ranks)};
    sp_push(ctx, &list, g);
  }
  sp_group_uses uses = {0};
  for (uint32_t r = 0; r < n_programs; r++) {
    if (r == 0 || programs[r] != programs[r - 1]) {
      uses.n = 0;
      sp_group_uses_of(ctx, programs[r], &uses);
    }
    for (size_t u = 0; u < uses.n; u++) {
      use_group(ctx, spec, sequential, &uses, u, r, &list, notes);
    }
  }
  *n = list.n;
  return list.v;
}

void sp_spec_check_devices(sp_ctx *ctx, const sp_spec *spec,
                           const sp_program *p) {
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    for (uint32_t k = 0; k < p->nodes[i].n_attrs; k++) {
      const sp_attr *a = &p->nodes[i].attrs[k];
      const sp_groups *g = a->kind == SP_ATTR_GROUPS ? a->u.groups : NULL;
      uint32_t n = g && g->n_groups ? g->start[g->n_groups] : 0;
      if (n > 0 && n != spec->ranks) {
        sp_raise(ctx, SP_ERR_INPUT, spec->mesh_loc,
                 "is the mesh the one that the program was made for?",
                 "the mesh has %lld ranks, but the groups of %s list %u",
                 (long long)spec->ranks, place_of(ctx, &p->nodes[i]), n);
      }
    }
  }
}
