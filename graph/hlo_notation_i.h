/* hlo_notation_i.h: what hlo_notation.c, hlo_groups.c and hlo_notation_text.c
 * share. Nobody else includes it. */
#ifndef SP_GRAPH_HLO_NOTATION_I_H
#define SP_GRAPH_HLO_NOTATION_I_H

#include "base/vec.h"
#include "graph/hlo_notation.h"

/* Dimensions of a device array; tensor dimensions plus a few trailing ones. */
#define HLO_MAX_AXES (SP_MAX_DIMS + 8)

typedef struct hlo_slot {
  const char *key; /* interned */
  const void *value;
} hlo_slot;

struct hlo_notation {
  int64_t partitions;
  size_t n, cap; /* open addressing */
  hlo_slot *slots;
};

const void *spi_notation_get(const hlo_notation *nt, const char *key);
void spi_notation_put(sp_ctx *ctx, hlo_notation *nt, const char *key,
                      const void *value);

/* The product of sizes >= 1, at most HLO_MAX_DEVICES. */
int64_t spi_device_product(sp_ctx *ctx, uint32_t n, const int64_t *dims,
                           const char *what, sp_loc loc);
const int64_t *spi_devices_iota(sp_ctx *ctx, const hlo_iota *iota, int64_t want,
                                sp_loc loc);
/* In range of limit (0: HLO_MAX_DEVICES), none twice. */
void spi_devices_check(sp_ctx *ctx, size_t n, const int64_t *ids, int64_t limit,
                       sp_loc loc);

/* A mesh whose axes are cut where a sub-axis begins or ends. */
typedef struct hlo_pieces {
  uint32_t n;
  int64_t size[HLO_MAX_AXES];
  uint32_t axis[HLO_MAX_AXES];
  int64_t pre[HLO_MAX_AXES]; /* product of the axis's pieces before it */
  bool used[HLO_MAX_AXES];
  int64_t total;
  const int64_t *devices;
} hlo_pieces;

void spi_mesh_cut(sp_ctx *ctx, const hlo_notation *nt, const hlo_mesh *mesh,
                  const hlo_axes *lists, uint32_t n_lists, hlo_pieces *out,
                  sp_loc loc);
/* Append the pieces that the references name to order; returns the product
 * of their sizes. A piece taken before is an error. */
int64_t spi_mesh_take(sp_ctx *ctx, const hlo_mesh *mesh, hlo_pieces *p,
                      const hlo_axes *axes, uint32_t *order, uint32_t *at,
                      sp_loc loc);
/* The same with all pieces not taken yet, in mesh order. */
int64_t spi_mesh_rest(hlo_pieces *p, uint32_t *order, uint32_t *at);
void spi_mesh_devices(const hlo_pieces *p, const uint32_t *order, int64_t *out);

/* The notation as text; different input, different text. */
const char *spi_text_tiles(sp_ctx *ctx, const hlo_tiles *t);
const char *spi_text_named(sp_ctx *ctx, const hlo_named *nm);
void spi_text_iota(sp_ctx *ctx, sp_str *s, const hlo_iota *iota);
void spi_text_mesh(sp_ctx *ctx, sp_str *s, const hlo_mesh *mesh);
void spi_text_axes(sp_ctx *ctx, sp_str *s, const hlo_mesh *mesh,
                   const hlo_axes *axes);

#endif
