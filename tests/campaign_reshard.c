/* campaign_reshard.c: from one placement of a tensor to another. Read
 * camp_move, at the end: partial results first, then exchanges between two
 * axes or dimensions, then what is gathered, then what is cut, then what is
 * made partial. Where there are several ways to do one thing, one is drawn.
 */
#include "tests/campaign.h"

#include <string.h>

static bool in_set(uint32_t set, uint32_t a) {
  return set >> a & 1;
}

/* Now and then what a collective does is done by hand. */
static bool unusual(camp_sharder *s) {
  return s->mesh->odd && camp_one_in(&s->rng, 8);
}

/* ---- groups ---- */

/* Devices that differ in the axes of the set only, in the order of these. */
static void set_groups(const camp_sharder *s, uint32_t axes, camp_node *n) {
  const camp_mesh *m = s->mesh;
  n->group_size = 1;
  for (uint32_t a = 0; a < m->n_axes; a++) {
    n->group_size *= in_set(axes, a) ? (uint32_t)m->size[a] : 1;
  }
  n->n_groups = (uint32_t)m->devices / n->group_size;
  int64_t *ids = sp_alloc_n(s->ctx, (size_t)m->devices, sizeof *ids);
  for (int64_t i = 0; i < m->devices; i++) {
    int64_t group = 0, member = 0;
    for (uint32_t a = 0; a < m->n_axes; a++) {
      int64_t c = camp_coordinate(m, m->device[i], a);
      if (in_set(axes, a)) {
        member = member * m->size[a] + c;
      } else {
        group = group * m->size[a] + c;
      }
    }
    ids[group * n->group_size + member] = m->device[i];
  }
  n->groups = ids;
}

static camp_node over(const camp_sharder *s, camp_op op, uint32_t a,
                      uint32_t axes) {
  const camp_node *x = camp_at(s->dist, a);
  camp_node n = {.op = op, .type = x->type, .n_dims = x->n_dims, .n_in = 1};
  memcpy(n.dims, x->dims, sizeof n.dims);
  n.in[0] = a;
  n.n_x = 1;
  set_groups(s, axes, &n);
  return n;
}

/* Each device sends to the one whose coordinates are to(its own). */
typedef void (*camp_route)(const camp_mesh *m, int64_t *at, int64_t a,
                           int64_t b);

static uint32_t permute(camp_sharder *s, uint32_t x, camp_route to, int64_t a,
                        int64_t b) {
  const camp_mesh *m = s->mesh;
  const camp_node *like = camp_at(s->dist, x);
  camp_node n = {.op = CAMP_OP_PERMUTE, .type = like->type};
  n.n_dims = like->n_dims;
  memcpy(n.dims, like->dims, sizeof n.dims);
  n.n_in = 1;
  n.in[0] = x;
  n.group_size = 2;
  n.n_groups = (uint32_t)m->devices;
  int64_t *pairs = sp_alloc_n(s->ctx, 2 * (size_t)m->devices, sizeof *pairs);
  for (int64_t i = 0; i < m->devices; i++) {
    int64_t at[CAMP_AXES], place = 0;
    for (uint32_t k = 0; k < m->n_axes; k++) {
      at[k] = camp_coordinate(m, i, k);
    }
    to(m, at, a, b);
    for (uint32_t k = 0; k < m->n_axes; k++) {
      place = place * m->size[k] + at[k];
    }
    pairs[2 * i] = i;
    pairs[2 * i + 1] = m->device[place];
  }
  n.groups = pairs;
  return camp_push(s->dist, n);
}

static void route_on(const camp_mesh *m, int64_t *at, int64_t axis,
                     int64_t by) {
  at[axis] = (at[axis] + by) % m->size[axis];
}

static void route_swap(const camp_mesh *m, int64_t *at, int64_t a, int64_t b) {
  (void)m;
  int64_t was = at[a];
  at[a] = at[b];
  at[b] = was;
}

/* ---- where a device is ---- */

static uint32_t device_number(camp_sharder *s) {
  return camp_push(s->dist,
                   (camp_node){.op = CAMP_OP_PARTITION_ID, .type = SP_U32});
}

static int64_t position(const camp_mesh *m, int64_t device, uint32_t axes) {
  int64_t at = 0;
  for (uint32_t a = 0; a < m->n_axes; a++) {
    if (in_set(axes, a)) {
      at = at * m->size[a] + camp_coordinate(m, device, a);
    }
  }
  return at;
}

