/* layouts.c: placements as layouts (graph/layout.h).
 *
 * For one rank, what it holds of a dimension is a list of pieces, each a run of
 * consecutive sequential indices. The axes of the mesh cut in order: each takes
 * a part of what the axes before have left (cut_dim). Then the lists of all
 * ranks are brought to common sizes (common_runs). An index formula is worked
 * out point by point and gives the same lists. */
#include "shard-specs/problem.h"

#include "base/arith.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RUNS = 1 << 16, MAX_POINTS = 1 << 20 };

typedef struct piece {
  int64_t start, size;
} piece;

typedef SP_VEC(piece) pieces;

typedef struct cutting {
  sp_ctx *ctx;
  const sp_spec *spec;
  const sp_spec_cut *cut;
  const sp_spec_place *place;
  int64_t first, ranks; /* of which the layout is */
  int64_t rank;
} cutting;

static noreturn void bad(const cutting *c, sp_loc loc, const char *hint,
                         const char *text) {
  sp_raise(c->ctx, SP_ERR_INPUT, loc, hint, "%s, %s: %s", c->place->name,
           sp_shape_text(c->ctx, &c->cut->global->shape), text);
}

/* ---- pieces ---- */

static int64_t total(const pieces *p) {
  int64_t n = 0;
  for (size_t i = 0; i < p->n; i++) {
    n += p->v[i].size;
  }
  return n;
}

static void add_piece(sp_ctx *ctx, pieces *out, int64_t start, int64_t size) {
  piece *last = out->n ? &out->v[out->n - 1] : NULL;
  if (size == 0) {
    return;
  }
  if (last && last->start + last->size == start) {
    last->size += size;
  } else {
    sp_push(ctx, out, ((piece){start, size}));
  }
}

/* Positions from .. from + n of what is listed. */
static void take(sp_ctx *ctx, const pieces *in, int64_t from, int64_t n,
                 pieces *out) {
  int64_t at = 0;
  for (size_t i = 0; i < in->n && n > 0; i++) {
    int64_t size = in->v[i].size;
    int64_t skip = from > at ? from - at : 0;
    if (skip < size) {
      int64_t k = size - skip < n ? size - skip : n;
      add_piece(ctx, out, in->v[i].start + skip, k);
      n -= k;
      from += k;
    }
    at += size;
  }
}

/* ---- one axis ---- */

/* One rank by itself may hold less than the others, as torch.chunk deals out.
 */
static bool alone(const cutting *c) {
  return c->cut->rank >= 0;
}

typedef struct rank_names {
  const cutting *c;
  uint32_t n_vars; /* of an index formula */
  const sp_lang_var *vars;
  const int64_t *at;
} rank_names;

static bool rank_value(void *user, const char *name, int64_t *out) {
  const rank_names *x = user;
  for (uint32_t i = 0; i < x->n_vars; i++) {
    if (strcmp(x->vars[i].name, name) == 0) {
      *out = x->at[i];
      return true;
    }
  }
  const sp_spec *spec = x->c->spec;
  for (uint32_t a = 0; a < spec->n_axes; a++) {
    if (strcmp(spec->axes[a].name, name) == 0) {
      *out = sp_spec_coordinate(spec, a, x->c->rank);
      return true;
    }
  }
  if (strcmp(name, "rank") == 0) {
    *out = x->c->rank;
    return true;
  }
  return false;
}

static int64_t part_size(const cutting *c, const sp_placement *q, int64_t size,
                         int64_t parts) {
  if (parts < 1 || size % parts != 0) {
    bad(c, q->loc,
        "parts are equal where all ranks have the same shapes; pad the "
        "tensor, or use sections for parts of different sizes",
        sp_format(c->ctx,
                  "%s: dimension %lld has size %lld here, which is no "
                  "multiple of %lld",
                  q->text, (long long)q->dim, (long long)size,
                  (long long)parts));
  }
  return size / parts;
}

