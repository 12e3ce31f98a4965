/* finite.c: which infinities a term may be. An exp is moved around, divided by
 * and measured from another one as a number that is neither 0 nor infinite, so
 * its exponent must be known to be finite, or the rewrite to hold at the
 * infinity that it may be (docs/soundness.md, "Infinities"). Masked scores may
 * be minus infinity; that their maximum is not is the one thing assumed (M).
 */
#include "encode/real.h"

/* Terms looked at; what lies beyond may be anything. */
enum { ENDS_DEPTH = 40, ENDS_TERMS = 2000, MAX_CORNER = 5, MASK_DEPTH = 12 };

typedef struct look {
  sp_pool *p;
  uint32_t left;
} look;

static unsigned ends_of(look *l, sp_expr e, uint32_t depth);

static unsigned turned(unsigned ends) {
  return (ends & SPI_END_NOTED) | (ends & SPI_END_LOW ? SPI_END_HIGH : 0U) |
         (ends & SPI_END_HIGH ? SPI_END_LOW : 0U);
}

static unsigned of_all(look *l, uint32_t n, const sp_expr *v, uint32_t depth) {
  unsigned ends = 0;
  for (uint32_t i = 0; i < n; i++) {
    ends |= ends_of(l, v[i], depth);
  }
  return ends;
}

static unsigned of_sum(look *l, const spi_node_t *d, uint32_t depth) {
  unsigned ends = 0;
  for (uint32_t i = 0; i < d->n; i++) {
    unsigned e = ends_of(l, d->args[i], depth);
    ends |= sp_num_sign(l->p, d->coefs.add[i]) < 0 ? turned(e) : e;
  }
  return ends;
}

/* What is known of nothing infinite is known of nothing. */
static unsigned of_any(unsigned ends) {
  return ends & SPI_END_BOTH ? SPI_END_BOTH | ends : ends;
}

/* ---- rows that are masked as a whole ---- */

/* Where e is an infinity that the maximum (minimum) of others does not see, for
 * all values of the variables that run. What is not seen is left out. */
static sp_expr masked_where(sp_pool *p, sp_expr e, bool min, uint32_t depth) {
  const spi_node_t *d = spi_get(p, e);
  if (d->kind == SP_KIND_INF) {
    return sp_bool(p, (d->payload != 0) != min);
  }
  if (depth == MASK_DEPTH) {
    return sp_bool(p, false);
  }
  depth++;
  if (d->kind == SP_KIND_RED && d->payload == (min ? SP_RED_MIN : SP_RED_MAX)) {
    return masked_where(p, d->args[d->n - 1], min, depth);
  }
  if (d->kind == SP_KIND_ITE) {
    return sp_ite(p, d->args[0], masked_where(p, d->args[1], min, depth),
                  masked_where(p, d->args[2], min, depth));
  }
  if (d->kind == SP_KIND_ADD) { /* one of its terms is */
    sp_expr any = sp_bool(p, false);
    for (uint32_t i = 0; i < d->n && !sp_is_true(p, any); i++) {
      bool flip = sp_num_sign(p, d->coefs.add[i]) < 0;
      any = sp_or(p, any, masked_where(p, d->args[i], min != flip, depth));
    }
    return any;
  }
  bool largest = d->kind == (min ? SP_KIND_MIN : SP_KIND_MAX);
  sp_expr all = sp_bool(p, largest);
  for (uint32_t i = 0; i < d->n && largest && !sp_is_false(p, all); i++) {
    all = sp_and(p, all, masked_where(p, d->args[i], min, depth));
  }
  return all;
}

/* Whether c is true at a corner of the values of its free variables but for
 * those that run: bound ones of e. */
static bool at_a_corner(sp_pool *p, sp_expr c, const spi_set *free) {
  sp_expr to[MAX_CORNER];
  for (uint32_t corner = 0; corner < 1U << free->n; corner++) {
    for (uint32_t i = 0; i < free->n; i++) {
      int64_t last = sp_var_extent(p, free->v[i]) - 1;
      to[i] = sp_int(p, corner >> i & 1 ? last : 0);
    }
    if (sp_is_true(p, sp_subst(p, c, free->n, free->v, to))) {
      return true;
    }
  }
  return false;
}

typedef struct row_call {
  sp_expr e;
  bool masked;
} row_call;

static void row_run(sp_pool *p, void *arg) {
  row_call *r = arg;
  const spi_node_t *d = spi_get(p, r->e);
  bool min = d->kind == SP_KIND_MIN ||
             (d->kind == SP_KIND_RED && d->payload == SP_RED_MIN);
  sp_mode was = sp_pool_mode(p, SP_MODE_NORMAL);
  size_t from = p->facts_from;
  p->facts_from = p->facts.n; /* the result is kept: it must hold everywhere */
  if (d->free->n <= MAX_CORNER) {
    sp_expr c = masked_where(p, r->e, min, 0);
    r->masked =
        !sp_is_false(p, c) && !sp_has_read(p, c) && at_a_corner(p, c, d->free);
  }
  p->facts_from = from;
  sp_pool_mode(p, was);
}

/* Does the mask alone say that somewhere all of it is infinite? Only corners
 * are looked at: what is not seen is assumed not to be so, and noted. */
static bool is_row_masked(sp_pool *p, sp_expr e) {
  spi_node_t *d = spi_get(p, e);
  if (!(d->flags & SPI_ROWS_KNOWN)) {
    row_call r = {e, false};
    spi_guard(p, row_run, &r);
    d->flags |= SPI_ROWS_KNOWN | (r.masked ? SPI_ROW_MASKED : 0);
  }
  return d->flags & SPI_ROW_MASKED;
}

