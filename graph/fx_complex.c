/* fx_complex.c: complex numbers as pairs of reals.
 *
 * Terms know reals only. Once a graph is built, fx_complex_pairs gives every
 * complex tensor a last dimension of 2 (real part, imaginary part) and a type
 * of floats, and sees to it that each node that has to do with one means the
 * same as before:
 *   KEEP  works on pairs as it is: it moves elements, or is linear
 *   DIMS  names dimensions, which are counted from the front afterwards
 *   SIZES asks for sizes: those of the result, with the 2
 *   PAIRS becomes an operator on pairs, "complex.NAME" (aten_complex.c)
 * Whatever is in no row below becomes "complex.OPERATOR", which has no meaning
 * anywhere, and is refused as such. */
#include "graph/fx_i.h"

#include "base/arith.h"

#include <string.h>

typedef enum how {
  KEEP,
  INDEX, /* KEEP; further arguments are real: indices */
  ALL,   /* KEEP, of two complex tensors */
  DIMS,  /* argument `at` is a dimension */
  LIST,  /* argument 1 is a list of all dimensions */
  SIZES, /* argument 1 */
  PAIRS,
  PRODUCT, /* of two complex tensors; of one, and reals or a number */
} how;

enum {
  TWO = 1,       /* the argument after it is a dimension, too */
  MORE = 2,      /* counted in one dimension more than operands have */
  FROM_REAL = 4, /* operands are real */
  TO_REAL = 8,   /* results are */
};

typedef struct rule {
  const char *op;
  how how;
  uint32_t at;
  const char *name; /* of the argument, as a keyword; of the new operator */
  int flags;
} rule;

/* clang-format off */
static const rule rules[] = {
    {"fx:placeholder", KEEP, 0, NULL, 0},
    {"fx:get_attr", KEEP, 0, NULL, 0},
    {"aten.clone.default", KEEP, 0, NULL, 0},
    {"aten.detach.default", KEEP, 0, NULL, 0},
    {"aten.alias.default", KEEP, 0, NULL, 0},
    {"aten.lift_fresh_copy.default", KEEP, 0, NULL, 0},
    {"aten.neg.default", KEEP, 0, NULL, 0},
    {"aten.index.Tensor", INDEX, 0, NULL, 0},
    {"aten.view_as_real.default", PAIRS, 0, "view_as_real", TO_REAL},
    {"torch.view_as_real", PAIRS, 0, "view_as_real", TO_REAL},
    {"aten.view_as_complex.default", PAIRS, 0, "view_as_complex", FROM_REAL},
    {"torch.view_as_complex", PAIRS, 0, "view_as_complex", FROM_REAL},
    {"aten.add.Tensor", ALL, 0, NULL, 0},
    {"aten.sub.Tensor", ALL, 0, NULL, 0},
    {"operator.add", ALL, 0, NULL, 0},
    {"operator.sub", ALL, 0, NULL, 0},
    {"aten.unsqueeze.default", DIMS, 1, "dim", MORE},
    {"aten.squeeze.dim", DIMS, 1, "dim", 0},
    {"aten.select.int", DIMS, 1, "dim", 0},
    {"aten.slice.Tensor", DIMS, 1, "dim", 0},
    {"aten.split.Tensor", DIMS, 2, "dim", 0},
    {"aten.cat.default", DIMS, 1, "dim", 0},
    {"aten.stack.default", DIMS, 1, "dim", MORE},
    {"aten.transpose.int", DIMS, 1, NULL, TWO},
    {"aten.permute.default", LIST, 1, "dims", 0},
    {"aten.view.default", SIZES, 1, NULL, 0},
    {"aten._unsafe_view.default", SIZES, 1, NULL, 0},
    {"aten.reshape.default", SIZES, 1, NULL, 0},
    {"aten.expand.default", SIZES, 1, NULL, 0},
    {"method.view", SIZES, 1, NULL, 0},
    {"method.reshape", SIZES, 1, NULL, 0},
    {"aten.mul.Tensor", PRODUCT, 0, NULL, 0},
    {"operator.mul", PRODUCT, 0, NULL, 0},
    {"aten._conj.default", PAIRS, 0, "conj", 0},
    {"aten.conj.default", PAIRS, 0, "conj", 0},
    {"aten.conj_physical.default", PAIRS, 0, "conj", 0},
    {"method.conj", PAIRS, 0, "conj", 0},
    {"aten.real.default", PAIRS, 0, "real", TO_REAL},
    {"aten.imag.default", PAIRS, 0, "imag", TO_REAL},
    {"aten.abs.default", PAIRS, 0, "abs", TO_REAL},
    {"aten.polar.default", PAIRS, 0, "polar", FROM_REAL},
    {"torch.polar", PAIRS, 0, "polar", FROM_REAL},
    {"aten.complex.default", PAIRS, 0, "complex", FROM_REAL},
    {"torch.complex", PAIRS, 0, "complex", FROM_REAL},
};
/* clang-format on */

