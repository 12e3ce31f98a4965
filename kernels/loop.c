/* loop.c: a repeat of many steps as one loop, a node "hlo:while" as readers of
 * HLO make it, which solve/ takes by induction or in closed form. Read
 * spi_lower_loop.
 *
 * A loop carries the counter, the tensors that its statements mention, and
 * those that they make (0 before the first step: each step makes them before
 * anything reads them, and there is a step). Its body is the statements once,
 * with the counter as an integer of which the range is known. What cannot be
 * said in this way (an extent that depends on the counter, a tensor that
 * changes its shape, padding) is unrolled, as are short loops, by the caller.
 */
#include "kernels/lower.h"

#include <string.h>

typedef struct loop {
  spi_lowering *l;
  spi_side *side; /* around it */
  const spi_statement *s;
  int64_t from, steps;
  spi_side body, condition;
  SP_VEC(const char *) names; /* carried, after the counter */
  SP_VEC(uint32_t) in;        /* by carried, the counter first */
  size_t n_mentioned;         /* names; the others are made inside */
  const sp_program *body_program, *condition_program;
} loop;

/* ---- what it carries ---- */

static void mention(loop *x, const char *name) {
  for (size_t i = 0; i < x->names.n; i++) {
    if (strcmp(x->names.v[i], name) == 0) {
      return;
    }
  }
  const spi_current *c = spi_find(x->side, name);
  if (c) {
    sp_push(x->l->ctx, &x->names, name);
    sp_push(x->l->ctx, &x->in, c->tensor);
  }
}

/* The tree's height is limited, and so is the depth of this. */
static void mention_all(loop *x, const sp_lang *e) {
  if (e->kind == SP_LANG_NAME || e->kind == SP_LANG_READ) {
    mention(x, e->name);
  }
  for (uint32_t i = 0; i < e->n_vars; i++) {
    if (e->vars[i].size) {
      mention_all(x, e->vars[i].size);
    }
  }
  for (uint32_t i = 0; i < e->n + e->n_more; i++) {
    mention_all(x, e->args[i]);
  }
}

/* False: a statement that is not of one step alone (padding, addends). */
static bool mention_statements(loop *x, const spi_statements *list) {
  for (size_t i = 0; i < list->n; i++) {
    const spi_statement *s = list->v[i];
    for (size_t k = 0; k < s->places.n; k++) {
      if (s->places.v[k].kind == SPI_PLACE_PARTIAL) {
        return false;
      }
    }
    if (s->guard || !mention_statements(x, &s->inner)) {
      return false;
    }
    if (s->body) {
      mention_all(x, s->body);
    }
    if (s->source) {
      mention(x, s->source);
    }
    if (s->kind != SPI_LET && s->kind != SPI_REPEAT) {
      mention(x, s->name);
    }
  }
  return true;
}

/* ---- the two regions ---- */

static const sp_shape counter_shape = {.dtype = SP_S64};

static void add_carried(loop *x, spi_side *region) {
  const spi_side *side = x->side;
  spi_add_param(x->l, region, x->s->name, x->s->loc, counter_shape);
  for (size_t i = 0; i < x->names.n; i++) {
    const sp_shape shape = side->tensors.v[x->in.v[i + 1]].shape;
    spi_add_param(x->l, region, x->names.v[i], x->s->loc, shape);
  }
}

static spi_side region(const loop *x) {
  return (spi_side){.parallel = x->side->parallel,
                    .ranks = x->side->ranks,
                    .counter = x->s->name,
                    .from = x->from,
                    .steps = x->steps};
}

static uint32_t define_scalar(loop *x, spi_side *side, const char *name,
                              sp_dtype type, const sp_lang *body) {
  const spi_build b = {x->l->ctx, x->s->loc};
  const spi_definition d = {.name = spi_b_variable(b, name, 0),
                            .loc = x->s->loc,
                            .dtype = type,
                            .body = body};
  return spi_define(x->l, side, &d);
}

static const sp_lang *counter(const loop *x) {
  const spi_build b = {x->l->ctx, x->s->loc};
  return spi_b_name(b, x->s->name);
}

static bool same_shape(const sp_shape *a, const sp_shape *b) {
  return a->dtype == b->dtype && a->n_dims == b->n_dims &&
         memcmp(a->dims, b->dims, a->n_dims * sizeof *a->dims) == 0;
}

/* Tensors that the body makes: 0 before the first step. */
static void add_made(loop *x) {
  spi_lowering *l = x->l;
  const spi_build b = {l->ctx, x->s->loc};
  size_t n = x->body.current.n;
  for (size_t i = 0; i < n; i++) {
    spi_current *c = &x->body.current.v[i];
    bool carried = i < x->n_mentioned + 1; /* parameters came first */
    if (carried || c->name[0] == '$') {
      continue;
    }
    const sp_shape shape = x->body.tensors.v[c->tensor].shape;
    const spi_definition d = {.name = spi_b_variable(b, "start", 0),
                              .loc = x->s->loc,
                              .dtype = shape.dtype,
                              .n_vars = shape.n_dims,
                              .vars = spi_index_variables(l, &shape, b.loc),
                              .body = spi_b_zero(b, shape.dtype)};
    sp_push(l->ctx, &x->names, c->name);
    sp_push(l->ctx, &x->in, spi_define(l, x->side, &d));
  }
}

