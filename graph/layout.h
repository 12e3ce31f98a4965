/* layout.h: how a distributed tensor is cut from a sequential one.
 *
 * CONTRACT. The meeting point of all notations: HLO shardings, PyTorch
 * placements and spec files become layouts, and the prover knows nothing else.
 * Along each dimension the local tensor of a rank is a list of runs, each a
 * run of consecutive indices of the sequential tensor; run sizes are the same
 * on all ranks, where a run starts depends on the rank. So Replicate is one run
 * from 0, Shard(d) one run from r * size, zig-zag and fused QKV are several.
 * Indices at or beyond the sequential tensor's size are padding: unspecified.
 */
#ifndef SP_GRAPH_LAYOUT_H
#define SP_GRAPH_LAYOUT_H

#include "graph/program.h"

typedef struct sp_run {
  int64_t size;         /* local indices covered */
  const int64_t *start; /* by rank: first sequential index */
} sp_run;

typedef struct sp_layout_dim {
  uint32_t n_runs;
  const sp_run *runs; /* sizes add up to the local dimension */
} sp_layout_dim;

/* The reduction over ranks that gives the sequential value. */
typedef enum sp_partial {
  SP_PARTIAL_NONE,
  SP_PARTIAL_SUM,
  SP_PARTIAL_AVG,
  SP_PARTIAL_MAX,
  SP_PARTIAL_MIN,
  SP_PARTIAL_PROD,
} sp_partial;

typedef struct sp_layout {
  int64_t ranks;
  uint32_t n_dims;
  const sp_layout_dim *dims;
  sp_partial partial;
  const sp_groups *groups; /* partial: the ranks that are reduced together */
  const char *text;        /* as users write it: "Shard(0) in 4", "Replicate" */
} sp_layout;

/* The layout that an HLO sharding means for a tensor of this global shape on so
 * many ranks; sharding NULL: replicated. Raises SP_ERR_INPUT where local is
 * not the shape of a shard. NULL where the sharding says nothing that can be
 * used (manual, unknown, partial sums); *why then says so. */
const sp_layout *sp_layout_of_sharding(sp_ctx *ctx, const sp_sharding *sharding,
                                       const sp_shape *global,
                                       const sp_shape *local, int64_t ranks,
                                       sp_loc loc, const char *name,
                                       const char **why);
/* Blocks of equal size and no padding: the number of the rank's block, in
 * row-major order. */
int64_t sp_layout_tile(const sp_layout *l, const sp_shape *global,
                       int64_t rank);
/* The first rank of every block, and how many blocks there are; NULL where
 * blocks are not of one size, are padded, or have no rank. */
const int64_t *sp_layout_owners(sp_ctx *ctx, const sp_layout *l,
                                const sp_shape *global, int64_t *n);

#endif
