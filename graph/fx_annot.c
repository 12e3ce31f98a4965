/* fx_annot.c: "f32[4, 8][8, 1]cuda:0", "f32[s0, 4]", "Sym(s0)". Strides and
 * devices change no value; a negative stride does not exist in PyTorch. */
#include "graph/fx_i.h"

#include "base/arith.h"

#include <string.h>

/* PyTorch's short names (torch.utils._dtype_abbrs) where they are not XLA's;
 * INVALID: it exists and has no meaning here. */
typedef struct dtype_name {
  const char *name;
  sp_dtype dtype;
} dtype_name;

static const dtype_name dtype_names[] = {
    {"i8", SP_S8},
    {"i16", SP_S16},
    {"i32", SP_S32},
    {"i64", SP_S64},
    {"b8", SP_PRED},
    {"c32", SP_DTYPE_INVALID},
    {"b16", SP_DTYPE_INVALID},
    {"b1x8", SP_DTYPE_INVALID},
    {"f4e2m1fnx2", SP_DTYPE_INVALID},
    {"qi8", SP_DTYPE_INVALID},
    {"qu8", SP_DTYPE_INVALID},
    {"qi32", SP_DTYPE_INVALID},
};

/* XLA names that PyTorch does not have are refused, too. */
static bool dtype_find(fx_slice w, sp_dtype *dtype) {
  for (size_t i = 0; i < sizeof dtype_names / sizeof *dtype_names; i++) {
    if (fx_slice_is(w, dtype_names[i].name)) {
      *dtype = dtype_names[i].dtype;
      return true;
    }
  }
  *dtype = sp_dtype_parse(w.s, w.n);
  return *dtype != SP_DTYPE_INVALID && *dtype != SP_TOKEN &&
         *dtype != SP_PRED && w.s[0] != 's';
}

typedef struct sizes {
  uint32_t n;
  int64_t v[SP_MAX_DIMS];
  bool symbolic;
} sizes;

static bool is_int(const char *s, const char *e, int64_t *out) {
  bool minus = s < e && *s == '-';
  s += minus;
  int64_t v = 0;
  const char *digits = s;
  for (; s < e && *s >= '0' && *s <= '9'; s++) {
    if (v > (INT64_MAX - (*s - '0')) / 10) {
      return false;
    }
    v = v * 10 + (*s - '0');
  }
  *out = minus ? -v : v;
  return s == e && s > digits;
}

/* "[4, 8]"; a size that is no number is symbolic. */
static void sizes_read(fx_lex *l, sizes *out, const char *what) {
  *out = (sizes){0};
  fx_lex_expect(l, '[', "to begin the sizes");
  while (!fx_lex_accept(l, ']')) {
    if (out->n) {
      fx_lex_expect(l, ',', "between sizes");
    }
    sp_loc loc = (fx_lex_space(l), fx_lex_loc(l));
    fx_slice s = fx_lex_skip(l);
    int64_t v = 0;
    if (s.n == 0) {
      fx_fail(l->ctx, loc, NULL, "a %s was expected", what);
    }
    bool number = s.s[0] == '-' || (s.s[0] >= '0' && s.s[0] <= '9');
    if (!is_int(s.s, s.s + s.n, &v)) {
      if (number && !memchr(s.s, '*', s.n) && !memchr(s.s, ' ', s.n)) {
        fx_fail(l->ctx, loc, NULL, "a %s is no number of 64 bits", what);
      }
      out->symbolic = true;
    } else if (v < 0) {
      fx_fail(l->ctx, loc, NULL, "a %s is negative", what);
    }
    if (out->n == SP_MAX_DIMS) {
      fx_fail(l->ctx, loc, NULL, "a tensor has over %d dimensions",
              SP_MAX_DIMS);
    }
    out->v[out->n++] = v;
  }
}

static void shape_read(fx_lex *l, sp_dtype dtype, fx_annot *a) {
  sp_loc loc = fx_lex_loc(l);
  sizes dims, strides;
  sizes_read(l, &dims, "size");
  if (fx_lex_peek(l) == '[') {
    loc = fx_lex_loc(l);
    sizes_read(l, &strides, "stride");
    if (strides.n != dims.n) {
      fx_fail(l->ctx, loc, NULL, "%u sizes have %u strides", dims.n, strides.n);
    }
  }
  a->kind = FX_ANNOT_SHAPE;
  if (dims.symbolic || dtype == SP_DTYPE_INVALID) {
    return;
  }
  int64_t n = 1, total;
  bool empty = false;
  for (uint32_t d = 0; d < dims.n; d++) {
    empty = empty || dims.v[d] == 0;
    /* zero sizes are left out of the product, so a huge size is seen */
    if (!sp_mul_ok(n, dims.v[d] ? dims.v[d] : 1, &total) ||
        total >= SP_MAX_ELEMENTS) {
      fx_fail(l->ctx, loc, NULL, "a tensor has too many elements");
    }
    n = total;
  }
  int64_t *copy = sp_alloc_n(l->ctx, dims.n, sizeof *copy);
  memcpy(copy, dims.v, dims.n * sizeof *copy);
  a->shape = (sp_shape){dtype, dims.n, copy};
}

/* Sym(4), Sym(True), Sym(s0 + 1): the cursor is after "Sym". */
static void sym_read(fx_lex *l, fx_annot *a) {
  fx_lex_expect(l, '(', "after Sym");
  fx_slice s = fx_lex_skip(l);
  a->kind = FX_ANNOT_SYM;
  if (is_int(s.s, s.s + s.n, &a->i)) {
    a->kind = FX_ANNOT_NUMBER;
  }
  fx_lex_expect(l, ')', "after a symbolic number");
}

/* The text between the quotes. Unknown forms say nothing. */
static void annot_read(fx_lex *l, fx_annot *a) {
  sp_loc loc = fx_lex_loc(l);
  fx_slice w = fx_lex_word(l);
  if (fx_slice_is(w, "Sym")) {
    sym_read(l, a);
    return;
  }
  if (l->p == l->e || *l->p != '[') {
    return;
  }
  sp_dtype dtype;
  if (!dtype_find(w, &dtype)) {
    fx_fail(l->ctx, loc, NULL, "unknown data type '%.*s'",
            (int)(w.n < 40 ? w.n : 40), w.s);
  }
  shape_read(l, dtype, a);
}

fx_annot fx_annot_read(fx_lex *l) {
  fx_annot a = {0};
  if (fx_lex_peek(l) != '"') {
    /* a Python type, "torch.Tensor": up to what ends it */
    while (fx_lex_peek(l) && !strchr("=,;)", *l->p)) {
      l->p++;
    }
    return a;
  }
  const char *close = memchr(l->p + 1, '"', (size_t)(l->e - l->p - 1));
  if (!close) {
    fx_fail(l->ctx, fx_lex_loc(l), "is the file cut short?",
            "an annotation does not end");
  }
  /* within the quotes, and not beyond */
  fx_lex in = *l;
  in.p++;
  in.e = close;
  in.depth = 0;
  in.n_lines = in.at + 1;
  annot_read(&in, &a);
  l->p = close + 1;
  return a;
}
