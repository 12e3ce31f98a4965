/* red.c: reductions. Read reduce() (normal mode: rules that hold for every
 * operator, then the operator's own steps) and close_over() (canonical bound
 * variables). A step returns a whole result built by the constructors, so it
 * comes back here with a smaller body.
 */
#include "encode/real.h"

/* Rules make the body smaller and renaming settles at once; but constructors
 * rewrite what rules build, so to be sure of an end, rules stop after so many
 * steps and renamings. */
enum { RULE_ROUNDS = 100, CLOSE_ROUNDS = 150, POWER_MAX = 8 };
/* Points of a variable that are written out, and nodes looked at for it. */
enum { PARTS_MAX = 512, PARTS_STEPS = 4096, PARTS_DEPTH = 600 };

/* round counts steps; ordered: the variables were put in order, and no rule
 * has changed the body since. */
static sp_expr reduce(sp_pool *p, sp_red_op op, uint32_t n, const sp_expr *vars,
                      sp_expr body, uint32_t round, bool ordered);

/* ---- closing ---- */

/* Free bound variables of enclosing binders keep their names: a position whose
 * name is taken is left out. (They mostly are above this height.) */
static sp_expr canonical_var(sp_pool *p, const spi_set *free,
                             const spi_set *own, uint32_t height,
                             uint32_t *position, int64_t extent) {
  for (;;) {
    sp_expr v = spi_bound_var(p, height, (*position)++, extent);
    if (!spi_set_has(free, v) || spi_set_has(own, v)) {
      return v;
    }
  }
}

static sp_expr red_node(sp_pool *p, sp_red_op op, uint32_t n,
                        const sp_expr *vars, sp_expr body) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *args = sp_scratch(p->ctx, (n + 1) * sizeof *args);
  memcpy(args, vars, n * sizeof *args);
  args[n] = body;
  sp_sort sort = sp_sort_of(p, body);
  sp_expr e = spi_node(p, SP_KIND_RED, sort, op, n + 1, args, NULL);
  sp_scratch_release(p->ctx, mark);
  return e;
}

static sp_expr close_over(sp_pool *p, sp_red_op op, uint32_t n,
                          const sp_expr *vars, sp_expr body, uint32_t round,
                          bool ordered) {
  if (round > CLOSE_ROUNDS) {
    sp_raise(p->ctx, SP_ERR_INTERNAL, sp_nowhere(), NULL,
             "bound variables of a reduction do not settle");
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *from = sp_scratch(p->ctx, n * sizeof *from);
  sp_expr *to = sp_scratch(p->ctx, n * sizeof *to);
  memcpy(from, vars, n * sizeof *from);
  bool literal = p->raw_values || op == SP_RED_LAMBDA;
  if (!literal && n > 1 && !ordered) {
    spi_first_use(p, n, from, body);
  }
  uint32_t height = spi_height(p, body) + 1, position = 0;
  const spi_set *own = spi_set_of(p, n, from);
  bool same = true;
  for (uint32_t i = 0; i < n; i++) {
    to[i] = canonical_var(p, spi_get(p, body)->free, own, height, &position,
                          sp_var_extent(p, from[i]));
    same = same && spi_same(to[i], from[i]);
  }
  sp_expr e;
  if (same) {
    e = red_node(p, op, n, to, body);
  } else {
    body = sp_subst(p, body, n, from, to);
    e = literal ? close_over(p, op, n, to, body, round + 1, true)
                : reduce(p, op, n, to, body, round + 1, true);
  }
  sp_scratch_release(p->ctx, mark);
  return e;
}

sp_expr sp_red_open(sp_pool *p, sp_expr red, sp_expr *vars) {
  uint32_t n = sp_red_n_vars(p, red);
  for (uint32_t i = 0; i < n; i++) {
    vars[i] = sp_fresh(p, sp_var_extent(p, sp_arg(p, red, i)));
  }
  return sp_subst(p, sp_red_body(p, red), n, spi_get(p, red)->args, vars);
}

/* ---- rules for all operators ---- */

static sp_expr identity_of(sp_pool *p, sp_red_op op, sp_sort sort) {
  bool is_int = sort == SP_SORT_INT;
  switch (op) {
  case SP_RED_SUM:
    return spi_zero_of(p, sort);
  case SP_RED_PROD:
    return is_int ? sp_int(p, 1) : sp_real(p, SPI_NUM_ONE);
  case SP_RED_MAX:
    return is_int ? sp_fn(p, sort, "-iinf", 0, NULL) : sp_inf(p, true);
  case SP_RED_MIN:
    return is_int ? sp_fn(p, sort, "iinf", 0, NULL) : sp_inf(p, false);
  case SP_RED_OR:
    return SPI_FALSE;
  case SP_RED_AND:
    return SPI_TRUE;
  case SP_RED_LAMBDA:
    break;
  }
  sp_raise(p->ctx, SP_ERR_INTERNAL, sp_nowhere(), NULL,
           "a reduction without an identity");
}

/* Over booleans: MAX is OR, MIN and PROD are AND. */
static sp_red_op op_for(sp_pool *p, sp_red_op op, sp_sort sort) {
  if (sort != SP_SORT_BOOL) {
    return op;
  }
  switch (op) {
  case SP_RED_MAX:
    return SP_RED_OR;
  case SP_RED_MIN:
  case SP_RED_PROD:
    return SP_RED_AND;
  case SP_RED_SUM:
    sp_raise(p->ctx, SP_ERR_INTERNAL, sp_nowhere(), NULL, "a sum of booleans");
  case SP_RED_OR:
  case SP_RED_AND:
  case SP_RED_LAMBDA:
    break;
  }
  return op;
}

static sp_expr times(sp_pool *p, sp_expr e, int64_t k) {
  return sp_sort_of(p, e) == SP_SORT_INT
             ? sp_iscale(p, e, k)
             : sp_scale(p, e, sp_num_from_i64(p, k));
}

/* Variables that do not occur are dropped: a sum counts them, the idempotent
 * operators do not care. The body is multiplied, which is the same. A product
 * keeps them, unless nothing depends on any and a small power will do. */
static uint32_t drop_unused(sp_pool *p, sp_red_op op, uint32_t n, sp_expr *vars,
                            sp_expr *body) {
  const spi_set *free = spi_get(p, *body)->free;
  uint32_t m = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (op == SP_RED_PROD || spi_set_has(free, vars[i])) {
      vars[m++] = vars[i];
    } else if (op == SP_RED_SUM) {
      *body = times(p, *body, sp_var_extent(p, vars[i]));
    }
  }
  return m;
}

