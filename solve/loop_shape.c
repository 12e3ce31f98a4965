/* loop_shape.c: counters and trip counts, guessed from one side alone. */
#include "solve/loop.h"

#include "base/arith.h"

sp_expr spi_region_value(sp_state *region, uint32_t tensor) {
  sp_mode mode = sp_pool_mode(region->pool, SP_MODE_NORMAL);
  sp_expr e =
      sp_simplify(region->pool, spi_seq_read(region, tensor, NULL, true));
  sp_pool_mode(region->pool, mode);
  return e;
}

static bool is_int_scalar(const sp_program *p, uint32_t tensor) {
  const sp_shape *s = &p->tensors[tensor].shape;
  return s->n_dims == 0 && sp_dtype_is_int(s->dtype);
}

static const sp_program *region_of(const sp_node *node, const char *name) {
  const sp_attr *a = sp_node_attr(node, name);
  return a && a->kind == SP_ATTR_REGION ? a->u.region : NULL;
}

/* What the body makes of the carried integer when it is `at`. */
static bool next_of(sp_state *body, uint32_t k, const loop_shape *shape,
                    int64_t at, int64_t *next) {
  sp_pool *p = body->pool;
  sp_expr e = spi_region_value(body, shape->body->results[k]);
  sp_sym own = body->seq[shape->body->params[k]].sym;
  e = sp_simplify(p, spi_replace_symbol(p, e, own, sp_int(p, at)));
  bool ok = sp_kind_of(p, e) == SP_KIND_INT;
  *next = ok ? sp_int_value(p, e) : 0;
  return ok;
}

/* A few steps by the same distance: unsigned ones are remainders in terms, so
 * the distance cannot be read off. */
static void find_counters(sp_state *body, const sp_expr *initial,
                          loop_shape *shape) {
  sp_pool *p = body->pool;
  for (uint32_t k = 0; k < shape->n; k++) {
    if (shape->counter[k].known || !initial[k].v ||
        sp_kind_of(p, initial[k]) != SP_KIND_INT ||
        !is_int_scalar(shape->body, shape->body->params[k])) {
      continue;
    }
    int64_t first = sp_int_value(p, initial[k]), at[4] = {first};
    bool ok = true;
    for (int i = 0; i < 3 && ok; i++) {
      ok = next_of(body, k, shape, at[i], &at[i + 1]);
    }
    int64_t step, second, third;
    if (ok && sp_sub_ok(at[1], at[0], &step) &&
        sp_sub_ok(at[2], at[1], &second) && sp_sub_ok(at[3], at[2], &third) &&
        second == step && third == step) {
      shape->counter[k] =
          (loop_counter){.known = true, .first = first, .step = step};
    }
  }
}

/* The first x >= 0 at which c is false; -1 when that cannot be read off. */
static int64_t first_false(sp_pool *p, sp_expr c, sp_expr x) {
  bool negated = sp_kind_of(p, c) == SP_KIND_NOT;
  sp_expr atom = negated ? sp_arg(p, c, 0) : c;
  sp_kind kind = sp_kind_of(p, atom);
  if (sp_is_false(p, c)) {
    return 0;
  }
  if (kind != SP_KIND_LT0 && kind != SP_KIND_EQ0) {
    return -1;
  }
  /* atom is about a * x + b */
  sp_expr d = sp_arg(p, atom, 0);
  int64_t a = 1, b = 0;
  if (sp_kind_of(p, d) == SP_KIND_LIN && sp_n_args(p, d) == 1) {
    a = sp_lin_coef(p, d, 0);
    b = sp_lin_const(p, d);
    d = sp_arg(p, d, 0);
  }
  if (d.v != x.v) {
    return -1;
  }
  if (kind == SP_KIND_EQ0 && !negated) { /* at most one step */
    return b == 0 ? 1 : 0;
  }
  if (kind == SP_KIND_EQ0) { /* x counts to the one value that stops it */
    return b % a == 0 && -b / a >= 0 ? -b / a : -1;
  }
  if (negated) { /* a*x + b >= 0, until it is negative: -a*x - b - 1 < 0 */
    a = -a;
    b = -b - 1;
  }
  /* a*x + b < 0 fails first at x = ceil(-b / a) */
  return a > 0 ? (b >= 0 ? 0 : (-b + a - 1) / a) : -1;
}

