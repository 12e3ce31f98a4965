/* test_obligation_memory.c: what the solver remembers, how it fails, and what
 * it writes.
 */
#define _POSIX_C_SOURCE 200809L

#include "encode/z3.h"
#include "tests/support_prove.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void suite_obligation_memory(void);

/* x[i*width + j] = x'[k], given k = i*width + j + off: a template for renaming
 * and for differences. */
static sp_answer sample(bench *b, const char *name, int64_t extent,
                        int64_t width, int64_t off) {
  sp_pool *p = b->p;
  sp_sym x = tensor(b, name, SP_SORT_REAL, 1, 4096);
  sp_expr i = index_var(b, extent), j = index_var(b, 16), k = index_var(b, 256);
  sp_expr at = sp_iadd(p, sp_iscale(p, i, width), j);
  sp_expr hyp = sp_eq(p, k, sp_iaddc(p, at, off));
  return implies(b, hyp, sp_eq(p, at1(b, x, at), at1(b, x, k)));
}

static void renamed_obligations_are_remembered(bench *b) {
  YES(sample(b, "x", 16, 16, 0));
  CU_ASSERT_EQUAL(hits(b), 0);
  for (int n = 0; n < 10; n++) {
    /* other ages of the terms, so other orders in the pool */
    for (int m = 0; m < n; m++)
      index_var(b, 3);
    YES(sample(b, "layer", 16, 16, 0));
  }
  CU_ASSERT_EQUAL(hits(b), 10);
  NO(sample(b, "x", 16, 16, 1));
  CU_ASSERT_EQUAL(hits(b), 10);
  NO(sample(b, "z", 16, 16, 1));
  CU_ASSERT_EQUAL(hits(b), 11);
  CU_ASSERT_EQUAL(sp_solver_statistics(b->s)->distinct, 2);
  CU_ASSERT_EQUAL(sp_solver_statistics(b->s)->asked, 13);
  CU_ASSERT_EQUAL(sp_solver_statistics(b->s)->proved, 11);
  CU_ASSERT_EQUAL(sp_solver_statistics(b->s)->refuted, 2);
}

static void differences_are_not_remembered(bench *b) {
  sp_pool *p = b->p;
  YES(sample(b, "x", 16, 16, 0));
  YES(sample(b, "x", 17, 16, 0)); /* extent */
  YES(sample(b, "x", 16, 15, 0)); /* constant */
  CU_ASSERT_EQUAL(hits(b), 0);
  /* range */
  for (int64_t hi = 98; hi <= 100; hi++) {
    sp_sym ids = tensor(b, "ids", SP_SORT_INT, 1, 8);
    sp_sym_set_range(p, ids, 0, hi);
    sp_expr goal = sp_lt(p, at1(b, ids, index_var(b, 8)), sp_int(p, 100));
    CU_ASSERT_EQUAL(prove(b, goal), hi < 100 ? SP_PROVED : SP_REFUTED);
  }
  CU_ASSERT_EQUAL(hits(b), 0);
  /* sort */
  sp_sym real = tensor(b, "r", SP_SORT_REAL, 1, 8);
  sp_sym whole = tensor(b, "w", SP_SORT_INT, 1, 8);
  sp_expr i = index_var(b, 8), j = index_var(b, 8), same = sp_eq(p, i, j);
  YES(implies(b, same, sp_eq(p, at1(b, real, i), at1(b, real, j))));
  YES(implies(b, same, sp_eq(p, at1(b, whole, i), at1(b, whole, j))));
  CU_ASSERT_EQUAL(hits(b), 0);
  /* table content */
  for (int64_t last = 7; last <= 8; last++) {
    int64_t values[4] = {3, 9, 1, last}, n = 4;
    sp_sym t = sp_sym_table_int(p, SP_SORT_INT, 1, &n, values);
    sp_expr e = at1(b, t, index_var(b, 4));
    CU_ASSERT_EQUAL(prove(b, sp_eq(p, sp_imod(p, e, 2), sp_int(p, 1))),
                    last == 7 ? SP_PROVED : SP_REFUTED);
  }
  CU_ASSERT_EQUAL(hits(b), 0);
  /* the same atoms with other variables: i, j, i against i, j, j */
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 2, 8);
  NO(prove(b, sp_eq(p, at2(b, x, i, j), at2(b, x, i, i))));
  NO(prove(b, sp_eq(p, at2(b, x, i, j), at2(b, x, j, j))));
  NO(prove(b, sp_eq(p, at2(b, x, i, j), at2(b, x, j, i))));
  CU_ASSERT_EQUAL(hits(b), 0);
}