static uint32_t looked_up(camp_sharder *s, uint32_t axes, int64_t block) {
  int64_t devices = s->mesh->devices, one = 1;
  double *v = sp_alloc_n(s->ctx, (size_t)devices, sizeof *v);
  for (int64_t i = 0; i < devices; i++) {
    v[i] = (double)(position(s->mesh, i, axes) * block);
  }
  uint32_t table = camp_push(s->dist, (camp_node){.op = CAMP_OP_CONSTANT,
                                                  .type = SP_S32,
                                                  .n_dims = 1,
                                                  .dims = {devices},
                                                  .values = v,
                                                  .n_values = (size_t)devices});
  camp_mark(s, table, CAMP_TABLE);
  uint32_t id = device_number(s);
  uint32_t at = camp_dynamic_slice(s->dist, table, &id, &one);
  return camp_reshape(s->dist, at, 0, NULL);
}

static uint32_t with_constant(camp_sharder *s, camp_op op, uint32_t x,
                              int64_t value, camp_role role) {
  uint32_t c = camp_scalar(s->dist, SP_S32, (double)value);
  camp_mark(s, c, role);
  return camp_binary(s->dist, op, x, c);
}

static uint32_t computed(camp_sharder *s, uint32_t axes, int64_t block) {
  const camp_mesh *m = s->mesh;
  uint32_t id = camp_convert(s->dist, device_number(s), SP_S32), sum = 0;
  bool first = true;
  int64_t stride = m->devices;
  for (uint32_t a = 0; a < m->n_axes; a++) {
    stride /= m->size[a];
    if (!in_set(axes, a)) {
      continue;
    }
    uint32_t c = id;
    if (stride > 1) {
      c = with_constant(s, CAMP_OP_DIVIDE, c, stride, CAMP_PLAIN);
    }
    if (a > 0) {
      c = with_constant(s, CAMP_OP_REMAINDER, c, m->size[a], CAMP_PLAIN);
    }
    if (!first) {
      sum = with_constant(s, CAMP_OP_MULTIPLY, sum, m->size[a], CAMP_PLAIN);
      c = camp_binary(s->dist, CAMP_OP_ADD, sum, c);
    }
    sum = c;
    first = false;
  }
  return block == 1
             ? sum
             : with_constant(s, CAMP_OP_MULTIPLY, sum, block, CAMP_STRIDE);
}

uint32_t camp_offset(camp_sharder *s, uint32_t axes, int64_t block) {
  return s->mesh->ordered && camp_one_in(&s->rng, 2)
             ? computed(s, axes, block)
             : looked_up(s, axes, block);
}

/* ---- masks ---- */

uint32_t camp_mask(camp_sharder *s, uint32_t node, uint32_t axes, uint32_t dim,
                   int64_t size, double value) {
  camp_program *p = s->dist;
  camp_node x = *camp_at(p, node);
  uint32_t here = camp_iota(p, SP_S32, x.n_dims, x.dims, dim);
  uint32_t offset = camp_offset(s, axes, x.dims[dim]);
  here = camp_binary(p, CAMP_OP_ADD, here, camp_spread(p, offset, here));
  camp_mark(s, here, CAMP_SHIFT);
  uint32_t end = camp_scalar(p, SP_S32, (double)size);
  camp_mark(s, end, CAMP_LIMIT);
  uint32_t inside = camp_compare(p, "LT", here, camp_spread(p, end, here));
  uint32_t neutral = camp_spread(p, camp_scalar(p, x.type, value), node);
  uint32_t out = camp_select(p, inside, node, neutral);
  camp_mark(s, out, CAMP_MASK);
  return out;
}

/* The value on the first device of the axis, what adds nothing elsewhere. */
static uint32_t once(camp_sharder *s, uint32_t node, uint32_t axis,
                     camp_red red) {
  camp_program *p = s->dist;
  uint32_t at = camp_offset(s, 1u << axis, 1);
  uint32_t zero = camp_scalar(p, SP_S32, 0);
  uint32_t first = camp_spread(p, camp_compare(p, "EQ", at, zero), node);
  sp_dtype t = camp_at(p, node)->type;
  uint32_t neutral = camp_scalar(p, t, camp_identity(red, t));
  uint32_t out = camp_select(p, first, node, camp_spread(p, neutral, node));
  camp_mark(s, out, CAMP_ONCE);
  return out;
}

/* ---- partial results ---- */

