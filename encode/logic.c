/* logic.c: not, or, and. Read spi_or_n: flatten, merge intervals of the same
 * linear term, drop absorbed parts.
 */
#include "encode/index.h"

enum { OR_MERGE_MAX = 64 };

sp_expr sp_not(sp_pool *p, sp_expr a) {
  const spi_node_t *d = spi_get(p, a);
  assert(d->sort == SP_SORT_BOOL);
  if (!p->raw || !p->raw_values) {
    if (d->kind == SP_KIND_BOOL) {
      return sp_bool(p, !d->payload);
    }
    if (d->kind == SP_KIND_NOT) {
      return d->args[0];
    }
    if (d->kind == SP_KIND_LT0 && !p->raw) {
      return spi_lt0(p, spi_lin(p, -1, 1, d->args, (int64_t[]){-1}));
    }
  }
  return spi_node(p, SP_KIND_NOT, SP_SORT_BOOL, 0, 1, &a, NULL);
}

/* ---- literals about one linear term T: T <= v, T >= v, T == v, T != v ---- */

typedef enum shape {
  OTHER,
  MOST,
  LEAST,
  IS,
  ISNT,
} shape;

typedef struct literal {
  shape shape;
  int64_t v;
  int64_t sign; /* T = sign * the part without constant of d */
  sp_expr d;
} literal;

static literal literal_of(sp_pool *p, sp_expr e) {
  literal l = {OTHER, 0, 1, {0}};
  const spi_node_t *d = spi_get(p, e);
  bool negated = d->kind == SP_KIND_NOT;
  if (negated) {
    d = spi_get(p, d->args[0]);
  }
  if (d->kind != SP_KIND_EQ0 && (negated || d->kind != SP_KIND_LT0)) {
    return l;
  }
  spi_parts t;
  spi_parts_of(p, d->args[0], &t);
  if (t.n == 0 || t.c == INT64_MIN || t.c == INT64_MAX) {
    return l;
  }
  l.d = d->args[0];
  l.sign = t.coef[0] < 0 ? -1 : 1;
  if (d->kind == SP_KIND_EQ0) {
    l.shape = negated ? ISNT : IS;
    l.v = l.sign > 0 ? -t.c : t.c;
  } else if (l.sign > 0) { /* T + c < 0 */
    l.shape = MOST;
    l.v = -1 - t.c;
  } else { /* -T + c < 0 */
    l.shape = LEAST;
    l.v = t.c + 1;
  }
  return l;
}

static bool same_term(const sp_pool *p, const literal *a, const literal *b) {
  spi_parts x, y;
  spi_parts_of(p, a->d, &x);
  spi_parts_of(p, b->d, &y);
  if (x.n != y.n || memcmp(x.arg, y.arg, x.n * sizeof *x.arg) != 0) {
    return false;
  }
  int64_t sign = a->sign * b->sign;
  for (uint32_t i = 0; i < x.n; i++) {
    int64_t k;
    if (!sp_mul_ok(sign, y.coef[i], &k) || k != x.coef[i]) {
      return false;
    }
  }
  return true;
}

static sp_expr literal_term(sp_pool *p, const literal *l) {
  spi_parts t;
  spi_parts_of(p, l->d, &t);
  sp_expr T = sp_iscale(p, sp_iaddc(p, l->d, -t.c), l->sign);
  sp_expr v = sp_int(p, l->v);
  switch (l->shape) {
  case MOST:
    return sp_le(p, T, v);
  case LEAST:
    return sp_le(p, v, T);
  case IS:
    return sp_eq(p, T, v);
  case ISNT:
  case OTHER:
    break;
  }
  return sp_not(p, sp_eq(p, T, v));
}

typedef enum verdict {
  APART,
  MERGED, /* a holds the union */
  ALL,    /* the union is everything */
} verdict;

/* a := a or b, where shapes come in the order of the enum */
static verdict unite(literal *a, const literal *b) {
  if (a->shape == b->shape) {
    if (a->shape == MOST || a->shape == LEAST) {
      bool swap = (a->v < b->v) == (a->shape == MOST);
      a->v = swap ? b->v : a->v;
      return MERGED;
    }
    return a->shape == ISNT ? ALL : APART;
  }
  if (b->shape == ISNT) {
    bool holds = a->shape == MOST    ? b->v <= a->v
                 : a->shape == LEAST ? b->v >= a->v
                                     : b->v == a->v;
    *a = *b;
    return holds ? ALL : MERGED;
  }
  if (b->shape == IS) {
    int64_t step = a->shape == MOST ? 1 : -1;
    bool inside = a->shape == MOST ? b->v <= a->v : b->v >= a->v;
    if (b->v == a->v + step) {
      a->v = b->v;
      return MERGED;
    }
    return inside ? MERGED : APART;
  }
  /* MOST a->v, LEAST b->v */
  if (b->v <= a->v + 1) {
    return ALL;
  }
  if (b->v == a->v + 2) {
    a->shape = ISNT;
    a->v++;
    return MERGED;
  }
  return APART;
}

