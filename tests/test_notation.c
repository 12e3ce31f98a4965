/* test_notation.c: shardings and device groups, from each notation, against
 * device lists worked out by hand; and what must be refused. They are read
 * from one-line modules, because that is how they come. */
#include "graph/hlo.h"
#include "tests/suites.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_notation(void);

/* --- reading one --------------------------------------------------------- */

typedef struct job {
  const char *text;
  const sp_program *program;
} job;

static void job_run(sp_ctx *ctx, void *arg) {
  job *j = arg;
  j->program = sp_hlo_read_text(ctx, "t.hlo", j->text, strlen(j->text));
}

/* The parameter's sharding in a module of `partitions` (0: not said), or NULL
 * with the error in ctx. */
static const sp_sharding *sharding_of(sp_ctx *ctx, int partitions,
                                      const char *shape, const char *text) {
  char count[64] = "", module[2048];
  if (partitions) {
    snprintf(count, sizeof count, ", num_partitions=%d", partitions);
  }
  snprintf(module, sizeof module,
           "HloModule m%s\nENTRY e {\n  ROOT p = %s parameter(0), "
           "sharding=%s\n}\n",
           count, shape, text);
  job j = {module, NULL};
  if (sp_protect(ctx, job_run, &j) != SP_OK) {
    return NULL;
  }
  return j.program->tensors[j.program->params[0]].sharding;
}

static void expect_tiled(int partitions, const char *shape, const char *text,
                         const char *tiles, int copies, int addends,
                         const char *devices) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_sharding *s = sharding_of(ctx, partitions, shape, text);
  CU_ASSERT_PTR_NOT_NULL_FATAL(s);
  CU_ASSERT_EQUAL_FATAL(s->kind, SP_SHARDING_TILED);
  char got[1024] = "";
  for (uint32_t i = 0; i < s->n_dims; i++) {
    size_t n = strlen(got);
    snprintf(got + n, sizeof got - n, "%s%d", i ? "," : "", (int)s->tiles[i]);
  }
  CU_ASSERT_STRING_EQUAL(got, tiles);
  CU_ASSERT_EQUAL(s->copies, copies);
  CU_ASSERT_EQUAL(s->addends, addends);
  CU_ASSERT_EQUAL(s->partial, addends > 1);
  got[0] = '\0';
  for (int64_t i = 0; i < s->n_devices; i++) {
    size_t n = strlen(got);
    snprintf(got + n, sizeof got - n, "%s%d", i ? "," : "", (int)s->devices[i]);
  }
  CU_ASSERT_STRING_EQUAL(got, devices);
  CU_ASSERT_STRING_EQUAL(s->text, text);
  sp_ctx_free(ctx);
}

static void expect_kind(int partitions, const char *text,
                        sp_sharding_kind kind) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_sharding *s = sharding_of(ctx, partitions, "f32[4,8]", text);
  CU_ASSERT_PTR_NOT_NULL_FATAL(s);
  CU_ASSERT_EQUAL(s->kind, kind);
  CU_ASSERT_STRING_EQUAL(s->text, text);
  sp_ctx_free(ctx);
}

static void expect_refused(int partitions, const char *text,
                           const char *message) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_sharding *s = sharding_of(ctx, partitions, "f32[4,8]", text);
  CU_ASSERT_PTR_NULL(s);
  const sp_error *e = sp_ctx_error(ctx);
  CU_ASSERT_EQUAL(e->code, SP_ERR_INPUT);
  CU_ASSERT_EQUAL(e->loc.line, 3);
  if (!strstr(e->message, message)) {
    printf("\n%s: %s\n", text, e->message);
    CU_FAIL("another message");
  }
  sp_ctx_free(ctx);
}

/* --- tile lists ---------------------------------------------------------- */

