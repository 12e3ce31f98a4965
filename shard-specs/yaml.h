/* yaml.h: YAML as a tree with places.
 *
 * CONTRACT. A file (or text) with one document becomes a tree of scalars,
 * sequences and mappings in the context; every node knows its line and column.
 * Scalars stay text; what they mean is asked for by the functions below, which
 * raise SP_ERR_INPUT at the node's place. Refused: anchors, aliases and tags
 * (a spec needs none, and aliases make bombs), keys that are no scalars or
 * occur twice, files over 16 MiB, nesting over 64. The only file that knows
 * libyaml is yaml.c.
 */
#ifndef SP_SPECS_YAML_H
#define SP_SPECS_YAML_H

#include "base/ctx.h"
#include "base/file.h"
#include "encode/lang.h"

typedef enum sp_yaml_kind {
  SP_YAML_SCALAR,
  SP_YAML_LIST,
  SP_YAML_MAP
} sp_yaml_kind;

typedef struct sp_yaml sp_yaml;

typedef struct sp_yaml_pair {
  const sp_yaml *key, *value;
} sp_yaml_pair;

struct sp_yaml {
  sp_yaml_kind kind;
  sp_loc loc;
  bool quoted;      /* SCALAR in quotes */
  const char *text; /* SCALAR, interned */
  size_t n;         /* items or pairs; bytes of a scalar */
  const sp_yaml *const *items;
  const sp_yaml_pair *pairs;
  /* of a scalar's text: where its lines begin in the file */
  sp_lang_text lines;
};

const sp_yaml *sp_yaml_read_file(sp_ctx *ctx, const char *path);
const sp_yaml *sp_yaml_read_text(sp_ctx *ctx, const char *file,
                                 const char *text, size_t n);

noreturn void sp_yaml_fail(sp_ctx *ctx, const sp_yaml *node, const char *hint,
                           const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
const char *sp_yaml_kind_name(const sp_yaml *node); /* "a list" */
/* The value of a key, or NULL. */
const sp_yaml *sp_yaml_get(const sp_yaml *map, const char *key);
/* Refuse a key that is not listed; keys NULL at the end. */
void sp_yaml_keys(sp_ctx *ctx, const sp_yaml *map, const char *what,
                  const char *const *keys);
/* Raise where it is something else; what: "mesh". */
void sp_yaml_want(sp_ctx *ctx, const sp_yaml *node, sp_yaml_kind kind,
                  const char *what);
const char *sp_yaml_text(sp_ctx *ctx, const sp_yaml *node, const char *what);
int64_t sp_yaml_int(sp_ctx *ctx, const sp_yaml *node, const char *what);
/* Plain decimal digits with a sign? */
bool sp_yaml_is_int(const sp_yaml *node, int64_t *value);
bool sp_yaml_is_number(const sp_yaml *node, double *value);

#endif
