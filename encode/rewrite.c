/* rewrite.c: rebuilding terms: substitution, mapping, simplifying, assuming.
 * Read visit(): one walk, bottom-up, memoised, with three places where the
 * kinds of job differ (skip, replace, force).
 *
 * Binders. A body is rebuilt in place, with its canonical variables, where
 * nothing can be captured: the job brings in no reductions and no bound
 * variables of the binder's height or below, and the rebuilt body is not
 * higher. Otherwise the reduction is opened with fresh variables. Closing goes
 * through sp_red either way.
 */
#include "encode/index.h"

typedef struct job job;
struct job {
  sp_pool *p;
  spi_memo *memo;
  bool (*skip)(const job *j, sp_expr e);       /* nothing in e can change */
  sp_expr (*replace)(const job *j, sp_expr e); /* 0: rebuild from the args */
  bool force;     /* rebuild where no argument changed, too */
  bool open;      /* binders must be opened */
  uint32_t floor; /* bound variables below this height must not be met */
  /* substitution */
  uint32_t n;
  const sp_expr *from, *to;
  const spi_set *domain;
  /* assumption */
  bool value;
  size_t facts; /* the first fact of this job */
  /* mapping */
  sp_map_fn fn;
  void *env;
};

/* ---- rebuilding one node ---- */

static sp_expr rebuild_pairs(sp_pool *p,
                             sp_expr (*f)(sp_pool *, sp_expr, sp_expr),
                             uint32_t n, const sp_expr *args) {
  sp_expr e = args[0];
  for (uint32_t i = 1; i < n; i++) {
    e = f(p, e, args[i]);
  }
  return e;
}

sp_expr sp_rebuild(sp_pool *p, sp_expr e, const sp_expr *args) {
  const spi_node_t *d = spi_get(p, e);
  switch ((sp_kind)d->kind) {
  case SP_KIND_INT:
  case SP_KIND_NUM:
  case SP_KIND_INF:
  case SP_KIND_BOOL:
    return e;
  case SP_KIND_VAR:
    return !p->raw && sp_var_extent(p, e) == 1 ? sp_int(p, 0) : e;
  case SP_KIND_LIN:
    return spi_lin(p, d->payload, d->n, args, d->coefs.lin);
  case SP_KIND_DIV:
    return sp_idiv(p, args[0], d->payload);
  case SP_KIND_MOD:
    return sp_imod(p, args[0], d->payload);
  case SP_KIND_READ:
    return sp_read(p, sp_read_sym(p, e), args);
  case SP_KIND_ITE:
    return sp_ite(p, args[0], args[1], args[2]);
  case SP_KIND_MAX:
  case SP_KIND_MIN:
    if (d->sort == SP_SORT_INT) {
      return spi_extremum(p, (sp_kind)d->kind, d->n, args);
    }
    return rebuild_pairs(p, d->kind == SP_KIND_MAX ? sp_max : sp_min, d->n,
                         args);
  case SP_KIND_FN:
    return sp_fn(p, (sp_sort)d->sort, sp_fn_name(p, e), d->n, args);
  case SP_KIND_RED:
    return sp_red(p, sp_red_op_of(p, e), d->n - 1, args, args[d->n - 1]);
  case SP_KIND_ADD:
    return spi_add_n(p, sp_add_const(p, e), d->n, args, d->coefs.add);
  case SP_KIND_MUL:
    return spi_mul_n(p, d->n, args);
  case SP_KIND_I2R:
    return sp_i2r(p, args[0]);
  case SP_KIND_LT0:
    return spi_lt0(p, args[0]);
  case SP_KIND_EQ0:
    return spi_eq0(p, args[0]);
  case SP_KIND_RLT:
    return sp_lt(p, args[0], args[1]);
  case SP_KIND_REQ:
    return sp_eq(p, args[0], args[1]);
  case SP_KIND_NOT:
    return sp_not(p, args[0]);
  case SP_KIND_OR:
    return spi_or_n(p, d->n, args);
  }
  return e;
}

/* ---- the walk ---- */

static sp_expr visit(const job *j, sp_expr e);

/* The variables are new ones each time, though bodies are copied for that (a
 * tenth of the memory of a deep model): what a function of sp_map has kept may
 * mention those of an earlier visit, and would be captured. */
static sp_expr visit_opened(const job *j, sp_expr e) {
  sp_pool *p = j->p;
  uint32_t n = sp_red_n_vars(p, e);
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *vars = sp_scratch(p->ctx, (n + 1) * sizeof *vars);
  sp_expr was = sp_red_open(p, e, vars);
  sp_expr body = visit(j, was);
  if (!spi_same(body, was) || j->force) {
    e = sp_red(p, sp_red_op_of(p, e), n, vars, body);
  }
  sp_scratch_release(p->ctx, mark);
  return e;
}

