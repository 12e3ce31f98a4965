/* op_util.c: helpers of the operator rows; spi_wrap is the one to read: it
 * decides how machine integers are modelled. */
#include "encode/op_util.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const sp_shape *spi_in(const sp_program *program, const sp_node *node,
                       uint32_t operand) {
  return &program->tensors[node->in[operand]].shape;
}

const sp_shape *spi_out(const sp_program *program, const sp_node *node,
                        uint32_t result) {
  return &program->tensors[node->out + result].shape;
}

const int64_t *spi_ints(const sp_node *node, const char *name, uint32_t *n) {
  static const int64_t none[1] = {0};
  const sp_attr *a = sp_node_attr(node, name);
  if (!a || a->kind != SP_ATTR_INTS || a->n == 0) {
    *n = 0;
    return none;
  }
  *n = (uint32_t)a->n;
  return a->u.ints;
}

int64_t spi_attr_int(const sp_node *node, const char *name, int64_t absent) {
  const sp_attr *a = sp_node_attr(node, name);
  return a && a->kind == SP_ATTR_INT ? a->u.i : absent;
}

const char *spi_attr_text(const sp_node *node, const char *name) {
  const sp_attr *a = sp_node_attr(node, name);
  return a && a->kind == SP_ATTR_TEXT ? a->u.text : NULL;
}

const sp_program *spi_attr_region(const sp_node *node, const char *name) {
  const sp_attr *a = sp_node_attr(node, name);
  return a && a->kind == SP_ATTR_REGION ? a->u.region : NULL;
}

const sp_groups *spi_attr_groups(const sp_node *node, const char *name) {
  const sp_attr *a = sp_node_attr(node, name);
  return a && a->kind == SP_ATTR_GROUPS ? a->u.groups : NULL;
}

const sp_window_dim *spi_attr_window(const sp_node *node, uint32_t *n) {
  const sp_attr *a = sp_node_attr(node, "window");
  *n = a && a->kind == SP_ATTR_WINDOW ? (uint32_t)a->n : 0;
  return *n ? a->u.window : NULL;
}

bool spi_contains(const int64_t *v, uint32_t n, int64_t x) {
  for (uint32_t i = 0; i < n; i++) {
    if (v[i] == x) {
      return true;
    }
  }
  return false;
}

/* ---- errors ---- */

noreturn void spi_bad(sp_ctx *ctx, const sp_node *node, const char *fmt, ...) {
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  bool hlo = strncmp(node->op, "hlo:", 4) == 0;
  sp_raise(ctx, SP_ERR_INPUT, node->pos.dump,
           hlo ? "XLA's verifier would refuse this instruction; was the dump "
                 "edited or cut?"
               : "PyTorch would refuse this call; was the text edited or cut?",
           "%s (%s): %s", node->name, node->op, text);
}

noreturn void spi_unknown(sp_ctx *ctx, const sp_node *node, const char *fmt,
                          ...) {
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  sp_raise(ctx, SP_ERR_UNKNOWN, node->pos.dump,
           "results that depend on it stay unproved", "%s (%s): %s", node->name,
           node->op, text);
}

/* ---- shape rules ---- */

static void dims_expect(sp_ctx *ctx, const sp_node *node, const char *what,
                        uint32_t k, const sp_shape *s, uint32_t n_dims,
                        const int64_t *dims) {
  if (s->n_dims != n_dims) {
    spi_bad(ctx, node, "%s %u has %u dimensions, %u expected", what, k,
            s->n_dims, n_dims);
  }
  for (uint32_t d = 0; d < n_dims; d++) {
    if (s->dims[d] != dims[d]) {
      spi_bad(ctx, node, "dimension %u of %s %u has size %lld, %lld expected",
              d, what, k, (long long)s->dims[d], (long long)dims[d]);
    }
  }
}

void spi_expect(sp_ctx *ctx, const sp_program *program, const sp_node *node,
                uint32_t result, uint32_t n_dims, const int64_t *dims) {
  dims_expect(ctx, node, "result", result, spi_out(program, node, result),
              n_dims, dims);
}

void spi_expect_operand(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node, uint32_t operand, uint32_t n_dims,
                        const int64_t *dims) {
  dims_expect(ctx, node, "operand", operand, spi_in(program, node, operand),
              n_dims, dims);
}

bool spi_dtype_close(sp_dtype a, sp_dtype b) {
  return a == b || (sp_dtype_is_float(a) && sp_dtype_is_float(b));
}

