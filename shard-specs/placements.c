/* placements.c: how tensors are cut, as written: "Shard(0)", "Take(2, 8, [cp,
 * 7-cp])", {dim: 1, sections: [...], each: [...]}, index formulas. From one
 * placement to the entry of a tensor to the section of the file. */
#include "shard-specs/spec_i.h"

#include <string.h>

enum { MAX_PARTS = 1 << 16, MAX_SECTION_DEPTH = 8 };

typedef struct placing {
  sp_ctx *ctx;
  const sp_spec *spec;
} placing;

#define KNOWN                                                                  \
  "Replicate, Shard(d), Shard(d, pieces=k), Take(d, p, [parts]), "             \
  "Partial(sum) and {dim, sections, each} are there"

/* ---- one placement in words ---- */

static int64_t read_int(const placing *p, sp_lang_reader *r, const char *what) {
  const sp_lang *e = sp_lang_expression(r);
  int64_t v = sp_lang_integer(p->ctx, e, NULL);
  if (v < 0) {
    sp_lang_fail(p->ctx, e->loc, NULL, "%s is negative", what);
  }
  return v;
}

static int64_t read_pieces(const placing *p, sp_lang_reader *r) {
  sp_loc loc = r->loc;
  if (r->token == SP_LANG_WORD) {
    sp_lang_expect(r, "pieces", "as the second argument of Shard");
    sp_lang_expect(r, "=", "after pieces");
  }
  int64_t k = read_int(p, r, "pieces");
  if (k < 1) {
    sp_lang_fail(p->ctx, loc, NULL, "pieces is below 1");
  }
  return k;
}

static void read_take(const placing *p, sp_lang_reader *r, sp_placement *out) {
  out->dim = read_int(p, r, "the dimension");
  sp_lang_expect(r, ",", "after the dimension");
  sp_loc loc = r->loc;
  out->pieces = read_int(p, r, "the number of parts");
  if (out->pieces < 1 || out->pieces > MAX_PARTS) {
    sp_lang_fail(p->ctx, loc, NULL, "%lld parts", (long long)out->pieces);
  }
  sp_lang_expect(r, ",", "after the number of parts");
  const sp_lang *list = sp_lang_expression(r);
  if (list->kind != SP_LANG_LIST || list->n == 0) {
    sp_lang_fail(p->ctx, list->loc, "Take(2, 8, [cp, 7-cp])",
                 "the parts are a list of expressions over axes");
  }
  out->n = list->n;
  out->parts = list->args;
}

static const struct {
  const char *name;
  sp_partial partial;
} partials[] = {
    {"sum", SP_PARTIAL_SUM},      {"avg", SP_PARTIAL_AVG},
    {"mean", SP_PARTIAL_AVG},     {"max", SP_PARTIAL_MAX},
    {"min", SP_PARTIAL_MIN},      {"prod", SP_PARTIAL_PROD},
    {"product", SP_PARTIAL_PROD},
};

static sp_partial read_partial(const placing *p, sp_lang_reader *r) {
  sp_loc loc = r->loc;
  const char *name = sp_lang_name(r, "a reduction");
  for (size_t i = 0; i < sizeof partials / sizeof *partials; i++) {
    if (strcmp(partials[i].name, name) == 0) {
      return partials[i].partial;
    }
  }
  sp_lang_fail(p->ctx, loc, "sum, avg, max, min, prod", "%.60s is no reduction",
               name);
}

static void read_words(const placing *p, sp_lang_reader *r, sp_placement *out) {
  sp_loc loc = r->loc;
  const char *name = sp_lang_name(r, "a placement");
  bool open = sp_lang_accept(r, "(");
  bool bare = false;
  if (strcmp(name, "Replicate") == 0) {
    out->kind = SP_PLACE_REPLICATE;
    bare = true;
  } else if (strcmp(name, "Shard") == 0 && open) {
    out->kind = SP_PLACE_SHARD;
    out->dim = read_int(p, r, "the dimension");
    out->pieces = sp_lang_accept(r, ",") ? read_pieces(p, r) : 0;
  } else if (strcmp(name, "Take") == 0 && open) {
    out->kind = SP_PLACE_TAKE;
    read_take(p, r, out);
  } else if (strcmp(name, "Partial") == 0) {
    out->kind = SP_PLACE_PARTIAL;
    bare = !open || sp_lang_is(r, ")");
    out->partial = bare ? SP_PARTIAL_SUM : read_partial(p, r);
  } else {
    sp_lang_fail(p->ctx, loc, KNOWN, "%.60s is no placement", name);
  }
  if (open) {
    sp_lang_expect(r, ")", "after the placement");
  }
  if (r->token != SP_LANG_END) {
    sp_lang_fail(p->ctx, r->loc, NULL, "the placement should end here");
  }
}

/* ---- one placement ---- */

static const sp_placement *read_placement(const placing *p, const sp_yaml *node,
                                          int depth);

