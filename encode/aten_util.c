/* aten_util.c: what the rows of PyTorch operators share. */
#include "encode/aten_util.h"

#include <string.h>

/* ---- shapes ---- */

const sp_shape *spi_arg_shape(sp_ctx *ctx, const sp_program *program,
                              const sp_node *node, const char *name) {
  int64_t k = spi_arg_operand(node, name);
  if (k < 0) {
    spi_bad(ctx, node, "argument %s is no tensor", name);
  }
  return spi_in(program, node, (uint32_t)k);
}

spi_dims spi_dims_of(const sp_shape *s) {
  spi_dims r = {.n = s->n_dims};
  if (s->n_dims) {
    memcpy(r.d, s->dims, s->n_dims * sizeof *r.d);
  }
  return r;
}

void spi_dims_push(sp_ctx *ctx, const sp_node *node, spi_dims *s,
                   int64_t size) {
  if (s->n >= SP_MAX_DIMS) {
    spi_bad(ctx, node, "more than %d dimensions", SP_MAX_DIMS);
  }
  s->d[s->n++] = size;
}

int64_t spi_dims_count(const spi_dims *s) {
  int64_t n = 1;
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->d[i] < 0 || (s->d[i] > 0 && n > SP_MAX_ELEMENTS / s->d[i])) {
      return -1;
    }
    n *= s->d[i];
  }
  return n;
}

void spi_results(sp_ctx *ctx, const sp_node *node, uint32_t n) {
  if (node->n_out > n) {
    spi_bad(ctx, node, "%u results where %u are expected", node->n_out, n);
  }
}

static const char *sort_name(sp_sort s) {
  return s == SP_SORT_BOOL  ? "booleans"
         : s == SP_SORT_INT ? "integers"
                            : "floats";
}

void spi_yields(sp_ctx *ctx, const sp_program *program, const sp_node *node,
                uint32_t k, const spi_dims *s, sp_sort sort) {
  if (k >= node->n_out) {
    return;
  }
  const sp_shape *r = spi_out(program, node, k);
  if (r->dtype == SP_DTYPE_INVALID) {
    return;
  }
  spi_expect(ctx, program, node, k, s->n, s->d);
  if (sp_dtype_sort(r->dtype) != sort) {
    spi_bad(ctx, node, "result %u is %s, %s expected", k,
            sp_dtype_name(r->dtype), sort_name(sort));
  }
}

void spi_yields_like(sp_ctx *ctx, const sp_program *program,
                     const sp_node *node, uint32_t k, const spi_dims *s,
                     const char *name) {
  sp_dtype t = spi_arg_shape(ctx, program, node, name)->dtype;
  spi_yields(ctx, program, node, k, s, sp_dtype_sort(t));
  if (k < node->n_out) {
    sp_dtype r = spi_out(program, node, k)->dtype;
    if (r != SP_DTYPE_INVALID && !spi_dtype_close(r, t)) {
      spi_bad(ctx, node, "result %u is %s, but %s is %s", k, sp_dtype_name(r),
              name, sp_dtype_name(t));
    }
  }
}

void spi_yields_dtype(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node, const spi_dims *s, sp_sort sort) {
  spi_results(ctx, node, 1);
  sp_dtype t = spi_arg_dtype(ctx, node, "dtype", SP_DTYPE_INVALID);
  if (t != SP_DTYPE_INVALID && node->n_out == 1) {
    sp_dtype r = spi_out(program, node, 0)->dtype;
    if (r != SP_DTYPE_INVALID && r != t) {
      spi_bad(ctx, node, "the result is %s, its dtype %s", sp_dtype_name(r),
              sp_dtype_name(t));
    }
    sort = sp_dtype_sort(t);
  }
  spi_yields(ctx, program, node, 0, s, sort);
}

void spi_shape_of_self(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node, sp_sort sort) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, sort);
}

void spi_shape_backward(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "grad_output"));
  spi_broadcast(ctx, node, &s, spi_arg_shape(ctx, program, node, "self"));
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, SP_SORT_REAL);
}

