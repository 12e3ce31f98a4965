/* test_npy.c: .npy files: what numpy writes is read, what is written is read
 * back, and hostile headers are errors. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include "base/npy.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void suite_npy(void);

typedef struct job {
  uint8_t bytes[512], *exact;
  size_t n;
  const sp_npy *a;
} job;

static void parse_exact(sp_ctx *ctx, void *arg) {
  job *j = arg;
  j->a = sp_npy_parse(ctx, "x.npy", j->exact, j->n);
}

/* From a copy of just that size, so that sanitizers see reads beyond it. */
static sp_code parse(sp_ctx *ctx, job *j) {
  j->exact = malloc(j->n + (j->n == 0));
  CU_ASSERT_PTR_NOT_NULL_FATAL(j->exact);
  memcpy(j->exact, j->bytes, j->n);
  sp_code code = sp_protect(ctx, parse_exact, j);
  free(j->exact);
  return code;
}

/* A file of version 1 with that header and those bytes. */
static job file_of(const char *header, const void *data, size_t n) {
  job j = {0};
  size_t length = strlen(header);
  memcpy(j.bytes, "\x93NUMPY\x01\x00", 8);
  j.bytes[8] = (uint8_t)(length & 255);
  j.bytes[9] = (uint8_t)(length >> 8);
  memcpy(j.bytes + 10, header, length);
  if (n) {
    memcpy(j.bytes + 10 + length, data, n);
  }
  j.n = 10 + length + n;
  return j;
}

static void expect_values(const char *header, const void *data, size_t bytes,
                          int64_t n, const double *want) {
  job j = file_of(header, data, bytes);
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_code code = parse(ctx, &j);
  CU_ASSERT_EQUAL(code, SP_OK);
  if (code != SP_OK) {
    printf("\n  %s: %s\n", header, sp_ctx_error(ctx)->message);
  } else {
    CU_ASSERT_EQUAL(j.a->n, n);
    for (int64_t i = 0; i < n && i < j.a->n; i++) {
      CU_ASSERT_EQUAL(sp_npy_double(j.a, i), want[i]);
    }
  }
  sp_ctx_free(ctx);
}

static void types_orders_and_layouts(void) {
  const double six[6] = {1, 2, 3, 4, 5, 6};
  const uint8_t bytes[6] = {1, 2, 3, 4, 5, 6};
  expect_values("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n",
                bytes, 6, 6, six);
  expect_values("{\"shape\":(6,),\"descr\":\"u1\",\"fortran_order\":False}",
                bytes, 6, 6, six);
  const double turned[6] = {1, 3, 5, 2, 4, 6};
  expect_values("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }",
                bytes, 6, 6, turned);
  const uint8_t big[4] = {0x00, 0x01, 0xff, 0xfe};
  expect_values("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }",
                big, 4, 2, (const double[]){1, -2});
  const uint8_t half[4] = {0x00, 0x3c, 0x01, 0x80};
  expect_values("{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }",
                half, 4, 2, (const double[]){1, -0x1p-24});
  const uint8_t bf16[4] = {0x80, 0x3f, 0x40, 0xc0};
  expect_values("{'descr': '|V2', 'fortran_order': False, 'shape': (2,), }",
                bf16, 4, 2, (const double[]){1, -3});
  const float f[1] = {0.5f};
  expect_values("{'descr': '=f4', 'fortran_order': False, 'shape': (), }", f, 4,
                1, (const double[]){0.5});
  expect_values("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 7), }",
                NULL, 0, 0, NULL);
}

static void expect_error(job j) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_code code = parse(ctx, &j);
  CU_ASSERT_EQUAL(code, SP_ERR_INPUT);
  if (code == SP_ERR_INPUT) {
    CU_ASSERT_STRING_EQUAL(sp_ctx_error(ctx)->loc.file, "x.npy");
  }
  sp_ctx_free(ctx);
}