static const char *const section_keys[] = {"dim", "sections", "each", NULL};

static const sp_yaml *section_part(const placing *p, const sp_yaml *node,
                                   const char *key, sp_yaml_kind kind) {
  const sp_yaml *x = sp_yaml_get(node, key);
  if (!x) {
    sp_yaml_fail(p->ctx, node,
                 "{dim: 0, sections: [8, 4], each: [Shard(0), "
                 "Replicate]}",
                 "%s is missing", key);
  }
  sp_yaml_want(p->ctx, x, kind, key);
  return x;
}

static void read_sections(const placing *p, const sp_yaml *node,
                          sp_placement *out, int depth) {
  sp_ctx *ctx = p->ctx;
  sp_yaml_keys(ctx, node, "a placement by sections", section_keys);
  const sp_yaml *dim = section_part(p, node, "dim", SP_YAML_SCALAR);
  const sp_yaml *sizes = section_part(p, node, "sections", SP_YAML_LIST);
  const sp_yaml *each = section_part(p, node, "each", SP_YAML_LIST);
  out->dim = sp_yaml_int(ctx, dim, "dim");
  if (out->dim < 0) {
    sp_yaml_fail(ctx, dim, NULL, "the dimension is negative");
  }
  if (sizes->n != each->n || sizes->n == 0 || sizes->n > MAX_PARTS) {
    sp_yaml_fail(ctx, each, NULL, "%zu sections and %zu placements", sizes->n,
                 each->n);
  }
  out->n = (uint32_t)sizes->n;
  int64_t *v = sp_alloc_n(ctx, sizes->n, sizeof *v);
  const sp_placement **q = sp_alloc_n(ctx, sizes->n, sizeof *q);
  for (size_t i = 0; i < sizes->n; i++) {
    v[i] = sp_yaml_int(ctx, sizes->items[i], "the size of a section");
    if (v[i] < 0 || v[i] >= SP_MAX_ELEMENTS) {
      sp_yaml_fail(ctx, sizes->items[i], NULL, "a section of size %lld",
                   (long long)v[i]);
    }
    q[i] = read_placement(p, each->items[i], depth + 1);
    bool other = q[i]->kind != SP_PLACE_REPLICATE && q[i]->dim != out->dim;
    if (other || q[i]->kind == SP_PLACE_PARTIAL) {
      sp_yaml_fail(ctx, each->items[i], NULL,
                   "a section is cut along its own dimension, %lld",
                   (long long)out->dim);
    }
  }
  out->sections = v;
  out->each = q;
}

static const sp_placement *read_placement(const placing *p, const sp_yaml *node,
                                          int depth) {
  sp_placement *out = sp_alloc(p->ctx, sizeof *out);
  out->loc = node->loc;
  if (depth > MAX_SECTION_DEPTH) {
    sp_yaml_fail(p->ctx, node, NULL, "sections nested too deep");
  }
  if (node->kind == SP_YAML_MAP) {
    out->kind = SP_PLACE_SECTIONS;
    out->text = "sections";
    read_sections(p, node, out, depth);
    return out;
  }
  out->text = sp_yaml_text(p->ctx, node, "a placement");
  sp_lang_reader r;
  sp_lang_start(&r, p->ctx, &node->lines);
  read_words(p, &r, out);
  return out;
}

/* ---- the entry of a tensor ---- */

static const sp_placement **no_axes(const placing *p) {
  return sp_alloc_n(p->ctx, p->spec->n_axes + 1u, sizeof(const sp_placement *));
}

/* Without axes: on all of them, which only says something of one. */
static void read_plain(const placing *p, const sp_yaml *node,
                       sp_spec_place *out) {
  const sp_placement *q = read_placement(p, node, 0);
  const sp_placement **axes = no_axes(p);
  out->axes = axes;
  if (q->kind == SP_PLACE_REPLICATE) {
    return;
  }
  if (p->spec->n_axes != 1) {
    sp_yaml_fail(p->ctx, node,
                 sp_format(p->ctx, "{AXIS: %s}; axes: %s", q->text,
                           spi_axis_names(p->ctx, p->spec)),
                 "%s: along which axis of the mesh?", q->text);
  }
  axes[0] = q;
}

static void read_concat(const placing *p, const sp_yaml *map,
                        sp_spec_place *out) {
  sp_ctx *ctx = p->ctx;
  const sp_yaml *list = sp_yaml_get(map, "concat");
  const sp_yaml *dim = sp_yaml_get(map, "dim");
  if (!list || !dim) {
    sp_yaml_fail(ctx, map, "{concat: [x, y], dim: 0}",
                 "concat and dim belong together");
  }
  sp_yaml_want(ctx, list, SP_YAML_LIST, "concat");
  out->dim = sp_yaml_int(ctx, dim, "dim");
  if (out->dim < 0) {
    sp_yaml_fail(ctx, dim, NULL, "the dimension is negative");
  }
  if (list->n == 0) {
    sp_yaml_fail(ctx, list, NULL, "concat names no tensor");
  }
  const char **names = sp_alloc_n(ctx, list->n, sizeof *names);
  for (size_t i = 0; i < list->n; i++) {
    names[i] = sp_yaml_text(ctx, list->items[i], "the name of a tensor");
  }
  out->concat = names;
  out->n_concat = (uint32_t)list->n;
}

