/* test_fx.c: the FX reader: dialects, arguments, shapes and positions. Writes
 * in place: test_fx_write.c; text that is wrong: test_fx_errors.c. */
#include "base/vec.h"
#include "graph/fx.h"
#include "tests/suites.h"
#include "tests/support_dumps.h"
#include "tests/support_fx.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_fx(void);

static const sp_attr *attr_of(const sp_program *p, const char *node,
                              const char *name) {
  for (uint32_t i = 0; p && i < p->n_nodes; i++) {
    if (strcmp(p->nodes[i].name, node) == 0) {
      return sp_node_attr(&p->nodes[i], name);
    }
  }
  return NULL;
}

static void read_is(const char *text, const char *want) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = fx_read(ctx, text);
  const char *got = p ? fx_text(ctx, p) : "an error";
  CU_ASSERT_STRING_EQUAL(got, want);
  if (strcmp(got, want) != 0) {
    printf("\n--- got\n%s\n--- want\n%s\n", got, want);
  }
  sp_ctx_free(ctx);
}

/* --- dialects ------------------------------------------------------------ */

static void a_make_fx_graph_is_read(void) {
  fx_expect("x_1: \"f32[4, 8][8, 1]cpu\", w_1: \"f32[6, 8][8, 1]cuda:0\"",
            "# No stacktrace found for following nodes\n"
            "t: \"f32[8, 6][1, 8]cpu\" = torch.ops.aten.t.default(w_1);  "
            "w_1 = None\n"
            "\n"
            " # File: a.py:3 in f, code: return x @ w.t()\n"
            "mm: \"f32[4, 6][6, 1]cpu\" = torch.ops.aten.mm.default(x_1, t);"
            "  x_1 = t = None\n"
            "return mm\n",
            "t:f32[8,6] aten.t.default(w_1)\n"
            "mm:f32[4,6] aten.mm.default(x_1, t)\n"
            "return mm");
}