static bool is_one(const sp_pool *p, sp_expr e) {
  return sp_is_int(p, e, 1) ||
         (spi_kind(p, e) == SP_KIND_NUM && spi_num_is_one(sp_num_value(p, e)));
}

/* prod over n variables of a body without them, or 0 */
static sp_expr constant_power(sp_pool *p, const spi_red *r) {
  if (sp_is_zero(p, r->body) || is_one(p, r->body)) {
    return r->body;
  }
  int64_t count = 1;
  for (uint32_t i = 0; i < r->n; i++) {
    if (!sp_mul_ok(count, sp_var_extent(p, r->vars[i]), &count) ||
        count > POWER_MAX) {
      return (sp_expr){0};
    }
  }
  sp_expr e = r->body;
  for (int64_t i = 1; i < count; i++) {
    e = sp_mul(p, e, r->body);
  }
  return e;
}

sp_expr spi_rereduce(sp_pool *p, const spi_red *r, sp_red_op op, sp_expr body,
                     uint32_t n, const sp_expr *more) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *vars = sp_scratch(p->ctx, (r->n + n) * sizeof *vars);
  memcpy(vars, r->vars, r->n * sizeof *vars);
  if (n) {
    memcpy(vars + r->n, more, n * sizeof *vars);
  }
  sp_expr e = reduce(p, op, r->n + n, vars, body, r->round + 1, false);
  sp_scratch_release(p->ctx, mark);
  return e;
}

/* Nested reductions of one operator are one. The body is nothing but the inner
 * one, so its bound variables may be used as they are, unless their names are
 * taken. */
static sp_expr merge_nested(sp_pool *p, const spi_red *r) {
  const spi_node_t *d = spi_get(p, r->body);
  uint32_t m = d->n - 1;
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *more = sp_scratch(p->ctx, m * sizeof *more);
  memcpy(more, d->args, m * sizeof *more);
  sp_expr body = d->args[m];
  const spi_set *inner = spi_set_of(p, m, more);
  if (spi_set_meets(inner, r->set) || spi_set_meets(inner, d->free)) {
    body = sp_red_open(p, r->body, more);
  }
  sp_expr e = spi_rereduce(p, r, r->op, body, m, more);
  sp_scratch_release(p->ctx, mark);
  return e;
}