static bool is_complex(const sp_shape *s) {
  return s->dtype == SP_C64 || s->dtype == SP_C128;
}

/* ---- arguments ---- */

static sp_attr *attr_of(sp_attr *v, uint32_t n, uint32_t position,
                        const char *name) {
  const char *arg[] = {"arg0", "arg1", "arg2", "arg3"};
  for (uint32_t i = 0; i < n; i++) {
    if (strcmp(v[i].name, arg[position]) == 0 ||
        (name && strcmp(v[i].name, name) == 0)) {
      return &v[i];
    }
  }
  return NULL;
}

/* d from the front, as PyTorch counts in n dimensions. */
static bool from_front(int64_t *d, uint32_t n) {
  *d += *d < 0 ? (int64_t)n : 0;
  return *d >= 0 && *d < (int64_t)n;
}

/* n: dimensions without the 2 */
static bool count_dims(const sp_node *node, sp_attr *attrs, const rule *r,
                       uint32_t n) {
  n += r->flags & MORE ? 1 : 0;
  for (uint32_t i = 0; i < (r->flags & TWO ? 2u : 1u); i++) {
    sp_attr *a = attr_of(attrs, node->n_attrs, r->at + i, r->name);
    if (!a && !(r->flags & TWO)) {
      return true; /* the default, 0 */
    }
    if (!a || a->kind != SP_ATTR_INT || !from_front(&a->u.i, n)) {
      return false;
    }
  }
  return true;
}

/* The permutation of all n, and the 2 where it was. */
static bool count_list(fx_build *b, const sp_node *node, sp_attr *attrs,
                       const rule *r, uint32_t n) {
  sp_attr *a = attr_of(attrs, node->n_attrs, r->at, r->name);
  if (!a || a->kind != SP_ATTR_INTS || a->n != n) {
    return false;
  }
  int64_t *v = sp_alloc_n(b->ctx, n + 1u, sizeof *v);
  for (uint32_t i = 0; i < n; i++) {
    v[i] = a->u.ints[i];
    if (!from_front(&v[i], n)) {
      return false;
    }
  }
  v[n] = n;
  a->u.ints = v;
  a->n = n + 1u;
  return true;
}

/* Operand 0, and the sizes that the result has. */
static bool ask_sizes(fx_build *b, sp_node *node, sp_attr *attrs) {
  const sp_shape *r = &b->tensors.v[node->out].shape;
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    if (attrs[i].kind == SP_ATTR_TEXT) { /* as another type */
      return false;
    }
  }
  sp_attr *v = sp_alloc_n(b->ctx, 2, sizeof *v);
  sp_attr *self = attr_of(attrs, node->n_attrs, 0, "self");
  if (!self || self->kind != SP_ATTR_OPERAND || node->n_in != 1) {
    return false;
  }
  v[0] = *self;
  v[1] = (sp_attr){.name = fx_arg_name(b->ctx, 1), .kind = SP_ATTR_INTS};
  v[1].u.ints = r->dims;
  v[1].n = r->n_dims;
  node->attrs = v;
  node->n_attrs = 2;
  return true;
}

/* ---- nodes ---- */

typedef struct counts {
  uint32_t in, out; /* complex operands, results */
  uint32_t real_in, real_out;
} counts;

static counts count(const fx_build *b, const bool *was, const sp_node *n) {
  counts c = {0};
  for (uint32_t i = 0; i < n->n_in; i++) {
    *(was[n->in[i]] ? &c.in : &c.real_in) += 1;
  }
  for (uint32_t i = 0; i < n->n_out; i++) {
    bool used = b->tensors.v[n->out + i].shape.dtype != SP_DTYPE_INVALID;
    *(was[n->out + i] ? &c.out : &c.real_out) += used ? 1 : 0;
  }
  return c;
}