static void cut_shard(const cutting *c, const sp_placement *q, uint32_t axis,
                      const pieces *in, pieces *out) {
  int64_t n = c->spec->axes[axis].size;
  int64_t parts = q->pieces ? q->pieces : n;
  if (n % parts != 0) {
    bad(c, q->loc, "pieces must divide the number of ranks on the axis",
        sp_format(c->ctx, "%s: the axis %s has %lld ranks", q->text,
                  c->spec->axes[axis].name, (long long)n));
  }
  int64_t size = alone(c) ? (total(in) + parts - 1) / parts
                          : part_size(c, q, total(in), parts);
  int64_t at = sp_spec_coordinate(c->spec, axis, c->rank) * parts / n;
  take(c->ctx, in, at * size, size, out);
}

static void cut_take(const cutting *c, const sp_placement *q, const pieces *in,
                     pieces *out) {
  int64_t size = part_size(c, q, total(in), q->pieces);
  rank_names names = {.c = c};
  sp_lang_scope scope = {rank_value, &names};
  for (uint32_t i = 0; i < q->n; i++) {
    int64_t k = sp_lang_integer(c->ctx, q->parts[i], &scope);
    if (k < 0 || k >= q->pieces) {
      bad(c, q->parts[i]->loc, NULL,
          sp_format(c->ctx, "on rank %lld this is part %lld of %lld",
                    (long long)c->rank, (long long)k, (long long)q->pieces));
    }
    take(c->ctx, in, k * size, size, out);
  }
}

static void cut_axis(const cutting *c, const sp_placement *q, uint32_t axis,
                     const pieces *in, pieces *out);

static void cut_sections(const cutting *c, const sp_placement *q, uint32_t axis,
                         const pieces *in, pieces *out) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < q->n; i++) {
    sum += q->sections[i];
  }
  if (sum != total(in)) {
    bad(c, q->loc, NULL,
        sp_format(c->ctx,
                  "the sections have %lld together, dimension %lld has size "
                  "%lld here",
                  (long long)sum, (long long)q->dim, (long long)total(in)));
  }
  int64_t at = 0;
  for (uint32_t i = 0; i < q->n; i++) {
    pieces section = {0};
    take(c->ctx, in, at, q->sections[i], &section);
    cut_axis(c, q->each[i], axis, &section, out);
    at += q->sections[i];
  }
}

/* Appends to out. The nesting of sections is limited by their reader. */
static void cut_axis(const cutting *c, const sp_placement *q, uint32_t axis,
                     const pieces *in, pieces *out) {
  switch (q->kind) {
  case SP_PLACE_SHARD:
    cut_shard(c, q, axis, in, out);
    return;
  case SP_PLACE_TAKE:
    cut_take(c, q, in, out);
    return;
  case SP_PLACE_SECTIONS:
    cut_sections(c, q, axis, in, out);
    return;
  case SP_PLACE_REPLICATE:
  case SP_PLACE_PARTIAL:
    break;
  }
  take(c->ctx, in, 0, total(in), out);
}

static pieces cut_dim(const cutting *c, uint32_t d) {
  bool part = c->cut->part >= 0 && c->place->dim == (int64_t)d;
  pieces now = {0};
  add_piece(c->ctx, &now, part ? c->cut->offset : 0,
            part ? c->cut->part : c->cut->global->shape.dims[d]);
  for (uint32_t a = 0; a < c->spec->n_axes; a++) {
    const sp_placement *q = c->place->axes[a];
    if (q && q->kind != SP_PLACE_PARTIAL && q->dim == (int64_t)d) {
      pieces next = {0};
      cut_axis(c, q, a, &now, &next);
      now = next;
    }
  }
  return now;
}

/* ---- index formulas ---- */

/* Does the formula of dimension d depend on local index d alone? */
static bool mentions(const sp_lang *e, const char *name) {
  if (e->kind == SP_LANG_NAME && strcmp(e->name, name) == 0) {
    return true;
  }
  for (uint32_t i = 0; i < e->n + e->n_more; i++) {
    if (mentions(e->args[i], name)) {
      return true;
    }
  }
  return false;
}

