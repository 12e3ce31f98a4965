/* hlo_text.c: an HLO module in text, into hlo_module.h. Read from the end:
 * module, computation, instruction, operands, type. Recursive descent; only
 * tuple types nest, to SP_HLO_MAX_TUPLE_DEPTH. Both dialects that are about
 * are read: with '%' and tables of stack frames (jax 0.12) and without (jax
 * 0.4.35), and operands with their types as older XLA prints them. */
#include "graph/hlo.h"
#include "graph/hlo_literal.h"
#include "graph/hlo_text_i.h"

#include <string.h>

/* --- types --------------------------------------------------------------- */

static void shape_dims(hlo_text *t, sp_shape *shape, const char *at) {
  hlo_lex *l = &t->l;
  int64_t dims[SP_MAX_DIMS];
  uint32_t n = 0;
  int64_t elements = 1;
  while (!hlo_lex_accept(l, ']')) {
    if (n) {
      hlo_lex_expect(l, ',', "between dimensions");
    }
    char c = hlo_lex_peek(l);
    if (c == '<' || c == '?') {
      hlo_lex_fail(l, l->p, "compile with static shapes",
                   "a dimension whose size is not known");
    }
    if (n >= SP_MAX_DIMS) {
      hlo_lex_fail(l, l->p, NULL, "more than %d dimensions", SP_MAX_DIMS);
    }
    dims[n] = hlo_lex_int(l, "a dimension");
    /* Zeros do not excuse the other sizes. */
    int64_t size = dims[n] ? dims[n] : 1;
    if (dims[n] < 0 || size >= SP_MAX_ELEMENTS ||
        elements > (SP_MAX_ELEMENTS - 1) / size) {
      hlo_lex_fail(l, at, "shapes are limited to fewer than 2^40 elements",
                   "a shape is too large");
    }
    elements *= size;
    n++;
  }
  int64_t *copy = sp_alloc_n(t->ctx, n, sizeof *copy);
  if (n) {
    memcpy(copy, dims, n * sizeof *copy);
  }
  shape->n_dims = n;
  shape->dims = copy;
}

/* {1,0} or {1,0:S(1)}, S a kind of memory; anything more (tiles) is not kept.
 */
static void layout_read(hlo_text *t, hlo_type *out) {
  hlo_lex *l = &t->l;
  const char *s = l->p + 1, *end;
  hlo_lex_skip_group(l);
  end = l->p - 1;
  int64_t order[SP_MAX_DIMS];
  uint64_t seen = 0;
  uint32_t n = 0;
  while (s < end && *s >= '0' && *s <= '9' && n < out->shape.n_dims) {
    int64_t d = *s++ - '0';
    if (s < end && *s >= '0' && *s <= '9') {
      d = 10 * d + (*s++ - '0');
    }
    if (d >= out->shape.n_dims || (seen >> d & 1)) {
      return;
    }
    seen |= (uint64_t)1 << d;
    order[n++] = d;
    s += s < end && *s == ',';
  }
  bool dense = s == end || (end - s > 3 && memcmp(s, ":S(", 3) == 0 &&
                            memchr(s, ')', (size_t)(end - s)) == end - 1);
  if (dense && n == out->shape.n_dims) {
    int64_t *kept = sp_alloc_n(t->ctx, n + 1u, sizeof *kept);
    if (n) {
      memcpy(kept, order, n * sizeof *kept);
    }
    out->minor_to_major = kept;
  }
}

/* f32[2,3]{1,0:T(8,128)} with w the word before the bracket. */
static void array_type(hlo_text *t, hlo_slice w, hlo_type *out) {
  hlo_lex *l = &t->l;
  *out = (hlo_type){0};
  out->shape.dtype = sp_dtype_parse(w.s, w.n);
  if (out->shape.dtype == SP_DTYPE_INVALID) {
    bool over = l->p == l->end;
    hlo_lex_fail(l, w.s, over ? "is the file cut short?" : NULL,
                 "a type was expected, not \"%.*s\"",
                 (int)(w.n < 80 ? w.n : 80), w.s);
  }
  hlo_lex_expect(l, '[', "after the element type");
  shape_dims(t, &out->shape, w.s);
  static const int64_t none[1];
  if (out->shape.n_dims == 0) {
    out->minor_to_major = none;
  }
  if (l->p < l->end && *l->p == '{') {
    layout_read(t, out);
  }
}

