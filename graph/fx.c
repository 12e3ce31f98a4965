/* fx.c: the entry points. */
#include "graph/fx_i.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

bool sp_fx_looks_like(const char *text, size_t n) {
  const char *end = text + n;
  if (n && memchr(text, '\0', n < 4096 ? n : 4096)) {
    return false;
  }
  for (const char *s = text; s < end;) {
    const char *nl = memchr(s, '\n', (size_t)(end - s));
    const char *e = nl ? nl : end, *name;
    size_t rank_n, name_n;
    fx_line line = fx_source_line(s, e, &name, &rank_n);
    if ((size_t)(line.e - line.s) >= 9 && memcmp(line.s, "HloModule", 9) == 0) {
      return false;
    }
    if (fx_source_is_def(&line) || fx_source_is_class(&line, &name, &name_n)) {
      return true;
    }
    s = nl ? nl + 1 : end;
  }
  return false;
}

uint32_t sp_fx_count(sp_ctx *ctx, const char *file, const char *text,
                     size_t n) {
  return (uint32_t)fx_source_read(ctx, file, text, n).sections.n;
}

static const sp_program *section_read(sp_ctx *ctx, const char *file,
                                      const fx_source *source, size_t which) {
  const fx_section *s = source->sections.v[which];
  return fx_build_program(ctx, fx_graph_read(ctx, file, s));
}

static noreturn void no_graph(sp_ctx *ctx, const char *file) {
  fx_fail(ctx, (sp_loc){.file = file},
          "GraphModule.print_readable() prints one",
          "the text has no FX graph in it");
}

const sp_program *sp_fx_read_graph(sp_ctx *ctx, const char *file,
                                   const char *text, size_t n, uint32_t which) {
  file = sp_strdup(ctx, file);
  fx_source source = fx_source_read(ctx, file, text, n);
  if (source.sections.n == 0) {
    no_graph(ctx, file);
  }
  if (which >= source.sections.n) {
    fx_fail(ctx, (sp_loc){.file = file}, "graphs are counted from 0",
            "there is no graph %u: the text has %zu", which, source.sections.n);
  }
  return section_read(ctx, file, &source, which);
}

/* "0: inner_f (line 4), 1: ..." */
static const char *sections_list(sp_ctx *ctx, const fx_source *source) {
  sp_str s = {0};
  for (size_t i = 0; i < source->sections.n && i < 8; i++) {
    const fx_section *x = source->sections.v[i];
    sp_str_addf(ctx, &s, "%s%zu: %.40s in line %u", i ? ", " : "", i, x->name,
                x->line);
  }
  return s.v;
}

const sp_program *sp_fx_read_text(sp_ctx *ctx, const char *file,
                                  const char *text, size_t n) {
  file = sp_strdup(ctx, file);
  fx_source source = fx_source_read(ctx, file, text, n);
  if (source.sections.n == 0) {
    no_graph(ctx, file);
  }
  if (source.sections.n > 1) {
    sp_loc loc = {.file = file, .line = source.sections.v[1]->line};
    fx_fail(ctx, loc, "say which by FILE#NUMBER, or keep one in the file",
            "the text has %zu graphs (%s)", source.sections.n,
            sections_list(ctx, &source));
  }
  return section_read(ctx, file, &source, 0);
}

/* --- files --- */

/* "path#12": the number, and the path cut short; false when there is none. */
static bool number_cut(char *path, uint32_t *which) {
  char *hash = strrchr(path, '#');
  if (!hash || !hash[1] || strlen(hash) > 8 ||
      strspn(hash + 1, "0123456789") != strlen(hash + 1)) {
    return false;
  }
  *which = (uint32_t)strtoul(hash + 1, NULL, 10);
  *hash = '\0';
  return true;
}

const sp_program *sp_fx_read_file(sp_ctx *ctx, const char *path) {
  char *name = sp_strdup(ctx, path);
  uint32_t which = 0;
  bool numbered = false;
  if (!sp_file_exists(name)) {
    numbered = number_cut(name, &which);
  }
  size_t n;
  char *text = sp_file_read(ctx, name, (sp_loc){.file = name}, SP_MAX_FILE, &n);
  if (numbered) {
    return sp_fx_read_graph(ctx, name, text, n, which);
  }
  return sp_fx_read_text(ctx, name, text, n);
}
