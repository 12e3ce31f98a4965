/* yaml.c: libyaml's events as a tree. sp_yaml_read_text, in the middle, drives
 * the parser; before it the events, after it what one asks of nodes. */
#include "shard-specs/yaml.h"

#include "base/vec.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { MAX_DEPTH = 64, MAX_NODES = 1 << 20 };
#define MAX_FILE ((size_t)16 << 20)

void sp_yaml_fail(sp_ctx *ctx, const sp_yaml *node, const char *hint,
                  const char *fmt, ...) {
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  sp_raise(ctx, SP_ERR_INPUT, node->loc, hint, "%s", text);
}

/* ---- events ---- */

typedef SP_VEC(const sp_yaml *) node_list;

/* A list or mapping under construction. */
typedef struct level {
  sp_yaml *node;
  node_list items; /* of a mapping: key, value, key, ... */
} level;

typedef struct loading {
  sp_ctx *ctx;
  const char *file, *text;
  size_t n;
  yaml_parser_t parser;
  yaml_event_t event;
  bool has_event;
  SP_VEC(const char *) lines; /* where each begins */
  level stack[MAX_DEPTH];
  size_t depth;
  size_t count;
  const sp_yaml *root;
} loading;

static sp_loc loc_of(const loading *y, yaml_mark_t mark) {
  return (sp_loc){.file = y->file,
                  .line = (uint32_t)mark.line + 1,
                  .column = (uint32_t)mark.column + 1};
}

static noreturn void fail(const loading *y, const char *hint,
                          const char *text) {
  sp_raise(y->ctx, SP_ERR_INPUT, loc_of(y, y->event.start_mark), hint, "%s",
           text);
}

static void refuse_anchor(const loading *y, const yaml_char_t *anchor,
                          const yaml_char_t *tag) {
  if (anchor) {
    fail(y, "write it out, or use wildcards (docs/specs.md)",
         "anchors are not understood");
  }
  if (tag) {
    fail(y, NULL, "tags are not understood");
  }
}

static sp_yaml *node_new(loading *y, sp_yaml_kind kind) {
  if (++y->count > MAX_NODES) {
    fail(y, NULL, "the file has too many values");
  }
  sp_yaml *node = sp_alloc(y->ctx, sizeof *node);
  node->kind = kind;
  node->loc = loc_of(y, y->event.start_mark);
  node->text = "";
  return node;
}

static void put(loading *y, sp_yaml *node) {
  if (y->depth == 0) {
    y->root = node;
    return;
  }
  level *l = &y->stack[y->depth - 1];
  if (l->node->kind == SP_YAML_MAP && l->items.n % 2 == 0 &&
      node->kind != SP_YAML_SCALAR) {
    sp_yaml_fail(y->ctx, node, NULL, "a key must be a text");
  }
  sp_push(y->ctx, &l->items, node);
}

/* Columns of a block's lines: behind the indentation of the first that is not
 * empty. */
static uint32_t block_column(const loading *y, size_t line) {
  for (; line < y->lines.n; line++) {
    const char *s = y->lines.v[line], *end = y->text + y->n;
    uint32_t column = 1;
    while (s < end && *s == ' ') {
      s++;
      column++;
    }
    if (s < end && *s != '\n' && *s != '\r') {
      return column;
    }
  }
  return 1;
}

static void load_scalar(loading *y) {
  const yaml_event_t *e = &y->event;
  refuse_anchor(y, e->data.scalar.anchor, e->data.scalar.tag);
  sp_yaml *node = node_new(y, SP_YAML_SCALAR);
  const char *value = (const char *)e->data.scalar.value;
  size_t n = e->data.scalar.length;
  if (strlen(value) != n) {
    fail(y, NULL, "a zero byte");
  }
  node->text = sp_intern(y->ctx, value, n);
  node->n = n;
  yaml_scalar_style_t style = e->data.scalar.style;
  bool block =
      style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE;
  node->quoted = style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                 style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
  node->lines = (sp_lang_text){
      .text = node->text,
      .n = n,
      .file = y->file,
      .line = node->loc.line,
      .column = node->loc.column + (node->quoted ? 1 : 0),
      .column_next = 1,
  };
  if (block) {
    node->lines.line++;
    node->lines.column = node->lines.column_next =
        block_column(y, e->start_mark.line + 1);
  }
  put(y, node);
}

static void open_level(loading *y, sp_yaml_kind kind) {
  const yaml_event_t *e = &y->event;
  if (kind == SP_YAML_MAP) {
    refuse_anchor(y, e->data.mapping_start.anchor, e->data.mapping_start.tag);
  } else {
    refuse_anchor(y, e->data.sequence_start.anchor, e->data.sequence_start.tag);
  }
  sp_yaml *node = node_new(y, kind);
  put(y, node);
  if (y->depth >= MAX_DEPTH) {
    fail(y, NULL, "nested too deep");
  }
  y->stack[y->depth++] = (level){.node = node};
}

