/* test_spec.c: spec files: placements as layouts, errors at their place, what a
 * problem is made of, guesses of `spec init`. */
#include "shard-specs/init.h"
#include "shard-specs/names.h"
#include "shard-specs/problem.h"
#include "tests/suites.h"

#include <CUnit/CUnit.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_spec(void);

/* ---- helpers ---- */

/* A case of tests/cases/torch, as the folder of the spec. */
static const char *case_file(sp_ctx *ctx, const char *name, const char *file) {
  return sp_format(ctx, "%s/tests/cases/torch/%s/%s", test_source(), name,
                   file);
}

typedef struct job {
  const char *file, *text;
  const sp_spec *spec;
  sp_problem problem;
  sp_spec_cut cut;
  const sp_layout *layout;
} job;

static void read_job(sp_ctx *ctx, void *arg) {
  job *j = arg;
  j->spec = sp_spec_read_text(ctx, j->file, j->text, strlen(j->text));
}

static void problem_job(sp_ctx *ctx, void *arg) {
  job *j = arg;
  read_job(ctx, j);
  j->problem = sp_spec_problem(ctx, j->spec);
}

static void layout_job(sp_ctx *ctx, void *arg) {
  job *j = arg;
  read_job(ctx, j);
  j->cut.place = &j->spec->inputs.v[0];
  j->layout = sp_spec_layout(ctx, j->spec, &j->cut);
}

static void check_error(sp_ctx *ctx, sp_code code, const char *text,
                        uint32_t line, uint32_t column, const char *message) {
  CU_ASSERT_EQUAL(code, SP_ERR_INPUT);
  if (code == SP_OK) {
    printf("\nno error: %s\n", text);
    return;
  }
  const sp_error *e = sp_ctx_error(ctx);
  bool same = e->loc.line == line && e->loc.column == column &&
              strstr(e->message, message) != NULL;
  CU_ASSERT(same);
  if (!same) {
    printf("\n%s\n  got %u:%u: %s\n  want %u:%u: %s\n", text, e->loc.line,
           e->loc.column, e->message, line, column, message);
  }
}

/* ---- layouts ---- */

/* Each dimension's runs: "2@0,4 2@2,6" is two of size 2, with their starts on
 * each rank. */
static const char *layout_text(sp_ctx *ctx, const sp_layout *l) {
  sp_str s = {0};
  for (uint32_t d = 0; d < l->n_dims; d++) {
    for (uint32_t k = 0; k < l->dims[d].n_runs; k++) {
      const sp_run *run = &l->dims[d].runs[k];
      sp_str_addf(ctx, &s, "%s%lld@",
                  k   ? " "
                  : d ? " | "
                      : "",
                  (long long)run->size);
      for (int64_t r = 0; r < l->ranks; r++) {
        sp_str_addf(ctx, &s, "%s%lld", r ? "," : "", (long long)run->start[r]);
      }
    }
  }
  return s.v ? s.v : "";
}

static sp_tensor tensor(const char *name, uint32_t n, const int64_t *dims) {
  return (sp_tensor){.name = name, .shape = {SP_F32, n, dims}};
}

#define HEAD "sequential: s\ndistributed: d\noutputs: {out.0: Replicate}\n"

static job layout_of(sp_ctx *ctx, sp_code *code, const char *mesh,
                     const char *entry, uint32_t n, const int64_t *global,
                     const int64_t *local) {
  static sp_tensor g, l;
  g = tensor("x", n, global);
  l = tensor("x", n, local);
  job j = {.file = "spec.yaml"};
  j.text = sp_format(ctx, "%smesh: %s\ninputs:\n  x: %s\n", HEAD, mesh, entry);
  j.cut = (sp_spec_cut){NULL, &g, &l, -1, 0, -1};
  *code = sp_protect(ctx, layout_job, &j);
  return j;
}

