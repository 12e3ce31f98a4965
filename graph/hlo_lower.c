/* hlo_lower.c: an HLO module to a program without tuples and calls.
 *
 * Every value is a list of leaves, its non-tuple parts, and a leaf is a tensor
 * of the program. Opcodes that only move values about (tuple, call, fusion,
 * optimization barriers, ...) bind leaves and make no node; the others make
 * one (generic). A frame is one computation being gone through; calls nest to
 * SP_HLO_MAX_CALL_DEPTH, and all of it together is limited, because a chain
 * of calls can double at every step. Read lower_body, then the handlers. */
#include "graph/hlo_lower_i.h"

#include <string.h>

/* --- layouts ------------------------------------------------------------- */

static uint32_t type_leaves(const hlo_type *t) {
  uint32_t n = t->tuple ? 0 : 1;
  for (uint32_t i = 0; t->tuple && i < t->n; i++) {
    n += type_leaves(&t->elements[i]);
  }
  return n;
}

static void type_shapes(const hlo_type *t, const sp_shape ***at) {
  if (!t->tuple) {
    *(*at)++ = &t->shape;
    return;
  }
  for (uint32_t i = 0; i < t->n; i++) {
    type_shapes(&t->elements[i], at);
  }
}

/* In range once layout_params has passed; a proto leaves out 0. */
static uint32_t param_number(const hlo_instr *in) {
  const sp_attr *index = spi_instr_attr(in, "index");
  return index ? (uint32_t)index->u.i : 0;
}

static void layout_params(hlo_lower *lw, const hlo_computation *c,
                          hlo_layout *o) {
  for (uint32_t i = 0; i < c->n_instrs; i++) {
    o->n_params += strcmp(c->instrs[i].opcode, "parameter") == 0;
  }
  o->params = sp_alloc_n(lw->ctx, o->n_params, sizeof *o->params);
  for (uint32_t i = 0; i < o->n_params; i++) {
    o->params[i] = UINT32_MAX;
  }
  for (uint32_t i = 0; i < c->n_instrs; i++) {
    const hlo_instr *in = &c->instrs[i];
    if (strcmp(in->opcode, "parameter") != 0) {
      continue;
    }
    const sp_attr *index = spi_instr_attr(in, "index");
    int64_t k = index ? index->u.i : 0;
    if (k < 0 || k >= o->n_params || o->params[k] != UINT32_MAX) {
      spi_lower_fail(lw, in, "parameters are numbered 0, 1, ...",
                     "parameter number %lld is out of range or given twice",
                     (long long)k);
    }
    o->params[k] = i;
  }
  o->param_base = sp_alloc_n(lw->ctx, o->n_params + 1u, sizeof *o->param_base);
  for (uint32_t k = 0; k < o->n_params; k++) {
    uint32_t i = o->params[k];
    o->param_base[k + 1] = o->param_base[k] + o->first[i + 1] - o->first[i];
  }
}

static hlo_layout *layout_of(hlo_lower *lw, uint32_t at) {
  if (at >= lw->m->n_computations) {
    sp_raise(lw->ctx, SP_ERR_INTERNAL, sp_nowhere(), NULL,
             "a call of computation %u of %u", at, lw->m->n_computations);
  }
  hlo_layout *o = &lw->layouts[at];
  if (o->ready) {
    return o;
  }
  const hlo_computation *c = &lw->m->computations[at];
  if (c->root >= c->n_instrs) {
    sp_raise(lw->ctx, SP_ERR_INPUT, c->loc, "is the dump complete?",
             "the computation %.200s has no root", c->name);
  }
  o->first = sp_alloc_n(lw->ctx, (size_t)c->n_instrs + 1, sizeof *o->first);
  o->elements = sp_alloc_n(lw->ctx, c->n_instrs, sizeof *o->elements);
  uint64_t total = 0;
  for (uint32_t i = 0; i < c->n_instrs; i++) {
    const hlo_type *t = &c->instrs[i].type;
    o->first[i] = (uint32_t)total;
    if (!t->tuple) {
      total++;
      continue;
    }
    uint32_t *elements = sp_alloc_n(lw->ctx, t->n + 1u, sizeof *elements);
    for (uint32_t k = 0; k < t->n; k++) {
      elements[k + 1] = elements[k] + type_leaves(&t->elements[k]);
    }
    o->elements[i] = elements;
    total += elements[t->n];
    if (total > HLO_MAX_LEAVES) {
      spi_lower_fail(lw, &c->instrs[i], NULL, "the tuples are too large");
    }
  }
  o->first[c->n_instrs] = (uint32_t)total;
  o->shapes = sp_alloc_n(lw->ctx, (size_t)total, sizeof *o->shapes);
  const sp_shape **shape = o->shapes;
  for (uint32_t i = 0; i < c->n_instrs; i++) {
    type_shapes(&c->instrs[i].type, &shape);
  }
  layout_params(lw, c, o);
  o->ready = true;
  return o;
}

