/* parts.c: mesh, groups, constants, assumed ranges of a spec. */
#include "shard-specs/spec_i.h"

#include <string.h>

enum { MAX_AXES = 16, MAX_VALUES = 1 << 20 };

/* ---- mesh ---- */

uint32_t spi_axis_find(const sp_spec *spec, const char *name) {
  uint32_t a = 0;
  while (a < spec->n_axes && strcmp(spec->axes[a].name, name) != 0) {
    a++;
  }
  return a;
}

const char *spi_axis_names(sp_ctx *ctx, const sp_spec *spec) {
  sp_str s = {0};
  for (uint32_t a = 0; a < spec->n_axes; a++) {
    sp_str_addf(ctx, &s, "%s%s", a ? ", " : "", spec->axes[a].name);
  }
  return s.v ? s.v : "none (the mesh has no axis)";
}

static bool is_name(const char *s) {
  static const char *const taken[] = {"as", "index", "concat", "dim", "self"};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    if (strcmp(taken[i], s) == 0) {
      return false;
    }
  }
  if (*s >= '0' && *s <= '9') {
    return false;
  }
  return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                   "0123456789") == strlen(s);
}

void spi_read_mesh(sp_ctx *ctx, sp_spec *spec, const sp_yaml *node) {
  sp_yaml_want(ctx, node, SP_YAML_MAP, "mesh");
  spec->mesh_loc = node->loc;
  spec->ranks = 1;
  if (node->n > MAX_AXES) {
    sp_yaml_fail(ctx, node, NULL, "a mesh of over %d axes", MAX_AXES);
  }
  sp_spec_axis *axes = sp_alloc_n(ctx, node->n + 1, sizeof *axes);
  for (size_t i = 0; i < node->n; i++) {
    const sp_yaml_pair *p = &node->pairs[i];
    if (!is_name(p->key->text)) {
      sp_yaml_fail(ctx, p->key,
                   "letters, digits and _; not as, index, "
                   "concat, dim, self",
                   "%.80s cannot be the name of an axis", p->key->text);
    }
    int64_t size = sp_yaml_int(ctx, p->value, "the size of an axis");
    if (size < 1 || size > SP_SPEC_RANKS ||
        spec->ranks * size > SP_SPEC_RANKS) {
      sp_yaml_fail(ctx, p->value,
                   "the product of all axes is the number of "
                   "ranks, at most 65536",
                   "an axis of size %lld", (long long)size);
    }
    spec->ranks *= size;
    axes[i] = (sp_spec_axis){p->key->text, size, p->key->loc};
  }
  spec->axes = axes;
  spec->n_axes = (uint32_t)node->n;
}

int64_t sp_spec_coordinate(const sp_spec *spec, uint32_t axis, int64_t rank) {
  int64_t below = 1;
  for (uint32_t a = axis + 1; a < spec->n_axes; a++) {
    below *= spec->axes[a].size;
  }
  return rank / below % spec->axes[axis].size;
}

/* ---- groups ---- */

static uint32_t read_axis(sp_ctx *ctx, const sp_spec *spec,
                          const sp_yaml *node) {
  uint32_t a = spi_axis_find(spec, sp_yaml_text(ctx, node, "an axis"));
  if (a >= spec->n_axes) {
    sp_yaml_fail(ctx, node,
                 sp_format(ctx,
                           "self, an axis (%s), a list of axes, or the "
                           "global ranks in group order",
                           spi_axis_names(ctx, spec)),
                 "%.80s is no axis of the mesh", node->text);
  }
  return a;
}

static void read_group_axes(sp_ctx *ctx, const sp_spec *spec,
                            const sp_yaml *node, sp_spec_group *out) {
  uint32_t n = node->kind == SP_YAML_LIST ? (uint32_t)node->n : 1;
  uint32_t *axes = sp_alloc_n(ctx, n, sizeof *axes);
  for (uint32_t i = 0; i < n; i++) {
    const sp_yaml *x = node->kind == SP_YAML_LIST ? node->items[i] : node;
    axes[i] = read_axis(ctx, spec, x);
    for (uint32_t k = 0; k < i; k++) {
      if (axes[k] == axes[i]) {
        sp_yaml_fail(ctx, x, NULL, "the axis %s is there twice", x->text);
      }
    }
  }
  out->kind = SP_GROUP_AXES;
  out->n = n;
  out->axes = axes;
}

static void add_ranks(sp_ctx *ctx, const sp_yaml *list, int64_t ranks,
                      bool *seen, int64_t *ids, uint32_t *n) {
  if (list->n == 0) {
    sp_yaml_fail(ctx, list, NULL, "a group without ranks");
  }
  for (size_t i = 0; i < list->n; i++) {
    const sp_yaml *x = list->items[i];
    int64_t r = sp_yaml_int(ctx, x, "a global rank");
    if (r < 0 || r >= ranks) {
      sp_yaml_fail(ctx, x, "global ranks count from 0, row-major over the mesh",
                   "rank %lld of a mesh of %lld", (long long)r,
                   (long long)ranks);
    }
    if (seen[r]) {
      sp_yaml_fail(ctx, x, NULL, "rank %lld is there twice", (long long)r);
    }
    seen[r] = true;
    ids[(*n)++] = r;
  }
}

