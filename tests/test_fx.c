/* test_fx.c: the FX reader. Dialects, arguments, shapes and positions; then
 * in-place operators; then errors and where they are; then real graphs, cut
 * off and changed; then memory that runs out. */
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

#define ANY UINT32_C(0)

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
  static const char text[] = RANK("1") " class f(torch.nn.Module):\n" RANK("0") " class g(torch.nn.Module):\n" RANK("1") "    def forward(self, x: \"f32[4]\"):\n" RANK(
      "0") "    def "
           "forward(self, "
           "y: "
           "\"f32[4]\"):"
           "\n" RANK("0") "        a: "
                          "\"f32[4]\" = "
                          "torch.ops.aten."
                          "add.Tensor(y, "
                          "0)\n" RANK(
                              "1") "        a: \"f32[4]\" = "
                                   "torch.ops.aten.add.Tensor(x, 1)\n" RANK(
                                       "0") "      "
                                            "  "
                                            "return"
                                            " a"
                                            "\n" RANK("1") "        return a\n";
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
  fx_expect_text_error(text, strlen(text), SP_ERR_INPUT, 2, ANY,
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

static void graphs_inside_a_graph_are_left_alone(void) {
  read_is("class f(torch.nn.Module):\n"
          "    def forward(self, x: \"f32[4]\"):\n"
          "        body_0 = self.body_0\n"
          "        wrap = torch.ops.higher_order.wrap(body_0, x)\n"
          "        getitem: \"f32[4]\" = wrap[0]\n"
          "        return (getitem,)\n"
          "\n"
          "    class body_0(torch.nn.Module):\n"
          "        def forward(self, y: \"f32[4]\"):\n"
          "            return (y,)\n",
          "body_0:? fx:get_attr() name='body_0'\n"
          "getitem:f32[4] higher_order.wrap(body_0, x)\nreturn getitem");
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

/* --- in-place operators --------------------------------------------------- */

static const char in_x[] = "x: \"f32[4, 6]\", y: \"f32[4, 6]\"";

static void a_read_after_a_write_sees_it(void) {
  fx_expect(in_x,
            "a: \"f32[4, 6]\" = torch.ops.aten.add_.Tensor(x, y)\n"
            "b: \"f32[4, 6]\" = torch.ops.aten.neg.default(x)\n"
            "c: \"f32[4, 6]\" = torch.ops.aten.zero_.default(a)\n"
            "return (a, b, x)\n",
            "a:f32[4,6] aten.add.Tensor(x, y)\n"
            "b:f32[4,6] aten.neg.default(a)\n"
            "c:f32[4,6] aten.zeros_like.default(a)\n"
            "return c b c");
}

static void a_write_to_a_view_reaches_what_it_views(void) {
  fx_expect(in_x,
            "v: \"f32[24]\" = torch.ops.aten.view.default(x, [24])\n"
            "s: \"f32[2]\" = torch.ops.aten.slice.Tensor(v, 0, 4, 6)\n"
            "w: \"f32[2]\" = torch.ops.aten.fill_.Scalar(s, 1)\n"
            "t: \"f32[6, 4]\" = torch.ops.aten.t.default(x)\n"
            "return (t, v)\n",
            "v:f32[24] aten.view.default(x) arg1=[24]\n"
            "s:f32[2] aten.slice.Tensor(v) arg1=0 arg2=4 arg3=6\n"
            "w:f32[2] aten.fill.Scalar(s) arg1=1\n"
            "v'1:f32[24] aten.slice_scatter.default(v, w) arg2=0 arg3=4 "
            "arg4=6\n"
            "x'2:f32[4,6] aten.view.default(v'1) arg1=[4,6]\n"
            "t:f32[6,4] aten.t.default(x'2)\n"
            "return t v'1");
}

static void a_view_made_before_a_write_is_made_again(void) {
  fx_expect(in_x,
            "t: \"f32[6, 4]\" = torch.ops.aten.t.default(x)\n"
            "u: \"f32[4]\" = torch.ops.aten.select.int(t, 0, 2)\n"
            "d: \"f32[4, 6]\" = torch.ops.aten.detach.default(x)\n"
            "w: \"f32[4, 6]\" = torch.ops.aten.copy_.default(d, y)\n"
            "n: \"f32[4]\" = torch.ops.aten.neg.default(u)\n"
            "return (n,)\n",
            "t:f32[6,4] aten.t.default(x)\n"
            "u:f32[4] aten.select.int(t) arg1=0 arg2=2\n"
            "d:f32[4,6] aten.detach.default(x)\n"
            "w:f32[4,6] aten.copy.default(d, y)\n"
            "t'1:f32[6,4] aten.t.default(w)\n"
            "u'2:f32[4] aten.select.int(t'1) arg1=0 arg2=2\n"
            "n:f32[4] aten.neg.default(u'2)\n"
            "return n");
}

static void pieces_of_a_split_are_views(void) {
  fx_expect(in_x,
            "s = torch.ops.aten.split.Tensor(x, 4, 1)\n"
            "g: \"f32[4, 4]\" = s[0]\n"
            "h: \"f32[4, 2]\" = s[1]\n"
            "w: \"f32[4, 2]\" = torch.ops.aten.mul_.Scalar(h, 2.0)\n"
            "return (x, g)\n",
            "g:f32[4,4], h:f32[4,2] aten.split.Tensor(x) arg1=4 arg2=1\n"
            "w:f32[4,2] aten.mul.Scalar(h) arg1=2f\n"
            "x'1:f32[4,6] aten.slice_scatter.default(x, w) arg2=1 arg3=4 "
            "arg4=6\n"
            "g'2#0:f32[4,4], g'2#1:f32[4,2] aten.split.Tensor(x'1) arg1=4 "
            "arg2=1\n"
            "return x'1 g'2#0");
}

static void python_writes_in_place_too(void) {
  fx_expect(in_x,
            "x += y;  iadd: \"f32[4, 6]\" = x;  x = None\n"
            "r: \"f32[4, 6]\" = torch.nn.functional.relu(iadd, "
            "inplace = True)\n"
            "iadd[(0, slice(None, 3, None))] = 1.0;  setitem = iadd\n"
            "m: \"f32[4, 6]\" = iadd.mul_(2)\n"
            "o: \"f32[4, 6]\" = torch.add(m, 1, out = y)\n"
            "l: \"f32[4, 6]\" = torch.nn.functional.leaky_relu(o, 0.1, True)\n"
            "return (r, y)\n",
            "iadd:f32[4,6] operator.add(x, y)\n"
            "r:f32[4,6] torch.nn.functional.relu(iadd)\n"
            "setitem:f32[4,6] operator.setitem(r) "
            "arg1='(0, slice(None, 3, None))' arg2=1f\n"
            "m:f32[4,6] method.mul(setitem) arg1=2\n"
            "o:f32[4,6] torch.add(m) arg1=1\n"
            "l:f32[4,6] torch.nn.functional.leaky_relu(o) arg1=0.1f\n"
            "return m l");
}

static void out_arguments_are_written(void) {
  fx_expect(in_x,
            "e: \"f32[4, 6]\" = torch.ops.aten.empty.memory_format([4, 6])\n"
            "a: \"f32[4, 6]\" = torch.ops.aten.add.out(x, y, out = e)\n"
            "m: \"f32[4, 6]\" = torch.ops.aten.exp.out(x, out = a)\n"
            "return e\n",
            "e:f32[4,6] aten.empty.memory_format() arg0=[4,6]\n"
            "a:f32[4,6] aten.add.Tensor(x, y)\n"
            "m:f32[4,6] aten.exp.default(x)\n"
            "return m");
}

static void collectives_of_c10d_write_their_arguments(void) {
  fx_expect(in_x,
            "_torchbind_obj0 = self._torchbind_obj0\n"
            "r = torch.ops.c10d.allreduce_.default([x], _torchbind_obj0, "
            "None, False)\n"
            "g = r[0]\n"
            "h: \"f32[4, 6]\" = g[0]\n"
            "k = r[1];  r = k = None\n"
            "a = torch.ops.c10d.allgather_.default([[x, y]], [h], "
            "_torchbind_obj0)\n"
            "return (h, y)\n",
            "r:f32[4,6] c10d.allreduce_.default(x) arg0=%[0] "
            "arg1='_torchbind_obj0' arg3=0\n"
            "a#0:f32[4,6], a#1:f32[4,6] c10d.allgather_.default(r, y, r) "
            "arg0=%[0,1] arg1=%[2] arg2='_torchbind_obj0'\n"
            "return a#0 a#1");
}

static void functional_collectives_have_variants_in_place(void) {
  fx_expect(in_x,
            "a: \"f32[4, 6]\" = "
            "torch.ops._c10d_functional.all_reduce_.default(x, 'sum', '0')\n"
            "w: \"f32[4, 6]\" = "
            "torch.ops._c10d_functional.wait_tensor.default(a)\n"
            "z: \"f32[4, 6]\" = torch.ops.aten.mul_.Tensor(w, y)\n"
            "return (x,)\n",
            "a:f32[4,6] _c10d_functional.all_reduce.default(x) arg1='sum' "
            "arg2='0'\n"
            "w:f32[4,6] _c10d_functional.wait_tensor.default(a)\n"
            "z:f32[4,6] aten.mul.Tensor(w, y)\n"
            "return z");
}

static void lists_of_tensors_are_written_one_by_one(void) {
  fx_expect(in_x,
            "f = torch.ops.aten._foreach_add_.Scalar([x, y], 1)\n"
            "return (y, x)\n",
            "f#0:f32[4,6], f#1:f32[4,6] aten._foreach_add.Scalar(x, y) "
            "arg0=%[0,1] arg1=1\n"
            "return f#1 f#0");
}

/* What one element writes is there when the next one is read. */
static void elements_of_lists_that_may_share_memory_are_refused(void) {
  static const char shares[] = "what another element of its lists may share";
  static const char *const calls[] = {
      "f = torch.ops.aten._foreach_add_.List([x, x], [y, y])\n",
      "f = torch.ops.aten._foreach_mul_.List([x, y], [y, x])\n",
      "v: \"f32[2, 6]\" = torch.ops.aten.slice.Tensor(x, 0, 0, 2)\n"
      "f = torch.ops.aten._foreach_zero_.default([x, v])\n",
      "f = torch.ops.aten._foreach_mul_.Tensor([x, y], x)\n",
      "f = torch.ops.aten._fused_adam_.default([x], [y], [x], [z], [], [t], "
      "lr = 0.1, beta1 = 0.9, beta2 = 0.9, weight_decay = 0.0, eps = 1e-08, "
      "amsgrad = False, maximize = False)\n"};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    char body[400];
    snprintf(body, sizeof body, "%sreturn (x, y)\n", calls[i]);
    fx_expect_error("x: \"f32[4, 6]\", y: \"f32[4, 6]\", "
                    "z: \"f32[4, 6]\", t: \"f32[]\"",
                    body, SP_ERR_UNKNOWN, i == 2 ? 4 : 3, 9, shares);
  }
  fx_expect("x: \"f32[6]\", y: \"f32[2]\"",
            "s = torch.ops.aten.split.Tensor(x, 2)\n"
            "a: \"f32[2]\" = s[0]\n"
            "b: \"f32[2]\" = s[1]\n"
            "c: \"f32[2]\" = s[2]\n"
            "f = torch.ops.aten._foreach_mul_.List([a, b], [a, y])\n"
            "return (a, b)\n",
            "a:f32[2], b:f32[2], c:f32[2] aten.split.Tensor(x) arg1=2\n"
            "f#0:f32[2], f#1:f32[2] aten._foreach_mul.List(a, b, a, y) "
            "arg0=%[0,1] arg1=%[2,3]\n"
            "x'1:f32[6] aten.slice_scatter.default(x, f#0) arg2=0 arg3=0 "
            "arg4=2\n"
            "x'2:f32[6] aten.slice_scatter.default(x'1, f#1) arg2=0 arg3=2 "
            "arg4=4\n"
            "a'3#0:f32[2], a'3#1:f32[2], a'3#2:f32[2] "
            "aten.split.Tensor(x'2) arg1=2\n"
            "return a'3#0 f#1");
}

/* What may or may not share memory is fine until it matters. */
static void doubtful_aliases_are_refused_when_they_matter(void) {
  fx_expect("x: \"f32[4, 6]\"",
            "c: \"f32[24]\" = torch.ops.aten.reshape.default(x, [24])\n"
            "w: \"f32[24]\" = torch.ops.aten.mul_.Scalar(c, 2)\n"
            "return (c,)\n",
            "c:f32[24] aten.reshape.default(x) arg1=[24]\n"
            "w:f32[24] aten.mul.Scalar(c) arg1=2\n"
            "return w");
  fx_expect_error("x: \"f32[4, 6]\"",
                  "c: \"f32[24]\" = torch.ops.aten.reshape.default(x, [24])\n"
                  "w: \"f32[24]\" = torch.ops.aten.mul_.Scalar(c, 2)\n"
                  "return (x,)\n",
                  SP_ERR_UNKNOWN, 5, ANY,
                  "'x' is read, and aten.mul_.Scalar in line 4 has written "
                  "what may be the same memory");
  fx_expect_error("x: \"f32[4, 6]\"",
                  "c: \"f32[4, 6]\" = x.frobnicate()\n"
                  "w: \"f32[4, 6]\" = x.mul_(2)\n"
                  "n: \"f32[4, 6]\" = -c\n"
                  "return (n,)\n",
                  SP_ERR_UNKNOWN, 5, 9, "'c' is read, and method.mul_");
  fx_expect_error("x: \"f32[4]\", i: \"i64[2]\"",
                  "c: \"f32[2]\" = x[i]\n"
                  "w: \"f32[4]\" = x.mul_(2)\n"
                  "return (c,)\n",
                  SP_ERR_UNKNOWN, 5, ANY, "'c' is read");
}

static void writes_that_cannot_be_followed_are_refused(void) {
  fx_expect_error("x: \"f32[4, 1]\"",
                  "e: \"f32[4, 3]\" = torch.ops.aten.expand.default(x, "
                  "[4, 3])\n"
                  "w: \"f32[4, 3]\" = torch.ops.aten.mul_.Scalar(e, 2)\n"
                  "return (x,)\n",
                  SP_ERR_UNKNOWN, 4, 9, "'e' is written, a view that");
  fx_expect_error("x: \"f32[4, 6]\"",
                  "t: \"f32[6, 4]\" = torch.ops.aten.t_.default(x)\n"
                  "return (x,)\n",
                  SP_ERR_UNKNOWN, 3, 9, "aten.t_.default");
  fx_expect_error("x: \"f32[4]\", y: \"f32[4]\"",
                  "a = torch.ops.aten.add_.Tensor(other = x, alpha = y)\n"
                  "return (y,)\n",
                  SP_ERR_UNKNOWN, 3, 9, "what aten.add_.Tensor writes");
  fx_expect_error("x: \"f32[4]\", y: \"f32[4]\"",
                  "m = torch.ops.my.kernel.default(x, y)\n"
                  "return (y,)\n",
                  SP_ERR_UNKNOWN, 4, ANY,
                  "'y' is read, and my.kernel.default in line 3 may have "
                  "written it");
  fx_expect_error("x: \"f32[4]\", m: \"f32[4]\", v: \"f32[4]\"",
                  "b = torch.ops.aten.native_batch_norm.default(x, None, "
                  "None, m, v, True, 0.1, 1e-05)\n"
                  "g: \"f32[4]\" = b[0]\n"
                  "return (g, m)\n",
                  SP_ERR_UNKNOWN, 5, ANY, "'m' is read");
}

/* --- errors -------------------------------------------------------------- */

static void errors_name_line_and_column(void) {
  static const char in[] = "x: \"f32[4]\"";
  fx_expect_error(in, "a: \"f32[4]\" = torch.ops.aten.neg.default(y)\nreturn a",
                  SP_ERR_INPUT, 3, 50, "'y' is not defined");
  fx_expect_error(in, "a: \"f32[4]\" = y\nreturn a", SP_ERR_INPUT, 3, 23,
                  "'y' is not defined");
  fx_expect_error(in, "a: \"f32[4]\" = x +\nreturn a", SP_ERR_INPUT, 3, ANY,
                  "an argument was expected");
  fx_expect_error(in, "a: \"f32[4]\" = x x\nreturn a", SP_ERR_INPUT, 3, 25,
                  "an operator was expected");
  fx_expect_error(in, "a: \"f32[4]\" = x + x x\nreturn a", SP_ERR_INPUT, 3, 29,
                  "the end of the statement was expected");
  fx_expect_error(in, "a: \"f32[4]\"  torch.neg(x)\nreturn a", SP_ERR_INPUT, 3,
                  22, "'=' was expected");
  fx_expect_error(in, "a: \"f32[4]\" = torch.neg(x\nreturn a", SP_ERR_INPUT,
                  ANY, ANY, "expected");
  fx_expect_error(in, "a: \"f32[4] = torch.neg(x)\nreturn a", SP_ERR_INPUT, 3,
                  12, "an annotation does not end");
  fx_expect_error(in, "a: \"f32[4]\" = torch.neg(x, 'abc)\nreturn a",
                  SP_ERR_INPUT, 3, 36, "a string does not end");
  fx_expect_error(in, "x: \"f32[4]\" = torch.neg(x)\nreturn a", SP_ERR_INPUT, 3,
                  9, "x is defined twice");
  fx_expect_error(in, "a, b = torch.neg(x)\nreturn a", SP_ERR_INPUT, 3, 16,
                  "tree_flatten_spec");
  fx_expect_error(in, "a: \"f32[4]\" = torch.neg(x, k = 1, k = 2)\nreturn a",
                  SP_ERR_INPUT, 3, ANY, "the argument k is given twice");
  fx_expect_error(in, "a: \"f32[4]\" = torch.neg(x, 1, arg1 = 2)\nreturn a",
                  SP_ERR_INPUT, 3, ANY, "the argument arg1 is given twice");
  fx_expect_error(in, "a: \"f32[4]\" = torch.neg(x)\n", SP_ERR_INPUT, ANY, ANY,
                  "without a return");
  fx_expect_error(in, "return (x, y)\n", SP_ERR_INPUT, 3, 20,
                  "'y' is not defined");
  fx_expect_error("x", "a: \"f32[4]\" = torch.neg(x)\nreturn a", SP_ERR_INPUT,
                  2, 23, "the input 'x' has no shape");
  fx_expect_error(in, "s = torch.split(x, 2)\na: \"f32[2]\" = s[-1]\nreturn a",
                  SP_ERR_INPUT, 4, 25, "a number from 0 to");
  fx_expect_error(in, "s = torch.split(x, 2)\na: \"f32[2]\" = s[1]\nreturn s",
                  SP_ERR_UNKNOWN, ANY, ANY, "'s' is a tuple");
  fx_expect_error(in,
                  "s = torch.split(x, 2)\nt = s\na: \"f32[2]\" = s[0]\n"
                  "b: \"f32[2]\" = t[1]\nreturn b",
                  SP_ERR_UNKNOWN, 6, ANY, "another name");
  fx_expect_error(in, "a: \"f32[5]\" = x.add_(1)\nreturn a", SP_ERR_INPUT, 3, 9,
                  "f32[5]");
}

static void shapes_are_checked(void) {
  fx_expect_error("x: \"f32[4][1, 1]\"", "return x", SP_ERR_INPUT, 2, 33,
                  "1 sizes have 2 strides");
  fx_expect_error("x: \"f32[4][-1]\"", "return x", SP_ERR_INPUT, 2, 34,
                  "a stride is negative");
  fx_expect_error("x: \"f32[-4]\"", "return x", SP_ERR_INPUT, 2, 31,
                  "a size is negative");
  fx_expect_error("x: \"f32[99999999999999999999]\"", "return x", SP_ERR_INPUT,
                  2, 31, "no number of 64 bits");
  fx_expect_error("x: \"f32[1048576, 1048576]\"", "return x", SP_ERR_INPUT, 2,
                  30, "too many elements");
  fx_expect_error("x: \"f32[0, 4611686018427387904]\"", "return x",
                  SP_ERR_INPUT, 2, 30, "too many elements");
  fx_expect_error("x: \"f32[4\"", "return x", SP_ERR_INPUT, 2, ANY, "expected");
  char in[512] = "x: \"f32[1";
  for (int i = 0; i < 64; i++) {
    strcat(in, ",1");
  }
  strcat(in, "]\"");
  fx_expect_error(in, "return x", SP_ERR_INPUT, 2, ANY, "over 64 dimensions");
}

/* A chain of views, and in turns a write to its root and a read of its end. */
static void nodes_made_to_follow_writes_are_limited(void) {
  enum { CHAIN = 1100 };
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_str s = {0};
  for (int i = 0; i < CHAIN; i++) {
    sp_str_addf(ctx, &s, "v%d: \"f32[2, 2]\" = torch.ops.aten.t.default(", i);
    sp_str_addf(ctx, &s, i ? "v%d)\n" : "x)\n", i - 1);
  }
  for (int i = 0; i < CHAIN; i++) {
    sp_str_addf(ctx, &s, "x += 1;  w%d = x\nn%d: \"f32[2, 2]\" = -v%d\n", i, i,
                CHAIN - 1);
  }
  sp_str_add(ctx, &s, "return x\n");
  fx_expect_error("x: \"f32[2, 2]\"", s.v, SP_ERR_LIMIT, ANY, ANY,
                  "too many tensors");
  sp_ctx_free(ctx);
}

static void nests_are_limited(void) {
  char body[4096] = "a: \"f32[4]\" = torch.neg(";
  memset(body + strlen(body), '[', 3000);
  fx_expect_error("x: \"f32[4]\"", body, SP_ERR_LIMIT, 3, ANY, "lists");
}

/* --- real graphs, whole, cut off and changed ------------------------------ */

typedef struct reading {
  const char *text;
  size_t n;
  uint32_t which;
  const sp_program *program;
} reading;

static void read_it(sp_ctx *ctx, void *arg) {
  reading *r = arg;
  r->program = sp_fx_read_graph(ctx, "t.py", r->text, r->n, r->which);
}

/* Of exact bytes on the heap, so that one byte too far is noticed. */
static sp_code outcome(const char *text, size_t n, const char *what) {
  char *exact = malloc(n ? n : 1);
  memcpy(exact, text, n);
  sp_ctx *ctx = sp_ctx_new(NULL);
  reading r = {exact, n, 0, NULL};
  sp_code code = sp_protect(ctx, read_it, &r);
  bool good = code == SP_OK || code == SP_ERR_INPUT || code == SP_ERR_LIMIT ||
              code == SP_ERR_UNKNOWN;
  if (!good) {
    printf("\n    %s: code %d: %s", what, (int)code,
           code ? sp_ctx_error(ctx)->message : "");
  }
  CU_ASSERT(good);
  sp_ctx_free(ctx);
  free(exact);
  return code;
}

/* Small files, and one in so many of the others. */
static void for_files(const char *set, const char *begin, size_t one_in,
                      void (*fn)(const char *path, const char *text,
                                 size_t n)) {
  fx_files f = fx_files_find(set, begin, ".py");
  for (size_t i = 0; i < f.n; i++) {
    size_t n = 0;
    if (i % one_in == 0 || long_mode()) {
      char *text = (char *)file_bytes(f.paths[i], &n);
      if (text && n && sp_fx_looks_like(text, n)) {
        fn(f.paths[i], text, n);
      }
      free(text);
    }
  }
  fx_files_free(&f);
}

static void whole(const char *path, const char *text, size_t n) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  reading r = {text, n, 0, NULL};
  sp_code code = sp_protect(ctx, read_it, &r);
  CU_ASSERT_EQUAL(code, SP_OK);
  if (code != SP_OK) {
    const sp_error *e = sp_ctx_error(ctx);
    printf("\n%s:%u:%u: %s\n", path, e->loc.line, e->loc.column, e->message);
  }
  sp_ctx_free(ctx);
}