static void expect_layout(const char *mesh, const char *entry,
                          const int64_t *global, const int64_t *local,
                          const char *want) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_code code;
  job j = layout_of(ctx, &code, mesh, entry, 2, global, local);
  const char *got =
      code ? sp_ctx_error(ctx)->message : layout_text(ctx, j.layout);
  CU_ASSERT_STRING_EQUAL(got, want);
  if (strcmp(got, want) != 0) {
    printf("\n%s\n  got  %s\n  want %s\n", entry, got, want);
  }
  sp_ctx_free(ctx);
}

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

static void placements_are_runs(void) {
  expect_layout("{tp: 2}", "Replicate", DIMS(8, 3), DIMS(8, 3),
                "8@0,0 | 3@0,0");
  expect_layout("{tp: 2}", "{tp: Shard(0)}", DIMS(8, 3), DIMS(4, 3),
                "4@0,4 | 3@0,0");
  expect_layout("{tp: 2}", "Shard(1)", DIMS(3, 8), DIMS(3, 4), "3@0,0 | 4@0,4");
  expect_layout("{tp: 4}", "\"Shard(0, pieces=2)\"", DIMS(8, 1), DIMS(4, 1),
                "4@0,0,4,4 | 1@0,0,0,0");
  expect_layout("{cp: 2}", "\"Take(0, 4, [cp, 3-cp])\"", DIMS(8, 1), DIMS(4, 1),
                "2@0,2 2@6,4 | 1@0,0");
  expect_layout("{tp: 2}",
                "{tp: {dim: 0, sections: [4, 2, 2], each: [Shard(0), "
                "Shard(0), Replicate]}}",
                DIMS(8, 1), DIMS(5, 1), "2@0,2 1@4,5 2@6,6 | 1@0,0");
  expect_layout("{tp: 1}", "{tp: Shard(0)}", DIMS(8, 3), DIMS(8, 3),
                "8@0 | 3@0");
  expect_layout("{}", "Replicate", DIMS(8, 3), DIMS(8, 3), "8@0 | 3@0");
}

static void axes_cut_in_mesh_order(void) {
  expect_layout("{dp: 2, tp: 2}", "{dp: Shard(0), tp: Shard(1)}", DIMS(4, 6),
                DIMS(2, 3), "2@0,0,2,2 | 3@0,3,0,3");
  expect_layout("{dp: 2, tp: 2}", "{tp: Shard(0), dp: Shard(0)}", DIMS(8, 1),
                DIMS(2, 1), "2@0,2,4,6 | 1@0,0,0,0");
  expect_layout("{tp: 2, dp: 2}", "{dp: Shard(0)}", DIMS(8, 1), DIMS(4, 1),
                "4@0,4,0,4 | 1@0,0,0,0");
}

static void index_formulas_are_runs(void) {
  expect_layout("{tp: 2}", "{index: \"[i, j] -> [4*tp + i, j]\"}", DIMS(8, 3),
                DIMS(4, 3), "4@0,4 | 3@0,0");
  expect_layout("{tp: 2}",
                "{index: \"[i, j] -> [4*(i div 2) + 2*tp + i mod 2, j]\"}",
                DIMS(8, 1), DIMS(4, 1), "2@0,2 2@4,6 | 1@0,0");
  expect_layout("{tp: 2}", "{index: \"[i, j] -> [2*i + tp, j]\"}", DIMS(4, 1),
                DIMS(2, 1), "1@0,1 1@2,3 | 1@0,0");
}

static void expect_layout_error(const char *mesh, const char *entry,
                                const int64_t *global, const int64_t *local,
                                uint32_t column, const char *message) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_code code;
  job j = layout_of(ctx, &code, mesh, entry, 2, global, local);
  check_error(ctx, code, j.text, 6, column, message);
  sp_ctx_free(ctx);
}