/* --- values and frames --------------------------------------------------- */

/* Some leaves, with the type they have when they are one value. */
typedef struct value {
  uint32_t n;
  const uint32_t *leaf;
} value;

typedef struct frame {
  hlo_lower *lw;
  hlo_build *b;
  const hlo_computation *c;
  const hlo_layout *o;
  uint32_t *leaf;     /* of all instructions */
  const char *prefix; /* of names: "call.1/" */
  uint32_t n_args;    /* when inlined */
  const value *args;  /* NULL: parameters become nodes */
} frame;

static value value_of(frame *f, uint32_t instr) {
  const uint32_t *first = f->o->first;
  return (value){first[instr + 1] - first[instr], &f->leaf[first[instr]]};
}

/* Element k of instruction i, a tuple. */
static value value_element(frame *f, const hlo_instr *user, uint32_t i,
                           int64_t k) {
  const hlo_instr *in = &f->c->instrs[i];
  if (!in->type.tuple || k < 0 || k >= in->type.n) {
    spi_lower_fail(f->lw, user, NULL, "%.200s has no element %lld", in->name,
                   (long long)k);
  }
  const uint32_t *elements = f->o->elements[i];
  return (value){elements[k + 1] - elements[k],
                 value_of(f, i).leaf + elements[k]};
}

static value value_at(frame *f, const hlo_instr *user, const hlo_ref *ref) {
  if (ref->n_path == 0) {
    return value_of(f, ref->instr);
  }
  value v = value_element(f, user, ref->instr, ref->path[0]);
  const hlo_type *t = &f->c->instrs[ref->instr].type.elements[ref->path[0]];
  for (uint32_t i = 1; i < ref->n_path; i++) {
    uint32_t k = ref->path[i];
    if (!t->tuple || k >= t->n) {
      spi_lower_fail(f->lw, user, NULL, "%.200s has no such element",
                     f->c->instrs[ref->instr].name);
    }
    uint32_t before = 0;
    for (uint32_t j = 0; j < k; j++) {
      before += type_leaves(&t->elements[j]);
    }
    f->lw->leaves += before;
    v = (value){type_leaves(&t->elements[k]), v.leaf + before};
    t = &t->elements[k];
  }
  return v;
}

static value operand(frame *f, uint32_t i, uint32_t k) {
  const hlo_instr *in = &f->c->instrs[i];
  if (k >= in->n_in) {
    spi_lower_fail(f->lw, in, NULL, "operand %u is missing", k);
  }
  return value_at(f, in, &in->in[k]);
}

static void operands_exactly(frame *f, uint32_t i, uint32_t n) {
  const hlo_instr *in = &f->c->instrs[i];
  if (in->n_in != n) {
    spi_lower_fail(f->lw, in, NULL, "%u operands, not %u", in->n_in, n);
  }
}

/* Leaves of all operands from number `from`, in scratch memory. */
static value operands_flat(frame *f, uint32_t i, uint32_t from) {
  const hlo_instr *in = &f->c->instrs[i];
  uint64_t n = 0;
  for (uint32_t k = from; k < in->n_in; k++) {
    n += operand(f, i, k).n;
    f->lw->leaves += operand(f, i, k).n;
    if (f->lw->leaves > HLO_MAX_LEAVES) {
      spi_lower_fail(f->lw, in, NULL, "the module is too large");
    }
  }
  uint32_t *leaf = sp_scratch(f->lw->ctx, (size_t)n * sizeof *leaf);
  value all = {(uint32_t)n, leaf};
  for (uint32_t k = from; k < in->n_in; k++) {
    value v = operand(f, i, k);
    if (v.n) {
      memcpy(leaf, v.leaf, v.n * sizeof *leaf);
    }
    leaf += v.n;
  }
  return all;
}

static void shapes_agree(frame *f, const hlo_instr *in, uint32_t tensor,
                         const sp_shape *declared, uint32_t part) {
  if (tensor == HLO_NO_TENSOR) {
    return;
  }
  const sp_shape *is = &f->b->tensors.v[tensor].shape;
  if (!sp_shape_equal(is, declared)) {
    spi_lower_fail(f->lw, in, NULL, "part %u is %s but is declared as %s", part,
                   sp_shape_text(f->lw->ctx, is),
                   sp_shape_text(f->lw->ctx, declared));
  }
}

