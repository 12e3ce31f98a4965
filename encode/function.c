/* function.c: real functions by name (spi_rfn is the entry), what is known of
 * signs and of functions that pick elements, and the notes of assumptions that
 * rewrites used.
 */
#include "encode/real.h"

spi_reals *spi_reals_of(sp_pool *p) {
  if (!p->reals) {
    spi_reals *r = sp_alloc(p->ctx, sizeof *r);
    r->exp = spi_fn_id(p, "exp");
    r->inv = spi_fn_id(p, "inv");
    r->log = spi_fn_id(p, "log");
    r->sqrt = spi_fn_id(p, "sqrt");
    r->abs = spi_fn_id(p, "abs");
    r->nan = spi_fn_id(p, "nan");
    p->reals = r;
  }
  return p->reals;
}

/* ---- notes ---- */

void sp_pool_note(sp_pool *p, const char *sentence) {
  spi_reals *r = spi_reals_of(p);
  const char *s = sp_intern(p->ctx, sentence, strlen(sentence));
  for (size_t i = 0; i < r->notes.n; i++) {
    if (r->notes.v[i] == s) {
      return;
    }
  }
  sp_push(p->ctx, &r->notes, s);
}

size_t sp_pool_notes(sp_pool *p, const char *const **sentences) {
  spi_reals *r = spi_reals_of(p);
  *sentences = r->notes.v;
  return r->notes.n;
}

void spi_note_finite(sp_pool *p, sp_expr e) {
  if (spi_ends(p, e) & SPI_END_NOTED) {
    sp_pool_note(p, "a maximum in an exponent is finite: no row is masked as a "
                    "whole");
  }
}

/* ---- functions that pick ---- */

void sp_fn_picks(sp_pool *p, const char *name, bool positions) {
  int64_t id = spi_fn_id(p, name);
  for (size_t i = 0; i < p->picks.n; i++) {
    if (p->picks.v[i].fn == id) {
      return;
    }
  }
  sp_push(p->ctx, &p->picks, ((spi_pick){id, positions}));
}

bool sp_fn_is_pick(const sp_pool *p, const char *name) {
  for (size_t i = 0; i < p->picks.n; i++) {
    if (strcmp(p->fns.v[p->picks.v[i].fn], name) == 0) {
      return true;
    }
  }
  return false;
}

sp_expr spi_picked_from(const sp_pool *p, const spi_node_t *d, bool positions) {
  for (size_t i = 0; i < p->picks.n; i++) {
    if (p->picks.v[i].fn == d->payload) {
      return p->picks.v[i].positions == positions ? d->args[0] : (sp_expr){0};
    }
  }
  return (sp_expr){0};
}

/* ---- signs ---- */

/* How far a sign is looked for: into each other, and in all. A norm over the
 * parameters of a model is the root of a sum of hundreds of terms. */
enum { SIGN_DEPTH = 12, SIGN_TERMS = 4096 };

typedef struct look {
  int depth, terms; /* left */
} look;

/* 2: positive, 1: not negative, 0: not known */
static int sign_of(sp_pool *p, sp_expr e, look *l);

static int min_int(int a, int b) {
  return a < b ? a : b;
}

static int sign_all(sp_pool *p, uint32_t n, const sp_expr *v, look *l) {
  int s = 2;
  for (uint32_t i = 0; i < n && s; i++) {
    s = min_int(s, sign_of(p, v[i], l));
  }
  return s;
}

static int sign_add(sp_pool *p, const spi_node_t *d, look *l) {
  int c = sp_num_sign(p, (sp_num){(uint32_t)d->payload});
  if (c < 0) {
    return 0;
  }
  int best = c > 0 ? 2 : 1;
  for (uint32_t i = 0; i < d->n; i++) {
    int s = sp_num_sign(p, d->coefs.add[i]) > 0 ? sign_of(p, d->args[i], l) : 0;
    if (!s) {
      return 0;
    }
    best = s > best ? s : best;
  }
  return best;
}

/* Factors of unknown sign are fine in pairs: x * x is not negative. */
static int sign_mul(sp_pool *p, const spi_node_t *d, look *l) {
  int s = 2;
  for (uint32_t i = 0; i < d->n; i++) {
    int f = sign_of(p, d->args[i], l);
    if (!f && i + 1 < d->n && spi_same(d->args[i], d->args[i + 1])) {
      f = 1;
      i++;
    }
    s = min_int(s, f);
  }
  return s;
}