/* A formula p(c) with these sorts and this number; returns its key's hash. */
static uint64_t key_of(sp_formula *f, sp_sort of, sp_sort result,
                       uint32_t depth, int64_t number, bool twice) {
  sp_formula_clear(f);
  sp_smt_sort arg = {of, depth}, out = {result, 0};
  uint32_t c = sp_smt_declare(f, "c", arg, 0, NULL);
  uint32_t p = sp_smt_declare(f, "p", out, 1, &arg);
  sp_smt t = sp_smt_app(f, c, 0, NULL);
  t = sp_smt_app(f, p, 1, &t);
  sp_smt_assert(f, sp_smt_2(f, SP_SMT_EQ, t, sp_smt_int(f, number)));
  if (twice)
    sp_smt_assert(f, sp_smt_bool(f, false));
  size_t n;
  uint64_t h = 1;
  const uint32_t *key = sp_formula_key(f, &n);
  for (size_t i = 0; i < n; i++)
    h = (h ^ key[i]) * 0x9e3779b97f4a7c15u;
  return h;
}

static void keys_tell_formulas_apart(bench *b) {
  sp_formula *f = sp_formula_new(b->ctx);
  uint64_t keys[] = {
      key_of(f, SP_SORT_INT, SP_SORT_INT, 0, 1, false),
      key_of(f, SP_SORT_INT, SP_SORT_REAL, 0, 1, false),
      key_of(f, SP_SORT_REAL, SP_SORT_INT, 0, 1, false),
      key_of(f, SP_SORT_INT, SP_SORT_INT, 1, 1, false),
      key_of(f, SP_SORT_INT, SP_SORT_INT, 0, 2, false),
      key_of(f, SP_SORT_INT, SP_SORT_INT, 0, 1 + ((int64_t)1 << 32), false),
      key_of(f, SP_SORT_INT, SP_SORT_INT, 0, 1, true),
  };
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    for (size_t j = 0; j < i; j++)
      CU_ASSERT_NOT_EQUAL(keys[i], keys[j]);
  CU_ASSERT_EQUAL(keys[0], key_of(f, SP_SORT_INT, SP_SORT_INT, 0, 1, false));
}

static void order_of_age_does_not_matter(bench *b) {
  sp_pool *p = b->p;
  for (int turn = 0; turn < 2; turn++) {
    sp_sym w = tensor(b, "w", SP_SORT_REAL, 2, 64);
    sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 32);
    sp_expr i = index_var(b, 16), j = index_var(b, 32);
    sp_expr first = turn == 0 ? at2(b, w, i, j) : at1(b, x, j);
    sp_expr second = turn == 0 ? at1(b, x, j) : at2(b, w, i, j);
    sp_expr product = sp_mul(p, first, second);
    sp_expr goal = sp_eq(p, sp_add(p, product, first), product);
    if (turn == 1)
      goal = sp_eq(p, sp_add(p, product, second), product);
    NO(prove(b, goal));
  }
  CU_ASSERT_EQUAL(hits(b), 1);
}

static void without_a_cache_z3_is_asked_again(bench *b) {
  YES(sample(b, "x", 16, 16, 0));
  YES(sample(b, "y", 16, 16, 0));
  CU_ASSERT_EQUAL(hits(b), 0);
  CU_ASSERT_EQUAL(sp_solver_statistics(b->s)->distinct, 1);
}

