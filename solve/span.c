/* span.c: sets first, then terms; read spi_span_image. */
#include "solve/span.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

enum {
  MAX_POINTS = 65536,
  MAX_VALUES = 1 << 22, /* values listed one by one */
  MAX_DEPTH = 40,
};

/* ---- sets ---- */

int64_t spi_span_find(sp_span s, int64_t index) {
  int64_t lo = 0, hi = s.n;
  if (!s.at) {
    return index >= 0 && index < s.n ? index : -1;
  }
  while (lo < hi) {
    int64_t mid = lo + (hi - lo) / 2;
    if (s.at[mid] < index) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return lo < s.n && s.at[lo] == index ? lo : -1;
}

/* Those in either (in both); *out: where they go, or NULL to count them. */
static int64_t merge(sp_span a, sp_span b, bool both, int64_t *out) {
  int64_t i = 0, j = 0, n = 0;
  while (i < a.n || j < b.n) {
    int64_t x = i < a.n ? spi_span_at(a, i) : INT64_MAX;
    int64_t y = j < b.n ? spi_span_at(b, j) : INT64_MAX;
    if (!both || x == y) {
      if (out) {
        out[n] = x < y ? x : y;
      }
      n++;
    }
    i += x <= y;
    j += y <= x;
  }
  return n;
}

/* Mostly the result is one of the two. */
static sp_span merged(sp_ctx *ctx, sp_span a, sp_span b, bool both) {
  int64_t n = merge(a, b, both, NULL);
  if (n == a.n || n == b.n) {
    return n == a.n ? a : b;
  }
  int64_t *at = sp_alloc_n(ctx, (size_t)n + 1, sizeof *at);
  merge(a, b, both, at);
  return (sp_span){n, at};
}

sp_span spi_span_union(sp_ctx *ctx, sp_span a, sp_span b, int64_t extent) {
  if (!a.at || !b.at) {
    return spi_span_all(extent);
  }
  sp_span u = merged(ctx, a, b, false);
  return u.n == extent ? spi_span_all(extent) : u;
}

sp_span spi_span_meet(sp_ctx *ctx, sp_span a, sp_span b) {
  return !a.at ? b : !b.at ? a : merged(ctx, a, b, true);
}

sp_span spi_span_below(sp_ctx *ctx, sp_span s, int64_t limit) {
  int64_t n = 0;
  while (n < s.n && spi_span_at(s, n) < limit) {
    n++;
  }
  if (n == limit) {
    return spi_span_all(limit);
  }
  if (n == s.n) {
    return s;
  }
  int64_t *at = sp_alloc_n(ctx, (size_t)n + 1, sizeof *at);
  for (int64_t i = 0; i < n; i++) {
    at[i] = spi_span_at(s, i);
  }
  return (sp_span){n, at};
}

sp_span spi_span_of_bits(sp_ctx *ctx, const bool *bits, int64_t extent) {
  int64_t n = 0, k = 0;
  for (int64_t i = 0; i < extent; i++) {
    n += bits[i];
  }
  if (n == extent) {
    return spi_span_all(extent);
  }
  int64_t *at = sp_alloc_n(ctx, (size_t)n + 1, sizeof *at);
  for (int64_t i = 0; i < extent; i++) {
    if (bits[i]) {
      at[k++] = i;
    }
  }
  return (sp_span){n, at};
}

bool spi_span_is_run(sp_span s, int64_t *first) {
  *first = s.n ? spi_span_at(s, 0) : 0;
  return s.n == 0 || spi_span_at(s, s.n - 1) - *first == s.n - 1;
}

/* ---- points ---- */

bool spi_points_of(sp_pool *p, sp_expr e, spi_points *out) {
  out->size = 1;
  out->n = sp_free_vars(p, e, &out->vars);
  if (out->n > SP_MAX_DIMS || sp_has_read(p, e)) {
    return false;
  }
  for (uint32_t i = 0; i < out->n; i++) {
    out->extents[i] = sp_var_extent(p, out->vars[i]);
    out->at[i] = 0;
    if (!sp_mul_ok(out->size, out->extents[i], &out->size) ||
        out->size > MAX_POINTS) {
      return false;
    }
  }
  return true;
}

void spi_points_next(spi_points *x) {
  for (uint32_t i = x->n; i-- > 0;) {
    if (++x->at[i] < x->extents[i]) {
      return;
    }
    x->at[i] = 0;
  }
}

static int64_t value_of(void *user, sp_expr v) {
  const spi_points *x = user;
  for (uint32_t i = 0; i < x->n; i++) {
    if (x->vars[i].v == v.v) {
      return x->at[i];
    }
  }
  return 0;
}

bool spi_points_value(sp_pool *p, const spi_points *x, sp_expr e,
                      int64_t *out) {
  spi_points at = *x;
  sp_eval_env env = {.user = &at, .var = value_of, .budget = 100000};
  sp_value v;
  if (!sp_eval(p, e, &env, &v) || v.sort == SP_SORT_REAL) {
    return false;
  }
  *out = v.sort == SP_SORT_INT ? v.i : v.b;
  return true;
}

/* ---- terms ---- */

sp_expr spi_span_term(sp_pool *p, sp_span s, sp_expr k) {
  if (!s.at) {
    return k;
  }
  int64_t step = s.n > 1 ? s.at[1] - s.at[0] : 1;
  for (int64_t i = 0; i < s.n; i++) {
    if (s.at[i] != s.at[0] + step * i) {
      return sp_table(p, s.at, s.n, k);
    }
  }
  return sp_iaddc(p, sp_iscale(p, k, step), s.n ? s.at[0] : 0);
}

static sp_span run_of(sp_ctx *ctx, int64_t lo, int64_t hi, int64_t extent) {
  lo = lo < 0 ? 0 : lo;
  hi = hi > extent - 1 ? extent - 1 : hi;
  int64_t n = hi < lo ? 0 : hi - lo + 1;
  if (n == extent || n > MAX_VALUES) {
    return spi_span_all(extent);
  }
  int64_t *at = sp_alloc_n(ctx, (size_t)n + 1, sizeof *at);
  for (int64_t i = 0; i < n; i++) {
    at[i] = lo + i;
  }
  return (sp_span){n, at};
}

/* What a term may be: bits[v - lo], in scratch memory. */
typedef struct values {
  int64_t lo, n;
  bool *bits;
} values;

static bool values_new(sp_pool *p, sp_expr e, values *out) {
  int64_t hi;
  if (!sp_range(p, e, &out->lo, &hi) || !sp_sub_ok(hi, out->lo, &out->n) ||
      out->n >= MAX_VALUES || out->n < 0) {
    return false;
  }
  out->n++;
  out->bits = sp_scratch(sp_pool_ctx(p), (size_t)out->n * sizeof(bool));
  memset(out->bits, 0, (size_t)out->n * sizeof(bool));
  return true;
}

static void add_value(values *x, int64_t v) {
  if (v >= x->lo && v - x->lo < x->n) {
    x->bits[v - x->lo] = true;
  }
}

static bool values_of(sp_pool *p, sp_expr e, uint32_t depth, values *out);

/* The positions where bits are set; their number. */
static int64_t positions(sp_pool *p, const values *x, int64_t **out) {
  int64_t n = 0;
  *out = sp_scratch(sp_pool_ctx(p), (size_t)x->n * sizeof **out);
  for (int64_t i = 0; i < x->n; i++) {
    if (x->bits[i]) {
      (*out)[n++] = i;
    }
  }
  return n;
}

/* a + coef * b for all a so far: the parts are taken to be independent. */
static bool add_part(sp_pool *p, values *sum, const values *part,
                     int64_t coef) {
  int64_t *a, *b, n_a = positions(p, sum, &a), n_b = positions(p, part, &b);
  if (n_b > 1 && sum->n > MAX_VALUES * 8L / n_b) {
    return false;
  }
  memset(sum->bits, 0, (size_t)sum->n * sizeof(bool));
  for (int64_t j = 0; j < n_b; j++) {
    int64_t by = sum->lo + coef * (part->lo + b[j]);
    for (int64_t i = 0; i < n_a; i++) {
      add_value(sum, by + a[i]);
    }
  }
  return true;
}

/* The window is wide enough for partial sums. */
static bool values_of_sum(sp_pool *p, sp_expr e, uint32_t depth, values *out) {
  int64_t lo = sp_lin_const(p, e), hi = lo, least = lo, most = lo;
  values part[SP_MAX_DIMS];
  uint32_t n = sp_n_args(p, e);
  if (n > SP_MAX_DIMS) {
    return false;
  }
  for (uint32_t k = 0; k < n; k++) {
    int64_t c = sp_lin_coef(p, e, k), a, b;
    if (!values_of(p, sp_arg(p, e, k), depth + 1, &part[k]) ||
        !sp_mul_ok(c, part[k].lo, &a) ||
        !sp_mul_ok(c, part[k].lo + part[k].n - 1, &b)) {
      return false;
    }
    lo = sp_add_sat(lo, a < b ? a : b);
    hi = sp_add_sat(hi, a < b ? b : a);
    least = lo < least ? lo : least;
    most = hi > most ? hi : most;
  }
  if (!sp_sub_ok(most, least, &out->n) || out->n >= MAX_VALUES) {
    return false;
  }
  out->n++;
  out->lo = least;
  out->bits = sp_scratch(sp_pool_ctx(p), (size_t)out->n * sizeof(bool));
  memset(out->bits, 0, (size_t)out->n * sizeof(bool));
  add_value(out, sp_lin_const(p, e));
  for (uint32_t k = 0; k < n; k++) {
    if (!add_part(p, out, &part[k], sp_lin_coef(p, e, k))) {
      return false;
    }
  }
  return true;
}

static bool values_by_points(sp_pool *p, sp_expr e, spi_points *x,
                             values *out) {
  if (!values_new(p, e, out)) {
    return false;
  }
  for (int64_t i = 0; i < x->size; i++, spi_points_next(x)) {
    int64_t v;
    if (!spi_points_value(p, x, e, &v)) {
      return false;
    }
    add_value(out, v);
  }
  return true;
}

static bool values_of(sp_pool *p, sp_expr e, uint32_t depth, values *out) {
  sp_kind kind = sp_kind_of(p, e);
  spi_points x;
  if (depth > MAX_DEPTH) {
    return false;
  }
  if (kind == SP_KIND_VAR) {
    if (!values_new(p, e, out)) {
      return false;
    }
    memset(out->bits, 1, (size_t)out->n * sizeof(bool));
    return true;
  }
  if (kind != SP_KIND_LIN && spi_points_of(p, e, &x)) {
    return values_by_points(p, e, &x, out);
  }
  if (kind == SP_KIND_LIN) {
    return values_of_sum(p, e, depth, out) ||
           (spi_points_of(p, e, &x) && values_by_points(p, e, &x, out));
  }
  values of;
  if ((kind != SP_KIND_DIV && kind != SP_KIND_MOD) ||
      !values_of(p, sp_arg(p, e, 0), depth + 1, &of) ||
      !values_new(p, e, out)) {
    return false;
  }
  int64_t c = sp_divisor(p, e);
  for (int64_t i = 0; i < of.n; i++) {
    if (of.bits[i]) {
      int64_t v = of.lo + i;
      add_value(out,
                kind == SP_KIND_DIV ? sp_floor_div(v, c) : sp_floor_mod(v, c));
    }
  }
  return true;
}

static int by_size(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* Few points that lie far apart. */
static bool image_by_points(sp_pool *p, sp_expr e, int64_t extent,
                            sp_span *out) {
  sp_ctx *ctx = sp_pool_ctx(p);
  spi_points x;
  if (!spi_points_of(p, e, &x)) {
    return false;
  }
  int64_t *at = sp_alloc_n(ctx, (size_t)x.size + 1, sizeof *at), n = 0, k = 0;
  for (int64_t i = 0; i < x.size; i++, spi_points_next(&x)) {
    if (!spi_points_value(p, &x, e, &at[n])) {
      return false;
    }
    n += at[n] >= 0 && at[n] < extent;
  }
  qsort(at, (size_t)n, sizeof *at, by_size);
  for (int64_t i = 0; i < n; i++) {
    if (k == 0 || at[i] != at[k - 1]) {
      at[k++] = at[i];
    }
  }
  *out = k == extent ? spi_span_all(extent) : (sp_span){k, at};
  return true;
}

static sp_span image_by_values(sp_ctx *ctx, const values *x, int64_t extent) {
  int64_t n = 0, k = 0;
  for (int64_t i = 0; i < x->n; i++) {
    n += x->bits[i] && x->lo + i >= 0 && x->lo + i < extent;
  }
  if (n == extent) {
    return spi_span_all(extent);
  }
  int64_t *at = sp_alloc_n(ctx, (size_t)n + 1, sizeof *at);
  for (int64_t i = 0; i < x->n; i++) {
    if (x->bits[i] && x->lo + i >= 0 && x->lo + i < extent) {
      at[k++] = x->lo + i;
    }
  }
  return (sp_span){n, at};
}

sp_span spi_span_image(sp_pool *p, sp_expr e, int64_t extent) {
  sp_ctx *ctx = sp_pool_ctx(p);
  int64_t lo, hi;
  values x;
  sp_span found;
  sp_mark mark = sp_scratch_mark(ctx);
  sp_range(p, e, &lo, &hi);
  if (!sp_has_read(p, e) && values_of(p, e, 0, &x)) {
    found = image_by_values(ctx, &x, extent);
  } else if (!image_by_points(p, e, extent, &found)) {
    found = run_of(ctx, lo, hi, extent);
  }
  sp_scratch_release(ctx, mark);
  return found;
}
