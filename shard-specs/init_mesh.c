/* init_mesh.c: "rank0_1.py", "rank1_0.py", ... as a mesh. Read spi_mesh_of. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "shard-specs/init_i.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 16, MAX_NAME = 4096 };

/* A path as texts around numbers: text[0] number[0] text[1] ... */
typedef struct fields {
  uint32_t n;
  int64_t number[MAX_FIELDS];
  const char *text[MAX_FIELDS + 1];
} fields;

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Numbers of up to 6 digits; more are no ranks. */
static fields fields_of(sp_ctx *ctx, const char *path) {
  fields f = {0};
  const char *from = path, *s = path;
  while (*s) {
    size_t n = strspn(s, "0123456789");
    if (n == 0) {
      s++;
      continue;
    }
    if (n <= 6 && f.n < MAX_FIELDS) {
      f.text[f.n] = sp_strndup(ctx, from, (size_t)(s - from));
      f.number[f.n++] = strtoll(s, NULL, 10);
      from = s + n;
    }
    s += n;
  }
  f.text[f.n] = sp_strdup(ctx, from);
  return f;
}

static noreturn void odd_names(sp_ctx *ctx, const char *path, const char *why) {
  sp_raise(ctx, SP_ERR_USAGE, (sp_loc){.file = path},
           "name them by their place in the mesh, rank0.py, rank1.py, ... or "
           "rank0_0.py, rank0_1.py, ...",
           "the files of the ranks do not make a mesh: %s", why);
}

static bool same_text(const fields *a, const fields *b) {
  if (a->n != b->n) {
    return false;
  }
  for (uint32_t i = 0; i <= a->n; i++) {
    if (strcmp(a->text[i], b->text[i]) != 0) {
      return false;
    }
  }
  return true;
}

/* The axis is called as the file names suggest: "tp0.py", "rank0_tp1.py". */
static const char *axis_name(sp_ctx *ctx, const char *before, uint32_t axis,
                             uint32_t n) {
  static const char *const known[] = {"tp", "dp", "pp",  "cp",
                                      "sp", "ep", "fsdp"};
  static const char *const usual[] = {"dp", "cp", "pp", "tp"};
  size_t len = strlen(before);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t k = strlen(known[i]);
    bool ends = len >= k && strcmp(before + len - k, known[i]) == 0;
    char c = ends && len > k ? before[len - k - 1] : '_';
    if (ends &&
        !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c))) {
      return known[i];
    }
  }
  if (n == 1) {
    return "tp";
  }
  return n == 2 && axis == 0 ? "dp"
         : n == 2            ? "tp"
                  : sp_format(ctx, "%s", usual[axis % SPI_INIT_AXES]);
}

static spi_mesh one_file(sp_ctx *ctx, const char *const *files) {
  spi_mesh m = {.ranks = 1,
                .pattern = files[0],
                .files = files,
                .question = "which mesh does the file run on?"};
  (void)ctx;
  return m;
}

/* Which fields differ between the files. */
static uint32_t varying(sp_ctx *ctx, uint32_t n, const fields *f,
                        const char *const *files, uint32_t *out) {
  uint32_t k = 0;
  for (uint32_t i = 0; i < f[0].n; i++) {
    bool differs = false;
    for (uint32_t r = 1; r < n; r++) {
      differs = differs || f[r].number[i] != f[0].number[i];
    }
    if (differs && k == SPI_INIT_AXES) {
      odd_names(ctx, files[0], "too many numbers in the names");
    }
    if (differs) {
      out[k++] = i;
    }
  }
  return k;
}

