/* test_hlo_proto.c: the protobuf reader: facts of the format, on small modules
 * built here. Dumps of real modules: test_hlo_same.c. */
#include "graph/hlo.h"
#include "graph/hlo.pb-c.h"
#include "graph/hlo_module.h"
#include "tests/suites.h"
#include "tests/support_dumps.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_hlo_proto(void);

/* ---- small modules ---- */

enum { F32 = 11, S32 = 4, PRED = 1, BF16 = 16, F16 = 10, F8E4M3FN = 20 };

/* A module of one computation with up to four instructions, to be changed by
 * the test before it is packed. All of it lives in this struct. */
typedef struct sample {
  Hlo__Module module;
  Hlo__Computation computation, *computations[1];
  Hlo__Instruction instr[4], *instrs[4];
  Hlo__Shape shape[4];
  int64_t dims[2];
  int64_t operands[4][2];
} sample;

static void sample_instr(sample *s, int i, const char *name,
                         const char *opcode) {
  hlo__instruction__init(&s->instr[i]);
  hlo__shape__init(&s->shape[i]);
  s->instrs[i] = &s->instr[i];
  s->instr[i].name = (char *)(uintptr_t)name;
  s->instr[i].opcode = (char *)(uintptr_t)opcode;
  s->instr[i].shape = &s->shape[i];
  s->instr[i].has_id = 1;
  s->instr[i].id = 10 + i;
  s->instr[i].operand_ids = s->operands[i];
  s->shape[i].has_element_type = 1;
  s->shape[i].element_type = F32;
  s->shape[i].n_dimensions = 2;
  s->shape[i].dimensions = s->dims;
}

/* p0 = parameter(0); p1 = parameter(1); x = add(p0, p1); y = negate(x) */
static void sample_init(sample *s) {
  memset(s, 0, sizeof *s);
  s->dims[0] = 2;
  s->dims[1] = 3;
  hlo__module__init(&s->module);
  s->module.name = (char *)(uintptr_t) "sample";
  s->module.n_computations = 1;
  s->module.computations = s->computations;
  s->module.has_entry_computation_id = 1;
  s->module.entry_computation_id = 7;
  s->computations[0] = &s->computation;
  hlo__computation__init(&s->computation);
  s->computation.name = (char *)(uintptr_t) "main";
  s->computation.n_instructions = 4;
  s->computation.instructions = s->instrs;
  s->computation.has_id = 1;
  s->computation.id = 7;
  s->computation.has_root_id = 1;
  s->computation.root_id = 13;
  sample_instr(s, 0, "p0", "parameter");
  sample_instr(s, 1, "p1", "parameter");
  sample_instr(s, 2, "x", "add");
  sample_instr(s, 3, "y", "negate");
  s->instr[1].has_parameter_number = 1;
  s->instr[1].parameter_number = 1;
  s->instr[2].n_operand_ids = 2;
  s->operands[2][0] = 10;
  s->operands[2][1] = 11;
  s->instr[3].n_operand_ids = 1;
  s->operands[3][0] = 12;
}

typedef struct reading {
  const uint8_t *bytes;
  size_t n;
  const char *file;
  const hlo_module *module;
} reading;

static void parse(sp_ctx *ctx, void *arg) {
  reading *r = arg;
  r->module = sp_hlo_parse_proto(ctx, r->file, r->bytes, r->n);
}

/* The last instruction of the sample, or NULL. */
static const hlo_instr *sample_parse(sp_ctx *ctx, const sample *s,
                                     sp_code want) {
  size_t n = hlo__module__get_packed_size(&s->module);
  uint8_t *bytes = malloc(n + 1);
  hlo__module__pack(&s->module, bytes);
  reading r = {.bytes = bytes, .n = n, .file = "sample"};
  sp_code code = sp_protect(ctx, parse, &r);
  if (code != want) {
    printf("code %d instead of %d: %s ", (int)code, (int)want,
           code ? sp_ctx_error(ctx)->message : "");
  }
  CU_ASSERT_EQUAL(code, want);
  free(bytes);
  if (code != SP_OK) {
    CU_ASSERT(sp_ctx_error(ctx)->message[0] != 0);
    return NULL;
  }
  const hlo_computation *c = &r.module->computations[r.module->entry];
  return &c->instrs[c->n_instrs - 1];
}

