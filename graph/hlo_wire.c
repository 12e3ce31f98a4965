/* hlo_wire.c: read hlo_wire_check (the loop over open messages), then
 * field_enter and field_check (one field by its type). The wire format is
 * described in "Encoding" of the Protocol Buffers documentation: a field is a
 * varint key (number * 8 + wire type) and a payload. */
#include "graph/hlo_wire.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* A message whose bytes are being walked. seen has a bit for each field of
 * the descriptor that may occur once. */
typedef struct open_message {
  const ProtobufCMessageDescriptor *type;
  size_t end;
  uint64_t seen[2];
} open_message;

typedef struct walk {
  sp_ctx *ctx;
  const char *file;
  const uint8_t *bytes;
  size_t at, end; /* end of the innermost open message */
  open_message open[HLO_WIRE_MAX_DEPTH];
  size_t depth;
  hlo_wire_places *places;
  size_t n_places;
} walk;

static sp_loc place(const walk *w, size_t at) {
  return (sp_loc){.file = w->file, .byte = at, .has_byte = true};
}

static noreturn void truncated(const walk *w, size_t at) {
  sp_raise(w->ctx, SP_ERR_INPUT, place(w, at),
           "the file is truncated or damaged; dump it again",
           "a field of %s reaches beyond its end at byte %zu",
           w->open[w->depth - 1].type->short_name, w->end);
}

static uint64_t varint(walk *w) {
  size_t start = w->at;
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (w->at >= w->end) {
      truncated(w, start);
    }
    uint8_t b = w->bytes[w->at++];
    if (shift < 64) {
      v |= (uint64_t)(b & 0x7f) << shift;
    }
    if (!(b & 0x80)) {
      return v;
    }
  }
  sp_raise(w->ctx, SP_ERR_INPUT, place(w, start),
           "the file is damaged; dump it again",
           "a number is longer than ten bytes");
}

static void skip(walk *w, size_t start, uint64_t n) {
  if (n > w->end - w->at) {
    truncated(w, start);
  }
  w->at += (size_t)n;
}

static unsigned wire_of(ProtobufCType type) {
  switch (type) {
  case PROTOBUF_C_TYPE_SFIXED32:
  case PROTOBUF_C_TYPE_FIXED32:
  case PROTOBUF_C_TYPE_FLOAT:
    return WIRE_32;
  case PROTOBUF_C_TYPE_SFIXED64:
  case PROTOBUF_C_TYPE_FIXED64:
  case PROTOBUF_C_TYPE_DOUBLE:
    return WIRE_64;
  case PROTOBUF_C_TYPE_STRING:
  case PROTOBUF_C_TYPE_BYTES:
  case PROTOBUF_C_TYPE_MESSAGE:
    return WIRE_BYTES;
  case PROTOBUF_C_TYPE_INT32:
  case PROTOBUF_C_TYPE_SINT32:
  case PROTOBUF_C_TYPE_INT64:
  case PROTOBUF_C_TYPE_SINT64:
  case PROTOBUF_C_TYPE_UINT32:
  case PROTOBUF_C_TYPE_UINT64:
  case PROTOBUF_C_TYPE_BOOL:
  case PROTOBUF_C_TYPE_ENUM:
    break;
  }
  return WIRE_VARINT;
}

/* A packed list of numbers in bytes[at..at+n). */
static void packed_check(walk *w, const ProtobufCFieldDescriptor *f,
                         size_t start, size_t n) {
  unsigned wire = wire_of(f->type);
  size_t outer = w->end;
  if (wire == WIRE_VARINT) {
    w->end = w->at + n;
    while (w->at < w->end) {
      varint(w);
    }
    w->end = outer;
    return;
  }
  if (n % (wire == WIRE_32 ? 4 : 8) != 0) {
    sp_raise(w->ctx, SP_ERR_INPUT, place(w, start),
             "the file is damaged; dump it again",
             "the list %s has %zu bytes, which is no whole number of elements",
             f->name, n);
  }
  w->at += n;
}

static void seen_once(walk *w, const ProtobufCFieldDescriptor *f,
                      size_t start) {
  open_message *m = &w->open[w->depth - 1];
  size_t i = (size_t)(f - m->type->fields);
  if (f->label == PROTOBUF_C_LABEL_REPEATED || i >= 128) {
    return;
  }
  uint64_t bit = (uint64_t)1 << (i % 64);
  if (m->seen[i / 64] & bit) {
    sp_raise(w->ctx, SP_ERR_INPUT, place(w, start),
             "XLA writes it once; the file is damaged, dump it again",
             "the field %s of %s is given twice", f->name, m->type->short_name);
  }
  m->seen[i / 64] |= bit;
}

