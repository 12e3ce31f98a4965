/* hlo_notation.c: shardings in the explicit form of graph/program.h.
 *
 * Every notation is an array of devices with named dimensions. The array is
 * laid out (row-major, an iota or a list), its dimensions are sorted into
 * tensor dimensions, copies and addends, and one transposition gives the
 * final list. Read array_transpose first, then sharding_finish, which both
 * notations end in. Groups (hlo_groups.c) reuse the mesh part. */
#include "graph/hlo_notation_i.h"

#include <string.h>

hlo_notation *hlo_notation_new(sp_ctx *ctx, int64_t partitions) {
  hlo_notation *nt = sp_alloc(ctx, sizeof *nt);
  nt->partitions = partitions;
  return nt;
}

/* --- cache: interned key -> result -------------------------------------- */

static size_t cache_slot(const hlo_notation *nt, const char *key) {
  size_t at = (size_t)((uintptr_t)key >> 4) & (nt->cap - 1);
  while (nt->slots[at].key && nt->slots[at].key != key) {
    at = (at + 1) & (nt->cap - 1);
  }
  return at;
}

const void *spi_notation_get(const hlo_notation *nt, const char *key) {
  return nt->cap ? nt->slots[cache_slot(nt, key)].value : NULL;
}

void spi_notation_put(sp_ctx *ctx, hlo_notation *nt, const char *key,
                      const void *value) {
  if (2 * nt->n >= nt->cap) {
    hlo_slot *old = nt->slots;
    size_t old_cap = nt->cap;
    nt->cap = old_cap ? 2 * old_cap : 64;
    nt->slots = sp_alloc_n(ctx, nt->cap, sizeof *nt->slots);
    for (size_t i = 0; i < old_cap; i++) {
      if (old[i].key) {
        nt->slots[cache_slot(nt, old[i].key)] = old[i];
      }
    }
  }
  nt->slots[cache_slot(nt, key)] = (hlo_slot){key, value};
  nt->n++;
}

/* --- checked products and device arrays --------------------------------- */

int64_t spi_device_product(sp_ctx *ctx, uint32_t n, const int64_t *dims,
                           const char *what, sp_loc loc) {
  if (n > HLO_MAX_AXES) {
    sp_raise(ctx, SP_ERR_INPUT, loc, NULL, "%s has %u dimensions, more than %d",
             what, n, HLO_MAX_AXES);
  }
  int64_t product = 1;
  for (uint32_t i = 0; i < n; i++) {
    if (dims[i] < 1 || dims[i] > HLO_MAX_DEVICES / product) {
      sp_raise(ctx, SP_ERR_INPUT, loc,
               "sizes are at least 1 and at most 65536 devices together",
               "%s has the size %lld out of range", what, (long long)dims[i]);
    }
    product *= dims[i];
  }
  return product;
}

/* out[i] = in[index of i after the transposition]: the array in, of shape
 * dims, with its dimensions reordered by perm. in NULL is the iota. */
static void array_transpose(const int64_t *in, uint32_t n, const int64_t *dims,
                            const uint32_t *perm, int64_t total, int64_t *out) {
  int64_t stride[HLO_MAX_AXES], shape[HLO_MAX_AXES], step[HLO_MAX_AXES];
  int64_t at[HLO_MAX_AXES] = {0};
  int64_t s = 1;
  for (uint32_t i = n; i-- > 0;) {
    stride[i] = s;
    s *= dims[i];
  }
  for (uint32_t i = 0; i < n; i++) {
    shape[i] = dims[perm[i]];
    step[i] = stride[perm[i]];
  }
  int64_t pos = 0;
  for (int64_t k = 0; k < total; k++) {
    out[k] = in ? in[pos] : pos;
    for (uint32_t i = n; i-- > 0;) {
      pos += step[i];
      if (++at[i] < shape[i]) {
        break;
      }
      pos -= step[i] * shape[i];
      at[i] = 0;
    }
  }
}

