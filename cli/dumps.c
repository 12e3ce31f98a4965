/* dumps.c: file names to steps. Read cli_dumps_find, last. */
#define _POSIX_C_SOURCE 200809L /* opendir */
#include "cli/dumps.h"

#include "base/vec.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_DIGITS = 4, MODULES_SHOWN = 12 };

/* A name taken apart. */
typedef struct entry {
  cli_dump dump;
  const char *module;
  bool proto;
} entry;

typedef SP_VEC(entry) entries;

static bool cut_suffix(const char *s, size_t *n, const char *suffix) {
  size_t k = strlen(suffix);
  if (*n <= k || strncmp(s + *n - k, suffix, k) != 0) {
    return false;
  }
  *n -= k;
  return true;
}

/* "PIPELINE.after_PASS.before_NEXT" in words. */
static const char *step_of(sp_ctx *ctx, const char *rest) {
  const char *after = strstr(rest, ".after_");
  if (!after) {
    return sp_strdup(ctx, rest);
  }
  const char *pipeline = sp_strndup(ctx, rest, (size_t)(after - rest));
  const char *pass = after + strlen(".after_");
  const char *before = strstr(pass, ".before_");
  pass = sp_strndup(ctx, pass, before ? (size_t)(before - pass) : strlen(pass));
  return strcmp(pass, "pipeline-start") == 0
             ? sp_format(ctx, "what ran before %s", pipeline)
             : sp_format(ctx, "%s (in %s)", pass, pipeline);
}

/* MODULE.NUMBER.rest: the first part but one that is all digits. */
static bool parse_numbered(sp_ctx *ctx, const char *stem, entry *out) {
  for (const char *dot = strchr(stem, '.'); dot; dot = strchr(dot + 1, '.')) {
    size_t n = 0;
    while (isdigit((unsigned char)dot[1 + n])) {
      n++;
    }
    if (n >= MIN_DIGITS && n < 18 && dot[1 + n] == '.' && dot > stem) {
      out->module = sp_strndup(ctx, stem, (size_t)(dot - stem));
      out->dump.number = strtoll(dot + 1, NULL, 10);
      out->dump.name = sp_strdup(ctx, dot + 1);
      out->dump.step = step_of(ctx, dot + 2 + n);
      return true;
    }
  }
  return false;
}

/* MODULE.before_optimizations; MODULE.cpu_after_optimizations, whose module is
 * known when the others are: names may have dots. */
static bool parse_end(sp_ctx *ctx, const char *stem, entry *out) {
  size_t n = strlen(stem);
  out->dump.name = stem;
  if (cut_suffix(stem, &n, ".before_optimizations")) {
    out->module = sp_strndup(ctx, stem, n);
    out->dump.number = -1;
    out->dump.step = "before all passes";
    return true;
  }
  out->dump.number = INT64_MAX;
  out->dump.step = "the last passes";
  return cut_suffix(stem, &n, "after_optimizations");
}

static void add_file(sp_ctx *ctx, const char *dir, const char *name,
                     entries *all) {
  size_t n = strlen(name);
  entry e = {.proto = cut_suffix(name, &n, ".hlo.pb")};
  if (!e.proto && !cut_suffix(name, &n, ".hlo.txt") &&
      !cut_suffix(name, &n, ".txt")) {
    return;
  }
  const char *stem = sp_strndup(ctx, name, n);
  if (parse_numbered(ctx, stem, &e) || parse_end(ctx, stem, &e)) {
    e.dump.path = sp_format(ctx, "%s/%s", dir, name);
    sp_push(ctx, all, e);
  }
}

/* Is it of that module? "MODULE.cpu_after_optimizations" is. */
static bool is_of(const entry *e, const char *module) {
  size_t n = strlen(module);
  if (e->module) {
    return strcmp(e->module, module) == 0;
  }
  return strncmp(e->dump.name, module, n) == 0 && e->dump.name[n] == '.';
}

static int in_order(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->dump.number != y->dump.number) {
    return x->dump.number < y->dump.number ? -1 : 1;
  }
  return (int)y->proto - (int)x->proto; /* the protobuf first */
}

static const char *only_module(sp_ctx *ctx, const entries *all,
                               const char *dir) {
  const char *first = NULL;
  sp_str others = {0};
  size_t n = 0;
  for (size_t i = 0; i < all->n; i++) {
    const char *module = all->v[i].module;
    bool seen = !module;
    for (size_t k = 0; k < i && !seen; k++) {
      seen = all->v[k].module && strcmp(all->v[k].module, module) == 0;
    }
    if (seen) {
      continue;
    }
    first = first ? first : module;
    if (++n <= MODULES_SHOWN) {
      sp_str_addf(ctx, &others, "%s%s", n > 1 ? ", " : "", module);
    }
  }
  if (n > 1) {
    sp_raise(ctx, SP_ERR_USAGE, sp_nowhere(), "choose one with --module NAME",
             "%.200s has dumps of %zu modules: %.400s%s", dir, n, others.v,
             n > MODULES_SHOWN ? ", ..." : "");
  }
  return first;
}

static void read_folder(sp_ctx *ctx, const char *dir, entries *all) {
  DIR *d = opendir(dir);
  if (!d) {
    sp_raise(ctx, SP_ERR_INPUT, (sp_loc){.file = dir},
             "give the folder that --xla_dump_to named",
             "cannot read the folder: %s", strerror(errno));
  }
  SP_VEC(const char *) names = {0};
  for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
    sp_push(ctx, &names, sp_strdup(ctx, e->d_name));
  }
  closedir(d);
  for (size_t i = 0; i < names.n; i++) {
    add_file(ctx, dir, names.v[i], all);
  }
}

cli_dumps cli_dumps_find(sp_ctx *ctx, const char *dir, const char *module) {
  entries all = {0};
  read_folder(ctx, sp_strdup(ctx, dir), &all);
  cli_dumps found = {.module = module ? module : only_module(ctx, &all, dir)};
  entries own = {0};
  for (size_t i = 0; found.module && i < all.n; i++) {
    if (is_of(&all.v[i], found.module)) {
      sp_push(ctx, &own, all.v[i]);
    }
  }
  if (own.n < 2) {
    sp_raise(ctx, SP_ERR_INPUT, (sp_loc){.file = sp_strdup(ctx, dir)},
             "XLA writes them with --xla_dump_to=DIR --xla_dump_hlo_as_text "
             "--xla_dump_hlo_pass_re=.*",
             "there are fewer than two dumps of %s",
             module ? module : "a module");
  }
  qsort(own.v, own.n, sizeof *own.v, in_order);
  cli_dump *v = sp_alloc_n(ctx, own.n, sizeof *v);
  for (size_t i = 0; i < own.n; i++) {
    if (found.n == 0 || own.v[i].dump.number != v[found.n - 1].number) {
      v[found.n++] = own.v[i].dump;
    }
  }
  found.v = v;
  return found;
}
