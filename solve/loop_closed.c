/* loop_closed.c: read spi_loop_close: kinds are tried until nothing changes. */
#include "solve/loop_closed.h"
#include "solve/seen.h"

sp_expr spi_at_step(const spi_closing *c, sp_expr e, sp_expr step) {
  return sp_subst(c->s->pool, e, 1, &c->step, &step);
}

/* ---- carried tensors by their closed forms ---- */

static const spi_carried *named(const spi_closing *c, sp_sym sym) {
  for (uint32_t k = 0; k < c->n; k++) {
    if (c->v[k].sym.v == sym.v) {
      return &c->v[k];
    }
  }
  return NULL;
}

static sp_expr read_closed(void *env, sp_pool *p, sp_expr e) {
  spi_closing *c = env;
  if (!sp_has_read(p, e)) {
    return e;
  }
  if (sp_kind_of(p, e) != SP_KIND_READ) {
    return (sp_expr){0};
  }
  const spi_carried *x = named(c, sp_read_sym(p, e));
  if (!x || !x->at.v) {
    return (sp_expr){0};
  }
  sp_expr idx[SP_MAX_DIMS + 1];
  for (uint32_t i = 0; i < x->n; i++) {
    idx[i] = spi_closed_reads(c, sp_arg(p, e, i));
  }
  return sp_subst(p, x->at, x->n, x->idx, idx);
}

sp_expr spi_closed_reads(spi_closing *c, sp_expr e) {
  return sp_map(c->s->pool, e, read_closed, c);
}

/* ---- names that a closed form may read ---- */

static bool reads_only(const spi_closing *c, sp_expr e, sp_sym own,
                       spi_seen *seen) {
  sp_pool *p = c->s->pool;
  if (!sp_has_read(p, e) || spi_seen_before(seen, e)) {
    return true;
  }
  if (sp_kind_of(p, e) == SP_KIND_READ) {
    sp_sym sym = sp_read_sym(p, e);
    if (sym.v >= c->inner.v && sym.v != own.v && !sp_sym_is_table(p, sym)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    if (!reads_only(c, sp_arg(p, e, i), own, seen)) {
      return false;
    }
  }
  return true;
}

bool spi_reads_outer(const spi_closing *c, sp_expr e, sp_sym own) {
  sp_mark mark = sp_scratch_mark(c->s->ctx);
  spi_seen seen = {.ctx = c->s->ctx};
  bool ok = reads_only(c, e, own, &seen);
  sp_scratch_release(c->s->ctx, mark);
  return ok;
}

/* ---- kinds ---- */

static bool close_same(spi_carried *x, sp_expr e, sp_expr own) {
  if (e.v != own.v) {
    return false;
  }
  x->at = x->end = x->first;
  return true;
}

static bool close_last(spi_closing *c, spi_carried *x, sp_expr e) {
  sp_pool *p = c->s->pool;
  if (!spi_reads_outer(c, e, (sp_sym){0})) {
    return false;
  }
  sp_expr before = spi_at_step(c, e, sp_iaddc(p, c->step, -1));
  x->at = sp_ite(p, sp_lt(p, c->step, sp_int(p, 1)), x->first, before);
  x->end = spi_at_step(c, e, sp_int(p, c->trips - 1));
  return true;
}

static bool close(spi_closing *c, spi_carried *x) {
  sp_pool *p = c->s->pool;
  sp_expr e = spi_closed_reads(c, x->after);
  if (!spi_reads_outer(c, e, x->sym)) {
    return false;
  }
  return close_same(x, e, sp_read(p, x->sym, x->idx)) || close_last(c, x, e) ||
         spi_close_moved(c, x, e) || spi_close_reduced(c, x, e) ||
         spi_close_written(c, x, e) || spi_close_rescaled(c, x) ||
         spi_close_restarted(c, x, e);
}

void spi_loop_close(spi_closing *c) {
  sp_mode was = sp_pool_mode(c->s->pool, SP_MODE_RAW_INDEX);
  /* In a ranked problem names have the rank as one more index; a loop that only
   * one version of a program has is not looked at there. */
  bool more = !c->s->problem->ranked;
  while (more) {
    more = false;
    for (uint32_t k = 0; k < c->n; k++) {
      spi_carried *x = &c->v[k];
      more |= x->after.v && !x->at.v && close(c, x);
    }
  }
  sp_pool_mode(c->s->pool, was);
}