static void check_index(const cutting *c) {
  const sp_spec_place *p = c->place;
  uint32_t n = c->cut->global->shape.n_dims;
  if (p->n_index != n || p->n_vars != c->cut->local->shape.n_dims) {
    bad(c, p->loc, NULL,
        sp_format(c->ctx,
                  "the index formula goes from %u to %u dimensions; the ranks "
                  "hold %s",
                  p->n_vars, p->n_index,
                  sp_shape_text(c->ctx, &c->cut->local->shape)));
  }
  if (p->n_vars != n) {
    bad(c, p->loc, "reshape it in the program, or give it flat on both sides",
        "an index formula keeps the number of dimensions");
  }
  for (uint32_t d = 0; d < n; d++) {
    for (uint32_t k = 0; k < n; k++) {
      if (k != d && mentions(p->index[d], p->vars[k].name)) {
        bad(c, p->index[d]->loc, "[i, j] -> [8*tp + i, j]",
            sp_format(c->ctx,
                      "sequential index %u depends on the local index "
                      "%s of another dimension",
                      d, p->vars[k].name));
      }
    }
  }
}

static pieces index_dim(const cutting *c, uint32_t d) {
  const sp_spec_place *p = c->place;
  int64_t n = c->cut->local->shape.dims[d];
  int64_t size = c->cut->global->shape.dims[d];
  pieces out = {0};
  if (n > MAX_POINTS) {
    bad(c, p->index[d]->loc, "use Shard, Take or sections",
        sp_format(c->ctx, "dimension %u is too long for a formula", d));
  }
  rank_names names = {c, 1, p->vars + d, NULL};
  sp_lang_scope scope = {rank_value, &names};
  for (int64_t j = 0; j < n; j++) {
    names.at = &j;
    int64_t i = sp_lang_integer(c->ctx, p->index[d], &scope);
    if (i < 0 || i >= size) {
      bad(c, p->index[d]->loc, NULL,
          sp_format(c->ctx,
                    "on rank %lld, local index %lld of dimension %u is index "
                    "%lld of a size %lld",
                    (long long)c->rank, (long long)j, d, (long long)i,
                    (long long)size));
    }
    add_piece(c->ctx, &out, i, 1);
  }
  return out;
}

/* ---- all ranks ---- */

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Where some rank's piece ends, in order, each once. */
static const int64_t *ends_of(const cutting *c, const pieces *held,
                              size_t *count) {
  SP_VEC(int64_t) ends = {0};
  for (int64_t r = 0; r < c->ranks; r++) {
    int64_t at = 0;
    for (size_t i = 0; i < held[r].n; i++) {
      at += held[r].v[i].size;
      /* ranks mostly agree: keep the list short */
      if (ends.n == 0 || ends.v[ends.n - 1] != at) {
        sp_push(c->ctx, &ends, at);
      }
      if (ends.n > (size_t)MAX_RUNS * 16) {
        bad(c, c->place->loc, NULL, "it is cut into too many pieces");
      }
    }
  }
  if (ends.n) {
    qsort(ends.v, ends.n, sizeof *ends.v, by_value);
  }
  size_t n = 0;
  for (size_t i = 0; i < ends.n; i++) {
    if (n == 0 || ends.v[n - 1] != ends.v[i]) {
      ends.v[n++] = ends.v[i];
    }
  }
  *count = n;
  return ends.v;
}

static int64_t start_at(const pieces *p, int64_t at) {
  for (size_t i = 0; i < p->n; i++) {
    if (at < p->v[i].size) {
      return p->v[i].start + at;
    }
    at -= p->v[i].size;
  }
  return 0;
}

static sp_layout_dim common_runs(const cutting *c, const pieces *held) {
  size_t n;
  const int64_t *ends = ends_of(c, held, &n);
  if (n > MAX_RUNS || (int64_t)n * c->ranks > (int64_t)MAX_RUNS * 64) {
    bad(c, c->place->loc, NULL, "it is cut into too many pieces");
  }
  sp_run *runs = sp_alloc_n(c->ctx, n + 1, sizeof *runs);
  int64_t from = 0;
  for (size_t i = 0; i < n; i++) {
    int64_t *start = sp_alloc_n(c->ctx, (size_t)c->ranks, sizeof *start);
    for (int64_t r = 0; r < c->ranks; r++) {
      start[r] = start_at(&held[r], from);
    }
    runs[i] = (sp_run){ends[i] - from, start};
    from = ends[i];
  }
  if (n == 0) {
    /* nothing of it: one empty run */
    int64_t *zero = sp_alloc_n(c->ctx, (size_t)c->ranks, sizeof *zero);
    runs[0] = (sp_run){0, zero};
    n = 1;
  }
  return (sp_layout_dim){(uint32_t)n, runs};
}

