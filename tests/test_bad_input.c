/* test_bad_input.c: damaged and hostile HLO files.
 *
 * Whatever the bytes, a reader ends in SP_OK, SP_ERR_INPUT or SP_ERR_LIMIT (or
 * SP_ERR_UNKNOWN: several replicas of several partitions are not modelled),
 * within a second of processor time, without touching foreign memory (the
 * debug preset runs this under AddressSanitizer). First real dumps, cut off
 * and changed at pseudo-random places: some of the large set, or all of it
 * when SHARDPROOF_LONG=1; then modules made to hurt; then memory that runs
 * out at the n-th allocation, for every n.
 */
#include "graph/hlo.h"
#include "graph/hlo.pb-c.h"
#include "tests/suites.h"
#include "tests/support_dumps.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void suite_bad_input(void);

enum { CHANGES = 100, SMALL_FILE = 12000, SAMPLE = 12 };

typedef struct reading {
  const uint8_t *bytes;
  size_t n;
  bool text;
  const sp_program *program;
} reading;

static void read_it(sp_ctx *ctx, void *arg) {
  reading *r = arg;
  r->program = r->text
                   ? sp_hlo_read_text(ctx, "bad", (const char *)r->bytes, r->n)
                   : sp_hlo_read_proto(ctx, "bad", r->bytes, r->n);
}

/* Reads exact bytes on the heap, so that one byte too far is noticed. */
static sp_code outcome_within(double limit, const uint8_t *bytes, size_t n,
                              bool text, const char *what) {
  uint8_t *exact = malloc(n ? n : 1);
  memcpy(exact, bytes, n);
  reading r = {.bytes = exact, .n = n, .text = text};
  sp_ctx *ctx = sp_ctx_new(NULL);
  clock_t start = clock();
  sp_code code = sp_protect(ctx, read_it, &r);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  bool good = code == SP_OK || code == SP_ERR_INPUT || code == SP_ERR_LIMIT ||
              code == SP_ERR_UNKNOWN;
  if (!good || seconds > limit) {
    printf("\n    %s: code %d, %.2f s: %s", what, (int)code, seconds,
           code ? sp_ctx_error(ctx)->message : "");
  }
  CU_ASSERT(good && seconds <= limit);
  CU_ASSERT(code == SP_OK || sp_ctx_error(ctx)->message[0]);
  sp_ctx_free(ctx);
  free(exact);
  return code;
}

static sp_code outcome(const uint8_t *bytes, size_t n, bool text,
                       const char *what) {
  return outcome_within(1, bytes, n, text, what);
}

/* ---- real dumps, damaged ---- */

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void damage(const char *path, bool text, uint32_t seed) {
  size_t n;
  uint8_t *v = file_bytes(path, &n);
  CU_ASSERT_PTR_NOT_NULL_FATAL(v);
  uint8_t *w = malloc(n + 1);
  uint32_t state = seed;
  char what[600];
  for (int i = 0; i < CHANGES && n; i++) {
    size_t cut = next_random(&state) % n;
    snprintf(what, sizeof what, "%s cut at %zu", path, cut);
    outcome(v, cut, text, what);
    size_t at = next_random(&state) % n;
    uint32_t bits = next_random(&state);
    memcpy(w, v, n);
    bits = i % 2 ? bits : w[at] ^ 1u << bits % 8;
    w[at] = (uint8_t)bits;
    snprintf(what, sizeof what, "%s byte %zu is %u", path, at, w[at]);
    outcome(w, n, text, what);
  }
  free(w);
  free(v);
}

static void damage_all(const char *end, bool text) {
  dump_list l = dump_list_find(end);
  size_t done = 0, step = l.n / SAMPLE + 1;
  for (size_t i = 0; i < l.n; i++) {
    size_t n;
    free(file_bytes(l.paths[i], &n));
    bool take = i % step == 0 && n < SMALL_FILE;
    if (long_mode() || take) {
      damage(l.paths[i], text, (uint32_t)i + 1);
      done++;
    }
  }
  printf("(%zu files) ", done);
  dump_list_free(&l);
}

static void damaged_protos_are_errors_or_programs(void) {
  damage_all(".pb", false);
}

static void damaged_texts_are_errors_or_programs(void) {
  damage_all(".hlo.txt", true);
}