static const char *pair_op(fx_build *b, const char *name) {
  const char *s = sp_format(b->ctx, "complex.%s", name);
  return sp_intern(b->ctx, s, strlen(s));
}

/* Are the operands and results that are complex those that should be? */
static bool kinds_fit(const rule *r, const counts *c) {
  bool mixed = r->how == INDEX || r->how == PRODUCT;
  return (r->flags & TO_REAL ? c->out : c->real_out) == 0 &&
         (mixed || (r->flags & FROM_REAL ? c->in : c->real_in) == 0) &&
         (r->how != ALL || c->in == 2) && (r->how != INDEX || c->in == 1);
}

/* false: the node has no meaning */
static bool apply(fx_build *b, const bool *was, const rule *r, sp_node *n,
                  const counts *c) {
  if (!kinds_fit(r, c)) {
    return false;
  }
  sp_attr *attrs = sp_alloc_n(b->ctx, n->n_attrs, sizeof *attrs);
  if (n->n_attrs) {
    memcpy(attrs, n->attrs, n->n_attrs * sizeof *attrs);
    n->attrs = attrs;
  }
  uint32_t dims = 0;
  if (n->n_in && was[n->in[0]]) {
    dims = b->tensors.v[n->in[0]].shape.n_dims - 1; /* without the 2 */
  }
  switch (r->how) {
  case KEEP:
  case ALL:
    return true;
  case INDEX:
    return was[n->in[0]];
  case DIMS:
    return count_dims(n, attrs, r, dims);
  case LIST:
    return count_list(b, n, attrs, r, dims);
  case SIZES:
    return ask_sizes(b, n, attrs);
  case PAIRS:
    n->op = pair_op(b, r->name);
    return true;
  case PRODUCT:
    if (n->n_in == 2) {
      n->op = pair_op(b, c->in == 2      ? "mul"
                         : was[n->in[0]] ? "scale"
                                         : "scale_other");
    }
    return n->n_in == 2 || c->in == 1; /* one: times a number */
  }
  return false;
}

static void node_pairs(fx_build *b, const bool *was, sp_node *n) {
  counts c = count(b, was, n);
  if (c.in == 0 && c.out == 0) {
    return;
  }
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (strcmp(rules[i].op, n->op) == 0 && apply(b, was, &rules[i], n, &c)) {
      return;
    }
  }
  n->op = pair_op(b, n->op);
}

/* ---- tensors ---- */

static void tensor_pairs(fx_build *b, sp_tensor *t) {
  const sp_shape *s = &t->shape;
  int64_t total = 1, *dims = sp_alloc_n(b->ctx, s->n_dims + 1u, sizeof *dims);
  if (s->n_dims) {
    memcpy(dims, s->dims, s->n_dims * sizeof *dims);
  }
  dims[s->n_dims] = 2;
  for (uint32_t d = 0; d <= s->n_dims; d++) {
    /* as in annotations, zero sizes are left out */
    if (!sp_mul_ok(total, dims[d] ? dims[d] : 1, &total) ||
        total >= SP_MAX_ELEMENTS || s->n_dims == SP_MAX_DIMS) {
      sp_raise(b->ctx, SP_ERR_LIMIT, b->nodes.v[t->node].pos.dump, NULL,
               "a tensor of complex numbers is too large");
    }
  }
  sp_dtype part = s->dtype == SP_C64 ? SP_F32 : SP_F64;
  t->shape = (sp_shape){part, s->n_dims + 1, dims};
}

void fx_complex_pairs(fx_build *b) {
  bool *was = sp_alloc_n(b->ctx, b->tensors.n, sizeof *was), any = false;
  for (size_t i = 0; i < b->tensors.n; i++) {
    was[i] = is_complex(&b->tensors.v[i].shape);
    any = any || was[i];
  }
  if (!any) {
    return;
  }
  for (size_t i = 0; i < b->tensors.n; i++) {
    if (was[i]) {
      tensor_pairs(b, &b->tensors.v[i]);
    }
  }
  for (size_t i = 0; i < b->nodes.n; i++) {
    node_pairs(b, was, &b->nodes.v[i]);
  }
}