static void cuts_that_do_not_fit_name_input_shape_and_axis(void) {
  expect_layout_error("{tp: 4}", "{tp: Shard(0)}", DIMS(10, 3), DIMS(3, 3), 11,
                      "x, f32[10,3]: Shard(0): dimension 0 has size 10 here, "
                      "which is no multiple of 4");
  expect_layout_error("{tp: 2}", "{tp: Shard(1)}", DIMS(8, 4), DIMS(4, 4), 3,
                      "rank 0 would hold 8 of dimension 0, but x of its "
                      "program is f32[4,4]");
  expect_layout_error("{tp: 2}", "{tp: Shard(2)}", DIMS(8, 4), DIMS(4, 4), 11,
                      "there is no dimension 2");
  expect_layout_error("{tp: 4}", "{tp: \"Shard(0, pieces=3)\"}", DIMS(9, 4),
                      DIMS(3, 4), 11, "the axis tp has 4 ranks");
  expect_layout_error("{tp: 2}", "{tp: \"Take(0, 4, [tp, 4-tp])\"}", DIMS(8, 4),
                      DIMS(4, 4), 29, "part 4 of 4");
  expect_layout_error("{tp: 2}",
                      "{tp: {dim: 0, sections: [4, 2], each: [Shard(0), "
                      "Shard(0)]}}",
                      DIMS(8, 1), DIMS(4, 1), 11,
                      "the sections have 6 together");
  expect_layout_error("{tp: 2}", "{index: \"[i, j] -> [4*tp + i + 1, j]\"}",
                      DIMS(8, 3), DIMS(4, 3), 35,
                      "on rank 1, local index 3 of dimension 0 is index 8");
  expect_layout_error("{tp: 2}", "{index: \"[i, j] -> [i, i]\"}", DIMS(4, 4),
                      DIMS(4, 4), 29, "of another dimension");
}

/* ---- errors of the file ---- */

static void expect_spec_error(const char *text, uint32_t line, uint32_t column,
                              const char *message) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  job j = {.file = "spec.yaml", .text = text};
  sp_code code = sp_protect(ctx, read_job, &j);
  check_error(ctx, code, text, line, column, message);
  sp_ctx_free(ctx);
}

static void bad_specs_are_errors_at_their_place(void) {
  expect_spec_error("", 0, 0, "the file is empty");
  expect_spec_error("- a", 1, 1, "a spec is a list, a mapping expected");
  expect_spec_error("a: [1", 2, 1, "no YAML");
  expect_spec_error("inputs: &x {}\n", 1, 9, "anchors are not understood");
  expect_spec_error(HEAD "mesh: {}\noutputs: {}\n", 5, 1,
                    "outputs is there twice");
  expect_spec_error(HEAD "mesh: {}\nimputs: {}\n", 5, 1,
                    "imputs is no key of a spec");
  expect_spec_error("sequential: s\nmesh: {}\n", 1, 1,
                    "distributed is missing");
  expect_spec_error(HEAD "mesh: [tp]\n", 4, 7, "mesh is a list");
  expect_spec_error(HEAD "mesh: {tp: 0}\n", 4, 12, "an axis of size 0");
  expect_spec_error(HEAD "mesh: {tp: 4, dp: 99999}\n", 4, 19, "size 99999");
  expect_spec_error(HEAD "mesh: {as: 4}\n", 4, 8, "the name of an axis");
  expect_spec_error(HEAD "mesh: {tp: x}\n", 4, 12, "no integer");
  expect_spec_error("sequential: s\ndistributed: d\nmesh: {}\noutputs: {}\n", 4,
                    1, "no output is named");
}

#define SPEC HEAD "mesh: {dp: 2, tp: 2}\n"