static void truncation_is_reported_with_its_byte(void) {
  dump_list l = dump_list_find(".hlo.pb");
  if (l.n) {
    size_t n;
    uint8_t *v = file_bytes(l.paths[0], &n);
    CU_ASSERT_PTR_NOT_NULL_FATAL(v);
    reading r = {.bytes = v, .n = n - 10};
    sp_ctx *ctx = sp_ctx_new(NULL);
    CU_ASSERT_EQUAL(sp_protect(ctx, read_it, &r), SP_ERR_INPUT);
    const sp_error *e = sp_ctx_error(ctx);
    CU_ASSERT_TRUE(e->loc.has_byte);
    CU_ASSERT(e->loc.byte < n);
    CU_ASSERT_PTR_NOT_NULL(strstr(e->hint, "truncated"));
    sp_ctx_free(ctx);
    free(v);
  }
  dump_list_free(&l);
}

static void files_of_nothing_are_errors(void) {
  CU_ASSERT_EQUAL(outcome((const uint8_t *)"", 0, false, "empty"),
                  SP_ERR_INPUT);
  CU_ASSERT_EQUAL(outcome((const uint8_t *)"", 0, true, "empty text"),
                  SP_ERR_INPUT);
  uint8_t zeros[64] = {0};
  CU_ASSERT_EQUAL(outcome(zeros, 64, false, "zeros"), SP_ERR_INPUT);
  uint8_t endless[64];
  memset(endless, 0xff, sizeof endless);
  CU_ASSERT_EQUAL(outcome(endless, 64, false, "endless"), SP_ERR_INPUT);
}

/* ---- modules made to hurt ---- */

/* A message under construction, written from its end to its beginning, so
 * that lengths are known when they are written. */
typedef struct back {
  uint8_t *v;
  size_t at, cap;
} back;

static void back_varint(back *b, uint64_t v) {
  uint8_t bytes[10];
  size_t n = 0;
  do {
    bytes[n++] = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
    v >>= 7;
  } while (v);
  b->at -= n;
  memcpy(b->v + b->at, bytes, n);
}

/* What was written since `end` becomes the content of a field. */
static void back_wrap(back *b, unsigned field, size_t end) {
  back_varint(b, end - b->at);
  back_varint(b, field * 8 + 2);
}

static void back_text(back *b, unsigned field, const char *s) {
  size_t end = b->at;
  b->at -= strlen(s);
  memcpy(b->v + b->at, s, strlen(s));
  back_wrap(b, field, end);
}

static back back_new(size_t cap) {
  back b = {.v = malloc(cap), .at = cap, .cap = cap};
  return b;
}

static sp_code back_outcome(back *b, const char *what) {
  sp_code code = outcome(b->v + b->at, b->cap - b->at, false, what);
  free(b->v);
  return code;
}

static sp_code nested_tuples(size_t depth) {
  back b = back_new(16 * depth + 1000);
  size_t end = b.at;
  back_varint(&b, 11); /* f32 */
  back_varint(&b, 2 * 8);
  for (size_t i = 0; i < depth; i++) {
    back_wrap(&b, 4, end); /* tuple_shapes */
    back_varint(&b, 13);   /* TUPLE */
    back_varint(&b, 2 * 8);
  }
  back_wrap(&b, 3, end); /* shape */
  back_text(&b, 2, "parameter");
  back_text(&b, 1, "p");
  back_wrap(&b, 2, end); /* instructions */
  back_text(&b, 1, "main");
  back_wrap(&b, 3, end); /* computations */
  back_text(&b, 1, "deep");
  return back_outcome(&b, "nested tuples");
}

static void tuples_nested_too_deep_are_refused(void) {
  CU_ASSERT_EQUAL(nested_tuples(10000), SP_ERR_LIMIT);
  CU_ASSERT_EQUAL(nested_tuples(80), SP_ERR_LIMIT);
  CU_ASSERT_EQUAL(nested_tuples(3), SP_OK);
}

static char *text(const char *s) {
  return (char *)(uintptr_t)s;
}

static void shape_init(Hlo__Shape *s, int type, int64_t *dims, size_t n) {
  hlo__shape__init(s);
  s->has_element_type = 1;
  s->element_type = type;
  s->n_dimensions = n;
  s->dimensions = dims;
}

static void instr_init(Hlo__Instruction *in, const char *name,
                       const char *opcode, Hlo__Shape *shape, int64_t id) {
  hlo__instruction__init(in);
  in->name = text(name);
  in->opcode = text(opcode);
  in->shape = shape;
  in->has_id = 1;
  in->id = id;
}

static void computation_init(Hlo__Computation *c, const char *name, int64_t id,
                             Hlo__Instruction **instrs, size_t n) {
  hlo__computation__init(c);
  c->name = text(name);
  c->has_id = 1;
  c->id = id;
  c->n_instructions = n;
  c->instructions = instrs;
  c->has_root_id = 1;
  c->root_id = instrs[n - 1]->id;
}

