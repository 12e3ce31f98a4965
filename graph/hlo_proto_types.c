/* hlo_proto_types.c: element types, shapes and constants of an HLO proto.
 * Read hlo_proto_type for shapes and hlo_proto_literal for constants.
 *
 * A LiteralProto holds its values in the order of its shape's LAYOUT (XLA:
 * Literal::Piece::WriteToProto copies the buffer), minor_to_major[0] varying
 * fastest; ours are row-major. So here, and only here, a layout has meaning.
 */
#include "graph/hlo_literal.h"
#include "graph/hlo_proto.h"

#include <math.h>
#include <string.h>

/* How the values of an element type are kept in a LiteralProto. */
typedef enum storage {
  STORE_NONE,
  STORE_BOOL, /* repeated bool */
  STORE_I32,  /* repeated int32, int64, uint32, uint64, float, double */
  STORE_I64,
  STORE_U32,
  STORE_U64,
  STORE_F32,
  STORE_F64,
  STORE_S8, /* bytes, one for each value */
  STORE_U8,
  STORE_S16, /* bytes, two for each value, little endian */
  STORE_U16,
  STORE_F16,
  STORE_BF16,
  STORE_F8,     /* bytes, one for each value, see minifloat */
  STORE_NIBBLE, /* bytes, two values in each */
} storage;

/* The small float types. A value is sign, exponent, mantissa. */
typedef enum mini_kind {
  MINI_IEEE, /* all-ones exponent: infinity and NaN */
  MINI_FN,   /* no infinity; NaN is all ones without the sign */
  MINI_FNUZ, /* no infinity, no -0; NaN is the sign bit alone */
  MINI_E8M0, /* exponent only: 2^(e-127); NaN is 255 */
} mini_kind;

typedef struct element_row {
  int32_t number; /* PrimitiveType */
  sp_dtype dtype;
  storage store;
  size_t field; /* offset in Hlo__Literal of the count or the bytes */
  mini_kind mini;
  uint8_t exponent_bits, mantissa_bits, bias;
} element_row;

#define AT(name) offsetof(Hlo__Literal, name)

/* clang-format off */
static const element_row elements[] = {
  {1, SP_PRED, STORE_BOOL, AT(n_preds), 0, 0, 0, 0},
  {2, SP_S8, STORE_S8, AT(s8s), 0, 0, 0, 0},
  {3, SP_S16, STORE_S16, AT(s16s), 0, 0, 0, 0},
  {4, SP_S32, STORE_I32, AT(n_s32s), 0, 0, 0, 0},
  {5, SP_S64, STORE_I64, AT(n_s64s), 0, 0, 0, 0},
  {6, SP_U8, STORE_U8, AT(u8s), 0, 0, 0, 0},
  {7, SP_U16, STORE_U16, AT(u16s), 0, 0, 0, 0},
  {8, SP_U32, STORE_U32, AT(n_u32s), 0, 0, 0, 0},
  {9, SP_U64, STORE_U64, AT(n_u64s), 0, 0, 0, 0},
  {10, SP_F16, STORE_F16, AT(f16s), 0, 0, 0, 0},
  {11, SP_F32, STORE_F32, AT(n_f32s), 0, 0, 0, 0},
  {12, SP_F64, STORE_F64, AT(n_f64s), 0, 0, 0, 0},
  {15, SP_C64, STORE_F32, AT(n_c64s), 0, 0, 0, 0},
  {16, SP_BF16, STORE_BF16, AT(bf16s), 0, 0, 0, 0},
  {17, SP_TOKEN, STORE_NONE, 0, 0, 0, 0, 0},
  {18, SP_C128, STORE_F64, AT(n_c128s), 0, 0, 0, 0},
  {19, SP_F8E5M2, STORE_F8, AT(f8e5m2s), MINI_IEEE, 5, 2, 15},
  {20, SP_F8E4M3FN, STORE_F8, AT(f8e4m3fns), MINI_FN, 4, 3, 7},
  {21, SP_S4, STORE_NIBBLE, AT(s4s), 0, 0, 0, 0},
  {22, SP_U4, STORE_NIBBLE, AT(u4s), 0, 0, 0, 0},
  {23, SP_F8E4M3B11FNUZ, STORE_F8, AT(f8e4m3b11fnuzs), MINI_FNUZ, 4, 3, 11},
  {24, SP_F8E5M2FNUZ, STORE_F8, AT(f8e5m2fnuzs), MINI_FNUZ, 5, 2, 16},
  {25, SP_F8E4M3FNUZ, STORE_F8, AT(f8e4m3fnuzs), MINI_FNUZ, 4, 3, 8},
  {26, SP_S2, STORE_NONE, 0, 0, 0, 0, 0},
  {27, SP_U2, STORE_NONE, 0, 0, 0, 0, 0},
  {28, SP_F8E4M3, STORE_F8, AT(f8e4m3s), MINI_IEEE, 4, 3, 7},
  {29, SP_F8E3M4, STORE_F8, AT(f8e3m4s), MINI_IEEE, 3, 4, 3},
  {30, SP_S1, STORE_NONE, 0, 0, 0, 0, 0},
  {31, SP_U1, STORE_NONE, 0, 0, 0, 0, 0},
  {32, SP_F4E2M1FN, STORE_NONE, 0, 0, 0, 0, 0},
  {33, SP_F8E8M0FNU, STORE_F8, AT(f8e8m0fnus), MINI_E8M0, 8, 0, 127},
};
/* clang-format on */

