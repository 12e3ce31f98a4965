/* hlo_lower_frame.c: where the leaves of values are, and giving them to
 * instructions. Layouts first (once for each computation), then values. */
#include "graph/hlo_lower_i.h"

#include <string.h>

/* --- layouts ------------------------------------------------------------- */

uint32_t spi_type_leaves(const hlo_type *t) {
  uint32_t n = t->tuple ? 0 : 1;
  for (uint32_t i = 0; t->tuple && i < t->n; i++) {
    n += spi_type_leaves(&t->elements[i]);
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
uint32_t spi_param_number(const hlo_instr *in) {
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

hlo_layout *spi_layout_of(hlo_lower *lw, uint32_t at) {
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
      elements[k + 1] = elements[k] + spi_type_leaves(&t->elements[k]);
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

hlo_value spi_value_of(hlo_scope *f, uint32_t instr) {
  const uint32_t *first = f->o->first;
  return (hlo_value){first[instr + 1] - first[instr], &f->leaf[first[instr]]};
}

/* Element k of instruction i, a tuple. */
hlo_value spi_value_element(hlo_scope *f, const hlo_instr *user, uint32_t i,
                            int64_t k) {
  const hlo_instr *in = &f->c->instrs[i];
  if (!in->type.tuple || k < 0 || k >= in->type.n) {
    spi_lower_fail(f->lw, user, NULL, "%.200s has no element %lld", in->name,
                   (long long)k);
  }
  const uint32_t *elements = f->o->elements[i];
  return (hlo_value){elements[k + 1] - elements[k],
                     spi_value_of(f, i).leaf + elements[k]};
}

hlo_value spi_value_at(hlo_scope *f, const hlo_instr *user,
                       const hlo_ref *ref) {
  if (ref->n_path == 0) {
    return spi_value_of(f, ref->instr);
  }
  hlo_value v = spi_value_element(f, user, ref->instr, ref->path[0]);
  const hlo_type *t = &f->c->instrs[ref->instr].type.elements[ref->path[0]];
  for (uint32_t i = 1; i < ref->n_path; i++) {
    uint32_t k = ref->path[i];
    if (!t->tuple || k >= t->n) {
      spi_lower_fail(f->lw, user, NULL, "%.200s has no such element",
                     f->c->instrs[ref->instr].name);
    }
    uint32_t before = 0;
    for (uint32_t j = 0; j < k; j++) {
      before += spi_type_leaves(&t->elements[j]);
    }
    f->lw->leaves += before;
    v = (hlo_value){spi_type_leaves(&t->elements[k]), v.leaf + before};
    t = &t->elements[k];
  }
  return v;
}

hlo_value spi_operand(hlo_scope *f, uint32_t i, uint32_t k) {
  const hlo_instr *in = &f->c->instrs[i];
  if (k >= in->n_in) {
    spi_lower_fail(f->lw, in, NULL, "operand %u is missing", k);
  }
  return spi_value_at(f, in, &in->in[k]);
}

const hlo_type *spi_operand_type(const hlo_scope *f, const hlo_instr *in,
                                 uint32_t k) {
  const hlo_ref *ref = &in->in[k];
  const hlo_type *t = &f->c->instrs[ref->instr].type;
  for (uint32_t i = 0; i < ref->n_path; i++) {
    if (!t->tuple || ref->path[i] >= t->n) {
      return NULL;
    }
    t = &t->elements[ref->path[i]];
  }
  return t->tuple ? NULL : t;
}

void spi_operands_exactly(hlo_scope *f, uint32_t i, uint32_t n) {
  const hlo_instr *in = &f->c->instrs[i];
  if (in->n_in != n) {
    spi_lower_fail(f->lw, in, NULL, "%u operands, not %u", in->n_in, n);
  }
}

/* Leaves of all operands from number `from`, in scratch memory. */
hlo_value spi_operands_flat(hlo_scope *f, uint32_t i, uint32_t from) {
  const hlo_instr *in = &f->c->instrs[i];
  uint64_t n = 0;
  for (uint32_t k = from; k < in->n_in; k++) {
    n += spi_operand(f, i, k).n;
    f->lw->leaves += spi_operand(f, i, k).n;
    if (f->lw->leaves > HLO_MAX_LEAVES) {
      spi_lower_fail(f->lw, in, NULL, "the module is too large");
    }
  }
  uint32_t *leaf = sp_scratch(f->lw->ctx, (size_t)n * sizeof *leaf);
  hlo_value all = {(uint32_t)n, leaf};
  for (uint32_t k = from; k < in->n_in; k++) {
    hlo_value v = spi_operand(f, i, k);
    if (v.n) {
      memcpy(leaf, v.leaf, v.n * sizeof *leaf);
    }
    leaf += v.n;
  }
  return all;
}

void spi_shapes_agree(hlo_scope *f, const hlo_instr *in, uint32_t tensor,
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
void spi_bind_part(hlo_scope *f, uint32_t i, uint32_t at, hlo_value v) {
  const hlo_instr *in = &f->c->instrs[i];
  uint32_t first = f->o->first[i], n = f->o->first[i + 1] - first;
  if (at > n || v.n > n - at) {
    spi_lower_fail(f->lw, in, NULL, "%u parts for a value of %u", v.n, n);
  }
  for (uint32_t k = 0; k < v.n; k++) {
    spi_shapes_agree(f, in, v.leaf[k], f->o->shapes[first + at + k], at + k);
    f->leaf[first + at + k] = v.leaf[k];
  }
}

void spi_bind(hlo_scope *f, uint32_t i, hlo_value v) {
  uint32_t n = spi_value_of(f, i).n;
  if (v.n != n) {
    spi_lower_fail(f->lw, &f->c->instrs[i], NULL, "%u parts for a value of %u",
                   v.n, n);
  }
  spi_bind_part(f, i, 0, v);
}

void spi_bind_node(hlo_scope *f, uint32_t i, uint32_t at, uint32_t n,
                   uint32_t first_tensor) {
  for (uint32_t k = 0; k < n; k++) {
    f->leaf[f->o->first[i] + at + k] = first_tensor + k;
  }
}
