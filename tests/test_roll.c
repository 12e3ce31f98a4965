/* test_roll.c: rank programs as one. What may differ and what it becomes, then
 * process groups, then what may not differ, then real ranks. */
#include "graph/roll.h"
#include "tests/suites.h"
#include "tests/support_fx.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_roll(void);

enum { MAX_RANKS = 8 };

typedef struct rolling {
  uint32_t n;
  const sp_program *programs[MAX_RANKS];
  size_t n_groups;
  const sp_named_group *groups;
  const sp_program *out;
  const char *why;
} rolling;

static void roll_run(sp_ctx *ctx, void *arg) {
  rolling *r = arg;
  r->out = sp_roll(ctx, r->n, r->programs, r->n_groups, r->groups, &r->why);
}

static const char inputs[] = "x: \"f32[4, 6]\"";

/* One body a rank. */
static rolling bodies(sp_ctx *ctx, uint32_t n, const char *const *text) {
  rolling r = {.n = n};
  for (uint32_t i = 0; i < n; i++) {
    r.programs[i] = fx_read_body(ctx, inputs, text[i]);
    CU_ASSERT_PTR_NOT_NULL_FATAL(r.programs[i]);
  }
  return r;
}

static void expect(sp_ctx *ctx, rolling *r, const char *want) {
  sp_code code = sp_protect(ctx, roll_run, r);
  CU_ASSERT_EQUAL(code, SP_OK);
  const char *got = code     ? sp_ctx_error(ctx)->message
                    : r->out ? fx_text(ctx, r->out)
                             : r->why;
  CU_ASSERT_STRING_EQUAL(got, want);
  if (strcmp(got, want) != 0) {
    printf("\n--- got\n%s\n--- want\n%s\n", got, want);
  }
  CU_ASSERT(!r->out || r->out->partitions == r->n);
}

static void expect_difference(uint32_t n, const char *const *text,
                              const char *why) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  rolling r = bodies(ctx, n, text);
  CU_ASSERT_EQUAL(sp_protect(ctx, roll_run, &r), SP_OK);
  CU_ASSERT_PTR_NULL(r.out);
  CU_ASSERT_FATAL(r.why != NULL);
  CU_ASSERT(strstr(r.why, why) != NULL);
  if (!strstr(r.why, why)) {
    printf("\ngot  %s\nwant %s\n", r.why, why);
  }
  sp_ctx_free(ctx);
}

static void expect_error(sp_ctx *ctx, rolling *r, uint32_t line,
                         const char *message) {
  CU_ASSERT_EQUAL(sp_protect(ctx, roll_run, r), SP_ERR_INPUT);
  const sp_error *e = sp_ctx_error(ctx);
  CU_ASSERT_EQUAL(e->loc.line, line);
  CU_ASSERT(strstr(e->message, message) != NULL);
  if (!strstr(e->message, message)) {
    printf("\ngot  %s\nwant %s\n", e->message, message);
  }
}

/* --- numbers ------------------------------------------------------------- */

static void numbers_that_differ_become_ranked(void) {
  static const char *const text[] = {
      "a: \"f32[4, 6]\" = torch.ops.aten.add.Tensor(x, 0)\n"
      "b: \"f32[4, 6]\" = torch.ops.aten.mul.Scalar(a, 0.5)\n"
      "c: \"f32[2, 2]\" = torch.ops.ns.op.default(b, [0, 1], [7], k = 1)\n"
      "return (c, None)\n",
      "p: \"f32[4, 6]\" = torch.ops.aten.add.Tensor(x, 16)\n"
      "q: \"f32[4, 6]\" = torch.ops.aten.mul.Scalar(p, 1.5)\n"
      "r: \"f32[2, 2]\" = torch.ops.ns.op.default(q, [2, 3], [7], k = 1)\n"
      "return (r, None)\n",
  };
  sp_ctx *ctx = sp_ctx_new(NULL);
  rolling r = bodies(ctx, 2, text);
  expect(ctx, &r,
         "a:f32[4,6] aten.add.Tensor(x) arg1=ranked[0,16]\n"
         "b:f32[4,6] aten.mul.Scalar(a) arg1=ranked 0.5f 1.5f\n"
         "c:f32[2,2] ns.op.default(b) arg1=ranked[0,1,2,3] arg2=[7] k=1\n"
         "return c -");
  sp_ctx_free(ctx);
}

