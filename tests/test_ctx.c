/* test_ctx.c: memory, errors and protected calls. */
#include "base/ctx.h"
#include "base/vec.h"
#include "tests/suites.h"

#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

void suite_ctx(void);

/* Allocation hooks that count, and fail at the n-th call. */
typedef struct meter {
  size_t calls, live, fail_at; /* fail_at 0: never */
} meter;

static void *meter_alloc(void *user, size_t size) {
  meter *m = user;
  m->calls++;
  if (m->calls == m->fail_at) {
    return NULL;
  }
  void *p = malloc(size);
  m->live += p != NULL;
  return p;
}

static void meter_free(void *user, void *p) {
  meter *m = user;
  m->live -= p != NULL;
  free(p);
}

static sp_ctx *metered(meter *m) {
  sp_hooks hooks = {meter_alloc, meter_free, m};
  return sp_ctx_new(&hooks);
}

static void raise_with_hint(sp_ctx *ctx, void *arg) {
  sp_scratch(ctx, 100000);
  sp_loc loc = {.file = "f.txt", .line = 3, .column = 7};
  sp_raise(ctx, SP_ERR_INPUT, loc, "do this", "bad %s", (const char *)arg);
}

static void an_error_says_what_where_and_what_to_do(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  char word[] = "thing";
  CU_ASSERT_EQUAL(sp_protect(ctx, raise_with_hint, word), SP_ERR_INPUT);
  const sp_error *e = sp_ctx_error(ctx);
  CU_ASSERT_EQUAL(e->code, SP_ERR_INPUT);
  CU_ASSERT_STRING_EQUAL(e->message, "bad thing");
  CU_ASSERT_STRING_EQUAL(e->hint, "do this");
  CU_ASSERT_STRING_EQUAL(e->loc.file, "f.txt");
  CU_ASSERT_EQUAL(e->loc.line, 3);
  CU_ASSERT_EQUAL(e->loc.column, 7);
  sp_ctx_free(ctx);
}

typedef struct nest {
  sp_code inner;
  bool after;
} nest;

static void catch_inner(sp_ctx *ctx, void *arg) {
  nest *n = arg;
  char word[] = "inner";
  n->inner = sp_protect(ctx, raise_with_hint, word);
  n->after = true;
  sp_raise(ctx, SP_ERR_LIMIT, sp_nowhere(), NULL, "outer");
}

static void protected_calls_nest(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  if (!ctx) { /* gcc with LTO follows this way into what is read below */
    CU_FAIL("out of memory");
    return;
  }
  nest n = {SP_OK, false};
  CU_ASSERT_EQUAL(sp_protect(ctx, catch_inner, &n), SP_ERR_LIMIT);
  CU_ASSERT_EQUAL(n.inner, SP_ERR_INPUT);
  CU_ASSERT_TRUE(n.after);
  CU_ASSERT_STRING_EQUAL(sp_ctx_error(ctx)->message, "outer");
  CU_ASSERT_EQUAL(sp_ctx_error(ctx)->hint[0], 0);
  sp_ctx_free(ctx);
}

static void an_error_releases_scratch_memory(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  char word[] = "x";
  sp_protect(ctx, raise_with_hint, word);
  size_t bytes = sp_ctx_bytes(ctx);
  for (int i = 0; i < 100; i++) {
    sp_protect(ctx, raise_with_hint, word);
  }
  CU_ASSERT_EQUAL(sp_ctx_bytes(ctx), bytes);
  sp_ctx_free(ctx);
}

/* Some of everything that allocates. */
static void use_memory(sp_ctx *ctx, void *arg) {
  (void)arg;
  SP_VEC(uint32_t) ids = {0};
  sp_str s = {0};
  for (uint32_t i = 0; i < 30000; i++) {
    sp_push(ctx, &ids, i);
    sp_str_addf(ctx, &s, "%u,", (unsigned)i);
    sp_intern(ctx, s.v, i % 50);
  }
  CU_ASSERT_EQUAL(ids.n, 30000);
  CU_ASSERT_EQUAL(ids.v[29999], 29999);
  sp_scratch(ctx, 1 << 20);
}

static void every_failing_allocation_is_an_error_and_no_leak(void) {
  meter all = {0};
  sp_ctx *ctx = metered(&all);
  CU_ASSERT_EQUAL(sp_protect(ctx, use_memory, NULL), SP_OK);
  sp_ctx_free(ctx);
  CU_ASSERT_EQUAL(all.live, 0);
  for (size_t n = 1; n <= all.calls; n++) {
    meter m = {.fail_at = n};
    ctx = metered(&m);
    if (n == 1) {
      CU_ASSERT_PTR_NULL(ctx);
    } else {
      CU_ASSERT_EQUAL(sp_protect(ctx, use_memory, NULL), SP_ERR_MEMORY);
    }
    sp_ctx_free(ctx);
    CU_ASSERT_EQUAL(m.live, 0);
  }
}