/* A maximum of terms that may be minus infinity is taken not to be, unless it
 * is seen to be. */
static unsigned of_extremum(look *l, sp_expr e, bool min, unsigned ends) {
  unsigned mask = min ? SPI_END_HIGH : SPI_END_LOW;
  if (!(ends & mask) || is_row_masked(l->p, e)) {
    return ends;
  }
  return (ends & ~mask) | SPI_END_NOTED;
}

static unsigned of_function(look *l, sp_expr e, uint32_t depth) {
  sp_pool *p = l->p;
  const spi_node_t *d = spi_get(p, e);
  spi_reals *r = spi_reals_of(p);
  sp_expr from = spi_picked_from(p, d, false);
  if (from.v) {
    return ends_of(l, sp_red_body(p, from), depth);
  }
  unsigned ends = of_all(l, d->n, d->args, depth);
  if (d->payload == r->exp) {
    return ends & ~(unsigned)SPI_END_LOW; /* 0 */
  }
  if (d->payload == r->inv) {
    return ends & SPI_END_NOTED; /* 0 at an infinity; of 0: not defined */
  }
  if (d->payload == r->log && !(ends & SPI_END_LOW)) { /* of 0: -inf */
    return spi_positive(p, d->args[0]) ? ends : ends | SPI_END_LOW;
  }
  if (d->payload == r->abs) {
    return ends & SPI_END_BOTH ? SPI_END_HIGH | (ends & SPI_END_NOTED) : ends;
  }
  return of_any(ends);
}

static unsigned of_reduction(look *l, sp_expr e, uint32_t depth) {
  const spi_node_t *d = spi_get(l->p, e);
  unsigned ends = ends_of(l, d->args[d->n - 1], depth);
  switch ((int)d->payload) {
  case SP_RED_MAX:
  case SP_RED_MIN:
    return of_extremum(l, e, d->payload == SP_RED_MIN, ends);
  case SP_RED_SUM:
  case SP_RED_LAMBDA:
    return ends;
  default:
    return of_any(ends);
  }
}

/* Of several terms: infinite only if all are. */
static unsigned of_largest(look *l, sp_expr e, uint32_t depth) {
  const spi_node_t *d = spi_get(l->p, e);
  bool min = d->kind == SP_KIND_MIN;
  unsigned mask = min ? SPI_END_HIGH : SPI_END_LOW, any = 0, all = mask;
  for (uint32_t i = 0; i < d->n; i++) {
    unsigned ends = ends_of(l, d->args[i], depth);
    any |= ends;
    all &= ends;
  }
  return of_extremum(l, e, min, (any & ~mask) | all);
}

static unsigned ends_of(look *l, sp_expr e, uint32_t depth) {
  const spi_node_t *d = spi_get(l->p, e);
  if (!(d->flags & SPI_HAS_INF) &&
      (!l->p->infinite_names || !(d->flags & SPI_HAS_READ))) {
    return 0;
  }
  if (d->sort != SP_SORT_REAL) {
    return 0; /* finite, whatever it is computed from */
  }
  if (depth == ENDS_DEPTH || l->left == 0) {
    return SPI_END_BOTH;
  }
  l->left--;
  depth++;
  switch ((int)d->kind) {
  case SP_KIND_INF:
    return d->payload ? SPI_END_LOW : SPI_END_HIGH;
  case SP_KIND_NUM:
  case SP_KIND_I2R:
    return 0;
  case SP_KIND_READ:
    return spi_sym_of(l->p, sp_read_sym(l->p, e))->ends;
  case SP_KIND_ADD:
    return of_sum(l, d, depth);
  case SP_KIND_MAX:
  case SP_KIND_MIN:
    return of_largest(l, e, depth);
  case SP_KIND_ITE:
    return of_all(l, 2, d->args + 1, depth);
  case SP_KIND_RED:
    return of_reduction(l, e, depth);
  case SP_KIND_FN:
    return of_function(l, e, depth);
  default:
    return of_any(of_all(l, d->n, d->args, depth));
  }
}

unsigned spi_ends(sp_pool *p, sp_expr e) {
  look l = {p, ENDS_TERMS};
  return ends_of(&l, e, 0);
}

bool sp_take_finite(sp_pool *p, sp_expr e) {
  spi_note_finite(p, e);
  return !(spi_ends(p, e) & SPI_END_BOTH);
}

bool spi_is_exp(sp_pool *p, sp_expr e) {
  return spi_is_fn(p, e, spi_reals_of(p)->exp) &&
         !(spi_ends(p, sp_arg(p, e, 0)) & SPI_END_HIGH);
}

sp_expr spi_finite_part(sp_pool *p, sp_expr e) {
  if (!(spi_ends(p, e) & SPI_END_BOTH)) {
    return e;
  }
  spi_view s;
  spi_view_of(p, e, &s);
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *args = sp_scratch(p->ctx, s.n * sizeof *args);
  sp_num *coefs = sp_scratch(p->ctx, s.n * sizeof *coefs);
  uint32_t n = 0;
  for (uint32_t i = 0; i < s.n; i++) {
    if (!(spi_ends(p, s.args[i]) & SPI_END_BOTH)) {
      args[n] = s.args[i];
      coefs[n++] = s.coefs[i];
    }
  }
  sp_expr part = spi_add_n(p, s.constant, n, args, coefs);
  sp_scratch_release(p->ctx, mark);
  return part;
}
