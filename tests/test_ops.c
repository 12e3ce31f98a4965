/* test_ops.c: the operator table against XLA.
 *
 * tests/oracle/ops.txt (made by gen_ops.py there) holds small HLO programs with
 * inputs and with the results of XLA's CPU backend (support_oracle.h). Other
 * tests here are about the table itself, about refusals, and about opaque
 * operators, which have no values. SHARDPROOF_OPS is another file of cases.
 */
#include "encode/op.h"
#include "graph/hlo.h"
#include "tests/support_oracle.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_ops(void);

/* ---- cases ---- */

static const sp_program *read_case(sp_ctx *ctx, const oracle_case *c) {
  return sp_hlo_read_text(ctx, "ops.txt", c->text, c->text_n);
}

static void operators_agree_with_xla(void) {
  CU_ASSERT(oracle_run("ops.txt", "SHARDPROOF_OPS", read_case) > 900);
}

/* ---- the table itself ---- */

static void every_row_has_all_fields(void) {
  uint32_t n;
  const sp_op *const *rows = sp_op_table(&n);
  CU_ASSERT(n > 90);
  for (uint32_t i = 0; i < n; i++) {
    const sp_op *op = rows[i];
    CU_ASSERT_PTR_NOT_NULL_FATAL(op->name);
    bool full = op->spellings && op->spellings[0] && op->shape && op->element &&
                op->meaning && op->meaning[0] &&
                op->min_operands <= op->max_operands;
    if (!full) {
      printf("\n    row %s lacks something\n", op->name);
    }
    CU_ASSERT(full);
    for (const sp_op_attr *a = op->attrs; a && a->name; a++) {
      CU_ASSERT(!(a->required && a->harmless));
    }
  }
}

static void no_spelling_occurs_twice(void) {
  uint32_t n;
  const sp_op *const *rows = sp_op_table(&n);
  for (uint32_t i = 0; i < n; i++) {
    for (const char *const *s = rows[i]->spellings; *s; s++) {
      CU_ASSERT_PTR_EQUAL(sp_op_find(*s), rows[i]);
    }
  }
  CU_ASSERT_PTR_NULL(sp_op_find("hlo:while"));
  CU_ASSERT_PTR_NULL(sp_op_find("hlo:rng"));
  CU_ASSERT_PTR_NULL(sp_op_find(""));
}

/* ---- refusals ---- */

typedef struct refusal {
  const char *text;
} refusal;

static void check_all(sp_ctx *ctx, void *arg) {
  const char *text = ((refusal *)arg)->text;
  const sp_program *g = sp_hlo_read_text(ctx, "t.hlo", text, strlen(text));
  for (uint32_t i = 0; i < g->n_nodes; i++) {
    if (strcmp(g->nodes[i].op, "hlo:parameter") != 0) {
      sp_op_check(ctx, g, &g->nodes[i]);
    }
  }
}

#define ADD                                                                    \
  "add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"                  \
  " ROOT r = f32[] add(a, b)\n}\n"                                             \
  "mul {\n a = c64[] parameter(0)\n b = c64[] parameter(1)\n"                  \
  " ROOT r = c64[] multiply(a, b)\n}\n"

