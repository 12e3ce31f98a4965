/* define.c: a definition as a node. Its meaning (encode/meaning.h) has the
 * tensors that the formula reads as parameters, all constants as numbers, and
 * all functions and coordinates that are named as statements before it. */
#include "kernels/lower.h"

#include <string.h>

static sp_shape shape_of(spi_lowering *l, sp_dtype type, uint32_t n,
                         const int64_t *dims, sp_loc loc) {
  int64_t elements = 1;
  if (n >= SP_MAX_DIMS) {
    sp_lang_fail(l->ctx, loc, NULL, "over %d dimensions", SP_MAX_DIMS - 1);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (dims[i] >= SP_MAX_ELEMENTS / elements) {
      sp_lang_fail(l->ctx, loc,
                   "it has less than 2^40; where an index map (or blocks dealt "
                   "out in turn) is promised, those of all ranks count",
                   "a tensor of too many elements");
    }
    elements *= dims[i];
  }
  return (sp_shape){type, n, dims};
}

/* Names of tensors are unique in a program: k, k.2, k.3. */
static const char *version_name(spi_lowering *l, spi_side *side,
                                const char *name) {
  spi_current *c = spi_find(side, name);
  if (!c) {
    sp_push(l->ctx, &side->current, ((spi_current){name, 0, 0}));
    c = &side->current.v[side->current.n - 1];
  }
  c->tensor = (uint32_t)side->tensors.n;
  return ++c->versions == 1 ? name
                            : sp_format(l->ctx, "%s.%u", name, c->versions);
}

static sp_pos position(sp_loc loc) {
  return (sp_pos){
      .source_file = loc.file, .source_line = loc.line, .dump = loc};
}

void spi_add_node(spi_lowering *l, spi_side *side, sp_node node, uint32_t n_out,
                  const char *const *names, const sp_shape *shapes,
                  sp_loc loc) {
  if (side->nodes.n >= SPI_MAX_NODES) {
    sp_lang_fail(l->ctx, loc, NULL, "over %d definitions, repeats unrolled",
                 SPI_MAX_NODES);
  }
  node.out = (uint32_t)side->tensors.n;
  node.n_out = n_out;
  node.pos = position(loc);
  for (uint32_t k = 0; k < n_out; k++) {
    const char *unique = version_name(l, side, names[k]);
    node.name = k == 0 ? unique : node.name;
    sp_push(l->ctx, &side->tensors,
            ((sp_tensor){.name = unique,
                         .shape = shapes[k],
                         .node = (uint32_t)side->nodes.n,
                         .result = k}));
  }
  sp_push(l->ctx, &side->nodes, node);
}

static uint32_t add_node(spi_lowering *l, spi_side *side, const char *name,
                         sp_node node, sp_shape shape, sp_loc loc) {
  spi_add_node(l, side, node, 1, &name, &shape, loc);
  return (uint32_t)side->tensors.n - 1;
}

sp_program spi_program_now(const spi_lowering *l, const spi_side *side) {
  return (sp_program){.name = side->parallel ? "parallel" : "sequential",
                      .file = l->kernel->file,
                      .partitions = side->ranks,
                      .n_nodes = (uint32_t)side->nodes.n,
                      .n_tensors = (uint32_t)side->tensors.n,
                      .nodes = side->nodes.v,
                      .tensors = side->tensors.v,
                      .n_params = (uint32_t)side->params.n,
                      .params = side->params.v};
}

/* ---- inputs ---- */

void spi_add_param(spi_lowering *l, spi_side *side, const char *name,
                   sp_loc loc, sp_shape shape) {
  sp_attr *index = sp_alloc(l->ctx, sizeof *index);
  *index = (sp_attr){.name = sp_intern(l->ctx, "index", 5),
                     .kind = SP_ATTR_INT,
                     .u.i = (int64_t)side->params.n};
  const sp_node node = {.op = sp_intern(l->ctx, "hlo:parameter", 13),
                        .n_attrs = 1,
                        .attrs = index};
  uint32_t t = add_node(l, side, name, node, shape, loc);
  sp_push(l->ctx, &side->params, t);
}

void spi_add_input(spi_lowering *l, const char *name, sp_loc loc,
                   sp_dtype dtype, uint32_t n, const int64_t *dims) {
  sp_shape shape = shape_of(l, dtype, n, dims, loc);
  spi_add_param(l, &l->seq, name, loc, shape);
  spi_add_param(l, &l->par, name, loc, shape);
}

