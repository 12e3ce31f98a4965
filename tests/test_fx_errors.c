/* test_fx_errors.c: FX text that is wrong: errors and where they are; real
 * graphs, whole, cut off and changed; memory that runs out. */
#include "graph/fx.h"
#include "tests/suites.h"
#include "tests/support_dumps.h"
#include "tests/support_fx.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_fx_errors(void);

/* --- errors -------------------------------------------------------------- */

static void errors_name_line_and_column(void) {
  static const char in[] = "x: \"f32[4]\"";
  fx_expect_error(in, "a: \"f32[4]\" = torch.ops.aten.neg.default(y)\nreturn a",
                  SP_ERR_INPUT, 3, 50, "'y' is not defined");
  fx_expect_error(in, "a: \"f32[4]\" = y\nreturn a", SP_ERR_INPUT, 3, 23,
                  "'y' is not defined");
  fx_expect_error(in, "a: \"f32[4]\" = x +\nreturn a", SP_ERR_INPUT, 3, FX_ANY,
                  "an argument was expected");
  fx_expect_error(in, "a: \"f32[4]\" = x x\nreturn a", SP_ERR_INPUT, 3, 25,
                  "an operator was expected");
  fx_expect_error(in, "a: \"f32[4]\" = x + x x\nreturn a", SP_ERR_INPUT, 3, 29,
                  "the end of the statement was expected");
  fx_expect_error(in, "a: \"f32[4]\"  torch.neg(x)\nreturn a", SP_ERR_INPUT, 3,
                  22, "'=' was expected");
  fx_expect_error(in, "a: \"f32[4]\" = torch.neg(x\nreturn a", SP_ERR_INPUT,
                  FX_ANY, FX_ANY, "expected");
  fx_expect_error(in, "a: \"f32[4] = torch.neg(x)\nreturn a", SP_ERR_INPUT, 3,
                  12, "an annotation does not end");
  fx_expect_error(in, "a: \"f32[4]\" = torch.neg(x, 'abc)\nreturn a",
                  SP_ERR_INPUT, 3, 36, "a string does not end");
  fx_expect_error(in, "x: \"f32[4]\" = torch.neg(x)\nreturn a", SP_ERR_INPUT, 3,
                  9, "x is defined twice");
  fx_expect_error(in, "a, b = torch.neg(x)\nreturn a", SP_ERR_INPUT, 3, 16,
                  "tree_flatten_spec");
  fx_expect_error(in, "a: \"f32[4]\" = torch.neg(x, k = 1, k = 2)\nreturn a",
                  SP_ERR_INPUT, 3, FX_ANY, "the argument k is given twice");
  fx_expect_error(in, "a: \"f32[4]\" = torch.neg(x, 1, arg1 = 2)\nreturn a",
                  SP_ERR_INPUT, 3, FX_ANY, "the argument arg1 is given twice");
  fx_expect_error(in, "a: \"f32[4]\" = torch.neg(x)\n", SP_ERR_INPUT, FX_ANY,
                  FX_ANY, "without a return");
  fx_expect_error(in, "return (x, y)\n", SP_ERR_INPUT, 3, 20,
                  "'y' is not defined");
  fx_expect_error("x", "a: \"f32[4]\" = torch.neg(x)\nreturn a", SP_ERR_INPUT,
                  2, 23, "the input 'x' has no shape");
  fx_expect_error(in, "s = torch.split(x, 2)\na: \"f32[2]\" = s[-1]\nreturn a",
                  SP_ERR_INPUT, 4, 25, "a number from 0 to");
  fx_expect_error(in, "s = torch.split(x, 2)\na: \"f32[2]\" = s[1]\nreturn s",
                  SP_ERR_UNKNOWN, FX_ANY, FX_ANY, "'s' is a tuple");
  fx_expect_error(in,
                  "s = torch.split(x, 2)\nt = s\na: \"f32[2]\" = s[0]\n"
                  "b: \"f32[2]\" = t[1]\nreturn b",
                  SP_ERR_UNKNOWN, 6, FX_ANY, "another name");
  fx_expect_error(in, "a: \"f32[5]\" = x.add_(1)\nreturn a", SP_ERR_INPUT, 3, 9,
                  "f32[5]");
}

