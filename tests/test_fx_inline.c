/* test_fx_inline.c: graphs that an FX graph calls (graph/fx_inline.c). */
#include "base/vec.h"
#include "graph/fx.h"
#include "tests/suites.h"
#include "tests/support_fx.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_fx_inline(void);

static void read_is(const char *text, const char *want) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = fx_read(ctx, text);
  const char *got = p ? fx_text(ctx, p) : sp_ctx_error(ctx)->message;
  CU_ASSERT_PTR_NOT_NULL(strstr(got, want));
  if (!strstr(got, want)) {
    printf("\n--- got\n%s\n--- want\n%s\n", got, want);
  }
  sp_ctx_free(ctx);
}

#define MAIN                                                                   \
  "class GraphModule(torch.nn.Module):\n"                                      \
  "    def forward(self, x: \"f32[4]\", y: \"f32[4]\"):\n"
#define CLASS(name) "    class " name "(torch.nn.Module):\n"

/* Twice, with other arguments; in it there is one more and a constant. */
static void a_called_graph_is_its_statements(void) {
  read_is(
      MAIN
      "        sub = self.sub\n"
      "        c = torch.ops.higher_order.invoke_subgraph(sub, 'sub_0', x, y)\n"
      "        getitem: \"f32[4]\" = c[0]\n"
      "        getitem_1: \"f32[4]\" = c[1]\n"
      "        sub_1 = self.sub\n"
      "        d = torch.ops.higher_order.invoke_subgraph(sub_1, 'sub_0', "
      "getitem, y)\n"
      "        getitem_2: \"f32[4]\" = d[1]\n"
      "        return (getitem_2, getitem_1)\n" CLASS(
          "sub") "        def forward(self, a: \"f32[4]\", b: \"f32[4]\"):\n"
                 "            k: \"f32[4]\" = self._tensor_constant0\n"
                 "            add: \"f32[4]\" = torch.ops.aten.add.Tensor(a, "
                 "k)\n"
                 "            in = self.inner\n"
                 "            w: \"f32[4]\" = torch.ops.higher_order.wrap(in, "
                 "add)\n"
                 "            return (w, b)\n"
                 "        class inner(torch.nn.Module):\n"
                 "            def forward(self, z: \"f32[4]\"):\n"
                 "                neg: \"f32[4]\" = "
                 "torch.ops.aten.neg.default(z)\n"
                 "                return (neg,)\n",
      "c/add:f32[4] aten.add.Tensor(x, c/k)\n"
      "c/w/neg:f32[4] aten.neg.default(c/add)\n");
}

static void a_context_is_no_argument(void) {
  read_is(
      MAIN
      "        fwd = self.fwd\n"
      "        bwd = self.bwd\n"
      "        f: \"f32[4]\" = torch.ops.higher_order.autograd_function_apply("
      "fwd, bwd, x, y, args_tensor_mask = [True, True])\n"
      "        return (f,)\n" CLASS(
          "fwd") "        def forward(self, ctx : "
                 "torch.autograd.function.Function, "
                 "a: \"f32[4]\", b: \"f32[4]\"):\n"
                 "            off = torch._C._set_grad_enabled(False);  off = "
                 "None\n"
                 "            mul: \"f32[4]\" = torch.ops.aten.mul.Tensor(a, "
                 "b)\n"
                 "            return (mul, [a, b])\n" CLASS(
                     "bwd") "        def forward(self, ctx, d: \"f32[4]\"):\n"
                            "            return (d, d)\n",
      "f/mul:f32[4] aten.mul.Tensor(x, y)\nreturn f/mul");
}

/* Another number of arguments; an element that is not there; a body that is
 * not in the text, or an operator that we do not know, stays a call. */
