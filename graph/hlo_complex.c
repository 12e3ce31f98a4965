/* hlo_complex.c: complex numbers as two tensors of reals.
 *
 * Terms know reals only. Once a program is lowered, hlo_complex_parts replaces
 * each complex tensor by its real and its imaginary part, and each node that
 * has to do with one by nodes on parts:
 *   SPLIT    the same operator on real parts, and on imaginary parts: it moves
 *            elements, or adds them up
 *   JOIN     the same on pairs: tensors with a last dimension of 2
 *   others   by their formulas
 * Parameters and results of programs are pairs, so that their numbers stay.
 * A node in no row below becomes "complex.OPCODE" of pairs, which has no
 * meaning anywhere, and is refused as such. Read split_program, then node_parts
 * with the rules. */
#include "graph/hlo_complex.h"

#include "base/arith.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

/* What a tensor has become: real ones have no im. */
typedef struct parts {
  uint32_t re, im;
} parts;

typedef struct split {
  sp_ctx *ctx;
  const sp_program *from;
  SP_VEC(sp_node) nodes;
  SP_VEC(sp_tensor) tensors;
  parts *of;           /* by tensor of `from` */
  const sp_node *node; /* at hand, of `from` */
  uint32_t made;       /* nodes with made-up names */
} split;

static bool is_complex(const sp_shape *s) {
  return s->dtype == SP_C64 || s->dtype == SP_C128;
}

static bool is_loop(const sp_node *n) {
  return strcmp(n->op, "hlo:while") == 0;
}

/* ---- shapes and annotations ---- */

static sp_shape part_shape(const sp_shape *s) {
  sp_shape r = *s;
  r.dtype = s->dtype == SP_C64    ? SP_F32
            : s->dtype == SP_C128 ? SP_F64
                                  : s->dtype;
  return r;
}

static sp_shape pair_shape(split *x, const sp_shape *s) {
  int64_t n, *dims = sp_alloc_n(x->ctx, s->n_dims + 1u, sizeof *dims);
  if (s->n_dims) {
    memcpy(dims, s->dims, s->n_dims * sizeof *dims);
  }
  dims[s->n_dims] = 2;
  if (s->n_dims == SP_MAX_DIMS || !sp_mul_ok(sp_shape_elements(s), 2, &n) ||
      n >= SP_MAX_ELEMENTS) {
    sp_raise(x->ctx, SP_ERR_LIMIT, x->node->pos.dump, NULL,
             "a tensor of complex numbers is too large");
  }
  return (sp_shape){part_shape(s).dtype, s->n_dims + 1, dims};
}

/* Both parts are where the number is. */
static const sp_sharding *pair_sharding(sp_ctx *ctx, const sp_sharding *s) {
  if (!s) {
    return NULL;
  }
  sp_sharding *r = sp_alloc(ctx, sizeof *r);
  *r = *s;
  r->inner = pair_sharding(ctx, s->inner);
  if (s->kind == SP_SHARDING_TILED) {
    int64_t *tiles = sp_alloc_n(ctx, s->n_dims + 1u, sizeof *tiles);
    memcpy(tiles, s->tiles, s->n_dims * sizeof *tiles);
    tiles[s->n_dims] = 1;
    r->tiles = tiles;
    r->n_dims = s->n_dims + 1;
  }
  return r;
}

/* ---- making nodes ---- */

static const char *interned(split *x, const char *prefix, const char *s) {
  const char *text = sp_format(x->ctx, "%s%s", prefix, s);
  return sp_intern(x->ctx, text, strlen(text));
}

/* A node like the one at hand; its results come after it. */
static sp_node *start(split *x, const char *op, const char *name, uint32_t n_in,
                      const uint32_t *in) {
  uint32_t *kept = sp_alloc_n(x->ctx, n_in + 1u, sizeof *kept);
  if (n_in) {
    memcpy(kept, in, n_in * sizeof *in);
  }
  sp_node n = *x->node;
  n.op = op;
  n.name = name;
  n.n_in = n_in;
  n.in = kept;
  n.out = (uint32_t)x->tensors.n;
  n.n_out = 0;
  sp_push(x->ctx, &x->nodes, n);
  return &x->nodes.v[x->nodes.n - 1];
}