static void a_tile_list_over_an_iota_is_row_major(void) {
  expect_tiled(8, "f32[4,8]", "{devices=[2,4]<=[8]}", "2,4", 1, 1,
               "0,1,2,3,4,5,6,7");
  expect_tiled(8, "f32[4,8]", "{devices=[1,8]<=[8]}", "1,8", 1, 1,
               "0,1,2,3,4,5,6,7");
}

static void a_transposed_iota_reorders_the_devices(void) {
  expect_tiled(8, "f32[4,8]", "{devices=[4,2]<=[2,4]T(1,0)}", "4,2", 1, 1,
               "0,4,1,5,2,6,3,7");
  expect_tiled(8, "f32[4,8]", "{devices=[2,4]<=[2,2,2]T(2,0,1)}", "2,4", 1, 1,
               "0,2,4,6,1,3,5,7");
}

static void an_explicit_device_list_is_taken_as_it_stands(void) {
  expect_tiled(4, "f32[4,8]", "{devices=[2,2]0,2,1,3}", "2,2", 1, 1, "0,2,1,3");
  expect_tiled(4, "f32[4,8]",
               "{devices=[2,1,2]3,1,2,0 last_tile_dim_replicate}", "2,1", 2, 1,
               "3,1,2,0");
}

static void a_trailing_dimension_of_replicas_counts_copies(void) {
  expect_tiled(8, "f32[4,8]",
               "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}", "4,1",
               2, 1, "0,4,1,5,2,6,3,7");
  expect_tiled(8, "f32[4,8]",
               "{devices=[2,1,4]<=[8] last_tile_dims={replicated}}", "2,1", 4,
               1, "0,1,2,3,4,5,6,7");
}

static void trailing_dimensions_are_sorted_replicas_before_addends(void) {
  /* device = 4 * tile + 2 * addend + replica */
  expect_tiled(8, "f32[4,8]",
               "{devices=[2,1,2,2]<=[8] last_tile_dims={unreduced, "
               "replicated}}",
               "2,1", 4, 2, "0,2,1,3,4,6,5,7");
}

static void manual_subgroups_are_unknown(void) {
  expect_kind(8, "{devices=[2,1,4]<=[8] last_tile_dims={manual}}",
              SP_SHARDING_UNKNOWN);
  expect_kind(8, "{mesh['x'=2,'y'=4], [{'x'}, {}], manual={'y'}}",
              SP_SHARDING_UNKNOWN);
}

static void a_sharding_of_a_part_of_the_devices_is_unknown(void) {
  expect_kind(8, "{devices=[2,2]<=[4]}", SP_SHARDING_UNKNOWN);
  expect_kind(8, "{mesh['x'=4], [{'x'}, {}]}", SP_SHARDING_UNKNOWN);
}

static void the_plain_ones(void) {
  expect_kind(4, "{replicated}", SP_SHARDING_REPLICATED);
  expect_kind(4, "{manual}", SP_SHARDING_MANUAL);
  expect_kind(4, "{unknown}", SP_SHARDING_UNKNOWN);
  expect_kind(4, "{maximal device=3}", SP_SHARDING_MAXIMAL);
  expect_kind(4, "{maximal_mesh[device_id=3]}", SP_SHARDING_MAXIMAL);
  expect_kind(4, "{mesh[], replicated}", SP_SHARDING_REPLICATED);
  expect_kind(4, "{mesh[], [{}, {}]}", SP_SHARDING_REPLICATED);
  expect_kind(4, "{mesh['x'=4], manual}", SP_SHARDING_MANUAL);
  expect_kind(4, "{mesh['x'=4], [], manual={'x'}}", SP_SHARDING_MANUAL);
  expect_kind(4, "{devices=[1,1,4]<=[4] last_tile_dim_replicate}",
              SP_SHARDING_REPLICATED);
  expect_kind(4, "{mesh['x'=4], [{}, {}]}", SP_SHARDING_REPLICATED);
}