static int sign_fn(sp_pool *p, const spi_node_t *d, look *l) {
  spi_reals *r = spi_reals_of(p);
  if (d->payload == r->exp) { /* of minus infinity: 0 */
    return spi_ends(p, d->args[0]) & SPI_END_LOW ? 1 : 2;
  }
  if (d->payload == r->inv) { /* of infinity: 0 */
    int s = sign_of(p, d->args[0], l);
    bool finite = s < 2 || !(spi_ends(p, d->args[0]) & SPI_END_BOTH);
    return finite ? s : 1;
  }
  if (d->payload == r->sqrt) {
    return sign_of(p, d->args[0], l) == 2 ? 2 : 1;
  }
  if (d->payload == r->abs) {
    return 1;
  }
  sp_expr from = spi_picked_from(p, d, false);
  return from.v ? sign_of(p, sp_red_body(p, from), l) : 0;
}

static int sign_max(sp_pool *p, const spi_node_t *d, look *l) {
  int best = 0;
  for (uint32_t i = 0; i < d->n; i++) {
    int s = sign_of(p, d->args[i], l);
    best = s > best ? s : best;
  }
  return best;
}

static int sign_at(sp_pool *p, sp_expr e, look *l) {
  const spi_node_t *d = spi_get(p, e);
  int64_t lo, hi;
  switch ((int)d->kind) {
  case SP_KIND_NUM:
    return sp_num_sign(p, (sp_num){(uint32_t)d->payload}) + 1;
  case SP_KIND_INF:
    return d->payload ? 0 : 2;
  case SP_KIND_ADD:
    return sign_add(p, d, l);
  case SP_KIND_MUL:
    return sign_mul(p, d, l);
  case SP_KIND_MAX:
    return sign_max(p, d, l);
  case SP_KIND_MIN:
    return sign_all(p, d->n, d->args, l);
  case SP_KIND_ITE:
    return sign_all(p, 2, d->args + 1, l);
  case SP_KIND_RED: /* the ranges are not empty */
    return d->payload == SP_RED_LAMBDA ? 0 : sign_of(p, d->args[d->n - 1], l);
  case SP_KIND_I2R:
    sp_range(p, d->args[0], &lo, &hi);
    return lo > 0 ? 2 : lo == 0;
  case SP_KIND_FN:
    return sign_fn(p, d, l);
  case SP_KIND_READ:
    return spi_sym_of(p, sp_read_sym(p, e))->sign;
  default:
    return 0;
  }
}

static int sign_of(sp_pool *p, sp_expr e, look *l) {
  if (sp_sort_of(p, e) != SP_SORT_REAL || l->depth == 0 || l->terms == 0) {
    return 0;
  }
  l->depth--;
  l->terms--;
  int s = sign_at(p, e, l);
  l->depth++;
  return s;
}

static int sign(sp_pool *p, sp_expr e) {
  return sign_of(p, e, &(look){SIGN_DEPTH, SIGN_TERMS});
}

int sp_sign(sp_pool *p, sp_expr e) {
  return sign(p, e);
}

bool sp_is_finite(sp_pool *p, sp_expr e) {
  return spi_ends(p, e) == 0;
}

bool spi_positive(sp_pool *p, sp_expr e) {
  return sign(p, e) == 2;
}

bool spi_nonnegative(sp_pool *p, sp_expr e) {
  return sign(p, e) >= 1;
}

bool spi_nonzero(sp_pool *p, sp_expr e) {
  return (spi_positive(p, e) && !(spi_ends(p, e) & SPI_END_BOTH)) ||
         (spi_kind(p, e) == SP_KIND_NUM && !sp_is_zero(p, e));
}

void sp_sym_take_sign(sp_pool *p, sp_sym s, sp_expr definition) {
  assert(s.v > 0 && s.v < p->syms.n && p->syms.v[s.v].sort == SP_SORT_REAL);
  spi_sym *sym = &p->syms.v[s.v];
  sym->sign = sign(p, definition);
  sym->ends = spi_ends(p, definition);
  p->infinite_names = p->infinite_names || sym->ends != 0;
}

bool sp_sym_not_negative(const sp_pool *p, sp_sym s) {
  return spi_sym_of(p, s)->sign > 0;
}

