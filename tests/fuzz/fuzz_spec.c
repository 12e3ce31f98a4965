/* fuzz_spec.c: spec files, and the formulas in them. Files that a spec
 * includes are not there. */
#include "shard-specs/spec.h"

typedef struct input {
  const char *text;
  size_t n;
} input;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void run(sp_ctx *ctx, void *arg) {
  const input *in = arg;
  sp_spec_read_text(ctx, "/nonexistent/fuzz.yaml", in->text, in->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  if (!ctx) {
    return 0;
  }
  sp_ctx_set_limit(ctx, (size_t)256 << 20);
  input in = {(const char *)data, n};
  sp_protect(ctx, run, &in);
  sp_ctx_free(ctx);
  return 0;
}
