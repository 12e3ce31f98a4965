/* test_kernels.c: kernel files. Every kernel that proves has a twin with one
 * fault, which must not; the examples say their own verdicts. */
#define _POSIX_C_SOURCE 200809L /* opendir */
#include "base/file.h"
#include "kernels/format.h"
#include "kernels/kernel.h"
#include "tests/suites.h"

#include <CUnit/CUnit.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_kernels(void);

/* ---- one kernel ---- */

typedef struct trial {
  const char *path; /* or text */
  const char *text;
  double run_budget;
  const sp_kernel_expectation *expect;
  const sp_kernel_problem *lowered;
  const sp_report *report;
} trial;

static void run_trial(sp_ctx *ctx, void *arg) {
  trial *t = arg;
  const sp_kernel *k =
      t->path ? sp_kernel_read_file(ctx, t->path)
              : sp_kernel_read_text(ctx, "k.sp", t->text, strlen(t->text));
  t->expect = sp_kernel_expects(k);
  t->lowered = sp_kernel_lower(ctx, k, NULL, SP_KERNEL_UNROLLED);
  const sp_check_options options = {.run_budget = t->run_budget};
  t->report = sp_kernel_check(ctx, k, NULL, &options, &t->lowered);
}

static void say_error(sp_ctx *ctx, const char *what) {
  const sp_error *e = sp_ctx_error(ctx);
  printf("\n%s\n  %u:%u: %s\n", what, e->loc.line, e->loc.column, e->message);
}

/* In so many bytes; 0: any number. */
static void expect_within(const char *text, sp_verdict want, size_t bytes) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_ctx_set_limit(ctx, bytes);
  trial t = {.text = text};
  sp_code code = sp_protect(ctx, run_trial, &t);
  CU_ASSERT_EQUAL(code, SP_OK);
  if (code != SP_OK) {
    say_error(ctx, text);
  } else {
    CU_ASSERT_EQUAL(t.report->verdict, want);
    if (t.report->verdict != want) {
      printf("\n%s\n  %s\n", text, t.report->sentence);
    }
  }
  sp_ctx_free(ctx);
}

static void expect_verdict(const char *text, sp_verdict want) {
  expect_within(text, want, 0);
}

/* The text with its first `from` replaced. */
static const char *with(sp_ctx *ctx, const char *text, const char *from,
                        const char *to) {
  const char *at = strstr(text, from);
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  return sp_format(ctx, "%.*s%s%s", (int)(at - text), text, to,
                   at + strlen(from));
}

/* It proves; with the fault it is refuted. */
static void proves_unless(const char *text, const char *from, const char *to) {
  expect_verdict(text, SP_REFINES);
  sp_ctx *ctx = sp_ctx_new(NULL);
  expect_verdict(with(ctx, text, from, to), SP_VIOLATION);
  sp_ctx_free(ctx);
}

/* ---- the language ---- */

#define HEAD                                                                   \
  "mesh g[4]\nlet N = 16\ninput A[N], B[N], W[N, N]\n"                         \
  "sequential { C[i < N] = A[i] * B[i]; S = sum(i < N) A[i] * B[i] }\n"

static void placements_cut_inputs_and_promises(void) {
  proves_unless(HEAD "parallel on g { a = A shard(0) over g; b = B shard(0)\n"
                     "c[i < N/4] = a[i] * b[i] }\n"
                     "prove c is C shard(0) over g",
                "B shard(0)", "B shard(0, 2)");
  proves_unless(HEAD "parallel on g { a = A shard(0, 2); b = B shard(0, 2)\n"
                     "c[i < 4] = a[i] * b[i] }\n"
                     "prove c is C shard(0, 2)",
                "C shard(0, 2)", "C shard(0, 1)");
  proves_unless(HEAD "parallel on g { a = A shard(0); b = B shard(0)\n"
                     "s = sum(i < 4) a[i] * b[i] }\n"
                     "prove s is S partial(sum) over g",
                "a[i] *", "a[3 - i] *");
  proves_unless(HEAD "parallel { a = A partial(sum); p[i < N] = a[i] * B[i]\n"
                     "c = all_reduce(sum, p) }\n"
                     "prove c is C replicated",
                "A partial(sum)", "A replicated");
}

static void axes_cut_in_the_order_of_the_mesh(void) {
  proves_unless("mesh d[2], t[3]\nlet N = 12\ninput A[N, 6]\n"
                "sequential { R[i < N] = sum(k < 6) A[i, k] }\n"
                "parallel on d, t {\n"
                "  a = A shard(0) over d, shard(1) over t\n"
                "  p[i < 6] = sum(k < 2) a[i, k]\n"
                "  y = reduce_scatter(sum, p, 0) over t\n"
                "  z = all_gather(y, 0) over d, t\n"
                "}\n"
                "prove y is R shard(0) over d, t\n"
                "prove z is R replicated\n"
                "prove p is R shard(0) over d, partial(sum) over t",
                "shard(0) over d, t", "shard(0) over t, d");
}