static void type_read(hlo_text *t, hlo_type *out, int depth) {
  hlo_lex *l = &t->l;
  if (!hlo_lex_accept(l, '(')) {
    array_type(t, hlo_lex_word(l), out);
    return;
  }
  if (depth >= SP_HLO_MAX_TUPLE_DEPTH) {
    hlo_lex_fail(l, l->p, NULL, "tuples nest deeper than %d",
                 SP_HLO_MAX_TUPLE_DEPTH);
  }
  SP_VEC(hlo_type) v = {0};
  while (!hlo_lex_accept(l, ')')) {
    if (v.n) {
      hlo_lex_expect(l, ',', "between the types of a tuple");
    }
    hlo_type element;
    type_read(t, &element, depth + 1);
    sp_push(t->ctx, &v, element);
  }
  *out = (hlo_type){.tuple = true, .n = (uint32_t)v.n, .elements = v.v};
}

/* --- operands ------------------------------------------------------------ */

static uint32_t instr_find(hlo_text *t, hlo_slice w) {
  const char *name = sp_intern(t->ctx, w.s, w.n);
  uint32_t at = hlo_names_find(&t->instrs, name);
  if (at == HLO_NO_NAME) {
    hlo_lex_fail(&t->l, w.s,
                 "operands come before their users; is it a cycle, or is a "
                 "line missing?",
                 "%.200s is not defined above", name);
  }
  return at;
}

/* "%x", "x", "%x#2", and any of them after its type. */
static hlo_ref ref_read(hlo_text *t) {
  hlo_lex *l = &t->l;
  hlo_type ignored;
  char c = hlo_lex_peek(l);
  hlo_slice w;
  if (c == '(') {
    type_read(t, &ignored, 0);
    w = hlo_lex_name(l, "an operand");
  } else {
    w = hlo_lex_name(l, "an operand");
    if (c != '%' && l->p < l->end && *l->p == '[') {
      array_type(t, w, &ignored);
      w = hlo_lex_name(l, "an operand");
    }
  }
  hlo_ref ref = {.instr = instr_find(t, w)};
  if (l->p == l->end || *l->p != '#') {
    return ref;
  }
  SP_VEC(uint32_t) path = {0};
  while (l->p < l->end && *l->p == '#') {
    l->p++;
    int64_t k = hlo_lex_int(l, "a tuple element");
    if (k < 0 || k >= UINT32_MAX || path.n >= SP_HLO_MAX_TUPLE_DEPTH) {
      hlo_lex_fail(l, w.s, NULL, "there is no tuple element #%lld",
                   (long long)k);
    }
    sp_push(t->ctx, &path, (uint32_t)k);
  }
  ref.n_path = (uint32_t)path.n;
  ref.path = path.v;
  return ref;
}

static void operands_read(hlo_text *t) {
  hlo_lex *l = &t->l;
  SP_VEC(hlo_ref) v = {0};
  while (!hlo_lex_accept(l, ')')) {
    if (v.n) {
      hlo_lex_expect(l, ',', "between operands");
    }
    hlo_ref ref = ref_read(t);
    sp_push(t->ctx, &v, ref);
  }
  t->instr->n_in = (uint32_t)v.n;
  t->instr->in = v.v;
}

static void constant_read(hlo_text *t) {
  hlo_lex *l = &t->l;
  hlo_lex_space(l);
  const char *at = l->p;
  if (t->instr->type.tuple) {
    hlo_lex_fail(l, at, NULL, "a constant that is a tuple is not supported");
  }
  const sp_literal *lit = hlo_literal_read(l, &t->instr->type.shape);
  sp_attr a = {.name = "elided", .kind = SP_ATTR_INT, .u.i = 1};
  if (lit) {
    a = (sp_attr){.name = "literal", .kind = SP_ATTR_LITERAL, .u.literal = lit};
  }
  spi_text_attr_add(t, &a, at);
  hlo_lex_expect(l, ')', "after the value of a constant");
}

static void parameter_read(hlo_text *t) {
  hlo_lex *l = &t->l;
  hlo_lex_space(l);
  const char *at = l->p;
  sp_attr a = {.name = "index", .kind = SP_ATTR_INT};
  a.u.i = hlo_lex_int(l, "the number of a parameter");
  spi_text_attr_add(t, &a, at);
  hlo_lex_expect(l, ')', "after the number of a parameter");
}

