/* machine_contract.c: sums of products of two elements, as matrix products.
 *
 * Recognised from the term, whatever operator it came from:
 *   out[i] = sum over k of A[rank; a(i, k)] * B[rank; b(i, k)]
 * with affine a and b that stay inside. An index variable that only A has is a
 * row, one that only B has a column, one that both have numbers independent
 * products. Each product is packed into contiguous matrices, multiplied (by
 * OpenBLAS where the build found it) and unpacked. This must give what the
 * tape gives, but for rounding; tests/test_evaluate.c compares the two.
 */
#include "solve/machine.h"
#include "solve/span.h"

#include <limits.h>
#include <string.h>

#include "base/arith.h"

#ifdef SP_HAVE_BLAS
#include <cblas.h>
#endif

/* Below so many multiplications packing does not pay. */
enum { SMALL = 2048, MAX_AXES = 2 * SP_MAX_DIMS };

typedef struct axis {
  sp_expr var;
  int64_t extent, a, b, out; /* strides */
} axis;

typedef struct axes {
  uint32_t n;
  axis *v;
  int64_t size;
} axes;

struct spi_contraction {
  sp_sym a, b;
  int64_t a_n, b_n; /* their elements of one rank */
  int64_t a_base, b_base;
  axes rows, columns, sum, batch;
};

/* ---- recognising ---- */

typedef struct finder {
  const sp_machine *m;
  sp_pool *p;
  uint32_t n;
  axis v[MAX_AXES];
} finder;

/* c + sum coef * variable, added to the strides of A (or B) times `scale`. */
static bool add_affine(finder *f, sp_expr e, int64_t scale, bool is_a,
                       int64_t *base, int64_t *lo, int64_t *hi) {
  sp_kind kind = sp_kind_of(f->p, e);
  bool one = kind == SP_KIND_VAR;
  if (kind != SP_KIND_INT && kind != SP_KIND_LIN && !one) {
    return false;
  }
  int64_t c = kind == SP_KIND_INT ? sp_int_value(f->p, e)
              : one               ? 0
                                  : sp_lin_const(f->p, e);
  uint32_t n = one ? 1 : kind == SP_KIND_LIN ? sp_n_args(f->p, e) : 0;
  *lo = *hi = c;
  *base += c * scale;
  for (uint32_t k = 0; k < n; k++) {
    sp_expr x = one ? e : sp_arg(f->p, e, k);
    int64_t coef = one ? 1 : sp_lin_coef(f->p, e, k), reach;
    uint32_t i = 0;
    while (i < f->n && f->v[i].var.v != x.v) {
      i++;
    }
    if (i == f->n || !sp_mul_ok(coef, f->v[i].extent - 1, &reach)) {
      return false;
    }
    *(is_a ? &f->v[i].a : &f->v[i].b) += coef * scale;
    *(reach < 0 ? lo : hi) = sp_add_sat(reach < 0 ? *lo : *hi, reach);
  }
  return true;
}

/* Elements of this operand on the own rank, always inside. */
static bool add_read(finder *f, sp_expr read, bool is_a, int64_t *base) {
  sp_pool *p = f->p;
  if (sp_kind_of(p, read) != SP_KIND_READ ||
      sp_sym_is_table(p, sp_read_sym(p, read)) ||
      sp_arg(p, read, 0).v != f->m->e->rank.v) {
    return false;
  }
  const int64_t *extents = sp_sym_extents(p, sp_read_sym(p, read));
  int64_t stride = 1, lo, hi;
  for (uint32_t d = sp_n_args(p, read); d-- > 1;) {
    if (!add_affine(f, sp_arg(p, read, d), stride, is_a, base, &lo, &hi) ||
        lo < 0 || hi >= extents[d]) {
      return false;
    }
    stride *= extents[d];
  }
  return true;
}

static axes select_axes(const finder *f, sp_ctx *ctx, bool bound, bool a,
                        bool b) {
  axes r = {.v = sp_alloc_n(ctx, f->n + 1u, sizeof *r.v), .size = 1};
  for (uint32_t i = 0; i < f->n; i++) {
    const axis *x = &f->v[i];
    bool in_a = x->a != 0, in_b = x->b != 0;
    if (bound ? x->out < 0 : x->out >= 0 && (in_b ? a == in_a && b : a && !b)) {
      r.v[r.n++] = *x;
      r.size *= x->extent;
    }
  }
  return r;
}

static bool add_axis(finder *f, sp_expr var, int64_t extent, int64_t out) {
  if (sp_kind_of(f->p, var) != SP_KIND_VAR) {
    return true; /* of extent 1: the constant 0 */
  }
  if (f->n == MAX_AXES) {
    return false;
  }
  f->v[f->n++] = (axis){.var = var, .extent = extent, .out = out};
  return true;
}