static sp_code module_outcome(double limit, Hlo__Computation **computations,
                              size_t n, int partitions, const char *what) {
  Hlo__Module m;
  Hlo__DeviceAssignment d;
  hlo__module__init(&m);
  hlo__device_assignment__init(&d);
  m.name = text("hostile");
  m.n_computations = n;
  m.computations = computations;
  m.has_entry_computation_id = 1;
  m.entry_computation_id = computations[n - 1]->id;
  d.has_replica_count = d.has_computation_count = 1;
  d.replica_count = 1;
  d.computation_count = partitions;
  m.device_assignment = partitions ? &d : NULL;
  size_t size = hlo__module__get_packed_size(&m);
  uint8_t *bytes = malloc(size + 1);
  hlo__module__pack(&m, bytes);
  sp_code code = outcome_within(limit, bytes, size, false, what);
  free(bytes);
  return code;
}

/* A module of a parameter and one more instruction, to be changed. */
typedef struct two {
  Hlo__Shape shape;
  Hlo__Instruction p, x, *instrs[2];
  Hlo__Computation c, *computations[1];
  int64_t dims[3], operand[1];
} two;

static void two_init(two *t, const char *opcode) {
  memset(t, 0, sizeof *t);
  t->dims[0] = 4;
  t->dims[1] = 2;
  shape_init(&t->shape, 11, t->dims, 2);
  instr_init(&t->p, "p", "parameter", &t->shape, 1);
  instr_init(&t->x, "x", opcode, &t->shape, 2);
  t->operand[0] = 1;
  t->x.n_operand_ids = 1;
  t->x.operand_ids = t->operand;
  t->instrs[0] = &t->p;
  t->instrs[1] = &t->x;
  computation_init(&t->c, "main", 9, t->instrs, 2);
  t->computations[0] = &t->c;
}

static sp_code two_outcome(two *t, int partitions, const char *what) {
  return module_outcome(1, t->computations, 1, partitions, what);
}

static void impossible_sizes_are_refused(void) {
  two t;
  two_init(&t, "negate");
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "plain"), SP_OK);
  t.dims[0] = t.dims[1] = 1 << 20;
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "2^40 elements"), SP_ERR_LIMIT);
  t.shape.n_dimensions = 3;
  t.dims[0] = t.dims[1] = t.dims[2] = INT64_MAX;
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "2^189 elements"), SP_ERR_LIMIT);
  t.dims[0] = 0; /* an empty array, whatever the others say */
  CU_ASSERT_NOT_EQUAL(two_outcome(&t, 0, "empty"), SP_ERR_MEMORY);
  t.dims[0] = 4;
  t.dims[2] = -4;
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "negative"), SP_ERR_INPUT);
  static int64_t many[65];
  for (size_t i = 0; i < 65; i++) {
    many[i] = 1;
  }
  t.shape.n_dimensions = 65;
  t.shape.dimensions = many;
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "65 dimensions"), SP_ERR_INPUT);
}

static void cycles_are_refused(void) {
  two t;
  two_init(&t, "negate");
  t.operand[0] = 2;
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "x = negate(x)"), SP_ERR_INPUT);
  t.p.opcode = text("negate");
  t.p.n_operand_ids = 1;
  t.p.operand_ids = t.operand;
  int64_t one[] = {1};
  t.x.operand_ids = one;
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "p and x"), SP_ERR_INPUT);
  two_init(&t, "tuple");
  Hlo__Shape tuple, *parts[] = {&t.shape};
  shape_init(&tuple, 13, NULL, 0);
  tuple.n_tuple_shapes = 1;
  tuple.tuple_shapes = parts;
  t.x.shape = &tuple;
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "a tuple"), SP_OK);
  t.operand[0] = 2;
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "a tuple of itself"), SP_ERR_INPUT);
}

static void literals_of_another_size_are_refused(void) {
  two t;
  two_init(&t, "negate");
  Hlo__Literal l;
  hlo__literal__init(&l);
  float v[9] = {0};
  l.shape = &t.shape;
  l.f32s = v;
  l.n_f32s = 8;
  t.p.opcode = text("constant");
  t.p.literal = &l;
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "8 of 8"), SP_OK);
  l.n_f32s = 7;
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "7 of 8"), SP_ERR_INPUT);
  l.n_f32s = 9;
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "9 of 8"), SP_ERR_INPUT);
  l.n_f32s = 8;
  Hlo__Shape other;
  int64_t dims[] = {2, 4};
  shape_init(&other, 11, dims, 2);
  l.shape = &other;
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "another shape"), SP_ERR_INPUT);
  l.shape = NULL;
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "no shape"), SP_ERR_INPUT);
  t.p.literal = NULL;
  CU_ASSERT_EQUAL(two_outcome(&t, 0, "no literal"), SP_ERR_INPUT);
}

