/* hlo_proto.c: bytes of an HloProto or a bare HloModuleProto to the raw
 * module of hlo_module.h. Read sp_hlo_parse_proto, then module_read and
 * computation_read.
 *
 * First hlo_wire_check walks the bytes without trusting them, then protobuf-c
 * unpacks them into scratch memory, then everything wanted is copied from
 * there. References by id become positions; as XLA demands, operands come
 * before their users and callees before their callers, so cycles cannot be
 * written at all. Parts: hlo_proto_attrs.c (attributes), hlo_proto_types.c
 * (shapes, constants), hlo_proto_sharding.c (shardings, device groups).
 */
#include "graph/hlo_proto.h"
#include "graph/hlo.h"
#include "graph/hlo_names.h"
#include "graph/hlo_wire.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

noreturn void hlo_proto_bad(const hlo_proto_reader *r, const char *hint,
                            const char *fmt, ...) {
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  sp_raise(r->ctx, SP_ERR_INPUT, r->loc, hint, "%s", text);
}

static const char *or_empty(const char *s) {
  return s ? s : "";
}

static const char *keep(hlo_proto_reader *r, const char *s) {
  return sp_intern(r->ctx, or_empty(s), strlen(or_empty(s)));
}

/* ---- ids to positions: open addressing, in scratch memory ---- */

typedef struct id_map {
  size_t mask;
  int64_t *ids;
  uint32_t *places; /* position + 1; 0 is a free slot */
} id_map;

static id_map id_map_make(sp_ctx *ctx, size_t n) {
  size_t cap = 8;
  while (cap < 2 * n) {
    cap *= 2;
  }
  id_map m = {.mask = cap - 1};
  m.ids = sp_scratch(ctx, cap * sizeof *m.ids);
  m.places = sp_scratch(ctx, cap * sizeof *m.places);
  memset(m.places, 0, cap * sizeof *m.places);
  return m;
}

static size_t id_slot(const id_map *m, int64_t id) {
  uint64_t h = (uint64_t)id * 0x9e3779b97f4a7c15u;
  size_t at = (size_t)(h >> 32) & m->mask;
  while (m->places[at] && m->ids[at] != id) {
    at = (at + 1) & m->mask;
  }
  return at;
}

/* False when the id is taken. */
static bool id_put(id_map *m, int64_t id, uint32_t place) {
  size_t at = id_slot(m, id);
  if (m->places[at]) {
    return false;
  }
  m->ids[at] = id;
  m->places[at] = place + 1;
  return true;
}

static bool id_get(const id_map *m, int64_t id, uint32_t *place) {
  size_t at = id_slot(m, id);
  *place = m->places[at] - 1;
  return m->places[at] != 0;
}

/* ---- source positions ---- */

/* Ids count from 1, and 0 means none; an id out of range is none, too, as
 * nothing but a message depends on it. */
static void frame_position(hlo_proto_reader *r, const Hlo__StackFrameIndex *x,
                           int32_t frame, sp_pos *pos) {
  if (!x || frame < 1 || (size_t)frame > x->n_stack_frames) {
    return;
  }
  int32_t at = x->stack_frames[frame - 1]->file_location_id;
  if (at < 1 || (size_t)at > x->n_file_locations) {
    return;
  }
  const Hlo__FileLocation *l = x->file_locations[at - 1];
  if (l->file_name_id < 1 || (size_t)l->file_name_id > x->n_file_names) {
    return;
  }
  pos->source_file = keep(r, x->file_names[l->file_name_id - 1]);
  pos->source_line = l->line > 0 ? (uint32_t)l->line : 0;
}

static sp_pos position_read(hlo_proto_reader *r, const Hlo__Module *m,
                            const Hlo__Metadata *md) {
  sp_pos pos = {.dump = r->loc};
  if (!md) {
    return pos;
  }
  if (md->op_name && *md->op_name) {
    pos.op_name = keep(r, md->op_name);
  }
  if (md->source_file && *md->source_file) {
    pos.source_file = keep(r, md->source_file);
    pos.source_line = md->source_line > 0 ? (uint32_t)md->source_line : 0;
  } else {
    frame_position(r, m->stack_frame_index, md->stack_frame_id, &pos);
  }
  return pos;
}

/* ---- called computations ---- */

/* What the k-th of n called computations is to an instruction: the order is
 * that of HloInstruction::CreateFromProto (a while has body, condition; a
 * conditional on a predicate has the true branch first), the words are those
 * of the text dump (HloInstruction::PrintExtraAttributes). */
