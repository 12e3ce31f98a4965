/* support_prove.h: a raw pool and a solver for one test, and short names.
 *
 * Each provable goal of the suites has a twin that is false or does not
 * follow: a prover that says yes to everything fails half of them.
 */
#ifndef SP_TESTS_SUPPORT_PROVE_H
#define SP_TESTS_SUPPORT_PROVE_H

#include "encode/obligation.h"

#include <CUnit/CUnit.h>

typedef struct bench {
  sp_ctx *ctx;
  sp_pool *p; /* in raw mode */
  sp_solver *s;
  sp_solver_options options;
  void (*body)(struct bench *b);
} bench;

/* Runs body under protection, in a context of its own. */
sp_code bench_run_with(void (*body)(bench *b), sp_solver_options o);
void bench_run(void (*body)(bench *b)); /* asserts that no error is raised */

sp_answer prove(bench *b, sp_expr goal);
sp_answer implies(bench *b, sp_expr hyp, sp_expr goal);
uint64_t hits(const bench *b);

sp_expr index_var(bench *b, int64_t extent);
/* n coordinates of this extent each, n <= 4 */
sp_sym tensor(bench *b, const char *name, sp_sort sort, uint32_t n,
              int64_t extent);
sp_expr at1(bench *b, sp_sym s, sp_expr i);
sp_expr at2(bench *b, sp_sym s, sp_expr i, sp_expr j);
sp_expr at3(bench *b, sp_sym s, sp_expr i, sp_expr j, sp_expr k);
sp_expr sum1(bench *b, sp_expr k, sp_expr body);

#define YES(x) CU_ASSERT_EQUAL((x), SP_PROVED)
#define NO(x) CU_ASSERT_EQUAL((x), SP_REFUTED)

/* static void name(void) that runs body. */
#define BENCH_TEST(name, body)                                                 \
  static void name(void) {                                                     \
    bench_run(body);                                                           \
  }

#endif
