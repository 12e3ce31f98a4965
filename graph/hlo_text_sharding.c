/* hlo_text_sharding.c: the notations of shardings and device groups in text;
 * each is taken apart into the structs of hlo_notation.h, which checks it.
 * Sources: the printers in openxla/xla hlo/ir (hlo_sharding, named_sharding,
 * mesh_and_axis, replica_group). */
#include "graph/hlo_notation_i.h"
#include "graph/hlo_text_i.h"

#include <string.h>

/* --- pieces both share --------------------------------------------------- */

/* [2,4]T(1,0) */
static hlo_iota iota_read(hlo_lex *l) {
  hlo_iota iota = {0};
  size_t n;
  iota.reshape = hlo_lex_ints(l, '[', ']', &n);
  iota.n_reshape = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
  if (hlo_lex_accept_word(l, "T")) {
    iota.perm = hlo_lex_ints(l, '(', ')', &n);
    iota.n_perm = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
  }
  return iota;
}

static void arrow_read(hlo_lex *l) {
  hlo_lex_expect(l, '<', "before the device order");
  hlo_lex_expect(l, '=', "before the device order");
}

/* 'name' or name */
static hlo_slice axis_name(hlo_lex *l) {
  if (!hlo_lex_accept(l, '\'')) {
    return hlo_lex_name(l, "a mesh axis");
  }
  const char *start = l->p;
  const char *end = memchr(start, '\'', (size_t)(l->end - start));
  if (!end) {
    hlo_lex_fail(l, start, "is the file cut short?",
                 "the name of a mesh axis does not end");
  }
  l->p = end + 1;
  return (hlo_slice){start, (size_t)(end - start)};
}

/* After "mesh": ['x'=2,'y'=4], device_ids=(...). A ',' that begins something
 * else is left alone. */
static void mesh_read(hlo_text *t, hlo_mesh *mesh) {
  hlo_lex *l = &t->l;
  SP_VEC(hlo_axis) axes = {0};
  memset(mesh, 0, sizeof *mesh);
  hlo_lex_expect(l, '[', "after mesh");
  while (!hlo_lex_accept(l, ']')) {
    if (axes.n) {
      hlo_lex_expect(l, ',', "between mesh axes");
    }
    hlo_slice name = axis_name(l);
    hlo_axis axis = {sp_intern(t->ctx, name.s, name.n), 0};
    hlo_lex_expect(l, '=', "after the name of a mesh axis");
    axis.size = hlo_lex_int(l, "the size of a mesh axis");
    for (size_t i = 0; i < axes.n && i < HLO_MAX_AXES; i++) {
      if (axes.v[i].name == axis.name) {
        hlo_lex_fail(l, name.s, NULL, "mesh axis %s occurs twice", axis.name);
      }
    }
    sp_push(t->ctx, &axes, axis);
  }
  if (axes.n > HLO_MAX_AXES) {
    hlo_lex_fail(l, l->p, NULL, "a mesh of %zu axes", axes.n);
  }
  mesh->n_axes = (uint32_t)axes.n;
  mesh->axes = axes.v;
  const char *before = l->p;
  if (!hlo_lex_accept(l, ',') || !hlo_lex_accept_word(l, "device_ids")) {
    l->p = before;
    return;
  }
  hlo_lex_expect(l, '=', "after device_ids");
  const char *open = l->p;
  hlo_lex_expect(l, '(', "after device_ids=");
  if (hlo_lex_peek(l) == '[') {
    mesh->has_iota = true;
    mesh->iota = iota_read(l);
    hlo_lex_expect(l, ')', "after device_ids");
    return;
  }
  l->p = open;
  mesh->device_ids = hlo_lex_ints(l, '(', ')', &mesh->n_device_ids);
}

static hlo_axis_ref axis_ref_read(hlo_lex *l, const hlo_mesh *mesh) {
  hlo_slice name = axis_name(l);
  hlo_axis_ref ref = {.axis = -1};
  for (uint32_t i = 0; i < mesh->n_axes; i++) {
    if (hlo_slice_is(name, mesh->axes[i].name)) {
      ref.axis = i;
    }
  }
  if (ref.axis < 0) {
    hlo_lex_fail(l, name.s, NULL, "the mesh has no axis %.*s",
                 (int)(name.n < 80 ? name.n : 80), name.s);
  }
  if (hlo_lex_accept(l, ':')) {
    ref.is_sub = true;
    hlo_lex_expect(l, '(', "before the pre-size of a sub-axis");
    ref.pre_size = hlo_lex_int(l, "the pre-size of a sub-axis");
    hlo_lex_expect(l, ')', "after the pre-size of a sub-axis");
    ref.size = hlo_lex_int(l, "the size of a sub-axis");
  }
  return ref;
}

