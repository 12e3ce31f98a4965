/* ranks.c: the programs that a spec names. Read spi_load_distributed, last: the
 * files of all ranks, with the constants that the spec gives, become one
 * program in the rank (graph/roll.h), or, where they differ in more than
 * numbers, one in which they stand side by side (merge.h). */
#include "shard-specs/problem_i.h"

#include "base/file.h"
#include "shard-specs/constants.h"
#include "shard-specs/groups.h"
#include "shard-specs/merge.h"
#include "shard-specs/waits.h"

#include <string.h>

/* Ranks that differ are related one by one. */
enum { MAX_MERGED = 64 };

/* rank4.py beside rank0..3.py and a mesh of 4 ranks: the mesh is too small. */
static void refuse_more_files(const spi_relating *x) {
  const sp_spec *spec = x->spec;
  sp_spec_axis *axes = sp_alloc_n(x->ctx, spec->n_axes + 1u, sizeof *axes);
  for (uint32_t a = 0; a < spec->n_axes; a++) {
    memcpy(axes, spec->axes, spec->n_axes * sizeof *axes);
    /* rank numbers of a mesh in which this axis is longer by one */
    axes[a].size++;
    sp_spec longer = *spec;
    longer.axes = axes;
    int64_t below = 1;
    for (uint32_t b = a + 1; b < spec->n_axes; b++) {
      below *= spec->axes[b].size;
    }
    const char *more =
        sp_spec_rank_path(x->ctx, &longer, spec->axes[a].size * below);
    const char *first = sp_spec_rank_path(x->ctx, spec, 0);
    if (strcmp(more, first) != 0 &&
        strstr(spec->distributed.path,
               sp_format(x->ctx, "{%s}", spec->axes[a].name)) &&
        sp_file_exists(more)) {
      sp_raise(x->ctx, SP_ERR_INPUT, spec->axes[a].loc,
               "the mesh must have all ranks, or the files of others must not "
               "be there",
               "the axis %s has size %lld, but there is a file %s, too",
               spec->axes[a].name, (long long)spec->axes[a].size, more);
    }
  }
}

static const sp_program *load_rank(spi_relating *x, int64_t rank) {
  sp_ctx *ctx = x->ctx;
  const char *path = sp_spec_rank_path(ctx, x->spec, rank);
  if (!sp_file_exists(path) && !strchr(path, '#')) {
    sp_raise(ctx, SP_ERR_INPUT, x->spec->distributed.loc,
             "{axis} in the name stands for the position along an axis of the "
             "mesh; is the mesh right?",
             "rank %lld of %lld: there is no file %s", (long long)rank,
             (long long)x->spec->ranks, path);
  }
  return sp_spec_load(ctx, path, x->spec->distributed.loc);
}

static void refuse_unused(spi_relating *x, const sp_spec_side *s,
                          const bool *used, const char *which) {
  for (size_t i = 0; i < s->n_constants; i++) {
    if (!used[i]) {
      sp_raise(x->ctx, SP_ERR_INPUT, s->constants[i].loc,
               "constants are those that a program reads from its module "
               "(self._tensor_constant0), or HLO's {...}",
               "the %s program has no constant %s without a value", which,
               s->constants[i].name);
    }
  }
}

static void same_format(const spi_relating *x, const sp_program *p,
                        const sp_program *first) {
  if (sp_program_is_hlo(p) != sp_program_is_hlo(first)) {
    sp_raise(x->ctx, SP_ERR_INPUT, x->spec->distributed.loc, NULL,
             "%s and %s are programs of different formats", first->file,
             p->file);
  }
}

static const sp_program *with_partitions(sp_ctx *ctx, const sp_program *p,
                                         int64_t n) {
  sp_program *out = sp_alloc(ctx, sizeof *out);
  *out = *p;
  out->partitions = n;
  return out;
}

/* The program is what the side's names are of. */
static void whole(spi_relating *x, const sp_program *p) {
  x->dist.program = p;
  x->n_sources = 1;
  x->sources = sp_alloc(x->ctx, sizeof *x->sources);
  *x->sources = (spi_source){p, sp_names_of(x->ctx, p), -1, NULL};
}

static void merge(spi_relating *x, uint32_t n,
                  const sp_program *const *programs, size_t n_groups,
                  const sp_named_group *groups, const char *why) {
  sp_ctx *ctx = x->ctx;
  if (sp_program_is_hlo(programs[0]) || n > MAX_MERGED) {
    sp_raise(ctx, SP_ERR_UNKNOWN, x->spec->distributed.loc,
             sp_format(ctx,
                       "FX graphs of up to %d ranks may run other operators; "
                       "here, other numbers at most",
                       MAX_MERGED),
             "the programs of the ranks could not be made one: %s", why);
  }
  sp_merged merged = sp_merge_ranks(ctx, n, programs, n_groups, groups);
  x->dist.program = merged.program;
  x->n_sources = n;
  x->sources = sp_alloc_n(ctx, n, sizeof *x->sources);
  for (uint32_t r = 0; r < n; r++) {
    x->sources[r] = (spi_source){programs[r], sp_names_of(ctx, programs[r]), r,
                                 merged.to[r]};
  }
  sp_push(ctx, &x->notes,
          sp_format(ctx, "each rank is related by itself: %s", why));
}

