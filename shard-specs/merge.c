/* merge.c: read sp_merge_ranks. Each rank's program is walked in its order
 * (advance); a call of a collective is only noted, and waits for the same call
 * of the other members (arrive). A rank whose next operator needs the result of
 * such a call stands still. Where all stand still they wait for each other. */
#include "shard-specs/merge_i.h"

#include <inttypes.h>
#include <string.h>

/* Calls of one group, oldest first; all before `met` are done. */
typedef struct meeting_point {
  spi_members members;
  SP_VEC(const sp_node *) * calls; /* by member */
  size_t met;
} meeting_point;

/* A name of the rank that is that of another rank's: looked at. */
typedef struct alias {
  int64_t rank;
  const char *name, *other;
} alias;

typedef struct walk {
  spi_merging m;
  uint32_t *at; /* by rank: its next node */
  SP_VEC(meeting_point) points;
  SP_VEC(alias) aliases;
} walk;

/* ---- groups ---- */

static noreturn void bad_group(const walk *w, uint32_t rank,
                               const sp_node *node, const char *name,
                               const char *text) {
  sp_raise(w->m.ctx, SP_ERR_INPUT, node->pos.dump,
           "say which ranks it holds in `groups` of the spec",
           "rank %u, %s: the process group '%.80s' %s", rank, node->op, name,
           text);
}

static const char *group_name(const sp_node *node) {
  const char *name = NULL;
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    if (sp_roll_names_group(node, &node->attrs[i])) {
      name = node->attrs[i].u.text;
    }
  }
  return name;
}

static spi_members members_of(const walk *w, uint32_t rank,
                              const sp_node *node) {
  const char *name = group_name(node);
  if (!name) {
    bad_group(w, rank, node, "?", "is not named in the text");
  }
  for (size_t i = 0; i < w->m.n_groups; i++) {
    const sp_groups *g = w->m.groups[i].groups;
    if (strcmp(w->m.groups[i].name, name) != 0) {
      continue;
    }
    for (uint32_t k = 0; k < g->n_groups; k++) {
      for (uint32_t j = g->start[k]; j < g->start[k + 1]; j++) {
        if (g->ids[j] == rank) {
          return (spi_members){g->ids + g->start[k],
                               g->start[k + 1] - g->start[k]};
        }
      }
    }
    bad_group(w, rank, node, name, "does not hold the rank");
  }
  bad_group(w, rank, node, name, "is not known");
}

static meeting_point *point_of(walk *w, spi_members g) {
  for (size_t i = 0; i < w->points.n; i++) {
    spi_members o = w->points.v[i].members;
    if (o.n == g.n && memcmp(o.ids, g.ids, g.n * sizeof *g.ids) == 0) {
      return &w->points.v[i];
    }
  }
  meeting_point p = {.members = g};
  p.calls = sp_alloc_n(w->m.ctx, g.n, sizeof *p.calls);
  sp_push(w->m.ctx, &w->points, p);
  return &w->points.v[w->points.n - 1];
}

/* ---- building ---- */

static const char *name_on(const walk *w, const char *name, int64_t rank) {
  return sp_format(w->m.ctx, "%s on rank %" PRId64, name, rank);
}

static uint32_t add_tensor(spi_merging *m, int64_t rank, const char *name,
                           const char *own, const sp_shape *shape,
                           uint32_t result) {
  sp_tensor t = {.name = name,
                 .own = own,
                 .on = (uint32_t)rank + 1,
                 .shape = *shape,
                 .node = (uint32_t)m->nodes.n,
                 .result = result};
  sp_push(m->ctx, &m->tensors, t);
  return (uint32_t)m->tensors.n - 1;
}

uint32_t spi_merge_add(spi_merging *m, int64_t rank, const sp_node *like,
                       const sp_node *node, const sp_shape *shape) {
  sp_node out = *node;
  out.op = sp_intern(m->ctx, node->op, strlen(node->op));
  out.name = sp_format(m->ctx, "%s on rank %" PRId64 " (%zu)", like->name, rank,
                       m->nodes.n);
  out.pos = like->pos;
  out.n_out = 1;
  out.out = add_tensor(m, rank, out.name, like->name, shape, 0);
  sp_push(m->ctx, &m->nodes, out);
  return out.out;
}

