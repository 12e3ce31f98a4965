/* hlo_proto.h: shared by the parts of the HLO protobuf reader (hlo_proto*.c).
 * Nothing else includes it.
 *
 * The generated structs (graph/hlo.pb-c.h) live in scratch memory and go when
 * the module is read: whatever a part hands back is a copy in the context.
 */
#ifndef SP_GRAPH_HLO_PROTO_H
#define SP_GRAPH_HLO_PROTO_H

#include "base/vec.h"
#include "graph/hlo.pb-c.h"
#include "graph/hlo_module.h"
#include "graph/hlo_notation.h"

typedef SP_VEC(sp_attr) hlo_attr_list;

typedef struct hlo_proto_reader {
  sp_ctx *ctx;
  const char *file;
  hlo_notation *notation;
  const char *what;    /* name of the instruction being read, for messages */
  sp_loc loc;          /* where it is */
  hlo_attr_list attrs; /* collected for it; storage is used again */
} hlo_proto_reader;

/* SP_ERR_INPUT at the instruction being read. */
noreturn void hlo_proto_bad(const hlo_proto_reader *r, const char *hint,
                            const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* hlo_proto_types.c: element types, shapes and constants. */
hlo_type hlo_proto_type(hlo_proto_reader *r, const Hlo__Shape *s);
/* The literal must have the shape `shape`. */
const sp_literal *hlo_proto_literal(hlo_proto_reader *r, const sp_shape *shape,
                                    const Hlo__Literal *l);

/* hlo_proto_sharding.c: shardings (one for each leaf) and device groups. */
const sp_sharding *const *
hlo_proto_shardings(hlo_proto_reader *r, const Hlo__OpSharding *s, uint32_t *n);
/* NULL when the instruction lists no group. */
const sp_groups *hlo_proto_groups(hlo_proto_reader *r,
                                  const Hlo__Instruction *in);

/* hlo_proto_attrs.c: all attributes of an instruction but the computations
 * that it calls. operand is the type of its first operand, or NULL. */
void hlo_proto_attrs(hlo_proto_reader *r, const Hlo__Instruction *in,
                     const hlo_type *type, const hlo_type *operand,
                     hlo_instr *out);

/* hlo_proto_fields.c. Is field f of msg set to anything but its default? */
bool hlo_proto_field_set(const ProtobufCMessage *msg,
                         const ProtobufCFieldDescriptor *f);
/* Does msg, or a message in it, have a field that hlo.proto does not list?
 * Returns its number, 0 for none. Layouts and metadata are passed over. */
uint32_t hlo_proto_unknown_field(const ProtobufCMessage *msg);
/* The same for the message or messages that field f of msg holds. */
uint32_t hlo_proto_unknown_in(const ProtobufCMessage *msg,
                              const ProtobufCFieldDescriptor *f);

#endif