static void devices_and_positions_may_differ(void) {
  static const char *const text[] = {
      "# File: a.py:1 in f, code: x\n"
      "a: \"f32[4]\" = torch.ops.aten.ones.default([4], device = "
      "device(type='cuda', index=0))\n"
      "return a\n",
      "# File: b.py:2 in g, code: y\n"
      "b: \"f32[4]\" = torch.ops.aten.ones.default([4], device = "
      "device(type='cuda', index=1))\n"
      "return b\n",
  };
  sp_ctx *ctx = sp_ctx_new(NULL);
  rolling r = bodies(ctx, 2, text);
  expect(ctx, &r,
         "a:f32[4] aten.ones.default() arg0=[4] "
         "device='device(type='cuda', index=0)'\nreturn a");
  CU_ASSERT_STRING_EQUAL(r.out->nodes[1].pos.source_file, "a.py");
  sp_ctx_free(ctx);
}

static void pieces_of_a_split_by_rank_become_slices(void) {
  static const char *const text[] = {
      "s = torch.ops.aten.split.Tensor(x, 4, -1)\n"
      "a: \"f32[4, 4]\" = s[0]\n"
      "u = torch.ops.aten.unbind.int(x)\n"
      "b: \"f32[6]\" = u[1]\n"
      "c = torch.ops.aten.split_with_sizes.default(x, [2, 4], 1)\n"
      "e: \"f32[4, 4]\" = c[1]\n"
      "return (b, e)\n",
      "s = torch.ops.aten.split.Tensor(x, 4, -1)\n"
      "a: \"f32[4, 4]\" = s[0]\n"
      "u = torch.ops.aten.unbind.int(x)\n"
      "b: \"f32[6]\" = u[3]\n"
      "c = torch.ops.aten.split_with_sizes.default(x, [4, 2], 1)\n"
      "e: \"f32[4, 4]\" = c[0]\n"
      "return (b, e)\n",
  };
  sp_ctx *ctx = sp_ctx_new(NULL);
  rolling r = bodies(ctx, 2, text);
  expect(ctx, &r,
         "b:f32[6] aten.select.int(x) arg1=0 arg2=ranked[1,3]\n"
         "e:f32[4,4] aten.slice.Tensor(x) arg1=1 arg2=ranked[2,0] "
         "arg3=ranked[6,4]\n"
         "return b e");
  sp_ctx_free(ctx);
}

/* --- groups -------------------------------------------------------------- */

static const uint32_t starts1[] = {0, 4};
static const uint32_t starts2[] = {0, 2, 4};
static const uint32_t starts_one[] = {0, 2};
static const int64_t all_ids[] = {0, 1, 2, 3};
static const int64_t pair_ids[] = {0, 1, 2, 3};
static const int64_t cross_ids[] = {0, 2, 1, 3};
static const int64_t back_ids[] = {3, 2};
static const int64_t far_ids[] = {0, 9};
static const sp_groups world = {1, starts1, all_ids};
static const sp_groups pairs = {2, starts2, pair_ids};
static const sp_groups cross = {2, starts2, cross_ids};
static const sp_groups low = {1, starts_one, pair_ids};
static const sp_groups high = {1, starts_one, pair_ids + 2};
static const sp_groups high_back = {1, starts_one, back_ids};
static const sp_groups far = {1, starts_one, far_ids};

static const sp_named_group table[] = {
    {"0", &world}, {"tp", &pairs}, {"pt", &pairs}, {"dp", &cross},
    {"lo", &low},  {"hi", &high},  {"far", &far},  {"ih", &high_back},
};

#define REDUCE(group)                                                          \
  "r: \"f32[4, 6]\" = "                                                        \
  "torch.ops._c10d_functional.all_reduce.default(x, 'sum', '" group "')\n"     \
  "return r\n"

static rolling four(sp_ctx *ctx, const char *const *text) {
  rolling r = bodies(ctx, 4, text);
  r.groups = table;
  r.n_groups = sizeof table / sizeof *table;
  return r;
}

static void group_names_become_groups(void) {
  static const char *const same[] = {REDUCE("tp"), REDUCE("tp"), REDUCE("tp"),
                                     REDUCE("tp")};
  static const char *const other[] = {REDUCE("tp"), REDUCE("tp"), REDUCE("pt"),
                                      REDUCE("pt")};
  static const char *const parts[] = {REDUCE("lo"), REDUCE("lo"), REDUCE("hi"),
                                      REDUCE("hi")};
  static const char *const *const all[] = {same, other, parts};
  for (size_t i = 0; i < 3; i++) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    rolling r = four(ctx, all[i]);
    expect(ctx, &r,
           "r:f32[4,6] _c10d_functional.all_reduce.default(x) arg1='sum' "
           "replica_groups={0,1}{2,3}\nreturn r");
    sp_ctx_free(ctx);
  }
}