/* Leaves from `at` of instruction i are those of v. */
static void bind_part(frame *f, uint32_t i, uint32_t at, value v) {
  const hlo_instr *in = &f->c->instrs[i];
  uint32_t first = f->o->first[i], n = f->o->first[i + 1] - first;
  if (at > n || v.n > n - at) {
    spi_lower_fail(f->lw, in, NULL, "%u parts for a value of %u", v.n, n);
  }
  for (uint32_t k = 0; k < v.n; k++) {
    shapes_agree(f, in, v.leaf[k], f->o->shapes[first + at + k], at + k);
    f->leaf[first + at + k] = v.leaf[k];
  }
}

static void bind(frame *f, uint32_t i, value v) {
  uint32_t n = value_of(f, i).n;
  if (v.n != n) {
    spi_lower_fail(f->lw, &f->c->instrs[i], NULL, "%u parts for a value of %u",
                   v.n, n);
  }
  bind_part(f, i, 0, v);
}

static void bind_node(frame *f, uint32_t i, uint32_t at, uint32_t n,
                      uint32_t first_tensor) {
  for (uint32_t k = 0; k < n; k++) {
    f->leaf[f->o->first[i] + at + k] = first_tensor + k;
  }
}

/* --- computations -------------------------------------------------------- */

static void lower_instr(frame *f, uint32_t i);

static void computation_enter(hlo_lower *lw, uint32_t at, hlo_layout *o,
                              const hlo_instr *user) {
  const hlo_computation *c = &lw->m->computations[at];
  if (o->active) {
    spi_lower_fail(lw, user, NULL, "the computation %.200s calls itself",
                   c->name);
  }
  if (++lw->depth > SP_HLO_MAX_CALL_DEPTH) {
    spi_lower_fail(lw, user, "inline the calls before dumping",
                   "calls nest deeper than %d", SP_HLO_MAX_CALL_DEPTH);
  }
  o->active = true;
}

static void computation_leave(hlo_lower *lw, hlo_layout *o) {
  o->active = false;
  lw->depth--;
}

static void lower_body(frame *f) {
  const hlo_computation *c = f->c;
  for (uint32_t i = 0; i < c->n_instrs; i++) {
    const hlo_instr *in = &c->instrs[i];
    uint32_t n = f->o->first[i + 1] - f->o->first[i];
    f->lw->leaves += n;
    if (++f->lw->inlined > HLO_MAX_INLINED || f->lw->leaves > HLO_MAX_LEAVES) {
      spi_lower_fail(f->lw, in, "do the calls double at every level?",
                     "more than %llu instructions after inlining",
                     (unsigned long long)HLO_MAX_INLINED);
    }
    for (uint32_t k = 0; k < in->n_in; k++) {
      if (in->in[k].instr >= i) {
        spi_lower_fail(f->lw, in, "operands come before their users",
                       "it uses a value that is not defined yet: a cycle?");
      }
    }
    lower_instr(f, i);
  }
}

/* Goes through a computation with the arguments for its parameters; the
 * result's leaves go to out, which has room for n_out. */
static void inline_call(frame *caller, const hlo_instr *in, uint32_t callee,
                        uint32_t n_args, const value *args, const char *prefix,
                        uint32_t n_out, uint32_t *out) {
  hlo_lower *lw = caller->lw;
  hlo_layout *o = layout_of(lw, callee);
  const hlo_computation *c = &lw->m->computations[callee];
  computation_enter(lw, callee, o, in);
  if (o->n_params != n_args) {
    spi_lower_fail(lw, in, NULL, "%u operands for the %u parameters of %.200s",
                   n_args, o->n_params, c->name);
  }
  sp_mark mark = sp_scratch_mark(lw->ctx);
  frame f = {.lw = lw,
             .b = caller->b,
             .c = c,
             .o = o,
             .prefix = prefix,
             .n_args = n_args,
             .args = args};
  f.leaf = sp_scratch(lw->ctx, o->first[c->n_instrs] * sizeof *f.leaf);
  lower_body(&f);
  value result = value_of(&f, c->root);
  if (result.n != n_out) {
    spi_lower_fail(lw, in, NULL, "%.200s returns %u parts, not %u", c->name,
                   result.n, n_out);
  }
  for (uint32_t k = 0; k < n_out; k++) {
    out[k] = result.leaf[k];
  }
  sp_scratch_release(lw->ctx, mark);
  computation_leave(lw, o);
}

/* The frame of a computation that becomes a program of its own. The numbers
 * of its parameters are those of their leaves. */
static void program_params(frame *f) {
  uint32_t n = f->o->param_base[f->o->n_params];
  f->b->n_params = n;
  f->b->params = sp_alloc_n(f->lw->ctx, n, sizeof *f->b->params);
}

