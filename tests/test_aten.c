/* test_aten.c: PyTorch operators against PyTorch.
 *
 * tests/oracle/aten.txt and aten_nn.txt (made by gen_aten.py and gen_aten_nn.py
 * there) hold calls with inputs and PyTorch's results (support_oracle.h). A
 * case on several ranks is written once: "<1;2>" stands for another number on
 * each rank, "# group NAME 0,1/2,3" lists a process group; the ranks' graphs
 * are rolled into one. Other tests here: arguments that are refused, opaque
 * operators, uninitialised memory. SHARDPROOF_ATEN and SHARDPROOF_ATEN_NN are
 * other files of cases.
 */
#include "encode/op.h"
#include "graph/fx.h"
#include "graph/roll.h"
#include "tests/support_fx.h"
#include "tests/support_oracle.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_aten(void);

/* ---- cases ---- */

/* "0,1/2,3" */
static const sp_groups *read_groups(sp_ctx *ctx, const char *s,
                                    const char *end) {
  size_t n = (size_t)(end - s);
  int64_t *ids = sp_alloc_n(ctx, n + 1, sizeof *ids);
  uint32_t *start = sp_alloc_n(ctx, n + 2, sizeof *start);
  sp_groups *g = sp_alloc(ctx, sizeof *g);
  uint32_t count = 0;
  while (s < end) {
    char *after;
    ids[count++] = strtoll(s, &after, 10);
    if (after == end || *after == '/') {
      start[++g->n_groups] = count;
    }
    s = after + 1;
  }
  g->start = start;
  g->ids = ids;
  return g;
}

/* The text of one rank; lines "# group" are left out. */
static char *text_of_rank(sp_ctx *ctx, const char *s, const char *end,
                          int64_t rank, size_t *n) {
  char *out = sp_alloc(ctx, (size_t)(end - s) + 1);
  *n = 0;
  while (s < end) {
    if (*s != '<' || !strchr("-0123456789", s[1])) {
      out[(*n)++] = *s++;
      continue;
    }
    s++;
    for (int64_t k = 0; k < rank; k++) {
      s += strcspn(s, ";>") + 1;
    }
    size_t len = strcspn(s, ";>");
    memcpy(out + *n, s, len);
    *n += len;
    s += strcspn(s, ">") + 1;
  }
  return out;
}

static const sp_program *read_case(sp_ctx *ctx, const oracle_case *c) {
  const char *s = c->text, *end = c->text + c->text_n;
  sp_named_group groups[8];
  size_t n_groups = 0, n;
  while (strncmp(s, "# group ", 8) == 0 && n_groups < 8) {
    const char *name = s + 8, *list = strchr(name, ' ') + 1;
    const char *line = strchr(list, '\n');
    groups[n_groups].name = sp_strndup(ctx, name, (size_t)(list - 1 - name));
    groups[n_groups++].groups = read_groups(ctx, list, line);
    s = line + 1;
  }
  const sp_program *programs[ORACLE_RANKS];
  for (int64_t r = 0; r < c->devices; r++) {
    char *text = text_of_rank(ctx, s, end, r, &n);
    programs[r] = sp_fx_read_text(ctx, "aten.py", text, n);
  }
  const char *why = "";
  const sp_program *g =
      sp_roll(ctx, (uint32_t)c->devices, programs, n_groups, groups, &why);
  if (!g) {
    sp_raise(ctx, SP_ERR_INPUT, sp_nowhere(), NULL, "not rolled: %s", why);
  }
  return g;
}

static void operators_agree_with_pytorch(void) {
  CU_ASSERT(oracle_run("aten.txt", "SHARDPROOF_ATEN", read_case) > 650);
  CU_ASSERT(oracle_run("aten_nn.txt", "SHARDPROOF_ATEN_NN", read_case) > 10);
}

/* ---- refusals ---- */

typedef struct graph {
  const char *inputs, *body;
  const sp_program *program;
} graph;

static const sp_program *graph_read(sp_ctx *ctx, const graph *g) {
  char *text = sp_format(
      ctx, "class m(torch.nn.Module):\n    def forward(self, %s):\n%s\n",
      g->inputs, g->body);
  return sp_fx_read_text(ctx, "t.py", text, strlen(text));
}

