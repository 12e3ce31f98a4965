/* collective.c: named collectives, each by its definition: one formula over
 * reads at other ranks. n ranks lie along the axes, @ is a rank's position
 * among them, x@(q) the tensor of the one at position q.
 *
 *   all_reduce(op, x)           y[i] = op(q < n) x@(q)[i]
 *   reduce_scatter(op, x, d)    y[..i..] = op(q < n) x@(q)[..i + @*size..]
 *   all_gather(x, d)            y[..i..] = x@(i div size)[..i mod size..]
 *   all_to_all(x, split, join)  y[..s..j..] = x@(j div size)
 *                                 [..s + @*(split size / n)..j mod size..]
 *   shift(x, k)                 y[i] = x@((@ - k) mod n)[i]
 *   broadcast(x, root)          y[i] = x@(root)[i]
 */
#include "kernels/lower.h"

#include <string.h>

typedef struct collective {
  spi_lowering *l;
  const spi_statement *s;
  spi_build b;
  const sp_lang *call;
  const char *source;
  sp_shape shape;
  uint32_t n_axes;
  const uint32_t *axes;
  int64_t n;
  const sp_lang *at; /* this rank's position */
  int64_t *dims;     /* of the result */
  const sp_lang **idx;
} collective;

const sp_lang_var *spi_index_variables(spi_lowering *l, const sp_shape *s,
                                       sp_loc loc) {
  const spi_build b = {l->ctx, loc};
  sp_lang_var *v = sp_alloc_n(l->ctx, s->n_dims + 1u, sizeof *v);
  for (uint32_t i = 0; i < s->n_dims; i++) {
    v[i] = (sp_lang_var){.name = spi_b_variable(b, "i", i),
                         .loc = loc,
                         .size = spi_b_int(b, s->dims[i])};
  }
  return v;
}

const sp_lang **spi_index_names(spi_lowering *l, uint32_t n, sp_loc loc) {
  const spi_build b = {l->ctx, loc};
  const sp_lang **v = sp_alloc_n(l->ctx, n + 1u, sizeof *v);
  for (uint32_t i = 0; i < n; i++) {
    v[i] = spi_b_name(b, spi_b_variable(b, "i", i));
  }
  return v;
}

/* ---- arguments ---- */

static noreturn void wrong(const collective *c, const char *text) {
  sp_lang_fail(
      c->l->ctx, c->call->loc,
      sp_format(c->l->ctx, "write %s, where x is a tensor's name", text),
      "%s is called otherwise", c->call->name);
}

static uint32_t dimension(const collective *c, uint32_t arg) {
  const sp_lang *e = c->call->args[arg];
  int64_t d = spi_integer(c->l, e);
  if (d < 0 || d >= c->shape.n_dims) {
    sp_lang_fail(c->l->ctx, e->loc, "dimensions count from 0",
                 "%s has %u dimensions, there is no dimension %lld", c->source,
                 c->shape.n_dims, (long long)d);
  }
  return (uint32_t)d;
}

static int64_t share(const collective *c, uint32_t d) {
  if (c->shape.dims[d] % c->n != 0) {
    sp_lang_fail(c->l->ctx, c->call->loc, "pad it, and guard with where",
                 "dimension %u of %s has %lld elements, no multiple of %lld", d,
                 c->source, (long long)c->shape.dims[d], (long long)c->n);
  }
  return c->shape.dims[d] / c->n;
}

static const char *reduction(const collective *c) {
  static const char *const ops[] = {"sum", "max", "min", "prod", "any", "all"};
  const sp_lang *e = c->call->args[0];
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (e->kind == SP_LANG_NAME && strcmp(e->name, ops[i]) == 0) {
      return ops[i];
    }
  }
  sp_lang_fail(c->l->ctx, e->loc, "sum, max, min, prod, any, all",
               "a reduction expected");
}

static void arguments(collective *c, uint32_t source, uint32_t n,
                      const char *usage) {
  const sp_lang *e = c->call;
  if (e->n != n || e->n_more > 0 || e->args[source]->kind != SP_LANG_NAME) {
    wrong(c, usage);
  }
  c->source = e->args[source]->name;
  uint32_t t = spi_tensor_of(c->l, &c->l->par, c->source, e->args[source]->loc);
  c->shape = c->l->par.tensors.v[t].shape;
  c->dims = sp_alloc_n(c->l->ctx, c->shape.n_dims + 1u, sizeof *c->dims);
  for (uint32_t d = 0; d < c->shape.n_dims; d++) {
    c->dims[d] = c->shape.dims[d];
  }
  c->idx = spi_index_names(c->l, c->shape.n_dims, e->loc);
}

/* ---- formulas ---- */

/* The source at c->idx on the rank at position q. */
static const sp_lang *read_at(const collective *c, const sp_lang *q) {
  const sp_lang_var *at =
      spi_coordinates(c->l, c->n_axes, c->axes, q, c->call->loc);
  return spi_b_read(c->b, c->source, c->n_axes, at, c->shape.n_dims, c->idx);
}

