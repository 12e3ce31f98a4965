/* init_i.h: shared by init.c (what is in the spec), init_mesh.c (mesh and file
 * names) and init_ranges.c (what integers index). */
#ifndef SP_SPECS_INIT_I_H
#define SP_SPECS_INIT_I_H

#include "base/vec.h"
#include "graph/program.h"

enum { SPI_INIT_AXES = 4 };

/* The numbers in the file names of ranks as coordinates of a mesh. */
typedef struct spi_mesh {
  uint32_t n_axes;
  const char *axis[SPI_INIT_AXES];
  int64_t size[SPI_INIT_AXES];
  int64_t ranks;
  const char *pattern;      /* "rank{tp}.py" */
  const char *const *files; /* by rank */
  const char *question;     /* what is not sure of it, or NULL */
} spi_mesh;

/* Raises SP_ERR_USAGE where the numbers are not those of a whole mesh. */
spi_mesh spi_mesh_of(sp_ctx *ctx, uint32_t n, const char *const *files);

/* The path, seen from the folder. */
const char *spi_relative(sp_ctx *ctx, const char *folder, const char *path);

/* The size of the table that the values of an integer input index, or 0; and a
 * value outside of it that they may have (labels that a loss leaves out). */
typedef struct spi_looked_up {
  int64_t size, ignored;
  bool ignores;
} spi_looked_up;

spi_looked_up spi_lookup_of(sp_ctx *ctx, const sp_program *p, uint32_t input);

#endif
