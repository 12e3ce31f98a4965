/* fuzz_hlo.c: any bytes as an HLO module, text or protobuf. The reader must
 * return or raise; sanitizers see the rest. */
#include "graph/hlo.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
  const uint8_t *data;
  size_t size;
} input;

static void read_any(sp_ctx *ctx, void *arg) {
  const input *in = arg;
  const sp_program *p =
      in->size > 0 && in->data[0] == 'H'
          ? sp_hlo_read_text(ctx, "fuzz", (const char *)in->data, in->size)
          : sp_hlo_read_proto(ctx, "fuzz", in->data, in->size);
  sp_program_check(ctx, p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  if (!ctx) {
    return 0;
  }
  sp_ctx_set_limit(ctx, (size_t)256 << 20);
  input in = {data, size};
  sp_protect(ctx, read_any, &in);
  sp_ctx_free(ctx);
  return 0;
}