static void iota_perm(sp_ctx *ctx, const hlo_iota *iota, uint32_t *perm,
                      sp_loc loc) {
  bool seen[HLO_MAX_AXES] = {false};
  if (iota->n_perm && iota->n_perm != iota->n_reshape) {
    sp_raise(ctx, SP_ERR_INPUT, loc, NULL, "T(...) names %u dimensions of %u",
             iota->n_perm, iota->n_reshape);
  }
  for (uint32_t i = 0; i < iota->n_reshape; i++) {
    int64_t p = iota->n_perm ? iota->perm[i] : (int64_t)i;
    if (p < 0 || p >= iota->n_reshape || seen[p]) {
      sp_raise(ctx, SP_ERR_INPUT, loc, NULL,
               "T(...) is not a permutation: %lld", (long long)p);
    }
    seen[p] = true;
    perm[i] = (uint32_t)p;
  }
}

const int64_t *spi_devices_iota(sp_ctx *ctx, const hlo_iota *iota, int64_t want,
                                sp_loc loc) {
  int64_t n = spi_device_product(ctx, iota->n_reshape, iota->reshape,
                                 "the list after <=", loc);
  if (n != want) {
    sp_raise(ctx, SP_ERR_INPUT, loc,
             "the sizes before and after <= must have the same product",
             "%lld devices after <= for %lld places", (long long)n,
             (long long)want);
  }
  uint32_t perm[HLO_MAX_AXES];
  iota_perm(ctx, iota, perm, loc);
  int64_t *out = sp_alloc_n(ctx, (size_t)n, sizeof *out);
  array_transpose(NULL, iota->n_reshape, iota->reshape, perm, n, out);
  return out;
}

void spi_devices_check(sp_ctx *ctx, size_t n, const int64_t *ids, int64_t limit,
                       sp_loc loc) {
  int64_t top = limit ? limit : HLO_MAX_DEVICES;
  if (n > (size_t)HLO_MAX_DEVICES) {
    sp_raise(ctx, SP_ERR_INPUT, loc, NULL, "more than %d devices",
             HLO_MAX_DEVICES);
  }
  sp_mark mark = sp_scratch_mark(ctx);
  uint8_t *seen = sp_scratch(ctx, (size_t)top);
  memset(seen, 0, (size_t)top);
  for (size_t i = 0; i < n; i++) {
    if (ids[i] < 0 || ids[i] >= top) {
      sp_raise(ctx, SP_ERR_INPUT, loc,
               "device numbers count from 0 and stay below num_partitions",
               "there is no device %lld of %lld", (long long)ids[i],
               (long long)top);
    }
    if (seen[ids[i]]) {
      sp_raise(ctx, SP_ERR_INPUT, loc, NULL, "device %lld is listed twice",
               (long long)ids[i]);
    }
    seen[ids[i]] = 1;
  }
  sp_scratch_release(ctx, mark);
}

static const int64_t *devices_list(sp_ctx *ctx, const hlo_notation *nt,
                                   size_t n, const int64_t *ids, int64_t want,
                                   sp_loc loc) {
  if (n != (size_t)want) {
    sp_raise(ctx, SP_ERR_INPUT, loc, NULL,
             "%zu devices are listed for %lld places", n, (long long)want);
  }
  spi_devices_check(ctx, n, ids, nt->partitions, loc);
  int64_t *out = sp_alloc_n(ctx, n, sizeof *out);
  memcpy(out, ids, n * sizeof *out);
  return out;
}

/* --- finishing ----------------------------------------------------------- */

static sp_sharding *sharding_new(sp_ctx *ctx, sp_sharding_kind kind,
                                 const char *text) {
  sp_sharding *s = sp_alloc(ctx, sizeof *s);
  s->kind = kind;
  s->copies = 1;
  s->addends = 1;
  s->text = text;
  return s;
}

/* devices has the dimensions dims[0 .. n); order lists them: those of tensor
 * dimension 0, of 1, ..., then the replicated, then the unreduced ones. */
typedef struct layout {
  uint32_t n_dims; /* of the tensor */
  int64_t tiles[HLO_MAX_AXES];
  uint32_t n;
  int64_t dims[HLO_MAX_AXES];
  uint32_t order[HLO_MAX_AXES];
  int64_t copies, addends, total;
  const int64_t *devices;
} layout;