static const char *role_of(hlo_proto_reader *r, const char *opcode, size_t k,
                           size_t n) {
  static const struct {
    const char *opcode;
    size_t n; /* 0: any number */
    const char *roles[2];
  } rows[] = {
      {"while", 2, {"body", "condition"}},
      {"select-and-scatter", 2, {"select", "scatter"}},
      {"conditional", 0, {"branch", "branch"}},
      {"custom-call", 0, {"called", "called"}},
      {"call", 1, {"to_apply"}},
      {"map", 1, {"to_apply"}},
      {"reduce", 1, {"to_apply"}},
      {"reduce-window", 1, {"to_apply"}},
      {"all-reduce", 1, {"to_apply"}},
      {"all-reduce-start", 1, {"to_apply"}},
      {"reduce-scatter", 1, {"to_apply"}},
      {"scatter", 1, {"to_apply"}},
      {"sort", 1, {"to_apply"}},
      {"topk", 1, {"to_apply"}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (strcmp(rows[i].opcode, opcode) != 0) {
      continue;
    }
    if (rows[i].n && rows[i].n != n) {
      hlo_proto_bad(r, "the file is damaged; dump it again",
                    "the %s %s calls %zu computations instead of %zu", opcode,
                    r->what, n, rows[i].n);
    }
    return rows[i].roles[k < 2 ? k : 1];
  }
  return "calls"; /* fusion, the async pairs, and what we do not know */
}

static void calls_read(hlo_proto_reader *r, const Hlo__Instruction *in,
                       const id_map *computations, uint32_t caller,
                       hlo_instr *out) {
  size_t n = in->n_called_computation_ids;
  const char **roles = sp_alloc_n(r->ctx, n, sizeof *roles);
  uint32_t *calls = sp_alloc_n(r->ctx, n, sizeof *calls);
  for (size_t k = 0; k < n; k++) {
    int64_t id = in->called_computation_ids[k];
    uint32_t place;
    if (!id_get(computations, id, &place)) {
      hlo_proto_bad(r, "the file is damaged; dump it again",
                    "%s calls computation %lld, which does not exist", r->what,
                    (long long)id);
    }
    if (place >= caller) {
      hlo_proto_bad(r, "XLA writes callees before their callers",
                    "%s calls computation %lld, which is not before its own",
                    r->what, (long long)id);
    }
    roles[k] = role_of(r, out->opcode, k, n);
    calls[k] = place;
  }
  if (strcmp(out->opcode, "while") == 0 && n == 2) { /* as the text has it */
    const char *role = roles[0];
    uint32_t call = calls[0];
    roles[0] = roles[1];
    calls[0] = calls[1];
    roles[1] = role;
    calls[1] = call;
  }
  out->n_calls = (uint32_t)n;
  out->call_roles = roles;
  out->calls = calls;
}

/* ---- instructions and computations ---- */

static void operands_read(hlo_proto_reader *r, const Hlo__Instruction *in,
                          const id_map *instrs, uint32_t user, hlo_instr *out) {
  size_t n = in->n_operand_ids;
  hlo_ref *refs = sp_alloc_n(r->ctx, n, sizeof *refs);
  for (size_t k = 0; k < n; k++) {
    int64_t id = in->operand_ids[k];
    if (!id_get(instrs, id, &refs[k].instr)) {
      hlo_proto_bad(r, "the file is damaged; dump it again",
                    "operand %zu of %s is instruction %lld, which does not "
                    "exist in its computation",
                    k, r->what, (long long)id);
    }
    if (refs[k].instr >= user) {
      hlo_proto_bad(r, "XLA writes operands before their users",
                    "operand %zu of %s does not come before it", k, r->what);
    }
  }
  out->n_in = (uint32_t)n;
  out->in = refs;
}

typedef struct module_state {
  const Hlo__Module *proto;
  const hlo_wire_places *instr_places;
  size_t next_place; /* of the next instruction to be read */
  id_map computations;
  hlo_names names; /* of the instructions in a computation */
} module_state;

static void instruction_read(hlo_proto_reader *r, module_state *m,
                             const id_map *instrs, uint32_t computation,
                             uint32_t at, const hlo_instr *before,
                             const Hlo__Instruction *in, hlo_instr *out) {
  out->name = keep(r, in->name);
  out->opcode = keep(r, in->opcode);
  if (!*out->name || !*out->opcode) {
    hlo_proto_bad(r, "is this an HLO module?",
                  "an instruction has no name or no opcode");
  }
  out->type = hlo_proto_type(r, in->shape);
  out->pos = position_read(r, m->proto, in->metadata);
  operands_read(r, in, instrs, at, out);
  calls_read(r, in, &m->computations, computation, out);
  const hlo_type *operand = out->n_in ? &before[out->in[0].instr].type : NULL;
  hlo_proto_attrs(r, in, &out->type, operand, out);
  if (in->sharding) {
    out->shardings = hlo_proto_shardings(r, in->sharding, &out->n_shardings);
  }
}

static void next_location(hlo_proto_reader *r, module_state *m) {
  const hlo_wire_places *p = m->instr_places;
  r->loc = (sp_loc){.file = r->file};
  if (m->next_place < p->at.n) {
    r->loc.byte = p->at.v[m->next_place++];
    r->loc.has_byte = true;
  }
}

static void computation_read(hlo_proto_reader *r, module_state *m, uint32_t at,
                             const Hlo__Computation *c, hlo_computation *out) {
  out->name = keep(r, c->name);
  out->loc = r->loc;
  if (!c->n_instructions || c->n_instructions > UINT32_MAX - 1) {
    hlo_proto_bad(r, "the file is damaged; dump it again",
                  "the computation %s has no instructions", out->name);
  }
  uint32_t n = (uint32_t)c->n_instructions;
  sp_mark mark = sp_scratch_mark(r->ctx);
  id_map ids = id_map_make(r->ctx, n);
  hlo_instr *instrs = sp_alloc_n(r->ctx, n, sizeof *instrs);
  hlo_names_clear(&m->names);
  for (uint32_t i = 0; i < n; i++) {
    const Hlo__Instruction *in = c->instructions[i];
    next_location(r, m);
    if (i == 0) {
      out->loc = r->loc;
    }
    r->what = keep(r, in->name);
    if (!id_put(&ids, in->id, i)) {
      hlo_proto_bad(r, "the file is damaged; dump it again",
                    "the id %lld of %s is taken by an earlier instruction",
                    (long long)in->id, r->what);
    }
    if (!hlo_names_add(r->ctx, &m->names, r->what, i)) {
      hlo_proto_bad(r, "XLA gives each instruction a name of its own",
                    "the name %s is taken by an earlier instruction", r->what);
    }
    instruction_read(r, m, &ids, at, i, instrs, in, &instrs[i]);
  }
  if (!id_get(&ids, c->root_id, &out->root)) {
    hlo_proto_bad(r, "the file is damaged; dump it again",
                  "the root %lld of the computation %s does not exist",
                  (long long)c->root_id, out->name);
  }
  sp_scratch_release(r->ctx, mark);
  out->n_instrs = n;
  out->instrs = instrs;
}

/* ---- the module ---- */

/* Fields of the outer messages that hlo.proto leaves out on purpose. */
static void outer_fields_check(hlo_proto_reader *r, const ProtobufCMessage *m,
                               const uint32_t *harmless) {
  for (unsigned i = 0; i < m->n_unknown_fields; i++) {
    uint32_t field = m->unknown_fields[i].tag;
    const uint32_t *h = harmless;
    while (*h && *h != field) {
      h++;
    }
    if (!*h) {
      hlo_proto_bad(r, "a newer XLA wrote this file; try its text dump",
                    "field %u of %s is not known", field,
                    m->descriptor->short_name);
    }
  }
}

static void module_shardings_read(hlo_proto_reader *r, const Hlo__Module *p,
                                  hlo_module *m) {
  size_t n = p->n_spmd_parameters_shardings;
  if (n) {
    /* One for each parameter; a tuple-shaped parameter has its leaves. */
    SP_VEC(const sp_sharding *) all = {0};
    for (size_t i = 0; i < n; i++) {
      r->what = "a parameter of the module";
      uint32_t leaves;
      const sp_sharding *const *v =
          hlo_proto_shardings(r, p->spmd_parameters_shardings[i], &leaves);
      for (uint32_t k = 0; k < leaves; k++) {
        sp_push(r->ctx, &all, v[k]);
      }
    }
    m->param_shardings = all.v;
    m->n_param_shardings = (uint32_t)all.n;
  }
  if (p->spmd_output_sharding) {
    r->what = "the result of the module";
    m->result_shardings =
        hlo_proto_shardings(r, p->spmd_output_sharding, &m->n_result_shardings);
  }
}

static void devices_read(hlo_proto_reader *r, const Hlo__Module *p,
                         hlo_module *m) {
  const Hlo__DeviceAssignment *d = p->device_assignment;
  if (!d) {
    return;
  }
  if (d->replica_count < 0 || d->computation_count < 0 ||
      d->replica_count > HLO_MAX_DEVICES ||
      d->computation_count > HLO_MAX_DEVICES) {
    hlo_proto_bad(r, NULL, "the module runs on %d replicas of %d partitions",
                  (int)d->replica_count, (int)d->computation_count);
  }
  m->replicas = d->replica_count;
  m->partitions = d->computation_count;
}

static void entry_find(hlo_proto_reader *r, const module_state *s,
                       const Hlo__Module *p, hlo_module *m) {
  if (!id_get(&s->computations, p->entry_computation_id, &m->entry)) {
    hlo_proto_bad(r, "the file is damaged; dump it again",
                  "the entry computation %lld does not exist",
                  (long long)p->entry_computation_id);
  }
}

static const hlo_module *module_read(hlo_proto_reader *r, const Hlo__Module *p,
                                     const hlo_wire_places *instr_places) {
  static const uint32_t module_harmless[] = {
      4,  /* host_program_shape: the entry's, with layouts */
      7,  /* schedule: order of execution */
      8,  /* input_output_alias: where buffers live, as are 10 and 18 */
      9,  /* dynamic_parameter_binding, gone; dynamic shapes are refused */
      10, /* cross_program_prefetches */
      11, /* is_dynamic: dynamic shapes are refused one by one */
      13, /* profile_info */
      16, /* use_auto_spmd_partitioning */
      18, /* buffer_donor */
      19, /* frontend_attributes */
      20, /* original_value_recovery_table: for debuggers */
      0};
  static const uint32_t computation_harmless[] = {4 /* program_shape */, 0};
  outer_fields_check(r, &p->base, module_harmless);
  if (!p->n_computations || p->n_computations > UINT32_MAX - 1) {
    hlo_proto_bad(r,
                  "is this an HLO module? XLA writes one with "
                  "--xla_dump_hlo_as_proto",
                  "the module has no computations");
  }
  hlo_module *m = sp_alloc(r->ctx, sizeof *m);
  m->name = keep(r, p->name);
  m->file = r->file;
  devices_read(r, p, m);
  r->notation = hlo_notation_new(r->ctx, m->partitions);
  uint32_t n = (uint32_t)p->n_computations;
  module_state s = {.proto = p,
                    .instr_places = instr_places,
                    .computations = id_map_make(r->ctx, n)};
  hlo_computation *v = sp_alloc_n(r->ctx, n, sizeof *v);
  for (uint32_t i = 0; i < n; i++) {
    const Hlo__Computation *c = p->computations[i];
    outer_fields_check(r, &c->base, computation_harmless);
    computation_read(r, &s, i, c, &v[i]);
    if (!id_put(&s.computations, c->id, i)) {
      hlo_proto_bad(r, "the file is damaged; dump it again",
                    "the id %lld of the computation %s is taken",
                    (long long)c->id, v[i].name);
    }
  }
  r->loc = (sp_loc){.file = r->file};
  m->n_computations = n;
  m->computations = v;
  entry_find(r, &s, p, m);
  module_shardings_read(r, p, m);
  return m;
}

/* ---- the file ---- */

static void *scratch_alloc(void *user, size_t size) {
  return sp_scratch(user, size);
}

static void scratch_free(void *user, void *p) {
  (void)user;
  (void)p;
}

/* Both kinds begin with field 1 as a rule: in HloProto that is the module, a
 * message whose own first field is its name (byte 0x0a), in HloModuleProto it
 * is the name, which is no control character. */
static bool is_wrapped(const uint8_t *bytes, size_t n) {
  size_t at = 1;
  if (!n || bytes[0] != 0x0a) {
    return false;
  }
  while (at < n && at < 11 && bytes[at] & 0x80) {
    at++;
  }
  return at + 1 < n && bytes[at] != 0 && bytes[at + 1] == 0x0a;
}

const hlo_module *sp_hlo_parse_proto(sp_ctx *ctx, const char *file,
                                     const uint8_t *bytes, size_t n) {
  static const uint32_t file_harmless[] = {3 /* buffer_assignment */, 0};
  hlo_proto_reader r = {.ctx = ctx,
                        .file = file ? sp_strdup(ctx, file) : NULL,
                        .what = "the module"};
  r.loc.file = r.file;
  bool wrapped = is_wrapped(bytes, n);
  const ProtobufCMessageDescriptor *type =
      wrapped ? &hlo__file__descriptor : &hlo__module__descriptor;
  hlo_wire_places instrs = {.type = &hlo__instruction__descriptor};
  hlo_wire_check(ctx, r.file, bytes, n, type, &instrs, 1);
  sp_mark mark = sp_scratch_mark(ctx);
  ProtobufCAllocator allocator = {scratch_alloc, scratch_free, ctx};
  ProtobufCMessage *msg = protobuf_c_message_unpack(type, &allocator, n, bytes);
  if (!msg) {
    hlo_proto_bad(&r,
                  "is this an HLO module? XLA writes one with "
                  "--xla_dump_hlo_as_proto",
                  "the bytes are no HLO protobuf");
  }
  const Hlo__Module *p = (const Hlo__Module *)msg;
  if (wrapped) {
    outer_fields_check(&r, msg, file_harmless);
    p = ((const Hlo__File *)msg)->hlo_module;
  }
  const hlo_module *m = module_read(&r, p, &instrs);
  sp_scratch_release(ctx, mark);
  return m;
}

const sp_program *sp_hlo_read_proto(sp_ctx *ctx, const char *file,
                                    const uint8_t *bytes, size_t n) {
  return sp_hlo_lower(ctx, sp_hlo_parse_proto(ctx, file, bytes, n));
}
