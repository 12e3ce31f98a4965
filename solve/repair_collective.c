/* repair_collective.c: communication gone wrong: other groups, operation,
 * order, sources; one too many or one too few. Read spi_try_collective. */
#include "solve/mender.h"

#include <string.h>

#include "solve/fit.h"

enum { MAX_GROUPINGS = 24, SHOWN_GROUPS = 4, SHOWN_RANKS = 8, MAX_PAIRS = 96 };

/* ---- groups ---- */

static const char *groups_text(sp_ctx *ctx, const sp_groups *g) {
  sp_str s = {0};
  for (uint32_t i = 0; i < g->n_groups && i < SHOWN_GROUPS; i++) {
    sp_str_add(ctx, &s, i ? ", {" : "{");
    for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
      if (k - g->start[i] == SHOWN_RANKS) {
        sp_str_add(ctx, &s, ",...");
        break;
      }
      sp_str_addf(ctx, &s, "%s%lld", k > g->start[i] ? "," : "",
                  (long long)g->ids[k]);
    }
    sp_str_add(ctx, &s, "}");
  }
  if (g->n_groups > SHOWN_GROUPS) {
    sp_str_add(ctx, &s, ", ...");
  }
  return s.v ? s.v : "{}";
}

static int64_t size_of(const sp_groups *g) {
  return g->n_groups ? g->start[1] - g->start[0] : 0;
}

static bool uniform(const sp_groups *g, int64_t ranks) {
  for (uint32_t i = 0; i < g->n_groups; i++) {
    if (g->start[i + 1] - g->start[i] != size_of(g)) {
      return false;
    }
  }
  return size_of(g) > 1 && size_of(g) * g->n_groups == ranks;
}

static bool same_groups(const sp_groups *a, const sp_groups *b) {
  return a->n_groups == b->n_groups && size_of(a) == size_of(b) &&
         memcmp(a->ids, b->ids,
                (size_t)a->n_groups * (size_t)size_of(a) * sizeof *a->ids) == 0;
}

static void add_grouping(spi_mender *m, const sp_groups *g, const char *text) {
  if (!uniform(g, m->s->dist_program->partitions) ||
      m->groupings.n >= MAX_GROUPINGS) {
    return;
  }
  for (size_t i = 0; i < m->groupings.n; i++) {
    if (same_groups(m->groupings.v[i].groups, g)) {
      return;
    }
  }
  const char *shown = groups_text(m->s->ctx, g);
  spi_grouping x = {g, text ? sp_format(m->s->ctx, "%s (%s)", shown, text)
                            : shown};
  sp_push(m->s->ctx, &m->groupings, x);
}

/* Ranks that agree in both numberings (NULL: in all), in order. */
static const sp_groups *agreeing(spi_mender *m, const int64_t *a,
                                 const int64_t *b) {
  sp_ctx *ctx = m->s->ctx;
  int64_t ranks = m->s->dist_program->partitions;
  int64_t *ids = sp_alloc_n(ctx, (size_t)ranks + 1, sizeof *ids);
  uint32_t *start = sp_alloc_n(ctx, (size_t)ranks + 1, sizeof *start);
  bool *done = sp_alloc_n(ctx, (size_t)ranks + 1, sizeof *done);
  sp_groups *g = sp_alloc(ctx, sizeof *g);
  uint32_t at = 0;
  for (int64_t r = 0; r < ranks; r++) {
    for (int64_t q = r; q < ranks && !done[r]; q++) {
      if ((!a || a[q] == a[r]) && (!b || b[q] == b[r])) {
        ids[at++] = q;
        done[q] = q != r;
      }
    }
    if (at > start[g->n_groups]) {
      start[++g->n_groups] = at;
    }
    done[r] = true;
  }
  g->start = start;
  g->ids = ids;
  return g;
}

/* Of HLO the replica groups, of PyTorch the last argument. */
static const sp_attr *groups_of(const sp_node *node) {
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    if (node->attrs[i].kind == SP_ATTR_GROUPS) {
      return &node->attrs[i];
    }
  }
  return NULL;
}