static void cut_off(const char *path, const char *text, size_t n) {
  for (size_t i = 1; i < 100; i++) {
    size_t at = n * i / 100;
    sp_code code = outcome(text, at, path);
    CU_ASSERT_NOT_EQUAL(code, SP_OK);
  }
}

static void changed(const char *path, const char *text, size_t n) {
  static const char signs[] = "()[]{}\"'=:;,.#- 0x\n\\";
  uint64_t random = 0x9E3779B97F4A7C15u + n;
  char *copy = malloc(n);
  for (int i = 0; i < 100; i++) {
    memcpy(copy, text, n);
    for (int k = 0; k < 3; k++) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      copy[random % n] = signs[(random >> 40) % (sizeof signs - 1)];
    }
    outcome(copy, n, path);
  }
  free(copy);
}

static void real_graphs_are_read(void) {
  for_files("torch", "rank", 1, whole);
  for_files("torch", "seq", 1, whole);
  for_files("entangle", "", 1, whole);
}

static void real_graphs_cut_off_are_errors(void) {
  for_files("torch", "rank0", 16, cut_off);
  for_files("entangle", "", 20, cut_off);
}

static void real_graphs_changed_do_no_harm(void) {
  for_files("torch", "rank0", 16, changed);
  for_files("entangle", "", 20, changed);
}