void spi_split_guard(sp_pool *p, const spi_red *r, sp_expr guard,
                     sp_expr *outer, sp_expr *inner) {
  *outer = (sp_expr){0};
  *inner = (sp_expr){0};
  const spi_node_t *d = spi_get(p, guard);
  if (d->kind != SP_KIND_OR) {
    *(spi_depends(p, r, guard) ? inner : outer) = guard;
    return;
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  spi_list out = spi_list_new(p, d->n), in = spi_list_new(p, d->n);
  for (uint32_t i = 0; i < d->n; i++) {
    spi_list_push(spi_depends(p, r, d->args[i]) ? &in : &out, d->args[i]);
  }
  *outer = out.n ? spi_or_n(p, out.n, out.v) : *outer;
  *inner = in.n ? spi_or_n(p, in.n, in.v) : *inner;
  sp_scratch_release(p->ctx, mark);
}

/* OR_k (a or b(k)) = a or OR_k b(k); OR_k (a and b(k)) = a and OR_k b(k) */
static sp_expr or_step(sp_pool *p, const spi_red *r) {
  sp_expr outer, inner;
  sp_kind kind = spi_kind(p, r->body);
  if (kind == SP_KIND_OR) {
    spi_split_guard(p, r, r->body, &outer, &inner);
    return outer.v && inner.v
               ? sp_or(p, outer, spi_rereduce(p, r, r->op, inner, 0, NULL))
               : (sp_expr){0};
  }
  if (kind == SP_KIND_NOT) {
    spi_split_guard(p, r, sp_arg(p, r->body, 0), &outer, &inner);
    if (outer.v && inner.v) {
      sp_expr e = spi_rereduce(p, r, r->op, sp_not(p, inner), 0, NULL);
      return sp_and(p, sp_not(p, outer), e);
    }
  }
  return (sp_expr){0};
}

/* if c then f(k) else g(k), with the branch outside of the reduction */
static sp_expr branch_step(sp_pool *p, const spi_red *r) {
  const spi_node_t *d = spi_get(p, r->body);
  if (spi_depends(p, r, d->args[0])) {
    return (sp_expr){0};
  }
  sp_expr a = spi_rereduce(p, r, r->op, d->args[1], 0, NULL);
  sp_expr b = spi_rereduce(p, r, r->op, d->args[2], 0, NULL);
  return sp_ite(p, d->args[0], a, b);
}

/* A condition on v alone, known once v is. */
static bool decides(sp_pool *p, sp_expr cond, sp_expr v) {
  const sp_expr *vars;
  uint32_t n = sp_free_vars(p, cond, &vars);
  return n == 1 && vars[0].v == v.v && !sp_has_read(p, cond) &&
         !sp_has_red(p, cond);
}

/* v occurs in conditions on v alone: what was computed apart and stacked. */
static bool chooses_only(sp_pool *p, sp_expr e, sp_expr v, uint32_t depth,
                         uint32_t *steps) {
  if (!sp_has_free(p, e, v)) {
    return true;
  }
  if (depth > PARTS_DEPTH || *steps == 0) {
    return false;
  }
  --*steps;
  if (sp_sort_of(p, e) == SP_SORT_BOOL) {
    return decides(p, e, v);
  }
  if (sp_sort_of(p, e) != SP_SORT_REAL || spi_kind(p, e) == SP_KIND_READ) {
    return false;
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    if (!chooses_only(p, sp_arg(p, e, i), v, depth + 1, steps)) {
      return false;
    }
  }
  return true;
}

/* sum_{k < n} f(k) = f(0) + ... + f(n - 1), where k only chooses between terms:
 * the squares of norms that were stacked. The same of maxima and minima. */
static sp_expr parts_step(sp_pool *p, const spi_red *r) {
  sp_expr v = {0}, out = {0};
  uint32_t at = 0;
  for (; at < r->n && !v.v; at++) {
    uint32_t steps = PARTS_STEPS;
    if (sp_var_extent(p, r->vars[at]) <= PARTS_MAX &&
        chooses_only(p, r->body, r->vars[at], 0, &steps)) {
      v = r->vars[at];
      break;
    }
  }
  if (!v.v) {
    return out;
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *rest = sp_scratch(p->ctx, r->n * sizeof *rest);
  uint32_t m = 0;
  for (uint32_t i = 0; i < r->n; i++) {
    rest[m] = r->vars[i];
    m += i != at;
  }
  for (int64_t k = 0; k < sp_var_extent(p, v); k++) {
    sp_expr point = sp_int(p, k);
    sp_expr f = sp_subst(p, r->body, 1, &v, &point);
    f = reduce(p, r->op, m, rest, f, r->round + 1, false);
    out = k ? sp_red_two(p, r->op, out, f) : f;
  }
  sp_scratch_release(p->ctx, mark);
  return out;
}

static sp_expr reduce_step(sp_pool *p, const spi_red *r) {
  const spi_node_t *d = spi_get(p, r->body);
  if (d->kind == SP_KIND_RED && d->payload == r->op) {
    return merge_nested(p, r);
  }
  if (d->kind == SP_KIND_ITE) {
    sp_expr e = branch_step(p, r);
    if (e.v) {
      return e;
    }
  }
  bool arithmetic =
      r->op == SP_RED_SUM || r->op == SP_RED_MAX || r->op == SP_RED_MIN;
  if (arithmetic && sp_sort_of(p, r->body) == SP_SORT_REAL) {
    sp_expr e = parts_step(p, r);
    if (e.v) {
      return e;
    }
  }
  switch (r->op) {
  case SP_RED_SUM:
    return spi_sum_step(p, r);
  case SP_RED_MAX:
  case SP_RED_MIN:
    return spi_extremum_step(p, r);
  case SP_RED_OR:
    return or_step(p, r);
  case SP_RED_PROD:
    return spi_depends(p, r, r->body) ? (sp_expr){0} : constant_power(p, r);
  case SP_RED_AND:
  case SP_RED_LAMBDA:
    break;
  }
  return (sp_expr){0};
}

/* Every variable occurs (but in a PROD), n > 0. */
static sp_expr reduce_used(sp_pool *p, sp_red_op op, uint32_t n,
                           const sp_expr *vars, sp_expr body, uint32_t round,
                           bool ordered) {
  if (op == SP_RED_AND) {
    return sp_not(p,
                  reduce(p, SP_RED_OR, n, vars, sp_not(p, body), round, false));
  }
  spi_red r = {op, n, vars, spi_set_of(p, n, vars), body, round};
  sp_expr e = {0};
  if (round < RULE_ROUNDS) {
    e = reduce_step(p, &r);
  }
  return e.v ? e : close_over(p, op, n, vars, body, round, ordered);
}

static sp_expr reduce(sp_pool *p, sp_red_op op, uint32_t n, const sp_expr *vars,
                      sp_expr body, uint32_t round, bool ordered) {
  op = op_for(p, op, sp_sort_of(p, body));
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *own = sp_scratch(p->ctx, n * sizeof *own);
  uint32_t m = 0;
  bool empty = false;
  for (uint32_t i = 0; i < n; i++) {
    if (spi_kind(p, vars[i]) != SP_KIND_VAR) {
      continue; /* extent 1: the constant 0 */
    }
    int64_t extent = sp_var_extent(p, vars[i]);
    empty = empty || extent == 0;
    if (extent == 1) {
      sp_expr zero = sp_int(p, 0);
      body = sp_subst(p, body, 1, &vars[i], &zero);
    } else {
      own[m++] = vars[i];
    }
  }
  sp_expr e;
  if (empty) {
    e = identity_of(p, op, sp_sort_of(p, body));
  } else {
    m = drop_unused(p, op, m, own, &body);
    e = m == 0 ? body : reduce_used(p, op, m, own, body, round, ordered);
  }
  sp_scratch_release(p->ctx, mark);
  return e;
}

/* Raw mode and LAMBDA: the variables as they are. */
static sp_expr reduce_literally(sp_pool *p, sp_red_op op, uint32_t n,
                                const sp_expr *vars, sp_expr body) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  spi_list own = spi_list_new(p, n);
  bool empty = false;
  for (uint32_t i = 0; i < n; i++) {
    if (spi_kind(p, vars[i]) == SP_KIND_VAR) {
      empty = empty || sp_var_extent(p, vars[i]) == 0;
      spi_list_push(&own, vars[i]);
    } else {
      assert(op != SP_RED_LAMBDA);
    }
  }
  sp_expr e;
  if (empty && op != SP_RED_LAMBDA) {
    e = identity_of(p, op, sp_sort_of(p, body));
  } else {
    e = own.n || op == SP_RED_LAMBDA
            ? close_over(p, op, own.n, own.v, body, 0, true)
            : body;
  }
  sp_scratch_release(p->ctx, mark);
  return e;
}

sp_expr sp_red_two(sp_pool *p, sp_red_op op, sp_expr a, sp_expr b) {
  switch (op) {
  case SP_RED_SUM:
    return sp_sort_of(p, a) == SP_SORT_INT ? sp_iadd(p, a, b) : sp_add(p, a, b);
  case SP_RED_PROD:
    return sp_mul(p, a, b);
  case SP_RED_MAX:
    return sp_max(p, a, b);
  case SP_RED_MIN:
    return sp_min(p, a, b);
  case SP_RED_OR:
    return sp_or(p, a, b);
  case SP_RED_AND:
    return sp_and(p, a, b);
  case SP_RED_LAMBDA:
    break;
  }
  assert(!"a reduction of values");
  return a;
}

sp_expr sp_red(sp_pool *p, sp_red_op op, uint32_t n, const sp_expr *vars,
               sp_expr body) {
  if (p->raw_values || op == SP_RED_LAMBDA) {
    op = op_for(p, op, sp_sort_of(p, body));
    return reduce_literally(p, op, n, vars, body);
  }
  return reduce(p, op, n, vars, body, 0, false);
}
