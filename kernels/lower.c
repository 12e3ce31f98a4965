/* lower.c: a kernel as two programs. Read sp_kernel_lower, at the end; then
 * statements. */
#include "kernels/lower.h"

#include "base/arith.h"

#include <string.h>

enum { MAX_STEPS = 4096, MAX_DONE = 100000 };

/* ---- statements ---- */

/* m = n: the same tensor, m = n@(g = e): all of it, of another rank. */
static void lower_copy(spi_lowering *l, spi_side *side,
                       const spi_statement *s) {
  const sp_lang *e = s->body;
  const sp_lang_name_row *row = sp_lang_names_find(&l->names, e->name);
  spi_definition d = {
      .name = s->name, .loc = s->loc, .dtype = s->dtype, .body = e};
  if (row && row->kind == SP_LANG_IS_VALUE) {
    spi_define(l, side, &d); /* a number */
    return;
  }
  uint32_t t = spi_tensor_of(l, side, e->name, e->loc);
  const sp_shape shape = side->tensors.v[t].shape;
  const spi_build b = {l->ctx, e->loc};
  const sp_lang **idx = spi_index_names(l, shape.n_dims, e->loc);
  d.dtype = s->dtype ? s->dtype : shape.dtype;
  d.n_vars = shape.n_dims;
  d.vars = spi_index_variables(l, &shape, e->loc);
  d.body = spi_b_read(b, e->name, e->n_vars, e->vars, shape.n_dims, idx);
  if (e->n_vars > 0 || d.dtype != shape.dtype || !spi_find(side, s->name)) {
    spi_define(l, side, &d);
    return;
  }
  spi_find(side, s->name)->tensor = t;
}

void spi_forget(spi_lowering *l, size_t names, size_t constants,
                size_t locals) {
  size_t kept = names;
  for (size_t i = names; i < l->names.rows.n; i++) {
    if (l->names.rows.v[i].kind != SP_LANG_IS_VALUE) {
      l->names.rows.v[kept++] = l->names.rows.v[i];
    }
  }
  l->names.rows.n = kept;
  l->constants.n = constants;
  l->locals.n = locals;
}

/* Of repeats in repeats there may be very many, whatever is in them. */
static void count(spi_lowering *l, const spi_statement *s) {
  if (++l->done > MAX_DONE) {
    sp_lang_fail(l->ctx, s->loc, NULL, "over %d statements, repeats unrolled",
                 MAX_DONE);
  }
}

static void lower_repeat(spi_lowering *l, spi_side *side,
                         const spi_statement *s) {
  int64_t from = s->from ? spi_integer(l, s->from) : 0, n;
  if (!sp_sub_ok(spi_integer(l, s->body), from, &n) || n < 0 || n > MAX_STEPS) {
    sp_lang_fail(l->ctx, s->body->loc,
                 n < 0 ? "a range counts up: 0..4" : "use smaller sizes",
                 "%lld steps: a repeat may have up to %d", (long long)n,
                 MAX_STEPS);
  }
  if (n > l->unrolled && !side->counter &&
      spi_lower_loop(l, side, s, from, n)) {
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    size_t names = l->names.rows.n, constants = l->constants.n;
    size_t locals = l->locals.n;
    count(l, s);
    spi_add_constant(l, s->name, s->loc, from + i);
    sp_push(l->ctx, &l->counters, ((sp_kernel_constant){s->name, from + i}));
    spi_lower_statements(l, side, &s->inner);
    l->counters.n--;
    spi_forget(l, names, constants, locals);
  }
}

/* Of what where leaves open: that of a tensor whose elements are copied. */
static sp_dtype open_type(spi_side *side, const spi_statement *s) {
  if (s->dtype != SP_DTYPE_INVALID) {
    return s->dtype;
  }
  bool read = s->body->kind == SP_LANG_READ || s->body->kind == SP_LANG_NAME;
  const spi_current *c = read ? spi_find(side, s->body->name) : NULL;
  return c ? side->tensors.v[c->tensor].shape.dtype : SP_F32;
}

