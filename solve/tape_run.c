/* tape_run.c: running a tape. Read run_block, then run_reduce.
 *
 * Every instruction is one loop over lanes, which compilers vectorise. A
 * reduction runs its body once for each value of its variables, over all lanes;
 * or, where there are few lanes, once for many values of its variables: lane
 * l of outside becomes the lanes l*m ... l*m + m-1 inside (SPREAD).
 */
#include "solve/tape.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "solve/draw.h"
#include "solve/named.h"

#define NO_REG UINT32_MAX

static void run_block(spi_tape_state *s, const spi_block *b, uint32_t n);

/* ---- integers ---- */

static inline int64_t wrap_mul(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

static inline int64_t wrap_add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void run_lin(spi_tape_state *s, const spi_instr *o, spi_lane *out,
                    uint32_t n) {
  int64_t c = o->value.i;
  if (o->n == 0) {
    for (uint32_t l = 0; l < n; l++) {
      out[l].i = c;
    }
    return;
  }
  const spi_lane *a = s->reg[o->in[0]];
  int64_t k = o->coefs[0].i;
  for (uint32_t l = 0; l < n; l++) {
    out[l].i = wrap_add(c, wrap_mul(k, a[l].i));
  }
  for (uint32_t i = 1; i < o->n; i++) {
    a = s->reg[o->in[i]];
    k = o->coefs[i].i;
    for (uint32_t l = 0; l < n; l++) {
      out[l].i = wrap_add(out[l].i, wrap_mul(k, a[l].i));
    }
  }
}

static void run_divide(const spi_instr *o, const spi_lane *a, spi_lane *out,
                       uint32_t n) {
  int64_t c = o->value.i;
  bool mask = (c & (c - 1)) == 0; /* remainders by powers of two */
  if (o->code == SPI_MOD && mask) {
    for (uint32_t l = 0; l < n; l++) {
      out[l].i = (int64_t)((uint64_t)a[l].i & (uint64_t)(c - 1));
    }
  } else if (o->code == SPI_MOD) {
    for (uint32_t l = 0; l < n; l++) {
      out[l].i = sp_floor_mod(a[l].i, c);
    }
  } else {
    for (uint32_t l = 0; l < n; l++) {
      out[l].i = sp_floor_div(a[l].i, c);
    }
  }
}

static void run_bits(spi_tape_state *s, const spi_instr *o, spi_lane *out,
                     uint32_t n) {
  const spi_lane *a = s->reg[o->in[0]];
  const spi_lane *b = s->reg[o->in[o->n > 1 ? 1 : 0]];
  switch (o->bits) {
  case SPI_IMUL:
    memcpy(out, a, n * sizeof *out);
    for (uint32_t k = 1; k < o->n; k++) {
      b = s->reg[o->in[k]];
      for (uint32_t l = 0; l < n; l++) {
        out[l].i = wrap_mul(out[l].i, b[l].i);
      }
    }
    break;
  case SPI_IAND:
    for (uint32_t l = 0; l < n; l++) {
      out[l].i = a[l].i & b[l].i;
    }
    break;
  case SPI_IOR:
    for (uint32_t l = 0; l < n; l++) {
      out[l].i = a[l].i | b[l].i;
    }
    break;
  case SPI_IXOR:
    for (uint32_t l = 0; l < n; l++) {
      out[l].i = a[l].i ^ b[l].i;
    }
    break;
  case SPI_INOT:
    for (uint32_t l = 0; l < n; l++) {
      out[l].i = ~a[l].i;
    }
    break;
  case SPI_ISAME:
    memcpy(out, a, n * sizeof *out);
    break;
  }
}

static sp_value lane_value(sp_sort sort, spi_lane x) {
  sp_value v = {.sort = sort};
  if (sort == SP_SORT_REAL) {
    v.r = x.r;
  } else {
    v.i = x.i;
    v.b = x.i != 0;
  }
  return v;
}

/* A function undefined there (r2i of NaN) gives 0. */
static void run_named(spi_tape_state *s, const spi_instr *o, spi_lane *out,
                      uint32_t n) {
  for (uint32_t l = 0; l < n; l++) {
    sp_value args[SPI_NAMED_ARGS], v;
    for (uint32_t k = 0; k < o->n; k++) {
      args[k] = lane_value(o->sorts[k], s->reg[o->in[k]][l]);
    }
    out[l].i = 0;
    if (!spi_named_value(o->name, o->n, args, o->sort, &v)) {
      continue;
    }
    if (o->sort == SP_SORT_REAL) {
      out[l].r = v.r;
    } else {
      out[l].i = o->sort == SP_SORT_INT ? v.i : v.b;
    }
  }
}

/* ---- extrema: of equal ones the first, of a NaN and a number the NaN ---- */

static inline int64_t larger_int(int64_t a, int64_t b) {
  return a < b ? b : a;
}

static inline int64_t smaller_int(int64_t a, int64_t b) {
  return a > b ? b : a;
}

static inline double larger(double a, double b) {
  return a >= b || a != a ? a : b;
}

static inline double smaller(double a, double b) {
  return a <= b || a != a ? a : b;
}

#define EXTREMUM(field, choose)                                                \
  for (uint32_t k = 1; k < o->n; k++) {                                        \
    const spi_lane *b = s->reg[o->in[k]];                                      \
    for (uint32_t l = 0; l < n; l++) {                                         \
      out[l].field = choose(out[l].field, b[l].field);                         \
    }                                                                          \
  }

static void run_extremum(spi_tape_state *s, const spi_instr *o, spi_lane *out,
                         uint32_t n) {
  memcpy(out, s->reg[o->in[0]], n * sizeof *out);
  if (o->code == SPI_MAX_I) {
    EXTREMUM(i, larger_int)
  } else if (o->code == SPI_MIN_I) {
    EXTREMUM(i, smaller_int)
  } else if (o->code == SPI_MAX_R) {
    EXTREMUM(r, larger)
  } else {
    EXTREMUM(r, smaller)
  }
}

/* ---- reads ---- */

/* Addresses where reading is safe, out of the way where it is not. */
static bool check_address(spi_tape_state *s, const spi_instr *o,
                          const spi_source *from, int64_t *at, uint32_t n) {
  const spi_lane *a = s->reg[o->in[0]];
  bool all = true;
  for (uint32_t l = 0; l < n; l++) {
    bool ok = (uint64_t)a[l].i < (uint64_t)from->n;
    at[l] = ok ? a[l].i : -1;
    all = all & ok;
  }
  for (uint32_t k = 1; k < o->n; k++) {
    const spi_lane *c = s->reg[o->in[k]];
    uint64_t extent = (uint64_t)o->coefs[k].i;
    for (uint32_t l = 0; l < n; l++) {
      bool ok = (uint64_t)c[l].i < extent;
      at[l] = ok ? at[l] : -1;
      all = all & ok;
    }
  }
  return all;
}

static void read_in_order(const spi_source *from, int64_t at, spi_lane *out,
                          uint32_t n) {
  if (from->sort == SP_SORT_BOOL) {
    const uint8_t *b = (const uint8_t *)from->data + at;
    for (uint32_t l = 0; l < n; l++) {
      out[l].i = b[l];
    }
  } else {
    memcpy(out, (const spi_lane *)from->data + at, n * sizeof *out);
  }
}

static void run_read(spi_tape_state *s, const spi_instr *o, spi_lane *out,
                     uint32_t n) {
  const spi_source *from = &s->sources[o->source];
  int64_t at[SPI_LANES];
  const int64_t *i = from->data;
  const double *r = from->data;
  const uint8_t *b = from->data;
  int64_t first = s->reg[o->in[0]][0].i;
  if (o->in_order && o->n == 1 && first >= 0 && first <= from->n - n) {
    read_in_order(from, first, out, n);
    return;
  }
  bool all = check_address(s, o, from, at, n);
  if (!all) {
    if (!o->guarded) {
      s->outside = true;
      s->outside_of = from->sym;
    }
    for (uint32_t l = 0; l < n; l++) {
      out[l].i = 0; /* 0.0 as well */
      if (at[l] >= 0 && from->sort == SP_SORT_REAL) {
        out[l].r = r[at[l]];
      } else if (at[l] >= 0) {
        out[l].i = from->sort == SP_SORT_INT ? i[at[l]] : b[at[l]];
      }
    }
    return;
  }
  if (from->sort == SP_SORT_REAL) {
    for (uint32_t l = 0; l < n; l++) {
      out[l].r = r[at[l]];
    }
  } else if (from->sort == SP_SORT_INT) {
    for (uint32_t l = 0; l < n; l++) {
      out[l].i = i[at[l]];
    }
  } else {
    for (uint32_t l = 0; l < n; l++) {
      out[l].i = b[at[l]];
    }
  }
}

/* ---- reals ---- */

static void run_add(spi_tape_state *s, const spi_instr *o, spi_lane *out,
                    uint32_t n) {
  double c = o->value.r;
  for (uint32_t l = 0; l < n; l++) {
    out[l].r = c;
  }
  for (uint32_t k = 0; k < o->n; k++) {
    const spi_lane *a = s->reg[o->in[k]];
    double f = o->coefs[k].r;
    for (uint32_t l = 0; l < n; l++) {
      out[l].r += f * a[l].r;
    }
  }
}

static void run_mul(spi_tape_state *s, const spi_instr *o, spi_lane *out,
                    uint32_t n) {
  memcpy(out, s->reg[o->in[0]], n * sizeof *out);
  for (uint32_t k = 1; k < o->n; k++) {
    const spi_lane *a = s->reg[o->in[k]];
    for (uint32_t l = 0; l < n; l++) {
      out[l].r *= a[l].r;
    }
  }
}

static void run_or(spi_tape_state *s, const spi_instr *o, spi_lane *out,
                   uint32_t n) {
  memcpy(out, s->reg[o->in[0]], n * sizeof *out);
  for (uint32_t k = 1; k < o->n; k++) {
    const spi_lane *a = s->reg[o->in[k]];
    for (uint32_t l = 0; l < n; l++) {
      out[l].i |= a[l].i;
    }
  }
}

/* ---- conditions ---- */

static void run_if(spi_tape_state *s, const spi_instr *o, spi_lane *out,
                   uint32_t n) {
  const spi_lane *c = s->reg[o->in[0]];
  uint32_t taken = 0;
  for (uint32_t l = 0; l < n; l++) {
    taken += c[l].i != 0;
  }
  if (taken) {
    run_block(s, o->block[0], n);
  }
  if (taken < n) {
    run_block(s, o->block[1], n);
  }
  const spi_lane *a = s->reg[o->in[1]], *b = s->reg[o->in[2]];
  if (taken == n || taken == 0) {
    memcpy(out, taken ? a : b, n * sizeof *out);
    return;
  }
  for (uint32_t l = 0; l < n; l++) {
    out[l].i = c[l].i ? a[l].i : b[l].i;
  }
}

/* ---- reductions ---- */

static void reduce_start(const spi_instr *o, spi_lane *out, uint32_t n) {
  bool real = o->sort == SP_SORT_REAL;
  spi_lane v = {0};
  if (o->op == SP_RED_PROD || o->op == SP_RED_AND) {
    v.i = 1;
    if (real) {
      v.r = 1.0;
    }
  } else if (o->op == SP_RED_MAX || o->op == SP_RED_MIN) {
    bool max = o->op == SP_RED_MAX;
    v.i = max ? INT64_MIN : INT64_MAX;
    if (real) {
      v.r = max ? -INFINITY : INFINITY;
    }
  }
  for (uint32_t l = 0; l < n; l++) {
    out[l] = v;
  }
}

static inline spi_lane reduce_int(sp_red_op op, spi_lane a, spi_lane b) {
  spi_lane v = a;
  switch (op) {
  case SP_RED_SUM:
    v.i = wrap_add(a.i, b.i);
    break;
  case SP_RED_PROD:
    v.i = wrap_mul(a.i, b.i);
    break;
  case SP_RED_MAX:
    v.i = larger_int(a.i, b.i);
    break;
  case SP_RED_MIN:
    v.i = smaller_int(a.i, b.i);
    break;
  case SP_RED_OR:
    v.i = a.i | b.i;
    break;
  case SP_RED_AND:
    v.i = a.i & b.i;
    break;
  case SP_RED_LAMBDA:
    break;
  }
  return v;
}

static inline spi_lane reduce_real(sp_red_op op, spi_lane a, spi_lane b) {
  spi_lane v = a;
  if (op == SP_RED_SUM) {
    v.r = a.r + b.r;
  } else if (op == SP_RED_PROD) {
    v.r = a.r * b.r;
  } else if (op == SP_RED_MAX) {
    v.r = larger(a.r, b.r);
  } else {
    v.r = smaller(a.r, b.r);
  }
  return v;
}

/* out[l] gets the m values at v[l * m]. */
static void reduce_step(const spi_instr *o, spi_lane *out, const spi_lane *v,
                        uint32_t n, uint32_t m) {
  if (o->sort == SP_SORT_REAL && o->op == SP_RED_SUM && m == 1) {
    for (uint32_t l = 0; l < n; l++) {
      out[l].r += v[l].r;
    }
  } else if (o->sort == SP_SORT_REAL) {
    for (uint32_t l = 0; l < n; l++) {
      for (uint32_t t = 0; t < m; t++) {
        out[l] = reduce_real(o->op, out[l], v[l * m + t]);
      }
    }
  } else {
    for (uint32_t l = 0; l < n; l++) {
      for (uint32_t t = 0; t < m; t++) {
        out[l] = reduce_int(o->op, out[l], v[l * m + t]);
      }
    }
  }
}

/* The bound variables at the values k, ..., k + m - 1 (row-major), in each of n
 * groups of lanes. */
static void fill_bound(spi_tape_state *s, const spi_instr *o, int64_t k,
                       uint32_t n, uint32_t m) {
  for (uint32_t v = o->n_vars; v-- > 0;) {
    spi_lane *out = s->reg[o->vars[v]];
    int64_t stride = 1;
    for (uint32_t w = v + 1; w < o->n_vars; w++) {
      stride *= o->extents[w];
    }
    if (m == 1) {
      int64_t x = k / stride % o->extents[v];
      for (uint32_t l = 0; l < n; l++) {
        out[l].i = x;
      }
      continue;
    }
    for (uint32_t t = 0; t < m; t++) {
      out[t].i = (k + t) / stride % o->extents[v];
    }
    for (uint32_t l = 1; l < n; l++) {
      memcpy(out + l * m, out, m * sizeof *out);
    }
  }
}

static void spread(spi_lane *to, const spi_lane *from, uint32_t n, uint32_t m) {
  for (uint32_t l = 0; l < n; l++) {
    for (uint32_t t = 0; t < m; t++) {
      to[l * m + t] = from[l];
    }
  }
}

static void run_spread(spi_tape_state *s, const spi_instr *o, spi_lane *out,
                       uint32_t n, uint32_t most) {
  uint32_t m = 0;
  for (int64_t k = 0; k < o->total; k += m) {
    uint32_t now = o->total - k < most ? (uint32_t)(o->total - k) : most;
    for (uint32_t i = 0; now != m && i < o->n_imports; i++) {
      uint32_t r = o->imports[i], to = o->spread[i];
      if (k > 0) { /* put back first */
        spi_lane *own = s->reg[to];
        s->reg[to] = s->reg[r];
        s->reg[r] = own;
      }
      spread(s->reg[to], s->reg[r], n, now);
      spi_lane *wide = s->reg[to];
      s->reg[to] = s->reg[r];
      s->reg[r] = wide;
    }
    m = now;
    fill_bound(s, o, k, n, m);
    run_block(s, o->block[0], n * m);
    reduce_step(o, out, s->reg[o->in[0]], n, m);
  }
  for (uint32_t i = 0; i < o->n_imports; i++) {
    uint32_t r = o->imports[i], to = o->spread[i];
    spi_lane *own = s->reg[to];
    s->reg[to] = s->reg[r];
    s->reg[r] = own;
  }
}

static void run_reduce(spi_tape_state *s, const spi_instr *o, spi_lane *out,
                       uint32_t n) {
  reduce_start(o, out, n);
  if (n * 2 <= SPI_LANES && o->total > 1) {
    run_spread(s, o, out, n, SPI_LANES / n);
    return;
  }
  for (int64_t k = 0; k < o->total; k++) {
    fill_bound(s, o, k, n, 1);
    run_block(s, o->block[0], n);
    reduce_step(o, out, s->reg[o->in[0]], n, 1);
  }
}

/* ---- blocks ---- */

#define EACH(expression)                                                       \
  for (uint32_t l = 0; l < n; l++) {                                           \
    expression;                                                                \
  }                                                                            \
  break

/* ---- rounding, exaggerated ---- */

static const double NEAR = 1e-8; /* far more than the noise */

bool spi_is_exact(double v) {
  return fabs(v) < 4294967296.0 && v * 1048576.0 == floor(v * 1048576.0);
}

double spi_noise(uint64_t hash) {
  double size = 0.5 + (double)(hash % 1000) / 2000.0;
  return hash & 4096 ? size : -size;
}

/* Does it round what it computes? */
static bool rounds(const spi_instr *o) {
  bool adds = o->op == SP_RED_SUM || o->op == SP_RED_PROD;
  return o->sort == SP_SORT_REAL &&
         (o->code == SPI_ADD || o->code == SPI_MUL || o->code == SPI_REAL1 ||
          o->code == SPI_REAL2 || (o->code == SPI_REDUCE && adds));
}

/* What is equal stays equal: an element that is compared with the maximum is
 * computed twice, with one result. */
static void add_noise(const spi_tape_state *s, spi_lane *out, uint32_t n) {
  for (uint32_t l = 0; l < n; l++) {
    double v = out[l].r;
    if (isfinite(v) && !spi_is_exact(v)) {
      uint64_t h = spi_draw_mix(s->noise_seed, (uint64_t)out[l].i);
      out[l].r = v * (1 + s->noise * spi_noise(h));
    }
  }
}

/* With noise, numbers are equal that may be but for rounding: noise alone would
 * never make them equal again. */
static bool are_equal(const spi_tape_state *s, double a, double b) {
  if (a == b || s->noise == 0 || (spi_is_exact(a) && spi_is_exact(b))) {
    return a == b;
  }
  return fabs(a - b) < NEAR * (1 + fabs(a) + fabs(b));
}

static void run_instr(spi_tape_state *s, const spi_instr *o, uint32_t n) {
  spi_lane *out = s->reg[o->out];
  const spi_lane *a = o->n > 0 ? s->reg[o->in[0]] : NULL;
  const spi_lane *b = o->n > 1 ? s->reg[o->in[1]] : NULL;
  switch (o->code) {
  case SPI_CONST:
    EACH(out[l] = o->value);
  case SPI_LIN:
    run_lin(s, o, out, n);
    break;
  case SPI_DIV:
  case SPI_MOD:
    run_divide(o, a, out, n);
    break;
  case SPI_MAX_I:
  case SPI_MIN_I:
  case SPI_MAX_R:
  case SPI_MIN_R:
    run_extremum(s, o, out, n);
    break;
  case SPI_READ:
    run_read(s, o, out, n);
    break;
  case SPI_ADD:
    run_add(s, o, out, n);
    break;
  case SPI_MUL:
    run_mul(s, o, out, n);
    break;
  case SPI_I2R:
    EACH(out[l].r = (double)a[l].i);
  case SPI_LT0:
    EACH(out[l].i = a[l].i < 0);
  case SPI_EQ0:
    EACH(out[l].i = a[l].i == 0);
  case SPI_RLT:
    EACH(out[l].i = a[l].r < b[l].r);
  case SPI_REQ:
    EACH(out[l].i = are_equal(s, a[l].r, b[l].r));
  case SPI_NOT:
    EACH(out[l].i = !a[l].i);
  case SPI_OR:
    run_or(s, o, out, n);
    break;
  case SPI_IF:
    run_if(s, o, out, n);
    break;
  case SPI_REDUCE:
    run_reduce(s, o, out, n);
    break;
  case SPI_REAL1:
    EACH(out[l].r = o->one(a[l].r));
  case SPI_REAL2:
    EACH(out[l].r = o->two(a[l].r, b[l].r));
  case SPI_INT_BITS:
    run_bits(s, o, out, n);
    break;
  case SPI_NAMED:
    run_named(s, o, out, n);
    break;
  }
}

static void run_block(spi_tape_state *s, const spi_block *b, uint32_t n) {
  for (uint32_t i = 0; i < b->n; i++) {
    run_instr(s, &b->v[i], n);
    if (s->noise != 0 && rounds(&b->v[i])) {
      add_noise(s, s->reg[b->v[i].out], n);
    }
  }
}

/* ---- states ---- */

spi_tape_state *spi_tape_state_new(sp_ctx *ctx, uint32_t max_regs) {
  spi_tape_state *s = sp_alloc(ctx, sizeof *s);
  s->cap = max_regs;
  s->lanes =
      sp_alloc_n(ctx, (size_t)max_regs + 1, SPI_LANES * sizeof *s->lanes);
  s->regs = sp_alloc_n(ctx, (size_t)max_regs + 1, sizeof *s->regs);
  s->reg = s->regs;
  return s;
}

void spi_tape_start(const spi_tape *t, spi_tape_state *s,
                    const spi_source *sources, uint32_t n_uniform,
                    const int64_t *uniform) {
  s->sources = sources;
  s->outside = false;
  for (uint32_t i = 0; i < t->n_regs; i++) {
    s->reg[i] = s->lanes + (size_t)i * SPI_LANES;
  }
  for (uint32_t v = 0; v < n_uniform; v++) {
    for (uint32_t l = 0; t->vars[v] != NO_REG && l < SPI_LANES; l++) {
      s->reg[t->vars[v]][l].i = uniform[v];
    }
  }
  run_block(s, &t->start, 1);
  for (uint32_t i = 0; i < t->start.n; i++) {
    spi_lane *out = s->reg[t->start.v[i].out];
    for (uint32_t l = 1; l < SPI_LANES; l++) {
      out[l] = out[0];
    }
  }
}

/* Values of one variable: runs of equal values, as long as its stride. */
static void fill_lane_var(spi_lane *out, int64_t stride, int64_t extent,
                          int64_t from, uint32_t n) {
  int64_t x = from / stride % extent, left = stride - from % stride;
  for (uint32_t l = 0; l < n; l++) {
    out[l].i = x;
    if (--left == 0) {
      left = stride;
      x = x + 1 == extent ? 0 : x + 1;
    }
  }
}

void spi_tape_run(const spi_tape *t, spi_tape_state *s, uint32_t n_uniform,
                  const int64_t *extents, int64_t from, uint32_t n) {
  int64_t stride = 1;
  for (uint32_t v = t->n_vars; v-- > n_uniform;) {
    int64_t extent = extents[v - n_uniform];
    if (t->vars[v] != NO_REG) {
      fill_lane_var(s->reg[t->vars[v]], stride, extent, from, n);
    }
    stride *= extent;
  }
  if (t->flat != NO_REG) {
    for (uint32_t l = 0; l < n; l++) {
      s->reg[t->flat][l].i = from + l;
    }
  }
  run_block(s, &t->main, n);
}