static void metadata_and_shard_groups_inside_change_nothing(void) {
  expect_kind(4, "{replicated metadata={op_name=\"a}b\"}}",
              SP_SHARDING_REPLICATED);
  expect_tiled(4, "f32[4,8]",
               "{devices=[2,2]<=[4] shard_as 1 metadata={op_name=\"x\"}}",
               "2,2", 1, 1, "0,1,2,3");
  /* A word of the future may change everything. */
  expect_kind(4, "{devices=[2,2]<=[4] novelty=7}", SP_SHARDING_UNKNOWN);
}

/* --- named meshes -------------------------------------------------------- */

static void named_axes_cut_dimensions_major_first(void) {
  expect_tiled(8, "f32[4,8]", "{mesh['data'=2,'model'=4], [{'data'}, {}]}",
               "2,1", 4, 1, "0,1,2,3,4,5,6,7");
  expect_tiled(8, "f32[4,8]", "{mesh['data'=2,'model'=4], [{'model'}, {}]}",
               "4,1", 2, 1, "0,4,1,5,2,6,3,7");
  expect_tiled(8, "f32[8,8]",
               "{mesh['data'=2,'model'=4], [{'model', 'data'}, {}]}", "8,1", 1,
               1, "0,4,1,5,2,6,3,7");
}

static void an_open_dimension_has_the_axes_that_it_lists(void) {
  expect_tiled(4, "f32[4,8]", "{mesh['x'=4], [{'x', ?}, {?}]}", "4,1", 1, 1,
               "0,1,2,3");
}

static void sub_axes_take_the_middle_of_an_axis(void) {
  /* 'x' = (2)(2)(2): pre-size 2, size 2 is the middle bit of the device. */
  expect_tiled(8, "f32[4,8]", "{mesh['x'=8], [{'x':(2)2}, {}]}", "2,1", 4, 1,
               "0,1,4,5,2,3,6,7");
  expect_tiled(8, "f32[4,8]", "{mesh['x'=8], [{'x':(4)2}, {'x':(1)2}]}", "2,2",
               2, 1, "0,2,4,6,1,3,5,7");
}

static void device_ids_give_the_order_of_the_mesh(void) {
  expect_tiled(8, "f32[4,8]",
               "{mesh['a'=2,'b'=4], device_ids=([2,2,2]T(1,0,2)), [{'a'}, "
               "{'b'}]}",
               "2,4", 1, 1, "0,1,4,5,2,3,6,7");
  expect_tiled(4, "f32[4,8]",
               "{mesh['a'=2,'b'=2], device_ids=(3,1,2,0), [{'a'}, {}]}", "2,1",
               2, 1, "3,1,2,0");
}

static void unreduced_axes_are_addends(void) {
  expect_tiled(4, "f32[4,8]", "{mesh['x'=4], [{}, {}], unreduced={'x'}}", "1,1",
               4, 4, "0,1,2,3");
  /* The other axis replicates: copy c, addend a at devices[4 c + a]. */
  expect_tiled(8, "f32[4,8]",
               "{mesh['dp'=2,'tp'=4], [{}, {}], unreduced={'tp'}}", "1,1", 8, 4,
               "0,1,2,3,4,5,6,7");
  expect_tiled(8, "f32[4,8]",
               "{mesh['dp'=2,'tp'=4], [{}, {}], unreduced={'dp'}}", "1,1", 8, 2,
               "0,4,1,5,2,6,3,7");
  expect_tiled(8, "f32[4,8]",
               "{mesh['dp'=2,'tp'=4], [{'dp'}, {}], replicated={'tp'}}", "2,1",
               4, 1, "0,1,2,3,4,5,6,7");
}

/* --- refused ------------------------------------------------------------- */