static const sp_attr *attr(const hlo_instr *in, const char *name) {
  for (uint32_t i = 0; in && i < in->n_attrs; i++) {
    if (strcmp(in->attrs[i].name, name) == 0) {
      return &in->attrs[i];
    }
  }
  return NULL;
}

static void a_bare_module_and_a_wrapped_one_are_told_apart(void) {
  sample s;
  sample_init(&s);
  Hlo__File file;
  hlo__file__init(&file);
  file.hlo_module = &s.module;
  uint8_t bytes[2048];
  CU_ASSERT_FATAL(hlo__file__get_packed_size(&file) < sizeof bytes);
  reading bare = {.bytes = bytes, .file = "bare"};
  bare.n = hlo__module__pack(&s.module, bytes);
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, parse, &bare), SP_OK);
  reading wrapped = {.bytes = bytes, .file = "wrapped"};
  wrapped.n = hlo__file__pack(&file, bytes);
  CU_ASSERT_EQUAL(sp_protect(ctx, parse, &wrapped), SP_OK);
  CU_ASSERT_STRING_EQUAL(bare.module->name, wrapped.module->name);
  CU_ASSERT_EQUAL(wrapped.module->computations[0].n_instrs, 4);
  CU_ASSERT_EQUAL(wrapped.module->partitions, 0);
  sp_ctx_free(ctx);
}

static void references_by_id_become_positions(void) {
  sample s;
  sample_init(&s);
  sp_ctx *ctx = sp_ctx_new(NULL);
  const hlo_instr *y = sample_parse(ctx, &s, SP_OK);
  CU_ASSERT_PTR_NOT_NULL_FATAL(y);
  CU_ASSERT_EQUAL(y->n_in, 1);
  CU_ASSERT_EQUAL(y->in[0].instr, 2);
  CU_ASSERT_EQUAL(y->n_attrs, 0);
  CU_ASSERT_TRUE(y->pos.dump.has_byte);
  /* the first parameter's number is 0, which is not on the wire */
  const sp_attr *index = attr(y - 3, "index");
  CU_ASSERT_PTR_NOT_NULL_FATAL(index);
  CU_ASSERT_EQUAL(index->u.i, 0);
  sp_ctx_free(ctx);
}

static void dangling_repeated_and_late_ids_are_errors(void) {
  sample s;
  sp_ctx *ctx = sp_ctx_new(NULL);
  sample_init(&s);
  s.operands[3][0] = 99;
  sample_parse(ctx, &s, SP_ERR_INPUT);
  sample_init(&s);
  s.instr[2].id = 10;
  sample_parse(ctx, &s, SP_ERR_INPUT);
  sample_init(&s);
  s.operands[2][1] = 13; /* x and y need each other */
  sample_parse(ctx, &s, SP_ERR_INPUT);
  CU_ASSERT_TRUE(sp_ctx_error(ctx)->loc.has_byte);
  sample_init(&s);
  s.operands[3][0] = 13; /* y needs itself */
  sample_parse(ctx, &s, SP_ERR_INPUT);
  sample_init(&s);
  s.computation.root_id = 99;
  sample_parse(ctx, &s, SP_ERR_INPUT);
  sample_init(&s);
  s.module.entry_computation_id = 8;
  sample_parse(ctx, &s, SP_ERR_INPUT);
  sample_init(&s);
  int64_t self[] = {7};
  s.instr[3].n_called_computation_ids = 1; /* calls its own computation */
  s.instr[3].called_computation_ids = self;
  sample_parse(ctx, &s, SP_ERR_INPUT);
  sp_ctx_free(ctx);
}

/* The bytes of a message with raw ones behind them. */
static size_t appended(uint8_t *to, size_t n, const char *raw, size_t m) {
  memcpy(to + n, raw, m);
  return n + m;
}

