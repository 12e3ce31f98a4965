/* hlo.h: reading XLA HLO modules, text and protobuf.
 *
 * CONTRACT. Both readers fill the same raw module (graph/hlo_module.h), which
 * one lowering turns into an sp_program; so text and proto of one module give
 * the same program. Only reads: an operator that we do not know is kept with
 * its name. Bad input raises SP_ERR_INPUT with line or byte. Sources: XLA
 * "Operation Semantics" page, hlo.proto and xla_data.proto of openxla/xla.
 */
#ifndef SP_GRAPH_HLO_H
#define SP_GRAPH_HLO_H

#include "graph/program.h"

/* Read a file; text, HloProto and bare HloModuleProto are told apart by
 * content. Files over 1 GiB are refused. */
const sp_program *sp_hlo_read_file(sp_ctx *ctx, const char *path);

/* The same from memory; file is the name used in messages. */
const sp_program *sp_hlo_read_text(sp_ctx *ctx, const char *file,
                                   const char *text, size_t n);
const sp_program *sp_hlo_read_proto(sp_ctx *ctx, const char *file,
                                    const uint8_t *bytes, size_t n);

#endif