static const struct {
  sp_code code;
  const char *part;  /* of the message */
  const char *entry; /* of the module */
} refusals[] = {
    {SP_ERR_INPUT,
     "contracting dimension 1 of lhs has size 8, dimension 0 of "
     "rhs 16",
     "a = f32[4,8] parameter(0)\nb = f32[16,4] parameter(1)\nROOT r = f32[4,4] "
     "dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {SP_ERR_INPUT, "dimension 1 of result 0 has size 5, 4 expected",
     "a = f32[3,4] parameter(0)\nROOT r = f32[3,5] negate(a)"},
    {SP_ERR_INPUT, "12 elements",
     "a = f32[3,4] parameter(0)\nROOT r = f32[11] reshape(a)"},
    {SP_ERR_INPUT, "twice",
     "a = f32[3,4] parameter(0)\nROOT r = f32[3,4] transpose(a), "
     "dimensions={0,0}"},
    {SP_ERR_INPUT, "dimension 0: a slice of 4 from 3",
     "a = f32[3] parameter(0)\ns = s32[] parameter(1)\nROOT r = f32[4] "
     "dynamic-slice(a, s), dynamic_slice_sizes={4}"},
    {SP_ERR_INPUT, "operands, at most 2",
     "a = f32[3] parameter(0)\nROOT r = f32[3] add(a, a, a)"},
    {SP_ERR_INPUT, "[0:4:1] of size 3",
     "a = f32[3] parameter(0)\nROOT r = f32[4] slice(a), slice={[0:4]}"},
    {SP_ERR_INPUT, "concatenates along 2",
     "a = f32[3,3] parameter(0)\nROOT r = f32[3,3] concatenate(a), "
     "dimensions={0,1}"},
    {SP_ERR_UNKNOWN, "made_up",
     "a = f32[3] parameter(0)\nROOT r = f32[3] negate(a), made_up={1}"},
    {SP_ERR_UNKNOWN, "compare type UNSIGNED of s32",
     "a = s32[3] parameter(0)\nROOT r = pred[3] compare(a, a), direction=LT, "
     "type=UNSIGNED"},
    {SP_ERR_UNKNOWN, "compare type SIGNED of f32",
     "a = f32[3] parameter(0)\nROOT r = pred[3] compare(a, a), direction=LT, "
     "type=SIGNED"},
    {SP_ERR_UNKNOWN, "no row",
     "a = f32[3] parameter(0)\nROOT r = f32[3] frobnicate(a)"},
    {SP_ERR_UNKNOWN, "custom call target \"Mystery\"",
     "a = f32[3] parameter(0)\nROOT r = f32[3] custom-call(a), "
     "custom_call_target=\"Mystery\""},
    {SP_ERR_UNKNOWN, "without a sharding",
     "a = f32[4] parameter(0)\nROOT r = f32[2] custom-call(a), "
     "custom_call_target=\"SPMDFullToShardShape\""},
    {SP_ERR_UNKNOWN, "blocks with padding",
     "a = f32[6] parameter(0), sharding={devices=[4]<=[4]}\n"
     "ROOT r = f32[2] custom-call(a), sharding={manual}, "
     "custom_call_target=\"SPMDFullToShardShape\""},
    {SP_ERR_UNKNOWN, "do not follow", /* inside tiles are whole blocks */
     "a = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
     "ROOT r = f32[4] custom-call(a), "
     "custom_call_target=\"SPMDFullToShardShape\", "
     "sharding={devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}"},
    {SP_ERR_UNKNOWN, "do not follow", /* tiles in another order */
     "a = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
     "ROOT r = f32[4] custom-call(a), "
     "custom_call_target=\"SPMDFullToShardShape\", "
     "sharding={devices=[2,2]<=[4] last_tile_dims={manual}}"},
    {SP_ERR_INPUT, "does not fit the sharding",
     "a = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
     "ROOT r = f32[4] custom-call(a), sharding={manual}, "
     "custom_call_target=\"SPMDFullToShardShape\""},
    {SP_ERR_UNKNOWN, "without a sharding", /* a block that is no block */
     "a = f32[2] parameter(0), sharding={replicated}\n"
     "ROOT r = f32[2] custom-call(a), sharding={replicated}, "
     "custom_call_target=\"SPMDShardToFullShape\""},
    {SP_ERR_UNKNOWN, "layouts",
     "a = f32[3,4] parameter(0)\nROOT r = f32[4,3] bitcast(a)"},
    {SP_ERR_UNKNOWN, "no row",
     "a = c64[3] parameter(0)\nROOT r = c64[3] tanh(a)"},
    {SP_ERR_UNKNOWN, "no row",
     "a = c64[3] parameter(0)\nROOT r = c64[3] all-reduce(a), channel_id=1, "
     "replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=mul\n"},
    {SP_ERR_UNKNOWN, "kind of Fourier transform",
     "a = c64[3] parameter(0)\nROOT r = c64[3] fft(a), fft_type=DCT, "
     "fft_length={3}"},
    {SP_ERR_UNKNOWN, "a slice of 0",
     "a = f32[4,8] parameter(0)\ni = s32[6,1] parameter(1)\nROOT r = f32[6,8] "
     "gather(a, i), offset_dims={1}, collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={0,8}"},
    {SP_ERR_UNKNOWN, "different sizes",
     "a = f32[3] parameter(0)\nROOT r = f32[3] all-reduce(a), channel_id=1, "
     "replica_groups={{0,1,2},{3}}, use_global_device_ids=true, to_apply=add"},
};