static sp_program *program_lower(hlo_lower *lw, uint32_t at,
                                 const hlo_instr *user, hlo_build *b,
                                 const char *name) {
  hlo_layout *o = layout_of(lw, at);
  const hlo_computation *c = &lw->m->computations[at];
  computation_enter(lw, at, o, user);
  sp_mark mark = sp_scratch_mark(lw->ctx);
  frame f = {.lw = lw, .b = b, .c = c, .o = o, .prefix = ""};
  f.leaf = sp_scratch(lw->ctx, o->first[c->n_instrs] * sizeof *f.leaf);
  program_params(&f);
  lower_body(&f);
  value result = value_of(&f, c->root);
  sp_program *p = spi_build_finish(lw, b, name, result.n, result.leaf);
  sp_scratch_release(lw->ctx, mark);
  computation_leave(lw, o);
  return p;
}

static const sp_program *region_of(frame *f, const hlo_instr *in, uint32_t at) {
  hlo_layout *o = layout_of(f->lw, at);
  if (!o->region) {
    hlo_build *b = sp_alloc(f->lw->ctx, sizeof *b);
    o->region =
        program_lower(f->lw, at, in, b, f->lw->m->computations[at].name);
    o->collective = b->collectives > 0;
  }
  return o->region;
}

/* The call of a role; k counts those of the same role. */
static bool call_find(const hlo_instr *in, const char *role, uint32_t k,
                      uint32_t *callee) {
  for (uint32_t i = 0; i < in->n_calls; i++) {
    if (strcmp(in->call_roles[i], role) == 0 && k-- == 0) {
      *callee = in->calls[i];
      return true;
    }
  }
  return false;
}

static uint32_t call_need(frame *f, const hlo_instr *in, const char *role,
                          uint32_t k) {
  uint32_t callee;
  if (!call_find(in, role, k, &callee)) {
    spi_lower_fail(f->lw, in, "is the dump complete?", "%s is missing", role);
  }
  return callee;
}

/* --- handlers: values that only move ------------------------------------- */

/* Such an instruction vanishes, so an attribute that may mean something must
 * not vanish with it. */
static void attrs_only(frame *f, const hlo_instr *in, const char *allowed) {
  for (uint32_t k = 0; k < in->n_attrs; k++) {
    if (strcmp(in->attrs[k].name, allowed) != 0) {
      sp_raise(f->lw->ctx, SP_ERR_UNKNOWN, in->pos.dump, NULL,
               "%.200s (%.60s): the attribute %.60s is not understood",
               in->name, in->opcode, in->attrs[k].name);
    }
  }
}

static void lower_parameter(frame *f, uint32_t i) {
  hlo_lower *lw = f->lw;
  const hlo_instr *in = &f->c->instrs[i];
  uint32_t number = param_number(in), base = f->o->param_base[number];
  if (f->args) {
    bind(f, i, f->args[number]);
    return;
  }
  uint32_t first = f->o->first[i], n = f->o->first[i + 1] - first;
  for (uint32_t k = 0; k < n; k++) {
    hlo_attrs a = spi_attrs_of(lw, in);
    spi_attrs_int(lw, &a, "index", base + k);
    hlo_instr part = *in;
    part.n_shardings = 0;
    if (n > 1 || in->type.tuple) {
      part.name = sp_format(lw->ctx, "%s#%u", in->name, k);
      part.name = sp_intern(lw->ctx, part.name, strlen(part.name));
    }
    const sp_shape *shape = f->o->shapes[first + k];
    uint32_t t = spi_build_node(lw, f->b, &part, f->prefix, "parameter", 0,
                                NULL, &a, 1, &shape);
    f->b->tensors.v[t].sharding = spi_leaf_sharding(lw, in, k, n, shape);
    f->b->params[base + k] = t;
    f->leaf[first + k] = t;
  }
}

static void lower_tuple(frame *f, uint32_t i) {
  attrs_only(f, &f->c->instrs[i], "");
  sp_mark mark = sp_scratch_mark(f->lw->ctx);
  bind(f, i, operands_flat(f, i, 0));
  sp_scratch_release(f->lw->ctx, mark);
}

static void lower_element(frame *f, uint32_t i) {
  const hlo_instr *in = &f->c->instrs[i];
  operands_exactly(f, i, 1);
  attrs_only(f, in, "index");
  const sp_attr *index = spi_instr_attr(in, "index");
  int64_t k = index ? index->u.i : 0;
  const hlo_ref *ref = &in->in[0];
  if (ref->n_path == 0) {
    bind(f, i, value_element(f, in, ref->instr, k));
    return;
  }
  uint32_t path[SP_HLO_MAX_TUPLE_DEPTH + 1];
  if (ref->n_path > SP_HLO_MAX_TUPLE_DEPTH || k < 0 || k >= UINT32_MAX) {
    spi_lower_fail(f->lw, in, NULL, "there is no such element");
  }
  memcpy(path, ref->path, ref->n_path * sizeof *path);
  path[ref->n_path] = (uint32_t)k;
  hlo_ref longer = {ref->instr, ref->n_path + 1, path};
  bind(f, i, value_at(f, in, &longer));
}