static const char *pattern_of(sp_ctx *ctx, const fields *f, const char *path,
                              const spi_mesh *m, const uint32_t *field) {
  sp_str s = {0};
  const char *at = path;
  for (uint32_t i = 0; i < f->n; i++) {
    sp_str_add(ctx, &s, f->text[i]);
    at += strlen(f->text[i]);
    size_t digits = strspn(at, "0123456789");
    uint32_t a = 0;
    while (a < m->n_axes && field[a] != i) {
      a++;
    }
    if (a < m->n_axes) {
      sp_str_addf(ctx, &s, "{%s}", m->axis[a]);
    } else {
      sp_str_addn(ctx, &s, at, digits);
    }
    at += digits;
  }
  sp_str_add(ctx, &s, f->text[f->n]);
  return s.v;
}

spi_mesh spi_mesh_of(sp_ctx *ctx, uint32_t n, const char *const *files) {
  if (n == 1) {
    return one_file(ctx, files);
  }
  fields *f = sp_alloc_n(ctx, n, sizeof *f);
  for (uint32_t r = 0; r < n; r++) {
    f[r] = fields_of(ctx, files[r]);
    if (!same_text(&f[0], &f[r])) {
      odd_names(ctx, files[r], "the names differ in more than numbers");
    }
  }
  uint32_t field[SPI_INIT_AXES];
  spi_mesh m = {.ranks = 1};
  m.n_axes = varying(ctx, n, f, files, field);
  for (uint32_t a = 0; a < m.n_axes; a++) {
    m.axis[a] = axis_name(ctx, f[0].text[field[a]], a, m.n_axes);
    for (uint32_t b = 0; b < a; b++) {
      if (strcmp(m.axis[a], m.axis[b]) == 0) {
        m.axis[a] = sp_format(ctx, "%s%u", m.axis[a], a);
      }
    }
    for (uint32_t r = 0; r < n; r++) {
      int64_t at = f[r].number[field[a]];
      m.size[a] = at + 1 > m.size[a] ? at + 1 : m.size[a];
    }
    m.ranks *= m.size[a];
  }
  const char **by_rank = sp_alloc_n(ctx, n, sizeof *by_rank);
  if (m.ranks != n) {
    odd_names(ctx, files[0],
              sp_format(ctx, "%u files for %lld places, counted from 0", n,
                        (long long)m.ranks));
  }
  for (uint32_t r = 0; r < n; r++) {
    int64_t at = 0;
    for (uint32_t a = 0; a < m.n_axes; a++) {
      at = at * m.size[a] + f[r].number[field[a]];
    }
    if (by_rank[at]) {
      odd_names(ctx, files[r], "two files for one place");
    }
    by_rank[at] = files[r];
  }
  m.files = by_rank;
  m.pattern = pattern_of(ctx, &f[0], files[0], &m, field);
  m.question = m.n_axes > 1 ? "what are the axes called, and in which order?"
                            : "what is the axis called?";
  return m;
}

/* A pattern may not exist, but its folder does. */
static const char *absolute(sp_ctx *ctx, const char *path) {
  const char *slash = strrchr(path, '/');
  const char *folder =
      slash ? sp_strndup(ctx, path, (size_t)(slash - path)) : ".";
  char *real = realpath(folder, NULL);
  if (!real) {
    return path;
  }
  const char *out = sp_format(ctx, "%s/%s", real, slash ? slash + 1 : path);
  free(real);
  return out;
}

const char *spi_relative(sp_ctx *ctx, const char *folder, const char *path) {
  size_t n = strlen(folder);
  while (n > 0 && folder[n - 1] == '/') {
    n--;
  }
  if (n == 0 || path[0] == '/' || strcmp(folder, ".") == 0) {
    return path;
  }
  if (strncmp(path, folder, n) == 0 && path[n] == '/') {
    return path + n + 1;
  }
  if (folder[0] == '/' || strstr(folder, "..")) {
    return absolute(ctx, path);
  }
  sp_str s = {0};
  sp_str_add(ctx, &s, "../");
  for (size_t i = 0; i < n; i++) {
    if (folder[i] == '/') {
      sp_str_add(ctx, &s, "../");
    }
  }
  sp_str_add(ctx, &s, path);
  return s.v;
}
