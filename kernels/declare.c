/* declare.c: what a kernel file declares: constants, functions, the mesh,
 * inputs and what is assumed of them; and what names of tensors mean. */
#include "base/arith.h"
#include "kernels/lower.h"

#include <string.h>

/* ---- constants ---- */

static bool constant(void *user, const char *name, int64_t *out) {
  const spi_lowering *l = user;
  for (size_t i = l->constants.n; i-- > 0;) {
    if (strcmp(l->constants.v[i].name, name) == 0) {
      *out = l->constants.v[i].absent->i;
      return true;
    }
  }
  return false;
}

typedef struct trial {
  spi_lowering *l;
  const sp_lang *e;
  int64_t value;
} trial;

static void try_integer(sp_ctx *ctx, void *arg) {
  trial *t = arg;
  const sp_lang_scope scope = {constant, t->l};
  t->value = sp_lang_integer(ctx, t->e, &scope);
}

/* Why a let of that name is no integer. */
static const char *why_no_integer(spi_lowering *l, const char *name) {
  for (size_t i = 0; i < l->locals.n; i++) {
    const sp_meaning_statement *s = &l->locals.v[i];
    trial t = {l, s->body, 0};
    if (strcmp(s->name, name) == 0 && s->kind == SP_MEANING_LET &&
        sp_protect(l->ctx, try_integer, &t) != SP_OK) {
      return sp_format(l->ctx, "line %u: %s", s->loc.line,
                       sp_ctx_error(l->ctx)->message);
    }
  }
  return "sizes are made of numbers and let names";
}

/* Names that are there may be no constants. */
static void check_constants(spi_lowering *l, const sp_lang *e) {
  int64_t v;
  bool name = e->kind == SP_LANG_NAME || e->kind == SP_LANG_READ;
  if (e->kind == SP_LANG_AXIS || (name && !constant(l, e->name, &v))) {
    sp_lang_fail(l->ctx, e->loc, why_no_integer(l, e->name),
                 "%.60s is no constant integer", e->name);
  }
  for (uint32_t i = 0; i < e->n + e->n_more; i++) {
    check_constants(l, e->args[i]);
  }
}

int64_t spi_integer(spi_lowering *l, const sp_lang *e) {
  sp_lang_names_check(&l->names, e);
  check_constants(l, e);
  const sp_lang_scope scope = {constant, l};
  return sp_lang_integer(l->ctx, e, &scope);
}

int64_t spi_extent(spi_lowering *l, const sp_lang *e) {
  int64_t v = spi_integer(l, e);
  if (v < 1 || v >= SP_MAX_ELEMENTS) {
    sp_lang_fail(l->ctx, e->loc,
                 v < 1 ? "a size is at least 1"
                       : "a tensor has less than 2^40 elements",
                 "a size of %lld", (long long)v);
  }
  return v;
}

void spi_add_constant(spi_lowering *l, const char *name, sp_loc loc,
                      int64_t value) {
  const spi_build b = {l->ctx, loc};
  sp_lang_names_add(&l->names, name, SP_LANG_IS_VALUE, loc);
  sp_push(l->ctx, &l->constants,
          ((sp_meaning_param){.name = name,
                              .loc = loc,
                              .kind = SP_MEANING_INT,
                              .absent = spi_b_int(b, value)}));
}

const sp_lang *spi_read_in(const spi_lowering *l, const sp_lang *e) {
  if (e->kind == SP_LANG_READ) {
    return e;
  }
  if (e->kind == SP_LANG_NAME) {
    const sp_lang_name_row *row = sp_lang_names_find(&l->names, e->name);
    return row && row->kind == SP_LANG_IS_TENSOR ? e : NULL;
  }
  const sp_lang *found = NULL;
  for (uint32_t i = 0; i < e->n + e->n_more && !found; i++) {
    found = spi_read_in(l, e->args[i]);
  }
  return found;
}

/* An integer is a constant; what is not (a coordinate, a fraction) keeps its
 * formula. */
