/* division.c: read spi_divide, then divide_plain and link_up. "Given" divisions
 * are recorded for each dividend in a list; a term also knows when it is itself
 * the quotient or the rest of a division.
 */
#include "encode/division.h"

#include <assert.h>

#include "base/arith.h"
#include "encode/residue.h"

/* Quotients of quotients of sums of quotients are followed so far. */
enum { NONE = UINT32_MAX, MAX_DEPTH = 16 };

typedef enum origin {
  OF_NOTHING,
  OF_QUOTIENT,
  OF_REST,
} origin;

/* What is known of a term, by its number. */
typedef struct about {
  uint32_t first; /* its divisions, NONE at the end */
  origin origin;  /* of the term itself: by this divisor of that term */
  uint32_t x;
  int64_t c;
} about;

typedef struct given {
  int64_t c;
  sp_smt quotient, rest;
  uint32_t next;
} given;

struct spi_divisions {
  sp_ctx *ctx;
  sp_formula *f;
  spi_residues *residues;
  int depth;
  SP_VEC(about) terms;
  SP_VEC(given) all;
};

spi_divisions *spi_divisions_new(sp_ctx *ctx) {
  spi_divisions *d = sp_alloc(ctx, sizeof *d);
  d->ctx = ctx;
  d->residues = spi_residues_new(ctx);
  return d;
}

void spi_divisions_begin(spi_divisions *d, sp_formula *f) {
  d->f = f;
  d->depth = 0;
  d->terms.n = 0;
  d->all.n = 0;
  spi_residues_begin(d->residues, f);
}

void spi_divisions_within(spi_divisions *d, sp_smt t, int64_t lo, int64_t hi) {
  spi_residues_within(d->residues, t, (spi_bounds){lo, hi});
}

static about *about_term(spi_divisions *d, uint32_t t) {
  while (d->terms.n <= t)
    sp_push(d->ctx, &d->terms, ((about){.first = NONE, .origin = OF_NOTHING}));
  return &d->terms.v[t];
}

static const given *find(spi_divisions *d, uint32_t x, int64_t c) {
  uint32_t i = about_term(d, x)->first;
  while (i != NONE && d->all.v[i].c != c)
    i = d->all.v[i].next;
  return i == NONE ? NULL : &d->all.v[i];
}

static void came_from(spi_divisions *d, sp_smt t, origin o, uint32_t x,
                      int64_t c) {
  about *a = about_term(d, t.v);
  if (a->origin != OF_NOTHING)
    return;
  a->origin = o;
  a->x = x;
  a->c = c;
}

/* From now on x by c is quotient and rest. */
static void give(spi_divisions *d, uint32_t x, int64_t c, sp_smt quotient,
                 sp_smt rest) {
  given g = {c, quotient, rest, about_term(d, x)->first};
  about_term(d, x)->first = (uint32_t)d->all.n;
  sp_push(d->ctx, &d->all, g);
}

static sp_smt fresh(spi_divisions *d, const char *stem) {
  sp_smt_sort sort = {SP_SORT_INT, 0};
  uint32_t decl = sp_smt_declare(d->f, stem, sort, 0, NULL);
  return sp_smt_app(d->f, decl, 0, NULL);
}

/* x = c * q + m, 0 <= m < c */
static void assert_division(spi_divisions *d, sp_smt x, int64_t c, sp_smt q,
                            sp_smt m) {
  sp_formula *f = d->f;
  sp_smt scaled = sp_smt_2(f, SP_SMT_MUL, sp_smt_int(f, c), q);
  sp_smt sum = sp_smt_2(f, SP_SMT_ADD, scaled, m);
  sp_smt_assert(f, sp_smt_2(f, SP_SMT_EQ, x, sum));
  sp_smt_assert(f, sp_smt_2(f, SP_SMT_LE, sp_smt_int(f, 0), m));
  sp_smt_assert(f, sp_smt_2(f, SP_SMT_LT, m, sp_smt_int(f, c)));
}

static void assert_equal(spi_divisions *d, sp_smt a, sp_smt b) {
  if (a.v != b.v)
    sp_smt_assert(d->f, sp_smt_2(d->f, SP_SMT_EQ, a, b));
}

/* The lemma for x by c and x by big = k * c, both given. */
static void link_up(spi_divisions *d, uint32_t x, int64_t c, int64_t big) {
  given fine = *find(d, x, c), coarse = *find(d, x, big);
  int64_t k = big / c;
  assert(k > 1 && big % c == 0);
  const given *known = find(d, fine.quotient.v, k);
  sp_smt t;
  if (known != NULL) {
    t = known->rest;
    assert_equal(d, known->quotient, coarse.quotient);
  } else {
    t = fresh(d, "m");
    assert_division(d, fine.quotient, k, coarse.quotient, t);
    give(d, fine.quotient.v, k, coarse.quotient, t);
    came_from(d, t, OF_REST, fine.quotient.v, k);
    spi_divisions_within(d, t, 0, k - 1);
    spi_residues_rest(d->residues, t, fine.quotient, k, coarse.quotient);
  }
  known = find(d, coarse.rest.v, c);
  if (known == NULL) {
    give(d, coarse.rest.v, c, t, fine.rest);
    return;
  }
  assert_equal(d, known->quotient, t);
  assert_equal(d, known->rest, fine.rest);
}