static sp_code groups_outcome(int64_t *first, size_t n, int64_t *second,
                              size_t m) {
  two t;
  two_init(&t, "all-gather");
  Hlo__Shape whole;
  int64_t dims[] = {8, 2}, along[] = {0};
  shape_init(&whole, 11, dims, 2);
  Hlo__ReplicaGroup a, b, *groups[] = {&a, &b};
  hlo__replica_group__init(&a);
  hlo__replica_group__init(&b);
  a.replica_ids = first;
  a.n_replica_ids = n;
  b.replica_ids = second;
  b.n_replica_ids = m;
  t.x.shape = &whole;
  t.x.n_dimensions = 1;
  t.x.dimensions = along;
  t.x.n_replica_groups = m ? 2 : 1;
  t.x.replica_groups = groups;
  t.x.has_channel_id = t.x.has_use_global_device_ids = 1;
  t.x.channel_id = t.x.use_global_device_ids = 1;
  return two_outcome(&t, 4, "groups");
}

static void groups_that_do_not_cover_the_devices_are_refused(void) {
  int64_t a[] = {0, 1}, b[] = {2, 3}, c[] = {1, 2}, d[] = {2, 4}, e[] = {-1, 3};
  CU_ASSERT_EQUAL(groups_outcome(a, 2, b, 2), SP_OK);
  CU_ASSERT_EQUAL(groups_outcome(a, 2, b, 0), SP_ERR_INPUT);
  CU_ASSERT_EQUAL(groups_outcome(a, 2, c, 2), SP_ERR_INPUT);
  CU_ASSERT_EQUAL(groups_outcome(a, 2, d, 2), SP_ERR_INPUT);
  CU_ASSERT_EQUAL(groups_outcome(a, 2, e, 2), SP_ERR_INPUT);
}

/* main calls c1 calls c2 ... n deep. */
static sp_code call_nest(size_t n) {
  typedef struct level {
    Hlo__Computation c;
    Hlo__Instruction p, x, *instrs[2];
    int64_t callee, operand;
  } level;
  level *v = calloc(n, sizeof *v);
  Hlo__Computation **all = calloc(n, sizeof *all);
  Hlo__Shape shape;
  int64_t dims[] = {4};
  shape_init(&shape, 11, dims, 1);
  for (size_t i = 0; i < n; i++) {
    int64_t id = (int64_t)i + 1;
    instr_init(&v[i].p, "p", "parameter", &shape, id << 32 | 1);
    instr_init(&v[i].x, "x", i ? "call" : "negate", &shape, id << 32 | 2);
    v[i].operand = v[i].p.id;
    v[i].callee = id - 1;
    v[i].x.n_operand_ids = 1;
    v[i].x.operand_ids = &v[i].operand;
    v[i].x.n_called_computation_ids = i ? 1 : 0;
    v[i].x.called_computation_ids = &v[i].callee;
    v[i].instrs[0] = &v[i].p;
    v[i].instrs[1] = &v[i].x;
    computation_init(&v[i].c, "level", id, v[i].instrs, 2);
    all[i] = &v[i].c;
  }
  sp_code code = module_outcome(1, all, n, 0, "call nest");
  free(all);
  free(v);
  return code;
}

static void calls_nested_too_deep_are_refused(void) {
  CU_ASSERT_EQUAL(call_nest(10), SP_OK);
  sp_code deep = call_nest(10000);
  CU_ASSERT(deep == SP_ERR_LIMIT || deep == SP_ERR_INPUT);
}

/* Each computation calls the one before twice: 2^60 instructions if inlined.
 * The limit on inlined instructions stops it, after seconds. */