/* Turn by turn around the axis, adding up. */
static uint32_t ring_reduce(camp_sharder *s, uint32_t x, uint32_t axis,
                            camp_red red) {
  uint32_t sum = x;
  for (int64_t i = 1; i < s->mesh->size[axis]; i++) {
    x = permute(s, x, route_on, axis, 1);
    sum = camp_binary(s->dist, camp_red_op(red), sum, x);
  }
  return sum;
}

/* All axes of the set, which hold partial results of one reduction. */
static uint32_t add_up(camp_sharder *s, uint32_t x, uint32_t axes,
                       camp_red red) {
  for (uint32_t a = 0; a < s->mesh->n_axes; a++) {
    if (axes == 1u << a && unusual(s)) {
      return ring_reduce(s, x, a, red);
    }
    if (in_set(axes, a) && axes != 1u << a && camp_one_in(&s->rng, 3)) {
      x = add_up(s, x, 1u << a, red);
      axes &= ~(1u << a);
    }
  }
  camp_node n = over(s, CAMP_OP_ALL_REDUCE, x, axes);
  n.red = red;
  return camp_push(s->dist, n);
}

static bool goes_last(const camp_sharder *s, const camp_place *at, uint32_t dim,
                      uint32_t axis) {
  return camp_axes_of(s->mesh, at, dim) < 1u << axis;
}

/* Partial results straight into parts. */
static bool scatter_up(camp_sharder *s, camp_value *v, const camp_node *global,
                       uint32_t a, camp_place to) {
  if (to.held != CAMP_PART || camp_one_in(&s->rng, 4) ||
      !goes_last(s, v->at, to.dim, a)) {
    return false;
  }
  int64_t tiles = camp_tiles(s->mesh, v->at, to.dim) * s->mesh->size[a];
  if (global->dims[to.dim] % tiles != 0) {
    return false;
  }
  camp_node n = over(s, CAMP_OP_REDUCE_SCATTER, v->node, 1u << a);
  n.x[0] = to.dim;
  n.red = v->at[a].red;
  n.dims[to.dim] /= s->mesh->size[a];
  v->node = camp_push(s->dist, n);
  v->at[a] = to;
  return true;
}

static void resolve(camp_sharder *s, camp_value *v, const camp_node *global,
                    const camp_place *to) {
  for (camp_red red = CAMP_SUM; red < CAMP_N_REDS; red++) {
    uint32_t axes = 0;
    for (uint32_t a = 0; a < s->mesh->n_axes; a++) {
      bool here = v->at[a].held == CAMP_PARTIAL && v->at[a].red == red;
      bool there = to[a].held == CAMP_PARTIAL && to[a].red == red;
      if (here && !there && !scatter_up(s, v, global, a, to[a])) {
        axes |= 1u << a;
      }
    }
    if (axes) {
      v->node = add_up(s, v->node, axes, red);
    }
    for (uint32_t a = 0; a < s->mesh->n_axes; a++) {
      if (in_set(axes, a)) {
        v->at[a] = (camp_place){CAMP_WHOLE, 0, CAMP_SUM};
      }
    }
  }
}

/* ---- exchanges ---- */

/* Parts of dimension d become parts of dimension e on one axis. */
static void exchange(camp_sharder *s, camp_value *v, const camp_node *global,
                     uint32_t a, camp_place to) {
  uint32_t d = v->at[a].dim, e = to.dim;
  int64_t n = s->mesh->size[a];
  camp_node x = *camp_at(s->dist, v->node);
  if (v->at[a].held != CAMP_PART || to.held != CAMP_PART || d == e ||
      camp_axes_of(s->mesh, v->at, d) != 1u << a ||
      !goes_last(s, v->at, e, a) || global->dims[d] % n != 0 ||
      global->dims[e] % (n * camp_tiles(s->mesh, v->at, e)) != 0 ||
      camp_one_in(&s->rng, 4)) {
    return;
  }
  /* e is split in n, each device gets its piece of all: then the pieces are in
   * front of d */
  int64_t dims[CAMP_DIMS], perm[CAMP_DIMS];
  uint32_t k = 0, pieces = e;
  for (uint32_t i = 0; i < x.n_dims; i++) {
    if (i == e) {
      dims[k++] = n;
    }
    dims[k++] = i == e ? x.dims[i] / n : x.dims[i];
  }
  uint32_t split = camp_reshape(s->dist, v->node, x.n_dims + 1, dims);
  camp_node all = over(s, CAMP_OP_ALL_TO_ALL, split, 1u << a);
  all.x[0] = pieces;
  uint32_t got = camp_push(s->dist, all);
  k = 0;
  for (uint32_t i = 0; i < x.n_dims; i++) {
    if (i == d) {
      perm[k++] = pieces;
    }
    perm[k++] = i < e ? i : i + 1;
  }
  got = camp_transpose(s->dist, got, perm);
  x.dims[d] *= n;
  x.dims[e] /= n;
  v->node = camp_reshape(s->dist, got, x.n_dims, x.dims);
  v->at[a] = to;
}