/* [0, 1] is one group, [[0, 1], [2, 3]] are two of the same name. */
static void read_group_ranks(sp_ctx *ctx, int64_t ranks, const sp_yaml *node,
                             sp_spec_group *out) {
  bool many = node->items[0]->kind == SP_YAML_LIST;
  uint32_t n_groups = many ? (uint32_t)node->n : 1, n = 0;
  uint32_t *start = sp_alloc_n(ctx, n_groups + 1u, sizeof *start);
  int64_t *ids = sp_alloc_n(ctx, (size_t)ranks, sizeof *ids);
  bool *seen = sp_alloc_n(ctx, (size_t)ranks, sizeof *seen);
  for (uint32_t g = 0; g < n_groups; g++) {
    const sp_yaml *list = many ? node->items[g] : node;
    sp_yaml_want(ctx, list, SP_YAML_LIST, "a group");
    add_ranks(ctx, list, ranks, seen, ids, &n);
    start[g + 1] = n;
  }
  out->kind = SP_GROUP_RANKS;
  out->ranks = (sp_groups){n_groups, start, ids};
}

static void read_group(sp_ctx *ctx, const sp_spec *spec, bool sequential,
                       const sp_yaml_pair *p, sp_spec_group *out) {
  const sp_yaml *node = p->value;
  int64_t first;
  *out = (sp_spec_group){.name = p->key->text, .loc = p->key->loc};
  if (node->kind == SP_YAML_SCALAR && strcmp(node->text, "self") == 0) {
    out->kind = SP_GROUP_SELF;
    return;
  }
  bool list = node->kind == SP_YAML_LIST && node->n > 0;
  if (list && (node->items[0]->kind == SP_YAML_LIST ||
               sp_yaml_is_int(node->items[0], &first))) {
    read_group_ranks(ctx, sequential ? 1 : spec->ranks, node, out);
    return;
  }
  if (node->kind == SP_YAML_MAP || (node->kind == SP_YAML_LIST && !list)) {
    sp_yaml_fail(ctx, node, "self, an axis, a list of axes, or global ranks",
                 "%s is no group", sp_yaml_kind_name(node));
  }
  if (sequential) {
    sp_yaml_fail(ctx, node, "write self",
                 "the sequential program has one rank and no mesh");
  }
  read_group_axes(ctx, spec, node, out);
}

static void read_side_groups(sp_ctx *ctx, const sp_spec *spec, bool sequential,
                             const sp_yaml *node, sp_spec_side *side) {
  sp_yaml_want(ctx, node, SP_YAML_MAP, "the groups of a side");
  sp_spec_group *v = sp_alloc_n(ctx, node->n + 1, sizeof *v);
  for (size_t i = 0; i < node->n; i++) {
    read_group(ctx, spec, sequential, &node->pairs[i], &v[i]);
  }
  side->groups = v;
  side->n_groups = node->n;
}

void spi_read_groups(sp_ctx *ctx, sp_spec *spec, const sp_yaml *node) {
  static const char *const keys[] = {"sequential", "distributed", NULL};
  sp_yaml_keys(ctx, node, "groups", keys);
  const sp_yaml *seq = sp_yaml_get(node, "sequential");
  const sp_yaml *dist = sp_yaml_get(node, "distributed");
  if (seq) {
    read_side_groups(ctx, spec, true, seq, &spec->sequential);
  }
  if (dist) {
    read_side_groups(ctx, spec, false, dist, &spec->distributed);
  }
}

/* ---- constants ---- */

static sp_dtype torch_dtype(const char *s) {
  static const struct {
    const char *name;
    sp_dtype t;
  } names[] = {{"i64", SP_S64}, {"i32", SP_S32}, {"i16", SP_S16},
               {"i8", SP_S8},   {"b8", SP_PRED}, {"bool", SP_PRED}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i].name, s) == 0) {
      return names[i].t;
    }
  }
  return sp_dtype_parse(s, strlen(s));
}