/* Manual along some axes, which the layout has as copies. */
static const sp_sharding *sharding_around(sp_ctx *ctx, const sp_sharding *inner,
                                          const char *text) {
  sp_sharding *s = sharding_new(ctx, SP_SHARDING_UNKNOWN, text);
  s->inner = inner;
  return s;
}

static const sp_sharding *sharding_finish(sp_ctx *ctx, const hlo_notation *nt,
                                          const layout *l, const char *text) {
  if (nt->partitions && l->total != nt->partitions) {
    return sharding_new(ctx, SP_SHARDING_UNKNOWN, text);
  }
  bool cut = false;
  for (uint32_t d = 0; d < l->n_dims; d++) {
    cut = cut || l->tiles[d] > 1;
  }
  if (!cut && l->addends == 1) {
    return sharding_new(ctx, SP_SHARDING_REPLICATED, text);
  }
  sp_sharding *s = sharding_new(ctx, SP_SHARDING_TILED, text);
  int64_t *tiles = sp_alloc_n(ctx, l->n_dims, sizeof *tiles);
  memcpy(tiles, l->tiles, l->n_dims * sizeof *tiles);
  int64_t *devices = sp_alloc_n(ctx, (size_t)l->total, sizeof *devices);
  array_transpose(l->devices, l->n, l->dims, l->order, l->total, devices);
  s->n_dims = l->n_dims;
  s->tiles = tiles;
  s->copies = l->copies;
  s->addends = l->addends;
  s->partial = l->addends > 1;
  s->n_devices = l->total;
  s->devices = devices;
  return s;
}

/* --- tile lists ---------------------------------------------------------- */

static const int64_t *tiles_devices(sp_ctx *ctx, const hlo_notation *nt,
                                    const hlo_tiles *t, int64_t total,
                                    sp_loc loc) {
  if (!t->has_iota) {
    return devices_list(ctx, nt, t->n_devices, t->devices, total, loc);
  }
  if (nt->partitions && total > nt->partitions) {
    sp_raise(ctx, SP_ERR_INPUT, loc, NULL,
             "the sharding names %lld devices of %lld", (long long)total,
             (long long)nt->partitions);
  }
  return spi_devices_iota(ctx, &t->iota, total, loc);
}

static const sp_sharding *tiles_make(sp_ctx *ctx, const hlo_notation *nt,
                                     const hlo_tiles *t, const char *text,
                                     sp_loc loc) {
  layout l = {.n = t->n_tiles, .copies = 1, .addends = 1};
  l.total = spi_device_product(ctx, t->n_tiles, t->tiles, "devices=[...]", loc);
  if (t->n_tiles == 0 || t->n_last > t->n_tiles) {
    sp_raise(ctx, SP_ERR_INPUT, loc, NULL,
             "a tile list of %u dimensions, %u of them trailing", t->n_tiles,
             t->n_last);
  }
  l.n_dims = t->n_tiles - t->n_last;
  l.devices = tiles_devices(ctx, nt, t, l.total, loc);
  memcpy(l.dims, t->tiles, t->n_tiles * sizeof *l.dims);
  memcpy(l.tiles, t->tiles, l.n_dims * sizeof *l.tiles);
  uint32_t at = 0;
  bool manual = false;
  for (; at < l.n_dims; at++) {
    l.order[at] = at;
  }
  for (uint32_t i = 0; i < t->n_last; i++) {
    bool several = t->tiles[l.n_dims + i] > 1;
    if (t->last[i] == HLO_TILE_OTHER && several) {
      return sharding_new(ctx, SP_SHARDING_UNKNOWN, text);
    }
    manual |= t->last[i] == HLO_TILE_MANUAL && several;
    if (t->last[i] != HLO_TILE_UNREDUCED) {
      l.order[at++] = l.n_dims + i;
      l.copies *= t->tiles[l.n_dims + i];
    }
  }
  for (uint32_t i = 0; i < t->n_last; i++) {
    if (t->last[i] == HLO_TILE_UNREDUCED) {
      l.order[at++] = l.n_dims + i;
      l.copies *= t->tiles[l.n_dims + i];
      l.addends *= t->tiles[l.n_dims + i];
    }
  }
  const sp_sharding *s = sharding_finish(ctx, nt, &l, text);
  return manual ? sharding_around(ctx, s, text) : s;
}

