/* hlo_lower.c: an HLO module to a program without tuples and calls.
 *
 * Every value is a list of leaves, its non-tuple parts, and a leaf is a tensor
 * of the program. Opcodes that only move values about (tuple, call, fusion,
 * optimization barriers, ...) bind leaves and make no node; the others make
 * one (generic). A scope is one computation being gone through; calls nest to
 * SP_HLO_MAX_CALL_DEPTH, and all of it together is limited, because a chain
 * of calls can double at every step. Read lower_body, then the handlers. */
#include "graph/hlo_complex.h"
#include "graph/hlo_lower_i.h"

#include <inttypes.h>
#include <string.h>

/* --- computations -------------------------------------------------------- */

static void lower_instr(hlo_scope *f, uint32_t i);

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

static void lower_body(hlo_scope *f) {
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
void spi_inline_call(hlo_scope *caller, const hlo_instr *in, uint32_t callee,
                     uint32_t n_args, const hlo_value *args, const char *prefix,
                     uint32_t n_out, uint32_t *out) {
  hlo_lower *lw = caller->lw;
  hlo_layout *o = spi_layout_of(lw, callee);
  const hlo_computation *c = &lw->m->computations[callee];
  computation_enter(lw, callee, o, in);
  if (o->n_params != n_args) {
    spi_lower_fail(lw, in, NULL, "%u operands for the %u parameters of %.200s",
                   n_args, o->n_params, c->name);
  }
  sp_mark mark = sp_scratch_mark(lw->ctx);
  hlo_scope f = {.lw = lw,
                 .b = caller->b,
                 .c = c,
                 .o = o,
                 .prefix = prefix,
                 .n_args = n_args,
                 .args = args};
  f.leaf = sp_scratch(lw->ctx, o->first[c->n_instrs] * sizeof *f.leaf);
  lower_body(&f);
  hlo_value result = spi_value_of(&f, c->root);
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
static void program_params(hlo_scope *f) {
  uint32_t n = f->o->param_base[f->o->n_params];
  f->b->n_params = n;
  f->b->params = sp_alloc_n(f->lw->ctx, n, sizeof *f->b->params);
}

static sp_program *program_lower(hlo_lower *lw, uint32_t at,
                                 const hlo_instr *user, hlo_build *b,
                                 const char *name) {
  hlo_layout *o = spi_layout_of(lw, at);
  const hlo_computation *c = &lw->m->computations[at];
  computation_enter(lw, at, o, user);
  sp_mark mark = sp_scratch_mark(lw->ctx);
  hlo_scope f = {.lw = lw, .b = b, .c = c, .o = o, .prefix = ""};
  f.leaf = sp_scratch(lw->ctx, o->first[c->n_instrs] * sizeof *f.leaf);
  program_params(&f);
  lower_body(&f);
  hlo_value result = spi_value_of(&f, c->root);
  sp_program *p = spi_build_finish(lw, b, name, result.n, result.leaf);
  sp_scratch_release(lw->ctx, mark);
  computation_leave(lw, o);
  return p;
}

static const sp_program *region_of(hlo_scope *f, const hlo_instr *in,
                                   uint32_t at) {
  hlo_layout *o = spi_layout_of(f->lw, at);
  if (!o->region) {
    hlo_build *b = sp_alloc(f->lw->ctx, sizeof *b);
    o->region =
        program_lower(f->lw, at, in, b, f->lw->m->computations[at].name);
    o->collective = b->collectives > 0;
  }
  return o->region;
}

/* The call of a role; k counts those of the same role. */
bool spi_call_find(const hlo_instr *in, const char *role, uint32_t k,
                   uint32_t *callee) {
  for (uint32_t i = 0; i < in->n_calls; i++) {
    if (strcmp(in->call_roles[i], role) == 0 && k-- == 0) {
      *callee = in->calls[i];
      return true;
    }
  }
  return false;
}

static uint32_t call_need(hlo_scope *f, const hlo_instr *in, const char *role,
                          uint32_t k) {
  uint32_t callee;
  if (!spi_call_find(in, role, k, &callee)) {
    spi_lower_fail(f->lw, in, "is the dump complete?", "%s is missing", role);
  }
  return callee;
}

/* --- handlers: values that only move ------------------------------------- */

/* Such an instruction vanishes, so an attribute that may mean something must
 * not vanish with it. */
static void attrs_only(hlo_scope *f, const hlo_instr *in, const char *allowed) {
  for (uint32_t k = 0; k < in->n_attrs; k++) {
    if (strcmp(in->attrs[k].name, allowed) != 0) {
      sp_raise(f->lw->ctx, SP_ERR_UNKNOWN, in->pos.dump, NULL,
               "%.200s (%.60s): the attribute %.60s is not understood",
               in->name, in->opcode, in->attrs[k].name);
    }
  }
}

static void lower_parameter(hlo_scope *f, uint32_t i) {
  hlo_lower *lw = f->lw;
  const hlo_instr *in = &f->c->instrs[i];
  uint32_t number = spi_param_number(in), base = f->o->param_base[number];
  if (f->args) {
    spi_bind(f, i, f->args[number]);
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

static void lower_tuple(hlo_scope *f, uint32_t i) {
  attrs_only(f, &f->c->instrs[i], "");
  sp_mark mark = sp_scratch_mark(f->lw->ctx);
  spi_bind(f, i, spi_operands_flat(f, i, 0));
  sp_scratch_release(f->lw->ctx, mark);
}

static void lower_element(hlo_scope *f, uint32_t i) {
  const hlo_instr *in = &f->c->instrs[i];
  spi_operands_exactly(f, i, 1);
  attrs_only(f, in, "index");
  const sp_attr *index = spi_instr_attr(in, "index");
  int64_t k = index ? index->u.i : 0;
  const hlo_ref *ref = &in->in[0];
  if (ref->n_path == 0) {
    spi_bind(f, i, spi_value_element(f, in, ref->instr, k));
    return;
  }
  uint32_t path[SP_HLO_MAX_TUPLE_DEPTH + 1];
  if (ref->n_path > SP_HLO_MAX_TUPLE_DEPTH || k < 0 || k >= UINT32_MAX) {
    spi_lower_fail(f->lw, in, NULL, "there is no such element");
  }
  memcpy(path, ref->path, ref->n_path * sizeof *path);
  path[ref->n_path] = (uint32_t)k;
  hlo_ref longer = {ref->instr, ref->n_path + 1, path};
  spi_bind(f, i, spi_value_at(f, in, &longer));
}

static void lower_identity(hlo_scope *f, uint32_t i) {
  spi_operands_exactly(f, i, 1);
  attrs_only(f, &f->c->instrs[i], "");
  spi_bind(f, i, spi_operand(f, i, 0));
}

/* add-dependency(x, token) only orders. */
static void lower_dependency(hlo_scope *f, uint32_t i) {
  spi_operands_exactly(f, i, 2);
  attrs_only(f, &f->c->instrs[i], "");
  spi_bind(f, i, spi_operand(f, i, 0));
}

const hlo_value *spi_args_of(hlo_scope *f, uint32_t i) {
  const hlo_instr *in = &f->c->instrs[i];
  hlo_value *args = sp_scratch(f->lw->ctx, (in->n_in + 1u) * sizeof *args);
  for (uint32_t k = 0; k < in->n_in; k++) {
    args[k] = spi_operand(f, i, k);
  }
  return args;
}

const char *spi_prefix_of(hlo_scope *f, const hlo_instr *in, const char *more) {
  return sp_format(f->lw->ctx, "%s%s/%s", f->prefix, in->name, more);
}

static void lower_call(hlo_scope *f, uint32_t i) {
  hlo_lower *lw = f->lw;
  const hlo_instr *in = &f->c->instrs[i];
  bool fusion = strcmp(in->opcode, "fusion") == 0;
  attrs_only(f, in, "");
  uint32_t callee = call_need(f, in, fusion ? "calls" : "to_apply", 0);
  sp_mark mark = sp_scratch_mark(lw->ctx);
  uint32_t n = spi_value_of(f, i).n;
  uint32_t *out = sp_scratch(lw->ctx, n * sizeof *out);
  spi_inline_call(f, in, callee, in->n_in, spi_args_of(f, i),
                  spi_prefix_of(f, in, ""), n, out);
  spi_bind(f, i, (hlo_value){n, out});
  sp_scratch_release(lw->ctx, mark);
}

/* --- handlers: nodes ----------------------------------------------------- */

/* The attribute a called computation becomes. */
static const char *region_name(hlo_scope *f, const hlo_instr *in, uint32_t at) {
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

static hlo_attrs attrs_with_regions(hlo_scope *f, const hlo_instr *in) {
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

/* Elements of a bitcast stay where they are in memory. */
static void bitcast_layouts(hlo_scope *f, const hlo_instr *in, hlo_attrs *a) {
  const hlo_type *from = in->n_in == 1 ? spi_operand_type(f, in, 0) : NULL;
  const int64_t *to = in->type.minor_to_major;
  if (!from || !from->minor_to_major || !to) {
    return;
  }
  sp_attr operand = {.name = "operand_minor_to_major",
                     .kind = SP_ATTR_INTS,
                     .u.ints = from->minor_to_major,
                     .n = from->shape.n_dims};
  sp_attr own = {.name = "minor_to_major",
                 .kind = SP_ATTR_INTS,
                 .u.ints = to,
                 .n = in->type.shape.n_dims};
  spi_attrs_set(f->lw, a, operand);
  spi_attrs_set(f->lw, a, own);
}

/* "{1,0}" or "?" for each array of the type. */
static void layouts_add(sp_ctx *ctx, const hlo_type *t, sp_str *out) {
  for (uint32_t i = 0; t->tuple && i < t->n; i++) {
    layouts_add(ctx, &t->elements[i], out);
  }
  if (t->tuple) {
    return;
  }
  sp_str_add(ctx, out, t->minor_to_major ? "{" : "?");
  for (uint32_t d = 0; t->minor_to_major && d < t->shape.n_dims; d++) {
    sp_str_addf(ctx, out, d ? ",%" PRId64 : "%" PRId64, t->minor_to_major[d]);
  }
  sp_str_add(ctx, out, t->minor_to_major ? "}" : "");
}

/* Layouts are what a call sees. Notes for compiler passes say something about
 * one that is marked as batched; elsewhere they are dropped. */
static void custom_call_layouts(hlo_scope *f, const hlo_instr *in,
                                hlo_attrs *a) {
  bool laid_out = false;
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->n; i++) {
    bool note = strcmp(a->v[i].name, "frontend_attributes") == 0;
    laid_out =
        laid_out || strcmp(a->v[i].name, "operand_layout_constraints") == 0;
    if (!note || strstr(a->v[i].u.text, "num_batch_dims=")) {
      a->v[n++] = a->v[i];
    }
  }
  a->n = n;
  if (laid_out) {
    sp_str text = {0};
    layouts_add(f->lw->ctx, &in->type, &text);
    sp_attr layouts = {
        .name = "result_layouts", .kind = SP_ATTR_TEXT, .u.text = text.v};
    spi_attrs_set(f->lw, a, layouts);
  }
}

/* A node of that opcode whose results are leaves [at, at + n) of i. */
void spi_node_for(hlo_scope *f, uint32_t i, const char *opcode, uint32_t at,
                  uint32_t n) {
  hlo_lower *lw = f->lw;
  const hlo_instr *in = &f->c->instrs[i];
  hlo_attrs a = attrs_with_regions(f, in);
  if (spi_is_collective(opcode)) {
    spi_devices_resolve(lw, in, opcode, &a);
  }
  if (strcmp(opcode, "bitcast") == 0) {
    bitcast_layouts(f, in, &a);
  }
  if (strcmp(opcode, "custom-call") == 0) {
    custom_call_layouts(f, in, &a);
  }
  spi_attrs_complete(lw, in, opcode, &a);
  hlo_instr whole = *in;
  if (n != spi_value_of(f, i).n) {
    whole.n_shardings = 0; /* of a start, which says more than the result */
  }
  sp_mark mark = sp_scratch_mark(lw->ctx);
  hlo_value v = spi_operands_flat(f, i, 0);
  uint32_t out =
      spi_build_node(lw, f->b, &whole, f->prefix, opcode, v.n, v.leaf, &a, n,
                     &f->o->shapes[f->o->first[i] + at]);
  sp_scratch_release(lw->ctx, mark);
  spi_bind_node(f, i, at, n, out);
}

void spi_lower_generic(hlo_scope *f, uint32_t i) {
  spi_node_for(f, i, f->c->instrs[i].opcode, 0, spi_value_of(f, i).n);
}

/* The loop's parameters and results are the leaves of its one tuple. */
static void while_check(hlo_scope *f, const hlo_instr *in, const char *role,
                        hlo_value init, bool body) {
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

static void lower_while(hlo_scope *f, uint32_t i) {
  const hlo_instr *in = &f->c->instrs[i];
  spi_operands_exactly(f, i, 1);
  hlo_value init = spi_operand(f, i, 0);
  for (uint32_t k = 0; k < init.n; k++) {
    if (init.leaf[k] == HLO_NO_TENSOR) {
      spi_lower_fail(f->lw, in, NULL, "a loop over an asynchronous context");
    }
  }
  while_check(f, in, "condition", init, false);
  while_check(f, in, "body", init, true);
  if (spi_value_of(f, i).n != init.n || in->n_calls != 2) {
    spi_lower_fail(f->lw, in, NULL, "the loop's value changes its type");
  }
  for (uint32_t k = 0; k < init.n; k++) {
    spi_shapes_agree(f, in, init.leaf[k], f->o->shapes[f->o->first[i] + k], k);
  }
  spi_lower_generic(f, i);
}

/* All branches are inlined; the node selects. A predicate reads as a number,
 * so the false branch goes first. */
static void lower_conditional(hlo_scope *f, uint32_t i) {
  hlo_lower *lw = f->lw;
  const hlo_instr *in = &f->c->instrs[i];
  hlo_value index = spi_operand(f, i, 0);
  if (index.n != 1 || index.leaf[0] == HLO_NO_TENSOR || in->n_in < 2 ||
      in->n_calls != in->n_in - 1) {
    spi_lower_fail(lw, in, NULL, "an index, and a branch for each operand");
  }
  bool pred = f->b->tensors.v[index.leaf[0]].shape.dtype == SP_PRED;
  uint32_t branches = in->n_calls, n = spi_value_of(f, i).n;
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
    hlo_value arg = spi_operand(f, i, from + 1);
    char *more = sp_format(lw->ctx, "branch%u/", k);
    uint32_t *out = &all[1 + k * n];
    spi_inline_call(f, in, call_need(f, in, "branch", from), 1, &arg,
                    spi_prefix_of(f, in, more), n, out);
    for (uint32_t j = 0; j < n; j++) {
      spi_shapes_agree(f, in, out[j], f->o->shapes[f->o->first[i] + j], j);
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
  spi_bind_node(f, i, 0, n, out);
}

/* --- handlers: devices --------------------------------------------------- */

static void zero_node(hlo_scope *f, uint32_t i) {
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
  spi_bind_node(f, i, 0, 1, out);
}

/* A program knows one device number and calls it partition-id: with several
 * replicas of one partition it is the replica's. */
static void lower_id(hlo_scope *f, uint32_t i) {
  const hlo_instr *in = &f->c->instrs[i];
  bool replica = strcmp(in->opcode, "replica-id") == 0;
  int64_t own = replica ? f->lw->replicas : f->lw->partitions;
  const sp_shape *shape = &in->type.shape;
  spi_operands_exactly(f, i, 0);
  if (in->type.tuple || shape->n_dims || shape->dtype != SP_U32) {
    spi_lower_fail(f->lw, in, NULL, "its type is not u32[]");
  }
  if (own > 1) {
    spi_node_for(f, i, "partition-id", 0, 1);
    return;
  }
  const hlo_module *m = f->lw->m;
  if (!m->replicas && !m->partitions) {
    sp_raise(f->lw->ctx, SP_ERR_UNKNOWN, in->pos.dump,
             "take the HloProto or the text, whose header has num_partitions",
             "%s asks for the device's number, but the module does not say how "
             "many devices there are",
             in->name);
  }
  zero_node(f, i);
}

/* --- dispatch ------------------------------------------------------------ */

typedef struct handler {
  const char *opcode;
  void (*lower)(hlo_scope *f, uint32_t i);
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
    {"copy-start", spi_lower_copy_start},
    {"async-start", spi_lower_async_start},
    {"fusion-start", spi_lower_async_start},
};

static void lower_instr(hlo_scope *f, uint32_t i) {
  const char *opcode = f->c->instrs[i].opcode;
  for (size_t k = 0; k < sizeof handlers / sizeof *handlers; k++) {
    if (strcmp(handlers[k].opcode, opcode) == 0) {
      handlers[k].lower(f, i);
      return;
    }
  }
  if (spi_ends_in(opcode, "-start")) {
    spi_lower_start(f, i);
  } else if (spi_ends_in(opcode, "-update")) {
    lower_identity(f, i);
  } else if (spi_ends_in(opcode, "-done")) {
    spi_lower_done(f, i);
  } else {
    spi_lower_generic(f, i);
  }
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
  return hlo_complex_parts(ctx, p);
}