static void check_all(sp_ctx *ctx, void *arg) {
  const sp_program *p = graph_read(ctx, arg);
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    sp_op_check(ctx, p, &p->nodes[i]);
  }
}

#define IN "a: \"f32[2, 3]\", b: \"f32[3]\", i: \"i64[2]\", m: \"b8[2, 3]\""
#define ONE(annotation, call)                                                  \
  "        r: \"" annotation "\" = torch.ops." call "\n        return (r,)"

static const struct {
  sp_code code;
  const char *part; /* of the message */
  const char *body;
} refusals[] = {
    {SP_ERR_INPUT, "dimension 1 of result 0 has size 4, 3 expected",
     ONE("f32[2, 4]", "aten.exp.default(a)")},
    {SP_ERR_INPUT, "result 0 is s64, floats expected",
     ONE("i64[2, 3]", "aten.exp.default(a)")},
    {SP_ERR_INPUT, "sizes 3 and 2 do not go together",
     ONE("f32[2, 3]", "aten.add.Tensor(a, i)")},
    {SP_ERR_INPUT, "argument other is missing",
     ONE("f32[2, 3]", "aten.add.Tensor(a)")},
    {SP_ERR_UNKNOWN, "argument beta is not understood",
     ONE("f32[2, 3]", "aten.add.Tensor(a, b, beta = 2)")},
    {SP_ERR_UNKNOWN, "argument arg2 is not understood",
     ONE("f32[2, 3]", "aten.mul.Tensor(a, b, 2)")},
    {SP_ERR_INPUT, "argument other is given twice",
     ONE("f32[2, 3]", "aten.mul.Tensor(a, b, other = b)")},
    {SP_ERR_UNKNOWN, "argument mat2 is a number",
     ONE("f32[2, 3]", "aten.mm.default(a, 2)")},
    {SP_ERR_UNKNOWN, "argument dim is an operand",
     ONE("f32[2, 3]", "aten._softmax.default(a, b, False)")},
    {SP_ERR_INPUT, "6 elements as 8",
     ONE("f32[8]", "aten.view.default(a, [8])")},
    {SP_ERR_INPUT, "dimension 2 of 2",
     ONE("f32[2]", "aten.sum.dim_IntList(a, [2])")},
    {SP_ERR_INPUT, "dimension 1 is named twice",
     ONE("f32[2]", "aten.sum.dim_IntList(a, [1, -1])")},
    {SP_ERR_INPUT, "rows of 3 times columns of 2",
     ONE("f32[2, 3]", "aten.mm.default(a, a)")},
    {SP_ERR_INPUT, "index 2 of 2", ONE("f32[3]", "aten.select.int(a, 0, 2)")},
    {SP_ERR_INPUT, "the result is f32, its dtype f64",
     ONE("f32[2]", "aten.zeros.default([2], dtype = torch.float64)")},
    {SP_ERR_UNKNOWN, "values of type torch.complex64 are not modelled",
     ONE("f32[2]", "aten.zeros.default([2], dtype = torch.complex64)")},
    {SP_ERR_UNKNOWN, "argument scale_grad_by_freq is only understood as False",
     ONE("f32[4, 3]", "aten.embedding_dense_backward.default(a, i, 4, -1, "
                      "True)")},
    {SP_ERR_UNKNOWN, "argument dropout_p is only understood as 0.0",
     "        r = torch.ops.aten._scaled_dot_product_flash_attention."
     "default(a, a, a, 0.1)\n        s: \"f32[2, 3]\" = r[0]\n"
     "        return (s,)"},
    {SP_ERR_UNKNOWN, "a mask that spreads a list of values",
     ONE("f32[2, 3]", "aten.index_put.default(a, [m], b)")},
    {SP_ERR_UNKNOWN, "depends on the data",
     ONE("f32[2]", "aten.index.Tensor(a, [m])")},
    {SP_ERR_UNKNOWN, "which ranks the process group 12 holds",
     ONE("f32[2, 3]", "_c10d_functional.all_reduce.default(a, 'sum', '12')")},
    {SP_ERR_UNKNOWN, "no row", ONE("f32[2, 3]", "aten.nonsense.default(a)")},
    {SP_ERR_INPUT, "3 results where 2 are expected",
     "        r = torch.ops.aten.max.dim(a, 1)\n"
     "        s: \"i64[2]\" = r[2]\n        return (s,)"},
    {SP_ERR_INPUT, "there is no piece 2",
     "        r = torch.ops.aten.split.Tensor(a, 1)\n"
     "        s: \"f32[1, 3]\" = r[2]\n        return (s,)"},
};