static void bad_placements_are_errors_at_their_place(void) {
  expect_spec_error(SPEC "inputs: {x: {tp: Shrad(0)}}\n", 5, 18,
                    "Shrad is no placement");
  expect_spec_error(SPEC "inputs: {x: {tp: Shard}}\n", 5, 18,
                    "Shard is no placement");
  expect_spec_error(SPEC "inputs: {x: {tp: Shard(-1)}}\n", 5, 24,
                    "the dimension is negative");
  expect_spec_error(SPEC "inputs: {x: {tp: \"Shard(0) x\"}}\n", 5, 28,
                    "should end here");
  expect_spec_error(SPEC "inputs: {x: {mp: Shard(0)}}\n", 5, 14,
                    "the mesh has no axis mp");
  expect_spec_error(SPEC "inputs: {x: Shard(0)}\n", 5, 13,
                    "along which axis of the mesh?");
  expect_spec_error(SPEC "cuts: {x: {tp: Partial(sum)}}\n", 5, 16,
                    "a cut is given as Partial(sum)");
  expect_spec_error(SPEC "inputs: {x: {tp: Partial(xor)}}\n", 5, 26,
                    "xor is no reduction");
  expect_spec_error(SPEC "inputs: {x: {tp: \"Take(0, 0, [tp])\"}}\n", 5, 27,
                    "0 parts");
  expect_spec_error(SPEC "inputs: {x: {tp: {dim: 0, sections: [1]}}}\n", 5, 18,
                    "each is missing");
  expect_spec_error(
      SPEC "inputs: {x: {tp: {dim: 0, sections: [1, 2], each: [Shard(0)]}}}\n",
      5, 51, "2 sections and 1 placements");
  expect_spec_error(SPEC "inputs: {x: {concat: [a, b]}}\n", 5, 13,
                    "concat and dim belong together");
  expect_spec_error(SPEC "inputs: {x: {index: \"[i -> [i]\"}}\n", 5, 25,
                    "is missing");
  expect_spec_error(SPEC "inputs: {x: {index: \"[i] -> [i]\", tp: Shard(0)}}\n",
                    5, 39, "beside an index formula");
}

static void bad_groups_constants_and_ranges_are_errors(void) {
  expect_spec_error(SPEC "groups: {distributed: {\"1\": mp}}\n", 5, 29,
                    "mp is no axis of the mesh");
  expect_spec_error(SPEC "groups: {distributed: {\"1\": [0, 4]}}\n", 5, 33,
                    "rank 4 of a mesh of 4");
  expect_spec_error(SPEC "groups: {distributed: {\"1\": [0, 0]}}\n", 5, 33,
                    "rank 0 is there twice");
  expect_spec_error(SPEC "groups: {sequential: {\"1\": tp}}\n", 5, 28,
                    "the sequential program has one rank");
  expect_spec_error(SPEC "constants: {rank4: {c: 0}}\n", 5, 13,
                    "rank4 is no side");
  expect_spec_error(SPEC "constants: {rank3: {c: zero}}\n", 5, 24, "no number");
  expect_spec_error(SPEC "constants: {rank3: {c: [[1], [2, 3]]}}\n", 5, 30,
                    "different length");
  expect_spec_error(SPEC "assume: {ids: [4, 4]}\n", 5, 15,
                    "the range [4, 4) is empty");
  expect_spec_error(SPEC "assume: {ids: 4}\n", 5, 15, "not [low, high]");
  expect_spec_error(SPEC "assume: {ids: [-100, [4, 2]]}\n", 5, 22,
                    "the range [4, 2) is empty");
  expect_spec_error(SPEC "assume: {ids: [-100, [0, 4, 8]]}\n", 5, 22,
                    "not [low, high]");
  expect_spec_error(SPEC "assume: {ids: [x, [0, 4]]}\n", 5, 16, "");
  expect_spec_error(SPEC "assume: {ids: [9223372036854775807, [0, 4]]}\n", 5,
                    16, "too large");
  expect_spec_error(SPEC "assume: {ids: [-1, -2, -3]}\n", 5, 15,
                    "not [low, high]");
  expect_spec_error(SPEC "dropout: off\n", 5, 10, "off says nothing");
}