static void what_is_not_understood_is_refused(void) {
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             "HloModule m, num_partitions=4\n" ADD "ENTRY main {\n%s\n}\n",
             refusals[i].entry);
    sp_ctx *ctx = sp_ctx_new(NULL);
    refusal r = {text};
    sp_code code = sp_protect(ctx, check_all, &r);
    const sp_error *e = sp_ctx_error(ctx);
    bool ok = code == refusals[i].code && strstr(e->message, refusals[i].part);
    if (!ok) {
      printf("\n    refusal %zu: code %d, \"%s\", expected \"%s\"\n", i,
             (int)code, e->message, refusals[i].part);
    }
    CU_ASSERT(ok);
    sp_ctx_free(ctx);
  }
}

/* ---- reducers, opaque operators: equal terms where meanings are equal ---- */

typedef struct twins {
  const char *text;
  bool equal; /* results 0 and 1 */
  bool ran;
} twins;

static void compare_results(sp_ctx *ctx, void *arg) {
  twins *t = arg;
  oracle_case c = {.name = "twins"};
  oracle_world w = {.c = &c, .pool = sp_pool_new(ctx)};
  w.program = sp_hlo_read_text(ctx, "t.hlo", t->text, strlen(t->text));
  oracle_symbols(&w);
  const sp_program *g = w.program;
  sp_expr idx[SP_MAX_DIMS] = {{0}}, rank = sp_int(w.pool, 0);
  const sp_shape *s = &g->tensors[g->results[0]].shape;
  for (uint32_t d = 0; d < s->n_dims; d++) {
    idx[d] = sp_var(w.pool, SP_VAR_INDEX, "i", s->dims[d]);
  }
  sp_expr a = oracle_element(&w, g->results[0], rank, idx);
  sp_expr b = oracle_element(&w, g->results[1], rank, idx);
  t->equal = a.v == b.v;
  t->ran = true;
}

typedef struct twin_case {
  bool equal;
  const char *regions, *entry;
} twin_case;

