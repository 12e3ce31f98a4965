/* ready_made.h: the files of operator meanings that are part of the program:
 * shard-specs/NAME.yaml, embedded by CMake (cmake/Generate.cmake). */
#ifndef SP_SPECS_READY_MADE_H
#define SP_SPECS_READY_MADE_H

#include <stddef.h>

typedef struct sp_ready_made {
  const char *name; /* "shard-specs/apex.yaml" */
  const char *text;
  size_t n;
} sp_ready_made;

extern const sp_ready_made sp_ready_made_files[]; /* name NULL at the end */

#endif