static int by_key(const void *a, const void *b) {
  return strcmp(((const sp_yaml_pair *)a)->key->text,
                ((const sp_yaml_pair *)b)->key->text);
}

static void refuse_twins(loading *y, const sp_yaml *map) {
  sp_yaml_pair *sorted = sp_alloc_n(y->ctx, map->n + 1, sizeof *sorted);
  memcpy(sorted, map->pairs, map->n * sizeof *sorted);
  qsort(sorted, map->n, sizeof *sorted, by_key);
  for (size_t i = 1; i < map->n; i++) {
    const sp_yaml *a = sorted[i - 1].key, *b = sorted[i].key;
    if (strcmp(a->text, b->text) == 0) {
      bool later = b->loc.line > a->loc.line || (b->loc.line == a->loc.line &&
                                                 b->loc.column > a->loc.column);
      sp_yaml_fail(y->ctx, later ? b : a, NULL, "%.80s is there twice",
                   a->text);
    }
  }
}

static void close_level(loading *y) {
  level *l = &y->stack[--y->depth];
  sp_yaml *node = l->node;
  if (node->kind == SP_YAML_LIST) {
    node->n = l->items.n;
    node->items = l->items.v;
    return;
  }
  node->n = l->items.n / 2;
  sp_yaml_pair *pairs = sp_alloc_n(y->ctx, node->n + 1, sizeof *pairs);
  for (size_t i = 0; i < node->n; i++) {
    pairs[i] = (sp_yaml_pair){l->items.v[2 * i], l->items.v[2 * i + 1]};
  }
  node->pairs = pairs;
  refuse_twins(y, node);
}

/* False at the end. */
static bool load_event(loading *y) {
  switch (y->event.type) {
  case YAML_DOCUMENT_START_EVENT:
    if (y->root) {
      fail(y, "keep one", "the file has several documents");
    }
    break;
  case YAML_ALIAS_EVENT:
    fail(y, "write it out, or use wildcards (docs/specs.md)",
         "aliases are not understood");
  case YAML_SCALAR_EVENT:
    load_scalar(y);
    break;
  case YAML_SEQUENCE_START_EVENT:
    open_level(y, SP_YAML_LIST);
    break;
  case YAML_MAPPING_START_EVENT:
    open_level(y, SP_YAML_MAP);
    break;
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    close_level(y);
    break;
  case YAML_STREAM_END_EVENT:
    return false;
  case YAML_NO_EVENT:
  case YAML_STREAM_START_EVENT:
  case YAML_DOCUMENT_END_EVENT:
    break;
  }
  return true;
}

static noreturn void syntax_error(const loading *y) {
  const yaml_parser_t *p = &y->parser;
  bool at = p->error == YAML_SCANNER_ERROR || p->error == YAML_PARSER_ERROR;
  sp_loc loc = at ? loc_of(y, p->problem_mark) : (sp_loc){.file = y->file};
  if (p->error == YAML_MEMORY_ERROR) {
    sp_raise(y->ctx, SP_ERR_MEMORY, loc, NULL, "out of memory");
  }
  if (p->error == YAML_READER_ERROR) {
    loc.byte = p->problem_offset;
    loc.has_byte = true;
  }
  sp_raise(y->ctx, SP_ERR_INPUT, loc,
           "a text with brackets, colons or commas goes in quotes",
           "this is no YAML: %s%s%s", p->problem ? p->problem : "?",
           p->context ? ", " : "", p->context ? p->context : "");
}

static void load(sp_ctx *ctx, void *arg) {
  loading *y = arg;
  (void)ctx;
  for (bool more = true; more;) {
    if (!yaml_parser_parse(&y->parser, &y->event)) {
      syntax_error(y);
    }
    y->has_event = true;
    more = load_event(y);
    yaml_event_delete(&y->event);
    y->has_event = false;
  }
}