static void index_maps_are_promises(void) {
  proves_unless(HEAD "parallel { c[i < 4] = A[4*i + @g] * B[4*i + @g] }\n"
                     "prove c[i] is C[4*i + @g]",
                "is C[4*i + @g]", "is C[4*@g + i]");
  proves_unless("mesh g[4]\nlet N = 10\ninput A[N]\n"
                "sequential { C[i < N] = 2 * A[i] }\n"
                "parallel { a[i < 3] = A[i + 3*@g] where i + 3*@g < N\n"
                "  c[i < 3] = 2 * a[i] }\n"
                "prove c[i] is C[i + 3*@g] where i + 3*@g < N",
                "2 * a[i]", "3 * a[i]");
}

/* Zig-zag: a rank has a chunk from each end. */
static void index_maps_with_conditions_are_turned_round(void) {
  proves_unless("mesh g[4]\nlet N = 16\ninput A[N]\n"
                "sequential { C[i < N] = 2 * A[i] }\n"
                "parallel {\n"
                "  c[h < 2, i < 2] = "
                "2 * A[(if h == 0 then @g else 7 - @g)*2 + i]\n}\n"
                "prove c[h, i] is C[(if h == 0 then @g else 7 - @g)*2 + i]",
                "then @g else 7 - @g)*2 + i]\n}",
                "then @g else 4 + @g)*2 + i]\n}");
}

static void padding_holds_anything(void) {
  expect_verdict("mesh g[4]\nlet N = 10\ninput A[N]\n"
                 "sequential { S = sum(i < N) A[i] }\n"
                 "parallel { a[i < 3] = A[i + 3*@g] where i + 3*@g < N\n"
                 "  p = sum(i < 3) a[i]\n  s = all_reduce(sum, p) }\n"
                 "prove s is S replicated",
                 SP_VIOLATION);
}