static void work_for_what_fails_is_counted(bench *b) {
  const sp_solver_stats *z = sp_solver_statistics(b->s);
  YES(sample(b, "x", 16, 16, 0));
  CU_ASSERT_EQUAL(z->steps_failed, 0);
  NO(sample(b, "x", 16, 16, 1));
  uint64_t steps = z->steps_failed;
  CU_ASSERT(steps > 0);
  CU_ASSERT_EQUAL(z->failed, 1);
  NO(sample(b, "y", 16, 16, 1)); /* remembered */
  YES(sample(b, "x", 17, 16, 0));
  CU_ASSERT_EQUAL(z->steps_failed, steps);
}

/* ---- trouble ---- */

/* A pigeonhole problem that is hard for any solver like Z3. */
static sp_expr pigeons(bench *b, int64_t n) {
  sp_pool *p = b->p;
  sp_expr apart = sp_bool(p, true);
  sp_expr v[16];
  for (int64_t i = 0; i <= n; i++) {
    v[i] = index_var(b, n);
    for (int64_t j = 0; j < i; j++)
      apart = sp_and(p, apart, sp_not(p, sp_eq(p, v[i], v[j])));
  }
  return sp_not(p, apart);
}

static void a_timeout_is_unknown(bench *b) {
  CU_ASSERT_EQUAL(prove(b, pigeons(b, 12)), SP_UNKNOWN);
  CU_ASSERT_STRING_EQUAL(sp_solver_trouble(b->s), "timeout");
  CU_ASSERT_EQUAL(prove(b, pigeons(b, 12)), SP_UNKNOWN);
  CU_ASSERT_EQUAL(hits(b), 1);
  CU_ASSERT_STRING_EQUAL(sp_solver_trouble(b->s), "timeout");
  /* and the solver works on */
  YES(prove(b, pigeons(b, 3)));
  CU_ASSERT_STRING_EQUAL(sp_solver_trouble(b->s), "");
  CU_ASSERT_EQUAL(sp_solver_statistics(b->s)->unknown, 2);
}

static void errors_of_z3_are_unknown(bench *b) {
  sp_z3 *z = sp_z3_new(b->ctx, 1000);
  sp_formula *f = sp_formula_new(b->ctx);
  sp_smt_sort array = {SP_SORT_REAL, 1};
  uint32_t x = sp_smt_declare(f, "t", array, 0, NULL);
  sp_smt t = sp_smt_app(f, x, 0, NULL);
  sp_smt_assert(f, sp_smt_2(f, SP_SMT_EQ, t, sp_smt_int(f, 1)));
  CU_ASSERT_EQUAL(sp_z3_check(z, f), SP_Z3_UNKNOWN);
  CU_ASSERT(strncmp(sp_z3_trouble(z), "Z3: ", 4) == 0);
  sp_formula_clear(f);
  sp_smt_assert(f, sp_smt_int(f, 1));
  CU_ASSERT_EQUAL(sp_z3_check(z, f), SP_Z3_UNKNOWN);
  sp_formula_clear(f);
  sp_smt_assert(f, sp_smt_real(f, "not a number"));
  CU_ASSERT_EQUAL(sp_z3_check(z, f), SP_Z3_UNKNOWN);
  sp_formula_clear(f);
  array.depth = 1000;
  sp_smt_declare(f, "t", array, 0, NULL);
  sp_smt_assert(f, sp_smt_bool(f, false));
  CU_ASSERT_EQUAL(sp_z3_check(z, f), SP_Z3_UNKNOWN);
  /* and it works on */
  sp_formula_clear(f);
  sp_smt_assert(f, sp_smt_bool(f, false));
  CU_ASSERT_EQUAL(sp_z3_check(z, f), SP_Z3_UNSAT);
  CU_ASSERT_STRING_EQUAL(sp_z3_trouble(z), "");
  sp_formula_clear(f);
  sp_smt_assert(f, sp_smt_bool(f, true));
  CU_ASSERT_EQUAL(sp_z3_check(z, f), SP_Z3_SAT);
}

/* ---- SMT-LIB ---- */

typedef struct folder {
  char path[64];
  int files, proved, parts;
  bool clean; /* no line but comments holds the hostile name */
} folder;

