/* support_terms.c: a pool under protection. */
#include "tests/support_terms.h"

#include <stdio.h>

typedef struct job {
  void (*fn)(sp_pool *p);
} job;

static void job_run(sp_ctx *ctx, void *arg) {
  job *j = arg;
  j->fn(sp_pool_new(ctx));
}

void with_pool(void (*fn)(sp_pool *p)) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL(ctx);
  job j = {fn};
  sp_code code = sp_protect(ctx, job_run, &j);
  CU_ASSERT_EQUAL(code, SP_OK);
  if (code != SP_OK) {
    printf("  raised: %s\n", sp_ctx_error(ctx)->message);
  }
  sp_ctx_free(ctx);
}

void check_same(sp_pool *p, sp_expr a, sp_expr b, int line) {
  CU_ASSERT_EQUAL(a.v, b.v);
  if (a.v != b.v) {
    printf("  line %d:\n    %s\n    %s\n", line, sp_show(p, a), sp_show(p, b));
  }
}