static void errors_in_formulas_point_into_the_block(void) {
  expect_spec_error(SPEC "operators:\n  my.op: |\n"
                         "    (x[N]) -> y[N]\n    y[i] = z[i]\n",
                    8, 12, "nothing is called z");
  expect_spec_error(SPEC "operators:\n  my.op: \"(x[N]) -> y[M]\"\n", 6, 23,
                    "nothing is called M");
}

/* ---- problems ---- */

#define MLP                                                                    \
  "sequential: seq.py\ndistributed: rank{tp}.py\nmesh: {tp: 4}\n"              \
  "groups: {distributed: {\"0\": tp}}\n"
#define MLP_INPUTS                                                             \
  "inputs:\n  x_1: Replicate\n  w1_1: {tp: Shard(0)}\n"                        \
  "  b1_1: {tp: Shard(0)}\n  w2_1: {tp: Shard(1)}\n  b2_1: Replicate\n"
#define MLP_OUT "outputs: {out.0: Replicate}\n"

static void expect_problem_error(const char *text, uint32_t line,
                                 uint32_t column, const char *message) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  job j = {.file = case_file(ctx, "tp_mlp_fwd", "spec.yaml"), .text = text};
  sp_code code = sp_protect(ctx, problem_job, &j);
  check_error(ctx, code, text, line, column, message);
  sp_ctx_free(ctx);
}

static sp_problem problem_of(sp_ctx *ctx, const char *text) {
  job j = {.file = case_file(ctx, "tp_mlp_fwd", "spec.yaml"), .text = text};
  sp_code code = sp_protect(ctx, problem_job, &j);
  CU_ASSERT_EQUAL_FATAL(code, SP_OK);
  return j.problem;
}

static void a_problem_holds_what_lies_between_inputs_and_outputs(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_problem p = problem_of(ctx, MLP MLP_INPUTS MLP_OUT);
  CU_ASSERT_EQUAL(p.dist->partitions, 4);
  CU_ASSERT_EQUAL(p.seq->partitions, 1);
  CU_ASSERT_EQUAL(p.n_given, 5);
  CU_ASSERT_EQUAL(p.n_promised, 1);
  CU_ASSERT_EQUAL(p.dist->n_results, 1);
  CU_ASSERT_EQUAL(p.dist->results[0], p.promised[0].dist);
  CU_ASSERT_STRING_EQUAL(p.given[1].layout->text, "Shard(0) over tp");
  CU_ASSERT(!p.given[1].assumed);
  sp_ctx_free(ctx);
}

static void values_inside_may_be_given_and_what_makes_them_is_gone(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_problem p = problem_of(
      ctx, MLP "cuts: {gelu: {tp: Shard(1)}}\n"
               "inputs: {w2_1: {tp: Shard(1)}, b2_1: Replicate}\n" MLP_OUT);
  CU_ASSERT_EQUAL(p.n_given, 3);
  CU_ASSERT_EQUAL(p.seq->n_params, 3);
  for (uint32_t i = 0; i < p.seq->n_nodes; i++) {
    CU_ASSERT(strstr(p.seq->nodes[i].op, "addmm") == NULL ||
              strcmp(p.seq->nodes[i].name, "addmm") != 0);
    CU_ASSERT(strstr(p.seq->nodes[i].op, "gelu") == NULL);
  }
  uint32_t assumed = 0;
  for (size_t i = 0; i < p.n_given; i++) {
    assumed += p.given[i].assumed;
  }
  CU_ASSERT_EQUAL(assumed, 1);
  sp_ctx_free(ctx);
}

static void wildcards_stand_for_what_nothing_before_names(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_problem p = problem_of(
      ctx, MLP "inputs:\n  \"b2*\": Replicate\n  w2_1: {tp: Shard(1)}\n"
               "  \"w*\": {as: \"w*\", tp: Shard(0)}\n"
               "  \"b*_1\": {as: \"b*_1\", tp: Shard(0)}\n"
               "  \"*\": Replicate\noutputs: {\"out.*\": Replicate}\n");
  CU_ASSERT_EQUAL(p.n_given, 5);
  sp_ctx_free(ctx);
}

