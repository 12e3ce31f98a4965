/* main.c: runs unit test suites: `shardproof_tests [SUITE]...`.
 *
 * Fails when a test fails, and also when a suite is unknown or no test ran:
 * a run of nothing must not look like success.
 */
#define _XOPEN_SOURCE 700 /* setrlimit */
#include "tests/suites.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* A test that runs away must fail, not take the machine with it. Sanitizers
 * reserve terabytes of address space; tests/CMakeLists.txt limits them. */
static void limit_memory(void) {
#ifndef __SANITIZE_ADDRESS__
  const struct rlimit limit = {(rlim_t)4 << 30, (rlim_t)4 << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

const char *test_source(void) {
  const char *folder = getenv("SHARDPROOF_SOURCE");
  return folder ? folder : TEST_SOURCE;
}

static int add_suite(const char *name) {
  for (const test_suite *s = test_suites; s->name; s++) {
    if (strcmp(s->name, name) == 0) {
      s->add();
      return 0;
    }
  }
  fprintf(stderr, "shardproof_tests: no suite \"%s\"; there are:", name);
  for (const test_suite *s = test_suites; s->name; s++) {
    fprintf(stderr, " %s", s->name);
  }
  fprintf(stderr, "\n");
  return 1;
}

static int add_suites(int argc, char **argv) {
  if (argc < 2) {
    for (const test_suite *s = test_suites; s->name; s++) {
      s->add();
    }
    return 0;
  }
  for (int i = 1; i < argc; i++) {
    if (add_suite(argv[i])) {
      return 1;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  limit_memory();
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (CU_initialize_registry() != CUE_SUCCESS) {
    fprintf(stderr, "shardproof_tests: %s\n", CU_get_error_msg());
    return EXIT_FAILURE;
  }
  int bad = add_suites(argc, argv);
  if (!bad) {
    CU_basic_set_mode(CU_BRM_VERBOSE);
    bad = CU_basic_run_tests() != CUE_SUCCESS;
    unsigned ran = CU_get_number_of_tests_run();
    if (ran == 0) {
      fprintf(stderr, "shardproof_tests: no test ran\n");
    }
    bad = bad || ran == 0 || CU_get_number_of_failures() > 0 ||
          CU_get_number_of_suites_failed() > 0 ||
          CU_get_number_of_tests_failed() > 0;
  }
  CU_cleanup_registry();
  return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