const sp_sharding *hlo_sharding_tiles(sp_ctx *ctx, hlo_notation *nt,
                                      const hlo_tiles *tiles, const char *text,
                                      sp_loc loc) {
  const char *key = text ? text : spi_text_tiles(ctx, tiles);
  key = sp_intern(ctx, key, strlen(key));
  const sp_sharding *s = spi_notation_get(nt, key);
  if (!s) {
    s = tiles_make(ctx, nt, tiles, key, loc);
    spi_notation_put(ctx, nt, key, s);
  }
  return s;
}

/* --- named meshes -------------------------------------------------------- */

static const int64_t *mesh_devices(sp_ctx *ctx, const hlo_notation *nt,
                                   const hlo_mesh *mesh, int64_t total,
                                   sp_loc loc) {
  if (mesh->n_device_ids) {
    return devices_list(ctx, nt, mesh->n_device_ids, mesh->device_ids, total,
                        loc);
  }
  if (nt->partitions && total > nt->partitions) {
    sp_raise(ctx, SP_ERR_INPUT, loc, NULL, "the mesh has %lld devices of %lld",
             (long long)total, (long long)nt->partitions);
  }
  if (mesh->has_iota) {
    return spi_devices_iota(ctx, &mesh->iota, total, loc);
  }
  int64_t *out = sp_alloc_n(ctx, (size_t)total, sizeof *out);
  for (int64_t i = 0; i < total; i++) {
    out[i] = i;
  }
  return out;
}

/* Cut points of one axis: 1 = cut[0] < ... < cut[n-1] = its size. */
typedef struct axis_cuts {
  uint32_t n;
  int64_t cut[HLO_MAX_AXES];
} axis_cuts;

static void cuts_add(sp_ctx *ctx, axis_cuts *c, int64_t at, sp_loc loc) {
  uint32_t i = 0;
  while (i < c->n && c->cut[i] < at) {
    i++;
  }
  if (i < c->n && c->cut[i] == at) {
    return;
  }
  if (c->n >= HLO_MAX_AXES) {
    sp_raise(ctx, SP_ERR_INPUT, loc, NULL, "a mesh axis is cut too often");
  }
  memmove(&c->cut[i + 1], &c->cut[i], (c->n - i) * sizeof *c->cut);
  c->cut[i] = at;
  c->n++;
}

static void cuts_of_refs(sp_ctx *ctx, const hlo_mesh *mesh, const hlo_axes *a,
                         uint32_t axis, axis_cuts *c, sp_loc loc) {
  for (uint32_t i = 0; i < a->n; i++) {
    const hlo_axis_ref *r = &a->v[i];
    if (r->axis != (int64_t)axis || !r->is_sub) {
      continue;
    }
    int64_t size = mesh->axes[axis].size;
    if (r->pre_size < 1 || r->size < 2 || r->pre_size > size ||
        r->size > size / r->pre_size || size % (r->pre_size * r->size) != 0) {
      sp_raise(ctx, SP_ERR_INPUT, loc,
               "(pre)size needs pre * size to divide the axis",
               "sub-axis (%lld)%lld of an axis of size %lld",
               (long long)r->pre_size, (long long)r->size, (long long)size);
    }
    cuts_add(ctx, c, r->pre_size, loc);
    cuts_add(ctx, c, r->pre_size * r->size, loc);
  }
}