/* Of repeats, the steps count together: the last ones may be all padding. */
static void note_guard(spi_lowering *l, const spi_side *side,
                       const spi_statement *s) {
  size_t i = 0;
  while (i < l->guards.n && l->guards.v[i].statement != s) {
    i++;
  }
  if (i == l->guards.n) {
    sp_push(l->ctx, &l->guards, ((spi_guard){s, false}));
  }
  if (!l->guards.v[i].holds) {
    l->guards.v[i].holds =
        spi_where_holds(l, side, s->n_vars, s->vars, s->guard) != SPI_NOWHERE;
  }
}

static void check_guards(const spi_lowering *l) {
  for (size_t i = 0; i < l->guards.n; i++) {
    const spi_statement *s = l->guards.v[i].statement;
    if (!l->guards.v[i].holds) {
      sp_lang_fail(l->ctx, s->guard->loc, "correct the condition",
                   "the condition holds nowhere: all of %s is padding",
                   s->name);
    }
  }
}

static void lower_define(spi_lowering *l, spi_side *side,
                         const spi_statement *s) {
  const spi_build b = {l->ctx, s->loc};
  spi_definition d = {.name = s->name,
                      .loc = s->loc,
                      .dtype = s->dtype,
                      .n_vars = s->n_vars,
                      .vars = s->vars,
                      .body = s->body};
  if (s->guard && !side->parallel) {
    sp_lang_fail(l->ctx, s->guard->loc, "write if ... then ... else ...",
                 "where leaves elements open: in the parallel program only");
  }
  if (s->guard) {
    note_guard(l, side, s);
    d.body = spi_b_if(
        b, s->guard, s->body,
        spi_padding(l, open_type(side, s), s->n_vars, s->vars, s->loc));
  }
  spi_define(l, side, &d);
}

static void statement(spi_lowering *l, spi_side *side, const spi_statement *s) {
  switch (s->kind) {
  case SPI_LET:
    spi_lower_let(l, s);
    break;
  case SPI_DEFINE:
    lower_define(l, side, s);
    break;
  case SPI_RELATE:
    spi_lower_relate(l, side, s);
    break;
  case SPI_COPY:
    lower_copy(l, side, s);
    break;
  case SPI_COLLECTIVE:
    spi_lower_collective(l, side, s);
    break;
  case SPI_REPEAT:
    lower_repeat(l, side, s);
    break;
  }
}

/* Nested as deep as the reader allows. */
void spi_lower_statements(spi_lowering *l, spi_side *side,
                          const spi_statements *list) {
  for (size_t i = 0; i < list->n; i++) {
    statement(l, side, list->v[i]);
  }
}

/* A program's own names are gone after it. */
static void lower_program(spi_lowering *l, spi_side *side,
                          const spi_statements *list) {
  size_t names = l->names.rows.n, constants = l->constants.n;
  size_t locals = l->locals.n;
  spi_lower_statements(l, side, list);
  spi_forget(l, names, constants, locals);
  l->names.rows.n = names;
}

/* ---- the whole ---- */

const sp_program *spi_finish_side(spi_lowering *l, spi_side *side,
                                  const char *name) {
  sp_program *p = sp_alloc(l->ctx, sizeof *p);
  *p = spi_program_now(l, side);
  p->name = name;
  p->n_results = (uint32_t)side->results.n;
  p->results = side->results.v;
  sp_program_check(l->ctx, p);
  return p;
}

/* Inputs are whole on every rank: what a rank has of them is a definition. */
static const sp_placed *given(spi_lowering *l, size_t *n) {
  SP_VEC(sp_placed) out = {0};
  for (size_t i = 0; i < l->seq.params.n; i++) {
    uint32_t v = l->seq.params.v[i];
    const sp_tensor *t = &l->seq.tensors.v[v];
    sp_layout *layout = sp_alloc(l->ctx, sizeof *layout);
    *layout = (sp_layout){
        .ranks = l->par.ranks,
        .n_dims = t->shape.n_dims,
        .dims = sp_alloc_n(l->ctx, t->shape.n_dims + 1u, sizeof *layout->dims),
        .text = "Replicate"};
    sp_push(l->ctx, &out,
            ((sp_placed){.seq = v,
                         .dist = l->par.params.v[i],
                         .layout = layout,
                         .name = t->name}));
  }
  *n = out.n;
  return out.v;
}