static void lower_identity(frame *f, uint32_t i) {
  operands_exactly(f, i, 1);
  attrs_only(f, &f->c->instrs[i], "");
  bind(f, i, operand(f, i, 0));
}

/* add-dependency(x, token) only orders. */
static void lower_dependency(frame *f, uint32_t i) {
  operands_exactly(f, i, 2);
  attrs_only(f, &f->c->instrs[i], "");
  bind(f, i, operand(f, i, 0));
}

static const value *args_of(frame *f, uint32_t i) {
  const hlo_instr *in = &f->c->instrs[i];
  value *args = sp_scratch(f->lw->ctx, (in->n_in + 1u) * sizeof *args);
  for (uint32_t k = 0; k < in->n_in; k++) {
    args[k] = operand(f, i, k);
  }
  return args;
}

static const char *prefix_of(frame *f, const hlo_instr *in, const char *more) {
  return sp_format(f->lw->ctx, "%s%s/%s", f->prefix, in->name, more);
}

static void lower_call(frame *f, uint32_t i) {
  hlo_lower *lw = f->lw;
  const hlo_instr *in = &f->c->instrs[i];
  bool fusion = strcmp(in->opcode, "fusion") == 0;
  attrs_only(f, in, "");
  uint32_t callee = call_need(f, in, fusion ? "calls" : "to_apply", 0);
  sp_mark mark = sp_scratch_mark(lw->ctx);
  uint32_t n = value_of(f, i).n;
  uint32_t *out = sp_scratch(lw->ctx, n * sizeof *out);
  inline_call(f, in, callee, in->n_in, args_of(f, i), prefix_of(f, in, ""), n,
              out);
  bind(f, i, (value){n, out});
  sp_scratch_release(lw->ctx, mark);
}

/* --- handlers: nodes ----------------------------------------------------- */

/* The attribute a called computation becomes. */
static const char *region_name(frame *f, const hlo_instr *in, uint32_t at) {
  const char *role = in->call_roles[at];
  if (strcmp(role, "scatter") == 0) {
    role = "to_apply";
  }
  uint32_t before = 0;
  for (uint32_t k = 0; k < at; k++) {
    before += strcmp(in->call_roles[k], in->call_roles[at]) == 0;
  }
  return before ? sp_format(f->lw->ctx, "%s.%u", role, before) : role;
}

static hlo_attrs attrs_with_regions(frame *f, const hlo_instr *in) {
  hlo_lower *lw = f->lw;
  hlo_attrs a = spi_attrs_of(lw, in);
  bool loop = strcmp(in->opcode, "while") == 0;
  for (uint32_t k = 0; k < in->n_calls; k++) {
    sp_attr attr = {.name = region_name(f, in, k), .kind = SP_ATTR_REGION};
    attr.u.region = region_of(f, in, in->calls[k]);
    bool talks = lw->layouts[in->calls[k]].collective;
    bool opaque = strcmp(in->opcode, "custom-call") == 0;
    if (talks && !loop && !opaque) {
      spi_lower_fail(lw, in, NULL, "a collective inside %s", attr.name);
    }
    if (talks) {
      spi_attrs_int(lw, &a, "has_collectives", 1);
      f->b->collectives++;
    }
    spi_attrs_set(lw, &a, attr);
  }
  return a;
}

/* A node of that opcode whose results are leaves [at, at + n) of i. */
static void node_for(frame *f, uint32_t i, const char *opcode, uint32_t at,
                     uint32_t n) {
  hlo_lower *lw = f->lw;
  const hlo_instr *in = &f->c->instrs[i];
  hlo_attrs a = attrs_with_regions(f, in);
  if (spi_is_collective(opcode)) {
    spi_devices_resolve(lw, in, opcode, &a);
  }
  spi_attrs_complete(lw, in, opcode, &a);
  hlo_instr whole = *in;
  if (n != value_of(f, i).n) {
    whole.n_shardings = 0; /* of a start, which says more than the result */
  }
  sp_mark mark = sp_scratch_mark(lw->ctx);
  value v = operands_flat(f, i, 0);
  uint32_t out =
      spi_build_node(lw, f->b, &whole, f->prefix, opcode, v.n, v.leaf, &a, n,
                     &f->o->shapes[f->o->first[i] + at]);
  sp_scratch_release(lw->ctx, mark);
  bind_node(f, i, at, n, out);
}

