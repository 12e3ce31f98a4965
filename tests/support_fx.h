/* support_fx.h: for tests that read FX graphs from a string, and programs as
 * text to compare. The file is called "t.py". */
#ifndef SP_TESTS_SUPPORT_FX_H
#define SP_TESTS_SUPPORT_FX_H

#include "graph/fx.h"

#include <stddef.h>

/* NULL after printing the error. */
const sp_program *fx_read(sp_ctx *ctx, const char *text);
/* A graph with these inputs ('x: "f32[2]", y: "f32[3]"') and this body, each
 * line of which is indented by 8; the body begins in line 3. */
const sp_program *fx_read_body(sp_ctx *ctx, const char *inputs,
                               const char *body);

/* One line a node, inputs left out, then "return a None b":
 *   "mm:f32[2,4] aten.mm.default(x, w) arg2=1 dtype='torch.float32'"
 * Attributes that are operand 0, 1, ... in order at arg0, arg1, ... are not
 * shown. */
const char *fx_text(sp_ctx *ctx, const sp_program *p);
const char *fx_attr_text(sp_ctx *ctx, const sp_attr *a);

/* The body's program, as fx_text prints it. */
void fx_expect(const char *inputs, const char *body, const char *want);
/* The body raises this; a line or column may be any. */
#define FX_ANY UINT32_C(0)
void fx_expect_error(const char *inputs, const char *body, sp_code code,
                     uint32_t line, uint32_t column, const char *message);
void fx_expect_text_error(const char *text, size_t n, sp_code code,
                          uint32_t line, uint32_t column, const char *message);

/* Graphs of the large set: names that begin and end so, in folders of `set`
 * ("torch", "entangle"). Says so when there are none; malloc'd. */
typedef struct fx_files {
  size_t n;
  char **paths; /* sorted */
} fx_files;
fx_files fx_files_find(const char *set, const char *begin, const char *end);
void fx_files_free(fx_files *f);

#endif
