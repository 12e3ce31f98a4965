/* residue.c: read spi_residues_split: collect makes a flat sum of x, divide
 * takes the multiples of c out of its coefficients.
 */
#include "encode/residue.h"

#include "base/arith.h"

/* Terms with more addends are left as they are. */
enum { MAX_ADDENDS = 64, NONE = UINT32_MAX };

typedef struct known {
  spi_bounds bounds;
  uint32_t x, quotient; /* a rest: of x by c; else c is 0 */
  int64_t c;
} known;

typedef struct addend {
  uint32_t t;
  int64_t k; /* its coefficient */
} addend;

/* A flat sum, each term once. */
typedef struct sum {
  uint32_t n;
  addend v[MAX_ADDENDS];
  int64_t constant;
} sum;

struct spi_residues {
  sp_ctx *ctx;
  sp_formula *f;
  SP_VEC(known) terms; /* what is known of each term */
  SP_VEC(addend) work;
  sum small, large; /* the rest; what c is multiplied with */
};

spi_residues *spi_residues_new(sp_ctx *ctx) {
  spi_residues *r = sp_alloc(ctx, sizeof *r);
  r->ctx = ctx;
  return r;
}

void spi_residues_begin(spi_residues *r, sp_formula *f) {
  r->f = f;
  r->terms.n = 0;
}

/* ---- bounds ---- */

static int64_t lower_sum(int64_t a, int64_t b) {
  return a == INT64_MIN || b == INT64_MIN ? INT64_MIN : sp_add_sat(a, b);
}

static int64_t upper_sum(int64_t a, int64_t b) {
  return a == INT64_MAX || b == INT64_MAX ? INT64_MAX : sp_add_sat(a, b);
}

static spi_bounds bounds_scaled(int64_t k, spi_bounds b) {
  bool up = b.hi<INT64_MAX, down = b.lo> INT64_MIN;
  if (k < 0) {
    return (spi_bounds){up ? sp_mul_sat(k, b.hi) : INT64_MIN,
                        down ? sp_mul_sat(k, b.lo) : INT64_MAX};
  }
  return (spi_bounds){down ? sp_mul_sat(k, b.lo) : INT64_MIN,
                      up ? sp_mul_sat(k, b.hi) : INT64_MAX};
}

static spi_bounds bounds_of_operation(const spi_residues *r, uint32_t t) {
  const sp_formula *f = r->f;
  const known *v = r->terms.v;
  const spi_bounds all = {INT64_MIN, INT64_MAX};
  sp_smt_op op = sp_smt_op_of(f, t);
  if (op == SP_SMT_INT) {
    int64_t value = sp_smt_int_value(f, t);
    return (spi_bounds){value, value};
  }
  if (op == SP_SMT_MUL) {
    spi_bounds k = v[sp_smt_arg(f, t, 0)].bounds;
    return k.lo == k.hi ? bounds_scaled(k.lo, v[sp_smt_arg(f, t, 1)].bounds)
                        : all;
  }
  if (op == SP_SMT_ITE) {
    spi_bounds a = v[sp_smt_arg(f, t, 1)].bounds;
    spi_bounds b = v[sp_smt_arg(f, t, 2)].bounds;
    return (spi_bounds){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
  }
  if (op != SP_SMT_ADD) {
    return all;
  }
  spi_bounds total = {0, 0};
  for (uint32_t i = 0; i < sp_smt_n_args(f, t); i++) {
    spi_bounds b = v[sp_smt_arg(f, t, i)].bounds;
    total = (spi_bounds){lower_sum(total.lo, b.lo), upper_sum(total.hi, b.hi)};
  }
  return total;
}

/* Terms come after their arguments: no recursion. */
static known *known_of(spi_residues *r, uint32_t t) {
  while (r->terms.n <= t) {
    uint32_t next = (uint32_t)r->terms.n;
    sp_push(r->ctx, &r->terms,
            ((known){.bounds = bounds_of_operation(r, next)}));
  }
  return &r->terms.v[t];
}

void spi_residues_within(spi_residues *r, sp_smt t, spi_bounds b) {
  known_of(r, t.v)->bounds = b;
}

void spi_residues_rest(spi_residues *r, sp_smt t, sp_smt x, int64_t c,
                       sp_smt quotient) {
  known *k = known_of(r, t.v);
  k->x = x.v;
  k->c = c;
  k->quotient = quotient.v;
}

spi_bounds spi_residues_bounds(spi_residues *r, sp_smt t) {
  return known_of(r, t.v)->bounds;
}

/* ---- sums ---- */

static uint32_t find_addend(const sum *s, uint32_t t) {
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->v[i].t == t) {
      return i;
    }
  }
  return NONE;
}

static void remove_addend(sum *s, uint32_t i) {
  s->v[i] = s->v[--s->n];
}

static bool add_addend(sum *s, uint32_t t, int64_t k) {
  uint32_t i = find_addend(s, t);
  if (i == NONE) {
    if (s->n == MAX_ADDENDS) {
      return false;
    }
    s->v[s->n++] = (addend){t, k};
    return true;
  }
  int64_t both;
  if (!sp_add_ok(s->v[i].k, k, &both)) {
    return false; /* and s as it was */
  }
  s->v[i].k = both;
  if (both == 0) {
    remove_addend(s, i);
  }
  return true;
}

