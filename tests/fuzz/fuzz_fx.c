/* fuzz_fx.c: any bytes as text with FX graphs. Every graph must be read or
 * refused, and roll with itself; sanitizers see the rest. */
#include "graph/fx.h"
#include "graph/roll.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
  const char *text;
  size_t size;
} input;

static void read_any(sp_ctx *ctx, void *arg) {
  const input *in = arg;
  sp_fx_looks_like(in->text, in->size);
  const sp_program *p = sp_fx_read_text(ctx, "fuzz", in->text, in->size);
  sp_program_check(ctx, p);
  static const uint32_t start[] = {0, 2};
  static const int64_t ids[] = {0, 1};
  static const sp_groups world = {1, start, ids};
  const sp_named_group groups[] = {{"0", &world}};
  const sp_program *const ranks[] = {p, p};
  const char *why = NULL;
  sp_roll(ctx, 2, ranks, 1, groups, &why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  if (!ctx) {
    return 0;
  }
  sp_ctx_set_limit(ctx, (size_t)256 << 20);
  input in = {(const char *)data, size};
  sp_protect(ctx, read_any, &in);
  sp_ctx_free(ctx);
  return 0;
}