static void collectives_are_their_definitions(void) {
  static const char *const rows[][2] = {
      {"all_reduce(sum, a)", "y[i < 4] = sum(q < 4) a@(g = q)[i]"},
      {"all_reduce(max, a)", "y[i < 4] = max(q < 4) a@(g = q)[i]"},
      {"reduce_scatter(sum, a, 0)", "y[i < 1] = sum(q < 4) a@(g = q)[i + @g]"},
      {"all_gather(a, 0)", "y[i < 16] = a@(g = i div 4)[i mod 4]"},
      {"all_to_all(a, 0, 0)", "y[i < 4] = a@(g = i)[@g]"},
      {"shift(a, 1)", "y[i < 4] = a@(g = (@g - 1) mod 4)[i]"},
      {"broadcast(a, 2)", "y[i < 4] = a@(g = 2)[i]"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    /* each against the other, element by element on every rank */
    const char *text =
        sp_format(ctx,
                  "mesh g[4]\ninput A[16]\nsequential { Z = 0 }\n"
                  "parallel { a = A shard(0)\n%s\nw = %s over g\n"
                  "d = y@(g = @g)\ne[i < 1] = w[i] - d[i] }\n"
                  "prove only e[i] is Z",
                  rows[i][1], rows[i][0]);
    expect_verdict(text, SP_REFINES);
    expect_verdict(with(ctx, text, "w[i] - d[i]", "w[i] + d[i]"), SP_VIOLATION);
    sp_ctx_free(ctx);
  }
}

static void names_get_new_versions(void) {
  proves_unless("mesh g[2]\nlet N = 8\ninput A[N]\n"
                "sequential { S = sum(i < N) A[i] }\n"
                "parallel { s = 0\n"
                "  repeat k < 4 { s = s + A[2*k] + A[2*k + 1] } }\n"
                "prove s is S replicated",
                "A[2*k + 1]", "A[2*k]");
}

/* The same loop in both spellings; one that does not begin at 0. */
static void loops_are_written_in_two_ways(void) {
  proves_unless("mesh g[2]\nlet N = 8\ninput A[N]\n"
                "sequential { S = sum(i < N) A[i] }\n"
                "parallel { s = A[0] + A[1]\n"
                "  for k in 1..N/2 { s = s + A[2*k] + A[2*k + 1] } }\n"
                "prove s is S replicated",
                "in 1..N/2", "in 0..N/2");
  proves_unless("mesh g[2]\nlet N = 8\ninput A[N]\n"
                "sequential { S = sum(i < N) A[i] }\n"
                "parallel { s = 0\n  for k in -4..4 { s = s + A[k + 4] }\n"
                "  for k in 2..2 { s = s + A[0] } }\n"
                "prove s is S replicated",
                "in 2..2", "in 2..3");
}

static void functions_are_equal_where_their_arguments_are(void) {
  proves_unless("mesh g[4]\ninput A[8]\nfunc f(x)\nfunc h(x, y) = f(x) + 2*y\n"
                "sequential { C[i < 8] = h(A[i], 3) }\n"
                "parallel { a = A shard(0); c[i < 2] = f(a[i]) + 6 }\n"
                "prove c is C shard(0)",
                "h(A[i], 3)", "h(A[i], 4)");
}

static void positions_of_extrema_are_the_first(void) {
  proves_unless("mesh g[4]\ninput A[8]\n"
                "sequential { M = argmax(i < 8) A[i] }\n"
                "parallel { a = A shard(0); z = all_gather(a, 0)\n"
                "  m = argmax(i < 8) z[i] }\n"
                "prove m is M replicated",
                "argmax(i < 8) z[i]", "argmin(i < 8) z[i]");
}

static void integers_index_where_they_are_bounded(void) {
  proves_unless("mesh g[4]\nlet V = 32\ninput E[V], T[8]: int\n"
                "assume 0 <= T < V\n"
                "sequential { C[i < 8] = E[T[i]] }\n"
                "parallel { e = E shard(0)\n"
                "  k[i < 8] = T[i] - 8*@g\n"
                "  p[i < 8] = if 0 <= k[i] < 8 then e[k[i]] else 0\n"
                "  c = all_reduce(sum, p) }\n"
                "prove c is C replicated",
                "0 <= k[i] < 8 then", "0 < k[i] < 8 then");
}

static void what_is_not_held_is_found(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const char *text = HEAD "parallel { c[i < 2] = A[2*@g + i] * B[2*@g + i] }\n"
                          "prove c[i] is C[2*@g + i]";
  trial t = {.text = text};
  CU_ASSERT_EQUAL(sp_protect(ctx, run_trial, &t), SP_ERR_UNKNOWN);
  CU_ASSERT_PTR_NOT_NULL(
      strstr(sp_ctx_error(ctx)->message, "every element of C"));
  expect_verdict(with(ctx, text, "prove", "prove only"), SP_REFINES);
  sp_ctx_free(ctx);
}

/* ---- counterexamples ---- */

static void a_violation_names_rank_index_and_values(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  trial t = {.text = "mesh h[2], g[2]\nlet N = 8\ninput A[N, N]\n"
                     "sequential { T[i < N, j < N] = A[j, i] }\n"
                     "parallel on h, g {\n"
                     "  t[i < 4, j < 4] = A[4*@h + j, 4*@g + i]\n"
                     "}\n"
                     "prove t[i, j] is T[4*@h + i, 4*@g + j]"};
  CU_ASSERT_EQUAL_FATAL(sp_protect(ctx, run_trial, &t), SP_OK);
  CU_ASSERT_EQUAL_FATAL(t.report->verdict, SP_VIOLATION);
  const sp_counterexample *c = t.report->counterexample;
  CU_ASSERT_STRING_EQUAL(c->name, "t");
  CU_ASSERT_EQUAL_FATAL(c->n_dims, 2);
  int64_t h = c->rank / 2, g = c->rank % 2;
  CU_ASSERT_EQUAL(c->global_index[0], 4 * h + c->local_index[0]);
  CU_ASSERT_EQUAL(c->global_index[1], 4 * g + c->local_index[1]);
  CU_ASSERT_NOT_EQUAL(h, g);
  CU_ASSERT_PTR_NOT_NULL(strstr(t.report->sentence, "@h = "));
  CU_ASSERT_PTR_NOT_NULL(strstr(t.report->sentence, "k.sp:6"));
  sp_ctx_free(ctx);
}

static void expect_error(const char *text, sp_code want, uint32_t line,
                         uint32_t column, const char *message,
                         const char *hint) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  trial t = {.text = text, .run_budget = -1};
  sp_code code = sp_protect(ctx, run_trial, &t);
  CU_ASSERT_EQUAL(code, want);
  const sp_error *e = sp_ctx_error(ctx);
  bool ok = code == want && e->loc.line == line && e->loc.column == column &&
            strstr(e->message, message) && strstr(e->hint, hint);
  CU_ASSERT(ok);
  if (!ok && code != SP_OK) {
    say_error(ctx, text);
    printf("  hint: %s\n", e->hint);
  }
  sp_ctx_free(ctx);
}

#define BAD(line, column, text, message, hint)                                 \
  expect_error(text, SP_ERR_INPUT, line, column, message, hint)
/* ---- sizes ---- */

static uint64_t obligations(int64_t n, int ranks) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  trial t = {.text = sp_format(
                 ctx,
                 "mesh g[%d]\nlet N = %lld\ninput A[N, N], B[N, N]\n"
                 "sequential { C[i < N, j < N] = sum(k < N) A[i, k]*B[k, j] }\n"
                 "parallel { a = A shard(1); b = B shard(0)\n"
                 "  p[i < N, j < N] = sum(k < N/%d) a[i, k] * b[k, j]\n"
                 "  c = all_reduce(sum, p) }\n"
                 "prove c is C replicated",
                 ranks, (long long)n, ranks)};
  CU_ASSERT_EQUAL_FATAL(sp_protect(ctx, run_trial, &t), SP_OK);
  CU_ASSERT_EQUAL(t.report->verdict, SP_REFINES);
  uint64_t asked = t.report->stats.obligations;
  sp_ctx_free(ctx);
  return asked;
}

static void size_does_not_matter(void) {
  CU_ASSERT_EQUAL(obligations(8, 2), obligations(4096, 64));
}