/* --- instructions -------------------------------------------------------- */

/* true_computation and false_computation are branches 0 and 1, in whatever
 * order they are written. */
static void branches_order(hlo_text *t) {
  size_t n = t->roles.n;
  bool two = n == 2 && strcmp(t->roles.v[0], "false_computation") == 0 &&
             strcmp(t->roles.v[1], "true_computation") == 0;
  if (two) {
    const char *name = t->callees.v[0], *at = t->callee_at.v[0];
    t->callees.v[0] = t->callees.v[1];
    t->callee_at.v[0] = t->callee_at.v[1];
    t->callees.v[1] = name;
    t->callee_at.v[1] = at;
  }
  two = two || (n == 2 && strcmp(t->roles.v[0], "true_computation") == 0 &&
                strcmp(t->roles.v[1], "false_computation") == 0);
  if (two) {
    t->roles.v[0] = t->roles.v[1] = "branch";
  }
}

/* The computations named by the instruction; those not read yet are looked up
 * when the module is complete. */
static void calls_finish(hlo_text *t, hlo_instr *in) {
  branches_order(t);
  size_t n = t->roles.n;
  if (!n) {
    return;
  }
  uint32_t *calls = sp_alloc_n(t->ctx, n, sizeof *calls);
  const char **roles = sp_alloc_n(t->ctx, n, sizeof *roles);
  for (size_t i = 0; i < n; i++) {
    roles[i] = t->roles.v[i];
    calls[i] = hlo_names_find(&t->computations, t->callees.v[i]);
    if (calls[i] == HLO_NO_NAME) {
      hlo_pending p = {&calls[i], t->callees.v[i], t->callee_at.v[i]};
      sp_push(t->ctx, &t->pending, p);
    }
  }
  in->n_calls = (uint32_t)n;
  in->calls = calls;
  in->call_roles = roles;
}

static const char *opcode_read(hlo_text *t) {
  hlo_slice w = hlo_lex_name(&t->l, "an opcode");
  return sp_intern(t->ctx, w.s, w.n);
}

/* XLA always prints it, so its absence is not a default. */
static void largest_need(hlo_text *t, const char *at) {
  for (size_t i = 0; i < t->attrs.n; i++) {
    if (strcmp(t->attrs.v[i].name, "largest") == 0) {
      return;
    }
  }
  hlo_lex_fail(&t->l, at, "is the dump complete?", "largest is missing");
}

/* name = type opcode(operands), attributes */
static void instr_read(hlo_text *t, hlo_instr *in, uint32_t number) {
  hlo_lex *l = &t->l;
  hlo_lex_space(l);
  const char *start = l->p;
  *in = (hlo_instr){0};
  t->instr = in;
  t->attrs.n = t->roles.n = t->callees.n = t->callee_at.n = 0;
  hlo_slice w = hlo_lex_name(l, "an instruction");
  in->name = sp_intern(t->ctx, w.s, w.n);
  in->pos.dump = hlo_lex_loc(l, start);
  hlo_lex_expect(l, '=', "after the name of an instruction");
  type_read(t, &in->type, 0);
  in->opcode = opcode_read(t);
  hlo_lex_expect(l, '(', "after the opcode");
  if (strcmp(in->opcode, "constant") == 0) {
    constant_read(t);
  } else if (strcmp(in->opcode, "parameter") == 0) {
    parameter_read(t);
  } else {
    operands_read(t);
  }
  spi_text_attrs(t);
  in->n_attrs = (uint32_t)t->attrs.n;
  if (strcmp(in->opcode, "topk") == 0) {
    largest_need(t, start);
  }
  if (in->n_attrs) {
    sp_attr *attrs = sp_alloc_n(t->ctx, in->n_attrs, sizeof *attrs);
    memcpy(attrs, t->attrs.v, in->n_attrs * sizeof *attrs);
    in->attrs = attrs;
  }
  calls_finish(t, in);
  if (!hlo_names_add(t->ctx, &t->instrs, in->name, number)) {
    hlo_lex_fail(l, start, NULL, "%.200s is defined twice", in->name);
  }
}

/* --- computations -------------------------------------------------------- */

