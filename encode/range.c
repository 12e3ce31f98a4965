/* range.c: intervals of index terms, and the facts that narrow them.
 *
 * INT64_MIN and INT64_MAX stand for "no bound"; bounds that overflow become
 * open. Intervals are cached in the nodes, but not while facts are active.
 */
#include "encode/index.h"

enum { MAX_RANGE_WORK = 300 };

typedef struct interval {
  int64_t lo, hi;
} interval;

static const interval everything = {INT64_MIN, INT64_MAX};

static bool bounded(interval r) {
  return r.lo != INT64_MIN && r.hi != INT64_MAX;
}

static bool open_end(int64_t v) {
  return v == INT64_MIN || v == INT64_MAX;
}

/* k * r */
static interval times(interval r, int64_t k) {
  int64_t a = k > 0 ? r.lo : r.hi, b = k > 0 ? r.hi : r.lo;
  return (interval){open_end(a) ? INT64_MIN : sp_mul_sat(a, k),
                    open_end(b) ? INT64_MAX : sp_mul_sat(b, k)};
}

static interval plus(interval a, interval b) {
  interval out;
  out.lo =
      open_end(a.lo) || open_end(b.lo) ? INT64_MIN : sp_add_sat(a.lo, b.lo);
  out.hi =
      open_end(a.hi) || open_end(b.hi) ? INT64_MAX : sp_add_sat(a.hi, b.hi);
  /* a sum that stuck at the wrong end is no bound at all */
  out.lo = out.lo == INT64_MAX ? INT64_MIN : out.lo;
  out.hi = out.hi == INT64_MIN ? INT64_MAX : out.hi;
  return out;
}

