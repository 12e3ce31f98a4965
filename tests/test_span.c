/* Sets of indices (solve/span.h): operations against bits, and the image of
 * random index terms against all their values. */
#include "solve/span.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "tests/suites.h"

void suite_span(void);

enum { EXTENT = 40, ROUNDS = 400, VARS = 3, DEPTH = 3 };

typedef struct bench {
  sp_ctx *ctx;
  sp_pool *p;
  uint64_t seed;
  sp_expr vars[VARS];
} bench;

static int64_t below(bench *b, int64_t n) {
  b->seed = b->seed * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((b->seed >> 33) % (uint64_t)n);
}

static void run(void (*body)(sp_ctx *ctx, void *arg)) {
  bench b = {.ctx = sp_ctx_new(NULL), .seed = 7};
  if (sp_protect(b.ctx, body, &b) != SP_OK) {
    printf("\n    %s\n", sp_ctx_error(b.ctx)->message);
    CU_FAIL("an error is raised");
  }
  sp_ctx_free(b.ctx);
}

/* ---- sets ---- */

static sp_span random_span(bench *b, bool *bits) {
  int64_t often = 1 + below(b, 4);
  for (int64_t i = 0; i < EXTENT; i++) {
    bits[i] = below(b, often) == 0;
  }
  return spi_span_of_bits(b->ctx, bits, EXTENT);
}

static bool is(sp_span s, const bool *bits) {
  int64_t n = 0;
  for (int64_t i = 0; i < EXTENT; i++) {
    int64_t at = spi_span_find(s, i);
    if ((at >= 0) != bits[i] || (bits[i] && spi_span_at(s, at) != i)) {
      return false;
    }
    n += bits[i];
  }
  return n == s.n && (s.at == NULL) == (n == EXTENT);
}

static void sets_body(sp_ctx *ctx, void *arg) {
  bench *b = arg;
  for (int round = 0; round < ROUNDS; round++) {
    bool x[EXTENT], y[EXTENT], both[EXTENT], any[EXTENT], low[EXTENT];
    sp_span s = random_span(b, x), t = random_span(b, y);
    int64_t limit = below(b, EXTENT) + 1;
    for (int64_t i = 0; i < EXTENT; i++) {
      both[i] = x[i] && y[i];
      any[i] = x[i] || y[i];
      low[i] = x[i] && i < limit;
    }
    CU_ASSERT(is(s, x));
    CU_ASSERT(is(spi_span_meet(ctx, s, t), both));
    CU_ASSERT(is(spi_span_union(ctx, s, t, EXTENT), any));
    sp_span l = spi_span_below(ctx, s, limit);
    for (int64_t i = 0; i < limit; i++) {
      CU_ASSERT_EQUAL(spi_span_find(l, i) >= 0, low[i]);
    }
    CU_ASSERT(l.n <= limit);
  }
}

static void sets_are_those_of_their_bits(void) {
  run(sets_body);
}

/* ---- images ---- */

static sp_expr random_term(bench *b, int depth) {
  sp_pool *p = b->p;
  if (depth == 0 || below(b, 4) == 0) {
    return below(b, 5) ? b->vars[below(b, VARS)] : sp_int(p, below(b, 30));
  }
  sp_expr x = random_term(b, depth - 1);
  switch (below(b, 5)) {
  case 0:
    return sp_idiv(p, x, 1 + below(b, 6));
  case 1:
    return sp_imod(p, x, 1 + below(b, 9));
  case 2:
    return sp_ite(p, sp_lt(p, x, sp_int(p, below(b, 9))),
                  random_term(b, depth - 1), x);
  default:
    return sp_iadd(p, sp_iscale(p, x, below(b, 7) - 3),
                   random_term(b, depth - 1));
  }
}

/* Every value that is an index is there; and it is the position's term. */
static void check_image(bench *b, sp_expr e) {
  sp_span image = spi_span_image(b->p, e, EXTENT);
  spi_points x;
  bool ok = true;
  CU_ASSERT_FATAL(spi_points_of(b->p, e, &x));
  for (int64_t i = 0; i < x.size; i++, spi_points_next(&x)) {
    int64_t v;
    CU_ASSERT(spi_points_value(b->p, &x, e, &v));
    ok = ok && (v < 0 || v >= EXTENT || spi_span_find(image, v) >= 0);
  }
  for (int64_t i = 0; i < image.n; i++) {
    int64_t v = spi_span_at(image, i);
    ok =
        ok && v >= 0 && v < EXTENT && (i == 0 || v > spi_span_at(image, i - 1));
  }
  if (!ok) {
    printf("\n    %s\n", sp_show(b->p, e));
    CU_FAIL("an image lacks a value");
  }
}

static void images_body(sp_ctx *ctx, void *arg) {
  bench *b = arg;
  static const int64_t extents[VARS] = {4, 6, 7};
  b->p = sp_pool_new(ctx);
  for (int i = 0; i < VARS; i++) {
    b->vars[i] = sp_var(b->p, SP_VAR_INDEX, "i", extents[i]);
  }
  for (int round = 0; round < ROUNDS; round++) {
    sp_pool_mode(b->p, round % 2 ? SP_MODE_RAW : SP_MODE_NORMAL);
    check_image(b, random_term(b, DEPTH));
  }
}

static void images_have_all_values(void) {
  run(images_body);
}

/* ---- large ones ---- */

static void large_body(sp_ctx *ctx, void *arg) {
  (void)arg;
  sp_pool *p = sp_pool_new(ctx);
  sp_expr i = sp_var(p, SP_VAR_INDEX, "i", 1000),
          j = sp_var(p, SP_VAR_INDEX, "j", 8192);
  sp_expr flat = sp_iadd(p, sp_iscale(p, i, 8192), j);
  sp_span all = spi_span_image(p, flat, 8192000);
  CU_ASSERT(all.n == 8192000 && !all.at);
  sp_span few =
      spi_span_image(p, sp_iaddc(p, sp_iscale(p, i, 8192), 5), 8192000);
  CU_ASSERT(few.n == 1000);
  CU_ASSERT_EQUAL(spi_span_at(few, 999), 999 * 8192 + 5);
  CU_ASSERT_EQUAL(spi_span_find(few, 8192 + 5), 1);
  CU_ASSERT_EQUAL(spi_span_find(few, 8192 + 6), -1);
}

static void large_images_are_found_without_listing_points(void) {
  run(large_body);
}

void suite_span(void) {
  CU_pSuite s = CU_add_suite("span", NULL, NULL);
  CU_ADD_TEST(s, sets_are_those_of_their_bits);
  CU_ADD_TEST(s, images_have_all_values);
  CU_ADD_TEST(s, large_images_are_found_without_listing_points);
}
