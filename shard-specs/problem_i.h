/* problem_i.h: shared by the steps from a spec to a problem: ranks.c loads the
 * programs, relate.c says how their tensors belong together, problem.c cuts
 * them and puts the problem together. */
#ifndef SP_SHARD_SPECS_PROBLEM_I_H
#define SP_SHARD_SPECS_PROBLEM_I_H

#include "shard-specs/names.h"
#include "shard-specs/problem.h"

typedef struct spi_side {
  const sp_program *program; /* before it is cut */
  bool *given;               /* by tensor */
  const sp_program *cut;
  const uint32_t *to; /* old tensor -> cut one */
} spi_side;

/* Where names are looked up: a program as its file has it. */
typedef struct spi_source {
  const sp_program *program;
  sp_names names;
  int64_t rank;       /* of the ranks that were merged; -1: of all */
  const uint32_t *to; /* its tensors in the side's program; NULL: the same */
} spi_source;

typedef SP_VEC(sp_placed) spi_placed_list;

typedef struct spi_relating {
  sp_ctx *ctx;
  const sp_spec *spec;
  spi_side seq, dist;
  spi_source seq_source;
  size_t n_sources; /* of the distributed side: 1, or each rank by itself */
  spi_source *sources;
  spi_placed_list given, promised; /* tensors before cutting */
  SP_VEC(sp_range_given) ranges;
  sp_spec_notes notes;
} spi_relating;

/* ---- ranks.c ---- */
void spi_load_sequential(spi_relating *x);
void spi_load_distributed(spi_relating *x);

/* ---- relate.c ---- */
typedef enum spi_entry { SPI_INPUT, SPI_INNER, SPI_OUTPUT } spi_entry;
void spi_relate_all(spi_relating *x, spi_entry kind,
                    const sp_spec_places *list);
bool spi_is_param(const sp_program *p, uint32_t tensor);
noreturn void spi_unknown_name(const spi_relating *x, sp_loc loc,
                               const spi_source *s, const char *name,
                               const char *what);

#endif