static void shardings_that_do_not_add_up_are_refused(void) {
  expect_refused(4, "{devices=[2,2]<=[8]}", "4 places");
  expect_refused(4, "{devices=[2,2]0,1,2}", "3 devices");
  expect_refused(4, "{devices=[2,2]0,1,2,2}", "listed twice");
  expect_refused(4, "{devices=[2,2]0,1,2,4}", "no device 4");
  expect_refused(4, "{devices=[2,2]0,1,2,-1}", "no device -1");
  expect_refused(4, "{devices=[2,2]<=[2,2]T(0,0)}", "not a permutation");
  expect_refused(4, "{devices=[2,2]<=[2,2]T(1)}", "dimensions of 2");
  expect_refused(4, "{devices=[0,2]<=[4]}", "out of range");
  expect_refused(4, "{devices=[2,4]<=[8]}", "8 devices of 4");
  expect_refused(4, "{devices=[99999999,99999999]<=[4]}", "out of range");
  expect_refused(4, "{devices=[2,2,1]<=[4]}", "3 dimensions");
  expect_refused(4, "{maximal device=4}", "no device 4");
  expect_refused(4, "{mesh['x'=2,'x'=2], [{'x'}, {}]}", "occurs twice");
  expect_refused(4, "{mesh['x'=4], [{'y'}, {}]}", "no axis y");
  expect_refused(4, "{mesh['x'=4], [{'x'}, {'x'}]}", "used twice");
  expect_refused(4, "{mesh['x'=4], [{'x'}, {}], unreduced={'x'}}",
                 "used twice");
  expect_refused(4, "{mesh['x'=4], [{'x':(3)2}, {}]}", "sub-axis");
  expect_refused(8, "{mesh['x'=8], [{'x':(2)2}, {'x':(1)4}]}", "overlap");
  expect_refused(8, "{mesh['x'=8], [{'x':(1)1}, {}]}", "sub-axis");
  expect_refused(4, "{mesh['x'=0], [{'x'}, {}]}", "out of range");
  expect_refused(4, "{mesh['x'=70000], [{'x'}, {}]}", "out of range");
  expect_refused(4, "{mesh['x'=2,'y'=2], device_ids=(0,1,2,2), [{'x'}, {}]}",
                 "listed twice");
  expect_refused(4, "{dancing}", "not a sharding");
  expect_refused(4, "{{replicated}, {replicated}}", "2 shardings");
}

/* --- groups -------------------------------------------------------------- */

static const sp_program *reduce_module(sp_ctx *ctx, const char *header,
                                       const char *attrs) {
  char module[2048];
  snprintf(module, sizeof module,
           "HloModule m%s\nadd {\n  a = f32[] parameter(0)\n  b = f32[] "
           "parameter(1)\n  ROOT s = f32[] add(a, b)\n}\nENTRY e {\n  p = "
           "f32[4] parameter(0)\n  ROOT r = f32[4] all-reduce(p), %s, "
           "to_apply=add\n}\n",
           header, attrs);
  job j = {module, NULL};
  return sp_protect(ctx, job_run, &j) == SP_OK ? j.program : NULL;
}

static void expect_groups(const char *header, const char *attrs,
                          const char *want) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = reduce_module(ctx, header, attrs);
  if (!p) {
    printf("\n%s: %s\n", attrs, sp_ctx_error(ctx)->message);
  }
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  const sp_node *n = &p->nodes[p->tensors[p->results[0]].node];
  const sp_attr *a = sp_node_attr(n, "replica_groups");
  CU_ASSERT_PTR_NOT_NULL_FATAL(a);
  const sp_groups *g = a->u.groups;
  char got[1024] = "";
  for (uint32_t i = 0; i < g->n_groups; i++) {
    for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
      size_t len = strlen(got);
      snprintf(got + len, sizeof got - len, "%s%d",
               k > g->start[i] ? "," : (i ? " " : ""), (int)g->ids[k]);
    }
  }
  CU_ASSERT_STRING_EQUAL(got, want);
  sp_ctx_free(ctx);
}

static void expect_no_groups(const char *header, const char *attrs,
                             const char *message) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_PTR_NULL(reduce_module(ctx, header, attrs));
  const sp_error *e = sp_ctx_error(ctx);
  CU_ASSERT_EQUAL(e->code, SP_ERR_INPUT);
  CU_ASSERT_EQUAL(e->loc.line, 9);
  if (!strstr(e->message, message)) {
    printf("\n%s: %s\n", attrs, e->message);
    CU_FAIL("another message");
  }
  sp_ctx_free(ctx);
}