static void groupings_of_program(spi_mender *m, const sp_program *p,
                                 uint32_t depth) {
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_attr *a = groups_of(&p->nodes[i]);
    if (a) {
      add_grouping(m, a->u.groups, NULL);
    }
    a = sp_node_attr(&p->nodes[i], "body");
    if (a && a->kind == SP_ATTR_REGION && depth) {
      groupings_of_program(m, a->u.region, depth - 1);
    }
  }
}

void spi_find_groupings(spi_mender *m) {
  sp_state *s = m->s;
  add_grouping(m, agreeing(m, NULL, NULL), "all ranks");
  for (size_t i = 0; i < s->cuts.n; i++) {
    const int64_t *a = spi_by_rank(s, s->cuts.v[i].coordinate);
    const char *text = sp_show(s->pool, s->cuts.v[i].coordinate);
    for (size_t k = i; a && k < s->cuts.n; k++) {
      const int64_t *b = spi_by_rank(s, s->cuts.v[k].coordinate);
      if (b) {
        add_grouping(
            m, agreeing(m, a, b),
            k == i
                ? sp_format(s->ctx, "the ranks with the same %s", text)
                : sp_format(s->ctx, "the ranks with the same %s and %s", text,
                            sp_show(s->pool, s->cuts.v[k].coordinate)));
      }
    }
  }
  groupings_of_program(m, s->dist_program, 2);
}

/* ---- one collective ---- */

static const sp_groups *sorted(sp_ctx *ctx, const sp_groups *g) {
  sp_groups *out = sp_alloc(ctx, sizeof *out);
  uint32_t n = g->start[g->n_groups];
  int64_t *ids = sp_alloc_n(ctx, n + 1u, sizeof *ids);
  memcpy(ids, g->ids, n * sizeof *ids);
  for (uint32_t i = 0; i < g->n_groups; i++) {
    for (uint32_t a = g->start[i]; a < g->start[i + 1]; a++) {
      for (uint32_t b = a; b > g->start[i] && ids[b] < ids[b - 1]; b--) {
        int64_t x = ids[b];
        ids[b] = ids[b - 1];
        ids[b - 1] = x;
      }
    }
  }
  *out = *g;
  out->ids = ids;
  return out;
}

static spi_edit with_groups(spi_mender *m, uint32_t at, const sp_node *node,
                            const sp_groups *g) {
  sp_attr value = {.kind = SP_ATTR_GROUPS, .u.groups = g};
  return (spi_edit){
      .node = at,
      .becomes = spi_edit_attr(m->s->ctx, node, groups_of(node)->name, value)};
}

static bool try_groups(spi_mender *m, uint32_t at, const sp_node *node) {
  if (!groups_of(node)) {
    return false;
  }
  const sp_groups *own = groups_of(node)->u.groups;
  const sp_groups *in_order = sorted(m->s->ctx, own);
  if (!same_groups(own, in_order)) {
    spi_edit e = with_groups(m, at, node, in_order);
    if (spi_offer(m, &e,
                  "works in the wrong order of ranks, %s; in the order %s all "
                  "results are right",
                  groups_text(m->s->ctx, own),
                  groups_text(m->s->ctx, in_order))) {
      return true;
    }
  }
  for (size_t i = 0; i < m->groupings.n; i++) {
    const spi_grouping *g = &m->groupings.v[i];
    spi_edit e = with_groups(m, at, node, g->groups);
    if (!same_groups(own, g->groups) &&
        spi_offer(m, &e,
                  "works on the wrong groups of ranks, %s; on %s all results "
                  "are right",
                  groups_text(m->s->ctx, own), g->text)) {
      return true;
    }
  }
  return false;
}

typedef struct operation {
  const char *op, *word;
} operation;
static const operation operations[] = {{"hlo:add", "a sum"},
                                       {"hlo:maximum", "a maximum"},
                                       {"hlo:minimum", "a minimum"},
                                       {"hlo:multiply", "a product"}};
