/* machine_share.c: what many elements of a result share is computed once.
 *
 * A softmax or a normalisation has one row-wise reduction for all elements of a
 * row; as one term over all index variables it would be computed again for
 * every element. So subterms that lack some of the variables become HELPERS:
 * arrays over the variables that they do have (bound ones as well), computed
 * first and read by the rest. Sums that are contractions become helpers of
 * their own, so that they are computed as such. Only values move; what is
 * read under a condition may be computed where the condition does not hold, and
 * is then not used.
 */
#include "solve/machine.h"

#include <string.h>

#include "base/arith.h"

enum {
  MAX_HELPERS = 32,
  MAX_LEVELS = 6,
  WORTH_RED = 2,  /* times that a reduction is saved, */
  WORTH_REAL = 4, /* any other term */
};
#define MAX_SIZE ((int64_t)1 << 27)

typedef struct sharer {
  sp_machine *m;
  spi_compiled *owner; /* of all helpers */
  spi_compiled *now;   /* whose term is looked at */
  uint32_t level;
} sharer;

static bool is_lane(const sharer *s, sp_expr var) {
  for (uint32_t d = 0; d < s->now->shape.n_dims; d++) {
    if (s->now->idx[d].v == var.v) {
      return true;
    }
  }
  return false;
}

/* How often the term is computed for the same values of its variables. */
static int64_t repeated(const sharer *s, sp_expr e) {
  int64_t times = 1;
  for (uint32_t d = 0; d < s->now->shape.n_dims; d++) {
    sp_expr v = s->now->idx[d];
    if (sp_kind_of(s->m->e->pool, v) == SP_KIND_VAR &&
        !sp_has_free(s->m->e->pool, e, v)) {
      times = sp_mul_sat(times, s->now->shape.dims[d]);
    }
  }
  return times;
}

/* Does it have variables of an enclosing reduction? */
static bool in_reduction(const sharer *s, sp_expr e) {
  const sp_expr *vars;
  uint32_t n = sp_free_vars(s->m->e->pool, e, &vars);
  for (uint32_t i = 0; i < n; i++) {
    if (!is_lane(s, vars[i]) && vars[i].v != s->m->e->rank.v) {
      return true;
    }
  }
  return false;
}

typedef struct search {
  bool found;
} search;

static sp_expr see_function(void *env, sp_pool *p, sp_expr e) {
  search *s = env;
  s->found = s->found || (sp_kind_of(p, e) == SP_KIND_FN &&
                          sp_sort_of(p, e) == SP_SORT_REAL);
  return s->found ? e : (sp_expr){0};
}

static bool is_costly(const sharer *s, sp_expr e) {
  search found = {false};
  if (sp_has_red(s->m->e->pool, e) || in_reduction(s, e)) {
    return true;
  }
  sp_map(s->m->e->pool, e, see_function, &found);
  return found.found;
}

