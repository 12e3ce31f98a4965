/* machine_function.c: what the opaque functions compute. The table is at the
 * end. */
#include "solve/opaque.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/hash.h"

/* ---- orders ---- */

typedef struct order {
  const spi_opaque *o;
  spi_lane *const *v;
  bool largest; /* top-k: by value; else by the comparator */
} order;

/* Does element a of the slices come before b? */
static bool before(const order *x, int64_t a, int64_t b) {
  if (!x->o->region) {
    spi_lane l = x->v[0][a], r = x->v[0][b];
    if (x->o->slices[0].sort == SP_SORT_REAL) { /* NaN is the largest */
      double large = x->largest ? l.r : r.r, small = x->largest ? r.r : l.r;
      return large > small || (isnan(large) && !isnan(small));
    }
    return x->largest ? l.i > r.i : l.i < r.i;
  }
  for (uint32_t k = 0; k < x->o->n_slices; k++) {
    spi_scalars_set(x->o->region, 2 * k, x->v[k][a]);
    spi_scalars_set(x->o->region, 2 * k + 1, x->v[k][b]);
  }
  spi_scalars_run(x->o->region);
  return spi_scalars_get(x->o->region, 0).i != 0;
}

/* Stable, bottom-up merging; the result may be in either array. */
static int64_t *sorted(const order *x, int64_t n, int64_t *a, int64_t *b) {
  for (int64_t i = 0; i < n; i++) {
    a[i] = i;
  }
  for (int64_t width = 1; width < n; width *= 2) {
    for (int64_t from = 0; from < n; from += 2 * width) {
      int64_t mid = from + width < n ? from + width : n;
      int64_t end = from + 2 * width < n ? from + 2 * width : n;
      int64_t l = from, r = mid;
      for (int64_t k = from; k < end; k++) {
        bool right = r < end && (l == mid || before(x, a[r], a[l]));
        b[k] = right ? a[r++] : a[l++];
      }
    }
    int64_t *t = a;
    a = b;
    b = t;
  }
  return a;
}

static void order_run(sp_ctx *ctx, const spi_opaque *o, spi_lane *const *v,
                      spi_lane *out, bool largest, bool indices, uint32_t k) {
  int64_t n = o->slices[0].n;
  sp_mark mark = sp_scratch_mark(ctx);
  int64_t *a = sp_scratch(ctx, ((size_t)n + 1) * sizeof *a);
  int64_t *b = sp_scratch(ctx, ((size_t)n + 1) * sizeof *b);
  order x = {o, v, largest};
  const int64_t *at = sorted(&x, n, a, b);
  for (int64_t i = 0; i < o->n_out; i++) {
    out[i] = v[k][at[i]];
    if (indices) {
      out[i].i = at[i];
    }
  }
  sp_scratch_release(ctx, mark);
}

static const char *sort_check(const spi_opaque *o) {
  if (spi_scalars_params(o->region) != 2 * o->n_slices ||
      spi_scalars_results(o->region) != 1) {
    return "a sort without a comparator";
  }
  for (uint32_t k = 0; k < o->n_slices; k++) {
    if (o->slices[k].n != o->n_out) {
      return "a sort of slices of different lengths";
    }
  }
  return o->result < o->n_slices ? NULL : "a sort with too many results";
}

static void sort_run(sp_ctx *ctx, const spi_opaque *o, spi_lane *const *v,
                     spi_lane *out) {
  order_run(ctx, o, v, out, false, false, o->result);
}

/* PyTorch's: "aten.sort:values:down:stable:N", "aten.topk:indices:..." */
static void aten_sort_run(sp_ctx *ctx, const spi_opaque *o, spi_lane *const *v,
                          spi_lane *out) {
  order_run(ctx, o, v, out, strstr(o->name, ":down:") != NULL,
            strstr(o->name, ":indices:") != NULL, 0);
}

static const char *topk_check(const spi_opaque *o) {
  return o->n_slices == 1 && o->n_out <= o->slices[0].n && !o->region
             ? NULL
             : "a top-k of another form";
}

