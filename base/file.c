/* file.c: read sp_file_read; what may raise happens in slurp_run, so that the
 * file is closed in any case. */
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct slurp {
  FILE *file;
  sp_loc loc;
  const char *path;
  char *bytes;
  size_t n, limit;
} slurp;

static void slurp_run(sp_ctx *ctx, void *arg) {
  slurp *f = arg;
  size_t cap = 64 * 1024;
  f->bytes = sp_alloc(ctx, cap + 1);
  for (;;) {
    size_t got = fread(f->bytes + f->n, 1, cap - f->n, f->file);
    f->n += got;
    if (f->n > f->limit) {
      sp_raise(ctx, SP_ERR_INPUT, f->loc, NULL, "%s is over %zu bytes", f->path,
               f->limit);
    }
    if (got == 0) {
      break;
    }
    if (f->n == cap) {
      cap *= 4;
      char *bigger = sp_alloc(ctx, cap + 1);
      memcpy(bigger, f->bytes, f->n);
      f->bytes = bigger;
    }
  }
  if (ferror(f->file)) {
    sp_raise(ctx, SP_ERR_INPUT, f->loc, NULL, "%s cannot be read: %s", f->path,
             strerror(errno));
  }
}

char *sp_file_read(sp_ctx *ctx, const char *path, sp_loc loc, size_t limit,
                   size_t *n) {
  slurp f = {.file = fopen(path, "rb"),
             .loc = loc,
             .path = sp_strdup(ctx, path),
             .limit = limit};
  if (!f.file) {
    sp_raise(ctx, SP_ERR_INPUT, loc, "is the path right?",
             "%s cannot be opened: %s", path, strerror(errno));
  }
  sp_code code = sp_protect(ctx, slurp_run, &f);
  fclose(f.file);
  if (code != SP_OK) {
    sp_error e = *sp_ctx_error(ctx);
    sp_raise(ctx, e.code, e.loc, e.hint, "%s", e.message);
  }
  *n = f.n;
  return f.bytes;
}

bool sp_file_exists(const char *path) {
  FILE *f = fopen(path, "rb");
  if (f) {
    fclose(f);
  }
  return f != NULL;
}