/* "[i, j] -> [8*tp + i, j]" */
static void read_index(const placing *p, const sp_yaml *node,
                       sp_spec_place *out) {
  sp_yaml_text(p->ctx, node, "index");
  sp_lang_reader r;
  sp_lang_start(&r, p->ctx, &node->lines);
  sp_lang_expect(&r, "[", "before the local indices");
  out->vars = sp_lang_variables(&r, "]", &out->n_vars);
  for (uint32_t i = 0; i < out->n_vars; i++) {
    if (out->vars[i].spread) {
      sp_lang_fail(p->ctx, out->vars[i].loc, NULL, "* means nothing here");
    }
    if (spi_axis_find(p->spec, out->vars[i].name) < p->spec->n_axes) {
      sp_lang_fail(p->ctx, out->vars[i].loc, "take another name",
                   "%.60s is an axis of the mesh", out->vars[i].name);
    }
  }
  sp_lang_expect(&r, "->", "between local and sequential indices");
  const sp_lang *list = sp_lang_expression(&r);
  if (list->kind != SP_LANG_LIST) {
    sp_lang_fail(p->ctx, list->loc, "[i, j] -> [8*tp + i, j]",
                 "sequential indices in [ ] expected");
  }
  if (r.token != SP_LANG_END) {
    sp_lang_fail(p->ctx, r.loc, NULL, "the formula should end here");
  }
  static const sp_lang *const none[1];
  out->n_index = list->n;
  out->index = list->n ? list->args : none;
}

static void read_key(const placing *p, const sp_yaml *map,
                     const sp_yaml_pair *pair, sp_spec_place *out,
                     const sp_placement **axes) {
  const char *key = pair->key->text;
  if (strcmp(key, "as") == 0) {
    out->as = sp_yaml_text(p->ctx, pair->value, "as");
    out->as_loc = pair->value->loc;
  } else if (strcmp(key, "index") == 0) {
    read_index(p, pair->value, out);
  } else if (strcmp(key, "concat") == 0 || strcmp(key, "dim") == 0) {
    if (!out->concat) {
      read_concat(p, map, out);
    }
  } else {
    uint32_t a = spi_axis_find(p->spec, key);
    if (a >= p->spec->n_axes) {
      sp_yaml_fail(p->ctx, pair->key,
                   sp_format(p->ctx,
                             "the axes are %s; as, index, concat and dim may "
                             "be there, too",
                             spi_axis_names(p->ctx, p->spec)),
                   "the mesh has no axis %.80s", key);
    }
    const sp_placement *q = read_placement(p, pair->value, 0);
    axes[a] = q->kind == SP_PLACE_REPLICATE ? NULL : q;
  }
}

static void read_map(const placing *p, const sp_yaml *map, sp_spec_place *out) {
  const sp_placement **axes = no_axes(p);
  for (size_t i = 0; i < map->n; i++) {
    read_key(p, map, &map->pairs[i], out, axes);
  }
  out->axes = axes;
  if (out->as && out->concat) {
    sp_yaml_fail(p->ctx, map, NULL, "as and concat both say the name");
  }
  for (uint32_t a = 0; a < p->spec->n_axes; a++) {
    if (out->index && axes[a] && axes[a]->kind != SP_PLACE_PARTIAL) {
      sp_raise(p->ctx, SP_ERR_INPUT, axes[a]->loc,
               "the index formula says everything; only Partial may stand "
               "beside it",
               "%s beside an index formula", axes[a]->text);
    }
  }
  if (out->index && out->concat) {
    sp_yaml_fail(p->ctx, map, NULL, "index and concat do not go together");
  }
}

sp_spec_places spi_read_places(sp_ctx *ctx, const sp_spec *spec,
                               const sp_yaml *key, const sp_yaml *node) {
  placing p = {ctx, spec};
  sp_yaml_want(ctx, node, SP_YAML_MAP, key->text);
  sp_spec_place *v = sp_alloc_n(ctx, node->n + 1, sizeof *v);
  for (size_t i = 0; i < node->n; i++) {
    const sp_yaml_pair *pair = &node->pairs[i];
    v[i].name = pair->key->text;
    v[i].loc = pair->key->loc;
    v[i].as_loc = pair->key->loc;
    if (pair->value->kind == SP_YAML_MAP) {
      read_map(&p, pair->value, &v[i]);
    } else {
      read_plain(&p, pair->value, &v[i]);
    }
  }
  return (sp_spec_places){key->loc, node->n, v};
}