static void samples_are_read(void) {
  fx_files f = fx_files_find("torch", "", ".txt");
  for (size_t i = 0; i < f.n; i++) {
    size_t n = 0;
    char *text = (char *)file_bytes(f.paths[i], &n);
    sp_ctx *ctx = sp_ctx_new(NULL);
    uint32_t graphs = text ? sp_fx_count(ctx, "t.py", text, n) : 0;
    CU_ASSERT(graphs > 0);
    for (uint32_t k = 0; k < graphs; k++) {
      reading r = {text, n, k, NULL};
      CU_ASSERT_EQUAL(sp_protect(ctx, read_it, &r), SP_OK);
    }
    sp_ctx_free(ctx);
    free(text);
  }
  fx_files_free(&f);
}

/* --- memory -------------------------------------------------------------- */

typedef struct failing {
  long left;
} failing;

static void *failing_alloc(void *user, size_t size) {
  failing *f = user;
  return f->left-- > 0 ? malloc(size) : NULL;
}

static void failing_free(void *user, void *p) {
  (void)user;
  free(p);
}

static void every_failing_allocation_is_survived(void) {
  for (long n = 0; n < 40; n++) {
    failing f = {n};
    sp_hooks hooks = {failing_alloc, failing_free, &f};
    sp_ctx *ctx = sp_ctx_new(&hooks);
    if (ctx) {
      reading r = {log_text, strlen(log_text), 0, NULL};
      sp_code code = sp_protect(ctx, read_it, &r);
      CU_ASSERT(code == SP_OK || code == SP_ERR_MEMORY);
      sp_ctx_free(ctx);
    }
  }
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
  ADD(a_read_after_a_write_sees_it);
  ADD(a_write_to_a_view_reaches_what_it_views);
  ADD(a_view_made_before_a_write_is_made_again);
  ADD(pieces_of_a_split_are_views);
  ADD(python_writes_in_place_too);
  ADD(out_arguments_are_written);
  ADD(collectives_of_c10d_write_their_arguments);
  ADD(functional_collectives_have_variants_in_place);
  ADD(lists_of_tensors_are_written_one_by_one);
  ADD(elements_of_lists_that_may_share_memory_are_refused);
  ADD(doubtful_aliases_are_refused_when_they_matter);
  ADD(writes_that_cannot_be_followed_are_refused);
  ADD(errors_name_line_and_column);
  ADD(shapes_are_checked);
  ADD(nodes_made_to_follow_writes_are_limited);
  ADD(nests_are_limited);
  ADD(real_graphs_are_read);
  ADD(real_graphs_cut_off_are_errors);
  ADD(real_graphs_changed_do_no_harm);
  ADD(samples_are_read);
  ADD(every_failing_allocation_is_survived);
}