static void every_kind_of_collective_names_its_group(void) {
  static const char *const calls[] = {
      "_c10d_functional.all_gather_into_tensor.default(x, 4, '0')",
      "_c10d_functional.reduce_scatter_tensor.default(x, 'sum', 4, '0')",
      "_c10d_functional.all_to_all_single.default(x, [1, 3], [3, 1], '0')",
      "_c10d_functional.broadcast.default(x, 0, '0')",
      "_c10d_functional.all_reduce(x, 'sum', group_name = '0')",
      "vllm.all_reduce.default(x, '0')",
      "vllm.all_gather.default(x, 0, 4, '0')",
      "_dtensor.shard_dim_alltoall.default(x, 0, 1, '0')",
  };
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    char body[256];
    snprintf(body, sizeof body, "r: \"f32[4, 6]\" = torch.ops.%s\nreturn r\n",
             calls[i]);
    const char *const text[] = {body, body, body, body};
    sp_ctx *ctx = sp_ctx_new(NULL);
    rolling r = four(ctx, text);
    CU_ASSERT_EQUAL(sp_protect(ctx, roll_run, &r), SP_OK);
    const sp_attr *a =
        r.out ? sp_node_attr(&r.out->nodes[1], "replica_groups") : NULL;
    CU_ASSERT(a && a->kind == SP_ATTR_GROUPS && a->u.groups->n_groups == 1 &&
              a->u.groups->ids[3] == 3);
    sp_ctx_free(ctx);
  }
  /* objects are named like their place in the module */
  static const sp_named_group object[] = {{"_torchbind_obj0", &world}};
  static const char c10d[] =
      "_torchbind_obj0 = self._torchbind_obj0\n"
      "r = torch.ops.c10d.allreduce_.default([x], _torchbind_obj0, None)\n"
      "return x\n";
  static const char *const text[] = {c10d, c10d, c10d, c10d};
  sp_ctx *ctx = sp_ctx_new(NULL);
  rolling r = bodies(ctx, 4, text);
  r.groups = object;
  r.n_groups = 1;
  expect(ctx, &r,
         "r:f32[4,6] c10d.allreduce_.default(x) arg0=%[0] "
         "replica_groups={0,1,2,3}\nreturn r");
  sp_ctx_free(ctx);
}

static void one_rank_has_its_groups_resolved_too(void) {
  static const uint32_t start[] = {0, 1};
  static const sp_groups self = {1, start, all_ids};
  static const sp_named_group names[] = {{"7", &self}};
  static const char *const text[] = {REDUCE("7")};
  sp_ctx *ctx = sp_ctx_new(NULL);
  rolling r = bodies(ctx, 1, text);
  r.groups = names;
  r.n_groups = 1;
  expect(ctx, &r,
         "r:f32[4,6] _c10d_functional.all_reduce.default(x) arg1='sum' "
         "replica_groups={0}\nreturn r");
  sp_ctx_free(ctx);
}

