/* loop_shape.c: counters and trip counts, guessed from one side alone. */
#include "solve/loop.h"

/* A region's result as a term over the symbols of its parameters. */
static sp_expr value_of(sp_state *region, uint32_t tensor) {
  sp_mode mode = sp_pool_mode(region->pool, SP_MODE_NORMAL);
  sp_expr e = sp_simplify(region->pool, spi_seq_raw(region, tensor));
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

static void find_counters(sp_state *body, const sp_expr *initial,
                          loop_shape *shape) {
  sp_pool *p = body->pool;
  for (uint32_t k = 0; k < shape->n; k++) {
    uint32_t in = shape->body->params[k], out = shape->body->results[k];
    if (!initial[k].v || sp_kind_of(p, initial[k]) != SP_KIND_INT ||
        !is_int_scalar(shape->body, in)) {
      continue;
    }
    sp_expr here = sp_read(p, body->seq[in].sym, NULL);
    sp_expr step = sp_isub(p, value_of(body, out), here);
    if (sp_kind_of(p, step) == SP_KIND_INT) {
      shape->counter[k] = (loop_counter){true, sp_int_value(p, initial[k]),
                                         sp_int_value(p, step)};
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
  if (kind == SP_KIND_EQ0) { /* x counts to the one value that stops it */
    return negated && b % a == 0 && -b / a >= 0 ? -b / a : -1;
  }
  if (negated) { /* a*x + b >= 0, until it is negative: -a*x - b - 1 < 0 */
    a = -a;
    b = -b - 1;
  }
  /* a*x + b < 0 fails first at x = ceil(-b / a) */
  return a > 0 ? (b >= 0 ? 0 : (-b + a - 1) / a) : -1;
}

enum { COUNT_BITS = 40 }; /* trip counts below 2^40 */

static void find_trips(sp_state *condition, loop_shape *shape) {
  sp_pool *p = condition->pool;
  sp_expr c = value_of(condition, shape->condition->results[0]);
  sp_expr x = sp_var(p, SP_VAR_STEP, "step", (int64_t)1 << COUNT_BITS);
  for (uint32_t k = 0; k < shape->n; k++) {
    const loop_counter *count = &shape->counter[k];
    sp_expr at = count->known
                     ? sp_iaddc(p, sp_iscale(p, x, count->step), count->first)
                     : (sp_expr){0};
    if (at.v) {
      c = spi_replace_symbol(
          p, c, condition->seq[shape->condition->params[k]].sym, at);
    }
  }
  shape->trips = first_false(p, c, x);
  if (shape->trips < 0) {
    shape->why = sp_format(condition->ctx,
                           "the number of steps cannot be worked out from the "
                           "condition %s",
                           sp_show(p, c));
  }
}

void spi_loop_shape(sp_state *s, const sp_node *node, const sp_expr *initial,
                    loop_shape *shape) {
  *shape = (loop_shape){.condition = region_of(node, "condition"),
                        .body = region_of(node, "body"),
                        .n = node->n_out,
                        .trips = -1,
                        .why = "it has no body"};
  shape->counter =
      sp_alloc_n(s->ctx, shape->n + 1u, sizeof *shape->counter);
  if (!shape->condition || !shape->body ||
      shape->condition->n_results != 1 || shape->body->n_params != shape->n ||
      shape->body->n_results != shape->n ||
      shape->condition->n_params != shape->n || node->n_in != shape->n) {
    return;
  }
  sp_state *body = spi_substate(s, shape->body, NULL);
  sp_state *condition = spi_substate(s, shape->condition, NULL);
  find_counters(body, initial, shape);
  find_trips(condition, shape);
}