static void check_expectation(const spi_lowering *l) {
  const sp_kernel_expectation *e = &l->kernel->expect;
  bool there = !e->at;
  for (size_t i = 0; i < l->told.n; i++) {
    there = there || strcmp(l->told.v[i].name, e->at) == 0;
  }
  if (!there) {
    sp_lang_fail(l->ctx, e->loc, "expect violation at TENSOR of a prove",
                 "nothing is promised of %s", e->at);
  }
}

static void lower_all(spi_lowering *l) {
  const sp_kernel *k = l->kernel;
  for (size_t i = 0; i < k->lets.n; i++) {
    spi_lower_let(l, k->lets.v[i]);
  }
  for (size_t i = 0; i < k->functions.n; i++) {
    spi_lower_function(l, &k->functions.v[i]);
  }
  spi_lower_mesh(l);
  for (size_t i = 0; i < k->inputs.n; i++) {
    spi_lower_input(l, &k->inputs.v[i]);
  }
  for (size_t i = 0; i < k->assumptions.n; i++) {
    spi_lower_assumption(l, k->assumptions.v[i]);
  }
  lower_program(l, &l->seq, &k->sequential);
  for (size_t i = 0; i < l->axes.n; i++) {
    sp_lang_names_add(&l->names, l->axes.v[i].name, SP_LANG_IS_AXIS,
                      spi_declared_axis(l, l->axes.v[i].name)->loc);
  }
  lower_program(l, &l->par, &k->parallel);
  check_guards(l);
  for (size_t i = 0; i < k->promises.n; i++) {
    spi_lower_promise(l, &k->promises.v[i]);
  }
  check_expectation(l);
}

static void describe_mesh(const spi_lowering *l, sp_kernel_problem *out) {
  const char **axes = sp_alloc_n(l->ctx, l->axes.n + 1, sizeof *axes);
  int64_t *sizes = sp_alloc_n(l->ctx, l->axes.n + 1, sizeof *sizes);
  for (size_t i = 0; i < l->axes.n; i++) {
    axes[i] = l->axes.v[i].name;
    sizes[i] = l->axes.v[i].size;
  }
  out->n_axes = (uint32_t)l->axes.n;
  out->axes = axes;
  out->sizes = sizes;
}

static void describe_constants(const spi_lowering *l, sp_kernel_problem *out) {
  size_t n = l->constants.n;
  sp_kernel_constant *v = sp_alloc_n(l->ctx, n + 1, sizeof *v);
  for (size_t i = 0; i < n; i++) {
    const sp_meaning_param *q = &l->constants.v[i];
    v[i] = (sp_kernel_constant){q->name, q->absent->i};
  }
  out->n_constants = n;
  out->constants = v;
}

const sp_kernel_problem *sp_kernel_lower(sp_ctx *ctx, const sp_kernel *kernel,
                                         const sp_solver_options *solver,
                                         int64_t unrolled) {
  static const sp_solver_options defaults = {.timeout_ms = 5000};
  spi_lowering l = {
      .ctx = ctx,
      .kernel = kernel,
      .solver = solver ? solver : &defaults,
      .unrolled = unrolled,
      .names = {.ctx = ctx, .guide = "docs/kernels.md lists the functions"},
      .seq = {.ranks = 1},
      .par = {.parallel = true}};
  l.names.elsewhere = spi_elsewhere;
  l.names.user = &l;
  lower_all(&l);
  sp_kernel_problem *out = sp_alloc(ctx, sizeof *out);
  sp_problem *p = &out->problem;
  p->seq = spi_finish_side(&l, &l.seq, "sequential");
  p->dist = spi_finish_side(&l, &l.par, "parallel");
  p->given = given(&l, &p->n_given);
  p->promised = l.promised.v;
  p->n_promised = l.promised.n;
  p->ranges = l.ranges.v;
  p->n_ranges = l.ranges.n;
  p->notes = l.notes.v;
  p->n_notes = l.notes.n;
  out->promises = l.told.v;
  out->n_loops = l.loops;
  describe_mesh(&l, out);
  describe_constants(&l, out);
  return out;
}
