/* fx_alias.c: in-place operators made functional. Every variable knows the
 * tensor that holds its value, as of a version of its storage. A write makes a
 * new version: the written variable and all that it views, up to the owner of
 * the storage, get new tensors at once; other views are behind, and are made
 * again from what they view when they are read next. */
#include "graph/fx_i.h"

#include <string.h>

static uint32_t storage_new(fx_build *b) {
  uint32_t at = (uint32_t)b->storages.n;
  fx_storage s = {.seen = b->time, .family = at};
  sp_push(b->ctx, &b->storages, s);
  return at;
}

static fx_storage *family_of(fx_build *b, uint32_t storage) {
  uint32_t at = storage;
  while (b->storages.v[at].family != at) {
    b->storages.v[at].family = b->storages.v[b->storages.v[at].family].family;
    at = b->storages.v[at].family;
  }
  return &b->storages.v[at];
}

uint32_t fx_var_family(fx_build *b, uint32_t var) {
  return (uint32_t)(family_of(b, b->vars.v[var].storage) - b->storages.v);
}

static uint32_t var_add(fx_build *b, const fx_var *v) {
  sp_push(b->ctx, &b->vars, *v);
  return (uint32_t)(b->vars.n - 1);
}

uint32_t fx_var_own(fx_build *b, const char *name, const sp_shape *shape,
                    uint32_t tensor) {
  fx_var v = {.name = name,
              .stmt = b->stmt,
              .shape = *shape,
              .tensor = tensor,
              .storage = storage_new(b),
              .parent = FX_NONE};
  return var_add(b, &v);
}

uint32_t fx_var_view(fx_build *b, const char *name, const sp_shape *shape,
                     uint32_t tensor, uint32_t parent, const fx_effect *effect,
                     uint32_t result) {
  fx_var v = {.name = name,
              .stmt = b->stmt,
              .shape = *shape,
              .tensor = tensor,
              .parent = parent,
              .link = effect->alias,
              .inverse = effect->inverse,
              .node = b->tensors.v[tensor].node,
              .result = result};
  v.storage = b->vars.v[parent].storage;
  v.version = b->storages.v[v.storage].version;
  return var_add(b, &v);
}

void fx_var_may_share(fx_build *b, uint32_t var, uint32_t other) {
  fx_storage *x = family_of(b, b->vars.v[var].storage);
  fx_storage *y = family_of(b, b->vars.v[other].storage);
  if (x == y) {
    return;
  }
  y->family = (uint32_t)(x - b->storages.v);
  if (y->written > x->written) {
    x->written = y->written;
    x->writer = y->writer;
  }
}

/* --- reading --- */

static noreturn void unknown(fx_build *b, const char *name,
                             const fx_stmt *writer, const char *how) {
  sp_raise(b->ctx, SP_ERR_UNKNOWN, b->stmt->pos.dump,
           "capture the graph after functionalization (TORCH_LOGS=aot_graphs, "
           "or make_fx of torch.func.functionalize)",
           "'%.80s' is read, and %.120s in line %u %s", name, writer->op,
           writer->pos.dump.line, how);
}

static void check_known(fx_build *b, const fx_var *v) {
  const fx_storage *s = &b->storages.v[v->storage];
  if (s->lost) {
    unknown(b, v->name, s->lost, "may have written it");
  }
  const fx_storage *family = family_of(b, v->storage);
  if (family->written > s->seen) {
    unknown(b, v->name, family->writer,
            "has written what may be the same memory");
  }
}

/* The view made again, of its parent's new value. */
static uint32_t view_again(fx_build *b, const fx_var *v) {
  const fx_var *parent = &b->vars.v[v->parent];
  sp_node n = b->nodes.v[v->node];
  uint32_t *in = sp_alloc_n(b->ctx, n.n_in, sizeof *in);
  memcpy(in, n.in, n.n_in * sizeof *in);
  in[0] = parent->tensor;
  n.in = in;
  n.name = sp_format(b->ctx, "%s'%u", v->name, ++b->n_made);
  n.pos = b->stmt->pos;
  sp_shape *shapes = sp_alloc_n(b->ctx, n.n_out, sizeof *shapes);
  for (uint32_t i = 0; i < n.n_out; i++) {
    shapes[i] = b->tensors.v[n.out + i].shape;
  }
  return fx_node(b, &n, true, shapes, NULL) + v->result;
}

uint32_t fx_var_read(fx_build *b, uint32_t var) {
  check_known(b, &b->vars.v[var]);
  uint32_t now = b->storages.v[b->vars.v[var].storage].version;
  SP_VEC(uint32_t) behind = {0};
  for (uint32_t v = var; b->vars.v[v].version != now; v = b->vars.v[v].parent) {
    sp_push(b->ctx, &behind, v);
  }
  while (behind.n) {
    uint32_t at = behind.v[--behind.n];
    fx_var *v = &b->vars.v[at];
    uint32_t tensor =
        v->link == FX_SAME ? b->vars.v[v->parent].tensor : view_again(b, v);
    v->tensor = tensor;
    v->version = now;
  }
  return b->vars.v[var].tensor;
}

/* --- writing --- */

static void family_written(fx_build *b, uint32_t storage) {
  fx_storage *family = family_of(b, storage);
  family->written = ++b->time;
  family->writer = b->stmt;
  b->storages.v[storage].seen = b->time;
}

void fx_var_write(fx_build *b, uint32_t var, uint32_t tensor) {
  uint32_t storage = b->vars.v[var].storage;
  if (b->vars.v[var].parent != FX_NONE) {
    fx_var_read(b, b->vars.v[var].parent); /* and all above it */
  }
  uint32_t version = ++b->storages.v[storage].version;
  for (uint32_t at = var;; at = b->vars.v[at].parent) {
    fx_var *v = &b->vars.v[at];
    v->tensor = tensor;
    v->version = version;
    if (v->parent == FX_NONE) {
      break;
    }
    if (v->link == FX_VIEW) {
      tensor = fx_view_undo(b, at, tensor);
    }
  }
  family_written(b, storage);
}

void fx_var_lose(fx_build *b, uint32_t var) {
  uint32_t storage = b->vars.v[var].storage;
  b->storages.v[storage].lost = b->stmt;
  family_written(b, storage);
}
