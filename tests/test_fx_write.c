/* test_fx_write.c: graphs that write in place: what is read after a write sees
 * it, views too; what may share memory is refused where it matters. What a
 * write reaches through views of any kind: test_fx_alias.c. */
#include "base/vec.h"
#include "graph/fx.h"
#include "tests/suites.h"
#include "tests/support_fx.h"

#include <CUnit/CUnit.h>

void suite_fx_write(void);

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
                  SP_ERR_UNKNOWN, 5, FX_ANY,
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
                  SP_ERR_UNKNOWN, 5, FX_ANY, "'c' is read");
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
                  SP_ERR_UNKNOWN, 4, FX_ANY,
                  "'y' is read, and my.kernel.default in line 3 may have "
                  "written it");
  fx_expect_error("x: \"f32[4]\", m: \"f32[4]\", v: \"f32[4]\"",
                  "b = torch.ops.aten.cudnn_batch_norm.default(x, None, "
                  "None, m, v, True, 0.1, 1e-05)\n"
                  "g: \"f32[4]\" = b[0]\n"
                  "return (g, m)\n",
                  SP_ERR_UNKNOWN, 5, FX_ANY, "'m' is read");
  /* both in one memory */
  fx_expect_error("x: \"f32[2, 4]\", m: \"f32[4]\"",
                  "b = torch.ops.aten.native_batch_norm.default(x, None, "
                  "None, m, m, True, 0.1, 1e-05)\n"
                  "g: \"f32[2, 4]\" = b[0]\n"
                  "return (g, m)\n",
                  SP_ERR_UNKNOWN, 5, FX_ANY, "'m' is read");
}

static void running_statistics_are_written(void) {
  static const char in[] = "x: \"f32[2, 4]\", m: \"f32[4]\", v: \"f32[4]\"";
  fx_expect(in,
            "b = torch.ops.aten.native_batch_norm.default(x, None, None, m, "
            "v, True, 0.1, 1e-05)\n"
            "g: \"f32[2, 4]\" = b[0]\n"
            "n: \"f32[4]\" = torch.ops.aten.neg.default(m)\n"
            "return (g, n, v)\n",
            "g:f32[2,4] aten.native_batch_norm.default(x, m, v) arg3=%1 "
            "arg4=%2 arg5=1 arg6=0.1f arg7=1e-05f\n"
            "b'1:?, b'2:?, b'3:?, b'4:f32[4], b'5:f32[4] "
            "aten._native_batch_norm_legit_functional.default(x, m, v) "
            "arg3=%1 arg4=%2 arg5=1 arg6=0.1f arg7=1e-05f\n"
            "n:f32[4] aten.neg.default(b'4)\n"
            "return g n b'5");
  /* not where it does not train */
  fx_expect(in,
            "b = torch.ops.aten.native_batch_norm.default(x, None, None, m, "
            "v, False, 0.1, 1e-05)\n"
            "g: \"f32[2, 4]\" = b[0]\n"
            "return (g, m)\n",
            "g:f32[2,4] aten.native_batch_norm.default(x, m, v) arg3=%1 "
            "arg4=%2 arg5=0 arg6=0.1f arg7=1e-05f\n"
            "return g m");
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
  fx_expect_error("x: \"f32[2, 2]\"", s.v, SP_ERR_LIMIT, FX_ANY, FX_ANY,
                  "too many tensors");
  sp_ctx_free(ctx);
}

void suite_fx_write(void) {
  CU_pSuite s = CU_add_suite("fx_write", NULL, NULL);
#define ADD(test) CU_add_test(s, #test, test)
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
  ADD(running_statistics_are_written);
  ADD(nodes_made_to_follow_writes_are_limited);
#undef ADD
}