static uint32_t yield(split *x, const char *name, sp_shape shape,
                      const sp_sharding *sharding) {
  sp_node *n = &x->nodes.v[x->nodes.n - 1];
  sp_tensor t = {.name = name,
                 .shape = shape,
                 .node = (uint32_t)x->nodes.n - 1,
                 .result = n->n_out++,
                 .sharding = sharding};
  sp_push(x->ctx, &x->tensors, t);
  return (uint32_t)x->tensors.n - 1;
}

/* "mul.3~1", ...: HLO has no such names. */
static const char *made_up(split *x) {
  const char *text = sp_format(x->ctx, "%s~%u", x->node->name, ++x->made);
  return sp_intern(x->ctx, text, strlen(text));
}

/* A node without the attributes of the one at hand. */
static uint32_t make(split *x, const char *op, uint32_t n_in,
                     const uint32_t *in, const sp_attr *attrs, uint32_t n_attrs,
                     sp_shape shape) {
  const char *name = made_up(x);
  sp_node *n = start(x, interned(x, "", op), name, n_in, in);
  n->attrs = attrs;
  n->n_attrs = n_attrs;
  return yield(x, name, shape, NULL);
}

/* Elementwise. */
static uint32_t binary(split *x, const char *op, uint32_t a, uint32_t b) {
  return make(x, op, 2, (uint32_t[]){a, b}, NULL, 0, x->tensors.v[a].shape);
}

static uint32_t unary(split *x, const char *op, uint32_t a) {
  return make(x, op, 1, &a, NULL, 0, x->tensors.v[a].shape);
}

/* Operators of aten_complex.c name their operands. */
static sp_attr *operand_attrs(split *x) {
  sp_attr *a = sp_alloc_n(x->ctx, 2, sizeof *a);
  a[0] = (sp_attr){.name = "self", .kind = SP_ATTR_OPERAND, .u.i = 0};
  a[1] = (sp_attr){.name = "other", .kind = SP_ATTR_OPERAND, .u.i = 1};
  return a;
}

static parts take_apart(split *x, uint32_t pair, const sp_shape *shape) {
  sp_shape s = part_shape(shape);
  return (parts){make(x, "complex.real", 1, &pair, operand_attrs(x), 1, s),
                 make(x, "complex.imag", 1, &pair, operand_attrs(x), 1, s)};
}

/* Tensor t of `from`, a pair where it is complex. */
static uint32_t joined(split *x, uint32_t t) {
  const sp_shape *s = &x->from->tensors[t].shape;
  parts p = x->of[t];
  if (!is_complex(s)) {
    return p.re;
  }
  return make(x, "complex.complex", 2, (uint32_t[]){p.re, p.im},
              operand_attrs(x), 2, pair_shape(x, s));
}

static const sp_shape *shape_in(const split *x, uint32_t k) {
  return &x->from->tensors[x->node->in[k]].shape;
}

static const sp_tensor *result(const split *x, uint32_t k) {
  return &x->from->tensors[x->node->out + k];
}

/* ---- regions ---- */

/* What a region of additions does to complex numbers it does to each part:
 * itself on reals; NULL where it is another one. */
static const sp_program *region_on_parts(split *x, const sp_program *p) {
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const char *op = p->nodes[i].op;
    if (strcmp(op, "hlo:parameter") != 0 && strcmp(op, "hlo:add") != 0 &&
        strcmp(op, "hlo:copy") != 0) {
      return NULL;
    }
  }
  sp_program *r = sp_alloc(x->ctx, sizeof *r);
  sp_tensor *t = sp_alloc_n(x->ctx, p->n_tensors + 1u, sizeof *t);
  for (uint32_t i = 0; i < p->n_tensors; i++) {
    t[i] = p->tensors[i];
    t[i].shape = part_shape(&t[i].shape);
  }
  *r = *p;
  r->tensors = t;
  return r;
}

/* The attributes with regions replaced: those of loops by programs on pairs,
 * others as above. false: one has no meaning. */
static bool attrs_on_parts(split *x, const sp_attr **out) {
  const sp_node *n = x->node;
  sp_attr *v = sp_alloc_n(x->ctx, n->n_attrs + 1u, sizeof *v);
  for (uint32_t i = 0; i < n->n_attrs; i++) {
    v[i] = n->attrs[i];
    if (v[i].kind != SP_ATTR_REGION) {
      continue;
    }
    bool loop = is_loop(n);
    v[i].u.region = loop ? hlo_complex_parts(x->ctx, v[i].u.region)
                         : region_on_parts(x, v[i].u.region);
    if (!v[i].u.region) {
      return false;
    }
  }
  *out = v;
  return true;
}