static void roll_or_merge(spi_relating *x, uint32_t n,
                          const sp_program *const *programs) {
  sp_ctx *ctx = x->ctx;
  size_t n_groups;
  const sp_named_group *groups =
      sp_spec_groups(ctx, x->spec, false, n, programs, &x->notes, &n_groups);
  const char *why = NULL, *unawaited = NULL;
  for (uint32_t r = 0; r < n && !unawaited; r++) {
    unawaited = sp_spec_unawaited(ctx, programs[r]);
  }
  if (unawaited) {
    sp_push(ctx, &x->notes, unawaited);
  }
  const sp_program *p = sp_roll(ctx, n, programs, n_groups, groups, &why);
  if (p) {
    whole(x, p);
  } else {
    merge(x, n, programs, n_groups, groups, why ? why : "they differ");
  }
}

void spi_load_sequential(spi_relating *x) {
  sp_ctx *ctx = x->ctx;
  const sp_spec_side *s = &x->spec->sequential;
  bool *used = sp_alloc_n(ctx, s->n_constants + 1, sizeof *used);
  const sp_program *p =
      sp_spec_load(ctx, sp_spec_sequential_path(ctx, x->spec), s->loc);
  if (p->partitions != 1) {
    sp_raise(ctx, SP_ERR_INPUT, s->loc, NULL,
             "%s runs on %lld partitions: it is no sequential program", p->file,
             (long long)p->partitions);
  }
  p = sp_spec_constants(ctx, s, p, -1, used);
  refuse_unused(x, s, used, "sequential");
  size_t n_groups;
  const sp_named_group *groups =
      sp_spec_groups(ctx, x->spec, true, 1, &p, &x->notes, &n_groups);
  const char *why = NULL;
  x->seq.program = sp_roll(ctx, 1, &p, n_groups, groups, &why);
  if (!x->seq.program) {
    sp_raise(ctx, SP_ERR_INTERNAL, s->loc, NULL, "%s", why ? why : p->file);
  }
  x->seq_source =
      (spi_source){x->seq.program, sp_names_of(ctx, x->seq.program), -1, NULL};
}

/* One HLO module for all ranks says its groups itself. */
static const sp_program *one_module(spi_relating *x, const sp_program *p) {
  int64_t n = x->spec->ranks;
  if (p->partitions != 1 && p->partitions != n) {
    sp_raise(x->ctx, SP_ERR_INPUT, x->spec->mesh_loc, NULL,
             "the mesh has %lld ranks, but %s is made for %lld", (long long)n,
             p->file, (long long)p->partitions);
  }
  return with_partitions(x->ctx, p, n);
}

void spi_load_distributed(spi_relating *x) {
  sp_ctx *ctx = x->ctx;
  const sp_spec_side *s = &x->spec->distributed;
  uint32_t n = (uint32_t)x->spec->ranks;
  bool *used = sp_alloc_n(ctx, s->n_constants + 1, sizeof *used);
  const sp_program **p = sp_alloc_n(ctx, n, sizeof *p);
  const sp_program *raw = NULL;
  const char *last = NULL;
  bool by_rank = false, one_file = true;
  for (size_t i = 0; i < s->n_constants; i++) {
    by_rank = by_rank || s->constants[i].rank >= 0;
  }
  refuse_more_files(x);
  for (uint32_t r = 0; r < n; r++) {
    const char *path = sp_spec_rank_path(ctx, x->spec, r);
    bool same = last && strcmp(path, last) == 0;
    one_file = one_file && (same || r == 0);
    raw = same ? raw : load_rank(x, r);
    last = path;
    same_format(x, raw, r ? p[0] : raw);
    p[r] =
        same && !by_rank ? p[r - 1] : sp_spec_constants(ctx, s, raw, r, used);
    if ((r == 0 || !same) && sp_program_is_hlo(p[r])) {
      sp_spec_check_devices(ctx, x->spec, p[r]);
    }
  }
  refuse_unused(x, s, used, "distributed");
  if (one_file && !by_rank && sp_program_is_hlo(p[0])) {
    whole(x, one_module(x, p[0]));
  } else {
    roll_or_merge(x, n, p);
  }
}
