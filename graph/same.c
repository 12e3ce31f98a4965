/* same.c: attributes, then nodes and regions, then hashes. */
#include "graph/same.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MAX_REGION_DEPTH = 100 };
enum { MAX_VALUES = 64 }; /* of a literal, that count in a hash */

static bool program_equal(const sp_program *a, const sp_program *b, int depth);

static bool literal_equal(const sp_literal *a, const sp_literal *b) {
  if (a == b) {
    return true;
  }
  if (!sp_shape_equal(&a->shape, &b->shape) || a->splat != b->splat ||
      !a->i != !b->i) {
    return false;
  }
  size_t n = a->splat ? 1 : (size_t)sp_shape_elements(&a->shape);
  if (n == 0) {
    return true;
  }
  if (a->i) {
    return memcmp(a->i, b->i, n * sizeof *a->i) == 0;
  }
  bool pairs = a->shape.dtype == SP_C64 || a->shape.dtype == SP_C128;
  return memcmp(a->f, b->f, n * (pairs ? 2 : 1) * sizeof *a->f) == 0;
}

static bool groups_equal(const sp_groups *a, const sp_groups *b) {
  if (a == b) {
    return true;
  }
  if (a->n_groups != b->n_groups ||
      memcmp(a->start, b->start, (a->n_groups + 1u) * sizeof *a->start) != 0) {
    return false;
  }
  return a->start[a->n_groups] == 0 ||
         memcmp(a->ids, b->ids, a->start[a->n_groups] * sizeof *a->ids) == 0;
}

static bool window_equal(const sp_attr *a, const sp_attr *b) {
  for (size_t i = 0; i < a->n; i++) {
    const sp_window_dim *x = &a->u.window[i], *y = &b->u.window[i];
    if (x->size != y->size || x->stride != y->stride ||
        x->pad_low != y->pad_low || x->pad_high != y->pad_high ||
        x->window_dilation != y->window_dilation ||
        x->base_dilation != y->base_dilation || x->reversal != y->reversal) {
      return false;
    }
  }
  return true;
}

/* The device that a rank computes on is no part of what it computes: FX's
 * arguments of that name, or by position (arg2). */
static bool is_device(const sp_attr *a) {
  return a->kind == SP_ATTR_TEXT && (strcmp(a->name, "device") == 0 ||
                                     (strncmp(a->name, "arg", 3) == 0 &&
                                      strncmp(a->u.text, "device(", 7) == 0));
}

/* Which calls meet is said by their groups. */
static bool is_channel(const sp_attr *a) {
  return a->kind == SP_ATTR_INT && strcmp(a->name, "channel_id") == 0;
}

static bool attr_equal(const sp_attr *a, const sp_attr *b, int depth) {
  if (a->kind != b->kind || a->n != b->n || strcmp(a->name, b->name) != 0) {
    return false;
  }
  switch (a->kind) {
  case SP_ATTR_INT:
  case SP_ATTR_OPERAND:
    return a->u.i == b->u.i || is_channel(a);
  case SP_ATTR_INTS:
  case SP_ATTR_OPERANDS:
  case SP_ATTR_RANKED_INT:
  case SP_ATTR_RANKED_INTS:
    return a->n == 0 ||
           memcmp(a->u.ints, b->u.ints, a->n * sizeof *a->u.ints) == 0;
  case SP_ATTR_FLOAT:
    return memcmp(&a->u.f, &b->u.f, sizeof a->u.f) == 0;
  case SP_ATTR_RANKED_FLOAT:
    return a->n == 0 ||
           memcmp(a->u.floats, b->u.floats, a->n * sizeof *a->u.floats) == 0;
  case SP_ATTR_TEXT:
    return strcmp(a->u.text, b->u.text) == 0 || (is_device(a) && is_device(b));
  case SP_ATTR_WINDOW:
    return window_equal(a, b);
  case SP_ATTR_LITERAL:
    return literal_equal(a->u.literal, b->u.literal);
  case SP_ATTR_GROUPS:
    return groups_equal(a->u.groups, b->u.groups);
  case SP_ATTR_REGION:
    return program_equal(a->u.region, b->u.region, depth + 1);
  case SP_ATTR_MEANING:
    return a->u.meaning == b->u.meaning;
  }
  return false;
}

/* All but the attributes; NULL when equal, else what differs. */
const char *sp_node_difference(const sp_program *p, const sp_node *a,
                               const sp_program *q, const sp_node *b) {
  if (strcmp(a->op, b->op) != 0) {
    return "the operators are different";
  }
  if (a->n_in != b->n_in || a->out != b->out || a->n_out != b->n_out) {
    return "the numbers of operands or results are different";
  }
  if (a->n_in && memcmp(a->in, b->in, a->n_in * sizeof *a->in) != 0) {
    return "the operands are different";
  }
  for (uint32_t i = 0; i < a->n_out; i++) {
    if (!sp_shape_equal(&p->tensors[a->out + i].shape,
                        &q->tensors[b->out + i].shape)) {
      return "the shapes of a result are different";
    }
  }
  if (a->n_attrs != b->n_attrs) {
    return "the arguments are different";
  }
  return NULL;
}

