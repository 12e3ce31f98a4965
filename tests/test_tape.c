/* test_tape.c: tapes (solve/tape.h) against sp_eval, on random terms: integers,
 * reals and conditions, reads that may fall outside, reductions in and beside
 * each other; simplified and raw. */
#include "solve/tape.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support_dumps.h"

void suite_tape(void);

enum { N_SYMS = 4, MAX_VARS = 8, DATA = 64 };

typedef struct world {
  sp_pool *p;
  uint64_t seed;
  sp_sym syms[N_SYMS]; /* INT 1-d, REAL 2-d, BOOL 1-d, REAL scalar */
  int64_t ints[DATA];
  double reals[DATA], scalar[1];
  uint8_t bools[DATA];
  uint32_t n_vars; /* in reach of the term under construction */
  sp_expr vars[MAX_VARS];
  /* evaluating */
  sp_expr free_vars[3];
  int64_t values[3];
  uint64_t compared;
} world;

static uint32_t rnd(world *w, uint32_t n) {
  w->seed = w->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(w->seed >> 33) % n;
}

static const int64_t extents_of[N_SYMS][2] = {{7, 0}, {5, 4}, {6, 0}, {0, 0}};
static const uint32_t dims_of[N_SYMS] = {1, 2, 1, 0};

static sp_expr random_int(world *w, int depth);
static sp_expr random_real(world *w, int depth);

static sp_expr random_bool(world *w, int depth) {
  sp_pool *p = w->p;
  if (depth <= 0) {
    return sp_bool(p, rnd(w, 2));
  }
  switch (rnd(w, 6)) {
  case 0:
    return sp_lt(p, random_int(w, depth - 1), random_int(w, depth - 1));
  case 1:
    return sp_eq(p, random_int(w, depth - 1), random_int(w, depth - 1));
  case 2:
    return sp_lt(p, random_real(w, depth - 1), random_real(w, depth - 1));
  case 3:
    return sp_not(p, random_bool(w, depth - 1));
  case 4:
    return sp_or(p, random_bool(w, depth - 1), random_bool(w, depth - 1));
  default: {
    sp_expr i = random_int(w, depth - 1);
    return sp_read(p, w->syms[2], &i);
  }
  }
}

/* A reduction over one or two new variables. */
static sp_expr random_red(world *w, int depth, sp_sort sort) {
  sp_pool *p = w->p;
  uint32_t n = 1 + rnd(w, 2), had = w->n_vars;
  sp_expr vars[2];
  if (had + n > MAX_VARS) {
    return sort == SP_SORT_INT ? sp_int(p, 1) : sp_real_i64(p, 1);
  }
  for (uint32_t i = 0; i < n; i++) {
    vars[i] = sp_fresh(p, 1 + rnd(w, rnd(w, 4) ? 4 : 40));
    w->vars[w->n_vars++] = vars[i];
  }
  sp_expr body = sort == SP_SORT_INT ? random_int(w, depth - 1)
                                     : random_real(w, depth - 1);
  w->n_vars = had;
  static const sp_red_op ops[] = {SP_RED_SUM, SP_RED_MAX, SP_RED_MIN};
  return sp_red(p, ops[rnd(w, 3)], n, vars, body);
}

static sp_expr random_int(world *w, int depth) {
  sp_pool *p = w->p;
  if (depth <= 0 || rnd(w, 5) == 0) {
    return rnd(w, 4) ? w->vars[rnd(w, w->n_vars)]
                     : sp_int(p, (int64_t)rnd(w, 9) - 4);
  }
  sp_expr a = random_int(w, depth - 1), b;
  switch (rnd(w, 10)) {
  case 0:
    return sp_iadd(p, a, random_int(w, depth - 1));
  case 1:
    return sp_iscale(p, a, (int64_t)rnd(w, 7) - 3);
  case 2:
    return sp_idiv(p, a, 1 + rnd(w, 5));
  case 3:
    return sp_imod(p, a, 1 + rnd(w, 5));
  case 4:
    return sp_max(p, a, random_int(w, depth - 1));
  case 5:
    return sp_min(p, a, random_int(w, depth - 1));
  case 6:
    b = random_bool(w, depth - 1);
    return sp_ite(p, b, a, random_int(w, depth - 1));
  case 7:
    return sp_imul(p, a, sp_imod(p, random_int(w, depth - 1), 9));
  case 8:
    return random_red(w, depth, SP_SORT_INT);
  default:
    return sp_read(p, w->syms[0], &a);
  }
}