static sp_expr visit_red(const job *j, sp_expr e) {
  sp_pool *p = j->p;
  const spi_node_t *d = spi_get(p, e);
  if (!j->open && d->height < j->floor) {
    sp_expr was = d->args[d->n - 1], body = visit(j, was);
    if (spi_same(body, was) && !j->force) {
      return e;
    }
    if (spi_height(p, body) < d->height) {
      return sp_red(p, (sp_red_op)d->payload, d->n - 1, d->args, body);
    }
  }
  return visit_opened(j, e);
}

/* Can a constructor make something new of the same arguments because of the
 * facts that hold here? */
static bool ranges_matter(const spi_node_t *d) {
  switch ((int)d->kind) {
  case SP_KIND_DIV:
  case SP_KIND_MOD:
  case SP_KIND_LT0:
  case SP_KIND_EQ0:
  case SP_KIND_OR:
    return true;
  case SP_KIND_MAX:
  case SP_KIND_MIN:
  case SP_KIND_FN:
    return d->sort == SP_SORT_INT;
  case SP_KIND_READ:
    return !(d->flags & SPI_HAS_READ);
  default:
    return false;
  }
}

static sp_expr visit_args(const job *j, sp_expr e) {
  sp_pool *p = j->p;
  const spi_node_t *d = spi_get(p, e);
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *args = sp_scratch(p->ctx, d->n * sizeof *args);
  bool changed = j->force || (spi_narrowed(p) && ranges_matter(d));
  for (uint32_t i = 0; i < d->n; i++) {
    args[i] = visit(j, d->args[i]);
    changed = changed || !spi_same(args[i], d->args[i]);
  }
  if (changed) {
    e = sp_rebuild(p, e, args);
  }
  sp_scratch_release(p->ctx, mark);
  return e;
}

static sp_expr visit(const job *j, sp_expr e) {
  if (j->skip && j->skip(j, e)) {
    return e;
  }
  sp_expr r = spi_memo_get(j->memo, e);
  if (r.v) {
    return r;
  }
  if (j->replace) {
    r = j->replace(j, e);
  }
  if (!r.v) {
    r = spi_kind(j->p, e) == SP_KIND_RED ? visit_red(j, e) : visit_args(j, e);
  }
  spi_memo_put(j->p, j->memo, e, r);
  return r;
}

static sp_expr walk(job *j, sp_expr e) {
  j->memo = spi_memo_open(j->p);
  e = visit(j, e);
  spi_memo_close(j->p, j->memo);
  return e;
}

/* ---- substitution ---- */

static bool subst_skip(const job *j, sp_expr e) {
  return !spi_set_meets(spi_get(j->p, e)->free, j->domain);
}

static sp_expr subst_replace(const job *j, sp_expr e) {
  if (spi_kind(j->p, e) == SP_KIND_VAR) {
    for (uint32_t i = 0; i < j->n; i++) {
      if (spi_same(j->from[i], e)) {
        return j->to[i];
      }
    }
  }
  return (sp_expr){0};
}

/* Height of the lowest bound variable among the free ones of e. */
static uint32_t lowest_bound(const sp_pool *p, sp_expr e, uint32_t floor) {
  const spi_set *s = spi_get(p, e)->free;
  for (uint32_t i = 0; i < s->n; i++) {
    const spi_var *v = spi_var_of(p, s->v[i]);
    if (v->cls == SP_VAR_BOUND && v->height < floor) {
      floor = v->height;
    }
  }
  return floor;
}

/* Of many variables few occur in one term: the others are left out. */
sp_expr sp_subst(sp_pool *p, sp_expr e, uint32_t n, const sp_expr *vars,
                 const sp_expr *values) {
  const spi_set *free = spi_get(p, e)->free;
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *from = sp_scratch(p->ctx, 2 * ((size_t)n + 1) * sizeof *from);
  sp_expr *to = from + n;
  job j = {.p = p,
           .skip = subst_skip,
           .replace = subst_replace,
           .floor = UINT32_MAX,
           .from = from,
           .to = to};
  for (uint32_t i = 0; i < n; i++) {
    if (spi_set_has(free, vars[i])) {
      j.open = j.open || sp_has_red(p, values[i]);
      j.floor = lowest_bound(p, values[i], j.floor);
      j.floor = lowest_bound(p, vars[i], j.floor);
      from[j.n] = vars[i];
      to[j.n++] = values[i];
    }
  }
  if (j.n > 0) {
    j.domain = spi_set_of(p, j.n, from);
    e = walk(&j, e);
  }
  sp_scratch_release(p->ctx, mark);
  return e;
}

/* ---- mapping and simplifying ---- */

static sp_expr map_replace(const job *j, sp_expr e) {
  return j->fn(j->env, j->p, e);
}

sp_expr sp_map(sp_pool *p, sp_expr e, sp_map_fn fn, void *env) {
  job j = {.p = p, .replace = map_replace, .open = true, .fn = fn, .env = env};
  return walk(&j, e);
}

typedef struct simplify_call {
  sp_expr e;
} simplify_call;