/* ---- rules ---- */

/* All results are complex, and the operands but for those in `real`. */
static bool only_complex(const split *x, uint32_t real_from, uint32_t real) {
  for (uint32_t k = 0; k < x->node->n_in; k++) {
    bool may = k >= real_from && k - real_from < real;
    if (is_complex(shape_in(x, k)) == may) {
      return false;
    }
  }
  for (uint32_t k = 0; k < x->node->n_out; k++) {
    if (!is_complex(&result(x, k)->shape)) {
      return false;
    }
  }
  return true;
}

static void same_on_part(split *x, const sp_attr *attrs, bool im) {
  const sp_node *n = x->node;
  uint32_t *in = sp_alloc_n(x->ctx, n->n_in + 1u, sizeof *in);
  for (uint32_t k = 0; k < n->n_in; k++) {
    parts p = x->of[n->in[k]];
    in[k] = im && is_complex(shape_in(x, k)) ? p.im : p.re;
  }
  const char *suffix = im ? "~im" : "";
  start(x, n->op, interned(x, n->name, suffix), n->n_in, in)->attrs = attrs;
  for (uint32_t k = 0; k < n->n_out; k++) {
    const sp_tensor *t = result(x, k);
    uint32_t made = yield(x, interned(x, t->name, suffix),
                          part_shape(&t->shape), t->sharding);
    *(im ? &x->of[n->out + k].im : &x->of[n->out + k].re) = made;
  }
}

static bool on_parts(split *x) {
  const sp_attr *attrs;
  if (!attrs_on_parts(x, &attrs)) {
    return false;
  }
  same_on_part(x, attrs, false);
  same_on_part(x, attrs, true);
  return true;
}

static bool each_part(split *x) {
  return only_complex(x, 0, 0) && on_parts(x);
}

/* Operand 0 of truth values, operands 1.. of places: as they are. */
static bool each_part_chosen(split *x) {
  return only_complex(x, 0, 1) && on_parts(x);
}

static bool each_part_placed(split *x) {
  return only_complex(x, 1, UINT32_MAX) && on_parts(x);
}

static bool each_part_written(split *x) {
  return only_complex(x, 2, UINT32_MAX) && on_parts(x);
}

/* Operand, indices, updates. */
static bool each_part_scattered(split *x) {
  return x->node->n_in == 3 && only_complex(x, 1, 1) && on_parts(x);
}

static void named(split *x, uint32_t re, uint32_t im) {
  x->of[x->node->out] = (parts){re, im};
}

/* The operator itself, on parts a and b. */
static uint32_t itself(split *x, uint32_t a, uint32_t b) {
  return make(x, x->node->op, 2, (uint32_t[]){a, b}, x->node->attrs,
              x->node->n_attrs, part_shape(&result(x, 0)->shape));
}

/* (a + bi)(c + di) = ac - bd + (ad + bc) i */
static bool product(split *x) {
  if (x->node->n_in != 2 || !only_complex(x, 0, 0)) {
    return false;
  }
  parts p = x->of[x->node->in[0]], q = x->of[x->node->in[1]];
  uint32_t re =
      binary(x, "hlo:subtract", itself(x, p.re, q.re), itself(x, p.im, q.im));
  uint32_t im =
      binary(x, "hlo:add", itself(x, p.re, q.im), itself(x, p.im, q.re));
  named(x, re, im);
  return true;
}

static uint32_t square_of(split *x, parts p) {
  return binary(x, "hlo:add", binary(x, "hlo:multiply", p.re, p.re),
                binary(x, "hlo:multiply", p.im, p.im));
}