static void calls_that_do_not_fit(void) {
  static const char sub[] =
      CLASS("sub") "        def forward(self, a: \"f32[4]\"):\n            "
                   "return (a,)\n" CLASS("none") "        def forward(self):\n "
                                                 "           return (None,)\n";
  static const struct {
    const char *body, *want;
  } tests[] = {
      {"c = torch.ops.higher_order.wrap(s, x, y)\n        return (x,)\n",
       "sub is called with 2 arguments and has 1 inputs"},
      {"t = self.none\n        c = torch.ops.higher_order."
       "autograd_function_apply(t, s, x)\n        return (x,)\n",
       "none is called with 1 arguments and has 0 inputs"},
      {"c = torch.ops.higher_order.wrap(s, x)\n        g: \"f32[4]\" = c[1]\n"
       "        return (g,)\n",
       "a number below 1 was expected"},
      {"t = self.other\n        c: \"f32[4]\" = "
       "torch.ops.higher_order.wrap(t, x)\n        return (c,)\n",
       "c:f32[4] higher_order.wrap("},
      {"c: \"f32[4]\" = torch.ops.higher_order.cond(x, s, s, [y])\n"
       "        return (c,)\n",
       "c:f32[4] higher_order.cond("},
  };
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    char text[2000];
    snprintf(text, sizeof text, "%s        s = self.sub\n        %s%s", MAIN,
             tests[i].body, sub);
    read_is(text, tests[i].want);
  }
}

/* Each graph calls the next one twice: 2^30 calls. */
static void a_short_text_asks_for_no_long_program(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_str s = {0};
  sp_str_add(ctx, &s, "class a(torch.nn.Module):\n");
  for (int d = 0; d < 30; d++) {
    int in = 4 * (d + 1);
    sp_str_addf(ctx, &s, "%*sdef forward(self, x: \"f32[4]\"):\n", in, "");
    for (int k = 0; k < 2; k++) {
      sp_str_addf(ctx, &s,
                  "%*sb%d = self.g%d\n%*sc%d: \"f32[4]\" = "
                  "torch.ops.higher_order.wrap(b%d, x)\n",
                  in + 4, "", k, d, in + 4, "", k, k);
    }
    sp_str_addf(ctx, &s, "%*sreturn (c1,)\n%*sclass g%d(torch.nn.Module):\n",
                in + 4, "", in, "", d);
  }
  sp_str_addf(ctx, &s, "%*sdef forward(self, x: \"f32[4]\"):\n", 124, "");
  sp_str_addf(ctx, &s, "%*sreturn (x,)\n", 128, "");
  CU_ASSERT_PTR_NULL(fx_read(ctx, s.v));
  CU_ASSERT_EQUAL(sp_ctx_error(ctx)->code, SP_ERR_LIMIT);
  CU_ASSERT_PTR_NOT_NULL(strstr(sp_ctx_error(ctx)->message, "too much"));
  sp_ctx_free(ctx);
}

/* Long names, or long lists, in a graph that is called often. */
static void long_names_and_lists_count(void) {
  for (int lists = 0; lists < 2; lists++) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    sp_str s = {0};
    sp_str_add(ctx, &s, MAIN "        s = self.sub\n");
    for (int k = 0; k < 600; k++) {
      sp_str_addf(ctx, &s,
                  "        c%d%0*d: \"f32[4]\" = "
                  "torch.ops.higher_order.wrap(s, x)\n",
                  k, lists ? 1 : 64000, 0);
    }
    sp_str_add(ctx, &s,
               "        return (x,)\n" CLASS(
                   "sub") "        def forward(self, a: \"f32[4]\"):\n");
    for (int k = 0; k < 10; k++) {
      sp_str_addf(ctx, &s,
                  "            m%d: \"f32[4000]\" = "
                  "torch.ops.aten.cat.default([a",
                  k);
      for (int i = 1; i < 1000 && lists; i++) {
        sp_str_add(ctx, &s, ", a");
      }
      sp_str_add(ctx, &s, "])\n");
    }
    sp_str_add(ctx, &s, "            return (a,)\n");
    CU_ASSERT_PTR_NULL(fx_read(ctx, s.v));
    CU_ASSERT_EQUAL(sp_ctx_error(ctx)->code, SP_ERR_LIMIT);
    CU_ASSERT_PTR_NOT_NULL(strstr(sp_ctx_error(ctx)->message, "too much"));
    sp_ctx_free(ctx);
  }
}

void suite_fx_inline(void) {
  CU_pSuite s = CU_add_suite("fx_inline", NULL, NULL);
#define ADD(t) CU_add_test(s, #t, t)
  ADD(a_called_graph_is_its_statements);
  ADD(a_context_is_no_argument);
  ADD(calls_that_do_not_fit);
  ADD(a_short_text_asks_for_no_long_program);
  ADD(long_names_and_lists_count);
#undef ADD
}