static void partial_promises_have_groups(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_problem p =
      problem_of(ctx, MLP MLP_INPUTS "outputs: {mm: {tp: Partial(sum)}}\n");
  const sp_layout *l = p.promised[0].layout;
  CU_ASSERT_EQUAL(l->partial, SP_PARTIAL_SUM);
  CU_ASSERT_EQUAL(l->groups->n_groups, 1);
  CU_ASSERT_EQUAL(l->groups->start[1], 4);
  sp_ctx_free(ctx);
}

static void programs_and_specs_that_do_not_fit_are_errors(void) {
  expect_problem_error(MLP "inputs: {x_1: Replicate}\n" MLP_OUT, 5, 1,
                       "and nothing says what it holds");
  expect_problem_error(MLP MLP_INPUTS "  z_1: Replicate\n" MLP_OUT, 11, 3,
                       "z_1 is no input of the sequential program");
  expect_problem_error(MLP MLP_INPUTS "outputs: {out.1: Replicate}\n", 11, 11,
                       "out.1 is no value of the sequential program");
  expect_problem_error(MLP MLP_INPUTS "outputs: {add: {as: sum}}\n", 11, 21,
                       "sum is no value of the distributed program");
  expect_problem_error(MLP "inputs: {gelu: Replicate}\n" MLP_OUT, 5, 10,
                       "gelu is no input of the sequential program");
  expect_problem_error(MLP "inputs: {\"q*\": Replicate}\n" MLP_OUT, 5, 10,
                       "stands for no input");
  expect_problem_error(MLP "inputs: {w1_1: {tp: Shard(1)}}\n" MLP_OUT, 5, 10,
                       "would hold 16 of dimension 0");
  expect_problem_error(MLP
                       "inputs: {x_1: Replicate, b2_1: {as: x_1}}\n" MLP_OUT,
                       5, 37, "x_1 of the distributed program is given twice");
  expect_problem_error(MLP "inputs: {b2_1: {as: x_1}}\n" MLP_OUT, 5, 21,
                       "x_1 of the distributed program is f32[4,8]");
  expect_problem_error(MLP
                       "inputs: {x_1: {as: b2_1}, b2_1: Replicate}\n" MLP_OUT,
                       5, 20, "b2_1 of the distributed program is f32[8]");
  expect_problem_error(MLP "cuts: {t: {as: t}, t_1: {as: t}}\n" MLP_OUT, 5, 8,
                       "");
  expect_problem_error(MLP MLP_INPUTS "assume: {x_1: [0, 2]}\n" MLP_OUT, 11, 10,
                       "ranges are for integers");
  expect_problem_error(MLP MLP_INPUTS "assume: {y: [0, 2]}\n" MLP_OUT, 11, 10,
                       "y is no integer input");
  expect_problem_error(MLP MLP_INPUTS
                       "constants: {distributed: {c: 0}}\n" MLP_OUT,
                       11, 27, "no constant c");
}

static void a_mesh_that_does_not_fit_the_files_is_an_error(void) {
#define MESH(mesh, pattern)                                                    \
  "sequential: seq.py\ndistributed: " pattern "\nmesh: " mesh                  \
  "\n" MLP_INPUTS MLP_OUT
  expect_problem_error(MESH("{tp: 8}", "rank{tp}.py"), 2, 14,
                       "rank 4 of 8: there is no file");
  expect_problem_error(MESH("{tp: 2}", "rank{tp}.py"), 3, 8,
                       "the axis tp has size 2, but there is a file");
  expect_problem_error(MESH("{tp: 4}", "rank{dp}.py"), 2, 14,
                       "the mesh has no axis dp");
  expect_problem_error(MESH("{tp: 4}", "nothing{tp}.py"), 2, 14,
                       "there is no file");
  expect_problem_error("sequential: none.py\ndistributed: rank{tp}.py\n"
                       "mesh: {tp: 4}\n" MLP_INPUTS MLP_OUT,
                       1, 13, "none.py cannot be opened");
  expect_problem_error(MESH("{tp: 4}", "rank{tp}.py"), 2, 14,
                       "the process group '0' of all_reduce");
}