void spi_lower_let(spi_lowering *l, const spi_statement *s) {
  sp_lang_names_check(&l->names, s->body);
  const sp_lang *read = spi_read_in(l, s->body);
  if (read) {
    sp_lang_fail(l->ctx, read->loc, "define a tensor: it may be a scalar",
                 "let names numbers and coordinates, %s is a tensor",
                 read->name);
  }
  if (s->body->kind == SP_LANG_STRING) {
    sp_lang_fail(l->ctx, s->body->loc, "write the number without quotes",
                 "a text is no number");
  }
  trial t = {l, s->body, 0};
  if (sp_protect(l->ctx, try_integer, &t) == SP_OK) {
    spi_add_constant(l, s->name, s->loc, t.value);
    return;
  }
  sp_lang_names_add(&l->names, s->name, SP_LANG_IS_VALUE, s->loc);
  sp_push(l->ctx, &l->locals,
          ((sp_meaning_statement){.kind = SP_MEANING_LET,
                                  .loc = s->loc,
                                  .name = s->name,
                                  .body = s->body}));
}

/* Of a function of which nothing is known: opaque("name", real(x), ...). */
static const sp_lang *unknown_body(spi_lowering *l, const spi_function *f) {
  sp_lang *e = sp_alloc(l->ctx, sizeof *e);
  const sp_lang **args = sp_alloc_n(l->ctx, f->n_vars + 1u, sizeof *args);
  sp_lang *name = sp_alloc(l->ctx, sizeof *name);
  *name = (sp_lang){.kind = SP_LANG_STRING, .loc = f->loc, .name = f->name};
  args[0] = name;
  for (uint32_t i = 0; i < f->n_vars; i++) {
    const spi_build b = {l->ctx, f->loc};
    sp_lang *real = sp_alloc(l->ctx, sizeof *real);
    const sp_lang **arg = sp_alloc(l->ctx, sizeof *arg);
    *arg = spi_b_name(b, f->vars[i].name);
    *real = (sp_lang){.kind = SP_LANG_CALL,
                      .loc = f->loc,
                      .name = "real",
                      .height = 1,
                      .n = 1,
                      .args = arg};
    args[i + 1] = real;
  }
  *e = (sp_lang){.kind = SP_LANG_CALL,
                 .loc = f->loc,
                 .name = "opaque",
                 .height = 2,
                 .n = f->n_vars + 1,
                 .args = args};
  return e;
}

void spi_lower_function(spi_lowering *l, const spi_function *f) {
  size_t mark = l->names.rows.n;
  sp_lang_names_add_vars(&l->names, f->n_vars, f->vars, false);
  const sp_lang *body = f->body ? f->body : unknown_body(l, f);
  sp_lang_names_check(&l->names, body);
  l->names.rows.n = mark;
  sp_lang_names_add(&l->names, f->name, SP_LANG_IS_FUNCTION, f->loc);
  sp_push(l->ctx, &l->locals,
          ((sp_meaning_statement){.kind = SP_MEANING_FUNCTION,
                                  .loc = f->loc,
                                  .name = f->name,
                                  .n_vars = f->n_vars,
                                  .vars = f->vars,
                                  .body = body}));
}

/* ---- names of tensors ---- */

spi_current *spi_find(spi_side *side, const char *name) {
  for (size_t i = 0; i < side->current.n; i++) {
    if (strcmp(side->current.v[i].name, name) == 0) {
      return &side->current.v[i];
    }
  }
  return NULL;
}

/* The line where a statement gives the name something, or 0. */
static uint32_t line_of(const spi_statements *list, const char *name) {
  for (size_t i = 0; i < list->n; i++) {
    const spi_statement *s = list->v[i];
    uint32_t inner = line_of(&s->inner, name);
    if (inner || strcmp(s->name, name) == 0) {
      return inner ? inner : s->loc.line;
    }
  }
  return 0;
}

/* A name that is not there may be one of the other program, of an axis, or come
 * later. */