void spi_shape_like_self(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  spi_dims s = spi_dims_of(spi_arg_shape(ctx, program, node, "self"));
  spi_results(ctx, node, 1);
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

uint32_t spi_dim(sp_ctx *ctx, const sp_node *node, int64_t d, uint32_t n) {
  int64_t m = n == 0 ? 1 : (int64_t)n;
  if (d < -m || d >= m) {
    spi_bad(ctx, node, "dimension %lld of %u", (long long)d, n);
  }
  return (uint32_t)(d < 0 ? d + m : d);
}

uint32_t spi_arg_dim(sp_ctx *ctx, const sp_node *node, const char *name,
                     uint32_t n) {
  return spi_dim(ctx, node, spi_arg_int(ctx, node, name), n);
}

void spi_arg_dims(sp_ctx *ctx, const sp_node *node, const char *name,
                  uint32_t n, bool *in) {
  uint32_t k;
  const int64_t *v = spi_arg_ints(ctx, node, name, &k);
  memset(in, k == 0, SP_MAX_DIMS * sizeof *in);
  for (uint32_t i = 0; i < k; i++) {
    uint32_t d = spi_dim(ctx, node, v[i], n);
    if (in[d]) {
      spi_bad(ctx, node, "dimension %u is named twice", d);
    }
    in[d] = true;
  }
}

int64_t spi_arg_entry(sp_ctx *ctx, const sp_node *node, const char *name,
                      uint32_t d, uint32_t n) {
  uint32_t count;
  const int64_t *v = spi_arg_ints(ctx, node, name, &count);
  if (count != 1 && count != n) {
    spi_bad(ctx, node, "%s has %u numbers for %u dimensions", name, count, n);
  }
  return v[count == 1 ? 0 : d];
}

spi_dims spi_arg_sizes(sp_ctx *ctx, const sp_node *node, const char *name) {
  uint32_t n;
  const int64_t *v = spi_arg_ints(ctx, node, name, &n);
  spi_dims s = {0};
  for (uint32_t d = 0; d < n; d++) {
    if (v[d] < 0 || v[d] >= SP_MAX_ELEMENTS) {
      spi_bad(ctx, node, "%s has %lld", name, (long long)v[d]);
    }
    spi_dims_push(ctx, node, &s, v[d]);
  }
  return s;
}

void spi_broadcast(sp_ctx *ctx, const sp_node *node, spi_dims *s,
                   const sp_shape *t) {
  if (t->n_dims > s->n) {
    uint32_t more = t->n_dims - s->n;
    memmove(s->d + more, s->d, s->n * sizeof *s->d);
    for (uint32_t i = 0; i < more; i++) {
      s->d[i] = 1;
    }
    s->n = t->n_dims;
  }
  for (uint32_t i = 0; i < t->n_dims; i++) {
    int64_t *d = &s->d[s->n - t->n_dims + i];
    if (*d == 1) {
      *d = t->dims[i];
    } else if (t->dims[i] != 1 && t->dims[i] != *d) {
      spi_bad(ctx, node, "sizes %lld and %lld do not go together",
              (long long)*d, (long long)t->dims[i]);
    }
  }
}

void spi_broadcasts_to(sp_ctx *ctx, const sp_node *node, const sp_shape *t,
                       const spi_dims *s) {
  bool fits = t->n_dims <= s->n;
  for (uint32_t i = 0; fits && i < t->n_dims; i++) {
    fits = t->dims[i] == 1 || t->dims[i] == s->d[s->n - t->n_dims + i];
  }
  if (!fits) {
    spi_bad(ctx, node,
            "an argument of %u dimensions cannot be expanded to "
            "the shape that it is used with",
            t->n_dims);
  }
}

/* ---- types ---- */

sp_dtype spi_arg_type(const sp_program *program, const sp_node *node,
                      const char *name) {
  int64_t k = spi_arg_operand(node, name);
  if (k >= 0) {
    return spi_in(program, node, (uint32_t)k)->dtype;
  }
  return spi_arg_is_float(node, name) ? SP_F32 : SP_S64;
}

static int type_class(sp_dtype t) {
  return t == SP_PRED ? 0 : sp_dtype_is_int(t) ? 1 : 2;
}

sp_dtype spi_promote(sp_dtype a, sp_dtype b) {
  int ca = type_class(a), cb = type_class(b);
  if (ca != cb) {
    return ca > cb ? a : b;
  }
  if (ca == 1 && sp_dtype_is_unsigned(a) != sp_dtype_is_unsigned(b) &&
      sp_dtype_bits(a) == sp_dtype_bits(b)) {
    /* u8 and s8 meet in s16 */
    return sp_dtype_bits(a) < 16   ? SP_S16
           : sp_dtype_bits(a) < 32 ? SP_S32
                                   : SP_S64;
  }
  return sp_dtype_bits(a) >= sp_dtype_bits(b) ? a : b;
}

sp_dtype spi_arg_promote(const sp_program *program, const sp_node *node,
                         const char *a, const char *b) {
  sp_dtype ta = spi_arg_type(program, node, a);
  sp_dtype tb = spi_arg_type(program, node, b);
  bool na = spi_arg_operand(node, a) < 0, nb = spi_arg_operand(node, b) < 0;
  if (na != nb && type_class(ta) == type_class(tb)) {
    return na ? tb : ta;
  }
  return spi_promote(ta, tb);
}

/* ---- elements ---- */

sp_ctx *spi_call_ctx(const sp_call *call) {
  return sp_pool_ctx(call->pool);
}

const sp_shape *spi_call_arg_shape(const sp_call *call, const char *name) {
  return spi_arg_shape(spi_call_ctx(call), call->program, call->node, name);
}

sp_expr spi_read_broadcast(const sp_call *call, uint32_t operand, uint32_t n,
                           const sp_expr *idx) {
  const sp_shape *s = sp_call_shape(call, operand);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < s->n_dims; d++) {
    j[d] = s->dims[d] == 1 ? sp_int(call->pool, 0) : idx[n - s->n_dims + d];
  }
  return sp_call_read(call, operand, j);
}

