/* loop_digits.c: steps that are points of a grid: the row is t div 20, the
 * column (t div 5) mod 4. For t = 20 u + 5 v + w with digits u, v, w in their
 * ranges each t is one (u, v, w), so a reduction over t is one over the digits,
 * and a step is known when its digits are.
 */
#include "solve/loop_closed.h"
#include "solve/seen.h"

typedef struct digits {
  uint32_t n;
  int64_t unit[SPI_MAX_DIGITS + 1]; /* 1 first; each divides the next */
} digits;

static void add_unit(digits *d, int64_t unit) {
  uint32_t at = 0;
  while (at < d->n && d->unit[at] < unit) {
    at++;
  }
  if (d->n >= SPI_MAX_DIGITS || (at < d->n && d->unit[at] == unit)) {
    return;
  }
  for (uint32_t i = d->n++; i > at; i--) {
    d->unit[i] = d->unit[i - 1];
  }
  d->unit[at] = unit;
}

/* Divisors of the step, and those times the moduli of what they give. */
static void find_units(const spi_closing *c, sp_expr e, digits *d,
                       spi_seen *seen) {
  sp_pool *p = c->s->pool;
  if (!sp_has_free(p, e, c->step) || spi_seen_before(seen, e)) {
    return;
  }
  sp_kind kind = sp_kind_of(p, e);
  if (kind == SP_KIND_DIV || kind == SP_KIND_MOD) {
    sp_expr x = sp_arg(p, e, 0);
    bool inner = sp_kind_of(p, x) == SP_KIND_DIV;
    int64_t by = inner ? sp_divisor(p, x) : 1;
    x = inner ? sp_arg(p, x, 0) : x;
    if (x.v == c->step.v && sp_divisor(p, e) <= c->trips / by) {
      add_unit(d, by);
      add_unit(d, by * sp_divisor(p, e));
    }
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    find_units(c, sp_arg(p, e, i), d, seen);
  }
}

uint32_t spi_step_digits(const spi_closing *c, sp_expr g, sp_expr *var,
                         sp_expr *step) {
  sp_pool *p = c->s->pool;
  digits d = {1, {1}};
  sp_mark mark = sp_scratch_mark(c->s->ctx);
  spi_seen seen = {.ctx = c->s->ctx};
  find_units(c, sp_simplify(p, g), &d, &seen);
  sp_scratch_release(c->s->ctx, mark);
  bool chain = true;
  add_unit(&d, c->trips);
  for (uint32_t i = 0; i + 1 < d.n; i++) {
    chain = chain && d.unit[i + 1] % d.unit[i] == 0;
  }
  if (!chain || d.unit[d.n - 1] != c->trips) {
    d = (digits){2, {1, c->trips}};
  }
  *step = sp_int(p, 0);
  for (uint32_t i = 0; i + 1 < d.n; i++) {
    var[i] = sp_fresh(p, d.unit[i + 1] / d.unit[i]);
    *step = sp_iadd(p, *step, sp_iscale(p, var[i], d.unit[i]));
  }
  return d.n - 1;
}
