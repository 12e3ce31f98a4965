/* loop_write.c: a carried tensor that is written block by block: a map over the
 * steps. The lemma is in loop_closed.h, "written".
 *
 * The body's term is a choice between what is written and the carried element;
 * where it is the latter is read off the term. Which step writes an element is
 * solved from the bounds of the block: from 4 t <= i < 4 t + 4 comes
 * t = i div 4. That no other step writes it is proved.
 */
#include "solve/loop_closed.h"

enum { MAX_STEPS = 16, MAX_NEST = 64 };

/* ---- what is written, and where ---- */

/* Where e is the carried element itself; 0 when it is used otherwise. */
static sp_expr kept(const spi_closing *c, const spi_carried *x, sp_expr e,
                    int depth) {
  sp_pool *p = c->s->pool;
  if (e.v == sp_read(p, x->sym, x->idx).v) {
    return sp_bool(p, true);
  }
  if (spi_reads_outer(c, e, (sp_sym){0})) {
    return sp_bool(p, false);
  }
  if (sp_kind_of(p, e) != SP_KIND_ITE || depth >= MAX_NEST ||
      !spi_reads_outer(c, sp_arg(p, e, 0), (sp_sym){0})) {
    return (sp_expr){0};
  }
  sp_expr a = kept(c, x, sp_arg(p, e, 1), depth + 1);
  sp_expr b = kept(c, x, sp_arg(p, e, 2), depth + 1);
  return a.v && b.v ? sp_ite(p, sp_arg(p, e, 0), a, b) : (sp_expr){0};
}

static sp_expr anything(sp_pool *p, sp_sort sort) {
  switch (sort) {
  case SP_SORT_INT:
    return sp_int(p, 0);
  case SP_SORT_REAL:
    return sp_real_i64(p, 0);
  case SP_SORT_BOOL:
    break;
  }
  return sp_bool(p, false);
}

/* ---- which step ---- */

typedef struct steps {
  uint32_t n;
  sp_expr v[MAX_STEPS];
} steps;

static void add_step(steps *out, sp_expr w) {
  for (uint32_t i = 0; i < out->n; i++) {
    if (out->v[i].v == w.v) {
      return;
    }
  }
  if (out->n < MAX_STEPS) {
    out->v[out->n++] = w;
  }
}

/* r + a x < 0 changes between two values of x: both, in either direction. */
static void bound(sp_pool *p, sp_expr e, sp_expr x, steps *out) {
  if (e.v == x.v) {
    add_step(out, sp_int(p, 0));
  }
  if (sp_kind_of(p, e) != SP_KIND_LIN) {
    return;
  }
  int64_t a = 0;
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    if (sp_arg(p, e, i).v == x.v) {
      a = sp_lin_coef(p, e, i);
    }
  }
  sp_expr r = sp_isub(p, e, sp_iscale(p, x, a));
  if (a == 0 || sp_has_free(p, r, x)) {
    return;
  }
  int64_t by = a < 0 ? -a : a;
  r = a < 0 ? r : sp_iscale(p, r, -1);
  add_step(out, sp_idiv(p, r, by));
  add_step(out, sp_idiv(p, sp_iaddc(p, r, -1), by));
  add_step(out, sp_idiv(p, sp_iaddc(p, r, by), by));
  add_step(out, sp_idiv(p, sp_iaddc(p, r, by - 1), by));
}

static void bounds(sp_pool *p, sp_expr e, sp_expr x, steps *out, int depth) {
  sp_kind kind = sp_kind_of(p, e);
  if (kind == SP_KIND_LT0 || kind == SP_KIND_EQ0) {
    bound(p, sp_arg(p, e, 0), x, out);
    return;
  }
  bool logic = kind == SP_KIND_NOT || kind == SP_KIND_OR;
  for (uint32_t i = 0; logic && depth < MAX_NEST && i < sp_n_args(p, e); i++) {
    bounds(p, sp_arg(p, e, i), x, out, depth + 1);
  }
}

/* The one value of x at which e holds, as a term without x and the variables in
 * `also`; 0: none was found. */
static sp_expr solved(sp_state *s, sp_expr e, sp_expr x, uint32_t n,
                      const sp_expr *also) {
  sp_pool *p = s->pool;
  steps found = {0};
  sp_mode was = sp_pool_mode(p, SP_MODE_NORMAL);
  bounds(p, sp_simplify(p, e), x, &found, 0);
  sp_pool_mode(p, was);
  for (uint32_t i = 0; i < found.n; i++) {
    bool free = true;
    for (uint32_t k = 0; k < n; k++) {
      free = free && !sp_has_free(p, found.v[i], also[k]);
    }
    sp_expr goal = sp_or(p, sp_not(p, e), sp_eq(p, x, found.v[i]));
    if (free && sp_prove_holds(s->prover, "loop: written in one step", goal,
                               (sp_hyps){0})) {
      return found.v[i];
    }
  }
  return (sp_expr){0};
}

sp_expr spi_step_where(spi_closing *c, sp_expr writes) {
  sp_state *s = c->s;
  sp_pool *p = s->pool;
  sp_expr digit[SPI_MAX_DIGITS], value[SPI_MAX_DIGITS], step;
  uint32_t n = spi_step_digits(c, writes, digit, &step);
  sp_expr in_digits = spi_at_step(c, writes, step);
  for (uint32_t i = 0; i < n; i++) {
    value[i] = solved(s, in_digits, digit[i], n, digit);
    if (!value[i].v) {
      return value[i];
    }
  }
  sp_expr w = sp_subst(p, step, n, digit, value);
  sp_expr goal = sp_or(p, sp_not(p, writes), sp_eq(p, c->step, w));
  bool ok = sp_prove_holds(s->prover, "loop: written in one step", goal,
                           (sp_hyps){0});
  return ok ? w : (sp_expr){0};
}

static sp_expr written_before(const spi_closing *c, const spi_carried *x,
                              sp_expr writes, sp_expr value, sp_expr w,
                              sp_expr step) {
  sp_pool *p = c->s->pool;
  sp_expr when = sp_and(p, sp_le(p, sp_int(p, 0), w), sp_lt(p, w, step));
  when = sp_and(p, when, spi_at_step(c, writes, w));
  return sp_ite(p, when, spi_at_step(c, value, w), x->first);
}

bool spi_close_written(spi_closing *c, spi_carried *x, sp_expr e) {
  sp_state *s = c->s;
  sp_pool *p = s->pool;
  sp_expr keep = kept(c, x, e, 0);
  if (!keep.v) {
    return false;
  }
  sp_expr value =
      spi_replace_symbol(p, e, x->sym, anything(p, sp_sym_sort(p, x->sym)));
  sp_expr want = sp_ite(p, keep, sp_read(p, x->sym, x->idx), value);
  if (!sp_prove_equal(s->prover, e, want, (sp_hyps){0})) {
    return false;
  }
  sp_expr writes = sp_not(p, keep);
  sp_expr w = spi_step_where(c, writes);
  if (!w.v) {
    return false;
  }
  x->at = written_before(c, x, writes, value, w, c->step);
  x->end = written_before(c, x, writes, value, w, sp_int(p, c->trips));
  return true;
}