static const twin_case opaque_twins[] = {
    /* comparators by meaning, not by name */
    {true,
     "c1 {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] "
     "compare(a, b), direction=LT\n}\n"
     "c2 {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT r = pred[] "
     "compare(y, x), direction=GT\n}\n",
     "a = f32[3,4] parameter(0)\n"
     "s = f32[3,4] sort(a), dimensions={1}, is_stable=true, to_apply=c1\n"
     "t = f32[3,4] sort(a), dimensions={1}, is_stable=true, to_apply=c2\n"
     "ROOT r = (f32[3,4], f32[3,4]) tuple(s, t)\n"},
    {false,
     "c1 {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] "
     "compare(a, b), direction=LT\n}\n"
     "c2 {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT r = pred[] "
     "compare(x, y), direction=GT\n}\n",
     "a = f32[3,4] parameter(0)\n"
     "s = f32[3,4] sort(a), dimensions={1}, is_stable=true, to_apply=c1\n"
     "t = f32[3,4] sort(a), dimensions={1}, is_stable=true, to_apply=c2\n"
     "ROOT r = (f32[3,4], f32[3,4]) tuple(s, t)\n"},
    {false,
     "c1 {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] "
     "compare(a, b), direction=LT\n}\n",
     "a = f32[4,4] parameter(0)\n"
     "s = f32[4,4] sort(a), dimensions={1}, is_stable=true, to_apply=c1\n"
     "t = f32[4,4] sort(a), dimensions={0}, is_stable=true, to_apply=c1\n"
     "ROOT r = (f32[4,4], f32[4,4]) tuple(s, t)\n"},
    /* a sort of rows is the rows of the sort */
    {true,
     "c1 {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] "
     "compare(a, b), direction=LT\n}\n",
     "a = f32[3,4] parameter(0)\n"
     "s = f32[3,4] sort(a), dimensions={1}, is_stable=true, to_apply=c1\n"
     "u = f32[1,4] slice(s), slice={[1:2], [0:4]}\n"
     "b = f32[1,4] slice(a), slice={[1:2], [0:4]}\n"
     "t = f32[1,4] sort(b), dimensions={1}, is_stable=true, to_apply=c1\n"
     "ROOT r = (f32[1,4], f32[1,4]) tuple(u, t)\n"},
    /* two random states */
    {false, "",
     "a = u64[2] parameter(0)\nb = u64[2] parameter(1)\n"
     "s = (u64[2], u32[3]) rng-bit-generator(a), algorithm=rng_philox\n"
     "t = (u64[2], u32[3]) rng-bit-generator(b), algorithm=rng_philox\n"
     "u = u32[3] get-tuple-element(s), index=1\n"
     "v = u32[3] get-tuple-element(t), index=1\n"
     "ROOT r = (u32[3], u32[3]) tuple(u, v)\n"},
    {true, "",
     "a = u64[2] parameter(0)\n"
     "s = (u64[2], u32[3]) rng-bit-generator(a), algorithm=rng_philox\n"
     "t = (u64[2], u32[3]) rng-bit-generator(a), algorithm=rng_philox\n"
     "u = u32[3] get-tuple-element(s), index=1\n"
     "v = u32[3] get-tuple-element(t), index=1\n"
     "ROOT r = (u32[3], u32[3]) tuple(u, v)\n"},
    {false, "",
     "a = f32[3,6] parameter(0)\n"
     "s = (f32[3,2], s32[3,2]) topk(a), k=2, largest=true\n"
     "t = (f32[3,2], s32[3,2]) topk(a), k=2, largest=false\n"
     "u = f32[3,2] get-tuple-element(s), index=0\n"
     "v = f32[3,2] get-tuple-element(t), index=0\n"
     "ROOT r = (f32[3,2], f32[3,2]) tuple(u, v)\n"},
    /* reducers that are not recognised */
    {true,
     "f {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = f32[] "
     "subtract(a, b)\n ROOT r = f32[] abs(c)\n}\n"
     "g {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n c = f32[] "
     "subtract(x, y)\n d = f32[] copy(c)\n ROOT r = f32[] abs(d)\n}\n",
     "a = f32[3,4] parameter(0)\nz = f32[] constant(0)\n"
     "s = f32[3] reduce(a, z), dimensions={1}, to_apply=f\n"
     "t = f32[3] reduce(a, z), dimensions={1}, to_apply=g\n"
     "ROOT r = (f32[3], f32[3]) tuple(s, t)\n"},
    {false,
     "f {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] "
     "subtract(a, b)\n}\n"
     "g {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] "
     "subtract(b, a)\n}\n",
     "a = f32[3,4] parameter(0)\nz = f32[] constant(0)\n"
     "s = f32[3] reduce(a, z), dimensions={1}, to_apply=f\n"
     "t = f32[3] reduce(a, z), dimensions={1}, to_apply=g\n"
     "ROOT r = (f32[3], f32[3]) tuple(s, t)\n"},
    /* an assignment by several index vectors depends on all of them */
    {false, "f {\n a = f32[] parameter(0)\n ROOT b = f32[] parameter(1)\n}\n",
     "a = f32[5] parameter(0)\ni = s32[3,1] parameter(1)\n"
     "j = s32[3,1] reverse(i), dimensions={0}\nu = f32[3] parameter(2)\n"
     "s = f32[5] scatter(a, i, u), update_window_dims={}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=f\n"
     "t = f32[5] scatter(a, j, u), update_window_dims={}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=f\n"
     "ROOT r = (f32[5], f32[5]) tuple(s, t)\n"},
};

