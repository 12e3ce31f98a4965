/* machine_loop.c: loops are run: condition and body again and again. The body
 * computes on all ranks; ranks that have left the loop keep their values. */
#include "solve/machine.h"

#include <string.h>

struct spi_loop {
  sp_machine *condition, *body;
  bool talks; /* the condition or body has collectives */
};

bool spi_is_loop(const sp_node *node) {
  return strcmp(node->op, "hlo:while") == 0;
}

static const sp_program *region(sp_machine *m, const sp_node *node,
                                const char *name) {
  const sp_attr *a = sp_node_attr(node, name);
  if (!a || a->kind != SP_ATTR_REGION) {
    sp_raise(m->e->ctx, SP_ERR_INPUT, node->pos.dump, NULL,
             "%s: the loop has no %s", node->name, name);
  }
  return a->u.region;
}

spi_loop *spi_loop_new(sp_machine *m, uint32_t node) {
  const sp_node *n = &m->program->nodes[node];
  spi_loop *l = sp_alloc(m->e->ctx, sizeof *l);
  for (uint32_t i = 0; i < n->n_attrs; i++) {
    const char *name = n->attrs[i].name;
    if (strcmp(name, "has_collectives") == 0) {
      l->talks = true;
    } else if (strcmp(name, "condition") != 0 && strcmp(name, "body") != 0) {
      sp_raise(m->e->ctx, SP_ERR_UNKNOWN, n->pos.dump, NULL,
               "%s: attribute %s of a loop is not understood", n->name, name);
    }
  }
  l->condition = spi_machine_inner(m->e, region(m, n, "condition"));
  l->body = spi_machine_inner(m->e, region(m, n, "body"));
  return l;
}

double spi_loop_cost(spi_loop *l) {
  return spi_machine_cost(l->condition) + spi_machine_cost(l->body);
}

static void give(sp_machine *inner, uint32_t n, spi_buffer *const *values) {
  spi_machine_clear(inner);
  for (uint32_t k = 0; k < n; k++) {
    machine_tensor *t = &inner->tensors[inner->program->params[k]];
    t->values = values[k];
    t->given = true;
    values[k]->users++;
  }
}

/* Which ranks go on? -1: no values. */
static int64_t decide(sp_machine *inner, uint32_t n, spi_buffer *const *values,
                      bool *active) {
  give(inner, n, values);
  if (!spi_machine_results(inner)) {
    return -1;
  }
  int64_t going = 0;
  for (int64_t r = 0; r < inner->e->ranks; r++) {
    active[r] = active[r] &&
                sp_machine_int(inner, inner->program->results[0], r, 0) != 0;
    going += active[r];
  }
  return going;
}

/* The body's result where a rank is active, the old value elsewhere. */
static spi_buffer *merged(sp_machine *m, uint32_t tensor, spi_buffer *old,
                          spi_buffer *new, const bool *active) {
  const machine_tensor *t = &m->tensors[tensor];
  size_t bytes = (size_t)t->n * spi_sort_bytes(t->sort);
  spi_buffer *b = spi_buffer_new(m, tensor);
  for (int64_t r = 0; b && r < m->e->ranks; r++) {
    const spi_buffer *from = active[r] ? new : old;
    memcpy((char *)b->data + (size_t)r * bytes,
           (const char *)from->data + (size_t)r * bytes, bytes);
  }
  return b;
}

static bool step(sp_machine *m, const sp_node *node, spi_loop *l,
                 spi_buffer **values, const bool *active, bool all) {
  sp_machine *body = l->body;
  give(body, node->n_in, values);
  if (!spi_machine_results(body)) {
    return false;
  }
  for (uint32_t k = 0; k < node->n_in; k++) {
    spi_buffer *new = body->tensors[body->program->results[k]].values;
    if (all) {
      new->users++;
    } else {
      new = merged(m, node->in[k], values[k], new, active);
      if (!new) {
        return false;
      }
    }
    spi_buffer_drop(m->e, values[k]);
    values[k] = new;
  }
  spi_machine_clear(body);
  return true;
}

/* False: trouble. The inner machines' troubles name their own nodes. */
static bool iterate(sp_machine *m, uint32_t at, spi_loop *l,
                    spi_buffer **values, bool *active) {
  const sp_node *node = &m->program->nodes[at];
  for (;;) {
    int64_t going = decide(l->condition, node->n_in, values, active);
    if (going <= 0) {
      return going == 0;
    }
    bool all = going == m->e->ranks;
    if (!all && l->talks) {
      return spi_fail(m, SP_RUN_UNDEFINED, at, "",
                      "%s: some ranks leave the loop earlier than others, but "
                      "its body communicates",
                      node->name);
    }
    if (!step(m, node, l, values, active, all)) {
      return false;
    }
  }
}

bool spi_loop_run(sp_machine *m, uint32_t at, spi_loop *l) {
  const sp_node *node = &m->program->nodes[at];
  spi_engine *e = m->e;
  spi_buffer **values = sp_alloc_n(e->ctx, node->n_in + 1u, sizeof *values);
  bool *active = sp_alloc_n(e->ctx, (size_t)e->ranks, sizeof *active);
  memset(active, 1, (size_t)e->ranks * sizeof *active);
  for (uint32_t k = 0; k < node->n_in; k++) {
    values[k] = m->tensors[node->in[k]].values;
    values[k]->users++;
  }
  bool ok = iterate(m, at, l, values, active);
  spi_machine_clear(l->condition);
  spi_machine_clear(l->body);
  if (!ok) {
    e->trouble.node = at;
  }
  for (uint32_t k = 0; k < node->n_out; k++) {
    machine_tensor *t = &m->tensors[node->out + k];
    if (ok && !t->values) {
      t->values = values[k];
    } else {
      spi_buffer_drop(e, values[k]);
    }
  }
  return ok;
}