const char *spi_elsewhere(void *user, const char *name) {
  spi_lowering *l = user;
  const sp_kernel *k = l->kernel;
  if (spi_find(&l->par, name)) {
    return "it is of the parallel program";
  }
  if (spi_find(&l->seq, name)) {
    return "it is of the sequential program, or given as addends";
  }
  if (spi_declared_axis(l, name)) {
    return sp_format(l->ctx,
                     "an axis of the mesh; in the parallel program this rank's "
                     "coordinate is @%s",
                     name);
  }
  const spi_statements *lists[] = {&k->lets, &k->sequential, &k->parallel};
  for (size_t i = 0; i < 3; i++) {
    uint32_t line = line_of(lists[i], name);
    if (line) {
      return sp_format(l->ctx, "line %u defines it: later, or in another block",
                       line);
    }
  }
  return NULL;
}

/* One of the side's that is spelled like it, or what else the name is. */
static const char *tensor_hint(spi_lowering *l, const spi_side *side,
                               const char *name) {
  const char **names = sp_alloc_n(l->ctx, side->current.n + 1, sizeof *names);
  for (size_t i = 0; i < side->current.n; i++) {
    names[i] = side->current.v[i].name;
  }
  const char *near = sp_lang_nearest(name, names, side->current.n);
  const char *where = spi_elsewhere(l, name);
  return where  ? where
         : near ? sp_format(l->ctx, "did you mean %s?", near)
                : sp_lang_names_hint(&l->names, name, false);
}

uint32_t spi_tensor_of(spi_lowering *l, spi_side *side, const char *name,
                       sp_loc loc) {
  const spi_current *c = spi_find(side, name);
  const sp_lang_name_row *row = sp_lang_names_find(&l->names, name);
  if (!c && row && row->kind != SP_LANG_IS_TENSOR) {
    sp_lang_names_misused(&l->names, row, loc);
  }
  if (!c) {
    sp_lang_fail(l->ctx, loc, tensor_hint(l, side, name),
                 "no tensor is called %.60s here", name);
  }
  return c->tensor;
}

/* ---- mesh ---- */

const spi_declared *spi_declared_axis(const spi_lowering *l, const char *name) {
  for (size_t i = 0; i < l->kernel->axes.n; i++) {
    if (strcmp(l->kernel->axes.v[i].name, name) == 0) {
      return &l->kernel->axes.v[i];
    }
  }
  return NULL;
}

const char *spi_axes_hint(const spi_lowering *l) {
  sp_str s = {0};
  for (size_t i = 0; i < l->axes.n; i++) {
    sp_str_addf(l->ctx, &s, "%s%s", i ? ", " : "it is on ", l->axes.v[i].name);
  }
  return s.v;
}

uint32_t spi_axis_index(spi_lowering *l, const char *name, sp_loc loc) {
  for (uint32_t i = 0; i < l->axes.n; i++) {
    if (strcmp(l->axes.v[i].name, name) == 0) {
      return i;
    }
  }
  sp_lang_fail(l->ctx, loc, spi_axes_hint(l),
               "%.60s is no axis of the parallel program", name);
}

static void add_axis(spi_lowering *l, const char *name, sp_loc loc) {
  const spi_declared *d = spi_declared_axis(l, name);
  if (!d) {
    sp_lang_fail(l->ctx, loc, "declare it: mesh NAME[SIZE]",
                 "there is no mesh axis %.60s", name);
  }
  int64_t size = spi_extent(l, d->dims[0]);
  sp_push(l->ctx, &l->axes, ((sp_meaning_axis){name, size, 1}));
}