static void lower_generic(frame *f, uint32_t i) {
  node_for(f, i, f->c->instrs[i].opcode, 0, value_of(f, i).n);
}

/* The loop's parameters and results are the leaves of its one tuple. */
static void while_check(frame *f, const hlo_instr *in, const char *role,
                        value init, bool body) {
  const sp_program *p = region_of(f, in, call_need(f, in, role, 0));
  bool fits = p->n_params == init.n && p->n_results == (body ? init.n : 1);
  for (uint32_t k = 0; fits && k < init.n; k++) {
    const sp_shape *shape = &f->b->tensors.v[init.leaf[k]].shape;
    fits = sp_shape_equal(shape, &p->tensors[p->params[k]].shape) &&
           (!body || sp_shape_equal(shape, &p->tensors[p->results[k]].shape));
  }
  if (!fits) {
    spi_lower_fail(f->lw, in, NULL, "%s does not fit the loop's value", role);
  }
}

static void lower_while(frame *f, uint32_t i) {
  const hlo_instr *in = &f->c->instrs[i];
  operands_exactly(f, i, 1);
  value init = operand(f, i, 0);
  for (uint32_t k = 0; k < init.n; k++) {
    if (init.leaf[k] == HLO_NO_TENSOR) {
      spi_lower_fail(f->lw, in, NULL, "a loop over an asynchronous context");
    }
  }
  while_check(f, in, "condition", init, false);
  while_check(f, in, "body", init, true);
  if (value_of(f, i).n != init.n || in->n_calls != 2) {
    spi_lower_fail(f->lw, in, NULL, "the loop's value changes its type");
  }
  for (uint32_t k = 0; k < init.n; k++) {
    shapes_agree(f, in, init.leaf[k], f->o->shapes[f->o->first[i] + k], k);
  }
  lower_generic(f, i);
}

/* All branches are inlined; the node selects. A predicate reads as a number,
 * so the false branch goes first. */
static void lower_conditional(frame *f, uint32_t i) {
  hlo_lower *lw = f->lw;
  const hlo_instr *in = &f->c->instrs[i];
  value index = operand(f, i, 0);
  if (index.n != 1 || index.leaf[0] == HLO_NO_TENSOR || in->n_in < 2 ||
      in->n_calls != in->n_in - 1) {
    spi_lower_fail(lw, in, NULL, "an index, and a branch for each operand");
  }
  bool pred = f->b->tensors.v[index.leaf[0]].shape.dtype == SP_PRED;
  uint32_t branches = in->n_calls, n = value_of(f, i).n;
  if (pred && branches != 2) {
    spi_lower_fail(lw, in, NULL, "a predicate chooses from %u branches",
                   branches);
  }
  if (((uint64_t)n + 1) * branches > HLO_MAX_LEAVES) {
    spi_lower_fail(lw, in, NULL, "the module is too large");
  }
  sp_mark mark = sp_scratch_mark(lw->ctx);
  uint32_t n_all = 1 + branches * n;
  uint32_t *all = sp_scratch(lw->ctx, n_all * sizeof *all);
  all[0] = index.leaf[0];
  uint32_t collectives = f->b->collectives;
  for (uint32_t k = 0; k < branches; k++) {
    uint32_t from = pred ? 1 - k : k;
    value arg = operand(f, i, from + 1);
    char *more = sp_format(lw->ctx, "branch%u/", k);
    uint32_t *out = &all[1 + k * n];
    inline_call(f, in, call_need(f, in, "branch", from), 1, &arg,
                prefix_of(f, in, more), n, out);
    for (uint32_t j = 0; j < n; j++) {
      shapes_agree(f, in, out[j], f->o->shapes[f->o->first[i] + j], j);
    }
  }
  hlo_attrs a = spi_attrs_of(lw, in);
  spi_attrs_int(lw, &a, "n_branches", branches);
  if (f->b->collectives != collectives) {
    spi_attrs_int(lw, &a, "has_collectives", 1);
  }
  uint32_t out = spi_build_node(lw, f->b, in, f->prefix, "conditional", n_all,
                                all, &a, n, &f->o->shapes[f->o->first[i]]);
  sp_scratch_release(lw->ctx, mark);
  bind_node(f, i, 0, n, out);
}

/* --- handlers: devices --------------------------------------------------- */