/* Numbers of nested lists in row-major order; the nesting must be even. */
static void flatten(sp_ctx *ctx, const sp_yaml *node, uint32_t depth,
                    int64_t *dims, uint32_t *n_dims, double *f, int64_t *i,
                    bool *whole, uint32_t *n) {
  if (node->kind == SP_YAML_LIST) {
    if (depth >= 16 || (*n > 0 && depth >= *n_dims)) {
      sp_yaml_fail(ctx, node, NULL, "lists of different depth");
    }
    if (*n == 0 && depth >= *n_dims) {
      dims[(*n_dims)++] = (int64_t)node->n;
    }
    if (dims[depth] != (int64_t)node->n || node->n == 0) {
      sp_yaml_fail(ctx, node, NULL, "lists of different length");
    }
    for (size_t k = 0; k < node->n; k++) {
      flatten(ctx, node->items[k], depth + 1, dims, n_dims, f, i, whole, n);
    }
    return;
  }
  if (depth != *n_dims || *n >= MAX_VALUES) {
    sp_yaml_fail(ctx, node, NULL, "lists of different depth, or too long");
  }
  bool truth = strcmp(node->text, "true") == 0;
  if (truth || strcmp(node->text, "false") == 0) {
    i[*n] = truth;
    f[*n] = truth;
  } else if (!sp_yaml_is_number(node, &f[*n])) {
    sp_yaml_fail(ctx, node, NULL, "the value of a constant is no number");
  } else if (!sp_yaml_is_int(node, &i[*n])) {
    *whole = false;
  }
  (*n)++;
}

static uint32_t count_scalars(sp_ctx *ctx, const sp_yaml *node) {
  if (node->kind == SP_YAML_MAP) {
    sp_yaml_fail(ctx, node, NULL,
                 "the value of a constant is a number, or "
                 "lists of numbers");
  }
  if (node->kind == SP_YAML_SCALAR) {
    return 1;
  }
  uint32_t n = 0;
  for (size_t k = 0; k < node->n; k++) {
    n += count_scalars(ctx, node->items[k]);
  }
  return n;
}

static void read_value(sp_ctx *ctx, const sp_yaml *node,
                       sp_spec_constant *out) {
  uint32_t n = count_scalars(ctx, node), at = 0, n_dims = 0;
  double *f = sp_alloc_n(ctx, n + 1u, sizeof *f);
  int64_t *i = sp_alloc_n(ctx, n + 1u, sizeof *i);
  int64_t *dims = sp_alloc_n(ctx, 16, sizeof *dims);
  bool whole = true;
  flatten(ctx, node, 0, dims, &n_dims, f, i, &whole, &at);
  out->n = n;
  out->f = f;
  out->i = whole ? i : NULL;
  if (node->kind == SP_YAML_LIST) {
    out->has_shape = true;
    out->shape = (sp_shape){SP_DTYPE_INVALID, n_dims, dims};
  }
}

static void read_constant(sp_ctx *ctx, const sp_yaml_pair *p, int64_t rank,
                          sp_spec_constant *out) {
  static const char *const keys[] = {"dtype", "shape", "value", NULL};
  *out = (sp_spec_constant){
      .name = p->key->text, .loc = p->key->loc, .rank = rank};
  const sp_yaml *node = p->value;
  if (node->kind != SP_YAML_MAP) {
    read_value(ctx, node, out);
    return;
  }
  sp_yaml_keys(ctx, node, "a constant", keys);
  const sp_yaml *value = sp_yaml_get(node, "value");
  const sp_yaml *shape = sp_yaml_get(node, "shape");
  const sp_yaml *dtype = sp_yaml_get(node, "dtype");
  if (!value) {
    sp_yaml_fail(ctx, node, "{dtype: i64, shape: [], value: 0}",
                 "the value is missing");
  }
  read_value(ctx, value, out);
  if (shape) {
    sp_yaml_want(ctx, shape, SP_YAML_LIST, "shape");
    int64_t *dims = sp_alloc_n(ctx, shape->n + 1, sizeof *dims);
    for (size_t d = 0; d < shape->n; d++) {
      dims[d] = sp_yaml_int(ctx, shape->items[d], "a size");
    }
    sp_shape said = {SP_DTYPE_INVALID, (uint32_t)shape->n, dims};
    if (out->has_shape && !sp_shape_equal(&said, &out->shape)) {
      sp_yaml_fail(ctx, shape, NULL, "the value has another shape");
    }
    out->has_shape = true;
    out->shape = said;
  }
  if (dtype) {
    out->shape.dtype = torch_dtype(sp_yaml_text(ctx, dtype, "dtype"));
    if (out->shape.dtype == SP_DTYPE_INVALID) {
      sp_yaml_fail(ctx, dtype, "f32, bf16, i64, b8, ...", "%.60s is no type",
                   dtype->text);
    }
  }
}

typedef SP_VEC(sp_spec_constant) constant_list;

static void read_side_constants(sp_ctx *ctx, const sp_yaml *node, int64_t rank,
                                constant_list *out) {
  sp_yaml_want(ctx, node, SP_YAML_MAP, "the constants of a side");
  for (size_t i = 0; i < node->n; i++) {
    sp_spec_constant c;
    read_constant(ctx, &node->pairs[i], rank, &c);
    sp_push(ctx, out, c);
  }
}