/* A repeat of many steps is a loop: it costs what one of few does. */
static void long_repeats_are_loops(void) {
#define ONLINE                                                                 \
  "mesh g[2]\nlet P = 4096, B = 4\ninput x[P*B], v[P*B]\nsequential {\n"       \
  "  M = max(j < P*B) x[j]\n  S = sum(j < P*B) exp(x[j] - M)\n"                \
  "  O = (sum(j < P*B) exp(x[j] - M) * v[j]) / S }\n"                          \
  "parallel {\n  m = -inf; l = 0; o = 0\n  repeat s < P {\n"                   \
  "    let at = s*B\n    n = max(m, max(j < B) x[at + j])\n"                   \
  "    l = l * exp(m - n) + (sum(j < B) exp(x[at + j] - n))\n"                 \
  "    o = o * exp(m - n) + (sum(j < B) exp(x[at + j] - n) * v[at + j])\n"     \
  "    m = n\n  }\n  out = o / l\n}\nprove out is O replicated"
  sp_ctx *ctx = sp_ctx_new(NULL);
  expect_verdict(ONLINE, SP_REFINES);
  expect_verdict(with(ctx, ONLINE, "o = o * exp(m - n)", "o = o"),
                 SP_VIOLATION);
  /* from another number, a map, what only the last step made */
  static const char map[] =
      "mesh g[2]\ninput x[1000]\n"
      "sequential { S = sum(j < 900) x[j + 100]; Y[i < 1000] = 2 * x[i]\n"
      "  L = x[999] }\n"
      "parallel {\n  l = 0; y[i < 1000] = 2 * x[i]\n"
      "  for s in 100..1000 {\n    t = x[s]; l = l + t\n"
      "    y[i < 1000] = if i == s then 2 * t else y[i]\n  }\n}\n"
      "prove l is S replicated prove y is Y replicated prove t is L replicated";
  expect_verdict(map, SP_REFINES);
  expect_verdict(with(ctx, map, "in 100..1000", "in 99..1000"), SP_VIOLATION);
  expect_verdict(with(ctx, map, "in 100..1000", "in 100..999"), SP_VIOLATION);
  expect_verdict(with(ctx, map, "x[j + 100]", "x[j + 99]"), SP_VIOLATION);
  /* indices are inside in all steps, or it is said where they are not */
  BAD(8, 13, with(ctx, map, "x[s]", "x[s + 1]"),
      "index 0 of x is 1000 where s = 999", "guard it");
  sp_ctx_free(ctx);
}

/* Too large to run whole, and as loops in part, too: while the proof of the
 * loops is in trouble the difference is seen with the steps unrolled. */
static void wrong_loops_are_run_unrolled(void) {
  trial t = {.text = "mesh g[64]\nlet R = 64, N = 2048, B = N/R\n"
                     "input X[R, N]\n"
                     "sequential { Y[i < N] = sum(r < R) X[r, i] }\n"
                     "parallel on g {\n"
                     "  x[i < N] = X[@g, i]\n"
                     "  acc[i < B] = x[@g*B + i]\n"
                     "  repeat s < R - 1 {\n"
                     "    acc = acc@(g = (@g - 1) mod R)\n"
                     "    acc[i < B] = acc[i] + x[(@g - s) mod R * B + i]\n"
                     "  }\n"
                     "  y[i < N] = if i div B == (@g + 1) mod R\n"
                     "             then acc[i mod B] else 0\n"
                     "  repeat s < R - 1 {\n"
                     "    acc = acc@(g = (@g - 1) mod R)\n"
                     "    y[i < N] = if i div B == (@g - s) mod R\n"
                     "               then acc[i mod B] else y[i]\n"
                     "  }\n"
                     "}\n"
                     "prove y is Y replicated over g\n"};
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL_FATAL(sp_protect(ctx, run_trial, &t), SP_OK);
  CU_ASSERT_EQUAL(t.report->verdict, SP_VIOLATION);
  CU_ASSERT_EQUAL(t.lowered->n_loops, 0);
  sp_ctx_free(ctx);
}

/* A ring: each step takes a part from a neighbour. */
static void rings_of_any_size_are_proved(void) {
#define RING(p, mesh, from)                                                    \
  "mesh " mesh "\nlet P = " p ", B = 4\ninput K[P*B]\n"                        \
  "sequential { S = sum(j < P*B) exp(K[j])  }\n"                               \
  "parallel {\n  k = K shard(0) over g; l = 0\n  repeat s < P {\n"             \
  "    l = l + (sum(j < B) exp(k[j]))\n    k = k@(" from ")\n  }\n}\n"         \
  "prove l is S replicated prove k is K shard(0) over g"
  sp_ctx *ctx = sp_ctx_new(NULL);
  static const char ring[] = RING("4096", "g[4096]", "g = (@g - 1) mod P");
  static const char two[] = RING("32", "h[2], g[32]", "g = (@g + 3) mod P");
  expect_verdict(ring, SP_REFINES);
  expect_verdict(two, SP_REFINES);
  /* one rank's part is missed, another's comes twice */
  expect_verdict(with(ctx, two, "(@g + 3)", "(@g + 4)"), SP_VIOLATION);
  expect_verdict(with(ctx, two, "repeat s < P", "repeat s < P - 1"),
                 SP_VIOLATION);
  expect_verdict(with(ctx, two, "repeat s < P", "repeat s < P + 1"),
                 SP_VIOLATION);
  /* all end up with what one rank had */
  expect_verdict(with(ctx, two, "g = (@g + 3) mod P", "g = (@g div 2) mod P"),
                 SP_VIOLATION);
  sp_ctx_free(ctx);
}