/* Packs a module whose last instruction has `raw` appended to its bytes. */
static const hlo_instr *raw_parse(sp_ctx *ctx, const char *raw, size_t m) {
  sample s;
  sample_init(&s);
  uint8_t instr[256], computation[1024], module[1024];
  size_t n =
      appended(instr, hlo__instruction__pack(&s.instr[3], instr), raw, m);
  s.computation.n_instructions = 3;
  size_t c = hlo__computation__pack(&s.computation, computation);
  computation[c++] = 0x12; /* instructions = 2 */
  computation[c++] = (uint8_t)n;
  CU_ASSERT_FATAL(n < 128);
  memcpy(computation + c, instr, n);
  c += n;
  s.module.n_computations = 0;
  size_t k = hlo__module__pack(&s.module, module);
  module[k++] = 0x1a; /* computations = 3 */
  module[k++] = (uint8_t)(c & 0x7f) | 0x80;
  module[k++] = (uint8_t)(c >> 7);
  memcpy(module + k, computation, c);
  reading r = {.bytes = module, .n = k + c, .file = "raw"};
  sp_code code = sp_protect(ctx, parse, &r);
  CU_ASSERT_EQUAL(code, SP_OK);
  if (code) {
    printf("%s ", sp_ctx_error(ctx)->message);
    return NULL;
  }
  return &r.module->computations[0].instrs[3];
}

static void unknown_fields_of_an_instruction_are_kept(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  /* field 120, varint 5 */
  const hlo_instr *y = raw_parse(ctx, "\xc0\x07\x05", 3);
  CU_ASSERT_PTR_NOT_NULL(attr(y, "proto field 120"));
  /* field 98, an empty message that jax 0.12 writes */
  y = raw_parse(ctx, "\x92\x06\x00", 3);
  CU_ASSERT_EQUAL(y->n_attrs, 0);
  y = raw_parse(ctx, "\x92\x06\x02\x08\x01", 5);
  CU_ASSERT_PTR_NOT_NULL(attr(y, "proto field 98"));
  /* field 68, frontend attributes, whatever they are */
  y = raw_parse(ctx, "\xa2\x04\x02\x10\x01", 5);
  CU_ASSERT_EQUAL(y->n_attrs, 0);
  /* field 30, dot dimension numbers, with a field 9 in them */
  y = raw_parse(ctx, "\xf2\x01\x02\x48\x01", 5);
  CU_ASSERT_PTR_NOT_NULL(attr(y, "proto field 30.9"));
  /* field 9, a parameter number, on a negate */
  y = raw_parse(ctx, "\x48\x01", 2);
  CU_ASSERT_PTR_NOT_NULL(attr(y, "proto field 9"));
  sp_ctx_free(ctx);
}

/* ---- constants ---- */

static const sp_literal *literal_of(const hlo_instr *in) {
  const sp_attr *a = attr(in, "literal");
  CU_ASSERT_PTR_NOT_NULL_FATAL(a);
  return a->u.literal;
}

static void constant_init(sample *s, Hlo__Literal *l, int type) {
  sample_init(s);
  s->instr[3].opcode = (char *)(uintptr_t) "constant";
  s->instr[3].n_operand_ids = 0;
  s->instr[3].literal = l;
  s->shape[3].element_type = type;
  hlo__literal__init(l);
  l->shape = &s->shape[3];
}

static void a_literal_lies_in_the_order_of_its_layout(void) {
  sample s;
  Hlo__Literal l;
  Hlo__Layout layout;
  constant_init(&s, &l, S32);
  int32_t v[] = {0, 1, 2, 3, 4, 5};
  l.n_s32s = 6;
  l.s32s = v;
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_literal *lit = literal_of(sample_parse(ctx, &s, SP_OK));
  CU_ASSERT_EQUAL(lit->i[1], 1);
  /* columns first: element [i][j] of the 2 x 3 array is v[2 j + i] */
  hlo__layout__init(&layout);
  int64_t order[] = {0, 1};
  layout.n_minor_to_major = 2;
  layout.minor_to_major = order;
  s.shape[3].layout = &layout;
  lit = literal_of(sample_parse(ctx, &s, SP_OK));
  int64_t want[] = {0, 2, 4, 1, 3, 5};
  CU_ASSERT_FALSE(lit->splat);
  CU_ASSERT_EQUAL(memcmp(lit->i, want, sizeof want), 0);
  order[1] = 0;
  sample_parse(ctx, &s, SP_ERR_INPUT);
  l.n_s32s = 5;
  order[1] = 1;
  sample_parse(ctx, &s, SP_ERR_INPUT);
  sp_ctx_free(ctx);
}

