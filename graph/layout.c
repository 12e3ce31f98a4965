/* layout.c: HLO shardings as layouts. */
#include "graph/layout.h"

#include "base/vec.h"

typedef struct cutter {
  sp_ctx *ctx;
  const sp_sharding *sharding;
  const sp_shape *global, *local;
  int64_t ranks;
  sp_loc loc;
  const char *name;
} cutter;

static const char *sharding_words(const cutter *c) {
  return c->sharding && c->sharding->text ? c->sharding->text : "replicated";
}

static noreturn void shapes_differ(const cutter *c) {
  sp_raise(c->ctx, SP_ERR_INPUT, c->loc,
           "take the dump right before the partitioner, after sharding "
           "propagation, and the one right after it",
           "%s is %s in the sequential program and %s in the partitioned one, "
           "which does not fit the sharding %s",
           c->name, sp_shape_text(c->ctx, c->global),
           sp_shape_text(c->ctx, c->local), sharding_words(c));
}

static noreturn void devices_differ(const cutter *c) {
  sp_raise(c->ctx, SP_ERR_INPUT, c->loc,
           "the two modules must come from one compilation",
           "the sharding %s of %s is for %lld devices, but the partitioned "
           "module has %lld partitions",
           sharding_words(c), c->name, (long long)c->sharding->n_devices,
           (long long)c->ranks);
}

/* Where each rank's block of dimension d starts. */
static const int64_t *block_starts(const cutter *c, uint32_t d, int64_t block) {
  const sp_sharding *s = c->sharding;
  int64_t *start = sp_alloc_n(c->ctx, (size_t)c->ranks, sizeof *start);
  int64_t below = 1; /* tiles of later dimensions */
  for (uint32_t k = d + 1; k < s->n_dims; k++) {
    below *= s->tiles[k];
  }
  for (int64_t i = 0; i < c->ranks; i++) {
    start[i] = -1;
  }
  for (int64_t i = 0; i < s->n_devices; i++) {
    int64_t device = s->devices[i];
    if (device < 0 || device >= c->ranks) {
      devices_differ(c);
    }
    start[device] = i / s->copies / below % s->tiles[d] * block;
  }
  for (int64_t i = 0; i < c->ranks; i++) {
    if (start[i] < 0) {
      devices_differ(c);
    }
  }
  return start;
}

static const char *placement_text(const cutter *c) {
  sp_str text = {0};
  for (uint32_t d = 0; c->sharding && d < c->sharding->n_dims; d++) {
    if (c->sharding->tiles[d] > 1) {
      sp_str_addf(c->ctx, &text, "%sShard(%u) in %lld", text.n ? ", " : "", d,
                  (long long)c->sharding->tiles[d]);
    }
  }
  return text.n ? text.v : "Replicate";
}

static sp_layout_dim cut_dim(const cutter *c, uint32_t d, const int64_t *zero,
                             bool whole) {
  int64_t size = c->global->dims[d], block = c->local->dims[d];
  int64_t tiles = whole ? 1 : c->sharding->tiles[d];
  if (tiles < 1 || block != (size + tiles - 1) / tiles) {
    shapes_differ(c);
  }
  sp_run *run = sp_alloc(c->ctx, sizeof *run);
  *run = (sp_run){block, tiles > 1 ? block_starts(c, d, block) : zero};
  return (sp_layout_dim){1, run};
}

const sp_layout *sp_layout_of_sharding(sp_ctx *ctx, const sp_sharding *sharding,
                                       const sp_shape *global,
                                       const sp_shape *local, int64_t ranks,
                                       sp_loc loc, const char *name,
                                       const char **why) {
  cutter c = {ctx, sharding, global, local, ranks, loc, name};
  *why = NULL;
  if (global->n_dims != local->n_dims || global->dtype != local->dtype) {
    shapes_differ(&c);
  }
  bool whole = !sharding || sharding->kind == SP_SHARDING_REPLICATED ||
               (sharding->kind == SP_SHARDING_MAXIMAL && ranks == 1);
  if (!whole && (sharding->kind != SP_SHARDING_TILED || sharding->partial)) {
    *why = sp_format(ctx,
                     "its sharding %s (manual, partial sums or of an unknown "
                     "kind) says nothing that is understood here",
                     sharding->text ? sharding->text : "");
    return NULL;
  }
  if (!whole && sharding->n_dims != global->n_dims) {
    shapes_differ(&c);
  }
  sp_layout *l = sp_alloc(ctx, sizeof *l);
  sp_layout_dim *dims = sp_alloc_n(ctx, global->n_dims + 1u, sizeof *dims);
  int64_t *zero = sp_alloc_n(ctx, (size_t)ranks, sizeof *zero);
  for (uint32_t d = 0; d < global->n_dims; d++) {
    dims[d] = cut_dim(&c, d, zero, whole);
  }
  *l = (sp_layout){.ranks = ranks,
                   .n_dims = global->n_dims,
                   .dims = dims,
                   .text = whole ? "Replicate" : placement_text(&c)};
  return l;
}

/* ---- who has which block ---- */

static int64_t tiles_along(const sp_layout *l, const sp_shape *global,
                           uint32_t d) {
  int64_t size = l->dims[d].runs[0].size;
  return size ? global->dims[d] / size : 1;
}

int64_t sp_layout_tile(const sp_layout *l, const sp_shape *global,
                       int64_t rank) {
  int64_t at = 0;
  for (uint32_t d = 0; d < l->n_dims; d++) {
    const sp_run *run = &l->dims[d].runs[0];
    at = at * tiles_along(l, global, d) +
         (run->size ? run->start[rank] / run->size : 0);
  }
  return at;
}

static bool is_even(const sp_layout *l, const sp_shape *global) {
  for (uint32_t d = 0; d < l->n_dims; d++) {
    const sp_layout_dim *dim = &l->dims[d];
    if (dim->n_runs != 1 ||
        (dim->runs[0].size && global->dims[d] % dim->runs[0].size)) {
      return false;
    }
  }
  return l->partial == SP_PARTIAL_NONE;
}

const int64_t *sp_layout_owners(sp_ctx *ctx, const sp_layout *l,
                                const sp_shape *global, int64_t *n) {
  *n = 1;
  if (!is_even(l, global)) {
    return NULL;
  }
  for (uint32_t d = 0; d < l->n_dims; d++) {
    int64_t along = tiles_along(l, global, d);
    if (along > l->ranks / *n) {
      return NULL; /* more blocks than ranks */
    }
    *n *= along;
  }
  int64_t *first = sp_alloc_n(ctx, (size_t)*n, sizeof *first);
  for (int64_t i = 0; i < *n; i++) {
    first[i] = -1;
  }
  for (int64_t r = l->ranks; r-- > 0;) {
    int64_t tile = sp_layout_tile(l, global, r);
    if (tile < 0 || tile >= *n) {
      return NULL;
    }
    first[tile] = r;
  }
  for (int64_t i = 0; i < *n; i++) {
    if (first[i] < 0) {
      return NULL;
    }
  }
  return first;
}
