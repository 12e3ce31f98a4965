/* test_fx_complex.c: complex tensors of FX graphs become pairs of reals; what
 * works on them is rewritten so that it means the same, or is refused. That the
 * values are right: tests/oracle/aten_nn.txt. */
#include "encode/op.h"
#include "tests/support_fx.h"

#include <CUnit/CUnit.h>
#include <stdint.h>
#include <stdio.h>

void suite_fx_complex(void);

#define IN "x: \"c64[2, 3]\", y: \"f32[2, 3]\", i: \"i64[2]\""

static void dimensions_are_counted_without_the_pair(void) {
  fx_expect(IN,
            "a: \"c64[2, 1, 3]\" = torch.ops.aten.unsqueeze.default(x, -2)\n"
            "b: \"c64[3]\" = torch.ops.aten.select.int(x, -2, 1)\n"
            "c: \"c64[3, 2]\" = torch.ops.aten.permute.default(x, [-1, 0])\n"
            "d: \"c64[6]\" = torch.ops.aten.view.default(x, [-1])\n"
            "return (a, b, c, d)\n",
            "a:f32[2,1,3,2] aten.unsqueeze.default(x) arg1=1\n"
            "b:f32[3,2] aten.select.int(x) arg1=0 arg2=1\n"
            "c:f32[3,2,2] aten.permute.default(x) arg1=[1,0,2]\n"
            "d:f32[6,2] aten.view.default(x) arg1=[6,2]\n"
            "return a b c d");
}

static void products_say_what_is_complex(void) {
  fx_expect(IN,
            "a: \"c64[2, 3]\" = torch.ops.aten.mul.Tensor(x, x)\n"
            "b: \"c64[2, 3]\" = torch.ops.aten.mul.Tensor(x, y)\n"
            "c: \"c64[2, 3]\" = torch.ops.aten.mul.Tensor(y, x)\n"
            "return (a, b, c)\n",
            "a:f32[2,3,2] complex.mul(x, x)\n"
            "b:f32[2,3,2] complex.scale(x, y)\n"
            "c:f32[2,3,2] complex.scale_other(y, x)\n"
            "return a b c");
}

/* ---- refusals ---- */

static const char *const refused[] = {
    /* no such operator on pairs */
    "r: \"c64[2, 3]\" = torch.ops.aten.exp.default(x)",
    "r: \"c64[2, 3]\" = torch.ops.aten.div.Tensor(x, x)",
    "r: \"c64[2, 3]\" = torch.ops.aten.pow.Tensor_Scalar(x, 2)",
    "r: \"c64[3]\" = torch.ops.aten.sum.dim_IntList(x, [0])",
    "r: \"c64[2, 3]\" = torch.ops.aten._to_copy.default(y, dtype = "
    "torch.complex64)",
    /* the number would be added to both parts */
    "r: \"c64[2, 3]\" = torch.ops.aten.add.Tensor(x, 2.0)",
    /* a real number has no imaginary part to add to */
    "r: \"c64[2, 3]\" = torch.ops.aten.add.Tensor(x, y)",
    /* the bytes as another type */
    "r: \"c64[2, 3]\" = torch.ops.aten.view.dtype(x, torch.complex64)",
    "r: \"c64[2, 3]\" = torch.ops.aten.view.default(x, torch.complex64)",
    /* a dimension that is not there, though the pair would be */
    "r: \"c64[2, 3]\" = torch.ops.aten.select.int(x, 2, 1)",
    "r: \"c64[3, 2]\" = torch.ops.aten.transpose.int(x, 0, -3)",
    /* results that cannot be */
    "r: \"f32[2, 3]\" = torch.ops.aten.mul.Tensor(x, x)",
    "r: \"f32[2, 3, 2]\" = torch.ops.aten.clone.default(x)",
    "r: \"c64[2, 3]\" = torch.ops.aten.clone.default(y)",
    "r: \"c64[2]\" = torch.ops.aten.view_as_complex.default(x)",
    "r: \"f32[2, 3, 2]\" = torch.ops.aten.view_as_real.default(y)",
};

static void check_all(sp_ctx *ctx, void *arg) {
  const sp_program *p = fx_read_body(ctx, IN, arg);
  for (uint32_t i = 0; p && i < p->n_nodes; i++) {
    sp_op_check(ctx, p, &p->nodes[i]);
  }
}

static void what_pairs_cannot_say_is_refused(void) {
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    sp_ctx *ctx = sp_ctx_new(NULL);
    const char *body = sp_format(ctx, "%s\nreturn (r,)\n", refused[i]);
    sp_code code = sp_protect(ctx, check_all, (void *)(uintptr_t)body);
    if (code != SP_ERR_UNKNOWN) {
      printf("\n    refusal %zu: code %d\n", i, (int)code);
    }
    CU_ASSERT_EQUAL(code, SP_ERR_UNKNOWN);
    sp_ctx_free(ctx);
  }
}

void suite_fx_complex(void) {
  CU_pSuite s = CU_add_suite("fx_complex", NULL, NULL);
  CU_add_test(s, "dimensions_are_counted_without_the_pair",
              dimensions_are_counted_without_the_pair);
  CU_add_test(s, "products_say_what_is_complex", products_say_what_is_complex);
  CU_add_test(s, "what_pairs_cannot_say_is_refused",
              what_pairs_cannot_say_is_refused);
}