static void groups_that_do_not_fit_are_errors(void) {
  static const struct {
    const char *text[4];
    const char *message;
  } wrong[] = {
      {{REDUCE("tp"), REDUCE("tp"), REDUCE("no"), REDUCE("tp")},
       "rank 2, _c10d_functional.all_reduce.default: the process group 'no' "
       "is not known"},
      {{REDUCE("lo"), REDUCE("lo"), REDUCE("lo"), REDUCE("hi")},
       "rank 2, _c10d_functional.all_reduce.default: the process group 'lo' "
       "does not hold the rank"},
      {{REDUCE("tp"), REDUCE("dp"), REDUCE("tp"), REDUCE("tp")},
       "and not in its own 'dp'"},
      {{REDUCE("lo"), REDUCE("lo"), REDUCE("hi"), REDUCE("ih")},
       "and not in its own 'ih'"},
      {{REDUCE("0"), REDUCE("tp"), REDUCE("tp"), REDUCE("tp")},
       "and not in its own 'tp'"},
      {{REDUCE("far"), REDUCE("tp"), REDUCE("tp"), REDUCE("tp")},
       "lists rank 9"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    rolling r = four(ctx, wrong[i].text);
    expect_error(ctx, &r, 3, wrong[i].message);
    sp_ctx_free(ctx);
  }
}

/* --- differences --------------------------------------------------------- */

static void what_differs_in_more_is_not_rolled(void) {
#define BODY(expr) "a: \"f32[4, 6]\" = torch.ops." expr "\nreturn a\n"
  static const struct {
    const char *text[2];
    const char *why;
  } cases[] = {
      {{BODY("aten.exp.default(x)"), BODY("aten.log.default(x)")},
       "ranks 0 and 1 differ: t.py:3, aten.exp.default, and t.py:3, "
       "aten.log.default: the operators are different"},
      {{BODY("ns.op(x, 1)"), BODY("ns.op(x, 1.0)")}, "argument arg1"},
      {{BODY("ns.op(x, 1)"), BODY("ns.op(x)")}, "arguments are different"},
      {{BODY("ns.op(x, [1])"), BODY("ns.op(x, [1, 2])")}, "argument arg1"},
      {{BODY("ns.op(x, 'a')"), BODY("ns.op(x, 'b')")}, "argument arg1"},
      {{BODY("ns.op(x, k = 1)"), BODY("ns.op(x, l = 1)")}, "argument k"},
      {{BODY("ns.op(x, x)"), BODY("ns.op(x)")}, "numbers of operands"},
      {{BODY("ns.op(x, y = x)"), BODY("ns.op(x, x)")}, "argument y"},
      {{"a: \"f32[4]\" = torch.f(x)\nreturn a\n",
        "a: \"f32[5]\" = torch.f(x)\nreturn a\n"},
       "shapes"},
      {{"a: \"f32[4]\" = torch.f(x)\nb: \"f32[4]\" = torch.f(a)\nreturn b\n",
        "a: \"f32[4]\" = torch.f(x)\nb: \"f32[4]\" = torch.f(x)\nreturn b\n"},
       "operands"},
      {{"a: \"f32[4]\" = torch.f(x)\nreturn a\n",
        "a: \"f32[4]\" = torch.f(x)\nreturn x\n"},
       "or others"},
      {{"a: \"f32[4]\" = torch.f(x)\nreturn a\n",
        "a: \"f32[4]\" = torch.f(x)\nb: \"f32[4]\" = torch.f(a)\nreturn a\n"},
       "2 operators"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expect_difference(2, cases[i].text, cases[i].why);
  }
}

/* --- real ranks ---------------------------------------------------------- */

static const char *const hand_written[] = {"tp_", "sp_", "dp_", "cp_", "moe_"};

typedef struct folder {
  const char *const *paths;
  uint32_t n;
  rolling r;
} folder;

static void folder_run(sp_ctx *ctx, void *arg) {
  static const uint32_t start2[] = {0, 2};
  static const sp_groups world2 = {1, start2, all_ids};
  folder *f = arg;
  static sp_named_group names[1];
  names[0] = (sp_named_group){"0", f->n == 2 ? &world2 : &world};
  for (uint32_t i = 0; i < f->n; i++) {
    f->r.programs[i] = sp_fx_read_file(ctx, f->paths[i]);
  }
  f->r.n = f->n;
  f->r.groups = names;
  f->r.n_groups = 1;
  roll_run(ctx, &f->r);
}

/* rank0.py, rank1.py, ... of the folders whose names begin so. */
static void real_ranks_are_rolled(void) {
  fx_files all = fx_files_find("torch", "rank", ".py");
  size_t rolled = 0;
  for (size_t i = 0; i < all.n;) {
    size_t dir = (size_t)(strrchr(all.paths[i], '/') - all.paths[i]);
    size_t end = i;
    bool ours = false;
    while (end < all.n && strncmp(all.paths[i], all.paths[end], dir + 1) == 0) {
      end++;
    }
    for (size_t k = 0; k < sizeof hand_written / sizeof *hand_written; k++) {
      char part[16];
      snprintf(part, sizeof part, "/torch/%s", hand_written[k]);
      ours = ours || strstr(all.paths[i], part);
    }
    folder f = {.paths = (const char *const *)&all.paths[i],
                .n = (uint32_t)(end - i)};
    i = end;
    if (!ours || (f.n != 2 && f.n != 4)) {
      continue;
    }
    sp_ctx *ctx = sp_ctx_new(NULL);
    CU_ASSERT_EQUAL(sp_protect(ctx, folder_run, &f), SP_OK);
    CU_ASSERT_PTR_NOT_NULL(f.r.out);
    rolled++;
    sp_ctx_free(ctx);
  }
  CU_ASSERT(all.n == 0 || rolled > 20);
  fx_files_free(&all);
}

void suite_roll(void) {
  CU_pSuite s = CU_add_suite("roll", NULL, NULL);
#define ADD(test) CU_add_test(s, #test, test)
  ADD(numbers_that_differ_become_ranked);
  ADD(devices_and_positions_may_differ);
  ADD(pieces_of_a_split_by_rank_become_slices);
  ADD(group_names_become_groups);
  ADD(every_kind_of_collective_names_its_group);
  ADD(one_rank_has_its_groups_resolved_too);
  ADD(groups_that_do_not_fit_are_errors);
  ADD(what_differs_in_more_is_not_rolled);
  ADD(real_ranks_are_rolled);
}