/* {'x', 'y':(2)2, ?}: a '?' (open to further sharding) says nothing of what
 * is there. */
static hlo_axes axes_read(hlo_text *t, const hlo_mesh *mesh) {
  hlo_lex *l = &t->l;
  SP_VEC(hlo_axis_ref) v = {0};
  hlo_lex_expect(l, '{', "to begin a list of mesh axes");
  for (bool first = true; !hlo_lex_accept(l, '}'); first = false) {
    if (!first) {
      hlo_lex_expect(l, ',', "between mesh axes");
    }
    if (hlo_lex_accept(l, '?')) {
      continue;
    }
    hlo_axis_ref ref = axis_ref_read(l, mesh);
    if (v.n >= HLO_MAX_AXES) {
      hlo_lex_fail(l, l->p, NULL, "too many axes in one list");
    }
    sp_push(t->ctx, &v, ref);
  }
  return (hlo_axes){(uint32_t)v.n, v.v};
}

/* --- shardings ----------------------------------------------------------- */

/* What one {...} says, before the builder is called: the builder wants its
 * text, whose end is known only now. */
typedef struct body {
  enum { BODY_PLAIN, BODY_MAXIMAL, BODY_TILES, BODY_NAMED } form;
  sp_sharding_kind plain;
  int64_t device;
  hlo_tiles tiles;
  hlo_mesh mesh;
  hlo_named named;
  bool odd; /* says something that we do not know */
} body;

static void tile_kinds_read(hlo_text *t, hlo_tiles *tiles) {
  hlo_lex *l = &t->l;
  SP_VEC(hlo_tile_kind) kinds = {0};
  hlo_lex_expect(l, '{', "after last_tile_dims=");
  while (!hlo_lex_accept(l, '}')) {
    if (kinds.n) {
      hlo_lex_expect(l, ',', "between kinds of tile dimensions");
    }
    hlo_slice w = hlo_lex_name(l, "a kind of tile dimension");
    hlo_tile_kind kind = hlo_slice_is(w, "replicated")  ? HLO_TILE_REPLICATED
                         : hlo_slice_is(w, "manual")    ? HLO_TILE_MANUAL
                         : hlo_slice_is(w, "unreduced") ? HLO_TILE_UNREDUCED
                                                        : HLO_TILE_OTHER;
    sp_push(t->ctx, &kinds, kind);
  }
  tiles->n_last = (uint32_t)kinds.n;
  tiles->last = kinds.v;
}

static void tiles_read(hlo_text *t, hlo_tiles *tiles) {
  hlo_lex *l = &t->l;
  size_t n;
  hlo_lex_expect(l, '=', "after devices");
  tiles->tiles = hlo_lex_ints(l, '[', ']', &n);
  tiles->n_tiles = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
  if (hlo_lex_peek(l) == '<') {
    arrow_read(l);
    tiles->has_iota = true;
    tiles->iota = iota_read(l);
    return;
  }
  SP_VEC(int64_t) ids = {0};
  do {
    int64_t id = hlo_lex_int(l, "a device");
    sp_push(t->ctx, &ids, id);
  } while (hlo_lex_accept(l, ','));
  tiles->n_devices = ids.n;
  tiles->devices = ids.v;
}

static void named_read(hlo_text *t, body *b) {
  hlo_lex *l = &t->l;
  mesh_read(t, &b->mesh);
  b->named.mesh = &b->mesh;
  hlo_lex_expect(l, ',', "after the mesh of a sharding");
  if (hlo_lex_peek(l) != '[') {
    hlo_slice w = hlo_lex_name(l, "replicated, manual or a list of axes");
    b->form = BODY_PLAIN;
    b->plain = hlo_slice_is(w, "replicated") ? SP_SHARDING_REPLICATED
               : hlo_slice_is(w, "manual")   ? SP_SHARDING_MANUAL
                                             : SP_SHARDING_UNKNOWN;
    return;
  }
  SP_VEC(hlo_axes) dims = {0};
  hlo_lex_expect(l, '[', "to begin the axes of each dimension");
  while (!hlo_lex_accept(l, ']')) {
    if (dims.n) {
      hlo_lex_expect(l, ',', "between dimensions");
    }
    hlo_axes axes = axes_read(t, &b->mesh);
    if (dims.n >= SP_MAX_DIMS) {
      hlo_lex_fail(l, l->p, NULL, "a sharding of more than %d dimensions",
                   SP_MAX_DIMS);
    }
    sp_push(t->ctx, &dims, axes);
  }
  b->form = BODY_NAMED;
  b->named.n_dims = (uint32_t)dims.n;
  b->named.dims = dims.v;
}