static void hostile_files_are_errors(void) {
  static const char *const headers[] = {
      "",
      "{",
      "{}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3), 'more': 1}",
      "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3,), }",
      "{'descr': '<f4', 'fortran_order': False}",
      "{'descr': '<f4, 'fortran_order': False, 'shape': (3,), }",
      "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }",
      "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }",
      "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }",
      "{'descr': '<f4', 'fortran_order': False, "
      "'shape': (99999999999999999999999,), }",
      "{'descr': '<f4', 'fortran_order': False, "
      "'shape': (4294967296, 4294967296, 3), }",
      "{'descr': '<f4', 'fortran_order': False, "
      "'shape': (9223372036854775807,), }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'shape': (3,)}",
  };
  const float data[3] = {1, 2, 3};
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    expect_error(file_of(headers[i], data, sizeof data));
  }
}

static void cut_and_changed_files_are_errors_or_fine(void) {
  const float data[3] = {1, 2, 3};
  const job whole =
      file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n",
              data, sizeof data);
  for (size_t n = 0; n < whole.n; n++) {
    job j = whole;
    j.n = n;
    expect_error(j);
  }
  for (size_t at = 0; at < whole.n; at++) {
    for (int bit = 0; bit < 8; bit++) {
      job j = whole;
      j.bytes[at] ^= (uint8_t)(1 << bit);
      sp_ctx *ctx = sp_ctx_new(NULL);
      sp_code code = parse(ctx, &j);
      CU_ASSERT(code == SP_OK || code == SP_ERR_INPUT);
      sp_ctx_free(ctx);
    }
  }
  job j = whole; /* version 3 has a longer length */
  j.bytes[6] = 3;
  expect_error(j);
}

/* ---- writing ---- */

static void write_and_read(sp_ctx *ctx, void *arg) {
  const char *path = arg;
  const int64_t dims[2] = {2, 2};
  const double v[4] = {1, -2, 0.5, 1e300};
  const sp_npy a = {'f', 8, 2, dims, 4, (const uint8_t *)v};
  sp_npy_write(ctx, path, &a);
  const sp_npy *b = sp_npy_read(ctx, path);
  CU_ASSERT_EQUAL(b->kind, 'f');
  CU_ASSERT_EQUAL(b->n_dims, 2);
  CU_ASSERT_EQUAL(b->dims[0] * 10 + b->dims[1], 22);
  CU_ASSERT_EQUAL(memcmp(b->bytes, v, sizeof v), 0);
  const int64_t n = 3;
  const int8_t w[3] = {-1, 0, 5};
  const sp_npy c = {'i', 1, 1, &n, 3, (const uint8_t *)w};
  sp_npy_write(ctx, path, &c);
  b = sp_npy_read(ctx, path);
  CU_ASSERT_EQUAL(sp_npy_int(b, 0), -1);
  CU_ASSERT_EQUAL(sp_npy_int(b, 2), 5);
}

static void what_is_written_is_read_back(void) {
  char path[] = "/tmp/shardproof-XXXXXX";
  int fd = mkstemp(path);
  CU_ASSERT_FATAL(fd >= 0);
  close(fd);
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_code code = sp_protect(ctx, write_and_read, path);
  CU_ASSERT_EQUAL(code, SP_OK);
  if (code != SP_OK) {
    printf("\n  %s\n", sp_ctx_error(ctx)->message);
  }
  sp_ctx_free(ctx);
  remove(path);
}

static void read_missing(sp_ctx *ctx, void *arg) {
  (void)arg;
  sp_npy_read(ctx, "no/such/file.npy");
}

static void a_missing_file_is_an_error(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, read_missing, NULL), SP_ERR_INPUT);
  sp_ctx_free(ctx);
}

void suite_npy(void) {
  CU_pSuite s = CU_add_suite("npy", NULL, NULL);
#define TEST(name) CU_add_test(s, #name, name)
  TEST(types_orders_and_layouts);
  TEST(hostile_files_are_errors);
  TEST(cut_and_changed_files_are_errors_or_fine);
  TEST(what_is_written_is_read_back);
  TEST(a_missing_file_is_an_error);
#undef TEST
}
