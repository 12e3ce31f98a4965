/* tabulate.c: terms of one small variable, evaluated on its whole domain and
 * fitted again. Read spi_tabulate, then spi_values (a tape of operations that
 * runs over blocks of values).
 */
#include "encode/index.h"

enum { BLOCK = 128, MAX_STEPS = 1024 };

/* No value here: a read outside of its table, a result beyond 64 bits. Spreads
 * through the arithmetic; a choice drops it with the branch. */
static const int64_t none = INT64_MIN;

typedef struct tape {
  sp_pool *p;
  sp_expr var;
  spi_memo *slots; /* term -> 1 + index in step */
  uint32_t n;
  sp_expr step[MAX_STEPS];
  int64_t *v; /* BLOCK values of each step */
} tape;

static bool evaluable(const sp_pool *p, const spi_node_t *d) {
  switch ((int)d->kind) {
  case SP_KIND_INT:
  case SP_KIND_VAR:
  case SP_KIND_LIN:
  case SP_KIND_DIV:
  case SP_KIND_MOD:
  case SP_KIND_BOOL:
  case SP_KIND_LT0:
  case SP_KIND_EQ0:
  case SP_KIND_NOT:
  case SP_KIND_OR:
    return true;
  case SP_KIND_ITE:
  case SP_KIND_MAX:
  case SP_KIND_MIN:
    return d->sort != SP_SORT_REAL;
  case SP_KIND_FN:
    return d->sort == SP_SORT_INT && d->n > 0 && d->n <= 4;
  case SP_KIND_READ: {
    const spi_sym *s = &p->syms.v[d->payload];
    return s->is_table && s->ints && d->n <= 4;
  }
  default:
    return false;
  }
}

static bool record(tape *t, sp_expr e) {
  if (spi_memo_get(t->slots, e).v) {
    return true;
  }
  const spi_node_t *d = spi_get(t->p, e);
  if (!evaluable(t->p, d) || (d->kind == SP_KIND_VAR && e.v != t->var.v)) {
    return false;
  }
  for (uint32_t i = 0; i < d->n; i++) {
    if (!record(t, d->args[i])) {
      return false;
    }
  }
  if (t->n == MAX_STEPS) {
    return false;
  }
  t->step[t->n++] = e;
  spi_memo_put(t->p, t->slots, e, (sp_expr){t->n});
  return true;
}

static const int64_t *slot(const tape *t, sp_expr e) {
  return t->v + (size_t)(spi_memo_get(t->slots, e).v - 1) * BLOCK;
}

static void run_lin(const tape *t, const spi_node_t *d, uint32_t n,
                    int64_t *out) {
  for (uint32_t k = 0; k < n; k++) {
    out[k] = d->payload;
  }
  for (uint32_t i = 0; i < d->n; i++) {
    const int64_t *a = slot(t, d->args[i]);
    int64_t c = d->coefs.lin[i], term;
    for (uint32_t k = 0; k < n; k++) {
      bool ok = a[k] != none && out[k] != none && sp_mul_ok(a[k], c, &term) &&
                sp_add_ok(out[k], term, &out[k]);
      out[k] = ok ? out[k] : none;
    }
  }
}

static int64_t unary(const spi_node_t *d, int64_t a) {
  if (a == none) {
    return none;
  }
  switch ((int)d->kind) {
  case SP_KIND_DIV:
    return sp_floor_div(a, d->payload);
  case SP_KIND_MOD:
    return sp_floor_mod(a, d->payload);
  case SP_KIND_LT0:
    return a < 0;
  case SP_KIND_EQ0:
    return a == 0;
  default:
    return !a; /* NOT */
  }
}

static void run_fold(const tape *t, const spi_node_t *d, uint32_t n,
                     int64_t *out) {
  memcpy(out, slot(t, d->args[0]), n * sizeof *out);
  for (uint32_t i = 1; i < d->n; i++) {
    const int64_t *a = slot(t, d->args[i]);
    for (uint32_t k = 0; k < n; k++) {
      if (a[k] == none || out[k] == none) {
        out[k] = none;
      } else if (d->kind == SP_KIND_MIN ? a[k] < out[k] : a[k] > out[k]) {
        out[k] = a[k]; /* OR is the maximum of 0 and 1 */
      }
    }
  }
}

static void run_ite(const tape *t, const spi_node_t *d, uint32_t n,
                    int64_t *out) {
  const int64_t *c = slot(t, d->args[0]), *a = slot(t, d->args[1]);
  const int64_t *b = slot(t, d->args[2]);
  for (uint32_t k = 0; k < n; k++) {
    out[k] = c[k] == none ? none : c[k] ? a[k] : b[k];
  }
}

static void run_pointwise(const tape *t, sp_expr e, const spi_node_t *d,
                          uint32_t n, int64_t *out) {
  const int64_t *a[4] = {0};
  for (uint32_t i = 0; i < d->n; i++) {
    a[i] = slot(t, d->args[i]);
  }
  for (uint32_t k = 0; k < n; k++) {
    int64_t v[4] = {0}, at;
    bool ok = true;
    for (uint32_t i = 0; i < d->n; i++) {
      v[i] = a[i][k];
      ok = ok && v[i] != none;
    }
    if (d->kind == SP_KIND_FN) {
      ok = ok && spi_ifn_value(sp_fn_name(t->p, e), d->n, v, &out[k]);
    } else {
      const spi_sym *s = &t->p->syms.v[d->payload];
      ok = ok && spi_table_at(s, v, &at);
      if (ok) {
        out[k] = s->ints[at];
      }
    }
    out[k] = ok ? out[k] : none;
  }
}