enum { N_OPERATIONS = sizeof operations / sizeof *operations };

static sp_dtype type_of(const spi_mender *m, const sp_node *node) {
  return m->program->tensors[node->out].shape.dtype;
}

/* The reduction is a text. */
static bool try_word(spi_mender *m, uint32_t at, const sp_node *node,
                     const sp_attr *own) {
  static const char *const words[] = {"sum", "avg", "max", "min", "product"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    sp_attr value = {.kind = SP_ATTR_TEXT, .u.text = words[i]};
    spi_edit e = {.node = at,
                  .becomes = spi_edit_attr(m->s->ctx, node, own->name, value)};
    if (strcmp(own->u.text, words[i]) != 0 &&
        spi_offer(m, &e,
                  "combines what the ranks hold by the wrong operation, %s; as "
                  "%s all results are right",
                  own->u.text, words[i])) {
      return true;
    }
  }
  return false;
}

static bool try_operation(spi_mender *m, uint32_t at, const sp_node *node) {
  const sp_attr *word = sp_node_attr(node, "arg1");
  if (word && word->kind == SP_ATTR_TEXT) {
    return try_word(m, at, node, word);
  }
  if (!sp_node_attr(node, "to_apply") || type_of(m, node) == SP_PRED) {
    return false;
  }
  for (size_t i = 0; i < N_OPERATIONS; i++) {
    sp_attr value = {.kind = SP_ATTR_REGION,
                     .u.region = spi_edit_reducer(m->s->ctx, type_of(m, node),
                                                  operations[i].op)};
    spi_edit e = {.node = at,
                  .becomes = spi_edit_attr(m->s->ctx, node, "to_apply", value)};
    if (spi_offer(m, &e,
                  "combines what the ranks hold by the wrong operation; as %s "
                  "all results are right",
                  operations[i].word)) {
      return true;
    }
  }
  return false;
}

static bool try_without(spi_mender *m, uint32_t at, const sp_node *node) {
  if (node->n_in != 1 || node->n_out != 1) {
    return false;
  }
  sp_node *copy = sp_alloc(m->s->ctx, sizeof *copy);
  *copy = *node;
  bool hlo = strncmp(node->op, "hlo:", 4) == 0;
  copy->op = hlo ? "hlo:copy" : "_c10d_functional.wait_tensor.default";
  copy->n_attrs = hlo ? 0 : 1; /* arg0 */
  spi_edit e = {.node = at, .becomes = copy};
  return spi_offer(m, &e,
                   "is one collective too many: without it all results are "
                   "right");
}

/* ---- who sends to whom ---- */

/* Member k of each group sends to member k + shift; wrap: around the end. */
static const int64_t *shifted(sp_ctx *ctx, const sp_groups *g, int64_t shift,
                              bool wrap, size_t *n) {
  int64_t size = size_of(g);
  int64_t *pairs =
      sp_alloc_n(ctx, 2 * (size_t)g->start[g->n_groups] + 1, sizeof *pairs);
  *n = 0;
  for (uint32_t i = 0; i < g->n_groups; i++) {
    for (int64_t k = 0; k < size; k++) {
      int64_t to = k + shift;
      if (wrap) {
        to = ((to % size) + size) % size;
      }
      if (to >= 0 && to < size) {
        pairs[(*n)++] = g->ids[g->start[i] + k];
        pairs[(*n)++] = g->ids[g->start[i] + to];
      }
    }
  }
  return pairs;
}

static const int64_t *reversed(sp_ctx *ctx, const sp_groups *g, size_t *n) {
  int64_t size = size_of(g);
  int64_t *pairs =
      sp_alloc_n(ctx, 2 * (size_t)g->start[g->n_groups] + 1, sizeof *pairs);
  *n = 0;
  for (uint32_t i = 0; i < g->n_groups; i++) {
    for (int64_t k = 0; k < size; k++) {
      pairs[(*n)++] = g->ids[g->start[i] + k];
      pairs[(*n)++] = g->ids[g->start[i] + size - 1 - k];
    }
  }
  return pairs;
}