static void the_memory_limit_is_an_error(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_ctx_set_limit(ctx, 512 * 1024);
  CU_ASSERT_EQUAL(sp_protect(ctx, use_memory, NULL), SP_ERR_MEMORY);
  CU_ASSERT_TRUE(sp_ctx_bytes(ctx) <= 512 * 1024);
  sp_ctx_free(ctx);
}

static void ask_too_much(sp_ctx *ctx, void *arg) {
  size_t *sizes = arg;
  sp_alloc_n(ctx, sizes[0], sizes[1]);
}

static void sizes_that_overflow_are_errors(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  size_t product[] = {SIZE_MAX / 2, 3};
  CU_ASSERT_EQUAL(sp_protect(ctx, ask_too_much, product), SP_ERR_MEMORY);
  size_t rounding[] = {1, SIZE_MAX};
  CU_ASSERT_EQUAL(sp_protect(ctx, ask_too_much, rounding), SP_ERR_MEMORY);
  sp_ctx_free(ctx);
}

static void check_memory(sp_ctx *ctx, void *arg) {
  (void)arg;
  for (size_t n = 0; n < 600; n++) {
    unsigned char *p = sp_alloc(ctx, n * 97);
    for (size_t i = 0; i < n * 97; i++) {
      if (p[i]) {
        CU_FAIL("memory is not zeroed");
        return;
      }
    }
    if (n) {
      memset(p, 0xff, n * 97);
    }
  }
}

static void memory_is_zeroed(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, check_memory, NULL), SP_OK);
  sp_ctx_free(ctx);
}

static void intern_some(sp_ctx *ctx, void *arg) {
  (void)arg;
  const char *a = sp_intern(ctx, "abc", 3);
  for (int i = 0; i < 5000; i++) {
    const char *s = sp_format(ctx, "name.%d", i);
    sp_intern(ctx, s, strlen(s));
  }
  CU_ASSERT_PTR_EQUAL(sp_intern(ctx, "abcd", 3), a);
  CU_ASSERT_PTR_NOT_EQUAL(sp_intern(ctx, "abcd", 4), a);
  CU_ASSERT_STRING_EQUAL(a, "abc");
  CU_ASSERT_STRING_EQUAL(sp_intern(ctx, "", 0), "");
}

static void equal_names_are_the_same_pointer(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, intern_some, NULL), SP_OK);
  sp_ctx_free(ctx);
}

static void count_call(void *arg) {
  ++*(int *)arg;
}

static void use_much(sp_ctx *own, void *arg) {
  sp_ctx_on_free(own, count_call, arg);
  memset(sp_alloc(own, 1 << 20), 1, 1 << 20);
}

static void what_is_done_apart_leaves_nothing(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  size_t before = sp_ctx_bytes(ctx);
  int freed = 0;
  CU_ASSERT_EQUAL(sp_apart(ctx, use_much, &freed), SP_OK);
  CU_ASSERT_EQUAL(freed, 1);
  CU_ASSERT_EQUAL(sp_ctx_bytes(ctx), before);
  char word[] = "apart";
  CU_ASSERT_EQUAL(sp_apart(ctx, raise_with_hint, word), SP_ERR_INPUT);
  CU_ASSERT_PTR_NOT_NULL(strstr(sp_ctx_error(ctx)->message, "apart"));
  sp_ctx_set_limit(ctx, 4096);
  freed = 0;
  CU_ASSERT_EQUAL(sp_apart(ctx, use_much, &freed), SP_ERR_MEMORY);
  sp_ctx_free(ctx);
}

static void register_cleanup(sp_ctx *ctx, void *arg) {
  sp_ctx_on_free(ctx, count_call, arg);
}

static void cleanups_run_once_when_the_context_goes(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  int calls = 0;
  CU_ASSERT_EQUAL(sp_protect(ctx, register_cleanup, &calls), SP_OK);
  CU_ASSERT_EQUAL(calls, 0);
  sp_ctx_free(ctx);
  CU_ASSERT_EQUAL(calls, 1);
  sp_ctx_free(NULL);
}

void suite_ctx(void) {
  CU_pSuite s = CU_add_suite("ctx", NULL, NULL);
  CU_ADD_TEST(s, an_error_says_what_where_and_what_to_do);
  CU_ADD_TEST(s, protected_calls_nest);
  CU_ADD_TEST(s, an_error_releases_scratch_memory);
  CU_ADD_TEST(s, every_failing_allocation_is_an_error_and_no_leak);
  CU_ADD_TEST(s, the_memory_limit_is_an_error);
  CU_ADD_TEST(s, sizes_that_overflow_are_errors);
  CU_ADD_TEST(s, memory_is_zeroed);
  CU_ADD_TEST(s, equal_names_are_the_same_pointer);
  CU_ADD_TEST(s, what_is_done_apart_leaves_nothing);
  CU_ADD_TEST(s, cleanups_run_once_when_the_context_goes);
}