static void topk_run(sp_ctx *ctx, const spi_opaque *o, spi_lane *const *v,
                     spi_lane *out) {
  bool indices = strncmp(o->name, "topk:indices:", 13) == 0;
  order_run(ctx, o, v, out, strstr(o->name, ":largest:") != NULL, indices, 0);
}

/* ---- reductions by any computation: in row-major order ---- */

/* n slices, then n inits (not the all-reduce's), then perhaps conditions. */
static const char *fold_check_of(const spi_opaque *o, uint32_t n,
                                 uint32_t slices) {
  if (o->n_slices != slices || spi_scalars_params(o->region) != 2 * n ||
      spi_scalars_results(o->region) != n || o->result >= n || o->n_out != 1) {
    return "a reduction of another form";
  }
  for (uint32_t k = 1; k < n; k++) {
    if (o->slices[k].n != o->slices[0].n) {
      return "a reduction of slices of different sizes";
    }
  }
  return NULL;
}

enum { MAX_FOLD = 16 };

static uint32_t fold_width(const spi_opaque *o) {
  uint32_t n = spi_scalars_results(o->region);
  return n >= 1 && n <= MAX_FOLD ? n : 0;
}

static const char *reduce_check(const spi_opaque *o) {
  uint32_t n = fold_width(o);
  return n ? fold_check_of(o, n, 2 * n) : "a reduction without computation";
}

static const char *window_check(const spi_opaque *o) {
  uint32_t n = fold_width(o);
  return n ? fold_check_of(o, n, 2 * n + 1) : "a reduction without computation";
}

static const char *all_reduce_check(const spi_opaque *o) {
  if (o->n_slices != 1 || o->slices[0].n < 1 || o->n_out != 1 ||
      spi_scalars_params(o->region) != 2 ||
      spi_scalars_results(o->region) != 1) {
    return "an all-reduce without computation";
  }
  return NULL;
}

static void combine(const spi_opaque *o, uint32_t n, spi_lane *acc,
                    spi_lane *const *v, int64_t at) {
  for (uint32_t k = 0; k < n; k++) {
    spi_scalars_set(o->region, k, acc[k]);
    spi_scalars_set(o->region, n + k, v[k][at]);
  }
  spi_scalars_run(o->region);
  for (uint32_t k = 0; k < n; k++) {
    acc[k] = spi_scalars_get(o->region, k);
  }
}

static void reduce_run(sp_ctx *ctx, const spi_opaque *o, spi_lane *const *v,
                       spi_lane *out) {
  (void)ctx;
  spi_lane acc[MAX_FOLD];
  uint32_t n = fold_width(o);
  bool window = o->n_slices == 2 * n + 1;
  for (uint32_t k = 0; k < n; k++) {
    acc[k] = v[n + k][0];
  }
  /* a condition that does not vary is a slice of one element */
  for (int64_t i = 0; i < o->slices[0].n; i++) {
    if (!window || v[2 * n][o->slices[2 * n].n == 1 ? 0 : i].i) {
      combine(o, n, acc, v, i);
    }
  }
  out[0] = acc[o->result];
}

static void all_reduce_run(sp_ctx *ctx, const spi_opaque *o, spi_lane *const *v,
                           spi_lane *out) {
  (void)ctx;
  out[0] = v[0][0];
  for (int64_t i = 1; i < o->slices[0].n; i++) {
    combine(o, 1, out, v, i);
  }
}

/* Slices: which updates hit, the updates, the old value. */
static const char *scatter_check(const spi_opaque *o) {
  bool assign = strcmp(o->name, "scatter:assign") == 0;
  if (o->n_slices != 3 || o->n_out != 1 || o->slices[2].n != 1 ||
      o->slices[0].n != o->slices[1].n ||
      (!assign && (spi_scalars_params(o->region) != 2 ||
                   spi_scalars_results(o->region) != 1))) {
    return "a scatter of another form";
  }
  return NULL;
}

