/* divmod.c: floor division and remainder by constants, and mixed-radix digits.
 *
 * Canonical choices: multiples of the divisor are split off; the remainder's
 * coefficients are the residues nearest to zero; when all coefficients are
 * negative the term is mirrored, e -> c-1-e; a division inside a remainder
 * rather than the other way round: (x mod c*d) div c = (x div c) mod d.
 */
#include "encode/index.h"

/* All of e is in one block [q*c, (q+1)*c)? */
static bool one_block(const spi_sum *s, int64_t c, int64_t *q) {
  int64_t lo, hi;
  spi_sum_range(s, &lo, &hi);
  if (lo == INT64_MIN || hi == INT64_MAX || lo > hi) {
    return false;
  }
  *q = sp_floor_div(lo, c);
  return *q == sp_floor_div(hi, c);
}

static bool all_negative(const spi_sum *s) {
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->coef[i] > 0 || s->coef[i] == INT64_MIN) {
      return false;
    }
  }
  return s->n > 0;
}

/* s := c-1-s */
static void mirror(spi_sum *s, int64_t c) {
  int64_t k;
  if (!sp_sub_ok(c - 1, s->c, &k)) {
    spi_overflow(s->p);
  }
  s->c = k;
  for (uint32_t i = 0; i < s->n; i++) {
    s->coef[i] = -s->coef[i];
  }
}

static int64_t common_factor(const spi_sum *s, int64_t c) {
  int64_t g = c;
  for (uint32_t i = 0; i < s->n && g > 1; i++) {
    g = sp_gcd(g, s->coef[i]);
  }
  return g;
}

/* s := floor(s / g), where g divides the coefficients */
static void shrink(spi_sum *s, int64_t g) {
  s->c = sp_floor_div(s->c, g);
  for (uint32_t i = 0; i < s->n; i++) {
    s->coef[i] /= g;
  }
}

/* Does a fact speak of x mod c, where s = x + k and x has a smaller constant?
 */
static bool is_digit_of(const spi_fact *f, const spi_sum *s, int64_t c,
                        int64_t *k) {
  const spi_node_t *d = spi_get(s->p, f->term);
  if (d->kind != SP_KIND_MOD || d->payload != c) {
    return false;
  }
  spi_parts x;
  spi_parts_of(s->p, d->args[0], &x);
  bool same = x.n == s->n && x.c >= 0 && x.c < s->c;
  for (uint32_t i = 0; same && i < x.n; i++) {
    same = spi_same(x.arg[i], s->arg[i]) && x.coef[i] == s->coef[i];
  }
  *k = s->c - x.c;
  return same;
}

/* x, k and q with s = x + k and x mod c + k in block q, by a fact: then, since
 * x = c floor(x / c) + x mod c, floor(s / c) = floor(x / c) + q, and s mod c =
 * x mod c + k - c q. The constant of x is smaller, so using this ends. */
static bool known_digit(const spi_sum *s, int64_t c, int64_t *k, int64_t *q) {
  sp_pool *p = s->p;
  for (size_t i = p->facts_from; i < p->facts.n; i++) {
    const spi_fact *f = &p->facts.v[i];
    if (is_digit_of(f, s, c, k)) {
      int64_t lo = f->lo > 0 ? f->lo : 0, hi = f->hi < c ? f->hi : c - 1;
      *q = sp_floor_div(lo + *k, c);
      if (*q == sp_floor_div(hi + *k, c)) {
        return true;
      }
    }
  }
  return false;
}

/* floor(atom + k / c) for an atom that is a DIV or MOD itself; 0 if nothing is
 * known. */
static sp_expr div_of_digit(sp_pool *p, sp_expr atom, int64_t k, int64_t c) {
  const spi_node_t *d = spi_get(p, atom);
  int64_t m = d->payload, mc, mk;
  if (d->kind == SP_KIND_DIV && sp_mul_ok(m, c, &mc) && sp_mul_ok(m, k, &mk)) {
    return sp_idiv(p, sp_iaddc(p, d->args[0], mk), mc);
  }
  if (d->kind == SP_KIND_MOD && k == 0 && m % c == 0) {
    return sp_imod(p, sp_idiv(p, d->args[0], c), m / c);
  }
  return (sp_expr){0};
}

