/* support_dumps.h: for tests over the large set of cases: which dumps there
 * are, and their bytes.
 *
 * The set is found through the environment variable SHARDPROOF_CASES (CMake
 * sets it); a test that finds none says so and passes. Everything is malloc'd
 * and freed by dump_list_free and the caller of file_bytes.
 */
#ifndef SP_TESTS_SUPPORT_DUMPS_H
#define SP_TESTS_SUPPORT_DUMPS_H

#include <stddef.h>
#include <stdint.h>

typedef struct dump_list {
  size_t n;
  char **paths; /* sorted */
} dump_list;

/* All files under $SHARDPROOF_CASES/xla whose names end in `end`. */
dump_list dump_list_find(const char *end);
/* The same under another folder of $SHARDPROOF_CASES. */
dump_list dump_list_find_in(const char *folder, const char *end);
void dump_list_free(dump_list *l);

/* The file's bytes with a zero after them, or NULL. */
uint8_t *file_bytes(const char *path, size_t *n);

/* Set and not "0". */
int long_mode(void);

#endif