static bool near_end(const literal *l) {
  return l->v > INT64_MAX - 2 || l->v < INT64_MIN + 2;
}

/* One merge among v[0..*n); APART if there is none. */
static verdict merge_some(sp_pool *p, uint32_t *n, sp_expr *v, literal *l) {
  for (uint32_t i = 0; i < *n; i++) {
    for (uint32_t j = i + 1; l[i].shape != OTHER && j < *n; j++) {
      if (l[j].shape == OTHER || !same_term(p, &l[i], &l[j]) ||
          near_end(&l[i]) || near_end(&l[j])) {
        continue;
      }
      literal a = l[i], b = l[j];
      verdict r = a.shape <= b.shape ? unite(&a, &b) : unite(&b, &a);
      if (r == APART) {
        continue;
      }
      if (r == MERGED) {
        v[i] = literal_term(p, l[i].shape <= l[j].shape ? &a : &b);
        memmove(&v[j], &v[j + 1], (*n - j - 1) * sizeof *v);
        (*n)--;
      }
      return r;
    }
  }
  return APART;
}

static bool merge_literals(sp_pool *p, uint32_t *n, sp_expr *v) {
  literal *l = sp_scratch(p->ctx, *n * sizeof *l);
  verdict r = MERGED;
  while (r == MERGED) {
    for (uint32_t i = 0; i < *n; i++) {
      l[i] = literal_of(p, v[i]);
    }
    r = merge_some(p, n, v, l);
  }
  return r == ALL;
}

/* ---- absorption ---- */

static bool among(uint32_t n, const sp_expr *v, sp_expr e) {
  for (uint32_t i = 0; i < n; i++) {
    if (spi_same(v[i], e)) {
      return true;
    }
  }
  return false;
}

/* The conjunction v[at] = not (l1 or l2 ...) beside the other disjuncts: a or
 * (not a and b) is a or b; a or (a and b) is a. Returns what is left of it. */
static sp_expr absorb(sp_pool *p, uint32_t n, const sp_expr *v, uint32_t at) {
  const spi_node_t *o = spi_get(p, spi_get(p, v[at])->args[0]);
  sp_expr *keep = sp_scratch(p->ctx, o->n * sizeof *keep);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < o->n; i++) {
    if (among(n, v, sp_not(p, o->args[i]))) {
      return SPI_FALSE;
    }
    if (!among(n, v, o->args[i])) {
      keep[kept++] = o->args[i];
    }
  }
  return kept == o->n ? v[at] : sp_not(p, spi_or_n(p, kept, keep));
}

static bool is_and(const sp_pool *p, sp_expr e) {
  const spi_node_t *d = spi_get(p, e);
  return d->kind == SP_KIND_NOT && spi_kind(p, d->args[0]) == SP_KIND_OR;
}

static bool absorb_all(sp_pool *p, uint32_t n, sp_expr *v) {
  bool changed = false;
  for (uint32_t i = 0; i < n; i++) {
    if (is_and(p, v[i])) {
      sp_expr e = absorb(p, n, v, i);
      changed = changed || !spi_same(e, v[i]);
      v[i] = e;
    }
  }
  return changed;
}

/* ---- or ---- */

static uint32_t or_flatten(const sp_pool *p, uint32_t n, const sp_expr *args,
                           sp_expr *out) {
  uint32_t m = 0;
  for (uint32_t i = 0; i < n; i++) {
    const spi_node_t *d = spi_get(p, args[i]);
    assert(d->sort == SP_SORT_BOOL);
    uint32_t k = d->kind == SP_KIND_OR ? d->n : 1;
    if (out) {
      memcpy(out + m, d->kind == SP_KIND_OR ? d->args : &args[i],
             k * sizeof *out);
    }
    m += k;
  }
  return m;
}

static uint32_t sort_unique(uint32_t n, sp_expr *v) {
  for (uint32_t gap = n / 2; gap > 0; gap /= 2) { /* Shell sort */
    for (uint32_t i = gap; i < n; i++) {
      sp_expr e = v[i];
      uint32_t j = i;
      for (; j >= gap && v[j - gap].v > e.v; j -= gap) {
        v[j] = v[j - gap];
      }
      v[j] = e;
    }
  }
  uint32_t m = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (m == 0 || v[m - 1].v != v[i].v) {
      v[m++] = v[i];
    }
  }
  return m;
}