static noreturn void sizes_differ(const cutting *c, uint32_t d, int64_t got) {
  sp_shape want = c->cut->local->shape;
  bad(c, c->place->loc,
      "is it cut along this dimension and axis, is the mesh right, and is this "
      "the tensor that is meant (as: NAME)?",
      sp_format(c->ctx,
                "rank %lld would hold %lld of dimension %u, but %s of its "
                "program is %s",
                (long long)c->rank, (long long)got, d, c->cut->local->name,
                sp_shape_text(c->ctx, &want)));
}

static sp_layout_dim layout_dim(cutting *c, uint32_t d) {
  int64_t want = c->cut->local->shape.dims[d];
  pieces *held = sp_alloc_n(c->ctx, (size_t)c->ranks, sizeof *held);
  for (int64_t r = 0; r < c->ranks; r++) {
    c->rank = c->first + r;
    held[r] = c->place->index ? index_dim(c, d) : cut_dim(c, d);
    int64_t got = total(&held[r]);
    if (got != want) {
      sizes_differ(c, d, got);
    }
  }
  return common_runs(c, held);
}

/* ---- partial results ---- */

/* Ranks that differ only along the axes that hold addends. */
static const sp_groups *partial_groups(const cutting *c, const bool *partial) {
  int64_t ranks = c->spec->ranks, size = 1;
  for (uint32_t a = 0; a < c->spec->n_axes; a++) {
    size *= partial[a] ? c->spec->axes[a].size : 1;
  }
  int64_t n = ranks / size;
  uint32_t *start = sp_alloc_n(c->ctx, (size_t)n + 1, sizeof *start);
  int64_t *ids = sp_alloc_n(c->ctx, (size_t)ranks, sizeof *ids);
  int64_t *filled = sp_alloc_n(c->ctx, (size_t)n, sizeof *filled);
  for (int64_t r = 0; r < ranks; r++) {
    int64_t g = 0;
    for (uint32_t a = 0; a < c->spec->n_axes; a++) {
      if (!partial[a]) {
        g = g * c->spec->axes[a].size + sp_spec_coordinate(c->spec, a, r);
      }
    }
    ids[g * size + filled[g]++] = r;
  }
  for (int64_t g = 0; g <= n; g++) {
    start[g] = (uint32_t)(g * size);
  }
  sp_groups *out = sp_alloc(c->ctx, sizeof *out);
  *out = (sp_groups){(uint32_t)n, start, ids};
  return out;
}

static void layout_partial(const cutting *c, sp_layout *out) {
  bool partial[64] = {false};
  for (uint32_t a = 0; a < c->spec->n_axes; a++) {
    const sp_placement *q = c->place->axes[a];
    if (!q || q->kind != SP_PLACE_PARTIAL) {
      continue;
    }
    if (out->partial != SP_PARTIAL_NONE && out->partial != q->partial) {
      bad(c, q->loc, "one reduction over all axes that hold addends",
          "two different reductions");
    }
    out->partial = q->partial;
    partial[a] = true;
  }
  if (out->partial != SP_PARTIAL_NONE) {
    out->groups = partial_groups(c, partial);
  }
}

/* ---- all ---- */

static const char *layout_text(const cutting *c) {
  sp_str s = {0};
  for (uint32_t a = 0; a < c->spec->n_axes; a++) {
    const sp_placement *q = c->place->axes[a];
    if (q) {
      sp_str_addf(c->ctx, &s, "%s%s over %s", s.n ? ", " : "", q->text,
                  c->spec->axes[a].name);
    }
  }
  if (c->place->index) {
    sp_str_addf(c->ctx, &s, "%san index formula", s.n ? ", " : "");
  }
  if (c->cut->part >= 0) {
    sp_str_addf(c->ctx, &s, "%sfrom %lld of dimension %lld", s.n ? ", " : "",
                (long long)c->cut->offset, (long long)c->place->dim);
  }
  return s.v ? s.v : "Replicate";
}

