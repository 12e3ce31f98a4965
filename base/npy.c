/* npy.c: the format is described in numpy's numpy.lib.format. Read
 * sp_npy_parse. */
#include "base/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, MAX_HEADER = 1 << 16 };
/* Larger files are refused before anything is allocated. */
#define MAX_FILE ((int64_t)1 << 36)

typedef struct parser {
  sp_ctx *ctx;
  const char *file;
  const uint8_t *bytes;
  size_t at, end; /* of the header's text */
} parser;

static noreturn void bad(const parser *p, const char *what) {
  sp_loc loc = {.file = p->file, .byte = p->at, .has_byte = true};
  sp_raise(p->ctx, SP_ERR_INPUT, loc, "write it with numpy.save",
           "not a .npy file that is understood: %s", what);
}

/* ---- the header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)} */

static void skip_space(parser *p) {
  while (p->at < p->end && strchr(" \t\r\n", p->bytes[p->at]) &&
         p->bytes[p->at]) {
    p->at++;
  }
}

static bool eat(parser *p, char c) {
  skip_space(p);
  if (p->at < p->end && p->bytes[p->at] == (uint8_t)c) {
    p->at++;
    return true;
  }
  return false;
}

static void expect(parser *p, char c) {
  if (!eat(p, c)) {
    bad(p, "its header is malformed");
  }
}

/* 'text' or "text" of less than size characters. */
static void quoted(parser *p, char *out, size_t size) {
  char quote = eat(p, '\'') ? '\'' : '"';
  size_t n = 0;
  if (quote == '"') {
    expect(p, '"');
  }
  while (p->at < p->end && p->bytes[p->at] != (uint8_t)quote && n + 1 < size) {
    out[n++] = (char)p->bytes[p->at++];
  }
  out[n] = '\0';
  expect(p, quote);
}

static bool word(parser *p, const char *text) {
  size_t n = strlen(text);
  skip_space(p);
  if (p->end - p->at < n || memcmp(p->bytes + p->at, text, n) != 0) {
    return false;
  }
  p->at += n;
  return true;
}

static int64_t number(parser *p) {
  int64_t v = 0;
  skip_space(p);
  size_t from = p->at;
  for (; p->at < p->end && p->bytes[p->at] >= '0' && p->bytes[p->at] <= '9';
       p->at++) {
    if (!sp_mul_ok(v, 10, &v) || !sp_add_ok(v, p->bytes[p->at] - '0', &v)) {
      bad(p, "a dimension is too large");
    }
  }
  if (p->at == from) {
    bad(p, "its shape is malformed");
  }
  return v;
}

static void shape(parser *p, sp_npy *a) {
  int64_t *dims = sp_alloc_n(p->ctx, SP_NPY_MAX_DIMS, sizeof *dims);
  expect(p, '(');
  while (!eat(p, ')')) {
    if (a->n_dims == SP_NPY_MAX_DIMS) {
      bad(p, "it has too many dimensions");
    }
    dims[a->n_dims++] = number(p);
    if (!eat(p, ',')) {
      expect(p, ')');
      break;
    }
  }
  a->dims = dims;
}

/* '<f4': byte order, kind, bytes. */
static bool descr(parser *p, sp_npy *a) {
  char text[16];
  quoted(p, text, sizeof text);
  const char *s = text;
  bool big = *s == '>';
  if (*s == '<' || *s == '>' || *s == '|' || *s == '=') {
    s++;
  }
  static const char *const known[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2",
                                      "u4", "u8", "f2", "f4", "f8", "V2"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(known[i], s) == 0) {
      a->kind = s[0];
      a->size = (unsigned)(s[1] - '0');
      return big;
    }
  }
  bad(p, "its elements are no numbers of a known type");
}

typedef struct header {
  bool big, fortran;
} header;

static header read_header(parser *p, sp_npy *a) {
  header h = {false, false};
  unsigned seen = 0;
  expect(p, '{');
  while (!eat(p, '}')) {
    char key[24];
    quoted(p, key, sizeof key);
    expect(p, ':');
    unsigned bit;
    if (strcmp(key, "descr") == 0) {
      bit = 1;
      h.big = descr(p, a);
    } else if (strcmp(key, "fortran_order") == 0) {
      bit = 2;
      h.fortran = word(p, "True");
      if (!h.fortran && !word(p, "False")) {
        bad(p, "its header is malformed");
      }
    } else if (strcmp(key, "shape") == 0 && !(seen & 4)) {
      bit = 4;
      shape(p, a);
    } else {
      bad(p, "its header has an unknown key");
    }
    seen |= bit;
    if (!eat(p, ',')) {
      expect(p, '}');
      break;
    }
  }
  if (seen != 7) {
    bad(p, "its header lacks a key");
  }
  return h;
}