/* False: a carried tensor does not keep its shape. */
static bool finish_body(loop *x) {
  spi_lowering *l = x->l;
  const spi_build b = {l->ctx, x->s->loc};
  sp_push(
      l->ctx, &x->body.results,
      define_scalar(x, &x->body, "next", SP_S64,
                    spi_b_binary(b, SP_LANG_ADD, counter(x), spi_b_int(b, 1))));
  for (size_t i = 0; i < x->n_mentioned; i++) {
    uint32_t t = spi_find(&x->body, x->names.v[i])->tensor;
    sp_push(l->ctx, &x->body.results, t);
    if (!same_shape(&x->body.tensors.v[t].shape,
                    &x->side->tensors.v[x->in.v[i + 1]].shape)) {
      return false;
    }
  }
  add_made(x);
  for (size_t i = x->n_mentioned; i < x->names.n; i++) {
    uint32_t t = spi_find(&x->body, x->names.v[i])->tensor;
    sp_push(l->ctx, &x->body.results, t);
    spi_add_param(l, &x->body, x->names.v[i], x->s->loc,
                  x->body.tensors.v[t].shape);
  }
  x->body_program = spi_finish_side(l, &x->body, "body");
  return true;
}

static void make_condition(loop *x) {
  const spi_build b = {x->l->ctx, x->s->loc};
  add_carried(x, &x->condition);
  uint32_t more = define_scalar(x, &x->condition, "more", SP_PRED,
                                spi_b_binary(b, SP_LANG_LT, counter(x),
                                             spi_b_int(b, x->from + x->steps)));
  sp_push(x->l->ctx, &x->condition.results, more);
  x->condition_program = spi_finish_side(x->l, &x->condition, "condition");
}

/* ---- the node ---- */

static void add_loop(loop *x) {
  spi_lowering *l = x->l;
  spi_side *side = x->side;
  const spi_build b = {l->ctx, x->s->loc};
  sp_attr *attrs = sp_alloc_n(l->ctx, 2, sizeof *attrs);
  attrs[0] = (sp_attr){.name = sp_intern(l->ctx, "condition", 9),
                       .kind = SP_ATTR_REGION,
                       .u.region = x->condition_program};
  attrs[1] = (sp_attr){.name = sp_intern(l->ctx, "body", 4),
                       .kind = SP_ATTR_REGION,
                       .u.region = x->body_program};
  sp_shape *shapes = sp_alloc_n(l->ctx, x->in.n, sizeof *shapes);
  const char **names = sp_alloc_n(l->ctx, x->in.n, sizeof *names);
  for (size_t i = 0; i < x->in.n; i++) {
    /* what is handed on as it is keeps its name outside */
    bool same = i == 0 || x->body.results.v[i] == x->body.params.v[i];
    shapes[i] = side->tensors.v[x->in.v[i]].shape;
    names[i] = same ? spi_b_variable(b, "kept", 0) : x->names.v[i - 1];
  }
  const sp_node node = {.op = sp_intern(l->ctx, "hlo:while", 9),
                        .n_in = (uint32_t)x->in.n,
                        .in = x->in.v,
                        .n_attrs = 2,
                        .attrs = attrs};
  spi_add_node(l, side, node, node.n_in, names, shapes, x->s->loc);
}

typedef struct attempt {
  loop *x;
  bool done;
} attempt;

static void try_loop(sp_ctx *ctx, void *arg) {
  attempt *a = arg;
  loop *x = a->x;
  spi_lowering *l = x->l;
  const spi_build b = {ctx, x->s->loc};
  sp_push(ctx, &x->in,
          define_scalar(x, x->side, "from", SP_S64, spi_b_int(b, x->from)));
  if (!mention_statements(x, &x->s->inner)) {
    return;
  }
  x->n_mentioned = x->names.n;
  x->body = region(x);
  x->condition = region(x);
  sp_lang_names_add(&l->names, x->s->name, SP_LANG_IS_VALUE, x->s->loc);
  add_carried(x, &x->body);
  spi_lower_statements(l, &x->body, &x->s->inner);
  if (!finish_body(x)) {
    return;
  }
  make_condition(x);
  a->done = true;
}

bool spi_lower_loop(spi_lowering *l, spi_side *side, const spi_statement *s,
                    int64_t from, int64_t steps) {
  const spi_lowering was = *l;
  const spi_side before = *side;
  loop x = {.l = l, .side = side, .s = s, .from = from, .steps = steps};
  attempt a = {.x = &x};
  sp_protect(l->ctx, try_loop, &a);
  if (!a.done) {
    *side = before;
    *l = was;
    return false;
  }
  l->loops++;
  spi_forget(l, was.names.rows.n, was.constants.n, was.locals.n);
  add_loop(&x);
  return true;
}