/* One variable an axis, so that no position need be taken apart. */
static const sp_lang *reduce(const collective *c, const char *op) {
  sp_lang_var *vars = sp_alloc_n(c->l->ctx, c->n_axes, sizeof *vars);
  sp_lang_var *at = sp_alloc_n(c->l->ctx, c->n_axes, sizeof *at);
  for (uint32_t i = 0; i < c->n_axes; i++) {
    const sp_meaning_axis *a = &c->l->axes.v[c->axes[i]];
    const char *name = spi_b_variable(c->b, "q", i);
    vars[i] = (sp_lang_var){
        .name = name, .loc = c->b.loc, .size = spi_b_int(c->b, a->size)};
    at[i] = (sp_lang_var){
        .name = a->name, .loc = c->b.loc, .size = spi_b_name(c->b, name)};
  }
  const sp_lang *read =
      spi_b_read(c->b, c->source, c->n_axes, at, c->shape.n_dims, c->idx);
  return spi_b_reduce(c->b, op, c->n_axes, vars, read);
}

static uint32_t finish(const collective *c, const char *name,
                       const sp_lang *body) {
  const sp_shape shape = {c->shape.dtype, c->shape.n_dims, c->dims};
  const spi_definition d = {.name = name,
                            .loc = c->b.loc,
                            .dtype = shape.dtype,
                            .n_vars = shape.n_dims,
                            .vars = spi_index_variables(c->l, &shape, c->b.loc),
                            .body = body};
  return spi_define(c->l, &c->l->par, &d);
}

uint32_t spi_reduce_over(spi_lowering *l, const char *name, const char *op,
                         const char *source, uint32_t n, const uint32_t *axes,
                         sp_loc loc) {
  const spi_build b = {l->ctx, loc};
  sp_lang *call = sp_alloc(l->ctx, sizeof *call);
  const sp_lang **args = sp_alloc(l->ctx, sizeof *args);
  *args = spi_b_name(b, source);
  *call = (sp_lang){.kind = SP_LANG_CALL, .loc = loc, .n = 1, .args = args};
  collective c = {.l = l, .b = b, .call = call, .n_axes = n, .axes = axes};
  arguments(&c, 0, 1, NULL);
  return finish(&c, name, reduce(&c, op));
}

static const sp_lang *all_reduce(collective *c) {
  arguments(c, 1, 2, "all_reduce(sum, x) over AXIS");
  return reduce(c, reduction(c));
}

static const sp_lang *reduce_scatter(collective *c) {
  arguments(c, 1, 3, "reduce_scatter(sum, x, dim) over AXIS");
  uint32_t d = dimension(c, 2);
  c->dims[d] = share(c, d);
  const sp_lang *from = spi_b_with(c->b, SP_LANG_MUL, c->at, c->dims[d]);
  c->idx[d] = spi_b_binary(c->b, SP_LANG_ADD, from, c->idx[d]);
  return reduce(c, reduction(c));
}

static const sp_lang *all_gather(collective *c) {
  arguments(c, 0, 2, "all_gather(x, dim) over AXIS");
  uint32_t d = dimension(c, 1);
  const sp_lang *i = c->idx[d];
  int64_t size = c->shape.dims[d];
  c->dims[d] = size * c->n;
  c->idx[d] = spi_b_with(c->b, SP_LANG_MOD, i, size);
  return read_at(c, spi_b_with(c->b, SP_LANG_DIV, i, size));
}

static const sp_lang *all_to_all(collective *c) {
  arguments(c, 0, 3, "all_to_all(x, split, join) over AXIS");
  uint32_t split = dimension(c, 1), join = dimension(c, 2);
  int64_t part = share(c, split);
  const sp_lang *from = spi_b_with(c->b, SP_LANG_MUL, c->at, part);
  c->dims[split] = part;
  int64_t size = c->dims[join]; /* after splitting, where they are one */
  const sp_lang *j = c->idx[join];
  c->dims[join] = size * c->n;
  c->idx[join] = spi_b_with(c->b, SP_LANG_MOD, j, size);
  c->idx[split] = spi_b_binary(c->b, SP_LANG_ADD, from, c->idx[split]);
  return read_at(c, spi_b_with(c->b, SP_LANG_DIV, j, size));
}

static const sp_lang *shift(collective *c) {
  arguments(c, 0, 2, "shift(x, k) over AXIS");
  const sp_lang *q = spi_b_binary(c->b, SP_LANG_SUB, c->at, c->call->args[1]);
  return read_at(c, spi_b_binary(c->b, SP_LANG_MOD, q, spi_b_int(c->b, c->n)));
}

static const sp_lang *broadcast(collective *c) {
  arguments(c, 0, 2, "broadcast(x, root) over AXIS");
  return read_at(c, c->call->args[1]);
}

void spi_lower_collective(spi_lowering *l, spi_side *side,
                          const spi_statement *s) {
  static const struct {
    const char *name;
    const sp_lang *(*formula)(collective *c);
  } rows[] = {
      {"all_reduce", all_reduce}, {"reduce_scatter", reduce_scatter},
      {"all_gather", all_gather}, {"all_to_all", all_to_all},
      {"shift", shift},           {"broadcast", broadcast},
  };
  collective c = {.l = l, .s = s, .b = {l->ctx, s->loc}, .call = s->body};
  if (!side->parallel) {
    sp_lang_fail(l->ctx, s->loc, "the sequential program has no ranks",
                 "%s is of the parallel program", c.call->name);
  }
  c.axes = spi_axes_of(l, (uint32_t)s->axes.n, s->axes.v, s->loc, &c.n_axes);
  c.n = spi_axes_size(l, c.n_axes, c.axes);
  c.at = spi_kernel_position(l, c.n_axes, c.axes, s->loc);
  size_t i = 0;
  while (strcmp(rows[i].name, c.call->name) != 0) {
    i++; /* it is there: the reader knows these words */
  }
  finish(&c, s->name, rows[i].formula(&c));
}