enum { PRIMITIVE_TUPLE = 13 };

static const element_row *element_find(int32_t number) {
  for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
    if (elements[i].number == number) {
      return &elements[i];
    }
  }
  return NULL;
}

static sp_shape leaf_shape(hlo_proto_reader *r, const Hlo__Shape *s) {
  const element_row *e = element_find(s->element_type);
  if (!e) {
    hlo_proto_bad(r,
                  "number 14 is opaque, 34 a buffer, 35 and 36 are six-bit "
                  "floats; programs on arrays of numbers can be checked",
                  "element type number %d of %s is not supported",
                  (int)s->element_type, r->what);
  }
  if (s->n_tuple_shapes || s->n_dimensions > SP_MAX_DIMS) {
    hlo_proto_bad(r, NULL, "the shape of %s is malformed", r->what);
  }
  int64_t total = 1;
  int64_t *dims = sp_alloc_n(r->ctx, s->n_dimensions, sizeof *dims);
  bool zero = false;
  for (size_t i = 0; i < s->n_dimensions; i++) {
    int64_t d = s->dimensions[i];
    if (d < 0) {
      hlo_proto_bad(r, NULL, "dimension %zu of %s has the negative size %lld",
                    i, r->what, (long long)d);
    }
    if (i < s->n_is_dynamic_dimension && s->is_dynamic_dimension[i]) {
      hlo_proto_bad(r, "compile the program for fixed shapes",
                    "dimension %zu of %s has a dynamic size, which is not "
                    "supported",
                    i, r->what);
    }
    zero = zero || d == 0;
    dims[i] = d;
  }
  for (size_t i = 0; i < s->n_dimensions && !zero; i++) {
    if (dims[i] >= SP_MAX_ELEMENTS / total + 1 ||
        dims[i] * total >= SP_MAX_ELEMENTS) {
      sp_raise(r->ctx, SP_ERR_LIMIT, r->loc,
               "arrays of 2^40 elements and more are not supported",
               "the array %s is too large", r->what);
    }
    total *= dims[i];
  }
  return (sp_shape){e->dtype, (uint32_t)s->n_dimensions, dims};
}

/* Field 8 is the kind of memory, 16 what the number of elements is padded to a
 * multiple of: XLA writes 1. */
static bool keeps_dense(const ProtobufCMessageUnknownField *field) {
  return field->tag == 8 ||
         (field->tag == 16 && field->len == 1 && field->data[0] == 1);
}

/* A dense layout; tiles and the like are not kept. */
static const int64_t *dense_layout(hlo_proto_reader *r, const sp_shape *shape,
                                   const Hlo__Layout *layout) {
  static const int64_t none[1];
  uint32_t n = shape->n_dims;
  if (n == 0 || !layout || layout->n_minor_to_major != n) {
    return n == 0 ? none : NULL;
  }
  for (unsigned i = 0; i < layout->base.n_unknown_fields; i++) {
    if (!keeps_dense(&layout->base.unknown_fields[i])) {
      return NULL;
    }
  }
  uint64_t seen = 0;
  for (uint32_t i = 0; i < n; i++) {
    int64_t d = layout->minor_to_major[i];
    if (d < 0 || d >= n || (seen >> d & 1)) {
      return NULL;
    }
    seen |= (uint64_t)1 << d;
  }
  int64_t *kept = sp_alloc_n(r->ctx, n, sizeof *kept);
  memcpy(kept, layout->minor_to_major, n * sizeof *kept);
  return kept;
}

