/* hlo.c: a file, read whole, and told apart by its first characters. */
#include "graph/hlo.h"

#include "base/file.h"
#include "graph/hlo_lex.h"

typedef struct file_bytes {
  const char *path;
  char *bytes;
  size_t n;
} file_bytes;

/* Text begins with HloModule after blanks and comments. (A proto begins with
 * the byte 0x0A, which is a blank, and goes on with a length.) */
static bool is_text(sp_ctx *ctx, const file_bytes *f) {
  hlo_lex l;
  hlo_lex_init(&l, ctx, f->path, f->bytes, f->n);
  return hlo_lex_accept_word(&l, "HloModule");
}

/* The beginning is text, so it is no proto: those have control bytes. */
static bool looks_printable(const file_bytes *f) {
  size_t n = f->n < 256 ? f->n : 256;
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)f->bytes[i];
    if ((c < 32 && c != '\n' && c != '\t' && c != '\r') || c == 127) {
      return false;
    }
  }
  return true;
}

const sp_program *sp_hlo_read_file(sp_ctx *ctx, const char *path) {
  file_bytes f = {.path = sp_strdup(ctx, path)};
  sp_loc loc = {.file = f.path};
  f.bytes = sp_file_read(ctx, path, loc, SP_MAX_FILE, &f.n);
  if (f.n == 0) {
    sp_raise(ctx, SP_ERR_INPUT, loc, NULL, "the file is empty");
  }
  if (is_text(ctx, &f)) {
    return sp_hlo_read_text(ctx, f.path, f.bytes, f.n);
  }
  if (looks_printable(&f)) {
    sp_raise(ctx, SP_ERR_INPUT,
             (sp_loc){.file = f.path, .line = 1, .column = 1},
             "the text of a module begins with the word HloModule",
             "this is neither an HLO module as text nor as protobuf");
  }
  return sp_hlo_read_proto(ctx, f.path, (const uint8_t *)f.bytes, f.n);
}