/* What may follow inside the braces, with or without a ','. */
static void extras_read(hlo_text *t, body *b) {
  static const hlo_tile_kind replicate = HLO_TILE_REPLICATED;
  hlo_lex *l = &t->l;
  for (;;) {
    bool comma = hlo_lex_accept(l, ',');
    char c = hlo_lex_peek(l);
    if (!comma && (c == '}' || l->p == l->end)) {
      return;
    }
    hlo_slice w = hlo_lex_name(l, "a part of a sharding");
    if (hlo_slice_is(w, "last_tile_dim_replicate")) {
      b->tiles.n_last = 1;
      b->tiles.last = &replicate;
      continue;
    }
    if (hlo_slice_is(w, "shard_as") || hlo_slice_is(w, "shard_like")) {
      hlo_lex_int(l, "a shard group"); /* guides propagation, done by now */
      continue;
    }
    hlo_lex_expect(l, '=', "in a sharding");
    bool named = b->form == BODY_NAMED;
    if (hlo_slice_is(w, "last_tile_dims")) {
      tile_kinds_read(t, &b->tiles);
    } else if (named && hlo_slice_is(w, "replicated")) {
      b->named.replicated = axes_read(t, &b->mesh);
    } else if (named && hlo_slice_is(w, "unreduced")) {
      b->named.unreduced = axes_read(t, &b->mesh);
    } else if (named && hlo_slice_is(w, "manual")) {
      b->named.manual = axes_read(t, &b->mesh);
    } else {
      b->odd = b->odd || !hlo_slice_is(w, "metadata");
      if (hlo_lex_peek(l) == '{') {
        hlo_lex_skip_group(l);
      } else {
        hlo_lex_name(l, "a value in a sharding");
      }
    }
  }
}

static void body_read(hlo_text *t, body *b) {
  hlo_lex *l = &t->l;
  const char *at = l->p;
  hlo_slice w = hlo_lex_name(l, "a sharding");
  b->plain = SP_SHARDING_UNKNOWN;
  if (hlo_slice_is(w, "replicated")) {
    b->plain = SP_SHARDING_REPLICATED;
  } else if (hlo_slice_is(w, "manual")) {
    b->plain = SP_SHARDING_MANUAL;
  } else if (hlo_slice_is(w, "maximal")) {
    b->form = BODY_MAXIMAL;
    if (!hlo_lex_accept_word(l, "device")) {
      hlo_lex_fail(l, l->p, NULL, "device= was expected after maximal");
    }
    hlo_lex_expect(l, '=', "after device");
    b->device = hlo_lex_int(l, "a device");
  } else if (hlo_slice_is(w, "maximal_mesh")) {
    b->form = BODY_MAXIMAL;
    hlo_lex_expect(l, '[', "after maximal_mesh");
    hlo_lex_name(l, "device_id");
    hlo_lex_expect(l, '=', "after device_id");
    b->device = hlo_lex_int(l, "a device");
    hlo_lex_expect(l, ']', "after a device");
    if (hlo_lex_accept(l, ',')) { /* [{}, {}]: nothing to add */
      hlo_lex_skip_group(l);
    }
  } else if (hlo_slice_is(w, "devices")) {
    b->form = BODY_TILES;
    tiles_read(t, &b->tiles);
  } else if (hlo_slice_is(w, "mesh")) {
    named_read(t, b);
  } else if (!hlo_slice_is(w, "unknown") && !hlo_slice_is(w, "unreduced")) {
    hlo_lex_fail(l, at, NULL, "%.*s is not a sharding that is known",
                 (int)(w.n < 80 ? w.n : 80), w.s);
  }
  extras_read(t, b);
}

static const sp_sharding *one_read(hlo_text *t) {
  hlo_lex *l = &t->l;
  hlo_lex_space(l);
  const char *start = l->p;
  hlo_lex_expect(l, '{', "to begin a sharding");
  body b = {0};
  body_read(t, &b);
  hlo_lex_expect(l, '}', "after a sharding");
  const char *text = sp_intern(t->ctx, start, (size_t)(l->p - start));
  sp_loc loc = hlo_lex_loc(l, start);
  if (b.odd) {
    return hlo_sharding_plain(t->ctx, t->nt, SP_SHARDING_UNKNOWN, text);
  }
  switch (b.form) {
  case BODY_MAXIMAL:
    return hlo_sharding_maximal(t->ctx, t->nt, b.device, text, loc);
  case BODY_TILES:
    return hlo_sharding_tiles(t->ctx, t->nt, &b.tiles, text, loc);
  case BODY_NAMED:
    return hlo_sharding_named(t->ctx, t->nt, &b.named, text, loc);
  case BODY_PLAIN:
    break;
  }
  return hlo_sharding_plain(t->ctx, t->nt, b.plain, text);
}