static sp_expr random_real(world *w, int depth) {
  sp_pool *p = w->p;
  sp_expr idx[2];
  if (depth <= 0) {
    return rnd(w, 2) ? sp_i2r(p, w->vars[rnd(w, w->n_vars)])
                     : sp_read(p, w->syms[3], NULL);
  }
  switch (rnd(w, 9)) {
  case 0:
    return sp_add(p, random_real(w, depth - 1), random_real(w, depth - 1));
  case 1:
    return sp_mul(p, random_real(w, depth - 1), random_real(w, depth - 1));
  case 2:
    return sp_scale(p, random_real(w, depth - 1),
                    sp_num_ratio(p, (int64_t)rnd(w, 9) - 4, 4));
  case 3:
    return sp_max(p, random_real(w, depth - 1), random_real(w, depth - 1));
  case 4:
    return sp_ite(p, random_bool(w, depth - 1), random_real(w, depth - 1),
                  random_real(w, depth - 1));
  case 5:
    return sp_fn1(p, rnd(w, 2) ? "tanh" : "abs", random_real(w, depth - 1));
  case 6:
    return random_red(w, depth, SP_SORT_REAL);
  default:
    idx[0] = random_int(w, depth - 1);
    idx[1] = random_int(w, depth - 1);
    return sp_read(p, w->syms[1], idx);
  }
}

/* ---- evaluating ---- */

static int64_t eval_var(void *user, sp_expr v) {
  const world *w = user;
  for (int i = 0; i < 3; i++) {
    if (w->free_vars[i].v == v.v) {
      return w->values[i];
    }
  }
  return 0;
}

static sp_value eval_read(void *user, sp_sym s, uint32_t n,
                          const int64_t *idx) {
  const world *w = user;
  uint32_t k = 0;
  while (w->syms[k].v != s.v) {
    k++;
  }
  int64_t at = 0;
  sp_value v = {.sort = sp_sym_sort(w->p, s)};
  for (uint32_t i = 0; i < n; i++) {
    if (idx[i] < 0 || idx[i] >= extents_of[k][i]) {
      return v;
    }
    at = at * extents_of[k][i] + idx[i];
  }
  v.i = k == 0 ? w->ints[at] : 0;
  v.r = k == 1 ? w->reals[at] : k == 3 ? w->scalar[0] : 0;
  v.b = k == 2 && w->bools[at];
  return v;
}

static bool same(double a, double b) {
  return a == b || (isnan(a) && isnan(b)) ||
         fabs(a - b) <= 1e-12 * (1 + fabs(a) + fabs(b));
}

static double number(sp_sort sort, sp_value v) {
  return sort == SP_SORT_REAL ? v.r : sort == SP_SORT_INT ? (double)v.i : v.b;
}

static void compare(world *w, sp_expr e) {
  sp_pool *p = w->p;
  sp_ctx *ctx = sp_pool_ctx(p);
  /* one uniform variable, two of the lanes: together more than one block */
  const int64_t extents[3] = {3, 41, 9};
  spi_tape_spec spec = {.n_outs = 1,
                        .outs = &e,
                        .n_vars = 3,
                        .n_uniform = 1,
                        .vars = w->free_vars,
                        .extents = extents};
  const spi_tape *t = spi_tape_compile(p, &spec);
  spi_source *sources = sp_alloc_n(ctx, t->n_sources + 1u, sizeof *sources);
  const void *data[N_SYMS] = {w->ints, w->reals, w->bools, w->scalar};
  for (uint32_t i = 0; i < t->n_sources; i++) {
    sources[i] = t->sources[i];
    for (uint32_t k = 0; k < N_SYMS; k++) {
      if (w->syms[k].v == sources[i].sym.v) {
        sources[i].data = data[k];
      }
    }
  }
  spi_tape_state *s = spi_tape_state_new(ctx, t->n_regs);
  sp_sort sort = sp_sort_of(p, e);
  for (w->values[0] = 0; w->values[0] < 3; w->values[0]++) {
    spi_tape_start(t, s, sources, 1, w->values);
    for (int64_t at = 0; at < 369; at += SPI_LANES) {
      uint32_t n = at + SPI_LANES <= 369 ? SPI_LANES : (uint32_t)(369 - at);
      spi_tape_run(t, s, 1, extents + 1, at, n);
      for (uint32_t l = 0; l < n; l += 1 + rnd(w, 60)) {
        w->values[1] = (at + l) / 9;
        w->values[2] = (at + l) % 9;
        sp_eval_env env = {
            .user = w, .var = eval_var, .read = eval_read, .budget = 200000};
        sp_value want;
        if (!sp_eval(p, e, &env, &want)) {
          continue; /* out of budget, or of 64 bits */
        }
        w->compared++;
        spi_lane got = s->reg[t->outs[0]][l];
        double g = sort == SP_SORT_REAL ? got.r : (double)got.i;
        if (!same(g, number(sort, want))) {
          printf("\n  %s at %d %d %d: %.17g, should be %.17g\n", sp_show(p, e),
                 (int)w->values[0], (int)w->values[1], (int)w->values[2], g,
                 number(sort, want));
          CU_FAIL("a tape and sp_eval differ");
          return;
        }
      }
    }
  }
}

typedef struct job {
  uint64_t seed;
  bool raw;
  uint64_t compared;
} job;