static void calls_that_double_are_refused(void) {
  enum { LEVELS = 60 };
  typedef struct level {
    Hlo__Computation c;
    Hlo__Instruction p, x, y, *instrs[3];
    int64_t callee, operand[2];
  } level;
  level *v = calloc(LEVELS, sizeof *v);
  Hlo__Computation *all[LEVELS];
  Hlo__Shape shape;
  int64_t dims[] = {4};
  shape_init(&shape, 11, dims, 1);
  for (size_t i = 0; i < LEVELS; i++) {
    int64_t id = (int64_t)i + 1;
    const char *opcode = i ? "call" : "negate";
    instr_init(&v[i].p, "p", "parameter", &shape, id << 32 | 1);
    instr_init(&v[i].x, "x", opcode, &shape, id << 32 | 2);
    instr_init(&v[i].y, "y", opcode, &shape, id << 32 | 3);
    v[i].operand[0] = v[i].p.id;
    v[i].operand[1] = v[i].x.id;
    v[i].callee = id - 1;
    v[i].x.n_operand_ids = v[i].y.n_operand_ids = 1;
    v[i].x.operand_ids = &v[i].operand[0];
    v[i].y.operand_ids = &v[i].operand[1];
    v[i].x.n_called_computation_ids = i ? 1 : 0;
    v[i].y.n_called_computation_ids = i ? 1 : 0;
    v[i].x.called_computation_ids = &v[i].callee;
    v[i].y.called_computation_ids = &v[i].callee;
    v[i].instrs[0] = &v[i].p;
    v[i].instrs[1] = &v[i].x;
    v[i].instrs[2] = &v[i].y;
    computation_init(&v[i].c, "level", id, v[i].instrs, 3);
    all[i] = &v[i].c;
  }
  sp_code code = module_outcome(10, all, LEVELS, 0, "doubling");
  CU_ASSERT(code == SP_ERR_LIMIT || code == SP_ERR_INPUT);
  free(v);
}

/* ---- memory runs out ---- */

typedef struct budget {
  long allocations; /* until one fails */
  long alive;
} budget;

static void *budget_alloc(void *user, size_t size) {
  budget *b = user;
  if (b->allocations-- <= 0) {
    return NULL;
  }
  b->alive++;
  return malloc(size);
}

static void budget_free(void *user, void *p) {
  budget *b = user;
  b->alive -= p != NULL;
  free(p);
}

static sp_code with_budget(long allocations, const uint8_t *bytes, size_t n) {
  budget b = {.allocations = allocations};
  sp_hooks hooks = {budget_alloc, budget_free, &b};
  sp_ctx *ctx = sp_ctx_new(&hooks);
  if (!ctx) {
    return SP_ERR_MEMORY;
  }
  reading r = {.bytes = bytes, .n = n};
  sp_code code = sp_protect(ctx, read_it, &r);
  sp_ctx_free(ctx);
  CU_ASSERT_EQUAL(b.alive, 0);
  return code;
}

static void every_allocation_may_fail(void) {
  two t;
  two_init(&t, "negate");
  Hlo__Module m;
  hlo__module__init(&m);
  /* long enough that each part of the reader needs memory of its own */
  enum { N = 2000 };
  Hlo__Instruction *v = calloc(N, sizeof *v);
  Hlo__Instruction **all = calloc(N, sizeof *all);
  int64_t *operands = calloc(N, sizeof *operands);
  char(*names)[16] = calloc(N, sizeof *names);
  for (int i = 0; i < N; i++) {
    snprintf(names[i], sizeof *names, "x%d", i);
    instr_init(&v[i], names[i], i ? "negate" : "parameter", &t.shape, i);
    operands[i] = i - 1;
    v[i].n_operand_ids = i ? 1 : 0;
    v[i].operand_ids = &operands[i];
    all[i] = &v[i];
  }
  computation_init(&t.c, "main", 0, all, N);
  m.n_computations = 1;
  m.computations = t.computations;
  size_t n = hlo__module__get_packed_size(&m);
  uint8_t *bytes = malloc(n + 1);
  hlo__module__pack(&m, bytes);
  long k = 0;
  sp_code code = with_budget(k, bytes, n);
  while (code == SP_ERR_MEMORY && k < 1000) {
    code = with_budget(++k, bytes, n);
  }
  CU_ASSERT_EQUAL(code, SP_OK);
  CU_ASSERT(k > 3);
  free(bytes);
  free(names);
  free(operands);
  free(all);
  free(v);
}

void suite_bad_input(void) {
  CU_pSuite s = CU_add_suite("bad_input", NULL, NULL);
#define ADD(test) CU_add_test(s, #test, test)
  ADD(damaged_protos_are_errors_or_programs);
  ADD(damaged_texts_are_errors_or_programs);
  ADD(truncation_is_reported_with_its_byte);
  ADD(files_of_nothing_are_errors);
  ADD(tuples_nested_too_deep_are_refused);
  ADD(impossible_sizes_are_refused);
  ADD(cycles_are_refused);
  ADD(literals_of_another_size_are_refused);
  ADD(groups_that_do_not_cover_the_devices_are_refused);
  ADD(calls_nested_too_deep_are_refused);
  ADD(calls_that_double_are_refused);
  ADD(every_allocation_may_fail);
#undef ADD
}