/* floor(s / c), no coefficient a multiple of c, 0 <= s.c < c */
static sp_expr div_rest(spi_sum *s, int64_t c) {
  sp_pool *p = s->p;
  int64_t k, q;
  if (known_digit(s, c, &k, &q)) {
    s->c -= k;
    return sp_iaddc(p, sp_idiv(p, spi_sum_done(s), c), q);
  }
  int64_t g = common_factor(s, c);
  if (g > 1) {
    shrink(s, g);
    return sp_idiv(p, spi_sum_done(s), c / g);
  }
  if (s->n == 1 && s->coef[0] == 1) {
    sp_expr e = div_of_digit(p, s->arg[0], s->c, c);
    if (e.v) {
      return e;
    }
  }
  spi_sum y, small;
  g = spi_sum_split(s, c, &y, &small);
  if (g) {
    return sp_idiv(p, spi_sum_done(&y), c / g);
  }
  sp_expr rest = spi_sum_done(s);
  if (spi_kind(p, rest) == SP_KIND_INT) {
    return sp_int(p, sp_floor_div(sp_int_value(p, rest), c));
  }
  sp_expr e = spi_node(p, SP_KIND_DIV, SP_SORT_INT, c, 1, &rest, NULL);
  return spi_tabulate(p, e);
}

static sp_expr div_normal(sp_pool *p, sp_expr e, int64_t c) {
  spi_parts d;
  spi_parts_of(p, e, &d);
  spi_sum base = spi_sum_new(p, d.n + 2), rest = spi_sum_new(p, d.n + 2);
  for (uint32_t i = 0; i < d.n; i++) {
    bool whole = d.coef[i] % c == 0;
    spi_sum_add(whole ? &base : &rest, d.arg[i],
                whole ? d.coef[i] / c : d.coef[i]);
  }
  base.c = sp_floor_div(d.c, c);
  rest.c = sp_floor_mod(d.c, c);
  int64_t q;
  if (one_block(&rest, c, &q)) {
    spi_sum_const(&base, q);
  } else if (all_negative(&rest)) {
    mirror(&rest, c); /* floor(e/c) = -floor((c-1-e)/c) */
    spi_sum_add(&base, sp_idiv(p, spi_sum_done(&rest), c), -1);
  } else {
    spi_sum_add(&base, div_rest(&rest, c), 1);
  }
  return spi_sum_done(&base);
}

sp_expr sp_idiv(sp_pool *p, sp_expr e, int64_t c) {
  assert(c > 0);
  if (p->raw && !(spi_kind(p, e) == SP_KIND_INT && !p->raw_values)) {
    return spi_node(p, SP_KIND_DIV, SP_SORT_INT, c, 1, &e, NULL);
  }
  if (c == 1) {
    return e;
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr r = div_normal(p, e, c);
  sp_scratch_release(p->ctx, mark);
  return r;
}

/* Drop the terms that do not matter modulo c; k*(x mod m) counts as k*x where c
 * divides k*m. */
static void mod_terms(spi_sum *s, int64_t c) {
  for (uint32_t i = 0; i < s->n; i++) { /* grows at the end meanwhile */
    const spi_node_t *a = spi_get(s->p, s->arg[i]);
    int64_t k = s->coef[i], km;
    if (k % c == 0) {
      s->coef[i] = 0;
    } else if (a->kind == SP_KIND_MOD && sp_mul_ok(k, a->payload, &km) &&
               km % c == 0) {
      s->coef[i] = 0;
      spi_sum_add(s, a->args[0], k);
    }
  }
  spi_sum_sort(s);
}

/* s - c*q as a term, when all of s is in block q */
static sp_expr mod_in_block(spi_sum *s, int64_t c) {
  int64_t q, qc, lo, hi;
  spi_sum_range(s, &lo, &hi);
  if (lo == hi) { /* open ends are not equal */
    return sp_int(s->p, sp_floor_mod(lo, c));
  }
  if (!one_block(s, c, &q) || !sp_mul_ok(q, c, &qc) ||
      !sp_sub_ok(s->c, qc, &s->c)) {
    return (sp_expr){0};
  }
  return spi_sum_done(s);
}

/* coefficients := residues in (-c/2, c/2], constant := residue in [0, c) */
static void residues(spi_sum *s, int64_t c) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    int64_t k = sp_floor_mod(s->coef[i], c);
    if (k > c / 2) {
      k -= c;
    }
    if (k != 0) {
      s->arg[n] = s->arg[i];
      s->coef[n++] = k;
    }
  }
  s->n = n;
  s->c = sp_floor_mod(s->c, c);
}