static hlo_type type_at(hlo_proto_reader *r, const Hlo__Shape *s, int depth) {
  if (s->element_type != PRIMITIVE_TUPLE) {
    hlo_type leaf = {.shape = leaf_shape(r, s)};
    leaf.minor_to_major = dense_layout(r, &leaf.shape, s->layout);
    return leaf;
  }
  if (depth >= SP_HLO_MAX_TUPLE_DEPTH) {
    sp_raise(r->ctx, SP_ERR_LIMIT, r->loc,
             "no HLO module nests this deep; is the file damaged?",
             "the type of %s nests tuples more than %d deep", r->what,
             SP_HLO_MAX_TUPLE_DEPTH);
  }
  if (s->n_dimensions || s->n_tuple_shapes > UINT32_MAX) {
    hlo_proto_bad(r, NULL, "the tuple shape of %s is malformed", r->what);
  }
  hlo_type *v = sp_alloc_n(r->ctx, s->n_tuple_shapes, sizeof *v);
  for (size_t i = 0; i < s->n_tuple_shapes; i++) {
    v[i] = type_at(r, s->tuple_shapes[i], depth + 1);
  }
  return (hlo_type){
      .tuple = true, .n = (uint32_t)s->n_tuple_shapes, .elements = v};
}

hlo_type hlo_proto_type(hlo_proto_reader *r, const Hlo__Shape *s) {
  if (!s) {
    hlo_proto_bad(r, "the file is damaged; dump it again", "%s has no shape",
                  r->what);
  }
  return type_at(r, s, 0);
}

/* ---- constants ---- */

static double minifloat(unsigned bits, unsigned exponent_bits,
                        unsigned mantissa_bits, int bias, mini_kind kind) {
  unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
  unsigned top = (1u << exponent_bits) - 1;
  unsigned exponent = (bits >> mantissa_bits) & top;
  bool negative = (bits >> (mantissa_bits + exponent_bits)) & 1;
  if (kind == MINI_E8M0) {
    return bits == 255 ? (double)NAN : ldexp(1, (int)bits - bias);
  }
  if (kind == MINI_IEEE && exponent == top) {
    return mantissa ? (double)NAN : negative ? -HUGE_VAL : HUGE_VAL;
  }
  if ((kind == MINI_FN && exponent == top &&
       mantissa == (1u << mantissa_bits) - 1) ||
      (kind == MINI_FNUZ && negative && !exponent && !mantissa)) {
    return (double)NAN;
  }
  double v = exponent ? ldexp((double)(mantissa | (1u << mantissa_bits)),
                              (int)exponent - bias - (int)mantissa_bits)
                      : ldexp((double)mantissa, 1 - bias - (int)mantissa_bits);
  return negative ? -v : v;
}

/* The values of a literal as they lie in the proto. */
typedef struct source {
  const element_row *element;
  storage store;
  size_t n; /* values; complex ones count twice */
  const void *v;
} source;

/* Repeated fields are a count followed by a pointer in the generated struct,
 * bytes are a has_ flag and a ProtobufCBinaryData. */
static source source_of(hlo_proto_reader *r, const element_row *e,
                        const Hlo__Literal *l) {
  const char *base = (const char *)l + e->field;
  source s = {.element = e, .store = e->store};
  switch (e->store) {
  case STORE_BOOL:
  case STORE_I32:
  case STORE_I64:
  case STORE_U32:
  case STORE_U64:
  case STORE_F32:
  case STORE_F64: {
    void *values;
    memcpy(&s.n, base, sizeof s.n);
    memcpy(&values, base + sizeof(size_t), sizeof values);
    s.v = values;
    return s;
  }
  case STORE_S8:
  case STORE_U8:
  case STORE_F8:
  case STORE_S16:
  case STORE_U16:
  case STORE_F16:
  case STORE_BF16:
  case STORE_NIBBLE: {
    ProtobufCBinaryData data;
    memcpy(&data, base, sizeof data);
    s.v = data.data;
    bool two = e->store == STORE_S16 || e->store == STORE_U16 ||
               e->store == STORE_F16 || e->store == STORE_BF16;
    if (two && data.len % 2) {
      hlo_proto_bad(r, NULL, "the constant %s has half a value", r->what);
    }
    s.n = two ? data.len / 2 : data.len;
    return s;
  }
  case STORE_NONE:
    break;
  }
  hlo_proto_bad(r, "other element types can be read",
                "constants of type %s are not supported",
                sp_dtype_name(e->dtype));
}