/* Drop false; true decides, and x beside not x. */
static bool or_trivial(const sp_pool *p, uint32_t *n, sp_expr *v) {
  uint32_t m = 0;
  for (uint32_t i = 0; i < *n; i++) {
    const spi_node_t *d = spi_get(p, v[i]);
    if (spi_same(v[i], SPI_TRUE) ||
        (d->kind == SP_KIND_NOT && among(*n, v, d->args[0]))) {
      return true;
    }
    if (!spi_same(v[i], SPI_FALSE)) {
      v[m++] = v[i];
    }
  }
  *n = m;
  return false;
}

static sp_expr or_done(sp_pool *p, uint32_t n, sp_expr *v) {
  n = sort_unique(n, v);
  if (n == 0) {
    return SPI_FALSE;
  }
  if (n == 1) {
    return v[0];
  }
  return spi_node(p, SP_KIND_OR, SP_SORT_BOOL, 0, n, v, NULL);
}

/* x /= k beside d: where it is false, x is k. d is dropped when it is false
 * there; true: d is true there, and the disjunction everywhere. */
static bool or_points(sp_pool *p, uint32_t *n, sp_expr *v) {
  for (uint32_t i = 0; i < *n; i++) {
    const spi_node_t *d = spi_get(p, v[i]);
    spi_parts t = {0};
    if (d->kind == SP_KIND_NOT && spi_kind(p, d->args[0]) == SP_KIND_EQ0) {
      spi_parts_of(p, spi_get(p, d->args[0])->args[0], &t);
    }
    if (t.n != 1 || t.coef[0] != 1 || spi_kind(p, t.arg[0]) != SP_KIND_VAR ||
        t.c == INT64_MIN) {
      continue;
    }
    sp_expr x = t.arg[0], k = sp_int(p, -t.c);
    for (uint32_t j = 0; j < *n; j++) {
      sp_expr e = j != i ? sp_subst(p, v[j], 1, &x, &k) : SPI_FALSE;
      if (spi_same(e, SPI_TRUE)) {
        return true;
      }
      v[j] = j != i && spi_same(e, SPI_FALSE) ? SPI_FALSE : v[j];
    }
  }
  return or_trivial(p, n, v);
}

/* A conjunction where another disjunct d, a comparison of integers, is true
 * adds nothing to d: it is dropped. */
static void or_implied(sp_pool *p, uint32_t n, sp_expr *v) {
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n && is_and(p, v[i]); j++) {
      const spi_node_t *d = spi_get(p, v[j]), *e = spi_get(p, v[i]);
      if (j != i && (d->kind == SP_KIND_EQ0 || d->kind == SP_KIND_LT0) &&
          !(e->flags & SPI_HAS_READ) && spi_set_within(d->free, e->free) &&
          spi_same(sp_assume(p, v[j], v[i], true), SPI_TRUE)) {
        v[i] = SPI_FALSE;
      }
    }
  }
}

static sp_expr or_normal(sp_pool *p, uint32_t n, sp_expr *v) {
  n = sort_unique(n, v);
  if (or_trivial(p, &n, v)) {
    return SPI_TRUE;
  }
  if (n > 1 && n <= OR_MERGE_MAX) {
    if (merge_literals(p, &n, v)) {
      return SPI_TRUE;
    }
    bool again = absorb_all(p, n, v);
    for (uint32_t i = 0; i < n; i++) {
      again = again || spi_kind(p, v[i]) == SP_KIND_OR;
    }
    if (again) {
      return spi_or_n(p, n, v); /* smaller than before */
    }
  }
  if (n <= OR_MERGE_MAX) {
    or_implied(p, n, v);
  }
  if (or_trivial(p, &n, v) || (n <= OR_MERGE_MAX && or_points(p, &n, v))) {
    return SPI_TRUE;
  }
  sp_expr e = or_done(p, n, v);
  return spi_kind(p, e) == SP_KIND_OR ? spi_tabulate(p, e) : e;
}

sp_expr spi_or_n(sp_pool *p, uint32_t n, const sp_expr *args) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  uint32_t m = or_flatten(p, n, args, NULL);
  sp_expr *v = sp_scratch(p->ctx, (m + 1) * sizeof *v);
  or_flatten(p, n, args, v);
  sp_expr e;
  if (!p->raw) {
    e = or_normal(p, m, v);
  } else if (!p->raw_values && or_trivial(p, &m, v)) {
    e = SPI_TRUE;
  } else {
    e = or_done(p, m, v);
  }
  sp_scratch_release(p->ctx, mark);
  return e;
}

sp_expr sp_or(sp_pool *p, sp_expr a, sp_expr b) {
  return spi_or_n(p, 2, (sp_expr[]){a, b});
}

sp_expr sp_and(sp_pool *p, sp_expr a, sp_expr b) {
  return sp_not(p, sp_or(p, sp_not(p, a), sp_not(p, b)));
}
