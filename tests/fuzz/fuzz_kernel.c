/* fuzz_kernel.c: kernel files: reading, formatting, lowering. Formatted text
 * must read back and stay as it is. */
#include "kernels/format.h"
#include "kernels/kernel.h"

#include <stdlib.h>
#include <string.h>

typedef struct input {
  const char *text;
  size_t n;
} input;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void run(sp_ctx *ctx, void *arg) {
  const input *in = arg;
  const sp_kernel *k = sp_kernel_read_text(ctx, "fuzz.sp", in->text, in->n);
  const char *once = sp_kernel_format(ctx, "fuzz.sp", in->text, in->n);
  const char *twice = sp_kernel_format(ctx, "fuzz.sp", once, strlen(once));
  if (strcmp(once, twice) != 0) {
    abort();
  }
  sp_kernel_lower(ctx, k, NULL, 2);
  sp_kernel_lower(ctx, k, NULL, SP_KERNEL_UNROLLED_THEN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  if (!ctx) {
    return 0;
  }
  sp_ctx_set_limit(ctx, (size_t)256 << 20);
  input in = {(const char *)data, n};
  if (sp_protect(ctx, run, &in) == SP_ERR_INTERNAL) {
    abort();
  }
  sp_ctx_free(ctx);
  return 0;
}
