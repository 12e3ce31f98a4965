/* test_real_random.c: random terms, built raw and in normal form from one
 * recipe, must have equal values.
 *
 * Read `recipe` first. A long run: SHARDPROOF_LONG=1; another seed:
 * SHARDPROOF_SEED=n.
 */
#include "tests/suites.h"
#include "tests/support_terms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_real_random(void);

/* ---- random terms ---- */

enum { N_FREE = 2, MAX_SCOPE = 12, MAX_BINDINGS = 64 };

/* Symbols and variables that both builds share. */
typedef struct world {
  sp_pool *p;
  sp_expr i, j;           /* extents 3, 4 */
  sp_sym a, b, x, y, pos; /* REAL [4], [3][4], [], [], [4] positive */
  sp_sym n;               /* INT [4], 0..3 */
  uint64_t seed;
} world;

/* A recipe: the state of a generator. Running it twice makes the same choices,
 * whatever the constructors return. */
typedef struct recipe {
  world *w;
  uint64_t state;
  uint32_t n; /* variables in scope */
  sp_expr vars[MAX_SCOPE];
  uint32_t nesting; /* of reductions */
} recipe;

static uint64_t mix64(uint64_t z) {
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static uint32_t pick(recipe *r, uint32_t n) {
  r->state += UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(mix64(r->state) >> 33) % n;
}

static sp_expr make_real(recipe *r, int depth);
static sp_expr make_positive(recipe *r, int depth);
static sp_expr make_exact(recipe *r, int depth);
static sp_expr make_bool(recipe *r, int depth);

static sp_expr make_int(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  switch (pick(r, depth > 0 ? 8 : 3)) {
  case 0:
    return sp_int(p, (int64_t)pick(r, 7) - 3);
  case 1:
  case 2:
    return r->vars[pick(r, r->n)];
  case 3: {
    sp_expr a = make_int(r, depth - 1);
    return sp_iadd(p, a, make_int(r, depth - 1));
  }
  case 4:
    return sp_iscale(p, make_int(r, depth - 1), (int64_t)pick(r, 7) - 3);
  case 5:
    return sp_idiv(p, make_int(r, depth - 1), 1 + pick(r, 4));
  case 6:
    return sp_imod(p, make_int(r, depth - 1), 1 + pick(r, 4));
  default:
    return at(p, r->w->n, sp_imod(p, make_int(r, depth - 1), 4));
  }
}

static sp_expr make_index(recipe *r, int64_t extent) {
  return sp_imod(r->w->p, make_int(r, 1), extent);
}

static sp_expr make_num(recipe *r) {
  int64_t n = (int64_t)pick(r, 9) - 4;
  return num(r->w->p, n, 1 << pick(r, 3));
}

static sp_expr make_leaf(recipe *r) {
  world *w = r->w;
  switch (pick(r, 7)) {
  case 0:
    return make_num(r);
  case 1:
    return sp_read(w->p, w->x, NULL);
  case 2:
    return sp_read(w->p, w->y, NULL);
  case 3:
    return sp_i2r(w->p, make_int(r, 1));
  case 4: {
    sp_expr k = make_index(r, 3);
    return at2(w->p, w->b, k, make_index(r, 4));
  }
  default:
    return at(w->p, w->a, make_index(r, 4));
  }
}

/* Reduce what make gives for a body over one or two new variables. */
static sp_expr make_red(recipe *r, sp_red_op op, int depth,
                        sp_expr (*make)(recipe *r, int depth)) {
  sp_expr v[2];
  uint32_t n = 1 + pick(r, 2), keep = r->n;
  for (uint32_t k = 0; k < n; k++) {
    v[k] = sp_fresh(r->w->p, 1 + pick(r, 3));
    r->vars[r->n++] = v[k];
  }
  r->nesting++;
  sp_expr body = make(r, depth);
  r->nesting--;
  r->n = keep;
  return sp_red(r->w->p, op, n, v, body);
}

static bool may_reduce(const recipe *r) {
  return r->nesting < 3;
}

static sp_expr make_masked(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr c = make_bool(r, 1);
  return sp_ite(p, c, sp_inf(p, true), make_real(r, depth));
}

/* Values that doubles hold exactly: comparisons of them are exact, too. */
static sp_expr make_exact(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  if (depth <= 0) {
    return make_leaf(r);
  }
  sp_expr a = make_exact(r, depth - 1);
  switch (pick(r, 5)) {
  case 0:
    return sp_add(p, a, make_exact(r, depth - 1));
  case 1:
    return sp_sub(p, a, make_exact(r, depth - 1));
  case 2:
    return sp_scale(p, a, ratio(p, (int64_t)pick(r, 7) - 3, 2));
  case 3:
    return sp_max(p, a, make_exact(r, depth - 1));
  default:
    return a;
  }
}

static sp_expr make_bool(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr a, b;
  switch (pick(r, depth > 0 ? 8 : 3)) {
  case 0:
  case 1:
    a = make_int(r, 2);
    return sp_lt(p, a, make_int(r, 1));
  case 2:
    a = make_int(r, 1);
    return sp_eq(p, a, make_int(r, 1));
  case 3:
    a = make_exact(r, 1);
    b = make_exact(r, 1);
    return pick(r, 3) ? sp_lt(p, a, b) : sp_eq(p, a, b);
  case 4:
    return sp_not(p, make_bool(r, depth - 1));
  case 5:
    a = make_bool(r, depth - 1);
    return sp_or(p, a, make_bool(r, depth - 1));
  case 6:
    a = make_bool(r, depth - 1);
    return sp_and(p, a, make_bool(r, depth - 1));
  default:
    if (!may_reduce(r)) {
      return make_bool(r, 0);
    }
    return make_red(r, pick(r, 2) ? SP_RED_OR : SP_RED_AND, depth - 1,
                    make_bool);
  }
}

static sp_expr make_positive(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr a;
  switch (pick(r, depth > 0 ? 6 : 1)) {
  case 0:
    return at(p, r->w->pos, make_index(r, 4));
  case 1:
    return sp_exp(p, sp_scale(p, make_real(r, depth - 1), ratio(p, 1, 2)));
  case 2:
    a = make_positive(r, depth - 1);
    return sp_add(p, a, make_positive(r, depth - 1));
  case 3:
    a = make_positive(r, depth - 1);
    return sp_mul(p, a, make_positive(r, depth - 1));
  case 4:
    return sp_add(p, num(p, 1, 2), sp_fn1(p, "abs", make_real(r, depth - 1)));
  default:
    return may_reduce(r) ? make_red(r, SP_RED_SUM, depth - 1, make_positive)
                         : sp_inv(p, make_positive(r, depth - 1));
  }
}

static sp_expr make_function(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr args[2];
  switch (pick(r, 9)) {
  case 0:
    return sp_exp(p, make_real(r, depth));
  case 1:
    return sp_exp(p, make_masked(r, depth));
  case 2:
    return sp_fn1(p, "log", make_positive(r, depth));
  case 3:
    return sp_inv(p, make_positive(r, depth));
  case 4:
    return sp_fn1(p, pick(r, 2) ? "sqrt" : "rsqrt", make_positive(r, depth));
  case 5:
    return sp_fn1(p, pick(r, 2) ? "abs" : "sign", make_exact(r, depth));
  case 6:
    return sp_fn1(p, pick(r, 2) ? "floor" : "ceil", make_exact(r, depth));
  case 7:
    args[0] = make_real(r, depth);
    args[1] = sp_real_i64(p, pick(r, 4));
    return sp_fn(p, SP_SORT_REAL, "power", 2, args);
  default:
    return sp_fn1(p, pick(r, 2) ? "logistic" : "tanh", make_real(r, depth));
  }
}

static sp_expr make_reduction(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr e;
  if (!may_reduce(r)) {
    return make_leaf(r);
  }
  switch (pick(r, 8)) {
  case 0:
    return make_red(r, SP_RED_MAX, depth, make_real);
  case 1:
    return make_red(r, SP_RED_MIN, depth, make_real);
  case 2:
    return make_red(r, SP_RED_PROD, depth - 1, make_real);
  case 3:
    e = make_red(r, SP_RED_MAX, depth, make_masked);
    return sp_max(p, e, make_real(r, depth - 1));
  case 4:
    return sp_i2r(
        p, make_red(r, pick(r, 2) ? SP_RED_SUM : SP_RED_MAX, 2, make_int));
  default:
    return make_red(r, SP_RED_SUM, depth, make_real);
  }
}

static sp_expr make_real(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  if (depth <= 0) {
    return make_leaf(r);
  }
  sp_expr a, b, c;
  switch (pick(r, 14)) {
  case 0:
  case 1:
    a = make_real(r, depth - 1);
    return sp_add(p, a, make_real(r, depth - 1));
  case 2:
    a = make_real(r, depth - 1);
    return sp_sub(p, a, make_real(r, depth - 1));
  case 3:
    return sp_scale(p, make_real(r, depth - 1),
                    ratio(p, (int64_t)pick(r, 7) - 3, 1 + pick(r, 3)));
  case 4:
  case 5:
    a = make_real(r, depth - 1);
    return sp_mul(p, a, make_real(r, depth - 1));
  case 6:
    a = make_real(r, depth - 1);
    return sp_div(p, a, make_positive(r, depth - 1));
  case 7:
    a = make_real(r, depth - 1);
    b = make_real(r, depth - 1);
    return pick(r, 2) ? sp_max(p, a, b) : sp_min(p, a, b);
  case 8:
    c = make_bool(r, 1);
    a = make_real(r, depth - 1);
    return sp_ite(p, c, a, make_real(r, depth - 1));
  case 9:
    c = make_bool(r, 1);
    a = make_real(r, depth - 1);
    return pick(r, 2) ? sp_ite(p, c, a, zero(p)) : sp_ite(p, c, zero(p), a);
  case 10:
    return make_function(r, depth - 1);
  default:
    return make_reduction(r, depth - 1);
  }
}

/* The algebra of softmax: few atoms, so that exps, denominators and shifts meet
 * and cancel. */
static sp_expr make_shift(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr a;
  switch (pick(r, depth > 0 ? 6 : 4)) {
  case 0:
    return sp_read(p, r->w->x, NULL);
  case 1:
    return sp_read(p, r->w->y, NULL);
  case 2:
  case 3:
    return at(p, r->w->a, r->vars[pick(r, r->n)]);
  case 4:
    a = make_shift(r, depth - 1);
    return sp_add(p, a, make_shift(r, depth - 1));
  default:
    a = make_shift(r, depth - 1);
    return sp_sub(p, a, make_shift(r, depth - 1));
  }
}

static sp_expr make_weight(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr a, c;
  switch (pick(r, depth > 0 ? 7 : 3)) {
  case 0:
    return at(p, r->w->pos, r->vars[pick(r, r->n)]);
  case 1:
    return num(p, 1 + pick(r, 3), 1 + pick(r, 2));
  case 2:
    return sp_exp(p, make_shift(r, 1));
  case 3:
    a = make_weight(r, depth - 1);
    return sp_add(p, a, make_weight(r, depth - 1));
  case 4:
    a = make_weight(r, depth - 1);
    return sp_mul(p, a, make_weight(r, depth - 1));
  case 5:
    c = make_bool(r, 0);
    a = make_weight(r, depth - 1);
    return sp_add(p, guarded(p, c, a), make_weight(r, depth - 1));
  default:
    return may_reduce(r) ? make_red(r, SP_RED_SUM, depth - 1, make_weight)
                         : sp_inv(p, make_weight(r, depth - 1));
  }
}

static sp_expr make_soft(recipe *r, int depth) {
  sp_pool *p = r->w->p;
  sp_expr a, c;
  if (depth <= 0) {
    return pick(r, 3) ? make_shift(r, 0) : make_weight(r, 0);
  }
  switch (pick(r, 10)) {
  case 0:
  case 1:
    a = make_soft(r, depth - 1);
    return sp_add(p, a, make_soft(r, depth - 1));
  case 2:
    a = make_soft(r, depth - 1);
    return sp_sub(p, a, make_soft(r, depth - 1));
  case 3:
    a = make_soft(r, depth - 1);
    return sp_mul(p, a, make_weight(r, depth - 1));
  case 4:
    a = make_soft(r, depth - 1);
    return sp_div(p, a, make_weight(r, depth - 1));
  case 5:
    a = make_soft(r, depth - 1);
    return sp_mul(p, a, sp_exp(p, make_shift(r, 1)));
  case 6:
    c = make_bool(r, 0);
    return guarded(p, c, make_soft(r, depth - 1));
  case 7:
    return sp_fn1(p, "log", make_weight(r, depth - 1));
  case 8:
    return sp_exp(p, make_masked(r, 0));
  default:
    return may_reduce(r) ? make_red(r, SP_RED_SUM, depth - 1, make_soft)
                         : make_soft(r, depth - 1);
  }
}

/* ---- evaluation ---- */

typedef struct inputs {
  world *w;
  uint64_t seed;
  uint32_t n;
  struct {
    sp_expr var;
    int64_t value;
  } bound[MAX_BINDINGS];
} inputs;

static int64_t input_var(void *user, sp_expr v) {
  inputs *in = user;
  for (uint32_t k = in->n; k > 0; k--) {
    if (in->bound[k - 1].var.v == v.v) {
      return in->bound[k - 1].value;
    }
  }
  return 0;
}

static sp_value input_read(void *user, sp_sym s, uint32_t n,
                           const int64_t *idx) {
  inputs *in = user;
  uint64_t h = in->seed + s.v * 1000003u;
  for (uint32_t k = 0; k < n; k++) {
    h = mix64(h + (uint64_t)idx[k] + 1);
  }
  h = mix64(h);
  sp_value v = {.sort = sp_sym_sort(in->w->p, s)};
  if (v.sort == SP_SORT_INT) {
    v.i = (int64_t)(h % 4);
  } else if (s.v == in->w->pos.v) {
    v.r = 0.25 + (double)(h % 8) / 4;
  } else {
    v.r = ((double)(h % 17) - 8) / 4;
  }
  return v;
}

static bool input_fn(void *user, const char *name, uint32_t n,
                     const sp_value *args, sp_value *out) {
  (void)user;
  out->sort = SP_SORT_REAL;
  if (n != 1) {
    return false;
  }
  double x = args[0].r;
  if (strcmp(name, "tanh") == 0) {
    out->r = tanh(x);
  } else if (strcmp(name, "floor") == 0) {
    out->r = floor(x);
  } else if (strcmp(name, "ceil") == 0) {
    out->r = ceil(x);
  } else if (strcmp(name, "sign") == 0) {
    out->r = (x > 0) - (x < 0);
  } else if (strcmp(name, "abs") == 0) {
    out->r = fabs(x);
  } else if (strcmp(name, "sqrt") == 0) {
    out->r = sqrt(x);
  } else {
    return false;
  }
  return true;
}

static bool value_of(inputs *in, sp_expr e, sp_value *out) {
  sp_eval_env env = {.user = in,
                     .var = input_var,
                     .read = input_read,
                     .fn = input_fn,
                     .budget = 2000000};
  return sp_eval(in->w->p, e, &env, out);
}

/* The largest number met on the way, or infinity when something is not a
 * number: how far rounding may have carried two evaluations apart. */
static double magnitude(inputs *in, sp_expr e) {
  sp_pool *p = in->w->p;
  sp_value v;
  double m = 0;
  if (sp_sort_of(p, e) == SP_SORT_INT) {
    return 0;
  }
  if (sp_sort_of(p, e) == SP_SORT_REAL) {
    if (!value_of(in, e, &v) || isnan(v.r)) {
      return INFINITY;
    }
    m = isinf(v.r) ? 0 : fabs(v.r);
  }
  uint32_t n = sp_n_args(p, e);
  if (kind(p, e) != SP_KIND_RED) {
    for (uint32_t k = 0; k < n; k++) {
      m = fmax(m, magnitude(in, sp_arg(p, e, k)));
    }
    return m;
  }
  uint32_t keep = in->n;
  int64_t count = 1;
  for (uint32_t k = 0; k + 1 < n; k++) {
    in->bound[in->n++].var = sp_arg(p, e, k);
    count *= sp_var_extent(p, sp_arg(p, e, k));
  }
  for (int64_t t = 0; t < count; t++) {
    int64_t rest = t;
    for (uint32_t k = 0; k + 1 < n; k++) {
      int64_t extent = sp_var_extent(p, sp_arg(p, e, k));
      in->bound[keep + k].value = rest % extent;
      rest /= extent;
    }
    m = fmax(m, magnitude(in, sp_red_body(p, e)));
  }
  in->n = keep;
  return m;
}

typedef struct tally {
  uint64_t terms, compared, undefined, rough, wrong;
  uint64_t twice, simplified, unstable;
} tally;

static void compare_at(world *w, sp_expr raw, sp_expr normal, uint64_t t,
                       tally *out) {
  inputs in = {.w = w, .seed = w->seed * 7919 + t, .n = 2};
  in.bound[0].var = w->i;
  in.bound[0].value = (int64_t)(t % 3);
  in.bound[1].var = w->j;
  in.bound[1].value = (int64_t)(t / 3 % 4);
  sp_value a, b;
  if (!value_of(&in, raw, &a) || !value_of(&in, normal, &b)) {
    out->undefined++;
    return;
  }
  if (!isfinite(a.r) || !isfinite(b.r)) {
    out->undefined++;
    return;
  }
  double d = fabs(a.r - b.r);
  out->compared++;
  if (d <= 1e-9 * fmax(1, fmax(fabs(a.r), fabs(b.r)))) {
    return;
  }
  double m = fmax(magnitude(&in, raw), magnitude(&in, normal));
  if (d <= 1e-9 * m * fmax(1, m)) {
    out->rough++;
    return;
  }
  if (out->wrong++ < 3) {
    printf("  seed %llu: %.17g /= %.17g (i=%d j=%d)\n    raw    %s\n"
           "    normal %s\n",
           (unsigned long long)w->seed, a.r, b.r, (int)(t % 3),
           (int)(t / 3 % 4), sp_show(w->p, raw), sp_show(w->p, normal));
  }
}

static sp_expr follow(world *w, bool raw) {
  recipe r = {.w = w, .state = w->seed * UINT64_C(0x2545f4914f6cdd1d), .n = 2};
  r.vars[0] = w->i;
  r.vars[1] = w->j;
  bool was = sp_pool_raw(w->p, raw);
  int depth = 1 + (int)pick(&r, 5);
  sp_expr e = w->seed % 3 ? make_real(&r, depth) : make_soft(&r, depth + 1);
  sp_pool_raw(w->p, was);
  return e;
}

/* Built again (with other fresh variables) and simplified again it should be
 * the same node. Not a matter of soundness, and not always so. */
static void same_again(world *w, sp_expr raw, sp_expr normal, tally *out) {
  out->twice += follow(w, false).v != normal.v;
  if (w->seed % 4 == 0) {
    out->simplified += sp_simplify(w->p, raw).v != normal.v;
    out->unstable += sp_simplify(w->p, normal).v != normal.v;
  }
}

typedef struct batch {
  uint64_t first, count;
  tally *out;
} batch;

/* A new pool every so often: otherwise it only grows. */
static void batch_run(sp_ctx *ctx, void *arg) {
  batch *b = arg;
  sp_pool *p = sp_pool_new(ctx);
  int64_t four = 4, dims[2] = {3, 4};
  world w = {.p = p};
  w.i = sp_var(p, SP_VAR_INDEX, "i", 3);
  w.j = sp_var(p, SP_VAR_RANK, "j", 4);
  w.a = sp_sym_new(p, "a", SP_SORT_REAL, 1, &four);
  w.b = sp_sym_new(p, "b", SP_SORT_REAL, 2, dims);
  w.x = sp_sym_new(p, "x", SP_SORT_REAL, 0, NULL);
  w.y = sp_sym_new(p, "y", SP_SORT_REAL, 0, NULL);
  w.pos = sp_sym_new(p, "pos", SP_SORT_REAL, 1, &four);
  w.n = sp_sym_new(p, "n", SP_SORT_INT, 1, &four);
  sp_sym_set_range(p, w.n, 0, 3);
  for (uint64_t k = 0; k < b->count; k++) {
    w.seed = b->first + k;
    sp_expr raw = follow(&w, true), normal = follow(&w, false);
    b->out->terms++;
    for (uint64_t t = 0; t < 3; t++) {
      compare_at(&w, raw, normal, mix64(w.seed + t) % 12, b->out);
    }
    same_again(&w, raw, normal, b->out);
    if (k % 4 == 0) {
      sp_expr other = k % 8 ? sp_simplify(p, raw) : sp_split_sums(p, normal);
      compare_at(&w, raw, other, mix64(w.seed) % 12, b->out);
      other = sp_multiply_out(p, normal, 1000);
      if (other.v) {
        compare_at(&w, raw, other, mix64(w.seed + 9) % 12, b->out);
      }
    }
  }
}

static uint64_t number_from_env(const char *name, uint64_t otherwise) {
  const char *s = getenv(name);
  return s && *s ? strtoull(s, NULL, 10) : otherwise;
}

static void random_terms_keep_their_values(void) {
  bool is_long = number_from_env("SHARDPROOF_LONG", 0) != 0;
  uint64_t total = is_long ? 300000 : 4000, each = 250;
  uint64_t seed = number_from_env("SHARDPROOF_SEED", 1) * 1000000007u;
  tally t = {0};
  for (uint64_t done = 0; done < total; done += each) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    batch b = {seed + done, each, &t};
    sp_code code = sp_protect(ctx, batch_run, &b);
    CU_ASSERT_EQUAL(code, SP_OK);
    if (code != SP_OK) {
      printf("  batch from seed %llu: %s\n", (unsigned long long)(seed + done),
             sp_ctx_error(ctx)->message);
    }
    sp_ctx_free(ctx);
  }
  printf("  %llu terms, %llu values compared, %llu undefined, %llu rough, "
         "%llu wrong\n",
         (unsigned long long)t.terms, (unsigned long long)t.compared,
         (unsigned long long)t.undefined, (unsigned long long)t.rough,
         (unsigned long long)t.wrong);
  printf("  not the same node: %llu built twice, %llu simplified, %llu "
         "simplified again\n",
         (unsigned long long)t.twice, (unsigned long long)t.simplified,
         (unsigned long long)t.unstable);
  CU_ASSERT_EQUAL(t.wrong, 0);
  CU_ASSERT(t.compared > t.terms); /* most values are defined */
  CU_ASSERT(t.rough * 20 < t.compared);
}

/* ---- the suite ---- */

void suite_real_random(void) {
  CU_pSuite s = CU_add_suite("real_random", NULL, NULL);
#define ADD(name) CU_add_test(s, #name, name)
  ADD(random_terms_keep_their_values);
#undef ADD
}