sp_expr spi_arg_read(const sp_call *call, const char *name,
                     const sp_expr *idx) {
  int64_t k = spi_arg_operand(call->node, name);
  if (k < 0) {
    spi_bad(spi_call_ctx(call), call->node, "argument %s is no tensor", name);
  }
  return sp_call_read(call, (uint32_t)k, idx);
}

sp_expr spi_arg_value(const sp_call *call, const char *name, uint32_t n,
                      const sp_expr *idx, sp_dtype t) {
  int64_t k = spi_arg_operand(call->node, name);
  if (k < 0) {
    return spi_arg_number(call, name, t);
  }
  sp_expr e = spi_read_broadcast(call, (uint32_t)k, n, idx);
  return spi_convert(call, e, spi_in_dtype(call, (uint32_t)k), t);
}

sp_expr spi_bounded(const sp_call *call, sp_expr e, int64_t n) {
  sp_pool *p = call->pool;
  int64_t lo, hi;
  sp_range(p, e, &lo, &hi);
  if (n == 0 || (lo >= 0 && hi < n)) {
    return e;
  }
  spi_assume(call, SPI_IN_BOUNDS);
  return sp_clamp(p, e, sp_int(p, 0), sp_int(p, n - 1));
}

sp_expr spi_bounded_signed(const sp_call *call, sp_expr e, int64_t n) {
  sp_pool *p = call->pool;
  int64_t lo, hi;
  sp_range(p, e, &lo, &hi);
  if (lo < 0) {
    sp_expr up = sp_iaddc(p, e, n);
    e = hi < 0 ? up : sp_ite(p, sp_lt(p, e, sp_int(p, 0)), up, e);
  }
  return spi_bounded(call, e, n);
}

sp_expr spi_sum(const sp_call *call, uint32_t n, const sp_expr *vars,
                sp_expr body) {
  return spi_red(call, SP_REDUCER_SUM, SP_F64, n, vars, body);
}

sp_expr spi_over(sp_pool *p, sp_expr e, int64_t n) {
  return n == 0 ? sp_div(p, e, sp_real_i64(p, 0))
                : sp_scale(p, e, sp_num_ratio(p, 1, n));
}

sp_expr spi_self_element(const sp_call *call, const sp_expr *idx) {
  return spi_arg_read(call, "self", idx);
}