/* The parts that one axis numbers are to be numbered by another. */
static void swap_axes(camp_sharder *s, camp_value *v, const camp_place *to) {
  for (uint32_t a = 0; a < s->mesh->n_axes; a++) {
    for (uint32_t b = 0; b < s->mesh->n_axes; b++) {
      uint32_t d = v->at[a].dim;
      if (v->at[a].held != CAMP_PART || v->at[b].held != CAMP_WHOLE ||
          camp_axes_of(s->mesh, v->at, d) != 1u << a ||
          camp_axes_of(s->mesh, to, d) != 1u << b ||
          s->mesh->size[a] != s->mesh->size[b] || camp_one_in(&s->rng, 3)) {
        continue;
      }
      v->node = permute(s, v->node, route_swap, a, b);
      v->at[b] = v->at[a];
      v->at[a] = (camp_place){CAMP_WHOLE, 0, CAMP_SUM};
    }
  }
}

/* ---- gathering ---- */

static uint32_t zeros(camp_sharder *s, sp_dtype t, uint32_t n,
                      const int64_t *dims) {
  return camp_broadcast(s->dist, camp_scalar(s->dist, t, 0), n, dims, dims);
}

/* Starts: offset in dimension dim, 0 in the others. */
static void starts_at(camp_sharder *s, uint32_t n_dims, uint32_t dim,
                      uint32_t offset, uint32_t *starts) {
  uint32_t zero = n_dims > 1 ? camp_scalar(s->dist, SP_S32, 0) : 0;
  for (uint32_t d = 0; d < n_dims; d++) {
    starts[d] = d == dim ? offset : zero;
  }
}

/* Parts written into zeros, and the sum of all. */
static uint32_t gather_by_sum(camp_sharder *s, uint32_t x, uint32_t dim,
                              uint32_t axes, int64_t parts) {
  camp_node n = *camp_at(s->dist, x);
  int64_t block = n.dims[dim];
  uint32_t starts[CAMP_DIMS];
  n.dims[dim] *= parts;
  uint32_t empty = zeros(s, n.type, n.n_dims, n.dims);
  starts_at(s, n.n_dims, dim, camp_offset(s, axes, block), starts);
  x = camp_dynamic_update(s->dist, empty, x, starts);
  return add_up(s, x, axes, n.type == SP_PRED ? CAMP_OR : CAMP_SUM);
}

/* Turn by turn: after i turns a device holds what the i-th before it held. */
static uint32_t gather_by_ring(camp_sharder *s, uint32_t x, uint32_t dim,
                               uint32_t axis) {
  camp_node n = *camp_at(s->dist, x);
  int64_t block = n.dims[dim], parts = s->mesh->size[axis];
  n.dims[dim] *= parts;
  uint32_t all = zeros(s, n.type, n.n_dims, n.dims);
  uint32_t at = camp_offset(s, 1u << axis, 1);
  for (int64_t i = 0; i < parts; i++) {
    uint32_t starts[CAMP_DIMS];
    uint32_t from = with_constant(s, CAMP_OP_ADD, at, parts - i, CAMP_PLAIN);
    from = with_constant(s, CAMP_OP_REMAINDER, from, parts, CAMP_PLAIN);
    from = with_constant(s, CAMP_OP_MULTIPLY, from, block, CAMP_STRIDE);
    x = i ? permute(s, x, route_on, axis, 1) : x;
    starts_at(s, n.n_dims, dim, from, starts);
    all = camp_dynamic_update(s->dist, all, x, starts);
  }
  return all;
}

static uint32_t gather_parts(camp_sharder *s, uint32_t x, uint32_t dim,
                             uint32_t axes) {
  camp_node n = over(s, CAMP_OP_ALL_GATHER, x, axes);
  uint32_t single = 0;
  for (uint32_t a = 0; a < s->mesh->n_axes; a++) {
    single = axes == 1u << a ? a + 1 : single;
  }
  if (n.n_dims <= 4 && unusual(s)) {
    return gather_by_sum(s, x, dim, axes, n.group_size);
  }
  if (single && n.n_dims <= 4 && unusual(s)) {
    return gather_by_ring(s, x, dim, single - 1);
  }
  n.x[0] = dim;
  n.dims[dim] *= n.group_size;
  return camp_push(s->dist, n);
}