static void check_twins(const twin_case *cases, size_t n) {
  for (size_t i = 0; i < n; i++) {
    char text[4096];
    snprintf(text, sizeof text, "HloModule m\n%sENTRY main {\n%s}\n",
             cases[i].regions, cases[i].entry);
    sp_ctx *ctx = sp_ctx_new(NULL);
    twins t = {.text = text};
    sp_code code = sp_protect(ctx, compare_results, &t);
    bool ok = code == SP_OK && t.ran && t.equal == cases[i].equal;
    if (!ok) {
      printf("\n    twins %zu: code %d (%s), equal %d\n", i, (int)code,
             code ? sp_ctx_error(ctx)->message : "", (int)t.equal);
    }
    CU_ASSERT(ok);
    sp_ctx_free(ctx);
  }
}

static void opaque_operators_are_equal_where_their_inputs_are(void) {
  check_twins(opaque_twins, sizeof opaque_twins / sizeof opaque_twins[0]);
}

/* ---- integers of which nothing is known ---- */

#define THERE_AND_BACK(from, by)                                               \
  "a = " from "[3] parameter(0)\nb = " by "[3] convert(a)\n"                   \
  "c = " from "[3] convert(b)\nROOT r = (" from "[3], " from "[3]) "           \
  "tuple(a, c)\n"

static const twin_case narrow_twins[] = {
    {true, "", THERE_AND_BACK("s8", "s64")},
    {true, "", THERE_AND_BACK("u8", "s16")},
    {false, "", THERE_AND_BACK("s64", "s8")},
    {false, "", THERE_AND_BACK("s64", "s16")},
    {false, "", THERE_AND_BACK("s64", "s32")},
    {false, "", THERE_AND_BACK("s64", "u8")},
    {false, "", THERE_AND_BACK("u64", "s8")},
    {false, "", THERE_AND_BACK("u64", "s32")},
    {false, "", THERE_AND_BACK("s32", "s8")},
};

static void narrow_types_wrap(void) {
  check_twins(narrow_twins, sizeof narrow_twins / sizeof narrow_twins[0]);
}

/* ---- many devices ---- */

static void many_ranks(sp_ctx *ctx, void *arg) {
  compare_results(ctx, arg);
}

static void a_collective_over_8192_ranks_is_small(void) {
  const char *text =
      "HloModule m, num_partitions=8192\n" ADD "ENTRY main {\n"
      "a = f32[3] parameter(0)\n"
      "s = f32[3] all-reduce(a), channel_id=1, "
      "replica_groups=[1024,8]<=[8,1024]T(1,0), use_global_device_ids=true, "
      "to_apply=add\n"
      "t = f32[3] all-reduce(a), channel_id=2, "
      "replica_groups=[1024,8]<=[8,1024]T(1,0), use_global_device_ids=true, "
      "to_apply=add\n"
      "ROOT r = (f32[3], f32[3]) tuple(s, t)\n}\n";
  sp_ctx *ctx = sp_ctx_new(NULL);
  twins t = {.text = text};
  CU_ASSERT_EQUAL(sp_protect(ctx, many_ranks, &t), SP_OK);
  CU_ASSERT(t.equal);
  sp_ctx_free(ctx);
}

void suite_ops(void) {
  CU_pSuite s = CU_add_suite("ops", NULL, NULL);
  CU_add_test(s, "every_row_has_all_fields", every_row_has_all_fields);
  CU_add_test(s, "no_spelling_occurs_twice", no_spelling_occurs_twice);
  CU_add_test(s, "what_is_not_understood_is_refused",
              what_is_not_understood_is_refused);
  CU_add_test(s, "opaque_operators_are_equal_where_their_inputs_are",
              opaque_operators_are_equal_where_their_inputs_are);
  CU_add_test(s, "narrow_types_wrap", narrow_types_wrap);
  CU_add_test(s, "a_collective_over_8192_ranks_is_small",
              a_collective_over_8192_ranks_is_small);
  CU_add_test(s, "operators_agree_with_xla", operators_agree_with_xla);
}