static unsigned half_word(const source *s, size_t k) {
  const uint8_t *p = (const uint8_t *)s->v + 2 * k;
  return (unsigned)p[0] | (unsigned)p[1] << 8;
}

static int64_t source_int(hlo_proto_reader *r, const source *s, size_t k) {
  switch (s->store) {
  case STORE_BOOL:
    return ((const protobuf_c_boolean *)s->v)[k] ? 1 : 0;
  case STORE_I32:
    return ((const int32_t *)s->v)[k];
  case STORE_I64:
    return ((const int64_t *)s->v)[k];
  case STORE_U32:
    return ((const uint32_t *)s->v)[k];
  case STORE_U64: {
    uint64_t v = ((const uint64_t *)s->v)[k];
    if (v > INT64_MAX) {
      hlo_proto_bad(r, "unsigned constants up to 2^63 - 1 are supported",
                    "the constant %s has the value %llu", r->what,
                    (unsigned long long)v);
    }
    return (int64_t)v;
  }
  case STORE_S8:
    return ((const int8_t *)s->v)[k];
  case STORE_U8:
    return ((const uint8_t *)s->v)[k];
  case STORE_S16:
    return (int16_t)half_word(s, k);
  case STORE_U16:
    return half_word(s, k);
  case STORE_NIBBLE: {
    unsigned v = ((const uint8_t *)s->v)[k] & 15;
    return s->element->dtype == SP_S4 && v > 7 ? (int64_t)v - 16 : (int64_t)v;
  }
  case STORE_NONE:
  case STORE_F32:
  case STORE_F64:
  case STORE_F16:
  case STORE_BF16:
  case STORE_F8:
    break;
  }
  return 0;
}

static double source_float(const source *s, size_t k) {
  switch (s->store) {
  case STORE_F32:
    return (double)((const float *)s->v)[k];
  case STORE_F64:
    return ((const double *)s->v)[k];
  case STORE_F16:
    return minifloat(half_word(s, k), 5, 10, 15, MINI_IEEE);
  case STORE_BF16:
    return minifloat(half_word(s, k), 8, 7, 127, MINI_IEEE);
  case STORE_F8: {
    const element_row *e = s->element;
    return minifloat(((const uint8_t *)s->v)[k], e->exponent_bits,
                     e->mantissa_bits, e->bias, e->mini);
  }
  case STORE_NONE:
  case STORE_BOOL:
  case STORE_I32:
  case STORE_I64:
  case STORE_U32:
  case STORE_U64:
  case STORE_S8:
  case STORE_U8:
  case STORE_S16:
  case STORE_U16:
  case STORE_NIBBLE:
    break;
  }
  return 0;
}

/* stride[d]: how far apart in the proto two neighbours along d are. */
static void storage_strides(hlo_proto_reader *r, const sp_shape *shape,
                            const Hlo__Layout *layout, int64_t *stride) {
  uint32_t n = shape->n_dims;
  bool given = layout && layout->n_minor_to_major;
  if (given && layout->n_minor_to_major != n) {
    hlo_proto_bad(r, NULL,
                  "the layout of the constant %s has %zu dimensions, "
                  "its shape %u",
                  r->what, layout->n_minor_to_major, n);
  }
  bool seen[SP_MAX_DIMS] = {false};
  int64_t step = 1;
  for (uint32_t i = 0; i < n; i++) {
    int64_t d = given ? layout->minor_to_major[i] : (int64_t)(n - 1 - i);
    if (d < 0 || d >= n || seen[d]) {
      hlo_proto_bad(r, NULL, "the layout of the constant %s is no permutation",
                    r->what);
    }
    seen[d] = true;
    stride[d] = step;
    step *= shape->dims[d];
  }
}

/* The place in the proto of the element at row-major position k. */
static size_t storage_place(const sp_shape *shape, const int64_t *stride,
                            int64_t k) {
  int64_t at = 0;
  for (uint32_t d = shape->n_dims; d-- > 0;) {
    at += k % shape->dims[d] * stride[d];
    k /= shape->dims[d];
  }
  return (size_t)at;
}

