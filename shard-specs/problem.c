/* problem.c: from a spec to a problem. Read sp_spec_problem, at the end: load,
 * relate (names and layouts), cut, give meanings. */
#include "shard-specs/problem.h"

#include "base/file.h"
#include "shard-specs/addends.h"
#include "shard-specs/constants.h"
#include "shard-specs/cover.h"
#include "shard-specs/cut.h"
#include "shard-specs/groups.h"
#include "shard-specs/names.h"

#include <string.h>

typedef struct side {
  const sp_program *program; /* before it is cut */
  sp_names names;
  bool *given; /* by tensor */
  const sp_program *cut;
  const uint32_t *to; /* old tensor -> cut one */
} side;

typedef SP_VEC(sp_placed) placed_list;

typedef struct relating {
  sp_ctx *ctx;
  const sp_spec *spec;
  side seq, dist;
  placed_list given, promised; /* tensors before cutting */
  SP_VEC(sp_range_given) ranges;
  sp_spec_notes notes;
} relating;

/* ---- loading ---- */

/* rank4.py beside rank0..3.py and a mesh of 4 ranks: the mesh is too small. */
static void refuse_more_files(const relating *x) {
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

static const sp_program *load_rank(relating *x, int64_t rank) {
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

static void refuse_unused(relating *x, const sp_spec_side *s, const bool *used,
                          const char *which) {
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

static void same_format(const relating *x, const sp_program *p,
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

static const sp_program *roll(relating *x, bool sequential, uint32_t n,
                              const sp_program *const *programs) {
  sp_ctx *ctx = x->ctx;
  size_t n_groups;
  const sp_named_group *groups = sp_spec_groups(ctx, x->spec, sequential, n,
                                                programs, &x->notes, &n_groups);
  const char *why = NULL;
  const sp_program *p = sp_roll(ctx, n, programs, n_groups, groups, &why);
  if (!p) {
    sp_raise(ctx, SP_ERR_UNKNOWN, x->spec->distributed.loc,
             "ranks must run the same operators, with other numbers at most",
             "the programs of the ranks could not be made one: %s",
             why ? why : "they differ");
  }
  return p;
}

static void load_sequential(relating *x) {
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
  x->seq.program = roll(x, true, 1, &p);
}

/* One HLO module for all ranks says its groups itself. */
static const sp_program *one_module(relating *x, const sp_program *p) {
  int64_t n = x->spec->ranks;
  if (p->partitions != 1 && p->partitions != n) {
    sp_raise(x->ctx, SP_ERR_INPUT, x->spec->mesh_loc, NULL,
             "the mesh has %lld ranks, but %s is made for %lld", (long long)n,
             p->file, (long long)p->partitions);
  }
  return with_partitions(x->ctx, p, n);
}

static void load_distributed(relating *x) {
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
  x->dist.program = one_file && !by_rank && sp_program_is_hlo(p[0])
                        ? one_module(x, p[0])
                        : roll(x, false, n, p);
}

static void start_side(sp_ctx *ctx, side *s) {
  s->names = sp_names_of(ctx, s->program);
  s->given = sp_alloc_n(ctx, s->program->n_tensors + 1u, sizeof *s->given);
}

/* ---- names ---- */

static bool is_param(const sp_program *p, uint32_t tensor) {
  for (uint32_t i = 0; i < p->n_params; i++) {
    if (p->params[i] == tensor) {
      return true;
    }
  }
  return false;
}

static noreturn void unknown_name(const relating *x, sp_loc loc, const side *s,
                                  const char *name, const char *what) {
  const char *side_name = s == &x->seq ? "sequential" : "distributed";
  const char *near = sp_names_nearest(&s->names, name);
  uint32_t t = sp_names_find(&s->names, name);
  const char *hint = near ? sp_format(x->ctx, "is %s meant?", near) : NULL;
  if (t != SP_NO_TENSOR) {
    hint = "values inside a program are given under `cuts`";
  }
  if (sp_names_number(name, "out.") >= 0) {
    hint = sp_format(x->ctx,
                     "it returns %u values, counted from 0; some may "
                     "be None",
                     s->program->n_results);
  }
  sp_raise(x->ctx, SP_ERR_INPUT, loc, hint, "%s is no %s of the %s program",
           name, what, side_name);
}

static uint32_t find_named(const relating *x, const side *s, const char *name,
                           sp_loc loc, bool input) {
  uint32_t t = sp_names_find(&s->names, name);
  if (t == SP_NO_TENSOR || (input && !is_param(s->program, t))) {
    unknown_name(x, loc, s, name, input ? "input" : "value");
  }
  if (s->program->tensors[t].shape.dtype == SP_DTYPE_INVALID) {
    sp_raise(x->ctx, SP_ERR_INPUT, loc, NULL,
             "the %s program does not say the shape of %s",
             s == &x->seq ? "sequential" : "distributed", name);
  }
  return t;
}

/* ---- what is given and promised ---- */

typedef enum entry_kind { ENTRY_INPUT, ENTRY_INNER, ENTRY_OUTPUT } entry_kind;

static void place(relating *x, entry_kind kind, const sp_spec_cut *cut,
                  uint32_t seq, uint32_t dist, const char *name) {
  if (kind != ENTRY_OUTPUT) {
    if (x->dist.given[dist]) {
      sp_raise(x->ctx, SP_ERR_INPUT, cut->place->as_loc,
               "as: NAME says which tensor of the distributed program it is",
               "%s of the distributed program is given twice",
               cut->local->name);
    }
    x->seq.given[seq] = x->dist.given[dist] = true;
  }
  sp_placed p = {.seq = seq,
                 .dist = dist,
                 .layout = sp_spec_layout(x->ctx, x->spec, cut),
                 .name = name,
                 .assumed = kind == ENTRY_INNER};
  if (kind == ENTRY_OUTPUT) {
    sp_push(x->ctx, &x->promised, p);
  } else {
    sp_push(x->ctx, &x->given, p);
  }
}

/* One sequential tensor in parts: each begins where the one before ends. */
static void relate_parts(relating *x, entry_kind kind, const sp_spec_place *p,
                         uint32_t seq, const char *name) {
  int64_t offset = 0;
  const sp_tensor *global = &x->seq.program->tensors[seq];
  for (uint32_t i = 0; i < p->n_concat; i++) {
    const char *other = sp_pattern_fill(x->ctx, p->name, name, p->concat[i]);
    uint32_t dist = find_named(x, &x->dist, other, p->loc, kind == ENTRY_INPUT);
    const sp_tensor *local = &x->dist.program->tensors[dist];
    int64_t size = sp_spec_part_size(x->ctx, x->spec, p, local);
    sp_spec_cut cut = {p, global, local, size, offset};
    place(x, kind, &cut, seq, dist, sp_format(x->ctx, "%s (%s)", name, other));
    offset += size;
  }
  if (p->dim >= (int64_t)global->shape.n_dims ||
      offset != global->shape.dims[p->dim]) {
    sp_raise(x->ctx, SP_ERR_INPUT, p->loc, NULL,
             "%s is %s, but its parts have %lld of dimension %lld together",
             name, sp_shape_text(x->ctx, &global->shape), (long long)offset,
             (long long)p->dim);
  }
}

/* A result that the ranks hold in part would be compared in part. */
static void refuse_uncovered(const relating *x, const sp_spec_place *p,
                             size_t from, uint32_t seq, const char *name) {
  const char *at =
      sp_spec_uncovered(x->ctx, &x->seq.program->tensors[seq].shape,
                        x->promised.n - from, x->promised.v + from);
  if (at) {
    sp_raise(x->ctx, SP_ERR_INPUT, p->loc,
             "say what each rank holds so that together they hold all of it",
             "%s: no rank holds element %s of the sequential result", name, at);
  }
}

static void relate_one(relating *x, entry_kind kind, const sp_spec_place *p,
                       uint32_t seq, const char *name) {
  const char *other =
      p->as ? sp_pattern_fill(x->ctx, p->name, name, p->as) : name;
  uint32_t dist =
      find_named(x, &x->dist, other, p->as_loc, kind == ENTRY_INPUT);
  sp_spec_cut cut = {p, &x->seq.program->tensors[seq],
                     &x->dist.program->tensors[dist], -1, 0};
  place(x, kind, &cut, seq, dist, name);
}

static void relate(relating *x, entry_kind kind, const sp_spec_place *p,
                   const char *name) {
  bool input = kind == ENTRY_INPUT;
  uint32_t seq = find_named(x, &x->seq, name, p->loc, input);
  if (kind != ENTRY_OUTPUT && x->seq.given[seq]) {
    sp_raise(x->ctx, SP_ERR_INPUT, p->loc, NULL,
             "%s of the sequential program is given twice", name);
  }
  size_t from = x->promised.n;
  if (p->concat) {
    relate_parts(x, kind, p, seq, name);
  } else {
    relate_one(x, kind, p, seq, name);
  }
  if (kind == ENTRY_OUTPUT) {
    refuse_uncovered(x, p, from, seq, name);
  }
}

/* The names that a pattern can stand for. */
static size_t pattern_count(const relating *x, entry_kind kind) {
  const sp_program *p = x->seq.program;
  return kind == ENTRY_INPUT    ? p->n_params
         : kind == ENTRY_OUTPUT ? p->n_results
                                : p->n_tensors;
}

static const char *pattern_name(const relating *x, entry_kind kind, size_t i) {
  const sp_program *p = x->seq.program;
  if (kind == ENTRY_OUTPUT) {
    return p->results[i] == SP_NO_TENSOR ? NULL
                                         : sp_format(x->ctx, "out.%zu", i);
  }
  return p->tensors[kind == ENTRY_INPUT ? p->params[i] : i].name;
}

/* Is there an entry of exactly that name, or an earlier pattern? */
static bool said_before(const sp_spec_places *list, size_t at,
                        const char *name) {
  for (size_t i = 0; i < list->n; i++) {
    const char *other = list->v[i].name;
    if (sp_pattern_is(other) ? i < at && sp_pattern_matches(other, name)
                             : strcmp(other, name) == 0) {
      return true;
    }
  }
  return false;
}

static void relate_pattern(relating *x, entry_kind kind,
                           const sp_spec_places *list, size_t at) {
  const sp_spec_place *p = &list->v[at];
  bool any = false;
  size_t n = pattern_count(x, kind);
  for (size_t i = 0; i < n; i++) {
    const char *name = pattern_name(x, kind, i);
    if (!name || !sp_pattern_matches(p->name, name)) {
      continue;
    }
    any = true;
    if (!said_before(list, at, name)) {
      relate(x, kind, p, name);
    }
  }
  if (!any) {
    sp_raise(x->ctx, SP_ERR_INPUT, p->loc, NULL,
             "%s stands for no %s of the sequential program", p->name,
             kind == ENTRY_INPUT ? "input" : "value");
  }
}

static void relate_all(relating *x, entry_kind kind,
                       const sp_spec_places *list) {
  for (size_t i = 0; i < list->n; i++) {
    if (sp_pattern_is(list->v[i].name)) {
      relate_pattern(x, kind, list, i);
    } else {
      relate(x, kind, &list->v[i], list->v[i].name);
    }
  }
}

/* ---- ranges ---- */

static void add_range(relating *x, const sp_spec_range *r, uint32_t seq) {
  const sp_tensor *t = &x->seq.program->tensors[seq];
  if (!sp_dtype_is_int(t->shape.dtype)) {
    sp_raise(x->ctx, SP_ERR_INPUT, r->loc, NULL,
             "%s is %s: ranges are for integers", t->name,
             sp_shape_text(x->ctx, &t->shape));
  }
  sp_range_given g = {seq, r->lo, r->hi,
                      sp_format(x->ctx, "%lld <= %s < %lld (given)",
                                (long long)r->lo, t->name, (long long)r->hi)};
  sp_push(x->ctx, &x->ranges, g);
}

static void read_ranges(relating *x) {
  const sp_program *p = x->seq.program;
  for (size_t i = 0; i < x->spec->n_ranges; i++) {
    const sp_spec_range *r = &x->spec->ranges[i];
    bool any = false;
    for (uint32_t t = 0; sp_pattern_is(r->name) && t < p->n_tensors; t++) {
      if ((x->seq.given[t] || is_param(p, t)) &&
          sp_dtype_is_int(p->tensors[t].shape.dtype) &&
          sp_pattern_matches(r->name, p->tensors[t].name)) {
        add_range(x, r, t);
        any = true;
      }
    }
    uint32_t t = sp_names_find(&x->seq.names, r->name);
    if (!sp_pattern_is(r->name) && t != SP_NO_TENSOR &&
        (x->seq.given[t] || is_param(p, t))) {
      add_range(x, r, t);
      any = true;
    }
    if (!any) {
      unknown_name(x, r->loc, &x->seq, r->name, "integer input");
    }
  }
}

/* ---- cutting ---- */

typedef SP_VEC(uint32_t) tensor_list;

static void cut_side(relating *x, side *s, const tensor_list *wanted) {
  sp_cut_out out =
      sp_program_cut(x->ctx, s->program, wanted->n, wanted->v, s->given);
  s->cut = out.program;
  s->to = out.to;
}

/* What is promised, then what the other side needs of what is given. */
static void cut_both(relating *x) {
  tensor_list seq = {0}, dist = {0};
  for (size_t i = 0; i < x->promised.n; i++) {
    sp_push(x->ctx, &seq, x->promised.v[i].seq);
    sp_push(x->ctx, &dist, x->promised.v[i].dist);
  }
  cut_side(x, &x->seq, &seq);
  cut_side(x, &x->dist, &dist);
  tensor_list more_seq = {0}, more_dist = {0};
  for (size_t i = 0; i < x->given.n; i++) {
    const sp_placed *p = &x->given.v[i];
    if (x->seq.to[p->seq] != SP_NO_TENSOR ||
        x->dist.to[p->dist] != SP_NO_TENSOR) {
      sp_push(x->ctx, &more_seq, p->seq);
      sp_push(x->ctx, &more_dist, p->dist);
    }
  }
  for (size_t i = 0; i < more_seq.n; i++) {
    sp_push(x->ctx, &seq, more_seq.v[i]);
    sp_push(x->ctx, &dist, more_dist.v[i]);
  }
  cut_side(x, &x->seq, &seq);
  cut_side(x, &x->dist, &dist);
}

static void refuse_missing(const relating *x, const side *s) {
  for (uint32_t i = 0; i < s->program->n_tensors; i++) {
    bool param = s->to[i] != SP_NO_TENSOR && is_param(s->cut, s->to[i]);
    if (param && !s->given[i]) {
      const sp_tensor *t = &s->program->tensors[i];
      bool seq = s == &x->seq;
      sp_raise(x->ctx, SP_ERR_INPUT, x->spec->inputs.loc,
               sp_format(x->ctx,
                         seq ? "inputs: {%s: Replicate}, or how it is "
                               "cut"
                             : "inputs: {NAME: {as: %s}}",
                         t->name),
               "the outputs depend on the input %s, %s, of the %s program, and "
               "nothing says what %s",
               t->name, sp_shape_text(x->ctx, &t->shape),
               seq ? "sequential" : "distributed",
               seq ? "the ranks hold of it" : "it holds");
    }
  }
}

static const sp_program *with_results(sp_ctx *ctx, const sp_program *p,
                                      size_t n) {
  sp_program *out = sp_alloc(ctx, sizeof *out);
  *out = *p;
  out->n_results = (uint32_t)n;
  return out;
}

static const sp_placed *renumber(const relating *x, const placed_list *list,
                                 size_t *n) {
  sp_placed *out = sp_alloc_n(x->ctx, list->n + 1, sizeof *out);
  *n = 0;
  for (size_t i = 0; i < list->n; i++) {
    sp_placed p = list->v[i];
    p.seq = x->seq.to[p.seq];
    p.dist = x->dist.to[p.dist];
    if (p.seq != SP_NO_TENSOR && p.dist != SP_NO_TENSOR) {
      out[(*n)++] = p;
    }
  }
  return out;
}

static void renumber_ranges(relating *x) {
  size_t n = 0;
  for (size_t i = 0; i < x->ranges.n; i++) {
    sp_range_given r = x->ranges.v[i];
    r.seq = x->seq.to[r.seq];
    if (r.seq != SP_NO_TENSOR) {
      x->ranges.v[n++] = r;
    }
  }
  x->ranges.n = n;
}

sp_problem sp_spec_problem(sp_ctx *ctx, const sp_spec *spec) {
  relating x = {.ctx = ctx, .spec = spec};
  load_sequential(&x);
  load_distributed(&x);
  start_side(ctx, &x.seq);
  start_side(ctx, &x.dist);
  relate_all(&x, ENTRY_INPUT, &spec->inputs);
  relate_all(&x, ENTRY_INNER, &spec->cuts);
  relate_all(&x, ENTRY_INNER, &spec->uninitialised);
  relate_all(&x, ENTRY_OUTPUT, &spec->outputs);
  read_ranges(&x);
  cut_both(&x);
  refuse_missing(&x, &x.dist);
  refuse_missing(&x, &x.seq);
  renumber_ranges(&x);
  sp_problem out = {.ranges = x.ranges.v, .n_ranges = x.ranges.n};
  out.seq = sp_spec_operators(
      ctx, spec, with_results(ctx, x.seq.cut, x.promised.n), &x.notes);
  out.dist = sp_spec_operators(
      ctx, spec, with_results(ctx, x.dist.cut, x.promised.n), &x.notes);
  out.given = renumber(&x, &x.given, &out.n_given);
  out.promised = renumber(&x, &x.promised, &out.n_promised);
  out.notes = x.notes.v;
  out.n_notes = x.notes.n;
  sp_spec_addends(ctx, &out, spec->inputs.loc);
  return out;
}

void sp_spec_assume(sp_ctx *ctx, sp_problem *problem,
                    const sp_assumed_range *assume, size_t n) {
  sp_problem more = *problem;
  SP_VEC(sp_range_given) ranges = {0};
  SP_VEC(const char *) notes = {0};
  sp_problem_assume(ctx, &more, assume, n);
  for (size_t i = 0; i < problem->n_ranges; i++) {
    sp_push(ctx, &ranges, problem->ranges[i]);
  }
  for (size_t i = 0; i < more.n_ranges; i++) {
    sp_push(ctx, &ranges, more.ranges[i]);
  }
  for (size_t i = 0; i < problem->n_notes; i++) {
    sp_push(ctx, &notes, problem->notes[i]);
  }
  for (size_t i = 0; i < more.n_notes; i++) {
    sp_push(ctx, &notes, more.notes[i]);
  }
  problem->ranges = ranges.v;
  problem->n_ranges = ranges.n;
  problem->notes = notes.v;
  problem->n_notes = notes.n;
}