static const char *pairs_text(sp_ctx *ctx, const int64_t *v, size_t n) {
  sp_str s = {0};
  for (size_t i = 0; i + 1 < n && i < (size_t)(2 * SHOWN_RANKS); i += 2) {
    sp_str_addf(ctx, &s, "%s%lld to %lld", i ? ", " : "", (long long)v[i],
                (long long)v[i + 1]);
  }
  if (n > (size_t)(2 * SHOWN_RANKS)) {
    sp_str_add(ctx, &s, ", ...");
  }
  return s.v ? s.v : "nothing is sent";
}

typedef struct pairs {
  const int64_t *v;
  size_t n;
} pairs;

/* Ways to send that make sense; returns how many. */
static uint32_t ways_to_send(spi_mender *m, pairs *out) {
  uint32_t n = 0;
  for (size_t i = 0; i < m->groupings.n; i++) {
    const sp_groups *g = m->groupings.v[i].groups;
    int64_t size = size_of(g);
    for (int64_t k = 1; k < size && k < 16 && n + 4 < MAX_PAIRS; k++) {
      out[n].v = shifted(m->s->ctx, g, k, true, &out[n].n);
      n++;
      if (k == 1) {
        out[n].v = shifted(m->s->ctx, g, -1, false, &out[n].n);
        n++;
        out[n].v = shifted(m->s->ctx, g, 1, false, &out[n].n);
        n++;
        out[n].v = reversed(m->s->ctx, g, &out[n].n);
        n++;
      }
    }
  }
  return n;
}

static bool try_pairs(spi_mender *m, uint32_t at, const sp_node *node) {
  const sp_attr *own = sp_node_attr(node, "source_target_pairs");
  if (!own || own->kind != SP_ATTR_INTS) {
    return false;
  }
  pairs way[MAX_PAIRS];
  uint32_t n = ways_to_send(m, way);
  for (uint32_t i = 0; i < n; i++) {
    sp_attr value = {.kind = SP_ATTR_INTS, .u.ints = way[i].v, .n = way[i].n};
    spi_edit e = {.node = at,
                  .becomes = spi_edit_attr(m->s->ctx, node,
                                           "source_target_pairs", value)};
    if (spi_offer(m, &e,
                  "receives from the wrong ranks (%s); with %s all results are "
                  "right",
                  pairs_text(m->s->ctx, own->u.ints, own->n),
                  pairs_text(m->s->ctx, way[i].v, way[i].n))) {
      return true;
    }
  }
  return false;
}

bool spi_try_collective(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  if (!groups_of(node) && !sp_node_attr(node, "source_target_pairs")) {
    return false;
  }
  return try_groups(m, at, node) || try_pairs(m, at, node) ||
         try_without(m, at, node) || try_operation(m, at, node);
}

/* ---- one that is missing ---- */

static bool can_follow(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  return node->n_in > 0 && node->n_out == 1 && !groups_of(node) &&
         !spi_is_op(node, "while");
}

static bool try_reducing(spi_mender *m, uint32_t at, const spi_grouping *g,
                         const operation *how) {
  const sp_node *node = &m->program->nodes[at];
  sp_node *then = sp_alloc(m->s->ctx, sizeof *then);
  *then = (sp_node){.op = "hlo:all-reduce", .name = node->name};
  sp_attr groups = {.kind = SP_ATTR_GROUPS, .u.groups = g->groups};
  sp_attr reducer = {
      .kind = SP_ATTR_REGION,
      .u.region = spi_edit_reducer(m->s->ctx, type_of(m, node), how->op)};
  then = spi_edit_attr(m->s->ctx, then, "replica_groups", groups);
  then = spi_edit_attr(m->s->ctx, then, "to_apply", reducer);
  spi_edit e = {.node = at, .becomes = node, .then = then};
  return spi_offer(m, &e,
                   "is what each rank has by itself: an all-reduce is missing "
                   "after it; with %s over %s all results are right",
                   how->word, g->text);
}