/* Sparse layouts (fields 9 to 14) would give the values another meaning. */
static void layout_check(hlo_proto_reader *r, const Hlo__Layout *layout) {
  static const uint32_t harmless[] = {6, 7, 8, 15, 16, 17};
  for (unsigned i = 0; layout && i < layout->base.n_unknown_fields; i++) {
    bool ok = false;
    for (size_t k = 0; k < sizeof harmless / sizeof harmless[0]; k++) {
      ok = ok || harmless[k] == layout->base.unknown_fields[i].tag;
    }
    if (!ok) {
      hlo_proto_bad(r, "dense layouts are supported",
                    "field %u in the layout of the constant %s is not known",
                    layout->base.unknown_fields[i].tag, r->what);
    }
  }
}

static void literal_shape_check(hlo_proto_reader *r, const sp_shape *shape,
                                const Hlo__Literal *l) {
  if (!l->shape) {
    hlo_proto_bad(r, "the file is damaged; dump it again",
                  "the literal of %s has no shape", r->what);
  }
  const element_row *e = element_find(l->shape->element_type);
  bool same =
      e && e->dtype == shape->dtype && l->shape->n_dimensions == shape->n_dims;
  for (uint32_t i = 0; same && i < shape->n_dims; i++) {
    same = l->shape->dimensions[i] == shape->dims[i];
  }
  if (!same) {
    hlo_proto_bad(r, "the file is damaged; dump it again",
                  "the literal of %s has another shape than %s", r->what,
                  sp_shape_text(r->ctx, shape));
  }
  uint32_t unknown = hlo_proto_unknown_field(&l->base);
  if (unknown) {
    hlo_proto_bad(r, "a newer XLA wrote this file; try its text dump",
                  "field %u in the literal of %s is not known", unknown,
                  r->what);
  }
}

/* Four-bit values: which half of a byte comes first changed between versions
 * of XLA, so only a literal of equal values has a sure meaning. */
static void nibble_check(hlo_proto_reader *r, source *s, size_t want) {
  const uint8_t *v = s->v;
  bool same = s->n == (want + 1) / 2;
  for (size_t i = 0; same && i < s->n; i++) {
    same = v[i] == v[0] && (v[i] & 15) == v[i] >> 4;
  }
  if (!same) {
    hlo_proto_bad(r, "keep such constants in wider integers",
                  "the four-bit constant %s has different values, which is "
                  "not supported",
                  r->what);
  }
  s->n = want;
}

static const sp_literal *literal_make(hlo_proto_reader *r,
                                      const sp_shape *shape, const source *s,
                                      const Hlo__Layout *layout) {
  bool pairs = shape->dtype == SP_C64 || shape->dtype == SP_C128;
  bool real = sp_dtype_is_float(shape->dtype) || pairs;
  size_t parts = pairs ? 2 : 1;
  int64_t stride[SP_MAX_DIMS];
  storage_strides(r, shape, layout, stride);
  sp_mark mark = sp_scratch_mark(r->ctx);
  double *f = real ? sp_scratch(r->ctx, s->n * sizeof *f) : NULL;
  int64_t *v = real ? NULL : sp_scratch(r->ctx, s->n * sizeof *v);
  for (size_t k = 0; k < s->n; k++) {
    /* equal four-bit values: all of them are the first */
    size_t at =
        s->store == STORE_NIBBLE
            ? 0
            : storage_place(shape, stride, (int64_t)(k / parts)) * parts +
                  k % parts;
    if (real) {
      f[k] = source_float(s, at);
    } else {
      v[k] = source_int(r, s, at);
    }
  }
  const sp_literal *lit = hlo_literal_make(r->ctx, shape, v, f);
  sp_scratch_release(r->ctx, mark);
  return lit;
}

const sp_literal *hlo_proto_literal(hlo_proto_reader *r, const sp_shape *shape,
                                    const Hlo__Literal *l) {
  literal_shape_check(r, shape, l);
  layout_check(r, l->shape->layout);
  source s = source_of(r, element_find(l->shape->element_type), l);
  bool pairs = shape->dtype == SP_C64 || shape->dtype == SP_C128;
  size_t want = (size_t)sp_shape_elements(shape) * (pairs ? 2 : 1);
  if (s.store == STORE_NIBBLE) {
    nibble_check(r, &s, want);
  }
  if (s.n != want) {
    hlo_proto_bad(r, "the file is damaged; dump it again",
                  "the literal of %s has %zu values, its shape %s needs %zu",
                  r->what, s.n, sp_shape_text(r->ctx, shape), want);
  }
  return literal_make(r, shape, &s, l->shape->layout);
}