/* (p: f32[2]) -> f32[2], which the instructions say again. */
static void signature_skip(hlo_text *t) {
  hlo_lex *l = &t->l;
  if (hlo_lex_peek(l) != '(') {
    return;
  }
  hlo_lex_skip_group(l);
  hlo_lex_expect(l, '-', "before the result type of a computation");
  hlo_lex_expect(l, '>', "before the result type of a computation");
  hlo_type ignored;
  type_read(t, &ignored, 0);
}

static void computation_read(hlo_text *t, hlo_computation *c) {
  hlo_lex *l = &t->l;
  hlo_lex_space(l);
  const char *start = l->p;
  hlo_slice w = hlo_lex_name(l, "a computation");
  c->name = sp_intern(t->ctx, w.s, w.n);
  c->loc = hlo_lex_loc(l, start);
  signature_skip(t);
  hlo_lex_expect(l, '{', "to begin a computation");
  hlo_names_clear(&t->instrs);
  SP_VEC(hlo_instr) v = {0};
  bool rooted = false;
  while (!hlo_lex_accept(l, '}')) {
    hlo_lex_space(l);
    const char *at = l->p;
    if (hlo_lex_accept_word(l, "ROOT")) {
      if (rooted) {
        hlo_lex_fail(l, at, NULL, "a second ROOT in one computation");
      }
      rooted = true;
      c->root = (uint32_t)v.n;
    }
    hlo_instr in;
    instr_read(t, &in, (uint32_t)v.n);
    sp_push(t->ctx, &v, in);
  }
  if (v.n == 0) {
    hlo_lex_fail(l, start, NULL, "the computation %.200s is empty", c->name);
  }
  if (!rooted) {
    c->root = (uint32_t)v.n - 1;
  }
  c->n_instrs = (uint32_t)v.n;
  c->instrs = v.v;
  while (hlo_lex_accept(l, ',')) { /* execution_thread="main" */
    hlo_lex_name(l, "an attribute");
    hlo_lex_expect(l, '=', "after the name of an attribute");
    hlo_lex_skip_value(l);
  }
}

/* --- header and tables --------------------------------------------------- */

static int64_t count_read(hlo_text *t, const char *what) {
  const char *at = t->l.p;
  int64_t n = hlo_lex_int(&t->l, what);
  if (n < 1 || n > HLO_MAX_DEVICES) {
    hlo_lex_fail(&t->l, at, NULL, "%s is %lld, not 1 to %d", what, (long long)n,
                 HLO_MAX_DEVICES);
  }
  return n;
}

static const char *header_read(hlo_text *t) {
  hlo_lex *l = &t->l;
  if (!hlo_lex_accept_word(l, "HloModule")) {
    hlo_lex_fail(l, l->p, "an HLO text begins with HloModule",
                 "this is not an HLO module");
  }
  hlo_slice name = hlo_lex_name(l, "the module");
  while (hlo_lex_accept(l, ',')) {
    hlo_slice w = hlo_lex_name(l, "an attribute of the module");
    if (l->p == l->end || *l->p != '=') {
      continue; /* a flag */
    }
    hlo_lex_expect(l, '=', "after the name of an attribute");
    if (hlo_slice_is(w, "num_partitions")) {
      t->partitions = count_read(t, "num_partitions");
    } else if (hlo_slice_is(w, "replica_count")) {
      t->replicas = count_read(t, "replica_count");
    } else {
      hlo_lex_skip_value(l);
    }
  }
  return sp_intern(t->ctx, name.s, name.n);
}

/* The numbers of a table count 1, 2, ...: a gap would shift the rest. */
static void row_number(hlo_text *t, size_t want) {
  const char *at = t->l.p;
  int64_t n = hlo_lex_int(&t->l, "the number of a table row");
  if (n < 1 || (uint64_t)n != want) {
    hlo_lex_fail(&t->l, at, NULL, "row %lld of a table where %zu is due",
                 (long long)n, want);
  }
}

static bool row_begins(hlo_text *t) {
  char c = hlo_lex_peek(&t->l);
  return c >= '0' && c <= '9';
}

static void strings_read(hlo_text *t, hlo_strings *out) {
  while (row_begins(t)) {
    row_number(t, out->n + 1);
    const char *s = hlo_lex_string(&t->l);
    sp_push(t->ctx, out, s);
  }
}

/* {file_name_id=1 function_name_id=2 line=188 ...}: a location, or with
 * file_location_id a stack frame, which is the location it stands at. */