#define EIGHT ", num_partitions=8"
#define GLOBAL ", channel_id=1, use_global_device_ids=true"

static void groups_in_every_notation_are_lists(void) {
  expect_groups(EIGHT, "replica_groups={{0,1,2,3},{4,5,6,7}}" GLOBAL,
                "0,1,2,3 4,5,6,7");
  expect_groups(EIGHT, "replica_groups={{3,0},{1,2},{4,5,6,7}}" GLOBAL,
                "3,0 1,2 4,5,6,7");
  expect_groups(EIGHT, "replica_groups=[2,4]<=[8]" GLOBAL, "0,1,2,3 4,5,6,7");
  expect_groups(EIGHT, "replica_groups=[4,2]<=[2,4]T(1,0)" GLOBAL,
                "0,4 1,5 2,6 3,7");
  expect_groups(EIGHT, "replica_groups=mesh['d'=2,'m'=4] {'m'}" GLOBAL,
                "0,1,2,3 4,5,6,7");
  expect_groups(EIGHT, "replica_groups=mesh['d'=2,'m'=4] {'d'}" GLOBAL,
                "0,4 1,5 2,6 3,7");
  expect_groups(EIGHT, "replica_groups=mesh['d'=2,'m'=4] {'m','d'}" GLOBAL,
                "0,4,1,5,2,6,3,7");
}

static void groups_over_sub_axes_and_device_ids(void) {
  expect_groups(EIGHT, "replica_groups=mesh['d'=2,'m'=4] {'m':(2)2}" GLOBAL,
                "0,1 2,3 4,5 6,7");
  expect_groups(EIGHT, "replica_groups=mesh['d'=2,'m'=4] {'m':(1)2}" GLOBAL,
                "0,2 1,3 4,6 5,7");
  /* From a dump: the mesh lists devices 0,1,4,5,2,3,6,7. */
  expect_groups(EIGHT,
                "replica_groups=mesh['a'=2,'b'=4], "
                "device_ids=([2,2,2]T(1,0,2)) {'b':(2)2}" GLOBAL,
                "0,1 4,5 2,3 6,7");
}

static void absent_groups_are_all_devices(void) {
  expect_groups(EIGHT, "replica_groups={}" GLOBAL, "0,1,2,3,4,5,6,7");
  expect_groups(EIGHT, "channel_id=1, use_global_device_ids=true",
                "0,1,2,3,4,5,6,7");
}

static void what_ids_mean_depends_on_the_channel(void) {
  /* Cross-replica with one replica: every partition by itself. */
  expect_groups(EIGHT, "replica_groups={{0}}", "0 1 2 3 4 5 6 7");
  /* A channel without global ids: replica 0 with all its partitions. */
  expect_groups(EIGHT, "replica_groups={{0}}, channel_id=1", "0,1,2,3,4,5,6,7");
  /* Replicas only: they are the devices. */
  expect_groups(", replica_count=4", "replica_groups={{0,2},{1,3}}", "0,2 1,3");
  /* The header says nothing: the groups list the replicas. */
  expect_groups("", "replica_groups={{0,1}}", "0,1");
}