/* On each rank by itself no choice is left. */
static void scans_of_64_threads_are_proved(void) {
  static const char scan[] =
      "mesh t[64]\nlet N = 512, B = N/64\ninput X[N]\n"
      "sequential { P[i < N] = sum(k < N) if k < i then X[k] else 0 }\n"
      "parallel on t {\n  x = X shard(0) over t; s = sum(k < B) x[k]\n"
      "  repeat r < 6 {\n    let h = 2^r\n"
      "    s = if (@t + 1) mod (2*h) == 0 then s + s@(t = @t - h) else s\n  }\n"
      "  s = if @t == 63 then 0 else s\n"
      "  repeat r < 6 {\n    let h = 32 div 2^r\n"
      "    s = if (@t + 1) mod (2*h) == 0 then s + s@(t = @t - h)"
      " else if (@t + 1) mod (2*h) == h then s@(t = @t + h) else s\n  }\n"
      "  p[i < B] = s + (sum(k < B) if k < i then x[k] else 0)\n}\n"
      "prove p is P shard(0) over t";
  sp_ctx *ctx = sp_ctx_new(NULL);
  expect_verdict(scan, SP_REFINES);
  /* no root, no swap, one thread off on the way down, and on the way up */
  expect_verdict(with(ctx, scan, "@t == 63", "@t == 64"), SP_VIOLATION);
  expect_verdict(with(ctx, scan, "== h then s@", "== 2*h then s@"),
                 SP_VIOLATION);
  expect_verdict(with(ctx, scan, "(t = @t + h)", "(t = @t + h - 1)"),
                 SP_VIOLATION);
  expect_verdict(with(ctx, scan, "(t = @t - h)", "(t = @t - h + 1)"),
                 SP_VIOLATION);
  sp_ctx_free(ctx);
}

/* As many ranks as a mesh may have; nothing is written out for each, but
 * numbers, and room for values that stays untouched. */
static void a_million_ranks_are_proved(void) {
  static const char text[] =
      "mesh y[1024], x[1024]\nlet N = 4096\ninput A[N, N]\n"
      "sequential { T[i < N, j < N] = A[j, i] }\n"
      "parallel on y, x { a = A shard(0) over y, shard(1) over x\n"
      "  b = a@(y = @x, x = @y)\n  t[i < 4, j < 4] = b[j, i] }\n"
      "prove t is T shard(0) over y, shard(1) over x";
  expect_verdict(text, SP_REFINES);
  sp_ctx *ctx = sp_ctx_new(NULL);
  expect_within(with(ctx, text, "T shard(0) over y, shard(1) over x",
                     "T shard(0) over x, shard(1) over y"),
                SP_VIOLATION, (size_t)3 << 29);
  sp_ctx_free(ctx);
}

/* Wherever they stand. */
static void all_assumptions_hold(void) {
  expect_verdict("mesh g[2] input A[4], I[4]: int\n"
                 "assume 0 <= I assume I < 8 assume 3 <= I < 4\n"
                 "sequential { C[i < 4] = A[I[i]] }\n"
                 "parallel { c[i < 4] = A[3] }\n"
                 "prove c is C replicated",
                 SP_REFINES);
}

/* ---- errors ---- */

#define FILE_OF(seq, par, promise)                                             \
  "mesh g[4]\ninput A[8], T[8]: int\nsequential { " seq " }\nparallel { " par  \
  " }\nprove " promise