static hlo_frame frame_read(hlo_text *t) {
  hlo_lex *l = &t->l;
  hlo_frame f = {0};
  hlo_lex_expect(l, '{', "to begin a row");
  while (!hlo_lex_accept(l, '}')) {
    hlo_slice w = hlo_lex_name(l, "a field");
    hlo_lex_expect(l, '=', "after the name of a field");
    int64_t v = hlo_lex_int(l, "a field");
    if (hlo_slice_is(w, "file_name_id")) {
      f.file = v >= 1 && (uint64_t)v <= t->files.n ? t->files.v[v - 1] : NULL;
    } else if (hlo_slice_is(w, "line")) {
      f.line = v >= 1 && v <= UINT32_MAX ? (uint32_t)v : 0;
    } else if (hlo_slice_is(w, "file_location_id") && v >= 1 &&
               (uint64_t)v <= t->locations.n) {
      f = t->locations.v[v - 1];
    }
  }
  return f;
}

static void frames_read(hlo_text *t, hlo_frames *out) {
  while (row_begins(t)) {
    row_number(t, out->n + 1);
    hlo_frame f = frame_read(t);
    sp_push(t->ctx, out, f);
  }
}

static bool table_read(hlo_text *t) {
  hlo_lex *l = &t->l;
  hlo_strings functions = {0};
  if (hlo_lex_accept_word(l, "FileNames")) {
    strings_read(t, &t->files);
  } else if (hlo_lex_accept_word(l, "FunctionNames")) {
    strings_read(t, &functions);
  } else if (hlo_lex_accept_word(l, "FileLocations")) {
    frames_read(t, &t->locations);
  } else if (hlo_lex_accept_word(l, "StackFrames")) {
    frames_read(t, &t->frames);
  } else {
    return false;
  }
  return true;
}

/* --- the module ---------------------------------------------------------- */

static void pending_resolve(hlo_text *t) {
  for (size_t i = 0; i < t->pending.n; i++) {
    hlo_pending *p = &t->pending.v[i];
    *p->slot = hlo_names_find(&t->computations, p->name);
    if (*p->slot == HLO_NO_NAME) {
      hlo_lex_fail(&t->l, p->at, NULL, "there is no computation %.200s",
                   p->name);
    }
  }
}

static void computations_read(hlo_text *t, hlo_module *m) {
  hlo_lex *l = &t->l;
  SP_VEC(hlo_computation) v = {0};
  bool entered = false;
  while (hlo_lex_peek(l) || l->p < l->end) {
    if (table_read(t)) {
      continue;
    }
    const char *at = l->p;
    if (hlo_lex_accept_word(l, "ENTRY")) {
      if (entered) {
        hlo_lex_fail(l, at, NULL, "a second ENTRY computation");
      }
      entered = true;
      m->entry = (uint32_t)v.n;
    }
    hlo_computation c = {0};
    computation_read(t, &c);
    if (!hlo_names_add(t->ctx, &t->computations, c.name, (uint32_t)v.n)) {
      hlo_lex_fail(l, at, NULL, "the computation %.200s is defined twice",
                   c.name);
    }
    sp_push(t->ctx, &v, c);
  }
  if (!entered) {
    hlo_lex_fail(l, l->end, "is the file cut short?",
                 "the module has no ENTRY computation");
  }
  m->n_computations = (uint32_t)v.n;
  m->computations = v.v;
}

const hlo_module *sp_hlo_parse_text(sp_ctx *ctx, const char *file,
                                    const char *text, size_t n) {
  hlo_text *t = sp_alloc(ctx, sizeof *t);
  hlo_module *m = sp_alloc(ctx, sizeof *m);
  t->ctx = ctx;
  m->file = sp_strdup(ctx, file);
  hlo_lex_init(&t->l, ctx, m->file, text, n);
  m->name = header_read(t);
  t->nt = hlo_notation_new(ctx, t->partitions);
  t->seen = hlo_notation_new(ctx, 0);
  t->seen_groups = hlo_notation_new(ctx, 0);
  m->partitions = t->partitions;
  m->replicas = t->replicas;
  computations_read(t, m);
  pending_resolve(t);
  return m;
}

const sp_program *sp_hlo_read_text(sp_ctx *ctx, const char *file,
                                   const char *text, size_t n) {
  return sp_hlo_lower(ctx, sp_hlo_parse_text(ctx, file, text, n));
}
