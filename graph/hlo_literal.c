/* hlo_literal.c: one value, then the nested braces around it. */
#include "graph/hlo_literal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- rounding ------------------------------------------------------------ */

typedef struct float_format {
  sp_dtype dtype;
  int emin; /* exponent of the smallest normal number */
  int mantissa;
  double max;
} float_format;

static const float_format formats[] = {
    {SP_BF16, -126, 7, 0x1.fep127}, {SP_F16, -14, 10, 65504.0},
    {SP_F8E5M2, -14, 2, 57344.0},   {SP_F8E4M3, -6, 3, 240.0},
    {SP_F8E4M3FN, -6, 3, 448.0},    {SP_F8E4M3B11FNUZ, -10, 3, 30.0},
    {SP_F8E3M4, -2, 4, 15.5},       {SP_F8E5M2FNUZ, -15, 2, 57344.0},
    {SP_F8E4M3FNUZ, -7, 3, 240.0},  {SP_F8E8M0FNU, -127, 0, 0x1p127},
    {SP_F4E2M1FN, 0, 1, 6.0},
};

double hlo_round_to(sp_dtype dtype, double v) {
  if (dtype == SP_F32) {
    return (double)(float)v;
  }
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    const float_format *f = &formats[i];
    if (f->dtype != dtype || !isfinite(v) || v == 0.0) {
      continue;
    }
    int e;
    frexp(v, &e); /* |v| = m * 2^e with 1/2 <= m < 1 */
    int top = e - 1 > f->emin ? e - 1 : f->emin;
    double quantum = ldexp(1.0, top - f->mantissa);
    double r = nearbyint(v / quantum) * quantum;
    return fabs(r) > f->max ? copysign((double)INFINITY, v) : r;
  }
  return v;
}

/* --- single values ------------------------------------------------------- */

typedef struct reader {
  hlo_lex *l;
  sp_dtype dtype;
  int64_t *i; /* integers and predicates */
  double *f;
  size_t n; /* written */
} reader;

enum { MAX_NUMBER = 128 };

static double float_read(reader *r) {
  hlo_lex *l = r->l;
  hlo_lex_space(l);
  const char *start = l->p;
  char text[MAX_NUMBER];
  size_t n = 0;
  while (l->p < l->end && *l->p != '\0' &&
         (strchr("+-._", *l->p) ||
          ((*l->p | 32) >= 'a' && (*l->p | 32) <= 'z') ||
          (*l->p >= '0' && *l->p <= '9'))) {
    if (n + 1 >= sizeof text) {
      hlo_lex_fail(l, start, NULL, "a number of more than %d characters",
                   MAX_NUMBER - 1);
    }
    text[n++] = *l->p++;
  }
  text[n] = '\0';
  if (n >= 3 && strcmp(text + n - 3, "nan") == 0 && l->p < l->end &&
      *l->p == '(') { /* nan(0x1234): the payload says nothing here */
    hlo_lex_accept(l, '(');
    hlo_lex_skip_value(l);
    hlo_lex_expect(l, ')', "after the payload of a nan");
  }
  char *stop = text;
  errno = 0;
  double v = r->dtype == SP_F32 || r->dtype == SP_C64
                 ? (double)strtof(text, &stop)
                 : hlo_round_to(r->dtype, strtod(text, &stop));
  if (n == 0 || *stop != '\0') {
    hlo_lex_fail(l, start, l->p == l->end ? "is the file cut short?" : NULL,
                 "\"%.40s\" is not a number of type %s", text,
                 sp_dtype_name(r->dtype));
  }
  bool infinite = (text[0] | 32) == 'i' || (n > 1 && (text[1] | 32) == 'i');
  if (isinf(v) && !infinite) {
    hlo_lex_fail(l, start, NULL, "%.40s is out of range for %s", text,
                 sp_dtype_name(r->dtype));
  }
  return v;
}

static bool int_fits(sp_dtype t, bool minus, uint64_t v) {
  int bits = sp_dtype_bits(t);
  if (sp_dtype_is_unsigned(t)) {
    return !(minus && v) && (bits == 64 || v >> bits == 0);
  }
  uint64_t top = (uint64_t)1 << (bits - 1);
  return minus ? v <= top : v < top;
}

static int64_t int_read(reader *r) {
  hlo_lex *l = r->l;
  bool minus = hlo_lex_accept(l, '-');
  const char *start = l->p;
  uint64_t v = 0;
  while (l->p < l->end && *l->p >= '0' && *l->p <= '9') {
    uint64_t digit = (uint64_t)(*l->p - '0');
    if (v > (UINT64_MAX - digit) / 10) {
      hlo_lex_fail(l, start, NULL, "the number does not fit in 64 bits");
    }
    v = v * 10 + digit;
    l->p++;
  }
  if (l->p == start) {
    hlo_lex_fail(l, start, l->p == l->end ? "is the file cut short?" : NULL,
                 "a number of type %s was expected", sp_dtype_name(r->dtype));
  }
  if (!int_fits(r->dtype, minus, v)) {
    hlo_lex_fail(l, start, NULL, "the number is out of range for %s",
                 sp_dtype_name(r->dtype));
  }
  return (int64_t)(minus ? 0 - v : v);
}