/* ---- log ---- */

static sp_expr fn_node(sp_pool *p, int64_t fn, sp_expr a) {
  return spi_node(p, SP_KIND_FN, SP_SORT_REAL, fn, 1, &a, NULL);
}

static sp_expr neg(sp_pool *p, sp_expr a) {
  return sp_scale(p, a, sp_num_from_i64(p, -1));
}

/* log(x * y) = log x + log y where x is known positive: then both sides ask
 * for y > 0. */
static sp_expr log_product(sp_pool *p, sp_expr a) {
  const sp_expr *f;
  uint32_t n = spi_factors(p, &a, &f);
  for (uint32_t i = 0; i < n && n > 1; i++) {
    if (!spi_positive(p, f[i])) {
      continue;
    }
    sp_mark mark = sp_scratch_mark(p->ctx);
    spi_list rest = spi_list_new(p, n);
    for (uint32_t j = 0; j < n; j++) {
      if (j != i) {
        spi_list_push(&rest, f[j]);
      }
    }
    sp_expr r =
        sp_add(p, spi_log(p, f[i]), spi_log(p, spi_mul_n(p, rest.n, rest.v)));
    sp_scratch_release(p->ctx, mark);
    return r;
  }
  return (sp_expr){0};
}

sp_expr spi_log(sp_pool *p, sp_expr a) {
  spi_reals *r = spi_reals_of(p);
  if (p->raw_values) {
    return fn_node(p, r->log, a);
  }
  if (spi_is_nan(p, a)) {
    return a;
  }
  if (spi_kind(p, a) == SP_KIND_NUM && spi_num_is_one(sp_num_value(p, a))) {
    return sp_real(p, SPI_NUM_ZERO);
  }
  if (spi_is_fn(p, a, r->exp)) {
    return sp_arg(p, a, 0);
  }
  if (spi_is_fn(p, a, r->inv)) {
    return neg(p, spi_log(p, sp_arg(p, a, 0)));
  }
  sp_expr e = log_product(p, a);
  return e.v ? e : fn_node(p, r->log, a);
}

/* ---- constants and the other names ---- */

static int64_t exact_root(int64_t v) {
  int64_t lo = 0, hi = INT64_C(3037000499); /* floor(sqrt(2^63 - 1)) */
  while (lo < hi) {
    int64_t mid = lo + (hi - lo + 1) / 2;
    if (mid * mid <= v) {
      lo = mid;
    } else {
      hi = mid - 1;
    }
  }
  return lo * lo == v ? lo : -1;
}

static sp_expr fold_sqrt(sp_pool *p, sp_num v) {
  int64_t n, d;
  if (!spi_num_as_ratio(p, v, &n, &d) || n < 0) {
    return (sp_expr){0};
  }
  n = exact_root(n);
  d = exact_root(d);
  return n < 0 || d < 0 ? (sp_expr){0} : sp_real(p, sp_num_ratio(p, n, d));
}

/* A function of a constant, where that is exact; else 0. */
static sp_expr fold_constant(sp_pool *p, const char *name, sp_num v) {
  int s = sp_num_sign(p, v);
  int64_t f;
  if (strcmp(name, "abs") == 0) {
    return sp_real(p, s < 0 ? sp_num_neg(p, v) : v);
  }
  if (strcmp(name, "sign") == 0) {
    return sp_real_i64(p, s);
  }
  if (strcmp(name, "floor") == 0 && spi_num_floor(p, v, &f)) {
    return sp_real_i64(p, f);
  }
  if (strcmp(name, "ceil") == 0 && spi_num_floor(p, sp_num_neg(p, v), &f) &&
      f > INT64_MIN) {
    return sp_real_i64(p, -f);
  }
  if (strcmp(name, "sqrt") == 0) {
    return fold_sqrt(p, v);
  }
  return (sp_expr){0};
}

/* |k x| = |k| |x|; |x| = x where x is known not to be negative */
static sp_expr abs_of(sp_pool *p, sp_expr a) {
  spi_view s;
  spi_view_of(p, a, &s);
  if (s.n == 1 && spi_num_is_zero(s.constant) && !spi_num_is_one(s.coefs[0])) {
    sp_num k = s.coefs[0];
    k = sp_num_sign(p, k) < 0 ? sp_num_neg(p, k) : k;
    return sp_scale(p, abs_of(p, s.args[0]), k);
  }
  return spi_nonnegative(p, a) ? a : fn_node(p, spi_reals_of(p)->abs, a);
}