void spi_mesh_cut(sp_ctx *ctx, const hlo_notation *nt, const hlo_mesh *mesh,
                  const hlo_axes *lists, uint32_t n_lists, hlo_pieces *out,
                  sp_loc loc) {
  int64_t sizes[HLO_MAX_AXES] = {0};
  memset(out, 0, sizeof *out);
  for (uint32_t a = 0; a < mesh->n_axes && a < HLO_MAX_AXES; a++) {
    sizes[a] = mesh->axes[a].size;
  }
  out->total = spi_device_product(ctx, mesh->n_axes, sizes, "the mesh", loc);
  for (uint32_t a = 0; a < mesh->n_axes; a++) {
    axis_cuts c = {1, {1}};
    cuts_add(ctx, &c, sizes[a], loc);
    for (uint32_t i = 0; i < n_lists; i++) {
      cuts_of_refs(ctx, mesh, &lists[i], a, &c, loc);
    }
    /* An axis of size 1 has one cut and is one piece of size 1. */
    for (uint32_t i = 0; i + 1 < c.n || i == 0; i++) {
      int64_t end = i + 1 < c.n ? c.cut[i + 1] : c.cut[i];
      if (end % c.cut[i] != 0 || out->n >= HLO_MAX_AXES) {
        sp_raise(ctx, SP_ERR_INPUT, loc, NULL,
                 "the sub-axes of mesh axis %u do not fit together", a);
      }
      out->size[out->n] = end / c.cut[i];
      out->axis[out->n] = a;
      out->pre[out->n] = c.cut[i];
      out->n++;
    }
  }
  out->devices = mesh_devices(ctx, nt, mesh, out->total, loc);
}

int64_t spi_mesh_take(sp_ctx *ctx, const hlo_mesh *mesh, hlo_pieces *p,
                      const hlo_axes *axes, uint32_t *order, uint32_t *at,
                      sp_loc loc) {
  int64_t product = 1;
  for (uint32_t i = 0; i < axes->n; i++) {
    const hlo_axis_ref *r = &axes->v[i];
    if (r->axis < 0 || r->axis >= mesh->n_axes) {
      sp_raise(ctx, SP_ERR_INPUT, loc, NULL, "there is no mesh axis %lld",
               (long long)r->axis);
    }
    int64_t pre = r->is_sub ? r->pre_size : 1;
    int64_t size = r->is_sub ? r->size : mesh->axes[r->axis].size;
    uint32_t k = 0;
    while (k < p->n && !(p->axis[k] == r->axis && p->pre[k] == pre)) {
      k++;
    }
    if (k == p->n || p->size[k] != size || p->used[k]) {
      sp_raise(ctx, SP_ERR_INPUT, loc,
               "each mesh axis or part of it may be used once",
               "mesh axis %s is used twice, or its sub-axes overlap",
               mesh->axes[r->axis].name ? mesh->axes[r->axis].name : "?");
    }
    p->used[k] = true;
    order[(*at)++] = k;
    product *= size;
  }
  return product;
}

int64_t spi_mesh_rest(hlo_pieces *p, uint32_t *order, uint32_t *at) {
  int64_t product = 1;
  for (uint32_t k = 0; k < p->n; k++) {
    if (!p->used[k]) {
      p->used[k] = true;
      order[(*at)++] = k;
      product *= p->size[k];
    }
  }
  return product;
}

void spi_mesh_devices(const hlo_pieces *p, const uint32_t *order,
                      int64_t *out) {
  array_transpose(p->devices, p->n, p->size, order, p->total, out);
}