const sp_yaml *sp_yaml_read_text(sp_ctx *ctx, const char *file,
                                 const char *text, size_t n) {
  loading *y = sp_alloc(ctx, sizeof *y);
  y->ctx = ctx;
  y->file = file;
  y->text = text;
  y->n = n;
  sp_push(ctx, &y->lines, text);
  for (size_t i = 0; i < n; i++) {
    if (text[i] == '\n') {
      sp_push(ctx, &y->lines, text + i + 1);
    }
  }
  if (!yaml_parser_initialize(&y->parser)) {
    sp_raise(ctx, SP_ERR_MEMORY, (sp_loc){.file = file}, NULL, "out of memory");
  }
  yaml_parser_set_input_string(&y->parser, (const unsigned char *)text, n);
  yaml_parser_set_encoding(&y->parser, YAML_UTF8_ENCODING);
  sp_code code = sp_protect(ctx, load, y);
  if (y->has_event) {
    yaml_event_delete(&y->event);
  }
  yaml_parser_delete(&y->parser);
  if (code != SP_OK) {
    sp_error e = *sp_ctx_error(ctx);
    sp_raise(ctx, e.code, e.loc, e.hint, "%s", e.message);
  }
  if (!y->root) {
    sp_raise(ctx, SP_ERR_INPUT, (sp_loc){.file = file}, NULL,
             "the file is empty");
  }
  return y->root;
}

/* ---- files ---- */

const sp_yaml *sp_yaml_read_file(sp_ctx *ctx, const char *path) {
  const char *file = sp_strdup(ctx, path);
  size_t n;
  char *text = sp_file_read(ctx, path, (sp_loc){.file = file}, MAX_FILE, &n);
  return sp_yaml_read_text(ctx, file, text, n);
}

/* ---- nodes ---- */

const char *sp_yaml_kind_name(const sp_yaml *node) {
  switch (node->kind) {
  case SP_YAML_LIST:
    return "a list";
  case SP_YAML_MAP:
    return "a mapping";
  case SP_YAML_SCALAR:
    break;
  }
  return "a text or number";
}

const sp_yaml *sp_yaml_get(const sp_yaml *map, const char *key) {
  for (size_t i = 0; map->kind == SP_YAML_MAP && i < map->n; i++) {
    if (strcmp(map->pairs[i].key->text, key) == 0) {
      return map->pairs[i].value;
    }
  }
  return NULL;
}

void sp_yaml_want(sp_ctx *ctx, const sp_yaml *node, sp_yaml_kind kind,
                  const char *what) {
  if (node->kind != kind) {
    const sp_yaml wanted = {.kind = kind};
    sp_yaml_fail(ctx, node, NULL, "%s is %s, %s expected", what,
                 sp_yaml_kind_name(node), sp_yaml_kind_name(&wanted));
  }
}

void sp_yaml_keys(sp_ctx *ctx, const sp_yaml *map, const char *what,
                  const char *const *keys) {
  sp_yaml_want(ctx, map, SP_YAML_MAP, what);
  for (size_t i = 0; i < map->n; i++) {
    const char *key = map->pairs[i].key->text;
    bool known = false;
    sp_str all = {0};
    for (size_t k = 0; keys[k]; k++) {
      known = known || strcmp(keys[k], key) == 0;
      sp_str_addf(ctx, &all, "%s%s", k ? ", " : "", keys[k]);
    }
    if (!known) {
      sp_yaml_fail(ctx, map->pairs[i].key,
                   sp_format(ctx, "there are %s", all.v ? all.v : "none"),
                   "%.80s is no key of %s", key, what);
    }
  }
}

const char *sp_yaml_text(sp_ctx *ctx, const sp_yaml *node, const char *what) {
  sp_yaml_want(ctx, node, SP_YAML_SCALAR, what);
  if (node->n == 0) {
    sp_yaml_fail(ctx, node, NULL, "%s is empty", what);
  }
  return node->text;
}

bool sp_yaml_is_int(const sp_yaml *node, int64_t *value) {
  if (node->kind != SP_YAML_SCALAR || node->quoted || node->n == 0) {
    return false;
  }
  const char *s = node->text + (node->text[0] == '-' ? 1 : 0);
  if (!*s || strspn(s, "0123456789") != strlen(s)) {
    return false;
  }
  errno = 0;
  *value = strtoll(node->text, NULL, 10);
  return errno == 0;
}

bool sp_yaml_is_number(const sp_yaml *node, double *value) {
  if (node->kind != SP_YAML_SCALAR || node->n == 0) {
    return false;
  }
  const char *s = node->text;
  bool negative = *s == '-';
  const char *rest = s + (negative ? 1 : 0);
  if (strcmp(rest, "inf") == 0 || strcmp(rest, ".inf") == 0) {
    *value = negative ? -INFINITY : INFINITY;
    return true;
  }
  if (!strchr("0123456789.-+", *s)) {
    return false;
  }
  char *end;
  *value = strtod(s, &end);
  return *end == '\0' && isfinite(*value);
}

int64_t sp_yaml_int(sp_ctx *ctx, const sp_yaml *node, const char *what) {
  int64_t v;
  if (!sp_yaml_is_int(node, &v)) {
    sp_yaml_fail(ctx, node, NULL, "%s is no integer", what);
  }
  return v;
}
