/* hlo_wire.h: is this a well-formed protobuf message? Inside graph/ only.
 *
 * CONTRACT. Walks the bytes of one message by protobuf-c's descriptor tables,
 * without recursion and without allocating for what it sees, before
 * protobuf-c (which recurses and reports no place) reads them. Raises
 * SP_ERR_INPUT with the byte of the problem: truncation, lengths that reach
 * outside their message, wire types that do not fit, a single field given
 * twice, a string with a zero byte; SP_ERR_LIMIT when messages nest deeper
 * than HLO_WIRE_MAX_DEPTH. Fields that the descriptor does not list are
 * skipped. Cost: one pass.
 */
#ifndef SP_GRAPH_HLO_WIRE_H
#define SP_GRAPH_HLO_WIRE_H

#include "base/vec.h"

#include <protobuf-c/protobuf-c.h>

enum { HLO_WIRE_MAX_DEPTH = 100 };

/* Where messages of one type start, in the order of the file. */
typedef struct hlo_wire_places {
  const ProtobufCMessageDescriptor *type;
  SP_VEC(uint64_t) at;
} hlo_wire_places;

/* bytes[0..n) is one message. Places may be NULL. */
void hlo_wire_check(sp_ctx *ctx, const char *file, const uint8_t *bytes,
                    size_t n, const ProtobufCMessageDescriptor *type,
                    hlo_wire_places *places, size_t n_places);

#endif
