/* init.c: a first spec: read sp_spec_init, which writes it from top to
 * bottom; one function a section. */
#include "shard-specs/init.h"

#include "encode/op.h"
#include "graph/roll.h"
#include "shard-specs/groups.h"
#include "shard-specs/init_i.h"
#include "shard-specs/names.h"
#include "shard-specs/problem.h"

#include <string.h>

typedef struct init {
  sp_ctx *ctx;
  sp_str out;
  spi_mesh mesh;
  const sp_program *seq;
  const sp_program *const *dist; /* by rank */
  SP_VEC(const char *) asked;    /* operators */
} init;

/* ---- writing ---- */

/* As a YAML scalar. */
static const char *quoted(init *x, const char *s) {
  size_t plain = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXY"
                           "Z_0123456789.-/");
  bool letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
                *s == '_' || *s == '/';
  static const char *const words[] = {"null", "true", "false", "yes", "no",
                                      "on",   "off",  "y",     "n"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    letter = letter && strcmp(words[i], s) != 0;
  }
  if (letter && s[plain] == '\0') {
    return s;
  }
  sp_str out = {0};
  sp_str_add(x->ctx, &out, "'");
  for (; *s; s++) {
    sp_str_addn(x->ctx, &out, s, 1);
    if (*s == '\'') {
      sp_str_add(x->ctx, &out, "'");
    }
  }
  sp_str_add(x->ctx, &out, "'");
  return out.v;
}

static void line(init *x, const char *text) {
  sp_str_addf(x->ctx, &x->out, "%s\n", text);
}

/* text, padded, then a comment. */
static void with_comment(init *x, const char *text, const char *comment) {
  sp_str_addf(x->ctx, &x->out, "%-38s  # %s\n", text, comment);
}

static const char *question(init *x, const char *text) {
  return sp_format(x->ctx, "QUESTION: %s", text);
}

/* ---- mesh ---- */

static void write_mesh(init *x) {
  sp_str s = {0};
  sp_str_add(x->ctx, &s, "mesh: {");
  for (uint32_t a = 0; a < x->mesh.n_axes; a++) {
    sp_str_addf(x->ctx, &s, "%s%s: %lld", a ? ", " : "", x->mesh.axis[a],
                (long long)x->mesh.size[a]);
  }
  sp_str_add(x->ctx, &s, "}");
  with_comment(x, s.v, question(x, x->mesh.question));
}

/* One file for all ranks: as many as its groups have. */
static void mesh_of_groups(init *x) {
  const sp_program *p = x->dist[0];
  int64_t n = p->partitions;
  for (uint32_t i = 0; i < p->n_nodes && n <= 1; i++) {
    for (uint32_t k = 0; k < p->nodes[i].n_attrs; k++) {
      const sp_attr *a = &p->nodes[i].attrs[k];
      if (a->kind == SP_ATTR_GROUPS && a->u.groups->n_groups) {
        n = a->u.groups->start[a->u.groups->n_groups];
      }
    }
  }
  sp_group_uses uses = {0};
  sp_group_uses_of(x->ctx, p, &uses);
  for (size_t i = 0; i < uses.n && n <= 1; i++) {
    n = uses.v[i].size > 1 ? uses.v[i].size : n;
  }
  if (n > 1 && n <= SP_SPEC_RANKS) {
    x->mesh.n_axes = 1;
    x->mesh.axis[0] = "tp";
    x->mesh.size[0] = x->mesh.ranks = n;
  }
}

/* ---- groups ---- */