static void bad_files_are_errors_at_their_place(void) {
  BAD(1, 1, "", "no sequential program", "docs/kernels.md");
  BAD(1, 1, "hello", "a statement expected", "mesh, let");
  BAD(1, 5, "let if = 3", "if is a word of the language", "another name");
  BAD(1, 9, "mesh g[3", "\"]\" is missing", "");
  BAD(3, 25,
      FILE_OF("C[i < 8] = Ab[i]", "c = A replicated", "c is C replicated"),
      "nothing is called Ab here", "did you mean A?");
  BAD(3, 25,
      FILE_OF("C[i < 8] = exq(A[i])", "c = A replicated", "c is C replicated"),
      "no function exq", "did you mean exp?");
  BAD(3, 17, FILE_OF("C[i] = A[i]", "c = A replicated", "c is C replicated"),
      "needs its extent", "NAME[i < M");
  BAD(3, 25,
      FILE_OF("C[i < 8] = A[i, i]", "c = A replicated", "c is C replicated"),
      "A has 1 dimensions, and is read at 2", "");
  BAD(3, 29,
      FILE_OF("C[i < 8] = A[i + 1]", "c = A replicated", "c is C replicated"),
      "index 0 of A is 8 where i = 7", "guard it");
  BAD(3, 27,
      FILE_OF("C[i < 8] = A[T[i]]", "c = A replicated", "c is C replicated"),
      "index 0 of A is", "guard it");
  BAD(4, 24, FILE_OF("C[i < 8] = A[i]", "c = A shard(1)", "c is C replicated"),
      "there is no dimension 1", "count from 0");
  BAD(4, 18,
      FILE_OF("C[i < 8] = A[i]", "c = A shard(0, 4)", "c is C replicated"),
      "no multiple of 16", "where");
  BAD(5, 7, FILE_OF("C[i < 8] = A[i]", "c = A shard(0)", "c is C replicated"),
      "c is [2] on a rank, and should be [8]", "C is [8]");
  BAD(4, 33,
      FILE_OF("C[i < 8] = A[i]", "x = 1; c[i < 8] = x@(h = 0) + A[i]",
              "c is C replicated"),
      "h is no axis of a mesh here", "");
  BAD(4, 40,
      FILE_OF("C[i < 8] = A[i]", "x = 1; c[i < 8] = x@(g = @g + 1) + A[i]",
              "c is C replicated"),
      "coordinate g of x is 4 where @g = 3", "guard it");
  BAD(4, 23, FILE_OF("C[i < 8] = A[i]", "c[i < 8] = C[i]", "c is C replicated"),
      "nothing is called C here", "of the sequential program");
  BAD(4, 24,
      FILE_OF("C[i < 8] = A[i]", "let z = 2 * T; c = A replicated",
              "c is C replicated"),
      "T is a tensor", "define a tensor");
}

/* What holds nowhere says nothing. In a repeat its steps count together. */
static void conditions_hold_somewhere(void) {
#define GUARDED(where, promise)                                                \
  "mesh g[4]\ninput A[10]\nsequential { C[i < 10] = A[i] }\nparallel {\n"      \
  "c[i < 3] = A[i + 3*@g] where " where "\n}\nprove " promise
  BAD(5, 32, GUARDED("1 < 0", "only c[i] is C[i] where i < 2"), "", "");
  BAD(5, 39, GUARDED("i + 3*@g < 0", "only c[i] is C[i] where i < 2"),
      "all of c is padding", "correct");
  BAD(7, 40, GUARDED("i + 3*@g < 10", "only c[i] is C[i + 3*@g] where 1 < 0"),
      "nothing is promised of c", "correct");
  BAD(7, 41, GUARDED("i + 3*@g < 10", "only c[i] is C[i + 3*@g] where @g > 3"),
      "nothing is promised of c", "correct");
  expect_verdict(GUARDED("i + 3*@g < 10",
                         "only c[i] is C[i + 3*@g] where @g == 3 and i == 0"),
                 SP_REFINES);
  expect_verdict("mesh g[2]\ninput A[8]\nsequential { C[i < 8] = A[i] }\n"
                 "parallel { for s in 0..4 {\n"
                 "    a[i < 4] = A[i + 2*s] where i + 2*s < 2\n"
                 "    let t = s\n    c[i < 4] = A[i + 4*@g] }\n"
                 "}\nprove c is C shard(0)",
                 SP_REFINES);
}

static void an_expectation_is_about_a_promise(void) {
  BAD(6, 1,
      FILE_OF("C[i < 8] = A[i]", "c = A replicated",
              "c is C replicated\nexpect violation at d"),
      "nothing is promised of d", "");
}

static void formulas_need_fitting_types(void) {
  BAD(3, 28,
      FILE_OF("C[i < 8] = if A[i] then 1 else 0", "c = A replicated",
              "c is C replicated"),
      "a condition expected here", "");
  BAD(3, 30,
      FILE_OF("C[i < 8] = A[i] + (i < 2)", "c = A replicated",
              "c is C replicated"),
      "a condition and a number", "");
  BAD(3, 14,
      FILE_OF("C[i < 8]: int = A[i]", "c = A replicated", "c is C replicated"),
      "C is declared int, its formula is real", "");
  BAD(5, 7, FILE_OF("C[i < 8] = T[i]", "c = A replicated", "c is C replicated"),
      "different types", "");
}

static void limits_are_errors(void) {
  BAD(4, 23,
      FILE_OF("C[i < 8] = A[i]", "repeat s < 5000 { } c = A replicated",
              "c is C replicated"),
      "5000 steps", "");
  BAD(4, 24,
      FILE_OF("C[i < 8] = A[i]", "for s in 3..1 { } c = A replicated",
              "c is C replicated"),
      "-2 steps", "counts up");
  BAD(4, 37,
      FILE_OF("C[i < 8] = A[i]",
              "repeat s < 4096 { repeat t < 4096 { repeat u < 64 { } } } c = A "
              "replicated",
              "c is C replicated"),
      "over 100000 statements", "");
  BAD(4, 30,
      FILE_OF("C[i < 8] = A[i]", "c[i < 8] = A[i] + 1e400",
              "c is C replicated"),
      "1e400 is too large", "");
  BAD(4, 30,
      FILE_OF("C[i < 8] = 0 * A[i]", "c[i < 8] = A[i] * 1e-400",
              "c is C replicated"),
      "1e-400 is too small", "");
  char deep[400] = "mesh g[4] let x = ";
  memset(deep + strlen(deep), '(', 300);
  BAD(1, 51, deep, "nested too deep", "");
}