const sp_lang *spi_padding(spi_lowering *l, sp_dtype type, uint32_t n,
                           const sp_lang_var *vars, sp_loc loc) {
  const spi_build b = {l->ctx, loc};
  const char *name = spi_b_variable(b, "open", (uint32_t)l->seq.params.n);
  int64_t *dims = sp_alloc_n(l->ctx, n + 1u, sizeof *dims);
  const sp_lang **idx = sp_alloc_n(l->ctx, n + 1u, sizeof *idx);
  uint32_t n_axes;
  uint32_t *axes = sp_alloc_n(l->ctx, l->axes.n, sizeof *axes);
  for (n_axes = 0; n_axes < l->axes.n; n_axes++) {
    axes[n_axes] = n_axes;
  }
  dims[0] = l->par.ranks;
  idx[0] = spi_kernel_position(l, n_axes, axes, loc);
  for (uint32_t i = 0; i < n; i++) {
    dims[i + 1] = spi_extent(l, vars[i].size);
    idx[i + 1] = spi_b_name(b, vars[i].name);
  }
  sp_lang_names_add(&l->names, name, SP_LANG_IS_TENSOR, loc);
  spi_add_input(l, name, loc, type, n + 1, dims);
  return spi_b_read(b, name, 0, NULL, n + 1, idx);
}

/* ---- definitions ---- */

typedef struct operands {
  spi_lowering *l;
  spi_side *side;
  SP_VEC(sp_meaning_param) params;
  SP_VEC(uint32_t) in;
  SP_VEC(sp_attr) attrs;
} operands;

static void add_operand(operands *o, const char *name, sp_loc loc) {
  for (size_t i = 0; i < o->params.n; i++) {
    if (strcmp(o->params.v[i].name, name) == 0) {
      return;
    }
  }
  spi_lowering *l = o->l;
  uint32_t t = spi_tensor_of(l, o->side, name, loc);
  const sp_shape *s = &o->side->tensors.v[t].shape;
  const spi_build b = {l->ctx, loc};
  const sp_lang **dims = sp_alloc_n(l->ctx, s->n_dims + 1u, sizeof *dims);
  for (uint32_t i = 0; i < s->n_dims; i++) {
    dims[i] = spi_b_int(b, s->dims[i]);
  }
  sp_push(l->ctx, &o->params,
          ((sp_meaning_param){.name = name,
                              .loc = loc,
                              .kind = SP_MEANING_TENSOR,
                              .n_dims = s->n_dims,
                              .dims = dims}));
  sp_push(l->ctx, &o->attrs,
          ((sp_attr){
              .name = name, .kind = SP_ATTR_OPERAND, .u.i = (int64_t)o->in.n}));
  sp_push(l->ctx, &o->in, t);
}

/* The tree's height is limited, and so is the depth of this. */
static void collect(operands *o, const sp_lang *e) {
  bool name = e->kind == SP_LANG_NAME || e->kind == SP_LANG_READ;
  const sp_lang_name_row *row =
      name ? sp_lang_names_find(&o->l->names, e->name) : NULL;
  if (row && row->kind == SP_LANG_IS_TENSOR) {
    add_operand(o, e->name, e->loc);
  }
  for (uint32_t i = 0; i < e->n_vars; i++) {
    if (e->vars[i].size) {
      collect(o, e->vars[i].size);
    }
  }
  for (uint32_t i = 0; i < e->n + e->n_more; i++) {
    collect(o, e->args[i]);
  }
}

/* Numbers written down are reals: l[i < B] = 0. */
static bool is_numeral(const spi_lowering *l, const sp_lang *e) {
  switch (e->kind) {
  case SP_LANG_INT:
    return true;
  case SP_LANG_NAME:
    for (size_t i = 0; i < l->constants.n; i++) {
      if (strcmp(l->constants.v[i].name, e->name) == 0) {
        return true;
      }
    }
    return false;
  case SP_LANG_NEGATE:
    return is_numeral(l, e->args[0]);
  case SP_LANG_BINARY:
    return is_numeral(l, e->args[0]) && is_numeral(l, e->args[1]);
  case SP_LANG_IF:
    return is_numeral(l, e->args[1]) && is_numeral(l, e->args[2]);
  case SP_LANG_REAL:
  case SP_LANG_TRUTH:
  case SP_LANG_STRING:
  case SP_LANG_SPREAD:
  case SP_LANG_LIST:
  case SP_LANG_READ:
  case SP_LANG_AXIS:
  case SP_LANG_CALL:
  case SP_LANG_BIND:
  case SP_LANG_NOT:
    break;
  }
  return false;
}

