/* loop_cycle.c: carried integers that count around, as the digits of an
 * odometer do: a loop over a grid carries the row and the column, and the row
 * is increased where the column starts anew. Read find_cycle.
 *
 * Before step t such a digit is first + step * ((t div unit) mod turns), where
 * unit is the number of steps that those below it take to come around. That is
 * a guess from the few values at which a digit starts anew; whoever uses it
 * proves that the body keeps it.
 */
#include "solve/loop.h"
#include "solve/seen.h"

enum { MAX_PLACES = 8, MAX_NEST = 64 };

typedef struct cycle {
  sp_state *body;
  sp_sym own;
  sp_expr after; /* a term of own, those below it at their last value */
  int64_t unit;
  uint32_t n;
  int64_t place[MAX_PLACES]; /* where conditions about own change */
} cycle;

static void add_place(cycle *c, int64_t at) {
  if (c->n < MAX_PLACES) {
    c->place[c->n++] = at;
  }
}

/* a own + b against 0. */
static void find_place(cycle *c, sp_expr e) {
  sp_pool *p = c->body->pool;
  int64_t a = 1, b = 0;
  if (sp_kind_of(p, e) == SP_KIND_LIN && sp_n_args(p, e) == 1) {
    a = sp_lin_coef(p, e, 0);
    b = sp_lin_const(p, e);
    e = sp_arg(p, e, 0);
  }
  if (sp_kind_of(p, e) == SP_KIND_READ && sp_read_sym(p, e).v == c->own.v) {
    add_place(c, -(b / a));
    add_place(c, -(b / a) - 1);
  }
}

static void find_places(cycle *c, sp_expr e, spi_seen *seen, int depth) {
  sp_pool *p = c->body->pool;
  sp_kind kind = sp_kind_of(p, e);
  if (depth > MAX_NEST || !sp_has_read(p, e) || spi_seen_before(seen, e)) {
    return;
  }
  if (kind == SP_KIND_EQ0 || kind == SP_KIND_LT0) {
    find_place(c, sp_arg(p, e, 0));
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    find_places(c, sp_arg(p, e, i), seen, depth + 1);
  }
}

/* What the body makes of the digit when it is `at`. */
static bool next(const cycle *c, int64_t at, int64_t *value) {
  sp_pool *p = c->body->pool;
  sp_expr e =
      sp_simplify(p, spi_replace_symbol(p, c->after, c->own, sp_int(p, at)));
  bool ok = sp_kind_of(p, e) == SP_KIND_INT;
  *value = ok ? sp_int_value(p, e) : 0;
  return ok;
}

static void put(cycle *c, const loop_shape *shape, uint32_t k, int64_t value) {
  c->after = spi_replace_symbol(c->body->pool, c->after,
                                c->body->seq[shape->body->params[k]].sym,
                                sp_int(c->body->pool, value));
}

static void put_constants(cycle *c, const loop_shape *shape) {
  for (uint32_t k = 0; k < shape->n; k++) {
    const loop_counter *x = &shape->counter[k];
    if (x->known && x->step == 0) {
      put(c, shape, k, x->first);
    }
  }
}

/* Digits known so far at their last value: then the next one moves. */
static void put_last(cycle *c, const loop_shape *shape) {
  for (uint32_t k = 0; k < shape->n; k++) {
    const loop_counter *low = &shape->counter[k];
    if (low->turns > 0) {
      sp_expr was = c->after;
      int64_t unit = low->unit * low->turns;
      put(c, shape, k, low->first + low->step * (low->turns - 1));
      c->unit = was.v != c->after.v && unit > c->unit ? unit : c->unit;
    }
  }
}

enum { MAX_TURNS = 1 << 30 };

/* The digit goes from first to `last` and starts anew. */
static bool turns_at(const cycle *c, int64_t first, int64_t last,
                     loop_counter *out) {
  int64_t second, again, end;
  if (last == first || last - first > MAX_TURNS || first - last > MAX_TURNS ||
      !next(c, first, &second) || second == first || !next(c, last, &again) ||
      again != first) {
    return false;
  }
  int64_t step = second - first;
  if ((last - first) % step != 0 || (last - first) / step < 1 ||
      !next(c, last - step, &end) || end != last) {
    return false;
  }
  *out = (loop_counter){true, first, step, c->unit, (last - first) / step + 1};
  return out->turns <= MAX_TURNS / c->unit;
}

static bool find_cycle(sp_state *body, const loop_shape *shape, uint32_t k,
                       int64_t first, loop_counter *out) {
  sp_pool *p = body->pool;
  cycle c = {.body = body,
             .own = body->seq[shape->body->params[k]].sym,
             .after = spi_region_value(body, shape->body->results[k]),
             .unit = 1};
  put_constants(&c, shape);
  int64_t second;
  if (next(&c, first, &second) && second == first) {
    *out = (loop_counter){.known = true, .first = first};
    return true; /* an axis of one point */
  }
  put_last(&c, shape);
  sp_mark mark = sp_scratch_mark(body->ctx);
  spi_seen seen = {.ctx = body->ctx};
  find_places(&c, sp_simplify(p, c.after), &seen, 0);
  sp_scratch_release(body->ctx, mark);
  loop_counter found = {0};
  for (uint32_t i = 0; i < c.n; i++) {
    loop_counter x;
    if (turns_at(&c, first, c.place[i], &x) &&
        (!found.known || x.turns < found.turns)) {
      found = x;
    }
  }
  *out = found;
  return found.known;
}

void spi_find_cycles(sp_state *body, const sp_expr *initial,
                     loop_shape *shape) {
  const sp_program *p = shape->body;
  bool more = true;
  while (more) {
    more = false;
    for (uint32_t k = 0; k < shape->n; k++) {
      const sp_shape *s = &p->tensors[p->params[k]].shape;
      if (!shape->counter[k].known && initial[k].v &&
          sp_kind_of(body->pool, initial[k]) == SP_KIND_INT && s->n_dims == 0 &&
          sp_dtype_is_int(s->dtype)) {
        more |= find_cycle(body, shape, k, sp_int_value(body->pool, initial[k]),
                           &shape->counter[k]);
      }
    }
  }
}
