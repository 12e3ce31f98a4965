/* spec.h: a spec file as plain data (docs/specs.md is the format).
 *
 * CONTRACT. sp_spec_read_file turns YAML into an sp_spec and checks all that
 * can be checked without the programs: keys, placements, axes, groups,
 * formulas. Every error is SP_ERR_INPUT with line, column and a hint. Every
 * entry keeps its place, so that errors found later (shard-specs/problem.h)
 * can point at it. Nothing is opened but the spec and the files of operator
 * meanings that it includes.
 */
#ifndef SP_SPECS_SPEC_H
#define SP_SPECS_SPEC_H

#include "encode/expr.h"
#include "encode/meaning.h"
#include "graph/layout.h"
#include "shard-specs/yaml.h"

enum { SP_SPEC_RANKS = 65536 };

typedef struct sp_spec_axis {
  const char *name;
  int64_t size;
  sp_loc loc;
} sp_spec_axis;

/* How one mesh axis cuts a tensor. */
typedef enum sp_placement_kind {
  SP_PLACE_REPLICATE,
  SP_PLACE_SHARD,    /* dim in equal chunks; pieces 0: as many as ranks */
  SP_PLACE_TAKE,     /* dim in `pieces` parts, those of `parts` joined */
  SP_PLACE_SECTIONS, /* dim in sections, each cut by its own placement */
  SP_PLACE_PARTIAL,
} sp_placement_kind;

typedef struct sp_placement sp_placement;
struct sp_placement {
  sp_placement_kind kind;
  sp_loc loc;
  const char *text; /* as written */
  int64_t dim, pieces;
  uint32_t n;
  const sp_lang *const *parts;
  const int64_t *sections;
  const sp_placement *const *each;
  sp_partial partial;
};

/* One entry of inputs, outputs, cuts, uninitialised. */
typedef struct sp_spec_place {
  const char *name; /* of the sequential program; '*' is a wildcard */
  sp_loc loc;
  const char *as; /* the distributed program's name, or NULL: the same */
  sp_loc as_loc;
  const sp_placement *const *axes; /* by axis; NULL: Replicate */
  uint32_t n_concat; /* the sequential tensor is these, joined along dim */
  const char *const *concat;
  int64_t dim;
  uint32_t n_vars; /* an index formula instead: [vars] -> [index] */
  const sp_lang_var *vars;
  uint32_t n_index;
  const sp_lang *const *index; /* NULL: none */
} sp_spec_place;

typedef struct sp_spec_places {
  sp_loc loc; /* of the key */
  size_t n;
  const sp_spec_place *v;
} sp_spec_places;

typedef struct sp_spec_group {
  const char *name;
  sp_loc loc;
  enum { SP_GROUP_SELF, SP_GROUP_AXES, SP_GROUP_RANKS } kind;
  uint32_t n; /* axes, in order */
  const uint32_t *axes;
  sp_groups ranks;
} sp_spec_group;

typedef struct sp_spec_range {
  const char *name; /* may have wildcards */
  sp_loc loc;
  uint32_t n; /* at least one of the parts holds an element */
  const sp_stretch *parts;
  const sp_loc *locs; /* of the parts */
} sp_spec_range;

typedef struct sp_spec_constant {
  const char *name;
  sp_loc loc;
  int64_t rank; /* -1: all of the side */
  bool has_shape;
  sp_shape shape; /* dtype INVALID: not said */
  uint32_t n;     /* values; 1 for all elements alike */
  const double *f;
  const int64_t *i; /* NULL when one is no integer */
} sp_spec_constant;

typedef struct sp_spec_side {
  const char *path; /* as written */
  sp_loc loc;
  size_t n_groups, n_constants;
  const sp_spec_group *groups;
  const sp_spec_constant *constants;
} sp_spec_side;

typedef struct sp_spec {
  const char *file;
  sp_loc mesh_loc;
  uint32_t n_axes;
  const sp_spec_axis *axes;
  int64_t ranks;
  sp_spec_side sequential, distributed;
  sp_spec_places inputs, outputs, cuts, uninitialised;
  size_t n_ranges, n_operators;
  const sp_spec_range *ranges;
  const sp_meaning *const *operators; /* its own and included ones */
  bool dropout_identity;
} sp_spec;

const sp_spec *sp_spec_read_file(sp_ctx *ctx, const char *path);
const sp_spec *sp_spec_read_text(sp_ctx *ctx, const char *file,
                                 const char *text, size_t n);

/* Position along an axis of a rank; the last axis varies fastest. */
int64_t sp_spec_coordinate(const sp_spec *spec, uint32_t axis, int64_t rank);

/* Meanings that come with the program (shard-specs/NAME.yaml), or NULL. */
const sp_meaning *sp_spec_ready_made(sp_ctx *ctx, const char *op);

#endif