/* ---- layout ---- */

typedef struct format_job {
  const char *text, *once, *twice;
} format_job;

static void format(sp_ctx *ctx, void *arg) {
  format_job *j = arg;
  j->once = sp_kernel_format(ctx, "k.sp", j->text, strlen(j->text));
  j->twice = sp_kernel_format(ctx, "k.sp", j->once, strlen(j->once));
}

static void formatting_changes_blanks_only(void) {
  static const char text[] =
      "\n\n# a kernel\nmesh  g [4] # ranks\n\n\n\ninput A[ 8 ],T[8] :int\n"
      "sequential{\n\nC [i<8]=if 0<=i-1 and i<8 then -A[i-1]* 2 else\n"
      "sum (k<8)A[k]\n}\nparallel on g{\n# all\nc=A replicated;d = "
      "c@( g=(@g+1)mod 4 )\nfor s in 0 .. 8/2{ d=c }\n\n}\nprove c is C "
      "replicated over g\n\n\n";
  static const char want[] =
      "# a kernel\nmesh g[4]  # ranks\n\ninput A[8], T[8]: int\n"
      "sequential {\n  C[i < 8] = if 0 <= i-1 and i < 8 then -A[i-1] * 2 else\n"
      "      sum(k < 8) A[k]\n}\nparallel on g {\n  # all\n"
      "  c = A replicated; d = c@(g = (@g+1) mod 4)\n"
      "  for s in 0..8/2 { d = c }\n}\n"
      "prove c is C replicated over g\n";
  sp_ctx *ctx = sp_ctx_new(NULL);
  format_job j = {.text = text};
  CU_ASSERT_EQUAL_FATAL(sp_protect(ctx, format, &j), SP_OK);
  CU_ASSERT_STRING_EQUAL(j.once, want);
  CU_ASSERT_STRING_EQUAL(j.twice, want);
  if (strcmp(j.once, want) != 0) {
    printf("\n%s", j.once);
  }
  sp_ctx_free(ctx);
}

/* ---- examples ---- */

static bool is_example(const char *name) {
  size_t n = strlen(name);
  return n > 3 && strcmp(name + n - 3, ".sp") == 0;
}

static void check_layout(sp_ctx *ctx, const char *path) {
  size_t n;
  format_job j = {.text = sp_file_read(ctx, path, sp_nowhere(), 1 << 20, &n)};
  CU_ASSERT_EQUAL_FATAL(sp_protect(ctx, format, &j), SP_OK);
  CU_ASSERT_STRING_EQUAL(j.once, j.text);
  if (strcmp(j.once, j.text) != 0) {
    printf("\n%s: shardproof fmt -i would change it\n", path);
  }
}

static void check_example(sp_ctx *ctx, const char *path) {
  trial t = {.path = path};
  sp_code code = sp_protect(ctx, run_trial, &t);
  CU_ASSERT_EQUAL(code, SP_OK);
  if (code != SP_OK) {
    say_error(ctx, path);
    return;
  }
  sp_verdict want = t.expect->given ? t.expect->verdict : SP_REFINES;
  bool ok = t.report->verdict == want &&
            (!t.expect->at ||
             strcmp(t.report->counterexample->name, t.expect->at) == 0);
  CU_ASSERT(ok);
  check_layout(ctx, path);
  bool broken = strstr(path, "_broken.sp");
  CU_ASSERT_EQUAL(want, broken ? SP_VIOLATION : SP_REFINES);
  if (!ok) {
    printf("\n%s: %s\n", path, t.report->sentence);
  }
}

static void examples_have_the_verdicts_that_they_say(void) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/examples/kernels", test_source());
  DIR *d = opendir(folder);
  CU_ASSERT_PTR_NOT_NULL_FATAL(d);
  size_t n = 0;
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    if (is_example(e->d_name)) {
      sp_ctx *ctx = sp_ctx_new(NULL);
      check_example(ctx, sp_format(ctx, "%s/%s", folder, e->d_name));
      sp_ctx_free(ctx);
      n++;
    }
  }
  closedir(d);
  CU_ASSERT(n >= 10);
}

/* An example with each `from` replaced, perhaps so that it is of real size. */
static void broken_example(const char *name, size_t n,
                           const char *const (*v)[2], const char *sentence) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const char *path =
      sp_format(ctx, "%s/examples/kernels/%s.sp", test_source(), name);
  size_t length;
  const char *text =
      sp_file_read(ctx, path, sp_nowhere(), SP_MAX_FILE, &length);
  for (size_t i = 0; i < n; i++) {
    text = with(ctx, text, v[i][0], v[i][1]);
  }
  trial t = {.text = text};
  CU_ASSERT_EQUAL_FATAL(sp_protect(ctx, run_trial, &t), SP_OK);
  CU_ASSERT_EQUAL_FATAL(t.report->verdict, SP_VIOLATION);
  CU_ASSERT_PTR_NOT_NULL(strstr(t.report->sentence, sentence));
  sp_ctx_free(ctx);
}

