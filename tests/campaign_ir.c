/* campaign_ir.c: random numbers, the operator table, and building blocks that
 * work out shapes. Both programs of a campaign are built with them. */
#include "tests/campaign.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- random numbers: splitmix64 ---- */

static uint64_t scramble(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

camp_rng camp_rng_of(uint64_t seed, uint64_t stream) {
  return (camp_rng){scramble(seed * UINT64_C(0x9e3779b97f4a7c15) + 1) ^
                    scramble(stream + UINT64_C(0x632be59bd9b4e019))};
}

uint64_t camp_bits(camp_rng *r) {
  r->state += UINT64_C(0x9e3779b97f4a7c15);
  return scramble(r->state);
}

uint32_t camp_draw(camp_rng *r, uint32_t n) {
  return (uint32_t)(camp_bits(r) >> 33) % n;
}

bool camp_one_in(camp_rng *r, uint32_t n) {
  return camp_draw(r, n) == 0;
}

/* ---- operators ---- */

static const struct {
  const char *name;
  camp_kind kind;
} ops[] = {
#define X(name, spelling, kind, arity) {spelling, CAMP_##kind},
    CAMP_OPS(X)
#undef X
};

const char *camp_op_name(camp_op op) {
  return ops[op].name;
}

camp_kind camp_op_kind(camp_op op) {
  return ops[op].kind;
}

camp_op camp_red_op(camp_red red) {
  static const camp_op of[CAMP_N_REDS] = {
      [CAMP_SUM] = CAMP_OP_ADD,     [CAMP_PROD] = CAMP_OP_MULTIPLY,
      [CAMP_MAX] = CAMP_OP_MAXIMUM, [CAMP_MIN] = CAMP_OP_MINIMUM,
      [CAMP_AND] = CAMP_OP_AND,     [CAMP_OR] = CAMP_OP_OR};
  return of[red];
}

double camp_identity(camp_red red, sp_dtype t) {
  double most = t == SP_S32 ? 2147483647.0 : (double)INFINITY;
  double least = t == SP_S32 ? -2147483648.0 : -(double)INFINITY;
  const double of[CAMP_N_REDS] = {
      [CAMP_SUM] = 0,    [CAMP_PROD] = 1, [CAMP_MAX] = least,
      [CAMP_MIN] = most, [CAMP_AND] = 1,  [CAMP_OR] = 0};
  return of[red];
}

/* ---- programs ---- */

camp_program *camp_program_new(sp_ctx *ctx) {
  camp_program *p = sp_alloc(ctx, sizeof *p);
  p->ctx = ctx;
  return p;
}

uint32_t camp_push(camp_program *p, camp_node node) {
  sp_push(p->ctx, &p->nodes, node);
  return (uint32_t)p->nodes.n - 1;
}

int64_t camp_elements(const camp_node *n) {
  int64_t product = 1;
  for (uint32_t d = 0; d < n->n_dims; d++) {
    product *= n->dims[d];
  }
  return product;
}

bool *camp_needed(const camp_program *p) {
  bool *needed = sp_alloc_n(p->ctx, p->nodes.n + 1, sizeof *needed);
  for (size_t i = 0; i < p->results.n; i++) {
    needed[p->results.v[i]] = true;
  }
  for (size_t i = p->nodes.n; i-- > 0;) {
    for (uint32_t k = 0; needed[i] && k < p->nodes.v[i].n_in; k++) {
      needed[p->nodes.v[i].in[k]] = true;
    }
  }
  return needed;
}

/* ---- building blocks ---- */

static void set_dims(camp_node *node, uint32_t n, const int64_t *dims) {
  node->n_dims = n;
  for (uint32_t d = 0; d < n; d++) {
    node->dims[d] = dims[d];
  }
}

/* A node over a, of its type and shape. */
static camp_node node_like(const camp_program *p, camp_op op, uint32_t a) {
  const camp_node *x = camp_at(p, a);
  camp_node node = {.op = op, .type = x->type, .n_in = 1, .in = {a}};
  set_dims(&node, x->n_dims, x->dims);
  return node;
}

uint32_t camp_parameter(camp_program *p, sp_dtype t, uint32_t n,
                        const int64_t *dims) {
  camp_node node = {.op = CAMP_OP_PARAMETER, .type = t};
  set_dims(&node, n, dims);
  uint32_t at = camp_push(p, node);
  sp_push(p->ctx, &p->params, at);
  return at;
}

uint32_t camp_scalar(camp_program *p, sp_dtype t, double value) {
  double *v = sp_alloc(p->ctx, sizeof *v);
  *v = value;
  return camp_push(
      p, (camp_node){
             .op = CAMP_OP_CONSTANT, .type = t, .values = v, .n_values = 1});
}

uint32_t camp_element(camp_program *p, camp_op op, uint32_t n,
                      const uint32_t *in) {
  camp_node node = node_like(p, op, in[0]);
  node.n_in = n;
  memcpy(node.in, in, n * sizeof *in);
  return camp_push(p, node);
}

uint32_t camp_unary(camp_program *p, camp_op op, uint32_t a) {
  return camp_element(p, op, 1, &a);
}

uint32_t camp_binary(camp_program *p, camp_op op, uint32_t a, uint32_t b) {
  return camp_element(p, op, 2, (uint32_t[]){a, b});
}

uint32_t camp_convert(camp_program *p, uint32_t a, sp_dtype t) {
  camp_node node = node_like(p, CAMP_OP_CONVERT, a);
  node.type = t;
  return camp_push(p, node);
}

uint32_t camp_compare(camp_program *p, const char *direction, uint32_t a,
                      uint32_t b) {
  camp_node node = node_like(p, CAMP_OP_COMPARE, a);
  node.n_in = 2;
  node.in[1] = b;
  node.type = SP_PRED;
  node.direction = direction;
  return camp_push(p, node);
}

uint32_t camp_select(camp_program *p, uint32_t c, uint32_t a, uint32_t b) {
  camp_node node = node_like(p, CAMP_OP_SELECT, a);
  node.n_in = 3;
  node.in[0] = c;
  node.in[1] = a;
  node.in[2] = b;
  return camp_push(p, node);
}

uint32_t camp_iota(camp_program *p, sp_dtype t, uint32_t n, const int64_t *dims,
                   uint32_t dim) {
  camp_node node = {.op = CAMP_OP_IOTA, .type = t, .n_x = 1, .x = {dim}};
  set_dims(&node, n, dims);
  return camp_push(p, node);
}

uint32_t camp_broadcast(camp_program *p, uint32_t a, uint32_t n,
                        const int64_t *dims, const int64_t *map) {
  camp_node node = node_like(p, CAMP_OP_BROADCAST, a);
  node.n_x = node.n_dims;
  memcpy(node.x, map, node.n_x * sizeof *map);
  set_dims(&node, n, dims);
  return camp_push(p, node);
}

uint32_t camp_spread(camp_program *p, uint32_t scalar, uint32_t like) {
  camp_node shape = *camp_at(p, like);
  return shape.n_dims
             ? camp_broadcast(p, scalar, shape.n_dims, shape.dims, shape.x)
             : scalar;
}

uint32_t camp_reshape(camp_program *p, uint32_t a, uint32_t n,
                      const int64_t *dims) {
  camp_node node = node_like(p, CAMP_OP_RESHAPE, a);
  int64_t before = camp_elements(&node);
  set_dims(&node, n, dims);
  assert(camp_elements(&node) == before);
  (void)before;
  return camp_push(p, node);
}

uint32_t camp_transpose(camp_program *p, uint32_t a, const int64_t *perm) {
  camp_node node = node_like(p, CAMP_OP_TRANSPOSE, a);
  node.n_x = node.n_dims;
  for (uint32_t d = 0; d < node.n_dims; d++) {
    node.x[d] = perm[d];
    node.dims[d] = camp_at(p, a)->dims[perm[d]];
  }
  return camp_push(p, node);
}

uint32_t camp_slice(camp_program *p, uint32_t a, const int64_t *start,
                    const int64_t *limit, const int64_t *stride) {
  camp_node node = node_like(p, CAMP_OP_SLICE, a);
  node.n_x = node.n_dims;
  for (uint32_t d = 0; d < node.n_dims; d++) {
    node.x[d] = start[d];
    node.y[d] = limit[d];
    node.z[d] = stride ? stride[d] : 1;
    node.dims[d] = (limit[d] - start[d] + node.z[d] - 1) / node.z[d];
  }
  return camp_push(p, node);
}

uint32_t camp_pad(camp_program *p, uint32_t a, uint32_t value,
                  const int64_t *low, const int64_t *high,
                  const int64_t *interior) {
  camp_node node = node_like(p, CAMP_OP_PAD, a);
  node.n_in = 2;
  node.in[1] = value;
  node.n_x = node.n_dims;
  for (uint32_t d = 0; d < node.n_dims; d++) {
    node.x[d] = low ? low[d] : 0;
    node.y[d] = high[d];
    node.z[d] = interior ? interior[d] : 0;
    node.dims[d] += node.x[d] + node.y[d] + (node.dims[d] - 1) * node.z[d];
  }
  return camp_push(p, node);
}

uint32_t camp_concat(camp_program *p, uint32_t n, const uint32_t *in,
                     uint32_t dim) {
  camp_node node = node_like(p, CAMP_OP_CONCAT, in[0]);
  node.n_in = n;
  node.n_x = 1;
  node.x[0] = dim;
  for (uint32_t i = 0; i < n; i++) {
    node.in[i] = in[i];
    node.dims[dim] += i ? camp_at(p, in[i])->dims[dim] : 0;
  }
  return camp_push(p, node);
}

uint32_t camp_reduce(camp_program *p, camp_red red, uint32_t a, uint32_t init,
                     uint32_t n, const int64_t *dims) {
  camp_node node = node_like(p, CAMP_OP_REDUCE, a);
  node.n_in = 2;
  node.in[1] = init;
  node.red = red;
  node.n_x = n;
  uint32_t kept = 0;
  for (uint32_t d = 0; d < camp_at(p, a)->n_dims; d++) {
    bool reduced = false;
    for (uint32_t k = 0; k < n; k++) {
      node.x[k] = dims[k];
      reduced = reduced || dims[k] == d;
    }
    if (!reduced) {
      node.dims[kept++] = node.dims[d];
    }
  }
  node.n_dims = kept;
  return camp_push(p, node);
}

uint32_t camp_dynamic_slice(camp_program *p, uint32_t a, const uint32_t *starts,
                            const int64_t *sizes) {
  camp_node node = node_like(p, CAMP_OP_DYN_SLICE, a);
  for (uint32_t d = 0; d < node.n_dims; d++) {
    node.in[1 + d] = starts[d];
    node.dims[d] = sizes[d];
  }
  node.n_in += node.n_dims;
  return camp_push(p, node);
}

uint32_t camp_dynamic_update(camp_program *p, uint32_t a, uint32_t update,
                             const uint32_t *starts) {
  camp_node node = node_like(p, CAMP_OP_DYN_UPDATE, a);
  node.in[1] = update;
  for (uint32_t d = 0; d < node.n_dims; d++) {
    node.in[2 + d] = starts[d];
  }
  node.n_in = 2 + node.n_dims;
  return camp_push(p, node);
}

/* ---- meshes ---- */

/* Row-major order, the axes the other way round, or any. */
static void draw_devices(camp_mesh *m, camp_rng *r, int64_t *device) {
  bool turned = camp_one_in(r, 8), shuffled = camp_one_in(r, 40);
  m->ordered = true;
  for (int64_t i = 0; i < m->devices; i++) {
    int64_t rest = i, at = 0;
    for (uint32_t a = m->n_axes; turned && a-- > 0;) {
      int64_t outer = 1;
      for (uint32_t b = 0; b < a; b++) {
        outer *= m->size[b];
      }
      at += rest % m->size[a] * outer;
      rest /= m->size[a];
    }
    device[i] = turned ? at : i;
    if (shuffled) {
      uint32_t other = camp_draw(r, (uint32_t)i + 1);
      int64_t was = device[i];
      device[i] = device[other];
      device[other] = was;
    }
  }
  for (int64_t i = 0; i < m->devices; i++) {
    m->ordered = m->ordered && device[i] == i;
  }
}

camp_mesh camp_mesh_draw(sp_ctx *ctx, uint64_t seed) {
  static const int64_t shapes[][CAMP_AXES] = {
      {2, 0, 0}, {3, 0, 0}, {4, 0, 0}, {4, 0, 0}, {2, 2, 0},
      {2, 3, 0}, {4, 2, 0}, {2, 4, 0}, {3, 2, 0}, {2, 2, 2}};
  camp_rng r = camp_rng_of(seed, 1);
  const int64_t *shape = shapes[camp_draw(&r, sizeof shapes / sizeof *shapes)];
  camp_mesh m = {
      .devices = 1, .uneven = camp_one_in(&r, 8), .odd = camp_one_in(&r, 24)};
  while (m.n_axes < CAMP_AXES && shape[m.n_axes]) {
    m.size[m.n_axes] = shape[m.n_axes];
    m.devices *= shape[m.n_axes++];
  }
  int64_t *device = sp_alloc_n(ctx, (size_t)m.devices, sizeof *device);
  int64_t *place = sp_alloc_n(ctx, (size_t)m.devices, sizeof *place);
  draw_devices(&m, &r, device);
  for (int64_t i = 0; i < m.devices; i++) {
    place[device[i]] = i;
  }
  m.device = device;
  m.place = place;
  return m;
}

int64_t camp_coordinate(const camp_mesh *m, int64_t device, uint32_t axis) {
  int64_t at = m->place[device];
  for (uint32_t a = m->n_axes; --a > axis;) {
    at /= m->size[a];
  }
  return at % m->size[axis];
}
