/* test_mistakes.c: what newcomers to the kernel language write, and what they
 * are told: the place, what is wrong there, and what to write. Each row is one
 * change of a kernel that proves. */
#include "kernels/kernel.h"
#include "tests/suites.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_mistakes(void);

static const char good[] =
    "mesh g[4]\n"
    "let N = 16, K = 8\n"
    "input A[N, K], B[K, N], x[N], T[N]: int\n"
    "sequential {\n"
    "  C[i < N, j < N] = sum(k < K) A[i, k] * B[k, j]\n"
    "  S = sum(i < N) x[i]\n"
    "}\n"
    "parallel on g {\n"
    "  a = A shard(1) over g\n"
    "  b = B shard(0) over g\n"
    "  p[i < N, j < N] = sum(k < K/4) a[i, k] * b[k, j]\n"
    "  c = all_reduce(sum, p) over g\n"
    "}\n"
    "prove c is C replicated over g\n";

typedef struct mistake {
  const char *from, *to; /* the change of the first `from` */
  uint32_t line, column;
  const char *message, *hint; /* parts of them */
} mistake;

static void lower(sp_ctx *ctx, void *arg) {
  const char *text = arg;
  sp_kernel_lower(ctx, sp_kernel_read_text(ctx, "k.sp", text, strlen(text)),
                  NULL, SP_KERNEL_UNROLLED);
}

static char *changed(sp_ctx *ctx, const char *text, const char *from,
                     const char *to) {
  const char *at = strstr(text, from);
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  return sp_format(ctx, "%.*s%s%s", (int)(at - text), text, to,
                   at + strlen(from));
}

static void expect_mistake(const char *text, const mistake *m) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_code code = sp_protect(ctx, lower, changed(ctx, text, m->from, m->to));
  CU_ASSERT_EQUAL(code, SP_ERR_INPUT);
  const sp_error *e = sp_ctx_error(ctx);
  bool ok = code == SP_ERR_INPUT && e->loc.line == m->line &&
            e->loc.column == m->column && strstr(e->message, m->message) &&
            *m->hint && strstr(e->hint, m->hint);
  CU_ASSERT(ok);
  if (!ok && code != SP_OK) {
    printf("\n%s -> %s\n  %u:%u: %s\n  hint: %s\n", m->from, m->to, e->loc.line,
           e->loc.column, e->message, e->hint);
  }
  sp_ctx_free(ctx);
}

static void the_kernel_itself_is_right(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, lower, sp_strdup(ctx, good)), SP_OK);
  sp_ctx_free(ctx);
}