static void what_is_not_understood_is_refused(void) {
  for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    graph g = {IN, refusals[k].body, NULL};
    sp_code code = sp_protect(ctx, check_all, &g);
    const char *message = code ? sp_ctx_error(ctx)->message : "";
    bool ok = code == refusals[k].code && strstr(message, refusals[k].part);
    if (!ok) {
      printf("\n    refusal %zu: code %d, \"%s\", expected \"%s\"\n", k,
             (int)code, message, refusals[k].part);
    }
    CU_ASSERT(ok);
    sp_ctx_free(ctx);
  }
}

/* ---- equal terms where meanings are equal ---- */

typedef struct twins {
  graph g;
  bool equal; /* results 0 and 1 */
} twins;

static void compare_results(sp_ctx *ctx, void *arg) {
  twins *t = arg;
  oracle_case c = {.name = "twins"};
  oracle_world w = {.c = &c, .pool = sp_pool_new(ctx)};
  w.program = graph_read(ctx, &t->g);
  oracle_symbols(&w);
  const sp_program *g = w.program;
  for (uint32_t i = 0; i < g->n_nodes; i++) {
    sp_op_check(ctx, g, &g->nodes[i]);
  }
  sp_expr idx[SP_MAX_DIMS] = {{0}}, rank = sp_int(w.pool, 0);
  const sp_shape *s = &g->tensors[g->results[0]].shape;
  for (uint32_t d = 0; d < s->n_dims; d++) {
    idx[d] = sp_var(w.pool, SP_VAR_INDEX, "i", s->dims[d]);
  }
  sp_expr x = oracle_element(&w, g->results[0], rank, idx);
  sp_expr y = oracle_element(&w, g->results[1], rank, idx);
  t->equal = x.v == y.v;
}

#define L "        "
#define PAIR(annotation, first, second)                                        \
  L "r: \"" annotation "\" = torch.ops.aten." first "\n" L "s: \"" annotation  \
    "\" = torch.ops.aten." second "\n" L "return (r, s)"
#define TOP(k, call)                                                           \
  L k " = torch.ops.aten." call "\n" L k "_0: \"f32[2, 2]\" = " k "[0]\n" L k  \
      "_1: \"i64[2, 2]\" = " k "[1]\n"

static const struct {
  bool equal;
  const char *body;
} twin_cases[] = {
    /* draws: equal where what they drop is, and the probability */
    {true, PAIR("f32[2, 3]", "dropout.default(a, 0.1, True)",
                "dropout.default(a, 0.1, True)")},
    {false, PAIR("f32[2, 3]", "dropout.default(a, 0.1, True)",
                 "dropout.default(a, 0.2, True)")},
    {true,
     PAIR("f32[2, 3]", "dropout.default(a, 0.1, False)", "clone.default(a)")},
    /* uninitialised memory: its own for every node */
    {false, PAIR("f32[2, 3]", "empty.memory_format([2, 3])",
                 "empty.memory_format([2, 3])")},
    {false,
     PAIR("f32[2, 3]", "empty_like.default(a)", "empty_like.default(a)")},
    /* topk: by all its arguments */
    {true, TOP("r", "topk.default(a, 2)") TOP("s", "topk.default(a, 2, 1)") L
     "return (r_1, s_1)"},
    {false, TOP("r", "topk.default(a, 2)") TOP(
                "s", "topk.default(a, 2, -1, False)") L "return (r_1, s_1)"},
    /* values do not depend on what the order is to be */
    {true, PAIR("f32[2, 3]", "mul.Tensor(a, b)", "mul.Tensor(b, a)")},
    {true, PAIR("f32[2, 3]", "silu.default(a)", "silu.default(a)")},
    {false, PAIR("f32[2, 3]", "fmod.Scalar(a, 2)", "remainder.Scalar(a, 2)")},
};