/* (a + bi) / (c + di) = (ac + bd + (bc - ad) i) / (cc + dd) */
static bool quotient(split *x) {
  if (!only_complex(x, 0, 0)) {
    return false;
  }
  parts p = x->of[x->node->in[0]], q = x->of[x->node->in[1]];
  uint32_t by = square_of(x, q);
  uint32_t re = binary(x, "hlo:add", binary(x, "hlo:multiply", p.re, q.re),
                       binary(x, "hlo:multiply", p.im, q.im));
  uint32_t im = binary(x, "hlo:subtract", binary(x, "hlo:multiply", p.im, q.re),
                       binary(x, "hlo:multiply", p.re, q.im));
  re = binary(x, "hlo:divide", re, by);
  im = binary(x, "hlo:divide", im, by);
  named(x, re, im);
  return true;
}

/* exp(a + bi) = exp a (cos b + i sin b) */
static bool exponential(split *x) {
  parts p = x->of[x->node->in[0]];
  uint32_t size = unary(x, "hlo:exponential", p.re);
  uint32_t re = binary(x, "hlo:multiply", size, unary(x, "hlo:cosine", p.im));
  uint32_t im = binary(x, "hlo:multiply", size, unary(x, "hlo:sine", p.im));
  named(x, re, im);
  return true;
}

static bool absolute(split *x) {
  const sp_tensor *t = result(x, 0);
  uint32_t square = square_of(x, x->of[x->node->in[0]]);
  start(x, interned(x, "hlo:", "sqrt"), x->node->name, 1, &square);
  named(x, yield(x, t->name, t->shape, t->sharding), 0);
  return true;
}

static bool part_of(split *x, bool im) {
  if (is_complex(&result(x, 0)->shape)) {
    return false;
  }
  parts p = x->of[x->node->in[0]];
  const sp_tensor *t = result(x, 0);
  start(x, interned(x, "hlo:", "copy"), x->node->name, 1, im ? &p.im : &p.re);
  named(x, yield(x, t->name, t->shape, t->sharding), 0);
  return true;
}

static bool real(split *x) {
  return part_of(x, false);
}

static bool imaginary(split *x) {
  return part_of(x, true);
}

static bool from_parts(split *x) {
  named(x, x->of[x->node->in[0]].re, x->of[x->node->in[1]].re);
  return true;
}

static uint32_t literal(split *x, const sp_literal *l) {
  sp_attr *a = sp_alloc(x->ctx, sizeof *a);
  *a = (sp_attr){.name = "literal", .kind = SP_ATTR_LITERAL, .u.literal = l};
  return make(x, "hlo:constant", 0, NULL, a, 1, l->shape);
}

static bool constant(split *x) {
  const sp_attr *a = sp_node_attr(x->node, "literal");
  if (!a || a->kind != SP_ATTR_LITERAL) {
    return false;
  }
  const sp_literal *l = a->u.literal;
  size_t n = l->splat ? 1 : (size_t)sp_shape_elements(&l->shape);
  uint32_t made[2];
  for (size_t k = 0; k < 2; k++) {
    double *f = sp_alloc_n(x->ctx, n + 1, sizeof *f);
    sp_literal *part = sp_alloc(x->ctx, sizeof *part);
    for (size_t i = 0; i < n; i++) {
      f[i] = l->f[2 * i + k];
    }
    *part =
        (sp_literal){.shape = part_shape(&l->shape), .splat = l->splat, .f = f};
    made[k] = literal(x, part);
  }
  named(x, made[0], made[1]);
  return true;
}

/* Between complex types, or from a real one: its imaginary part is 0. */
static bool conversion(split *x) {
  if (is_complex(shape_in(x, 0))) {
    return each_part(x);
  }
  same_on_part(x, x->node->attrs, false);
  sp_literal *zero = sp_alloc(x->ctx, sizeof *zero);
  double *f = sp_alloc(x->ctx, sizeof *f);
  *zero = (sp_literal){
      .shape = part_shape(&result(x, 0)->shape), .splat = true, .f = f};
  named(x, x->of[x->node->out].re, literal(x, zero));
  return true;
}

/* Numbers are equal if both parts are. */
static bool comparison(split *x) {
  const sp_attr *a = sp_node_attr(x->node, "direction");
  bool equal = a && a->kind == SP_ATTR_TEXT && strcmp(a->u.text, "EQ") == 0;
  bool other = a && a->kind == SP_ATTR_TEXT && strcmp(a->u.text, "NE") == 0;
  if ((!equal && !other) || x->node->n_in != 2) {
    return false;
  }
  parts p = x->of[x->node->in[0]], q = x->of[x->node->in[1]];
  const sp_tensor *t = result(x, 0);
  uint32_t both[2] = {itself(x, p.re, q.re), itself(x, p.im, q.im)};
  start(x, interned(x, "hlo:", equal ? "and" : "or"), x->node->name, 2, both)
      ->n_attrs = 0;
  named(x, yield(x, t->name, t->shape, t->sharding), 0);
  return true;
}