static bool find_axes(finder *f, const sp_shape *shape, const sp_expr *idx,
                      sp_expr red, sp_expr *body) {
  int64_t stride = 1;
  for (uint32_t d = shape->n_dims; d-- > 0;) {
    if (!add_axis(f, idx[d], shape->dims[d], stride)) {
      return false;
    }
    stride *= shape->dims[d];
  }
  for (uint32_t i = 0; i < f->n / 2; i++) { /* outer first */
    axis t = f->v[i];
    f->v[i] = f->v[f->n - 1 - i];
    f->v[f->n - 1 - i] = t;
  }
  uint32_t n = sp_red_n_vars(f->p, red);
  sp_expr vars[SP_MAX_DIMS];
  if (n > SP_MAX_DIMS) {
    return false;
  }
  *body = sp_red_open(f->p, red, vars);
  for (uint32_t i = 0; i < n; i++) {
    int64_t extent = sp_var_extent(f->p, sp_arg(f->p, red, i));
    if (extent < 1 || !add_axis(f, vars[i], extent, -1)) {
      return false;
    }
  }
  return true;
}

static int64_t elements(const sp_pool *p, sp_sym sym) {
  int64_t n = 1;
  for (uint32_t i = 1; i < sp_sym_n_args(p, sym); i++) {
    n *= sp_sym_extents(p, sym)[i];
  }
  return n;
}

const spi_contraction *spi_contraction_of(sp_machine *m,
                                          const spi_compiled *c) {
  sp_pool *p = m->e->pool;
  finder f = {.m = m, .p = p};
  sp_expr body;
  if (sp_kind_of(p, c->term) != SP_KIND_RED ||
      sp_red_op_of(p, c->term) != SP_RED_SUM ||
      sp_sort_of(p, c->term) != SP_SORT_REAL ||
      !find_axes(&f, &c->shape, c->idx, c->term, &body) ||
      sp_kind_of(p, body) != SP_KIND_MUL || sp_n_args(p, body) != 2) {
    return NULL;
  }
  spi_contraction x = {0};
  if (!add_read(&f, sp_arg(p, body, 0), true, &x.a_base) ||
      !add_read(&f, sp_arg(p, body, 1), false, &x.b_base)) {
    return NULL;
  }
  sp_ctx *ctx = m->e->ctx;
  x.a = sp_read_sym(p, sp_arg(p, body, 0));
  x.b = sp_read_sym(p, sp_arg(p, body, 1));
  x.a_n = elements(p, x.a);
  x.b_n = elements(p, x.b);
  x.rows = select_axes(&f, ctx, false, true, false);
  x.columns = select_axes(&f, ctx, false, false, true);
  x.batch = select_axes(&f, ctx, false, true, true);
  x.sum = select_axes(&f, ctx, true, false, false);
  double work = (double)c->n * (double)x.sum.size;
  if (work < SMALL) {
    return NULL;
  }
  spi_contraction *kept = sp_alloc(ctx, sizeof *kept);
  *kept = x;
  return kept;
}

/* In operations of a tape, about 2 ns each. */
#ifdef SP_HAVE_BLAS
#define MULTIPLY_COST 0.03
#else
#define MULTIPLY_COST 0.25
#endif

double spi_contraction_cost(const spi_contraction *c) {
  double r = (double)c->rows.size, n = (double)c->columns.size;
  double k = (double)c->sum.size;
  return (double)c->batch.size *
         (MULTIPLY_COST * r * n * k + r * k + k * n + r * n);
}

/* ---- packing ---- */

typedef enum side { SIDE_A, SIDE_B, SIDE_OUT } side;

static int64_t stride_of(const axis *x, side s) {
  return s == SIDE_A ? x->a : s == SIDE_B ? x->b : x->out;
}

/* Walks two groups of axes, the second one inside the first, in row-major
 * order. */
typedef struct walk {
  uint32_t n;
  int64_t extent[2 * MAX_AXES], stride[2 * MAX_AXES], at[2 * MAX_AXES];
  int64_t offset, inner, step;
} walk;

static void walk_start(walk *w, side s, const axes *x, const axes *y) {
  w->n = 0;
  w->offset = 0;
  w->inner = 1;
  w->step = 0;
  for (int g = 0; g < 2; g++) {
    const axes *group = g ? y : x;
    for (uint32_t i = 0; i < group->n; i++) {
      w->extent[w->n] = group->v[i].extent;
      w->stride[w->n] = stride_of(&group->v[i], s);
      w->at[w->n++] = 0;
    }
  }
  if (w->n) { /* the innermost axis is the caller's loop */
    w->n--;
    w->inner = w->extent[w->n];
    w->step = w->stride[w->n];
  }
}