static void opaque_operators_are_equal_where_their_inputs_are(void) {
  for (size_t k = 0; k < sizeof twin_cases / sizeof twin_cases[0]; k++) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    twins t = {.g = {IN, twin_cases[k].body, NULL}};
    sp_code code = sp_protect(ctx, compare_results, &t);
    bool ok = code == SP_OK && t.equal == twin_cases[k].equal;
    if (!ok) {
      printf("\n    twins %zu: code %d (%s), equal %d\n", k, (int)code,
             code ? sp_ctx_error(ctx)->message : "", (int)t.equal);
    }
    CU_ASSERT(ok);
    sp_ctx_free(ctx);
  }
}

/* ---- assumptions ---- */

typedef struct told {
  graph g;
  char text[512]; /* the sentences */
} told;

typedef struct teller {
  oracle_world w;
  told *t;
} teller;

static void tell(void *env, const char *sentence) {
  told *t = ((teller *)env)->t;
  size_t n = strlen(t->text);
  snprintf(t->text + n, sizeof t->text - n, "%s; ", sentence);
}

/* Operands are read as what defines them; assumptions are told for the last
 * node only. */
static sp_expr read_through(void *env, const sp_call *call, uint32_t operand,
                            sp_expr rank, const sp_expr *idx) {
  return oracle_element(&((teller *)env)->w, call->node->in[operand], rank,
                        idx);
}

static void tell_all(sp_ctx *ctx, void *arg) {
  oracle_case c = {.name = "told"};
  teller e = {.w = {.c = &c, .pool = sp_pool_new(ctx)}, .t = arg};
  const sp_program *g = graph_read(ctx, &e.t->g);
  e.w.program = g;
  oracle_symbols(&e.w);
  const sp_tensor *r = &g->tensors[g->results[0]];
  sp_expr idx[SP_MAX_DIMS] = {{0}};
  for (uint32_t d = 0; d < r->shape.n_dims; d++) {
    idx[d] = sp_var(e.w.pool, SP_VAR_INDEX, "i", r->shape.dims[d]);
  }
  sp_op_check(ctx, g, &g->nodes[r->node]);
  sp_call call = {.pool = e.w.pool,
                  .program = g,
                  .node = &g->nodes[r->node],
                  .result = r->result,
                  .rank = sp_int(e.w.pool, 0),
                  .partitions = 1,
                  .read = read_through,
                  .env = &e,
                  .assume = tell};
  sp_op_element(&call, idx);
}

static const struct {
  const char *part; /* "": nothing is told */
  const char *body;
} told_cases[] = {
    {"indices are in bounds", ONE("f32[2, 3]", "aten.embedding.default(a, i)")},
    {"", L "k: \"i64[2]\" = torch.ops.aten.arange.default(2)\n" ONE(
             "f32[2, 3]", "aten.embedding.default(a, k)")},
    {"random draws", ONE("f32[2, 3]", "aten.dropout.default(a, 0.5, True)")},
    {"", ONE("f32[2, 3]", "aten.dropout.default(a, 0.5, False)")},
    {"no element is written twice",
     ONE("f32[3]", "aten.scatter.src(b, 0, i, b)")},
    {"indices are in bounds",
     ONE("f32[3]", "aten.scatter_add.default(b, 0, i, b)")},
    {"inputs and intermediate values are finite",
     ONE("b8[2, 3]", "aten.isnan.default(a)")},
};

static void assumptions_are_told(void) {
  for (size_t k = 0; k < sizeof told_cases / sizeof told_cases[0]; k++) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    told t = {.g = {IN, told_cases[k].body, NULL}};
    sp_code code = sp_protect(ctx, tell_all, &t);
    bool ok = code == SP_OK && (told_cases[k].part[0]
                                    ? strstr(t.text, told_cases[k].part) != NULL
                                    : t.text[0] == 0);
    if (!ok) {
      printf("\n    told %zu: code %d (%s), \"%s\"\n", k, (int)code,
             code ? sp_ctx_error(ctx)->message : "", t.text);
    }
    CU_ASSERT(ok);
    sp_ctx_free(ctx);
  }
}

void suite_aten(void) {
  CU_pSuite s = CU_add_suite("aten", NULL, NULL);
  CU_add_test(s, "what_is_not_understood_is_refused",
              what_is_not_understood_is_refused);
  CU_add_test(s, "opaque_operators_are_equal_where_their_inputs_are",
              opaque_operators_are_equal_where_their_inputs_are);
  CU_add_test(s, "assumptions_are_told", assumptions_are_told);
  CU_add_test(s, "operators_agree_with_pytorch", operators_agree_with_pytorch);
}