bool spi_try_sending(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  if (!can_follow(m, at)) {
    return false;
  }
  pairs way[MAX_PAIRS];
  uint32_t n = ways_to_send(m, way);
  for (uint32_t i = 0; i < n; i++) {
    sp_node *then = sp_alloc(m->s->ctx, sizeof *then);
    *then = (sp_node){.op = "hlo:collective-permute", .name = node->name};
    sp_attr value = {.kind = SP_ATTR_INTS, .u.ints = way[i].v, .n = way[i].n};
    spi_edit e = {
        .node = at,
        .becomes = node,
        .then = spi_edit_attr(m->s->ctx, then, "source_target_pairs", value)};
    if (spi_offer(m, &e,
                  "stays on its rank: a collective-permute is missing after "
                  "it; when sent %s all results are right",
                  pairs_text(m->s->ctx, way[i].v, way[i].n))) {
      return true;
    }
  }
  return false;
}

static bool can_reduce(spi_mender *m, uint32_t at) {
  return can_follow(m, at) &&
         sp_dtype_is_float(type_of(m, &m->program->nodes[at]));
}

/* The same mend may be as good further up: the first tensor is best of those
 * that are not larger. Nobody sends what is added up right after. */
static void move_up(spi_mender *m, uint32_t at, const spi_grouping *g,
                    const operation *how) {
  const sp_program *p = m->program;
  for (bool moved = true; moved;) {
    const sp_node *node = &p->nodes[at];
    int64_t n = sp_shape_elements(&p->tensors[node->out].shape);
    moved = false;
    for (uint32_t i = 0; i < node->n_in && !moved; i++) {
      uint32_t up = p->tensors[node->in[i]].node;
      if (can_reduce(m, up) &&
          sp_shape_elements(&p->tensors[node->in[i]].shape) <= n &&
          try_reducing(m, up, g, how)) {
        at = up;
        moved = true;
      }
    }
  }
}

/* What the node itself reduces with comes first. */
static bool is_maximum(const sp_node *node) {
  const sp_attr *a = sp_node_attr(node, "to_apply");
  const sp_program *p = a && a->kind == SP_ATTR_REGION ? a->u.region : NULL;
  if (spi_is_fx(node, "amax") || spi_is_fx(node, "max")) {
    return true;
  }
  return p && p->n_nodes && spi_is_op(&p->nodes[p->n_nodes - 1], "maximum");
}

static bool try_operations(spi_mender *m, uint32_t at, size_t n) {
  if (!can_reduce(m, at)) {
    return false;
  }
  size_t first = is_maximum(&m->program->nodes[at]) ? 1 : 0;
  for (size_t k = 0; k < n; k++) {
    const operation *how = &operations[k == 0 ? first : 1 - first];
    for (size_t i = 0; i < m->groupings.n; i++) {
      if (try_reducing(m, at, &m->groupings.v[i], how)) {
        move_up(m, at, &m->groupings.v[i], how);
        return true;
      }
    }
  }
  return false;
}

bool spi_try_missing(spi_mender *m, uint32_t at) {
  return try_operations(m, at, 2);
}

bool spi_try_missing_sum(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  return (spi_is_op(node, "dot") || spi_is_op(node, "reduce") ||
          spi_is_op(node, "scatter") || spi_is_op(node, "convolution")) &&
         try_operations(m, at, 1);
}

/* ---- counted too often ---- */

/* Reductions over so many ranks between the node and the wrong result: the
 * first, or UINT32_MAX. */