/* Operands and results as pairs; op: of those. */
static bool as_pairs(split *x, const char *op, const sp_attr *attrs) {
  const sp_node *n = x->node;
  uint32_t *in = sp_alloc_n(x->ctx, n->n_in + 1u, sizeof *in);
  for (uint32_t k = 0; k < n->n_in; k++) {
    in[k] = joined(x, n->in[k]);
  }
  start(x, op, n->name, n->n_in, in)->attrs = attrs;
  for (uint32_t k = 0; k < n->n_out; k++) {
    const sp_tensor *t = result(x, k);
    bool pair = is_complex(&t->shape);
    x->of[n->out + k].re =
        yield(x, t->name, pair ? pair_shape(x, &t->shape) : t->shape,
              pair ? pair_sharding(x->ctx, t->sharding) : t->sharding);
  }
  for (uint32_t k = 0; k < n->n_out; k++) {
    const sp_tensor *t = result(x, k);
    if (is_complex(&t->shape)) {
      x->of[n->out + k] = take_apart(x, x->of[n->out + k].re, &t->shape);
    }
  }
  return true;
}

static bool pairs(split *x) {
  const sp_attr *attrs;
  return attrs_on_parts(x, &attrs) && as_pairs(x, x->node->op, attrs);
}

/* "hlo:fft" for parts: of one part of the result, of one or both of the
 * operand (encode/ops/fft.c). */
static bool transform(split *x) {
  const sp_tensor *t = result(x, 0);
  parts p = x->of[x->node->in[0]];
  bool to = is_complex(&t->shape);
  uint32_t n = x->node->n_attrs, made[2] = {0, 0};
  for (uint32_t k = 0; k < (to ? 2u : 1u); k++) {
    sp_attr *a = sp_alloc_n(x->ctx, n + 1u, sizeof *a);
    if (n) {
      memcpy(a, x->node->attrs, n * sizeof *a);
    }
    a[n] = (sp_attr){.name = "part", .kind = SP_ATTR_INT, .u.i = k};
    const char *suffix = k ? "~im" : "";
    sp_node *node = start(
        x, interned(x, "complex.", "fft"), interned(x, x->node->name, suffix),
        is_complex(shape_in(x, 0)) ? 2 : 1, (uint32_t[]){p.re, p.im});
    node->attrs = a;
    node->n_attrs = n + 1;
    made[k] = yield(x, interned(x, t->name, suffix), part_shape(&t->shape),
                    t->sharding);
  }
  named(x, made[0], made[1]);
  return true;
}

typedef struct rule {
  const char *opcode;
  bool (*apply)(split *x);
} rule;

static const rule rules[] = {
    {"copy", each_part},
    {"reshape", each_part},
    {"bitcast", each_part},
    {"broadcast", each_part},
    {"transpose", each_part},
    {"slice", each_part},
    {"pad", each_part},
    {"concatenate", each_part},
    {"reverse", each_part},
    {"add", each_part},
    {"subtract", each_part},
    {"negate", each_part},
    {"reduce", each_part},
    {"reduce-window", each_part},
    {"all-reduce", each_part},
    {"reduce-scatter", each_part},
    {"all-gather", each_part},
    {"all-to-all", each_part},
    {"collective-permute", each_part},
    {"collective-broadcast", each_part},
    {"select", each_part_chosen},
    {"dynamic-slice", each_part_placed},
    {"gather", each_part_placed},
    {"dynamic-update-slice", each_part_written},
    {"scatter", each_part_scattered},
    {"parameter", pairs},
    {"while", pairs},
    {"conditional", pairs},
    {"optimization-barrier", pairs},
    {"multiply", product},
    {"dot", product},
    {"convolution", product},
    {"divide", quotient},
    {"exponential", exponential},
    {"abs", absolute},
    {"real", real},
    {"imag", imaginary},
    {"complex", from_parts},
    {"constant", constant},
    {"convert", conversion},
    {"compare", comparison},
    {"fft", transform},
};