static void newcomers_are_told_what_to_write(void) {
  static const mistake rows[] = {
      {"a[i, k] *", "aa[i, k] *", 11, 34, "nothing is called aa here",
       "did you mean a?"},
      {"  a = A", "  let s = g\n  a = A", 9, 11, "g is an axis of the mesh",
       "this rank's coordinate is @g"},
      {"  p[i < N, j < N]", "  q[i < N] = x[g]\n  p[i < N, j < N]", 11, 16,
       "g is an axis of the mesh", "this rank's coordinate is @g"},
      {"sum(k < K/4) a[i, k] * b[k, j]", "sum(k < K/4) A[i, k + 2*g] * b[k, j]",
       11, 45, "g is an axis of the mesh", "this rank's coordinate is @g"},
      {"a[i, k] * b[k, j]", "a[i, k] * d[k, j]", 11, 44,
       "nothing is called d here",
       "there are N, K, A, B, x, T, @g, a, b, i, j, k"},
      {"sum(k < K) A[i, k] * B[k, j]", "sum(k < K) A[i, k] * b[k, j]", 5, 42,
       "nothing is called b here", "did you mean B?"},
      {"  a = A", "  y = x@(g = (@g - 1) % 4)\n  a = A", 9, 23,
       "an unexpected \"%\"", "write x mod y"},
      {"x[i]", "x[i]**2", 6, 23, "a value expected, not \"*\"",
       "write x ^ 3 for a power; # begins a comment"},
      {"x[i]", "2 ^ i", 6, 22, "the exponent is not made of sizes and numbers",
       "write exp(y * log(x)) for x ^ y"},
      {"A[i, k] * B[k, j]", "A(i, k) * B(k, j)", 5, 32, "A is a tensor",
       "its elements are A[i, ...]"},
      {"  S = ", "  S(i < N) = ", 6, 4,
       "\"=\" is missing after S, before \"(\"",
       "indices stand in brackets: NAME[i < N] = ..."},
      {"A[i, k] * B", "A[i][k] * B", 5, 36, "a second \"[\"",
       "all indices stand in one pair of brackets: x[i, j]"},
      {"  S = sum(i < N) x[i]", "  S = sum(i < N) (if i = 0 then x[i] else 0)",
       6, 24, "\"then\" is missing after the condition, before \"=\"",
       "= defines, == compares"},
      {"  S = ", "  S == ", 6, 5, "\"=\" is missing after S, before \"==\"",
       "= defines, == compares"},
      {"  S = ", "  S := ", 6, 6, "a type expected, not \"=\"",
       "= defines, == compares"},
      {"  S = ", "  S += ", 6, 5, "\"=\" is missing after S, before \"+\"",
       "write it out: S = S + ..."},
      {"C[i < N, j < N]", "C[i, j]", 5, 6,
       "an index needs its extent: \"<\" expected",
       "NAME[i < M, j < N] = ...; sum(k < K) x[k]"},
      {"sum(k < K) A", "sum(k) A", 5, 31,
       "an index needs its extent: \"<\" expected",
       "NAME[i < M, j < N] = ...; sum(k < K) x[k]"},
      {"C[i < N,", "C[i <= N,", 5, 7,
       "an index needs its extent: \"<\" expected",
       "NAME[i < M, j < N] = ...; sum(k < K) x[k]"},
      {"C[i < N,", "C[i in 0..N,", 5, 7,
       "an index needs its extent: \"<\" expected",
       "NAME[i < M, j < N] = ...; sum(k < K) x[k]"},
      {"  c = all",
       "  for (s = 0; s < 4; s++) {\n    p[i < N, j < N] = p[i, j] + 1\n  }\n  "
       "c = all",
       12, 7, "the name of a counter expected, not \"(\"",
       "for s in 0..4 { ... }: s is 0, 1, 2, 3"},
      {"  c = all",
       "  for s in range(4) {\n    p[i < N, j < N] = p[i, j] + 1\n  }\n  c = "
       "all",
       12, 21, "\"..\" is missing in the range, before \"{\"",
       "for s in 0..4 { ... }: s is 0, 1, 2, 3"},
      {"  c = all",
       "  while s < 4 {\n    p[i < N, j < N] = p[i, j] + 1\n  }\n  c = all", 12,
       9, "\"=\" is missing after while, before \"s\"",
       "loops are repeat s < 4 { ... } and for s in 0..4 { ... }"},
      {"  c = all",
       "  repeat 4 {\n    p[i < N, j < N] = p[i, j] + 1\n  }\n  c = all", 12,
       10, "the name of a counter expected, not \"4\"",
       "repeat s < 4 { ... }: s is 0, 1, 2, 3"},
      {"prove c is C replicated over g\n", "", 14, 1, "nothing is to be proved",
       "prove TENSOR is TENSOR replicated"},
      {"K = 8", "K = 10", 9, 9,
       "dimension 1 of A has 10 elements, no multiple of 4",
       "pad it, and guard with where"},
      {"shard(1) over g", "shard(1, 3) over g", 9, 9,
       "dimension 1 of A has 8 elements, no multiple of 12",
       "pad it, and guard with where"},
      {"A[i, k] * B", "A[i] * B", 5, 32,
       "A has 2 dimensions, and is read at 1 indices",
       "one index for each dimension"},
      {"B[k, j]", "B[k, j, 0]", 5, 42,
       "B has 2 dimensions, and is read at 3 indices",
       "one index for each dimension"},
      {"sum(i < N) x[i]", "sum(i < N) x[i + 1]", 6, 22,
       "index 0 of x is 16 where i = 15: it goes from 0 to 15",
       "guard it: if ... then ... else ..."},
      {"sum(i < N) x[i]", "sum(i < N) x[i - 1]", 6, 22,
       "index 0 of x is -1 where i = 0: it goes from 0 to 15",
       "guard it: if ... then ... else ..."},
      {"sum(i < N) x[i]", "sum(i < N) x[T[i]]", 6, 20,
       "index 0 of x is 283 where i = 0: it goes from 0 to 15",
       "assume 0 <= INPUT < ... bounds integer inputs; or guard it: "},
      {"p) over g", "p) over h", 12, 31, "h is no axis of the parallel program",
       "it is on g"},
      {"parallel on g", "parallel on h", 8, 13, "there is no mesh axis h",
       "declare it: mesh NAME[SIZE]"},
      {"a[i, k] * b", "a@(h = 0)[i, k] * b", 11, 37,
       "h is no axis of a mesh here", "axes are declared by mesh; g is one"},
      {"a[i, k] * b", "a[i, k] * @h * b", 11, 44, "h is no axis of a mesh here",
       "axes are declared by mesh; g is one"},
      {"a[i, k] * b", "a[i, k] \302\267 b", 11, 42,
       "an unexpected character U+00B7", "write x * y"},
      {"i < N, j < N] = sum(k < K) A",
       "i \342\211\244 N, j < N] = sum(k < K) A", 5, 7,
       "an unexpected character U+2264", "write x <= y"},
      {"let N = 16", "let N = 16, \316\261 = 3", 2, 13,
       "an unexpected character U+03B1",
       "outside of comments only ASCII is read"},
      {"p[i < N, j < N] =", "p[i < N, j < N] = \342\200\234a\342\200\235 +", 11,
       21, "an unexpected character U+201C",
       "outside of comments only ASCII is read"},
      {"  c = all_reduce", "\tc = al_reduce", 12, 6,
       "there is no collective al_reduce", "did you mean all_reduce?"},
      {"over g\n}\nprove", "over g\nprove", 13, 1,
       "\"}\" is missing before \"prove\"",
       "close the block that begins in line 8"},
      {"x[i]\n}\nparallel", "x[i]\nparallel", 7, 1,
       "\"}\" is missing before \"parallel\"",
       "close the block that begins in line 4"},
      {"(i < N) x[i]", "(i < N) (x[i] + 1", 7, 1,
       "\")\" is missing before \"}\"", "close \"(\" of line 6, column 18"},
      {"over g\n}\nprove", "over g\n}\n}\nprove", 14, 1,
       "a statement expected, not \"}\"",
       "mesh, let, input, func, assume, sequential, parallel, prove,"},
      {"K = 8", "K = 99999999999999999999", 2, 17,
       "99999999999999999999 is too large",
       "integers have 64 bits, reals stay below 1e308"},
      {"K = 8", "K = 4611686018427387904 * 4", 3, 12,
       "K is no constant integer", "line 2: the value does not fit 64 bits"},
      {"K = 8", "K = 0", 3, 12, "a size of 0", "a size is at least 1"},
      {"K = 8", "K = 4 - 8", 3, 12, "a size of -4", "a size is at least 1"},
      {"input A[N, K]", "input mod[N, K]", 3, 7,
       "mod is a word of the language", "take another name"},
      {"  p[i < N", "  over[i < N", 11, 3,
       "over does not belong to what is before it",
       "over AXIS stands after a placement or a collective"},
      {"sum(k < K) A[i, k]", "sum(i < K) A[i, i]", 5, 25,
       "i has a meaning here already", "take another name"},
      {"C[i < N, j < N]", "C[i < N, x < N]", 5, 12,
       "x has a meaning here already", "take another name"},
      {"x[i]", "(if i > 0 && i < 4 then x[i] else 0)", 6, 28,
       "an unexpected \"&\"", "write and"},
      {"x[i]", "(if i > 0 || i < 4 then x[i] else 0)", 6, 28,
       "an unexpected \"|\"", "write or"},
      {"x[i]", "(if !(i > 0) then x[i] else 0)", 6, 22,
       "a value expected, not \"!\"", "write not"},
      {"x[i]", "(i > 0 ? x[i] : 0)", 6, 25, "\")\" is missing before \"?\"",
       "write if ... then ... else ..."},
      {"x[i]", "(if i > 0 then x[i])", 6, 37,
       "\"else\" is missing, before \")\"",
       "an if needs both branches: else 0"},
      {"x[i]", "x[i // 2]", 6, 23, "a value expected, not \"/\"",
       "write x div y to round down; # begins a comment"},
      {"x[i]", "x[i / 2]", 6, 18, "indices are integers",
       "i div 2 rounds down; x[i]: int = ... holds integers"},
      {"x[i]", "x[x[i]]", 6, 18, "indices are integers",
       "i div 2 rounds down; x[i]: int = ... holds integers"},
      {"sum(k < K) A[i, k] * B[k, j]", "sum(k) < K A[i, k] * B[k, j]", 5, 35,
       "an index needs its extent: \"<\" expected",
       "NAME[i < M, j < N] = ...; sum(k < K) x[k]"},
      {"sum(i < N) x[i]", "sum(x)", 6, 7, "sum is called with other arguments",
       "sum(i < N) x[i] goes over all i"},
      {"A[i, k] * B[k, j]", "A * B", 5, 32,
       "A has 2 dimensions, and is read at 0 indices",
       "write NAME[i, ...]: a formula gives one element"},
      {"sum(k < K) A[i, k] * B[k, j]", "A @ B", 5, 25,
       "\"(\" is missing after @, before \"B\"",
       "x@(g = 1)[i] is x[i] of the rank whose g is 1; a product of "},
      {"x[i]", "x[0:4]", 6, 21,
       "\"]\" is missing after the arguments, before \":\"",
       "there are no slices: a read is one element, x[i]"},
      {"  S = ", "  // the sum\n  S = ", 6, 4, "a value expected, not \"/\"",
       "write x div y to round down; # begins a comment"},
      {"  S = ", "  /* the sum */\n  S = ", 6, 4, "a value expected, not \"*\"",
       "write x ^ 3 for a power; # begins a comment"},
      {"  S = ", "  float S = ", 6, 9,
       "\"=\" is missing after float, before \"S\"",
       "a type stands after the name: x[i < N]: int = ..."},
      {"  c = all_reduce(sum, p) over g\n",
       "  c = all_reduce(sum, p) over g\n  return c\n", 13, 10,
       "\"=\" is missing after return, before \"c\"",
       "nothing is returned: prove, after the programs, says what co"},
      {"all_reduce(sum", "allreduce(sum", 12, 7,
       "there is no collective allreduce", "did you mean all_reduce?"},
      {"all_reduce(sum, p)", "all_reduce(p)", 12, 7,
       "all_reduce is called otherwise",
       "write all_reduce(sum, x) over AXIS, where x is a tensor's na"},
      {"all_reduce(sum, p)", "all_reduce(add, p)", 12, 18,
       "a reduction expected", "sum, max, min, prod, any, all"},
      {"all_reduce(sum, p)", "all_reduce(sum, p[i, j])", 12, 7,
       "all_reduce is called otherwise",
       "write all_reduce(sum, x) over AXIS, where x is a tensor's na"},
      {"c = all_reduce(sum, p) over g",
       "c[i < N, j < N] = all_reduce(sum, p) over g", 12, 3,
       "a collective gives a whole tensor",
       "write c = all_reduce(...) over ..., without indices"},
      {"c = all_reduce(sum, p) over g", "c = all_reduce(sum, p) over g + 1", 12,
       33, "a statement expected, not \"+\"",
       "a statement is NAME[i < N] = ..., let, repeat or for"},
      {"shard(1)", "sharded(1)", 9, 9, "sharded is no placement",
       "did you mean shard(d) over AXIS?"},
      {"shard(1) over g", "shard over g", 9, 15, "shard needs a dimension",
       "shard(0) over AXIS cuts the first dimension"},
      {"shard(1) over g", "shard(2) over g", 9, 15,
       "A has 2 dimensions, there is no dimension 2",
       "dimensions count from 0"},
      {"  S = ", "  y = x shard(0) over g\n  S = ", 6, 3,
       "placements are of the parallel program",
       "the sequential program has no ranks"},
      {"prove c is C", "prove C is c", 14, 7, "no tensor is called C here",
       "it is of the sequential program, or given as addends"},
      {"prove c is C replicated over g", "prove c == C", 14, 9,
       "\"is\" is missing after what is proved",
       "prove c is C replicated; prove c[i] is C[i + @g]"},
      {"prove c is C replicated over g", "prove c is C", 14, 7,
       "c has 2 dimensions, 0 indices are written",
       "prove c is C replicated (or shard(0) over AXIS); prove c[i, "},
      {"prove c is C", "prove cc is C", 14, 7, "no tensor is called cc here",
       "did you mean c?"},
      {"prove c is C replicated", "prove a is C replicated", 14, 7,
       "a is [16, 2] on a rank, and should be [16, 16]",
       "C is [16, 16], of which this leaves [16, 16]"},
      {"prove c is C replicated", "prove c is S replicated", 14, 7,
       "c is [16, 16] on a rank, and should be []",
       "S is [], of which this leaves []"},
      {"sum(k < K/4) a[i, k]", "sum(k < K/4) C[i, k]", 11, 34,
       "nothing is called C here",
       "it is of the sequential program, or given as addends"},
      {"sum(i < N) x[i]", "sum(i < N) x[i] * @g", 6, 25,
       "g is no axis of a mesh here",
       "an axis of the mesh; in the parallel program this rank's coo"},
      {"mesh g[4]\n", "", 7, 13, "there is no mesh axis g",
       "declare it: mesh NAME[SIZE]"},
      {"mesh g[4]", "mesh g(4)", 1, 6, "an axis has one size",
       "mesh g[4], h[2]"},
      {"mesh g[4]", "mesh g = 4", 1, 6, "an axis has one size",
       "mesh g[4], h[2]"},
      {"T[N]: int", "T[N]: float", 3, 37, "float is no type",
       "real, int or bool"},
      {", x[N]", "", 6, 18, "nothing is called x here",
       "there are N, K, A, B, T, C, i"},
      {"sum(i < N) x[i]", "sum(i < S) x[i]", 6, 15, "nothing is called S here",
       "line 6 defines it: later, or in another block"},
      {"parallel", "sequential { D = 1 }\nparallel", 8, 1,
       "a second sequential program", "a file has one"},
      {"parallel on", "paralel on", 8, 1,
       "a statement expected, not \"paralel\"", "did you mean parallel?"},
      {"let N = 16, K = 8", "let M = N*2, N = 16, K = 8", 2, 9,
       "nothing is called N here",
       "line 2 defines it: later, or in another block"},
      {"sequential", "assume 0 <= x < 4\nsequential", 4, 13,
       "x does not hold integers", "write input NAME[...]: int"},
      {"sequential", "assume T = 3\nsequential", 4, 10,
       "a statement expected, not \"=\"", "= defines, == compares"},
      {"let N = 16", "let N = 16, 2x = 3", 2, 13, "2 is followed by a letter",
       "write 2 * x for a product; a name begins with a letter"},
      {"sum(i < N) x[i]", "sum(i < N) 2x[i]", 6, 18,
       "2 is followed by a letter",
       "write 2 * x for a product; a name begins with a letter"},
      {"sum(i < N) x[i]", "sum(i < N) x.i", 6, 19,
       "a statement expected, not \".\"",
       "names have no dots; a number has digits on both sides of its"},
      {"K = 8", "K = '8'", 2, 17, "a text is no number",
       "write the number without quotes"},
      {"a[i, k] *", "a@(g = @g + 1)[i, k] *", 11, 44,
       "coordinate g of a is 4 where @g = 3: it goes from 0 to 3",
       "guard it: if ... then ... else ..."},
      {"a[i, k] *", "a@(@g + 1)[i, k] *", 11, 37,
       "a mesh axis expected, not \"@\"", "name the axis: x@(g = e)[i]"},
      {"a[i, k] *", "a@1[i, k] *", 11, 36,
       "\"(\" is missing after @, before \"1\"",
       "x@(g = 1)[i] is x[i] of the rank whose g is 1; a product of "},
      {"  S = sum(i < N) x[i]", "  S = mean(i < N) x[i]", 6, 22,
       "an index needs its extent: \"<\" expected",
       "NAME[i < M, j < N] = ...; sum(k < K) x[k]"},
      {"  S = sum(i < N) x[i]", "  S = softmax(x)", 6, 7,
       "there is no function softmax", "docs/kernels.md lists the functions"},
      {"  S = sum(i < N) x[i]", "  S = max(x[0])", 6, 7,
       "max is called with other arguments", "max takes at least 2"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    expect_mistake(good, &rows[i]);
  }
}

static void of_several_axes_one_is_named(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const char *two = changed(ctx, good, "mesh g[4]", "mesh g[4], h[2]");
  two = changed(ctx, two, "parallel on g", "parallel on g, h");
  static const mistake rows[] = {
      {"p) over g", "p)", 12, 3, "several axes: over which?", "it is on g, h"},
      {"shard(1) over g", "shard(1)", 9, 9, "several axes: over which?",
       "it is on g, h"},
      {"over g", "over m", 9, 23, "m is no axis of the parallel program",
       "it is on g, h"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    expect_mistake(two, &rows[i]);
  }
  sp_ctx_free(ctx);
}

static void names_come_before_their_uses(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const char *text = changed(ctx, good, "  a = A shard(1) over g\n", "");
  static const mistake row = {
      "  c = all", "  a = A shard(1) over g\n  c = all", 10,
      34,          "nothing is called a here",           "line 11 defines it"};
  expect_mistake(text, &row);
  sp_ctx_free(ctx);
}

void suite_mistakes(void) {
  CU_pSuite s = CU_add_suite("mistakes", NULL, NULL);
  CU_ADD_TEST(s, the_kernel_itself_is_right);
  CU_ADD_TEST(s, newcomers_are_told_what_to_write);
  CU_ADD_TEST(s, of_several_axes_one_is_named);
  CU_ADD_TEST(s, names_come_before_their_uses);
}
