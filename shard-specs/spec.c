/* spec.c: the spec file, top level: read spec_of last. */
#include "shard-specs/spec_i.h"

#include <string.h>

static const char *const keys[] = {
    "sequential", "distributed",   "mesh",  "groups",  "inputs",    "outputs",
    "assume",     "constants",     "cuts",  "dropout", "operators", "include",
    "expect",     "uninitialised", "where", "why",     "example",   "title",
    NULL};

static const sp_yaml *required(sp_ctx *ctx, const sp_yaml *root,
                               const char *key, const char *hint) {
  const sp_yaml *node = sp_yaml_get(root, key);
  if (!node) {
    sp_yaml_fail(ctx, root, hint, "%s is missing", key);
  }
  return node;
}

static const sp_yaml *key_of(const sp_yaml *root, const char *key) {
  for (size_t i = 0; i < root->n; i++) {
    if (strcmp(root->pairs[i].key->text, key) == 0) {
      return root->pairs[i].key;
    }
  }
  return root;
}

static sp_spec_places places(sp_ctx *ctx, const sp_spec *spec,
                             const sp_yaml *root, const char *key) {
  const sp_yaml *node = sp_yaml_get(root, key);
  if (!node) {
    return (sp_spec_places){.loc = root->loc};
  }
  return spi_read_places(ctx, spec, key_of(root, key), node);
}

static void read_dropout(sp_ctx *ctx, sp_spec *spec, const sp_yaml *node) {
  const char *text = sp_yaml_text(ctx, node, "dropout");
  spec->dropout_identity = strcmp(text, "identity") == 0;
  if (!spec->dropout_identity && strcmp(text, "opaque") != 0) {
    sp_yaml_fail(ctx, node, "identity or opaque",
                 "%.80s says nothing of dropout", text);
  }
}

/* Files of meanings, relative to the spec. */
static void read_include(sp_ctx *ctx, const sp_spec *spec, const sp_yaml *list,
                         spi_meanings *out) {
  static const char *const only[] = {"operators", NULL};
  sp_yaml_want(ctx, list, SP_YAML_LIST, "include");
  const char *slash = strrchr(spec->file, '/');
  for (size_t i = 0; i < list->n; i++) {
    const char *path = sp_yaml_text(ctx, list->items[i], "a file to include");
    if (slash && path[0] != '/') {
      path = sp_format(ctx, "%.*s/%s", (int)(slash - spec->file), spec->file,
                       path);
    }
    size_t n;
    char *text =
        sp_file_read(ctx, path, list->items[i]->loc, (size_t)1 << 20, &n);
    const sp_yaml *root = sp_yaml_read_text(ctx, path, text, n);
    sp_yaml_keys(ctx, root, "an included file", only);
    spi_read_operators(ctx, required(ctx, root, "operators", NULL), out);
  }
}

static void read_meanings(sp_ctx *ctx, sp_spec *spec, const sp_yaml *root) {
  spi_meanings list = {0};
  if (sp_yaml_get(root, "operators")) {
    spi_read_operators(ctx, sp_yaml_get(root, "operators"), &list);
  }
  if (sp_yaml_get(root, "include")) {
    read_include(ctx, spec, sp_yaml_get(root, "include"), &list);
  }
  spec->operators = list.v;
  spec->n_operators = list.n;
}

static void refuse_partial(sp_ctx *ctx, const sp_spec *spec,
                           const sp_spec_places *p, const char *what) {
  for (size_t i = 0; i < p->n; i++) {
    for (uint32_t a = 0; a < spec->n_axes; a++) {
      const sp_placement *q = p->v[i].axes[a];
      if (q && q->kind == SP_PLACE_PARTIAL) {
        sp_raise(ctx, SP_ERR_INPUT, q->loc,
                 "say how the ranks hold it; Partial is for inputs and outputs",
                 "%s is given as %s: what a single rank holds is then unknown",
                 what, q->text);
      }
    }
  }
}

static const sp_spec *spec_of(sp_ctx *ctx, const char *file,
                              const sp_yaml *root) {
  sp_spec *s = sp_alloc(ctx, sizeof *s);
  s->file = file;
  sp_yaml_keys(ctx, root, "a spec", keys);
  const sp_yaml *seq = required(ctx, root, "sequential",
                                "sequential: FILE, the program of one device");
  const sp_yaml *dist =
      required(ctx, root, "distributed",
               "distributed: rank{tp}.py, the program of each rank");
  const sp_yaml *mesh =
      required(ctx, root, "mesh", "mesh: {tp: 4}; {} is one rank");
  s->sequential.path = sp_yaml_text(ctx, seq, "sequential");
  s->sequential.loc = seq->loc;
  s->distributed.path = sp_yaml_text(ctx, dist, "distributed");
  s->distributed.loc = dist->loc;
  spi_read_mesh(ctx, s, mesh);
  if (sp_yaml_get(root, "groups")) {
    spi_read_groups(ctx, s, sp_yaml_get(root, "groups"));
  }
  if (sp_yaml_get(root, "constants")) {
    spi_read_constants(ctx, s, sp_yaml_get(root, "constants"));
  }
  if (sp_yaml_get(root, "assume")) {
    spi_read_ranges(ctx, s, sp_yaml_get(root, "assume"));
  }
  if (sp_yaml_get(root, "dropout")) {
    read_dropout(ctx, s, sp_yaml_get(root, "dropout"));
  }
  s->inputs = places(ctx, s, root, "inputs");
  s->cuts = places(ctx, s, root, "cuts");
  s->uninitialised = places(ctx, s, root, "uninitialised");
  required(ctx, root, "outputs", "outputs: {out.0: Replicate}");
  s->outputs = places(ctx, s, root, "outputs");
  if (s->outputs.n == 0) {
    sp_yaml_fail(ctx, key_of(root, "outputs"), "outputs: {out.0: Replicate}",
                 "no output is named, so nothing would be checked");
  }
  refuse_partial(ctx, s, &s->cuts, "a cut");
  refuse_partial(ctx, s, &s->uninitialised, "a buffer");
  read_meanings(ctx, s, root);
  return s;
}

const sp_spec *sp_spec_read_file(sp_ctx *ctx, const char *path) {
  const char *file = sp_strdup(ctx, path);
  return spec_of(ctx, file, sp_yaml_read_file(ctx, file));
}

const sp_spec *sp_spec_read_text(sp_ctx *ctx, const char *file,
                                 const char *text, size_t n) {
  return spec_of(ctx, file, sp_yaml_read_text(ctx, file, text, n));
}