/* Does the rank's program name the group? */
static bool names_group(init *x, int64_t rank, const char *name) {
  sp_group_uses uses = {0};
  sp_group_uses_of(x->ctx, x->dist[rank], &uses);
  for (size_t i = 0; i < uses.n; i++) {
    if (strcmp(uses.v[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

static void write_ranks(init *x, const char *name, const int64_t *ranks,
                        int64_t n) {
  sp_str s = {0};
  sp_str_addf(x->ctx, &s, "    %s: [", quoted(x, name));
  for (int64_t i = 0; i < n; i++) {
    sp_str_addf(x->ctx, &s, "%s%lld", i ? ", " : "", (long long)ranks[i]);
  }
  sp_str_add(x->ctx, &s, "]");
  with_comment(x, s.v,
               question(x, "the ranks that use it; is this their order?"));
}

static void write_axis_group(init *x, const char *name, int64_t size) {
  const spi_mesh *m = &x->mesh;
  uint32_t fits = 0, axis = 0;
  for (uint32_t a = 0; a < m->n_axes; a++) {
    if (size == 0 || m->size[a] == size) {
      axis = fits++ == 0 ? a : axis;
    }
  }
  if (size == 1 || m->n_axes == 0) {
    line(x, sp_format(x->ctx, "    %s: self", quoted(x, name)));
  } else if (fits == 1 && size > 0) {
    line(x, sp_format(x->ctx, "    %s: %s", quoted(x, name), m->axis[axis]));
  } else if (size == m->ranks) {
    sp_str s = {0};
    sp_str_addf(x->ctx, &s, "    %s: [", quoted(x, name));
    for (uint32_t a = 0; a < m->n_axes; a++) {
      sp_str_addf(x->ctx, &s, "%s%s", a ? ", " : "", m->axis[a]);
    }
    line(x, sp_format(x->ctx, "%s]", s.v));
  } else {
    with_comment(
        x, sp_format(x->ctx, "    %s: %s", quoted(x, name), m->axis[axis]),
        question(x, size ? "which axis? its size fits several or none"
                         : "along this axis? the program does not say "
                           "its size"));
  }
}

static void write_group(init *x, const sp_group_uses *uses, size_t at) {
  const char *name = uses->v[at].name;
  int64_t size = 0, n = 0;
  for (size_t i = 0; i < uses->n; i++) {
    bool same = strcmp(uses->v[i].name, name) == 0;
    if (same && i < at) {
      return; /* written already */
    }
    size = same && uses->v[i].size ? uses->v[i].size : size;
  }
  int64_t *ranks = sp_alloc_n(x->ctx, (size_t)x->mesh.ranks, sizeof *ranks);
  for (int64_t r = 0; r < x->mesh.ranks; r++) {
    if (names_group(x, r, name)) {
      ranks[n++] = r;
    }
  }
  if (n < x->mesh.ranks && (size == 0 || size == n)) {
    write_ranks(x, name, ranks, n);
  } else {
    write_axis_group(x, name, size);
  }
}

static void write_groups(init *x) {
  sp_group_uses seq = {0}, dist = {0};
  sp_group_uses_of(x->ctx, x->seq, &seq);
  for (int64_t r = 0; r < x->mesh.ranks; r++) {
    if (r == 0 || x->dist[r] != x->dist[r - 1]) {
      sp_group_uses_of(x->ctx, x->dist[r], &dist);
    }
  }
  if (seq.n + dist.n == 0) {
    return;
  }
  line(x, "groups:");
  if (seq.n) {
    line(x, "  sequential:");
  }
  for (size_t i = 0; i < seq.n; i++) {
    bool again = i > 0 && strcmp(seq.v[i].name, seq.v[i - 1].name) == 0;
    if (!again) {
      line(x, sp_format(x->ctx, "    %s: self", quoted(x, seq.v[i].name)));
    }
  }
  if (dist.n) {
    line(x, "  distributed:");
  }
  for (size_t i = 0; i < dist.n; i++) {
    write_group(x, &dist, i);
  }
}

/* ---- placements ---- */

typedef struct cuts {
  bool taken[SPI_INIT_AXES];
  bool ambiguous; /* another axis would fit, too */
  sp_str text;
} cuts;

static void add_cut(init *x, cuts *c, uint32_t axis, uint32_t dim) {
  c->taken[axis] = true;
  sp_str_addf(x->ctx, &c->text, "%s%s: Shard(%u)", c->text.n ? ", " : "",
              x->mesh.axis[axis], dim);
}

/* Equal parts, over as many axes as it takes. */
static bool cut_evenly(init *x, cuts *c, uint32_t dim, int64_t ratio) {
  const spi_mesh *m = &x->mesh;
  cuts was = *c;
  for (uint32_t a = 0; a < m->n_axes && ratio > 1; a++) {
    if (c->taken[a] || m->size[a] < 2 || ratio % m->size[a] != 0) {
      continue;
    }
    for (uint32_t b = a + 1; b < m->n_axes; b++) {
      c->ambiguous |=
          !c->taken[b] && m->size[b] == m->size[a] && ratio == m->size[a];
    }
    ratio /= m->size[a];
    add_cut(x, c, a, dim);
  }
  if (ratio > 1) {
    *c = was;
  }
  return ratio == 1;
}

/* Chunks as of torch.chunk, the last ones smaller: the ranks' programs have
 * other shapes then, and the first has a whole chunk. */
static bool cut_unevenly(init *x, cuts *c, uint32_t dim, int64_t size,
                         int64_t chunk) {
  const spi_mesh *m = &x->mesh;
  for (uint32_t a = 0; a < m->n_axes; a++) {
    int64_t n = m->size[a];
    if (!c->taken[a] && n > 1 && size % n != 0 && size / n + 1 == chunk &&
        x->dist[m->ranks - 1] != x->dist[0]) {
      add_cut(x, c, a, dim);
      return true;
    }
  }
  return false;
}

/* The placement that fits these shapes; NULL where none does. ambiguous is set
 * where another would fit, too. */
static const char *placement(init *x, const sp_shape *global,
                             const sp_shape *local, bool *ambiguous) {
  cuts c = {{false}, false, {0}};
  if (global->n_dims != local->n_dims || global->dtype != local->dtype) {
    return NULL;
  }
  for (uint32_t d = 0; d < global->n_dims; d++) {
    int64_t size = global->dims[d], part = local->dims[d];
    int64_t ratio = part > 0 ? size / part : 1;
    bool even = ratio >= 1 && part * ratio == size;
    if (!(even && cut_evenly(x, &c, d, ratio)) &&
        !cut_unevenly(x, &c, d, size, part)) {
      return NULL;
    }
  }
  *ambiguous = *ambiguous || c.ambiguous;
  return c.text.n ? c.text.v : "Replicate";
}

static const char *entry(init *x, const char *name, const char *as,
                         const char *how) {
  const char *key = quoted(x, name);
  bool whole = strcmp(how, "Replicate") == 0;
  if (!as && whole) {
    return sp_format(x->ctx, "  %s: Replicate", key);
  }
  if (!as) {
    return sp_format(x->ctx, "  %s: {%s}", key, how);
  }
  return whole
             ? sp_format(x->ctx, "  %s: {as: %s}", key, quoted(x, as))
             : sp_format(x->ctx, "  %s: {as: %s, %s}", key, quoted(x, as), how);
}

/* The counterpart of parameter i: of the same name, else of the same place,
 * else the first whose shape fits. */
static uint32_t counterpart(init *x, uint32_t i, const bool *used) {
  const sp_program *p = x->seq, *q = x->dist[0];
  const sp_tensor *t = &p->tensors[p->params[i]];
  uint32_t named = q->n_params, first = q->n_params;
  bool ignore = false;
  for (uint32_t k = 0; k < q->n_params; k++) {
    const sp_tensor *u = &q->tensors[q->params[k]];
    if (used[k] || !placement(x, &t->shape, &u->shape, &ignore)) {
      continue;
    }
    named = strcmp(u->name, t->name) == 0 ? k : named;
    first = first == q->n_params ? k : first;
  }
  if (named < q->n_params) {
    return named;
  }
  bool here = p->n_params == q->n_params && !used[i] &&
              placement(x, &t->shape, &q->tensors[q->params[i]].shape, &ignore);
  return here ? i : first;
}

static void write_input(init *x, uint32_t i, bool *used) {
  const sp_program *q = x->dist[0];
  const sp_tensor *t = &x->seq->tensors[x->seq->params[i]];
  const char *shape = sp_shape_text(x->ctx, &t->shape);
  uint32_t k = counterpart(x, i, used);
  if (k == q->n_params) {
    with_comment(x, sp_format(x->ctx, "  # %s:", quoted(x, t->name)),
                 question(x, sp_format(x->ctx,
                                       "%s; which input of the ranks holds "
                                       "it, and how? no shape fits",
                                       shape)));
    return;
  }
  used[k] = true;
  const sp_tensor *u = &q->tensors[q->params[k]];
  bool same = strcmp(u->name, t->name) == 0, ambiguous = false;
  const char *how = placement(x, &t->shape, &u->shape, &ambiguous);
  const char *text = entry(x, t->name, same ? NULL : u->name, how);
  if (ambiguous) {
    with_comment(x, text,
                 question(x, sp_format(x->ctx,
                                       "%s; this axis or another of "
                                       "its size?",
                                       shape)));
  } else if (!same && (x->seq->n_params != q->n_params || k != i)) {
    with_comment(
        x, text,
        question(x, sp_format(x->ctx, "%s; is this its counterpart?", shape)));
  } else {
    with_comment(x, text, shape);
  }
}

static void write_inputs(init *x) {
  const sp_program *q = x->dist[0];
  bool *used = sp_alloc_n(x->ctx, q->n_params + 1u, sizeof *used);
  line(x, "# Sections, zig-zag and the like have the shapes of Shard: check "
          "fused weights");
  line(x, "# (docs/specs.md: sections, Take).");
  line(x, "inputs:");
  for (uint32_t i = 0; i < x->seq->n_params; i++) {
    write_input(x, i, used);
  }
  for (uint32_t k = 0; k < q->n_params; k++) {
    if (!used[k]) {
      const sp_tensor *u = &q->tensors[q->params[k]];
      with_comment(x, sp_format(x->ctx, "  # ?: {as: %s}", quoted(x, u->name)),
                   question(x, sp_format(x->ctx,
                                         "%s of the ranks: what is it "
                                         "in the sequential program?",
                                         sp_shape_text(x->ctx, &u->shape))));
    }
  }
}

/* Where in their results the ranks return it, when the order is another: the
 * first place where only they return something, and its shape fits; or -1. */
static int64_t returned_elsewhere(init *x, uint32_t v) {
  const sp_program *p = x->seq, *q = x->dist[0];
  for (uint32_t k = 0; k < p->n_results && k < q->n_results; k++) {
    bool ambiguous = false;
    if (p->results[k] == SP_NO_TENSOR && q->results[k] != SP_NO_TENSOR &&
        placement(x, &p->tensors[v].shape, &q->tensors[q->results[k]].shape,
                  &ambiguous)) {
      return k;
    }
  }
  return -1;
}

/* None on one side. */
static void ask_returned(init *x, const char *name, uint32_t v) {
  if (v == SP_NO_TENSOR) {
    return;
  }
  const sp_tensor *t = &x->seq->tensors[v];
  const char *what =
      sp_format(x->ctx, "%s %s", t->name, sp_shape_text(x->ctx, &t->shape));
  int64_t k = returned_elsewhere(x, v);
  if (k < 0) {
    with_comment(x, sp_format(x->ctx, "  # %s:", name),
                 question(x, sp_format(x->ctx,
                                       "%s; the ranks return None here: "
                                       "{as: out.N}",
                                       what)));
    return;
  }
  bool ambiguous = false;
  const sp_tensor *u = &x->dist[0]->tensors[x->dist[0]->results[k]];
  const char *how = placement(x, &t->shape, &u->shape, &ambiguous);
  const char *as = sp_format(x->ctx, "out.%lld", (long long)k);
  with_comment(
      x, entry(x, name, as, how),
      question(x, sp_format(x->ctx, "%s; is this its counterpart?", what)));
}

/* A buffer that a framework keeps is returned, too: torch.empty as it was. */
static bool is_unwritten(const sp_program *p, uint32_t tensor) {
  const char *op = p->nodes[p->tensors[tensor].node].op;
  return strncmp(op, "aten.empty", 10) == 0 ||
         strncmp(op, "aten.new_empty", 14) == 0;
}

static void write_output(init *x, uint32_t k) {
  uint32_t v = x->seq->results[k], w = x->dist[0]->results[k];
  const char *name = sp_format(x->ctx, "out.%u", k);
  if (v == SP_NO_TENSOR || w == SP_NO_TENSOR) {
    ask_returned(x, name, v);
    return;
  }
  const sp_shape *a = &x->seq->tensors[v].shape;
  const sp_shape *b = &x->dist[0]->tensors[w].shape;
  bool ambiguous = false;
  const char *how = placement(x, a, b, &ambiguous);
  const char *shape = sp_format(x->ctx, "%s %s", x->seq->tensors[v].name,
                                sp_shape_text(x->ctx, a));
  if (is_unwritten(x->seq, v)) {
    with_comment(x, sp_format(x->ctx, "  # %s:", name),
                 sp_format(x->ctx, "%s; nobody has written it", shape));
  } else if (!how) {
    with_comment(x, sp_format(x->ctx, "  # %s:", name),
                 question(x, sp_format(x->ctx, "%s; the ranks return %s", shape,
                                       sp_shape_text(x->ctx, b))));
  } else if (ambiguous) {
    with_comment(x, entry(x, name, NULL, how),
                 question(x, sp_format(x->ctx, "%s; this axis?", shape)));
  } else {
    with_comment(x, entry(x, name, NULL, how), shape);
  }
}

static void write_outputs(init *x) {
  uint32_t n = x->seq->n_results, m = x->dist[0]->n_results;
  line(x, "# Where addends are returned that are summed later, write "
          "{AXIS: Partial(sum)}.");
  line(x, "outputs:");
  if (n != m) {
    with_comment(x, " ",
                 question(x, sp_format(x->ctx,
                                       "%u values are returned, the ranks "
                                       "return %u; {as: out.N}",
                                       n, m)));
  }
  for (uint32_t k = 0; k < n && k < m; k++) {
    write_output(x, k);
  }
}

/* ---- the rest ---- */

static void write_ranges(init *x) {
  bool any = false;
  for (uint32_t i = 0; i < x->seq->n_params; i++) {
    const sp_tensor *t = &x->seq->tensors[x->seq->params[i]];
    if (!sp_dtype_is_int(t->shape.dtype)) {
      continue;
    }
    if (!any) {
      line(x, "# Integers that index something lie in [low, high):");
    }
    spi_looked_up in = spi_lookup_of(x->ctx, x->seq, x->seq->params[i]);
    if (!any && in.size > 0) {
      line(x, "assume:");
    } else if (!any) {
      line(x, "# assume:");
    }
    any = true;
    const char *key = quoted(x, t->name);
    if (in.ignores) {
      const char *ask =
          "are labels left out of the loss? then [%lld, [0, %lld]]";
      with_comment(
          x, sp_format(x->ctx, "  %s: [0, %lld]", key, (long long)in.size),
          question(x, sp_format(x->ctx, ask, (long long)in.ignored,
                                (long long)in.size)));
    } else if (in.size > 0) {
      with_comment(
          x, sp_format(x->ctx, "  %s: [0, %lld]", key, (long long)in.size),
          question(x, "is every index in the table?"));
    } else {
      with_comment(x, sp_format(x->ctx, "#  %s: [0, ?]", key),
                   question(x, "needed only if it is an index"));
    }
  }
}

static void write_side_constants(init *x, const sp_program *p, const char *side,
                                 bool *head) {
  bool any = false;
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_attr *name = strcmp(p->nodes[i].op, "fx:get_attr") == 0
                              ? sp_node_attr(&p->nodes[i], "name")
                              : NULL;
    if (!name) {
      continue;
    }
    if (!*head) {
      line(x, "constants:");
    }
    if (!any) {
      line(x, sp_format(x->ctx, "  %s:", side));
    }
    *head = any = true;
    with_comment(x, sp_format(x->ctx, "    %s: 0", quoted(x, name->u.text)),
                 question(x, "its value? the text does not say it"));
  }
}

static bool known_operator(init *x, const sp_node *node) {
  const char *op = node->op;
  const sp_attr *a = NULL;
  if (strcmp(op, "hlo:custom-call") == 0) {
    a = sp_node_attr(node, "custom_call_target");
  } else if (strncmp(op, "higher_order.auto_functionalized", 32) == 0) {
    a = sp_node_attr(node, "arg0");
  } else if (sp_op_find(op) || strcmp(op, "hlo:parameter") == 0) {
    return true;
  }
  if (a && a->kind == SP_ATTR_TEXT) {
    op = strncmp(a->u.text, "torch.ops.", 10) == 0 ? a->u.text + 10 : a->u.text;
  }
  return sp_spec_ready_made(x->ctx, op) != NULL;
}

static void ask_operator(init *x, const char *op) {
  for (size_t i = 0; i < x->asked.n; i++) {
    if (strcmp(x->asked.v[i], op) == 0) {
      return;
    }
  }
  sp_push(x->ctx, &x->asked, op);
  line(x, sp_format(x->ctx,
                    "# QUESTION: what does %s mean? `operators:` can say it, "
                    "if results need it",
                    op));
}

static void write_unknown(init *x, const sp_program *p) {
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    if (!known_operator(x, &p->nodes[i])) {
      ask_operator(x, p->nodes[i].op);
    }
  }
}

/* HLO's {...}: the text leaves the values out. */
static void write_elided(init *x) {
  bool any = false;
  for (uint32_t i = 0; i < x->seq->n_nodes; i++) {
    const sp_node *node = &x->seq->nodes[i];
    if (strcmp(node->op, "hlo:constant") != 0 ||
        sp_node_attr(node, "literal")) {
      continue;
    }
    if (!any) {
      line(x, "# Constants whose values are not in the text; the same in all "
              "programs?");
      line(x, "# cuts:");
    }
    any = true;
    with_comment(
        x, sp_format(x->ctx, "#  %s: Replicate", quoted(x, node->name)),
        question(x, sp_shape_text(x->ctx, &x->seq->tensors[node->out].shape)));
  }
}

static void write_dropout(init *x) {
  for (uint32_t i = 0; i < x->seq->n_nodes; i++) {
    if (strstr(x->seq->nodes[i].op, "dropout")) {
      with_comment(x, "dropout: opaque",
                   question(x, "or identity: nothing is dropped"));
      return;
    }
  }
}

const char *sp_spec_init(sp_ctx *ctx, const char *sequential, uint32_t n,
                         const char *const *distributed, const char *folder) {
  init x = {.ctx = ctx};
  x.mesh = spi_mesh_of(ctx, n, distributed);
  x.seq = sp_spec_load(ctx, sequential, (sp_loc){.file = sequential});
  const sp_program **dist = sp_alloc_n(ctx, SP_SPEC_RANKS, sizeof *dist);
  for (uint32_t r = 0; r < n; r++) {
    dist[r] =
        sp_spec_load(ctx, x.mesh.files[r], (sp_loc){.file = x.mesh.files[r]});
  }
  x.dist = dist;
  if (n == 1) {
    mesh_of_groups(&x);
    for (int64_t r = 1; r < x.mesh.ranks; r++) {
      dist[r] = dist[0];
    }
  }
  line(&x, "# A first spec, guessed from names and shapes; docs/specs.md of "
           "shardproof says");
  line(&x, "# what can be in it. Look at each QUESTION, then: shardproof check "
           "--spec FILE");
  line(&x, sp_format(ctx, "sequential: %s",
                     quoted(&x, spi_relative(ctx, folder, sequential))));
  line(&x, sp_format(ctx, "distributed: %s",
                     quoted(&x, spi_relative(ctx, folder, x.mesh.pattern))));
  write_mesh(&x);
  write_groups(&x);
  bool head = false;
  write_side_constants(&x, x.seq, "sequential", &head);
  write_side_constants(&x, x.dist[0], "distributed", &head);
  write_elided(&x);
  write_dropout(&x);
  write_ranges(&x);
  write_inputs(&x);
  write_outputs(&x);
  write_unknown(&x, x.seq);
  write_unknown(&x, x.dist[0]);
  return x.out.v;
}