static void shapes_are_checked(void) {
  fx_expect_error("x: \"f32[4][1, 1]\"", "return x", SP_ERR_INPUT, 2, 33,
                  "1 sizes have 2 strides");
  fx_expect_error("x: \"f32[4][-1]\"", "return x", SP_ERR_INPUT, 2, 34,
                  "a stride is negative");
  fx_expect_error("x: \"f32[-4]\"", "return x", SP_ERR_INPUT, 2, 31,
                  "a size is negative");
  fx_expect_error("x: \"f32[99999999999999999999]\"", "return x", SP_ERR_INPUT,
                  2, 31, "no number of 64 bits");
  fx_expect_error("x: \"f32[1048576, 1048576]\"", "return x", SP_ERR_INPUT, 2,
                  30, "too many elements");
  fx_expect_error("x: \"f32[0, 4611686018427387904]\"", "return x",
                  SP_ERR_INPUT, 2, 30, "too many elements");
  fx_expect_error("x: \"f32[4\"", "return x", SP_ERR_INPUT, 2, FX_ANY,
                  "expected");
  char in[512] = "x: \"f32[1";
  for (int i = 0; i < 64; i++) {
    strcat(in, ",1");
  }
  strcat(in, "]\"");
  fx_expect_error(in, "return x", SP_ERR_INPUT, 2, FX_ANY,
                  "over 64 dimensions");
}

static void nests_are_limited(void) {
  char body[4096] = "a: \"f32[4]\" = torch.neg(";
  memset(body + strlen(body), '[', 3000);
  fx_expect_error("x: \"f32[4]\"", body, SP_ERR_LIMIT, 3, FX_ANY, "lists");
}

/* --- real graphs, whole, cut off and changed ------------------------------ */

typedef struct reading {
  const char *text;
  size_t n;
  uint32_t which;
  const sp_program *program;
} reading;

static void read_it(sp_ctx *ctx, void *arg) {
  reading *r = arg;
  r->program = sp_fx_read_graph(ctx, "t.py", r->text, r->n, r->which);
}

/* Of exact bytes on the heap, so that one byte too far is noticed. */
static sp_code outcome(const char *text, size_t n, const char *what) {
  char *exact = malloc(n ? n : 1);
  memcpy(exact, text, n);
  sp_ctx *ctx = sp_ctx_new(NULL);
  reading r = {exact, n, 0, NULL};
  sp_code code = sp_protect(ctx, read_it, &r);
  bool good = code == SP_OK || code == SP_ERR_INPUT || code == SP_ERR_LIMIT ||
              code == SP_ERR_UNKNOWN;
  if (!good) {
    printf("\n    %s: code %d: %s", what, (int)code,
           code ? sp_ctx_error(ctx)->message : "");
  }
  CU_ASSERT(good);
  sp_ctx_free(ctx);
  free(exact);
  return code;
}

/* Small files, and one in so many of the others. */
static void for_files(const char *set, const char *begin, size_t one_in,
                      void (*fn)(const char *path, const char *text,
                                 size_t n)) {
  fx_files f = fx_files_find(set, begin, ".py");
  for (size_t i = 0; i < f.n; i++) {
    size_t n = 0;
    if (i % one_in == 0 || long_mode()) {
      char *text = (char *)file_bytes(f.paths[i], &n);
      if (text && n && sp_fx_looks_like(text, n)) {
        fn(f.paths[i], text, n);
      }
      free(text);
    }
  }
  fx_files_free(&f);
}

static void whole(const char *path, const char *text, size_t n) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  reading r = {text, n, 0, NULL};
  sp_code code = sp_protect(ctx, read_it, &r);
  CU_ASSERT_EQUAL(code, SP_OK);
  if (code != SP_OK) {
    const sp_error *e = sp_ctx_error(ctx);
    printf("\n%s:%u:%u: %s\n", path, e->loc.line, e->loc.column, e->message);
  }
  sp_ctx_free(ctx);
}