static void a_group_size_that_the_program_contradicts_is_an_error(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const char *text =
      "sequential: seq.py\ndistributed: rank{tp}.py\nmesh: {tp: 4}\n"
      "groups: {distributed: {\"0\": self}}\n"
      "inputs: {x_1: Replicate}\noutputs: {out.0: Replicate}\n";
  job j = {.file = case_file(ctx, "sp_mlp_fwd", "spec.yaml"), .text = text};
  sp_code code = sp_protect(ctx, problem_job, &j);
  check_error(ctx, code, text, 4, 24, "has 1 ranks here, but 4 at");
  sp_ctx_free(ctx);
}

static void groups_that_are_not_listed_follow_from_sizes(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const char *text =
      "sequential: seq.py\ndistributed: rank{tp}.py\nmesh: {tp: 4}\n"
      "inputs: {x_1: {tp: Shard(0)}, w1_1: {tp: Shard(0)}, "
      "b1_1: {tp: Shard(0)}, w2_1: {tp: Shard(1)}, \"*\": Replicate}\n"
      "outputs: {out.0: {tp: Shard(0)}}\n";
  job j = {.file = case_file(ctx, "sp_mlp_fwd", "spec.yaml"), .text = text};
  sp_code code = sp_protect(ctx, problem_job, &j);
  CU_ASSERT_EQUAL(code, SP_OK);
  if (code) {
    printf("\n%s\n", sp_ctx_error(ctx)->message);
  }
  CU_ASSERT_EQUAL(j.problem.n_notes, 1);
  sp_ctx_free(ctx);
}

/* ---- names, init ---- */

static void patterns_match_and_fill(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT(sp_pattern_matches("*", ""));
  CU_ASSERT(sp_pattern_matches("layers.*.w", "layers.12.w"));
  CU_ASSERT(!sp_pattern_matches("layers.*.w", "layers.12.wq"));
  CU_ASSERT(sp_pattern_matches("a*b*c", "aXbbYbZc"));
  CU_ASSERT(!sp_pattern_matches("abc", "abcd"));
  CU_ASSERT_STRING_EQUAL(sp_pattern_fill(ctx, "l.*.w*", "l.7.w_q", "dist_*.*"),
                         "dist_7._q");
  sp_ctx_free(ctx);
}

typedef struct init_job {
  const char *name, *text;
  uint32_t n;
  const char *const *files;
} init_job;

static void run_init(sp_ctx *ctx, void *arg) {
  init_job *j = arg;
  const char *paths[8];
  for (uint32_t i = 0; i < j->n; i++) {
    paths[i] = case_file(ctx, j->name, j->files[i]);
  }
  j->text = sp_spec_init(ctx, case_file(ctx, j->name, "seq.py"), j->n, paths,
                         case_file(ctx, j->name, ""));
}

static void init_guesses_a_spec_that_can_be_read(void) {
  static const char *const ranks[] = {"rank3.py", "rank0.py", "rank1.py",
                                      "rank2.py"};
  sp_ctx *ctx = sp_ctx_new(NULL);
  init_job j = {.name = "tp_mlp_fwd", .n = 4, .files = ranks};
  CU_ASSERT_EQUAL_FATAL(sp_protect(ctx, run_init, &j), SP_OK);
  CU_ASSERT(strstr(j.text, "mesh: {tp: 4}") != NULL);
  CU_ASSERT(strstr(j.text, "w2_1: {tp: Shard(1)}") != NULL);
  CU_ASSERT(strstr(j.text, "QUESTION") != NULL);
  sp_problem p = problem_of(ctx, j.text);
  CU_ASSERT_EQUAL(p.n_given, 5);
  sp_ctx_free(ctx);
}