static void number_param(spi_merging *m, sp_node *node) {
  sp_attr *a = sp_alloc_n(m->ctx, node->n_attrs + 1u, sizeof *a);
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    a[i] = node->attrs[i];
    if (strcmp(a[i].name, "index") == 0) {
      a[i].u.i = (int64_t)m->params.n;
    }
  }
  node->attrs = a;
  sp_push(m->ctx, &m->params, node->out);
}

static void copy(walk *w, uint32_t rank, const sp_node *old) {
  spi_merging *m = &w->m;
  const sp_program *p = m->programs[rank];
  sp_node node = *old;
  uint32_t *in = sp_alloc_n(m->ctx, old->n_in + 1u, sizeof *in);
  for (uint32_t i = 0; i < old->n_in; i++) {
    in[i] = m->to[rank][old->in[i]];
  }
  node.in = in;
  node.name = name_on(w, old->name, rank);
  node.out = (uint32_t)m->tensors.n;
  for (uint32_t k = 0; k < old->n_out; k++) {
    const sp_tensor *t = &p->tensors[old->out + k];
    m->to[rank][old->out + k] =
        add_tensor(m, rank, name_on(w, t->name, rank), t->name, &t->shape, k);
  }
  if (strcmp(old->op, "fx:placeholder") == 0) {
    number_param(m, &node);
  }
  sp_push(m->ctx, &m->nodes, node);
}

/* ---- walking ---- */

static bool is_known(const walk *w, const alias *a) {
  for (size_t i = 0; i < w->aliases.n; i++) {
    const alias *b = &w->aliases.v[i];
    if (b->rank == a->rank && strcmp(b->name, a->name) == 0 &&
        strcmp(b->other, a->other) == 0) {
      return true;
    }
  }
  return false;
}

/* Two groups of the same ranks do not meet each other. */
static void check_names(walk *w, const spi_meeting *x) {
  int64_t first = x->members.ids[0];
  const char *other = group_name(x->calls[0]);
  for (uint32_t k = 1; k < x->members.n; k++) {
    alias a = {x->members.ids[k], group_name(x->calls[k]), other};
    if (strcmp(a.name, other) == 0 || is_known(w, &a)) {
      continue;
    }
    sp_push(w->m.ctx, &w->aliases, a);
    if (sp_roll_uses_group(w->m.programs[a.rank], other) ||
        sp_roll_uses_group(w->m.programs[first], a.name)) {
      bad_group(w, (uint32_t)a.rank, x->calls[k], a.name,
                sp_format(w->m.ctx,
                          "meets '%.80s' of rank %" PRId64
                          ", and one of them knows both",
                          other, first));
    }
  }
}

/* A call is done when all members have made it. */
static void meet(walk *w, meeting_point *p) {
  spi_meeting x = {.members = p->members};
  x.calls = sp_alloc_n(w->m.ctx, p->members.n, sizeof *x.calls);
  for (;;) {
    for (uint32_t k = 0; k < p->members.n; k++) {
      if (p->met >= p->calls[k].n) {
        return;
      }
      x.calls[k] = p->calls[k].v[p->met];
    }
    check_names(w, &x);
    spi_merge_collective(&w->m, &x);
    p->met++;
  }
}

static void arrive(walk *w, uint32_t rank, const sp_node *node) {
  meeting_point *p = point_of(w, members_of(w, rank, node));
  for (uint32_t k = 0; k < p->members.n; k++) {
    if (p->members.ids[k] == rank) {
      sp_push(w->m.ctx, &p->calls[k], node);
    }
  }
  meet(w, p);
}

static bool ready(const walk *w, uint32_t rank, const sp_node *node) {
  for (uint32_t i = 0; i < node->n_in; i++) {
    if (w->m.to[rank][node->in[i]] == SP_NO_TENSOR) {
      return false;
    }
  }
  return true;
}

/* As far as the rank gets; false: not at all. */
static bool advance(walk *w, uint32_t rank) {
  const sp_program *p = w->m.programs[rank];
  uint32_t from = w->at[rank];
  while (w->at[rank] < p->n_nodes && ready(w, rank, &p->nodes[w->at[rank]])) {
    const sp_node *node = &p->nodes[w->at[rank]++];
    if (spi_merge_is_collective(node)) {
      arrive(w, rank, node);
    } else {
      copy(w, rank, node);
    }
  }
  return w->at[rank] > from;
}

