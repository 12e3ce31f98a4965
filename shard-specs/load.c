/* load.c: files of programs. */
#include "shard-specs/problem.h"

#include "graph/fx.h"
#include "graph/hlo.h"

#include <stdio.h>
#include <string.h>

enum { HEAD = 1 << 20 };

bool sp_program_is_hlo(const sp_program *p) {
  return p->n_nodes > 0 && strncmp(p->nodes[0].op, "hlo:", 4) == 0;
}

/* "log.txt#2" where there is no such file is graph 2 of log.txt. */
static const char *without_number(sp_ctx *ctx, const char *path) {
  const char *hash = strrchr(path, '#');
  bool number =
      hash && hash[1] && strspn(hash + 1, "0123456789") == strlen(hash + 1);
  return number ? sp_strndup(ctx, path, (size_t)(hash - path)) : path;
}

static FILE *open_program(sp_ctx *ctx, const char *path, sp_loc loc) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    f = fopen(without_number(ctx, path), "rb");
  }
  if (!f) {
    sp_raise(ctx, SP_ERR_INPUT, loc,
             loc.line ? "paths are relative to the folder of the spec"
                      : "is the path right?",
             "%s cannot be opened", path);
  }
  return f;
}

const sp_program *sp_spec_load(sp_ctx *ctx, const char *path, sp_loc loc) {
  sp_mark mark = sp_scratch_mark(ctx);
  char *head = sp_scratch(ctx, HEAD);
  FILE *f = open_program(ctx, path, loc);
  size_t n = fread(head, 1, HEAD, f);
  fclose(f);
  bool fx = sp_fx_looks_like(head, n);
  sp_scratch_release(ctx, mark);
  return fx ? sp_fx_read_file(ctx, path) : sp_hlo_read_file(ctx, path);
}

static const char *in_folder(sp_ctx *ctx, const sp_spec *spec,
                             const char *path) {
  const char *slash = strrchr(spec->file, '/');
  return !slash || path[0] == '/'
             ? path
             : sp_format(ctx, "%.*s/%s", (int)(slash - spec->file), spec->file,
                         path);
}

const char *sp_spec_sequential_path(sp_ctx *ctx, const sp_spec *spec) {
  return in_folder(ctx, spec, spec->sequential.path);
}

const char *sp_spec_rank_path(sp_ctx *ctx, const sp_spec *spec, int64_t rank) {
  sp_str out = {0};
  const char *s = spec->distributed.path;
  while (*s) {
    const char *end = *s == '{' ? strchr(s, '}') : NULL;
    if (!end) {
      sp_str_addn(ctx, &out, s, 1);
      s++;
      continue;
    }
    uint32_t a = 0;
    size_t n = (size_t)(end - s) - 1;
    while (a < spec->n_axes && (strlen(spec->axes[a].name) != n ||
                                memcmp(spec->axes[a].name, s + 1, n) != 0)) {
      a++;
    }
    if (a < spec->n_axes) {
      sp_str_addf(ctx, &out, "%lld",
                  (long long)sp_spec_coordinate(spec, a, rank));
    } else if (n == 4 && memcmp(s + 1, "rank", 4) == 0) {
      sp_str_addf(ctx, &out, "%lld", (long long)rank);
    } else {
      sp_loc loc = spec->distributed.loc;
      sp_raise(ctx, SP_ERR_INPUT, loc,
               "{AXIS} stands for the position along an axis of the mesh, "
               "{rank} for the global rank",
               "the mesh has no axis %.*s", (int)n, s + 1);
    }
    s = end + 1;
  }
  return in_folder(ctx, spec, out.v ? out.v : "");
}