void spi_expect_dtype(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node, uint32_t result, uint32_t operand) {
  sp_dtype a = spi_out(program, node, result)->dtype;
  sp_dtype b = spi_in(program, node, operand)->dtype;
  if (!spi_dtype_close(a, b)) {
    spi_bad(ctx, node, "result %u is %s, but operand %u is %s", result,
            sp_dtype_name(a), operand, sp_dtype_name(b));
  }
}

void spi_expect_results(sp_ctx *ctx, const sp_node *node, uint32_t n) {
  if (node->n_out != n) {
    spi_bad(ctx, node, "%u results where %u are expected", node->n_out, n);
  }
}

void spi_check_dims(sp_ctx *ctx, const sp_node *node, const char *attr,
                    uint32_t n_dims) {
  uint32_t n;
  const int64_t *v = spi_ints(node, attr, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (v[i] < 0 || v[i] >= (int64_t)n_dims) {
      spi_bad(ctx, node, "%s names dimension %lld of %u", attr, (long long)v[i],
              n_dims);
    }
    if (spi_contains(v, i, v[i])) {
      spi_bad(ctx, node, "%s names dimension %lld twice", attr,
              (long long)v[i]);
    }
  }
}

int64_t spi_mul(sp_ctx *ctx, const sp_node *node, int64_t a, int64_t b) {
  int64_t limit = (int64_t)1 << 60;
  if (a < 0 || b < 0 || (b > 0 && a > limit / b)) {
    spi_bad(ctx, node, "a size is negative or too large (%lld * %lld)",
            (long long)a, (long long)b);
  }
  return a * b;
}

void spi_shape_identity(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  spi_expect_results(ctx, node, node->n_in);
  for (uint32_t i = 0; i < node->n_in; i++) {
    const sp_shape *s = spi_in(program, node, i);
    spi_expect(ctx, program, node, i, s->n_dims, s->dims);
    spi_expect_dtype(ctx, program, node, i, i);
  }
}

/* ---- element meanings ---- */

void spi_assume(const sp_call *call, const char *sentence) {
  if (call->assume) {
    call->assume(call->env, sentence);
  }
}

void spi_promise_unique(const sp_call *call, uint32_t n, const sp_expr *vars,
                        sp_expr hits) {
  sp_pool *p = call->pool;
  sp_expr one = sp_int(p, 1);
  if (call->promise) {
    sp_expr count =
        sp_red(p, SP_RED_SUM, n, vars, sp_ite(p, hits, one, sp_int(p, 0)));
    call->promise(call->env, sp_le(p, count, one));
  }
}

sp_dtype spi_in_dtype(const sp_call *call, uint32_t operand) {
  return sp_call_shape(call, operand)->dtype;
}

sp_dtype spi_out_dtype(const sp_call *call) {
  return sp_call_result_shape(call)->dtype;
}

sp_expr spi_zero(sp_pool *p, sp_sort sort) {
  switch (sort) {
  case SP_SORT_INT:
    return sp_int(p, 0);
  case SP_SORT_BOOL:
    return sp_bool(p, false);
  case SP_SORT_REAL:
    break;
  }
  return sp_real_i64(p, 0);
}

sp_expr spi_one(sp_pool *p, sp_sort sort) {
  switch (sort) {
  case SP_SORT_INT:
    return sp_int(p, 1);
  case SP_SORT_BOOL:
    return sp_bool(p, true);
  case SP_SORT_REAL:
    break;
  }
  return sp_real_i64(p, 1);
}

sp_expr spi_rank(const sp_call *call) {
  if (call->partitions == 0) {
    spi_unknown(sp_pool_ctx(call->pool), call->node,
                "depends on the rank inside a computation");
  }
  return call->rank.v ? call->rank : sp_int(call->pool, 0);
}

void spi_dtype_range(sp_dtype t, int64_t *lo, int64_t *hi) {
  int bits = sp_dtype_bits(t);
  if (t == SP_PRED) {
    *lo = 0;
    *hi = 1;
  } else if (sp_dtype_is_unsigned(t)) {
    *lo = 0;
    *hi = bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
  } else {
    *lo = bits >= 64 ? INT64_MIN : -((int64_t)1 << (bits - 1));
    *hi = bits >= 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
  }
}

