/* test_index_random.c: the index simplifier against brute force.
 *
 * A seed is a recipe: the same random choices are made with the constructors
 * of each mode, and the terms are evaluated on the whole (small) domain.
 * Intervals, substitution, assumptions, sp_simplify and sp_fit are checked the
 * same way. Read one_recipe first. SHARDPROOF_LONG=1 runs many more;
 * SHARDPROOF_SEED=n runs one.
 */
#include "encode/expr.h"

#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void suite_index_random(void);

enum { N_VARS = 4, N_SYMS = 3, MAX_POINTS = 400, MAX_FRESH = 4 };

typedef struct maker {
  sp_pool *p;
  uint64_t state;
  sp_expr var[N_VARS];
  int64_t extent[N_VARS];
  sp_sym ints[N_SYMS]; /* 0: one index, 1: none, 2: two */
  sp_sym reals, bools;
  sp_expr fresh[MAX_FRESH]; /* bound variables in scope */
  uint32_t n_fresh;
  bool plain; /* no arithmetic on reals */
  /* evaluation */
  int64_t at[N_VARS];
  uint64_t world;
} maker;

/* ---- random numbers ---- */

static uint64_t scramble(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

static uint32_t draw(maker *m, uint32_t n) {
  m->state += UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(scramble(m->state) >> 33) % n;
}

static int64_t pick(maker *m, const int64_t *from, uint32_t n) {
  return from[draw(m, n)];
}

static int64_t small_factor(maker *m) {
  static const int64_t c[] = {2, 2, 3, 4, 4, 5, 6, 8, 8, 12, 16, 24};
  return pick(m, c, sizeof c / sizeof *c);
}

static int64_t small_number(maker *m) {
  static const int64_t c[] = {0, 0, 1, 1, -1, 2, 3, 4, 5, 7, 8, -3, -8, 12, 31};
  return pick(m, c, sizeof c / sizeof *c);
}

/* ---- random terms ---- */

static sp_expr make_int(maker *m, int depth);
static sp_expr make_real(maker *m, int depth);
static sp_expr make_any(maker *m, sp_sort sort, int depth);
static sp_expr make_red(maker *m, sp_sort sort, int depth);

static sp_expr make_leaf(maker *m) {
  uint32_t k = draw(m, 8);
  uint32_t f = draw(m, MAX_FRESH), v = draw(m, N_VARS);
  int64_t c = small_number(m);
  if (k == 0) {
    return sp_int(m->p, c);
  }
  return k < 4 && f < m->n_fresh ? m->fresh[f] : m->var[v];
}

static sp_expr make_bool(maker *m, int depth) {
  sp_pool *p = m->p;
  uint32_t kind = draw(m, depth <= 0 ? 5 : 13);
  if (kind < 6) {
    sp_expr a = make_int(m, depth - 1);
    int64_t c = small_number(m), k = small_factor(m);
    sp_expr b = draw(m, 2) ? sp_int(p, c) : make_int(m, depth - 1);
    if (kind == 4) {
      b = sp_iadd(p, sp_iscale(p, b, k), sp_int(p, c));
    }
    return kind < 2   ? sp_lt(p, a, b)
           : kind < 3 ? sp_le(p, a, b)
                      : sp_eq(p, a, b);
  }
  if (kind == 6) {
    return sp_not(p, make_bool(m, depth - 1));
  }
  if (kind == 11) {
    bool was = m->plain;
    m->plain = true;
    sp_expr r = make_real(m, depth - 1), s = make_real(m, depth - 1);
    m->plain = was;
    return draw(m, 2) ? sp_lt(p, r, s) : sp_eq(p, r, s);
  }
  if (kind == 10) {
    sp_expr i = make_int(m, depth - 1);
    return sp_read(p, m->bools, &i);
  }
  if (kind == 12) {
    return make_red(m, SP_SORT_BOOL, depth);
  }
  sp_expr a = make_bool(m, depth - 1), b = make_bool(m, depth - 1);
  if (kind == 7) {
    return sp_or(p, a, b);
  }
  if (kind == 8) {
    return sp_and(p, a, b);
  }
  sp_expr c = make_bool(m, depth - 2);
  return draw(m, 2) ? sp_ite(p, c, a, b) : sp_eq(p, a, b);
}

/* A table read, its index brought inside. */
static sp_expr make_table(maker *m, int depth) {
  int64_t v[12], n = (int64_t)draw(m, 11) + 2;
  int64_t a = small_number(m), s = small_number(m), k = small_factor(m);
  uint32_t how = draw(m, 4);
  for (int64_t i = 0; i < n; i++) {
    int64_t noise = (int64_t)draw(m, 6);
    v[i] = how == 0   ? noise
           : how == 1 ? a * i + s
           : how == 2 ? (i + 40 + s) % k
                      : (i + 40 + s) / k * a;
  }
  sp_expr x = sp_imod(m->p, make_int(m, depth - 1), n);
  if (draw(m, 2)) {
    return sp_table(m->p, v, n, x);
  }
  sp_sym t = sp_sym_table_int(m->p, SP_SORT_INT, 1, &n, v);
  return sp_read(m->p, t, &x);
}

static sp_expr make_function(maker *m, int depth) {
  static const char *const names[] = {"imul", "iand", "ior", "ixor"};
  uint32_t kind = draw(m, 8);
  int64_t c = small_factor(m);
  sp_expr v[2];
  v[0] = make_int(m, depth - 1);
  if (kind < 4) {
    v[1] = draw(m, 2) ? sp_int(m->p, c - 1) : make_int(m, depth - 1);
    return sp_fn(m->p, SP_SORT_INT, names[kind], 2, v);
  }
  if (kind == 4) {
    v[1] = sp_int(m->p, c % 5);
    return sp_fn(m->p, SP_SORT_INT, draw(m, 2) ? "ishl" : "ishr", 2, v);
  }
  v[1] = sp_int(m->p, draw(m, 4) ? c : -c);
  return sp_fn(m->p, SP_SORT_INT, kind < 6 ? "idiv.trunc" : "irem.trunc", 2, v);
}

/* A digit of a position: what reshapes are made of. */
static sp_expr make_digits(maker *m, int depth) {
  sp_expr idx[3], out[3];
  int64_t in[3], dims[3];
  for (int i = 0; i < 3; i++) {
    static const int64_t sizes[] = {1, 2, 3, 4, 6};
    in[i] = pick(m, sizes, 5);
    dims[i] = pick(m, sizes, 5);
    sp_expr e = draw(m, 2) ? make_leaf(m) : make_int(m, depth - 2);
    idx[i] = draw(m, 4) ? sp_imod(m->p, e, in[i]) : e;
  }
  sp_expr flat = sp_flatten(m->p, 3, in, idx);
  if (draw(m, 3) == 0) {
    return flat;
  }
  sp_unflatten(m->p, flat, 3, dims, out);
  uint32_t which = draw(m, 4);
  if (which < 3) {
    return out[which];
  }
  return sp_flatten(m->p, 3, dims, out);
}

static sp_expr make_red(maker *m, sp_sort sort, int depth) {
  static const sp_red_op ops[3][3] = {{SP_RED_SUM, SP_RED_MAX, SP_RED_MIN},
                                      {SP_RED_SUM, SP_RED_SUM, SP_RED_MAX},
                                      {SP_RED_OR, SP_RED_AND, SP_RED_OR}};
  uint32_t n = draw(m, 4) ? 1 : 2;
  sp_red_op op = ops[sort][draw(m, 3)];
  if (m->n_fresh + n > MAX_FRESH) {
    return make_any(m, sort, 0);
  }
  for (uint32_t i = 0; i < n; i++) {
    m->fresh[m->n_fresh + i] = sp_fresh(m->p, (int64_t)draw(m, 4) + 1);
  }
  m->n_fresh += n;
  sp_expr body = make_any(m, sort, depth - 1);
  m->n_fresh -= n;
  return sp_red(m->p, op, n, &m->fresh[m->n_fresh], body);
}

static sp_expr make_sum(maker *m, int depth) {
  sp_expr a = make_int(m, depth - 1);
  int64_t k = draw(m, 2) ? small_factor(m) : -1, c = small_number(m);
  sp_expr b = make_int(m, depth - 1);
  a = sp_iadd(m->p, sp_iscale(m->p, a, k), b);
  return draw(m, 2) ? sp_iaddc(m->p, a, c) : a;
}

static sp_expr make_int(maker *m, int depth) {
  sp_pool *p = m->p;
  if (depth <= 0) {
    return make_leaf(m);
  }
  uint32_t kind = draw(m, 20);
  int64_t c = small_factor(m), d = small_number(m);
  if (kind < 6) {
    return make_sum(m, depth);
  }
  if (kind < 12) {
    sp_expr e = make_int(m, depth - 1);
    return kind < 9 ? sp_idiv(p, e, c) : sp_imod(p, e, c);
  }
  switch (kind) {
  case 12: {
    sp_expr e = make_int(m, depth - 1), f = make_int(m, depth - 1);
    return draw(m, 2) ? sp_max(p, e, f) : sp_min(p, e, f);
  }
  case 13:
    return sp_clamp(p, make_int(m, depth - 1), sp_int(p, d), sp_int(p, d + c));
  case 14: {
    sp_expr b = make_bool(m, depth - 1);
    sp_expr e = make_int(m, depth - 1), f = make_int(m, depth - 1);
    return sp_ite(p, b, e, f);
  }
  case 15: {
    uint32_t s = draw(m, N_SYMS);
    sp_expr idx[2];
    idx[0] = make_int(m, depth - 2);
    idx[1] = make_leaf(m);
    return sp_read(p, m->ints[s], idx);
  }
  case 16:
    return make_table(m, depth);
  case 17:
    return make_function(m, depth);
  case 18:
    return draw(m, 3) ? make_digits(m, depth) : make_red(m, SP_SORT_INT, depth);
  default:
    return make_digits(m, depth);
  }
}

/* Compared reals are plain, so that doubles hold them exactly. */
static sp_expr make_real(maker *m, int depth) {
  sp_pool *p = m->p;
  uint32_t kind = draw(m, depth <= 0 ? 3 : m->plain ? 6 : 9);
  int64_t c = small_number(m), d = small_factor(m);
  if (kind == 0) {
    return draw(m, 2) ? sp_real_i64(p, 0) : sp_real(p, sp_num_ratio(p, c, 4));
  }
  if (kind < 3) {
    sp_expr i = make_int(m, depth - 1);
    return kind == 1 ? sp_i2r(p, i) : sp_read(p, m->reals, &i);
  }
  if (kind < 6) {
    sp_expr b = make_bool(m, depth - 1);
    sp_expr e = make_real(m, depth - 1), f = make_real(m, depth - 1);
    return sp_ite(p, b, e, f);
  }
  if (kind == 8) {
    return make_red(m, SP_SORT_REAL, depth);
  }
  sp_expr e = make_real(m, depth - 1);
  if (kind == 6) {
    return sp_scale(p, e, sp_num_ratio(p, d, 3));
  }
  sp_expr f = make_real(m, depth - 1);
  return draw(m, 3) ? sp_add(p, e, f) : sp_mul(p, e, f);
}

static sp_expr make_any(maker *m, sp_sort sort, int depth) {
  switch (sort) {
  case SP_SORT_INT:
    return make_int(m, depth);
  case SP_SORT_BOOL:
    return make_bool(m, depth);
  case SP_SORT_REAL:
    break;
  }
  return make_real(m, depth);
}

/* ---- the world of a recipe ---- */

static void make_world(maker *m) {
  static const int64_t sizes[] = {1, 2, 2, 3, 4, 4, 6, 8};
  static const int64_t ranks[] = {2, 4, 4, 6, 8, 8, 12, 16};
  static const int64_t two[2] = {4, 8};
  static const int64_t one[1] = {8};
  int64_t points = 1;
  for (int i = 0; i < N_VARS; i++) {
    bool rank = i == 0;
    int64_t n = pick(m, rank ? ranks : sizes, 8);
    n = points * n > MAX_POINTS ? 2 : n;
    points *= n;
    char name[8];
    snprintf(name, sizeof name, "%c", rank ? 'r' : 'i' + i - 1);
    m->extent[i] = n;
    m->var[i] = sp_var(m->p, rank ? SP_VAR_RANK : SP_VAR_INDEX, name, n);
  }
  m->ints[0] = sp_sym_new(m->p, "A", SP_SORT_INT, 1, one);
  m->ints[1] = sp_sym_new(m->p, "B", SP_SORT_INT, 0, NULL);
  m->ints[2] = sp_sym_new(m->p, "C", SP_SORT_INT, 2, two);
  sp_sym_set_range(m->p, m->ints[0], 0, 7);
  sp_sym_set_range(m->p, m->ints[1], -2, 3);
  m->reals = sp_sym_new(m->p, "X", SP_SORT_REAL, 1, one);
  m->bools = sp_sym_new(m->p, "M", SP_SORT_BOOL, 1, one);
}

static int64_t eval_var(void *user, sp_expr v) {
  maker *m = user;
  for (int i = 0; i < N_VARS; i++) {
    if (m->var[i].v == v.v) {
      return m->at[i];
    }
  }
  CU_FAIL("a variable that should be bound or gone");
  return 0;
}

static sp_value eval_read(void *user, sp_sym s, uint32_t n,
                          const int64_t *idx) {
  maker *m = user;
  uint64_t h = scramble(m->world + s.v);
  for (uint32_t i = 0; i < n; i++) {
    h = scramble(h ^ (uint64_t)idx[i]);
  }
  sp_value out = {.sort = sp_sym_sort(m->p, s)};
  int64_t lo, hi;
  bool bounded = sp_sym_range(m->p, s, &lo, &hi);
  out.i = bounded ? lo + (int64_t)(h % (uint64_t)(hi - lo + 1))
                  : (int64_t)(h % 40) - 20;
  out.r = (double)(h % 64) / 8 - 4;
  out.b = h & 1;
  return out;
}

static bool eval_at(maker *m, sp_expr e, sp_value *out) {
  sp_eval_env env = {
      .user = m, .var = eval_var, .read = eval_read, .budget = 1000000};
  return sp_eval(m->p, e, &env, out);
}

static bool next_point(maker *m) {
  for (int i = 0; i < N_VARS; i++) {
    if (++m->at[i] < m->extent[i]) {
      return true;
    }
    m->at[i] = 0;
  }
  return false;
}

static bool equal(sp_value a, sp_value b) {
  if (a.sort != b.sort) {
    return false;
  }
  switch (a.sort) {
  case SP_SORT_INT:
    return a.i == b.i;
  case SP_SORT_BOOL:
    return a.b == b.b;
  case SP_SORT_REAL:
    break;
  }
  double size = fmax(1, fmax(fabs(a.r), fabs(b.r)));
  return fabs(a.r - b.r) <= 1e-9 * size;
}

/* ---- properties ---- */

static void complain(maker *m, const char *what, uint64_t seed, sp_expr a,
                     sp_expr b, sp_value x, sp_value y) {
  printf("\nseed %" PRIu64 ": %s\n  at", seed, what);
  for (int i = 0; i < N_VARS; i++) {
    printf(" %" PRId64 "/%" PRId64, m->at[i], m->extent[i]);
  }
  printf("\n  %s\n  %s\n  values %" PRId64 " %g %d and %" PRId64 " %g %d\n",
         sp_show(m->p, a), sp_show(m->p, b), x.i, x.r, x.b, y.i, y.r, y.b);
}

/* a and b are equal wherever where (0: everywhere) is true. */
static bool same_values(maker *m, const char *what, uint64_t seed, sp_expr a,
                        sp_expr b, sp_expr where) {
  do {
    sp_value x, y, c = {.b = true};
    if (where.v && (!eval_at(m, where, &c) || !c.b)) {
      continue;
    }
    /* where the left side has no value nothing is promised */
    if (!eval_at(m, a, &x)) {
      continue;
    }
    if (!eval_at(m, b, &y) || !equal(x, y)) {
      complain(m, what, seed, a, b, x, y);
      return false;
    }
  } while (next_point(m));
  return true;
}

static bool in_range(maker *m, uint64_t seed, sp_expr e) {
  int64_t lo, hi;
  sp_range(m->p, e, &lo, &hi);
  do {
    sp_value x;
    if (eval_at(m, e, &x) && (x.i < lo || x.i > hi)) {
      printf("range %" PRId64 " .. %" PRId64, lo, hi);
      complain(m, "outside of sp_range", seed, e, e, x, x);
      return false;
    }
  } while (next_point(m));
  return true;
}

/* Substituting one variable agrees with evaluating there. */
static bool subst_agrees(maker *m, uint64_t seed, sp_expr e) {
  uint32_t i = draw(m, N_VARS);
  sp_expr t = sp_imod(m->p, make_int(m, 2), m->extent[i]);
  sp_expr s = sp_subst(m->p, e, 1, &m->var[i], &t);
  do {
    sp_value x, y, v;
    int64_t was = m->at[i];
    if (!eval_at(m, t, &v) || !eval_at(m, s, &y)) {
      continue;
    }
    m->at[i] = v.i;
    bool ok = !eval_at(m, e, &x) || equal(x, y);
    m->at[i] = was;
    if (!ok) {
      complain(m, "sp_subst", seed, e, s, x, y);
      return false;
    }
  } while (next_point(m));
  return true;
}

static bool one_recipe(sp_pool *p, uint64_t seed) {
  maker m = {.p = p, .state = seed, .world = seed};
  sp_pool_raw(p, true); /* variables of extent 1 stay variables */
  make_world(&m);
  sp_sort sort = (sp_sort)draw(&m, 4);
  sort = sort > SP_SORT_BOOL ? SP_SORT_INT : sort;
  int depth = 1 + (int)draw(&m, 4);
  uint64_t start = m.state;
  sp_expr raw = make_any(&m, sort, depth);
  sp_expr raw_cond = make_bool(&m, 2);
  uint64_t end = m.state;
  m.state = start;
  sp_pool_mode(p, SP_MODE_RAW_INDEX); /* what obligations are stated in */
  sp_expr stated = make_any(&m, sort, depth);
  m.state = start;
  sp_pool_mode(p, SP_MODE_NORMAL);
  sp_expr e = make_any(&m, sort, depth), none = {0};
  sp_expr cond = make_bool(&m, 2);
  CU_ASSERT_EQUAL(m.state, end);
  bool ok = same_values(&m, "raw and normal", seed, raw, e, none) &&
            same_values(&m, "raw and normal", seed, raw_cond, cond, none) &&
            same_values(&m, "raw and raw index", seed, raw, stated, none);
  ok = ok && (sort != SP_SORT_INT || in_range(&m, seed, e));
  ok = ok &&
       same_values(&m, "sp_simplify", seed, raw, sp_simplify(p, raw), none);
  sp_expr yes = sp_assume(p, e, cond, true);
  sp_expr no = sp_assume(p, e, cond, false);
  ok = ok && same_values(&m, "sp_assume true", seed, e, yes, cond);
  ok = ok && same_values(&m, "sp_assume false", seed, e, no, sp_not(p, cond));
  return ok && subst_agrees(&m, seed, e);
}

typedef struct batch {
  uint64_t from, to;
  uint64_t bad;
} batch;

static void run_batch(sp_ctx *ctx, void *arg) {
  batch *b = arg;
  sp_pool *p = sp_pool_new(ctx);
  for (uint64_t seed = b->from; seed < b->to; seed++) {
    b->bad = seed;
    if (!one_recipe(p, seed)) {
      CU_FAIL("a rewrite changed a value");
      return;
    }
  }
  b->bad = 0;
}

static void run_seeds(uint64_t from, uint64_t to) {
  enum { BATCH = 100 };
  for (uint64_t at = from; at < to; at += BATCH) {
    batch b = {at, at + BATCH < to ? at + BATCH : to, 0};
    sp_ctx *ctx = sp_ctx_new(NULL);
    sp_ctx_set_limit(ctx, (size_t)1 << 28);
    sp_code code = sp_protect(ctx, run_batch, &b);
    if (code != SP_OK) {
      printf("\nseed %" PRIu64 ": %s\n", b.bad, sp_ctx_error(ctx)->message);
      CU_FAIL("an error on small terms");
    }
    sp_ctx_free(ctx);
    if (code != SP_OK || b.bad) {
      return;
    }
  }
}

static void normal_terms_equal_raw_terms(void) {
  const char *one = getenv("SHARDPROOF_SEED");
  const char *many = getenv("SHARDPROOF_LONG");
  if (one) {
    uint64_t seed = strtoull(one, NULL, 10);
    run_seeds(seed, seed + 1);
  } else {
    run_seeds(1, many && *many == '1' ? 300001 : 4001);
  }
}

/* ---- fitting ---- */

static bool fit_is_exact(sp_pool *p, uint64_t seed) {
  maker m = {.p = p, .state = seed};
  int64_t v[64], n = (int64_t)draw(&m, 63) + 1;
  int64_t a = small_number(&m), b = small_factor(&m), c = small_factor(&m);
  int64_t s = (int64_t)draw(&m, 16), d = small_number(&m);
  uint32_t how = draw(&m, 7);
  for (int64_t i = 0; i < n; i++) {
    int64_t noise = (int64_t)draw(&m, 3);
    int64_t forms[] = {a * i + d,
                       a * ((i + s) % b) + d,
                       a * ((i + s) / b) + d * ((i / c) % b),
                       a * ((i % b + s) % b) + d * (i / b),
                       i < s ? a : i + d,
                       noise,
                       (i % c) * b + i / c};
    v[i] = forms[how];
  }
  if (draw(&m, 8) == 0) {
    v[draw(&m, (uint32_t)n)] += 1; /* one value off */
  }
  sp_var_class cls = draw(&m, 2) ? SP_VAR_RANK : SP_VAR_INDEX;
  sp_pool_raw(p, true);
  sp_expr x = sp_var(p, cls, "x", n);
  m.var[0] = x;
  for (int round = 0; round < 4; round++) {
    sp_pool_raw(p, round & 1);
    sp_expr e = round < 2 ? sp_fit(p, v, n, x) : sp_table(p, v, n, x);
    for (int64_t i = 0; e.v && i < n; i++) {
      sp_value out;
      m.at[0] = i;
      if (!eval_at(&m, e, &out) || out.i != v[i]) {
        printf("\nseed %" PRIu64 ": fit %s at %" PRId64 "\n", seed,
               sp_show(p, e), i);
        sp_pool_raw(p, false);
        return false;
      }
    }
  }
  sp_pool_raw(p, false);
  return true;
}

static void run_fits(sp_ctx *ctx, void *arg) {
  (void)arg;
  sp_pool *p = sp_pool_new(ctx);
  for (uint64_t seed = 1; seed <= 3000; seed++) {
    if (!fit_is_exact(p, seed)) {
      CU_FAIL("a fit is not exact");
      return;
    }
  }
}

static void fits_are_exact(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, run_fits, NULL), SP_OK);
  sp_ctx_free(ctx);
}

void suite_index_random(void) {
  CU_pSuite s = CU_add_suite("index_random", NULL, NULL);
  CU_add_test(s, "normal terms equal raw terms", normal_terms_equal_raw_terms);
  CU_add_test(s, "fits are exact", fits_are_exact);
}