static void scatter_run(sp_ctx *ctx, const spi_opaque *o, spi_lane *const *v,
                        spi_lane *out) {
  (void)ctx;
  bool assign = strcmp(o->name, "scatter:assign") == 0;
  out[0] = v[2][0];
  for (int64_t i = 0; i < o->slices[0].n; i++) {
    if (v[0][i].i && assign) {
      out[0] = v[1][i];
    } else if (v[0][i].i) {
      combine(o, 1, out, v + 1, i);
    }
  }
}

/* ---- random bits: a hash of algorithm, state and position ---- */

static const char *rng_check(const spi_opaque *o) {
  return o->n_slices == 1 ? NULL : "random bits of another form";
}

static void rng_run(sp_ctx *ctx, const spi_opaque *o, spi_lane *const *v,
                    spi_lane *out) {
  (void)ctx;
  uint64_t seed = 0;
  for (int64_t i = 0; i < o->slices[0].n; i++) {
    seed = sp_hash_bits(seed ^ (uint64_t)v[0][i].i, "state", i);
  }
  int bits = sp_dtype_bits(o->dtype);
  for (int64_t i = 0; i < o->n_out; i++) {
    uint64_t h = sp_hash_bits(seed, o->name, i);
    if (o->sort == SP_SORT_REAL) {
      out[i].r = (double)(h >> 11) * 0x1p-53;
    } else if (o->sort == SP_SORT_BOOL) {
      out[i].i = (int64_t)(h & 1);
    } else {
      /* without the sign: non-negative in every type */
      int keep = bits - !sp_dtype_is_unsigned(o->dtype);
      out[i].i =
          (int64_t)(keep < 63 ? h & (((uint64_t)1 << keep) - 1) : h >> 1);
    }
  }
}

/* ---- matrices ---- */

static bool flag(const spi_opaque *o, const char *name) {
  const sp_attr *a = sp_node_attr(o->node, name);
  return a && a->kind == SP_ATTR_TEXT && strcmp(a->u.text, "true") == 0;
}

static int64_t root(int64_t n) {
  int64_t r = (int64_t)llround(sqrt((double)n));
  return r * r == n ? r : -1;
}

static const char *cholesky_check(const spi_opaque *o) {
  return o->n_slices == 1 && root(o->slices[0].n) >= 0 &&
                 o->n_out == o->slices[0].n && o->sort == SP_SORT_REAL
             ? NULL
             : "a Cholesky decomposition of another form";
}

/* Of the triangle that `lower` names; the other one is zero. */
static void cholesky_run(sp_ctx *ctx, const spi_opaque *o, spi_lane *const *v,
                         spi_lane *out) {
  (void)ctx;
  int64_t n = root(o->slices[0].n);
  bool lower = flag(o, "lower");
  const spi_lane *a = v[0];
  memset(out, 0, (size_t)(n * n) * sizeof *out);
#define AT(i, j) (lower ? (i)*n + (j) : (j)*n + (i))
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j <= i; j++) {
      double s = a[AT(i, j)].r;
      for (int64_t k = 0; k < j; k++) {
        s -= out[AT(i, k)].r * out[AT(j, k)].r;
      }
      out[AT(i, j)].r = i == j ? sqrt(s) : s / out[AT(j, j)].r;
    }
  }
#undef AT
}

static const char *solve_check(const spi_opaque *o) {
  int64_t n = o->n_slices == 2 ? root(o->slices[0].n) : -1;
  const sp_attr *t = sp_node_attr(o->node, "transpose_a");
  bool known = !t || strcmp(t->u.text, "NO_TRANSPOSE") == 0 ||
               strcmp(t->u.text, "TRANSPOSE") == 0 ||
               strcmp(t->u.text, "ADJOINT") == 0;
  return n > 0 && known && o->slices[1].n == o->n_out && o->n_out % n == 0 &&
                 o->sort == SP_SORT_REAL
             ? NULL
             : "a triangular solve of another form";
}