static void run_step(const tape *t, uint32_t i, int64_t from, uint32_t n) {
  sp_expr e = t->step[i];
  const spi_node_t *d = spi_get(t->p, e);
  int64_t *out = t->v + (size_t)i * BLOCK;
  switch ((int)d->kind) {
  case SP_KIND_INT:
  case SP_KIND_BOOL:
  case SP_KIND_VAR:
    for (uint32_t k = 0; k < n; k++) {
      out[k] = d->kind == SP_KIND_VAR ? from + k : d->payload;
    }
    break;
  case SP_KIND_LIN:
    run_lin(t, d, n, out);
    break;
  case SP_KIND_MAX:
  case SP_KIND_MIN:
  case SP_KIND_OR:
    run_fold(t, d, n, out);
    break;
  case SP_KIND_ITE:
    run_ite(t, d, n, out);
    break;
  case SP_KIND_FN:
  case SP_KIND_READ:
    run_pointwise(t, e, d, n, out);
    break;
  default: {
    const int64_t *a = slot(t, d->args[0]);
    for (uint32_t k = 0; k < n; k++) {
      out[k] = unary(d, a[k]);
    }
    break;
  }
  }
}

static bool run(const tape *t, int64_t n, int64_t *out) {
  for (int64_t from = 0; from < n; from += BLOCK) {
    uint32_t m = (uint32_t)(n - from < BLOCK ? n - from : BLOCK);
    for (uint32_t i = 0; i < t->n; i++) {
      run_step(t, i, from, m);
    }
    const int64_t *last = t->v + (size_t)(t->n - 1) * BLOCK;
    for (uint32_t k = 0; k < m; k++) {
      if (last[k] == none) {
        return false;
      }
    }
    memcpy(out + from, last, m * sizeof *out);
  }
  return true;
}

bool spi_values(sp_pool *p, sp_expr e, sp_expr var, int64_t n, int64_t *out) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  tape *t = sp_scratch(p->ctx, sizeof *t);
  t->p = p;
  t->var = var;
  t->n = 0;
  t->slots = spi_memo_open(p);
  bool ok = record(t, e);
  if (ok) {
    t->v = sp_scratch(p->ctx, (size_t)t->n * BLOCK * sizeof *t->v);
    ok = run(t, n, out);
  }
  spi_memo_close(p, t->slots);
  sp_scratch_release(p->ctx, mark);
  return ok;
}

/* ---- rank-only terms ---- */

/* a*r + b, and comparisons of it */
static bool is_simple(const sp_pool *p, const spi_node_t *d) {
  if (d->kind == SP_KIND_LT0 || d->kind == SP_KIND_EQ0 ||
      d->kind == SP_KIND_NOT) {
    return is_simple(p, spi_get(p, d->args[0]));
  }
  return d->kind == SP_KIND_VAR || (d->kind == SP_KIND_LIN && d->n == 1 &&
                                    spi_kind(p, d->args[0]) == SP_KIND_VAR);
}

typedef struct fit_call {
  sp_expr e, var, fit;
} fit_call;

static void fit_run(sp_pool *p, void *arg) {
  fit_call *c = arg;
  int64_t n = sp_var_extent(p, c->var);
  bool fitting = p->fitting;
  size_t from = p->facts_from;
  p->fitting = true;
  p->facts_from = p->facts.n; /* the result is kept: it must hold everywhere */
  sp_mark mark = sp_scratch_mark(p->ctx);
  int64_t *v = sp_scratch(p->ctx, (size_t)n * sizeof *v);
  if (spi_values(p, c->e, c->var, n, v)) {
    c->fit = sp_sort_of(p, c->e) == SP_SORT_INT ? sp_fit(p, v, n, c->var)
                                                : spi_fit_bool(p, v, n, c->var);
  }
  sp_scratch_release(p->ctx, mark);
  p->fitting = fitting;
  p->facts_from = from;
}

sp_expr spi_tabulate(sp_pool *p, sp_expr e) {
  spi_node_t *d = spi_get(p, e);
  if (d->free->n != 1 || p->fitting ||
      (d->flags & (SPI_HAS_READ | SPI_HAS_RED))) {
    return e;
  }
  if (!d->fit.v) {
    const spi_var *v = spi_var_of(p, d->free->v[0]);
    d->fit = e;
    if (v->cls == SP_VAR_RANK && v->extent > 1 && v->extent <= SPI_FIT_MAX &&
        !is_simple(p, d)) {
      fit_call c = {e, v->term, {0}};
      spi_guard(p, fit_run, &c);
      if (c.fit.v) {
        d->fit = c.fit;
        spi_get(p, c.fit)->fit = c.fit;
      }
    }
  }
  return d->fit;
}