/* Numbers in terms do not wrap around; so counters must not. */
static bool counters_fit(const loop_shape *shape) {
  for (uint32_t k = 0; k < shape->n; k++) {
    const loop_counter *c = &shape->counter[k];
    const sp_program *p = shape->body;
    sp_dtype type = p->tensors[p->params[k]].shape.dtype;
    int bits = sp_dtype_bits(type) - !sp_dtype_is_unsigned(type);
    int64_t hi = ((int64_t)1 << (bits < 62 ? bits : 62)) - 1;
    int64_t lo = sp_dtype_is_unsigned(type) ? 0 : -hi - 1, last;
    int64_t steps = c->turns > 0 ? c->turns : shape->trips;
    if (c->known &&
        (!sp_mul_ok(c->step, steps, &last) ||
         !sp_add_ok(last, c->first, &last) || last < lo || last > hi)) {
      return false;
    }
  }
  return true;
}

enum { COUNT_BITS = 40 }; /* trip counts below 2^40 */

static void find_trips(sp_state *condition, loop_shape *shape) {
  sp_pool *p = condition->pool;
  sp_expr c = spi_region_value(condition, shape->condition->results[0]);
  sp_expr x = sp_var(p, SP_VAR_STEP, "step", (int64_t)1 << COUNT_BITS);
  for (uint32_t k = 0; k < shape->n; k++) {
    const loop_counter *count = &shape->counter[k];
    sp_expr at = count->known && count->turns == 0
                     ? sp_iaddc(p, sp_iscale(p, x, count->step), count->first)
                     : (sp_expr){0};
    if (at.v) {
      c = spi_replace_symbol(
          p, c, condition->seq[shape->condition->params[k]].sym, at);
    }
  }
  shape->trips = first_false(p, c, x);
  if (shape->trips >= 0 && !counters_fit(shape)) {
    shape->trips = -1;
    shape->why = "a counter would leave the range of its type";
  } else if (shape->trips < 0) {
    shape->why = sp_format(condition->ctx,
                           "the number of steps cannot be worked out from the "
                           "condition %s",
                           sp_show(p, c));
  }
}

/* initial[k]: the carried scalar's value before the loop, or 0 (none). */
static void shape_of(sp_state *s, const sp_node *node, const sp_expr *initial,
                     loop_shape *shape) {
  *shape = (loop_shape){.condition = region_of(node, "condition"),
                        .body = region_of(node, "body"),
                        .n = node->n_out,
                        .trips = -1,
                        .why = "it has no body"};
  shape->counter = sp_alloc_n(s->ctx, shape->n + 1u, sizeof *shape->counter);
  if (!shape->condition || !shape->body || shape->condition->n_results != 1 ||
      shape->body->n_params != shape->n || shape->body->n_results != shape->n ||
      shape->condition->n_params != shape->n || node->n_in != shape->n) {
    return;
  }
  sp_state *body = spi_substate(s, shape->body, NULL);
  sp_state *condition = spi_substate(s, shape->condition, NULL);
  spi_find_cycles(body, initial, shape);
  find_counters(body, initial, shape);
  find_trips(condition, shape);
}

static bool is_scalar(const sp_program *p, uint32_t t) {
  return p->tensors[t].shape.n_dims == 0;
}

void spi_loop_shape_seq(sp_state *s, const sp_node *node, loop_shape *shape) {
  sp_mark mark = sp_scratch_mark(s->ctx);
  sp_expr *initial = sp_scratch(s->ctx, (node->n_in + 1u) * sizeof *initial);
  for (uint32_t k = 0; k < node->n_in; k++) {
    uint32_t t = node->in[k];
    initial[k] = is_scalar(s->seq_program, t) && spi_seq_defined(s, t)
                     ? spi_seq_read(s, t, NULL, false)
                     : (sp_expr){0};
  }
  shape_of(s, node, initial, shape);
  sp_scratch_release(s->ctx, mark);
}

void spi_loop_shape_dist(sp_state *s, const sp_node *node, loop_shape *shape) {
  sp_mark mark = sp_scratch_mark(s->ctx);
  sp_expr *initial = sp_scratch(s->ctx, (node->n_in + 1u) * sizeof *initial);
  for (uint32_t k = 0; k < node->n_in; k++) {
    uint32_t t = node->in[k];
    initial[k] =
        is_scalar(s->dist_program, t) ? s->dist[t].relation : (sp_expr){0};
  }
  shape_of(s, node, initial, shape);
  sp_scratch_release(s->ctx, mark);
}