/* Axes in the order of `on`, the last one varies fastest. */
void spi_lower_mesh(spi_lowering *l) {
  const sp_kernel *k = l->kernel;
  for (size_t i = 0; i < k->on.n; i++) {
    add_axis(l, k->on.v[i].name, k->on.v[i].loc);
  }
  for (size_t i = 0; k->on.n == 0 && i < k->axes.n; i++) {
    add_axis(l, k->axes.v[i].name, k->axes.v[i].loc);
  }
  if (l->axes.n == 0) {
    sp_lang_fail(l->ctx, k->parallel_loc, "declare one: mesh g[4]",
                 "the parallel program has no mesh");
  }
  int64_t ranks = 1;
  for (size_t i = l->axes.n; i-- > 0;) {
    l->axes.v[i].stride = ranks;
    if (!sp_mul_ok(ranks, l->axes.v[i].size, &ranks) || ranks > SPI_MAX_RANKS) {
      sp_lang_fail(l->ctx, k->parallel_loc, NULL, "over %d ranks",
                   SPI_MAX_RANKS);
    }
  }
  l->par.ranks = ranks;
}

/* ---- inputs ---- */

/* The axes over which some statement takes the input as addends, or NULL. */
static const spi_place *partial_of(const spi_statements *list,
                                   const char *name) {
  for (size_t i = 0; i < list->n; i++) {
    const spi_statement *s = list->v[i];
    if (s->kind == SPI_REPEAT) {
      const spi_place *p = partial_of(&s->inner, name);
      if (p) {
        return p;
      }
    }
    for (size_t k = 0; s->kind == SPI_RELATE && k < s->places.n; k++) {
      if (s->places.v[k].kind == SPI_PLACE_PARTIAL &&
          strcmp(s->source, name) == 0) {
        return &s->places.v[k];
      }
    }
  }
  return NULL;
}

/* X = sum($q < n) $X[$q, ...]: what the ranks have addends of. */
static void add_sum(spi_lowering *l, const spi_declared *d, const char *addends,
                    const sp_shape *shape, int64_t n) {
  const spi_build b = {l->ctx, d->loc};
  sp_lang_var *q = sp_alloc(l->ctx, sizeof *q);
  *q = (sp_lang_var){.name = spi_b_variable(b, "q", 0),
                     .loc = d->loc,
                     .size = spi_b_int(b, n)};
  const sp_lang **idx = sp_alloc_n(l->ctx, shape->n_dims + 1u, sizeof *idx);
  idx[0] = spi_b_name(b, q->name);
  const sp_lang **rest = spi_index_names(l, shape->n_dims, d->loc);
  for (uint32_t i = 0; i < shape->n_dims; i++) {
    idx[i + 1] = rest[i];
  }
  const sp_lang *read = spi_b_read(b, addends, 0, NULL, shape->n_dims + 1, idx);
  const spi_definition sum = {.name = d->name,
                              .loc = d->loc,
                              .dtype = shape->dtype,
                              .n_vars = shape->n_dims,
                              .vars = spi_index_variables(l, shape, d->loc),
                              .body = spi_b_reduce(b, "sum", 1, q, read)};
  spi_define(l, &l->seq, &sum);
}

void spi_lower_input(spi_lowering *l, const spi_declared *d) {
  int64_t *dims = sp_alloc_n(l->ctx, d->n + 2u, sizeof *dims);
  for (uint32_t i = 0; i < d->n; i++) {
    dims[i + 1] = spi_extent(l, d->dims[i]);
  }
  sp_lang_names_add(&l->names, d->name, SP_LANG_IS_TENSOR, d->loc);
  const spi_place *p = partial_of(&l->kernel->parallel, d->name);
  if (!p) {
    spi_add_input(l, d->name, d->loc, d->dtype, d->n, dims + 1);
    return;
  }
  uint32_t n;
  const uint32_t *axes = spi_axes_of(l, p->n_axes, p->axes, p->loc, &n);
  const char *addends = sp_format(l->ctx, "$%s", d->name);
  addends = sp_intern(l->ctx, addends, strlen(addends));
  dims[0] = spi_axes_size(l, n, axes);
  sp_lang_names_add(&l->names, addends, SP_LANG_IS_TENSOR, d->loc);
  spi_add_input(l, addends, d->loc, d->dtype, d->n + 1, dims);
  const sp_shape shape = {d->dtype, d->n, dims + 1};
  add_sum(l, d, addends, &shape, dims[0]);
}