static void one_term(sp_ctx *ctx, void *arg) {
  job *j = arg;
  world w = {.p = sp_pool_new(ctx), .seed = j->seed};
  static const sp_sort sorts[N_SYMS] = {SP_SORT_INT, SP_SORT_REAL, SP_SORT_BOOL,
                                        SP_SORT_REAL};
  for (uint32_t k = 0; k < N_SYMS; k++) {
    w.syms[k] = sp_sym_new(w.p, "t", sorts[k], dims_of[k], extents_of[k]);
  }
  for (int i = 0; i < DATA; i++) {
    w.ints[i] = (int64_t)rnd(&w, 13) - 4;
    w.reals[i] = (double)rnd(&w, 33) / 8 - 2;
    w.bools[i] = rnd(&w, 2) != 0;
  }
  w.scalar[0] = 0.625;
  w.free_vars[0] = sp_var(w.p, SP_VAR_RANK, "r", 3);
  w.free_vars[1] = sp_var(w.p, SP_VAR_INDEX, "i", 41);
  w.free_vars[2] = sp_var(w.p, SP_VAR_INDEX, "j", 9);
  memcpy(w.vars, w.free_vars, sizeof w.free_vars);
  w.n_vars = 3;
  sp_pool_raw(w.p, j->raw);
  int depth = 2 + (int)rnd(&w, 4);
  sp_expr e = rnd(&w, 2) ? random_real(&w, depth) : random_int(&w, depth);
  compare(&w, e);
  j->compared = sp_has_red(w.p, e) ? w.compared : 0;
}

static void tapes_give_what_sp_eval_gives(void) {
  int n = long_mode() ? 20000 : 1500;
  uint64_t compared = 0; /* elements of terms with reductions */
  for (int i = 0; i < n; i++) {
    job j = {(uint64_t)i * 977 + 5, i % 2 != 0, 0};
    sp_ctx *ctx = sp_ctx_new(NULL);
    sp_code code = sp_protect(ctx, one_term, &j);
    if (code != SP_OK && code != SP_ERR_LIMIT) {
      printf("\n  seed %d: %s\n", i, sp_ctx_error(ctx)->message);
      CU_FAIL("an error is raised");
    }
    compared += j.compared;
    sp_ctx_free(ctx);
  }
  CU_ASSERT(compared > 10 * (uint64_t)n);
}

/* ---- reads outside ---- */

static void outside(sp_ctx *ctx, void *arg) {
  (void)arg;
  sp_pool *p = sp_pool_new(ctx);
  const int64_t extent = 8;
  sp_sym a = sp_sym_new(p, "a", SP_SORT_REAL, 1, &extent);
  sp_expr i = sp_var(p, SP_VAR_INDEX, "i", 10);
  sp_expr read = sp_read(p, a, &i);
  sp_expr guarded =
      sp_ite(p, sp_lt(p, i, sp_int(p, 8)), read, sp_real_i64(p, -1));
  const double data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int k = 0; k < 2; k++) {
    const int64_t n = 10;
    spi_tape_spec spec = {.n_outs = 1,
                          .outs = k ? &guarded : &read,
                          .n_vars = 1,
                          .vars = &i,
                          .extents = &n};
    const spi_tape *t = spi_tape_compile(p, &spec);
    spi_source source = t->sources[0];
    source.data = data;
    spi_tape_state *s = spi_tape_state_new(ctx, t->n_regs);
    spi_tape_start(t, s, &source, 0, NULL);
    spi_tape_run(t, s, 0, &n, 0, 10);
    const spi_lane *out = s->reg[t->outs[0]];
    CU_ASSERT_EQUAL(out[7].r, 8);
    CU_ASSERT_EQUAL(out[9].r, k ? -1 : 0);
    CU_ASSERT_EQUAL(s->outside, k == 0);
  }
}

static void a_read_outside_is_told_unless_it_is_guarded(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, outside, NULL), SP_OK);
  sp_ctx_free(ctx);
}

static void unknown(sp_ctx *ctx, void *arg) {
  (void)arg;
  sp_pool *p = sp_pool_new(ctx);
  sp_expr e = sp_fn(p, SP_SORT_REAL, "nobody-knows", 0, NULL);
  spi_tape_spec spec = {.n_outs = 1, .outs = &e};
  spi_tape_compile(p, &spec);
}

static void a_function_without_values_is_refused(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, unknown, NULL), SP_ERR_UNKNOWN);
  sp_ctx_free(ctx);
}

void suite_tape(void) {
  CU_pSuite s = CU_add_suite("tape", NULL, NULL);
  CU_add_test(s, "tapes give what sp_eval gives",
              tapes_give_what_sp_eval_gives);
  CU_add_test(s, "a read outside is told unless it is guarded",
              a_read_outside_is_told_unless_it_is_guarded);
  CU_add_test(s, "a function without values is refused",
              a_function_without_values_is_refused);
}
