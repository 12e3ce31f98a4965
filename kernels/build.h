/* build.h: formulas made by the lowering, where the file has an abbreviation.
 * Inside kernels/ only. All nodes get the place of what they stand for.
 */
#ifndef SP_KERNELS_BUILD_H
#define SP_KERNELS_BUILD_H

#include "encode/lang.h"
#include "graph/program.h"

typedef struct spi_build {
  sp_ctx *ctx;
  sp_loc loc;
} spi_build;

const sp_lang *spi_b_int(spi_build b, int64_t v);
const sp_lang *spi_b_zero(spi_build b, sp_dtype type); /* or false */
const sp_lang *spi_b_name(spi_build b, const char *name);
const sp_lang *spi_b_axis(spi_build b, const char *name);
const sp_lang *spi_b_binary(spi_build b, sp_lang_op op, const sp_lang *x,
                            const sp_lang *y);
/* x op v; x itself where that changes nothing. */
const sp_lang *spi_b_with(spi_build b, sp_lang_op op, const sp_lang *x,
                          int64_t v);
const sp_lang *spi_b_if(spi_build b, const sp_lang *c, const sp_lang *x,
                        const sp_lang *y);
/* name@(at)[args]; n_at may be 0 */
const sp_lang *spi_b_read(spi_build b, const char *name, uint32_t n_at,
                          const sp_lang_var *at, uint32_t n,
                          const sp_lang *const *args);
/* op(vars) body */
const sp_lang *spi_b_reduce(spi_build b, const char *op, uint32_t n,
                            const sp_lang_var *vars, const sp_lang *body);
/* A name that no file can write: "$PREFIX3". */
const char *spi_b_variable(spi_build b, const char *prefix, uint32_t i);

#endif