/* Links x by c to the nearest divisions of x below and above. */
static void link_neighbours(spi_divisions *d, uint32_t x, int64_t c) {
  int64_t below = 0, above = 0;
  for (uint32_t i = about_term(d, x)->first; i != NONE; i = d->all.v[i].next) {
    int64_t other = d->all.v[i].c;
    if (other == c || other == 1)
      continue;
    if (c % other == 0 && other > below)
      below = other;
    if (other % c == 0 && (above == 0 || other < above))
      above = other;
  }
  if (below != 0)
    link_up(d, x, below, c);
  if (above != 0)
    link_up(d, x, c, above);
}

/* x is a quotient or rest: divide what it came from, which settles x by c. */
static bool divide_origin(spi_divisions *d, uint32_t x, int64_t c) {
  about a = *about_term(d, x);
  sp_smt q, m;
  int64_t fine = a.c, coarse = c;
  if (a.origin == OF_NOTHING || d->depth == MAX_DEPTH ||
      (a.origin == OF_QUOTIENT && !sp_mul_ok(a.c, c, &coarse)) ||
      (a.origin == OF_REST && (a.c == c || a.c % c != 0))) {
    return false;
  }
  if (a.origin == OF_REST) {
    fine = c;
    coarse = a.c;
  }
  d->depth++;
  spi_divide(d, (sp_smt){a.x}, a.origin == OF_REST ? c : coarse, &q, &m);
  d->depth--;
  if (find(d, a.x, fine) == NULL || find(d, a.x, coarse) == NULL) {
    return false;
  }
  link_up(d, a.x, fine, coarse);
  return find(d, x, c) != NULL;
}

/* The range of x holds one quotient only. */
static bool divide_by_range(spi_divisions *d, sp_smt x, int64_t c,
                            sp_smt *quotient, sp_smt *rest) {
  spi_bounds b = spi_residues_bounds(d->residues, x);
  int64_t q = sp_floor_div(b.lo, c), all;
  if (b.lo == INT64_MIN || b.hi == INT64_MAX || b.lo > b.hi ||
      q != sp_floor_div(b.hi, c) || !sp_mul_ok(-c, q, &all)) {
    return false;
  }
  *quotient = sp_smt_int(d->f, q);
  *rest = q == 0 ? x : sp_smt_2(d->f, SP_SMT_ADD, x, sp_smt_int(d->f, all));
  return true;
}

static sp_smt sum_of(spi_divisions *d, sp_smt a, sp_smt b) {
  sp_smt zero = sp_smt_int(d->f, 0);
  return a.v == zero.v   ? b
         : b.v == zero.v ? a
                         : sp_smt_2(d->f, SP_SMT_ADD, a, b);
}

static void divide_new(spi_divisions *d, sp_smt x, int64_t c, sp_smt *quotient,
                       sp_smt *rest) {
  spi_bounds b = spi_residues_bounds(d->residues, x);
  bool open = b.lo == INT64_MIN || b.hi == INT64_MAX;
  *quotient = fresh(d, "q");
  *rest = fresh(d, "m");
  assert_division(d, x, c, *quotient, *rest);
  if (!open) {
    spi_divisions_within(d, *quotient, sp_floor_div(b.lo, c),
                         sp_floor_div(b.hi, c));
  }
  spi_divisions_within(d, *rest, 0, b.lo < 0 || b.hi > c - 1 ? c - 1 : b.hi);
  spi_residues_rest(d->residues, *rest, x, c, *quotient);
  give(d, x.v, c, *quotient, *rest);
  came_from(d, *quotient, OF_QUOTIENT, x.v, c);
  came_from(d, *rest, OF_REST, x.v, c);
  link_neighbours(d, x.v, c);
}

/* As spi_divide, where nothing comes out of x. */
static void divide_plain(spi_divisions *d, sp_smt x, int64_t c,
                         sp_smt *quotient, sp_smt *rest) {
  const given *known = find(d, x.v, c);
  if (known == NULL && divide_by_range(d, x, c, quotient, rest)) {
    return;
  }
  if (known == NULL && divide_origin(d, x.v, c)) {
    known = find(d, x.v, c);
  }
  if (known == NULL) {
    divide_new(d, x, c, quotient, rest);
    return;
  }
  *quotient = known->quotient;
  *rest = known->rest;
}

void spi_divide(spi_divisions *d, sp_smt x, int64_t c, sp_smt *quotient,
                sp_smt *rest) {
  assert(c > 0);
  if (c == 1) {
    *quotient = x;
    *rest = sp_smt_int(d->f, 0);
    return;
  }
  sp_smt multiple, left;
  if (find(d, x.v, c) != NULL || divide_by_range(d, x, c, quotient, rest) ||
      divide_origin(d, x.v, c) ||
      !spi_residues_split(d->residues, x, c, &multiple, &left)) {
    divide_plain(d, x, c, quotient, rest);
    return;
  }
  sp_smt q;
  divide_plain(d, left, c, &q, rest);
  *quotient = sum_of(d, multiple, q);
  if (sp_smt_op_of(d->f, q.v) == SP_SMT_INT || quotient->v == q.v) {
    return;
  }
  give(d, x.v, c, *quotient, *rest);
  came_from(d, *quotient, OF_QUOTIENT, x.v, c);
  link_neighbours(d, x.v, c);
}