static void cut_off(const char *path, const char *text, size_t n) {
  for (size_t i = 1; i < 100; i++) {
    size_t at = n * i / 100;
    sp_code code = outcome(text, at, path);
    CU_ASSERT_NOT_EQUAL(code, SP_OK);
  }
}

static void changed(const char *path, const char *text, size_t n) {
  static const char signs[] = "()[]{}\"'=:;,.#- 0x\n\\";
  uint64_t random = 0x9E3779B97F4A7C15u + n;
  char *copy = malloc(n);
  for (int i = 0; i < 100; i++) {
    memcpy(copy, text, n);
    for (int k = 0; k < 3; k++) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      copy[random % n] = signs[(random >> 40) % (sizeof signs - 1)];
    }
    outcome(copy, n, path);
  }
  free(copy);
}

static void real_graphs_are_read(void) {
  for_files("torch", "rank", 1, whole);
  for_files("torch", "seq", 1, whole);
  for_files("entangle", "", 1, whole);
}

static void real_graphs_cut_off_are_errors(void) {
  for_files("torch", "rank0", 16, cut_off);
  for_files("entangle", "", 20, cut_off);
}

static void real_graphs_changed_do_no_harm(void) {
  for_files("torch", "rank0", 16, changed);
  for_files("entangle", "", 20, changed);
}

static void samples_are_read(void) {
  fx_files f = fx_files_find("torch", "", ".txt");
  for (size_t i = 0; i < f.n; i++) {
    size_t n = 0;
    char *text = (char *)file_bytes(f.paths[i], &n);
    sp_ctx *ctx = sp_ctx_new(NULL);
    uint32_t graphs = text ? sp_fx_count(ctx, "t.py", text, n) : 0;
    CU_ASSERT(graphs > 0);
    for (uint32_t k = 0; k < graphs; k++) {
      reading r = {text, n, k, NULL};
      CU_ASSERT_EQUAL(sp_protect(ctx, read_it, &r), SP_OK);
    }
    sp_ctx_free(ctx);
    free(text);
  }
  fx_files_free(&f);
}

/* --- memory -------------------------------------------------------------- */

typedef struct failing {
  long left;
} failing;

static void *failing_alloc(void *user, size_t size) {
  failing *f = user;
  return f->left-- > 0 ? malloc(size) : NULL;
}

static void failing_free(void *user, void *p) {
  (void)user;
  free(p);
}

static void every_failing_allocation_is_survived(void) {
  static const char text[] =
      "class f(torch.nn.Module):\n"
      "    def forward(self, x: \"f32[4]\"):\n"
      "        # File: a.py:6 in f, code: y = -x\n"
      "        neg: \"f32[4]\" = torch.ops.aten.neg.default(x);  x = None\n"
      "        return (neg,)\n";
  for (long n = 0; n < 40; n++) {
    failing f = {n};
    sp_hooks hooks = {failing_alloc, failing_free, &f};
    sp_ctx *ctx = sp_ctx_new(&hooks);
    if (ctx) {
      reading r = {text, strlen(text), 0, NULL};
      sp_code code = sp_protect(ctx, read_it, &r);
      CU_ASSERT(code == SP_OK || code == SP_ERR_MEMORY);
      sp_ctx_free(ctx);
    }
  }
}

void suite_fx_errors(void) {
  CU_pSuite s = CU_add_suite("fx_errors", NULL, NULL);
#define ADD(test) CU_add_test(s, #test, test)
  ADD(errors_name_line_and_column);
  ADD(shapes_are_checked);
  ADD(nests_are_limited);
  ADD(real_graphs_are_read);
  ADD(real_graphs_cut_off_are_errors);
  ADD(real_graphs_changed_do_no_harm);
  ADD(samples_are_read);
  ADD(every_failing_allocation_is_survived);
#undef ADD
}
