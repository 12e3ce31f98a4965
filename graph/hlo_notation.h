/* hlo_notation.h: shardings and device groups of HLO, from any notation to
 * the explicit forms of graph/program.h. Inside graph/ only.
 *
 * CONTRACT. The text and the proto reader both take a notation apart into the
 * plain structs below (numbers as they stand in the dump, nothing checked),
 * and call a builder. The builders check everything: sizes, products, each
 * device at most once and in range; a bad one is SP_ERR_INPUT at `loc`. Equal
 * input gives the same pointer, so a thousand equal annotations over 8192
 * devices cost one. The structs may be on the caller's stack.
 *
 * Shardings name partitions. Groups are RAW: what their ids mean (replicas or
 * partitions) depends on other attributes of the instruction, and the
 * lowering resolves it (hlo_groups_resolve), empty lists included.
 */
#ifndef SP_GRAPH_HLO_NOTATION_H
#define SP_GRAPH_HLO_NOTATION_H

#include "graph/program.h"

#define HLO_MAX_DEVICES 65536

typedef struct hlo_notation hlo_notation;

/* partitions: as the module says; 0 when it does not. */
hlo_notation *hlo_notation_new(sp_ctx *ctx, int64_t partitions);

/* The order "<=[reshape]T(perm)": iota over reshape, transposed by perm. */
typedef struct hlo_iota {
  uint32_t n_reshape;
  const int64_t *reshape;
  uint32_t n_perm; /* 0 = not transposed */
  const int64_t *perm;
} hlo_iota;

/* What the trailing dimensions of a tile list stand for. */
typedef enum hlo_tile_kind {
  HLO_TILE_REPLICATED,
  HLO_TILE_MANUAL,
  HLO_TILE_UNREDUCED,
  HLO_TILE_OTHER, /* anything else: the sharding becomes UNKNOWN */
} hlo_tile_kind;

/* {devices=[tiles]<=[..]T(..) last_tile_dims={..}} or an explicit list.
 * last_tile_dim_replicate is one trailing HLO_TILE_REPLICATED. */
typedef struct hlo_tiles {
  uint32_t n_tiles; /* all of them, the trailing ones included */
  const int64_t *tiles;
  uint32_t n_last;
  const hlo_tile_kind *last;
  bool has_iota; /* else devices */
  hlo_iota iota;
  size_t n_devices;
  const int64_t *devices;
} hlo_tiles;

/* mesh['x'=2,'y'=4], device_ids=(..). No axes and no device_ids: mesh[].
 * No axes and one device_id: the maximal mesh. */
typedef struct hlo_axis {
  const char *name; /* for messages; NULL is fine */
  int64_t size;
} hlo_axis;

typedef struct hlo_mesh {
  uint32_t n_axes;
  const hlo_axis *axes;
  bool has_iota;
  hlo_iota iota;
  size_t n_device_ids; /* 0 and !has_iota: row-major order */
  const int64_t *device_ids;
} hlo_mesh;

/* 'x' or the sub-axis 'x':(pre_size)size. */
typedef struct hlo_axis_ref {
  int64_t axis; /* position in the mesh */
  bool is_sub;
  int64_t pre_size, size; /* when is_sub */
} hlo_axis_ref;

typedef struct hlo_axes {
  uint32_t n;
  const hlo_axis_ref *v; /* major first */
} hlo_axes;

typedef struct hlo_named {
  const hlo_mesh *mesh;
  uint32_t n_dims; /* tensor dimensions listed */
  const hlo_axes *dims;
  hlo_axes replicated, unreduced, manual;
  bool odd_reduction; /* unreduced by something else than a sum */
} hlo_named;

/* text: the notation as the dump prints it, or NULL (the proto), then one is
 * made. An all-ones tiling that is not partial comes out as REPLICATED; one
 * that does not cover all partitions, or has manual sub-groups, as UNKNOWN. */
const sp_sharding *hlo_sharding_tiles(sp_ctx *ctx, hlo_notation *nt,
                                      const hlo_tiles *tiles, const char *text,
                                      sp_loc loc);
/* Every axis of the mesh manual and no dims: MANUAL. */
const sp_sharding *hlo_sharding_named(sp_ctx *ctx, hlo_notation *nt,
                                      const hlo_named *named, const char *text,
                                      sp_loc loc);
const sp_sharding *hlo_sharding_maximal(sp_ctx *ctx, hlo_notation *nt,
                                        int64_t device, const char *text,
                                        sp_loc loc);
/* REPLICATED, MANUAL or UNKNOWN. */
const sp_sharding *hlo_sharding_plain(sp_ctx *ctx, hlo_notation *nt,
                                      sp_sharding_kind kind, const char *text);

/* {{0,1},{2,3}}: group g is ids[start[g] .. start[g+1]); n_groups 0 is the
 * empty list. Ids may be repeated over groups only if the dump is wrong. */
const sp_groups *hlo_groups_lists(sp_ctx *ctx, hlo_notation *nt,
                                  uint32_t n_groups, const uint32_t *start,
                                  const int64_t *ids, sp_loc loc);
/* [n_groups,size]<=[..]T(..) */
const sp_groups *hlo_groups_iota(sp_ctx *ctx, hlo_notation *nt,
                                 int64_t n_groups, int64_t size,
                                 const hlo_iota *iota, sp_loc loc);
/* mesh[..] {'x','y'}: the axes vary in a group, the others number them. */
const sp_groups *hlo_groups_mesh(sp_ctx *ctx, hlo_notation *nt,
                                 const hlo_mesh *mesh, hlo_axes axes,
                                 sp_loc loc);

/* How a collective reads its groups (XLA: GetCollectiveOpGroupMode). */
typedef enum hlo_group_mode {
  HLO_GROUPS_REPLICAS,   /* ids are replicas, each partition on its own */
  HLO_GROUPS_PARTITIONS, /* ids are partitions, each replica on its own */
  HLO_GROUPS_BOTH,       /* ids are replicas; all their partitions together */
  HLO_GROUPS_FLAT,       /* ids are replica * partitions + partition */
} hlo_group_mode;

/* Groups of devices (partitions when there is one replica, replicas when
 * there is one partition) that cover each of them exactly once, or
 * SP_ERR_INPUT. raw may be NULL or empty: all together. */
const sp_groups *hlo_groups_resolve(sp_ctx *ctx, hlo_notation *nt,
                                    const sp_groups *raw, hlo_group_mode mode,
                                    int64_t replicas, int64_t partitions,
                                    sp_loc loc);

#endif