static void value_read(reader *r) {
  if (r->dtype == SP_PRED) {
    r->i[r->n++] = hlo_lex_bool(r->l);
  } else if (r->i) {
    r->i[r->n++] = int_read(r);
  } else if (r->dtype == SP_C64 || r->dtype == SP_C128) {
    hlo_lex_expect(r->l, '(', "to begin a complex number");
    r->f[r->n++] = float_read(r);
    hlo_lex_expect(r->l, ',', "between the parts of a complex number");
    r->f[r->n++] = float_read(r);
    hlo_lex_expect(r->l, ')', "after a complex number");
  } else {
    r->f[r->n++] = float_read(r);
  }
}

/* --- arrays -------------------------------------------------------------- */

const sp_literal *hlo_literal_make(sp_ctx *ctx, const sp_shape *shape,
                                   const int64_t *i, const double *f) {
  size_t n = (size_t)sp_shape_elements(shape);
  bool pairs = shape->dtype == SP_C64 || shape->dtype == SP_C128;
  size_t width = pairs ? 2 * sizeof *f : sizeof *f;
  const char *data = i ? (const char *)i : (const char *)f;
  bool splat = n > 1;
  for (size_t k = 1; k < n && splat; k++) {
    splat = memcmp(data, data + k * width, width) == 0;
  }
  size_t bytes = (splat ? 1 : n) * width;
  void *copy = sp_alloc(ctx, bytes);
  if (bytes) {
    memcpy(copy, data, bytes);
  }
  sp_literal *lit = sp_alloc(ctx, sizeof *lit);
  lit->shape = *shape;
  lit->splat = splat;
  lit->i = i ? copy : NULL;
  lit->f = i ? NULL : copy;
  return lit;
}

/* The rows of an array: '{' opens dimension `level`, which must have
 * dims[level] items; the innermost items are values. */
static void array_read(reader *r, const sp_shape *shape) {
  int64_t count[SP_MAX_DIMS] = {0};
  uint32_t level = 0;
  hlo_lex_expect(r->l, '{', "to begin the values of an array");
  while (level < shape->n_dims) {
    hlo_lex_space(r->l);
    const char *at = r->l->p;
    if (count[level] == shape->dims[level]) {
      hlo_lex_expect(r->l, '}', "after the last element of a dimension");
      if (level == 0) {
        return;
      }
      level--;
      count[level]++;
      continue;
    }
    if (count[level] > 0 && hlo_lex_peek(r->l) != '}') {
      hlo_lex_expect(r->l, ',', "between elements");
    }
    if (hlo_lex_peek(r->l) == '}') {
      hlo_lex_fail(r->l, at, NULL,
                   "a dimension of size %lld has only %lld elements",
                   (long long)shape->dims[level], (long long)count[level]);
    }
    if (level + 1 < shape->n_dims) {
      hlo_lex_expect(r->l, '{', "to begin a row of the array");
      level++;
      count[level] = 0;
      continue;
    }
    value_read(r);
    count[level]++;
  }
}

static bool elided(const hlo_lex *l) {
  const char *p = l->p;
  if (p < l->end && *p == '{') {
    p++;
  }
  while (p < l->end && *p == ' ') {
    p++;
  }
  return l->end - p >= 3 && memcmp(p, "...", 3) == 0;
}

const sp_literal *hlo_literal_read(hlo_lex *l, const sp_shape *shape) {
  hlo_lex_space(l);
  if (elided(l)) {
    hlo_lex_skip_value(l);
    return NULL;
  }
  int64_t n = sp_shape_elements(shape);
  if (n > l->end - l->p) {
    hlo_lex_fail(l, l->p, "is the file cut short?",
                 "fewer values than the shape has elements (%lld)",
                 (long long)n);
  }
  bool ints = sp_dtype_is_int(shape->dtype) || shape->dtype == SP_PRED;
  bool pairs = shape->dtype == SP_C64 || shape->dtype == SP_C128;
  if (!ints && !pairs && !sp_dtype_is_float(shape->dtype)) {
    hlo_lex_fail(l, l->p, NULL, "a constant of type %s",
                 sp_dtype_name(shape->dtype));
  }
  /* Scratch, because of a splat only one element is kept. */
  sp_mark mark = sp_scratch_mark(l->ctx);
  void *data = sp_scratch(l->ctx, (size_t)n * (pairs ? 16 : 8));
  reader r = {l, shape->dtype, ints ? data : NULL, ints ? NULL : data, 0};
  if (n == 0) {
    hlo_lex_skip_value(l);
  } else if (shape->n_dims == 0) {
    value_read(&r);
  } else {
    array_read(&r, shape);
  }
  const sp_literal *lit = hlo_literal_make(l->ctx, shape, r.i, r.f);
  sp_scratch_release(l->ctx, mark);
  return lit;
}
