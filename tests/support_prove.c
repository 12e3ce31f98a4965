/* support_prove.c: see support_prove.h. */
#include "tests/support_prove.h"

#include <stdio.h>

static void open_and_run(sp_ctx *ctx, void *arg) {
  bench *b = arg;
  b->ctx = ctx;
  b->p = sp_pool_new(ctx);
  sp_pool_raw(b->p, true);
  b->s = sp_solver_new(b->p, &b->options);
  b->body(b);
}

sp_code bench_run_with(void (*body)(bench *b), sp_solver_options o) {
  bench b = {.options = o, .body = body};
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_code code = sp_protect(ctx, open_and_run, &b);
  if (code != SP_OK)
    printf("  [%s] ", sp_ctx_error(ctx)->message);
  sp_ctx_free(ctx);
  return code;
}

void bench_run(void (*body)(bench *b)) {
  sp_code code = bench_run_with(body, (sp_solver_options){.timeout_ms = 10000});
  CU_ASSERT_EQUAL(code, SP_OK);
}

sp_answer prove(bench *b, sp_expr goal) {
  return sp_prove(b->s, "test", "", 0, NULL, goal);
}

sp_answer implies(bench *b, sp_expr hyp, sp_expr goal) {
  return sp_prove(b->s, "test", "", 1, &hyp, goal);
}

sp_expr index_var(bench *b, int64_t extent) {
  return sp_var(b->p, SP_VAR_INDEX, "i", extent);
}

sp_sym tensor(bench *b, const char *name, sp_sort sort, uint32_t n,
              int64_t extent) {
  int64_t extents[4] = {extent, extent, extent, extent};
  return sp_sym_new(b->p, name, sort, n, extents);
}

sp_expr at1(bench *b, sp_sym s, sp_expr i) {
  return sp_read(b->p, s, &i);
}

sp_expr at2(bench *b, sp_sym s, sp_expr i, sp_expr j) {
  return sp_read(b->p, s, (sp_expr[]){i, j});
}

sp_expr at3(bench *b, sp_sym s, sp_expr i, sp_expr j, sp_expr k) {
  return sp_read(b->p, s, (sp_expr[]){i, j, k});
}

sp_expr sum1(bench *b, sp_expr k, sp_expr body) {
  return sp_red(b->p, SP_RED_SUM, 1, &k, body);
}

uint64_t hits(const bench *b) {
  return sp_solver_statistics(b->s)->cache_hits;
}
