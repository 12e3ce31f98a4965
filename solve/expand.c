/* expand.c: anchors replaced by their definitions. Read visit.
 *
 * An anchor is a name; what it stands for is on neither side of an equation
 * that speaks of it. Ways back: spi_open, each anchor once; spi_expand, where a
 * definition only computes elements from elements, and spi_unfold, where it
 * reduces, too, but for reads that follow the variable of a reduction around
 * them (sum(x[k] y[k]) stays what it is, whatever x is). Unfolded terms are
 * multiplied out: -s is then like -(p + q) where s is p + q, and a variance,
 * however it is computed, a polynomial of sums and sums of squares.
 *
 * A definition equals the anchor, so this needs no proof; that both sides are
 * equal afterwards does.
 */
#include "solve/layers.h"
#include "solve/seen.h"
#include "solve/state.h"

enum { MAX_DEPTH = 200, MAX_UNFOLDED = 100, MAX_SIZE = 3000 };

typedef struct expansion {
  sp_state *s;
  int depth;
  bool raw;
  bool unfold;
  bool open;         /* every anchor, but only once */
  uint32_t unfolded; /* reads so far */
} expansion;

/* Does the index have a variable of a reduction around it? They are fresh:
 * sp_map opened it. */
static bool follows_reduction(sp_pool *p, sp_expr read) {
  const sp_expr *vars;
  uint32_t n = sp_free_vars(p, read, &vars);
  for (uint32_t i = 0; i < n; i++) {
    if (sp_var_class_of(p, vars[i]) == SP_VAR_FRESH) {
      return true;
    }
  }
  return false;
}

static bool wanted(expansion *x, const seq_tensor *v, sp_expr read) {
  sp_pool *p = x->s->pool;
  if (v->opaque || !v->def.v) {
    return false;
  }
  if (x->open) {
    return true;
  }
  return x->unfold ? !follows_reduction(p, read) && x->unfolded++ < MAX_UNFOLDED
                   : !sp_has_red(p, v->def);
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

sp_expr spi_unfold(sp_state *s, sp_expr e, bool raw) {
  expansion x = {.s = s, .raw = raw, .unfold = true};
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

bool spi_equal_unfolded(sp_state *s, sp_expr a, sp_expr b, sp_hyps hyps) {
  sp_expr x = spi_unfold(s, a, true), y = spi_unfold(s, b, true);
  return x.v && y.v && spi_moments_equal(s->prover, x, y, hyps);
}
