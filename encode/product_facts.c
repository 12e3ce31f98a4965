/* product_facts.c: see product_facts.h. */
#include "encode/product_facts.h"

void spi_assert_commutes(sp_formula *f, sp_smt t, uint32_t n, const sp_smt *x) {
  static const uint8_t order[5][3] = {
      {1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
  if (n > 3) {
    return;
  }
  uint32_t mul = sp_smt_decl_of(f, t.v);
  for (uint32_t i = 0; i < (n == 2 ? 1u : 5u); i++) {
    sp_smt y[3] = {x[order[i][0]], x[order[i][1]], x[order[i][2]]};
    if (y[0].v == x[0].v && y[1].v == x[1].v) {
      continue; /* equal factors */
    }
    sp_smt other = sp_smt_app(f, mul, n, y);
    sp_smt_assert(f, sp_smt_2(f, SP_SMT_EQ, t, other));
  }
}

void spi_assert_zero(sp_formula *f, sp_smt t, sp_smt x) {
  sp_smt zero = sp_smt_real(f, "0");
  sp_smt_assert(f, sp_smt_2(f, SP_SMT_IMPLIES, sp_smt_2(f, SP_SMT_EQ, x, zero),
                            sp_smt_2(f, SP_SMT_EQ, t, zero)));
}