/* ---- elements ---- */

static bool little_endian(void) {
  const uint16_t one = 1;
  return *(const uint8_t *)&one == 1;
}

static void copy_element(uint8_t *to, const uint8_t *from, unsigned size,
                         bool swap) {
  for (unsigned i = 0; i < size; i++) {
    to[i] = from[swap ? size - 1 - i : i];
  }
}

/* Element i (row-major) of an array in Fortran's order. */
static int64_t fortran_at(const sp_npy *a, int64_t i) {
  int64_t at = 0, stride = a->n;
  for (uint32_t d = a->n_dims; d-- > 0;) {
    stride /= a->dims[d]; /* product of the dimensions before d */
    at += i % a->dims[d] * stride;
    i /= a->dims[d];
  }
  return at;
}

static void read_elements(parser *p, sp_npy *a, header h, size_t n) {
  a->n = 1;
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if (!sp_mul_ok(a->n, a->dims[d], &a->n)) {
      bad(p, "its shape is too large");
    }
  }
  int64_t bytes;
  if (!sp_mul_ok(a->n, (int64_t)a->size, &bytes) ||
      (uint64_t)bytes != (uint64_t)(n - p->end)) {
    p->at = p->end;
    bad(p, "its size does not match its shape");
  }
  const uint8_t *from = p->bytes + p->end;
  uint8_t *to = sp_alloc(p->ctx, (size_t)bytes + 1);
  bool swap = h.big == little_endian() && a->size > 1;
  for (int64_t i = 0; i < a->n; i++) {
    int64_t at = h.fortran ? fortran_at(a, i) : i;
    copy_element(to + i * a->size, from + at * a->size, a->size, swap);
  }
  a->bytes = to;
}

const sp_npy *sp_npy_parse(sp_ctx *ctx, const char *file, const uint8_t *bytes,
                           size_t n) {
  parser p = {.ctx = ctx, .file = file, .bytes = bytes, .end = n};
  if (n < MAGIC + 4 || memcmp(bytes, magic, MAGIC) != 0) {
    bad(&p, "it does not begin with \\x93NUMPY");
  }
  bool wide = bytes[MAGIC] == 2 || bytes[MAGIC] == 3;
  p.at = MAGIC;
  if (bytes[MAGIC] != 1 && !wide) {
    bad(&p, "its version is unknown");
  }
  size_t from = MAGIC + 2 + (wide ? 4 : 2);
  if (n < from) {
    bad(&p, "it ends too early");
  }
  size_t length = bytes[MAGIC + 2] | (size_t)bytes[MAGIC + 3] << 8;
  if (wide) {
    length |= (size_t)bytes[MAGIC + 4] << 16 | (size_t)bytes[MAGIC + 5] << 24;
  }
  if (length > MAX_HEADER || length > n - from) {
    bad(&p, "it ends too early");
  }
  p.at = from;
  p.end = from + length;
  sp_npy *a = sp_alloc(ctx, sizeof *a);
  header h = read_header(&p, a);
  read_elements(&p, a, h, n);
  return a;
}

static double half(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  double m = bits & 1023;
  double v = exponent == 0    ? ldexp(m, -24)
             : exponent == 31 ? (m != 0 ? NAN : INFINITY)
                              : ldexp(m + 1024, exponent - 25);
  return bits >> 15 ? -v : v;
}

int64_t sp_npy_int(const sp_npy *a, int64_t i) {
  const uint8_t *from = a->bytes + i * a->size;
  bool is_signed = a->kind == 'i';
  int8_t i1;
  int16_t i2;
  int32_t i4;
  int64_t i8;
  uint16_t u2;
  uint32_t u4;
  switch (a->size) {
  case 1:
    memcpy(&i1, from, 1);
    return is_signed ? i1 : *from;
  case 2:
    memcpy(&i2, from, 2);
    memcpy(&u2, from, 2);
    return is_signed ? i2 : u2;
  case 4:
    memcpy(&i4, from, 4);
    memcpy(&u4, from, 4);
    return is_signed ? i4 : (int64_t)u4;
  default:
    memcpy(&i8, from, 8);
    return i8;
  }
}