/* The calls that some member never makes, or makes too late. */
static noreturn void stuck(const walk *w) {
  for (size_t i = 0; i < w->points.n; i++) {
    const meeting_point *p = &w->points.v[i];
    const sp_node *call = NULL;
    int64_t here = 0, missing = 0;
    for (uint32_t k = 0; k < p->members.n; k++) {
      if (p->calls[k].n > p->met) {
        call = p->calls[k].v[p->met];
        here = p->members.ids[k];
      } else {
        missing = p->members.ids[k];
      }
    }
    if (call) {
      uint32_t at = w->at[missing];
      const sp_program *q = w->m.programs[missing];
      const sp_node *next = at < q->n_nodes ? &q->nodes[at] : NULL;
      sp_raise(w->m.ctx, SP_ERR_INPUT, call->pos.dump,
               "all ranks of a group call the same collectives in the same "
               "order",
               "rank %" PRId64 " waits in %s (%s) for rank %" PRId64
               ", which %s%s",
               here, call->name, call->op, missing,
               next ? "waits before " : "ends without such a call",
               next ? next->name : "");
    }
  }
  sp_raise(w->m.ctx, SP_ERR_INTERNAL, sp_nowhere(), NULL,
           "the programs of the ranks cannot be put in an order");
}

static void results(walk *w, sp_program *out) {
  SP_VEC(uint32_t) list = {0};
  for (uint32_t r = 0; r < w->m.n; r++) {
    const sp_program *p = w->m.programs[r];
    for (uint32_t i = 0; i < p->n_results; i++) {
      uint32_t t = p->results[i];
      sp_push(w->m.ctx, &list, t == SP_NO_TENSOR ? t : w->m.to[r][t]);
    }
  }
  out->results = list.v;
  out->n_results = (uint32_t)list.n;
}

static void walk_all(walk *w) {
  bool any = true, rest = true;
  while (any && rest) {
    any = rest = false;
    for (uint32_t r = 0; r < w->m.n; r++) {
      any = advance(w, r) || any;
      rest = rest || w->at[r] < w->m.programs[r]->n_nodes;
    }
  }
  bool waits = rest;
  for (size_t i = 0; i < w->points.n; i++) {
    for (uint32_t k = 0; k < w->points.v[i].members.n; k++) {
      waits = waits || w->points.v[i].calls[k].n > w->points.v[i].met;
    }
  }
  if (waits) {
    stuck(w);
  }
}

sp_merged sp_merge_ranks(sp_ctx *ctx, uint32_t n,
                         const sp_program *const *programs, size_t n_groups,
                         const sp_named_group *groups) {
  walk w = {.m = {.ctx = ctx,
                  .n = n,
                  .programs = programs,
                  .n_groups = n_groups,
                  .groups = groups}};
  w.at = sp_alloc_n(ctx, n, sizeof *w.at);
  w.m.to = sp_alloc_n(ctx, n, sizeof *w.m.to);
  for (uint32_t r = 0; r < n; r++) {
    uint32_t count = programs[r]->n_tensors;
    w.m.to[r] = sp_alloc_n(ctx, count + 1u, sizeof **w.m.to);
    for (uint32_t t = 0; t < count; t++) {
      w.m.to[r][t] = SP_NO_TENSOR;
    }
  }
  walk_all(&w);
  sp_program *out = sp_alloc(ctx, sizeof *out);
  *out = *programs[0];
  out->partitions = 1;
  out->n_nodes = (uint32_t)w.m.nodes.n;
  out->nodes = w.m.nodes.v;
  out->n_tensors = (uint32_t)w.m.tensors.n;
  out->tensors = w.m.tensors.v;
  out->n_params = (uint32_t)w.m.params.n;
  out->params = w.m.params.v;
  out->result_shardings = NULL;
  out->param_shardings = NULL;
  results(&w, out);
  sp_program_check(ctx, out);
  return (sp_merged){out, (const uint32_t *const *)w.m.to};
}