static void small_floats_are_decoded_exactly(void) {
  sample s;
  Hlo__Literal l;
  sp_ctx *ctx = sp_ctx_new(NULL);
  constant_init(&s, &l, BF16);
  /* 1, -2, 0.15625, inf, the smallest subnormal, nan */
  uint8_t b[] = {0x80, 0x3f, 0x00, 0xc0, 0x20, 0x3e,
                 0x80, 0x7f, 0x01, 0x00, 0xc0, 0x7f};
  l.has_bf16s = 1;
  l.bf16s = (ProtobufCBinaryData){sizeof b, b};
  const sp_literal *lit = literal_of(sample_parse(ctx, &s, SP_OK));
  CU_ASSERT_EQUAL(lit->f[0], 1);
  CU_ASSERT_EQUAL(lit->f[1], -2);
  CU_ASSERT_EQUAL(lit->f[2], 0.15625);
  CU_ASSERT_EQUAL(lit->f[3], (double)INFINITY);
  CU_ASSERT_EQUAL(lit->f[4], ldexp(1, -133));
  CU_ASSERT(isnan(lit->f[5]));
  constant_init(&s, &l, F16);
  /* 1, -2, 65504, -inf, 2^-24, 1/3 rounded */
  uint8_t h[] = {0x00, 0x3c, 0x00, 0xc0, 0xff, 0x7b,
                 0x00, 0xfc, 0x01, 0x00, 0x55, 0x35};
  l.has_f16s = 1;
  l.f16s = (ProtobufCBinaryData){sizeof h, h};
  lit = literal_of(sample_parse(ctx, &s, SP_OK));
  CU_ASSERT_EQUAL(lit->f[0], 1);
  CU_ASSERT_EQUAL(lit->f[2], 65504);
  CU_ASSERT_EQUAL(lit->f[3], -(double)INFINITY);
  CU_ASSERT_EQUAL(lit->f[4], ldexp(1, -24));
  CU_ASSERT_EQUAL(lit->f[5], 1365.0 / 4096);
  constant_init(&s, &l, F8E4M3FN);
  uint8_t e[] = {0x38, 0x7e, 0x01, 0x7f, 0xb8, 0x00}; /* 448 is the largest */
  l.has_f8e4m3fns = 1;
  l.f8e4m3fns = (ProtobufCBinaryData){sizeof e, e};
  lit = literal_of(sample_parse(ctx, &s, SP_OK));
  CU_ASSERT_EQUAL(lit->f[0], 1);
  CU_ASSERT_EQUAL(lit->f[1], 448);
  CU_ASSERT_EQUAL(lit->f[2], ldexp(1, -9));
  CU_ASSERT(isnan(lit->f[3]));
  CU_ASSERT_EQUAL(lit->f[4], -1);
  sp_ctx_free(ctx);
}

static void equal_values_are_stored_once(void) {
  sample s;
  Hlo__Literal l;
  constant_init(&s, &l, F32);
  float v[] = {0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f};
  l.n_f32s = 6;
  l.f32s = v;
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_literal *lit = literal_of(sample_parse(ctx, &s, SP_OK));
  CU_ASSERT_TRUE(lit->splat);
  CU_ASSERT_EQUAL(lit->f[0], (double)0.1f);
  v[5] = -0.1f;
  lit = literal_of(sample_parse(ctx, &s, SP_OK));
  CU_ASSERT_FALSE(lit->splat);
  CU_ASSERT_EQUAL(lit->f[5], (double)-0.1f);
  sp_ctx_free(ctx);
}

