/* tensor_file.c: see tensor_file.h. */
#include "cli/tensor_file.h"

#include <inttypes.h>
#include <string.h>

#include "base/npy.h"
#include "base/vec.h"

static void element_type(sp_dtype t, char *kind, unsigned *size) {
  int bits = sp_dtype_bits(t);
  *kind = t == SP_PRED              ? 'b'
          : sp_dtype_is_float(t)    ? 'f'
          : sp_dtype_is_unsigned(t) ? 'u'
                                    : 'i';
  *size = *kind == 'f' ? (t == SP_F64 ? 8 : 4)
          : bits <= 8  ? 1
                       : (unsigned)bits / 8;
}

static void put_element(uint8_t *to, char kind, unsigned size, double real,
                        int64_t whole) {
  const float f = (float)real;
  const int8_t a = (int8_t)whole;
  const int16_t b = (int16_t)whole;
  const int32_t c = (int32_t)whole;
  const void *from = kind == 'f' ? (size == 4 ? (const void *)&f : &real)
                     : size == 1 ? (const void *)&a
                     : size == 2 ? (const void *)&b
                     : size == 4 ? (const void *)&c
                                 : (const void *)&whole;
  memcpy(to, from, size);
}

void cli_tensor_write(sp_ctx *ctx, const char *path, sp_machine *m,
                      uint32_t tensor, int64_t rank) {
  const sp_shape *s = &sp_machine_program(m)->tensors[tensor].shape;
  int64_t from = rank < 0 ? 0 : rank, n = sp_shape_elements(s);
  int64_t ranks = rank < 0 ? sp_machine_ranks(m) : 1;
  int64_t *dims = sp_alloc_n(ctx, s->n_dims + 1u, sizeof *dims);
  dims[0] = ranks;
  memcpy(dims + 1, s->dims, s->n_dims * sizeof *dims);
  sp_npy a = {.n_dims = s->n_dims + (rank < 0),
              .dims = rank < 0 ? dims : dims + 1,
              .n = n * ranks};
  element_type(s->dtype, &a.kind, &a.size);
  sp_mark mark = sp_scratch_mark(ctx);
  uint8_t *bytes = sp_scratch(ctx, (size_t)a.n * a.size + 1);
  bool real = a.kind == 'f';
  for (int64_t i = 0; i < a.n; i++) {
    int64_t r = from + i / n, at = i % n;
    put_element(bytes + (size_t)i * a.size, a.kind, a.size,
                real ? sp_machine_value(m, tensor, r, at) : 0,
                real ? 0 : sp_machine_int(m, tensor, r, at));
  }
  a.bytes = bytes;
  sp_npy_write(ctx, path, &a);
  sp_scratch_release(ctx, mark);
}

/* ---- reading ---- */

typedef struct source {
  const sp_npy *a;
  int64_t n;
  bool by_rank;
} source;

static double element(void *user, int64_t rank, int64_t flat,
                      const int64_t *idx) {
  const source *s = user;
  (void)idx;
  return sp_npy_double(s->a, s->by_rank ? rank * s->n + flat : flat);
}

static const char *dims_text(sp_ctx *ctx, uint32_t n, const int64_t *dims) {
  sp_str s = {0};
  sp_str_add(ctx, &s, "[");
  for (uint32_t d = 0; d < n; d++) {
    sp_str_addf(ctx, &s, "%s%" PRId64, d ? "," : "", dims[d]);
  }
  sp_str_add(ctx, &s, "]");
  return s.v;
}

void cli_tensor_read(sp_ctx *ctx, const char *path, sp_machine *m,
                     uint32_t tensor) {
  const sp_tensor *t = &sp_machine_program(m)->tensors[tensor];
  const sp_shape *s = &t->shape;
  source x = {.a = sp_npy_read(ctx, path), .n = sp_shape_elements(s)};
  x.by_rank = x.a->n_dims == s->n_dims + 1;
  const int64_t *dims = x.a->dims + x.by_rank;
  if ((x.by_rank && x.a->dims[0] != sp_machine_ranks(m)) ||
      (!x.by_rank && x.a->n_dims != s->n_dims) ||
      (s->n_dims && memcmp(dims, s->dims, s->n_dims * sizeof *dims) != 0)) {
    sp_raise(ctx, SP_ERR_INPUT, (sp_loc){.file = path},
             "give an array of the parameter's shape, or one with the ranks "
             "as its first dimension",
             "an array of shape %s for %s, which is %s on %" PRId64 " rank%s",
             dims_text(ctx, x.a->n_dims, x.a->dims), t->name,
             sp_shape_text(ctx, s), sp_machine_ranks(m),
             sp_machine_ranks(m) == 1 ? "" : "s");
  }
  bool number = x.a->kind == 'f' || x.a->kind == 'V';
  if (number != sp_dtype_is_float(s->dtype)) {
    sp_raise(ctx, SP_ERR_INPUT, (sp_loc){.file = path},
             "convert it with numpy's astype",
             "an array of %s for %s, which is %s",
             number ? "floats" : "integers", t->name, sp_shape_text(ctx, s));
  }
  sp_machine_fill_input(m, tensor, element, &x);
}