static void a_joint_graph_lists_its_inputs_in_the_body(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = fx_read(
      ctx, "class inner_f(torch.nn.Module):\n"
           "    def forward(self, primals, tangents):\n"
           "        primals_1: \"f32[4]\"; primals_2: \"i64[2, 3]\"; "
           "tangents_1: \"f32[]\";\n"
           "    \n"
           "        primals_1, primals_2, tangents_1, = "
           "fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)\n"
           "        mul: \"f32[4]\" = torch.ops.aten.mul.Tensor(tangents_1, "
           "primals_1)\n"
           "        return pytree.tree_unflatten([mul, None, primals_2], "
           "self._out_spec)\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  CU_ASSERT_STRING_EQUAL(p->name, "inner_f");
  CU_ASSERT_EQUAL_FATAL(p->n_params, 3);
  CU_ASSERT_STRING_EQUAL(p->tensors[p->params[1]].name, "primals_2");
  CU_ASSERT_EQUAL(p->tensors[p->params[1]].shape.dtype, SP_S64);
  CU_ASSERT_STRING_EQUAL(fx_text(ctx, p),
                         "mul:f32[4] aten.mul.Tensor(tangents_1, primals_1)\n"
                         "return mul - primals_2");
  sp_ctx_free(ctx);
}

static void an_exported_graph_flattens_what_its_signature_lists(void) {
  read_is("class f(torch.nn.Module):\n"
          "    def forward(self, x, y):\n"
          "        x: \"f32[4]\"; y: \"f32[4]\";\n"
          "        x, y, = fx_pytree.tree_flatten_spec(([x, y], {}), "
          "self._in_spec)\n"
          "        return pytree.tree_unflatten([y, x], self._out_spec)\n",
          "return y x");
}

static void a_dynamo_graph_has_methods_and_infix_operators(void) {
  fx_expect("L_x_: \"f32[2, 6]\", L_w_ : \"f32[6, 6]\"",
            "l_x_ = L_x_\n"
            "l_w_ = L_w_\n"
            "y: \"f32[2, 6]\" = torch._C._nn.linear(l_x_, l_w_, None)\n"
            "v: \"f32[2, 2, 3]\" = y.view(2, -1, 3);  y = None\n"
            "n: \"f32[2, 2, 3]\" = -v\n"
            "p: \"f32[2, 2, 3]\" = 10000.0 ** n\n"
            "q: \"f32[2, 2, 3]\" = p * v\n"
            "m: \"f32[2, 6]\" = l_x_ @ l_w_\n"
            "b: \"b8[2, 6]\" = m >= -1\n"
            "i: \"b8[2, 6]\" = ~b\n"
            "t: \"f32[6, 2]\" = m.T\n"
            "g: \"f32[2, 3]\" = m[(Ellipsis, slice(0, None, 2))]\n"
            "h: \"f32[6]\" = m[0]\n"
            "return (q, i, t, g, h)\n",
            "y:f32[2,6] torch._C._nn.linear(L_x_, L_w_)\n"
            "v:f32[2,2,3] method.view(y) arg1=2 arg2=-1 arg3=3\n"
            "n:f32[2,2,3] operator.neg(v)\n"
            "p:f32[2,2,3] operator.pow(n) arg0=10000f arg1=%0\n"
            "q:f32[2,2,3] operator.mul(p, v)\n"
            "m:f32[2,6] operator.matmul(L_x_, L_w_)\n"
            "b:pred[2,6] operator.ge(m) arg1=-1\n"
            "i:pred[2,6] operator.invert(b)\n"
            "t:f32[6,2] getattr.T(m)\n"
            "g:f32[2,3] operator.getitem(m) "
            "arg1='(Ellipsis, slice(0, None, 2))'\n"
            "h:f32[6] operator.getitem(m) arg1=0\n"
            "return q i t g h");
}

static const char log_text[] =
    "W1130 01:47:19.000000 29594 torch/x.py:12] a warning\n"
    "V1130 01:47:19.895000 29594 torch/x.py:203] [0/0] [__aot_graphs] "
    "aot_config id: 0, fw_metadata=...\n"
    "I1130 01:47:19.960000 29594 torch/x.py:289] [0/0] [__aot_graphs] TRACED "
    "GRAPH\n"
    "I1130 01:47:19.960000 29594 torch/x.py:289] [0/0] [__aot_graphs]  ===== "
    "Forward graph 0 =====\n"
    "I1130 01:47:19.960000 29594 torch/x.py:289] [0/0] [__aot_graphs]  "
    "/x/torch/fx/_lazy_graph_module.py class <lambda>(torch.nn.Module):\n"
    "I1130 01:47:19.960000 29594 torch/x.py:289] [0/0] [__aot_graphs]     def "
    "forward(self, arg0_1: \"f32[4]\"):\n"
    "/x/torch/graph.py:841: UserWarning: something else\n"
    "I1130 01:47:19.960000 29594 torch/x.py:289] [0/0] [__aot_graphs]         "
    " # File: logs.py:6 in f, code: y = x\n"
    "I1130 01:47:19.960000 29594 torch/x.py:289] [0/0] [__aot_graphs]         "
    "neg: \"f32[4]\" = torch.ops.aten.neg.default(arg0_1);  arg0_1 = None\n"
    "I1130 01:47:19.960000 29594 torch/x.py:289] [0/0] [__aot_graphs]         "
    "return (neg,)\n"
    "I1130 01:47:19.960000 29594 torch/x.py:289] [0/0] [__aot_graphs] \n";

static void the_prefix_of_torch_logs_is_stepped_over(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = fx_read(ctx, log_text);
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  CU_ASSERT_STRING_EQUAL(p->name, "<lambda>");
  CU_ASSERT_STRING_EQUAL(fx_text(ctx, p),
                         "neg:f32[4] aten.neg.default(arg0_1)\nreturn neg");
  const sp_pos *pos = &p->nodes[1].pos;
  CU_ASSERT_STRING_EQUAL(pos->source_file, "logs.py");
  CU_ASSERT_EQUAL(pos->source_line, 6);
  CU_ASSERT_STRING_EQUAL(pos->op_name, "f");
  CU_ASSERT_EQUAL(pos->dump.line, 9);
  CU_ASSERT_EQUAL(pos->dump.column, 74);
  sp_ctx_free(ctx);
}

typedef struct which_job {
  const char *text;
  uint32_t which;
  const sp_program *program;
} which_job;

static void which_run(sp_ctx *ctx, void *arg) {
  which_job *j = arg;
  j->program =
      sp_fx_read_graph(ctx, "t.py", j->text, strlen(j->text), j->which);
}

#define RANK(r)                                                                \
  "[rank" r "]:I1130 01:47:19.960 295 t.py:2] [0/0] [__aot_graphs] "

static void the_lines_of_two_ranks_may_be_mixed(void) {
  /* clang-format off */
  static const char text[] =
    RANK("1") " class f(torch.nn.Module):\n"
    RANK("0") " class g(torch.nn.Module):\n"
    RANK("1") "    def forward(self, x: \"f32[4]\"):\n"
    RANK("0") "    def forward(self, y: \"f32[4]\"):\n"
    RANK("0") "        a: \"f32[4]\" = torch.ops.aten.add.Tensor(y, 0)\n"
    RANK("1") "        a: \"f32[4]\" = torch.ops.aten.add.Tensor(x, 1)\n"
    RANK("0") "        return a\n"
    RANK("1") "        return a\n";
  /* clang-format on */
  static const char *const want[] = {
      "a:f32[4] aten.add.Tensor(x) arg1=1\nreturn a",
      "a:f32[4] aten.add.Tensor(y) arg1=0\nreturn a",
  };
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_fx_count(ctx, "t.py", text, strlen(text)), 2);
  for (uint32_t i = 0; i < 2; i++) {
    which_job j = {text, i, NULL};
    CU_ASSERT_EQUAL_FATAL(sp_protect(ctx, which_run, &j), SP_OK);
    CU_ASSERT_STRING_EQUAL(fx_text(ctx, j.program), want[i]);
  }
  which_job j = {text, 2, NULL};
  CU_ASSERT_EQUAL(sp_protect(ctx, which_run, &j), SP_ERR_INPUT);
  fx_expect_text_error(text, strlen(text), SP_ERR_INPUT, 2, FX_ANY,
                       "the text has 2 graphs (0: f in line 1, 1: g in line");
  sp_ctx_free(ctx);
}