static void look_at_file(folder *d, const char *name) {
  char path[512], line[4096];
  snprintf(path, sizeof path, "%s/%s", d->path, name);
  FILE *f = fopen(path, "r");
  if (f == NULL)
    return;
  d->files++;
  d->parts += strstr(name, ".part") != NULL;
  while (fgets(line, sizeof line, f) != NULL) {
    d->proved += strstr(line, ":status unsat") != NULL;
    if (line[0] != ';' && strstr(line, "evil") != NULL)
      d->clean = false;
  }
  fclose(f);
  remove(path);
}

static void look_at_folder(folder *d) {
  d->clean = true;
  DIR *dir = opendir(d->path);
  if (dir == NULL)
    return;
  for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir))
    if (e->d_name[0] != '.')
      look_at_file(d, e->d_name);
  closedir(dir);
  rmdir(d->path);
}

static void dump_some(bench *b) {
  sp_pool *p = b->p;
  YES(sample(b, "x", 16, 16, 0));
  NO(sample(b, "x", 16, 16, 1));
  sp_sym x = tensor(b, "x\n(assert evil)", SP_SORT_REAL, 1, 8);
  sp_expr i = sp_var(p, SP_VAR_INDEX, "i\n(evil)", 8);
  sp_expr goal = sp_eq(p, at1(b, x, i), at1(b, x, sp_int(p, 0)));
  NO(sp_prove(b->s, "../Re-index:\nevil/..", "a\n(evil)", 0, NULL, goal));
  NO(sp_prove(b->s, "again", "", 0, NULL, goal));
}

static void each_distinct_obligation_is_written_once(void) {
  folder d = {.path = "/tmp/sp-obligation-XXXXXX"};
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(d.path));
  rmdir(d.path); /* it is made */
  sp_solver_options o = {.timeout_ms = 10000, .smt2_dir = d.path};
  CU_ASSERT_EQUAL(bench_run_with(dump_some, o), SP_OK);
  look_at_folder(&d);
  CU_ASSERT_EQUAL(d.files, 3);
  CU_ASSERT_EQUAL(d.proved, 1);
  CU_ASSERT_EQUAL(d.parts, 0);
  CU_ASSERT(d.clean);
}

static void a_folder_that_cannot_be_written_is_an_error(void) {
  sp_solver_options o = {.timeout_ms = 10000, .smt2_dir = "/dev/null/x"};
  CU_ASSERT_EQUAL(bench_run_with(dump_some, o), SP_ERR_INPUT);
}

/* ---- the suite ---- */

BENCH_TEST(test_renamed, renamed_obligations_are_remembered)
BENCH_TEST(test_differences, differences_are_not_remembered)
BENCH_TEST(test_keys, keys_tell_formulas_apart)
BENCH_TEST(test_age, order_of_age_does_not_matter)
BENCH_TEST(test_work, work_for_what_fails_is_counted)
BENCH_TEST(test_errors, errors_of_z3_are_unknown)

static void test_no_cache(void) {
  sp_solver_options o = {.timeout_ms = 10000, .no_cache = true};
  CU_ASSERT_EQUAL(bench_run_with(without_a_cache_z3_is_asked_again, o), SP_OK);
}

static void test_timeout(void) {
  sp_solver_options o = {.timeout_ms = 50};
  CU_ASSERT_EQUAL(bench_run_with(a_timeout_is_unknown, o), SP_OK);
}

void suite_obligation_memory(void) {
  CU_pSuite s = CU_add_suite("obligation_memory", NULL, NULL);
  CU_add_test(s, "renamed_obligations_are_remembered", test_renamed);
  CU_add_test(s, "differences_are_not_remembered", test_differences);
  CU_add_test(s, "keys_tell_formulas_apart", test_keys);
  CU_add_test(s, "order_of_age_does_not_matter", test_age);
  CU_add_test(s, "work_for_what_fails_is_counted", test_work);
  CU_add_test(s, "without_a_cache_z3_is_asked_again", test_no_cache);
  CU_add_test(s, "a_timeout_is_unknown", test_timeout);
  CU_add_test(s, "errors_of_z3_are_unknown", test_errors);
  CU_add_test(s, "each_distinct_obligation_is_written_once",
              each_distinct_obligation_is_written_once);
  CU_add_test(s, "a_folder_that_cannot_be_written_is_an_error",
              a_folder_that_cannot_be_written_is_an_error);
}