/* lo <= X, X < hi, ...: bounds of integer inputs. */
typedef struct bounded {
  const char *name;
  sp_loc loc;
  int64_t lo, hi;
} bounded;

static bool is_input(const spi_lowering *l, const sp_lang *e) {
  for (size_t i = 0; e->kind == SP_LANG_NAME && i < l->kernel->inputs.n; i++) {
    if (strcmp(l->kernel->inputs.v[i].name, e->name) == 0) {
      return true;
    }
  }
  return false;
}

static void one_bound(spi_lowering *l, const sp_lang *e, bounded *x) {
  bool less = e->op == SP_LANG_LT || e->op == SP_LANG_LE;
  bool more = e->op == SP_LANG_GT || e->op == SP_LANG_GE;
  bool strict = e->op == SP_LANG_LT || e->op == SP_LANG_GT;
  bool first = e->kind == SP_LANG_BINARY && is_input(l, e->args[0]);
  if (e->kind != SP_LANG_BINARY || (!less && !more) ||
      (!first && !is_input(l, e->args[1]))) {
    sp_lang_fail(l->ctx, e->loc, "assume 0 <= Ids < 128",
                 "bounds of an integer input expected");
  }
  const sp_lang *input = e->args[first ? 0 : 1];
  if (x->name && strcmp(x->name, input->name) != 0) {
    sp_lang_fail(l->ctx, input->loc, "write a second assume",
                 "one assume is about one input");
  }
  x->name = input->name;
  x->loc = input->loc;
  int64_t v = spi_integer(l, e->args[first ? 1 : 0]);
  if (v < -SP_MAX_ELEMENTS || v > SP_MAX_ELEMENTS) {
    sp_lang_fail(l->ctx, e->loc, NULL, "a bound of %lld", (long long)v);
  }
  if (less == first) {
    int64_t hi = strict ? v : v + 1;
    x->hi = hi < x->hi ? hi : x->hi;
  } else {
    int64_t lo = strict ? v + 1 : v;
    x->lo = lo > x->lo ? lo : x->lo;
  }
}

static void collect_bounds(spi_lowering *l, const sp_lang *e, bounded *x) {
  while (e->kind == SP_LANG_BINARY && e->op == SP_LANG_AND) {
    one_bound(l, e->args[1], x);
    e = e->args[0];
  }
  one_bound(l, e, x);
}

static const int64_t far = SP_MAX_ELEMENTS * 2; /* nothing is said */

/* What is assumed of the input so far: all of its assumptions hold. */
static sp_range_given *range_of(spi_lowering *l, uint32_t t) {
  for (size_t i = 0; i < l->ranges.n; i++) {
    if (l->ranges.v[i].seq == t) {
      return &l->ranges.v[i];
    }
  }
  sp_push(l->ctx, &l->ranges, ((sp_range_given){t, -far, far, NULL, 0, NULL}));
  return &l->ranges.v[l->ranges.n - 1];
}

void spi_lower_assumption(spi_lowering *l, const sp_lang *e) {
  bounded x = {.lo = -far, .hi = far};
  collect_bounds(l, e, &x);
  uint32_t t = spi_tensor_of(l, &l->seq, x.name, x.loc);
  const sp_tensor *tensor = &l->seq.tensors.v[t];
  if (!sp_dtype_is_int(tensor->shape.dtype)) {
    sp_lang_fail(l->ctx, x.loc, "write input NAME[...]: int",
                 "%s does not hold integers", x.name);
  }
  sp_range_given *range = range_of(l, t);
  range->lo = x.lo > range->lo ? x.lo : range->lo;
  range->hi = x.hi < range->hi ? x.hi : range->hi;
  if (range->lo >= range->hi) {
    sp_lang_fail(l->ctx, e->loc, "all assumptions about an input hold",
                 "no integer is like that");
  }
  range->text = sp_format(l->ctx, "%lld <= %s < %lld (given)",
                          (long long)range->lo, x.name, (long long)range->hi);
}