static void message_open(walk *w, const ProtobufCMessageDescriptor *type,
                         size_t n) {
  if (w->depth == HLO_WIRE_MAX_DEPTH) {
    sp_raise(w->ctx, SP_ERR_LIMIT, place(w, w->at),
             "no HLO module nests this deep; is the file damaged?",
             "messages are nested more than %d deep", HLO_WIRE_MAX_DEPTH);
  }
  for (size_t i = 0; i < w->n_places; i++) {
    if (w->places[i].type == type) {
      sp_push(w->ctx, &w->places[i].at, (uint64_t)w->at);
    }
  }
  w->end = w->at + n;
  w->open[w->depth++] = (open_message){.type = type, .end = w->end};
}

static void field_check(walk *w, const ProtobufCFieldDescriptor *f,
                        unsigned wire, size_t start) {
  bool list = f->label == PROTOBUF_C_LABEL_REPEATED;
  unsigned want = wire_of(f->type);
  bool packed = list && want != WIRE_BYTES && wire == WIRE_BYTES;
  if (wire != want && !packed) {
    sp_raise(w->ctx, SP_ERR_INPUT, place(w, start),
             "is this an HLO module? XLA writes one with "
             "--xla_dump_hlo_as_proto",
             "the field %s of %s has wire type %u, not %u", f->name,
             w->open[w->depth - 1].type->short_name, wire, want);
  }
  seen_once(w, f, start);
  switch (wire) {
  case WIRE_VARINT:
    varint(w);
    return;
  case WIRE_64:
    skip(w, start, 8);
    return;
  case WIRE_32:
    skip(w, start, 4);
    return;
  default:
    break;
  }
  uint64_t n = varint(w);
  if (n > w->end - w->at) {
    truncated(w, start);
  }
  if (packed) {
    packed_check(w, f, start, (size_t)n);
  } else if (f->type == PROTOBUF_C_TYPE_MESSAGE) {
    message_open(w, f->descriptor, (size_t)n);
  } else if (f->type == PROTOBUF_C_TYPE_STRING && n &&
             memchr(w->bytes + w->at, 0, (size_t)n)) {
    sp_raise(w->ctx, SP_ERR_INPUT, place(w, start),
             "the file is damaged; dump it again",
             "the text %s of %s has a zero byte in it", f->name,
             w->open[w->depth - 1].type->short_name);
  } else {
    w->at += (size_t)n;
  }
}

/* One field of the innermost message, which may open another one. */
static void field_enter(walk *w) {
  size_t start = w->at;
  uint64_t key = varint(w);
  uint64_t number = key >> 3;
  unsigned wire = (unsigned)(key & 7);
  if (number == 0 || number > 0x1fffffff) {
    sp_raise(w->ctx, SP_ERR_INPUT, place(w, start),
             "is this an HLO module? XLA writes one with "
             "--xla_dump_hlo_as_proto",
             "%llu is not a field number", (unsigned long long)number);
  }
  const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field(
      w->open[w->depth - 1].type, (unsigned)number);
  if (f) {
    field_check(w, f, wire, start);
    return;
  }
  switch (wire) {
  case WIRE_VARINT:
    varint(w);
    return;
  case WIRE_64:
    skip(w, start, 8);
    return;
  case WIRE_32:
    skip(w, start, 4);
    return;
  case WIRE_BYTES:
    skip(w, start, varint(w));
    return;
  default:
    sp_raise(w->ctx, SP_ERR_INPUT, place(w, start),
             "is this an HLO module? XLA writes one with "
             "--xla_dump_hlo_as_proto",
             "%u is not a wire type", wire);
  }
}

void hlo_wire_check(sp_ctx *ctx, const char *file, const uint8_t *bytes,
                    size_t n, const ProtobufCMessageDescriptor *type,
                    hlo_wire_places *places, size_t n_places) {
  walk w = {.ctx = ctx,
            .file = file,
            .bytes = bytes,
            .places = places,
            .n_places = n_places};
  message_open(&w, type, n);
  while (w.depth) {
    if (w.at < w.end) {
      field_enter(&w);
    } else {
      w.depth--;
      w.end = w.depth ? w.open[w.depth - 1].end : 0;
    }
  }
}