static uint32_t reduction_below(const spi_mender *m, uint32_t at, int64_t n) {
  const sp_program *p = m->program;
  sp_ctx *ctx = m->s->ctx;
  bool *below = sp_alloc_n(ctx, p->n_nodes + 1u, sizeof *below);
  bool *above = sp_alloc_n(ctx, p->n_nodes + 1u, sizeof *above);
  below[at] = true;
  above[p->tensors[m->result].node] = true;
  for (uint32_t i = at + 1; i < p->n_nodes; i++) {
    for (uint32_t k = 0; k < p->nodes[i].n_in; k++) {
      below[i] = below[i] || below[p->tensors[p->nodes[i].in[k]].node];
    }
  }
  for (uint32_t i = p->n_nodes; i-- > 0;) {
    for (uint32_t k = 0; above[i] && k < p->nodes[i].n_in; k++) {
      above[p->tensors[p->nodes[i].in[k]].node] = true;
    }
  }
  for (uint32_t i = at; i < p->n_nodes; i++) {
    const sp_attr *a = groups_of(&p->nodes[i]);
    if (below[i] && above[i] && a && size_of(a->u.groups) == n &&
        strstr(p->nodes[i].op, "reduce")) {
      return i;
    }
  }
  return UINT32_MAX;
}

/* What is too large by the number of ranks already above a sum over them is
 * best mended there. */
static bool blame_reduction(spi_mender *m, uint32_t at, double n) {
  uint32_t sum = reduction_below(m, at, (int64_t)n);
  if (sum != UINT32_MAX && sum != at) {
    m->mend.text = sp_format(
        m->s->ctx,
        "reduces over %g ranks what is %g times too large: an average instead "
        "of a sum, or a division by %g, is missing; with %s divided by it all "
        "results are right",
        n, n, n, m->program->tensors[m->program->nodes[at].out].name);
    m->mend.node = sum;
  }
  return true;
}

/* Steps that are added up and should be averaged. */
static bool try_steps(spi_mender *m, const spi_edit *e) {
  for (double n = 2; n <= 4; n += 2) {
    spi_scaling less = {.scale = 1 / n}, more = {.scale = n};
    if (spi_offer_scaled(m, e, less,
                         "is %g times too large: something is counted %g "
                         "times, or a division is missing; divided by it all "
                         "results are right",
                         n, n) ||
        spi_offer_scaled(m, e, more,
                         "is %g times too small: times it all results are "
                         "right",
                         n)) {
      return true;
    }
  }
  return false;
}

bool spi_try_scale(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  if (node->n_out != 1 || !sp_dtype_is_float(type_of(m, node)) ||
      node->n_in == 0) {
    return false;
  }
  spi_edit e = {.node = at, .becomes = node};
  bool sum = spi_is_op(node, "add") || spi_is_op(node, "subtract") ||
             spi_is_fx(node, "add") || spi_is_fx(node, "sub") ||
             spi_is_fx(node, "addmm");
  for (size_t i = 0; i < m->groupings.n; i++) {
    double n = (double)size_of(m->groupings.v[i].groups);
    for (uint32_t k = 0; sum && k < 2 && k < node->n_in; k++) {
      spi_scaling part = {.scaled = k + 1, .factor = 1 / n};
      if (spi_offer_scaled(m, &e, part,
                           "adds %s on every rank before a sum over %g ranks: "
                           "it counts %g times; added once all results are "
                           "right",
                           m->program->tensors[node->in[k]].name, n, n)) {
        return true;
      }
    }
    spi_scaling less = {.scale = 1 / n}, more = {.scale = n};
    if (spi_offer_scaled(m, &e, less,
                         "is %g times too large, %g being the number of ranks "
                         "in %s: it is summed once too often, or the division "
                         "is missing; divided by it all results are right",
                         n, n, m->groupings.v[i].text)) {
      return blame_reduction(m, at, n);
    }
    if (spi_offer_scaled(m, &e, more,
                         "is %g times too small, %g being the number of ranks "
                         "in %s: times it all results are right",
                         n, n, m->groupings.v[i].text)) {
      return true;
    }
  }
  return try_steps(m, &e);
}
