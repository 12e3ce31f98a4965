/* repeated.c: read spi_repeated_digit.
 *
 * A definition that reads an index by div and mod alone (a head's number does
 * not count where all share one key) may skip a digit of it. Which one is
 * guessed from the divisors; that it does not count shows when the index is
 * written in digits, and is proved of the raw definition.
 */
#include "solve/repeated.h"

#include "base/arith.h"
#include "solve/seen.h"

enum { MAX_BOUNDS = 8 };

typedef struct looking {
  sp_pool *p;
  sp_expr var;
  bool bare; /* it is read as it is: every digit counts */
  uint32_t n;
  int64_t bound[MAX_BOUNDS]; /* of digits, but for the size: 1, 4, 8 */
  spi_seen seen;
} looking;

static void add_bound(looking *x, int64_t at) {
  for (uint32_t i = 0; i < x->n; i++) {
    if (x->bound[i] == at) {
      return;
    }
  }
  if (x->n < MAX_BOUNDS) {
    x->bound[x->n++] = at;
  }
}

/* The divisors above the variable; what one of e counts. */
static int64_t bounds_in(looking *x, sp_expr e, bool divided) {
  sp_pool *p = x->p;
  sp_kind kind = sp_kind_of(p, e);
  int64_t unit = 1;
  if (e.v == x->var.v) {
    x->bare = x->bare || !divided;
    return 1;
  }
  if (x->bare || !sp_has_free(p, e, x->var) ||
      (!divided && spi_seen_before(&x->seen, e))) {
    return 1;
  }
  bool divides = kind == SP_KIND_DIV || kind == SP_KIND_MOD;
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    unit = bounds_in(x, sp_arg(p, e, i), divided || divides);
  }
  int64_t at;
  if (!divides || !sp_mul_ok(unit, sp_divisor(p, e), &at)) {
    return 1;
  }
  add_bound(x, at);
  return kind == SP_KIND_DIV ? at : unit;
}

/* e does not depend on the digit, by its form. */
static bool skips(sp_pool *p, sp_expr e, sp_expr var, spi_digit g) {
  sp_expr low = sp_fresh(p, g.stride), digit = sp_fresh(p, g.n);
  sp_expr high = sp_fresh(p, sp_var_extent(p, var) / (g.stride * g.n));
  sp_expr i = sp_iadd(p, sp_iscale(p, high, g.stride * g.n),
                      sp_iadd(p, sp_iscale(p, digit, g.stride), low));
  return !sp_has_free(p, sp_subst(p, e, 1, &var, &i), digit);
}

sp_expr spi_without_digit(sp_pool *p, sp_expr i, spi_digit g) {
  sp_expr digit = sp_imod(p, sp_idiv(p, i, g.stride), g.n);
  return sp_isub(p, i, sp_iscale(p, digit, g.stride));
}

static bool is_proved(sp_state *s, uint32_t t, sp_expr var, spi_digit g) {
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  sp_expr raw = spi_seq_raw(s, t), to = spi_without_digit(s->pool, var, g);
  bool ok = sp_prove_equal(s->prover, raw, sp_subst(s->pool, raw, 1, &var, &to),
                           (sp_hyps){0});
  sp_pool_mode(s->pool, was);
  return ok;
}

spi_digit spi_repeated_digit(sp_state *s, uint32_t t, uint32_t d) {
  sp_pool *p = s->pool;
  sp_expr var = s->seq[t].idx[d], def = s->seq[t].def;
  spi_digit best = {0};
  if (sp_kind_of(p, var) != SP_KIND_VAR || !sp_has_free(p, def, var)) {
    return best;
  }
  sp_mark mark = sp_scratch_mark(s->ctx);
  looking x = {
      .p = p, .var = var, .n = 1, .bound = {1}, .seen = {.ctx = s->ctx}};
  bounds_in(&x, def, false);
  sp_scratch_release(s->ctx, mark);
  int64_t size = sp_var_extent(p, var);
  x.bound[x.n < MAX_BOUNDS ? x.n++ : x.n - 1] = size;
  for (uint32_t i = 0; i < x.n && !x.bare; i++) {
    for (uint32_t k = 0; k < x.n; k++) {
      int64_t from = x.bound[i], to = x.bound[k];
      if (from >= to || to % from != 0 || size % to != 0 ||
          to / from <= best.n) {
        continue;
      }
      spi_digit g = {from, to / from};
      if (skips(p, def, var, g) && is_proved(s, t, var, g)) {
        best = g;
      }
    }
  }
  return best;
}