static uint32_t cut_to(camp_sharder *s, uint32_t x, uint32_t dim,
                       int64_t size) {
  camp_node n = *camp_at(s->dist, x);
  int64_t start[CAMP_DIMS] = {0};
  n.dims[dim] = size;
  return camp_slice(s->dist, x, start, n.dims, NULL);
}

/* The first axes that two orders of cutting share. */
static uint32_t shared_axes(uint32_t a, uint32_t b) {
  uint32_t both = 0;
  for (uint32_t k = 0; k < CAMP_AXES; k++) {
    if (in_set(a, k) != in_set(b, k)) {
      break;
    }
    both |= (a & b) & 1u << k;
  }
  return both;
}

/* Cuts of dimension d that stay; the others are gathered. */
static void gather(camp_sharder *s, camp_value *v, const camp_node *global,
                   uint32_t d, const camp_place *to) {
  uint32_t is = camp_axes_of(s->mesh, v->at, d);
  uint32_t want = camp_axes_of(s->mesh, to, d);
  if (is == want || !is) {
    return;
  }
  bool even = global->dims[d] % camp_tiles(s->mesh, v->at, d) == 0 &&
              global->dims[d] % camp_tiles(s->mesh, to, d) == 0;
  uint32_t keep = even ? shared_axes(is, want) : 0;
  if (is == keep) {
    return;
  }
  v->node = gather_parts(s, v->node, d, is & ~keep);
  for (uint32_t a = 0; a < s->mesh->n_axes; a++) {
    if (in_set(is & ~keep, a)) {
      v->at[a] = (camp_place){CAMP_WHOLE, 0, CAMP_SUM};
    }
  }
  if (!keep && camp_at(s->dist, v->node)->dims[d] != global->dims[d]) {
    v->node = cut_to(s, v->node, d, global->dims[d]);
  }
}

/* ---- cutting ---- */

static void cut(camp_sharder *s, camp_value *v, uint32_t d,
                const camp_place *to) {
  uint32_t is = camp_axes_of(s->mesh, v->at, d);
  uint32_t more = camp_axes_of(s->mesh, to, d) & ~is;
  if (!more) {
    return;
  }
  int64_t parts = 1;
  for (uint32_t a = 0; a < s->mesh->n_axes; a++) {
    if (in_set(more, a)) {
      parts *= s->mesh->size[a];
      v->at[a] = to[a];
    }
  }
  camp_node n = *camp_at(s->dist, v->node);
  int64_t block = (n.dims[d] + parts - 1) / parts, high[CAMP_DIMS] = {0};
  if (block * parts != n.dims[d]) {
    high[d] = block * parts - n.dims[d];
    uint32_t filler = camp_scalar(s->dist, n.type, 0);
    v->node = camp_pad(s->dist, v->node, filler, NULL, high, NULL);
  }
  uint32_t starts[CAMP_DIMS];
  starts_at(s, n.n_dims, d, camp_offset(s, more, block), starts);
  n.dims[d] = block;
  v->node = camp_dynamic_slice(s->dist, v->node, starts, n.dims);
}

/* ---- all of it ---- */

static void make_partial(camp_sharder *s, camp_value *v, uint32_t a,
                         camp_place to) {
  bool idempotent = to.red != CAMP_SUM && to.red != CAMP_PROD;
  if (!idempotent || camp_one_in(&s->rng, 3)) {
    v->node = once(s, v->node, a, to.red);
  }
  v->at[a] = to;
}

camp_value camp_move(camp_sharder *s, camp_value v, const camp_node *global,
                     const camp_place *to) {
  resolve(s, &v, global, to);
  swap_axes(s, &v, to);
  for (uint32_t a = 0; a < s->mesh->n_axes; a++) {
    exchange(s, &v, global, a, to[a]);
  }
  for (uint32_t d = 0; d < global->n_dims; d++) {
    gather(s, &v, global, d, to);
  }
  for (uint32_t d = 0; d < global->n_dims; d++) {
    cut(s, &v, d, to);
  }
  for (uint32_t a = 0; a < s->mesh->n_axes; a++) {
    if (to[a].held == CAMP_PARTIAL && v.at[a].held != CAMP_PARTIAL) {
      make_partial(s, &v, a, to[a]);
    }
  }
  return v;
}