static void text_that_is_no_graph_is_told_apart(void) {
  static const char hlo[] = "HloModule m\n  def forward(self):\n";
  static const char proto[] = "\n\0m\ndef forward(self):\n";
  static const char fx[] = "import torch\n\nclass <lambda>(torch.nn.Module):";
  CU_ASSERT_FALSE(sp_fx_looks_like(hlo, strlen(hlo)));
  CU_ASSERT_FALSE(sp_fx_looks_like(proto, sizeof proto - 1));
  CU_ASSERT_FALSE(sp_fx_looks_like("", 0));
  CU_ASSERT_FALSE(sp_fx_looks_like("model: x", 8));
  CU_ASSERT_TRUE(sp_fx_looks_like(fx, strlen(fx)));
  CU_ASSERT_TRUE(sp_fx_looks_like(log_text, strlen(log_text)));
  fx_expect_text_error("a = 1\n", 6, SP_ERR_INPUT, 0, 0, "no FX graph");
}

static void a_signature_may_take_several_lines(void) {
  read_is("def forward(\n"
          "    self,\n"
          "    x: \"f32[4]\",\n"
          "    y: \"f32[4]\",\n"
          "):\n"
          "    add: \"f32[4]\" = torch.ops.aten.add.Tensor(\n"
          "        x,\n"
          "        y,\n"
          "        alpha = 2)\n"
          "    return (add,)\n",
          "add:f32[4] aten.add.Tensor(x, y) alpha=2\nreturn add");
}

