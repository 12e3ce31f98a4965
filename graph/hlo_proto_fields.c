/* hlo_proto_fields.c: questions about the fields of any message, answered by
 * protobuf-c's descriptor tables: is it set, is there something in it that
 * hlo.proto does not list? */
#include "graph/hlo_proto.h"

#include <string.h>

bool hlo_proto_field_set(const ProtobufCMessage *msg,
                         const ProtobufCFieldDescriptor *f) {
  const char *base = (const char *)msg;
  if (f->label == PROTOBUF_C_LABEL_REPEATED) {
    size_t n;
    memcpy(&n, base + f->quantifier_offset, sizeof n);
    return n > 0;
  }
  if (f->type == PROTOBUF_C_TYPE_STRING) {
    const char *s;
    memcpy(&s, base + f->offset, sizeof s);
    return s && *s;
  }
  if (f->type == PROTOBUF_C_TYPE_MESSAGE) {
    const void *p;
    memcpy(&p, base + f->offset, sizeof p);
    return p != NULL;
  }
  protobuf_c_boolean has;
  memcpy(&has, base + f->quantifier_offset, sizeof has);
  if (!has) {
    return false;
  }
  if (f->type == PROTOBUF_C_TYPE_BYTES) {
    ProtobufCBinaryData b;
    memcpy(&b, base + f->offset, sizeof b);
    return b.len > 0;
  }
  /* int32, int64, bool, float and enum: all zero bits is the default; -0.0
   * counts as set. */
  uint64_t v = 0;
  bool wide = f->type == PROTOBUF_C_TYPE_INT64;
  memcpy(&v, base + f->offset, wide ? 8 : 4);
  return v != 0;
}

uint32_t hlo_proto_unknown_in(const ProtobufCMessage *msg,
                              const ProtobufCFieldDescriptor *f) {
  if (f->type != PROTOBUF_C_TYPE_MESSAGE ||
      f->descriptor == &hlo__layout__descriptor ||
      f->descriptor == &hlo__metadata__descriptor ||
      !hlo_proto_field_set(msg, f)) {
    return 0;
  }
  /* A repeated field holds a pointer to its array, another the message. */
  void *p;
  memcpy(&p, (const char *)msg + f->offset, sizeof p);
  if (f->label != PROTOBUF_C_LABEL_REPEATED) {
    return hlo_proto_unknown_field(p);
  }
  size_t n;
  memcpy(&n, (const char *)msg + f->quantifier_offset, sizeof n);
  ProtobufCMessage **items = p;
  uint32_t u = 0;
  for (size_t k = 0; k < n && !u; k++) {
    u = hlo_proto_unknown_field(items[k]);
  }
  return u;
}

/* Recursion: hlo_wire.c has limited the depth of messages. */
uint32_t hlo_proto_unknown_field(const ProtobufCMessage *msg) {
  uint32_t u = msg->n_unknown_fields ? msg->unknown_fields[0].tag : 0;
  const ProtobufCMessageDescriptor *d = msg->descriptor;
  for (unsigned i = 0; i < d->n_fields && !u; i++) {
    u = hlo_proto_unknown_in(msg, &d->fields[i]);
  }
  return u;
}