double sp_npy_double(const sp_npy *a, int64_t i) {
  const uint8_t *from = a->bytes + i * a->size;
  uint16_t u2;
  uint32_t u4;
  uint64_t u8;
  float f4;
  double f8;
  if (a->kind == 'V') { /* bfloat16 */
    memcpy(&u2, from, 2);
    u4 = (uint32_t)u2 << 16;
    memcpy(&f4, &u4, 4);
    return f4;
  }
  if (a->kind == 'f' && a->size == 2) {
    memcpy(&u2, from, 2);
    return half(u2);
  }
  if (a->kind == 'f' && a->size == 4) {
    memcpy(&f4, from, 4);
    return f4;
  }
  if (a->kind == 'f') {
    memcpy(&f8, from, 8);
    return f8;
  }
  if (a->kind == 'u' && a->size == 8) {
    memcpy(&u8, from, 8);
    return (double)u8;
  }
  return (double)sp_npy_int(a, i);
}

/* ---- files ---- */

static noreturn void cannot(sp_ctx *ctx, sp_code code, const char *what,
                            const char *path) {
  int error = errno;
  sp_raise(ctx, code, (sp_loc){.file = path}, NULL, "cannot %s: %s", what,
           error ? strerror(error) : "unknown error");
}

/* Opened and closed: nothing is open while memory is asked for. */
static size_t file_size(sp_ctx *ctx, const char *path) {
  errno = 0;
  FILE *f = fopen(path, "rb");
  if (!f) {
    cannot(ctx, SP_ERR_INPUT, "open the file", path);
  }
  long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
  fclose(f);
  if (size < 0 || size > MAX_FILE) {
    cannot(ctx, SP_ERR_INPUT, "read the file", path);
  }
  return (size_t)size;
}

const sp_npy *sp_npy_read(sp_ctx *ctx, const char *path) {
  size_t size = file_size(ctx, path);
  sp_mark mark = sp_scratch_mark(ctx);
  uint8_t *bytes = sp_scratch(ctx, size + 1);
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(bytes, 1, size, f) : 0;
  if (f) {
    fclose(f);
  }
  if (n != size) {
    cannot(ctx, SP_ERR_INPUT, "read the file", path);
  }
  const sp_npy *a = sp_npy_parse(ctx, path, bytes, n);
  sp_scratch_release(ctx, mark);
  return a;
}

/* Padded so that the elements begin at a multiple of 64. */
static const char *header_text(sp_ctx *ctx, const sp_npy *a) {
  char dims[SP_NPY_MAX_DIMS * 22 + 2] = "";
  size_t n = 0;
  for (uint32_t d = 0; d < a->n_dims; d++) {
    n += (size_t)snprintf(dims + n, sizeof dims - n, "%s%" PRId64,
                          d ? ", " : "", a->dims[d]);
  }
  const char *text = sp_format(
      ctx, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (%s%s), }",
      a->kind == 'V' || a->size == 1 ? '|'
      : little_endian()              ? '<'
                                     : '>',
      a->kind, a->size, dims, a->n_dims == 1 ? "," : "");
  size_t length = strlen(text), total = (MAGIC + 4 + length + 1 + 63) / 64 * 64;
  char *out = sp_alloc(ctx, total);
  size_t pad = total - MAGIC - 4 - length - 1;
  memcpy(out, text, length);
  memset(out + length, ' ', pad);
  out[length + pad] = '\n';
  return out;
}

void sp_npy_write(sp_ctx *ctx, const char *path, const sp_npy *a) {
  const char *text = header_text(ctx, a);
  size_t length = strlen(text), bytes = (size_t)a->n * a->size;
  const uint8_t head[MAGIC + 4] = {0x93,
                                   'N',
                                   'U',
                                   'M',
                                   'P',
                                   'Y',
                                   1,
                                   0,
                                   (uint8_t)(length & 255),
                                   (uint8_t)(length >> 8)};
  errno = 0;
  FILE *f = fopen(path, "wb");
  if (!f) {
    cannot(ctx, SP_ERR_USAGE, "write the file", path);
  }
  bool ok = fwrite(head, 1, sizeof head, f) == sizeof head &&
            fwrite(text, 1, length, f) == length &&
            fwrite(a->bytes, 1, bytes, f) == bytes;
  ok = fclose(f) == 0 && ok;
  if (!ok) {
    cannot(ctx, SP_ERR_USAGE, "write the file", path);
  }
}