/* ---- programs ---- */

/* A loop may have complex numbers inside only. */
static bool touches_complex(const split *x) {
  bool any = is_loop(x->node);
  for (uint32_t k = 0; k < x->node->n_in; k++) {
    any = any || is_complex(shape_in(x, k));
  }
  for (uint32_t k = 0; k < x->node->n_out; k++) {
    any = any || is_complex(&result(x, k)->shape);
  }
  return any;
}

static void node_parts(split *x) {
  const sp_node *n = x->node;
  const char *opcode = strncmp(n->op, "hlo:", 4) == 0 ? n->op + 4 : n->op;
  if (!touches_complex(x)) {
    same_on_part(x, n->attrs, false);
    return;
  }
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (strcmp(rules[i].opcode, opcode) == 0 && rules[i].apply(x)) {
      return;
    }
  }
  as_pairs(x, interned(x, "complex.", opcode), n->attrs);
}

/* Loops nest no deeper than calls may. */
static bool has_complex(const sp_program *p) {
  bool any = false;
  for (uint32_t t = 0; t < p->n_tensors && !any; t++) {
    any = is_complex(&p->tensors[t].shape);
  }
  for (uint32_t i = 0; i < p->n_nodes && !any; i++) {
    const sp_node *n = &p->nodes[i];
    for (uint32_t k = 0; is_loop(n) && k < n->n_attrs && !any; k++) {
      any = n->attrs[k].kind == SP_ATTR_REGION &&
            has_complex(n->attrs[k].u.region);
    }
  }
  return any;
}

/* The annotations of n parameters or results. */
static const sp_sharding *const *annotations(sp_ctx *ctx, const sp_program *p,
                                             uint32_t n, const uint32_t *at,
                                             const sp_sharding *const *was) {
  if (!was) {
    return NULL;
  }
  const sp_sharding **v = sp_alloc_n(ctx, n + 1u, sizeof *v);
  for (uint32_t i = 0; i < n; i++) {
    bool pair = at[i] != SP_NO_TENSOR && is_complex(&p->tensors[at[i]].shape);
    v[i] = pair ? pair_sharding(ctx, was[i]) : was[i];
  }
  return v;
}

static const sp_program *split_program(split *x) {
  const sp_program *from = x->from;
  x->of = sp_alloc_n(x->ctx, from->n_tensors + 1u, sizeof *x->of);
  for (uint32_t i = 0; i < from->n_nodes; i++) {
    x->node = &from->nodes[i];
    node_parts(x);
  }
  sp_program *p = sp_alloc(x->ctx, sizeof *p);
  *p = *from;
  uint32_t *params = sp_alloc_n(x->ctx, from->n_params + 1u, sizeof *params);
  for (uint32_t i = 0; i < from->n_params; i++) {
    uint32_t t = x->of[from->params[i]].re; /* of a pair, or the tensor */
    const sp_node *n = &x->nodes.v[x->tensors.v[t].node];
    bool pair = is_complex(&from->tensors[from->params[i]].shape);
    params[i] = pair ? n->in[0] : t;
  }
  uint32_t *results = sp_alloc_n(x->ctx, from->n_results + 1u, sizeof *results);
  for (uint32_t i = 0; i < from->n_results; i++) {
    uint32_t t = from->results[i];
    if (t != SP_NO_TENSOR) {
      x->node = &from->nodes[from->tensors[t].node];
    }
    results[i] = t == SP_NO_TENSOR ? t : joined(x, t);
  }
  p->params = params;
  p->results = results;
  p->param_shardings = annotations(x->ctx, from, from->n_params, from->params,
                                   from->param_shardings);
  p->result_shardings = annotations(x->ctx, from, from->n_results,
                                    from->results, from->result_shardings);
  p->n_nodes = (uint32_t)x->nodes.n;
  p->nodes = x->nodes.v;
  p->n_tensors = (uint32_t)x->tensors.n;
  p->tensors = x->tensors.v;
  sp_program_check(x->ctx, p);
  return p;
}

const sp_program *hlo_complex_parts(sp_ctx *ctx, const sp_program *p) {
  split x = {.ctx = ctx, .from = p};
  return has_complex(p) ? split_program(&x) : p;
}