static interval hull(interval a, interval b) {
  return (interval){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/* An empty intersection means that the branch is never taken: then any
 * interval is right, and the wider one keeps lo <= hi. */
static interval meet(interval a, interval b) {
  interval out = {a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
  return out.lo <= out.hi ? out : a;
}

/* ---- facts ---- */

/* Is the sum m * f + anything constant? Returns m, or 0. */
static int64_t multiple_of(sp_pool *p, const spi_fact *f, uint32_t n,
                           const sp_expr *arg, const int64_t *coef) {
  spi_parts t;
  spi_parts_of(p, f->term, &t);
  if (n == 0 || t.n != n || memcmp(t.arg, arg, n * sizeof *arg) != 0 ||
      coef[0] % t.coef[0] != 0) {
    return 0;
  }
  int64_t m = coef[0] / t.coef[0];
  for (uint32_t i = 1; i < n; i++) {
    int64_t want;
    if (!sp_mul_ok(m, t.coef[i], &want) || want != coef[i]) {
      return 0;
    }
  }
  return m;
}

static interval apply_facts(sp_pool *p, interval r, int64_t c, uint32_t n,
                            const sp_expr *arg, const int64_t *coef) {
  for (size_t i = p->facts_from; i < p->facts.n; i++) {
    const spi_fact *f = &p->facts.v[i];
    int64_t m = multiple_of(p, f, n, arg, coef);
    if (m) {
      interval t = times((interval){f->lo, f->hi}, m);
      r = meet(r, plus(t, (interval){c, c}));
    }
  }
  return r;
}

/* ---- intervals ---- */

static interval range_of(sp_pool *p, sp_expr e) {
  interval r;
  sp_range(p, e, &r.lo, &r.hi);
  return r;
}

static interval terms_range(sp_pool *p, int64_t c, uint32_t n,
                            const sp_expr *arg, const int64_t *coef) {
  interval r = {c, c};
  for (uint32_t i = 0; i < n; i++) {
    r = plus(r, times(range_of(p, arg[i]), coef[i]));
  }
  return spi_narrowed(p) ? apply_facts(p, r, c, n, arg, coef) : r;
}

void spi_terms_range(sp_pool *p, int64_t c, uint32_t n, const sp_expr *arg,
                     const int64_t *coef, int64_t *lo, int64_t *hi) {
  interval r = terms_range(p, c, n, arg, coef);
  *lo = r.lo;
  *hi = r.hi;
}

void spi_sum_range(const spi_sum *s, int64_t *lo, int64_t *hi) {
  spi_terms_range(s->p, s->c, s->n, s->arg, s->coef, lo, hi);
}

static interval div_range(interval r, int64_t c) {
  r.lo = r.lo == INT64_MIN ? r.lo : sp_floor_div(r.lo, c);
  r.hi = r.hi == INT64_MAX ? r.hi : sp_floor_div(r.hi, c);
  return r;
}

static interval mod_range(interval r, int64_t c) {
  if (bounded(r) && sp_floor_div(r.lo, c) == sp_floor_div(r.hi, c)) {
    return (interval){sp_floor_mod(r.lo, c), sp_floor_mod(r.hi, c)};
  }
  return (interval){0, c - 1};
}

typedef struct branch {
  sp_expr cond, e;
  bool value;
  interval r;
} branch;

static void branch_run(sp_pool *p, void *arg) {
  branch *b = arg;
  size_t facts = p->facts.n;
  spi_facts_push(p, b->cond, b->value);
  b->r = range_of(p, b->e);
  p->facts.n = facts;
}

static interval ite_range(sp_pool *p, const spi_node_t *d) {
  branch a = {.cond = d->args[0], .e = d->args[1], .value = true};
  branch b = {.cond = d->args[0], .e = d->args[2], .value = false};
  spi_guard(p, branch_run, &a);
  spi_guard(p, branch_run, &b);
  return hull(a.r, b.r);
}

static interval extremum_range(sp_pool *p, const spi_node_t *d) {
  interval r = range_of(p, d->args[0]);
  for (uint32_t i = 1; i < d->n; i++) {
    interval a = range_of(p, d->args[i]);
    if (d->kind == SP_KIND_MAX) {
      r.lo = a.lo > r.lo ? a.lo : r.lo;
      r.hi = a.hi > r.hi ? a.hi : r.hi;
    } else {
      r.lo = a.lo < r.lo ? a.lo : r.lo;
      r.hi = a.hi < r.hi ? a.hi : r.hi;
    }
  }
  return r;
}

static interval product_range(interval a, interval b) {
  if (!bounded(a) || !bounded(b)) {
    return everything;
  }
  int64_t v[] = {sp_mul_sat(a.lo, b.lo), sp_mul_sat(a.lo, b.hi),
                 sp_mul_sat(a.hi, b.lo), sp_mul_sat(a.hi, b.hi)};
  interval r = {v[0], v[0]};
  for (int i = 1; i < 4; i++) {
    r = hull(r, (interval){v[i], v[i]});
  }
  return r;
}

/* a div b, a rem b towards zero, for a divisor of known sign */
static interval trunc_range(interval a, interval b, bool remainder) {
  if (!bounded(b) || b.lo <= 0) {
    return everything;
  }
  if (remainder) {
    interval r = {a.lo < 0 ? 1 - b.hi : 0, a.hi > 0 ? b.hi - 1 : 0};
    return meet(r, (interval){a.lo < 0 ? a.lo : 0, a.hi > 0 ? a.hi : 0});
  }
  if (!bounded(a)) {
    return everything;
  }
  interval r = hull((interval){a.lo / b.lo, a.hi / b.lo},
                    (interval){a.lo / b.hi, a.hi / b.hi});
  return r;
}

static interval fn_range(sp_pool *p, sp_expr e, const spi_node_t *d) {
  sp_expr from = spi_picked_from(p, d, true);
  if (from.v) {
    return range_of(p, sp_arg(p, from, 0));
  }
  if (d->n != 2) {
    return everything;
  }
  for (uint32_t i = 0; i < 2; i++) {
    if (sp_sort_of(p, d->args[i]) != SP_SORT_INT) {
      return everything;
    }
  }
  const char *name = sp_fn_name(p, e);
  interval a = range_of(p, d->args[0]), b = range_of(p, d->args[1]);
  if (strcmp(name, "imul") == 0) {
    return product_range(a, b);
  }
  if (strcmp(name, "idiv.trunc") == 0) {
    return trunc_range(a, b, false);
  }
  if (strcmp(name, "irem.trunc") == 0) {
    return trunc_range(a, b, true);
  }
  if (strcmp(name, "iand") == 0 && (a.lo >= 0 || b.lo >= 0)) {
    int64_t top = a.lo < 0 ? b.hi : b.lo < 0 ? a.hi : a.hi < b.hi ? a.hi : b.hi;
    return (interval){0, top};
  }
  return everything;
}

static interval red_range(sp_pool *p, sp_expr e, const spi_node_t *d) {
  int64_t count = 1;
  const spi_set *bound = spi_set_of(p, d->n - 1, d->args);
  for (size_t i = p->facts_from; i < p->facts.n; i++) {
    if (spi_set_meets(spi_get(p, p->facts.v[i].term)->free, bound)) {
      return everything; /* facts about another binder's variable */
    }
  }
  for (uint32_t i = 0; i + 1 < d->n; i++) {
    int64_t extent = sp_var_extent(p, d->args[i]);
    if (extent <= 0) {
      return everything; /* the identity, which may be infinite */
    }
    count = sp_mul_sat(count, extent);
  }
  interval body = range_of(p, d->args[d->n - 1]);
  switch (sp_red_op_of(p, e)) {
  case SP_RED_MAX:
  case SP_RED_MIN:
    return body;
  case SP_RED_SUM:
    return count == INT64_MAX ? everything : times(body, count);
  case SP_RED_PROD:
  case SP_RED_OR:
  case SP_RED_AND:
  case SP_RED_LAMBDA:
    break;
  }
  return everything;
}

static interval compute(sp_pool *p, sp_expr e, const spi_node_t *d) {
  switch ((int)d->kind) {
  case SP_KIND_INT:
    return (interval){d->payload, d->payload};
  case SP_KIND_VAR: {
    int64_t extent = sp_var_extent(p, e);
    return (interval){0, extent > 1 ? extent - 1 : 0};
  }
  case SP_KIND_LIN:
    return terms_range(p, d->payload, d->n, d->args, d->coefs.lin);
  case SP_KIND_DIV:
    return div_range(range_of(p, d->args[0]), d->payload);
  case SP_KIND_MOD:
    return mod_range(range_of(p, d->args[0]), d->payload);
  case SP_KIND_READ: {
    interval r;
    sp_sym_range(p, sp_read_sym(p, e), &r.lo, &r.hi);
    return r;
  }
  case SP_KIND_ITE:
    return ite_range(p, d);
  case SP_KIND_MAX:
  case SP_KIND_MIN:
    return extremum_range(p, d);
  case SP_KIND_FN:
    return fn_range(p, e, d);
  case SP_KIND_RED:
    return red_range(p, e, d);
  default:
    return everything;
  }
}

/* A term that holds no atom of a fact has its cached interval. */
static bool facts_touch(const sp_pool *p, const spi_node_t *d) {
  for (size_t i = p->facts_from; i < p->facts.n; i++) {
    if (spi_set_within(spi_get(p, p->facts.v[i].term)->free, d->free)) {
      return true;
    }
  }
  return false;
}

/* The interval without facts, from the cache. */
static interval plain_range(sp_pool *p, sp_expr e, spi_node_t *d) {
  if (!(d->flags & SPI_HAS_RANGE)) {
    size_t from = p->facts_from;
    p->facts_from = p->facts.n; /* no facts; put back by spi_guard, too */
    interval r = compute(p, e, d);
    p->facts_from = from;
    d->lo = r.lo;
    d->hi = r.hi;
    d->flags |= SPI_HAS_RANGE;
  }
  return (interval){d->lo, d->hi};
}

/* An end that facts moved into a gap moves on. */
static interval beyond_gaps(const sp_pool *p, sp_sym sym, interval r) {
  const sp_stretch *gap;
  uint32_t n = sp_sym_gaps(p, sym, &gap);
  for (uint32_t i = 0; i < n; i++) {
    if (r.lo >= gap[i].lo && r.lo <= gap[i].hi) {
      r.lo = gap[i].hi + 1;
    }
    if (r.hi >= gap[i].lo && r.hi <= gap[i].hi) {
      r.hi = gap[i].lo - 1;
    }
  }
  return r;
}

/* Not cached, so shared subterms are visited again and again: after a while
 * the plain interval has to do. */
static interval narrowed_range(sp_pool *p, sp_expr e, spi_node_t *d) {
  interval r = plain_range(p, e, d);
  if (p->range_work >= MAX_RANGE_WORK) {
    return r;
  }
  bool outermost = p->range_work == 0;
  p->range_work++;
  r = meet(r, compute(p, e, d));
  if (d->kind != SP_KIND_LIN) {
    int64_t one = 1;
    r = apply_facts(p, r, 0, 1, &e, &one);
  }
  if (d->kind == SP_KIND_READ) {
    r = beyond_gaps(p, sp_read_sym(p, e), r);
  }
  if (outermost) {
    p->range_work = 0;
  }
  return r;
}

bool sp_range(sp_pool *p, sp_expr e, int64_t *lo, int64_t *hi) {
  spi_node_t *d = spi_get(p, e);
  assert(d->sort == SP_SORT_INT);
  interval r = spi_narrowed(p) && facts_touch(p, d) ? narrowed_range(p, e, d)
                                                    : plain_range(p, e, d);
  *lo = r.lo;
  *hi = r.hi;
  return bounded(r);
}

/* ---- where facts come from ---- */

/* lo <= sum c[i] * a[i] <= hi */
static void push_fact(sp_pool *p, spi_parts *t, int64_t lo, int64_t hi) {
  if (hi == INT64_MIN || lo == INT64_MAX) {
    return;
  }
  int64_t g = 0;
  for (uint32_t i = 0; i < t->n; i++) {
    g = sp_gcd(g, t->coef[i]);
  }
  g = t->coef[0] < 0 ? -g : g;
  sp_mark mark = sp_scratch_mark(p->ctx);
  int64_t *coef = sp_scratch(p->ctx, t->n * sizeof *coef);
  for (uint32_t i = 0; i < t->n; i++) {
    if (t->coef[i] == INT64_MIN) {
      sp_scratch_release(p->ctx, mark);
      return;
    }
    coef[i] = t->coef[i] / g;
  }
  spi_fact f;
  if (g < 0) {
    int64_t low = hi == INT64_MAX ? INT64_MIN : -hi;
    hi = lo == INT64_MIN ? INT64_MAX : -lo;
    lo = low;
    g = -g;
  }
  f.lo = lo == INT64_MIN ? lo : -sp_floor_div(-lo, g); /* rounded up */
  f.hi = hi == INT64_MAX ? hi : sp_floor_div(hi, g);
  /* not spi_lin: the fact is about exactly these atoms */
  f.term = t->n == 1
               ? t->arg[0]
               : spi_node(p, SP_KIND_LIN, SP_SORT_INT, 0, t->n, t->arg, coef);
  sp_scratch_release(p->ctx, mark);
  interval was = range_of(p, f.term);
  interval now = meet(was, (interval){f.lo, f.hi});
  if (now.lo > was.lo || now.hi < was.hi) {
    f.lo = now.lo;
    f.hi = now.hi;
    sp_push(p->ctx, &p->facts, f);
  }
}

/* sum k[i] * a[i] <= h: then each k[i] * a[i] <= h - min of the others. */
static void push_atoms(sp_pool *p, const spi_parts *t, int64_t sign,
                       int64_t h) {
  for (uint32_t i = 0; t->n > 1 && i < t->n; i++) {
    interval others = {0, 0};
    for (uint32_t j = 0; j < t->n; j++) {
      if (j != i) {
        interval r = times(range_of(p, t->arg[j]), t->coef[j]);
        others = plus(others, times(r, sign));
      }
    }
    int64_t top;
    if (others.lo == INT64_MIN || !sp_sub_ok(h, others.lo, &top)) {
      continue;
    }
    spi_parts one = {.n = 1, .own_arg = t->arg[i]};
    one.own_coef = sign * t->coef[i];
    one.arg = &one.own_arg;
    one.coef = &one.own_coef;
    push_fact(p, &one, INT64_MIN, top);
  }
}

/* t <= h (sign 1) or -t <= h (sign -1), t without its constant */
static void push_bound(sp_pool *p, spi_parts *t, int64_t sign, int64_t h) {
  if (h == INT64_MIN || h == INT64_MAX) {
    return;
  }
  if (sign > 0) {
    push_fact(p, t, INT64_MIN, h);
  } else {
    push_fact(p, t, -h, INT64_MAX);
  }
  push_atoms(p, t, sign, h);
}

static void push_lt0(sp_pool *p, sp_expr d, bool value) {
  spi_parts t;
  spi_parts_of(p, d, &t);
  int64_t h;
  if (t.n == 0) {
    return;
  }
  if (value) { /* t + c < 0: t <= -c - 1 */
    if (sp_sub_ok(-1, t.c, &h)) {
      push_bound(p, &t, 1, h);
    }
  } else { /* t + c >= 0: -t <= c */
    push_bound(p, &t, -1, t.c);
  }
}

static void push_eq0(sp_pool *p, sp_expr d, bool value) {
  spi_parts t;
  spi_parts_of(p, d, &t);
  int64_t v, next;
  if (t.n == 0 || !sp_sub_ok(0, t.c, &v)) {
    return;
  }
  if (value) {
    push_bound(p, &t, 1, v);
    push_bound(p, &t, -1, t.c);
    return;
  }
  /* not an end of the interval: the interval shrinks */
  interval r = terms_range(p, 0, t.n, t.arg, t.coef);
  if (r.lo == v && sp_add_ok(v, 1, &next)) {
    push_fact(p, &t, next, INT64_MAX);
  } else if (r.hi == v && sp_sub_ok(v, 1, &next)) {
    push_fact(p, &t, INT64_MIN, next);
  }
}

void spi_facts_push(sp_pool *p, sp_expr cond, bool value) {
  const spi_node_t *c = spi_get(p, cond);
  switch ((int)c->kind) {
  case SP_KIND_LT0:
    push_lt0(p, c->args[0], value);
    break;
  case SP_KIND_EQ0:
    push_eq0(p, c->args[0], value);
    break;
  case SP_KIND_NOT:
    spi_facts_push(p, c->args[0], !value);
    break;
  case SP_KIND_OR:
    for (uint32_t i = 0; !value && i < c->n; i++) {
      spi_facts_push(p, c->args[i], false);
    }
    break;
  default:
    break;
  }
}