/* k * t is made part of the sums. */
static bool add_term(spi_residues *r, addend a) {
  const sp_formula *f = r->f;
  int64_t k;
  switch (sp_smt_op_of(f, a.t)) {
  case SP_SMT_INT:
    return sp_mul_ok(a.k, sp_smt_int_value(f, a.t), &k) &&
           sp_add_ok(r->small.constant, k, &r->small.constant);
  case SP_SMT_MUL:
    if (!sp_mul_ok(a.k, sp_smt_int_value(f, sp_smt_arg(f, a.t, 0)), &k)) {
      return false;
    }
    sp_push(r->ctx, &r->work, ((addend){sp_smt_arg(f, a.t, 1), k}));
    return true;
  case SP_SMT_ADD:
    for (uint32_t i = sp_smt_n_args(f, a.t); i-- > 0;) {
      sp_push(r->ctx, &r->work, ((addend){sp_smt_arg(f, a.t, i), a.k}));
    }
    return r->work.n <= MAX_ADDENDS;
  case SP_SMT_REAL:
  case SP_SMT_TRUE:
  case SP_SMT_FALSE:
  case SP_SMT_APP:
  case SP_SMT_SELECT:
  case SP_SMT_LE:
  case SP_SMT_LT:
  case SP_SMT_EQ:
  case SP_SMT_NOT:
  case SP_SMT_AND:
  case SP_SMT_OR:
  case SP_SMT_IMPLIES:
  case SP_SMT_ITE:
  case SP_SMT_TO_REAL:
    break;
  }
  return add_addend(&r->small, a.t, a.k);
}

/* A rest whose quotient is there as well, times the divisor: together they are
 * what was divided. */
static bool join_digits(spi_residues *r) {
  sum *s = &r->small;
  for (uint32_t i = 0; i < s->n; i++) {
    known m = *known_of(r, s->v[i].t);
    int64_t k = s->v[i].k, all;
    uint32_t q = m.c != 0 ? find_addend(s, m.quotient) : NONE;
    if (q != NONE && sp_mul_ok(k, m.c, &all) && all == s->v[q].k) {
      remove_addend(s, i > q ? i : q);
      remove_addend(s, i > q ? q : i);
      sp_push(r->ctx, &r->work, ((addend){m.x, k}));
      return true;
    }
  }
  return false;
}

/* k * (x mod d) is k*x - (k d / c) * c * quotient */
static bool open_rest(spi_residues *r, int64_t c) {
  sum *s = &r->small;
  for (uint32_t i = 0; i < s->n; i++) {
    known m = *known_of(r, s->v[i].t);
    int64_t k = s->v[i].k, all;
    if (m.c != 0 && sp_mul_ok(k, m.c, &all) && all % c == 0 &&
        add_addend(&r->large, m.quotient, -(all / c))) {
      remove_addend(s, i);
      sp_push(r->ctx, &r->work, ((addend){m.x, k}));
      return true;
    }
  }
  return false;
}

/* x = c * large + small; each turn opens terms that are older. */
static bool collect(spi_residues *r, sp_smt x, int64_t c) {
  r->small.n = 0;
  r->small.constant = 0;
  r->large.n = 0;
  r->large.constant = 0;
  r->work.n = 0;
  sp_push(r->ctx, &r->work, ((addend){x.v, 1}));
  do {
    while (r->work.n > 0) {
      if (!add_term(r, r->work.v[--r->work.n])) {
        return false;
      }
    }
  } while (join_digits(r) || open_rest(r, c));
  return true;
}

/* k = c * multiple + residue, -c < 2 * residue <= c */
static int64_t nearest(int64_t k, int64_t c, int64_t *multiple) {
  int64_t residue = sp_floor_mod(k, c);
  *multiple = sp_floor_div(k, c);
  if (residue > c - residue) {
    residue -= c;
    *multiple += 1;
  }
  return residue;
}

/* Multiples of c go from small to large. */
static bool divide(spi_residues *r, int64_t c) {
  sum *s = &r->small;
  int64_t multiple;
  for (uint32_t i = s->n; i-- > 0;) {
    s->v[i].k = nearest(s->v[i].k, c, &multiple);
    if (multiple != 0 && !add_addend(&r->large, s->v[i].t, multiple)) {
      return false;
    }
    if (s->v[i].k == 0) {
      remove_addend(s, i);
    }
  }
  s->constant = nearest(s->constant, c, &multiple);
  return sp_add_ok(r->large.constant, multiple, &r->large.constant);
}

/* In the order of their terms: equal sums are one term. */
static sp_smt sum_term(spi_residues *r, sum *s) {
  for (uint32_t i = 1; i < s->n; i++) {
    addend a = s->v[i];
    uint32_t at = i;
    for (; at > 0 && s->v[at - 1].t > a.t; at--) {
      s->v[at] = s->v[at - 1];
    }
    s->v[at] = a;
  }
  sp_smt args[MAX_ADDENDS + 1];
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    sp_smt t = {s->v[i].t};
    args[n++] = s->v[i].k == 1 ? t
                               : sp_smt_2(r->f, SP_SMT_MUL,
                                          sp_smt_int(r->f, s->v[i].k), t);
  }
  if (n == 0 || s->constant != 0) {
    args[n++] = sp_smt_int(r->f, s->constant);
  }
  return n == 1 ? args[0] : sp_smt_n(r->f, SP_SMT_ADD, n, args);
}

bool spi_residues_split(spi_residues *r, sp_smt x, int64_t c, sp_smt *multiple,
                        sp_smt *rest) {
  known_of(r, x.v);
  if (!collect(r, x, c) || !divide(r, c)) {
    return false;
  }
  *rest = sum_term(r, &r->small);
  *multiple = sum_term(r, &r->large);
  return rest->v != x.v;
}
