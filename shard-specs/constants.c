/* constants.c: read sp_spec_constants. */
#include "shard-specs/constants.h"

#include "shard-specs/names.h"

#include <string.h>

typedef struct filling {
  sp_ctx *ctx;
  const sp_spec_constant *c;
  sp_node *node;
  sp_tensor *tensor;
} filling;

static noreturn void bad(const filling *f, const char *hint, const char *text) {
  sp_raise(f->ctx, SP_ERR_INPUT, f->c->loc, hint, "the constant %s: %s",
           f->c->name, text);
}

static bool dims_equal(const sp_shape *a, const sp_shape *b) {
  sp_shape x = *a, y = *b;
  x.dtype = y.dtype = SP_F32;
  return sp_shape_equal(&x, &y);
}

/* The program's shape, checked, or where it does not say, the spec's. */
static void settle_shape(filling *f) {
  sp_shape *s = &f->tensor->shape;
  const sp_spec_constant *c = f->c;
  if (s->dtype == SP_DTYPE_INVALID) {
    if (c->shape.dtype != SP_DTYPE_INVALID) {
      static const int64_t none[1] = {0};
      *s = c->shape;
      s->dims = s->n_dims ? s->dims : none;
    }
    return;
  }
  bool type = c->shape.dtype == SP_DTYPE_INVALID || c->shape.dtype == s->dtype;
  if (!type || (c->has_shape && !dims_equal(&c->shape, s))) {
    bad(f, NULL,
        sp_format(f->ctx, "in the program it is %s", sp_shape_text(f->ctx, s)));
  }
}

static void set_attr(filling *f, const sp_attr *a) {
  sp_node *node = f->node;
  sp_attr *attrs = sp_alloc_n(f->ctx, node->n_attrs + 1u, sizeof *attrs);
  uint32_t n = 0;
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    if (strcmp(node->attrs[i].name, a->name) != 0) {
      attrs[n++] = node->attrs[i];
    }
  }
  attrs[n++] = *a;
  node->attrs = attrs;
  node->n_attrs = n;
}

static void set_number(filling *f) {
  sp_dtype t = f->tensor->shape.dtype;
  sp_attr a = {.name = sp_intern(f->ctx, "value", 5)};
  if (sp_dtype_is_int(t) || t == SP_PRED) {
    if (!f->c->i) {
      bad(f, NULL,
          sp_format(f->ctx, "%g is no value of type %s", f->c->f[0],
                    sp_dtype_name(t)));
    }
    a.kind = SP_ATTR_INT;
    a.u.i = f->c->i[0];
  } else {
    a.kind = SP_ATTR_FLOAT;
    a.u.f = f->c->f[0];
  }
  set_attr(f, &a);
}

/* An array, or one number for all elements. */
static void set_literal(filling *f) {
  const sp_shape *s = &f->tensor->shape;
  if (s->dtype == SP_DTYPE_INVALID) {
    bad(f, "{dtype: f32, shape: [2], value: [1, 2]}",
        "its type is neither in the program nor here");
  }
  bool whole = !sp_dtype_is_float(s->dtype);
  if ((whole && !f->c->i) ||
      (f->c->n != 1 && sp_shape_elements(s) != (int64_t)f->c->n)) {
    bad(f, NULL,
        sp_format(f->ctx, "%u values do not make %s", f->c->n,
                  sp_shape_text(f->ctx, s)));
  }
  sp_literal *l = sp_alloc(f->ctx, sizeof *l);
  *l = (sp_literal){.shape = *s,
                    .splat = f->c->n == 1,
                    .i = whole ? f->c->i : NULL,
                    .f = whole ? NULL : f->c->f};
  sp_attr a = {.name = sp_intern(f->ctx, "literal", 7),
               .kind = SP_ATTR_LITERAL,
               .u.literal = l};
  f->node->op = sp_intern(f->ctx, "hlo:constant", 12);
  f->node->n_attrs = 0;
  set_attr(f, &a);
}

/* Its name in the module, or NULL where the node is no open constant. */
static const char *constant_name(const sp_node *node) {
  if (strcmp(node->op, "fx:get_attr") == 0) {
    const sp_attr *a = sp_node_attr(node, "name");
    return a && a->kind == SP_ATTR_TEXT ? a->u.text : NULL;
  }
  if (strcmp(node->op, "hlo:constant") == 0 && !sp_node_attr(node, "literal")) {
    return node->name;
  }
  return NULL;
}

static bool is_meant(const sp_spec_constant *c, int64_t rank,
                     const char *name) {
  return (c->rank < 0 || rank < 0 || c->rank == rank) &&
         sp_pattern_matches(c->name, name);
}

/* The one for the rank, before the one for all. */
static const sp_spec_constant *find(const sp_spec_side *side, int64_t rank,
                                    const char *name, bool *used) {
  const sp_spec_constant *best = NULL;
  for (size_t i = 0; i < side->n_constants; i++) {
    const sp_spec_constant *c = &side->constants[i];
    if (!is_meant(c, rank, name)) {
      continue;
    }
    used[i] = true;
    if (!best || (best->rank < 0 && c->rank >= 0)) {
      best = c;
    }
  }
  return best;
}

const sp_program *sp_spec_constants(sp_ctx *ctx, const sp_spec_side *side,
                                    const sp_program *p, int64_t rank,
                                    bool *used) {
  if (side->n_constants == 0) {
    return p;
  }
  sp_node *nodes = sp_alloc_n(ctx, p->n_nodes + 1u, sizeof *nodes);
  sp_tensor *tensors = sp_alloc_n(ctx, p->n_tensors + 1u, sizeof *tensors);
  memcpy(nodes, p->nodes, p->n_nodes * sizeof *nodes);
  memcpy(tensors, p->tensors, p->n_tensors * sizeof *tensors);
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const char *name = constant_name(&nodes[i]);
    const sp_spec_constant *c = name ? find(side, rank, name, used) : NULL;
    if (!c) {
      continue;
    }
    filling f = {ctx, c, &nodes[i], &tensors[nodes[i].out]};
    settle_shape(&f);
    if (c->n == 1 && strcmp(nodes[i].op, "fx:get_attr") == 0) {
      set_number(&f);
    } else {
      set_literal(&f);
    }
  }
  sp_program *out = sp_alloc(ctx, sizeof *out);
  *out = *p;
  out->nodes = nodes;
  out->tensors = tensors;
  return out;
}
