/* expand.c: anchors replaced by their definitions. Read visit.
 *
 * An anchor is a name; what it stands for is on neither side of an equation
 * that speaks of it. Ways back: spi_open, each anchor once; spi_expand, where a
 * definition only computes elements from elements, and spi_unfold, where it
 * reduces, too, but for reads that follow the variable of a reduction around
 * them (sum(x[k] y[k]) stays what it is, whatever x is). Unfolded terms are
 * multiplied out: -s is then like -(p + q) where s is p + q, and a variance,
 * however it is computed, a polynomial of sums and sums of squares.
 * For quotients what follows such a variable is unfolded, too, where what it
 * reduces does not follow it (the denominator of a softmax).
 *
 * A definition equals the anchor, so this needs no proof; that both sides are
 * equal afterwards does.
 */
#include "solve/layers.h"
#include "solve/seen.h"
#include "solve/state.h"

enum { MAX_DEPTH = 200, MAX_UNFOLDED = 1000, MAX_SIZE = 6000 };

typedef struct expansion {
  sp_state *s;
  int depth;
  bool raw;
  bool unfold;
  bool quotients;    /* unfold: denominators in sums, too */
  bool open;         /* every anchor, but only once */
  uint32_t unfolded; /* reads so far */
} expansion;

/* Does it have a variable of a reduction around it? They are fresh: sp_map
 * opened it. */
static bool follows_reduction(sp_pool *p, sp_expr e) {
  const sp_expr *vars;
  uint32_t n = sp_free_vars(p, e, &vars);
  for (uint32_t i = 0; i < n; i++) {
    if (sp_var_class_of(p, vars[i]) == SP_VAR_FRESH) {
      return true;
    }
  }
  return false;
}

/* Does a reduction in e, the definition of what is read, depend on an index
 * that does? */
static bool reduces_along(expansion *x, const seq_tensor *v, sp_expr read,
                          sp_expr e, spi_seen *seen) {
  sp_pool *p = x->s->pool;
  if (!sp_has_red(p, e) || spi_seen_before(seen, e)) {
    return false;
  }
  bool red = sp_kind_of(p, e) == SP_KIND_RED, ranked = x->s->problem->ranked;
  for (uint32_t i = 0; i < sp_n_args(p, read) && red; i++) {
    sp_expr idx = !ranked ? v->idx[i] : i == 0 ? x->s->rank : v->idx[i - 1];
    if (follows_reduction(p, sp_arg(p, read, i)) && sp_has_free(p, e, idx)) {
      return true;
    }
  }
  for (uint32_t i = 0; i < sp_n_args(p, e) && !red; i++) {
    if (reduces_along(x, v, read, sp_arg(p, e, i), seen)) {
      return true;
    }
  }
  return false;
}

static bool stays(expansion *x, const seq_tensor *v, sp_expr read) {
  if (!follows_reduction(x->s->pool, read)) {
    return false;
  }
  if (!x->quotients) {
    return true;
  }
  sp_mark mark = sp_scratch_mark(x->s->ctx);
  spi_seen seen = {.ctx = x->s->ctx};
  bool along = reduces_along(x, v, read, v->def, &seen);
  sp_scratch_release(x->s->ctx, mark);
  return along;
}

static bool wanted(expansion *x, const seq_tensor *v, sp_expr read) {
  if (v->opaque || !v->def.v) {
    return false;
  }
  if (x->open) {
    return true;
  }
  return x->unfold ? !stays(x, v, read) && x->unfolded++ < MAX_UNFOLDED
                   : !sp_has_red(x->s->pool, v->def);
}

static sp_expr visit(void *env, sp_pool *p, sp_expr e) {
  expansion *x = env;
  if (!sp_has_read(p, e)) {
    return e;
  }
  if (sp_kind_of(p, e) != SP_KIND_READ || x->depth > MAX_DEPTH) {
    return (sp_expr){0};
  }
  uint32_t t = spi_seq_tensor(x->s, sp_read_sym(p, e));
  if (t == SP_NO_TENSOR || !wanted(x, &x->s->seq[t], e)) {
    return (sp_expr){0};
  }
  const seq_tensor *v = &x->s->seq[t];
  uint32_t n = sp_n_args(p, e);
  bool ranked = x->s->problem->ranked;
  sp_mark mark = sp_scratch_mark(x->s->ctx);
  sp_expr *from = sp_scratch(x->s->ctx, (n + 1) * sizeof *from);
  sp_expr *to = sp_scratch(x->s->ctx, (n + 1) * sizeof *to);
  for (uint32_t i = 0; i < n; i++) {
    from[i] = !ranked ? v->idx[i] : i == 0 ? x->s->rank : v->idx[i - 1];
    to[i] = sp_arg(p, e, i);
  }
  if (x->raw) {
    spi_layers_open(x->s->layers, t);
  }
  sp_expr body = x->raw ? spi_seq_raw(x->s, t) : v->def;
  body = sp_subst(p, body, n, from, to);
  sp_scratch_release(x->s->ctx, mark);
  if (x->open) {
    return body;
  }
  x->depth++;
  body = sp_map(p, body, visit, env);
  x->depth--;
  return body;
}

sp_expr spi_expand(sp_state *s, sp_expr e, bool raw) {
  expansion x = {.s = s, .raw = raw};
  sp_mode was = sp_pool_mode(s->pool, raw ? SP_MODE_RAW_INDEX : SP_MODE_NORMAL);
  sp_expr wide = sp_map(s->pool, e, visit, &x);
  sp_pool_mode(s->pool, was);
  return raw ? wide : spi_onehot(s->prover, wide);
}

sp_expr spi_open(sp_state *s, sp_expr e) {
  expansion x = {.s = s, .raw = true, .open = true};
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  sp_expr wide = sp_map(s->pool, e, visit, &x);
  sp_pool_mode(s->pool, was);
  return wide;
}

static sp_expr unfold(sp_state *s, sp_expr e, bool raw, bool quotients) {
  expansion x = {.s = s, .raw = raw, .unfold = true, .quotients = quotients};
  sp_mode was = sp_pool_mode(s->pool, raw ? SP_MODE_RAW_INDEX : SP_MODE_NORMAL);
  /* Raw indices may mention variables that they do not depend on. */
  sp_expr wide = raw ? spi_simpler_indices(s->prover, e) : e;
  wide = sp_map(s->pool, wide, visit, &x);
  wide = raw ? spi_simpler_indices(s->prover, wide) : wide;
  sp_pool_mode(s->pool, was);
  bool large = x.unfolded >= MAX_UNFOLDED ||
               spi_term_size(s->pool, wide, MAX_SIZE) >= MAX_SIZE;
  return large ? (sp_expr){0} : wide;
}

sp_expr spi_unfold(sp_state *s, sp_expr e, bool raw) {
  return unfold(s, e, raw, false);
}

sp_expr spi_unfold_quotients(sp_state *s, sp_expr e, bool raw) {
  return unfold(s, e, raw, true);
}

bool spi_equal_unfolded(sp_state *s, sp_expr a, sp_expr b, sp_hyps hyps) {
  sp_expr x = spi_unfold(s, a, true), y = spi_unfold(s, b, true);
  return x.v && y.v && spi_moments_equal(s->prover, x, y, hyps);
}

bool spi_equal_quotients(sp_state *s, sp_expr a, sp_expr b, sp_hyps hyps) {
  sp_expr x = unfold(s, a, true, true), y = unfold(s, b, true, true);
  return x.v && y.v && spi_quotients_equal(s->prover, x, y, hyps);
}