enum { POWER_MAX = 8 };

/* x to a small integer power as a product; 0 for other exponents. */
static sp_expr power_of(sp_pool *p, sp_expr x, sp_expr y) {
  int64_t n;
  if (spi_kind(p, y) == SP_KIND_INT) {
    n = sp_int_value(p, y);
  } else if (spi_kind(p, y) != SP_KIND_NUM ||
             !spi_num_as_i64(p, sp_num_value(p, y), &n)) {
    return (sp_expr){0};
  }
  if (n < -POWER_MAX || n > POWER_MAX) {
    return (sp_expr){0};
  }
  sp_expr xs[POWER_MAX];
  uint32_t m = (uint32_t)(n < 0 ? -n : n);
  for (uint32_t i = 0; i < m; i++) {
    xs[i] = x;
  }
  sp_expr e = spi_mul_n(p, m, xs);
  return n < 0 ? sp_inv(p, e) : e;
}

static sp_expr unary(sp_pool *p, const char *name, sp_expr a) {
  if (strcmp(name, "exp") == 0) {
    return sp_exp(p, a);
  }
  if (strcmp(name, "inv") == 0) {
    return sp_inv(p, a);
  }
  if (strcmp(name, "log") == 0) {
    return spi_log(p, a);
  }
  /* These two are definitions and hold in raw mode, too: one function must
   * not have two names. */
  if (strcmp(name, "rsqrt") == 0) {
    return sp_inv(p, sp_fn1(p, "sqrt", a));
  }
  if (strcmp(name, "logistic") == 0) {
    sp_expr one = sp_real(p, SPI_NUM_ONE);
    return sp_inv(p, sp_add(p, one, sp_exp(p, neg(p, a))));
  }
  if (p->raw_values) {
    return (sp_expr){0};
  }
  if (strcmp(name, "abs") == 0 && spi_kind(p, a) != SP_KIND_NUM) {
    return abs_of(p, a);
  }
  return spi_kind(p, a) == SP_KIND_NUM
             ? fold_constant(p, name, sp_num_value(p, a))
             : (sp_expr){0};
}

/* A function of NaN is NaN, if it is one of numbers: of others nothing is
 * known; power(x, 0) and power(1, y) are 1. */
static sp_expr of_nan(const sp_pool *p, const char *name, uint32_t n,
                      const sp_expr *args) {
  double (*one)(double), (*two)(double, double);
  if (strcmp(name, "power") == 0 || strcmp(name, "pow") == 0 ||
      !sp_real_function(name, &one, &two)) {
    return (sp_expr){0};
  }
  for (uint32_t i = 0; i < n; i++) {
    if (spi_is_nan(p, args[i])) {
      return args[i];
    }
  }
  return (sp_expr){0};
}

sp_expr spi_rfn(sp_pool *p, const char *name, uint32_t n, const sp_expr *args) {
  sp_expr e = {0};
  if (n == 1 && sp_sort_of(p, args[0]) == SP_SORT_REAL) {
    e = unary(p, name, args[0]);
  } else if (n == 2 && strcmp(name, "power") == 0 &&
             sp_sort_of(p, args[0]) == SP_SORT_REAL) {
    e = power_of(p, args[0], args[1]);
  }
  if (!e.v && !p->raw_values) {
    e = of_nan(p, name, n, args);
  }
  if (e.v) {
    return e;
  }
  return spi_node(p, SP_KIND_FN, SP_SORT_REAL, spi_fn_id(p, name), n, args,
                  NULL);
}

sp_expr sp_nan(sp_pool *p) {
  return spi_node(p, SP_KIND_FN, SP_SORT_REAL, spi_reals_of(p)->nan, 0, NULL,
                  NULL);
}

bool spi_is_nan(const sp_pool *p, sp_expr e) {
  /* sp_nan has made them, if there is one */
  return p->reals && spi_is_fn(p, e, p->reals->nan);
}

sp_expr sp_fn1(sp_pool *p, const char *name, sp_expr a) {
  return spi_rfn(p, sp_intern(p->ctx, name, strlen(name)), 1, &a);
}