/* op(a) x = b, or x op(a) = b, solved row by row from the corner. */
static void solve_run(sp_ctx *ctx, const spi_opaque *o, spi_lane *const *v,
                      spi_lane *out) {
  (void)ctx;
  int64_t n = root(o->slices[0].n), m = o->n_out / n;
  bool left = flag(o, "left_side"), unit = flag(o, "unit_diagonal");
  const sp_attr *t = sp_node_attr(o->node, "transpose_a");
  bool transpose = t && strcmp(t->u.text, "NO_TRANSPOSE") != 0;
  /* x a = b is a^T x^T = b^T */
  bool flip = transpose == left;
  bool lower = flag(o, "lower") != flip;
  for (int64_t c = 0; c < m; c++) {
    for (int64_t s = 0; s < n; s++) {
      int64_t i = lower ? s : n - 1 - s;
      int64_t at = left ? i * m + c : c * n + i;
      double x = v[1][at].r;
      for (int64_t u = 0; u < s; u++) {
        int64_t k = lower ? u : n - 1 - u;
        double f = v[0][flip ? k * n + i : i * n + k].r;
        x -= f * out[left ? k * m + c : c * n + k].r;
      }
      out[at].r = unit ? x : x / v[0][i * n + i].r;
    }
  }
}

/* ---- a function that nothing is known of ---- */

static const char *any_check(const spi_opaque *o) {
  return o->sort == SP_SORT_REAL ? NULL : "a function that is not real";
}

/* All integers in their order, whether they are positions or not. */
static uint64_t hash_integers(const spi_opaque *o, spi_lane *const *v,
                              int64_t at) {
  uint64_t seed = sp_hash_bits(0, o->name, -1);
  int64_t idx[SP_MAX_DIMS] = {0};
  for (uint32_t k = 0; k < o->n_slices; k++) {
    seed = o->slices[k].index ? sp_hash_bits(seed, o->name, v[k][0].i) : seed;
  }
  for (uint32_t d = o->shape->n_dims; d-- > 0;) {
    if (o->position[d]) {
      idx[d] = at % o->shape->dims[d];
      at /= o->shape->dims[d];
    }
  }
  for (uint32_t i = 0; i < o->n_own; i++) {
    seed = sp_hash_bits(seed, o->name, idx[o->own[i]]);
  }
  return seed;
}

/* Integers choose the function, which is a smooth one of all elements of the
 * slices: rounding does not matter, each element does. */
static void any_run(sp_ctx *ctx, const spi_opaque *o, spi_lane *const *v,
                    spi_lane *out) {
  (void)ctx;
  for (int64_t at = 0; at < o->n_out; at++) {
    uint64_t seed = hash_integers(o, v, at);
    double x = 0;
    for (uint32_t k = 0; k < o->n_slices; k++) {
      const spi_slice *s = &o->slices[k];
      for (int64_t i = 0; i < s->n && !s->index; i++) {
        uint64_t h = sp_hash_bits(seed + k, "", i);
        double weight = 0.5 + (double)(h % 1024) / 1024.0;
        x += weight * (s->sort == SP_SORT_REAL ? v[k][i].r : (double)v[k][i].i);
      }
    }
    out[at].r = sin(x) + 0.25 * x;
  }
}

/* ---- the table ---- */

static const spi_function functions[] = {
    {"sort:", 1, sort_check, sort_run},
    {"topk:", 1, topk_check, topk_run},
    {"aten.sort:", 1, topk_check, aten_sort_run},
    {"aten.topk:", 1, topk_check, aten_sort_run},
    {"reduce:", 0, reduce_check, reduce_run},
    {"reduce-window:", 0, window_check, reduce_run},
    {"all-reduce:", 0, all_reduce_check, all_reduce_run},
    {"scatter:", 0, scatter_check, scatter_run},
    {"rng-bits:", -1, rng_check, rng_run},
    {"hlo:cholesky", 2, cholesky_check, cholesky_run},
    {"hlo:triangular-solve", 2, solve_check, solve_run},
    {"opaque:", -2, any_check, any_run},
};

const spi_function *spi_function_find(const char *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (strncmp(functions[i].prefix, name, strlen(functions[i].prefix)) == 0) {
      return &functions[i];
    }
  }
  return NULL;
}