static void groups_that_do_not_cover_the_devices_are_refused(void) {
  expect_no_groups(EIGHT, "replica_groups={{0,1,2,3}}" GLOBAL,
                   "do not cover the devices");
  expect_no_groups(EIGHT, "replica_groups=[1,4]<=[4]" GLOBAL,
                   "do not cover the devices");
  expect_no_groups(EIGHT, "replica_groups={{0,1,2,3},{4,5,6,6}}" GLOBAL,
                   "listed twice");
  expect_no_groups(EIGHT, "replica_groups={{0,1,2,3},{4,5,6,8}}" GLOBAL,
                   "no device 8");
  expect_no_groups(EIGHT, "replica_groups={{0,1,2,3},{4,5,6,-7}}" GLOBAL,
                   "no device -7");
  expect_no_groups(EIGHT, "replica_groups={{0,1,2,3},{}}" GLOBAL, "empty");
  expect_no_groups(EIGHT, "replica_groups=[3,3]<=[8]" GLOBAL, "9 places");
  expect_no_groups(EIGHT, "replica_groups=[2,2,2]<=[8]" GLOBAL, "3 dimensions");
  expect_no_groups(EIGHT, "replica_groups=mesh['x'=8] {'y'}" GLOBAL,
                   "no axis y");
  expect_no_groups(EIGHT, "replica_groups=mesh['x'=8] {'x','x'}" GLOBAL,
                   "used twice");
  expect_no_groups(EIGHT, "replica_groups={{0,1}}", "no device 1");
  expect_no_groups(EIGHT, "replica_groups={{0}}, use_global_device_ids=true",
                   "without channel_id");
  expect_no_groups(EIGHT, "replica_groups=what" GLOBAL, "not known");
}

static void equal_shardings_are_one_object(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  job j = {"HloModule m, num_partitions=4\nENTRY e {\n"
           "  p = f32[4] parameter(0), sharding={devices=[4]<=[4]}\n"
           "  q = f32[4] parameter(1), sharding={devices=[4]<=[4]}\n"
           "  ROOT t = (f32[4], f32[4]) tuple(p, q), "
           "sharding={{devices=[4]<=[4]}, /*index=1*/{replicated}}\n}\n",
           NULL};
  CU_ASSERT_EQUAL_FATAL(sp_protect(ctx, job_run, &j), SP_OK);
  const sp_program *p = j.program;
  CU_ASSERT_PTR_EQUAL(p->tensors[0].sharding, p->tensors[1].sharding);
  CU_ASSERT_PTR_EQUAL(p->result_shardings[0], p->tensors[0].sharding);
  CU_ASSERT_EQUAL(p->result_shardings[1]->kind, SP_SHARDING_REPLICATED);
  sp_ctx_free(ctx);
}

void suite_notation(void) {
  CU_pSuite s = CU_add_suite("notation", NULL, NULL);
  CU_ADD_TEST(s, a_tile_list_over_an_iota_is_row_major);
  CU_ADD_TEST(s, a_transposed_iota_reorders_the_devices);
  CU_ADD_TEST(s, an_explicit_device_list_is_taken_as_it_stands);
  CU_ADD_TEST(s, a_trailing_dimension_of_replicas_counts_copies);
  CU_ADD_TEST(s, trailing_dimensions_are_sorted_replicas_before_addends);
  CU_ADD_TEST(s, manual_subgroups_are_unknown);
  CU_ADD_TEST(s, a_sharding_of_a_part_of_the_devices_is_unknown);
  CU_ADD_TEST(s, the_plain_ones);
  CU_ADD_TEST(s, metadata_and_shard_groups_inside_change_nothing);
  CU_ADD_TEST(s, named_axes_cut_dimensions_major_first);
  CU_ADD_TEST(s, an_open_dimension_has_the_axes_that_it_lists);
  CU_ADD_TEST(s, sub_axes_take_the_middle_of_an_axis);
  CU_ADD_TEST(s, device_ids_give_the_order_of_the_mesh);
  CU_ADD_TEST(s, unreduced_axes_are_addends);
  CU_ADD_TEST(s, shardings_that_do_not_add_up_are_refused);
  CU_ADD_TEST(s, groups_in_every_notation_are_lists);
  CU_ADD_TEST(s, groups_over_sub_axes_and_device_ids);
  CU_ADD_TEST(s, absent_groups_are_all_devices);
  CU_ADD_TEST(s, what_ids_mean_depends_on_the_channel);
  CU_ADD_TEST(s, groups_that_do_not_cover_the_devices_are_refused);
  CU_ADD_TEST(s, equal_shardings_are_one_object);
}