/* "rank12" */
static bool rank_key(const char *key, int64_t ranks, int64_t *rank) {
  const char *s = key + 4;
  if (strncmp(key, "rank", 4) != 0 || !*s || strlen(s) > 6 ||
      strspn(s, "0123456789") != strlen(s)) {
    return false;
  }
  *rank = 0;
  for (; *s; s++) {
    *rank = *rank * 10 + (*s - '0');
  }
  return *rank < ranks;
}

void spi_read_constants(sp_ctx *ctx, sp_spec *spec, const sp_yaml *node) {
  constant_list seq = {0}, dist = {0};
  sp_yaml_want(ctx, node, SP_YAML_MAP, "constants");
  for (size_t i = 0; i < node->n; i++) {
    const sp_yaml_pair *p = &node->pairs[i];
    int64_t rank;
    if (strcmp(p->key->text, "sequential") == 0) {
      read_side_constants(ctx, p->value, -1, &seq);
    } else if (strcmp(p->key->text, "distributed") == 0) {
      read_side_constants(ctx, p->value, -1, &dist);
    } else if (rank_key(p->key->text, spec->ranks, &rank)) {
      read_side_constants(ctx, p->value, rank, &dist);
    } else {
      sp_yaml_fail(ctx, p->key,
                   sp_format(ctx,
                             "sequential, distributed, or rank0 to "
                             "rank%lld",
                             (long long)spec->ranks - 1),
                   "%.80s is no side", p->key->text);
    }
  }
  spec->sequential.constants = seq.v;
  spec->sequential.n_constants = seq.n;
  spec->distributed.constants = dist.v;
  spec->distributed.n_constants = dist.n;
}

/* ---- ranges ---- */

enum { MAX_PARTS = 64 }; /* of a range */

/* [low, high) */
static sp_stretch read_range(sp_ctx *ctx, const sp_yaml *x, const char *name) {
  if (x->kind != SP_YAML_LIST || x->n != 2) {
    sp_yaml_fail(ctx, x,
                 "ids: [0, 32000] for 0 <= ids < 32000; labels: [-100, [0, "
                 "32000]] for -100 or one of these",
                 "the range of %.80s is not [low, high]", name);
  }
  int64_t lo = sp_yaml_int(ctx, x->items[0], "the lower end");
  int64_t hi = sp_yaml_int(ctx, x->items[1], "the upper end");
  if (lo >= hi) {
    sp_yaml_fail(ctx, x, "the upper end is not in the range",
                 "the range [%lld, %lld) is empty", (long long)lo,
                 (long long)hi);
  }
  return (sp_stretch){lo, hi - 1};
}

static sp_stretch read_part(sp_ctx *ctx, const sp_yaml *x, const char *name) {
  if (x->kind == SP_YAML_LIST) {
    return read_range(ctx, x, name);
  }
  int64_t v = sp_yaml_int(ctx, x, "a value");
  if (v == INT64_MAX) {
    sp_yaml_fail(ctx, x, NULL, "the value is too large");
  }
  return (sp_stretch){v, v};
}

/* A range, or a list of ranges and values, one of them a range: two values
 * would be one. */
static bool is_union(const sp_yaml *x) {
  bool any = false;
  for (size_t i = 0; x->kind == SP_YAML_LIST && i < x->n; i++) {
    any = any || x->items[i]->kind == SP_YAML_LIST;
  }
  return any;
}

void spi_read_ranges(sp_ctx *ctx, sp_spec *spec, const sp_yaml *node) {
  sp_yaml_want(ctx, node, SP_YAML_MAP, "assume");
  sp_spec_range *v = sp_alloc_n(ctx, node->n + 1, sizeof *v);
  for (size_t i = 0; i < node->n; i++) {
    const sp_yaml_pair *p = &node->pairs[i];
    const sp_yaml *x = p->value;
    if (is_union(x) && x->n > MAX_PARTS) {
      sp_yaml_fail(ctx, x, NULL, "the range of %.80s has more than %d parts",
                   p->key->text, MAX_PARTS);
    }
    uint32_t n = is_union(x) ? (uint32_t)x->n : 1;
    sp_stretch *parts = sp_alloc_n(ctx, n, sizeof *parts);
    sp_loc *locs = sp_alloc_n(ctx, n, sizeof *locs);
    locs[0] = x->loc;
    if (is_union(x)) {
      for (uint32_t k = 0; k < n; k++) {
        parts[k] = read_part(ctx, x->items[k], p->key->text);
        locs[k] = x->items[k]->loc;
      }
    } else {
      parts[0] = read_range(ctx, x, p->key->text);
    }
    v[i] = (sp_spec_range){p->key->text, p->key->loc, n, parts, locs};
  }
  spec->ranges = v;
  spec->n_ranges = node->n;
}