static void simplify_run(sp_pool *p, void *arg) {
  simplify_call *c = arg;
  job j = {.p = p, .force = true, .floor = UINT32_MAX};
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  c->e = walk(&j, c->e);
  sp_pool_mode(p, mode);
}

sp_expr sp_simplify(sp_pool *p, sp_expr e) {
  simplify_call c = {e};
  spi_guard(p, simplify_run, &c);
  return c.e;
}

/* ---- assuming ---- */

/* Is the term among the conditions that are known? 0 if not. */
static sp_expr known(const job *j, sp_expr e) {
  for (uint32_t i = 0; i < j->n; i++) {
    if (spi_same(j->from[i], e)) {
      return j->to[i];
    }
  }
  return (sp_expr){0};
}

static sp_expr assume_replace(const job *j, sp_expr e) {
  sp_pool *p = j->p;
  const spi_node_t *d = spi_get(p, e);
  if (d->sort == SP_SORT_BOOL) {
    return known(j, e);
  }
  if (d->kind == SP_KIND_VAR || d->kind == SP_KIND_DIV ||
      d->kind == SP_KIND_MOD) {
    for (size_t i = j->facts; i < p->facts.n; i++) {
      const spi_fact *f = &p->facts.v[i];
      if (spi_same(f->term, e) && f->lo == f->hi && !p->raw) {
        return sp_int(p, f->lo);
      }
    }
  }
  return (sp_expr){0};
}

/* Only terms that hold a known condition, or the terms of a fact where a range
 * can matter, may change. */
static bool assume_skip(const job *j, sp_expr e) {
  sp_pool *p = j->p;
  const spi_node_t *d = spi_get(p, e);
  if (d->n == 0 && d->kind != SP_KIND_VAR) {
    return true;
  }
  bool narrowable = d->flags & SPI_NARROWABLE;
  for (uint32_t i = 0; narrowable && i < j->n; i++) {
    if (spi_set_within(spi_get(p, j->from[i])->free, d->free)) {
      return false;
    }
  }
  for (size_t i = j->facts; i < p->facts.n; i++) {
    const spi_fact *f = &p->facts.v[i];
    if ((f->lo == f->hi || narrowable) &&
        spi_set_within(spi_get(p, f->term)->free, d->free)) {
      return false;
    }
  }
  return true;
}

/* Conditions that are decided by cond = value, itself included. LT0 and EQ0 of
 * integers are left to the facts in normal mode: ranges decide them. */
static void add_known(sp_pool *p, sp_expr cond, bool value, uint32_t *n,
                      sp_expr *from, sp_expr *to) {
  const spi_node_t *d = spi_get(p, cond);
  if (d->kind == SP_KIND_BOOL) {
    return;
  }
  from[*n] = cond;
  to[(*n)++] = sp_bool(p, value);
  if (d->kind == SP_KIND_NOT) {
    add_known(p, d->args[0], !value, n, from, to);
  } else if (d->kind == SP_KIND_OR && !value) {
    for (uint32_t i = 0; i < d->n; i++) {
      add_known(p, d->args[i], false, n, from, to);
    }
  }
}

static uint32_t count_known(const sp_pool *p, sp_expr cond) {
  const spi_node_t *d = spi_get(p, cond);
  uint32_t n = 1;
  if (d->kind == SP_KIND_NOT || d->kind == SP_KIND_OR) {
    for (uint32_t i = 0; i < d->n; i++) {
      n += count_known(p, d->args[i]);
    }
  }
  return n;
}

typedef struct assume_call {
  sp_expr e, cond;
  bool value;
} assume_call;

static void assume_run(sp_pool *p, void *arg) {
  assume_call *c = arg;
  sp_mark mark = sp_scratch_mark(p->ctx);
  size_t facts = p->facts.n;
  uint32_t room = count_known(p, c->cond);
  sp_expr *from = sp_scratch(p->ctx, room * sizeof *from);
  sp_expr *to = sp_scratch(p->ctx, room * sizeof *to);
  job j = {.p = p,
           .skip = assume_skip,
           .replace = assume_replace,
           .floor = UINT32_MAX,
           .from = from,
           .to = to,
           .facts = facts};
  add_known(p, c->cond, c->value, &j.n, from, to);
  spi_facts_push(p, c->cond, c->value);
  if (!assume_skip(&j, c->e)) {
    c->e = walk(&j, c->e);
  }
  p->facts.n = facts;
  sp_scratch_release(p->ctx, mark);
}

sp_expr sp_assume(sp_pool *p, sp_expr e, sp_expr cond, bool value) {
  const spi_node_t *d = spi_get(p, e);
  if (spi_kind(p, cond) == SP_KIND_BOOL ||
      (d->n == 0 && d->kind != SP_KIND_VAR)) {
    return e;
  }
  assume_call c = {e, cond, value};
  spi_guard(p, assume_run, &c);
  return c.e;
}