/* Those that no operator of a kind that we know calls; test_fx_inline.c. */
static void graphs_inside_a_graph_are_left_alone(void) {
  read_is("class f(torch.nn.Module):\n"
          "    def forward(self, x: \"f32[4]\"):\n"
          "        body_0 = self.body_0\n"
          "        loop = torch.ops.higher_order.scan(body_0, x)\n"
          "        getitem: \"f32[4]\" = loop[0]\n"
          "        return (getitem,)\n"
          "\n"
          "    class body_0(torch.nn.Module):\n"
          "        def forward(self, y: \"f32[4]\"):\n"
          "            return (y,)\n",
          "body_0:? fx:get_attr() name='body_0'\n"
          "getitem:f32[4] higher_order.scan(body_0, x)\nreturn getitem");
}

/* --- arguments ----------------------------------------------------------- */

static void arguments_become_typed_attributes(void) {
  fx_expect(
      "x: \"f32[4]\", y: \"f32[4]\"",
      "a: \"f32[4]\" = torch.ops.ns.op.default(x, -3, 1e-05, True, None, "
      "[1, -2], 'it\\'s', torch.float32, device(type='cuda', index=0), [], "
      "(2, 3), [True, False], 9223372036854775807)\n"
      "b: \"f32[4]\" = torch.ops.ns.op.default(-inf, x, inf, alpha = 0.5, "
      "memory_format = torch.contiguous_format, dim = None, other = y)\n"
      "c: \"f32[4]\" = torch.ops.ns.op.default([x, None, y], [x, 2], "
      "[1.5, 2], [[1], [2]], slice(None, 3, None), 2 + 1)\n"
      "return (a, b, c)\n",
      "a:f32[4] ns.op.default(x) arg1=-3 arg2=1e-05f arg3=1 arg5=[1,-2] "
      "arg6='it's' arg7='torch.float32' "
      "arg8='device(type='cuda', index=0)' arg9=[] arg10=[2,3] arg11=[1,0] "
      "arg12=9223372036854775807\n"
      "b:f32[4] ns.op.default(x, y) arg0=-inff arg1=%0 arg2=inff alpha=0.5f "
      "memory_format='torch.contiguous_format' other=%1\n"
      "c:f32[4] ns.op.default(x, y, x) arg0=%[0,-1,1] arg1='[x, 2]' "
      "arg2='[1.5, 2]' arg3='[[1], [2]]' arg4='slice(None, 3, None)' "
      "arg5='2 + 1'\n"
      "return a b c");
}

static void nan_is_a_number(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = fx_read_body(
      ctx, "x: \"f32[2]\"",
      "a: \"f32[2]\" = torch.ops.aten.fill.Scalar(x, nan)\nreturn a\n");
  const sp_attr *a = attr_of(p, "a", "arg1");
  CU_ASSERT(a && a->kind == SP_ATTR_FLOAT && isnan(a->u.f));
  sp_ctx_free(ctx);
}

/* x[[0, 1]] takes two rows, x[(0, 1)] one element. */
static void indices_that_differ_only_in_brackets_are_told_apart(void) {
  fx_expect("x: \"f32[4, 4]\", i: \"i64[2]\"",
            "a: \"f32[]\" = x[(0, 1)]\n"
            "b: \"f32[2, 4]\" = x[[0, 1]]\n"
            "c: \"f32[1, 4, 4]\" = x[True]\n"
            "d: \"f32[2, 4]\" = x[i]\n"
            "e: \"f32[4, 2]\" = x[(slice(None, None, None), i)]\n"
            "return (a, b, c, d, e)\n",
            "a:f32[] operator.getitem(x) arg1=[0,1]\n"
            "b:f32[2,4] operator.getitem(x) arg1='[0, 1]'\n"
            "c:f32[1,4,4] operator.getitem(x) arg1='True'\n"
            "d:f32[2,4] operator.getitem(x, i)\n"
            "e:f32[4,2] operator.getitem(x, i) "
            "arg1='(slice(None, None, None), i)'\n"
            "return a b c d e");
}

