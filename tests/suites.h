/* suites.h: the list of unit test suites, which CMake generates.
 *
 * CONTRACT. tests/test_NAME.c defines `void suite_NAME(void)`, which adds one
 * CUnit suite with CU_add_suite and CU_add_test. Nothing else is needed for a
 * new suite to run, under ctest as unit.NAME.
 */
#ifndef SP_TESTS_SUITES_H
#define SP_TESTS_SUITES_H

typedef struct test_suite {
  const char *name;
  void (*add)(void);
} test_suite;

extern const test_suite test_suites[]; /* name NULL at the end */

/* The project's folder: SHARDPROOF_SOURCE, else what the tests were built
 * from. Tests run in any directory. */
const char *test_source(void);

#endif