/* All residues are negative, or c/2, which is its own negative. */
static bool mirrored(const spi_sum *s, int64_t c) {
  bool some = false;
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->coef[i] < 0) {
      some = true;
    } else if (c % 2 != 0 || s->coef[i] != c / 2) {
      return false;
    }
  }
  return some;
}

/* k * (y mod m) + the sum rest */
static sp_expr scaled_mod(spi_sum *y, int64_t m, int64_t k, spi_sum *rest) {
  spi_sum_add(rest, sp_imod(y->p, spi_sum_done(y), m), k);
  return spi_sum_done(rest);
}

static sp_expr mod_normal(sp_pool *p, sp_expr e, int64_t c) {
  spi_sum s = spi_sum_new(p, 8), y, rest = spi_sum_new(p, 8);
  spi_sum_add(&s, e, 1);
  mod_terms(&s, c);
  sp_expr r = mod_in_block(&s, c);
  if (r.v) {
    return r;
  }
  residues(&s, c);
  r = mod_in_block(&s, c);
  if (r.v) {
    return r;
  }
  int64_t k, q;
  if (known_digit(&s, c, &k, &q)) {
    s.c -= k;
    return sp_iaddc(p, sp_imod(p, spi_sum_done(&s), c), k - c * q);
  }
  if (mirrored(&s, c)) { /* e mod c = c-1 - (c-1-e) mod c */
    mirror(&s, c);
    residues(&s, c);
    rest.c = c - 1;
    return scaled_mod(&s, c, -1, &rest);
  }
  int64_t g = common_factor(&s, c);
  if (g > 1) { /* (g*y + b) mod c = g * (y mod c/g) + b, 0 <= b < g */
    rest.c = s.c % g;
    shrink(&s, g);
    return scaled_mod(&s, c / g, g, &rest);
  }
  g = spi_sum_split(&s, c, &y, &rest);
  if (g) {
    return scaled_mod(&y, c / g, g, &rest);
  }
  sp_expr arg = spi_sum_done(&s);
  if (spi_kind(p, arg) == SP_KIND_INT) {
    return sp_int(p, sp_floor_mod(sp_int_value(p, arg), c));
  }
  r = spi_node(p, SP_KIND_MOD, SP_SORT_INT, c, 1, &arg, NULL);
  return spi_tabulate(p, r);
}

sp_expr sp_imod(sp_pool *p, sp_expr e, int64_t c) {
  assert(c > 0);
  if (p->raw && !(spi_kind(p, e) == SP_KIND_INT && !p->raw_values)) {
    return spi_node(p, SP_KIND_MOD, SP_SORT_INT, c, 1, &e, NULL);
  }
  if (c == 1) {
    return sp_int(p, 0);
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr r = mod_normal(p, e, c);
  sp_scratch_release(p->ctx, mark);
  return r;
}

sp_expr sp_flatten(sp_pool *p, uint32_t n, const int64_t *dims,
                   const sp_expr *idx) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  spi_sum s = spi_sum_new(p, n);
  int64_t stride = 1;
  for (uint32_t i = n; i-- > 0;) {
    spi_sum_add(&s, idx[i], stride);
    stride = spi_mul64(p, stride, dims[i]);
  }
  sp_expr e = spi_sum_done(&s);
  sp_scratch_release(p->ctx, mark);
  return e;
}

void sp_unflatten(sp_pool *p, sp_expr e, uint32_t n, const int64_t *dims,
                  sp_expr *idx) {
  int64_t stride = 1;
  for (uint32_t i = n; i-- > 0;) {
    /* an empty tensor has no elements: any index will do */
    int64_t dim = dims[i] > 0 ? dims[i] : 1;
    sp_expr digit = sp_idiv(p, e, stride);
    /* the outermost digit of a position inside the shape needs no remainder,
     * but that it is inside is for sp_range to see */
    idx[i] = sp_imod(p, digit, dim);
    stride = spi_mul64(p, stride, dim);
  }
}