/* An array over the variables of e, if that is not too large; else NULL. */
static spi_compiled *helper_for(const sharer *s, sp_expr e) {
  spi_engine *g = s->m->e;
  const sp_expr *vars;
  uint32_t n = sp_free_vars(g->pool, e, &vars), k = 0;
  sp_expr *idx = sp_alloc_n(g->ctx, n + 1u, sizeof *idx);
  int64_t *dims = sp_alloc_n(g->ctx, n + 2u, sizeof *dims), size = 1;
  dims[0] = g->ranks;
  /* lanes in their order, then the others */
  for (uint32_t d = 0; d < s->now->shape.n_dims; d++) {
    sp_expr v = s->now->idx[d];
    if (sp_kind_of(g->pool, v) == SP_KIND_VAR && sp_has_free(g->pool, e, v)) {
      idx[k++] = v;
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    if (vars[i].v != g->rank.v && !is_lane(s, vars[i])) {
      idx[k++] = vars[i];
    }
  }
  if (k > SP_MAX_DIMS) {
    return NULL;
  }
  for (uint32_t i = 0; i < k; i++) {
    dims[i + 1] = sp_var_extent(g->pool, idx[i]);
    if (!sp_mul_ok(size, dims[i + 1], &size) || size > MAX_SIZE / g->ranks) {
      return NULL;
    }
  }
  spi_compiled *c = sp_alloc(g->ctx, sizeof *c);
  c->idx = idx;
  c->term = e;
  c->sort = sp_sort_of(g->pool, e);
  /* a type that nothing is rounded to */
  c->extents = dims;
  c->shape = (sp_shape){c->sort == SP_SORT_REAL  ? SP_F64
                        : c->sort == SP_SORT_INT ? SP_S64
                                                 : SP_PRED,
                        k, dims + 1};
  c->n = size;
  c->ranks = s->owner->ranks;
  return c;
}

static sp_expr read_helper(const sharer *s, const spi_compiled *c) {
  sp_expr at[SP_MAX_DIMS + 1];
  at[0] = s->m->e->rank;
  memcpy(at + 1, c->idx, c->shape.n_dims * sizeof *at);
  return sp_read(s->m->e->pool, c->sym, at);
}

static void share(sharer *s);

static sp_expr add_helper(const sharer *s, spi_compiled *c) {
  spi_engine *g = s->m->e;
  spi_compiled *o = s->owner;
  sp_expr term = c->term;
  for (uint32_t i = 0; i < o->n_helpers; i++) {
    if (o->helpers[i]->made_for.v == term.v) {
      return read_helper(s, o->helpers[i]);
    }
  }
  if (o->n_helpers >= MAX_HELPERS) {
    return (sp_expr){0};
  }
  c->made_for = term;
  c->sym =
      sp_sym_new(g->pool, "helper", c->sort, c->shape.n_dims + 1, c->extents);
  /* its own parts first; they are computed before it */
  sharer inner = *s;
  inner.now = c;
  inner.level++;
  share(&inner);
  if (!o->helpers) {
    o->helpers = sp_alloc_n(g->ctx, MAX_HELPERS, sizeof *o->helpers);
  }
  if (o->n_helpers >= MAX_HELPERS) {
    return (sp_expr){0};
  }
  o->helpers[o->n_helpers++] = c;
  return read_helper(s, c);
}

static sp_expr share_term(void *env, sp_pool *p, sp_expr e);

/* A reduction that stays where it is: its body shares, too; if it is a
 * contraction then, it is computed as one. */
static sp_expr share_body(sharer *s, sp_pool *p, sp_expr red) {
  sp_ctx *ctx = s->m->e->ctx;
  uint32_t n = sp_red_n_vars(p, red);
  sp_expr *vars = sp_alloc_n(ctx, n + 1u, sizeof *vars);
  sp_expr body = sp_map(p, sp_red_open(p, red, vars), share_term, s);
  sp_expr e = sp_red(p, sp_red_op_of(p, red), n, vars, body);
  if (red.v == s->now->term.v || sp_kind_of(p, e) != SP_KIND_RED) {
    return e;
  }
  spi_compiled *c = helper_for(s, e);
  if (c && spi_contraction_of(s->m, c)) {
    sp_expr read = add_helper(s, c);
    return read.v ? read : e;
  }
  return e;
}

static bool is_worth(const sharer *s, sp_pool *p, sp_expr e, sp_kind kind) {
  if (!sp_has_read(p, e)) {
    return false;
  }
  int64_t times = repeated(s, e);
  if (kind == SP_KIND_RED) {
    return times >= WORTH_RED;
  }
  return times >= WORTH_REAL && sp_sort_of(p, e) == SP_SORT_REAL &&
         kind != SP_KIND_READ && is_costly(s, e);
}

static sp_expr share_term(void *env, sp_pool *p, sp_expr e) {
  sharer *s = env;
  sp_kind kind = sp_kind_of(p, e);
  bool red = kind == SP_KIND_RED;
  if (red && sp_red_op_of(p, e) == SP_RED_LAMBDA) {
    return e;
  }
  if (!red && sp_sort_of(p, e) != SP_SORT_REAL) {
    return (sp_expr){0};
  }
  if (is_worth(s, p, e, kind)) {
    spi_compiled *c = helper_for(s, e);
    sp_expr read = c ? add_helper(s, c) : (sp_expr){0};
    if (read.v) {
      return read;
    }
  }
  return red ? share_body(s, p, e) : (sp_expr){0};
}

static void share(sharer *s) {
  if (s->level < MAX_LEVELS) {
    s->now->term = sp_map(s->m->e->pool, s->now->term, share_term, s);
  }
}

void spi_share(sp_machine *m, spi_compiled *c) {
  sharer s = {.m = m, .owner = c, .now = c};
  c->made_for = c->term;
  if (sp_has_red(m->e->pool, c->term)) {
    share(&s);
  }
}