/* A few elements on a few ranks are computed, with inputs mostly zero. */
static void broken_examples_are_found_at_real_size(void) {
  static const char *const heads[][2] = {
      {"dp[2], tp[4]", "dp[8], tp[8]"},
      {"N = 8, S = 16, H = 8, D = 4", "N = 64, S = 4096, H = 64, D = 128"},
      {"[n < N/2, h < H/4", "[n < N/8, h < H/8"},
      {"[n < N/2, h < H/4", "[n < N/8, h < H/8"},
      {"[n < N/2, i < S, h < H/4", "[n < N/8, i < S, h < H/8"},
      {"[n < N/2, i < S, e < E] = sum(h < H/4",
       "[n < N/8, i < S, e < E] = sum(h < H/8"},
  };
  static const char *const moe[][2] = {
      {"g[4]", "g[64]"},
      {"R = 4, S = 16, D = 8, F = 12, E = 8, C = 4",
       "R = 64, S = 4096, D = 1024, F = 4096, E = 128, C = 64"},
  };
  static const char *const ring[][2] = {
      {"g[4]", "g[64]"},
      {"S = 64, D = 16, B = S/4", "S = 4096, D = 128, B = S/64"},
      {"s < 4", "s < 64"},
      {"+ s) mod 4", "+ s) mod 64"},
      {"- 1) mod 4", "- 1) mod 64"},
      {"- 1) mod 4", "- 1) mod 64"},
  };
  static const char *const zigzag[][2] = {
      {"g[4]", "g[64]"},
      {"R = 4, S = 64, D = 16", "R = 64, S = 4096, D = 128"},
  };
  static const char *const sparse[][2] = {
      {"Z = 8, T = 6, B = 4, MB = 3, KB = 5, N = 8",
       "Z = 64, T = 512, B = 64, MB = 64, KB = 64, N = 4096"},
  };
  broken_example("block_sparse_broken", sizeof sparse / sizeof *sparse, sparse,
                 "p");
  broken_example("attention_heads_broken", sizeof heads / sizeof *heads, heads,
                 "part, which holds partial sums of O over the ranks");
  broken_example("moe_dispatch_broken", sizeof moe / sizeof *moe, moe, "");
  broken_example("ring_attention_broken", sizeof ring / sizeof *ring, ring, "");
  broken_example("zigzag_attention_broken", sizeof zigzag / sizeof *zigzag,
                 zigzag, "");
}

/* Though no placement has the index maps; what splits indices may be. */
static void cuts_of_inputs_are_not_at_fault(void) {
  broken_example("moe_dispatch_broken", 0, NULL, "; mine (");
  broken_example("zigzag_attention_broken", 0, NULL, "; x.2 (");
  broken_example("transpose_broken", 0, NULL, "; out (");
  broken_example("im2col_broken", 0, NULL, "; f (");
}

void suite_kernels(void) {
  CU_pSuite s = CU_add_suite("kernels", NULL, NULL);
  CU_ADD_TEST(s, placements_cut_inputs_and_promises);
  CU_ADD_TEST(s, axes_cut_in_the_order_of_the_mesh);
  CU_ADD_TEST(s, index_maps_are_promises);
  CU_ADD_TEST(s, index_maps_with_conditions_are_turned_round);
  CU_ADD_TEST(s, padding_holds_anything);
  CU_ADD_TEST(s, collectives_are_their_definitions);
  CU_ADD_TEST(s, names_get_new_versions);
  CU_ADD_TEST(s, loops_are_written_in_two_ways);
  CU_ADD_TEST(s, functions_are_equal_where_their_arguments_are);
  CU_ADD_TEST(s, positions_of_extrema_are_the_first);
  CU_ADD_TEST(s, integers_index_where_they_are_bounded);
  CU_ADD_TEST(s, what_is_not_held_is_found);
  CU_ADD_TEST(s, a_violation_names_rank_index_and_values);
  CU_ADD_TEST(s, all_assumptions_hold);
  CU_ADD_TEST(s, size_does_not_matter);
  CU_ADD_TEST(s, long_repeats_are_loops);
  CU_ADD_TEST(s, rings_of_any_size_are_proved);
  CU_ADD_TEST(s, scans_of_64_threads_are_proved);
  CU_ADD_TEST(s, wrong_loops_are_run_unrolled);
  CU_ADD_TEST(s, a_million_ranks_are_proved);
  CU_ADD_TEST(s, bad_files_are_errors_at_their_place);
  CU_ADD_TEST(s, conditions_hold_somewhere);
  CU_ADD_TEST(s, an_expectation_is_about_a_promise);
  CU_ADD_TEST(s, formulas_need_fitting_types);
  CU_ADD_TEST(s, limits_are_errors);
  CU_ADD_TEST(s, formatting_changes_blanks_only);
  CU_ADD_TEST(s, examples_have_the_verdicts_that_they_say);
  CU_ADD_TEST(s, broken_examples_are_found_at_real_size);
  CU_ADD_TEST(s, cuts_of_inputs_are_not_at_fault);
}