/* Machine integers over mathematical ones. Where the interval of e is known to
 * lie inside the type, nothing happens. Unsigned results that may leave it are
 * wrapped: partition-id - 1 is 2^32 - 1 on rank 0. Signed results are wrapped
 * when their interval is known to leave the type; when it is not known they
 * are assumed not to overflow, and the assumption is reported. */
sp_expr spi_wrap(const sp_call *call, sp_expr e, sp_dtype t) {
  sp_pool *p = call->pool;
  if (!sp_dtype_is_int(t) || sp_sort_of(p, e) != SP_SORT_INT) {
    return e;
  }
  int64_t min, max, lo, hi;
  spi_dtype_range(t, &min, &max);
  bool bounded = sp_range(p, e, &lo, &hi);
  int bits = sp_dtype_bits(t);
  if (bounded && lo >= min && hi <= max) {
    return e;
  }
  if (sp_dtype_is_unsigned(t)) {
    if (bits >= 63) {
      /* 2^64 is no int64: wrapping becomes an opaque function. */
      return sp_fn(p, SP_SORT_INT, "wrap.u64", 1, &e);
    }
    return sp_imod(p, e, (int64_t)1 << bits);
  }
  if (!bounded && bits > 16) {
    spi_assume(call, SPI_NO_OVERFLOW);
    return e;
  }
  if (bits >= 63) {
    return e;
  }
  int64_t half = (int64_t)1 << (bits - 1);
  return sp_iaddc(p, sp_imod(p, sp_iaddc(p, e, half), 2 * half), -half);
}

static bool num_as_i64(sp_pool *p, sp_num v, int64_t *out) {
  double d = sp_num_double(p, v);
  if (!(d > -9.0e15 && d < 9.0e15)) {
    return false;
  }
  *out = (int64_t)d;
  return sp_num_eq(sp_num_from_i64(p, *out), v);
}

static sp_expr as_int(sp_pool *p, sp_expr e, int depth) {
  const sp_expr none = {0};
  int64_t k;
  if (depth > 16) {
    return none;
  }
  sp_kind kind = sp_kind_of(p, e);
  if (kind == SP_KIND_I2R) {
    return sp_arg(p, e, 0);
  }
  if (kind == SP_KIND_NUM) {
    return num_as_i64(p, sp_num_value(p, e), &k) ? sp_int(p, k) : none;
  }
  if (kind == SP_KIND_ADD) {
    if (!num_as_i64(p, sp_add_const(p, e), &k)) {
      return none;
    }
    sp_expr sum = sp_int(p, k);
    for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
      sp_expr x = as_int(p, sp_arg(p, e, i), depth + 1);
      if (!x.v || !num_as_i64(p, sp_add_coef(p, e, i), &k)) {
        return none;
      }
      sum = sp_iadd(p, sum, sp_iscale(p, x, k));
    }
    return sum;
  }
  if (kind == SP_KIND_ITE) {
    sp_expr a = as_int(p, sp_arg(p, e, 1), depth + 1);
    sp_expr b = a.v ? as_int(p, sp_arg(p, e, 2), depth + 1) : none;
    return b.v ? sp_ite(p, sp_arg(p, e, 0), a, b) : none;
  }
  return none;
}

sp_expr spi_as_int(sp_pool *p, sp_expr e) {
  return as_int(p, e, 0);
}

typedef struct point_env {
  int64_t at;
} point_env;

static int64_t point_var(void *user, sp_expr v) {
  (void)v;
  return ((point_env *)user)->at;
}

static sp_value point_read(void *user, sp_sym s, uint32_t n,
                           const int64_t *idx) {
  /* Not reached: terms with reads of non-table symbols were refused. */
  (void)user;
  (void)s;
  (void)n;
  (void)idx;
  return (sp_value){.sort = SP_SORT_INT};
}

static bool one_variable(sp_pool *p, uint32_t n, const sp_expr *e,
                         sp_expr *var) {
  var->v = 0;
  for (uint32_t i = 0; i < n; i++) {
    const sp_expr *vars;
    uint32_t k = sp_free_vars(p, e[i], &vars);
    if (k > 1 || sp_has_read(p, e[i]) || sp_has_red(p, e[i])) {
      return false;
    }
    if (k == 1) {
      if (var->v && var->v != vars[0].v) {
        return false;
      }
      *var = vars[0];
    }
  }
  return true;
}