static void zero_node(frame *f, uint32_t i) {
  static const int64_t zero = 0;
  hlo_lower *lw = f->lw;
  sp_literal *lit = sp_alloc(lw->ctx, sizeof *lit);
  lit->shape = *f->o->shapes[f->o->first[i]];
  lit->i = &zero;
  hlo_attrs a = spi_attrs_of(lw, &f->c->instrs[i]);
  spi_attrs_set(
      lw, &a,
      (sp_attr){.name = "literal", .kind = SP_ATTR_LITERAL, .u.literal = lit});
  uint32_t out =
      spi_build_node(lw, f->b, &f->c->instrs[i], f->prefix, "constant", 0, NULL,
                     &a, 1, &f->o->shapes[f->o->first[i]]);
  bind_node(f, i, 0, 1, out);
}

/* A program knows one device number and calls it partition-id: with several
 * replicas of one partition it is the replica's. */
static void lower_id(frame *f, uint32_t i) {
  const hlo_instr *in = &f->c->instrs[i];
  bool replica = strcmp(in->opcode, "replica-id") == 0;
  int64_t own = replica ? f->lw->replicas : f->lw->partitions;
  const sp_shape *shape = &in->type.shape;
  operands_exactly(f, i, 0);
  if (in->type.tuple || shape->n_dims || shape->dtype != SP_U32) {
    spi_lower_fail(f->lw, in, NULL, "its type is not u32[]");
  }
  if (own == 1) {
    zero_node(f, i);
  } else {
    node_for(f, i, "partition-id", 0, 1);
  }
}

/* --- handlers: asynchronous pairs ---------------------------------------- */

/* A start returns (operands, results, contexts ...); all-reduce-start just
 * the result. This tells which element the result is, or -1 when the start is
 * not of that form and stays an unknown operator. */
static int start_result(const hlo_instr *in) {
  const hlo_type *t = &in->type;
  bool pair = t->tuple && t->n >= 2;
  if (strcmp(in->opcode, "copy-start") == 0) {
    return pair && t->n == 3 && in->n_in == 1 ? 0 : -1;
  }
  if (strcmp(in->opcode, "async-start") == 0 ||
      strcmp(in->opcode, "async-update") == 0) {
    return pair && (in->n_calls == 1 || in->n_calls == 0) ? 1 : -1;
  }
  size_t n = strlen(in->opcode);
  if (n < 7 || strcmp(in->opcode + n - 6, "-start") != 0 ||
      strcmp(in->opcode, "all-reduce-start") == 0) {
    return -1;
  }
  return pair && in->n_in == type_leaves(&t->elements[0]) ? 1 : -1;
}

static void contexts_clear(frame *f, uint32_t i) {
  for (uint32_t k = f->o->first[i]; k < f->o->first[i + 1]; k++) {
    f->leaf[k] = HLO_NO_TENSOR;
  }
}

static void lower_start(frame *f, uint32_t i) {
  hlo_lower *lw = f->lw;
  const hlo_instr *in = &f->c->instrs[i];
  char base[64];
  size_t n = strlen(in->opcode) - 6;
  memcpy(base, in->opcode, n);
  base[n] = '\0';
  if (strcmp(base, "all-reduce") == 0) {
    node_for(f, i, base, 0, value_of(f, i).n);
    return;
  }
  if (start_result(in) != 1) {
    lower_generic(f, i);
    return;
  }
  contexts_clear(f, i);
  sp_mark mark = sp_scratch_mark(lw->ctx);
  bind_part(f, i, 0, operands_flat(f, i, 0));
  sp_scratch_release(lw->ctx, mark);
  const uint32_t *elements = f->o->elements[i];
  node_for(f, i, base, elements[1], elements[2] - elements[1]);
}

static void lower_copy_start(frame *f, uint32_t i) {
  const hlo_instr *in = &f->c->instrs[i];
  if (start_result(in) != 0) {
    lower_generic(f, i);
    return;
  }
  contexts_clear(f, i);
  value v = operand(f, i, 0);
  bind_part(f, i, 0, v);
  bind_part(f, i, f->o->elements[i][1], v);
}

static void lower_async_start(frame *f, uint32_t i) {
  hlo_lower *lw = f->lw;
  const hlo_instr *in = &f->c->instrs[i];
  uint32_t callee;
  if (start_result(in) != 1 || !call_find(in, "calls", 0, &callee)) {
    lower_generic(f, i);
    return;
  }
  contexts_clear(f, i);
  sp_mark mark = sp_scratch_mark(lw->ctx);
  bind_part(f, i, 0, operands_flat(f, i, 0));
  const uint32_t *elements = f->o->elements[i];
  uint32_t n = elements[2] - elements[1];
  uint32_t *out = sp_scratch(lw->ctx, n * sizeof *out);
  inline_call(f, in, callee, in->n_in, args_of(f, i), prefix_of(f, in, ""), n,
              out);
  bind_part(f, i, elements[1], (value){n, out});
  sp_scratch_release(lw->ctx, mark);
}