static void init_needs_the_files_of_a_whole_mesh(void) {
  static const char *const some[] = {"rank0.py", "rank2.py"};
  static const char *const other[] = {"rank0.py", "seq.py"};
  sp_ctx *ctx = sp_ctx_new(NULL);
  init_job j = {.name = "tp_mlp_fwd", .n = 2, .files = some};
  CU_ASSERT_EQUAL(sp_protect(ctx, run_init, &j), SP_ERR_USAGE);
  j.files = other;
  CU_ASSERT_EQUAL(sp_protect(ctx, run_init, &j), SP_ERR_USAGE);
  sp_ctx_free(ctx);
}

/* ---- the large set ---- */

typedef struct file_job {
  const char *path;
} file_job;

static void read_file(sp_ctx *ctx, void *arg) {
  sp_spec_read_file(ctx, ((file_job *)arg)->path);
}

static size_t read_set(const char *folder) {
  DIR *d = opendir(folder);
  size_t n = 0;
  for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    file_job j = {sp_format(ctx, "%s/%s/spec.yaml", folder, e->d_name)};
    FILE *f = fopen(j.path, "r");
    if (f) {
      fclose(f);
      sp_code code = sp_protect(ctx, read_file, &j);
      CU_ASSERT_EQUAL(code, SP_OK);
      if (code) {
        printf("\n%s: %s\n", j.path, sp_ctx_error(ctx)->message);
      }
      n++;
    }
    sp_ctx_free(ctx);
  }
  if (d) {
    closedir(d);
  }
  return n;
}

static void all_specs_of_the_cases_are_read(void) {
  const char *cases = getenv("SHARDPROOF_CASES");
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/cases/torch", test_source());
  CU_ASSERT(read_set(path) >= 5);
  size_t n = 0;
  snprintf(path, sizeof path, "%s/torch", cases ? cases : "");
  n += read_set(path);
  snprintf(path, sizeof path, "%s/entangle", cases ? cases : "");
  n += read_set(path);
  if (n == 0) {
    printf("(no large set of cases) ");
  } else {
    CU_ASSERT(n > 90);
  }
}

void suite_spec(void) {
  CU_pSuite s = CU_add_suite("spec", NULL, NULL);
  CU_ADD_TEST(s, placements_are_runs);
  CU_ADD_TEST(s, axes_cut_in_mesh_order);
  CU_ADD_TEST(s, index_formulas_are_runs);
  CU_ADD_TEST(s, cuts_that_do_not_fit_name_input_shape_and_axis);
  CU_ADD_TEST(s, bad_specs_are_errors_at_their_place);
  CU_ADD_TEST(s, bad_placements_are_errors_at_their_place);
  CU_ADD_TEST(s, bad_groups_constants_and_ranges_are_errors);
  CU_ADD_TEST(s, errors_in_formulas_point_into_the_block);
  CU_ADD_TEST(s, a_problem_holds_what_lies_between_inputs_and_outputs);
  CU_ADD_TEST(s, values_inside_may_be_given_and_what_makes_them_is_gone);
  CU_ADD_TEST(s, wildcards_stand_for_what_nothing_before_names);
  CU_ADD_TEST(s, partial_promises_have_groups);
  CU_ADD_TEST(s, programs_and_specs_that_do_not_fit_are_errors);
  CU_ADD_TEST(s, a_mesh_that_does_not_fit_the_files_is_an_error);
  CU_ADD_TEST(s, a_group_size_that_the_program_contradicts_is_an_error);
  CU_ADD_TEST(s, groups_that_are_not_listed_follow_from_sizes);
  CU_ADD_TEST(s, patterns_match_and_fill);
  CU_ADD_TEST(s, init_guesses_a_spec_that_can_be_read);
  CU_ADD_TEST(s, init_needs_the_files_of_a_whole_mesh);
  CU_ADD_TEST(s, all_specs_of_the_cases_are_read);
}