static void getitems_of_tuples_vanish(void) {
  fx_expect("x: \"f32[4, 6]\"",
            "s = torch.ops.aten.split_with_sizes.default(x, [1, 2, 3], 1)\n"
            "g: \"f32[4, 1]\" = s[0]\n"
            "h: \"f32[4, 3]\" = s[2];  s = None\n"
            "k: \"f32[4, 1]\" = s[0]\n"
            "m = torch.ops.aten.max.dim(x, 0)\n"
            "return (h, g, k)\n",
            "g:f32[4,1], s#1:?, h:f32[4,3] aten.split_with_sizes.default(x) "
            "arg1=[1,2,3] arg2=1\n"
            "m:? aten.max.dim(x) arg1=0\n"
            "return h g g");
}

static void constants_of_the_module_are_nodes(void) {
  fx_expect("",
            "_tensor_constant0 = self._tensor_constant0\n"
            "a: \"i64[]\" = "
            "torch.ops.aten.lift_fresh_copy.default(_tensor_constant0)\n"
            "b: \"f32[2]\" = self.layers.w\n"
            "c: \"f32[2]\" = getattr(getattr(self.layers, \"0\").sub, "
            "\"1\").w\n"
            "d: \"f32[2]\" = self.layers.w\n"
            "e: \"f32[2]\" = self.act(b, 1)\n"
            "f: \"f32[2]\" = getattr(self.m, \"0\")(c)\n"
            "return (a, b, c, d, e, f)\n",
            "_tensor_constant0:s64[] fx:get_attr() name='_tensor_constant0'\n"
            "a:s64[] aten.lift_fresh_copy.default(_tensor_constant0)\n"
            "b:f32[2] fx:get_attr() name='layers.w'\n"
            "c:f32[2] fx:get_attr() name='layers.0.sub.1.w'\n"
            "e:f32[2] fx:call_module(b) arg1=1 module='act'\n"
            "f:f32[2] fx:call_module(c) module='m.0'\n"
            "return a b c b e f");
}

static void symbolic_sizes_are_kept_as_text(void) {
  fx_expect("s0: \"Sym(s0)\", x: \"f32[s0, 2*s0][2*s0, 1]cpu\", n: \"Sym(4)\"",
            "y: \"f32[2*s0, 3]\" = torch.ops.aten.view.default(x, [s0, 3])\n"
            "z: \"f32[4, 3]\" = torch.ops.aten.full.default([n, 3], n)\n"
            "g: \"Sym(s0 >= 0)\" = s0 >= 0\n"
            "a = torch.ops.aten._assert_scalar.default(g, 'it is')\n"
            "u: \"f32[s0]\" = torch.ops.aten.mul.Tensor(x, s0)\n"
            "return (y, z, s0, u)\n",
            "y:? aten.view.default(x) arg1='[s0, 3]'\n"
            "z:f32[4,3] aten.full.default() arg0=[4,3] arg1=4\n"
            "g:? operator.ge() arg0='s0' arg1=0\n"
            "a:? aten._assert_scalar.default() arg0='g' arg1='it is'\n"
            "u:? aten.mul.Tensor(x) arg1='s0'\n"
            "return y z - u");
}

static void results_are_flattened(void) {
  static const char in[] = "x: \"f32[2]\", y: \"f32[2]\"";
  fx_expect(in, "return x\n", "return x");
  fx_expect(in, "return\n", "return");
  fx_expect(in, "return ()\n", "return");
  fx_expect(in, "return (x, [y, (None, x)], 3)\n", "return x y - x -");
  fx_expect(in, "return x, y\n", "return x y");
  fx_expect(in, "return {'loss': x, 'more': [y, None]}\n", "return x y -");
}