/* "copy-start", "copy-done" */
static bool start_pairs(const char *start, const char *done) {
  size_t n = strlen(done) - 5;
  return strncmp(start, done, n) == 0 && strcmp(start + n, "-start") == 0;
}

static void lower_done(frame *f, uint32_t i) {
  const hlo_instr *in = &f->c->instrs[i];
  if (in->n_in == 1 && in->in[0].n_path == 0) {
    uint32_t from = in->in[0].instr;
    const hlo_instr *start = &f->c->instrs[from];
    bool pair = start_pairs(start->opcode, in->opcode) ||
                strcmp(start->opcode, "async-update") == 0;
    int k = pair ? start_result(start) : -1;
    if (pair && strcmp(start->opcode, "all-reduce-start") == 0) {
      bind(f, i, value_of(f, from));
      return;
    }
    if (k >= 0) {
      bind(f, i, value_element(f, in, from, k));
      return;
    }
  }
  lower_generic(f, i);
}

/* --- dispatch ------------------------------------------------------------ */

typedef struct handler {
  const char *opcode;
  void (*lower)(frame *f, uint32_t i);
} handler;

static const handler handlers[] = {
    {"parameter", lower_parameter},
    {"tuple", lower_tuple},
    {"get-tuple-element", lower_element},
    {"call", lower_call},
    {"fusion", lower_call},
    {"opt-barrier", lower_identity},
    {"optimization-barrier", lower_identity},
    {"add-dependency", lower_dependency},
    {"while", lower_while},
    {"conditional", lower_conditional},
    {"partition-id", lower_id},
    {"replica-id", lower_id},
    {"all-reduce-start", lower_start},
    {"all-gather-start", lower_start},
    {"collective-permute-start", lower_start},
    {"all-reduce-done", lower_done},
    {"all-gather-done", lower_done},
    {"collective-permute-done", lower_done},
    {"copy-start", lower_copy_start},
    {"copy-done", lower_done},
    {"async-start", lower_async_start},
    {"async-update", lower_identity},
    {"async-done", lower_done},
};

static void lower_instr(frame *f, uint32_t i) {
  const char *opcode = f->c->instrs[i].opcode;
  for (size_t k = 0; k < sizeof handlers / sizeof *handlers; k++) {
    if (strcmp(handlers[k].opcode, opcode) == 0) {
      handlers[k].lower(f, i);
      return;
    }
  }
  lower_generic(f, i);
}

/* --- the module ---------------------------------------------------------- */

static void params_annotate(hlo_lower *lw, sp_program *p) {
  const hlo_module *m = lw->m;
  const sp_sharding **v = sp_alloc_n(lw->ctx, p->n_params, sizeof *v);
  bool whole = m->param_shardings && m->n_param_shardings == p->n_params;
  for (uint32_t i = 0; i < p->n_params; i++) {
    v[i] = p->tensors[p->params[i]].sharding;
    if (!v[i] && whole) {
      v[i] = m->param_shardings[i];
    }
  }
  p->param_shardings = v;
}

/* What the root says; else what its parts' tensors say; else the module. */
static void results_annotate(hlo_lower *lw, sp_program *p) {
  const hlo_module *m = lw->m;
  const hlo_computation *c = &m->computations[m->entry];
  const hlo_instr *root = &c->instrs[c->root];
  const sp_sharding **v = sp_alloc_n(lw->ctx, p->n_results, sizeof *v);
  bool one = m->n_result_shardings == 1;
  bool whole =
      m->result_shardings && (one || m->n_result_shardings == p->n_results);
  for (uint32_t i = 0; i < p->n_results; i++) {
    const sp_tensor *t = &p->tensors[p->results[i]];
    v[i] = spi_leaf_sharding(lw, root, i, p->n_results, &t->shape);
    v[i] = v[i] ? v[i] : t->sharding;
    if (!v[i] && whole) {
      v[i] = m->result_shardings[one ? 0 : i];
    }
  }
  p->result_shardings = v;
}

const sp_program *sp_hlo_lower(sp_ctx *ctx, const hlo_module *m) {
  hlo_lower lw = {.ctx = ctx, .m = m};
  lw.layouts = sp_alloc_n(ctx, m->n_computations, sizeof *lw.layouts);
  lw.nt = hlo_notation_new(ctx, 0);
  spi_devices_infer(&lw);
  const hlo_computation *entry = &m->computations[m->entry];
  hlo_build *b = sp_alloc(ctx, sizeof *b);
  sp_program *p =
      program_lower(&lw, m->entry, &entry->instrs[entry->root], b, m->name);
  params_annotate(&lw, p);
  results_annotate(&lw, p);
  return p;
}
