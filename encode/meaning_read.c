/* meaning_read.c: reads of tensors in formulas, here and on other ranks. Read
 * spi_form_read. */
#include "encode/meaning_term.h"

#include <string.h>

/* (rank div stride) mod (size of all axes from `first` to `last`) */
static sp_expr coordinate(const spi_forming *t, uint32_t first, uint32_t last) {
  const sp_meaning_axis *axes = t->m->axes;
  int64_t size = 1;
  for (uint32_t i = first; i <= last; i++) {
    size *= axes[i].size;
  }
  sp_expr x = spi_rank(t->call);
  x = axes[last].stride == 1 ? x : sp_idiv(t->p, x, axes[last].stride);
  return first == 0 ? x : sp_imod(t->p, x, size);
}

static uint32_t axis_of(const spi_forming *t, const sp_lang *e,
                        const char *name) {
  for (uint32_t i = 0; i < t->m->n_axes; i++) {
    if (strcmp(t->m->axes[i].name, name) == 0) {
      return i;
    }
  }
  spi_form_wrong(t, e, sp_format(t->ctx, "%s is no axis of a mesh", name));
}

static void use(spi_forming *t, const sp_lang *e, sp_loc loc, const char *axis,
                uint32_t dim, sp_expr index, int64_t extent) {
  if (!t->visit) {
    return;
  }
  const sp_meaning_use x = {.name = e->name,
                            .loc = loc,
                            .axis = axis,
                            .dim = dim,
                            .index = index,
                            .extent = extent,
                            .n_guards = (uint32_t)t->guards.n,
                            .guards = t->guards.v,
                            .bound = t->local};
  t->visit(t->visit_env, &x);
}

const char *sp_meaning_variable(const sp_meaning_use *x, sp_expr v) {
  for (const spi_binding *b = x->bound; b; b = b->next) {
    if (b->value.kind == SPI_TERM && b->value.e.v == v.v) {
      return b->name;
    }
  }
  return NULL;
}

/* The rank that e reads on: coordinates that it does not name are ours. */
static sp_expr rank_of_read(spi_forming *t, const sp_lang *e) {
  if (e->n_vars == 0) {
    return t->call->rank;
  }
  uint32_t n = t->m->n_axes;
  sp_expr *at = sp_alloc_n(t->ctx, n + 1u, sizeof *at);
  for (uint32_t i = 0; i < e->n_vars; i++) {
    const sp_lang_var *v = &e->vars[i];
    uint32_t axis = axis_of(t, e, v->name);
    if (at[axis].v) {
      spi_form_wrong(t, e, sp_format(t->ctx, "%s is given twice", v->name));
    }
    at[axis] = spi_form_int(t, v->size);
    use(t, e, v->size->loc, v->name, 0, at[axis], t->m->axes[axis].size);
  }
  sp_expr rank = sp_int(t->p, 0);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t last = i;
    while (!at[i].v && last + 1 < n && !at[last + 1].v) {
      last++;
    }
    sp_expr x = at[i].v ? at[i] : coordinate(t, i, last);
    rank = sp_iadd(t->p, rank, sp_iscale(t->p, x, t->m->axes[last].stride));
    i = last;
  }
  return rank;
}

/* The index in its dimension: where that is not visible, clamped. */
static sp_expr inside(const spi_forming *t, sp_expr index, int64_t extent) {
  int64_t lo, hi;
  sp_range(t->p, index, &lo, &hi);
  if (t->m->exact || extent <= 0 || (lo >= 0 && hi < extent)) {
    return index;
  }
  if (sp_has_read(t->p, index)) {
    spi_assume(t->call, "indices that tensors hold are in bounds where a "
                        "custom operator uses them");
  }
  return sp_clamp(t->p, index, sp_int(t->p, 0), sp_int(t->p, extent - 1));
}

spi_formed spi_form_read(spi_forming *t, const sp_meaning_param *q,
                         const sp_lang *e, uint32_t n, const sp_expr *idx) {
  uint32_t operand = spi_meaning_operand(&t->sizes, q);
  const sp_shape *s = sp_call_shape(t->call, operand);
  if (n != s->n_dims) {
    spi_form_wrong_with(
        t, e,
        n == 0 ? "write NAME[i, ...]: a formula gives one element"
               : "one index for each dimension",
        sp_format(t->ctx, "%s has %u dimensions, and is read at %u indices",
                  q->name, s->n_dims, n));
  }
  sp_expr at[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < n; d++) {
    sp_loc loc = d < e->n ? e->args[d]->loc : e->loc;
    use(t, e, loc, NULL, d, idx[d], s->dims[d]);
    at[d] = inside(t, idx[d], s->dims[d]);
  }
  return spi_of(spi_read_at(t->call, operand, rank_of_read(t, e), at));
}

spi_formed spi_form_coordinate(spi_forming *t, const sp_lang *e) {
  uint32_t axis = axis_of(t, e, e->name);
  return spi_of(coordinate(t, axis, axis));
}