static void dtypes_are_pytorchs(void) {
  static const char *const names[] = {
      "f32", "f64", "f16", "bf16",     "i64", "i32",  "i16",    "i8",
      "u8",  "b8",  "u16", "f8e4m3fn", "c64", "c128", "f8e5m2", "c32"};
  static const sp_dtype want[] = {SP_F32, SP_F64,  SP_F16,    SP_BF16,
                                  SP_S64, SP_S32,  SP_S16,    SP_S8,
                                  SP_U8,  SP_PRED, SP_U16,    SP_F8E4M3FN,
                                  SP_F32, SP_F64,  SP_F8E5M2, SP_DTYPE_INVALID};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    char in[64];
    snprintf(in, sizeof in, "x: \"%s[2, 0][1, 1]cuda:0\"", names[i]);
    sp_ctx *ctx = sp_ctx_new(NULL);
    const sp_program *p = fx_read_body(ctx, in, "return (x,)\n");
    CU_ASSERT(p && p->tensors[0].shape.dtype == want[i]);
    sp_ctx_free(ctx);
  }
  static const char *const not [] = {"pred", "s32", "token", "q9"};
  for (size_t i = 0; i < sizeof not / sizeof *not ; i++) {
    char in[64];
    snprintf(in, sizeof in, "x: \"%s[2]\"", not [i]);
    fx_expect_error(in, "return (x,)\n", SP_ERR_INPUT, 2, 27,
                    "unknown data type");
  }
}

static void positions_hold_until_the_next_comment(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p =
      fx_read_body(ctx, "x: \"f32[2]\"",
                   " # File: c:\\dir a\\b.py:12 in <module>, code: y = x[1:2]\n"
                   "a: \"f32[2]\" = torch.ops.aten.neg.default(x)\n"
                   "b: \"f32[2]\" = torch.ops.aten.neg.default(a)\n"
                   "# a remark\n"
                   "c: \"f32[2]\" = torch.ops.aten.neg.default(b)\n"
                   "# No stacktrace found for following nodes\n"
                   "d: \"f32[2]\" = torch.ops.aten.neg.default(c)\n"
                   "# File: /x/y.py:7, code: z\n"
                   "e: \"f32[2]\" = torch.ops.aten.neg.default(d)\n"
                   "return e\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  for (uint32_t i = 1; i <= 3; i++) {
    CU_ASSERT_STRING_EQUAL(p->nodes[i].pos.source_file, "c:\\dir a\\b.py");
    CU_ASSERT_EQUAL(p->nodes[i].pos.source_line, 12);
    CU_ASSERT_STRING_EQUAL(p->nodes[i].pos.op_name, "<module>");
  }
  CU_ASSERT_PTR_NULL(p->nodes[4].pos.source_file);
  CU_ASSERT_EQUAL(p->nodes[4].pos.dump.line, 9);
  CU_ASSERT_STRING_EQUAL(p->nodes[5].pos.source_file, "/x/y.py");
  CU_ASSERT_EQUAL(p->nodes[5].pos.source_line, 7);
  CU_ASSERT_PTR_NULL(p->nodes[5].pos.op_name);
  sp_ctx_free(ctx);
}

void suite_fx(void) {
  CU_pSuite s = CU_add_suite("fx", NULL, NULL);
#define ADD(test) CU_add_test(s, #test, test)
  ADD(a_make_fx_graph_is_read);
  ADD(a_joint_graph_lists_its_inputs_in_the_body);
  ADD(an_exported_graph_flattens_what_its_signature_lists);
  ADD(a_dynamo_graph_has_methods_and_infix_operators);
  ADD(the_prefix_of_torch_logs_is_stepped_over);
  ADD(the_lines_of_two_ranks_may_be_mixed);
  ADD(text_that_is_no_graph_is_told_apart);
  ADD(a_signature_may_take_several_lines);
  ADD(graphs_inside_a_graph_are_left_alone);
  ADD(arguments_become_typed_attributes);
  ADD(nan_is_a_number);
  ADD(indices_that_differ_only_in_brackets_are_told_apart);
  ADD(getitems_of_tuples_vanish);
  ADD(constants_of_the_module_are_nodes);
  ADD(symbolic_sizes_are_kept_as_text);
  ADD(results_are_flattened);
  ADD(dtypes_are_pytorchs);
  ADD(positions_hold_until_the_next_comment);
#undef ADD
}