/* Parameters and results. */
bool sp_ends_same(const sp_program *p, const sp_program *q) {
  return p->n_params == q->n_params && p->n_results == q->n_results &&
         (p->n_params == 0 ||
          memcmp(p->params, q->params, p->n_params * sizeof *p->params) == 0) &&
         (p->n_results == 0 || memcmp(p->results, q->results,
                                      p->n_results * sizeof *p->results) == 0);
}

static bool program_equal(const sp_program *p, const sp_program *q, int depth) {
  if (p == q) {
    return true;
  }
  if (depth > MAX_REGION_DEPTH || p->n_nodes != q->n_nodes ||
      p->n_tensors != q->n_tensors || !sp_ends_same(p, q)) {
    return false;
  }
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_node *a = &p->nodes[i], *b = &q->nodes[i];
    if (sp_node_difference(p, a, q, b)) {
      return false;
    }
    for (uint32_t k = 0; k < a->n_attrs; k++) {
      if (!attr_equal(&a->attrs[k], &b->attrs[k], depth)) {
        return false;
      }
    }
  }
  return true;
}

static bool sharding_equal(const sp_sharding *a, const sp_sharding *b) {
  return a->kind == b->kind && a->n_dims == b->n_dims &&
         a->copies == b->copies && a->partial == b->partial &&
         a->addends == b->addends && a->n_devices == b->n_devices &&
         (a->n_dims == 0 ||
          memcmp(a->tiles, b->tiles, a->n_dims * sizeof *a->tiles) == 0) &&
         (a->n_devices == 0 ||
          memcmp(a->devices, b->devices,
                 (size_t)a->n_devices * sizeof *a->devices) == 0);
}

bool sp_sharding_same(const sp_sharding *a, const sp_sharding *b) {
  while (a && b && a != b && sharding_equal(a, b)) {
    a = a->inner;
    b = b->inner;
  }
  return a == b;
}

bool sp_attr_same(const sp_attr *a, const sp_attr *b) {
  return attr_equal(a, b, 0);
}

bool sp_node_same(const sp_node *a, const sp_node *b) {
  bool same = strcmp(a->op, b->op) == 0 && a->n_attrs == b->n_attrs;
  for (uint32_t i = 0; same && i < a->n_attrs; i++) { /* sorted by name */
    same = sp_attr_same(&a->attrs[i], &b->attrs[i]);
  }
  return same;
}

/* ---- hashes ---- */

static uint64_t text_hash(uint64_t h, const char *text) {
  return XXH3_64bits_withSeed(text, strlen(text), h);
}

static uint64_t ints_hash(uint64_t h, const int64_t *v, size_t n) {
  return XXH3_64bits_withSeed(v, n * sizeof *v, h);
}

static uint64_t literal_hash(uint64_t h, const sp_literal *l) {
  int64_t n = l->splat ? 1 : sp_shape_elements(&l->shape);
  size_t most = (size_t)(n < MAX_VALUES ? n : MAX_VALUES);
  return l->i ? ints_hash(h, l->i, most)
              : XXH3_64bits_withSeed(l->f, most * sizeof *l->f, h);
}

static uint64_t attr_hash(uint64_t h, const sp_attr *a) {
  h = text_hash(h, a->name);
  switch (a->kind) {
  case SP_ATTR_INT:
  case SP_ATTR_OPERAND:
    return is_channel(a) ? h : ints_hash(h, &a->u.i, 1);
  case SP_ATTR_INTS:
  case SP_ATTR_OPERANDS:
  case SP_ATTR_RANKED_INT:
  case SP_ATTR_RANKED_INTS:
    return ints_hash(h, a->u.ints, a->n);
  case SP_ATTR_FLOAT:
    return XXH3_64bits_withSeed(&a->u.f, sizeof a->u.f, h);
  case SP_ATTR_RANKED_FLOAT:
    return XXH3_64bits_withSeed(a->u.floats, a->n * sizeof *a->u.floats, h);
  case SP_ATTR_TEXT:
    return is_device(a) ? h : text_hash(h, a->u.text);
  case SP_ATTR_LITERAL:
    return literal_hash(h, a->u.literal);
  case SP_ATTR_GROUPS:
    return ints_hash(h, a->u.groups->ids,
                     a->u.groups->start[a->u.groups->n_groups]);
  case SP_ATTR_REGION:
    return h + a->u.region->n_nodes;
  case SP_ATTR_WINDOW:
  case SP_ATTR_MEANING:
    break;
  }
  return h;
}

uint64_t sp_node_hash(const sp_node *node) {
  uint64_t h = text_hash(node->n_out, node->op);
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    h = attr_hash(h, &node->attrs[i]);
  }
  return h;
}