bool spi_points(sp_pool *p, uint32_t n, const sp_expr *e, sp_expr *var,
                int64_t *extent, int64_t **values) {
  enum { MAX_POINTS = 16384 };
  if (!one_variable(p, n, e, var)) {
    return false;
  }
  *extent = var->v ? sp_var_extent(p, *var) : 1;
  if (*extent < 1 || *extent > MAX_POINTS) {
    return false;
  }
  *values = sp_alloc_n(sp_pool_ctx(p), (size_t)*extent * n, sizeof **values);
  for (int64_t x = 0; x < *extent; x++) {
    point_env env = {x};
    for (uint32_t i = 0; i < n; i++) {
      sp_eval_env ev = {
          .user = &env, .var = point_var, .read = point_read, .budget = 4096};
      sp_value v;
      if (!sp_eval(p, e[i], &ev, &v) || v.sort != SP_SORT_INT) {
        return false;
      }
      (*values)[x * n + i] = v.i;
    }
  }
  return true;
}

sp_expr spi_inside(sp_pool *p, sp_expr e, int64_t n) {
  return sp_and(p, sp_le(p, sp_int(p, 0), e), sp_lt(p, e, sp_int(p, n)));
}

sp_expr spi_read_at(const sp_call *call, uint32_t operand, sp_expr rank,
                    const sp_expr *idx) {
  return call->read(call->env, call, operand, rank, idx);
}

static void check_scalar(sp_ctx *ctx, const sp_node *node, const char *what,
                         uint32_t k, sp_dtype is, sp_dtype should) {
  if (!spi_dtype_close(is, should)) {
    spi_bad(ctx, node, "%s %u of the computation is %s, %s expected", what, k,
            sp_dtype_name(is), sp_dtype_name(should));
  }
}

void spi_check_reducer(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node, const char *attr, uint32_t n) {
  const sp_program *region = spi_attr_region(node, attr);
  if (region->n_params != 2 * n || region->n_results != n) {
    spi_bad(ctx, node,
            "the computation has %u parameters and %u results, %u and %u "
            "expected",
            region->n_params, region->n_results, 2 * n, n);
  }
  for (uint32_t k = 0; k < n; k++) {
    sp_dtype t = spi_in(program, node, k)->dtype;
    const sp_tensor *v = region->tensors;
    check_scalar(ctx, node, "parameter", k, v[region->params[k]].shape.dtype,
                 t);
    check_scalar(ctx, node, "parameter", n + k,
                 v[region->params[n + k]].shape.dtype, t);
    check_scalar(ctx, node, "result", k, v[region->results[k]].shape.dtype, t);
  }
}

/* ---- windows ---- */

int64_t spi_window_out(sp_ctx *ctx, const sp_node *node, const sp_window_dim *w,
                       int64_t size) {
  const int64_t limit = SP_MAX_ELEMENTS;
  if (w->size < 1 || w->stride < 1 || w->window_dilation < 1 ||
      w->base_dilation < 1 || w->size > limit || w->stride > limit ||
      w->pad_low > limit || w->pad_low < -limit || w->pad_high > limit ||
      w->pad_high < -limit) {
    spi_bad(ctx, node,
            "a window of size %lld, stride %lld, padding %lld_%lld, dilation "
            "%lld and %lld",
            (long long)w->size, (long long)w->stride, (long long)w->pad_low,
            (long long)w->pad_high, (long long)w->window_dilation,
            (long long)w->base_dilation);
  }
  int64_t base =
      size == 0 ? 0 : spi_mul(ctx, node, size - 1, w->base_dilation) + 1;
  int64_t window = spi_mul(ctx, node, w->size - 1, w->window_dilation) + 1;
  int64_t padded = base + w->pad_low + w->pad_high;
  return padded < window ? 0 : (padded - window) / w->stride + 1;
}

sp_expr spi_window_at(sp_pool *p, const sp_window_dim *w, sp_expr o, sp_expr k,
                      int64_t size, sp_expr *inside) {
  sp_expr v = sp_iadd(p, sp_iscale(p, o, w->stride),
                      sp_iscale(p, k, w->window_dilation));
  v = sp_iaddc(p, v, -w->pad_low);
  if (w->base_dilation > 1) {
    sp_expr rest = sp_imod(p, v, w->base_dilation);
    *inside = sp_and(p, *inside, sp_eq(p, rest, sp_int(p, 0)));
    v = sp_idiv(p, v, w->base_dilation);
  }
  *inside = sp_and(p, *inside, spi_inside(p, v, size));
  return v;
}