static void walk_next(walk *w) {
  for (uint32_t i = w->n; i-- > 0;) {
    w->offset += w->stride[i];
    if (++w->at[i] < w->extent[i]) {
      return;
    }
    w->offset -= w->extent[i] * w->stride[i];
    w->at[i] = 0;
  }
}

static void pack(double *to, const double *from, side s, const axes *x,
                 const axes *y) {
  walk w;
  walk_start(&w, s, x, y);
  int64_t total = x->size * y->size;
  for (int64_t i = 0; i < total; i += w.inner, walk_next(&w)) {
    const double *row = from + w.offset;
    for (int64_t k = 0; k < w.inner; k++) {
      to[i + k] = row[k * w.step];
    }
  }
}

static void unpack(double *to, const double *from, const axes *x,
                   const axes *y) {
  walk w;
  walk_start(&w, SIDE_OUT, x, y);
  int64_t total = x->size * y->size;
  for (int64_t i = 0; i < total; i += w.inner, walk_next(&w)) {
    double *row = to + w.offset;
    for (int64_t k = 0; k < w.inner; k++) {
      row[k * w.step] = from[i + k];
    }
  }
}

/* ---- multiplying ---- */

static void multiply_plain(int64_t rows, int64_t columns, int64_t sum,
                           const double *a, const double *b, double *out) {
  memset(out, 0, (size_t)(rows * columns) * sizeof *out);
  for (int64_t i = 0; i < rows; i++) {
    double *o = out + i * columns;
    for (int64_t k = 0; k < sum; k++) {
      double f = a[i * sum + k];
      const double *row = b + k * columns;
      for (int64_t j = 0; j < columns; j++) {
        o[j] += f * row[j];
      }
    }
  }
}

static void multiply(int64_t rows, int64_t columns, int64_t sum,
                     const double *a, const double *b, double *out) {
#ifdef SP_HAVE_BLAS
  if (rows <= INT_MAX && columns <= INT_MAX && sum <= INT_MAX) {
    int r = (int)rows, n = (int)columns, k = (int)sum;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, r, n, k, 1.0, a, k,
                b, n, 0.0, out, n);
    return;
  }
#endif
  multiply_plain(rows, columns, sum, a, b, out);
}

static void round_all(const sp_machine *m, sp_dtype type, double *v,
                      int64_t n) {
  for (int64_t i = 0; m->e->options.round_to_dtype && i < n; i++) {
    v[i] = sp_round_to_dtype(v[i], type);
  }
}

void spi_contract(sp_machine *m, uint32_t node, const spi_compiled *array,
                  void *data) {
  sp_ctx *ctx = m->e->ctx;
  const spi_contraction *c = array->contraction;
  const double *all_a = spi_data_of(m, node, c->a);
  const double *all_b = spi_data_of(m, node, c->b);
  int64_t r = c->rows.size, n = c->columns.size, k = c->sum.size;
  sp_mark mark = sp_scratch_mark(ctx);
  double *a = sp_scratch(ctx, (size_t)(r * k) * sizeof *a);
  double *b = sp_scratch(ctx, (size_t)(k * n) * sizeof *b);
  double *p = sp_scratch(ctx, (size_t)(r * n) * sizeof *p);
  for (int64_t at_rank = 0; at_rank < array->ranks.n; at_rank++) {
    int64_t rank = spi_span_at(array->ranks, at_rank);
    const double *from_a = all_a + rank * c->a_n + c->a_base;
    const double *from_b = all_b + rank * c->b_n + c->b_base;
    double *out = (double *)data + rank * array->n;
    int64_t at[MAX_AXES] = {0}, at_a = 0, at_b = 0, at_out = 0;
    for (int64_t q = 0; q < c->batch.size; q++) {
      pack(a, from_a + at_a, SIDE_A, &c->rows, &c->sum);
      pack(b, from_b + at_b, SIDE_B, &c->sum, &c->columns);
      multiply(r, n, k, a, b, p);
      unpack(out + at_out, p, &c->rows, &c->columns);
      for (uint32_t i = c->batch.n; i-- > 0;) {
        const axis *x = &c->batch.v[i];
        int64_t back = ++at[i] < x->extent ? 0 : x->extent;
        at_a += x->a * (1 - back);
        at_b += x->b * (1 - back);
        at_out += x->out * (1 - back);
        if (!back) {
          break;
        }
        at[i] = 0;
      }
    }
    round_all(m, array->shape.dtype, out, array->n);
  }
  sp_scratch_release(ctx, mark);
}