static const sp_sharding *named_make(sp_ctx *ctx, const hlo_notation *nt,
                                     const hlo_named *nm, const char *text,
                                     sp_loc loc) {
  const hlo_mesh *mesh = nm->mesh;
  if (mesh->n_axes == 0 && mesh->n_device_ids == 1) {
    spi_devices_check(ctx, 1, mesh->device_ids, nt->partitions, loc);
    sp_sharding *s = sharding_new(ctx, SP_SHARDING_MAXIMAL, text);
    int64_t *device = sp_alloc(ctx, sizeof *device);
    *device = mesh->device_ids[0];
    s->devices = device;
    s->n_devices = 1;
    return s;
  }
  if (nm->n_dims > SP_MAX_DIMS) {
    sp_raise(ctx, SP_ERR_INPUT, loc, NULL, "a sharding of %u dimensions",
             nm->n_dims);
  }
  hlo_axes lists[SP_MAX_DIMS + 3];
  for (uint32_t d = 0; d < nm->n_dims; d++) {
    lists[d] = nm->dims[d];
  }
  lists[nm->n_dims] = nm->replicated;
  lists[nm->n_dims + 1] = nm->unreduced;
  lists[nm->n_dims + 2] = nm->manual;
  hlo_pieces p;
  spi_mesh_cut(ctx, nt, mesh, lists, nm->n_dims + 3, &p, loc);

  layout l = {.n_dims = nm->n_dims, .n = p.n, .total = p.total};
  uint32_t at = 0;
  bool cut = false;
  for (uint32_t d = 0; d < nm->n_dims; d++) {
    l.tiles[d] = spi_mesh_take(ctx, mesh, &p, &nm->dims[d], l.order, &at, loc);
    cut = cut || l.tiles[d] > 1;
  }
  uint32_t parked[HLO_MAX_AXES], n_manual = 0, n_addends = 0;
  int64_t manual =
      spi_mesh_take(ctx, mesh, &p, &nm->manual, parked, &n_manual, loc);
  l.addends =
      spi_mesh_take(ctx, mesh, &p, &nm->unreduced, parked, &n_addends, loc);
  l.copies = spi_mesh_take(ctx, mesh, &p, &nm->replicated, l.order, &at, loc) *
             spi_mesh_rest(&p, l.order, &at) * l.addends;
  if (manual > 1 && l.addends == 1 && (cut || manual < p.total)) {
    memcpy(&l.order[at], parked, n_manual * sizeof *parked);
    memcpy(l.dims, p.size, p.n * sizeof *l.dims);
    l.devices = p.devices;
    l.copies *= manual;
    return sharding_around(ctx, sharding_finish(ctx, nt, &l, text), text);
  }
  if (manual > 1 || (nm->odd_reduction && l.addends > 1)) {
    bool all = !cut && l.copies == 1 && manual == p.total;
    return sharding_new(ctx, all ? SP_SHARDING_MANUAL : SP_SHARDING_UNKNOWN,
                        text);
  }
  if (!cut && l.addends == 1 && mesh->n_axes == 0) {
    return sharding_new(ctx, SP_SHARDING_REPLICATED, text);
  }
  if (n_manual) { /* manual axes of size 1 are left: nothing is manual */
    return sharding_new(ctx, SP_SHARDING_UNKNOWN, text);
  }
  memcpy(&l.order[at], parked, n_addends * sizeof *parked);
  memcpy(l.dims, p.size, p.n * sizeof *l.dims);
  l.devices = p.devices;
  return sharding_finish(ctx, nt, &l, text);
}

const sp_sharding *hlo_sharding_named(sp_ctx *ctx, hlo_notation *nt,
                                      const hlo_named *named, const char *text,
                                      sp_loc loc) {
  const char *key = text ? text : spi_text_named(ctx, named);
  key = sp_intern(ctx, key, strlen(key));
  const sp_sharding *s = spi_notation_get(nt, key);
  if (!s) {
    s = named_make(ctx, nt, named, key, loc);
    spi_notation_put(ctx, nt, key, s);
  }
  return s;
}

/* --- the simple ones ----------------------------------------------------- */

const sp_sharding *hlo_sharding_maximal(sp_ctx *ctx, hlo_notation *nt,
                                        int64_t device, const char *text,
                                        sp_loc loc) {
  spi_devices_check(ctx, 1, &device, nt->partitions, loc);
  sp_sharding *s = sharding_new(
      ctx, SP_SHARDING_MAXIMAL,
      text ? text : sp_format(ctx, "{maximal device=%lld}", (long long)device));
  int64_t *devices = sp_alloc(ctx, sizeof *devices);
  *devices = device;
  s->devices = devices;
  s->n_devices = 1;
  return s;
}

const sp_sharding *hlo_sharding_plain(sp_ctx *ctx, hlo_notation *nt,
                                      sp_sharding_kind kind, const char *text) {
  if (!text) {
    text = kind == SP_SHARDING_REPLICATED ? "{replicated}"
           : kind == SP_SHARDING_MANUAL   ? "{manual}"
                                          : "{unknown}";
  }
  const char *key = sp_intern(ctx, text, strlen(text));
  const sp_sharding *s = spi_notation_get(nt, key);
  if (!s) {
    s = sharding_new(ctx, kind, key);
    spi_notation_put(ctx, nt, key, s);
  }
  return s;
}