static const sp_meaning *meaning_of(spi_lowering *l, const spi_side *side,
                                    const spi_definition *d, operands *o,
                                    const int64_t *dims) {
  sp_meaning *m = sp_alloc(l->ctx, sizeof *m);
  const spi_build b = {l->ctx, d->loc};
  for (size_t i = 0; i < l->constants.n; i++) {
    sp_push(l->ctx, &o->params, l->constants.v[i]);
  }
  sp_meaning_statement *s = sp_alloc_n(l->ctx, l->locals.n + 1, sizeof *s);
  for (size_t i = 0; i < l->locals.n; i++) {
    s[i] = l->locals.v[i];
  }
  s[l->locals.n] = (sp_meaning_statement){.kind = SP_MEANING_ELEMENT,
                                          .loc = d->loc,
                                          .name = d->name,
                                          .n_vars = d->n_vars,
                                          .vars = d->vars,
                                          .body = d->body};
  const sp_lang **sizes = sp_alloc_n(l->ctx, d->n_vars + 1u, sizeof *sizes);
  for (uint32_t i = 0; i < d->n_vars; i++) {
    sizes[i] = spi_b_int(b, dims[i]);
  }
  sp_meaning_result *result = sp_alloc(l->ctx, sizeof *result);
  *result = (sp_meaning_result){d->name, d->loc, d->n_vars, sizes};
  *m = (sp_meaning){.name = d->name,
                    .loc = d->loc,
                    .exact = true,
                    .n_axes = side->parallel ? (uint32_t)l->axes.n : 0,
                    .axes = l->axes.v,
                    .n_params = (uint32_t)o->params.n,
                    .n_results = 1,
                    .n_statements = (uint32_t)l->locals.n + 1,
                    .params = o->params.v,
                    .results = result,
                    .statements = s};
  return m;
}

static sp_dtype dtype_of(spi_lowering *l, const spi_definition *d,
                         sp_sort sort) {
  bool numeral = is_numeral(l, d->body);
  sp_dtype found = sort == SP_SORT_BOOL              ? SP_PRED
                   : sort == SP_SORT_INT && !numeral ? SP_S64
                                                     : SP_F32;
  if (d->dtype == SP_DTYPE_INVALID || d->dtype == found) {
    return found;
  }
  bool wider = sort == SP_SORT_INT && d->dtype != SP_PRED;
  if (!wider) {
    sp_lang_fail(l->ctx, d->loc, NULL, "%s is declared %s, its formula is %s",
                 d->name,
                 d->dtype == SP_S64    ? "int"
                 : d->dtype == SP_PRED ? "bool"
                                       : "real",
                 sort == SP_SORT_BOOL  ? "bool"
                 : sort == SP_SORT_INT ? "int"
                                       : "real");
  }
  return d->dtype;
}

uint32_t spi_define(spi_lowering *l, spi_side *side, const spi_definition *d) {
  size_t mark = l->names.rows.n;
  int64_t *dims = sp_alloc_n(l->ctx, d->n_vars + 1u, sizeof *dims);
  for (uint32_t i = 0; i < d->n_vars; i++) {
    dims[i] = spi_extent(l, d->vars[i].size);
  }
  sp_lang_names_add_vars(&l->names, d->n_vars, d->vars, false);
  sp_lang_names_check(&l->names, d->body);
  operands o = {.l = l, .side = side};
  sp_attr meaning = {.name = sp_intern(l->ctx, "=meaning", 8),
                     .kind = SP_ATTR_MEANING};
  sp_push(l->ctx, &o.attrs, meaning);
  collect(&o, d->body);
  if (side->counter) { /* let names may be made of it */
    add_operand(&o, side->counter, d->loc);
  }
  l->names.rows.n = mark;
  o.attrs.v[0].u.meaning = meaning_of(l, side, d, &o, dims);
  const sp_node node = {
      .op = sp_intern(l->ctx, SP_KERNEL_OP, strlen(SP_KERNEL_OP)),
      .n_in = (uint32_t)o.in.n,
      .in = o.in.v,
      .n_attrs = (uint32_t)o.attrs.n,
      .attrs = o.attrs.v};
  sp_shape shape = shape_of(l, SP_F32, d->n_vars, dims, d->loc);
  const sp_lang_name_row *row = sp_lang_names_find(&l->names, d->name);
  if (!row) {
    sp_lang_names_add(&l->names, d->name, SP_LANG_IS_TENSOR, d->loc);
  } else if (row->kind != SP_LANG_IS_TENSOR) {
    sp_lang_fail(l->ctx, d->loc, "take another name",
                 "%s has a meaning here already", d->name);
  }
  uint32_t t = add_node(l, side, d->name, node, shape, d->loc);
  side->tensors.v[t].shape.dtype = dtype_of(l, d, spi_check_reads(l, side));
  return t;
}