static void check_dims(const cutting *c) {
  uint32_t n = c->cut->global->shape.n_dims;
  for (uint32_t a = 0; a < c->spec->n_axes; a++) {
    const sp_placement *q = c->place->axes[a];
    if (q && q->kind != SP_PLACE_PARTIAL && q->dim >= (int64_t)n) {
      bad(c, q->loc, n ? "dimensions count from 0" : "a scalar is not cut",
          sp_format(c->ctx, "%s: there is no dimension %lld", q->text,
                    (long long)q->dim));
    }
  }
  if (c->place->concat && c->place->dim >= (int64_t)n) {
    bad(c, c->place->loc, "dimensions count from 0",
        sp_format(c->ctx, "there is no dimension %lld",
                  (long long)c->place->dim));
  }
}

static bool same_type(sp_dtype a, sp_dtype b) {
  return a == b || (sp_dtype_is_float(a) && sp_dtype_is_float(b)) ||
         (sp_dtype_is_int(a) && sp_dtype_is_int(b));
}

const sp_layout *sp_spec_layout(sp_ctx *ctx, const sp_spec *spec,
                                const sp_spec_cut *cut) {
  cutting c = {.ctx = ctx,
               .spec = spec,
               .cut = cut,
               .place = cut->place,
               .ranks = spec->ranks};
  if (alone(&c)) {
    c.first = cut->rank;
    c.ranks = 1;
  }
  const sp_shape *global = &cut->global->shape, *local = &cut->local->shape;
  if (!same_type(global->dtype, local->dtype)) {
    bad(&c, cut->place->as_loc, "is this the tensor that is meant (as: NAME)?",
        sp_format(ctx, "%s of the distributed program is %s, of another type",
                  cut->local->name, sp_shape_text(ctx, local)));
  }
  check_dims(&c);
  if (cut->place->index) {
    check_index(&c);
  }
  if (global->n_dims != local->n_dims) {
    bad(&c, cut->place->as_loc, "is this the tensor that is meant (as: NAME)?",
        sp_format(ctx, "%s of the distributed program is %s", cut->local->name,
                  sp_shape_text(ctx, local)));
  }
  sp_layout *out = sp_alloc(ctx, sizeof *out);
  sp_layout_dim *dims = sp_alloc_n(ctx, global->n_dims + 1u, sizeof *dims);
  for (uint32_t d = 0; d < global->n_dims; d++) {
    dims[d] = layout_dim(&c, d);
  }
  *out = (sp_layout){.ranks = c.ranks,
                     .n_dims = global->n_dims,
                     .dims = dims,
                     .text = layout_text(&c)};
  if (!alone(&c)) {
    layout_partial(&c, out);
  }
  return out;
}

int64_t sp_spec_part_size(sp_ctx *ctx, const sp_spec *spec,
                          const sp_spec_place *place, const sp_tensor *local) {
  if (place->dim >= (int64_t)local->shape.n_dims) {
    sp_raise(ctx, SP_ERR_INPUT, place->loc, "dimensions count from 0",
             "%s: %s has no dimension %lld", place->name, local->name,
             (long long)place->dim);
  }
  int64_t size = local->shape.dims[place->dim];
  for (uint32_t a = 0; a < spec->n_axes; a++) {
    const sp_placement *q = place->axes[a];
    if (!q || q->kind == SP_PLACE_PARTIAL || q->dim != place->dim) {
      continue;
    }
    int64_t parts = q->pieces ? q->pieces : spec->axes[a].size;
    if (q->kind != SP_PLACE_SHARD || !sp_mul_ok(size, parts, &size)) {
      sp_raise(ctx, SP_ERR_INPUT, q->loc, "Shard is",
               "%s is not understood along the dimension of a concat", q->text);
    }
  }
  return size;
}