/* ---- attributes ---- */

static void compare_orders_of_both_dialects_agree(void) {
  sample s;
  sp_ctx *ctx = sp_ctx_new(NULL);
  const struct {
    int type;
    const char *kind, *order, *want;
  } rows[] = {
      {F32, "FLOAT", NULL, NULL},
      {F32, NULL, "PARTIAL", NULL},
      {F32, NULL, "TOTAL", "TOTALORDER"},
      {F32, "TOTALORDER", NULL, "TOTALORDER"},
      {S32, NULL, "TOTAL", NULL},
      {S32, "SIGNED", NULL, NULL},
      {S32, "UNSIGNED", NULL, "UNSIGNED"},
      {PRED, "UNSIGNED", NULL, NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    sample_init(&s);
    s.instr[3].opcode = (char *)(uintptr_t) "compare";
    s.instr[3].comparison_direction = (char *)(uintptr_t) "LT";
    s.instr[3].comparison_type = (char *)(uintptr_t)rows[i].kind;
    s.instr[3].comparison_order = (char *)(uintptr_t)rows[i].order;
    s.shape[2].element_type = rows[i].type;
    const hlo_instr *in = sample_parse(ctx, &s, SP_OK);
    const sp_attr *a = attr(in, "compare_type");
    CU_ASSERT_PTR_NOT_NULL(attr(in, "direction"));
    if (!rows[i].want) {
      CU_ASSERT_PTR_NULL(a);
    } else {
      CU_ASSERT_PTR_NOT_NULL_FATAL(a);
      CU_ASSERT_STRING_EQUAL(a->u.text, rows[i].want);
    }
  }
  sp_ctx_free(ctx);
}

static void groups_given_twice_must_agree(void) {
  sample s;
  sample_init(&s);
  s.instr[3].opcode = (char *)(uintptr_t) "all-gather";
  Hlo__ReplicaGroup a, b, *groups[] = {&a, &b};
  Hlo__IotaGroups iota;
  hlo__replica_group__init(&a);
  hlo__replica_group__init(&b);
  hlo__iota_groups__init(&iota);
  int64_t first[] = {0, 1}, second[] = {2, 3}, four[] = {4};
  a.n_replica_ids = b.n_replica_ids = 2;
  a.replica_ids = first;
  b.replica_ids = second;
  iota.has_num_replica_groups = iota.has_num_devices_per_group = 1;
  iota.num_replica_groups = iota.num_devices_per_group = 2;
  iota.n_iota_reshape_dims = 1;
  iota.iota_reshape_dims = four;
  s.instr[3].n_replica_groups = 2;
  s.instr[3].replica_groups = groups;
  s.instr[3].iota_collective_device_list = &iota;
  sp_ctx *ctx = sp_ctx_new(NULL);
  const hlo_instr *in = sample_parse(ctx, &s, SP_OK);
  const sp_attr *g = attr(in, "replica_groups");
  CU_ASSERT_PTR_NOT_NULL_FATAL(g);
  CU_ASSERT_EQUAL(g->u.groups->n_groups, 2);
  CU_ASSERT_EQUAL(g->u.groups->ids[2], 2);
  first[1] = 2;
  second[0] = 1;
  sample_parse(ctx, &s, SP_ERR_INPUT);
  sp_ctx_free(ctx);
}

void suite_hlo_proto(void) {
  CU_pSuite s = CU_add_suite("hlo_proto", NULL, NULL);
#define ADD(test) CU_add_test(s, #test, test)
  ADD(a_bare_module_and_a_wrapped_one_are_told_apart);
  ADD(references_by_id_become_positions);
  ADD(dangling_repeated_and_late_ids_are_errors);
  ADD(unknown_fields_of_an_instruction_are_kept);
  ADD(a_literal_lies_in_the_order_of_its_layout);
  ADD(small_floats_are_decoded_exactly);
  ADD(equal_values_are_stored_once);
  ADD(compare_orders_of_both_dialects_agree);
  ADD(groups_given_twice_must_agree);
#undef ADD
}