hlo_leaves spi_text_sharding(hlo_text *t) {
  hlo_lex *l = &t->l;
  hlo_lex_space(l);
  const char *start = l->p;
  hlo_lex_skip_group(l);
  const char *end = l->p;
  const char *key = sp_intern(t->ctx, start, (size_t)(end - start));
  const hlo_leaves *known = spi_notation_get(t->seen, key);
  if (known) {
    return *known;
  }
  l->p = start;
  SP_VEC(const sp_sharding *) v = {0};
  hlo_lex_expect(l, '{', "to begin a sharding");
  char c = hlo_lex_peek(l);
  if (c == '{' || c == '}') {
    while (!hlo_lex_accept(l, '}')) {
      if (v.n) {
        hlo_lex_expect(l, ',', "between shardings");
      }
      const sp_sharding *s = one_read(t);
      sp_push(t->ctx, &v, s);
    }
  } else {
    l->p = start;
    const sp_sharding *s = one_read(t);
    sp_push(t->ctx, &v, s);
  }
  hlo_leaves *leaves = sp_alloc(t->ctx, sizeof *leaves);
  *leaves = (hlo_leaves){(uint32_t)v.n, v.v};
  spi_notation_put(t->ctx, t->seen, key, leaves);
  return *leaves;
}

/* --- groups -------------------------------------------------------------- */

static const sp_groups *lists_read(hlo_text *t, sp_loc loc) {
  hlo_lex *l = &t->l;
  SP_VEC(uint32_t) start = {0};
  SP_VEC(int64_t) ids = {0};
  sp_push(t->ctx, &start, 0u);
  hlo_lex_expect(l, '{', "to begin the groups");
  while (!hlo_lex_accept(l, '}')) {
    if (start.n > 1) {
      hlo_lex_expect(l, ',', "between groups");
    }
    size_t n;
    const int64_t *group = hlo_lex_ints(l, '{', '}', &n);
    for (size_t i = 0; i < n; i++) {
      sp_push(t->ctx, &ids, group[i]);
    }
    if (ids.n > HLO_MAX_DEVICES || start.n > HLO_MAX_DEVICES) {
      hlo_lex_fail(l, l->p, NULL, "groups of more than %d devices",
                   HLO_MAX_DEVICES);
    }
    sp_push(t->ctx, &start, (uint32_t)ids.n);
  }
  if (start.n == 1) {
    return NULL;
  }
  return hlo_groups_lists(t->ctx, t->nt, (uint32_t)start.n - 1, start.v, ids.v,
                          loc);
}

/* A long list is often repeated. */
static const sp_groups *lists_seen(hlo_text *t, sp_loc loc) {
  hlo_lex *l = &t->l;
  const char *start = l->p;
  hlo_lex_skip_group(l);
  const char *key = sp_intern(t->ctx, start, (size_t)(l->p - start));
  const sp_groups *g = spi_notation_get(t->seen_groups, key);
  if (!g) {
    l->p = start;
    g = lists_read(t, loc);
    if (g) {
      spi_notation_put(t->ctx, t->seen_groups, key, g);
    }
  }
  return g;
}

const sp_groups *spi_text_groups(hlo_text *t) {
  hlo_lex *l = &t->l;
  char c = hlo_lex_peek(l);
  sp_loc loc = hlo_lex_loc(l, l->p);
  if (c == '{') {
    return lists_seen(t, loc);
  }
  if (c == '[') {
    size_t n;
    const char *at = l->p;
    const int64_t *dims = hlo_lex_ints(l, '[', ']', &n);
    arrow_read(l);
    hlo_iota iota = iota_read(l);
    if (n != 2) {
      hlo_lex_fail(l, at, "[groups,size] needs two numbers",
                   "a group list of %zu dimensions", n);
    }
    return hlo_groups_iota(t->ctx, t->nt, dims[0], dims[1], &iota, loc);
  }
  if (!hlo_lex_accept_word(l, "mesh")) {
    hlo_lex_fail(l, l->p, l->p == l->end ? "is the file cut short?" : NULL,
                 "replica groups in a notation that is not known");
  }
  hlo_mesh mesh;
  mesh_read(t, &mesh);
  hlo_axes axes = axes_read(t, &mesh);
  return hlo_groups_mesh(t->ctx, t->nt, &mesh, axes, loc);
}
